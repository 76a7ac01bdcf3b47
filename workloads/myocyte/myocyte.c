/* SPDX-License-Identifier: MIT */
/* Heart muscle cells as Rodinia's myocyte simulates them: 91 stiff differential equations per cell and a thread for
 * each cell, in blocks of 32. Tiny grids, long scalar code with many exponentials and branches, and a state vector per
 * thread in global memory (an array of structures): every load of a warp accesses as many lines as it has lanes, and
 * the same lines again for the next variables.
 *
 * Simplified: Fehlberg's method of orders 4 and 5 instead of 7 and 8, with a fixed step, so that no rounding decides
 * how many steps there are; all steps in one launch; our reading of the published cell models (see model.cuh). */
#include <math.h>

#include "workloads/workload.h"

#define REAL      double
#define EXP(v)    exp(v)
#define LOG(v)    log(v)
#define POW(v, e) pow(v, e)
#define MODEL     static
#include "workloads/myocyte/model.cuh"

enum { STAGES = 6, BLOCK = 32 };

static const double step_ms = 0.005;

/* Fehlberg's tables; the result is that of order 5, the error the difference to order 4. */
static const double stage_time[STAGES] = {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2};
static const double stage_weight[STAGES][STAGES] = {
    {0},
    {1.0 / 4},
    {3.0 / 32, 9.0 / 32},
    {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
    {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
    {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40},
};
static const double result_weight[STAGES] = {16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55};
static const double error_weight[STAGES] = {1.0 / 360, 0, -128.0 / 4275, -2197.0 / 75240, 1.0 / 50, 2.0 / 55};

static const float resting[ECC_EQUATIONS] = {
    [GATE_M] = 1.406e-3f,    [GATE_H] = 0.9867f,      [GATE_J] = 0.9916f,       [GATE_D] = 7.176e-6f,
    [GATE_F] = 1.0f,         [GATE_FCA_J] = 2.42e-2f, [GATE_FCA_SL] = 1.45e-2f, [GATE_XTOS] = 4.05e-3f,
    [GATE_YTOS] = 0.9946f,   [GATE_RTOS] = 0.9946f,   [GATE_XTOF] = 4.05e-3f,   [GATE_YTOF] = 0.9946f,
    [GATE_XKR] = 8.64e-3f,   [GATE_XKS] = 5.41e-3f,   [GATE_ML] = 1.406e-3f,    [GATE_HL] = 0.3f,
    [RYR_R] = 0.8884f,       [RYR_O] = 8.157e-7f,     [RYR_I] = 1.024e-7f,      [NA_J_B] = 3.54f,
    [NA_SL_B] = 0.7721f,     [TNC_L] = 8.773e-3f,     [TNC_HC] = 0.1078f,       [TNC_HM] = 1.524e-2f,
    [CAM_B] = 2.912e-4f,     [MYO_C] = 1.299e-3f,     [MYO_M] = 0.1382f,        [SR_B] = 2.143e-3f,
    [SLL_J] = 9.566e-3f,     [SLL_SL] = 0.111f,       [SLH_J] = 7.348e-3f,      [SLH_SL] = 7.297e-2f,
    [CSQN_B] = 1.243f,       [CA_SR] = 0.5545f,       [NA_J] = 8.803f,          [NA_SL] = 8.807f,
    [NA_I] = 8.809f,         [K_I] = 135.0f,          [CA_J] = 1.737e-4f,       [CA_SL] = 1.032e-4f,
    [CA_I] = 8.597e-5f,      [VOLT] = -85.7f,         [FORCE] = 0.125f,         [CAM_TOTAL] = 418.0f,
    [CAM_TOTAL + 1] = 5.65f, [CAM_TOTAL + 2] = 5.65f,
};
/* Calmodulin in the dyad, and at the membrane and in the cytosol. */
static const float resting_cam[2][CAM_EQUATIONS] = {
    {350, 8, 0.2f, 0, 0, 0, 0.01f, 0.02f, 1e-3f, 1e-3f, 1e-5f, 0.01f, 0.01f, 0.05f, 3.5f},
    {0.035f, 1e-5f, 1e-8f, 5.6f, 1e-3f, 1e-6f, 1e-5f, 1e-5f, 1e-6f, 1e-6f, 1e-8f, 1e-6f, 1e-6f, 1e-5f, 1e-3f},
};

/* Cells at rest and in all phases of excitation, so that lanes take different branches. */
static void make_cell(sl_random *random, float *y, float *p)
{
    for (int e = 0; e < ECC_EQUATIONS; e++)
        y[e] = resting[e];
    for (int e = 0; e < 3 * CAM_EQUATIONS; e++)
        y[ECC_EQUATIONS + e] = resting_cam[e >= CAM_EQUATIONS][e % CAM_EQUATIONS];
    y[VOLT] += 65 * sl_random_f32(random);
    y[CA_I] *= 1 + 4 * sl_random_f32(random);
    y[CA_J] *= 1 + 4 * sl_random_f32(random);
    for (int i = SCALE_NA; i < PARAMETERS; i++)
        p[i] = 0.75f + 0.5f * sl_random_f32(random);
    p[STIMULUS] = 9.5f;
    p[STIMULUS_MS] = 5.0f;
}

static void reference_step(double *y, const double *p, uint32_t step)
{
    double slope[STAGES][EQUATIONS], stage_y[EQUATIONS];
    for (int stage = 0; stage < STAGES; stage++) {
        for (int e = 0; e < EQUATIONS; e++) {
            stage_y[e] = y[e];
            for (int earlier = 0; earlier < stage; earlier++)
                stage_y[e] += step_ms * stage_weight[stage][earlier] * slope[earlier][e];
        }
        derivatives((step + stage_time[stage]) * step_ms, stage_y, slope[stage], p);
    }
    for (int e = 0; e < EQUATIONS; e++)
        for (int stage = 0; stage < STAGES; stage++)
            y[e] += step_ms * result_weight[stage] * slope[stage][e];
}

/* The states after each step of a cell. */
static void reference(const float *start, const float *parameters, uint32_t steps, float *states)
{
    double y[EQUATIONS], p[PARAMETERS];
    for (int e = 0; e < EQUATIONS; e++)
        states[e] = start[e];
    for (int e = 0; e < EQUATIONS; e++)
        y[e] = (double)start[e];
    for (int i = 0; i < PARAMETERS; i++)
        p[i] = (double)parameters[i];
    for (uint32_t s = 0; s < steps; s++) {
        reference_step(y, p, s);
        for (int e = 0; e < EQUATIONS; e++)
            states[(s + 1) * EQUATIONS + (uint32_t)e] = (float)y[e];
    }
}

static void write_table(sl_host *h, const char *symbol, const double *from, uint32_t count)
{
    float table[STAGES * STAGES];
    for (uint32_t i = 0; i < count; i++)
        table[i] = (float)from[i];
    sl_host_write(h, sl_host_symbol(h, symbol), table, count * sizeof *table);
}

void sl_workload_myocyte(sl_host *h)
{
    uint32_t cells = (uint32_t)sl_host_param(h, "cells", 1, 1u << 20),
             steps = (uint32_t)sl_host_param(h, "steps", 1, 4096);
    uint64_t states = (steps + 1ull) * EQUATIONS, state_bytes = cells * states * sizeof(float);
    float *y = sl_host_new(h, float, cells *states), *parameters = sl_host_new(h, float, cells *PARAMETERS);
    for (uint32_t c = 0; c < cells; c++)
        make_cell(sl_host_random(h), y + c * states, parameters + (size_t)c * PARAMETERS);
    uint64_t y_dev = sl_host_upload(h, "states", y, state_bytes);
    uint64_t temp_dev = sl_host_device(h, "stage state", (uint64_t)cells * EQUATIONS * sizeof(float));
    uint64_t slopes_dev = sl_host_device(h, "slopes", (uint64_t)cells * STAGES * EQUATIONS * sizeof(float));
    uint64_t parameters_dev = sl_host_upload(h, "parameters", parameters, (uint64_t)cells * PARAMETERS * sizeof(float));
    uint64_t error_dev = sl_host_device(h, "error", cells * sizeof(float));
    write_table(h, "stage_time", stage_time, STAGES);
    write_table(h, "stage_weight", stage_weight[0], STAGES * STAGES);
    write_table(h, "result_weight", result_weight, STAGES);
    write_table(h, "error_weight", error_weight, STAGES);

    sl_host_launch(h, "solver", SL_DIM(sl_blocks(cells, BLOCK)), SL_DIM(BLOCK), 0, y_dev, temp_dev, slopes_dev,
                   parameters_dev, error_dev, cells, steps, (float)step_ms);
    sl_host_download(h, y, y_dev, state_bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, cells *states);
    for (uint32_t c = 0; c < cells; c++)
        reference(y + c * states, parameters + (size_t)c * PARAMETERS, steps, expected + c * states);
    /* Potentials pass through 0, where their error is not relative to them. */
    for (uint64_t v = VOLT; v < cells * states; v += EQUATIONS) {
        y[v] -= 100;
        expected[v] -= 100;
    }
    /* Single precision against double: differences of large rates, a few 2^-24 each, added up over the steps. */
    sl_check_f32(h, "states", y, expected, cells * states, 1e-7, 1e-4);
}
