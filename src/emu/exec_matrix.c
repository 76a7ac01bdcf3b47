/* SPDX-License-Identifier: MIT */
/* Matrices spread over the 32 lanes of a warp (a 64-lane warp holds two such sets side by side).
 *
 * Fragments lie as the PTX ISA says for mma; those of wmma, which it does not define, lie as the same products would
 * need them. With g = lane / 4 and t = lane % 4, and registers that hold `per` neighboring elements along k (a line is
 * a row of A or a column of B): a factor in tiles of 16 lines   register r holds line g + 8 * (r & 1), k = (r / 2) * 4
 * * per + t * per … a factor in tiles of 8 lines    register r holds line g,               k = r * 4 * per + t * per …
 *   a sum                           exec_tensor.h */
#include <stdlib.h>

#include "emu/exec_tensor.h"

/* ---- where elements lie ---- */

typedef struct factor {
    int lines, k, packing; /* a register has 2^packing elements */
    bool wide;             /* tiles of 16 lines, else of 8 */
    bool of_doubles;
} factor;

static inline factor factor_of(const shape *s, bool is_a, bool wmma, u32 type)
{
    int lines = is_a ? s->m : s->n;
    bool wide = wmma && !is_a ? lines == 32 : is_a && lines >= 16;
    return (factor){lines, s->k, packing_of(type), wide, type == SL_MATRIX_F64};
}

static inline int tile_registers(const factor *f)
{
    return f->k >> (f->wide ? 1 : 2) >> f->packing;
}

static inline int factor_tiles(const factor *f)
{
    return f->lines >> (f->wide ? 4 : 3);
}

static inline int factor_registers(const factor *f)
{
    return tile_registers(f) * factor_tiles(f);
}

/* Line and first k of a lane's register. */
static inline void factor_spot(const factor *f, int reg, int lane, int *line, int *k)
{
    int in_tile = tile_registers(f), tile = reg / in_tile, r = reg % in_tile, g = lane >> 2, t = lane & 3;
    *line = f->wide ? 16 * tile + g + 8 * (r & 1) : 8 * tile + g;
    *k = ((f->wide ? r >> 1 : r) * 4 + t) << f->packing;
}

static inline void sum_spot(const shape *s, int item, int lane, int *row, int *col)
{
    int tile = item >> 2, g = lane >> 2, t = lane & 3;
    *row = g + 8 * (item >> 1 & 1);
    *col = 2 * t + (item & 1);
    if (s->n == 32) { /* 8 x 32: a 32 x 8 turned over */
        int turned = *col;
        *col = *row + 16 * tile;
        *row = turned;
    } else if (s->n == 16) {
        *col += 8 * tile;
    } else {
        *row += 16 * tile;
    }
}

/* ---- products ---- */

/* The factors as they are in registers. */
typedef union factor_words {
    _Alignas(64) u32 words[MAX_FACTOR];
    u64 bits[MAX_FACTOR / 2];
    f64 wide[MAX_FACTOR / 2];
} factor_words;

/* Elements of a line in memory: sums are made of eight products at a time. */
static inline int line_length(const factor *f)
{
    return f->k < 8 && !f->of_doubles ? 8 : f->k;
}

/* Eight lines of a register: their four lanes hold neighbors along k. */
SL_INLINE void move_lines(const u8 *reg, size_t bytes, u8 *to, size_t line_bytes)
{
    for (size_t g = 0; g < 8; g++)
        memcpy(to + g * line_bytes, reg + g * bytes, bytes);
}

/* Lines one after the other. */
static void gather_lines(const sl_warp *w, const u32 *refs, int half, const factor *f, factor_words *out)
{
    const size_t bytes = f->of_doubles ? 32 : 16; /* of a line in a register */
    const size_t line_bytes = (size_t)(line_length(f) >> f->packing) * (bytes / 4);
    const int in_tile = tile_registers(f);
    u8 *to = (u8 *)out;
    if (line_length(f) != f->k)
        memset(out, 0, (size_t)f->lines * line_bytes);
    for (int tile = 0; tile < factor_tiles(f); tile++, refs += in_tile, to += (f->wide ? 16 : 8) * line_bytes)
        for (int r = 0; r < in_tile; r++) {
            const u8 *reg = (const u8 *)sl_operand(w, refs[r]) + 8 * (size_t)half * bytes;
            u8 *first =
                to + (f->wide ? (size_t)(r & 1) * 8 * line_bytes + (size_t)(r >> 1) * bytes : (size_t)r * bytes);
            if (f->of_doubles)
                move_lines(reg, 32, first, line_bytes);
            else
                move_lines(reg, 16, first, line_bytes);
        }
}

