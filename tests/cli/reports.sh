#!/bin/sh
# SPDX-License-Identifier: MIT
# Where results go, in which form, and what is left when something fails.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

it 'shows text when no form is asked for'
run "$sluice" run vecadd --size small
exits 0
stdout_has 'warp insts'
stderr_is ''

it 'says above each table what was analyzed, on which GPU and with which settings'
"$sluice" trace -q -o v.slt vecadd n=2048
run "$sluice" run vecadd n=2048
stdout_has 'vecadd n=2048 on h200'
run "$sluice" run histogram --size small --gpu fermi-gtx480
stdout_has ' on fermi-gtx480'
stdout_has 'Findings for fermi-gtx480'
for command in 'model v.slt' 'sim v.slt' 'profile v.slt' 'report --brief v.slt -o v.html'; do
    # shellcheck disable=SC2086
    run "$sluice" $command
    exits 0
    stdout_has 'v.slt on h200'
    # shellcheck disable=SC2086
    run "$sluice" $command --gpu fermi-gtx480 --set L1.mshrs=8 --set L1.hit_cycles=9 -k vec
    exits 0
    stdout_has 'v.slt on fermi-gtx480, L1.mshrs=8 L1.hit_cycles=9, '
    stdout_has '--kernel vec'
done
run "$sluice" sim v.slt --l1 srrip --cold --timeline t.json
stdout_has 'v.slt on h200, --l1 srrip, --cold'
stdout_lacks 'timeline'
run "$sluice" model v.slt --l1-ways 2,4
stdout_has 'v.slt on h200, --l1-ways 2,4'
run "$sluice" tune vecadd n=2048 --no-cache --rounds 1
stdout_has 'vecadd n=2048 on sim h200, --rounds 1'
run "$sluice" compare v.slt --set L1.mshrs=8 --change cores=66
stdout_has 'A: v.slt on h200, L1.mshrs=8 (modeled)'
stdout_has 'B: v.slt on h200, L1.mshrs=8, cores=66 (modeled)'

it 'prints JSON instead of the text when no file is named'
run "$sluice" run vecadd --size small --json
exits 0
stdout_has '"tool": "sluice"'
stdout_lacks 'warp insts'

it 'prints CSV instead of the text when no file is named'
run "$sluice" run vecadd --size small --csv
exits 0
stdout_has 'index,kernel,name'
stdout_lacks 'warp insts'

it 'writes one kind of row per file: launches with --csv, memory instructions with --loads'
"$sluice" trace -q -o srad.slt srad_v2 --size small
for command in run model sim profile 'report --brief' info 'compare --change L1.mshrs=1'; do
    of=srad.slt
    [ "$command" != run ] || of='srad_v2 --size small'
    # shellcheck disable=SC2086
    run "$sluice" $command $of -q --csv launches.csv --loads loads.csv
    exits 0
    for file in launches.csv loads.csv; do
        awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 3 }' $file || fail "$command: $(head -5 $file)"
    done
    ! head -n 1 launches.csv | grep -q opcode || fail "$command: launches.csv has opcodes"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "opcode") c = i; next } $c == "" { exit 1 }' loads.csv ||
        fail "$command: $(head -5 loads.csv)"
done
run "$sluice" run --loads vecadd
exits 0
stdout_has 'index,kernel,name,pc,line,source,opcode,array,ld_requests,ld_sectors'
stdout_lacks 'sect/req'
run "$sluice" run vecadd --csv --loads
exits 2
stderr_has '--csv and --loads cannot both go to standard output'
run "$sluice" model vecadd --l1-ways 2,4 --loads x.csv
exits 2
stderr_has '--loads cannot be combined with lists of L1 parameters'

it 'writes files next to the text'
run "$sluice" run vecadd --size small --json r.json --csv r.csv
exits 0
stdout_has 'warp insts'
file_has r.json '"ld_requests": 256'
file_has r.csv 'ld_requests'

it 'writes the text to a file'
run "$sluice" run vecadd --size small -o r.txt
exits 0
stdout_is ''
file_has r.txt 'warp insts'

it 'prints nothing with --quiet, but writes files'
run "$sluice" run vecadd --size small --quiet --json quiet.json
exits 0
stdout_is ''
stderr_is ''
exists quiet.json

