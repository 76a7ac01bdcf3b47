#!/bin/sh
# SPDX-License-Identifier: MIT
# Built-in workloads and kernels of PTX files, as a person runs them.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

cat >add.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry add_to(.param .u64 data, .param .f32 amount, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.f32 %f1, [amount];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    add.f32 %f3, %f2, %f1;
    st.global.f32 [%rd3], %f3;
DONE:
    ret;
}
END

it 'lists the workloads, a line each, with what they execute and access'
run "$sluice" workloads
exits 0
stdout_has 'workload  '
stdout_has 'matmul_tiled'
stdout_has '2.52 M'
stderr_is ''

it 'shows the sizes and parameters of a workload'
run "$sluice" workloads matmul_tiled
exits 0
stdout_has '    small    n=64 (1 launch, 43,648 warp instructions, 48.0 KiB footprint)'
stdout_lacks 'vecadd'

it 'transposes as AMD APP SDK 2.5 does: each store of a warp goes to 16 rows'
run "$sluice" run matrix_transpose --size small sdk=25 --csv=launches.csv
exits 0
stdout_has 'all equal'
run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 2 { print $c["st_sectors"] / $c["st_requests"] }' launches.csv
stdout_is 16

it 'relaxes edges as LonestarGPU does: a warp of vertices with 4 edges loads 1 + 4 * 10 times'
run "$sluice" run sssp vertices=1024 mean=4 road=2 lonestar=1024 --csv=launches.csv
exits 0
stdout_has 'all equal'
run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 2 { print $c["ld_requests"] / 32 }' launches.csv
stdout_is 41

it 'takes two vertices of a thread where blocks have 512 threads'
run "$sluice" run sssp vertices=1024 mean=4 road=2 lonestar=512 --csv=launches.csv
exits 0
stdout_has 'all equal'
run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 2 { print $c["grid_x"], $c["ld_requests"] / 32 }' launches.csv
stdout_is '2 41'

it 'searches and tracks on the arrays of Rodinia'
run "$sluice" run btree --size small rodinia=1
exits 0
stdout_has 'all equal'
run "$sluice" run heartwall --size small shared=1
exits 0
stdout_has 'all within the error allowed'

it 'lists the workloads with a tag or of a class'
run "$sluice" workloads --tag sparse
exits 0
stdout_has 'spmv'
stdout_lacks 'vecadd'
run "$sluice" workloads --tag atomic
exits 0
stdout_has 'histogram'
stdout_lacks 'vecadd'

it 'says when no workload is what was asked for'
run "$sluice" workloads --tag nothing
exits 2
stderr_has "no workload has the tag 'nothing'"
run "$sluice" workloads --tag atomik
exits 2
stderr_has "no workload has the tag 'atomik'; did you mean 'atomic'?"
run "$sluice" workloads --paper frcc
exits 2
stderr_has "unknown paper 'frcc'; did you mean 'frc'?"
run "$sluice" workloads matmull
exits 2
stderr_has "the nearest is 'matmul'"

it 'lists the workloads as JSON and CSV'
run "$sluice" workloads --json
exits 0
stdout_has '{"name": "vecadd", "class": "streaming", "papers": "", "tags": "regular", "summary": "vector addition: c = a + b", "sizes": {"small": {"parameters": "n=4096", "launches": 1, "warp_insts": 2816,'
run "$sluice" workloads vecadd --csv
exits 0
stdout_has 'vecadd,streaming,,regular,1,1441792,46137344,25165824,n=2097152,vector addition: c = a + b'

it 'runs a workload and checks its result'
run "$sluice" run matmul --size small
exits 0
stdout_has 'matmul n=64, seed 1: 4096 values checked against the CPU, all equal'
stderr_is ''

it 'runs a workload with a parameter and a seed'
run "$sluice" run stencil2d --size small --seed 9 steps=3 width=40
exits 0
stdout_has 'stencil2d width=40 height=96 steps=3, seed 9: 3840 values checked'

it 'skips the check with --no-check'
run "$sluice" run vecadd --size small --no-check
exits 0
stdout_has 'not checked'

it 'suggests the nearest workload for a wrong one'
run "$sluice" run matmull
exits 2
stderr_has "'matmull' is neither a file nor a workload; did you mean 'matmul'?"

it 'suggests the nearest parameter for a wrong one'
run "$sluice" run stencil2d --size small stpes=2
exits 1
stderr_has "stencil2d has no parameter 'stpes', did you mean steps"

it 'shows the same for any number of threads'
for workload in spmv histogram; do
    run "$sluice" run $workload --size small --json one.json -j 1
    exits 0
    run "$sluice" run $workload --size small --json four.json -j 4
    exits 0
    sed 's/-j [14]//; s/one.json//; s/four.json//' one.json >one
    sed 's/-j [14]//; s/one.json//; s/four.json//' four.json >four
    cmp -s one four || fail "$workload: -j 1 and -j 4 differ"
