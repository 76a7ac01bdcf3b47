/* g = (a * b) * (c * d), row-major n x n: a kernel per product, a thread per element, sums in global memory. */
SL_DEV void product(float *left, float *right, float *out, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float *sum = &out[row * n + column];
    *sum = 0;
    for (int k = 0; k < n; k++)
        *sum += left[row * n + k] * right[k * n + column];
}

KERNEL mm3_kernel1(float *a, float *b, float *e, int n)
{
    product(a, b, e, n);
}

KERNEL mm3_kernel2(float *c, float *d, float *f, int n)
{
    product(c, d, f, n);
}

KERNEL mm3_kernel3(float *e, float *f, float *g, int n)
{
    product(e, f, g, n);
}
