/* SPDX-License-Identifier: MIT */
/* What add.cu does, for tests/cli/opencl.sh: a stride of 3 makes partial sectors, a table local memory. */
__kernel void add(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float t[256];
    int l = get_local_id(0), i = get_group_id(0) * 256 + l;
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        c[i] = t[255 - l] + b[3 * i];
}
