/* SPDX-License-Identifier: MIT */
/* Usage: library_numbers KIND MACHINE TRACE
 * Prints every number of an analysis by the public interface of libsluice alone: for tests/python/agreement.py. */
#include <stdio.h>

#include "sluice/sluice.h"

static sl_status print_values(const char *kind, const char *gpu, const char *trace, sl_error *error)
{
    const sl_source source = {.name = trace};
    const sl_settings settings = {.seed = 1};
    sl_machine *machine = NULL;
    sl_recording *recording = NULL;
    sl_result *result = NULL;
    sl_status status = sl_machine_create(gpu, NULL, 0, NULL, &machine, error);
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

int main(int argc, char **argv)
{
    sl_error error;
    if (argc != 4)
        return 2;
    if (print_values(argv[1], argv[2], argv[3], &error)) {
        fprintf(stderr, "library_numbers: %s\n", error.text);
        return 1;
    }
    return 0;
}
