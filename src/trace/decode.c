/* SPDX-License-Identifier: MIT */
/* Decoding of what encode.c wrote, step by step. The bytes may come from anywhere: every value is checked before it is
 * used, and damage is an error, never a wild access. */
#include <stddef.h>
#include <stdlib.h>

#include "trace/codec.h"

static sl_status damaged(sl_warp_cursor *c, sl_error *error, const char *what)
{
    c->damaged = true;
    return sl_fail(error, SL_CORRUPT, "the trace of a warp is damaged: %s", what);
}

void sl_warp_cursor_init(sl_warp_cursor *c, const sl_trace_kernel *kernel, uint32_t lanes, const sl_warp_view *view,
                         sl_predictor *predictor)
{
    static const uint8_t nothing[1];
    const uint8_t *control = view->control_bytes ? view->control : nothing;
    memset(&c->kernel, 0, sizeof *c - offsetof(sl_warp_cursor, kernel)); /* not the addresses of an access */
    c->bb = UINT32_MAX;
    c->mask = 0;
    c->access.mask = 0;
    c->access.bulk = false;
    c->kernel = kernel;
    c->control = control;
    c->control_end = control + view->control_bytes;
    c->memory = view->memory;
    c->lanes = lanes;
    c->predictor = predictor;
    sl_mask_start(c->history, lanes);
    for (uint32_t i = 0; i < kernel->mem_slots; i++)
        predictor[i].epoch = 0;
    size_t anchors_bytes = 0;
    if (view->memory_bytes >= SL_ANCHOR_COUNT_BYTES) {
        const uint8_t *count_at = view->memory + view->memory_bytes - SL_ANCHOR_COUNT_BYTES;
        anchors_bytes = (size_t)sl_load32(count_at) * SL_ANCHOR_BYTES;
        if (anchors_bytes <= view->memory_bytes - SL_ANCHOR_COUNT_BYTES) {
            c->anchors_end = count_at;
            c->memory_end = c->anchors = count_at - anchors_bytes;
            return;
        }
    }
    c->damaged = true;
}

static const uint8_t *get_raw_mask(const uint8_t *at, const uint8_t *end, uint32_t lanes, uint64_t *mask)
{
    size_t bytes = lanes / 8;
    if ((size_t)(end - at) < bytes)
        return NULL;
    *mask = lanes == 64 ? sl_load64(at) : sl_load32(at);
    return at + bytes;
}

/* ---- control ---- */

static sl_status read_step_mask(sl_warp_cursor *c, sl_error *error)
{
    if (c->control == c->control_end)
        return damaged(c, error, "it ends within a step");
    uint8_t source = *c->control++;
    uint64_t mask;
    if (source < SL_MASK_REST) {
        mask = c->history[source];
    } else if (source < SL_MASK_RAW) {
        mask = c->history[source - SL_MASK_REST] & ~c->history[0];
    } else if (source == SL_MASK_RAW) {
        const uint8_t *after = get_raw_mask(c->control, c->control_end, c->lanes, &mask);
        if (!after)
            return damaged(c, error, "it ends within a mask");
        c->control = after;
    } else {
        return damaged(c, error, "unknown kind of mask");
    }
    sl_mask_push(c->history, mask);
    c->mask = mask;
    return SL_OK;
}

/* The memory slots of a basic block are consecutive, and near those of the block before. */
static void find_slots(sl_warp_cursor *c)
{
    const sl_trace_kernel *k = c->kernel;
    uint32_t inst = k->bb[c->bb].first, end = inst + k->bb[c->bb].count, slot = c->first_slot;
    while (slot && k->mem_inst[slot - 1] >= inst)
        slot--;
    while (slot < k->mem_slots && k->mem_inst[slot] < inst)
        slot++;
    c->first_slot = slot;
    while (slot < k->mem_slots && k->mem_inst[slot] < end)
        slot++;
    c->end_slot = slot;
}

