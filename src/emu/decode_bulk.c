/* SPDX-License-Identifier: MIT */
/* Bulk copies and reductions, of plain memory and of tensors, and edits of tensor maps. */
#include <string.h>

#include "emu/atomic.h"
#include "emu/bulk.h"
#include "emu/decode.h"
#include "emu/tensor_map.h"
#include "emu/warp.h"

static bool has(const sl_decoder *d, sl_ptx_mod_id mod)
{
    return sl_ptx_has(d->inst, mod);
}

static bool is_shared(uint16_t mod)
{
    return mod == SL_MOD_SHARED || mod == SL_MOD_SHARED_CTA || mod == SL_MOD_SHARED_CLUSTER;
}

/* Spaces are written target first. */
uint32_t sl_bulk_way(const sl_ptx_inst *inst)
{
    if (sl_ptx_has(inst, SL_MOD_PREFETCH))
        return SL_BULK_PREFETCH;
    if (sl_ptx_has(inst, SL_MOD_GLOBAL))
        for (uint32_t i = 0; i < inst->mods; i++) {
            if (inst->mod[i].id == SL_MOD_GLOBAL)
                return SL_BULK_STORE;
            if (is_shared(inst->mod[i].id))
                return SL_BULK_LOAD;
        }
    return SL_BULK_WITHIN;
}

/* The address itself, in 64 bits. */
uint32_t sl_decode_address(sl_decoder *d, const sl_ptx_operand *operand, sl_ptx_space space)
{
    sl_ptx_operand one = *operand; /* a tensor's coordinates stand behind its map */
    if (one.kind == SL_OPD_ADDRESS && one.count > 1)
        one.count = 1;
    sl_memory_operand at = sl_decode_locate(d, &one, space);
    if (at.is_param)
        at = (sl_memory_operand){.ref = sl_decode_src(d, &one.items[0], SL_T_U64), .offset = (int64_t)one.bits};
    uint32_t bytes = at.narrow ? 4 : 8, ref = at.ref;
    if (at.offset) {
        uint32_t offset = sl_decode_const(d, at.narrow ? (uint32_t)at.offset : (uint64_t)at.offset, bytes);
        ref = sl_decode_temp(d, bytes);
        sl_emit(d, ref, at.ref, offset, offset, at.narrow ? "add_b32" : "add_b64");
    }
    if (!at.narrow)
        return ref;
    uint32_t wide = sl_decode_temp(d, 8);
    sl_emit(d, wide, ref, ref, ref, "ext_u32_u32_u64");
    return wide;
}

/* How a reduction combines, and the bytes of its elements. */
static uint32_t reduction_of(sl_decoder *d)
{
    static const struct {
        sl_ptx_mod_id mod;
        sl_atomic kind;
    } plain[] = {{SL_MOD_ADD, SL_ATOM_ADD}, {SL_MOD_AND, SL_ATOM_AND}, {SL_MOD_OR, SL_ATOM_OR},
                 {SL_MOD_XOR, SL_ATOM_XOR}, {SL_MOD_INC, SL_ATOM_INC}, {SL_MOD_DEC, SL_ATOM_DEC}};
    static const struct {
        sl_ptx_type type;
        int add, min, max; /* sl_atomic; -1: there is none */
    } typed[] = {{SL_T_U32, SL_ATOM_ADD, SL_ATOM_MIN_U, SL_ATOM_MAX_U},
                 {SL_T_U64, SL_ATOM_ADD, SL_ATOM_MIN_U, SL_ATOM_MAX_U},
                 {SL_T_S32, SL_ATOM_ADD, SL_ATOM_MIN_S, SL_ATOM_MAX_S},
                 {SL_T_S64, SL_ATOM_ADD, SL_ATOM_MIN_S, SL_ATOM_MAX_S},
                 {SL_T_F16, SL_ATOM_ADD_F16, SL_ATOM_MIN_F16, SL_ATOM_MAX_F16},
                 {SL_T_BF16, SL_ATOM_ADD_BF16, SL_ATOM_MIN_BF16, SL_ATOM_MAX_BF16},
                 {SL_T_F32, SL_ATOM_ADD_F32, -1, -1},
                 {SL_T_F64, SL_ATOM_ADD_F64, -1, -1}};
    sl_ptx_type type = sl_ptx_inst_type(d->inst, 0);
    uint32_t size = type == SL_T_NONE ? 0 : sl_ptx_type_bytes(type);
    int kind = -1;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        if (typed[i].type == type)
            kind = has(d, SL_MOD_ADD)   ? typed[i].add
                   : has(d, SL_MOD_MIN) ? typed[i].min
                   : has(d, SL_MOD_MAX) ? typed[i].max
                                        : -1;
    for (size_t i = 1; i < sizeof plain / sizeof *plain && kind < 0 && !sl_type_is_float(type); i++)
        if (has(d, plain[i].mod))
            kind = (int)plain[i].kind;
    bool counts = kind == SL_ATOM_INC || kind == SL_ATOM_DEC;
    if (kind < 0 || (size != 2 && size != 4 && size != 8) || (counts && size != 4))
        sl_decode_refuse(d, "this reduction");
    return SL_BULK_REDUCES | size << SL_BULK_SIZE_SHIFT | (uint32_t)kind << SL_BULK_HOW_SHIFT;
}

