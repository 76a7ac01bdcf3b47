/* SPDX-License-Identifier: MIT */
/* Barnes and Hut's n-body method as in LonestarGPU: the box around all bodies, the octree, masses of its cells, bodies
 * in the order of the tree, forces, motion. Nearly all time goes into the forces: the lanes of a warp walk the tree
 * together with votes and a stack in shared memory, reading one node at a time at addresses that the data decide. Upper
 * cells are read by every warp, lower ones by few. Bodies are a Plummer cluster: dense inside, sparse outside.
 *
 * Simplified: the tree is built here on the host, its cells are summed and sorted with a launch per level, and one more
 * launch joins the boxes of all blocks, because Lonestar's kernels for these wait for each other and hand out cells in
 * the order in which threads come. */
#include <math.h>

#include "workloads/common/bodies.h"

enum { BOX_THREADS = 512, BOX_BLOCKS = 15, THREADS = 256, MOST_LEVELS = 31, SAMPLES = 512 };

static const float time_step = 0.0125f, softening = 0.0025f;

/* Cells level by level; a child that is a cell is bodies + its number. */
typedef struct octree {
    uint32_t cells, most_cells, levels;
    uint32_t level_start[MOST_LEVELS + 2];
    int32_t *child;                 /* [8 * most_cells] */
    uint32_t *order, *scratch;      /* the bodies, those of a cell side by side */
    uint32_t *first_body, *members; /* [most_cells] */
    float *centre[3];               /* [most_cells], of the cell's cube */
} octree;

typedef struct buffers {
    uint64_t position[3], velocity[3], acceleration[3], mass, count, start, child, order, box, partial;
} buffers;

static octree new_octree(sl_host *h, uint32_t bodies)
{
    octree t = {.most_cells = 2 * bodies};
    t.child = sl_host_new(h, int32_t, 8ull * t.most_cells);
    t.order = sl_host_new(h, uint32_t, bodies);
    t.scratch = sl_host_new(h, uint32_t, bodies);
    t.first_body = sl_host_new(h, uint32_t, t.most_cells);
    t.members = sl_host_new(h, uint32_t, t.most_cells);
    for (int axis = 0; axis < 3; axis++)
        t.centre[axis] = sl_host_new(h, float, t.most_cells);
    return t;
}

static uint32_t octant_of(const sl_bodies *c, const octree *t, uint32_t cell, uint32_t body)
{
    uint32_t octant = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
        octant |= (uint32_t)(c->position[axis][body] > t->centre[axis][cell]) << axis;
    return octant;
}

static int32_t add_cell(sl_host *h, octree *t, uint32_t parent, uint32_t octant, uint32_t first, uint32_t members,
                        float quarter)
{
    if (t->cells == t->most_cells)
        sl_host_fail(h, SL_INVALID, "the octree has more than %u cells", t->most_cells);
    for (uint32_t axis = 0; axis < 3; axis++)
        t->centre[axis][t->cells] = t->centre[axis][parent] + (octant >> axis & 1 ? quarter : -quarter);
    t->first_body[t->cells] = first;
    t->members[t->cells] = members;
    return (int32_t)t->cells++;
}

/* Sorts the bodies of a cell by octant; an octant with several bodies becomes a cell of the next level. */
static void split(sl_host *h, const sl_bodies *c, octree *t, uint32_t cell, float quarter)
{
    uint32_t *mine = t->order + t->first_body[cell], end[9] = {0};
    for (uint32_t i = 0; i < t->members[cell]; i++) {
        t->scratch[i] = mine[i];
        end[octant_of(c, t, cell, mine[i]) + 1]++;
    }
    for (uint32_t octant = 0; octant < 8; octant++)
        end[octant + 1] += end[octant];
    for (uint32_t i = 0; i < t->members[cell]; i++)
        mine[end[octant_of(c, t, cell, t->scratch[i])]++] = t->scratch[i];
    for (uint32_t octant = 0, first = 0; octant < 8; first = end[octant++]) {
        int32_t *child = &t->child[8 * (size_t)cell + octant];
        uint32_t members = end[octant] - first;
        *child = members == 0   ? -1
                 : members == 1 ? (int32_t)mine[first]
                                : add_cell(h, t, cell, octant, t->first_body[cell] + first, members, quarter);
        if (members > 1)
            *child += (int32_t)c->count;
    }
}

