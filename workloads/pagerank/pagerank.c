/* SPDX-License-Identifier: MIT */
/* PageRank on a graph with a power law of degrees, pulling: in each iteration every vertex adds up what its neighbours
 * give, without atomics. Four lanes share a vertex and read its list of neighbours together; what they read of the
 * neighbours is scattered over the whole array, but a few busy vertices are read again and again. Lists are of very
 * different lengths, so groups of lanes wait for one another. Simplified: the edges have both directions, what
 * vertices without neighbours have is lost, and the number of iterations is fixed. */
#include "workloads/common/graphs.h"

enum { THREADS = 256, LANES = 4 };
static const float damping = 0.85f;

static float *reference(sl_host *h, const sl_csr *graph, uint32_t iterations)
{
    uint32_t vertices = graph->rows;
    const uint32_t *start = graph->row_start;
    double *rank = sl_host_new(h, double, vertices), *next = sl_host_new(h, double, vertices);
    float *result = sl_host_new(h, float, vertices);
    for (uint32_t v = 0; v < vertices; v++)
        rank[v] = 1.0 / vertices;
    for (uint32_t n = 0; n < iterations; n++) {
        for (uint32_t v = 0; v < vertices; v++)
            next[v] = (1 - (double)damping) / vertices;
        for (uint32_t v = 0; v < vertices; v++)
            for (uint32_t i = start[v]; i < start[v + 1]; i++)
                next[graph->column[i]] += (double)damping * rank[v] / (start[v + 1] - start[v]);
        double *done = next;
        next = rank;
        rank = done;
    }
    for (uint32_t v = 0; v < vertices; v++)
        result[v] = (float)rank[v];
    return result;
}

void sl_workload_pagerank(sl_host *h)
{
    uint32_t vertices = (uint32_t)sl_host_param(h, "vertices", 2, 1u << 26);
    sl_csr graph = sl_power_law_graph(h, vertices, (uint32_t)sl_host_param(h, "mean", 1, 4096));
    uint32_t iterations = (uint32_t)sl_host_param(h, "iterations", 1, 1000), busiest = sl_busiest_vertex(&graph);
    float *rank = sl_host_new(h, float, vertices);
    uint64_t bytes = vertices * sizeof *rank, rank_dev = sl_host_device(h, "rank", bytes);
    uint64_t start_dev = sl_host_upload(h, "row_start", graph.row_start, (vertices + 1ull) * sizeof(uint32_t));
    uint64_t neighbour_dev = sl_host_upload(h, "neighbour", graph.column, graph.entries * sizeof(uint32_t));
    uint64_t share_dev[2] = {sl_host_device(h, "share 0", bytes), sl_host_device(h, "share 1", bytes)};

    sl_host_launch(h, "start_ranks", SL_DIM(sl_blocks(vertices, THREADS)), SL_DIM(THREADS), 0, start_dev, share_dev[0],
                   vertices);
    for (uint32_t n = 0; n < iterations; n++)
        sl_host_launch(h, "pull_ranks", SL_DIM(sl_blocks(vertices, THREADS / LANES)), SL_DIM(THREADS), 0, start_dev,
                       neighbour_dev, share_dev[n % 2], share_dev[(n + 1) % 2], rank_dev, vertices, damping);
    sl_host_download(h, rank, rank_dev, bytes);

    if (!sl_host_checks(h))
        return;
    /* Each iteration adds up at most `terms` positive numbers per lane, and rounds a few times more. */
    uint32_t degree = graph.row_start[busiest + 1] - graph.row_start[busiest], terms = degree / LANES + 8;
    sl_check_f32(h, "rank", rank, reference(h, &graph, iterations), vertices, 0, iterations * terms * 0x1p-24);
}
