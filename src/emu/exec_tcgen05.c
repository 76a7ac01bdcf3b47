/* SPDX-License-Identifier: MIT */
/* Products of tcgen05, and what moves words in and out of tensor memory (tensor_memory.h).
 *
 * Where rows and columns of D lie in tensor memory is what the PTX ISA calls layouts A to G. Sums are made as those of
 * mma on an H200 (tensor_sums.h), sixteen products at a time (eight of tf32): no Blackwell GPU was measured. Scales are
 * multiplied with the elements, which is exact in f32 but for the largest and smallest of them. */
#include "emu/shared_matrix.h"
#include "emu/tensor_memory.h"
#include "emu/tensor_sums.h"

/* ---- words of lanes ---- */

typedef struct spread {
    u32 rows, columns; /* lanes that a warp accesses; columns for each step of registers */
    u32 registers;     /* in a step */
} spread;

static const spread spreads[] = {{32, 1, 1}, {16, 2, 1}, {16, 4, 2}, {16, 8, 4}, {16, 1, 1}};

/* Lane and column of a thread's register. */
static inline void spread_spot(u32 shape, u32 thread, u32 reg, u32 between, u32 *lane, u32 *column)
{
    const u32 step = reg / spreads[shape].registers, within = reg % spreads[shape].registers;
    switch (shape) {
    case SL_SPREAD_32X32:
        *lane = thread;
        *column = step;
        return;
    case SL_SPREAD_16X64:
        *lane = thread / 4 + 8 * (thread & 1);
        *column = 2 * step + (thread >> 1 & 1);
        return;
    case SL_SPREAD_16X128:
        *lane = thread / 4 + 8 * within;
        *column = 4 * step + thread % 4;
        return;
    case SL_SPREAD_16X256:
        *lane = thread / 4 + 8 * (within >> 1);
        *column = 8 * step + 2 * (thread % 4) + (within & 1);
        return;
    default:
        *lane = thread % 16;
        *column = step + (thread / 16) * between;
        return;
    }
}

/* A warp accesses the quarter of the lanes that its number in the warp group says. */
static void move_words(sl_warp *w, const sl_op *o, int half, bool store)
{
    const u32 shape = o->aux & SL_SPREAD_SHAPES, packed = o->aux & SL_SPREAD_PACKED ? 2 : 1, between = (u32)o->imm;
    const u32 steps = o->count / spreads[shape].registers, active = (u32)(w->mask >> 32 * half);
    const u32 address = ((const u32 *)sl_operand(w, o->a))[32 * half + __builtin_ctz(active)];
    const u32 quarter = (w->index * HALVES + (u32)half) % 4, row = address >> 16, rows = spreads[shape].rows;
    const u32 last = shape == SL_SPREAD_16X32X2 ? between : 0,
              columns = (steps * spreads[shape].columns) * packed + last;
    if (row / 32 != quarter || row % 32 + rows > 32 || row % 16)
        sl_fault_raise(w, o->inst, -1, SL_FAULT_ILLEGAL_ADDRESS,
                       "lane %u of tensor memory is not one that warp %u of a warp group may begin at", row, quarter);
    u32 *words = sl_tensor_words(w, o, w->block, row, rows, address & 0xffff, columns);
    for (u32 r = 0; r < o->count; r++) {
        u32 *reg = (u32 *)sl_operand(w, w->code->list[o->list + r]) + 32 * half;
        for (u32 left = active; left; left &= left - 1) {
            u32 thread = (u32)__builtin_ctz(left), lane, column;
            spread_spot(shape, thread, r, between, &lane, &column);
            if (packed == 2) /* what lies between the halves of 16x32bx2 is in columns of 32 bits already */
                column = 2 * (column - (shape == SL_SPREAD_16X32X2 ? thread / 16 * between : 0)) +
                         (shape == SL_SPREAD_16X32X2 ? thread / 16 * between : 0);
            u32 *at = words + lane * SL_TENSOR_COLUMNS + column;
            if (store && packed == 2) {
                at[0] = reg[thread] & 0xffff;
                at[1] = reg[thread] >> 16;
            } else if (store) {
                *at = reg[thread];
            } else {
                reg[thread] = packed == 2 ? (at[0] & 0xffff) | at[1] << 16 : *at;
            }
        }
    }
}

SL_HANDLER(tensor_load)
{
    for (int half = 0; half < HALVES; half++)
        if ((u32)(w->mask >> 32 * half))
            move_words(w, o, half, false);
}

