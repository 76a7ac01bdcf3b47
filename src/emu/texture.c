/* SPDX-License-Identifier: MIT */
/* Texture and surface objects: a table of descriptions, looked up by handle; and fetches as the CUDA programming guide
 * describes them: address modes, normalised coordinates, levels, point and linear filtering with weights of 8
 * fractional bits. */
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

enum { FIRST_OBJECT = 1, FACES = 6 };

sl_status sl_emu_texture_create(sl_emu *emu, const sl_texture *texture, uint64_t *object, sl_error *error)
{
    if (!emu->textures && !(emu->textures = calloc(1, sizeof *emu->textures)))
        return sl_fail_memory(error);
    struct sl_textures *t = emu->textures;
    if (texture->dims < 1 || texture->dims > 3)
        return sl_fail(error, SL_INVALID, "a texture of %u dimensions", texture->dims);
    if (!texture->levels || texture->levels > SL_TEX_LEVELS)
        return sl_fail(error, SL_INVALID, "a texture of %u levels", texture->levels);
    if (texture->cube && (texture->dims != 2 || texture->layers < FACES))
        return sl_fail(error, SL_INVALID, "a cube map of %u faces", texture->layers);
    for (uint32_t i = 0; i < texture->levels; i++)
        if (!texture->level[i].size[0] || !texture->level[i].size[1] || !texture->level[i].size[2])
            return sl_fail(error, SL_INVALID, "a texture without texels");
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

/* ---- texels ---- */

/* What one lane fetches from: a level of a texture, and in it a layer or face. */
typedef struct view {
    sl_warp *warp;
    const sl_op *op;
    int lane;
    const sl_texture *t;
    const sl_texture_level *level;
    uint64_t layer;
} view;

static uint32_t element_bytes(const sl_texture *t)
{
    return (uint32_t)t->channels * t->channel_bits / 8u;
}

/* Index of a texel along one dimension after the address mode; -1: outside, the border is read. */
static int64_t wrapped(const view *v, uint32_t dim, int64_t index)
{
    int64_t size = (int64_t)v->level->size[dim];
    switch ((sl_tex_address)v->t->address[dim]) {
    case SL_TEX_WRAP:
        index %= size;
        return index < 0 ? index + size : index;
    case SL_TEX_MIRROR:
        index %= 2 * size;
        index = index < 0 ? index + 2 * size : index;
        return index < size ? index : 2 * size - 1 - index;
    case SL_TEX_BORDER:
        return index < 0 || index >= size ? -1 : index;
    case SL_TEX_CLAMP:
        break;
    }
    return index < 0 ? 0 : index >= size ? size - 1 : index;
}

static uint64_t texel_address(const view *v, const int64_t index[3])
{
    uint64_t slice = v->t->dims == 3 ? (uint64_t)index[2] : v->layer;
    return v->level->data + slice * v->level->slice + (uint64_t)index[1] * v->level->pitch +
           (uint64_t)index[0] * element_bytes(v->t);
}

/* The channels of one texel as they lie in memory, widened to 32 bits; absent ones are 0, 0, 0, 1. */
static void read_raw(const view *v, const int64_t index[3], uint32_t raw[4])
{
    const sl_texture *t = v->t;
    uint32_t bytes = t->channel_bits / 8u, all = element_bytes(t);
    const uint8_t *texel =
        sl_memory_resolve_aligned(v->warp, v->op, v->lane, texel_address(v, index), all, bytes, false);
    for (uint32_t c = 0; c < 4; c++) {
        uint32_t value = 0;
        if (c < t->channels) {
            memcpy(&value, texel + c * bytes, bytes);
            if (t->channel_kind == 's' && bytes < 4)
                value = (uint32_t)((int32_t)(value << (32 - 8 * bytes)) >> (32 - 8 * bytes));
        } else if (c == 3) {
            value = 1;
        }
        raw[c] = value;
    }
}

/* Whether texels become floats on the way; else they come as they are. */
static bool is_float(const sl_texture *t)
{
    return t->channel_kind == 'f' || t->normalized_float;
}

static float from_srgb(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static float as_float(const sl_texture *t, uint32_t channel, uint32_t raw)
{
    float value;
    if (channel >= t->channels)
        return channel == 3 ? 1.0f : 0.0f;
    if (t->channel_kind == 'f') {
        if (t->channel_bits == 16)
            return sl_f16_to_f32((uint16_t)raw);
        memcpy(&value, &raw, sizeof value);
        return value;
    }
    if (t->channel_kind == 'u') {
        value = (float)raw / (float)((1u << t->channel_bits) - 1);
        return t->srgb && channel < 3 ? from_srgb(value) : value;
    }
    value = (float)(int32_t)raw / (float)((1u << (t->channel_bits - 1)) - 1);
    return value < -1 ? -1 : value;
}

/* A texel as floats, with the border colour outside. */
static void read_floats(const view *v, const int64_t index[3], float value[4])
{
    for (uint32_t k = 0; k < v->t->dims; k++)
        if (index[k] < 0) {
            memcpy(value, v->t->border, 4 * sizeof *value);
            return;
        }
    uint32_t raw[4];
    read_raw(v, index, raw);
    for (uint32_t c = 0; c < 4; c++)
        value[c] = as_float(v->t, c, raw[c]);
}

/* A texel as its texture gives it, with the border colour outside. */
static void read_texel(const view *v, const int64_t index[3], uint32_t texel[4])
{
    if (is_float(v->t)) {
        float value[4];
        read_floats(v, index, value);
        memcpy(texel, value, sizeof value);
        return;
    }
    for (uint32_t k = 0; k < v->t->dims; k++)
        if (index[k] < 0) {
            for (uint32_t c = 0; c < 4; c++)
                texel[c] = (uint32_t)(int32_t)v->t->border[c];
            return;
        }
    read_raw(v, index, texel);
}

/* ---- coordinates ---- */

/* Beyond this many texels a coordinate is as good as infinite. */
#define FAR 1e9

/* A coordinate in texels as fixed point with 8 fractional bits. NaN is 0. */
static int64_t fixed_point(double at)
{
    if (!(at > -FAR))
        return at <= -FAR ? (int64_t)-FAR * 256 : 0;
    return at < FAR ? (int64_t)floor(at * 256 + 0.5) : (int64_t)FAR * 256;
}

static int64_t texel_index(double at)
{
    if (!(at > -FAR))
        return at <= -FAR ? (int64_t)-FAR : 0;
    return at < FAR ? (int64_t)floor(at) : (int64_t)FAR;
}

/* Coordinates in texels of a level. */
static void scale(const view *v, const float coord[3], const int32_t offset[3], double at[3])
{
    for (uint32_t k = 0; k < v->t->dims; k++) {
        at[k] = v->t->normalized_coords || v->t->cube ? (double)coord[k] * (double)v->level->size[k] : coord[k];
        at[k] += offset[k];
    }
}

/* ---- filtering ---- */

/* The 2, 4 or 8 texels around a point: coordinates of the lowest, and weights of the upper ones in 1/256. */
typedef struct footprint {
    int64_t base[3], weight[3];
} footprint;

static footprint footprint_of(const view *v, const double at[3])
{
    footprint f = {0};
    for (uint32_t k = 0; k < v->t->dims; k++) {
        int64_t fixed = fixed_point(at[k] - 0.5);
        f.base[k] = fixed >> 8;
        f.weight[k] = fixed & 255;
    }
    return f;
}

static uint64_t corner(const view *v, const footprint *f, uint32_t which, int64_t index[3])
{
    int64_t known[3] = {0, 0, 0};
    for (uint32_t k = 0; k < v->t->dims; k++) {
        index[k] = wrapped(v, k, f->base[k] + (which >> k & 1));
        known[k] = index[k] < 0 ? 0 : index[k];
    }
    return texel_address(v, known);
}

/* Weighted mean of the texels around the point. */
static uint64_t mix_texels(const view *v, const double at[3], float mean[4])
{
    footprint f = footprint_of(v, at);
    double sum[4] = {0};
    uint64_t first = 0;
    for (uint32_t which = 0; which < 1u << v->t->dims; which++) {
        int64_t index[3] = {0, 0, 0};
        double share = 1;
        for (uint32_t k = 0; k < v->t->dims; k++)
            share *= (double)(which >> k & 1 ? f.weight[k] : 256 - f.weight[k]) / 256;
        float value[4];
        uint64_t address = corner(v, &f, which, index);
        read_floats(v, index, value);
        for (uint32_t c = 0; c < 4; c++)
            sum[c] += share * value[c];
        first = which ? first : address;
    }
    for (uint32_t c = 0; c < 4; c++)
        mean[c] = (float)sum[c];
    return first;
}

static uint64_t nearest_texel(const view *v, const double at[3], uint32_t texel[4])
{
    int64_t index[3] = {0, 0, 0}, known[3] = {0, 0, 0};
    for (uint32_t k = 0; k < v->t->dims; k++) {
        index[k] = wrapped(v, k, texel_index(at[k]));
        known[k] = index[k] < 0 ? 0 : index[k];
    }
    read_texel(v, index, texel);
    return texel_address(v, known);
}

static uint64_t sample(const view *v, const sl_fetch *f, const float coord[3], uint32_t texel[4])
{
    double at[3] = {0, 0, 0};
    scale(v, coord, f->offset, at);
    if (!v->t->linear_filter || !is_float(v->t))
        return nearest_texel(v, at, texel);
    float mean[4];
    uint64_t first = mix_texels(v, at, mean);
    memcpy(texel, mean, sizeof mean);
    return first;
}

/* One channel of the four texels that a linear filter would mix: counter-clockwise from the lower left. */
static uint64_t gather(const view *v, const sl_fetch *f, const float coord[3], uint32_t texel[4])
{
    static const uint32_t ORDER[4] = {2, 3, 1, 0};
    double at[3] = {0, 0, 0};
    scale(v, coord, f->offset, at);
    footprint print = footprint_of(v, at);
    uint32_t channel = v->op->aux >> SL_TEXTURE_CHANNEL_SHIFT & 3;
    uint64_t first = 0;
    for (uint32_t i = 0; i < 4; i++) {
        int64_t index[3] = {0, 0, 0};
        uint32_t whole[4];
        uint64_t address = corner(v, &print, ORDER[i], index);
        read_texel(v, index, whole);
        texel[i] = whole[channel];
        first = ORDER[i] ? first : address;
    }
    return first;
}

/* Integer coordinates name a texel; outside of the texture they read zero. */
static uint64_t fetch_index(const view *v, const sl_fetch *f, uint32_t texel[4])
{
    int64_t index[3] = {0, 0, 0};
    for (uint32_t k = 0; k < v->t->dims; k++) {
        index[k] = (int64_t)(int32_t)f->coord[k] + f->offset[k];
        if (index[k] < 0 || (uint64_t)index[k] >= v->level->size[k]) {
            memset(texel, 0, 4 * sizeof *texel);
            return v->level->data;
        }
    }
    read_texel(v, index, texel);
    return texel_address(v, index);
}

/* ---- cube maps ---- */

/* The face that a direction hits, and where on it: in [0, 1]. */
static uint32_t cube_face(const float direction[3], float on_face[3])
{
    float x = direction[0], y = direction[1], z = direction[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z), s, t, m;
    uint32_t face;
    if (ax >= ay && ax >= az) {
        face = x < 0;
        m = ax;
        s = x < 0 ? z : -z;
        t = -y;
    } else if (ay >= az) {
        face = 2 + (y < 0);
        m = ay;
        s = x;
        t = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0);
        m = az;
        s = z < 0 ? -x : x;
        t = -y;
    }
    on_face[0] = (s / m + 1) / 2;
    on_face[1] = (t / m + 1) / 2;
    on_face[2] = 0;
    return face;
}

/* ---- levels ---- */

/* The level of detail that the gradients ask for. */
static float level_of_gradients(const sl_texture *t, const sl_fetch *f)
{
    double longest = 0;
    for (int axis = 0; axis < 2; axis++) {
        double square = 0;
        for (uint32_t k = 0; k < t->dims; k++) {
            double d = (double)f->gradient[axis][k] * (t->normalized_coords ? (double)t->level[0].size[k] : 1.0);
            square += d * d;
        }
        longest = square > longest ? square : longest;
    }
    return longest > 0 ? (float)(0.5 * log2(longest)) : -128.0f;
}

static uint32_t clamped_level(const sl_texture *t, int64_t level)
{
    return level < 0 ? 0 : level >= (int64_t)t->levels ? t->levels - 1 : (uint32_t)level;
}

/* Levels to read and the weight of the second in 1/256; 0: only the first. */
static uint32_t choose_levels(const sl_texture *t, const sl_op *op, const sl_fetch *f, uint32_t level[2])
{
    float wanted = op->aux & SL_TEXTURE_LEVEL       ? f->level
                   : op->aux & SL_TEXTURE_GRADIENTS ? level_of_gradients(t, f)
                                                    : 0;
    wanted += t->level_bias;
    wanted = wanted > t->min_level ? wanted : t->min_level; /* NaN is the lowest */
    wanted = wanted < t->max_level ? wanted : t->max_level;
    if (!t->linear_levels) {
        level[0] = level[1] = clamped_level(t, texel_index((double)wanted + 0.5));
        return 0;
    }
    int64_t fixed = fixed_point(wanted);
    level[0] = clamped_level(t, fixed >> 8);
    level[1] = clamped_level(t, (fixed >> 8) + 1);
    return fixed < 0 || level[0] == level[1] ? 0 : (uint32_t)(fixed & 255);
}

uint64_t sl_texture_fetch(sl_warp *warp, const sl_op *op, int lane, const sl_texture *t, const sl_fetch *f,
                          uint32_t texel[4])
{
    view v = {warp, op, lane, t, &t->level[0], 0};
    uint32_t dims = op->aux & SL_TEXTURE_DIMS;
    bool cube = op->aux & SL_TEXTURE_CUBE, layered = op->aux & SL_TEXTURE_LAYERED;
    if (dims != t->dims || cube != t->cube)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_INSTRUCTION, "a fetch in %u%s dimensions from %s of %u",
                       dims, cube ? " cube" : "", t->cube ? "a cube map" : "a texture", t->dims);
    if (layered && t->layers) {
        int64_t layers = cube ? t->layers / FACES : t->layers, layer = (int32_t)f->layer;
        v.layer = (uint64_t)(layer < 0 ? 0 : layer >= layers ? layers - 1 : layer);
    }
    if (!(op->aux & SL_TEXTURE_FLOAT_COORDS))
        return fetch_index(&v, f, texel);
    float coord[3];
    memcpy(coord, f->coord, sizeof coord);
    if (cube) {
        float direction[3];
        memcpy(direction, coord, sizeof direction);
        v.layer = v.layer * FACES + cube_face(direction, coord);
    }
    if (op->aux & SL_TEXTURE_GATHER)
        return gather(&v, f, coord, texel);
    if (t->levels == 1)
        return sample(&v, f, coord, texel);
    uint32_t level[2], weight = choose_levels(t, op, f, level);
    v.level = &t->level[level[0]];
    uint64_t first = sample(&v, f, coord, texel);
    if (weight && is_float(t)) {
        uint32_t other[4];
        float low[4], high[4];
        v.level = &t->level[level[1]];
        sample(&v, f, coord, other);
        memcpy(low, texel, sizeof low);
        memcpy(high, other, sizeof high);
        for (int c = 0; c < 4; c++)
            low[c] = (float)(((double)low[c] * (256 - weight) + (double)high[c] * weight) / 256);
        memcpy(texel, low, sizeof low);
    }
    return first;
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
        return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
    case SL_QUERY_NORMALIZED_COORDS:
        return t->normalized_coords;
    case SL_QUERY_ARRAY_SIZE:
        return t->cube ? t->layers / FACES : t->layers;
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

/* ---- surfaces ---- */

bool sl_surface_locate(sl_warp *warp, const sl_op *op, int lane, const sl_texture *s, const int32_t at[3],
                       int32_t layer, uint32_t bytes, uint64_t *addr)
{
    const sl_texture_level *l = &s->level[0];
    uint32_t dims = op->aux & SL_TEXTURE_DIMS, element = element_bytes(s);
    bool layered = op->aux & SL_TEXTURE_LAYERED;
    if (dims != s->dims || layered != (s->layers != 0))
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_INSTRUCTION,
                       "an access in %u dimensions%s to a surface of %u%s", dims, layered ? " and layers" : "", s->dims,
                       s->layers ? " and layers" : "");
    /* In bytes, rows, slices or layers. */
    int64_t place[3] = {op->aux & SL_SURFACE_ELEMENTS ? (int64_t)at[0] * element : at[0], dims > 1 ? at[1] : 0,
                        layered    ? layer
                        : dims > 2 ? at[2]
                                   : 0};
    const int64_t size[3] = {(int64_t)(l->size[0] * element), (int64_t)l->size[1],
                             layered ? (int64_t)s->layers : (int64_t)l->size[2]};
    for (int k = 0; k < 3; k++) {
        int64_t last = size[k] - (k ? 1 : bytes);
        if (place[k] >= 0 && place[k] <= last)
            continue;
        if (op->aux & SL_SURFACE_ZERO || last < 0)
            return false;
        if (!(op->aux & SL_SURFACE_CLAMP))
            sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS,
                           "%c is %lld, outside of a surface of %lld %s", "xyz"[k], (long long)place[k],
                           (long long)size[k],
                           k == 0    ? "bytes"
                           : k == 1  ? "rows"
                           : layered ? "layers"
                                     : "slices");
        place[k] = place[k] < 0 ? 0 : last;
    }
    *addr = l->data + (uint64_t)place[2] * l->slice + (uint64_t)place[1] * l->pitch + (uint64_t)place[0];
    return true;
}

uint32_t sl_surface_pack(const sl_texture *s, const uint32_t value[4], uint8_t element[16])
{
    uint32_t bytes = s->channel_bits / 8u;
    for (uint32_t c = 0; c < s->channels; c++) {
        uint32_t packed = value[c];
        if (s->channel_kind == 'f' && s->channel_bits == 16) {
            float f;
            memcpy(&f, &value[c], sizeof f);
            packed = sl_f64_to_f16(f, FE_TONEAREST);
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
