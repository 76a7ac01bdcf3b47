/* SPDX-License-Identifier: MIT */
/* sluice sweep: runs many points on all cores; resumes after an interruption. */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/folders.h"
#include "cli/output.h"
#include "report/results.h"
#include "study/runner.h"

extern char **environ;

typedef struct sweep_options {
    sl_common common;
    const char *database, *cache, *shard, *plot;
    sl_option_list merge;
    uint64_t slurm, point;
    bool points;
} sweep_options;

/* "sizes.sqlite" of "sizes.yaml", in the current folder. */
static void database_name(const char *spec, const char *request, char *name, size_t size)
{
    const char *slash = strrchr(spec, '/'), *base = slash ? slash + 1 : spec, *dot = strrchr(base, '.');
    if (request)
        snprintf(name, size, "%s", request);
    else
        snprintf(name, size, "%.*s.sqlite", (int)(dot ? dot - base : (long)strlen(base)), base);
}

/* "2/8": the third of eight parts. */
static sl_status read_shard(const char *text, sl_runner *runner, sl_error *error)
{
    unsigned shard, shards;
    char end;
    if (!text)
        return SL_OK;
    if (sscanf(text, "%u/%u%c", &shard, &shards, &end) != 2 || shard >= shards)
        return sl_fail(error, SL_INVALID, "--shard: '%s' is not I/N with I from 0 to N-1, such as 0/8", text);
    runner->shard = shard;
    runner->shards = shards;
    return SL_OK;
}

static sl_status choose_points(const sl_invocation *inv, const sl_sweep_file *spec, sl_runner *runner, sl_error *error)
{
    const sweep_options *o = inv->values;
    if (!sl_was_given(inv, "point"))
        return read_shard(o->shard, runner, error);
    if (o->point >= spec->points)
        return sl_fail(error, SL_INVALID, "--point %llu: the points of %s are 0 to %zu", (unsigned long long)o->point,
                       inv->args.operand[0], spec->points - 1);
    runner->shard = (uint32_t)o->point;
    runner->shards = (uint32_t)spec->points;
    return SL_OK;
}

static sl_status merge_parts(const sl_option_list *parts, sl_point_store *store, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < parts->count && !status; i++)
        status = sl_point_store_merge(store, parts->item[i], error);
    return status;
}

static sl_status run_points(const sl_invocation *inv, const sl_sweep_file *spec, sl_outcome *outcome, sl_error *error)
{
    const sweep_options *o = inv->values;
    char database[1000];
    sl_cached_runner cached;
    database_name(inv->args.operand[0], o->database, database, sizeof database);
    sl_status status = sl_cached_runner_open(&cached, inv, o->cache, database, error);
    if (status)
        return status;
    status = choose_points(inv, spec, &cached.runner, error);
    if (!status)
        status = merge_parts(&o->merge, cached.runner.store, error);
    if (!status)
        status = sl_runner_run(&cached.runner, spec->point, spec->points, outcome, error);
    sl_cached_runner_close(&cached, inv);
    return status;
}

static int show(const sl_invocation *inv, const sl_sweep_file *spec, const sl_outcome *outcome)
{
    const sl_report_info info = {.command = "sweep"};
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    size_t failed = 0;
    sl_document_points(d, spec, outcome);
    int code = sl_document_show(inv, d, NULL, stdout);
    const sweep_options *o = inv->values;
    const sl_points_drawn drawn = {spec, outcome};
    sl_error error;
    if (o->plot && sl_output_write(sl_points_svg, o->plot, &drawn, &error))
        code = sl_cli_fail(inv, &error);
    for (size_t i = 0; i < spec->points; i++)
        failed += outcome[i].state == SL_OUTCOME_FAILED;
    if (!failed)
        return code;
    sl_fail(&error, SL_INVALID, "%zu of %zu points failed; their errors are in the results", failed, spec->points);
    return sl_cli_fail(inv, &error);
}

static int submit(const sl_invocation *inv, const sl_sweep_file *spec)
{
    const sweep_options *o = inv->values;
    char database[1000], id[64];
    sl_error error;
    database_name(inv->args.operand[0], o->database, database, sizeof database);
    const sl_slurm_job job = {.spec = inv->args.operand[0],
                              .database = database,
                              .cache = o->cache,
                              .environment = environ,
                              .plugin = inv->common->plugin.item,
                              .plugins = inv->common->plugin.count,
                              .tasks = o->slurm < spec->points ? o->slurm : spec->points};
    if (sl_slurm_submit(&job, id, &error))
        return sl_cli_fail(inv, &error);
    if (!inv->common->quiet)
        printf("submitted %zu points as job %s with %llu tasks; results will be in %s and %s.csv\n", spec->points, id,
               (unsigned long long)job.tasks, database, database);
    return SL_EXIT_OK;
}

