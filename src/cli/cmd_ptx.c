/* sluice ptx: the PTX that a CUDA program carries. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bypass/ptx_loads.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "ptx/elf.h"
#include "ptx/fatbin.h"
#include "report/table.h"

typedef struct ptx_options {
    sl_common common;
    sl_option_range number;
} ptx_options;

// clang-format off
static const sl_option options[] = {
    {"number", 'n', SL_OPTION_RANGE, "N", "Which text to write (default: the only one)", offsetof(ptx_options, number), 0, 0, NULL},
    {0},
};
// clang-format on

/* The n-th PTX text; NULL: there are fewer. */
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

static sl_status list_text(sl_table *table, size_t number, const sl_fatbin_entry *entry, sl_error *error)
{
    char *text = NULL, kernels[200] = "";
    size_t length = 0, used = 0;
    uint64_t hash = 0;
    sl_ptx_module *module = NULL;
    sl_load_graph graph = {0};
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_fatbin_unpack(entry, &text, &length, error);
    if (!status)
        status = sl_ptx_parse(text, length, *entry->name ? entry->name : "PTX", &module, error);
    if (!status)
        status = sl_ptx_loads(module, NULL, 0, &arena, &graph, error);
    if (!status)
        status = sl_ptx_code_hash(module, &hash, error);
    for (uint32_t i = 0; !status && i < module->funcs && used < sizeof kernels; i++)
        if (module->func[i]->entry && module->func[i]->has_body)
            used +=
                (size_t)snprintf(kernels + used, sizeof kernels - used, "%s%s", used ? " " : "", module->func[i]->name);
    sl_table_cellf(table, "%zu", number);
    sl_table_cellf(table, "sm_%u", entry->sm);
    sl_table_cellf(table, "%016" PRIx64, hash);
    sl_table_cellf(table, "%u", graph.loads);
    sl_table_cell(table, kernels);
    sl_ptx_free(module);
    sl_arena_fini(&arena);
    free(text);
    return status;
}

static sl_status list_all(const sl_fatbin *fatbin, sl_error *error)
{
    static const sl_column columns[] = {{"number", true, false},
                                        {"target", false, false},
                                        {"hash", false, false},
                                        {"loads", true, false},
                                        {"kernels", false, true}};
    sl_table *table = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!table)
        return sl_fail_memory(error);
    sl_status status = SL_OK;
    const sl_fatbin_entry *entry;
    for (size_t n = 0; !status && (entry = nth(fatbin, n)); n++)
        status = list_text(table, n, entry, error);
    if (!status)
        status = sl_table_print(table, stdout, sl_terminal_width(stdout), error);
    sl_table_destroy(table);
    return status;
}

static sl_status show(const sl_invocation *inv, const sl_fatbin *fatbin, sl_error *error)
{
    const ptx_options *o = inv->values;
    const char *path = inv->args.operand[0];
    if (!nth(fatbin, 0))
        return sl_fail(error, SL_NOT_FOUND, "%s carries no PTX", path);
    if (!inv->common->output && !o->number.given)
        return list_all(fatbin, error);
    if (!o->number.given && nth(fatbin, 1))
        return sl_fail(error, SL_INVALID,
                       "%s carries several PTX texts; --number says which ('sluice ptx %s' lists them)", path, path);
    const sl_fatbin_entry *entry = nth(fatbin, o->number.given ? o->number.first : 0);
    if (!entry)
        return sl_fail(error, SL_NOT_FOUND, "%s has no PTX text %llu", path, (unsigned long long)o->number.first);
    return write_text(inv, entry, error);
}

static int run(const sl_invocation *inv)
{
    sl_error error = {0};
    sl_fatbin fatbin = {0};
    char *data = NULL;
    size_t bytes = 0;
    sl_status status = sl_file_read(inv->args.operand[0], &data, &bytes, &error);
    if (!status)
        status = sl_elf_is(data, bytes) ? sl_fatbin_add_elf(&fatbin, data, bytes, &error)
                                        : sl_fatbin_add(&fatbin, data, bytes, false, &error);
    if (!status)
        status = show(inv, &fatbin, &error);
    sl_fatbin_fini(&fatbin);
    free(data);
    return status ? sl_cli_fail(inv, &error) : SL_EXIT_OK;
}

static const sl_example examples[] = {
    {"sluice ptx ./app", "Lists the PTX texts of a program, with the hash by which plans know them"},
    {"sluice ptx ./app -o app.ptx", "Takes the only one out"},
    {0},
};

const sl_command sl_cmd_ptx = {
    .name = "ptx",
    .summary = "list or take out the PTX that a CUDA program carries",
    .usage = "[options] PROGRAM",
    .description =
        "Lists the PTX texts in a program, library, object file or fat binary, or with -o or --number writes "
        "one of them: for 'sluice tune', whose plan 'sluice run --plan' then brings back into the program.",
    .options = options,
    .common = SL_COMMON_OUTPUT,
    .values_bytes = sizeof(ptx_options),
    .least_operands = 1,
    .most_operands = 1,
    .operand = "a program",
    .examples = examples,
    .run = run,
};
