/* A step of the two electric fields and the magnetic field between them, on n x n cells: one thread per cell. Rows of
 * ex have n + 1 elements, ey has n + 1 rows. */

/* ey from hz of the cells above; the first row is the source's value. */
KERNEL fdtd_step1_kernel(float *source, float *ey, float *hz, int t, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    if (i == 0)
        ey[i * n + j] = source[t];
    else
        ey[i * n + j] -= 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
}

/* ex from hz of the cells to the left. */
KERNEL fdtd_step2_kernel(float *ex, float *hz, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n && j > 0)
        ex[i * (n + 1) + j] -= 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
}

/* hz from both. */
KERNEL fdtd_step3_kernel(float *ex, float *ey, float *hz, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        hz[i * n + j] -= 0.7f * (ex[i * (n + 1) + j + 1] - ex[i * (n + 1) + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
}
