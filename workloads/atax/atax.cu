/* ax = a * x: one thread per row. Neighbouring lanes read neighbouring rows, a line each. */
KERNEL atax_kernel1(float *a, float *x, float *ax, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    ax[row] = 0;
    for (int j = 0; j < columns; j++)
        ax[row] += a[row * columns + j] * x[j];
}

/* y = a^T * ax: one thread per column. Neighbouring lanes read the same line. */
KERNEL atax_kernel2(float *a, float *ax, float *y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    y[column] = 0;
    for (int i = 0; i < rows; i++)
        y[column] += a[i * columns + column] * ax[i];
}
