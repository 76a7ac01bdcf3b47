#!/bin/sh
# SPDX-License-Identifier: MIT
# Two runs, reports, GPUs or policies next to each other, and a gate for CI.
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
stdout_has 'est_cycles             20,961   17,780        -15.2%'
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
stderr_has 'none.json is not a report of run, model, sim, info or report: it has no launches'

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
stderr_has "unknown counter 'ld_sector_mises'; did you mean 'ld_sector_misses'?"
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

# Reports with numbers to check by hand: an array of structures read with 24 sectors a request, and a structure of arrays
# read with 4 by a kernel of another name.
report() { # FILE KERNEL CYCLES SECTORS DRAM EXTRA
    printf '{"command": "sim", "machine": "h200", "launches": [{"kernel": "%s", "name": "%s", "counters": {%s"ld_requests": 1000, "ld_sectors": %s, "ld_sector_misses": 2000, "dram_read_sectors": %s}, "loads": [{"source": "p.cu:7", "opcode": "ld.global.f32", "array": "particles", "counters": {"ld_requests": 1000, "ld_sectors": %s, "ld_sector_misses": 2000}}]}]}' \
        "$2" "$2" "$3" "$4" "$5" "$4" >"$1"
}
report aos.json move_aos '"cycles": 2100, ' 24000 2000
report soa.json move_soa '"cycles": 1000, ' 4000 2000
report counted.json move_soa '' 4000 500
report other.json move_soa '"cycles": 2098, ' 24000 2000

it 'begins with what is faster and why, and ends with what to look at'
run "$sluice" compare aos.json soa.json
exits 0
stdout_has 'B is 2.1x faster (simulated): loads of particles are better coalesced, 4.0 sectors per request instead of 24.0'
stdout_has 'Look next at loads of particles (p.cu:7): they have 100% of the sectors of B.'
run "$sluice" compare soa.json aos.json
stdout_has 'B is 2.1x slower (simulated): loads of particles are worse coalesced, 24.0 sectors per request instead of 4.0'
stdout_has 'B has more sectors there, 24,000 (+500.0%).'
run "$sluice" compare aos.json other.json
stdout_has 'A and B take the same time (simulated)'

it 'explains a rewritten access by all loads of the kernel, not by the one that is gone'
printf '{"command": "sim", "launches": [{"kernel": "k", "counters": {"cycles": 300, "ld_requests": 10, "ld_sectors": 320, "st_requests": 10, "st_sectors": 40}, "loads": [{"source": "k.cu:1", "opcode": "ld.global.f32", "array": "cells", "counters": {"ld_requests": 10, "ld_sectors": 320}}], "stores": [{"source": "k.cu:9", "opcode": "st.global.f32", "array": "out", "counters": {"st_requests": 10, "st_sectors": 40}}]}]}' >one.json
printf '{"command": "sim", "launches": [{"kernel": "k", "counters": {"cycles": 200, "ld_requests": 20, "ld_sectors": 80, "st_requests": 10, "st_sectors": 40}, "loads": [{"source": "k.cu:2", "opcode": "ld.global.f32", "array": "x", "counters": {"ld_requests": 10, "ld_sectors": 40}}, {"source": "k.cu:3", "opcode": "ld.global.f32", "array": "y", "counters": {"ld_requests": 10, "ld_sectors": 40}}], "stores": [{"source": "k.cu:9", "opcode": "st.global.f32", "array": "out", "counters": {"st_requests": 10, "st_sectors": 40}}]}]}' >split.json
run "$sluice" compare one.json split.json
exits 0
stdout_has 'B is 1.5x faster (simulated): loads of cells are better coalesced, 4.0 sectors per request instead of 32.0 (k.cu:1)'

it 'says that it knows no time, and what changed most instead'
run "$sluice" compare aos.json counted.json
exits 0
stdout_has 'B has 4.0x fewer DRAM reads (no time is known: simulate both sides for one): loads of particles are better'

