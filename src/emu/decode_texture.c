/* SPDX-License-Identifier: MIT */
/* Texture fetches by object: tex.1d, .2d, .3d and the layered forms .a1d, .a2d. */
#include "emu/decode.h"
#include "emu/texture.h"

/* Dimensions without the layer; 0: a geometry that is not emulated. */
static uint32_t geometry(const sl_ptx_inst *inst, bool *layered)
{
    *layered = sl_ptx_has(inst, SL_MOD_A1D) || sl_ptx_has(inst, SL_MOD_A2D);
    if (sl_ptx_has(inst, SL_MOD_1D) || sl_ptx_has(inst, SL_MOD_A1D))
        return 1;
    if (sl_ptx_has(inst, SL_MOD_2D) || sl_ptx_has(inst, SL_MOD_A2D))
        return 2;
    return sl_ptx_has(inst, SL_MOD_3D) ? 3 : 0;
}

bool sl_decode_texture(sl_decoder *d)
{
    const sl_ptx_inst *inst = d->inst;
    if (inst->op != SL_OP_TEX)
        return false;
    bool layered;
    uint32_t dims = geometry(inst, &layered);
    sl_ptx_type result = sl_ptx_inst_type(inst, 0), coordinate = sl_ptx_inst_type(inst, 1);
    const sl_ptx_operand *dst = sl_decode_operand(d, 0), *at = sl_decode_operand(d, 1);
    if (!dims || sl_ptx_has(inst, SL_MOD_GRAD) || sl_ptx_type_bytes(result) != 4)
        sl_decode_refuse(d, "this form of texture fetch");
    if (dst->kind == SL_OPD_PAIR) /* whether the texel is resident: it always is */
        dst = &dst->items[0];
    if (dst->kind != SL_OPD_VECTOR || dst->count != 4 || at->kind != SL_OPD_ADDRESS || at->count < 2)
        sl_decode_refuse(d, "four results and a texture with coordinates are expected");
    if (at->count > 2)
        sl_decode_refuse(d, "separate samplers");
    const sl_ptx_operand *coords = &at->items[1];
    uint32_t given = coords->kind == SL_OPD_VECTOR ? coords->count : 1;
    if (given < dims + layered)
        sl_decode_refuse(d, "%u coordinates where %u are needed", given, dims + layered);
    uint32_t refs[4 + 4];
    for (uint32_t i = 0; i < dims + layered; i++) {
        const sl_ptx_operand *one = coords->kind == SL_OPD_VECTOR ? &coords->items[i] : coords;
        bool is_layer = layered && i == 0;
        refs[4 + (is_layer ? 3 : i - layered)] = sl_decode_src(d, one, is_layer ? SL_T_U32 : coordinate);
    }
    for (uint32_t i = dims; i < 3; i++)
        refs[4 + i] = refs[4];
    if (!layered)
        refs[7] = refs[4];
    uint32_t handle = sl_decode_src(d, &at->items[0], SL_T_U64);
    for (uint32_t i = 0; i < 4; i++)
        refs[i] = sl_decode_dst(d, &dst->items[i], 4);
    uint32_t list = sl_decode_list(d, refs, 8);
    sl_op *op = sl_emit(d, refs[0], handle, 0, 0, "texture");
    op->list = list;
    op->slot = d->slot;
    op->space = SL_SPACE_GLOBAL;
    op->aux = dims | (layered ? SL_TEXTURE_LAYERED : 0) | (coordinate == SL_T_F32 ? SL_TEXTURE_FLOAT_COORDS : 0) |
              (result == SL_T_F32 ? SL_TEXTURE_FLOAT_RESULT : 0);
    return true;
}
