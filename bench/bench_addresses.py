#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Addresses of a trace as NumPy arrays: how many a second, next to copying an array of as many. ./dev bench runs it."""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import sluice


def best(function):
    """The shortest of nine runs: what disturbs a run only makes it longer."""
    times = []
    for _ in range(9):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


# One lane of each warp loads from random places: the fewest addresses for each access that is decoded.
ONE_LANE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry one_lane(.param .u64 table, .param .u32 steps)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra DONE;
    ld.param.u64 %rd1, [table];
    ld.param.u32 %r3, [steps];
    mov.u32 %r4, %ctaid.x;
    mad.lo.u32 %r4, %r4, 1024, %r1;
AGAIN:
    mad.lo.u32 %r4, %r4, 1664525, 1013904223;
    shr.u32 %r5, %r4, 8;
    mul.wide.u32 %rd2, %r5, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r6, [%rd3];
    sub.u32 %r3, %r3, 1;
    setp.ne.u32 %p2, %r3, 0;
    @%p2 bra AGAIN;
DONE:
    ret;
}
"""


def main():
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        code = os.path.join(folder, "one_lane.ptx")
        with open(code, "w") as file:
            file.write(ONE_LANE)
        launch_of_it = {"grid": 128, "block": 128, "arg": ["u32[16M]:zero", "u32:2000"]}
        for workload, options, goal in (("matmul", {}, 50), ("spmv", {}, 50), ("sssp", {}, 50), (code, launch_of_it, None)):
            path = os.path.join(folder, "trace.slt")
            sluice.trace(workload, output=path, **options)
            with sluice.Trace(path) as trace:
                launch = max(trace.launches, key=lambda launch: launch.blocks)
                took, accesses = best(launch.accesses)
                copy, _ = best(accesses.addresses.copy)
                lanes = len(accesses.addresses)
                rate = lanes / took / 1e6
                name = launch.kernel.name
                verdict = f", goal at least {goal}: {'met' if rate >= goal else 'MISSED'}" if goal else ""
                print(f"  {f'{name}: addresses, {lanes / len(accesses):.1f} for each access':56} {rate:10.4g} M/s{verdict}")
                print(f"  {f'{name}: accesses':56} {len(accesses) / took / 1e6:10.4g} M/s")
                print(f"  {f'{name}: time against a copy of the addresses':56} {took / copy:10.4g}")
                missed += bool(goal) and rate < goal
    return missed


if __name__ == "__main__":
    sys.exit(main())
