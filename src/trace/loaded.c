/* SPDX-License-Identifier: MIT */
#include "trace/loaded.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/large_array.h"
#include "trace/file.h"
#include "trace/joined_atomics.h"
#include "trace/what_if_look.h"

enum { MIN_BLOCKS = 64, MAX_PIECES = 64 };

/* Of a launch that takes more than this, the rest is in temporary files (sl_trace_spill). What is read of those is
 * unmapped after MAX_READ bytes, a block counting for at least MIN_READ: a page fault maps 64 KiB around it, and a
 * block has data in several files. */
enum { MIN_READ = 256 << 10, MAX_READ = 32 << 20, MAX_STREAMS = 32 << 20, MAX_PARTS = 8 << 20, MAX_INDEX = 4 << 20 };

/* One warp's streams in one part of its block. */
typedef struct part {
    sl_warp_view view;
    uint64_t block;
    uint32_t next;  /* the warp's next part; UINT32_MAX: none */
    uint32_t piece; /* whose streams it lies in */
} part;

/* A range of blocks, loaded by one job. */
typedef struct piece {
    uint64_t first_block, end_block;
    sl_large_array parts, streams;
} piece;

struct sl_loaded {
    const sl_trace *trace;
    uint32_t number;
    const sl_trace_kernel *kernel;
    const sl_trace_launch *launch;
    sl_kernel_what_if what_if;
    uint8_t *joined; /* [mem_slots]: atomics that one lane carries out for its warp; NULL: none. The whole owns it */
    uint32_t warps;  /* of a block */
    uint64_t blocks, bytes;
    sl_large_array block_number; /* uint64_t [blocks], ascending */
    sl_large_array block_bytes;  /* uint64_t [blocks] */
    sl_large_array head;         /* uint32_t [blocks * warps]: first part of the warp; UINT32_MAX: it did nothing */
    sl_large_array part;         /* part [parts] */
    size_t pieces;
    piece *piece;
    _Atomic uint64_t *read; /* bytes since files were dropped; NULL: there are no files */
    uint64_t warp_insts;    /* that a warp of a part executes at most */
    bool lone;              /* of a part: only `lone_warp` of each block */
    uint32_t lone_warp;
    uint64_t *insts; /* read of a part so far */
    uint32_t *only;  /* [blocks] of a part: blocks of the whole, which owns all else; NULL: this is the whole */
};

static const uint64_t *numbers(const sl_loaded *l)
{
    return (const uint64_t *)(const void *)l->block_number.data;
}

static part *parts_of(const sl_loaded *l)
{
    return (part *)(void *)l->part.data;
}

static uint32_t *heads(const sl_loaded *l)
{
    return (uint32_t *)(void *)l->head.data;
}

/* ---- reading the file ---- */

static bool keep(piece *p, uint32_t number, const sl_block_view *view)
{
    for (uint32_t w = 0; w < view->warps; w++) {
        const sl_warp_view *from = &view->warp[w];
        size_t offset = p->streams.bytes;
        char *streams = sl_large_array_add(&p->streams, from->control_bytes + from->memory_bytes);
        part *to = sl_large_array_add(&p->parts, sizeof *to);
        if (!streams || !to)
            return false;
        if (from->control_bytes)
            memcpy(streams, from->control, from->control_bytes);
        if (from->memory_bytes)
            memcpy(streams + from->control_bytes, from->memory, from->memory_bytes);
        *to = (part){*from, view->block, UINT32_MAX, number};
        to->view.control = (const uint8_t *)(uintptr_t)offset; /* until all are there: see link_parts */
    }
    return true;
}

static sl_status load_piece(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    sl_loaded *l = context;
    piece *p = &l->piece[index];
    sl_block_walker *walker;
    sl_status status = sl_block_walker_create(l->trace, l->number, p->first_block, p->end_block, &walker, error);
    if (status)
        return status;
    sl_block_view view;
    bool more = true;
    while (!(status = sl_block_walker_next(walker, &view, &more, error)) && more)
        if (!keep(p, (uint32_t)index, &view)) {
            status = sl_fail_memory(error);
            break;
        }
    sl_block_walker_destroy(walker);
    return status;
}

/* ---- files ---- */

static void drop_files(const sl_loaded *l)
{
    for (size_t i = 0; i < l->pieces; i++)
        sl_large_array_drop(&l->piece[i].streams);
    sl_large_array_drop(&l->part);
    sl_large_array_drop(&l->head);
    sl_large_array_drop(&l->block_bytes);
    sl_large_array_drop(&l->block_number);
}

