#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command takes every kind of input that makes sense for it, and says so where it does not.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
programs=${SLUICE_PROGRAMS:?}
data=$source_root/tests/data
ptx=$source_root/workloads/vecadd/vecadd.ptx
launch="--grid 4 --block 256 --arg f32[1K]:random --arg f32[1K]:iota --arg f32[1K]:zero --arg u32:1024"
export XDG_CACHE_HOME="$scratch/cache"
mkdir "$XDG_CACHE_HOME"

"$sluice" trace -q -o v.slt vecadd n=1024

it 'analyses a PTX file with a launch'
for command in info profile model 'sim --gpu fermi-gtx480' 'report -o ptx.html --brief'; do
    # shellcheck disable=SC2086
    run "$sluice" $command "$ptx" $launch
    exits 0
done
# shellcheck disable=SC2086
run "$sluice" model "$ptx" $launch --json
stdout_has '"ptx": "'
stdout_has '"ld_sectors": 256'
# shellcheck disable=SC2086
run "$sluice" model --l1-size 32K,64K --gpu fermi-gtx470 "$ptx" $launch --csv
exits 0
[ "$(wc -l <"$scratch/stdout")" = 3 ] || fail "$(saw 'not two sizes')"

if [ -x "$programs/reduce" ]; then
    it 'analyses a CUDA program, which keeps its output and exit code'
    for command in info profile model 'sim --gpu fermi-gtx480 --set cores=4' 'report --json r.json --brief'; do
        # shellcheck disable=SC2086
        run "$sluice_with_programs" $command --launch 0 -- "$programs/reduce"
        exits 0
        stdout_has PASSED
        stdout_lacks 'launch'
    done
    file_has r.json '"program": "'
    run "$sluice_with_programs" model -- sh -c "'$programs/reduce'; exit 7"
    exits 7
    run "$sluice_with_programs" model -- true
    exits 1
    stderr_has 'launched no kernel'

    it 'fails a run or a trace of which a launch failed, although the program ends well'
    run "$sluice_with_programs" run -- "$programs/faults"
    exits 1
    run "$sluice_with_programs" trace -o f.slt -- "$programs/faults"
    exits 1
    exists f.slt
    stderr_has 'failed'
    run "$sluice_with_programs" run -- sh -c "'$programs/faults'; exit 3"
    exits 3
fi

it 'takes the kernels that a regular expression matches by symbol or by name, everywhere'
for command in info profile model 'sim --gpu fermi-gtx480' run; do
    # shellcheck disable=SC2086
    run "$sluice" $command --kernel 'ECADD|veca' vecadd n=1024 --json
    exits 0
    stdout_has '"kernel": "vecadd"'
    # shellcheck disable=SC2086
    run "$sluice" $command --kernel 'nothing' vecadd n=1024 --json
    stdout_lacks '"kernel": "vecadd"'
done
run "$sluice" tune --no-cache --gpu fermi-gtx480 --kernel 'veca' vecadd n=1024 --csv
exits 0
stdout_has vecadd
run "$sluice" tune --no-cache --gpu fermi-gtx480 --kernel '(' vecadd n=1024
stderr_has "'(' is not a regular expression"

it 'says what an option or an argument does not belong to'
run "$sluice" model v.slt --size small
exits 2
stderr_has '--size does not apply to v.slt, which is a trace'
run "$sluice" profile vecadd --grid 4
exits 2
stderr_has '--grid does not apply to vecadd, which is a workload'
run "$sluice" sim "$ptx"
exits 2
stderr_has '--grid is missing'
run "$sluice" run vecadd --compute-capability 9.0
exits 2
stderr_has '--compute-capability does not apply to vecadd, which is a workload'
run "$sluice" import other.trc -o i.slt --check race
exits 2
stderr_has "--check does not apply to 'import', which takes a trace to import"
run "$sluice" import other.trc -o i.slt --seed 3
exits 2
stderr_has "--seed does not apply to 'import', which does nothing at random"
run "$sluice" measure --plan plan.json vecadd --isa v3
exits 2
stderr_has "--isa does not apply to 'measure', which does not use the emulator"

it 'checks the value of every setting, whatever the input is'
for input in vecadd "$ptx" v.slt '-- true'; do
    for setting in 'compute-capability=nonsense' 'compute-capability=4.5' 'compute-capability=9.0.1' 'lanes=16' \
        'max-instructions=0' 'check=nonsense' 'fp-contract=nonsense' 'isa=nonsense'; do
        # shellcheck disable=SC2086
        run "$sluice" model "--$setting" $input
        exits 2
        stderr_has "--${setting%%=*}: "
    done
done

it 'lists and completes only options that apply to what a command takes'
for option in lanes max-instructions check fp-contract isa cudart-static compute-capability; do
    run "$sluice" run --help=all
    stdout_has "--$option "
    for command in import measure; do
        run "$sluice" "$command" --help=all
        stdout_lacks "--$option "
    done
