/* SPDX-License-Identifier: MIT */
/* Half precision, small floats and packed integers; everything else that the other decoders left goes to a file of its
 * own: matrices, textures, barriers in shared memory, video instructions. */
#include <fenv.h>
#include <string.h>

#include "emu/decode.h"

static const sl_ptx_operand *opd(sl_decoder *d, uint32_t i)
{
    return sl_decode_operand(d, i);
}

static bool has(const sl_decoder *d, sl_ptx_mod_id mod)
{
    return sl_ptx_has(d->inst, mod);
}

/* .NaN is written with capitals, .nan (a comparison) without. */
static bool propagates_nan(const sl_decoder *d)
{
    for (uint32_t i = 0; i < d->inst->mods; i++)
        if (!strcmp(d->inst->mod[i].text, "NaN"))
            return true;
    return false;
}

static bool is_pair(sl_ptx_type type)
{
    return type == SL_T_F16X2 || type == SL_T_BF16X2;
}

/* ---- arithmetic: inputs flushed, the operation, the result flushed, clamped, saturated ---- */

static uint32_t half_src(sl_decoder *d, uint32_t i, sl_ptx_type type)
{
    uint32_t ref = sl_decode_src(d, opd(d, i), type);
    if (!has(d, SL_MOD_FTZ))
        return ref;
    uint32_t flushed = sl_decode_temp(d, sl_lane_bytes(type));
    sl_emit(d, flushed, ref, ref, ref, "ftz_%s", sl_ptx_type_text(type));
    return flushed;
}

/* Where the operation writes when `after` more ops are to follow, and those ops. */
static void finish(sl_decoder *d, uint32_t dst, uint32_t result, sl_ptx_type type, const char *const *after,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = i + 1 == count ? dst : result;
        sl_emit(d, to, result, result, result, "%s_%s", after[i], sl_ptx_type_text(type));
    }
}

static void half_op(sl_decoder *d, const char *name, uint32_t inputs, sl_ptx_type type)
{
    if (has(d, SL_MOD_OOB))
        sl_decode_refuse(d, "operands outside of a tensor are not marked");
    uint32_t src[3] = {0, 0, 0};
    for (uint32_t i = 0; i < inputs; i++)
        src[i] = half_src(d, i + 1, type);
    for (uint32_t i = inputs; i < 3; i++)
        src[i] = src[0];
    uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(type));
    const char *after[3];
    uint32_t count = 0;
    bool flushes = has(d, SL_MOD_FTZ) && (d->inst->op == SL_OP_MUL || d->inst->op == SL_OP_FMA); /* by itself */
    if (has(d, SL_MOD_FTZ) && !flushes)
        after[count++] = "ftz";
    if (has(d, SL_MOD_RELU))
        after[count++] = "relu";
    if (has(d, SL_MOD_SAT))
        after[count++] = "sat";
    uint32_t result = count ? sl_decode_temp(d, sl_lane_bytes(type)) : dst;
    sl_emit(d, result, src[0], src[1], src[2], "%s%s_%s", name, flushes ? "_ftz" : "", sl_ptx_type_text(type));
    finish(d, dst, result, type, after, count);
}

