/* SPDX-License-Identifier: MIT */
/* Lanes that part only to compute: they run at once where nothing is recorded, and nobody can tell. */
#include <stdio.h>

#include "harness.h"

/* A loop of ifs with one, two or three arms, some of which only compute; others store, too. In every second one, warps
 * take turns behind a barrier, and take tickets that tell whose turn it is. */
static void write_arms(char *text, uint32_t seed)
{
    bool turns = seed % 2;
    text += sprintf(text, "mul.lo.u32 %%r10, %%r0, 0x9E3779B1;\nmov.u32 %%r11, %%r2;\nLOOP:\n%s",
                    turns ? "bar.sync 0;\n" : "");
    for (uint32_t i = 0; i < 6; i++) {
        const char *store = "st.global.u32 [%d2], %r10;\n";
        seed = seed * 1664525 + 1013904223;
        uint32_t choice = seed >> 12;
        text += sprintf(text,
                        "and.b32 %%r12, %%r10, %u;\nsetp.eq.u32 %%p1, %%r12, 0;\n@%%p1 bra %s%u;\n"
                        "and.b32 %%r12, %%r10, %u;\nsetp.eq.u32 %%p1, %%r12, 0;\n@%%p1 bra %s%u;\n"
                        "add.u32 %%r10, %%r10, 77;\n%sbra.uni J%u;\n"
                        "A%u:\nmul.lo.u32 %%r10, %%r10, 1664525;\n%sbra.uni J%u;\n"
                        "B%u:\nxor.b32 %%r10, %%r10, %u;\n%s"
                        "J%u:\nshr.u32 %%r13, %%r10, 7;\nxor.b32 %%r10, %%r10, %%r13;\n",
                        1u << choice % 5, choice & 32 ? "A" : "J", i, 3u << choice % 7, choice & 64 ? "B" : "J", i,
                        choice & 128 ? store : "", i, i, choice & 256 ? store : "", i, i, choice | 1,
                        choice & 512 ? store : "", i);
        if (turns && choice & 1024)
            text += sprintf(text, "atom.global.add.u32 %%r13, [%%d1], 1;\nadd.u32 %%r10, %%r10, %%r13;\n");
    }
    sprintf(text, "sub.u32 %%r11, %%r11, 1;\nsetp.ne.u32 %%p1, %%r11, 0;\n@%%p1 bra LOOP;\n"
                  "st.global.u32 [%%d2], %%r10;\nret;\n}\n");
}

BEHAVIOUR(the_same_runs_whether_or_not_it_is_recorded)
{
    rig_config config = r->config;
    config.silent = true;
    rig *silent = rig_open(&config);
    for (uint32_t round = 0; round < 40; round++) {
        char text[8192];
        size_t head = (size_t)snprintf(text, sizeof text,
                                       "%s.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n%s%s",
                                       PTX_HEAD, PTX_REGS, PTX_START);
        write_arms(text + head, round);
        rig_load(r, text);
        rig_load(silent, text);
        uint32_t *out = rig_buffer(r, 100 * 4), *same = rig_buffer(silent, 100 * 4);
        RUN(r, 1, 100, P(out), P(rig_buffer(r, 4)), 9);
        RUN(silent, 1, 100, P(same), P(rig_buffer(silent, 4)), 9);
        rig_expect_u32(same, out, 100);
        assert_int_equal(silent->stats.warp_insts, r->stats.warp_insts);
        assert_int_equal(silent->stats.thread_insts, r->stats.thread_insts);
    }
    rig_close(silent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IT(the_same_runs_whether_or_not_it_is_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
