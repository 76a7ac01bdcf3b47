/* SPDX-License-Identifier: MIT */
/* Loads, stores, atomics and what moves addresses between spaces.
 *
 * A load or store first compares: do its lanes lie as they did when the instruction ran last? Then the first of them
 * tells about all: whether they are aligned and inside the allocation, how to read them, what is counted. Otherwise it
 * takes one look at all lanes: are the addresses aligned and inside the allocation that this instruction hit last time?
 * If so, lanes are read through plain pointers (the host's addresses are the device's and a shift). Otherwise each lane
 * is resolved by itself (memory.c), which also says what is wrong with an illegal access. */
#include "emu/exec_access.h"
#include "emu/exec_half.h"

static inline bool in_range(const u64 *addr, u64 base, u64 bytes, u32 size)
{
    if (bytes < size)
        return false;
    u64 limit = bytes - size, outside = 0, low = 0;
    SL_LANES_LOOP
    {
        u64 offset = addr[i] - base;
        outside |= offset | (limit - offset);
        low |= addr[i];
    }
    return (s64)outside >= 0 && !(low & (size - 1));
}

/* With few active lanes, looking at each of them is cheaper than looking at all. */
enum { FEW_LANES = SL_LANES / 4 };

/* Where an access may go. A host pointer is an address and `bias`; in local memory, where every lane has its own and
 * all are as large, and the lane times `lane`. */
typedef struct bounds {
    u64 base, bytes, bias, lane;
    u32 size;
} bounds;

static inline bounds bounds_of(const sl_warp *w, const sl_op *o)
{
    u32 size = (u32)o->size * o->count;
    if (o->space == SL_SPACE_SHARED)
        return (bounds){w->block->shared_base, w->block->shared_bytes,
                        (u64)(uintptr_t)w->block->shared - w->block->shared_base, 0, size};
    if (o->space == SL_SPACE_LOCAL)
        return (bounds){0, w->local_capacity, (u64)(uintptr_t)w->local, w->local_capacity, size};
    return (bounds){w->worker->range[o->inst].base, w->worker->range[o->inst].bytes, w->worker->shift, 0, size};
}

static inline bool within(const bounds *b, u64 addr)
{
    return b->bytes >= b->size && addr - b->base <= b->bytes - b->size && !(addr & (b->size - 1));
}

/* Learns the allocation for next time. False: it was the same, or there is none. */
static __attribute__((noinline)) bool learn_range(sl_warp *w, const sl_op *o, u64 addr)
{
    if (o->space == SL_SPACE_SHARED || o->space == SL_SPACE_LOCAL)
        return false;
    sl_range_cache *range = &w->worker->range[o->inst];
    const sl_alloc *alloc = sl_heap_find(w->worker->run->emu->heap, addr);
    if (!alloc || alloc->kind == SL_ALLOC_INTERNAL || (alloc->base == range->base && alloc->bytes == range->bytes))
        return false;
    *range = (sl_range_cache){alloc->base, alloc->bytes};
    return true;
}

static inline u64 lane_address(const sl_warp *w, const sl_op *o, int i)
{
    if (o->aux & SL_ADDRESS_32)
        return (u32)(((const u32 *)sl_operand(w, o->a))[i] + (u32)o->imm);
    return ((const u64 *)sl_operand(w, o->a))[i] + (u64)o->imm;
}

/* Whether all lanes are where those of the last access were, or at least in one allocation. */
static inline bool fast_path(sl_warp *w, const sl_op *o, const u64 *addr, bounds *b)
{
    *b = bounds_of(w, o);
    if (in_range(addr, b->base, b->bytes, b->size))
        return true;
    if (!learn_range(w, o, addr[0]))
        return false;
    *b = bounds_of(w, o);
    return in_range(addr, b->base, b->bytes, b->size);
}

/* The addresses of few active lanes, in w->few_addr; true when all of them are where the last ones were. */
static inline bool few_addresses(sl_warp *w, const sl_op *o, bounds *b)
{
    u64 *addr = w->few_addr;
    bool fast = true;
    *b = bounds_of(w, o);
    SL_EACH_ACTIVE(w, i)
    {
        addr[i] = lane_address(w, o, i);
        fast &= within(b, addr[i]);
    }
    record(w, o, addr);
    if (!fast)
        learn_range(w, o, addr[__builtin_ctzll(w->mask)]);
    return fast;
}

/* ---- shapes ---- */

static inline sl_shape *shape_of(const sl_warp *w, const sl_op *o)
{
    return (sl_shape *)(w->worker->shapes + (size_t)(o->aux >> SL_SHAPE_SHIFT) * SL_SHAPE_BYTES(SL_LANES));
}

/* Whether all active lanes are as far from the first one as they were. */
#define SL_DIFFERENCES(T, from, count)                                                                                 \
    SL_LOOP(count) other |= ((a[(from) + i] - a[first]) ^ distance[(from) + i]) & (T)(s32)on[(from) + i]