SL_HANDLER(tensor_store)
{
    for (int half = 0; half < HALVES; half++)
        if ((u32)(w->mask >> 32 * half))
            move_words(w, o, half, true);
}

/* ---- from shared memory ---- */

static void record_rows(sl_warp *w, const sl_op *o, u32 columns)
{
    if (w->stream && o->slot != UINT32_MAX)
        sl_warp_stream_rows(w->stream, o->slot, w->mask, w->worker->rows.items, w->worker->rows.count, columns);
}

/* Where row `row` of what is copied goes: one lane, or several. */
static u32 copied_lanes(u32 shape, u32 row, u32 lane[4])
{
    switch (shape) {
    case SL_TENSOR_COPY_4X256:
        lane[0] = 32 * row;
        return 1;
    case SL_TENSOR_COPY_64X128_02_13:
        lane[0] = row;
        lane[1] = row + 64;
        return 2;
    case SL_TENSOR_COPY_64X128_01_23:
        lane[0] = row % 32 + row / 32 * 64;
        lane[1] = lane[0] + 32;
        return 2;
    case SL_TENSOR_COPY_32X128:
        for (u32 i = 0; i < 4; i++)
            lane[i] = row + 32 * i;
        return 4;
    default:
        lane[0] = row;
        return 1;
    }
}

SL_HANDLER(tensor_copy)
{
    static const struct {
        u8 rows, parts;
    } forms[] = {{128, 2}, {4, 2}, {128, 1}, {64, 1}, {64, 1}, {32, 1}};
    const u32 shape = o->aux & SL_TENSOR_COPY_SHAPES, parts = forms[shape].parts;
    w->worker->rows.count = 0;
    SL_EACH_ACTIVE(w, i)
    {
        const u32 address = ((const u32 *)sl_operand(w, o->a))[i];
        const described from = describe(w, o, ((const u64 *)sl_operand(w, o->b))[i], 4, false);
        for (u32 place = 0; place < (o->aux & SL_TENSOR_PAIR ? 2u : 1u); place++) {
            const sl_block *block = sl_tensor_block(w, o, o->aux & SL_TENSOR_PAIR, place);
            for (u32 row = 0; row < forms[shape].rows; row++) {
                u32 lane[4], lanes = copied_lanes(shape, row, lane);
                for (u32 part = 0; part < parts; part++) {
                    const u64 at = chunk_at(&from, row, part);
                    const u8 *chunk = chunk_bytes(w, o, block, at);
                    if (w->race)
                        sl_race_later(w, o, i, SL_RACE_TENSOR, block, at, 16);
                    if (block == w->block)
                        sl_note_row(w, o, at, at, 16);
                    for (u32 k = 0; k < lanes; k++)
                        memcpy(sl_tensor_words(w, o, block, (address >> 16) + lane[k], 1, (address & 0xffff) + 4 * part,
                                               4),
                               chunk, 16);
                }
            }
        }
    }
    record_rows(w, o, 1);
}

/* ---- products ---- */

enum { ROWS = 16, MAX_ROWS = 128, MAX_COLUMNS = 256, MAX_K = 64 };

typedef enum element {
    EL_F16,
    EL_BF16,
    EL_TF32,
    EL_E4M3,
    EL_E5M2,
    EL_E2M3, /* in 12 of 16 bytes */
    EL_E3M2,
    EL_E2M1, /* in 8 of 16 bytes */
    EL_PACKED_E2M1,
    EL_S8,
    EL_U8,
    EL_NONE
} element;

typedef struct product {
    sl_warp *w;
    const sl_op *o;
    int lane;
    u32 kind, blocks; /* 1, or 2 of a pair */
    u32 m, n, k, steps;
    u32 scales;                                        /* along k, for each row and column; 0: none */
    bool integers, half_sums, saturates, keeps, micro; /* micro: scales are powers of two, else e4m3 */
    bool a_negated, b_negated;
    element a, b;
    u32 d, a_address, scale_a, scale_b, byte_a, byte_b; /* in tensor memory; of scales the byte of a column, too */
    described from_a, from_b;
    u32 split; /* columns of D are spread over so many parts of the lanes */
    u32 rows;  /* of a block */
} product;

static _Noreturn void wrong(const product *p, const char *what, u32 form)
{
    sl_fault_raise(p->w, p->o->inst, p->lane, SL_FAULT_ILLEGAL_INSTRUCTION, "the instruction descriptor 0x%x has %s",
                   form, what);
}

