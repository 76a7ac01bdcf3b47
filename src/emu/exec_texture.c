/* SPDX-License-Identifier: MIT */
/* The handlers of textures and surfaces.
 *
 * A fetch works on all lanes at once, as far as they ask for the same object and level: coordinates become texel
 * indices and weights by plain loops over lanes, only the loads themselves go lane by lane. Indices are inside of the
 * texture after the address mode, whatever the coordinates: so lanes that do not take part may read along, and one look
 * at the texture's memory is enough. */
#include "emu/texture.h"

#include "emu/exec_access.h"
#include "emu/half.h"

enum { CORNERS = 8 };

/* Lanes of a fetch that ask for the same object, and what they get. */
typedef struct group {
    sl_warp *w;
    const sl_op *o;
    const sl_texture *t;
    u64 mask;
    f32 coord[3][SL_LANES]; /* integers as bits where the op says so */
    s32 offset[3][SL_LANES];
    u32 layer[SL_LANES]; /* of a cube map: the face */
    u32 texel[4][SL_LANES];
    u64 addr[SL_LANES]; /* of the texel with the lowest coordinates: what a trace records */
} group;

/* Texels of a level along one dimension: byte offsets of those at the lower and the upper end of the footprint, and
 * whether the border is read instead. */
typedef struct axis {
    u64 at[2][SL_LANES];
    u32 border[2][SL_LANES];
    f64 weight[2][SL_LANES];
} axis;

/* ---- coordinates ---- */

/* Beyond this a coordinate is as good as infinite. */
#define FAR 1e9

/* Whole texels and the rest in 1/256, of coordinates in texels; NaN is far below. */
static inline void split(const f64 *at, s32 *whole, f64 *rest)
{
    SL_LANES_LOOP
    {
        f64 x = at[i] > -FAR ? at[i] : -FAR;
        x = x < FAR ? x : FAR;
        f64 fixed = floor(x * 256 + 0.5), down = floor(fixed / 256);
        whole[i] = (s32)down;
        rest[i] = (fixed - down * 256) / 256;
    }
}

static inline void round_down(const f64 *at, s32 *whole)
{
    SL_LANES_LOOP
    {
        f64 x = at[i] > -FAR ? at[i] : -FAR;
        whole[i] = (s32)floor(x < FAR ? x : FAR);
    }
}

/* Applies the address mode. */
static inline void resolve_index(sl_tex_address mode, s32 size, u64 stride, const s32 *index, u64 *at, u32 *border)
{
    _Alignas(64) s32 inside[SL_LANES];
    if (mode == SL_TEX_WRAP) {
        for (int i = 0; i < SL_LANES; i++) {
            s32 x = index[i] >= 0 && index[i] < size ? index[i] : index[i] % size;
            inside[i] = x < 0 ? x + size : x;
        }
    } else if (mode == SL_TEX_MIRROR) {
        for (int i = 0; i < SL_LANES; i++) {
            s64 x = index[i] % (2 * (s64)size);
            x = x < 0 ? x + 2 * (s64)size : x;
            inside[i] = (s32)(x < size ? x : 2 * (s64)size - 1 - x);
        }
    } else {
        SL_LANES_LOOP inside[i] = index[i] < 0 ? 0 : index[i] >= size ? size - 1 : index[i];
    }
    SL_LANES_LOOP at[i] = (u64)(u32)inside[i] * (u32)stride;
    SL_LANES_LOOP border[i] = mode == SL_TEX_BORDER && inside[i] != index[i] ? ~0u : 0;
}

/* Strides fit 32 bits: sl_emu_texture_create sees to that. */
static inline u64 stride_of(const sl_texture *t, const sl_texture_level *l, u32 dim)
{
    return dim == 0 ? sl_texture_element(t) : dim == 1 ? l->pitch : l->slice;
}

