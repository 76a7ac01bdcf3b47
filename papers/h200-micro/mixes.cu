/* SPDX-License-Identifier: MIT */
/* How many instructions an SM issues per cycle: independent chains of one instruction, and mixes of two. One block; each warp has 8
 * accumulators; 4 warps are one per scheduler. Prints CSV: cycles per instruction of a scheduler. `cuobjdump -sass` of the program shows
 * the registers and control codes that ptxas chose. */
#include "check.h"

enum { CHAINS = 8, GROUPS = 8, TURNS = 4, LOOPS = 16 };

#define I(text, i) asm volatile(text : "+r"(x[i]) : "r"(y[i]), "r"(y[(i + 3) % CHAINS]));
#define F(text, i) asm volatile(text : "+f"(f[i]) : "f"(g[i]), "f"(g[(i + 3) % CHAINS]));
#define D(text, i) asm volatile(text : "+d"(d[i]) : "d"(e[i]), "d"(e[(i + 3) % CHAINS]));
#define L(text, i) asm volatile(text : "+l"(l[i]) : "l"(m[i]), "l"(m[(i + 3) % CHAINS]));
#define S(text, i) asm volatile(text : "+r"(x[i]) : "r"(at));

#define ONES(X)                                                                                                        \
    X(ffma_3_registers, F("fma.rn.f32 %0, %0, %1, %2;", i))                                                            \
    X(ffma_2_registers, F("fma.rn.f32 %0, %0, %1, %1;", i))                                                            \
    X(ffma_1_register, F("fma.rn.f32 %0, %0, %0, %0;", i))                                                             \
    X(ffma_shared_factor, asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(f[i]) : "f"(g[0]), "f"(g[i])))              \
    X(ffma_immediate, F("fma.rn.f32 %0, %0, 0f3f000000, %1;", i))                                                      \
    X(fmul, F("mul.rn.f32 %0, %0, %1;", i))                                                                            \
    X(fadd, F("add.rn.f32 %0, %0, %1;", i))                                                                            \
    X(fmnmx, F("min.f32 %0, %0, %1;", i))                                                                              \
    X(fsetp_sel, F("{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %2, %0, p;}", i))                               \
    X(hfma2, I("fma.rn.f16x2 %0, %0, %1, %2;", i))                                                                     \
    X(dfma, D("fma.rn.f64 %0, %0, %1, %2;", i))                                                                        \
    X(dadd, D("add.rn.f64 %0, %0, %1;", i))                                                                            \
    X(iadd, I("add.s32 %0, %0, %1;", i))                                                                               \
    X(iadd3, I("{.reg .s32 t; add.s32 t, %0, %1; add.s32 %0, t, %2;}", i))                                             \
    X(imad, I("mad.lo.s32 %0, %0, %1, %2;", i))                                                                        \
    X(imad_hi, I("mul.hi.u32 %0, %0, %1;", i))                                                                         \
    X(imad_wide, asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(l[i]) : "r"(y[i]), "r"(y[(i + 3) % 8])))           \
    X(add_s64, L("add.s64 %0, %0, %1;", i))                                                                            \
    X(lop3, I("lop3.b32 %0, %0, %1, %2, 0x96;", i))                                                                    \
    X(shl, I("shl.b32 %0, %0, %1;", i))                                                                                \
    X(shf, I("shf.l.wrap.b32 %0, %0, %1, %2;", i))                                                                     \
    X(prmt, I("prmt.b32 %0, %0, %1, %2;", i))                                                                          \
    X(imnmx, I("min.s32 %0, %0, %1;", i))                                                                              \
    X(isetp_sel, I("{.reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %2, %0, p;}", i))                               \
    X(mov, I("{.reg .u32 t; mov.u32 t, %1; xor.b32 %0, t, %0;}", i))                                                   \
    X(popc, I("popc.b32 %0, %0;", i))                                                                                  \
    X(brev, I("brev.b32 %0, %0;", i))                                                                                  \
    X(bfind, I("bfind.u32 %0, %0;", i))                                                                                \
    X(i2f, I("{.reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t;}", i))                                                \
    X(f2i, F("{.reg .s32 t; cvt.rzi.s32.f32 t, %0; mov.b32 %0, t;}", i))                                               \
    X(f2h, F("{.reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t;}", i))                                            \
    X(mufu_ex2, F("ex2.approx.ftz.f32 %0, %0;", i))                                                                    \
    X(mufu_rsq, F("rsqrt.approx.ftz.f32 %0, %0;", i))                                                                  \
    X(shfl, I("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;", i))                                                   \
    X(vote, I("{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}", i))                    \
    X(redux, I("redux.sync.add.s32 %0, %0, 0xffffffff;", i))                                                           \
    X(lds, S("{.reg .u32 t; ld.volatile.shared.u32 t, [%1]; xor.b32 %0, %0, t;}", i))                                           \
    X(lds_128, S("{.reg .u32 t, u, v, w; ld.volatile.shared.v4.u32 {t, u, v, w}, [%1]; xor.b32 %0, %0, t;}", i))                \
    X(sts, S("st.volatile.shared.u32 [%1], %0;", i))                                                                            \
    X(dp4a, I("dp4a.s32.s32 %0, %1, %2, %0;", i))