/* min and max of halves or f32: two inputs, or three, or with the sign given by both. */
static void decode_min_max(sl_decoder *d, sl_ptx_type type)
{
    bool min = d->inst->op == SL_OP_MIN;
    const char *name = propagates_nan(d) ? (min ? "min_nan" : "max_nan") : (min ? "min" : "max");
    const char *suffix = sl_ptx_type_text(type);
    bool is_half = sl_type_is_half(type), xorsign = has(d, SL_MOD_XORSIGN);
    uint32_t bytes = sl_lane_bytes(type), inputs = d->inst->operands - 1, src[3], sign = 0;
    if (inputs < 2 || inputs > 3 || (inputs == 3 && xorsign))
        sl_decode_refuse(d, "it takes two operands, or three");
    for (uint32_t i = 0; i < inputs; i++) /* of flushed inputs, the result needs no flushing */
        src[i] = is_half ? half_src(d, i + 1, type) : sl_decode_float_src(d, i + 1, type);
    if (xorsign) {
        sign = sl_decode_temp(d, bytes);
        sl_emit(d, sign, src[0], src[1], src[1], "xor_b%u", bytes * 8);
    }
    for (uint32_t i = 0; i < inputs && has(d, SL_MOD_ABS); i++) {
        uint32_t magnitude = sl_decode_temp(d, bytes);
        sl_emit(d, magnitude, src[i], src[i], src[i], "abs_%s", suffix);
        src[i] = magnitude;
    }
    uint32_t dst = sl_decode_dst(d, opd(d, 0), bytes), result = sl_decode_temp(d, bytes);
    sl_emit(d, inputs == 2 && !xorsign ? dst : result, src[0], src[1], src[1], "%s_%s", name, suffix);
    if (inputs == 3)
        sl_emit(d, dst, result, src[2], src[2], "%s_%s", name, suffix);
    if (xorsign)
        sl_emit(d, dst, sign, result, result, "xorsign_%s", suffix);
}

/* ---- comparisons: in f32 ---- */

static uint32_t as_f32(sl_decoder *d, uint32_t ref, sl_ptx_type type, bool high)
{
    uint32_t value = sl_decode_temp(d, 4);
    if (is_pair(type))
        sl_emit(d, value, ref, ref, ref, "%s_f32_%s", high ? "high" : "low", sl_ptx_type_text(type));
    else
        sl_emit(d, value, ref, ref, ref, "exact_f32_%s", sl_ptx_type_text(type));
    return value;
}