static sl_status read_step(sl_warp_cursor *c, sl_error *error)
{
    uint8_t token = *c->control++;
    unsigned kind = token & 3;
    uint64_t value = token >> 2;
    if (value == SL_STEP_ESCAPE) {
        uint64_t more;
        const uint8_t *after = sl_decode_varint(c->control, c->control_end, &more);
        if (!after || more > UINT64_MAX - SL_STEP_ESCAPE - 1)
            return damaged(c, error, "a step does not end");
        c->control = after;
        value += more;
    }
    if (kind == SL_STEP_REPEAT) {
        if (c->bb == UINT32_MAX)
            return damaged(c, error, "it begins with a repeat");
        c->repeats = value;
        return SL_OK;
    }
    if (kind != SL_STEP_SAME_MASK && kind != SL_STEP_NEW_MASK)
        return damaged(c, error, "unknown kind of step");
    uint64_t bb = c->bb + (uint32_t)sl_unzigzag(value);
    if ((uint32_t)bb >= c->kernel->bbs)
        return damaged(c, error, "a basic block that the kernel does not have");
    c->bb = (uint32_t)bb;
    find_slots(c);
    return kind == SL_STEP_NEW_MASK ? read_step_mask(c, error) : SL_OK;
}

/* Where a fast path has the slow one in it, it saves the registers of both. */
#define SLOW_PATH __attribute__((noinline)) static

SLOW_PATH sl_status next_step(sl_warp_cursor *c, bool *more, sl_error *error)
{
    *more = false;
    if (c->damaged)
        return damaged(c, error, "its end is missing");
    while (c->bb != UINT32_MAX && c->next_slot < c->end_slot) { /* the caller did not ask for these */
        sl_status status = sl_warp_cursor_access(c, more, error);
        if (status)
            return status;
    }
    *more = false;
    if (c->repeats) {
        c->repeats--;
    } else {
        if (c->control == c->control_end) {
            if (c->memory != c->memory_end || c->predicted || c->anchors != c->anchors_end)
                return damaged(c, error, "accesses are left after the last step");
            return SL_OK;
        }
        sl_status status = read_step(c, error);
        if (status)
            return status;
    }
    c->next_slot = c->first_slot;
    *more = true;
    return SL_OK;
}

sl_status sl_warp_cursor_step(sl_warp_cursor *c, bool *more, sl_error *error)
{
    if (!c->repeats || c->next_slot < c->end_slot || c->damaged)
        return next_step(c, more, error);
    c->repeats--;
    c->next_slot = c->first_slot;
    *more = true;
    return SL_OK;
}

/* ---- memory ---- */

static bool read_varint(sl_warp_cursor *c, uint64_t *value)
{
    const uint8_t *after = sl_decode_varint(c->memory, c->memory_end, value);
    if (after)
        c->memory = after;
    return after != NULL;
}

static bool read_byte(sl_warp_cursor *c, uint8_t *value)
{
    if (c->memory == c->memory_end)
        return false;
    *value = *c->memory++;
    return true;
}

/* The base of an access that is written out. */
static bool read_base(sl_warp_cursor *c, uint32_t slot)
{
    sl_predictor *p = &c->predictor[slot];
    if (p->epoch) {
        uint64_t change;
        if (!read_varint(c, &change))
            return false;
        sl_predictor_move(p, p->base + sl_unzigzag(change));
        return true;
    }
    if (c->anchors == c->anchors_end || sl_load32(c->anchors) != slot)
        return false;
    sl_predictor_start(p, 1, sl_load64(c->anchors + 4));
    p->known = 0;
    p->affine = false;
    c->anchors += SL_ANCHOR_BYTES;
    return true;
}

