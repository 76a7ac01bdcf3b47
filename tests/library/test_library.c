/* SPDX-License-Identifier: MIT */
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
    assert_int_equal(sl_machine_create("fermi-gtx470", settings, 3, NULL, &machine, &error), SL_OK);
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
    assert_int_equal(sl_machine_create("h20", NULL, 0, NULL, &machine, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "h200"));
    assert_null(machine);
    assert_int_equal(sl_machine_create("h200", NULL, 0, NULL, &machine, &error), SL_OK);
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
        assert_int_equal(sl_machine_create(sl_machine_name_at(i), NULL, 0, NULL, &machine, &error), SL_OK);
        assert_non_null(sl_machine_text_at(i, &bytes));
        assert_true(bytes > 0);
        sl_machine_destroy(machine);
    }
}

/* ---- the model ---- */

/* One block of one warp with one load, which goes to the lines at `line` (128 bytes each), one after the other. */
static void write_lines(const char *path, const uint64_t *line, size_t lines)
{
    static const sl_inst inst = {
        .op_class = SL_CLASS_MEMORY, .space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4};
    static const sl_trace_bb bb = {0, 1};
    static const uint32_t memory_inst[] = {0};
    const sl_trace_kernel kernel = {.symbol = "lines",
                                    .name = "lines",
                                    .insts = 1,
                                    .inst = &inst,
                                    .bbs = 1,
                                    .bb = &bb,
                                    .mem_slots = 1,
                                    .mem_inst = memory_inst,
                                    .strings = "",
                                    .strings_bytes = 1};
    sl_trace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .lanes = 32, .blocks_recorded = 1};
    sl_warp_stream *stream;
    sl_error error;
    assert_int_equal(sl_warp_stream_create(1, 32, &stream, &error), SL_OK);
    for (size_t n = 0; n < lines; n++) {
        uint64_t address[32];
        for (uint64_t i = 0; i < 32; i++)
            address[i] = line[n] + 4 * i;
        sl_warp_stream_step(stream, 0, UINT32_MAX);
        sl_warp_stream_access(stream, 0, UINT32_MAX, address);
    }
    sl_warp_view warp;
    assert_int_equal(sl_warp_stream_end(stream, 0, &warp, &error), SL_OK);
    sl_trace_writer *writer;
    assert_int_equal(sl_trace_writer_create(path, "test", 3, &writer, &error), SL_OK);
    assert_int_equal(sl_trace_writer_kernel(writer, &kernel, &launch.kernel, &error), SL_OK);
    assert_int_equal(sl_trace_writer_begin(writer, &launch, NULL, 0, &error), SL_OK);
    assert_int_equal(sl_trace_writer_block(writer, &(sl_block_view){0, 0, true, 1, &warp}, &error), SL_OK);
    assert_int_equal(sl_trace_writer_end(writer, NULL, &error), SL_OK);
    assert_int_equal(sl_trace_writer_close(writer, &error), SL_OK);
    sl_warp_stream_destroy(stream);
}

/* The same line twice. */
static void write_trace(const char *path)
{
    static const uint64_t lines[] = {0x1000, 0x1000};
    write_lines(path, lines, 2);
}

/* Five lines of one set of fermi-gtx470's L1, twice: 1 MiB apart, no bit of the hash differs. */
static void write_sweep(const char *path)
{
    uint64_t lines[10];
    for (uint64_t n = 0; n < 10; n++)
        lines[n] = 0x10000000 + (n % 5 << 20);
    write_lines(path, lines, 10);
}

