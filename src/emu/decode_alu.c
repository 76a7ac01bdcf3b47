/* SPDX-License-Identifier: MIT */
/* Arithmetic, logic, comparison and warp instructions. */
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

/* FE_TONEAREST unless a directed rounding is asked for. */
int sl_decode_rounding(const sl_decoder *d)
{
    return has(d, SL_MOD_RZ)   ? FE_TOWARDZERO
           : has(d, SL_MOD_RM) ? FE_DOWNWARD
           : has(d, SL_MOD_RP) ? FE_UPWARD
                               : FE_TONEAREST;
}

/* ---- floats: inputs flushed, the operation, output flushed and saturated ---- */

uint32_t sl_decode_float_src(sl_decoder *d, uint32_t i, sl_ptx_type type)
{
    uint32_t ref = sl_decode_src(d, opd(d, i), type);
    if (!has(d, SL_MOD_FTZ) || type != SL_T_F32)
        return ref;
    uint32_t flushed = sl_decode_temp(d, 4);
    sl_emit(d, flushed, ref, ref, ref, "ftz_f32");
    return flushed;
}

/* Emits `name` with `inputs` sources (operands 1…) and whatever its modifiers add. */
static void float_op(sl_decoder *d, const char *name, uint32_t inputs, sl_ptx_type type)
{
    const char *suffix = sl_ptx_type_text(type);
    bool flush = has(d, SL_MOD_FTZ) && type == SL_T_F32, saturate = has(d, SL_MOD_SAT);
    int mode = sl_decode_rounding(d);
    bool by_itself = flush && mode == FE_TONEAREST && /* one op flushes inputs and output */
                     (!strcmp(name, "add") || !strcmp(name, "sub") || !strcmp(name, "mul") || !strcmp(name, "fma"));
    uint32_t src[3] = {0, 0, 0};
    for (uint32_t i = 0; i < inputs; i++)
        src[i] = by_itself ? sl_decode_src(d, opd(d, i + 1), type) : sl_decode_float_src(d, i + 1, type);
    for (uint32_t i = inputs; i < 3; i++)
        src[i] = src[0];
    uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(type));
    flush &= !by_itself;
    uint32_t result = flush || saturate ? sl_decode_temp(d, sl_lane_bytes(type)) : dst;
    bool can_round = !strcmp(name, "add") || !strcmp(name, "sub") || !strcmp(name, "mul") || !strcmp(name, "div") ||
                     !strcmp(name, "fma") || !strcmp(name, "sqrt") || !strcmp(name, "rcp");
    if (mode != FE_TONEAREST && can_round)
        sl_emit(d, result, src[0], src[1], src[2], "%s_round_%s", name, suffix)->aux = (uint32_t)mode;
    else
        sl_emit(d, result, src[0], src[1], src[2], "%s%s_%s", name, by_itself ? "_ftz" : "", suffix);
    if (flush) {
        uint32_t flushed = saturate ? result : dst;
        sl_emit(d, flushed, result, result, result, "ftz_f32");
    }
    if (saturate)
        sl_emit(d, dst, result, result, result, "sat_%s", suffix);
}

static bool decode_float(sl_decoder *d, sl_ptx_type type)
{
    switch (d->inst->op) {
    case SL_OP_ADD:
        float_op(d, "add", 2, type);
        return true;
    case SL_OP_SUB:
        float_op(d, "sub", 2, type);
        return true;
    case SL_OP_MUL:
        float_op(d, "mul", 2, type);
        return true;
    case SL_OP_DIV:
        float_op(d, "div", 2, type);
        return true;
    case SL_OP_FMA:
    case SL_OP_MAD:
        float_op(d, "fma", 3, type);
        return true;
    case SL_OP_ABS:
        float_op(d, "abs", 1, type);
        return true;
    case SL_OP_NEG:
        float_op(d, "neg", 1, type);
        return true;
    case SL_OP_SQRT:
        float_op(d, "sqrt", 1, type);
        return true;
    case SL_OP_RCP:
        float_op(d, type == SL_T_F64 && has(d, SL_MOD_APPROX) ? "rcp_ftz" : "rcp", 1, type);
        return true;
    case SL_OP_RSQRT:
        float_op(d, type == SL_T_F64 && has(d, SL_MOD_FTZ) ? "rsqrt_ftz" : "rsqrt", 1, type);
        return true;
    case SL_OP_SIN:
        float_op(d, "sin", 1, type);
        return true;
    case SL_OP_COS:
        float_op(d, "cos", 1, type);
        return true;
    case SL_OP_EX2:
        float_op(d, "ex2", 1, type);
        return true;
    case SL_OP_LG2:
        float_op(d, "lg2", 1, type);
        return true;
    case SL_OP_TANH:
        float_op(d, "tanh", 1, type);
        return true;
    case SL_OP_COPYSIGN:
        float_op(d, "copysign", 2, type);
        return true;
    case SL_OP_MIN:
    case SL_OP_MAX: {
        if (has(d, SL_MOD_XORSIGN) || d->inst->operands > 3)
            return false;
        bool nan = has(d, SL_MOD_NAN);
        for (uint32_t i = 0; i < d->inst->mods; i++)
            nan |= !strcmp(d->inst->mod[i].text, "NaN");
        if (d->inst->op == SL_OP_MIN)
            float_op(d, nan ? "min_nan" : "min", 2, type);
        else
            float_op(d, nan ? "max_nan" : "max", 2, type);
        return true;
    }
    default:
        return false;
    }
}

