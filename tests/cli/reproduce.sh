#!/bin/sh
# SPDX-License-Identifier: MIT
# Papers run again: their numbers next to ours.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'lists papers and their figures'
run "$sluice" reproduce --list
exits 0
stdout_has 'decoupled-l1d: Locality-Driven Dynamic GPU Cache Bypassing'
stdout_has 'table1'

it 'lists them for programs'
run "$sluice" reproduce --list --json
exits 0
stdout_has '{"id": "table1", "title": "'
run "$sluice" reproduce --list --csv
exits 0
stdout_has 'paper,figure,title,where,quick'
stdout_has 'decoupled-l1d,table1,"IPC with all loads bypassing L1'

cat >mine.yaml <<'END'
name: mine
title: A paper of mine
source: nobody, nowhere
programs: {A: spmv rows=600 mean=8, B: gather n=2048 table=16384}
groups: {ALL: [A, B]}
quick: {programs: [B], size: small}
configs:
  BL: {l1: lru}
  BALL: {l1: all}
  PDP: {l1: "pdp(pd=$pd)", vary: {pd: [4, 64]}, best: cycles}
figures:
  - id: one
    title: Cycles
    where: figure 1
    rows: [ALL]
    columns:
      - {name: BALL / BL, value: BL.cycles / BALL.cycles, neutral: 1, mean: geometric, paper: {A: 3, ALL: 0.9}, why: {A: nobody measured it}}
      - {name: best PDP, value: BL.cycles / PDP.cycles}
    claims:
      - {says: it takes cycles, value: "group_min(ALL, BL.cycles)", holds: "count(ALL, BL.cycles > 0) >= 1"}
      - {says: it takes none, value: "group_min(ALL, BL.cycles)", paper: 0, why: all take some}
  - id: two
    title: Nothing much
    claims:
      - {says: half is less than one, holds: "1 / 2 < 1 and 2 <= 2", direction: "1 > 2"}
      - {says: half is far less than one, holds: "1 / 2 < 0.1", direction: "1 / 2 < 1", why: it is half}
      - {says: two are far less than one, holds: "2 < 0.1", direction: "2 < 1"}
END

it 'shows what the paper states, what comes out, and what that means'
run "$sluice" reproduce mine.yaml --cache cache --csv out.csv
exits 0
stderr_is ''
stdout_has 'one: Cycles (figure 1)'
stdout_has 'A: nobody measured it'
stdout_has 'differs'
stdout_has 'agrees          it takes cycles: ours'
stdout_has 'because all take some'
stdout_has 'agrees          half is less than one'
stdout_has 'same direction  half is far less than one'
stdout_has 'differs         two are far less than one'
stdout_has 'mine: '
file_has out.csv 'mine,one,ALL,A,BALL / BL,,3,0.'
file_has out.csv ',differs,nobody measured it'

it 'repeats items for each value, and ranks columns by their means'
cat >ranked.yaml <<'END'
name: ranked
title: Three policies
source: nobody, nowhere
programs: {B: gather n=2048 table=16384}
groups: {ALL: programs}
configs:
  C_$p: {each: {p: [all, lru, decoupled]}, l1: $p}
figures:
  - id: only-$x
    each: {x: [here]}
    title: Ranked $x
    ranked: yes
    rows: [ALL]
    columns:
      - {each: {p: [all, lru, decoupled]}, name: $p, value: C_lru.cycles / C_$p.cycles, mean: geometric}
END
run "$sluice" reproduce ranked.yaml --cache cache --csv ranked.csv --pages ranked-pages
exits 0
[ "$(grep -oE '<td>(mean|B)</td>' ranked-pages/ranked.html | head -n 1)" = '<td>mean</td>' ] || fail 'the page does not begin with the means'
[ "$(grep -c '<rect' ranked-pages/ranked.html)" = 3 ] || fail 'the chart does not have one bar for each column'
stdout_has 'only-here: Ranked here'
awk -F, '$4 == "mean" { print $8 }' ranked.csv >means
[ "$(wc -l <means)" = 3 ] || fail "$(cat ranked.csv)"
sort -rn means | cmp -s - means || fail "not ranked: $(cat ranked.csv)"
sed -i 's/each: {x: .here.}/each: 3/' ranked.yaml
run "$sluice" reproduce ranked.yaml --cache cache
exits 1
stderr_has "ranked.yaml:10:11: 'each' takes up to 4 names and their values"

