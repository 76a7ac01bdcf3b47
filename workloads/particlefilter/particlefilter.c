/* SPDX-License-Identifier: MIT */
/* A particle filter that follows a disk through a noisy video, as Rodinia's particlefilter in the version with four
 * kernels (particlefilter_float, which computes in double): particles move at random and are weighed by the pixels of a
 * disk around them, and are then drawn anew by their weights, each thread searching the cumulated weights from the
 * start.
 *
 * Each particle lists its pixels in a separate row: a warp writes and reads 32 lines at a time and reuses them
 * 32 pixels later, while all other warps of the SM do the same; so reuse distances are long and L1 thrashes (Decoupled
 * L1D: bypassing all is 36 % faster). Pixels are bytes anywhere within the disk; the search streams the cumulated
 * weights through the cache once per warp, all lanes at the same address. Mpache studies it too.
 *
 * Changed: in the original the cumulated weights and the first draw are made by one thread of normalize_weights_kernel,
 * while other blocks already use or overwrite what it needs; here sum_kernel's one thread makes them. The seeds' linear
 * congruence is modulo 2^31. */
#include <math.h>
#include <stdlib.h>

#include "workloads/workload.h"

enum { BLOCK = 512, RADIUS = 5, MOST_DISK = (2 * RADIUS + 1) * (2 * RADIUS + 1), OBJECT = 228, BACKGROUND = 100 };

typedef struct filter {
    uint32_t particles, size, frames; /* the video: size x size x frames, frames innermost */
    uint8_t *video;
    uint32_t disk_points;
    int32_t disk[2 * MOST_DISK]; /* offsets y, x */
    uint32_t *seed;              /* of each particle */
    double *x, *y;               /* as drawn after the last frame */
    double *weight;
} filter;

