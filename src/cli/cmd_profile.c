/* SPDX-License-Identifier: MIT */
/* sluice profile: reuse of lines and sectors. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/arena.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "report/results.h"

typedef struct profile_options {
    sl_input_options input;
    const char *gpu;
    sl_option_list set;
    uint64_t line, sector, cores, blocks_per_core, cache, windows;
    bool loads_only;
    const char *plot;
} profile_options;

#define AT(field) offsetof(profile_options, field)
// clang-format off
static const sl_option options[] = {
    SL_GPU_OPTIONS(AT(gpu), AT(set)),
    {"line", 0, SL_OPTION_BYTES, "BYTES", "Line size (default: that of the GPU's first level, as are the next)", AT(line), 1, 65536, NULL},
    {"sector", 0, SL_OPTION_BYTES, "BYTES", "Sector size", AT(sector), 1, 65536, NULL},
    {"cache", 0, SL_OPTION_BYTES, "BYTES", "Size per core of the LRU cache whose hits and zero-reuse fills are reported (default: the L1 that shared memory leaves to the first launch)", AT(cache), 1, 0, NULL},
    {"cores", 0, SL_OPTION_NUMBER, "N", "Cores (SMs) to which blocks are assigned in turn (default: those of the GPU)", AT(cores), 1, 1024, NULL},
    {"blocks-per-core", 0, SL_OPTION_NUMBER, "N", "Resident blocks per core (default: those that the GPU allows, at most 8)", AT(blocks_per_core), 1, 1024, NULL},
    {"windows", 0, SL_OPTION_NUMBER, "N", "Report the footprint in N to 2N time windows (default: 16)", AT(windows), 1, 65536, NULL},
    {"plot", 0, SL_OPTION_STRING, "FILE", "Draw the miss-ratio curve as SVG: misses over the size of a fully associative cache per core", AT(plot), 0, 0, NULL},
    {"loads-only", 0, SL_OPTION_FLAG, NULL, "Ignore stores and atomics", AT(loads_only), 0, 0, NULL},
    {0},
};
// clang-format on

static const profile_options defaults = {.input = SL_INPUT_DEFAULTS, .gpu = SL_DEFAULT_GPU, .windows = 16};

/* What the numbers depend on, defaults included, then the options that were given. */
static sl_status describe(const sl_invocation *inv, sl_cli_input *input, const sl_machine *machine,
                          const sl_profile_options *as, sl_arena *arena, sl_report_info *info, sl_error *error)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"line", as->line_bytes},
                   {"sector", as->sector_bytes},
                   {"cache", as->cache_bytes},
                   {"cores", as->cores},
                   {"blocks-per-core", as->blocks_per_core},
                   {"windows", as->windows}};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    sl_report_option fact[NUMBERS + 1];
    size_t facts = 0;
    *info = (sl_report_info){.command = "profile", .machine = machine->name, .trace = input->trace};
    if (!input->trace) {
        fact[facts++] = input->fact;
        info->seed = &input->input.spec.seed;
    }
    for (size_t i = 0; i < NUMBERS; i++)
        if (!sl_was_given(inv, numbers[i].name))
            fact[facts++] = (sl_report_option){numbers[i].name, sl_arena_printf(arena, "%" PRIu64, numbers[i].value)};
    return sl_given_options(inv, fact, facts, input->subject, machine->name, arena, info, error);
}

static int profile_input(const sl_invocation *inv, sl_cli_input *input, const sl_machine *machine,
                         const sl_profile_options *wanted)
{
    const sl_analysis analysis = {.kind = SL_ANALYSIS_PROFILE, .machine = machine, .profile = wanted};
    sl_result result = {0};
    sl_report_info info = {0};
    sl_error error;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_analyze(&input->recording, &analysis, input->pool, inv->progress, &result, &error);
    if (!status)
        status = describe(inv, input, machine, &result.profiled_as, &arena, &info, &error);
    int code = status ? sl_cli_fail(inv, &error) : SL_EXIT_OK;
    if (!status) {
        const sl_page_input page = {.subject = input->subject,
                                    .info = info,
                                    .results.profile = &result,
                                    .results.sources = input->texts,
                                    .results.source = input->text};
        sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
        sl_document_profile(d, &result);
        code = sl_document_show(inv, d, &page, sl_cli_input_stream(input));
        const profile_options *o = inv->values;
        if (o->plot && sl_output_write(sl_miss_ratios_svg, o->plot, &result, &error))
            code = sl_cli_fail(inv, &error);
    }
    sl_result_fini(&result);
    sl_arena_fini(&arena);
    return code;
}

static int run_profile(const sl_invocation *inv)
{
    const profile_options *o = inv->values;
    sl_machine machine;
    sl_cli_input input;
    sl_error error;
    if (sl_machine_load_with(o->gpu, o->set.item, o->set.count, &machine, &error))
        return sl_cli_fail(inv, &error);
    sl_profile_options wanted = sl_profile_defaults(&machine);
    wanted.line_bytes = o->line ? (uint32_t)o->line : wanted.line_bytes;
    wanted.sector_bytes = o->sector ? (uint32_t)o->sector : wanted.sector_bytes;
    wanted.cores = o->cores ? (uint32_t)o->cores : wanted.cores;
    wanted.blocks_per_core = o->blocks_per_core ? (uint32_t)o->blocks_per_core : wanted.blocks_per_core;
    wanted.cache_bytes = o->cache ? o->cache : machine.level[0].size_bytes;
    wanted.windows = (uint32_t)o->windows;
    wanted.loads_only = o->loads_only;
    if (sl_profile_check(&wanted, &error))
        return sl_cli_usage(inv, "%s", error.text);
    if (!o->cache)
        wanted.cache_bytes = 0; /* the launch decides */
    int code = sl_cli_input_record(&input, inv, SL_TAKES_ALL, machine.lanes, true);
    if (code)
        return code;
    code = sl_cli_input_code(&input, profile_input(inv, &input, &machine, &wanted));
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
    {"sluice profile app.slt --plot curve.svg",
     "Draw its miss-ratio curve; with --cores 1 that of one cache for all SMs"},
    {"sluice profile app.slt --gpu fermi-gtx480", "Profile it with the lines, L1 size and cores of a Fermi"},
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
        "reuse, the footprint over time, and the share of transferred bytes that was requested.\n\nA profile has an "
        "order of execution but no timing (for that, use 'sluice model' or 'sluice sim'). From the GPU model it takes "
        "line, sector and size of the first level, the number of cores and the width of a warp. Block b "
        "runs on core b modulo --cores. A core runs --blocks-per-core blocks at a time and starts its next one when "
        "one ends. The warps of these blocks take turns, one memory access each, and wait for each other at barriers. "
        "Reuse is tracked per core and starts over with each launch; results are summed over the cores. Loads, stores, "
        "atomics and asynchronous copies in global and local memory are counted; prefetches, textures, constants and "
        "shared memory are not.\n\nThe reuse distance predicts a fully associative LRU cache: an access hits if its "
        "distance is below the number of lines. For such a cache of --cache bytes the report shows hits and zero-reuse "
        "fills: lines that are filled and evicted without a hit. The miss-ratio curve has its misses at every power of "
        "two; --plot draws it.\n\n" SL_INPUT_HELP,
    .often = "gpu cache cores plot loads-only kernel launch html json csv",
    .common = SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_JOBS | SL_COMMON_TIMES,
    .operand = SL_INPUT_OPERAND,
    SL_OF_INPUTS(profile_options, options, defaults, examples),
    .run = run_profile,
};
