/* SPDX-License-Identifier: MIT */
#include "findings/rules.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"

#define MIN_SHARE 0.02

static uint64_t cycles_of(const sl_result *result, uint32_t n)
{
    const sl_counts *counts = &result->launch[n].counts;
    return sl_counts_has(counts, SL_COUNTER_est_cycles) ? counts->value[SL_COUNTER_est_cycles] : 0;
}

static bool is_of(const sl_finding *f, const sl_rule *rule, const char *symbol)
{
    return f->rule == rule && (!symbol || !strcmp(f->symbol, symbol));
}

static double share_of(const sl_findings *findings, const sl_rule *rule, const char *symbol)
{
    double share = 0;
    for (size_t i = 0; i < findings->list.count; i++)
        share += is_of(&findings->list.items[i], rule, symbol) ? findings->list.items[i].share : 0;
    return share;
}

/* The locations of a rule in a kernel get parts of what the kernel saves. */
static void distribute(sl_findings *findings, const sl_rule *rule, const char *symbol, double saved, double total)
{
    double work = share_of(findings, rule, symbol);
    for (size_t i = 0; i < findings->list.count; i++) {
        sl_finding *f = &findings->list.items[i];
        if (!is_of(f, rule, symbol) || f->estimated || work <= 0)
            continue;
        double part = f->share / work;
        f->cycles = saved * part;
        f->share = saved / total * part;
        if (!strcmp(rule->unit, "cycles"))
            f->effect = f->cycles;
    }
    for (size_t i = 0; i < findings->list.count; i++)
        if (is_of(&findings->list.items[i], rule, symbol))
            findings->list.items[i].estimated = true;
}

static void set_costs(const sl_result *before, const sl_result *after, const sl_launch_log *log, const sl_rule *rule,
                      sl_findings *findings)
{
    double total = 0;
    for (uint32_t n = 0; n < before->launches; n++)
        total += (double)cycles_of(before, n);
    for (size_t i = 0; i < findings->list.count && total > 0; i++) {
        const sl_finding *f = &findings->list.items[i];
        if (!is_of(f, rule, NULL) || f->estimated)
            continue;
        double saved = 0;
        for (uint32_t n = 0; n < before->launches; n++)
            if (!strcmp(log->launches.items[n].kernel->symbol, f->symbol))
                saved += (double)cycles_of(before, n) - (double)cycles_of(after, n);
        distribute(findings, rule, f->symbol, saved > 0 ? saved : 0, total);
    }
}

/* The model without the cause that a rule names. A what-if that changes nothing, or that the GPU does not allow, leaves
 * shares of work. */
static sl_status estimate_rule(const sl_findings_input *input, const sl_what_if *what_if, const sl_rule *rule,
                               sl_findings *findings, sl_error *error)
{
    const sl_result *before = input->estimated;
    sl_result after = {0};
    sl_error ignored;
    const sl_analysis model = {.kind = SL_ANALYSIS_MODEL,
                               .machine = before->machine,
                               .details = true,
                               .seed = input->model.seed,
                               .cold = before->cold,
                               .model = input->model};
    sl_status status =
        sl_analyze_what_if(input->recording, &model, what_if, before, input->pool, NULL, &after, &ignored);
    if (!status)
        set_costs(before, &after, before->log, rule, findings);
    sl_result_fini(&after);
    return status == SL_NO_MEMORY ? sl_fail_memory(error) : SL_OK;
}

sl_status sl_findings_estimate(const sl_findings_input *input, sl_findings *findings, sl_error *error)
{
    sl_status status = SL_OK;
    if (!input->recording || !input->estimated || !input->estimated->log)
        return SL_OK;
    for (int i = 0; i < SL_WHAT_IFS && !status; i++) {
        const sl_what_if what_if = {(sl_what_if_id)i, 0};
        if (what_if.id == SL_WHAT_IF_NO_REUSE) /* of one load, not of all */
            continue;
        if (sl_what_if_infos[i].kind == SL_WHAT_IF_MACHINE) /* a sample is too short to lose what it uses again */
            continue;
        for (int r = 0; r < SL_RULES && !status; r++)
            if (!strcmp(sl_rules[r].name, sl_what_if_infos[i].name) &&
                (sl_what_if_infos[i].kind == SL_WHAT_IF_TIME || share_of(findings, &sl_rules[r], NULL) >= MIN_SHARE))
                status = estimate_rule(input, &what_if, &sl_rules[r], findings, error);
    }
    return status;
}

/* ---- what the simulator says ---- */

enum { CONFIRMED = 3 };

