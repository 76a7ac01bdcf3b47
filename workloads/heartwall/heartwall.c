/* SPDX-License-Identifier: MIT */
/* Tracking of points on a heart's wall, as Rodinia's heartwall: a block of 256 threads for each point, a launch per
 * frame. The block cuts a window out of the frame, convolves it with the point's template, makes local sums by
 * cumulative sums along both axes, correlates, and moves the point to the maximum. Every pass reads what the one before
 * left in global memory, and the convolution reads template and window many times: most reads hit, if L1 keeps the
 * arrays of the blocks that share it.
 *
 * shared=1 takes blocks of 512 threads and keeps the rotated template in shared memory, as Rodinia 2 does, so that a
 * product of the convolution reads global memory once instead of twice.
 *
 * Simplified: moving speckle instead of a recording; template and window are smaller than Rodinia's (51 and 81) at
 * the default size; the search is limited to positions within the window by bounds instead of a convolved mask; the
 * template is not renewed, which Rodinia does every tenth frame. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { THREADS = 256, SHARED_THREADS = 512, MOST_WINDOW = 81 };

typedef struct tracking {
    uint32_t points, frames, t, w; /* w x w window, t x t template */
    uint32_t rows, columns;        /* of a frame */
    float **frame;                 /* [frames] */
    int32_t *row, *column;         /* [points] */
} tracking;

/* Half of the points on an inner and half on an outer ellipse. */
static void place_points(tracking *k)
{
    for (uint32_t p = 0; p < k->points; p++) {
        double angle = 4 * 3.14159265358979323846 * p / k->points, size = p % 2 ? 0.35 : 0.2;
        k->row[p] = (int32_t)lround(k->rows * (0.5 + size * sin(angle)));
        k->column[p] = (int32_t)lround(k->columns * (0.5 + size * cos(angle)));
    }
}

/* Speckle in multiples of 1/64, so that its sums are exact; a frame later all of it is a pixel further, with noise. */
static void make_frames(sl_host *h, tracking *k)
{
    uint32_t high = k->rows + k->frames, wide = k->columns + k->frames;
    float *scene = sl_host_new(h, float, (uint64_t)high *wide);
    for (uint64_t i = 0; i < (uint64_t)high * wide; i++)
        scene[i] = (float)(1 + sl_random_below(sl_host_random(h), 55)) / 64;
    k->frame = sl_host_new(h, float *, k->frames);
    for (uint32_t f = 0; f < k->frames; f++) {
        k->frame[f] = sl_host_new(h, float, (uint64_t)k->rows * k->columns);
        for (uint32_t c = 0; c < k->columns; c++)
            for (uint32_t r = 0; r < k->rows; r++)
                k->frame[f][(size_t)c * k->rows + r] =
                    scene[(size_t)(c + f) * high + r + f % 2] + (float)sl_random_below(sl_host_random(h), 8) / 64;
    }
}

static tracking make_tracking(sl_host *h)
{
    tracking k = {.points = (uint32_t)sl_host_param(h, "points", 1, 4096),
                  .frames = (uint32_t)sl_host_param(h, "frames", 2, 1000),
                  .t = (uint32_t)sl_host_param(h, "template", 3, 51),
                  .w = (uint32_t)sl_host_param(h, "window", 5, MOST_WINDOW)};
    if (k.t % 2 == 0 || k.w % 2 == 0 || k.t >= k.w)
        sl_host_fail(h, SL_INVALID, "template and window must be odd, and the template the smaller one");
    k.rows = 4 * k.w + 200;
    k.columns = 4 * k.w + 240;
    k.row = sl_host_new(h, int32_t, k.points);
    k.column = sl_host_new(h, int32_t, k.points);
    place_points(&k);
    make_frames(h, &k);
    return k;
}

/* The correlation coefficient of the template with the part of the frame under it, pixels outside of the window being
 * 0; row and column are those of the template's last pixel in the window. */
static double correlate(const tracking *k, const float *frame, const float *first_frame, const int32_t at[2],
                        const int32_t start[2], int32_t row, int32_t column)
{
    int32_t t = (int32_t)k->t, w = (int32_t)k->w;
    double xy = 0, x = 0, y = 0, xx = 0, yy = 0, n = t * t;
    for (int32_t c = 0; c < t; c++)
        for (int32_t r = 0; r < t; r++) {
            int32_t in_row = row - t + 1 + r, in_column = column - t + 1 + c;
            bool inside = in_row >= 0 && in_row < w && in_column >= 0 && in_column < w;
            int64_t there = (int64_t)(at[1] - w / 2 + in_column) * k->rows + at[0] - w / 2 + in_row;
            int64_t then = (int64_t)(start[1] - t / 2 + c) * k->rows + start[0] - t / 2 + r;
            double a = (double)first_frame[then], b = inside ? (double)frame[there] : 0;
            xy += a * b;
            x += a;
            y += b;
            xx += a * a;
            yy += b * b;
        }
    return (xy - x * y / n) / sqrt((xx - x * x / n) * (yy - y * y / n));
}

/* The nearest position whose window lies in the frame. */
static uint32_t kept_within(int32_t position, uint32_t frame, uint32_t window)
{
    int32_t min = (int32_t)window / 2, max = (int32_t)frame - 1 - min;
    return (uint32_t)(position < min ? min : position > max ? max : position);
}

