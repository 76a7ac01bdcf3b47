/* SPDX-License-Identifier: MIT */
/* Bulk copies: plain ones, and boxes of tensors. A copy is done when it is issued; its barrier is completed at once.
 *
 * A box of a tensor is a list of rows, one element after the other along the first dimension. In shared memory rows
 * follow one another; a swizzle mode exchanges 16-byte chunks by bits of their address, and a narrower row still has
 * the mode's whole span. What lies outside of the tensor is filled when it is loaded, and left alone when it is stored.
 * In im2col mode rows are the channels of pixels, which are taken from the tensor in order, within a box of pixels. */
#include "emu/bulk.h"

#include <string.h>

#include "emu/atomic.h"
#include "emu/half.h"
#include "emu/tensor_map.h"
#include "emu/warp.h"

enum { MAX_BLOCKS = 16 }; /* of a cluster */

typedef struct copy {
    sl_warp *warp;
    const sl_op *op;
    sl_op global; /* for checks of addresses: the same op, in global memory */
    int lane;
    uint32_t way, mask;
    uint64_t operand[SL_BULK_REFS];
    bool check, records;
    sl_tensor_map map;
    /* where it lies in shared memory: offset and bytes, of this block or of those that receive it */
    uint64_t offset;
    uint32_t targets;
    uint8_t *target[MAX_BLOCKS];
    sl_block *block[MAX_BLOCKS];
} copy;

static bool is_given(const copy *c, uint32_t what)
{
    return c->warp->code->list[c->op->list + what] != SL_REF_NONE;
}

static void read_operands(copy *c)
{
    for (uint32_t i = 0; i < SL_BULK_REFS; i++) {
        if (!is_given(c, i))
            continue;
        const void *lanes = sl_warp_operand(c->warp, c->warp->code->list[c->op->list + i]);
        c->operand[i] = i < SL_BULK_ADDRESSES ? ((const uint64_t *)lanes)[c->lane] : ((const uint32_t *)lanes)[c->lane];
    }
}

static _Noreturn void misaligned(const copy *c, const char *what, uint64_t value, uint32_t align)
{
    sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_MISALIGNED, "%s 0x%llx is not a multiple of %u", what,
                   (unsigned long long)value, align);
}

/* ---- memory ---- */

/* Bytes of a block's shared memory, its own or another's of the cluster. */
static uint8_t *shared_bytes(const copy *c, const sl_block *block, uint64_t offset, uint64_t bytes, bool store)
{
    if (offset > block->shared_bytes || bytes > block->shared_bytes - offset)
        sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_ILLEGAL_ADDRESS,
                       "illegal %llu-byte %s at shared offset 0x%llx of %u bytes", (unsigned long long)bytes,
                       store ? "write" : "read", (unsigned long long)offset, block->shared_bytes);
    return block->shared + offset;
}

static sl_block *block_at(const copy *c, uint64_t addr, uint64_t *offset)
{
    return sl_cluster_locate(c->warp, c->op->inst, c->lane, addr, offset);
}

static void mark_written(sl_block *block, uint64_t offset, uint64_t bytes)
{
    for (uint64_t i = offset; block->shared_written && i < offset + bytes; i++)
        block->shared_written[i / 8] |= (uint8_t)(1 << i % 8);
}

static void check_written(const copy *c, const sl_block *block, uint64_t offset, uint64_t bytes)
{
    for (uint64_t i = offset; block->shared_written && i < offset + bytes; i++)
        if (!(block->shared_written[i / 8] >> i % 8 & 1))
            sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_UNINITIALISED,
                           "read of memory that was never written: shared offset 0x%llx", (unsigned long long)i);
}

