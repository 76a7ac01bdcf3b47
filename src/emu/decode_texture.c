/* SPDX-License-Identifier: MIT */
/* Texture fetches, accesses to surfaces, and questions about both, by object. */
#include "emu/decode.h"
#include "emu/texture.h"

/* ---- geometry ---- */

typedef struct geometry {
    uint32_t dims;   /* of a layer, a face, or the whole */
    uint32_t coords; /* without the layer */
    bool layered, cube;
} geometry;

static geometry geometry_of(sl_decoder *d)
{
    static const struct {
        sl_ptx_mod_id mod;
        geometry g;
    } table[] = {{SL_MOD_1D, {1, 1, false, false}}, {SL_MOD_2D, {2, 2, false, false}},
                 {SL_MOD_3D, {3, 3, false, false}}, {SL_MOD_A1D, {1, 1, true, false}},
                 {SL_MOD_A2D, {2, 2, true, false}}, {SL_MOD_CUBE, {2, 3, false, true}},
                 {SL_MOD_ACUBE, {2, 3, true, true}}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (sl_ptx_has(d->inst, table[i].mod))
            return table[i].g;
    sl_decode_refuse(d, "textures of this geometry");
}

static uint32_t geometry_flags(const geometry *g)
{
    return g->dims | (g->layered ? SL_TEXTURE_LAYERED : 0) | (g->cube ? SL_TEXTURE_CUBE : 0);
}

/* Item i of a vector, or of a scalar, which is one of length 1. */
static const sl_ptx_operand *item(sl_decoder *d, const sl_ptx_operand *operand, uint32_t i)
{
    uint32_t given = operand->kind == SL_OPD_VECTOR ? operand->count : 1;
    if (i >= given)
        sl_decode_refuse(d, "%u coordinates where more are needed", given);
    return operand->kind == SL_OPD_VECTOR ? &operand->items[i] : operand;
}

/* [object, {layer, coordinates}]: the object's reference; three coordinates and the layer into `refs`. */
static uint32_t decode_position(sl_decoder *d, const sl_ptx_operand *at, const geometry *g, sl_ptx_type type,
                                uint32_t *coords, uint32_t *layer)
{
    if (at->kind != SL_OPD_ADDRESS || at->count != 2)
        sl_decode_refuse(d, at->count > 2 ? "separate samplers" : "an object with coordinates is expected");
    for (uint32_t i = 0; i < 3; i++)
        coords[i] =
            i < g->coords ? sl_decode_src(d, item(d, &at->items[1], i + g->layered), type) : sl_decode_const(d, 0, 4);
    *layer = g->layered ? sl_decode_src(d, item(d, &at->items[1], 0), SL_T_U32) : sl_decode_const(d, 0, 4);
    return sl_decode_src(d, &at->items[0], SL_T_U64);
}

/* ---- textures ---- */

/* The operands behind the coordinates: level or gradients, then offsets. */
static uint32_t decode_details(sl_decoder *d, const geometry *g, uint32_t *refs)
{
    const sl_ptx_inst *inst = d->inst;
    uint32_t flags = 0, next = 2;
    if (sl_ptx_has(inst, SL_MOD_LEVEL)) {
        flags |= SL_TEXTURE_LEVEL;
        refs[SL_TEXTURE_LOD] = sl_decode_src(d, sl_decode_operand(d, next++), SL_T_F32);
    } else if (sl_ptx_has(inst, SL_MOD_GRAD)) {
        flags |= SL_TEXTURE_GRADIENTS;
        for (uint32_t axis = 0; axis < 2; axis++) {
            const sl_ptx_operand *gradient = sl_decode_operand(d, next++);
            for (uint32_t i = 0; i < g->coords; i++)
                refs[(axis ? SL_TEXTURE_DY : SL_TEXTURE_DX) + i] = sl_decode_src(d, item(d, gradient, i), SL_T_F32);
        }
    }
    if (next < inst->operands) {
        const sl_ptx_operand *offsets = &inst->operand[next++], *first = item(d, offsets, 0);
        if (g->cube || (first->kind == SL_OPD_REG && d->func->reg[first->reg].type == SL_T_F32))
            sl_decode_refuse(d, "depth comparison");
        flags |= SL_TEXTURE_OFFSETS;
        for (uint32_t i = 0; i < g->dims; i++)
            refs[SL_TEXTURE_OFFSET + i] = sl_decode_src(d, item(d, offsets, i), SL_T_S32);
    }
    if (next < inst->operands)
        sl_decode_refuse(d, "depth comparison");
    return flags;
}

static uint32_t gathered_channel(sl_decoder *d)
{
    static const sl_ptx_mod_id channels[] = {SL_MOD_R, SL_MOD_G, SL_MOD_B, SL_MOD_A};
    for (uint32_t i = 0; i < 4; i++)
        if (sl_ptx_has(d->inst, channels[i]))
            return SL_TEXTURE_GATHER | i << SL_TEXTURE_CHANNEL_SHIFT;
    sl_decode_refuse(d, "a channel is expected");
}

static void decode_fetch(sl_decoder *d)
{
    geometry g = geometry_of(d);
    sl_ptx_type result = sl_ptx_inst_type(d->inst, 0), coordinate = sl_ptx_inst_type(d->inst, 1);
    const sl_ptx_operand *dst = sl_decode_operand(d, 0), *resident = NULL;
    if (dst->kind == SL_OPD_PAIR) {
        resident = &dst->items[1];
        dst = &dst->items[0];
    }
    if (sl_ptx_type_bytes(result) != 4 || result == SL_T_F16X2 || dst->kind != SL_OPD_VECTOR || dst->count != 4)
        sl_decode_refuse(d, "four results of 32 bits are expected");
    bool gather = d->inst->op == SL_OP_TLD4;
    if ((gather && g.dims != 2) || (coordinate != SL_T_F32 && (gather || g.cube || coordinate != SL_T_S32)))
        sl_decode_refuse(d, "this form of texture fetch");
    uint32_t refs[SL_TEXTURE_OPERANDS];
    uint32_t object =
        decode_position(d, sl_decode_operand(d, 1), &g, coordinate, &refs[SL_TEXTURE_COORDS], &refs[SL_TEXTURE_LAYER]);
    for (uint32_t i = SL_TEXTURE_LOD; i < SL_TEXTURE_OPERANDS; i++)
        refs[i] = refs[SL_TEXTURE_COORDS];
    uint32_t flags = geometry_flags(&g) | decode_details(d, &g, refs) | (gather ? gathered_channel(d) : 0);
    for (uint32_t i = 0; i < SL_TEXTURE_RESULTS; i++)
        refs[i] = sl_decode_dst(d, &dst->items[i], 4);
    refs[SL_TEXTURE_RESIDENT] = resident ? sl_decode_dst(d, resident, 4) : SL_REF_NONE; /* it always is */
    uint32_t list = sl_decode_list(d, refs, SL_TEXTURE_OPERANDS);
    sl_op *op = sl_emit(d, refs[0], object, 0, 0, "texture");
    op->list = list;
    op->slot = d->slot;
    op->space = SL_SPACE_GLOBAL;
    op->aux = flags | (coordinate == SL_T_F32 ? SL_TEXTURE_FLOAT_COORDS : 0);
}

/* ---- questions ---- */

static void decode_query(sl_decoder *d)
{
    static const struct {
        sl_ptx_mod_id mod;
        sl_texture_query query;
    } table[] = {{SL_MOD_WIDTH, SL_QUERY_WIDTH},
                 {SL_MOD_HEIGHT, SL_QUERY_HEIGHT},
                 {SL_MOD_DEPTH, SL_QUERY_DEPTH},
                 {SL_MOD_CHANNEL_DATA_TYPE, SL_QUERY_CHANNEL_DATA_TYPE},
                 {SL_MOD_CHANNEL_ORDER, SL_QUERY_CHANNEL_ORDER},
                 {SL_MOD_NORMALIZED_COORDS, SL_QUERY_NORMALIZED_COORDS},
                 {SL_MOD_ARRAY_SIZE, SL_QUERY_ARRAY_SIZE},
                 {SL_MOD_NUM_MIPMAP_LEVELS, SL_QUERY_LEVELS},
                 {SL_MOD_NUM_SAMPLES, SL_QUERY_SAMPLES},
                 {SL_MOD_MEMORY_LAYOUT, SL_QUERY_MEMORY_LAYOUT}};
    const sl_ptx_operand *at = sl_decode_operand(d, 1);
    if (at->kind != SL_OPD_ADDRESS || at->count != 1)
        sl_decode_refuse(d, "an object is expected");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!sl_ptx_has(d->inst, table[i].mod))
            continue;
        uint32_t object = sl_decode_src(d, &at->items[0], SL_T_U64);
        uint32_t level = sl_ptx_has(d->inst, SL_MOD_LEVEL) ? sl_decode_src(d, sl_decode_operand(d, 2), SL_T_U32)
                                                           : sl_decode_const(d, 0, 4);
        sl_op *op = sl_emit(d, sl_decode_dst(d, sl_decode_operand(d, 0), 4), object, level, 0, "texture_query");
        op->aux = table[i].query | (d->inst->op == SL_OP_SUQ ? SL_QUERY_SURFACE : 0);
        return;
    }
    sl_decode_refuse(d, "this question about a sampler");
}

