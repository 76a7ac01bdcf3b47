/* c = alpha * (a * b^T + b * a^T) + beta * c, row-major a[n][k], b[n][k], c[n][n]: one thread per element of c, which
 * sums in global memory. Neighbouring lanes read a and b in neighbouring rows, a line each. */
KERNEL syr2k_kernel(float *a, float *b, float *c, int n, int k, float alpha, float beta)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float *sum = &c[row * n + column];
    *sum *= beta;
    for (int i = 0; i < k; i++)
        *sum += alpha * a[row * k + i] * b[column * k + i] + alpha * b[row * k + i] * a[column * k + i];
}
