#!/bin/sh
# SPDX-License-Identifier: MIT
# Scalar loads of AMD's compute units: past the first level, counted apart.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

# Each of 4 wavefronts of 64 sums up 64 numbers, at addresses that its lanes have in common, and adds one of its own.
cat >sum.ptx <<'END'
.version 7.5
.target sm_75
.address_size 64
.visible .entry sum(.param .u64 in, .param .u64 own, .param .u64 out)
{
.reg .pred %p;
.reg .b32 %i, %t, %v, %s;
.reg .b64 %in, %own, %out, %o;
ld.param.u64 %in, [in];
ld.param.u64 %own, [own];
ld.param.u64 %out, [out];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 4;
add.u64 %own, %own, %o;
add.u64 %out, %out, %o;
ld.global.u32 %s, [%own];
mov.u32 %i, 0;
LOOP:
ld.global.u32 %v, [%in];
add.u32 %s, %s, %v;
add.u64 %in, %in, 4;
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 64;
@%p bra LOOP;
st.global.u32 [%out], %s;
ret;
}
END
launch='--grid 1 --block 256 --arg u32[64]:iota --arg u32[256]:zero --arg u32[256]:zero'

# value FILE KEY: the first number of that name
value() { tr ',{}' '\n' <"$1" | sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" | head -n 1; }

# shellcheck disable=SC2086 # options
for command in model sim; do
    it "$command: without a scalar cache they are loads as others"
    run "$sluice" $command sum.ptx --gpu hd7770 $launch --json plain.json
    exits 0
    [ "$(value plain.json ld_requests)" = 260 ] || fail "$(value plain.json ld_requests) loads"
    if grep -q scalar plain.json; then fail 'there are scalar loads'; fi

    it "$command: with one they are past the first level, and hit there"
    run "$sluice" $command sum.ptx --gpu hd7770 --set core.scalar=16K $launch --json scalar.json
    exits 0
    [ "$(value scalar.json ld_requests)" = 4 ] || fail "$(value scalar.json ld_requests) vector loads"
    [ "$(value scalar.json scalar_requests)" = 256 ] || fail "$(value scalar.json scalar_requests) scalar loads"
    [ "$(value scalar.json scalar_hits)" = 252 ] || fail "$(value scalar.json scalar_hits) of 256 hit; 4 lines are new"
    [ "$(value scalar.json l2_read_sectors)" = "$(value plain.json l2_read_sectors)" ] ||
        fail "L2 reads: $(value scalar.json l2_read_sectors), not $(value plain.json l2_read_sectors)"

    it "$command: gives the same with a recording"
    run "$sluice" trace sum.ptx --lanes 64 $launch -o sum.slt
    exits 0
    run "$sluice" $command sum.slt --gpu hd7770 --set core.scalar=16K --json again.json
    exits 0
    [ "$(value again.json scalar_hits)" = 252 ] || fail "$(value again.json scalar_hits) of 256 hit"
done

it 'refuses a size that is no number of sets'
run "$sluice" model sum.ptx --gpu hd7770 --set core.scalar=1000 --grid 1 --block 64
exits 1
stderr_has 'a scalar data cache of 1000 bytes is not a whole number of sets (256 bytes each)'
done_testing
