/* SPDX-License-Identifier: MIT */
/* Options of commands with a GPU model, and the extensions of the cache model. */
#ifndef SL_CLI_MODEL_OPTIONS_H
#define SL_CLI_MODEL_OPTIONS_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "cli/command.h"
#include "cli/input.h"
#include "model/model.h"
#include "sluice/profile.h"
#include "study/point.h"

typedef struct sl_model_settings {
    const char *gpu;
    sl_option_list set;
    bool no_latency, no_associativity, no_mshr, no_divergence;
} sl_model_settings;

#define SL_MODEL_SETTINGS_DEFAULTS                                                                                     \
    {                                                                                                                  \
        .gpu = SL_DEFAULT_GPU                                                                                          \
    }

/* Rows of an option table, for the fields `gpu` and `set`. */
// clang-format off
#define SL_GPU_OPTIONS(gpu_offset, set_offset) \
    {"gpu", 'g', SL_OPTION_STRING, "GPU", "GPU model: a name from 'sluice machines' or a YAML file (default: " SL_DEFAULT_GPU ")", gpu_offset, 0, 0, NULL}, \
    {"set", 0, SL_OPTION_LIST, "KEY=VALUE", "Change a key of the GPU model, e.g. L1.ways=8 or cores=1; may be repeated", set_offset, 0, 0, NULL}
/* Of commands that analyze programs launch by launch. */
#define SL_COLD_OPTION(offset) \
    {"cold", 0, SL_OPTION_FLAG, NULL, "Empty all caches before each launch (default: caches that all cores share keep what they hold)", offset, 0, 0, NULL}
/* The same for a struct `type` with these settings in its field `model`. */
#define SL_MODEL_OPTIONS(type) \
    SL_GPU_OPTIONS(offsetof(type, model.gpu), offsetof(type, model.set)), \
    {"no-latency", 0, SL_OPTION_FLAG, NULL, "Model loads without latency", offsetof(type, model.no_latency), 0, 0, NULL}, \
    {"no-associativity", 0, SL_OPTION_FLAG, NULL, "Model a fully associative L1", offsetof(type, model.no_associativity), 0, 0, NULL}, \
    {"no-mshr", 0, SL_OPTION_FLAG, NULL, "Model an unlimited number of MSHRs", offsetof(type, model.no_mshr), 0, 0, NULL}, \
    {"no-divergence", 0, SL_OPTION_FLAG, NULL, "Model warps that take turns whether or not their data has arrived", offsetof(type, model.no_divergence), 0, 0, NULL}
// clang-format on

static inline sl_status sl_model_machine(const sl_invocation *inv, const sl_model_settings *s, sl_machine *machine,
                                         sl_error *error)
{
    return sl_machine_load_among(s->gpu, s->set.item, s->set.count, inv->policies, machine, error);
}

static inline sl_model_options sl_model_options_of(const sl_model_settings *s, uint64_t seed)
{
    return (sl_model_options){s->no_latency, s->no_associativity, s->no_mshr, s->no_divergence, seed};
}

enum { SL_WITHOUT_BYTES = 48 };
/* "latency mshr": as points have it. Returns `text`. */
static inline char *sl_model_without(const sl_model_options *o, char text[SL_WITHOUT_BYTES])
{
    snprintf(text, SL_WITHOUT_BYTES, "%s%s%s%s", o->no_latency ? " latency" : "",
             o->no_associativity ? " associativity" : "", o->no_mshr ? " mshr" : "",
             o->no_divergence ? " divergence" : "");
    return text;
}

/* sluice model --compat hpca14: the authors' program of the reuse-distance paper. */

/* Returns the exit code. Options of the model that were given are errors: this one has none. */
int sl_run_compat_hpca14(const sl_invocation *inv);

/* sluice model over many first levels, or over many seeds. */

typedef struct sl_sweep_settings {
    const char *l1_size, *l1_ways, *line, *mshrs; /* lists; NULL: as the machine has it */
    bool figure12;
    uint64_t seeds; /* 0: not asked for */
} sl_sweep_settings;

