/* Breadth-first search level by level with a queue of the frontier. */
enum { THREADS = 512, WARPS = THREADS / 32, BLACK = 0 };

/* Each is read in one access. */
struct __attribute__((aligned(8))) vertex {
    unsigned first_edge, degree;
};
struct __attribute__((aligned(8))) edge {
    unsigned to, cost;
};

/* A thread per vertex of the frontier: offers its neighbours a cost. Of all who offer the same, one finds a higher cost
 * there and colours the neighbour, with the shade of this level. */
KERNEL bfs_expand(const unsigned *queue, unsigned queued, const vertex *vertices, const edge *edges, unsigned *cost,
                  unsigned *colour, unsigned shade)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= queued)
        return;
    unsigned me = queue[thread];
    colour[me] = BLACK;
    unsigned my_cost = cost[me];
    vertex here = vertices[me];
#pragma unroll 1
    for (unsigned i = here.first_edge; i < here.first_edge + here.degree; i++) {
        edge e = edges[i];
        unsigned offer = my_cost + e.cost;
        if (atomicMin(&cost[e.to], offer) > offer)
            colour[e.to] = shade;
    }
}

/* How many vertices of each block have the shade. */
KERNEL bfs_count(const unsigned *colour, unsigned *counts, unsigned vertices, unsigned shade)
{
    unsigned v = blockIdx.x * THREADS + threadIdx.x;
    int count = __syncthreads_count(v < vertices && colour[v] == shade);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = (unsigned)count;
}

/* Writes them to the queue in ascending order. */
KERNEL bfs_queue(const unsigned *colour, const unsigned *counts, unsigned *queue, unsigned vertices, unsigned shade)
{
    __shared__ unsigned before; /* in the blocks before this one */
    __shared__ unsigned warp_counts[WARPS];
    unsigned v = blockIdx.x * THREADS + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (counts[blockIdx.x] == 0)
        return;
    if (threadIdx.x == 0)
        before = 0;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < blockIdx.x; i += THREADS)
        sum += counts[i];
    if (sum)
        atomicAdd(&before, sum);
    bool in_queue = v < vertices && colour[v] == shade;
    unsigned members = __ballot_sync(0xffffffffu, in_queue);
    if (lane == 0)
        warp_counts[warp] = (unsigned)__popc(members);
    __syncthreads();
    unsigned to = before + (unsigned)__popc(members & ((1u << lane) - 1));
    for (unsigned w = 0; w < warp; w++)
        to += warp_counts[w];
    if (in_queue)
        queue[to] = v;
}
