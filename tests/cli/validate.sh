#!/bin/sh
# SPDX-License-Identifier: MIT
# The model next to hardware counters, as a person asks for it.
. "${SLUICE_SOURCE:?}/tests/tap.sh"

l1=l1tex__t_sectors_pipe_lsu_mem_global_op_ld
metrics="\"$l1.sum\",\"${l1}_lookup_hit.sum\",\"lts__t_sectors_srcunit_tex_op_read.sum\",\"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum\",\"dram__sectors_read.sum\""
"$sluice" trace --quiet -o mm.slt matmul n=32

# As 'ncu --csv --page raw' writes it: 4,096 sectors, of which three in four hit in L1; L2 reads, hits; reads of memory.
raw() # kernel block grid
{
    echo '==PROF== Connected to process 17'
    echo "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",$metrics"
    echo '"","","","","sector","sector","sector","sector","sector"'
    echo "\"0\",\"$1\",\"$2\",\"$3\",\"4,096\",\"3,072.00\",\"1,000\",\"250\",\"300\""
}
raw 'matmul(const float *, const float *, float *, int)' '(16, 16, 1)' '(2, 2, 1)' >good.csv

it 'puts the model next to the counters of a trace'
run "$sluice" validate mm.slt --counters good.csv
exits 0
stderr_is ''
stdout_has '75.0%'
stdout_has '1 of 1 launches have more than 1,000 load sectors'
stdout_has 'mean absolute error'
stdout_has 'worst'
stdout_has 'dram_read_sectors'

it 'prints the ncu command that collects the counters'
run "$sluice" validate --command -- ./app 1024 'a b'
exits 0
stdout_has 'ncu --csv --page raw --print-units base --cache-control all --clock-control none --log-file counters.csv --metrics l1tex'
stdout_has ",$l1.sum,"
stdout_has ',gpu__time_duration.sum ./app 1024 '"'a b'"
run "$sluice" validate --command matmul n=32 --size small --kernel mat
exits 0
stdout_has ' --kernel-name regex:mat '
stdout_has '.sum sluice run --on gpu matmul n=32 --size small'
run "$sluice" validate --command mm.slt
exits 0
stdout_has '.sum PROGRAM'
run "$sluice" validate mm.slt
exits 2
stderr_has '--counters FILE is missing'
stderr_has '--command'

it 'says how to convert a report of Nsight Compute'
printf 'NVR\0more' >report.ncu-rep
run "$sluice" validate mm.slt --counters report.ncu-rep
exits 1
stderr_has "convert it with 'ncu --import report.ncu-rep --csv --page raw --print-units base >report.ncu-rep.csv'"

it 'reads details whose rows are shorter than the heading'
{
    echo '"ID","Kernel Name","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type"'
    echo "\"0\",\"matmul\",\"(16, 16, 1)\",\"(2, 2, 1)\",\"\",\"$l1.sum\",\"sector\",\"4,096\""
    echo "\"0\",\"matmul\",\"(16, 16, 1)\",\"(2, 2, 1)\",\"\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\""
    echo "\"0\",\"matmul\",\"(16, 16, 1)\",\"(2, 2, 1)\",\"\",\"${l1}_lookup_hit.sum\",\"sector\",\"3,072\""
} >details.csv
run "$sluice" validate mm.slt --counters details.csv
exits 0
stdout_has '75.0%'

it 'runs a workload and compares it as its trace'
run "$sluice" validate mm.slt -c good.csv --csv trace.csv -q
exits 0
run "$sluice" validate matmul n=32 -c good.csv --csv run.csv -q
exits 0
sed 's/^matmul,0,/,0,/' run.csv >run.same
run cmp trace.csv run.same
exits 0

it 'gives the same bytes for any number of threads'
run "$sluice" validate mm.slt -c good.csv --ablation --json one.json -j 1 -q
exits 0
run "$sluice" validate mm.slt -c good.csv --ablation --json three.json -j 3 -q
exits 0
run cmp one.json three.json
exits 0

it 'says in its JSON what made it, and every number'
run "$sluice" validate mm.slt -c good.csv --json
exits 0
stdout_has '"command": "validate"'
stdout_has '"machine": "h200"'
stdout_has '"counters": "good.csv"'
stdout_has '"l1_hit_rate": {"measured": 75'
stdout_has '"measured": {"ld_sectors": 4096, "ld_sector_hits": 3072, "l2_read_sectors": 1000'
stdout_has '"mean_absolute_errors": ['

