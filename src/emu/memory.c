/* SPDX-License-Identifier: MIT */
/* Memory accesses one lane at a time: what the fast path could not settle, and everything that can be wrong. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "emu/warp.h"

/* Thread coordinates of a lane. */
static void thread_id(const sl_warp *warp, int lane, uint32_t id[3])
{
    const uint32_t *dim = warp->worker->run->launch->block;
    uint32_t linear = warp->index * warp->worker->run->lanes + (uint32_t)(lane < 0 ? 0 : lane);
    id[0] = linear % dim[0];
    id[1] = linear / dim[0] % dim[1];
    id[2] = linear / dim[0] / dim[1];
}

/* The sentence and where it happened: kernel, block, thread, PTX line and source line. */
static void format_fault(const sl_warp *warp, uint32_t inst, int lane, sl_status status, const char *what,
                         sl_error *error)
{
    const sl_code *code = warp->code;
    char where[160] = "", source[300] = "", thread[64] = "", name[256];
    const char *file = "";
    uint32_t line = 0;
    if (inst != UINT32_MAX) {
        const sl_ptx_inst *ptx = code->inst[inst];
        const sl_code_function *function = &code->function[code->inst_function[inst]];
        char opcode[96];
        file = function->module->name;
        line = ptx->line;
        snprintf(where, sizeof where, " in %s", sl_ptx_inst_text(ptx, opcode, sizeof opcode));
        for (uint32_t i = 0; ptx->loc_line && i < function->module->files; i++)
            if (function->module->file[i].number == ptx->loc_file)
                snprintf(source, sizeof source, " (%s:%u)", function->module->file[i].name, ptx->loc_line);
    }
    if (lane >= 0) {
        uint32_t id[3];
        thread_id(warp, lane, id);
        snprintf(thread, sizeof thread, ", thread (%u,%u,%u)", id[0], id[1], id[2]);
    } else {
        snprintf(thread, sizeof thread, ", warp %u", warp->index);
    }
    const uint32_t *block = warp->block->id;
    sl_fail_at(error, status, file, line, 0, "%s%s%s; kernel %s, block (%u,%u,%u)%s", what, where, source,
               sl_function_name(warp->worker->run->kernel->func->name, name, sizeof name), block[0], block[1], block[2],
               thread);
}

_Noreturn void sl_fault_raise(sl_warp *warp, uint32_t inst, int lane, sl_fault kind, const char *format, ...)
{
    char what[640];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    warp->worker->fault = kind;
    format_fault(warp, inst, lane, kind == SL_FAULT_LIMIT ? SL_LIMIT : SL_FAULT, what, warp->worker->error);
    longjmp(warp->worker->escape, 1);
}

/* What is wrong with an access that lies in no live allocation. */
static void describe_illegal(char *what, size_t size, const sl_alloc *near, uint64_t addr, uint32_t bytes, bool store)
{
    char hint[200] = "there are no allocations";
    if (near) {
        char name[80];
        if (near->label)
            snprintf(name, sizeof name, "%s", near->label);
        else
            snprintf(name, sizeof name, "alloc %llu", (unsigned long long)near->serial);
        uint64_t end = near->base + near->bytes;
        const char *state = near->live ? "" : " (freed)";
        if (addr < near->base)
            snprintf(hint, sizeof hint, "%llu bytes before %s%s of %llu bytes at 0x%llx",
                     (unsigned long long)(near->base - addr), name, state, (unsigned long long)near->bytes,
                     (unsigned long long)near->base);
        else if (addr >= end)
            snprintf(hint, sizeof hint, "%llu bytes after the end of %s%s of %llu bytes at 0x%llx",
                     (unsigned long long)(addr - end), name, state, (unsigned long long)near->bytes,
                     (unsigned long long)near->base);
        else
            snprintf(hint, sizeof hint, "%s %s of %llu bytes at 0x%llx", near->live ? "across the end of" : "inside",
                     name, (unsigned long long)near->bytes, (unsigned long long)near->base);
        if (!near->live && addr >= near->base && addr < end) {
            snprintf(what, size, "use after free: %u-byte %s at 0x%llx, inside freed %s of %llu bytes at 0x%llx", bytes,
                     store ? "write" : "read", (unsigned long long)addr, name, (unsigned long long)near->bytes,
                     (unsigned long long)near->base);
            return;
        }
    }
    snprintf(what, size, "illegal %u-byte %s at 0x%llx, %s", bytes, store ? "write" : "read", (unsigned long long)addr,
             hint);
}

