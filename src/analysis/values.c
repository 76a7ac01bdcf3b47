/* SPDX-License-Identifier: MIT */
#include "analysis/values.h"

#include <stdio.h>
#include <string.h>

static sl_value *find_value(const sl_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->items[i].name, name))
            return &values->items[i];
    return NULL;
}

const double *sl_values_find(const sl_values *values, const char *name)
{
    sl_value *found = find_value(values, name);
    return found ? &found->value : NULL;
}

bool sl_values_add(sl_values *values, const char *name, double amount)
{
    sl_value *found = find_value(values, name);
    if (found) {
        found->value += amount;
        return true;
    }
    if (!sl_array_reserve(values, 1))
        return false;
    sl_value *added = &values->items[values->count++];
    *added = (sl_value){.value = amount};
    snprintf(added->name, sizeof added->name, "%s", name);
    return true;
}

bool sl_values_add_bins(sl_values *values, const char *what, const uint64_t *bin, unsigned bins,
                        uint64_t (*min)(unsigned))
{
    enum { ALWAYS_THERE = 12 };
    for (unsigned i = 0; i < bins; i++) {
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_%llu", what, (unsigned long long)min(i));
        if ((bin[i] || i < ALWAYS_THERE) && !sl_values_add(values, name, (double)bin[i]))
            return false;
    }
    return true;
}