it 'ranks all policies only where that is asked for'
run "$sluice" reproduce --list
stdout_has 'league: The league of cache policies'

it 'takes the ratios from the simulator'
cycles()
{
    # shellcheck disable=SC2086
    "$sluice" sim gather n=2048 table=16384 $1 --json | sed -n 's/.*"cycles": \([0-9]*\).*/\1/p' | head -n 1
}
ratio=$(echo "$(cycles '--l1 lru') $(cycles '--l1 all')" | awk '{ printf "%.6f", $1 / $2 }')
shown=$(awk -F, '$4 == "B" && $5 == "BALL / BL" { printf "%.6f", $8 }' out.csv)
[ "$ratio" = "$shown" ] || fail "$shown is not $ratio"

it 'takes the best of what is varied'
best=$(for pd in 4 64; do cycles "--l1 pdp(pd=$pd)"; done | sort -n | head -n 1)
ratio=$(echo "$(cycles '--l1 lru') $best" | awk '{ printf "%.6f", $1 / $2 }')
shown=$(awk -F, '$4 == "B" && $5 == "best PDP" { printf "%.6f", $8 }' out.csv)
[ "$ratio" = "$shown" ] || fail "$shown is not $ratio"

it 'keeps results, and gives the same bytes again and for any number of threads'
run "$sluice" reproduce mine.yaml --cache cache --csv again.csv -q
exits 0
run cmp out.csv again.csv
exits 0
run "$sluice" reproduce mine.yaml --cache other --csv again.csv -q -j 3
exits 0
run cmp out.csv again.csv
exits 0

it 'gives programs the parameters that stand next to them'
sed 's/^programs: .*/programs: {A: spmv, B: gather}\nparams: {A: rows=600 mean=8, B: n=2048 table=16384}/' mine.yaml >beside.yaml
run "$sluice" reproduce beside.yaml --cache cache --csv again.csv -q
exits 0
run cmp out.csv again.csv
exits 0
sed -i 's/params: {A:/params: {C:/' beside.yaml
run "$sluice" reproduce beside.yaml --cache cache
exits 1
stderr_has "beside.yaml:5:10: unknown program 'C'"

it 'runs one figure alone'
run "$sluice" reproduce mine.yaml two --cache none
exits 0
stdout_has 'half is less than one'
stdout_lacks 'Cycles'
run "$sluice" reproduce mine.yaml three --cache none
exits 1
stderr_has "mine has no figure 'three'; it has one, two"

it 'counts the statements of each verdict in the text and as JSON'
run "$sluice" reproduce mine.yaml --cache cache --json out.json
exits 0
counts=$(sed -n 's/.*"agrees": \([0-9]*\), "same direction": \([0-9]*\), "differs": \([0-9]*\), "not resolved": 0, "input": 0, "unknown": 0.*/\1 agree, \2 have the same direction, \3 differ/p' out.json)
run "$sluice" reproduce mine.yaml --cache cache
stdout_has "mine: $counts"

it 'runs fewer programs when it has to be quick'
run "$sluice" reproduce mine.yaml one --quick --cache cache
exits 0
stdout_has 'quick run'
stdout_lacks '   A  '

it 'judges nothing by a part of a group or by smaller inputs when it is quick'
stdout_lacks 'agrees'
stdout_has 'mine: 0 agree, 0 have the same direction, 0 differ'
sed 's/, size: small}/}/' mine.yaml >same.yaml
run "$sluice" reproduce same.yaml one --quick --cache cache
exits 0
stdout_has 'mine: 0 agree, 0 have the same direction, 0 differ'
sed 's/paper: {A: 3, ALL: 0.9}/paper: {B: 1000}/' same.yaml >whole.yaml
run "$sluice" reproduce whole.yaml one --quick --cache cache
exits 0
stdout_has 'mine: 0 agree, 0 have the same direction, 1 differ'

it 'writes a page for each paper'
run "$sluice" reproduce mine.yaml --cache cache --pages pages -q
exits 0
file_has pages/mine.html '<title>A paper of mine</title>'
file_has pages/mine.html 'class="v-differs"'
file_has pages/mine.html '<svg class="bars"'
file_has pages/mine.html 'nobody measured it'

