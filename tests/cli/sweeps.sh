#!/bin/sh
# SPDX-License-Identifier: MIT
# The model over many first levels and many seeds, as a person asks for it.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

"$sluice" trace --quiet --size small -o spmv.slt spmv
pure='--no-latency --no-mshr --no-divergence'
fermi='--gpu fermi-gtx470'

it 'models all combinations of the lists, a row each'
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --l1-size 8K,16K --l1-ways 2,4 --mshrs 32,0
exits 0
stderr_is ''
stdout_has 'spmv, 1 launch'
[ "$(grep -c KiB "$scratch/stdout")" = 8 ] || fail "$(saw 'not 8 rows')"
stdout_has '8.00 KiB     2   128         32'
stdout_has '16.0 KiB     4   128  unlimited'

it 'finds in one pass what each point says alone'
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi $pure --l1-size 4K,16K,64K --l1-ways 1,4,16 --line 64,128 --csv together.csv -q
exits 0
head -n 1 together.csv >alone.csv
for size in 4K 16K 64K; do
    for ways in 1 4 16; do
        for line in 64 128; do
            # shellcheck disable=SC2086
            "$sluice" model spmv.slt $fermi $pure --l1-size $size --l1-ways $ways --line $line --csv - |
                tail -n 1 >>alone.csv
        done
    done
done
run cmp together.csv alone.csv
exits 0
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi $pure --l1-size 4K,16K,64K --l1-ways 1,4,16 --line 64,128 --json
stdout_has '"passes": 2'

it 'needs a pass for each point where latencies decide'
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --l1-size 4K,16K,64K --json
exits 0
stdout_has '"passes": 3'
stdout_has '"size": 4096, "ways": 4, "line": 128, "mshrs": 64, "counters": {'
stdout_has '"l1-size": "4K,16K,64K"'

it 'shows a unified L1 without its shared memory'
run "$sluice" model spmv.slt --gpu h200 --l1-ways 4,8
exits 0
stdout_has '216 KiB     4   128'
stdout_has '216 KiB     8   128'
run "$sluice" model spmv.slt --gpu h200 --l1-ways 8 --csv -
stdout_has ',,,221184,8,128,'
run "$sluice" model spmv.slt --gpu h200 --l1-ways 8 --json
stdout_has '"size": 221184, "ways": 8'
run "$sluice" model spmv.slt --gpu h200 --l1-size 64K
exits 0
stdout_has '64.0 KiB     8   128'

it 'says of the machine as it is what the model says without a sweep'
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --l1-ways 4 --csv sweep.csv -q
exits 0
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --json
exits 0
hits=$(sed -n 's/.*"ld_sector_hits": \([0-9]*\), "ld_sector_misses": \([0-9]*\).*/,\1,\2,/p' "$scratch/stdout" | head -n 1)
file_has sweep.csv "$hits"

it 'gives the same bytes for any number of threads'
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --figure12 --json one.json -j 1 -q
exits 0
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --figure12 --json three.json -j 3 -q
exits 0
run cmp one.json three.json
exits 0

it 'draws figure 12 of the paper in one command'
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --figure12
exits 0
for row in 'ways 0.25x' 'ways 4x' 'size 0.25x' 'size 4x' 'line 0.25x' 'line 4x' 'MSHRs 0.25x' 'MSHRs 4x'; do
    stdout_has "$row"
done
[ "$(grep -c KiB "$scratch/stdout")" = 20 ] || fail "$(saw 'not 20 rows')"
[ "$(grep ' 1x ' "$scratch/stdout" | sed 's/^[A-Za-z]* 1x *//' | sort -u | wc -l)" = 1 ] ||
    fail "$(saw 'the machine itself differs')"

it 'skips impossible points of figure 12, with a note'
run "$sluice" model spmv.slt --gpu fermi-gtx470 --set L1.mshrs_per_warp=0 --set L1.mshrs=0 --figure12
exits 0
stdout_has 'impossible points are skipped; the first: MSHRs 0.25x (there are 0)'
stdout_lacks 'MSHRs 4x'

it 'sums launches by kernel and shows all of them as JSON'
run "$sluice" model --size small srad_v2 --gpu fermi-gtx470 --l1-size 8K,16K
exits 0
stdout_has 'srad1, '
stdout_has 'srad2, '
stdout_has 'all 2 kernels'

it 'gives means over seeds and how far they spread'
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --seeds 4
exits 0
stdout_has '±'
stdout_has 'means over 4 seeds, with standard deviations in percentage points'
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --seeds 4 --json
exits 0
stdout_has '"l1_hit_rate": {"mean": '
# shellcheck disable=SC2086
run "$sluice" model spmv.slt $fermi --seeds 3 --seed 5 --csv -
exits 0
stdout_has ',spmv,7,l1_hit_rate,'
stdout_lacks ',spmv,8,l1_hit_rate,'

it 'changes any key of the machine'
run "$sluice" model spmv.slt --gpu fermi-gtx470 --set cores=1 --set L1.ways=4 --set memory.latency_cycles=300
exits 0
run "$sluice" model spmv.slt --gpu fermi-gtx470 --set L1.wais=4
exits 1
stderr_has "did you mean 'ways'"
run "$sluice" model spmv.slt --gpu fermi-gtx470 --set nonsense
exits 1
stderr_has 'nonsense'

it 'refuses machines that cannot exist and lists that make no sense'
run "$sluice" model spmv.slt --gpu fermi-gtx470 --l1-size 16K,10K --json out.json
exits 1
stderr_has 'fermi-gtx470, L1'
absent out.json
run "$sluice" model spmv.slt --gpu fermi-gtx470 --line 100
exits 1
stderr_has 'a line of 100 bytes: it must be a power of two'
run "$sluice" model spmv.slt --l1-size 8K,much
exits 2
stderr_has "--l1-size: 'much' is not a number of bytes"
run "$sluice" model spmv.slt --l1-ways 4,,8
exits 2
stderr_has "--l1-ways: '' is not a number"
run "$sluice" model spmv.slt --l1-ways 0
exits 2
stderr_has '--l1-ways: 0 is not between 1 and'
run "$sluice" model spmv.slt --l1-ways 4 --figure12
exits 2
stderr_has 'exclude each other'

done_testing
