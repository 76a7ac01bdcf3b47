/* SPDX-License-Identifier: MIT */
/* What encode.c and decode.c share: the tokens of the two streams, and the predictor that both sides keep in step.
 * docs/trace-format.md describes the bytes. */
#ifndef SL_TRACE_CODEC_H
#define SL_TRACE_CODEC_H

#include <string.h>

#include "sluice/trace.h"

/* What the accesses of one memory slot look like: lane i is at base + offset[i]. Encoder and decoder keep the same ones
 * in step; nobody else looks inside. */
typedef struct sl_predictor {
    uint64_t base;
    int64_t step;        /* expected change of base from one access to the next */
    int64_t last;        /* its last change: an unexpected one becomes the step when it comes twice in a row */
    int64_t stride, row; /* closed form of the offsets when affine (see sl_access) */
    uint64_t known;      /* lanes whose offset is valid */
    uint64_t frame;      /* gathers: the base and form of the last one that was bit-packed */
    uint8_t frame_shift, frame_width;
    uint8_t row_lanes, phase;
    uint32_t epoch;      /* of the stream that wrote this entry: others count as never seen */
    bool affine, fresh;  /* fresh: one access seen so far, the step is a guess */
    bool all_lanes;      /* the closed form was found with all lanes active */
    uint64_t what_if[2]; /* state of what changes the accesses (what_if.h) */
    int32_t offset[SL_MAX_LANES];
} sl_predictor;

typedef struct sl_bytes {
    uint8_t *data;
    size_t count, capacity;
} sl_bytes;

enum { SL_MASK_HISTORY = 8 };

/* The encoder of a warp. */
struct sl_warp_stream {
    sl_bytes control, memory;
    uint32_t last_bb;
    uint64_t step_mask;                /* the mask of the current step, which accesses default to */
    uint64_t access_mask;              /* the last mask of an access that differed from its step's */
    uint64_t history[SL_MASK_HISTORY]; /* step masks, latest first */
    uint64_t repeats;                  /* identical steps not yet written */
    uint64_t predicted;                /* accesses as predicted not yet written */
    sl_bytes anchors;                  /* first address of each slot; joins `memory` at the end */
    uint32_t slots, capacity;
    sl_predictor *predictor; /* [slots] */
    uint32_t epoch;
    uint8_t lanes;
    uint8_t isa; /* which version of the lane loops this CPU runs */
    bool failed; /* memory ran out: the stream is incomplete */
};

/* On storage of the caller; see sl_warp_stream_create. False when memory runs out. */
bool sl_warp_stream_init(sl_warp_stream *, uint32_t mem_slots, uint32_t lanes);
void sl_warp_stream_fini(sl_warp_stream *);
/* Writes pending state: the bytes of `control` and `memory` are complete unless `failed` is set. */
void sl_warp_stream_flush(sl_warp_stream *);

/* The decoder of a warp. */
struct sl_warp_cursor {
    uint32_t bb; /* current step */
    uint64_t mask;
    sl_access access; /* current access */
    const sl_trace_kernel *kernel;
    const uint8_t *control, *control_end, *memory, *memory_end, *anchors, *anchors_end;
    uint64_t access_mask, history[SL_MASK_HISTORY];
    uint64_t repeats, predicted;
    uint32_t lanes, first_slot, next_slot, end_slot; /* memory slots of the step */
    sl_predictor *predictor;
    bool damaged;
    bool pieces; /* those of an access to rows are being read */
};

/* `predictor` is scratch of kernel->mem_slots entries. */
void sl_warp_cursor_init(sl_warp_cursor *, const sl_trace_kernel *, uint32_t lanes, const sl_warp_view *,
                         sl_predictor *predictor);

/* Control stream: the low two bits of a step's first byte. The other six hold, for REPEAT, the number of repeats less
 * one, else the zigzag difference of basic blocks; SL_STEP_ESCAPE: a varint with what is left follows. */
enum { SL_STEP_REPEAT, SL_STEP_SAME_MASK, SL_STEP_NEW_MASK, SL_STEP_ESCAPE = 63 };

/* The byte that says where a step's new mask comes from; SL_MASK_RAW: lanes/8 bytes follow. */
enum { SL_MASK_RECALL = 0, SL_MASK_REST = SL_MASK_HISTORY, SL_MASK_RAW = 2 * SL_MASK_HISTORY };

/* Memory stream: the low three bits of an access's first byte. */
enum {
    SL_TOKEN_RUN,       /* upper five bits: this many accesses plus one are as predicted; 31: a varint follows */
    SL_TOKEN_PREDICTED, /* one as predicted, but with another mask */
    SL_TOKEN_MOVED,     /* offsets as before, base changed by a zigzag varint */
    SL_TOKEN_AFFINE,
    SL_TOKEN_FRAME, /* offsets from the lowest address, bit-packed */
    SL_TOKEN_CHAIN, /* zigzag differences from lane to lane, bit-packed */
    SL_TOKEN_EMPTY, /* no lane took part */
    SL_TOKEN_ROWS,  /* rows of any number and length */
    SL_TOKEN_KINDS,
    SL_RUN_ESCAPE = 31,
};
/* Bits 3 and 4 of all but RUN: which mask. */
enum { SL_ACCESS_STEP_MASK, SL_ACCESS_LAST_MASK, SL_ACCESS_RAW_MASK };
/* Bit 5 of AFFINE: rows follow. Bit 5 of FRAME: base, shift and width are those of the slot's last FRAME. Bit 5 of
 * ROWS: a number of blocks follows. */
