/* SPDX-License-Identifier: MIT */
/* wgmma: products of four warps. Each of them multiplies 16 rows of A, of its own, with all of B. */
#include "emu/exec_tensor.h"

enum { ROW_BYTES = 32, MAX_COLUMNS = 256 }; /* all k of a row or column, in every type */

/* A matrix in shared memory, as its descriptor says. Its lines (rows of A, columns of B) lie in chunks of 16 bytes, of
 * neighbors along k, or along the lines when it is transposed. */
typedef struct described {
    u64 start, leading, stride;
    u32 span, swizzle; /* bytes that are swizzled together; the address bits that change */
    bool transposed;
} described;

static described describe(sl_warp *w, const sl_op *o, u64 bits, bool transposed)
{
    static const u32 span[] = {16, 128, 64, 32}, swizzle[] = {0, 0x70, 0x30, 0x10};
    u32 mode = (u32)(bits >> 62);
    if (bits >> 49 & 7)
        sl_fault_raise(w, o->inst, -1, SL_FAULT_ILLEGAL_ADDRESS,
                       "the matrix descriptor 0x%llx has a base offset, which is not emulated",
                       (unsigned long long)bits);
    return (described){.start = (bits & 0x3fff) << 4,
                       .leading = (bits >> 16 & 0x3fff) << 4,
                       .stride = (bits >> 32 & 0x3fff) << 4,
                       .span = span[mode],
                       .swizzle = swizzle[mode],
                       .transposed = transposed};
}

/* Where a chunk lies: of line `line` and chunk `part` along k, or of the lines from `line` on and k = `part`. */
static inline u64 chunk_at(const described *m, u32 line, u32 part)
{
    u64 at = m->start;
    if (!m->transposed) {
        at += (u64)(line % 8) * m->span + line / 8 * m->stride + part * (m->swizzle ? 16 : m->leading);
    } else if (m->swizzle) {
        u32 chunk = line / 8, wide = m->span / 16;
        at += chunk % wide * 16 + chunk / wide * m->leading + (u64)(part % 8) * m->span + part / 8 * m->stride;
    } else {
        at += line / 8 * m->stride + (u64)(part % 8) * 16 + part / 8 * m->leading;
    }
    return at ^ (at >> 3 & m->swizzle);
}

/* A descriptor means memory of the running block. */
static inline const u8 *chunk_bytes(sl_warp *w, const sl_op *o, u64 at)
{
    const sl_block *block = w->block;
    if (at + 16 > block->shared_bytes)
        sl_fault_raise(w, o->inst, -1, SL_FAULT_ILLEGAL_ADDRESS,
                       "illegal 16-byte read at shared offset 0x%llx of %u bytes", (unsigned long long)at,
                       block->shared_bytes);
    for (u64 i = at; block->shared_written && i < at + 16; i++)
        if (!(block->shared_written[i / 8] >> i % 8 & 1))
            sl_fault_raise(w, o->inst, -1, SL_FAULT_UNINITIALISED,
                           "read of memory that was never written: shared offset 0x%llx", (unsigned long long)i);
    return block->shared + at;
}

/* Lines [first, first + lines) as rows of ROW_BYTES. */
static void read_lines(sl_warp *w, const sl_op *o, const described *m, u32 first, u32 lines, u8 (*out)[ROW_BYTES])
{
    for (u32 line = 0; line < lines && !m->transposed; line++)
        for (u32 part = 0; part < 2; part++)
            memcpy(out[line] + 16 * part, chunk_bytes(w, o, chunk_at(m, first + line, part)), 16);
    for (u32 line = 0; line < lines && m->transposed; line += 8)
        for (u32 k = 0; k < 16; k++) {
            const u8 *chunk = chunk_bytes(w, o, chunk_at(m, first + line, k));
            for (u32 i = 0; i < 8; i++)
                memcpy(out[line + i] + 2 * k, chunk + 2 * i, 2);
        }
}

/* What these lines are read from. Lines eight apart lie at a regular distance. */
static void note_lines(sl_warp *w, const sl_op *o, const described *m, u32 first, u32 end)
{
    u32 chunks = m->transposed ? 16 : 2, step = m->transposed ? 1 : 8;
    bool together = !m->transposed && m->swizzle && m->start % 32 == 0;
    for (u32 part = 0; part < chunks; part += together ? 2 : 1)
        for (u32 r = 0; r < step; r++)
            for (u32 line = first + r; line < end; line += 8) {
                u64 at = chunk_at(m, line, part);
                at = together && chunk_at(m, line, 1) < at ? chunk_at(m, line, 1) : at;
                sl_note_row(w, o, at, at, together ? 32 : 16);
            }
}

