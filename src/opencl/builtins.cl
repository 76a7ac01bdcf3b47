/* SPDX-License-Identifier: MIT */
/* Functions of OpenCL C that libclc lacks for PTX, or that PTX has instructions for.
 *
 * Compiled twice (compile.c). In the plain build ids are what the device counts, in 32 bits. In the general one, for
 * ranges with an offset, uneven groups or more groups than a grid has, the host says in a constant which part of the
 * range a launch is (launch.c). */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
#define VECTORS(type)                                                                                                  \
    typedef type type##2 __attribute__((ext_vector_type(2)));                                                          \
    typedef type type##3 __attribute__((ext_vector_type(3)));                                                          \
    typedef type type##4 __attribute__((ext_vector_type(4)));                                                          \
    typedef type type##8 __attribute__((ext_vector_type(8)));                                                          \
    typedef type type##16 __attribute__((ext_vector_type(16)));
VECTORS(char)
VECTORS(uchar)
VECTORS(short)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(float)
VECTORS(double)

#define FUNCTION __attribute__((overloadable, always_inline))
#define CONST    __attribute__((const))

/* ---- work-items ---- */

struct ndrange { /* sl_cl_ndrange */
    ulong base[3], offset[3], items[3];
    uint group[3], groups[3], items_per_group[3], dims;
};
extern __constant struct ndrange sluice_ndrange;

#define BY_DIMENSION(d, x, y, z, none) ((d) == 0 ? (x) : (d) == 1 ? (y) : (d) == 2 ? (z) : (none))

static CONST uint tid(uint d)
{
    return BY_DIMENSION(d, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z(), 0);
}

static CONST uint ntid(uint d)
{
    return BY_DIMENSION(d, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z(),
                        1);
}

static CONST uint ctaid(uint d)
{
    return BY_DIMENSION(d, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(),
                        __nvvm_read_ptx_sreg_ctaid_z(), 0);
}

static CONST uint nctaid(uint d)
{
    return BY_DIMENSION(d, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(),
                        __nvvm_read_ptx_sreg_nctaid_z(), 1);
}

/* Of the plain build: never negative as an int, which spares conversions. */
static CONST size_t small(uint value)
{
    __builtin_assume(value <= 0x7fffffff);
    return value;
}

FUNCTION CONST uint get_work_dim(void)
{
    return sluice_ndrange.dims;
}

FUNCTION CONST size_t get_local_id(uint d)
{
    return tid(d);
}

FUNCTION CONST size_t get_local_size(uint d)
{
    return ntid(d);
}

#if SLUICE_GENERAL
FUNCTION CONST size_t get_global_id(uint d)
{
    return d > 2 ? 0 : sluice_ndrange.base[d] + (ulong)ctaid(d) * ntid(d) + tid(d);
}

FUNCTION CONST size_t get_global_size(uint d)
{
    return d > 2 ? 1 : sluice_ndrange.items[d];
}

FUNCTION CONST size_t get_global_offset(uint d)
{
    return d > 2 ? 0 : sluice_ndrange.offset[d];
}

FUNCTION CONST size_t get_group_id(uint d)
{
    return d > 2 ? 0 : sluice_ndrange.group[d] + ctaid(d);
}

FUNCTION CONST size_t get_num_groups(uint d)
{
    return d > 2 ? 1 : sluice_ndrange.groups[d];
}

FUNCTION CONST size_t get_enqueued_local_size(uint d)
{
    return d > 2 ? 1 : sluice_ndrange.items_per_group[d];
}
#else
FUNCTION CONST size_t get_global_id(uint d)
{
    return small(ctaid(d) * ntid(d) + tid(d));
}

FUNCTION CONST size_t get_global_size(uint d)
{
    return small(nctaid(d) * ntid(d));
}

FUNCTION CONST size_t get_global_offset(uint d)
{
    return 0;
}

FUNCTION CONST size_t get_group_id(uint d)
{
    return ctaid(d);
}

FUNCTION CONST size_t get_num_groups(uint d)
{
    return nctaid(d);
}

FUNCTION CONST size_t get_enqueued_local_size(uint d)
{
    return ntid(d);
}
#endif

FUNCTION CONST size_t get_local_linear_id(void)
{
    return (tid(2) * ntid(1) + tid(1)) * ntid(0) + tid(0);
}

