/* PageRank. share[v] is what vertex v gives to each neighbour: its rank divided by their number. */
enum { LANES = 4 };

KERNEL start_ranks(const unsigned *__restrict__ row_start, float *__restrict__ share, unsigned vertices)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices)
        share[v] = 1.0f / (float)vertices / (float)max(row_start[v + 1] - row_start[v], 1u);
}

/* Four lanes per vertex add up what its neighbours give. */
KERNEL pull_ranks(const unsigned *__restrict__ row_start, const unsigned *__restrict__ neighbour,
                  const float *__restrict__ share, float *__restrict__ next_share, float *__restrict__ rank,
                  unsigned vertices, float damping)
{
    unsigned v = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    unsigned begin = v < vertices ? row_start[v] : 0, end = v < vertices ? row_start[v + 1] : 0;
    float sum = 0;
    for (unsigned i = begin + lane; i < end; i += LANES)
        sum += share[neighbour[i]];
    for (int distance = LANES / 2; distance; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (v < vertices && lane == 0) {
        float mine = (1 - damping) / (float)vertices + damping * sum;
        rank[v] = mine;
        next_share[v] = mine / (float)max(end - begin, 1u);
    }
}
