#!/bin/sh
# SPDX-License-Identifier: MIT
# What the simulator is given: the same input is the same result, and wrong input is an error that says what is right.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

"$sluice" trace --quiet -o bfs.slt bfs --size small

refuses() # TEXT ARGUMENT...: the run fails with the text, and writes nothing
{
    text=$1
    shift
    run "$sluice" sim --gpu "${gpu:-fermi-gtx480}" bfs.slt --json out.json "$@"
    exits 1
    stderr_has "$text"
    absent out.json
}

it 'gives the same bytes for any number of threads, and each time'
for machine in fermi-gtx480 h200; do
    for threads in 1 2 2; do
        run "$sluice" sim bfs.slt --gpu "$machine" --l1 decoupled+random -j "$threads" --json "$machine.$threads.json" \
            --csv "$machine.$threads.csv" -o "$machine.$threads.txt"
        exits 0
    done
    for form in json csv txt; do
        run cmp "$machine.1.$form" "$machine.2.$form"
        exits 0
    done
done

it 'gives the same bytes where several threads simulate a launch'
"$sluice" trace --quiet -o wide_norm.slt layer_norm --size small rows=256
"$sluice" trace --quiet -o wide_spmv.slt spmv --size small rows=6000
for input in wide_norm wide_spmv; do
    for options in '--gpu v100' '--gpu h200 --bound' '--gpu v100 --set L1.write=back --frc 32' \
        '--gpu v100 --set L1.cores_per_instance=2 --set L2.network_cycles=1 --scheduler gto'; do
        for threads in 1 2 3; do
            # shellcheck disable=SC2086
            run "$sluice" sim "$input.slt" $options -j "$threads" --json "threads.$threads" -q
            exits 0
        done
        run cmp threads.1 threads.2
        exits 0
        run cmp threads.1 threads.3
        exits 0
    done
done

it 'gives the same of a workload as of its trace'
run "$sluice" sim --gpu fermi-gtx480 bfs.slt --csv trace.csv -q
exits 0
run "$sluice" sim --gpu fermi-gtx480 bfs --size small --csv workload.csv -q
exits 0
run cmp trace.csv workload.csv
exits 0

it 'takes seeds for what is random alone'
for seed in 1 2; do
    "$sluice" sim --gpu fermi-gtx480 bfs.slt --seed "$seed" --l1 lru --csv "lru.$seed" -q
    "$sluice" sim --gpu fermi-gtx480 bfs.slt --seed "$seed" --set L1.size=2K --l1 random --csv "random.$seed" -q
done
run cmp lru.1 lru.2
exits 0
run cmp random.1 random.2
exits 1

it 'names the nearest policy'
refuses "no policy is called 'decopled'; the nearest is 'decoupled'" --l1 decopled
refuses "no policy is called 'lruu'; the nearest is 'lru'" --l2 lruu
refuses "no policy is called 'ssrip'; the nearest is 'srrip'" --set L1.replacement=ssrip

it 'names the nearest parameter, and the values that there are'
refuses "policy 'srrip' has no parameter 'bitz'; did you mean 'bits'?" --l1 'srrip(bitz=2)'
refuses "policy 'srrip': 'bits' is from 1 to 8, not 99" --l1 'srrip(bits=99)'
refuses "policy 'srrip': 'bits' takes a number, not 'x'" --l1 'srrip(bits=x)'
refuses "policy 'mrpb': 'bypass' cannot be 'anyy'; the nearest is 'any'" --l1 'mrpb(bypass=anyy)'

it 'says which policies cannot be where they were put'
refuses "L2, bypass: policy 'mrpb' is for the first level only" --l2 mrpb
refuses "'lru' and 'fifo' both replace" --l1 lru+fifo
refuses "'decoupled' and 'pc' both bypass" --l1 decoupled+pc
refuses "L1, replacement: policy 'all' chooses no victims: it can be 'bypass'" --set L1.replacement=all

it 'names the nearest way of scheduling and the nearest key'
refuses "not 'gtoo'; did you mean 'gto'?" --scheduler gtoo
refuses "a level has no key 'wayz'; did you mean 'ways'?" --set L1.wayz=3
refuses "'memory_queue' is from 1 to 1024, not 0" --set core.memory_queue=0

it 'says what machines it cannot simulate'
refuses 'fermi-gtx480 has 65 warps and 8 blocks per core; the simulator takes up to 64 and 255' --set core.warps=65
refuses 'lines of L2 are shorter than those of L1' --set L1.sector=64 --set L2.line=64 --set L2.fill=64
refuses "only the first level can have 'write: allocate'" --set L2.write=allocate
gpu=gcn-apu
refuses 'was recorded with warps of 32 threads, and those of gcn-apu have 64'
gpu=

it 'says that a kernel does not fit a core'
refuses 'does not fit a core' --set core.threads=64 --set core.warps=2

done_testing
