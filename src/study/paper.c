/* SPDX-License-Identifier: MIT */
/* Reads a paper from YAML. Every name is checked here. */
#include "study/paper.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "policy/policy.h"
#include "policy/states.h"
#include "study/config.h"
#include "workloads/workload.h"

enum { MAX_EACH = 4 };

typedef struct reader {
    sl_yaml yaml;
    sl_paper *paper;
    sl_point start; /* what all configurations have in common */
    sl_expression_names names;
    struct {
        const char *name, *value;
    } given[MAX_EACH]; /* what $name stands for at the moment */
    size_t givens;
} reader;

static reader *reader_of(sl_yaml *yaml)
{
    return (reader *)(void *)yaml;
}

#define FAIL(node, ...) sl_yaml_fail(&r->yaml, (node), __VA_ARGS__)

static sl_status no_memory(reader *r)
{
    return sl_fail_memory(r->yaml.error);
}

/* Room for `count` items in the paper's arena. */
#define ROOM(r, type, count) sl_arena_array(&(r)->paper->arena, type, (count) + 1)

/* Replaces the names of 'each' by their values. */
static sl_status replace_given(reader *r, const char **text)
{
    for (size_t i = 0; *text && i < r->givens; i++)
        *text = sl_config_replace(*text, r->given[i].name, r->given[i].value, &r->paper->arena);
    return *text ? SL_OK : no_memory(r);
}

static sl_status copy_word(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    const char *text, **word = to;
    sl_status status = sl_yaml_read_word(yaml, node, name, &text);
    if (status)
        return status;
    *word = sl_arena_strdup(&r->paper->arena, text);
    return replace_given(r, word);
}

/* ---- each: {p: [lru, srrip]}: an item once for each value, or combination of values ---- */

static const yaml_node_t *each_of(reader *r, const yaml_node_t *node)
{
    for (size_t i = 0; node->type == YAML_MAPPING_NODE && i < sl_yaml_items(node); i++) {
        const char *key = sl_yaml_word(sl_yaml_key(&r->yaml, node, i));
        if (key && !strcmp(key, "each"))
            return sl_yaml_item(&r->yaml, node, i);
    }
    return NULL;
}

static bool is_word(const yaml_node_t *node, const char *word)
{
    return sl_yaml_word(node) && !strcmp(sl_yaml_word(node), word);
}

/* "policies" stands for the names of all. */
static bool is_all_policies(const yaml_node_t *list)
{
    return is_word(list, "policies");
}

static size_t customs_of(const reader *r)
{
    return r->start.custom ? r->start.custom->list->count : 0;
}

/* Those of plug-ins behind the built-in ones. */
static const char *policy_name(const reader *r, size_t i)
{
    return i < sl_policy_count() ? sl_policy_at(i)->name : r->start.custom->list->ops[i - sl_policy_count()]->name;
}

static size_t values_of(const reader *r, const yaml_node_t *list)
{
    return is_all_policies(list) ? sl_policy_count() + customs_of(r) : sl_yaml_items(list);
}

/* How many items the items of a list or a map are. */
static size_t expanded(reader *r, const yaml_node_t *items)
{
    size_t sum = 0;
    for (size_t i = 0; i < sl_yaml_items(items); i++) {
        const yaml_node_t *each = each_of(r, sl_yaml_item(&r->yaml, items, i));
        size_t product = 1;
        for (size_t k = 0; each && k < sl_yaml_items(each); k++)
            product *= values_of(r, sl_yaml_item(&r->yaml, each, k));
        sum += product;
    }
    return sum;
}

/* Reads an item, with its key in a map (NULL: none). */
typedef sl_status read_item(reader *r, const yaml_node_t *key, const yaml_node_t *node);