FUNCTION CONST size_t get_global_linear_id(void)
{
    return ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
               get_global_size(0) +
           get_global_id(0) - get_global_offset(0);
}

/* OpenCL 2.0's names of barrier(). */
FUNCTION __attribute__((convergent)) void work_group_barrier(uint flags)
{
    __syncthreads();
}

FUNCTION __attribute__((convergent)) void work_group_barrier(uint flags, int scope)
{
    __syncthreads();
}

/* ---- mathematics ---- */

/* A function of scalars for vectors, too: of one, two or three arguments of one type. */
#define HALVES_1(f, type, n)                                                                                        \
    FUNCTION CONST type##n f(type##n a)                                                                                \
    {                                                                                                                  \
        return (type##n)(f(a.lo), f(a.hi));                                                                            \
    }
#define HALVES_2(f, type, n)                                                                                        \
    FUNCTION CONST type##n f(type##n a, type##n b)                                                                     \
    {                                                                                                                  \
        return (type##n)(f(a.lo, b.lo), f(a.hi, b.hi));                                                                \
    }
#define HALVES_3(f, type, n)                                                                                        \
    FUNCTION CONST type##n f(type##n a, type##n b, type##n c)                                                          \
    {                                                                                                                  \
        return (type##n)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi));                                                    \
    }
#define VECTORS_1(f, type)                                                                                             \
    HALVES_1(f, type, 2)                                                                                             \
    FUNCTION CONST type##3 f(type##3 a)                                                                                \
    {                                                                                                                  \
        return (type##3)(f(a.x), f(a.y), f(a.z));                                                                      \
    }                                                                                                                  \
    HALVES_1(f, type, 4) HALVES_1(f, type, 8) HALVES_1(f, type, 16)
#define VECTORS_2(f, type)                                                                                             \
    HALVES_2(f, type, 2)                                                                                             \
    FUNCTION CONST type##3 f(type##3 a, type##3 b)                                                                     \
    {                                                                                                                  \
        return (type##3)(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z));                                                       \
    }                                                                                                                  \
    HALVES_2(f, type, 4) HALVES_2(f, type, 8) HALVES_2(f, type, 16)
#define VECTORS_3(f, type)                                                                                             \
    HALVES_3(f, type, 2)                                                                                             \
    FUNCTION CONST type##3 f(type##3 a, type##3 b, type##3 c)                                                          \
    {                                                                                                                  \
        return (type##3)(f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z));                                        \
    }                                                                                                                  \
    HALVES_3(f, type, 4) HALVES_3(f, type, 8) HALVES_3(f, type, 16)

#define FLOAT_1(f, expression)                                                                                         \
    FUNCTION CONST float f(float a)                                                                                    \
    {                                                                                                                  \
        return expression;                                                                                             \
    }                                                                                                                  \
    VECTORS_1(f, float)
#define FLOAT_2(f, expression)                                                                                         \
    FUNCTION CONST float f(float a, float b)                                                                           \
    {                                                                                                                  \
        return expression;                                                                                             \
    }                                                                                                                  \
    VECTORS_2(f, float)

#define LOG2_E  1.44269504088896340736f
#define LOG2_10 3.32192809488736234787f
#define LN_2    0.69314718055994530942f
#define LOG10_2 0.30102999566398119521f

FLOAT_1(sqrt, __nvvm_sqrt_rn_f(a))
FLOAT_1(rsqrt, __nvvm_rsqrt_approx_f(a))
FLOAT_1(native_sqrt, __nvvm_sqrt_approx_f(a))
FLOAT_1(native_rsqrt, __nvvm_rsqrt_approx_f(a))
FLOAT_1(native_recip, __nvvm_div_approx_f(1, a))
FLOAT_2(native_divide, __nvvm_div_approx_f(a, b))
FLOAT_1(native_sin, __nvvm_sin_approx_f(a))
FLOAT_1(native_cos, __nvvm_cos_approx_f(a))
FLOAT_1(native_tan, __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a)))
FLOAT_1(native_exp2, __nvvm_ex2_approx_f(a))
FLOAT_1(native_exp, __nvvm_ex2_approx_f(a * LOG2_E))
FLOAT_1(native_exp10, __nvvm_ex2_approx_f(a * LOG2_10))
FLOAT_1(native_log2, __nvvm_lg2_approx_f(a))
FLOAT_1(native_log, __nvvm_lg2_approx_f(a) * LN_2)
FLOAT_1(native_log10, __nvvm_lg2_approx_f(a) * LOG10_2)
FLOAT_2(native_powr, __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)))

/* As accurate as OpenCL wants these: 8192 units in the last place. */
FLOAT_1(half_sqrt, native_sqrt(a))
FLOAT_1(half_rsqrt, native_rsqrt(a))
FLOAT_1(half_recip, native_recip(a))
FLOAT_2(half_divide, native_divide(a, b))
FLOAT_1(half_exp2, native_exp2(a))
FLOAT_1(half_exp, native_exp(a))
FLOAT_1(half_exp10, native_exp10(a))
FLOAT_1(half_log2, native_log2(a))
FLOAT_1(half_log, native_log(a))
FLOAT_1(half_log10, native_log10(a))
FLOAT_2(half_powr, native_powr(a, b))

FUNCTION CONST double sqrt(double a)
{
    return __nvvm_sqrt_rn_d(a);
}
VECTORS_1(sqrt, double)

FUNCTION CONST int mad_hi(int a, int b, int c)
{
    return __nvvm_mulhi_i(a, b) + c;
}
FUNCTION CONST uint mad_hi(uint a, uint b, uint c)
{
    return __nvvm_mulhi_ui(a, b) + c;
}
__attribute__((overloadable)) long mul_hi(long a, long b);
__attribute__((overloadable)) ulong mul_hi(ulong a, ulong b);
FUNCTION CONST long mad_hi(long a, long b, long c)
{
    return mul_hi(a, b) + c;
}
FUNCTION CONST ulong mad_hi(ulong a, ulong b, ulong c)
{
    return mul_hi(a, b) + c;
}
#define MAD_HI(type, wide, bits)                                                                                       \
    FUNCTION CONST type mad_hi(type a, type b, type c)                                                                 \
    {                                                                                                                  \
        return (type)(((wide)a * b >> bits) + c);                                                                      \
    }
MAD_HI(char, int, 8)
MAD_HI(uchar, uint, 8)
MAD_HI(short, int, 16)
MAD_HI(ushort, uint, 16)
VECTORS_3(mad_hi, char)
VECTORS_3(mad_hi, uchar)
VECTORS_3(mad_hi, short)
VECTORS_3(mad_hi, ushort)
VECTORS_3(mad_hi, int)
VECTORS_3(mad_hi, uint)
VECTORS_3(mad_hi, long)
VECTORS_3(mad_hi, ulong)

/* ---- images ---- */

/* An image is the number of a texture, the first of one for each state that a sampler can have; one that is written is
 * the number of a surface (image.c). A sampler is the bits of clang's literals: coordinates (1), addressing (14), filter
 * (0x10 nearest, 0x20 linear). Images come as pointers of these address spaces. */
typedef __global void *image;
typedef __constant void *sampler;

__constant void *__translate_sampler_initializer(int bits)
{
    return (__constant void *)(ulong)(uint)bits;
}

static ulong texture(image i, sampler s)
{
    uint bits = (uint)(ulong)s;
    return (ulong)i + (bits & 15 | bits >> 1 & 16);
}

#define TEX(type, r, geometry, coordinates, ...)                                                                       \
    type t;                                                                                                            \
    __asm("tex." geometry ".v4." r " {%0, %1, %2, %3}, [%4, " coordinates "];"                                         \
          : OUT_##type(t.x), OUT_##type(t.y), OUT_##type(t.z), OUT_##type(t.w)                                         \
          : "l"(object), __VA_ARGS__);                                                                                 \
    return t
#define OUT_float4(x) "=f"(x)
#define OUT_int4(x)   "=r"(x)
#define OUT_uint4(x)  "=r"(x)

/* Fetches of one result type. */
#define FETCHES(type, f)                                                                                               \
    static __attribute__((overloadable)) type fetch_1d(ulong object, float x, type unused)                                                           \
    {                                                                                                                  \
        TEX(type, f, "1d", "{%5}", "f"(x));                                                                            \
    }                                                                                                                  \
    static __attribute__((overloadable)) type fetch_2d(ulong object, float2 c, type unused)                                                          \
    {                                                                                                                  \
        TEX(type, f, "2d", "{%5, %6}", "f"(c.x), "f"(c.y));                                                            \
    }                                                                                                                  \
    static __attribute__((overloadable)) type fetch_3d(ulong object, float4 c, type unused)                                                          \
    {                                                                                                                  \
        TEX(type, f, "3d", "{%5, %6, %7, %7}", "f"(c.x), "f"(c.y), "f"(c.z));                                          \
    }                                                                                                                  \
    static __attribute__((overloadable)) type fetch_a1d(ulong object, float x, int layer, type unused)                                               \
    {                                                                                                                  \
        TEX(type, f, "a1d", "{%6, %5}", "f"(x), "r"(layer));                                                           \
    }                                                                                                                  \
    static __attribute__((overloadable)) type fetch_a2d(ulong object, float2 c, int layer, type unused)                                              \
    {                                                                                                                  \
        TEX(type, f, "a2d", "{%7, %5, %6, %6}", "f"(c.x), "f"(c.y), "r"(layer));                                       \
    }
FETCHES(float4, "f32.f32")
FETCHES(int4, "s32.f32")
FETCHES(uint4, "u32.f32")

/* Pixels of a buffer: by their number. */
#define FETCH_BUFFER(type, f)                                                                                          \
    static __attribute__((overloadable)) type fetch_buffer(ulong object, int x, type unused)                           \
    {                                                                                                                  \
        TEX(type, f, "1d", "{%5}", "r"(x));                                                                            \
    }
FETCH_BUFFER(float4, "f32.s32")
FETCH_BUFFER(int4, "s32.s32")
FETCH_BUFFER(uint4, "u32.s32")

static int layer_of(float z)
{
    return (int)__nvvm_round_f(z); /* the texture takes the nearest that there is */
}

/* read_imageX under the names that clang gives it, by result: with a sampler and coordinates as floats or integers, and
 * without a sampler. Integers name texels: with a half added, as floats, they do so in every address mode. */
#define READ(type, mangled, coordinates, expression)                                                                   \
    type mangled##_(image i, sampler s, coordinates c) __asm(#mangled);                                                \
    type mangled##_(image i, sampler s, coordinates c)                                                                 \
    {                                                                                                                  \
        ulong object = texture(i, s);                                                                                  \
        type unused;                                                                                                   \
        return expression;                                                                                             \
    }
#define READ_PLAIN(type, mangled, coordinates, expression)                                                             \
    type mangled##_(image i, coordinates c) __asm(#mangled);                                                           \
    type mangled##_(image i, coordinates c)                                                                            \
    {                                                                                                                  \
        ulong object = (ulong)i;                                                                                       \
        type unused;                                                                                                   \
        return expression;                                                                                             \
    }
#define HALF2(c) ((float2)((c).x + 0.5f, (c).y + 0.5f))
#define HALF3(c) ((float4)((c).x + 0.5f, (c).y + 0.5f, (c).z + 0.5f, 0))
READ(float4, _Z11read_imagef14ocl_image1d_ro11ocl_samplerf, float, fetch_1d(object, c, unused))
READ(float4, _Z11read_imagef14ocl_image1d_ro11ocl_sampleri, int, fetch_1d(object, c + 0.5f, unused))
READ_PLAIN(float4, _Z11read_imagef14ocl_image1d_roi, int, fetch_1d(object, c + 0.5f, unused))
READ(float4, _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f, float2, fetch_2d(object, c, unused))
READ(float4, _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i, int2, fetch_2d(object, HALF2(c), unused))
READ_PLAIN(float4, _Z11read_imagef14ocl_image2d_roDv2_i, int2, fetch_2d(object, HALF2(c), unused))
READ(float4, _Z11read_imagef14ocl_image3d_ro11ocl_samplerDv4_f, float4, fetch_3d(object, c, unused))
READ(float4, _Z11read_imagef14ocl_image3d_ro11ocl_samplerDv4_i, int4, fetch_3d(object, HALF3(c), unused))
READ_PLAIN(float4, _Z11read_imagef14ocl_image3d_roDv4_i, int4, fetch_3d(object, HALF3(c), unused))
READ(float4, _Z11read_imagef20ocl_image1d_array_ro11ocl_samplerDv2_f, float2, fetch_a1d(object, c.x, layer_of(c.y), unused))
READ(float4, _Z11read_imagef20ocl_image1d_array_ro11ocl_samplerDv2_i, int2, fetch_a1d(object, c.x + 0.5f, c.y, unused))
READ_PLAIN(float4, _Z11read_imagef20ocl_image1d_array_roDv2_i, int2, fetch_a1d(object, c.x + 0.5f, c.y, unused))
READ(float4, _Z11read_imagef20ocl_image2d_array_ro11ocl_samplerDv4_f, float4, fetch_a2d(object, c.xy, layer_of(c.z), unused))
READ(float4, _Z11read_imagef20ocl_image2d_array_ro11ocl_samplerDv4_i, int4, fetch_a2d(object, HALF2(c), c.z, unused))
READ_PLAIN(float4, _Z11read_imagef20ocl_image2d_array_roDv4_i, int4, fetch_a2d(object, HALF2(c), c.z, unused))
READ_PLAIN(float4, _Z11read_imagef21ocl_image1d_buffer_roi, int, fetch_buffer(object, c, unused))
READ(int4, _Z11read_imagei14ocl_image1d_ro11ocl_samplerf, float, fetch_1d(object, c, unused))
READ(int4, _Z11read_imagei14ocl_image1d_ro11ocl_sampleri, int, fetch_1d(object, c + 0.5f, unused))
READ_PLAIN(int4, _Z11read_imagei14ocl_image1d_roi, int, fetch_1d(object, c + 0.5f, unused))
READ(int4, _Z11read_imagei14ocl_image2d_ro11ocl_samplerDv2_f, float2, fetch_2d(object, c, unused))
READ(int4, _Z11read_imagei14ocl_image2d_ro11ocl_samplerDv2_i, int2, fetch_2d(object, HALF2(c), unused))
READ_PLAIN(int4, _Z11read_imagei14ocl_image2d_roDv2_i, int2, fetch_2d(object, HALF2(c), unused))
READ(int4, _Z11read_imagei14ocl_image3d_ro11ocl_samplerDv4_f, float4, fetch_3d(object, c, unused))
READ(int4, _Z11read_imagei14ocl_image3d_ro11ocl_samplerDv4_i, int4, fetch_3d(object, HALF3(c), unused))
READ_PLAIN(int4, _Z11read_imagei14ocl_image3d_roDv4_i, int4, fetch_3d(object, HALF3(c), unused))
READ(int4, _Z11read_imagei20ocl_image1d_array_ro11ocl_samplerDv2_f, float2, fetch_a1d(object, c.x, layer_of(c.y), unused))
READ(int4, _Z11read_imagei20ocl_image1d_array_ro11ocl_samplerDv2_i, int2, fetch_a1d(object, c.x + 0.5f, c.y, unused))
READ_PLAIN(int4, _Z11read_imagei20ocl_image1d_array_roDv2_i, int2, fetch_a1d(object, c.x + 0.5f, c.y, unused))
READ(int4, _Z11read_imagei20ocl_image2d_array_ro11ocl_samplerDv4_f, float4, fetch_a2d(object, c.xy, layer_of(c.z), unused))
READ(int4, _Z11read_imagei20ocl_image2d_array_ro11ocl_samplerDv4_i, int4, fetch_a2d(object, HALF2(c), c.z, unused))
READ_PLAIN(int4, _Z11read_imagei20ocl_image2d_array_roDv4_i, int4, fetch_a2d(object, HALF2(c), c.z, unused))
READ_PLAIN(int4, _Z11read_imagei21ocl_image1d_buffer_roi, int, fetch_buffer(object, c, unused))
READ(uint4, _Z12read_imageui14ocl_image1d_ro11ocl_samplerf, float, fetch_1d(object, c, unused))
READ(uint4, _Z12read_imageui14ocl_image1d_ro11ocl_sampleri, int, fetch_1d(object, c + 0.5f, unused))
READ_PLAIN(uint4, _Z12read_imageui14ocl_image1d_roi, int, fetch_1d(object, c + 0.5f, unused))
READ(uint4, _Z12read_imageui14ocl_image2d_ro11ocl_samplerDv2_f, float2, fetch_2d(object, c, unused))
READ(uint4, _Z12read_imageui14ocl_image2d_ro11ocl_samplerDv2_i, int2, fetch_2d(object, HALF2(c), unused))
READ_PLAIN(uint4, _Z12read_imageui14ocl_image2d_roDv2_i, int2, fetch_2d(object, HALF2(c), unused))
READ(uint4, _Z12read_imageui14ocl_image3d_ro11ocl_samplerDv4_f, float4, fetch_3d(object, c, unused))
READ(uint4, _Z12read_imageui14ocl_image3d_ro11ocl_samplerDv4_i, int4, fetch_3d(object, HALF3(c), unused))
READ_PLAIN(uint4, _Z12read_imageui14ocl_image3d_roDv4_i, int4, fetch_3d(object, HALF3(c), unused))
READ(uint4, _Z12read_imageui20ocl_image1d_array_ro11ocl_samplerDv2_f, float2, fetch_a1d(object, c.x, layer_of(c.y), unused))
READ(uint4, _Z12read_imageui20ocl_image1d_array_ro11ocl_samplerDv2_i, int2, fetch_a1d(object, c.x + 0.5f, c.y, unused))
READ_PLAIN(uint4, _Z12read_imageui20ocl_image1d_array_roDv2_i, int2, fetch_a1d(object, c.x + 0.5f, c.y, unused))
READ(uint4, _Z12read_imageui20ocl_image2d_array_ro11ocl_samplerDv4_f, float4, fetch_a2d(object, c.xy, layer_of(c.z), unused))
READ(uint4, _Z12read_imageui20ocl_image2d_array_ro11ocl_samplerDv4_i, int4, fetch_a2d(object, HALF2(c), c.z, unused))
READ_PLAIN(uint4, _Z12read_imageui20ocl_image2d_array_roDv4_i, int4, fetch_a2d(object, HALF2(c), c.z, unused))
READ_PLAIN(uint4, _Z12read_imageui21ocl_image1d_buffer_roi, int, fetch_buffer(object, c, unused))

/* write_imageX: what is outside is not written. */
#define WRITE(type, mangled, constraint, coordinates, geometry, where, ...)                                            \
    void mangled##_(image i, coordinates c, type t) __asm(#mangled);                                                   \
    void mangled##_(image i, coordinates c, type t)                                                                    \
    {                                                                                                                  \
        __asm volatile("sust.p." geometry ".v4.b32.zero [%0, " where "], {%1, %2, %3, %4};"                            \
                       :                                                                                               \
                       : "l"(i), constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w), __VA_ARGS__       \
                       : "memory");                                                                                    \
    }
WRITE(float4, _Z12write_imagef14ocl_image1d_woiDv4_f, "f", int, "1d", "{%5}", "r"(c))
WRITE(float4, _Z12write_imagef14ocl_image2d_woDv2_iDv4_f, "f", int2, "2d", "{%5, %6}", "r"(c.x), "r"(c.y))
WRITE(float4, _Z12write_imagef14ocl_image3d_woDv4_iDv4_f, "f", int4, "3d", "{%5, %6, %7, %7}", "r"(c.x), "r"(c.y), "r"(c.z))
WRITE(float4, _Z12write_imagef20ocl_image1d_array_woDv2_iDv4_f, "f", int2, "a1d", "{%6, %5}", "r"(c.x), "r"(c.y))
WRITE(float4, _Z12write_imagef20ocl_image2d_array_woDv4_iDv4_f, "f", int4, "a2d", "{%7, %5, %6, %6}", "r"(c.x), "r"(c.y), "r"(c.z))
WRITE(float4, _Z12write_imagef21ocl_image1d_buffer_woiDv4_f, "f", int, "1d", "{%5}", "r"(c))
WRITE(int4, _Z12write_imagei14ocl_image1d_woiDv4_i, "r", int, "1d", "{%5}", "r"(c))
WRITE(int4, _Z12write_imagei14ocl_image2d_woDv2_iDv4_i, "r", int2, "2d", "{%5, %6}", "r"(c.x), "r"(c.y))
WRITE(int4, _Z12write_imagei14ocl_image3d_woDv4_iS0_, "r", int4, "3d", "{%5, %6, %7, %7}", "r"(c.x), "r"(c.y), "r"(c.z))
WRITE(int4, _Z12write_imagei20ocl_image1d_array_woDv2_iDv4_i, "r", int2, "a1d", "{%6, %5}", "r"(c.x), "r"(c.y))
WRITE(int4, _Z12write_imagei20ocl_image2d_array_woDv4_iS0_, "r", int4, "a2d", "{%7, %5, %6, %6}", "r"(c.x), "r"(c.y), "r"(c.z))
WRITE(int4, _Z12write_imagei21ocl_image1d_buffer_woiDv4_i, "r", int, "1d", "{%5}", "r"(c))
WRITE(uint4, _Z13write_imageui14ocl_image1d_woiDv4_j, "r", int, "1d", "{%5}", "r"(c))
WRITE(uint4, _Z13write_imageui14ocl_image2d_woDv2_iDv4_j, "r", int2, "2d", "{%5, %6}", "r"(c.x), "r"(c.y))
WRITE(uint4, _Z13write_imageui14ocl_image3d_woDv4_iDv4_j, "r", int4, "3d", "{%5, %6, %7, %7}", "r"(c.x), "r"(c.y), "r"(c.z))
WRITE(uint4, _Z13write_imageui20ocl_image1d_array_woDv2_iDv4_j, "r", int2, "a1d", "{%6, %5}", "r"(c.x), "r"(c.y))
WRITE(uint4, _Z13write_imageui20ocl_image2d_array_woDv4_iDv4_j, "r", int4, "a2d", "{%7, %5, %6, %6}", "r"(c.x), "r"(c.y), "r"(c.z))
WRITE(uint4, _Z13write_imageui21ocl_image1d_buffer_woiDv4_j, "r", int, "1d", "{%5}", "r"(c))

/* Questions: about textures and surfaces alike. */
#define QUERY(mangled, instruction)                                                                                    \
    int mangled##_(image i) __asm(#mangled);                                                                           \
    int mangled##_(image i)                                                                                            \
    {                                                                                                                  \
        int answer;                                                                                                    \
        __asm(instruction ".b32 %0, [%1];" : "=r"(answer) : "l"(i));                                                   \
        return answer;                                                                                                 \
    }
QUERY(_Z15get_image_width14ocl_image1d_ro, "txq.width")
QUERY(_Z15get_image_width14ocl_image1d_wo, "suq.width")
QUERY(_Z15get_image_width14ocl_image2d_ro, "txq.width")
QUERY(_Z15get_image_width14ocl_image2d_wo, "suq.width")
QUERY(_Z15get_image_width14ocl_image3d_ro, "txq.width")
QUERY(_Z15get_image_width14ocl_image3d_wo, "suq.width")
QUERY(_Z15get_image_width20ocl_image1d_array_ro, "txq.width")
QUERY(_Z15get_image_width20ocl_image1d_array_wo, "suq.width")
QUERY(_Z15get_image_width20ocl_image2d_array_ro, "txq.width")
QUERY(_Z15get_image_width20ocl_image2d_array_wo, "suq.width")
QUERY(_Z15get_image_width21ocl_image1d_buffer_ro, "txq.width")
QUERY(_Z15get_image_width21ocl_image1d_buffer_wo, "suq.width")
QUERY(_Z16get_image_height14ocl_image2d_ro, "txq.height")
QUERY(_Z16get_image_height14ocl_image2d_wo, "suq.height")
QUERY(_Z16get_image_height14ocl_image3d_ro, "txq.height")
QUERY(_Z16get_image_height14ocl_image3d_wo, "suq.height")
QUERY(_Z16get_image_height20ocl_image2d_array_ro, "txq.height")
QUERY(_Z16get_image_height20ocl_image2d_array_wo, "suq.height")
QUERY(_Z15get_image_depth14ocl_image3d_ro, "txq.depth")
QUERY(_Z15get_image_depth14ocl_image3d_wo, "suq.depth")
QUERY(_Z27get_image_channel_data_type14ocl_image1d_ro, "txq.channel_data_type")
QUERY(_Z27get_image_channel_data_type14ocl_image1d_wo, "suq.channel_data_type")
QUERY(_Z27get_image_channel_data_type14ocl_image2d_ro, "txq.channel_data_type")
QUERY(_Z27get_image_channel_data_type14ocl_image2d_wo, "suq.channel_data_type")
QUERY(_Z27get_image_channel_data_type14ocl_image3d_ro, "txq.channel_data_type")
QUERY(_Z27get_image_channel_data_type14ocl_image3d_wo, "suq.channel_data_type")
QUERY(_Z27get_image_channel_data_type20ocl_image1d_array_ro, "txq.channel_data_type")
QUERY(_Z27get_image_channel_data_type20ocl_image1d_array_wo, "suq.channel_data_type")
QUERY(_Z27get_image_channel_data_type20ocl_image2d_array_ro, "txq.channel_data_type")
QUERY(_Z27get_image_channel_data_type20ocl_image2d_array_wo, "suq.channel_data_type")
QUERY(_Z27get_image_channel_data_type21ocl_image1d_buffer_ro, "txq.channel_data_type")
QUERY(_Z27get_image_channel_data_type21ocl_image1d_buffer_wo, "suq.channel_data_type")
QUERY(_Z23get_image_channel_order14ocl_image1d_ro, "txq.channel_order")
QUERY(_Z23get_image_channel_order14ocl_image1d_wo, "suq.channel_order")
QUERY(_Z23get_image_channel_order14ocl_image2d_ro, "txq.channel_order")
QUERY(_Z23get_image_channel_order14ocl_image2d_wo, "suq.channel_order")
QUERY(_Z23get_image_channel_order14ocl_image3d_ro, "txq.channel_order")
QUERY(_Z23get_image_channel_order14ocl_image3d_wo, "suq.channel_order")
QUERY(_Z23get_image_channel_order20ocl_image1d_array_ro, "txq.channel_order")
QUERY(_Z23get_image_channel_order20ocl_image1d_array_wo, "suq.channel_order")
QUERY(_Z23get_image_channel_order20ocl_image2d_array_ro, "txq.channel_order")
QUERY(_Z23get_image_channel_order20ocl_image2d_array_wo, "suq.channel_order")
QUERY(_Z23get_image_channel_order21ocl_image1d_buffer_ro, "txq.channel_order")
QUERY(_Z23get_image_channel_order21ocl_image1d_buffer_wo, "suq.channel_order")

#define DIM2(image_type, width, height)                                                                                \
    int2 _Z13get_image_dim##image_type##_(image i) __asm("_Z13get_image_dim" #image_type);                             \
    int2 _Z13get_image_dim##image_type##_(image i)                                                                     \
    {                                                                                                                  \
        return (int2)(width##_(i), height##_(i));                                                                      \
    }
DIM2(14ocl_image2d_ro, _Z15get_image_width14ocl_image2d_ro, _Z16get_image_height14ocl_image2d_ro)
DIM2(14ocl_image2d_wo, _Z15get_image_width14ocl_image2d_wo, _Z16get_image_height14ocl_image2d_wo)
DIM2(20ocl_image2d_array_ro, _Z15get_image_width20ocl_image2d_array_ro, _Z16get_image_height20ocl_image2d_array_ro)
DIM2(20ocl_image2d_array_wo, _Z15get_image_width20ocl_image2d_array_wo, _Z16get_image_height20ocl_image2d_array_wo)
#define DIM3(image_type, width, height, depth)                                                                         \
    int4 _Z13get_image_dim##image_type##_(image i) __asm("_Z13get_image_dim" #image_type);                             \
    int4 _Z13get_image_dim##image_type##_(image i)                                                                     \
    {                                                                                                                  \
        return (int4)(width##_(i), height##_(i), depth##_(i), 0);                                                      \
    }
DIM3(14ocl_image3d_ro, _Z15get_image_width14ocl_image3d_ro, _Z16get_image_height14ocl_image3d_ro, _Z15get_image_depth14ocl_image3d_ro)
DIM3(14ocl_image3d_wo, _Z15get_image_width14ocl_image3d_wo, _Z16get_image_height14ocl_image3d_wo, _Z15get_image_depth14ocl_image3d_wo)
#define LAYERS(image_type, instruction)                                                                                \
    size_t _Z20get_image_array_size##image_type##_(image i) __asm("_Z20get_image_array_size" #image_type);             \
    size_t _Z20get_image_array_size##image_type##_(image i)                                                            \
    {                                                                                                                  \
        int answer;                                                                                                    \
        __asm(instruction ".b32 %0, [%1];" : "=r"(answer) : "l"(i));                                                   \
        return answer;                                                                                                 \
    }
LAYERS(20ocl_image1d_array_ro, "txq.array_size")
LAYERS(20ocl_image1d_array_wo, "suq.array_size")
LAYERS(20ocl_image2d_array_ro, "txq.array_size")
LAYERS(20ocl_image2d_array_wo, "suq.array_size")