static element element_of(u32 kind, u32 format)
{
    static const u8 floats[] = {EL_E4M3, EL_E5M2, EL_NONE, EL_E2M3, EL_E3M2, EL_E2M1, EL_NONE, EL_NONE};
    switch (kind) {
    case SL_TENSOR_F16_KIND:
        return format == 0 ? EL_F16 : format == 1 ? EL_BF16 : EL_NONE;
    case SL_TENSOR_TF32_KIND:
        return format == 2 ? EL_TF32 : EL_NONE;
    case SL_TENSOR_I8:
        return format == 0 ? EL_U8 : format == 1 ? EL_S8 : EL_NONE;
    case SL_TENSOR_MXF4:
    case SL_TENSOR_MXF4NVF4:
        return format == 1 ? EL_PACKED_E2M1 : EL_NONE;
    default:
        return (element)floats[format];
    }
}

static u32 element_bytes(element e)
{
    return e == EL_TF32 ? 4 : e <= EL_BF16 ? 2 : 1;
}

/* What the instruction descriptor says. */
static void read_form(product *p, u32 form, bool *a_turned, bool *b_turned)
{
    const bool scaled = p->scales, ws = p->o->aux & SL_TENSOR_WS;
    const u32 sums = form >> 4 & 3;
    p->a = element_of(p->kind, form >> 7 & 7);
    p->b = element_of(p->kind, form >> 10 & (p->kind == SL_TENSOR_MXF4 || p->kind == SL_TENSOR_MXF4NVF4 ? 3 : 7));
    p->m = (form >> 24 & 31) * 16;
    p->n = (form >> 17 & 63) * 8;
    if (scaled) {
        p->byte_a = form >> 29 & 3;
        p->byte_b = form >> 4 & 3;
        p->micro = form >> 23 & 1;
    }
    p->integers = p->kind == SL_TENSOR_I8;
    p->half_sums = !scaled && !p->integers && sums == 0;
    p->saturates = form >> 3 & 1;
    p->a_negated = form >> 13 & 1;
    p->b_negated = form >> 14 & 1;
    *a_turned = form >> 15 & 1;
    *b_turned = form >> 16 & 1;
    if (form >> 2 & 1)
        wrong(p, "sparse factors, which are not emulated", form);
    if (p->a == EL_NONE || p->b == EL_NONE)
        wrong(p, "types of factors that the instruction does not have", form);
    if (!scaled && sums != (p->integers ? 2 : p->half_sums ? 0 : 1))
        wrong(p, "a type of sums that the instruction does not have", form);
    if (scaled && p->kind != SL_TENSOR_MXF8F6F4 && form >> 31)
        wrong(p, "k = 96, which is not emulated", form);
    if ((*a_turned && p->a > EL_E5M2 && !p->integers) || (*b_turned && p->b > EL_E5M2 && !p->integers))
        wrong(p, "transposed factors of a type that cannot be", form);
    p->rows = p->m / p->blocks;
    p->split = ws ? (p->m == 32 ? 4 : p->m == 64 ? 2 : 1) : p->blocks == 2 && p->m == 128 ? 2 : 1;
    bool legal = ws               ? p->m == 32 || p->m == 64 || p->m == 128
                 : p->blocks == 2 ? p->m == 128 || p->m == 256
                                  : p->m == 64 || p->m == 128;
    if (!legal || !p->n || p->n > MAX_COLUMNS || p->n % (COLUMNS * p->split * p->blocks))
        wrong(p, "a shape that the instruction does not have", form);
    if (scaled && p->split > 1)
        wrong(p, "128 rows in two blocks, which are not emulated with scales", form);
    p->k = LINE_BYTES / element_bytes(p->a) * (p->a == EL_PACKED_E2M1 ? 2 : 1);
    p->steps = p->integers || p->k <= 16 ? 1 : p->k / 16;
}