/* ---- the index ---- */

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t index_of(const sl_loaded *l, uint64_t number)
{
    if (number < l->blocks && numbers(l)[number] == number)
        return number;
    const uint64_t *found = bsearch(&number, numbers(l), l->blocks, sizeof number, compare_numbers);
    return (uint64_t)(found - numbers(l));
}

/* The numbers of all blocks, each once, ascending. */
static bool list_blocks(sl_loaded *l, size_t parts)
{
    uint64_t *number = sl_large_array_add(&l->block_number, (parts + 1) * sizeof *number);
    if (!number)
        return false;
    bool sorted = true;
    uint64_t count = 0;
    for (size_t i = 0; i < parts; i++) {
        uint64_t block = parts_of(l)[i].block;
        if (count && number[count - 1] == block)
            continue;
        sorted = sorted && (!count || block > number[count - 1]);
        number[count++] = block;
    }
    if (!sorted) {
        qsort(number, count, sizeof *number, compare_numbers);
        uint64_t kept = 0;
        for (uint64_t i = 0; i < count; i++)
            if (!kept || number[i] != number[kept - 1])
                number[kept++] = number[i];
        count = kept;
    }
    l->blocks = count;
    return true;
}

/* Chains the parts of each warp in the order in which they were written. */
static bool link_parts(sl_loaded *l, size_t parts)
{
    size_t warps = l->blocks * l->warps;
    sl_large_array tails = {.folder = l->trace->spill, .limit = MAX_INDEX};
    uint32_t *tail = sl_large_array_add(&tails, (warps + 1) * sizeof *tail);
    uint32_t *head = sl_large_array_add(&l->head, (warps + 1) * sizeof *head);
    uint64_t *block_bytes = sl_large_array_add(&l->block_bytes, (l->blocks + 1) * sizeof *block_bytes);
    if (!tail || !head || !block_bytes) {
        sl_large_array_free(&tails);
        return false;
    }
    memset(head, 0xff, warps * sizeof *head);
    for (size_t i = 0; i < parts; i++) {
        part *p = &parts_of(l)[i];
        p->view.control = (uint8_t *)l->piece[p->piece].streams.data + (uintptr_t)p->view.control;
        p->view.memory = p->view.control + p->view.control_bytes;
        if (p->view.warp >= l->warps)
            continue; /* the walker has checked it */
        uint64_t block = index_of(l, p->block), warp = block * l->warps + p->view.warp;
        uint64_t bytes = p->view.control_bytes + p->view.memory_bytes;
        block_bytes[block] += bytes;
        l->bytes += bytes;
        if (head[warp] == UINT32_MAX)
            head[warp] = (uint32_t)i;
        else
            parts_of(l)[tail[warp]].next = (uint32_t)i;
        tail[warp] = (uint32_t)i;
        if (i % (MAX_PARTS / sizeof *p) == 0)
            sl_large_array_drop(&l->part);
    }
    sl_large_array_free(&tails);
    return true;
}

static sl_status make_index(sl_loaded *l, sl_error *error)
{
    size_t parts = 0;
    for (size_t i = 0; i < l->pieces; i++)
        parts += l->piece[i].parts.bytes / sizeof(part);
    if (parts >= UINT32_MAX)
        return sl_fail(error, SL_LIMIT, "launch %u has %zu warp streams: more than can be loaded", l->number, parts);
    for (size_t i = 0; i < l->pieces; i++) {
        sl_large_array *from = &l->piece[i].parts;
        sl_large_array_drop(&l->piece[i].streams);
        for (size_t at = 0, bytes; at < from->bytes; at += bytes) { /* in steps, so that files are dropped meanwhile */
            bytes = from->bytes - at < MAX_INDEX ? from->bytes - at : MAX_INDEX;
            void *to = sl_large_array_add(&l->part, bytes);
            if (!to)
                return sl_fail_memory(error);
            memcpy(to, from->data + at, bytes);
            sl_large_array_drop(from);
        }
        sl_large_array_free(from);
    }
    if (!list_blocks(l, parts) || !link_parts(l, parts))
        return sl_fail_memory(error);
    if (l->trace->spill && l->bytes + l->part.bytes > MAX_STREAMS && !(l->read = calloc(1, sizeof *l->read)))
        return sl_fail_memory(error);
    drop_files(l);
    return SL_OK;
}

/* ---- life ---- */

