/* SPDX-License-Identifier: MIT */
/* The decoder's walk: functions, basic blocks, terminators, and the references of operands. */
#include "emu/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "emu/warp.h"

_Noreturn void sl_decode_refuse(sl_decoder *d, const char *format, ...)
{
    char reason[400], opcode[120], name[256];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    sl_fail_at(d->error, SL_UNSUPPORTED, d->module->name, d->inst ? d->inst->line : d->func->line,
               d->inst ? d->inst->column : 0, "the emulator does not execute %s in %s: %s",
               d->inst ? sl_ptx_inst_text(d->inst, opcode, sizeof opcode) : "this function",
               sl_function_name(d->func->name, name, sizeof name), reason);
    longjmp(d->fail, 1);
}

_Noreturn void sl_decode_memory_out(sl_decoder *d)
{
    sl_fail_memory(d->error);
    longjmp(d->fail, 1);
}

void *sl_decode_need(sl_decoder *d, void *memory)
{
    if (!memory)
        sl_decode_memory_out(d);
    return memory;
}

/* ---- types ---- */

uint32_t sl_type_bits(sl_ptx_type type)
{
    return type == SL_T_PRED ? 1 : sl_ptx_type_bytes(type) * 8;
}

uint32_t sl_lane_bytes(sl_ptx_type type)
{
    if (type == SL_T_PRED)
        return 4;
    uint32_t bytes = sl_ptx_type_bytes(type);
    return bytes <= 2 ? 2 : bytes == 4 ? 4 : 8;
}

bool sl_type_is_float(sl_ptx_type type)
{
    return type == SL_T_F32 || type == SL_T_F64;
}

bool sl_type_is_half(sl_ptx_type type)
{
    return type == SL_T_F16 || type == SL_T_F16X2 || type == SL_T_BF16 || type == SL_T_BF16X2;
}

bool sl_type_is_signed(sl_ptx_type type)
{
    return type == SL_T_S8 || type == SL_T_S16 || type == SL_T_S32 || type == SL_T_S64;
}

/* ---- references ---- */

/* References have thirty bits, and each warp has separate frames: what needs more is refused. */
enum {
    MAX_FRAME_BYTES = 1 << 28, /* of a function's registers */
    MAX_CONST_BYTES = 1 << 28,
};

uint32_t sl_decode_temp(sl_decoder *d, uint32_t bytes)
{
    if (d->temp > MAX_FRAME_BYTES)
        sl_decode_refuse(d, "its registers take more than %d bytes", MAX_FRAME_BYTES);
    uint32_t ref = d->temp;
    d->temp += (bytes * d->lanes + 63) & ~63u;
    if (d->temp > d->temp_top)
        d->temp_top = d->temp;
    return ref;
}

uint32_t sl_decode_const(sl_decoder *d, uint64_t bits, uint32_t bytes)
{
    if (bytes < 8)
        bits &= ((uint64_t)1 << 8 * bytes) - 1;
    char key[9];
    memcpy(key, &bits, 8);
    key[8] = (char)bytes;
    uintptr_t known = (uintptr_t)sl_map_get(&d->const_refs, key, sizeof key);
    if (known)
        return (uint32_t)(known - 1);
    uint32_t offset = (uint32_t)d->consts.count, size = (bytes * d->lanes + 63) & ~63u;
    if (d->consts.count > MAX_CONST_BYTES)
        sl_decode_refuse(d, "its constants take more than %d bytes", MAX_CONST_BYTES);
    if (!sl_array_reserve(&d->consts, size) || !sl_array_push(&d->const_starts, offset))
        sl_decode_memory_out(d);
    for (uint32_t i = 0; i < d->lanes; i++)
        memcpy(d->consts.items + offset + i * bytes, &bits, bytes); /* little-endian */
    d->consts.count += size;
    uint32_t ref = (uint32_t)SL_AREA_CONST << SL_AREA_SHIFT | offset;
    char *stored = sl_decode_need(d, sl_arena_strndup(d->arena, key, sizeof key));
    if (!sl_map_put(&d->const_refs, stored, sizeof key, (void *)((uintptr_t)ref + 1)))
        sl_decode_memory_out(d);
    return ref;
}

