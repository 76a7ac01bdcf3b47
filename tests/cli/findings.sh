#!/bin/sh
# SPDX-License-Identifier: MIT
# What costs most, in words: for each rule a kernel that it finds and one that it does not; workloads whose cause of
# cost is known; the forms in which findings are shown.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

cp "$source_root/tests/data/findings/kernels.ptx" .
cp "$source_root"/examples/tutorial/slow.ptx .

# rules COMMAND...: the rules that apply, as JSON has them.
rules()
{
    run "$sluice" "$@" --json -
    exits 0
    sed -n 's/^ *{"rule": "\([a-z0-9-]*\)".*/\1/p' "$scratch/stdout" | sort -u | tr '\n' ' '
}
# finds RULE COMMAND..., misses RULE COMMAND...
finds()
{
    rule=$1
    shift
    found=$(rules "$@")
    case " $found" in *" $rule "*) ;; *) fail "no $rule in '$*', but: $found" ;; esac
}
misses()
{
    rule=$1
    shift
    found=$(rules "$@")
    case " $found" in *" $rule "*) fail "$rule in '$*', with: $found" ;; esac
}
# kernel ENTRY GRID BLOCK ARGS...: the operands of a kernel.
floats='--arg f32[4M]:random --arg f32[8M]:zero'
ints='--arg s32[1M]:random:1000 --arg s32[1M]:zero'
fermi='--gpu fermi-gtx480 --set cores=1'

