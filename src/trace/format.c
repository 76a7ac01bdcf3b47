/* SPDX-License-Identifier: MIT */
/* Chunk headers and the static tables, to bytes and back. */
#include "trace/format.h"

/* As in PNG: the bytes show at once when a transfer changed line ends or stripped the eighth bit. */
const uint8_t sl_format_magic[SL_MAGIC_BYTES] = {0x89, 'S', 'L', 'T', '\r', '\n', 0x1a, '\n'};
const uint8_t sl_format_end_magic[SL_MAGIC_BYTES] = {'S', 'L', 'T', '-', 'E', 'N', 'D', '\n'};

enum {
    MAX_INSTS = 1 << 24,
    MAX_BLOCK_THREADS = 1 << 16,
};

/* ---- chunk headers ---- */

void sl_chunk_store(const sl_chunk *c, uint8_t bytes[SL_CHUNK_HEADER_BYTES])
{
    memset(bytes, 0, SL_CHUNK_HEADER_BYTES);
    sl_store32(bytes, SL_CHUNK_MAGIC);
    bytes[4] = c->kind;
    bytes[5] = c->flags;
    sl_store32(bytes + 8, c->number);
    sl_store32(bytes + 12, c->raw_bytes);
    sl_store32(bytes + 16, c->packed_bytes);
    sl_store32(bytes + 20, c->blocks);
    sl_store64(bytes + 24, c->first_block);
    sl_store64(bytes + 32, c->last_block);
    sl_store32(bytes + 44, sl_crc32(bytes, 44));
}

bool sl_chunk_load(const uint8_t bytes[SL_CHUNK_HEADER_BYTES], sl_chunk *c)
{
    if (sl_load32(bytes) != SL_CHUNK_MAGIC || sl_load32(bytes + 44) != sl_crc32(bytes, 44))
        return false;
    *c = (sl_chunk){
        .kind = bytes[4],
        .flags = bytes[5],
        .number = sl_load32(bytes + 8),
        .raw_bytes = sl_load32(bytes + 12),
        .packed_bytes = sl_load32(bytes + 16),
        .blocks = sl_load32(bytes + 20),
        .first_block = sl_load64(bytes + 24),
        .last_block = sl_load64(bytes + 32),
    };
    return c->raw_bytes <= SL_CHUNK_MAX && c->first_block <= c->last_block;
}

/* ---- checks ---- */

static const char *inst_wrong(const sl_trace_kernel *k, const sl_inst *inst)
{
    if (inst->op_class > SL_CLASS_MEMORY || inst->space > SL_MEM_GENERIC || inst->access >= SL_MEM_ACCESSES ||
        inst->cache_op >= SL_CACHE_OPS)
        return "an instruction of an unknown kind";
    if (inst->dsts + inst->srcs > SL_INST_REGS)
        return "an instruction with too many registers";
    if (inst->opcode >= k->strings_bytes || inst->source_file >= k->strings_bytes || inst->array >= k->strings_bytes)
        return "a string outside the string table";
    if (inst->inlined > k->calls)
        return "an inlined call that does not exist";
    return NULL;
}

const char *sl_kernel_wrong(const sl_trace_kernel *k)
{
    if (!k->strings || !k->strings_bytes || k->strings[0] || k->strings[k->strings_bytes - 1])
        return "a string table that does not begin and end with an empty string";
    if (k->insts > MAX_INSTS || k->bbs > MAX_INSTS || k->mem_slots > k->insts)
        return "more instructions than any kernel has";
    for (uint32_t i = 0; i < k->calls; i++)
        if (k->call[i].source_file >= k->strings_bytes || k->call[i].caller > i)
            return "an inlined call without a location";
    uint32_t slots = 0;
    for (uint32_t i = 0; i < k->insts; i++) {
        const char *wrong = inst_wrong(k, &k->inst[i]);
        if (wrong)
            return wrong;
        if (k->inst[i].mem_slot == UINT32_MAX)
            continue;
        if (slots >= k->mem_slots || k->inst[i].mem_slot != slots || k->mem_inst[slots] != i)
            return "memory slots that are not numbered in order";
        slots++;
    }
    if (slots != k->mem_slots)
        return "a memory slot without an instruction";
    for (uint32_t b = 0; b < k->bbs; b++)
        if (k->bb[b].first > k->insts || k->bb[b].count > k->insts - k->bb[b].first)
            return "a basic block beyond the last instruction";
    return NULL;
}