uint32_t sl_decode_list(sl_decoder *d, const uint32_t *refs, uint32_t count)
{
    uint32_t first = (uint32_t)d->lists.count;
    for (uint32_t i = 0; i < count; i++)
        if (!sl_array_push(&d->lists, refs[i]))
            sl_decode_memory_out(d);
    return first;
}

const sl_ptx_operand *sl_decode_operand(sl_decoder *d, uint32_t index)
{
    if (index >= d->inst->operands)
        sl_decode_refuse(d, "operand %u is missing", index + 1);
    return &d->inst->operand[index];
}

uint32_t sl_decode_operand_bytes(const sl_decoder *d, const sl_ptx_operand *operand, uint32_t otherwise)
{
    return operand->kind == SL_OPD_REG ? sl_lane_bytes(d->func->reg[operand->reg].type) : otherwise;
}

uint32_t sl_decode_reg(sl_decoder *d, const sl_ptx_operand *operand)
{
    const sl_ptx_reg *reg = &d->func->reg[operand->reg];
    uint32_t element = operand->element > 0 ? (uint32_t)operand->element : 0;
    if (element && element >= reg->vector)
        sl_decode_refuse(d, "register %s has no element %u", reg->name, element);
    uint32_t stride = (sl_lane_bytes(reg->type) * d->lanes + 63) & ~63u;
    return d->reg_ref[operand->reg] + element * stride;
}

/* Special registers that are the same kind of thing: a slot of the special area. */
static sl_special_slot special_slot(uint16_t special)
{
#define ONE(name) [SL_SREG_##name] = SL_SLOT_##name + 1
#define XYZ(name) ONE(name##_X), ONE(name##_Y), ONE(name##_Z)
    static const uint8_t slot_plus[SL_SREG_COUNT] = {
        XYZ(TID),
        XYZ(NTID),
        XYZ(CTAID),
        XYZ(NCTAID),
        XYZ(CLUSTERID),
        XYZ(NCLUSTERID),
        XYZ(CLUSTER_CTAID),
        XYZ(CLUSTER_NCTAID),
        ONE(CLUSTER_CTARANK),
        ONE(CLUSTER_NCTARANK),
        ONE(LANEID),
        ONE(WARPID),
        ONE(NWARPID),
        ONE(SMID),
        ONE(NSMID),
        ONE(GRIDID),
        ONE(LANEMASK_EQ),
        ONE(LANEMASK_LT),
        ONE(LANEMASK_LE),
        ONE(LANEMASK_GT),
        ONE(LANEMASK_GE),
        ONE(ENVREG1),
        ONE(ENVREG2),
        [SL_SREG_IS_EXPLICIT_CLUSTER] = SL_SLOT_EXPLICIT_CLUSTER + 1,
        [SL_SREG_DYNAMIC_SMEM_SIZE] = SL_SLOT_DYNAMIC_SMEM + 1,
        [SL_SREG_TOTAL_SMEM_SIZE] = SL_SLOT_TOTAL_SMEM + 1,
        [SL_SREG_AGGR_SMEM_SIZE] = SL_SLOT_TOTAL_SMEM + 1,
    };
#undef XYZ
#undef ONE
    uint8_t plus = special < SL_SREG_COUNT ? slot_plus[special] : 0;
    return plus ? (sl_special_slot)(plus - 1) : SL_SLOT_ZERO;
}

/* A slot of the special area in lanes of `bytes`. */
static uint32_t slot_ref(sl_decoder *d, sl_special_slot slot, uint32_t bytes)
{
    d->kernel->code.specials_used |= (uint64_t)1 << slot;
    uint32_t ref = sl_special_ref(slot, d->lanes);
    bool stored_wide = slot == SL_SLOT_GRIDID || slot == SL_SLOT_PARAM_BASE;
    if (bytes == (stored_wide ? 8u : 4u))
        return ref;
    uint32_t resized = sl_decode_temp(d, bytes);
    sl_emit(d, resized, ref, ref, ref, "ext_%s_%s_u%u", stored_wide ? "u64" : "u32", stored_wide ? "u64" : "u32",
            bytes * 8);
    return resized;
}

