/* SPDX-License-Identifier: MIT */
/* Results files: what the CUDA library tells `sluice run`, and what is left of it when a program crashes. */
#include "process/results_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static const char STRINGS[] = "\0ld.global.f32\0a.cu\0A";
static const sl_inst INSTS[3] = {{.op_class = SL_CLASS_INT},
                                 {.op_class = SL_CLASS_MEMORY, .opcode = 1, .source_file = 15, .array = 20, .pc = 1},
                                 {.op_class = SL_CLASS_CONTROL}};
static const sl_trace_bb BB = {0, 3};
static const uint32_t MEM_INST = 1;

static sl_trace_kernel kernel_named(const char *symbol, const char *name)
{
    return (sl_trace_kernel){.symbol = symbol,
                             .name = name,
                             .insts = 3,
                             .inst = INSTS,
                             .bbs = 1,
                             .bb = &BB,
                             .mem_slots = 1,
                             .mem_inst = &MEM_INST,
                             .strings_bytes = sizeof STRINGS,
                             .strings = STRINGS,
                             .regs_per_thread = 17,
                             .static_shared_bytes = 256};
}

typedef struct fixture {
    char folder[64];
    sl_results_writer *writer;
    uint32_t number;
    sl_trace_kernel first, second;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/sluice-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->first = kernel_named("_Z5firstv", "first");
    f->second = kernel_named("_Z6secondv", "second");
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char path[128];
    for (uint32_t i = 0; i < 4; i++)
        unlink(sl_results_path(f->folder, i, path, sizeof path));
    rmdir(f->folder);
    free(f);
    return 0;
}

static void write_launch(fixture *f, uint64_t index, const sl_trace_kernel *kernel, const char *failure)
{
    sl_trace_launch launch = {.grid = {(uint32_t)index + 1, 2, 3}, .block = {32, 4, 1}, .lanes = 32, .stream = 7};
    launch.failed = failure != NULL;
    launch.failure = failure;
    sl_launch_stats stats = {.warp_insts = 1000 + index, .thread_insts = 32000, .blocks = 6};
    sl_counts slot = {0};
    sl_counts_add(&slot, SL_COUNTER_ld_requests, 300 + index);
    sl_array_footprint touched = {.name = "A", .bytes = 4096, .allocation = "allocation 1", .allocation_bytes = 8192};
    sl_launch_counts counts = {.total = slot, .blocks = 6, .slots = 1, .slot = &slot, .arrays = 1, .array = &touched};
    sl_launch_result result = {index, kernel, &launch, &counts, &stats, 77};
    assert_int_equal(sl_results_write(f->writer, &result, NULL), SL_OK);
}

typedef struct seen {
    unsigned launches;
    uint64_t warp_insts;
    char names[256], failure[64];
} seen;

static sl_status look(void *context, const sl_launch_result *r, sl_error *error)
{
    seen *s = context;
    (void)error;
    assert_int_equal(r->index, s->launches);
    assert_int_equal(r->launch->grid[0], r->index + 1);
    assert_int_equal(r->launch->stream, 7);
    assert_int_equal(r->kernel->regs_per_thread, 17);
    assert_string_equal(r->kernel->strings + r->kernel->inst[1].opcode, "ld.global.f32");
    assert_int_equal(r->counts->slot[0].value[SL_COUNTER_ld_requests], 300 + r->index);
    assert_false(sl_counts_has(&r->counts->total, SL_COUNTER_st_requests));
    assert_string_equal(r->counts->array[0].name, "A");
    assert_int_equal(r->launch->failed, *r->launch->failure != 0);
    assert_int_equal(r->trace_bytes, 77);
    s->launches++;
    s->warp_insts += r->stats->warp_insts;
    strcat(strcat(s->names, r->kernel->name), " ");
    if (r->launch->failed)
        strcpy(s->failure, r->launch->failure);
    return SL_OK;
}

static void write_three(fixture *f)
{
    assert_int_equal(sl_results_writer_create(f->folder, &f->writer, &f->number, NULL), SL_OK);
    write_launch(f, 0, &f->first, NULL);
    write_launch(f, 1, &f->second, "illegal read");
    write_launch(f, 2, &f->first, NULL);
}

