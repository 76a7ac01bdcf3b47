/* SPDX-License-Identifier: MIT */
/* Conversions and moves. */
#include <fenv.h>
#include <stdio.h>
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

bool sl_type_is_int(sl_ptx_type type)
{
    return type >= SL_T_B8 && type <= SL_T_S64 && type != SL_T_B128;
}

/* The value of an integer operand of `type` (which may sit in a wider register) in a lane of `bytes`. */
uint32_t sl_decode_int_value(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_type type, uint32_t bytes)
{
    uint32_t have = sl_decode_operand_bytes(d, operand, sl_lane_bytes(type));
    sl_ptx_type as = have == 2 ? SL_T_B16 : have == 4 ? SL_T_B32 : SL_T_B64;
    uint32_t ref = sl_decode_src(d, operand, as);
    if (sl_type_bits(type) == have * 8 && have == bytes)
        return ref;
    if (sl_type_bits(type) > have * 8)
        type = sl_type_is_signed(type) ? (have == 2 ? SL_T_S16 : SL_T_S32) : (have == 2 ? SL_T_U16 : SL_T_U32);
    uint32_t value = sl_decode_temp(d, bytes);
    sl_emit(d, value, ref, ref, ref, "ext_%s_u%u_u%u", sl_sized(type, true), have * 8, bytes * 8);
    return value;
}

/* Writes an integer of `type` from a lane of `bytes` to a register that may be wider than the type. */
static void int_result(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_type type, uint32_t ref, uint32_t bytes)
{
    uint32_t want = sl_decode_operand_bytes(d, operand, sl_lane_bytes(type));
    uint32_t dst = sl_decode_dst(d, operand, want);
    sl_ptx_type narrow = type;
    if (sl_type_bits(type) > bytes * 8)
        narrow = sl_type_is_signed(type) ? (bytes == 2 ? SL_T_S16 : SL_T_S32) : (bytes == 2 ? SL_T_U16 : SL_T_U32);
    sl_emit(d, dst, ref, ref, ref, "ext_%s_u%u_u%u", sl_sized(narrow, true), bytes * 8, want * 8);
}

static uint32_t clamp_to(sl_decoder *d, uint32_t ref, bool source_signed, sl_ptx_type type)
{
    uint32_t bits = sl_type_bits(type);
    uint64_t low = sl_type_is_signed(type) ? (uint64_t)0 - ((uint64_t)1 << (bits - 1)) : 0;
    uint64_t high = sl_type_is_signed(type) ? ((uint64_t)1 << (bits - 1)) - 1
                    : bits == 64            ? UINT64_MAX
                                            : ((uint64_t)1 << bits) - 1;
    if (source_signed && bits == 64 && !sl_type_is_signed(type))
        high = INT64_MAX;
    if (!source_signed)
        low = 0;
    uint32_t bounds[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
    uint32_t list = sl_decode_list(d, bounds, 4), clamped = sl_decode_temp(d, 8);
    sl_emit(d, clamped, ref, ref, ref, source_signed ? "clamp_s64" : "clamp_u64")->list = list;
    return clamped;
}

static void convert_int_to_int(sl_decoder *d, sl_ptx_type to, sl_ptx_type from)
{
    if (has(d, SL_MOD_SAT)) {
        uint32_t wide = sl_decode_int_value(d, opd(d, 1), from, 8);
        int_result(d, opd(d, 0), to, clamp_to(d, wide, sl_type_is_signed(from), to), 8);
        return;
    }
    uint32_t want = sl_decode_operand_bytes(d, opd(d, 0), sl_lane_bytes(to));
    uint32_t have = sl_decode_operand_bytes(d, opd(d, 1), sl_lane_bytes(from));
    bool cut = sl_type_bits(to) < sl_type_bits(from) && sl_type_bits(to) < want * 8;
    if (!cut) { /* one op: read as `from`, write the register */
        sl_ptx_type as = have == 2 ? SL_T_B16 : have == 4 ? SL_T_B32 : SL_T_B64;
        uint32_t ref = sl_decode_src(d, opd(d, 1), as), dst = sl_decode_dst(d, opd(d, 0), want);
        /* a wider signed register shows the sign of the target type when the sizes are equal */
        sl_ptx_type read = sl_type_bits(to) == sl_type_bits(from) ? to : from;
        sl_emit(d, dst, ref, ref, ref, "ext_%s_u%u_u%u", sl_sized(read, true), have * 8, want * 8);
        return;
    }
    uint32_t value = sl_decode_int_value(d, opd(d, 1), from, have);
    int_result(d, opd(d, 0), to, value, have);
}

static void convert_int_to_float(sl_decoder *d, sl_ptx_type to, sl_ptx_type from)
{
    uint32_t bytes = sl_type_bits(from) == 64 ? 8 : 4;
    uint32_t value = sl_decode_int_value(d, opd(d, 1), from, bytes),
             dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(to));
    int mode = sl_decode_rounding(d);
    const char *source = sl_type_is_signed(from) ? (bytes == 8 ? "s64" : "s32") : (bytes == 8 ? "u64" : "u32");
    uint32_t result = has(d, SL_MOD_SAT) ? sl_decode_temp(d, sl_lane_bytes(to)) : dst;
    if (mode == FE_TONEAREST)
        sl_emit(d, result, value, value, value, "cvt_%s_%s", sl_ptx_type_text(to), source);
    else
        sl_emit(d, result, value, value, value, "cvt_round_%s_%s", sl_ptx_type_text(to), source)->aux = (uint32_t)mode;
    if (has(d, SL_MOD_SAT))
        sl_emit(d, dst, result, result, result, "sat_%s", sl_ptx_type_text(to));
}

