#!/bin/sh
# SPDX-License-Identifier: MIT
# What JSON reports look like: tests/data/schema.txt lists their members. Whoever changes or removes one raises
# SL_JSON_SCHEMA (src/report/document.h) and writes the list again: SLUICE_WRITE_SCHEMA=1 sh tests/cli/schema.sh.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

if ! python=$(sh "$source_root/tests/python/find.sh"); then
    it 'is tested with Python'
    skip 'python3 (3.9 or later) is not installed'
    done_testing
fi

it 'keeps the members of JSON reports'
gpu='--gpu fermi-gtx480'
"$sluice" trace -q spmv --size small -o spmv.slt
"$sluice" trace -q syrk --size small -o syrk.slt # it has findings
cat >points.yaml <<'END'
workloads: [gather]
size: small
kind: model
machines: [fermi-gtx480]
END
cat >paper.yaml <<'END'
name: paper
title: A paper
source: nobody, nowhere
programs: {A: gather n=2048 table=16384}
groups: {ALL: [A]}
quick: {programs: [A], size: small}
configs:
  BL: {l1: lru}
figures:
  - id: one
    title: Cycles
    rows: [ALL]
    columns: [{name: IPC, value: BL.cycles / BL.cycles, neutral: 1, mean: geometric, paper: {A: 3}, why: {A: a guess}}]
    claims: [{says: it takes cycles, value: "group_min(ALL, BL.cycles)", holds: "1 > 0"}]
END
# shellcheck disable=SC2086
{
    "$sluice" info spmv.slt --json >info.json
    "$sluice" run spmv --size small --json >run.json
    "$sluice" run spmv --size small --times --json >run-2.json 2>times.txt
    "$sluice" profile spmv.slt $gpu --json >profile.json
    "$sluice" model spmv.slt $gpu --json >model.json
    "$sluice" sim spmv.slt $gpu --l1 decoupled --bound --json >sim.json
    "$sluice" model syrk.slt $gpu --json >model-2.json
    "$sluice" model syrk.slt $gpu --what-if uncoalesced-loads@12 --json >model-3.json
    "$sluice" sim syrk.slt $gpu --json >sim-2.json
    "$sluice" report syrk.slt $gpu --brief --json -o page-2.html >report-2.json
    "$sluice" compare spmv.slt $gpu --gpu v100 --json >compare.json
    "$sluice" rank 'matmul n=32' spmv.slt --sim --json >rank.json
    "$sluice" report spmv.slt $gpu --json -o page.html >report.json
    "$sluice" trace -q vecadd --size small -o vecadd.slt --json trace.json
    printf 'blocksize: 32 1 1\n0 0 4096 4\n1 0 4100 4\n' >threads.trc
    "$sluice" import threads.trc -o threads.slt --json >import.json
    "$sluice" validate vecadd --counters "$source_root/papers/h200-counters.csv" --json >validate.json
    "$sluice" tune gather --size small $gpu --controls L1,L2 -o plan.json --json >tune.json
    "$sluice" apply plan.json "$source_root/workloads/gather/gather.ptx" -o planned.ptx --json >apply.json
    "$sluice" ptx "$source_root/workloads/spmv/spmv.ptx" --json >ptx.json
    "$sluice" sweep points.yaml --cache cache --json >sweep.json
    "$sluice" sweep points.yaml --points --json >sweep-2.json
    "$sluice" reproduce paper.yaml --cache cache --json >reproduce.json
    "$sluice" reproduce --list --json >reproduce-2.json
    for command in 'explain l1-thrashing' 'explain l1_hit_rate' workloads machines policies help; do
        name=$(echo "$command" | sed 's/ .*_.*/-2/; s/ .*//')
        "$sluice" $command --json >"$name.json"
    done
}
cat >members.py <<'END'
import json, sys
def members(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from members(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner, path + "[]")
    else:
        yield path
for name in sys.argv[1:]:
    with open(name + ".json") as file:
        text = file.read()
    data, _ = json.JSONDecoder().raw_decode(text)
    name = name.split("-")[0]
    print(name, "schema", data["schema"])
    for path in sorted(set(members(data, name))):
        if ".options." not in path:
            print(path)
END
"$python" members.py info run run-2 profile model model-2 model-3 sim sim-2 compare rank report report-2 trace import validate tune apply ptx \
    sweep sweep-2 reproduce reproduce-2 explain explain-2 workloads machines policies help | awk '!seen[$0]++' >members.txt || fail 'the reports could not be read'
[ -z "${SLUICE_WRITE_SCHEMA:-}" ] || cp members.txt "$source_root/tests/data/schema.txt"
# Nothing that was there may be gone; what is new may be added to the list at any time.
gone=$(grep -vxFf members.txt "$source_root/tests/data/schema.txt")
[ -z "$gone" ] || fail "gone, or of another schema: $gone"

it 'has times only where they are asked for'
if grep -q '"times"' run.json; then fail 'they are in every report'; fi
"$python" - >shown.txt <<'END' || fail 'not as on standard error'
import json, re
times = json.load(open("run-2.json"))["times"]
line = open("times.txt").read()
shown = {key: float(re.search(f"([0-9.]+) s of {what}", line)[1])
         for key, what in (("emulation_s", "emulation"), ("writing_s", "writing"))}
assert set(times) == {"emulation_s", "writing_s", "analysis_s"}, times
assert times["emulation_s"] > 0, times
for key, value in shown.items():
    assert abs(times[key] - value) < 0.0051, (times, line)
END

done_testing
