/* SPDX-License-Identifier: MIT */
/* Reads a paper from YAML. Every name is checked here. */
#include "study/paper.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "study/config.h"
#include "workloads/workload.h"

enum { MAX_EACH = 4 };

typedef struct reader {
    sl_yaml yaml;
    sl_paper *paper;
    sl_expression_names names;
    struct {
        const char *name, *value;
    } given[MAX_EACH]; /* what $name stands for at the moment */
    size_t givens;
} reader;

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

static sl_status copy_word(reader *r, const yaml_node_t *node, const char *name, const char **word)
{
    const char *text = NULL;
    sl_status status = sl_yaml_read_word(&r->yaml, node, name, &text);
    if (status || !node)
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

static size_t values_of(const yaml_node_t *list)
{
    return is_all_policies(list) ? sl_policy_count() : sl_yaml_items(list);
}

/* How many items the items of a list or a map are. */
static size_t expanded(reader *r, const yaml_node_t *items)
{
    size_t sum = 0;
    for (size_t i = 0; i < sl_yaml_items(items); i++) {
        const yaml_node_t *each = each_of(r, sl_yaml_item(&r->yaml, items, i));
        size_t product = 1;
        for (size_t k = 0; each && k < sl_yaml_items(each); k++)
            product *= values_of(sl_yaml_item(&r->yaml, each, k));
        sum += product;
    }
    return sum;
}

/* Takes an item, with its key in a map (NULL: none), into `to`. */
typedef sl_status read_item(reader *r, const yaml_node_t *key, const yaml_node_t *node, void *to);

static sl_status read_each(reader *r, const yaml_node_t *key, const yaml_node_t *node, size_t variable,
                           read_item *read_one, void *to)
{
    const yaml_node_t *each = each_of(r, node);
    if (each && (each->type != YAML_MAPPING_NODE || r->givens + sl_yaml_items(each) > MAX_EACH + variable))
        return FAIL(each, "'each' takes up to %d names and their values, such as {p: [lru, srrip]}", MAX_EACH);
    if (!each || variable == sl_yaml_items(each))
        return read_one(r, key, node, to);
    const yaml_node_t *list = sl_yaml_item(&r->yaml, each, variable);
    sl_status status = SL_OK;
    for (size_t i = 0; i < values_of(list) && !status; i++) {
        const char *value =
            is_all_policies(list) ? sl_policy_at(i)->name : sl_yaml_word(sl_yaml_item(&r->yaml, list, i));
        r->given[r->givens].name = sl_yaml_word(sl_yaml_key(&r->yaml, each, variable));
        r->given[r->givens].value = value;
        if (!value || !r->given[r->givens].name)
            return FAIL(list, "'each' takes single values");
        r->givens++;
        status = read_each(r, key, node, variable + 1, read_one, to);
        r->givens--;
    }
    return status;
}

static sl_status read_items(reader *r, const yaml_node_t *items, read_item *read_one, void *to)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < sl_yaml_items(items) && !status; i++)
        status = read_each(r, items->type == YAML_MAPPING_NODE ? sl_yaml_key(&r->yaml, items, i) : NULL,
                           sl_yaml_item(&r->yaml, items, i), 0, read_one, to);
    return status;
}

/* ---- names ---- */

static int find_program(const void *context, const char *name)
{
    const sl_paper *paper = context;
    for (size_t i = 0; i < paper->programs; i++)
        if (!strcmp(paper->program[i].name, name))
            return (int)i;
    return -1;
}

static int find_group(const void *context, const char *name)
{
    const sl_paper *paper = context;
    for (size_t i = 0; i < paper->groups; i++)
        if (!strcmp(paper->group[i].name, name))
            return (int)i;
    return -1;
}

static int find_config(const void *context, const char *name)
{
    const sl_paper *paper = context;
    for (size_t i = 0; i < paper->configs; i++)
        if (!strcmp(paper->config[i].name, name))
            return (int)i;
    return -1;
}

/* A name that expressions can use. */
static sl_status read_name(reader *r, const yaml_node_t *key, const char **name)
{
    sl_status status = copy_word(r, key, "a name", name);
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
            (sl_paper_program){.name = name, .workload = name, .params = "", .kernel = "", .launch = ""};
    }
    return SL_OK;
}

