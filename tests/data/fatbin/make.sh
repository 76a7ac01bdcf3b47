#!/bin/sh
# Makes the fat binaries of this folder with nvcc (13.0 made those that are checked in). The programs' come from
# tests/programs/make_fatbins.sh.
set -e
cd "$(dirname "$0")"
both="-gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=[sm_90,compute_90]"
for mode in none speed balance size; do
    # shellcheck disable=SC2086
    nvcc $both --compress-mode=$mode -fatbin tiny.cu -o tiny_$mode.fatbin
done
nvcc -gencode arch=compute_90,code=sm_90 -fatbin tiny.cu -o tiny_machine_code_only.fatbin
nvcc -arch=compute_90a -fatbin tiny.cu -o tiny_90a.fatbin
nvcc -gencode arch=compute_90,code=sm_90 -cubin tiny.cu -o tiny.cubin
nvcc -gencode arch=compute_75,code=compute_75 -rdc=true -c tiny.cu -o tiny_rdc.obj
