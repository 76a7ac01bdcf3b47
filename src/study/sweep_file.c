/* SPDX-License-Identifier: MIT */
#include "study/sweep_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/yaml.h"
#include "machine/machine.h"
#include "study/config.h"
#include "workloads/workload.h"

enum { MAX_POINTS = 1000000, MAX_AXES = 48 };

enum {
    KIND,
    WORKLOADS,
    TRACES,
    INPUTS,
    SIZE,
    MACHINES,
    L1,
    L2,
    SCHEDULER,
    WITHOUT,
    PLAN,
    SEED,
    SET,
    COLD,
    STREAM,
    LOADS_ONLY,
    KEYS
};
static const char *const key_names[] = {"kind", "workloads", "traces",    "inputs",     "size", "machines",
                                        "l1",   "l2",        "scheduler", "without",    "plan", "seed",
                                        "set",  "cold",      "stream",    "loads_only", NULL};

typedef struct reader reader;
typedef struct axis axis;

/* A parameter with several values. */
struct axis {
    sl_status (*take)(reader *r, const axis *a, const yaml_node_t *node, sl_point *point);
    const char *name;
    size_t workloads, traces; /* of programs: how many are workloads, and how many of these or traces */
    size_t count, at;
    const yaml_node_t **value;
};

struct reader {
    sl_yaml yaml;
    sl_sweep_file *spec;
    size_t axes;
    axis axis[MAX_AXES];
};

static sl_status copy_word(reader *r, const yaml_node_t *node, const char *name, const char **word)
{
    const char *text = NULL;
    sl_status status = sl_yaml_read_word(&r->yaml, node, name, &text);
    if (!status && !(*word = sl_arena_strdup(&r->spec->arena, text)))
        status = sl_fail_memory(r->yaml.error);
    return status;
}

/* Paths in the spec are relative to its folder. */
static sl_status copy_path(reader *r, const yaml_node_t *node, const char *name, const char **path)
{
    const char *slash = strrchr(r->yaml.path, '/');
    sl_status status = copy_word(r, node, name, path);
    if (status || !slash || **path == '/')
        return status;
    *path = sl_arena_printf(&r->spec->arena, "%.*s%s", (int)(slash - r->yaml.path) + 1, r->yaml.path, *path);
    return *path ? SL_OK : sl_fail_memory(r->yaml.error);
}

/* ---- values of axes ---- */

/* Sizes are of workloads. */
static sl_status read_trace(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    point->input.size = "";
    return copy_path(r, node, a->name, &point->input.name);
}

/* "8", "8,2,1". */
static sl_status read_dims(reader *r, const yaml_node_t *node, const char *name, uint32_t dims[3])
{
    const char *word = NULL;
    char end;
    sl_status status = node ? sl_yaml_read_word(&r->yaml, node, name, &word) : SL_OK;
    if (status || !word)
        return status;
    dims[1] = dims[2] = 1;
    int got = sscanf(word, "%u,%u,%u%c", &dims[0], &dims[1], &dims[2], &end);
    return got < 1 || got > 3 || !dims[0] || !dims[1] || !dims[2]
               ? sl_yaml_fail(&r->yaml, node, "'%s' takes X, X,Y or X,Y,Z, not '%s'", name, word)
               : SL_OK;
}

static sl_status read_args(reader *r, const yaml_node_t *list, sl_kernel_launch *launch)
{
    size_t count = list ? sl_yaml_items(list) : 0;
    const char **arg = sl_arena_array(&r->spec->arena, const char *, count + 1);
    sl_status status = arg ? SL_OK : sl_fail_memory(r->yaml.error);
    for (size_t i = 0; i < count && !status; i++)
        status = copy_word(r, sl_yaml_item(&r->yaml, list, i), "args", &arg[i]);
    launch->args = count;
    launch->arg = arg;
    return status;
}

