#!/bin/sh
# SPDX-License-Identifier: MIT
# LLVM IR as a person uses it: run, apply. Its back ends are LLVM's, so without LLVM only the message is tested.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
data=$source_root/tests/data/llvm

# A plan for code of hash $1: one load of spmv_jds for each "INSTRUCTION MODE" that follows.
plan()
{
    printf '{"sluice_plan": 1, "code_hash": "%s", "form": "llvm-ir", "loads": [' "$1"
    shift
    between=
    for load; do
        printf '%s{"function": "spmv_jds", "instruction": %s, "mode": "%s"}' "$between" "${load% *}" "${load#* }"
        between=', '
    done
    echo ']}'
}

# What `apply` says that the hash of file $1 is; the options that follow choose the LLVM.
hash_of()
{
    plan 0000000000000000 >none.json
    "$sluice" apply none.json "$@" 2>&1 | sed -n 's/.*has \([0-9a-f]\{16\}\);.*/\1/p'
}

it 'says what to install when the wanted LLVM is missing, and exits 1'
plan 0000000000000000 >none.json
run "$sluice" apply none.json "$data/spmv_jds.ll" --llvm 13
exits 1
stderr_has 'LLVM 13 is not one that Sluice knows: 14 to 19'
run "$sluice" apply none.json "$data/spmv_jds.ll" --llvm ./libLLVM.so
exits 1
stderr_has 'no LLVM in ./libLLVM.so'

installed=
for version in 14 15 16 17 18 19; do
    "$sluice" apply none.json "$data/spmv_jds.ll" --llvm $version >/dev/null 2>said
    if grep -q 'is not installed' said; then
        grep -qF "apt install libllvm$version" said || fail "LLVM $version: $(cat said)"
    else
        installed="$installed $version"
    fi
done

if [ -z "$installed" ]; then
    run "$sluice" run "$data/spmv_jds.ll" --workload spmv_jds
    exits 1
    stderr_has 'LLVM IR needs LLVM, which is not installed'
    done_testing
fi

for version in 14 19; do
    it "marks chosen loads, and shows their bits, with LLVM $version"
    case $installed in
    *$version*) ;;
    *) skip "LLVM $version is not installed" && continue ;;
    esac
    hash=$(hash_of "$data/spmv_jds.ll" --llvm $version)
    plan "$hash" '19 L1' '21 L2' '15 L2' >plan.json
    run "$sluice" apply plan.json "$data/spmv_jds.ll" -o out.ll --llvm $version
    exits 0
    stdout_has '3 of 14 loads bypass'
    stdout_has 'which also makes the wavefront wait'
    stdout_has 'global_load_dword  glc dlc'
    stdout_has 'global_load_dword  slc'
    stderr_has 'line 30 (mode L2) is a scalar load'
    [ "$(grep -c 'load volatile' out.ll)" = 1 ] || fail 'not one volatile load'
    [ "$(grep -c 'load .*!nontemporal' out.ll)" = 2 ] || fail 'not two nontemporal loads'
    run "$sluice" apply plan.json "$data/spmv_jds.ll" -o out.bc --llvm $version -q --csv marked.csv
    exits 0
    stdout_is ''
    file_has marked.csv ',global_load_dword,glc dlc,glc dlc,'
    file_has marked.csv ',L2,s_load_dword,slc,,"is a scalar load'
    [ "$(head -c 2 out.bc)" = BC ] || fail 'out.bc is no bitcode'

    it "runs bitcode and text alike, marked or not, with LLVM $version"
    run "$sluice" run out.bc --workload spmv_jds --size small --llvm $version
    exits 0
    stdout_has 'checked against the CPU, all equal'
    run "$sluice" run "$data/spmv_jds.ll" --workload spmv_jds --size small rows=500 --llvm $version
    exits 0
    stdout_has 'rows=500'
    stdout_has 'spmv_jds.cu:33'
done

it 'refuses a plan for other code and keeps the old output'
echo precious >kept.ll
run "$sluice" apply none.json "$data/spmv_jds.ll" -o kept.ll
exits 1
stderr_has 'the plan belongs to other code'
stderr_has 'a plan made with another version does not fit either'
file_is kept.ll precious
run "$sluice" apply plan.json "$source_root/workloads/spmv/spmv.ptx"
exits 1
stderr_has 'the plan is for llvm-ir'

it 'runs code that was not optimized, as it is and after -O2'
cat >slow.ll <<'END'
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @spmv_jds(i32 addrspace(1)* %a) {
  %v = alloca i32 addrspace(1)*, addrspace(5)
  store i32 addrspace(1)* %a, i32 addrspace(1)* addrspace(5)* %v
  %p = load i32 addrspace(1)*, i32 addrspace(1)* addrspace(5)* %v
  %x = load i32, i32 addrspace(1)* %p
  %y = add i32 %x, 1
  store i32 %y, i32 addrspace(1)* %p
  ret void
}
END
run "$sluice" run slow.ll --grid 1 --block 1 --arg 'u32[2]:41' --dump 0
exits 0
stdout_has '42 41'
run "$sluice" run slow.ll --optimize --grid 1 --block 1 --arg 'u32[2]:41' --dump 0
exits 0
stdout_has '42 41'

