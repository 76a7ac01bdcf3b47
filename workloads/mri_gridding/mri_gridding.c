/* SPDX-License-Identifier: MIT */
/* Parboil's mri-gridding: samples of k-space, taken along some trajectory, are spread onto a regular grid. Kernels:
 * binning (strided loads from an array of structures, atomics on cells), a prefix sum in three launches (shared
 * memory), reordering (a gather of structures at random), and the gridding itself, in which each point gathers from the
 * samples of the rows of cells around its block. Those rows overlap much from block to block. The sort of samples by
 * cell, a radix sort on the device in the original, is done by the host. Cells may hold any number of samples; the
 * original processes those beyond a limit on the CPU. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { THREADS = 512, SCAN_THREADS = 512, SCAN_ITEMS = 2 * SCAN_THREADS, TILE_X = 8, TILE_Y = 4, TILE_Z = 2 };
static const float cutoff = 1.5f; /* in cells */

typedef struct sample {
    float real, imag, kx, ky, kz, sdc;
} sample;

typedef struct problem {
    uint32_t nx, ny, nz, cells, n; /* n: samples */
    sample *samples;
    uint64_t samples_dev, keys_dev, starts_dev, totals_dev, order_dev, values_dev, places_dev, grid_dev, density_dev;
} problem;

/* Multiples of 1/64, so that distances are exact; more of them near the middle. */
static float coordinate(sl_random *random, uint32_t cells)
{
    uint64_t sum = sl_random_below(random, 32ull * cells) + sl_random_below(random, 32ull * cells);
    return (float)sum / 64.0f;
}

static void make_samples(sl_host *h, problem *p)
{
    sl_random *random = sl_host_random(h);
    p->samples = sl_host_new(h, sample, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        sample *s = p->samples + i;
        s->real = 2 * sl_random_f32(random) - 1;
        s->imag = 2 * sl_random_f32(random) - 1;
        s->kx = coordinate(random, p->nx);
        s->ky = coordinate(random, p->ny);
        s->kz = coordinate(random, p->nz);
        s->sdc = 0.5f + 0.5f * sl_random_f32(random);
    }
}

static void allocate(sl_host *h, problem *p)
{
    uint64_t words = p->n * sizeof(uint32_t), starts = (p->cells + 1) * sizeof(uint32_t);
    p->samples_dev = sl_host_upload(h, "samples", p->samples, p->n * sizeof(sample));
    p->keys_dev = sl_host_device(h, "keys", words);
    p->starts_dev = sl_host_device(h, "starts", starts);
    p->totals_dev = sl_host_device(h, "totals", (SCAN_ITEMS + 1) * sizeof(uint32_t));
    p->order_dev = sl_host_device(h, "order", words);
    p->values_dev = sl_host_device(h, "values", 2 * words);
    p->places_dev = sl_host_device(h, "places", 4 * words);
    p->grid_dev = sl_host_device(h, "grid", 2ull * p->cells * sizeof(float));
    p->density_dev = sl_host_device(h, "density", p->cells * sizeof(float));
    sl_host_fill(h, p->starts_dev, 0, starts);
}

/* Counts of cells to starts, with one more for the end of the last. */
static void scan(sl_host *h, const problem *p)
{
    uint32_t items = p->cells + 1, blocks = sl_blocks(items, SCAN_ITEMS);
    uint64_t all_dev = p->totals_dev + SCAN_ITEMS * sizeof(uint32_t); /* the sum of everything, which nobody wants */
    sl_host_launch(h, "mri_scan", SL_DIM(blocks), SL_DIM(SCAN_THREADS), 0, p->starts_dev, p->totals_dev, items);
    sl_host_launch(h, "mri_scan", SL_DIM(1), SL_DIM(SCAN_THREADS), 0, p->totals_dev, all_dev, blocks);
    sl_host_launch(h, "mri_scan_add", SL_DIM(blocks), SL_DIM(SCAN_THREADS), 0, p->starts_dev, p->totals_dev, items);
}

/* The samples by cell, those of a cell in their order. */
static void sort_by_cell(sl_host *h, const problem *p)
{
    uint32_t *keys = sl_host_new(h, uint32_t, p->n), *order = sl_host_new(h, uint32_t, p->n);
    uint32_t *next = sl_host_new(h, uint32_t, p->cells + 1ull);
    sl_host_download(h, keys, p->keys_dev, p->n * sizeof *keys);
    for (uint32_t i = 0; i < p->n; i++)
        if (keys[i] >= p->cells)
            sl_host_fail(h, SL_MISMATCH, "sample %u is in cell %u of %u", i, keys[i], p->cells);
        else
            next[keys[i] + 1]++;
    for (uint32_t c = 0; c < p->cells; c++)
        next[c + 1] += next[c];
    for (uint32_t i = 0; i < p->n; i++)
        order[next[keys[i]]++] = i;
    sl_host_write(h, p->order_dev, order, p->n * sizeof *order);
}