const char *sl_launch_wrong(const sl_trace_launch *l)
{
    if (l->lanes != 32 && l->lanes != 64)
        return "a warp that has neither 32 nor 64 lanes";
    if (l->preferred_shared > 100)
        return "a preferred carve-out of more than 100 percent";
    for (int d = 0; d < 3; d++)
        if (!l->cluster[d] != !l->cluster[0] || (l->cluster[d] && l->grid[d] % l->cluster[d]))
            return "a grid that is no whole number of clusters";
    if (l->has_parent && l->parent >= l->index)
        return "a launch before the one that launched it";
    uint64_t threads = 1;
    unsigned __int128 blocks = 1;
    for (int d = 0; d < 3; d++) {
        if (!l->block[d] || !l->grid[d])
            return "an empty grid or block";
        threads *= l->block[d];
        blocks *= l->grid[d];
        if (threads > MAX_BLOCK_THREADS || blocks > INT64_MAX)
            return "a grid or block that is too large";
    }
    return NULL;
}

/* ---- kernels ---- */

/* In the file, the width and the unroll factor share a number: a branch accesses no memory. */
static bool unrolls(const sl_inst *inst)
{
    return inst->op_class == SL_CLASS_CONTROL && inst->mem_slot == UINT32_MAX;
}

static bool write_inst(sl_bytes *out, const sl_inst *inst, const sl_inst *before)
{
    uint8_t fixed[] = {inst->op_class,
                       inst->space,
                       inst->access,
                       inst->cache_op,
                       inst->dsts,
                       inst->srcs,
                       inst->mem_slot != UINT32_MAX};
    bool good =
        sl_bytes_append(out, fixed, sizeof fixed) && sl_bytes_varint(out, unrolls(inst) ? inst->unroll : inst->width);
    for (unsigned i = 0; i < inst->dsts + inst->srcs + 0u; i++)
        good = good && sl_bytes_varint(out, inst->regs[i]);
    return good && sl_bytes_varint(out, inst->opcode) &&
           sl_bytes_varint(out, sl_zigzag((uint64_t)inst->pc - before->pc)) &&
           sl_bytes_varint(out, sl_zigzag((uint64_t)inst->ptx_line - before->ptx_line)) &&
           sl_bytes_varint(out, inst->source_file) &&
           sl_bytes_varint(out, sl_zigzag((uint64_t)inst->source_line - before->source_line)) &&
           sl_bytes_varint(out, inst->array);
}

/* What version 2.1 added. */
static bool write_machine_code(sl_bytes *out, const sl_trace_kernel *k)
{
    bool good = true;
    for (uint32_t b = 0; good && b < k->bbs; b++)
        good = sl_bytes_varint(out, k->jump ? k->jump[b] : 0);
    return good && sl_bytes_varint(out, k->machine_sm) && sl_bytes_varint(out, k->machine_bytes) &&
           sl_bytes_append(out, k->machine_code, k->machine_bytes);
}

/* What version 3.1 added. */
static bool write_calls(sl_bytes *out, const sl_trace_kernel *k)
{
    bool good = sl_bytes_varint(out, k->calls);
    for (uint32_t i = 0; good && i < k->calls; i++)
        good = sl_bytes_varint(out, k->call[i].source_file) && sl_bytes_varint(out, k->call[i].source_line) &&
               sl_bytes_varint(out, k->call[i].caller);
    for (uint32_t i = 0; good && k->calls && i < k->insts; i++)
        good = sl_bytes_varint(out, k->inst[i].inlined);
    return good;
}

/* What version 3.3 added. */
static bool write_uniform(sl_bytes *out, const sl_trace_kernel *k)
{
    bool good = true;
    for (uint32_t i = 0; good && i < k->insts; i++)
        good = k->inst[i].mem_slot == UINT32_MAX || sl_bytes_varint(out, k->inst[i].uniform);
    return good;
}

