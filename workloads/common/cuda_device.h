/* What kernels of the workloads use of CUDA C++, for clang without a CUDA installation (see ../generate-ptx):
 * qualifiers, built-in variables, barriers, atomics, warp intrinsics, single-precision mathematics, printf and assert.
 *
 * Meanings are those of CUDA. Mathematics that CUDA takes from its device library is built here on the machine's
 * approximations: a few units in the last place for expf, exp2f and powf of moderate arguments, an absolute 2^-20 for
 * sinf and cosf within a few turns. Names that are missing here are missing on purpose: add them when a kernel needs
 * them. Only clang reads this file; it is not part of the library. */
#ifndef SL_CUDA_DEVICE_H
#define SL_CUDA_DEVICE_H
// clang-format off

#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __host__     __attribute__((host))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* Kernels keep their names, so that reports and traces show what the source says. */
#define KERNEL extern "C" __global__ void

/* Inlined without a line of their own: an instruction belongs to the line of the kernel that caused it. */
#define SL_DEV static __device__ __inline__ __attribute__((always_inline, nodebug))

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;
typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long long ull;

/* ---- vector types ---- */

#define SL_VECTOR_TYPES(type, name)                                                                                    \
    struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; };                                          \
    struct name##3 { type x, y, z; };                                                                                  \
    struct __attribute__((aligned(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16))) name##4 { type x, y, z, w; };       \
    SL_DEV name##2 make_##name##2(type x, type y) { return {x, y}; }                                                   \
    SL_DEV name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                        \
    SL_DEV name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
SL_VECTOR_TYPES(char, char)
SL_VECTOR_TYPES(unsigned char, uchar)
SL_VECTOR_TYPES(short, short)
SL_VECTOR_TYPES(unsigned short, ushort)
SL_VECTOR_TYPES(int, int)
SL_VECTOR_TYPES(unsigned, uint)
SL_VECTOR_TYPES(float, float)
SL_VECTOR_TYPES(double, double)

/* ---- built-in variables ---- */

#define SL_BUILTIN_AXIS(axis, reader)                                                                                  \
    __declspec(property(get = get_##axis)) unsigned axis;                                                              \
    SL_DEV unsigned get_##axis() { return reader(); }
struct sl_thread_idx {
    SL_BUILTIN_AXIS(x, __nvvm_read_ptx_sreg_tid_x)
    SL_BUILTIN_AXIS(y, __nvvm_read_ptx_sreg_tid_y)
    SL_BUILTIN_AXIS(z, __nvvm_read_ptx_sreg_tid_z)
};
struct sl_block_idx {
    SL_BUILTIN_AXIS(x, __nvvm_read_ptx_sreg_ctaid_x)
    SL_BUILTIN_AXIS(y, __nvvm_read_ptx_sreg_ctaid_y)
    SL_BUILTIN_AXIS(z, __nvvm_read_ptx_sreg_ctaid_z)
};
struct sl_block_dim {
    SL_BUILTIN_AXIS(x, __nvvm_read_ptx_sreg_ntid_x)
    SL_BUILTIN_AXIS(y, __nvvm_read_ptx_sreg_ntid_y)
    SL_BUILTIN_AXIS(z, __nvvm_read_ptx_sreg_ntid_z)
};
struct sl_grid_dim {
    SL_BUILTIN_AXIS(x, __nvvm_read_ptx_sreg_nctaid_x)
    SL_BUILTIN_AXIS(y, __nvvm_read_ptx_sreg_nctaid_y)
    SL_BUILTIN_AXIS(z, __nvvm_read_ptx_sreg_nctaid_z)
};
#undef SL_BUILTIN_AXIS
extern const __device__ sl_thread_idx threadIdx;
extern const __device__ sl_block_idx blockIdx;
extern const __device__ sl_block_dim blockDim;
extern const __device__ sl_grid_dim gridDim;
enum { warpSize = 32 };

SL_DEV unsigned __laneid() { return __nvvm_read_ptx_sreg_laneid(); }
SL_DEV long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }

/* ---- barriers and fences; clang itself knows __syncthreads ---- */

SL_DEV int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
SL_DEV int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
SL_DEV int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
SL_DEV void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
SL_DEV void __threadfence_block() { __nvvm_membar_cta(); }
SL_DEV void __threadfence() { __nvvm_membar_gl(); }
SL_DEV void __threadfence_system() { __nvvm_membar_sys(); }

/* ---- loads ---- */

SL_DEV int __ldg(const int *p) { return __nvvm_ldg_i(p); }
SL_DEV unsigned __ldg(const unsigned *p) { return __nvvm_ldg_ui(p); }
SL_DEV float __ldg(const float *p) { return __nvvm_ldg_f(p); }
SL_DEV double __ldg(const double *p) { return __nvvm_ldg_d(p); }

/* ---- atomics; each returns the value before ---- */

SL_DEV int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
SL_DEV unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
SL_DEV ull atomicAdd(ull *p, ull v) { return (ull)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
SL_DEV float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
SL_DEV double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
SL_DEV int atomicSub(int *p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
SL_DEV unsigned atomicSub(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, -(int)v); }
SL_DEV int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
SL_DEV unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
SL_DEV ull atomicMin(ull *p, ull v) { return __nvvm_atom_min_gen_ull(p, v); }
SL_DEV int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
SL_DEV unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
SL_DEV ull atomicMax(ull *p, ull v) { return __nvvm_atom_max_gen_ull(p, v); }
SL_DEV int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
SL_DEV unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
SL_DEV float atomicExch(float *p, float v)
{
    return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));
}
SL_DEV int atomicCAS(int *p, int expected, int v) { return __nvvm_atom_cas_gen_i(p, expected, v); }
SL_DEV unsigned atomicCAS(unsigned *p, unsigned expected, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)expected, (int)v);
}
SL_DEV ull atomicCAS(ull *p, ull expected, ull v)
{
    return (ull)__nvvm_atom_cas_gen_ll((long long *)p, (long long)expected, (long long)v);
}
SL_DEV unsigned atomicInc(unsigned *p, unsigned limit) { return __nvvm_atom_inc_gen_ui(p, limit); }
SL_DEV unsigned atomicDec(unsigned *p, unsigned limit) { return __nvvm_atom_dec_gen_ui(p, limit); }
SL_DEV int atomicAnd(int *p, int v) { return __nvvm_atom_and_gen_i(p, v); }
SL_DEV unsigned atomicAnd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_and_gen_i((int *)p, (int)v); }
SL_DEV int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
SL_DEV unsigned atomicOr(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_or_gen_i((int *)p, (int)v); }
SL_DEV int atomicXor(int *p, int v) { return __nvvm_atom_xor_gen_i(p, v); }
SL_DEV unsigned atomicXor(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xor_gen_i((int *)p, (int)v); }

