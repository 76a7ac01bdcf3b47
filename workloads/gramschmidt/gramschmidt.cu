/* Step k of the modified Gram-Schmidt method, a[rows][columns] = q * r. */

/* r[k][k] = the length of column k of a: a single thread walks down the column. */
KERNEL gramschmidt_kernel1(float *a, float *r, int rows, int columns, int k)
{
    if (blockIdx.x * blockDim.x + threadIdx.x)
        return;
    float sum = 0;
    for (int i = 0; i < rows; i++)
        sum += a[i * columns + k] * a[i * columns + k];
    r[k * columns + k] = sqrtf(sum);
}

/* Column k of q = column k of a, of length 1: one thread per row. */
KERNEL gramschmidt_kernel2(float *a, float *r, float *q, int rows, int columns, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

/* Takes the direction of q's column k out of the columns of a behind it: one thread per column. */
KERNEL gramschmidt_kernel3(float *a, float *r, float *q, int rows, int columns, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j <= k || j >= columns)
        return;
    r[k * columns + j] = 0;
    for (int i = 0; i < rows; i++)
        r[k * columns + j] += q[i * columns + k] * a[i * columns + j];
    for (int i = 0; i < rows; i++)
        a[i * columns + j] -= q[i * columns + k] * r[k * columns + j];
}
