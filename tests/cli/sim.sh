#!/bin/sh
# SPDX-License-Identifier: MIT
# The simulator, as a person asks for it.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

"$sluice" trace --quiet -o bfs.slt bfs --size small
"$sluice" trace --quiet -o spmv.slt spmv --size small rows=600

cycles() # of a JSON report: the sum over its launches
{
    sed -n 's/.*"counters": {.*"cycles": \([0-9]*\).*/\1/p' "$1" | awk 'NR <= launches { sum += $1 } END { print sum }' \
        launches="$(grep -c '"index":' "$1")"
}

it 'issues the instructions of machine code that is given with PTX, and only on its GPU'
sums() # warp instructions of kernel sums with 23 iterations
{
    run "$sluice" sim "$source_root/tests/data/sass/kernels.ptx" --entry sums --grid 1 --block 32 --arg 'f32[8K]:zero' \
        --arg 'f32[32]:none' --arg u32:23 --json sums.json "$@"
    exits 0
    sed -n 's/.*"counters": {.*"warp_insts": \([0-9]*\).*/\1/p' sums.json | head -1
}
cubin=$source_root/tests/data/sass/kernels_90.cubin
# Before the loop 15, five times 15 for four iterations each, and 21 for the other three and what follows.
[ "$(sums --gpu h200 --cubin "$cubin")" = 111 ] || fail "$(sums --gpu h200 --cubin "$cubin") instructions, not 111"
estimate=$(sums --gpu h200)
[ "$estimate" != 111 ] || fail 'the estimate from PTX is the same'
[ "$(sums --gpu h200 --cubin "$cubin" --set core.machine_code=0)" = "$estimate" ] || fail 'it cannot be switched off'
[ "$(sums --gpu h200 --cubin "${cubin%_90.cubin}_80.cubin")" = "$estimate" ] || fail 'code of another GPU was used'
plain=$(sums --gpu v100)
[ "$(sums --gpu v100 --cubin "$cubin")" = "$plain" ] || fail 'another GPU used it'

it 'takes products in tensor memory for as long as their columns say'
cat >products.ptx <<'END'
.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u32 form, .param .u32 count)
{
.reg .pred %p<4>;
.reg .b32 %r<16>;
.reg .b64 %d<4>;
.shared .align 1024 .b8 s[16384];
.shared .align 16 .b8 bar[32];
ld.param.u32 %r2, [form];
ld.param.u32 %r3, [count];
mov.u32 %r0, %tid.x;
mov.u32 %r10, s;
mov.u32 %r11, bar;
setp.eq.u32 %p1, %r0, 0;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11+16], 256;
@%p1 mbarrier.init.shared.b64 [%r11], 1;
bar.sync 0;
ld.shared.u32 %r4, [%r11+16];
and.b32 %r5, %r10, 0x3ffff;
shr.u32 %r5, %r5, 4;
cvt.u64.u32 %d0, %r5;
or.b64 %d0, %d0, 0x401000080000;
setp.ne.u32 %p2, %r0, %r0;
LOOP:
@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r4], %d0, %d0, %r2, %p2;
sub.u32 %r3, %r3, 1;
setp.ne.u32 %p3, %r3, 0;
@%p3 bra LOOP;
@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p3, [%r11], 0;
@!%p3 bra WAIT;
bar.sync 0;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 256;
ret;
}
END
columns() # number of columns, of products, options: cycles
{
    form=$((16 + $1 * 16384 + 8 * 16777216)) number=$2
    shift 2
    run "$sluice" sim --gpu b200 products.ptx --grid 1 --block 32 --arg "u32:$form" --arg "u32:$number" \
        --json products.json "$@"
    exits 0
    cycles products.json
}
base=$(columns 64 64)
[ "$(columns 128 64)" = $((base + 64 * 64 / 2)) ] || fail 'twice the columns do not take twice the time'
[ "$(columns 64 128)" = $((base + 64 * 64 / 2)) ] || fail 'twice the products do not take twice the time'
[ "$(columns 64 64 --set core.tensor_columns=1)" = $((base + 64 * 64 / 2)) ] || fail 'the rate is not that of the machine'

it 'takes machine code from a folder, and says what is no machine code'
mkdir folder
cp "$cubin" folder/kernels.cubin
[ "$(sums --gpu h200 --cubin folder)" = 111 ] || fail 'not found in the folder'
run "$sluice" sim spmv --size small --gpu h200 --cubin folder -q
exits 0
run "$sluice" sim spmv --size small --cubin "$source_root/README.md"
exits 1
stderr_has 'README.md: not an ELF file'
run "$sluice" sim bfs.slt --cubin "$cubin"
exits 2
stderr_has "--cubin does not apply to bfs.slt, which is a trace"

