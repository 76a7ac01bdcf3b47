/* SPDX-License-Identifier: MIT */
/* Encoding of what a warp does, while it does it. The emulator calls this for every basic block and every memory
 * instruction, so the expected case (offsets and base as predicted) is a few vector instructions and a counter.
 *
 * Each memory slot remembers the offsets of its lanes from a base. An access whose lanes still have these offsets costs
 * nothing when its base moved by the expected step, and a varint when it moved otherwise; this holds for gathers as
 * well (threads that each walk another row). Everything else is written out: affine accesses as a closed form,
 * the rest bit-packed. */
#include "trace/codec.h"

#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/array.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

enum { ISA_BASE, ISA_AVX2 };

/* ---- lane loops ---- */

/* Do the lanes of `mask` all lie at base + offset? */
static bool match_base(const uint64_t *addr, const int32_t *offset, uint64_t base, uint64_t mask, unsigned lanes)
{
    uint64_t differ = 0;
    if (mask == sl_full_mask(lanes)) {
        for (unsigned i = 0; i < lanes; i++)
            differ |= addr[i] ^ (base + (uint64_t)(int64_t)offset[i]);
    } else {
        for (unsigned i = 0; i < lanes; i++)
            differ |= (addr[i] ^ (base + (uint64_t)(int64_t)offset[i])) & -(mask >> i & 1);
    }
    return !differ;
}

#if defined(__x86_64__)
/* Four lanes at a time: all ones where they lie at base + offset. */
__attribute__((target("avx2"), always_inline)) static inline __m256i four_equal(const uint64_t *addr,
                                                                                const int32_t *offset, __m256i base)
{
    __m256i offsets = _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)offset));
    return _mm256_cmpeq_epi64(_mm256_add_epi64(offsets, base), _mm256_loadu_si256((const __m256i *)addr));
}

/* A comparison of four lanes gives four bits, so that partial masks hardly cost more than full ones; what compilers
 * make of match_base takes four times as long for these. */
__attribute__((target("avx2"))) static bool match_avx2(const uint64_t *addr, const int32_t *offset, uint64_t base,
                                                       uint64_t mask, unsigned lanes)
{
    const __m256i bases = _mm256_set1_epi64x((long long)base);
    for (unsigned half = 0; half < lanes; half += 32, addr += 32, offset += 32, mask >>= 31, mask >>= 1) {
        if (LIKELY((uint32_t)mask == UINT32_MAX)) {
            __m256i equal = four_equal(addr, offset, bases);
            for (unsigned i = 4; i < 32; i += 4)
                equal = _mm256_and_si256(equal, four_equal(addr + i, offset + i, bases));
            if (_mm256_movemask_epi8(equal) != -1)
                return false;
        } else {
            uint32_t same = 0;
            for (unsigned i = 0; i < 32; i += 4)
                same |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(four_equal(addr + i, offset + i, bases))) << i;
            if ((uint32_t)mask & ~same)
                return false;
        }
    }
    return true;
}
#endif

static inline bool match(const sl_warp_stream *s, const sl_predictor *p, const uint64_t *addr, uint64_t base,
                         uint64_t mask)
{
#if defined(__x86_64__)
    if (LIKELY(s->isa == ISA_AVX2))
        return match_avx2(addr, p->offset, base, mask, s->lanes);
#endif
    return match_base(addr, p->offset, base, mask, s->lanes);
}

static uint8_t best_isa(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return ISA_AVX2;
#endif
    return ISA_BASE;
}

/* ---- life of a stream ---- */

bool sl_warp_stream_init(sl_warp_stream *s, uint32_t mem_slots, uint32_t lanes)
{
    *s = (sl_warp_stream){.isa = best_isa()};
    return sl_warp_stream_reset(s, mem_slots, lanes);
}

void sl_warp_stream_fini(sl_warp_stream *s)
{
    free(s->control.data);
    free(s->memory.data);
    free(s->anchors.data);
    free(s->predictor);
    *s = (sl_warp_stream){0};
}