bool sl_write_kernel(sl_bytes *out, const sl_trace_kernel *k)
{
    bool good = sl_bytes_string(out, k->symbol) && sl_bytes_string(out, k->name) &&
                sl_bytes_varint(out, k->regs_per_thread) && sl_bytes_varint(out, k->regs_estimated) &&
                sl_bytes_varint(out, k->static_shared_bytes) && sl_bytes_varint(out, k->local_bytes) &&
                sl_bytes_varint(out, k->strings_bytes) && sl_bytes_append(out, k->strings, k->strings_bytes) &&
                sl_bytes_varint(out, k->bbs);
    uint32_t expected = 0;
    for (uint32_t b = 0; good && b < k->bbs; b++) {
        good = sl_bytes_varint(out, sl_zigzag((uint64_t)k->bb[b].first - expected)) &&
               sl_bytes_varint(out, k->bb[b].count);
        expected = k->bb[b].first + k->bb[b].count;
    }
    good = good && sl_bytes_varint(out, k->insts);
    sl_inst before = {0};
    for (uint32_t i = 0; good && i < k->insts; i++) {
        good = write_inst(out, &k->inst[i], &before);
        before = k->inst[i];
    }
    return good && write_machine_code(out, k) && write_calls(out, k) && write_uniform(out, k);
}

char *sl_read_string(sl_reading *r, sl_arena *arena)
{
    size_t length = sl_read_upto(r, sl_reading_left(r));
    const uint8_t *text = sl_read_bytes(r, length);
    char *copy = text ? sl_arena_strndup(arena, (const char *)text, length) : NULL;
    r->bad |= !copy;
    return copy;
}

static uint32_t get_difference(sl_reading *r, uint32_t before)
{
    uint64_t value = before + sl_unzigzag(sl_read_varint(r));
    r->bad |= value > UINT32_MAX;
    return (uint32_t)value;
}

/* Returns whether it is a memory instruction. */
static bool get_inst(sl_reading *r, sl_inst *inst, const sl_inst *before)
{
    const uint8_t *fixed = sl_read_bytes(r, 7);
    if (!fixed)
        return false;
    *inst = (sl_inst){.op_class = fixed[0],
                      .space = fixed[1],
                      .access = fixed[2],
                      .cache_op = fixed[3],
                      .dsts = fixed[4],
                      .srcs = fixed[5],
                      .mem_slot = fixed[6] ? 0 : UINT32_MAX}; /* memory slots are numbered by the caller */
    *(unrolls(inst) ? &inst->unroll : &inst->width) = (uint16_t)sl_read_upto(r, UINT16_MAX);
    unsigned regs = inst->dsts + inst->srcs;
    r->bad |= regs > SL_INST_REGS || fixed[6] > 1;
    for (unsigned i = 0; i < regs && !r->bad; i++)
        inst->regs[i] = (uint16_t)sl_read_upto(r, UINT16_MAX);
    inst->opcode = (uint32_t)sl_read_upto(r, UINT32_MAX);
    inst->pc = get_difference(r, before->pc);
    inst->ptx_line = get_difference(r, before->ptx_line);
    inst->source_file = (uint32_t)sl_read_upto(r, UINT32_MAX);
    inst->source_line = get_difference(r, before->source_line);
    inst->array = (uint32_t)sl_read_upto(r, UINT32_MAX);
    return fixed[6];
}

static void get_blocks(sl_reading *r, sl_arena *arena, sl_trace_kernel *k)
{
    k->bbs = (uint32_t)sl_read_upto(r, sl_reading_left(r) / 2); /* each takes two bytes at least */
    sl_trace_bb *bb = sl_arena_array(arena, sl_trace_bb, k->bbs);
    r->bad |= !bb;
    uint32_t expected = 0;
    for (uint32_t b = 0; b < k->bbs && !r->bad; b++) {
        bb[b].first = get_difference(r, expected);
        bb[b].count = (uint32_t)sl_read_upto(r, MAX_INSTS);
        expected = bb[b].first + bb[b].count;
    }
    k->bb = bb;
}

static sl_inst *get_insts(sl_reading *r, sl_arena *arena, sl_trace_kernel *k)
{
    k->insts = (uint32_t)sl_read_upto(r, sl_reading_left(r) / 13); /* 7 bytes and 6 varints at least */
    sl_inst *inst = sl_arena_array(arena, sl_inst, k->insts);
    uint32_t *mem_inst = sl_arena_array(arena, uint32_t, k->insts);
    r->bad |= !inst || !mem_inst;
    sl_inst before = {0};
    for (uint32_t i = 0; i < k->insts && !r->bad; i++) {
        if (get_inst(r, &inst[i], &before)) {
            inst[i].mem_slot = k->mem_slots;
            mem_inst[k->mem_slots++] = i;
        }
        before = inst[i];
    }
    k->inst = inst;
    k->mem_inst = mem_inst;
    return inst;
}