/* Where the copy goes to, or comes from, in shared memory. */
static void find_shared(copy *c, uint64_t addr, uint64_t bytes, uint32_t align)
{
    bool store = c->way != SL_BULK_STORE;
    sl_block *block = block_at(c, addr, &c->offset);
    uint32_t blocks = is_given(c, SL_BULK_BLOCKS) ? (uint32_t)c->operand[SL_BULK_BLOCKS] & 0xffff : 0;
    if (c->offset % align)
        misaligned(c, "the shared-memory address", c->offset, align);
    c->targets = 0;
    for (uint32_t rank = 0; rank < MAX_BLOCKS; rank++)
        if (blocks >> rank & 1) {
            sl_block *member = sl_cluster_block(c->warp, rank);
            if (!member)
                sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_ILLEGAL_ADDRESS,
                               "the multicast names block %u, which the cluster does not have", rank);
            c->block[c->targets++] = member;
        }
    if (!is_given(c, SL_BULK_BLOCKS))
        c->block[c->targets++] = block;
    for (uint32_t t = 0; t < c->targets; t++)
        c->target[t] = shared_bytes(c, c->block[t], c->offset, bytes, store);
}

/* The barrier that counts the bytes of a target. */
static sl_block *barrier_of(const copy *c, uint32_t target, uint64_t *offset)
{
    sl_block *at = block_at(c, c->operand[SL_BULK_BARRIER], offset);
    uint32_t rank = at->rank;
    if (is_given(c, SL_BULK_BLOCKS)) {
        at = c->block[target];
        if (c->op->aux & SL_BULK_PAIR) /* that block of the pair whose barrier was named */
            at = sl_cluster_block(c->warp, (at->rank & ~1u) | (rank & 1));
    }
    if (*offset % 8)
        misaligned(c, "the barrier's address", *offset, 8);
    if (!at)
        sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_ILLEGAL_ADDRESS,
                       "a barrier of a block that the cluster does not have");
    return at;
}

static void look_for_races(const copy *c, uint64_t offset, uint64_t bytes)
{
    for (uint32_t t = 0; t < c->targets; t++) {
        uint64_t at;
        if (c->way == SL_BULK_STORE) {
            sl_race_later(c->warp, c->op, c->lane, SL_RACE_BULK_READS, c->block[t], offset, (uint32_t)bytes);
        } else if (is_given(c, SL_BULK_BARRIER) && !(c->op->aux & SL_BULK_REDUCES)) {
            const sl_block *barrier = barrier_of(c, t, &at);
            sl_race_signaled(c->warp, c->op, c->lane, c->block[t], offset, (uint32_t)bytes, barrier, at);
        }
    }
}

/* The copy accesses these bytes of what find_shared found. */
static void note_access(const copy *c, uint64_t offset, uint64_t bytes)
{
    if (c->warp->race)
        look_for_races(c, offset, bytes);
    for (uint32_t t = 0; t < c->targets; t++)
        if (c->way != SL_BULK_STORE)
            mark_written(c->block[t], offset, bytes);
        else
            check_written(c, c->block[t], offset, bytes);
}

/* Completes the copy at its barriers. */
static void complete(const copy *c, uint64_t bytes)
{
    for (uint32_t t = 0; t < c->targets; t++) {
        uint64_t offset;
        const sl_block *at = barrier_of(c, t, &offset);
        uint64_t *barrier = (uint64_t *)(void *)shared_bytes(c, at, offset, 8, true);
        *barrier = sl_barrier_after(*barrier, 0, 0, -bytes);
    }
    sl_warp_yield(c->warp);
}

/* ---- rows ---- */

void sl_note_row(sl_warp *warp, const sl_op *op, uint64_t addr, uint64_t other, uint32_t bytes)
{
    sl_worker *worker = warp->worker;
    sl_row *last = worker->rows.count ? &worker->rows.items[worker->rows.count - 1] : NULL;
    if (last && last->bytes == bytes && last->count < UINT32_MAX) {
        int64_t step = (int64_t)(addr - last->addr), other_step = (int64_t)(other - last->other);
        if (last->count == 1) {
            last->step = step;
            last->other_step = other_step;
            last->count = 2;
            return;
        }
        if (step == last->step * (int64_t)last->count && other_step == last->other_step * (int64_t)last->count) {
            last->count++;
            return;
        }
    }
    if (!sl_array_push(&worker->rows, ((sl_row){.addr = addr, .other = other, .bytes = bytes, .count = 1})))
        sl_fault_raise(warp, op->inst, -1, SL_FAULT_LIMIT, "no memory to record what it accesses");
}

