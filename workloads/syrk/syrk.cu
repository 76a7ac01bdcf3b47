/* c = alpha * a * a^T + beta * c, row-major a[n][k], c[n][n]: one thread per element of c, which sums in global memory.
 * Neighbouring lanes read a in neighbouring rows, a line each. */
KERNEL syrk_kernel(float *a, float *c, int n, int k, float alpha, float beta)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float *sum = &c[row * n + column];
    *sum *= beta;
    for (int i = 0; i < k; i++)
        *sum += alpha * a[row * k + i] * a[column * k + i];
}
