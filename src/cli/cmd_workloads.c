/* sluice workloads: the built-in GPU programs. */
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "workloads/workload.h"

typedef struct workloads_options {
    sl_common common;
    const char *tag;
} workloads_options;

/* tag NULL: all of them. */
static bool chosen(const char *tag, const sl_workload *workload)
{
    return !tag || sl_workload_has_tag(workload, tag);
}

static sl_status write_text(FILE *file, const void *tag, sl_error *error)
{
    (void)error;
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *w = sl_workload_at(i);
        if (!chosen(tag, w))
            continue;
        fprintf(file, "%s\n    %s\n    tags: %s\n", w->name, w->summary, w->tags);
        for (int size = 0; size < SL_SIZES; size++)
            fprintf(file, "    %-8s %s\n", sl_size_names[size], w->size[size]);
    }
    return SL_OK;
}

/* Strings of the registry hold nothing that JSON would have to escape. */
static sl_status write_json(FILE *file, const void *tag, sl_error *error)
{
    (void)error;
    const char *comma = "";
    fprintf(file, "{\"tool\": \"sluice\", \"version\": \"%s\", \"command\": \"workloads\", \"workloads\": [",
            SLUICE_VERSION);
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *w = sl_workload_at(i);
        if (!chosen(tag, w))
            continue;
        fprintf(file, "%s\n  {\"name\": \"%s\", \"summary\": \"%s\", \"tags\": \"%s\", \"sizes\": {", comma, w->name,
                w->summary, w->tags);
        for (int size = 0; size < SL_SIZES; size++)
            fprintf(file, "%s\"%s\": \"%s\"", size ? ", " : "", sl_size_names[size], w->size[size]);
        fprintf(file, "}}");
        comma = ",";
    }
    fprintf(file, "\n]}\n");
    return SL_OK;
}

static int run_workloads(const sl_invocation *inv)
{
    const workloads_options *options = inv->values;
    size_t count = 0;
    for (size_t i = 0; i < sl_workload_count(); i++)
        count += chosen(options->tag, sl_workload_at(i));
    if (!count)
        return sl_cli_usage(inv, "no workload has the tag '%s'", options->tag);
    static const sl_report_forms forms = {.text = write_text, .json = write_json};
    return sl_report_write(inv, &forms, options->tag, stdout);
}

static const sl_option options[] = {
    {"tag", 't', SL_OPTION_STRING, "WORD", "List only those with this tag", offsetof(workloads_options, tag), 0, 0,
     NULL},
    {0},
};

static const sl_example examples[] = {
    {"sluice workloads", "Lists the workloads with their parameters at each size"},
    {"sluice workloads --tag irregular --json", "Lists some of them as JSON"},
    {0},
};

const sl_command sl_cmd_workloads = {
    .name = "workloads",
    .summary = "list the built-in GPU programs",
    .usage = "[options]",
    .description =
        "Lists the GPU programs that are built in, with their tags and the parameters of their three sizes.\n\n"
        "Each makes its own input from a seed and checks its result against the CPU. 'sluice run NAME' runs one; "
        "'--size' chooses a size and NAME=VALUE after the name changes single parameters.",
    .options = options,
    .common = SL_COMMON_JSON | SL_COMMON_OUTPUT | SL_COMMON_QUIET,
    .values_bytes = sizeof(workloads_options),
    .most_operands = 0,
    .operand = "nothing",
    .examples = examples,
    .run = run_workloads,
};