static void note_row(const copy *c, uint64_t addr, uint64_t other, uint32_t bytes)
{
    if (c->records && bytes)
        sl_note_row(c->warp, c->op, addr, other, bytes);
}

static void combine(const copy *c, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    uint32_t size = c->op->aux >> SL_BULK_SIZE_SHIFT & 15, how = c->op->aux >> SL_BULK_HOW_SHIFT;
    for (uint32_t i = 0; i + size <= bytes; i += size) {
        uint64_t old = 0, with = 0, now;
        memcpy(&old, to + i, size);
        memcpy(&with, from + i, size);
        now = size == 2   ? sl_atomic_result_16(how, (uint16_t)old, (uint16_t)with, 0)
              : size == 4 ? sl_atomic_result_32(how, (uint32_t)old, (uint32_t)with, 0)
                          : sl_atomic_result_64(how, old, with, 0);
        memcpy(to + i, &now, size);
    }
}

/* One piece between host memories; `at` is its offset within the 16 bytes that the byte mask repeats in. */
static void store_piece(const copy *c, uint8_t *to, const uint8_t *from, uint32_t bytes, uint32_t at)
{
    if (c->op->aux & SL_BULK_REDUCES)
        combine(c, to, from, bytes);
    else if (c->mask == 0xffff)
        memmove(to, from, bytes);
    else
        for (uint32_t i = 0; i < bytes; i++)
            if (c->mask >> (at + i) % 16 & 1)
                to[i] = from[i];
}

/* Moves bytes between global memory and `at` in shared memory. What does not lie in one allocation is looked at 16
 * bytes at a time. */
static void move(const copy *c, uint64_t addr, uint64_t at, uint32_t bytes)
{
    const sl_heap *heap = c->warp->worker->run->emu->heap;
    bool store = c->way == SL_BULK_STORE;
    const sl_alloc *alloc = sl_heap_find(heap, addr);
    bool whole = alloc && bytes <= alloc->bytes - (addr - alloc->base);
    if (c->warp->race && store && !(c->op->aux & SL_BULK_REDUCES))
        sl_race_later(c->warp, c->op, c->lane, SL_RACE_BULK_WRITES, NULL, addr, bytes);
    for (uint32_t done = 0, step; done < bytes; done += step) {
        uint32_t room = 16 - (uint32_t)((addr + done) % 16);
        step = whole ? bytes : bytes - done < room ? bytes - done : room;
        uint8_t *global = sl_memory_resolve_aligned(c->warp, &c->global, c->lane, addr + done, step, 1, store);
        if (c->check && !store)
            sl_memory_check_read(c->warp, &c->global, c->lane, addr + done, step);
        if (c->check && store)
            sl_memory_mark_written(c->warp, &c->global, c->lane, addr + done, step);
        for (uint32_t t = 0; t < c->targets; t++) {
            uint8_t *shared = c->target[t] + (at - c->offset) + done;
            store_piece(c, store ? global : shared, store ? shared : global, step, done);
        }
    }
}

/* ---- plain copies ---- */

/* A prefetch of what is not mapped does nothing, as on a GPU. One instruction may name 4 GiB in each lane, all of which
 * models and simulators would look at: a launch has so much for free, and so much for each instruction. */
static void prefetch(const copy *c, uint64_t addr, uint32_t bytes)
{
    const uint64_t FREE_BYTES = (uint64_t)1 << 30, BYTES_PER_INSTRUCTION = 1 << 20;
    sl_worker *worker = c->warp->worker;
    const sl_alloc *alloc = sl_heap_find(worker->run->emu->heap, addr);
    if (!alloc)
        return;
    uint64_t room = alloc->bytes - (addr - alloc->base);
    bytes = bytes < room ? bytes : (uint32_t)room;
    worker->prefetched += bytes;
    if (worker->prefetched > FREE_BYTES + worker->clock * BYTES_PER_INSTRUCTION)
        sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_LIMIT,
                       "the launch prefetches more than 1 GiB and 1 MiB per warp instruction");
    note_row(c, addr, addr, bytes);
}

