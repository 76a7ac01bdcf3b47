/* SPDX-License-Identifier: MIT */
#include "trace/loaded.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MIN_BLOCKS = 64, MAX_PIECES = 64 };

/* One warp's streams in one part of its block. */
typedef struct part {
    sl_warp_view view;
    uint64_t block;
    uint32_t next; /* the warp's next part; UINT32_MAX: none */
} part;
typedef SL_ARRAY(part) part_list;

/* A range of blocks, loaded by one job. */
typedef struct piece {
    uint64_t first_block, end_block;
    part_list parts;
    SL_ARRAY(uint8_t *) buffers;
} piece;

struct sl_loaded {
    const sl_trace *trace;
    uint32_t number;
    const sl_trace_kernel *kernel;
    const sl_trace_launch *launch;
    uint32_t warps; /* of a block */
    uint64_t blocks, bytes;
    uint64_t *block_number; /* [blocks], ascending */
    uint64_t *block_bytes;  /* [blocks] */
    uint32_t *head;         /* [blocks * warps]: first part of the warp; UINT32_MAX: it did nothing */
    part *parts;
    size_t pieces;
    piece *piece;
};

/* ---- reading the file ---- */

static bool keep(piece *p, const sl_block_view *view)
{
    size_t bytes = 0;
    for (uint32_t w = 0; w < view->warps; w++)
        bytes += view->warp[w].control_bytes + view->warp[w].memory_bytes;
    uint8_t *buffer = malloc(bytes ? bytes : 1);
    if (!buffer || !sl_array_push(&p->buffers, buffer)) {
        free(buffer);
        return false;
    }
    for (uint32_t w = 0; w < view->warps; w++) {
        sl_warp_view copy = view->warp[w];
        copy.control = memcpy(buffer, view->warp[w].control, copy.control_bytes);
        buffer += copy.control_bytes;
        copy.memory = memcpy(buffer, view->warp[w].memory, copy.memory_bytes);
        buffer += copy.memory_bytes;
        if (!sl_array_push(&p->parts, ((part){copy, view->block, UINT32_MAX})))
            return false;
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
        if (!keep(p, &view)) {
            status = sl_fail_memory(error);
            break;
        }
    sl_block_walker_destroy(walker);
    return status;
}

/* ---- the index ---- */

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t index_of(const sl_loaded *l, uint64_t number)
{
    if (number < l->blocks && l->block_number[number] == number)
        return number;
    const uint64_t *found = bsearch(&number, l->block_number, l->blocks, sizeof number, compare_numbers);
    return (uint64_t)(found - l->block_number);
}

/* The numbers of all blocks, each once, ascending. */
static bool list_blocks(sl_loaded *l, size_t parts)
{
    l->block_number = malloc((parts ? parts : 1) * sizeof *l->block_number);
    if (!l->block_number)
        return false;
    bool sorted = true;
    uint64_t count = 0;
    for (size_t i = 0; i < parts; i++) {
        uint64_t block = l->parts[i].block;
        if (count && l->block_number[count - 1] == block)
            continue;
        sorted = sorted && (!count || block > l->block_number[count - 1]);
        l->block_number[count++] = block;
    }
    if (!sorted) {
        qsort(l->block_number, count, sizeof *l->block_number, compare_numbers);
        uint64_t kept = 0;
        for (uint64_t i = 0; i < count; i++)
            if (!kept || l->block_number[i] != l->block_number[kept - 1])
                l->block_number[kept++] = l->block_number[i];
        count = kept;
    }
    l->blocks = count;
    return true;
}

/* Chains the parts of each warp in the order in which they were written. */
static bool link_parts(sl_loaded *l, size_t parts)
{
    size_t warps = l->blocks * l->warps;
    uint32_t *tail = malloc((warps ? warps : 1) * sizeof *tail);
    l->head = malloc((warps ? warps : 1) * sizeof *l->head);
    l->block_bytes = calloc(l->blocks ? l->blocks : 1, sizeof *l->block_bytes);
    if (!tail || !l->head || !l->block_bytes) {
        free(tail);
        return false;
    }
    memset(l->head, 0xff, warps * sizeof *l->head);
    for (size_t i = 0; i < parts; i++) {
        part *p = &l->parts[i];
        if (p->view.warp >= l->warps)
            continue; /* the walker has checked it */
        uint64_t block = index_of(l, p->block), warp = block * l->warps + p->view.warp;
        uint64_t bytes = p->view.control_bytes + p->view.memory_bytes;
        l->block_bytes[block] += bytes;
        l->bytes += bytes;
        if (l->head[warp] == UINT32_MAX)
            l->head[warp] = (uint32_t)i;
        else
            l->parts[tail[warp]].next = (uint32_t)i;
        tail[warp] = (uint32_t)i;
    }
    free(tail);
    return true;
}

static sl_status make_index(sl_loaded *l, sl_error *error)
{
    size_t parts = 0;
    for (size_t i = 0; i < l->pieces; i++)
        parts += l->piece[i].parts.count;
    if (parts >= UINT32_MAX)
        return sl_fail(error, SL_LIMIT, "launch %u has %zu warp streams: more than can be loaded", l->number, parts);
    l->parts = malloc((parts ? parts : 1) * sizeof *l->parts);
    if (!l->parts)
        return sl_fail_memory(error);
    size_t at = 0;
    for (size_t i = 0; i < l->pieces; i++) {
        if (l->piece[i].parts.count)
            memcpy(&l->parts[at], l->piece[i].parts.items, l->piece[i].parts.count * sizeof *l->parts);
        at += l->piece[i].parts.count;
        sl_array_free(&l->piece[i].parts);
    }
    return list_blocks(l, parts) && link_parts(l, parts) ? SL_OK : sl_fail_memory(error);
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
    l->warps = sl_launch_warps(l->launch);
    uint64_t blocks = sl_launch_blocks(l->launch);
    size_t threads = pool ? sl_pool_threads(pool) : 1;
    l->pieces = threads > 1 ? threads * 4 : 1;
    if (l->pieces > blocks / MIN_BLOCKS + 1)
        l->pieces = (size_t)(blocks / MIN_BLOCKS) + 1;
    if (l->pieces > MAX_PIECES)
        l->pieces = MAX_PIECES;
    l->piece = calloc(l->pieces, sizeof *l->piece);
    sl_status status = l->piece ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < l->pieces && !status; i++) {
        l->piece[i].first_block = blocks / l->pieces * i;
        l->piece[i].end_block = i + 1 < l->pieces ? blocks / l->pieces * (i + 1) : UINT64_MAX;
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
    for (size_t i = 0; l->piece && i < l->pieces; i++) {
        for (size_t b = 0; b < l->piece[i].buffers.count; b++)
            free(l->piece[i].buffers.items[b]);
        sl_array_free(&l->piece[i].buffers);
        sl_array_free(&l->piece[i].parts);
    }
    free(l->piece);
    free(l->block_number);
    free(l->block_bytes);
    free(l->head);
    free(l->parts);
    free(l);
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

uint64_t sl_loaded_block_at(const sl_loaded *l, uint64_t index)
{
    return l->block_number[index];
}

uint64_t sl_loaded_bytes(const sl_loaded *l)
{
    return l->bytes;
}

uint64_t sl_loaded_block_bytes(const sl_loaded *l, uint64_t index)
{
    return l->block_bytes[index];
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
    const part *p = &r->loaded->parts[r->next];
    r->next = p->next;
    r->started = true;
    sl_warp_cursor_init(&r->cursor, r->loaded->kernel, r->loaded->launch->lanes, &p->view, r->predictor);
}

void sl_warp_reader_init(sl_warp_reader *r, const sl_loaded *loaded, uint64_t block, uint32_t warp,
                         sl_predictor *predictor)
{
    r->loaded = loaded;
    r->predictor = predictor;
    r->next = loaded->head[block * loaded->warps + warp];
    r->started = false;
}

sl_status sl_warp_reader_step(sl_warp_reader *r, bool *more, sl_error *error)
{
    *more = false;
    for (;;) {
        if (r->started) {
            sl_status status = sl_warp_cursor_step(&r->cursor, more, error);
            if (status || *more)
                return status;
        }
        if (r->next == UINT32_MAX)
            return SL_OK;
        enter_part(r);
    }
}
