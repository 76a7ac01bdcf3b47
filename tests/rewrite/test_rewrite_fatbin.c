/* SPDX-License-Identifier: MIT */
#include "rewrite/fatbin.h"

#include <string.h>

#include "bypass/ptx_loads.h"
#include "ptx/fatbin.h"
#include "ptx/ptx_test.h"

/* A plan in which every load of the text that can bypasses L1. */
static void plan_for(const char *text, sl_plan *plan)
{
    sl_ptx_module *module = parse_text(text);
    sl_load_graph graph;
    sl_error error = {0};
    sl_plan_init(plan);
    assert_int_equal(sl_ptx_code_hash(module, &plan->code_hash, &error), SL_OK);
    assert_int_equal(sl_ptx_loads(module, NULL, 80, &plan->arena, &graph, &error), SL_OK);
    plan->load = sl_arena_array(&plan->arena, sl_plan_load, graph.loads + 1);
    for (uint32_t i = 0; i < graph.loads; i++)
        if (graph.load[i].modes >> SL_BYPASS_L1 & 1)
            plan->load[plan->loads++] =
                (sl_plan_load){.function = sl_arena_strdup(&plan->arena, graph.load[i].function),
                               .inst = graph.load[i].inst,
                               .mode = SL_BYPASS_L1};
    assert_true(plan->loads > 0);
    sl_ptx_free(module);
}

static void exchange(const char *file)
{
    char path[512], *plain, *after;
    size_t bytes, length, made_bytes;
    sl_error error = {0};
    sl_fatbin before = {0}, made = {0};
    sl_plan plan;
    void *container = NULL;
    uint32_t texts = 0;
    snprintf(path, sizeof path, SL_TEST_DATA "/fatbin/%s", file);
    char *data = read_file(path, &bytes);
    assert_int_equal(sl_fatbin_add(&before, data, bytes, false, &error), SL_OK);
    const sl_fatbin_entry *entry = sl_fatbin_best_ptx(before.entries.items, before.entries.count, 90);
    assert_non_null(entry);
    assert_int_equal(sl_fatbin_unpack(entry, &plain, &length, &error), SL_OK);
    plan_for(plain, &plan);
    if (sl_fatbin_apply(data, &plan, 80, &container, &made_bytes, &texts, &error))
        fail_msg("%s: %s", file, error.text);
    assert_non_null(container);
    assert_int_equal(sl_fatbin_container_bytes(container), made_bytes);
    assert_int_equal(sl_fatbin_add(&made, container, made_bytes, false, &error), SL_OK);
    assert_int_equal(made.entries.count, 1); /* no machine code that would be preferred */
    assert_int_equal(made.entries.items[0].kind, SL_FATBIN_PTX);
    assert_int_equal(made.entries.items[0].packing, SL_FATBIN_RAW);
    assert_true(made.entries.items[0].sm >= 80);
    assert_int_equal(sl_fatbin_unpack(&made.entries.items[0], &after, &length, &error), SL_OK);
    assert_non_null(strstr(after, "L1::no_allocate"));
    sl_ptx_free(parse_text(after));
    free(after);
    free(container);

    plan.code_hash++; /* of other code */
    assert_int_equal(sl_fatbin_apply(data, &plan, 80, &container, &made_bytes, &texts, &error), SL_OK);
    assert_null(container);
    sl_plan_fini(&plan);
    sl_fatbin_fini(&made);
    sl_fatbin_fini(&before);
    free(plain);
    free(data);
}

static void the_text_of_a_fat_binary_is_exchanged_whatever_its_compression(void **state)
{
    (void)state;
    exchange("nbody.fatbin");
    exchange("tiny_none.fatbin");
    exchange("tiny_speed.fatbin");
    exchange("tiny_size.fatbin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_of_a_fat_binary_is_exchanged_whatever_its_compression)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