static void build(sl_host *h, const sl_bodies *c, octree *t, const float box[4])
{
    for (uint32_t i = 0; i < c->count; i++)
        t->order[i] = i;
    for (uint32_t axis = 0; axis < 3; axis++)
        t->centre[axis][0] = box[axis];
    t->first_body[0] = 0;
    t->members[0] = c->count;
    t->cells = 1;
    t->levels = 0;
    float quarter = box[3] / 2;
    for (uint32_t cell = 0; cell < t->cells; quarter /= 2) {
        if (t->levels == MOST_LEVELS)
            sl_host_fail(h, SL_INVALID, "the octree has more than %d levels", MOST_LEVELS);
        t->level_start[t->levels++] = cell;
        for (uint32_t end = t->cells; cell < end; cell++)
            split(h, c, t, cell, quarter);
    }
    t->level_start[t->levels] = t->cells;
}

static buffers upload(sl_host *h, const sl_bodies *c)
{
    static const char *const position[3] = {"x", "y", "z"}, *const velocity[3] = {"velocity x", "velocity y",
                                                                                  "velocity z"};
    static const char *const acceleration[3] = {"acceleration x", "acceleration y", "acceleration z"};
    uint64_t body_bytes = c->count * sizeof(float), node_bytes = 3 * body_bytes;
    buffers d = {.mass = sl_host_upload(h, "mass", c->mass, node_bytes)};
    for (int axis = 0; axis < 3; axis++) {
        d.position[axis] = sl_host_upload(h, position[axis], c->position[axis], node_bytes);
        d.velocity[axis] = sl_host_upload(h, velocity[axis], c->velocity[axis], body_bytes);
        d.acceleration[axis] = sl_host_device(h, acceleration[axis], body_bytes);
    }
    d.count = sl_host_device(h, "count", 2 * body_bytes);
    d.start = sl_host_device(h, "start", 2 * body_bytes);
    d.child = sl_host_device(h, "child", 16 * body_bytes);
    d.order = sl_host_device(h, "order", body_bytes);
    d.box = sl_host_device(h, "box", 4 * sizeof(float));
    d.partial = sl_host_device(h, "partial boxes", 6 * BOX_BLOCKS * sizeof(float));
    sl_host_fill(h, d.start, 0, 2 * body_bytes);
    return d;
}

static void step_on_device(sl_host *h, const sl_bodies *c, octree *t, const buffers *d, float theta)
{
    float box[4], inverse_theta_squared = 1 / (theta * theta);
    uint32_t box_blocks = sl_blocks(c->count, BOX_THREADS);
    box_blocks = box_blocks < BOX_BLOCKS ? box_blocks : BOX_BLOCKS;
    sl_host_launch(h, "bounding_box", SL_DIM(box_blocks), SL_DIM(BOX_THREADS), 0, d->position[0], d->position[1],
                   d->position[2], d->partial, c->count);
    sl_host_launch(h, "join_boxes", SL_DIM(1), SL_DIM(BOX_THREADS), 0, d->partial, d->box, box_blocks);
    sl_host_download(h, box, d->box, sizeof box);
    for (int axis = 0; axis < 3; axis++)
        sl_host_download(h, c->position[axis], d->position[axis], c->count * sizeof(float));
    build(h, c, t, box);
    sl_host_write(h, d->child, t->child, 8ull * t->cells * sizeof *t->child);
    for (uint32_t l = t->levels; l--;) {
        uint32_t cells = t->level_start[l + 1] - t->level_start[l], first = c->count + t->level_start[l];
        sl_host_launch(h, "summarize", SL_DIM(sl_blocks(cells, THREADS)), SL_DIM(THREADS), 0, d->position[0],
                       d->position[1], d->position[2], d->mass, d->count, d->child, first, cells, c->count);
    }
    for (uint32_t l = 0; l < t->levels; l++) {
        uint32_t cells = t->level_start[l + 1] - t->level_start[l], first = c->count + t->level_start[l];
        sl_host_launch(h, "sort", SL_DIM(sl_blocks(cells, THREADS)), SL_DIM(THREADS), 0, d->count, d->child, d->start,
                       d->order, first, cells, c->count);
    }
    sl_dim grid = SL_DIM(sl_blocks(c->count, THREADS));
    sl_host_launch(h, "force", grid, SL_DIM(THREADS), 0, d->position[0], d->position[1], d->position[2], d->mass,
                   d->child, d->order, d->box, d->acceleration[0], d->acceleration[1], d->acceleration[2],
                   inverse_theta_squared, c->count);
    sl_host_launch(h, "integrate", grid, SL_DIM(THREADS), 0, d->position[0], d->position[1], d->position[2],
                   d->velocity[0], d->velocity[1], d->velocity[2], d->acceleration[0], d->acceleration[1],
                   d->acceleration[2], time_step, c->count);
}