static uint64_t simulated_cycles(const sl_result *result, const sl_launch_log *log, const char *symbol)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < result->launches; n++)
        if (!symbol || !strcmp(log->launches.items[n].kernel->symbol, symbol))
            sum += result->launch[n].counts.value[SL_COUNTER_cycles];
    return sum;
}

static bool find_what_if(const sl_rule *rule, sl_what_if_id *id)
{
    for (int i = 0; i < SL_WHAT_IFS; i++)
        if (!strcmp(rule->name, sl_what_if_infos[i].name) && i != SL_WHAT_IF_NO_REUSE &&
            sl_what_if_infos[i].kind != SL_WHAT_IF_TIME) {
            *id = (sl_what_if_id)i;
            return true;
        }
    return false;
}

sl_status sl_findings_confirm(const sl_findings_input *input, sl_findings *findings, sl_error *error)
{
    const sl_analysis sim = {.kind = SL_ANALYSIS_SIM,
                             .machine = input->machine,
                             .seed = input->model.seed,
                             .cold = input->estimated && input->estimated->cold};
    sl_result own = {0};
    const sl_result *before = input->simulated;
    sl_status status = SL_OK;
    size_t groups = 0;
    if (!input->recording)
        return SL_OK;
    for (size_t i = 0; i < findings->list.count && groups < CONFIRMED && !status; i++) {
        sl_finding *f = &findings->list.items[i];
        sl_what_if what_if = {0};
        sl_result after = {0};
        if (sl_finding_continues(findings, i) || !find_what_if(f->rule, &what_if.id))
            continue;
        groups++;
        if (!before) {
            status = sl_analyze(input->recording, &sim, input->pool, NULL, &own, error);
            before = &own;
        }
        if (!status)
            status = sl_analyze_what_if(input->recording, &sim, &what_if, before, input->pool, NULL, &after, error);
        double all = status ? 0 : (double)simulated_cycles(before, input->counted, NULL);
        if (all > 0)
            f->simulated_share = ((double)simulated_cycles(before, input->counted, f->symbol) -
                                  (double)simulated_cycles(&after, input->counted, f->symbol)) /
                                 all;
        sl_result_fini(&after);
    }
    sl_result_fini(&own);
    return status;
}

/* ---- kernels without findings ---- */

#define QUIET_SHARE 0.1

static bool has_finding(const sl_findings *findings, const char *symbol)
{
    for (size_t i = 0; i < findings->list.count; i++)
        if (!strcmp(findings->list.items[i].symbol, symbol))
            return true;
    return false;
}

/* Of one kernel. */
typedef struct kernel_time {
    const sl_logged_kernel *kernel;
    uint64_t cycles, most;
    uint64_t limit; /* of the launch with most cycles */
} kernel_time;

static void sum_kernels(const sl_result *result, kernel_time *time)
{
    for (uint32_t n = 0; n < result->launches; n++) {
        const sl_logged_kernel *kernel = result->log->launches.items[n].kernel;
        kernel_time *t = &time[kernel->number];
        uint64_t cycles = cycles_of(result, n);
        t->kernel = kernel;
        t->cycles += cycles;
        if (cycles > t->most) {
            t->most = cycles;
            t->limit = result->launch[n].counts.value[SL_COUNTER_est_limit];
        }
    }
}

static bool add_quiet(const kernel_time *t, double total, sl_findings *findings)
{
    const double share = total > 0 ? (double)t->cycles / total : 0;
    if (!t->kernel || share < QUIET_SHARE || has_finding(findings, t->kernel->symbol))
        return true;
    const sl_quiet_kernel quiet = {.name = sl_arena_strdup(&findings->arena, t->kernel->name),
                                   .limit = sl_counter_word(SL_COUNTER_est_limit, t->limit),
                                   .share = share};
    return quiet.name && sl_array_push(&findings->quiet, quiet);
}

sl_status sl_findings_add_quiet(const sl_findings_input *input, sl_findings *findings, sl_error *error)
{
    const sl_result *result = input->estimated;
    if (!input->recording || !result || !result->log)
        return SL_OK;
    size_t kernels = result->log->kernel_count;
    kernel_time *time = calloc(kernels + 1, sizeof *time);
    if (!time)
        return sl_fail_memory(error);
    sum_kernels(result, time);
    double total = 0;
    bool fits = true;
    for (size_t k = 0; k < kernels; k++)
        total += (double)time[k].cycles;
    for (size_t k = 0; k < kernels && fits; k++)
        fits = add_quiet(&time[k], total, findings);
    free(time);
    return fits ? SL_OK : sl_fail_memory(error);
}