# shellcheck disable=SC2086 # lists of words
{
    it 'finds loads of lanes that are far apart'
    finds uncoalesced-loads model kernels.ptx --entry loads_apart --grid 2048 --block 256 $floats --arg s32:4194304
    misses uncoalesced-loads model kernels.ptx --entry loads_together --grid 2048 --block 256 $floats --arg s32:4194304

    it 'finds stores that fill sectors in part'
    finds strided-stores run kernels.ptx --entry stores_apart --grid 8192 --block 256 $floats --arg s32:4194304
    misses strided-stores model kernels.ptx --entry stores_together --grid 8192 --block 256 $floats --arg s32:4194304

    it 'finds the one load of a line that is far apart, and leaves the others out of it'
    cat >line.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry line(.param .u64 a)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<5>;
    .reg .f32 %f<9>;
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, 256, %r1;
    mul.wide.u32 %rd2, %r3, 4;
    mul.wide.u32 %rd3, %r3, 128;
    add.u64 %rd2, %rd1, %rd2;
    add.u64 %rd3, %rd1, %rd3;
    .loc 1 5 9
    ld.global.f32 %f1, [%rd2];
    ld.global.f32 %f2, [%rd2+4];
    ld.global.f32 %f3, [%rd2+8];
    ld.global.f32 %f4, [%rd3];
    ld.global.f32 %f5, [%rd2+12];
    add.f32 %f6, %f1, %f2;
    add.f32 %f7, %f3, %f4;
    add.f32 %f6, %f6, %f7;
    add.f32 %f6, %f6, %f5;
    .loc 1 6 9
    st.global.f32 [%rd2], %f6;
    ret;
}
.file 1 "line.cu"
END
    run "$sluice" model line.ptx --grid 2048 --block 256 --arg 'f32[32M]:zero'
    exits 0
    stdout_has 'uncoalesced-loads: line, line.cu:5, PTX 21, ld.global.f32 of a'
    stdout_has 'line.cu:5, PTX 18  a'
    stdout_has 'line.cu:5, PTX 19  a'
    stdout_has 'line.cu:5, PTX 21  a'

    it 'names the line that called what is inlined from a library, also in a trace, and its chain of calls'
    sed -e 's/^    .loc 1 5 9$/    .loc 1 9 9\n    .loc 2 30 5, function_name f, inlined_at 1 9 9\n    .loc 2 12 3, function_name f, inlined_at 2 30 5/' \
        -e '$a.file 2 "/usr/local/cuda/include/cub/block/block_load.cuh"' line.ptx >called.ptx
    set -- called.ptx --grid 2048 --block 256 --arg 'f32[32M]:zero'
    run "$sluice" model "$@"
    exits 0
    stdout_has 'line, line.cu:9, PTX 23 (block_load.cuh:12), ld.global.f32'
    run "$sluice" model "$@" --notes
    exits 0
    stdout_has 'line.cu:9:1: note: '
    stdout_has 'Inlined: block_load.cuh:12 < block_load.cuh:30 < line.cu:9. '
    run "$sluice" trace -q -o called.slt "$@"
    exits 0
    run "$sluice" model called.slt --json
    exits 0
    stdout_has '"inlined": "/usr/local/cuda/include/cub/block/block_load.cuh:12 < '
    run "$sluice" sim called.slt --what-if uncoalesced-loads@9
    exits 0

    it 'finds a working set that is larger than L1, and says how much of it fits'
    rows="--block 32 --arg f32[256K]:random --arg f32[64K]:zero --arg s32:128 $fermi --no-mshr --no-associativity"
    finds l1-thrashing model kernels.ptx --entry rows --grid 8 $rows
    run "$sluice" model kernels.ptx --entry rows --grid 8 $rows
    exits 0
    stdout_has 'working set of an SM is 24.0 KiB, its L1 16.0 KiB: 5 of the 8 resident blocks'
    misses l1-thrashing model kernels.ptx --entry rows --grid 1 $rows

    it 'finds lines that fall into one set'
    columns="--grid 1 --block 192 --arg f32[1M]:random --arg f32[64K]:zero $fermi"
    finds conflict-misses model kernels.ptx --entry columns $columns --arg s32:8192
    misses conflict-misses model kernels.ptx --entry columns $columns --arg s32:8224

    it 'finds a stream that evicts what other loads use again'
    stream="--grid 1 --block 512 --arg f32[40K]:random --arg f32[4M]:random --arg f32[64K]:zero $fermi"
    finds no-reuse model kernels.ptx --entry stream $stream --arg s32:3072
    misses no-reuse model kernels.ptx --entry stream $stream --arg s32:512

    it 'finds arrays in local memory'
    finds local-memory run kernels.ptx --entry local_array --grid 264 --block 256 $ints --arg s32:3
    misses local-memory run kernels.ptx --entry registers --grid 264 --block 256 $ints --arg s32:3

    it 'finds bank conflicts'
    tiles='--grid 264 --block 32,32 --arg f32[1M]:random --arg f32[1M]:zero --arg s32:4'
    finds bank-conflicts run kernels.ptx --entry bank_conflicts $tiles
    misses bank-conflicts run kernels.ptx --entry banks_padded $tiles

    it 'finds atomics on one address'
    finds hot-atomics run kernels.ptx --entry one_counter --grid 1024 --block 256 $ints --arg s32:3
    misses hot-atomics run kernels.ptx --entry many_counters --grid 1024 --block 256 $ints --arg s32:3

    it 'finds data that every SM fetches'
    shared='--grid 264 --block 256 --arg f32[16M]:random --arg f32[1M]:zero --arg s32:32768'
    finds l2-sharing model kernels.ptx --entry everyone $shared
    misses l2-sharing model kernels.ptx --entry everyone_own $shared

    it 'finds lanes that are idle'
    finds divergence model kernels.ptx --entry few_lanes --grid 1056 --block 256 $floats --arg s32:32
    misses divergence model kernels.ptx --entry few_lanes --grid 1056 --block 256 $floats --arg s32:1

    it 'finds blocks that others wait for'
    finds imbalance model kernels.ptx --entry few_blocks --grid 1056 --block 256 $floats --arg s32:132
    misses imbalance model kernels.ptx --entry few_blocks --grid 1056 --block 256 $floats --arg s32:1

    it 'finds values that are loaded again'
    finds redundant-loads model kernels.ptx --entry again --grid 1056 --block 256 $floats --arg s32:32
    misses redundant-loads model kernels.ptx --entry once --grid 1056 --block 256 $floats --arg s32:32

    it 'finds index arithmetic for few bytes'
    cat >indices.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry indices(.param .u64 a, .param .u32 width)
{
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [width];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r4, %r3, 256, %r2;
    mov.u32 %r5, 0;
LOOP:
    div.u32 %r6, %r4, %r1;
    mul.lo.u32 %r7, %r6, %r1;
    sub.u32 %r8, %r4, %r7;
    mad.lo.u32 %r9, %r6, %r1, %r8;
    mul.wide.u32 %rd2, %r9, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r10, [%rd3];
    add.u32 %r10, %r10, 1;
    st.global.u32 [%rd3], %r10;
    add.u32 %r4, %r4, 1024;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 64;
    @%p1 bra LOOP;
    ret;
}
END
    indices="--grid 1056 --block 256 --arg s32[16M]:zero --arg s32:1024"
    finds instructions model indices.ptx $indices
    sed -e 's/ld.global.u32 %r10, .%rd3./ld.global.v4.u32 {%r10, %r11, %r11, %r11}, [%rd3]/' -e 's/%r9, 4;/%r9, 16;/' \
        -e 's/st.global.u32 .%rd3., %r10/st.global.v4.u32 [%rd3], {%r10, %r10, %r10, %r10}/' indices.ptx >wide.ptx
    misses instructions model wide.ptx $indices
    misses instructions run indices.ptx $indices # no cycles are known
    run "$sluice" model indices.ptx $indices --what-if instructions
    exits 0
    stdout_has 'x as fast (estimated)'

    it 'says what the simulator saves, if asked'
    run "$sluice" model kernels.ptx --entry again --grid 1056 --block 256 $floats --arg s32:32 --confirm
    exits 0
    stdout_has '% by simulation)'

    it 'says how far apart lanes are, what rows are, and that indices can be sorted'
    run "$sluice" model kernels.ptx --entry loads_apart --grid 2048 --block 256 $floats --arg s32:4194304
    stdout_has 'Lanes are 32 bytes apart and read 4 of them: elements of 32 bytes.'
    run "$sluice" model kernels.ptx --entry rows --grid 256 --block 256 $floats --arg s32:64
    stdout_has 'Each lane reads a row of its own'
    run "$sluice" model gather
    stdout_has 'The addresses of lanes follow no stride'

    it 'finds grids that are too small'
    finds low-occupancy run kernels.ptx --entry local_array --grid 4 --block 256 $ints --arg s32:3
    misses low-occupancy run kernels.ptx --entry local_array --grid 264 --block 256 $ints --arg s32:3
}

