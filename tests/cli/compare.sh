#!/bin/sh
# SPDX-License-Identifier: MIT
# Two runs, reports, GPUs or policies beside each other, and a gate for CI.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

cp "$source_root"/examples/tutorial/*.ptx .
args='--block 128 --arg f32[2M]:random --arg f32[32K]:zero --arg s32:32768 --arg s32:64'
# shellcheck disable=SC2086
"$sluice" trace -q -o slow.slt slow.ptx --grid 256 $args
# shellcheck disable=SC2086
"$sluice" trace -q -o warp.slt warp.ptx --grid 8192 $args

it 'compares two traces by kernel and load, loads and stores alike'
run "$sluice" compare slow.slt warp.slt
exits 0
stderr_is ''
stdout_has 'A: slow.slt on h200 (modeled)'
stdout_has 'ld_sectors             2.10 M    262 K        -87.5%'
stdout_has 'est_cycles             29,853   17,727        -40.6%'
stdout_has 'Kernels by change of sectors'
stdout_has 'norms   slow.cu:9, now warp.cu:9    ld.global.f32  param_0 (arg 0)  2.10 M   262 K   -87.5%'
stdout_has 'norms   slow.cu:12, now warp.cu:15  st.global.f32  param_1 (arg 1)   4,096  32,768  +700.0%'

it 'compares reports as it compares what they were made from'
run "$sluice" report slow.slt --brief --json a.json
exits 0
run "$sluice" report warp.slt --brief --json b.json
exits 0
run "$sluice" compare slow.slt warp.slt --csv -
exits 0
cp "$scratch/stdout" traces.csv
run "$sluice" compare a.json b.json --csv -
exits 0
cp "$scratch/stdout" reports.csv
run cmp reports.csv traces.csv
exits 0

it 'says what reports are of'
run "$sluice" compare a.json b.json
exits 0
stdout_has 'A: a.json (report on h200)'

it 'shows nothing but what is there of a report that is not what it should be'
printf '{"launches": [1, "x", {"kernel": 5, "launches": -3, "loads": [3], "counters": [1]}, {"kernel": "k", "name": "a\\u001b[31mb", "counters": {"ld_sectors": -4, "st_sectors": 1e300}}]}' >odd.json
run "$sluice" compare odd.json b.json
exits 0
stdout_has 'a?[31mb'

it 'takes the JSON of run, model and sim'
run "$sluice" run vecadd --size small --json run.json -q
run "$sluice" model vecadd --size small --json model.json -q
run "$sluice" sim vecadd --size small --json sim.json -q
for report in run model sim; do
    run "$sluice" compare $report.json $report.json
    exits 0
    stdout_has 'no counter that both sides know differs'
done
echo '{"tool": "sluice"}' >none.json
run "$sluice" compare run.json none.json
exits 1
stderr_has 'none.json is no report of run, model, sim, info or report: it has no launches'

it 'compares two GPUs, two policies, and a changed key'
run "$sluice" compare spmv --size small --gpu fermi-gtx470 --gpu fermi-gtx480
exits 0
stdout_has 'A: spmv rows=2000 mean=8 on fermi-gtx470 (modeled)'
stdout_has 'B: spmv rows=2000 mean=8 on fermi-gtx480 (modeled)'
stderr_is ''
run "$sluice" compare spmv --size small --gpu h200 --gpu fermi-gtx480
exits 0
stderr_has 'sectors of h200 have 32 bytes and those of fermi-gtx480 128'
run "$sluice" compare spmv --size small --gpu fermi-gtx480 --l1 lru --l1 decoupled --sim
exits 0
stdout_has 'on fermi-gtx480, L1 decoupled (simulated)'
stdout_has 'Kernels by change of cycles'
run "$sluice" compare spmv --size small --gpu fermi-gtx480 --change L1.size=8K
exits 0
stdout_has 'on fermi-gtx480, L1.size=8K (modeled)'
run "$sluice" compare spmv --size small
exits 2
stderr_has 'give two inputs or reports, or one input and two GPUs or policies'

it 'shows no difference between a side and itself'
run "$sluice" compare slow.slt slow.slt
exits 0
stdout_has 'no counter that both sides know differs'

it 'is a gate for CI'
run "$sluice" compare -q slow.slt warp.slt --fail-if 'ld_sectors > +5%' --fail-if 'st_sectors < 1'
exits 0
stderr_is ''
run "$sluice" compare -q warp.slt slow.slt --fail-if 'ld_sectors > +5%'
exits 1
stderr_has "ld_sectors is 2097152, and was 262144 (+700.0%): it fails 'ld_sectors > +5%'"
run "$sluice" compare -q slow.slt warp.slt --fail-if 'l1_hit_rate<80' --fail-if 'st_sectors >= +28672'
exits 1
stderr_has "l1_hit_rate is 0, and was 87.5 (-87.5 points): it fails 'l1_hit_rate<80'"
stderr_has "st_sectors is 32768, and was 4096 (+700.0%): it fails 'st_sectors >= +28672'"
run "$sluice" compare -q slow.slt warp.slt --fail-if 'cycles > +5%'
exits 1
stderr_has "'cycles > +5%': cycles is not known of both sides"

it 'says what is wrong with a gate before it compares'
run "$sluice" compare slow.slt warp.slt --fail-if 'ld_sector_mises > +5%'
exits 2
stdout_is ''
stderr_has "there is no counter 'ld_sector_mises'; did you mean 'ld_sector_misses'?"
run "$sluice" compare slow.slt warp.slt --fail-if 'cycles +5%'
exits 2
stderr_has 'write COUNTER > LIMIT or COUNTER < LIMIT'
run "$sluice" compare slow.slt warp.slt --fail-if 'cycles > much'
exits 2
stderr_has "'much' is not a number"

it 'writes JSON and a page'
run "$sluice" compare slow.slt warp.slt --json c.json --html c.html -q
exits 0
file_has c.json '"sorted_by": "sectors"'
file_has c.json '"moved_to": "warp.cu:9", "opcode": "ld.global.f32", "array": "param_0"'
file_has c.html '<section id=loads>'
file_has c.html 'slow.cu:9, now warp.cu:9'

done_testing