static void copy_plain(copy *c)
{
    uint64_t to = c->operand[SL_BULK_TO], from = c->operand[SL_BULK_FROM];
    uint32_t bytes = (uint32_t)c->operand[SL_BULK_BYTES];
    uint64_t global = c->way == SL_BULK_STORE ? to : from;
    if (bytes % 16)
        misaligned(c, "the size", bytes, 16);
    if (c->way != SL_BULK_WITHIN && global % 16)
        misaligned(c, "the address", global, 16);
    if (c->way == SL_BULK_PREFETCH) {
        prefetch(c, global, bytes);
        return;
    }
    find_shared(c, c->way == SL_BULK_STORE ? from : to, bytes, 16);
    note_access(c, c->offset, bytes);
    if (c->way == SL_BULK_WITHIN) {
        if (from % 16)
            misaligned(c, "the address", from, 16);
        uint64_t at;
        const sl_block *block = block_at(c, from, &at);
        const uint8_t *source = shared_bytes(c, block, at, bytes, false);
        check_written(c, block, at, bytes);
        store_piece(c, c->target[0], source, bytes, 0);
        note_row(c, c->offset, c->offset, bytes);
    } else {
        move(c, global, c->offset, bytes);
        note_row(c, global, c->offset, bytes);
    }
    if (is_given(c, SL_BULK_BARRIER))
        complete(c, bytes);
}

/* ---- boxes of tensors ---- */

/* Where chunks of 16 bytes lie: bits from 7 on of the address exchange those from 4 on, or from 5 on. */
static uint64_t swizzled(const sl_tensor_map *map, uint64_t offset)
{
    static const uint8_t bits[] = {0, 0x10, 0x30, 0x70, 0x60};
    return offset ^ (offset >> (map->swizzle == 4 ? 2 : 3) & bits[map->swizzle]);
}

static void fill(const copy *c, uint64_t at, uint32_t bytes)
{
    uint32_t size = sl_tensor_bytes(c->map.type);
    uint64_t nan = c->map.fill ? 0x7ff77ff77ff77ff7 : 0; /* as an H200 does, of any type */
    for (uint32_t t = 0; t < c->targets; t++)
        for (uint32_t i = 0; i < bytes; i += size)
            memcpy(c->target[t] + (at - c->offset) + i, &nan, size);
}

/* Loaded f32 as tf32: 10 bits of the mantissa, rounded to nearest. */
static void round_loaded(const copy *c, uint64_t at, uint32_t bytes)
{
    for (uint32_t t = 0; t < c->targets; t++)
        for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
            uint32_t word;
            uint8_t *dst = c->target[t] + (at - c->offset) + i;
            memcpy(&word, dst, 4);
            word = sl_f32_to_tf32(word);
            memcpy(dst, &word, 4);
        }
}

/* From one row to the next in shared memory. */
static uint32_t row_pitch(const sl_tensor_map *map)
{
    return map->swizzle ? sl_tensor_span(map) : map->box[0] * sl_tensor_shared_bits(map->type) / 8;
}

/* Row number `row` of the box: bytes [first, end) of it lie at `addr` and on, the others outside of the tensor. */
static void move_row(const copy *c, uint64_t row, uint64_t addr, uint32_t first, uint32_t end)
{
    const uint32_t bits = sl_tensor_bits(c->map.type), shared_bits = sl_tensor_shared_bits(c->map.type);
    uint32_t bytes = c->map.box[0] * shared_bits / 8;
    uint64_t at = c->offset + row * row_pitch(&c->map);
    bool rounds = c->way == SL_BULK_LOAD && (c->map.type == SL_TENSOR_TF32 || c->map.type == SL_TENSOR_TF32_FTZ);
    if (first < end)
        note_row(c, addr, at + first, (end - first) * bits / shared_bits);
    if (c->way == SL_BULK_PREFETCH)
        return;
    uint32_t chunk = c->map.swizzle || bits != shared_bits ? 16 : bytes;
    for (uint32_t i = 0; i < bytes; i += chunk) {
        uint64_t to = swizzled(&c->map, at + i);
        uint32_t low = first > i ? first - i : 0, high = end > i ? end - i : 0;
        low = low < chunk ? low : chunk;
        high = high < chunk ? high : chunk;
        note_access(c, to, chunk);
        if (low < high)
            move(c, addr + (uint64_t)(i + low - first) * bits / shared_bits, to + low,
                 (high - low) * bits / shared_bits);
        if (low < high && rounds)
            round_loaded(c, to + low, high - low);
        if (c->way == SL_BULK_LOAD && low < high) {
            fill(c, to, low);
            fill(c, to + high, chunk - high);
        } else if (c->way == SL_BULK_LOAD) {
            fill(c, to, chunk);
        }
    }
}