#define SL_SAME_SHAPE(T)                                                                                               \
    static inline bool same_shape_##T(const sl_warp *w, const sl_op *o, const sl_shape *s, u32 first, u64 *at)         \
    {                                                                                                                  \
        const T *a = sl_operand(w, o->a), *distance = distances_##T(s);                                                \
        const u32 *on = __builtin_assume_aligned(w->lanes, 64), eight = first & ~7u;                                   \
        T other = 0;                                                                                                   \
        *at = (T)(a[first] + (T)o->imm);                                                                               \
        if (w->active == 1)                                                                                            \
            return s->lanes == 1;                                                                                      \
        if (w->mask != s->mask)                                                                                        \
            return false;                                                                                              \
        if (w->mask == ALL_LANES)                                                                                      \
            SL_LANES_LOOP other |= (a[i] - a[first]) ^ distance[i];                                                    \
        else if (w->mask >> eight < 256)                                                                               \
            SL_DIFFERENCES(T, eight, 8);                                                                               \
        else if (w->mask >> SL_LANES / 2 == 0)                                                                         \
            SL_DIFFERENCES(T, 0, SL_LANES / 2);                                                                        \
        else                                                                                                           \
            SL_DIFFERENCES(T, 0, SL_LANES);                                                                            \
        return !other;                                                                                                 \
    }
SL_SAME_SHAPE(u32)
SL_SAME_SHAPE(u64)

/* What a shape is good for, from the distances of its lanes. */
static void describe_shape(sl_shape *s, u64 mask, const bounds *b)
{
    const u64 *distance = distances_u64(s);
    const u32 first = (u32)__builtin_ctzll(mask);
    const u64 neighbors = mask >> first;
    s64 lowest = 0, highest = 0, before = 0;
    u32 lane = 0, run = 0;
    bool lines = !(neighbors & (neighbors + 1));
    s->mask = mask;
    s->lanes = (u32)__builtin_popcountll(mask);
    s->stride = s->lanes > 1 ? distance[(first + 1) % SL_LANES] : 0;
    s->apart = true;
    for (u64 left = mask & (mask - 1); left; left &= left - 1) {
        s64 now = (s64)distance[__builtin_ctzll(left)];
        bool goes_on = (u64)(now - before) == s->stride;
        lane++;
        run = run || goes_on ? run : lane;
        lines &= goes_on || lane % run == 0;
        lowest = now < lowest ? now : lowest;
        highest = now > highest ? now : highest;
        s->apart &= now - before >= b->size;
        before = now;
    }
    s->run = !lines ? 0 : !run ? s->lanes : run >= 4 ? run : 0;
    s->low = b->base - (u64)lowest;
    s->room = b->bytes - b->size - (u64)(highest - lowest);
    s->unaligned = b->size - 1;
    s->counts = (sl_shape_counts){.mask = mask, .lowest = lowest, .highest = highest};
}

/* Takes a close look at lanes that lie in another way than they did: ever less often, where they never lie so again. */
static __attribute__((noinline)) bool learn_shape(sl_warp *w, const sl_op *o, sl_shape *s)
{
    _Alignas(64) u64 addr[SL_LANES];
    bounds b;
    s->misses = s->hit ? 0 : (s->misses + 1) % 64;
    s->hit = false;
    if (s->misses & (s->misses - 1) || (o->space == SL_SPACE_SHARED && w->code->knows_clusters))
        return false;
    addresses(w, o, addr);
    if (!fast_path(w, o, addr, &b))
        return false;
    u64 *distance = distances_u64(s), from = addr[__builtin_ctzll(w->mask)];
    u32 *narrow = distances_u32(s);
    SL_LANES_LOOP
    {
        distance[i] = addr[i] - from;
        narrow[i] = (u32)distance[i];
    }
    describe_shape(s, w->mask, &b);
    return true;
}

/* Whether the active lanes lie as they did when the instruction ran last, or at least as it can from now on, all of
 * them aligned and inside of one allocation or of shared memory. `at`: where the first of them is; it is recorded. */
static inline __attribute__((always_inline)) bool as_before(sl_warp *w, const sl_op *o, sl_shape *s, u64 *at)
{
    u32 first = (u32)__builtin_ctzll(w->mask);
    bool same = o->aux & SL_ADDRESS_32 ? same_shape_u32(w, o, s, first, at) : same_shape_u64(w, o, s, first, at);
    if (same && *at - s->low <= s->room && !(*at & s->unaligned))
        s->hit = true;
    else if (!learn_shape(w, o, s))
        return false;
    if (w->watched)
        record_shape(w, o, s, *at);
    return true;
}

static inline u64 bias_of(const sl_warp *w, const sl_op *o)
{
    return o->space == SL_SPACE_SHARED ? (u64)(uintptr_t)w->block->shared : w->worker->shift;
}

static inline u32 destination(const sl_warp *w, const sl_op *o, u32 element)
{
    return o->count == 1 ? o->d : w->code->list[o->list + element];
}

