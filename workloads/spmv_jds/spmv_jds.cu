/* y = matrix * x in jagged diagonals: rows are sorted by length, and entry k of all rows that have one lies together.
 * A thread per row. What the next turn needs is loaded a turn ahead: the column first, then value and x. */
enum { DIAGONALS = 5000, WARPS = 5000 };
__constant__ unsigned diagonal_start[DIAGONALS];
__constant__ unsigned warp_length[WARPS]; /* entries of each row of a warp, with padding */

KERNEL spmv_jds(float *y, const float *value, const unsigned *column,
                const unsigned *original_row, const float *x, unsigned rows)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    unsigned length = warp_length[row / warpSize];
    unsigned at = diagonal_start[0] + row;
    float factor = value[at], operand = x[column[at]], sum = 0;
    if (length > 1) {
        at = diagonal_start[1] + row;
        unsigned next_column = column[at];
#pragma unroll 1
        for (unsigned k = 2; k < length; k++) {
            float next_factor = value[at];
            at = diagonal_start[k] + row;
            unsigned column_after = column[at];
            sum += factor * operand;
            operand = x[next_column];
            factor = next_factor;
            next_column = column_after;
        }
        sum += factor * operand;
        factor = value[at];
        operand = x[next_column];
    }
    y[original_row[row]] = sum + factor * operand;
}
