/* SPDX-License-Identifier: MIT */
/* Video instructions: on bytes, halves and words of registers, and on all bytes or halves of them at once (without
 * selectors of those). */
#include "emu/decode.h"
#include "emu/video.h"

static bool has(const sl_decoder *d, sl_ptx_mod_id mod)
{
    return sl_ptx_has(d->inst, mod);
}

/* The whole register that an operand names; which part of it: as in sl_op.aux. */
static uint32_t source(sl_decoder *d, uint32_t index, uint32_t *part)
{
    sl_ptx_operand whole = *sl_decode_operand(d, index);
    *part = whole.kind == SL_OPD_REG && whole.element >= 4 ? (uint32_t)whole.element - 3 : 0;
    if (whole.kind == SL_OPD_REG)
        whole.element = -1;
    whole.negated = false;
    return sl_decode_src(d, &whole, SL_T_B32);
}

static uint32_t comparison(sl_decoder *d)
{
    static const sl_ptx_mod_id mods[] = {
        [SL_VIDEO_EQ] = SL_MOD_EQ, [SL_VIDEO_NE] = SL_MOD_NE, [SL_VIDEO_LT] = SL_MOD_LT,
        [SL_VIDEO_LE] = SL_MOD_LE, [SL_VIDEO_GT] = SL_MOD_GT, [SL_VIDEO_GE] = SL_MOD_GE};
    for (uint32_t i = 0; i < sizeof mods / sizeof *mods; i++)
        if (has(d, mods[i]))
            return i;
    sl_decode_refuse(d, "its comparison is missing");
}

/* Bits of sl_op.aux that all have: the operation and the types, of which a comparison has only two. */
static uint32_t common_bits(sl_decoder *d, sl_video what)
{
    uint32_t bits = what, first = what == SL_VIDEO_SET ? 0 : 1;
    for (uint32_t i = 0; i < 2 + first; i++) {
        sl_ptx_type type = sl_ptx_inst_type(d->inst, i);
        if (type != SL_T_U32 && type != SL_T_S32)
            sl_decode_refuse(d, "a video instruction on %s", sl_ptx_type_text(type));
        if (type == SL_T_S32)
            bits |= i < first ? SL_VIDEO_D_SIGNED : i == first ? SL_VIDEO_A_SIGNED : SL_VIDEO_B_SIGNED;
    }
    if (what == SL_VIDEO_SET)
        bits |= comparison(d) << SL_VIDEO_COMPARE_BIT;
    return bits | (has(d, SL_MOD_SAT) ? SL_VIDEO_SAT : 0);
}

static void decode_scalar(sl_decoder *d, sl_video what)
{
    uint32_t aux = common_bits(d, what), a_part, b_part, c_part, dst_part = 0;
    uint32_t a = source(d, 1, &a_part), b = source(d, 2, &b_part);
    uint32_t c = d->inst->operands > 3 ? source(d, 3, &c_part) : b;
    sl_ptx_operand target = *sl_decode_operand(d, 0);
    if (target.kind == SL_OPD_REG && target.element >= 4) {
        dst_part = (uint32_t)target.element - 3;
        target.element = -1;
    }
    sl_video_then then = has(d, SL_MOD_ADD)   ? SL_VIDEO_THEN_ADD
                         : has(d, SL_MOD_MIN) ? SL_VIDEO_THEN_MIN
                         : has(d, SL_MOD_MAX) ? SL_VIDEO_THEN_MAX
                                              : SL_VIDEO_ALONE;
    if ((then != SL_VIDEO_ALONE || dst_part || what == SL_VIDEO_MAD) && d->inst->operands < 4)
        sl_decode_refuse(d, "operand 4 is missing");
    if (what == SL_VIDEO_MAD) {
        aux |= sl_decode_operand(d, 1)->negated != sl_decode_operand(d, 2)->negated ? SL_VIDEO_NEGATE_PRODUCT : 0;
        aux |= sl_decode_operand(d, 3)->negated ? SL_VIDEO_NEGATE_C : 0;
        aux |= (has(d, SL_MOD_PO) ? SL_VIDEO_PLUS_ONE : 0) | (has(d, SL_MOD_SHR7) ? SL_VIDEO_SHIFT_7 : 0) |
               (has(d, SL_MOD_SHR15) ? SL_VIDEO_SHIFT_15 : 0);
    }
    aux |= has(d, SL_MOD_WRAP) ? SL_VIDEO_WRAP : 0;
    aux |= (uint32_t)then << SL_VIDEO_THEN_BIT | a_part << SL_VIDEO_A_PART_BIT | b_part << SL_VIDEO_B_PART_BIT |
           dst_part << SL_VIDEO_D_PART_BIT;
    sl_emit(d, sl_decode_dst(d, &target, 4), a, b, c, "video_scalar")->aux = aux;
}