it 'searches the best value of a parameter, and says which it took'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --l1 'pdp(pd=best)' --json best.json
exits 0
stdout_has 'Best of 16 settings: L1 pdp: pd='
best=$(sed -n 's/.*pdp: pd=\([0-9]*\),.*/\1/p' "$scratch/stdout")
file_has best.json "\"replacement\": \"pdp(pd=$best)\""
[ "$(grep -c '{"pd": ' best.json)" = 16 ] || fail "not 16 tries: $(grep '{"pd": ' best.json)"

it 'takes the value that minimizes cycles'
minimum=$(sed -n 's/.*{"pd": [0-9]*, "cycles": \([0-9]*\)}.*/\1/p' best.json | sort -n | head -1)
taken=$(sed -n "s/.*{\"pd\": $best, \"cycles\": \([0-9]*\)}.*/\1/p" best.json)
[ "${minimum:-none}" = "$taken" ] || fail "took $taken cycles, not $minimum"
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --l1 "pdp(pd=$best)" --json given.json
exits 0
file_has given.json "\"cycles\": $minimum,"

it 'finds the same with any number of threads'
run "$sluice" sim --gpu fermi-gtx480 bfs.slt --l1 'pdp(pd=best)' --bound --json one.json -j 1 -q
exits 0
run "$sluice" sim --gpu fermi-gtx480 bfs.slt --l1 'pdp(pd=best)' --bound --json three.json -j 3 -q
exits 0
run cmp one.json three.json
exits 0

it 'counts lines in a run before where a policy needs that'
run "$sluice" sim --gpu fermi-gtx480 bfs.slt --l1 'profiled(threshold=1)' --json let.json
exits 0
run "$sluice" sim --gpu fermi-gtx480 bfs.slt --json plain.json
exits 0
[ "$(cycles let.json)" = "$(cycles plain.json)" ] || fail "a threshold of 1 changed the cycles: all lines are asked for once"
run "$sluice" sim --gpu fermi-gtx480 bfs.slt --l1 'profiled(threshold=1000000)' --csv none.csv
exits 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
         $at["L1.misses"] > 0 { bad = 1 } END { exit bad }' none.csv || fail 'something was let in'

it 'searches thresholds of profiled bypassing with one run that counts'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --l1 'profiled(threshold=best)'
exits 0
stdout_has 'Best of 16 settings: L1 profiled: threshold='

it 'refuses profiled bypassing behind the first level'
run "$sluice" sim --gpu fermi-gtx480 bfs.slt --l2 profiled
exits 1
stderr_has "L2: 'profiled' needs the line counts of a profiling run, which exist for L1 only"

it 'reports a lower bound on misses, not on time'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --bound
exits 0
stdout_has 'A bound on misses, not on time'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --bound --csv bound.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
         NR == 2 { b = "bound_on_misses."
                   exit !($at[b "min_misses"] > 0 && $at[b "min_misses"] <= $at[b "misses"] &&
                          $at[b "misses"] == $at["L1.misses"] && $at[b "requests"] > $at[b "misses"]) }' \
    bound.csv || fail "$(head -2 bound.csv)"

it 'says of each level what it did, in JSON and CSV'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --l1 'decoupled+srrip' --json levels.json --csv levels.csv
exits 0
file_has levels.json '{"level": "L1", "replacement": "srrip", "bypass": "decoupled"}'
file_has levels.json '{"level": "L2", "accesses": '
file_has levels.json '"stall_way_cycles": '
file_has levels.json '"policy": "decoupled", "name": '
file_has levels.csv ',L1.accesses,L1.hits,'
file_has levels.csv ',L2.stall_queue_cycles,L2.energy_nj'
awk -F, '{ if (NR == 1) columns = NF; else if (NF != columns) exit 1 }' levels.csv || fail 'rows of different lengths'

it 'adds the energy of the levels up where the machine has figures for it'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt
stdout_has 'energy uJ'
stdout_has 'including leakage'

it 'writes a timeline of a window that Perfetto reads'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --timeline t.json.gz --window 2000-2999 -q
exits 0
run gzip -dc t.json.gz
exits 0
cp "$scratch/stdout" t.json
file_has t.json '"traceEvents": ['
file_has t.json '{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "SM 0"}}'
file_has t.json '"name":"issue"'
file_has t.json '"name":"wait for data"'
file_has t.json '"name":"MSHRs"'
file_has t.json '"name":"read, row '
sed -n 's/.*"ts":\([0-9]*\).*/\1/p' t.json | awk '$1 < 2000 || $1 > 2999 { bad = 1 } END { exit bad || !NR }' ||
    fail 'events outside of the window'
# Each slice and each new value of a counter took 75 to 110 bytes once.
events=$(grep -o '"ph":"X"\|"[0-9]*":[0-9]' t.json | wc -l)
[ "$(wc -c <t.json.gz)" -lt $((events * 11)) ] || fail "$(wc -c <t.json.gz) bytes for $events events"

it 'writes timelines that are JSON, the same each time'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --timeline again.json.gz --window 2000-2999 -q -j 3
run cmp t.json.gz again.json.gz
exits 0
if command -v python3 >/dev/null; then
    run python3 -m json.tool t.json out.json
    exits 0
