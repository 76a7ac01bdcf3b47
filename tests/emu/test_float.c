/* SPDX-License-Identifier: MIT */
/* Subnormal numbers with and without .ftz. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float number_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* To zero with the same sign when it is subnormal. */
static float flush(float x)
{
    return bits_of(x) & 0x7f800000 ? x : number_of(bits_of(x) & 0x80000000);
}

typedef float (*operation)(float a, float b, float c);

static float sum(float a, float b, float c)
{
    (void)c;
    return a + b;
}

static float difference(float a, float b, float c)
{
    (void)c;
    return a - b;
}

static float product(float a, float b, float c)
{
    (void)c;
    return a * b;
}

static float multiply_add(float a, float b, float c)
{
    return fmaf(a, b, c);
}

/* Zeros, subnormal and least normal numbers, and what they become when multiplied. */
static const uint32_t interesting[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
                                       0x00800000, 0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f000000,
                                       0x00ffffff, 0x1f000000, 0x7f7fffff, 0x7f800000};
enum { COUNT = sizeof interesting / sizeof *interesting };

static void try_all(rig *r, const char *opcode, int inputs, operation of, bool ftz)
{
    char body[1024];
    snprintf(body, sizeof body,
             "%s.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n%s%s"
             "mul.wide.u32 %%d3, %%r1, 12;\nadd.s64 %%d3, %%d1, %%d3;\nld.global.f32 %%f0, [%%d3];\n"
             "ld.global.f32 %%f1, [%%d3+4];\nld.global.f32 %%f2, [%%d3+8];\n%s %%f3, %%f0, %%f1%s;\n"
             "st.global.f32 [%%d2], %%f3;\nret;\n}\n",
             PTX_HEAD, PTX_REGS, PTX_START, opcode, inputs == 3 ? ", %f2" : "");
    rig_load(r, body);
    uint32_t *in = rig_buffer(r, COUNT * COUNT * 12), *out = rig_buffer(r, COUNT * COUNT * 4);
    for (uint32_t i = 0; i < COUNT * COUNT; i++) {
        in[3 * i] = interesting[i / COUNT];
        in[3 * i + 1] = interesting[i % COUNT];
        in[3 * i + 2] = interesting[(i * 7 + 3) % COUNT];
    }
    RUN(r, COUNT, COUNT, P(out), P(in), 0);
    for (uint32_t i = 0; i < COUNT * COUNT; i++) {
        float x[3], y;
        for (int k = 0; k < 3; k++)
            x[k] = ftz ? flush(number_of(in[3 * i + k])) : number_of(in[3 * i + k]);
        volatile float exact = of(x[0], x[1], x[2]);
        y = ftz ? flush(exact) : exact;
        if (isnan(y) ? !isnan(number_of(out[i])) : out[i] != bits_of(y))
            fail_msg("%s %08x, %08x, %08x: %08x, expected %08x", opcode, in[3 * i], in[3 * i + 1], in[3 * i + 2],
                     out[i], bits_of(y));
    }
}

BEHAVIOUR(subnormal_inputs_and_results_are_flushed_where_it_is_asked_for)
{
    try_all(r, "add.f32", 2, sum, false);
    try_all(r, "add.ftz.f32", 2, sum, true);
    try_all(r, "sub.f32", 2, difference, false);
    try_all(r, "sub.ftz.f32", 2, difference, true);
    try_all(r, "mul.f32", 2, product, false);
    try_all(r, "mul.ftz.f32", 2, product, true);
    try_all(r, "fma.rn.f32", 3, multiply_add, false);
    try_all(r, "fma.rn.ftz.f32", 3, multiply_add, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(subnormal_inputs_and_results_are_flushed_where_it_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
