/* SPDX-License-Identifier: MIT */
/* Temperature of a chip under given power, as Rodinia's hotspot: a five-point stencil in blocks of 16 x 16 threads that
 * do several time steps in shared memory (a pyramid: each step's tile shrinks by a ring). Global memory is read once
 * per block and launch, temperatures and power; neighbouring blocks overlap by a few cells whose second reading comes
 * late, so an L1 cache hardly hits (Decoupled L1D: below 1 %).
 *
 * Simplified: single precision throughout, where the original's literals are double; the grid fits each launch's number
 * of steps. */
#include "workloads/common/inputs.h"

enum { BLOCK = 16, MOST_STEPS = BLOCK / 2 - 1 };

typedef struct chip {
    uint32_t columns, rows;
    float gain, per_rx, per_ry, per_rz; /* time step by heat capacity of a cell; inverses of thermal resistances */
} chip;

/* 16 mm x 16 mm of silicon, 0.5 mm thick. */
static chip make_chip(uint32_t n)
{
    const double side = 0.016, thickness = 0.0005, conductivity = 100, specific_heat = 1.75e6, effective = 0.5;
    const double most_power = 3.0e6, most_change = 0.001; /* per square metre; degrees per step */
    double cell = side / n, capacity = effective * specific_heat * thickness * cell * cell;
    double step = most_change * effective * specific_heat * thickness / most_power;
    double sideways = cell / (2 * conductivity * thickness * cell), up = thickness / (conductivity * cell * cell);
    return (chip){n, n, (float)(step / capacity), (float)(1 / sideways), (float)(1 / sideways), (float)(1 / up)};
}

static void step(const chip *c, const float *power, const float *from, float *to)
{
    size_t w = c->columns;
    for (size_t y = 0; y < c->rows; y++)
        for (size_t x = 0; x < w; x++) {
            size_t i = y * w + x;
            float here = from[i];
            float north = y ? from[i - w] : here, south = y + 1 < c->rows ? from[i + w] : here;
            float west = x ? from[i - 1] : here, east = x + 1 < w ? from[i + 1] : here;
            to[i] = here + c->gain * (power[i] + (south + north - 2 * here) * c->per_ry +
                                      (east + west - 2 * here) * c->per_rx + (80 - here) * c->per_rz);
        }
}

static void swap(float **a, float **b)
{
    float *old = *a;
    *a = *b;
    *b = old;
}

void sl_workload_hotspot(sl_host *h)
{
    chip c = make_chip((uint32_t)sl_host_param(h, "n", 2, 16384));
    uint32_t pyramid = (uint32_t)sl_host_param(h, "pyramid", 1, MOST_STEPS);
    uint32_t steps = (uint32_t)sl_host_param(h, "steps", 1, 100000);
    uint64_t cells = (uint64_t)c.columns * c.rows, bytes = cells * sizeof(float);
    float *heat = sl_uniform_floats(h, cells, 323, 343), *power = sl_uniform_floats(h, cells, 0, 0.01f);
    float *result = sl_host_new(h, float, cells);
    uint64_t power_dev = sl_host_upload(h, "power", power, bytes);
    uint64_t heat_dev[2] = {sl_host_upload(h, "temperature 0", heat, bytes), sl_host_device(h, "temperature 1", bytes)};

    uint32_t launch = 0;
    for (uint32_t left = steps; left; launch++) {
        uint32_t now = left < pyramid ? left : pyramid, inner = BLOCK - 2 * now;
        sl_host_launch(h, "hotspot", SL_DIM(sl_blocks(c.columns, inner), sl_blocks(c.rows, inner)),
                       SL_DIM(BLOCK, BLOCK), 0, now, power_dev, heat_dev[launch % 2], heat_dev[(launch + 1) % 2],
                       c.columns, c.rows, c.gain, c.per_rx, c.per_ry, c.per_rz);
        left -= now;
    }
    sl_host_download(h, result, heat_dev[launch % 2], bytes);

    if (!sl_host_checks(h))
        return;
    float *next = sl_host_new(h, float, cells);
    for (uint32_t s = 0; s < steps; s++) {
        step(&c, power, heat, next);
        swap(&heat, &next);
    }
    /* A step's sums of differences are small beside the temperature: about one rounding each. */
    sl_check_f32(h, "temperature", result, heat, cells, 0, steps * 0x1p-23);
}
