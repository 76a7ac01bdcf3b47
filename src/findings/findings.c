/* SPDX-License-Identifier: MIT */
/* Applies the rules, drops what costs little, and puts the rest in order. */
#include "findings/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "findings/kernel_facts.h"
#include "findings/rules.h"

const sl_finding_limits sl_finding_limit = {
#define SL_FINDING_LIMIT(id, value, what) .id = value,
#include "findings/rules.def"
};

char *sl_rule_measure(const sl_rule *rule, char *buffer, size_t size)
{
    char number[SL_HUMAN_BYTES];
    if (rule->threshold < 1)
        strcat(sl_human_ratio(100 * rule->threshold, 0, number), "%");
    else
        sl_double_text(rule->threshold, number);
    const char *at = strstr(rule->measure, "%s");
    snprintf(buffer, size, "%.*s%s%s", at ? (int)(at - rule->measure) : 0, rule->measure, at ? number : "",
             at ? at + 2 : rule->measure);
    return buffer;
}

enum { MAX_SOURCE_BYTES = 16 << 20 };

static const char *short_name_of(const sl_findings_input *input, const char *symbol)
{
    for (size_t n = 0; n < input->counted->launches.count; n++)
        if (!strcmp(input->counted->launches.items[n].kernel->symbol, symbol))
            return input->counted->launches.items[n].kernel->short_name;
    return "";
}

static bool same_group(const sl_finding *a, const sl_finding *b)
{
    return a->rule == b->rule && a->symbol == b->symbol;
}

/* ---- order ---- */

typedef struct ranked {
    sl_finding finding;
    double group, cycles; /* of its rule in its kernel: shares and cycles of all locations */
    size_t order;
} ranked;

static int by_share(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->group != b->group)
        return a->group > b->group ? -1 : 1;
    if (a->finding.rule != b->finding.rule)
        return a->finding.rule < b->finding.rule ? -1 : 1;
    if (a->finding.symbol != b->finding.symbol)
        return a->order < b->order ? -1 : 1;
    if (a->finding.share != b->finding.share)
        return a->finding.share > b->finding.share ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Locations of one rule and kernel came one after the other: their sums. */
static void sum_groups(ranked *r, size_t count)
{
    for (size_t i = 0; i < count;) {
        double share = 0, cycles = 0;
        size_t end = i;
        for (; end < count && same_group(&r[i].finding, &r[end].finding); end++) {
            share += r[end].finding.share;
            cycles += r[end].finding.cycles;
        }
        for (; i < end; i++) {
            r[i].group = share;
            r[i].cycles = cycles;
        }
    }
}

/* The name of "param_4" in the source of its kernel, which is read once. */
static sl_status name_parameters(const sl_findings_input *input, sl_findings *findings, sl_error *error)
{
    char *text = NULL, name[128];
    const char *path = "";
    bool fits = true;
    for (size_t i = 0; i < findings->list.count && fits; i++) {
        sl_finding *f = &findings->list.items[i];
        if (!f->inst || !*f->inst->source_file || strncmp(f->inst->array, "param_", 6) != 0)
            continue;
        if (strcmp(path, f->inst->source_file) != 0) {
            free(text);
            path = f->inst->source_file;
            if (sl_file_read_max(path, MAX_SOURCE_BYTES, &text, &(size_t){0}, &(sl_error){0}))
                text = NULL;
        }
        const char *kernel = short_name_of(input, f->symbol);
        char *end;
        unsigned long number = strtoul(f->inst->array + 6, &end, 10);
        if (!text || *end ||
            !*sl_parameter_name(text, f->inst->source_line, kernel, (uint32_t)number, name, sizeof name))
            continue;
        f->parameter = sl_arena_strdup(&findings->arena, name);
        fits = f->parameter;
    }
    free(text);
    return fits ? SL_OK : sl_fail_memory(error);
}

static sl_status rank(sl_findings *findings, sl_error *error)
{
    size_t count = findings->list.count, kept = 0;
    ranked *r = calloc(count + 1, sizeof *r);
    if (!r)
        return sl_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        r[i] = (ranked){.finding = findings->list.items[i], .order = i};
    sum_groups(r, count);
    qsort(r, count, sizeof *r, by_share);
    for (size_t i = 0; i < count; i++) {
        bool first = !kept || !same_group(&findings->list.items[kept - 1], &r[i].finding);
        double min_share = r[i].finding.estimated ? sl_finding_limit.gain : sl_finding_limit.rule_share;
        bool enough = r[i].group >= min_share && r[i].cycles >= sl_finding_limit.cycles;
        if (enough && (first || r[i].finding.share >= sl_finding_limit.location_share))
            findings->list.items[kept++] = r[i].finding;
    }
    findings->list.count = kept;
    free(r);
    return SL_OK;
}

sl_status sl_findings_find(const sl_findings_input *input, sl_findings *findings, sl_error *error)
{
    sl_fact_list facts = {0};
    *findings = (sl_findings){0};
    sl_arena_init(&findings->arena);
    findings->counted = !input->measured;
    findings->estimated = input->recording && input->estimated && input->estimated->log;
    snprintf(findings->machine, sizeof findings->machine, "%s", input->machine->name);
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_facts_gather(input, &arena, &facts, error);
    sl_rule_run run = {.facts = &facts, .findings = findings};
    if (!status && !sl_rules_apply(&run))
        status = sl_fail_memory(error);
    if (!status)
        status = sl_findings_estimate(input, findings, error);
    if (!status)
        status = rank(findings, error);
    if (!status)
        status = name_parameters(input, findings, error);
    if (!status && input->confirm)
        status = sl_findings_confirm(input, findings, error);
    if (!status)
        status = sl_findings_add_quiet(input, findings, error);
    sl_facts_fini(&facts);
    sl_arena_fini(&arena);
    return status;
}

void sl_findings_fini(sl_findings *findings)
{
    sl_array_free(&findings->list);
    sl_array_free(&findings->quiet);
    sl_arena_fini(&findings->arena);
    *findings = (sl_findings){0};
}

bool sl_finding_continues(const sl_findings *findings, size_t at)
{
    return at && same_group(&findings->list.items[at - 1], &findings->list.items[at]);
}

size_t sl_finding_group(const sl_findings *findings, size_t first, sl_finding *all)
{
    size_t end = first + 1;
    *all = findings->list.items[first];
    for (; end < findings->list.count && sl_finding_continues(findings, end); end++) {
        all->share += findings->list.items[end].share;
        all->effect += findings->list.items[end].effect;
    }
    return end;
}
