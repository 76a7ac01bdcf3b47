/* SPDX-License-Identifier: MIT */
/* Parboil's spmv: sparse matrix times vector in the jagged-diagonal format (JDS), one thread per row, rows sorted by
 * length and padded so that those of a warp are equally long; starts of diagonals and lengths of warps in constant
 * memory. Values and columns are read in full lines and never again; x is read at random; results scatter through the
 * permutation. The kernel is pipelined by hand and has ten global loads, as figure 2 of Mpache has. The matrix has rows
 * of power-law length, or, with `band`, about equally long rows whose columns lie within `band` of the diagonal, as
 * the finite-element matrices of the suite have. */
#include "workloads/common/inputs.h"

enum { DIAGONALS = 5000, WARPS = 5000, WARP = 32, THREADS = 256 };

typedef struct jds {
    uint32_t *original_row;           /* [rows]: by falling length */
    uint32_t start[DIAGONALS];        /* of diagonals */
    uint32_t warp_length[WARPS];      /* entries of each row of a warp */
    uint32_t diagonals, warps, slots; /* slots: entries with padding */
    uint32_t *column;                 /* [slots] */
    float *value;                     /* [slots]; padding is 0 */
} jds;

static uint32_t length_of(const sl_csr *matrix, uint32_t row)
{
    return matrix->row_start[row + 1] - matrix->row_start[row];
}

/* Rows by falling length, rows of equal length in their order: a counting sort. */
static uint32_t *sorted_rows(sl_host *h, const sl_csr *matrix, uint32_t longest)
{
    uint32_t *next = sl_host_new(h, uint32_t, longest + 2ull), *sorted = sl_host_new(h, uint32_t, matrix->rows);
    for (uint32_t r = 0; r < matrix->rows; r++)
        next[longest - length_of(matrix, r) + 1]++;
    for (uint32_t l = 1; l <= longest; l++)
        next[l] += next[l - 1];
    for (uint32_t r = 0; r < matrix->rows; r++)
        sorted[next[longest - length_of(matrix, r)]++] = r;
    return sorted;
}

static jds *make_jds(sl_host *h, const sl_csr *matrix)
{
    uint32_t longest = 0;
    for (uint32_t r = 0; r < matrix->rows; r++)
        longest = length_of(matrix, r) > longest ? length_of(matrix, r) : longest;
    if (longest > DIAGONALS)
        sl_host_fail(h, SL_INVALID, "a row has %u entries; constant memory has room for %d", longest, DIAGONALS);
    jds *m = sl_host_new(h, jds, 1);
    m->diagonals = longest;
    m->warps = sl_blocks(matrix->rows, WARP);
    m->original_row = sorted_rows(h, matrix, longest);
    for (uint32_t w = 0; w < m->warps; w++)
        m->warp_length[w] = length_of(matrix, m->original_row[w * WARP]);
    for (uint32_t k = 0, warps = m->warps; k < longest; k++) {
        while (m->warp_length[warps - 1] <= k)
            warps--;
        m->start[k] = m->slots;
        m->slots += warps * WARP;
    }
    m->column = sl_host_new(h, uint32_t, m->slots);
    m->value = sl_host_new(h, float, m->slots);
    for (uint32_t r = 0; r < matrix->rows; r++) {
        uint32_t first = matrix->row_start[m->original_row[r]];
        for (uint32_t k = 0; k < length_of(matrix, m->original_row[r]); k++) {
            m->column[m->start[k] + r] = matrix->column[first + k];
            m->value[m->start[k] + r] = matrix->value[first + k];
        }
    }
    return m;
}

void sl_workload_spmv_jds(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, WARPS * WARP);
    uint32_t mean = (uint32_t)sl_host_param(h, "mean", 1, 1024), band = (uint32_t)sl_host_param(h, "band", 0, rows);
    sl_csr matrix = band ? sl_band_matrix(h, rows, mean, band) : sl_power_law_matrix(h, rows, rows, mean);
    jds *m = make_jds(h, &matrix);
    float *x = sl_random_floats(h, rows), *y = sl_host_new(h, float, rows);
    uint64_t y_dev = sl_host_device(h, "y", rows * sizeof *y);
    uint64_t value_dev = sl_host_upload(h, "value", m->value, m->slots * sizeof(float));
    uint64_t column_dev = sl_host_upload(h, "column", m->column, m->slots * sizeof(uint32_t));
    uint64_t row_dev = sl_host_upload(h, "original_row", m->original_row, rows * sizeof(uint32_t));
    uint64_t x_dev = sl_host_upload(h, "x", x, rows * sizeof *x);
    sl_host_write(h, sl_host_symbol(h, "diagonal_start"), m->start, m->diagonals * sizeof(uint32_t));
    sl_host_write(h, sl_host_symbol(h, "warp_length"), m->warp_length, m->warps * sizeof(uint32_t));

    sl_host_launch(h, "spmv_jds", SL_DIM(sl_blocks(rows, THREADS)), SL_DIM(THREADS), 0, y_dev, value_dev, column_dev,
                   row_dev, x_dev, rows);
    sl_host_download(h, y, y_dev, rows * sizeof *y);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, rows);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t i = matrix.row_start[r]; i < matrix.row_start[r + 1]; i++)
            expected[r] += matrix.value[i] * x[matrix.column[i]];
    sl_check_f32(h, "y", y, expected, rows, 0, 0);
}
