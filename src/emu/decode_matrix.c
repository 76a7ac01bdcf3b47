/* SPDX-License-Identifier: MIT */
/* Matrix instructions: mma, wmma, wgmma, ldmatrix, stmatrix, movmatrix. Sparse and block-scaled products are refused.
 */
#include <stdio.h>
#include <string.h>

#include "emu/decode.h"
#include "emu/matrix.h"
#include "emu/warp.h"

enum { MAX_REGS = 64 };

typedef struct shape {
    uint32_t m, n, k;
} shape;

static bool has(const sl_decoder *d, sl_ptx_mod_id mod)
{
    return sl_ptx_has(d->inst, mod);
}

static bool shape_of(const sl_ptx_inst *inst, shape *s)
{
    for (uint32_t i = 0; i < inst->mods; i++)
        if (sscanf(inst->mod[i].text, "m%un%uk%u", &s->m, &s->n, &s->k) == 3)
            return true;
    return false;
}

/* Bits of one element. */
static uint32_t matrix_bits(sl_matrix_type type)
{
    static const uint8_t bits[SL_MATRIX_TYPES] = {
        [SL_MATRIX_F16] = 16, [SL_MATRIX_BF16] = 16, [SL_MATRIX_TF32] = 32, [SL_MATRIX_F32] = 32, [SL_MATRIX_F64] = 64,
        [SL_MATRIX_S8] = 8,   [SL_MATRIX_U8] = 8,    [SL_MATRIX_S4] = 4,    [SL_MATRIX_U4] = 4,   [SL_MATRIX_B1] = 1,
        [SL_MATRIX_E4M3] = 8, [SL_MATRIX_E5M2] = 8,  [SL_MATRIX_S32] = 32};
    return bits[type];
}

static sl_matrix_type matrix_type(sl_ptx_type type)
{
    static const struct {
        sl_ptx_type type;
        sl_matrix_type matrix;
    } table[] = {{SL_T_F16, SL_MATRIX_F16}, {SL_T_BF16, SL_MATRIX_BF16}, {SL_T_TF32, SL_MATRIX_TF32},
                 {SL_T_F32, SL_MATRIX_F32}, {SL_T_F64, SL_MATRIX_F64},   {SL_T_S8, SL_MATRIX_S8},
                 {SL_T_U8, SL_MATRIX_U8},   {SL_T_S4, SL_MATRIX_S4},     {SL_T_U4, SL_MATRIX_U4},
                 {SL_T_B1, SL_MATRIX_B1},   {SL_T_E4M3, SL_MATRIX_E4M3}, {SL_T_E5M2, SL_MATRIX_E5M2},
                 {SL_T_S32, SL_MATRIX_S32}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].type == type)
            return table[i].matrix;
    return SL_MATRIX_TYPES;
}

/* Registers of a fragment with that many elements. */
static uint32_t fragment_regs(uint32_t elements, sl_matrix_type type)
{
    return elements * matrix_bits(type) / (type == SL_MATRIX_F64 ? 64 : 32) / 32;
}

/* References of the registers of {…} or of a single one. */
static uint32_t fragment(sl_decoder *d, const sl_ptx_operand *operand, uint32_t bytes, bool written, uint32_t want,
                         uint32_t *refs)
{
    const sl_ptx_operand *items = operand->kind == SL_OPD_VECTOR ? operand->items : operand;
    uint32_t n = operand->kind == SL_OPD_VECTOR ? operand->count : 1;
    if (n != want || n > MAX_REGS)
        sl_decode_refuse(d, "a fragment of %u registers, not %u", n, want);
    sl_ptx_type type = bytes == 8 ? SL_T_F64 : SL_T_B32;
    for (uint32_t i = 0; i < n; i++)
        refs[i] = written ? sl_decode_dst(d, &items[i], bytes) : sl_decode_src(d, &items[i], type);
    return n;
}