static bool read_affine(sl_warp_cursor *c, uint32_t slot, uint8_t token)
{
    uint64_t stride, row = 0;
    uint8_t row_lanes = (uint8_t)c->lanes, phase = 0;
    if (!read_base(c, slot) || !read_varint(c, &stride))
        return false;
    if (token & SL_AFFINE_ROWS) {
        if (!read_byte(c, &row_lanes) || !read_byte(c, &phase) || !read_varint(c, &row))
            return false;
        if (!row_lanes || row_lanes >= c->lanes || phase >= row_lanes)
            return false;
    }
    sl_predictor_affine(&c->predictor[slot], c->lanes, (int64_t)sl_unzigzag(stride), (int64_t)sl_unzigzag(row),
                        row_lanes, phase);
    return true;
}

/* The next value of `width` bits. `at` has eight bytes to spare. */
static inline uint64_t unpack(const uint8_t *at, size_t *bit, unsigned width)
{
    uint64_t value = 0;
    if (width <= 56) {
        value = sl_load64(at + *bit / 8) >> *bit % 8 & sl_full_mask(width);
        *bit += width;
        return value;
    }
    for (unsigned done = 0; done < width;) {
        unsigned take = width - done > 32 ? 32 : width - done;
        value |= (sl_load64(at + *bit / 8) >> *bit % 8 & sl_full_mask(take)) << done;
        done += take;
        *bit += take;
    }
    return value;
}

static bool read_gather(sl_warp_cursor *c, uint32_t slot, uint8_t token, uint64_t mask)
{
    sl_predictor *p = &c->predictor[slot];
    bool chain = (token & 7) == SL_TOKEN_CHAIN;
    uint8_t shift, width, packed[(SL_MAX_LANES + 1) * 8];
    if (token & SL_FRAME_AGAIN) {
        if (chain || !p->epoch || !p->frame_width)
            return false;
        sl_predictor_move(p, p->frame);
        shift = p->frame_shift;
        width = p->frame_width;
    } else if (!read_base(c, slot) || !read_byte(c, &shift) || !read_byte(c, &width) || shift > 63 || width > 64) {
        return false;
    }
    if (!chain) {
        p->frame = p->base;
        p->frame_shift = shift;
        p->frame_width = width;
    }
    unsigned count = (unsigned)__builtin_popcountll(mask) - chain;
    size_t bytes = ((size_t)count * width + 7) / 8, bit = 0;
    const uint8_t *from = c->memory;
    if ((size_t)(c->memory_end - from) < bytes)
        return false;
    if ((size_t)(c->anchors_end + SL_ANCHOR_COUNT_BYTES - from) < bytes + 8) {
        memcpy(packed, from, bytes);
        memset(packed + bytes, 0, 8);
        from = packed;
    }
    c->memory += bytes;
    uint64_t base = p->base, last = base, outside = 0, left = mask;
    if (chain) {
        p->offset[__builtin_ctzll(left)] = 0;
        c->access.addr[__builtin_ctzll(left)] = base;
        left &= left - 1;
    }
    for (; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t value = unpack(from, &bit, width);
        last = chain ? last + (sl_unzigzag(value) << shift) : base + (value << shift);
        p->offset[lane] = (int32_t)(last - base);
        outside |= last - base + (UINT64_C(1) << 31); /* has no bits above the 32nd when the offset fits */
        c->access.addr[lane] = last;
    }
    p->affine = false;
    p->known = outside >> 32 ? 0 : mask;
    return true;
}

/* Whether the predictor has offsets of all lanes of the mask. */
static inline bool knows(const sl_predictor *p, uint64_t mask)
{
    return p->epoch && !(mask & ~p->known);
}

/* Offsets as before. */
static bool read_same(sl_warp_cursor *c, uint32_t slot, bool moved, uint64_t mask)
{
    sl_predictor *p = &c->predictor[slot];
    if (!knows(p, mask))
        return false;
    if (moved)
        return read_base(c, slot);
    sl_predictor_hit(p);
    return true;
}

static bool read_access_mask(sl_warp_cursor *c, uint8_t token, uint64_t *mask)
{
    switch (token >> 3 & 3) {
    case SL_ACCESS_STEP_MASK:
        *mask = c->mask;
        break;
    case SL_ACCESS_LAST_MASK:
        *mask = c->access_mask;
        break;
    case SL_ACCESS_RAW_MASK:
        c->memory = get_raw_mask(c->memory, c->memory_end, c->lanes, mask);
        if (!c->memory) {
            c->memory = c->memory_end;
            return false;
        }
        c->access_mask = *mask;
        break;
    default:
        return false;
    }
    return *mask != 0;
}