static double normal_noise(sl_random *random)
{
    double u = 1 - sl_random_f64(random), v = sl_random_f64(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static void make_disk(filter *f)
{
    for (int y = -RADIUS; y <= RADIUS; y++)
        for (int x = -RADIUS; x <= RADIUS; x++)
            if (x * x + y * y < RADIUS * RADIUS) {
                f->disk[2 * f->disk_points] = y;
                f->disk[2 * f->disk_points++ + 1] = x;
            }
}

/* The disk starts in the middle and moves by (1, -2) per frame. */
static void make_video(sl_host *h, filter *f)
{
    int size = (int)f->size, frames = (int)f->frames;
    f->video = sl_host_new(h, uint8_t, (uint64_t)f->size * f->size * f->frames);
    for (int x = 0; x < size; x++)
        for (int y = 0; y < size; y++)
            for (int k = 0; k < frames; k++) {
                int dx = x - size / 2 - k, dy = y - size / 2 + 2 * k;
                double v = dx * dx + dy * dy < RADIUS * RADIUS ? OBJECT : BACKGROUND;
                v += 5 * normal_noise(sl_host_random(h));
                f->video[((size_t)x * f->size + (size_t)y) * f->frames + (size_t)k] = (uint8_t)v;
            }
}

static filter make_filter(sl_host *h)
{
    filter f = {.particles = (uint32_t)sl_host_param(h, "particles", 1, 1u << 22),
                .size = (uint32_t)sl_host_param(h, "size", 16, 4096),
                .frames = (uint32_t)sl_host_param(h, "frames", 2, 100)};
    make_disk(&f);
    make_video(h, &f);
    f.seed = sl_host_new(h, uint32_t, f.particles);
    f.x = sl_host_new(h, double, f.particles);
    f.y = sl_host_new(h, double, f.particles);
    f.weight = sl_host_new(h, double, f.particles);
    for (uint32_t i = 0; i < f.particles; i++) {
        f.seed[i] = (uint32_t)sl_random_u64(sl_host_random(h)) & 0x7fffffff;
        f.x[i] = f.y[i] = f.size / 2;
    }
    return f;
}

/* ---- the reference ---- */

static double uniform(uint32_t *seed)
{
    *seed = (1103515245u * *seed + 12345u) & 0x7fffffff;
    return (*seed + 1.0) / 2147483648.0;
}

static double normal(uint32_t *seed)
{
    double u = uniform(seed), v = uniform(seed);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static double likelihood(const filter *f, double x, double y, uint32_t frame)
{
    int64_t pixels = (int64_t)f->size * f->size * f->frames;
    double sum = 0;
    for (uint32_t p = 0; p < f->disk_points; p++) {
        int64_t px = (int64_t)rint(x) + f->disk[2 * p + 1], py = (int64_t)rint(y) + f->disk[2 * p];
        int64_t at = llabs((px * f->size + py) * f->frames + frame);
        double v = f->video[at < pixels ? at : 0];
        sum += ((v - BACKGROUND) * (v - BACKGROUND) - (v - OBJECT) * (v - OBJECT)) / 50;
    }
    return sum / f->disk_points;
}

static void reference_frame(sl_host *h, filter *f, uint32_t frame)
{
    uint32_t n = f->particles;
    double *x = sl_host_new(h, double, n), *y = sl_host_new(h, double, n), sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        x[i] = f->x[i] + 1 + 5 * normal(&f->seed[i]);
        y[i] = f->y[i] - 2 + 2 * normal(&f->seed[i]);
        f->weight[i] = exp(likelihood(f, x[i], y[i], frame)) / n;
        sum += f->weight[i];
    }
    for (uint32_t i = 0; i < n; i++)
        f->weight[i] /= sum;
    /* Draws ascend, so that the search can go on where the last one ended. */
    double first = uniform(&f->seed[0]) / n, cumulated = f->weight[0];
    for (uint32_t i = 0, found = 0; i < n; i++) {
        while (cumulated < first + i / (double)n && found < n - 1)
            cumulated += f->weight[++found];
        f->x[i] = x[found];
        f->y[i] = y[found];
    }
}

/* ---- the GPU's side ---- */

typedef struct buffers {
    uint64_t x, y, resampled_x, resampled_y, pixel, disk, likelihood, video, weight, partial_sum, cumulated, draw, seed;
} buffers;

static buffers make_buffers(sl_host *h, const filter *f)
{
    uint64_t bytes = f->particles * sizeof(double);
    return (buffers){
        .x = sl_host_device(h, "x", bytes),
        .y = sl_host_device(h, "y", bytes),
        .resampled_x = sl_host_upload(h, "resampled x", f->x, bytes),
        .resampled_y = sl_host_upload(h, "resampled y", f->y, bytes),
        .pixel = sl_host_device(h, "pixel", (uint64_t)f->particles * f->disk_points * sizeof(int32_t)),
        .disk = sl_host_upload(h, "disk", f->disk, 2 * f->disk_points * sizeof(int32_t)),
        .likelihood = sl_host_device(h, "likelihood", bytes),
        .video = sl_host_upload(h, "video", f->video, (uint64_t)f->size * f->size * f->frames),
        .weight = sl_host_device(h, "weight", bytes),
        .partial_sum = sl_host_device(h, "partial sum", sl_blocks(f->particles, BLOCK) * sizeof(double)),
        .cumulated = sl_host_device(h, "cumulated", bytes),
        .draw = sl_host_device(h, "draw", bytes),
        .seed = sl_host_upload(h, "seed", f->seed, f->particles * sizeof(uint32_t)),
    };
}

static void launch_frame(sl_host *h, const filter *f, const buffers *dev, uint32_t frame)
{
    uint32_t n = f->particles, blocks = sl_blocks(n, BLOCK), pixels = f->size * f->size * f->frames;
    sl_host_launch(h, "likelihood_kernel", SL_DIM(blocks), SL_DIM(BLOCK), 0, dev->x, dev->y, dev->resampled_x,
                   dev->resampled_y, dev->pixel, dev->disk, dev->likelihood, dev->video, dev->weight, dev->partial_sum,
                   dev->seed, n, f->disk_points, frame, f->size, f->frames, pixels);
    sl_host_launch(h, "sum_kernel", SL_DIM(blocks), SL_DIM(BLOCK), 0, dev->partial_sum, dev->weight, dev->cumulated,
                   dev->draw, dev->seed, blocks, n);
    sl_host_launch(h, "normalize_weights_kernel", SL_DIM(blocks), SL_DIM(BLOCK), 0, dev->weight, dev->partial_sum,
                   dev->draw, n);
    sl_host_launch(h, "find_index_kernel", SL_DIM(blocks), SL_DIM(BLOCK), 0, dev->x, dev->y, dev->cumulated, dev->draw,
                   dev->resampled_x, dev->resampled_y, n);
}

void sl_workload_particlefilter(sl_host *h)
{
    filter f = make_filter(h);
    uint32_t steps = (uint32_t)sl_host_param(h, "steps", 1, 99);
    if (steps >= f.frames)
        sl_host_fail(h, SL_INVALID, "steps must be below frames: the first frame is where the filter starts");
    uint64_t bytes = f.particles * sizeof(double);
    double *x = sl_host_new(h, double, f.particles), *y = sl_host_new(h, double, f.particles);
    double *weight = sl_host_new(h, double, f.particles);
    buffers dev = make_buffers(h, &f);
    for (uint32_t frame = 1; frame <= steps; frame++)
        launch_frame(h, &f, &dev, frame);
    sl_host_download(h, x, dev.resampled_x, bytes);
    sl_host_download(h, y, dev.resampled_y, bytes);
    sl_host_download(h, weight, dev.weight, bytes);

    if (!sl_host_checks(h))
        return;
    for (uint32_t frame = 1; frame <= steps; frame++)
        reference_frame(h, &f, frame);
    /* Positions are exact to the precision of logarithm and cosine, about 2^-48 each, of random steps of some tens; the
     * exponential of some hundreds loses 9 of 53 bits. */
    sl_check_f64(h, "x", x, f.x, f.particles, 0x1p-40, 0);
    sl_check_f64(h, "y", y, f.y, f.particles, 0x1p-40, 0);
    sl_check_f64(h, "weight", weight, f.weight, f.particles, 0, 0x1p-36);
}