static const char *comparison(sl_decoder *d)
{
    static const struct {
        sl_ptx_mod_id mod;
        const char *name;
    } names[] = {{SL_MOD_EQ, "eq"},   {SL_MOD_NE, "ltgt"}, {SL_MOD_LT, "lt"},   {SL_MOD_LE, "le"},
                 {SL_MOD_GT, "gt"},   {SL_MOD_GE, "ge"},   {SL_MOD_EQU, "equ"}, {SL_MOD_NEU, "neu"},
                 {SL_MOD_LTU, "ltu"}, {SL_MOD_LEU, "leu"}, {SL_MOD_GTU, "gtu"}, {SL_MOD_GEU, "geu"},
                 {SL_MOD_NUM, "num"}, {SL_MOD_NAN, "nan"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has(d, names[i].mod))
            return names[i].name;
    sl_decode_refuse(d, "no comparison is named");
}

/* Compares operands 1 and 2 (of a pair: its lower or upper halves) and combines with operand 3, a predicate. */
static uint32_t compare(sl_decoder *d, sl_ptx_type type, bool high)
{
    uint32_t a = as_f32(d, half_src(d, 1, type), type, high), b = as_f32(d, half_src(d, 2, type), type, high);
    uint32_t result = sl_decode_temp(d, 4);
    sl_emit(d, result, a, b, b, "setp_%s_f32", comparison(d));
    return result;
}

static uint32_t combine(sl_decoder *d, uint32_t result)
{
    const char *how = has(d, SL_MOD_AND) ? "and" : has(d, SL_MOD_OR) ? "or" : has(d, SL_MOD_XOR) ? "xor" : NULL;
    if (!how)
        return result;
    uint32_t c = sl_decode_pred(d, opd(d, 3)), combined = sl_decode_temp(d, 4);
    sl_emit(d, combined, result, c, c, "%s_pred", how);
    return combined;
}

/* setp.f16 p|q gives the comparison and its negation, setp.f16x2 p|q the comparisons of the two halves. */
static void decode_setp(sl_decoder *d, sl_ptx_type type)
{
    const sl_ptx_operand *dst = opd(d, 0);
    uint32_t first = compare(d, type, false), p = combine(d, first);
    if (dst->kind == SL_OPD_PAIR) {
        uint32_t second;
        if (is_pair(type)) {
            second = compare(d, type, true);
        } else {
            second = sl_decode_temp(d, 4);
            sl_emit(d, second, first, first, first, "not_pred");
        }
        uint32_t q = combine(d, second);
        sl_emit(d, sl_decode_dst(d, &dst->items[1], 4), q, q, q, "mov_pred");
    }
    sl_emit(d, sl_decode_dst(d, dst->kind == SL_OPD_PAIR ? &dst->items[0] : dst, 4), p, p, p, "mov_pred");
}

static void decode_set(sl_decoder *d)
{
    sl_ptx_type to = sl_ptx_inst_type(d->inst, 0), type = sl_ptx_inst_type(d->inst, 1);
    uint32_t bytes = sl_lane_bytes(to);
    uint32_t one = to == SL_T_F16 || to == SL_T_F16X2 ? 0x3c003c00 : sl_type_is_half(to) ? 0x3f803f80 : UINT32_MAX;
    if (!sl_type_is_half(type)) { /* set.f16.f32 and the like do not exist */
        sl_decode_refuse(d, "it compares %s", sl_ptx_type_text(type));
    }
    uint32_t low = combine(d, compare(d, type, false)), dst = sl_decode_dst(d, opd(d, 0), bytes);
    if (is_pair(type)) {
        uint32_t high = combine(d, compare(d, type, true));
        sl_emit(d, dst, low, high, sl_decode_const(d, one, 4), "set_half2");
    } else if (to == SL_T_F32) {
        sl_emit(d, dst, low, low, low, "set_f32");
    } else if (bytes == 2) {
        sl_emit(d, dst, low, sl_decode_const(d, one, 2), low, "set_half");
    } else {
        sl_emit(d, dst, low, low, low, "set_u32");
    }
}

/* ---- conversions ---- */

static const char *integer_rounding(const sl_decoder *d)
{
    return has(d, SL_MOD_RNI)   ? "rni"
           : has(d, SL_MOD_RMI) ? "rmi"
           : has(d, SL_MOD_RPI) ? "rpi"
           : has(d, SL_MOD_RZI) ? "rzi"
                                : NULL;
}

/* The result in `dst` after what the modifiers ask for. */
static void convert_finish(sl_decoder *d, uint32_t dst, uint32_t result, sl_ptx_type to)
{
    const char *after[3];
    uint32_t count = 0;
    if (has(d, SL_MOD_RELU))
        after[count++] = "relu";
    if (has(d, SL_MOD_SATFINITE))
        after[count++] = "satfinite";
    if (has(d, SL_MOD_SAT))
        after[count++] = "sat";
    if (!count)
        after[count++] = NULL;
    if (after[0])
        finish(d, dst, result, to, after, count);
    else
        sl_emit(d, dst, result, result, result, "mov_b%u", sl_lane_bytes(to) * 8);
}

/* f64 or f32 lanes to a half, in the rounding mode of the instruction. */
static void round_to_half(sl_decoder *d, uint32_t result, uint32_t value, sl_ptx_type from, sl_ptx_type to)
{
    int mode = sl_decode_rounding(d);
    if (mode == FE_TONEAREST) {
        sl_emit(d, result, value, value, value, "cvt_%s_%s", sl_ptx_type_text(to), sl_ptx_type_text(from));
        return;
    }
    if (from == SL_T_F32) {
        uint32_t wide = sl_decode_temp(d, 8);
        sl_emit(d, wide, value, value, value, "cvt_f64_f32");
        value = wide;
    }
    sl_op *op = sl_emit(d, result, value, value, value, "cvt_round_%s_f64", sl_ptx_type_text(to));
    op->aux = (uint32_t)mode;
    op->imm = from == SL_T_F64; /* a NaN of f64 keeps what it can */
}

static void convert_to_half(sl_decoder *d, sl_ptx_type to, sl_ptx_type from)
{
    uint32_t value, result = sl_decode_temp(d, 2);
    const char *how = integer_rounding(d);
    if (sl_type_is_int(from)) {
        uint32_t wide = sl_decode_int_value(d, opd(d, 1), from, 8);
        value = sl_decode_temp(d, 8);
        sl_emit(d, value, wide, wide, wide, "cvt_odd_f64_%s", sl_type_is_signed(from) ? "s64" : "u64");
        from = SL_T_F64;
    } else if (sl_type_is_half(from)) {
        value = as_f32(d, sl_decode_src(d, opd(d, 1), from), from, false);
        from = SL_T_F32;
        if (how) {
            uint32_t whole = sl_decode_temp(d, 4);
            sl_emit(d, whole, value, value, value, "%s_f32", how);
            value = whole;
        }
    } else {
        value = sl_decode_src(d, opd(d, 1), from); /* hardware takes no notice of .ftz here */
    }
    round_to_half(d, result, value, from, to);
    convert_finish(d, sl_decode_dst(d, opd(d, 0), 2), result, to);
}

/* cvt.rn.f16x2.f32 d, a, b: a to the upper half, b to the lower. */
static void convert_to_pair(sl_decoder *d, sl_ptx_type to)
{
    if (sl_decode_rounding(d) != FE_TONEAREST && sl_decode_rounding(d) != FE_TOWARDZERO)
        sl_decode_refuse(d, "this rounding");
    uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_F32), b = sl_decode_src(d, opd(d, 2), SL_T_F32);
    uint32_t result = sl_decode_temp(d, 4), dst = sl_decode_dst(d, opd(d, 0), 4);
    if (sl_decode_rounding(d) == FE_TONEAREST) {
        sl_emit(d, result, a, b, b, "cvt_%s_f32", sl_ptx_type_text(to));
    } else {
        sl_ptx_type one = to == SL_T_F16X2 ? SL_T_F16 : SL_T_BF16;
        uint32_t high = sl_decode_temp(d, 2), low = sl_decode_temp(d, 2);
        round_to_half(d, high, a, SL_T_F32, one);
        round_to_half(d, low, b, SL_T_F32, one);
        sl_emit(d, result, low, high, high, "pack2_b32");
    }
    convert_finish(d, dst, result, to);
}

