/* SPDX-License-Identifier: MIT */
/* What Blackwell brought besides products: tensor memory and its allocation, signals of finished work, fills of shared
 * memory. Everything is done when it is issued, so a commit arrives at its barrier at once. */
#include "emu/tensor_memory.h"

#include <stdlib.h>
#include <string.h>

#include "emu/atomic.h"

void sl_tensor_memory_free(struct sl_tensor_memory *memory)
{
    free(memory);
}

void sl_tensor_memory_start(struct sl_tensor_memory *memory)
{
    if (memory)
        memset(memory, 0, sizeof *memory);
}

static uint32_t some_u32(const sl_warp *warp, uint32_t ref, int lane)
{
    return ((const uint32_t *)sl_warp_operand(warp, ref))[lane];
}

static uint64_t some_u64(const sl_warp *warp, uint32_t ref, int lane)
{
    return ((const uint64_t *)sl_warp_operand(warp, ref))[lane];
}

static _Noreturn void illegal(sl_warp *warp, const sl_op *op, const char *what, uint32_t value)
{
    sl_fault_raise(warp, op->inst, -1, SL_FAULT_ILLEGAL_ADDRESS, "%s 0x%x", what, value);
}

/* Bytes of shared memory that an instruction writes by itself. */
static uint8_t *shared_bytes(sl_warp *warp, const sl_op *op, int lane, sl_block *block, uint64_t offset, uint64_t bytes,
                             uint32_t align)
{
    if (offset % align)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_MISALIGNED,
                       "the shared-memory address 0x%llx is not a multiple of %u", (unsigned long long)offset, align);
    if (offset > block->shared_bytes || bytes > block->shared_bytes - offset)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS,
                       "illegal %llu-byte write at shared offset 0x%llx of %u bytes", (unsigned long long)bytes,
                       (unsigned long long)offset, block->shared_bytes);
    for (uint64_t i = offset; block->shared_written && i < offset + bytes; i++)
        block->shared_written[i / 8] |= (uint8_t)(1 << i % 8);
    return block->shared + offset;
}

sl_block *sl_tensor_block(sl_warp *warp, const sl_op *op, bool pair, uint32_t place)
{
    if (!pair)
        return warp->block;
    sl_block *block = sl_cluster_block(warp, (warp->block->rank & ~1u) | place);
    if (!block)
        sl_fault_raise(warp, op->inst, -1, SL_FAULT_ILLEGAL_INSTRUCTION,
                       ".cta_group::2 in a cluster of one block: it needs pairs of blocks");
    return block;
}

uint32_t *sl_tensor_words(sl_warp *warp, const sl_op *op, const sl_block *block, uint32_t lane, uint32_t lanes,
                          uint32_t column, uint32_t columns)
{
    struct sl_tensor_memory *memory = block->tensor;
    bool inside = memory && lane < SL_TENSOR_LANES && lanes <= SL_TENSOR_LANES - lane && column < SL_TENSOR_COLUMNS &&
                  columns <= SL_TENSOR_COLUMNS - column;
    for (uint32_t i = column / SL_TENSOR_UNIT; inside && i * SL_TENSOR_UNIT < column + columns; i++)
        inside = memory->used[i];
    if (!inside)
        sl_fault_raise(warp, op->inst, -1, SL_FAULT_ILLEGAL_ADDRESS,
                       "access to lanes %u to %u, columns %u to %u of tensor memory, which are not all allocated", lane,
                       lane + lanes - 1, column, column + columns - 1);
    return &memory->word[lane][column];
}

/* ---- allocation ---- */

void sl_tensor_alloc(sl_warp *warp, const sl_op *op)
{
    const int lane = __builtin_ctzll(warp->mask);
    uint32_t columns = some_u32(warp, op->b, lane), units = columns / SL_TENSOR_UNIT, at = 0;
    uint64_t offset;
    sl_block *block = sl_cluster_locate(warp, op->inst, lane, some_u64(warp, op->a, lane), &offset);
    sl_block *own = warp->block;
    if (columns < SL_TENSOR_UNIT || columns > SL_TENSOR_COLUMNS || columns & (columns - 1))
        sl_fault_raise(warp, op->inst, -1, SL_FAULT_ILLEGAL_INSTRUCTION,
                       "%u columns of tensor memory: only 32, 64, 128, 256 and 512 can be allocated", columns);
    if (!own->tensor && !(own->tensor = calloc(1, sizeof *own->tensor)))
        sl_fault_raise(warp, op->inst, -1, SL_FAULT_LIMIT, "no memory for tensor memory");
    struct sl_tensor_memory *memory = own->tensor;
    if (memory->relinquished)
        sl_fault_raise(warp, op->inst, -1, SL_FAULT_ILLEGAL_INSTRUCTION,
                       "tensor memory is allocated after the block gave up its permit");
    bool found = false;
    for (uint32_t first = 0; first + units <= SL_TENSOR_UNITS && !found; first++) {
        at = first;
        found = !memchr(memory->used + first, true, units);
    }
    if (!found)
        sl_fault_raise(warp, op->inst, -1, SL_FAULT_BARRIER,
                       "an allocation of %u columns of tensor memory that waits forever: so many are not free",
                       columns);
    memset(memory->used + at, true, units);
    memory->units[at] = (uint8_t)units;
    uint32_t address = at * SL_TENSOR_UNIT;
    memcpy(shared_bytes(warp, op, lane, block, offset, 4, 4), &address, 4);
}