it 'switches the extensions of the model off one by one'
run "$sluice" validate mm.slt -c good.csv --ablation
exits 0
stdout_has 'no latency'
stdout_has 'no associativity'
stdout_has 'no MSHR limit'
stdout_has 'no divergence'
stdout_has 'none of these four'

it 'draws a plot'
run "$sluice" validate mm.slt -c good.csv --plot plot.svg -q
exits 0
file_has plot.svg '<svg xmlns'
file_has plot.svg '>L1 hit rate<'
file_has plot.svg 'matmul, launch 0: measured 75.0, model'
file_has plot.svg '</svg>'

it 'takes a row per metric as well'
cat >details.csv <<END
"ID","Kernel Name","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value"
"0","matmul","(16, 16, 1)","(2, 2, 1)","Metrics","$l1.sum","sector","4,096"
"0","matmul","(16, 16, 1)","(2, 2, 1)","Metrics","${l1}_lookup_hit.sum","sector","1,024"
END
run "$sluice" validate mm.slt -c details.csv
exits 0
stdout_has '25.0%'
stdout_has '-  '

it 'excludes launches with few sectors from the means'
run "$sluice" validate mm.slt -c good.csv --min-sectors 5000
exits 0
stdout_has '0 of 1 launches have more than 5,000 load sectors'

it 'takes machines and changes of them'
run "$sluice" validate mm.slt -c good.csv --gpu fermi-gtx470 --set cores=1
exits 0
run "$sluice" validate mm.slt -c good.csv --set L1.wais=4
exits 1
stderr_has 'ways'

# Two workloads in one file, at their small size; one of them has two launches.
cat >many.csv <<END
workload,launch,Kernel Name,Block Size,Grid Size,$l1.sum
matmul,0,matmul,(16 16 1),(4 4 1),32768.00
stencil2d,0,stencil2d,(32 8 1),(4 12 1),8116.00
stencil2d,1,stencil2d,(32 8 1),(4 12 1),8116.00
END

it 'compares all workloads of a file'
run "$sluice" validate all --size small -c many.csv --csv - -j 2
exits 0
stdout_has 'matmul,0,matmul,matmul,1,model,ld_sectors,32768,32768,0'
stdout_has 'stencil2d,1,stencil2d,stencil2d,1,model,ld_sectors,8116,8116,0'

it 'gives the same bytes for any number of workloads at a time'
measured="$SLUICE_SOURCE/papers/h200-counters.csv"
{ head -n 1 "$measured" && grep -E '^(particlefilter|conv3d),' "$measured"; } >few.csv
run "$sluice" validate all -c few.csv --csv one.csv -j 1 -q
exits 0
run "$sluice" validate all -c few.csv --csv two.csv -j 2 -q
exits 0
run cmp one.csv two.csv
exits 0

it 'takes of such a file the rows of the workload'
run "$sluice" validate --size small stencil2d -c many.csv --csv - --launch 1
exits 0
stdout_has 'stencil2d,1,'
stdout_lacks 'stencil2d,0,'
stdout_lacks 'matmul'
run "$sluice" validate --size small vecadd -c many.csv
exits 1
stderr_has "many.csv: there are no counters of the workload 'vecadd'"
run "$sluice" validate all -c good.csv
exits 1
stderr_has "good.csv: the file has no column 'workload', which 'all' requires"

it 'finds the workload of a trace in such a file, by its launches'
"$sluice" trace --quiet -o stencil.slt --size small stencil2d
run "$sluice" validate stencil.slt -c many.csv --csv -
exits 0
stdout_has 'stencil2d,1,stencil2d,stencil2d,1,model,ld_sectors,8116,8116,0'
stdout_lacks 'matmul'
run "$sluice" validate stencil.slt -c many.csv --counters-of stencil2d --csv -
exits 0
stdout_has 'stencil2d,1,stencil2d,stencil2d,1,model,ld_sectors,8116,8116,0'