static void what_a_warp_accessed_is_read_back_step_by_step(void **state)
{
    (void)state;
    static const uint64_t line[] = {0x1000, 0x9000};
    char path[] = "/tmp/test_library_XXXXXX";
    sl_trace *trace;
    sl_block_walker *walker;
    sl_block_view block;
    sl_warp_cursor *cursor;
    sl_error error;
    bool more;
    close(mkstemp(path));
    write_lines(path, line, 2);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    unlink(path);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(trace, 0);
    assert_false(sl_trace_launch_at(trace, 0)->has_parent);
    assert_false(sl_trace_launch_at(trace, 0)->has_preferred_shared);
    assert_int_equal(sl_warp_cursor_create(kernel, 7, &cursor, &error), SL_INVALID);
    assert_int_equal(sl_warp_cursor_create(kernel, 32, &cursor, &error), SL_OK);
    assert_int_equal(sl_warp_cursor_step(cursor, &more, &error), SL_OK);
    assert_false(more); /* nothing to read yet */
    assert_int_equal(sl_block_walker_create(trace, 0, 0, 1, &walker, &error), SL_OK);
    assert_int_equal(sl_block_walker_next(walker, &block, &more, &error), SL_OK);
    assert_true(more && block.warps == 1);
    sl_warp_cursor_start(cursor, &block.warp[0]);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(sl_warp_cursor_step(cursor, &more, &error), SL_OK);
        assert_true(more);
        assert_int_equal(sl_warp_cursor_bb(cursor), 0);
        assert_int_equal(sl_warp_cursor_mask(cursor), UINT32_MAX);
        assert_int_equal(sl_warp_cursor_access(cursor, &more, &error), SL_OK);
        assert_true(more);
        sl_access *access = sl_warp_cursor_current(cursor);
        sl_access_expand(access, 32);
        assert_int_equal(access->addr[31], line[n] + 4 * 31);
        assert_int_equal(sl_warp_cursor_access(cursor, &more, &error), SL_OK);
        assert_false(more);
    }
    assert_int_equal(sl_warp_cursor_step(cursor, &more, &error), SL_OK);
    assert_false(more);
    sl_warp_cursor_destroy(cursor);
    sl_block_walker_destroy(walker);
    sl_trace_close(trace);
}

static uint64_t count(const sl_counts *counts, const char *name)
{
    sl_error error;
    uint64_t value;
    assert_int_equal(sl_counts_value(counts, name, &value, &error), SL_OK);
    return value;
}

static void launch_is_modeled_and_its_counters_are_asked_by_name(void **state)
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
    assert_int_equal(sl_machine_create("h200", NULL, 0, NULL, &machine, &error), SL_OK);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    assert_int_equal(sl_model_launch(machine, trace, 0, NULL, NULL, &result, &error), SL_OK);
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
    assert_int_equal(sl_machine_create("hd7770", NULL, 0, NULL, &machine, &error), SL_OK);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    assert_int_equal(sl_model_launch(machine, trace, 1, NULL, NULL, &result, &error), SL_NOT_FOUND);
    assert_null(result);
    assert_int_equal(sl_model_launch(machine, trace, 0, NULL, NULL, &result, &error), SL_INVALID);
    assert_null(result);
    sl_trace_close(trace);
    sl_machine_destroy(machine);
    unlink(path);
}

/* ---- policies of one's own ---- */

typedef struct first_way {
    uint64_t number; /* the parameter */
} first_way;

static sl_status first_way_init(void *self, const sl_cache_geometry *shape, const uint64_t *value, sl_arena *arena,
                                sl_error *error)
{
    (void)shape, (void)arena;
    ((first_way *)self)->number = value[0];
    return value[0] == 13 ? sl_fail(error, SL_INVALID, "thirteen is refused") : SL_OK;
}

/* Always the first way that is offered; with parameter 9, one that is not. */
static uint32_t first_way_victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    (void)access;
    return ((first_way *)self)->number == 9 ? 1000 : sl_way_from(evictable, 0);
}

static const sl_param first_way_params[] = {{.name = "number", .default_value = 1, .max = 20, .help = "for tests"},
                                            {0}};
static const sl_policy_ops first_way_policy = {.name = "first_way",
                                               .params = first_way_params,
                                               .state_bytes = sizeof(first_way),
                                               .init = first_way_init,
                                               .victim = first_way_victim};

/* A machine that is not used: its policies are gone when this returns. */
static sl_status create_with(const sl_policy_ops *own, const char *setting, sl_machine **machine, sl_error *error)
{
    const sl_policy_ops *const ops[] = {own};
    const sl_policy_list list = {1, ops};
    return sl_machine_create("fermi-gtx470", &setting, 1, &list, machine, error);
}