sl_status sl_warp_stream_create(uint32_t mem_slots, uint32_t lanes, sl_warp_stream **stream, sl_error *error)
{
    *stream = NULL;
    if (lanes != 32 && lanes != 64)
        return sl_fail(error, SL_INVALID, "a warp has 32 or 64 lanes, not %u", lanes);
    sl_warp_stream *s = malloc(sizeof *s);
    if (s && sl_warp_stream_init(s, mem_slots, lanes)) {
        *stream = s;
        return SL_OK;
    }
    sl_warp_stream_destroy(s);
    return sl_fail_memory(error);
}

void sl_warp_stream_destroy(sl_warp_stream *s)
{
    if (s)
        sl_warp_stream_fini(s);
    free(s);
}

bool sl_warp_stream_reset(sl_warp_stream *s, uint32_t mem_slots, uint32_t lanes)
{
    s->control.count = s->memory.count = s->anchors.count = 0;
    s->last_bb = UINT32_MAX;
    s->step_mask = s->access_mask = 0;
    s->repeats = s->predicted = 0;
    s->lanes = (uint8_t)lanes;
    s->failed = false;
    sl_mask_start(s->history, lanes);
    s->slots = 0;
    if (mem_slots > s->capacity) {
        /* Entries count as never seen while their epoch is 0. */
        free(s->predictor);
        s->predictor = calloc(mem_slots, sizeof *s->predictor);
        s->capacity = s->predictor ? mem_slots : 0;
        s->epoch = 0;
        if (!s->predictor) {
            s->failed = true;
            return false;
        }
    }
    s->slots = mem_slots;
    if (++s->epoch == 0) {
        for (uint32_t i = 0; i < s->capacity; i++)
            s->predictor[i].epoch = 0;
        s->epoch = 1;
    }
    return true;
}

/* Room for `extra` bytes; NULL (and the stream is marked) when memory runs out. */
static uint8_t *room(sl_warp_stream *s, sl_bytes *bytes, size_t extra)
{
    if (!sl_array_grow((void **)&bytes->data, &bytes->capacity, bytes->count + extra, 1)) {
        s->failed = true;
        return NULL;
    }
    return bytes->data + bytes->count;
}

/* ---- control ---- */

static void flush_repeats(sl_warp_stream *s)
{
    if (!s->repeats)
        return;
    uint8_t *at = room(s, &s->control, 1 + SL_VARINT_MAX);
    if (!at)
        return;
    uint64_t less_one = s->repeats - 1;
    s->repeats = 0;
    if (less_one < SL_STEP_ESCAPE) {
        *at++ = (uint8_t)(SL_STEP_REPEAT | less_one << 2);
    } else {
        *at++ = SL_STEP_REPEAT | SL_STEP_ESCAPE << 2;
        at = sl_encode_varint(at, less_one - SL_STEP_ESCAPE);
    }
    s->control.count = (size_t)(at - s->control.data);
}

static uint8_t *encode_raw_mask(uint8_t *at, uint64_t mask, uint32_t lanes)
{
    if (lanes == 64) {
        sl_store64(at, mask);
        return at + 8;
    }
    sl_store32(at, (uint32_t)mask);
    return at + 4;
}

/* A mask often is one that was there before (a branch joins) or what is left of one (its other side). */
static uint8_t *encode_step_mask(uint8_t *at, const uint64_t history[SL_MASK_HISTORY], uint64_t mask, uint32_t lanes)
{
    for (unsigned k = 1; k < SL_MASK_HISTORY; k++)
        if (history[k] == mask) {
            *at++ = (uint8_t)(SL_MASK_RECALL + k);
            return at;
        }
    for (unsigned k = 1; k < SL_MASK_HISTORY; k++)
        if ((history[k] & ~history[0]) == mask) {
            *at++ = (uint8_t)(SL_MASK_REST + k);
            return at;
        }
    *at++ = SL_MASK_RAW;
    return encode_raw_mask(at, mask, lanes);
}

