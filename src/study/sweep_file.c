/* SPDX-License-Identifier: MIT */
#include "study/sweep_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/yaml.h"
#include "machine/machine.h"
#include "study/config.h"
#include "workloads/workload.h"

enum { MAX_POINTS = 1000000, MAX_AXES = 48, MAX_PARTS = 10000 };

/* A parameter with several values. */
typedef struct axis {
    sl_yaml_field field; /* how a value is read into a point */
    size_t count, at;
    const yaml_node_t **value;
} axis;

typedef struct reader {
    sl_yaml yaml;
    sl_sweep_file *spec;
    sl_point start; /* what all points have in common */
    size_t axes;
    axis axis[MAX_AXES];               /* the first: programs */
    const yaml_node_t *first_programs; /* the first of their lists */
    uint64_t parts;                    /* of which each point becomes as many; 0: none */
    size_t workloads, traces;          /* how many programs are workloads, and how many of these or traces */
} reader;

static reader *reader_of(sl_yaml *yaml)
{
    return (reader *)(void *)yaml;
}

static sl_status copy_word(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *text, **word = to;
    sl_status status = sl_yaml_read_word(yaml, node, name, &text);
    if (!status && !(*word = sl_arena_strdup(&reader_of(yaml)->spec->arena, text)))
        status = sl_fail_memory(yaml->error);
    return status;
}

/* Paths in the spec are relative to its folder. */
static sl_status copy_path(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *slash = strrchr(yaml->path, '/'), **path = to;
    sl_status status = copy_word(yaml, node, name, path);
    if (status || !slash || **path == '/')
        return status;
    *path = sl_arena_printf(&reader_of(yaml)->spec->arena, "%.*s%s", (int)(slash - yaml->path) + 1, yaml->path, *path);
    return *path ? SL_OK : sl_fail_memory(yaml->error);
}

/* ---- values of axes ---- */

/* "8", "8,2,1". */
static sl_status read_dims(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *word;
    uint32_t *dims = to;
    char end;
    sl_status status = sl_yaml_read_word(yaml, node, name, &word);
    if (status)
        return status;
    dims[1] = dims[2] = 1;
    int got = sscanf(word, "%u,%u,%u%c", &dims[0], &dims[1], &dims[2], &end);
    return got < 1 || got > 3 || !dims[0] || !dims[1] || !dims[2]
               ? sl_yaml_fail(yaml, node, "'%s' takes X, X,Y or X,Y,Z, not '%s'", name, word)
               : SL_OK;
}

static sl_status read_args(sl_yaml *yaml, const yaml_node_t *list, const char *name, void *to)
{
    sl_kernel_launch *launch = to;
    size_t count = sl_yaml_items(list);
    const char **arg = sl_arena_array(&reader_of(yaml)->spec->arena, const char *, count + 1);
    sl_status status = arg ? SL_OK : sl_fail_memory(yaml->error);
    for (size_t i = 0; i < count && !status; i++)
        status = copy_word(yaml, sl_yaml_item(yaml, list, i), name, &arg[i]);
    launch->args = count;
    launch->arg = arg;
    return status;
}

/* {file: k.ptx, grid: 8, block: 256, args: [f32[1K]:random, u32:1024]}; LLVM IR may have the host of a workload. */
static sl_status read_input(sl_yaml *yaml, const yaml_node_t *node, sl_input_spec *input)
{
#define AT(field) offsetof(sl_input_spec, field)
    static const sl_yaml_field fields[] = {{"file", copy_path, AT(name), true},
                                           {"entry", copy_word, AT(launch.entry), false},
                                           {"host", copy_word, AT(host), false},
                                           {"params", copy_word, AT(params), false},
                                           {"grid", read_dims, AT(launch.grid), false},
                                           {"block", read_dims, AT(launch.block), false},
                                           {"shared", sl_yaml_read_count, AT(launch.shared_bytes), false},
                                           {"args", read_args, AT(launch), false},
                                           {0}};
#undef AT
    sl_input_kind kind;
    sl_status status = sl_yaml_read_fields(yaml, node, "an input", fields, input);
    if (!status)
        status = sl_yaml_locate(yaml, node, sl_input_detect(input, &kind, yaml->error));
    return status ? status : sl_yaml_locate(yaml, node, sl_input_check(input, kind, yaml->error));
}

/* Workloads with their parameters, then traces, then other inputs. */
static sl_status read_program(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const reader *r = reader_of(yaml);
    const sl_workload *workload;
    sl_point *point = to;
    if (r->axis[0].at >= r->traces)
        return read_input(yaml, node, &point->input);
    if (r->axis[0].at >= r->workloads) {
        point->input.size = ""; /* sizes are of workloads */
        return copy_path(yaml, node, name, &point->input.name);
    }
    sl_status status = copy_word(yaml, node, name, &point->input.name);
    if (status)
        return status;
    char *space = strchr(point->input.name, ' ');
    point->input.params = space ? space + 1 : "";
    if (space)
        *space = 0;
    return sl_yaml_locate(yaml, node, sl_workload_find(point->input.name, &workload, yaml->error));
}

