/* SPDX-License-Identifier: MIT */
/* Detection of white blood cells in a frame of video: the kernels GICOV and dilate of Rodinia's leukocyte. Each pixel
 * reads two gradient images at the points of seven circles around it, of radius 8 to 20, then the scores under a disc;
 * a block works on a column of the image, so lanes read neighbouring words and neighbouring blocks read almost the
 * same.
 *
 * Simplified: Rodinia reads the images as textures, which do not go through L1; here they are global memory. The frame
 * is made up of bright discs and noise. The kernel that follows the cells from frame to frame is left out. Fewer points
 * per circle (points) and a smaller disc (reach) at the default size; 150 and 12 at the large one, as Rodinia has. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { CIRCLES = 7, MOST_POINTS = 150, MOST_REACH = 12, MOST_WIDTH = 2 * MOST_REACH + 1, BORDER = 22, BLOCK = 176 };

typedef struct tables {
    uint32_t points, reach;
    float cos_angle[MOST_POINTS], sin_angle[MOST_POINTS];
    int32_t offset_x[CIRCLES][MOST_POINTS], offset_y[CIRCLES][MOST_POINTS];
    float element[MOST_WIDTH * MOST_WIDTH];
} tables;

/* Pixels lie column by column. */
typedef struct images {
    uint32_t rows, columns;
    float *grad_x, *grad_y;
} images;

static tables *make_tables(sl_host *h)
{
    tables *t = sl_host_new(h, tables, 1);
    t->points = (uint32_t)sl_host_param(h, "points", 3, MOST_POINTS);
    t->reach = (uint32_t)sl_host_param(h, "reach", 1, MOST_REACH);
    for (uint32_t n = 0; n < t->points; n++) {
        double angle = 2 * 3.14159265358979323846 * n / t->points;
        t->cos_angle[n] = (float)cos(angle);
        t->sin_angle[n] = (float)sin(angle);
        for (uint32_t c = 0; c < CIRCLES; c++) {
            t->offset_x[c][n] = (int32_t)lround(cos(angle) * (8 + 2 * c));
            t->offset_y[c][n] = (int32_t)lround(sin(angle) * (8 + 2 * c));
        }
    }
    int32_t reach = (int32_t)t->reach, at = 0;
    for (int32_t i = -reach; i <= reach; i++)
        for (int32_t j = -reach; j <= reach; j++)
            t->element[at++] = i * i + j * j <= reach * reach;
    return t;
}

static void write_tables(sl_host *h, const tables *t)
{
    sl_host_write(h, sl_host_symbol(h, "cos_angle"), t->cos_angle, sizeof t->cos_angle);
    sl_host_write(h, sl_host_symbol(h, "sin_angle"), t->sin_angle, sizeof t->sin_angle);
    sl_host_write(h, sl_host_symbol(h, "offset_x"), t->offset_x, sizeof t->offset_x);
    sl_host_write(h, sl_host_symbol(h, "offset_y"), t->offset_y, sizeof t->offset_y);
    sl_host_write(h, sl_host_symbol(h, "element"), t->element, sizeof t->element);
}

/* Adds a cell: bright inside, falling off over a few pixels at its rim. */
static void add_cell(float *frame, uint32_t rows, uint32_t columns, float x, float y, float radius)
{
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t r = 0; r < rows; r++) {
            float dx = (float)c - x, dy = (float)r - y, rim = radius + 1.5f - sqrtf(dx * dx + dy * dy);
            if (rim > 0)
                frame[(size_t)c * rows + r] += 40 * (rim < 3 ? rim : 3);
        }
}

static images make_images(sl_host *h)
{
    sl_random *random = sl_host_random(h);
    images im = {.rows = (uint32_t)sl_host_param(h, "rows", 2 * BORDER + 1, 2 * BORDER + 1024),
                 .columns = (uint32_t)sl_host_param(h, "columns", 2 * BORDER + 1, 16384)};
    uint32_t pixels = im.rows * im.columns;
    float *frame = sl_host_new(h, float, pixels);
    im.grad_x = sl_host_new(h, float, pixels);
    im.grad_y = sl_host_new(h, float, pixels);
    for (uint32_t p = 0; p < pixels; p++)
        frame[p] = 16 * sl_random_f32(random);
    for (uint32_t cell = 0; cell <= pixels / 8192; cell++)
        add_cell(frame, im.rows, im.columns, sl_random_f32(random) * (float)im.columns,
                 sl_random_f32(random) * (float)im.rows, 8 + 12 * sl_random_f32(random));
    for (uint32_t c = 1; c + 1 < im.columns; c++)
        for (uint32_t r = 1; r + 1 < im.rows; r++) {
            size_t here = (size_t)c * im.rows + r;
            im.grad_x[here] = 0.5f * (frame[here + im.rows] - frame[here - im.rows]);
            im.grad_y[here] = 0.5f * (frame[here + 1] - frame[here - 1]);
        }
    return im;
}