/* ---- rows ---- */

/* The next row of a list; its address starts as that of the row before. */
static bool read_row(const uint8_t **at, const uint8_t *end, sl_row *row)
{
    uint64_t value[6] = {0};
    for (int i = 0; i < 6 && (i < 4 || value[3] > 1); i++)
        if (!(*at = sl_decode_varint(*at, end, &value[i])))
            return false;
    *row = (sl_row){.addr = row->addr + sl_unzigzag(value[0]),
                    .other = row->other + sl_unzigzag(value[1]),
                    .bytes = (uint32_t)value[2],
                    .count = (uint32_t)value[3],
                    .step = (int64_t)sl_unzigzag(value[4]),
                    .other_step = (int64_t)sl_unzigzag(value[5])};
    return value[2] && value[2] <= UINT32_MAX && value[3] && value[3] <= UINT32_MAX;
}

bool sl_access_more(sl_access *a)
{
    if (!a->bulk)
        return false;
    uint32_t pieces = 0;
    while (pieces < SL_ROWS_PIECES) {
        sl_row *row = &a->rest.row;
        if (!row->count) {
            if (!a->rest.rows--) {
                a->rest.rows = 0;
                break;
            }
            *row = a->rest.start;
            read_row(&a->rest.at, a->rest.end, row); /* it was read before */
            a->rest.start = *row;
        }
        uint32_t room = SL_ROW_CUT - (uint32_t)((row->other + a->rest.done) % SL_ROW_CUT);
        uint32_t left = row->bytes - a->rest.done, width = left < room ? left : room;
        if (pieces && width != a->width)
            break;
        a->width = width;
        a->addr[pieces++] = row->addr + a->rest.done;
        a->rest.done += width;
        if (a->rest.done == row->bytes) {
            a->rest.done = 0;
            row->addr += (uint64_t)row->step;
            row->other += (uint64_t)row->other_step;
            row->count--;
        }
    }
    a->mask = sl_full_mask(pieces);
    a->first = false;
    return pieces;
}

/* Reads all rows, to see that they are good, and presents the first pieces. */
static bool read_rows(sl_warp_cursor *c, uint32_t slot, uint8_t token, uint64_t mask)
{
    uint64_t blocks = 1, rows, bytes = 0;
    if (token & SL_ROWS_BLOCKS && (!read_varint(c, &blocks) || blocks > UINT16_MAX))
        return false;
    if (!read_base(c, slot) || !read_varint(c, &rows) || !rows)
        return false;
    sl_access *a = &c->access;
    *a = (sl_access){.slot = slot,
                     .inst = c->kernel->mem_inst[slot],
                     .bulk = true,
                     .blocks = (uint32_t)blocks,
                     .issuers = mask,
                     .rest = {.at = c->memory, .end = c->memory_end, .rows = rows}};
    sl_row row = {.addr = c->predictor[slot].base};
    for (uint64_t i = 0; i < rows; i++) {
        const uint8_t *at = c->memory;
        if (!read_row(&at, c->memory_end, &row))
            return false;
        uint64_t more = (uint64_t)row.bytes * row.count;
        if (more > SL_ROWS_BYTES || (bytes += more) > SL_ROWS_BYTES)
            return false;
        c->memory = at;
    }
    a->rest.start.addr = c->predictor[slot].base;
    sl_access_more(a);
    a->first = true;
    return true;
}

/* ---- accesses ---- */

/* What was read of an access, besides its mask. */
typedef enum access_form {
    PREDICTOR, /* its slot's predictor has it */
    GATHERED,  /* and access.addr has the addresses */
    ROWS       /* access has all of it */
} access_form;