/* From f16 or bf16 to anything that is not: by way of f32, which holds every half. */
static void convert_from_half(sl_decoder *d, sl_ptx_type to, sl_ptx_type from)
{
    uint32_t source = sl_decode_src(d, opd(d, 1), from);
    if (to == SL_T_F32 && !has(d, SL_MOD_SAT) && !integer_rounding(d))
        sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), source, source, source, "cvt_f32_%s", sl_ptx_type_text(from));
    else
        sl_decode_cvt_f32(d, to, as_f32(d, source, from, false));
}

static void convert_tf32(sl_decoder *d)
{
    uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_F32), dst = sl_decode_dst(d, opd(d, 0), 4);
    const char *how = has(d, SL_MOD_RNA) ? "rna" : has(d, SL_MOD_RZ) ? "rz" : "rn";
    uint32_t result = has(d, SL_MOD_RELU) ? sl_decode_temp(d, 4) : dst;
    sl_emit(d, result, a, a, a, "tf32_%s_f32", how);
    if (has(d, SL_MOD_SATFINITE))
        sl_emit(d, result, result, result, result, "satfinite_tf32");
    if (has(d, SL_MOD_RELU))
        sl_emit(d, dst, result, result, result, "relu_tf32");
}

/* Pairs of eight bits or less. */
static bool is_fp8(sl_ptx_type type)
{
    return type == SL_T_E4M3X2 || type == SL_T_E5M2X2 || type == SL_T_E2M1X2 || type == SL_T_E2M3X2 ||
           type == SL_T_E3M2X2 || type == SL_T_UE8M0X2;
}