it 'finds many short launches'
finds launch-overhead run nw
misses launch-overhead model gramschmidt

# What is known of them from their sources; see docs/findings.md.
it 'finds what is known to cost time in workloads'
while read -r rule workload; do
    finds "$rule" run "$workload"
done <<'END'
uncoalesced-loads gather
uncoalesced-loads spmv
uncoalesced-loads spmv_jds
uncoalesced-loads syrk
uncoalesced-loads syr2k
uncoalesced-loads atax
uncoalesced-loads bicg
uncoalesced-loads mvt
uncoalesced-loads gesummv
uncoalesced-loads table_stream_l2
strided-stores corr
strided-stores covar
strided-stores mersenne_twister
strided-stores radix_sort
strided-stores particlefilter
strided-stores rowcopy
bank-conflicts urng
bank-conflicts matrix_transpose
bank-conflicts convolution_separable
bank-conflicts lud
launch-overhead gaussian
launch-overhead fast_walsh
launch-overhead conv3d
launch-overhead nw_global
low-occupancy myocyte
low-occupancy heartwall
low-occupancy tpacf
END
while read -r rule workload; do # of caches
    finds "$rule" model "$workload"
done <<'END'
l1-thrashing gramschmidt
l1-thrashing layer_norm
l2-sharing matmul_cached
l2-sharing matrix_multiplication
uncoalesced-loads spmv_jds
instructions depthwise_conv
END

it 'is silent on workloads that are well tuned'
for workload in vecadd black_scholes matmul_tiled attention_f16 softmax dct8x8; do
    found=$(rules model "$workload")
    [ -z "$found" ] || fail "$workload: $found"
done

# order COMMAND WORKLOAD: rules and kernels, in the order of JSON, each once.
order()
{
    run "$sluice" "$1" "$2" --size small --json -
    exits 0
    sed -n 's/^ *{"rule": "\([a-z0-9-]*\)", "kernel": "\([^"]*\)".*/\1 \2/p' "$scratch/stdout" | uniq
}
it 'finds the same in the model and the simulator, in one order'
for workload in nw_global lud barnes_hut particlefilter srad_v1 hybridsort_merge corr spmv_jds gather; do
    modeled=$(order model "$workload")
    simulated=$(order sim "$workload")
    [ -n "$modeled" ] || fail "$workload: nothing is found"
    [ "$modeled" = "$simulated" ] || fail "$workload: by the model $modeled; by the simulator $simulated"
done

it 'says in which facts the findings of run differ'
run "$sluice" run nw_global --size small
exits 0
stdout_has '(counted work, memory read once'