/* Nothing more to read: there is no machine code, and where branches lead is not known. */
static void get_machine_code(sl_reading *r, sl_arena *arena, sl_trace_kernel *k)
{
    if (r->bad || !sl_reading_left(r))
        return;
    uint32_t *jump = sl_arena_array(arena, uint32_t, k->bbs + 1);
    r->bad |= !jump;
    for (uint32_t b = 0; b < k->bbs && !r->bad; b++)
        jump[b] = (uint32_t)sl_read_upto(r, k->bbs);
    k->jump = jump;
    k->machine_sm = (uint32_t)sl_read_upto(r, UINT16_MAX);
    k->machine_bytes = (uint32_t)sl_read_upto(r, SL_MAX_MACHINE_BYTES);
    const uint8_t *code = sl_read_bytes(r, k->machine_bytes);
    uint8_t *copy = code ? sl_arena_alloc(arena, k->machine_bytes + 1) : NULL;
    r->bad |= !copy;
    if (copy)
        memcpy(copy, code, k->machine_bytes);
    k->machine_code = copy;
}

static void get_calls(sl_reading *r, sl_arena *arena, sl_trace_kernel *k, sl_inst *inst)
{
    if (r->bad || !sl_reading_left(r))
        return;
    k->calls = (uint32_t)sl_read_upto(r, sl_reading_left(r) / 3); /* 3 varints each */
    sl_trace_call *call = sl_arena_array(arena, sl_trace_call, k->calls + 1);
    r->bad |= !call;
    for (uint32_t i = 0; i < k->calls && !r->bad; i++)
        call[i] = (sl_trace_call){.source_file = (uint32_t)sl_read_upto(r, UINT32_MAX),
                                  .source_line = (uint32_t)sl_read_upto(r, UINT32_MAX),
                                  .caller = (uint32_t)sl_read_upto(r, i)};
    k->call = call;
    for (uint32_t i = 0; k->calls && i < k->insts && !r->bad; i++)
        inst[i].inlined = (uint32_t)sl_read_upto(r, k->calls);
}

static void get_uniform(sl_reading *r, const sl_trace_kernel *k, sl_inst *inst)
{
    if (r->bad || !sl_reading_left(r))
        return;
    for (uint32_t i = 0; i < k->insts && !r->bad; i++)
        if (inst[i].mem_slot != UINT32_MAX)
            inst[i].uniform = (uint8_t)sl_read_upto(r, 1);
}

sl_trace_kernel *sl_read_kernel(sl_reading *r, sl_arena *arena)
{
    sl_trace_kernel *k = sl_arena_new(arena, sl_trace_kernel);
    if (!k) {
        r->bad = true;
        return NULL;
    }
    k->symbol = sl_read_string(r, arena);
    k->name = sl_read_string(r, arena);
    k->regs_per_thread = (uint32_t)sl_read_upto(r, UINT32_MAX);
    k->regs_estimated = sl_read_upto(r, 1);
    k->static_shared_bytes = (uint32_t)sl_read_upto(r, UINT32_MAX);
    k->local_bytes = (uint32_t)sl_read_upto(r, UINT32_MAX);
    k->strings_bytes = (uint32_t)sl_read_upto(r, sl_reading_left(r));
    const uint8_t *strings = sl_read_bytes(r, k->strings_bytes);
    k->strings = strings ? sl_arena_strndup(arena, (const char *)strings, k->strings_bytes) : NULL;
    get_blocks(r, arena, k);
    sl_inst *inst = get_insts(r, arena, k);
    get_machine_code(r, arena, k);
    get_calls(r, arena, k, inst);
    get_uniform(r, k, inst);
    r->bad = r->bad || sl_kernel_wrong(k);
    return k;
}

/* ---- launches and allocations ---- */

bool sl_write_launch(sl_bytes *out, const sl_trace_launch *l, uint32_t ranges_plus_one)
{
    const uint64_t fields[] = {l->kernel,       l->grid[0],      l->grid[1],     l->grid[2],
                               l->block[0],     l->block[1],     l->block[2],    l->dynamic_shared_bytes,
                               l->lanes,        l->stream,       l->index,       l->shared_window,
                               l->local_window, l->window_bytes, ranges_plus_one};
    bool good = true;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        good = good && sl_bytes_varint(out, fields[i]);
    return good;
}

