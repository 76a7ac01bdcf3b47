/* SPDX-License-Identifier: MIT */
/* Loads and stores of a word that no compiler moves, and waiting for one. */
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

/* Ends the program if `v` is all ones: whatever reads a clock behind it reads it when `v` has arrived. */
static __device__ __forceinline__ void wait_for(unsigned v)
{
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0xffffffff; @p trap;}" ::"r"(v) : "memory");
}
