/* SPDX-License-Identifier: MIT */
/* What kernels of HIP have and kernels of CUDA have not: instructions of a whole wavefront without a mask, which mean
 * the lanes that execute them, and a few names.
 *
 * A PTX warp has 32 lanes. Where a wavefront has 64 (SLUICE_HIP_LANES), Sluice executes two of them side by side, and
 * two bits of a shuffle's last operand that PTX leaves unused cross over: bit 7 makes it a shuffle of all 64 lanes, bit
 * 6 reads the value of the lowest lane that takes part of the other half. See docs/hip.md. */
#ifndef SLUICE_HIP_DEVICE_H
#define SLUICE_HIP_DEVICE_H

#if defined(__CUDACC__) && defined(__cplusplus)

#include <cstring>

#define SLUICE_HIP_WHOLE      (SLUICE_HIP_LANES == 64 ? 0x80 : 0)
#define SLUICE_HIP_OTHER_HALF 0xc0

/* A value of any size, word by word. `clamp`: 0, or the highest lane of a segment. */
#define SLUICE_HIP_SHUFFLE(name, form, clamp)                                                                          \
    template <class T> static __device__ inline T sluice_hip_##name(T value, int lane, int width = SLUICE_HIP_LANES)   \
    {                                                                                                                  \
        enum { WORDS = (sizeof(T) + 3) / 4 };                                                                          \
        unsigned word[WORDS] = {0}, mask = __activemask();                                                             \
        unsigned control = (unsigned)(SLUICE_HIP_LANES - width) << 8 | (clamp) | SLUICE_HIP_WHOLE;                     \
        memcpy(word, &value, sizeof value);                                                                            \
        for (int i = 0; i < WORDS; i++)                                                                                \
            asm volatile("shfl.sync." #form ".b32 %0, %1, %2, %3, %4;"                                                 \
                         : "=r"(word[i])                                                                               \
                         : "r"(word[i]), "r"(lane), "r"(control), "r"(mask));                                          \
        memcpy(&value, word, sizeof value);                                                                            \
        return value;                                                                                                  \
    }
SLUICE_HIP_SHUFFLE(shfl, idx, SLUICE_HIP_LANES - 1)
SLUICE_HIP_SHUFFLE(shfl_up, up, 0)
SLUICE_HIP_SHUFFLE(shfl_down, down, SLUICE_HIP_LANES - 1)
SLUICE_HIP_SHUFFLE(shfl_xor, bfly, SLUICE_HIP_LANES - 1)
#undef SLUICE_HIP_SHUFFLE

static __device__ inline unsigned __lane_id()
{
#if SLUICE_HIP_LANES == 64
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 64;
#else
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
#endif
}

/* Bits of this half and of the other one, in the order of lanes. */
static __device__ inline unsigned long long sluice_hip_join(unsigned own)
{
#if SLUICE_HIP_LANES == 64
    unsigned other;
    asm volatile("shfl.sync.idx.b32 %0, %1, 0, %2, %3;"
                 : "=r"(other)
                 : "r"(own), "n"(SLUICE_HIP_OTHER_HALF), "r"(__activemask()));
    return __lane_id() < 32 ? (unsigned long long)other << 32 | own : (unsigned long long)own << 32 | other;
#else
    return own;
#endif
}

static __device__ inline unsigned long long sluice_hip_ballot(int predicate)
{
    return sluice_hip_join(__ballot_sync(__activemask(), predicate));
}

static __device__ inline unsigned long long sluice_hip_activemask()
{
    return sluice_hip_join(__activemask());
}

static __device__ inline int sluice_hip_any(int predicate)
{
    return sluice_hip_ballot(predicate) != 0;
}

static __device__ inline int sluice_hip_all(int predicate)
{
    return sluice_hip_ballot(!predicate) == 0;
}

static __device__ inline unsigned long long __lanemask_eq()
{
    return 1ull << __lane_id();
}

static __device__ inline unsigned long long __lanemask_lt()
{
    return __lanemask_eq() - 1;
}

static __device__ inline unsigned long long __lanemask_le()
{
    return __lanemask_lt() | __lanemask_eq();
}

static __device__ inline unsigned long long __lanemask_gt()
{
    return ~__lanemask_le();
}

static __device__ inline unsigned long long __lanemask_ge()
{
    return ~__lanemask_lt();
}