static void own_policy_needs_what_a_cache_asks_for(void **state)
{
    (void)state;
    static const sl_param bad_preset[] = {{.name = "number", .default_value = 7, .max = 3}, {0}};
    static const sl_param twice[] = {{.name = "n"}, {.name = "n"}, {0}};
    static const sl_param no_words[] = {{.name = "n", .type = SL_PARAM_WORD}, {0}};
    sl_policy_ops without_init = first_way_policy, without_use = first_way_policy, taken = first_way_policy;
    sl_policy_ops odd_name = first_way_policy, params = first_way_policy;
    sl_machine *machine;
    sl_error error;
    without_init.init = NULL;
    without_use.victim = NULL;
    taken.name = "lru";
    odd_name.name = "a(b";
    assert_int_equal(create_with(&without_init, "cores=2", &machine, &error), SL_INVALID);
    assert_string_equal(error.text, "policy 'first_way' has no init");
    assert_int_equal(create_with(&without_use, "cores=2", &machine, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "neither chooses victims"));
    assert_int_equal(create_with(&taken, "cores=2", &machine, &error), SL_INVALID);
    assert_string_equal(error.text, "two policies are called 'lru'");
    assert_int_equal(create_with(&odd_name, "cores=2", &machine, &error), SL_INVALID);
    params.params = bad_preset;
    assert_int_equal(create_with(&params, "cores=2", &machine, &error), SL_INVALID);
    assert_string_equal(error.text, "policy 'first_way': 'number' is from 0 to 3, but its default is 7");
    params.params = twice;
    assert_int_equal(create_with(&params, "cores=2", &machine, &error), SL_INVALID);
    assert_string_equal(error.text, "policy 'first_way' has two parameters 'n'");
    params.params = no_words;
    assert_int_equal(create_with(&params, "cores=2", &machine, &error), SL_INVALID);
    assert_string_equal(error.text, "policy 'first_way': parameter 'n' has no words");
}

static void own_policy_is_named_by_levels_like_the_built_in_ones(void **state)
{
    (void)state;
    sl_machine *machine;
    sl_error error;
    assert_int_equal(create_with(&first_way_policy, "L1.replacement=first_way(number=3)", &machine, &error), SL_OK);
    sl_machine_destroy(machine);
    assert_int_equal(create_with(&first_way_policy, "L2.replacement=first_way", &machine, &error), SL_OK);
    sl_machine_destroy(machine);
    assert_int_not_equal(create_with(&first_way_policy, "L1.replacement=first_wy", &machine, &error), SL_OK);
    assert_non_null(strstr(error.text, "first_way"));
    assert_int_not_equal(create_with(&first_way_policy, "L1.replacement=first_way(nummer=3)", &machine, &error), SL_OK);
    assert_non_null(strstr(error.text, "did you mean 'number'?"));
    assert_int_not_equal(
        sl_machine_create("h200", (const char *[]){"L1.replacement=first_way"}, 1, NULL, &machine, &error), SL_OK);
}

static sl_status model_with(const char *setting, sl_model_result **result, sl_error *error)
{
    const sl_policy_ops *const ops[] = {&first_way_policy};
    const sl_policy_list list = {1, ops};
    char path[] = "/tmp/test_library_XXXXXX";
    sl_machine *machine;
    sl_trace *trace;
    close(mkstemp(path));
    write_sweep(path);
    assert_int_equal(sl_machine_create("fermi-gtx470", &setting, 1, &list, &machine, error), SL_OK);
    assert_int_equal(sl_trace_open(path, &trace, NULL, error), SL_OK);
    sl_status status = sl_model_launch(machine, trace, 0, NULL, NULL, result, error);
    sl_trace_close(trace);
    sl_machine_destroy(machine);
    unlink(path);
    return status;
}

static void own_policy_decides_what_hits(void **state)
{
    (void)state;
    sl_model_result *lru, *own;
    sl_error error;
    assert_int_equal(model_with("L1.replacement=lru", &lru, &error), SL_OK);
    assert_int_equal(model_with("L1.replacement=first_way", &own, &error), SL_OK);
    /* Five lines of one set of four ways, twice: LRU evicts each before its use. The other one loses the first and then
     * the fifth line alone. */
    assert_int_equal(count(sl_model_total(lru), "ld_sectors"), 10);
    assert_int_equal(count(sl_model_total(lru), "ld_sector_hits"), 0);
    assert_int_equal(count(sl_model_total(own), "ld_sector_hits"), 3);
    sl_model_result_destroy(lru);
    sl_model_result_destroy(own);
}