static const char *to_integer_rounding(const sl_decoder *d)
{
    return has(d, SL_MOD_RNI)   ? "rni"
           : has(d, SL_MOD_RMI) ? "rmi"
           : has(d, SL_MOD_RPI) ? "rpi"
           : has(d, SL_MOD_RZI) ? "rzi"
                                : NULL;
}

static void convert_float_to_int(sl_decoder *d, sl_ptx_type to, sl_ptx_type from, uint32_t value)
{
    const char *how = to_integer_rounding(d);
    if (how && strcmp(how, "rzi")) {
        uint32_t rounded = sl_decode_temp(d, sl_lane_bytes(from));
        sl_emit(d, rounded, value, value, value, "%s_%s", how, sl_ptx_type_text(from));
        value = rounded;
    }
    uint32_t bits = sl_type_bits(to);
    uint32_t want = sl_decode_operand_bytes(d, opd(d, 0), sl_lane_bytes(to));
    bool is_signed = sl_type_is_signed(to);
    if (bits == want * 8 && bits >= 32) {
        sl_emit(d, sl_decode_dst(d, opd(d, 0), want), value, value, value, "cvt_%s_%s", sl_sized(to, true),
                sl_ptx_type_text(from));
        return;
    }
    /* narrower targets saturate at their own range */
    uint32_t wide = sl_decode_temp(d, 8);
    sl_emit(d, wide, value, value, value, is_signed ? "cvt_s64_%s" : "cvt_u64_%s", sl_ptx_type_text(from));
    int_result(d, opd(d, 0), to, bits < 64 ? clamp_to(d, wide, is_signed, to) : wide, 8);
}

static void convert_float_to_float(sl_decoder *d, sl_ptx_type to, sl_ptx_type from, uint32_t value)
{
    uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(to));
    const char *how = to_integer_rounding(d);
    bool flush = has(d, SL_MOD_FTZ) && to == SL_T_F32, saturate = has(d, SL_MOD_SAT);
    uint32_t result = flush || saturate ? sl_decode_temp(d, sl_lane_bytes(to)) : dst;
    if (to == from) {
        if (how)
            sl_emit(d, result, value, value, value, "%s_%s", how, sl_ptx_type_text(to));
        else
            sl_emit(d, result, value, value, value, "mov_b%u", sl_type_bits(to));
    } else if (to == SL_T_F32 && sl_decode_rounding(d) != FE_TONEAREST) {
        sl_emit(d, result, value, value, value, "cvt_round_f32_f64")->aux = (uint32_t)sl_decode_rounding(d);
    } else {
        sl_emit(d, result, value, value, value, "cvt_%s_%s", sl_ptx_type_text(to), sl_ptx_type_text(from));
    }
    if (flush)
        sl_emit(d, saturate ? result : dst, result, result, result, "ftz_f32");
    if (saturate)
        sl_emit(d, dst, result, result, result, "sat_%s", sl_ptx_type_text(to));
}

