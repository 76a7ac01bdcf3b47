/* x += a * y, a[n][n]: one thread per row. Neighbouring lanes read neighbouring rows, a line each. */
KERNEL mvt_kernel1(float *a, float *x, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    for (int j = 0; j < n; j++)
        x[row] += a[row * n + j] * y[j];
}

/* x += a^T * y: one thread per column. Neighbouring lanes read the same line. */
KERNEL mvt_kernel2(float *a, float *x, float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n)
        return;
    for (int i = 0; i < n; i++)
        x[column] += a[i * n + column] * y[i];
}
