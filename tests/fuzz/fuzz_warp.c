/* SPDX-License-Identifier: MIT */
/* The warp codec. The first byte chooses. Even: the rest is read as the streams of a warp. Odd: the rest steers an
 * encoder, and what is decoded must be what was encoded. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { SLOTS = 3, MAX_STEPS = 4096 };

static const sl_inst insts[] = {{.mem_slot = 0}, {.mem_slot = 1}, {.mem_slot = UINT32_MAX}, {.mem_slot = 2}};
/* The same where the last one accesses rows. */
static const sl_inst insts_with_rows[] = {
    {.mem_slot = 0}, {.mem_slot = 1}, {.mem_slot = UINT32_MAX}, {.mem_slot = 2, .access = SL_ACCESS_BULK_LOAD}};
static const sl_trace_bb bbs[] = {{0, 2}, {2, 1}, {3, 1}};
static const uint32_t mem_insts[] = {0, 1, 3};
static const sl_trace_kernel kernel = {.insts = 4,
                                       .inst = insts,
                                       .bbs = 3,
                                       .bb = bbs,
                                       .mem_slots = SLOTS,
                                       .mem_inst = mem_insts,
                                       .strings = "",
                                       .strings_bytes = 1};

static void decode(const uint8_t *data, size_t bytes, uint32_t lanes, bool rows)
{
    sl_trace_kernel read = kernel;
    read.inst = rows ? insts_with_rows : insts;
    size_t control = bytes ? data[0] : 0;
    if (!bytes || control > bytes - 1)
        return;
    sl_warp_view view = {0, data + 1, data + 1 + control, control, bytes - 1 - control};
    sl_predictor scratch[SLOTS];
    sl_warp_cursor cursor;
    bool more = true;
    memset(scratch, 0x5a, sizeof scratch);
    sl_warp_cursor_init(&cursor, &read, lanes, &view, scratch);
    for (int i = 0; i < MAX_STEPS && more && !sl_warp_cursor_step(&cursor, &more, NULL); i++) {
        bool accesses = more;
        while (accesses && !sl_warp_cursor_access(&cursor, &accesses, NULL) && accesses) {
            sl_access_expand(&cursor.access, lanes);
            for (int k = 0; k < MAX_STEPS && sl_access_more(&cursor.access); k++)
                ;
        }
    }
}

/* Bytes of the input, then zeros. */
typedef struct source {
    const uint8_t *at, *end;
} source;

static uint64_t take(source *s, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value = value << 8 | (s->at < s->end ? *s->at++ : 0);
    return value;
}

/* Addresses of an access: everything from one value to lane by lane. */
static void addresses(source *s, uint64_t addr[SL_MAX_LANES])
{
    uint64_t how = take(s, 1), base = take(s, how & 8 ? 8 : 3), stride = take(s, how & 16 ? 8 : 1);
    unsigned row = 1 + (unsigned)(how >> 5) * 5;
    for (unsigned i = 0; i < SL_MAX_LANES; i++)
        switch (how & 3) {
        case 0:
            addr[i] = base + i * stride;
            break;
        case 1:
            addr[i] = base + (i + 3) % row * stride + (i + 3) / row * 1000;
            break;
        case 2:
            addr[i] = base + take(s, 1) * 4;
            break;
        default:
            addr[i] = base + take(s, 3);
        }
}

/* Runs the encoder over the input, or (`cursor`) compares with what the decoder gives. */
static void run(const uint8_t *data, size_t bytes, uint32_t lanes, sl_warp_stream *stream, sl_warp_cursor *cursor)
{
    source s = {data, data + bytes};
    uint64_t full = lanes == 64 ? UINT64_MAX : UINT32_MAX, mask = full, addr[SL_MAX_LANES];
    while (s.at < s.end) {
        uint64_t how = take(&s, 1);
        uint32_t bb = (uint32_t)(how % 3);
        if (how & 32)
            mask = how & 64 ? full : take(&s, lanes / 8);
        bool more;
        if (cursor) {
            if (sl_warp_cursor_step(cursor, &more, NULL) || !more || cursor->bb != bb || cursor->mask != mask)
                abort();
        } else {
            sl_warp_stream_step(stream, bb, mask);
        }
        for (uint32_t i = bbs[bb].first; i < bbs[bb].first + bbs[bb].count; i++) {
            if (insts[i].mem_slot == UINT32_MAX)
                continue;
            uint64_t access_mask = how & 128 ? mask & take(&s, lanes / 8) : mask;
            addresses(&s, addr);
            if (!cursor) {
                sl_warp_stream_access(stream, insts[i].mem_slot, access_mask, addr);
                continue;
            }
            if (sl_warp_cursor_access(cursor, &more, NULL) || !more || cursor->access.mask != access_mask)
                abort();
            sl_access_expand(&cursor->access, lanes);
            for (uint32_t lane = 0; lane < lanes; lane++)
                if (access_mask >> lane & 1 && cursor->access.addr[lane] != addr[lane])
                    abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (!bytes)
        return 0;
    uint32_t lanes = data[0] & 2 ? 64 : 32;
    if (!(data[0] & 1)) {
        decode(data + 1, bytes - 1, lanes, data[0] & 8);
        return 0;
    }
    sl_warp_stream stream;
    if (!sl_warp_stream_init(&stream, SLOTS, lanes))
        return 0;
    if (data[0] & 4)
        stream.isa = 0; /* the portable loops */
    run(data + 1, bytes - 1, lanes, &stream, NULL);
    sl_warp_stream_flush(&stream);
    sl_warp_view view = {0, stream.control.data, stream.memory.data, stream.control.count, stream.memory.count};
    sl_predictor scratch[SLOTS];
    sl_warp_cursor cursor;
    bool more;
    sl_warp_cursor_init(&cursor, &kernel, lanes, &view, scratch);
    run(data + 1, bytes - 1, lanes, NULL, &cursor);
    if (sl_warp_cursor_step(&cursor, &more, NULL) || more)
        abort();
    sl_warp_stream_fini(&stream);
    return 0;
}
