/* Bellman-Ford over all vertices: every vertex that has been reached offers its neighbours a way through itself. The
 * distances of the round before are read and the new ones lowered by atomics, so that what a round touches does not
 * depend on the order of its threads. */
enum { UNREACHED = 1000000000 };

KERNEL relax(const unsigned *__restrict__ row_start, const unsigned *__restrict__ neighbour,
             const unsigned *__restrict__ weight, const unsigned *__restrict__ distance, unsigned *__restrict__ next,
             unsigned *__restrict__ changed, unsigned vertices)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices)
        return;
    unsigned here = distance[v];
    if (here == UNREACHED)
        return;
    unsigned end = row_start[v + 1];
    for (unsigned e = row_start[v]; e < end; e++) {
        unsigned to = neighbour[e];
        unsigned offer = here + weight[e];
        if (offer < distance[to]) {
            atomicMin(&next[to], offer);
            *changed = 1;
        }
    }
}

/* A graph as LonestarGPU keeps it: first edges are found through an index of the vertices. */
struct lonestar_graph {
    const unsigned *degree, *index, *first, *neighbour, *weight;
    unsigned vertices, edges;
};

/* Edge k of vertex v; the number of edges: there is none. Memory may have changed since the last look, as Lonestar's
 * error messages make compilers believe. */
SL_DEV unsigned lonestar_edge(const lonestar_graph *g, unsigned v, unsigned k)
{
    __asm__ volatile("" ::: "memory");
    if (v >= g->vertices || k >= g->degree[v] || g->index[v] >= g->vertices)
        return g->edges;
    return g->first[g->index[v]] + k;
}

/* The same round with LonestarGPU's accesses: degree, index and first edge of a vertex are looked up, with their bounds,
 * for the end of each edge and again for its length, and a thread has `each` vertices in a row. */
KERNEL relax_lonestar(const unsigned *degree, const unsigned *index, const unsigned *first, const unsigned *neighbour,
                      const unsigned *weight, const unsigned *distance, unsigned *next, unsigned *changed,
                      unsigned vertices, unsigned edges, unsigned each)
{
    const lonestar_graph g = {degree, index, first, neighbour, weight, vertices, edges};
    unsigned begin = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (unsigned v = begin; v < begin + each; v++) {
        if (v >= vertices)
            continue;
        bool found = false;
        unsigned count = degree[v];
        for (unsigned k = 0; k < count; k++) {
            unsigned edge = lonestar_edge(&g, v, k);
            unsigned to = edge < edges ? neighbour[edge] : vertices;
            if (to >= vertices)
                continue;
            edge = lonestar_edge(&g, v, k);
            unsigned length = edge < edges ? weight[edge] : UNREACHED;
            if (length >= UNREACHED)
                continue;
            unsigned offer = distance[v] + length;
            if (offer < distance[to])
                found |= offer < atomicMin(&next[to], offer);
        }
        if (found)
            *changed = 1;
    }
}

/* The end of a round: what was found becomes what is read. */
KERNEL settle(const unsigned *__restrict__ next, unsigned *__restrict__ distance, unsigned vertices)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices)
        distance[v] = next[v];
}
