#!/bin/sh
# SPDX-License-Identifier: MIT
# Sweeps: points, databases, what is wrong in a spec.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

cat >sizes.yaml <<'END'
workloads: [spmv, "gather n=2048"]
size: small
machines: fermi-gtx480
l1: [lru, decoupled]
set: {L1.size: [16K, 32K]}
END

it 'runs all combinations, a row each, the first key varying slowest'
run "$sluice" sweep sizes.yaml --cache cache --csv all.csv
exits 0
stderr_is ''
stdout_has 'decoupled'
exists sizes.sqlite
[ "$(wc -l <all.csv)" = 9 ] || fail "$(saw 'not 8 points')"
[ "$(sed -n 3p all.csv | cut -d, -f2,7,8)" = 'spmv,L1.size=32K,lru' ] || fail "$(sed -n 3p all.csv)"
[ "$(sed -n 9p all.csv | cut -d, -f2,7,8)" = 'gather,L1.size=32K,decoupled' ] || fail "$(sed -n 9p all.csv)"
head -n 1 all.csv >head.csv
file_has head.csv ',cycles,'

it 'lists points with what they cost, and runs one of them anywhere'
"$sluice" trace -q gaussian --size small -o app.slt
cat >app.yaml <<'END'
traces: [app.slt]
machines: [h200, v100]
parts: 3
END
run "$sluice" sweep app.yaml --points
exits 0
stdout_has 'sim of app.slt part 1/3 on v100'
run "$sluice" sweep app.yaml --points --csv -
[ "$(cut -d, -f1 "$scratch/stdout" | tr '\n' ' ')" = 'point 0 1 2 3 4 5 ' ] || fail "$(saw 'not six points')"
awk -F, 'NR > 1 && !($2 > 0) { exit 1 }' "$scratch/stdout" || fail "$(saw 'a point costs nothing')"
exists app.slt
[ ! -e app.sqlite ] || fail 'something was run'
run "$sluice" sweep app.yaml --point 4 -d part.sqlite --csv -
exits 0
[ "$(wc -l <"$scratch/stdout")" = 2 ] || fail "$(saw 'not one point')"
run "$sluice" sweep app.yaml --point 6
exits 1
stderr_has 'the points of app.yaml are 0 to 5'

it 'splits the launches of a trace into parts whose sums are the whole'
run "$sluice" sweep app.yaml --merge part.sqlite --csv parts.csv
exits 0
run "$sluice" sim app.slt --csv whole.csv -q
exits 0
total() # CSV COLUMN [ROWS]
{
    awk -F, -v name="$2" -v rows="${3:-9999}" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        NR <= rows + 1 { sum += $at } END { printf "%.0f\n", sum }' "$1"
}
for counter in warp_insts ld_sectors; do
    [ "$(total parts.csv $counter 3)" = "$(total whole.csv $counter)" ] || fail "$counter of the parts is not that of the whole"
done
awk -v a="$(total parts.csv cycles 3)" -v b="$(total whole.csv cycles)" 'BEGIN { exit !(a > 0.99 * b && a < 1.01 * b) }' ||
    fail "cycles: $(total parts.csv cycles 3) and $(total whole.csv cycles)"

it 'is spread by GNU parallel as the documents say'
if command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q GNU; then
    mkdir spread && cp app.slt app.yaml spread
    awk '/^\*\*GNU parallel/ { on = 1 } on && /^```$/ { exit } on && /^(sluice|    parallel)/' "$source_root/docs/reproduce.md" >spread/recipe.sh
    (cd spread && PATH=$(dirname "$sluice"):$PATH sh -e recipe.sh >/dev/null) || fail 'the recipe fails'
    cmp -s spread/app.csv parts.csv || fail 'it gives something else'
else
    skip 'GNU parallel is not installed'
fi

it 'lets no line break of a file name into a batch script'
broken=$(printf 'a\n#SBATCH --wrap=evil\n.sqlite')
run "$sluice" sweep sizes.yaml --cache cache --slurm 2 -d "$broken"
exits 1
stderr_has 'a file name with a line break cannot be part of a batch script'
[ -z "$(find . -name '*.sbatch')" ] || fail 'a script was written'