/* How far outside of an allocation an access may be that a GPU lets pass: within the pages that it maps for the
 * allocation, which small ones share, and a little further, where the next page is often mapped, too. */
enum { STRAY_BYTES = 64 * 1024 };

static bool is_stray(const sl_alloc *near, uint64_t addr, uint32_t bytes)
{
    if (!near || !near->live)
        return false;
    uint64_t end = near->base + near->bytes, page = SL_HEAP_PAGE_BYTES;
    if (addr < near->base)
        return near->base - addr <= STRAY_BYTES || addr / page == near->base / page;
    return addr + bytes - end <= STRAY_BYTES || (addr + bytes - 1) / page == (end - !!near->bytes) / page;
}

/* Records what a GPU does not report as an error, and the first block that did it. */
static void record_lapse(sl_warp *warp, const sl_op *op, int lane, sl_lapse *lapse, const char *what)
{
    bool first = !lapse->first;
    if (first && !(lapse->first = malloc(sizeof *lapse->first)))
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS,
                       "no memory to record an access that a GPU would not report");
    if (first || warp->block->index < lapse->block) {
        format_fault(warp, op->inst, lane, SL_FAULT, what, lapse->first);
        lapse->block = warp->block->index;
    }
    lapse->count++;
}

void sl_note_absent(sl_warp *warp, const sl_op *op, int lane, int source)
{
    char what[80];
    snprintf(what, sizeof what, "a shuffle reads lane %d, which does not take part in it,", source);
    if (warp->race)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_RACE, "%s", what);
    record_lapse(warp, op, lane, &warp->worker->absent, what);
}

/* An access that lies in no live allocation: it is noted where that is forgiven, or ends the launch. */
static void *outside(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes, bool store)
{
    const sl_emu *emu = warp->worker->run->emu;
    const sl_alloc *near = sl_heap_nearest(emu->heap, addr);
    bool forgiven = emu->config.stray && is_stray(near, addr, bytes) && !sl_heap_is_internal(emu->heap, addr, bytes);
    void *memory = forgiven ? sl_stray_bytes(warp, addr, bytes, store) : NULL;
    char what[640];
    if (!memory || !warp->worker->stray.first || warp->block->index < warp->worker->stray.block)
        describe_illegal(what, sizeof what, near, addr, bytes, store);
    if (!memory)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS, "%s", what);
    record_lapse(warp, op, lane, &warp->worker->stray, what);
    return memory;
}

typedef enum window { WINDOW_GLOBAL, WINDOW_SHARED, WINDOW_LOCAL } window;

/* Which memory an access means, and the offset in it for shared and local. */
static window locate(const sl_op *op, uint64_t addr, uint64_t *offset)
{
    *offset = addr;
    if (op->space == SL_SPACE_SHARED)
        return WINDOW_SHARED;
    if (op->space == SL_SPACE_LOCAL)
        return WINDOW_LOCAL;
    if (op->space == SL_SPACE_NONE) {
        if (addr - SL_SHARED_WINDOW < SL_WINDOW_BYTES) {
            *offset = addr - SL_SHARED_WINDOW;
            return WINDOW_SHARED;
        }
        if (addr - SL_LOCAL_WINDOW < SL_WINDOW_BYTES) {
            *offset = addr - SL_LOCAL_WINDOW;
            return WINDOW_LOCAL;
        }
    }
    return WINDOW_GLOBAL;
}

sl_block *sl_cluster_locate(sl_warp *warp, uint32_t inst, int lane, uint64_t addr, uint64_t *offset)
{
    sl_block *block = sl_shared_block(warp, addr, offset);
    if (!block)
        sl_fault_raise(warp, inst, lane, SL_FAULT_ILLEGAL_ADDRESS,
                       "illegal access at shared offset 0x%llx of block %llu of a cluster of %u",
                       (unsigned long long)*offset, (unsigned long long)(addr >> SL_RANK_BIT),
                       warp->block->cluster->blocks);
    if (!block->live_threads)
        sl_fault_raise(warp, inst, lane, SL_FAULT_ILLEGAL_ADDRESS,
                       "illegal access at shared offset 0x%llx of block %u of the cluster, which has exited",
                       (unsigned long long)*offset, block->rank);
    return block;
}