/* Clock registers are read by a separate op, the others from the special area. */
static uint32_t special_ref(sl_decoder *d, uint16_t special, uint32_t bytes)
{
    if (special == SL_SREG_WARP_SZ)
        return sl_decode_const(d, 32, bytes);
    d->kernel->code.sees_more |= sl_is_clock(special);
    if (sl_is_clock(special)) {
        uint32_t ref = sl_decode_temp(d, bytes);
        sl_op *op = sl_emit(d, ref, ref, ref, ref, bytes == 8 ? "clock_u64" : "clock_u32");
        if (special == SL_SREG_CLOCK_HI || special == SL_SREG_GLOBALTIMER_HI)
            op->aux |= SL_CLOCK_HIGH;
        if (special != SL_SREG_CLOCK && special != SL_SREG_CLOCK_HI && special != SL_SREG_CLOCK64)
            op->aux |= SL_CLOCK_NANOSECONDS;
        return ref;
    }
    return slot_ref(d, special_slot(special), bytes);
}

/* The address that a name stands for, as a constant or computed by an op. */
static uint32_t symbol_ref(sl_decoder *d, const sl_ptx_operand *operand, uint32_t bytes)
{
    const sl_ptx_var *var = operand->var;
    if (var && var->space == SL_SPACE_SHARED) {
        uint32_t offset = sl_decode_const(d, sl_decode_shared_offset(d, var) + operand->bits, bytes);
        if (!d->kernel->code.knows_clusters)
            return offset;
        uint32_t base = slot_ref(d, SL_SLOT_SHARED_BASE, bytes), ref = sl_decode_temp(d, bytes);
        sl_emit(d, ref, base, offset, offset, "add_b%u", bytes * 8);
        return ref;
    }
    if (var && var->space == SL_SPACE_PARAM && var->owner == d->kernel->func && d->func == d->kernel->func &&
        var == (var->index < d->func->params ? d->func->param[var->index] : NULL)) {
        d->kernel->code.specials_used |= (uint64_t)1 << SL_SLOT_PARAM_BASE;
        uint32_t ref = sl_decode_temp(d, 8);
        sl_emit(d, ref, sl_special_ref(SL_SLOT_PARAM_BASE, d->lanes),
                sl_decode_const(d, var->offset + operand->bits, 8), 0, "add_b64");
        if (bytes != 8)
            sl_decode_refuse(d, "the address of parameter %s needs 64 bits", var->name);
        return ref;
    }
    if (var && var->space == SL_SPACE_LOCAL && !var->owner)
        return sl_decode_const(d, sl_decode_module_local(d, var) + operand->bits, bytes);
    if (var && (var->space == SL_SPACE_LOCAL || var->space == SL_SPACE_PARAM)) {
        uint32_t ref = sl_decode_temp(d, bytes);
        uint32_t offset = sl_decode_local_offset(d, var);
        sl_op *op = sl_emit(d, ref, ref, ref, ref, "local_address");
        op->imm = (int64_t)(offset + operand->bits);
        op->size = (uint8_t)bytes;
        return ref;
    }
    const struct sl_linked_variable *placed = sl_program_variable(d->program, d->module, operand->name, var);
    if (placed)
        return sl_decode_const(d, placed->addr + operand->bits, bytes);
    const sl_ptx_module *where;
    const sl_ptx_func *func = sl_program_function(d->program, d->module, operand->name, &where);
    if (func)
        return sl_decode_const(d, (uint64_t)sl_program_function_handle(d->program, func), bytes);
    sl_decode_refuse(d, "%s is not defined in the program", operand->name);
}

