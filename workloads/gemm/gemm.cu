/* c = alpha * a * b + beta * c, row-major a[m][k], b[k][n], c[m][n]: one thread per element of c, which sums in
 * global memory. */
KERNEL gemm_kernel(float *a, float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float *sum = &c[row * n + column];
    *sum *= beta;
    for (int i = 0; i < k; i++)
        *sum += alpha * a[row * k + i] * b[i * n + column];
}
