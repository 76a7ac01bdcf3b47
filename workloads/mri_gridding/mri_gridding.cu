/* Gridding of non-Cartesian MRI samples: each point of a grid sums the samples within a cutoff, weighted by a window.
 * Samples are put into cells of the grid first, and rearranged by cell. */
struct sample {
    float real, imag, kx, ky, kz, sdc; /* sdc: compensates for the density of sampling */
};

/* The cell of each sample, and how many samples a cell has. */
KERNEL mri_binning(const sample *samples, unsigned *keys, unsigned *counts, unsigned n, unsigned nx, unsigned ny)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = (unsigned)samples[i].kx, y = (unsigned)samples[i].ky, z = (unsigned)samples[i].kz;
    unsigned key = (z * ny + y) * nx + x;
    keys[i] = key;
    atomicAdd(&counts[key], 1u);
}

/* Exclusive prefix sums, in place, of 1024 items per block of 512 threads, and the blocks' totals. */
enum { SCAN_THREADS = 512, SCAN_ITEMS = 2 * SCAN_THREADS };

KERNEL mri_scan(unsigned *items, unsigned *totals, unsigned n)
{
    __shared__ unsigned tree[SCAN_ITEMS];
    unsigned tid = threadIdx.x, first = blockIdx.x * SCAN_ITEMS + tid, second = first + SCAN_THREADS;
    tree[tid] = first < n ? items[first] : 0;
    tree[tid + SCAN_THREADS] = second < n ? items[second] : 0;
    unsigned stride = 1;
    for (unsigned pairs = SCAN_THREADS; pairs > 0; pairs /= 2, stride *= 2) {
        __syncthreads();
        if (tid < pairs)
            tree[stride * (2 * tid + 2) - 1] += tree[stride * (2 * tid + 1) - 1];
    }
    __syncthreads();
    if (tid == 0) {
        totals[blockIdx.x] = tree[SCAN_ITEMS - 1];
        tree[SCAN_ITEMS - 1] = 0;
    }
    for (unsigned pairs = 1; pairs <= SCAN_THREADS; pairs *= 2) {
        stride /= 2;
        __syncthreads();
        if (tid < pairs) {
            unsigned left = stride * (2 * tid + 1) - 1, right = stride * (2 * tid + 2) - 1, sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        }
    }
    __syncthreads();
    if (first < n)
        items[first] = tree[tid];
    if (second < n)
        items[second] = tree[tid + SCAN_THREADS];
}

KERNEL mri_scan_add(unsigned *items, const unsigned *totals, unsigned n)
{
    unsigned first = blockIdx.x * SCAN_ITEMS + threadIdx.x, second = first + SCAN_THREADS;
    unsigned before = totals[blockIdx.x];
    if (first < n)
        items[first] += before;
    if (second < n)
        items[second] += before;
}

/* Samples in the order of cells, as two arrays. */
KERNEL mri_reorder(const unsigned *order, const sample *samples, float2 *values, float4 *places, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    sample from = samples[order[i]];
    values[i] = make_float2(from.real, from.imag);
    places[i] = make_float4(from.kx, from.ky, from.kz, from.sdc);
}

/* Blocks of 8 x 4 x 2 threads, a thread per point of the grid. Cells of a row follow each other, and so do their
 * samples: for each row of cells within reach of the block, all go through shared memory, 64 at a time. */
enum { TILE_X = 8, TILE_Y = 4, TILE_Z = 2, TILE = TILE_X * TILE_Y * TILE_Z };

/* Like the series of a Kaiser-Bessel window in t = 1 - r^2 / cutoff^2, up to the fifth power; 1 at its top. */
SL_DEV float window(float t)
{
    float sum = 0.07f;
    sum = fmaf(sum, t, 0.16f);
    sum = fmaf(sum, t, 0.26f);
    sum = fmaf(sum, t, 0.28f);
    sum = fmaf(sum, t, 0.17f);
    return fmaf(sum, t, 0.06f);
}

KERNEL mri_gridding(const float2 *values, const float4 *places, const unsigned *starts, float2 *grid, float *density,
                    int nx, int ny, int nz, int reach, float cutoff2)
{
    __shared__ float real[TILE], imag[TILE], kx[TILE], ky[TILE], kz[TILE], sdc[TILE];
    int left = (int)blockIdx.x * TILE_X, top = (int)blockIdx.y * TILE_Y, front = (int)blockIdx.z * TILE_Z;
    int x = left + (int)threadIdx.x, y = top + (int)threadIdx.y, z = front + (int)threadIdx.z;
    unsigned tid = (threadIdx.z * TILE_Y + threadIdx.y) * TILE_X + threadIdx.x;
    int first_x = max(left - reach, 0), last_x = min(left + TILE_X - 1 + reach, nx - 1);
    float sum_real = 0, sum_imag = 0, sum_density = 0;
    for (int row_z = max(front - reach, 0); row_z <= min(front + TILE_Z - 1 + reach, nz - 1); row_z++)
        for (int row_y = max(top - reach, 0); row_y <= min(top + TILE_Y - 1 + reach, ny - 1); row_y++) {
            int row = (row_z * ny + row_y) * nx;
            unsigned end = starts[row + last_x + 1];
            for (unsigned from = starts[row + first_x]; from < end; from += TILE) {
                unsigned count = min(end - from, (unsigned)TILE);
                __syncthreads();
                if (tid < count) {
                    float2 value = values[from + tid];
                    float4 place = places[from + tid];
                    real[tid] = value.x;
                    imag[tid] = value.y;
                    kx[tid] = place.x;
                    ky[tid] = place.y;
                    kz[tid] = place.z;
                    sdc[tid] = place.w;
                }
                __syncthreads();
                for (unsigned i = 0; i < count; i++) {
                    float dx = (float)x - kx[i], dy = (float)y - ky[i], dz = (float)z - kz[i];
                    float r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 < cutoff2) {
                        float weight = window(1.0f - r2 / cutoff2) * sdc[i];
                        sum_real += weight * real[i];
                        sum_imag += weight * imag[i];
                        sum_density += weight;
                    }
                }
            }
        }
    int at = (z * ny + y) * nx + x;
    if (x < nx && y < ny && z < nz) {
        grid[at] = make_float2(sum_real, sum_imag);
        density[at] = sum_density;
    }
}
