#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Estimated gains of what-ifs against simulated gains of real repairs: table.py SLUICE PAIRS-PROGRAM.

The gain of a pair is the ratio of cycles before and after. `repair`: both kernels, simulated and estimated. `what-if`:
the kernel before its repair with the cause taken away, simulated and estimated (`sim --cold`, `model`). `measured`: the
repair on an H200 (h200-pairs.csv)."""
import csv
import json
import os
import subprocess
import sys
import tempfile

# Pair, rule that should find it. The list is fixed: pairs were chosen before any number of theirs was seen.
PAIRS = [
    ("transpose-stores", "strided-stores"),
    ("transpose-loads", "uncoalesced-loads"),
    ("transpose-banks", "bank-conflicts"),
    ("aos-load", "uncoalesced-loads"),
    ("aos-store", "strided-stores"),
    ("spmv-long", "uncoalesced-loads"),
    ("spmv-short", "uncoalesced-loads"),
    ("histogram", "hot-atomics"),
    ("sum", "hot-atomics"),
    ("reduce-banks", "bank-conflicts"),
    ("local", "local-memory"),
    ("row-sum", "uncoalesced-loads"),
    ("stencil-order", "uncoalesced-loads"),
    ("matmul-order", "uncoalesced-loads"),
]


def run(*command):
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


def ranks(values):
    order = sorted(values)
    return [order.index(v) + (order.count(v) - 1) / 2 for v in values]


def correlation(a, b):
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    top = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    below = (sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)) ** 0.5
    return top / below if below else float("nan")


def report(sluice, *command):
    return json.loads(run(sluice, *command, "--json", "-"))


def cycles(sluice, command, trace):
    key = "cycles" if command[0] == "sim" else "est_cycles"
    return sum(launch["counters"][key] for launch in report(sluice, *command, trace)["launches"])


def measured():
    """Gains of repairs on the GPU."""
    cycles_of = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "h200-pairs.csv")) as file:
        for row in csv.DictReader(file):
            cycles_of[row["pair"], row["side"]] = float(row["sm__cycles_elapsed.max"])
    return {name: cycles_of[name, "before"] / cycles_of[name, "after"] for name, _ in PAIRS}


def gains(sluice, program, name, rule, folder):
    """Of the repair and of the what-if: simulated, estimated."""
    trace = {}
    for side in ("before", "after"):
        trace[side] = f"{folder}/{side}.slt"
        run(sluice, "trace", "-q", "-o", trace[side], "--", program, name, side)
    commands = (["sim", "--cold"], ["model"])
    repair = [cycles(sluice, c, trace["before"]) / cycles(sluice, c, trace["after"]) for c in commands]
    what_if = [report(sluice, *c, trace["before"], "--what-if", rule)["what_if"]["speedup"] for c in commands]
    return repair + what_if


def main():
    sluice, program = sys.argv[1:3]
    real = measured()
    rows = []
    print("| pair | rule | repair: measured | simulated | estimated | what-if: simulated | estimated |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, rule in PAIRS:
            rows.append([real[name]] + gains(sluice, program, name, rule, folder))
            print(f"| {name} | {rule} | " + " | ".join(f"{gain:.2f}" for gain in rows[-1]) + " |", flush=True)
    kinds = ["repair, measured", "repair, simulated", "repair, estimated", "what-if, simulated", "what-if, estimated"]
    for of in (0, 1):
        print(f"\n| compared with: {kinds[of]} | rank correlation | within a factor of 1.5 |\n|---|---|---|")
        for at in range(of + 1, len(kinds)):
            column, truth = [r[at] for r in rows], [r[of] for r in rows]
            near = sum(1 / 1.5 <= c / t <= 1.5 for c, t in zip(column, truth))
            print(f"| {kinds[at]} | {correlation(ranks(column), ranks(truth)):.2f} | {near} of {len(rows)} |")


main()
