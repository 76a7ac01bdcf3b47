/* SPDX-License-Identifier: MIT */
/* A large number as a small one. */
#ifndef SL_POLICY_HASH_H
#define SL_POLICY_HASH_H

#include <stdint.h>

/* Pieces of the number, one on top of the other, to one below `size`. Numbers that are below already stay as they are.
 */
static inline uint32_t sl_fold(uint64_t number, uint32_t size)
{
    uint64_t folded = 0;
    for (; number; number /= size)
        folded ^= number % size;
    return (uint32_t)(folded % size);
}

#endif
