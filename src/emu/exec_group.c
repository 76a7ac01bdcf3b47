/* SPDX-License-Identifier: MIT */
/* wgmma: products of four warps. Each of them multiplies 16 rows of A, of its own, with all of B. */
#include <stdlib.h>

#include "emu/exec_tensor.h"
#include "emu/shared_matrix.h"

enum { MAX_COLUMNS = 256 };

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

/* All that a warp's share reads. */
static void look_for_races(sl_warp *w, const sl_op *o, const described *a, const described *b, u32 n)
{
    w->worker->rows.count = 0;
    for (u32 half = 0; half < HALVES && a; half++) {
        u32 quarter = (w->index * HALVES + half) % 4;
        note_lines(w, o, a, 16 * quarter, 16 * quarter + 16);
    }
    note_lines(w, o, b, 0, n);
    sl_race_rows(w, o, __builtin_ctzll(w->mask), SL_RACE_PRODUCTS, w->block);
}

/* The fragment of A as rows. */
static void fragment_lines(const sl_warp *w, const u32 *refs, int half, u8 (*out)[LINE_BYTES])
{
    for (int r = 0; r < 4; r++) {
        const u32 *reg = (const u32 *)sl_operand(w, refs[r]) + 32 * half;
        for (int lane = 0; lane < 32; lane++)
            memcpy(out[lane / 4 + 8 * (r & 1)] + 16 * (r / 2) + 4 * (lane % 4), &reg[lane], 4);
    }
}

/* sum += a * b of all types. Eight-bit floats: one step, and a sum in f32 keeps as many bits behind the point. */
static void add_group_factors(int k, u32 type, const numbers *a, const numbers *b, u32 type_d, bool saturate,
                              tile_sum *total)
{
    if (!is_byte_float(type)) {
        add_factors(16, k, type, a, b, type_d, saturate, total);
        return;
    }
    enum { LOST = 23 - KEPT_OF_BYTES };
    add_products(&(sum_form){16, k, KEPT_OF_BYTES, type_d == SL_MATRIX_F16}, a, b, 0, total->f);
    for (int i = 0; i < 16 * COLUMNS && type_d == SL_MATRIX_F32; i++)
        if (total->f[i] - total->f[i] == 0)
            total->bits[i] = total->bits[i] >> LOST << LOST;
}

/* Columns that were read last, by where they lie: the four warps of a group read the same. */
enum { KEPT_TILES = 128 };

typedef struct kept_columns {
    _Alignas(64) u8 bytes[COLUMNS][LINE_BYTES];
    factor_form form;
    bool filled;
    numbers value;
} kept_columns;

static const numbers *read_columns(const sl_warp *w, u64 start, u32 tile, const factor_form *form,
                                   u8 (*bytes)[LINE_BYTES], numbers *other)
{
    kept_columns *kept = w->worker->columns;
    if (!kept && (kept = aligned_alloc(64, KEPT_TILES * sizeof *kept))) {
        for (int i = 0; i < KEPT_TILES; i++)
            kept[i].filled = false;
        w->worker->columns = kept;
    }
    if (!kept) {
        read_factor(form, bytes, other);
        return other;
    }
    kept += (start / LINE_BYTES * (MAX_COLUMNS / COLUMNS) + tile) % KEPT_TILES;
    if (kept->filled && kept->form.type == form->type && kept->form.negated == form->negated &&
        !memcmp(kept->bytes, bytes, sizeof kept->bytes))
        return &kept->value;
    read_factor(form, bytes, &kept->value);
    memcpy(kept->bytes, bytes, sizeof kept->bytes);
    kept->form = *form;
    kept->filled = true;
    return &kept->value;
}

/* list: the registers of d, then of a; a, b: descriptors; c: whether d is added. aux, imm: see matrix.h. */
SL_HANDLER(wgmma)
{
    int n = unpack_shape((u64)o->imm).n, some = __builtin_ctzll(w->mask);
    const shape s = {16, COLUMNS, unpack_shape((u64)o->imm).k};
    u32 type_d = o->aux & 15, type_a = o->aux >> 4 & 15, type_b = o->aux >> 8 & 15;
    int per_tile = type_d == SL_MATRIX_F16 ? 2 : 4;
    bool registers = o->aux & SL_WGMMA_A_REGISTERS, saturate = o->aux & SL_MATRIX_SATFINITE;
    bool adds = ((const pr *)sl_operand(w, o->c))[some];
    const u32 *d = &w->code->list[o->list];
    described a = {0}, b = describe(w, o, ((const u64 *)sl_operand(w, o->b))[some], 2, o->aux & SL_WGMMA_B_TRANSPOSED);
    if (!registers)
        a = describe(w, o, ((const u64 *)sl_operand(w, o->a))[some], 2, o->aux & SL_WGMMA_A_TRANSPOSED);
    if (w->race)
        look_for_races(w, o, registers ? NULL : &a, &b, (u32)n);
    record_wgmma(w, o, registers ? NULL : &a, &b, (u32)n);
    const factor_form form_a = {type_a, 16, s.k, false, true, o->aux & SL_WGMMA_A_NEGATED};
    const factor_form form_b = {type_b, COLUMNS, s.k, true, true, o->aux & SL_WGMMA_B_NEGATED};
    _Alignas(64) u8 rows[16][LINE_BYTES], columns[MAX_COLUMNS][LINE_BYTES];
    numbers na, nb;
    tile_sum total;
    read_lines(w, o, w->block, &b, 0, (u32)n, columns);
    for (int half = 0; half < HALVES; half++) {
        if (!(u32)(w->mask >> 32 * half))
            continue;
        w->group[half].products++;
        if (registers)
            fragment_lines(w, d + n / COLUMNS * per_tile, half, rows);
        else
            read_lines(w, o, w->block, &a, 16 * ((w->index * HALVES + (u32)half) % 4), 16, rows);
        if (type_a != SL_MATRIX_B1)
            read_factor(&form_a, rows, &na);
        for (int tile = 0; tile < n / COLUMNS; tile++) {
            const u32 *refs = d + tile * per_tile;
            if (adds)
                gather_sum(w, refs, half, type_d, &s, &total);
            else
                memset(&total, 0, sizeof(u32) * 16 * COLUMNS);
            if (type_a == SL_MATRIX_B1) {
                add_bits(&(sum_form){.m = 16, .k = s.k}, (const u64 *)(const void *)rows,
                         (const u64 *)(const void *)columns[COLUMNS * tile], false, saturate, total.i);
            } else {
                const numbers *to = read_columns(w, b.start, (u32)tile, &form_b, &columns[COLUMNS * tile], &nb);
                add_group_factors(s.k, type_a, &na, to, type_d, saturate, &total);
            }
            scatter_sum(w, refs, half, type_d, &s, &total);
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