static bool read_access(sl_warp_cursor *c, uint32_t slot, uint8_t token, uint64_t *mask, access_form *form)
{
    unsigned kind = token & 7;
    *mask = 0;
    *form = PREDICTOR;
    if (kind == SL_TOKEN_EMPTY)
        return token == SL_TOKEN_EMPTY;
    bool rows = c->kernel->inst[c->kernel->mem_inst[slot]].access >= SL_ACCESS_BULK_LOAD;
    if (rows != (kind == SL_TOKEN_ROWS) || !read_access_mask(c, token, mask))
        return false;
    switch (kind) {
    case SL_TOKEN_PREDICTED:
    case SL_TOKEN_MOVED:
        return read_same(c, slot, kind == SL_TOKEN_MOVED, *mask);
    case SL_TOKEN_AFFINE:
        return read_affine(c, slot, token);
    case SL_TOKEN_FRAME:
    case SL_TOKEN_CHAIN:
        *form = GATHERED;
        return read_gather(c, slot, token, *mask);
    }
    *form = ROWS;
    return read_rows(c, slot, token, *mask);
}

static sl_status read_token(sl_warp_cursor *c, uint32_t slot, uint64_t *mask, access_form *form, sl_error *error)
{
    uint8_t token;
    if (!read_byte(c, &token))
        return damaged(c, error, "an access is missing");
    if ((token & 7) != SL_TOKEN_RUN) {
        if (!read_access(c, slot, token, mask, form))
            return damaged(c, error, "an invalid access");
        return SL_OK;
    }
    uint64_t run = token >> 3;
    if (run == SL_RUN_ESCAPE) {
        uint64_t more;
        if (!read_varint(c, &more) || more > UINT64_MAX - SL_RUN_ESCAPE - 1)
            return damaged(c, error, "a run of accesses does not end");
        run += more;
    }
    c->predicted = run + 1;
    return SL_OK;
}

/* Reads what most accesses are, those of the step's lanes at known offsets from a base that moved; false: it is
 * something else, and nothing was read. With the way through read_next, decoding takes up to twice as long. */
static inline bool read_known(sl_warp_cursor *c, uint32_t slot)
{
    sl_predictor *p = &c->predictor[slot];
    uint64_t change;
    const uint8_t *after;
    if (!c->mask || !knows(p, c->mask))
        return false;
    if (c->predicted) {
        c->predicted--;
        sl_predictor_hit(p);
        return true;
    }
    if (c->memory == c->memory_end || *c->memory != (SL_TOKEN_MOVED | SL_ACCESS_STEP_MASK << 3) ||
        !(after = sl_decode_varint(c->memory + 1, c->memory_end, &change)))
        return false;
    c->memory = after;
    sl_predictor_move(p, p->base + sl_unzigzag(change));
    return true;
}

/* Reads any other access of the slot whose turn it is. */
SLOW_PATH sl_status read_next(sl_warp_cursor *c, uint32_t slot, uint64_t *mask, access_form *form, sl_error *error)
{
    if (!c->predicted) {
        sl_status status = read_token(c, slot, mask, form, error);
        if (status || !c->predicted)
            return status;
    }
    *mask = c->mask;
    *form = PREDICTOR;
    return read_known(c, slot) ? SL_OK : damaged(c, error, "an access follows none that could predict it");
}

enum { FEW_LANES = 4 };

/* The addresses that the predictor has for the lanes of the mask, to addr[lane]; those of others may change. */
static void add_offsets(const sl_predictor *p, uint64_t mask, uint32_t lanes, uint64_t *addr)
{
    uint64_t left = mask, base = p->base;
    for (int i = 0; i < FEW_LANES; i++, left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left | UINT64_C(1) << (SL_MAX_LANES - 1));
        addr[lane] = base + (uint64_t)(int64_t)p->offset[lane];
    }
    for (uint32_t i = 0; left && i < lanes; i++)
        addr[i] = base + (uint64_t)(int64_t)p->offset[i];
}