/* An access to shared memory, of this block or another of its cluster. */
static void *shared_bytes(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes, bool store)
{
    uint64_t offset;
    const sl_block *block = sl_cluster_locate(warp, op->inst, lane, addr, &offset);
    if (offset <= block->shared_bytes && bytes <= block->shared_bytes - offset)
        return block->shared + offset;
    bool forgiven =
        warp->worker->run->emu->config.stray && offset <= block->shared_room && bytes <= block->shared_room - offset;
    char what[160];
    snprintf(what, sizeof what, "illegal %u-byte %s at shared offset 0x%llx of %u bytes", bytes,
             store ? "write" : "read", (unsigned long long)offset, block->shared_bytes);
    if (!forgiven)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS, "%s", what);
    record_lapse(warp, op, lane, &warp->worker->stray, what);
    return block->shared + offset;
}

/* Parameters can be read by their address; the grid's workspace is for the barriers of cooperative launches. */
static bool is_accessible(const sl_warp *warp, const sl_alloc *alloc, bool store)
{
    const sl_run *run = warp->worker->run;
    if (alloc->kind != SL_ALLOC_INTERNAL)
        return true;
    return alloc->base == run->emu->params ? !store : run->launch->cooperative;
}

void *sl_memory_resolve_aligned(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes, uint32_t align,
                                bool store)
{
    uint64_t offset;
    window where = locate(op, addr, &offset);
    if (addr & (align - 1))
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_MISALIGNED, "misaligned %u-byte %s at 0x%llx", bytes,
                       store ? "write" : "read", (unsigned long long)addr);
    switch (where) {
    case WINDOW_SHARED:
        return shared_bytes(warp, op, lane, offset, bytes, store);
    case WINDOW_LOCAL:
        if (offset > warp->local_capacity || bytes > warp->local_capacity - offset)
            sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS,
                           "illegal %u-byte %s at local offset 0x%llx of %u bytes", bytes, store ? "write" : "read",
                           (unsigned long long)offset, warp->local_capacity);
        return warp->local + (size_t)lane * warp->local_capacity + offset;
    case WINDOW_GLOBAL:
        break;
    }
    const sl_alloc *alloc = sl_heap_find(warp->worker->run->emu->heap, addr);
    if (!alloc || bytes > alloc->bytes - (addr - alloc->base) || !is_accessible(warp, alloc, store))
        return outside(warp, op, lane, addr, bytes, store);
    return (void *)(uintptr_t)(addr + warp->worker->shift);
}

void *sl_memory_whole(sl_warp *warp, const sl_op *op, uint64_t addr, uint64_t bytes, bool store)
{
    uint64_t offset;
    window where = locate(op, addr, &offset);
    if (where == WINDOW_SHARED) {
        const sl_block *block = sl_shared_block(warp, offset, &offset);
        bool inside =
            block && block->live_threads && offset <= block->shared_bytes && bytes <= block->shared_bytes - offset;
        return inside ? block->shared + offset : NULL;
    }
    const sl_alloc *alloc = where == WINDOW_GLOBAL ? sl_heap_find(warp->worker->run->emu->heap, addr) : NULL;
    if (!alloc || bytes > alloc->bytes - (addr - alloc->base) || !is_accessible(warp, alloc, store))
        return NULL;
    return (void *)(uintptr_t)(addr + warp->worker->shift);
}

/* The map of written bytes for an address and the bit where it starts; NULL: not tracked. */
static uint8_t *written_map(sl_warp *warp, const sl_op *op, uint64_t addr, uint64_t *first)
{
    switch (locate(op, addr, first)) {
    case WINDOW_SHARED: {
        const sl_block *block = sl_shared_block(warp, *first, first);
        return block ? block->shared_written : NULL;
    }
    case WINDOW_GLOBAL: {
        const sl_alloc *alloc = sl_heap_find(warp->worker->run->emu->heap, addr);
        if (!alloc)
            return NULL;
        *first = addr - alloc->base;
        return alloc->written;
    }
    case WINDOW_LOCAL:
        break;
    }
    return NULL;
}

void sl_memory_check_read(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes)
{
    uint64_t first;
    const uint8_t *map = written_map(warp, op, addr, &first);
    for (uint64_t i = first; map && i < first + bytes; i++)
        if (!(map[i / 8] >> i % 8 & 1))
            sl_fault_raise(warp, op->inst, lane, SL_FAULT_UNINITIALISED,
                           "read of memory that was never written: %u bytes at 0x%llx", bytes,
                           (unsigned long long)addr);
}

void sl_memory_mark_written(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes)
{
    (void)lane;
    uint64_t first;
    uint8_t *map = written_map(warp, op, addr, &first);
    for (uint64_t i = first; map && i < first + bytes; i++)
        map[i / 8] |= (uint8_t)(1 << i % 8);
}