/* Values of a line's 32 bytes. */
static void line_values(element e, const u8 *line, u32 k, bool negated, f32 *out)
{
    u16 halves[32] = {0};
    u32 words[8];
    switch (e) {
    case EL_F16:
    case EL_BF16:
        memcpy(halves, line, 32);
        for (u32 i = 0; i < k; i++)
            out[i] = e == EL_F16 ? f32_f16(halves[i]) : f32_bf16(halves[i]);
        break;
    case EL_TF32:
        memcpy(words, line, 32);
        for (u32 i = 0; i < k; i++)
            out[i] = from_bits_f32(words[i] & ~0x1fffu);
        break;
    case EL_E4M3:
    case EL_E5M2:
        halves_of_bytes(e == EL_E4M3 ? SL_MATRIX_E4M3 : SL_MATRIX_E5M2, line, (int)k, halves);
        for (u32 i = 0; i < k; i++)
            out[i] = f32_f16(halves[i]);
        break;
    case EL_E2M3:
    case EL_E3M2:
        for (u32 i = 0; i < k; i++) {
            const u8 *chunk = line + i / 16 * 16;
            u32 bit = i % 16 * 6, both = chunk[bit / 8] | (bit / 8 < 11 ? (u32)chunk[bit / 8 + 1] << 8 : 0);
            u8 code = both >> bit % 8 & 63;
            out[i] = f32_f16(e == EL_E2M3 ? sl_e2m3_to_f16(code) : sl_e3m2_to_f16(code));
        }
        break;
    case EL_E2M1:
        for (u32 i = 0; i < k; i++)
            out[i] = f32_f16(sl_e2m1_to_f16(line[i / 16 * 16 + i % 16 / 2] >> 4 * (i & 1) & 15));
        break;
    case EL_PACKED_E2M1:
        for (u32 i = 0; i < k; i++)
            out[i] = f32_f16(sl_e2m1_to_f16(line[i / 2] >> 4 * (i & 1) & 15));
        break;
    default:
        for (u32 i = 0; i < k; i++)
            out[i] = e == EL_S8 ? (f32)(s32)(s8)line[i] : (f32)(s32)line[i];
        break;
    }
    for (u32 i = 0; i < k && negated; i++)
        out[i] = -out[i];
}

/* The scales of a row of A or a column of B are bytes of one column of 32 bits. */
static void scale_line(const product *p, const sl_block *block, u32 address, u32 byte, u32 line, f32 *value)
{
    const u32 *word =
        sl_tensor_words(p->w, p->o, block, (address >> 16 & 0x7f) + line % 32, 1, (address & 0x3fff) + line / 32, 1);
    for (u32 i = 0; i < p->k; i++) {
        u32 at = byte + i / (p->k / p->scales), code = at < 4 ? *word >> 8 * at & 255 : 0;
        u16 half;
        const u8 plain = (u8)code;
        halves_of_bytes(SL_MATRIX_E4M3, &plain, 1, &half);
        value[i] *= p->micro ? f32_bf16(sl_ue8m0_to_bf16((u8)code)) : f32_f16(half & 0x7fff);
    }
}

/* The exponents by which terms are aligned: those that the format stores. */
static s32 lowest_of(element e, bool scaled)
{
    return scaled                         ? -126
           : e == EL_F16 || e == EL_E5M2  ? -14
           : e == EL_E4M3                 ? -6
           : e == EL_E2M1 || e == EL_E2M3 ? 0
           : e == EL_E3M2                 ? -2
                                          : -126;
}

static void find_exponents(numbers *x, u32 count, s32 lowest)
{
    s32 largest = 0;
    for (u32 i = 0; i < count; i++) {
        s32 magnitude = (s32)(bits_f32(x->value[i]) & 0x7fffffff), found = (magnitude >> 23) - 127;
        found = found > lowest ? found : lowest;
        x->exponent[i] = (s16)(magnitude ? found : ZERO);
        largest = largest > magnitude ? largest : magnitude;
    }
    x->finite = largest < 0x7f800000;
    compare_exponents(x, (int)count);
}

/* Sixteen rows of A: step after step, the rows of each one after the other. */
static void read_rows(const product *p, const sl_block *block, u32 first, numbers *out)
{
    const u32 width = p->k / p->steps;
    u8 lines[ROWS][LINE_BYTES];
    f32 value[MAX_K];
    if (p->o->aux & SL_TENSOR_A_IN_TENSOR_MEMORY) {
        const bool scattered = !(p->o->aux & SL_TENSOR_WS) && p->blocks == 1 && p->m == 64;
        for (u32 row = 0; row < ROWS; row++) {
            u32 lane = scattered ? first * 2 + row : first + row;
            memcpy(lines[row],
                   sl_tensor_words(p->w, p->o, block, (p->a_address >> 16) + lane, 1, p->a_address & 0xffff, 8),
                   LINE_BYTES);
        }
    } else {
        read_lines(p->w, p->o, block, &p->from_a, first, ROWS, lines);
    }
    for (u32 row = 0; row < ROWS; row++) {
        line_values(p->a, lines[row], p->k, p->a_negated, value);
        if (p->scales)
            scale_line(p, block, p->scale_a, p->byte_a, first + row, value);
        for (u32 i = 0; i < p->k; i++)
            out->value[(i / width * ROWS + row) * width + i % width] = value[i];
    }
    find_exponents(out, ROWS * p->k, lowest_of(p->a, p->scales));
}

