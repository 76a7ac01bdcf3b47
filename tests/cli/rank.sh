#!/bin/sh
# SPDX-License-Identifier: MIT
# Variants of a computation, ranked.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

# Doubles n floats: by rows of a warp, by columns (32 sectors per request), and wrongly.
kernel()
{
    cat <<END
.visible .entry $1(.param .u64 in, .param .u64 out, .param .u32 n) {
    .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<3>; .reg .pred %p;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    $2
    ld.param.u32 %r5, [n];
    setp.ge.u32 %p, %r4, %r5;
    @%p ret;
    ld.param.u64 %d1, [in];
    ld.param.u64 %d2, [out];
    mul.wide.u32 %d3, %r4, 4;
    add.u64 %d4, %d1, %d3;
    add.u64 %d5, %d2, %d3;
    ld.global.f32 %f1, [%d4];
    $3
    st.global.f32 [%d5], %f2;
    ret;
}
END
}
head='.version 8.0
.target sm_90
.address_size 64'
columns='shl.b32 %r6, %r4, 7; and.b32 %r6, %r6, 16383; shr.u32 %r7, %r4, 7; or.b32 %r4, %r6, %r7;'
twice='add.f32 %f2, %f1, %f1;'
near='mul.f32 %f2, %f1, 0f40000001;'
{ echo "$head" && kernel rows '' "$twice"; } >rows.ptx
{ echo "$head" && kernel columns "$columns" "$twice"; } >columns.ptx
{ echo "$head" && kernel wrong '' 'add.f32 %f2, %f1, 0f3F800000;'; } >wrong.ptx
{ echo "$head" && kernel rows '' "$twice" && kernel columns "$columns" "$twice" && kernel near '' "$near"; } >all.ptx
{ echo "$head" && kernel beyond 'add.u32 %r4, %r4, 1; ' "$twice" | sed 's/@%p ret;//'; } >beyond.ptx
launch='--grid 64 --block 256 --arg f32[16K]:random --arg f32[16K]:0 --arg u32:16384'
order() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "variant") v = i; next } { printf "%s ", $v }' out.csv; }

it 'launches PTX files on the same data, and ranks those that leave the same'
# shellcheck disable=SC2086
run "$sluice" rank columns.ptx wrong.ptx rows.ptx beyond.ptx $launch --csv out.csv --markdown out.md --json out.json -o out.txt
exits 0
[ "$(order)" = 'rows.ptx columns.ptx wrong.ptx beyond.ptx ' ] || fail "the order is $(order)"
file_has out.txt 'results are compared with those of columns.ptx'
file_has out.txt 'wrong: element 0 of buffer 1 is'
file_has out.txt 'failed: '
file_has out.txt 'intervals hold 8 of 10 kernels on an H200'
file_has out.md '| 1 | rows.ptx |'
file_has out.json '"reference": "columns.ptx"'
file_has out.json '"result": "wrong"'

it 'has intervals around times, for the H200 alone'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["rank"] && !($at["est_ns_low"] < $at["est_ns"] && $at["est_ns"] < $at["est_ns_high"]) { print; bad = 1 } END { exit bad }' out.csv ||
    fail 'a time is outside of its interval'
for other in '--gpu a100' '--set L2.size=30M'; do
    # shellcheck disable=SC2086
    run "$sluice" rank rows.ptx columns.ptx $launch $other
    exits 0
    stdout_has 'no intervals: times of this GPU model were not compared with hardware'
done

it 'ranks kernels of a PTX file, with a tolerance'
# shellcheck disable=SC2086
run "$sluice" rank all.ptx --kernels rows,columns,near $launch --csv out.csv -o out.txt
exits 0
[ "$(order)" = 'rows columns near ' ] || fail "the order is $(order)"
file_has out.txt 'wrong: element'
# shellcheck disable=SC2086
run "$sluice" rank all.ptx --kernels rows,columns,near $launch --tolerance 1e-5
exits 0
[ "$(grep -c ' same$' "$scratch/stdout")" = 3 ] || fail 'not all are the same'

it 'simulates the fastest ones, and ranks them by that'
# shellcheck disable=SC2086
run "$sluice" rank columns.ptx rows.ptx $launch --sim --top 1 --csv out.csv
exits 0
[ "$(order)" = 'rows.ptx columns.ptx ' ] || fail "the order is $(order)"
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") c = i; next } $c { n++ } END { print n + 0 }' out.csv)" = 1 ] ||
    fail 'not one was simulated'

it 'takes another reference, which is not ranked'
# shellcheck disable=SC2086
run "$sluice" rank columns.ptx wrong.ptx --reference rows.ptx $launch --csv out.csv -o out.txt
[ "$(order)" = 'columns.ptx wrong.ptx ' ] || fail "the order is $(order)"
file_has out.txt 'results are compared with those of rows.ptx'

it 'exits with 1 if none is right, or what is compared with is not'
# shellcheck disable=SC2086
run "$sluice" rank wrong.ptx beyond.ptx --reference rows.ptx $launch
exits 1
stdout_has 'wrong: '
# shellcheck disable=SC2086
run "$sluice" rank beyond.ptx rows.ptx $launch
exits 1
stderr_has 'beyond.ptx is what the others are compared with, and failed'

it 'ranks workloads, which check themselves, and traces, which cannot'
"$sluice" trace -q -o t.slt matmul --size small
run "$sluice" rank matmul 'matmul_tiled n=32' t.slt --size small
exits 2 # a trace has no size
stderr_has '--size does not apply to t.slt'
run "$sluice" rank 'matmul n=64' 'matmul_tiled n=64' t.slt --json out.json
exits 0
stdout_has 'checked'
file_has out.json '"reason": "a trace has no results"'
run "$sluice" rank --kernels srad1,srad2 srad_v2 --size small
exits 0
stdout_has 'times are of one launch, on average'

if [ -x "${SLUICE_PROGRAMS:-}/cheats" ]; then
    it 'ranks programs by what they print'
    run "$sluice_with_programs" rank "$SLUICE_PROGRAMS/cheats right" "$SLUICE_PROGRAMS/cheats nothing" --json out.json
    exits 0
    file_has out.json "it prints 'sum 0.0', not 'sum 1047552.0'"
    run "$sluice_with_programs" rank "$SLUICE_PROGRAMS/cheats right" "$SLUICE_PROGRAMS/cheats nothing" --ignore '^sum'
    exits 0
    [ "$(grep -c ' same$' "$scratch/stdout")" = 2 ] || fail 'lines were not ignored'
    echo 'sum 1047552.0001' >expected
    run "$sluice_with_programs" rank "$SLUICE_PROGRAMS/cheats right" "$SLUICE_PROGRAMS/cheats" --reference expected --tolerance 1e-9
    exits 0
    stdout_has 'results are compared with those of expected'
fi

it 'says what is wrong with a command line'
run "$sluice" rank matmul
exits 2
stderr_has 'give two variants or more'
run "$sluice" rank matmul matmu
exits 2
stderr_has "did you mean 'matmul'"
run "$sluice" rank matmul vecadd --tolerance 2
exits 2
run "$sluice" rank matmul vecadd --ignore '('
exits 2
stderr_has '--ignore'
run "$sluice" rank srad_v2 --size small --kernels srad1,srad3
exits 2
stderr_has 'launches no kernel srad3'

done_testing
