/* SPDX-License-Identifier: MIT */
/* Runs a workload on the emulator, chooses by simulation which of its loads should bypass which caches, writes the
 * plan, and simulates the workload with it.
 *
 *   cc tune_recording.c $(pkg-config --cflags --libs sluice) -o tune_recording
 *   ./tune_recording gesummv [MACHINE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sluice/sluice.h>

static const char plan_file[] = "plan.json";

/* A number of the result by its name; 0: there is none. */
static double value_of(const sl_result *result, const char *name)
{
    for (size_t i = 0; i < sl_result_value_count(result); i++)
        if (!strcmp(sl_result_value_name(result, i), name))
            return sl_result_value_at(result, i);
    return 0;
}

static sl_status simulate(const sl_recording *recording, const sl_machine *machine, const char *plan, sl_pool *pool,
                          sl_error *error)
{
    const sl_settings settings = {.seed = 1, .plan = plan};
    sl_result *result = NULL;
    sl_status status = sl_analysis_run(recording, machine, "sim", &settings, pool, NULL, &result, error);
    if (!status)
        printf("%-12s %8.0f cycles  %6.0f of %6.0f sectors hit in L1\n", plan ? "planned" : "as written",
               value_of(result, "cycles"), value_of(result, "ld_sector_hits"), value_of(result, "ld_sectors"));
    sl_result_destroy(result);
    return status;
}

static sl_status tune(const sl_recording *recording, const sl_machine *machine, sl_pool *pool, sl_error *error)
{
    const sl_tune_settings settings = {.controls = "L1,L2", .seed = 1};
    sl_tune_result *result = NULL;
    sl_status status = sl_tune_recording(recording, machine, &settings, pool, NULL, &result, error);
    for (size_t i = 0; !status && i < sl_tune_result_count(result); i++) {
        const sl_tuned_launch *l = sl_tune_result_at(result, i);
        printf("%s: %u loads, %u accesses changed, %+.1f %%, %s\n", l->kernel, l->loads, l->chosen, l->gain_percent,
               l->verdict);
    }
    if (!status)
        status = sl_tune_result_save(result, plan_file, error);
    sl_tune_result_destroy(result);
    return status;
}

static sl_status run(const char *workload, const char *machine_name, sl_error *error)
{
    const sl_source source = {.name = workload, .size = "small"};
    sl_machine *machine = NULL;
    sl_recording *recording = NULL;
    sl_pool *pool = NULL;
    sl_status status = sl_machine_create(machine_name, NULL, 0, NULL, &machine, error);
    if (!status)
        status = sl_pool_create(0, &pool, error);
    if (!status)
        status = sl_recording_create(&source, NULL, &recording, error);
    if (!status)
        status = tune(recording, machine, pool, error);
    if (!status)
        status = simulate(recording, machine, NULL, pool, error);
    if (!status)
        status = simulate(recording, machine, plan_file, pool, error);
    sl_recording_destroy(recording);
    sl_pool_destroy(pool);
    sl_machine_destroy(machine);
    return status;
}

int main(int argc, char **argv)
{
    char text[1400];
    sl_error error = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: tune_recording WORKLOAD [MACHINE]\n");
        return 2;
    }
    sl_status status = run(argv[1], argc > 2 ? argv[2] : "fermi-gtx480", &error);
    if (status)
        fprintf(stderr, "tune_recording: %s\n", sl_error_format(&error, text, sizeof text));
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
