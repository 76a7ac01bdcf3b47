KERNEL vecadd(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