enum { SL_AFFINE_ROWS = 1 << 5, SL_FRAME_AGAIN = 1 << 5, SL_ROWS_BLOCKS = 1 << 5 };
enum { SL_ROW_CUT = 128, SL_ROWS_PIECES = 32 }; /* see sl_access */
#define SL_ROWS_BYTES (UINT64_C(1) << 40)       /* no access has more */

/* The first base of a slot is kept out of the tokens: these differ from warp to warp when nothing else does, so the
 * file writer codes them against the neighbors. In the memory stream they stand after the tokens, each as slot (4
 * bytes) and base (8 bytes), and their number (4 bytes) comes last. */
enum { SL_ANCHOR_BYTES = 12, SL_ANCHOR_COUNT_BYTES = 4 };

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SL_LITTLE64(x) __builtin_bswap64(x)
#define SL_LITTLE32(x) __builtin_bswap32(x)
#else
#define SL_LITTLE64(x) (x)
#define SL_LITTLE32(x) (x)
#endif

static inline uint64_t sl_load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return SL_LITTLE64(value);
}

static inline uint32_t sl_load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return SL_LITTLE32(value);
}

static inline void sl_store64(uint8_t *at, uint64_t value)
{
    value = SL_LITTLE64(value);
    memcpy(at, &value, sizeof value);
}

static inline void sl_store32(uint8_t *at, uint32_t value)
{
    value = SL_LITTLE32(value);
    memcpy(at, &value, sizeof value);
}

enum { SL_VARINT_MAX = 10 };

static inline uint8_t *sl_encode_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* NULL when the bytes end early or the value does not fit 64 bits. */
static inline const uint8_t *sl_decode_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    uint64_t result = 0;
    if (at < end && *at < 0x80) { /* most are this short */
        *value = *at;
        return at + 1;
    }
    if (end - at >= 8) { /* the lengths of others cannot be foreseen, and branches cost more than this */
        uint64_t eight = sl_load64(at), ends = ~eight & UINT64_C(0x8080808080808080);
        if (ends) {
            eight &= ends ^ (ends - 1); /* up to the first byte that ends one */
            eight = (eight & UINT64_C(0x007f007f007f007f)) | (eight & UINT64_C(0x7f007f007f007f00)) >> 1;
            eight = (eight & UINT64_C(0x00003fff00003fff)) | (eight & UINT64_C(0x3fff00003fff0000)) >> 2;
            *value = (eight & UINT64_C(0x0fffffff)) | (eight & UINT64_C(0x0fffffff00000000)) >> 4;
            return at + __builtin_ctzll(ends) / 8 + 1;
        }
    }
    for (unsigned shift = 0; at < end; shift += 7) {
        uint8_t byte = *at++;
        if (shift == 63 && byte > 1)
            return NULL;
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *value = result;
            return at;
        }
    }
    return NULL;
}

static inline uint64_t sl_zigzag(uint64_t difference)
{
    return difference << 1 ^ -(difference >> 63);
}

static inline uint64_t sl_unzigzag(uint64_t code)
{
    return code >> 1 ^ -(code & 1);
}

static inline uint64_t sl_full_mask(uint32_t lanes)
{
    return lanes >= 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
}

/* history[0] is the current mask; it becomes `mask`. */
static inline void sl_mask_push(uint64_t history[SL_MASK_HISTORY], uint64_t mask)
{
    unsigned from = 1;
    while (from < SL_MASK_HISTORY - 1 && history[from] != mask)
        from++;
    memmove(history + 1, history, from * sizeof *history);
    history[0] = mask;
}

static inline void sl_mask_start(uint64_t history[SL_MASK_HISTORY], uint32_t lanes)
{
    memset(history, 0, SL_MASK_HISTORY * sizeof *history);
    history[1] = sl_full_mask(lanes);
}

/* The base moved as expected. */
static inline void sl_predictor_hit(sl_predictor *p)
{
    p->base += (uint64_t)p->step;
    p->last = p->step;
}

/* Moves the base. A single surprise does not change the expected step: after an inner loop starts over, it continues as
 * before. */
static inline void sl_predictor_move(sl_predictor *p, uint64_t base)
{
    int64_t change = (int64_t)(base - p->base);
    if (change != p->step) {
        if (p->fresh || change == p->last)
            p->step = change;
        p->fresh = false;
    }
    p->last = change;
    p->base = base;
}

static inline void sl_predictor_start(sl_predictor *p, uint32_t epoch, uint64_t base)
{
    p->epoch = epoch;
    p->base = base;
    p->step = p->last = 0;
    p->fresh = true;
    p->frame_width = 0;
    p->what_if[0] = p->what_if[1] = 0;
}

/* How sl_warp_cursor_fill uses a memory slot. */
typedef struct sl_slot_use {
    bool wanted;
    uint32_t width;
} sl_slot_use;
/* Puts the accesses of the warp, from where the cursor is, into the rows that are left, with all but their block and
 * warp; *more false at the end of the warp, else the rows are full. */
sl_status sl_warp_cursor_fill(sl_warp_cursor *c, const sl_slot_use *use, sl_access_rows *rows, bool *more,
                              sl_error *error);

/* Sets the closed form and the offsets it gives. Where offsets do not fit, no lane is known: the next access is then
 * written out again. */
void sl_predictor_affine(sl_predictor *p, uint32_t lanes, int64_t stride, int64_t row, uint32_t row_lanes,
                         uint32_t phase);

#endif