/* The part of a row from element x on that lies in the tensor. */
static void clip(const sl_tensor_map *map, int64_t x, uint32_t *first, uint32_t *end)
{
    int64_t size = (int64_t)map->last[0] + 1, bits = sl_tensor_shared_bits(map->type);
    int64_t low = x < 0 ? -x : 0, high = size - x;
    high = high > map->box[0] ? map->box[0] : high;
    *first = (uint32_t)((low < map->box[0] ? low : map->box[0]) * bits / 8);
    *end = high > 0 ? (uint32_t)(high * bits / 8) : 0;
}

/* A row of the tensor at these coordinates. */
static void move_at(const copy *c, uint64_t row, const int64_t x[SL_TENSOR_DIMS])
{
    uint64_t addr = c->map.address;
    bool inside = true;
    uint32_t first, end;
    for (unsigned i = 1; i < c->map.rank; i++) {
        inside &= x[i] >= 0 && x[i] <= (int64_t)c->map.last[i];
        addr += (uint64_t)x[i] * c->map.stride[i - 1];
    }
    clip(&c->map, x[0], &first, &end);
    if (!inside || first >= end)
        first = end = 0;
    const int64_t bits = sl_tensor_bits(c->map.type), shared_bits = sl_tensor_shared_bits(c->map.type);
    addr += (uint64_t)(x[0] * bits / 8 + first * bits / shared_bits);
    move_row(c, row, addr, first, end);
}

/* Rows of a matrix, each by its number. */
static void move_rows(const copy *c)
{
    for (uint32_t row = 0; row < 4; row++) {
        int64_t x[SL_TENSOR_DIMS] = {(int32_t)c->operand[SL_BULK_COORDINATE],
                                     (int32_t)c->operand[SL_BULK_COORDINATE + 1 + row]};
        move_at(c, row, x);
    }
}

static void move_tile(const copy *c, const uint32_t count[SL_TENSOR_DIMS])
{
    uint32_t index[SL_TENSOR_DIMS] = {0};
    int64_t x[SL_TENSOR_DIMS];
    for (uint64_t row = 0;; row++) {
        for (unsigned i = 0; i < c->map.rank; i++)
            x[i] = (int32_t)c->operand[SL_BULK_COORDINATE + i] + (i ? (int64_t)index[i] * c->map.element_stride[i] : 0);
        move_at(c, row, x);
        unsigned d = 1;
        while (d < c->map.rank && ++index[d] == count[d])
            index[d++] = 0;
        if (d >= c->map.rank)
            return;
    }
}

/* Pixels from the given one on: along W, H, D within the box of pixels, then on to the next image. */
static void move_pixels(const copy *c)
{
    const sl_tensor_map *m = &c->map;
    unsigned spatial = m->rank - 2u;
    int64_t pixel[SL_TENSOR_DIMS], x[SL_TENSOR_DIMS];
    for (unsigned i = 0; i < m->rank; i++)
        pixel[i] = (int32_t)c->operand[SL_BULK_COORDINATE + i];
    for (uint64_t row = 0; row < m->box[1]; row++) {
        for (unsigned i = 0; i < m->rank; i++)
            x[i] = pixel[i] + (i && i <= spatial && is_given(c, SL_BULK_OFFSET + i - 1)
                                   ? (int64_t)c->operand[SL_BULK_OFFSET + i - 1]
                                   : 0);
        move_at(c, row, x);
        unsigned d = 1;
        for (; d <= spatial; d++) {
            pixel[d] += m->element_stride[d];
            if (pixel[d] <= (int64_t)m->last[d] + m->upper[d - 1])
                break;
            pixel[d] = m->lower[d - 1];
        }
        pixel[d] += d > spatial;
    }
}