it 'takes the word after --json for what to run when nothing else is given'
run "$sluice" run --size small --json vecadd
exits 0
stdout_has '"workload": "vecadd"'
absent vecadd

it 'refuses to write JSON and CSV into each other'
run "$sluice" run vecadd --json --csv
exits 2
stderr_has '--json and --csv cannot both go to standard output'

it 'names the version, the options and the seed in its JSON'
run "$sluice" run --size small --seed 3 --blocks 2 --json -j 2 vecadd
exits 0
stdout_has '"version": "0.'
stdout_has '"command": "run"'
stdout_has '"blocks": "2"'
stdout_has '"seed": 3'
stdout_lacks '"jobs"'

it 'gives the same bytes every time'
run "$sluice" run --size small --json a.json -j 1 spmv
run "$sluice" run --size small --json b.json -j 3 spmv
exits 0
cmp -s a.json b.json || fail 'a.json and b.json differ'

it 'says before the work that a result cannot be written'
run "$sluice" run matmul --json no/such/r.json
exits 1
stdout_is ''
stderr_is 'sluice run: cannot write no/such/r.json: No such file or directory'
run "$sluice" run matmul -o .
exits 1
stderr_is 'sluice run: cannot write .: Is a directory'
run "$sluice" trace -o no/such/t.slt matmul --size small
exits 1
stderr_is 'sluice trace: cannot write no/such/t.slt: No such file or directory'

it 'keeps an old result when the new one fails'
mkdir keep
echo old >keep/r.json
run "$sluice" run vecadd n=0 --json keep/r.json
exits 1
file_is keep/r.json old
[ "$(ls keep)" = r.json ] || fail "left behind: $(ls keep)"

it 'removes temporary files when the disk is full'
if [ -e /dev/full ]; then
    mkdir full
    ln -s /dev/full full/r.json
    run "$sluice" run vecadd --size small --json full/r.json
    exits 1
    stderr_has 'No space left on device'
    [ "$(ls full)" = r.json ] || fail "left behind: $(ls full)"
else
    skip 'there is no /dev/full'
fi

it 'shows only the launches that were asked for'
run "$sluice" run stencil2d --size small --launch 1 --json
exits 0
stdout_has '"index": 1'
stdout_lacks '"index": 0'

it 'fails where no launch matches, and lists the kernels'
"$sluice" trace -q -o s.slt srad_v2 --size small
for command in run 'trace -o none.slt' model sim profile 'report -o r.html' tune; do
    # shellcheck disable=SC2086
    run "$sluice" $command srad_v2 --size small --kernel nothing
    exits 1
    stderr_has "no launch matches --kernel 'nothing'; the kernels are: srad1, srad2"
    stdout_is ''
done
absent none.slt
for command in info model sim profile 'report -o r.html' tune; do
    # shellcheck disable=SC2086
    run "$sluice" $command s.slt --kernel nothing --launch 5-9
    exits 1
    stderr_has "no launch matches --kernel 'nothing' and --launch 5-9; the kernels are: srad1, srad2"
done

it 'says what is wrong with a regular expression'
run "$sluice" run vecadd --size small --kernel '('
exits 1
stderr_has "'(' is not a regular expression"

it 'says what is wrong with a value'
run "$sluice" run vecadd --lanes 48
exits 2
stderr_has 'a warp has 32 or 64 lanes, not 48'
run "$sluice" run vecadd --launch 9-3
exits 2
stderr_has 'the range 9-3 ends before it begins'
run "$sluice" run vecadd --launch 3,,4
exits 2
stderr_has "'' is not a launch (3), a range (100-120), or every Nth of one (0-999/10, /10)"
run "$sluice" run vecadd --max-instructions lots
exits 2
stderr_has "'lots' is not a number"
run "$sluice" run vecadd --chekc=uninit
exits 2
stderr_has "did you mean '--check'?"

it 'wants something to run'
run "$sluice" run
exits 2
stderr_has 'an input (a workload, a PTX file, LLVM IR, '
run "$sluice" run --
exits 2
stderr_has "a program is missing after '--'"
run "$sluice" run matmul -- ./app
exits 2
stderr_has 'not both'
run "$sluice" run ./app
exits 2
stderr_has "give a program after '--': sluice run -- ./app"

it 'wants to know where to record to'
run "$sluice" trace matmul
exits 2
stderr_has '-o FILE is missing'

done_testing