/* ---- integers ---- */

/* Which name the handlers use for an integer type: b where the sign does not matter. */
const char *sl_sized(sl_ptx_type type, bool sign_matters)
{
    static const char *const names[3][4] = {
        {"b8", "b16", "b32", "b64"}, {"u8", "u16", "u32", "u64"}, {"s8", "s16", "s32", "s64"}};
    uint32_t bits = sl_type_bits(type);
    uint32_t column = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
    return names[!sign_matters ? 0 : sl_type_is_signed(type) ? 2 : 1][column];
}

static void int_op(sl_decoder *d, const char *name, uint32_t inputs, sl_ptx_type type, bool sign_matters)
{
    uint32_t src[3] = {0, 0, 0};
    for (uint32_t i = 0; i < inputs; i++)
        src[i] = sl_decode_src(d, opd(d, i + 1), type);
    uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(type));
    sl_emit(d, dst, src[0], src[1], src[2], "%s_%s", name, sl_sized(type, sign_matters));
}

static sl_ptx_type widened(sl_ptx_type type)
{
    switch (type) {
    case SL_T_U16:
    case SL_T_B16:
        return SL_T_U32;
    case SL_T_S16:
        return SL_T_S32;
    case SL_T_U32:
    case SL_T_B32:
        return SL_T_U64;
    default:
        return SL_T_S64;
    }
}

static void add_with_carry(sl_decoder *d, uint32_t dst, uint32_t a, uint32_t b, sl_ptx_type type, bool in,
                           bool subtract)
{
    uint32_t flags = (in ? 1u : 0) | (has(d, SL_MOD_CC) ? 2u : 0) | (subtract ? 4u : 0);
    sl_emit(d, dst, a, b, d->carry, "addx_b%u", sl_type_bits(type))->aux = flags;
}

static void decode_multiply(sl_decoder *d, sl_ptx_type type, bool add)
{
    bool wide = has(d, SL_MOD_WIDE), high = has(d, SL_MOD_HI), carry_in = d->inst->op == SL_OP_MADC;
    uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), type);
    sl_ptx_type result = wide ? widened(type) : type;
    uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(result));
    uint32_t c = add ? sl_decode_src(d, opd(d, 3), result) : 0;
    bool carries = carry_in || has(d, SL_MOD_CC);
    if (add && !high && !carries) {
        sl_emit(d, dst, a, b, c, wide ? "mad_wide_%s" : "mad_lo_%s", sl_sized(type, wide));
        return;
    }
    uint32_t product = add ? sl_decode_temp(d, sl_lane_bytes(result)) : dst;
    sl_emit(d, product, a, b, b, wide ? "mul_wide_%s" : high ? "mul_hi_%s" : "mul_lo_%s", sl_sized(type, wide || high));
    if (!add)
        return;
    if (carries)
        add_with_carry(d, dst, product, c, result, carry_in, false);
    else if (has(d, SL_MOD_SAT))
        sl_emit(d, dst, product, c, c, "add_sat_s32");
    else
        sl_emit(d, dst, product, c, c, "add_b%u", sl_type_bits(result));
}

