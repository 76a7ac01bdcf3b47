/* SPDX-License-Identifier: MIT */
/* Usage: library_numbers KIND MACHINE TRACE [cold] [KEY=VALUE...]
 *        library_numbers tune MACHINE WORKLOAD
 * Prints every number of an analysis by the public interface of libsluice alone: for tests/python/agreement.py. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sluice/sluice.h"

/* `size` NULL: of a trace. */
static sl_status print_values(const char *kind, const char *gpu, const char *input, const char *size, bool cold,
                              const char *const *keys, size_t count, sl_error *error)
{
    const sl_source source = {.name = input, .size = size};
    const sl_settings settings = {.seed = 1, .cold = cold};
    sl_machine *machine = NULL;
    sl_recording *recording = NULL;
    sl_result *result = NULL;
    sl_status status = sl_machine_create(gpu, keys, count, NULL, &machine, error);
    if (!status)
        status = sl_recording_create(&source, NULL, &recording, error);
    if (!status)
        status = sl_analysis_run(recording, machine, kind, &settings, NULL, NULL, &result, error);
    for (size_t i = 0; !status && i < sl_result_value_count(result); i++)
        printf("%s %.17g\n", sl_result_value_name(result, i), sl_result_value_at(result, i));
    sl_result_destroy(result);
    sl_recording_destroy(recording);
    sl_machine_destroy(machine);
    return status;
}

/* A line for each number of each kernel, which is named by its place among those that were tuned. */
static sl_status print_tuned(const char *gpu, const char *workload, sl_error *error)
{
    const sl_source source = {.name = workload, .size = "small"};
    sl_machine *machine = NULL;
    sl_recording *recording = NULL;
    sl_tune_result *result = NULL;
    sl_status status = sl_machine_create(gpu, NULL, 0, NULL, &machine, error);
    if (!status)
        status = sl_recording_create(&source, NULL, &recording, error);
    if (!status)
        status = sl_tune_recording(recording, machine, NULL, NULL, NULL, &result, error);
    for (size_t i = 0; !status && i < sl_tune_result_count(result); i++) {
        const sl_tuned_launch *l = sl_tune_result_at(result, i);
        printf("%zu.launch %" PRIu64 "\n%zu.launches %" PRIu64 "\n%zu.loads %u\n%zu.bypass %u\n", i, l->launch, i,
               l->launches, i, l->loads, i, l->chosen);
        printf("%zu.original %.17g\n%zu.planned %.17g\n%zu.noise_percent %.17g\n", i, l->cycles, i, l->tuned_cycles, i,
               l->noise_percent);
    }
    sl_tune_result_destroy(result);
    sl_recording_destroy(recording);
    sl_machine_destroy(machine);
    return status;
}

int main(int argc, char **argv)
{
    sl_error error;
    if (argc < 4)
        return 2;
    bool tunes = !strcmp(argv[1], "tune"), cold = argc > 4 && !strcmp(argv[4], "cold");
    const char *const *keys = (const char *const *)argv + 4 + cold;
    sl_status status = tunes ? print_tuned(argv[2], argv[3], &error) : SL_OK;
    if (!status)
        status = print_values(argv[1], argv[2], argv[3], tunes ? "small" : NULL, cold, keys, (size_t)(argc - 4 - cold),
                              &error);
    if (status) {
        fprintf(stderr, "library_numbers: %s\n", error.text);
        return 1;
    }
    return 0;
}