/* The shapes that the PTX manual has, by the bits of a factor's element. */
static bool shape_is_legal(const shape *s, uint32_t bits, bool wmma)
{
    static const struct {
        uint8_t wmma, bits, m, n;
        uint16_t k;
    } legal[] = {
        {0, 16, 8, 8, 4},   {0, 16, 16, 8, 8},  {0, 16, 16, 8, 16}, {0, 32, 16, 8, 4},   {0, 32, 16, 8, 8},
        {0, 64, 8, 8, 4},   {0, 64, 16, 8, 4},  {0, 64, 16, 8, 8},  {0, 64, 16, 8, 16},  {0, 8, 8, 8, 16},
        {0, 8, 16, 8, 16},  {0, 8, 16, 8, 32},  {0, 4, 8, 8, 32},   {0, 4, 16, 8, 32},   {0, 4, 16, 8, 64},
        {0, 1, 8, 8, 128},  {0, 1, 16, 8, 128}, {0, 1, 16, 8, 256}, {1, 16, 16, 16, 16}, {1, 16, 8, 32, 16},
        {1, 16, 32, 8, 16}, {1, 8, 16, 16, 16}, {1, 8, 8, 32, 16},  {1, 8, 32, 8, 16},   {1, 32, 16, 16, 8},
        {1, 64, 8, 8, 4},   {1, 4, 8, 8, 32},   {1, 1, 8, 8, 128},
    };
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++)
        if (legal[i].wmma == wmma && (!bits || legal[i].bits == bits) && legal[i].m == s->m && legal[i].n == s->n &&
            legal[i].k == s->k)
            return true;
    return false;
}

/* Whether sums of products of such factors have this type. */
static bool sum_is_legal(sl_matrix_type factor, sl_matrix_type sum)
{
    switch (factor) {
    case SL_MATRIX_F64:
        return sum == SL_MATRIX_F64;
    case SL_MATRIX_F16:
    case SL_MATRIX_E4M3:
    case SL_MATRIX_E5M2:
        return sum == SL_MATRIX_F16 || sum == SL_MATRIX_F32;
    case SL_MATRIX_BF16:
    case SL_MATRIX_TF32:
        return sum == SL_MATRIX_F32;
    case SL_MATRIX_F32:
    case SL_MATRIX_S32:
        return false;
    default:
        return sum == SL_MATRIX_S32;
    }
}

static bool is_quads(const shape *s, sl_matrix_type factor)
{
    return s->m == 8 && s->k == 4 && factor == SL_MATRIX_F16; /* four products, one per pair of quads */
}

void sl_matrix_registers(const sl_op *op, uint32_t regs[4])
{
    shape s = {(uint32_t)op->imm & 0xffff, (uint32_t)(op->imm >> 16) & 0xffff, (uint32_t)(op->imm >> 32)};
    sl_matrix_type d = op->aux & 15, a = op->aux >> 4 & 15, b = op->aux >> 8 & 15, c = op->aux >> 12 & 15;
    bool quads = is_quads(&s, a);
    bool duplicated = op->aux & SL_MATRIX_WMMA && a == SL_MATRIX_F16; /* eight registers in every shape */
    uint32_t results = (quads ? 4 : 1) * s.m * s.n;
    regs[0] = fragment_regs(results, d);
    regs[1] = duplicated ? 8 : quads ? 2 : fragment_regs(s.m * s.k, a);
    regs[2] = duplicated ? 8 : quads ? 2 : fragment_regs(s.k * s.n, b);
    regs[3] = fragment_regs(results, c);
}

/* ---- products ---- */

typedef struct product {
    shape s;
    sl_matrix_type d, a, b, c;
    bool wmma;
} product;

/* The types as written: d a b c, or d c where the factors are f16 (wmma). */
static product product_of(sl_decoder *d)
{
    product p = {.wmma = d->inst->op == SL_OP_WMMA};
    if (!shape_of(d->inst, &p.s))
        sl_decode_refuse(d, "a shape is missing");
    bool two = sl_ptx_inst_type(d->inst, 2) == SL_T_NONE;
    p.d = matrix_type(sl_ptx_inst_type(d->inst, 0));
    p.a = two ? SL_MATRIX_F16 : matrix_type(sl_ptx_inst_type(d->inst, 1));
    p.b = two ? SL_MATRIX_F16 : matrix_type(sl_ptx_inst_type(d->inst, 2));
    p.c = matrix_type(sl_ptx_inst_type(d->inst, two ? 1 : 3));
    if (p.d == SL_MATRIX_TYPES || p.a == SL_MATRIX_TYPES || p.b == SL_MATRIX_TYPES || p.c == SL_MATRIX_TYPES)
        sl_decode_refuse(d, "matrices of these types");
    if (matrix_bits(p.a) != matrix_bits(p.b))
        sl_decode_refuse(d, "factors of different width");
    return p;
}

