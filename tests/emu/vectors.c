/* SPDX-License-Identifier: MIT */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

enum { SETUPS = 4, BLOCK = 96 };

struct bench {
    rig *setup[SETUPS];
    uint32_t setups;
    struct memory {
        uint64_t *in[MAX_SOURCES], *out[3];
    } memory[SETUPS];
    sl_random random;
    bool failed;
};

float f32_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

double f64_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t bits_of_f32(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

uint64_t bits_of_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bench *bench_open(void)
{
    static const char *const isas[] = {"v3", "v2", "portable"};
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (size_t i = 0; i < sizeof isas / sizeof *isas && b->setups + 2 <= SETUPS; i++) {
        for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
            sl_emu_config probe = {.settings = {.lanes = lanes, .threads = 1, .isa = isas[i]}};
            sl_emu *emu;
            if (sl_emu_create(&probe, &emu, NULL) != SL_OK)
                continue;
            sl_emu_destroy(emu);
            rig *r = rig_open(&(rig_config){.lanes = lanes, .threads = 1, .isa = isas[i], .silent = true});
            struct memory *memory = &b->memory[b->setups];
            for (int k = 0; k < MAX_SOURCES; k++)
                memory->in[k] = rig_buffer(r, VECTORS * 8);
            for (int k = 0; k < 3; k++)
                memory->out[k] = rig_buffer(r, VECTORS * 8);
            b->setup[b->setups++] = r;
        }
    }
    b->random = sl_random_seed(2026);
    return b;
}

void bench_close(bench *b)
{
    for (uint32_t i = 0; i < b->setups; i++)
        rig_close(b->setup[i]);
    free(b);
}

int bench_before(void **state)
{
    *state = bench_open();
    return 0;
}

int bench_after(void **state)
{
    bench_close(*state);
    return 0;
}

/* ---- operands ---- */

static uint32_t edges_of(operand_kind kind, const uint64_t **edges)
{
    static const uint64_t ints[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x100,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x10000,
                                    0x7fffffff,
                                    0x80000000,
                                    0xfffffffe,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x8000000000000001,
                                    0xfffffffffffffffe,
                                    0xffffffffffffffff,
                                    0xffffffffffff8000,
                                    0xffffffff80000000};
    static const uint64_t smalls[] = {0,     1,     2,          5,          7,          8,          15,      16,
                                      17,    24,    31,         32,         33,         40,         47,      63,
                                      64,    65,    100,        127,        128,        255,        256,     257,
                                      0x11f, 0x120, 0xffffffff, 0x80000000, 0x7fffffff, 0xffffffe0, 0x10000, 0xff00};
    static const uint64_t f32s[] = {
        0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3f800001, 0x3f7fffff, 0x40000000,
        0x40490fdb, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff,
        0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x4f000000, 0xcf000000, 0x4effffff,
        0x4f800000, 0x4f7fffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x5f7fffff, 0x3fc00000, 0x40200000, 0xc0200000,
        0x4b000000, 0x4b000001, 0x4affffff, 0x437f0000, 0x43800000, 0x42fe0000, 0xc3000000, 0x477fff00, 0x47000000,
        0x1e3ce508, 0x7e800000, 0x7e800001, 0x01000000, 0x33800000, 0x33000000, 0x4f000001, 0x3effffff, 0xbeffffff};
    static const uint64_t f64s[] = {
        0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
        0xbfe0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x400921fb54442d18, 0x0000000000000001,
        0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x7fefffffffffffff,
        0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001,
        0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000, 0x43e0000000000000,
        0xc3e0000000000000, 0x43f0000000000000, 0x43efffffffffffff, 0x3ff8000000000000, 0x4004000000000000,
        0xc004000000000000, 0x4330000000000000, 0x4330000000000001, 0x432fffffffffffff, 0x47efffffe0000000,
        0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
        0x380fffffffffffff, 0x3810000000000000, 0x41dfffffffe00000, 0xc1e0000000100000};
    static const uint64_t predicates[] = {0, 1};
    switch (kind) {
    case SMALL:
        *edges = smalls;
        return sizeof smalls / sizeof *smalls;
    case FLOAT32:
        *edges = f32s;
        return sizeof f32s / sizeof *f32s;
    case FLOAT64:
        *edges = f64s;
        return sizeof f64s / sizeof *f64s;
    case PREDICATE:
        *edges = predicates;
        return 2;
    default:
        *edges = ints;
        return sizeof ints / sizeof *ints;
    }
}

static uint64_t cut(operand_kind kind, uint64_t value)
{
    switch (kind) {
    case INT16:
        return value & 0xffff;
    case INT64:
    case FLOAT64:
        return value;
    case PREDICATE:
        return value & 1;
    default:
        return value & 0xffffffff;
    }
}

