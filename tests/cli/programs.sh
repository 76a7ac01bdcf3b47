#!/bin/sh
# SPDX-License-Identifier: MIT
# Complete CUDA programs under `sluice run` and `sluice trace`. What they print is held against what an H200 printed.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
programs=${SLUICE_PROGRAMS:?} by=${SLUICE_PROGRAMS_BY:?}
expected=$source_root/tests/programs/expected
sluice=$sluice_with_programs

# Stdout and exit code of a program, as tests/programs/run_on_gpu.sh keeps them.
prints_as_on_a_gpu()
{
    # A launch that fails is a failure of the run, also where the program expects it and ends well.
    case $1 in asserting | faults) [ "$status" = 1 ] && status=0 ;; esac
    echo "exit code $status" >>"$scratch/stdout"
    diff "$expected/$1.txt" "$scratch/stdout" >"$scratch/diff" || fail "$(cat "$scratch/diff" "$scratch/stderr")"
}

names=$(sed -n 's/^\([a-z]*\):.*/\1/p' "$source_root/tests/programs/programs.txt")
for name in $names; do
    it "runs the program '$name' as a GPU does"
    if [ -x "$programs/$name" ]; then
        run "$sluice" run -- "$programs/$name"
        prints_as_on_a_gpu "$name"
    else
        skip "it was not built (by $by)"
    fi
done

# Counters of a program's launches, without what says how it was run.
# Threads of a program allocate in any order: numbers of allocations are left out.
plain()
{
    sed '/"options":/d; /"repeats":/d; /"trace_bytes":/d; s/"alloc [0-9]* in/"alloc in/' "$1"
}
counters_of()
{
    "$sluice" run --json counters.json "$@" >/dev/null 2>&1 && plain counters.json
}
# The same of its trace, as these commands see it.
traced()
{
    commands=$1 && shift
    "$sluice" trace -q -o traced.slt "$@" >/dev/null 2>&1
    for command in $commands; do
        "$sluice" "$command" traced.slt --json traced.json >/dev/null 2>&1
        plain traced.json | sed '/"trace": {/,/}/d'
    done
}

it 'counts the same for every program where launches that change nothing are run again'
for name in $names; do
    # `memory` registers what malloc returns, which is aligned differently from run to run.
    if [ ! -x "$programs/$name" ] || [ "$name" = memory ]; then
        continue
    fi
    counters_of -- "$programs/$name" >once.json
    counters_of --no-reuse -- "$programs/$name" >all.json
    traced info -- "$programs/$name" >>once.json
    traced info --no-reuse -- "$programs/$name" >>all.json
    cmp -s once.json all.json || fail "$name: $(diff once.json all.json | head -n 4 | cut -c 1-200)"
done

if [ "$by" = nothing ]; then
    it 'has programs to run'
    skip 'neither nvcc nor clang++ is installed'
    done_testing
fi

it 'reports launches on standard error; standard output belongs to the program'
run "$sluice" run -- "$programs/bfs"
stderr_has 'expand'
stderr_has 'advance'
stdout_lacks 'expand'

it 'leaves standard output to a report that goes there'
for form in --json --csv --loads; do
    run "$sluice" run $form -- "$programs/bfs"
    exits 0
    stderr_is "$(sed '$d' "$expected/bfs.txt")"
    stdout_lacks 'reached'
    stdout_has 'expand'
done
run "$sluice" run --json report.json -- "$programs/bfs"
stdout_has 'reached'

it 'says which function of the program allocated an array'
run "$sluice" run -- "$programs/bfs"
stderr_has 'param_2 (alloc 5 in main, 19.5 KiB)'
grep -qE '"allocation": "alloc 5 in main\+0x[0-9a-f]+", "allocation_bytes": 20000' report.json || fail 'not in JSON'
run "$sluice" trace -q -o sites.slt -- "$programs/bfs"
run "$sluice" compare sites.slt --gpu h200 --gpu fermi-gtx480
stdout_has 'param_2 (alloc 5 in main+0x'
run "$sluice" report sites.slt -o sites.html
file_has sites.html 'param_2 (alloc 5 in main, 19.5 KiB)'

