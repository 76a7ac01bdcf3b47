/* SPDX-License-Identifier: MIT */
/* sluice profile: reuse of lines and sectors. */
#include <stdlib.h>

#include "base/arena.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "report/profile.h"

typedef struct profile_options {
    sl_input_options input;
    uint64_t line, sector, cores, blocks_per_core, cache, windows;
    bool loads_only;
} profile_options;

#define AT(field) offsetof(profile_options, field)
// clang-format off
static const sl_option options[] = {
    {"line", 0, SL_OPTION_BYTES, "BYTES", "Line size (default: 128)", AT(line), 1, 65536, NULL},
    {"sector", 0, SL_OPTION_BYTES, "BYTES", "Sector size (default: 32)", AT(sector), 1, 65536, NULL},
    {"cores", 0, SL_OPTION_NUMBER, "N", "Cores (SMs) to which blocks are assigned in turn (default: 15)", AT(cores), 1, 1024, NULL},
    {"blocks-per-core", 0, SL_OPTION_NUMBER, "N", "Resident blocks per core (default: 8)", AT(blocks_per_core), 1, 1024, NULL},
    {"cache", 0, SL_OPTION_BYTES, "BYTES", "Size per core of the LRU cache whose hits and zero-reuse fills are reported (default: 16K)", AT(cache), 1, 0, NULL},
    {"windows", 0, SL_OPTION_NUMBER, "N", "Report the footprint in N to 2N time windows (default: 16)", AT(windows), 1, 65536, NULL},
    {"loads-only", 0, SL_OPTION_FLAG, NULL, "Ignore stores and atomics", AT(loads_only), 0, 0, NULL},
    {0},
};
// clang-format on

static const profile_options defaults = {
    .input = SL_INPUT_DEFAULTS,
    .line = 128,
    .sector = 32,
    .cores = 15,
    .blocks_per_core = 8,
    .cache = 16384,
    .windows = 16,
};

SL_REPORT_FORMS(forms, sl_profile_report, sl_profile_report_text, sl_profile_report_json, sl_profile_report_csv, NULL);

typedef struct shown_profile {
    sl_profile_report report; /* first: the forms take it for the whole */
    const sl_cli_input *input;
} shown_profile;

static sl_status make_page(const void *result, sl_page_input *input, sl_error *error)
{
    (void)error;
    const shown_profile *shown = result;
    *input = (sl_page_input){.subject = shown->input->subject,
                             .info = shown->report.info,
                             .profile = &shown->report,
                             .sources = shown->input->texts,
                             .source = shown->input->text};
    return SL_OK;
}

/* All options of the profile, also defaults: its numbers depend on them. */
static bool describe(const sl_invocation *inv, sl_cli_input *input, sl_arena *arena, sl_report_info *info)
{
    const profile_options *o = inv->values;
    sl_report_option *option = sl_arena_array(arena, sl_report_option, sizeof options / sizeof *options + 2);
    if (!option)
        return false;
    *info = (sl_report_info){.command = "profile", .option = option};
    info->trace = input->trace;
    if (!input->trace) {
        option[info->options++] = input->fact;
        info->seed = &o->input.seed;
    }
    for (const sl_option *each = options; each->name; each++) {
        char value[64];
        char *copy = sl_arena_strdup(arena, sl_option_text(each, o, value, sizeof value));
        if (!copy)
            return false;
        option[info->options++] = (sl_report_option){each->name, copy};
    }
    return true;
}

/* Progress of one launch within that of all. */
typedef struct launch_progress {
    const sl_progress *all;
    uint64_t before, launches;
} launch_progress;

static void update_progress(void *context, const char *what, uint64_t done, uint64_t total)
{
    const launch_progress *p = context;
    (void)what;
    sl_progress_update(p->all, "launches x cores", p->before * total + done, p->launches * total);
}

static sl_status profile_launches(const sl_invocation *inv, const sl_cli_input *input, const sl_profile_options *wanted,
                                  sl_profile *profile, sl_error *error)
{
    sl_pool *pool;
    sl_status status = sl_pool_create((unsigned)inv->common->threads, &pool, error);
    if (status)
        return status;
    for (uint32_t i = 0; i < input->recording.launches && !status; i++) {
        launch_progress done = {inv->progress, i, input->recording.launches};
        sl_progress progress = {update_progress, &done};
        status = sl_profile_launch(input->recording.trace, input->recording.launch[i], wanted, pool, &progress,
                                   &profile[i], error);
    }
    sl_pool_destroy(pool);
    return status;
}