sl_status sl_loaded_create(const sl_trace *trace, uint32_t launch, sl_pool *pool, sl_loaded **loaded, sl_error *error)
{
    sl_loaded *l = calloc(1, sizeof *l);
    if (!l)
        return sl_fail_memory(error);
    l->trace = trace;
    l->number = launch;
    l->launch = sl_trace_launch_at(trace, launch);
    l->kernel = sl_trace_kernel_at(trace, l->launch->kernel);
    l->what_if = sl_trace_kernel_what_if(trace, l->launch->kernel);
    l->warps = sl_launch_warps(l->launch);
    l->part = (sl_large_array){.folder = trace->spill, .limit = MAX_PARTS};
    l->head = l->block_number = l->block_bytes = (sl_large_array){.folder = trace->spill, .limit = MAX_INDEX};
    uint64_t blocks = sl_launch_blocks(l->launch);
    size_t threads = pool ? sl_pool_threads(pool) : 1;
    l->pieces = threads > 1 ? threads * 4 : 1;
    if (l->pieces > blocks / MIN_BLOCKS + 1)
        l->pieces = (size_t)(blocks / MIN_BLOCKS) + 1;
    if (l->pieces > MAX_PIECES)
        l->pieces = MAX_PIECES;
    l->piece = calloc(l->pieces, sizeof *l->piece);
    sl_status status = l->piece ? sl_joined_atomics(l->kernel, &l->joined, error) : sl_fail_memory(error);
    for (size_t i = 0; i < l->pieces && !status; i++) {
        l->piece[i].first_block = blocks / l->pieces * i;
        l->piece[i].end_block = i + 1 < l->pieces ? blocks / l->pieces * (i + 1) : UINT64_MAX;
        l->piece[i].streams = (sl_large_array){.folder = trace->spill, .limit = MAX_STREAMS / l->pieces};
        l->piece[i].parts = (sl_large_array){.folder = trace->spill, .limit = MAX_PARTS / l->pieces};
    }
    if (!status)
        status = sl_pool_run(pool, l->pieces, load_piece, l, error);
    if (!status)
        status = make_index(l, error);
    if (status)
        sl_loaded_destroy(l);
    else
        *loaded = l;
    return status;
}

void sl_loaded_destroy(sl_loaded *l)
{
    if (!l)
        return;
    if (l->only) {
        free(l->only);
        free(l->insts);
        free(l);
        return;
    }
    for (size_t i = 0; l->piece && i < l->pieces; i++) {
        sl_large_array_free(&l->piece[i].streams);
        sl_large_array_free(&l->piece[i].parts);
    }
    free(l->joined);
    free(l->piece);
    sl_large_array_free(&l->block_number);
    sl_large_array_free(&l->block_bytes);
    sl_large_array_free(&l->head);
    sl_large_array_free(&l->part);
    free(l->read);
    free(l);
}

sl_status sl_loaded_part(const sl_loaded *whole, const sl_part *wanted, sl_loaded **made, sl_error *error)
{
    size_t blocks = wanted->blocks;
    sl_loaded *l = malloc(sizeof *l);
    uint32_t *only = malloc((blocks + 1) * sizeof *only);
    uint64_t *insts = calloc(1, sizeof *insts);
    if (!l || !only || !insts) {
        free(l);
        free(only);
        free(insts);
        return sl_fail_memory(error);
    }
    *l = *whole;
    l->warp_insts = wanted->warp_insts;
    l->lone = wanted->lone;
    l->lone_warp = wanted->warp;
    l->insts = insts;
    l->only = only;
    l->blocks = blocks;
    l->bytes = 0;
    for (size_t i = 0; i < blocks; i++) {
        only[i] = whole->only ? whole->only[wanted->block[i]] : wanted->block[i];
        l->bytes += sl_loaded_block_bytes(whole, wanted->block[i]);
    }
    *made = l;
    return SL_OK;
}

uint64_t sl_loaded_part_insts(const sl_loaded *l)
{
    return *l->insts;
}

static uint64_t block_of_whole(const sl_loaded *l, uint64_t index)
{
    return l->only ? l->only[index] : index;
}

const sl_trace_kernel *sl_loaded_kernel(const sl_loaded *l)
{
    return l->kernel;
}

const sl_trace_launch *sl_loaded_launch(const sl_loaded *l)
{
    return l->launch;
}

uint64_t sl_loaded_blocks(const sl_loaded *l)
{
    return l->blocks;
}

uint64_t sl_loaded_bytes(const sl_loaded *l)
{
    return l->bytes;
}

const char *sl_loaded_spill(const sl_loaded *l)
{
    return l->trace->spill;
}

