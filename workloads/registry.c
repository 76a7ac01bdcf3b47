/* SPDX-License-Identifier: MIT */
/* The table of workloads, made from registry.def: their host functions, and their PTX and its source, which are taken
 * into the program as they lie in the source tree. */
#include <string.h>

#include "base/incbin.h"
#include "base/suggest.h"
#include "workloads/workload.h"

/* SL_WORKLOADS_DIR comes from the build. */
#define SL_WORKLOAD(name, ...)                                                                                         \
    SL_INCBIN("sl_ptx_" #name, SL_WORKLOADS_DIR "/" #name "/" #name ".ptx")                                            \
    SL_INCBIN("sl_cu_" #name, SL_WORKLOADS_DIR "/" #name "/" #name ".cu")
#include "workloads/registry.def"
#undef SL_WORKLOAD

#define SL_WORKLOAD(name, ...)                                                                                         \
    extern const char sl_ptx_##name[], sl_ptx_##name##_end[], sl_cu_##name[], sl_cu_##name##_end[];
#include "workloads/registry.def"
#undef SL_WORKLOAD

enum {
#define SL_WORKLOAD(name, ...) WORKLOAD_##name,
#include "workloads/registry.def"
#undef SL_WORKLOAD
    WORKLOADS
};

enum { MEASURED_small = SL_SIZE_SMALL, MEASURED_default = SL_SIZE_DEFAULT };
static const sl_workload_facts facts[WORKLOADS][SL_SIZES] = {
#define SL_MEASURED(name, size, ...) [WORKLOAD_##name][MEASURED_##size] = {__VA_ARGS__},
#include "workloads/measured.def"
#undef SL_MEASURED
};

static const sl_workload workloads[] = {
#define SL_WORKLOAD(name, papers, class, tags, summary, small, normal, large)                                          \
    {#name,                                                                                                            \
     papers,                                                                                                           \
     class,                                                                                                            \
     tags,                                                                                                             \
     summary,                                                                                                          \
     {small, normal, large},                                                                                           \
     facts[WORKLOAD_##name],                                                                                           \
     sl_workload_##name,                                                                                               \
     sl_ptx_##name,                                                                                                    \
     sl_ptx_##name##_end,                                                                                              \
     sl_cu_##name,                                                                                                     \
     sl_cu_##name##_end,                                                                                               \
     #name ".ptx",                                                                                                     \
     "workloads/" #name "/" #name ".cu"},
#include "workloads/registry.def"
#undef SL_WORKLOAD
};

const char *const sl_size_names[SL_SIZES] = {"small", "default", "large"};

size_t sl_workload_count(void)
{
    return WORKLOADS;
}

const sl_workload *sl_workload_at(size_t index)
{
    return &workloads[index];
}

sl_status sl_workload_find(const char *name, const sl_workload **workload, sl_error *error)
{
    const char *names[WORKLOADS];
    for (size_t i = 0; i < WORKLOADS; i++) {
        names[i] = workloads[i].name;
        if (!strcmp(name, names[i])) {
            *workload = &workloads[i];
            return SL_OK;
        }
    }
    const char *near = sl_suggest(name, names, WORKLOADS);
    if (near)
        return sl_fail(error, SL_NOT_FOUND, "no workload is called '%s'; the nearest is '%s'", name, near);
    return sl_fail(error, SL_NOT_FOUND, "no workload is called '%s'", name);
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    if (!length)
        return false;
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

bool sl_workload_has_tag(const sl_workload *workload, const char *tag)
{
    return has_word(workload->tags, tag) || has_word(workload->class, tag);
}

bool sl_workload_of_paper(const sl_workload *workload, const char *paper)
{
    return has_word(workload->papers, paper);
}