/* Coordinates behind a tensor map's address. */
static void decode_coordinates(sl_decoder *d, const sl_ptx_operand *operand, uint32_t dims, uint32_t *refs)
{
    const sl_ptx_operand *list = operand->kind == SL_OPD_ADDRESS && operand->count == 2 ? &operand->items[1] : NULL;
    if (!list || list->kind != SL_OPD_VECTOR || list->count != dims)
        sl_decode_refuse(d, "a tensor map and its %u coordinates are expected", dims);
    for (uint32_t i = 0; i < dims; i++)
        refs[SL_BULK_COORDINATE + i] = sl_decode_src(d, &list->items[i], SL_T_U32);
}

static uint32_t dims_of(sl_decoder *d)
{
    static const sl_ptx_mod_id mods[] = {SL_MOD_1D, SL_MOD_2D, SL_MOD_3D, SL_MOD_4D, SL_MOD_5D};
    for (uint32_t i = 0; i < 5; i++)
        if (has(d, mods[i]))
            return i + 1;
    sl_decode_refuse(d, "the number of dimensions is missing");
}

static uint32_t tensor_flags(sl_decoder *d, uint32_t way)
{
    static const sl_ptx_mod_id refused[] = {SL_MOD_IM2COL_W, SL_MOD_IM2COL_W_128};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (has(d, refused[i]))
            sl_decode_refuse(d, ".%s", sl_ptx_mod_text(refused[i]));
    uint32_t dims = dims_of(d);
    bool im2col = has(d, SL_MOD_IM2COL) || has(d, SL_MOD_IM2COL_NO_OFFS);
    if (way == SL_BULK_WITHIN || (im2col && dims < 3))
        sl_decode_refuse(d, "its operands do not go together");
    bool rows = has(d, SL_MOD_TILE_GATHER4) || has(d, SL_MOD_TILE_SCATTER4);
    return SL_BULK_TENSOR | dims << SL_BULK_DIMS_SHIFT | (im2col ? SL_BULK_IM2COL : 0) | (rows ? SL_BULK_ROWS : 0) |
           (has(d, SL_MOD_CTA_GROUP_2) ? SL_BULK_PAIR : 0);
}

