/* SPDX-License-Identifier: MIT */
/* A point: one input on one machine under one analysis. Its key is a hash of everything it depends on (the program and
 * its parameters or the contents of its trace, every key of the machine, the version of the code that runs it), so that
 * a stored result is the result that running it again would give. */
#ifndef SL_STUDY_POINT_H
#define SL_STUDY_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "machine/machine.h"

/* Policies that are not built in. */
typedef struct sl_custom_policies {
    const sl_policy_list *list;
    const char *id; /* of their code: results of other code are other results */
} sl_custom_policies;

/* Strings are borrowed; unused ones are "". */
typedef struct sl_point {
    sl_analysis_kind kind;
    sl_input_spec input;
    const char *kernel;   /* kernels that match this alone, as --kernel; "": each kernel, summed up */
    const char *launch;   /* the only launch, by its number in the whole run; "": all */
    uint64_t part, parts; /* one of so many parts of the launches (sl_recording_select_part); L2 is warm of those
                             before. parts 0: all launches */
    uint64_t seed;        /* of what is random in the analysis */
    const char *machine;
    const char *settings; /* changes of the machine: "L1.size=32K cores=1" */
    const char *l1, *l2, *scheduler;
    const sl_machine *resolved;       /* the machine, if it is loaded already; NULL: as the strings say */
    const sl_custom_policies *custom; /* that the strings may name; NULL: none */
    const char *without;              /* extensions of the model that are off: "latency mshr" */
    const char *plan;                 /* SL_ANALYSIS_SIM: file of a bypass plan for the code of the input */
    sl_sampling sampling;             /* of points that are not stored */
    /* as in sl_analysis */
    bool cold, isolated, requests, loads_only;
} sl_point;

/* The default GPU of all commands and points. */
#define SL_DEFAULT_GPU "h200"

/* Initial value of a point. */
#define SL_POINT_START                                                                                                 \
    {                                                                                                                  \
        .input = SL_INPUT_SPEC_START, .kernel = "", .launch = "", .seed = 1, .machine = SL_DEFAULT_GPU,                \
        .settings = "", .l1 = "", .l2 = "", .scheduler = "", .without = "", .plan = ""                                 \
    }

/* A GPU with settings and policies; NULL or "": as it is. */
typedef struct sl_machine_choice {
    const char *gpu; /* NULL: SL_DEFAULT_GPU */
    size_t sets;
    const char *const *set; /* [sets]: "L1.size=32K" */
    const char *l1, *l2, *scheduler;
    const sl_policy_list *policies; /* custom ones; NULL: none */
} sl_machine_choice;
sl_status sl_machine_choose(const sl_machine_choice *choice, sl_machine *machine, sl_error *error);
/* The machine with the point's settings and policies. */
sl_status sl_point_machine(const sl_point *point, sl_machine *machine, sl_error *error);
/* Changes with the code that decides what a recording holds. */
extern const char *const sl_traces_id;
/* Checks what can be checked without running it. `key` is of the point, `trace_key` of what it reads: inputs of the
 * same key have the same trace. */
sl_status sl_point_keys(const sl_point *point, const sl_machine *machine, char key[SL_KEY_BYTES],
                        char trace_key[SL_KEY_BYTES], sl_error *error);

/* Points of one recording; `machine` are theirs. Results are those of sl_analyze_all. On failure, which is of any of
 * them, results have to be freed all the same. */
typedef struct sl_point_batch {
    const sl_recording *recording;
    size_t count;
    const sl_point *const *point;
    const sl_machine *const *machine;
    sl_pool *pool;               /* NULL: one thread */
    const sl_progress *progress; /* NULL: none */
} sl_point_batch;

typedef struct sl_point_result {
    sl_values values; /* summed over the launches */
    sl_result result;
} sl_point_result;

sl_status sl_points_run(const sl_point_batch *batch, sl_point_result *result, sl_error *error);
void sl_point_results_free(sl_point_result *result, size_t count);
/* The key of what points on the same recording share if theirs is the same: passes of the model, or a profiling run.
 * False: the point shares nothing. */
bool sl_point_shares(const sl_point *point, const sl_machine *machine, char key[SL_KEY_BYTES]);
/* "spmv rows=500 on fermi-gtx480, L1 decoupled": for messages. Returns `buffer`. */
char *sl_point_text(const sl_point *point, char *buffer, size_t size);

#endif
