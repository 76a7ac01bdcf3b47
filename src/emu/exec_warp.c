/* SPDX-License-Identifier: MIT */
/* Instructions in which lanes of a warp see each other. PTX warps have 32 lanes; a 64-lane warp is two of them side by
 * side, and these instructions work on each half by itself (but see WHOLE). Whether all named lanes have arrived is the
 * scheduler's business (warp.c); here the active mask is what takes part. */
#include "emu/exec.h"

static inline u32 half_mask(const sl_warp *w, int half)
{
    return (u32)(w->mask >> 32 * half);
}

/* What a lane reads of one that does not take part is undefined. */
static void look_for_absent(sl_warp *w, const sl_op *o, const pr *ok, const u32 *from)
{
    SL_EACH_ACTIVE(w, i)
    {
        if (ok[i] && !(w->mask >> from[i] & 1)) {
            sl_note_absent(w, o, (int)i, (int)(from[i] & 31));
            return;
        }
    }
}

/* The same result for the lanes of `execute`. */
static inline void spread(u32 *d, int half, u32 execute, u32 result)
{
    d += 32 * half;
    if (execute == ~0u) {
        for (int i = 0; i < 32; i++)
            d[i] = result;
    } else {
        for (u32 left = execute; left; left &= left - 1)
            d[__builtin_ctz(left)] = result;
    }
}

/* Two bits of the last operand that PTX leaves unused make a shuffle cross the halves of 64 lanes, which HIP's headers
 * need: with WHOLE it is one of 64 lanes, with OTHER_HALF it reads what the lowest lane that takes part of the other
 * half has, or 0 without one. They have no meaning in a warp of 32. */
enum { OTHER_HALF = 0x40, WHOLE = 0x80 };

/* aux: 0 up, 1 down, 2 bfly, 3 idx. list[0]: reference of the in-range predicate or SL_REF_NONE. */
#define SL_SHUFFLE(index, within)                                                                                      \
    SL_LANES_LOOP                                                                                                      \
    {                                                                                                                  \
        s32 lane = i & last, offset = (s32)shift[i] & last, segment = (s32)(clamp[i] >> 8) & last;                     \
        s32 bound = (s32)clamp[i] & last, highest = (lane & segment) | (bound & ~segment), j = (index);                \
        ok[i] = (within) ? ~0u : 0;                                                                                    \
        from[i] = (u32)((i & ~last) | ((within) ? j & last : lane));                                                   \
    }
SL_HANDLER(shfl)
{
    u32 *d = sl_operand(w, o->d);
    const u32 *shift = sl_operand(w, o->b), *clamp = sl_operand(w, o->c);
    _Alignas(64) u32 source[SL_LANES], from[SL_LANES];
    _Alignas(64) pr ok[SL_LANES];
    memcpy(source, sl_operand(w, o->a), sizeof source); /* d may be a, b or c */
    pr *in_range = w->code->list[o->list] == SL_REF_NONE ? NULL : sl_operand(w, w->code->list[o->list]);
    const u32 across = SL_LANES == 64 ? clamp[__builtin_ctzll(w->mask)] : 0;
    const s32 last = across & WHOLE ? 63 : 31;
    if (across & OTHER_HALF) {
        for (int half = 0; half < HALVES; half++) {
            u32 others = half_mask(w, !half);
            spread(d, half, half_mask(w, half), others ? source[32 * !half + __builtin_ctz(others)] : 0);
        }
        return;
    }
    switch (o->aux) {
    case 0:
        SL_SHUFFLE(lane - offset, j >= highest)
        break;
    case 1:
        SL_SHUFFLE(lane + offset, j <= highest)
        break;
    case 2:
        SL_SHUFFLE(lane ^ offset, j <= highest)
        break;
    default:
        SL_SHUFFLE((lane & segment) | (offset & ~segment), j <= highest)
        break;
    }
    if (w->active != SL_LANES)
        look_for_absent(w, o, ok, from);
    SL_WRITE_LANES(w, d, source[from[i]]);
    if (in_range)
        SL_WRITE_LANES(w, in_range, ok[i]);
}

/* Lanes may name different members (tiles of a warp do): those that name the same ones are a group. Runs the body once
 * per group, with its lowest lane `first`, the lanes `group` of its half that are active and named, and those that
 * `execute` with these members. */
#define SL_EACH_GROUP(w, members, half, group, execute)                                                                \
    for (int half = 0; half < HALVES; half++)                                                                          \
        for (u32 todo_ = half_mask(w, half), group = 0, execute = 0;                                                   \
             todo_ && (group = group_of(w, members, half, todo_, &execute), true); todo_ &= ~execute)

static inline u32 group_of(const sl_warp *w, const u32 *members, int half, u32 todo, u32 *execute)
{
    if (!members) {
        *execute = todo;
        return todo;
    }
    u32 named = members[32 * half + __builtin_ctz(todo)], differ = 0;
    for (int i = 0; i < 32; i++) /* mostly all of them name the same */
        differ |= members[32 * half + i] ^ named;
    *execute = differ ? 0 : todo;
    for (u32 left = differ ? todo : 0; left; left &= left - 1)
        if (members[32 * half + __builtin_ctz(left)] == named)
            *execute |= left & -left;
    return half_mask(w, half) & named;
}

