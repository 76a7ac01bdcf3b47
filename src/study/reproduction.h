/* SPDX-License-Identifier: MIT */
/* A paper reproduced: its points, and their results compared with the numbers of the paper. */
#ifndef SL_STUDY_REPRODUCTION_H
#define SL_STUDY_REPRODUCTION_H

#include "study/paper.h"
#include "study/runner.h"

/* How programs that are no workloads are found and recorded; NULL functions: there are none. */
typedef struct sl_paper_programs {
    bool (*is_there)(void *context, const char *command);
    /* The path of a recording on that machine. */
    sl_status (*record)(void *context, const char *command, const char *machine, uint32_t lanes, char *path,
                        size_t size, sl_error *error);
    void *context;
} sl_paper_programs;

typedef struct sl_reproduction {
    const sl_paper *paper;
    bool quick;
    bool *wanted; /* [figures] */
    size_t points;
    sl_point *point;
    sl_outcome *outcome;
    int *first;            /* [programs][configs]: number of the first point of its variants; -1: not needed */
    sl_paper_group *group; /* [groups]: the paper's, with the programs of this run */
    bool *missing;         /* [programs]: it is not installed, and left out */
    sl_arena arena;        /* paths of recordings */
    double seconds;
} sl_reproduction;

typedef enum sl_verdict {
    SL_VERDICT_NONE, /* the paper has no number */
    SL_VERDICT_AGREES,
    SL_VERDICT_DIRECTION,
    SL_VERDICT_DIFFERS,
    SL_VERDICT_UNRESOLVED, /* ours is within its own noise */
    SL_VERDICT_INPUT,      /* ours was given: it cannot differ */
    SL_VERDICT_HOLE,       /* ours is unknown */
    SL_VERDICTS
} sl_verdict;
extern const char *const sl_verdict_names[SL_VERDICTS]; /* "", "agrees", "same direction", "differs", ... */

/* Plans the points of the wanted figures; `figure` NULL: all of them (in a quick run those marked quick). The
 * paper must outlive it. The caller frees it, also after a failure. */
sl_status sl_reproduction_plan(const sl_paper *paper, const char *figure, bool quick, const sl_paper_programs *programs,
                               sl_reproduction *reproduction, sl_error *error);
sl_status sl_reproduction_run(sl_reproduction *reproduction, const sl_runner *runner, sl_error *error);
void sl_reproduction_free(sl_reproduction *reproduction);

/* A number of ours and the paper's. */
typedef struct sl_compared {
    double ours, paper; /* NaN: unknown, not stated */
    double noise;       /* of ours; 0: none, or not known */
    bool holes;         /* some programs of the group are not in it */
    sl_verdict verdict;
    const char *why; /* NULL: none is given, or needed */
} sl_compared;

sl_compared sl_compare_program(const sl_reproduction *r, const sl_paper_column *column, int program);
sl_compared sl_compare_group(const sl_reproduction *r, const sl_paper_column *column, int group);
sl_compared sl_compare_claim(const sl_reproduction *r, const sl_paper_claim *claim);

/* How often each verdict was given, of the wanted figures; false: the paper states nothing to compare with. */
bool sl_reproduction_tally(const sl_reproduction *r, size_t tally[SL_VERDICTS]);
size_t sl_reproduction_failures(const sl_reproduction *r); /* points that failed */

/* Calls back for each number that is shown, in order. */
typedef struct sl_compared_item {
    const sl_paper_figure *figure;
    const sl_paper_column *column; /* NULL: it is a claim */
    const sl_paper_claim *claim;
    const char *row;    /* program or group; "" of claims */
    const char *within; /* group that the row belongs to */
    bool mean;          /* the row is a group */
    sl_compared compared;
} sl_compared_item;
void sl_reproduction_each(const sl_reproduction *r, void (*take)(void *context, const sl_compared_item *item),
                          void *context);

#endif