static void convert_to_fp8(sl_decoder *d, sl_ptx_type to, sl_ptx_type from)
{
    uint32_t a, b, dst = sl_decode_dst(d, opd(d, 0), 2);
    if (from == SL_T_F32) {
        a = sl_decode_src(d, opd(d, 1), from);
        b = sl_decode_src(d, opd(d, 2), from);
    } else if (is_pair(from)) {
        uint32_t both = sl_decode_src(d, opd(d, 1), from);
        a = as_f32(d, both, from, true);
        b = as_f32(d, both, from, false);
    } else {
        sl_decode_refuse(d, "a conversion from %s", sl_ptx_type_text(from));
    }
    const char *how = has(d, SL_MOD_RELU) ? "relu_" : "";
    if (to == SL_T_UE8M0X2 && has(d, SL_MOD_RP))
        how = has(d, SL_MOD_SATFINITE) ? "rp_satfinite_" : "rp_";
    else if (to == SL_T_UE8M0X2)
        how = has(d, SL_MOD_SATFINITE) ? "rz_satfinite_" : "rz_";
    sl_emit(d, dst, a, b, b, "cvt_%s%s_f32", how, sl_ptx_type_text(to));
}

static void convert_from_fp8(sl_decoder *d, sl_ptx_type to, sl_ptx_type from)
{
    if (to != (from == SL_T_UE8M0X2 ? SL_T_BF16X2 : SL_T_F16X2))
        sl_decode_refuse(d, "a conversion to %s", sl_ptx_type_text(to));
    uint32_t a = sl_decode_src(d, opd(d, 1), from), result = sl_decode_temp(d, 4);
    sl_emit(d, result, a, a, a, "cvt_%s_%s", sl_ptx_type_text(to), sl_ptx_type_text(from));
    convert_finish(d, sl_decode_dst(d, opd(d, 0), 4), result, to);
}

/* cvt.pack.sat.u8.s32.b32 d, a, b, c: c shifted up, then a, then b, both saturated. */
static void decode_cvt_pack(sl_decoder *d)
{
    sl_ptx_type to = sl_ptx_inst_type(d->inst, 0);
    uint32_t bits = to == SL_T_U4 || to == SL_T_S4 ? 4 : sl_type_bits(to);
    bool is_signed = to == SL_T_S4 || sl_type_is_signed(to);
    if (bits != 16 && bits != 8 && bits != 4)
        sl_decode_refuse(d, "packing of %u bits", bits);
    uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_S32), b = sl_decode_src(d, opd(d, 2), SL_T_S32);
    uint32_t c = bits < 16 && d->inst->operands > 3 ? sl_decode_src(d, opd(d, 3), SL_T_B32) : sl_decode_const(d, 0, 4);
    sl_op *op = sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), a, b, c, "cvt_pack");
    op->aux = bits | (is_signed ? 0x100 : 0);
}

static bool decode_cvt(sl_decoder *d)
{
    sl_ptx_type to = sl_ptx_inst_type(d->inst, 0), from = sl_ptx_inst_type(d->inst, 1);
    bool number = sl_type_is_int(from) || sl_type_is_float(from);
    if (has(d, SL_MOD_RS))
        sl_decode_refuse(d, "stochastic rounding");
    if (has(d, SL_MOD_PACK))
        decode_cvt_pack(d);
    else if (to == SL_T_TF32 && from == SL_T_F32)
        convert_tf32(d);
    else if (is_fp8(to))
        convert_to_fp8(d, to, from);
    else if (is_fp8(from))
        convert_from_fp8(d, to, from);
    else if (is_pair(to) && from == SL_T_F32)
        convert_to_pair(d, to);
    else if ((to == SL_T_F16 || to == SL_T_BF16) && (number || from == SL_T_F16 || from == SL_T_BF16))
        convert_to_half(d, to, from);
    else if ((from == SL_T_F16 || from == SL_T_BF16) && (sl_type_is_int(to) || sl_type_is_float(to)))
        convert_from_half(d, to, from);
    else
        return false;
    return true;
}

/* ---- pairs of integers and of f32, and singular forms ---- */

static bool decode_integer_pair(sl_decoder *d, sl_ptx_type type)
{
    const char *name = d->inst->op == SL_OP_ADD   ? "add"
                       : d->inst->op == SL_OP_MIN ? "min"
                       : d->inst->op == SL_OP_MAX ? "max"
                                                  : NULL;
    if (!name || has(d, SL_MOD_SAT))
        return false;
    uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), type);
    uint32_t dst = sl_decode_dst(d, opd(d, 0), 4), result = has(d, SL_MOD_RELU) ? sl_decode_temp(d, 4) : dst;
    bool add = d->inst->op == SL_OP_ADD;
    sl_emit(d, result, a, b, b, "%s_%s", name, add ? "u16x2" : sl_ptx_type_text(type));
    if (has(d, SL_MOD_RELU))
        sl_emit(d, dst, result, result, result, "relu_s16x2");
    return true;
}