/* The acceleration of a body by all others, without a tree. */
static void direct_sum(const sl_bodies *c, uint32_t body, double *sum)
{
    sum[0] = sum[1] = sum[2] = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        double d[3], squared = (double)softening;
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = (double)c->position[axis][i] - (double)c->position[axis][body];
            squared += d[axis] * d[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += d[axis] * (double)c->mass[i] / (squared * sqrt(squared));
    }
}

/* The last step: positions before it are those of the cluster. */
static void check(sl_host *h, const sl_bodies *c, const octree *t, const buffers *d, float theta)
{
    uint32_t n = c->count, samples = n < SAMPLES ? n : SAMPLES, *order = sl_host_new(h, uint32_t, n);
    float *acc[3], *moved = sl_host_new(h, float, n), *expected = sl_host_new(h, float, n);
    float *velocity = sl_host_new(h, float, n);
    sl_host_download(h, order, d->order, n * sizeof *order);
    sl_check_u32(h, "order", order, t->order, n);
    for (int axis = 0; axis < 3; axis++) {
        acc[axis] = sl_host_new(h, float, n);
        sl_host_download(h, acc[axis], d->acceleration[axis], n * sizeof(float));
        sl_host_download(h, moved, d->position[axis], n * sizeof(float));
        sl_host_download(h, velocity, d->velocity[axis], n * sizeof(float));
        for (uint32_t i = 0; i < n; i++)
            expected[i] = c->position[axis][i] + time_step * (velocity[i] - 0.5f * time_step * acc[axis][i]);
        sl_check_f32(h, "position", moved, expected, n, 1e-6, 1e-6);
    }
    float got[3 * SAMPLES], wanted[3 * SAMPLES];
    for (uint32_t s = 0; s < samples; s++) {
        uint32_t body = (uint32_t)((uint64_t)s * n / samples);
        double sum[3];
        direct_sum(c, body, sum);
        double size = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        for (uint32_t axis = 0; axis < 3; axis++) {
            got[3 * s + axis] = (float)((double)acc[axis][body] / size);
            wanted[3 * s + axis] = (float)(sum[axis] / size);
        }
    }
    /* Taking a cell as a point at its centre of mass errs by about theta^2 of its share of the force, in all
     * directions; a warp that opens cells for any of its lanes errs less. */
    sl_check_f32(h, "acceleration", got, wanted, 3ull * samples, 0.2 * (double)(theta * theta), 0);
}

void sl_workload_barnes_hut(sl_host *h)
{
    uint32_t bodies = (uint32_t)sl_host_param(h, "bodies", 2, 1u << 22);
    uint32_t steps = (uint32_t)sl_host_param(h, "steps", 1, 1000);
    float theta = (float)sl_host_param(h, "theta_percent", 10, 200) / 100.0f;
    sl_bodies c = sl_plummer_bodies(h, bodies, 3ull * bodies);
    octree t = new_octree(h, bodies);
    buffers d = upload(h, &c);
    for (uint32_t s = 0; s < steps; s++)
        step_on_device(h, &c, &t, &d, theta);
    if (sl_host_checks(h))
        check(h, &c, &t, &d, theta);
}
