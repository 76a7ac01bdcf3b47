#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Full against sampled simulations: do the intervals hold what they say, and how much work is saved?

    accept.py SLUICE TABLE.csv INPUTS      # a line of INPUTS: name, folder, arguments of sluice sim, separated by tabs

Each input is recorded once, simulated in full and with --sample 1%, and every sum with its interval is compared with
the full one. TABLE.csv gets a row per input; the sums that lie outside are printed. Inputs that are in the table already
are left out, so that a run can be continued.
"""
import csv, json, os, resource, subprocess, sys, tempfile

FIELDS = ["input", "launches", "simulated", "cycles_error_percent", "half_percent", "intervals", "hold", "full_s", "sampled_s", "work_saved_percent"]


def simulate(sluice, trace, options, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sluice, "sim", "-q", "-j1", "--json", path, *options, trace], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(path) as file:
        return json.load(file), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def total(document, counter):
    return sum(launch["counters"].get(counter, 0) for launch in document["launches"])


def compare(sluice, name, folder, arguments, scratch):
    trace = os.path.join(scratch, "input.slt")
    subprocess.run([sluice, "trace", "-q", "-j1", "-o", trace, *arguments.split()], cwd=os.path.expandvars(folder), check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    full, full_s = simulate(sluice, trace, ["--sample", "off"], os.path.join(scratch, "full.json"))
    sampled, sampled_s = simulate(sluice, trace, ["--sample", "1%"], os.path.join(scratch, "sampled.json"))
    sample = sampled["sample"]
    row = dict(input=name, launches=len(full["launches"]), simulated=sample["analyzed"], intervals=0, hold=0,
               full_s=round(full_s, 2), sampled_s=round(sampled_s, 2), work_saved_percent=round(sample["work_saved_percent"], 2))
    for interval in sample["totals"]:
        exact = total(full, interval["counter"])
        held = interval["low"] <= exact <= interval["high"]
        row["intervals"] += 1
        row["hold"] += held
        if interval["counter"] == "cycles":
            row["cycles_error_percent"] = round(100 * (interval["total"] - exact) / exact, 3)
            row["half_percent"] = round(interval["half_percent"], 3)
        if not held:
            print(f"{name}: {interval['counter']} is {exact}, not within {interval['low']} to {interval['high']}")
    return row


def main():
    sluice, table, inputs = sys.argv[1:]
    rows = []
    if os.path.exists(table):
        with open(table) as file:
            rows = list(csv.DictReader(file))
    with open(inputs) as file:
        lines = [line.rstrip("\n").split("\t") for line in file if line.strip() and line[0] != "#"]
    for name, folder, arguments in lines:
        if any(row["input"] == name for row in rows):
            continue
        with tempfile.TemporaryDirectory(prefix="sluice-accept-") as scratch:
            try:
                rows.append(compare(sluice, name, folder, arguments, scratch))
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
                print(f"{name}: {problem}")
                continue
        with open(table, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    held, all_ = sum(int(row["hold"]) for row in rows), sum(int(row["intervals"]) for row in rows)
    errors = [abs(float(row["cycles_error_percent"])) for row in rows]
    print(f"{len(rows)} inputs: {held} of {all_} intervals hold ({100 * held / all_:.1f}%), "
          f"mean error of cycles {sum(errors) / len(errors):.2f}%, largest {max(errors):.2f}%")


main()
