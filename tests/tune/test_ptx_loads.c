/* SPDX-License-Identifier: MIT */
#include "tune/ptx_loads.h"

#include "ptx/ptx_test.h"

typedef struct found {
    sl_ptx_module *module;
    sl_arena arena;
    sl_load_graph graph;
} found;

static found loads_of(const char *text, uint32_t sm)
{
    found f;
    sl_error error = {0};
    f.module = parse_text(text);
    sl_arena_init(&f.arena);
    assert_int_equal(sl_ptx_loads(f.module, NULL, sm, &f.arena, &f.graph, &error), SL_OK);
    return f;
}

static void done(found *f)
{
    sl_arena_fini(&f->arena);
    sl_ptx_free(f->module);
}

#define POINTERS                                                                                                       \
    "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\ncvta.to.global.u64 %rd3, %rd1;\n"                            \
    "cvta.to.global.u64 %rd4, %rd2;\n"

static void loads_of_one_array_in_one_stretch_are_a_group(void **state)
{
    (void)state;
    found f = loads_of(PTX_KERNEL(POINTERS "ld.global.f32 %f1, [%rd3];\n"
                                           "ld.global.f32 %f2, [%rd4];\n"
                                           "ld.global.f32 %f3, [%rd3+4];\n"
                                           "bar.sync 0;\n"
                                           "ld.global.f32 %f4, [%rd3+8];\n"
                                           "ret;"),
                       0);
    assert_int_equal(f.graph.loads, 4);
    assert_int_equal(sl_load_groups_of_loads(&f.graph), 3);
    assert_int_equal(f.graph.load[0].group, 0);
    assert_int_equal(f.graph.load[1].group, 1);
    assert_int_equal(f.graph.load[2].group, 0);
    assert_int_equal(f.graph.load[3].group, 2); /* behind the barrier */
    assert_int_equal(f.graph.group[0].loads, 2);
    assert_int_equal(f.graph.group[0].load[1], 2);
    assert_string_equal(f.graph.load[0].array, "in");
    assert_string_equal(f.graph.load[1].array, "out");
    done(&f);
}

static void control_flow_fences_and_calls_part_groups(void **state)
{
    (void)state;
    found f = loads_of(PTX_HEAD ".func g() { ret; }\n"
                                ".visible .entry k(.param .u64 in)\n{\n.reg .pred %p1;\n.reg .b64 %rd<4>;\n"
                                ".reg .f32 %f<9>;\nld.param.u64 %rd1, [in];\ncvta.to.global.u64 %rd3, %rd1;\n"
                                "ld.global.f32 %f1, [%rd3];\nsetp.eq.f32 %p1, %f1, %f1;\n@%p1 bra L;\n"
                                "ld.global.f32 %f2, [%rd3];\nL:\nld.global.f32 %f3, [%rd3];\nmembar.gl;\n"
                                "ld.global.f32 %f4, [%rd3];\ncall g;\nld.global.f32 %f5, [%rd3];\nret;\n}\n",
                       0);
    assert_int_equal(f.graph.loads, 5);
    assert_int_equal(sl_load_groups_of_loads(&f.graph), 5);
    done(&f);
}

static void ping_pong_pointers_have_both_arrays(void **state)
{
    (void)state;
    found f = loads_of(PTX_KERNEL(POINTERS "mov.u32 %r1, 0;\nmov.u64 %rd5, %rd3;\nmov.u64 %rd6, %rd4;\n"
                                           "L:\nld.global.f32 %f1, [%rd5];\nld.global.f32 %f2, [%rd6];\n"
                                           "mov.u64 %rd7, %rd5;\nmov.u64 %rd5, %rd6;\nmov.u64 %rd6, %rd7;\n"
                                           "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 4;\n@%p1 bra L;\nret;"),
                       0);
    assert_int_equal(f.graph.loads, 2);
    assert_string_equal(f.graph.load[0].array, "in|out");
    assert_string_equal(f.graph.load[1].array, "in|out");
    assert_int_equal(sl_load_groups_of_loads(&f.graph), 1);
    done(&f);
}

