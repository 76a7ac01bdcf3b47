/* Streams that use parts of lines: each warp reads, writes or copies the first 1, 2 or 4 sectors of as many lines as it
 * needs, 0.25 to 16 MB in all; transposes through tiles in shared memory, with one sector, two or a whole line in a row
 * of a tile; and copies of whole lines by blocks of 64 to 1024 threads with 1 to 8 words for each. ./measure runs it under ncu, which empties the caches before each launch; this program prints what each
 * launch is, in the same order. */
#include "check.h"

enum { SECTOR_WORDS = 8, LINE_WORDS = 32 };

/* Where the i-th word is, if only the first `sectors` of each line are used. */
__device__ size_t place(size_t i, int sectors)
{
    size_t used = (size_t)sectors * SECTOR_WORDS;
    return i / used * LINE_WORDS + i % used;
}

__global__ void read_part(const float *in, float *out, int sectors)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (in[place(i, sectors)] == 1.0f)
        out[0] = 1.0f;
}

__global__ void write_part(float *out, int sectors)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    out[place(i, sectors)] = 1.0f;
}

__global__ void copy_part(const float *in, float *out, int sectors)
{
    size_t i = place(blockIdx.x * (size_t)blockDim.x + threadIdx.x, sectors);
    out[i] = in[i];
}

/* A block copies `WORDS` times its threads, one row of words after the other. */
template <int WORDS> __global__ void copy_rows(const float *in, float *out)
{
    size_t i = blockIdx.x * (size_t)blockDim.x * WORDS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        out[i + k * blockDim.x] = in[i + k * blockDim.x];
}

template <int WORDS> static void copies(const float *in, float *out)
{
    for (int kb : {1024, 4096, 16384})
        for (int threads : {64, 128, 256, 512, 1024}) {
            printf("rows %d KB threads %d words %d\n", kb, threads, WORDS);
            copy_rows<WORDS><<<kb * 256 / threads / WORDS, threads>>>(in, out);
        }
}

template <int TILE> __global__ void transpose(const float *in, float *out, int side)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[(size_t)y * side + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    out[(size_t)y * side + x] = tile[threadIdx.x][threadIdx.y];
}

template <int TILE> static void transposes(const float *in, float *out)
{
    for (int side : {256, 512, 1024, 2048}) {
        printf("transpose tile %d side %d\n", TILE, side);
        transpose<TILE><<<dim3(side / TILE, side / TILE), dim3(TILE, TILE)>>>(in, out, side);
    }
}

int main()
{
    float *in, *out;
    CHECK(cudaMalloc(&in, 64 << 20));
    CHECK(cudaMalloc(&out, 64 << 20));
    CHECK(cudaMemset(in, 0, 64 << 20));
    for (int kb : {256, 512, 1024, 2048, 4096, 16384})
        for (int sectors : {1, 2, 4}) {
            int blocks = kb * 1024 / 4 / 256;
            printf("read %d KB sectors %d\n", kb, sectors);
            read_part<<<blocks, 256>>>(in, out, sectors);
            printf("write %d KB sectors %d\n", kb, sectors);
            write_part<<<blocks, 256>>>(out, sectors);
            printf("copy %d KB sectors %d\n", kb, sectors);
            copy_part<<<blocks, 256>>>(in, out, sectors);
        }
    transposes<8>(in, out);
    transposes<16>(in, out);
    transposes<32>(in, out);
    copies<1>(in, out);
    copies<2>(in, out);
    copies<4>(in, out);
    copies<8>(in, out);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
