/* SPDX-License-Identifier: MIT */
/* The host's rounding mode around a loop over lanes. fesetround would set that of the x87 unit, too, and cost more than
 * the loop. */
#ifndef SL_EMU_EXEC_ROUNDING_H
#define SL_EMU_EXEC_ROUNDING_H

#include <fenv.h>

#if defined(__SSE2__)
#include <xmmintrin.h>

/* `mode` is a FE_* constant; returns what sl_rounding_end takes. */
static inline unsigned sl_rounding_begin(int mode)
{
    enum { ROUNDING = 0x6000, SHIFT = 3 }; /* the bits, and how far they are from those of the constants */
    unsigned before = _mm_getcsr();
    _mm_setcsr((before & ~(unsigned)ROUNDING) | (unsigned)mode << SHIFT);
    return before;
}

static inline void sl_rounding_end(unsigned before)
{
    _mm_setcsr(before);
}
#else
static inline unsigned sl_rounding_begin(int mode)
{
    unsigned before = (unsigned)fegetround();
    fesetround(mode);
    return before;
}

static inline void sl_rounding_end(unsigned before)
{
    fesetround((int)before);
}
#endif

#endif