fi

it 'says where the launches are if the window of a timeline has nothing of them'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --timeline late.json.gz --window 900000000-900000999
exits 0
stderr_has 'late.json.gz is empty: kernels run in cycles '
stderr_has '; choose them with --window'
run "$sluice" sim --gpu h200 spmv.slt --timeline early.json.gz --window 0-9
exits 0
stderr_has 'early.json.gz is empty: kernels run in cycles '
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --timeline t2.json.gz --window 2000-2999
exits 0
stderr_is ''

it 'writes no timeline if nothing could be simulated'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --set L2.bypass=profiled --timeline none.json -q
exits 1
absent none.json

it 'batches loads as a compiler does, each with its addresses'
facts() # kernel, instruction, and what it asked for
{
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
             { print $1, $at["pc"], $at["ld_requests"], $at["ld_sectors"], $at["st_requests"], $at["st_sectors"] }' "$1"
}
run "$sluice" sim nw --size small -g h200 --set core.load_batching=0 --csv as-is.csv --loads as-is.loads -q
exits 0
run "$sluice" sim nw --size small -g h200 --set core.load_batching=16 --csv together.csv --loads together.loads -q
exits 0
facts as-is.loads >as-is
facts together.loads >together
if ! [ -s as-is ] || ! cmp as-is together >/dev/null; then
    fail "$(diff as-is together | head -5)"
fi
cycles_of() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { sum += $at["cycles"] } END { print sum }' "$1"; }
[ "$(cycles_of together.csv)" -lt "$(cycles_of as-is.csv)" ] || fail 'it is no faster'

it 'simulates a bypass plan'
"$sluice" tune spmv --size small rows=64 --no-cache --on sim --gpu fermi-gtx480 -q -o plan.json >/dev/null 2>&1 || fail 'tune failed'
sed 's/"mode": "[a-zA-Z0-9]*"/"mode": "L1"/' plan.json >all.json
run "$sluice" sim --gpu fermi-gtx480 spmv --size small rows=600 --plan all.json --csv planned.csv -q
exits 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
         NR == 2 { exit !($at["bypass_requests"] > 0 && $at["L1.hits"] == 0) }' planned.csv || fail "$(head -2 planned.csv)"

it 'refuses a plan for other code'
run "$sluice" sim --gpu fermi-gtx480 bfs --size small --plan all.json
exits 1
stderr_has 'the plan belongs to other code'

it 'wants the code of a trace that a plan is for'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --plan all.json
exits 1
stderr_has 'recorded from with --code FILE'
run "$sluice" sim --gpu fermi-gtx480 spmv.slt --plan all.json --code "$source_root/workloads/spmv/spmv.ptx" --csv traced.csv -q
exits 0
run cmp planned.csv traced.csv
exits 0
run "$sluice" sim spmv.slt --code x.ptx
exits 2

it 'shows how misses of a level are handled that makes them wait for their victims'
run "$sluice" sim fast_walsh --size small -g hd7770
exits 0
stdout_has 'misses of L2, also per 1000 operations'
stdout_has 'OPC'
stdout_lacks 'by FRC'
run "$sluice" sim fast_walsh --size small -g hd7770 --set L2.miss_handling=overlapped
exits 0
stdout_lacks 'OPC'

it 'gives the last level a Fetch and Replacement Cache'
run "$sluice" sim fast_walsh --size small -g hd7770 --frc 64 --csv frc.csv
exits 0
run "$sluice" sim fast_walsh --size small -g hd7770 --set L2.miss_handling=frc --set L2.frc_entries=64 --csv same.csv
exits 0
run cmp frc.csv same.csv
exits 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
         NR == 2 { exit !($at["frc_misses"] > 0 && $at["frc_misses"] <= $at["l2_misses"] && $at["l2_delay_cycles"] != "") }' \
    frc.csv || fail "$(head -2 frc.csv)"
run "$sluice" sim fast_walsh --size small -g rx6900xt --frc 64
exits 0
stdout_has 'by FRC'

it 'says what cannot be of it'
run "$sluice" sim --gpu fermi-gtx480 fast_walsh --size small --frc 12
exits 1
stderr_has 'frc_ways: 12 entries are not a whole number of sets of 8'
run "$sluice" sim --gpu fermi-gtx480 fast_walsh --size small --frc 0
exits 2
run "$sluice" sim --gpu fermi-gtx480 fast_walsh --size small --set L1.miss_handling=frc
exits 1
stderr_has "the first level handles misses 'overlapped'"
run "$sluice" sim --gpu fermi-gtx480 fast_walsh --size small --set L1.write=back --set L2.inclusive=1
exits 1
stderr_has 'L2 is inclusive, and L1 above it has'

it 'refuses a window without a timeline'
run "$sluice" sim spmv.slt --window 1-2
exits 2
stderr_has '--window requires --timeline'

done_testing
