/* SPDX-License-Identifier: MIT */
/* How long one instruction of a warp waits for another: chains of dependent instructions, one warp unless it says
 * otherwise. Prints what it is and cycles per item, or per turn. */
#include "check.h"

enum { ITEMS = 64, TURNS = 16 };
#define REPEAT4(x)  x x x x
#define REPEAT64(x) REPEAT4(REPEAT4(REPEAT4(x)))

/* NAME, declarations and start, ITEM, what is kept */
#define CHAIN(name, start, item, keep)                                                                                 \
    __global__ void name(unsigned *out, unsigned zero)                                                                 \
    {                                                                                                                  \
        __shared__ unsigned shared[4096];                                                                              \
        for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)                                                      \
            shared[i] = zero;                                                                                          \
        unsigned at = (unsigned)__cvta_generic_to_shared(shared) + 4 * (threadIdx.x & 31);                             \
        (void)at;                                                                                                      \
        start;                                                                                                         \
        __syncthreads();                                                                                               \
        unsigned best = ~0u;                                                                                           \
        for (int turn = 0; turn < TURNS; turn++) {                                                                     \
            unsigned from = clock();                                                                                   \
            REPEAT64(item)                                                                                             \
            unsigned took = clock() - from;                                                                            \
            best = took < best ? took : best;                                                                          \
        }                                                                                                              \
        if (threadIdx.x == 0)                                                                                          \
            out[0] = best;                                                                                             \
        if ((keep) == 12345)                                                                                           \
            out[1] = 1;                                                                                                \
    }

#define U(text) asm volatile(text : "+r"(x) : "r"(zero), "r"(at));
#define F(text) asm volatile(text : "+f"(f) : "f"(g));
#define D(text) asm volatile(text : "+d"(d) : "d"(e));
#define L(text) asm volatile(text : "+l"(l) : "l"(m));
#define INT     unsigned x = zero + threadIdx.x
#define FLT     float f = 1.0f + zero, g = 0.5f + zero
#define DBL     double d = 1.0 + zero, e = 0.5 + zero
#define LNG     unsigned long long l = 1000 + zero, m = 3 + zero

