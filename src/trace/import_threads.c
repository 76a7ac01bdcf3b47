/* SPDX-License-Identifier: MIT */
/* Importing thread traces: "blocksize: X Y Z", then a line "tid dir addr bytes" per access, in any order that keeps the
 * order within each thread. They name no instructions: the k-th accesses of a warp's threads are taken as executed
 * together, one instruction stands for all loads (or stores) of a width, and threads whose k-th accesses differ in
 * these take turns.
 *
 * The file is read twice: once to count the accesses of each thread, so that it is known when a warp's k-th step is
 * complete, and once to encode. In between lies only what threads are ahead of their neighbors. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "trace/import.h"
#include "trace/lines.h"

enum { LANES = 32, MAX_KINDS = 32, SPILL_BYTES = 1 << 26 };

typedef struct queued {
    uint64_t addr;
    uint8_t kind;
} queued;

typedef struct lane_queue {
    SL_ARRAY(queued) items;
    size_t head; /* items before it are done */
} lane_queue;

typedef struct open_warp {
    lane_queue lane[LANES];
    uint32_t left[LANES]; /* accesses not yet encoded */
    sl_warp_stream stream;
} open_warp;

typedef struct open_block {
    sl_import_parts parts;
    uint32_t warps_left; /* with accesses to come */
    open_warp **warp;    /* [warps]; NULL: not begun, or done */
} open_block;

typedef struct thread_file {
    const char *path;
    const sl_launch_sink *sink;
    sl_thread_lines *lines;
    sl_trace_launch launch;
    uint32_t threads, warps;        /* of a block */
    SL_ARRAY(uint32_t) counts;      /* accesses of each thread */
    uint64_t kinds_code[MAX_KINDS]; /* width << 1 | store */
    uint32_t kinds;
    /* the second time */
    bool encoding;
    uint64_t block_limit, held_bytes;
    open_block **block; /* [grid] */
    sl_launch_stats stats;
    /* the static table */
    sl_inst inst[MAX_KINDS];
    sl_trace_bb bb[MAX_KINDS];
    uint32_t mem_inst[MAX_KINDS];
    char strings[MAX_KINDS * 16];
    char name[256];
    sl_trace_kernel kernel;
} thread_file;

static sl_status bad_line(const thread_file *f, sl_error *error, const char *what)
{
    return sl_thread_lines_bad(f->lines, error, what);
}

/* ---- lines ---- */

typedef struct thread_access {
    uint64_t thread, addr;
    uint8_t kind;
} thread_access;

static sl_status read_access(thread_file *f, thread_access *out, bool *more, sl_error *error)
{
    sl_thread_access read;
    sl_status status = sl_thread_lines_next(f->lines, &read, more, error);
    if (status || !*more)
        return status;
    uint64_t code = (uint64_t)read.width << 1 | read.store;
    uint32_t kind = 0;
    while (kind < f->kinds && f->kinds_code[kind] != code)
        kind++;
    if (kind == f->kinds) {
        if (f->encoding || kind == MAX_KINDS)
            return bad_line(f, error,
                            f->encoding ? "the file changed while it was read"
                                        : "more different widths than accesses have");
        f->kinds_code[f->kinds++] = code;
    }
    *out = (thread_access){read.thread, read.addr, (uint8_t)kind};
    return SL_OK;
}

static sl_status count_access(thread_file *f, const thread_access *a, sl_error *error)
{
    while (f->counts.count <= a->thread) {
        size_t more = a->thread + 1 - f->counts.count;
        if (!sl_array_reserve(&f->counts, more))
            return sl_fail_memory(error);
        memset(f->counts.items + f->counts.count, 0, more * sizeof *f->counts.items);
        f->counts.count += more;
    }
    uint32_t *count = &f->counts.items[a->thread];
    if (*count == UINT32_MAX)
        return bad_line(f, error, "the thread has too many accesses");
    ++*count;
    return SL_OK;
}

/* ---- encoding ---- */

static uint32_t count_of(const thread_file *f, uint64_t block, uint32_t thread)
{
    uint64_t id = block * f->threads + thread;
    return thread < f->threads && id < f->counts.count ? f->counts.items[id] : 0;
}

static bool warp_has_work(const thread_file *f, uint64_t block, uint32_t warp)
{
    for (uint32_t i = 0; i < LANES; i++)
        if (count_of(f, block, warp * LANES + i))
            return true;
    return false;
}

static void free_warp(open_warp *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < LANES; i++)
        sl_array_free(&w->lane[i].items);
    sl_warp_stream_fini(&w->stream);
    free(w);
}

static void free_block(thread_file *f, open_block *b)
{
    if (!b)
        return;
    for (uint32_t w = 0; b->warp && w < f->warps; w++)
        free_warp(b->warp[w]);
    free(b->warp);
    sl_import_parts_fini(&b->parts);
    free(b);
}

