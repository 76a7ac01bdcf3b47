/* SPDX-License-Identifier: MIT */
/* Texture objects: a table of descriptions, looked up by handle; and fetches as the CUDA programming guide describes
 * them: address modes, normalised coordinates, point and linear filtering with weights of 8 fractional bits. */
#include "emu/texture.h"

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
    if (texture->dims < 1 || texture->dims > 3 || !texture->size[0])
        return sl_fail(error, SL_INVALID, "a texture of %u dimensions", texture->dims);
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

const sl_texture *sl_warp_texture(sl_warp *warp, const sl_op *op, int lane, uint64_t object)
{
    const sl_texture *texture = sl_emu_texture(warp->worker->run->emu, object);
    if (!texture)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS, "0x%llx is not a texture object",
                       (unsigned long long)object);
    return texture;
}

/* ---- fetching ---- */

/* Index of a texel along one dimension after the address mode; -1: outside, the border is read. */
static int64_t wrapped(const sl_texture *t, int dim, double index)
{
    double size = (double)t->size[dim];
    switch ((sl_tex_address)t->address[dim]) {
    case SL_TEX_WRAP:
        if (t->normalized_coords)
            return (int64_t)(index - floor(index / size) * size);
        break;
    case SL_TEX_MIRROR:
        if (t->normalized_coords) {
            double period = floor(index / size), inside = index - period * size;
            return (int64_t)(fmod(fabs(period), 2) == 1 ? size - 1 - inside : inside);
        }
        break;
    case SL_TEX_BORDER:
        return index < 0 || index >= size ? -1 : (int64_t)index;
    case SL_TEX_CLAMP:
        break;
    }
    return !(index > 0) ? 0 : index >= size ? (int64_t)size - 1 : (int64_t)index; /* NaN is 0 */
}

static uint64_t texel_address(const sl_texture *t, const int64_t index[3], uint32_t layer)
{
    uint64_t texel = (uint64_t)t->channels * t->channel_bits / 8;
    uint64_t slice = t->dims == 3 ? (uint64_t)index[2] : layer;
    return t->data + slice * t->slice + (t->dims > 1 ? (uint64_t)index[1] * t->pitch : 0) + (uint64_t)index[0] * texel;
}

static float as_float(const sl_texture *t, uint32_t raw)
{
    float value;
    if (t->channel_kind == 'f') {
        if (t->channel_bits == 16)
            return sl_f16_to_f32((uint16_t)raw);
        memcpy(&value, &raw, sizeof value);
        return value;
    }
    if (!t->normalized_float)
        return t->channel_kind == 's' ? (float)(int32_t)raw : (float)raw;
    if (t->channel_kind == 'u')
        return (float)raw / (float)((1u << t->channel_bits) - 1);
    value = (float)(int32_t)raw / (float)((1u << (t->channel_bits - 1)) - 1);
    return value < -1 ? -1 : value;
}

/* The channels of one texel as they lie in memory, widened to 32 bits; absent ones are 0, 0, 0, 1. */
static void read_texel(sl_warp *warp, const sl_op *op, int lane, const sl_texture *t, const int64_t index[3],
                       uint32_t layer, uint32_t raw[4])
{
    uint32_t bytes = t->channel_bits / 8u;
    uint64_t addr = texel_address(t, index, layer);
    for (uint32_t c = 0; c < t->channels; c++) {
        uint32_t value = 0;
        memcpy(&value, sl_memory_resolve(warp, op, lane, addr + (uint64_t)c * bytes, bytes, false), bytes);
        if (t->channel_kind == 's' && bytes < 4)
            value = (uint32_t)((int32_t)(value << (32 - 8 * bytes)) >> (32 - 8 * bytes));
        raw[c] = value;
    }
}

/* A texel as floats, with the border colour outside. */
static void read_floats(sl_warp *warp, const sl_op *op, int lane, const sl_texture *t, const int64_t index[3],
                        uint32_t layer, float value[4])
{
    bool outside = false;
    for (uint32_t k = 0; k < t->dims; k++)
        outside |= index[k] < 0;
    if (outside) {
        memcpy(value, t->border, 4 * sizeof *value);
        return;
    }
    uint32_t raw[4] = {0};
    read_texel(warp, op, lane, t, index, layer, raw);
    for (uint32_t c = 0; c < 4; c++)
        value[c] = c < t->channels ? as_float(t, raw[c]) : c == 3 ? 1.0f : 0.0f;
}

static void store_floats(const float value[4], uint32_t texel[4])
{
    memcpy(texel, value, 4 * sizeof *texel);
}

