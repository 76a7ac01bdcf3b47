#!/bin/sh
# SPDX-License-Identifier: MIT
# Our runtime library against NVIDIA's, where that is installed.
. "${SLUICE_SOURCE:?}/tests/tap.sh"
ours=${SLUICE_CUDA_LIBRARIES:?} layout=${SLUICE_ABI_LAYOUT:?}
cuda=${SLUICE_CUDA_HEADERS:-} cc=${CC:-cc}

it "lays structs out and numbers things as CUDA 13's headers do"
if [ -f "$cuda/cuda_runtime_api.h" ] && grep -q 'define CUDART_VERSION  *13' "$cuda/cuda_runtime_api.h"; then
    run "$cc" -DCUDA_HEADERS -I"$source_root/src" -I"$cuda" "$source_root/tests/cudart/abi_layout.c" -o cuda_layout
    exits 0
    "$layout" >ours.txt
    ./cuda_layout >cuda.txt
    diff ours.txt cuda.txt >difference || fail "$(cat difference)"
else
    skip 'the headers of CUDA 13 are not installed'
fi

# Names of what a library defines, with their versions.
symbols() { nm -D --defined-only "$1" | awk '{print $NF}' | grep cuda | sort -u; }

it 'defines every entry point of CUDA 13'
real=$(dirname "$cuda")/lib64/libcudart.so.13
if [ -f "$real" ]; then
    symbols "$real" >real.txt
    symbols "$ours/libcudart.so.13" >ours.txt
    missing=$(comm -23 real.txt ours.txt)
    [ -z "$missing" ] || fail "missing: $missing"
else
    skip 'the runtime library of CUDA 13 is not installed'
fi

it 'shows nothing but CUDA entry points'
for version in 11.0 12 13; do
    others=$(nm -D --defined-only "$ours/libcudart.so.$version" | awk '{print $NF}' |
        grep -vE "^(__)?cuda[A-Za-z0-9_]*@@libcudart.so.$version\$|^libcudart.so.$version(@@|\$)" || true)
    [ -z "$others" ] || fail "libcudart.so.$version: $others"
done

done_testing
