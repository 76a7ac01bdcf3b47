/* SPDX-License-Identifier: MIT */
/* Single-source shortest paths as in LonestarGPU: topology-driven Bellman-Ford, one thread per vertex, a launch per
 * round until nothing changes. Each edge costs a streamed read of its end and its length and a scattered read of a
 * distance; a few vertices with very many neighbours have their distance read again and again, most distances are read
 * once in a while, and lanes walk rows of very different lengths. road=1 takes a road network instead, of short rows
 * and as many rounds as the network is wide; road=2 a random graph, as Lonestar's r4: every row has `mean` edges to
 * anywhere.
 *
 * Simplified: a round reads the distances that the round before left, in a second array, where Lonestar's threads see
 * each other's updates within a round and so need fewer rounds, but never the same accesses twice. */
#include "workloads/common/graphs.h"

enum { UNREACHED = 1000000000, THREADS = 256, LONGEST = 10 };

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

void sl_workload_sssp(sl_host *h)
{
    sl_csr graph = input_graph(h);
    uint32_t vertices = graph.rows, *weight = sl_random_weights(h, graph.entries, LONGEST), changed = 1;
    uint32_t *distance = sl_host_new(h, uint32_t, vertices), source = sl_busiest_vertex(&graph);
    for (uint32_t v = 0; v < vertices; v++)
        distance[v] = v == source ? 0 : UNREACHED;
    uint64_t bytes = vertices * sizeof *distance, edge_bytes = graph.entries * sizeof *weight;
    uint64_t start_dev = sl_host_upload(h, "row_start", graph.row_start, bytes + sizeof *distance);
    uint64_t neighbour_dev = sl_host_upload(h, "neighbour", graph.column, edge_bytes);
    uint64_t weight_dev = sl_host_upload(h, "weight", weight, edge_bytes);
    uint64_t distance_dev = sl_host_upload(h, "distance", distance, bytes);
    uint64_t next_dev = sl_host_upload(h, "next distance", distance, bytes);
    uint64_t changed_dev = sl_host_device(h, "changed", sizeof changed);

    for (sl_dim grid = SL_DIM(sl_blocks(vertices, THREADS)); changed;) {
        sl_host_fill(h, changed_dev, 0, sizeof changed);
        sl_host_launch(h, "relax", grid, SL_DIM(THREADS), 0, start_dev, neighbour_dev, weight_dev, distance_dev,
                       next_dev, changed_dev, vertices);
        sl_host_launch(h, "settle", grid, SL_DIM(THREADS), 0, next_dev, distance_dev, vertices);
        sl_host_download(h, &changed, changed_dev, sizeof changed);
    }
    sl_host_download(h, distance, distance_dev, bytes);

    if (!sl_host_checks(h))
        return;
    uint32_t *expected = sl_host_new(h, uint32_t, vertices);
    shortest_paths(h, &graph, weight, source, expected);
    sl_check_u32(h, "distance", distance, expected, vertices);
}
