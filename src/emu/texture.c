/* SPDX-License-Identifier: MIT */
/* Texture and surface objects: a table of descriptions, looked up by handle; questions about them; where surfaces are
 * accessed. Fetches are in exec_texture.c. */
#include "emu/texture.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emu/half.h"

struct sl_textures {
    SL_ARRAY(sl_texture) items;
    SL_ARRAY(bool) live;
};

enum { FIRST_OBJECT = 1 };

sl_status sl_emu_texture_create(sl_emu *emu, const sl_texture *texture, uint64_t *object, sl_error *error)
{
    if (!emu->textures && !(emu->textures = calloc(1, sizeof *emu->textures)))
        return sl_fail_memory(error);
    struct sl_textures *t = emu->textures;
    if (texture->dims < 1 || texture->dims > 3)
        return sl_fail(error, SL_INVALID, "a texture of %u dimensions", texture->dims);
    if (!texture->levels || texture->levels > SL_TEX_LEVELS)
        return sl_fail(error, SL_INVALID, "a texture of %u levels", texture->levels);
    if (texture->cube && (texture->dims != 2 || texture->layers < SL_CUBE_FACES))
        return sl_fail(error, SL_INVALID, "a cube map of %u faces", texture->layers);
    for (uint32_t i = 0; i < texture->levels; i++) {
        const sl_texture_level *l = &texture->level[i];
        for (int k = 0; k < 3; k++)
            if (!l->size[k] || l->size[k] > INT32_MAX / 2)
                return sl_fail(error, SL_INVALID, "a texture of %llu texels in one dimension",
                               (unsigned long long)l->size[k]);
        if (l->pitch > UINT32_MAX || (texture->dims == 3 && l->slice > UINT32_MAX))
            return sl_fail(error, SL_INVALID, "a texture with slices of more than 4 GiB");
    }
    if (!sl_array_reserve(&t->live, 1) || !sl_array_push(&t->items, *texture) || !sl_array_push(&t->live, true))
        return sl_fail_memory(error);
    *object = FIRST_OBJECT + t->items.count - 1;
    return SL_OK;
}

const sl_texture *sl_emu_texture(const sl_emu *emu, uint64_t object)
{
    const struct sl_textures *t = emu->textures;
    uint64_t index = object - FIRST_OBJECT;
    return t && index < t->items.count && t->live.items[index] ? &t->items.items[index] : NULL;
}

sl_status sl_emu_texture_destroy(sl_emu *emu, uint64_t object, sl_error *error)
{
    if (!sl_emu_texture(emu, object))
        return sl_fail(error, SL_NOT_FOUND, "no texture object %llu", (unsigned long long)object);
    emu->textures->live.items[object - FIRST_OBJECT] = false;
    return SL_OK;
}

void sl_textures_destroy(struct sl_textures *textures)
{
    if (!textures)
        return;
    sl_array_free(&textures->items);
    sl_array_free(&textures->live);
    free(textures);
}

const sl_texture *sl_warp_texture(sl_warp *warp, const sl_op *op, int lane, uint64_t object, bool surface)
{
    const sl_texture *texture = sl_emu_texture(warp->worker->run->emu, object);
    if (!texture || texture->surface != surface)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS, "0x%llx is not a %s object",
                       (unsigned long long)object, surface ? "surface" : "texture");
    return texture;
}

/* ---- questions ---- */

/* As in OpenCL's headers, says the PTX manual. */
static uint32_t data_type(const sl_texture *t)
{
    static const uint32_t SNORM = 0x10d0, UNORM = 0x10d2, SIGNED = 0x10d7, UNSIGNED = 0x10da, HALF = 0x10dd,
                          FLOAT = 0x10de;
    uint32_t width = t->channel_bits == 8 ? 0 : t->channel_bits == 16 ? 1 : 2;
    if (t->channel_kind == 'f')
        return t->channel_bits == 16 ? HALF : FLOAT;
    if (t->normalized_float)
        return (t->channel_kind == 's' ? SNORM : UNORM) + width;
    return (t->channel_kind == 's' ? SIGNED : UNSIGNED) + width;
}

uint32_t sl_texture_answer(const sl_texture *t, sl_texture_query query, uint32_t level)
{
    const sl_texture_level *l = &t->level[level < t->levels ? level : t->levels - 1];
    switch (query) {
    case SL_QUERY_WIDTH:
        return (uint32_t)l->size[0];
    case SL_QUERY_HEIGHT:
        return t->dims > 1 ? (uint32_t)l->size[1] : 0;
    case SL_QUERY_DEPTH:
        return t->dims > 2 ? (uint32_t)l->size[2] : 0;
    case SL_QUERY_CHANNEL_DATA_TYPE:
        return data_type(t);
    case SL_QUERY_CHANNEL_ORDER:
        return t->channel_order ? t->channel_order : t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
    case SL_QUERY_NORMALIZED_COORDS:
        return t->normalized_coords;
    case SL_QUERY_ARRAY_SIZE:
        return t->cube ? t->layers / SL_CUBE_FACES : t->layers;
    case SL_QUERY_LEVELS:
        return t->levels;
    case SL_QUERY_SAMPLES:
        return 1;
    case SL_QUERY_MEMORY_LAYOUT:
    case SL_QUERY_SURFACE:
        break;
    }
    return 0;
}

void sl_texture_swizzle(const sl_texture *t, uint32_t lanes, uint32_t *texel)
{
    uint32_t raw[4 * SL_MAX_LANES], one = t->channel_kind == 'f' || t->normalized_float ? 0x3f800000 : 1;
    memcpy(raw, texel, 4 * lanes * sizeof *raw);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t from = t->swizzle[k], value = from == SL_SWIZZLE_ONE ? one : 0;
        if (from < 4)
            memcpy(texel + k * lanes, raw + from * lanes, lanes * sizeof *raw);
        for (uint32_t i = 0; i < lanes && from >= 4; i++)
            texel[k * lanes + i] = value;
    }
}

