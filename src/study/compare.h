/* SPDX-License-Identifier: MIT */
/* Two results next to each other: per kernel and memory instruction what changed, the largest effect first,
 * and the verdict: which is faster, and why.
 *
 * A side is a result of this run, or a JSON report of `run`, `model`, `sim`, `info` or `report`. Kernels are matched by
 * symbol, as the caller says, or by likeness of their instructions (compare_kernels.c); their instructions by source
 * line, opcode and array, and what is left, since lines move when code changes, by opcode and array in order, and at
 * last by array alone, loads apart from stores. */
#ifndef SL_STUDY_COMPARE_H
#define SL_STUDY_COMPARE_H

#include "analysis/metrics.h"
#include "base/arena.h"
#include "base/array.h"
#include "study/joined.h"

/* What is compared, on either side; `there` is false where it is on the other side alone. */
typedef struct sl_compared_sides {
    bool there[2];
    sl_counts counts[2];
    uint64_t launches[2];
} sl_compared_sides;

typedef struct sl_compared_load {
    size_t kernel;      /* of the comparison */
    const char *source; /* of the first side that has it: "spmv.cu:11", "PTX line 34", "pc 12" */
    const char *moved;  /* the same of the second where it differs; NULL: it does not */
    const char *opcode, *array;
    const char *allocation; /* that the array is on the first side that says so: "alloc 3 in main+0x4e"; "": unknown */
    const char *array_text; /* both, for people: "param_0 (alloc 3 in main+0x4e)" */
    sl_compared_sides of;
} sl_compared_load;

typedef struct sl_compared_kernel {
    const char *symbol, *name;
    const char *renamed; /* its name in B where that differs; NULL: it does not */
    bool by_likeness;    /* of its instructions, and not by a name, it was matched */
    sl_compared_sides of;
} sl_compared_kernel;

/* What the comparison comes to. */
typedef struct sl_compared_verdict {
    const char *text; /* "B is 2.1x faster (simulated): loads of x are better coalesced, ..." */
    const char *next; /* what to look at next; NULL: nothing */
    sl_metric metric; /* that it is based on */
    const char *kind; /* of time: "simulated", "measured", "estimated"; NULL: no time is known */
    double ratio;     /* A / B: above 1, B is better; NAN where B has nothing */
    double estimated; /* the same of estimated cycles; 0: unknown */
    /* The instruction whose change explains most; where code was rewritten, all loads or all stores of a kernel, with
     * the location of the one that changed most. NULL: none does. */
    const sl_compared_load *cause;
    sl_metric cause_metric;
} sl_compared_verdict;

typedef struct sl_comparison {
    sl_arena arena;
    const char *label[2]; /* "a.slt on h200", "a.json (model on h200)" */
    sl_compared_sides total;
    SL_ARRAY(sl_compared_kernel) kernels; /* by effect */
    SL_ARRAY(sl_compared_load) loads;     /* by effect */
    sl_metric effect, load_effect;        /* what they are sorted by */
    sl_compared_verdict verdict;
} sl_comparison;

typedef struct sl_compared_side {
    const char *name;        /* for labels and messages */
    const sl_joined *joined; /* what was counted, modeled or simulated; NULL: a report */
    const char *text;        /* of a JSON report */
    size_t bytes;
} sl_compared_side;

/* `by`: the label that launches of reports are grouped by (sl_label_names); NULL: they are as the reports say.
 * The sides must outlive the comparison, which the caller frees by sl_comparison_fini, also after a failure. `match`:
 * kernels that were renamed, "old=new", by symbol or name. */
sl_status sl_compare(const sl_compared_side side[2], const char *by, const char *const *match, size_t matches,
                     sl_comparison *comparison, sl_error *error);
void sl_comparison_fini(sl_comparison *comparison); /* zeros are fine */

/* A metric on both sides; false where one does not know it. */
bool sl_compared_metric(const sl_compared_sides *of, sl_metric metric, double value[2]);
/* B - A, where a side without a value has 0. */
double sl_compared_change(const sl_compared_sides *of, sl_metric metric);
/* 1: B is better; -1: worse; 0: the same, or neither (SL_BETTER in trace/metrics.def). */
int sl_compared_better(const sl_compared_sides *of, sl_metric metric);
/* "+5.0%", "-3", "same"; "new" and "gone" where a side has nothing. Returns `buffer`. */
char *sl_change_text(const sl_compared_sides *of, sl_metric metric, char buffer[SL_METRIC_BYTES]);

/* Sets `verdict`, once the rest is there. False when memory runs out. */
bool sl_compare_conclude(sl_comparison *comparison);

/* ---- gates ---- */

/* "ld_sector_misses > +5%": a change in percent; "cycles > +1000": an absolute one; "l1_hit_rate < 80": the value of
 * the second side. */
typedef struct sl_gate {
    const char *text;
    sl_metric metric;
    char sign; /* '<' or '>' */
    bool or_equal, change, percent;
    double limit;
} sl_gate;

/* Errors name the nearest metric. */
sl_status sl_gate_parse(const char *text, sl_gate *gate, sl_error *error);
/* SL_FAULT with a sentence where it fails; SL_INVALID where a side does not have the metric. */
sl_status sl_gate_check(const sl_gate *gate, const sl_comparison *comparison, sl_error *error);

/* The loads of each kernel: load[first[k]] … load[first[k + 1] - 1] are numbers of those of kernel k. The caller frees
 * both. False when memory runs out. */
bool sl_comparison_by_kernel(const sl_comparison *comparison, size_t **first, size_t **load);

/* Whether only one side has it, or the sides have different values. */
bool sl_compared_differs(const sl_compared_sides *of, sl_metric metric);
/* Kernels that are on one side of a comparison alone, because they were renamed: who asks for it says which belong
 * together ("old=new"); of the others those whose memory instructions are alike. */

/* Joins them: kernels of B alone disappear into those of A. Errors name what `match` names and neither side has. */
sl_status sl_compare_match_kernels(sl_comparison *comparison, const char *const *match, size_t matches,
                                   sl_error *error);

#endif