static void own_policy_that_fails_or_errs_is_told_by_name(void **state)
{
    (void)state;
    sl_model_result *result;
    sl_error error;
    assert_int_equal(model_with("L1.replacement=first_way(number=13)", &result, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "thirteen is refused"));
    assert_int_equal(model_with("L1.replacement=first_way(number=9)", &result, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "policy 'first_way' chose way 1000, which is not evictable"));
}

/* ---- the simulator ---- */

static sl_status nothing_init(void *self, const sl_cache_geometry *shape, const uint64_t *value, sl_arena *arena,
                              sl_error *error)
{
    (void)self, (void)shape, (void)value, (void)arena, (void)error;
    return SL_OK;
}

static sl_admission past_admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    (void)access, (void)choices;
    ++*(uint64_t *)self;
    return SL_BYPASS;
}

static void past_report(const void *self, const sl_policy_statistics *statistics)
{
    statistics->number(statistics->to, "past", *(const uint64_t *)self);
}

static const sl_policy_ops past_policy = {.name = "past",
                                          .state_bytes = sizeof(uint64_t),
                                          .keeps = true,
                                          .init = nothing_init,
                                          .admit = past_admit,
                                          .report = past_report};
static const sl_policy_ops *const sim_own[] = {&past_policy};
static const sl_policy_list sim_policies = {1, sim_own};

/* A simulator of a GTX 480, and the trace of two loads of one line. */
static sl_status start(const char *setting, const sl_sim_setup *setup, sl_sim **sim, sl_trace **trace, sl_error *error)
{
    char path[] = "/tmp/test_library_XXXXXX";
    sl_machine *machine;
    close(mkstemp(path));
    write_trace(path);
    assert_int_equal(sl_trace_open(path, trace, NULL, error), SL_OK);
    unlink(path);
    assert_int_equal(sl_machine_create("fermi-gtx480", &setting, setting ? 1 : 0, &sim_policies, &machine, error),
                     SL_OK);
    sl_status status = sl_sim_create(machine, setup, sim, error);
    sl_machine_destroy(machine);
    return status;
}

static uint64_t level_count(const sl_sim_result *result, uint32_t level, const char *name)
{
    sl_error error;
    double value;
    assert_int_equal(sl_sim_level_value(result, level, name, &value, &error), SL_OK);
    return (uint64_t)value;
}

static uint64_t run_and_count(sl_sim *sim, const sl_trace *trace, const uint8_t *past, const char *name)
{
    sl_sim_result *result;
    sl_error error;
    assert_int_equal(sl_sim_run(sim, trace, 0, past, &result, &error), SL_OK);
    uint64_t value = count(sl_sim_total(result), name);
    sl_sim_result_destroy(result);
    return value;
}

static void launch_is_simulated_and_its_levels_are_asked_by_name(void **state)
{
    (void)state;
    sl_sim *sim;
    sl_trace *trace;
    sl_sim_result *result;
    sl_error error;
    double value = 1;
    assert_int_equal(start(NULL, NULL, &sim, &trace, &error), SL_OK);
    assert_int_equal(sl_sim_run(sim, trace, 0, NULL, &result, &error), SL_OK);
    sl_trace_close(trace);
    sl_sim_destroy(sim);
    /* The result outlives both. The second load finds the line in flight. */
    assert_true(count(sl_sim_total(result), "cycles") > 100);
    assert_int_equal(count(sl_sim_slot(result, 0), "ld_requests"), 2);
    assert_int_equal(level_count(result, 0, "accesses"), 2);
    assert_int_equal(level_count(result, 0, "misses"), 1);
    assert_int_equal(level_count(result, 0, "pending"), 1);
    assert_int_equal(level_count(result, 1, "misses"), 1);
    assert_int_equal(sl_sim_level_value(result, 0, "mises", &value, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "misses"));
    assert_int_equal(value, 0);
    assert_int_equal(sl_sim_level_value(result, 1000, "misses", &value, &error), SL_NOT_FOUND);
    sl_sim_result_destroy(result);
}

