#!/bin/sh
# SPDX-License-Identifier: MIT
# Recording, importing and looking at traces, as a person does.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

header='-kernel name = _Z3addPfS_
-grid dim = (2,1,1)
-block dim = (32,1,1)
-nregs = 18
-accelsim tracer version = 4
'
block()
{
    printf '#BEGIN_TB\nthread block = %d,0,0\nwarp = 0\ninsts = 2\n' "$1"
    printf '0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x%x000 4 0\n0010 ffffffff 0 EXIT 0 0 0\n#END_TB\n' "$((16 + $1))"
}
mkdir accel
{
    printf '%s\n' "$header"
    block 0
    block 1
} >accel/kernel-1.traceg
printf 'MemcpyHtoD,0x10000,8192\nkernel-1.traceg\n' >accel/kernelslist.g
printf 'blocksize: 32 1 1\n0 0 4096 4\n1 0 4100 4\n0 1 8192 4\n' >mm.trc

it 'records a workload and shows what is in the trace'
run "$sluice" trace -o mm.slt matmul n=64
exits 0
run "$sluice" info mm.slt
exits 0
stdout_has '1 kernel, 1 launch'
stdout_has "made by: sluice trace -o mm.slt matmul n=64"
stdout_has '0  matmul   4x4  16x16      86,656'
stdout_has 'st.global.f32'
stderr_is ''

it 'counts a trace as the run was counted'
run "$sluice" run --csv run.csv matmul n=64
exits 0
run "$sluice" info --csv info.csv mm.slt
exits 0
run cmp run.csv info.csv
exits 0

it 'counts the same with one thread and with many'
run "$sluice" info --json one.json -j 1 mm.slt
exits 0
run "$sluice" info --json many.json -j 4 mm.slt
exits 0
run cmp one.json many.json
exits 0

it 'writes the same bytes every time'
run "$sluice" trace -o mm.slt matmul n=64
cp mm.slt first.slt
run "$sluice" trace -o mm.slt matmul n=64
run cmp first.slt mm.slt
exits 0

it 'shows only what the index says'
run "$sluice" info --brief mm.slt
exits 0
stdout_has 'in trace'
stdout_lacks 'warp insts'

it 'imports a folder of Accel-Sim'
run "$sluice" import accel -o accel.slt
exits 0
stdout_has '0  add        2     32           4           128       2           8      4.00'
run "$sluice" info --json - accel.slt
exits 0
stdout_has '"format": "sluice"'
stdout_has '"kernel": "_Z3addPfS_"'
stdout_has '"ld_requests": 2, "ld_sectors": 8'

it 'looks at a foreign trace without importing it'
run "$sluice" info accel/kernelslist.g
exits 0
stdout_has 'accel-sim trace, 1 launch'
run "$sluice" info --json - mm.trc
exits 0
stdout_has '"format": "threads"'
stdout_has '"ld_requests": 1, "ld_sectors": 1'

it 'names the line of a bad foreign trace and writes no file'
printf '%s#BEGIN_TB\nthread block = 7,0,0\n' "$header" >bad.traceg
run "$sluice" import bad.traceg -o bad.slt
exits 1
stderr_is 'sluice import: bad.traceg:7: this thread block is outside the grid'
absent bad.slt

it 'shows what is left of a trace that was cut off'
size=$(wc -c <mm.slt)
head -c $((size - 100)) mm.slt >cut.slt
run "$sluice" info cut.slt
exits 1
stdout_has 'damaged: the trace is damaged or cut off'
stderr_has 'warning: cut.slt: the trace is damaged or cut off'

it 'says when a file is no trace'
run "$sluice" info "$SLUICE_SOURCE/CMakeLists.txt"
exits 1
stderr_has 'not a trace that Sluice can read'
run "$sluice" info nothing.slt
exits 1
stderr_has 'cannot open nothing.slt'

for signal in INT TERM HUP PIPE XCPU; do
    it "removes its temporary files when SIG$signal ends it"
    mkdir "ended-$signal"
    start "$sluice" trace -o "ended-$signal/t.slt" --json "ended-$signal/t.json" matmul n=1024
    while [ -z "$(find "ended-$signal" -name 't.slt.tmp-*')" ] && kill -0 "$started" 2>/dev/null; do sleep 0.05; done
    kill -"$signal" "$started" || fail 'it came to its end'
    wait "$started" 2>/dev/null
    empty_directory "ended-$signal"
done

it 'says so when a file grows beyond the limit, and leaves nothing'
mkdir limited
run sh -c 'ulimit -f 1; exec "$@"' sh "$sluice" trace -o limited/t.slt matmul
exits 1
stderr_has 'cannot write limited/t.slt: File too large'
empty_directory limited
run sh -c 'ulimit -f 1; exec "$@"' sh "$sluice" run -q vecadd --html limited/page.html
exits 1
stderr_has 'cannot write the HTML report: File too large'
empty_directory limited

it 'leaves the limit of file sizes to programs as it was'
run sh -c 'ulimit -f 1; exec "$@"' sh "$sluice_with_programs" run -q -- sh -c 'head -c 5000 /dev/zero >big'
exits 153

it 'removes with the next run what SIGKILL left'
mkdir killed
start "$sluice" trace -o killed/t.slt matmul n=1024
while [ -z "$(find killed -name 't.slt.tmp-*')" ] && kill -0 "$started" 2>/dev/null; do sleep 0.05; done
kill -KILL "$started" || fail 'it came to its end'
wait "$started" 2>/dev/null
[ -n "$(find killed -name 't.slt.tmp-*')" ] || fail 'nothing was left to remove'
run "$sluice" trace -o killed/t.slt vecadd
exits 0
[ "$(ls killed)" = t.slt ] || fail "left: $(ls killed)"

it 'asks where to import to'
run "$sluice" import accel
exits 2
stderr_has '-o FILE is missing'

done_testing