/* ---- surfaces ---- */

bool sl_surface_locate(sl_warp *warp, const sl_op *op, int lane, const sl_texture *s, const int32_t at[3],
                       int32_t layer, uint32_t bytes, uint64_t *addr)
{
    const sl_texture_level *l = &s->level[0];
    uint32_t dims = op->aux & SL_TEXTURE_DIMS, element = sl_texture_element(s);
    bool layered = op->aux & SL_TEXTURE_LAYERED;
    if (dims != s->dims || layered != (s->layers != 0))
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_INSTRUCTION,
                       "an access in %u dimensions%s to a surface of %u%s", dims, layered ? " and layers" : "", s->dims,
                       s->layers ? " and layers" : "");
    /* In bytes, rows, slices or layers. */
    int64_t position[3] = {op->aux & SL_SURFACE_ELEMENTS ? (int64_t)at[0] * element : at[0], dims > 1 ? at[1] : 0,
                           layered    ? layer
                           : dims > 2 ? at[2]
                                      : 0};
    const int64_t size[3] = {(int64_t)(l->size[0] * element), (int64_t)l->size[1],
                             layered ? (int64_t)s->layers : (int64_t)l->size[2]};
    for (int k = 0; k < 3; k++) {
        int64_t last = size[k] - (k ? 1 : bytes);
        if (position[k] >= 0 && position[k] <= last)
            continue;
        if (op->aux & SL_SURFACE_ZERO || last < 0)
            return false;
        if (!(op->aux & SL_SURFACE_CLAMP))
            sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS,
                           "%c is %lld, outside of a surface of %lld %s", "xyz"[k], (long long)position[k],
                           (long long)size[k],
                           k == 0    ? "bytes"
                           : k == 1  ? "rows"
                           : layered ? "layers"
                                     : "slices");
        position[k] = position[k] < 0 && !(k == 2 && layered) ? 0 : last; /* a negative layer is the last */
    }
    *addr = l->data + (uint64_t)position[2] * l->slice + (uint64_t)position[1] * l->pitch + (uint64_t)position[0];
    return true;
}

/* A float with the lower bits cut off. */
static uint32_t half_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    if ((bits & 0x7fffffff) >= 0x7f800000) /* those of NaN, too */
        return (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
    return sl_f64_to_f16(f, FE_TOWARDZERO);
}

/* A float as a fraction of the largest number; NaN is 0. */
static uint32_t fraction_of(const sl_texture *s, uint32_t bits)
{
    float x, least = s->channel_kind == 's' ? -1 : 0;
    uint32_t number_bits = s->channel_kind == 's' ? s->channel_bits - 1u : s->channel_bits;
    memcpy(&x, &bits, sizeof x);
    x = x == x ? x : 0;
    x = x > least ? x : least;
    x = x < 1 ? x : 1;
    return (uint32_t)(int64_t)rint((double)x * (double)((UINT64_C(1) << number_bits) - 1));
}

/* Which of the values becomes channel c. */
static uint32_t value_of_channel(const sl_texture *s, uint32_t c)
{
    for (uint32_t k = 0; s->swizzled && k < 4; k++)
        if (s->swizzle[k] == c)
            return k;
    return c;
}

uint32_t sl_surface_pack(const sl_texture *s, const uint32_t values[4], uint8_t element[16])
{
    uint32_t bytes = s->channel_bits / 8u, value[4];
    for (uint32_t c = 0; c < s->channels; c++)
        value[c] = values[value_of_channel(s, c)];
    for (uint32_t c = 0; c < s->channels; c++) {
        uint32_t packed = value[c];
        if (s->channel_kind != 'f' && s->normalized_float) {
            packed = fraction_of(s, value[c]);
        } else if (s->channel_kind == 'f' && s->channel_bits == 16) {
            packed = half_of(value[c]);
        } else if (s->channel_kind == 'u' && bytes < 4) {
            uint32_t most = (1u << s->channel_bits) - 1;
            packed = value[c] < most ? value[c] : most;
        } else if (s->channel_kind == 's' && bytes < 4) {
            int32_t most = (1 << (s->channel_bits - 1)) - 1, number = (int32_t)value[c];
            packed = (uint32_t)(number > most ? most : number < -most - 1 ? -most - 1 : number);
        }
        memcpy(element + c * bytes, &packed, bytes);
    }
    return s->channels * bytes;
}

const uint32_t sl_texture_srgb[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,   220,   240,   264,   288,   312,
    340,   368,   396,   428,   460,   492,   524,   560,   600,   636,   676,   720,   760,   804,   852,   896,
    944,   1000,  1048,  1104,  1160,  1216,  1272,  1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,
    1936,  2016,  2096,  2176,  2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,
    3360,  3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,  4992,  5120,
    5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,  6848,  7008,  7168,  7328,  7488,
    7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,  9088,  9280,  9472,  9664,  9856,  10048, 10240, 10432,
    10624, 10816, 11008, 11264, 11456, 11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888,
    14144, 14400, 14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664, 18048,
    18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504, 21760, 22144, 22400, 22784,
    23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600, 25984, 26368, 26752, 27008, 27392, 27776, 28032,
    28416, 28800, 29184, 29568, 29952, 30336, 30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048,
    34560, 35072, 35328, 35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848, 47360, 47872, 48384,
    48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504, 54016, 54528, 55040, 55552, 56064, 56576,
    57088, 57600, 58112, 58624, 59392, 59904, 60416, 60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536,
};