static double window(double t)
{
    return ((((0.07 * t + 0.16) * t + 0.26) * t + 0.28) * t + 0.17) * t + 0.06;
}

/* Each sample is added to the points around it; sums holds real, imaginary, density. */
static void add_sample(const problem *p, const sample *s, double (*sums)[3])
{
    uint32_t end_x = (uint32_t)(s->kx + cutoff) + 1, end_y = (uint32_t)(s->ky + cutoff) + 1;
    uint32_t end_z = (uint32_t)(s->kz + cutoff) + 1;
    for (uint32_t z = (uint32_t)fmaxf(s->kz - cutoff, 0); z < end_z && z < p->nz; z++)
        for (uint32_t y = (uint32_t)fmaxf(s->ky - cutoff, 0); y < end_y && y < p->ny; y++)
            for (uint32_t x = (uint32_t)fmaxf(s->kx - cutoff, 0); x < end_x && x < p->nx; x++) {
                double dx = (double)x - s->kx, dy = (double)y - s->ky, dz = (double)z - s->kz;
                double r2 = dx * dx + dy * dy + dz * dz, cutoff2 = (double)cutoff * cutoff;
                if (r2 >= cutoff2)
                    continue;
                double weight = window(1 - r2 / cutoff2) * s->sdc, *sum = sums[((size_t)z * p->ny + y) * p->nx + x];
                sum[0] += weight * s->real;
                sum[1] += weight * s->imag;
                sum[2] += weight;
            }
}

static void check(sl_host *h, const problem *p, const float *grid, const float *density)
{
    double(*sums)[3] = sl_host_alloc(h, p->cells, sizeof *sums);
    float *expected_grid = sl_host_new(h, float, 2ull * p->cells), *expected = sl_host_new(h, float, p->cells);
    for (uint32_t i = 0; i < p->n; i++)
        add_sample(p, p->samples + i, sums);
    for (uint32_t c = 0; c < p->cells; c++) {
        expected_grid[2 * c] = (float)sums[c][0];
        expected_grid[2 * c + 1] = (float)sums[c][1];
        expected[c] = (float)sums[c][2];
    }
    /* Each term is at most 1 and rounded a few times, the sum once per term; some tens of terms. */
    sl_check_f32(h, "grid", grid, expected_grid, 2ull * p->cells, 1e-4, 1e-5);
    sl_check_f32(h, "density", density, expected, p->cells, 1e-4, 1e-5);
}

void sl_workload_mri_gridding(sl_host *h)
{
    problem p = {.nx = (uint32_t)sl_host_param(h, "x", 1, 256), .ny = (uint32_t)sl_host_param(h, "y", 1, 256)};
    p.nz = (uint32_t)sl_host_param(h, "z", 1, 256);
    p.n = (uint32_t)sl_host_param(h, "samples", 1, 1u << 24);
    p.cells = p.nx * p.ny * p.nz;
    if (sl_blocks(p.cells + 1, SCAN_ITEMS) > SCAN_ITEMS)
        sl_host_fail(h, SL_INVALID, "a grid has at most %d points", SCAN_ITEMS * SCAN_ITEMS - 1);
    make_samples(h, &p);
    allocate(h, &p);

    const sl_dim per_sample = SL_DIM(sl_blocks(p.n, THREADS));
    sl_host_launch(h, "mri_binning", per_sample, SL_DIM(THREADS), 0, p.samples_dev, p.keys_dev, p.starts_dev, p.n, p.nx,
                   p.ny);
    scan(h, &p);
    sort_by_cell(h, &p);
    sl_host_launch(h, "mri_reorder", per_sample, SL_DIM(THREADS), 0, p.order_dev, p.samples_dev, p.values_dev,
                   p.places_dev, p.n);
    sl_host_launch(h, "mri_gridding", SL_DIM(sl_blocks(p.nx, TILE_X), sl_blocks(p.ny, TILE_Y), sl_blocks(p.nz, TILE_Z)),
                   SL_DIM(TILE_X, TILE_Y, TILE_Z), 0, p.values_dev, p.places_dev, p.starts_dev, p.grid_dev,
                   p.density_dev, p.nx, p.ny, p.nz, (uint32_t)ceilf(cutoff), cutoff * cutoff);
    float *grid = sl_host_new(h, float, 2ull * p.cells), *density = sl_host_new(h, float, p.cells);
    sl_host_download(h, grid, p.grid_dev, 2ull * p.cells * sizeof *grid);
    sl_host_download(h, density, p.density_dev, p.cells * sizeof *density);
    if (sl_host_checks(h))
        check(h, &p, grid, density);
}
