/* SPDX-License-Identifier: MIT */
/* Pieces of memory that a warp accesses. Affine accesses, the majority, have closed forms; the rest is sorted. */
#include "access/coalesce.h"

#include <string.h>

typedef sl_sector_span span;

static span pieces_of(uint64_t low, uint64_t high, uint32_t width, unsigned log2_bytes)
{
    uint64_t end = high + (width ? width - 1 : 0);
    if (end < high) /* past the end of the address space: stays at its last byte */
        end = UINT64_MAX;
    return (span){low >> log2_bytes, end >> log2_bytes};
}

/* The bytes that lanes [from, to] of one row access are one span without a gap that could hold a whole piece. */
static bool row_span(const sl_access *a, uint64_t row_start, uint32_t from, uint32_t to, uint32_t width,
                     unsigned log2_bytes, span *out)
{
    uint64_t a0 = row_start + from * (uint64_t)a->stride, a1 = row_start + to * (uint64_t)a->stride;
    bool down = a->stride < 0;
    if (down ? a1 > a0 : a1 < a0)
        return false; /* wraps around */
    *out = pieces_of(down ? a1 : a0, down ? a0 : a1, width, log2_bytes);
    return true;
}

static bool contiguous(uint64_t bits)
{
    return !(bits & (bits + 1));
}

/* The spans of an affine access, ascending, disjoint or adjacent, one per row; 0: no closed form applies. */
static uint32_t affine_spans(const sl_access *a, uint32_t lanes, uint32_t width, unsigned log2_bytes,
                             span out[SL_MAX_LANES])
{
    uint64_t step = a->stride < 0 ? -(uint64_t)a->stride : (uint64_t)a->stride;
    uint32_t low = (uint32_t)__builtin_ctzll(a->mask), high = 63 - (uint32_t)__builtin_clzll(a->mask);
    if (step && (!contiguous(a->mask >> low) || step >= (UINT64_C(1) << log2_bytes) + width))
        return 0;
    if (a->row_lanes >= lanes)
        return row_span(a, a->base, low, high, width, log2_bytes, out);
    if (!contiguous(a->mask >> low))
        return 0;
    uint32_t rows = 0, column = low + a->phase;
    uint64_t row_start = a->base;
    if (low) { /* else the first row it is, and nothing need be divided */
        row_start += column / a->row_lanes * (uint64_t)a->row;
        column %= a->row_lanes;
    }
    for (uint32_t lane = low; lane <= high; row_start += (uint64_t)a->row, column = 0) {
        uint32_t count = a->row_lanes - column < high - lane + 1 ? a->row_lanes - column : high - lane + 1;
        if (!row_span(a, row_start, column, column + count - 1, width, log2_bytes, &out[rows++]))
            return 0;
        lane += count;
    }
    if (a->row < 0)
        for (uint32_t i = 0, j = rows - 1; i < j; i++, j--) {
            span swap = out[i];
            out[i] = out[j];
            out[j] = swap;
        }
    for (uint32_t i = 1; i < rows; i++)
        if (out[i].first < out[i - 1].first || out[i].last < out[i - 1].last)
            return 0;
    return rows;
}

/* The addresses of the lanes, in `scratch` where they are in closed form. */
static const uint64_t *lane_addresses(const sl_access *a, uint32_t lanes, uint64_t scratch[SL_MAX_LANES])
{
    if (!a->affine)
        return a->addr;
    sl_access_addresses(a, lanes, scratch);
    return scratch;
}

