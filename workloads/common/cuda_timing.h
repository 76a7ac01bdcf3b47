/* Timing of loads within a kernel. Read after cuda_device.h. */
#ifndef SL_CUDA_TIMING_H
#define SL_CUDA_TIMING_H
// clang-format off

/* The core's cycle counter. The compiler moves no memory access across it. */
SL_DEV ull sl_clock()
{
    ull now;
    __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(now) : : "memory");
    return now;
}

/* Waits until the value has arrived: the store cannot be issued before, nor what follows it before the store. */
SL_DEV void sl_arrived(volatile unsigned *shared, unsigned value) { *shared = value; }

// clang-format on
#endif