static uint64_t random_operand(sl_random *random, operand_kind kind)
{
    uint64_t bits = sl_random_u64(random), how = sl_random_below(random, 4);
    if (kind == SMALL)
        return how ? bits % 70 : (uint32_t)bits;
    if (kind == FLOAT32 && how) /* exponents near each other, so that sums have something to round */
        return (bits & 0x807fffff) | (uint64_t)(127 - 14 + sl_random_below(random, 40)) << 23;
    if (kind == FLOAT64 && how)
        return (bits & 0x800fffffffffffff) | (uint64_t)(1023 - 30 + sl_random_below(random, 90)) << 52;
    if (how == 0)
        bits >>= sl_random_below(random, 64); /* small numbers */
    return cut(kind, bits);
}

/* All combinations of edges as far as they fit in half of the vectors, taken in a stride that meets them evenly; the
 * rest is random, partly edges with random values. */
static void fill_operands(bench *b, const instruction *op, uint64_t (*in)[VECTORS])
{
    uint64_t combinations = 1;
    const uint64_t *edges[MAX_SOURCES];
    uint32_t count[MAX_SOURCES];
    for (int k = 0; k < MAX_SOURCES; k++) {
        count[k] = op->source[k] == NO_OPERAND ? 1 : edges_of(op->source[k], &edges[k]);
        combinations *= count[k];
    }
    uint64_t half = VECTORS / 2, taken = combinations < half ? combinations : half;
    for (uint64_t i = 0; i < VECTORS; i++) {
        uint64_t code = i < taken ? (combinations <= half ? i : sl_random_below(&b->random, combinations)) : 0;
        for (int k = 0; k < MAX_SOURCES; k++) {
            in[k][i] = 0;
            if (op->source[k] == NO_OPERAND)
                continue;
            uint64_t edge = edges[k][i < taken ? code % count[k] : sl_random_below(&b->random, count[k])];
            code /= count[k];
            bool use_edge = i < taken || sl_random_below(&b->random, 5) == 0;
            in[k][i] = cut(op->source[k], use_edge ? edge : random_operand(&b->random, op->source[k]));
        }
    }
}

/* ---- the kernel ---- */

static int register_bits(operand_kind kind)
{
    return kind == INT16 ? 16 : kind == INT64 || kind == FLOAT64 ? 64 : 32;
}

static size_t put(char *text, size_t used, const char *piece)
{
    size_t length = strlen(piece);
    assert_true(used + length < 16000);
    memcpy(text + used, piece, length + 1);
    return used + length;
}

/* The instruction with its operands' names; `guard` stands for @. */
static size_t put_instruction(char *text, size_t used, const instruction *op, const char *guard)
{
    for (const char *at = op->ptx; *at; at++) {
        char piece[16] = {*at, 0};
        if (*at == '@') {
            strcpy(piece, guard);
        } else if (*at == '$') {
            at++;
            snprintf(piece, sizeof piece, "%%v%c", *at);
        }
        used = put(text, used, piece);
    }
    return put(text, used, "\n");
}

static size_t put_result(char *text, size_t used, const instruction *op, int variant)
{
    char piece[200];
    if (op->result == PREDICATE)
        used = put(text, used, "selp.u32 %sel, 1, 0, %vd;\n");
    snprintf(piece, sizeof piece,
             "ld.param.u64 %%at, [out%d];\nadd.s64 %%at, %%at, %%off;\nst.global.b%d [%%at], %s;\n", variant,
             register_bits(op->result), op->result == PREDICATE ? "%sel" : "%vd");
    return put(text, used, piece);
}

static const char *sentinel(operand_kind kind)
{
    switch (register_bits(kind)) {
    case 16:
        return "mov.b16 %vd, 0x5a5a;\n";
    case 64:
        return "mov.b64 %vd, 0x5a5a5a5a5a5a5a5a;\n";
    default:
        return kind == PREDICATE ? "setp.ne.u32 %vd, %i, %i;\n" : "mov.b32 %vd, 0x5a5a5a5a;\n";
    }
}