/* ---- warp intrinsics ---- */

/* The machine's last operand holds the segment mask and the last lane of a segment. */
#define SL_SHUFFLE(name, builtin, bound)                                                                               \
    SL_DEV int name(unsigned mask, int v, int lane, int width = 32)                                                    \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##builtin##_i32(mask, v, lane, ((32 - width) << 8) | bound);                           \
    }                                                                                                                  \
    SL_DEV unsigned name(unsigned mask, unsigned v, int lane, int width = 32)                                          \
    {                                                                                                                  \
        return (unsigned)name(mask, (int)v, lane, width);                                                              \
    }                                                                                                                  \
    SL_DEV float name(unsigned mask, float v, int lane, int width = 32)                                                \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##builtin##_f32(mask, v, lane, ((32 - width) << 8) | bound);                           \
    }                                                                                                                  \
    SL_DEV ull name(unsigned mask, ull v, int lane, int width = 32)                                                    \
    {                                                                                                                  \
        ull high = (unsigned)name(mask, (int)(v >> 32), lane, width);                                                  \
        return high << 32 | (unsigned)name(mask, (int)v, lane, width);                                                 \
    }                                                                                                                  \
    SL_DEV double name(unsigned mask, double v, int lane, int width = 32)                                              \
    {                                                                                                                  \
        return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(ull, v), lane, width));                        \
    }
SL_SHUFFLE(__shfl_sync, idx, 0x1f)
SL_SHUFFLE(__shfl_up_sync, up, 0)
SL_SHUFFLE(__shfl_down_sync, down, 0x1f)
SL_SHUFFLE(__shfl_xor_sync, bfly, 0x1f)
#undef SL_SHUFFLE