/* A number as the bits of `type`. */
static uint64_t literal(const sl_ptx_operand *operand, sl_ptx_type type)
{
    uint64_t bits = operand->bits;
    if (type == SL_T_F32 && operand->kind == SL_OPD_F64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        float narrow = (float)value;
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        return word;
    }
    if (type == SL_T_F64 && operand->kind == SL_OPD_F32) {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        double wide = value;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    if (operand->kind == SL_OPD_INT && sl_type_is_float(type)) { /* an integer where a float is meant */
        if (type == SL_T_F32) {
            float value = (float)(int64_t)bits;
            uint32_t word;
            memcpy(&word, &value, sizeof word);
            return word;
        }
        double value = (double)(int64_t)bits;
        memcpy(&bits, &value, sizeof bits);
    }
    return bits;
}

uint32_t sl_decode_src(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_type type)
{
    uint32_t bytes = sl_lane_bytes(type);
    switch (operand->kind) {
    case SL_OPD_REG: {
        uint32_t have = sl_decode_operand_bytes(d, operand, bytes), ref = sl_decode_reg(d, operand);
        if (type == SL_T_PRED)
            return sl_decode_pred(d, operand);
        if (have != bytes) { /* PTX is lax with untyped registers: take the low bits, or widen with zeros */
            uint32_t resized = sl_decode_temp(d, bytes);
            sl_emit(d, resized, ref, ref, ref, "ext_u%u_u%u_u%u", (have < bytes ? have : bytes) * 8, have * 8,
                    bytes * 8);
            ref = resized;
        }
        if (operand->negated) {
            uint32_t negative = sl_decode_temp(d, bytes);
            if (sl_type_is_float(type) || sl_type_is_half(type))
                sl_emit(d, negative, ref, ref, ref, "neg_%s", sl_ptx_type_text(type));
            else
                sl_emit(d, negative, ref, ref, ref, "neg_b%u", bytes * 8);
            ref = negative;
        }
        return ref;
    }
    case SL_OPD_SPECIAL:
        return special_ref(d, operand->special, bytes);
    case SL_OPD_INT:
        if (type == SL_T_PRED)
            return sl_decode_const(d, operand->bits ? UINT32_MAX : 0, 4);
        return sl_decode_const(d, literal(operand, type), bytes);
    case SL_OPD_F32:
    case SL_OPD_F64:
        return sl_decode_const(d, literal(operand, type), bytes);
    case SL_OPD_SYMBOL:
        return symbol_ref(d, operand, bytes);
    default:
        sl_decode_refuse(d, "an operand has a form that this instruction does not take");
    }
}

uint32_t sl_decode_pred(sl_decoder *d, const sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_INT)
        return sl_decode_const(d, (operand->bits != 0) != operand->negated ? UINT32_MAX : 0, 4);
    if (operand->kind != SL_OPD_REG || d->func->reg[operand->reg].type != SL_T_PRED)
        sl_decode_refuse(d, "a predicate is expected");
    uint32_t ref = sl_decode_reg(d, operand);
    if (!operand->negated)
        return ref;
    uint32_t negative = sl_decode_temp(d, 4);
    sl_emit(d, negative, ref, ref, ref, "not_pred");
    return negative;
}

uint32_t sl_decode_dst(sl_decoder *d, const sl_ptx_operand *operand, uint32_t bytes)
{
    if (operand->kind == SL_OPD_DISCARD)
        return sl_decode_temp(d, bytes);
    if (operand->kind != SL_OPD_REG)
        sl_decode_refuse(d, "the destination is not a register");
    if (sl_decode_operand_bytes(d, operand, bytes) != bytes)
        sl_decode_refuse(d, "register %s has another size than the result", d->func->reg[operand->reg].name);
    return sl_decode_reg(d, operand);
}

