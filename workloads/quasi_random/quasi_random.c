/* SPDX-License-Identifier: MIT */
/* QuasiRandomSequence of the AMD APP SDK, used by the FRC paper: the Sobol sequence, one dimension per block.
 *
 * A block reads the 32 direction numbers of its dimension into shared memory; each thread combines them to four points
 * and writes them as a float4. A stream of stores behind a fair amount of integer work; nothing is read twice.
 *
 * The original has a table of direction numbers of 10,200 dimensions. Here the primitive polynomials are found, and the
 * free first numbers of each dimension are drawn. */
#include "workloads/common/params.h"

enum { BITS = 32 };

/* x^power modulo the polynomial, over the field of two elements; bit i is the coefficient of x^i. */
static uint32_t power_of_x(uint32_t power, uint32_t polynomial, uint32_t degree)
{
    uint32_t result = 1;
    for (uint32_t bit = 1u << (degree - 1); bit; bit >>= 1) {
        uint64_t square = 0;
        for (uint32_t i = 0; i < degree; i++)
            square |= (uint64_t)(result >> i & 1) << 2 * i;
        square <<= (power & bit) != 0;
        for (uint32_t i = 2 * degree; i-- > degree;)
            if (square >> i & 1)
                square ^= (uint64_t)polynomial << (i - degree);
        result = (uint32_t)square;
    }
    return result;
}

/* Whether the powers of x modulo the polynomial are all that there are: x has the order 2^degree - 1 and no less. */
static bool is_primitive(uint32_t polynomial, uint32_t degree)
{
    uint32_t order = (1u << degree) - 1, rest = order;
    if (power_of_x(order, polynomial, degree) != 1)
        return false;
    for (uint32_t factor = 3; rest > 1; factor += 2) {
        if (factor * factor > rest)
            factor = rest;
        if (rest % factor)
            continue;
        if (order > factor && power_of_x(order / factor, polynomial, degree) == 1)
            return false;
        while (rest % factor == 0)
            rest /= factor;
    }
    return true;
}

/* The numbers of one dimension, as fractions of 2^32: `degree` free ones, then the recurrence of the polynomial. */
static void direction_numbers(sl_random *random, uint32_t polynomial, uint32_t degree, uint32_t number[BITS])
{
    for (uint32_t i = 0; i < BITS; i++) {
        if (i < degree) {
            number[i] = ((uint32_t)sl_random_below(random, 1u << i) * 2 + 1) << (BITS - 1 - i);
            continue;
        }
        number[i] = number[i - degree] ^ number[i - degree] >> degree;
        for (uint32_t k = 1; k < degree; k++)
            if (polynomial >> (degree - k) & 1)
                number[i] ^= number[i - k];
    }
}

static uint32_t *all_direction_numbers(sl_host *h, uint32_t dimensions)
{
    uint32_t *number = sl_host_new(h, uint32_t, (uint64_t)dimensions * BITS);
    for (uint32_t i = 0; i < BITS; i++)
        number[i] = 1u << (BITS - 1 - i);
    uint32_t done = 1;
    for (uint32_t degree = 1; done < dimensions; degree++)
        for (uint32_t polynomial = (1u << degree) + 1; polynomial >> degree == 1 && done < dimensions; polynomial += 2)
            if (is_primitive(polynomial, degree))
                direction_numbers(sl_host_random(h), polynomial, degree, number + (size_t)done++ * BITS);
    return number;
}

void sl_workload_quasi_random(sl_host *h)
{
    uint32_t dimensions = (uint32_t)sl_host_param(h, "dimensions", 1, 1u << 16);
    uint32_t points = sl_param_multiple(h, "points", 32, 1024); /* a thread makes four */
    uint64_t count = (uint64_t)dimensions * points;
    uint32_t *number = all_direction_numbers(h, dimensions);
    float *out = sl_host_new(h, float, count);
    uint64_t number_dev = sl_host_upload(h, "direction", number, (uint64_t)dimensions * BITS * sizeof *number);
    uint64_t out_dev = sl_host_device(h, "out", count * sizeof *out);

    sl_host_launch(h, "quasi_random", SL_DIM(dimensions), SL_DIM(points / 4), 0, number_dev, out_dev);
    sl_host_download(h, out, out_dev, count * sizeof *out);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, count);
    uint32_t point[1024] = {0};
    for (uint32_t d = 0; d < dimensions; d++)
        for (uint32_t i = 1; i < points; i++) {
            /* Each point is the one without the lowest bit of its index, and that bit's number. */
            point[i] = point[i & (i - 1)] ^ number[d * BITS + (uint32_t)__builtin_ctz(i)];
            expected[(uint64_t)d * points + i] = (float)point[i] * 0x1p-32f;
        }
    sl_check_f32(h, "out", out, expected, count, 0, 0);
}
