/* SPDX-License-Identifier: MIT */
/* Plans: what parses is written and parses again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tune/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sl_plan plan, again;
    sl_error error;
    char *text = NULL;
    size_t length;
    if (sl_plan_parse((const char *)data, size, "plan", &plan, &error))
        return 0;
    FILE *file = open_memstream(&text, &length);
    if (!file || sl_plan_write(&plan, file, &error))
        abort();
    fclose(file);
    if (sl_plan_parse(text, length, "again", &again, &error) || again.loads != plan.loads)
        abort();
    sl_plan_fini(&again);
    sl_plan_fini(&plan);
    free(text);
    return 0;
}