/* A loop over neighboring lanes, in steps of eight where there are as many; they may overlap. */
#define SL_EIGHT(from, body) SL_VECTORS SL_ROLLED for (int i = (int)(from), end_ = i + 8; i < end_; i++) body
#define SL_NEIGHBORS(count, body)                                                                                      \
    if ((count) == SL_LANES) {                                                                                         \
        SL_LANES_LOOP body;                                                                                            \
    } else if ((count) >= 8) {                                                                                         \
        for (u32 from_ = 0; from_ + 8 < (count); from_ += 8)                                                           \
            SL_EIGHT(from_, body);                                                                                     \
        SL_EIGHT((count)-8, body);                                                                                     \
    } else {                                                                                                           \
        SL_UNROLLED for (u32 i = 0; i < (count); i++) body;                                                            \
    }

/* The lines of a shape: `count` lanes from k on. */
#define SL_EACH_RUN(s, k)                                                                                              \
    for (u32 k = 0, count; k < (s)->lanes && (count = (s)->lanes - k < (s)->run ? (s)->lanes - k : (s)->run);          \
         k += count)

#define SL_LOAD(M, R)                                                                                                  \
    static __attribute__((noinline)) void load_lanes_##M##_##R(sl_warp *w, const sl_op *o, const u64 *addr)            \
    {                                                                                                                  \
        bool check = w->worker->run->emu->check_uninit;                                                                \
        SL_EACH_ACTIVE(w, i)                                                                                           \
        {                                                                                                              \
            u32 bytes = (u32)sizeof(M) * o->count;                                                                     \
            const u8 *from = sl_memory_resolve(w, o, i, addr[i], bytes, false);                                        \
            if (check)                                                                                                 \
                sl_memory_check_read(w, o, i, addr[i], bytes);                                                         \
            for (u32 e = 0; e < o->count; e++) {                                                                       \
                M value;                                                                                               \
                memcpy(&value, from + e * sizeof(M), sizeof value);                                                    \
                ((R *)sl_operand(w, destination(w, o, e)))[i] = (R)value;                                              \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void load_fast_##M##_##R(sl_warp *w, const sl_op *o, const bounds *b, const u64 *addr)               \
    {                                                                                                                  \
        for (u32 e = 0; e < o->count; e++) {                                                                           \
            R *d = sl_operand(w, destination(w, o, e)), value[SL_LANES], *to = w->full ? d : value;                    \
            u64 from = b->bias + e * sizeof(M), lane = b->lane;                                                        \
            if (w->active <= FEW_LANES) {                                                                              \
                SL_EACH_ACTIVE(w, i) d[i] = (R) * (const M *)(uintptr_t)(from + addr[i] + (u64)i * lane);              \
                continue;                                                                                              \
            }                                                                                                          \
            for (int i = 0; i < SL_LANES; i++, from += lane)                                                           \
                to[i] = (R) * (const M *)(uintptr_t)(from + addr[i]);                                                  \
            if (to == value)                                                                                           \
                SL_WRITE_LANES(w, d, value[i]);                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static __attribute__((noinline)) void load_few_##M##_##R(sl_warp *w, const sl_op *o)                               \
    {                                                                                                                  \
        bounds b;                                                                                                      \
        u64 *addr = w->few_addr;                                                                                       \
        if (!few_addresses(w, o, &b)) {                                                                                \
            load_lanes_##M##_##R(w, o, addr);                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        load_fast_##M##_##R(w, o, &b, addr);                                                                           \
    }                                                                                                                  \
    static inline void load_line_##M##_##R(R *d, u64 from, u64 stride, u32 count)                                      \
    {                                                                                                                  \
        const M *m = (const M *)(uintptr_t)from;                                                                       \
        if (stride == sizeof(M)) {                                                                                     \
            SL_NEIGHBORS(count, d[i] = (R)m[i])                                                                        \
        } else if (stride == 0) {                                                                                      \
            R value = (R)*m;                                                                                           \
            SL_NEIGHBORS(count, d[i] = value)                                                                          \
        } else {                                                                                                       \
            SL_UNROLLED for (u32 i = 0; i < count; i++, from += stride) d[i] = (R) * (const M *)(uintptr_t)from;       \
        }                                                                                                              \
    }                                                                                                                  \
    SL_HANDLER(ld_general_##M##_##R)                                                                                   \
    {                                                                                                                  \
        _Alignas(64) u64 addr[SL_LANES];                                                                               \
        bounds b;                                                                                                      \
        if (w->active <= FEW_LANES && o->space == SL_SPACE_LOCAL) {                                                    \
            load_few_##M##_##R(w, o);                                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        addresses(w, o, addr);                                                                                         \
        record(w, o, addr);                                                                                            \
        if (o->space == SL_SPACE_LOCAL && fast_path(w, o, addr, &b))                                                   \
            load_fast_##M##_##R(w, o, &b, addr);                                                                       \
        else                                                                                                           \
            load_lanes_##M##_##R(w, o, addr);                                                                          \
    }                                                                                                                  \
    static                                                                                                             \
        __attribute__((noinline)) void load_lines_##M##_##R(sl_warp *w, const sl_op *o, const sl_shape *s, u64 from)   \
    {                                                                                                                  \
        const u64 *distance = distances_u64(s) + __builtin_ctzll(w->mask);                                             \
        for (u32 e = 0; e < o->count; e++, from += sizeof(M)) {                                                        \
            R *d = (R *)sl_operand(w, destination(w, o, e)) + __builtin_ctzll(w->mask);                                \
            SL_EACH_RUN(s, k) load_line_##M##_##R(d + k, from + distance[k], s->stride, count);                        \
        }                                                                                                              \
    }                                                                                                                  \
    static __attribute__((noinline)) void load_otherwise_##M##_##R(sl_warp *w, const sl_op *o)                         \
    {                                                                                                                  \
        _Alignas(64) u64 addr[SL_LANES];                                                                               \
        bounds b;                                                                                                      \
        if (w->active <= FEW_LANES) {                                                                                  \
            load_few_##M##_##R(w, o);                                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        addresses(w, o, addr);                                                                                         \
        record(w, o, addr);                                                                                            \
        if (fast_path(w, o, addr, &b))                                                                                 \
            load_fast_##M##_##R(w, o, &b, addr);                                                                       \
        else                                                                                                           \
            load_lanes_##M##_##R(w, o, addr);                                                                          \
    }                                                                                                                  \
    SL_HANDLER(ld_##M##_##R)                                                                                           \
    {                                                                                                                  \
        sl_shape *s = shape_of(w, o);                                                                                  \
        u64 from, first = (u64)__builtin_ctzll(w->mask);                                                               \
        if (!as_before(w, o, s, &from)) {                                                                              \
            load_otherwise_##M##_##R(w, o);                                                                            \
            return;                                                                                                    \
        }                                                                                                              \
        from += bias_of(w, o);                                                                                         \
        if (s->run == s->lanes && o->count == 1)                                                                       \
            load_line_##M##_##R((R *)sl_operand(w, o->d) + first, from, s->stride, s->lanes);                          \
        else if (s->run)                                                                                               \
            load_lines_##M##_##R(w, o, s, from);                                                                       \
        else                                                                                                           \
            load_fast_##M##_##R(w, o, &(bounds){.bias = from}, distances_u64(s));                                      \
    }
SL_LOAD(u8, u16)
SL_LOAD(u8, u32)
SL_LOAD(u8, u64)
SL_LOAD(s8, u16)
SL_LOAD(s8, u32)
SL_LOAD(s8, u64)
SL_LOAD(u16, u16)
SL_LOAD(u16, u32)
SL_LOAD(u16, u64)
SL_LOAD(s16, u16)
SL_LOAD(s16, u32)
SL_LOAD(s16, u64)
SL_LOAD(u32, u32)
SL_LOAD(u32, u64)
SL_LOAD(s32, u64)
SL_LOAD(u64, u64)

/* Active lanes one by one, in the order in which an H200 stores them: 128 bytes at a time, and of those the lowest lane
 * last. Where lanes of one store have the same address, it is what stays. */
#define SL_EACH_STORED(warp, bytes, i)                                                                                 \
    for (u32 group_ = (bytes) > 4 ? 128 / (bytes) : 32, first_ = 0; first_ < SL_LANES; first_ += group_)               \
        for (u64 left_ = (warp)->mask >> first_ & (((u64)1 << group_) - 1), bit_; left_; left_ ^= bit_)                \
            for (int top_ = 63 - __builtin_clzll(left_), i = (int)first_ + top_, once_ = (bit_ = (u64)1 << top_, 1);   \
                 once_; once_ = 0)

#define SL_STORE(M, R)                                                                                                 \
    static __attribute__((noinline)) void store_lanes_##M##_##R(sl_warp *w, const sl_op *o, const u64 *addr)           \
    {                                                                                                                  \
        bool check = w->worker->run->emu->check_uninit;                                                                \
        u32 bytes = (u32)sizeof(M) * o->count;                                                                         \
        u8 *to[SL_LANES];                                                                                              \
        SL_EACH_ACTIVE(w, i)                                                                                           \
        {                                                                                                              \
            to[i] = sl_memory_resolve(w, o, i, addr[i], bytes, true);                                                  \
            if (check)                                                                                                 \
                sl_memory_mark_written(w, o, i, addr[i], bytes);                                                       \
        }                                                                                                              \
        SL_EACH_STORED(w, bytes, i)                                                                                    \
        for (u32 e = 0; e < o->count; e++) {                                                                           \
            M value = (M)((const R *)sl_operand(w, destination(w, o, e)))[i];                                          \
            memcpy(to[i] + e * sizeof(M), &value, sizeof value);                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void store_fast_##M##_##R(sl_warp *w, const sl_op *o, const bounds *b, const u64 *addr)              \
    {                                                                                                                  \
        const R *from[16];                                                                                             \
        for (u32 e = 0; e < o->count; e++)                                                                             \
            from[e] = sl_operand(w, destination(w, o, e));                                                             \
        if (w->mask == ALL_LANES && o->count == 1) { /* the same order */                                              \
            const int group = sizeof(M) > 4 ? 128 / (int)sizeof(M) : 32;                                               \
            for (int first = 0; first < SL_LANES; first += group)                                                      \
                for (int i = first + group - 1; i >= first; i--)                                                       \
                    *(M *)(uintptr_t)(b->bias + addr[i] + (u64)i * b->lane) = (M)from[0][i];                           \
            return;                                                                                                    \
        }                                                                                                              \
        SL_EACH_STORED(w, (u32)sizeof(M) * o->count, i)                                                                \
        for (u32 e = 0; e < o->count; e++)                                                                             \
            ((M *)(uintptr_t)(b->bias + addr[i] + (u64)i * b->lane))[e] = (M)from[e][i];                               \
    }                                                                                                                  \
    static __attribute__((noinline)) void store_few_##M##_##R(sl_warp *w, const sl_op *o)                              \
    {                                                                                                                  \
        bounds b;                                                                                                      \
        if (few_addresses(w, o, &b))                                                                                   \
            store_fast_##M##_##R(w, o, &b, w->few_addr);                                                               \
        else                                                                                                           \
            store_lanes_##M##_##R(w, o, w->few_addr);                                                                  \
    }                                                                                                                  \
    static inline void store_line_##M##_##R(const R *d, u64 to, u64 stride, u32 count)                                 \
    {                                                                                                                  \
        M *m = (M *)(uintptr_t)to;                                                                                     \
        if (stride == sizeof(M)) {                                                                                     \
            SL_NEIGHBORS(count, m[i] = (M)d[i])                                                                        \
        } else {                                                                                                       \
            SL_UNROLLED for (u32 i = 0; i < count; i++, to += stride) * (M *)(uintptr_t)to = (M)d[i];                  \
        }                                                                                                              \
    }                                                                                                                  \
    SL_HANDLER(st_general_##M##_##R)                                                                                   \
    {                                                                                                                  \
        _Alignas(64) u64 addr[SL_LANES];                                                                               \
        bounds b;                                                                                                      \
        if (w->active <= FEW_LANES && o->space == SL_SPACE_LOCAL) {                                                    \
            store_few_##M##_##R(w, o);                                                                                 \
            return;                                                                                                    \
        }                                                                                                              \
        addresses(w, o, addr);                                                                                         \
        record(w, o, addr);                                                                                            \
        if (o->space == SL_SPACE_LOCAL && fast_path(w, o, addr, &b))                                                   \
            store_fast_##M##_##R(w, o, &b, addr);                                                                      \
        else                                                                                                           \
            store_lanes_##M##_##R(w, o, addr);                                                                         \
    }                                                                                                                  \
    static __attribute__((noinline)) void store_lines_##M##_##R(sl_warp *w, const sl_op *o, const sl_shape *s, u64 to) \
    {                                                                                                                  \
        const u64 *distance = distances_u64(s) + __builtin_ctzll(w->mask);                                             \
        for (u32 e = 0; e < o->count; e++, to += sizeof(M)) {                                                          \
            const R *d = (const R *)sl_operand(w, destination(w, o, e)) + __builtin_ctzll(w->mask);                    \
            SL_EACH_RUN(s, k) store_line_##M##_##R(d + k, to + distance[k], s->stride, count);                         \
        }                                                                                                              \
    }                                                                                                                  \
    static __attribute__((noinline)) void store_otherwise_##M##_##R(sl_warp *w, const sl_op *o)                        \
    {                                                                                                                  \
        _Alignas(64) u64 addr[SL_LANES];                                                                               \
        bounds b;                                                                                                      \
        if (w->active <= FEW_LANES) {                                                                                  \
            store_few_##M##_##R(w, o);                                                                                 \
            return;                                                                                                    \
        }                                                                                                              \
        addresses(w, o, addr);                                                                                         \
        record(w, o, addr);                                                                                            \
        if (fast_path(w, o, addr, &b))                                                                                 \
            store_fast_##M##_##R(w, o, &b, addr);                                                                      \
        else                                                                                                           \
            store_lanes_##M##_##R(w, o, addr);                                                                         \
    }                                                                                                                  \
    SL_HANDLER(st_##M##_##R)                                                                                           \
    {                                                                                                                  \
        sl_shape *s = shape_of(w, o);                                                                                  \
        u64 to, first = (u64)__builtin_ctzll(w->mask);                                                                 \
        if (!as_before(w, o, s, &to)) {                                                                                \
            store_otherwise_##M##_##R(w, o);                                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        to += bias_of(w, o);                                                                                           \
        if (s->run == s->lanes && s->apart && o->count == 1)                                                           \
            store_line_##M##_##R((const R *)sl_operand(w, o->d) + first, to, s->stride, s->lanes);                     \
        else if (s->run && s->apart)                                                                                   \
            store_lines_##M##_##R(w, o, s, to);                                                                        \
        else                                                                                                           \
            store_fast_##M##_##R(w, o, &(bounds){.bias = to}, distances_u64(s));                                       \
    }
SL_STORE(u8, u16)
SL_STORE(u8, u32)
SL_STORE(u8, u64)
SL_STORE(u16, u16)
SL_STORE(u16, u32)
SL_STORE(u16, u64)
SL_STORE(u32, u32)
SL_STORE(u32, u64)
SL_STORE(u64, u64)

/* Kernel parameters: the same value for every lane. d is a register of `size` bytes per lane. */
#define SL_LOAD_PARAM(M)                                                                                               \
    SL_HANDLER(ldparam_##M)                                                                                            \
    {                                                                                                                  \
        M value;                                                                                                       \
        memcpy(&value, w->worker->run->params + o->imm, sizeof value);                                                 \
        if (o->size == 2) {                                                                                            \
            u16 *d = sl_operand(w, o->d);                                                                              \
            SL_WRITE_LANES(w, d, (u16)value);                                                                          \
        } else if (o->size == 4) {                                                                                     \
            u32 *d = sl_operand(w, o->d);                                                                              \
            SL_WRITE_LANES(w, d, (u32)value);                                                                          \
        } else {                                                                                                       \
            u64 *d = sl_operand(w, o->d);                                                                              \
            SL_WRITE_LANES(w, d, (u64)value);                                                                          \
        }                                                                                                              \
    }
SL_LOAD_PARAM(u8)
SL_LOAD_PARAM(s8)
SL_LOAD_PARAM(u16)
SL_LOAD_PARAM(s16)
SL_LOAD_PARAM(u32)
SL_LOAD_PARAM(s32)
SL_LOAD_PARAM(u64)

/* Address of a variable in the running function's local frame; size 4 or 8 bytes per lane. */
SL_HANDLER(local_address)
{
    u64 value = w->local_base + (u64)o->imm;
    if (o->size == 4) {
        u32 *d = sl_operand(w, o->d);
        SL_WRITE_LANES(w, d, (u32)value);
    } else {
        u64 *d = sl_operand(w, o->d);
        SL_WRITE_LANES(w, d, value);
    }
}

/* Generic addresses of shared and local memory are offsets in a window. */
#define SL_CVTA(name, expr)                                                                                            \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        u64 *d = sl_operand(w, o->d);                                                                                  \
        const u64 *a = sl_operand(w, o->a);                                                                            \
        SL_WRITE_LANES(w, d, (expr));                                                                                  \
    }
SL_CVTA(cvta_shared, a[i] + SL_SHARED_WINDOW)
SL_CVTA(cvta_local, a[i] + SL_LOCAL_WINDOW)
SL_CVTA(cvta_to_shared, a[i] - SL_SHARED_WINDOW)
SL_CVTA(cvta_to_local, a[i] - SL_LOCAL_WINDOW)

/* aux: the space asked for; count: 1 for that of the whole cluster. */
SL_HANDLER(isspacep)
{
    pr *d = sl_operand(w, o->d);
    const u64 *a = sl_operand(w, o->a);
    u32 space = o->aux;
    u64 own = space == SL_SPACE_SHARED && !o->count ? SL_SHARED_WINDOW + w->block->shared_base : SL_SHARED_WINDOW;
    u64 bytes = space == SL_SPACE_SHARED && !o->count ? (u64)1 << SL_RANK_BIT : SL_WINDOW_BYTES;
    SL_WRITE_LANES(w, d, ({
                       bool shared = a[i] - own < bytes, local = a[i] - SL_LOCAL_WINDOW < SL_WINDOW_BYTES;
                       -(pr)(space == SL_SPACE_SHARED ? shared : space == SL_SPACE_LOCAL ? local : !shared && !local);
                   }));
}

/* ---- atomics: lane after lane, in order ---- */

/* The sum of two numbers in half precision, which f32 rounds only once. */
static inline u32 add_f16(u32 a, u32 b)
{
    return f16_f32(f32_f16(a & 0xffff) + f32_f16(b & 0xffff));
}

static inline u32 add_bf16(u32 a, u32 b)
{
    return bf16_f32(f32_bf16(a & 0xffff) + f32_bf16(b & 0xffff));
}

static inline u32 add_f16x2(u32 a, u32 b)
{
    return add_f16(a >> 16, b >> 16) << 16 | add_f16(a, b);
}

static inline u32 add_bf16x2(u32 a, u32 b)
{
    return add_bf16(a >> 16, b >> 16) << 16 | add_bf16(a, b);
}

#define SL_ADD_F16X2  add_f16x2
#define SL_ADD_BF16X2 add_bf16x2
#include "emu/atomic.h"

/* Lanes of one address: it is read and written once. */
#define SL_ATOMIC_SAME(T, result, what)                                                                                \
    {                                                                                                                  \
        T old = value;                                                                                                 \
        value = result(what, old, b[i], c[i]);                                                                         \
        d[i] = old;                                                                                                    \
    }
#define SL_ATOMIC_LOOP(T, result, what)                                                                                \
    if (same) {                                                                                                        \
        T *word = (T *)(uintptr_t)(at.bias + addr[0]), value = *word;                                                  \
        if (w->mask == ALL_LANES) {                                                                                    \
            for (int i = 0; i < SL_LANES; i++)                                                                         \
                SL_ATOMIC_SAME(T, result, what)                                                                        \
        } else {                                                                                                       \
            SL_EACH_ACTIVE(w, i) SL_ATOMIC_SAME(T, result, what)                                                       \
        }                                                                                                              \
        *word = value;                                                                                                 \
    } else {                                                                                                           \
        SL_EACH_ACTIVE(w, i)                                                                                           \
        {                                                                                                              \
            T *word = (T *)(uintptr_t)(at.bias + addr[i]), old = *word;                                                \
            *word = result(what, old, b[i], c[i]);                                                                     \
            d[i] = old;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    break

/* Blocks on other host threads may update the same word when the order cannot be seen in the result (integer
 * reductions, see independence.c), so the update itself is a host atomic then. `usual` is what atomics mostly are,
 * compiled by itself. */
#define SL_ATOMIC(T, result, usual)                                                                                    \
    static __attribute__((noinline)) void atomic_lanes_##T(sl_warp *w, const sl_op *o, const u64 *addr, u32 what,      \
                                                           const u64 *bias)                                            \
    {                                                                                                                  \
        T *d = sl_operand(w, o->d);                                                                                    \
        const T *b = sl_operand(w, o->b), *c = sl_operand(w, o->c);                                                    \
        SL_EACH_ACTIVE(w, i)                                                                                           \
        {                                                                                                              \
            T *word = bias ? (T *)(uintptr_t)(*bias + addr[i]) : sl_memory_resolve(w, o, i, addr[i], sizeof(T), true); \
            if (!bias && w->worker->run->emu->check_uninit) {                                                          \
                sl_memory_check_read(w, o, i, addr[i], sizeof(T));                                                     \
                sl_memory_mark_written(w, o, i, addr[i], sizeof(T));                                                   \
            }                                                                                                          \
            T old = __atomic_load_n(word, __ATOMIC_RELAXED);                                                           \
            while (!__atomic_compare_exchange_n(word, &old, result(what, old, b[i], c[i]), true, __ATOMIC_RELAXED,     \
                                                __ATOMIC_RELAXED))                                                     \
                ;                                                                                                      \
            d[i] = old;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    SL_HANDLER(atomic_##T)                                                                                             \
    {                                                                                                                  \
        _Alignas(64) u64 addr[SL_LANES];                                                                               \
        bounds at;                                                                                                     \
        u64 differ = 0;                                                                                                \
        u32 what = o->aux & ~(u32)SL_ATOM_ADDRESS_32;                                                                  \
        addresses_of(w, o, o->aux &SL_ATOM_ADDRESS_32, addr);                                                          \
        record(w, o, addr);                                                                                            \
        bool others = w->worker->run->parallel && o->space != SL_SPACE_SHARED;                                         \
        bool fast = o->space != SL_SPACE_LOCAL && fast_path(w, o, addr, &at) && !w->worker->run->emu->check_uninit;    \
        if (!fast || others) {                                                                                         \
            atomic_lanes_##T(w, o, addr, what, fast ? &at.bias : NULL);                                                \
            return;                                                                                                    \
        }                                                                                                              \
        SL_LANES_LOOP differ |= addr[i] ^ addr[0];                                                                     \
        bool same = !differ;                                                                                           \
        T *d = sl_operand(w, o->d);                                                                                    \
        const T *b = sl_operand(w, o->b), *c = sl_operand(w, o->c);                                                    \
        switch (what) {                                                                                                \
            usual(T, result);                                                                                          \
        default:                                                                                                       \
            SL_ATOMIC_LOOP(T, result, what);                                                                           \
        }                                                                                                              \
    }
#define SL_ATOMIC_CASE(T, result, what)                                                                                \
    case what:                                                                                                         \
        SL_ATOMIC_LOOP(T, result, what)
#define SL_USUAL_16(T, result)                                                                                         \
    SL_ATOMIC_CASE(T, result, SL_ATOM_CAS);                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_EXCH)
#define SL_USUAL_32(T, result)                                                                                         \
    SL_USUAL_16(T, result);                                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_ADD);                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_ADD_F32);                                                                        \
    SL_ATOMIC_CASE(T, result, SL_ATOM_MIN_U);                                                                          \
    SL_ATOMIC_CASE(T, result, SL_ATOM_MAX_U);                                                                          \
    SL_ATOMIC_CASE(T, result, SL_ATOM_MIN_S);                                                                          \
    SL_ATOMIC_CASE(T, result, SL_ATOM_MAX_S);                                                                          \
    SL_ATOMIC_CASE(T, result, SL_ATOM_AND);                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_OR);                                                                             \
    SL_ATOMIC_CASE(T, result, SL_ATOM_XOR);                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_INC);                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_DEC);                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_ADD_F16X2);                                                                      \
    SL_ATOMIC_CASE(T, result, SL_ATOM_ADD_BF16X2)
#define SL_USUAL_64(T, result)                                                                                         \
    SL_USUAL_16(T, result);                                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_ADD);                                                                            \
    SL_ATOMIC_CASE(T, result, SL_ATOM_ADD_F64)
SL_ATOMIC(u32, sl_atomic_result_32, SL_USUAL_32)
SL_ATOMIC(u64, sl_atomic_result_64, SL_USUAL_64)
SL_ATOMIC(u16, sl_atomic_result_16, SL_USUAL_16)

/* 128-bit exch and cas: d, b, c are pairs of 64-bit registers: list holds d.hi, b.hi, c.hi. */
SL_HANDLER(atomic_u128)
{
    _Alignas(64) u64 addr[SL_LANES];
    addresses_of(w, o, o->aux & SL_ATOM_ADDRESS_32, addr);
    record(w, o, addr);
    u64 *low = sl_operand(w, o->d), *high = sl_operand(w, w->code->list[o->list]);
    const u64 *b = sl_operand(w, o->b), *b_high = sl_operand(w, w->code->list[o->list + 1]);
    const u64 *c = sl_operand(w, o->c), *c_high = sl_operand(w, w->code->list[o->list + 2]);
    bool cas = (o->aux & ~(u32)SL_ATOM_ADDRESS_32) == SL_ATOM_CAS;
    SL_EACH_ACTIVE(w, i)
    {
        u64 *word = sl_memory_resolve(w, o, i, addr[i], 16, true);
        u64 old[2] = {word[0], word[1]};
        if (!cas || (old[0] == b[i] && old[1] == b_high[i])) {
            word[0] = cas ? c[i] : b[i];
            word[1] = cas ? c_high[i] : b_high[i];
        }
        low[i] = old[0];
        high[i] = old[1];
    }
}

/* A prefetch of an address that is not mapped does nothing, as on a GPU. */
SL_HANDLER(prefetch)
{
    _Alignas(64) u64 addr[SL_LANES];
    addresses(w, o, addr);
    record(w, o, addr);
}

/* cp.async: global (b) to shared (a), at once. list[0]: reference of the source size or SL_REF_NONE. */
SL_HANDLER(cp_async)
{
    _Alignas(64) u64 to[SL_LANES], from[SL_LANES];
    addresses(w, o, to);
    sl_op source = *o;
    source.a = o->b;
    source.aux = 0;
    source.imm = (s64)((u64)w->code->list[o->list + 2] << 32 | w->code->list[o->list + 1]);
    addresses(w, &source, from);
    record(w, o, from);
    if (w->race)
        sl_race_copy(w, o, to);
    source.space = SL_SPACE_GLOBAL;
    const u32 *limit = w->code->list[o->list] == SL_REF_NONE ? NULL : sl_operand(w, w->code->list[o->list]);
    bool check = w->worker->run->emu->check_uninit;
    SL_EACH_ACTIVE(w, i)
    {
        u32 bytes = limit && limit[i] < o->size ? limit[i] : o->size;
        u8 *target = sl_memory_resolve(w, o, i, to[i], o->size, true);
        if (bytes) {
            const void *origin = sl_memory_resolve_aligned(w, &source, i, from[i], bytes, o->size, false);
            if (check)
                sl_memory_check_read(w, &source, i, from[i], bytes);
            memcpy(target, origin, bytes);
        }
        if (check)
            sl_memory_mark_written(w, o, i, to[i], o->size);
        memset(target + bytes, 0, o->size - bytes);
    }
}

SL_HANDLER(bulk)
{
    sl_bulk_execute(w, o);
}

/* a: the map's address; b: the new value. aux: field and dimension. */
SL_HANDLER(tensor_map_edit)
{
    sl_tensor_map_edit(w, o);
}

/* aux: sl_race_wait, and 16 times the agent; imm: groups that are not waited for. */
SL_HANDLER(race_groups)
{
    if (w->race)
        sl_race_groups(w, (sl_race_agent)(o->aux >> 4), (sl_race_wait)(o->aux & 15), (u32)o->imm);
}

SL_HANDLER(race_fence)
{
    (void)o;
    if (w->race)
        sl_race_fence(w);
}

/* a: address of a barrier; b: whether its phase was complete. */
SL_HANDLER(race_waited)
{
    const u64 *addr = sl_operand(w, o->a);
    const pr *complete = sl_operand(w, o->b);
    SL_EACH_ACTIVE(w, i)
    {
        if (w->race && complete[i])
            sl_race_waited(w, o, i, addr[i]);
    }
}

SL_HANDLER(fence)
{
    (void)w, (void)o;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