static __device__ inline unsigned __mbcnt_lo(unsigned mask, unsigned sum)
{
    return sum + __popc(mask & (unsigned)__lanemask_lt());
}

static __device__ inline unsigned __mbcnt_hi(unsigned mask, unsigned sum)
{
    return sum + __popc(mask & (unsigned)(__lanemask_lt() >> 32));
}

/* CUDA has declarations of these names, for GPUs before compute capability 7.0. */
#define __shfl      sluice_hip_shfl
#define __shfl_up   sluice_hip_shfl_up
#define __shfl_down sluice_hip_shfl_down
#define __shfl_xor  sluice_hip_shfl_xor
#define __ballot    sluice_hip_ballot
#define __ballot64  sluice_hip_ballot
#define __any       sluice_hip_any
#define __all       sluice_hip_all
#if SLUICE_HIP_LANES == 64
#define __activemask sluice_hip_activemask
#endif

/* Bits `offset` to `offset + width` of a value. */
static __device__ inline unsigned __bitextract_u32(unsigned value, unsigned offset, unsigned width)
{
    offset &= 31, width &= 31;
    return width ? value << (offset + width < 32 ? 32 - offset - width : 0) >> (32 - width) : 0;
}

static __device__ inline unsigned long long __bitextract_u64(unsigned long long value, unsigned offset, unsigned width)
{
    offset &= 63, width &= 63;
    return width ? value << (offset + width < 64 ? 64 - offset - width : 0) >> (64 - width) : 0;
}

static __device__ inline long long wall_clock64()
{
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __device__ inline long long __clock64()
{
    return clock64();
}

static __device__ inline int __clock()
{
    return clock();
}

template <class T> static __device__ inline T unsafeAtomicAdd(T *at, T value)
{
    return atomicAdd(at, value);
}

template <class T> static __device__ inline T safeAtomicAdd(T *at, T value)
{
    return atomicAdd(at, value);
}

template <class T> static __device__ inline void atomicAddNoRet(T *at, T value)
{
    atomicAdd(at, value);
}

/* Smaller and larger floating-point numbers, which CUDA's atomics lack. */
#define SLUICE_HIP_ATOMIC(name, T, word, to_word, from_word, better)                                                   \
    static __device__ inline T name(T *at, T value)                                                                    \
    {                                                                                                                  \
        word seen = *(volatile word *)at, expected;                                                                    \
        do {                                                                                                           \
            expected = seen;                                                                                           \
            if (!(value better from_word(expected)))                                                                   \
                break;                                                                                                 \
            seen = atomicCAS((word *)at, expected, to_word(value));                                                    \
        } while (seen != expected);                                                                                    \
        return from_word(expected);                                                                                    \
    }
SLUICE_HIP_ATOMIC(atomicMin, float, unsigned, __float_as_uint, __uint_as_float, <)
SLUICE_HIP_ATOMIC(atomicMax, float, unsigned, __float_as_uint, __uint_as_float, >)
SLUICE_HIP_ATOMIC(atomicMin, double, unsigned long long, __double_as_longlong, __longlong_as_double, <)
SLUICE_HIP_ATOMIC(atomicMax, double, unsigned long long, __double_as_longlong, __longlong_as_double, >)
#undef SLUICE_HIP_ATOMIC

/* Hints that the line is not used again. */
template <class T> static __device__ inline T sluice_hip_nontemporal_load(const T *at)
{
    return __ldcs(at);
}

template <class V, class T> static __device__ inline void sluice_hip_nontemporal_store(V value, T *at)
{
    __stcs(at, (T)value);
}
#define __builtin_nontemporal_load  sluice_hip_nontemporal_load
#define __builtin_nontemporal_store sluice_hip_nontemporal_store

#if SLUICE_HIP_LANES == 64
/* A program that was built for 64 lanes would compute nonsense with 32: said before it starts. */
#include <cstdio>
#include <cstdlib>

static struct sluice_hip_lanes_t {
    sluice_hip_lanes_t()
    {
        static const char text[] =
            "this program was built for wavefronts of 64 lanes: run it with sluice run --lanes 64,"
            " or with --gpu and a GPU model that has them\n";
        int lanes = 64;
        if (cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, 0) == cudaSuccess && lanes != 64) {
            fputs(text, stderr);
            exit(1);
        }
    }
} sluice_hip_lanes;
#endif

#endif
#endif
