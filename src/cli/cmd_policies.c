/* SPDX-License-Identifier: MIT */
/* sluice policies: replacement and bypass policies. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "policy/policy.h"
#include "report/parts.h"
#include "report/table.h"

/* All policies, or one. */
typedef struct listing {
    const sl_policy_ops *only; /* NULL: all */
    size_t count;
    const sl_policy_list *custom; /* of plug-ins, before the others; NULL: none */
} listing;

/* The policy at an index, if it is shown. */
static const sl_policy_ops *shown(const listing *list, size_t index)
{
    size_t customs = list->count - sl_policy_count();
    const sl_policy_ops *ops = index < customs ? list->custom->ops[index] : sl_policy_at(index - customs);
    return !list->only || list->only == ops ? ops : NULL;
}

static const char *role(const sl_policy_ops *ops)
{
    return !sl_policy_bypasses(ops) ? "replaces" : sl_policy_replaces(ops) ? "both" : "bypasses";
}

/* ---- parameters ---- */

static void preset_text(const sl_param *p, char *buffer, size_t size)
{
    if (p->type == SL_PARAM_WORD)
        snprintf(buffer, size, "%s", p->words[p->default_value]);
    else
        snprintf(buffer, size, "%" PRIu64, p->default_value);
}

/* "1 to 8", "1 to 256, best", "priority, frequency" */
static void range_text(const sl_param *p, char *buffer, size_t size)
{
    size_t used = 0;
    if (p->type == SL_PARAM_COUNT)
        snprintf(buffer, size, "%" PRIu64 " to %" PRIu64 "%s", p->min, p->max, p->search_values ? ", best" : "");
    for (size_t i = 0; p->type == SL_PARAM_WORD && p->words[i] && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", p->words[i]);
}

/* ---- as text ---- */

static sl_status write_table(FILE *file, const listing *list, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("policy"), SL_TEXTS("role"),
                                        SL_PROSE("description; parameters and their defaults")};
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < list->count; i++) {
        const sl_policy_ops *ops = shown(list, i);
        char params[256] = "", preset[32];
        size_t used = 0;
        for (const sl_param *p = ops->params; p && p->name && used < sizeof params; p++) {
            preset_text(p, preset, sizeof preset);
            used += (size_t)snprintf(params + used, sizeof params - used, "%s%s=%s", p == ops->params ? "" : ", ",
                                     p->name, preset);
        }
        sl_table_cell(t, ops->name);
        sl_table_cell(t, role(ops));
        sl_table_cellf(t, "%s%s%s", ops->summary, *params ? "; " : "", params);
    }
    sl_status status = sl_table_finish(t, file, sl_terminal_width(file), error);
    fputs("\n'sluice policies NAME' explains the parameters of a policy. In machine descriptions:\n"
          "'replacement: srrip(bits=3)' and 'bypass: decoupled(threshold=2)'.\n",
          file);
    return status;
}

static sl_status write_one(FILE *file, const sl_policy_ops *ops, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("parameter"), SL_TEXTS("default"), SL_TEXTS("values"),
                                        SL_PROSE("description")};
    fprintf(file, "%s: %s\nrole: %s%s\nsource: %s\n", ops->name, ops->summary, role(ops),
            ops->first_level_only ? ", in the first level only" : "", ops->source);
    if (ops->cost)
        fprintf(file, "cost, as published: %s\n", ops->cost);
    if (!ops->params)
        return SL_OK;
    sl_table *t = SL_TABLE(columns);
    for (const sl_param *p = ops->params; p->name; p++) {
        char preset[32], range[128];
        preset_text(p, preset, sizeof preset);
        range_text(p, range, sizeof range);
        sl_table_cell(t, p->name);
        sl_table_cell(t, preset);
        sl_table_cell(t, range);
        sl_table_cell(t, p->help);
    }
    fputc('\n', file);
    return sl_table_finish(t, file, sl_terminal_width(file), error);
}

static sl_status write_text(FILE *file, const void *result, sl_error *error)
{
    const listing *list = result;
    return list->only ? write_one(file, list->only, error) : write_table(file, list, error);
}

/* ---- for programs ---- */

