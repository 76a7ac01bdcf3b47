/* SPDX-License-Identifier: MIT */
/* Parboil's cutcp: Coulomb potential with a cutoff on a lattice, for biomolecules. Blocks of 128 threads make cubes of
 * 8 x 8 x 8 points; they go through the bins of atoms around their cube by a list in constant memory and stage them in
 * shared memory, a warp to a line. Neighbouring blocks read mostly the same bins, so that L1 and L2 keep what blocks
 * share; most time is arithmetic. One launch per layer of cubes, as in the original. Left out: atoms that do not fit
 * their bin, which the original adds on the CPU. Atoms are at least an eighth of an angstrom off the lattice. */
#include <math.h>
#include <stdlib.h>

#include "workloads/common/inputs.h"

enum { POINTS = 8, CUBE = POINTS * POINTS * POINTS, BIN_ATOMS = 8, MOST_NEIGHBOURS = 2048 };
static const float spacing = 0.5f; /* of points; a cube is 4 angstroms wide */

typedef struct atom {
    float x, y, z, charge;
} atom;

typedef struct space {
    int x, y, z; /* cubes */
    int radius;  /* bins around the cubes, on each side */
    int bins_x, bins_y, bins_z;
    float cutoff;
    atom *atoms; /* [bins][BIN_ATOMS] */
} space;

static int bin_at(const space *s, int x, int y, int z)
{
    return ((z + s->radius) * s->bins_y + y + s->radius) * s->bins_x + x + s->radius;
}

/* A coordinate in the cube, off the planes of the lattice. */
static float coordinate(sl_random *random, int cube)
{
    uint32_t cell = (uint32_t)sl_random_below(random, POINTS), step = (uint32_t)sl_random_below(random, 256);
    return spacing * (float)(cube * POINTS) + spacing * (float)cell + 0.125f + (float)step / 1024.0f;
}

/* Each bin holds up to 8 atoms, `mean` on average if that is at most 4. */
static void make_atoms(sl_host *h, space *s, uint32_t mean)
{
    sl_random *random = sl_host_random(h);
    s->atoms = sl_host_new(h, atom, (uint64_t)s->bins_x * (uint64_t)s->bins_y * (uint64_t)s->bins_z * BIN_ATOMS);
    for (int z = -s->radius; z < s->z + s->radius; z++)
        for (int y = -s->radius; y < s->y + s->radius; y++)
            for (int x = -s->radius; x < s->x + s->radius; x++) {
                atom *a = s->atoms + (size_t)bin_at(s, x, y, z) * BIN_ATOMS;
                uint64_t count = sl_random_below(random, 2 * mean + 1);
                for (uint64_t i = 0; i < count && i < BIN_ATOMS; i++) {
                    a[i] = (atom){coordinate(random, x), coordinate(random, y), coordinate(random, z), 0};
                    a[i].charge = sl_random_below(random, 2) ? 0.5f : -0.5f;
                }
            }
}

/* The bins that may be partly within the cutoff of a bin. */
static void upload_neighbours(sl_host *h, const space *s)
{
    int32_t list[MOST_NEIGHBOURS], count = 0;
    const float edge = spacing * (float)POINTS;
    for (int z = -s->radius; z <= s->radius; z++)
        for (int y = -s->radius; y <= s->radius; y++)
            for (int x = -s->radius; x <= s->radius; x++) {
                float gap2 = 0;
                for (int axis = 0; axis < 3; axis++) {
                    int steps = abs((int[]){x, y, z}[axis]);
                    float gap = steps > 1 ? (float)(steps - 1) * edge : 0;
                    gap2 += gap * gap;
                }
                if (gap2 < s->cutoff * s->cutoff)
                    list[count++] = (z * s->bins_y + y) * s->bins_x + x;
            }
    sl_host_write(h, sl_host_symbol(h, "neighbours"), list, (uint64_t)count * sizeof *list);
    sl_host_write(h, sl_host_symbol(h, "neighbour_count"), &count, sizeof count);
}

