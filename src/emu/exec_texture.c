/* SPDX-License-Identifier: MIT */
/* The handlers of textures and surfaces.
 *
 * A fetch works on all lanes at once, as far as they ask for the same object and level: coordinates become texel
 * indices and weights by plain loops over lanes, only the loads themselves go lane by lane. Indices are inside of the
 * texture after the address mode, whatever the coordinates: so lanes that do not take part may read along, and one look
 * at the texture's memory is enough.
 *
 * Coordinates, weights, sums and roundings are those of an H200, found by experiment (tests/programs/sampling.cu);
 * levels from gradients are within 0.15 of its, and fractions of 8 bits with sign differ in the last bit at times.
 * Not there: anisotropy, filtering across the edges of a cube map. */
#include "emu/texture.h"

#include <fenv.h>

#include "emu/exec_access.h"
#include "emu/half.h"

enum { CORNERS = 8 };

/* Lanes of a fetch that ask for the same object, and what they get. */
typedef struct group {
    sl_warp *w;
    const sl_op *o;
    const sl_texture *t;
    u32 dims;
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
    s32 weight[SL_LANES]; /* of the upper one, in 1/256 */
} axis;

/* ---- coordinates ---- */

/* Beyond this a coordinate is as good as infinite. */
#define FAR 1e9

/* Coordinates in texels. Those in [0, 1) have 21 fractional bits. NaN is 0, and so is infinity where it wraps. */
static inline void scale_coordinates(const f32 *coord, const s32 *offset, bool normalized, sl_tex_address mode,
                                     f64 size, f64 *at)
{
    f64 period = !normalized ? 0 : mode == SL_TEX_WRAP ? 1 : mode == SL_TEX_MIRROR ? 2 : 0;
    SL_LANES_LOOP
    {
        f64 x = coord[i];
        x = x == x ? x : 0;
        if (period > 0) {
            x -= floor(x / period) * period;
            x = x == x ? x : 0;
        }
        x = x > -FAR ? x : -FAR;
        x = x < FAR ? x : FAR;
        at[i] = (normalized ? floor(x * 0x1p21) * 0x1p-21 * size : x) + offset[i];
    }
}

static inline s32 to_index(f64 x)
{
    x = x > -FAR ? x : -FAR;
    return (s32)(x < FAR ? x : FAR);
}

/* Whole texels and the rest in 1/256. */
static inline void split(const f64 *at, bool clamped, s32 size, s32 *whole, s32 *rest)
{
    f64 last = (f64)(size - 1) * 256;
    SL_LANES_LOOP
    {
        f64 fixed = floor((at[i] - 0.5) * 256 + 0.5);
        if (clamped) { /* at the edge there is nothing to mix */
            fixed = fixed > 0 ? fixed : 0;
            fixed = fixed < last ? fixed : last;
        }
        f64 down = floor(fixed / 256);
        rest[i] = (s32)(fixed - down * 256);
        whole[i] = to_index(down);
    }
}

/* Indices modulo a period. Coordinates are in the first one already, so few of them are outside, and not far. */
static inline void reduce_index(s32 period, const s32 *index, s32 *inside)
{
    s32 outside = 0;
    SL_LANES_LOOP
    {
        s32 x = index[i];
        x = x < 0 ? x + period : x;
        x = x >= period ? x - period : x;
        outside |= x | (period - 1 - x);
        inside[i] = x;
    }
    for (int i = 0; i < SL_LANES && outside < 0; i++) {
        inside[i] = index[i] % period;
        inside[i] += inside[i] < 0 ? period : 0;
    }
}

