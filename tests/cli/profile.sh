#!/bin/sh
# SPDX-License-Identifier: MIT
# Reuse profiles of traces and workloads, as a person asks for them.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

printf 'blocksize: 32 1 1\n0 0 4096 4\n1 0 4100 4\n0 1 8192 4\n0 0 4096 4\n' >threads.trc
"$sluice" trace --quiet -o mm.slt matmul n=64

it 'shows the reuse of a trace: distances, counts, fills, footprint and loads'
run "$sluice" profile mm.slt
exits 0
stderr_is ''
stdout_has 'mm.slt on h200'
stdout_has '132 cores, 8 blocks each at a time; lines of 128 B, sectors of 32 B'
stdout_has 'reuse distance'
stdout_has 'first access'
stdout_has '  reuses'
stdout_has 'LRU, 216 KiB:'
stdout_has 'lines so far'
stdout_has 'matmul.cu:'

it 'takes lines, cores and the first level from a GPU, and options before it'
run "$sluice" profile mm.slt --gpu fermi-gtx470 --set cores=3
exits 0
stdout_has 'mm.slt on fermi-gtx470, cores=3'
stdout_has '3 cores, 8 blocks each at a time; lines of 128 B, sectors of 128 B'
stdout_has 'LRU, 16.0 KiB:'
run "$sluice" profile mm.slt --gpu fermi-gtx470 --line 64 --sector 32 --cores 2 --blocks-per-core 1 --cache 8K
exits 0
stdout_has '2 cores, 1 block each at a time; lines of 64 B, sectors of 32 B'
stdout_has 'LRU, 8.00 KiB:'
run "$sluice" profile matmul n=64 --gpu hd7770 --json -
exits 0
stdout_has '"machine": "hd7770"'
stdout_has '"line": "64"'
run "$sluice" profile mm.slt --gpu h20
exits 1
stderr_has "the nearest is 'h200'"

it 'runs a workload and profiles it as it profiles its trace'
run "$sluice" profile --csv trace.csv -q mm.slt
exits 0
run "$sluice" profile --csv run.csv -q matmul n=64
exits 0
run cmp trace.csv run.csv
exits 0

it 'removes its temporary trace'
mkdir temporary
TMPDIR=$PWD/temporary run "$sluice" profile -q matmul n=64
exits 0
empty_directory temporary
TMPDIR=$PWD/temporary run "$sluice" profile -q matmul n=no
exits 1
empty_directory temporary

it 'removes its temporary files when a signal ends it'
TMPDIR=$PWD/temporary "$sluice" profile -q matmul n=2048 >ended.txt 2>&1 &
pid=$!
tries=0
while [ -z "$(ls -A temporary)" ] && [ $tries -lt 500 ]; do
    tries=$((tries + 1))
    sleep 0.02
done
[ -n "$(ls -A temporary)" ] || fail 'there was no temporary file'
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status = 143 ] || fail "exit code $status, expected 143: $(cat ended.txt)"
empty_directory temporary

it 'gives the same bytes for any number of threads'
run "$sluice" profile -j 1 --json one.json mm.slt
exits 0
run "$sluice" profile -j 3 --json three.json mm.slt
exits 0
run cmp one.json three.json
exits 0

it 'says in its JSON what made it'
run "$sluice" profile --json - --cache 48K mm.slt
exits 0
stdout_has '"command": "profile"'
stdout_has '"line": "128"'
stdout_has '"machine": "h200"'
stdout_has '"cores": "132"'
stdout_has '"cache": "49152"'
stdout_has '"format": "sluice"'
run "$sluice" profile --json - --seed 7 matmul n=16
exits 0
stdout_has '"workload": "matmul n=16"'
stdout_has '"seed": 7'

# One block: the threads 0 and 1 load side by side, thread 0 stores elsewhere, then loads again.
it 'counts a trace of another program by hand'
run "$sluice" profile --csv - threads.trc
exits 0
stdout_has ',requests,,,3'
stdout_has ',line_accesses,,,3'
stdout_has ',requested_bytes,,,16'
stdout_has ',lines,,,2'
stdout_has ',lines_once,,,1'
stdout_has ',line_distance,never,never,2'
stdout_has ',line_distance,1,1,1'
stdout_has ',line_reuses,0,0,1'
stdout_has ',footprint_bytes,,,256'

it 'ignores stores with --loads-only'
run "$sluice" profile --csv - --loads-only threads.trc
exits 0
stdout_has ',requests,,,2'
stdout_has ',line_distance,0,0,1'

it 'takes other sizes of lines and sectors'
run "$sluice" profile --csv - --line 64 --sector 64 mm.slt
exits 0
stdout_has ',moved_bytes'
run "$sluice" profile --line 100 mm.slt
exits 2
stderr_has 'a line of 100 bytes: its size must be a power of two'
run "$sluice" profile --line 32 --sector 64 mm.slt
exits 2
stderr_has 'a sector of 64 bytes'

it 'takes only the launches asked for'
run "$sluice" profile --kernel nothing mm.slt
exits 1
stderr_has "no launch matches --kernel 'nothing'; the kernels are: matmul"
run "$sluice" profile --kernel '(' mm.slt
exits 1
stderr_has "'(' is not a regular expression"
run "$sluice" profile --launch 0 mm.slt
exits 0
stdout_has 'matmul'

it 'has the miss ratios of every cache size'
run "$sluice" profile mm.slt --cache 4K --plot curve.svg --json curve.json
exits 0
run "$sluice" profile mm.slt --cache 4K
exits 0
hits=$(sed -n 's/^ *0  *matmul.* \([0-9.]*\)%  *[0-9.]*%  *[0-9.]* [KM]iB$/\1/p' "$scratch/stdout" | head -n 1)
misses=$(sed -n 's/^4.00 KiB  *[0-9]*  *\([0-9.]*\)%$/\1/p' "$scratch/stdout")
awk "BEGIN { exit !($hits + $misses > 99.9 && $hits + $misses < 100.1) }" || fail "hits $hits%, misses $misses%"
file_has curve.json '"miss_ratios"'
file_has curve.svg 'Miss ratio by cache size'
file_has curve.svg 'cache: 4 KiB'

it 'names what it cannot read'
run "$sluice" profile matmull
exits 2
stderr_has "'matmull' is neither a file nor a workload; did you mean 'matmul'?"
run "$sluice" profile absent/x.slt
exits 1
stderr_has 'absent/x.slt'
run "$sluice" profile threads.trc more
exits 2
stderr_has "unexpected argument 'more'"
echo text >text
run "$sluice" profile text
exits 1
stderr_has 'not a trace that Sluice can read'

it 'tells of damage and profiles what is whole'
head -c "$(($(wc -c <mm.slt) - 20))" mm.slt >cut.slt
run "$sluice" profile -o cut.txt cut.slt
exits 1
stderr_has 'cut.slt'
exists cut.txt

done_testing