static sl_status read_each(reader *r, const yaml_node_t *key, const yaml_node_t *node, size_t variable,
                           read_item *read_one)
{
    const yaml_node_t *each = each_of(r, node);
    if (each && (each->type != YAML_MAPPING_NODE || r->givens + sl_yaml_items(each) > MAX_EACH + variable))
        return FAIL(each, "'each' takes up to %d names and their values, such as {p: [lru, srrip]}", MAX_EACH);
    if (!each || variable == sl_yaml_items(each))
        return read_one(r, key, node);
    const yaml_node_t *list = sl_yaml_item(&r->yaml, each, variable);
    sl_status status = SL_OK;
    for (size_t i = 0; i < values_of(r, list) && !status; i++) {
        const char *value = is_all_policies(list) ? policy_name(r, i) : sl_yaml_word(sl_yaml_item(&r->yaml, list, i));
        r->given[r->givens].name = sl_yaml_word(sl_yaml_key(&r->yaml, each, variable));
        r->given[r->givens].value = value;
        if (!value || !r->given[r->givens].name)
            return FAIL(list, "'each' takes single values");
        r->givens++;
        status = read_each(r, key, node, variable + 1, read_one);
        r->givens--;
    }
    return status;
}

static sl_status read_items(reader *r, const yaml_node_t *items, read_item *read_one)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < sl_yaml_items(items) && !status; i++)
        status = read_each(r, items->type == YAML_MAPPING_NODE ? sl_yaml_key(&r->yaml, items, i) : NULL,
                           sl_yaml_item(&r->yaml, items, i), 0, read_one);
    return status;
}

/* ---- names ---- */

#define FIND(function, items, item)                                                                                    \
    static int function(const void *context, const char *name)                                                         \
    {                                                                                                                  \
        const sl_paper *paper = context;                                                                               \
        for (size_t i = 0; i < paper->items; i++)                                                                      \
            if (!strcmp(paper->item[i].name, name))                                                                    \
                return (int)i;                                                                                         \
        return -1;                                                                                                     \
    }
FIND(find_program, programs, program)
FIND(find_group, groups, group)
FIND(find_config, configs, config)

