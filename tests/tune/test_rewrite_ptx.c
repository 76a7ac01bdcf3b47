/* SPDX-License-Identifier: MIT */
#include "tune/rewrite/ptx.h"

#include <unistd.h>

#include "device/device.h"
#include "emu/emu.h"
#include "emu/recording.h"
#include "ptx/ptx_test.h"
#include "tune/ptx_loads.h"

/* `text` with all loads and stores of the module that can in `mode`. */
static char *rewrite_all(const char *text, unsigned mode, uint32_t sm)
{
    sl_ptx_module *module = parse_text(text);
    sl_ptx_modes modes[8];
    sl_arena arena;
    sl_load_graph graph;
    sl_error error = {0};
    char *out;
    size_t length;
    sl_arena_init(&arena);
    assert_int_equal(sl_ptx_loads(module, NULL, sm, &arena, &graph, &error), SL_OK);
    for (uint32_t f = 0; f < module->funcs; f++) {
        uint8_t *by_inst = sl_arena_array(&arena, uint8_t, module->func[f]->insts + 1);
        for (uint32_t i = 0; i < graph.nodes; i++)
            if (graph.load[i].node != SL_NODE_KERNEL && !strcmp(graph.load[i].function, module->func[f]->name) &&
                graph.load[i].modes >> mode & 1)
                by_inst[graph.load[i].inst] = (uint8_t)mode;
        modes[f] = (sl_ptx_modes){module->func[f], by_inst};
    }
    if (sl_ptx_rewrite(text, strlen(text), module, modes, module->funcs, sm, &out, &length, &error))
        fail_msg("%s", error.text);
    assert_int_equal(strlen(out), length);
    sl_arena_fini(&arena);
    sl_ptx_free(module);
    return out;
}

/* Whether ptxas takes it, where there is one. */
static void assert_assembles(const char *text)
{
    static const char ptxas[] = "/usr/local/cuda/bin/ptxas";
    char path[] = "/tmp/sluice-rewrite-XXXXXX", command[256];
    if (access(ptxas, X_OK))
        return;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    snprintf(command, sizeof command, "%s -arch=sm_90 -o /dev/null %s >/dev/null 2>&1", ptxas, path);
    int code = system(command);
    unlink(path);
    if (code)
        fail_msg("ptxas does not take:\n%s", text);
}

#define BEFORE(load)                                                                                                   \
    ".version 7.8\n.target sm_80\n.address_size 64\n// a comment: ld.global.f32 %f1, [%rd1];\n"                        \
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred %p1;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"    \
    "ld.param.u64 %rd1, [in];  ld.param.u64 %rd2, [out];\nsetp.eq.u64 %p1, %rd1, %rd2;\n" load                         \
    "\nst.global.f32 [%rd2], %f1;\nret;\n}\n"

static void expect(const char *load, unsigned mode, const char *expected)
{
    char before[2048], after[2048];
    const char *whole = BEFORE("@@");
    const char *at = strstr(whole, "@@");
    snprintf(before, sizeof before, "%.*s%s%s", (int)(at - whole), whole, load, at + 2);
    snprintf(after, sizeof after, "%.*s%s%s", (int)(at - whole), whole, expected, at + 2);
    char *out = rewrite_all(before, mode, 0);
    assert_string_equal(out, after);
    assert_round_trip(out, strlen(out), "rewritten");
    assert_assembles(out);
    free(out);
}

static void each_mode_is_written_on_the_load_alone(void **state)
{
    (void)state;
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_L1, "ld.global.L1::no_allocate.f32 %f1, [%rd1];");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_L2, "ld.global.L2::cache_hint.f32 %f1, [%rd1], 0x12F0000000000000;");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_BOTH,
           "ld.global.L1::no_allocate.L2::cache_hint.f32 %f1, [%rd1], 0x12F0000000000000;");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_NONE, "ld.global.f32 %f1, [%rd1];");
}

