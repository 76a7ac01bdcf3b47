/* SPDX-License-Identifier: MIT */
/* Parboil's histo: a histogram whose counts stop at 255, of an image whose values are near the middle of a very large
 * range of bins. Four kernels per round: prescan estimates where most values are (a strided sample, read twice),
 * intermediates turns values into bin positions (streaming), main counts the popular ranges in shared memory, each
 * block in y reading all positions, and the others by atomics in global memory, final cuts the counts and clears the
 * counters (streaming over all bins). Counters in shared memory are 16 bits wide, where the original packs bytes and
 * takes care of their overflow; blocks see few enough pixels that 16 bits do. Counters in global memory have 32. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { RANGE_BINS = 12288, UNROLL = 16, MAX_COUNT = 255, PRESCAN_THREADS = 512, PRESCAN_BLOCKS = 64 };
enum { MAIN_THREADS = 768, MAIN_BLOCKS = 14, FINAL_THREADS = 512, FINAL_BLOCKS = 42, BIN_COLUMNS = 256 };

/* Bins around the middle row, bell-shaped: 24 rows and 32 columns wide. */
static uint32_t *make_image(sl_host *h, uint64_t pixels, uint32_t bin_rows)
{
    sl_random *random = sl_host_random(h);
    uint32_t *image = sl_host_new(h, uint32_t, pixels);
    for (uint64_t i = 0; i < pixels; i++) {
        double row = -6, column = -6; /* sums of twelve: deviation 1 */
        for (int k = 0; k < 12; k++) {
            row += sl_random_f64(random);
            column += sl_random_f64(random);
        }
        row = fmin(fmax(bin_rows / 2.0 + 24 * row, 0), bin_rows - 1);
        column = fmin(fmax(BIN_COLUMNS / 2 + 32 * column, 0), BIN_COLUMNS - 1);
        image[i] = (uint32_t)row * BIN_COLUMNS + (uint32_t)column;
    }
    return image;
}

typedef struct buffers {
    uint64_t image, bounds, places, range_counts, other_counts, histogram; /* on the device */
    uint32_t width, height, bins;
} buffers;

static uint32_t at_most(uint32_t limit, uint32_t value)
{
    return value < limit ? value : limit;
}

static void round_of(sl_host *h, const buffers *b)
{
    uint32_t pixels = b->width * b->height, bounds[2] = {UINT32_MAX, 0};
    sl_host_write(h, b->bounds, bounds, sizeof bounds);
    sl_host_launch(h, "histo_prescan", SL_DIM(at_most(PRESCAN_BLOCKS, sl_blocks(pixels, PRESCAN_THREADS))),
                   SL_DIM(PRESCAN_THREADS), 0, b->image, pixels, b->bounds);
    sl_host_download(h, bounds, b->bounds, sizeof bounds);
    uint32_t last = bounds[1] < b->bins ? bounds[1] / RANGE_BINS : (b->bins - 1) / RANGE_BINS;
    uint32_t first = bounds[0] / RANGE_BINS < last ? bounds[0] / RANGE_BINS : last;

    sl_host_launch(h, "histo_intermediates", SL_DIM(sl_blocks(b->height, UNROLL)), SL_DIM(b->width / 2), 0, b->image,
                   b->places, b->width, b->height);
    uint32_t shares = at_most(MAIN_BLOCKS, sl_blocks(pixels, MAIN_THREADS));
    if (shares < sl_blocks(pixels, UINT16_MAX))
        shares = sl_blocks(pixels, UINT16_MAX);
    sl_host_launch(h, "histo_main", SL_DIM(shares, last - first + 1), SL_DIM(MAIN_THREADS), 0, b->places, pixels, first,
                   last, b->bins, b->range_counts, b->other_counts);
    sl_host_launch(h, "histo_final", SL_DIM(at_most(FINAL_BLOCKS, sl_blocks(b->bins / 4, FINAL_THREADS))),
                   SL_DIM(FINAL_THREADS), 0, first * RANGE_BINS, (last + 1) * RANGE_BINS, b->bins, b->range_counts,
                   b->other_counts, b->histogram);
}

void sl_workload_histo(sl_host *h)
{
    buffers b = {.width = (uint32_t)sl_host_param(h, "width", 2, 2048)};
    b.height = (uint32_t)sl_host_param(h, "height", 1, 65536);
    uint32_t bin_rows = (uint32_t)sl_host_param(h, "bin_rows", 1, 8192);
    uint32_t rounds = (uint32_t)sl_host_param(h, "rounds", 1, 10000);
    if (b.width % 2)
        sl_host_fail(h, SL_INVALID, "the width must be even");
    b.bins = bin_rows * BIN_COLUMNS;
    uint64_t pixels = (uint64_t)b.width * b.height, count_bytes = b.bins * sizeof(uint32_t);
    uint32_t *image = make_image(h, pixels, bin_rows);
    b.image = sl_host_upload(h, "image", image, pixels * sizeof *image);
    b.bounds = sl_host_device(h, "bounds", 2 * sizeof(uint32_t));
    b.places = sl_host_device(h, "places", pixels * sizeof(uint32_t));
    b.range_counts = sl_host_device(h, "range counts", count_bytes);
    b.other_counts = sl_host_device(h, "other counts", count_bytes);
    b.histogram = sl_host_device(h, "histogram", b.bins);
    sl_host_fill(h, b.range_counts, 0, count_bytes);
    sl_host_fill(h, b.other_counts, 0, count_bytes);
    for (uint32_t r = 0; r < rounds; r++)
        round_of(h, &b);
    uint32_t *histogram = sl_host_new(h, uint32_t, b.bins / 4);
    sl_host_download(h, histogram, b.histogram, b.bins);

    if (!sl_host_checks(h))
        return;
    uint32_t *count = sl_host_new(h, uint32_t, b.bins), *expected = sl_host_new(h, uint32_t, b.bins / 4);
    for (uint64_t i = 0; i < pixels; i++)
        count[image[i]] += count[image[i]] < MAX_COUNT;
    for (uint32_t i = 0; i < b.bins; i++)
        expected[i / 4] |= count[i] << i % 4 * 8;
    sl_check_u32(h, "histogram", histogram, expected, b.bins / 4);
}
