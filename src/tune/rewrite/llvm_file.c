/* SPDX-License-Identifier: MIT */
#include "tune/rewrite/llvm_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

bool sl_llvm_file_is(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".ll") || !strcmp(dot, ".bc"));
}

sl_status sl_llvm_file_open(sl_llvm_file *file, const char *path, const char *wanted, const sl_llvm_options *options,
                            sl_error *error)
{
    char *data = NULL;
    size_t bytes = 0;
    *file = (sl_llvm_file){0};
    sl_status status = sl_file_read(path, &data, &bytes, error);
    if (!status)
        status = sl_llvm_open(wanted, &file->llvm, error);
    if (!status)
        status = sl_llvm_read(file->llvm, data, bytes, path, options, &file->code, error);
    if (status)
        sl_llvm_file_close(file);
    free(data);
    return status;
}

void sl_llvm_file_close(sl_llvm_file *file)
{
    sl_llvm_free(file->code);
    sl_llvm_close(file->llvm);
    *file = (sl_llvm_file){0};
}

static sl_status make_numbered(void *context, char **data, size_t *bytes, sl_error *error)
{
    return sl_llvm_emit_ptx(((const sl_llvm_file *)context)->code, true, data, bytes, error);
}

static sl_status make_plain(void *context, char **data, size_t *bytes, sl_error *error)
{
    return sl_llvm_emit_ptx(((const sl_llvm_file *)context)->code, false, data, bytes, error);
}

sl_status sl_llvm_file_ptx(const sl_llvm_file *file, bool numbered, char **text, size_t *length, sl_error *error)
{
    return sl_isolate("LLVM", numbered ? make_numbered : make_plain, (void *)file, text, length, error);
}

static sl_status make_check(void *context, char **data, size_t *bytes, sl_error *error)
{
    const sl_llvm_file *file = context;
    *bytes = sl_llvm_graph(file->code)->loads * sizeof(sl_llvm_check);
    *data = calloc(1, *bytes + 1);
    return *data ? sl_llvm_check_code(file->code, (sl_llvm_check *)(void *)*data, error) : sl_fail_memory(error);
}

sl_status sl_llvm_file_check(const sl_llvm_file *file, sl_llvm_check *check, sl_error *error)
{
    char *data = NULL;
    size_t bytes = 0;
    sl_status status = sl_isolate("LLVM", make_check, (void *)file, &data, &bytes, error);
    if (!status)
        memcpy(check, data, bytes);
    free(data);
    return status;
}

/* ---- plans ---- */

/* A plan may be for the code as it lies there, or for what -O2 makes of it. */
sl_status sl_llvm_file_open_planned(sl_llvm_file *file, const char *path, const char *wanted, const char *cpu,
                                    const sl_plan *plan, sl_error *error)
{
    sl_llvm_options options = {.cpu = cpu};
    sl_status status = sl_llvm_file_open(file, path, wanted, &options, error);
    if (status || sl_llvm_facts_of(file->code).hash == plan->code_hash)
        return status;
    sl_llvm_file optimized;
    options.optimize = true;
    if (sl_llvm_file_open(&optimized, path, wanted, &options, NULL))
        return SL_OK;
    if (sl_llvm_facts_of(optimized.code).hash == plan->code_hash) {
        sl_llvm_file_close(file);
        *file = optimized;
    } else {
        sl_llvm_file_close(&optimized);
    }
    return SL_OK;
}

/* The hash is of what this LLVM makes of the file, so another version is another code. */
static sl_status check_plan(const sl_llvm_file *file, const sl_plan *plan, const char *path, sl_error *error)
{
    sl_llvm_facts facts = sl_llvm_facts_of(file->code);
    const sl_load_graph *graph = sl_llvm_graph(file->code);
    sl_status status = sl_plan_check(plan, "llvm-ir", facts.hash, path, graph, error);
    if (status && plan->code_hash != facts.hash && !strcmp(plan->form, "llvm-ir")) {
        size_t used = strlen(error->text);
        snprintf(error->text + used, sizeof error->text - used,
                 " (this is LLVM %u; a plan made with another version does not fit either)",
                 sl_llvm_version(file->llvm));
    }
    return status;
}

sl_status sl_llvm_file_apply(const sl_llvm_file *file, const sl_plan *plan, const char *path, uint8_t *mode,
                             sl_error *error)
{
    const sl_load_graph *graph = sl_llvm_graph(file->code);
    sl_status status = check_plan(file, plan, path, error);
    if (status)
        return status;
    for (uint32_t i = 0; i < graph->loads; i++)
        mode[i] = (uint8_t)sl_plan_mode(plan, graph->load[i].function, graph->load[i].inst);
    for (uint32_t i = graph->loads; i < graph->nodes; i++) {
        unsigned store = sl_plan_mode(plan, graph->load[i].function, graph->load[i].inst);
        if (store)
            sl_llvm_annotate_store(file->code, i, store);
    }
    return sl_llvm_annotate(file->code, mode, error);
}