static void write_kernel(char *text, const instruction *op)
{
    static const char names[MAX_SOURCES + 1] = "abce";
    char piece[300];
    size_t used = put(text, 0,
                      ".version 8.6\n.target sm_90\n.address_size 64\n"
                      ".visible .entry k(.param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3,\n"
                      ".param .u64 out0, .param .u64 out1, .param .u64 out2)\n{\n"
                      ".reg .b32 %i, %j, %k, %sel;\n.reg .b64 %off, %at;\n.reg .pred %q;\n"
                      ".reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %l<8>;\n.reg .pred %p<8>;\n");
    snprintf(piece, sizeof piece, ".reg .%s %%vd;\n",
             op->result == PREDICATE           ? "pred"
             : register_bits(op->result) == 16 ? "b16"
             : register_bits(op->result) == 64 ? "b64"
                                               : "b32");
    used = put(text, used, piece);
    used = put(text, used,
               "mov.u32 %i, %tid.x;\nmov.u32 %j, %ctaid.x;\nmov.u32 %k, %ntid.x;\nmad.lo.u32 %i, %j, %k, %i;\n"
               "mul.wide.u32 %off, %i, 8;\n"
               /* a different third of the lanes of each warp */
               "shr.u32 %j, %i, 5;\nadd.u32 %j, %i, %j;\nrem.u32 %j, %j, 3;\nsetp.eq.u32 %q, %j, 0;\n");
    for (int k = 0; k < MAX_SOURCES; k++) {
        operand_kind kind = op->source[k];
        if (kind == NO_OPERAND)
            continue;
        if (kind == PREDICATE)
            snprintf(piece, sizeof piece,
                     ".reg .pred %%v%c;\nld.param.u64 %%at, [in%d];\nadd.s64 %%at, %%at, %%off;\n"
                     "ld.global.b32 %%sel, [%%at];\nsetp.ne.u32 %%v%c, %%sel, 0;\n",
                     names[k], k, names[k]);
        else
            snprintf(piece, sizeof piece,
                     ".reg .b%d %%v%c;\nld.param.u64 %%at, [in%d];\nadd.s64 %%at, %%at, %%off;\n"
                     "ld.global.b%d %%v%c, [%%at];\n",
                     register_bits(kind), names[k], k, register_bits(kind), names[k]);
        used = put(text, used, piece);
    }
    used = put_instruction(text, used, op, "");
    used = put_result(text, used, op, 0);
    used = put(text, used, sentinel(op->result));
    used = put_instruction(text, used, op, "@%q ");
    used = put_result(text, used, op, 1);
    used = put(text, used, sentinel(op->result));
    used = put(text, used, "@%q bra OVER;\n");
    used = put_instruction(text, used, op, "");
    used = put(text, used, "OVER:\n");
    used = put_result(text, used, op, 2);
    put(text, used, "ret;\n}\n");
}

/* ---- comparing ---- */

static bool close_enough(const instruction *op, uint64_t got, uint64_t expected, const uint64_t *in)
{
    if (op->accept)
        return op->accept(got, expected, in);
    if (got == expected)
        return true;
    if (op->compare == SAME_F32)
        return f32_of(got) != f32_of(got) && f32_of(expected) != f32_of(expected);
    if (op->compare == SAME_F64)
        return f64_of(got) != f64_of(got) && f64_of(expected) != f64_of(expected);
    return false;
}

static void compare(const instruction *op, const rig *r, uint64_t (*in)[VECTORS], const uint64_t *expected,
                    uint64_t *const *out)
{
    static const char *const how[] = {"", "guarded ", "in a branch "};
    for (uint32_t i = 0; i < VECTORS; i++) {
        bool chosen = (i + i / 32) % 3 == 0;
        uint64_t operands[MAX_SOURCES];
        for (int k = 0; k < MAX_SOURCES; k++)
            operands[k] = in[k][i];
        for (int variant = 0; variant < 3; variant++) {
            bool ran = variant == 0 || (variant == 1 ? chosen : !chosen);
            uint64_t got = cut(op->result, out[variant][i]);
            uint64_t kept = op->result == PREDICATE ? 0 : cut(op->result, 0x5a5a5a5a5a5a5a5a);
            if (ran ? close_enough(op, got, expected[i], operands) : got == kept)
                continue;
            fail_msg("%s%s(0x%llx, 0x%llx, 0x%llx, 0x%llx) gave 0x%llx, expected 0x%llx; %u lanes, %s", how[variant],
                     op->ptx, (unsigned long long)operands[0], (unsigned long long)operands[1],
                     (unsigned long long)operands[2], (unsigned long long)operands[3], (unsigned long long)got,
                     (unsigned long long)(ran ? expected[i] : kept), r->config.lanes, r->config.isa);
        }
    }
}

void bench_check(bench *b, const instruction *op)
{
    uint64_t in[MAX_SOURCES][VECTORS];
    uint64_t expected[VECTORS];
    char text[16384];
    fill_operands(b, op, in);
    for (uint32_t i = 0; i < VECTORS; i++) {
        uint64_t operands[MAX_SOURCES];
        for (int k = 0; k < MAX_SOURCES; k++)
            operands[k] = in[k][i];
        expected[i] = cut(op->result, op->expect(operands, op->context));
    }
    write_kernel(text, op);
    for (uint32_t s = 0; s < b->setups; s++) {
        struct memory *m = &b->memory[s];
        for (int k = 0; k < MAX_SOURCES; k++)
            memcpy(m->in[k], in[k], sizeof in[k]);
        for (int k = 0; k < 3; k++)
            memset(m->out[k], 0, VECTORS * 8);
        rig_load(b->setup[s], text);
        RUN(b->setup[s], VECTORS / BLOCK, BLOCK, P(m->in[0]), P(m->in[1]), P(m->in[2]), P(m->in[3]), P(m->out[0]),
            P(m->out[1]), P(m->out[2]));
        compare(op, b->setup[s], in, expected, m->out);
    }
}