static void every_control_of_loads_is_written(void **state)
{
    (void)state;
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_L1_FIRST, "ld.global.L1::evict_first.f32 %f1, [%rd1];");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_L1_LAST, "ld.global.L1::evict_last.f32 %f1, [%rd1];");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_L2_LAST,
           "ld.global.L2::cache_hint.f32 %f1, [%rd1], 0x14F0000000000000;");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_L2_LAST_HALF,
           "ld.global.L2::cache_hint.f32 %f1, [%rd1], 0x1470000000000000;");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_L2_FIRST_HALF,
           "ld.global.L2::cache_hint.f32 %f1, [%rd1], 0x1270000000000000;");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_NEUTRAL,
           "ld.global.L2::cache_hint.f32 %f1, [%rd1], 0x10F0000000000000;");
    expect("ld.global.v2.f32 {%f1, %f2}, [%rd1];", SL_BYPASS_FETCH_64, "ld.global.L2::64B.v2.f32 {%f1, %f2}, [%rd1];");
    expect("ld.global.nc.f32 %f1, [%rd1];", SL_BYPASS_FETCH_128, "ld.global.nc.L2::128B.f32 %f1, [%rd1];");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_FETCH_256, "ld.global.L2::256B.f32 %f1, [%rd1];");
    expect("ld.global.L2::128B.f32 %f1, [%rd1];", SL_BYPASS_FETCH_64, "ld.global.L2::128B.f32 %f1, [%rd1];");
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_NC, "ld.global.f32 %f1, [%rd1];");         /* the kernel writes */
    expect("ld.global.f32 %f1, [%rd1];", SL_BYPASS_PREFETCH_4, "ld.global.f32 %f1, [%rd1];"); /* no loop */
}

static void every_control_of_stores_is_written(void **state)
{
    (void)state;
    static const struct {
        unsigned mode;
        const char *store;
    } rows[] = {{SL_BYPASS_STORE_CS, "st.global.cs.f32 [%rd2], %f1;"},
                {SL_BYPASS_STORE_WT, "st.global.wt.f32 [%rd2], %f1;"},
                {SL_BYPASS_STORE_L1, "st.global.L1::no_allocate.f32 [%rd2], %f1;"},
                {SL_BYPASS_STORE_L2, "st.global.L2::cache_hint.f32 [%rd2], %f1, 0x12F0000000000000;"},
                {SL_BYPASS_STORE_NEUTRAL, "st.global.L2::cache_hint.f32 [%rd2], %f1, 0x10F0000000000000;"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out = rewrite_all(BEFORE("ld.global.f32 %f1, [%rd1];"), rows[i].mode, 0);
        assert_non_null(strstr(out, rows[i].store));
        assert_non_null(strstr(out, "ld.global.f32 %f1, [%rd1];"));
        assert_round_trip(out, strlen(out), "rewritten");
        assert_assembles(out);
        free(out);
    }
}

#define LOOP(load)                                                                                                     \
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n.reg .pred %p<3>;\n"         \
    ".reg .b64 %rd<9>;\n.reg .b32 %r<4>;\n.reg .f32 %f<9>;\nld.param.u64 %rd1, [in];\nmov.u32 %r1, 0;\nL:\n"           \
    "setp.lt.u32 %p2, %r1, 9;\n" load "\nadd.s64 %rd1, %rd1, 256;\nadd.u32 %r1, %r1, 1;\n"                             \
    "setp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;\nret;\n}\n"

static void loads_of_simple_loops_are_prefetched_some_iterations_ahead(void **state)
{
    (void)state;
    char *out = rewrite_all(LOOP("ld.global.f32 %f1, [%rd1+8];"), SL_BYPASS_PREFETCH_4, 0);
    assert_string_equal(out, LOOP("prefetch.global.L2 [%rd1+1032];\n\tld.global.f32 %f1, [%rd1+8];"));
    assert_assembles(out);
    free(out);
    out = rewrite_all(LOOP("ld.global.f32 %f1, [%rd1+8];"), SL_BYPASS_PREFETCH_0, 0);
    assert_string_equal(out, LOOP("prefetch.global.L2 [%rd1+8];\n\tld.global.f32 %f1, [%rd1+8];"));
    free(out);
    out = rewrite_all(LOOP("@!%p2 ld.global.f32 %f1, [%rd1+-256];"), SL_BYPASS_PREFETCH_16, 0);
    assert_string_equal(out, LOOP("@!%p2 prefetch.global.L2 [%rd1+3840];\n\t@!%p2 ld.global.f32 %f1, [%rd1+-256];"));
    assert_assembles(out);
    free(out);
}