void sl_tensor_dealloc(sl_warp *warp, const sl_op *op)
{
    const int lane = __builtin_ctzll(warp->mask);
    uint32_t address = some_u32(warp, op->a, lane), columns = some_u32(warp, op->b, lane),
             at = address / SL_TENSOR_UNIT;
    struct sl_tensor_memory *memory = warp->block->tensor;
    if (!memory || address % SL_TENSOR_UNIT || at >= SL_TENSOR_UNITS || !memory->units[at] ||
        memory->units[at] * SL_TENSOR_UNIT != columns)
        illegal(warp, op, "tensor memory is freed that was not allocated so: address", address);
    memset(memory->used + at, false, memory->units[at]);
    memory->units[at] = 0;
}

void sl_tensor_relinquish(sl_warp *warp, const sl_op *op)
{
    (void)op;
    if (warp->block->tensor)
        warp->block->tensor->relinquished = true;
}

/* ---- moves ---- */

/* Rows of 32 bytes in 32 lanes move down by one: each takes the place of the one before it, and the last one stays. */
void sl_tensor_shift(sl_warp *warp, const sl_op *op)
{
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        uint32_t address = some_u32(warp, op->a, __builtin_ctzll(left)), lane = address >> 16,
                 column = address & 0xffff;
        for (uint32_t place = 0; place < (op->aux & SL_TENSOR_PAIR ? 2u : 1u); place++) {
            const sl_block *block = sl_tensor_block(warp, op, op->aux & SL_TENSOR_PAIR, place);
            if (lane % 32)
                illegal(warp, op, "a shift of tensor memory does not begin at a multiple of 32 lanes: address",
                        address);
            uint32_t *row = sl_tensor_words(warp, op, block, lane, 32, column, 8);
            for (uint32_t i = 0; i < 31; i++, row += SL_TENSOR_COLUMNS)
                memcpy(row, row + SL_TENSOR_COLUMNS, 32);
        }
    }
}

/* ---- signals ---- */

static void arrive(sl_warp *warp, const sl_op *op, int lane, sl_block *block, uint64_t offset, uint64_t arrivals,
                   uint64_t bytes)
{
    uint64_t *barrier = (uint64_t *)(void *)shared_bytes(warp, op, lane, block, offset, 8, 8);
    if (warp->race && arrivals)
        sl_race_committed(warp, op, block, offset);
    *barrier = sl_barrier_after(*barrier, arrivals, 0, -bytes);
    sl_warp_yield(warp);
}

void sl_tensor_commit(sl_warp *warp, const sl_op *op)
{
    if (warp->race)
        sl_race_groups(warp, SL_RACE_TENSOR, SL_RACE_COMMIT, 0);
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        uint64_t offset;
        sl_block *block = sl_cluster_locate(warp, op->inst, lane, some_u64(warp, op->a, lane), &offset);
        if (!(op->aux & SL_TENSOR_MULTICAST)) {
            arrive(warp, op, lane, block, offset, 1, 0);
            continue;
        }
        uint32_t blocks = some_u32(warp, op->b, lane) & 0xffff;
        for (uint32_t rank = 0; rank < 16; rank++) {
            if (!(blocks >> rank & 1))
                continue;
            if (!(block = sl_cluster_block(warp, rank)))
                illegal(warp, op, "the commit names a block that the cluster does not have: blocks", blocks);
            arrive(warp, op, lane, block, offset, 1, 0);
        }
    }
}

void sl_launch_cancel(sl_warp *warp, const sl_op *op)
{
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        uint64_t offset, barrier;
        sl_block *to = sl_cluster_locate(warp, op->inst, lane, some_u64(warp, op->a, lane), &offset);
        sl_block *of_barrier = sl_cluster_locate(warp, op->inst, lane, some_u64(warp, op->b, lane), &barrier);
        bool all = op->aux & SL_TENSOR_MULTICAST;
        for (uint32_t rank = 0; rank < (all ? warp->block->cluster->blocks : 1); rank++) {
            memset(shared_bytes(warp, op, lane, all ? sl_cluster_block(warp, rank) : to, offset, 16, 16), 0, 16);
            arrive(warp, op, lane, all ? sl_cluster_block(warp, rank) : of_barrier, barrier, 0, 16);
        }
    }
}

/* ---- shared memory ---- */

void sl_shared_fill(sl_warp *warp, const sl_op *op)
{
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        uint64_t offset, bytes = some_u64(warp, op->b, lane);
        sl_block *block = sl_cluster_locate(warp, op->inst, lane, some_u64(warp, op->a, lane), &offset);
        if (bytes % 8)
            sl_fault_raise(warp, op->inst, lane, SL_FAULT_MISALIGNED, "the size %llu is not a multiple of 8",
                           (unsigned long long)bytes);
        memset(shared_bytes(warp, op, lane, block, offset, bytes, 8), 0, bytes);
    }
}