static uint64_t fetch_point(sl_warp *warp, const sl_op *op, int lane, const sl_texture *t, const double at[3],
                            uint32_t layer, uint32_t texel[4])
{
    int64_t index[3] = {0, 0, 0};
    bool outside = false, is_float = op->aux & SL_TEXTURE_FLOAT_RESULT;
    for (uint32_t k = 0; k < t->dims; k++) {
        index[k] = wrapped(t, (int)k, floor(at[k]));
        outside |= index[k] < 0;
    }
    if (is_float) {
        float value[4];
        read_floats(warp, op, lane, t, index, layer, value);
        store_floats(value, texel);
    } else {
        for (uint32_t c = 0; c < 4; c++)
            texel[c] = outside ? (uint32_t)(int32_t)t->border[c] : c == 3;
        if (!outside)
            read_texel(warp, op, lane, t, index, layer, texel);
    }
    for (uint32_t k = 0; k < t->dims; k++)
        index[k] = index[k] < 0 ? 0 : index[k];
    return texel_address(t, index, layer);
}

/* Weighted mean of the 2, 4 or 8 texels around the point. */
static uint64_t fetch_linear(sl_warp *warp, const sl_op *op, int lane, const sl_texture *t, const double at[3],
                             uint32_t layer, uint32_t texel[4])
{
    double base[3], weight[3];
    for (uint32_t k = 0; k < t->dims; k++) {
        double fixed = floor((at[k] - 0.5) * 256 + 0.5) / 256; /* 8 fractional bits */
        base[k] = floor(fixed);
        weight[k] = fixed - base[k];
    }
    double sum[4] = {0};
    uint64_t first = 0;
    for (uint32_t corner = 0; corner < 1u << t->dims; corner++) {
        int64_t index[3] = {0, 0, 0}, known[3] = {0, 0, 0};
        double share = 1;
        for (uint32_t k = 0; k < t->dims; k++) {
            bool upper = corner >> k & 1;
            index[k] = wrapped(t, (int)k, base[k] + upper);
            known[k] = index[k] < 0 ? 0 : index[k];
            share *= upper ? weight[k] : 1 - weight[k];
        }
        float value[4];
        read_floats(warp, op, lane, t, index, layer, value);
        for (uint32_t c = 0; c < 4; c++)
            sum[c] += share * value[c];
        if (corner == 0)
            first = texel_address(t, known, layer);
    }
    float mean[4];
    for (uint32_t c = 0; c < 4; c++)
        mean[c] = (float)sum[c];
    store_floats(mean, texel);
    return first;
}

/* Integer coordinates name a texel; outside of the texture they read zero. */
static uint64_t fetch_index(sl_warp *warp, const sl_op *op, int lane, const sl_texture *t, const uint32_t coord[3],
                            uint32_t layer, uint32_t texel[4])
{
    int64_t index[3] = {0, 0, 0};
    for (uint32_t k = 0; k < t->dims; k++) {
        index[k] = (int32_t)coord[k];
        if (index[k] < 0 || (uint64_t)index[k] >= t->size[k]) {
            memset(texel, 0, 4 * sizeof *texel);
            return t->data;
        }
    }
    if (op->aux & SL_TEXTURE_FLOAT_RESULT) {
        float value[4];
        read_floats(warp, op, lane, t, index, layer, value);
        store_floats(value, texel);
    } else {
        for (uint32_t c = 0; c < 4; c++)
            texel[c] = c == 3;
        read_texel(warp, op, lane, t, index, layer, texel);
    }
    return texel_address(t, index, layer);
}

uint64_t sl_texture_fetch(sl_warp *warp, const sl_op *op, int lane, uint64_t object, const uint32_t coord[3],
                          uint32_t layer, uint32_t texel[4])
{
    const sl_texture *t = sl_warp_texture(warp, op, lane, object);
    uint32_t dims = op->aux & SL_TEXTURE_DIMS;
    if (dims != t->dims)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_INSTRUCTION,
                       "a fetch in %u dimensions from a texture of %u", dims, t->dims);
    if (!(op->aux & SL_TEXTURE_LAYERED))
        layer = 0;
    if (!(op->aux & SL_TEXTURE_FLOAT_COORDS))
        return fetch_index(warp, op, lane, t, coord, layer, texel);
    double at[3] = {0, 0, 0};
    for (uint32_t k = 0; k < dims; k++) {
        float x;
        memcpy(&x, &coord[k], sizeof x);
        at[k] = t->normalized_coords ? (double)x * (double)t->size[k] : x;
    }
    bool linear = t->linear_filter && op->aux & SL_TEXTURE_FLOAT_RESULT;
    return linear ? fetch_linear(warp, op, lane, t, at, layer, texel)
                  : fetch_point(warp, op, lane, t, at, layer, texel);
}