sl_op *sl_emit(sl_decoder *d, uint32_t dst, uint32_t a, uint32_t b, uint32_t c, const char *format, ...)
{
    char name[64];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    const struct sl_named_handler *handler = sl_map_get(&d->handler, name, strlen(name));
    if (!handler)
        sl_decode_refuse(d, "there is no %s", name);
    sl_op op = {.run = handler->run,
                .body = handler->run,
                .d = dst,
                .a = a,
                .b = b,
                .c = c,
                .guard = SL_REF_NONE,
                .inst = d->index,
                .slot = UINT32_MAX};
    if (d->inst && d->inst->guarded && !d->unguarded) {
        op.guard = d->reg_ref[d->inst->guard];
        op.guard_negated = d->inst->guard_negated;
        op.run = d->handlers->guard;
    }
    if (!sl_array_push(&d->ops, op) || !sl_array_push(&d->handler_of, (uint16_t)(handler - d->handlers->handler)))
        sl_decode_memory_out(d);
    return &d->ops.items[d->ops.count - 1];
}

/* ---- functions ---- */

static bool is_vector(const sl_decoder *d, const sl_ptx_operand *operand)
{
    return operand->kind == SL_OPD_REG && operand->element < 0 && d->func->reg[operand->reg].vector > 1;
}

/* A vector register as a list of its elements; in lists and addresses as well. */
static sl_ptx_operand with_elements(sl_decoder *d, const sl_ptx_operand *operand)
{
    sl_ptx_operand with = *operand;
    bool vector = is_vector(d, operand);
    if (vector) {
        with.kind = SL_OPD_VECTOR;
        with.count = d->func->reg[operand->reg].vector;
    }
    if (!with.count)
        return with;
    with.items = sl_decode_need(d, sl_arena_array(d->arena, sl_ptx_operand, with.count));
    for (uint32_t i = 0; i < with.count; i++) {
        with.items[i] = vector ? *operand : with_elements(d, &operand->items[i]);
        if (vector)
            with.items[i].element = (int8_t)i;
    }
    return with;
}

static bool has_vectors(const sl_decoder *d, const sl_ptx_operand *operand)
{
    bool has = is_vector(d, operand);
    for (uint32_t i = 0; i < operand->count && !has; i++)
        has = has_vectors(d, &operand->items[i]);
    return has;
}

/* The instruction with its vector registers spelled out. */
static const sl_ptx_inst *spelled_out(sl_decoder *d)
{
    bool some = false;
    for (uint32_t i = 0; i < d->inst->operands && !some; i++)
        some = has_vectors(d, &d->inst->operand[i]);
    if (!some)
        return d->inst;
    sl_ptx_inst *inst = sl_decode_need(d, sl_arena_new(d->arena, sl_ptx_inst));
    *inst = *d->inst;
    sl_ptx_operand *operands = sl_decode_need(d, sl_arena_array(d->arena, sl_ptx_operand, inst->operands));
    for (uint32_t i = 0; i < inst->operands; i++)
        operands[i] = with_elements(d, &d->inst->operand[i]);
    inst->operand = operands;
    return inst;
}

static void decode_instruction(sl_decoder *d)
{
    uint16_t flags = sl_ptx_inst_flags(d->inst);
    if (flags & SL_OPF_REFUSED)
        sl_decode_refuse(d, "it is outside of what is emulated");
    d->inst = spelled_out(d);
    d->temp = d->frame;
    d->slot = flags & SL_OPF_MEMORY ? d->slots : UINT32_MAX;
    size_t before = d->ops.count;
    if (!sl_decode_memory(d) && !sl_decode_async(d) && !sl_decode_bulk(d) && !sl_decode_tcgen05(d) &&
        !sl_decode_alu(d) && !sl_decode_texture(d) && !sl_decode_half(d))
        sl_decode_refuse(d, "it is not known");
    bool recorded = false;
    for (size_t i = before; i < d->ops.count; i++)
        recorded |= d->ops.items[i].slot != UINT32_MAX;
    d->slots += recorded;
}