static void check_map(copy *c, uint64_t addr, uint32_t dims)
{
    sl_op any = *c->op;
    any.space = SL_SPACE_NONE;
    if (addr % 64)
        misaligned(c, "the tensor map's address", addr, 64);
    memcpy(&c->map, sl_memory_resolve_aligned(c->warp, &any, c->lane, addr, sizeof c->map, 1, false), sizeof c->map);
    const char *wrong = sl_tensor_map_wrong(&c->map);
    if (!wrong && (c->map.rank != dims || c->map.im2col != !!(c->op->aux & SL_BULK_IM2COL)))
        wrong = "one of other dimensions, or of another mode, than the instruction's";
    if (wrong)
        sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_ILLEGAL_ADDRESS, "the tensor map at 0x%llx has %s",
                       (unsigned long long)addr, wrong);
}

/* How the instruction reduces: the map has the type. */
static uint32_t reduction_of(const copy *c)
{
    static const sl_ptx_mod_id mods[] = {SL_MOD_ADD, SL_MOD_MIN, SL_MOD_MAX, SL_MOD_INC,
                                         SL_MOD_DEC, SL_MOD_AND, SL_MOD_OR,  SL_MOD_XOR};
    enum { NO = -1 };
    static const int8_t how[8][SL_TENSOR_B4] = {
        {NO, NO, SL_ATOM_ADD, SL_ATOM_ADD, SL_ATOM_ADD, SL_ATOM_ADD, SL_ATOM_ADD_F16, SL_ATOM_ADD_F32, SL_ATOM_ADD_F64,
         SL_ATOM_ADD_BF16, SL_ATOM_ADD_F32, SL_ATOM_ADD_F32, SL_ATOM_ADD_F32},
        {NO, NO, SL_ATOM_MIN_U, SL_ATOM_MIN_S, SL_ATOM_MIN_U, SL_ATOM_MIN_S, SL_ATOM_MIN_F16, NO, NO, SL_ATOM_MIN_BF16,
         NO, NO, NO},
        {NO, NO, SL_ATOM_MAX_U, SL_ATOM_MAX_S, SL_ATOM_MAX_U, SL_ATOM_MAX_S, SL_ATOM_MAX_F16, NO, NO, SL_ATOM_MAX_BF16,
         NO, NO, NO},
        {NO, NO, SL_ATOM_INC, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO},
        {NO, NO, SL_ATOM_DEC, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO},
        {NO, NO, SL_ATOM_AND, SL_ATOM_AND, SL_ATOM_AND, SL_ATOM_AND, NO, NO, NO, NO, NO, NO, NO},
        {NO, NO, SL_ATOM_OR, SL_ATOM_OR, SL_ATOM_OR, SL_ATOM_OR, NO, NO, NO, NO, NO, NO, NO},
        {NO, NO, SL_ATOM_XOR, SL_ATOM_XOR, SL_ATOM_XOR, SL_ATOM_XOR, NO, NO, NO, NO, NO, NO, NO}};
    const sl_ptx_inst *inst = c->warp->code->inst[c->op->inst];
    for (size_t i = 0; i < sizeof mods / sizeof *mods; i++)
        if (c->map.type < SL_TENSOR_B4 && sl_ptx_has(inst, mods[i]) && how[i][c->map.type] != NO)
            return (uint32_t)how[i][c->map.type];
    sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_ILLEGAL_ADDRESS,
                   "the tensor's elements cannot be reduced this way");
}

