#!/bin/sh
# SPDX-License-Identifier: MIT
# A launch that failed is shown as failed, with its error, by every command: never as a row of zeros.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

cat >bad.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry store(.param .u64 out)
{
    .reg .b64 %a;
    .reg .b32 %t;
    ld.param.u64 %a, [out];
    mov.u32 %t, %tid.x;
    st.global.u32 [%a], %t;
    ret;
}
END
why='bad.ptx:10: illegal 4-byte write at 0x40'
launch='--grid 2 --block 32 --arg u64:64'

# What all of them have to say, and what none may.
says_so()
{
    stdout_has 'store (failed)'
    stdout_has "launch 0 failed: $why"
}
says_so_in_json() # FILE
{
    file_has "$1" '"failed": true'
    file_has "$1" "\"failure\": \"$why"
    ! grep -q '_\(insts\|requests\|sectors\)": 0' "$1" || fail "$1 has zeros: $(cat "$1")"
}

it 'runs PTX whose launch fails, shows it and exits with 1'
# shellcheck disable=SC2086
run "$sluice" run bad.ptx $launch --json run.json --csv run.csv --html run.html
exits 1
says_so
stderr_has "$why"
says_so_in_json run.json
file_has run.csv ',failure'
file_has run.csv "$why"
file_has run.html "Launch 0 failed: $why"

it 'keeps the launch in the trace, and says why it failed'
# shellcheck disable=SC2086
run "$sluice" trace -o bad.slt bad.ptx $launch
exits 1
exists bad.slt
run "$sluice" info bad.slt --json info.json --csv info.csv
exits 0
says_so
file_has info.csv "$why"
file_has info.json '"failed": true'
file_has info.json "\"failure\": \"$why"

for command in profile model 'sim --gpu fermi-gtx480' 'model --seeds 2' 'model --l1-size 16K,32K'; do
    it "shows it as failed: $command"
    name=$(echo "$command" | tr -c 'a-z0-9\n' _)
    # shellcheck disable=SC2086
    run "$sluice" $command bad.slt --json "$name.json" --csv "$name.csv"
    exits 0
    stdout_has 'failed'
    stdout_lacks '0.0%'
    file_has "$name.json" '"failed": true'
    file_has "$name.json" "\"failure\": \"$why"
    sed '1,/"launches"/d' "$name.json" >launches.json
    ! grep -q '_sectors": 0\|accesses": 0' launches.json || fail "zeros: $(cat "$name.json")"
done

it 'says why in tables of profiles, models and simulations'
for command in profile model 'sim --gpu fermi-gtx480'; do
    # shellcheck disable=SC2086
    run "$sluice" $command bad.slt
    exits 0
    says_so
    stdout_lacks 'all 1 launches'
done

it 'marks it on the page of a report'
run "$sluice" report bad.slt --gpu fermi-gtx480 -o page.html --json page.json
exits 0
file_has page.html "Launch 0 failed: $why"
file_has page.html 'failed launches'
file_has page.json "\"failure\": \"$why"

it 'refuses to validate it, with the reason'
cat >counters.csv <<'END'
"ID","Kernel Name","Block Size","Grid Size","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
"","","","","sector"
"0","store","(32, 1, 1)","(2, 1, 1)","64"
END
run "$sluice" validate bad.slt -c counters.csv
exits 1
stderr_has "bad.slt, launch 0 failed: $why"

it 'shows launches of CUDA programs that failed next to those that did not'
if [ -x "${SLUICE_PROGRAMS:-}/asserting" ]; then
    run "$sluice_with_programs" run --json program.json -- "$SLUICE_PROGRAMS/asserting"
    [ "$(grep -c '"failed": true' program.json)" = 1 ] || fail "$(cat program.json)"
    file_has program.json '"failure": "'
    stderr_has 'positive (failed)'
    stderr_has 'launch 1 failed: '
    run "$sluice_with_programs" trace -q -o program.slt -- "$SLUICE_PROGRAMS/asserting"
    for command in info profile model 'sim --gpu fermi-gtx480'; do
        # shellcheck disable=SC2086
        run "$sluice" $command program.slt
        exits 0
        stdout_has 'positive (failed)'
        stdout_has 'launch 1 failed: '
    done
else
    skip 'there is no CUDA program'
fi

done_testing