static void make_axis(const group *g, const sl_texture_level *l, u32 dim, bool both, axis *a)
{
    const sl_texture *t = g->t;
    _Alignas(64) f64 at[SL_LANES];
    _Alignas(64) s32 low[SL_LANES], high[SL_LANES];
    f64 scale = t->normalized_coords || t->cube ? (f64)l->size[dim] : 1;
    SL_LANES_LOOP at[i] = (f64)g->coord[dim][i] * scale + g->offset[dim][i] - (both ? 0.5 : 0);
    if (both)
        split(at, low, a->weight[1]);
    else
        round_down(at, low);
    sl_tex_address mode = (sl_tex_address)t->address[dim];
    u64 stride = stride_of(t, l, dim);
    resolve_index(mode, (s32)l->size[dim], stride, low, a->at[0], a->border[0]);
    if (!both)
        return;
    SL_LANES_LOOP a->weight[0][i] = 1 - a->weight[1][i];
    SL_LANES_LOOP high[i] = low[i] + 1;
    resolve_index(mode, (s32)l->size[dim], stride, high, a->at[1], a->border[1]);
}

/* ---- texels ---- */

/* Where the host has the level: all of it must be there. */
static const u8 *level_bytes(const group *g, const sl_texture_level *l)
{
    sl_worker *worker = g->w->worker;
    u64 bytes = sl_texture_level_bytes(g->t, l);
    sl_range_cache *range = &worker->range[g->o->inst];
    if (l->data - range->base > range->bytes || bytes > range->bytes - (l->data - range->base)) {
        const sl_alloc *alloc = sl_heap_find(worker->run->emu->heap, l->data);
        if (!alloc || bytes > alloc->bytes - (l->data - alloc->base))
            sl_fault_raise(g->w, g->o->inst, __builtin_ctzll(g->mask), SL_FAULT_ILLEGAL_ADDRESS,
                           "the memory of the texture, %llu bytes at 0x%llx, was freed", (unsigned long long)bytes,
                           (unsigned long long)l->data);
        *range = (sl_range_cache){alloc->base, alloc->bytes};
    }
    return (const u8 *)(uintptr_t)(l->data + worker->shift);
}

#define LOAD_LANES(T)                                                                                                  \
    for (int i = 0; i < SL_LANES; i++) {                                                                               \
        T value;                                                                                                       \
        memcpy(&value, from + at[i], sizeof value);                                                                    \
        raw[i] = (u32)value;                                                                                           \
    }

/* One channel as it lies in memory, widened to 32 bits. */
static inline void load_channel(const sl_texture *t, const u8 *level, const u64 *at, u32 channel, u32 *raw)
{
    const u8 *from = level + channel * (t->channel_bits / 8u);
    bool is_signed = t->channel_kind == 's';
    if (t->channel_bits == 32) {
        LOAD_LANES(u32)
    } else if (t->channel_bits == 16 && is_signed) {
        LOAD_LANES(s16)
    } else if (t->channel_bits == 16) {
        LOAD_LANES(u16)
    } else if (is_signed) {
        LOAD_LANES(s8)
    } else {
        LOAD_LANES(u8)
    }
}

/* Whether texels become floats on the way; else they come as they are. */
static inline bool gives_floats(const sl_texture *t)
{
    return t->channel_kind == 'f' || t->normalized_float;
}