void sl_warp_stream_step(sl_warp_stream *s, uint32_t bb, uint64_t mask)
{
    if (LIKELY(bb == s->last_bb && mask == s->step_mask)) {
        s->repeats++;
        return;
    }
    flush_repeats(s);
    uint8_t *at = room(s, &s->control, 1 + SL_VARINT_MAX + 1 + 8);
    if (!at)
        return;
    bool new_mask = mask != s->step_mask;
    uint64_t difference = sl_zigzag((uint64_t)(int64_t)(int32_t)(bb - s->last_bb));
    unsigned kind = new_mask ? SL_STEP_NEW_MASK : SL_STEP_SAME_MASK;
    if (difference < SL_STEP_ESCAPE) {
        *at++ = (uint8_t)(kind | difference << 2);
    } else {
        *at++ = (uint8_t)(kind | SL_STEP_ESCAPE << 2);
        at = sl_encode_varint(at, difference - SL_STEP_ESCAPE);
    }
    if (new_mask) {
        at = encode_step_mask(at, s->history, mask, s->lanes);
        sl_mask_push(s->history, mask);
    }
    s->control.count = (size_t)(at - s->control.data);
    s->last_bb = bb;
    s->step_mask = mask;
}

/* ---- memory ---- */

static void flush_predicted(sl_warp_stream *s)
{
    if (!s->predicted)
        return;
    uint8_t *at = room(s, &s->memory, 1 + SL_VARINT_MAX);
    if (!at)
        return;
    uint64_t less_one = s->predicted - 1;
    s->predicted = 0;
    if (less_one < SL_RUN_ESCAPE) {
        *at++ = (uint8_t)(SL_TOKEN_RUN | less_one << 3);
    } else {
        *at++ = SL_TOKEN_RUN | SL_RUN_ESCAPE << 3;
        at = sl_encode_varint(at, less_one - SL_RUN_ESCAPE);
    }
    s->memory.count = (size_t)(at - s->memory.data);
}

void sl_predictor_affine(sl_predictor *p, uint32_t lanes, int64_t stride, int64_t row, uint32_t row_lanes,
                         uint32_t phase)
{
    p->affine = true;
    p->stride = stride;
    p->row = row;
    p->row_lanes = (uint8_t)row_lanes;
    p->phase = (uint8_t)phase;
    p->known = sl_full_mask(lanes);
    if (row_lanes == lanes && (uint64_t)stride + (1 << 24) < 1 << 25) { /* lanes are below 64: offsets fit */
        for (uint32_t i = 0; i < lanes; i++)
            p->offset[i] = (int32_t)i * (int32_t)stride;
        return;
    }
    uint32_t column = phase;
    uint64_t row_start = 0;
    for (uint32_t i = 0; i < lanes; i++, column++) {
        if (column == row_lanes) {
            column = 0;
            row_start += (uint64_t)row;
        }
        int64_t offset = (int64_t)(row_start + column * (uint64_t)stride);
        p->offset[i] = (int32_t)offset;
        if (offset != (int32_t)offset)
            p->known = 0;
    }
}

/* The same from the addresses of the lanes in `mask`. */
static void predictor_gather(sl_predictor *p, uint64_t mask, uint32_t lanes, const uint64_t *addr)
{
    uint64_t base = p->base, outside = 0;
    p->affine = false;
    if (mask == sl_full_mask(lanes)) {
        for (uint32_t i = 0; i < lanes; i++) {
            uint64_t offset = addr[i] - base;
            p->offset[i] = (int32_t)offset;
            outside |= offset + (UINT64_C(1) << 31); /* has no bits above the 32nd when the offset fits */
        }
    } else {
        memset(p->offset, 0, sizeof p->offset);
        for (uint64_t left = mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            uint64_t offset = addr[i] - base;
            p->offset[i] = (int32_t)offset;
            outside |= offset + (UINT64_C(1) << 31);
        }
    }
    p->known = outside >> 32 ? 0 : mask;
}

typedef struct affine_form {
    uint64_t base;
    int64_t stride, row;
    uint32_t row_lanes, phase;
} affine_form;

