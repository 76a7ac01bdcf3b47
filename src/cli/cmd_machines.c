/* SPDX-License-Identifier: MIT */
/* sluice machines: the GPU models. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "machine/builtin.h"
#include "machine/keys.h"
#include "report/parts.h"
#include "report/table.h"

typedef struct machines_options {
    sl_common common;
    bool keys;
} machines_options;

/* All built-in machines, or one of any kind. */
typedef struct listing {
    const char *only; /* NULL: all */
    const char *text; /* of `only` */
    size_t bytes, count;
    const sl_machine *machine; /* [count] */
} listing;

/* ---- as text ---- */

/* "16K", "1M": as in machine descriptions. */
static void size_text(uint64_t bytes, char *buffer, size_t size)
{
    static const char units[] = "\0KMG";
    int unit = 0;
    while (bytes && bytes % 1024 == 0 && unit < 3)
        bytes /= 1024, unit++;
    snprintf(buffer, size, "%" PRIu64 "%.1s", bytes, &units[unit]);
}

static void add_row(sl_table *t, const sl_machine *m)
{
    char caches[128] = "", size[32];
    size_t used = 0;
    for (uint32_t i = 0; i < m->levels; i++) {
        const sl_level *level = &m->level[i];
        uint32_t instances = m->cores / level->cores_per_instance;
        size_text(level->size_bytes, size, sizeof size);
        used += (size_t)snprintf(caches + used, sizeof caches - used, "%s%s ", i ? ", " : "", level->name);
        if (instances > 1 && instances < m->cores)
            used += (size_t)snprintf(caches + used, sizeof caches - used, "%ux", instances);
        used += (size_t)snprintf(caches + used, sizeof caches - used, "%s", size);
    }
    sl_table_cell(t, m->name);
    sl_table_cellf(t, "%u", m->cores);
    sl_table_cell(t, caches);
    sl_table_cell(t, m->trust[0] ? m->trust : "not stated");
    sl_table_cell(t, m->summary);
}

static sl_status write_table(FILE *file, const listing *list, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("machine"), SL_NUMBERS("cores"), SL_TEXTS("caches"), SL_TEXTS("trust"),
                                        SL_PROSE("description")};
    sl_table *t = SL_TABLE(columns);
    for (size_t i = 0; i < list->count; i++)
        add_row(t, &list->machine[i]);
    sl_status status = sl_table_finish(t, file, sl_terminal_width(file), error);
    fprintf(file,
            "\ncaches: of a core, or of the whole GPU, or with their number. trust: measured on such a GPU; or not\n"
            "measured, but as a paper, a simulator or public figures have it. 'sluice machines NAME' shows a\n"
            "description with the source of each number; a copy of it with a line changed is another machine.\n");
    return status;
}

static sl_status write_text(FILE *file, const void *result, sl_error *error)
{
    const listing *list = result;
    if (!list->only)
        return write_table(file, list, error);
    fwrite(list->text, 1, list->bytes, file);
    return SL_OK;
}

/* ---- for programs ---- */

static void json_sizes(sl_json *j, const uint32_t *size, uint32_t count)
{
    sl_json_array(j, false);
    for (uint32_t i = 0; i < count; i++)
        sl_json_u64(j, size[i]);
    sl_json_close(j, ']');
}

/* A list for each bit of the set, of the address bits it is the parity of. */
static void json_bits(sl_json *j, const sl_level *level)
{
    sl_json_array(j, false);
    for (uint32_t i = 0; i < SL_MAX_SET_BITS && level->set_bits[i]; i++) {
        sl_json_array(j, false);
        for (uint32_t bit = 0; bit < 64; bit++)
            if (level->set_bits[i] >> bit & 1)
                sl_json_u64(j, bit);
        sl_json_close(j, ']');
    }
    sl_json_close(j, ']');
}

/* The keys of a section with their checked values. */
static void json_section(sl_json *j, sl_key_section section, const sl_core_limits *core, const void *base)
{
    for (int i = 0; i < SL_KEYS; i++) {
        const sl_key *key = &sl_keys[i];
        if (key->section != section)
            continue;
        sl_json_key(j, key->name);
        if (i == SL_AT_core_carve_outs)
            json_sizes(j, core->carve_out, core->carve_outs);
        else if (i == SL_AT_core_carve_out_needs)
            json_sizes(j, core->carve_out_need, core->carve_out_needs);
        else if (key->type == SL_KEY_BITS)
            json_bits(j, base);
        else if (key->type == SL_KEY_TEXT || sl_key_has_words(key->type))
            sl_json_string(j, sl_key_word(key, base));
        else
            sl_json_u64(j, sl_key_get(key, base));
    }
}