static sl_status read_programs(reader *r, const yaml_node_t *map)
{
    sl_paper *paper = r->paper;
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
        const sl_workload *workload;
        sl_status status = read_name(r, sl_yaml_key(&r->yaml, map, i), &p->name);
        if (!status)
            status = copy_word(r, node, "a program", &p->workload);
        if (status)
            return status;
        split_program(p);
        uint64_t launch;
        if (*p->launch && !sl_parse_count(p->launch, 1, &launch))
            return FAIL(node, "'launch=%s' is not the number of a launch", p->launch);
        status = sl_yaml_locate(&r->yaml, node, sl_workload_find(p->workload, &workload, r->yaml.error));
        if (status)
            return status;
        if (find_program(paper, p->name) >= 0)
            return FAIL(node, "program '%s' is defined twice", p->name);
        paper->programs++;
    }
    return SL_OK;
}

/* Parameters of some programs, by their names. */
static sl_status read_params(reader *r, const yaml_node_t *map)
{
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'params' takes names of programs and their parameters, such as {gesummv: n=512}");
    for (size_t i = 0; i < sl_yaml_items(map); i++) {
        const yaml_node_t *key = sl_yaml_key(&r->yaml, map, i);
        const char *name = sl_yaml_word(key);
        int program = name ? find_program(r->paper, name) : -1;
        if (program < 0)
            return FAIL(key, "unknown program '%s'", name ? name : "?");
        const yaml_node_t *value = sl_yaml_item(&r->yaml, map, i);
        sl_status status = copy_word(r, value, "parameters", &r->paper->program[program].params);
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

static sl_status read_groups(reader *r, const yaml_node_t *map)
{
    sl_paper *paper = r->paper;
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

static sl_status read_quick(reader *r, const yaml_node_t *map)
{
    enum { PROGRAMS, SIZE, KEYS };
    static const char *const names[] = {"programs", "size", NULL};
    const yaml_node_t *value[KEYS];
    int *members;
    size_t count;
    sl_status status = sl_yaml_pick(&r->yaml, map, "a quick run", names, value);
    if (!status)
        status = copy_word(r, value[SIZE], "size", &r->paper->quick_size);
    if (status || !value[PROGRAMS])
        return status;
    status = read_members(r, value[PROGRAMS], "program", &count, &members, find_program);
    for (size_t i = 0; !status && i < count; i++)
        r->paper->program[members[i]].quick = true;
    return status;
}

/* ---- configurations ---- */

enum {
    KIND,
    MACHINE,
    SET,
    L1,
    L2,
    SCHEDULER,
    WITHOUT,
    COLD,
    STREAM,
    LOADS_ONLY,
    VARY,
    BEST,
    HELP,
    VALUES,
    EACH,
    CONFIG_KEYS
};
static const char *const config_keys[] = {"kind",    "machine", "set",    "l1",         "l2",   "scheduler",
                                          "without", "cold",    "stream", "loads_only", "vary", "best",
                                          "help",    "values",  "each",   NULL};

static sl_status read_point(reader *r, const yaml_node_t *const *value, sl_point *point)
{
    int kind = (int)point->kind;
    sl_status status = sl_yaml_read_choice(&r->yaml, value[KIND], "kind", sl_analysis_names, &kind);
    point->kind = (sl_analysis_kind)kind;
    if (!status)
        status = copy_word(r, value[MACHINE], "machine", &point->machine);
    if (!status)
        status = sl_config_settings(&r->yaml, value[SET], "set", &r->paper->arena, &point->settings);
    if (!status)
        status = replace_given(r, &point->settings);
    if (!status)
        status = copy_word(r, value[L1], "l1", &point->l1);
    if (!status)
        status = copy_word(r, value[L2], "l2", &point->l2);
    if (!status)
        status = copy_word(r, value[SCHEDULER], "scheduler", &point->scheduler);
    if (!status)
        status = copy_word(r, value[WITHOUT], "without", &point->without);
    if (!status)
        status = sl_yaml_read_flag(&r->yaml, value[COLD], "cold", &point->cold);
    if (!status)
        status = sl_yaml_read_flag(&r->yaml, value[STREAM], "stream", &point->requests);
    return status ? status : sl_yaml_read_flag(&r->yaml, value[LOADS_ONLY], "loads_only", &point->loads_only);
}

/* {pd: [4, 8]}: the configuration with each of the values for $pd. */
static sl_status read_vary(reader *r, const yaml_node_t *map, sl_paper_config *config)
{
    if (map->type != YAML_MAPPING_NODE || sl_yaml_items(map) != 1)
        return FAIL(map, "'vary' takes one name and its values, such as {pd: [4, 8]}");
    const char *name = sl_yaml_word(sl_yaml_key(&r->yaml, map, 0));
    const yaml_node_t *list = sl_yaml_item(&r->yaml, map, 0);
    sl_point start = config->variant[0];
    config->variants = sl_yaml_items(list);
    config->variant = ROOM(r, sl_point, config->variants);
    if (!config->variant)
        return no_memory(r);
    for (size_t i = 0; i < config->variants; i++) {
        sl_point *point = &config->variant[i];
        const char *value = sl_yaml_word(sl_yaml_item(&r->yaml, list, i));
        if (!value || !name)
            return FAIL(list, "'vary' takes single values");
        *point = start;
        point->l1 = sl_config_replace(start.l1, name, value, &r->paper->arena);
        point->l2 = sl_config_replace(start.l2, name, value, &r->paper->arena);
        point->settings = sl_config_replace(start.settings, name, value, &r->paper->arena);
        if (!point->l1 || !point->l2 || !point->settings)
            return no_memory(r);
    }
    return config->variants ? SL_OK : FAIL(list, "'vary' has no values");
}

/* {SPV: {speedup: 1.05}}: by program and counter. */
static sl_status read_values(reader *r, const yaml_node_t *map, sl_paper_config *config)
{
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
                status = sl_yaml_read_number(&r->yaml, sl_yaml_item(&r->yaml, of, k), "values", &known->number);
            if (status)
                return status;
        }
    }
    return SL_OK;
}

static sl_status read_config(reader *r, const yaml_node_t *node, const sl_point *start, sl_paper_config *config)
{
    const yaml_node_t *value[CONFIG_KEYS];
    sl_status status = sl_yaml_pick(&r->yaml, node, "a configuration", config_keys, value);
    if (status)
        return status;
    if (value[VALUES]) {
        status = copy_word(r, value[HELP], "help", &config->help);
        return status ? status : read_values(r, value[VALUES], config);
    }
    config->variants = 1;
    config->variant = ROOM(r, sl_point, 1);
    if (!config->variant)
        return no_memory(r);
    config->variant[0] = *start;
    status = read_point(r, value, &config->variant[0]);
    if (!status)
        status = copy_word(r, value[BEST], "best", &config->best);
    if (!status)
        status = copy_word(r, value[HELP], "help", &config->help);
    if (!status && !value[VARY] != !value[BEST])
        return FAIL(node, "'vary' and 'best' require each other: the values, and the counter to minimize");
    if (!status && value[VARY])
        status = read_vary(r, value[VARY], config);
    for (size_t i = 0; i < config->variants && !status; i++)
        status = sl_config_check(&r->yaml, node, &config->variant[i]);
    return status;
}

static sl_status read_named_config(reader *r, const yaml_node_t *key, const yaml_node_t *node, void *start)
{
    sl_paper_config *config = &r->paper->config[r->paper->configs];
    sl_status status = read_name(r, key, &config->name);
    if (!status)
        status = read_config(r, node, start, config);
    if (status)
        return status;
    if (find_config(r->paper, config->name) >= 0)
        return FAIL(key, "configuration '%s' is defined twice", config->name);
    r->paper->configs++;
    return SL_OK;
}

static sl_status read_configs(reader *r, const yaml_node_t *map, sl_point *start)
{
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'configs' takes names and configurations");
    r->paper->config = ROOM(r, sl_paper_config, expanded(r, map));
    return r->paper->config ? read_items(r, map, read_named_config, start) : no_memory(r);
}

/* ---- figures ---- */

static sl_status read_expression(reader *r, const yaml_node_t *node, const char *name, const sl_expression **expression,
                                 const char **formula)
{
    const char *text = NULL;
    sl_status status = copy_word(r, node, name, &text);
    if (status || !node)
        return status;
    *formula = text;
    return sl_yaml_locate(&r->yaml, node,
                          sl_expression_parse(text, &r->names, &r->paper->arena, expression, r->yaml.error));
}

/* Numbers or reasons by the names of programs and groups. */
static sl_status read_subject(reader *r, const yaml_node_t *key, int *program, int *group)
{
    const char *word = sl_yaml_word(key);
    *program = word ? find_program(r->paper, word) : -1;
    *group = word ? find_group(r->paper, word) : -1;
    return *program < 0 && *group < 0 ? FAIL(key, "'%s' is neither a program nor a group", word ? word : "?") : SL_OK;
}

static sl_status read_numbers(reader *r, const yaml_node_t *map, sl_paper_column *column)
{
    if (!map)
        return SL_OK;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'paper' takes numbers by the names of programs and groups");
    column->number = ROOM(r, sl_paper_number, sl_yaml_items(map));
    if (!column->number)
        return no_memory(r);
    for (; column->numbers < sl_yaml_items(map); column->numbers++) {
        sl_paper_number *n = &column->number[column->numbers];
        sl_status status = read_subject(r, sl_yaml_key(&r->yaml, map, column->numbers), &n->program, &n->group);
        if (!status)
            status = sl_yaml_read_number(&r->yaml, sl_yaml_item(&r->yaml, map, column->numbers), "paper", &n->number);
        if (status)
            return status;
    }
    return SL_OK;
}

static sl_status read_reasons(reader *r, const yaml_node_t *map, sl_paper_column *column)
{
    if (!map)
        return SL_OK;
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(map, "'why' takes reasons by the names of programs and groups");
    column->reason = ROOM(r, sl_paper_reason, sl_yaml_items(map));
    if (!column->reason)
        return no_memory(r);
    for (; column->reasons < sl_yaml_items(map); column->reasons++) {
        sl_paper_reason *why = &column->reason[column->reasons];
        sl_status status = read_subject(r, sl_yaml_key(&r->yaml, map, column->reasons), &why->program, &why->group);
        if (!status)
            status = copy_word(r, sl_yaml_item(&r->yaml, map, column->reasons), "why", &why->text);
        if (status)
            return status;
    }
    return SL_OK;
}

/* The keys of columns and claims that say how numbers are compared come first among theirs. */
enum { UNIT, DIGITS, NEUTRAL, WITHIN, STILL, NOISE, INPUT, MEASURE_KEYS };
#define MEASURE_NAMES "unit", "digits", "neutral", "within", "still", "noise", "input"

static sl_status read_measure(reader *r, const yaml_node_t *const *v, sl_paper_measure *m)
{
    uint64_t decimals = 2;
    const char *formula;
    *m = (sl_paper_measure){.unit = "", .neutral = NAN, .within = 0.05, .still = 0.02};
    sl_status status = copy_word(r, v[UNIT], "unit", &m->unit);
    if (!status)
        status = sl_yaml_read_count(&r->yaml, v[DIGITS], "digits", &decimals);
    if (!status && decimals > 6)
        return FAIL(v[DIGITS], "at most 6 digits are shown");
    m->digits = (int)decimals;
    if (!status)
        status = sl_yaml_read_number(&r->yaml, v[NEUTRAL], "neutral", &m->neutral);
    if (!status)
        status = sl_yaml_read_number(&r->yaml, v[WITHIN], "within", &m->within);
    if (!status)
        status = sl_yaml_read_number(&r->yaml, v[STILL], "still", &m->still);
    if (!status)
        status = read_expression(r, v[NOISE], "noise", &m->noise, &formula);
    return status ? status : sl_yaml_read_flag(&r->yaml, v[INPUT], "input", &m->input);
}

static sl_status read_column(reader *r, const yaml_node_t *key, const yaml_node_t *node, void *to)
{
    enum { NAME = MEASURE_KEYS, VALUE, MEAN, PAPER, WHY, EACH_, KEYS };
    static const char *const names[] = {MEASURE_NAMES, "name", "value", "mean", "paper", "why", "each", NULL};
    sl_paper_figure *figure = to;
    sl_paper_column *column = &figure->column[figure->columns++];
    (void)key;
    static const char *const means[] = {"none", "geometric", "arithmetic", NULL};
    const yaml_node_t *v[KEYS];
    int mean = SL_MEAN_NONE;
    sl_status status = sl_yaml_pick(&r->yaml, node, "a column", names, v);
    if (!status && (!v[NAME] || !v[VALUE]))
        return FAIL(node, "a column needs a 'name' and a 'value'");
    if (!status)
        status = copy_word(r, v[NAME], "name", &column->name);
    if (!status)
        status = read_expression(r, v[VALUE], "value", &column->value, &column->formula);
    if (!status)
        status = read_measure(r, v, &column->measure);
    if (!status)
        status = sl_yaml_read_choice(&r->yaml, v[MEAN], "mean", means, &mean);
    column->mean = (sl_paper_mean)mean;
    if (!status)
        status = read_numbers(r, v[PAPER], column);
    return status ? status : read_reasons(r, v[WHY], column);
}

static sl_status read_claim(reader *r, const yaml_node_t *node, sl_paper_claim *claim)
{
    enum { SAYS = MEASURE_KEYS, VALUE, HOLDS, DIRECTION, PAPER, WHY, KEYS };
    static const char *const names[] = {MEASURE_NAMES, "says", "value", "holds", "direction", "paper", "why", NULL};
    const yaml_node_t *v[KEYS];
    const char *condition = NULL;
    claim->number = NAN;
    sl_status status = sl_yaml_pick(&r->yaml, node, "a claim", names, v);
    if (!status && (!v[SAYS] || !(v[HOLDS] || (v[VALUE] && v[PAPER]))))
        return FAIL(node, "a claim needs 'says', and either 'holds' or 'value' and 'paper'");
    if (!status && v[DIRECTION] && !v[HOLDS])
        return FAIL(v[DIRECTION], "a 'direction' is what remains of 'holds' without its size; a number has 'neutral'");
    if (!status)
        status = copy_word(r, v[SAYS], "says", &claim->says);
    if (!status)
        status = read_expression(r, v[VALUE], "value", &claim->value, &claim->formula);
    r->names.value = claim->value;
    if (!status)
        status = read_expression(r, v[DIRECTION], "direction", &claim->direction, &condition);
    if (!status)
        status = read_expression(r, v[HOLDS], "holds", &claim->holds, &condition);
    r->names.value = NULL;
    if (!claim->formula)
        claim->formula = condition;
    if (!status)
        status = sl_yaml_read_number(&r->yaml, v[PAPER], "paper", &claim->number);
    if (!status)
        status = read_measure(r, v, &claim->measure);
    return status ? status : copy_word(r, v[WHY], "why", &claim->why);
}

static sl_status read_columns(reader *r, const yaml_node_t *list, sl_paper_figure *figure)
{
    if (!list)
        return SL_OK;
    if (list->type != YAML_SEQUENCE_NODE)
        return FAIL(list, "'columns' is a list");
    figure->column = ROOM(r, sl_paper_column, expanded(r, list));
    return figure->column ? read_items(r, list, read_column, figure) : no_memory(r);
}

static sl_status read_claims(reader *r, const yaml_node_t *list, sl_paper_figure *figure)
{
    sl_status status = SL_OK;
    if (!list)
        return SL_OK;
    if (list->type != YAML_SEQUENCE_NODE)
        return FAIL(list, "'claims' is a list");
    figure->claim = ROOM(r, sl_paper_claim, sl_yaml_items(list));
    if (!figure->claim)
        return no_memory(r);
    for (; figure->claims < sl_yaml_items(list) && !status; figure->claims++)
        status = read_claim(r, sl_yaml_item(&r->yaml, list, figure->claims), &figure->claim[figure->claims]);
    return status;
}

static sl_status read_figure(reader *r, const yaml_node_t *key, const yaml_node_t *node, void *to)
{
    enum { ID, TITLE, WHERE, NOTE, QUICK, ROWS, COLUMNS, CLAIMS, RANKED, EACH_, KEYS };
    static const char *const names[] = {"id",      "title",  "where",  "note", "quick", "rows",
                                        "columns", "claims", "ranked", "each", NULL};
    sl_paper *paper = to;
    sl_paper_figure *figure = &paper->figure[paper->figures++];
    (void)key;
    const yaml_node_t *v[KEYS];
    sl_status status = sl_yaml_pick(&r->yaml, node, "a figure", names, v);
    if (!status && (!v[ID] || !v[TITLE]))
        return FAIL(node, "a figure needs an 'id' and a 'title'");
    if (!status && v[COLUMNS] && !v[ROWS])
        return FAIL(node, "a figure with columns needs 'rows': the groups whose programs it shows");
    figure->where = figure->note = "";
    figure->quick = true;
    if (!status)
        status = copy_word(r, v[ID], "id", &figure->id);
    if (!status)
        status = copy_word(r, v[TITLE], "title", &figure->title);
    if (!status)
        status = copy_word(r, v[WHERE], "where", &figure->where);
    if (!status)
        status = copy_word(r, v[NOTE], "note", &figure->note);
    if (!status)
        status = sl_yaml_read_flag(&r->yaml, v[QUICK], "quick", &figure->quick);
    if (!status)
        status = sl_yaml_read_flag(&r->yaml, v[RANKED], "ranked", &figure->ranked);
    if (!status && v[ROWS])
        status = read_members(r, v[ROWS], "group", &figure->groups, &figure->group, find_group);
    if (!status)
        status = read_columns(r, v[COLUMNS], figure);
    return status ? status : read_claims(r, v[CLAIMS], figure);
}

static sl_status read_figures(reader *r, const yaml_node_t *list)
{
    if (list->type != YAML_SEQUENCE_NODE)
        return FAIL(list, "'figures' is a list");
    r->paper->figure = ROOM(r, sl_paper_figure, expanded(r, list));
    return r->paper->figure ? read_items(r, list, read_figure, r->paper) : no_memory(r);
}

/* ---- the whole ---- */

static sl_status read_root(reader *r)
{
    enum {
        NAME,
        TITLE,
        SOURCE,
        SUMMARY,
        MACHINE_,
        KIND_,
        PROGRAMS,
        GROUPS,
        QUICK,
        CONFIGS,
        FIGURES,
        ALONE,
        PARAMS,
        KEYS
    };
    static const char *const names[] = {"name",   "title", "source",  "summary", "machine", "kind",   "programs",
                                        "groups", "quick", "configs", "figures", "alone",   "params", NULL};
    const yaml_node_t *root = sl_yaml_root(&r->yaml), *v[KEYS];
    sl_point start = SL_POINT_START;
    int kind = SL_ANALYSIS_SIM;
    if (!root)
        return FAIL(NULL, "the file contains no paper");
    sl_status status = sl_yaml_pick(&r->yaml, root, "a paper", names, v);
    for (int i = 0; i < KEYS && !status; i++)
        if (!v[i] && i != SUMMARY && i != MACHINE_ && i != KIND_ && i != QUICK && i < ALONE)
            return FAIL(root, "the paper has no '%s'", names[i]);
    if (!status)
        status = copy_word(r, v[NAME], "name", &r->paper->name);
    if (!status)
        status = copy_word(r, v[TITLE], "title", &r->paper->title);
    if (!status)
        status = copy_word(r, v[SOURCE], "source", &r->paper->source);
    if (!status)
        status = copy_word(r, v[SUMMARY], "summary", &r->paper->summary);
    if (!status)
        status = copy_word(r, v[MACHINE_], "machine", &start.machine);
    if (!status)
        status = sl_yaml_read_choice(&r->yaml, v[KIND_], "kind", sl_analysis_names, &kind);
    start.kind = (sl_analysis_kind)kind;
    if (!status)
        status = sl_yaml_read_flag(&r->yaml, v[ALONE], "alone", &r->paper->alone);
    if (!status)
        status = read_programs(r, v[PROGRAMS]);
    if (!status && v[PARAMS])
        status = read_params(r, v[PARAMS]);
    if (!status)
        status = read_groups(r, v[GROUPS]);
    if (!status && v[QUICK])
        status = read_quick(r, v[QUICK]);
    if (!status)
        status = read_configs(r, v[CONFIGS], &start);
    return status ? status : read_figures(r, v[FIGURES]);
}

sl_status sl_paper_parse(const char *path, const char *text, size_t bytes, sl_paper *paper, sl_error *error)
{
    reader r = {.paper = paper};
    *paper = (sl_paper){.summary = "", .quick_size = "default"};
    sl_arena_init(&paper->arena);
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