static void decode_bulk(sl_decoder *d)
{
    uint32_t way = sl_bulk_way(d->inst), refs[SL_BULK_REFS], next = 0, aux = way;
    bool tensor = has(d, SL_MOD_TENSOR);
    memset(refs, 0xff, sizeof refs);
    if (has(d, SL_MOD_REDUCE))
        aux |= tensor && sl_ptx_inst_type(d->inst, 0) == SL_T_NONE ? SL_BULK_REDUCES : reduction_of(d);
    if (tensor)
        aux |= tensor_flags(d, way);
    sl_ptx_space far = tensor ? SL_SPACE_NONE : SL_SPACE_GLOBAL; /* of a tensor: where its map is */
    if (way != SL_BULK_PREFETCH)
        refs[SL_BULK_TO] =
            sl_decode_address(d, sl_decode_operand(d, next++), way == SL_BULK_STORE ? far : SL_SPACE_SHARED);
    refs[SL_BULK_FROM] = sl_decode_address(d, sl_decode_operand(d, next++),
                                           way == SL_BULK_LOAD || way == SL_BULK_PREFETCH ? far : SL_SPACE_SHARED);
    if (tensor)
        decode_coordinates(d, sl_decode_operand(d, way == SL_BULK_LOAD ? 1 : 0),
                           aux & SL_BULK_ROWS ? 5 : aux >> SL_BULK_DIMS_SHIFT & 15, refs);
    else
        refs[SL_BULK_BYTES] = sl_decode_src(d, sl_decode_operand(d, next++), SL_T_U32);
    if (way == SL_BULK_LOAD || way == SL_BULK_WITHIN)
        refs[SL_BULK_BARRIER] = sl_decode_address(d, sl_decode_operand(d, next++), SL_SPACE_SHARED);
    if (aux & SL_BULK_IM2COL && (way == SL_BULK_LOAD || way == SL_BULK_PREFETCH)) {
        const sl_ptx_operand *offsets = sl_decode_operand(d, next++);
        uint32_t count = (aux >> SL_BULK_DIMS_SHIFT & 15) - 2;
        if (offsets->kind != SL_OPD_VECTOR || offsets->count != count)
            sl_decode_refuse(d, "%u offsets are expected", count);
        for (uint32_t i = 0; i < count; i++)
            refs[SL_BULK_OFFSET + i] = sl_decode_int_value(d, &offsets->items[i], SL_T_U16, 4);
    }
    if (has(d, SL_MOD_MULTICAST_CLUSTER))
        refs[SL_BULK_BLOCKS] = sl_decode_int_value(d, sl_decode_operand(d, next++), SL_T_U16, 4);
    next += has(d, SL_MOD_L2_CACHE_HINT);
    if (has(d, SL_MOD_CP_MASK))
        refs[SL_BULK_MASK] = sl_decode_int_value(d, sl_decode_operand(d, next++), SL_T_U16, 4);
    if (next != d->inst->operands)
        sl_decode_refuse(d, "%u operands where %u are expected", d->inst->operands, next);
    uint32_t list = sl_decode_list(d, refs, SL_BULK_REFS);
    sl_op *op = sl_emit(d, 0, 0, 0, 0, "bulk");
    op->list = list;
    op->aux = aux;
    op->slot = d->slot;
}

/* ---- tensor maps ---- */

static void decode_replace(sl_decoder *d)
{
    static const struct {
        sl_ptx_mod_id mod;
        uint8_t field, bytes;
        bool ordinal;
    } fields[] = {{SL_MOD_GLOBAL_ADDRESS, SL_TENSOR_FIELD_ADDRESS, 8, false},
                  {SL_MOD_RANK, SL_TENSOR_FIELD_RANK, 4, false},
                  {SL_MOD_BOX_DIM, SL_TENSOR_FIELD_BOX, 4, true},
                  {SL_MOD_GLOBAL_DIM, SL_TENSOR_FIELD_SIZE, 4, true},
                  {SL_MOD_GLOBAL_STRIDE, SL_TENSOR_FIELD_STRIDE, 8, true},
                  {SL_MOD_ELEMENT_STRIDE, SL_TENSOR_FIELD_ELEMENT_STRIDE, 4, true},
                  {SL_MOD_ELEMTYPE, SL_TENSOR_FIELD_TYPE, 4, false},
                  {SL_MOD_INTERLEAVE_LAYOUT, SL_TENSOR_FIELD_INTERLEAVE, 4, false},
                  {SL_MOD_SWIZZLE_MODE, SL_TENSOR_FIELD_SWIZZLE, 4, false},
                  {SL_MOD_SWIZZLE_ATOMICITY, SL_TENSOR_FIELD_ATOMICITY, 4, false},
                  {SL_MOD_FILL_MODE, SL_TENSOR_FIELD_FILL, 4, false}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!has(d, fields[i].mod))
            continue;
        uint64_t ordinal = fields[i].ordinal ? sl_decode_operand(d, 1)->bits : 0;
        const sl_ptx_operand *value = sl_decode_operand(d, fields[i].ordinal ? 2 : 1);
        if (ordinal >= SL_TENSOR_DIMS)
            sl_decode_refuse(d, "dimension %llu", (unsigned long long)ordinal);
        sl_memory_operand at = sl_decode_locate(d, sl_decode_operand(d, 0), sl_ptx_inst_space(d->inst));
        uint32_t wide = sl_decode_src(d, value, fields[i].bytes == 8 ? SL_T_U64 : SL_T_U32);
        if (fields[i].bytes == 4) {
            uint32_t narrow = wide;
            wide = sl_decode_temp(d, 8);
            sl_emit(d, wide, narrow, narrow, narrow, "ext_u32_u32_u64");
        }
        sl_op *op = sl_emit(d, 0, at.ref, wide, 0, "tensor_map_edit");
        sl_decode_fill(d, op, &at, 128, 1, 0);
        op->b = wide;
        op->slot = UINT32_MAX;
        op->aux |= (uint32_t)fields[i].field << 4 | (uint32_t)ordinal << 8;
        return;
    }
    sl_decode_refuse(d, "a field is missing");
}

