/* SPDX-License-Identifier: MIT */
#include <hip/hip_runtime.h>

extern "C" __global__ void twice(int *data, int n)
{
    if ((int)threadIdx.x < n)
        data[threadIdx.x] *= 2;
}
