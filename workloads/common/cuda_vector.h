/* Vectors of four. Loads and stores in one access of 16 bytes: a plain copy of a vector from memory to memory is not
 * one, because clang takes it for a copy of bytes and splits it. Arithmetic. Read after cuda_device.h. */
#ifndef SL_CUDA_VECTOR_H
#define SL_CUDA_VECTOR_H
// clang-format off

#define SL_VECTOR_ACCESS(type)                                                                                         \
    SL_DEV type##4 sl_load(const type##4 *p) { return {p->x, p->y, p->z, p->w}; }                                      \
    SL_DEV void sl_store(type##4 *p, type##4 v)                                                                        \
    {                                                                                                                  \
        p->x = v.x;                                                                                                    \
        p->y = v.y;                                                                                                    \
        p->z = v.z;                                                                                                    \
        p->w = v.w;                                                                                                    \
    }
SL_VECTOR_ACCESS(float)
SL_VECTOR_ACCESS(uint)
#undef SL_VECTOR_ACCESS

/* ---- arithmetic, element by element, as OpenCL has it ---- */

SL_DEV float4 operator+(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
SL_DEV float4 operator-(float4 a, float4 b) { return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
SL_DEV float4 operator*(float4 a, float4 b) { return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
SL_DEV float4 operator*(float a, float4 b) { return {a * b.x, a * b.y, a * b.z, a * b.w}; }
SL_DEV uint4 operator+(uint4 a, uint4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
SL_DEV uint4 operator^(uint4 a, uint4 b) { return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w}; }
SL_DEV uint4 operator&(uint4 a, uint4 b) { return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w}; }
SL_DEV uint4 operator<<(uint4 a, int bits) { return {a.x << bits, a.y << bits, a.z << bits, a.w << bits}; }
SL_DEV uint4 operator>>(uint4 a, int bits) { return {a.x >> bits, a.y >> bits, a.z >> bits, a.w >> bits}; }

// clang-format on
#endif