static void kernels_that_write_no_global_memory_read_through_the_read_only_path(void **state)
{
    (void)state;
    char *out = rewrite_all(LOOP("ld.global.f32 %f1, [%rd1+8];"), SL_BYPASS_NC, 0);
    assert_string_equal(out, LOOP("ld.global.nc.f32 %f1, [%rd1+8];"));
    assert_assembles(out);
    free(out);
}

static void operators_go_behind_nc_and_before_sizes_and_vectors(void **state)
{
    (void)state;
    expect("ld.global.nc.f32 %f1, [%rd1+4];", SL_BYPASS_L1, "ld.global.nc.L1::no_allocate.f32 %f1, [%rd1+4];");
    expect("ld.global.v2.f32 {%f1, %f2}, [%rd1];", SL_BYPASS_BOTH,
           "ld.global.L1::no_allocate.L2::cache_hint.v2.f32 {%f1, %f2}, [%rd1], 0x12F0000000000000;");
    expect("ld.global.nc.L2::128B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", SL_BYPASS_BOTH,
           "ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1], "
           "0x12F0000000000000;");
    expect("ld.weak.global.f32 %f1, [%rd1];", SL_BYPASS_L1, "ld.weak.global.L1::no_allocate.f32 %f1, [%rd1];");
}

static void guards_comments_and_odd_spacing_stay(void **state)
{
    (void)state;
    expect("@%p1 ld.global.f32 %f1, [%rd1];", SL_BYPASS_L2,
           "@%p1 ld.global.L2::cache_hint.f32 %f1, [%rd1], 0x12F0000000000000;");
    expect("@!%p1\tld.global.f32\n\t%f1 ,\n [ %rd1 ] /* ; */ ;", SL_BYPASS_BOTH,
           "@!%p1\tld.global.L1::no_allocate.L2::cache_hint.f32\n\t%f1 ,\n [ %rd1 ] /* ; */ , 0x12F0000000000000;");
    expect("ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];", SL_BYPASS_L1,
           "ld.global.L1::no_allocate.f32 %f1, [%rd1]; ld.global.L1::no_allocate.f32 %f2, [%rd1+4];");
}

static void loads_that_take_no_operator_are_left_alone(void **state)
{
    (void)state;
    static const char *const loads[] = {"ld.volatile.global.f32 %f1, [%rd1];",
                                        "ld.relaxed.gpu.global.f32 %f1, [%rd1];",
                                        "ld.acquire.gpu.global.f32 %f1, [%rd1];",
                                        "ld.global.cg.f32 %f1, [%rd1];",
                                        "ld.f32 %f1, [%rd1];",
                                        "ld.global.L1::evict_last.f32 %f1, [%rd1];"};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        expect(loads[i], SL_BYPASS_L1, loads[i]);
}

#define OLD(version, target)                                                                                           \
    ".version " version "\n.target " target "\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"               \
    ".reg .b64 %rd<9>;\n.reg .f32 %f<9>;\nld.param.u64 %rd1, [in];\n"