/* Factors that were read last, by the first of their registers: products that share one follow one another. */
enum { KEPT_FACTORS = 16 /* of A, and of B */, KEPT_REGISTERS = 4 };

typedef struct kept_factor {
    _Alignas(64) u32 words[KEPT_REGISTERS][32];
    factor_form form;
    u32 registers; /* 0: nothing is kept */
    numbers value;
} kept_factor;

static bool is_kept(const sl_warp *w, const u32 *refs, int half, const kept_factor *kept, u32 registers,
                    const factor_form *form)
{
    if (kept->registers != registers || kept->form.type != form->type || kept->form.lines != form->lines ||
        kept->form.k != form->k || kept->form.columns != form->columns)
        return false;
    u32 differ = 0;
    for (u32 r = 0; r < registers; r++) {
        const u32 *reg = (const u32 *)sl_operand(w, refs[r]) + 32 * half;
        SL_LOOP(32) differ |= reg[i] ^ kept->words[r][i];
    }
    return !differ;
}

/* A factor as numbers; read only if it is not what was in these registers before. */
static const numbers *read_registers(const sl_warp *w, const u32 *refs, int half, const factor *f,
                                     const factor_form *form, numbers *other)
{
    const u32 registers = (u32)factor_registers(f);
    factor_words lines;
    kept_factor *kept = w->worker->factors;
    if (!kept && (kept = aligned_alloc(64, (size_t)(2 * KEPT_FACTORS) * sizeof *kept))) {
        for (int i = 0; i < 2 * KEPT_FACTORS; i++)
            kept[i].registers = 0;
        w->worker->factors = kept;
    }
    if (!kept || registers > KEPT_REGISTERS) {
        gather_lines(w, refs, half, f, &lines);
        read_factor(form, &lines, other);
        return other;
    }
    kept += (refs[0] * UINT32_C(0x9E3779B1) >> 28) + (form->columns ? KEPT_FACTORS : 0);
    if (is_kept(w, refs, half, kept, registers, form))
        return &kept->value;
    gather_lines(w, refs, half, f, &lines);
    read_factor(form, &lines, &kept->value);
    kept->form = *form;
    kept->registers = registers;
    for (u32 r = 0; r < registers; r++)
        memcpy(kept->words[r], (const u32 *)sl_operand(w, refs[r]) + 32 * half, sizeof kept->words[r]);
    return &kept->value;
}

/* Doubles: a chain of fused multiply-adds with k ascending. */
static void add_doubles(const shape *s, const f64 *a, const f64 *b, f64 *sum)
{
    for (int row = 0; row < s->m; row++) {
        f64 part[8];
        for (int j = 0; j < 8; j++)
            part[j] = sum[row * 8 + j];
        for (int k = 0; k < s->k; k++) {
            f64 x = a[row * s->k + k];
            for (int j = 0; j < 8; j++)
                part[j] = __builtin_fma(x, b[j * s->k + k], part[j]);
        }
        for (int j = 0; j < 8; j++)
            sum[row * 8 + j] = part[j];
    }
}

/* A tile of eight columns. */
static void multiply_tile(const sl_op *o, const shape *s, const factor_words *a, const factor_words *b, u32 type_a,
                          u32 type_b, const numbers *number_a, tile_sum *total)
{
    const bool saturate = o->aux & SL_MATRIX_SATFINITE;
    numbers number_b;
    if (type_a == SL_MATRIX_F64) {
        add_doubles(s, a->wide, b->wide, total->wide);
    } else if (type_a == SL_MATRIX_B1) {
        add_bits(&(sum_form){.m = s->m, .k = s->k}, a->bits, b->bits, o->aux & SL_MATRIX_XOR, saturate, total->i);
    } else {
        read_factor(&(factor_form){type_b, COLUMNS, s->k, true, false, false}, b, &number_b);
        add_factors(s->m, s->k, type_a, number_a, &number_b, o->aux & 15, saturate, total);
    }
}