static void decode_mul24(sl_decoder *d, sl_ptx_type type, bool add)
{
    uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), type);
    uint32_t dst = sl_decode_dst(d, opd(d, 0), 4), product = add ? sl_decode_temp(d, 4) : dst;
    sl_emit(d, product, a, b, b, "mul24_%s_%s", has(d, SL_MOD_HI) ? "hi" : "lo", sl_sized(type, true));
    if (add)
        sl_emit(d, dst, product, sl_decode_src(d, opd(d, 3), type), 0, has(d, SL_MOD_SAT) ? "add_sat_s32" : "add_b32");
}

static void decode_shift(sl_decoder *d, sl_ptx_type type)
{
    bool left = d->inst->op == SL_OP_SHL;
    uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), SL_T_U32);
    uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(type));
    sl_emit(d, dst, a, b, b, left ? "shl_%s" : "shr_%s", sl_sized(type, !left));
}

static void logic(sl_decoder *d, const char *name, uint32_t inputs, sl_ptx_type type)
{
    uint32_t src[2] = {0, 0};
    for (uint32_t i = 0; i < inputs; i++)
        src[i] = sl_decode_src(d, opd(d, i + 1), type);
    uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(type));
    if (type == SL_T_PRED)
        sl_emit(d, dst, src[0], src[1], src[1], "%s_pred", name);
    else
        sl_emit(d, dst, src[0], src[1], src[1], "%s_%s", name, sl_sized(type, false));
}

static void decode_bit_field(sl_decoder *d, sl_ptx_type type)
{
    uint32_t bytes = sl_lane_bytes(type);
    if (d->inst->op == SL_OP_BFE) {
        uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), SL_T_U32);
        uint32_t c = sl_decode_src(d, opd(d, 3), SL_T_U32);
        sl_emit(d, sl_decode_dst(d, opd(d, 0), bytes), a, b, c, "bfe_%s", sl_sized(type, true));
    } else {
        uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), type);
        uint32_t c = sl_decode_src(d, opd(d, 3), SL_T_U32), length = sl_decode_src(d, opd(d, 4), SL_T_U32);
        uint32_t list = sl_decode_list(d, &length, 1);
        sl_emit(d, sl_decode_dst(d, opd(d, 0), bytes), a, b, c, "bfi_%s", sl_sized(type, false))->list = list;
    }
}

static void decode_dot(sl_decoder *d)
{
    sl_ptx_type ta = sl_ptx_inst_type(d->inst, 0), tb = sl_ptx_inst_type(d->inst, 1);
    uint32_t a = sl_decode_src(d, opd(d, 1), ta), b = sl_decode_src(d, opd(d, 2), tb);
    uint32_t c = sl_decode_src(d, opd(d, 3), SL_T_U32), dst = sl_decode_dst(d, opd(d, 0), 4);
    if (d->inst->op == SL_OP_DP4A) {
        sl_emit(d, dst, a, b, c, "dp4a_%s_%s", sl_sized(ta, true), sl_sized(tb, true));
        return;
    }
    uint32_t aux = (sl_type_is_signed(ta) ? 1u : 0) | (sl_type_is_signed(tb) ? 2u : 0) | (has(d, SL_MOD_HI) ? 4u : 0);
    sl_emit(d, dst, a, b, c, "dp2a")->aux = aux;
}

static void decode_prmt(sl_decoder *d)
{
    static const struct {
        sl_ptx_mod_id mod;
        const char *name;
    } modes[] = {{SL_MOD_F4E, "prmt_f4e_b32"}, {SL_MOD_B4E, "prmt_b4e_b32"}, {SL_MOD_RC8, "prmt_rc8_b32"},
                 {SL_MOD_ECL, "prmt_ecl_b32"}, {SL_MOD_ECR, "prmt_ecr_b32"}, {SL_MOD_RC16, "prmt_rc16_b32"}};
    const char *name = "prmt_b32";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (has(d, modes[i].mod))
            name = modes[i].name;
    uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_B32), b = sl_decode_src(d, opd(d, 2), SL_T_B32);
    uint32_t c = sl_decode_src(d, opd(d, 3), SL_T_B32);
    sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), a, b, c, "%s", name);
}

static bool decode_lop3(sl_decoder *d)
{
    if (opd(d, 0)->kind == SL_OPD_PAIR)
        return false;
    uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_B32), b = sl_decode_src(d, opd(d, 2), SL_T_B32);
    uint32_t c = sl_decode_src(d, opd(d, 3), SL_T_B32);
    sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), a, b, c, "lop3_b32")->aux = (uint32_t)opd(d, 4)->bits & 0xff;
    return true;
}