/* Fills what the caller sees from the predictor. */
static inline void present(sl_warp_cursor *c, uint32_t slot, uint64_t mask, access_form form)
{
    const sl_predictor *p = &c->predictor[slot];
    sl_access *a = &c->access;
    a->slot = slot;
    a->inst = c->kernel->mem_inst[slot];
    a->mask = mask;
    a->bulk = false;
    a->first = mask != 0;
    a->affine = !mask || p->affine;
    if (!mask) {
        a->base = 0;
        a->stride = a->row = 0;
        a->row_lanes = c->lanes;
        a->phase = 0;
    } else if (p->affine) {
        a->base = p->base;
        a->stride = p->stride;
        a->row = p->row;
        a->row_lanes = p->row_lanes;
        a->phase = p->phase;
    } else if (form == PREDICTOR) {
        add_offsets(p, mask, c->lanes, a->addr);
    }
}

SLOW_PATH sl_status next_access(sl_warp_cursor *c, bool *more, sl_error *error)
{
    uint64_t mask;
    access_form form;
    *more = false;
    if (c->damaged)
        return damaged(c, error, "its end is missing");
    if (c->bb == UINT32_MAX || c->next_slot >= c->end_slot)
        return SL_OK;
    uint32_t slot = c->next_slot++;
    *more = true;
    if (read_known(c, slot)) {
        present(c, slot, c->mask, PREDICTOR);
        return SL_OK;
    }
    sl_status status = read_next(c, slot, &mask, &form, error);
    if (!status && form != ROWS)
        present(c, slot, mask, form);
    return status;
}

sl_status sl_warp_cursor_access(sl_warp_cursor *c, bool *more, sl_error *error)
{
    uint32_t slot = c->next_slot;
    if (!c->predicted || slot >= c->end_slot || !c->mask || !knows(&c->predictor[slot], c->mask) || c->damaged)
        return next_access(c, more, error);
    c->next_slot++;
    c->predicted--;
    sl_predictor_hit(&c->predictor[slot]);
    present(c, slot, c->mask, PREDICTOR);
    *more = true;
    return SL_OK;
}

/* ---- into arrays ---- */

/* The addresses of the lanes that take part, one after the other; returns how many. There is room for all lanes. */
static inline size_t copy_addresses(sl_warp_cursor *c, uint32_t slot, uint64_t mask, uint64_t *to)
{
    const sl_predictor *p = &c->predictor[slot];
    const uint32_t lanes = c->lanes;
    const uint64_t base = p->base;
    size_t count = 0;
    if (mask & ~p->known) {
        if (p->affine) {
            present(c, slot, mask, PREDICTOR);
            sl_access_expand(&c->access, lanes);
        }
        for (uint64_t left = mask; left; left &= left - 1)
            to[count++] = c->access.addr[__builtin_ctzll(left)];
        return count;
    }
    if (mask == sl_full_mask(lanes)) {
        for (; count < lanes; count++)
            to[count] = base + (uint64_t)(int64_t)p->offset[count];
        return count;
    }
    if (!(mask & (mask - 1))) {
        *to = base + (uint64_t)(int64_t)p->offset[__builtin_ctzll(mask)];
        return 1;
    }
    /* Four at a time, though fewer may be left: how many cannot be foreseen, and branches cost more. */
    for (uint64_t left = mask; left; to += FEW_LANES)
        for (int i = 0; i < FEW_LANES; i++, left &= left - 1) {
            to[i] = base + (uint64_t)(int64_t)p->offset[__builtin_ctzll(left | UINT64_C(1) << 63)];
            count += left != 0;
        }
    return count;
}

