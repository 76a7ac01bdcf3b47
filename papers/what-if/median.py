#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Medians of what `measure` left in a folder: median.py FOLDER METRIC,METRIC..."""
import csv
import os
import statistics
import sys

LAUNCHES = {("launches", "before"): 32}  # of one run; else 1


def main():
    folder, metrics = sys.argv[1], sys.argv[2].split(",")
    print(",".join(["pair", "side", *metrics, "event_ns"]))
    for program in ("series", "memory", "work"):
        with open(os.path.join(folder, program + ".times")) as file:
            runs = [line.strip().split(",") for line in file]
        with open(os.path.join(folder, program + ".ncu")) as file:
            counted = list(csv.DictReader(file))[1:]  # without the row of units
        values = {}
        for name, side, ns in runs:
            many = LAUNCHES.get((name, side), 1)
            mine, counted = counted[:many], counted[many:]
            row = [sum(float(r[m].replace(",", "")) for r in mine) for m in metrics]
            values.setdefault((name, side), []).append([*row, float(ns)])
        assert not counted, program
        for key, rows in values.items():
            print(",".join([*key, *(f"{statistics.median(column):.0f}" for column in zip(*rows))]))


main()
