#!/bin/sh
# SPDX-License-Identifier: MIT
# Our driver library against NVIDIA's header and library, where they are installed.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
ours=${SLUICE_CUDA_LIBRARIES:?} layout=${SLUICE_ABI_LAYOUT:?}
cuda=${SLUICE_CUDA_HEADERS:-} cc=${CC:-cc}
functions=$source_root/src/cudadriver/functions.def

it "lays structs out as CUDA 13's header does"
if grep -qs 'define CUDA_VERSION 13' "$cuda/cuda.h"; then
    run "$cc" -DCUDA_HEADERS -I"$cuda" "$source_root/tests/cudadriver/driver_layout.c" -o cuda_layout
    exits 0
    "$layout" >ours.txt
    ./cuda_layout >cuda.txt
    diff ours.txt cuda.txt >difference || fail "$(cat difference)"
else
    skip 'the headers of CUDA 13 are not installed'
fi

it 'knows every name and version of cudaTypedefs.h, under its symbol'
if grep -qs 'define CUDA_VERSION 13' "$cuda/cuda.h"; then
    # PFN_cuMemAlloc_v3020 and PFN_cuMemcpy_v7000_ptds, each once
    grep -oE 'PFN_cu[A-Za-z0-9]+_v[0-9]+(_ptsz|_ptds)?\)' "$cuda/cudaTypedefs.h" | tr -d ')' |
        sed -E 's/^PFN_(cu[A-Za-z0-9]+)_v([0-9]+)(_pt.*)?$/\1 \2 \3/' | sort -u >header.txt
    sed -nE 's/^SL_(DRIVER|THREAD)\((cu[A-Za-z0-9]+), ([0-9]+), [A-Za-z0-9]+(_v[0-9]+)?(_ptsz|_ptds)?\)$/\2 \3 \5/p' \
        "$functions" | grep -v '^cuProfiler' | sort -u >table.txt
    diff table.txt header.txt >difference || fail "$(cat difference)"
else
    skip 'the headers of CUDA 13 are not installed'
fi

symbols() { nm -D --defined-only "$1" | awk '{print $NF}' | sed 's/@.*//' | sort -u; }

it 'defines every entry point of the driver of CUDA 13, and no others'
real=$(dirname "$cuda")/lib64/stubs/libcuda.so
if [ -f "$real" ]; then
    symbols "$real" >real.txt
    symbols "$ours/libcuda.so.1" | grep -v '^nvrtcGetCUBIN' >ours.txt
    diff real.txt ours.txt >difference || fail "$(cat difference)"
else
    skip 'the library of CUDA 13 is not installed'
fi

it 'shows no inner names'
others=$(symbols "$ours/libcuda.so.1" | grep -vE '^(cu[A-Z]|nvrtcGetCUBIN)' || true)
[ -z "$others" ] || fail "$others"

it 'is found under both of its names'
[ "$(readlink "$ours/libcuda.so")" = libcuda.so.1 ] || fail 'libcuda.so does not lead to libcuda.so.1'

done_testing