static int profile_input(const sl_invocation *inv, sl_cli_input *input, const sl_profile_options *wanted)
{
    sl_profile *profile = calloc(input->recording.launches ? input->recording.launches : 1, sizeof *profile);
    shown_profile shown = {.report = {.options = wanted, .profiles = input->recording.launches, .profile = profile},
                           .input = input};
    sl_profile_report *report = &shown.report;
    sl_error error;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = profile ? profile_launches(inv, input, wanted, profile, &error) : sl_fail_memory(&error);
    if (!status)
        status = sl_profile_sums_init(&report->sums, profile, input->recording.launches, &error);
    if (!status && !describe(inv, input, &arena, &report->info))
        status = sl_fail_memory(&error);
    int code = status ? sl_cli_fail(inv, &error)
                      : sl_report_write_page(inv, &forms, make_page, &shown, sl_cli_input_stream(input));
    sl_profile_sums_fini(&report->sums);
    for (uint32_t i = 0; profile && i < input->recording.launches; i++)
        sl_profile_fini(&profile[i]);
    free(profile);
    sl_arena_fini(&arena);
    return code;
}

static int run_profile(const sl_invocation *inv)
{
    const profile_options *o = inv->values;
    sl_profile_options wanted = {
        .line_bytes = (uint32_t)o->line,
        .sector_bytes = (uint32_t)o->sector,
        .cores = (uint32_t)o->cores,
        .blocks_per_core = (uint32_t)o->blocks_per_core,
        .cache_bytes = o->cache,
        .windows = (uint32_t)o->windows,
        .loads_only = o->loads_only,
    };
    sl_cli_input input;
    sl_error error;
    if (sl_profile_check(&wanted, &error))
        return sl_cli_usage(inv, "%s", error.text);
    int code = sl_cli_input_record(&input, inv, SL_TAKES_ALL, 0, true);
    if (code)
        return code;
    code = sl_cli_input_code(&input, profile_input(inv, &input, &wanted));
    if (input.recording.damage.status) {
        sl_cli_warn(inv, "%s: %s", input.subject, input.recording.damage.text);
        code = SL_EXIT_FAILURE;
    }
    sl_cli_input_close(&input);
    return code;
}

static const sl_example examples[] = {
    {"sluice profile app.slt", "Report the reuse of each kernel and each load of a trace"},
    {"sluice profile matmul n=256", "Run a workload and profile it"},
    {"sluice profile --cores 1 --blocks-per-core 1 --loads-only app.slt",
     "Profile the loads of one block after the other"},
    {"sluice profile --cache 48K --kernel '^spmv' --csv reuse.csv app.slt",
     "Write the histograms of some kernels for plotting, with hits of a 48 KiB cache"},
    {0},
};

const sl_command sl_cmd_profile = {
    .name = "profile",
    .summary = "report reuse distances, reuse counts and footprints per kernel and load",
    .usage = "[options] " SL_INPUT_USAGE,
    .description =
        "Report the reuse of lines and sectors per kernel, launch and load: reuse distances (how many distinct lines "
        "or sectors are accessed between two accesses to the same one), reuse counts, the share of accesses without "
        "reuse, the footprint over time, and the share of transferred bytes that was requested.\n\nA profile needs no "
        "GPU model and no timing ('sluice model' and 'sluice sim' have these), only an order of execution. Block b "
        "runs on core b modulo --cores. A core runs --blocks-per-core blocks at a time and starts its next one when "
        "one ends. The warps of these blocks take turns, one memory access each, and wait for each other at barriers. "
        "Reuse is tracked per core and starts anew with each launch; results are summed over the cores. Loads, stores, "
        "atomics and asynchronous copies in global and local memory are counted; prefetches, textures, constants and "
        "shared memory are not.\n\nThe reuse distance predicts a fully associative LRU cache: an access hits if its "
        "distance is below the number of lines. For such a cache of --cache bytes the report shows hits and zero-reuse "
        "fills: lines that are filled and evicted without a hit.\n\n" SL_INPUT_HELP,
    .options = options,
    .more_options = sl_input_table,
    .common = SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_JOBS,
    .values_bytes = sizeof(profile_options),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = SL_INPUT_MAX_OPERANDS,
    .operand = SL_INPUT_OPERAND,
    .takes_program = true,
    .examples = examples,
    .run = run_profile,
};
