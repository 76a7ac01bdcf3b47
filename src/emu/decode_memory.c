/* SPDX-License-Identifier: MIT */
/* Loads, stores, atomics, copies and address conversions. */
#include <string.h>

#include "emu/atomic.h"
#include "emu/decode.h"
#include "emu/warp.h"

static bool is_kernel_param(const sl_decoder *d, const sl_ptx_var *var)
{
    return var->space == SL_SPACE_PARAM && d->func->entry && var->owner == d->func && var->index < d->func->params &&
           d->func->param[var->index] == var;
}

sl_memory_operand sl_decode_locate(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_space space)
{
    if (d->inst->op == SL_OP_SULD || d->inst->op == SL_OP_SUST || d->inst->op == SL_OP_SURED)
        return sl_decode_surface(d, operand);
    if (operand->kind != SL_OPD_ADDRESS || operand->count != 1)
        sl_decode_refuse(d, "an address is expected");
    const sl_ptx_operand *base = &operand->items[0];
    sl_memory_operand at = {.offset = (int64_t)operand->bits, .space = (uint8_t)space};
    if (space == SL_SPACE_PARAM)
        at.space = d->func->entry ? SL_SPACE_GLOBAL : SL_SPACE_LOCAL;
    if (base->kind == SL_OPD_SYMBOL && base->var && is_kernel_param(d, base->var)) {
        at.is_param = true;
        at.ref = SL_REF_NONE;
        at.param = base->var;
        at.offset += (int64_t)base->bits;
        return at;
    }
    if (base->kind == SL_OPD_SYMBOL && base->var &&
        (base->var->space == SL_SPACE_PARAM || base->var->space == SL_SPACE_LOCAL)) {
        at.space = SL_SPACE_LOCAL;
        at.ref = sl_decode_src(d, base, SL_T_U64);
        return at;
    }
    if (base->kind == SL_OPD_SYMBOL && base->var && base->var->space == SL_SPACE_SHARED && space == SL_SPACE_NONE)
        at.space = SL_SPACE_SHARED;
    at.narrow = sl_decode_operand_bytes(d, base, 8) == 4;
    at.ref = sl_decode_src(d, base, at.narrow ? SL_T_U32 : SL_T_U64);
    return at;
}

void sl_decode_fill(sl_decoder *d, sl_op *op, const sl_memory_operand *at, uint32_t size, uint32_t count, uint32_t list)
{
    op->a = at->ref;
    op->imm = at->offset;
    op->space = at->space;
    op->size = (uint8_t)size;
    op->count = (uint8_t)count;
    op->list = list;
    op->aux = at->narrow ? SL_ADDRESS_32 : 0;
    op->slot = d->slot;
    if (at->surface) {
        op->guard = at->inside;
        op->guard_negated = false;
        op->run = d->handlers->guard;
    }
}

uint32_t sl_decode_wide(sl_decoder *d, const sl_ptx_operand *operand, uint32_t *high)
{
    if (operand->kind != SL_OPD_REG || sl_ptx_type_bytes(d->func->reg[operand->reg].type) != 16)
        sl_decode_refuse(d, "a 128-bit operand must be a 128-bit register");
    *high = d->reg_ref[operand->reg] + 8 * d->lanes;
    return d->reg_ref[operand->reg];
}

/* References of the registers of a scalar or {vector} operand, with their common lane size. */
static uint32_t data_refs(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_type type, bool store, uint32_t refs[16],
                          uint32_t *count)
{
    uint32_t lane = sl_lane_bytes(type);
    bool wide = sl_ptx_type_bytes(type) == 16;
    const sl_ptx_operand *items = operand->kind == SL_OPD_VECTOR ? operand->items : operand;
    uint32_t n = operand->kind == SL_OPD_VECTOR ? operand->count : 1;
    uint32_t vector = sl_ptx_inst_vector(d->inst);
    *count = 0;
    if (n != vector || n > 8)
        sl_decode_refuse(d, "%u registers for a vector of %u", n, vector);
    for (uint32_t i = 0; i < n; i++)
        if (items[i].kind == SL_OPD_REG)
            lane = sl_decode_operand_bytes(d, &items[i], lane);
    for (uint32_t i = 0; i < n; i++) {
        if (wide) {
            refs[*count] = sl_decode_wide(d, &items[i], &refs[*count + 1]);
            *count += 2;
        } else if (store) {
            sl_ptx_type as = items[i].kind == SL_OPD_REG || items[i].kind == SL_OPD_INT ? (lane == 2   ? SL_T_B16
                                                                                           : lane == 4 ? SL_T_B32
                                                                                                       : SL_T_B64)
                                                                                        : type;
            if (items[i].kind == SL_OPD_INT && sl_type_is_float(type))
                as = type;
            refs[(*count)++] = sl_decode_src(d, &items[i], as);
        } else {
            refs[(*count)++] = sl_decode_dst(d, &items[i], lane);
        }
    }
    return lane;
}