/* Which lanes a warp-synchronising instruction names. */
static void decode_sync_mask(sl_decoder *d, sl_code_bb *bb)
{
    const sl_ptx_inst *inst = d->inst;
    bb->warp_sync = true;
    if (inst->op == SL_OP_WGMMA && sl_ptx_has(inst, SL_MOD_WAIT_GROUP))
        bb->group_wait = sl_decode_group_wait(d);
    bb->sync_guard = inst->guarded ? d->reg_ref[inst->guard] : SL_REF_NONE;
    bb->sync_guard_negated = inst->guard_negated;
    bool named = inst->op == SL_OP_BAR || inst->op == SL_OP_BARRIER || inst->op == SL_OP_SHFL ||
                 inst->op == SL_OP_VOTE || inst->op == SL_OP_MATCH || inst->op == SL_OP_REDUX ||
                 inst->op == SL_OP_ELECT;
    bb->sync_uses_mask = named && inst->operands;
    if (bb->sync_uses_mask) {
        const sl_ptx_operand *mask = &inst->operand[inst->operands - 1];
        bb->sync_mask = mask->kind == SL_OPD_REG ? sl_decode_reg(d, mask) : sl_decode_const(d, mask->bits, 4);
    }
}

static bool is_terminator(const sl_ptx_inst *inst)
{
    uint16_t flags = sl_ptx_inst_flags(inst);
    return flags & (SL_OPF_BRANCH | SL_OPF_CALL | SL_OPF_EXIT | SL_OPF_BARRIER);
}

/* What the parser left unchecked, because the module is newer than its table. */
static void check_form(sl_decoder *d)
{
    char reason[512];
    uint32_t at;
    if (sl_ptx_is_newer(d->module) && !sl_ptx_check_form(d->inst, &at, reason, sizeof reason))
        sl_decode_refuse(d, "%s", reason);
}

static void decode_block(sl_decoder *d, const sl_bb *from, int32_t base, uint32_t number, uint32_t blocks)
{
    const sl_ptx_func *func = d->func;
    sl_code_bb bb = {.first = (uint32_t)d->ops.count, .insts = from->count, .function = d->function};
    bb.first_inst = d->functions.items[d->function].first_inst + from->first;
    bb.guard = SL_REF_NONE;
    bb.next = number + 1 < blocks ? base + (int32_t)number + 1 : SL_BB_EXIT;
    sl_decode_joins(d, &bb, from, base);
    bb.term = SL_TERM_FALL;
    if (bb.next == SL_BB_EXIT)
        bb.term = func->entry ? SL_TERM_EXIT : SL_TERM_RETURN;
    for (uint32_t i = 0; i < from->count; i++) {
        d->inst = &func->inst[from->first + i];
        check_form(d);
        if (d->contraction.as[from->first + i])
            d->inst = d->contraction.as[from->first + i];
        d->index = bb.first_inst + i;
        if (i == 0 && sl_ptx_inst_flags(d->inst) & SL_OPF_WARP_SYNC)
            decode_sync_mask(d, &bb);
        if (is_terminator(d->inst)) {
            d->temp = d->frame;
            d->unguarded = true; /* ops that prepare its operands run for every lane */
            sl_decode_terminator(d, &bb, from, base);
            d->unguarded = false;
        } else if (!d->contraction.dropped[from->first + i]) {
            decode_instruction(d);
        }
    }
    bb.ops = (uint32_t)d->ops.count - bb.first;
    if (!sl_array_push(&d->bbs, bb))
        sl_decode_memory_out(d);
}

/* Of a register for all lanes; 128-bit ones are two arrays of halves. */
static uint32_t register_bytes(const sl_decoder *d, const sl_ptx_reg *reg)
{
    uint32_t one = (sl_lane_bytes(reg->type) * d->lanes + 63) & ~63u;
    return one * (reg->vector ? reg->vector : 1) * (sl_ptx_type_bytes(reg->type) == 16 ? 2 : 1);
}

static void allocate_registers(sl_decoder *d)
{
    d->reg_ref = sl_decode_need(d, sl_arena_array(d->arena, uint32_t, d->func->regs + 1));
    uint32_t offset = 0;
    for (uint32_t i = 0; i < d->func->regs; i++) {
        const sl_ptx_reg *reg = &d->func->reg[i];
        d->reg_ref[i] = offset;
        offset += register_bytes(d, reg);
        if (offset > MAX_FRAME_BYTES)
            sl_decode_refuse(d, "its registers take more than %d bytes", MAX_FRAME_BYTES);
    }
    d->carry = offset;
    offset += 4 * d->lanes;
    d->frame = d->temp = d->temp_top = offset;
    struct sl_frame_layout layout = {d->reg_ref, d->func->regs, d->carry, d->frame};
    if (!sl_array_push(&d->frames, layout))
        sl_decode_memory_out(d);
}

