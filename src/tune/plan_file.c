/* SPDX-License-Identifier: MIT */
/* Plans as JSON: read and written by tables of their members. */
#include "tune/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/new_file.h"
#include "base/suggest.h"

enum { MAX_PLAN_BYTES = 64 << 20 }; /* some files have no end */

enum { FORMAT_VERSION = 1 };

/* Maps members of the file to fields of the struct. Reading, writing and suggestions use these tables. */
typedef enum field_kind { TEXT, WHOLE, NUMBER, HASH, MODE, BY_MODE, SETTING } field_kind;

/* Others than required ones may be absent; texts that are NULL are not written. */
typedef enum presence { OPTIONAL, REQUIRED, UNLESS_ZERO } presence;

typedef struct field {
    const char *key;
    field_kind kind;
    presence presence;
    size_t offset;
} field;

static const field plan_fields[] = {
    {"code_hash", HASH, REQUIRED, offsetof(sl_plan, code_hash)},
    {"form", TEXT, REQUIRED, offsetof(sl_plan, form)},
    {"code", TEXT, OPTIONAL, offsetof(sl_plan, code)},
    {"timer", TEXT, OPTIONAL, offsetof(sl_plan, timer)},
    {"unit", TEXT, OPTIONAL, offsetof(sl_plan, unit)},
    {"select", TEXT, OPTIONAL, offsetof(sl_plan, select)},
    {"thresh1", NUMBER, OPTIONAL, offsetof(sl_plan, thresh1)},
    {"thresh2", NUMBER, OPTIONAL, offsetof(sl_plan, thresh2)},
    {"weight", NUMBER, OPTIONAL, offsetof(sl_plan, weight)},
    {"made_by", TEXT, OPTIONAL, offsetof(sl_plan, made_by)},
    {"program_before", NUMBER, UNLESS_ZERO, offsetof(sl_plan, program_before)},
    {"program_after", NUMBER, UNLESS_ZERO, offsetof(sl_plan, program_after)},
    {0},
};
static const field kernel_fields[] = {
    {"function", TEXT, REQUIRED, offsetof(sl_plan_kernel, function)},
    {"base", NUMBER, OPTIONAL, offsetof(sl_plan_kernel, base)},
    {"planned", NUMBER, OPTIONAL, offsetof(sl_plan_kernel, planned)},
    {"gain", NUMBER, OPTIONAL, offsetof(sl_plan_kernel, gain)},
    {"gain_spread", NUMBER, OPTIONAL, offsetof(sl_plan_kernel, gain_spread)},
    {"noise", NUMBER, OPTIONAL, offsetof(sl_plan_kernel, noise)},
    {"ranking", TEXT, OPTIONAL, offsetof(sl_plan_kernel, ranking)},
    {"verdict", TEXT, OPTIONAL, offsetof(sl_plan_kernel, verdict)},
    {0},
};
#define LOAD_FIELDS                                                                                                    \
    {"array", TEXT, OPTIONAL, offsetof(sl_plan_load, array)},                                                          \
        {"group", WHOLE, OPTIONAL, offsetof(sl_plan_load, group)},                                                     \
        {"mode", MODE, REQUIRED, offsetof(sl_plan_load, mode)},                                                        \
        {"affinity", BY_MODE, OPTIONAL, offsetof(sl_plan_load, affinity)},                                             \
        {"spread", BY_MODE, OPTIONAL, offsetof(sl_plan_load, spread)},                                                 \
        {"predicted", BY_MODE, OPTIONAL, offsetof(sl_plan_load, predicted)},                                           \
        {"why", TEXT, OPTIONAL, offsetof(sl_plan_load, why)}, {0},
/* Of loads, and of stores. */
static const field load_fields[] = {{"function", TEXT, REQUIRED, offsetof(sl_plan_load, function)},
                                    {"instruction", WHOLE, REQUIRED, offsetof(sl_plan_load, inst)},
                                    {"line", WHOLE, UNLESS_ZERO, offsetof(sl_plan_load, line)},
                                    {"source", TEXT, OPTIONAL, offsetof(sl_plan_load, source)},
                                    {"source_line", WHOLE, UNLESS_ZERO, offsetof(sl_plan_load, source_line)},
                                    {"opcode", TEXT, OPTIONAL, offsetof(sl_plan_load, opcode)},
                                    LOAD_FIELDS};