/* One tile: 16 x 8, the products of mma. */
static void multiply_registers(const sl_warp *w, const sl_op *o, int half, const shape *s, const u32 *d, const u32 *a,
                               const u32 *b, const u32 *c, const factor *fa, const factor *fb)
{
    const u32 type_d = o->aux & 15, type_a = o->aux >> 4 & 15, type_b = o->aux >> 8 & 15, type_c = o->aux >> 12 & 15;
    numbers other_a, other_b;
    tile_sum total;
    gather_sum(w, c, half, type_c, s, &total);
    const numbers *na =
        read_registers(w, a, half, fa, &(factor_form){type_a, s->m, s->k, false, false, false}, &other_a);
    const numbers *nb =
        read_registers(w, b, half, fb, &(factor_form){type_b, COLUMNS, s->k, true, false, false}, &other_b);
    add_factors(s->m, s->k, type_a, na, nb, type_d, o->aux & SL_MATRIX_SATFINITE, &total);
    scatter_sum(w, d, half, type_d, s, &total);
}

/* list: the registers of d, a, b, c. aux, imm: see matrix.h. */
SL_HANDLER(mma)
{
    shape s = unpack_shape((u64)o->imm);
    u32 type_d = o->aux & 15, type_a = o->aux >> 4 & 15, type_b = o->aux >> 8 & 15, type_c = o->aux >> 12 & 15;
    bool wmma = o->aux & SL_MATRIX_WMMA, duplicated = wmma && type_a == SL_MATRIX_F16;
    factor fa = factor_of(&s, true, wmma, type_a), fb = factor_of(&s, false, wmma, type_b);
    int regs_d = s.m * s.n >> 5 >> packing_of(type_d);
    int regs_a = duplicated ? 8 : factor_registers(&fa), regs_b = duplicated ? 8 : factor_registers(&fb);
    const u32 *d = &w->code->list[o->list], *a = d + regs_d, *b = a + regs_a, *c = b + regs_b;
    const bool turned = s.n == 32; /* 8 x 32 is a 32 x 8 turned over */
    const int rows = turned ? s.n : s.m, tiles = (turned ? s.m : s.n) / COLUMNS, per_tile = rows / 4;
    const shape tile = {rows, COLUMNS, line_length(&fa)};
    const u32 type_rows = turned ? type_b : type_a, type_columns = turned ? type_a : type_b;
    const size_t tile_bytes = (size_t)(COLUMNS * tile.k >> packing_of(type_columns)) * (fa.of_doubles ? 8 : 4);
    factor_words in_a, in_b, part;
    numbers number_a;
    tile_sum total;
    for (int half = 0; half < HALVES; half++) {
        if (!(u32)(w->mask >> 32 * half))
            continue;
        if (tiles == 1 && !turned && type_a != SL_MATRIX_F64 && type_a != SL_MATRIX_B1) {
            multiply_registers(w, o, half, &tile, d, a, b, c, &fa, &fb);
            continue;
        }
        gather_lines(w, a, half, &fa, turned ? &in_b : &in_a);
        gather_lines(w, b, half, &fb, turned ? &in_a : &in_b);
        if (type_a != SL_MATRIX_F64 && type_a != SL_MATRIX_B1)
            read_factor(&(factor_form){type_rows, rows, tile.k, false, false, false}, &in_a, &number_a);
        for (int i = 0; i < tiles; i++) {
            const factor_words *b_tile = &in_b;
            if (i) {
                memcpy(&part, (const u8 *)&in_b + (size_t)i * tile_bytes, tile_bytes);
                b_tile = &part;
            }
            gather_sum(w, c + (i * per_tile >> packing_of(type_c)), half, type_c, &tile, &total);
            multiply_tile(o, &tile, &in_a, b_tile, type_rows, type_columns, &number_a, &total);
            scatter_sum(w, d + (i * per_tile >> packing_of(type_d)), half, type_d, &tile, &total);
        }
    }
}

