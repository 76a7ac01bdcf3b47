/* SPDX-License-Identifier: MIT */
/* MatrixTranspose of the AMD APP SDK, used by the FRC paper: a square matrix by way of tiles of 64 x 64 in shared
 * memory, as float4.
 *
 * A block of 16 x 16 threads reads 64 rows in pieces of 256 bytes and writes 64 others. Each byte is accessed once; all
 * accesses are whole lines, but with the stride of a row, which for sides that are powers of two puts bursts of them
 * into the same sets: few of the misses find a free entry of FRC there.
 *
 * With sdk=25 the kernel is that of version 2.5, which the paper used: each thread moves one value, and the stores of a
 * block of 16 x 16 go down the columns, a quarter of a line of 64 bytes at a time. Otherwise that of 2.7. */
#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { BLOCK = 16, TILE = 4 };

void sl_workload_matrix_transpose(sl_host *h)
{
    uint32_t side = sl_param_multiple(h, "side", BLOCK * TILE, 32768), tiles = side / (BLOCK * TILE), row = side / TILE;
    uint64_t items = (uint64_t)side * side;
    float *in = sl_random_floats(h, items), *out = sl_host_new(h, float, items);
    uint64_t in_dev = sl_host_upload(h, "in", in, items * sizeof *in);
    uint64_t out_dev = sl_host_device(h, "out", items * sizeof *out);

    if (sl_host_param(h, "sdk", 25, 27) == 25)
        sl_host_launch(h, "matrix_transpose_columns", SL_DIM(side / BLOCK, side / BLOCK), SL_DIM(BLOCK, BLOCK), 0,
                       in_dev, out_dev, side);
    else
        sl_host_launch(h, "matrix_transpose", SL_DIM(tiles, tiles), SL_DIM(BLOCK, BLOCK), 0, in_dev, out_dev, row);
    sl_host_download(h, out, out_dev, items * sizeof *out);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, items);
    for (uint64_t y = 0; y < side; y++)
        for (uint64_t x = 0; x < side; x++)
            expected[x * side + y] = in[y * side + x];
    sl_check_f32(h, "out", out, expected, items, 0, 0);
}
