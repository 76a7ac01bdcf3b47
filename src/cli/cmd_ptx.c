/* SPDX-License-Identifier: MIT */
/* sluice ptx: the PTX embedded in a CUDA program, or that of a PTX file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mangle.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "ptx/elf.h"
#include "ptx/fatbin.h"
#include "recording/input.h"
#include "report/table.h"
#include "tune/ptx_loads.h"

typedef struct ptx_options {
    sl_common common;
    sl_option_range number;
} ptx_options;

// clang-format off
static const sl_option options[] = {
    {"number", 'n', SL_OPTION_RANGE, "N", "PTX module to write (default: the only one)", offsetof(ptx_options, number), 0, 0, NULL},
    {0},
};
// clang-format on

/* The n-th PTX module; NULL: there are fewer. */
static const sl_fatbin_entry *nth(const sl_fatbin *fatbin, uint64_t n)
{
    for (size_t i = 0; i < fatbin->entries.count; i++)
        if (fatbin->entries.items[i].kind == SL_FATBIN_PTX && n-- == 0)
            return &fatbin->entries.items[i];
    return NULL;
}

static sl_status write_text(const sl_invocation *inv, const sl_fatbin_entry *entry, sl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    sl_output output;
    sl_status status = sl_fatbin_unpack(entry, &text, &length, error);
    if (!status)
        status = sl_output_open(&output, inv->common->output, error);
    if (!status) {
        fwrite(text, 1, length, output.file);
        status = sl_output_close(&output, error);
    }
    free(text);
    return status;
}

/* ---- the list ---- */

typedef struct listed {
    uint32_t loads, kernels;
    bool run; /* 'sluice run' would take it */
    const char *target;
    uint64_t hash;
    const char **kernel;
} listed;

typedef struct listing {
    const char *program;
    size_t texts;
    listed *text;
    sl_arena arena;
} listing;

static sl_status list_kernels(const sl_ptx_module *module, listed *to, sl_arena *arena, sl_error *error)
{
    to->kernel = sl_arena_array(arena, const char *, module->funcs + 1);
    for (uint32_t i = 0; to->kernel && i < module->funcs; i++)
        if (module->func[i]->entry && module->func[i]->has_body &&
            !(to->kernel[to->kernels++] = sl_arena_strdup(arena, module->func[i]->name)))
            return sl_fail_memory(error);
    return to->kernel ? SL_OK : sl_fail_memory(error);
}

static sl_status list_text(listing *list, size_t number, const sl_fatbin_entry *entry, sl_error *error)
{
    listed *to = &list->text[number];
    char *text = NULL;
    size_t length = 0;
    sl_ptx_module *module = NULL;
    sl_load_graph graph = {0};
    sl_status status = sl_fatbin_unpack(entry, &text, &length, error);
    if (!status)
        status = sl_ptx_parse(text, length, *entry->name ? entry->name : "PTX", &module, error);
    if (!status)
        status = sl_ptx_loads(module, NULL, 0, &list->arena, &graph, error);
    if (!status)
        status = sl_ptx_code_hash(module, &to->hash, error);
    if (!status)
        status = list_kernels(module, to, &list->arena, error);
    if (!status &&
        !(to->target = sl_arena_printf(&list->arena, "%.*s", (int)strcspn(module->target, ","), module->target)))
        status = sl_fail_memory(error);
    to->loads = graph.loads;
    sl_ptx_free(module);
    free(text);
    return status;
}

static void write_kernels(sl_json *j, const void *of)
{
    const listed *l = of;
    sl_json_array(j, false);
    for (uint32_t i = 0; i < l->kernels; i++)
        sl_json_string(j, l->kernel[i]);
    sl_json_close(j, ']');
}

static void text_cells(sl_table *t, const listed *l, size_t number)
{
    sl_table_exact(t, number);
    sl_table_cell(t, l->target);
    sl_table_cell(t, l->run ? "yes" : "no");
    sl_table_cellf(t, "%016" PRIx64, l->hash);
    sl_table_exact(t, l->loads);
}

/* In CSV a row per kernel. */
static int show_list(const sl_invocation *inv, const listing *list)
{
    static const sl_column texts[] = {SL_NUMBERS_AS("number", "number"),
                                      SL_TEXTS_AS("target", "target"),
                                      SL_TEXTS_AS("run", "run"),
                                      SL_TEXTS_AS("hash", "hash"),
                                      SL_NUMBERS_AS("loads", "loads"),
                                      SL_NAMES("kernels"),
                                      SL_DATA("kernels")};
    static const sl_column kernels[] = {SL_DATA("number"), SL_DATA("target"), SL_DATA("run"),
                                        SL_DATA("hash"),   SL_DATA("loads"),  SL_DATA("kernel")};
    const sl_report_info info = {.command = "ptx"};
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    sl_document_string(d, "program", list->program);
    sl_table *t = sl_document_table(d, "texts", NULL, SL_FORM_TEXT | SL_FORM_JSON, texts, sizeof texts / sizeof *texts);
    sl_table *csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, kernels, sizeof kernels / sizeof *kernels);
    for (size_t n = 0; n < list->texts; n++) {
        const listed *l = &list->text[n];
        char names[200] = "", name[200];
        size_t used = 0;
        for (uint32_t i = 0; i < l->kernels; i++) {
            if (used < sizeof names)
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? " " : "",
                                         sl_function_name(l->kernel[i], name, sizeof name));
            text_cells(csv, l, n);
            sl_table_cell(csv, l->kernel[i]);
        }
        text_cells(t, l, n);
        sl_table_cell(t, names);
        sl_table_json_value(t, write_kernels, l);
    }
    return sl_document_show(inv, d, NULL, stdout);
}