/* mma.m8n8k4 of halves: each pair of quads (lanes q … q + 3 and q + 16 … q + 19) multiplies separate matrices. */
static inline void quad_sum_spot(u32 type, int lane, int i, int *row, int *col)
{
    int upper = lane & 16 ? 4 : 0;
    *row = type == SL_MATRIX_F16 ? (lane & 3) + upper : (lane & 1) + (i & 2) + upper;
    *col = type == SL_MATRIX_F16 ? i : (i & 4) + (lane & 2) + (i & 1);
}

static void multiply_quads(const sl_warp *w, const sl_op *o, int half, int quad)
{
    u32 type_d = o->aux & 15, type_c = o->aux >> 12 & 15;
    int per_d = elements_per_register(type_d), per_c = elements_per_register(type_c);
    const u32 *d = &w->code->list[o->list], *a = d + 8 / per_d, *b = a + 2, *c = b + 2;
    _Alignas(64) u16 half_a[64] = {0}, half_b[64] = {0}; /* lines of four numbers and four zeros */
    numbers na, nb;
    tile_sum total;
    for (int k = 0; k < 8; k++) {
        int lane = 4 * quad + (k & 3) + (k & 4 ? 16 : 0), at = 32 * half + lane, x = lane & 3, upper = k & 4;
        for (int i = 0; i < 4; i++) {
            u16 va = ((const u16 *)sl_operand(w, a[i / 2]))[2 * at + (i & 1)];
            u16 vb = ((const u16 *)sl_operand(w, b[i / 2]))[2 * at + (i & 1)];
            half_a[o->aux & SL_MATRIX_A_COL ? (i + upper) * 8 + x : (x + upper) * 8 + i] = va;
            half_b[o->aux & SL_MATRIX_B_ROW ? (i + upper) * 8 + x : (x + upper) * 8 + i] = vb;
        }
        for (int i = 0; i < 8; i++) {
            int row, col;
            quad_sum_spot(type_c, lane, i, &row, &col);
            u32 word = ((const u32 *)sl_operand(w, c[i / per_c]))[at];
            total.f[row * 8 + col] = per_c == 2 ? f32_f16(word >> 16 * (i & 1) & 0xffff) : from_bits_f32(word);
        }
    }
    read_factor(&(factor_form){SL_MATRIX_F16, 8, 8, false, false, false}, half_a, &na);
    read_factor(&(factor_form){SL_MATRIX_F16, 8, 8, true, false, false}, half_b, &nb);
    add_factors(8, 8, SL_MATRIX_F16, &na, &nb, type_d, false, &total);
    for (int k = 0; k < 8; k++) {
        int lane = 4 * quad + (k & 3) + (k & 4 ? 16 : 0), at = 32 * half + lane;
        for (int i = 0; i < 8 && w->mask >> at & 1; i += per_d) {
            u32 bits = 0;
            for (int e = 0; e < per_d; e++) {
                int row, col;
                quad_sum_spot(type_d, lane, i + e, &row, &col);
                bits |= (per_d == 2 ? f16_f32(total.f[row * 8 + col]) : total.bits[row * 8 + col]) << 16 * e;
            }
            ((u32 *)sl_operand(w, d[i / per_d]))[at] = bits;
        }
    }
}

SL_HANDLER(mma_quads)
{
    for (int half = 0; half < HALVES; half++)
        for (int quad = 0; quad < 4; quad++)
            multiply_quads(w, o, half, quad);
}

/* ---- wmma.load and wmma.store ---- */

typedef struct memory_matrix {
    shape s;
    u32 role, type;
    bool columns;
    int rows, cols, regs, per;
    factor f;
} memory_matrix;

static memory_matrix matrix_of(const sl_warp *w, const sl_op *o)
{
    const u32 *list = &w->code->list[o->list];
    memory_matrix m = {.s = unpack_shape((u64)list[1] << 32 | list[0]),
                       .role = o->aux >> SL_MATRIX_ROLE_SHIFT & 3,
                       .type = o->aux >> SL_MATRIX_TYPE_SHIFT & 15,
                       .columns = o->aux & SL_MATRIX_COLUMNS,
                       .regs = o->count};
    m.rows = m.role == 1 ? m.s.k : m.s.m;
    m.cols = m.role == 0 ? m.s.k : m.s.n;
    m.per = elements_per_register(m.type);
    m.f = factor_of(&m.s, m.role == 0, true, m.type);
    return m;
}