static void launches_find_what_others_left_in_shared_caches_unless_they_are_cold(void **state)
{
    (void)state;
    sl_sim *sim;
    sl_trace *trace;
    sl_error error;
    assert_int_equal(start(NULL, NULL, &sim, &trace, &error), SL_OK);
    assert_true(run_and_count(sim, trace, NULL, "dram_read_sectors") > 0);
    assert_int_equal(run_and_count(sim, trace, NULL, "dram_read_sectors"), 0);
    sl_sim_destroy(sim);
    sl_trace_close(trace);
    assert_int_equal(start(NULL, &(sl_sim_setup){.seed = 1, .cold = true}, &sim, &trace, &error), SL_OK);
    uint64_t cycles = run_and_count(sim, trace, NULL, "cycles");
    assert_int_equal(run_and_count(sim, trace, NULL, "cycles"), cycles);
    sl_sim_destroy(sim);
    sl_trace_close(trace);
}

static void add_number(void *to, const char *name, uint64_t number)
{
    assert_string_equal(name, "past");
    *(uint64_t *)to += number;
}

static void loads_go_past_a_level_by_a_policy_of_ones_own_or_one_by_one(void **state)
{
    (void)state;
    static const uint8_t first_level[] = {1};
    sl_sim *sim;
    sl_trace *trace;
    sl_sim_result *result;
    sl_error error;
    uint64_t told = 0;
    assert_int_equal(start("L1.bypass=past", NULL, &sim, &trace, &error), SL_OK);
    assert_int_equal(sl_sim_run(sim, trace, 0, NULL, &result, &error), SL_OK);
    assert_int_equal(level_count(result, 0, "bypasses"), 2);
    assert_int_equal(level_count(result, 0, "misses"), 0);
    sl_sim_policy_report(sim, 0, true, &(sl_policy_statistics){add_number, &told});
    assert_int_equal(told, 2);
    sl_sim_result_destroy(result);
    sl_sim_destroy(sim);
    sl_trace_close(trace);
    assert_int_equal(start(NULL, NULL, &sim, &trace, &error), SL_OK);
    assert_int_equal(sl_sim_run(sim, trace, 0, first_level, &result, &error), SL_OK);
    assert_int_equal(level_count(result, 0, "bypasses"), 2);
    sl_sim_result_destroy(result);
    sl_sim_destroy(sim);
    sl_trace_close(trace);
}

static void what_the_simulator_cannot_do_alone_is_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {"L1.bypass=profiled", "L1.bypass=pdp(pd=best)"};
    sl_sim *sim;
    sl_trace *trace;
    sl_sim_result *result;
    sl_error error;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(start(refused[i], NULL, &sim, &trace, &error), SL_UNSUPPORTED);
        assert_non_null(strstr(error.text, "sluice sim"));
        assert_null(sim);
        sl_trace_close(trace);
    }
    assert_int_equal(start(NULL, NULL, &sim, &trace, &error), SL_OK);
    assert_int_equal(sl_sim_run(sim, trace, 1, NULL, &result, &error), SL_NOT_FOUND);
    assert_null(result);
    sl_sim_destroy(sim);
    sl_trace_close(trace);
}

/* ---- recordings ---- */

static double value_of(const sl_result *result, const char *name)
{
    for (size_t i = 0; i < sl_result_value_count(result); i++)
        if (!strcmp(sl_result_value_name(result, i), name))
            return sl_result_value_at(result, i);
    fail_msg("the result has no '%s'", name);
    return 0;
}

static sl_recording *record_gesummv(void)
{
    char name[] = "gesummv", size[] = "small";
    sl_recording *recording;
    sl_error error;
    assert_int_equal(sl_recording_create(&(sl_source){.name = name, .size = size}, NULL, &recording, &error), SL_OK);
    memset(name, '?', sizeof name - 1); /* the recording has its own */
    memset(size, '?', sizeof size - 1);
    return recording;
}

