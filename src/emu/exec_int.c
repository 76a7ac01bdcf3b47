/* SPDX-License-Identifier: MIT */
/* Integer, logic, predicate and packing instructions. */
#include "emu/exec.h"
#include "emu/video.h"

static inline s32 sl_sat_s32(s64 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x;
}

/* Division by way of f64, which has vector instructions for it. A quotient of 32-bit numbers is never rounded up to the
 * next integer; adding 2^52 moves its bits to the end of the fraction. Division by 0 gives all ones, and so that
 * a - q * b is the remainder in every case, -2^31 / -1 wraps around. */
typedef union f64_bits {
    f64 f;
    u64 u;
} f64_bits;

static inline f64 sl_small_f64(u64 x) /* of 52 bits */
{
    return (f64_bits){.u = x | 0x4330000000000000u}.f - 0x1p52;
}

static inline u32 sl_div_u32(u32 a, u32 b)
{
    f64_bits q = {__builtin_floor(sl_small_f64(a) / sl_small_f64(b)) + 0x1p52};
    return b ? (u32)q.u : ~0u;
}

static inline u32 sl_div_s32(u32 a, u32 b)
{
    f64_bits q = {__builtin_trunc((f64)(s32)a / (f64)(s32)b) + 0x1.8p52};
    return b ? (u32)q.u : ~0u;
}

/* The same of numbers of up to 52 bits, where the quotient may have been rounded up. */
static inline u64 sl_div_small(u64 a, u64 b)
{
    f64_bits x = {__builtin_floor(sl_small_f64(a) / sl_small_f64(b)) + 0x1p52};
    u64 q = x.u & 0xfffffffffffffu, rest = a - q * b;
    return b ? q - (rest >> 63) : ~(u64)0;
}

