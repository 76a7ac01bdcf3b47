/* SPDX-License-Identifier: MIT */
/* The tables of opcodes, modifiers and special registers as data, and the questions about an instruction that they
 * answer. */
#include <stdio.h>
#include <string.h>

#include "ptx/module.h"
#include "sluice/trace.h"

static const sl_ptx_op_info op_infos[SL_OP_COUNT] = {
    [SL_OP_UNKNOWN] = {"", SL_CLASS_OTHER, 0, SL_OPF_REFUSED, "an instruction that is not in the table"},
#define SL_PTX_OPCODE(id, text, class, dsts, flags, summary)                                                           \
    [SL_OP_##id] = {text, SL_CLASS_##class, dsts, flags, summary},
#include "ptx/opcodes.def"
#undef SL_PTX_OPCODE
};

static const char *const mod_texts[SL_MOD_COUNT] = {
    [SL_MOD_OTHER] = "",
#define SL_PTX_MODIFIER(id, text) [SL_MOD_##id] = text,
#include "ptx/modifiers.def"
#undef SL_PTX_MODIFIER
};

static const struct {
    const char *text;
    uint8_t type;
} specials[SL_SREG_COUNT] = {
#define SL_PTX_SPECIAL(id, text, type) [SL_SREG_##id] = {text, SL_T_##type},
#include "ptx/specials.def"
#undef SL_PTX_SPECIAL
};

/* Types: their modifier, their spelling, their size in bytes (sub-byte types: of the register that holds them). */
// clang-format off
#define TYPES(T)                                                                                                       \
    T(B8, "b8", 1) T(B16, "b16", 2) T(B32, "b32", 4) T(B64, "b64", 8) T(B128, "b128", 16)                              \
    T(U8, "u8", 1) T(U16, "u16", 2) T(U32, "u32", 4) T(U64, "u64", 8)                                                  \
    T(S8, "s8", 1) T(S16, "s16", 2) T(S32, "s32", 4) T(S64, "s64", 8)                                                  \
    T(F16, "f16", 2) T(F16X2, "f16x2", 4) T(BF16, "bf16", 2) T(BF16X2, "bf16x2", 4) T(TF32, "tf32", 4)                 \
    T(F32, "f32", 4) T(F64, "f64", 8) T(E4M3, "e4m3", 1) T(E5M2, "e5m2", 1) T(E4M3X2, "e4m3x2", 2)                     \
    T(E5M2X2, "e5m2x2", 2) T(E2M1X2, "e2m1x2", 1) T(E2M3X2, "e2m3x2", 2) T(E3M2X2, "e3m2x2", 2)                        \
    T(UE8M0X2, "ue8m0x2", 2) T(F32X2, "f32x2", 8) T(U16X2, "u16x2", 4) T(S16X2, "s16x2", 4)                              \
    T(B1, "b1", 4) T(U4, "u4", 4) T(S4, "s4", 4) T(PRED, "pred", 1)                                                    \
    T(TEXREF, "texref", 8) T(SAMPLERREF, "samplerref", 8) T(SURFREF, "surfref", 8)
// clang-format on

#define TYPE_INFO(id, text, bytes) [SL_T_##id] = {text, bytes},
static const struct {
    const char *text;
    uint8_t bytes;
} types[SL_T_OTHER + 1] = {[SL_T_NONE] = {"", 0}, TYPES(TYPE_INFO)[SL_T_OTHER] = {"", 0}};

#define MOD_TYPE(id, text, bytes) [SL_MOD_##id] = SL_T_##id,
static const uint8_t mod_types[SL_MOD_COUNT] = {
    TYPES(MOD_TYPE) /* and those without a name: */
        [SL_MOD_E4M3X4] = SL_T_OTHER,
    [SL_MOD_E5M2X4] = SL_T_OTHER,
    [SL_MOD_E2M1] = SL_T_OTHER,
    [SL_MOD_E2M1X4] = SL_T_OTHER,
    [SL_MOD_E2M3] = SL_T_OTHER,
    [SL_MOD_E2M3X4] = SL_T_OTHER,
    [SL_MOD_E3M2] = SL_T_OTHER,
    [SL_MOD_E3M2X4] = SL_T_OTHER,
    [SL_MOD_UE8M0] = SL_T_OTHER,
    [SL_MOD_UE4M3] = SL_T_OTHER,
};

const sl_ptx_op_info *sl_ptx_op_info_of(uint16_t op)
{
    return &op_infos[op < SL_OP_COUNT ? op : SL_OP_UNKNOWN];
}

const char *sl_ptx_mod_text(uint16_t mod)
{
    return mod < SL_MOD_COUNT ? mod_texts[mod] : "";
}

sl_ptx_type sl_ptx_mod_type(uint16_t mod)
{
    return mod < SL_MOD_COUNT ? (sl_ptx_type)mod_types[mod] : SL_T_NONE;
}

const char *sl_ptx_special_text(uint16_t special)
{
    return special < SL_SREG_COUNT ? specials[special].text : "";
}

sl_ptx_type sl_ptx_special_type(uint16_t special)
{
    return special < SL_SREG_COUNT ? (sl_ptx_type)specials[special].type : SL_T_NONE;
}

const char *sl_ptx_type_text(sl_ptx_type type)
{
    return type <= SL_T_OTHER ? types[type].text : "";
}

uint32_t sl_ptx_type_bytes(sl_ptx_type type)
{
    return type <= SL_T_OTHER ? types[type].bytes : 0;
}

bool sl_ptx_has(const sl_ptx_inst *inst, sl_ptx_mod_id mod)
{
    for (uint32_t i = 0; i < inst->mods; i++)
        if (inst->mod[i].id == mod)
            return true;
    return false;
}

sl_ptx_type sl_ptx_inst_type(const sl_ptx_inst *inst, uint32_t n)
{
    for (uint32_t i = 0; i < inst->mods; i++) {
        sl_ptx_type type = sl_ptx_mod_type(inst->mod[i].id);
        if (type != SL_T_NONE && n-- == 0)
            return type;
    }
    return SL_T_NONE;
}

sl_ptx_space sl_ptx_inst_space(const sl_ptx_inst *inst)
{
    for (uint32_t i = 0; i < inst->mods; i++)
        switch (inst->mod[i].id) {
        case SL_MOD_GLOBAL:
            return SL_SPACE_GLOBAL;
        case SL_MOD_SHARED:
        case SL_MOD_SHARED_CTA:
        case SL_MOD_SHARED_CLUSTER:
            return SL_SPACE_SHARED;
        case SL_MOD_LOCAL:
            return SL_SPACE_LOCAL;
        case SL_MOD_CONST:
            return SL_SPACE_CONST;
        case SL_MOD_PARAM:
        case SL_MOD_PARAM_ENTRY:
        case SL_MOD_PARAM_FUNC:
            return SL_SPACE_PARAM;
        case SL_MOD_TEX:
            return SL_SPACE_TEX;
        default:
            break;
        }
    return SL_SPACE_NONE;
}

uint32_t sl_ptx_inst_vector(const sl_ptx_inst *inst)
{
    for (uint32_t i = 0; i < inst->mods; i++)
        switch (inst->mod[i].id) {
        case SL_MOD_V2:
            return 2;
        case SL_MOD_V4:
            return 4;
        case SL_MOD_V8:
            return 8;
        default:
            break;
        }
    return 1;
}

static bool is_float(sl_ptx_type type)
{
    return (type >= SL_T_F16 && type <= SL_T_F64) || type == SL_T_F32X2;
}

static uint8_t float_class(sl_ptx_type type)
{
    switch (type) {
    case SL_T_F64:
        return SL_CLASS_F64;
    case SL_T_F16:
    case SL_T_F16X2:
    case SL_T_BF16:
    case SL_T_BF16X2:
        return SL_CLASS_F16;
    default:
        return SL_CLASS_F32;
    }
}

uint8_t sl_ptx_inst_class(const sl_ptx_inst *inst)
{
    uint8_t table = sl_ptx_op_info_of(inst->op)->op_class;
    /* set.u32.f32 compares floats: the last type says what the work is done on */
    sl_ptx_type type = SL_T_NONE, next;
    for (uint32_t n = 0; (next = sl_ptx_inst_type(inst, n)) != SL_T_NONE; n++)
        type = next;
    switch (inst->op) {
    case SL_OP_DIV:
        return is_float(type) ? SL_CLASS_SFU : table;
    case SL_OP_SELP:
        return table;
    case SL_OP_SLCT: /* slct.f32.s32 selects floats by an integer's sign */
        return is_float(type) ? SL_CLASS_F32 : table;
    case SL_OP_LD:
    case SL_OP_ST:
        return sl_ptx_inst_space(inst) == SL_SPACE_PARAM ? SL_CLASS_MOVE : table;
    case SL_OP_WMMA:
        return sl_ptx_has(inst, SL_MOD_LOAD) || sl_ptx_has(inst, SL_MOD_STORE) ? SL_CLASS_MEMORY : table;
    case SL_OP_CP:
        return sl_ptx_inst_flags(inst) & SL_OPF_MEMORY ? table : SL_CLASS_FENCE;
    default:
        break;
    }
    switch (table) {
    case SL_CLASS_INT:
    case SL_CLASS_INT_MUL:
    case SL_CLASS_F32:
        return is_float(type) ? float_class(type) : table;
    default:
        return table;
    }
}

uint32_t sl_ptx_inst_dsts(const sl_ptx_inst *inst)
{
    uint32_t dsts = sl_ptx_op_info_of(inst->op)->dsts;
    switch (inst->op) {
    case SL_OP_CALL:
        dsts = inst->operands > 1 && inst->operand[0].kind == SL_OPD_LIST;
        break;
    case SL_OP_BAR:
    case SL_OP_BARRIER:
        dsts = sl_ptx_has(inst, SL_MOD_RED);
        break;
    case SL_OP_WMMA:
        dsts = !sl_ptx_has(inst, SL_MOD_STORE);
        break;
    case SL_OP_MBARRIER:
        dsts = sl_ptx_has(inst, SL_MOD_TEST_WAIT) || sl_ptx_has(inst, SL_MOD_TRY_WAIT) ||
               sl_ptx_has(inst, SL_MOD_PENDING_COUNT) ||
               (inst->operands > 1 && inst->operand[0].kind != SL_OPD_ADDRESS &&
                (sl_ptx_has(inst, SL_MOD_ARRIVE) || sl_ptx_has(inst, SL_MOD_ARRIVE_DROP)));
        break;
    case SL_OP_WGMMA:
        dsts = sl_ptx_has(inst, SL_MOD_MMA_ASYNC);
        break;
    case SL_OP_MULTIMEM:
        dsts = sl_ptx_has(inst, SL_MOD_LD_REDUCE);
        break;
    case SL_OP_TCGEN05:
        dsts = sl_ptx_has(inst, SL_MOD_LD);
        break;
    case SL_OP_CLUSTERLAUNCHCONTROL:
        dsts = sl_ptx_has(inst, SL_MOD_QUERY_CANCEL);
        break;
    default:
        break;
    }
    return dsts < inst->operands ? dsts : inst->operands;
}

bool sl_ptx_inst_updates(const sl_ptx_inst *inst)
{
    return inst->op == SL_OP_WGMMA && sl_ptx_inst_dsts(inst);
}

uint16_t sl_ptx_inst_flags(const sl_ptx_inst *inst)
{
    uint16_t flags = sl_ptx_op_info_of(inst->op)->flags;
    bool sync = sl_ptx_has(inst, SL_MOD_SYNC);
    switch (inst->op) {
    case SL_OP_LD:
    case SL_OP_ST:
        if (sl_ptx_inst_space(inst) == SL_SPACE_PARAM)
            flags &= (uint16_t)~SL_OPF_MEMORY;
        if (sl_ptx_has(inst, SL_MOD_BULK))
            flags &= (uint16_t)~SL_OPF_MEMORY;
        break;
    case SL_OP_SHFL:
    case SL_OP_VOTE:
    case SL_OP_MATCH:
    case SL_OP_REDUX:
    case SL_OP_ELECT:
    case SL_OP_TCGEN05:
        if (sl_ptx_has(inst, SL_MOD_MMA) || sl_ptx_has(inst, SL_MOD_CP))
            flags |= SL_OPF_MEMORY;
        if (sync)
            flags |= SL_OPF_WARP_SYNC;
        break;
    case SL_OP_BAR:
    case SL_OP_BARRIER:
        if (sl_ptx_has(inst, SL_MOD_WARP))
            flags = (uint16_t)((flags & ~SL_OPF_BARRIER) | SL_OPF_WARP_SYNC);
        break;
    case SL_OP_CP:
        if (sl_ptx_has(inst, SL_MOD_COMMIT_GROUP) || sl_ptx_has(inst, SL_MOD_WAIT_GROUP) ||
            sl_ptx_has(inst, SL_MOD_WAIT_ALL) || sl_ptx_has(inst, SL_MOD_ARRIVE))
            flags &= (uint16_t)~SL_OPF_MEMORY;
        break;
    case SL_OP_WMMA:
        if (sl_ptx_has(inst, SL_MOD_LOAD) || sl_ptx_has(inst, SL_MOD_STORE))
            flags |= SL_OPF_MEMORY;
        break;
    case SL_OP_WGMMA:
        if (sl_ptx_has(inst, SL_MOD_MMA_ASYNC))
            flags |= SL_OPF_MEMORY;
        break;
    default:
        break;
    }
    return flags;
}

char *sl_ptx_inst_text(const sl_ptx_inst *inst, char *buffer, size_t size)
{
    if (!size)
        return buffer;
    int used = snprintf(buffer, size, "%s", inst->mnemonic);
    for (uint32_t i = 0; i < inst->mods && used >= 0 && (size_t)used < size; i++)
        used += snprintf(buffer + used, size - (size_t)used, ".%s", inst->mod[i].text);
    return buffer;
}