static void json_machine(sl_json *j, const sl_machine *m)
{
    sl_json_object(j, true);
    json_section(j, SL_SECTION_machine, NULL, m);
    sl_json_key(j, "core"), sl_json_object(j, false);
    json_section(j, SL_SECTION_core, &m->core, m);
    sl_json_close(j, '}');
    sl_json_key(j, "levels"), sl_json_array(j, true);
    for (uint32_t i = 0; i < m->levels; i++) {
        sl_json_object(j, false);
        json_section(j, SL_SECTION_level, NULL, &m->level[i]);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
    sl_json_key(j, "memory"), sl_json_object(j, false);
    json_section(j, SL_SECTION_memory, NULL, m);
    sl_json_close(j, '}');
    sl_json_close(j, '}');
}

static sl_status write_json(FILE *file, const void *result, sl_error *error)
{
    const listing *list = result;
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_tool_json(&j, "machines");
    sl_json_key(&j, "machines"), sl_json_array(&j, true);
    for (size_t i = 0; i < list->count; i++)
        json_machine(&j, &list->machine[i]);
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

static sl_status write_csv(FILE *file, const void *result, sl_error *error)
{
    const listing *list = result;
    (void)error;
    fprintf(file, "machine,cores,lanes,clock_mhz,level,instances,size_bytes,line_bytes,sector_bytes,ways,sets,hit_"
                  "cycles,trust\n");
    for (size_t i = 0; i < list->count; i++) {
        const sl_machine *m = &list->machine[i];
        for (const sl_level *l = m->level; l < m->level + m->levels; l++) {
            sl_csv_field(file, m->name);
            fprintf(file, ",%u,%u,%u,", m->cores, m->lanes, m->clock_mhz);
            sl_csv_field(file, l->name);
            fprintf(file, ",%u,%" PRIu64 ",%u,%u,%u,%u,%u,", m->cores / l->cores_per_instance, l->size_bytes,
                    l->line_bytes, l->sector_bytes, l->ways, l->sets, l->hit_cycles);
            sl_csv_field(file, m->trust);
            fputc('\n', file);
        }
    }
    return SL_OK;
}

/* ---- the keys of machine files ---- */

static const char *const type_names[] = {
    [SL_KEY_COUNT] = "number",    [SL_KEY_SIZE] = "size",   [SL_KEY_CORES] = "number, all", [SL_KEY_TEXT] = "text",
    [SL_KEY_INDEX] = "word",      [SL_KEY_WRITE] = "word",  [SL_KEY_MISS] = "word",         [SL_KEY_HINT] = "word",
    [SL_KEY_SCHEDULING] = "word", [SL_KEY_SIZES] = "sizes", [SL_KEY_BITS] = "lists of bits"};

static sl_status keys_text(FILE *file, const void *result, sl_error *error)
{
    static const sl_column columns[] = {{"of", false, false},
                                        {"key", false, false},
                                        {"value", false, false},
                                        {"", false, false},
                                        SL_PROSE("description")};
    (void)result;
    sl_table *t = SL_TABLE(columns);
    for (const sl_key *key = sl_keys; key < sl_keys + SL_KEYS; key++) {
        sl_table_cell(t, sl_section_names[key->section]);
        sl_table_cell(t, key->name);
        sl_table_cell(t, type_names[key->type]);
        sl_table_cell(t, key->required ? "required" : "");
        sl_table_cell(t, key->help);
    }
    sl_status status = sl_table_finish(t, file, sl_terminal_width(file), error);
    fprintf(file, "\nLevels are entries of 'levels', from the cores outwards. 'based_on: NAME' at the top starts from\n"
                  "another machine, of which the keys change what they name.\n");
    return status;
}

static sl_status keys_json(FILE *file, const void *result, sl_error *error)
{
    sl_json j;
    (void)result;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_tool_json(&j, "machines");
    sl_json_key(&j, "keys"), sl_json_array(&j, true);
    for (const sl_key *key = sl_keys; key < sl_keys + SL_KEYS; key++) {
        sl_json_object(&j, false);
        sl_json_key(&j, "of"), sl_json_string(&j, sl_section_names[key->section]);
        sl_json_key(&j, "key"), sl_json_string(&j, key->name);
        sl_json_key(&j, "value"), sl_json_string(&j, type_names[key->type]);
        sl_json_key(&j, "required"), sl_json_bool(&j, key->required);
        sl_json_key(&j, "meaning"), sl_json_string(&j, key->help);
        sl_json_close(&j, '}');
    }
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

static sl_status keys_csv(FILE *file, const void *result, sl_error *error)
{
    (void)result, (void)error;
    fprintf(file, "of,key,value,required,meaning\n");
    for (const sl_key *key = sl_keys; key < sl_keys + SL_KEYS; key++) {
        fprintf(file, "%s,%s,", sl_section_names[key->section], key->name);
        sl_csv_field(file, type_names[key->type]);
        fprintf(file, ",%d,", key->required);
        sl_csv_field(file, key->help);
        fputc('\n', file);
    }
    return SL_OK;
}

/* ---- the command ---- */

static int show_all(const sl_invocation *inv, const sl_report_forms *forms)
{
    sl_error error;
    sl_machine *machine = calloc(sl_machine_count(), sizeof *machine);
    sl_status status = machine ? SL_OK : sl_fail_memory(&error);
    for (size_t i = 0; i < sl_machine_count() && !status; i++)
        status = sl_machine_load(sl_machine_name_at(i), &machine[i], &error);
    listing list = {.count = sl_machine_count(), .machine = machine};
    int code = status ? sl_cli_fail(inv, &error) : sl_report_write(inv, forms, &list, stdout);
    free(machine);
    return code;
}

static int show_one(const sl_invocation *inv, const sl_report_forms *forms, const char *name)
{
    sl_machine machine;
    sl_machine_source source;
    sl_error error;
    sl_status status = sl_machine_source_open(name, &source, &error);
    if (status == SL_NOT_FOUND)
        return sl_cli_usage(inv, "%s", error.text);
    if (status)
        return sl_cli_fail(inv, &error);
    status = sl_machine_parse(source.path, source.text, source.bytes, &machine, &error);
    listing list = {name, source.text, source.bytes, 1, &machine};
    int code = status ? sl_cli_fail(inv, &error) : sl_report_write(inv, forms, &list, stdout);
    sl_machine_source_close(&source);
    return code;
}

static int run_machines(const sl_invocation *inv)
{
    static const sl_report_forms forms = {.text = write_text, .json = write_json, .csv = write_csv},
                                 one = {.text = write_text, .json = write_json, .csv = write_csv, .verbatim = true},
                                 keys = {.text = keys_text, .json = keys_json, .csv = keys_csv};
    const machines_options *options = inv->values;
    if (options->keys)
        return sl_report_write(inv, &keys, NULL, stdout);
    return inv->args.operands ? show_one(inv, &one, inv->args.operand[0]) : show_all(inv, &forms);
}

static const sl_option options[] = {
    {"keys", 'k', SL_OPTION_FLAG, NULL, "List the keys of machine descriptions with their meaning",
     offsetof(machines_options, keys), 0, 0, NULL},
    {0},
};

static const sl_example examples[] = {
    {"sluice machines", "List the built-in GPU models, a line each"},
    {"sluice machines h200 >mine.yaml", "Start a custom GPU model from a built-in one"},
    {"sluice machines mine.yaml --json", "Check a description and show everything derived from it"},
    {"sluice machines --keys", "List the keys of a description"},
    {0},
};

const sl_command sl_cmd_machines = {
    .name = "machines",
    .summary = "list the GPU models",
    .usage = "[options] [NAME|FILE]",
    .description = "List the built-in GPU models with their cores and caches. With a name, print its description, a "
                   "YAML file that gives the source of every number; with a file (its name contains '/' or ends in "
                   ".yaml), check and print it.\n\nFor a custom GPU model, copy a description and edit it, or write a "
                   "short file with 'based_on: NAME' and the keys that differ.",
    .options = options,
    .common = SL_COMMON_REPORT,
    .values_bytes = sizeof(machines_options),
    .max_operands = 1,
    .operand = "a GPU model",
    .examples = examples,
    .run = run_machines,
};