/* The spans of the lanes one by one, ascending. */
static uint32_t lane_spans(const sl_access *a, uint32_t lanes, uint32_t width, unsigned log2_bytes,
                           span out[SL_MAX_LANES])
{
    uint64_t expanded[SL_MAX_LANES], sorted[SL_MAX_LANES];
    const uint64_t *addr = lane_addresses(a, lanes, expanded);
    uint32_t count = 0;
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint64_t next = addr[__builtin_ctzll(left)];
        uint32_t at = count++;
        for (; at && sorted[at - 1] > next; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = next;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = pieces_of(sorted[i], sorted[i], width, log2_bytes);
    return count;
}

/* A gather whose lanes each access one piece: counts those that no earlier lane accessed. Pieces relative to the lowest
 * fit 32 bits for all but wild addresses, and then the comparison of all with all is a few dozen vector instructions,
 * several times faster than sorting. */
static bool count_gather(const sl_access *a, uint32_t width, unsigned log2_bytes, uint32_t *pieces)
{
    uint64_t number[SL_MAX_LANES], lowest = UINT64_MAX, highest = 0;
    uint32_t relative[SL_MAX_LANES], count = 0;
    for (uint64_t left = a->mask; left; left &= left - 1) {
        span s = pieces_of(a->addr[__builtin_ctzll(left)], a->addr[__builtin_ctzll(left)], width, log2_bytes);
        if (s.first != s.last)
            return false;
        number[count++] = s.first;
        lowest = s.first < lowest ? s.first : lowest;
        highest = s.first > highest ? s.first : highest;
    }
    if (highest - lowest > UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        relative[i] = (uint32_t)(number[i] - lowest);
    uint32_t different = count;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t seen = 0;
        for (uint32_t j = 0; j < i; j++)
            seen |= relative[j] == relative[i];
        different -= seen;
    }
    *pieces = different;
    return true;
}

uint32_t sl_coalesce_spans(const sl_access *a, uint32_t lanes, uint32_t width, unsigned log2_bytes,
                           span out[SL_MAX_LANES])
{
    if (!a->mask)
        return 0;
    uint32_t count = a->affine ? affine_spans(a, lanes, width, log2_bytes, out) : 0;
    return count ? count : lane_spans(a, lanes, width, log2_bytes, out);
}

uint32_t sl_coalesce_count(const sl_access *a, uint32_t lanes, uint32_t width, unsigned log2_bytes)
{
    span spans[SL_MAX_LANES];
    uint32_t pieces = 0;
    if (a->mask && !a->affine && count_gather(a, width, log2_bytes, &pieces))
        return pieces;
    return sl_span_sectors(spans, sl_coalesce_spans(a, lanes, width, log2_bytes, spans));
}

uint32_t sl_coalesce_list(const sl_access *a, uint32_t lanes, uint32_t width, unsigned log2_bytes, uint64_t *piece,
                          uint32_t capacity)
{
    span spans[SL_MAX_LANES];
    uint32_t pieces = 0;
    uint32_t count = sl_coalesce_spans(a, lanes, width, log2_bytes, spans);
    uint64_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t p = spans[i].first > next ? spans[i].first : next; p <= spans[i].last; p++) {
            if (pieces < capacity)
                piece[pieces] = p;
            pieces++;
            next = p + 1;
        }
    return pieces;
}

/* ---- shared memory ---- */

enum {
    BANKS = 32,
    BANK_BYTES = 4,
    MAX_LINES =
        2 * BANKS, /* of a group of lanes, which access at most 32 words, and one more each where they straddle */
};

/* Words accessed in the banks, by lines of 32 words, one bit each. */
typedef struct bank_lines {
    uint32_t count, wanted[MAX_LINES];
    uint64_t line[MAX_LINES];
} bank_lines;

static void ask(bank_lines *lines, uint64_t line, uint32_t words)
{
    uint32_t i = lines->count;
    while (i && lines->line[i - 1] != line) /* mostly it is the last one */
        i--;
    if (!i) {
        if (!words || lines->count == MAX_LINES)
            return;
        i = ++lines->count;
        lines->line[i - 1] = line;
        lines->wanted[i - 1] = 0;
    }
    lines->wanted[i - 1] |= words;
}

/* Adds the words of lanes [from, to), one by one. */
static void ask_lanes(bank_lines *lines, const sl_access *a, const uint64_t *addr, uint32_t from, uint32_t to,
                      uint32_t width)
{
    uint64_t last = UINT64_MAX; /* neighbors often access the same word */
    for (uint32_t i = from; i < to; i++) {
        if (!(a->mask >> i & 1))
            continue;
        span s = pieces_of(addr[i], addr[i], width, 2);
        for (uint64_t w = s.first; w <= s.last; w++) {
            if (w != last)
                ask(lines, w / BANKS, 1u << w % BANKS);
            last = w;
        }
    }
}