/* One frame: the correlations, and the step from the last position of each point to their maximum. */
static void check_frame(sl_host *h, const tracking *k, uint32_t f, const int32_t *row, const int32_t *column,
                        const float *correlation, const int32_t *new_row, const int32_t *new_column)
{
    int32_t t = (int32_t)k->t, w = (int32_t)k->w, size = w + t - 1, centre = t - 1 + (w - t) / 2;
    uint64_t count = (uint64_t)k->points * (uint64_t)(size * size);
    float *expected = sl_host_new(h, float, count);
    uint32_t *wanted = sl_host_new(h, uint32_t, 2 * k->points), *got = sl_host_new(h, uint32_t, 2 * k->points);
    for (uint32_t p = 0; p < k->points; p++) {
        const float *mine = correlation + (size_t)p * (size_t)(size * size);
        int32_t at[2] = {row[p], column[p]}, start[2] = {k->row[p], k->column[p]}, best = (t - 1) * size + t - 1;
        for (int32_t i = 0; i < size * size; i++) {
            expected[(size_t)p * (size_t)(size * size) + (size_t)i] =
                (float)correlate(k, k->frame[f], k->frame[0], at, start, i % size, i / size);
            bool valid = i % size >= t - 1 && i % size < w && i / size >= t - 1 && i / size < w;
            if (valid && mine[i] > mine[best])
                best = i;
        }
        wanted[2 * p] = kept_within(row[p] + best % size - centre, k->rows, k->w);
        wanted[2 * p + 1] = kept_within(column[p] + best / size - centre, k->columns, k->w);
        got[2 * p] = (uint32_t)new_row[p];
        got[2 * p + 1] = (uint32_t)new_column[p];
    }
    /* Sums are exact; what is subtracted from them is rounded, to 2^-24 of values up to t * t. */
    sl_check_f32(h, "correlation", correlation, expected, count, k->t * k->t * 1e-6, 0);
    sl_check_u32(h, "place", got, wanted, 2 * k->points);
}

static uint64_t per_point(sl_host *h, const char *label, const tracking *k, uint32_t values)
{
    return sl_host_device(h, label, (uint64_t)k->points * values * sizeof(float));
}

void sl_workload_heartwall(sl_host *h)
{
    tracking k = make_tracking(h);
    bool shared = sl_host_param(h, "shared", 0, 1);
    uint32_t c = k.w + k.t - 1, r = k.w + 2 * k.t, tt = k.t * k.t, ww = k.w * k.w;
    uint64_t place_bytes = k.points * sizeof(int32_t), frame_bytes = (uint64_t)k.rows * k.columns * sizeof(float);
    int32_t *row[2], *column[2];
    for (int i = 0; i < 2; i++) {
        row[i] = sl_host_new(h, int32_t, k.points);
        column[i] = sl_host_new(h, int32_t, k.points);
    }
    float *correlation = sl_host_new(h, float, (uint64_t)k.points *c *c);
    uint64_t rows_dev = sl_host_upload(h, "rows", k.row, place_bytes);
    uint64_t columns_dev = sl_host_upload(h, "columns", k.column, place_bytes);
    uint64_t frame_dev = sl_host_device(h, "frame", frame_bytes);
    uint64_t pattern_dev = per_point(h, "template", &k, tt), rotated_dev = per_point(h, "rotated template", &k, tt);
    uint64_t window_dev = per_point(h, "window", &k, ww), squares_dev = per_point(h, "squares", &k, ww);
    uint64_t padded_dev = per_point(h, "padded", &k, r * r), strips_dev = per_point(h, "strips", &k, c * r);
    uint64_t convolved_dev = per_point(h, "convolved", &k, c * c), sum_dev = per_point(h, "sum", &k, c * c);
    uint64_t sqr_dev = per_point(h, "sum of squares", &k, c * c), corr_dev = per_point(h, "correlation", &k, c * c);
    uint64_t column_sum_dev = per_point(h, "column sum", &k, c), best_dev = per_point(h, "best", &k, c);
    uint64_t best_row_dev = per_point(h, "best row", &k, c);

    for (uint32_t f = 0; f < k.frames; f++) {
        sl_host_write(h, frame_dev, k.frame[f], frame_bytes);
        sl_host_download(h, row[0], rows_dev, place_bytes);
        sl_host_download(h, column[0], columns_dev, place_bytes);
        sl_host_launch(h, shared ? "heartwall_shared" : "heartwall", SL_DIM(k.points),
                       SL_DIM(shared ? SHARED_THREADS : THREADS), 0, frame_dev, k.rows, k.columns, (uint32_t)(f == 0),
                       rows_dev, columns_dev, pattern_dev, rotated_dev, window_dev, squares_dev, padded_dev, strips_dev,
                       convolved_dev, sum_dev, sqr_dev, corr_dev, column_sum_dev, best_dev, best_row_dev, k.t, k.w);
        if (f == 0 || !sl_host_checks(h))
            continue;
        sl_host_download(h, row[1], rows_dev, place_bytes);
        sl_host_download(h, column[1], columns_dev, place_bytes);
        sl_host_download(h, correlation, corr_dev, (uint64_t)k.points * c * c * sizeof(float));
        check_frame(h, &k, f, row[0], column[0], correlation, row[1], column[1]);
    }
}
