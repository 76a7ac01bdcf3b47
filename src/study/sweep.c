/* SPDX-License-Identifier: MIT */
#include "study/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/yaml.h"
#include "machine/builtin.h"
#include "study/config.h"
#include "workloads/workload.h"

enum { MOST_POINTS = 1000000, MOST_AXES = 48 };

enum { KIND, WORKLOADS, TRACES, SIZE, MACHINES, L1, L2, SCHEDULER, WITHOUT, SEED, SET, COLD, STREAM, KEYS };
static const char *const key_names[] = {"kind",      "workloads", "traces", "size", "machines", "l1",     "l2",
                                        "scheduler", "without",   "seed",   "set",  "cold",     "stream", NULL};

typedef struct reader reader;
typedef struct axis axis;

/* Something that takes one value after the other. */
struct axis {
    sl_status (*take)(reader *r, const axis *a, const yaml_node_t *node, sl_point *point);
    const char *name;
    size_t workloads; /* of programs: how many are no traces */
    size_t count, at;
    const yaml_node_t **value;
};

struct reader {
    sl_yaml yaml;
    sl_sweep_spec *spec;
    size_t axes;
    axis axis[MOST_AXES];
};

static sl_status copy_word(reader *r, const yaml_node_t *node, const char *name, const char **word)
{
    const char *text = NULL;
    sl_status status = sl_yaml_take_word(&r->yaml, node, name, &text);
    if (!status && !(*word = sl_arena_strdup(&r->spec->arena, text)))
        status = sl_fail_memory(r->yaml.error);
    return status;
}

/* A file that is named in the spec lies beside it. */
static sl_status copy_path(reader *r, const yaml_node_t *node, const char *name, const char **path)
{
    const char *slash = strrchr(r->yaml.path, '/');
    sl_status status = copy_word(r, node, name, path);
    if (status || !slash || **path == '/')
        return status;
    *path = sl_arena_printf(&r->spec->arena, "%.*s%s", (int)(slash - r->yaml.path) + 1, r->yaml.path, *path);
    return *path ? SL_OK : sl_fail_memory(r->yaml.error);
}

/* ---- what each axis does to a point ---- */

/* Sizes are of workloads. */
static sl_status take_trace(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    point->input.size = "";
    return copy_path(r, node, a->name, &point->input.name);
}

/* Workloads with their parameters, then traces. */
static sl_status take_program(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    const sl_workload *workload;
    if (a->at >= a->workloads)
        return take_trace(r, a, node, point);
    sl_status status = copy_word(r, node, a->name, &point->input.name);
    if (status)
        return status;
    char *space = strchr(point->input.name, ' ');
    point->input.params = space ? space + 1 : "";
    if (space)
        *space = 0;
    return sl_yaml_locate(&r->yaml, node, sl_workload_find(point->input.name, &workload, r->yaml.error));
}

static sl_status take_size(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    static const char *const sizes[] = {"small", "default", "large", NULL};
    int size = 0;
    sl_status status = sl_yaml_take_choice(&r->yaml, node, a->name, sizes, &size);
    if (*point->input.size) /* a trace has none */
        point->input.size = status ? "" : sizes[size];
    return status;
}

static sl_status take_machine(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    const char *word = sl_yaml_word(node);
    return word && sl_machine_is_path(word) ? copy_path(r, node, a->name, &point->machine)
                                            : copy_word(r, node, a->name, &point->machine);
}

#define TAKE_WORD(field)                                                                                               \
    static sl_status take_##field(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)                  \
    {                                                                                                                  \
        return copy_word(r, node, a->name, &point->field);                                                             \
    }
TAKE_WORD(l1)
TAKE_WORD(l2)
TAKE_WORD(scheduler)
TAKE_WORD(without)

static sl_status take_seed(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    sl_status status = sl_yaml_take_count(&r->yaml, node, a->name, &point->seed);
    point->input.seed = point->seed;
    return status;
}