/* The same for rows of lanes that access one word each, or neighboring words. */
static void ask_rows(bank_lines *lines, const sl_access *a, uint32_t from, uint32_t to)
{
    uint32_t column = (from + a->phase) % a->row_lanes;
    uint64_t start = a->base + (from + a->phase) / a->row_lanes * (uint64_t)a->row;
    for (uint32_t lane = from; lane < to; column = 0, start += (uint64_t)a->row) {
        uint32_t count = a->row_lanes - column < to - lane ? a->row_lanes - column : to - lane;
        uint64_t lanes = a->mask >> lane & ((UINT64_C(1) << count) - 1);
        uint64_t first = (start + column * (uint64_t)a->stride) / BANK_BYTES;
        uint64_t words = (a->stride ? lanes : lanes != 0) << first % BANKS;
        ask(lines, first / BANKS, (uint32_t)words);
        if (words >> BANKS)
            ask(lines, first / BANKS + 1, (uint32_t)(words >> BANKS));
        lane += count;
    }
}

/* The max number of words in one bank: banks[n] has a bit for every bank with more than n. */
static uint32_t deepest(const bank_lines *lines)
{
    uint32_t banks[MAX_LINES], depth = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        uint32_t more = lines->wanted[i];
        for (uint32_t n = 0; n < depth && more; n++) {
            uint32_t again = banks[n] & more;
            banks[n] |= more;
            more = again;
        }
        if (more)
            banks[depth++] = more;
    }
    return depth;
}

/* Lanes with a stride of `stride` words: lanes whose distance is a multiple of `period` conflict in a bank. */
static uint32_t strided_passes(uint32_t mask, uint64_t stride)
{
    if (!stride || stride & 1)
        return mask != 0;
    uint32_t period = stride % BANKS ? BANKS >> __builtin_ctzll(stride) : 1, passes = 0;
    uint32_t same_bank = 0;
    for (uint32_t i = 0; i < BANKS; i += period)
        same_bank |= 1u << i;
    for (uint32_t i = 0; i < period; i++) {
        uint32_t count = (uint32_t)__builtin_popcount(mask >> i & same_bank);
        passes = count > passes ? count : passes;
    }
    return passes;
}

uint32_t sl_bank_passes(const sl_access *a, uint32_t lanes, uint32_t width)
{
    uint32_t words_each = width <= BANK_BYTES ? 1 : (width + BANK_BYTES - 1) / BANK_BYTES, passes = 0;
    uint32_t group = words_each >= BANKS ? 1 : BANKS / words_each;
    if (!a->mask)
        return 0;
    uint64_t stride = a->stride < 0 ? -(uint64_t)a->stride : (uint64_t)a->stride, expanded[SL_MAX_LANES];
    bool words = a->affine && width == BANK_BYTES && !((a->base | stride | (uint64_t)a->row) % BANK_BYTES);
    if (words && a->row_lanes >= lanes && stride <= UINT32_MAX)
        return strided_passes((uint32_t)a->mask, stride / BANK_BYTES) +
               strided_passes((uint32_t)(a->mask >> 32), stride / BANK_BYTES);
    bool rows = words && (a->stride == 0 || a->stride == BANK_BYTES);
    const uint64_t *addr = rows ? NULL : lane_addresses(a, lanes, expanded);
    for (uint32_t from = 0; from < lanes; from += group) {
        uint32_t to = from + group < lanes ? from + group : lanes;
        bank_lines lines;
        lines.count = 0;
        if (rows)
            ask_rows(&lines, a, from, to);
        else
            ask_lanes(&lines, a, addr, from, to, width);
        passes += deepest(&lines);
    }
    return passes;
}

uint32_t sl_atomic_passes(const sl_access *a, uint32_t lanes)
{
    uint64_t expanded[SL_MAX_LANES];
    const uint64_t *addr = lane_addresses(a, lanes, expanded);
    uint8_t asked[BANKS] = {0}, passes = 0;
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint8_t *bank = &asked[addr[__builtin_ctzll(left)] / BANK_BYTES % BANKS];
        passes = ++*bank > passes ? *bank : passes;
    }
    return passes;
}

uint32_t sl_constant_passes(const sl_access *a, uint32_t lanes)
{
    uint64_t expanded[SL_MAX_LANES];
    const uint64_t *addr = lane_addresses(a, lanes, expanded);
    uint32_t passes = 0;
    for (uint64_t left = a->mask; left; passes++) {
        uint64_t one = addr[__builtin_ctzll(left)];
        for (uint64_t lane = left; lane; lane &= lane - 1)
            if (addr[__builtin_ctzll(lane)] == one)
                left &= ~(lane & -lane);
    }
    return passes;
}