static bool decode_int(sl_decoder *d, sl_ptx_type type)
{
    uint32_t bits = sl_type_bits(type);
    bool carries = has(d, SL_MOD_CC) || d->inst->op == SL_OP_ADDC || d->inst->op == SL_OP_SUBC;
    switch (d->inst->op) {
    case SL_OP_ADD:
    case SL_OP_SUB:
    case SL_OP_ADDC:
    case SL_OP_SUBC: {
        bool subtract = d->inst->op == SL_OP_SUB || d->inst->op == SL_OP_SUBC;
        if (!carries && !has(d, SL_MOD_SAT)) {
            int_op(d, subtract ? "sub" : "add", 2, type, false);
            return true;
        }
        uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), type);
        uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(type));
        if (carries)
            add_with_carry(d, dst, a, b, type, d->inst->op == SL_OP_ADDC || d->inst->op == SL_OP_SUBC, subtract);
        else
            sl_emit(d, dst, a, b, b, "%s_sat_s32", subtract ? "sub" : "add");
        return true;
    }
    case SL_OP_MUL:
        decode_multiply(d, type, false);
        return true;
    case SL_OP_MAD:
    case SL_OP_MADC:
        decode_multiply(d, type, true);
        return true;
    case SL_OP_MUL24:
        decode_mul24(d, type, false);
        return true;
    case SL_OP_MAD24:
        decode_mul24(d, type, true);
        return true;
    case SL_OP_SAD:
        int_op(d, "sad", 3, type, true);
        return true;
    case SL_OP_DIV:
        int_op(d, "div", 2, type, true);
        return true;
    case SL_OP_REM:
        int_op(d, "rem", 2, type, true);
        return true;
    case SL_OP_ABS:
        sl_emit(d, sl_decode_dst(d, opd(d, 0), sl_lane_bytes(type)), sl_decode_src(d, opd(d, 1), type), 0, 0, "abs_s%u",
                bits);
        return true;
    case SL_OP_NEG:
        int_op(d, "neg", 1, type, false);
        return true;
    case SL_OP_MIN:
    case SL_OP_MAX:
        if (has(d, SL_MOD_RELU) || d->inst->operands != 3)
            return false;
        int_op(d, d->inst->op == SL_OP_MIN ? "min" : "max", 2, type, true);
        return true;
    case SL_OP_POPC:
    case SL_OP_CLZ:
        sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), sl_decode_src(d, opd(d, 1), type), 0, 0, "%s_b%u", d->inst->mnemonic,
                bits);
        return true;
    case SL_OP_BREV:
        int_op(d, "brev", 1, type, false);
        return true;
    case SL_OP_BFIND:
        sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), sl_decode_src(d, opd(d, 1), type), 0, 0,
                has(d, SL_MOD_SHIFTAMT) ? "bfind_shiftamt_%s" : "bfind_%s", sl_sized(type, true));
        return true;
    case SL_OP_FNS:
        int_op(d, "fns", 3, SL_T_B32, false);
        return true;
    case SL_OP_BFE:
    case SL_OP_BFI:
        decode_bit_field(d, type);
        return true;
    case SL_OP_BMSK:
        sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), sl_decode_src(d, opd(d, 1), SL_T_B32),
                sl_decode_src(d, opd(d, 2), SL_T_B32), 0, has(d, SL_MOD_WRAP) ? "bmsk_wrap_b32" : "bmsk_clamp_b32");
        return true;
    case SL_OP_SZEXT:
        sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), sl_decode_src(d, opd(d, 1), type),
                sl_decode_src(d, opd(d, 2), SL_T_U32), 0, "szext_%s_%s", has(d, SL_MOD_WRAP) ? "wrap" : "clamp",
                sl_sized(type, true));
        return true;
    case SL_OP_DP4A:
    case SL_OP_DP2A:
        decode_dot(d);
        return true;
    case SL_OP_SHL:
    case SL_OP_SHR:
        decode_shift(d, type);
        return true;
    case SL_OP_SHF: {
        uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_B32), b = sl_decode_src(d, opd(d, 2), SL_T_B32);
        uint32_t c = sl_decode_src(d, opd(d, 3), SL_T_U32);
        sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), a, b, c, "shf_%s_%s_b32", has(d, SL_MOD_L) ? "l" : "r",
                has(d, SL_MOD_CLAMP) ? "clamp" : "wrap");
        return true;
    }
    case SL_OP_PRMT:
        decode_prmt(d);
        return true;
    case SL_OP_LOP3:
        return decode_lop3(d);
    default:
        return sl_decode_video(d);
    }
}

