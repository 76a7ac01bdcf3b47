/* SPDX-License-Identifier: MIT */
/* Every built-in workload, at its small size, on the emulator; and what happens to wrong parameters. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "emu/emu.h"
#include "workloads/workload.h"

static sl_error error;

/* ---- an observer that turns everything recorded into one number ---- */

typedef struct digest {
    uint64_t hash, blocks, warp_insts, thread_insts;
} digest;

static void mix(digest *d, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        d->hash = (d->hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
}

static sl_status begin(void *context, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                       const sl_trace_range *range, size_t ranges, bool *wanted, uint64_t *block_limit, sl_error *e)
{
    (void)e, (void)block_limit;
    digest *d = context;
    mix(d, kernel->symbol, strlen(kernel->symbol));
    mix(d, launch->grid, sizeof launch->grid);
    for (size_t i = 0; i < ranges; i++)
        mix(d, &range[i].base, sizeof range[i].base);
    *wanted = true;
    return SL_OK;
}

static sl_status block(void *context, const sl_block_view *view, sl_error *e)
{
    (void)e;
    digest *d = context;
    mix(d, &view->block, sizeof view->block);
    for (uint32_t w = 0; w < view->warps; w++) {
        mix(d, view->warp[w].control, view->warp[w].control_bytes);
        mix(d, view->warp[w].memory, view->warp[w].memory_bytes);
    }
    d->blocks += view->last;
    return SL_OK;
}

static sl_status end(void *context, const sl_launch_stats *stats, const char *failure, sl_error *e)
{
    (void)e;
    digest *d = context;
    d->warp_insts += stats->warp_insts;
    d->thread_insts += stats->thread_insts;
    assert_null(failure);
    return SL_OK;
}

static sl_workload_result run_small(const sl_workload *workload, const char *isa, uint32_t threads, uint32_t lanes,
                                    digest *d)
{
    *d = (digest){.hash = 0xcbf29ce484222325u};
    sl_launch_sink sink = {.context = d, .begin = begin, .block = block, .end = end};
    sl_emu_config config = {.settings = {.lanes = lanes, .threads = threads, .isa = isa}, .sink = &sink};
    sl_device_config device_config = {.emu = &config};
    sl_device *device = NULL;
    sl_workload_options options = {.size = "small", .seed = 1};
    sl_workload_result result = {0};
    sl_status status = sl_device_open("emu", &device_config, &device, &error);
    if (!status)
        status = sl_workload_run(workload, device, &options, &result, &error);
    if (status)
        fail_msg("%s (%s, %u threads, %u lanes): %s", workload->name, isa ? isa : "best", threads, lanes, error.text);
    sl_device_close(device);
    return result;
}

static void each_gives_what_its_reference_gives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *workload = sl_workload_at(i);
        digest d;
        sl_workload_result result = run_small(workload, NULL, 0, 32, &d);
        assert_true(result.compared > 0);
        assert_true(result.launches > 0);
        assert_string_equal(result.params, workload->size[SL_SIZE_SMALL]);
        assert_true(d.warp_insts > 0 && d.thread_insts >= d.warp_insts);
    }
}

/* Each instruction set takes turns at one thread and at several, and each workload has both. */
static void same_on_all_instruction_sets(const sl_workload *workload, size_t number, const digest *first)
{
    digest other;
    for (size_t n = 0; sl_emu_isa_at(n); n++) {
        run_small(workload, sl_emu_isa_at(n), (n + number) % 2 ? 4 : 1, 32, &other);
        assert_int_equal(first->hash, other.hash);
        assert_int_equal(first->thread_insts, other.thread_insts);
    }
}

static void each_does_the_same_on_any_threads_and_instruction_set_and_works_with_warps_of_64(void **state)
{
    (void)state;
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *workload = sl_workload_at(i);
        digest first, wide;
        run_small(workload, NULL, 1, 32, &first);
        same_on_all_instruction_sets(workload, i, &first);
        run_small(workload, NULL, 1, 64, &wide);
        assert_true(wide.warp_insts <= first.warp_insts); /* equal where blocks have no more than 32 threads */
        assert_int_equal(wide.blocks, first.blocks);
    }
}

/* ---- parameters ---- */

static sl_status try_run(const char *name, const char *size, const char *set, sl_workload_result *result)
{
    const sl_workload *workload = NULL;
    sl_device *device = NULL;
    sl_workload_options options = {.size = size, .sets = set != NULL, .set = &set, .seed = 1};
    assert_int_equal(sl_workload_find(name, &workload, &error), SL_OK);
    assert_int_equal(sl_device_open("emu", NULL, &device, &error), SL_OK);
    sl_status status = sl_workload_run(workload, device, &options, result, &error);
    sl_device_close(device);
    return status;
}