static inline u32 sl_brev32(u32 x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

/* Position of the most significant bit that differs from the sign; ~0: none. */
static inline u32 sl_bfind64(s64 x, u32 bits)
{
    (void)bits;
    u64 magnitude = (u64)(x < 0 ? ~x : x);
    return magnitude ? 63 - (u32)__builtin_clzll(magnitude) : ~0u;
}

/* Bit field of `length` at `position`; positions and lengths beyond the word read the sign (or zero). */
static inline u64 sl_bfe_64(u64 x, u32 position, u32 length, bool is_signed)
{
    position &= 255;
    length &= 255;
    if (length == 0)
        return 0;
    u64 sign = is_signed ? x >> (position + length - 1 < 63 ? position + length - 1 : 63) & 1 : 0;
    u64 field = position < 64 ? x >> position : 0;
    u32 have = position >= 64 ? 0 : 64 - position < length ? 64 - position : length;
    u64 keep = have >= 64 ? ~(u64)0 : ((u64)1 << have) - 1;
    return (field & keep) | (sign ? ~keep : 0);
}

/* The same of 32 bits, without a branch. */
static inline u32 sl_bfe_u32(u32 x, u32 position, u32 length)
{
    u32 p = position & 255, n = length & 255;
    return (p < 32 ? x >> (p & 31) : 0) & (n < 32 ? (1u << (n & 31)) - 1 : ~0u);
}

static inline u32 sl_bfe_s32(u32 x, u32 position, u32 length)
{
    u32 p = position & 255, n = length & 255, spare = n < 32 ? (32 - n) & 31 : 0;
    u32 field = (u32)((s32)x >> (p < 32 ? p : 31));
    return n ? (u32)((s32)(field << spare) >> spare) : 0;
}

static inline u32 sl_bmsk(u32 position, u32 width, bool wrap)
{
    if (wrap) {
        position &= 31;
        width &= 31;
    } else if (position > 31) {
        return 0;
    }
    u64 ones = width >= 32 ? 0xffffffffu : ((u64)1 << width) - 1;
    return (u32)(ones << position);
}

static inline u32 sl_prmt(u32 a, u32 b, u32 selector)
{
    u64 bytes = (u64)b << 32 | a;
    u32 result = 0;
    for (int i = 0; i < 4; i++) {
        u32 pick = selector >> 4 * i & 15;
        u32 byte = (u32)(bytes >> 8 * (pick & 7)) & 0xff;
        if (pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

static inline u32 sl_dot(u32 a, u32 b, int count, bool a_signed, bool b_signed)
{
    u32 sum = 0;
    for (int i = 0; i < count; i++) {
        u8 x = (u8)(a >> 8 * i), y = (u8)(b >> 8 * i);
        sum += (u32)((a_signed ? (s32)(s8)x : (s32)x) * (b_signed ? (s32)(s8)y : (s32)y));
    }
    return sum;
}

/* Packed fields of `bits` bits each. */
static inline u32 sl_absolute_differences(u32 a, u32 b, u32 bits)
{
    u32 field = (1u << bits) - 1, result = 0;
    for (u32 at = 0; at < 32; at += bits) {
        u32 x = a >> at & field, y = b >> at & field;
        result |= (x < y ? y - x : x - y) << at;
    }
    return result;
}

static inline u32 sl_sum_fields(u32 x, u32 bits)
{
    u32 sum = 0;
    for (u32 at = 0; at < 32; at += bits)
        sum += x >> at & ((1u << bits) - 1);
    return sum;
}

#define SL_OP1_INT      SL_DEFINE1
#define SL_OP2_INT      SL_DEFINE2
#define SL_OP3_INT      SL_DEFINE3
#define SL_OP1_INT_EACH SL_EACH1
#define SL_OP2_INT_EACH SL_EACH2
#include "emu/exec_family.h"

/* ---- video instructions (video.h) ---- */

static inline s64 video_clamp(s64 x, u32 bits, bool is_signed)
{
    s64 low = is_signed ? -((s64)1 << (bits - 1)) : 0, high = is_signed ? -low - 1 : ((s64)1 << bits) - 1;
    return x < low ? low : x > high ? high : x;
}

/* Bits of a part of a register, and where it starts. */
static inline u32 video_part(u32 part, u32 *at)
{
    *at = part == 0 ? 0 : part <= 4 ? 8 * (part - 1) : 16 * (part - 5);
    return part == 0 ? 32 : part <= 4 ? 8 : 16;
}

static inline s64 video_field(u32 x, u32 at, u32 bits, bool is_signed)
{
    u32 field = x >> at & (u32)(((u64)1 << bits) - 1);
    return is_signed ? (s64)(s32)(field << (32 - bits)) >> (32 - bits) : (s64)field;
}

static inline s64 video_operation(u32 aux, s64 a, s64 b)
{
    switch ((sl_video)(aux & SL_VIDEO_OP_MASK)) {
    case SL_VIDEO_ADD:
        return a + b;
    case SL_VIDEO_SUB:
        return a - b;
    case SL_VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case SL_VIDEO_MIN:
        return a < b ? a : b;
    case SL_VIDEO_MAX:
        return a > b ? a : b;
    case SL_VIDEO_AVERAGE: /* halves are rounded away from zero */
        return (a + b + (a + b >= 0)) >> 1;
    case SL_VIDEO_SHL:
        b = aux & SL_VIDEO_WRAP ? b & 31 : (u64)b > 32 ? 32 : b;
        return (s64)((u64)a << b);
    case SL_VIDEO_SHR:
        b = aux & SL_VIDEO_WRAP ? b & 31 : (u64)b > 32 ? 32 : b;
        return a >> b;
    case SL_VIDEO_SET:
        switch ((sl_video_compare)(aux >> SL_VIDEO_COMPARE_BIT & 7)) {
        case SL_VIDEO_EQ:
            return a == b;
        case SL_VIDEO_NE:
            return a != b;
        case SL_VIDEO_LT:
            return a < b;
        case SL_VIDEO_LE:
            return a <= b;
        case SL_VIDEO_GT:
            return a > b;
        case SL_VIDEO_GE:
            return a >= b;
        }
        break;
    case SL_VIDEO_MAD:
        break;
    }
    return 0;
}

static inline u32 video_mad(u32 aux, s64 a, s64 b, u32 c)
{
    bool is_signed =
        aux & (SL_VIDEO_A_SIGNED | SL_VIDEO_B_SIGNED | SL_VIDEO_NEGATE_PRODUCT | SL_VIDEO_NEGATE_C) ? true : false;
    __int128 product = (__int128)a * b;
    bool negates = aux & SL_VIDEO_NEGATE_PRODUCT, negates_c = !negates && aux & SL_VIDEO_NEGATE_C;
    c = negates_c ? ~c : c;
    __int128 sum = (negates ? ~product : product) + (is_signed ? (s64)(s32)c : (s64)c) +
                   (negates || negates_c || aux & SL_VIDEO_PLUS_ONE ? 1 : 0);
    sum >>= aux & SL_VIDEO_SHIFT_7 ? 7 : aux & SL_VIDEO_SHIFT_15 ? 15 : 0;
    if (aux & SL_VIDEO_SAT) {
        s64 narrow = sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (s64)sum;
        return (u32)video_clamp(narrow, 32, is_signed);
    }
    return (u32)sum;
}

static inline u32 video_scalar(u32 aux, u32 a, u32 b, u32 c)
{
    u32 a_at, b_at, at, a_bits = video_part(aux >> SL_VIDEO_A_PART_BIT & 15, &a_at);
    u32 b_bits = video_part(aux >> SL_VIDEO_B_PART_BIT & 15, &b_at),
        bits = video_part(aux >> SL_VIDEO_D_PART_BIT & 15, &at);
    s64 x = video_field(a, a_at, a_bits, aux & SL_VIDEO_A_SIGNED),
        y = video_field(b, b_at, b_bits, aux & SL_VIDEO_B_SIGNED);
    bool is_signed = aux & SL_VIDEO_D_SIGNED;
    if ((aux & SL_VIDEO_OP_MASK) == SL_VIDEO_MAD)
        return video_mad(aux, x, y, c);
    s64 result = video_operation(aux, x, y), other = is_signed ? (s64)(s32)c : (s64)c;
    if (aux & SL_VIDEO_SAT)
        result = video_clamp(result, bits, is_signed);
    switch ((sl_video_then)(aux >> SL_VIDEO_THEN_BIT & 3)) {
    case SL_VIDEO_THEN_ADD:
        return (u32)(result + other);
    case SL_VIDEO_THEN_MIN:
        return (u32)(result < other ? result : other);
    case SL_VIDEO_THEN_MAX:
        return (u32)(result > other ? result : other);
    case SL_VIDEO_ALONE:
        break;
    }
    u32 field = bits == 32 ? ~0u : ((1u << bits) - 1) << at;
    return ((u32)result << at & field) | (bits == 32 ? 0 : c & ~field);
}

static inline u32 video_packed(u32 aux, u32 a, u32 b, u32 c)
{
    u32 bits = aux & SL_VIDEO_QUADS ? 8 : 16, packed = 0;
    s64 sum = c;
    for (u32 at = 0; at < 32; at += bits) {
        s64 result = video_operation(aux, video_field(a, at, bits, aux & SL_VIDEO_A_SIGNED),
                                     video_field(b, at, bits, aux & SL_VIDEO_B_SIGNED));
        if (aux & SL_VIDEO_SAT)
            result = video_clamp(result, bits, aux & SL_VIDEO_D_SIGNED);
        sum += result;
        packed |= ((u32)result & ((1u << bits) - 1)) << at;
    }
    return (aux >> SL_VIDEO_THEN_BIT & 3) == SL_VIDEO_THEN_ADD ? (u32)sum : packed;
}

#define SL_VIDEO_HANDLER(name)                                                                                         \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        u32 *d = sl_operand(w, o->d);                                                                                  \
        const u32 *a = sl_operand(w, o->a), *b = sl_operand(w, o->b), *c = sl_operand(w, o->c);                        \
        SL_EACH_ACTIVE(w, i) d[i] = name(o->aux, a[i], b[i], c[i]);                                                    \
    }
SL_VIDEO_HANDLER(video_scalar)
SL_VIDEO_HANDLER(video_packed)

/* 64-bit operands mostly are sizes and indices, which f64 can divide. */
#define SL_DIVIDE_64(name, T, small, expr)                                                                             \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        T *d = sl_operand(w, o->d);                                                                                    \
        const T *a_ = sl_operand(w, o->a), *b_ = sl_operand(w, o->b);                                                  \
        u64 bits = 0;                                                                                                  \
        if (w->full) {                                                                                                 \
            SL_LANES_LOOP bits |= (u64)a_[i] | (u64)b_[i];                                                             \
        } else {                                                                                                       \
            const u32 *on = __builtin_assume_aligned(w->lanes, 64);                                                    \
            SL_LANES_LOOP bits |= on[i] ? (u64)a_[i] | (u64)b_[i] : 0;                                                 \
        }                                                                                                              \
        if (!(bits >> 52) && w->active > SL_LANES / 8) {                                                               \
            SL_WRITE_LANES(w, d, ({                                                                                    \
                               const u64 a = (u64)a_[i], b = (u64)b_[i];                                               \
                               (T)(small);                                                                             \
                           }));                                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
        SL_WRITE_EACH(w, d, ({                                                                                         \
                          const T a = a_[i], b = b_[i];                                                                \
                          (T)(expr);                                                                                   \
                      }));                                                                                             \
    }
SL_DIVIDE_64(div_u64, u64, sl_div_small(a, b), b ? a / b : ~(u64)0)
SL_DIVIDE_64(rem_u64, u64, a - sl_div_small(a, b) * b, b ? a % b : a)
SL_DIVIDE_64(div_s64, s64, sl_div_small(a, b), b == 0 ? -1 : b == -1 ? (s64)(0 - (u64)a) : a / b)
SL_DIVIDE_64(rem_s64, s64, a - sl_div_small(a, b) * b, b == 0 ? a : b == -1 ? 0 : a % b)

/* Dot product of two 16-bit halves with two bytes; aux: bit 0 a signed, bit 1 b signed, bit 2 upper bytes of b. */
SL_HANDLER(dp2a)
{
    u32 *d = sl_operand(w, o->d);
    const u32 *a = sl_operand(w, o->a), *b = sl_operand(w, o->b), *c = sl_operand(w, o->c);
    u32 aux = o->aux;
    SL_WRITE_LANES(w, d, ({
                       u32 bytes = aux & 4 ? b[i] >> 16 : b[i];
                       s32 a0 = aux & 1 ? (s16)a[i] : (u16)a[i], a1 = aux & 1 ? (s16)(a[i] >> 16) : (u16)(a[i] >> 16);
                       s32 b0 = aux & 2 ? (s8)bytes : (u8)bytes, b1 = aux & 2 ? (s8)(bytes >> 8) : (u8)(bytes >> 8);
                       c[i] + (u32)(a0 * b0) + (u32)(a1 * b1);
                   }));
}

/* Insert a field of a into b: list[0] position, list[1] length. */
SL_HANDLER(bfi_b32)
{
    u32 *d = sl_operand(w, o->d);
    const u32 *a = sl_operand(w, o->a), *b = sl_operand(w, o->b), *c = sl_operand(w, o->c);
    const u32 *length = sl_operand(w, w->code->list[o->list]);
    SL_WRITE_LANES(w, d, ({
                       u32 position = c[i] & 255, bits = length[i] & 255;
                       u32 keep = bits < 32 ? (1u << (bits & 31)) - 1 : ~0u;
                       u32 field = position < 32 ? keep << (position & 31) : 0;
                       (b[i] & ~field) | (a[i] << (position & 31) & field);
                   }));
}

SL_HANDLER(bfi_b64)
{
    u64 *d = sl_operand(w, o->d);
    const u64 *a = sl_operand(w, o->a), *b = sl_operand(w, o->b);
    const u32 *c = sl_operand(w, o->c), *length = sl_operand(w, w->code->list[o->list]);
    SL_WRITE_LANES(w, d, ({
                       u32 position = c[i] & 255, bits = length[i] & 255;
                       u64 keep = bits >= 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
                       u64 field = position < 64 ? keep << position : 0;
                       (b[i] & ~field) | ((position < 64 ? a[i] << position : 0) & field);
                   }));
}

/* Any logic function of three inputs; aux is its truth table. */
SL_HANDLER(lop3_b32)
{
    u32 *d = sl_operand(w, o->d);
    const u32 *a = sl_operand(w, o->a), *b = sl_operand(w, o->b), *c = sl_operand(w, o->c);
    u32 m[8];
    for (int k = 0; k < 8; k++)
        m[k] = o->aux >> k & 1 ? ~0u : 0;
    SL_WRITE_LANES(w, d, ({
                       u32 x = a[i], y = b[i], z = c[i];
                       (~x & ~y & ~z & m[0]) | (~x & ~y & z & m[1]) | (~x & y & ~z & m[2]) | (~x & y & z & m[3]) |
                           (x & ~y & ~z & m[4]) | (x & ~y & z & m[5]) | (x & y & ~z & m[6]) | (x & y & z & m[7]);
                   }));
}

/* Add or subtract with carry. c is the carry register (0 or 1 per lane); aux: 1 carry in, 2 carry out, 4 subtract. The
 * flag is the adder's carry, as in ptxas's machine code, where a - b is a + ~b + 1: a subtraction leaves 1 when there
 * is no borrow, and `addc` after `sub.cc` adds that. */
#define SL_ADD_WITH_CARRY(name, T)                                                                                     \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        T *d = sl_operand(w, o->d);                                                                                    \
        const T *a = sl_operand(w, o->a), *b = sl_operand(w, o->b);                                                    \
        u32 *carry = sl_operand(w, o->c);                                                                              \
        const T invert = o->aux & 4 ? (T)-1 : 0;                                                                       \
        const u32 fixed = (o->aux & 5) == 4, keep = o->aux & 1;                                                        \
        u32 out[SL_LANES];                                                                                             \
        T sum[SL_LANES];                                                                                               \
        SL_LANES_LOOP                                                                                                  \
        {                                                                                                              \
            T x = a[i], y = b[i] ^ invert, first = (T)(x + y), second = (T)(first + ((carry[i] & keep) | fixed));      \
            out[i] = (first < x) | (second < first);                                                                   \
            sum[i] = second;                                                                                           \
        }                                                                                                              \
        SL_WRITE_LANES(w, d, sum[i]);                                                                                  \
        if (o->aux & 2)                                                                                                \
            SL_WRITE_LANES(w, carry, out[i]);                                                                          \
    }
SL_ADD_WITH_CARRY(addx_b32, u32)
SL_ADD_WITH_CARRY(addx_b64, u64)

/* The n-th set bit of a mask, counted from a base position, upwards or downwards. */
SL_HANDLER(fns_b32)
{
    u32 *d = sl_operand(w, o->d);
    const u32 *mask = sl_operand(w, o->a), *base = sl_operand(w, o->b);
    const s32 *offset = sl_operand(w, o->c);
    SL_EACH_ACTIVE(w, i)
    {
        u32 found = ~0u;
        s32 position = (s32)base[i], step = offset[i] < 0 ? -1 : 1;
        u32 wanted = offset[i] < 0 ? 0 - (u32)offset[i] : (u32)offset[i];
        if (offset[i] == 0) {
            found = base[i] < 32 && mask[i] >> base[i] & 1 ? (u32)position : ~0u;
        } else {
            for (; position >= 0 && position < 32; position += step) {
                if (mask[i] >> position & 1 && --wanted == 0) {
                    found = (u32)position;
                    break;
                }
            }
        }
        d[i] = found;
    }
}