cat >shapes.yaml <<'END'
name: shapes
title: Shapes of charts
source: nobody, nowhere
programs: {A: gather, B: spmv}
groups: {ALL: [A, B], NONE: [B]}
quick: {programs: [A]}
configs:
  K: {values: {A: {x: 1, y: 30}, B: {x: 3, y: 70}}}
figures:
  - id: lines
    title: Lines by size
    chart: lines
    axis: speedup
    rows: [ALL]
    columns:
      - {name: x 1, at: one, series: x, value: K.x, mean: arithmetic, paper: {A: 2}}
      - {name: x 2, at: two, series: x, value: 2 * K.x, mean: arithmetic}
      - {name: y 1, at: one, series: y, value: K.y / 10, mean: arithmetic}
  - id: stacks
    title: Shares
    chart: stacks
    rows: [ALL]
    columns:
      - {name: first, series: left, value: K.x, unit: "%"}
      - {name: second, series: left, value: K.y, unit: "%"}
      - {name: measured, series: right, value: 50, unit: "%"}
      - {name: hidden, drawn: no, value: 500, unit: "%"}
  - id: rest
    title: Nothing of it is quick
    rows: [NONE]
    columns:
      - {name: first, value: K.x}
END

it 'draws figures as they are in the paper, on the page and as files'
run "$sluice" reproduce shapes.yaml --cache cache --pages shapes --figures figures -q
exits 0
file_has figures/shapes-lines.svg 'xmlns="http://www.w3.org/2000/svg"'
[ "$(grep -c '<polyline' figures/shapes-lines.svg)" = 6 ] || fail 'there are not two lines for each of two programs and their mean'
[ "$(grep -c 'class="s0 paper"' figures/shapes-lines.svg)" = 2 ] || fail 'the one number of the paper is not a point, with a legend'
file_has figures/shapes-lines.svg '>speedup</text>'
# The second share lies on the first one: where that begins, it ends.
end=$(sed -n 's/.*class="s1" x="[0-9.]*" y="\([0-9.]*\)" width="[0-9.]*" height="\([0-9.]*\)"><title>A.*/\1 \2/p' figures/shapes-stacks.svg | awk '{ printf "%.1f", $1 + $2 }')
begin=$(sed -n 's/.*class="s0" x="[0-9.]*" y="\([0-9.]*\)" width.*<title>A.*/\1/p' figures/shapes-stacks.svg)
awk -v a="$begin" -v b="$end" 'BEGIN { exit !(a != "" && a - b < 0.11 && b - a < 0.11) }' || fail "the second share begins at '$end', the first ends at '$begin'"
if grep -q hidden figures/shapes-stacks.svg; then fail 'a column that is not drawn is'; fi
file_has figures/shapes-stacks.csv 'stacks,ALL,A,hidden,%,,500,,'
[ "$(grep -c '<svg' shapes/shapes.html)" = 3 ] || fail 'the page does not have three charts'

it 'draws the states that a policy describes'
cat >states.yaml <<'END'
name: states
title: States
source: nobody, nowhere
programs: {A: gather}
groups: {ALL: [A]}
configs:
  K: {values: {A: {x: 1}}}
figures:
  - {id: tag, title: States of a tag, states: decoupled}
END
run "$sluice" reproduce states.yaml --cache cache --figures figures
exits 0
stdout_has 'no tag -> candidate: probe miss'
[ "$(grep -c 'class="arc"' figures/states-tag.svg)" = 7 ] || fail 'there are not seven arcs'
[ "$(grep -c 'class="state"' figures/states-tag.svg)" = 3 ] || fail 'there are not three states'
sed -i 's/states: decoupled/states: lru/' states.yaml
run "$sluice" reproduce states.yaml --cache cache
exits 1
stderr_has "states.yaml:9:47: policy 'lru' does not describe its states"