static const field setting_fields[] = {{"function", TEXT, REQUIRED, offsetof(sl_plan_load, function)},
                                       {"setting", SETTING, REQUIRED, offsetof(sl_plan_load, inst)},
                                       LOAD_FIELDS};
#undef LOAD_FIELDS
/* The lists of a plan that hold nodes. */
static const struct {
    const char *key, *item;
    sl_node node;
    bool required;
    const field *fields;
} lists[] = {{"loads", "a load", SL_NODE_LOAD, true, load_fields},
             {"stores", "a store", SL_NODE_STORE, false, load_fields},
             {"settings", "a setting", SL_NODE_KERNEL, false, setting_fields}};
enum { LISTS = sizeof lists / sizeof *lists };
/* Members that are not fields, for suggestions and checks. */
static const char *const plan_parts[] = {"sluice_plan", "kernels", "loads", "stores", "settings", NULL};

/* ---- reading ---- */

typedef struct source {
    const char *name;
    sl_arena *arena;
    sl_error *error;
} source;

static sl_status wrong(const source *s, const sl_json_value *at, const char *key, const char *wanted)
{
    return sl_fail_at(s->error, SL_INVALID, s->name, at->line, at->column, "%s is %s here, not %s", key, wanted,
                      sl_json_kind_name(at->kind));
}

static sl_status read_whole(const source *s, const char *key, const sl_json_value *value, uint32_t *whole)
{
    if (value->kind != SL_JSON_NUMBER)
        return wrong(s, value, key, "a whole number");
    if (value->number < 0 || value->number > UINT32_MAX || value->number != floor(value->number))
        return sl_fail_at(s->error, SL_INVALID, s->name, value->line, value->column,
                          "%s must be a whole number from 0 to %u", key, UINT32_MAX);
    *whole = (uint32_t)value->number;
    return SL_OK;
}

static sl_status read_mode(const source *s, const sl_json_value *at, const char *name, unsigned *mode)
{
    sl_error reason = {0};
    if (!sl_bypass_parse(name, mode, &reason))
        return SL_OK;
    return sl_fail_at(s->error, SL_INVALID, s->name, at->line, at->column, "%s", reason.text);
}

static sl_status read_by_mode(const source *s, const char *key, const sl_json_value *value, double *by_mode)
{
    if (value->kind != SL_JSON_OBJECT)
        return wrong(s, value, key, "an object of modes");
    for (uint32_t i = 0; i < value->count; i++) {
        unsigned mode;
        const sl_json_value *number = value->value[i];
        sl_status status = read_mode(s, number, value->key[i], &mode);
        if (status)
            return status;
        if (number->kind != SL_JSON_NUMBER && number->kind != SL_JSON_NULL)
            return wrong(s, number, value->key[i], "a number or null");
        if (number->kind == SL_JSON_NUMBER)
            by_mode[mode] = number->number;
    }
    return SL_OK;
}

static sl_status read_setting(const source *s, const sl_json_value *value, uint32_t *setting)
{
    if (value->kind != SL_JSON_STRING)
        return wrong(s, value, "setting", "a string");
    if (sl_setting_parse(value->text, setting))
        return SL_OK;
    return sl_fail_at(s->error, SL_INVALID, s->name, value->line, value->column,
                      "unknown setting '%s': carve-out, blocks, or window and the number of a parameter", value->text);
}

static sl_status read_hash(const source *s, const char *key, const sl_json_value *value, uint64_t *hash)
{
    if (value->kind != SL_JSON_STRING || strlen(value->text) != 16 || strspn(value->text, "0123456789abcdef") != 16)
        return sl_fail_at(s->error, SL_INVALID, s->name, value->line, value->column,
                          "%s must be a string of 16 hexadecimal digits in lower case", key);
    *hash = strtoull(value->text, NULL, 16);
    return SL_OK;
}