done
for option in size seed grid arg cubin workload optimize; do
    run "$sluice" import --help=all
    stdout_lacks "--$option"
done
run "$sluice" import --help=all
stdout_has '--kernel'
for shell in bash zsh fish; do
    run "$sluice" completion "$shell"
    exits 0
done
run sh -c "'$sluice' completion bash | grep '^ *import)'"
stdout_has '--kernel'
stdout_lacks '--compute-capability'


it 'says what an argument does not belong to'
run "$sluice" model v.slt n=4
exits 2
stderr_has "unexpected argument 'n=4': v.slt is a trace"
run "$sluice" run v.slt
exits 2
stderr_has "v.slt is a trace; 'run' takes an input"
run "$sluice" model --lanes 64 vecadd
exits 2
stderr_has 'warps of this GPU model have 32 lanes'

it 'says of files that it cannot read what to do with them'
cp /bin/true app
printf '__global__ void k(void) {}\n' >app.cu
printf '#!/bin/sh\n' >start
printf '\120\355\125\272rest of the file' >app.fatbin
for command in run model sim profile info tune 'trace -o t.slt' 'report -o r.html' 'compare v.slt'; do
    # shellcheck disable=SC2086
    run "$sluice" $command app
    exits 1
    stderr_has "app is a program: give it after '--', as in 'sluice run -- ./app'"
    # shellcheck disable=SC2086
    run "$sluice" $command ./app.cu
    exits 1
    stderr_has "./app.cu is source code: compile it ('nvcc -lineinfo -o app ./app.cu') and give the program after '--'"
    # shellcheck disable=SC2086
    run "$sluice" $command start
    exits 1
    stderr_has "start is a script: give it after '--', as in 'sluice run -- ./start'"
    # shellcheck disable=SC2086
    run "$sluice" $command app.fatbin
    exits 1
    stderr_has "app.fatbin is a fat binary: 'sluice ptx app.fatbin' lists and extracts its PTX"
done
run "$sluice" validate -c app.csv app.cu
exits 1

it 'names the GPU that stands for one that is not given'
for command in model sim validate; do
    run "$sluice" $command --help
    stdout_has '(default: h200)'
done
for command in model sim; do
    run "$sluice" $command vecadd n=1024 --json
    stdout_has '"machine": "h200"'
    run "$sluice" $command vecadd n=1024
    stdout_has 'h200'
done

it 'keeps nothing of an analysis, and one folder for all that is kept'
rm -rf "$XDG_CACHE_HOME/sluice"
run "$sluice" model vecadd n=1024 -q
absent "$XDG_CACHE_HOME/sluice"
printf 'workloads: ["vecadd n=1024"]\nmachines: fermi-gtx480\n' >s.yaml
run "$sluice" sweep s.yaml -q
exists "$XDG_CACHE_HOME/sluice/traces"
run "$sluice" tune --gpu fermi-gtx480 vecadd n=1024 -q
exists "$XDG_CACHE_HOME/sluice/points.sqlite"
run "$sluice" tune --gpu fermi-gtx480 vecadd n=1024 -q --cache here
exists here/points.sqlite
run env XDG_CACHE_HOME=relative HOME="$scratch" "$sluice" tune --gpu fermi-gtx480 vecadd n=1024 -q
absent relative
exists "$scratch/.cache/sluice/points.sqlite"
run env -u XDG_CACHE_HOME -u HOME "$sluice" tune --gpu fermi-gtx480 vecadd n=1024 -q
exits 1
stderr_has 'with --cache'

it 'keeps recordings of traces of other programs and of workloads under what they hold'
cp "$data/threads.trc" other.trc 2>/dev/null || printf 'blocksize: 32 1 1\n0 0 0 4\n1 0 4 4\n' >other.trc
printf 'traces: [other.trc]\nmachines: fermi-gtx480\n' >foreign.yaml
rm -rf "$XDG_CACHE_HOME/sluice"
run "$sluice" sweep foreign.yaml --csv -
exits 0
# shellcheck disable=SC2012
[ "$(ls "$XDG_CACHE_HOME/sluice/traces" | wc -l)" = 1 ] || fail "$(ls "$XDG_CACHE_HOME/sluice/traces")"

it 'says what ptx takes, and what to do with source code'
echo 'int x;' >x.cu
echo 'no program' >x.txt
printf '.version 8.0\n' >x.ptx
run "$sluice" ptx x.cu
exits 1
stderr_has "x.cu is source code: compile it ('nvcc -lineinfo -o x x.cu')"
run "$sluice" ptx x.ptx
exits 0
run "$sluice" ptx x.txt
exits 1
stderr_has 'x.txt is not a program, library, object file, fat binary or PTX'

done_testing
