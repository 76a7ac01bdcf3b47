/* SPDX-License-Identifier: MIT */
#include "workloads/common/lattice.h"

#include <string.h>

#include "workloads/common/inputs.h"

enum { DIRECTIONS = 19, OBSTACLE = 1, ACCELERATE = 2, MARGIN = 2, WARP = 32 };
static const float omega = 1.95f;
static const int step_of[DIRECTIONS][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
};

typedef struct box {
    uint32_t x, y, z;
    uint32_t pitch, plane, field; /* in cells */
    uint32_t cell, apart;         /* floats from cell to cell, and from distribution to distribution */
} box;

static size_t place(const box *b, size_t cell, int distribution)
{
    return cell * b->cell + (size_t)distribution * b->apart;
}

static double weight(int d)
{
    return d == 0 ? 1.0 / 3.0 : d < 7 ? 1.0 / 18.0 : 1.0 / 36.0;
}

static uint32_t flags_at(const box *b, uint32_t x, uint32_t y, uint32_t z)
{
    if (x == 0 || x == b->x - 1 || y == 0 || y == b->y - 1 || z == 0 || z == b->z - 1)
        return OBSTACLE;
    bool lid = z == 1 || z == b->z - 2;
    return lid && x > 1 && x < b->x - 2 && y > 1 && y < b->y - 2 ? ACCELERATE : 0;
}

/* Fluid almost at rest. */
static float *make_grid(sl_host *h, const box *b)
{
    float *grid = sl_uniform_floats(h, (DIRECTIONS + 1ull) * b->field, 0.98f, 1.02f);
    for (int d = 0; d <= DIRECTIONS; d++)
        for (size_t i = 0; i < b->field; i++)
            grid[place(b, i, d)] *= d < DIRECTIONS ? (float)weight(d) : 0;
    for (uint32_t z = 0; z < b->z; z++)
        for (uint32_t y = 0; y < b->y; y++)
            for (uint32_t x = 0; x < b->x; x++) {
                uint32_t bits = flags_at(b, x, y, z);
                memcpy(&grid[place(b, (size_t)(z + MARGIN) * b->plane + y * b->pitch + x, DIRECTIONS)], &bits,
                       sizeof bits);
            }
    return grid;
}

/* Outflow of the cell in each direction. */
static void collide(const double *f, double *out, uint32_t flags)
{
    double density = 0, u[3] = {0};
    for (int d = 0; d < DIRECTIONS; d++) {
        density += f[d];
        for (int axis = 0; axis < 3; axis++)
            u[axis] += step_of[d][axis] * f[d];
    }
    for (int axis = 0; axis < 3; axis++)
        u[axis] = flags & ACCELERATE ? (const double[]){0.005, 0.002, 0.0}[axis] : u[axis] / density;
    double square = 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int d = 0; d < DIRECTIONS; d++) {
        double along = step_of[d][0] * u[0] + step_of[d][1] * u[1] + step_of[d][2] * u[2];
        double equilibrium = weight(d) * density * (1 + 3 * along + 4.5 * along * along - square);
        double reversed = f[d == 0 ? 0 : d % 2 ? d + 1 : d - 1];
        out[d] = flags & OBSTACLE ? reversed : f[d] + (double)omega * (equilibrium - f[d]);
    }
}

static void step(const float *from, float *to, const box *b)
{
    for (uint32_t z = 0; z < b->z; z++)
        for (uint32_t y = 0; y < b->y; y++)
            for (uint32_t x = 0; x < b->x; x++) {
                size_t cell = (size_t)(z + MARGIN) * b->plane + y * b->pitch + x;
                double f[DIRECTIONS], out[DIRECTIONS];
                for (int d = 0; d < DIRECTIONS; d++)
                    f[d] = from[place(b, cell, d)];
                collide(f, out, flags_at(b, x, y, z));
                for (int d = 0; d < DIRECTIONS; d++) {
                    ptrdiff_t move = (ptrdiff_t)step_of[d][2] * b->plane + (ptrdiff_t)step_of[d][1] * b->pitch;
                    to[place(b, (size_t)((ptrdiff_t)cell + move + step_of[d][0]), d)] = (float)out[d];
                }
            }
}

void sl_lattice(sl_host *h, bool cells)
{
    box b = {.x = (uint32_t)sl_host_param(h, "x", 3, 1024), .y = (uint32_t)sl_host_param(h, "y", 3, 4096)};
    b.z = (uint32_t)sl_host_param(h, "z", 3, 4096);
    uint32_t steps = (uint32_t)sl_host_param(h, "steps", 1, 3000);
    b.pitch = (b.x + WARP - 1) / WARP * WARP;
    b.plane = b.pitch * b.y;
    uint64_t field = (uint64_t)b.plane * (b.z + 2 * MARGIN), bytes = (DIRECTIONS + 1) * field * sizeof(float);
    if ((DIRECTIONS + 1) * field > INT32_MAX)
        sl_host_fail(h, SL_INVALID, "a grid has at most 2^31 - 1 values");
    b.field = (uint32_t)field;
    b.cell = cells ? DIRECTIONS + 1 : 1;
    b.apart = cells ? 1 : b.field;
    float *grid = make_grid(h, &b), *result = sl_host_new(h, float, (DIRECTIONS + 1) * field);
    uint64_t from_dev = sl_host_upload(h, "grid 0", grid, bytes), to_dev = sl_host_upload(h, "grid 1", grid, bytes);

    const uint64_t first = (uint64_t)MARGIN * b.plane * b.cell * sizeof(float);
    for (uint32_t s = 0; s < steps; s++) {
        if (cells)
            sl_host_launch(h, "lbm_cells", SL_DIM(b.y, b.z), SL_DIM(b.x), 0, from_dev + first, to_dev + first, b.pitch,
                           b.plane, omega);
        else
            sl_host_launch(h, "lbm", SL_DIM(b.y, b.z), SL_DIM(b.x), 0, from_dev + first, to_dev + first, b.pitch,
                           b.plane, b.field, omega);
        uint64_t written = to_dev;
        to_dev = from_dev;
        from_dev = written;
    }
    sl_host_download(h, result, from_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *next = sl_host_new(h, float, (DIRECTIONS + 1) * field);
    memcpy(next, grid, bytes);
    for (uint32_t s = 0; s < steps; s++) {
        step(grid, next, &b);
        float *written = next;
        next = grid;
        grid = written;
    }
    /* Values are below 0.4; a step rounds about twenty times, and over-relaxation passes errors on undamped. */
    uint64_t values = cells ? (DIRECTIONS + 1) * field : DIRECTIONS * field;
    sl_check_f32(h, "grid", result, grid, values, steps * 1e-6, 0);
}
