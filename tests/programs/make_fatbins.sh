#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes tests/data/fatbin/PROGRAM.fatbin with nvcc (13.0 made those that are checked in), for machines without nvcc.
set -e
cd "$(dirname "$0")"
ptx=$(mktemp)
trap 'rm -f "$ptx"' EXIT
for file in *.cu; do
    flags='' arch=75 fatbin=../data/fatbin/${file%.cu}.fatbin
    case $file in
    linked_* | children* | nodes*) flags=-rdc=true ;;
    nbody*) flags='-gencode arch=compute_90,code=sm_90' ;; # with machine code
    hopper* | clusters* | bulk*) arch=90 ;;
    tensormaps* | wgmma* | attention*) arch=90a ;;
    arrays* | particles* | staged*) # with source lines, of files by their names in the sources
        nvcc -std=c++17 -lineinfo -arch=compute_$arch -ptx "$file" -o "$ptx"
        sed -i "s|\"$PWD/|\"tests/programs/|" "$ptx"
        fatbinary --create="$fatbin" -64 --compress-mode=size "--image3=kind=ptx,sm=$arch,file=$ptx"
        continue
        ;;
    esac
    # shellcheck disable=SC2086
    nvcc -std=c++17 $flags -gencode arch=compute_$arch,code=compute_$arch --compress-mode=size -fatbin "$file" -o "$fatbin"
done