static void single_parameters_can_be_set(void **state)
{
    (void)state;
    sl_workload_result result;
    assert_int_equal(try_run("stencil2d", "small", "steps=3", &result), SL_OK);
    assert_string_equal(result.params, "width=128 height=96 steps=3");
    assert_int_equal(result.launches, 3);
    assert_int_equal(try_run("matmul", "small", "n=33", &result), SL_OK);
    assert_int_equal(result.compared, 33 * 33);
    assert_int_equal(try_run("matmul_tiled", "small", "n=17", &result), SL_OK);
    assert_int_equal(try_run("histogram", "small", "n=1", &result), SL_OK);
    assert_int_equal(try_run("spmv", "small", "rows=1", &result), SL_OK);
}

static void a_wrong_name_is_answered_with_the_nearest_workload(void **state)
{
    (void)state;
    const sl_workload *workload = NULL;
    assert_int_equal(sl_workload_find("matmull", &workload, &error), SL_NOT_FOUND);
    assert_string_equal(error.text, "no workload is called 'matmull'; the nearest is 'matmul'");
}

static void a_wrong_size_is_answered_with_those_there_are(void **state)
{
    (void)state;
    assert_int_equal(try_run("vecadd", "smal", NULL, NULL), SL_NOT_FOUND);
    assert_string_equal(error.text, "no size is called 'smal', did you mean small; there are small, default and large");
}

static void a_wrong_parameter_is_answered_with_those_the_workload_has(void **state)
{
    (void)state;
    assert_int_equal(try_run("stencil2d", "small", "widht=5", NULL), SL_NOT_FOUND);
    assert_string_equal(error.text,
                        "stencil2d has no parameter 'widht', did you mean width; it has width, height, steps");
}

static void a_value_must_be_a_number_in_range(void **state)
{
    (void)state;
    assert_int_equal(try_run("matmul", "small", "n", NULL), SL_INVALID);
    assert_string_equal(error.text, "'n' sets nothing: write NAME=VALUE");
    assert_int_equal(try_run("matmul", "small", "n=4x", NULL), SL_INVALID);
    assert_int_equal(try_run("matmul", "small", "n=-4", NULL), SL_INVALID);
    assert_int_equal(try_run("matmul", "small", "n=0", NULL), SL_INVALID);
    assert_string_equal(error.text, "matmul: n=0 is out of range: from 1 to 32768");
}

static void tags_are_whole_words(void **state)
{
    (void)state;
    const sl_workload *workload = NULL;
    assert_int_equal(sl_workload_find("histogram", &workload, &error), SL_OK);
    assert_true(sl_workload_has_tag(workload, "irregular"));
    assert_true(sl_workload_has_tag(workload, "shared"));
    assert_false(sl_workload_has_tag(workload, "regular"));
    assert_false(sl_workload_has_tag(workload, "share"));
    assert_false(sl_workload_has_tag(workload, ""));
}

static void one_seed_gives_one_input_and_another_gives_another(void **state)
{
    (void)state;
    digest first, again;
    const sl_workload *workload = NULL;
    assert_int_equal(sl_workload_find("gather", &workload, &error), SL_OK);
    run_small(workload, NULL, 1, 32, &first);
    run_small(workload, NULL, 1, 32, &again);
    assert_int_equal(first.hash, again.hash);
    digest d = {.hash = 0xcbf29ce484222325u};
    sl_launch_sink sink = {.context = &d, .begin = begin, .block = block, .end = end};
    sl_emu_config config = {.settings.threads = 1, .sink = &sink};
    sl_device_config device_config = {.emu = &config};
    sl_device *device = NULL;
    sl_workload_options options = {.size = "small", .seed = 2};
    assert_int_equal(sl_device_open("emu", &device_config, &device, &error), SL_OK);
    assert_int_equal(sl_workload_run(workload, device, &options, NULL, &error), SL_OK);
    sl_device_close(device);
    assert_int_not_equal(d.hash, first.hash);
}

/* ---- a workload of the tests' own, which is wrong when it is told to be ---- */

