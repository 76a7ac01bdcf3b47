/* SPDX-License-Identifier: MIT */
#include "ptx/sources.h"

#include <stdio.h>
#include <string.h>

sl_status sl_ptx_sources_add(sl_ptx_sources *sources, char *ptx, size_t length, const char *name, sl_error *error)
{
    sl_ptx_source text = {ptx, length, ""};
    snprintf(text.name, sizeof text.name, "%s", *name ? name : "PTX");
    if (ptx && sl_array_push(sources, text))
        return SL_OK;
    free(ptx);
    return sl_fail_memory(error);
}

sl_status sl_ptx_sources_add_fatbin(sl_ptx_sources *sources, const sl_fatbin *fatbin, uint32_t sm, sl_error *error)
{
    sl_status status = SL_OK;
    size_t at = 0;
    for (const sl_fatbin_entry *best; !status && (best = sl_fatbin_next_ptx(fatbin, &at, sm));) {
        char *ptx = NULL;
        size_t length;
        status = sl_fatbin_unpack(best, &ptx, &length, error);
        if (!status)
            status = sl_ptx_sources_add(sources, ptx, length, best->name, error);
    }
    return status;
}

void sl_ptx_sources_fini(sl_ptx_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free(sources->items[i].ptx);
    sl_array_free(sources);
}

const sl_ptx_source *sl_ptx_source_of(const sl_ptx_sources *sources, const char *kernel, sl_ptx_module **module)
{
    for (size_t i = 0; sources && i < sources->count; i++) {
        const sl_ptx_source *text = &sources->items[i];
        sl_ptx_module *parsed = NULL;
        const sl_ptx_func *func = NULL;
        if (strstr(text->ptx, kernel) && !sl_ptx_parse(text->ptx, text->length, text->name, &parsed, NULL))
            func = sl_ptx_find(parsed, kernel);
        bool found = func && func->entry && func->has_body;
        if (found && module)
            *module = parsed;
        else
            sl_ptx_free(parsed);
        if (found)
            return text;
    }
    return NULL;
}