/* Eight columns of B, `first` of the whole product. */
static void read_columns(const product *p, const sl_block *of_scales, u32 first, numbers *out)
{
    const u32 part = p->n / p->blocks;
    const sl_block *block = sl_tensor_block(p->w, p->o, p->blocks == 2, first / part);
    u8 lines[COLUMNS < 16 ? 16 : COLUMNS][LINE_BYTES];
    f32 value[MAX_K];
    const u32 per = p->from_b.transposed ? 16 / p->from_b.size : 1, from = first % part, skipped = from % per;
    read_lines(p->w, p->o, block, &p->from_b, from - skipped, COLUMNS + skipped, lines);
    for (u32 col = 0; col < COLUMNS; col++) {
        line_values(p->b, lines[skipped + col], p->k, p->b_negated, value);
        if (p->scales)
            scale_line(p, of_scales, p->scale_b, p->byte_b, first + col, value);
        for (u32 i = 0; i < p->k; i++)
            out->value[i * COLUMNS + col] = value[i];
    }
    find_exponents(out, COLUMNS * p->k, lowest_of(p->b, p->scales));
}

/* Where row `row` of a block and eight columns from `column` on lie in its tensor memory. */
static u32 *sum_words(const product *p, const sl_block *block, u32 row, u32 column, u32 *lane)
{
    const u32 part = p->n / p->split, quarter = column / part;
    *lane = p->split > 1                      ? row + quarter * (SL_TENSOR_LANES / p->split)
            : p->rows == 64 && p->blocks == 1 ? row % 16 + row / 16 * 32
                                              : row;
    *lane += p->d >> 16;
    return sl_tensor_words(p->w, p->o, block, *lane, 1, (p->d & 0xffff) + column % part, COLUMNS);
}

static bool is_disabled(const product *p, u32 place, u32 lane)
{
    const u32 ref = p->w->code->list[p->o->list + SL_TENSOR_DISABLED + place * 4 + lane / 32];
    return ref != SL_REF_NONE && ((const u32 *)sl_operand(p->w, ref))[p->lane] >> lane % 32 & 1;
}

static void add_tile(const product *p, const numbers *a, const numbers *b, tile_sum *total)
{
    const int width = (int)(p->k / p->steps);
    if (p->integers) {
        add_integers(&(sum_form){.m = ROWS, .k = (int)p->k}, a, b, p->saturates, total->i);
        return;
    }
    for (u32 step = 0; step < p->steps; step++) {
        const bool last = step + 1 == p->steps;
        add_products(&(sum_form){ROWS, width, KEPT, p->half_sums && last}, a, b, (int)step * width, total->f);
    }
}

/* Eight columns of sixteen rows of a block. */
static void multiply_block(const product *p, const sl_block *block, u32 place, u32 row, u32 column, const numbers *a,
                           const numbers *b)
{
    const u32 weaken = p->o->aux >> SL_TENSOR_WEAKEN_SHIFT & 15;
    tile_sum total;
    u32 lane;
    for (u32 r = 0; r < ROWS; r++) {
        const u32 *words = sum_words(p, block, row + r, column, &lane);
        for (u32 i = 0; i < COLUMNS; i++) {
            u32 word = p->keeps ? words[i] : 0;
            total.bits[r * COLUMNS + i] = p->half_sums ? bits_f32(f32_f16(word & 0xffff)) : word;
            if (weaken)
                total.f[r * COLUMNS + i] *= from_bits_f32((127 - weaken) << 23);
        }
    }
    add_tile(p, a, b, &total);
    for (u32 r = 0; r < ROWS; r++) {
        u32 *words = sum_words(p, block, row + r, column, &lane);
        for (u32 i = 0; i < COLUMNS && !is_disabled(p, place, lane); i++)
            words[i] = p->half_sums ? f16_f32(total.f[r * COLUMNS + i]) : total.bits[r * COLUMNS + i];
    }
}

