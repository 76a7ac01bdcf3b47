/* SPDX-License-Identifier: MIT */
/* What the model expects of cache controls before any is timed. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "recorded.h"
#include "tune/ptx_loads.h"
#include "tune/ranking.h"

static sl_error error;

/* The value of one mode of the loads of a parameter; NaN: it has none. */
static double expected_of(const sl_ranking *ranking, const sl_load_graph *graph, const char *array, unsigned mode)
{
    uint8_t choice[64] = {0};
    bool any = false;
    assert_true(graph->nodes <= sizeof choice);
    for (uint32_t i = 0; i < graph->nodes; i++)
        if (graph->load[i].array && !strcmp(graph->load[i].array, array) && graph->load[i].modes >> mode & 1) {
            choice[i] = (uint8_t)mode;
            any = true;
        }
    return any ? ranking->predict(ranking, choice) : NAN;
}

static double expected_of_setting(const sl_ranking *ranking, const sl_load_graph *graph, uint32_t setting,
                                  unsigned mode)
{
    uint8_t choice[64] = {0};
    for (uint32_t i = 0; i < graph->nodes; i++)
        if (graph->load[i].node == SL_NODE_KERNEL && graph->load[i].inst == setting)
            choice[i] = (uint8_t)mode;
    return ranking->predict(ranking, choice);
}

/* ---- from a trace ---- */

typedef struct ranked {
    sl_trace *trace;
    sl_machine machine;
    sl_ptx_module *module;
    sl_load_graph graph;
    sl_arena arena;
    sl_ranking ranking;
} ranked;

static void rank(ranked *r, const char *name, const char *const *set, size_t sets, const char *const *machine,
                 size_t settings)
{
    const sl_workload *workload;
    sl_loaded *loaded;
    uint32_t node_of[64];
    sl_arena_init(&r->arena);
    r->trace = record(name, 32, set, sets);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(r->trace, 0);
    assert_true(kernel->mem_slots <= 64);
    if (sl_machine_load_with("h200", machine, settings, &r->machine, &error) ||
        sl_workload_find(name, &workload, &error) ||
        sl_ptx_parse(workload->ptx, (size_t)(workload->ptx_end - workload->ptx), name, &r->module, &error) ||
        sl_ptx_loads(r->module, sl_ptx_find(r->module, kernel->symbol), 90, &r->arena, &r->graph, &error) ||
        sl_loaded_create(r->trace, 0, NULL, &loaded, &error))
        fail_msg("%s", error.text);
    for (uint32_t slot = 0; slot < kernel->mem_slots; slot++)
        node_of[slot] = sl_ptx_load_of(&r->graph, &kernel->inst[kernel->mem_inst[slot]]);
    if (sl_rank_loads(&r->machine, loaded, 1, &r->graph, node_of, 1, NULL, &r->arena, &r->ranking, &error))
        fail_msg("%s", error.text);
    sl_loaded_destroy(loaded);
}

static void forget(ranked *r)
{
    sl_ptx_free(r->module);
    sl_trace_close(r->trace);
    sl_arena_fini(&r->arena);
}

/* Parameter 0 is the table, parameter 1 the stream; cores do what they do at the default size, where there are 132. */
static void a_stream_beside_a_table_in_l1_should_bypass_l1(void **state)
{
    (void)state;
    static const char *const set[] = {"table=224", "blocks=4", "threads=512", "steps=16"}, *const cores[] = {"cores=4"};
    ranked r;
    rank(&r, "table_stream_l1", set, 4, cores, 1);
    double stream = expected_of(&r.ranking, &r.graph, "param_1", SL_BYPASS_L1),
           table = expected_of(&r.ranking, &r.graph, "param_0", SL_BYPASS_L1);
    assert_true(stream > 0 && table < 0);
    assert_true(expected_of(&r.ranking, &r.graph, "param_1", SL_BYPASS_L1_FIRST) > 0);
    assert_true(expected_of(&r.ranking, &r.graph, "param_0", SL_BYPASS_L1_LAST) > 0);
    assert_true(expected_of(&r.ranking, &r.graph, "param_1", SL_BYPASS_L1_LAST) == 0); /* it never comes back */
    assert_true(expected_of_setting(&r.ranking, &r.graph, SL_SETTING_CARVE_OUT, SL_BYPASS_CARVE_L1) > 0);
    /* everything fits L2 */
    assert_true(expected_of(&r.ranking, &r.graph, "param_1", SL_BYPASS_L2) == 0);
    assert_true(expected_of(&r.ranking, &r.graph, "param_0", SL_BYPASS_L2) == 0);
    assert_true(expected_of(&r.ranking, &r.graph, "param_1", SL_BYPASS_FETCH_128) == 0);
    assert_string_equal(r.ranking.text, "by model h200");
    forget(&r);
}