it 'says of each point what sluice sim says'
cycles()
{
    awk -F, -v row="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") c = i } NR == row { print $c }' all.csv
}
run "$sluice" sim --gpu fermi-gtx480 --size small spmv --l1 decoupled --set L1.size=32K --json
exits 0
[ -n "$(cycles 5)" ] || fail 'no cycles'
stdout_has "\"cycles\": $(cycles 5),"

it 'counts lines for profiled bypassing launch by launch, as sluice sim does'
printf 'workloads: bfs\nsize: small\nmachines: fermi-gtx480\nl1: ["profiled(threshold=4)"]\n' >profiled.yaml
run "$sluice" sweep profiled.yaml --cache cache --csv all.csv -q
exits 0
run "$sluice" sim --gpu fermi-gtx480 --size small bfs --l1 'profiled(threshold=4)' --csv launches.csv -q
exits 0
sum=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") c = i } NR > 1 { all += $c } END { print all }' launches.csv)
[ "$(cycles 2)" = "$sum" ] || fail "the sweep has $(cycles 2) cycles, the launches have $sum"
run "$sluice" sweep sizes.yaml --cache cache --csv all.csv -q

it 'does not run again what it has'
run "$sluice" sweep sizes.yaml --cache /proc/nowhere --csv again.csv -q
exits 1
mkdir empty
run "$sluice" sweep sizes.yaml --cache empty --csv again.csv -q
exits 0
[ -z "$(ls empty/traces)" ] || fail 'it recorded a trace'
run cmp all.csv again.csv
exits 0

it 'continues where it stopped'
sed 's/, decoupled//' sizes.yaml >half.yaml
run "$sluice" sweep half.yaml -d half.sqlite --cache cache -q
exits 0
run "$sluice" sweep sizes.yaml -d half.sqlite --cache cache --csv rest.csv -q
exits 0
run cmp all.csv rest.csv
exits 0

it 'gives the same bytes for any number of threads'
for jobs in 1 3; do
    run "$sluice" sweep sizes.yaml -d jobs$jobs.sqlite --cache cache$jobs --csv jobs$jobs.csv -j $jobs -q
    exits 0
    run cmp all.csv jobs$jobs.csv
    exits 0
done

it 'lets two sweeps fill one database at once'
"$sluice" sweep sizes.yaml -d both.sqlite --cache one --csv one.csv -q &
first=$!
run "$sluice" sweep sizes.yaml -d both.sqlite --cache two --csv two.csv -q
exits 0
wait $first || fail 'the other one failed'
run cmp one.csv two.csv
exits 0
run cmp all.csv one.csv
exits 0
if command -v sqlite3 >/dev/null; then
    [ "$(sqlite3 both.sqlite 'PRAGMA integrity_check; SELECT count(*) FROM points')" = "$(printf 'ok\n8')" ] ||
        fail 'the database is not whole'
fi

it 'lets two sweeps make one database at once'
printf 'workloads: "gather n=64"\nsize: small\n' >tiny.yaml
for pair in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    "$sluice" sweep tiny.yaml -d new$pair.sqlite --cache cache -q >/dev/null &
    first=$!
    "$sluice" sweep tiny.yaml -d new$pair.sqlite --cache cache -q >/dev/null || fail 'the second one failed'
    wait $first || fail 'the first one failed'
done

