/* SPDX-License-Identifier: MIT */
/* Loads and stores of a word that no compiler moves. */
static __device__ __forceinline__ unsigned load(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

static __device__ __forceinline__ void store(unsigned *p, unsigned v)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
