/* Gaussian elimination, one pivot per pair of launches. */

/* How much of the pivot's row each row below it loses: a column of quotients. */
KERNEL fan1(float *quotient, const float *a, int n, int pivot)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1 - pivot)
        return;
    int row = pivot + 1 + i;
    quotient[n * row + pivot] = a[n * row + pivot] / a[n * pivot + pivot];
}

/* Takes it away. Neighbouring threads along x are in neighbouring rows. */
KERNEL fan2(const float *quotient, float *a, float *b, int n, int pivot)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n - 1 - pivot || j >= n - pivot)
        return;
    int row = pivot + 1 + i, column = pivot + j;
    a[n * row + column] -= quotient[n * row + pivot] * a[n * pivot + column];
    if (j == 0)
        b[row] -= quotient[n * row + pivot] * b[pivot];
}
