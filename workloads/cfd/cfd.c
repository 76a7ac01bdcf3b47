/* SPDX-License-Identifier: MIT */
/* The Euler solver for unstructured meshes of Rodinia (euler3d): per time step the step factors, then three times the
 * fluxes through the faces of every cell and an update. Blocks of 192 threads, a thread per cell, structures of
 * arrays: a cell's values, normals and neighbours are read in order, five values of each of its four neighbours
 * through indices that are near but irregular.
 *
 * Simplified: instead of a mesh around a wing the cells lie as the atoms of diamond do, four neighbours each, with the
 * far field around them and with one face in 32 a wall; cells are numbered in random order within 256 of them. */
#include <math.h>

#include "workloads/common/graphs.h"

enum { BLOCK = 192, FACES = 4, VALUES = 5, STAGES = 3, WALL = -1, FAR = -2 };

static const double gamma_air = 1.4, smoothing = 0.2;

typedef struct mesh {
    uint32_t cells, padded; /* padded to whole blocks by copies of the last cell */
    int32_t *neighbour;     /* [FACES][padded] */
    float *normal;          /* [3][FACES][padded], into the cell */
    float *area;            /* [padded] */
} mesh;

/* The cell on the other side: sites hold two cells each, and every face joins a first to a second one. */
static int64_t across(const uint32_t size[3], const uint32_t site[3], uint32_t second, uint32_t face)
{
    int64_t to[3] = {site[0], site[1], site[2]};
    if (face > 0)
        to[face - 1] += second ? 1 : -1;
    for (int axis = 0; axis < 3; axis++)
        if (to[axis] < 0 || to[axis] >= size[axis])
            return FAR;
    return 2 * ((to[2] * size[1] + to[1]) * size[0] + to[0]) + !second;
}

/* One face in 32, seen from either side. */
static bool is_wall(uint64_t salt, int64_t a, int64_t b)
{
    uint64_t state = salt ^ (uint64_t)(a < b ? a : b) << 32 ^ (uint64_t)(a < b ? b : a);
    return sl_splitmix64(&state) % 32 == 0;
}

