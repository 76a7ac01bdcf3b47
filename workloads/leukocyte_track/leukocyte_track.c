/* SPDX-License-Identifier: MIT */
/* White blood cells followed from frame to frame: the kernel IMGVF of Rodinia's leukocyte, in which its time is spent.
 * A block of 320 threads solves for the motion gradient vector field around a cell, 41 x 81 values in shared memory;
 * from global memory it reads the cell's surroundings, once in each iteration. Most of what it executes is arithmetic:
 * eight arc tangents for each value.
 *
 * Simplified: matrices of all cells lie one after the other, where Rodinia has pointers to them; images are made up of
 * a bright ring and noise; values are written when no thread can need the old ones any more, where Rodinia's threads
 * race.
 */
#include <math.h>

#include "workloads/common/inputs.h"

enum { ROWS = 41, COLUMNS = 81, PIXELS = ROWS * COLUMNS, THREADS = 320 };
static const double MU = 0.5, LAMBDA = 8 * 0.5 + 1, SHARPNESS = 64, PI = 3.14159265358979323846;

/* What is around a cell in the next frame: edges are bright, and it is a little further. */
static void make_image(sl_host *h, float *image)
{
    double radius = 9 + 6 * sl_random_f32(sl_host_random(h)), row = 20,
           column = 38 + 4 * sl_random_f32(sl_host_random(h));
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            double rim = fabs(hypot(r - row, c - column) - radius);
            image[r * COLUMNS + c] = (float)exp(-rim) * 0.75f + 0.25f * sl_random_f32(sl_host_random(h));
        }
}

static double flow(double neighbour, double here, double direction)
{
    return (atan((neighbour - here) * direction) / PI + 0.5) * (neighbour - here);
}

static void relax(const float *image, const double *value, double *next, double x, double y)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            const double *at = &value[r * COLUMNS + c];
            int up = r ? -COLUMNS : 0, down = r < ROWS - 1 ? COLUMNS : 0, left = c ? -1 : 0, right = c < COLUMNS - 1;
            double sum = flow(at[up], *at, -y) + flow(at[down], *at, y) + flow(at[left], *at, -x) +
                         flow(at[right], *at, x) + flow(at[up + right], *at, x - y) +
                         flow(at[down + right], *at, x + y) + flow(at[up + left], *at, -x - y) +
                         flow(at[down + left], *at, y - x);
            double moved = *at + MU / LAMBDA * sum, seen = image[r * COLUMNS + c];
            next[r * COLUMNS + c] = moved - seen * (moved - seen) / LAMBDA;
        }
}

static void check(sl_host *h, const float *images, const float *fields, uint32_t cells, uint32_t iterations)
{
    float *expected = sl_host_new(h, float, (uint64_t)cells *PIXELS);
    double *value = sl_host_new(h, double, PIXELS), *next = sl_host_new(h, double, PIXELS);
    for (uint32_t cell = 0; cell < cells; cell++) {
        const float *image = images + (size_t)cell * PIXELS;
        for (int i = 0; i < PIXELS; i++)
            value[i] = image[i];
        for (uint32_t i = 0; i < iterations; i++) {
            relax(image, value, next, SHARPNESS, SHARPNESS);
            double *swapped = value;
            value = next;
            next = swapped;
        }
        for (int i = 0; i < PIXELS; i++)
            expected[(size_t)cell * PIXELS + i] = (float)value[i];
    }
    /* Each iteration adds the error of eight arc tangents, some 1e-6 of differences below 1, and damps those before. */
    sl_check_f32(h, "field", fields, expected, (uint64_t)cells * PIXELS, 2e-5, 0);
}

void sl_workload_leukocyte_track(sl_host *h)
{
    uint32_t cells = (uint32_t)sl_host_param(h, "cells", 1, 65536);
    uint32_t iterations = (uint32_t)sl_host_param(h, "iterations", 1, 10000);
    uint64_t pixels = (uint64_t)cells * PIXELS, bytes = pixels * sizeof(float);
    float *images = sl_host_new(h, float, pixels), *fields = sl_host_new(h, float, pixels);
    for (uint32_t cell = 0; cell < cells; cell++)
        make_image(h, images + (size_t)cell * PIXELS);
    uint64_t images_dev = sl_host_upload(h, "images", images, bytes);
    uint64_t fields_dev = sl_host_upload(h, "fields", images, bytes);
    /* A cutoff of 0: none converges, and the number of iterations is what is asked for. */
    sl_host_launch(h, "leukocyte_track", SL_DIM(cells), SL_DIM(THREADS), 0, images_dev, fields_dev, iterations,
                   (float)SHARPNESS, (float)SHARPNESS, 0.0f);
    sl_host_download(h, fields, fields_dev, bytes);
    if (sl_host_checks(h))
        check(h, images, fields, cells, iterations);
}
