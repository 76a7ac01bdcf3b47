/* SPDX-License-Identifier: MIT */
/* Fifth-generation tensor cores: tensor memory, and products of matrices in it and in shared memory. Fences and waits
 * do nothing: everything is done when it is issued. */
#include <string.h>

#include "emu/decode.h"
#include "emu/tensor_memory.h"

static bool has(const sl_decoder *d, sl_ptx_mod_id mod)
{
    return sl_ptx_has(d->inst, mod);
}

/* Place of the modifier in the table that the instruction has; `otherwise` for none of them. */
static uint32_t which(const sl_decoder *d, const sl_ptx_mod_id *mods, uint32_t count, uint32_t otherwise)
{
    for (uint32_t i = 0; i < count; i++)
        if (has(d, mods[i]))
            return i;
    return otherwise;
}

/* An address in tensor memory: [register], [register + number] or, of dealloc, a register. */
static uint32_t tensor_address(sl_decoder *d, const sl_ptx_operand *operand)
{
    if (operand->kind != SL_OPD_ADDRESS)
        return sl_decode_src(d, operand, SL_T_B32);
    if (operand->count != 1 || operand->items[0].kind != SL_OPD_REG)
        sl_decode_refuse(d, "an address in tensor memory is a register");
    uint32_t ref = sl_decode_src(d, &operand->items[0], SL_T_B32);
    if (!operand->bits)
        return ref;
    uint32_t offset = sl_decode_const(d, (uint32_t)operand->bits, 4), sum = sl_decode_temp(d, 4);
    sl_emit(d, sum, ref, offset, offset, "add_b32");
    return sum;
}

static uint32_t pair_of(const sl_decoder *d)
{
    return has(d, SL_MOD_CTA_GROUP_2) ? SL_TENSOR_PAIR : 0;
}

/* ---- ld, st ---- */

static void decode_words(sl_decoder *d, bool store)
{
    static const sl_ptx_mod_id shapes[] = {SL_MOD_32X32B, SL_MOD_16X64B, SL_MOD_16X128B, SL_MOD_16X256B,
                                           SL_MOD_16X32BX2};
    static const sl_ptx_mod_id counts[] = {SL_MOD_X1,  SL_MOD_X2,  SL_MOD_X4,  SL_MOD_X8,
                                           SL_MOD_X16, SL_MOD_X32, SL_MOD_X64, SL_MOD_X128};
    static const uint8_t registers[] = {1, 1, 2, 4, 1}; /* of a step */
    uint32_t shape = which(d, shapes, 5, 0), count = registers[shape] << which(d, counts, 8, 0), refs[128];
    bool halves = shape == SL_SPREAD_16X32X2;
    if (has(d, SL_MOD_RED))
        sl_decode_refuse(d, ".red");
    const sl_ptx_operand *list = sl_decode_operand(d, store ? (halves ? 2 : 1) : 0);
    const sl_ptx_operand *items = list->kind == SL_OPD_VECTOR ? list->items : list;
    uint32_t n = list->kind == SL_OPD_VECTOR ? list->count : 1;
    if (n != count || n > 128)
        sl_decode_refuse(d, "%u registers where %u are expected", n, count);
    for (uint32_t i = 0; i < n; i++)
        refs[i] = store ? sl_decode_src(d, &items[i], SL_T_B32) : sl_decode_dst(d, &items[i], 4);
    uint32_t address = tensor_address(d, sl_decode_operand(d, store ? 0 : 1));
    const sl_ptx_operand *between = halves ? sl_decode_operand(d, store ? 1 : 2) : NULL;
    if (between && (between->kind != SL_OPD_INT || between->bits > SL_TENSOR_COLUMNS))
        sl_decode_refuse(d, "the distance of its halves is a number of columns");
    uint32_t first = sl_decode_list(d, refs, n);
    sl_op *op = sl_emit(d, 0, address, 0, 0, store ? "tensor_store" : "tensor_load");
    op->list = first;
    op->count = (uint8_t)n;
    op->aux = shape | (has(d, SL_MOD_PACK_16B) || has(d, SL_MOD_UNPACK_16B) ? SL_SPREAD_PACKED : 0);
    op->imm = between ? (int64_t)between->bits : 0;
}

/* ---- cp, commit ---- */