/* {file: k.ptx, grid: 8, block: 256, args: [f32[1K]:random, u32:1024]}; LLVM IR may have the host of a workload. */
static sl_status read_input(reader *r, const yaml_node_t *node, sl_point *point)
{
    enum { FILE_NAME, ENTRY, GRID, BLOCK, SHARED, ARGS, HOST, PARAMS, PARTS };
    static const char *const names[] = {"file", "entry", "grid", "block", "shared", "args", "host", "params", NULL};
    const yaml_node_t *part[PARTS];
    sl_input_spec *input = &point->input;
    sl_input_kind kind;
    sl_status status = sl_yaml_pick(&r->yaml, node, "an input", names, part);
    if (!status && !part[FILE_NAME])
        status = sl_yaml_fail(&r->yaml, node, "an input needs a 'file'");
    if (!status)
        status = copy_path(r, part[FILE_NAME], "file", &input->name);
    if (!status && part[ENTRY])
        status = copy_word(r, part[ENTRY], "entry", &input->launch.entry);
    if (!status && part[HOST])
        status = copy_word(r, part[HOST], "host", &input->host);
    if (!status && part[PARAMS])
        status = copy_word(r, part[PARAMS], "params", &input->params);
    if (!status)
        status = read_dims(r, part[GRID], "grid", input->launch.grid);
    if (!status)
        status = read_dims(r, part[BLOCK], "block", input->launch.block);
    if (!status && part[SHARED])
        status = sl_yaml_read_count(&r->yaml, part[SHARED], "shared", &input->launch.shared_bytes);
    if (!status)
        status = read_args(r, part[ARGS], &input->launch);
    if (!status)
        status = sl_yaml_locate(&r->yaml, node, sl_input_detect(input, &kind, r->yaml.error));
    return status ? status : sl_yaml_locate(&r->yaml, node, sl_input_check(input, kind, r->yaml.error));
}

/* Workloads with their parameters, then traces, then other inputs. */
static sl_status read_program(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    const sl_workload *workload;
    if (a->at >= a->workloads)
        return a->at >= a->traces ? read_input(r, node, point) : read_trace(r, a, node, point);
    sl_status status = copy_word(r, node, a->name, &point->input.name);
    if (status)
        return status;
    char *space = strchr(point->input.name, ' ');
    point->input.params = space ? space + 1 : "";
    if (space)
        *space = 0;
    return sl_yaml_locate(&r->yaml, node, sl_workload_find(point->input.name, &workload, r->yaml.error));
}

static sl_status read_size(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    static const char *const sizes[] = {"small", "default", "large", NULL};
    int size = 0;
    sl_status status = sl_yaml_read_choice(&r->yaml, node, a->name, sizes, &size);
    if (*point->input.size) /* a trace has none */
        point->input.size = status ? "" : sizes[size];
    return status;
}

static sl_status read_machine(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    const char *word = sl_yaml_word(node);
    return word && sl_machine_is_path(word) ? copy_path(r, node, a->name, &point->machine)
                                            : copy_word(r, node, a->name, &point->machine);
}

#define READ_WORD(field)                                                                                               \
    static sl_status read_##field(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)                  \
    {                                                                                                                  \
        return copy_word(r, node, a->name, &point->field);                                                             \
    }
READ_WORD(l1)
READ_WORD(l2)
READ_WORD(scheduler)
READ_WORD(without)

static sl_status read_seed(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    sl_status status = sl_yaml_read_count(&r->yaml, node, a->name, &point->seed);
    point->input.seed = point->seed;
    return status;
}

static sl_status read_plan(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    const char *word = sl_yaml_word(node);
    return word && !*word ? SL_OK : copy_path(r, node, a->name, &point->plan); /* "": as the code is */
}