done

it 'records a workload'
run "$sluice" trace -o mm.slt matmul --size small
exits 0
exists mm.slt

it 'writes no trace when the workload cannot run'
run "$sluice" trace -o none.slt matmul n=0
exits 1
stderr_has 'n=0 is out of range'
absent none.slt

it 'runs a kernel of a PTX file and shows its results'
run "$sluice" run add.ptx --grid 2 --block 8 --arg 'f32[10]:iota' --arg f32:0.5 --arg u32:10 --dump 0
exits 0
stdout_has 'argument 0, f32[10]:iota'
stdout_has '       0: 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5'
stdout_has '       8: 8.5 9.5'

it 'writes the results of a kernel to a file'
run "$sluice" run add.ptx --grid 1 --block 32 --arg 'f32[4]:1' --arg f32:2 --arg u32:4 --dump 0:out.bin
exits 0
run od -A n -t f4 out.bin
stdout_is '               3               3               3               3'

it 'says what arguments a kernel takes'
run "$sluice" run add.ptx --grid 1 --block 32 --arg 'f32[4]'
exits 1
stderr_has 'kernel add_to takes 3 arguments (.u64, .f32, .u32), but 1 --arg was given'

it 'says which argument has the wrong size'
run "$sluice" run add.ptx --grid 1 --block 32 --arg 'f32[4]' --arg f64:1 --arg u32:4
exits 1
stderr_has 'argument 1 of add_to is 8 bytes, but the parameter takes 4'

it 'names the nearest kernel for a wrong one'
run "$sluice" run add.ptx --entry add_two --grid 1 --block 32
exits 1
stderr_has "the nearest is 'add_to'"

it 'wants a grid and a block'
run "$sluice" run add.ptx --block 32
exits 2
stderr_has '--grid is missing'
run "$sluice" run add.ptx --grid 32
exits 2
stderr_has '--block is missing'

it 'names kernel, thread, line and allocation when a kernel goes astray'
run "$sluice" run add.ptx --grid 1 --block 32 --arg 'f32[4]' --arg f32:1 --arg u32:5
exits 1
stderr_has 'add_to'
stderr_has 'arg 0'

it 'says where a PTX file is wrong'
printf '.version 7.0\n.target sm_80\n.visible .entry k( { ret; }\n' >bad.ptx
run "$sluice" run bad.ptx --grid 1 --block 1
exits 1
stderr_has 'bad.ptx:3:'

it 'says that a PTX file is not there'
run "$sluice" run absent.ptx --grid 1 --block 1
exits 1
stderr_has 'cannot read absent.ptx: No such file or directory'

it 'says what it looked for when there is no GPU'
if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    skip 'there is a CUDA driver here'
else
    run "$sluice" run --on gpu matmul --size small
    exits 1
    stderr_has 'libcuda.so.1'
fi

# A driver library of the tests, whose launches take 2.5 ms and which knows one kernel.
mkdir driver && ln -s "${SLUICE_FAKE_CUDA:?}" driver/libcuda.so.1
cat >fill.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry fill_u32(.param .u64 out, .param .u32 value, .param .u32 n) { ret; }
END

it 'times the launches of a real GPU'
run env LD_LIBRARY_PATH=driver "$sluice" run --on gpu fill.ptx --grid 1 --block 32 --arg 'u32[4]' --arg u32:7 --arg u32:4 --dump 0
exits 0
stdout_has '       0: 7 8 9 10'
stdout_has '2.50 ms'
stdout_lacks 'warp insts'

it 'reports the time of a launch as JSON'
run env LD_LIBRARY_PATH=driver "$sluice" run --on gpu fill.ptx --grid 1 --block 32 --arg 'u32[4]' --arg u32:7 --arg u32:4 --json
exits 0
stdout_has '"device": "gpu"'
stdout_has '"counters": {"time_ns": 2500000}'

it 'records nothing on a real GPU'
run "$sluice" trace -o gpu.slt --on gpu matmul
exits 2
stderr_has "unknown option '--on'"
absent gpu.slt

it 'multiplies band matrices, whose columns are near the diagonal'
sectors() { "$sluice" run spmv_jds rows=3000 mean=12 "$1" --csv -q | awk -F, 'NR == 2 { print $11 }'; }
near=$(sectors band=100)
far=$(sectors band=1500)
if [ "$near" -eq 0 ] || [ "$near" -ge "$far" ]; then fail "$near sectors with a narrow band, $far with a wide one"; fi

it 'runs where the address space is limited'
if [ -n "${SLUICE_SANITIZERS:-}" ]; then
    skip 'the sanitizers need more of it'
else
    run sh -c 'ulimit -v 2000000 && exec "$0" run matmul --size small' "$sluice"
    exits 0
    stdout_has 'all equal'
fi

done_testing
