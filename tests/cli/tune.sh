#!/bin/sh
# SPDX-License-Identifier: MIT
# Bypass plans: tune, apply, measure, and run --plan. The GPU is a library of the tests: kernels run on the emulator
# and take 200 us; what bypassing gains is said in tests/device/emulated_cuda.c.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
mkdir driver && ln -s "${SLUICE_EMULATED_CUDA:?}" driver/libcuda.so.1
on_gpu()
{
    command=$1
    shift
    [ "$command" != tune ] || set -- --on gpu "$@"
    run env LD_LIBRARY_PATH=driver "$sluice" "$command" "$@"
}
export XDG_CACHE_HOME="$scratch/cache"

it 'finds the load that should bypass, and says what it gains'
on_gpu tune table_stream_l1 --size small -o plan.json
exits 0
stdout_has 'table_stream_l1.cu:11'
stdout_has 'both'
stdout_has ' 1.1'
file_has plan.json '"mode": "both"'
file_has plan.json '"array": "param_1"'
file_has plan.json '"timer": "gpu Emulated GPU"'
[ "$(grep '"opcode": "ld' plan.json | grep -c '"mode": "none"')" = 8 ] || fail "$(cat plan.json)"
stdout_has 'faster'
stdout_lacks 'code order'

it 'tries the controls that are asked for, of loads, stores and kernels'
on_gpu tune table_stream_l1 --size small --controls L1,cs,carve-L1 -o some.json
exits 0
file_has some.json '"mode": "L1"'
file_has some.json '"affinity": {"cs": '
file_has some.json '"setting": "carve-out", "group": 3, "mode": "none", "affinity": {"carve-L1": '
for name in '"both"' L2-last wt carve-shared window; do
    ! grep -q "$name" some.json || fail "it tried $name"
done
run "$sluice" tune gather --size small --controls L1,evict-last
exits 2
stderr_has "--controls: unknown mode 'evict-last'"

it 'ranks what can be timed by the model, before anything is timed'
stdout_lacks 'not ranked'
file_has plan.json '"ranking": "by model h200, 4 of 4 blocks"'
run "$sluice" tune table_stream_l1 --size small --no-cache --rank-only table=224 blocks=4 threads=512 steps=16 --set cores=4 -o ranked.json
exits 0
stdout_has 'ranking: by model h200'
stdout_has 'ranked, not timed'
stdout_lacks 'speedup'
stdout_has 'L1-last'
! grep -q '"affinity"\|"timer"' ranked.json || fail 'it timed something'
best=$(sed -n 's/.*"array": "\([^"]*\)".*"predicted": {"L1": \([-0-9.]*\).*/\2 \1/p' ranked.json | sort -rn | head -n 1)
[ "${best#* }" = param_1 ] || fail "the stream is not the first: $best"

it 'leaves out what promises least'
on_gpu tune table_stream_l1 --size small --no-cache --max-timings 3 --controls L1,L2,both table=224 blocks=4 threads=512 steps=8 -o limited.json
exits 0
[ "$(grep -c '"affinity": {"L1": [^}]*}.*"predicted"' limited.json)" = 1 ] || fail "$(cat limited.json)"
grep '"affinity": {"L1": ' limited.json | grep -q '"array": "param_1"' || fail "$(cat limited.json)"

it 'times what another plan tells from noise, and neutral hints in place of those to L2'
on_gpu tune table_stream_l1 --size small --no-cache --controls L1,L2,neutral --replay plan.json -o like.json
exits 0
stdout_has 'timed as another plan was'
L2=$(grep -c '"L2": ' like.json)
[ "$L2" -gt 0 ] || fail "$(cat like.json)"
[ "$(grep -c '"L2": .*"neutral": ' like.json)" = "$L2" ] || fail "$(cat like.json)"
[ "$(grep -c '"affinity": ' like.json)" -lt "$(grep -c '"affinity": ' plan.json)" ] || fail 'it timed what is noise, too'
! grep -q '"mode": "[^n]' like.json || fail 'it chose something'

it 'lists every control in its help'
sed -n 's/^SL_CONTROL([^"]*"\([^"]*\)".*/\1/p' "$source_root/src/tune/controls.def" | sed 1d >names
[ "$(wc -l <names)" -gt 20 ] || fail "$(cat names)"
while read -r name; do
    "$sluice" help tune | grep -q -- "$name" || fail "help has no $name"
done <names

it 'writes all controls of a plan into the code, and says what is left to the host'
sed -e 's/"mode": "none", "affinity": {"cs"/"mode": "cs", "affinity": {"cs"/' \
    -e 's/"mode": "none", "affinity": {"carve-L1"/"mode": "carve-L1", "affinity": {"carve-L1"/' some.json >edited.json
run "$sluice" apply edited.json "$source_root/workloads/table_stream_l1/table_stream_l1.ptx" -o all.ptx --json all.json
exits 0
stdout_has '1 of 9 loads bypass'
stdout_has '1 store is changed'
stdout_has 'for the host: cudaFuncSetAttribute(table_stream, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1)'
file_has all.ptx 'st.global.cs.u32'
file_has all.ptx 'L1::no_allocate'
file_has all.json '"setting": "carve-out"'
on_gpu measure table_stream_l1 --size small --plan edited.json
exits 0
stdout_has 'identical memory'

it 'simulates the settings of a plan'
run "$sluice" sim table_stream_l1 --size small --plan edited.json -q --json with.json
exits 0
sed 's/"mode": "carve-L1"/"mode": "carve-shared"/' edited.json >shared.json
run "$sluice" sim table_stream_l1 --size small --plan shared.json -q --json without.json
exits 0
! cmp -s with.json without.json || fail 'the carve-out changes nothing'

it 'tunes by what the simulator knows of an H200'
run "$sluice" tune table_stream_l1 --size small --gpu h200 --no-cache --controls L2-last,L1-last,store-L2,blocks-half -o h200.json
exits 0
for name in L2-last L1-last store-L2 blocks-half; do
    file_has h200.json "\"$name\": "
done
run "$sluice" tune table_stream_l1 --size small --gpu h200 --no-cache --controls nc,wt,window,neutral,L2-256B -o untold.json
exits 0
! grep -q affinity untold.json || fail 'it timed what it does not know'

it 'numbers launches as run does'
on_gpu tune bfs --size small --controls L1 --csv numbered.csv
exits 0
run "$sluice" run bfs --size small --csv ran.csv
for kernel in bfs_expand bfs_count bfs_queue; do
    number=$(grep "^bfs,$kernel," numbered.csv | cut -d, -f3)
    grep -q "^$number,$kernel," ran.csv || fail "launch $number of $kernel"
done

# How many timings there are; nothing where nobody can say.
timings()
{
    if command -v sqlite3 >/dev/null; then
        sqlite3 "$scratch/cache/sluice/points.sqlite" 'SELECT count(*) FROM timings'
    fi
}

it 'keeps timings, and continues from them'
exists "$scratch/cache/sluice/points.sqlite"
kept=$(timings)
on_gpu tune table_stream_l1 --size small -o again.json
exits 0
[ "$(timings)" = "$kept" ] || fail 'it timed again'
sed '/made_by/d' plan.json >a && sed '/made_by/d' again.json >b
cmp -s a b || fail 'the plans differ'

it 'tunes a trace, with its code or without'
run "$sluice" tune gather --size small --gpu fermi-gtx480 --no-cache --csv code.csv
exits 0
"$sluice" trace -q -o gather.slt gather --size small
run "$sluice" tune gather.slt --gpu fermi-gtx480 --csv trace.csv -o traced.json
exits 0
file_has traced.json '"form": "trace"'
sed 's/^gather,/gather.slt,/' code.csv | cmp -s - trace.csv || fail "$(diff code.csv trace.csv)"
run "$sluice" sim gather.slt --gpu fermi-gtx480 --plan traced.json -q
exits 0
"$sluice" trace -q -o other.slt spmv --size small
run "$sluice" sim other.slt --gpu fermi-gtx480 --plan traced.json -q
exits 1
stderr_has 'traced.json was made for another trace than other.slt (gather.slt)'
run "$sluice" apply traced.json "$source_root/workloads/gather/gather.ptx" -o no.ptx
exits 1
stderr_has 'the plan is for trace'
run "$sluice" tune gather.slt --gpu fermi-gtx480 --code "$source_root/workloads/gather/gather.ptx" -o coded.json
exits 0
run "$sluice" apply coded.json "$source_root/workloads/gather/gather.ptx" -o yes.ptx
exits 0
run "$sluice" tune gather --code x.ptx
exits 2
stderr_has '--code requires a trace or a program'

it 'takes timings of another input again'
on_gpu tune table_stream_l1 --size small steps=20
exits 0
[ -z "$kept" ] || [ "$(timings)" -gt "$kept" ] || fail 'it took those of other data'

it 'compares selection strategies'
on_gpu tune table_stream_l1 --size small --select paper,PassL2,CacheAll,Liang,SelectL2,SelectL0/1,PassL0/1,bound,ours --csv table.csv
exits 0
[ "$(wc -l <table.csv)" = 10 ] || fail "$(cat table.csv)"
file_has table.csv 'subject,kernel,launch,launches,loads,groups,select,bypass,unit,original,planned,speedup'
grep -q '^table_stream_l1,table_stream,0,1,9,2,paper,1,ns,.*,1.11' table.csv || fail "$(cat table.csv)"
grep -q ',PassL2,9,ns,.*slower' table.csv || fail "$(cat table.csv)"
grep -q ',CacheAll,0,ns,.*,1,0,' table.csv || fail "$(cat table.csv)"

it 'obeys the thresholds of algorithm 1'
on_gpu tune table_stream_l1 --size small --select paper --thresh2 11 --json -
exits 0
stdout_has '"bypass": 0'

it 'draws the loads and their groups'
on_gpu tune table_stream_l1 --size small --graph loads.svg -q
exits 0
file_has loads.svg '<svg'
file_has loads.svg 'param_0'
[ "$(grep -c '<circle' loads.svg)" = 15 ] || fail "$(grep -c '<circle' loads.svg) dots"

cat >copy.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
// adds two arrays
.visible .entry add(.param .u64 add_param_0, .param .u64 add_param_1, .param .u64 add_param_2)
{
.reg .b32 %r<4>; .reg .b64 %rd<9>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [add_param_0]; ld.param.u64 %rd2, [add_param_1]; ld.param.u64 %rd3, [add_param_2];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4;
add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4; add.u64 %rd7, %rd3, %rd4;
ld.global.f32 %f1, [%rd5]; // first
ld.global.f32 %f2, [%rd6]; // second
add.f32 %f3, %f1, %f2;
st.global.f32 [%rd7], %f3;
ret;
}
END
set -- copy.ptx --grid 1 --block 32 --arg 'f32[32]:iota' --arg 'f32[32]:iota' --arg 'f32[32]:zero'

it 'tunes the kernel of a PTX file with a launch'
on_gpu tune "$@" -o copy.json
exits 0
file_has copy.json '"line": 12'
file_has copy.json '"mode": "both"'

it 'measures a plan again and compares memory'
on_gpu measure "$@" --plan copy.json
exits 0
stdout_has '1.1'
stdout_has 'identical memory'

it 'refuses a mode that the target cannot express, and writes nothing'
run "$sluice" apply copy.json copy.ptx -o out.ptx
exits 1
stderr_has 'copy.ptx:12'
stderr_has 'needs .target sm_80'
absent out.ptx

it 'writes a plan into PTX and changes nothing else'
run "$sluice" apply copy.json copy.ptx --target sm_80 -o out.ptx
exits 0
diff copy.ptx out.ptx >changes
[ "$(grep -c '^>' changes)" = 3 ] || fail "$(cat changes)"
file_has changes '> .version 7.4'
file_has changes '> .target sm_80'
file_has changes '> ld.global.L1::no_allocate.L2::cache_hint.f32 %f2, [%rd6], 0x12F0000000000000; // second'
run "$sluice" run out.ptx --grid 1 --block 32 --arg 'f32[32]:iota' --arg 'f32[32]:iota' --arg 'f32[32]:zero' --dump 2
exits 0
stdout_has '0 2 4 6'

it 'says for programs what it did to each load'
run "$sluice" apply copy.json copy.ptx --target sm_80 -o out.ptx --json
exits 0
stdout_has '{"function": "add", "instruction": '
stdout_has '"line": 12, "opcode": "ld.global.f32", "array": "param_1", "mode": "both"}'
stdout_lacks 'loads bypass'
run "$sluice" apply copy.json copy.ptx --target sm_80 -o out.ptx --csv loads.csv
exits 0
stdout_has '1 of 2 loads bypass'
grep -q '^add,[0-9]*,12,,,ld.global.f32,param_1,both,,,,$' loads.csv || fail "$(cat loads.csv)"
run "$sluice" apply copy.json copy.ptx --target sm_80 --json
exits 2
stderr_has 'the code goes to standard output'

it 'makes PTX that ptxas takes'
ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
if [ -x "$ptxas" ]; then
    run "$ptxas" -arch=sm_90 -o out.cubin out.ptx
    exits 0
else
    skip 'ptxas is not installed'
fi

it 'refuses a plan for other code'
sed 's/add.f32/sub.f32/' copy.ptx >other.ptx
run "$sluice" apply copy.json other.ptx -o other.out
exits 1
stderr_has 'belongs to other code'
absent other.out
run "$sluice" apply plan.json copy.ptx
exits 1
stderr_has 'belongs to other code'
on_gpu measure table_stream_l2 --size small --plan plan.json
exits 1
stderr_has 'belongs to other code'

it 'takes the same code with other comments and spaces'
sed 's|//.*||; s|; |;\n|g' copy.ptx >spaced.ptx
run "$sluice" apply copy.json spaced.ptx --target sm_80 -o spaced.out
exits 0
file_has spaced.out 'L1::no_allocate'

it 'says where a plan is wrong'
sed 's/"mode": "both"/"mode": "L3"/' copy.json >bad.json
run "$sluice" apply bad.json copy.ptx
exits 1
stderr_has 'bad.json:'
stderr_has "unknown mode 'L3'"
head -c 300 copy.json >cut.json
run "$sluice" apply cut.json copy.ptx
exits 1
stderr_has 'cut.json:'
run "$sluice" apply missing.json copy.ptx
exits 1
stderr_has 'missing.json'

it 'says where PTX does not parse'
sed 's/ret;/rett/' copy.ptx >broken.ptx
run "$sluice" apply copy.json broken.ptx
exits 1
stderr_has 'broken.ptx:1'
on_gpu tune broken.ptx --grid 1 --block 32
exits 1
stderr_has 'broken.ptx:1'

it 'says what is missing on the command line'
run "$sluice" measure table_stream_l1
exits 2
stderr_has '--plan FILE is missing'
run "$sluice" tune copy.ptx
exits 2
stderr_has '--grid is missing'
run "$sluice" tune table_stream_l3
exits 2
stderr_has 'table_stream_l'
run "$sluice" tune vecadd --select oours
exits 2
stderr_has "did you mean 'ours'?"
run "$sluice" tune vecadd --thresh1 x
exits 2
stderr_has '--thresh1'
run "$sluice" apply copy.json copy.ptx --target 80
exits 2
stderr_has 'such as sm_80'
run "$sluice" run vecadd --plan copy.json
exits 2
stderr_has 'sluice measure'

it 'says which kernels there are none of'
on_gpu tune table_stream_l1 --size small --kernel '^nothing$'
exits 1
stderr_has "no kernel of table_stream_l1 matches '^nothing$'"

it 'needs a driver to time anything'
if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    skip 'there is a CUDA driver here'
else
    run "$sluice" tune vecadd --on gpu -o none.json
    exits 1
    stderr_has 'no GPU to run on'
    absent none.json
fi

it 'tunes on a simulated machine, and says the same each time'
run "$sluice" tune table_stream_l1 --size small --gpu fermi-gtx480 --set cores=2 -o sim.json
exits 0
stdout_has ' on sim fermi-gtx480'
file_has sim.json '"unit": "cycles"'
run "$sluice" tune table_stream_l1 --size small --gpu fermi-gtx480 --set cores=2 --no-cache -j 1 -o sim2.json
sed '/made_by/d' sim.json >a && sed '/made_by/d' sim2.json >b
cmp -s a b || fail "the plans differ: $(diff a b)"
run "$sluice" tune vecadd --size small --gpu fermi-gtx48
exits 1
stderr_has 'fermi-gtx480'

it 'tunes next to a policy that needs a profiling run'
run "$sluice" tune gather --size small --gpu fermi-gtx480 --set cores=2 --set L1.bypass=profiled --no-cache -j 1 -o profiled.json
exits 0
file_has profiled.json '"timer": "sim fermi-gtx480"'

it 'writes no plan when something fails'
on_gpu tune vecadd --size small -o /nonexistent/plan.json
exits 1
stderr_has '/nonexistent/plan.json'

# ---- unmodified CUDA programs; the emulator stands in for the GPU ----
programs=${SLUICE_PROGRAMS:?} by=${SLUICE_PROGRAMS_BY:?}
if [ ! -x "$programs/nbody" ] || [ -n "${SLUICE_SANITIZERS:-}" ]; then
    it 'runs unmodified programs with a plan'
    skip "the programs were not built (by $by), or the sanitizers are in the way"
    done_testing
fi

it 'takes the PTX out of a program'
run "$sluice" ptx "$programs/nbody"
exits 0
stdout_has 'sm_75'
stdout_has 'step'
run "$sluice" ptx "$programs/nbody" --json
exits 0
stdout_has '{"number": 0, "target": "sm_75", "run": "yes", "hash": "'
run "$sluice" ptx "$programs/nbody" --csv
stdout_has 'number,target,run,hash,loads,kernel'
run "$sluice" ptx "$programs/nbody" -o nbody.ptx
exits 0
file_has nbody.ptx '.entry'
run "$sluice" ptx copy.ptx
exits 0
stdout_has add
run "$sluice" ptx "$programs/nbody" -n 7
exits 1
stderr_has 'no PTX module 7'

it 'tunes the kernel of a program outside of it'
on_gpu tune nbody.ptx --grid 2 --block 128 --arg 'f32[1K]:random' --arg 'f32[1K]' --arg 'f32[1K]:zero' --arg s32:256 \
    --arg f32:0.1 --select PassL0/1 -o nbody.json
exits 0
file_has nbody.json '"mode": "L1"'

it 'runs an unmodified program with a plan, and gets the same results'
run "$sluice" run --plan nbody.json -- "$programs/nbody"
exits 0
stderr_has 'step'
stderr_has 'accesses and settings are changed'
stderr_has 'all identical'
! grep -q speedup "$scratch/stderr" || fail 'it tells times of the emulator, which knows no caches'
echo 'exit code 0' >>"$scratch/stdout"
diff "$source_root/tests/programs/expected/nbody.txt" "$scratch/stdout" >"$scratch/diff" || fail "$(cat "$scratch/diff")"

it 'also one that contains the CUDA runtime'
if [ "${SLUICE_PROGRAMS_BY:?}" = nvcc ] && [ -z "${SLUICE_SANITIZERS:-}" ] && [ "$(uname -m)" = x86_64 ]; then
    . "$source_root/tests/nvcc.sh"
    cp "$source_root"/tests/programs/nbody.cu "$source_root"/tests/programs/*.h .
    compile nbody.cu static -std=c++17 -arch=compute_75
    run "$sluice" run --plan nbody.json -- ./static
    exits 0
    stderr_has 'accesses and settings are changed'
    stderr_has 'all identical'
else
    skip 'only nvcc makes one, on x86-64, and not with the sanitizers'
fi

it 'says when the plan belongs to another program'
run "$sluice" run --plan copy.json -- "$programs/nbody"
exits 1
stderr_has 'was made for other code'
run "$sluice" run --plan nothing.json -- "$programs/nbody"
exits 1
stderr_has 'nothing.json'

done_testing