/* Registers that some path reads before it writes them are zeroed, so that results never depend on old contents. */
static void find_unset_registers(sl_decoder *d, const sl_liveness *live, sl_code_function *function)
{
    if (live->max_words > d->max_live_words)
        d->max_live_words = live->max_words;
    function->zero_ref = sl_decode_need(d, sl_arena_array(d->arena, uint32_t, live->at_entry + 1));
    function->zero_size = sl_decode_need(d, sl_arena_array(d->arena, uint32_t, live->at_entry + 1));
    for (uint32_t i = 0; i < live->at_entry; i++) {
        function->zero_ref[i] = d->reg_ref[live->entry[i]];
        function->zero_size[i] = register_bytes(d, &d->func->reg[live->entry[i]]);
    }
    function->zeroed = live->at_entry;
}

static void decode_function(sl_decoder *d, uint32_t index)
{
    sl_code_function *function = &d->functions.items[index];
    d->function = index;
    d->func = function->func;
    d->module = function->module;
    d->inst = NULL;
    sl_cfg cfg;
    sl_liveness live;
    if (sl_cfg_build(d->module, d->func, d->arena, &cfg, d->error) != SL_OK ||
        sl_liveness_find(d->func, &cfg, d->arena, &live, d->error) != SL_OK ||
        sl_contract_find(d->func, &cfg, &live, d->program->emu->config.settings.fp_contract == SL_FP_CONTRACT_OFF,
                         d->arena, &d->contraction, d->error) != SL_OK)
        longjmp(d->fail, 1);
    int32_t base = (int32_t)d->bbs.count;
    function->entry_bb = (uint32_t)base;
    function->first_inst = (uint32_t)d->insts.count;
    for (uint32_t i = 0; i < d->func->insts; i++)
        if (!sl_array_push(&d->insts, &d->func->inst[i]) || !sl_array_push(&d->inst_function, index))
            sl_decode_memory_out(d);
    allocate_registers(d);
    sl_decode_allocate_locals(d, function);
    for (uint32_t i = 0; i < cfg.blocks; i++)
        decode_block(d, &cfg.block[i], base, i, cfg.blocks);
    if (cfg.blocks == 0) { /* an empty body returns */
        sl_code_bb bb = {.term = d->func->entry ? SL_TERM_EXIT : SL_TERM_RETURN,
                         .guard = SL_REF_NONE,
                         .next = SL_BB_EXIT,
                         .function = index,
                         .first = (uint32_t)d->ops.count,
                         .first_inst = function->first_inst};
        if (!sl_array_push(&d->bbs, bb))
            sl_decode_memory_out(d);
    }
    function = &d->functions.items[index];
    function->frame_bytes = d->temp_top;
    find_unset_registers(d, &live, function);
    sl_decode_spins(d, &cfg, base);
}