static inline f32 from_srgb(f32 value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

/* A channel as floats, as bits. */
static inline void to_floats(const sl_texture *t, u32 channel, u32 *raw)
{
    f32 value[SL_LANES];
    if (t->channel_kind == 'f' && t->channel_bits == 32)
        return;
    if (t->channel_kind == 'f') {
        for (int i = 0; i < SL_LANES; i++)
            value[i] = sl_f16_to_f32((u16)raw[i]);
    } else if (t->channel_kind == 'u') {
        f32 most = (f32)((1u << t->channel_bits) - 1);
        SL_LANES_LOOP value[i] = (f32)(s32)raw[i] / most;
        for (int i = 0; i < SL_LANES && t->srgb && channel < 3; i++)
            value[i] = from_srgb(value[i]);
    } else {
        f32 most = (f32)((1u << (t->channel_bits - 1)) - 1);
        SL_LANES_LOOP
        {
            f32 x = (f32)(s32)raw[i] / most;
            value[i] = x < -1 ? -1 : x;
        }
    }
    memcpy(raw, value, sizeof value);
}

/* What an absent channel holds: 0, 0, 0, 1. */
static inline u32 absent(const sl_texture *t, u32 channel)
{
    return channel < 3 ? 0 : gives_floats(t) ? 0x3f800000 : 1;
}

static inline u32 border_bits(const sl_texture *t, u32 channel)
{
    u32 bits;
    if (!gives_floats(t))
        return (u32)(s32)t->border[channel];
    memcpy(&bits, &t->border[channel], sizeof bits);
    return bits;
}

/* One channel of one corner of the footprint, as the texture gives it. */
static inline void read_channel(const group *g, const u8 *level, const u64 *at, const u32 *border, u32 channel,
                                u32 *raw)
{
    const sl_texture *t = g->t;
    if (channel < t->channels) {
        load_channel(t, level, at, channel, raw);
        if (gives_floats(t))
            to_floats(t, channel, raw);
    } else {
        u32 fixed = absent(t, channel);
        SL_LANES_LOOP raw[i] = fixed;
    }
    if (border) {
        u32 colour = border_bits(t, channel);
        SL_LANES_LOOP raw[i] = border[i] ? colour : raw[i];
    }
}

/* ---- filtering ---- */

/* The corners of the footprint: offsets, which of them are the border (NULL: none), and their weights. */
typedef struct footprint {
    u32 corners;
    bool bordered;
    u64 at[CORNERS][SL_LANES];
    u32 border[CORNERS][SL_LANES];
    f64 share[CORNERS][SL_LANES];
} footprint;

static void find_footprint(const group *g, const sl_texture_level *l, bool both, footprint *f)
{
    u32 dims = g->t->dims;
    axis a[3];
    f->corners = both ? 1u << dims : 1;
    f->bordered = false;
    for (u32 k = 0; k < dims; k++) {
        make_axis(g, l, k, both, &a[k]);
        f->bordered |= g->t->address[k] == SL_TEX_BORDER;
    }
    for (u32 which = 0; which < f->corners; which++) {
        const axis *x = &a[0];
        u32 upper = which & 1;
        SL_LANES_LOOP f->at[which][i] = x->at[upper][i];
        if (g->t->layers)
            for (int i = 0; i < SL_LANES; i++)
                f->at[which][i] += (u64)g->layer[i] * l->slice;
        if (f->bordered)
            SL_LANES_LOOP f->border[which][i] = x->border[upper][i];
        if (both)
            SL_LANES_LOOP f->share[which][i] = x->weight[upper][i];
        for (u32 k = 1; k < dims; k++) {
            upper = which >> k & 1;
            SL_LANES_LOOP f->at[which][i] += a[k].at[upper][i];
            if (f->bordered)
                SL_LANES_LOOP f->border[which][i] |= a[k].border[upper][i];
            if (both)
                SL_LANES_LOOP f->share[which][i] *= a[k].weight[upper][i];
        }
    }
}

/* Weighted mean of the texels around the point. */
static void mix_channel(const group *g, const u8 *level, const footprint *f, u32 channel, u32 *texel)
{
    _Alignas(64) f64 sum[SL_LANES] = {0};
    _Alignas(64) u32 raw[SL_LANES];
    f32 value[SL_LANES];
    for (u32 which = 0; which < f->corners; which++) {
        read_channel(g, level, f->at[which], f->bordered ? f->border[which] : NULL, channel, raw);
        memcpy(value, raw, sizeof value);
        SL_LANES_LOOP sum[i] += f->share[which][i] * (f64)value[i];
    }
    SL_LANES_LOOP value[i] = (f32)sum[i];
    memcpy(texel, value, sizeof value);
}

/* One channel of the four texels that a linear filter would mix: counter-clockwise from the lower left. */
static void gather_channel(const group *g, const u8 *level, const footprint *f, u32 texel[4][SL_LANES])
{
    static const u32 ORDER[4] = {2, 3, 1, 0};
    u32 channel = g->o->aux >> SL_TEXTURE_CHANNEL_SHIFT & 3;
    for (u32 k = 0; k < 4; k++)
        read_channel(g, level, f->at[ORDER[k]], f->bordered ? f->border[ORDER[k]] : NULL, channel, texel[k]);
}

/* Fetches from one level. */
static void sample(const group *g, u32 level, u32 texel[4][SL_LANES], u64 *addr)
{
    const sl_texture_level *l = &g->t->level[level];
    const u8 *bytes = level_bytes(g, l);
    bool gathers = g->o->aux & SL_TEXTURE_GATHER, mixes = g->t->linear_filter && gives_floats(g->t);
    footprint f;
    find_footprint(g, l, gathers || mixes, &f);
    SL_LANES_LOOP addr[i] = l->data + f.at[0][i];
    if (gathers) {
        gather_channel(g, bytes, &f, texel);
        return;
    }
    for (u32 c = 0; c < 4; c++) {
        if (c >= g->t->channels && !f.bordered) {
            u32 fixed = absent(g->t, c);
            SL_LANES_LOOP texel[c][i] = fixed;
        } else if (mixes) {
            mix_channel(g, bytes, &f, c, texel[c]);
        } else {
            read_channel(g, bytes, f.at[0], f.bordered ? f.border[0] : NULL, c, texel[c]);
        }
    }
}

/* Integer coordinates name a texel; outside of the texture they read zero. */
static void fetch_index(group *g)
{
    const sl_texture_level *l = &g->t->level[0];
    const u8 *bytes = level_bytes(g, l);
    u64 at[SL_LANES] = {0};
    u32 outside[SL_LANES] = {0};
    for (u32 k = 0; k < g->t->dims; k++) {
        s32 index[SL_LANES];
        u64 stride = stride_of(g->t, l, k);
        s64 size = (s64)l->size[k];
        memcpy(index, g->coord[k], sizeof index);
        SL_LANES_LOOP
        {
            s64 x = (s64)index[i] + g->offset[k][i];
            bool there = x >= 0 && x < size;
            outside[i] |= there ? 0 : ~0u;
            at[i] += there ? (u64)x * stride : 0;
        }
    }
    for (int i = 0; i < SL_LANES; i++)
        at[i] = outside[i] ? 0 : at[i] + (g->t->layers ? (u64)g->layer[i] * l->slice : 0);
    for (u32 c = 0; c < 4; c++) {
        read_channel(g, bytes, at, NULL, c, g->texel[c]);
        SL_LANES_LOOP g->texel[c][i] = outside[i] ? 0 : g->texel[c][i];
    }
    SL_LANES_LOOP g->addr[i] = l->data + at[i];
}

/* ---- cube maps ---- */

/* The faces that directions hit, and where on them: in [0, 1]. */
static void find_faces(group *g)
{
    for (int i = 0; i < SL_LANES; i++) {
        f32 x = g->coord[0][i], y = g->coord[1][i], z = g->coord[2][i];
        f32 ax = fabsf(x), ay = fabsf(y), az = fabsf(z), s, t, m;
        u32 face;
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
        g->coord[0][i] = (s / m + 1) / 2;
        g->coord[1][i] = (t / m + 1) / 2;
        g->layer[i] = g->layer[i] * SL_CUBE_FACES + face;
    }
}

/* ---- levels ---- */

/* The level of detail that a lane's gradients ask for. */
static f32 level_of_gradients(const group *g, const u32 *list, int i)
{
    const sl_texture *t = g->t;
    f64 longest = 0;
    for (u32 k = 0; k < 2; k++) {
        f64 square = 0;
        for (u32 dim = 0; dim < t->dims; dim++) {
            f64 d = ((const f32 *)sl_operand(g->w, list[(k ? SL_TEXTURE_DY : SL_TEXTURE_DX) + dim]))[i];
            d *= t->normalized_coords ? (f64)t->level[0].size[dim] : 1;
            square += d * d;
        }
        longest = square > longest ? square : longest;
    }
    return longest > 0 ? (f32)(0.5 * log2(longest)) : -128;
}

static inline u32 clamped_level(const sl_texture *t, s32 level)
{
    return level < 0 ? 0 : level >= (s32)t->levels ? t->levels - 1 : (u32)level;
}

/* Levels to read for each lane and the weight of the second; 0: only the first. */
static void choose_levels(const group *g, const u32 *list, u32 first[SL_LANES], u32 second[SL_LANES],
                          f64 weight[SL_LANES])
{
    const sl_texture *t = g->t;
    f64 wanted[SL_LANES];
    s32 whole[SL_LANES];
    for (int i = 0; i < SL_LANES; i++) {
        f32 level = g->o->aux & SL_TEXTURE_LEVEL       ? ((const f32 *)sl_operand(g->w, list[SL_TEXTURE_LOD]))[i]
                    : g->o->aux & SL_TEXTURE_GRADIENTS ? level_of_gradients(g, list, i)
                                                       : 0;
        level += t->level_bias;
        level = level > t->min_level ? level : t->min_level; /* NaN is the lowest */
        wanted[i] = (level < t->max_level ? level : t->max_level) + (t->linear_levels ? 0 : 0.5);
    }
    if (t->linear_levels)
        split(wanted, whole, weight);
    else
        round_down(wanted, whole);
    for (int i = 0; i < SL_LANES; i++) {
        first[i] = clamped_level(t, whole[i]);
        second[i] = clamped_level(t, whole[i] + 1);
        if (!t->linear_levels || whole[i] < 0 || first[i] == second[i])
            weight[i] = 0;
    }
}

/* Lanes ask for different levels: one level at a time. */
static void sample_levels(const group *g, const u32 *level, u64 lanes, u32 texel[4][SL_LANES], u64 *addr)
{
    u32 some[4][SL_LANES];
    u64 where[SL_LANES];
    while (lanes) {
        u32 now = level[__builtin_ctzll(lanes)];
        sample(g, now, some, where);
        for (u64 left = lanes; left; left &= left - 1) {
            int i = __builtin_ctzll(left);
            if (level[i] != now)
                continue;
            for (int c = 0; c < 4; c++)
                texel[c][i] = some[c][i];
            addr[i] = where[i];
            lanes &= ~((u64)1 << i);
        }
    }
}

static void sample_mipmap(group *g, const u32 *list)
{
    u32 first[SL_LANES], second[SL_LANES], other[4][SL_LANES];
    u64 where[SL_LANES], mixed = 0;
    f64 weight[SL_LANES];
    choose_levels(g, list, first, second, weight);
    sample_levels(g, first, g->mask, g->texel, g->addr);
    for (u64 left = gives_floats(g->t) ? g->mask : 0; left; left &= left - 1)
        if (weight[__builtin_ctzll(left)] > 0)
            mixed |= left & -left;
    sample_levels(g, second, mixed, other, where);
    for (; mixed; mixed &= mixed - 1)
        for (int c = 0, i = __builtin_ctzll(mixed); c < 4; c++) {
            f32 low, high;
            memcpy(&low, &g->texel[c][i], sizeof low);
            memcpy(&high, &other[c][i], sizeof high);
            low = (f32)(low * (1 - weight[i]) + high * weight[i]);
            memcpy(&g->texel[c][i], &low, sizeof low);
        }
}

/* ---- fetches ---- */

static void read_operands(group *g, const u32 *list)
{
    u32 aux = g->o->aux, dims = aux & SL_TEXTURE_DIMS;
    bool cube = aux & SL_TEXTURE_CUBE;
    if (dims != g->t->dims || cube != g->t->cube)
        sl_fault_raise(g->w, g->o->inst, __builtin_ctzll(g->mask), SL_FAULT_ILLEGAL_INSTRUCTION,
                       "a fetch in %u dimensions%s from %s of %u", dims, cube ? " of a cube map" : "",
                       g->t->cube ? "a cube map" : "a texture", g->t->dims);
    for (u32 k = 0; k < 3; k++) {
        memcpy(g->coord[k], sl_operand(g->w, list[SL_TEXTURE_COORDS + k]), sizeof g->coord[k]);
        if (aux & SL_TEXTURE_OFFSETS)
            memcpy(g->offset[k], sl_operand(g->w, list[SL_TEXTURE_OFFSET + k]), sizeof g->offset[k]);
        else
            memset(g->offset[k], 0, sizeof g->offset[k]);
    }
    if (!g->t->layers)
        return;
    const s32 *layer = sl_operand(g->w, list[SL_TEXTURE_LAYER]);
    s32 layers = (s32)(cube ? g->t->layers / SL_CUBE_FACES : g->t->layers);
    SL_LANES_LOOP g->layer[i] = !(aux & SL_TEXTURE_LAYERED) || layer[i] < 0 ? 0
                                : layer[i] >= layers                        ? (u32)layers - 1
                                                                            : (u32)layer[i];
}

static void fetch(group *g, const u32 *list)
{
    read_operands(g, list);
    if (!(g->o->aux & SL_TEXTURE_FLOAT_COORDS)) {
        fetch_index(g);
        return;
    }
    if (g->t->cube)
        find_faces(g);
    if (g->t->levels == 1 || g->o->aux & SL_TEXTURE_GATHER)
        sample(g, 0, g->texel, g->addr);
    else
        sample_mipmap(g, list);
}

/* Those of the lanes that fetch from the same object as the first of them. */
static u64 same_object(const u64 *object, u64 lanes)
{
    u64 one = object[__builtin_ctzll(lanes)], other = 0, same = 0;
    SL_LANES_LOOP other |= object[i] ^ one;
    if (!other)
        return lanes;
    for (int i = 0; i < SL_LANES; i++)
        same |= (u64)(object[i] == one) << i;
    return same & lanes;
}

SL_HANDLER(texture)
{
    const u32 *list = &w->code->list[o->list];
    const u64 *object = sl_operand(w, o->a);
    group g;
    g.w = w;
    g.o = o;
    for (u64 left = w->mask; left; left &= ~g.mask) {
        u64 addr[SL_LANES];
        g.mask = same_object(object, left);
        g.t = sl_warp_texture(w, o, __builtin_ctzll(left), object[__builtin_ctzll(left)], false);
        if (left != w->mask)
            memcpy(addr, g.addr, sizeof addr);
        fetch(&g, list);
        for (int k = 0; k < SL_TEXTURE_RESULTS; k++) {
            u32 *d = sl_operand(w, list[k]);
            if (g.mask == w->mask) {
                SL_WRITE_LANES(w, d, g.texel[k][i]);
            } else {
                SL_LANES_LOOP d[i] = g.mask >> i & 1 ? g.texel[k][i] : d[i];
            }
        }
        if (left != w->mask)
            SL_LANES_LOOP g.addr[i] = g.mask >> i & 1 ? g.addr[i] : addr[i];
    }
    if (list[SL_TEXTURE_RESIDENT] != SL_REF_NONE) {
        pr *resident = sl_operand(w, list[SL_TEXTURE_RESIDENT]);
        SL_WRITE_LANES(w, resident, ~(pr)0);
    }
    if (w->stream && o->slot != UINT32_MAX)
        sl_warp_stream_access(w->stream, o->slot, w->mask, g.addr);
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

/* ---- surfaces ---- */

static inline s32 lane_s32(const sl_warp *w, u32 ref, int i)
{
    return ((const s32 *)sl_operand(w, ref))[i];
}

/* Where a lane accesses the surface; false: nowhere. */
static inline bool locate(sl_warp *w, const sl_op *o, const u32 *list, int i, const sl_texture *surface, u32 bytes,
                          u64 *addr)
{
    s32 at[3], layer = lane_s32(w, list[SL_SURFACE_LAYER], i);
    for (int k = 0; k < 3; k++)
        at[k] = lane_s32(w, list[SL_SURFACE_COORDS + k], i);
    return sl_surface_locate(w, o, i, surface, at, layer, bytes, addr);
}

/* Where each lane accesses the surface, and whether it does; loads, stores and reductions do the rest. */
SL_HANDLER(surface_address)
{
    const u32 *list = &w->code->list[o->list];
    u64 *d = sl_operand(w, o->d);
    const u64 *object = sl_operand(w, o->a);
    pr *inside = sl_operand(w, list[SL_SURFACE_INSIDE]);
    u64 known = 0;
    const sl_texture *surface = NULL;
    SL_EACH_ACTIVE(w, i)
    {
        u64 addr = 0;
        if (!surface || object[i] != known)
            surface = sl_warp_texture(w, o, i, known = object[i], true);
        inside[i] = -(pr)locate(w, o, list, i, surface, (u32)o->size * o->count, &addr);
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
        u32 value[4] = {0};
        u8 element[16];
        for (u32 k = 0; k < o->count; k++)
            value[k] = (u32)lane_s32(w, list[SL_SURFACE_OPERANDS + k], i);
        const sl_texture *surface = sl_warp_texture(w, o, i, object[i], true);
        u32 bytes = sl_surface_pack(surface, value, element);
        if (!locate(w, o, list, i, surface, bytes, &addr[i]))
            continue;
        memcpy(sl_memory_resolve_aligned(w, o, i, addr[i], bytes, 1, true), element, bytes);
        if (w->worker->run->emu->config.check_uninit)
            sl_memory_mark_written(w, o, i, addr[i], bytes);
        stored |= (u64)1 << i;
    }
    if (w->stream && o->slot != UINT32_MAX)
        sl_warp_stream_access(w->stream, o->slot, stored, addr);
}
