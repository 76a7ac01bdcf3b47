#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole programs on a GPU: tune --on gpu -- ./app, and run --plan --on gpu. The driver is the library that runs kernels
# on the emulator, in place of NVIDIA's.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
program=${SLUICE_BUILD:?}/bin/driver_program
if [ -n "${SLUICE_SANITIZERS:-}" ] || [ ! -x "$program" ]; then
    it 'puts a library in front of the driver'
    skip 'only on x86-64, and not with the sanitizers, which want to be first'
    done_testing
fi
LD_LIBRARY_PATH=$SLUICE_BUILD/lib/sluice/cuda
export LD_LIBRARY_PATH

it 'tunes the kernels of a program inside of it, and leaves its results alone'
run "$sluice" tune --on gpu -o plan.json -- "$program"
exits 0
stdout_has 'sum 30524, first 2'
stderr_has 'tuning kernel 2 of 2, '
stderr_has 'gpu Sluice emulated H200'
stderr_has 'nothing to gain: the program stays as it is'
file_has plan.json '"function": "adds"'
file_has plan.json '"program_before": '

it 'ranks what can be timed by the model, on copies of the memory of the program'
[ "$(grep -c '"ranking": "by model h200, 8 of 8 blocks"' plan.json)" = 2 ] || fail "$(cat plan.json)"
file_has plan.json '"predicted": {"L1": '
run "$sluice" tune --on gpu --rank-only -o ranked.json -- "$program"
exits 0
stdout_has 'sum 30524, first 2'
stderr_has 'ranked, not timed'
! grep -q '"affinity"' ranked.json || fail 'it timed something'

it 'numbers launches as run does'
run "$sluice" tune --on gpu --csv tuned.csv -q -- "$program"
exits 0
"$sluice" run --csv ran.csv -q -- "$program" >/dev/null 2>&1
number=$(sed -n 's/^[^,]*,counts,\([0-9]*\),.*/\1/p' tuned.csv)
grep -q "^$number,counts," ran.csv || fail "launch $number is another one: $(cat ran.csv)"

it 'has a plan for each PTX module, and applies all of them'
run "$sluice" tune --on gpu --select PassL0/1 -o plan.json -- "$program"
exits 0
stderr_has 'kernels of the program: '
stderr_has '8192 bytes copied to the host, all identical'
[ "$(grep -c sluice_plan plan.json)" = 2 ] || fail 'not two plans'
run "$sluice" run --on gpu --plan plan.json -- "$program"
exits 0
stdout_is 'sum 30524, first 2'
stderr_has '5 accesses and settings are changed; 8192 bytes in 1 copies to the host, all identical'
stderr_has speedup
run "$sluice" measure --plan plan.json -- "$program"
exits 0
stdout_is 'sum 30524, first 2'
stderr_has '5 accesses and settings are changed; 8192 bytes in 1 copies to the host, all identical'
run "$sluice" measure --plan plan.json --rounds 5 -- "$program"
exits 2
stderr_has '--rounds does not apply to programs'
run "$sluice" apply plan.json "$program"
exits 1
stderr_has "driver_program is a program: 'sluice run --plan' applies plans to programs as they run"
"$sluice" run --on gpu --plan plan.json -- "$program" 2>&1 | grep -q 'counts  *2 ' || fail 'launches of counts are not counted'

it 'sets what plans ask of launches'
run "$sluice" tune --on gpu -o plan.json -- "$program"
sed -e '/"setting": "carve-out"/s/"mode": "none"/"mode": "carve-L1"/' -e '/"setting": "blocks"/s/"mode": "none"/"mode": "blocks-half"/' \
    -e '/"setting": "window 1"/s/"mode": "none"/"mode": "window"/' plan.json >set.json
[ "$(grep -cE '"mode": "(carve-L1|blocks-half|window)"' set.json)" = 6 ] || fail "$(cat set.json)"
run "$sluice" run --on gpu --plan set.json -- "$program"
exits 0
stdout_is 'sum 30524, first 2'
stderr_has '8192 bytes in 1 copies to the host, all identical'

it 'writes the plan of a module into its text'
sed -n '/"code_hash"/p' plan.json | sort -u >hashes
[ "$(wc -l <hashes)" = 2 ] || fail 'not two modules'
cat >adds.ptx <<'END'
.version 7.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    ret;
}
END
run "$sluice" apply plan.json adds.ptx -o out.ptx
exits 1
stderr_has 'the plan belongs to other code'

it 'tunes only the kernels that are asked for'
run "$sluice" tune --on gpu -k counts -o plan.json -- "$program"
exits 0
! grep -q adds plan.json || fail 'adds was tuned as well'
run "$sluice" tune --on gpu --controls L1 -o plan.json -- "$program"
exits 0
file_has plan.json '"L1": '
! grep -qE '"(L2|cs|window)": ' plan.json || fail "other controls than L1: $(cat plan.json)"
run "$sluice" tune --on gpu --kernels 1 -- "$program"
exits 0
stderr_has 'tuning kernel 1 of 1, '
run "$sluice" tune --on gpu -k nothing -- "$program"
exits 1
stderr_has "no kernel matches 'nothing'"

it 'reaches a program that a shell starts'
run "$sluice" tune --on gpu -k adds -o plan.json -- sh -c "$program"
exits 0
file_has plan.json '"function": "adds"'

it 'refuses what it cannot do'
run "$sluice" tune --on gpu --select ours,bound -- "$program"
exits 2
stderr_has 'a program on a GPU is tuned with one strategy'
run "$sluice" tune --on gpu -- true
exits 1
stderr_has 'ended with exit code 0 and launched no kernel on the GPU'
run "$sluice" apply plan.json none.ptx
exits 1
stderr_has 'none.ptx'
echo '[{}, {}]' >two.json
run "$sluice" run --on gpu --plan two.json -- "$program"
exits 1
stderr_has 'two.json:1:2: not a plan'
LD_LIBRARY_PATH=
if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    run "$sluice" tune --on gpu -- "$program"
    exits 1
    stderr_has 'no GPU to run on'
fi

done_testing
