/* SPDX-License-Identifier: MIT */
/* sluice policies: replacement and bypass policies. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "policy/policy.h"

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

static void add_list(sl_document *d, const listing *list)
{
    static const sl_column columns[] = {SL_TEXTS("policy"), SL_TEXTS("role"),
                                        SL_PROSE("description; parameters and their defaults")};
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, 3);
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
    sl_document_line(d, "\n'sluice policies NAME' explains the parameters of a policy. In machine descriptions:\n"
                        "'replacement: srrip(bits=3)' and 'bypass: decoupled(threshold=2)'.\n");
}

static void param_cells(sl_table *t, const sl_param *p)
{
    char preset[32], range[128] = "";
    preset_text(p, preset, sizeof preset);
    range_text(p, range, sizeof range);
    sl_table_cell(t, p->name);
    sl_table_cell(t, preset);
    sl_table_cell(t, range);
    sl_table_cell(t, p->help);
}

static void add_one(sl_document *d, const sl_policy_ops *ops)
{
    static const sl_column columns[] = {SL_TEXTS("parameter"), SL_TEXTS("default"), SL_TEXTS("values"),
                                        SL_PROSE("description")};
    sl_document_line(d, "%s: %s\nrole: %s%s\nsource: %s\n", ops->name, ops->summary, role(ops),
                     ops->first_level_only ? ", in the first level only" : "", ops->source);
    if (ops->cost)
        sl_document_line(d, "cost, as published: %s\n", ops->cost);
    sl_table *t = sl_document_table(d, NULL, "", SL_FORM_TEXT, columns, 4);
    for (const sl_param *p = ops->params; p && p->name; p++)
        param_cells(t, p);
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

static void write_params(sl_json *j, const void *of)
{
    const sl_policy_ops *ops = of;
    sl_json_array(j, true);
    for (const sl_param *p = ops->params; p && p->name; p++)
        json_param(j, p);
    sl_json_close(j, ']');
}

/* In CSV a row per parameter, and one for policies without parameters. */
static void add_data(sl_document *d, const listing *list)
{
    static const sl_column policies[] = {SL_DATA("name"),    SL_DATA("role"),      SL_DATA("summary"),
                                         SL_DATA("source"),  SL_DATA("cost"),      SL_DATA("access_nj"),
                                         SL_DATA("leak_mw"), SL_DATA("parameters")};
    static const sl_column params[] = {SL_DATA("policy"),  SL_DATA("role"),   SL_DATA("summary"), SL_DATA("parameter"),
                                       SL_DATA("default"), SL_DATA("values"), SL_DATA("meaning")};
    sl_table *json = sl_document_table(d, "policies", NULL, SL_FORM_JSON, policies, sizeof policies / sizeof *policies);
    sl_table *csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, params, sizeof params / sizeof *params);
    for (size_t i = 0; i < list->count; i++) {
        const sl_policy_ops *ops = shown(list, i);
        if (!ops)
            continue;
        sl_table_cell(json, ops->name);
        sl_table_cell(json, role(ops));
        sl_table_cell(json, ops->summary);
        sl_table_cell(json, ops->source);
        sl_table_cell(json, ops->cost);
        sl_table_number(json, ops->cost ? ops->access_nj : NAN, 2, "");
        sl_table_number(json, ops->cost ? ops->leak_mw : NAN, 2, "");
        sl_table_json_value(json, write_params, ops);
        const sl_param *p = ops->params;
        do {
            sl_table_cell(csv, ops->name);
            sl_table_cell(csv, role(ops));
            sl_table_cell(csv, ops->summary);
            if (p && p->name)
                param_cells(csv, p++);
            else
                for (int n = 0; n < 4; n++)
                    sl_table_none(csv);
        } while (p && p->name);
    }
}

/* ---- the command ---- */

static int run_policies(const sl_invocation *inv)
{
    static const sl_report_info info = {.command = "policies"};
    listing list = {.count = sl_policy_count() + (inv->policies ? inv->policies->count : 0), .custom = inv->policies};
    sl_error error;
    if (inv->args.operands && sl_policy_find(inv->policies, inv->args.operand[0], &list.only, &error))
        return sl_cli_usage(inv, "%s", error.text);
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    add_data(d, &list);
    if (list.only)
        add_one(d, list.only);
    else
        add_list(d, &list);
    return sl_document_show(inv, d, NULL, stdout);
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
        "policy with both roles is complete as 'replacement'; as 'bypass' with another replacement policy it selects "
        "no victims. If 'best' is among the values of a parameter, several values are tried and the best is used.",
    .common = SL_COMMON_PLUGINS | SL_COMMON_REPORT,
    .values_bytes = sizeof(sl_common),
    .max_operands = 1,
    .operand = "a policy",
    .examples = examples,
    .run = run_policies,
};