void sl_decode_cvt_f32(sl_decoder *d, sl_ptx_type to, uint32_t value)
{
    if (sl_type_is_int(to))
        convert_float_to_int(d, to, SL_T_F32, value);
    else
        convert_float_to_float(d, to, SL_T_F32, value);
}

bool sl_decode_cvt(sl_decoder *d)
{
    sl_ptx_type to = sl_ptx_inst_type(d->inst, 0), from = sl_ptx_inst_type(d->inst, 1);
    if (has(d, SL_MOD_PACK))
        return false;
    if (sl_type_is_int(to) && sl_type_is_int(from))
        convert_int_to_int(d, to, from);
    else if (sl_type_is_float(to) && sl_type_is_int(from))
        convert_int_to_float(d, to, from);
    else if (sl_type_is_int(to) && sl_type_is_float(from))
        convert_float_to_int(d, to, from, sl_decode_float_src(d, 1, from));
    else if (sl_type_is_float(to) && sl_type_is_float(from))
        convert_float_to_float(d, to, from, sl_decode_float_src(d, 1, from));
    else
        return false;
    return true;
}

/* ---- moves ---- */

static void pack(sl_decoder *d, const sl_ptx_operand *vector, sl_ptx_type type)
{
    uint32_t bytes = sl_lane_bytes(type), n = vector->count;
    const sl_ptx_operand *dst = opd(d, 0);
    if (sl_ptx_type_bytes(type) == 16)
        sl_decode_refuse(d, "128-bit packing");
    uint32_t target = sl_decode_dst(d, dst, bytes);
    if (n == 2) {
        sl_ptx_type half = bytes == 8 ? SL_T_B32 : SL_T_B16;
        uint32_t a = sl_decode_src(d, &vector->items[0], half), b = sl_decode_src(d, &vector->items[1], half);
        sl_emit(d, target, a, b, b, "pack2_b%u", bytes * 8);
        return;
    }
    if (n != 4)
        sl_decode_refuse(d, "a vector of %u", n);
    uint32_t sum = sl_decode_const(d, 0, bytes), width = sl_type_bits(type) / 4;
    for (uint32_t i = 0; i < 4; i++) { /* 4 x 16 into 64, 4 x 8 into 32 */
        uint32_t next = i == 3 ? target : sl_decode_temp(d, bytes);
        uint32_t item = sl_decode_src(d, &vector->items[i], SL_T_B16);
        if (width == 8) {
            uint32_t byte = sl_decode_temp(d, 2);
            sl_emit(d, byte, item, item, item, "ext_u8_u16_u16");
            item = byte;
        }
        sl_emit(d, next, sum, item, sl_decode_const(d, i * width, 4), "pack_or_b%u", bytes * 8);
        sum = next;
    }
}

static void unpack(sl_decoder *d, const sl_ptx_operand *vector, sl_ptx_type type)
{
    uint32_t bytes = sl_lane_bytes(type), n = vector->count;
    if (sl_ptx_type_bytes(type) == 16 || (n != 2 && n != 4))
        sl_decode_refuse(d, "this unpacking");
    uint32_t value = sl_decode_src(d, opd(d, 1), type), width = sl_type_bits(type) / n;
    uint32_t item_bytes = width <= 16 ? 2 : 4;
    if (d->inst->operand[1].kind == SL_OPD_REG) { /* the source may be one of the targets */
        uint32_t copy = sl_decode_temp(d, bytes);
        sl_emit(d, copy, value, value, value, "mov_b%u", bytes * 8);
        value = copy;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (vector->items[i].kind == SL_OPD_DISCARD)
            continue;
        uint32_t have = sl_decode_operand_bytes(d, &vector->items[i], item_bytes);
        sl_emit(d, sl_decode_dst(d, &vector->items[i], have), value, sl_decode_const(d, i * width, 4), 0,
                "unpack_b%u_b%u", width, bytes * 8);
    }
}