/* ---- comparisons ---- */

static const char *comparison(const sl_decoder *d, sl_ptx_type *type)
{
    static const struct {
        sl_ptx_mod_id mod;
        const char *name;
        bool is_unsigned;
    } names[] = {{SL_MOD_EQ, "eq", 0},   {SL_MOD_NE, "ne", 0},   {SL_MOD_LT, "lt", 0},   {SL_MOD_LE, "le", 0},
                 {SL_MOD_GT, "gt", 0},   {SL_MOD_GE, "ge", 0},   {SL_MOD_LO, "lt", 1},   {SL_MOD_LS, "le", 1},
                 {SL_MOD_HI, "gt", 1},   {SL_MOD_HS, "ge", 1},   {SL_MOD_EQU, "equ", 0}, {SL_MOD_NEU, "neu", 0},
                 {SL_MOD_LTU, "ltu", 0}, {SL_MOD_LEU, "leu", 0}, {SL_MOD_GTU, "gtu", 0}, {SL_MOD_GEU, "geu", 0},
                 {SL_MOD_NUM, "num", 0}, {SL_MOD_NAN, "nan", 0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!has(d, names[i].mod))
            continue;
        if (names[i].is_unsigned)
            *type = sl_type_bits(*type) == 16 ? SL_T_U16 : sl_type_bits(*type) == 32 ? SL_T_U32 : SL_T_U64;
        /* ordered "not equal" of floats is false for NaN */
        if (names[i].mod == SL_MOD_NE && sl_type_is_float(*type))
            return "ltgt";
        return names[i].name;
    }
    return NULL;
}

/* The predicate of a comparison of operands `first` and first + 1, with .and/.or/.xor of a further predicate. */
static uint32_t compare(sl_decoder *d, sl_ptx_type type, uint32_t first)
{
    const char *how = comparison(d, &type);
    if (!how)
        sl_decode_refuse(d, "no comparison is named");
    bool is_float = sl_type_is_float(type);
    uint32_t a = is_float ? sl_decode_float_src(d, first, type) : sl_decode_src(d, opd(d, first), type);
    uint32_t b = is_float ? sl_decode_float_src(d, first + 1, type) : sl_decode_src(d, opd(d, first + 1), type);
    uint32_t result = sl_decode_temp(d, 4);
    sl_emit(d, result, a, b, b, "setp_%s_%s", how, is_float ? sl_ptx_type_text(type) : sl_sized(type, true));
    return result;
}

static uint32_t combine(sl_decoder *d, uint32_t result, uint32_t other)
{
    const char *how = has(d, SL_MOD_AND) ? "and" : has(d, SL_MOD_OR) ? "or" : has(d, SL_MOD_XOR) ? "xor" : NULL;
    if (!how)
        return result;
    uint32_t c = sl_decode_pred(d, opd(d, other)), combined = sl_decode_temp(d, 4);
    sl_emit(d, combined, result, c, c, "%s_pred", how);
    return combined;
}

static void decode_setp(sl_decoder *d, sl_ptx_type type)
{
    const sl_ptx_operand *dst = opd(d, 0);
    bool pair = dst->kind == SL_OPD_PAIR, combined = d->inst->operands > 3;
    if (!pair && !combined) { /* the common case: straight into the register */
        const char *how = comparison(d, &type);
        bool is_float = sl_type_is_float(type);
        if (!how)
            sl_decode_refuse(d, "no comparison is named");
        uint32_t a = is_float ? sl_decode_float_src(d, 1, type) : sl_decode_src(d, opd(d, 1), type);
        uint32_t b = is_float ? sl_decode_float_src(d, 2, type) : sl_decode_src(d, opd(d, 2), type);
        sl_emit(d, sl_decode_dst(d, dst, 4), a, b, b, "setp_%s_%s", how,
                is_float ? sl_ptx_type_text(type) : sl_sized(type, true));
        return;
    }
    uint32_t result = compare(d, type, 1), inverse = sl_decode_temp(d, 4);
    sl_emit(d, inverse, result, result, result, "not_pred");
    uint32_t p = combine(d, result, 3), q = pair ? combine(d, inverse, 3) : 0;
    if (pair)
        sl_emit(d, sl_decode_dst(d, &dst->items[1], 4), q, q, q, "mov_pred");
    sl_emit(d, sl_decode_dst(d, pair ? &dst->items[0] : dst, 4), p, p, p, "mov_pred");
}

