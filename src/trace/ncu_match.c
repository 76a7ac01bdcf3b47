/* SPDX-License-Identifier: MIT */
#include "trace/ncu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "trace/kernel_filter.h"

typedef struct matcher {
    const sl_ncu *ncu;
    const sl_ncu_wanted *wanted;
    const char *workload; /* whose rows are looked at; NULL: all of the file, which are one program's */
    const sl_trace *trace;
    const uint32_t *launch;
    size_t launches;
    sl_kernel_filter kernels;
    sl_launch_set among;
    const sl_ncu_launch **row; /* those that are wanted */
    size_t rows;
    sl_ncu_pairs *pairs;
    sl_error *error;
} matcher;

/* ---- rows ---- */

static sl_status no_such_workload(const matcher *m)
{
    const char **names;
    size_t count;
    sl_status status = sl_ncu_workloads(m->ncu, &names, &count, m->error);
    if (status)
        return status;
    const char *near = sl_suggest(m->workload, names, count);
    status = sl_fail_at(m->error, SL_NOT_FOUND, m->ncu->path, 0, 0, "there are no counters of the workload '%s'%s%s%s",
                        m->workload, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
    return status;
}

static bool kernel_wanted(const matcher *m, const sl_ncu_launch *row)
{
    return sl_kernel_matches(&m->kernels, row->kernel, row->name);
}

static sl_status choose_rows(matcher *m)
{
    const sl_ncu *ncu = m->ncu;
    bool any = false;
    m->rows = 0;
    for (size_t i = 0; i < ncu->launches; i++) {
        const sl_ncu_launch *row = &ncu->launch[i];
        if (m->workload && ncu->by_workload && strcmp(row->workload, m->workload))
            continue;
        any = true;
        if (ncu->by_workload || kernel_wanted(m, row))
            m->row[m->rows++] = row;
    }
    return any ? SL_OK : no_such_workload(m);
}

/* ---- pairs ---- */

/* NULL: there is none. */
static const sl_ncu_launch *row_of(const matcher *m, size_t rank, uint64_t index)
{
    if (!m->ncu->by_workload)
        return rank < m->rows ? m->row[rank] : NULL;
    for (size_t i = 0; i < m->rows; i++)
        if (m->row[i]->number == index)
            return m->row[i];
    return NULL;
}

static sl_status add_launch(matcher *m, size_t rank)
{
    const sl_trace_launch *launch = sl_trace_launch_at(m->trace, m->launch[rank]);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(m->trace, launch->kernel);
    const sl_ncu_launch *row = row_of(m, rank, launch->index);
    if (!row) {
        m->pairs->unmeasured += sl_launch_set_has(&m->among, launch->index);
        return SL_OK;
    }
    sl_status status = sl_ncu_belongs(m->ncu, row, kernel, launch, m->wanted->owner, m->error);
    if (status || !sl_launch_set_has(&m->among, launch->index))
        return status;
    m->pairs->pair[m->pairs->count++] = (sl_ncu_pair){m->launch[rank], row};
    return SL_OK;
}

/* Rows without a launch. With a filter, numbered rows may belong to launches that were filtered out. */
static sl_status look_for_surplus(const matcher *m)
{
    if (m->ncu->by_workload && m->wanted->kernel_regex)
        return SL_OK;
    for (size_t i = 0; i < m->rows; i++) {
        bool taken = !m->ncu->by_workload && i < m->launches;
        for (size_t k = 0; k < m->launches && m->ncu->by_workload && !taken; k++)
            taken = sl_trace_launch_at(m->trace, m->launch[k])->index == m->row[i]->number;
        if (!taken)
            return sl_fail_at(m->error, SL_MISMATCH, m->ncu->path, m->row[i]->line, 0,
                              "these are counters of launch %" PRIu64 ", of '%s', but %s has no such launch",
                              m->ncu->by_workload ? m->row[i]->number : i, m->row[i]->name, m->wanted->owner);
    }
    return SL_OK;
}

static sl_status match(matcher *m)
{
    m->pairs->count = m->pairs->unmeasured = 0;
    sl_status status = choose_rows(m);
    for (size_t i = 0; i < m->launches && !status; i++)
        status = add_launch(m, i);
    return status ? status : look_for_surplus(m);
}

/* ---- which workload ---- */

/* Of the workloads of the file the only one whose rows belong to the launches. */
static sl_status choose_workload(matcher *m, const char *const *names, size_t count)
{
    const char *fits = NULL;
    for (size_t i = 0; i < count; i++) {
        m->workload = names[i];
        sl_status status = match(m);
        if (status == SL_NO_MEMORY)
            return status;
        if (status || !m->pairs->count)
            continue;
        if (fits)
            return sl_fail_at(m->error, SL_MISMATCH, m->ncu->path, 0, 0,
                              "the counters of '%s' and those of '%s' both fit %s: say which of them are meant", fits,
                              names[i], m->wanted->owner);
        fits = names[i];
    }
    m->workload = fits;
    if (!fits)
        return sl_fail_at(m->error, SL_MISMATCH, m->ncu->path, 0, 0,
                          "it has counters of %zu workloads, but none has the launches of %s: say which one is meant, "
                          "to see what differs",
                          count, m->wanted->owner);
    return SL_OK;
}

static sl_status match_any(matcher *m)
{
    const char **names;
    size_t count;
    if (m->workload || !m->ncu->by_workload)
        return match(m);
    sl_status status = sl_ncu_workloads(m->ncu, &names, &count, m->error);
    if (status)
        return status;
    if (count > 1)
        status = choose_workload(m, names, count);
    free(names);
    return status ? status : match(m);
}

sl_status sl_ncu_match(const sl_ncu *ncu, const sl_ncu_wanted *wanted, const sl_trace *trace, const uint32_t *launch,
                       size_t launches, sl_ncu_pairs *pairs, sl_error *error)
{
    matcher m = {.ncu = ncu,
                 .wanted = wanted,
                 .workload = wanted->workload,
                 .trace = trace,
                 .launch = launch,
                 .launches = launches,
                 .pairs = pairs,
                 .error = error};
    *pairs = (sl_ncu_pairs){0};
    sl_status status = sl_launch_set_parse(wanted->launches, &m.among, error);
    if (!status)
        status = sl_kernel_filter_init(&m.kernels, wanted->kernel_regex, error);
    if (status)
        return status;
    m.row = calloc(ncu->launches, sizeof *m.row);
    pairs->pair = calloc(launches ? launches : 1, sizeof *pairs->pair);
    status = m.row && pairs->pair ? match_any(&m) : sl_fail_memory(error);
    sl_kernel_filter_fini(&m.kernels);
    free(m.row);
    if (status)
        sl_ncu_pairs_fini(pairs);
    return status;
}

void sl_ncu_pairs_fini(sl_ncu_pairs *pairs)
{
    free(pairs->pair);
    *pairs = (sl_ncu_pairs){0};
}
