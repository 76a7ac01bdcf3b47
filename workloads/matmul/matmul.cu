/* c = a * b, row-major n x n: one thread per element of c. */
KERNEL matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n)
{
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