/* Row and column of element e of a register. Halves fill eight registers: what is left over repeats the first ones. */
static inline void matrix_spot(const memory_matrix *m, int reg, int e, int lane, int *row, int *col)
{
    if (m->role == 2) {
        sum_spot(&m->s, reg * m->per + e, lane, row, col);
        return;
    }
    int line, k;
    factor_spot(&m->f, reg % factor_registers(&m->f), lane, &line, &k);
    *row = m->role == 0 ? line : k + e;
    *col = m->role == 0 ? k + e : line;
}

/* The lanes share the bytes of the matrix evenly, row after row (or column after column): that is what is recorded. */
static void record_matrix(sl_warp *w, const sl_op *o, const memory_matrix *m, const u64 *base, const u32 *stride)
{
    if (!(w->stream || w->counter) || o->slot == UINT32_MAX)
        return;
    _Alignas(64) u64 addr[SL_LANES];
    u32 run = (u32)(m->columns ? m->rows : m->cols) * o->size; /* bytes that lie together */
    u32 share = (u32)(m->rows * m->cols) * o->size / 32;
    for (int i = 0; i < SL_LANES; i++) {
        u32 at = (u32)(i & 31) * share;
        addr[i] = base[i] + (u64)(at / run) * stride[i] * o->size + at % run;
    }
    sl_warp_record(w, o, w->mask, addr);
}

/* Where the first element of a register lies in the matrix, by lane, in bytes. Lanes 4 * g … 4 * g + 3 share a line of
 * a factor, and those of all g have the same k. */
static void offsets_of(const memory_matrix *m, int reg, u32 row_bytes, u32 col_bytes, u32 *offset)
{
    int row, col, next_row, next_col;
    matrix_spot(m, reg, 0, 0, &row, &col);
    u32 origin = (u32)row * row_bytes + (u32)col * col_bytes;
    matrix_spot(m, reg, 0, 1, &next_row, &next_col);
    u32 of_t = (u32)(next_row - row) * row_bytes + (u32)(next_col - col) * col_bytes;
    matrix_spot(m, reg, 0, 4, &next_row, &next_col);
    u32 of_g = (u32)(next_row - row) * row_bytes + (u32)(next_col - col) * col_bytes;
    for (u32 lane = 0; lane < 32; lane++)
        offset[lane] = origin + lane / 4 * of_g + lane % 4 * of_t;
}

/* The elements of a register, `step` bytes after one another in memory, for some of 32 lanes. */
#define MOVE(T, per)                                                                                                   \
    static void move_##T(T *of_lane, u8 *memory, const u32 *offset, u32 step, u32 active, bool store)                  \
    {                                                                                                                  \
        for (int lane = 0; lane < 32; lane++)                                                                          \
            for (u32 e = 0; e < (per) && active >> lane & 1; e++) {                                                    \
                u8 *element = memory + offset[lane] + e * step; /* need not be aligned */                              \
                if (store)                                                                                             \
                    memcpy(element, &of_lane[lane * (per) + e], sizeof(T));                                            \
                else                                                                                                   \
                    memcpy(&of_lane[lane * (per) + e], element, sizeof(T));                                            \
            }                                                                                                          \
    }
MOVE(u8, 4)
MOVE(u16, 2)
MOVE(u32, 1)
MOVE(u64, 1)

static void move_register(const memory_matrix *m, u32 size, u8 *of_lane, u8 *memory, const u32 *offset, u32 step,
                          u32 active, bool store)
{
    if (m->type == SL_MATRIX_F64)
        move_u64((u64 *)(void *)of_lane, memory, offset, 0, active, store);
    else if (size == 4 || step == size)
        move_u32((u32 *)(void *)of_lane, memory, offset, 0, active, store);
    else if (size == 2)
        move_u16((u16 *)(void *)of_lane, memory, offset, step, active, store);
    else
        move_u8(of_lane, memory, offset, step, active, store);
}

/* Lanes from `first` on share a matrix: where they agree on it, and all of it is in one piece of memory, only that is
 * looked up. False: each element has to be. */
