/* SPDX-License-Identifier: MIT */
/* URNG of the AMD APP SDK, used by the FRC paper: noise on a picture, from a uniform random number generator per pixel.
 *
 * Blocks of 64 threads. Each thread reads its pixel, runs a generator through a private table of 16 numbers in
 * shared memory, with a stride of 64 bytes so that banks conflict, and writes its pixel: much integer work
 * for 8 bytes of memory, hardly any misses. */
#include <math.h>

#include "workloads/common/images.h"
#include "workloads/common/params.h"

enum { TABLE = 16, THREADS = 64, STRENGTH = 60 };

static uint32_t next(uint32_t state)
{
    return (uint32_t)(16807ull * state % 2147483647);
}

static uint32_t noisy(uint32_t pixel)
{
    uint32_t state = 0, table[TABLE], result = 0;
    for (uint32_t channel = 0; channel < 4; channel++)
        state += sl_pixel_channel(pixel, channel);
    state = next(state < 4 ? 1 : state / 4);
    for (uint32_t i = TABLE; i-- > 0;)
        table[i] = state = next(state);
    float noise = fmaf((float)table[table[0] / (1 + 2147483646 / TABLE)], 4.65661287e-10f, -0.55f);
    for (uint32_t channel = 0; channel < 4; channel++) {
        float value = fmaf(noise, STRENGTH, (float)sl_pixel_channel(pixel, channel));
        result |= (uint32_t)fminf(fmaxf(value, 0), 255) << 8 * channel;
    }
    return result;
}

void sl_workload_urng(sl_host *h)
{
    uint32_t width = sl_param_multiple(h, "width", THREADS, 32768);
    uint32_t height = (uint32_t)sl_host_param(h, "height", 1, 32768);
    uint64_t pixels = (uint64_t)width * height, bytes = pixels * sizeof(uint32_t);
    uint32_t *in = sl_random_picture(h, width, height), *out = sl_host_new(h, uint32_t, pixels);
    uint64_t in_dev = sl_host_upload(h, "in", in, bytes), out_dev = sl_host_device(h, "out", bytes);

    float strength = STRENGTH;
    sl_host_launch(h, "urng", SL_DIM(width / THREADS, height), SL_DIM(THREADS), 0, in_dev, out_dev, width, strength);
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    uint32_t *expected = sl_host_new(h, uint32_t, pixels);
    for (uint64_t i = 0; i < pixels; i++)
        expected[i] = noisy(in[i]);
    sl_check_u32(h, "out", out, expected, pixels);
}