/* Element i of a vector, also of a special register with components (%tid). */
static sl_ptx_operand element_of(sl_decoder *d, const sl_ptx_operand *operand, uint32_t i)
{
    if (operand->kind == SL_OPD_VECTOR && operand->count == sl_ptx_inst_vector(d->inst))
        return operand->items[i];
    const char *whole = operand->kind == SL_OPD_SPECIAL ? sl_ptx_special_text(operand->special) : "";
    sl_ptx_operand element = *operand;
    char name[40];
    snprintf(name, sizeof name, "%s.%c", whole, "xyzw"[i]);
    for (element.special = 0; element.special < SL_SREG_COUNT; element.special++)
        if (!strcmp(sl_ptx_special_text(element.special), name))
            return element;
    sl_decode_refuse(d, "an operand that is not a vector of %u", sl_ptx_inst_vector(d->inst));
}

/* mov.v4.u32 {a, b, c, d}, e: all are read before any is written. */
static void move_elements(sl_decoder *d, sl_ptx_type type)
{
    uint32_t count = sl_ptx_inst_vector(d->inst), bytes = sl_lane_bytes(type), value[8];
    for (uint32_t i = 0; i < count; i++) {
        sl_ptx_operand from = element_of(d, opd(d, 1), i);
        uint32_t ref = sl_decode_src(d, &from, type);
        value[i] = sl_decode_temp(d, bytes);
        sl_emit(d, value[i], ref, ref, ref, "mov_b%u", bytes * 8);
    }
    for (uint32_t i = 0; i < count; i++) {
        sl_ptx_operand to = element_of(d, opd(d, 0), i);
        sl_emit(d, sl_decode_dst(d, &to, bytes), value[i], value[i], value[i], "mov_b%u", bytes * 8);
    }
}

bool sl_decode_mov(sl_decoder *d, sl_ptx_type type)
{
    const sl_ptx_operand *dst = opd(d, 0), *src = opd(d, 1);
    if (sl_ptx_inst_vector(d->inst) > 1) {
        move_elements(d, type);
        return true;
    }
    if (sl_ptx_type_bytes(type) == 16 && type != SL_T_PRED) {
        uint32_t to[2], from[2];
        if (src->kind == SL_OPD_VECTOR && src->count == 2 && dst->kind == SL_OPD_REG) {
            to[0] = sl_decode_wide(d, dst, &to[1]);
            for (int i = 0; i < 2; i++)
                from[i] = sl_decode_src(d, &src->items[i], SL_T_B64);
        } else if (dst->kind == SL_OPD_VECTOR && dst->count == 2 && src->kind == SL_OPD_REG) {
            from[0] = sl_decode_wide(d, src, &from[1]);
            for (int i = 0; i < 2; i++)
                to[i] = sl_decode_dst(d, &dst->items[i], 8);
        } else if (dst->kind == SL_OPD_REG && src->kind == SL_OPD_REG) {
            to[0] = sl_decode_wide(d, dst, &to[1]);
            from[0] = sl_decode_wide(d, src, &from[1]);
        } else {
            return false;
        }
        for (int i = 0; i < 2; i++)
            sl_emit(d, to[i], from[i], from[i], from[i], "mov_b64");
        return true;
    }
    if (src->kind == SL_OPD_VECTOR) {
        pack(d, src, type);
        return true;
    }
    if (dst->kind == SL_OPD_VECTOR) {
        unpack(d, dst, type);
        return true;
    }
    if (type == SL_T_PRED) {
        uint32_t p = src->kind == SL_OPD_SPECIAL ? sl_decode_src(d, src, SL_T_U32) : sl_decode_pred(d, src);
        sl_emit(d, sl_decode_dst(d, dst, 4), p, p, p, "mov_pred");
        return true;
    }
    uint32_t bytes = sl_decode_operand_bytes(d, dst, sl_lane_bytes(type));
    sl_ptx_type as = bytes != sl_lane_bytes(type) ? (bytes == 2 ? SL_T_B16 : bytes == 4 ? SL_T_B32 : SL_T_B64) : type;
    uint32_t value = sl_decode_src(d, src, as);
    sl_emit(d, sl_decode_dst(d, dst, bytes), value, value, value, "mov_b%u", bytes * 8);
    return true;
}
