/* SPDX-License-Identifier: MIT */
/* Text and numbers for tests of matrix instructions. */
#ifndef SL_TESTS_FRAGMENTS_H
#define SL_TESTS_FRAGMENTS_H

#include <stdio.h>

#include "emu/exact.h"
#include "emu/run_ptx.h"
#include "sluice/error.h"

static inline size_t add_text(char *text, size_t used, size_t size, const char *pattern, ...) SL_PRINTF(4, 5);
static inline size_t add_text(char *text, size_t used, size_t size, const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    used += (size_t)vsnprintf(text + used, size - used, pattern, args);
    va_end(args);
    assert_true(used < size);
    return used;
}

static inline size_t add_registers(char *text, size_t used, size_t size, char name, int count)
{
    used = add_text(text, used, size, "{");
    for (int i = 0; i < count; i++)
        used = add_text(text, used, size, "%s%%%c%d", i ? ", " : "", name, i);
    return add_text(text, used, size, "}");
}

/* Small numbers, so that every sum is exact whatever its order. */
static inline int small_number(uint64_t *state)
{
    return (int)(next_random(state) % 17) - 8;
}

static inline uint32_t half_bits(double x, const format *f)
{
    return exact_round(exact_of(x), f, FE_TONEAREST, false);
}

/* mma: each lane loads its registers from an array, and stores its results. */

typedef struct fragments {
    int d, a, b, c; /* registers per lane */
    bool wide;      /* 64-bit registers */
} fragments;

static inline void mma_kernel(char *text, size_t size, const char *instruction, const fragments *f)
{
    const char *type = f->wide ? "f64" : "b32";
    int bytes = f->wide ? 8 : 4, counts[4] = {f->a, f->b, f->c, f->d};
    size_t used = add_text(text, 0, size,
                           ".version 8.6\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n"
                           ".reg .%s %%a<16>, %%b<16>, %%c<16>, %%d<16>; .reg .b32 %%t; .reg .b64 %%p<4>;\n"
                           "mov.u32 %%t, %%tid.x;\n",
                           type);
    for (int i = 0; i < 4; i++)
        used = add_text(text, used, size, "ld.param.u64 %%p%d, [p%c]; mad.wide.u32 %%p%d, %%t, %d, %%p%d;\n", i,
                        "abcd"[i], i, counts[i] * bytes, i);
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < counts[i]; r++)
            used = add_text(text, used, size, "ld.global.%s %%%c%d, [%%p%d+%d];\n", type, "abc"[i], r, i, r * bytes);
    used = add_text(text, used, size, "%s ", instruction);
    for (int i = 0; i < 4; i++) {
        used = add_registers(text, used, size, "dabc"[i], counts[(i + 3) % 4]);
        used = add_text(text, used, size, i < 3 ? ", " : ";\n");
    }
    for (int r = 0; r < f->d; r++)
        used = add_text(text, used, size, "st.global.%s [%%p3+%d], %%d%d;\n", type, r * bytes, r);
    add_text(text, used, size, "ret;\n}\n");
}

static inline void run_mma(const machine *m, const char *instruction, const fragments *f, size_t lanes, const void *a,
                           const void *b, const void *c, void *d)
{
    char text[8192];
    session s;
    size_t bytes = f->wide ? 8 : 4;
    mma_kernel(text, sizeof text, instruction, f);
    if (!session_open(&s, m, text, NULL)) {
        memset(d, 0xee, lanes * bytes * (size_t)f->d); /* not on this CPU: nothing to compare */
        return;
    }
    void *result = device_memory(&s, NULL, lanes * bytes * (size_t)f->d);
    uint64_t params[4] = {(uintptr_t)device_memory(&s, a, lanes * bytes * (size_t)f->a),
                          (uintptr_t)device_memory(&s, b, lanes * bytes * (size_t)f->b),
                          (uintptr_t)device_memory(&s, c, lanes * bytes * (size_t)f->c), (uintptr_t)result};
    session_run(&s, "k", 1, (uint32_t)lanes, params, sizeof params);
    memcpy(d, result, lanes * bytes * (size_t)f->d);
    session_close(&s);
}

#endif
