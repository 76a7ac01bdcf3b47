/* The library as programs outside of it see it: through its public headers alone. */
#include <sluice/sluice.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static void machine_is_made_by_name_with_settings(void **state)
{
    (void)state;
    static const char *const settings[] = {"L1.size=32K", "L1.ways=8", "cores=2"};
    sl_machine *machine;
    sl_error error;
    uint64_t value;
    assert_int_equal(sl_machine_create("fermi-gtx470", settings, 3, &machine, &error), SL_OK);
    assert_string_equal(sl_machine_name(machine), "fermi-gtx470");
    assert_int_equal(sl_machine_levels(machine), 2);
    assert_string_equal(sl_machine_level_name(machine, 1), "L2");
    assert_int_equal(sl_machine_number(machine, "L1.size", &value, &error), SL_OK);
    assert_int_equal(value, 32768);
    assert_int_equal(sl_machine_number(machine, "L1.sets", &value, &error), SL_OK);
    assert_int_equal(value, 32); /* 32 KiB, 8 ways, lines of 128 bytes */
    assert_int_equal(sl_machine_number(machine, "cores", &value, &error), SL_OK);
    assert_int_equal(value, 2);
    sl_machine_destroy(machine);
}

static void wrong_machines_and_keys_are_told_with_the_nearest_right_one(void **state)
{
    (void)state;
    sl_machine *machine;
    sl_error error;
    uint64_t value;
    assert_int_equal(sl_machine_create("h20", NULL, 0, &machine, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "h200"));
    assert_null(machine);
    assert_int_equal(sl_machine_create("h200", NULL, 0, &machine, &error), SL_OK);
    assert_int_equal(sl_machine_number(machine, "L1.way", &value, &error), SL_SYNTAX);
    assert_non_null(strstr(error.text, "ways"));
    assert_int_equal(sl_machine_number(machine, "L5.ways", &value, &error), SL_NOT_FOUND);
    assert_int_equal(sl_machine_number(machine, "L1.replacement", &value, &error), SL_INVALID);
    assert_int_equal(sl_machine_number(machine, "", &value, &error), SL_SYNTAX);
    sl_machine_destroy(machine);
}

static void every_machine_that_is_listed_can_be_made(void **state)
{
    (void)state;
    assert_true(sl_machine_count() > 0);
    for (size_t i = 0; i < sl_machine_count(); i++) {
        sl_machine *machine;
        sl_error error;
        size_t bytes;
        assert_int_equal(sl_machine_create(sl_machine_name_at(i), NULL, 0, &machine, &error), SL_OK);
        assert_non_null(sl_machine_text_at(i, &bytes));
        assert_true(bytes > 0);
        sl_machine_destroy(machine);
    }
}

/* ---- the model ---- */

/* One block of one warp that loads the same 128 bytes twice. */
static void write_trace(const char *path)
{
    static const sl_inst inst = {
        .op_class = SL_CLASS_MEMORY, .space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4};
    static const sl_trace_bb bb = {0, 1};
    static const uint32_t memory_inst[] = {0};
    const sl_trace_kernel kernel = {.symbol = "twice",
                                    .name = "twice",
                                    .insts = 1,
                                    .inst = &inst,
                                    .bbs = 1,
                                    .bb = &bb,
                                    .mem_slots = 1,
                                    .mem_inst = memory_inst,
                                    .strings = "",
                                    .strings_bytes = 1};
    sl_trace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .lanes = 32, .blocks_recorded = 1};
    uint64_t address[32];
    for (uint64_t i = 0; i < 32; i++)
        address[i] = 0x1000 + 4 * i;
    sl_warp_stream stream;
    assert_true(sl_warp_stream_init(&stream, 1, 32));
    for (int i = 0; i < 2; i++) {
        sl_warp_stream_step(&stream, 0, UINT32_MAX);
        sl_warp_stream_access(&stream, 0, UINT32_MAX, address);
    }
    sl_warp_stream_end(&stream);
    const sl_warp_view warp = {0, stream.control.data, stream.memory.data, stream.control.count, stream.memory.count};
    sl_trace_writer *writer;
    sl_error error;
    assert_int_equal(sl_trace_writer_create(path, "test", 3, &writer, &error), SL_OK);
    assert_int_equal(sl_trace_writer_kernel(writer, &kernel, &launch.kernel, &error), SL_OK);
    assert_int_equal(sl_trace_writer_begin(writer, &launch, NULL, 0, &error), SL_OK);
    assert_int_equal(sl_trace_writer_block(writer, &(sl_block_view){0, 0, true, 1, &warp}, &error), SL_OK);
    assert_int_equal(sl_trace_writer_end(writer, false, &error), SL_OK);
    assert_int_equal(sl_trace_writer_close(writer, &error), SL_OK);
    sl_warp_stream_fini(&stream);
}