/* ---- surfaces ---- */

static uint32_t surface_flags(const sl_ptx_inst *inst)
{
    return (sl_ptx_has(inst, SL_MOD_ZERO)    ? SL_SURFACE_ZERO
            : sl_ptx_has(inst, SL_MOD_CLAMP) ? SL_SURFACE_CLAMP
                                             : 0) |
           (sl_ptx_has(inst, SL_MOD_P) ? SL_SURFACE_ELEMENTS : 0);
}

sl_memory_operand sl_decode_surface(sl_decoder *d, const sl_ptx_operand *operand)
{
    geometry g = geometry_of(d);
    sl_memory_operand at = {.space = SL_SPACE_GLOBAL, .surface = true};
    uint32_t refs[SL_SURFACE_OPERANDS], bytes = sl_ptx_type_bytes(sl_ptx_inst_type(d->inst, 0));
    if (g.cube || !bytes || bytes > 8 || sl_ptx_inst_vector(d->inst) * bytes > 16)
        sl_decode_refuse(d, "this form of access to a surface");
    uint32_t object = decode_position(d, operand, &g, SL_T_S32, &refs[SL_SURFACE_COORDS], &refs[SL_SURFACE_LAYER]);
    uint32_t none = sl_decode_const(d, 0, 4);
    at.inside = refs[SL_SURFACE_INSIDE] = sl_decode_temp(d, 4);
    at.ref = sl_decode_temp(d, 8);
    uint32_t list = sl_decode_list(d, refs, SL_SURFACE_OPERANDS);
    bool unguarded = d->unguarded;
    d->unguarded = true; /* lanes that the guard leaves out access nothing */
    sl_emit(d, at.inside, none, none, none, "mov_pred");
    d->unguarded = unguarded;
    sl_op *op = sl_emit(d, at.ref, object, 0, 0, "surface_address");
    op->list = list;
    op->size = (uint8_t)bytes;
    op->count = (uint8_t)sl_ptx_inst_vector(d->inst);
    op->aux = geometry_flags(&g) | surface_flags(d->inst);
    return at;
}

