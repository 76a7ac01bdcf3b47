/* SPDX-License-Identifier: MIT */
/* Findings: what costs most, in words, with the evidence and a fix. Rules are in rules.def; they look at counters
 * that reports have already, loads and stores alike.
 *
 * Effects are estimates. The work of a kernel is the sum of the cycles that an SM needs to issue its instructions, to
 * access L1 and shared memory, and to receive what comes from L2 and DRAM; its time is that work, spread over the SMs
 * that have blocks (or the simulated time). A rule states what it costs in sectors, passes or cycles, and the share of
 * the time of all launches that this work takes. */
#ifndef SL_FINDINGS_FINDINGS_H
#define SL_FINDINGS_FINDINGS_H

#include "analysis/analysis.h"

typedef enum sl_rule_id {
#define SL_RULE(id, ...) SL_RULE_##id,
#include "findings/rules.def"
    SL_RULES
} sl_rule_id;

typedef struct sl_rule {
    const char *name, *title; /* "l1-thrashing", "L1 thrashing" */
    const char *unit;         /* of its effect */
    double threshold;
    const char *measure; /* with %s for the threshold */
    const char *fix, *explanation;
} sl_rule;

extern const sl_rule sl_rules[SL_RULES];

/* When the rule applies, with its threshold. */
char *sl_rule_measure(const sl_rule *rule, char *buffer, size_t size);

/* Logs of the same launches in the same order; NULL: not known. */
typedef struct sl_findings_input {
    const sl_launch_log *counted;  /* required */
    const sl_launch_log *measured; /* by the model or the simulator */
    const sl_launch_log *classes;  /* by the model, where the simulator measured: it does not classify misses */
    const sl_machine *machine;     /* required */
    /* For costs that are estimated again (finding_costs.c); NULL: costs are shares of the counted work. */
    const sl_recording *recording;
    const sl_result *estimated; /* the model's of that recording */
    sl_model_options model;     /* as they were for `estimated` */
    sl_pool *pool;
    /* The simulator's word on the what-ifs of the three largest; `simulated`: of that recording, NULL: not yet. */
    bool confirm;
    const sl_result *simulated;
} sl_findings_input;

/* Of a set of results that an analysis of a recording made; one without counts has no findings. */
static inline sl_findings_input sl_findings_input_of(const sl_result_set *set, const sl_recording *recording,
                                                     const sl_analysis *analysis, sl_pool *pool)
{
    sl_findings_input find = {.counted = set->counted.log,
                              .measured = set->measured.log,
                              .classes = set->classes.log,
                              .machine = set->counted.log ? set->measured.machine : NULL,
                              .recording = recording,
                              .estimated = analysis->kind == SL_ANALYSIS_SIM ? &set->classes : &set->measured,
                              .model = analysis->model,
                              .pool = pool,
                              .simulated = analysis->kind == SL_ANALYSIS_SIM ? &set->measured : NULL};
    find.model.seed = analysis->seed;
    return find;
}

/* A number that a finding rests on. */
typedef struct sl_evidence {
    const char *name;
    double value;
} sl_evidence;
enum { SL_MAX_EVIDENCE = 6 };

typedef struct sl_finding {
    const sl_rule *rule;
    const char *symbol, *kernel; /* its short name */
    const sl_inst_name *inst;    /* NULL: of the kernel as a whole */
    const sl_inst_name *first;   /* the kernel's memory instruction with the smallest line; NULL: it has none */
    uint32_t copies;             /* instructions of that location */
    double effect;               /* in the rule's unit */
    double cycles, share;        /* estimated time of the GPU, and of all launches */
    bool estimated;              /* by the launches without the cause; else the share of work */
    double simulated_share;      /* of its rule in its kernel, in the first of them, by --confirm; NAN: not asked for */
    const char *fix;             /* what to do: the rule's, or of what is known of this one */
    const char *parameter;       /* name in the source of the parameter that the array is; NULL: unknown */
    const char *text;            /* sentences: the evidence */
    size_t numbers;
    sl_evidence number[SL_MAX_EVIDENCE];
} sl_finding;

/* A kernel with a large part of the estimated time in which nothing is found. */
typedef struct sl_quiet_kernel {
    const char *name, *limit; /* what limits its longest launch (est_limit) */
    double share;
} sl_quiet_kernel;

typedef struct sl_findings {
    sl_arena arena;
    char machine[SL_MACHINE_NAME];
    bool estimated; /* by times without the causes, where rules have what-ifs; false: shares of work */
    bool counted;   /* the work without caches */
    SL_ARRAY(sl_quiet_kernel) quiet;
    SL_ARRAY(sl_finding) list; /* the largest share of a rule and kernel first; its locations together */
} sl_findings;

/* Borrows from the logs. The caller frees it by sl_findings_fini, also after a failure. */
sl_status sl_findings_find(const sl_findings_input *input, sl_findings *findings, sl_error *error);
void sl_findings_fini(sl_findings *findings); /* zeros are fine */
/* Whether a finding is another location of the one before it. */
bool sl_finding_continues(const sl_findings *findings, size_t at);
/* The end of the findings of one rule and kernel that start at `first`; `all` is the first of them with the effects and
 * shares of all. */
size_t sl_finding_group(const sl_findings *findings, size_t first, sl_finding *all);

#endif