/* min.relu.s32 */
static bool decode_relu_int(sl_decoder *d, sl_ptx_type type)
{
    if (type != SL_T_S32 || (d->inst->op != SL_OP_MIN && d->inst->op != SL_OP_MAX))
        return false;
    uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), type);
    uint32_t result = sl_decode_temp(d, 4);
    sl_emit(d, result, a, b, b, d->inst->op == SL_OP_MIN ? "min_s32" : "max_s32");
    sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), result, result, result, "relu_s32");
    return true;
}

/* add.f32x2 and the like: two f32 in a 64-bit register, each by itself. */
static bool decode_float_pair(sl_decoder *d)
{
    const char *name = d->inst->op == SL_OP_ADD   ? "add"
                       : d->inst->op == SL_OP_SUB ? "sub"
                       : d->inst->op == SL_OP_MUL ? "mul"
                       : d->inst->op == SL_OP_FMA ? "fma"
                                                  : NULL;
    if (!name)
        return false;
    uint32_t inputs = d->inst->op == SL_OP_FMA ? 3 : 2, part[2];
    int mode = sl_decode_rounding(d);
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t src[3] = {0, 0, 0};
        for (uint32_t i = 0; i < inputs; i++) {
            uint32_t whole = sl_decode_src(d, opd(d, i + 1), SL_T_B64);
            src[i] = sl_decode_temp(d, 4);
            sl_emit(d, src[i], whole, sl_decode_const(d, 32 * half, 4), 0, "unpack_b32_b64");
            if (has(d, SL_MOD_FTZ))
                sl_emit(d, src[i], src[i], src[i], src[i], "ftz_f32");
        }
        part[half] = sl_decode_temp(d, 4);
        uint32_t last = inputs == 3 ? src[2] : src[1];
        if (mode == FE_TONEAREST)
            sl_emit(d, part[half], src[0], src[1], last, "%s_f32", name);
        else
            sl_emit(d, part[half], src[0], src[1], last, "%s_round_f32", name)->aux = (uint32_t)mode;
        if (has(d, SL_MOD_FTZ))
            sl_emit(d, part[half], part[half], part[half], part[half], "ftz_f32");
    }
    sl_emit(d, sl_decode_dst(d, opd(d, 0), 8), part[0], part[1], part[1], "pack2_b64");
    return true;
}

/* add.f32.f16 d, a, c and fma.f32.f16 d, a, b, c: the factors are halves, the rest is f32. */
static bool decode_mixed(sl_decoder *d, sl_ptx_type half)
{
    bool fma = d->inst->op == SL_OP_FMA;
    const char *name = fma ? "fma" : d->inst->op == SL_OP_ADD ? "add" : d->inst->op == SL_OP_SUB ? "sub" : NULL;
    if (!name)
        return false;
    uint32_t src[3], halves = fma ? 2 : 1;
    for (uint32_t i = 0; i < halves; i++)
        src[i] = as_f32(d, sl_decode_src(d, opd(d, i + 1), half), half, false);
    src[halves] = sl_decode_src(d, opd(d, halves + 1), SL_T_F32);
    uint32_t last = src[halves], dst = sl_decode_dst(d, opd(d, 0), 4);
    uint32_t result = has(d, SL_MOD_SAT) ? sl_decode_temp(d, 4) : dst;
    int mode = sl_decode_rounding(d);
    if (mode == FE_TONEAREST)
        sl_emit(d, result, src[0], src[1], last, "%s_f32", name);
    else
        sl_emit(d, result, src[0], src[1], last, "%s_round_f32", name)->aux = (uint32_t)mode;
    if (has(d, SL_MOD_SAT))
        sl_emit(d, dst, result, result, result, "sat_f32");
    return true;
}