static void json_param(sl_json *j, const sl_param *p)
{
    sl_json_object(j, false);
    sl_json_key(j, "name"), sl_json_string(j, p->name);
    sl_json_key(j, "default");
    if (p->type == SL_PARAM_WORD) {
        sl_json_string(j, p->words[p->default_value]);
        sl_json_key(j, "words"), sl_json_array(j, false);
        for (size_t i = 0; p->words[i]; i++)
            sl_json_string(j, p->words[i]);
        sl_json_close(j, ']');
    } else {
        sl_json_u64(j, p->default_value);
        sl_json_key(j, "min"), sl_json_u64(j, p->min);
        sl_json_key(j, "max"), sl_json_u64(j, p->max);
    }
    if (p->search_values) {
        sl_json_key(j, "tried"), sl_json_array(j, false);
        for (size_t i = 0; !i || p->search_values[i]; i++)
            sl_json_u64(j, p->search_values[i]);
        sl_json_close(j, ']');
    }
    sl_json_key(j, "meaning"), sl_json_string(j, p->help);
    sl_json_close(j, '}');
}

static sl_status write_json(FILE *file, const void *result, sl_error *error)
{
    const listing *list = result;
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_tool_json(&j, "policies");
    sl_json_key(&j, "policies"), sl_json_array(&j, true);
    for (size_t i = 0; i < list->count; i++) {
        const sl_policy_ops *ops = shown(list, i);
        if (!ops)
            continue;
        sl_json_object(&j, true);
        sl_json_key(&j, "name"), sl_json_string(&j, ops->name);
        sl_json_key(&j, "role"), sl_json_string(&j, role(ops));
        sl_json_key(&j, "summary"), sl_json_string(&j, ops->summary);
        sl_json_key(&j, "source"), sl_json_string(&j, ops->source);
        if (ops->cost) {
            sl_json_key(&j, "cost"), sl_json_string(&j, ops->cost);
            sl_json_key(&j, "access_nj"), sl_json_double(&j, ops->access_nj);
            sl_json_key(&j, "leak_mw"), sl_json_double(&j, ops->leak_mw);
        }
        sl_json_key(&j, "parameters"), sl_json_array(&j, true);
        for (const sl_param *p = ops->params; p && p->name; p++)
            json_param(&j, p);
        sl_json_close(&j, ']');
        sl_json_close(&j, '}');
    }
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

/* A line per parameter; one for policies without parameters. */
static sl_status write_csv(FILE *file, const void *result, sl_error *error)
{
    const listing *list = result;
    static const sl_param none[] = {{0}};
    (void)error;
    fprintf(file, "policy,role,summary,parameter,default,values,meaning\n");
    for (size_t i = 0; i < list->count; i++) {
        const sl_policy_ops *ops = shown(list, i);
        const sl_param *p = ops && ops->params ? ops->params : none;
        for (bool more = ops; more; more = p->name && (++p)->name) {
            char preset[32] = "", range[128] = "";
            if (p->name) {
                preset_text(p, preset, sizeof preset);
                range_text(p, range, sizeof range);
            }
            sl_csv_field(file, ops->name), fprintf(file, ",%s,", role(ops));
            sl_csv_field(file, ops->summary), fputc(',', file);
            sl_csv_field(file, p->name ? p->name : ""), fprintf(file, ",%s,", preset);
            sl_csv_field(file, range), fputc(',', file);
            sl_csv_field(file, p->name ? p->help : ""), fputc('\n', file);
        }
    }
    return SL_OK;
}

/* ---- the command ---- */

static int run_policies(const sl_invocation *inv)
{
    static const sl_report_forms forms = {.text = write_text, .json = write_json, .csv = write_csv};
    listing list = {.count = sl_policy_count() + (inv->policies ? inv->policies->count : 0), .custom = inv->policies};
    sl_error error;
    if (inv->args.operands && sl_policy_find(inv->policies, inv->args.operand[0], &list.only, &error))
        return sl_cli_usage(inv, "%s", error.text);
    return sl_report_write(inv, &forms, &list, stdout);
}

static const sl_example examples[] = {
    {"sluice policies", "List the policies with their parameters, a line each"},
    {"sluice policies drrip", "Show the parameters of one policy"},
    {0},
};

const sl_command sl_cmd_policies = {
    .name = "policies",
    .summary = "list replacement and bypass policies",
    .usage = "[options] [NAME]",
    .description =
        "List replacement and bypass policies with their parameters and defaults. With a name, show where the policy "
        "was published, its hardware cost and the meaning of its parameters.\n\nIn a machine description, the key "
        "'replacement' of a level sets its replacement policy, with parameters in parentheses: 'replacement: "
        "srrip(bits=3)'. The key 'bypass' sets its bypass policy; any can be combined with any replacement policy. A "
        "policy with both roles is complete as 'replacement'; as 'bypass' beside another replacement policy it selects "
        "no victims. If 'best' is among the values of a parameter, several values are tried and the best is used.",
    .common = SL_COMMON_PLUGINS | SL_COMMON_REPORT,
    .values_bytes = sizeof(sl_common),
    .max_operands = 1,
    .operand = "a policy",
    .examples = examples,
    .run = run_policies,
};
