/* What the emulator counts is what the profiler of a real GPU counted: tests/data/h200/workload-counters.csv. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "trace/recorder.h"
#include "workloads/workload.h"

enum { COUNTERS = 6, MOST_LAUNCHES = 8 };

static const sl_counter measured[COUNTERS] = {SL_COUNTER_ld_requests, SL_COUNTER_ld_sectors,   SL_COUNTER_st_requests,
                                              SL_COUNTER_st_sectors,  SL_COUNTER_atom_sectors, SL_COUNTER_red_sectors};

typedef struct seen {
    uint64_t launches;
    sl_counts counts[MOST_LAUNCHES];
} seen;

static sl_status remember(void *context, const sl_launch_result *result, sl_error *error)
{
    (void)error;
    seen *s = context;
    assert_true(s->launches < MOST_LAUNCHES);
    s->counts[s->launches++] = result->counts->total;
    return SL_OK;
}

static void run(const char *name, seen *s)
{
    sl_error error;
    const sl_workload *workload;
    sl_recorder *recorder;
    sl_device *device;
    sl_recorder_config recording = {.count = true, .launch_done = remember, .context = s};
    sl_workload_options options = {.seed = 1, .skip_check = true};
    *s = (seen){0};
    assert_int_equal(sl_recorder_create(&recording, &recorder, &error), SL_OK);
    sl_emu_config emulator = {.sink = sl_recorder_sink(recorder)};
    sl_device_config config = {.emu = &emulator};
    assert_int_equal(sl_device_open("emu", &config, &device, &error), SL_OK);
    assert_int_equal(sl_workload_find(name, &workload, &error), SL_OK);
    assert_int_equal(sl_workload_run(workload, device, &options, NULL, &error), SL_OK);
    sl_device_close(device);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
}

static void requests_and_sectors_are_those_of_an_h200(void **state)
{
    (void)state;
    FILE *file = fopen(SL_TEST_DATA "/h200/workload-counters.csv", "r");
    assert_non_null(file);
    char line[1024], ran[64] = "";
    unsigned compared = 0;
    static seen s;
    while (fgets(line, sizeof line, file)) {
        char name[64];
        unsigned launch;
        unsigned long long value[COUNTERS];
        if (sscanf(line, "%63[a-z_0-9],%u,%llu,%llu,%llu,%llu,%llu,%llu", name, &launch, &value[0], &value[1],
                   &value[2], &value[3], &value[4], &value[5]) != 2 + COUNTERS)
            continue; /* comments and the heading */
        if (strcmp(ran, name)) {
            run(name, &s);
            strcpy(ran, name);
        }
        assert_true(launch < s.launches);
        for (int i = 0; i < COUNTERS; i++) {
            uint64_t ours = s.counts[launch].value[measured[i]];
            if (ours != value[i])
                fail_msg("%s, launch %u, %s: %llu here, %llu on the GPU", name, launch,
                         sl_counter_infos[measured[i]].name, (unsigned long long)ours, value[i]);
        }
        compared++;
    }
    fclose(file);
    assert_int_equal(compared, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(requests_and_sectors_are_those_of_an_h200)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
