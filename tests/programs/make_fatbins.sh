#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes tests/data/fatbin/PROGRAM.fatbin with nvcc (13.0 made those that are checked in), for machines without nvcc.
set -e
cd "$(dirname "$0")"
for file in *.cu; do
    flags='' arch=75
    case $file in
    linked_* | children* | nodes*) flags=-rdc=true ;;
    hopper* | clusters* | bulk*) arch=90 ;;
    tensormaps* | wgmma* | attention*) arch=90a ;;
    esac
    # shellcheck disable=SC2086
    nvcc -std=c++17 $flags -gencode arch=compute_$arch,code=compute_$arch --compress-mode=size -fatbin "$file" \
        -o "../data/fatbin/${file%.cu}.fatbin"
done