static void versions_and_targets_are_raised_where_they_must(void **state)
{
    (void)state;
    char *out = rewrite_all(OLD("6.4", "sm_75") "ld.global.f32 %f1, [%rd1];\nret;\n}\n", SL_BYPASS_L1, 0);
    assert_string_equal(out, OLD("7.4", "sm_75") "ld.global.L1::no_allocate.f32 %f1, [%rd1];\nret;\n}\n");
    assert_assembles(out);
    free(out);
    out =
        rewrite_all(OLD("7.0", "sm_75, texmode_independent") "ld.global.f32 %f1, [%rd1];\nret;\n}\n", SL_BYPASS_L2, 80);
    assert_string_equal(out, OLD("7.4", "sm_80, texmode_independent") "ld.global.L2::cache_hint.f32 %f1, [%rd1], "
                                                                      "0x12F0000000000000;\nret;\n}\n");
    free(out);
    out =
        rewrite_all(OLD("7.5", "texmode_independent, sm_75") "ld.global.f32 %f1, [%rd1];\nret;\n}\n", SL_BYPASS_L1, 90);
    assert_string_equal(out, OLD("7.8", "texmode_independent, sm_90") "ld.global.L1::no_allocate.f32 %f1, [%rd1];\nret;"
                                                                      "\n}\n");
    free(out);
    out = rewrite_all(OLD("7.5", "sm_75") "ld.global.f32 %f1, [%rd1];\nret;\n}\n", SL_BYPASS_L1, 90);
    assert_string_equal(out, OLD("7.8", "sm_90") "ld.global.L1::no_allocate.f32 %f1, [%rd1];\nret;\n}\n");
    assert_assembles(out);
    free(out);
    /* Nothing chosen: nothing changes. */
    out = rewrite_all(OLD("6.4", "sm_75") "ld.global.f32 %f1, [%rd1];\nret;\n}\n", SL_BYPASS_NONE, 80);
    assert_string_equal(out, OLD("6.4", "sm_75") "ld.global.f32 %f1, [%rd1];\nret;\n}\n");
    free(out);
}

static void variants_are_copies_of_one_kernel(void **state)
{
    (void)state;
    static const char text[] =
        ".version 7.8\n.target sm_80\n.address_size 64\n.global .b32 counter;\n.func helper() { ret; }\n"
        ".visible .entry other(.param .u64 in)\n{\nret;\n}\n.visible .entry k(.param .u64 in)\n.maxntid 64, 1, 1\n{\n"
        ".reg .pred %p1;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\nld.param.u64 %rd1, [in];\nL:\n"
        "ld.global.f32 %f1, [%rd1];\nsetp.eq.f32 %p1, %f1, %f1;\n@%p1 bra L;\ncall helper;\nret;\n}\n"
        ".section .debug_loc { }\n";
    sl_ptx_module *module = parse_text(text);
    const sl_ptx_func *k = sl_ptx_find(module, "k");
    uint8_t none[16] = {0}, l1[16] = {0};
    const uint8_t *choice[2] = {none, l1};
    char *out, name[64];
    size_t length;
    sl_error error = {0};
    l1[1] = SL_BYPASS_L1;
    assert_int_equal(sl_ptx_variants(text, strlen(text), module, k, choice, 2, 0, &out, &length, &error), SL_OK);
    sl_ptx_module *made = parse_text(out);
    assert_null(sl_ptx_find(made, "other"));
    assert_non_null(sl_ptx_find(made, "helper"));
    assert_null(sl_ptx_find(made, "k"));
    const sl_ptx_func *first = sl_ptx_find(made, sl_ptx_variant_name(k, 0, name, sizeof name));
    const sl_ptx_func *second = sl_ptx_find(made, sl_ptx_variant_name(k, 1, name, sizeof name));
    assert_false(sl_ptx_has(&first->inst[1], SL_MOD_L1_NO_ALLOCATE));
    assert_true(sl_ptx_has(&second->inst[1], SL_MOD_L1_NO_ALLOCATE));
    assert_int_equal(second->maxntid[0], 64);
    assert_null(strstr(out, ".section"));
    assert_assembles(out);
    sl_ptx_free(made);
    sl_ptx_free(module);
    free(out);
}

