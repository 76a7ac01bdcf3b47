/* SPDX-License-Identifier: MIT */
/* Graphs. */
#include <inttypes.h>

#include "workloads/common/graphs.h"

/* Edges in the order in which they were drawn. */
typedef struct edge_list {
    uint64_t edges;
    uint32_t *from, *to; /* with room for all that will be added */
} edge_list;

static edge_list new_edges(sl_host *h, uint64_t room)
{
    if (room > UINT32_MAX)
        sl_host_fail(h, SL_INVALID, "a graph of %" PRIu64 " edges is too large", room);
    return (edge_list){.from = sl_host_new(h, uint32_t, room), .to = sl_host_new(h, uint32_t, room)};
}

static void add_edge(edge_list *list, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    list->from[list->edges] = from;
    list->to[list->edges++] = to;
}

static void add_both_ways(edge_list *list, uint32_t a, uint32_t b)
{
    add_edge(list, a, b);
    add_edge(list, b, a);
}

/* Orders the edges by one of their ends: a counting sort that keeps the order of equal keys. */
static void sort_edges(sl_host *h, edge_list *list, bool by_from, uint32_t vertices)
{
    edge_list sorted = new_edges(h, list->edges ? list->edges : 1);
    const uint32_t *key = by_from ? list->from : list->to;
    uint64_t *next = sl_host_new(h, uint64_t, (uint64_t)vertices + 1);
    for (uint64_t e = 0; e < list->edges; e++)
        next[key[e] + 1]++;
    for (uint32_t v = 0; v < vertices; v++)
        next[v + 1] += next[v];
    for (uint64_t e = 0; e < list->edges; e++) {
        uint64_t position = next[key[e]]++;
        sorted.from[position] = list->from[e];
        sorted.to[position] = list->to[e];
    }
    sorted.edges = list->edges;
    *list = sorted;
}

/* Rows of neighbours from edges in any order, without duplicates. */
static sl_csr graph_of(sl_host *h, edge_list list, uint32_t vertices)
{
    sort_edges(h, &list, false, vertices);
    sort_edges(h, &list, true, vertices);
    sl_csr graph = {.rows = vertices, .columns = vertices};
    graph.row_start = sl_host_new(h, uint32_t, (uint64_t)vertices + 1);
    graph.column = sl_host_new(h, uint32_t, list.edges ? list.edges : 1);
    uint64_t e = 0;
    for (uint32_t v = 0; v < vertices; v++) {
        for (uint64_t first = e; e < list.edges && list.from[e] == v; e++)
            if (e == first || list.to[e] != list.to[e - 1])
                graph.column[graph.entries++] = list.to[e];
        graph.row_start[v + 1] = graph.entries;
    }
    return graph;
}

uint32_t *sl_shuffled_numbers(sl_host *h, uint32_t count, uint32_t window)
{
    sl_random *random = sl_host_random(h);
    uint32_t *number = sl_host_new(h, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i - i % window, other = first + (uint32_t)sl_random_below(random, i - first + 1);
        number[i] = number[other];
        number[other] = i;
    }
    return number;
}

/* One edge of an R-MAT graph: each bit of its two ends falls into one of four quarters. */
static void draw_rmat_edge(sl_random *random, uint32_t bits, uint32_t *from, uint32_t *to)
{
    *from = *to = 0;
    for (uint32_t b = 0; b < bits; b++) {
        double u = sl_random_f64(random);
        *from = *from << 1 | (u >= 0.76);
        *to = *to << 1 | ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
}

sl_csr sl_power_law_graph(sl_host *h, uint32_t vertices, uint32_t mean)
{
    sl_random *random = sl_host_random(h);
    uint64_t draws = ((uint64_t)vertices * mean + 1) / 2;
    edge_list list = new_edges(h, 2 * draws);
    uint32_t *number = sl_shuffled_numbers(h, vertices, vertices), bits = 0;
    while (bits < 32 && (uint64_t)1 << bits < vertices)
        bits++;
    for (uint64_t d = 0; d < draws;) {
        uint32_t from, to;
        draw_rmat_edge(random, bits, &from, &to);
        if (from >= vertices || to >= vertices)
            continue;
        add_both_ways(&list, number[from], number[to]);
        d++;
    }
    return graph_of(h, list, vertices);
}

sl_csr sl_random_graph(sl_host *h, uint32_t vertices, uint32_t degree)
{
    sl_random *random = sl_host_random(h);
    edge_list list = new_edges(h, (uint64_t)vertices * degree);
    for (uint32_t v = 0; v < vertices; v++)
        for (uint32_t d = 0; d < degree; d++)
            add_edge(&list, v, (uint32_t)sl_random_below(random, vertices));
    return graph_of(h, list, vertices);
}

sl_csr sl_road_graph(sl_host *h, uint32_t width, uint32_t height)
{
    sl_random *random = sl_host_random(h);
    uint64_t crossings = (uint64_t)width * height;
    edge_list list = new_edges(h, 6 * crossings);
    uint32_t *number = sl_shuffled_numbers(h, (uint32_t)crossings, 256);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint64_t chance = sl_random_u64(random);
            uint32_t here = y * width + x;
            if (x + 1 < width && chance % 4)
                add_both_ways(&list, number[here], number[here + 1]);
            if (y + 1 < height && chance / 4 % 4)
                add_both_ways(&list, number[here], number[here + width]);
            if (x + 1 < width && y + 1 < height && !(chance / 16 % 16))
                add_both_ways(&list, number[here], number[here + width + 1]);
        }
    return graph_of(h, list, (uint32_t)crossings);
}

sl_csr sl_reversed_graph(sl_host *h, const sl_csr *graph)
{
    edge_list list = new_edges(h, graph->entries ? graph->entries : 1);
    for (uint32_t v = 0; v < graph->rows; v++)
        for (uint32_t e = graph->row_start[v]; e < graph->row_start[v + 1]; e++)
            add_edge(&list, graph->column[e], v);
    return graph_of(h, list, graph->rows);
}

uint32_t *sl_random_weights(sl_host *h, uint64_t count, uint32_t max)
{
    uint32_t *weight = sl_random_indices(h, count, max);
    for (uint64_t i = 0; i < count; i++)
        weight[i]++;
    return weight;
}

uint32_t sl_busiest_vertex(const sl_csr *graph)
{
    uint32_t best = 0;
    for (uint32_t v = 1; v < graph->rows; v++)
        if (graph->row_start[v + 1] - graph->row_start[v] > graph->row_start[best + 1] - graph->row_start[best])
            best = v;
    return best;
}