static void refuse_variants(sl_decoder *d)
{
    for (uint32_t i = 0; i < d->inst->mods; i++) {
        const char *text = d->inst->mod[i].text;
        if (!strncmp(text, "sp", 2) || !strncmp(text, "kind", 4) || !strncmp(text, "block_scale", 11))
            sl_decode_refuse(d, ".%s", text);
    }
}

static void decode_product(sl_decoder *d)
{
    refuse_variants(d);
    product p = product_of(d);
    bool quads = is_quads(&p.s, p.a), row_col = has(d, SL_MOD_ROW) && has(d, SL_MOD_COL);
    if (!shape_is_legal(&p.s, matrix_bits(p.a), p.wmma) || (!p.wmma && !quads && !row_col))
        sl_decode_refuse(d, "this shape");
    if (!sum_is_legal(p.a, p.d) || !sum_is_legal(p.a, p.c))
        sl_decode_refuse(d, "sums of this type");
    sl_op shaped = {.imm = sl_matrix_shape(p.s.m, p.s.n, p.s.k),
                    .aux = p.d | (uint32_t)p.a << 4 | (uint32_t)p.b << 8 | (uint32_t)p.c << 12 |
                           (p.wmma ? SL_MATRIX_WMMA : 0)};
    uint32_t refs[4 * MAX_REGS], regs[4], count = 0;
    sl_matrix_registers(&shaped, regs);
    for (uint32_t i = 0; i < 4; i++) {
        bool wide = (shaped.aux >> 4 * i & 15) == SL_MATRIX_F64;
        count += fragment(d, sl_decode_operand(d, i), wide ? 8 : 4, i == 0, regs[i], refs + count);
    }
    uint32_t list = sl_decode_list(d, refs, count);
    sl_op *op = sl_emit(d, refs[0], 0, 0, 0, quads ? "mma_quads" : "mma");
    op->list = list;
    op->count = (uint8_t)count;
    op->imm = shaped.imm;
    op->aux = shaped.aux | (has(d, SL_MOD_SATFINITE) ? SL_MATRIX_SATFINITE : 0);
    op->aux |= has(d, SL_MOD_XOR) ? SL_MATRIX_XOR : 0;
    /* layouts are written a, then b */
    bool first = true;
    for (uint32_t i = 0; i < d->inst->mods; i++) {
        uint16_t mod = d->inst->mod[i].id;
        if (mod != SL_MOD_ROW && mod != SL_MOD_COL)
            continue;
        op->aux |= first ? (mod == SL_MOD_COL ? SL_MATRIX_A_COL : 0) : (mod == SL_MOD_ROW ? SL_MATRIX_B_ROW : 0);
        first = false;
    }
}

/* ---- wgmma ---- */

void sl_wgmma_registers(const sl_op *op, uint32_t regs[2])
{
    uint32_t n = (uint32_t)(op->imm >> 16) & 0xffff;
    regs[0] = n / 8 * ((op->aux & 15) == SL_MATRIX_F16 ? 2 : 4);
    regs[1] = op->aux & SL_WGMMA_A_REGISTERS ? 4 : 0;
}

/* An operand that is 1 or -1, or 0 or 1. */
static bool is_number(sl_decoder *d, uint32_t *next, int64_t set, int64_t clear)
{
    const sl_ptx_operand *operand = sl_decode_operand(d, (*next)++);
    int64_t value = (int64_t)operand->bits;
    if (operand->kind != SL_OPD_INT || (value != set && value != clear && (int32_t)value != set))
        sl_decode_refuse(d, "its constants are %d or %d", (int)set, (int)clear);
    return value == set || (int32_t)value == set;
}

uint8_t sl_decode_group_wait(sl_decoder *d)
{
    const sl_ptx_operand *left = sl_decode_operand(d, 0);
    if (left->kind != SL_OPD_INT || left->bits >= UINT8_MAX)
        sl_decode_refuse(d, "its operand is a number of groups");
    return (uint8_t)(1 + left->bits);
}

/* What the warp of a group multiplies: 16 rows of 64. A warp does its part when it issues the product, and waits for
 * the other warps of the group at wait_group, where its block begins. */
