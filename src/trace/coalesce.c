/* Pieces of memory that a warp touches. Affine accesses, which are most, have closed forms; the rest is sorted. */
#include "trace/coalesce.h"

#include <string.h>

typedef sl_piece_span span;

static span pieces_of(uint64_t low, uint64_t high, uint32_t width, unsigned log2_bytes)
{
    uint64_t end = high + (width ? width - 1 : 0);
    if (end < high) /* past the end of the address space: stays at its last byte */
        end = UINT64_MAX;
    return (span){low >> log2_bytes, end >> log2_bytes};
}

/* The bytes that lanes [from, to] of one row touch are one span without a gap that could hold a whole piece. */
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

/* The spans of an affine access, ascending and apart or touching, one per row; 0: no closed form applies. */
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

/* The spans of the lanes one by one, ascending. */
static uint32_t lane_spans(const sl_access *a, uint32_t lanes, uint32_t width, unsigned log2_bytes,
                           span out[SL_MAX_LANES])
{
    sl_access expanded;
    if (a->affine) {
        expanded = *a;
        sl_access_expand(&expanded, lanes);
        a = &expanded;
    }
    uint64_t sorted[SL_MAX_LANES];
    uint32_t count = 0;
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint64_t addr = a->addr[__builtin_ctzll(left)];
        uint32_t at = count++;
        for (; at && sorted[at - 1] > addr; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = addr;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = pieces_of(sorted[i], sorted[i], width, log2_bytes);
    return count;
}

/* A gather whose lanes each touch one piece: counts those that no earlier lane touched. Pieces relative to the lowest
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
    return sl_span_pieces(spans, sl_coalesce_spans(a, lanes, width, log2_bytes, spans));
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
    MOST_WORDS = 2 * BANKS, /* of a bank: 32 lanes, each of which may straddle two words */
};

/* What the banks are asked for: different words of each. */
typedef struct bank_queues {
    uint32_t depth[BANKS], deepest;
    uint64_t word[BANKS][MOST_WORDS];
} bank_queues;

static void ask(bank_queues *q, uint64_t word)
{
    uint32_t bank = word % BANKS, depth = q->depth[bank], i = 0;
    while (i < depth && q->word[bank][i] != word)
        i++;
    if (i < depth || depth == MOST_WORDS)
        return;
    q->word[bank][depth] = word;
    q->depth[bank] = depth + 1;
    q->deepest = depth + 1 > q->deepest ? depth + 1 : q->deepest;
}

uint32_t sl_bank_passes(const sl_access *a, uint32_t lanes, uint32_t width)
{
    sl_access expanded = *a;
    uint32_t words_each = width <= BANK_BYTES ? 1 : (width + BANK_BYTES - 1) / BANK_BYTES, passes = 0;
    uint32_t group = words_each >= BANKS ? 1 : BANKS / words_each;
    if (!a->mask)
        return 0;
    sl_access_expand(&expanded, lanes);
    for (uint32_t from = 0; from < lanes; from += group) {
        bank_queues queues;
        memset(queues.depth, 0, sizeof queues.depth);
        queues.deepest = 0;
        for (uint32_t i = from; i < lanes && i < from + group; i++) {
            if (!(a->mask >> i & 1))
                continue;
            span s = pieces_of(expanded.addr[i], expanded.addr[i], width, 2);
            for (uint64_t w = s.first; w <= s.last; w++)
                ask(&queues, w);
        }
        passes += queues.deepest;
    }
    return passes;
}
