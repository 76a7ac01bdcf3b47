#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory is bounded where a trace is large. Where it runs out it is called so, wherever that happens: never damage, a
# mistake in a file, or a crash.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

"$sluice" trace -q -o t.slt vecadd --size small
cp "$source_root/machines/fermi-gtx480.yaml" mine.yaml
cat >sizes.yaml <<'END'
workloads: [vecadd]
size: small
machines: fermi-gtx480
END
cat >copy.ptx <<'END'
.version 7.8
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 in, .param .u64 out)
{
    .reg .b64 %rd<3>;
    .reg .f32 %f;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.global.f32 %f, [%rd1];
    st.global.f32 [%rd2], %f;
    ret;
}
END
launch="copy.ptx --grid 1 --block 32 --arg f32[32]:1 --arg f32[32]:0"
# shellcheck disable=SC2086
"$sluice" tune -q $launch --on sim --gpu fermi-gtx480 --no-cache -o plan.json
sed -i 's/"mode": *"none"/"mode": "L1"/' plan.json

# Ends when 50 in a row changed nothing.
fails_well() # STEP COMMAND…
{
    it "names the lack of memory wherever it happens: $2"
    step=$1 number=0 fine=0 named=0
    shift
    while [ $fine -lt 50 ]; do
        SLUICE_TEST_FAIL=$number LD_PRELOAD=$SLUICE_FAILING_MALLOC "$sluice" "$@" >out 2>err
        code=$?
        if [ $code = 0 ]; then
            fine=$((fine + 1))
        elif grep -qi -e 'out of memory' -e 'cannot allocate memory' err && [ $code -le 2 ] &&
            ! grep -q -e damaged -e 'not YAML' err; then
            fine=0 named=$((named + 1))
        else
            fail "allocation $number of $*: exit code $code, $(cat err)"
            return
        fi
        number=$((number + step))
    done
    [ $named -gt 5 ] || fail "only $named allocations of $* failed"
}

fails_well 2 info t.slt
fails_well 19 machines ./mine.yaml
fails_well 23 model t.slt --gpu ./mine.yaml -j 1
fails_well 7 profile t.slt -j 1
# shellcheck disable=SC2086
fails_well 17 run $launch -j 1
fails_well 29 sweep sizes.yaml --cache cache -j 1
fails_well 1 apply plan.json copy.ptx -o applied.ptx

# 14 MB of trace, with more than 200 MB of requests to L2.
it 'models a launch of any size in bounded memory, with the same result'
"$sluice" trace -q -o large.slt gather n=4194304 table=67108864 --no-check
run "$sluice" model large.slt --gpu fermi-gtx480 -j 1 --json all.json
exits 0
(
    # shellcheck disable=SC3045 # dash has it
    ulimit -d 80000
    run "$sluice" model large.slt --gpu fermi-gtx480 -j 1 --json less.json
    exits 0
)
sed '/"command"/d' all.json >all
sed '/"command"/d' less.json >less
run cmp all less
exits 0

done_testing