/* The pieces of an access to rows; false: there is no room for all of them, and the rest comes next. */
static bool copy_pieces(sl_warp_cursor *c, sl_access_rows *rows)
{
    sl_access *a = &c->access;
    while (a->mask && rows->count < rows->capacity) {
        size_t i = rows->count++, count = (size_t)__builtin_popcountll(a->mask);
        if (rows->slot)
            rows->slot[i] = a->slot;
        if (rows->width)
            rows->width[i] = a->width;
        if (rows->mask)
            rows->mask[i] = a->mask;
        if (rows->addr)
            memcpy(rows->addr + rows->addresses, a->addr, count * sizeof *a->addr);
        rows->addresses += rows->addr ? count : 0;
        sl_access_more(a);
    }
    return !a->mask;
}

/* The accesses of the step that are left, as long as there is room. */
static sl_status fill_step(sl_warp_cursor *c, const sl_slot_use *use, sl_access_rows *rows, sl_error *error)
{
    size_t at = rows->count;
    sl_status status = SL_OK;
    while (c->next_slot < c->end_slot && at < rows->capacity) {
        uint32_t slot = c->next_slot++;
        uint64_t mask = c->mask;
        bool known = read_known(c, slot), pieces = false;
        if (!known) {
            access_form form;
            uint64_t other;
            status = read_next(c, slot, &other, &form, error);
            if (status)
                break;
            mask = other;
            pieces = form == ROWS;
        }
        if (!mask || !use[slot].wanted)
            continue;
        if (pieces) {
            rows->count = at;
            c->pieces = !copy_pieces(c, rows);
            at = rows->count;
            continue;
        }
        if (rows->slot)
            rows->slot[at] = slot;
        if (rows->width)
            rows->width[at] = use[slot].width;
        if (rows->mask)
            rows->mask[at] = mask;
        if (rows->addr)
            rows->addresses += copy_addresses(c, slot, mask, rows->addr + rows->addresses);
        at++;
    }
    rows->count = at;
    return status;
}

sl_status sl_warp_cursor_fill(sl_warp_cursor *c, const sl_slot_use *use, sl_access_rows *rows, bool *more,
                              sl_error *error)
{
    *more = true;
    while (rows->count < rows->capacity) {
        sl_status status = SL_OK;
        if (c->pieces)
            c->pieces = !copy_pieces(c, rows);
        else if (c->next_slot < c->end_slot)
            status = fill_step(c, use, rows, error);
        else
            status = sl_warp_cursor_step(c, more, error);
        if (status || !*more)
            return status;
        if (c->first_slot == c->end_slot)
            c->repeats = 0; /* any number of steps without an access */
    }
    return SL_OK;
}

/* ---- cursors on the heap ---- */

typedef struct heap_cursor {
    sl_warp_cursor cursor; /* first: the two have one address */
    sl_predictor predictor[];
} heap_cursor;

sl_status sl_warp_cursor_create(const sl_trace_kernel *kernel, uint32_t lanes, sl_warp_cursor **cursor, sl_error *error)
{
    *cursor = NULL;
    if (lanes != 32 && lanes != 64)
        return sl_fail(error, SL_INVALID, "a warp has 32 or 64 lanes, not %u", lanes);
    heap_cursor *c = calloc(1, sizeof *c + kernel->mem_slots * sizeof *c->predictor);
    if (!c)
        return sl_fail_memory(error);
    c->cursor.bb = UINT32_MAX; /* at the end, until sl_warp_cursor_start */
    c->cursor.kernel = kernel;
    c->cursor.lanes = lanes;
    c->cursor.predictor = c->predictor;
    *cursor = &c->cursor;
    return SL_OK;
}

void sl_warp_cursor_destroy(sl_warp_cursor *cursor)
{
    free(cursor);
}

void sl_warp_cursor_start(sl_warp_cursor *cursor, const sl_warp_view *view)
{
    sl_warp_cursor_init(cursor, cursor->kernel, cursor->lanes, view, cursor->predictor);
}

uint32_t sl_warp_cursor_bb(const sl_warp_cursor *cursor)
{
    return cursor->bb;
}

uint64_t sl_warp_cursor_mask(const sl_warp_cursor *cursor)
{
    return cursor->mask;
}

sl_access *sl_warp_cursor_current(sl_warp_cursor *cursor)
{
    return &cursor->access;
}
