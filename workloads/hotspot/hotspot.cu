/* Up to 7 time steps of the temperature of a chip. A block of 16 x 16 threads holds as many cells in shared memory;
 * each step the ring of cells that lack a neighbour grows by one, and what is left after the last step is written. */
enum { BLOCK = 16 };

KERNEL hotspot(int steps, const float *power, const float *from, float *to, int columns, int rows, float gain,
               float per_rx, float per_ry, float per_rz)
{
    __shared__ float heat[BLOCK][BLOCK], watts[BLOCK][BLOCK], next[BLOCK][BLOCK];
    const float ambient = 80.0f;
    int tx = threadIdx.x, ty = threadIdx.y, inner = BLOCK - 2 * steps;
    int left = inner * (int)blockIdx.x - steps, top = inner * (int)blockIdx.y - steps;
    int x = left + tx, y = top + ty, cell = columns * y + x;
    bool on_chip = 0 <= x && x < columns && 0 <= y && y < rows;
    if (on_chip) {
        heat[ty][tx] = from[cell];
        watts[ty][tx] = power[cell];
    }
    __syncthreads();

    /* Beyond the edge of the chip it is as warm as on it. */
    int north = max(ty - 1, -top), south = min(ty + 1, rows - 1 - top);
    int west = max(tx - 1, -left), east = min(tx + 1, columns - 1 - left);
    bool computed = false;
    for (int ring = 1; ring <= steps; ring++) {
        computed = on_chip && ring <= tx && tx < BLOCK - ring && ring <= ty && ty < BLOCK - ring;
        if (computed) {
            float here = heat[ty][tx];
            next[ty][tx] = here + gain * (watts[ty][tx] + (heat[south][tx] + heat[north][tx] - 2.0f * here) * per_ry +
                                          (heat[ty][east] + heat[ty][west] - 2.0f * here) * per_rx +
                                          (ambient - here) * per_rz);
        }
        __syncthreads();
        if (ring == steps)
            break;
        if (computed)
            heat[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed)
        to[cell] = next[ty][tx];
}