uint64_t sl_loaded_block_bytes(const sl_loaded *l, uint64_t index)
{
    return ((const uint64_t *)(const void *)l->block_bytes.data)[block_of_whole(l, index)];
}

/* ---- warps ---- */

bool sl_inst_is_block_barrier(const sl_trace_kernel *kernel, const sl_inst *inst)
{
    const char *opcode = kernel->strings + inst->opcode;
    if (inst->op_class != SL_CLASS_BARRIER || (strncmp(opcode, "bar", 3) && strncmp(opcode, "BAR", 3)))
        return false;
    return !strstr(opcode, ".warp") && !strstr(opcode, ".arrive") && !strstr(opcode, ".ARV");
}

static void enter_part(sl_warp_reader *r)
{
    const part *p = &parts_of(r->loaded)[r->next];
    r->next = p->next;
    r->started = true;
    sl_warp_cursor_init(&r->cursor, r->loaded->kernel, r->loaded->launch->lanes, &p->view, r->predictor);
}

void sl_warp_reader_init(sl_warp_reader *r, const sl_loaded *loaded, uint64_t block, uint32_t warp,
                         sl_predictor *predictor)
{
    r->loaded = loaded;
    r->predictor = predictor;
    r->warp = warp;
    r->next = heads(loaded)[block_of_whole(loaded, block) * loaded->warps + warp];
    r->started = false;
    r->full = r->steps = 0;
    r->seed = (block_of_whole(loaded, block) * loaded->warps + warp + 1) * 0x9e3779b97f4a7c15u;
    r->left = !loaded->only ? UINT64_MAX : loaded->lone && warp != loaded->lone_warp ? 0 : loaded->warp_insts;
    if (loaded->read && !warp &&
        atomic_fetch_add(loaded->read, sl_loaded_block_bytes(loaded, block) + MIN_READ) > MAX_READ) {
        atomic_store(loaded->read, 0);
        drop_files(loaded);
    }
}

/* Counts the instructions of a basic block of a part, behind the last of which its warp ends. */
static void count_read(sl_warp_reader *r)
{
    uint64_t insts = r->loaded->kernel->bb[r->cursor.bb].count;
    *r->loaded->insts += insts;
    if (r->left != UINT64_MAX)
        r->left -= r->left < insts ? r->left : insts;
}

/* Whether a step is executed where a what-if has full warps. The first step has all lanes of the warp. */
static bool executes(sl_warp_reader *r)
{
    uint64_t mask = r->cursor.mask;
    uint32_t bb = r->cursor.bb;
    if (!r->full)
        r->full = mask;
    if (!r->loaded->what_if.steps[bb] || mask == r->full)
        return true;
    return sl_what_if_executes(r->seed, bb, r->steps++, (uint32_t)__builtin_popcountll(mask),
                               (uint32_t)__builtin_popcountll(r->full));
}

sl_status sl_warp_reader_step(sl_warp_reader *r, bool *more, sl_error *error)
{
    *more = false;
    if (!r->left)
        return SL_OK;
    for (;;) {
        if (r->started) {
            sl_status status = sl_warp_cursor_step(&r->cursor, more, error);
            if (__builtin_expect(r->loaded->what_if.steps != NULL, false) && *more && !status && !executes(r))
                continue;
            if (*more && !status && r->loaded->only)
                count_read(r);
            if (status || *more)
                return status;
        }
        if (r->next == UINT32_MAX)
            return SL_OK;
        enter_part(r);
    }
}

sl_status sl_warp_reader_access(sl_warp_reader *r, bool *more, sl_error *error)
{
    const sl_loaded *l = r->loaded;
    sl_access *access = &r->cursor.access;
    sl_status status = sl_warp_cursor_access(&r->cursor, more, error);
    if (__builtin_expect(l->what_if.steps != NULL, false) && !status && *more && l->what_if.steps[r->cursor.bb] &&
        r->cursor.mask != r->full)
        sl_what_if_fill(access, r->full);
    if (__builtin_expect(l->joined != NULL, false) && !status && *more && l->joined[access->slot])
        access->mask &= ~access->mask + 1;
    if (__builtin_expect(!l->what_if.slot, true) || status || !*more || !l->what_if.slot[access->slot].changed)
        return status;
    const sl_what_if_warp warp = {l->launch->lanes, r->warp,
                                  l->warps,         r->predictor[access->slot].what_if,
                                  r->seed,          l->what_if.slot[access->slot].measure};
    sl_what_if_apply(l->what_if.id, &l->kernel->inst[access->inst], &warp, access);
    return SL_OK;
}
