/* d = (a * b) * c, row-major n x n: a kernel per product, a thread per element, sums in global memory. */
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

KERNEL mm2_kernel1(float *a, float *b, float *ab, int n)
{
    product(a, b, ab, n);
}

KERNEL mm2_kernel2(float *ab, float *c, float *d, int n)
{
    product(ab, c, d, n);
}
