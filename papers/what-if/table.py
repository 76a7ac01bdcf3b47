#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Estimated gains of what-ifs against simulated gains of real repairs: table.py SLUICE FOLDER [JOBS].

FOLDER has the programs pairs, series, memory and work. The gain of a pair (pairs.csv) is the ratio of cycles before and after.
`repair`: both kernels, simulated and estimated. `what-if`: the kernel before its repair with the cause taken away, simulated
and estimated (`sim --cold`, `model`); a rule that has no what-if is a dash, and counts as a gain of 1. `measured`: the
repair on an H200 (h200-pairs.csv). `findings`: the share of time that `model` says the pair's rule costs before the repair, and
its largest finding by another rule."""
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["repair, measured", "repair, simulated", "repair, estimated", "what-if, simulated", "what-if, estimated"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


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


def without(sluice, *command):
    """What taking a cause away gains; None where the rule has no what-if."""
    try:
        return report(sluice, *command)["what_if"]["speedup"]
    except subprocess.CalledProcessError as error:
        if "no what-if" in error.stderr or "estimated, not simulated" in error.stderr:
            return None
        raise


def cycles(result):
    key = "cycles" if "cycles" in result["launches"][0]["counters"] else "est_cycles"
    return sum(launch["counters"][key] for launch in result["launches"])


def read(name):
    with open(os.path.join(HERE, name)) as file:
        return list(csv.DictReader(file))


def measured():
    """Gains of repairs on the GPU."""
    of = {(row["pair"], row["side"]): float(row["sm__cycles_elapsed.max"]) for row in read("h200-pairs.csv")}
    return {name: of[name, "before"] / of[name, "after"] for name, _ in of}


def shares(findings, rule):
    """Of the rule, and of the largest other finding with its rule."""
    others = [(f["share"], f["rule"]) for f in findings if f["rule"] != rule]
    return sum(f["share"] for f in findings if f["rule"] == rule), max(others, default=(0, ""))


def gains(sluice, folder, pair, truth):
    """Of the repair: measured, simulated, estimated; of the what-if: simulated, estimated; shares of findings."""
    name, rule = pair["pair"], pair["rule"]
    commands = (["sim", "--cold", "-j", "1"], ["model", "-j", "1"])
    with tempfile.TemporaryDirectory() as place:
        trace = {side: os.path.join(place, side + ".slt") for side in ("before", "after")}
        for side, path in trace.items():
            run(sluice, "trace", "-q", "-o", path, "--", os.path.join(folder, pair["program"]), name, side)
        before = [report(sluice, *c, trace["before"]) for c in commands]
        after = [report(sluice, *c, trace["after"]) for c in commands]
        repair = [cycles(b) / cycles(a) for b, a in zip(before, after)]
        what_if = [without(sluice, *c, trace["before"], "--what-if", rule) for c in commands]
        return [truth[name], *repair, *what_if, shares(before[1]["findings"], rule)]


def show(gain):
    return "–" if gain is None else f"{gain:.2f}"


def main():
    sluice, folder = sys.argv[1:3]
    pairs, truth = read("pairs.csv"), measured()
    rows = []
    print("| pair | rule | repair: measured | simulated | estimated | what-if: simulated | estimated | finding | largest other |")
    print("|---|---|---|---|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(int(sys.argv[3]) if len(sys.argv) > 3 else 1) as pool:
        for pair, row in zip(pairs, pool.map(lambda pair: gains(sluice, folder, pair, truth), pairs)):
            own, (most, other) = row.pop()
            rows.append([1 if gain is None else gain for gain in row])
            print(f"| {pair['pair']} | {pair['rule']} | " + " | ".join(map(show, row)) + f" | {own:.0%} | "
                  + (f"{other} {most:.0%}" if other else "–") + " |", flush=True)
    for of in (0, 1):
        print(f"\n| compared with: {KINDS[of]} | rank correlation | within a factor of 1.5 |\n|---|---|---|")
        for at in range(of + 1, len(KINDS)):
            column, true = [r[at] for r in rows], [r[of] for r in rows]
            near = sum(1 / 1.5 <= c / t <= 1.5 for c, t in zip(column, true))
            print(f"| {KINDS[at]} | {correlation(ranks(column), ranks(true)):.2f} | {near} of {len(rows)} |")


main()