static void decode_set(sl_decoder *d)
{
    sl_ptx_type result_type = sl_ptx_inst_type(d->inst, 0), type = sl_ptx_inst_type(d->inst, 1);
    uint32_t result = compare(d, type, 1);
    if (d->inst->operands > 3)
        result = combine(d, result, 3);
    uint32_t dst = sl_decode_dst(d, opd(d, 0), sl_lane_bytes(result_type));
    sl_emit(d, dst, result, result, result, "set_%s",
            result_type == SL_T_F32           ? "f32"
            : sl_lane_bytes(result_type) == 2 ? "u16"
                                              : "u32");
}

static void decode_select(sl_decoder *d, sl_ptx_type type)
{
    uint32_t bytes = sl_lane_bytes(type);
    uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), type);
    if (d->inst->op == SL_OP_SELP) {
        uint32_t p = sl_decode_pred(d, opd(d, 3));
        sl_emit(d, sl_decode_dst(d, opd(d, 0), bytes), a, b, p, "selp_b%u", bytes * 8);
        return;
    }
    sl_ptx_type by = sl_ptx_inst_type(d->inst, 1);
    uint32_t c = by == SL_T_F32 ? sl_decode_float_src(d, 3, by) : sl_decode_src(d, opd(d, 3), by);
    sl_emit(d, sl_decode_dst(d, opd(d, 0), bytes), a, b, c, "slct_b%u_%s", bytes * 8, by == SL_T_F32 ? "f32" : "s32");
}

static void decode_testp(sl_decoder *d, sl_ptx_type type)
{
    uint32_t a = sl_decode_src(d, opd(d, 1), type);
    sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), a, a, a, "testp_%s_%s", d->inst->mod[0].text, sl_ptx_type_text(type));
}

/* ---- warp ---- */

static void decode_shfl(sl_decoder *d)
{
    const sl_ptx_operand *dst = opd(d, 0);
    bool pair = dst->kind == SL_OPD_PAIR;
    uint32_t aux = has(d, SL_MOD_UP) ? 0 : has(d, SL_MOD_DOWN) ? 1 : has(d, SL_MOD_BFLY) ? 2 : 3;
    uint32_t a = sl_decode_src(d, opd(d, 1), SL_T_B32), b = sl_decode_src(d, opd(d, 2), SL_T_B32);
    uint32_t c = sl_decode_src(d, opd(d, 3), SL_T_B32);
    uint32_t p = pair && dst->items[1].kind != SL_OPD_DISCARD ? sl_decode_dst(d, &dst->items[1], 4) : SL_REF_NONE;
    uint32_t list = sl_decode_list(d, &p, 1);
    sl_op *op = sl_emit(d, sl_decode_dst(d, pair ? &dst->items[0] : dst, 4), a, b, c, "shfl");
    op->aux = aux;
    op->list = list;
}

static void decode_vote(sl_decoder *d)
{
    uint32_t how = has(d, SL_MOD_ALL) ? 0 : has(d, SL_MOD_ANY) ? 1 : has(d, SL_MOD_UNI) ? 2 : 3;
    uint32_t p = sl_decode_pred(d, opd(d, 1));
    uint32_t members = has(d, SL_MOD_SYNC) ? sl_decode_src(d, opd(d, 2), SL_T_B32) : SL_REF_NONE;
    sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), p, members, p, "vote")->aux = how;
}

static void decode_match(sl_decoder *d, sl_ptx_type type)
{
    const sl_ptx_operand *dst = opd(d, 0);
    bool pair = dst->kind == SL_OPD_PAIR;
    uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), SL_T_B32);
    uint32_t p = pair && dst->items[1].kind != SL_OPD_DISCARD ? sl_decode_dst(d, &dst->items[1], 4) : SL_REF_NONE;
    uint32_t list = sl_decode_list(d, &p, 1);
    sl_op *op = sl_emit(d, sl_decode_dst(d, pair ? &dst->items[0] : dst, 4), a, b, b, "match_b%u", sl_type_bits(type));
    op->aux = has(d, SL_MOD_ALL);
    op->list = list;
}

