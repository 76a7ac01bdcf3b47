/* SPDX-License-Identifier: MIT */
/* The handlers of textures and surfaces: lanes one by one; the work is in texture.c. */
#include "emu/texture.h"

#include "emu/exec_access.h"

static inline u32 lane_u32(const sl_warp *w, u32 ref, int i)
{
    return ((const u32 *)sl_operand(w, ref))[i];
}

static inline f32 lane_f32(const sl_warp *w, u32 ref, int i)
{
    return ((const f32 *)sl_operand(w, ref))[i];
}

static inline void read_fetch(const sl_warp *w, const sl_op *o, const u32 *list, int i, sl_fetch *f)
{
    for (int k = 0; k < 3; k++)
        f->coord[k] = lane_u32(w, list[SL_TEXTURE_COORDS + k], i);
    f->layer = lane_u32(w, list[SL_TEXTURE_LAYER], i);
    if (o->aux & SL_TEXTURE_LEVEL)
        f->level = lane_f32(w, list[SL_TEXTURE_LOD], i);
    for (int k = 0; k < 3 && o->aux & SL_TEXTURE_GRADIENTS; k++) {
        f->gradient[0][k] = lane_f32(w, list[SL_TEXTURE_DX + k], i);
        f->gradient[1][k] = lane_f32(w, list[SL_TEXTURE_DY + k], i);
    }
    for (int k = 0; k < 3 && o->aux & SL_TEXTURE_OFFSETS; k++)
        f->offset[k] = (s32)lane_u32(w, list[SL_TEXTURE_OFFSET + k], i);
}

SL_HANDLER(texture)
{
    const u32 *list = &w->code->list[o->list];
    const u64 *object = sl_operand(w, o->a);
    u64 addr[SL_LANES] = {0};
    u32 texel[SL_LANES][4];
    u64 known = 0;
    const sl_texture *texture = NULL;
    SL_EACH_ACTIVE(w, i)
    {
        sl_fetch fetch = {0};
        read_fetch(w, o, list, i, &fetch);
        if (!texture || object[i] != known)
            texture = sl_warp_texture(w, o, i, known = object[i], false);
        addr[i] = sl_texture_fetch(w, o, i, texture, &fetch, texel[i]);
    }
    for (int k = 0; k < SL_TEXTURE_RESULTS; k++) {
        u32 *d = sl_operand(w, list[k]);
        SL_EACH_ACTIVE(w, i) d[i] = texel[i][k];
    }
    if (list[SL_TEXTURE_RESIDENT] != SL_REF_NONE) {
        pr *resident = sl_operand(w, list[SL_TEXTURE_RESIDENT]);
        SL_WRITE_LANES(w, resident, ~(pr)0);
    }
    if (w->stream && o->slot != UINT32_MAX)
        sl_warp_stream_access(w->stream, o->slot, w->mask, addr);
}

SL_HANDLER(texture_query)
{
    u32 *d = sl_operand(w, o->d);
    const u64 *object = sl_operand(w, o->a);
    const u32 *level = sl_operand(w, o->b);
    bool surface = o->aux & SL_QUERY_SURFACE;
    SL_EACH_ACTIVE(w, i)
    d[i] = sl_texture_answer(sl_warp_texture(w, o, i, object[i], surface),
                             (sl_texture_query)(o->aux & ~(u32)SL_QUERY_SURFACE), level[i]);
}

/* Where each lane accesses the surface, and whether it does; loads, stores and reductions do the rest. */
SL_HANDLER(surface_address)
{
    const u32 *list = &w->code->list[o->list];
    u64 *d = sl_operand(w, o->d);
    const u64 *object = sl_operand(w, o->a);
    pr *inside = sl_operand(w, list[SL_SURFACE_INSIDE]);
    SL_EACH_ACTIVE(w, i)
    {
        s32 at[3], layer = (s32)lane_u32(w, list[SL_SURFACE_LAYER], i);
        for (int k = 0; k < 3; k++)
            at[k] = (s32)lane_u32(w, list[SL_SURFACE_COORDS + k], i);
        const sl_texture *surface = sl_warp_texture(w, o, i, object[i], true);
        u64 addr = 0;
        inside[i] = -(pr)sl_surface_locate(w, o, i, surface, at, layer, (u32)o->size * o->count, &addr);
        d[i] = addr;
    }
}

/* sust.p: up to four values, converted to the surface's format. */
SL_HANDLER(surface_pack)
{
    const u32 *list = &w->code->list[o->list];
    u64 addr[SL_LANES] = {0}, stored = 0;
    const u64 *object = sl_operand(w, o->a);
    SL_EACH_ACTIVE(w, i)
    {
        s32 at[3], layer = (s32)lane_u32(w, list[SL_SURFACE_LAYER], i);
        u32 value[4] = {0};
        u8 element[16];
        for (int k = 0; k < 3; k++)
            at[k] = (s32)lane_u32(w, list[SL_SURFACE_COORDS + k], i);
        for (u32 k = 0; k < o->count; k++)
            value[k] = lane_u32(w, list[SL_SURFACE_OPERANDS + k], i);
        const sl_texture *surface = sl_warp_texture(w, o, i, object[i], true);
        u32 bytes = sl_surface_pack(surface, value, element);
        if (!sl_surface_locate(w, o, i, surface, at, layer, bytes, &addr[i]))
            continue;
        memcpy(sl_memory_resolve_aligned(w, o, i, addr[i], bytes, 1, true), element, bytes);
        if (w->worker->run->emu->config.check_uninit)
            sl_memory_mark_written(w, o, i, addr[i], bytes);
        stored |= (u64)1 << i;
    }
    if (w->stream && o->slot != UINT32_MAX)
        sl_warp_stream_access(w->stream, o->slot, stored, addr);
}