/* vabsdiff4.u32 and vabsdiff2.u32, which CUDA's headers use, have handlers of their own. */
static bool is_plain_difference(sl_decoder *d, sl_video what)
{
    for (uint32_t i = 0; i < 3; i++)
        if (sl_ptx_inst_type(d->inst, i) != SL_T_U32)
            return false;
    return what == SL_VIDEO_ABSDIFF && !has(d, SL_MOD_SAT);
}

static void decode_packed(sl_decoder *d, sl_video what, bool quads)
{
    bool adds = has(d, SL_MOD_ADD);
    uint32_t ref[3], part;
    for (uint32_t i = 0; i < 3; i++) {
        ref[i] = source(d, i + 1, &part);
        if (part)
            sl_decode_refuse(d, "a part of a register");
    }
    uint32_t dst = sl_decode_dst(d, sl_decode_operand(d, 0), 4);
    if (is_plain_difference(d, what)) {
        sl_emit(d, dst, ref[0], ref[1], ref[2], "vabsdiff%d_%su32", quads ? 4 : 2, adds ? "add_" : "");
        return;
    }
    uint32_t aux = common_bits(d, what) | (quads ? SL_VIDEO_QUADS : 0) |
                   (uint32_t)(adds ? SL_VIDEO_THEN_ADD : SL_VIDEO_ALONE) << SL_VIDEO_THEN_BIT;
    sl_emit(d, dst, ref[0], ref[1], ref[2], "video_packed")->aux = aux;
}

bool sl_decode_video(sl_decoder *d)
{
    static const struct {
        uint16_t scalar, pair, quad;
        sl_video what;
    } table[] = {{SL_OP_VADD, SL_OP_VADD2, SL_OP_VADD4, SL_VIDEO_ADD},
                 {SL_OP_VSUB, SL_OP_VSUB2, SL_OP_VSUB4, SL_VIDEO_SUB},
                 {SL_OP_VABSDIFF, SL_OP_VABSDIFF2, SL_OP_VABSDIFF4, SL_VIDEO_ABSDIFF},
                 {SL_OP_VMIN, SL_OP_VMIN2, SL_OP_VMIN4, SL_VIDEO_MIN},
                 {SL_OP_VMAX, SL_OP_VMAX2, SL_OP_VMAX4, SL_VIDEO_MAX},
                 {SL_OP_VSET, SL_OP_VSET2, SL_OP_VSET4, SL_VIDEO_SET},
                 {SL_OP_UNKNOWN, SL_OP_VAVRG2, SL_OP_VAVRG4, SL_VIDEO_AVERAGE},
                 {SL_OP_VSHL, SL_OP_UNKNOWN, SL_OP_UNKNOWN, SL_VIDEO_SHL},
                 {SL_OP_VSHR, SL_OP_UNKNOWN, SL_OP_UNKNOWN, SL_VIDEO_SHR},
                 {SL_OP_VMAD, SL_OP_UNKNOWN, SL_OP_UNKNOWN, SL_VIDEO_MAD}};
    uint16_t op = d->inst->op;
    for (size_t i = 0; i < sizeof table / sizeof *table && op != SL_OP_UNKNOWN; i++) {
        if (op == table[i].scalar)
            decode_scalar(d, table[i].what);
        else if (op == table[i].pair || op == table[i].quad)
            decode_packed(d, table[i].what, op == table[i].quad);
        else
            continue;
        return true;
    }
    return false;
}
