/* Half precision beside cuda_device.h: pairs, conversions, and the products of small matrices of halves that today's
 * machines compute in one instruction per warp. Meanings and names are those of CUDA where it has them. */
#ifndef SL_CUDA_HALF_H
#define SL_CUDA_HALF_H
// clang-format off

SL_VECTOR_TYPES(half, half)

SL_DEV float __half2float(half v) { return (float)v; }
SL_DEV half __float2half(float v) { return (half)v; }
SL_DEV float2 __half22float2(half2 v) { return {(float)v.x, (float)v.y}; }
/* A pair in a register, x in its lower half. */
SL_DEV unsigned sl_half_pair(float x, float y)
{
    unsigned pair;
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(y), "f"(x));
    return pair;
}
SL_DEV half2 __floats2half2_rn(float x, float y) { return __builtin_bit_cast(half2, sl_half_pair(x, y)); }

/* ---- matrices spread over a warp: fragments as the PTX ISA lays them out for mma.m16n8k16 ---- */

struct sl_fragments { unsigned part[4]; };

SL_DEV unsigned sl_shared_address(const void *p)
{
    return (unsigned)(size_t)(const __attribute__((address_space(3))) void *)p;
}

/* Four matrices of 8 x 8 halves from shared memory; lane 8 * m + r names row r of matrix m. */
SL_DEV sl_fragments sl_load_matrices(const void *row)
{
    sl_fragments f;
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(f.part[0]), "=r"(f.part[1]), "=r"(f.part[2]), "=r"(f.part[3])
                     : "r"(sl_shared_address(row)) : "memory");
    return f;
}
/* The same, each matrix transposed. */
SL_DEV sl_fragments sl_load_matrices_transposed(const void *row)
{
    sl_fragments f;
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(f.part[0]), "=r"(f.part[1]), "=r"(f.part[2]), "=r"(f.part[3])
                     : "r"(sl_shared_address(row)) : "memory");
    return f;
}

/* sum[16 x 8] += a[16 x 16] * b[16 x 8]: halves, added up in single precision. */
SL_DEV void sl_multiply_add(float *sum, const sl_fragments &a, unsigned b0, unsigned b1)
{
    __asm__("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b0), "r"(b1));
}

// clang-format on
#endif