static double score_of(const images *im, const tables *t, uint32_t column, uint32_t row, uint32_t circle)
{
    double value[MOST_POINTS], mean = 0, squares = 0;
    for (uint32_t n = 0; n < t->points; n++) {
        int64_t x = (int64_t)column + t->offset_x[circle][n], y = (int64_t)row + t->offset_y[circle][n];
        size_t at = (size_t)(x * im->rows + y);
        value[n] = (double)im->grad_x[at] * (double)t->cos_angle[n] + (double)im->grad_y[at] * (double)t->sin_angle[n];
        mean += value[n] / t->points;
    }
    for (uint32_t n = 0; n < t->points; n++)
        squares += (value[n] - mean) * (value[n] - mean);
    return mean * mean / (squares / (t->points - 1));
}

static float greatest_near(const images *im, const tables *t, const float *score, uint32_t column, uint32_t row)
{
    int64_t reach = t->reach;
    float greatest = 0;
    for (int64_t y = (int64_t)row - reach; y <= (int64_t)row + reach; y++)
        for (int64_t x = (int64_t)column - reach; x <= (int64_t)column + reach; x++) {
            bool inside = y >= 0 && y < im->rows && x >= 0 && x < im->columns;
            int64_t dy = y - row, dx = x - column;
            if (inside && dx * dx + dy * dy <= reach * reach && score[x * im->rows + y] > greatest)
                greatest = score[x * im->rows + y];
        }
    return greatest;
}

static void check(sl_host *h, const images *im, const tables *t, const float *score, const float *dilated)
{
    uint32_t pixels = im->rows * im->columns;
    float *expected = sl_host_new(h, float, pixels), *maxima = sl_host_new(h, float, pixels);
    for (uint32_t c = 0; c < im->columns; c++)
        for (uint32_t r = 0; r < im->rows; r++) {
            double best = 0;
            bool inner = c >= BORDER && c < im->columns - BORDER && r >= BORDER && r < im->rows - BORDER;
            for (uint32_t k = 0; inner && k < CIRCLES; k++)
                best = fmax(best, score_of(im, t, c, r, k));
            expected[(size_t)c * im->rows + r] = (float)best;
            maxima[(size_t)r * im->columns + c] = greatest_near(im, t, score, c, r);
        }
    /* Up to 150 rounded steps of a running mean and variance: some 2^-17 of the score, which is around 1. */
    sl_check_f32(h, "score", score, expected, pixels, 1e-5, 1e-4);
    sl_check_f32(h, "dilated", dilated, maxima, pixels, 0, 0);
}

void sl_workload_leukocyte(sl_host *h)
{
    images im = make_images(h);
    tables *t = make_tables(h);
    uint32_t pixels = im.rows * im.columns;
    uint64_t bytes = pixels * sizeof(float);
    float *score = sl_host_new(h, float, pixels), *dilated = sl_host_new(h, float, pixels);
    uint64_t grad_x_dev = sl_host_upload(h, "gradient x", im.grad_x, bytes);
    uint64_t grad_y_dev = sl_host_upload(h, "gradient y", im.grad_y, bytes);
    uint64_t score_dev = sl_host_upload(h, "score", score, bytes), dilated_dev = sl_host_device(h, "dilated", bytes);
    write_tables(h, t);

    sl_host_launch(h, "gicov", SL_DIM(im.columns - 2 * BORDER), SL_DIM(im.rows - 2 * BORDER), 0, grad_x_dev, grad_y_dev,
                   score_dev, im.rows, t->points);
    sl_host_launch(h, "dilate", SL_DIM(sl_blocks(pixels, BLOCK)), SL_DIM(BLOCK), 0, score_dev, dilated_dev, im.rows,
                   im.columns, t->reach);
    sl_host_download(h, score, score_dev, bytes);
    sl_host_download(h, dilated, dilated_dev, bytes);
    if (sl_host_checks(h))
        check(h, &im, t, score, dilated);
}
