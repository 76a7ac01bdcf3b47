#!/bin/sh
# Makes the compiler-written files of this folder again. Needs nvcc 13, clang-14 and clang-19; the tests need none of
# them. Compilers write the path of the source into debug information, so this works in one fixed place.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=/tmp/kernels
mkdir "$place"
trap 'rm -r "$place"' EXIT
cp "$here"/src/* "$place"
cd "$place"
nv() { out=$1; shift; nvcc -std=c++17 -ptx "$@" -o "$here/$out".ptx; }
nv nvcc_runtime_75 -arch=compute_75 runtime.cu
nv nvcc_runtime_75_lineinfo -arch=compute_75 -lineinfo runtime.cu
nv nvcc_runtime_75_debug -arch=compute_75 -G runtime.cu
nv nvcc_runtime_90_rdc -arch=compute_90 -rdc=true runtime.cu
nv nvcc_modern_80 -arch=compute_80 modern.cu
nv nvcc_modern_90 -arch=compute_90 modern.cu
nv nvcc_modern_90_rdc_lineinfo -arch=compute_90 -rdc=true -lineinfo modern.cu
nv nvcc_plain_100 -arch=compute_100 plain_nvcc.cu
cl() { out=$1; tool=$2; shift 2; "$tool" -x cuda --cuda-device-only -nocudainc -nocudalib -include minimal.h -S "$@" plain.cu -o "$here/$out".ptx; }
cl clang14_plain_70 clang-14 --cuda-gpu-arch=sm_70 -O3
cl clang19_plain_90 clang-19 --cuda-gpu-arch=sm_90 -O3
cl clang19_plain_70_debug clang-19 --cuda-gpu-arch=sm_70 --cuda-noopt-device-debug -O0 -g
cl clang19_plain_70_O0 clang-19 --cuda-gpu-arch=sm_70 -O0
clang-14 --target=nvptx64-nvidia-cuda -march=sm_80 -x cl -cl-std=CL1.2 -nogpulib -O3 -S kernels.cl -o "$here"/clang14_opencl_80.ptx