static bool move_whole(sl_warp *w, const sl_op *o, const memory_matrix *m, int first, const u64 *base,
                       const u32 *stride, bool store)
{
    const u32 active = (u32)(w->mask >> first), some = (u32)first + (u32)__builtin_ctz(active);
    u64 differ = 0;
    for (u32 left = active; left; left &= left - 1) {
        u32 i = (u32)first + (u32)__builtin_ctz(left);
        differ |= (base[i] ^ base[some]) | (stride[i] ^ stride[some]);
    }
    u64 lines = (u64)(m->columns ? m->cols : m->rows), length = (u64)(m->columns ? m->rows : m->cols);
    u64 line_bytes = (u64)stride[some] * o->size, bytes = (lines - 1) * line_bytes + length * o->size;
    if (differ || base[some] & (o->size - 1u) || stride[some] < length || bytes > UINT32_MAX)
        return false;
    u8 *memory = sl_memory_whole(w, o, base[some], bytes, store);
    if (!memory)
        return false;
    u32 row_bytes = (u32)(m->columns ? o->size : line_bytes), col_bytes = (u32)(m->columns ? line_bytes : o->size);
    bool along_rows = m->role == 0 || (m->role == 2 && m->s.n != 32); /* as sum_spot turns 8 x 32 over */
    for (int reg = 0; reg < m->regs; reg++) {
        u32 offset[32], lane_bytes = m->type == SL_MATRIX_F64 ? 8 : 4;
        offsets_of(m, reg, row_bytes, col_bytes, offset);
        u8 *of_lane = (u8 *)sl_operand(w, w->code->list[o->list + 3 + (u32)reg]) + (size_t)first * lane_bytes;
        move_register(m, o->size, of_lane, memory, offset, along_rows ? col_bytes : row_bytes, active, store);
    }
    return true;
}

/* One element after the other, with all that may be wrong with each. */
static void move_each(sl_warp *w, const sl_op *o, const memory_matrix *m, u64 mask, const u64 *base, const u32 *stride,
                      bool store)
{
    bool check = w->worker->run->emu->check_uninit;
    for (int reg = 0; reg < m->regs; reg++) {
        u8 *result = sl_operand(w, w->code->list[o->list + 3 + (u32)reg]);
        for (u64 left = mask; left; left &= left - 1) {
            int i = __builtin_ctzll(left);
            u8 *word = result + (size_t)i * (m->type == SL_MATRIX_F64 ? 8 : 4);
            for (int e = 0; e < m->per; e++) {
                int row, col;
                matrix_spot(m, reg, e, i & 31, &row, &col);
                u64 index = m->columns ? (u64)col * stride[i] + (u64)row : (u64)row * stride[i] + (u64)col;
                u64 addr = base[i] + index * o->size;
                void *memory = sl_memory_resolve(w, o, i, addr, o->size, store);
                if (check && store)
                    sl_memory_mark_written(w, o, i, addr, o->size);
                if (check && !store)
                    sl_memory_check_read(w, o, i, addr, o->size);
                if (store)
                    memcpy(memory, word + e * o->size, o->size);
                else
                    memcpy(word + e * o->size, memory, o->size);
            }
        }
    }
}

static void look_for_races(sl_warp *w, const sl_op *o, const memory_matrix *m, const u64 *base, const u32 *stride,
                           bool store)
{
    u32 runs = (u32)(m->columns ? m->cols : m->rows), run = (u32)(m->columns ? m->rows : m->cols) * o->size;
    for (int first = 0; first < SL_LANES; first += 32) {
        u32 active = (u32)(w->mask >> first);
        int lane = first + (active ? __builtin_ctz(active) : 0);
        for (u32 i = 0; i < runs && active; i++)
            sl_race_range(w, o, lane, base[lane] + (u64)i * stride[lane] * o->size, run, store);
    }
}

