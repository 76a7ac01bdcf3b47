/* SPDX-License-Identifier: MIT */
/* XOR folding. */
#ifndef SL_POLICY_HASH_H
#define SL_POLICY_HASH_H

#include <stdint.h>

/* Folds a number to one below `size`. Smaller numbers are unchanged. */
static inline uint32_t sl_fold(uint64_t number, uint32_t size)
{
    uint64_t folded = 0;
    for (; number; number /= size)
        folded ^= number % size;
    return (uint32_t)(folded % size);
}

#endif
