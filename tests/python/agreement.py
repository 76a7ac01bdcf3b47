# SPDX-License-Identifier: MIT
"""One analysis, one set of numbers: the command's JSON, CSV and text, a sweep's point, libsluice and the package for
Python give the same values for every counter, for a dozen inputs and every analysis.

Environment: SLUICE, SLUICE_BUILD, SLUICE_SOURCE, PYTHONPATH. Runs in an empty folder; prints TAP."""
import csv
import io
import json
import os
import re
import subprocess
import sys

import sluice

PROGRAM = os.environ["SLUICE"]
LIBRARY = os.path.join(os.environ["SLUICE_BUILD"], "bin", "library_numbers")
INPUTS = ["spmv", "bfs", "stencil2d", "matmul", "histogram", "reduction", "gather", "vecadd", "matrix_transpose", "scan_large_arrays",
          "softmax", "sgemm"]
GPU = "fermi-gtx480"
COMMANDS = {"count": "info", "profile": "profile", "model": "model", "sim": "sim", "tune": "tune"}
LEVELS = ["L1", "L2"]


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env={**os.environ, "COLUMNS": "0"})
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


DIFFERENT = set()  # where the variant gives other numbers
SETTINGS = {"L1.size": "32K", "L2.replacement": "srrip(bits=3)"}  # "set" of the variants, which are also cold


def options(kind, varied=False):
    if kind == "count":
        return []
    return ["--gpu", GPU] + (["--cold"] + [f"--set={key}={value}" for key, value in SETTINGS.items()] if varied else [])


# ---- every source as {name: value}, summed over launches ----

def of_json(data, kind):
    if kind == "profile":
        return dict(data["all"]["counters"])
    total = {}
    for launch in data["launches"]:
        for name, value in launch["counters"].items():
            if not isinstance(value, str):  # names, as est_limit, do not add up
                total[name] = total.get(name, 0) + value
        for level in launch.get("levels", []):
            for name, value in level.items():
                if name != "level":
                    key = f"{level['level']}_{name}"
                    total[key] = total.get(key, 0) + value
    return total


def of_csv(text, kind):
    total = {}
    for row in csv.DictReader(io.StringIO(text)):
        if kind == "profile":
            if not row["kernel"] and not row["from"] and not row["to"]:
                total[row["measure"]] = float(row["value"])
            continue
        for name, value in row.items():
            if value not in ("", None) and re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?", value):
                key = name.replace(".", "_", 1) if name.split(".")[0] in LEVELS else name
                total[key] = total.get(key, 0) + float(value)
    return total


def of_lines(text):
    return {line.split()[0]: float(line.split()[1]) for line in text.splitlines()}


