/* SPDX-License-Identifier: MIT */
/* An observer that keeps the memory accesses of a launch, decoded. */
#ifndef SL_TESTS_RECORDING_H
#define SL_TESTS_RECORDING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "trace/codec.h"
#include "trace/sink.h"

enum { MAX_ACCESSES = 256 };

typedef struct recording {
    const sl_trace_kernel *kernel;
    uint32_t lanes, count;
    sl_access access[MAX_ACCESSES];
    sl_inst inst[MAX_ACCESSES]; /* of each access; stays when the kernel is gone */
    char opcode[MAX_ACCESSES][48];
} recording;

static inline sl_status recording_begin(void *context, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                                        const sl_trace_range *ranges, size_t count, bool *wanted, uint64_t *limit,
                                        sl_error *error)
{
    recording *r = context;
    (void)ranges, (void)count, (void)limit, (void)error;
    r->kernel = kernel;
    r->lanes = launch->lanes;
    r->count = 0;
    *wanted = true;
    return SL_OK;
}

static inline sl_status recording_block(void *context, const sl_block_view *view, sl_error *error)
{
    recording *r = context;
    sl_predictor *predictor = calloc(r->kernel->mem_slots + 1, sizeof *predictor);
    assert_non_null(predictor);
    for (uint32_t i = 0; i < view->warps; i++) {
        sl_warp_cursor cursor;
        bool more;
        sl_warp_cursor_init(&cursor, r->kernel, r->lanes, &view->warp[i], predictor);
        while (sl_warp_cursor_step(&cursor, &more, error) == SL_OK && more)
            while (sl_warp_cursor_access(&cursor, &more, error) == SL_OK && more) {
                assert_true(r->count < MAX_ACCESSES);
                sl_access_expand(&cursor.access, r->lanes);
                r->access[r->count] = cursor.access;
                r->inst[r->count] = r->kernel->inst[cursor.access.inst];
                snprintf(r->opcode[r->count], sizeof r->opcode[0], "%s", r->kernel->strings + r->inst[r->count].opcode);
                r->count++;
            }
        assert_false(cursor.damaged);
    }
    free(predictor);
    return SL_OK;
}

static inline sl_status recording_end(void *context, const sl_launch_stats *stats, const char *failure, sl_error *error)
{
    (void)context, (void)stats, (void)failure, (void)error;
    return SL_OK;
}

/* The last access of an instruction whose text starts so. */
static inline uint32_t recording_last(const recording *r, const char *opcode)
{
    for (uint32_t i = r->count; i-- > 0;)
        if (!strncmp(r->opcode[i], opcode, strlen(opcode)))
            return i;
    fail_msg("%s was not recorded", opcode);
    return 0;
}

static inline sl_launch_sink recording_sink(recording *r)
{
    return (sl_launch_sink){.context = r, .begin = recording_begin, .block = recording_block, .end = recording_end};
}

#endif
