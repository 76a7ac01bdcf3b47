/* SPDX-License-Identifier: MIT */
/* Predicates of lanes as bits of a mask, and the other way round. Internal to warp.c. */
#ifndef SL_EMU_WARP_MASK_H
#define SL_EMU_WARP_MASK_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "emu/warp.h"

/* What runs for every basic block is compiled twice: counting lanes and spreading masks over them needs what is not in
 * every CPU. */
#define ALWAYS static inline __attribute__((always_inline))

/* The lanes from one on whose predicate holds: sixteen of them. */
ALWAYS uint64_t sixteen_bits(const uint32_t *p)
{
#if defined(__SSE2__)
    const __m128i *four = (const __m128i *)p;
    __m128i low = _mm_packs_epi32(_mm_load_si128(four), _mm_load_si128(four + 1));
    __m128i high = _mm_packs_epi32(_mm_load_si128(four + 2), _mm_load_si128(four + 3));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 16; i++)
        bits |= (uint64_t)(p[i] & 1) << i;
    return bits;
#endif
}

ALWAYS uint64_t bits_of(const sl_warp *warp, uint32_t ref)
{
    const uint32_t *p = (const uint32_t *)(warp->area[ref >> SL_AREA_SHIFT] + (ref & SL_AREA_MASK));
    uint64_t bits = sixteen_bits(p) | sixteen_bits(p + 16) << 16;
    if (warp->code->lanes > 32)
        bits |= sixteen_bits(p + 32) << 32 | sixteen_bits(p + 48) << 48;
    return bits;
}

/* The bits of 32 lanes, spread over them. */
ALWAYS void spread(uint32_t *restrict words, uint32_t mask)
{
    _Alignas(64) static const uint32_t bit[32] = {
        1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
        1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
        1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
    for (int i = 0; i < 32; i++)
        words[i] = (mask & bit[i]) == bit[i] ? UINT32_MAX : 0;
}

ALWAYS void set_mask(sl_warp *warp, uint64_t mask)
{
    warp->mask = mask;
    warp->active = (uint32_t)__builtin_popcountll(mask);
    warp->full = mask == warp->live;
    if (warp->active == warp->code->lanes)
        return;
    spread(warp->lane_words, (uint32_t)mask);
    if (warp->code->lanes > 32)
        spread(warp->lane_words + 32, (uint32_t)(mask >> 32));
}

#endif
