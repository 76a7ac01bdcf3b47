#!/bin/sh
# SPDX-License-Identifier: MIT
# Out of memory is called so, wherever it happens: never damage, a mistake in a file, or a crash.
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

fails_well 1 info t.slt
fails_well 7 machines ./mine.yaml
fails_well 7 model t.slt --gpu ./mine.yaml -j 1
fails_well 5 profile t.slt -j 1
# shellcheck disable=SC2086
fails_well 7 run $launch -j 1
fails_well 11 sweep sizes.yaml --cache cache -j 1
fails_well 1 apply plan.json copy.ptx -o applied.ptx

done_testing