static void members_of_structs_and_loaded_pointers_are_arrays_of_their_own(void **state)
{
    (void)state;
    found f = loads_of(PTX_HEAD ".visible .entry k(.param .align 8 .b8 s[24])\n{\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
                                "ld.param.u64 %rd1, [s];\nld.param.u64 %rd2, [s+8];\n"
                                "ld.global.u64 %rd3, [%rd2];\nld.global.f32 %f1, [%rd1];\n"
                                "ld.global.f32 %f2, [%rd3];\nld.global.f32 %f3, [%rd3+4];\nret;\n}\n",
                       0);
    assert_string_equal(f.graph.load[0].array, "s+8");
    assert_string_equal(f.graph.load[1].array, "s");
    assert_string_equal(f.graph.load[2].array, "*2");
    assert_int_equal(f.graph.load[2].group, f.graph.load[3].group);
    assert_int_equal(sl_load_groups_of_loads(&f.graph), 3);
    done(&f);
}

static void more_origins_than_can_be_told_are_none(void **state)
{
    (void)state;
    char text[4096] =
        PTX_HEAD ".visible .entry k(.param .align 8 .b8 s[128])\n{\n.reg .b64 %rd<30>;\n.reg .f32 %f<9>;\n";
    for (int i = 0; i < 10; i++)
        sprintf(text + strlen(text), "ld.param.u64 %%rd1, [s+%d];\n", 8 * i);
    strcat(text, "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1];\nret;\n}\n");
    found f = loads_of(text, 0);
    assert_null(f.graph.load[0].array);
    assert_int_equal(sl_load_groups_of_loads(&f.graph), 2); /* what is not known is no common array */
    done(&f);
}

static void traps_take_no_mode_and_say_why(void **state)
{
    (void)state;
    static const struct {
        const char *opcode, *why;
        unsigned modes;
    } rows[] = {{"ld.global.f32", NULL, 15},
                {"ld.global.nc.f32", NULL, 15},
                {"ld.weak.global.f32", NULL, 15},
                {"ld.global.L2::128B.f32", NULL, 15},
                {"ld.volatile.global.f32", "volatile", 1},
                {"ld.relaxed.gpu.global.f32", "relaxed", 1},
                {"ld.acquire.gpu.global.f32", "acquire", 1},
                {"ld.f32", "shared or local", 1},
                {"ld.global.cg.f32", "already has a cache operator", 1},
                {"ld.global.L1::evict_last.f32", "already has a cache operator", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 PTX_HEAD ".visible .entry k(.param .u64 in)\n{\n.reg .b64 %%rd<4>;\n.reg .f32 %%f<9>;\n"
                          "ld.param.u64 %%rd1, [in];\n%s %%f1, [%%rd1];\nret;\n}\n",
                 rows[i].opcode);
        found f = loads_of(text, 0);
        assert_int_equal(f.graph.load[0].modes & 15, rows[i].modes);
        if (rows[i].why)
            assert_non_null(strstr(f.graph.load[0].fixed, rows[i].why));
        else
            assert_null(f.graph.load[0].fixed);
        done(&f);
    }
}

static void old_targets_have_fewer_modes(void **state)
{
    (void)state;
    static const char text[] = ".version 6.4\n.target sm_%u\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"
                               ".reg .b64 %%rd<4>;\n.reg .f32 %%f<9>;\nld.param.u64 %%rd1, [in];\n"
                               "ld.global.f32 %%f1, [%%rd1];\nret;\n}\n";
    char at[1024];
    snprintf(at, sizeof at, text, 60);
    found f = loads_of(at, 0);
    assert_int_equal(f.graph.load[0].modes & 15, 1);
    done(&f);
    snprintf(at, sizeof at, text, 75);
    f = loads_of(at, 0);
    assert_int_equal(f.graph.load[0].modes & 15, 1 | 1 << SL_BYPASS_L1);
    assert_non_null(strstr(f.graph.load[0].fixed, "sm_80"));
    done(&f);
    f = loads_of(at, 90); /* it will be compiled for more than it says */
    assert_int_equal(f.graph.load[0].modes & 15, 15);
    done(&f);
}