/* Adds what one atom contributes to the points around it. */
static void add_atom(const space *s, const atom *a, double *energy)
{
    const float at[3] = {a->x, a->y, a->z};
    const int points[3] = {s->x * POINTS, s->y * POINTS, s->z * POINTS};
    int first[3], end[3];
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = (int)fmaxf(0, ceilf((at[axis] - s->cutoff) / spacing));
        end[axis] = (int)fminf((float)points[axis], floorf((at[axis] + s->cutoff) / spacing) + 1);
    }
    for (int z = first[2]; z < end[2]; z++)
        for (int y = first[1]; y < end[1]; y++)
            for (int x = first[0]; x < end[0]; x++) {
                double dx = (double)spacing * x - at[0], dy = (double)spacing * y - at[1],
                       dz = (double)spacing * z - at[2];
                double r2 = dx * dx + dy * dy + dz * dz, cutoff2 = (double)s->cutoff * s->cutoff;
                int cube = (z / POINTS * s->y + y / POINTS) * s->x + x / POINTS;
                int point = (z % POINTS * POINTS + y % POINTS) * POINTS + x % POINTS;
                if (r2 < cutoff2)
                    energy[(size_t)cube * CUBE + (size_t)point] +=
                        a->charge / sqrt(r2) * (1 - r2 / cutoff2) * (1 - r2 / cutoff2);
            }
}

void sl_workload_cutcp(sl_host *h)
{
    space s = {.x = (int)sl_host_param(h, "x", 1, 64), .y = (int)sl_host_param(h, "y", 1, 64)};
    s.z = (int)sl_host_param(h, "z", 1, 64);
    s.cutoff = (float)sl_host_param(h, "cutoff", 1, 20);
    uint32_t mean = (uint32_t)sl_host_param(h, "atoms", 1, BIN_ATOMS);
    s.radius = (int)ceilf(s.cutoff / (spacing * (float)POINTS));
    s.bins_x = s.x + 2 * s.radius;
    s.bins_y = s.y + 2 * s.radius;
    s.bins_z = s.z + 2 * s.radius;
    make_atoms(h, &s, mean);
    upload_neighbours(h, &s);
    uint64_t atoms = (uint64_t)s.bins_x * (uint64_t)s.bins_y * (uint64_t)s.bins_z * BIN_ATOMS;
    uint64_t points = (uint64_t)s.x * (uint64_t)s.y * (uint64_t)s.z * CUBE;
    uint64_t bins_dev = sl_host_upload(h, "bins", s.atoms, atoms * sizeof(atom));
    uint64_t energy_dev = sl_host_device(h, "energy", points * sizeof(float));

    const float cutoff2 = s.cutoff * s.cutoff;
    for (int z = 0; z < s.z; z++)
        sl_host_launch(h, "cutcp", SL_DIM((uint32_t)s.x, (uint32_t)s.y), SL_DIM(POINTS, 2, POINTS), 0, bins_dev,
                       energy_dev, s.bins_x, bin_at(&s, 0, 0, z), z * s.x * s.y, z, spacing, cutoff2, 1 / cutoff2);
    float *energy = sl_host_new(h, float, points);
    sl_host_download(h, energy, energy_dev, points * sizeof *energy);

    if (!sl_host_checks(h))
        return;
    double *sum = sl_host_new(h, double, points);
    float *expected = sl_host_new(h, float, points);
    for (uint64_t i = 0; i < atoms; i++)
        if (s.atoms[i].charge != 0)
            add_atom(&s, s.atoms + i, sum);
    for (uint64_t i = 0; i < points; i++)
        expected[i] = (float)sum[i];
    /* Terms are below 3 and good to a few units of 2^-22; distances are exact. */
    sl_check_f32(h, "energy", energy, expected, points, 1e-3, 1e-5);
}
