/* SPDX-License-Identifier: MIT */
/* The k most likely words of each position, as when a language model's next word is drawn from the best k: radix
 * selection with a block per row. A row is read once per digit of eight bits, usually three or four times, and once
 * more to collect: repeated streaming, with atomics on a histogram in shared memory that pile up on the few digits of
 * the exponent. Simplified: the row is not compacted between digits. */
#include <stdlib.h>

#include "workloads/common/inputs.h"

enum { THREADS = 256, MAX_K = 256 };

typedef struct item {
    float value;
    uint32_t position;
} item;

static int better_first(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Bell-shaped, about -4 to 4: the sum of four uniform ones. */
static float *random_logits(sl_host *h, uint64_t count)
{
    sl_random *random = sl_host_random(h);
    float *x = sl_host_new(h, float, count);
    for (uint64_t i = 0; i < count; i++)
        for (int part = 0; part < 4; part++)
            x[i] += 2 * sl_random_f32(random) - 1;
    return x;
}

static void check(sl_host *h, const float *x, uint32_t rows, uint32_t columns, uint32_t k, const float *best,
                  const uint32_t *best_place)
{
    item *row = sl_host_new(h, item, columns);
    float *value = sl_host_new(h, float, (uint64_t)rows *k);
    uint32_t *place = sl_host_new(h, uint32_t, (uint64_t)rows * k);
    for (uint64_t r = 0; r < rows; r++) {
        for (uint32_t i = 0; i < columns; i++)
            row[i] = (item){x[r * columns + i], i};
        qsort(row, columns, sizeof *row, better_first);
        for (uint32_t i = 0; i < k; i++) {
            value[r * k + i] = row[i].value;
            place[r * k + i] = row[i].position;
        }
    }
    sl_check_f32(h, "best", best, value, (uint64_t)rows * k, 0, 0);
    sl_check_u32(h, "best_place", best_place, place, (uint64_t)rows * k);
}

void sl_workload_topk(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 1u << 20);
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", 1, 1u << 24);
    uint32_t k = (uint32_t)sl_host_param(h, "k", 1, MAX_K);
    if (k > columns)
        sl_host_fail(h, SL_INVALID, "k is %u, but there are only %u columns", k, columns);
    float *x = random_logits(h, (uint64_t)rows * columns), *best = sl_host_new(h, float, (uint64_t)rows *k);
    uint32_t *best_place = sl_host_new(h, uint32_t, (uint64_t)rows * k);
    uint64_t x_dev = sl_host_upload(h, "logits", x, (uint64_t)rows * columns * sizeof *x);
    uint64_t bytes = (uint64_t)rows * k * sizeof *best, best_dev = sl_host_device(h, "best", bytes);
    uint64_t place_dev = sl_host_device(h, "best_place", bytes);

    sl_host_launch(h, "topk", SL_DIM(rows), SL_DIM(THREADS), 0, x_dev, best_dev, place_dev, columns, k);
    sl_host_download(h, best, best_dev, bytes);
    sl_host_download(h, best_place, place_dev, bytes);
    if (sl_host_checks(h))
        check(h, x, rows, columns, k, best, best_place);
}
