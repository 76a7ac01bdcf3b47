/* SPDX-License-Identifier: MIT */
/* Texture fetches of single lanes; shared by the decoder, the handler and texture.c. */
#ifndef SL_EMU_TEXTURE_H
#define SL_EMU_TEXTURE_H

#include "emu/warp.h"

enum { /* sl_op.aux: dimensions in the low bits, and */
       SL_TEXTURE_DIMS = 3,
       SL_TEXTURE_LAYERED = 4,
       SL_TEXTURE_FLOAT_COORDS = 8,
       SL_TEXTURE_FLOAT_RESULT = 16,
};

/* One lane's fetch. `coord` holds floats or integers as bits (op->aux says which). Returns the address of the texel
 * with the lowest coordinates of the footprint: what a trace records. */
uint64_t sl_texture_fetch(sl_warp *warp, const sl_op *op, int lane, uint64_t object, const uint32_t coord[3],
                          uint32_t layer, uint32_t texel[4]);

#endif
