/* Arithmetic on vectors of four, element by element, as OpenCL has it. Read after cuda_device.h. */
#ifndef SL_CUDA_VECTOR_H
#define SL_CUDA_VECTOR_H
// clang-format off

/* A vector as it is, but element by element: clang copies one that goes from memory to memory in halves of 8 bytes, and
 * one that goes through this in a single access of 16. */
SL_DEV float4 whole(float4 v) { return {v.x, v.y, v.z, v.w}; }
SL_DEV uint4 whole(uint4 v) { return {v.x, v.y, v.z, v.w}; }

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
