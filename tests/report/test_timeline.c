/* SPDX-License-Identifier: MIT */
/* Timelines of events made by hand. */
#include <stdlib.h>
#include <string.h>

#include "report/timeline.h"
#include "support.h"

static sl_machine two_levels(void)
{
    sl_machine machine;
    sl_error error;
    static const char *const settings[] = {"cores=1", "core.schedulers=1", "L2.banks=2"};
    assert_int_equal(sl_machine_load_with("fermi-gtx480", settings, 3, &machine, &error), SL_OK);
    return machine;
}

/* The text of a timeline of cycles 10 … 19, made by `tell`. */
static char *timeline(void (*tell)(const sl_sim_observer *))
{
    char *text = NULL;
    size_t bytes;
    sl_error error;
    FILE *file = open_memstream(&text, &bytes);
    sl_machine machine = two_levels();
    sl_timeline *t = sl_timeline_create(file, 10, 19);
    const sl_sim_observer *l = sl_timeline_observer(t);
    l->launch(l->to, &machine, NULL);
    tell(l);
    assert_int_equal(sl_timeline_finish(t, &error), SL_OK);
    sl_timeline_destroy(t);
    fclose(file);
    return text;
}

static void schedule(const sl_sim_observer *l)
{
    l->scheduler(l->to, 0, 0, SL_CYCLE_DATA, 0, 12);
    l->scheduler(l->to, 0, 0, SL_CYCLE_ISSUE, 12, 13);
    l->scheduler(l->to, 0, 0, SL_CYCLE_ISSUE, 13, 14);
    l->scheduler(l->to, 0, 0, SL_CYCLE_IDLE, 14, 16);
    l->scheduler(l->to, 0, 0, SL_CYCLE_BARRIER, 16, 100);
}

static void cycles_are_cut_to_the_window_and_joined_where_they_are_alike(void **state)
{
    (void)state;
    char *text = timeline(schedule);
    assert_non_null(strstr(text, "\"name\":\"wait for data\",\"pid\":1,\"tid\":0,\"ts\":10,\"dur\":2}"));
    assert_non_null(strstr(text, "\"name\":\"issue\",\"pid\":1,\"tid\":0,\"ts\":12,\"dur\":2}"));
    assert_non_null(strstr(text, "\"name\":\"barrier\",\"pid\":1,\"tid\":0,\"ts\":16,\"dur\":4}"));
    assert_null(strstr(text, "\"name\":\"idle\""));
    free(text);
}

static void fill_banks(const sl_sim_observer *l)
{
    l->bank(l->to, 0, 0, 9, 1, 0);
    l->bank(l->to, 0, 0, 11, 2, 0);
    l->bank(l->to, 0, 0, 12, 2, 0);
    l->bank(l->to, 1, 0, 12, 0, 5);
    l->bank(l->to, 1, 1, 12, 0, 6);
    l->dram(l->to, 3, 15, SL_DRAM_MISS, false);
    l->dram(l->to, 3, 16, SL_DRAM_HIT, true);
    l->dram(l->to, 3, 20, SL_DRAM_ACTIVATE, false);
}

static void counters_are_written_when_they_change(void **state)
{
    (void)state;
    char *text = timeline(fill_banks);
    const char *first = strstr(text, "{\"ph\":\"C\",\"name\":\"MSHRs\",\"pid\":2,\"ts\":11,\"args\":{\"0\":2}}");
    assert_non_null(first);
    assert_null(strstr(first + 30, "MSHRs"));
    assert_non_null(strstr(text, "{\"ph\":\"C\",\"name\":\"queue\",\"pid\":3,\"ts\":12,\"args\":{\"0\":5,\"1\":6}}"));
    assert_non_null(strstr(text, "\"name\":\"read, row miss\",\"pid\":4,\"tid\":3,\"ts\":15,\"dur\":1}"));
    assert_non_null(strstr(text, "\"name\":\"write, row hit\",\"pid\":4,\"tid\":3,\"ts\":16,\"dur\":1}"));
    assert_null(strstr(text, "open row"));
    free(text);
}

static void launch_twice(const sl_sim_observer *l)
{
    sl_machine machine = two_levels();
    l->scheduler(l->to, 0, 0, SL_CYCLE_ISSUE, 0, 1);
    l->done(l->to, 15);
    l->launch(l->to, &machine, NULL);
    l->scheduler(l->to, 0, 0, SL_CYCLE_ISSUE, 2, 3);
}

static void launches_follow_each_other(void **state)
{
    (void)state;
    char *text = timeline(launch_twice);
    assert_non_null(strstr(text, "\"name\":\"issue\",\"pid\":1,\"tid\":0,\"ts\":17,\"dur\":1}"));
    const char *name = strstr(text, "\"SM 0\"");
    assert_non_null(name);
    assert_null(strstr(name + 1, "\"SM 0\""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_are_cut_to_the_window_and_joined_where_they_are_alike),
        cmocka_unit_test(counters_are_written_when_they_change),
        cmocka_unit_test(launches_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
