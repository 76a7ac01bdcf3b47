/* SPDX-License-Identifier: MIT */
/* The texture handler: lanes one by one; the work is in texture.c. */
#include "emu/texture.h"

#include "emu/exec.h"

/* list: four results, three coordinates, the layer. */
SL_HANDLER(texture)
{
    const u32 *list = &w->code->list[o->list];
    const u64 *object = sl_operand(w, o->a);
    u64 addr[SL_LANES] = {0};
    u32 texel[SL_LANES][4];
    SL_EACH_ACTIVE(w, i)
    {
        u32 coord[3], layer = ((const u32 *)sl_operand(w, list[7]))[i];
        for (int k = 0; k < 3; k++)
            coord[k] = ((const u32 *)sl_operand(w, list[4 + k]))[i];
        addr[i] = sl_texture_fetch(w, o, i, object[i], coord, layer, texel[i]);
    }
    for (int k = 0; k < 4; k++) {
        u32 *d = sl_operand(w, list[k]);
        SL_EACH_ACTIVE(w, i) d[i] = texel[i][k];
    }
    sl_warp_record(w, o, w->mask, addr);
}