/* A group's warps share what is read of B: each counts a quarter of it. */
static void record_wgmma(sl_warp *w, const sl_op *o, const described *a, const described *b, u32 n)
{
    if (!w->stream || o->slot == UINT32_MAX)
        return;
    w->worker->rows.count = 0;
    for (u32 half = 0; half < HALVES; half++) {
        u32 quarter = (w->index * HALVES + half) % 4, from = n * quarter / 4, to = n * (quarter + 1) / 4;
        if (a)
            note_lines(w, o, a, 16 * quarter, 16 * quarter + 16);
        if (b->transposed) { /* in chunks of eight lines */
            from = n / 8 * quarter / 4 * 8;
            to = n / 8 * (quarter + 1) / 4 * 8;
        }
        note_lines(w, o, b, from, to);
    }
    sl_warp_stream_rows(w->stream, o->slot, w->mask, w->worker->rows.items, w->worker->rows.count, 1);
}

/* Elements as numbers: of lines, or with the lines side by side. */
static void line_numbers(u32 type, u8 (*line)[ROW_BYTES], int lines, int k, bool negated, f64 *out, int line_stride,
                         int k_stride)
{
    int per = elements_per_register(type);
    for (int i = 0; i < lines; i++) {
        u32 words[ROW_BYTES / 4];
        memcpy(words, line[i], sizeof words);
        for (int x = 0; x < k; x++) {
            f64 value = element(type, words, x / per, x % per);
            out[i * line_stride + x * k_stride] = negated ? -value : value;
        }
    }
}

static void line_halves(u8 (*line)[ROW_BYTES], int lines, bool negated, u16 *out, int line_stride, int k_stride)
{
    for (int i = 0; i < lines; i++)
        for (int x = 0; x < 16; x++) {
            u16 value;
            memcpy(&value, line[i] + 2 * x, 2);
            out[i * line_stride + x * k_stride] = negated ? value ^ 0x8000 : value;
        }
}

/* The fragment of A as rows. */
static void fragment_lines(const sl_warp *w, const u32 *refs, int half, u8 (*out)[ROW_BYTES])
{
    for (int r = 0; r < 4; r++) {
        const u32 *reg = (const u32 *)sl_operand(w, refs[r]) + 32 * half;
        for (int lane = 0; lane < 32; lane++)
            memcpy(out[lane / 4 + 8 * (r & 1)] + 16 * (r / 2) + 4 * (lane % 4), &reg[lane], 4);
    }
}

/* Eight-bit floats of wgmma: one step, in which each term is cut off 13 bits below the largest exponent, and a sum in
 * f32 keeps as many bits behind the point. */
static void tensor_group_bytes(const shape *s, u32 type_d, u32 type_a, const f64 *a, u32 type_b, const f64 *b, f64 *sum)
{
    enum { LOST = KEPT - 13, LOST_F32 = 23 - 13 };
    parts pa, pb;
    f64 special[MAX_SUM];
    bool finite = all_finite(a, s->m * s->k) && all_finite(b, s->k * s->n) && all_finite(sum, s->m * s->n);
    if (!finite) {
        memcpy(special, sum, (size_t)(s->m * s->n) * sizeof *sum);
        multiply(s, a, b, special, false);
    }
    split(a, s->m * s->k, type_a == SL_MATRIX_E4M3 ? -6 : -14, &pa);
    split(b, s->k * s->n, type_b == SL_MATRIX_E4M3 ? -6 : -14, &pb);
    for (int i = 0; i < s->m * s->n; i++) {
        const s32 *x = &pa.mantissa[i / s->n * s->k], *xe = &pa.exponent[i / s->n * s->k];
        const s32 *y = &pb.mantissa[i % s->n], *ye = &pb.exponent[i % s->n];
        u32 bits = bits_f32((f32)sum[i]);
        s32 stored = (s32)(bits >> 23 & 0xff), magnitude = (s32)(bits & 0x7fffff) | (stored ? 0x800000 : 0);
        s32 exponent = magnitude ? (stored ? stored : 1) - 127 : LOWEST, largest = exponent;
        for (int k = 0; k < s->k; k++)
            largest = xe[k] + ye[k * s->n] > largest ? xe[k] + ye[k * s->n] : largest;
        if (largest < NO_EXPONENT) {
            sum[i] = 0;
            continue;
        }
        s64 total = 0;
        for (int k = -1; k < s->k; k++) {
            s64 number = k < 0 ? (bits >> 31 ? -magnitude : magnitude) : (s64)x[k] * y[k * s->n];
            s32 distance = largest - (k < 0 ? exponent : xe[k] + ye[k * s->n]);
            u64 size = (u64)(number < 0 ? -number : number) << (k < 0 ? KEPT - 23 : KEPT - 20);
            s64 kept = distance < 63 ? (s64)(size >> distance >> LOST << LOST) : 0;
            total += number < 0 ? -kept : kept;
        }
        sum[i] = (f64)total * power_of_two(largest - KEPT);
        if (type_d == SL_MATRIX_F32)
            sum[i] = from_bits_f32(bits_f32(cut_f32(sum[i])) >> LOST_F32 << LOST_F32);
    }
    for (int i = 0; i < s->m * s->n && !finite; i++)
        if (special[i] - special[i] != 0)
            sum[i] = special[i];
}