CHAIN(add_s32, INT, U("add.s32 %0, %0, %1;"), x)
CHAIN(mad_s32, INT, U("mad.lo.s32 %0, %0, %1, %0;"), x)
CHAIN(shl_b32, INT, U("shl.b32 %0, %0, %1;"), x)
CHAIN(min_s32, INT, U("min.s32 %0, %0, %1;"), x)
CHAIN(popc, INT, U("popc.b32 %0, %0;"), x)
CHAIN(setp_selp, INT, U("{.reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %1, %0, p;}"), x)
CHAIN(div_s32, INT, U("div.s32 %0, %0, %2;"), x)
CHAIN(rem_u32, INT, U("rem.u32 %0, %0, %2;"), x)
CHAIN(fma_f32, FLT, F("fma.rn.f32 %0, %0, %1, %1;"), f)
CHAIN(add_f32, FLT, F("add.f32 %0, %0, %1;"), f)
CHAIN(min_f32, FLT, F("min.f32 %0, %0, %1;"), f)
CHAIN(ex2_f32, FLT, F("ex2.approx.ftz.f32 %0, %0;"), f)
CHAIN(sqrt_f32, FLT, F("sqrt.approx.ftz.f32 %0, %0;"), f)
CHAIN(sin_f32, FLT, F("sin.approx.ftz.f32 %0, %0;"), f)
CHAIN(div_f32, FLT, F("div.rn.f32 %0, %0, %1;"), f)
CHAIN(sqrt_rn_f32, FLT, F("sqrt.rn.f32 %0, %0;"), f)
CHAIN(rcp_rn_f32, FLT, F("rcp.rn.f32 %0, %0;"), f)
CHAIN(fma_f64, DBL, D("fma.rn.f64 %0, %0, %1, %1;"), d)
CHAIN(add_f64, DBL, D("add.f64 %0, %0, %1;"), d)
CHAIN(div_f64, DBL, D("div.rn.f64 %0, %0, %1;"), d)
CHAIN(sqrt_f64, DBL, D("sqrt.rn.f64 %0, %0;"), d)
CHAIN(add_s64, LNG, L("add.s64 %0, %0, %1;"), l)
CHAIN(mul_s64, LNG, L("mul.lo.s64 %0, %0, %1;"), l)
CHAIN(div_s64, LNG, L("div.s64 %0, %0, %1;"), l)
CHAIN(i2f_f2i, INT, U("{.reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t;}"), x)
CHAIN(f2d_d2f, FLT, F("{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}"), f)
CHAIN(shfl, INT, U("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;"), x)
CHAIN(ballot, INT, U("{.reg .pred p; setp.ne.u32 p, %0, 7; vote.sync.ballot.b32 %0, p, 0xffffffff;}"), x)
CHAIN(redux, INT, U("redux.sync.add.s32 %0, %0, 0xffffffff;"), x)
CHAIN(bar_sync, INT, asm volatile("bar.sync 0;" ::: "memory");, x)
CHAIN(warp_sync, INT, asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");, x)
CHAIN(membar_cta, INT, asm volatile("membar.cta;" ::: "memory");, x)
CHAIN(membar_gl, INT, asm volatile("membar.gl;" ::: "memory");, x)
CHAIN(lds, unsigned x = at,
      asm volatile("{.reg .u32 t; ld.shared.u32 t, [%0]; add.u32 %0, t, %1;}"
                   : "+r"(x)
                   : "r"(at)
                   : "memory");
      , x)
/* of constant memory, at an index that the lanes may differ in, and at one that they share */
__constant__ unsigned zeros[64];
CHAIN(ldc, INT, x = zeros[x & 63];, x)
CHAIN(ldc_uniform, unsigned x = zero, x = zeros[x & 63];, x)
CHAIN(sts_bar_lds, INT,
      asm volatile("st.shared.u32 [%1], %0; bar.sync 0; ld.shared.u32 %0, [%1];"
                   : "+r"(x)
                   : "r"(at)
                   : "memory");
      , x)
CHAIN(atom_shared, INT, asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x) : "r"(at) : "memory");, x)
CHAIN(atom_shared_one, INT,
      asm volatile("atom.shared.add.u32 %0, [%1], %0;"
                   : "+r"(x)
                   : "r"(at & ~127u)
                   : "memory");
      , x)
CHAIN(atom_shared_f32, FLT, asm volatile("atom.shared.add.f32 %0, [%1], %0;" : "+f"(f) : "r"(at) : "memory");, f)
/* dependent loads of constant memory at so many addresses of a warp */
__global__ void ldc_distinct(unsigned *out, unsigned distinct)
{
    unsigned x = 0, base = threadIdx.x % distinct, best = ~0u;
    for (int turn = 0; turn < TURNS; turn++) {
        unsigned from = clock();
        REPEAT64(x = zeros[(x + base) & 63];)
        unsigned took = clock() - from;
        best = took < best ? took : best;
    }
    if (threadIdx.x == 0)
        out[0] = best;
    if (x == 12345)
        out[1] = 1;
}

/* a loop that ptxas does not unroll, of N dependent instructions */
template <int N> __global__ void loop(unsigned *out, unsigned zero, unsigned times)
{
    unsigned x = threadIdx.x, best = ~0u;
    for (int turn = 0; turn < 4; turn++) {
        unsigned from = clock();
#pragma unroll 1
        for (unsigned i = 0; i < times; i++) {
#pragma unroll
            for (int k = 0; k < N; k++)
                asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(zero));
        }
        unsigned took = clock() - from;
        best = took < best ? took : best;
    }
    if (threadIdx.x == 0)
        out[0] = best;
    if (x == 12345)
        out[1] = 1;
}

/* each lane leaves it at another time */
__global__ void leave(unsigned *out, unsigned zero, unsigned times)
{
    unsigned x = threadIdx.x;
    unsigned from = clock();
#pragma unroll 1
    for (unsigned i = 0; i < times * (threadIdx.x + 1); i++)
        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(zero));
    __syncwarp();
    unsigned took = clock() - from;
    if (threadIdx.x == 31)
        out[0] = took;
    if (x == 12345)
        out[1] = 1;
}

