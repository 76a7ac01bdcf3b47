#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes tests/data/fatbin/PROGRAM.fatbin with nvcc (13.0 made those that are checked in), for machines without nvcc.
set -e
cd "$(dirname "$0")"
for file in *.cu; do
    flags=
    case $file in linked_*) flags=-rdc=true ;; esac
    # shellcheck disable=SC2086
    nvcc -std=c++17 $flags -gencode arch=compute_75,code=compute_75 --compress-mode=size -fatbin "$file" \
        -o "../data/fatbin/${file%.cu}.fatbin"
done