/* Marks what a program's fat binaries give to 'sluice run': one module of each container. */
static void mark_run(listing *list, const sl_fatbin *fatbin)
{
    size_t at = 0;
    for (const sl_fatbin_entry *taken; (taken = sl_fatbin_next_ptx(fatbin, &at, SL_PROGRAM_SM));)
        for (size_t n = 0; n < list->texts; n++)
            list->text[n].run |= nth(fatbin, n) == taken;
}

static int list_all(const sl_invocation *inv, const sl_fatbin *fatbin)
{
    listing list = {.program = inv->args.operand[0]};
    const sl_fatbin_entry *entry;
    sl_error error = {0};
    sl_status status = SL_OK;
    sl_arena_init(&list.arena);
    list.text = sl_arena_array(&list.arena, listed, fatbin->entries.count + 1);
    if (!list.text)
        status = sl_fail_memory(&error);
    for (; !status && (entry = nth(fatbin, list.texts)); list.texts++)
        status = list_text(&list, list.texts, entry, &error);
    mark_run(&list, fatbin);
    int code = status ? sl_cli_fail(inv, &error) : show_list(inv, &list);
    sl_arena_fini(&list.arena);
    return code;
}

/* ---- one text ---- */

static sl_status show(const sl_invocation *inv, const sl_fatbin *fatbin, sl_error *error)
{
    const ptx_options *o = inv->values;
    const char *path = inv->args.operand[0];
    if (!o->number.given && nth(fatbin, 1))
        return sl_fail(error, SL_INVALID,
                       "%s contains several PTX modules; choose one with --number ('sluice ptx %s' lists them)", path,
                       path);
    const sl_fatbin_entry *entry = nth(fatbin, o->number.given ? o->number.first : 0);
    if (!entry)
        return sl_fail(error, SL_NOT_FOUND, "%s has no PTX module %llu", path, (unsigned long long)o->number.first);
    return write_text(inv, entry, error);
}

/* Programs, libraries, fat binaries and plain PTX; of other files it is said what to do with them. */
static sl_status add_file(const char *path, sl_fatbin *fatbin, const char *data, size_t bytes, sl_error *error)
{
    if (sl_elf_is(data, bytes))
        return sl_fatbin_add_elf(fatbin, data, bytes, error);
    if (bytes >= SL_FATBIN_HEADER && sl_fatbin_container_bytes(data))
        return sl_fatbin_add(fatbin, data, bytes, false, error);
    sl_status status = sl_input_refuse_source(path, error);
    if (status)
        return status;
    if (!memmem(data, bytes, ".version", 8))
        return sl_fail(error, SL_INVALID, "%s is not a program, library, object file, fat binary or PTX", path);
    sl_fatbin_entry text = {
        .kind = SL_FATBIN_PTX, .data = (const uint8_t *)data, .bytes = bytes, .plain_bytes = bytes, .name = ""};
    return sl_array_push(&fatbin->entries, text) ? SL_OK : sl_fail_memory(error);
}

static int run(const sl_invocation *inv)
{
    const sl_common *common = inv->common;
    if ((common->json || common->csv) && (common->output || ((const ptx_options *)inv->values)->number.given))
        return sl_cli_usage(
            inv, "--json and --csv list modules; they cannot be combined with -o or --number, which extract one");
    sl_error error = {0};
    sl_fatbin fatbin = {0};
    char *data = NULL;
    size_t bytes = 0;
    sl_status status = sl_file_read(inv->args.operand[0], &data, &bytes, &error);
    if (!status)
        status = add_file(inv->args.operand[0], &fatbin, data, bytes, &error);
    if (!status && !nth(&fatbin, 0))
        status = sl_fail(&error, SL_NOT_FOUND, "%s contains no PTX", inv->args.operand[0]);
    bool wanted = inv->common->output || ((const ptx_options *)inv->values)->number.given;
    if (!status && wanted)
        status = show(inv, &fatbin, &error);
    int code = status ? sl_cli_fail(inv, &error) : wanted ? SL_EXIT_OK : list_all(inv, &fatbin);
    sl_fatbin_fini(&fatbin);
    free(data);
    return code;
}

static const sl_example examples[] = {
    {"sluice ptx ./app", "List the PTX modules of a program, with the hash that identifies them in plans"},
    {"sluice ptx ./app -o app.ptx", "Extract the only one"},
    {0},
};

const sl_command sl_cmd_ptx = {
    .name = "ptx",
    .summary = "list or extract the PTX of a CUDA program",
    .usage = "[options] PROGRAM",
    .description = "List the PTX modules in a program, library, object file, fat binary or PTX file, and which of them "
                   "'sluice run' takes (as the driver of an H200 chooses), or extract one with -o or --number, for "
                   "example for 'sluice tune'. 'sluice run --plan' then applies the plan to the program.",
    .options = options,
    .common = SL_COMMON_OUTPUT | SL_COMMON_JSON | SL_COMMON_CSV,
    .values_bytes = sizeof(ptx_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "a program",
    .examples = examples,
    .run = run,
};