static sl_status read_size(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    static const char *const sizes[] = {"small", "default", "large", NULL};
    const char **to_size = to;
    int size = 0;
    sl_status status = sl_yaml_read_choice(yaml, node, name, sizes, &size);
    if (**to_size) /* a trace has none */
        *to_size = status ? "" : sizes[size];
    return status;
}

static sl_status read_machine(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *word = sl_yaml_word(node);
    return (word && sl_machine_is_path(word) ? copy_path : copy_word)(yaml, node, name, to);
}

static sl_status read_seed(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    sl_point *point = to;
    sl_status status = sl_yaml_read_count(yaml, node, name, &point->seed);
    point->input.seed = point->seed;
    return status;
}

static sl_status read_plan(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *word = sl_yaml_word(node);
    return word && !*word ? SL_OK : copy_path(yaml, node, name, to); /* "": as the code is */
}

static sl_status read_setting(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    const char *word, **settings = to;
    sl_status status = sl_yaml_read_word(yaml, node, name, &word);
    if (!status && (strchr(word, ' ') || strchr(name, ' ')))
        status = sl_yaml_fail(yaml, node, "a setting cannot contain spaces");
    if (!status && !(*settings = sl_arena_printf(&reader_of(yaml)->spec->arena, "%s%s%s=%s", *settings,
                                                 **settings ? " " : "", name, word)))
        status = sl_fail_memory(yaml->error);
    return status;
}

/* ---- axes ---- */

