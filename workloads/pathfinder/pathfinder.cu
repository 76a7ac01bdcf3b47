/* Up to 127 rows of the cheapest way through a grid. A block of 256 threads holds as many columns of a row in shared
 * memory; each row the columns at both ends that lack a neighbour grow by one, and what is left in the end is
 * written. */
enum { BLOCK = 256 };

KERNEL pathfinder(int steps, const int *wall, const int *from, int *to, int columns, int first_row)
{
    __shared__ int before[BLOCK], cost[BLOCK];
    int tx = threadIdx.x, inner = BLOCK - 2 * steps;
    int left = inner * (int)blockIdx.x - steps, x = left + tx;
    bool inside = 0 <= x && x < columns;
    if (inside)
        before[tx] = from[x];
    __syncthreads();

    int west = max(tx - 1, -left), east = min(tx + 1, columns - 1 - left);
    bool computed = false;
    for (int step = 1; step <= steps; step++) {
        computed = inside && step <= tx && tx < BLOCK - step;
        if (computed) {
            int cheapest = min(min(before[west], before[tx]), before[east]);
            cost[tx] = cheapest + wall[columns * (first_row + step - 1) + x];
        }
        __syncthreads();
        if (step == steps)
            break;
        if (computed)
            before[tx] = cost[tx];
        __syncthreads();
    }
    if (computed)
        to[x] = cost[tx];
}
