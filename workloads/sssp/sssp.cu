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

/* The end of a round: what was found becomes what is read. */
KERNEL settle(const unsigned *__restrict__ next, unsigned *__restrict__ distance, unsigned vertices)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices)
        distance[v] = next[v];
}
