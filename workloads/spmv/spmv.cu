/* y = matrix * x, compressed sparse rows: one thread per row, so that a warp lasts as long as its longest row and
 * neighbouring lanes read from different rows. */
KERNEL spmv(const unsigned *__restrict__ row_start, const unsigned *__restrict__ column,
            const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y, unsigned rows)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (unsigned i = row_start[row]; i < row_start[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}