it 'says when the workloads of the file are not those of the trace, or two are'
run "$sluice" validate mm.slt -c many.csv
exits 1
stderr_has 'many.csv: it has counters of 2 workloads, but none has the launches of mm.slt: say which one is meant'
run "$sluice" validate mm.slt -c many.csv --counters-of matmul
exits 1
stderr_has 'many.csv:2: these are counters of matmul with a grid of 4x4x1, but launch 0 of mm.slt has one of 2x2x1'
run "$sluice" validate mm.slt -c many.csv --counters-of matmol
exits 1
stderr_has "did you mean 'matmul'?"
{ cat many.csv && sed -n 's/^stencil2d,/other,/p' many.csv; } >twice.csv
run "$sluice" validate stencil.slt -c twice.csv
exits 1
stderr_has "twice.csv: the counters of 'stencil2d' and those of 'other' both fit stencil.slt: say which of them are meant"
run "$sluice" validate stencil.slt -c twice.csv --counters-of other --csv -
exits 0
stdout_has 'other,0,'
stdout_lacks 'stencil2d,0,'
run "$sluice" validate all -c twice.csv --counters-of other
exits 2
run "$sluice" validate mm.slt -c good.csv --counters-of matmul
exits 1
stderr_has "good.csv: --counters-of: the file has no column 'workload'"

it 'refuses counters that do not belong to the trace, with file, line and reason'
raw 'other(int)' '(16, 16, 1)' '(2, 2, 1)' >kernel.csv
run "$sluice" validate mm.slt -c kernel.csv --json out.json --plot out.svg
exits 1
stderr_has "kernel.csv:4: these are counters of the kernel 'other(int)', but launch 0 of mm.slt is of 'matmul'"
raw matmul '(16, 16, 1)' '(4, 2, 1)' >grid.csv
run "$sluice" validate mm.slt -c grid.csv --json out.json --plot out.svg
exits 1
stderr_has 'grid.csv:4: these are counters of matmul with a grid of 4x2x1, but launch 0 of mm.slt has one of 2x2x1'
raw matmul '(32, 8, 1)' '(2, 2, 1)' >block.csv
run "$sluice" validate mm.slt -c block.csv --json out.json --plot out.svg
exits 1
stderr_has 'block.csv:4: these are counters of matmul with blocks of 32x8x1, but launch 0 of mm.slt has blocks of 16x16x1'
{ cat good.csv; tail -n 1 good.csv; } >surplus.csv
run "$sluice" validate mm.slt -c surplus.csv --json out.json --plot out.svg
exits 1
stderr_has "surplus.csv:5: these are counters of launch 1, of 'matmul', but mm.slt has no such launch"
absent out.json
absent out.svg

it 'refuses files that are no counters'
echo 'some text' >text
run "$sluice" validate mm.slt -c text
exits 1
stderr_has "text: there is no heading with a column 'Kernel Name'"
run "$sluice" validate mm.slt -c absent.csv
exits 1
stderr_has 'absent.csv'
sed 's/4,096/4,09/' good.csv >number.csv
run "$sluice" validate mm.slt -c number.csv
exits 1
stderr_has "number.csv:4: '4,09' is not a number, as the value of $l1.sum"
run "$sluice" validate mm.slt
exits 2
stderr_has '--counters FILE is missing'

it 'says which launches have no counters'
head -n 2 many.csv >first.csv
sed -n 3p many.csv >>first.csv
sed -i 2d first.csv
run "$sluice" validate --size small stencil2d -c first.csv
exits 0
stdout_has '1 more launches have no counters'

it 'puts the simulator next to the counters, cycles too'
sed -e 's/"dram__sectors_read.sum"/"sm__cycles_elapsed.max"/' -e 's/,"300"/,"5000"/' good.csv >cycles.csv
run "$sluice" validate mm.slt -c cycles.csv --with sim --json sim.json
exits 0
file_has sim.json '"variant": "sim"'
file_has sim.json '"cycles": {"measured": 5000, "model": '
run "$sluice" validate mm.slt -c cycles.csv --with sim
stdout_has 'cycles'
run "$sluice" validate mm.slt -c cycles.csv --with model
exits 0
stdout_has 'mean absolute error   L1 hit rate  L2 read hit rate  L2 reads  DRAM reads    cycles'

it 'puts the cycles that the model estimates next to those of the simulator'
run "$sluice" validate mm.slt -c cycles.csv --with both --csv -
exits 0
cp "$scratch/stdout" both.csv
file_has both.csv ',model,cycles,5000,'
file_has both.csv ',sim,cycles,5000,'

it 'refuses extensions of the model where the simulator is compared'
run "$sluice" validate mm.slt -c good.csv --with sim --ablation
exits 2
stderr_has 'require --with model'

done_testing