it "runs the reuse model's worked examples, and finds what its tables say"
run "$sluice" reproduce reuse-model tables --cache tables --csv -
exits 0
for row in 'table1,never before,,3,3' 'table1,distance 0,,1,1' 'table1,distance 1,,2,2' 'table1,distance 2,,1,1' \
    'table2,never before,,2,2' 'table2,distance 0,,4,4' 'table2,distance 1,,2,2' 'table1,capacity misses,,1,1' \
    'table2,two lines: compulsory misses,,2,2'; do
    stdout_has "$row"
done

it 'leaves out of a quick page what is empty'
run "$sluice" reproduce shapes.yaml --quick --cache cache --pages shapes --figures quick -q
exits 0
[ "$(grep -c '<svg' shapes/shapes.html)" = 2 ] || fail 'the page does not have two charts'
if grep -q 'Nothing of it is quick' shapes/shapes.html; then fail 'an empty figure is on the page'; fi
absent quick/shapes-rest.svg

# Short points and then a long one, ended by a signal as soon as there is a point.
# shellcheck disable=SC2016
sed 's/B: gather.*}$/B: matmul n=256}/; s/PDP: .*/PDP: {l1: "pdp(pd=$pd)", vary: {pd: [4, 8, 16]}, best: cycles}/' mine.yaml >long.yaml
for signal in INT TERM KILL; do
    it "keeps what was finished when SIG$signal ends it"
    if ! command -v sqlite3 >/dev/null; then
        skip 'sqlite3 is not installed'
        continue
    fi
    rm -rf ended
    start "$sluice" reproduce long.yaml --cache ended --csv ended.csv -q -j 1
    points=0
    while [ "$points" = 0 ] && kill -0 "$started" 2>/dev/null; do
        sleep 0.1
        points=$(sqlite3 ended/points.sqlite 'SELECT count(*) FROM points' 2>/dev/null || echo 0)
    done
    kill -"$signal" "$started" || fail 'it came to its end'
    wait "$started" 2>/dev/null
    absent ended.csv
    [ "$signal" = KILL ] || [ -z "$(find . -name '*.tmp-*')" ] || fail "left: $(find . -name '*.tmp-*')"
    [ "$(sqlite3 ended/points.sqlite 'PRAGMA integrity_check')" = ok ] || fail 'the database is not whole'
    kept=$(sqlite3 ended/points.sqlite 'SELECT count(*) FROM points')
    if [ "$kept" -lt "$points" ]; then fail "only $kept of $points points are left"; fi
done

it 'continues where it was ended'
if command -v sqlite3 >/dev/null; then
    # Program A alone is what was finished in part; the times of what is run again are written again.
    before=$(sqlite3 ended/points.sqlite "SELECT key, cpu_seconds FROM times JOIN points USING(key) WHERE program = 'spmv'")
    sed 's/, B: .*}$/}/; s/\[A, B\]/[A]/; s/programs: \[B\]/programs: [A]/' long.yaml >rest.yaml
    run "$sluice" reproduce rest.yaml --cache ended -q
    exits 0
    after=$(sqlite3 ended/points.sqlite "SELECT key, cpu_seconds FROM times JOIN points USING(key) WHERE program = 'spmv'")
    for line in $before; do
        case $after in *"$line"*) ;; *) fail "$line was run again" ;; esac
    done
else
    skip 'sqlite3 is not installed'
fi

it 'lets two fill one cache at once'
rm -rf both
start "$sluice" reproduce mine.yaml --cache both --csv one.csv -q
run "$sluice" reproduce mine.yaml --cache both --csv two.csv -q
exits 0
wait "$started" || fail "the other one failed: $(cat "$scratch/started.stderr")"
run cmp out.csv one.csv
exits 0
run cmp out.csv two.csv
exits 0
[ -z "$(find both -name '*.tmp-*')" ] || fail 'a temporary file is left'