/* aux: 0 all, 1 any, 2 uni, 3 ballot; +4: the predicate a is negated. b: member mask or SL_REF_NONE. */
SL_HANDLER(vote)
{
    u64 yes = sl_pred_bits(sl_operand(w, o->a));
    if (o->aux & 4)
        yes = ~yes;
    u32 *d = sl_operand(w, o->d);
    u32 members[SL_LANES]; /* d may be the member mask */
    if (o->b != SL_REF_NONE)
        memcpy(members, sl_operand(w, o->b), sizeof members);
    SL_EACH_GROUP(w, o->b == SL_REF_NONE ? NULL : members, half, voters, execute)
    {
        u32 ayes = (u32)(yes >> 32 * half) & voters, result;
        switch (o->aux & 3) {
        case 0:
            result = ayes == voters ? ~0u : 0;
            break;
        case 1:
            result = ayes ? ~0u : 0;
            break;
        case 2:
            result = ayes == voters || !ayes ? ~0u : 0;
            break;
        default:
            result = ayes;
            break;
        }
        spread(d, half, execute, result);
    }
}

/* aux: 0 any, 1 all. b: member mask. list[0]: reference of the predicate of match.all or SL_REF_NONE. Lanes with the
 * same value are found together: most programs have few values. */
#define SL_MATCH(name, T)                                                                                              \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        u32 *d = sl_operand(w, o->d);                                                                                  \
        _Alignas(64) T value[SL_LANES];                                                                                \
        memcpy(value, sl_operand(w, o->a), sizeof value);                                                              \
        u32 members[SL_LANES];                                                                                         \
        memcpy(members, sl_operand(w, o->b), sizeof members);                                                          \
        pr *all = w->code->list[o->list] == SL_REF_NONE ? NULL : sl_operand(w, w->code->list[o->list]);                \
        for (u64 todo = w->mask, equal; todo; todo &= ~equal) {                                                        \
            int first = __builtin_ctzll(todo), half = first & 32;                                                      \
            _Alignas(64) pr same[SL_LANES];                                                                            \
            SL_LANES_LOOP same[i] = value[i] == value[first] ? ~0u : 0;                                                \
            u32 bits = (u32)(sl_pred_bits(same) >> half);                                                              \
            equal = (u64)bits << half & w->mask;                                                                       \
            for (u64 left = equal; left; left &= left - 1) {                                                           \
                int i = __builtin_ctzll(left);                                                                         \
                u32 group = half_mask(w, half >> 5) & members[i], matched = bits & group;                              \
                d[i] = o->aux == 0 ? matched : matched == group ? group : 0;                                           \
                if (all)                                                                                               \
                    all[i] = matched == group ? ~0u : 0;                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
SL_MATCH(match_b32, u32)
SL_MATCH(match_b64, u64)

SL_HANDLER(activemask)
{
    u32 *d = sl_operand(w, o->d);
    SL_EACH_ACTIVE(w, i) d[i] = half_mask(w, i >> 5);
}

/* aux: 0 add, 1 min.u, 2 max.u, 3 min.s, 4 max.s, 5 and, 6 or, 7 xor. b: member mask. */
SL_HANDLER(redux)
{
    u32 *d = sl_operand(w, o->d);
    u32 a[SL_LANES], members[SL_LANES]; /* d may be either */
    memcpy(a, sl_operand(w, o->a), sizeof a);
    memcpy(members, sl_operand(w, o->b), sizeof members);
    SL_EACH_GROUP(w, members, half, group, execute)
    {
        u32 result = 0;
        bool first = true;
        for (u32 left = group; left; left &= left - 1) {
            u32 x = a[32 * half + __builtin_ctz(left)];
            if (first) {
                result = x;
                first = false;
                continue;
            }
            switch (o->aux) {
            case 0:
                result += x;
                break;
            case 1:
                result = x < result ? x : result;
                break;
            case 2:
                result = x > result ? x : result;
                break;
            case 3:
                result = (s32)x < (s32)result ? x : result;
                break;
            case 4:
                result = (s32)x > (s32)result ? x : result;
                break;
            case 5:
                result &= x;
                break;
            case 6:
                result |= x;
                break;
            default:
                result ^= x;
                break;
            }
        }
        spread(d, half, execute, result);
    }
}

/* elect.sync d|p: the lowest of the members is the leader. b: member mask. list[0]: predicate. */
SL_HANDLER(elect)
{
    u32 *d = sl_operand(w, o->d), members[SL_LANES];
    memcpy(members, sl_operand(w, o->b), sizeof members);
    pr *leader = sl_operand(w, w->code->list[o->list]);
    SL_EACH_ACTIVE(w, i)
    {
        u32 group = half_mask(w, i >> 5) & members[i], lowest = group ? (u32)__builtin_ctz(group) : (u32)i & 31;
        d[i] = lowest;
        leader[i] = (u32)(i & 31) == lowest ? ~0u : 0;
    }
}

/* aux: SL_CLOCK_HIGH, SL_CLOCK_NANOSECONDS */
static inline u64 clock_value(const sl_warp *w, const sl_op *o)
{
    u64 now = sl_warp_cycles(w, o->inst);
    if (o->aux & SL_CLOCK_NANOSECONDS)
        now /= 2; /* 2 GHz */
    return o->aux & SL_CLOCK_HIGH ? now >> 32 : now;
}

SL_HANDLER(clock_u32)
{
    u32 *d = sl_operand(w, o->d);
    u32 value = (u32)clock_value(w, o);
    SL_WRITE_LANES(w, d, value);
}

SL_HANDLER(clock_u64)
{
    u64 *d = sl_operand(w, o->d);
    u64 value = clock_value(w, o);
    SL_WRITE_LANES(w, d, value);
}
