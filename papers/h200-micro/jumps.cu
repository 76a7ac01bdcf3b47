/* SPDX-License-Identifier: MIT */
/* Cold code: one warp jumps forward over code that it does not run, or runs all of it. Cycles of the first and the
 * second time. */
#include "check.h"

#define FILL8(n)                                                                                                       \
    x = x * a + b;                                                                                                     \
    y = y * b + x;                                                                                                     \
    x = x * b + a;                                                                                                     \
    y = y * a + x;                                                                                                     \
    x = x * a + b;                                                                                                     \
    y = y * b + x;                                                                                                     \
    x = x * b + a;                                                                                                     \
    y = y * a + x;
#define FILL64(n) FILL8(n) FILL8(n) FILL8(n) FILL8(n) FILL8(n) FILL8(n) FILL8(n) FILL8(n)

template <int WORDS>
__device__ __forceinline__ void piece(float &x, float &y, float a, float b, unsigned bits, int i, float *out)
{
    if (bits >> i & 1) {
#pragma unroll
        for (int k = 0; k < WORDS / 8; k++) {
            FILL8(0)
        }
        out[i] = x + y; /* keeps it a branch */
    }
    x += 1.0f;
}

template <int WORDS> __global__ void jumps(float *out, float a, float b, unsigned bits, unsigned *took)
{
    float x = threadIdx.x, y = a;
    for (int turn = 0; turn < 3; turn++) {
        unsigned from = clock();
#pragma unroll
        for (int i = 0; i < 32; i++)
            piece<WORDS>(x, y, a, b, bits, i, out);
        took[turn] = clock() - from;
    }
    if (x + y == 1.0f)
        out[0] = x;
}

int main()
{
    float *out;
    unsigned *took, host[3];
    CHECK(cudaMalloc(&out, 4096));
    CHECK(cudaMalloc(&took, 4096));
#define TRY(n)                                                                                                         \
    for (unsigned bits : {0u, 0xffffffffu}) {                                                                          \
        jumps<n><<<1, 32>>>(out, 0.5f, 0.25f, bits, took);                                                             \
        CHECK(cudaMemcpy(host, took, 12, cudaMemcpyDeviceToHost));                                                     \
        printf("32 pieces of %d instructions, %s: %u %u %u\n", n, bits ? "run" : "jumped over", host[0], host[1],      \
               host[2]);                                                                                               \
    }
    TRY(8) TRY(32) TRY(64) TRY(128) TRY(256) return 0;
}