/* The handler's name for a memory type read into a lane of `lane` bytes. */
static const char *memory_type(sl_ptx_type type, uint32_t lane, bool store)
{
    uint32_t bytes = sl_ptx_type_bytes(type);
    bool extend = !store && sl_type_is_signed(type);
    switch (bytes) {
    case 1:
        return extend ? "s8" : "u8";
    case 2:
        return extend ? "s16" : "u16";
    case 4:
        return extend && lane == 8 ? "s32" : "u32";
    default:
        return "u64";
    }
}

static void decode_load(sl_decoder *d)
{
    sl_ptx_type type = sl_ptx_inst_type(d->inst, 0);
    sl_memory_operand at = sl_decode_locate(d, sl_decode_operand(d, 1), sl_ptx_inst_space(d->inst));
    uint32_t refs[16], count, lane = data_refs(d, sl_decode_operand(d, 0), type, false, refs, &count);
    uint32_t size = sl_ptx_type_bytes(type) == 16 ? 8 : sl_ptx_type_bytes(type);
    if (at.is_param) {
        for (uint32_t i = 0; i < count; i++) {
            sl_op *op = sl_emit(d, refs[i], refs[i], refs[i], refs[i], "ldparam_%s", memory_type(type, lane, false));
            uint64_t offset = (uint64_t)at.offset + i * size;
            if (at.offset < 0 || offset + size > at.param->bytes)
                sl_decode_refuse(d, "it reads outside of parameter %s of %llu bytes", at.param->name,
                                 (unsigned long long)at.param->bytes);
            op->imm = (int64_t)(at.param->offset + offset);
            op->size = (uint8_t)lane;
        }
        return;
    }
    for (uint32_t i = 0; at.surface && i < count; i++) { /* what is read outside of a surface */
        uint32_t zero = sl_decode_const(d, 0, lane);
        sl_emit(d, refs[i], zero, zero, zero, "mov_b%u", lane * 8);
    }
    uint32_t list = count > 1 ? sl_decode_list(d, refs, count) : 0;
    bool general = at.space == SL_SPACE_LOCAL || d->check_uninit;
    sl_op *op = sl_emit(d, refs[0], at.ref, 0, 0, "ld_%s%s_u%u", general ? "general_" : "",
                        memory_type(type, lane, false), lane * 8);
    sl_decode_fill(d, op, &at, size, count, list);
}

/* Asynchronous stores and reductions in shared memory do; those in global memory are released instead. */
static bool tells_barrier(const sl_ptx_inst *inst)
{
    return sl_ptx_has(inst, SL_MOD_ASYNC) && !sl_ptx_has(inst, SL_MOD_RELEASE);
}

static void decode_store(sl_decoder *d)
{
    sl_ptx_type type = sl_ptx_inst_type(d->inst, 0);
    sl_memory_operand at = sl_decode_locate(d, sl_decode_operand(d, 0), sl_ptx_inst_space(d->inst));
    if (at.is_param)
        sl_decode_refuse(d, "kernel parameters cannot be written");
    uint32_t refs[16], count, lane = data_refs(d, sl_decode_operand(d, 1), type, true, refs, &count);
    uint32_t size = sl_ptx_type_bytes(type) == 16 ? 8 : sl_ptx_type_bytes(type);
    uint32_t list = count > 1 ? sl_decode_list(d, refs, count) : 0;
    bool general = at.space == SL_SPACE_LOCAL || d->check_uninit;
    sl_op *op = sl_emit(d, refs[0], at.ref, 0, 0, "st_%s%s_u%u", general ? "general_" : "",
                        memory_type(type, lane, true), lane * 8);
    sl_decode_fill(d, op, &at, size, count, list);
    if (tells_barrier(d->inst))
        sl_decode_complete_bytes(d, sl_decode_operand(d, 2), size * count);
}