static void move_matrix(sl_warp *w, const sl_op *o, bool store)
{
    _Alignas(64) u64 base[SL_LANES];
    u32 stride[SL_LANES];
    memory_matrix m = matrix_of(w, o);
    addresses(w, o, base);
    memcpy(stride, sl_operand(w, w->code->list[o->list + 2]), sizeof stride); /* the result may overwrite it */
    record_matrix(w, o, &m, base, stride);
    if (w->race)
        look_for_races(w, o, &m, base, stride, store);
    for (int first = 0; first < SL_LANES; first += 32) {
        u64 mask = w->mask & (u64)UINT32_MAX << first;
        if (mask && (w->worker->run->emu->check_uninit || !move_whole(w, o, &m, first, base, stride, store)))
            move_each(w, o, &m, mask, base, stride, store);
    }
}

SL_HANDLER(wmma_load)
{
    move_matrix(w, o, false);
}

SL_HANDLER(wmma_store)
{
    move_matrix(w, o, true);
}

/* ---- 8 x 8 matrices of 16 bits: lane l holds row l / 4, columns 2 * (l % 4) and the next ---- */

/* Row r of matrix j lies at the address of lane 8 * j + r: only these addresses count, and are recorded. */
static void matrix_rows(sl_warp *w, const sl_op *o, bool store, u8 *row[SL_LANES])
{
    _Alignas(64) u64 addr[SL_LANES];
    addresses(w, o, addr);
    u64 rows = o->count == 4 ? UINT32_MAX : ((u64)1 << 8 * o->count) - 1, used = w->mask & (rows | rows << 32);
    sl_warp_record(w, o, used, used ? addr : NULL);
    bool check = w->worker->run->emu->check_uninit;
    for (int i = 0; i < SL_LANES; i++) {
        row[i] = NULL;
        if (!(used >> i & 1))
            continue;
        row[i] = sl_memory_resolve(w, o, i, addr[i], 16, store);
        if (check && store)
            sl_memory_mark_written(w, o, i, addr[i], 16);
        if (check && !store)
            sl_memory_check_read(w, o, i, addr[i], 16);
        if (w->race)
            sl_race_range(w, o, i, addr[i], 16, store);
    }
}

static inline u16 *matrix_item(u8 *const *row, int line, int col)
{
    return row[line] ? (u16 *)(void *)row[line] + col : NULL;
}

SL_HANDLER(ldmatrix)
{
    u8 *row[SL_LANES];
    matrix_rows(w, o, false, row);
    for (u32 j = 0; j < o->count; j++) {
        u32 *d = sl_operand(w, w->code->list[o->list + j]);
        SL_EACH_ACTIVE(w, i)
        {
            int first = (i & 32) + 8 * (int)j, r = (i & 31) >> 2, c = 2 * (i & 3);
            bool turned = o->aux & SL_MATRIX_TRANSPOSED;
            const u16 *low = turned ? matrix_item(row, first + c, r) : matrix_item(row, first + r, c);
            const u16 *high = turned ? matrix_item(row, first + c + 1, r) : matrix_item(row, first + r, c + 1);
            d[i] = (low ? *low : 0) | (u32)(high ? *high : 0) << 16;
        }
    }
}

SL_HANDLER(stmatrix)
{
    u8 *row[SL_LANES];
    matrix_rows(w, o, true, row);
    for (u32 j = 0; j < o->count; j++) {
        const u32 *a = sl_operand(w, w->code->list[o->list + j]);
        SL_EACH_ACTIVE(w, i)
        {
            int first = (i & 32) + 8 * (int)j, r = (i & 31) >> 2, c = 2 * (i & 3);
            bool turned = o->aux & SL_MATRIX_TRANSPOSED;
            u16 *low = turned ? matrix_item(row, first + c, r) : matrix_item(row, first + r, c);
            u16 *high = turned ? matrix_item(row, first + c + 1, r) : matrix_item(row, first + r, c + 1);
            if (low)
                *low = (u16)a[i];
            if (high)
                *high = (u16)(a[i] >> 16);
        }
    }
}

SL_HANDLER(movmatrix)
{
    u32 *d = sl_operand(w, o->d), source[SL_LANES];
    memcpy(source, sl_operand(w, o->a), sizeof source);
    SL_EACH_ACTIVE(w, i)
    {
        int r = (i & 31) >> 2, c = 2 * (i & 3), from = (i & 32) + 4 * c + r / 2, shift = 16 * (r & 1);
        d[i] = (source[from] >> shift & 0xffff) | (source[from + 4] >> shift & 0xffff) << 16;
    }
}
