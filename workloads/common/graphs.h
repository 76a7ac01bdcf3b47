/* SPDX-License-Identifier: MIT */
/* Graphs of the workloads: an sl_csr without values whose row v lists the neighbours of vertex v, ascending, none
 * twice, no vertex its own neighbour. All drawn from the host's random numbers. */
#ifndef SL_WORKLOADS_GRAPHS_H
#define SL_WORKLOADS_GRAPHS_H

#include "workloads/common/inputs.h"

/* A social network or a web: R-MAT with the shares of Graph500 (0.57, 0.19, 0.19, 0.05), edges in both directions,
 * vertices numbered at random. A few vertices have thousands of neighbours, many have one or none; `mean` is the number
 * of neighbours on average before duplicate edges are removed. */
sl_csr sl_power_law_graph(sl_host *h, uint32_t vertices, uint32_t mean);

/* A random graph: `degree` neighbours of each vertex, anywhere, in one direction; fewer where one is drawn twice. */
sl_csr sl_random_graph(sl_host *h, uint32_t vertices, uint32_t degree);

/* A road network: crossings on a grid, three of four streets to the right and downwards are there, in both directions,
 * and one in 16 diagonals. At most 6 neighbours, about 3 on average, and a diameter of about width + height. Vertices
 * are numbered row by row, but in random order within 256 of them: neighbours are close and yet nowhere regular. Some
 * crossings cannot be reached from the others. */
sl_csr sl_road_graph(sl_host *h, uint32_t width, uint32_t height);

/* The graph with every edge turned round: rows list who points to a vertex. */
sl_csr sl_reversed_graph(sl_host *h, const sl_csr *graph);

/* The numbers from 0 to count - 1, in random order within each `window` of them. */
uint32_t *sl_shuffled_numbers(sl_host *h, uint32_t count, uint32_t window);

/* Lengths of edges, uniform in [1, max]. */
uint32_t *sl_random_weights(sl_host *h, uint64_t count, uint32_t max);

/* The first vertex of maximum degree: a start from which most of the graph is reached. */
uint32_t sl_busiest_vertex(const sl_csr *graph);

#endif