void sl_read_launch(sl_reading *r, sl_trace_launch *l, uint32_t *ranges_plus_one)
{
    *l = (sl_trace_launch){.kernel = (uint32_t)sl_read_upto(r, UINT32_MAX)};
    for (int d = 0; d < 3; d++)
        l->grid[d] = (uint32_t)sl_read_upto(r, UINT32_MAX);
    for (int d = 0; d < 3; d++)
        l->block[d] = (uint32_t)sl_read_upto(r, UINT32_MAX);
    l->dynamic_shared_bytes = (uint32_t)sl_read_upto(r, UINT32_MAX);
    l->lanes = (uint32_t)sl_read_upto(r, SL_MAX_LANES);
    l->stream = sl_read_varint(r);
    l->index = sl_read_varint(r);
    l->shared_window = sl_read_varint(r);
    l->local_window = sl_read_varint(r);
    l->window_bytes = sl_read_varint(r);
    *ranges_plus_one = (uint32_t)sl_read_upto(r, UINT32_MAX);
    r->bad = r->bad || sl_launch_wrong(l);
}

bool sl_write_preference(sl_bytes *out, const sl_trace_launch *l)
{
    return sl_bytes_varint(out, l->has_preferred_shared ? 1 + l->preferred_shared : 0);
}

void sl_read_preference(sl_reading *r, sl_trace_launch *l)
{
    uint32_t plus_one = sl_reading_left(r) ? (uint32_t)sl_read_upto(r, 101) : 0;
    l->has_preferred_shared = plus_one;
    l->preferred_shared = plus_one ? plus_one - 1 : 0;
}

bool sl_write_additions(sl_bytes *out, const sl_trace_launch *l)
{
    return sl_bytes_varint(out, l->cluster[0]) && sl_bytes_varint(out, l->cluster[1]) &&
           sl_bytes_varint(out, l->cluster[2]) && sl_bytes_varint(out, l->has_parent ? 1 + l->parent : 0);
}

void sl_read_additions(sl_reading *r, sl_trace_launch *l)
{
    if (!sl_reading_left(r))
        return;
    for (int d = 0; d < 3; d++)
        l->cluster[d] = (uint32_t)sl_read_upto(r, UINT32_MAX);
    uint64_t parent_plus_one = sl_read_varint(r);
    l->has_parent = parent_plus_one;
    l->parent = parent_plus_one ? parent_plus_one - 1 : 0;
    r->bad = r->bad || sl_launch_wrong(l);
}

uint32_t sl_read_original(sl_reading *r, uint32_t number)
{
    return sl_reading_left(r) ? (uint32_t)sl_read_upto(r, number) : 0;
}

bool sl_write_labels(sl_bytes *out, const sl_trace_launch *l)
{
    bool good = true;
    for (int i = 0; i < SL_LABELS; i++)
        good = good && sl_bytes_string(out, l->label[i]);
    return good;
}

void sl_read_labels(sl_reading *r, sl_arena *arena, sl_trace_launch *l)
{
    for (int i = 0; i < SL_LABELS && sl_reading_left(r); i++) {
        const char *text = sl_read_string(r, arena);
        l->label[i] = text && *text ? text : NULL;
    }
}

bool sl_write_ranges(sl_bytes *out, const sl_trace_range *range, size_t count)
{
    bool good = sl_bytes_varint(out, count);
    uint64_t before = 0;
    for (size_t i = 0; good && i < count; i++) {
        good = sl_bytes_varint(out, sl_zigzag(range[i].base - before)) && sl_bytes_varint(out, range[i].bytes) &&
               sl_bytes_string(out, range[i].label);
        before = range[i].base;
    }
    return good;
}

sl_trace_range *sl_read_ranges(sl_reading *r, sl_arena *arena, size_t *count)
{
    *count = sl_read_upto(r, sl_reading_left(r) / 3);
    sl_trace_range *range = sl_arena_array(arena, sl_trace_range, *count);
    r->bad |= !range;
    uint64_t before = 0;
    for (size_t i = 0; i < *count && !r->bad; i++) {
        before = range[i].base = before + sl_unzigzag(sl_read_varint(r));
        range[i].bytes = sl_read_varint(r);
        char *label = sl_read_string(r, arena);
        range[i].label = label && *label ? label : NULL;
    }
    return range;
}
