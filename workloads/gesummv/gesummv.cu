/* y = alpha * a * x + beta * b * x, a[n][n], b[n][n]: one thread per row. Neighbouring lanes read neighbouring rows, a
 * line of each matrix. */
KERNEL gesummv_kernel(float *a, float *b, float *x, float *y, float *ax, int n, float alpha, float beta)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    ax[row] = 0;
    y[row] = 0;
    for (int j = 0; j < n; j++) {
        ax[row] += a[row * n + j] * x[j];
        y[row] += b[row * n + j] * x[j];
    }
    y[row] = alpha * ax[row] + beta * y[row];
}