static open_block *get_block(thread_file *f, uint64_t number)
{
    if (f->block[number])
        return f->block[number];
    open_block *b = calloc(1, sizeof *b);
    if (!b || !(b->warp = calloc(f->warps, sizeof *b->warp))) {
        free(b);
        return NULL;
    }
    b->parts.sink = f->sink;
    b->parts.block = number;
    for (uint32_t w = 0; w < f->warps; w++)
        b->warps_left += warp_has_work(f, number, w);
    return f->block[number] = b;
}

static open_warp *get_warp(thread_file *f, open_block *b, uint32_t warp)
{
    if (b->warp[warp])
        return b->warp[warp];
    open_warp *w = calloc(1, sizeof *w);
    if (!w || !sl_warp_stream_init(&w->stream, f->kinds, LANES)) {
        free_warp(w);
        return NULL;
    }
    for (uint32_t i = 0; i < LANES; i++)
        w->left[i] = count_of(f, b->parts.block, warp * LANES + i);
    return b->warp[warp] = w;
}

/* Encodes one step when every lane that has another access has it here; false when there is none to encode. */
static bool encode_step(thread_file *f, open_warp *w)
{
    uint64_t addr[LANES] = {0};
    uint32_t todo = 0;
    uint8_t kind[LANES];
    for (uint32_t i = 0; i < LANES; i++) {
        if (!w->left[i])
            continue;
        if (w->lane[i].head == w->lane[i].items.count)
            return false;
        todo |= 1u << i;
    }
    if (!todo)
        return false;
    for (uint32_t left = todo; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        lane_queue *q = &w->lane[i];
        addr[i] = q->items.items[q->head].addr;
        kind[i] = q->items.items[q->head].kind;
        if (++q->head == q->items.count)
            q->head = q->items.count = 0;
        w->left[i]--;
    }
    while (todo) {
        uint8_t which = kind[__builtin_ctz(todo)];
        uint32_t mask = 0;
        for (uint32_t left = todo; left; left &= left - 1)
            mask |= (uint32_t)(kind[__builtin_ctz(left)] == which) << __builtin_ctz(left);
        size_t before = w->stream.memory.count + w->stream.control.count;
        sl_warp_stream_step(&w->stream, which, mask);
        sl_warp_stream_access(&w->stream, which, mask, addr);
        f->held_bytes += w->stream.memory.count + w->stream.control.count - before;
        f->stats.warp_insts++;
        f->stats.thread_insts += (uint64_t)__builtin_popcount(mask);
        todo &= ~mask;
    }
    return true;
}

static bool has_work(const open_warp *w)
{
    for (uint32_t i = 0; i < LANES; i++)
        if (w->left[i])
            return true;
    return false;
}

/* Hands over what all open blocks hold, so that memory stays bounded. */
static sl_status spill(thread_file *f, sl_error *error)
{
    sl_status status = SL_OK;
    uint64_t blocks = sl_launch_blocks(&f->launch);
    for (uint64_t n = 0; n < blocks && !status; n++) {
        open_block *b = f->block[n];
        for (uint32_t w = 0; b && w < f->warps && !status; w++) {
            if (!b->warp[w])
                continue;
            status = sl_import_parts_add(&b->parts, w, &b->warp[w]->stream, error);
            if (!status && !sl_warp_stream_reset(&b->warp[w]->stream, f->kinds, LANES))
                status = sl_fail_memory(error);
        }
        if (b && !status && b->parts.views.count)
            status = sl_import_parts_flush(&b->parts, false, error);
    }
    f->held_bytes = 0;
    return status;
}

static sl_status finish_warp(thread_file *f, open_block *b, uint32_t warp, sl_error *error)
{
    sl_status status = sl_import_parts_add(&b->parts, warp, &b->warp[warp]->stream, error);
    free_warp(b->warp[warp]);
    b->warp[warp] = NULL;
    if (status || --b->warps_left)
        return status;
    uint64_t number = b->parts.block, held = b->parts.bytes.count;
    f->held_bytes -= held < f->held_bytes ? held : f->held_bytes;
    f->stats.blocks++;
    status = sl_import_parts_flush(&b->parts, true, error);
    free_block(f, b);
    f->block[number] = NULL;
    return status;
}

static sl_status encode_access(thread_file *f, const thread_access *a, sl_error *error)
{
    uint64_t number = a->thread / f->threads;
    uint32_t thread = (uint32_t)(a->thread % f->threads), warp = thread / LANES, lane = thread % LANES;
    if (number >= sl_launch_blocks(&f->launch))
        return bad_line(f, error, "the file changed while it was read");
    if (number >= f->block_limit)
        return SL_OK;
    open_block *b = get_block(f, number);
    open_warp *w = b ? get_warp(f, b, warp) : NULL;
    if (!w)
        return sl_fail_memory(error);
    lane_queue *q = &w->lane[lane];
    if (w->left[lane] <= q->items.count - q->head)
        return bad_line(f, error, "the file changed while it was read");
    if (!sl_array_push(&q->items, (queued){a->addr, a->kind}))
        return sl_fail_memory(error);
    bool moved = false;
    while (encode_step(f, w))
        moved = true;
    if (moved && !has_work(w))
        return finish_warp(f, b, warp, error);
    return f->held_bytes >= SPILL_BYTES ? spill(f, error) : SL_OK;
}

