/* SPDX-License-Identifier: MIT */
/* Parboil's bfs: breadth-first search on a graph with a few very popular vertices, a launch per level, a thread per
 * vertex of the frontier: edges of neighbouring lanes are in different lines and very uneven in number, costs of their
 * ends are atomics at random addresses. The original's threads append to the next frontier by atomics on queues in
 * shared and global memory; here two more kernels gather it in ascending order, by counting first, so that a level's
 * accesses are the same in every run. The small kernel of the original that does several small levels in one launch is
 * left out. */
#include "workloads/common/graphs.h"

enum { THREADS = 512 };

typedef struct search {
    uint32_t vertices, blocks;
    uint64_t vertex_dev, edge_dev, cost_dev, colour_dev, counts_dev, queue_dev;
} search;

static void upload(sl_host *h, search *s, const sl_csr *graph)
{
    uint32_t *vertex = sl_host_new(h, uint32_t, 2ull * s->vertices),
             *edge = sl_host_new(h, uint32_t, 2ull * graph->entries);
    for (uint32_t v = 0; v < s->vertices; v++) {
        vertex[2 * v] = graph->row_start[v];
        vertex[2 * v + 1] = graph->row_start[v + 1] - graph->row_start[v];
    }
    for (uint32_t e = 0; e < graph->entries; e++) {
        edge[2 * e] = graph->column[e];
        edge[2 * e + 1] = 1;
    }
    uint64_t bytes = s->vertices * sizeof(uint32_t);
    s->vertex_dev = sl_host_upload(h, "vertices", vertex, 2 * bytes);
    s->edge_dev = sl_host_upload(h, "edges", edge, 2ull * graph->entries * sizeof *edge);
    s->cost_dev = sl_host_device(h, "cost", bytes);
    s->colour_dev = sl_host_device(h, "colour", bytes);
    s->counts_dev = sl_host_device(h, "counts", s->blocks * sizeof(uint32_t));
    s->queue_dev = sl_host_device(h, "queue", bytes);
    sl_host_fill(h, s->cost_dev, 0xff, bytes);
    sl_host_fill(h, s->colour_dev, 0xff, bytes);
}

/* One level; returns the size of the next frontier. */
static uint32_t level(sl_host *h, const search *s, uint32_t queued, uint32_t shade)
{
    sl_host_launch(h, "bfs_expand", SL_DIM(sl_blocks(queued, THREADS)), SL_DIM(THREADS), 0, s->queue_dev, queued,
                   s->vertex_dev, s->edge_dev, s->cost_dev, s->colour_dev, shade);
    sl_host_launch(h, "bfs_count", SL_DIM(s->blocks), SL_DIM(THREADS), 0, s->colour_dev, s->counts_dev, s->vertices,
                   shade);
    uint32_t *counts = sl_host_new(h, uint32_t, s->blocks), next = 0;
    sl_host_download(h, counts, s->counts_dev, s->blocks * sizeof *counts);
    for (uint32_t b = 0; b < s->blocks; b++)
        next += counts[b];
    if (next > 0)
        sl_host_launch(h, "bfs_queue", SL_DIM(s->blocks), SL_DIM(THREADS), 0, s->colour_dev, s->counts_dev,
                       s->queue_dev, s->vertices, shade);
    return next;
}

static uint32_t *reference(sl_host *h, const sl_csr *graph, uint32_t source)
{
    uint32_t *cost = sl_host_new(h, uint32_t, graph->rows), *queue = sl_host_new(h, uint32_t, graph->rows);
    for (uint32_t v = 0; v < graph->rows; v++)
        cost[v] = UINT32_MAX;
    cost[source] = 0;
    queue[0] = source;
    for (uint32_t head = 0, tail = 1; head < tail; head++)
        for (uint32_t e = graph->row_start[queue[head]]; e < graph->row_start[queue[head] + 1]; e++)
            if (cost[graph->column[e]] == UINT32_MAX) {
                cost[graph->column[e]] = cost[queue[head]] + 1;
                queue[tail++] = graph->column[e];
            }
    return cost;
}

void sl_workload_bfs(sl_host *h)
{
    search s = {.vertices = (uint32_t)sl_host_param(h, "vertices", 2, 1u << 26)};
    sl_csr graph = sl_power_law_graph(h, s.vertices, (uint32_t)sl_host_param(h, "mean", 1, 1024));
    uint32_t source = sl_busiest_vertex(&graph), zero = 0;
    s.blocks = sl_blocks(s.vertices, THREADS);
    upload(h, &s, &graph);
    sl_host_write(h, s.queue_dev, &source, sizeof source);
    sl_host_write(h, s.cost_dev + source * sizeof zero, &zero, sizeof zero);
    for (uint32_t queued = 1, shade = 1; queued > 0; shade++)
        queued = level(h, &s, queued, shade);
    uint32_t *cost = sl_host_new(h, uint32_t, s.vertices);
    sl_host_download(h, cost, s.cost_dev, s.vertices * sizeof *cost);
    if (sl_host_checks(h))
        sl_check_u32(h, "cost", cost, reference(h, &graph, source), s.vertices);
}