static void stores_and_settings_come_behind_the_loads(void **state)
{
    (void)state;
    found f = loads_of(PTX_KERNEL(POINTERS "st.global.f32 [%rd4], %f1;\n"
                                           "ld.global.f32 %f1, [%rd3];\n"
                                           "st.shared.f32 [%r1], %f1;\n"
                                           "st.volatile.global.f32 [%rd4], %f1;\n"
                                           "ret;"),
                       90);
    assert_int_equal(f.graph.loads, 1);
    assert_int_equal(f.graph.nodes, 1 + 2 + 3); /* carve-out, blocks, and the window over what is read */
    assert_int_equal(f.graph.load[0].node, SL_NODE_LOAD);
    const sl_load *plain = &f.graph.load[1], *strong = &f.graph.load[2], *window = &f.graph.load[5];
    assert_true(plain->node == SL_NODE_STORE && plain->modes == (sl_bypass_modes_of(SL_NODE_STORE) | 1));
    assert_string_equal(plain->array, "out");
    assert_int_equal(strong->modes, 1);
    assert_non_null(strstr(strong->fixed, "release store"));
    assert_int_equal(f.graph.load[3].inst, SL_SETTING_CARVE_OUT);
    assert_int_equal(f.graph.load[4].inst, SL_SETTING_BLOCKS);
    assert_int_equal(window->inst, SL_SETTING_WINDOW);
    assert_string_equal(window->array, "in");
    assert_int_equal(window->modes, 1 | 1u << SL_BYPASS_WINDOW);
    for (uint32_t i = 0; i < f.graph.nodes; i++) /* each mode has one kind of node */
        for (uint32_t k = 0; k < i; k++)
            assert_true(f.graph.load[i].node == f.graph.load[k].node ||
                        !(f.graph.load[i].modes & f.graph.load[k].modes & ~1u));
    done(&f);
}

static void a_kernel_that_reads_the_size_of_its_shared_memory_keeps_it(void **state)
{
    (void)state;
    found f = loads_of(PTX_KERNEL("mov.u32 %r1, %dynamic_smem_size;\nret;"), 90);
    assert_int_equal(f.graph.load[1].inst, SL_SETTING_BLOCKS);
    assert_int_equal(f.graph.load[1].modes, 1);
    assert_non_null(strstr(sl_load_why_not(&f.graph.load[1], SL_BYPASS_BLOCKS_HALF), "size of its shared memory"));
    done(&f);
}

/* The body of a loop, which loads from %rd5; whether its address has a constant step. */
static void loads_ahead_need_a_constant_step(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool known;
    } rows[] = {{"add.s64 %rd5, %rd5, 16;", true},
                {"sub.s64 %rd5, %rd5, 16;", true},
                {"add.s64 %rd6, %rd5, 16;\nmov.u64 %rd5, %rd6;", true},
                {"mul.wide.s32 %rd6, %r1, 4;\nadd.s64 %rd5, %rd3, %rd6;", true},
                {"mad.lo.s64 %rd5, %rd7, 8, %rd3;\nadd.s64 %rd7, %rd7, 2;", true},
                {"shl.b64 %rd6, %rd7, 3;\nadd.s64 %rd5, %rd3, %rd6;\nadd.s64 %rd7, %rd7, 1;", true},
                {"mov.u64 %rd5, %rd3;", false},          /* the same each time */
                {"ld.global.u64 %rd5, [%rd5];", false},  /* a list */
                {"@%p1 add.s64 %rd5, %rd5, 16;", false}, /* not each time */
                {"add.s64 %rd5, %rd5, %rd5;", false},
                {"add.s64 %rd5, %rd5, 16;\nadd.s64 %rd5, %rd5, 16;", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 PTX_HEAD ".visible .entry k(.param .u64 in)\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<4>;\n"
                          ".reg .b64 %%rd<9>;\n.reg .f32 %%f<9>;\nld.param.u64 %%rd3, [in];\nmov.u64 %%rd5, %%rd3;\n"
                          "mov.u64 %%rd7, 0;\nmov.u32 %%r1, 0;\nsetp.lt.u32 %%p1, %%r1, 5;\nL:\n"
                          "ld.global.f32 %%f1, [%%rd5];\n%s\nadd.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p2, %%r1, 9;\n"
                          "@%%p2 bra L;\nld.global.f32 %%f2, [%%rd5];\nret;\n}\n",
                 rows[i].body);
        found f = loads_of(text, 90);
        const sl_load *in = &f.graph.load[0], *behind = &f.graph.load[f.graph.loads - 1];
        if ((in->modes >> SL_BYPASS_PREFETCH_4 & 1) != rows[i].known)
            fail_msg("%s", rows[i].body);
        assert_false(behind->modes >> SL_BYPASS_PREFETCH_4 & 1); /* not in the loop */
        assert_non_null(strstr(sl_load_why_not(behind, SL_BYPASS_PREFETCH_4), "not in a loop"));
        done(&f);
    }
}