/* --points */
static int list_points(const sl_invocation *inv, const sl_sweep_file *spec)
{
    const sl_report_info info = {.command = "sweep"};
    sl_error error;
    sl_pool *pool = NULL;
    double *seconds = calloc(spec->points + 1, sizeof *seconds);
    sl_status status = seconds ? sl_pool_create((unsigned)inv->common->threads, &pool, &error) : sl_fail_memory(&error);
    if (!status)
        status = sl_points_cost(spec->point, spec->points, pool, seconds, &error);
    int code = SL_EXIT_FAILURE;
    if (status) {
        sl_cli_fail(inv, &error);
    } else {
        sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
        sl_document_costs(d, spec, seconds);
        code = sl_document_show(inv, d, NULL, stdout);
    }
    sl_pool_destroy(pool);
    free(seconds);
    return code;
}

static int run_sweep(const sl_invocation *inv)
{
    const sweep_options *o = inv->values;
    sl_sweep_file spec;
    sl_error error;
    int code = SL_EXIT_FAILURE;
    sl_status status = sl_sweep_file_load(inv->args.operand[0], inv->custom, &spec, &error);
    if (!status && (o->slurm || o->points)) {
        code = o->points ? list_points(inv, &spec) : submit(inv, &spec);
        sl_sweep_file_fini(&spec);
        return code;
    }
    sl_outcome *outcome = status ? NULL : calloc(spec.points + 1, sizeof *outcome);
    if (!status && !outcome)
        status = sl_fail_memory(&error);
    if (!status)
        status = run_points(inv, &spec, outcome, &error);
    if (status)
        sl_cli_fail(inv, &error);
    else
        code = show(inv, &spec, outcome);
    sl_outcomes_free(outcome, outcome ? spec.points : 0);
    free(outcome);
    sl_sweep_file_fini(&spec);
    return code;
}

#define AT(field) offsetof(sweep_options, field)
static const sl_option options[] = {
    {"database", 'd', SL_OPTION_STRING, "FILE",
     "SQLite database of the results (default: the name of SPEC with .sqlite, in the current folder)", AT(database), 0,
     0, NULL},
    {"cache", 0, SL_OPTION_STRING, "FOLDER", "Folder in which traces of workloads are kept (default: ~/.cache/sluice)",
     AT(cache), 0, 0, NULL},
    {"plot", 0, SL_OPTION_STRING, "FILE",
     "Draw the results as SVG: cycles and L1 hit rates of each program over the parameter with most values", AT(plot),
     0, 0, NULL},
    {"slurm", 0, SL_OPTION_NUMBER, "N",
     "Submit the points to Slurm as a job array of N tasks, and a job that merges their results", AT(slurm), 1, 100000,
     NULL},
    {"points", 0, SL_OPTION_FLAG, NULL, "List the points with their numbers and estimated core seconds, and run none",
     AT(points), 0, 0, NULL},
    {"point", 0, SL_OPTION_NUMBER, "N", "Run only point N of --points", AT(point), 0, 0, NULL},
    {"shard", 0, SL_OPTION_STRING, "I/N", "Run only part I of N, counted from 0", AT(shard), 0, 0, NULL},
    {"merge", 0, SL_OPTION_LIST, "FILE", "Add the results of another database; may be repeated", AT(merge), 0, 0, NULL},
    {0},
};

static const sl_example examples[] = {
    {"sluice sweep sizes.yaml --csv sizes.csv", "Run the points of sizes.yaml that are not yet in sizes.sqlite"},
    {"sluice sweep sizes.yaml --plot sizes.svg", "Also draw them"},
    {"sluice sweep sizes.yaml -j 4 -d shared.sqlite", "Run on four threads, into a database shared with other sweeps"},
    {"sluice sweep sizes.yaml --slurm 16", "Run on a cluster in 16 tasks and merge the results into sizes.sqlite"},
    {"sluice sweep sizes.yaml --point 3 -d part-3.sqlite", "Run one point, on any machine, into a database of its own"},
    {"sluice sweep sizes.yaml --merge part-3.sqlite --merge part-4.sqlite",
     "Add such results, and run what is missing"},
    {0},
};

const sl_command sl_cmd_sweep = {
    .name = "sweep",
    .summary = "run all combinations of inputs, GPU models, policies and parameters",
    .usage = "[options] SPEC",
    .description =
        "Run every combination that a YAML file describes: 'workloads' with their parameters, 'traces', 'inputs' (PTX "
        "or LLVM IR with a launch: {file: k.ptx, grid: 8, block: 256, args: [u32:8]}), 'size', 'machines', policies "
        "('l1', 'l2'), 'scheduler', bypass plans ('plan'), 'seed', and keys of the GPU model ('set: {L1.size: [16K, "
        "32K]}'). Each is a value or a list. 'kind' is sim (the default), model or profile; 'without' lists extensions "
        "of the model to disable. 'parts: N' splits the launches of each point into N points. Each starts with the L2 "
        "that the launches before it left; sums differ from those of the whole only where parts meet.\n\nEach result "
        "is stored "
        "in an SQLite database as soon as it is known: an "
        "interrupted sweep resumes where it stopped, and several sweeps can fill one database. A point that fails is "
        "stored with its error, the others are still run, and the exit code is 1.",
    .options = options,
    .common = SL_COMMON_PLUGINS | SL_COMMON_REPORT | SL_COMMON_JOBS,
    .values_bytes = sizeof(sweep_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "a file that describes the sweep",
    .examples = examples,
    .run = run_sweep,
};
