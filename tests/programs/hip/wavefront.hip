/* SPDX-License-Identifier: MIT */
/* A HIP program: instructions of a whole wavefront, in blocks of two and a half of them. Prints the lanes of a
 * wavefront, and what is wrong. */
#include <cstdio>
#include <hip/hip_runtime.h>

enum { N = 160 };

struct results {
    unsigned lane, count_odd, part, rank;
    unsigned long long odd, active_below;
    int sum, from_third, up, partner, any, all;
    double wide;
};

__global__ void wavefront(results *out)
{
    int i = threadIdx.x;
    results *r = &out[i];
    r->lane = __lane_id();
    int sum = i;
    for (int offset = warpSize / 2; offset; offset /= 2)
        sum += __shfl_down(sum, offset);
    r->sum = __shfl(sum, 0);
    r->from_third = __shfl(i, 3, 16);
    r->up = __shfl_up(i, 5);
    r->partner = __shfl_xor(i, warpSize / 2);
    r->wide = __shfl(i * 0.5, warpSize - 1);
    r->odd = __ballot(i % 2);
    r->count_odd = __popcll(r->odd);
    r->rank = __mbcnt_hi((unsigned)(r->odd >> 32), __mbcnt_lo((unsigned)r->odd, 0));
    r->any = __any(i == 1);
    r->all = __all(i < 100);
    r->active_below = 0;
    if (r->lane % 3 == 1)
        r->active_below = __popcll(__ballot(1) & __lanemask_lt());
    r->part = __bitextract_u32(0x12345678, 8, 12);
}

#define EXPECT(field, wanted)                                                                                          \
    if (r->field != (wanted)) {                                                                                        \
        printf("thread %d: " #field "\n", i);                                                                          \
        return 1;                                                                                                      \
    }

int main()
{
    results *out;
    hipDeviceProp_t p;
    if (hipMallocManaged(&out, N * sizeof *out) != hipSuccess || hipGetDeviceProperties(&p, 0) != hipSuccess)
        return 1;
    wavefront<<<1, N>>>(out);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    const int lanes = p.warpSize;
    printf("%d\n", lanes);
    for (int i = 0; i < N; i++) {
        const results *r = &out[i];
        int first = i / lanes * lanes, lane = i % lanes, last = first + lanes <= N ? first + lanes : N;
        unsigned long long odd = 0;
        for (int j = first; j < last; j++)
            odd |= (unsigned long long)(j % 2) << (j - first);
        EXPECT(lane, (unsigned)lane)
        EXPECT(odd, odd)
        EXPECT(count_odd, (unsigned)(last - first) / 2)
        EXPECT(rank, (unsigned)lane / 2)
        EXPECT(any, first == 0)
        EXPECT(all, last <= 100)
        EXPECT(from_third, i / 16 * 16 + 3)
        EXPECT(up, lane < 5 ? i : i - 5)
        EXPECT(active_below, (unsigned long long)(lane % 3 == 1 ? lane / 3 : 0))
        EXPECT(part, 0x456u)
        if (last - first == lanes) { /* all lanes take part */
            EXPECT(sum, (first + last - 1) * lanes / 2)
            EXPECT(partner, first + (lane ^ lanes / 2))
            EXPECT(wide, 0.5 * (last - 1))
        }
    }
    return 0;
}