/* The first active lane at or after `from` that is not at addr[anchor] + (lane - anchor) * stride; `lanes`: none. */
static unsigned first_off_line(const uint64_t *addr, uint64_t mask, unsigned lanes, unsigned anchor, unsigned from,
                               uint64_t stride)
{
    for (uint64_t left = from < lanes ? mask >> from << from : 0; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        if (addr[i] != addr[anchor] + (i - anchor) * stride)
            return i;
    }
    return lanes;
}

/* Lanes lie on one line, or on rows of equal length and distance (a 16x16 block's warp covers two rows), of which the
 * warp may begin in the middle (`phase`). */
static bool find_affine(const uint64_t *addr, uint64_t mask, unsigned lanes, affine_form *form)
{
    unsigned first = (unsigned)__builtin_ctzll(mask);
    uint64_t rest = mask & (mask - 1);
    *form = (affine_form){.base = addr[first], .row_lanes = lanes};
    if (!rest)
        return true;
    unsigned second = (unsigned)__builtin_ctzll(rest), gap = second - first;
    int64_t distance = (int64_t)(addr[second] - addr[first]);
    if (distance % (int64_t)gap)
        return false;
    uint64_t stride = (uint64_t)(distance / (int64_t)gap);
    form->stride = (int64_t)stride;
    form->base = addr[first] - first * stride;
    unsigned b1 = first_off_line(addr, mask, lanes, first, second, stride);
    if (b1 == lanes)
        return true;
    unsigned b2 = first_off_line(addr, mask, lanes, b1, b1, stride);
    if (b2 < lanes) { /* a whole row between two breaks */
        form->row_lanes = b2 - b1;
    } else { /* two pieces: the longer one is a whole row */
        form->row_lanes = b1 > lanes - b1 ? b1 : lanes - b1;
    }
    if (b1 > form->row_lanes)
        return false;
    form->phase = form->row_lanes - b1;
    form->base = addr[first] - (first + form->phase) * stride;
    uint64_t row = addr[b1] - form->base;
    form->row = (int64_t)row;
    for (uint64_t left = b2 < lanes ? mask >> b2 << b2 : 0; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left), at = i + form->phase;
        if (addr[i] != form->base + at % form->row_lanes * stride + at / form->row_lanes * row)
            return false;
    }
    return true;
}

/* Slot and base of a first access go to the anchors; later ones as a difference. */
static uint8_t *encode_base(sl_warp_stream *s, uint8_t *at, uint32_t slot, uint64_t base)
{
    sl_predictor *p = &s->predictor[slot];
    if (p->epoch == s->epoch) {
        at = sl_encode_varint(at, sl_zigzag(base - p->base));
        sl_predictor_move(p, base);
        return at;
    }
    uint8_t *anchor = room(s, &s->anchors, SL_ANCHOR_BYTES);
    if (anchor) {
        sl_store32(anchor, slot);
        sl_store64(anchor + 4, base);
        s->anchors.count += SL_ANCHOR_BYTES;
    }
    sl_predictor_start(p, s->epoch, base);
    return at;
}