static sl_status take_setting(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    const char *word = NULL;
    sl_status status = sl_yaml_take_word(&r->yaml, node, a->name, &word);
    if (!status && (strchr(word, ' ') || strchr(a->name, ' ')))
        status = sl_yaml_fail(&r->yaml, node, "a setting has no spaces in it");
    if (!status && !(point->settings = sl_arena_printf(&r->spec->arena, "%s%s%s=%s", point->settings,
                                                       *point->settings ? " " : "", a->name, word)))
        status = sl_fail_memory(r->yaml.error);
    return status;
}

/* ---- axes ---- */

static sl_status add_values(reader *r, axis *a, const yaml_node_t *list)
{
    size_t items = !list ? 0 : list->type == YAML_MAPPING_NODE ? 1 : sl_yaml_items(list);
    if (list && list->type == YAML_MAPPING_NODE)
        return sl_yaml_fail(&r->yaml, list, "'%s' takes a value, or a list of them", a->name);
    const yaml_node_t **value = sl_arena_array(&r->spec->arena, const yaml_node_t *, a->count + items + 1);
    if (!value)
        return sl_fail_memory(r->yaml.error);
    if (a->count)
        memcpy(value, a->value, a->count * sizeof *value);
    for (size_t i = 0; i < items; i++)
        value[a->count++] = sl_yaml_item(&r->yaml, list, i);
    a->value = value;
    return SL_OK;
}

static sl_status add_axis(reader *r, const yaml_node_t *place, axis a)
{
    if (!a.count)
        return sl_yaml_fail(&r->yaml, place, "'%s' has no values", a.name);
    if (r->axes == MOST_AXES)
        return sl_yaml_fail(&r->yaml, place, "a sweep varies at most %d things", MOST_AXES);
    r->axis[r->axes++] = a;
    return SL_OK;
}

static sl_status add_programs(reader *r, const yaml_node_t *workloads, const yaml_node_t *traces)
{
    axis a = {.take = take_program, .name = "workloads"};
    if (!workloads && !traces)
        return sl_yaml_fail(&r->yaml, sl_yaml_root(&r->yaml), "a sweep needs 'workloads' or 'traces'");
    sl_status status = add_values(r, &a, workloads);
    a.workloads = a.count;
    if (!status)
        status = add_values(r, &a, traces);
    return status ? status : add_axis(r, workloads ? workloads : traces, a);
}

static sl_status add_settings(reader *r, const yaml_node_t *map)
{
    sl_status status = SL_OK;
    if (map->type != YAML_MAPPING_NODE)
        return sl_yaml_fail(&r->yaml, map, "'set' takes keys and values, such as {L1.size: [16K, 32K]}");
    for (size_t i = 0; i < sl_yaml_items(map) && !status; i++) {
        axis a = {.take = take_setting};
        const yaml_node_t *list = sl_yaml_item(&r->yaml, map, i);
        status = copy_word(r, sl_yaml_key(&r->yaml, map, i), "set", &a.name);
        if (!status)
            status = add_values(r, &a, list);
        if (!status)
            status = add_axis(r, list, a);
    }
    return status;
}

static sl_status add_axes(reader *r, const yaml_node_t *const *value)
{
    static const struct {
        int key;
        sl_status (*take)(reader *r, const axis *a, const yaml_node_t *node, sl_point *point);
    } simple[] = {{SIZE, take_size},           {MACHINES, take_machine}, {L1, take_l1},    {L2, take_l2},
                  {SCHEDULER, take_scheduler}, {WITHOUT, take_without},  {SEED, take_seed}};
    sl_status status = add_programs(r, value[WORKLOADS], value[TRACES]);
    for (size_t i = 0; i < sizeof simple / sizeof *simple && !status; i++) {
        axis a = {.take = simple[i].take, .name = key_names[simple[i].key]};
        if (!value[simple[i].key])
            continue;
        status = add_values(r, &a, value[simple[i].key]);
        if (!status)
            status = add_axis(r, value[simple[i].key], a);
    }
    return !status && value[SET] ? add_settings(r, value[SET]) : status;
}