it 'tunes on the simulator without a GPU, and applies what it found'
run "$sluice" tune slow.ll --optimize --on sim --gpu rx6900xt --no-cache --select PassL2 -o tuned.json --grid 64 --block 256 --arg 'u32[1]:0'
exits 0
stdout_has ' on sim rx6900xt'
file_has tuned.json '"form": "llvm-ir"'
file_has tuned.json '"timer": "sim rx6900xt"'
file_has tuned.json '"array": "a"'
run "$sluice" apply tuned.json slow.ll -o tuned.ll
exits 0
run "$sluice" tune "$data/spmv_jds.ll" --workload spmv_jds rows=64 mean=2 --on sim --gpu rx6900xt --no-cache --select paper -j 1 -o one.json
exits 0
stdout_has 'a scalar load'
run "$sluice" tune "$data/spmv_jds.ll" --workload spmv_jds rows=64 mean=2 --on sim --gpu rx6900xt --no-cache --select paper -j 2 -o two.json
exits 0
grep -v made_by one.json >one
grep -v made_by two.json >two
cmp -s one two || fail 'plans differ by the number of threads'
run "$sluice" tune spmv --size small rows=64 --on sim --gpu fermi-gtx480 --no-cache --select Liang
exits 0
stdout_has ' on sim fermi-gtx480'

it 'says what tuning lacks'
run "$sluice" tune slow.ll --on gpu --grid 1 --block 1 --arg 'u32[1]:0'
exits 1
stderr_has 'slow.ll is LLVM IR, which only the simulator can time; use --on sim'
run "$sluice" tune slow.ll
exits 2
stderr_has '--grid is missing'
run "$sluice" tune slow.ll --workload spmw
exits 2
stderr_has 'spmv'

it 'refuses a mode that a load cannot take'
hash=$(hash_of "$data/spmv_jds.ll")
plan "$hash" '19 L3' >plan.json
run "$sluice" apply plan.json "$data/spmv_jds.ll"
exits 1
stderr_has "unknown mode 'L3'"
plan "$hash" '3 L1' >plan.json
run "$sluice" apply plan.json "$data/spmv_jds.ll"
exits 1
stderr_has 'has no load there'
sed 's/\(%[0-9a-z.]* = load\) i32/\1 volatile i32/' "$data/spmv_jds.ll" >volatile.ll
plan "$(hash_of volatile.ll)" '15 L2' >plan.json
run "$sluice" apply plan.json volatile.ll
exits 1
stderr_has 'cannot take mode L2: it is volatile already'
cat >nvidia.ll <<'END'
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @spmv_jds(i32 addrspace(1)* %a) {
  %x = load i32, i32 addrspace(1)* %a
  store i32 %x, i32 addrspace(1)* %a
  ret void
}
END
plan "$(hash_of nvidia.ll)" '0 nc' >plan.json
run "$sluice" apply plan.json nvidia.ll
exits 1
stderr_has 'mode nc of spmv_jds cannot be written into LLVM IR'
stderr_has 'compile it to PTX and tune that'
sed 's/ptx_kernel //; s/ addrspace(1)\*/*/g' nvidia.ll >device.ll
plan "$(hash_of device.ll)" '0 L2' >plan.json
run "$sluice" apply plan.json device.ll
exits 1
stderr_has 'its address may be of shared or local memory'

