/* SPDX-License-Identifier: MIT */
/* The cheapest way from the top to the bottom of a grid, as Rodinia's pathfinder: dynamic programming row by row, a
 * launch for `pyramid` rows in blocks of 256 columns in shared memory. The grid streams through: each weight is read
 * once, or twice by the blocks whose ends overlap, with nothing but the first miss of a row to wait for; a cache makes
 * no difference (Decoupled L1D counts it among the insensitive). */
#include "workloads/workload.h"

enum { BLOCK = 256, MOST_STEPS = BLOCK / 2 - 1, MOST_WEIGHT = 10 };

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void reference(const int32_t *wall, int32_t *cost, int32_t *before, size_t columns, size_t rows)
{
    for (size_t x = 0; x < columns; x++)
        cost[x] = wall[x];
    for (size_t y = 1; y < rows; y++) {
        for (size_t x = 0; x < columns; x++)
            before[x] = cost[x];
        for (size_t x = 0; x < columns; x++) {
            int32_t lowest = before[x];
            if (x > 0)
                lowest = smaller(lowest, before[x - 1]);
            if (x + 1 < columns)
                lowest = smaller(lowest, before[x + 1]);
            cost[x] = lowest + wall[y * columns + x];
        }
    }
}

void sl_workload_pathfinder(sl_host *h)
{
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", 1, 1u << 24);
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 2, 100000);
    uint32_t pyramid = (uint32_t)sl_host_param(h, "pyramid", 1, MOST_STEPS);
    uint64_t cells = (uint64_t)columns * rows, row_bytes = columns * sizeof(int32_t);
    if (cells > INT32_MAX)
        sl_host_fail(h, SL_INVALID, "columns * rows must be below 2^31");
    int32_t *wall = sl_host_new(h, int32_t, cells), *result = sl_host_new(h, int32_t, columns);
    for (uint64_t i = 0; i < cells; i++)
        wall[i] = (int32_t)sl_random_below(sl_host_random(h), MOST_WEIGHT);
    uint64_t wall_dev = sl_host_upload(h, "wall", wall + columns, cells * sizeof *wall - row_bytes);
    uint64_t cost_dev[2] = {sl_host_upload(h, "cost 0", wall, row_bytes), sl_host_device(h, "cost 1", row_bytes)};

    uint32_t launch = 0;
    for (uint32_t done = 0; done < rows - 1; launch++) {
        uint32_t now = rows - 1 - done < pyramid ? rows - 1 - done : pyramid;
        sl_host_launch(h, "pathfinder", SL_DIM(sl_blocks(columns, BLOCK - 2 * now)), SL_DIM(BLOCK), 0, now, wall_dev,
                       cost_dev[launch % 2], cost_dev[(launch + 1) % 2], columns, done);
        done += now;
    }
    sl_host_download(h, result, cost_dev[launch % 2], row_bytes);

    if (!sl_host_checks(h))
        return;
    int32_t *cost = sl_host_new(h, int32_t, columns), *before = sl_host_new(h, int32_t, columns);
    reference(wall, cost, before, columns, rows);
    sl_check_u32(h, "cost", (uint32_t *)result, (uint32_t *)cost, columns);
}