__global__ void mma(unsigned *out, unsigned zero)
{
    unsigned a[4] = {zero, zero, zero, zero}, b[2] = {zero, zero}, best = ~0u;
    float c[4] = {0, 0, 0, 0};
    for (int turn = 0; turn < 8; turn++) {
        unsigned from = clock();
        REPEAT64(
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
        unsigned took = clock() - from;
        best = took < best ? took : best;
    }
    if (threadIdx.x == 0)
        out[0] = best;
    if (c[0] == 1)
        out[1] = 1;
}

static unsigned *out;
static unsigned read_out()
{
    unsigned value;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
    return value;
}

#define SHOW(name, warps)                                                                                              \
    (name<<<1, 32 * (warps)>>>(out, 0), printf(#name ",%d,%.2f\n", warps, read_out() / (double)ITEMS))

int main()
{
    CHECK(cudaMalloc(&out, 4096));
    printf("chain,warps,cycles\n");
    SHOW(add_s32, 1);
    SHOW(mad_s32, 1);
    SHOW(shl_b32, 1);
    SHOW(min_s32, 1);
    SHOW(popc, 1);
    SHOW(setp_selp, 1);
    SHOW(div_s32, 1);
    SHOW(rem_u32, 1);
    SHOW(fma_f32, 1);
    SHOW(add_f32, 1);
    SHOW(min_f32, 1);
    SHOW(ex2_f32, 1);
    SHOW(sqrt_f32, 1);
    SHOW(sin_f32, 1);
    SHOW(div_f32, 1);
    SHOW(sqrt_rn_f32, 1);
    SHOW(rcp_rn_f32, 1);
    SHOW(fma_f64, 1);
    SHOW(add_f64, 1);
    SHOW(div_f64, 1);
    SHOW(sqrt_f64, 1);
    SHOW(add_s64, 1);
    SHOW(mul_s64, 1);
    SHOW(div_s64, 1);
    SHOW(i2f_f2i, 1);
    SHOW(f2d_d2f, 1);
    SHOW(shfl, 1);
    SHOW(ballot, 1);
    SHOW(redux, 1);
    SHOW(warp_sync, 1);
    SHOW(membar_cta, 1);
    SHOW(membar_gl, 1);
    SHOW(ldc, 1);
    SHOW(ldc_uniform, 1);
    for (unsigned warps = 1; warps <= 16; warps *= 16)
        for (unsigned distinct = 1; distinct <= 32; distinct *= 2) {
            ldc_distinct<<<1, 32 * warps>>>(out, distinct);
            printf("ldc of %u addresses,%u,%.2f\n", distinct, warps, read_out() / (double)ITEMS);
        }
    SHOW(lds, 1);
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        SHOW(bar_sync, warps);
        SHOW(sts_bar_lds, warps);
        SHOW(div_s32, warps);
        SHOW(div_f32, warps);
        SHOW(fma_f64, warps);
        SHOW(ex2_f32, warps);
        SHOW(popc, warps);
        SHOW(i2f_f2i, warps);
        SHOW(shfl, warps);
        SHOW(mul_s64, warps);
        SHOW(mad_s32, warps);
        SHOW(atom_shared, warps);
        SHOW(atom_shared_one, warps);
        SHOW(atom_shared_f32, warps);
        SHOW(mma, warps);
        SHOW(f2d_d2f, warps);
        SHOW(redux, warps);
        SHOW(ballot, warps);
        SHOW(min_s32, warps);
        SHOW(setp_selp, warps);
    }
    for (int warps : {1, 4, 8, 16}) {
#define LOOP(n)                                                                                                        \
    (loop<n><<<1, 32 * warps>>>(out, 0, 1000), printf("loop of %d,%d,%.2f\n", n, warps, read_out() / 1000.0))
        LOOP(1);
        LOOP(2);
        LOOP(4);
        LOOP(8);
        LOOP(16);
        LOOP(32);
        leave<<<1, 32 * warps>>>(out, 0, 16), printf("leave,%d,%.2f\n", warps, read_out() / 512.0);
        leave<<<1, 32 * warps>>>(out, 0, 1), printf("leave at once,%d,%.2f\n", warps, read_out() / 32.0);
    }
    return 0;
}