static void a_stream_beside_a_table_in_l2_should_be_evicted_first(void **state)
{
    (void)state;
    static const char *const set[] = {"table=1536", "blocks=16", "threads=256", "steps=56"}, *const small[] = {
                                                                                                 "cores=4",
                                                                                                 "L2.size=3M"};
    ranked r;
    rank(&r, "table_stream_l2", set, 4, small, 2);
    double stream = expected_of(&r.ranking, &r.graph, "param_1", SL_BYPASS_L2),
           table = expected_of(&r.ranking, &r.graph, "param_0", SL_BYPASS_L2);
    assert_true(stream > 0 && stream > table);
    assert_true(expected_of(&r.ranking, &r.graph, "param_1", SL_BYPASS_L2_FIRST_HALF) > 0);
    assert_true(expected_of(&r.ranking, &r.graph, "param_0", SL_BYPASS_L2_LAST) > 0);
    assert_true(expected_of_setting(&r.ranking, &r.graph, SL_SETTING_WINDOW, SL_BYPASS_WINDOW) > 0);
    forget(&r);
}

/* ---- a launch of another device ---- */

typedef struct other {
    const char *array;  /* of the stream */
    uint64_t max_bytes; /* as of sl_rank_options, as the next */
    double seconds;
    double stream, table;
    char text[256];
} other;

static sl_status rank_first(void *context, sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *failure)
{
    other *o = context;
    char scratch[] = "/tmp/test-rank-XXXXXX";
    sl_arena arena;
    sl_load_graph graph;
    sl_ranking ranking;
    sl_arena_init(&arena);
    assert_non_null(mkdtemp(scratch));
    const sl_rank_options options = {.scratch = scratch, .seconds = o->seconds, .max_bytes = o->max_bytes};
    if (sl_ptx_loads(sl_device_module_ptx(kernel->module), sl_device_kernel_func(kernel), 90, &arena, &graph,
                     failure) ||
        sl_rank_launch(kernel, launch, &graph, &options, &arena, &ranking, failure))
        fail_msg("%s", failure->text);
    assert_int_equal(rmdir(scratch), 0); /* nothing is left there */
    snprintf(o->text, sizeof o->text, "%s", ranking.text);
    if (ranking.predict) {
        o->stream = expected_of(&ranking, &graph, o->array, SL_BYPASS_L1);
        o->table = expected_of(&ranking, &graph, "param_0", SL_BYPASS_L1);
    }
    sl_arena_fini(&arena);
    return sl_device_launch_now(kernel, launch, failure);
}

static void run_ranked(const char *name, const char *const *set, size_t sets, other *o)
{
    sl_device *device = NULL;
    const sl_workload *workload;
    const sl_device_config config = {.launching = rank_first, .launching_context = o};
    const sl_workload_options options = {.size = "small", .sets = sets, .set = set, .seed = 1};
    if (sl_workload_find(name, &workload, &error) || sl_device_open("emu", &config, &device, &error) ||
        sl_workload_run(workload, device, &options, NULL, &error)) /* its result is right, too */
        fail_msg("%s", error.text);
    sl_device_close(device);
}

static void a_launch_is_ranked_on_copies_of_its_memory(void **state)
{
    (void)state;
    static const char *const set[] = {"table=224", "blocks=132", "threads=512", "steps=8"};
    other o = {.array = "param_1"};
    run_ranked("table_stream_l1", set, 4, &o);
    assert_string_equal(o.text, "by model h200, 132 of 132 blocks");
    assert_true(o.stream > 0 && o.table < 0);
}

/* The time is over after the first block, which one SM runs as it would next to the others. */
static void of_a_long_launch_the_first_blocks_are_recorded(void **state)
{
    (void)state;
    static const char *const set[] = {"table=224", "blocks=132", "threads=512", "steps=16"};
    other o = {.array = "param_1", .seconds = 1e-9};
    run_ranked("table_stream_l1", set, 4, &o);
    assert_string_equal(o.text, "by model h200, 1 of 132 blocks");
    assert_true(o.stream > 0 && o.table < 0);
}

static void more_memory_than_allowed_is_not_copied(void **state)
{
    (void)state;
    static const char *const set[] = {"table=16", "blocks=4", "threads=64", "steps=10"};
    other o = {.array = "param_1", .max_bytes = 128 << 10};
    run_ranked("table_stream_l1", set, 4, &o);
    assert_string_equal(o.text, "by model h200, 4 of 4 blocks");
    o.max_bytes = 32 << 10;
    run_ranked("table_stream_l1", set, 4, &o);
    assert_string_equal(o.text, "not ranked: its arguments point to 58368 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_beside_a_table_in_l1_should_bypass_l1),
        cmocka_unit_test(a_stream_beside_a_table_in_l2_should_be_evicted_first),
        cmocka_unit_test(a_launch_is_ranked_on_copies_of_its_memory),
        cmocka_unit_test(of_a_long_launch_the_first_blocks_are_recorded),
        cmocka_unit_test(more_memory_than_allowed_is_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