it 'shows the same findings for any number of threads'
run "$sluice" model spmv --size small -j 1 --json one.json
exits 0
run "$sluice" model spmv --size small -j 3 --json three.json
exits 0
run cmp one.json three.json
exits 0

slow='--grid 256 --block 128 --arg f32[2M]:random --arg f32[32K]:zero --arg s32:32768 --arg s32:64'
it 'shows them in lines of at most 80 columns, with location, evidence and a fix'
# shellcheck disable=SC2086
run "$sluice" run slow.ptx $slow
exits 0
stdout_has '1. uncoalesced-loads: norms, slow.cu:9 (x4), ld.global.f32 of param_0'
stdout_has '32.0 sectors per request where 4.0 would do: lanes use 12.5% of the bytes.'
stdout_has 'Let neighboring lanes read neighboring words'
wide=$(sed -n '/^Findings/,$p' "$scratch/stdout" | awk 'length > 80')
[ -z "$wide" ] || fail "wider than 80 columns: $wide"

it 'gives the numbers they rest on in JSON'
# shellcheck disable=SC2086
run "$sluice" run slow.ptx $slow --json
exits 0
stdout_has '"rule": "uncoalesced-loads", "kernel": "norms"'
stdout_has '"evidence": {"sectors_per_request": 32, "ideal_sectors_per_request": 4, "used_bytes_share": 0.125}'

it 'writes them for editors, as a compiler writes notes'
# shellcheck disable=SC2086
run "$sluice" run slow.ptx $slow --notes
exits 0
grep -q '^slow.cu:9:1: note: uncoalesced loads in norms: 32.0 sectors' "$scratch/stdout" || fail "$(saw 'no note')"
# shellcheck disable=SC2086
run "$sluice" run slow.ptx $slow --notes --json
exits 2
stderr_has '--json and --notes cannot both go to standard output'

it 'writes them as SARIF, with a line for each, relative to the current folder'
# shellcheck disable=SC2086
run "$sluice" run slow.ptx $slow --sarif
exits 0
stdout_has '"version": "2.1.0"'
stdout_has '"ruleId": "uncoalesced-loads"'
stdout_has '"uri": "slow.cu", "uriBaseId": "%SRCROOT%"'
stdout_has '"region": {"startLine": 9}'
stdout_has '"fullyQualifiedName": "norms"'
if python=$(sh "$source_root/tests/python/find.sh"); then
    cp "$scratch/stdout" first.sarif
    "$sluice" model vecadd --size small -q --sarif second.sarif
    for file in first.sarif second.sarif; do
        run "$python" "$source_root/tests/python/sarif.py" "$file"
        exits 0
    done
else
    skip 'Python is missing, which checks the form'
fi

it 'shows them in simulations and reports'
# shellcheck disable=SC2086
run "$sluice" sim slow.ptx $slow --gpu fermi-gtx480
exits 0
stdout_has '1. uncoalesced-loads: norms, slow.cu:9'
# shellcheck disable=SC2086
run "$sluice" report slow.ptx $slow --brief --json
exits 0
stdout_has '"rule": "uncoalesced-loads", "kernel": "norms"'

it 'explains rules, counters and classes of misses'
run "$sluice" explain
exits 0
stdout_has 'uncoalesced-loads  global loads and asynchronous copies access at least 2 times'
run "$sluice" explain bank-conflicts
exits 0
stdout_has 'Shared memory has 32 banks of 4 bytes.'
stdout_has 'Fix: Pad rows of the array by one word'
run "$sluice" explain ld_sector_misses
exits 0
stdout_has 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum'

it 'names the nearest rule or counter for one that does not exist'
run "$sluice" explain l1-trashing
exits 2
stderr_has "did you mean 'l1-thrashing'?"

it 'explains every heading of a table'
grep -hoE 'SL_(NUMBERS|TEXTS|NAMES|PROSE)(_AS)?\(" *[^"]+"' "$source_root"/src/report/*.c "$source_root"/src/cli/*.c |
    sed 's/.*(" *//; s/"$//' | sort -u >headings
[ "$(wc -l <headings)" -gt 40 ] || fail 'the headings were not found'
while read -r heading; do
    "$sluice" explain "$heading" >/dev/null 2>&1 || fail "'sluice explain' does not know the heading '$heading'"
done <headings
run "$sluice" explain 'L1 hit' sect/req stall_way_cycles
exits 0 && stdout_has 'l1_hit_rate' && stdout_has 'sectors_per_request' && stdout_has 'of a cache level'

done_testing
