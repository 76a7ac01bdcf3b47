#!/bin/sh
# SPDX-License-Identifier: MIT
# Sources with what the memory instructions of each line do.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'shows sectors next to each line that accesses memory, and the lines around it'
run "$sluice" run matmul --size small --annotate
exits 0
stdout_has 'matmul: workloads/matmul/matmul.cu, 1 launch; share: of the kernel'
grep -qE '^ *[0-9.]+% +[0-9.,]+( [KM])? +[0-9.]+ +[0-9]+  .*\[' "$scratch/stdout" || fail "$(saw 'no line has numbers')"
grep -qE '^ +[0-9]+  }$' "$scratch/stdout" || fail "$(saw 'no line is without numbers')"
stdout_lacks 'wait cycles'

it 'shows hits and misses of the model, waits of the simulator, and what was found, below its line'
run "$sluice" model syrk --size small --gpu fermi-gtx480 --annotate
stdout_has 'L1 hit'
stdout_has 'misses'
stdout_lacks 'wait cycles'
grep -qE '^    \^ [a-z0-9-]+, [0-9.]+% of the time: ' "$scratch/stdout" || fail "$(saw 'no finding')"
run "$sluice" sim syrk --size small --gpu fermi-gtx480 --annotate annotated.txt
exits 0
stdout_has 'cycles'
file_has annotated.txt 'wait cycles'
file_has annotated.txt 'L1 stalls'

it 'has shares whose sum is that of the kernel'
sum=$(awk '$1 ~ /%$/ { sum += $1 } END { print (sum > 99 && sum < 101) }' annotated.txt)
[ "$sum" = 1 ] || fail "$(cat annotated.txt)"

it 'fits a terminal: leaves out numbers before it cuts lines'
run "$sluice" sim syrk --size small --gpu fermi-gtx480 --annotate -w 80
stdout_lacks 'L1 stalls'
[ "$(LC_ALL=C.UTF-8 wc -L <"$scratch/stdout")" -le 80 ] || fail "$(saw 'a line is wider')"

it 'shows PTX where no other source is known, and says what is missing where there is none'
printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %%a;\n.reg .b32 %%x;\nld.param.u64 %%a, [p];\nld.global.u32 %%x, [%%a];\nst.global.u32 [%%a], %%x;\nret;\n}\n' >k.ptx
run "$sluice" run k.ptx --grid 1 --block 32 --arg 'u32[32]:zero' --annotate
exits 0
stdout_has 'ld.global.u32'
"$sluice" trace -q -o k.slt k.ptx --grid 1 --block 32 --arg 'u32[32]:zero'
run "$sluice" run k.ptx --grid 1 --block 32 --arg 'u32[32]:zero' --annotate --json
exits 2
stderr_has 'cannot both go to standard output'
run "$sluice" model k.slt --annotate
exits 0
stdout_has 'k: its source was not found; compile with -lineinfo'

it 'charges what the simulator waits for to the loads that are waited for'
run "$sluice" sim vecadd n=4096 --loads loads.csv -q
exits 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "wait_cycles") w = i; next } { sum += $w } END { exit !(w && sum > 0) }' loads.csv ||
    fail 'no load waited'

done_testing