static void only_kernels_that_write_no_global_memory_prove_what_they_read(void **state)
{
    (void)state;
    static const struct {
        const char *inst, *why;
    } rows[] = {{"", NULL},
                {"st.shared.f32 [%r1], %f1;", NULL},
                {"st.local.f32 [%r1], %f1;", NULL},
                {"st.global.f32 [%rd4], %f1;", "writes global memory"},
                {"st.f32 [%rd4], %f1;", "writes global memory"},
                {"red.global.add.f32 [%rd4], %f1;", "writes global memory"},
                {"call reads;", NULL},
                {"call writes;", "writes global memory"},
                {"call unknown;", "calls may write"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 PTX_HEAD ".extern .func unknown;\n.func reads() { ret; }\n.func writes()\n{\n.reg .b64 %%rd1;\n"
                          "mov.u64 %%rd1, 0;\nst.global.u64 [%%rd1], %%rd1;\nret;\n}\n"
                          ".visible .entry k(.param .u64 in)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<9>;\n"
                          ".reg .f32 %%f<9>;\nld.param.u64 %%rd3, [in];\nmov.u64 %%rd4, %%rd3;\n"
                          "ld.global.f32 %%f1, [%%rd3];\n%s\nret;\n}\n",
                 rows[i].inst);
        found f = loads_of(text, 90);
        assert_int_equal(f.graph.load[0].modes >> SL_BYPASS_NC & 1, !rows[i].why);
        if (rows[i].why)
            assert_non_null(strstr(sl_load_why_not(&f.graph.load[0], SL_BYPASS_NC), rows[i].why));
        done(&f);
    }
}

static void the_hash_is_of_what_the_text_says(void **state)
{
    (void)state;
    uint64_t a, b, c;
    sl_error error;
    sl_ptx_module *one = parse_text(PTX_KERNEL("ret;")), *same = parse_text("// c\n" PTX_KERNEL("\n  ret; /* x */")),
                  *other = parse_text(PTX_KERNEL("bar.sync 0; ret;"));
    assert_int_equal(sl_ptx_code_hash(one, &a, &error), SL_OK);
    assert_int_equal(sl_ptx_code_hash(same, &b, &error), SL_OK);
    assert_int_equal(sl_ptx_code_hash(other, &c, &error), SL_OK);
    assert_true(a == b && a != c);
    sl_ptx_free(one);
    sl_ptx_free(same);
    sl_ptx_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_one_array_in_one_stretch_are_a_group),
        cmocka_unit_test(control_flow_fences_and_calls_part_groups),
        cmocka_unit_test(ping_pong_pointers_have_both_arrays),
        cmocka_unit_test(members_of_structs_and_loaded_pointers_are_arrays_of_their_own),
        cmocka_unit_test(more_origins_than_can_be_told_are_none),
        cmocka_unit_test(traps_take_no_mode_and_say_why),
        cmocka_unit_test(old_targets_have_fewer_modes),
        cmocka_unit_test(stores_and_settings_come_behind_the_loads),
        cmocka_unit_test(a_kernel_that_reads_the_size_of_its_shared_memory_keeps_it),
        cmocka_unit_test(loads_ahead_need_a_constant_step),
        cmocka_unit_test(only_kernels_that_write_no_global_memory_prove_what_they_read),
        cmocka_unit_test(the_hash_is_of_what_the_text_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