static uint64_t count(const sl_counts *counts, const char *name)
{
    sl_error error;
    uint64_t value;
    assert_int_equal(sl_counts_value(counts, name, &value, &error), SL_OK);
    return value;
}

static void launch_is_modelled_and_its_counters_are_asked_by_name(void **state)
{
    (void)state;
    char path[] = "/tmp/test_library_XXXXXX";
    sl_machine *machine;
    sl_trace *trace;
    sl_model_result *result;
    sl_error error;
    uint64_t value = 1;
    close(mkstemp(path));
    write_trace(path);
    assert_int_equal(sl_machine_create("h200", NULL, 0, &machine, &error), SL_OK);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    assert_int_equal(sl_model_trace(machine, trace, 0, NULL, NULL, &result, &error), SL_OK);
    sl_trace_close(trace);
    sl_machine_destroy(machine);
    /* The result outlives both. */
    assert_int_equal(count(sl_model_total(result), "ld_requests"), 2);
    assert_int_equal(count(sl_model_total(result), "ld_sectors"), 8);
    assert_int_equal(count(sl_model_total(result), "ld_sector_hits"), 4);
    assert_int_equal(count(sl_model_total(result), "compulsory_sectors"), 4);
    assert_int_equal(count(sl_model_slot(result, 0), "ld_sectors"), 8);
    assert_true(sl_model_resident_blocks(result) > 0);
    assert_true(sl_model_l1_bytes(result) > 0);
    assert_int_equal(sl_counts_value(sl_model_total(result), "ld_sector", &value, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "ld_sectors"));
    assert_int_equal(sl_counts_value(sl_model_total(result), "time_ns", &value, &error), SL_UNSUPPORTED);
    assert_int_equal(value, 0);
    sl_model_result_destroy(result);
    unlink(path);
}

static void launch_that_is_not_there_and_warps_of_another_width_are_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/test_library_XXXXXX";
    sl_machine *machine;
    sl_trace *trace;
    sl_model_result *result;
    sl_error error;
    close(mkstemp(path));
    write_trace(path);
    assert_int_equal(sl_machine_create("hd7770", NULL, 0, &machine, &error), SL_OK);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    assert_int_equal(sl_model_trace(machine, trace, 1, NULL, NULL, &result, &error), SL_NOT_FOUND);
    assert_null(result);
    assert_int_equal(sl_model_trace(machine, trace, 0, NULL, NULL, &result, &error), SL_INVALID);
    assert_null(result);
    sl_trace_close(trace);
    sl_machine_destroy(machine);
    unlink(path);
}

static void counters_have_names_units_and_meanings(void **state)
{
    (void)state;
    assert_true(sl_counter_count() > 0);
    for (size_t i = 0; i < sl_counter_count(); i++) {
        const sl_counter_info *info = sl_counter_at(i);
        assert_true(*info->name && *info->unit && *info->meaning);
    }
}

static void version_is_the_one_it_was_built_with(void **state)
{
    (void)state;
    assert_string_equal(sl_version(), SLUICE_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_is_made_by_name_with_settings),
        cmocka_unit_test(wrong_machines_and_keys_are_told_with_the_nearest_right_one),
        cmocka_unit_test(every_machine_that_is_listed_can_be_made),
        cmocka_unit_test(launch_is_modelled_and_its_counters_are_asked_by_name),
        cmocka_unit_test(launch_that_is_not_there_and_warps_of_another_width_are_refused),
        cmocka_unit_test(counters_have_names_units_and_meanings),
        cmocka_unit_test(version_is_the_one_it_was_built_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