/* A map is copied from shared to global memory, by a warp. */
static void decode_map_copy(sl_decoder *d)
{
    uint32_t refs[SL_BULK_REFS];
    memset(refs, 0xff, sizeof refs);
    refs[SL_BULK_TO] = sl_decode_address(d, sl_decode_operand(d, 0), SL_SPACE_GLOBAL);
    refs[SL_BULK_FROM] = sl_decode_address(d, sl_decode_operand(d, 1), SL_SPACE_SHARED);
    refs[SL_BULK_BYTES] = sl_decode_const(d, SL_TENSOR_MAP_BYTES, 4);
    uint32_t list = sl_decode_list(d, refs, SL_BULK_REFS);
    sl_op *op = sl_emit(d, 0, 0, 0, 0, "bulk");
    op->list = list;
    op->aux = SL_BULK_STORE;
}

static void decode_groups(sl_decoder *d)
{
    bool waits = has(d, SL_MOD_WAIT_GROUP);
    uint64_t left = waits ? sl_decode_operand(d, 0)->bits : 0;
    sl_decode_groups(d, SL_RACE_BULK_READS, waits ? SL_RACE_WAIT_GROUP : SL_RACE_COMMIT, left);
    if (!has(d, SL_MOD_READ))
        sl_decode_groups(d, SL_RACE_BULK_WRITES, waits ? SL_RACE_WAIT_GROUP : SL_RACE_COMMIT, left);
}

bool sl_decode_bulk(sl_decoder *d)
{
    const sl_ptx_inst *inst = d->inst;
    if (inst->op == SL_OP_TENSORMAP) {
        if (has(d, SL_MOD_REPLACE))
            decode_replace(d);
        else
            decode_map_copy(d);
        return true;
    }
    if (inst->op == SL_OP_ST && has(d, SL_MOD_BULK)) {
        uint32_t at = sl_decode_address(d, sl_decode_operand(d, 0), SL_SPACE_SHARED);
        uint32_t bytes = sl_decode_int_value(d, sl_decode_operand(d, 1), SL_T_U64, 8);
        const sl_ptx_operand *value = sl_decode_operand(d, 2);
        if (value->kind != SL_OPD_INT || value->bits)
            sl_decode_refuse(d, "only zero can be stored");
        sl_emit(d, 0, at, bytes, 0, "shared_fill");
        return true;
    }
    if (inst->op != SL_OP_CP || !has(d, SL_MOD_BULK))
        return false;
    if (has(d, SL_MOD_COMMIT_GROUP) || has(d, SL_MOD_WAIT_GROUP)) /* copies are done when they are issued */
        decode_groups(d);
    else
        decode_bulk(d);
    return true;
}
