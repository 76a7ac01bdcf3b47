/* SPDX-License-Identifier: MIT */
/* The verifier: proves of decoded code that no op can reach outside of its operands, before it first runs.
 *
 * Handlers follow references without a test. So every reference of every op and of every block's end is held to what
 * its handler accesses (handlers.def): it starts at a register, a temporary, a constant or a special register of the
 * function it stands in, ends in the same one, and is written only if it is a register or temporary. Numbers that index
 * something (parameters, lists, blocks, functions, local frames) are held to its size, in 64 bits. Addresses of memory
 * are not known here: each access is checked (memory.c). What cannot be proved is refused, by instruction. */
#include <string.h>

#include "emu/atomic.h"
#include "emu/bulk.h"
#include "emu/decode.h"
#include "emu/matrix.h"
#include "emu/tensor_memory.h"
#include "emu/texture.h"

typedef enum intent { READ, WRITE } intent;

/* The end of the item that holds `offset`, of items that start where `start` (ascending) says and end at `last`. */
static uint64_t end_of(const uint32_t *start, size_t count, uint64_t offset, uint64_t last)
{
    size_t low = 0, high = count;
    while (low < high) { /* the first that starts above the offset */
        size_t middle = low + (high - low) / 2;
        if (start[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count ? start[low] : last;
}

/* Where the register, or the part of the frame that temporaries take, ends. */
static uint64_t end_in_frame(const sl_decoder *d, uint32_t function, uint64_t offset)
{
    const struct sl_frame_layout *frame = &d->frames.items[function];
    if (offset >= frame->temps)
        return d->functions.items[function].frame_bytes;
    return offset >= frame->carry ? frame->temps : end_of(frame->reg_ref, frame->regs, offset, frame->carry);
}

static void check_ref(sl_decoder *d, uint32_t function, uint32_t ref, uint32_t lane_bytes, intent use)
{
    if (!lane_bytes)
        return;
    uint64_t offset = ref & SL_AREA_MASK, end = 0, bytes = (uint64_t)lane_bytes * d->lanes;
    uint32_t area = ref >> SL_AREA_SHIFT;
    if (area == SL_AREA_FRAME)
        end = offset < d->functions.items[function].frame_bytes ? end_in_frame(d, function, offset) : 0;
    else if (area == SL_AREA_CONST && use == READ)
        end = offset < d->consts.count ? end_of(d->const_starts.items, d->const_starts.count, offset, d->consts.count)
                                       : 0;
    else if (area == SL_AREA_SPECIAL && use == READ && offset < (uint64_t)SL_SLOT_COUNT * d->lanes * 8)
        end = (offset / (d->lanes * 8) + 1) * d->lanes * 8;
    if (offset + bytes > end || offset % 64)
        sl_decode_refuse(d, "an operand does not lie in its register");
}

static void check_optional(sl_decoder *d, uint32_t function, uint32_t ref, uint32_t lane_bytes, intent use)
{
    if (ref != SL_REF_NONE)
        check_ref(d, function, ref, lane_bytes, use);
}

static const uint32_t *check_list(sl_decoder *d, uint64_t first, uint64_t count)
{
    if (first + count > d->lists.count)
        sl_decode_refuse(d, "its operands are incomplete");
    return count ? &d->lists.items[first] : NULL;
}

static void check_refs(sl_decoder *d, uint32_t function, const uint32_t *ref, uint32_t count, uint32_t lane_bytes,
                       intent use)
{
    for (uint32_t i = 0; i < count; i++)
        check_ref(d, function, ref[i], lane_bytes, use);
}

static void need(sl_decoder *d, bool holds)
{
    if (!holds)
        sl_decode_refuse(d, "its operands do not go together");
}

/* Of a memory op: the address, and the sizes that its handler multiplies. */
static void check_access(sl_decoder *d, uint32_t function, const sl_op *op, bool narrow)
{
    check_ref(d, function, op->a, narrow ? 4 : 8, READ);
    need(d, op->size && op->count && (op->size & (op->size - 1)) == 0 && op->size * op->count <= 128);
}

static void check_matrix(sl_decoder *d, uint32_t function, const sl_op *op)
{
    uint32_t regs[4], total = 0;
    sl_matrix_registers(op, regs);
    for (int i = 0; i < 4; i++)
        total += regs[i];
    need(d, total == op->count);
    const uint32_t *list = check_list(d, op->list, op->count);
    for (int i = 0; i < 4; i++) {
        bool wide = (op->aux >> 4 * i & 15) == SL_MATRIX_F64;
        check_refs(d, function, list, regs[i], wide ? 8 : 4, i == 0 ? WRITE : READ);
        list += regs[i];
    }
}

static void check_bulk(sl_decoder *d, uint32_t function, const sl_op *op)
{
    const uint32_t *list = check_list(d, op->list, SL_BULK_REFS);
    for (uint32_t i = 0; i < SL_BULK_REFS; i++)
        check_optional(d, function, list[i], i < SL_BULK_ADDRESSES ? 8 : 4, READ);
    uint32_t way = op->aux & SL_BULK_WAYS, dims = op->aux >> SL_BULK_DIMS_SHIFT & 15;
    need(d, list[SL_BULK_FROM] != SL_REF_NONE && (way == SL_BULK_PREFETCH || list[SL_BULK_TO] != SL_REF_NONE));
    need(d, way == SL_BULK_STORE || way == SL_BULK_PREFETCH || list[SL_BULK_BARRIER] != SL_REF_NONE);
    need(d, op->aux & SL_BULK_TENSOR ? dims && dims <= 5 : list[SL_BULK_BYTES] != SL_REF_NONE);
    for (uint32_t i = 0; i < (op->aux & SL_BULK_ROWS ? 5 : dims) && i < 5; i++)
        need(d, list[SL_BULK_COORDINATE + i] != SL_REF_NONE);
}

static void check_tensor(sl_decoder *d, uint32_t function, const sl_op *op)
{
    const uint32_t *list = check_list(d, op->list, SL_TENSOR_REFS);
    bool in_memory = op->aux & SL_TENSOR_A_IN_TENSOR_MEMORY, scaled = op->aux >> SL_TENSOR_SCALES_SHIFT & 7;
    for (uint32_t i = 0; i < SL_TENSOR_REFS; i++)
        check_optional(d, function, list[i], i < SL_TENSOR_WIDE ? 8 : 4, READ);
    need(d, list[SL_TENSOR_D] != SL_REF_NONE && list[SL_TENSOR_B] != SL_REF_NONE);
    need(d, list[SL_TENSOR_FORM] != SL_REF_NONE && list[SL_TENSOR_KEEPS] != SL_REF_NONE);
    need(d, list[in_memory ? SL_TENSOR_A_ADDRESS : SL_TENSOR_A] != SL_REF_NONE);
    need(d, !scaled || (list[SL_TENSOR_SCALE_A] != SL_REF_NONE && list[SL_TENSOR_SCALE_B] != SL_REF_NONE));
}

static void check_form(sl_decoder *d, uint32_t function, const sl_op *op, const struct sl_named_handler *handler)
{
    uint32_t lane = handler->lane_bytes[0];
    bool narrow = op->aux & SL_ADDRESS_32;
    switch ((sl_form)handler->form) {
    case SL_FORM_PLAIN:
        break;
    case SL_FORM_CARRY:
        check_ref(d, function, op->c, 4, WRITE);
        break;
    case SL_FORM_VOTE:
        check_optional(d, function, op->b, 4, READ);
        break;
    case SL_FORM_READ_1:
        check_refs(d, function, check_list(d, op->list, 1), 1, 4, READ);
        break;
    case SL_FORM_WRITE_1:
        check_refs(d, function, check_list(d, op->list, 1), 1, 4, WRITE);
        break;
    case SL_FORM_WRITE_OPTIONAL:
        check_optional(d, function, *check_list(d, op->list, 1), 4, WRITE);
        break;
    case SL_FORM_NUMBERS_4:
        check_list(d, op->list, 4);
        break;
    case SL_FORM_LOAD:
    case SL_FORM_STORE:
        check_access(d, function, op, narrow);
        need(d, op->count <= 16 && op->aux >> SL_SHAPE_SHIFT < d->kernel->code.shapes);
        if (op->count > 1)
            check_refs(d, function, check_list(d, op->list, op->count), op->count, lane,
                       handler->form == SL_FORM_LOAD ? WRITE : READ);
        break;
    case SL_FORM_PARAM:
        check_ref(d, function, op->d, op->size, WRITE);
        need(d, op->size == 2 || op->size == 4 || op->size == 8);
        need(d, op->imm >= 0 && (uint64_t)op->imm + handler->lane_bytes[1] <= d->kernel->func->param_bytes);
        break;
    case SL_FORM_LOCAL_ADDRESS:
        check_ref(d, function, op->d, op->size, WRITE);
        need(d, op->size == 4 || op->size == 8);
        break;
    case SL_FORM_ATOMIC_128:
        check_refs(d, function, check_list(d, op->list, 3), 1, 8, WRITE);
        check_refs(d, function, check_list(d, op->list, 3) + 1, 2, 8, READ);
        /* fall through */
    case SL_FORM_ATOMIC:
        check_access(d, function, op, op->aux & SL_ATOM_ADDRESS_32);
        break;
    case SL_FORM_PREFETCH:
        check_access(d, function, op, narrow);
        break;
    case SL_FORM_CP_ASYNC:
        check_access(d, function, op, narrow);
        check_optional(d, function, *check_list(d, op->list, 3), 4, READ);
        break;
    case SL_FORM_BULK:
        check_bulk(d, function, op);
        break;
    case SL_FORM_TEXTURE: {
        const uint32_t *list = check_list(d, op->list, SL_TEXTURE_OPERANDS);
        check_refs(d, function, list, SL_TEXTURE_RESULTS, 4, WRITE);
        check_optional(d, function, list[SL_TEXTURE_RESIDENT], 4, WRITE);
        check_refs(d, function, list + SL_TEXTURE_COORDS, SL_TEXTURE_OPERANDS - SL_TEXTURE_COORDS, 4, READ);
        break;
    }
    case SL_FORM_SURFACE:
    case SL_FORM_SURFACE_PACK: {
        uint32_t values = handler->form == SL_FORM_SURFACE_PACK ? op->count : 0;
        const uint32_t *list = check_list(d, op->list, SL_SURFACE_OPERANDS + (uint64_t)values);
        need(d, values <= 4 && op->size * op->count <= 16);
        if (handler->form == SL_FORM_SURFACE)
            check_ref(d, function, list[SL_SURFACE_INSIDE], 4, WRITE);
        check_refs(d, function, list + SL_SURFACE_COORDS, SL_SURFACE_OPERANDS - SL_SURFACE_COORDS + values, 4, READ);
        break;
    }
    case SL_FORM_MATRIX:
        check_matrix(d, function, op);
        break;
    case SL_FORM_WGMMA: {
        uint32_t regs[2];
        sl_wgmma_registers(op, regs);
        need(d, op->count == regs[0] + regs[1]);
        const uint32_t *list = check_list(d, op->list, op->count);
        check_refs(d, function, list, regs[0], 4, WRITE);
        check_refs(d, function, list + regs[0], regs[1], 4, READ);
        if (!regs[1])
            check_ref(d, function, op->a, 8, READ);
        break;
    }
    case SL_FORM_WMMA_LOAD:
    case SL_FORM_WMMA_STORE: {
        bool wide = (op->aux >> SL_MATRIX_TYPE_SHIFT & 15) == SL_MATRIX_F64;
        const uint32_t *list = check_list(d, op->list, 3 + (uint64_t)op->count);
        check_access(d, function, op, narrow);
        check_ref(d, function, list[2], 4, READ);
        check_refs(d, function, list + 3, op->count, wide ? 8 : 4, handler->form == SL_FORM_WMMA_LOAD ? WRITE : READ);
        break;
    }
    case SL_FORM_REGISTERS_LOAD:
    case SL_FORM_REGISTERS_STORE:
        check_refs(d, function, check_list(d, op->list, op->count), op->count, 4,
                   handler->form == SL_FORM_REGISTERS_LOAD ? WRITE : READ);
        break;
    case SL_FORM_TENSOR:
        check_tensor(d, function, op);
        break;
    case SL_FORM_LIST_LOAD:
    case SL_FORM_LIST_STORE:
        check_access(d, function, op, narrow);
        need(d, op->count <= 4);
        check_refs(d, function, check_list(d, op->list, op->count), op->count, lane,
                   handler->form == SL_FORM_LIST_LOAD ? WRITE : READ);
        break;
    }
}

/* Whether d, a, b, c of the handler are plain references: of some forms d stands in a list, or depends on a size. */
static bool writes_d(const sl_op *op, unsigned form)
{
    switch (form) {
    case SL_FORM_LOAD:
        return op->count == 1;
    case SL_FORM_STORE:
    case SL_FORM_PARAM:
    case SL_FORM_LIST_LOAD:
    case SL_FORM_LIST_STORE:
        return false;
    default:
        return true;
    }
}

static void check_op(sl_decoder *d, uint32_t function, const sl_op *op, const struct sl_named_handler *handler)
{
    const uint8_t *bytes = handler->lane_bytes;
    if (writes_d(op, handler->form))
        check_ref(d, function, op->d, bytes[0], WRITE);
    else if (handler->form == SL_FORM_STORE && op->count == 1)
        check_ref(d, function, op->d, bytes[0], READ);
    if (handler->form != SL_FORM_PARAM)
        check_ref(d, function, op->a, bytes[1], READ);
    check_ref(d, function, op->b, bytes[2], READ);
    check_ref(d, function, op->c, bytes[3], READ);
    check_optional(d, function, op->guard, 4, READ);
    check_form(d, function, op, handler);
}

/* ---- blocks ---- */

static void check_block(sl_decoder *d, int32_t bb)
{
    need(d, bb >= 0 && (size_t)bb < d->bbs.count);
}

static void check_target(sl_decoder *d, int32_t bb)
{
    if (bb != SL_BB_EXIT)
        check_block(d, bb);
}

/* Arguments and results of a call lie in the local frames of caller and callee. */
static void check_call(sl_decoder *d, const sl_code_bb *bb)
{
    const sl_code_function *caller = &d->functions.items[bb->function];
    const sl_call *call = bb->call;
    for (uint32_t i = 0; i < call->args + call->rets; i++)
        need(d, (uint64_t)call->arg[i].caller_offset + call->arg[i].bytes <= caller->local_bytes);
    if (bb->term == SL_TERM_CALL_INDIRECT) {
        need(d, call->target >> SL_AREA_SHIFT == SL_AREA_FRAME);
        check_ref(d, bb->function, call->target, 8, READ);
    } else if (bb->term == SL_TERM_CALL) {
        need(d, call->function < d->functions.count);
    }
}

static void check_bb(sl_decoder *d, const sl_code_bb *bb)
{
    uint32_t f = bb->function;
    check_target(d, bb->next);
    const uint32_t *join = check_list(d, bb->join, bb->joins), *leave = check_list(d, bb->leave, 2 * bb->leaves);
    for (uint32_t i = 0; i < bb->joins; i++)
        check_block(d, (int32_t)join[i]);
    for (uint32_t i = 0; i < 2 * bb->leaves; i++)
        check_block(d, (int32_t)leave[i]);
    check_optional(d, f, bb->guard, 4, READ);
    if (bb->warp_sync)
        check_optional(d, f, bb->sync_guard, 4, READ);
    if (bb->warp_sync && bb->sync_uses_mask)
        check_ref(d, f, bb->sync_mask, 4, READ);
    if (bb->term == SL_TERM_JUMP || bb->term == SL_TERM_BRANCH)
        check_target(d, bb->taken);
    if (bb->term == SL_TERM_TABLE) {
        const uint32_t *target = check_list(d, bb->list, bb->list_count);
        check_ref(d, f, bb->pred, 4, READ);
        for (uint32_t i = 0; i < bb->list_count; i++)
            check_target(d, (int32_t)target[i]);
    }
    if (bb->term == SL_TERM_BARRIER) {
        bool reduces = bb->barrier_mode >= SL_BARRIER_POPC && bb->barrier_mode <= SL_BARRIER_OR;
        check_ref(d, f, bb->barrier, 4, READ);
        check_optional(d, f, bb->barrier_count, 4, READ);
        if (reduces) {
            check_ref(d, f, bb->barrier_dst, 4, WRITE);
            check_ref(d, f, bb->barrier_src, 4, READ);
        }
    }
    if (bb->term == SL_TERM_CALL || bb->term == SL_TERM_CALL_INDIRECT || bb->term == SL_TERM_CALL_BUILTIN)
        check_call(d, bb);
}

static void check_function(sl_decoder *d, const sl_code_function *function)
{
    for (uint32_t i = 0; i < function->params + function->rets && !function->func->entry; i++)
        need(d, (uint64_t)function->param_offset[i] + function->param_bytes[i] <= function->local_bytes);
    for (uint32_t i = 0; i < function->zeroed; i++)
        need(d, (uint64_t)function->zero_ref[i] + function->zero_size[i] <= function->frame_bytes);
    need(d, function->entry_bb < d->bbs.count);
}

void sl_decode_verify(sl_decoder *d)
{
    for (uint32_t i = 0; i < d->functions.count; i++) {
        d->func = d->functions.items[i].func;
        d->module = d->functions.items[i].module;
        d->inst = NULL;
        check_function(d, &d->functions.items[i]);
    }
    for (size_t i = 0; i < d->bbs.count; i++) {
        const sl_code_bb *bb = &d->bbs.items[i];
        d->func = d->functions.items[bb->function].func;
        d->module = d->functions.items[bb->function].module;
        for (uint32_t k = 0; k < bb->ops; k++) {
            const sl_op *op = &d->ops.items[bb->first + k];
            d->inst = d->insts.items[op->inst];
            check_op(d, bb->function, op, &d->handlers->handler[d->handler_of.items[bb->first + k]]);
        }
        d->inst = bb->insts ? d->insts.items[bb->first_inst + bb->insts - 1] : NULL;
        check_bb(d, bb);
    }
}
