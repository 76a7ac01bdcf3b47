#!/bin/sh
# SPDX-License-Identifier: MIT
# What clang made of the sources says the same, to the byte, as what gcc made of them: both are given, SLUICE and
# SLUICE_OTHER.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
other=${SLUICE_OTHER:?}

if [ ! -x "$other" ]; then
    it 'says the same whatever compiled it'
    skip "there is no $other"
    done_testing
fi

# Both run under one name, which reports name.
same() # WHAT COMMAND…: the files it writes are named out*
{
    it "says the same whatever compiled it: $1"
    shift
    for folder in a b; do
        if [ $folder = a ]; then program=$sluice; else program=$other; fi
        rm -rf $folder bin
        mkdir $folder bin
        ln -s "$program" bin/sluice
        # shellcheck disable=SC2015
        (cd $folder && ../bin/sluice "$@" >out.txt 2>out.err && [ -n "$(ls)" ]) || fail "$(cat $folder/out.err)"
    done
    run diff -r a b
    exits 0
}
for workload in matmul_tiled spmv bfs histogram attention_f16 srad_v2; do
    same "run $workload" run "$workload" --size small -j 1 --json -
    same "profile $workload" profile "$workload" --size small -j 1 --json -
    same "model $workload" model "$workload" --size small -j 1 --json -
    same "sim $workload" sim "$workload" --size small --gpu fermi-gtx480 -j 1 --json -
done
same 'trace' trace spmv --size small -o out.slt
same 'sim with policies' sim spmv --size small --gpu fermi-gtx480 --l1 decoupled --json -
same 'tune' tune spmv --size small --on sim --gpu fermi-gtx480 --no-cache -o out.json
same 'report' report bfs --size small -o out.html
same 'validate' validate vecadd --counters "$source_root/papers/h200-counters.csv" --json -
same 'machines' machines h200 --json -

done_testing