/* list: the registers of d, then of a; a, b: descriptors; c: whether d is added. aux, imm: see matrix.h. */
SL_HANDLER(wgmma)
{
    int n = (int)unpack_shape((u64)o->imm).n, some = __builtin_ctzll(w->mask);
    const shape s = {16, 8, unpack_shape((u64)o->imm).k};
    u32 type_d = o->aux & 15, type_a = o->aux >> 4 & 15, type_b = o->aux >> 8 & 15;
    int per_tile = type_d == SL_MATRIX_F16 ? 2 : 4;
    bool halves = type_a == SL_MATRIX_F16 || type_a == SL_MATRIX_BF16, registers = o->aux & SL_WGMMA_A_REGISTERS;
    bool adds = ((const pr *)sl_operand(w, o->c))[some];
    const u32 *d = &w->code->list[o->list];
    described a = {0}, b = describe(w, o, ((const u64 *)sl_operand(w, o->b))[some], o->aux & SL_WGMMA_B_TRANSPOSED);
    if (!registers)
        a = describe(w, o, ((const u64 *)sl_operand(w, o->a))[some], o->aux & SL_WGMMA_A_TRANSPOSED);
    record_wgmma(w, o, registers ? NULL : &a, &b, (u32)n);
    _Alignas(64) f64 factor_a[MAX_FACTOR], factor_b[MAX_FACTOR], sum[MAX_SUM];
    u16 half_a[MAX_TENSOR], half_b[MAX_TENSOR];
    u8 rows[16][ROW_BYTES], columns[MAX_COLUMNS][ROW_BYTES];
    bool negate_a = o->aux & SL_WGMMA_A_NEGATED, negate_b = o->aux & SL_WGMMA_B_NEGATED;
    read_lines(w, o, &b, 0, (u32)n, columns);
    for (int half = 0; half < HALVES; half++) {
        if (!(u32)(w->mask >> 32 * half))
            continue;
        w->group[half].products++;
        if (registers)
            fragment_lines(w, d + n / 8 * per_tile, half, rows);
        else
            read_lines(w, o, &a, 16 * ((w->index * HALVES + (u32)half) % 4), 16, rows);
        line_numbers(type_a, rows, 16, s.k, negate_a, factor_a, s.k, 1);
        if (halves)
            line_halves(rows, 16, negate_a, half_a, s.k, 1);
        for (int tile = 0; tile < n / 8; tile++) {
            const u32 *refs = d + tile * per_tile;
            if (adds)
                gather_sum(w, refs, half, type_d, &s, sum);
            else
                memset(sum, 0, sizeof(f64) * 128);
            if (halves)
                line_halves(columns + 8 * tile, 8, negate_b, half_b, 1, 8);
            if (!halves || !tensor_halves(&s, type_a, half_a, half_b, sum)) {
                line_numbers(type_b, columns + 8 * tile, 8, s.k, negate_b, factor_b, 1, 8);
                if (type_a == SL_MATRIX_E4M3 || type_a == SL_MATRIX_E5M2)
                    tensor_group_bytes(&s, type_d, type_a, factor_a, type_b, factor_b, sum);
                else
                    multiply_typed(&s, type_a, factor_a, factor_b, sum);
            }
            if (type_d == SL_MATRIX_F32)
                scatter_f32(w, refs, half, &s, sum);
            else
                scatter_sum(w, refs, half, type_d, &s, sum, o->aux & SL_MATRIX_SATFINITE);
        }
    }
}

SL_HANDLER(wgmma_commit)
{
    (void)o;
    for (int half = 0; half < HALVES; half++)
        if ((u32)(w->mask >> 32 * half)) {
            sl_group_progress *g = &w->group[half];
            g->committed[g->commits++ % SL_GROUPS_KEPT] = g->products;
        }
}