/* A name that expressions can use. */
static sl_status read_name(reader *r, const yaml_node_t *key, const char **name)
{
    sl_status status = copy_word(&r->yaml, key, "a name", name);
    if (status)
        return status;
    for (const char *at = *name; *at; at++)
        if (!(*at == '_' || (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')))
            return FAIL(key, "'%s' is not a name: use letters, digits and '_'", *name);
    return **name >= '0' && **name <= '9' ? FAIL(key, "'%s' is not a name: begin with a letter", *name) : SL_OK;
}

/* ---- programs and groups ---- */

/* Ends the text before the key; what follows it, or "". */
static const char *cut(const char *text, const char *key)
{
    char *at = strstr(text, key);
    if (!at)
        return "";
    *at = 0;
    return at + strlen(key);
}

/* "hybridsort_bucket n=4096 kernel=bucket_count launch=1": kernel and launch come last. */
static void split_program(sl_paper_program *p)
{
    p->launch = cut(p->workload, " launch=");
    p->kernel = cut(p->workload, " kernel=");
    p->params = cut(p->workload, " ");
}

/* "spmv rows=500 kernel=spmv_jds": a workload. */
static sl_status read_workload(reader *r, const yaml_node_t *node, sl_paper_program *p)
{
    const sl_workload *workload;
    sl_status status = copy_word(&r->yaml, node, "a program", &p->workload);
    if (status)
        return status;
    split_program(p);
    p->command = "";
    return sl_yaml_locate(&r->yaml, node, sl_workload_find(p->workload, &workload, r->yaml.error));
}

/* {program: BitonicSort -x 1024, kernel: bitonicSort}: a program that is installed, or not. */
static sl_status read_command(reader *r, const yaml_node_t *map, sl_paper_program *p)
{
#define OF(field) copy_word, offsetof(sl_paper_program, field)
    static const sl_yaml_field fields[] = {
        {"program", OF(command), true}, {"kernel", OF(kernel), false}, {"launch", OF(launch), false}, {0}};
#undef OF
    p->workload = p->params = p->kernel = p->launch = "";
    return sl_yaml_read_fields(&r->yaml, map, "a program", fields, p);
}

/* "programs: workloads": all of them, by their names and at their sizes. */
static sl_status read_workloads(reader *r)
{
    sl_paper *paper = r->paper;
    paper->program = ROOM(r, sl_paper_program, sl_workload_count());
    if (!paper->program)
        return no_memory(r);
    for (; paper->programs < sl_workload_count(); paper->programs++) {
        const char *name = sl_workload_at(paper->programs)->name;
        paper->program[paper->programs] =
            (sl_paper_program){.name = name, .workload = name, .params = "", .command = "", .kernel = "", .launch = ""};
    }
    return SL_OK;
}

static sl_status read_programs(sl_yaml *yaml, const yaml_node_t *map, const char *key, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper *paper = to;
    (void)key;
    if (is_word(map, "workloads"))
        return read_workloads(r);
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'programs' takes names and workloads, such as {PTF: particlefilter}");
    paper->program = ROOM(r, sl_paper_program, sl_yaml_items(map));
    if (!paper->program)
        return no_memory(r);
    for (size_t i = 0; i < sl_yaml_items(map); i++) {
        sl_paper_program *p = &paper->program[i];
        const yaml_node_t *node = sl_yaml_item(&r->yaml, map, i);
        sl_status status = read_name(r, sl_yaml_key(&r->yaml, map, i), &p->name);
        if (!status)
            status = node->type == YAML_MAPPING_NODE ? read_command(r, node, p) : read_workload(r, node, p);
        if (status)
            return status;
        uint64_t launch;
        if (*p->launch && !sl_parse_count(p->launch, 1, &launch))
            return FAIL(node, "'launch=%s' is not the number of a launch", p->launch);
        if (find_program(paper, p->name) >= 0)
            return FAIL(node, "program '%s' is defined twice", p->name);
        paper->programs++;
    }
    return SL_OK;
}

/* Parameters of some programs, by their names. */
static sl_status read_params(sl_yaml *yaml, const yaml_node_t *map, const char *what, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper *paper = to;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'params' takes names of programs and their parameters, such as {gesummv: n=512}");
    for (size_t i = 0; i < sl_yaml_items(map); i++) {
        const yaml_node_t *key = sl_yaml_key(&r->yaml, map, i);
        const char *name = sl_yaml_word(key);
        int program = name ? find_program(paper, name) : -1;
        if (program < 0)
            return FAIL(key, "unknown program '%s'", name ? name : "?");
        sl_status status = copy_word(yaml, sl_yaml_item(yaml, map, i), what, &paper->program[program].params);
        if (status)
            return status;
    }
    return SL_OK;
}

static sl_status read_members(reader *r, const yaml_node_t *list, const char *what, size_t *count, int **members,
                              int (*find)(const void *, const char *))
{
    bool all = find == find_program && is_word(list, "programs");
    *count = all ? r->paper->programs : sl_yaml_items(list);
    *members = ROOM(r, int, *count);
    if (!*members)
        return no_memory(r);
    for (size_t i = 0; all && i < *count; i++)
        (*members)[i] = (int)i;
    if (all)
        return SL_OK;
    for (size_t i = 0; i < *count; i++) {
        const yaml_node_t *node = sl_yaml_item(&r->yaml, list, i);
        const char *word = sl_yaml_word(node);
        (*members)[i] = word ? find(r->paper, word) : -1;
        if ((*members)[i] < 0)
            return FAIL(node, "unknown %s '%s'", what, word ? word : "?");
    }
    return SL_OK;
}

static sl_status read_groups(sl_yaml *yaml, const yaml_node_t *map, const char *key, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper *paper = to;
    (void)key;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'groups' takes names and lists of programs");
    paper->group = ROOM(r, sl_paper_group, sl_yaml_items(map));
    if (!paper->group)
        return no_memory(r);
    for (size_t i = 0; i < sl_yaml_items(map); i++) {
        sl_paper_group *g = &paper->group[i];
        sl_status status = read_name(r, sl_yaml_key(&r->yaml, map, i), &g->name);
        if (!status)
            status = read_members(r, sl_yaml_item(&r->yaml, map, i), "program", &g->count, &g->program, find_program);
        if (status)
            return status;
        if (find_group(paper, g->name) >= 0 || find_program(paper, g->name) >= 0)
            return FAIL(map, "the name '%s' is used twice", g->name);
        paper->groups++;
    }
    return SL_OK;
}

static sl_status read_quick_programs(sl_yaml *yaml, const yaml_node_t *list, const char *name, void *to)
{
    sl_paper *paper = to;
    int *members;
    size_t count;
    (void)name;
    sl_status status = read_members(reader_of(yaml), list, "program", &count, &members, find_program);
    for (size_t i = 0; !status && i < count; i++)
        paper->program[members[i]].quick = true;
    return status;
}

static sl_status read_quick(sl_yaml *yaml, const yaml_node_t *map, const char *name, void *to)
{
    static const sl_yaml_field fields[] = {
        {"programs", read_quick_programs, 0, false}, {"size", copy_word, offsetof(sl_paper, quick_size), false}, {0}};
    (void)name;
    return sl_yaml_read_fields(yaml, map, "a quick run", fields, to);
}

/* ---- configurations ---- */

/* "a=1 b=2" from {a: 1, b: 2}. */
static sl_status read_settings(sl_yaml *yaml, const yaml_node_t *map, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    const char *all = "", **settings = to;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'%s' takes keys and values, such as {L1.size: 32K}", name);
    for (size_t i = 0; i < sl_yaml_items(map); i++) {
        const char *key = sl_yaml_word(sl_yaml_key(yaml, map, i));
        const yaml_node_t *node = sl_yaml_item(yaml, map, i);
        const char *value = sl_yaml_word(node);
        if (!key || !value || strchr(value, ' '))
            return FAIL(node, "'%s' takes a single value without spaces for each key", name);
        all = sl_arena_printf(&r->paper->arena, "%s%s%s=%s", all, *all ? " " : "", key, value);
        if (!all)
            return no_memory(r);
    }
    *settings = all;
    return replace_given(r, settings);
}

/* {pd: [4, 8]}: the configuration with each of the values for $pd. */
static sl_status read_vary(sl_yaml *yaml, const yaml_node_t *map, const char *key, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper_config *config = to;
    (void)key;
    if (map->type != YAML_MAPPING_NODE || sl_yaml_items(map) != 1)
        return FAIL(map, "'vary' takes one name and its values, such as {pd: [4, 8]}");
    const char *name = sl_yaml_word(sl_yaml_key(yaml, map, 0));
    const yaml_node_t *list = sl_yaml_item(yaml, map, 0);
    const sl_point *start = &config->start;
    config->variants = sl_yaml_items(list);
    config->variant = ROOM(r, sl_point, config->variants);
    if (!config->variant)
        return no_memory(r);
    for (size_t i = 0; i < config->variants; i++) {
        sl_point *point = &config->variant[i];
        const char *value = sl_yaml_word(sl_yaml_item(yaml, list, i));
        if (!value || !name)
            return FAIL(list, "'vary' takes single values");
        *point = *start;
        point->l1 = sl_config_replace(start->l1, name, value, &r->paper->arena);
        point->l2 = sl_config_replace(start->l2, name, value, &r->paper->arena);
        point->settings = sl_config_replace(start->settings, name, value, &r->paper->arena);
        if (!point->l1 || !point->l2 || !point->settings)
            return no_memory(r);
    }
    return config->variants ? SL_OK : FAIL(list, "'vary' has no values");
}

/* {SPV: {speedup: 1.05}}: by program and counter. */
static sl_status read_values(sl_yaml *yaml, const yaml_node_t *map, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper_config *config = to;
    size_t count = 0;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'values' takes numbers by program and counter, such as {A: {cycles: 5}}");
    for (size_t i = 0; i < sl_yaml_items(map); i++)
        count += sl_yaml_items(sl_yaml_item(&r->yaml, map, i));
    config->value = ROOM(r, sl_paper_known, count);
    if (!config->value)
        return no_memory(r);
    for (size_t i = 0; i < sl_yaml_items(map); i++) {
        const yaml_node_t *key = sl_yaml_key(&r->yaml, map, i), *of = sl_yaml_item(&r->yaml, map, i);
        int program = sl_yaml_word(key) ? find_program(r->paper, sl_yaml_word(key)) : -1;
        if (program < 0 || of->type != YAML_MAPPING_NODE)
            return FAIL(key, "'values' takes numbers by program and counter, such as {A: {cycles: 5}}");
        for (size_t k = 0; k < sl_yaml_items(of); k++) {
            sl_paper_known *known = &config->value[config->known++];
            known->program = program;
            sl_status status = read_name(r, sl_yaml_key(&r->yaml, of, k), &known->counter);
            if (!status)
                status = sl_yaml_read_number(yaml, sl_yaml_item(yaml, of, k), name, &known->number);
            if (status)
                return status;
        }
    }
    return SL_OK;
}

static sl_status read_config(reader *r, const yaml_node_t *node, sl_paper_config *config)
{
#define AT(field) offsetof(sl_paper_config, field)
    static const sl_yaml_field fields[] = {SL_POINT_FIELDS(AT(start)),
                                           {"machine", copy_word, AT(start.machine), false},
                                           {"set", read_settings, AT(start.settings), false},
                                           {"l1", copy_word, AT(start.l1), false},
                                           {"l2", copy_word, AT(start.l2), false},
                                           {"scheduler", copy_word, AT(start.scheduler), false},
                                           {"without", copy_word, AT(start.without), false},
                                           {"best", copy_word, AT(best), false},
                                           {"vary", read_vary, 0, false},
                                           {"values", read_values, 0, false},
                                           {"help", NULL, 0, false},
                                           {"each", NULL, 0, false},
                                           {0}};
#undef AT
    sl_status status = sl_yaml_read_fields(&r->yaml, node, "a configuration", fields, config);
    if (status || config->value)
        return status;
    if (!config->variants != !config->best)
        return FAIL(node, "'vary' and 'best' require each other: the values, and the counter to minimize");
    if (!config->variants) {
        config->variants = 1;
        config->variant = &config->start;
    }
    for (size_t i = 0; i < config->variants && !status; i++)
        status = sl_config_check(&r->yaml, node, &config->variant[i]);
    return status;
}

static sl_status read_named_config(reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
    sl_paper_config *config = &r->paper->config[r->paper->configs];
    config->start = r->start;
    sl_status status = read_name(r, key, &config->name);
    if (!status)
        status = read_config(r, node, config);
    if (status)
        return status;
    if (find_config(r->paper, config->name) >= 0)
        return FAIL(key, "configuration '%s' is defined twice", config->name);
    r->paper->configs++;
    return SL_OK;
}

static sl_status read_configs(sl_yaml *yaml, const yaml_node_t *map, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper *paper = to;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'%s' takes names and configurations", name);
    paper->config = ROOM(r, sl_paper_config, expanded(r, map));
    return paper->config ? read_items(r, map, read_named_config) : no_memory(r);
}

/* ---- figures ---- */

static sl_status read_expression(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    const char *text;
    sl_status status = copy_word(yaml, node, name, &text);
    if (status)
        return status;
    return sl_yaml_locate(yaml, node, sl_expression_parse(text, &r->names, &r->paper->arena, to, yaml->error));
}

/* Numbers or reasons by the names of programs and groups. */
static sl_status read_subject(reader *r, const yaml_node_t *key, int *program, int *group)
{
    const char *word = sl_yaml_word(key);
    *program = word ? find_program(r->paper, word) : -1;
    *group = word ? find_group(r->paper, word) : -1;
    return *program < 0 && *group < 0 ? FAIL(key, "'%s' is neither a program nor a group", word ? word : "?") : SL_OK;
}

static sl_status read_numbers(sl_yaml *yaml, const yaml_node_t *map, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper_column *column = to;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'%s' takes numbers by the names of programs and groups", name);
    column->number = ROOM(r, sl_paper_number, sl_yaml_items(map));
    sl_status status = column->number ? SL_OK : no_memory(r);
    for (; column->numbers < sl_yaml_items(map) && !status; column->numbers++) {
        sl_paper_number *n = &column->number[column->numbers];
        status = read_subject(r, sl_yaml_key(yaml, map, column->numbers), &n->program, &n->group);
        if (!status)
            status = sl_yaml_read_number(yaml, sl_yaml_item(yaml, map, column->numbers), name, &n->number);
    }
    return status;
}

static sl_status read_reasons(sl_yaml *yaml, const yaml_node_t *map, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper_column *column = to;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'%s' takes reasons by the names of programs and groups", name);
    column->reason = ROOM(r, sl_paper_reason, sl_yaml_items(map));
    sl_status status = column->reason ? SL_OK : no_memory(r);
    for (; column->reasons < sl_yaml_items(map) && !status; column->reasons++) {
        sl_paper_reason *why = &column->reason[column->reasons];
        status = read_subject(r, sl_yaml_key(yaml, map, column->reasons), &why->program, &why->group);
        if (!status)
            status = copy_word(yaml, sl_yaml_item(yaml, map, column->reasons), name, &why->text);
    }
    return status;
}

static sl_status read_digits(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    uint64_t digits;
    sl_status status = sl_yaml_read_count(yaml, node, name, &digits);
    if (!status && digits > 6)
        return sl_yaml_fail(yaml, node, "at most 6 digits are shown");
    if (!status)
        *(int *)to = (int)digits;
    return status;
}

static sl_status read_mean(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    static const char *const means[] = {"none", "geometric", "arithmetic", NULL};
    int mean;
    sl_status status = sl_yaml_read_choice(yaml, node, name, means, &mean);
    if (!status)
        *(sl_paper_mean *)to = (sl_paper_mean)mean;
    return status;
}

/* How numbers of columns and claims are compared: their `measure`. */
static const sl_paper_measure start_measure = {.unit = "", .digits = 2, .neutral = NAN, .within = 0.05, .still = 0.02};
#define MEASURE_FIELDS                                                                                                 \
    {"unit", copy_word, AT(measure.unit), false}, {"digits", read_digits, AT(measure.digits), false},                  \
        {"neutral", sl_yaml_read_number, AT(measure.neutral), false},                                                  \
        {"within", sl_yaml_read_number, AT(measure.within), false},                                                    \
        {"still", sl_yaml_read_number, AT(measure.still), false},                                                      \
        {"noise", read_expression, AT(measure.noise), false},                                                          \
    {                                                                                                                  \
        "input", sl_yaml_read_flag, AT(measure.input), false                                                           \
    }

static sl_status read_formula(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    sl_paper_column *column = to;
    sl_status status = copy_word(yaml, node, name, &column->formula);
    return status ? status : read_expression(yaml, node, name, &column->value);
}

static sl_status read_chart(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    static const char *const kinds[] = {"clusters", "stacks", "lines", NULL};
    int kind;
    sl_status status = sl_yaml_read_choice(yaml, node, name, kinds, &kind);
    if (!status)
        *(sl_chart_kind *)to = (sl_chart_kind)kind;
    return status;
}

static sl_status read_column(reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
#define AT(field) offsetof(sl_paper_column, field)
    static const sl_yaml_field fields[] = {{"name", copy_word, AT(name), true},
                                           {"value", read_formula, 0, true},
                                           MEASURE_FIELDS,
                                           {"mean", read_mean, AT(mean), false},
                                           {"series", copy_word, AT(series), false},
                                           {"at", copy_word, AT(at), false},
                                           {"drawn", sl_yaml_read_flag, AT(drawn), false},
                                           {"paper", read_numbers, 0, false},
                                           {"why", read_reasons, 0, false},
                                           {"each", NULL, 0, false},
                                           {0}};
#undef AT
    sl_paper_figure *figure = &r->paper->figure[r->paper->figures - 1];
    sl_paper_column *column = &figure->column[figure->columns++];
    (void)key;
    column->measure = start_measure;
    column->series = column->at = "";
    column->drawn = true;
    return sl_yaml_read_fields(&r->yaml, node, "a column", fields, column);
}

/* What `value` stands for in the conditions of the claim. */
static sl_status read_claim_value(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const sl_expression **value = to;
    sl_status status = read_expression(yaml, node, name, value);
    if (!status)
        reader_of(yaml)->names.value = *value;
    return status;
}

static sl_status read_claim(reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
#define AT(field) offsetof(sl_paper_claim, field)
    static const sl_yaml_field fields[] = {{"says", copy_word, AT(says), true},
                                           MEASURE_FIELDS,
                                           {"value", read_claim_value, AT(value), false},
                                           {"direction", read_expression, AT(direction), false},
                                           {"holds", read_expression, AT(holds), false},
                                           {"paper", sl_yaml_read_number, AT(number), false},
                                           {"why", copy_word, AT(why), false},
                                           {0}};
#undef AT
    sl_paper_figure *figure = &r->paper->figure[r->paper->figures - 1];
    sl_paper_claim *claim = &figure->claim[figure->claims++];
    (void)key;
    claim->number = NAN;
    claim->measure = start_measure;
    sl_status status = sl_yaml_read_fields(&r->yaml, node, "a claim", fields, claim);
    r->names.value = NULL;
    if (!status && !claim->holds && (!claim->value || isnan(claim->number)))
        return FAIL(node, "a claim needs 'says', and either 'holds' or 'value' and 'paper'");
    if (!status && claim->direction && !claim->holds)
        return FAIL(node, "a 'direction' is what remains of 'holds' without its size; a number has 'neutral'");
    return status;
}

/* Lists of a figure: what they are read into has room for all of them. */
static sl_status read_columns(sl_yaml *yaml, const yaml_node_t *list, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper_figure *figure = to;
    if (list->type != YAML_SEQUENCE_NODE)
        return FAIL(list, "'%s' is a list", name);
    figure->column = ROOM(r, sl_paper_column, expanded(r, list));
    return figure->column ? read_items(r, list, read_column) : no_memory(r);
}

static sl_status read_claims(sl_yaml *yaml, const yaml_node_t *list, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper_figure *figure = to;
    if (list->type != YAML_SEQUENCE_NODE)
        return FAIL(list, "'%s' is a list", name);
    figure->claim = ROOM(r, sl_paper_claim, expanded(r, list));
    return figure->claim ? read_items(r, list, read_claim) : no_memory(r);
}

static sl_status read_rows(sl_yaml *yaml, const yaml_node_t *list, const char *name, void *to)
{
    sl_paper_figure *figure = to;
    (void)name;
    return read_members(reader_of(yaml), list, "group", &figure->groups, &figure->group, find_group);
}

static sl_status read_states(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const sl_policy_transition **states = to;
    const sl_policy_ops *ops = NULL;
    const char *policy;
    sl_status status = copy_word(yaml, node, name, &policy);
    if (!status)
        status = sl_yaml_locate(yaml, node, sl_policy_find(NULL, policy, &ops, yaml->error));
    if (status)
        return status;
    *states = sl_policy_states(ops);
    return *states ? SL_OK : sl_yaml_fail(yaml, node, "policy '%s' does not describe its states", policy);
}

static sl_status read_figure(reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
#define AT(field) offsetof(sl_paper_figure, field)
    static const sl_yaml_field fields[] = {{"id", copy_word, AT(id), true},
                                           {"title", copy_word, AT(title), true},
                                           {"where", copy_word, AT(where), false},
                                           {"note", copy_word, AT(note), false},
                                           {"quick", sl_yaml_read_flag, AT(quick), false},
                                           {"ranked", sl_yaml_read_flag, AT(ranked), false},
                                           {"chart", read_chart, AT(chart), false},
                                           {"axis", copy_word, AT(axis), false},
                                           {"states", read_states, AT(states), false},
                                           {"means", sl_yaml_read_flag, AT(means), false},
                                           {"rows", read_rows, 0, false},
                                           {"columns", read_columns, 0, false},
                                           {"claims", read_claims, 0, false},
                                           {"each", NULL, 0, false},
                                           {0}};
#undef AT
    sl_paper_figure *figure = &r->paper->figure[r->paper->figures++];
    (void)key;
    figure->where = figure->note = figure->axis = "";
    figure->quick = true;
    sl_status status = sl_yaml_read_fields(&r->yaml, node, "a figure", fields, figure);
    if (!status && figure->columns && !figure->group)
        return FAIL(node, "a figure with columns needs 'rows': the groups whose programs it shows");
    return status;
}

static sl_status read_figures(sl_yaml *yaml, const yaml_node_t *list, const char *name, void *to)
{
    reader *r = reader_of(yaml);
    sl_paper *paper = to;
    if (list->type != YAML_SEQUENCE_NODE)
        return FAIL(list, "'%s' is a list", name);
    paper->figure = ROOM(r, sl_paper_figure, expanded(r, list));
    return paper->figure ? read_items(r, list, read_figure) : no_memory(r);
}

/* ---- the whole ---- */

/* The machine and the kind of analysis of all configurations. */
static sl_status read_start(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    sl_point *start = &reader_of(yaml)->start;
    (void)to;
    return !strcmp(name, "kind") ? sl_config_read_kind(yaml, node, name, &start->kind)
                                 : copy_word(yaml, node, name, &start->machine);
}

static sl_status read_root(reader *r)
{
#define AT(field) offsetof(sl_paper, field)
    static const sl_yaml_field fields[] = {{"name", copy_word, AT(name), true},
                                           {"title", copy_word, AT(title), true},
                                           {"source", copy_word, AT(source), true},
                                           {"summary", copy_word, AT(summary), false},
                                           {"machine", read_start, 0, false},
                                           {"kind", read_start, 0, false},
                                           {"alone", sl_yaml_read_flag, AT(alone), false},
                                           {"programs", read_programs, 0, true},
                                           {"params", read_params, 0, false},
                                           {"groups", read_groups, 0, true},
                                           {"quick", read_quick, 0, false},
                                           {"configs", read_configs, 0, true},
                                           {"figures", read_figures, 0, true},
                                           {0}};
#undef AT
    const yaml_node_t *root = sl_yaml_root(&r->yaml);
    return root ? sl_yaml_read_fields(&r->yaml, root, "a paper", fields, r->paper)
                : FAIL(NULL, "the file contains no paper");
}

sl_status sl_paper_parse(const char *path, const char *text, size_t bytes, const sl_custom_policies *custom,
                         sl_paper *paper, sl_error *error)
{
    reader r = {.paper = paper, .start = SL_POINT_START};
    *paper = (sl_paper){.summary = "", .quick_size = "default"};
    sl_arena_init(&paper->arena);
    r.start.custom = custom;
    r.names = (sl_expression_names){find_config, find_program, find_group, paper, NULL};
    sl_status status = sl_yaml_open(&r.yaml, path, text, bytes, error);
    if (status)
        return status;
    status = read_root(&r);
    sl_yaml_close(&r.yaml);
    return status;
}

void sl_paper_free(sl_paper *paper)
{
    sl_arena_fini(&paper->arena);
}