SL_DEV int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
SL_DEV int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
SL_DEV unsigned __ballot_sync(unsigned mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }
SL_DEV unsigned __match_any_sync(unsigned mask, unsigned v) { return __nvvm_match_any_sync_i32(mask, v); }
SL_DEV unsigned __activemask()
{
    unsigned mask;
    __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
SL_DEV unsigned __reduce_add_sync(unsigned mask, unsigned v) { return (unsigned)__nvvm_redux_sync_add((int)v, (int)mask); }

/* ---- bits ---- */

SL_DEV int __popc(unsigned v) { return __builtin_popcount(v); }
SL_DEV int __popcll(ull v) { return __builtin_popcountll(v); }
SL_DEV int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
SL_DEV int __ffs(int v) { return __builtin_ffs(v); }
SL_DEV unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
SL_DEV unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((ull)a * b >> 32); }
SL_DEV int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
SL_DEV unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
SL_DEV float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
SL_DEV float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }

/* ---- arithmetic ---- */

SL_DEV int min(int a, int b) { return a < b ? a : b; }
SL_DEV int max(int a, int b) { return a > b ? a : b; }
SL_DEV unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
SL_DEV unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
SL_DEV int abs(int v) { return v < 0 ? -v : v; }
SL_DEV float fminf(float a, float b) { return __builtin_fminf(a, b); }
SL_DEV float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
SL_DEV float min(float a, float b) { return fminf(a, b); }
SL_DEV float max(float a, float b) { return fmaxf(a, b); }
SL_DEV float fabsf(float v) { return __builtin_fabsf(v); }
SL_DEV float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SL_DEV float floorf(float v) { return __builtin_floorf(v); }
SL_DEV float ceilf(float v) { return __builtin_ceilf(v); }
SL_DEV float truncf(float v) { return __builtin_truncf(v); }
SL_DEV float rintf(float v) { return __nvvm_round_f(v); }
SL_DEV float sqrtf(float v) { return __nvvm_sqrt_rn_f(v); }
SL_DEV float rsqrtf(float v) { return __nvvm_rsqrt_approx_f(v); }
SL_DEV float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
SL_DEV float __frcp_rn(float v) { return 1.0f / v; }
SL_DEV double fabs(double v) { return __builtin_fabs(v); }
SL_DEV double fmin(double a, double b) { return __builtin_fmin(a, b); }
SL_DEV double fmax(double a, double b) { return __builtin_fmax(a, b); }
SL_DEV double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SL_DEV double floor(double v) { return __builtin_floor(v); }
SL_DEV double ceil(double v) { return __builtin_ceil(v); }
SL_DEV double sqrt(double v) { return __nvvm_sqrt_rn_d(v); }

/* ---- functions, single precision ---- */

SL_DEV float exp2f(float v) { return __nvvm_ex2_approx_f(v); }
SL_DEV float log2f(float v) { return __nvvm_lg2_approx_f(v); }
SL_DEV float __expf(float v) { return exp2f(v * 1.4426950408889634f); }
SL_DEV float __logf(float v) { return log2f(v) * 0.69314718055994531f; }
SL_DEV float __sinf(float v) { return __nvvm_sin_approx_f(v); }
SL_DEV float __cosf(float v) { return __nvvm_cos_approx_f(v); }
SL_DEV float __powf(float x, float y) { return exp2f(y * log2f(x)); }
/* e^v = 2^whole * e^rest, with |rest| <= ln(2) / 2 taken exactly. */
SL_DEV float expf(float v)
{
    float whole = rintf(v * 1.4426950408889634f);
    float rest = fmaf(whole, -0.693145752f, v);
    rest = fmaf(whole, -1.42860677e-6f, rest);
    return exp2f(rest * 1.4426950408889634f) * exp2f(whole);
}
SL_DEV float logf(float v) { return __logf(v); }
SL_DEV float log10f(float v) { return log2f(v) * 0.30102999566398120f; }
SL_DEV float powf(float x, float y) { return __powf(x, y); }
SL_DEV float tanhf(float v) { return 1.0f - 2.0f / (expf(2.0f * v) + 1.0f); }
/* To [-pi, pi], where the approximations are good. */
SL_DEV float sl_one_turn(float v)
{
    float turns = rintf(v * 0.15915494309189535f);
    return fmaf(turns, 1.7484556e-7f, fmaf(turns, -6.28318548202514648f, v));
}
SL_DEV float sinf(float v) { return __sinf(sl_one_turn(v)); }
SL_DEV float cosf(float v) { return __cosf(sl_one_turn(v)); }

/* ---- half precision, storage and arithmetic ---- */

#if __clang_major__ >= 16
typedef _Float16 half;
#endif

/* ---- output ---- */

extern "C" __device__ int vprintf(const char *format, const char *args);
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void __assertfail(const char *condition, const char *file, unsigned line, const char *function,
                                        size_t char_bytes);
#define assert(condition) ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))

// clang-format on
#endif