#define PAIRS(X)                                                                                                       \
    X(ffma, iadd, F("fma.rn.f32 %0, %0, %1, %2;", i), I("add.s32 %0, %0, %1;", i))                                     \
    X(ffma, lop3, F("fma.rn.f32 %0, %0, %1, %2;", i), I("lop3.b32 %0, %0, %1, %2, 0x96;", i))                          \
    X(ffma, imad, F("fma.rn.f32 %0, %0, %1, %2;", i), I("mad.lo.s32 %0, %0, %1, %2;", i))                              \
    X(ffma, fadd, F("fma.rn.f32 %0, %0, %1, %2;", i), asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(g2[i]) : "f"(g[i]))) \
    X(ffma, fmnmx, F("fma.rn.f32 %0, %0, %1, %2;", i), asm volatile("min.f32 %0, %0, %1;" : "+f"(g2[i]) : "f"(g[i])))  \
    X(ffma, mufu, F("fma.rn.f32 %0, %0, %1, %2;", i), asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(g2[i])))        \
    X(ffma, lds, F("fma.rn.f32 %0, %0, %1, %2;", i), S("{.reg .u32 t; ld.volatile.shared.u32 t, [%1]; xor.b32 %0, %0, t;}", i)) \
    X(ffma, hfma2, F("fma.rn.f32 %0, %0, %1, %2;", i), I("fma.rn.f16x2 %0, %0, %1, %2;", i))                           \
    X(ffma, dfma, F("fma.rn.f32 %0, %0, %1, %2;", i), D("fma.rn.f64 %0, %0, %1, %2;", i))                              \
    X(imad, iadd, I("mad.lo.s32 %0, %0, %1, %2;", i), asm volatile("add.s32 %0, %0, %1;" : "+r"(y2[i]) : "r"(y[i])))   \
    X(imad, lop3, I("mad.lo.s32 %0, %0, %1, %2;", i), asm volatile("lop3.b32 %0, %0, %1, %1, 0x1e;" : "+r"(y2[i]) : "r"(y[i]))) \
    X(iadd, lop3, I("add.s32 %0, %0, %1;", i), asm volatile("lop3.b32 %0, %0, %1, %1, 0x1e;" : "+r"(y2[i]) : "r"(y[i]))) \
    X(iadd, shf, I("add.s32 %0, %0, %1;", i), asm volatile("shf.l.wrap.b32 %0, %0, %1, %1;" : "+r"(y2[i]) : "r"(y[i]))) \
    X(iadd, popc, I("add.s32 %0, %0, %1;", i), asm volatile("popc.b32 %0, %0;" : "+r"(y2[i])))                         \
    X(iadd, mufu, I("add.s32 %0, %0, %1;", i), asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(g2[i])))