/* Applies the address mode. */
static inline void resolve_index(sl_tex_address mode, s32 size, u64 stride, const s32 *index, u64 *at, u32 *border)
{
    _Alignas(64) s32 inside[SL_LANES];
    if (mode == SL_TEX_WRAP) {
        reduce_index(size, index, inside);
    } else if (mode == SL_TEX_MIRROR) {
        reduce_index(2 * size, index, inside);
        SL_LANES_LOOP inside[i] = inside[i] < size ? inside[i] : 2 * size - 1 - inside[i];
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
    sl_tex_address mode = (sl_tex_address)t->address[dim];
    s32 size = (s32)l->size[dim];
    u64 stride = stride_of(t, l, dim);
    scale_coordinates(g->coord[dim], g->offset[dim], t->normalized_coords || t->cube, mode, size, at);
    if (both)
        split(at, mode == SL_TEX_CLAMP && !(g->o->aux & SL_TEXTURE_GATHER), size, low, a->weight);
    else
        SL_LANES_LOOP low[i] = to_index(floor(at[i]));
    resolve_index(mode, size, stride, low, a->at[0], a->border[0]);
    if (!both)
        return;
    SL_LANES_LOOP high[i] = low[i] + 1;
    resolve_index(mode, size, stride, high, a->at[1], a->border[1]);
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
        if (t->srgb && channel < 3)
            SL_LANES_LOOP value[i] = (f32)sl_texture_srgb[raw[i] & 255] * 0x1p-16f;
        else
            SL_LANES_LOOP value[i] = (f32)(s32)raw[i] / most;
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

/* The border color of a channel: clamped to what the channel can hold as a fraction; of integers the bits are taken.
 */
static inline u32 border_bits(const sl_texture *t, u32 channel)
{
    f32 color = t->border[channel];
    u32 bits;
    if (channel >= t->channels)
        return 0;
    if (t->channel_kind != 'f' && t->normalized_float) {
        f32 min = t->channel_kind == 's' ? -1 : 0;
        color = color > min ? color : min;
        color = color < 1 ? color : 1;
    }
    memcpy(&bits, &color, sizeof bits);
    if (gives_floats(t) || t->channel_bits == 32)
        return bits;
    u32 unused = 32u - t->channel_bits;
    return t->channel_kind == 's' ? (u32)((s32)(bits << unused) >> unused) : bits << unused >> unused;
}

/* One channel of one corner of the footprint, as the texture gives it. Absent channels are 0. */
static inline void read_channel(const group *g, const u8 *level, const u64 *at, const u32 *border, u32 channel,
                                u32 *raw)
{
    const sl_texture *t = g->t;
    if (channel < t->channels) {
        load_channel(t, level, at, channel, raw);
        if (gives_floats(t))
            to_floats(t, channel, raw);
    } else {
        memset(raw, 0, SL_LANES * sizeof *raw);
    }
    if (border) {
        u32 color = border_bits(t, channel);
        SL_LANES_LOOP raw[i] = border[i] ? color : raw[i];
    }
}

/* ---- filtering ---- */

/* The corners of the footprint: offsets, which of them are the border, and their weights in 1/256. */
typedef struct footprint {
    u32 corners;
    bool bordered;
    u64 at[CORNERS][SL_LANES];
    u32 border[CORNERS][SL_LANES];
    s32 share[CORNERS][SL_LANES];
} footprint;

/* Divides the shares of some corners between them and their upper neighbors. Halves are rounded up, but down where y
 * divides the share of the lower x. */
static void divide(footprint *f, u32 dim, const s32 *weight)
{
    for (u32 which = 0; which < f->corners; which++) {
        if (which >> dim & 1)
            continue;
        s32 *lower = f->share[which], *upper = f->share[which | 1u << dim];
        s32 half = dim == 1 && !(which & 1) ? 127 : 128;
        SL_LANES_LOOP
        {
            s32 part = (lower[i] * weight[i] + half) >> 8;
            upper[i] = part;
            lower[i] -= part;
        }
    }
}

/* Shares of all corners: first between slices, then along x, then y. */
static void divide_shares(footprint *f, const axis *a, u32 dims)
{
    static const u8 ORDER[3][3] = {{0}, {0, 1}, {2, 0, 1}};
    SL_LANES_LOOP f->share[0][i] = 256;
    for (u32 which = 1; which < f->corners; which++)
        memset(f->share[which], 0, sizeof f->share[which]);
    for (u32 k = 0; k < dims; k++)
        divide(f, ORDER[dims - 1][k], a[ORDER[dims - 1][k]].weight);
}

static void find_footprint(const group *g, const sl_texture_level *l, bool both, footprint *f)
{
    u32 dims = g->dims;
    axis a[3];
    f->corners = both ? 1u << dims : 1;
    f->bordered = false;
    for (u32 k = 0; k < dims; k++) {
        make_axis(g, l, k, both, &a[k]);
        f->bordered |= g->t->address[k] == SL_TEX_BORDER;
    }
    for (u32 which = 0; which < f->corners; which++) {
        u32 upper = which & 1;
        SL_LANES_LOOP f->at[which][i] = a[0].at[upper][i];
        if (g->t->layers)
            for (int i = 0; i < SL_LANES; i++)
                f->at[which][i] += (u64)g->layer[i] * l->slice;
        if (f->bordered)
            SL_LANES_LOOP f->border[which][i] = a[0].border[upper][i];
        for (u32 k = 1; k < dims; k++) {
            upper = which >> k & 1;
            SL_LANES_LOOP f->at[which][i] += a[k].at[upper][i];
            if (f->bordered)
                SL_LANES_LOOP f->border[which][i] |= a[k].border[upper][i];
        }
    }
    if (both)
        divide_shares(f, a, dims);
}

/* Makes halves round away from zero, not to even. */
#define PAST_HALF (1 + 0x1p-50)

static f64 power_of_two(s64 exponent)
{
    u64 bits = (u64)(1023 + exponent) << 52;
    f64 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Sum of floats times shares, with the exponent of the largest. The texels are cut to 4 bits below its last one. */
static void sum_floats(u32 corners, u32 value[][SL_LANES], const s32 share[][SL_LANES], f64 *sum, s64 *exponent)
{
    _Alignas(64) u32 most[SL_LANES] = {0};
    _Alignas(64) f64 up[SL_LANES];
    memset(sum, 0, SL_LANES * sizeof *sum);
    for (u32 which = 0; which < corners; which++)
        SL_LANES_LOOP
        {
            u32 magnitude = share[which][i] ? value[which][i] & 0x7f800000 : 0;
            most[i] = magnitude > most[i] ? magnitude : most[i];
        }
    SL_LANES_LOOP
    {
        exponent[i] = most[i] ? most[i] >> 23 : 1;
        up[i] = power_of_two(154 - exponent[i]);
    }
    for (u32 which = 0; which < corners; which++) {
        f32 texel[SL_LANES];
        memcpy(texel, value[which], sizeof texel);
        SL_LANES_LOOP sum[i] += share[which][i] ? trunc((f64)texel[i] * up[i]) * share[which][i] : 0;
    }
}

/* Two slices are summed one by one; of the smaller sum 4 bits remain below the unit of the other. The number is a fit
 * to 2048 samples of an H200 with texels of very different size: with 1, 2, 3 or 4 bits one of them is not as there. */
static void mix_floats(u32 corners, u32 value[][SL_LANES], const s32 share[][SL_LANES], u32 *mean)
{
    enum { SLICE = CORNERS / 2, KEPT = 4 };
    _Alignas(64) f64 sum[SL_LANES], second[SL_LANES];
    _Alignas(64) s64 exponent[SL_LANES], other[SL_LANES];
    f32 result[SL_LANES];
    sum_floats(corners > SLICE ? SLICE : corners, value, share, sum, exponent);
    if (corners > SLICE) {
        sum_floats(corners - SLICE, value + SLICE, share + SLICE, second, other);
        SL_LANES_LOOP
        {
            s64 top = exponent[i] > other[i] ? exponent[i] : other[i];
            sum[i] = floor(sum[i] * power_of_two(KEPT + exponent[i] - top)) +
                     floor(second[i] * power_of_two(KEPT + other[i] - top));
            exponent[i] = top - KEPT;
        }
    }
    SL_LANES_LOOP result[i] = (f32)(sum[i] * PAST_HALF * power_of_two(exponent[i] - 154 - 8));
    memcpy(mean, result, sizeof result);
}

/* The same of halves: the mean is one, too. */
static void mix_halves(u32 corners, u32 value[][SL_LANES], const s32 share[][SL_LANES], u32 *mean)
{
    for (int i = 0; i < SL_LANES; i++) {
        f64 sum = 0;
        for (u32 which = 0; which < corners; which++) {
            f32 texel;
            memcpy(&texel, &value[which][i], sizeof texel);
            sum += share[which][i] ? (f64)texel * share[which][i] : 0;
        }
        f32 half = sl_f16_to_f32(sl_f64_to_f16(sum * PAST_HALF / 256, FE_TONEAREST));
        memcpy(&mean[i], &half, sizeof half);
    }
}

/* The same of fractions: they have 16 bits on the way. */
static void mix_fractions(const sl_texture *t, u32 corners, u32 value[][SL_LANES], const s32 share[][SL_LANES],
                          u32 *mean)
{
    f64 most = t->channel_kind == 's' ? (1 << (t->channel_bits - 1)) - 1 : (1 << t->channel_bits) - 1;
    f64 wide = t->channel_kind == 's' ? 32767 : 65535;
    f64 sum[SL_LANES] = {0};
    f32 result[SL_LANES];
    for (u32 which = 0; which < corners; which++) {
        f32 texel[SL_LANES];
        memcpy(texel, value[which], sizeof texel);
        SL_LANES_LOOP sum[i] += rint((f64)texel[i] * most) * share[which][i];
    }
    SL_LANES_LOOP result[i] = (f32)(floor(sum[i] * (wide / most) / 256 + 0.5) / wide);
    memcpy(mean, result, sizeof result);
}

static void mix(const sl_texture *t, u32 corners, u32 value[][SL_LANES], const s32 share[][SL_LANES], u32 *mean)
{
    if (t->channel_kind == 'f' ? t->channel_bits == 32 : t->srgb)
        mix_floats(corners, value, share, mean);
    else if (t->channel_kind == 'f')
        mix_halves(corners, value, share, mean);
    else
        mix_fractions(t, corners, value, share, mean);
}

/* Weighted mean of the texels around the point. */
static void mix_channel(const group *g, const u8 *level, const footprint *f, u32 channel, u32 *texel)
{
    _Alignas(64) u32 value[CORNERS][SL_LANES];
    for (u32 which = 0; which < f->corners; which++)
        read_channel(g, level, f->at[which], f->bordered ? f->border[which] : NULL, channel, value[which]);
    mix(g->t, f->corners, value, f->share, texel);
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
        if (c >= g->t->channels) {
            memset(texel[c], 0, sizeof texel[c]);
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
        if (az >= ax && az >= ay) {
            face = 4 + (z < 0);
            m = az;
            s = z < 0 ? -x : x;
            t = -y;
        } else if (ay >= ax) {
            face = 2 + (y < 0);
            m = ay;
            s = x;
            t = y < 0 ? -z : z;
        } else {
            face = x < 0;
            m = ax;
            s = x < 0 ? z : -z;
            t = -y;
        }
        g->coord[0][i] = m > 0 ? (s / m + 1) / 2 : 0.5f;
        g->coord[1][i] = m > 0 ? (t / m + 1) / 2 : 0.5f;
        g->layer[i] = g->layer[i] * SL_CUBE_FACES + face;
    }
}

/* ---- levels ---- */

/* The level of detail that a lane's gradients ask for: the longer axis of the ellipse that they span. */
static f32 level_of_gradients(const group *g, const u32 *list, int i)
{
    const sl_texture *t = g->t;
    f64 xx = 0, yy = 0, xy = 0, far = 0;
    for (u32 k = 0; k < 3 && t->cube; k++)
        far = fmax(far, fabs((f64)((const f32 *)sl_operand(g->w, list[SL_TEXTURE_COORDS + k]))[i]));
    for (u32 k = 0; k < (t->cube ? 3 : t->dims); k++) {
        f64 scale = t->cube ? (f64)t->level[0].size[0] / 2 / far : t->normalized_coords ? (f64)t->level[0].size[k] : 1;
        f64 x = scale * ((const f32 *)sl_operand(g->w, list[SL_TEXTURE_DX + k]))[i];
        f64 y = scale * ((const f32 *)sl_operand(g->w, list[SL_TEXTURE_DY + k]))[i];
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    f64 square = (xx + yy) / 2 + hypot((xx - yy) / 2, xy);
    return square > 0 ? (f32)(0.5 * log2(square)) : -128;
}

static inline u32 clamped_level(const sl_texture *t, s32 level)
{
    return level < 0 ? 0 : level >= (s32)t->levels ? t->levels - 1 : (u32)level;
}

/* Levels to read for each lane and the weight of the second in 1/256; 0: only the first. */
static void choose_levels(const group *g, const u32 *list, u32 first[SL_LANES], u32 second[SL_LANES],
                          s32 weight[SL_LANES])
{
    const sl_texture *t = g->t;
    bool given = g->o->aux & SL_TEXTURE_LEVEL, graded = g->o->aux & SL_TEXTURE_GRADIENTS;
    for (int i = 0; i < SL_LANES; i++) {
        f32 level = given    ? ((const f32 *)sl_operand(g->w, list[SL_TEXTURE_LOD]))[i] + t->level_bias
                    : graded ? level_of_gradients(g, list, i) + t->level_bias
                             : 0;
        level = level > t->min_level ? level : t->min_level; /* NaN is the lowest */
        level = level < t->max_level ? level : t->max_level;
        f64 fixed = floor(t->linear_levels ? (f64)level * 256 : floor((f64)level + 0.5) * 256),
            down = floor(fixed / 256);
        s32 whole = to_index(down);
        first[i] = clamped_level(t, whole);
        second[i] = clamped_level(t, whole + 1);
        weight[i] = whole < 0 || first[i] == second[i] ? 0 : (s32)(fixed - down * 256);
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
    u32 first[SL_LANES], second[SL_LANES], value[2][SL_LANES], other[4][SL_LANES] = {0};
    u64 where[SL_LANES], mixed = 0;
    s32 share[2][SL_LANES];
    choose_levels(g, list, first, second, share[1]);
    sample_levels(g, first, g->mask, g->texel, g->addr);
    for (u64 left = gives_floats(g->t) ? g->mask : 0; left; left &= left - 1)
        if (share[1][__builtin_ctzll(left)])
            mixed |= left & -left;
    if (!mixed)
        return;
    sample_levels(g, second, mixed, other, where);
    SL_LANES_LOOP share[1][i] = mixed >> i & 1 ? share[1][i] : 0;
    SL_LANES_LOOP share[0][i] = 256 - share[1][i];
    for (u32 c = 0; c < g->t->channels; c++) {
        memcpy(value[0], g->texel[c], sizeof value[0]);
        memcpy(value[1], other[c], sizeof value[1]);
        mix_floats(2, value, share, g->texel[c]);
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
    /* A row is a plane of height 1, looked at from its edge. */
    g->dims = dims == 1 && g->t->linear_filter && g->t->address[1] == SL_TEX_BORDER ? 2 : dims;
    if (g->dims > dims)
        memset(g->coord[1], 0, sizeof g->coord[1]);
    if (!g->t->layers)
        return;
    const u32 *layer = sl_operand(g->w, list[SL_TEXTURE_LAYER]);
    u32 layers = cube ? g->t->layers / SL_CUBE_FACES : g->t->layers; /* negative ones are the last, too */
    SL_LANES_LOOP g->layer[i] = !(aux & SL_TEXTURE_LAYERED) ? 0 : layer[i] < layers ? layer[i] : layers - 1;
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
        if (g.t->swizzled)
            sl_texture_swizzle(g.t, SL_LANES, g.texel[0]);
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
    SL_LANES_LOOP g.addr[i] &= ~UINT64_C(3); /* words: smaller texels do not reach into the next sector */
    sl_warp_record(w, o, w->mask, g.addr);
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
        if (w->worker->run->emu->check_uninit)
            sl_memory_mark_written(w, o, i, addr[i], bytes);
        stored |= (u64)1 << i;
    }
    sl_warp_record(w, o, stored, addr);
}
