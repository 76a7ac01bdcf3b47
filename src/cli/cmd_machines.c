/* SPDX-License-Identifier: MIT */
/* sluice machines: the GPU models. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "machine/keys.h"
#include "machine/machine.h"

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

/* "L1 16K, L2 8x4M". */
static void caches_text(const sl_machine *m, char *caches, size_t bytes)
{
    size_t used = 0;
    for (uint32_t i = 0; i < m->levels; i++) {
        const sl_level *level = &m->level[i];
        uint32_t instances = m->cores / level->cores_per_instance;
        char size[32], count[16] = "";
        size_text(level->size_bytes, size, sizeof size);
        if (instances > 1 && instances < m->cores)
            snprintf(count, sizeof count, "%ux", instances);
        used += (size_t)snprintf(caches + used, bytes - used, "%s%s %s%s", i ? ", " : "", level->name, count, size);
    }
}

static void add_text(sl_document *d, const listing *list)
{
    static const sl_column columns[] = {SL_TEXTS("machine"), SL_NUMBERS("cores"), SL_TEXTS("caches"), SL_TEXTS("trust"),
                                        SL_PROSE("description")};
    if (list->only) {
        sl_document_is_verbatim(d);
        sl_document_text(d, list->text, list->bytes);
        return;
    }
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < list->count; i++) {
        const sl_machine *m = &list->machine[i];
        char caches[256];
        caches_text(m, caches, sizeof caches);
        sl_table_cell(t, m->name);
        sl_table_exact(t, m->cores);
        sl_table_cell(t, caches);
        sl_table_cell(t, m->trust[0] ? m->trust : "not stated");
        sl_table_cell(t, m->summary);
    }
    sl_document_line(d,
                     "\ncaches: L1 per SM, L2 per GPU ('8x4M': eight of 4M). trust: where the numbers come from; only\n"
                     "'measured' was checked against hardware. 'sluice machines NAME' shows a description with the\n"
                     "source of each number; a copy of it with a line changed is another machine.\n");
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

static void write_machine(sl_json *j, const void *machine)
{
    const sl_machine *m = machine;
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
}

/* In JSON every key of a machine; in CSV a row per level. */
static void add_data(sl_document *d, const listing *list)
{
    static const sl_column machines[] = {SL_DATA("")};
    static const sl_column levels[] = {
        SL_DATA("machine"),   SL_DATA("cores"),      SL_DATA("lanes"),      SL_DATA("clock_mhz"),    SL_DATA("level"),
        SL_DATA("instances"), SL_DATA("size_bytes"), SL_DATA("line_bytes"), SL_DATA("sector_bytes"), SL_DATA("ways"),
        SL_DATA("sets"),      SL_DATA("hit_cycles"), SL_DATA("trust")};
    sl_table *json = sl_document_table(d, "machines", NULL, SL_FORM_JSON, machines, 1);
    sl_table *csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, levels, sizeof levels / sizeof *levels);
    for (size_t i = 0; i < list->count; i++) {
        const sl_machine *m = &list->machine[i];
        sl_table_json_value(json, write_machine, m);
        for (const sl_level *l = m->level; l < m->level + m->levels; l++) {
            const uint64_t of_machine[] = {m->cores, m->lanes, m->clock_mhz};
            const uint64_t of_level[] = {m->cores / l->cores_per_instance,
                                         l->size_bytes,
                                         l->line_bytes,
                                         l->sector_bytes,
                                         l->ways,
                                         l->sets,
                                         l->hit_cycles};
            sl_table_cell(csv, m->name);
            for (size_t n = 0; n < sizeof of_machine / sizeof *of_machine; n++)
                sl_table_exact(csv, of_machine[n]);
            sl_table_cell(csv, l->name);
            for (size_t n = 0; n < sizeof of_level / sizeof *of_level; n++)
                sl_table_exact(csv, of_level[n]);
            sl_table_cell(csv, m->trust);
        }
    }
}

static const sl_report_info info = {.command = "machines"};

static int show(const sl_invocation *inv, const listing *list)
{
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    add_data(d, list);
    add_text(d, list);
    return sl_document_show(inv, d, NULL, stdout);
}

/* ---- the keys of machine files ---- */

static const char *const type_names[] = {
    [SL_KEY_COUNT] = "number",    [SL_KEY_SIZE] = "size",   [SL_KEY_CORES] = "number, all", [SL_KEY_TEXT] = "text",
    [SL_KEY_INDEX] = "word",      [SL_KEY_WRITE] = "word",  [SL_KEY_MISS] = "word",         [SL_KEY_HINT] = "word",
    [SL_KEY_SCHEDULING] = "word", [SL_KEY_SIZES] = "sizes", [SL_KEY_BITS] = "lists of bits"};

static int show_keys(const sl_invocation *inv)
{
    static const sl_column columns[] = {SL_TEXTS_AS("of", "of"),       SL_TEXTS_AS("key", "key"),
                                        SL_TEXTS_AS("value", "value"), SL_TEXTS(""),
                                        SL_DATA("required"),           SL_PROSE_AS("description", "meaning")};
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    sl_table *t = sl_document_table(d, "keys", NULL, SL_FORM_ALL, columns, sizeof columns / sizeof *columns);
    for (const sl_key *key = sl_keys; key < sl_keys + SL_KEYS; key++) {
        sl_table_cell(t, sl_section_names[key->section]);
        sl_table_cell(t, key->name);
        sl_table_cell(t, type_names[key->type]);
        sl_table_cell(t, key->required ? "required" : "");
        sl_table_bool(t, key->required);
        sl_table_cell(t, key->help);
    }
    sl_document_line(
        d, "\nLevels are entries of 'levels', from the cores outwards. 'based_on: NAME' at the top starts from\n"
           "another machine, of which the keys change what they name.\n");
    return sl_document_show(inv, d, NULL, stdout);
}

/* ---- the command ---- */

static int show_all(const sl_invocation *inv)
{
    sl_error error;
    sl_machine *machine = calloc(sl_machine_count(), sizeof *machine);
    sl_status status = machine ? SL_OK : sl_fail_memory(&error);
    for (size_t i = 0; i < sl_machine_count() && !status; i++)
        status = sl_machine_load(sl_machine_name_at(i), &machine[i], &error);
    listing list = {.count = sl_machine_count(), .machine = machine};
    int code = status ? sl_cli_fail(inv, &error) : show(inv, &list);
    free(machine);
    return code;
}

static int show_one(const sl_invocation *inv, const char *name)
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
    int code = status ? sl_cli_fail(inv, &error) : show(inv, &list);
    sl_machine_source_close(&source);
    return code;
}

static int run_machines(const sl_invocation *inv)
{
    const machines_options *options = inv->values;
    if (options->keys)
        return show_keys(inv);
    return inv->args.operands ? show_one(inv, inv->args.operand[0]) : show_all(inv);
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
