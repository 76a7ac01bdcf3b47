#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Addresses of a trace as NumPy arrays: how many a second, beside copying an array of as many. ./dev bench runs it."""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import sluice


def best(function):
    """The shortest of five runs: what disturbs a run only makes it longer."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def main():
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for workload, goal in (("matmul", 50), ("spmv", None)):  # few lanes of spmv are active: it is a matter of accesses
            path = os.path.join(folder, workload + ".slt")
            sluice.trace(workload, output=path)
            with sluice.Trace(path) as trace:
                launch = max(trace.launches, key=lambda launch: launch.blocks)
                took, accesses = best(launch.accesses)
                copy, _ = best(accesses.addresses.copy)
                lanes = len(accesses.addresses)
                rate = lanes / took / 1e6
                verdict = f", goal at least {goal}: {'met' if rate >= goal else 'MISSED'}" if goal else ""
                print(f"  {f'{workload}: addresses, {lanes / len(accesses):.1f} for each access':56} {rate:10.4g} M/s{verdict}")
                print(f"  {f'{workload}: accesses':56} {len(accesses) / took / 1e6:10.4g} M/s")
                print(f"  {f'{workload}: time against a copy of the addresses':56} {took / copy:10.4g}")
                missed += bool(goal) and rate < goal
    return missed


if __name__ == "__main__":
    sys.exit(main())
