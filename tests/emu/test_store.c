/* SPDX-License-Identifier: MIT */
/* Stores: whose value stays of lanes with the same address, as seen on an H200; local memory; lanes at one distance. */
#include <stdio.h>

#include "harness.h"

/* Threads / 2^shift have the same address. Of the active ones the lowest of the last 128 bytes stays. */
static uint32_t winner(uint32_t lanes, uint32_t bytes, uint32_t shift, uint32_t target, uint64_t active)
{
    uint32_t group = bytes > 4 ? 128 / bytes : 32, best = UINT32_MAX;
    for (uint32_t i = 0; i < lanes; i++) {
        if (!(active >> i & 1) || i >> shift != target)
            continue;
        if (best == UINT32_MAX || i / group > best / group)
            best = i;
    }
    return best;
}

/* st.SPACE with an address of thread >> shift elements, then a copy to out. */
static void store_and_look(rig *r, const char *space, const char *type, uint32_t bytes, uint64_t active)
{
    bool vector = type[1] == 'v';
    for (uint32_t shift = 1; 1u << shift <= r->config.lanes; shift++) {
        char text[4096];
        bool shared = !strcmp(space, ".shared");
        snprintf(text, sizeof text,
                 "%s.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 active)\n{\n%s"
                 ".shared .align 16 .b8 s[1024];\n"
                 "mov.u32 %%r0, %%tid.x;\nld.param.u64 %%d0, [out];\nld.param.u64 %%d3, [active];\n"
                 "shr.u64 %%d4, %%d3, %%r0;\nand.b64 %%d4, %%d4, 1;\nsetp.eq.u64 %%p1, %%d4, 0;\n"
                 "cvt.u64.u32 %%d5, %%r0;\nshr.u32 %%r10, %%r0, %u;\nmul.lo.u32 %%r10, %%r10, %u;\n"
                 "cvt.u64.u32 %%d6, %%r10;\nmov.u64 %%d7, s;\n%s"
                 "@%%p1 bra AFTER;\n"
                 "st%s%s [%%d6], %s;\n"
                 "AFTER:\nbar.sync 0;\n%sret;\n}\n",
                 PTX_HEAD, PTX_REGS, shift, bytes, shared ? "add.u64 %d6, %d6, %d7;\n" : "add.u64 %d6, %d6, %d0;\n",
                 space, type,
                 !vector      ? bytes == 8 ? "%d5" : "%r0"
                 : bytes == 8 ? "{%r0, %r0}"
                              : "{%r0, %r0, %r0, %r0}",
                 shared ? "ld.shared.u32 %r11, [%d6];\nadd.u64 %d8, %d0, %d6;\nsub.u64 %d8, %d8, %d7;\n"
                          "st.global.u32 [%d8], %r11;\n"
                        : "");
        rig_load(r, text);
        uint8_t *out = rig_buffer(r, 2048);
        memset(out, 0xff, 2048);
        rig_run(r, "k", (rig_shape){.grid = {1, 1, 1}, .block = {r->config.lanes, 1, 1}}, RIG_ARGS(P(out), 0, active));
        for (uint32_t t = 0; t < r->config.lanes >> shift; t++) {
            uint32_t expected = winner(r->config.lanes, bytes, shift, t, active), got = 0;
            uint32_t width = bytes > 4 ? 4 : bytes;
            memcpy(&got, out + (size_t)t * bytes, width);
            uint32_t mask = width == 4 ? UINT32_MAX : (1u << 8 * width) - 1;
            if (shared && expected == UINT32_MAX)
                expected = 0; /* zeroed memory */
            if (got != (expected & mask))
                fail_msg("st%s%s, %u lanes together: thread %u stays at %u, expected %u", space, type, 1 << shift, got,
                         t, expected & mask);
        }
    }
}

static void everywhere(rig *r, uint64_t active)
{
    static const char *const spaces[] = {".global", ".shared", ""};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (strcmp(spaces[i], ".shared")) { /* 32 bits is what the shared test reads back */
            store_and_look(r, spaces[i], ".u8", 1, active);
            store_and_look(r, spaces[i], ".u16", 2, active);
        }
        store_and_look(r, spaces[i], ".u32", 4, active);
        store_and_look(r, spaces[i], ".u64", 8, active);
        store_and_look(r, spaces[i], ".v2.u32", 8, active);
        store_and_look(r, spaces[i], ".v4.u32", 16, active);
    }
}

BEHAVIOUR(the_lowest_lane_of_the_last_128_bytes_stays)
{
    everywhere(r, UINT64_MAX);
}

BEHAVIOUR(lanes_that_do_not_store_do_not_count)
{
    everywhere(r, 0x5a5a00f0c3c3ff0e);
    everywhere(r, 0x0000000100000002); /* few lanes */
}