it 'takes the estimated time where nothing is simulated'
run "$sluice" compare slow.slt warp.slt
stdout_has 'B is 1.2x faster (estimated): loads of param_0 are better coalesced'

it 'has the verdict in JSON'
run "$sluice" compare aos.json soa.json --json verdict.json -q
exits 0
file_has verdict.json '"text": "B is 2.1x faster (simulated): loads of particles'
file_has verdict.json '"time": "simulated"'
file_has verdict.json '"ratio": 2.1'
file_has verdict.json '"cause": {"kernel": "move_aos", "source": "p.cu:7", "opcode": "ld.global.f32", "array": "particles", "counter": "sectors", "a": 24000, "b": 4000}'
file_has verdict.json '"renamed_to": "move_soa"'
file_has verdict.json '"by_likeness": true'

it 'matches renamed kernels by the likeness of their instructions, or as it is told'
run "$sluice" compare aos.json soa.json
stdout_has 'move_aos, now move_soa'
stdout_has 'move_soa of B is compared with move_aos of A: their memory instructions are alike'
run "$sluice" compare aos.json soa.json --match move_aos=move_soa
exits 0
stdout_has 'move_aos, now move_soa'
stdout_lacks 'are alike'
run "$sluice" compare aos.json soa.json --match move=move_soa
exits 1
stderr_has "A has no kernel 'move'"
run "$sluice" compare aos.json soa.json --match move_aos
exits 1
stderr_has "'move_aos': write OLD=NEW"
sed 's/ld.global.f32/ld.global.v4.f32/; s/particles/cells/g' soa.json >unlike.json
run "$sluice" compare aos.json unlike.json
exits 0
stdout_lacks 'now move_soa'

it 'matches a kernel that reads fields of one array with one that reads an array for each'
# By hand: opcodes as kinds alike, counted 2 of 5; arrays the same without offsets; half of the name is common. "fill" has
# stores alone.
loads() { # OPCODE ARRAY... : a load of 10 requests and 40 sectors of each
    opcode=$1 between=
    shift
    for array; do
        printf '%s{"source": "p.cu:7", "opcode": "%s", "array": "%s", "counters": {"ld_requests": 10, "ld_sectors": 40}}' "$between" "$opcode" "$array"
        between=', '
    done
}
kernel() { # NAME LOADS
    printf '{"kernel": "%s", "name": "%s", "counters": {"cycles": 100, "ld_requests": 10, "ld_sectors": 40}, "loads": [%s]}' "$1" "$1" "$2"
}
printf '{"command": "sim", "launches": [%s, %s]}' "$(kernel fill "$(loads st.global.f32 out)")" \
    "$(kernel move "$(loads ld.global.f32 particles)")" >fields.json
printf '{"command": "sim", "launches": [%s]}' \
    "$(kernel move_soa "$(loads ld.global.f32 particles particles+8 particles+16 particles+24)")" >arrays.json
run "$sluice" compare fields.json arrays.json
exits 0
stdout_has 'move_soa of B is compared with move of A'

it 'has the estimate next to the simulated time'
run "$sluice" compare slow.slt warp.slt --sim
exits 0
stdout_has 'x faster (simulated; estimated 1.2x): loads of param_0 are better coalesced'
stdout_has 'est_cycles'

it 'colors what is better and what is worse'
run "$sluice" compare aos.json soa.json --color always
stdout_has "$(printf '\033[32m-52.4%%')"
run "$sluice" compare soa.json aos.json --color always
stdout_has "$(printf '\033[31m+110.0%%')"

it 'writes the comparison as Markdown for a comment, and nothing of its own as markup'
run "$sluice" compare spmv --size small --gpu h200 --gpu a100 --markdown
exits 0
stdout_has '| all launches | A | B | change |'
stdout_has '| --- | ---: | ---: | ---: |'
stdout_has 'l2\_read\_sectors'
! grep -q '[<>]' "$scratch/stdout" || fail 'a bracket is not escaped'

it 'goes by time where clocks differ'
stdout_has 'B is 1.2x slower (estimated)' # in fewer cycles

done_testing