def of_sweep(workload, kind, varied=False):
    spec = f"workloads: [{workload}]\nsize: small\nkind: {kind}\nmachines: [{GPU}]\n"
    if varied:
        spec += "cold: yes\nset: {" + ", ".join(f"{key}: ['{value}']" for key, value in SETTINGS.items()) + "}\n"
    with open("sweep.yaml", "w") as file:
        file.write(spec)
    run("sweep", "sweep.yaml", "-q", "--cache", "cache", "-d", "points.sqlite", "--csv", "sweep.csv")
    with open("sweep.csv") as file:
        row = next(csv.DictReader(file))
    return {name: float(value) for name, value in row.items() if re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?", value or "")}


def headings():
    """Headings of tables, from the page that is made from the table of metrics: heading -> counter."""
    found = {}
    with open(os.path.join(os.environ["SLUICE_SOURCE"], "docs", "counters.md")) as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 5 and re.fullmatch(r"`[a-z0-9_]+`", cells[0]) and "/" not in cells[4]:
                found.setdefault(cells[2], cells[0].strip("`"))
    return found


def human(text):
    """The value that a cell shows, and half a unit of its last digit."""
    match = re.fullmatch(r"([0-9,]+(?:\.[0-9]+)?)(?: ([KMGT]))?", text)
    if not match:
        return None
    scale = {None: 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[match.group(2)]
    digits = match.group(1).replace(",", "")
    decimals = len(digits.split(".")[1]) if "." in digits else 0
    return float(digits) * scale, 0.5 * scale * 10 ** -decimals


def check_text(text, data):
    """Cells of the first table, a row per launch, against the launches of the JSON."""
    known, checked = headings(), 0
    lines = text.splitlines()
    head = next((i for i, line in enumerate(lines) if line.startswith("#  kernel")), None)
    if head is None:
        return 0
    names = re.split(r"\s{2,}", lines[head].strip())
    for line, launch in zip(lines[head + 1:], data["launches"]):
        cells = re.split(r"\s{2,}", line.strip())
        for name, cell in zip(names, cells):
            counter = known.get(name)
            shown = human(cell)
            if len(cells) == len(names) and shown and counter in launch["counters"]:
                value, half = shown
                assert abs(launch["counters"][counter] - value) <= half * 1.001, (name, cell, launch["counters"][counter])
                checked += 1
    return checked


def compare(expected, got, what, minimum, tolerance=1e-9):
    common = [name for name in expected if name in got]
    assert len(common) >= minimum, f"{what}: only {len(common)} of {len(expected)} values: {sorted(set(expected) - set(got))[:5]}"
    wrong = [(n, expected[n], got[n]) for n in common if abs(expected[n] - got[n]) > tolerance * max(1, abs(expected[n]))]
    assert not wrong, f"{what}: {wrong[:4]}"
    return common


def check_tune(workload):
    """Tuning has a row per kernel in place of counters; a point sums them and has what every strategy chooses."""
    options = [workload, "--size", "small", "--gpu", GPU]
    data = json.loads(run("tune", *options, "-o", "plan.json", "--json"))
    names = ["launch", "launches", "loads", "bypass", "original", "planned", "noise_percent"]
    expected = {f"{i}.{name}": kernel[name] for i, kernel in enumerate(data["kernels"]) for name in names}
    lines = subprocess.run([LIBRARY, "tune", GPU, workload], capture_output=True, text=True, check=True).stdout
    compare(expected, of_lines(lines), "library", len(expected), 1e-4)  # JSON has four digits behind the point
    rows = list(csv.DictReader(io.StringIO(run("tune", *options, "-o", "plan.json", "--csv"))))
    compare(expected, {f"{i}.{name}": float(row[name]) for i, row in enumerate(rows) for name in names}, "CSV",
            len(expected), 1e-4)
    python = sluice.tune(workload, size="small", gpu=GPU, output="plan.json")
    assert python.data["kernels"] == data["kernels"], "Python differs"
    point = of_sweep(workload, "tune")
    compare({name: value for name, value in of_lines(lines).items() if not name[0].isdigit()}, point, "sweep", 20)
    sums = {name: sum(kernel[name] for kernel in data["kernels"]) for name in ["loads", "bypass", "noise_percent"]}
    got = {"loads": point["kernel_loads"], "bypass": point["ours_loads"], "noise_percent": point["noise_percent"]}
    if all(kernel["bypass"] for kernel in data["kernels"]):  # what is not changed is not timed a last time
        sums["planned"] = sum(kernel["planned"] for kernel in data["kernels"])
        got["planned"] = point["ours_cycles"]
    compare(sums, got, "sweep", len(sums), 1e-3)


def check_varied(workload, kind):
    """The same with caches of other sizes and policies, and cold."""
    trace = f"{workload}.slt"
    data = json.loads(run(kind, trace, *options(kind, True), "--json"))
    expected = of_json(data, kind)
    keys = [f"{key}={value}" for key, value in SETTINGS.items()]
    library = of_lines(subprocess.run([LIBRARY, kind, GPU, trace, "cold", *keys], capture_output=True, text=True, check=True).stdout)
    compare(expected, library, "library, varied", len(expected))
    compare(library, of_sweep(workload, kind, True), "sweep, varied", len(library))
    python = getattr(sluice, kind)(trace, gpu=GPU, set=keys, cold=True)
    assert of_json(python.data, kind) == expected, "Python differs, varied"
    plain = json.loads(run(kind, trace, *options(kind), "--json"))
    if of_json(plain, kind) != expected:
        DIFFERENT.add((workload, kind))


def check(workload, kind):
    if kind == "tune":
        return check_tune(workload)
    trace = f"{workload}.slt"
    if not os.path.exists(trace):
        run("trace", "-q", workload, "--size", "small", "-o", trace)
    command = COMMANDS[kind]
    data = json.loads(run(command, trace, *options(kind), "--json"))
    library = of_lines(subprocess.run([LIBRARY, kind, GPU, trace], capture_output=True, text=True, check=True).stdout)
    expected = of_json(data, kind)
    if kind == "profile":
        compare(expected, library, "library", len(expected))
        compare(library, of_sweep(workload, kind), "sweep", len(library))  # histograms, too
        compare(expected, of_csv(run(command, trace, *options(kind), "--csv"), kind), "CSV", len(expected))
    else:
        # Everything that the command shows is in the library and in a point, and nothing else is.
        compare(expected, library, "library", len(expected))
        assert not [name for name in library if name not in expected and not name.startswith("policy_")], "library has more"
        if kind != "count":
            compare(library, of_sweep(workload, kind), "sweep", len(library))
        compare(expected, of_csv(run(command, trace, *options(kind), "--csv"), kind), "CSV", len(expected))
        checked = check_text(run(command, trace, *options(kind)), data)
        assert checked > len(data["launches"]) or len(data["launches"]) > 8, "the text shows no counters"
    if kind != "count":
        python = getattr(sluice, command)(trace, gpu=GPU)
        assert python.data == data or of_json(python.data, kind) == expected, "Python differs"
    if kind in ("model", "sim"):
        check_varied(workload, kind)


def main():
    tests = failed = 0
    for kind in COMMANDS:
        for workload in INPUTS:
            tests += 1
            try:
                check(workload, kind)
                print(f"ok {tests} - {kind} of {workload}: command, sweep, library and Python agree")
            except (AssertionError, subprocess.CalledProcessError, KeyError, StopIteration) as error:
                failed += 1
                print(f"not ok {tests} - {kind} of {workload}: command, sweep, library and Python agree")
                print("# " + str(error)[:400].replace("\n", "\n# "))
            sys.stdout.flush()
    tests += 1
    varied = len(DIFFERENT) >= len(INPUTS)
    failed += not varied
    print(f"{'ok' if varied else 'not ok'} {tests} - other caches give other numbers")
    print(f"1..{tests}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