bool sl_decode_surface_pack(sl_decoder *d)
{
    geometry g = geometry_of(d);
    uint32_t refs[SL_SURFACE_OPERANDS + 4], count = sl_ptx_inst_vector(d->inst);
    const sl_ptx_operand *values = sl_decode_operand(d, 1);
    if (!sl_ptx_has(d->inst, SL_MOD_P))
        return false;
    if (g.cube || sl_ptx_type_bytes(sl_ptx_inst_type(d->inst, 0)) != 4 || count > 4)
        sl_decode_refuse(d, "this form of access to a surface");
    uint32_t object =
        decode_position(d, sl_decode_operand(d, 0), &g, SL_T_S32, &refs[SL_SURFACE_COORDS], &refs[SL_SURFACE_LAYER]);
    refs[SL_SURFACE_INSIDE] = SL_REF_NONE;
    for (uint32_t i = 0; i < count; i++)
        refs[SL_SURFACE_OPERANDS + i] = sl_decode_src(d, item(d, values, i), SL_T_B32);
    uint32_t list = sl_decode_list(d, refs, SL_SURFACE_OPERANDS + count);
    sl_op *op = sl_emit(d, 0, object, 0, 0, "surface_pack");
    op->list = list;
    op->size = 4;
    op->count = (uint8_t)count;
    op->slot = d->slot;
    op->space = SL_SPACE_GLOBAL;
    op->aux = geometry_flags(&g) | surface_flags(d->inst);
    return true;
}

bool sl_decode_texture(sl_decoder *d)
{
    switch (d->inst->op) {
    case SL_OP_TEX:
    case SL_OP_TLD4:
        decode_fetch(d);
        return true;
    case SL_OP_TXQ:
    case SL_OP_SUQ:
        decode_query(d);
        return true;
    default:
        return false;
    }
}
