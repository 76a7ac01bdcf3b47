/* SPDX-License-Identifier: MIT */
#include "analysis/inst_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "trace/inlined.h"

/* The last block that begins at the instruction or before it. */
static uint32_t block_of(const sl_trace_kernel *kernel, uint32_t inst)
{
    uint32_t low = 0, high = kernel->bbs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kernel->bb[middle].first <= inst)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

sl_inst_name sl_inst_named(const sl_trace_kernel *kernel, uint32_t slot, const char *strings,
                           const sl_trace_call *calls)
{
    const sl_inst *inst = &kernel->inst[kernel->mem_inst[slot]];
    sl_trace_call own = sl_inst_own_location(inst, strings, calls);
    return (sl_inst_name){.opcode = strings + inst->opcode,
                          .source_file = strings + own.source_file,
                          .array = strings + inst->array,
                          .pc = inst->pc,
                          .bb = block_of(kernel, kernel->mem_inst[slot]),
                          .ptx_line = inst->ptx_line,
                          .source_line = own.source_line,
                          .inner_file = strings + inst->source_file,
                          .inner_line = inst->source_line,
                          .inlined = inst->inlined,
                          .strings = strings,
                          .calls = calls,
                          .width = inst->width,
                          .access = inst->access,
                          .space = inst->space};
}

/* Of two that a line of the user's own has called, where in the library they are. */
static bool same_inner(const sl_inst_name *a, const sl_inst_name *b)
{
    return a->inner_line == b->inner_line && !strcmp(a->inner_file, b->inner_file);
}

bool sl_inst_same(const sl_inst_name *a, const sl_inst_name *b)
{
    return a->pc == b->pc && a->ptx_line == b->ptx_line && a->source_line == b->source_line && a->access == b->access &&
           a->space == b->space && !strcmp(a->opcode, b->opcode) && !strcmp(a->array, b->array) &&
           !strcmp(a->source_file, b->source_file) && same_inner(a, b);
}

bool sl_inst_same_location(const sl_inst_name *a, const sl_inst_name *b)
{
    bool placed = b->source_line || b->ptx_line == a->ptx_line;
    return placed && a->source_line == b->source_line && a->access == b->access && !strcmp(a->opcode, b->opcode) &&
           !strcmp(a->array, b->array) && !strcmp(a->source_file, b->source_file) && same_inner(a, b);
}

bool sl_inst_same_row(const sl_inst_name *a, const sl_inst_name *b)
{
    return a->which == b->which && sl_inst_same_location(a, b);
}

uint64_t sl_inst_location_hash(const sl_inst_name *name)
{
    const char *texts[] = {name->opcode, name->array, name->source_file};
    uint64_t hash = name->source_line ? (uint64_t)name->source_line << 32 : name->ptx_line;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = sl_hash_mix(hash + name->access) ^ sl_hash64(texts[i], strlen(texts[i]));
    return hash;
}

static int by_location(const void *left, const void *right)
{
    const sl_inst_name *a = *(sl_inst_name *const *)left, *b = *(sl_inst_name *const *)right;
    if (a->source_line != b->source_line)
        return a->source_line < b->source_line ? -1 : 1;
    int order = strcmp(a->source_file, b->source_file);
    order = order ? order : strcmp(a->opcode, b->opcode);
    order = order ? order : strcmp(a->array, b->array);
    order = order ? order : a->access - b->access;
    order = order ? order : strcmp(a->inner_file, b->inner_file);
    order = order ? order : (a->inner_line > b->inner_line) - (a->inner_line < b->inner_line);
    return order ? order : a < b ? -1 : a > b;
}

/* How many of them, from the first on, are in its basic block. */
static uint32_t in_block(sl_inst_name *const *inst, uint32_t count)
{
    uint32_t same = 1;
    while (same < count && inst[same]->bb == inst[0]->bb)
        same++;
    return same;
}