it 'writes the controls of NVIDIA GPUs as inline assembly, which LLVM compiles to their operators'
cat >controls.ll <<'END'
target triple = "nvptx64-nvidia-cuda"
define void @spmv_jds(i32 addrspace(1)* %a, <4 x float> addrspace(1)* %v, double* %f) {
  %x = load i32, i32 addrspace(1)* %a
  %y = load <4 x float>, <4 x float> addrspace(1)* %v
  %z = load double, double* %f
  %xx = add i32 %x, 1
  %yy = fadd <4 x float> %y, %y
  %zz = fadd double %z, %z
  store i32 %xx, i32 addrspace(1)* %a
  store <4 x float> %yy, <4 x float> addrspace(1)* %v
  store double %zz, double* %f
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32 addrspace(1)*, <4 x float> addrspace(1)*, double*)* @spmv_jds, !"kernel", i32 1}
END
case $installed in *14*) with='--llvm 14' ;; *) with= ;; esac
# shellcheck disable=SC2086
hash=$(hash_of controls.ll $with)
launched='--grid 1 --block 1 --arg u32[1]:5 --arg f32[4]:1.5 --arg f64[1]:2 --dump 0 --dump 1 --dump 2 -q'
# shellcheck disable=SC2086
"$sluice" run controls.ll $with $launched >before
while read -r modes; do
    # shellcheck disable=SC2086
    set -- $modes
    plan "$hash" "0 $1" "1 $2" "2 $3" >loads.json
    sed 's/}$//' loads.json >plan.json
    printf ', "stores": [{"function": "spmv_jds", "instruction": 6, "mode": "%s"}, {"function": "spmv_jds", "instruction": 7, "mode": "%s"}, {"function": "spmv_jds", "instruction": 8, "mode": "%s"}]}\n' "$4" "$5" "$6" >>plan.json
    # shellcheck disable=SC2086
    run "$sluice" apply $with plan.json controls.ll -o written.ll
    exits 0
    stdout_has '3 of 3 loads become inline assembly'
    # shellcheck disable=SC2086
    "$sluice" run written.ll $with $launched >after
    cmp -s before after || fail "results differ with $modes: $(cat after)"
    if [ -n "$with" ] && command -v llc-14 >/dev/null; then
        llc-14 -mcpu=sm_80 -mattr=+ptx75 written.ll -o written.ptx || fail 'llc'
        shift 6
        for operator; do
            grep -qF "$operator" written.ptx || fail "$operator is not in the PTX: $(cat written.ptx)"
        done
    fi
done <<'END'
L1 L2 both cs store-L1 store-L2 ld.global.L1::no_allocate.b32 ld.global.L2::cache_hint.v2.b64 ld.global.L1::no_allocate.L2::cache_hint.b64 st.global.cs.b32 st.global.L1::no_allocate.v2.b64 st.global.L2::cache_hint.b64
L1-first L1-last L2-last wt store-neutral cs ld.global.L1::evict_first.b32 ld.global.L1::evict_last.v2.b64 ld.global.L2::cache_hint.b64 st.global.wt.b32 st.global.L2::cache_hint.v2.b64 st.global.cs.b64
L2-last-half L2-first-half neutral cs cs cs ld.global.L2::cache_hint.b32 ld.global.L2::cache_hint.v2.b64
L2-64B L2-128B L2-256B cs cs cs ld.global.L2::64B.b32 ld.global.L2::128B.v2.b64 ld.global.L2::256B.b64
END

it 'says where IR does not parse, and what is no IR for a GPU'
printf 'target triple = "amdgcn-amd-amdhsa"\ndefine void @f() {\n  rat void\n}\n' >broken.ll
run "$sluice" run broken.ll --grid 1 --block 1
exits 1
stderr_has 'broken.ll:3:3: LLVM cannot read it: expected instruction opcode'
echo 'target triple = "x86_64-pc-linux-gnu"' >cpu.ll
run "$sluice" run cpu.ll --grid 1 --block 1
exits 1
stderr_has "cpu.ll: the code is for 'x86_64-pc-linux-gnu'"
run "$sluice" run nowhere.ll --grid 1 --block 1
exits 1
stderr_has 'nowhere.ll'
run "$sluice" run slow.ll
exits 2
stderr_has '--grid is missing'
stderr_has '--workload'
run "$sluice" run slow.ll --workload spmw
exits 2
stderr_has 'spmv'

it 'runs the kernels of the paper, compiled for an AMD GPU, with the results of the CPU'
case $installed in
*19*)
    if command -v clang-19 >/dev/null; then
        run sh "$source_root/workloads/generate-ir" ir
        exits 0
        for file in ir/*.ll; do
            name=$(basename "$file" .ll)
            run "$sluice" run "$file" --workload "$name" --size small
            exits 0
            stdout_has 'checked against the CPU'
        done
        [ "$(find ir -name '*.ll' | wc -l)" -ge 7 ] || fail "only $(ls ir)"
        run sh "$source_root/workloads/generate-ir" ir topk
        exits 1
        stderr_has 'which workloads/common/amdgcn_device.h does not have'
    else
        skip 'clang 19 is not installed'
    fi
    ;;
*) skip 'LLVM 19 is not installed' ;;
esac

it 'survives what LLVM cannot compile'
cat >hard.ll <<'END'
target triple = "nvptx64-nvidia-cuda"
declare float @llvm.pow.f32(float, float)
define ptx_kernel void @hard(float addrspace(1)* %a) {
  %x = load float, float addrspace(1)* %a
  %y = call float @llvm.pow.f32(float %x, float %x)
  store float %y, float addrspace(1)* %a
  ret void
}
END
run "$sluice" run hard.ll --grid 1 --block 1 --arg 'f32[4]:1'
exits 1
stderr_has 'LLVM gave up on it: '

done_testing