static const char increment[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                                ".visible .entry increment(.param .u64 p)\n"
                                "{\n"
                                "    .reg .b32 %r<4>;\n    .reg .b64 %rd<4>;\n"
                                "    mov.u32 %r1, %tid.x;\n"
                                "    ld.param.u64 %rd1, [p];\n"
                                "    cvta.to.global.u64 %rd1, %rd1;\n"
                                "    mul.wide.u32 %rd2, %r1, 4;\n"
                                "    add.s64 %rd3, %rd1, %rd2;\n"
                                "    ld.global.u32 %r2, [%rd3];\n"
                                "    add.s32 %r3, %r2, 1;\n"
                                "    st.global.u32 [%rd3], %r3;\n"
                                "    ret;\n"
                                "}\n";

static void run_increment(sl_host *h)
{
    uint32_t wrong = (uint32_t)sl_host_param(h, "wrong", 0, 2), data[32], expected[32];
    for (uint32_t i = 0; i < 32; i++)
        data[i] = i, expected[i] = i + 1 + (i >= 30 && wrong == 1);
    uint64_t addr = sl_host_upload(h, "data", data, sizeof data);
    sl_host_launch(h, "increment", SL_DIM(1), SL_DIM(wrong == 2 ? 33 : 32), 0, addr);
    sl_host_download(h, data, addr, sizeof data);
    sl_check_u32(h, "data", data, expected, 32);
}

static sl_status try_increment(const char *size, sl_workload_result *result)
{
    const sl_workload workload = {.name = "increment",
                                  .tags = "",
                                  .size = {"wrong=0", "wrong=1", "wrong=2"},
                                  .run = run_increment,
                                  .ptx = increment,
                                  .ptx_end = increment + sizeof increment - 1};
    sl_workload_options options = {.size = size};
    sl_device *device = NULL;
    assert_int_equal(sl_device_open("emu", NULL, &device, &error), SL_OK);
    sl_status status = sl_workload_run(&workload, device, &options, result, &error);
    sl_device_close(device);
    return status;
}

static void a_result_that_differs_from_the_reference_is_told(void **state)
{
    (void)state;
    sl_workload_result result;
    assert_int_equal(try_increment("small", &result), SL_OK);
    assert_int_equal(result.compared, 32);
    assert_int_equal(try_increment("default", &result), SL_MISMATCH);
    assert_string_equal(error.text, "increment: data[30] is 31, but the CPU reference is 32 (2 values of 32 differ)");
}

static void a_fault_of_the_kernel_ends_the_workload(void **state)
{
    (void)state;
    assert_int_equal(try_increment("large", NULL), SL_FAULT);
    assert_non_null(strstr(error.text, "increment"));
    assert_non_null(strstr(error.text, "data"));
}

static void compare_floats(sl_host *h)
{
    float got[] = {1, 2, 0, -1}, expected[] = {1, 2.001f, 0, -1};
    sl_check_f32(h, "x", got, expected, 4, sl_host_param(h, "loose", 0, 1) ? 0.0011 : 0.0009, 0);
}

static void floats_may_differ_by_what_is_allowed_and_no_more(void **state)
{
    (void)state;
    static const char nothing[] = ".version 7.0\n.target sm_80\n.address_size 64\n";
    const sl_workload workload = {.name = "floats",
                                  .tags = "",
                                  .size = {"loose=1", "loose=0", ""},
                                  .run = compare_floats,
                                  .ptx = nothing,
                                  .ptx_end = nothing + sizeof nothing - 1};
    sl_workload_options options = {.size = "small"};
    sl_workload_result result;
    sl_device *device = NULL;
    assert_int_equal(sl_device_open("emu", NULL, &device, &error), SL_OK);
    assert_int_equal(sl_workload_run(&workload, device, &options, &result, &error), SL_OK);
    assert_true(result.worst > 0.8 && result.worst < 1);
    options.size = "default";
    assert_int_equal(sl_workload_run(&workload, device, &options, &result, &error), SL_MISMATCH);
    assert_non_null(strstr(error.text, "x[1] is 2, but the CPU reference is 2.00099993"));
    sl_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_gives_what_its_reference_gives),
        cmocka_unit_test(each_does_the_same_on_any_threads_and_instruction_set_and_works_with_warps_of_64),
        cmocka_unit_test(single_parameters_can_be_set),
        cmocka_unit_test(a_wrong_name_is_answered_with_the_nearest_workload),
        cmocka_unit_test(a_wrong_size_is_answered_with_those_there_are),
        cmocka_unit_test(a_wrong_parameter_is_answered_with_those_the_workload_has),
        cmocka_unit_test(a_value_must_be_a_number_in_range),
        cmocka_unit_test(tags_are_whole_words),
        cmocka_unit_test(one_seed_gives_one_input_and_another_gives_another),
        cmocka_unit_test(a_result_that_differs_from_the_reference_is_told),
        cmocka_unit_test(a_fault_of_the_kernel_ends_the_workload),
        cmocka_unit_test(floats_may_differ_by_what_is_allowed_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
