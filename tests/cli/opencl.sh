#!/bin/sh
# SPDX-License-Identifier: MIT
# OpenCL programs, through the loader that Debian ships.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
sources=$source_root/tests/opencl cc=${CC:-cc}

# What is missing for these tests; nothing: ''
missing()
{
    [ -z "${SLUICE_SANITIZERS:-}" ] || { echo 'not with the sanitizers'; return; }
    [ -f "${SLUICE_BUILD:?}/lib/sluice/cuda/libsluice_opencl.so" ] || { echo 'built without opencl-c-headers'; return; }
    echo 'int main(void) { return 0; }' >empty.c
    "$cc" empty.c -o empty -lOpenCL 2>/dev/null || { echo 'no ocl-icd-opencl-dev'; return; }
    [ -f /usr/lib/clc/nvptx64--nvidiacl.bc ] || { echo 'no libclc'; return; }
    for version in 19 20 21 22; do
        [ ! -x "/usr/bin/clang-$version" ] || return
    done
    echo 'no clang 19 or later'
}

why=$(missing)
if [ -n "$why" ]; then
    it 'runs OpenCL programs'
    skip "$why"
    done_testing
fi
export XDG_CACHE_HOME="$PWD/cache"

it 'answers every call as the specification says'
"$cc" -Wall -Wextra "$sources/calls.c" -o calls -lOpenCL -lpthread || fail 'calls.c was not built'
run "$sluice" run --json=calls.json -- ./calls
for part in 'platform and device' 'contexts and queues' buffers programs 'says 1000 it 1.000000,2.000000' kernels ranges \
    events images 'host memory' 'host image' 'unsupported calls' faults; do
    stdout_has "$part"
done
if "$sluice" run -- ./calls 2>/dev/null | grep '^line '; then fail 'a call answered otherwise'; fi
stderr_has 'clSVMAlloc is not supported'
stderr_has 'clCreateSubDevices is not supported'
stderr_has 'illegal 4-byte write'

it 'says the lines of kernels'
"$cc" -Wall -Wextra "$sources/add.c" -o add -lOpenCL || fail 'add.c was not built'
run "$sluice" run -- ./add "$sources/add.cl"
exits 0
stdout_is 'Sluice emulated H200, 132 units, wavefronts of 32'
stderr_has '.cl:10'

it 'compiles a program once'
kept=$(find cache/sluice/opencl -type f | wc -l)
run "$sluice" run -- ./add "$sources/add.cl"
exits 0
[ "$(find cache/sluice/opencl -type f | wc -l)" = "$kept" ] || fail 'there are more files than before'

it 'is the GPU model that --gpu names'
run "$sluice" run --gpu hd7770 --json=wide.json -- ./add "$sources/add.cl"
stdout_is 'Sluice emulated HD7770, 10 units, wavefronts of 64'
run "$sluice" run --json=narrow.json -- ./add "$sources/add.cl"
stdout_is 'Sluice emulated H200, 132 units, wavefronts of 32'

# value FILE KEY: the first number of that name
value() { tr ',{}' '\n' <"$1" | sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" | head -n 1; }

it 'counts an instruction of 64 work-items once'
[ "$(value narrow.json warp_insts)" = $(($(value wide.json warp_insts) * 2)) ] ||
    fail "$(value narrow.json warp_insts) warps' instructions of 32 lanes, $(value wide.json warp_insts) of 64"

it 'says what to install where the compiler is missing'
run env SLUICE_CLANG=/nowhere XDG_CACHE_HOME="$PWD/other" "$sluice" run -- ./add "$sources/add.cl"
stdout_has 'build failed with -3: OpenCL programs are compiled by clang with libclc; clang was not found: install clang'
stderr_has 'apt-get install clang-19 libclc-19'

it 'is a program of a paper, and left out where it is not installed'
cat >paper.yaml <<END
name: mine
title: A paper of mine
source: nobody, nowhere
machine: hd7770
programs: {OURS: spmv rows=600, THEIRS: {program: add $sources/add.cl, kernel: add}, ABSENT: {program: no-such-program -e}}
groups: {ALL: programs}
configs:
  BL: {l1: lru}
figures:
  - id: one
    title: Loads
    where: figure 1
    rows: [ALL]
    columns:
      - {name: requests, value: BL.ld_requests}
    claims:
      - {says: they load, holds: "at(THEIRS, BL.ld_requests) > 0"}
      - {says: it loads, holds: "at(ABSENT, BL.ld_requests) > 0"}
END
run env PATH="$PWD:$PATH" "$sluice" reproduce paper.yaml --cache papers --csv paper.csv
exits 0
stderr_has "mine, ABSENT: 'no-such-program -e' is not installed, so it is left out"
stdout_has 'agrees          they load'
file_has paper.csv 'mine,one,ALL,THEIRS,requests,'
if grep -q ABSENT paper.csv; then fail 'a program that is not there has a row'; fi
it 'records it once'
kept=$(echo papers/traces/program-*.slt)
run env PATH="$PWD:$PATH" "$sluice" reproduce paper.yaml --cache papers
exits 0
[ "$(echo papers/traces/program-*.slt)" = "$kept" ] || fail 'it was recorded again'

it 'has a build log with the place of an error'
echo '__kernel void add(__global float *a) { a[0] = b; }' >bad.cl
run "$sluice" run -- ./add bad.cl
stdout_has "error: use of undeclared identifier 'b'"

it 'executes what the same kernel in CUDA does'
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    . "$source_root/tests/nvcc.sh"
    compile "$sources/add.cu" add_cuda -arch=compute_75 -lineinfo
    run "$sluice" run --json=cuda.json -- ./add_cuda
    for key in ld_requests ld_sectors st_requests st_sectors thread_insts; do
        echo "$key $(value cuda.json $key) $(value narrow.json $key)"
    done >both
    awk '$1 !~ /insts/ && $2 != $3 || $1 ~ /insts/ && ($3 > 1.15 * $2 || $2 == "") { bad = 1 } END { exit bad }' both ||
        fail "CUDA and OpenCL differ: $(tr '\n' ';' <both)"
else
    skip 'no nvcc'
fi
done_testing