static void copy_tensor(copy *c)
{
    uint32_t dims = c->op->aux >> SL_BULK_DIMS_SHIFT & 15, count[SL_TENSOR_DIMS];
    sl_op reducing;
    check_map(c, c->operand[c->way == SL_BULK_STORE ? SL_BULK_TO : SL_BULK_FROM], dims);
    uint64_t rows = 1, row_bytes = (uint64_t)c->map.box[0] * sl_tensor_bits(c->map.type) / 8;
    for (unsigned i = 1; i < c->map.rank; i++) {
        count[i] = c->map.im2col ? (i == 1 ? c->map.box[1] : 1)
                                 : (c->map.box[i] + c->map.element_stride[i] - 1u) / c->map.element_stride[i];
        rows *= count[i];
    }
    if (c->op->aux & SL_BULK_ROWS)
        rows = 4;
    uint64_t bytes = rows * row_pitch(&c->map);
    if (bytes > 1u << 20)
        sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_ILLEGAL_ADDRESS,
                       "a box of %llu bytes does not fit into shared memory", (unsigned long long)bytes);
    if (c->operand[SL_BULK_COORDINATE] * sl_tensor_bits(c->map.type) % 128)
        sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_ILLEGAL_INSTRUCTION,
                       "element %d of a row does not lie at a multiple of 16 bytes",
                       (int32_t)c->operand[SL_BULK_COORDINATE]);
    for (unsigned i = 0; i < (c->op->aux & SL_BULK_ROWS ? 5u : c->map.rank) && c->way == SL_BULK_STORE; i++)
        if ((int32_t)c->operand[SL_BULK_COORDINATE + i] < 0)
            sl_fault_raise(c->warp, c->op->inst, c->lane, SL_FAULT_ILLEGAL_ADDRESS,
                           "a store to a tensor at a negative coordinate");
    if (c->op->aux & SL_BULK_REDUCES) {
        reducing = *c->op;
        reducing.aux = (c->op->aux & ((1u << SL_BULK_SIZE_SHIFT) - 1)) |
                       sl_tensor_bytes(c->map.type) << SL_BULK_SIZE_SHIFT | reduction_of(c) << SL_BULK_HOW_SHIFT;
        c->op = &reducing;
    }
    if (c->way != SL_BULK_PREFETCH)
        find_shared(c, c->operand[c->way == SL_BULK_STORE ? SL_BULK_FROM : SL_BULK_TO], bytes, 128);
    if (c->map.im2col)
        move_pixels(c);
    else if (c->op->aux & SL_BULK_ROWS)
        move_rows(c);
    else
        move_tile(c, count);
    if (is_given(c, SL_BULK_BARRIER))
        complete(c, rows * row_bytes);
}

/* ---- the handlers ---- */

void sl_bulk_execute(sl_warp *warp, const sl_op *op)
{
    bool records = warp->stream && op->slot != UINT32_MAX;
    uint32_t blocks = 1;
    warp->worker->rows.count = 0;
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        copy c = {.warp = warp,
                  .op = op,
                  .global = *op,
                  .lane = __builtin_ctzll(left),
                  .way = op->aux & SL_BULK_WAYS,
                  .mask = 0xffff,
                  .check = warp->worker->run->emu->check_uninit,
                  .records = records};
        c.global.space = SL_SPACE_GLOBAL;
        read_operands(&c);
        if (is_given(&c, SL_BULK_MASK))
            c.mask = (uint32_t)c.operand[SL_BULK_MASK];
        if (op->aux & SL_BULK_TENSOR)
            copy_tensor(&c);
        else
            copy_plain(&c);
        blocks = c.targets > blocks ? c.targets : blocks;
    }
    if (records)
        sl_warp_stream_rows(warp->stream, op->slot, warp->mask, warp->worker->rows.items, warp->worker->rows.count,
                            blocks);
}

void sl_tensor_map_edit(sl_warp *warp, const sl_op *op)
{
    uint32_t field = op->aux >> 4 & 15, ordinal = op->aux >> 8 & 7;
    const void *address = sl_warp_operand(warp, op->a);
    const uint64_t *value = sl_warp_operand(warp, op->b);
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        uint64_t addr = op->aux & SL_ADDRESS_32 ? (uint32_t)(((const uint32_t *)address)[lane] + (uint32_t)op->imm)
                                                : ((const uint64_t *)address)[lane] + (uint64_t)op->imm;
        sl_tensor_map map;
        void *memory = sl_memory_resolve_aligned(warp, op, lane, addr, sizeof map, 64, true);
        memcpy(&map, memory, sizeof map);
        sl_tensor_map_replace(&map, field, ordinal, value[lane]);
        memcpy(memory, &map, sizeof map);
    }
}