# A sweep of short points and then long ones, ended by a signal as soon as the database has a point.
cat >short.yaml <<'END'
workloads: ["gather n=2048"]
machines: fermi-gtx480
l1: [lru, decoupled]
END
sed 's/\]$/, matmul]/;1!s/, matmul//' short.yaml >long.yaml
for signal in INT TERM KILL; do
    it "keeps what a sweep had finished that was ended by SIG$signal"
    if ! command -v sqlite3 >/dev/null; then
        skip 'sqlite3 is not installed'
        continue
    fi
    rm -rf ended ended.sqlite* nothing
    mkdir nothing
    start "$sluice" sweep long.yaml -d ended.sqlite --cache ended -q -j 1
    points=0
    while [ "$points" = 0 ] && kill -0 "$started" 2>/dev/null; do
        sleep 0.1
        points=$(sqlite3 ended.sqlite 'SELECT count(*) FROM points' 2>/dev/null || echo 0)
    done
    kill -"$signal" "$started" || fail 'the sweep came to its end'
    wait "$started" 2>/dev/null
    [ "$(sqlite3 ended.sqlite 'PRAGMA integrity_check')" = ok ] || fail 'the database is not whole'
    kept=$(sqlite3 ended.sqlite 'SELECT count(*) FROM points')
    if [ "$kept" -lt "$points" ] || [ "$kept" -lt 1 ]; then fail "only $kept of $points points are left"; fi
    [ "$signal" = KILL ] || [ -z "$(find ended -name '*.tmp*')" ] || fail 'a temporary file is left'
    # The first point is taken from the database: its trace is not recorded again.
    sed 's/, decoupled//' short.yaml >first.yaml
    run "$sluice" sweep first.yaml -d ended.sqlite --cache nothing -q
    exits 0
    [ -z "$(ls nothing/traces)" ] || fail 'it ran a point again'
done

it 'keeps the error of a point that fails, and runs the others'
"$sluice" trace --quiet --size small -o whole.slt gather
head -c 3000 whole.slt >cut.slt
cat >broken.yaml <<'END'
traces: [cut.slt, whole.slt, none.slt]
END
run "$sluice" sweep broken.yaml --cache cache --csv broken.csv
exits 1
stderr_has '2 of 3 points failed'
[ "$(sed -n 3p broken.csv | cut -d, -f2,13)" = 'whole.slt,' ] || fail "$(sed -n 3p broken.csv)"
file_has broken.csv 'cut.slt'
stdout_has 'cannot open none.slt'

it 'runs in parts, and puts them together'
for part in 0 1 2; do
    run "$sluice" sweep sizes.yaml --cache cache --shard $part/3 -d part$part.sqlite -q --csv part$part.csv
    exits 0
done
[ "$(cat part0.csv part1.csv part2.csv | grep -vc '^kind')" = 8 ] || fail 'not 8 points in all parts'
run "$sluice" sweep sizes.yaml --cache empty -d whole.sqlite --csv whole.csv -q --merge part0.sqlite \
    --merge part1.sqlite --merge part2.sqlite
exits 0
run cmp all.csv whole.csv
exits 0
[ -z "$(ls empty/traces)" ] || fail 'it ran points that the parts have'
run "$sluice" sweep sizes.yaml --cache cache --shard 3/3
exits 1
stderr_has "--shard: '3/3' is not I/N"

it 'submits a job array to Slurm, and a job after it'
# A cluster of this machine: runs the tasks of an array one after the other, and what depends on it then.
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
echo "$*" >>sbatch.log
for script; do :; done
tasks=$(sed -n 's/^#SBATCH --array=0-//p' "$script")
task=0
while [ "$task" -le "${tasks:-0}" ]; do
    SLURM_ARRAY_TASK_ID=$task sh "$script" || exit 1
    task=$((task + 1))
done
echo "4711;cluster"
END
chmod +x bin/sbatch
before=$PATH
PATH=$PWD/bin:$PATH
run "$sluice" sweep sizes.yaml --cache cache --slurm 3 -d cluster.sqlite
PATH=$before
exits 0
stdout_has '8 points as job 4711 with 3 tasks'
file_has sbatch.log '--parsable cluster.sqlite.sbatch'
file_has sbatch.log '--parsable --dependency=afterany:4711 cluster.sqlite-merge.sbatch'
run cmp all.csv cluster.sqlite.csv
exits 0
run env PATH=/nowhere "$sluice" sweep sizes.yaml --cache cache --slurm 3 -d other.sqlite
exits 1
stderr_has 'cannot run sbatch'
exists other.sqlite.sbatch