#define BODY(name, what)                                                                                               \
    __global__ void __launch_bounds__(1024) name(unsigned *out, unsigned zero)                                         \
    {                                                                                                                  \
        __shared__ __align__(16) unsigned shared[1024], from[32], to[32];                                              \
        unsigned x[CHAINS], y[CHAINS], y2[CHAINS], at = (unsigned)__cvta_generic_to_shared(shared) + 16 * (threadIdx.x & 31);  \
        float f[CHAINS], g[CHAINS], g2[CHAINS];                                                                        \
        double d[CHAINS], e[CHAINS];                                                                                   \
        unsigned long long l[CHAINS], m[CHAINS];                                                                       \
        shared[threadIdx.x] = zero;                                                                                    \
        for (int i = 0; i < CHAINS; i++) {                                                                             \
            x[i] = threadIdx.x + i, y[i] = y2[i] = out[8 + i] + i;                                                     \
            f[i] = 1.0f + i, g[i] = g2[i] = (float)out[16 + i] + 0.5f, d[i] = f[i], e[i] = g[i];                       \
            l[i] = x[i], m[i] = y[i];                                                                                  \
        }                                                                                                              \
        unsigned best = ~0u;                                                                                           \
        for (int turn = 0; turn < TURNS; turn++) {                                                                     \
            __syncthreads();                                                                                           \
            from[threadIdx.x / 32] = clock(); /* warps leave a barrier one after the other */                          \
            _Pragma("unroll 1") for (int loop = 0; loop < LOOPS; loop++) /* ptxas moves nothing out of it */            \
            {                                                                                                          \
                _Pragma("unroll") for (int j = 0; j < GROUPS; j++)                                                     \
                {                                                                                                      \
                    _Pragma("unroll") for (int i = 0; i < CHAINS; i++)                                                 \
                    {                                                                                                  \
                        what;                                                                                          \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
            to[threadIdx.x / 32] = clock();                                                                            \
            __syncthreads();                                                                                           \
            unsigned first = from[0], last = 0;                                                                        \
            for (unsigned w = 0; w < blockDim.x / 32; w++)                                                             \
                first = (int)(from[w] - first) < 0 ? from[w] : first;                                                  \
            for (unsigned w = 0; w < blockDim.x / 32; w++)                                                             \
                last = to[w] - first > last ? to[w] - first : last;                                                    \
            best = last < best ? last : best;                                                                          \
        }                                                                                                              \
        unsigned sum = 0;                                                                                              \
        for (int i = 0; i < CHAINS; i++)                                                                               \
            sum += x[i] + y2[i] + __float_as_uint(f[i] + g2[i]) + (unsigned)__double2ll_rn(d[i]) + (unsigned)l[i];     \
        if (threadIdx.x == 0)                                                                                          \
            out[0] = best;                                                                                             \
        if (sum == 12345)                                                                                              \
            out[1] = 1;                                                                                                \
    }
#define X(name, what) BODY(name, what)
ONES(X)
#undef X
#define X(one, other, what, more) BODY(one##_and_##other, what; more)
PAIRS(X)
#undef X
#define X(one, other, what, more) BODY(one##_3_and_##other, what; what; what; more)
PAIRS(X)
#undef X
BODY(nothing, )

static unsigned *out;
static unsigned took()
{
    unsigned value;
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
    return value;
}

static void show(void (*kernel)(unsigned *, unsigned), const char *name, int items)
{
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        nothing<<<1, 32 * warps>>>(out, 0);
        unsigned empty = took();
        kernel<<<1, 32 * warps>>>(out, 0);
        unsigned cycles = took() - empty;
        printf("%s,%d,%d,%u,%.3f\n", name, items, warps, cycles, cycles / ((double)LOOPS * GROUPS * CHAINS * items) / (warps > 4 ? warps / 4 : 1));
    }
}

int main()
{
    CHECK(cudaMalloc(&out, 4096));
    CHECK(cudaMemset(out, 0, 4096));
    printf("instructions,items,warps,cycles,cycles_per_item_of_a_scheduler\n");
#define X(name, what) show(name, #name, 1);
    ONES(X)
#undef X
#define X(one, other, what, more) show(one##_and_##other, #one " and " #other, 2);
    PAIRS(X)
#undef X
#define X(one, other, what, more) show(one##_3_and_##other, "3 " #one " and " #other, 4);
    PAIRS(X)
#undef X
    return 0;
}