static sl_status read_file(thread_file *f, const sl_progress *progress, sl_error *error)
{
    sl_status status = sl_thread_lines_open(f->path, f->launch.block, &f->lines, error);
    if (status)
        return status;
    f->launch.lanes = LANES;
    f->threads = sl_launch_threads(&f->launch);
    f->warps = sl_launch_warps(&f->launch);
    for (uint64_t accesses = 0; !status; accesses++) {
        thread_access access = {0};
        bool more;
        status = read_access(f, &access, &more, error);
        if (status || !more)
            break;
        status = f->encoding ? encode_access(f, &access, error) : count_access(f, &access, error);
        if (f->encoding && accesses % 65536 == 0)
            sl_progress_update(progress, "accesses", accesses, 0);
    }
    sl_thread_lines_close(f->lines);
    f->lines = NULL;
    return status;
}

/* ---- the launch ---- */

static void make_kernel(thread_file *f)
{
    const char *slash = strrchr(f->path, '/');
    snprintf(f->name, sizeof f->name, "%s", slash ? slash + 1 : f->path);
    char *dot = strchr(f->name, '.');
    if (dot && dot != f->name)
        *dot = '\0';
    size_t used = 1;
    for (uint32_t k = 0; k < f->kinds; k++) {
        bool store = f->kinds_code[k] & 1;
        unsigned width = (unsigned)(f->kinds_code[k] >> 1);
        f->inst[k] = (sl_inst){.op_class = SL_CLASS_MEMORY,
                               .space = SL_MEM_GLOBAL,
                               .access = store ? SL_ACCESS_STORE : SL_ACCESS_LOAD,
                               .width = (uint16_t)width,
                               .opcode = (uint32_t)used,
                               .pc = k,
                               .mem_slot = k};
        used +=
            (size_t)snprintf(f->strings + used, sizeof f->strings - used, "%s.%u", store ? "store" : "load", width) + 1;
        f->bb[k] = (sl_trace_bb){k, 1};
        f->mem_inst[k] = k;
    }
    f->kernel = (sl_trace_kernel){.symbol = f->name,
                                  .name = f->name,
                                  .insts = f->kinds,
                                  .inst = f->inst,
                                  .bbs = f->kinds,
                                  .bb = f->bb,
                                  .mem_slots = f->kinds,
                                  .mem_inst = f->mem_inst,
                                  .strings = f->strings,
                                  .strings_bytes = (uint32_t)used};
}

/* Blocks without any access are blocks too. */
static sl_status finish_empty_blocks(thread_file *f, sl_error *error)
{
    uint64_t blocks = sl_launch_blocks(&f->launch);
    sl_status status = SL_OK;
    for (uint64_t n = 0; n < blocks && n < f->block_limit && !status; n++) {
        if (f->block[n])
            return sl_fail_at(error, SL_SYNTAX, f->path, 0, 0, "the file changed while it was read");
        bool any = false;
        for (uint32_t w = 0; w < f->warps && !any; w++)
            any = warp_has_work(f, n, w);
        if (any)
            continue;
        sl_import_parts parts = {.sink = f->sink, .block = n};
        status = sl_import_parts_flush(&parts, true, error);
        f->stats.blocks++;
    }
    return status;
}

static sl_status replay(thread_file *f, const sl_progress *progress, sl_error *error)
{
    bool wanted;
    make_kernel(f);
    uint64_t blocks = (f->counts.count + f->threads - 1) / f->threads;
    f->launch.grid[0] = (uint32_t)blocks;
    f->launch.grid[1] = f->launch.grid[2] = 1;
    f->encoding = true;
    f->block = calloc(blocks, sizeof *f->block);
    if (!f->block)
        return sl_fail_memory(error);
    sl_status status =
        f->sink->begin(f->sink->context, &f->kernel, &f->launch, NULL, 0, &wanted, &f->block_limit, error);
    if (status)
        return status;
    if (wanted)
        status = read_file(f, progress, error);
    if (wanted && !status)
        status = finish_empty_blocks(f, error);
    sl_status ended =
        f->sink->end(f->sink->context, &f->stats, status ? "the import failed" : NULL, status ? NULL : error);
    return status ? status : ended;
}

sl_status sl_import_threads(const char *path, const sl_launch_sink *sink, const sl_progress *progress, sl_error *error)
{
    thread_file *f = calloc(1, sizeof *f);
    if (!f)
        return sl_fail_memory(error);
    f->path = path;
    f->sink = sink;
    sl_status status = read_file(f, NULL, error);
    if (!status && !f->counts.count)
        status = sl_fail_at(error, SL_SYNTAX, path, 0, 0, "there is no access in this trace");
    if (!status)
        status = replay(f, progress, error);
    for (uint64_t n = 0; f->block && n < sl_launch_blocks(&f->launch); n++)
        free_block(f, f->block[n]);
    free(f->block);
    sl_array_free(&f->counts);
    free(f);
    return status;
}
