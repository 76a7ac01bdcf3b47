/* What stores do to L1, and what it evicts. One warp; each lane has lines of its own. ./measure runs it under ncu, and
 * results.csv shows how many sectors each launch missed: 1024 is one miss for each sector. */
#include <cstdio>

static __device__ __forceinline__ unsigned load(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}

static __device__ __forceinline__ void store(unsigned *p, unsigned v)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v));
}

/* Operations on words of one sector. `v & 0` makes one wait for the other. */
template <int CASE> __global__ void sector(unsigned *a, int rounds, unsigned *out)
{
    unsigned sum = 0, v, lane = threadIdx.x;
    for (int i = 0; i < rounds; i++) {
        unsigned *p = a + (i * 32 + lane) * 32;
        switch (CASE) {
        case 0: /* load a word, load another */
            sum += v = load(p);
            __syncwarp();
            sum += v = load(p + 1 + (v & 0));
            break;
        case 1: /* load, store, load another */
            sum += v = load(p);
            store(p + (v & 0), sum);
            __syncwarp();
            sum += v = load(p + 1);
            break;
        case 2: /* store, load the same: the compiler keeps the value */
            store(p, lane);
            sum += v = load(p);
            break;
        case 3: /* store, load another */
            store(p, lane);
            sum += v = load(p + 1);
            break;
        case 4: /* store, load another, load the first */
            store(p, lane);
            sum += v = load(p + 1);
            sum += v = load(p + (v & 0));
            break;
        case 5: /* store, load another, load a third */
            store(p, lane);
            sum += v = load(p + 1);
            sum += v = load(p + 2 + (v & 0));
            break;
        case 6: /* load, store, load the same */
            sum += v = load(p);
            store(p + (v & 0), sum);
            sum += v = load(p);
            break;
        case 7: /* load, store and load again while it is in flight */
            v = load(p);
            store(p + 1, lane);
            sum += v + load(p + 2);
            break;
        case 8: /* load, store while it is in flight, load when it is there */
            v = load(p);
            store(p + 1, lane);
            sum += v;
            sum += load(p + 2 + (v & 0));
            break;
        case 9: /* load, store to another sector of the line, load of both */
            sum += v = load(p);
            store(p + 8 + (v & 0), sum);
            __syncwarp();
            sum += v = load(p + 1);
            sum += v = load(p + 9 + (v & 0));
            break;
        case 10: /* store all eight words, load one */
            for (int j = 0; j < 8; j++)
                store(p + j, lane);
            sum += v = load(p + 3);
            break;
        case 11: /* load and store word by word */
            for (int j = 0; j < 8; j++) {
                sum += v = load(p + j);
                store(p + j, sum);
            }
            break;
        case 12: /* load, then store a word and load the next */
            sum += v = load(p);
            for (int j = 0; j < 8; j++) {
                store(p + j + (v & 0), sum);
                sum += v = load(p + ((j + 1) & 7));
            }
            break;
        }
    }
    out[threadIdx.x] = sum;
}

/* The same lines again and again, with new ones loaded or stored in between. */
__global__ void mix(unsigned *again, int again_lines, unsigned *fresh, int fresh_lines, int rounds, int stores,
                    unsigned *out)
{
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < again_lines; i++)
            sum += load(again + i * 32 + threadIdx.x);
        for (int i = 0; i < fresh_lines; i++) {
            unsigned *p = fresh + (round * fresh_lines + i) * 32 + threadIdx.x;
            if (stores)
                store(p, sum);
            else
                sum += load(p);
        }
    }
    out[threadIdx.x] = sum;
}

int main()
{
    unsigned *a, *out;
    cudaMalloc(&a, 256 << 20);
    cudaMemset(a, 0, 256 << 20);
    cudaMalloc(&out, 4096);
    unsigned *fresh = a + (32 << 20);
    sector<0><<<1, 32>>>(a, 32, out), sector<1><<<1, 32>>>(a, 32, out), sector<2><<<1, 32>>>(a, 32, out);
    sector<3><<<1, 32>>>(a, 32, out), sector<4><<<1, 32>>>(a, 32, out), sector<5><<<1, 32>>>(a, 32, out);
    sector<6><<<1, 32>>>(a, 32, out), sector<7><<<1, 32>>>(a, 32, out), sector<8><<<1, 32>>>(a, 32, out);
    sector<9><<<1, 32>>>(a, 32, out), sector<10><<<1, 32>>>(a, 32, out), sector<11><<<1, 32>>>(a, 32, out);
    sector<12><<<1, 32>>>(a, 32, out);
    for (int stores = 0; stores < 2; stores++)
        for (int lines : {256, 768, 1024, 1280, 1536})
            mix<<<1, 32>>>(a, lines, fresh, 32, 64, stores, out);
    for (int stores = 0; stores < 2; stores++)
        mix<<<1, 32>>>(a, 768, fresh, 512, 16, stores, out);
    for (int lines : {1600, 1664, 1728, 1792, 1856, 1920, 1984, 2048, 2304})
        mix<<<1, 32>>>(a, lines, fresh, 0, 8, 0, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