static void decode_copy(sl_decoder *d)
{
    static const sl_ptx_mod_id shapes[] = {SL_MOD_128X256B,     SL_MOD_4X256B,       SL_MOD_128X128B,
                                           SL_MOD_WARPX2_02_13, SL_MOD_WARPX2_01_23, SL_MOD_32X128B};
    if (has(d, SL_MOD_B8X16))
        sl_decode_refuse(d, "unpacking while it copies");
    uint32_t to = tensor_address(d, sl_decode_operand(d, 0));
    uint32_t from = sl_decode_src(d, sl_decode_operand(d, 1), SL_T_B64);
    sl_op *op = sl_emit(d, 0, to, from, 0, "tensor_copy");
    op->aux = which(d, shapes, 6, 0) | pair_of(d);
    op->slot = d->slot;
}

static void decode_commit(sl_decoder *d)
{
    uint32_t barrier = sl_decode_address(d, sl_decode_operand(d, 0), SL_SPACE_SHARED);
    bool several = has(d, SL_MOD_MULTICAST_CLUSTER);
    uint32_t blocks = several ? sl_decode_int_value(d, sl_decode_operand(d, 1), SL_T_U16, 4) : sl_decode_const(d, 0, 4);
    sl_op *op = sl_emit(d, 0, barrier, blocks, 0, "tensor_commit");
    op->aux = several ? SL_TENSOR_MULTICAST : 0;
}

/* ---- mma ---- */

/* Factors along k, of each row of A and column of B. */
static uint32_t scales_of(sl_decoder *d, uint32_t kind)
{
    if (kind < SL_TENSOR_MXF8F6F4)
        return 0;
    if (kind == SL_TENSOR_MXF8F6F4)
        return 1;
    bool four = has(d, SL_MOD_SCALE_VEC_4X) || has(d, SL_MOD_BLOCK16);
    return kind == SL_TENSOR_MXF4NVF4 && four ? 4 : 2;
}

static void decode_multiply(sl_decoder *d)
{
    static const sl_ptx_mod_id kinds[] = {SL_MOD_KIND_F16,      SL_MOD_KIND_TF32, SL_MOD_KIND_F8F6F4,  SL_MOD_KIND_I8,
                                          SL_MOD_KIND_MXF8F6F4, SL_MOD_KIND_MXF4, SL_MOD_KIND_MXF4NVF4};
    uint32_t refs[SL_TENSOR_REFS], next = 4, kind = which(d, kinds, 7, 0), scales = scales_of(d, kind), weaken = 0;
    bool ws = has(d, SL_MOD_WS);
    memset(refs, 0xff, sizeof refs);
    if (has(d, SL_MOD_SP))
        sl_decode_refuse(d, "sparse factors");
    if (has(d, SL_MOD_ASHIFT))
        sl_decode_refuse(d, ".ashift");
    const sl_ptx_operand *a = sl_decode_operand(d, 1);
    bool in_memory = a->kind == SL_OPD_ADDRESS;
    refs[SL_TENSOR_D] = tensor_address(d, sl_decode_operand(d, 0));
    if (in_memory)
        refs[SL_TENSOR_A_ADDRESS] = tensor_address(d, a);
    else
        refs[SL_TENSOR_A] = sl_decode_src(d, a, SL_T_B64);
    refs[SL_TENSOR_B] = sl_decode_src(d, sl_decode_operand(d, 2), SL_T_B64);
    refs[SL_TENSOR_FORM] = sl_decode_src(d, sl_decode_operand(d, 3), SL_T_B32);
    if (scales) {
        refs[SL_TENSOR_SCALE_A] = tensor_address(d, sl_decode_operand(d, next++));
        refs[SL_TENSOR_SCALE_B] = tensor_address(d, sl_decode_operand(d, next++));
    }
    const sl_ptx_operand *disabled = sl_decode_operand(d, next);
    if (disabled->kind == SL_OPD_VECTOR) {
        if (disabled->count != (pair_of(d) ? 8 : 4))
            sl_decode_refuse(d, "four words for each block say which lanes are left alone");
        for (uint32_t i = 0; i < disabled->count; i++)
            refs[SL_TENSOR_DISABLED + i] = sl_decode_src(d, &disabled->items[i], SL_T_B32);
        next++;
    }
    const sl_ptx_operand *keeps = sl_decode_operand(d, next++);
    refs[SL_TENSOR_KEEPS] =
        keeps->kind == SL_OPD_INT ? sl_decode_const(d, keeps->bits ? UINT32_MAX : 0, 4) : sl_decode_pred(d, keeps);
    if (next < d->inst->operands && !ws) {
        const sl_ptx_operand *scale = sl_decode_operand(d, next++);
        if (scale->kind != SL_OPD_INT || scale->bits > 15)
            sl_decode_refuse(d, "the scale of d is a number up to 15");
        weaken = (uint32_t)scale->bits;
    }
    if (next != d->inst->operands)
        sl_decode_refuse(d, ws ? "masks of columns" : "so many operands");
    uint32_t list = sl_decode_list(d, refs, SL_TENSOR_REFS);
    sl_op *op = sl_emit(d, 0, 0, 0, 0, "tensor_multiply");
    op->list = list;
    op->aux = kind | pair_of(d) | (in_memory ? SL_TENSOR_A_IN_TENSOR_MEMORY : 0) | (ws ? SL_TENSOR_WS : 0) |
              scales << SL_TENSOR_SCALES_SHIFT | weaken << SL_TENSOR_WEAKEN_SHIFT;
    op->space = SL_SPACE_SHARED;
    op->slot = d->slot;
}

