#!/bin/sh
# SPDX-License-Identifier: MIT
# --sample: some launches stand for all, and sums have intervals.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

# The value of a member of the first object of "sample" with this counter.
interval_of() # FILE COUNTER MEMBER
{
    tr -d '\n ' <"$1" | sed -n 's/.*"sample":\({.*\)/\1/p' | tr '}' '\n' | grep "\"counter\":\"$2\"" | head -1 |
        sed "s/.*\"$3\":\([-0-9.e+]*\).*/\1/"
}

total_of() # CSV COLUMN
{
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { sum += $at } END { printf "%.0f\n", sum }' "$1"
}

"$sluice" trace -q srad_v1 rows=50 columns=45 iterations=16 -o many.slt

it 'simulates some launches, says so first, and brackets the sums of all'
"$sluice" sim many.slt --sample off --csv full.csv -q
run "$sluice" sim many.slt --sample 1% --csv sampled.csv --json sampled.json -o sampled.txt
exits 0
head -1 sampled.txt | grep -q ' of 82 launches simulated, sums with 95% intervals' || fail "$(head -1 sampled.txt)"
for counter in cycles ld_sectors l2_read_sectors l2_read_hits dram_read_sectors; do
    full=$(total_of full.csv $counter)
    awk -v x="$full" -v low="$(interval_of sampled.json $counter low)" -v high="$(interval_of sampled.json $counter high)" \
        'BEGIN { exit !(low <= x && x <= high && low < high) }' || fail "$counter: $full is outside of the interval"
done

it 'gives launches that were not simulated the counts of one that was'
[ "$(wc -l <sampled.csv)" = 83 ] || fail "not all launches are listed"
head -1 sampled.csv | grep -q estimated_from || fail 'no column estimated_from'

it 'is the same for any number of threads, and depends on the seed'
"$sluice" sim many.slt --sample 1% --csv again.csv -q -j 3
cmp -s sampled.csv again.csv || fail 'it differs'
"$sluice" sim many.slt --sample 1% --seed 2 --csv other.csv -q
cmp -s sampled.csv other.csv && fail 'it does not depend on the seed'

it 'models some launches'
"$sluice" model many.slt --sample off --csv full.csv -q
"$sluice" model many.slt --sample 2% --csv sampled.csv --json sampled.json -q
full=$(total_of full.csv est_cycles)
awk -v x="$full" -v low="$(interval_of sampled.json est_cycles low)" -v high="$(interval_of sampled.json est_cycles high)" \
    'BEGIN { exit !(low <= x && x <= high && low < high) }' || fail "est_cycles: $full is outside of the interval"

it 'samples in report, compare and validate, and says so'
run "$sluice" report many.slt --sample 5% -o page.html --json page.json
exits 0
stdout_has ' of 82 launches analyzed, sums with 95% intervals'
grep -q ' of 82 launches analyzed' page.html || fail 'the page does not say so'
[ "$(interval_of page.json est_cycles low)" ] || fail 'no interval in the JSON'
run "$sluice" compare many.slt --sim --sample 5% --gpu h200 --gpu v100
exits 0
stdout_has ' of 82 launches, cycles +/- '
run "$sluice" validate gaussian -c "$SLUICE_SOURCE/papers/h200-counters.csv" --sample 5% --ablation --csv sampled.csv
exits 0
stdout_has ' launches have the prediction of one that counts alike'
run "$sluice" validate gaussian -c "$SLUICE_SOURCE/papers/h200-counters.csv" --csv full.csv -q
[ "$(grep -c ',model,' sampled.csv)" = "$(grep -c ',model,' full.csv)" ] || fail 'launches are missing'

it 'analyzes launches and blocks that are chosen by hand'
run "$sluice" model many.slt --launch 3,17,20-40/10 --csv -
exits 0
[ "$(cut -d, -f1 "$scratch/stdout" | tr '\n' ' ')" = 'index 3 17 20 30 40 ' ] || fail "$(cut -d, -f1 "$scratch/stdout")"
run "$sluice" run srad_v1 rows=50 columns=45 iterations=16 --launch /40 --csv -
[ "$(cut -d, -f1 "$scratch/stdout" | tr '\n' ' ')" = 'index 0 40 80 ' ] || fail "$(cut -d, -f1 "$scratch/stdout")"
"$sluice" trace -q stencil2d --size small --blocks 2 -o two.slt
"$sluice" trace -q stencil2d --size small -o all.slt
"$sluice" sim two.slt --csv two.csv -q
"$sluice" sim all.slt --blocks 2 --csv limited.csv -q
cmp -s two.csv limited.csv || fail 'a trace with --blocks is not that of a run with --blocks'

it 'analyzes short programs as a whole'
"$sluice" sim many.slt --csv auto.csv -q
"$sluice" sim many.slt --sample off --csv off.csv -q
cmp -s auto.csv off.csv || fail 'it was sampled'

it 'rejects what is neither a word nor a percentage'
for text in often 0% 200% 5 -1%; do
    run "$sluice" sim many.slt --sample=$text
    exits 2
    stderr_has 'is not auto, off, or a percentage such as 1%'
done

it 'ends at Ctrl-C with the launches that were analyzed until then'
start "$sluice" sim srad_v1 iterations=40 --sample off --json stopped.json -o stopped.txt
for _ in $(seq 200); do
    sleep 0.1
    [ "$(ps -o time= -p "$started" 2>/dev/null | tr -d ':')" -ge 2 ] 2>/dev/null && break
done
kill -INT "$started"
wait "$started"
[ $? = 130 ] || fail 'the exit code is not 130'
head -1 stopped.txt | grep -q 'stopped: .* of 202 launches simulated' || fail "$(head -1 stopped.txt)"

it 'says whose CPU time it was, outside of the report'
run "$sluice" sim --size small vecadd --times
stderr_has 's of emulation, '
stderr_has 's of analysis'
stdout_lacks 'CPU time'

done_testing