static sl_status read_field(const source *s, const field *f, const sl_json_value *value, void *into)
{
    char *at = (char *)into + f->offset;
    unsigned mode = 0;
    sl_status status = SL_OK;
    switch (f->kind) {
    case TEXT:
        if (value->kind == SL_JSON_NULL && f->presence != REQUIRED)
            return SL_OK;
        if (value->kind != SL_JSON_STRING)
            return wrong(s, value, f->key, "a string");
        *(const char **)at = value->text;
        return SL_OK;
    case WHOLE:
        return read_whole(s, f->key, value, (uint32_t *)at);
    case NUMBER:
        if (value->kind != SL_JSON_NUMBER)
            return wrong(s, value, f->key, "a number");
        *(double *)at = value->number;
        return SL_OK;
    case HASH:
        return read_hash(s, f->key, value, (uint64_t *)at);
    case MODE:
        if (value->kind != SL_JSON_STRING)
            return wrong(s, value, f->key, "the name of a mode");
        status = read_mode(s, value, value->text, &mode);
        *(uint8_t *)at = (uint8_t)mode;
        return status;
    case BY_MODE:
        return read_by_mode(s, f->key, value, (double *)at);
    case SETTING:
        return read_setting(s, value, (uint32_t *)at);
    }
    return SL_OK;
}

static const field *find_field(const field *fields, const char *key)
{
    for (; fields->key; fields++)
        if (!strcmp(fields->key, key))
            return fields;
    return NULL;
}

static bool is_part(const char *const *parts, const char *key)
{
    for (; parts && *parts; parts++)
        if (!strcmp(*parts, key))
            return true;
    return false;
}