static void decode_wgmma(sl_decoder *d)
{
    if (has(d, SL_MOD_COMMIT_GROUP)) {
        sl_emit(d, 0, 0, 0, 0, "wgmma_commit");
        sl_decode_groups(d, SL_RACE_PRODUCTS, SL_RACE_COMMIT, 0);
    }
    if (has(d, SL_MOD_WAIT_GROUP))
        sl_decode_groups(d, SL_RACE_PRODUCTS, SL_RACE_WAIT_GROUP, sl_decode_operand(d, 0)->bits);
    if (!has(d, SL_MOD_MMA_ASYNC))
        return;
    refuse_variants(d);
    shape s;
    sl_matrix_type types[3];
    for (uint32_t i = 0; i < 3; i++)
        if ((types[i] = matrix_type(sl_ptx_inst_type(d->inst, i))) == SL_MATRIX_TYPES)
            sl_decode_refuse(d, "matrices of these types");
    uint32_t bits = matrix_bits(types[1]), next = 4, refs[128 + 4];
    bool shaped = shape_of(d->inst, &s) && s.m == 64 && s.n && s.n % 8 == 0 && s.n <= 256 && s.k * bits == 256;
    if (!shaped || bits == 4 || bits == 64 || bits != matrix_bits(types[2]) || types[1] == SL_MATRIX_F32)
        sl_decode_refuse(d, "this shape");
    if (!sum_is_legal(types[1], types[0]) || !sum_is_legal(types[2], types[0]))
        sl_decode_refuse(d, "sums of this type");
    const sl_ptx_operand *a = sl_decode_operand(d, 1), *scale = sl_decode_operand(d, 3);
    bool registers = a->kind == SL_OPD_VECTOR, halves = bits == 16;
    uint32_t aux = types[0] | (uint32_t)types[1] << 4 | (uint32_t)types[2] << 8;
    aux |= registers ? SL_WGMMA_A_REGISTERS : 0;
    aux |= has(d, SL_MOD_SATFINITE) ? SL_MATRIX_SATFINITE : 0;
    if (types[0] != SL_MATRIX_S32) {
        aux |= is_number(d, &next, -1, 1) ? SL_WGMMA_A_NEGATED : 0;
        aux |= is_number(d, &next, -1, 1) ? SL_WGMMA_B_NEGATED : 0;
    }
    if (halves && !registers)
        aux |= is_number(d, &next, 1, 0) ? SL_WGMMA_A_TRANSPOSED : 0;
    if (halves)
        aux |= is_number(d, &next, 1, 0) ? SL_WGMMA_B_TRANSPOSED : 0;
    if (next != d->inst->operands)
        sl_decode_refuse(d, "%u operands where %u are expected", d->inst->operands, next);
    sl_op shape_op = {.imm = sl_matrix_shape(16, s.n, s.k), .aux = aux};
    uint32_t regs[2];
    sl_wgmma_registers(&shape_op, regs);
    const sl_ptx_operand *sum = sl_decode_operand(d, 0);
    if (sum->kind != SL_OPD_VECTOR || sum->count != regs[0])
        sl_decode_refuse(d, "%u registers for the sum are expected", regs[0]);
    for (uint32_t i = 0; i < regs[0]; i++)
        refs[i] = sl_decode_dst(d, &sum->items[i], 4);
    if (registers)
        fragment(d, a, 4, false, regs[1], refs + regs[0]);
    uint32_t first = registers ? 0 : sl_decode_src(d, a, SL_T_B64);
    uint32_t second = sl_decode_src(d, sl_decode_operand(d, 2), SL_T_B64);
    uint32_t keeps =
        scale->kind == SL_OPD_INT ? sl_decode_const(d, scale->bits ? UINT32_MAX : 0, 4) : sl_decode_pred(d, scale);
    uint32_t list = sl_decode_list(d, refs, regs[0] + regs[1]);
    sl_op *op = sl_emit(d, 0, first, second, keeps, "wgmma");
    op->list = list;
    op->count = (uint8_t)(regs[0] + regs[1]);
    op->imm = shape_op.imm;
    op->aux = aux;
    op->space = SL_SPACE_SHARED;
    op->slot = d->slot;
}

/* ---- wmma.load and wmma.store ---- */

static uint32_t role_of(const sl_ptx_inst *inst)
{
    return sl_ptx_has(inst, SL_MOD_A) ? 0 : sl_ptx_has(inst, SL_MOD_B) ? 1 : 2;
}

static uint32_t role_elements(const shape *s, uint32_t role)
{
    return role == 0 ? s->m * s->k : role == 1 ? s->k * s->n : s->m * s->n;
}

uint32_t sl_wmma_bytes_per_lane(const sl_ptx_inst *inst)
{
    shape s;
    sl_matrix_type type = matrix_type(sl_ptx_inst_type(inst, 0));
    if (!shape_of(inst, &s) || type == SL_MATRIX_TYPES)
        return 0;
    return role_elements(&s, role_of(inst)) * matrix_bits(type) / 8 / 32;
}

