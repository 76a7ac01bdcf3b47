/* OpenCL C: explicit address spaces, vectors, barriers. */
typedef struct { float4 p; int k; } item;
constant float coeff[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
int get(int);
size_t __attribute__((const)) where(void) { return __nvvm_read_ptx_sreg_ctaid_x() * 64 + __nvvm_read_ptx_sreg_tid_x(); }
kernel void blur(global const float *restrict in, global float *restrict out, int n, local float *tile)
{
    int i = where();
    tile[__nvvm_read_ptx_sreg_tid_x()] = in[i];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 5; k++) s += coeff[k] * tile[(__nvvm_read_ptx_sreg_tid_x() + k) & 63];
    if (i < n) out[i] = s;
}
kernel void vectors(global float4 *v, global item *items, constant int *c, global int2 *w)
{
    int i = where();
    v[i] = v[i] * v[i + 1] + items[i].p;
    items[i].k = c[i & 3];
    w[i] = w[i + 1].yx;
}