static void multiply(const product *p)
{
    numbers a[MAX_ROWS / ROWS], b;
    for (u32 place = 0; place < p->blocks; place++) {
        const sl_block *block = sl_tensor_block(p->w, p->o, p->blocks == 2, place);
        for (u32 row = 0; row < p->rows; row += ROWS)
            read_rows(p, block, row, &a[row / ROWS]);
        for (u32 column = 0; column < p->n; column += COLUMNS) {
            read_columns(p, block, column, &b);
            for (u32 row = 0; row < p->rows; row += ROWS)
                multiply_block(p, block, place, row, column, &a[row / ROWS], &b);
        }
    }
}

static const void *list_operand(const product *p, u32 what)
{
    return sl_operand(p->w, p->w->code->list[p->o->list + what]);
}

static u32 number(const product *p, u32 what)
{
    return p->w->code->list[p->o->list + what] == SL_REF_NONE ? 0 : ((const u32 *)list_operand(p, what))[p->lane];
}

/* What its own block gives: that of the other one is not recorded here. */
static void note_factors(const product *p)
{
    if (!(p->o->aux & SL_TENSOR_A_IN_TENSOR_MEMORY))
        note_lines(p->w, p->o, &p->from_a, 0, p->rows);
    note_lines(p->w, p->o, &p->from_b, 0, p->n / p->blocks);
}

static void look_for_races(const product *p)
{
    const size_t noted = p->w->worker->rows.count;
    p->w->worker->rows.count = 0;
    note_factors(p);
    for (u32 place = 0; place < p->blocks; place++)
        sl_race_rows(p->w, p->o, p->lane, SL_RACE_TENSOR, sl_tensor_block(p->w, p->o, p->blocks == 2, place));
    p->w->worker->rows.count = noted;
}

/* See tensor_memory.h. */
SL_HANDLER(tensor_multiply)
{
    u32 columns = 0;
    w->worker->rows.count = 0;
    SL_EACH_ACTIVE(w, i)
    {
        product p = {.w = w,
                     .o = o,
                     .lane = i,
                     .kind = o->aux & SL_TENSOR_KINDS,
                     .blocks = o->aux & SL_TENSOR_PAIR ? 2 : 1,
                     .scales = o->aux >> SL_TENSOR_SCALES_SHIFT & 7};
        bool a_turned, b_turned;
        read_form(&p, number(&p, SL_TENSOR_FORM), &a_turned, &b_turned);
        p.d = number(&p, SL_TENSOR_D);
        p.keeps = number(&p, SL_TENSOR_KEEPS);
        p.a_address = number(&p, SL_TENSOR_A_ADDRESS);
        p.scale_a = number(&p, SL_TENSOR_SCALE_A);
        p.scale_b = number(&p, SL_TENSOR_SCALE_B);
        p.from_b = describe(w, o, ((const u64 *)list_operand(&p, SL_TENSOR_B))[i], element_bytes(p.b), b_turned);
        if (o->aux & SL_TENSOR_A_IN_TENSOR_MEMORY) {
            if (p.a >= EL_E2M3 && p.a <= EL_PACKED_E2M1)
                wrong(&p, "factors of six or four bits in tensor memory, which are not emulated", 0);
        } else {
            p.from_a = describe(w, o, ((const u64 *)list_operand(&p, SL_TENSOR_A))[i], element_bytes(p.a), a_turned);
        }
        multiply(&p);
        if (w->race)
            look_for_races(&p);
        if (w->stream)
            note_factors(&p);
        columns += p.n;
    }
    record_rows(w, o, columns);
}

/* ---- what is the same in every set of handlers ---- */

SL_HANDLER(tensor_alloc)
{
    sl_tensor_alloc(w, o);
}

SL_HANDLER(tensor_dealloc)
{
    sl_tensor_dealloc(w, o);
}

SL_HANDLER(tensor_relinquish)
{
    sl_tensor_relinquish(w, o);
}

SL_HANDLER(tensor_shift)
{
    sl_tensor_shift(w, o);
}

SL_HANDLER(tensor_commit)
{
    sl_tensor_commit(w, o);
}

SL_HANDLER(shared_fill)
{
    sl_shared_fill(w, o);
}

SL_HANDLER(launch_cancel)
{
    sl_launch_cancel(w, o);
}