static sl_status unknown_key(const source *s, const sl_json_value *at, const char *key, const field *fields,
                             const char *const *parts)
{
    const char *names[40];
    size_t count = 0;
    for (; fields->key && count < 16; fields++)
        names[count++] = fields->key;
    for (; parts && *parts && count < 40; parts++)
        names[count++] = *parts;
    const char *near = sl_suggest(key, names, count);
    return sl_fail_at(s->error, SL_INVALID, s->name, at->line, at->column, "unknown key '%s' in a plan%s%s%s", key,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static sl_status read_fields(const source *s, const sl_json_value *object, const char *what, const field *fields,
                             const char *const *parts, void *into)
{
    if (object->kind != SL_JSON_OBJECT)
        return wrong(s, object, what, "an object");
    for (uint32_t i = 0; i < object->count; i++) {
        const field *f = find_field(fields, object->key[i]);
        if (!f && !is_part(parts, object->key[i]))
            return unknown_key(s, object->value[i], object->key[i], fields, parts);
        sl_status status = f ? read_field(s, f, object->value[i], into) : SL_OK;
        if (status)
            return status;
    }
    for (const field *f = fields; f->key; f++)
        if (f->presence == REQUIRED && !sl_json_member(object, f->key))
            return sl_fail_at(s->error, SL_INVALID, s->name, object->line, object->column, "%s has no '%s'", what,
                              f->key);
    return SL_OK;
}

/* The list `key` of the plan as an array of structs of `bytes`; absent: empty. */
static sl_status list_of(const source *s, const sl_json_value *root, const char *key, bool required,
                         const sl_json_value **list)
{
    static const sl_json_value empty = {.kind = SL_JSON_ARRAY};
    *list = sl_json_member(root, key);
    if (!*list && required)
        return sl_fail_at(s->error, SL_INVALID, s->name, root->line, root->column, "the plan has no '%s'", key);
    if (*list && (*list)->kind != SL_JSON_ARRAY)
        return wrong(s, *list, key, "an array");
    if (!*list)
        *list = &empty;
    return SL_OK;
}

static int by_location(const void *a, const void *b)
{
    const sl_plan_load *x = *(const sl_plan_load *const *)a, *y = *(const sl_plan_load *const *)b;
    int order = strcmp(x->function, y->function);
    return order ? order : (x->inst > y->inst) - (x->inst < y->inst);
}

/* `from`: what each node of the plan was read from. */
static sl_status check_doubles(const source *s, const sl_plan *plan, const sl_json_value *const *from)
{
    const sl_plan_load **sorted = calloc(plan->loads + 1, sizeof *sorted);
    if (!sorted)
        return sl_fail_memory(s->error);
    for (uint32_t i = 0; i < plan->loads; i++)
        sorted[i] = &plan->load[i];
    qsort(sorted, plan->loads, sizeof *sorted, by_location);
    sl_status status = SL_OK;
    for (uint32_t i = 1; !status && i < plan->loads; i++)
        if (!by_location(&sorted[i - 1], &sorted[i])) {
            const sl_plan_load *twice = sorted[i] > sorted[i - 1] ? sorted[i] : sorted[i - 1];
            const sl_json_value *at = from[twice - plan->load];
            char setting[32];
            status = twice->node == SL_NODE_KERNEL
                         ? sl_fail_at(s->error, SL_INVALID, s->name, at->line, at->column,
                                      "setting %s of %s is in the plan twice",
                                      sl_setting_text(twice->inst, setting, sizeof setting), twice->function)
                         : sl_fail_at(s->error, SL_INVALID, s->name, at->line, at->column,
                                      "%s at instruction %u of %s is in the plan twice",
                                      twice->node == SL_NODE_STORE ? "store" : "load", twice->inst, twice->function);
        }
    free(sorted);
    return status;
}

static sl_status read_list(const source *s, const sl_json_value *list, int which, sl_plan *plan,
                           const sl_json_value **from)
{
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < list->count && !status; i++) {
        sl_plan_load *load = &plan->load[plan->loads];
        for (unsigned m = 0; m < SL_BYPASS_MODES; m++)
            load->affinity[m] = load->spread[m] = load->predicted[m] = NAN;
        load->node = (uint8_t)lists[which].node;
        from[plan->loads++] = list->value[i];
        status = read_fields(s, list->value[i], lists[which].item, lists[which].fields, NULL, load);
        if (!status && load->node != SL_NODE_KERNEL && load->inst >= SL_SETTINGS)
            status = sl_fail_at(s->error, SL_INVALID, s->name, list->value[i]->line, list->value[i]->column,
                                "no function has an instruction %u", load->inst);
    }
    return status;
}

static sl_status read_loads(const source *s, const sl_json_value *root, sl_plan *plan)
{
    const sl_json_value *list[LISTS];
    size_t count = 0;
    sl_status status = SL_OK;
    for (int i = 0; i < LISTS && !status; i++) {
        status = list_of(s, root, lists[i].key, lists[i].required, &list[i]);
        count += status ? 0 : list[i]->count;
    }
    if (status)
        return status;
    const sl_json_value **from = sl_arena_array(s->arena, const sl_json_value *, count + 1);
    plan->load = sl_arena_array(s->arena, sl_plan_load, count + 1);
    if (!plan->load || !from)
        return sl_fail_memory(s->error);
    for (int i = 0; i < LISTS && !status; i++)
        status = read_list(s, list[i], i, plan, from);
    return status ? status : check_doubles(s, plan, from);
}

static sl_status read_kernels(const source *s, const sl_json_value *root, sl_plan *plan)
{
    const sl_json_value *list;
    sl_status status = list_of(s, root, "kernels", false, &list);
    if (status)
        return status;
    plan->kernels = list->count;
    plan->kernel = sl_arena_array(s->arena, sl_plan_kernel, list->count + 1);
    if (!plan->kernel)
        return sl_fail_memory(s->error);
    for (uint32_t i = 0; i < list->count && !status; i++)
        status = read_fields(s, list->value[i], "a kernel", kernel_fields, NULL, &plan->kernel[i]);
    return status;
}

static sl_status read_root(const source *s, const sl_json_value *root, sl_plan *plan)
{
    const sl_json_value *version = sl_json_member(root, "sluice_plan");
    if (!version || version->kind != SL_JSON_NUMBER)
        return sl_fail_at(s->error, SL_INVALID, s->name, root->line, root->column,
                          "not a plan: it does not begin with \"sluice_plan\": %d", FORMAT_VERSION);
    if (version->number != FORMAT_VERSION)
        return sl_fail_at(s->error, SL_UNSUPPORTED, s->name, version->line, version->column,
                          "the plan has version %g; this program reads version %d", version->number, FORMAT_VERSION);
    sl_status status = read_fields(s, root, "the plan", plan_fields, plan_parts, plan);
    if (!status)
        status = read_kernels(s, root, plan);
    if (!status)
        status = read_loads(s, root, plan);
    return status;
}

/* Plan `index` of the text: the only one, or one of a list. *count (may be NULL): how many it has; otherwise there must
 * be one. */
static sl_status parse_one(const char *text, size_t length, const char *name, uint32_t index, sl_plan *plan,
                           uint32_t *count, sl_error *error)
{
    sl_json_value *root;
    sl_plan_init(plan);
    const source s = {name, &plan->arena, error};
    sl_status status = sl_json_parse(text, length, name, &plan->arena, &root, error);
    bool list = !status && root->kind == SL_JSON_ARRAY && (root->count || count);
    uint32_t plans = list ? root->count : 1;
    if (!status && !plans) { /* of a program with nothing to change */
        sl_plan_fini(plan);
        *count = 0;
        return SL_OK;
    }
    if (!status && (index >= plans || (!count && plans != 1)))
        status = sl_fail_at(error, SL_INVALID, name, root->line, root->column,
                            "this file has plans for %u PTX modules of a program: 'sluice run --plan' takes it", plans);
    if (!status)
        status = read_root(&s, list ? root->value[index] : root, plan);
    if (count)
        *count = plans;
    if (status)
        sl_plan_fini(plan);
    return status;
}

sl_status sl_plan_parse(const char *text, size_t length, const char *name, sl_plan *plan, sl_error *error)
{
    return parse_one(text, length, name, 0, plan, NULL, error);
}

sl_status sl_plan_list_read(const char *path, sl_plan_list *list, sl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    uint32_t count = 1;
    *list = (sl_plan_list){0};
    sl_status status = sl_file_read_max(path, MAX_PLAN_BYTES, &text, &length, error);
    for (uint32_t i = 0; i < count && !status; i++) {
        sl_plan plan;
        status = parse_one(text, length, path, i, &plan, &count, error);
        if (!count || status)
            break;
        sl_plan *added = sl_plan_list_add(list);
        if (added)
            *added = plan;
        else
            sl_plan_fini(&plan);
        status = added ? SL_OK : sl_fail_memory(error);
    }
    free(text);
    if (status)
        sl_plan_list_fini(list);
    return status;
}

sl_status sl_plan_read_for(const char *path, uint64_t code_hash, sl_plan *plan, sl_error *error)
{
    sl_plan_list list;
    sl_status status = sl_plan_list_read(path, &list, error);
    if (!status && !list.count)
        status = sl_fail(error, SL_NOT_FOUND, "%s has no plan: there was nothing to change", path);
    if (status)
        return status;
    uint32_t chosen = 0;
    for (uint32_t i = 1; i < list.count && list.plan[chosen].code_hash != code_hash; i++)
        if (list.plan[i].code_hash == code_hash)
            chosen = i;
    *plan = list.plan[chosen];
    list.plan[chosen] = list.plan[--list.count];
    sl_plan_list_fini(&list);
    return SL_OK;
}

sl_status sl_plan_read(const char *path, sl_plan *plan, sl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    sl_status status = sl_file_read_max(path, MAX_PLAN_BYTES, &text, &length, error);
    if (!status)
        status = sl_plan_parse(text, length, path, plan, error);
    free(text);
    return status;
}

/* ---- writing ---- */

static void write_by_mode(sl_json *json, const char *key, const double *by_mode)
{
    bool any = false;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        any |= isfinite(by_mode[m]);
    if (!any)
        return;
    sl_json_object_member(json, key, false);
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (isfinite(by_mode[m])) {
            sl_json_double_member(json, sl_bypass_name(m), round(by_mode[m] * 1e4) / 1e4);
        }
    sl_json_close(json, '}');
}

static bool is_written(const field *f, const char *at)
{
    if (f->kind == TEXT)
        return *(const char *const *)at;
    if (f->presence != UNLESS_ZERO)
        return true;
    return f->kind == WHOLE ? *(const uint32_t *)at != 0 : *(const double *)at != 0;
}

static void write_field(sl_json *json, const field *f, const void *from)
{
    const char *at = (const char *)from + f->offset;
    char text[32];
    if (f->kind == BY_MODE) {
        write_by_mode(json, f->key, (const double *)at);
        return;
    }
    if (!is_written(f, at))
        return;
    sl_json_key(json, f->key);
    switch (f->kind) {
    case TEXT:
        sl_json_string(json, *(const char *const *)at);
        break;
    case WHOLE:
        sl_json_u64(json, *(const uint32_t *)at);
        break;
    case NUMBER:
        sl_json_double(json, *(const double *)at);
        break;
    case HASH:
        snprintf(text, sizeof text, "%016" PRIx64, *(const uint64_t *)at);
        sl_json_string(json, text);
        break;
    case SETTING:
        sl_json_string(json, sl_setting_text(*(const uint32_t *)at, text, sizeof text));
        break;
    case MODE:
        sl_json_string(json, sl_bypass_name(*(const uint8_t *)at));
        break;
    case BY_MODE:
        break;
    }
}

static void write_item(sl_json *json, const field *fields, const void *item)
{
    sl_json_object(json, false);
    for (const field *f = fields; f->key; f++)
        write_field(json, f, item);
    sl_json_close(json, '}');
}

static void write_nodes(sl_json *json, const sl_plan *plan, int which)
{
    bool any = lists[which].required;
    for (uint32_t i = 0; i < plan->loads; i++)
        any |= plan->load[i].node == lists[which].node;
    if (!any)
        return;
    sl_json_array_member(json, lists[which].key, true);
    for (uint32_t i = 0; i < plan->loads; i++)
        if (plan->load[i].node == lists[which].node)
            write_item(json, lists[which].fields, &plan->load[i]);
    sl_json_close(json, ']');
}

static void write_plan(sl_json *json, const sl_plan *plan)
{
    sl_json_object(json, true);
    sl_json_u64_member(json, "sluice_plan", FORMAT_VERSION);
    for (const field *f = plan_fields; f->key; f++)
        write_field(json, f, plan);
    sl_json_array_member(json, "kernels", true);
    for (uint32_t i = 0; i < plan->kernels; i++)
        write_item(json, kernel_fields, &plan->kernel[i]);
    sl_json_close(json, ']');
    for (int i = 0; i < LISTS; i++)
        write_nodes(json, plan, i);
    sl_json_close(json, '}');
}

sl_status sl_plan_write(const sl_plan *plan, FILE *file, sl_error *error)
{
    sl_json json;
    sl_json_start(&json, file);
    write_plan(&json, plan);
    return sl_json_finish(&json, error);
}

sl_status sl_plan_list_write(const sl_plan_list *list, FILE *file, sl_error *error)
{
    sl_json json;
    if (list->count == 1)
        return sl_plan_write(list->plan, file, error);
    sl_json_start(&json, file);
    sl_json_array(&json, true);
    for (uint32_t i = 0; i < list->count; i++)
        write_plan(&json, &list->plan[i]);
    sl_json_close(&json, ']');
    return sl_json_finish(&json, error);
}

sl_status sl_plan_list_save(const sl_plan_list *list, const char *path, sl_error *error)
{
    sl_new_file made;
    FILE *file;
    sl_status status = sl_new_file_print(path, &made, &file, error);
    if (status)
        return status;
    status = sl_plan_list_write(list, file, error);
    if (!status)
        return sl_new_file_finish(&made, file, error);
    fclose(file);
    sl_new_file_discard(&made);
    return status;
}
