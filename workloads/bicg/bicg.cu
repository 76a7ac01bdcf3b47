/* s = a^T * r: one thread per column. Neighbouring lanes read the same line. */
KERNEL bicg_kernel1(float *a, float *r, float *s, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    s[column] = 0;
    for (int i = 0; i < rows; i++)
        s[column] += a[i * columns + column] * r[i];
}

/* q = a * p: one thread per row. Neighbouring lanes read neighbouring rows, a line each. */
KERNEL bicg_kernel2(float *a, float *p, float *q, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    q[row] = 0;
    for (int j = 0; j < columns; j++)
        q[row] += a[row * columns + j] * p[j];
}
