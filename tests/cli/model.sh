#!/bin/sh
# SPDX-License-Identifier: MIT
# The reuse-distance model of traces and workloads, as a person asks for it.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

printf 'blocksize: 32 1 1\n0 0 4096 4\n1 0 4100 4\n0 1 8192 4\n0 0 4096 4\n' >threads.trc
"$sluice" trace --quiet -o mm.slt matmul n=64

it 'shows hits and misses by class, for launches and loads'
run "$sluice" model --gpu fermi-gtx470 mm.slt
exits 0
stderr_is ''
stdout_has 'cold  capacity  conflict'
stdout_has 'matmul'
stdout_has 'loads with the most misses'

it 'runs a workload and models it as it models its trace'
run "$sluice" model --gpu fermi-gtx470 --csv trace.csv -q mm.slt
exits 0
run "$sluice" model --gpu fermi-gtx470 --csv run.csv -q matmul n=64
exits 0
run cmp trace.csv run.csv
exits 0

it 'takes a cause away and shows the cycles before and after'
printf '%s\n' '.version 8.0' '.target sm_80' '.address_size 64' '.visible .entry apart(.param .u64 p)' '{' \
    '.reg .b32 %r<6>; .reg .b64 %d<4>;' 'ld.param.u64 %d1, [p];' 'mov.u32 %r1, %tid.x;' 'mov.u32 %r2, %ctaid.x;' \
    'mad.lo.s32 %r3, %r2, 256, %r1;' 'mul.wide.s32 %d2, %r3, 32;' 'add.s64 %d3, %d1, %d2;' \
    'ld.global.u32 %r4, [%d3];' 'st.global.u32 [%d3+4], %r4;' 'ret;' '}' >apart.ptx
apart='apart.ptx --entry apart --grid 1024 --block 256 --arg f32[2M]:zero'
# shellcheck disable=SC2086 # lists of words
for command in model sim; do
    run "$sluice" "$command" $apart --what-if strided-stores
    exits 0
    stdout_has 'what if: global stores are coalesced'
    stdout_has 'cycles before  cycles after  faster'
    run "$sluice" "$command" $apart --what-if strided-stores@13 --json -
    exits 1
    stderr_has "have no memory instruction at line 13 that 'strided-stores' would change"
    run "$sluice" "$command" $apart --what-if strided-store
    stderr_has "did you mean 'strided-stores'?"
done
# shellcheck disable=SC2086
run "$sluice" model $apart --what-if strided-stores@14 --json -
exits 0
stdout_has '"rule": "strided-stores"'
stdout_has '"line": 14'
stdout_has '"cycles_are": "estimated"'

it 'gives the same bytes for any number of threads'
run "$sluice" model -j 1 --json one.json mm.slt
exits 0
run "$sluice" model -j 3 --json three.json mm.slt
exits 0
run cmp one.json three.json
exits 0

it 'says in its JSON what made it'
run "$sluice" model --json - --gpu fermi-gtx470 --no-mshr mm.slt
exits 0
stdout_has '"command": "model"'
stdout_has '"machine": "fermi-gtx470"'
stdout_has '"no-mshr"'
stdout_has '"seed": 1'

# One block: threads 0 and 1 load side by side, thread 0 stores elsewhere, then loads again: a line, missed once.
it 'counts a trace of another program by hand'
run "$sluice" model --gpu fermi-gtx470 --json - threads.trc
exits 0
stdout_has '"ld_requests": 2'
stdout_has '"ld_sectors": 2'
stdout_has '"ld_sector_hits": 1'
stdout_has '"compulsory_sectors": 1'

it 'does as the authors of the paper do'
run "$sluice" model --compat hpca14 threads.trc
exits 0
stderr_is ''
stdout_has 'blocks of 32x1x1 threads'
stdout_has 'miss rate: 50 %'
run "$sluice" model --compat hpca14 --json - threads.trc
exits 0
stdout_has '"options": {"compat": "hpca14"}'
stdout_has '"compulsory": 1,'
stdout_has '"miss_rate": 0.5'
run "$sluice" model --compat hpca14 --csv - threads.trc
exits 0
stdout_has '2,3,2,1,1,1,0,0,0,0,1,1,1,0.5'

it 'refuses what that program does not have'
run "$sluice" model --compat hpca14 --gpu h200 threads.trc
exits 2
stderr_has '--gpu cannot be combined with --compat hpca14'
run "$sluice" model --compat hpca14 mm.slt
exits 1
stderr_has "mm.slt: the authors' program reads thread traces"
run "$sluice" model --compat hpca14 threads.trc more
exits 2
stderr_has "takes one thread trace; remove 'more'"
run "$sluice" model --compat hpca14 absent.trc
exits 1
stderr_has 'absent.trc'
run "$sluice" model --compat hpca15 threads.trc
exits 2
stderr_has 'hpca15'

it 'names the line of a thread trace that it cannot read'
printf 'blocksize: 32 1 1\n0 0 4096 4\n0 0 4096\n' >short.trc
for how in '--gpu fermi-gtx470' '--compat hpca14'; do
    # shellcheck disable=SC2086
    run "$sluice" model $how -o out.txt short.trc
    exits 1
    stderr_has 'short.trc:3: an access is'
    stdout_is ''
    absent out.txt
done
printf 'blocksize: 32 0 1\n' >empty.trc
run "$sluice" model empty.trc
exits 1
stderr_has 'empty.trc:1: a block has at least one thread'

it 'refuses accesses that are wider than it takes'
printf 'blocksize: 32 1 1\n0 0 4096 64\n' >wide.trc
run "$sluice" model --gpu fermi-gtx470 -o out.txt wide.trc
exits 1
stderr_has "'load.64' (at 0) accesses 64 bytes; the model supports up to 32 per thread"
absent out.txt

it 'refuses a trace whose warps the machine does not have'
run "$sluice" model --gpu hd7770 -o out.txt mm.slt
exits 1
stderr_has 'was recorded with warps of 32 threads, and those of hd7770 have 64'
absent out.txt
run "$sluice" model --gpu hd7770 -q matmul n=16
exits 0

it 'refuses blocks that do not fit on a core'
printf 'blocksize: 2048 1 1\n0 0 4096 4\n' >large.trc
run "$sluice" model --gpu fermi-gtx470 large.trc
exits 1
stderr_has 'threads'
stdout_is ''

it 'refuses a machine that cannot be, with the line that says so'
sed 's/ways: 4 .*/ways: 5/' "$source_root/machines/fermi-gtx470.yaml" >five.yaml
run "$sluice" model --gpu ./five.yaml mm.slt
exits 1
stderr_has 'five.yaml:'
stdout_is ''
run "$sluice" model --gpu h2000 mm.slt
exits 1
stderr_has "the nearest is 'h200'"
sed 's/size: 16K .*/size: 16K\n    sector: 4/' "$source_root/machines/fermi-gtx470.yaml" >fine.yaml
run "$sluice" model --gpu ./fine.yaml mm.slt
exits 1
stderr_has 'L1 has lines of 128 bytes in sectors of 4; the model supports'

it 'tells of damage and shows nothing'
head -c "$(($(wc -c <mm.slt) - 20))" mm.slt >cut.slt
run "$sluice" model -o cut.txt cut.slt
exits 1
stderr_has 'cut.slt'
absent cut.txt

done_testing