static void *keep(sl_decoder *d, const void *items, size_t count, size_t size)
{
    void *copy = sl_decode_need(d, sl_arena_alloc(d->arena, count * size + 1));
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

/* Moves what was collected into the kernel. */
static void finish(sl_decoder *d)
{
    sl_code *code = &d->kernel->code;
    code->lanes = d->lanes;
    code->ops = (uint32_t)d->ops.count;
    code->op = keep(d, d->ops.items, d->ops.count, sizeof *d->ops.items);
    code->bbs = (uint32_t)d->bbs.count;
    code->bb = keep(d, d->bbs.items, d->bbs.count, sizeof *d->bbs.items);
    for (uint32_t i = 0; i < code->bbs; i++)
        code->bb[i].op = code->op + code->bb[i].first;
    code->lists = (uint32_t)d->lists.count;
    code->list = keep(d, d->lists.items, d->lists.count, sizeof *d->lists.items);
    code->functions = (uint32_t)d->functions.count;
    code->function = keep(d, d->functions.items, d->functions.count, sizeof *d->functions.items);
    if (code->has_indirect_calls) {
        uint32_t *called = sl_decode_need(d, sl_arena_array(d->arena, uint32_t, d->program->functions + 1));
        for (uint32_t i = 0; i < d->program->functions; i++)
            called[i] = sl_decode_function_index(d, d->program->function[i], d->program->function_module[i]);
        code->called_by_handle = called;
    }
    code->insts = (uint32_t)d->insts.count;
    code->inst = keep(d, d->insts.items, d->insts.count, sizeof *d->insts.items);
    code->inst_function = keep(d, d->inst_function.items, d->inst_function.count, sizeof *d->inst_function.items);
    code->const_bytes = (uint32_t)d->consts.count;
    code->special_bytes = SL_SLOT_COUNT * d->lanes * 8;
    if (posix_memalign((void **)&code->consts, 64, d->consts.count + 64))
        sl_decode_memory_out(d);
    if (d->consts.count)
        memcpy(code->consts, d->consts.items, d->consts.count);
    d->kernel->registers = d->max_live_words + 8; /* addresses and temporaries the assembler adds */
    if (d->kernel->registers > 255)
        d->kernel->registers = 255;
    if (d->kernel->func->maxnreg && d->kernel->registers > d->kernel->func->maxnreg)
        d->kernel->registers = d->kernel->func->maxnreg;
    d->kernel->registers_estimated = true;
}

sl_status sl_decode_kernel(sl_emu_kernel *kernel, const sl_handler_set *handlers, sl_error *error)
{
    sl_decoder *d = calloc(1, sizeof *d);
    if (!d)
        return sl_fail_memory(error);
    sl_error local;
    d->error = error ? error : &local;
    d->kernel = kernel;
    d->program = kernel->program;
    d->handlers = handlers;
    d->arena = &kernel->arena;
    d->lanes = handlers->lanes;
    d->check_uninit = kernel->program->emu->check_uninit;
    d->check_race = kernel->program->emu->check_race;
    sl_map_init(&d->handler);
    sl_map_init(&d->const_refs);
    sl_status status = SL_OK;
    if (setjmp(d->fail)) {
        status = d->error->status;
    } else {
        for (uint32_t i = 0; i < handlers->count; i++)
            if (!sl_map_put(&d->handler, handlers->handler[i].name, strlen(handlers->handler[i].name),
                            (void *)&handlers->handler[i]))
                sl_decode_memory_out(d);
        const sl_ptx_module *module = NULL;
        sl_multimap_for(&d->program->linked_names, kernel->func->name, i)
        {
            if (d->program->linked.items[i].func == kernel->func)
                module = d->program->linked.items[i].module;
        }
        sl_decode_function_index(d, kernel->func, module);
        for (uint32_t i = 0; i < d->functions.count; i++)
            sl_decode_reach(d, d->functions.items[i].func, d->functions.items[i].module);
        sl_decode_allocate_shared(d);
        sl_decode_allocate_module_locals(d);
        for (uint32_t i = 0; i < d->functions.count; i++)
            decode_function(d, i);
        sl_decode_shapes(d);
        sl_decode_verify(d);
        sl_decode_arms(d);
        finish(d);
    }
    sl_map_fini(&d->handler);
    sl_map_fini(&d->const_refs);
    sl_array_free(&d->ops);
    sl_array_free(&d->bbs);
    sl_array_free(&d->lists);
    sl_array_free(&d->functions);
    sl_array_free(&d->insts);
    sl_array_free(&d->inst_function);
    sl_array_free(&d->consts);
    sl_array_free(&d->const_starts);
    sl_array_free(&d->handler_of);
    sl_array_free(&d->frames);
    sl_array_free(&d->shared);
    sl_array_free(&d->scoped);
    sl_multimap_fini(&d->shared_names);
    sl_index_fini(&d->function_index);
    sl_index_fini(&d->local_index);
    free(d);
    return status;
}