static unsigned bits_of(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* Packs `count` values of `width` bits, lowest bit first. Up to eight bytes behind them are overwritten. */
static uint8_t *pack_bits(uint8_t *at, const uint64_t *values, unsigned count, unsigned width)
{
    uint64_t pending = 0;
    unsigned bits = 0, low = width > 32 ? 32 : width, high = width - low;
    for (unsigned i = 0; i < count; i++) {
        pending |= (high ? values[i] & UINT32_MAX : values[i]) << bits;
        bits += low;
        if (bits >= 32) {
            sl_store32(at, (uint32_t)pending);
            at += 4;
            pending >>= 32;
            bits -= 32;
        }
        if (high) {
            pending |= values[i] >> 32 << bits;
            bits += high;
            if (bits >= 32) {
                sl_store32(at, (uint32_t)pending);
                at += 4;
                pending >>= 32;
                bits -= 32;
            }
        }
    }
    sl_store64(at, pending);
    return at + (bits + 7) / 8;
}

/* The addresses of a gather, and what decides how they are encoded. */
typedef struct gather {
    unsigned count;
    uint64_t addr[SL_MAX_LANES]; /* of active lanes */
    uint64_t lowest, highest;
    unsigned shift, frame_width, chain_width;
} gather;

static void measure(gather *g, uint64_t mask, unsigned lanes, const uint64_t *addr)
{
    if (mask == sl_full_mask(lanes)) {
        memcpy(g->addr, addr, lanes * sizeof *addr);
        g->count = lanes;
    } else {
        g->count = 0;
        for (uint64_t left = mask; left; left &= left - 1)
            g->addr[g->count++] = addr[__builtin_ctzll(left)];
    }
    uint64_t first = addr[__builtin_ctzll(mask)], lowest = first, highest = first, unequal = 0, chain_bits = 0;
    for (unsigned i = 1; i < g->count; i++) {
        uint64_t a = g->addr[i];
        lowest = a < lowest ? a : lowest;
        highest = a > highest ? a : highest;
        unequal |= a ^ first;
        chain_bits |= sl_zigzag(a - g->addr[i - 1]);
    }
    g->lowest = lowest;
    g->highest = highest;
    g->shift = (unsigned)__builtin_ctzll(unequal); /* not all are equal: that would be affine */
    g->frame_width = bits_of((highest - lowest) >> g->shift);
    g->chain_width = bits_of(chain_bits) - g->shift; /* a zigzag code has the sign in its lowest bit */
}

static uint8_t *encode_chain(sl_warp_stream *s, uint8_t *token, uint8_t *at, uint32_t slot, gather *g)
{
    *token |= SL_TOKEN_CHAIN;
    at = encode_base(s, at, slot, g->addr[0]);
    *at++ = (uint8_t)g->shift;
    *at++ = (uint8_t)g->chain_width;
    uint64_t chain[SL_MAX_LANES];
    for (unsigned i = 1; i < g->count; i++)
        chain[i] = sl_zigzag((uint64_t)((int64_t)(g->addr[i] - g->addr[i - 1]) >> g->shift));
    return pack_bits(at, chain + 1, g->count - 1, g->chain_width);
}

/* Gathers from one table mostly fit the frame of the one before, which then need not be said again. */
static bool fits_frame(const sl_predictor *p, const gather *g)
{
    return p->frame_width && g->lowest >= p->frame && g->shift >= p->frame_shift &&
           !((g->lowest - p->frame) & sl_full_mask(p->frame_shift)) &&
           bits_of((g->highest - p->frame) >> p->frame_shift) <= p->frame_width;
}

/* The base is rounded down as far as costs no bit: gathers from one table, of this warp and of others, then tend to
 * have the same base, though their lowest addresses differ. */
static uint64_t frame_base(const gather *g)
{
    uint64_t reach = sl_full_mask(g->frame_width) << g->shift; /* the highest offset that still fits */
    unsigned coarse = bits_of(reach - (g->highest - g->lowest));
    uint64_t base = g->lowest & ~sl_full_mask(coarse);
    for (; coarse > g->shift && (g->highest - base > reach || (g->lowest - base) & sl_full_mask(g->shift)); coarse--)
        base = g->lowest & ~sl_full_mask(coarse - 1);
    return coarse > g->shift ? base : g->lowest;
}

static uint8_t *encode_frame(sl_warp_stream *s, uint8_t *token, uint8_t *at, uint32_t slot, gather *g, bool again)
{
    sl_predictor *p = &s->predictor[slot];
    *token |= SL_TOKEN_FRAME;
    if (again) {
        *token |= SL_FRAME_AGAIN;
        sl_predictor_move(p, p->frame);
    } else {
        uint64_t base = frame_base(g);
        at = encode_base(s, at, slot, base);
        *at++ = (uint8_t)g->shift;
        *at++ = (uint8_t)g->frame_width;
        p->frame = base;
        p->frame_shift = (uint8_t)g->shift;
        p->frame_width = (uint8_t)g->frame_width;
    }
    const uint64_t frame = p->frame;
    const unsigned shift = p->frame_shift;
    for (unsigned i = 0; i < g->count; i++)
        g->addr[i] = (g->addr[i] - frame) >> shift;
    return pack_bits(at, g->addr, g->count, p->frame_width);
}

/* Bit-packed: offsets from a base, or differences from lane to lane, whichever are shorter; low bits that all have in
 * common are left out. */
static uint8_t *encode_gather(sl_warp_stream *s, uint8_t *token, uint8_t *at, uint32_t slot, uint64_t mask,
                              const uint64_t *addr)
{
    enum { HEAD_BITS = 5 * 8 }; /* base, shift and width */
    sl_predictor *p = &s->predictor[slot];
    gather g;
    measure(&g, mask, s->lanes, addr);
    unsigned frame_bits = g.count * g.frame_width + HEAD_BITS;
    bool again = p->epoch == s->epoch && fits_frame(p, &g) && g.count * p->frame_width < frame_bits;
    if (again)
        frame_bits = g.count * p->frame_width;
    if (g.chain_width * (g.count - 1) + HEAD_BITS < frame_bits)
        at = encode_chain(s, token, at, slot, &g);
    else
        at = encode_frame(s, token, at, slot, &g, again);
    predictor_gather(p, mask, s->lanes, addr);
    return at;
}

/* The form that the slot's predictor has by now. */
static uint8_t *encode_affine(sl_warp_stream *s, uint8_t *token, uint8_t *at, uint32_t slot, uint64_t base)
{
    const sl_predictor *p = &s->predictor[slot];
    *token |= SL_TOKEN_AFFINE;
    at = encode_base(s, at, slot, base);
    at = sl_encode_varint(at, sl_zigzag((uint64_t)p->stride));
    if (p->row_lanes < s->lanes) {
        *token |= SL_AFFINE_ROWS;
        *at++ = p->row_lanes;
        *at++ = p->phase;
        at = sl_encode_varint(at, sl_zigzag((uint64_t)p->row));
    }
    return at;
}

/* The first access of a slot mostly has the form that the slot had in the warp before, whose entry is still there. It
 * may be taken only where find_affine would give the same one: what is written must not depend on what ran before. */
static bool has_old_form(const sl_warp_stream *s, const sl_predictor *p, uint64_t mask, const uint64_t *addr,
                         uint64_t *base)
{
    uint64_t full = sl_full_mask(s->lanes);
    bool line = p->row_lanes == s->lanes && (mask & (mask - 1));
    if (!p->epoch || !p->affine || p->known != full || !(line || (p->all_lanes && mask == full)))
        return false;
    unsigned first = (unsigned)__builtin_ctzll(mask);
    *base = addr[first] - (uint64_t)(int64_t)p->offset[first];
    return match(s, p, addr, *base, mask);
}

static uint8_t *encode_access_mask(sl_warp_stream *s, uint8_t *token, uint8_t *at, uint64_t mask)
{
    if (mask == s->step_mask) {
        *token = SL_ACCESS_STEP_MASK << 3;
        return at;
    }
    if (mask == s->access_mask) {
        *token = SL_ACCESS_LAST_MASK << 3;
        return at;
    }
    *token = SL_ACCESS_RAW_MASK << 3;
    s->access_mask = mask;
    return encode_raw_mask(at, mask, s->lanes);
}

/* Everything but the expected case. */
static __attribute__((noinline)) void write_access(sl_warp_stream *s, uint32_t slot, uint64_t mask,
                                                   const uint64_t *addr, bool same_offsets, uint64_t base)
{
    enum { LONGEST = 1 + 8 + SL_VARINT_MAX + 2 + (SL_MAX_LANES + 1) * 8 };
    flush_predicted(s);
    uint8_t *token = room(s, &s->memory, LONGEST);
    if (!token)
        return;
    uint8_t *at = token + 1;
    affine_form form;
    if (!mask) {
        *token = SL_TOKEN_EMPTY;
    } else {
        at = encode_access_mask(s, token, at, mask);
        sl_predictor *p = &s->predictor[slot];
        if (same_offsets && base == p->base + (uint64_t)p->step) {
            *token |= SL_TOKEN_PREDICTED;
            sl_predictor_hit(p);
        } else if (same_offsets) {
            *token |= SL_TOKEN_MOVED;
            at = encode_base(s, at, slot, base);
        } else if (p->epoch != s->epoch && has_old_form(s, p, mask, addr, &base)) {
            at = encode_affine(s, token, at, slot, base);
        } else if (find_affine(addr, mask, s->lanes, &form)) {
            sl_predictor_affine(p, s->lanes, form.stride, form.row, form.row_lanes, form.phase);
            p->all_lanes = mask == sl_full_mask(s->lanes);
            at = encode_affine(s, token, at, slot, form.base);
        } else {
            at = encode_gather(s, token, at, slot, mask, addr);
        }
    }
    s->memory.count = (size_t)(at - s->memory.data);
}

void sl_warp_stream_access(sl_warp_stream *s, uint32_t mem_slot, uint64_t mask, const uint64_t *addr)
{
    if (s->failed)
        return;
    sl_predictor *p = &s->predictor[mem_slot];
    bool same_offsets = false;
    uint64_t base = 0;
    if (LIKELY(mask && p->epoch == s->epoch && !(mask & ~p->known))) {
        unsigned first = (unsigned)__builtin_ctzll(mask);
        base = addr[first] - (uint64_t)(int64_t)p->offset[first];
        same_offsets = match(s, p, addr, base, mask);
        if (LIKELY(same_offsets && mask == s->step_mask && base == p->base + (uint64_t)p->step)) {
            sl_predictor_hit(p);
            s->predicted++;
            return;
        }
    }
    write_access(s, mem_slot, mask, addr, same_offsets, base);
}

void sl_warp_stream_rows(sl_warp_stream *s, uint32_t slot, uint64_t mask, const sl_row *row, size_t rows,
                         uint32_t blocks)
{
    if (s->failed)
        return;
    if (!rows) {
        write_access(s, slot, 0, NULL, false, 0);
        return;
    }
    flush_predicted(s);
    uint8_t *token = room(s, &s->memory, 1 + 8 + (3 + 6 * rows) * SL_VARINT_MAX);
    if (!token)
        return;
    uint8_t *at = encode_access_mask(s, token, token + 1, mask);
    *token |= SL_TOKEN_ROWS;
    if (blocks != 1) {
        *token |= SL_ROWS_BLOCKS;
        at = sl_encode_varint(at, blocks);
    }
    at = encode_base(s, at, slot, row->addr);
    at = sl_encode_varint(at, rows);
    uint64_t addr = row->addr, other = 0;
    for (size_t i = 0; i < rows; i++, row++) {
        at = sl_encode_varint(at, sl_zigzag(row->addr - addr));
        at = sl_encode_varint(at, sl_zigzag(row->other - other));
        at = sl_encode_varint(at, row->bytes);
        at = sl_encode_varint(at, row->count);
        if (row->count > 1) {
            at = sl_encode_varint(at, sl_zigzag((uint64_t)row->step));
            at = sl_encode_varint(at, sl_zigzag((uint64_t)row->other_step));
        }
        addr = row->addr;
        other = row->other;
    }
    s->memory.count = (size_t)(at - s->memory.data);
}

void sl_warp_stream_flush(sl_warp_stream *s)
{
    flush_repeats(s);
    flush_predicted(s);
    uint8_t *at = room(s, &s->memory, s->anchors.count + SL_ANCHOR_COUNT_BYTES);
    if (!at)
        return;
    if (s->anchors.count)
        memcpy(at, s->anchors.data, s->anchors.count);
    sl_store32(at + s->anchors.count, (uint32_t)(s->anchors.count / SL_ANCHOR_BYTES));
    s->memory.count += s->anchors.count + SL_ANCHOR_COUNT_BYTES;
    s->anchors.count = 0;
}

sl_status sl_warp_stream_end(sl_warp_stream *s, uint32_t warp, sl_warp_view *view, sl_error *error)
{
    sl_warp_stream_flush(s);
    *view = (sl_warp_view){warp, s->control.data, s->memory.data, s->control.count, s->memory.count};
    return s->failed ? sl_fail_memory(error) : SL_OK;
}