it 'makes a recording in the cache again that is damaged, and says so'
rm -f both/points.sqlite*
for trace in both/traces/*.slt; do
    size=$(wc -c <"$trace")
    printf 'damage' | dd of="$trace" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
done
run "$sluice" reproduce mine.yaml --cache both --csv again.csv
exits 0
stderr_has 'warning: some stored results or recordings were damaged; they were computed again'
run cmp out.csv again.csv
exits 0
rm -f both/points.sqlite*
run "$sluice" reproduce mine.yaml --cache both --csv again.csv
exits 0
stderr_lacks damaged

it 'computes a stored result again that is damaged, and says so'
if command -v sqlite3 >/dev/null; then
    sqlite3 both/points.sqlite "UPDATE counters SET value = value + 1 WHERE name = 'cycles'"
    run "$sluice" reproduce mine.yaml --cache both --csv again.csv
    exits 0
    stderr_has 'warning: some stored results or recordings were damaged; they were computed again'
    run cmp out.csv again.csv
    exits 0
else
    skip 'sqlite3 is not installed'
fi

it 'shows a hole where a point failed, and exits with 1'
sed 's/gather n=2048/gather n=0/' mine.yaml >hole.yaml
run "$sluice" reproduce hole.yaml --cache cache --pages pages
exits 1
stdout_has 'failed: '
stdout_has 'gather n=0'
file_has pages/mine.html 'failed: '

it 'says what is wrong in a paper, where, and what was meant'
wrong()
{
    sed "$1" mine.yaml >wrong.yaml
    run "$sluice" reproduce wrong.yaml --cache cache
    exits 1
    stderr_has "$2"
}
wrong 's/^title:/titel:/' "wrong.yaml:2:1: a paper has no key 'titel'; the nearest is 'title'"
wrong 's/spmv rows/spmw rows/' "no workload is called 'spmw'; the nearest is 'spmv'"
wrong 's/B: gather/A: gather/' "program 'A' is defined twice"
wrong 's/\[A, B\]/[A, C]/' "unknown program 'C'"
wrong 's/{l1: all}/{l1: al}/' "wrong.yaml:9:9: "
wrong 's/, best: cycles//' "'vary' and 'best' require each other"
wrong 's/BALL.cycles, neutral/BAL.cycles, neutral/' "unknown configuration 'BAL'"
wrong 's/group_min(ALL, BL.cycles)", holds/leest(ALL, BL.cycles)", holds/' "or a function, not 'leest'"
wrong 's/1 \/ 2 < 1/1 \/ (2 < 1/' "a ')' is missing"
wrong 's/ALL: 0.9/ALLE: 0.9/' "'ALLE' is neither a program nor a group"
wrong 's/rows: \[ALL\]/rows: [AL]/' "unknown group 'AL'"
run "$sluice" reproduce decoupled-l1 --cache cache
exits 1
stderr_has "unknown paper 'decoupled-l1'; did you mean 'decoupled-l1d'?"

cat >launches.yaml <<'END'
name: launches
title: One launch
source: nobody, nowhere
machine: fermi-gtx480
programs: {A: lud n=48 launch=2, B: lud n=48 kernel=lud_internal launch=2, C: lud n=48 kernel=lud_internal}
groups: {ALL: [A, B, C]}
configs:
  BL: {l1: lru}
  Reuse: {kind: profile, loads_only: true}
figures:
  - id: one
    title: Instructions and requests
    where: nowhere
    rows: [ALL]
    columns:
      - {name: insts, value: BL.warp_insts, digits: 0}
      - {name: requests, value: Reuse.requests, digits: 0}
END

it 'runs one launch of a program, or those of one kernel, in every kind of analysis'
run "$sluice" reproduce launches.yaml --cache cache --csv out.csv
exits 0
"$sluice" info lud n=48 --csv info.csv -q
value() { awk -F, -v p="$1" -v c="$2" '$4 == p && $5 == c { printf "%d", $8 }' out.csv; }
of() { awk -F, -v l="$1" -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["kernel"] == "lud_internal" && (l == "" || $1 == l) { sum += $at[c] } END { printf "%d", sum }' info.csv; }
[ "$(value A insts)" -gt 0 ] || fail "$(cat out.csv)"
[ "$(value A insts)" = "$(of 2 warp_insts)" ] || fail "$(value A insts) is not $(of 2 warp_insts)"
[ "$(value B insts)" = "$(value A insts)" ] || fail "$(cat out.csv)"
[ "$(value C insts)" = "$(of "" warp_insts)" ] || fail "$(value C insts) is not $(of "" warp_insts)"
[ "$(value A requests)" = "$(of 2 ld_requests)" ] || fail "$(value A requests) is not $(of 2 ld_requests)"

cat >tuned.yaml <<'END'
name: tuned
title: Loads that bypass
source: nobody, nowhere
machine: rx6900xt
kind: tune
programs: {A: dct8x8 width=64 height=32 kernel=dct8x8_1_forward, B: spmv_jds rows=500 mean=8}
groups: {ALL: [A, B]}
configs:
  T: {set: {cores: 10}}
  GPU: {values: {A: {speedup: 1.25}, B: {speedup: 0.5}}}
figures:
  - id: one
    title: Speedups
    where: nowhere
    rows: [ALL]
    columns:
      - {name: PassL0/1, value: T.PassL0_1_cycles, digits: 0}
      - {name: loads, value: T.kernel_loads, digits: 0}
      - {name: sixth, value: T.affinity_L1_6, digits: 3}
      - {name: measured, value: GPU.speedup, mean: geometric, digits: 2}
END

it 'tunes kernels, as tune does, and shows numbers that were measured elsewhere next to them'
run "$sluice" reproduce tuned.yaml --cache cache --csv out.csv
exits 0
"$sluice" tune dct8x8 width=64 height=32 --gpu rx6900xt --set cores=10 --kernel dct8x8_1_forward --select PassL0/1 --no-cache --csv tune.csv -q
planned=$(awk -F, 'NR == 2 { printf "%d", $11 }' tune.csv)
shown=$(awk -F, '$4 == "A" && $5 == "PassL0/1" { printf "%d", $8 }' out.csv)
[ "$planned" = "$shown" ] || fail "$shown is not $planned"
[ "$(awk -F, '$4 == "B" && $5 == "loads" { printf "%d", $8 }' out.csv)" = 10 ] || fail "$(cat out.csv)"
[ "$(awk -F, '$4 == "B" && $5 == "measured" { printf "%.1f", $8 }' out.csv)" = 0.5 ] || fail "$(cat out.csv)"
awk -F, '$4 == "B" && $5 == "sixth" && $8 < 0 { found = 1 } END { exit !found }' out.csv || fail "$(cat out.csv)"

it 'says of a kernel or launch that is not there that it is not'
sed 's/dct8x8_1_forward/dct8x9/' tuned.yaml >wrong.yaml
run "$sluice" reproduce wrong.yaml --cache cache
exits 1
stdout_has "no launch matches --kernel 'dct8x9'; the kernels are: dct8x8_1_forward"
sed 's/dct8x8_1_forward/dct8x8_1_forward launch=9/' tuned.yaml >wrong.yaml
run "$sluice" reproduce wrong.yaml --cache cache
exits 1
stdout_has "no launch matches --kernel 'dct8x8_1_forward' and --launch 9"
sed 's/dct8x8_1_forward/dct8x8_1_forward launch=first/' tuned.yaml >wrong.yaml
run "$sluice" reproduce wrong.yaml --cache cache
exits 1
stderr_has "'launch=first' is not the number of a launch"
sed 's/values: {A/values: {Z/' tuned.yaml >wrong.yaml
run "$sluice" reproduce wrong.yaml --cache cache
exits 1
stderr_has "wrong.yaml:10:"

it 'has of an H200 what was measured on one'
wrong=$(awk -F, '
    FNR == NR { speedup[$1 "," $2 "," $7] = $12; next }
    /^  [A-Z0-9]*: [a-z]/ && !/group/ {
        split($0, word, /[: ]+/)
        name = word[2]; workload[name] = word[3]; kernel[name] = word[3]
        if (match($0, /kernel=[a-z0-9_]*/)) kernel[name] = substr($0, RSTART + 7, RLENGTH - 7)
    }
    /^      [A-Z0-9]*: \{paper/ {
        gsub(/[{},]/, " ")
        count = split($0, word, /[: ]+/)
        for (i = 3; i + 1 <= count && word[i] != ""; i += 2) {
            way = word[i]
            sub(/L01/, "L0/1", way)
            if (speedup[workload[word[2]] "," kernel[word[2]] "," way] + 0 != word[i + 1] + 0) print word[2], way
            seen++
        }
    }
    END { if (seen != 72) print seen " numbers" }' "$source_root/papers/h200-mpache.csv" "$source_root/papers/mpache.yaml")
[ -z "$wrong" ] || fail "$wrong"

done_testing
