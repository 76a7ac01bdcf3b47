/* Electrostatic potential of point charges on a lattice, with a cutoff: each lattice point sums charge / r * (1 - r^2 /
 * cutoff^2)^2 over the atoms within the cutoff. Atoms are in bins of 8, a bin per cube as large as 8 x 8 x 8 points.
 * A block of 8 x 2 x 8 threads makes the points of one cube, four each, and goes through the bins around it, 32 at a
 * time in shared memory: a warp copies a bin, which is a line of 128 bytes. */
enum { POINTS = 8, BIN_ATOMS = 8, BIN_WORDS = 4 * BIN_ATOMS, CACHED_BINS = 32, THREADS = 128, MOST_NEIGHBOURS = 2048 };

__constant__ int neighbour_count;
__constant__ int neighbours[MOST_NEIGHBOURS]; /* where they lie from the own bin on */

SL_DEV float contribution(float charge, float r2, float cutoff2, float inverse_cutoff2)
{
    float s = 1.0f - r2 * inverse_cutoff2;
    return r2 < cutoff2 ? charge * rsqrtf(r2) * s * s : 0.0f;
}

/* Copies up to 32 bins, the neighbours from `from` on, into the cache. */
SL_DEV void load_bins(float *cache, const float *bins, int own, int from, int count, int thread)
{
    for (int b = thread / warpSize; b < count; b += THREADS / warpSize)
        cache[b * BIN_WORDS + thread % warpSize] = bins[(own + neighbours[from + b]) * BIN_WORDS + thread % warpSize];
}

/* bins: four floats per atom, x y z charge; a charge of 0 ends a bin. `own`: of the block's bins, that at block (0, 0);
 * energy: by cubes of 8 x 8 x 8 points. */
KERNEL cutcp(const float *bins, float *energy, int bins_x, int own, int cube, int z_cube, float spacing, float cutoff2,
             float inverse_cutoff2)
{
    __shared__ float cache[CACHED_BINS * BIN_WORDS];
    int thread = (int)((threadIdx.z * 2 + threadIdx.y) * POINTS + threadIdx.x);
    own += (int)blockIdx.y * bins_x + (int)blockIdx.x;
    cube += (int)(blockIdx.y * gridDim.x + blockIdx.x);
    float x = spacing * (float)(blockIdx.x * POINTS + threadIdx.x);
    float y = spacing * (float)(blockIdx.y * POINTS + threadIdx.y);
    float z = spacing * (float)(z_cube * POINTS + (int)threadIdx.z);
    float sum[4] = {};
    for (int done = 0; done < neighbour_count; done += CACHED_BINS) {
        int count = min(CACHED_BINS, neighbour_count - done);
        __syncthreads();
        load_bins(cache, bins, own, done, count, thread);
        __syncthreads();
        for (int b = 0; b < count; b++)
            for (int i = 0; i < BIN_ATOMS; i++) {
                const float *atom = cache + b * BIN_WORDS + 4 * i;
                float charge = atom[3];
                if (charge == 0.0f)
                    break;
                float dx = x - atom[0], dz = z - atom[2], dy = y - atom[1], dxz2 = dx * dx + dz * dz;
#pragma unroll
                for (int p = 0; p < 4; p++) {
                    float dyp = dy + 2.0f * (float)p * spacing;
                    sum[p] += contribution(charge, dyp * dyp + dxz2, cutoff2, inverse_cutoff2);
                }
            }
    }
    energy += cube * (POINTS * POINTS * POINTS) + (int)((threadIdx.z * POINTS + threadIdx.y) * POINTS + threadIdx.x);
#pragma unroll
    for (int p = 0; p < 4; p++)
        energy[2 * p * POINTS] = sum[p];
}