static void add_cell(mesh *m, const uint32_t size[3], const uint32_t site[3], uint32_t second, const uint32_t *number,
                     uint64_t salt)
{
    static const int8_t towards[FACES][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    int64_t cell = 2 * (((int64_t)site[2] * size[1] + site[1]) * size[0] + site[0]) + second;
    uint32_t here = number[cell];
    for (uint32_t face = 0; face < FACES; face++) {
        int64_t other = across(size, site, second, face);
        size_t slot = here + (size_t)face * m->padded;
        m->neighbour[slot] = other < 0 ? FAR : is_wall(salt, cell, other) ? WALL : (int32_t)number[other];
        for (uint32_t axis = 0; axis < 3; axis++)
            m->normal[slot + (size_t)axis * FACES * m->padded] = (second ? 0.25f : -0.25f) * towards[face][axis];
    }
}

static mesh make_mesh(sl_host *h, const uint32_t size[3])
{
    uint64_t cells = 2ull * size[0] * size[1] * size[2];
    mesh m = {.cells = (uint32_t)cells, .padded = sl_blocks(cells, BLOCK) * BLOCK};
    m.neighbour = sl_host_new(h, int32_t, (uint64_t)FACES * m.padded);
    m.normal = sl_host_new(h, float, 3ull * FACES * m.padded);
    m.area = sl_host_new(h, float, m.padded);
    uint32_t *number = sl_shuffled_numbers(h, m.cells, 256), site[3];
    uint64_t salt = sl_random_u64(sl_host_random(h));
    for (site[2] = 0; site[2] < size[2]; site[2]++)
        for (site[1] = 0; site[1] < size[1]; site[1]++)
            for (site[0] = 0; site[0] < size[0]; site[0]++)
                for (uint32_t second = 0; second < 2; second++)
                    add_cell(&m, size, site, second, number, salt);
    for (uint32_t i = 0; i < m.padded; i++)
        m.area[i] = i < m.cells ? 0.9f + 0.2f * sl_random_f32(sl_host_random(h)) : m.area[m.cells - 1];
    for (uint32_t row = 0; row < FACES; row++)
        for (uint32_t i = m.cells; i < m.padded; i++)
            m.neighbour[i + row * m.padded] = m.neighbour[m.cells - 1 + row * m.padded];
    for (uint32_t row = 0; row < 3 * FACES; row++)
        for (uint32_t i = m.cells; i < m.padded; i++)
            m.normal[i + row * m.padded] = m.normal[m.cells - 1 + row * m.padded];
    return m;
}

/* Density 1.4 and pressure 1, so that sound has speed 1, at Mach 1.2 along the first axis. */
static const double far_field[VALUES] = {1.4, 1.4 * 1.2, 0, 0, 1 / 0.4 + 0.5 * 1.4 * 1.2 * 1.2};

static double pressure_of(const double *u)
{
    return (gamma_air - 1) * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
}

/* Speed of the gas plus that of sound in it. */
static double fastest(const double *u)
{
    return sqrt(u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0] + sqrt(gamma_air * pressure_of(u) / u[0]);
}

/* Flux of value k through a face with the normal n. */
static double flux_of(const double *u, int k, const double *n)
{
    double carried = (u[1] * n[0] + u[2] * n[1] + u[3] * n[2]) / u[0], pressure = pressure_of(u);
    return (k == 4 ? u[4] + pressure : u[k]) * carried + (k >= 1 && k <= 3 ? pressure * n[k - 1] : 0);
}

/* The sum of the fluxes into cell i; u is [padded][VALUES]. */
static void flux_into(const mesh *m, const double *u, uint32_t i, double *flux)
{
    const double *here = u + (size_t)i * VALUES;
    for (int k = 0; k < VALUES; k++)
        flux[k] = 0;
    for (size_t face = 0; face < FACES; face++) {
        int32_t other = m->neighbour[i + face * m->padded];
        const double *there = other >= 0 ? u + (size_t)other * VALUES : far_field;
        double n[3];
        for (size_t axis = 0; axis < 3; axis++)
            n[axis] = (double)m->normal[i + (face + axis * FACES) * m->padded];
        double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        double smooth = other >= 0 ? area * smoothing * 0.5 * (fastest(here) + fastest(there)) : 0;
        for (int k = 0; k < VALUES; k++)
            if (other == WALL)
                flux[k] += k >= 1 && k <= 3 ? n[k - 1] * pressure_of(here) : 0;
            else
                flux[k] += 0.5 * (flux_of(here, k, n) + flux_of(there, k, n)) - smooth * (here[k] - there[k]);
    }
}

/* The solver in double precision; result as on the device. */
static float *reference(sl_host *h, const mesh *m, uint32_t steps)
{
    size_t count = (size_t)m->padded * VALUES;
    double *u = sl_host_new(h, double, count), *old = sl_host_new(h, double, count);
    double *flux = sl_host_new(h, double, count), *factor = sl_host_new(h, double, m->padded);
    float *result = sl_host_new(h, float, count);
    for (size_t j = 0; j < count; j++)
        u[j] = far_field[j % VALUES];
    for (uint32_t s = 0; s < steps; s++) {
        for (uint32_t i = 0; i < m->padded; i++)
            factor[i] = 0.5 / (sqrt((double)m->area[i]) * fastest(u + (size_t)i * VALUES));
        for (size_t j = 0; j < count; j++)
            old[j] = u[j];
        for (uint32_t stage = 0; stage < STAGES; stage++) {
            for (uint32_t i = 0; i < m->padded; i++)
                flux_into(m, u, i, flux + (size_t)i * VALUES);
            for (size_t j = 0; j < count; j++)
                u[j] = old[j] + factor[j / VALUES] / (STAGES + 1 - stage) * flux[j];
        }
    }
    for (uint32_t i = 0; i < m->padded; i++)
        for (size_t k = 0; k < VALUES; k++)
            result[i + k * m->padded] = (float)u[(size_t)i * VALUES + k];
    return result;
}

static void write_far_field(sl_host *h)
{
    float values[VALUES], flux[4][3];
    for (int k = 0; k < VALUES; k++)
        values[k] = (float)far_field[k];
    for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
            flux[k][axis] = (float)flux_of(far_field, k + 1, (double[3]){axis == 0, axis == 1, axis == 2});
    sl_host_write(h, sl_host_symbol(h, "far_values"), values, sizeof values);
    sl_host_write(h, sl_host_symbol(h, "far_flux"), flux, sizeof flux);
}

void sl_workload_cfd(sl_host *h)
{
    uint32_t size[3] = {(uint32_t)sl_host_param(h, "width", 1, 512), (uint32_t)sl_host_param(h, "height", 1, 512),
                        (uint32_t)sl_host_param(h, "depth", 1, 512)};
    uint32_t steps = (uint32_t)sl_host_param(h, "steps", 0, 10000);
    mesh m = make_mesh(h, size);
    uint32_t cells = m.padded;
    uint64_t row_bytes = cells * sizeof(float), bytes = VALUES * row_bytes;
    float *values = sl_host_new(h, float, (uint64_t)VALUES *cells);
    uint64_t neighbours_dev = sl_host_upload(h, "neighbours", m.neighbour, FACES * row_bytes);
    uint64_t normals_dev = sl_host_upload(h, "normals", m.normal, 3 * FACES * row_bytes);
    uint64_t areas_dev = sl_host_upload(h, "areas", m.area, row_bytes);
    uint64_t values_dev = sl_host_device(h, "variables", bytes), old_dev = sl_host_device(h, "old variables", bytes);
    uint64_t fluxes_dev = sl_host_device(h, "fluxes", bytes),
             factors_dev = sl_host_device(h, "step factors", row_bytes);
    write_far_field(h);

    sl_dim grid = SL_DIM(cells / BLOCK), block = SL_DIM(BLOCK);
    sl_host_launch(h, "initialize_variables", grid, block, 0, values_dev, cells);
    for (uint32_t s = 0; s < steps; s++) {
        sl_host_download(h, values, values_dev, bytes);
        sl_host_write(h, old_dev, values, bytes);
        sl_host_launch(h, "compute_step_factor", grid, block, 0, values_dev, areas_dev, factors_dev, cells);
        for (uint32_t stage = 0; stage < STAGES; stage++) {
            sl_host_launch(h, "compute_flux", grid, block, 0, neighbours_dev, normals_dev, values_dev, fluxes_dev,
                           cells);
            sl_host_launch(h, "time_step", grid, block, 0, stage, cells, old_dev, values_dev, factors_dev, fluxes_dev);
        }
    }
    sl_host_download(h, values, values_dev, bytes);
    /* Values of about 1; sums of some 30 roundings per stage, which add up over the steps. */
    if (sl_host_checks(h))
        sl_check_f32(h, "variables", values, reference(h, &m, steps), (uint64_t)VALUES * cells, steps * 1e-5, 1e-5);
}