static void decode_wmma_memory(sl_decoder *d)
{
    bool store = has(d, SL_MOD_STORE);
    shape s;
    uint32_t role = role_of(d->inst), refs[3 + MAX_REGS];
    sl_matrix_type type = matrix_type(sl_ptx_inst_type(d->inst, 0));
    bool known = shape_of(d->inst, &s) && type != SL_MATRIX_TYPES && matrix_bits(type) >= 8;
    bool is_sum = type == SL_MATRIX_F16 || type == SL_MATRIX_F32 || type == SL_MATRIX_F64 || type == SL_MATRIX_S32;
    if (!known || (role == 2 && !is_sum) || !shape_is_legal(&s, role == 2 ? 0 : matrix_bits(type), true))
        sl_decode_refuse(d, "matrices of this shape and type");
    bool columns = has(d, SL_MOD_COL);
    uint32_t rows = role == 1 ? s.k : s.m, cols = role == 0 ? s.k : s.n;
    uint32_t regs = type == SL_MATRIX_F16 && role < 2 ? 8 : fragment_regs(role_elements(&s, role), type);
    sl_memory_operand at = sl_decode_locate(d, sl_decode_operand(d, store ? 0 : 1), sl_ptx_inst_space(d->inst));
    int64_t packed = sl_matrix_shape(s.m, s.n, s.k);
    refs[0] = (uint32_t)packed;
    refs[1] = (uint32_t)((uint64_t)packed >> 32);
    refs[2] = d->inst->operands > 2 ? sl_decode_src(d, sl_decode_operand(d, 2), SL_T_U32)
                                    : sl_decode_const(d, columns ? rows : cols, 4);
    fragment(d, sl_decode_operand(d, store ? 1 : 0), type == SL_MATRIX_F64 ? 8 : 4, !store, regs, refs + 3);
    uint32_t list = sl_decode_list(d, refs, 3 + regs);
    sl_op *op = sl_emit(d, 0, at.ref, 0, 0, store ? "wmma_store" : "wmma_load");
    sl_decode_fill(d, op, &at, matrix_bits(type) / 8, regs, list);
    op->aux |=
        (columns ? SL_MATRIX_COLUMNS : 0) | role << SL_MATRIX_ROLE_SHIFT | (uint32_t)type << SL_MATRIX_TYPE_SHIFT;
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static void decode_8x8(sl_decoder *d)
{
    bool store = d->inst->op == SL_OP_STMATRIX;
    uint32_t count = has(d, SL_MOD_X4) ? 4 : has(d, SL_MOD_X2) ? 2 : 1, refs[4];
    if (!has(d, SL_MOD_M8N8) || sl_ptx_inst_type(d->inst, 0) != SL_T_B16)
        sl_decode_refuse(d, "only 8x8 matrices of 16 bits are moved");
    sl_memory_operand at = sl_decode_locate(d, sl_decode_operand(d, store ? 0 : 1), sl_ptx_inst_space(d->inst));
    fragment(d, sl_decode_operand(d, store ? 1 : 0), 4, !store, count, refs);
    uint32_t list = sl_decode_list(d, refs, count);
    sl_op *op = sl_emit(d, 0, at.ref, 0, 0, store ? "stmatrix" : "ldmatrix");
    sl_decode_fill(d, op, &at, 16, count, list);
    op->aux |= has(d, SL_MOD_TRANS) ? SL_MATRIX_TRANSPOSED : 0;
}

bool sl_decode_matrix(sl_decoder *d)
{
    switch (d->inst->op) {
    case SL_OP_MMA:
        decode_product(d);
        return true;
    case SL_OP_WMMA:
        if (has(d, SL_MOD_LOAD) || has(d, SL_MOD_STORE))
            decode_wmma_memory(d);
        else
            decode_product(d);
        return true;
    case SL_OP_WGMMA:
        decode_wgmma(d);
        return true;
    case SL_OP_LDMATRIX:
    case SL_OP_STMATRIX:
        decode_8x8(d);
        return true;
    case SL_OP_MOVMATRIX: {
        uint32_t a = sl_decode_src(d, sl_decode_operand(d, 1), SL_T_B32);
        sl_emit(d, sl_decode_dst(d, sl_decode_operand(d, 0), 4), a, a, a, "movmatrix");
        return true;
    }
    default:
        return false;
    }
}
