#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command once, on something small: the part of the tests of commands that './dev test quick' runs.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
ptx=$source_root/workloads/vecadd/vecadd.ptx
export XDG_CACHE_HOME="$scratch/cache"
mkdir "$XDG_CACHE_HOME"
printf 'blocksize: 32 1 1\n0 0 0 4\n1 0 4 4\n' >threads.trc
printf 'workloads: ["vecadd n=1024"]\nmachines: fermi-gtx480\n' >sweep.yaml
done=

# once COMMAND ARGUMENT…: it succeeds, and is not among those that are missing.
once()
{
    it "runs '$1'"
    done="$done $1"
    run "$sluice" "$@"
    exits 0
}

once run vecadd n=1024
stdout_has vecadd
once trace -o v.slt vecadd n=1024
exists v.slt
once info v.slt
stdout_has vecadd
once profile v.slt
stdout_has vecadd
once model v.slt
stdout_has h200
once sim v.slt --gpu fermi-gtx480
stdout_has fermi-gtx480
once report v.slt --brief -o v.html
file_has v.html '</html>'
once compare v.slt v.slt
stdout_has 'A:'
once rank 'vecadd n=1024' 'vecadd n=2048'
stdout_has 'vecadd n=1024'
once validate --command vecadd
stdout_has ncu
once explain
stdout_has uncoalesced
once tune vecadd n=1024 --gpu fermi-gtx480 --no-cache -o plan.json
exists plan.json
once apply plan.json "$ptx" -o planned.ptx
exists planned.ptx
once ptx --help
if [ -x "${SLUICE_PROGRAMS:-}/reduce" ]; then
    once ptx "$SLUICE_PROGRAMS/reduce"
    stdout_has sm_
fi
once hip-flags
stdout_has ' -I'
once sweep sweep.yaml
stdout_has vecadd
once reproduce --list
stdout_has decoupled-l1d
once import threads.trc -o t.slt
exists t.slt
once workloads
stdout_has vecadd
once machines
stdout_has h200
once policies
stdout_has lru
once help
stdout_has 'Commands:'
once completion bash
stdout_has sluice

it "runs 'watch', of a program without kernels"
done="$done watch"
run "$sluice" watch --rounds 1 -- true
exits 1
stderr_has 'true launched no kernel'

it "runs 'measure', as far as that is possible without a GPU"
done="$done measure"
run "$sluice" measure vecadd
exits 2
stderr_has '--plan FILE is missing'

it 'leaves out no command'
# shellcheck disable=SC2013 # names have no blanks
for command in $(sed -n 's/^X(\(.*\))$/\1/p' "$source_root/src/cli/commands.def" | tr _ -); do
    case " $done " in
    *" $command "*) ;;
    *) fail "'$command' is not run here" ;;
    esac
done
done_testing