static sl_status add_values(reader *r, axis *a, const yaml_node_t *list)
{
    size_t items = list->type == YAML_MAPPING_NODE ? 1 : sl_yaml_items(list);
    if (list->type == YAML_MAPPING_NODE)
        return sl_yaml_fail(&r->yaml, list, "'%s' takes a value or a list of values", a->field.name);
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

static sl_status add_axis(reader *r, const sl_yaml_field *field, const yaml_node_t *list)
{
    axis a = {.field = *field};
    sl_status status = add_values(r, &a, list);
    if (status)
        return status;
    if (!a.count)
        return sl_yaml_fail(&r->yaml, list, "'%s' has no values", field->name);
    if (r->axes == MAX_AXES)
        return sl_yaml_fail(&r->yaml, list, "a sweep varies at most %d keys", MAX_AXES);
    r->axis[r->axes++] = a;
    return SL_OK;
}

/* Lists of programs are one axis. */
static sl_status read_programs(sl_yaml *yaml, const yaml_node_t *list, const char *name, void *to)
{
    reader *r = to;
    bool inputs = !strcmp(name, "inputs");
    if (inputs && list->type != YAML_SEQUENCE_NODE)
        return sl_yaml_fail(yaml, list, "'inputs' takes a list");
    sl_status status = add_values(r, &r->axis[0], list);
    if (!r->first_programs)
        r->first_programs = list;
    if (!strcmp(name, "workloads"))
        r->workloads = r->axis[0].count;
    if (!inputs)
        r->traces = r->axis[0].count;
    return status;
}

/* Keys with a value, or a list of values of which each point has one. */
#define AT(field) offsetof(sl_point, field)
static const sl_yaml_field varied[] = {{"size", read_size, AT(input.size), false},
                                       {"machines", read_machine, AT(machine), false},
                                       {"l1", copy_word, AT(l1), false},
                                       {"l2", copy_word, AT(l2), false},
                                       {"scheduler", copy_word, AT(scheduler), false},
                                       {"without", copy_word, AT(without), false},
                                       {"plan", read_plan, AT(plan), false},
                                       {"seed", read_seed, 0, false},
                                       {0}};

static sl_status read_varied(sl_yaml *yaml, const yaml_node_t *list, const char *name, void *to)
{
    const sl_yaml_field *field = varied;
    while (strcmp(field->name, name))
        field++;
    (void)yaml;
    return add_axis(to, field, list);
}

static sl_status read_settings(sl_yaml *yaml, const yaml_node_t *map, const char *name, void *to)
{
    sl_status status = SL_OK;
    if (map->type != YAML_MAPPING_NODE)
        return sl_yaml_fail(yaml, map, "'set' takes keys and values, such as {L1.size: [16K, 32K]}");
    for (size_t i = 0; i < sl_yaml_items(map) && !status; i++) {
        sl_yaml_field field = {NULL, read_setting, AT(settings), false};
        status = copy_word(yaml, sl_yaml_key(yaml, map, i), name, &field.name);
        if (!status)
            status = add_axis(to, &field, sl_yaml_item(yaml, map, i));
    }
    return status;
}
#undef AT

static sl_status read_parts(sl_yaml *yaml, const yaml_node_t *node, const char *name, void *to)
{
    reader *r = to;
    sl_status status = sl_yaml_read_count(yaml, node, name, &r->parts);
    if (!status && (!r->parts || r->parts > MAX_PARTS))
        status = sl_yaml_fail(yaml, node, "'parts' takes a number from 1 to %d", MAX_PARTS);
    return status;
}

/* ---- points ---- */

static sl_status make_point(reader *r, sl_point *point)
{
    sl_status status = SL_OK;
    *point = r->start;
    for (size_t i = 0; i < r->axes && !status; i++) {
        const axis *a = &r->axis[i];
        status = a->field.read(&r->yaml, a->value[a->at], a->field.name, (char *)point + a->field.offset);
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

static sl_status make_points(reader *r)
{
    size_t parts = r->parts ? r->parts : 1, points = parts;
    for (size_t i = 0; i < r->axes; i++) {
        points *= r->axis[i].count;
        if (points > MAX_POINTS)
            return sl_yaml_fail(&r->yaml, sl_yaml_root(&r->yaml), "the sweep has more than %d points", MAX_POINTS);
    }
    r->spec->point = sl_arena_array(&r->spec->arena, sl_point, points);
    if (!r->spec->point)
        return sl_fail_memory(r->yaml.error);
    sl_status status = SL_OK;
    while (r->spec->points < points && !status) {
        sl_point made;
        status = make_point(r, &made);
        turn(r);
        for (made.part = 0; made.part < parts && !status; made.part++) {
            made.parts = r->parts;
            r->spec->point[r->spec->points++] = made;
        }
    }
    return status;
}

static sl_status read_root(reader *r)
{
    static const sl_yaml_field fields[] = {SL_POINT_FIELDS(offsetof(reader, start)),
                                           {"workloads", read_programs, 0, false},
                                           {"traces", read_programs, 0, false},
                                           {"inputs", read_programs, 0, false},
                                           {"size", read_varied, 0, false},
                                           {"machines", read_varied, 0, false},
                                           {"l1", read_varied, 0, false},
                                           {"l2", read_varied, 0, false},
                                           {"scheduler", read_varied, 0, false},
                                           {"without", read_varied, 0, false},
                                           {"plan", read_varied, 0, false},
                                           {"seed", read_varied, 0, false},
                                           {"set", read_settings, 0, false},
                                           {"parts", read_parts, 0, false},
                                           {0}};
    const yaml_node_t *root = sl_yaml_root(&r->yaml);
    if (!root)
        return sl_yaml_fail(&r->yaml, NULL, "the file contains no sweep");
    r->axis[r->axes++].field = (sl_yaml_field){"workloads", read_program, 0, false};
    sl_status status = sl_yaml_read_fields(&r->yaml, root, "a sweep", fields, r);
    if (!status && !r->first_programs)
        status = sl_yaml_fail(&r->yaml, root, "a sweep needs 'workloads', 'traces' or 'inputs'");
    if (!status && !r->axis[0].count)
        status = sl_yaml_fail(&r->yaml, r->first_programs, "'workloads' has no values");
    return status ? status : make_points(r);
}

sl_status sl_sweep_file_parse(const char *path, const char *text, size_t bytes, const sl_custom_policies *custom,
                              sl_sweep_file *spec, sl_error *error)
{
    reader *r = calloc(1, sizeof *r);
    *spec = (sl_sweep_file){0};
    sl_arena_init(&spec->arena);
    if (!r)
        return sl_fail_memory(error);
    r->spec = spec;
    r->start = (sl_point)SL_POINT_START;
    r->start.custom = custom;
    sl_status status = sl_yaml_open(&r->yaml, path, text, bytes, error);
    if (!status) {
        status = read_root(r);
        sl_yaml_close(&r->yaml);
    }
    free(r);
    return status;
}

sl_status sl_sweep_file_load(const char *path, const sl_custom_policies *custom, sl_sweep_file *spec, sl_error *error)
{
    char *text;
    size_t bytes;
    *spec = (sl_sweep_file){0};
    sl_status status = sl_file_read_max(path, SL_YAML_MAX_BYTES, &text, &bytes, error);
    if (status)
        return status;
    status = sl_sweep_file_parse(path, text, bytes, custom, spec, error);
    free(text);
    return status;
}

void sl_sweep_file_fini(sl_sweep_file *spec)
{
    sl_arena_fini(&spec->arena);
}
