/* SPDX-License-Identifier: MIT */
/* The octree of Barnes and Hut's method as LonestarGPU builds it: as many blocks as fit the GPU take bodies in turn,
 * walk from the root to the place of each, and put it there with an atomic operation; where a body is already, they
 * lock the place and put cells there. All reads are volatile, data-dependent and of different lines in each lane; the
 * upper cells are read by all, the lower ones by few. Bodies are a Plummer cluster.
 *
 * Simplified: the cube around the bodies is made here on the host, and threads wait at a barrier that all reach. */
#include "workloads/common/bodies.h"

enum { BUILD_THREADS = 512, CLEAR_THREADS = 1024, SMS = 15, BLOCKS_PER_SM = 3, MOST_LEVELS = 96 };

/* As the kernel has it, byte by byte. */
typedef struct tree {
    const sl_bodies *bodies;
    const int32_t *child;
    uint32_t *visits;          /* [bodies]: how often each was found */
    uint32_t misplaced, small; /* nodes in an octant of others; cells with fewer than two bodies below */
} tree;

static uint32_t octant_of(const float centre[3], const float point[3])
{
    return (uint32_t)(centre[0] < point[0]) | (uint32_t)(centre[1] < point[1]) << 1 |
           (uint32_t)(centre[2] < point[2]) << 2;
}

static uint32_t visit_body(tree *t, uint32_t body, const float parent[3], uint32_t octant)
{
    float point[3];
    for (int axis = 0; axis < 3; axis++)
        point[axis] = t->bodies->position[axis][body];
    t->visits[body]++;
    t->misplaced += octant_of(parent, point) != octant;
    return 1;
}

/* Returns the number of bodies below a cell. */
static uint32_t visit_cell(tree *t, uint32_t cell, const float centre[3], float quarter, uint32_t level)
{
    uint32_t below = 0;
    for (uint32_t octant = 0; octant < 8 && level < MOST_LEVELS; octant++) {
        int32_t node = t->child[8 * (size_t)cell + octant];
        float next[3];
        for (uint32_t axis = 0; axis < 3; axis++)
            next[axis] = centre[axis] + (octant >> axis & 1 ? quarter : -quarter);
        if (node >= (int32_t)t->bodies->count)
            below += visit_cell(t, (uint32_t)node, next, 0.5f * quarter, level + 1);
        else if (node >= 0)
            below += visit_body(t, (uint32_t)node, centre, octant);
        else
            t->misplaced += node != -1;
    }
    t->small += below < 2;
    return below;
}

static void check(sl_host *h, const sl_bodies *b, const int32_t *child, uint32_t root, float radius)
{
    tree t = {.bodies = b, .child = child, .visits = sl_host_new(h, uint32_t, b->count)};
    const float centre[3] = {b->position[0][root], b->position[1][root], b->position[2][root]};
    uint32_t *once = sl_host_new(h, uint32_t, b->count);
    for (uint32_t i = 0; i < b->count; i++)
        once[i] = 1;
    visit_cell(&t, root, centre, 0.5f * radius, 0);
    const uint32_t wrong[] = {t.misplaced, t.small}, none[] = {0, 0};
    sl_check_u32(h, "bodies in the tree", t.visits, once, b->count);
    sl_check_u32(h, "nodes out of place, and needless cells", wrong, none, 2);
}

/* Puts the root in the middle of the cube around all bodies, and returns half of its side. */
static float place_root(sl_bodies *b, uint32_t root)
{
    float radius = 0;
    for (int axis = 0; axis < 3; axis++) {
        float *at = b->position[axis], least = at[0], greatest = at[0];
        for (uint32_t i = 1; i < b->count; i++) {
            least = at[i] < least ? at[i] : least;
            greatest = at[i] > greatest ? at[i] : greatest;
        }
        at[root] = 0.5f * (least + greatest);
        radius = 0.5f * (greatest - least) > radius ? 0.5f * (greatest - least) : radius;
    }
    return radius;
}

void sl_workload_octree(sl_host *h)
{
    static const char *const names[3] = {"x", "y", "z"};
    uint32_t bodies = (uint32_t)sl_host_param(h, "bodies", 2, 1u << 22);
    uint32_t nodes = 2 * bodies > 1024 * SMS ? 2 * bodies : 1024 * SMS; /* with room for cells below the root */
    uint32_t root = ((nodes + 31) & ~31u) - 1;
    sl_bodies b = sl_plummer_bodies(h, bodies, root + 1);
    float radius = place_root(&b, root);
    uint64_t child_bytes = 8ull * (root + 1) * sizeof(int32_t), position[3];
    for (int axis = 0; axis < 3; axis++)
        position[axis] = sl_host_upload(h, names[axis], b.position[axis], (root + 1ull) * sizeof(float));
    uint64_t child = sl_host_device(h, "child", child_bytes);
    uint64_t bottom = sl_host_upload(h, "bottom", &root, sizeof root);
    uint64_t half = sl_host_upload(h, "radius", &radius, sizeof radius);
    sl_host_launch(h, "clear_children", SL_DIM(SMS), SL_DIM(CLEAR_THREADS), 0, child, 8 * bodies, 8 * (root + 1));
    sl_host_launch(h, "build_octree", SL_DIM(BLOCKS_PER_SM * SMS), SL_DIM(BUILD_THREADS), 0, position[0], position[1],
                   position[2], child, bottom, half, bodies, root);
    if (!sl_host_checks(h))
        return;
    int32_t *built = sl_host_new(h, int32_t, 8ull * (root + 1));
    sl_host_download(h, built, child, child_bytes);
    check(h, &b, built, root, radius);
}