/* ---- points ---- */

static sl_status make_point(reader *r, const sl_point *start, sl_point *point)
{
    sl_status status = SL_OK;
    *point = *start;
    for (size_t i = 0; i < r->axes && !status; i++) {
        const axis *a = &r->axis[i];
        status = a->take(r, a, a->value[a->at], point);
    }
    if (status)
        return status;
    /* What is wrong belongs to what was taken last: a setting, a policy, a machine. */
    const axis *last = &r->axis[r->axes - 1];
    return sl_config_check(&r->yaml, last->value[last->at], point);
}

static void turn(reader *r)
{
    for (size_t i = r->axes; i-- > 0;) {
        if (++r->axis[i].at < r->axis[i].count)
            return;
        r->axis[i].at = 0;
    }
}

static sl_status make_points(reader *r, const sl_point *start)
{
    size_t points = 1;
    for (size_t i = 0; i < r->axes; i++) {
        points *= r->axis[i].count;
        if (points > MOST_POINTS)
            return sl_yaml_fail(&r->yaml, sl_yaml_root(&r->yaml), "these are more than %d points", MOST_POINTS);
    }
    r->spec->point = sl_arena_array(&r->spec->arena, sl_point, points);
    if (!r->spec->point)
        return sl_fail_memory(r->yaml.error);
    sl_status status = SL_OK;
    for (; r->spec->points < points && !status; r->spec->points++) {
        status = make_point(r, start, &r->spec->point[r->spec->points]);
        turn(r);
    }
    return status;
}

static sl_status take_root(reader *r)
{
    const yaml_node_t *value[KEYS];
    sl_point start = SL_POINT_START;
    int kind = SL_POINT_SIM;
    if (!sl_yaml_root(&r->yaml))
        return sl_yaml_fail(&r->yaml, NULL, "there is no sweep in it");
    sl_status status = sl_yaml_pick(&r->yaml, sl_yaml_root(&r->yaml), "a sweep", key_names, value);
    if (!status)
        status = sl_yaml_take_choice(&r->yaml, value[KIND], "kind", sl_point_kinds, &kind);
    if (!status)
        status = sl_yaml_take_flag(&r->yaml, value[COLD], "cold", &start.cold);
    if (!status)
        status = sl_yaml_take_flag(&r->yaml, value[STREAM], "stream", &start.stream);
    start.kind = (sl_point_kind)kind;
    if (!status)
        status = add_axes(r, value);
    return status ? status : make_points(r, &start);
}

sl_status sl_sweep_spec_parse(const char *path, const char *text, size_t bytes, sl_sweep_spec *spec, sl_error *error)
{
    reader *r = calloc(1, sizeof *r);
    *spec = (sl_sweep_spec){0};
    sl_arena_init(&spec->arena);
    if (!r)
        return sl_fail_memory(error);
    r->spec = spec;
    sl_status status = sl_yaml_open(&r->yaml, path, text, bytes, error);
    if (!status) {
        status = take_root(r);
        sl_yaml_close(&r->yaml);
    }
    free(r);
    return status;
}

sl_status sl_sweep_spec_load(const char *path, sl_sweep_spec *spec, sl_error *error)
{
    char *text;
    size_t bytes;
    *spec = (sl_sweep_spec){0};
    sl_status status = sl_file_read_max(path, SL_YAML_MAX_BYTES, &text, &bytes, error);
    if (status)
        return status;
    status = sl_sweep_spec_parse(path, text, bytes, spec, error);
    free(text);
    return status;
}

void sl_sweep_spec_free(sl_sweep_spec *spec)
{
    sl_arena_fini(&spec->arena);
}
