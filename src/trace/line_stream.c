/* SPDX-License-Identifier: MIT */
#include "trace/line_stream.h"

#include <stdlib.h>

#include "access/cta.h"
#include "access/partition.h"
#include "access/request.h"
#include "machine/occupancy.h"
#include "trace/codec.h"

/* What each partition of the last level has just accessed, by line; a later line replaces it. Half of the
 * lines of a first level: each entry stands for some cores. */
enum { LOG2_RECENT = 11, MAX_PARTITIONS = 8, MAX_SCHEDULED = 1 << 20 };
typedef struct recent {
    uint64_t line; /* + 1; 0: none */
    uint32_t read, written;
    uint32_t stored; /* words */
} recent;

typedef struct reading {
    const sl_line_stream *stream;
    const sl_trace_kernel *kernel;
    const sl_trace_launch *launch;
    const sl_level *last;
    sl_access_shape shape;
    sl_predictor *predictor;
    uint64_t scheduled; /* blocks */
    uint32_t *core;     /* [scheduled]: that runs each; others run in turn */
    recent (*recent)[1 << LOG2_RECENT];
    sl_line_request piece[SL_MAX_LINE_REQUESTS];
} reading;

static bool knows_words(const reading *r, const sl_inst *inst)
{
    return inst->space == SL_MEM_GLOBAL && r->stream->line_bytes == 128;
}

/* The words of a line that are accessed: those of which all bytes are, or any. */
static uint32_t find_words(const reading *r, const sl_inst *inst, sl_access *access, uint64_t line, bool any)
{
    uint64_t bytes[2];
    uint32_t words = 0;
    sl_line_bytes(&r->shape, inst, access, line, bytes);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t of_word = bytes[i / 16] >> i % 16 * 4 & 0xf;
        words |= (uint32_t)(any ? of_word != 0 : of_word == 0xf) << i;
    }
    return words;
}

static uint32_t words_per_sector(const reading *r, uint32_t *all)
{
    uint32_t words = r->stream->sector_bytes / 4;
    *all = words < 32 ? (1u << words) - 1 : UINT32_MAX;
    return words;
}

/* What a store writes of its sectors, as far as it is known, as the simulator has it. */
static void find_stored(const reading *r, const sl_inst *inst, sl_access *access, sl_line_access *a)
{
    a->whole = inst->space == SL_MEM_LOCAL ? a->sectors : 0;
    a->words = 0;
    if (!knows_words(r, inst))
        return;
    a->words = find_words(r, inst, access, a->line, false);
    uint32_t all, words = words_per_sector(r, &all);
    for (uint32_t left = a->sectors; left; left &= left - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(left);
        if ((a->words >> sector * words & all) == all)
            a->whole |= 1u << sector;
    }
    if (a->whole == a->sectors)
        a->words = 0;
}

/* The sectors of a load of which all words have just been stored: the first level has those. */
static uint32_t served(const reading *r, const sl_inst *inst, sl_access *access, const sl_line_access *a,
                       uint32_t stored)
{
    uint32_t sectors = 0, all, words = words_per_sector(r, &all);
    if (!stored || !knows_words(r, inst))
        return 0;
    uint32_t loaded = find_words(r, inst, access, a->line, true);
    for (uint32_t left = a->sectors; left; left &= left - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(left);
        sectors |= (uint32_t) !(loaded & ~stored & all << sector * words) << sector;
    }
    return sectors;
}

/* What is accessed again at once is left out, but for atomics, which are executed behind the first level: that has to
 * read the line again. */
static bool access_line(reading *r, const sl_inst *inst, sl_access *access, sl_line_access *a)
{
    uint32_t part = sl_partition_of(r->last, &r->stream->machine->level[0], a->core) % MAX_PARTITIONS;
    recent *seen = &r->recent[part][a->line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LOG2_RECENT)];
    if (seen->line != a->line + 1)
        *seen = (recent){.line = a->line + 1};
    if (a->kind == SL_ACCESS_ATOMIC) {
        seen->read &= ~a->sectors;
        seen->stored = 0;
    } else if (a->kind == SL_ACCESS_LOAD) {
        a->sectors &= ~seen->read;
        a->sectors &= a->sectors ? ~served(r, inst, access, a, seen->stored) : 0;
        seen->read |= a->sectors;
        if (!a->sectors)
            return true;
    } else {
        seen->stored |= a->words;
        if (!(a->sectors & ~seen->written))
            return true;
        seen->written |= a->whole;
    }
    return r->stream->access(r->stream->to, a);
}

