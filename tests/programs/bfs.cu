/* Breadth-first search, level by level: two kernels in a host loop that ends when no vertex was reached. */
#include "check.h"

__global__ void expand(const int *rows, const int *columns, const int *frontier, int *level, int *next, int n, int depth)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !frontier[v])
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int w = columns[e];
        if (atomicCAS(&level[w], -1, depth + 1) == -1)
            next[w] = 1;
    }
}

__global__ void advance(int *frontier, int *next, int *reached, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    frontier[v] = next[v];
    next[v] = 0;
    if (frontier[v])
        atomicAdd(reached, 1);
}

static std::vector<int> on_cpu(const std::vector<int> &rows, const std::vector<int> &columns, int n)
{
    std::vector<int> level(n, -1), queue(1, 0);
    level[0] = 0;
    for (size_t head = 0; head < queue.size(); head++)
        for (int e = rows[queue[head]]; e < rows[queue[head] + 1]; e++)
            if (level[columns[e]] < 0) {
                level[columns[e]] = level[queue[head]] + 1;
                queue.push_back(columns[e]);
            }
    return level;
}

int main()
{
    const int n = 5000, block = 256, grid = (n + block - 1) / block;
    Random random(7);
    std::vector<int> rows(n + 1), columns;
    for (int v = 0; v < n; v++) {
        int degree = random.next() % 6;
        for (int e = 0; e < degree; e++)
            columns.push_back((v + 1 + random.next() % 200) % n);
        rows[v + 1] = (int)columns.size();
    }
    int *d_rows, *d_columns, *d_frontier, *d_next, *d_level, *d_reached;
    CHECK(cudaMalloc(&d_rows, (n + 1) * sizeof(int)));
    CHECK(cudaMalloc(&d_columns, columns.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_frontier, n * sizeof(int)));
    CHECK(cudaMalloc(&d_next, n * sizeof(int)));
    CHECK(cudaMalloc(&d_level, n * sizeof(int)));
    CHECK(cudaMalloc(&d_reached, sizeof(int)));
    CHECK(cudaMemcpy(d_rows, rows.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_columns, columns.data(), columns.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_frontier, 0, n * sizeof(int)));
    CHECK(cudaMemset(d_next, 0, n * sizeof(int)));
    CHECK(cudaMemset(d_level, 0xff, n * sizeof(int)));
    int one = 1, zero = 0;
    CHECK(cudaMemcpy(d_frontier, &one, sizeof one, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_level, &zero, sizeof zero, cudaMemcpyHostToDevice));

    int depth = 0, reached = 1;
    for (; reached; depth++) {
        CHECK(cudaMemset(d_reached, 0, sizeof(int)));
        expand<<<grid, block>>>(d_rows, d_columns, d_frontier, d_level, d_next, n, depth);
        advance<<<grid, block>>>(d_frontier, d_next, d_reached, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&reached, d_reached, sizeof reached, cudaMemcpyDeviceToHost));
        if (depth < 3)
            printf("depth %d: %d reached\n", depth + 1, reached);
    }
    std::vector<int> level(n);
    CHECK(cudaMemcpy(level.data(), d_level, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("levels: %d\n", depth);
    show("level", level);
    return verdict(level == on_cpu(rows, columns, n));
}
