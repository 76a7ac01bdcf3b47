/* SPDX-License-Identifier: MIT */
/* Single-source shortest paths as in LonestarGPU: topology-driven Bellman-Ford, one thread per vertex, a launch per
 * round until nothing changes. Each edge costs a streamed read of its end and its length and a scattered read of a
 * distance; a few vertices with very many neighbours have their distance read again and again, most distances are read
 * once in a while, and lanes walk rows of very different lengths. road=1 takes a road network instead, of short rows
 * and as many rounds as the network is wide; road=2 a random graph, as Lonestar's r4: every row has `mean` edges to
 * anywhere.
 *
 * lonestar=T makes the accesses of LonestarGPU's own code: degree and first edge of a vertex are looked up for the end
 * of each edge and again for its length, and each of the T threads of a block has 1024 / T vertices in a row, as in
 * that code where blocks of 1024 threads are not to be had.
 *
 * Simplified: a round reads the distances that the round before left, in a second array, where Lonestar's threads see
 * each other's updates within a round and so need fewer rounds, but never the same accesses twice. */
#include "workloads/common/graphs.h"

enum { UNREACHED = 1000000000, THREADS = 256, LONGEST = 10, LONESTAR_THREADS = 1024 };

/* Bellman and Ford's method with a queue of the vertices whose distance fell. */
static void shortest_paths(sl_host *h, const sl_csr *graph, const uint32_t *weight, uint32_t source, uint32_t *distance)
{
    uint32_t *queue = sl_host_new(h, uint32_t, graph->rows), head = 0, waiting = 1;
    bool *queued = sl_host_new(h, bool, graph->rows);
    for (uint32_t v = 0; v < graph->rows; v++)
        distance[v] = UNREACHED;
    distance[source] = 0;
    queue[0] = source;
    for (; waiting; waiting--) {
        uint32_t v = queue[head];
        head = (head + 1) % graph->rows;
        queued[v] = false;
        for (uint32_t e = graph->row_start[v]; e < graph->row_start[v + 1]; e++) {
            uint32_t to = graph->column[e];
            if (distance[v] + weight[e] >= distance[to])
                continue;
            distance[to] = distance[v] + weight[e];
            if (!queued[to])
                queue[(head - 1 + waiting++) % graph->rows] = to;
            queued[to] = true;
        }
    }
}

static sl_csr input_graph(sl_host *h)
{
    uint32_t vertices = (uint32_t)sl_host_param(h, "vertices", 4, 1u << 26), width = 2;
    uint32_t mean = (uint32_t)sl_host_param(h, "mean", 1, 64);
    uint64_t road = sl_host_param(h, "road", 0, 2);
    if (road != 1)
        return road ? sl_random_graph(h, vertices, mean) : sl_power_law_graph(h, vertices, mean);
    while ((width + 1) * (width + 1) <= vertices)
        width++;
    return sl_road_graph(h, width, width);
}

/* What a round works on, in the device's memory. */
typedef struct arrays {
    uint64_t row_start, neighbour, weight, distance, next, changed;
    uint64_t degree, index; /* of Lonestar's graph */
    uint32_t vertices, edges;
} arrays;

static void upload_lonestar(sl_host *h, const sl_csr *graph, arrays *a)
{
    uint32_t *degree = sl_host_new(h, uint32_t, graph->rows), *index = sl_host_new(h, uint32_t, graph->rows);
    for (uint32_t v = 0; v < graph->rows; v++) {
        degree[v] = graph->row_start[v + 1] - graph->row_start[v];
        index[v] = v;
    }
    a->degree = sl_host_upload(h, "degree", degree, graph->rows * sizeof *degree);
    a->index = sl_host_upload(h, "index", index, graph->rows * sizeof *index);
}

/* Blocks of `lonestar` threads; 0: a thread per vertex. */
static void relax(sl_host *h, const arrays *a, uint32_t lonestar)
{
    if (lonestar)
        sl_host_launch(h, "relax_lonestar", SL_DIM(sl_blocks(a->vertices, lonestar)), SL_DIM(lonestar), 0, a->degree,
                       a->index, a->row_start, a->neighbour, a->weight, a->distance, a->next, a->changed, a->vertices,
                       a->edges, LONESTAR_THREADS / lonestar);
    else
        sl_host_launch(h, "relax", SL_DIM(sl_blocks(a->vertices, THREADS)), SL_DIM(THREADS), 0, a->row_start,
                       a->neighbour, a->weight, a->distance, a->next, a->changed, a->vertices);
}

void sl_workload_sssp(sl_host *h)
{
    sl_csr graph = input_graph(h);
    uint32_t lonestar = (uint32_t)sl_host_param(h, "lonestar", 0, LONESTAR_THREADS);
    if (lonestar & (lonestar - 1))
        sl_host_fail(h, SL_INVALID, "lonestar must be 0 or a power of two");
    uint32_t vertices = graph.rows, *weight = sl_random_weights(h, graph.entries, LONGEST), changed = 1;
    uint32_t *distance = sl_host_new(h, uint32_t, vertices), source = sl_busiest_vertex(&graph);
    for (uint32_t v = 0; v < vertices; v++)
        distance[v] = v == source ? 0 : UNREACHED;
    uint64_t bytes = vertices * sizeof *distance, edge_bytes = graph.entries * sizeof *weight;
    arrays a = {.vertices = vertices, .edges = (uint32_t)graph.entries};
    a.row_start = sl_host_upload(h, "row_start", graph.row_start, bytes + sizeof *distance);
    a.neighbour = sl_host_upload(h, "neighbour", graph.column, edge_bytes);
    a.weight = sl_host_upload(h, "weight", weight, edge_bytes);
    a.distance = sl_host_upload(h, "distance", distance, bytes);
    a.next = sl_host_upload(h, "next distance", distance, bytes);
    a.changed = sl_host_device(h, "changed", sizeof changed);
    if (lonestar)
        upload_lonestar(h, &graph, &a);

    while (changed) {
        sl_host_fill(h, a.changed, 0, sizeof changed);
        relax(h, &a, lonestar);
        sl_host_launch(h, "settle", SL_DIM(sl_blocks(vertices, THREADS)), SL_DIM(THREADS), 0, a.next, a.distance,
                       vertices);
        sl_host_download(h, &changed, a.changed, sizeof changed);
    }
    sl_host_download(h, distance, a.distance, bytes);

    if (!sl_host_checks(h))
        return;
    uint32_t *expected = sl_host_new(h, uint32_t, vertices);
    shortest_paths(h, &graph, weight, source, expected);
    sl_check_u32(h, "distance", distance, expected, vertices);
}