static void launches_come_back_in_order_with_their_kernels_and_failures(void **state)
{
    fixture *f = *state;
    seen s = {0};
    sl_results_summary summary;
    write_three(f);
    sl_results_writer_close(f->writer, true);
    assert_int_equal(f->number, 0);
    assert_int_equal(sl_results_read(f->folder, 0, look, &s, &summary, NULL), SL_OK);
    assert_true(summary.finished);
    assert_int_equal(summary.pid, getpid());
    assert_string_equal(s.names, "first second first ");
    assert_string_equal(s.failure, "illegal read");
    assert_int_equal(s.warp_insts, 3003);
}

static void a_crash_keeps_every_launch_that_had_finished(void **state)
{
    fixture *f = *state;
    seen s = {0};
    sl_results_summary summary;
    write_three(f);
    /* Nothing is closed: the reader sees what another process would. */
    assert_int_equal(sl_results_read(f->folder, 0, look, &s, &summary, NULL), SL_OK);
    assert_false(summary.finished);
    assert_int_equal(s.launches, 3);
    sl_results_writer_close(f->writer, false);
}

static void processes_number_themselves(void **state)
{
    fixture *f = *state;
    sl_results_summary summary;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(sl_results_writer_create(f->folder, &f->writer, &f->number, NULL), SL_OK);
        assert_int_equal(f->number, i);
        sl_results_writer_close(f->writer, true);
    }
    assert_int_equal(sl_results_read(f->folder, 3, look, NULL, &summary, NULL), SL_NOT_FOUND);
    char path[64];
    assert_string_equal(sl_results_trace_path("t.slt", 0, path, sizeof path), "t.slt");
    assert_string_equal(sl_results_trace_path("t.slt", 2, path, sizeof path), "t.slt.2");
}

static void kernels_of_a_new_device_are_told_from_those_before_it(void **state)
{
    fixture *f = *state;
    seen s = {0};
    sl_results_summary summary;
    assert_int_equal(sl_results_writer_create(f->folder, &f->writer, &f->number, NULL), SL_OK);
    write_launch(f, 0, &f->first, NULL);
    sl_results_forget_kernels(f->writer);
    f->first.name = "other"; /* the same address, another kernel */
    write_launch(f, 1, &f->first, NULL);
    sl_results_writer_close(f->writer, true);
    assert_int_equal(sl_results_read(f->folder, 0, look, &s, &summary, NULL), SL_OK);
    assert_string_equal(s.names, "first other ");
}

static sl_status count_only(void *context, const sl_launch_result *r, sl_error *error)
{
    (void)r, (void)error;
    ++*(unsigned *)context;
    return SL_OK;
}

static void a_file_cut_anywhere_is_read_up_to_the_cut(void **state)
{
    fixture *f = *state;
    char path[128], data[8192];
    sl_results_summary summary;
    unsigned before = 0;
    write_three(f);
    sl_results_writer_close(f->writer, true);
    FILE *file = fopen(sl_results_path(f->folder, 0, path, sizeof path), "rb");
    size_t bytes = fread(data, 1, sizeof data, file);
    fclose(file);
    for (size_t cut = 8; cut <= bytes; cut++) {
        char *part = malloc(cut);
        unsigned launches = 0;
        memcpy(part, data, cut);
        assert_int_equal(sl_results_parse(part, cut, count_only, &launches, &summary, NULL), SL_OK);
        assert_in_range(launches, before, before + 1);
        assert_int_equal(summary.finished, cut == bytes);
        before = launches;
        free(part);
    }
    assert_int_equal(before, 3);
    assert_int_equal(sl_results_parse("nonsense", 8, count_only, NULL, &summary, NULL), SL_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(launches_come_back_in_order_with_their_kernels_and_failures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_crash_keeps_every_launch_that_had_finished, set_up, tear_down),
        cmocka_unit_test_setup_teardown(processes_number_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_of_a_new_device_are_told_from_those_before_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_cut_anywhere_is_read_up_to_the_cut, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
