#!/bin/sh
# SPDX-License-Identifier: MIT
# Machine descriptions: listing, checking and writing custom ones.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'lists the machines, a line each'
run "$sluice" machines
exits 0
stdout_has 'machine  '
stdout_has 'L0 32K, L1 8x128K, L2 4M, IC 128M'
stderr_is ''

it 'says how far each is trusted: only an H200 was measured'
stdout_has 'measured        NVIDIA H200'
stdout_has 'public figures  NVIDIA B200'
[ "$(grep -c ' measured  ' "$scratch/stdout")" = 1 ] || fail 'others claim it, too'

it 'models and simulates two workloads on every GPU that people have'
for gpu in t4 a100 a10 rtx3090 rtx4090 l40s h100-sxm h100-pcie h200 b200 mi250x mi300x; do
    for workload in 'spmv rows=200' stencil2d; do
        for command in model sim; do
            # shellcheck disable=SC2086
            run "$sluice" $command $workload --size small --gpu $gpu
            exits 0
            stdout_has "$gpu"
        done
    done
done

it 'has every machine of the source tree built in'
run "$sluice" machines --csv
exits 0
for file in "$source_root"/machines/*.yaml; do
    name=$(basename "$file" .yaml)
    stdout_has "$name,"
done
stdout_has 'fermi-gtx470,14,32,1215,L1,14,16384,128,128,4,32,0'

it 'prints a description as it stands in the source tree'
run "$sluice" machines h200
exits 0
cmp -s "$scratch/stdout" "$source_root/machines/h200.yaml" || fail 'it differs from machines/h200.yaml'

it 'takes a copy with a line changed'
sed 's/^cores: 132 .*/cores: 66/; s/^name: .*/name: half/' "$source_root/machines/h200.yaml" >half.yaml
run "$sluice" machines half.yaml --json
exits 0
stdout_has '"name": "half"'
stdout_has '"cores": 66'

it 'takes a variant that holds only what is different'
printf 'based_on: half.yaml\nname: quarter\nsummary: a quarter of an H200\ncores: 33\n' >quarter.yaml
run "$sluice" machines ./quarter.yaml --json
exits 0
stdout_has '"cores": 33'
stdout_has '"cores_per_instance": 33'
run "$sluice" machines quarter.yaml
exits 0
stdout_has 'based_on: half.yaml'

it 'says where a description is wrong, and what was meant'
sed 's/^cores: 66/croes: 66/' half.yaml >typo.yaml
run "$sluice" machines typo.yaml
exits 1
stderr_has "typo.yaml:5:1: a machine has no key 'croes'; did you mean 'cores'?"
stdout_is ''

it 'says that a machine cannot be'
sed 's/^    size: 60M /    size: 61000 #/' half.yaml >odd.yaml
run "$sluice" machines odd.yaml
exits 1
stderr_has 'odd.yaml:'
stderr_has '61000 bytes are not a whole number of sets of 16 lines of 128 bytes'

it 'needs no more than based_on'
echo 'based_on: h200' >mine.yaml
run "$sluice" model vecadd n=2048 --gpu mine.yaml
exits 0
stdout_has 'vecadd n=2048 on mine'

it 'lets other keys follow those that are set, or says what would fit'
for setting in cores=1 cores=7 L1.size=64K L1.ways=16 L1.line=64 core.warps=32 core.unified=128K L1.mshrs=1; do
    run "$sluice" sim vecadd n=2048 --set "$setting"
    exits 0
    stdout_has "vecadd n=2048 on h200, $setting"
done
run "$sluice" model vecadd n=2048 --gpu rx6900xt --set cores=16
exits 0
run "$sluice" model vecadd n=2048 --set L2.size=1M
exits 1
stderr_has 'these sizes fit: 960K, 1152K'
run "$sluice" model vecadd n=2048 --set L2.size=960K
exits 0

it 'suggests the nearest machine for a wrong one'
run "$sluice" machines h2oo
exits 2
stderr_has "unknown GPU model 'h2oo'; the nearest is 'h200'"

it 'says that a file is not there'
run "$sluice" machines absent.yaml
exits 1
stderr_has 'cannot read absent.yaml: No such file or directory'

it 'lists what can be written in a description'
run "$sluice" machines --keys
exits 0
stdout_has 'mshrs_per_warp'
stdout_has 'associativity: lines per set'
run "$sluice" machines --keys --json
exits 0
stdout_has '{"of": "level", "key": "ways", "value": "number", "required": true, "meaning": "associativity: lines per set"}'
run "$sluice" machines --keys --csv
exits 0
stdout_has 'level,ways,number,1,associativity: lines per set'

done_testing