/* Rows of an option table for a struct `type` with the settings in its field `sweep`. */
// clang-format off
#define SL_SWEEP_OPTIONS(type) \
    {"l1-size", 0, SL_OPTION_STRING, "LIST", "L1 sizes to model, e.g. 4K,8K,16K", offsetof(type, sweep.l1_size), 0, 0, NULL}, \
    {"l1-ways", 0, SL_OPTION_STRING, "LIST", "Numbers of L1 ways to model, each with each size", offsetof(type, sweep.l1_ways), 0, 0, NULL}, \
    {"line", 0, SL_OPTION_STRING, "LIST", "L1 line sizes to model", offsetof(type, sweep.line), 0, 0, NULL}, \
    {"mshrs", 0, SL_OPTION_STRING, "LIST", "Numbers of L1 MSHRs to model; 0: unlimited", offsetof(type, sweep.mshrs), 0, 0, NULL}, \
    {"figure12", 0, SL_OPTION_FLAG, NULL, "Vary ways, size, line size and MSHRs of L1 one at a time, by factors of 0.25 to 4, as in figure 12 of the HPCA 2014 paper", offsetof(type, sweep.figure12), 0, 0, NULL}, \
    {"seeds", 0, SL_OPTION_NUMBER, "N", "Model with N seeds and report means and spread", offsetof(type, sweep.seeds), 1, 10000, NULL}
// clang-format on

/* Whether any of them is set. */
bool sl_sweep_wanted(const sl_sweep_settings *settings);
/* SL_INVALID for invalid lists and for settings that exclude each other. */
sl_status sl_sweep_check(const sl_sweep_settings *settings, sl_error *error);
/* The settings must be checked. `like` is the point that is varied, with its machine. Prints errors and returns the
 * exit code. */
int sl_run_sweep(const sl_invocation *inv, const sl_sweep_settings *settings, const sl_point *like,
                 const sl_cli_input *input);

/* --sample of commands that analyze launches, and Ctrl-C while they do. */

#define SL_SAMPLE_OPTION_OF(offset, preset)                                                                            \
    {                                                                                                                  \
        "sample", 0, SL_OPTION_STRING, "WHEN",                                                                         \
            "Analyze some launches and estimate sums over all, with 95% intervals: auto (from 10 s of predicted work " \
            "on), off, or the half-width of the interval of cycles, such as 1% (default: " preset ")",                 \
            offset, 0, 0, NULL                                                                                         \
    }
#define SL_SAMPLE_OPTION(offset) SL_SAMPLE_OPTION_OF(offset, "auto")
#define SL_SAMPLE_HELP                                                                                                 \
    "\n\nPrograms of many launches are sampled (--sample): of launches with equal counts (kernel, grid, "              \
    "instructions, "                                                                                                   \
    "requests, sectors) only some are analyzed; the others only fill the caches that all SMs share. The first line "   \
    "says so. Ctrl-C ends the analysis; what was analyzed until then is reported, with wider intervals."

/* `text` NULL: auto. */
sl_status sl_sampling_of(const char *text, sl_sampling *sampling, sl_error *error);

/* From now on the first Ctrl-C sets the flag that is returned, and a second one ends the program. */
const volatile bool *sl_stop_catch(void);
/* Ctrl-C ends the program again. Returns whether the flag was set. */
bool sl_stop_release(void);
/* The exit code of a command that was stopped and has shown what there is: as of a shell, 128 and the signal. */
enum { SL_EXIT_STOPPED = 130 };

/* --what-if of model and sim: an analysis before and after. */

#define SL_CONFIRM_OPTION(offset)                                                                                      \
    {                                                                                                                  \
        "confirm", 0, SL_OPTION_FLAG, NULL, "Simulate what the three largest findings cost, next to the estimate",     \
            offset, 0, 0, NULL                                                                                         \
    }
#define SL_WHAT_IF_OPTION(offset)                                                                                      \
    {                                                                                                                  \
        "what-if", 0, SL_OPTION_STRING, "RULE[@LINE]",                                                                 \
            "Remove the cause of a finding, everywhere or at one line, and report the cycles before and after",        \
            offset, 0, 0, NULL                                                                                         \
    }

/* Prints errors and returns the exit code. */
int sl_cli_what_if(const sl_invocation *inv, const char *text, const sl_analysis *analysis, const sl_cli_input *input);

#endif