static double cycles_with(const sl_recording *recording, const sl_machine *machine, const char *plan)
{
    sl_result *result;
    sl_error error;
    const sl_settings settings = {.seed = 1, .plan = plan};
    assert_int_equal(sl_analysis_run(recording, machine, "sim", &settings, NULL, NULL, &result, &error), SL_OK);
    double cycles = value_of(result, "cycles");
    sl_result_destroy(result);
    return cycles;
}

static void a_plan_that_tuning_writes_is_simulated_and_faster(void **state)
{
    (void)state;
    char path[] = "/tmp/test_library_XXXXXX";
    sl_machine *machine;
    sl_tune_result *tuned;
    sl_result *result;
    sl_error error;
    sl_recording *recording = record_gesummv();
    close(mkstemp(path));
    assert_int_equal(sl_machine_create("fermi-gtx480", NULL, 0, NULL, &machine, &error), SL_OK);
    const sl_tune_settings settings = {.select = "PassL0/1", .controls = "L1", .seed = 1};
    assert_int_equal(sl_tune_recording(recording, machine, &settings, NULL, NULL, &tuned, &error), SL_OK);
    assert_int_equal(sl_tune_result_count(tuned), 1);
    const sl_tuned_launch *launch = sl_tune_result_at(tuned, 0);
    assert_string_equal(launch->kernel, "gesummv_kernel");
    assert_int_equal(launch->launches, 1);
    assert_int_equal(launch->chosen, launch->loads); /* every load bypasses L1 */
    assert_true(launch->tuned_cycles < launch->cycles);
    assert_int_equal(sl_tune_result_save(tuned, path, &error), SL_OK);
    assert_null(sl_tune_result_at(tuned, 1));
    sl_tune_result_destroy(tuned);
    assert_true(cycles_with(recording, machine, path) < cycles_with(recording, machine, NULL));
    const sl_settings planned = {.seed = 1, .plan = path};
    assert_int_equal(sl_analysis_run(recording, machine, "model", &planned, NULL, NULL, &result, &error), SL_INVALID);
    sl_machine_destroy(machine);
    sl_recording_destroy(recording);
    unlink(path);
}

static void what_cannot_be_tuned_is_said(void **state)
{
    (void)state;
    sl_machine *machine;
    sl_tune_result *tuned;
    sl_error error;
    sl_recording *recording = record_gesummv();
    assert_int_equal(sl_machine_create("fermi-gtx480", NULL, 0, NULL, &machine, &error), SL_OK);
    const sl_tune_settings wrong[] = {
        {.select = "hours", .seed = 1}, {.controls = "L9", .seed = 1}, {.kernel = "none", .seed = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_not_equal(sl_tune_recording(recording, machine, &wrong[i], NULL, NULL, &tuned, &error), SL_OK);
        assert_null(tuned);
    }
    assert_non_null(strstr(error.text, "no kernel of gesummv matches 'none'"));
    sl_machine_destroy(machine);
    sl_recording_destroy(recording);
}

/* ---- the rest ---- */

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
        cmocka_unit_test(what_a_warp_accessed_is_read_back_step_by_step),
        cmocka_unit_test(launch_is_modeled_and_its_counters_are_asked_by_name),
        cmocka_unit_test(launch_that_is_not_there_and_warps_of_another_width_are_refused),
        cmocka_unit_test(own_policy_needs_what_a_cache_asks_for),
        cmocka_unit_test(own_policy_is_named_by_levels_like_the_built_in_ones),
        cmocka_unit_test(own_policy_decides_what_hits),
        cmocka_unit_test(own_policy_that_fails_or_errs_is_told_by_name),
        cmocka_unit_test(launch_is_simulated_and_its_levels_are_asked_by_name),
        cmocka_unit_test(launches_find_what_others_left_in_shared_caches_unless_they_are_cold),
        cmocka_unit_test(loads_go_past_a_level_by_a_policy_of_ones_own_or_one_by_one),
        cmocka_unit_test(what_the_simulator_cannot_do_alone_is_refused),
        cmocka_unit_test(a_plan_that_tuning_writes_is_simulated_and_faster),
        cmocka_unit_test(what_cannot_be_tuned_is_said),
        cmocka_unit_test(counters_have_names_units_and_meanings),
        cmocka_unit_test(version_is_the_one_it_was_built_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