static sl_status read_setting(reader *r, const axis *a, const yaml_node_t *node, sl_point *point)
{
    const char *word = NULL;
    sl_status status = sl_yaml_read_word(&r->yaml, node, a->name, &word);
    if (!status && (strchr(word, ' ') || strchr(a->name, ' ')))
        status = sl_yaml_fail(&r->yaml, node, "a setting cannot contain spaces");
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
        return sl_yaml_fail(&r->yaml, list, "'%s' takes a value or a list of values", a->name);
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

static sl_status add_axis(reader *r, const yaml_node_t *location, axis a)
{
    if (!a.count)
        return sl_yaml_fail(&r->yaml, location, "'%s' has no values", a.name);
    if (r->axes == MAX_AXES)
        return sl_yaml_fail(&r->yaml, location, "a sweep varies at most %d keys", MAX_AXES);
    r->axis[r->axes++] = a;
    return SL_OK;
}

static sl_status add_programs(reader *r, const yaml_node_t *const *value)
{
    axis a = {.take = read_program, .name = "workloads"};
    const yaml_node_t *first = value[WORKLOADS] ? value[WORKLOADS] : value[TRACES] ? value[TRACES] : value[INPUTS];
    if (!first)
        return sl_yaml_fail(&r->yaml, sl_yaml_root(&r->yaml), "a sweep needs 'workloads', 'traces' or 'inputs'");
    sl_status status = add_values(r, &a, value[WORKLOADS]);
    a.workloads = a.count;
    if (!status)
        status = add_values(r, &a, value[TRACES]);
    a.traces = a.count;
    if (!status && value[INPUTS] && value[INPUTS]->type != YAML_SEQUENCE_NODE)
        status = sl_yaml_fail(&r->yaml, value[INPUTS], "'inputs' takes a list");
    if (!status)
        status = add_values(r, &a, value[INPUTS]);
    return status ? status : add_axis(r, first, a);
}

static sl_status add_settings(reader *r, const yaml_node_t *map)
{
    sl_status status = SL_OK;
    if (map->type != YAML_MAPPING_NODE)
        return sl_yaml_fail(&r->yaml, map, "'set' takes keys and values, such as {L1.size: [16K, 32K]}");
    for (size_t i = 0; i < sl_yaml_items(map) && !status; i++) {
        axis a = {.take = read_setting};
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
    } simple[] = {{SIZE, read_size},           {MACHINES, read_machine}, {L1, read_l1},     {L2, read_l2},
                  {SCHEDULER, read_scheduler}, {WITHOUT, read_without},  {PLAN, read_plan}, {SEED, read_seed}};
    sl_status status = add_programs(r, value);
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
    /* An error has the location of the value that was set last: a setting, a policy, a machine. */
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
        if (points > MAX_POINTS)
            return sl_yaml_fail(&r->yaml, sl_yaml_root(&r->yaml), "the sweep has more than %d points", MAX_POINTS);
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

static sl_status read_root(reader *r)
{
    const yaml_node_t *value[KEYS];
    sl_point start = SL_POINT_START;
    int kind = SL_ANALYSIS_SIM;
    if (!sl_yaml_root(&r->yaml))
        return sl_yaml_fail(&r->yaml, NULL, "the file contains no sweep");
    sl_status status = sl_yaml_pick(&r->yaml, sl_yaml_root(&r->yaml), "a sweep", key_names, value);
    if (!status)
        status = sl_yaml_read_choice(&r->yaml, value[KIND], "kind", sl_analysis_names, &kind);
    if (!status)
        status = sl_yaml_read_flag(&r->yaml, value[COLD], "cold", &start.cold);
    if (!status)
        status = sl_yaml_read_flag(&r->yaml, value[STREAM], "stream", &start.requests);
    if (!status)
        status = sl_yaml_read_flag(&r->yaml, value[LOADS_ONLY], "loads_only", &start.loads_only);
    start.kind = (sl_analysis_kind)kind;
    if (!status)
        status = add_axes(r, value);
    return status ? status : make_points(r, &start);
}

sl_status sl_sweep_file_parse(const char *path, const char *text, size_t bytes, sl_sweep_file *spec, sl_error *error)
{
    reader *r = calloc(1, sizeof *r);
    *spec = (sl_sweep_file){0};
    sl_arena_init(&spec->arena);
    if (!r)
        return sl_fail_memory(error);
    r->spec = spec;
    sl_status status = sl_yaml_open(&r->yaml, path, text, bytes, error);
    if (!status) {
        status = read_root(r);
        sl_yaml_close(&r->yaml);
    }
    free(r);
    return status;
}

sl_status sl_sweep_file_load(const char *path, sl_sweep_file *spec, sl_error *error)
{
    char *text;
    size_t bytes;
    *spec = (sl_sweep_file){0};
    sl_status status = sl_file_read_max(path, SL_YAML_MAX_BYTES, &text, &bytes, error);
    if (status)
        return status;
    status = sl_sweep_file_parse(path, text, bytes, spec, error);
    free(text);
    return status;
}

void sl_sweep_file_fini(sl_sweep_file *spec)
{
    sl_arena_fini(&spec->arena);
}