it 'models and profiles'
cat >model.yaml <<'END'
kind: model
workloads: spmv
size: small
machines: [fermi-gtx470, h200]
without: ["", latency, latency mshr]
END
run "$sluice" sweep model.yaml --cache cache --csv -
exits 0
[ "$(wc -l <"$scratch/stdout")" = 7 ] || fail "$(saw 'not 6 points')"
stdout_has 'compulsory_sectors'
printf 'kind: profile\nworkloads: spmv\nsize: small\n' >profile.yaml
run "$sluice" sweep profile.yaml --cache cache --json
exits 0
stdout_has '"lines_once": '

it 'searches for the best parameter of a policy as sim does'
printf 'workloads: spmv\nsize: small\nmachines: fermi-gtx480\nl1: pdp(pd=best)\n' >best.yaml
run "$sluice" sweep best.yaml --cache cache --json
exits 0
cycles=$("$sluice" sim spmv --size small --gpu fermi-gtx480 --l1 'pdp(pd=best)' --json | sed -n 's/.*"cycles": \([0-9]*\).*/\1/p' | tail -1)
stdout_has "\"cycles\": $cycles"

it 'reports the reuse of lines in the requests of L1, without bypassed ones'
printf 'workloads: spmv\nsize: small\nl1: [lru, all, decoupled]\nstream: yes\n' >stream.yaml
run "$sluice" sweep stream.yaml --cache cache --csv stream.csv
exits 0
# Of each policy: whether requests are what L1 took in, and whether their gaps and distances add up to the reuses.
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
    {
        gaps = distances = missed = 0
        for (i = 1; i <= NF; i++) {
            value[name[i]] = $i
            if (name[i] ~ /^stream_gap_/) gaps += $i
            if (name[i] ~ /^stream_missed_gap_/) missed += $i
            if (name[i] ~ /^stream_distance_/) distances += $i
        }
        taken = value["L1_hits"] + value["L1_pending"] + value["L1_misses"]
        print value["l1"], (value["stream_requests"] == taken), (taken > 0), (value["L1_bypasses"] > 0),
            (gaps == value["stream_reuses"]), (distances == gaps), (gaps > 0),
            (missed == value["stream_missed_reuses"] && missed <= value["L1_misses"] && missed <= gaps)
    }' stream.csv >stream.txt
[ "$(cat stream.txt)" = "$(printf 'lru 1 1 0 1 1 1 1\nall 1 0 1 1 1 0 1\ndecoupled 1 1 1 1 1 1 1')" ] || fail "$(cat stream.txt)"
[ "$(head -n 1 all.csv | grep -c stream)" = 0 ] || fail 'it is there unasked'
printf 'kind: model\nworkloads: spmv\nsize: small\nstream: yes\n' >stream.yaml
run "$sluice" sweep stream.yaml --cache cache -d none.sqlite
exits 1
stdout_has "'stream: yes' requires 'kind: sim'"

it 'takes machines and traces from the folder of the spec'
mkdir folder
printf 'name: mine\nsummary: mine\nbased_on: fermi-gtx480\ncores: 2\n' >folder/mine.yaml
cp whole.slt folder/app.slt
printf 'traces: app.slt\nmachines: mine.yaml\n' >folder/other.yaml
run "$sluice" sweep folder/other.yaml --cache cache
exits 0
stdout_has 'folder/app.slt'
exists other.sqlite