/* Numbers the instructions of one source line, opcode and array. */
static void number(sl_inst_name *const *inst, uint32_t count)
{
    uint32_t min_copies = count;
    bool even = true;
    for (uint32_t i = 0, here; i < count; i += here) {
        here = in_block(inst + i, count - i);
        min_copies = here < min_copies ? here : min_copies;
    }
    for (uint32_t i = 0, here; i < count; i += here) {
        here = in_block(inst + i, count - i);
        even &= here % min_copies == 0;
    }
    uint32_t copies_apart = even ? min_copies : count;
    if (!inst[0]->ptx_line || copies_apart > SL_MAX_COPIES_APART)
        copies_apart = 1;
    for (uint32_t i = 0, first = 0; i < count; i++) {
        first = even && inst[i]->bb != inst[first]->bb ? i : first;
        inst[i]->which = (i - first) % copies_apart;
    }
}

bool sl_insts_distinguish(sl_inst_name *inst, uint32_t count)
{
    sl_inst_name **sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &inst[i];
    qsort(sorted, count, sizeof *sorted, by_location);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && sl_inst_same_location(sorted[first], sorted[end]); end++)
            ;
        number(sorted + first, end - first);
    }
    for (uint32_t first = 0, end; first < count; first = end) {
        const sl_inst_name *a = sorted[first];
        bool shared = false;
        for (end = first; end < count && sorted[end]->source_line == a->source_line &&
                          !strcmp(sorted[end]->source_file, a->source_file);
             end++)
            shared |= a->source_line && sorted[end]->ptx_line && !sl_inst_same_row(a, sorted[end]);
        for (uint32_t i = first; i < end; i++)
            sorted[i]->shares_line = shared;
    }
    free(sorted);
    return true;
}

const char *sl_inst_location(const sl_inst_name *name, char *buffer, size_t size)
{
    const char *file = strrchr(name->source_file, '/');
    char ptx[24] = "";
    if (name->shares_line)
        snprintf(ptx, sizeof ptx, ", PTX %u", name->ptx_line);
    if (name->source_line && !*name->source_file)
        snprintf(buffer, size, "line %u%s", name->source_line, ptx);
    else if (name->source_line)
        snprintf(buffer, size, "%s:%u%s", file ? file + 1 : name->source_file, name->source_line, ptx);
    else if (name->ptx_line)
        snprintf(buffer, size, "PTX line %u", name->ptx_line);
    else
        snprintf(buffer, size, "pc 0x%x", name->pc);
    return buffer;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *sl_inst_library(const sl_inst_name *name, char *buffer, size_t size)
{
    *buffer = 0;
    if (name->inner_line != name->source_line || strcmp(name->inner_file, name->source_file) != 0)
        snprintf(buffer, size, " (%s:%u)", base_name(name->inner_file), name->inner_line);
    return buffer;
}

const char *sl_inst_inlined(const sl_inst_name *name, bool paths, char *buffer, size_t size)
{
    *buffer = 0;
    if (!name->inlined)
        return buffer;
    const char *file = name->inner_file;
    size_t used = (size_t)snprintf(buffer, size, "%s:%u", paths ? file : base_name(file), name->inner_line);
    for (uint32_t at = name->inlined; at && used < size; at = name->calls[at - 1].caller) {
        file = name->strings + name->calls[at - 1].source_file;
        used += (size_t)snprintf(buffer + used, size - used, " < %s:%u", paths ? file : base_name(file),
                                 name->calls[at - 1].source_line);
    }
    return buffer;
}

const char *sl_inst_array(const sl_inst_name *name, char *buffer, size_t size)
{
    char bytes[SL_HUMAN_BYTES];
    if (name->allocation && *name->allocation)
        snprintf(buffer, size, "%s (%.*s, %s)", name->array, (int)strcspn(name->allocation, "+"), name->allocation,
                 sl_human_bytes(name->allocation_bytes, bytes));
    else
        snprintf(buffer, size, "%s", name->array);
    return buffer;
}

const char *sl_inst_source(const sl_inst_name *name, char *buffer, size_t size)
{
    if (name->source_line && !*name->source_file)
        snprintf(buffer, size, "line %u", name->source_line);
    else if (name->source_line)
        snprintf(buffer, size, "%s:%u", name->source_file, name->source_line);
    else
        snprintf(buffer, size, "%s", name->source_file);
    return buffer;
}

const char *sl_inst_line(const sl_inst_name *name, uint32_t *line)
{
    *line = name->source_line ? name->source_line : name->ptx_line ? name->ptx_line : name->pc;
    if (name->source_line)
        return *name->source_file ? name->source_file : "unknown";
    return name->ptx_line ? "PTX" : "addresses";
}
