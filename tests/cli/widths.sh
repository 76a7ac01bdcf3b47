#!/bin/sh
# SPDX-License-Identifier: MIT
# What is shown fits 80 and 100 columns, says what is meant, and has colors on terminals only.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

# No line of the last report is wider than $COLUMNS. Commands to type are not broken.
fits()
{
    wide=$(sed '/^  sluice /d' "$scratch/stdout" | LC_ALL=C.UTF-8 wc -L)
    [ "$wide" -le "$COLUMNS" ] || fail "a line has $wide columns, of $COLUMNS"
}

"$sluice" trace bfs --size small -o b.slt -q || exit 1

for COLUMNS in 80 100; do
    export COLUMNS
    for command in '--help' 'help run' 'sim --help=all' 'workloads' 'machines' 'machines --keys' 'policies' 'policies lru' \
        'explain' 'explain uncoalesced-loads' 'reproduce --list' 'run bfs --size small' 'run spmv --size small' 'info b.slt' \
        'model b.slt --gpu h200' 'sim b.slt --gpu h200' 'profile b.slt' 'compare b.slt --gpu h200 --gpu rx6900xt'; do
        it "fits $COLUMNS columns: sluice $command"
        # shellcheck disable=SC2086
        run "$sluice" $command
        exits 0
        fits
    done
done

it 'shortens long names in their middle'
COLUMNS=40 run "$sluice" model b.slt --gpu h200
stdout_has '…'

it 'keeps 24 columns of a name at 80, and continues below'
COLUMNS=80 run "$sluice" sim spmv --size small
stdout_has 'spmv.cu:11, PTX 79 (x5)'

it 'prints in full where there is no terminal, and as wide as --width says'
unset COLUMNS
run "$sluice" model b.slt --gpu h200
stdout_lacks '…'
cp "$scratch/stdout" piped.txt
run "$sluice" model b.slt --gpu h200 -w 0
cp "$scratch/stdout" full.txt
run cmp full.txt piped.txt
exits 0
run "$sluice" model b.slt --gpu h200 --width 80
COLUMNS=80 fits
run "$sluice" model b.slt --gpu h200 -w 80x
exits 2
if command -v script >/dev/null; then
    script -qec "stty cols 60; '$sluice' model b.slt --gpu h200 -w 0" /dev/null >full
    if grep -q '…' full; then fail 'a name is shortened'; fi
fi

it 'prints in full with COLUMNS=0'
export COLUMNS=0
run "$sluice" model b.slt --gpu h200
stdout_has 'bfs_expand'

it 'names the allocation that a parameter points to'
run "$sluice" run bfs --size small
grep -q 'param_3 (.*, 10.8 KiB)' "$scratch/stdout" || fail 'it is not named'

it 'uses no colors where there is no terminal'
run "$sluice" run spmv --size small
if grep -q "$(printf '\033')" "$scratch/stdout"; then fail 'there are colors'; fi

it 'uses colors when asked to'
run "$sluice" run spmv --color=always
grep -q "$(printf '\033\\[3[13]m[0-9]')" "$scratch/stdout" || fail 'there are no colors'

it 'uses colors on terminals, unless NO_COLOR is set'
if command -v script >/dev/null; then
    TERM=xterm script -qec "'$sluice' run spmv" /dev/null >colored
    grep -q "$(printf '\033\\[3[13]m[0-9]')" colored || fail 'there are no colors'
    TERM=xterm NO_COLOR=1 script -qec "'$sluice' run spmv" /dev/null >plain
    if grep -q "$(printf '\033\\[3[13]m')" plain; then fail 'there are colors'; fi
else
    skip 'script is not installed'
fi

it 'refuses other words'
run "$sluice" run gather --color=often
exits 2
stderr_has 'auto, always, never'

done_testing