it 'says what is wrong in a spec, where, and what was meant'
wrong()
{
    printf '%b' "$1" >wrong.yaml
    run "$sluice" sweep wrong.yaml --cache cache
    exits 1
    stderr_has "$2"
}
wrong 'workload: spmv\n' "wrong.yaml:1:1: a sweep has no key 'workload'; the nearest is 'workloads'"
wrong 'workloads: spmw\n' "wrong.yaml:1:12: no workload is called 'spmw'; the nearest is 'spmv'"
wrong 'workloads: spmv\nl1: decupled\n' "wrong.yaml:2:5: "
stderr_has "decoupled"
wrong 'workloads: spmv\nset: {L1.sice: 4}\n' "wrong.yaml:2:16: a level has no key 'sice'; did you mean 'size'?"
wrong 'workloads: spmv\nkind: simm\n' "wrong.yaml:2:7: 'kind' cannot be 'simm'; the nearest is 'sim'"
wrong 'workloads: spmv\nl1: [lru\n' 'this is not YAML'
wrong 'l1: lru\n' "a sweep needs 'workloads', 'traces' or 'inputs'"
wrong 'workloads: []\n' "'workloads' has no values"
wrong 'workloads: spmv\nsize: tiny\n' "'size' cannot be 'tiny'"
wrong 'workloads: spmv\nseed: -1\n' "'seed' takes a whole number, not '-1'"
wrong '' 'the file contains no sweep'
run "$sluice" sweep absent.yaml
exits 1
stderr_has 'cannot read absent.yaml'
run "$sluice" sweep
exits 2

it 'draws its results'
printf 'workloads: ["gather n=4096", "vecadd n=4096"]\nmachines: fermi-gtx480\nset: {L1.size: [16K, 48K]}\nl1: [lru, fifo]\n' >drawn.yaml
run "$sluice" sweep drawn.yaml --cache cache --plot drawn.svg -q
exits 0
for text in 'gather n=4096' 'vecadd n=4096' 'simulated cycles' 'L1 hit rate, load sectors' '16 KiB' '>fifo<'; do
    file_has drawn.svg "$text"
done
[ "$(grep -c '<circle' drawn.svg)" = 16 ] || fail "$(grep -c '<circle' drawn.svg) dots, not 16"
printf 'kind: model\nworkloads: ["gather n=4096"]\nmachines: [fermi-gtx480, h200]\n' >machines.yaml
run "$sluice" sweep machines.yaml --cache cache --plot machines.svg
exits 0
stdout_has 'est cycles'
file_has machines.svg 'estimated cycles'
file_has machines.svg '>h200<'
printf 'kind: profile\nworkloads: ["vecadd n=4096"]\n' >profiled.yaml
run "$sluice" sweep profiled.yaml --cache cache --plot profiled.svg -q
exits 1
stderr_has 'neither cycles nor hit rates to draw'

it 'takes PTX with a launch, and plans'
cp "$source_root/workloads/vecadd/vecadd.ptx" .
cat >inputs.yaml <<'END'
inputs:
  - {file: vecadd.ptx, grid: 4, block: 256, args: ["f32[1K]:random", "f32[1K]:iota", "f32[1K]:zero", u32:1024]}
machines: fermi-gtx480
END
run "$sluice" sweep inputs.yaml --cache cache --csv inputs.csv
exits 0
file_has inputs.csv ',vecadd.ptx,'
run "$sluice" sim --gpu fermi-gtx480 vecadd.ptx --grid 4 --block 256 --arg 'f32[1K]:random' --arg 'f32[1K]:iota' \
    --arg 'f32[1K]:zero' --arg u32:1024 --json
cp inputs.csv all.csv
stdout_has "\"cycles\": $(cycles 2),"
sed 's/, block: 256//' inputs.yaml >blockless.yaml
run "$sluice" sweep blockless.yaml --cache cache
exits 1
stderr_has 'blockless.yaml:2:5'
stderr_has 'the number of threads per block'
run "$sluice" tune --no-cache --gpu fermi-gtx480 spmv rows=200 --select PassL0/1 -o pass.json -q
printf 'workloads: "spmv rows=200"\nmachines: fermi-gtx480\nplan: ["", pass.json]\n' >plans.yaml
run "$sluice" sweep plans.yaml --cache cache --csv all.csv -q
exits 0
run "$sluice" sim --gpu fermi-gtx480 spmv rows=200 --plan pass.json --json
stdout_has "\"cycles\": $(cycles 3),"
[ "$(cycles 2)" != "$(cycles 3)" ] || fail 'the plan changes nothing'

done_testing