it 'follows a program that a shell or another program starts'
for shell in 'sh -c' 'bash -c' 'env A=b sh -c' 'nice sh -c'; do
    command -v "${shell%% *}" >/dev/null || continue
    # shellcheck disable=SC2086
    run "$sluice" run -- $shell "$programs/bfs; exit 5"
    exits 5
    stdout_has PASSED
    stderr_has 'expand'
done

it 'follows Python that calls the driver by its name'
if command -v python3 >/dev/null && python3 -c 'import ctypes' 2>/dev/null; then
    cat >calls.py <<'EOF'
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
code = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r1;
    ret;
}
"""
context, module, kernel, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
out = (ctypes.c_int * 4)()
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
size = ctypes.c_size_t(16)
print(cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context),
      cuda.cuModuleLoadData(ctypes.byref(module), code), cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"count"),
      cuda.cuMemAlloc_v2(ctypes.byref(memory), size),
      cuda.cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, None, arguments, None), cuda.cuMemcpyDtoH_v2(out, memory, size))
print(list(out))
EOF
    run "$sluice" run -- python3 calls.py
    exits 0
    stdout_has '0 0 0 0 0 0 0 0'
    stdout_has '[0, 1, 2, 3]'
    stderr_has 'count'
else
    skip 'Python is not installed'
fi

it 'writes the counters of every launch as JSON'
run "$sluice" run --json report.json -- "$programs/bfs"
exits 0
for word in '"kernel": "_Z6expandPKiS0_S0_PiS1_ii"' '"name": "advance"' ld_requests ld_sectors st_requests st_sectors \
    warp_insts thread_insts; do
    file_has report.json "$word"
done
[ "$(grep -c '"index":' report.json)" = 78 ] || fail "$(grep -c '"index":' report.json) launches"

it 'counts bulk copies as an H200 does, also from a trace'
run "$sluice" trace -o bulk.slt --json bulk.json -- "$programs/bulk"
exits 0
stderr_has 'copy sectors'
for line in '"bulk_ld_sectors": 160' '"bulk_st_sectors": 33' '"bulk_red_sectors": 144' '"bulk_ld_sectors": 1280'; do
    file_has bulk.json "$line"
done
run "$sluice" model bulk.slt --csv
stdout_has ',ring,'
run "$sluice" sim bulk.slt --csv
stdout_has ',ring,'
run "$sluice" profile bulk.slt
stdout_has 'cp.async.bulk'

it 'writes the same report for any number of threads'
run "$sluice" run --json one.json -j 1 -- "$programs/reduce"
run "$sluice" run --json many.json -j 7 -- "$programs/reduce"
cmp one.json many.json || fail 'the reports differ'

it 'records a trace that has every launch'
run "$sluice" trace -o t.slt -- "$programs/bfs"
exits 0
stdout_has PASSED
run "$sluice" info t.slt
stdout_has '2 kernels, 78 launches'

it 'counts the same in the trace as in the report'
run "$sluice" info --json info.json t.slt
grep -E '"(warp_insts|ld_sectors)"' report.json | grep '"thread_insts"' >counted
grep -E '"(warp_insts|ld_sectors)"' info.json | grep '"thread_insts"' >recorded
[ "$(wc -l <counted)" = 78 ] || fail "$(wc -l <counted) launches were counted"
cmp counted recorded || fail 'the counters differ'

it 'shows launches by kernels as children of those'
if [ -x "$programs/children" ]; then
    run "$sluice" run --launch 0-3 -- "$programs/children"
    exits 0
    stderr_has 'fill (child of 0)'
    stderr_has 'thrice (child of 0)'
    run "$sluice" trace -o children.slt -- "$programs/children"
    exits 0
    run "$sluice" info --json children.json --csv children.csv children.slt
    exits 0
    [ "$(grep -c '"parent": 0' children.json)" = 18 ] || fail "$(grep -c '"parent": 0' children.json) children of 0"
    awk -F, 'NR == 1 { all = NF; for (i = 1; i <= NF; i++) if ($i == "parent") at = i } NF != all || !at { exit 1 }
        $at == "0" { n++ } END { exit n != 18 }' children.csv || fail 'children.csv has no right column for parents'
else
    skip "it was not built (by $by)"
fi

it 'gives L1 what is left of the carve-out that the program prefers'
run "$sluice" sim --json carveout.json -- "$programs/carveout"
exits 0
sizes=$(sed -n 's/.*"l1_bytes": \([0-9]*\).*/\1/p' carveout.json | tr '\n' ' ')
[ "$sizes" = '221184 20480 245760 118784 ' ] || fail "L1 has $sizes"

it 'simulates the machine code that a program has for the GPU'
warp_insts() # of a launch, as the machine with settings "$@" issues it
{
    run "$sluice" sim --gpu h200 --launch 0-0 --json machine.json "$@" -- "$programs/nbody"
    exits 0
    sed -n 's/.*"counters": {.*"warp_insts": \([0-9]*\).*/\1/p' machine.json | head -1
}
with=$(warp_insts) without=$(warp_insts --set core.machine_code=0)
[ "${with:-none}" != "${without:-none}" ] || fail "$with instructions with machine code, $without without"

it 'finds no races in a program that has none, and names both sides of one'
run "$sluice" run --check=race -- "$programs/reduce"
exits 0
run "$sluice" run --check=race -- "$programs/races"
exits 1
stderr_has 'race on shared memory at'
stderr_has 'with no barrier in between'

it 'keeps products and sums apart when asked to'
run "$sluice" run --fp-contract=off -- "$programs/contraction"
exits 0
grep '^kept' "$expected/contraction.txt" >kept
grep -qxFf kept "$scratch/stdout" || fail 'a product that is kept has changed'
grep '^two sums' "$expected/contraction.txt" >fused
grep -qxFf fused "$scratch/stdout" && fail 'the products of two sums are still fused'

it 'profiles, models, simulates, reports and tunes a program as it does its trace'
for command in profile model 'sim --gpu fermi-gtx480' 'report --brief -o bfs.html' \
    'tune --gpu fermi-gtx480 --select ours -k expand'; do
    # shellcheck disable=SC2086
    run "$sluice" $command -j 1 --csv program.csv -- "$programs/bfs"
    exits 0
    stdout_has PASSED
    stdout_lacks 'bfs on '
    stderr_has 'bfs on '
    # shellcheck disable=SC2086
    run "$sluice" $command -j 1 --csv trace.csv t.slt
    exits 0
    stdout_has 't.slt on '
    sed 's,^[^,]*/bfs,t.slt,' program.csv | cmp -s - trace.csv || fail "$command differs: $(diff program.csv trace.csv)"
done
run "$sluice" tune -k expand -o plan.json -- "$programs/bfs"
exits 0
file_has plan.json "\"code_hash\": \"$("$sluice" ptx --csv "$programs/bfs" | sed -n 's/.*,\([0-9a-f]*\),[0-9]*,.*expand.*/\1/p')\""
run "$sluice" sim t.slt --plan plan.json --code "$programs/bfs" -q
exits 0

it 'tunes the kernels of every file of a program without a GPU, and applies the plans of all'
run "$sluice" tune --gpu h200 --kernels 2 -o plan.json -- "$programs/convolve"
exits 0
[ "$(grep -c '"sluice_plan"' plan.json)" = 2 ] || fail "not a plan for each file: $(cat plan.json)"
file_has plan.json '"function": "_Z4fillPfi", "base": '
file_has plan.json '"function": "_Z6filterPKfPfi", "base": '
sed -e '/_Z4fillPfi.*"st\.global/s/"mode": "none"/"mode": "cs"/' -e '/_Z6filterPKfPfi.*"ld\.global/s/"mode": "none"/"mode": "L1"/' plan.json >all.json
run "$sluice" run --plan all.json -- "$programs/convolve"
exits 0
stdout_has PASSED
stderr_has '10 accesses and settings are changed; 8036 bytes in 3 copies to the host'
run "$sluice" sim --plan all.json --csv planned.csv -q -- "$programs/convolve"
exits 0
run "$sluice" sim --csv plain.csv -q -- "$programs/convolve"
! cmp -s plain.csv planned.csv || fail 'the plan changes nothing'
run "$sluice" tune --select PassL0/1 -o passed.json -- "$programs/convolve"
exits 0
stderr_has ' cycles, with the plan '
file_has passed.json '"program_after": '
run "$sluice" tune --kernels 1 -o plan.json -- "$programs/convolve"
! grep -q _Z4fill plan.json || fail 'more than one kernel was tuned'
run "$sluice" run --plan plan.json -- "$programs/convolve"
exits 1
stderr_has 'plan.json changes nothing: there was nothing to gain'

it 'fails where no launch matches, and lists the kernels'
for command in run 'trace -o none.slt' model; do
    # shellcheck disable=SC2086
    run "$sluice" $command -k nothing -- "$programs/bfs"
    exits 1
    stdout_has PASSED
    stderr_has "no launch matches --kernel 'nothing'; the kernels are: expand, advance"
done

it 'records only what the filters let through'
run "$sluice" trace -o few.slt --kernel '^expand' --launch 0-9 -- "$programs/bfs"
exits 0
run "$sluice" info few.slt
stdout_has '1 kernel, 5 launches'

it 'records to the folder it was started in, wherever the program goes'
mkdir elsewhere
run "$sluice" trace -o here.slt -- sh -c "cd elsewhere && '$programs/convolve'"
exits 0
exists here.slt
absent elsewhere/here.slt

it 'passes arguments, input and the exit code through'
# shellcheck disable=SC2016
run "$sluice" run -- sh -c 'echo "$1"; cat; exit 7' x 'two words'
exits 7
stdout_is 'two words'

it 'keeps what was launched when the program is killed'
run "$sluice" run --json killed.json -- sh -c "'$programs/convolve' && '$programs/reduce'; kill -9 \$\$"
exits 137
stderr_has 'killed by signal 9'
file_has killed.json '"name": "filter"'
file_has killed.json '"name": "scan"'

it 'counts the launches of several processes on'
[ "$(grep -c '"index":' killed.json)" = 6 ] || fail "$(grep -c '"index":' killed.json) launches"
file_has killed.json '"index": 5'

it 'does not count processes that only look for a GPU'
run "$sluice" model -- sh -c "'$programs/attributes' >seen; '$programs/reduce'; '$programs/attributes' >seen"
exits 0
stdout_has scan
run "$sluice" trace -o looked.slt -- sh -c "'$programs/attributes' >seen; '$programs/reduce'"
exits 0
run "$sluice" model looked.slt
stdout_has scan
[ ! -e looked.slt.1 ] || fail "there are two traces"

it 'models one of several processes'
run "$sluice" model -- sh -c "'$programs/convolve'; '$programs/reduce'"
exits 1
stderr_has '2 processes of sh launched kernels; choose one with --process N (1 to 2)'
run "$sluice" model --process 2 -- sh -c "'$programs/convolve'; '$programs/reduce'"
exits 0
stderr_has ' scan '
stderr_lacks filter
run "$sluice" run --process 1 -- sh -c "'$programs/convolve'; '$programs/reduce'"
stderr_has filter
stderr_lacks ' scan '
run "$sluice" model --process 3 -- sh -c "'$programs/convolve'; '$programs/reduce'"
exits 1
stderr_has '--process 3: 2 processes launched kernels'

it 'names kernel, block, thread, line and address of an illegal access'
run "$sluice" run -- "$programs/faults"
stderr_has 'illegal 4-byte write at 0x0'
stderr_has 'kernel write, block (0,0,0), thread (0,0,0)'
stderr_has 'misaligned 4-byte write'

it 'warns once of an out-of-bounds read, with its location'
run "$sluice" run -- "$programs/borders"
exits 0
stderr_has 'sluice: warning: '
stderr_has 'illegal 4-byte read at'
stderr_has 'bytes before alloc '
stderr_has 'kernel blur, block (0,0,0), thread (0,0,0)'
stderr_has 'a GPU does not notice this and 255 other accesses of the launch'
[ "$(grep -c 'sluice: warning' "$scratch/stderr")" = 1 ] || fail 'there was more than one warning'

it 'says nothing of such reads with --quiet'
run "$sluice" run -q -- "$programs/borders"
exits 0
stderr_is ''

it 'ends a launch that reads just outside of an allocation with --check=address'
run "$sluice" run --check=address -- "$programs/borders"
exits 2
stdout_has 'an illegal memory access was encountered'
stderr_has 'illegal 4-byte read at'
stderr_lacks 'warning'

it 'ends an endless loop when asked to'
run "$sluice" run --max-instructions 1000 -- "$programs/pingpong"
exits 2
stdout_has 'the launch timed out and was terminated'

it 'runs a program that was linked with a run path'
cp "$programs/convolve" linked
run env LD_LIBRARY_PATH=/usr/local/cuda/lib64 "$sluice" run -- ./linked
exits 0
stdout_has PASSED

it 'says that a program is missing'
run "$sluice" run -- ./nothing
exits 1
stderr_has 'cannot run ./nothing: No such file or directory'
run "$sluice" run -- nothing-of-that-name
exits 1
stderr_has "program 'nothing-of-that-name' is not on the PATH"

it 'suggests ./ for a program of this folder'
run "$sluice" run -- linked
exits 1
stderr_has 'did you mean ./linked?'

it 'takes the program with it when it is killed, and removes with the next run what is left'
export TMPDIR="$PWD/tmp"
mkdir tmp
start "$sluice_with_programs" run -- sh -c 'echo $$ >pid; exec sleep 1000'
while [ ! -s pid ] && kill -0 "$started" 2>/dev/null; do sleep 0.05; done
kill -KILL "$started"
wait "$started" 2>/dev/null
# Its end may be for nobody to wait for.
runs() { kill -0 "$(cat pid)" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$(cat pid)/status" 2>/dev/null; }
for _ in 1 2 3 4 5 6 7 8 9 10; do runs && sleep 0.1; done
! runs || fail 'the program still runs'
[ "$(find tmp -mindepth 1 | wc -l)" = 1 ] || fail "left: $(ls tmp)"
run "$sluice_with_programs" run -- true
exits 0
empty_directory tmp
unset TMPDIR

it 'says once that a disk is full'
mkdir mnt
cat >full.sh <<EOF
mount -t tmpfs -o size=64k tmpfs mnt || exit 99
"$sluice" trace -q -o mnt/t.slt -- "$programs/bfs" >said 2>&1 && echo 'exit code 0'
[ "\$(grep -c 'No space left on device' said)" = 1 ] || cat said
[ -z "\$(ls mnt)" ] || ls mnt
TMPDIR=\$PWD/mnt "$sluice" model -- "$programs/bfs" >said 2>&1 && echo 'exit code 0'
[ "\$(grep -c 'No space left on device' said)" = 1 ] || cat said
grep -q 'nothing was recorded of .*bfs' said || cat said
EOF
run unshare -Urm sh full.sh
if [ "$status" = 99 ] || [ "$status" = 127 ] || grep -q unshare "$scratch/stderr"; then
    skip 'no disk of 64 KiB can be mounted here'
else
    stdout_is ''
fi

it 'removes its temporary files'
mkdir temporary
run env TMPDIR="$PWD/temporary" "$sluice" run -- "$programs/convolve"
exits 0
empty_directory temporary

# What only nvcc can make.
if [ "$by" != nvcc ]; then
    done_testing
fi
. "$source_root/tests/nvcc.sh"

it 'does not run a launch of a timing loop again that changes nothing'
cat >timing.cu <<'EOF'
#include <cstdio>
__global__ void work(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += x[(i + 37 * k) % n];
    y[i] = sum;
}
__global__ void count(int *c) { atomicAdd(c, 1); }
int main()
{
    const int n = 4096;
    float *x, *y;
    int *c;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    cudaMallocManaged(&c, sizeof *c);
    for (int i = 0; i < n; i++)
        x[i] = i % 8;
    for (int i = 0; i < 100; i++)
        work<<<n / 256, 256>>>(y, x, n);
    cudaDeviceSynchronize();
    printf("%g", y[3]);
    x[3] += 1000; // y[3] has it once, and nothing tells of it
    work<<<n / 256, 256>>>(y, x, n);
    for (int i = 0; i < 10; i++)
        count<<<1, 32>>>(c);
    cudaDeviceSynchronize();
    printf(" %g %d\n", y[3], *c);
}
EOF
compile timing.cu timing -arch=sm_90 -cudart shared
run "$sluice" run -- ./timing
stdout_is '224 1224 320'
stderr_has '98 of 111 launches did exactly what an earlier one did, and were not run again'
counters_of -- ./timing >once.json
run "$sluice" run --no-reuse -- ./timing
stdout_is '224 1224 320'
stderr_lacks 'were not run again'
counters_of --no-reuse -- ./timing >all.json
cmp -s once.json all.json || fail "$(diff once.json all.json | head -n 4 | cut -c 1-200)"

it 'refers to the launch that ran, in a trace, and analyzes it as if all had run'
traced 'info model sim' -- ./timing >once.json
run "$sluice" info traced.slt
stdout_has '98 of 111 launches did exactly what an earlier one did, and were not run again'
run "$sluice" info traced.slt --json
stdout_has '"repeats": 1,'
traced 'info model sim' --no-reuse -- ./timing >all.json
run "$sluice" info traced.slt
stdout_lacks 'were not run again'
[ -s all.json ] || fail 'nothing was analyzed'
cmp -s once.json all.json || fail "$(diff once.json all.json | head -n 4 | cut -c 1-200)"
cat >small.cu <<'END'
#include <cstdio>
__global__ void k(int *x) { *x = 1; }
int main()
{
    int *x;
    cudaMalloc(&x, 4);
    k<<<1, 1>>>(x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END

it 'tells a program without PTX which flag it needs'
compile small.cu machine -cudart shared -gencode arch=compute_90,code=sm_90
run "$sluice" run -- ./machine
exits 1
stderr_has 'contains machine code for sm_90 but no PTX; compile it with nvcc -gencode arch=compute_90,code=compute_90'
compile small.cu machine -cudart shared -gencode arch=compute_90a,code=sm_90a
run "$sluice" run -- ./machine
exits 1
stderr_has 'contains machine code for sm_90a but no PTX; compile it with nvcc -gencode arch=compute_90a,code=compute_90a'

it 'takes the code for the chip where a program has some'
cat >chip.cu <<'END'
#include <cstdio>
__global__ void k(int *x)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    *x = 90;
#else
    *x = 1;
#endif
}
int main()
{
    int *x, y = 0;
    cudaMalloc(&x, 4);
    k<<<1, 1>>>(x);
    cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", y);
}
END
compile chip.cu chip -cudart shared -gencode arch=compute_90,code=compute_90 -gencode arch=compute_90a,code=compute_90a
run "$sluice" run -- ./chip
stdout_is 90
run "$sluice" run --compute-capability 10.0 -- ./chip
stdout_is 1

it 'lists the PTX of a program and marks what runs'
run "$sluice" ptx --csv ./chip
stdout_has ',sm_90,no,'
stdout_has ',sm_90a,yes,'

it 'reports what a launch has counted that is interrupted'
cat >endless.cu <<'END'
__global__ void k(volatile int *x)
{
    x[threadIdx.x + 1] = 7;
    while (blockIdx.x > 2 && !x[0])
        ;
}
int main()
{
    int *x;
    cudaMalloc(&x, 4096);
    k<<<8, 32>>>(x);
    cudaDeviceSynchronize();
}
END
compile endless.cu endless -cudart shared -arch=compute_75
run timeout -k 60 -s INT 3 "$sluice" run --times --csv interrupted.csv -- ./endless
stderr_has 'interrupted'
stderr_has ' s of emulation'
stderr_lacks ' 0.00 s of emulation'
stderr_has 'killed by signal 2'
file_has interrupted.csv ',k,'

it 'keeps what was recorded when the program crashes'
sed 's/printf.*/cudaDeviceSynchronize(); __builtin_trap();/' small.cu >crash.cu
compile crash.cu crash -cudart shared -arch=compute_75
run "$sluice" trace -o crash.slt -- ./crash
exits 132
stderr_has 'killed by signal 4'
stderr_has 'the program ended early; crash.slt contains what was recorded until then'
run "$sluice" info crash.slt
stdout_has '1 launch'

it 'finds reads of memory that was never written'
sed 's/\*x = 1/x[0] = x[1] + 1/; s/(&x, 4)/(\&x, 8)/' small.cu >careless.cu
compile careless.cu careless -cudart shared -arch=compute_75
run "$sluice" run -- ./careless
stdout_is cudaSuccess
run "$sluice" run --check=uninit -- ./careless
stdout_is cudaErrorLaunchFailure
stderr_has 'never written'

it 'takes the best of several PTX texts in every compression'
for mode in none speed size; do
    compile small.cu packed -cudart shared -gencode arch=compute_75,code=compute_75 \
        -gencode arch=compute_90,code=compute_90 --compress-mode=$mode
    run "$sluice" run -- ./packed
    exits 0
    stdout_is cudaSuccess
done

# Kernels are known by their addresses, which modules that are loaded later get again.
it 'tells kernels of modules apart that were loaded one after the other'
cat >modules.c <<'END'
#include <stdlib.h>
int cuInit(unsigned), cuDeviceGet(int *, int), cuCtxCreate_v2(void **, unsigned, int), cuModuleLoad(void **, const char *);
int cuModuleGetFunction(void **, void *, const char *), cuModuleUnload(void *), cuMemAlloc_v2(unsigned long long *, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int main(void)
{
    static const char *const files[] = {"one.ptx", "two.ptx"}, *const names[] = {"one", "two"};
    int device, bad;
    void *context, *module, *kernel;
    unsigned long long buffer;
    void *parameters[] = {&buffer};
    bad = cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate_v2(&context, 0, device) || cuMemAlloc_v2(&buffer, 4096);
    for (int i = 0; i < 20 && !bad; i++)
        bad = cuModuleLoad(&module, files[i % 2]) || cuModuleGetFunction(&kernel, module, names[i % 2]) ||
              cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, parameters, 0) || cuModuleUnload(module);
    return bad;
}
END
module() # NAME STORES
{
    printf '.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry %s(.param .u64 p)\n{ .reg .b64 %%a; ld.param.u64 %%a, [p];\n' "$1"
    i=0
    while [ $i -lt "$2" ]; do echo "st.global.u32 [%a+$((4 * i))], 1;" && i=$((i + 1)); done
    echo 'ret; }'
}
module one 1 >one.ptx
module two 3 >two.ptx
if "${CC:-cc}" -o modules modules.c -L"${SLUICE_BUILD:-}/lib/sluice/cuda" -l:libcuda.so.1 2>modules.errors; then
    run "$sluice" run -q --json modules.json -- ./modules
    exits 0
    [ "$(grep -o '"name": "[a-z]*"' modules.json | uniq | wc -l)" = 20 ] || fail 'the kernels do not take turns'
    [ "$(grep -c '"st_requests": 3' modules.json)" -ge 10 ] || fail 'the second kernel does not have three stores'
else
    skip "$(head -1 modules.errors)"
fi

done_testing