/* Two variants of the first kernel of a file that a compiler made: as it is, and with everything that can bypass. */
static void make_variants(const char *name)
{
    char path[512], *out, buffer[512];
    size_t length, out_length;
    sl_arena arena;
    sl_load_graph graph;
    sl_error error = {0};
    snprintf(path, sizeof path, SL_TEST_DATA "/ptx/%s", name);
    char *text = read_file(path, &length);
    sl_ptx_module *module = parse_text(text);
    const sl_ptx_func *kernel = NULL;
    for (uint32_t f = 0; f < module->funcs && !kernel; f++)
        if (module->func[f]->entry && module->func[f]->has_body)
            kernel = module->func[f];
    assert_non_null(kernel);
    sl_arena_init(&arena);
    assert_int_equal(sl_ptx_loads(module, kernel, 80, &arena, &graph, &error), SL_OK);
    uint8_t *none = sl_arena_array(&arena, uint8_t, kernel->insts + 1);
    uint8_t *both = sl_arena_array(&arena, uint8_t, kernel->insts + 1);
    for (uint32_t i = 0; i < graph.loads; i++)
        if (graph.load[i].modes >> SL_BYPASS_BOTH & 1)
            both[graph.load[i].inst] = SL_BYPASS_BOTH;
    const uint8_t *choice[2] = {none, both};
    assert_int_equal(sl_ptx_variants(text, length, module, kernel, choice, 2, 80, &out, &out_length, &error), SL_OK);
    sl_ptx_module *made = parse_text(out);
    assert_non_null(sl_ptx_find(made, sl_ptx_variant_name(kernel, 1, buffer, sizeof buffer)));
    assert_assembles(out);
    sl_ptx_free(made);
    sl_arena_fini(&arena);
    sl_ptx_free(module);
    free(out);
    free(text);
}

static void what_compilers_make_has_variants_too(void **state)
{
    (void)state;
    make_variants("nvcc_runtime_75.ptx");
    make_variants("nvcc_runtime_75_lineinfo.ptx");
    make_variants("nvcc_modern_80.ptx");
    make_variants("clang19_plain_90.ptx");
    make_variants("clang14_opencl_80.ptx");
}

static void the_emulator_records_what_was_written(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < SL_BYPASS_MODES; mode++) {
        static recording seen;
        sl_launch_sink sink = recording_sink(&seen);
        sl_emu_config emu = {.sink = &sink};
        sl_device_config config = {.emu = &emu};
        sl_device *device;
        sl_device_module *module;
        sl_device_kernel *kernel;
        sl_error error = {0};
        uint64_t in, out;
        float value = 2.5f, result = 0;
        char *text = rewrite_all(BEFORE("ld.global.f32 %f1, [%rd1];"), mode, 0);
        assert_int_equal(sl_device_open("emu", &config, &device, &error), SL_OK);
        assert_int_equal(sl_device_alloc(device, 4, "in", &in, &error), SL_OK);
        assert_int_equal(sl_device_alloc(device, 4, "out", &out, &error), SL_OK);
        assert_int_equal(sl_device_copy_in(device, in, &value, 4, &error), SL_OK);
        assert_int_equal(sl_device_load(device, text, strlen(text), "k.ptx", &module, &error), SL_OK);
        assert_int_equal(sl_device_kernel_get(module, "k", &kernel, &error), SL_OK);
        sl_device_arg arg[2] = {{&in, 8}, {&out, 8}};
        sl_device_launch launch = {{1, 1, 1}, {1, 1, 1}, 0, 2, arg, {0}};
        assert_int_equal(sl_device_run(kernel, &launch, &error), SL_OK);
        assert_int_equal(sl_device_copy_out(device, &result, out, 4, &error), SL_OK);
        assert_true(result == 2.5f);
        const char *what = sl_controls[mode].node == SL_NODE_STORE ? "st.global" : "ld.global";
        assert_int_equal(seen.inst[recording_last(&seen, what)].cache_op, sl_controls[mode].op);
        sl_device_close(device);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_is_written_on_the_load_alone),
        cmocka_unit_test(every_control_of_loads_is_written),
        cmocka_unit_test(every_control_of_stores_is_written),
        cmocka_unit_test(loads_of_simple_loops_are_prefetched_some_iterations_ahead),
        cmocka_unit_test(kernels_that_write_no_global_memory_read_through_the_read_only_path),
        cmocka_unit_test(operators_go_behind_nc_and_before_sizes_and_vectors),
        cmocka_unit_test(guards_comments_and_odd_spacing_stay),
        cmocka_unit_test(loads_that_take_no_operator_are_left_alone),
        cmocka_unit_test(versions_and_targets_are_raised_where_they_must),
        cmocka_unit_test(variants_are_copies_of_one_kernel),
        cmocka_unit_test(what_compilers_make_has_variants_too),
        cmocka_unit_test(the_emulator_records_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
