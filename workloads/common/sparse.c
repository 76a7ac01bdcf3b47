/* SPDX-License-Identifier: MIT */
/* Sparse matrices. */
#include <stdlib.h>

#include "workloads/common/inputs.h"

/* Lengths with P(length >= x) = min / x: a power law of exponent 2 for the density, cut at `max`. Its mean is
 * min * (1 + ln(max / min)), from which `min` is found by bisection. */
static double draw_length(sl_random *random, double min, double max)
{
    double u = 1 - sl_random_f64(random); /* in (0, 1] */
    double length = min / u;
    return length < max ? length : max;
}

static double expected_length(double min, double max)
{
    double sum = min, x = min;
    /* The integral of min / x from min to max, in steps of 1/64 of x: no logarithm, whose last bit differs
     * between C libraries, because the seed alone must decide the input. */
    while (x < max) {
        double step = x / 64 < max - x ? x / 64 : max - x;
        sum += min * step / (x + step / 2);
        x += step;
    }
    return sum;
}

static double min_for_mean(double mean, double max)
{
    double low = 0, high = mean;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (middle > 0 && expected_length(middle, max) > mean)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts, and returns how many are left without those that are there twice. */
static uint32_t keep_different(uint32_t *column, uint32_t length)
{
    uint32_t kept = 0;
    qsort(column, length, sizeof *column, ascending);
    for (uint32_t i = 0; i < length; i++)
        if (!kept || column[i] != column[kept - 1])
            column[kept++] = column[i];
    return kept;
}

/* Fills `column` with up to `length` different columns in ascending order; returns how many there are. */
static uint32_t draw_row(sl_random *random, uint32_t row, const sl_csr *matrix, uint32_t length, uint32_t *column)
{
    uint32_t near = 2 * length + 16 < matrix->columns ? 2 * length + 16 : matrix->columns;
    uint64_t diagonal = (uint64_t)row * matrix->columns / matrix->rows;
    for (uint32_t i = 0; i < length; i++)
        column[i] = sl_random_u64(random) & 1 ? (uint32_t)((diagonal + sl_random_below(random, near)) % matrix->columns)
                                              : (uint32_t)sl_random_below(random, matrix->columns);
    return keep_different(column, length);
}

sl_csr sl_band_matrix(sl_host *h, uint32_t rows, uint32_t mean, uint32_t band)
{
    sl_random *random = sl_host_random(h);
    sl_csr matrix = {.rows = rows, .columns = rows};
    uint64_t most = (uint64_t)rows * (mean + mean / 2);
    if (most > UINT32_MAX)
        sl_host_fail(h, SL_INVALID, "a matrix of %u rows with %u entries each on average is too large", rows, mean);
    matrix.row_start = sl_host_new(h, uint32_t, (uint64_t)rows + 1);
    matrix.column = sl_host_new(h, uint32_t, most);
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t first = r > band ? r - band : 0, end = rows - r > band ? r + band + 1 : rows;
        uint32_t length = mean - mean / 2 + (uint32_t)sl_random_below(random, 2ull * (mean / 2) + 1);
        for (uint32_t i = 0; i < length; i++)
            matrix.column[matrix.entries + i] = first + (uint32_t)sl_random_below(random, end - first);
        matrix.entries += keep_different(matrix.column + matrix.entries, length);
        matrix.row_start[r + 1] = matrix.entries;
    }
    matrix.value = sl_random_floats(h, matrix.entries);
    return matrix;
}

sl_csr sl_power_law_matrix(sl_host *h, uint32_t rows, uint32_t columns, uint32_t mean)
{
    sl_random *random = sl_host_random(h);
    sl_csr matrix = {.rows = rows, .columns = columns};
    uint64_t cut = 64 * (uint64_t)mean < columns / 2 ? 64 * (uint64_t)mean : columns / 2;
    double max = cut > 1 ? (double)cut : 1, min = min_for_mean(mean, max);
    uint32_t *length = sl_host_new(h, uint32_t, rows);
    uint64_t total = 0;
    for (uint32_t r = 0; r < rows; r++) {
        length[r] = (uint32_t)(draw_length(random, min, max) + 0.5);
        length[r] += !length[r];
        total += length[r];
    }
    if (total > UINT32_MAX)
        sl_host_fail(h, SL_INVALID, "a matrix of %u rows with %u entries each on average is too large", rows, mean);
    matrix.row_start = sl_host_new(h, uint32_t, (uint64_t)rows + 1);
    matrix.column = sl_host_new(h, uint32_t, total);
    for (uint32_t r = 0; r < rows; r++) {
        matrix.entries += draw_row(random, r, &matrix, length[r], matrix.column + matrix.entries);
        matrix.row_start[r + 1] = matrix.entries;
    }
    matrix.value = sl_random_floats(h, matrix.entries);
    return matrix;
}