/* lop3.or.b32 d|p, a, b, c, table, q: p says whether any bit is set, combined with q. */
static void decode_lop3_pred(sl_decoder *d)
{
    const sl_ptx_operand *dst = opd(d, 0);
    uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_B32), b = sl_decode_src(d, opd(d, 2), SL_T_B32);
    uint32_t c = sl_decode_src(d, opd(d, 3), SL_T_B32), q = sl_decode_pred(d, opd(d, 5));
    uint32_t bits = sl_decode_temp(d, 4), any = sl_decode_temp(d, 4);
    sl_emit(d, bits, a, b, c, "lop3_b32")->aux = (uint32_t)opd(d, 4)->bits & 0xff;
    sl_emit(d, any, bits, bits, bits, "ne0_pred");
    sl_emit(d, sl_decode_dst(d, &dst->items[1], 4), any, q, q, "%s_pred", has(d, SL_MOD_AND) ? "and" : "or");
    sl_emit(d, sl_decode_dst(d, &dst->items[0], 4), bits, bits, bits, "mov_b32");
}

static bool decode_redux_f32(sl_decoder *d)
{
    uint32_t aux = (has(d, SL_MOD_MAX) ? 1u : 0) | (propagates_nan(d) ? 2u : 0) | (has(d, SL_MOD_ABS) ? 4u : 0);
    if (!has(d, SL_MOD_MAX) && !has(d, SL_MOD_MIN))
        return false;
    uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_F32), members = sl_decode_src(d, opd(d, 2), SL_T_B32);
    sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), a, members, members, "redux_f32")->aux = aux;
    return true;
}

static bool decode_half_type(sl_decoder *d, sl_ptx_type type)
{
    static const struct {
        uint16_t op;
        const char *name;
        uint32_t inputs;
    } table[] = {{SL_OP_ADD, "add", 2}, {SL_OP_SUB, "sub", 2}, {SL_OP_MUL, "mul", 2}, {SL_OP_FMA, "fma", 3},
                 {SL_OP_ABS, "abs", 1}, {SL_OP_NEG, "neg", 1}, {SL_OP_EX2, "ex2", 1}, {SL_OP_TANH, "tanh", 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (d->inst->op == table[i].op) {
            half_op(d, table[i].name, table[i].inputs, type);
            return true;
        }
    switch (d->inst->op) {
    case SL_OP_MIN:
    case SL_OP_MAX:
        decode_min_max(d, type);
        return true;
    case SL_OP_SETP:
        decode_setp(d, type);
        return true;
    default:
        return false;
    }
}

bool sl_decode_half(sl_decoder *d)
{
    sl_ptx_type type = sl_ptx_inst_type(d->inst, 0), second = sl_ptx_inst_type(d->inst, 1);
    switch (d->inst->op) {
    case SL_OP_CVT:
        return decode_cvt(d);
    case SL_OP_SET:
        decode_set(d);
        return true;
    case SL_OP_LOP3:
        decode_lop3_pred(d);
        return true;
    case SL_OP_REDUX:
        return decode_redux_f32(d);
    case SL_OP_MMA:
    case SL_OP_WMMA:
    case SL_OP_LDMATRIX:
    case SL_OP_STMATRIX:
    case SL_OP_MOVMATRIX:
    case SL_OP_WGMMA:
        return sl_decode_matrix(d);
    default:
        break;
    }
    if (sl_type_is_half(type))
        return decode_half_type(d, type);
    if (type == SL_T_U16X2 || type == SL_T_S16X2)
        return decode_integer_pair(d, type);
    if (type == SL_T_F32X2)
        return decode_float_pair(d);
    if (type == SL_T_F32 && sl_type_is_half(second))
        return decode_mixed(d, second);
    if (type == SL_T_F32 && (d->inst->op == SL_OP_MIN || d->inst->op == SL_OP_MAX)) {
        decode_min_max(d, type);
        return true;
    }
    return decode_relu_int(d, type);
}