static bool decode_redux(sl_decoder *d, sl_ptx_type type)
{
    bool is_signed = sl_type_is_signed(type);
    if (sl_type_is_float(type))
        return false;
    uint32_t aux = has(d, SL_MOD_ADD)   ? 0
                   : has(d, SL_MOD_MIN) ? (is_signed ? 3 : 1)
                   : has(d, SL_MOD_MAX) ? (is_signed ? 4 : 2)
                   : has(d, SL_MOD_AND) ? 5
                   : has(d, SL_MOD_OR)  ? 6
                                        : 7;
    uint32_t a = sl_decode_src(d, opd(d, 1), type), b = sl_decode_src(d, opd(d, 2), SL_T_B32);
    sl_emit(d, sl_decode_dst(d, opd(d, 0), 4), a, b, b, "redux")->aux = aux;
    return true;
}

static void decode_elect(sl_decoder *d)
{
    const sl_ptx_operand *dst = opd(d, 0);
    if (dst->kind != SL_OPD_PAIR)
        sl_decode_refuse(d, "it needs two results");
    uint32_t p = sl_decode_dst(d, &dst->items[1], 4), list = sl_decode_list(d, &p, 1);
    uint32_t target = sl_decode_dst(d, &dst->items[0], 4), members = sl_decode_src(d, opd(d, 1), SL_T_B32);
    sl_emit(d, target, target, members, target, "elect")->list = list;
}

bool sl_decode_alu(sl_decoder *d)
{
    sl_ptx_type type = sl_ptx_inst_type(d->inst, 0);
    switch (d->inst->op) {
    case SL_OP_MOV:
        return type != SL_T_NONE && sl_decode_mov(d, type);
    case SL_OP_CVT:
        return sl_decode_cvt(d);
    case SL_OP_SETP: {
        if (sl_type_is_half(type))
            return false;
        decode_setp(d, type);
        return true;
    }
    case SL_OP_SET: {
        if (sl_type_is_half(type) || sl_type_is_half(sl_ptx_inst_type(d->inst, 1)))
            return false;
        decode_set(d);
        return true;
    }
    case SL_OP_SELP:
    case SL_OP_SLCT:
        decode_select(d, type);
        return true;
    case SL_OP_TESTP:
        decode_testp(d, type);
        return true;
    case SL_OP_AND:
        logic(d, "and", 2, type);
        return true;
    case SL_OP_OR:
        logic(d, "or", 2, type);
        return true;
    case SL_OP_XOR:
        logic(d, "xor", 2, type);
        return true;
    case SL_OP_NOT:
        logic(d, "not", 1, type);
        return true;
    case SL_OP_CNOT:
        logic(d, "cnot", 1, type);
        return true;
    case SL_OP_SHFL:
        decode_shfl(d);
        return true;
    case SL_OP_VOTE:
        decode_vote(d);
        return true;
    case SL_OP_MATCH:
        decode_match(d, type);
        return true;
    case SL_OP_REDUX:
        return decode_redux(d, type);
    case SL_OP_ELECT:
        decode_elect(d);
        return true;
    case SL_OP_ACTIVEMASK: {
        uint32_t dst = sl_decode_dst(d, opd(d, 0), 4);
        sl_emit(d, dst, dst, dst, dst, "activemask");
        return true;
    }
    case SL_OP_BAR: /* bar.warp.sync: the waiting is in the block's start */
    case SL_OP_BARRIER:
    case SL_OP_NANOSLEEP:
    case SL_OP_PMEVENT:
    case SL_OP_BRKPT:
        return true;
    case SL_OP_MEMBAR:
    case SL_OP_FENCE:
        sl_emit(d, 0, 0, 0, 0, "fence");
        if (d->check_race && sl_ptx_has(d->inst, SL_MOD_PROXY) &&
            (sl_ptx_has(d->inst, SL_MOD_ASYNC) || sl_ptx_has(d->inst, SL_MOD_ASYNC_GENERIC)))
            sl_emit(d, 0, 0, 0, 0, "race_fence");
        return true;
    default:
        break;
    }
    if (sl_type_is_float(type)) /* fma.f32.f16 has factors of another type */
        return !sl_type_is_half(sl_ptx_inst_type(d->inst, 1)) && decode_float(d, type);
    if (sl_type_is_int(type))
        return decode_int(d, type);
    return false;
}