/* ---- clusterlaunchcontrol: the answer is zero, for no cluster is ever canceled ---- */

static void decode_launch_control(sl_decoder *d)
{
    if (has(d, SL_MOD_TRY_CANCEL)) {
        uint32_t answer = sl_decode_address(d, sl_decode_operand(d, 0), SL_SPACE_SHARED);
        uint32_t barrier = sl_decode_address(d, sl_decode_operand(d, 1), SL_SPACE_SHARED);
        sl_op *op = sl_emit(d, 0, answer, barrier, 0, "launch_cancel");
        op->aux = has(d, SL_MOD_MULTICAST_CLUSTER_ALL) ? SL_TENSOR_MULTICAST : 0;
        return;
    }
    const sl_ptx_operand *result = sl_decode_operand(d, 0);
    uint32_t high, low = sl_decode_wide(d, sl_decode_operand(d, 1), &high), shift = sl_decode_const(d, 32, 4);
    if (has(d, SL_MOD_IS_CANCELED)) {
        uint32_t zero = sl_decode_const(d, 0, 8), p = sl_decode_dst(d, result, 4);
        sl_emit(d, p, low, zero, zero, "setp_ne_u64");
        return;
    }
    /* x above the flag, then y and z */
    bool all = result->kind == SL_OPD_VECTOR;
    if (all && result->count != 4)
        sl_decode_refuse(d, "four registers are expected");
    uint32_t first = has(d, SL_MOD_GET_FIRST_CTAID_Y) ? 1 : has(d, SL_MOD_GET_FIRST_CTAID_Z) ? 2 : 0;
    for (uint32_t i = 0; i < (all ? 3u : 1u); i++) {
        uint32_t from = first + i ? high : low, word = sl_decode_temp(d, 8);
        if (first + i != 1)
            sl_emit(d, word, from, shift, shift, "shr_u64");
        uint32_t to = sl_decode_dst(d, all ? &result->items[i] : result, 4), source = first + i == 1 ? from : word;
        sl_emit(d, to, source, source, source, "ext_u32_u64_u32");
    }
    if (all) {
        uint32_t zero = sl_decode_const(d, 0, 4);
        sl_emit(d, sl_decode_dst(d, &result->items[3], 4), zero, zero, zero, "mov_b32");
    }
}

bool sl_decode_tcgen05(sl_decoder *d)
{
    if (d->inst->op == SL_OP_CLUSTERLAUNCHCONTROL) {
        decode_launch_control(d);
        return true;
    }
    if (d->inst->op != SL_OP_TCGEN05)
        return false;
    if (has(d, SL_MOD_ALLOC)) {
        uint32_t to = sl_decode_address(d, sl_decode_operand(d, 0), SL_SPACE_SHARED);
        sl_emit(d, 0, to, sl_decode_src(d, sl_decode_operand(d, 1), SL_T_B32), 0, "tensor_alloc");
    } else if (has(d, SL_MOD_DEALLOC)) {
        uint32_t address = tensor_address(d, sl_decode_operand(d, 0));
        sl_emit(d, 0, address, sl_decode_src(d, sl_decode_operand(d, 1), SL_T_B32), 0, "tensor_dealloc");
    } else if (has(d, SL_MOD_RELINQUISH_ALLOC_PERMIT)) {
        sl_emit(d, 0, 0, 0, 0, "tensor_relinquish");
    } else if (has(d, SL_MOD_LD) || has(d, SL_MOD_ST)) {
        decode_words(d, has(d, SL_MOD_ST));
    } else if (has(d, SL_MOD_CP)) {
        decode_copy(d);
    } else if (has(d, SL_MOD_SHIFT)) {
        sl_op *op = sl_emit(d, 0, tensor_address(d, sl_decode_operand(d, 0)), 0, 0, "tensor_shift");
        op->aux = pair_of(d);
    } else if (has(d, SL_MOD_COMMIT)) {
        decode_commit(d);
    } else if (has(d, SL_MOD_MMA)) {
        decode_multiply(d);
    }
    return true;
}
