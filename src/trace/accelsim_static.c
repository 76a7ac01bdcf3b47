/* SPDX-License-Identifier: MIT */
/* From executed instructions to the static table of a kernel. An Accel-Sim trace has no control flow graph; basic
 * blocks are runs of neighbors that always executed together, with the same mask. */
#include <string.h>

#include "base/mangle.h"
#include "trace/accelsim.h"
#include "trace/bytes.h"

void sl_sass_table_init(sl_sass_table *t)
{
    *t = (sl_sass_table){0};
    sl_arena_init(&t->arena);
}

void sl_sass_table_fini(sl_sass_table *t)
{
    sl_index_fini(&t->by_pc);
    sl_array_free(&t->insts);
    sl_arena_fini(&t->arena);
    *t = (sl_sass_table){0};
}

static uint64_t pc_of(const void *insts, uint32_t inst)
{
    return ((const sl_accelsim_inst *)insts)[inst].pc;
}

static uint32_t add_inst(sl_sass_table *t, const sl_sass_line *line)
{
    sl_accelsim_inst inst = {.pc = line->pc,
                             .source_line = line->source_line,
                             .key = sl_arena_strndup(&t->arena, line->key, line->key_bytes),
                             .key_bytes = line->key_bytes,
                             .opcode = sl_arena_strndup(&t->arena, line->opcode, line->opcode_bytes),
                             .dsts = line->dsts,
                             .srcs = line->srcs,
                             .before = SL_SASS_NONE,
                             .after = SL_SASS_NONE,
                             .slot = UINT32_MAX};
    memcpy(inst.regs, line->regs, (size_t)(line->dsts + line->srcs) * sizeof *inst.regs);
    uint32_t number = (uint32_t)t->insts.count;
    if (!inst.key || !inst.opcode || !sl_array_push(&t->insts, inst) ||
        !sl_index_add(&t->by_pc, inst.pc, number, pc_of, t->insts.items))
        return SL_SASS_NONE;
    return number;
}

uint32_t sl_sass_table_find(sl_sass_table *t, const sl_sass_line *line, bool add)
{
    uint32_t at = SL_SASS_NONE;
    sl_index_for(&t->by_pc, line->pc, slot)
    {
        const sl_accelsim_inst *inst = &t->insts.items[sl_index_item(&t->by_pc, slot)];
        if (inst->pc == line->pc && inst->key_bytes == line->key_bytes &&
            !memcmp(inst->key, line->key, line->key_bytes)) {
            at = sl_index_item(&t->by_pc, slot);
            break;
        }
    }
    if (at == SL_SASS_NONE && add)
        at = add_inst(t, line);
    if (at != SL_SASS_NONE && add)
        t->insts.items[at].addressed |= line->addressed;
    return at;
}

static void see(uint32_t *neighbor, uint32_t inst)
{
    *neighbor = *neighbor == SL_SASS_NONE || *neighbor == inst ? inst : SL_SASS_MANY;
}

void sl_sass_table_follow(sl_sass_table *t, uint32_t before, uint32_t inst, bool joined)
{
    see(&t->insts.items[inst].before, joined && before != SL_SASS_NONE ? before : SL_SASS_MANY);
    if (before != SL_SASS_NONE)
        see(&t->insts.items[before].after, joined ? inst : SL_SASS_MANY);
}

void sl_sass_table_last(sl_sass_table *t, uint32_t inst)
{
    t->insts.items[inst].after = SL_SASS_MANY;
}

/* ---- finishing ---- */

static int compare_locations(const void *left, const void *right, void *context)
{
    const sl_accelsim_inst *insts = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (insts[a].pc != insts[b].pc)
        return insts[a].pc < insts[b].pc ? -1 : 1;
    return (a > b) - (a < b);
}

typedef struct string_table {
    sl_bytes bytes;
    bool failed;
} string_table;

/* Opcodes repeat; a linear look through the table is fine for the few hundred different ones that kernels have. */
static uint32_t intern(string_table *strings, const char *text)
{
    size_t length = strlen(text) + 1;
    for (size_t at = 0; at < strings->bytes.count; at += strlen((char *)strings->bytes.data + at) + 1)
        if (!strcmp((char *)strings->bytes.data + at, text))
            return (uint32_t)at;
    size_t at = strings->bytes.count;
    strings->failed |= !sl_bytes_append(&strings->bytes, text, length);
    return strings->failed ? 0 : (uint32_t)at;
}

static void fill_inst(const sl_accelsim_inst *from, string_table *strings, sl_inst *to)
{
    sl_sass_describe(from->opcode, from->addressed, to);
    to->dsts = from->dsts;
    to->srcs = from->srcs;
    memcpy(to->regs, from->regs, sizeof to->regs);
    to->opcode = intern(strings, from->opcode);
    to->pc = from->pc;
    to->source_line = from->source_line;
    to->mem_slot = UINT32_MAX;
}

bool sl_sass_table_finish(sl_sass_table *t, const char *symbol, uint32_t registers, uint32_t shared_bytes)
{
    uint32_t count = (uint32_t)t->insts.count, bbs = 0, slots = 0;
    uint32_t *order = sl_arena_array(&t->arena, uint32_t, count);
    sl_inst *inst = sl_arena_array(&t->arena, sl_inst, count);
    sl_trace_bb *bb = sl_arena_array(&t->arena, sl_trace_bb, count);
    uint32_t *mem_inst = sl_arena_array(&t->arena, uint32_t, count);
    char *name = sl_arena_strdup(&t->arena, symbol);
    if (!order || !inst || !bb || !mem_inst || !name)
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_locations, t->insts.items);
    string_table strings = {0};
    intern(&strings, "");
    for (uint32_t i = 0; i < count; i++) {
        sl_accelsim_inst *from = &t->insts.items[order[i]];
        fill_inst(from, &strings, &inst[i]);
        from->leads = !i || from->before != order[i - 1] || t->insts.items[order[i - 1]].after != order[i];
        if (from->leads)
            bb[bbs++] = (sl_trace_bb){i, 0};
        bb[bbs - 1].count++;
        from->bb = bbs - 1;
        if (from->addressed) {
            from->slot = inst[i].mem_slot = slots;
            mem_inst[slots++] = i;
        }
    }
    char *text = strings.failed ? NULL : sl_arena_strndup(&t->arena, (char *)strings.bytes.data, strings.bytes.count);
    t->kernel = (sl_trace_kernel){.symbol = name,
                                  .name = sl_short_name(&t->arena, name),
                                  .insts = count,
                                  .inst = inst,
                                  .bbs = bbs,
                                  .bb = bb,
                                  .mem_slots = slots,
                                  .mem_inst = mem_inst,
                                  .strings = text,
                                  .strings_bytes = (uint32_t)strings.bytes.count,
                                  .regs_per_thread = registers,
                                  .static_shared_bytes = shared_bytes};
    sl_bytes_free(&strings.bytes);
    return text && t->kernel.name;
}