/* Each thread keeps a table in local memory, and reads it in an order of its own. */
BEHAVIOUR(every_thread_has_local_memory_of_its_own)
{
    rig_load(r, PTX(".local .align 16 .b8 table[64];\n"
                    "mov.u64 %d4, table;\n"
                    "and.b32 %r10, %r0, 7;\n"
                    "mul.wide.u32 %d5, %r10, 4;\n"
                    "add.u64 %d5, %d4, %d5;\n"
                    "add.u32 %r11, %r0, 1000;\n"
                    "st.local.v4.u32 [%d4], {%r0, %r0, %r0, %r0};\n"
                    "st.local.v2.u32 [%d4+16], {%r0, %r0};\n"
                    "st.local.u64 [%d4+24], 0;\n"
                    "setp.lt.u32 %p1, %r10, 5;\n"
                    "@%p1 st.local.u32 [%d5], %r11;\n"
                    "ld.local.u32 %r12, [%d5];\n"
                    "ld.local.s8 %r13, [%d4+28];\n"
                    "add.u32 %r12, %r12, %r13;\n"
                    "st.global.u32 [%d2], %r12;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 96 * 4);
    RUN(r, 1, 96, P(out), 0, 0);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(out[i], i % 8 < 5 ? i + 1000 : i % 8 == 5 ? i : 0);
}

BEHAVIOUR(local_memory_has_an_end)
{
    rig_load(r, PTX(".local .align 16 .b8 table[64];\n"
                    "mov.u64 %d4, table;\n"
                    "mul.wide.u32 %d5, %r0, 4;\n"
                    "add.u64 %d5, %d4, %d5;\n"
                    "ld.local.u32 %r12, [%d5];\n"
                    "st.global.u32 [%d2], %r12;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 16, P(out), 0, 0);
    assert_int_equal(TRY(r, 1, 32, P(out), 0, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "illegal 4-byte read at local offset 0x40 of 64 bytes");
    rig_expect_text(r, "thread (16,0,0)");
}

/* How the threads of a block lie: two rows, of which some threads copy their element. */
typedef struct layout {
    int stride, gap; /* elements from one thread to the next, from one row to the other */
    uint32_t first, end, half;
} layout;

static int element(const layout *l, uint32_t thread)
{
    return (int)(thread % l->half) * l->stride + (int)(thread / l->half) * l->gap;
}

static void copy_and_look(rig *r, const layout *l, const char *type, uint32_t bytes)
{
    int lowest = INT32_MAX, highest = INT32_MIN;
    for (uint32_t t = l->first; t < l->end; t++) {
        lowest = element(l, t) < lowest ? element(l, t) : lowest;
        highest = element(l, t) > highest ? element(l, t) : highest;
    }
    size_t count = (size_t)(highest - lowest) + 1;
    const char *registers = bytes == 8 ? "%d7" : bytes == 16 ? "{%r4, %r5, %r6, %r7}" : "%r4";
    char text[4096];
    snprintf(text, sizeof text,
             "%s.visible .entry k(.param .u64 out, .param .u64 in)\n{\n%s"
             "mov.u32 %%r0, %%tid.x;\nld.param.u64 %%d0, [out];\nld.param.u64 %%d1, [in];\n"
             "rem.u32 %%r1, %%r0, %u;\ndiv.u32 %%r2, %%r0, %u;\nmul.lo.s32 %%r3, %%r1, %d;\n"
             "mad.lo.s32 %%r3, %%r2, %d, %%r3;\nsub.s32 %%r3, %%r3, %d;\nmul.wide.s32 %%d4, %%r3, %u;\n"
             "add.u64 %%d5, %%d4, %%d1;\nadd.u64 %%d6, %%d4, %%d0;\n"
             "setp.lt.u32 %%p1, %%r0, %u;\n@%%p1 mul.lo.u64 %%d5, %%d5, 3;\n@%%p1 bra AFTER;\n"
             "setp.ge.u32 %%p1, %%r0, %u;\n@%%p1 mul.lo.u64 %%d6, %%d5, 3;\n@%%p1 bra AFTER;\n"
             "ld.global%s %s, [%%d5];\nst.global%s [%%d6], %s;\nAFTER:\nret;\n}\n",
             PTX_HEAD, PTX_REGS, l->half, l->half, l->stride, l->gap, lowest, bytes, l->first, l->end, type, registers,
             type, registers);
    rig_load(r, text);
    uint8_t *in = rig_buffer(r, count * bytes), *out = rig_buffer(r, count * bytes);
    for (size_t i = 0; i < count * bytes; i++)
        in[i] = (uint8_t)(i * 37 % 251 + 1);
    rig_run(r, "k", (rig_shape){.grid = {1, 1, 1}, .block = {r->config.lanes, 1, 1}}, RIG_ARGS(P(out), P(in)));
    for (uint32_t t = l->first; t < l->end; t++) {
        size_t at = (size_t)(element(l, t) - lowest) * bytes;
        assert_memory_equal(out + at, in + at, bytes);
        memset(out + at, 0, bytes);
        memset(in + at, 0, bytes);
    }
    for (size_t i = 0; i < count * bytes; i++)
        assert_int_equal(out[i], 0); /* nobody else stored */
}

BEHAVIOUR(lanes_at_any_distance_access_their_own_elements)
{
    static const int strides[] = {0, 1, -1, 2, 33, -5};
    uint32_t lanes = r->config.lanes,
             ends[][2] = {{0, lanes}, {0, lanes / 2}, {3, lanes - 2}, {lanes / 2 + 1, lanes}, {lanes / 2 - 1, lanes},
                          {5, 7}};
    for (uint32_t i = 0; i < 6 * 6; i++) {
        layout l = {.stride = strides[i / 6], .first = ends[i % 6][0], .end = ends[i % 6][1], .half = lanes / 2};
        int gaps[] = {(int)l.half * l.stride, 7, -1000}; /* one line; rows that overlap; rows apart */
        for (int g = 0; g < 3; g++) {
            l.gap = gaps[g];
            copy_and_look(r, &l, ".u8", 1);
            copy_and_look(r, &l, ".u32", 4);
            copy_and_look(r, &l, ".u64", 8);
            copy_and_look(r, &l, ".v4.u32", 16);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(the_lowest_lane_of_the_last_128_bytes_stays),     IT(lanes_that_do_not_store_do_not_count),
        IT(every_thread_has_local_memory_of_its_own),        IT(local_memory_has_an_end),
        IT(lanes_at_any_distance_access_their_own_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
