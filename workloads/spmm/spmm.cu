/* out = matrix * features, for a matrix in compressed sparse rows and `width` features per row: a warp per row and 64
 * features, two per lane. All lanes read the same column and value, then neighbouring features of that column's row. */
KERNEL spmm(const unsigned *__restrict__ row_start, const unsigned *__restrict__ column,
            const float *__restrict__ value, const float2 *__restrict__ feature, float2 *__restrict__ out,
            unsigned rows, unsigned pitch)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, mine = blockIdx.y * 32 + threadIdx.x % 32;
    if (row >= rows)
        return;
    float x = 0, y = 0;
    unsigned end = row_start[row + 1];
    for (unsigned i = row_start[row]; i < end; i++) {
        float2 f = feature[(size_t)column[i] * pitch + mine];
        x += value[i] * f.x;
        y += value[i] * f.y;
    }
    out[(size_t)row * pitch + mine] = make_float2(x, y);
}
