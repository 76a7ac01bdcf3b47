/* SPDX-License-Identifier: MIT */
/* How the lanes of memory instructions lie to each other. */
#ifndef SL_TRACE_ACCESS_SHAPES_H
#define SL_TRACE_ACCESS_SHAPES_H

#include "trace/file.h"

/* Elements of structures are rarely larger; rows of arrays rarely smaller. */
enum { SL_MAX_ELEMENT_BYTES = 256 };

/* How the lanes of a memory instruction lie to each other, from the first blocks of a launch: what findings say about a
 * cause beyond its cost, and by what what-ifs choose a repair. */
typedef struct sl_access_shape_sums {
    uint64_t requests; /* that were read, of at least two lanes or not the first of their warp */
    uint64_t repeats;  /* that access what the one before of their warp has accessed */
    uint64_t gathers;  /* whose lanes are no constant distance apart */
    int64_t stride;    /* bytes from lane to lane, of most others */
    uint64_t votes;    /* for it, by majority */
    uint64_t walks;    /* that begin a little behind the one before of their warp, */
    uint64_t advance;  /* by so many bytes, in all */
    uint64_t runs;     /* of such, and of requests that are none */
} sl_access_shape_sums;

/* Fills shape[mem_slots of the kernel] with those of the first blocks of a launch. What the trace has lost is left out.
 */
sl_status sl_access_shapes_read(const sl_trace *trace, uint32_t launch, sl_access_shape_sums *shape, sl_error *error);

/* Elements of `width` bytes that a lane reads one after the other, on average, where so many copies of the instruction
 * take turns; 0: lanes do not walk. */
double sl_access_walk_length(const sl_access_shape_sums *shape, uint32_t width, uint32_t copies);

/* Whether most requests are of lanes that are a constant distance apart, further than their words are wide. */
bool sl_access_is_strided(const sl_access_shape_sums *shape, uint32_t width);

#endif
