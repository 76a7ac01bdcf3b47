/* SPDX-License-Identifier: MIT */
#include "workloads/common/needleman.h"

#include "workloads/common/inputs.h"

enum { TILE = 16, LETTERS = 24, PENALTY = 10 };

/* How alike two letters are: well above 0 for a letter and itself, mostly below 0 for others. */
static void make_likeness(sl_host *h, int32_t likeness[LETTERS][LETTERS])
{
    for (int a = 0; a < LETTERS; a++)
        for (int b = 0; b <= a; b++) {
            int32_t value = (int32_t)sl_random_below(sl_host_random(h), 7);
            likeness[a][b] = likeness[b][a] = a == b ? value + 4 : value - 4;
        }
}

/* Row 0 and column 0 stand before the sequences. */
static int32_t *make_similarity(sl_host *h, uint32_t n)
{
    size_t columns = n + 1;
    int32_t likeness[LETTERS][LETTERS], *similarity = sl_host_new(h, int32_t, columns * columns);
    make_likeness(h, likeness);
    uint32_t *down = sl_random_indices(h, columns, LETTERS), *across = sl_random_indices(h, columns, LETTERS);
    for (size_t y = 1; y <= n; y++)
        for (size_t x = 1; x <= n; x++)
            similarity[y * columns + x] = likeness[down[y]][across[x]];
    return similarity;
}

/* All gaps along the border; the rest is not scored yet. */
static int32_t *make_border(sl_host *h, uint32_t n)
{
    size_t columns = n + 1;
    int32_t *score = sl_host_new(h, int32_t, columns * columns);
    for (size_t i = 1; i <= n; i++)
        score[i] = score[i * columns] = -(int32_t)i * PENALTY;
    return score;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void reference(const int32_t *similarity, int32_t *score, uint32_t n)
{
    size_t columns = n + 1;
    for (size_t y = 1; y <= n; y++)
        for (size_t x = 1; x <= n; x++) {
            size_t i = y * columns + x;
            int32_t gap = larger(score[i - 1], score[i - columns]) - PENALTY;
            score[i] = larger(score[i - columns - 1] + similarity[i], gap);
        }
}

void sl_needleman(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", TILE, 16384), tiles = n / TILE;
    if (n % TILE)
        sl_host_fail(h, SL_INVALID, "n must be a multiple of %d, not %u", TILE, n);
    uint64_t cells = (n + 1ull) * (n + 1), bytes = cells * sizeof(int32_t);
    int32_t *similarity = make_similarity(h, n), *score = make_border(h, n), *result = sl_host_new(h, int32_t, cells);
    uint64_t similarity_dev = sl_host_upload(h, "similarity", similarity, bytes);
    uint64_t score_dev = sl_host_upload(h, "score", score, bytes);

    for (uint32_t t = 1; t <= tiles; t++)
        sl_host_launch(h, "upper_left", SL_DIM(t), SL_DIM(TILE), 0, similarity_dev, score_dev, n + 1, PENALTY, t,
                       tiles);
    for (uint32_t t = tiles - 1; t >= 1; t--)
        sl_host_launch(h, "lower_right", SL_DIM(t), SL_DIM(TILE), 0, similarity_dev, score_dev, n + 1, PENALTY, t,
                       tiles);
    sl_host_download(h, result, score_dev, bytes);

    if (!sl_host_checks(h))
        return;
    reference(similarity, score, n);
    sl_check_u32(h, "score", (uint32_t *)result, (uint32_t *)score, cells);
}