static bool access_memory(reading *r, uint32_t core, sl_access *access)
{
    const sl_inst *inst = &r->kernel->inst[access->inst];
    if (!access->mask || !sl_inst_uses_cache(inst))
        return true;
    sl_line_access a = {.core = core,
                        .kind = sl_inst_loads(inst)       ? SL_ACCESS_LOAD
                                : sl_inst_is_atomic(inst) ? SL_ACCESS_ATOMIC
                                                          : SL_ACCESS_STORE};
    do {
        uint32_t pieces = sl_line_requests(&r->shape, inst, access, r->piece);
        for (uint32_t i = 0; i < pieces; i++) {
            a.line = r->piece[i].line;
            a.sectors = r->piece[i].sectors;
            if (a.kind == SL_ACCESS_STORE)
                find_stored(r, inst, access, &a);
            if (!access_line(r, inst, access, &a))
                return false;
        }
    } while (sl_access_more(access));
    return true;
}

static sl_status read_warp(reading *r, uint64_t block, const sl_warp_view *warp, sl_error *error)
{
    uint32_t core = block < r->scheduled ? r->core[block] : (uint32_t)(block % r->stream->machine->cores);
    sl_warp_cursor cursor;
    sl_warp_cursor_init(&cursor, r->kernel, r->launch->lanes, warp, r->predictor);
    uint64_t number = block * sl_launch_warps(r->launch) + warp->warp; /* local memory is where the simulator has it */
    r->shape.local_base =
        r->launch->local_window + number * r->launch->lanes * (r->kernel->local_bytes + UINT64_C(3)) / 4 * 4;
    for (;;) {
        bool more;
        sl_status status = sl_warp_cursor_step(&cursor, &more, error);
        if (status || !more)
            return status;
        while (!(status = sl_warp_cursor_access(&cursor, &more, error)) && more)
            if (!access_memory(r, core, &cursor.access))
                return sl_fail_memory(error);
        if (status)
            return status;
    }
}

static sl_status read_blocks(reading *r, const sl_trace *trace, uint32_t launch, sl_error *error)
{
    sl_block_walker *walker;
    sl_status status = sl_block_walker_create(trace, launch, 0, UINT64_MAX, &walker, error);
    if (status)
        return status;
    for (;;) {
        bool more;
        sl_block_view view;
        status = sl_block_walker_next(walker, &view, &more, error);
        if (status || !more)
            break;
        for (uint32_t w = 0; w < view.warps && !status; w++)
            status = read_warp(r, view.block, &view.warp[w], error);
        if (status)
            break;
    }
    sl_block_walker_destroy(walker);
    return status;
}

/* Without time: every core holds as many blocks as it can, and gets the next ones in turn. */
static sl_status schedule(reading *r, sl_error *error)
{
    const sl_machine *machine = r->stream->machine;
    uint64_t blocks = sl_launch_blocks(r->launch);
    r->scheduled = blocks < MAX_SCHEDULED ? blocks : MAX_SCHEDULED;
    sl_occupancy occupancy;
    sl_cta_lists lists = {0};
    r->core = calloc(r->scheduled + 1, sizeof *r->core);
    sl_status status =
        r->core ? sl_occupancy_of(machine, r->kernel, r->launch, &occupancy, error) : sl_fail_memory(error);
    if (status)
        return status;
    const sl_cta_config config = sl_cta_config_of(machine, occupancy.blocks);
    status = sl_cta_schedule(&config, r->scheduled, NULL, &lists, error);
    for (uint32_t c = 0; c < machine->cores && !status; c++)
        for (size_t i = lists.first[c]; i < lists.first[c + 1]; i++)
            r->core[lists.block[i]] = c;
    sl_cta_lists_fini(&lists);
    return status;
}

sl_status sl_line_stream_run(const sl_line_stream *stream, const sl_trace *trace, uint32_t launch, sl_error *error)
{
    const sl_machine *machine = stream->machine;
    const sl_trace_launch *l = sl_trace_launch_at(trace, launch);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(trace, l->kernel);
    reading *r = calloc(1, sizeof *r);
    if (!r)
        return sl_fail_memory(error);
    r->stream = stream;
    r->kernel = kernel;
    r->launch = l;
    r->last = &machine->level[machine->levels - 1];
    r->shape = sl_access_shape_of(machine, l, stream->line_bytes, stream->sector_bytes);
    r->predictor = calloc(kernel->mem_slots + 1u, sizeof *r->predictor);
    r->recent = calloc(MAX_PARTITIONS, sizeof *r->recent);
    sl_status status = r->predictor && r->recent ? schedule(r, error) : sl_fail_memory(error);
    if (!status)
        status = read_blocks(r, trace, launch, error);
    free(r->core);
    free(r->predictor);
    free(r->recent);
    free(r);
    return status;
}