static sl_atomic atomic_kind(sl_decoder *d, sl_ptx_type type)
{
    const sl_ptx_inst *inst = d->inst;
    bool is_signed = sl_type_is_signed(type);
    static const struct {
        sl_ptx_type type;
        sl_atomic add, min, max;
    } halves[] = {{SL_T_F16, SL_ATOM_ADD_F16, SL_ATOM_MIN_F16, SL_ATOM_MAX_F16},
                  {SL_T_BF16, SL_ATOM_ADD_BF16, SL_ATOM_MIN_BF16, SL_ATOM_MAX_BF16},
                  {SL_T_F16X2, SL_ATOM_ADD_F16X2, SL_ATOM_MIN_F16X2, SL_ATOM_MAX_F16X2},
                  {SL_T_BF16X2, SL_ATOM_ADD_BF16X2, SL_ATOM_MIN_BF16X2, SL_ATOM_MAX_BF16X2}};
    bool add = sl_ptx_has(inst, SL_MOD_ADD), min = sl_ptx_has(inst, SL_MOD_MIN), max = sl_ptx_has(inst, SL_MOD_MAX);
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        if (type == halves[i].type && (add || min || max))
            return add ? halves[i].add : min ? halves[i].min : halves[i].max;
    if (add)
        return type == SL_T_F32 ? SL_ATOM_ADD_F32 : type == SL_T_F64 ? SL_ATOM_ADD_F64 : SL_ATOM_ADD;
    if (sl_type_is_float(type) && !sl_ptx_has(inst, SL_MOD_EXCH))
        sl_decode_refuse(d, "this atomic on floats");
    static const struct {
        sl_ptx_mod_id mod;
        sl_atomic kind;
    } kinds[] = {{SL_MOD_AND, SL_ATOM_AND},   {SL_MOD_OR, SL_ATOM_OR},   {SL_MOD_XOR, SL_ATOM_XOR},
                 {SL_MOD_EXCH, SL_ATOM_EXCH}, {SL_MOD_CAS, SL_ATOM_CAS}, {SL_MOD_INC, SL_ATOM_INC},
                 {SL_MOD_DEC, SL_ATOM_DEC}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (sl_ptx_has(inst, kinds[i].mod))
            return kinds[i].kind;
    if (sl_type_is_half(type))
        sl_decode_refuse(d, "this atomic on 16-bit floats");
    if (min)
        return is_signed ? SL_ATOM_MIN_S : SL_ATOM_MIN_U;
    if (max)
        return is_signed ? SL_ATOM_MAX_S : SL_ATOM_MAX_U;
    sl_decode_refuse(d, "this atomic operation");
}

static void decode_atomic_128(sl_decoder *d, const sl_memory_operand *at, uint32_t first, sl_atomic kind)
{
    const sl_ptx_operand *b = sl_decode_operand(d, first),
                         *c = kind == SL_ATOM_CAS ? sl_decode_operand(d, first + 1) : b;
    const sl_ptx_operand *result = sl_decode_operand(d, 0);
    uint32_t high[3];
    uint32_t refs[3] = {sl_decode_wide(d, result, &high[0]), sl_decode_wide(d, b, &high[1]),
                        sl_decode_wide(d, c, &high[2])};
    uint32_t list = sl_decode_list(d, high, 3);
    sl_op *op = sl_emit(d, refs[0], at->ref, refs[1], refs[2], "atomic_u128");
    sl_decode_fill(d, op, at, 16, 1, list);
    op->aux = kind | (at->narrow ? SL_ATOM_ADDRESS_32 : 0);
}

/* An element of a {vector} operand, or a scalar one. */
static const sl_ptx_operand *element_of(sl_decoder *d, uint32_t index, uint32_t element)
{
    const sl_ptx_operand *operand = sl_decode_operand(d, index);
    uint32_t vector = sl_ptx_inst_vector(d->inst);
    if (vector == 1)
        return operand;
    if (operand->kind != SL_OPD_VECTOR || operand->count != vector)
        sl_decode_refuse(d, "%u registers in braces are expected", vector);
    return &operand->items[element];
}

static void decode_atomic(sl_decoder *d)
{
    bool returns = d->inst->op == SL_OP_ATOM;
    uint32_t first = returns ? 1 : 0;
    sl_ptx_type type = sl_ptx_inst_type(d->inst, 0);
    sl_memory_operand at = sl_decode_locate(d, sl_decode_operand(d, first), sl_ptx_inst_space(d->inst));
    sl_atomic kind = atomic_kind(d, type);
    if (sl_ptx_type_bytes(type) == 16) {
        decode_atomic_128(d, &at, first + 1, kind);
        return;
    }
    d->kernel->code.has_atomics = true;
    uint32_t lane = sl_lane_bytes(type), vector = sl_ptx_inst_vector(d->inst);
    for (uint32_t e = 0; e < vector; e++) { /* one element after the other; the first stands for all in the trace */
        uint32_t b = sl_decode_src(d, element_of(d, first + 1, e), type);
        uint32_t c = kind == SL_ATOM_CAS ? sl_decode_src(d, sl_decode_operand(d, first + 2), type) : b;
        uint32_t dst = returns ? sl_decode_dst(d, element_of(d, 0, e), lane) : sl_decode_temp(d, lane);
        sl_op *op = sl_emit(d, dst, at.ref, b, c, "atomic_u%u", lane * 8);
        sl_decode_fill(d, op, &at, lane, 1, 0);
        op->aux = kind | (at.narrow ? SL_ATOM_ADDRESS_32 : 0);
        op->imm += e * sl_ptx_type_bytes(type);
        if (e)
            op->slot = UINT32_MAX;
    }
    if (tells_barrier(d->inst))
        sl_decode_complete_bytes(d, sl_decode_operand(d, 2), sl_ptx_type_bytes(type));
}

static void decode_cvta(sl_decoder *d)
{
    sl_ptx_type type = sl_ptx_inst_type(d->inst, 0);
    if (sl_lane_bytes(type) != 8)
        sl_decode_refuse(d, "32-bit generic addresses");
    sl_ptx_space space = sl_ptx_inst_space(d->inst);
    bool to = sl_ptx_has(d->inst, SL_MOD_TO);
    uint32_t a = sl_decode_src(d, sl_decode_operand(d, 1), SL_T_U64);
    uint32_t dst = sl_decode_dst(d, sl_decode_operand(d, 0), 8);
    bool windowed = space == SL_SPACE_SHARED || space == SL_SPACE_LOCAL || (space == SL_SPACE_PARAM && !d->func->entry);
    if (windowed)
        sl_emit(d, dst, a, a, a, to ? "cvta_to_%s" : "cvta_%s", space == SL_SPACE_SHARED ? "shared" : "local");
    else
        sl_emit(d, dst, a, a, a, "mov_b64");
}

void sl_decode_groups(sl_decoder *d, uint32_t agent, uint32_t kind, uint64_t left)
{
    if (!d->check_race)
        return;
    sl_op *op = sl_emit(d, 0, 0, 0, 0, "race_groups");
    op->aux = kind | agent << 4;
    op->imm = (int64_t)(left < INT32_MAX ? left : INT32_MAX);
}

static bool decode_copy(sl_decoder *d)
{
    const sl_ptx_inst *inst = d->inst;
    if (!sl_ptx_has(inst, SL_MOD_ASYNC) || sl_ptx_has(inst, SL_MOD_BULK))
        return false;
    bool commits = sl_ptx_has(inst, SL_MOD_COMMIT_GROUP), waits = sl_ptx_has(inst, SL_MOD_WAIT_GROUP);
    bool arrives = sl_ptx_has(inst, SL_MOD_ARRIVE);
    if (commits || waits || arrives || sl_ptx_has(inst, SL_MOD_WAIT_ALL)) { /* copies are done when they are issued */
        sl_decode_groups(d, SL_RACE_COPIES,
                         commits ? SL_RACE_COMMIT
                         : waits ? SL_RACE_WAIT_GROUP
                                 : SL_RACE_WAIT_ALL,
                         waits ? sl_decode_operand(d, 0)->bits : 0);
        if (arrives)
            sl_decode_copies_arrive(d);
        return true;
    }
    sl_memory_operand to = sl_decode_locate(d, sl_decode_operand(d, 0), SL_SPACE_SHARED);
    sl_memory_operand from = sl_decode_locate(d, sl_decode_operand(d, 1), SL_SPACE_GLOBAL);
    uint32_t size = (uint32_t)sl_decode_operand(d, 2)->bits;
    if (size != 4 && size != 8 && size != 16)
        sl_decode_refuse(d, "a copy of %u bytes", size);
    bool hint = sl_ptx_has(inst, SL_MOD_L2_CACHE_HINT), limited = inst->operands > 3u + (hint ? 1 : 0);
    uint32_t limit = SL_REF_NONE;
    if (limited && inst->operand[3].kind == SL_OPD_REG && d->func->reg[inst->operand[3].reg].type == SL_T_PRED) {
        /* ignore-src: copy nothing where it holds */
        uint32_t p = sl_decode_pred(d, &inst->operand[3]);
        limit = sl_decode_temp(d, 4);
        sl_emit(d, limit, sl_decode_const(d, 0, 4), sl_decode_const(d, size, 4), p, "selp_b32");
    } else if (limited) {
        limit = sl_decode_src(d, &inst->operand[3], SL_T_U32);
    }
    uint32_t refs[3] = {limit, (uint32_t)from.offset, (uint32_t)((uint64_t)from.offset >> 32)};
    uint32_t list = sl_decode_list(d, refs, 3);
    sl_op *op = sl_emit(d, 0, to.ref, from.ref, 0, "cp_async");
    sl_decode_fill(d, op, &to, size, 1, list);
    op->b = from.ref;
    if (from.narrow)
        sl_decode_refuse(d, "a 32-bit global address");
    return true;
}

static void decode_isspacep(sl_decoder *d)
{
    uint32_t a = sl_decode_src(d, sl_decode_operand(d, 1), SL_T_U64);
    sl_op *op = sl_emit(d, sl_decode_dst(d, sl_decode_operand(d, 0), 4), a, a, a, "isspacep");
    op->aux = sl_ptx_inst_space(d->inst);
    op->count = sl_ptx_has(d->inst, SL_MOD_SHARED_CLUSTER);
}

/* There is one device: what is spread over all of a multicast object, or gathered from them, is one access. */
static void decode_multimem(sl_decoder *d)
{
    if (!sl_ptx_type_bytes(sl_ptx_inst_type(d->inst, 0)))
        sl_decode_refuse(d, "multicast memory of 8-bit floats");
    if (sl_ptx_has(d->inst, SL_MOD_LD_REDUCE))
        decode_load(d);
    else if (sl_ptx_has(d->inst, SL_MOD_RED))
        decode_atomic(d);
    else
        decode_store(d);
}

bool sl_decode_memory(sl_decoder *d)
{
    switch (d->inst->op) {
    case SL_OP_LD:
    case SL_OP_LDU:
    case SL_OP_SULD:
        decode_load(d);
        return true;
    case SL_OP_SUST:
        if (sl_decode_surface_pack(d))
            return true;
        /* fall through */
    case SL_OP_ST:
        if (sl_ptx_has(d->inst, SL_MOD_BULK))
            return false;
        decode_store(d);
        return true;
    case SL_OP_ATOM:
    case SL_OP_RED:
    case SL_OP_SURED:
        decode_atomic(d);
        return true;
    case SL_OP_MULTIMEM:
        decode_multimem(d);
        return true;
    case SL_OP_CVTA:
        decode_cvta(d);
        return true;
    case SL_OP_CP:
        return decode_copy(d);
    case SL_OP_ISSPACEP:
        decode_isspacep(d);
        return true;
    case SL_OP_PREFETCH:
    case SL_OP_PREFETCHU: {
        sl_memory_operand at = sl_decode_locate(d, sl_decode_operand(d, 0), sl_ptx_inst_space(d->inst));
        if (!at.is_param)
            sl_decode_fill(d, sl_emit(d, 0, at.ref, 0, 0, "prefetch"), &at, 1, 1, 0);
        return true;
    }
    case SL_OP_APPLYPRIORITY:
        return true;
    case SL_OP_CREATEPOLICY: {
        uint32_t policy = sl_decode_const(d, 0, 8);
        sl_emit(d, sl_decode_dst(d, sl_decode_operand(d, 0), 8), policy, policy, policy, "mov_b64");
        return true;
    }
    default:
        return false;
    }
}

void sl_decode_shapes(sl_decoder *d)
{
    for (size_t i = 0; i < d->ops.count; i++) {
        sl_form form = (sl_form)d->handlers->handler[d->handler_of.items[i]].form;
        if (form == SL_FORM_LOAD || form == SL_FORM_STORE)
            d->ops.items[i].aux |= d->kernel->code.shapes++ << SL_SHAPE_SHIFT;
    }
}
