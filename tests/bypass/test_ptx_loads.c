/* SPDX-License-Identifier: MIT */
#include "bypass/ptx_loads.h"

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
        cmocka_unit_test(the_hash_is_of_what_the_text_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
