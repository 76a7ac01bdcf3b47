/* SPDX-License-Identifier: MIT */
/* Textures and surfaces: what the decoder, the verifier, the handlers and texture.c share. */
#ifndef SL_EMU_TEXTURE_H
#define SL_EMU_TEXTURE_H

#include "emu/warp.h"

enum { /* sl_op.aux: dimensions in the low bits, and */
       SL_TEXTURE_DIMS = 3,
       SL_TEXTURE_LAYERED = 4,
       SL_TEXTURE_CUBE = 8,          /* three coordinates, a direction */
       SL_TEXTURE_FLOAT_COORDS = 16, /* else integers, which name texels */
       SL_TEXTURE_LEVEL = 32,        /* the level is given, */
       SL_TEXTURE_GRADIENTS = 64,    /* or follows from gradients */
       SL_TEXTURE_OFFSETS = 128,
       SL_TEXTURE_GATHER = 256,      /* one channel of four texels: */
       SL_TEXTURE_CHANNEL_SHIFT = 9, /* which one */
       /* of surfaces, what happens outside: */
       SL_SURFACE_ZERO = 16,
       SL_SURFACE_CLAMP = 32,    /* neither: a fault */
       SL_SURFACE_ELEMENTS = 64, /* x counts elements, not bytes */
};

/* Operands of a fetch in the op's list. Those that it does not have repeat a coordinate. */
enum sl_texture_operand {
    SL_TEXTURE_RESULTS = 4,  /* [0, 4): written */
    SL_TEXTURE_RESIDENT = 4, /* a predicate, or SL_REF_NONE: written */
    SL_TEXTURE_COORDS = 5,
    SL_TEXTURE_LAYER = 8,
    SL_TEXTURE_LOD = 9,
    SL_TEXTURE_DX = 10,
    SL_TEXTURE_DY = 13,
    SL_TEXTURE_OFFSET = 16,
    SL_TEXTURE_OPERANDS = 19,
};

/* Operands of an access to a surface in the op's list. */
enum sl_surface_operand {
    SL_SURFACE_INSIDE = 0, /* a predicate: whether there is anything to access */
    SL_SURFACE_COORDS = 1,
    SL_SURFACE_LAYER = 4,
    SL_SURFACE_OPERANDS = 5,
};

/* sl_op.aux of queries */
typedef enum sl_texture_query {
    SL_QUERY_WIDTH,
    SL_QUERY_HEIGHT,
    SL_QUERY_DEPTH,
    SL_QUERY_CHANNEL_DATA_TYPE,
    SL_QUERY_CHANNEL_ORDER,
    SL_QUERY_NORMALIZED_COORDS,
    SL_QUERY_ARRAY_SIZE,
    SL_QUERY_LEVELS,
    SL_QUERY_SAMPLES,
    SL_QUERY_MEMORY_LAYOUT,
    SL_QUERY_SURFACE = 16, /* the object is a surface */
} sl_texture_query;

enum { SL_CUBE_FACES = 6 };

static inline uint32_t sl_texture_element(const sl_texture *t)
{
    return (uint32_t)t->channels * t->channel_bits / 8u;
}

/* Bytes from the first to the last texel of a level. */
static inline uint64_t sl_texture_level_bytes(const sl_texture *t, const sl_texture_level *l)
{
    uint64_t slices = t->layers ? t->layers : l->size[2];
    return (slices - 1) * l->slice + (l->size[1] - 1) * l->pitch + l->size[0] * sl_texture_element(t);
}

/* What an H200 makes of a byte of sRGB, in 1/65536. */
extern const uint32_t sl_texture_srgb[256];

/* The object, or a fault. */
const sl_texture *sl_warp_texture(sl_warp *warp, const sl_op *op, int lane, uint64_t object, bool surface);

uint32_t sl_texture_answer(const sl_texture *texture, sl_texture_query query, uint32_t level);

/* Puts results of a fetch, four channels of `lanes` values, into the order that the texture gives them in. */
void sl_texture_swizzle(const sl_texture *texture, uint32_t lanes, uint32_t *texel);

/* Where `bytes` bytes of a surface are. False: outside, and nothing is accessed. */
bool sl_surface_locate(sl_warp *warp, const sl_op *op, int lane, const sl_texture *surface, const int32_t at[3],
                       int32_t layer, uint32_t bytes, uint64_t *addr);
/* Converts four 32-bit values to an element of the surface. Returns its bytes. */
uint32_t sl_surface_pack(const sl_texture *surface, const uint32_t value[4], uint8_t element[16]);

#endif
