/* SPDX-License-Identifier: MIT */
#include "ptx/sass.h"

#include <string.h>

enum { NONE = 0xffff, IMAD_WIDE = 0x025, CALL = 0x144, BRA = 0x147, WORD_TARGETS = 90, ALL_REGISTERS = 1 };

static const struct known {
    uint16_t number;
    const char *name;
    uint8_t op_class, space, access;
} table[] = {
#define X(number, name, class, space, access) {number, name, SL_CLASS_##class, SL_MEM_##space, SL_ACCESS_##access},
#include "ptx/sass.def"
#undef X
};

typedef struct word {
    uint64_t low, high;
} word;

/* Bits [first, first + count), at most 64, which do not cross the middle. */
static uint64_t bits(const word *w, unsigned first, unsigned count)
{
    uint64_t half = first < 64 ? w->low >> first : w->high >> (first - 64);
    return count < 64 ? half & ((UINT64_C(1) << count) - 1) : half;
}

/* Bytes from the next instruction to the target. Since Hopper they are counted in words, with the low eight bits in
 * another place. */
static int64_t distance(uint32_t sm, const word *w)
{
    uint64_t high = bits(w, 64, 18);
    int64_t sign = high >> 17 ? -(INT64_C(1) << 17) * 2 : 0;
    if (sm < WORD_TARGETS)
        return ((int64_t)high + sign) * (INT64_C(1) << 32) + (int64_t)bits(w, 32, 32);
    int64_t words = ((int64_t)high + sign) * (INT64_C(1) << 30) + (int64_t)bits(w, 34, 30);
    return (words * 256 + (int64_t)bits(w, 16, 8)) * 4;
}

static void find_kind(sl_sass_inst *inst, const word *w)
{
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    const struct known *row = table, *end = table + sizeof table / sizeof *table;
    while (row < end && row->number != (inst->opcode & 0x1ff))
        row++;
    inst->name = row < end ? row->name : "?";
    if (row == end)
        return;
    inst->op_class = row->op_class;
    inst->space = row->space;
    inst->access = row->access;
    if (row->access == SL_ACCESS_LOAD || row->access == SL_ACCESS_STORE || row->access == SL_ACCESS_ASYNC_COPY)
        inst->width = widths[bits(w, 73, 3)];
}

static bool is_among(const sl_sass_inst *inst, const char *const *names)
{
    while (*names && !sl_sass_is(inst, *names))
        names++;
    return *names;
}

/* How many registers the result takes. */
static uint8_t results(const sl_sass_inst *inst)
{
    static const char *const elsewhere[] = {"ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "R2P", "VOTEU",
                                            "S2UR",  "R2UR",  "REDUX", "NOP",    "?",     NULL};
    if (is_among(inst, elsewhere) || *inst->name == 'U' || inst->op_class == SL_CLASS_CONTROL ||
        inst->op_class == SL_CLASS_BARRIER || inst->op_class == SL_CLASS_FENCE)
        return 0;
    if (inst->op_class == SL_CLASS_MEMORY)
        return inst->access == SL_ACCESS_LOAD     ? (uint8_t)(inst->width > 4 ? inst->width / 4 : 1)
               : inst->access == SL_ACCESS_ATOMIC ? 1
                                                  : 0;
    return (inst->opcode & 0x1ff) == IMAD_WIDE || inst->op_class == SL_CLASS_F64 || sl_sass_is(inst, "CS2R") ? 2 : 1;
}

static void find_registers(sl_sass_inst *inst, const word *w)
{
    static const char *const one[] = {"MOV", "I2F", "F2I", "F2F", "FRND", "MUFU", "POPC", "FLO", "BREV", "IABS", NULL};
    static const char *const three[] = {"IMAD", "IADD3", "LOP3", "LEA",       "SHF",     "PRMT", "FFMA",
                                        "DFMA", "IDP",   "SGXT", "VIADDMNMX", "VIMNMX3", "SEL",  NULL};
    bool memory = inst->op_class == SL_CLASS_MEMORY, plain = !is_among(inst, one);
    inst->dsts = results(inst);
    if (sl_sass_is(inst, "S2R") || sl_sass_is(inst, "CS2R") || inst->op_class == SL_CLASS_CONTROL)
        return;
    if (plain)
        inst->src[inst->srcs++] = (uint8_t)bits(w, 24, 8);
    if (!memory && inst->opcode >> 9 == ALL_REGISTERS)
        inst->src[inst->srcs++] = (uint8_t)bits(w, 32, 8);
    if (is_among(inst, three))
        inst->src[inst->srcs++] = (uint8_t)bits(w, 64, 8);
}

static sl_status find_target(uint32_t sm, const word *w, size_t at, size_t count, sl_sass_inst *inst, sl_error *error)
{
    uint16_t number = inst->opcode & 0x1ff;
    if (number != BRA && number != CALL)
        return SL_OK;
    int64_t to = ((int64_t)at + 1) * SL_SASS_BYTES + distance(sm, w);
    if (to >= 0 && to % SL_SASS_BYTES == 0 && to / SL_SASS_BYTES < (int64_t)count)
        inst->target = (int32_t)(to / SL_SASS_BYTES);
    else if (number == BRA)
        return sl_fail(error, SL_CORRUPT, "machine code: instruction %zu branches to byte %lld of %zu", at,
                       (long long)to, count * SL_SASS_BYTES);
    return SL_OK; /* calls may go to other functions */
}

sl_status sl_sass_decode(uint32_t sm, const void *code, size_t bytes, sl_sass_inst *insts, sl_error *error)
{
    size_t count = bytes / SL_SASS_BYTES;
    if (sm < SL_SASS_OLDEST || sm > SL_SASS_NEWEST)
        return sl_fail(error, SL_UNSUPPORTED, "machine code of sm_%u is not known", sm);
    if (bytes % SL_SASS_BYTES || count > INT32_MAX)
        return sl_fail(error, SL_CORRUPT, "machine code: %zu bytes are no whole number of instructions", bytes);
    for (size_t i = 0; i < count; i++) {
        word w;
        memcpy(&w, (const uint8_t *)code + i * SL_SASS_BYTES, sizeof w);
        sl_sass_inst *inst = &insts[i];
        *inst = (sl_sass_inst){.opcode = (uint16_t)bits(&w, 0, 12),
                               .guard = (uint8_t)bits(&w, 12, 3),
                               .guard_not = bits(&w, 15, 1),
                               .dst = (uint8_t)bits(&w, 16, 8),
                               .stall = (uint8_t)bits(&w, 105, 4),
                               .yields = !bits(&w, 109, 1),
                               .write_barrier = (uint8_t)bits(&w, 110, 3),
                               .read_barrier = (uint8_t)bits(&w, 113, 3),
                               .waits = (uint8_t)bits(&w, 116, 6),
                               .reuse = (uint8_t)bits(&w, 122, 4),
                               .target = SL_SASS_NOWHERE};
        find_kind(inst, &w);
        find_registers(inst, &w);
        bool branch = (inst->opcode & 0x1ff) == BRA;
        inst->if_diverged = branch && bits(&w, 91, 1);
        inst->conditional =
            inst->guard != SL_SASS_ALWAYS || inst->if_diverged || (branch && bits(&w, 87, 3) != SL_SASS_ALWAYS);
        inst->scope = inst->op_class == SL_CLASS_FENCE ? (uint8_t)bits(&w, 76, 3) : 0;
        sl_status status = find_target(sm, &w, i, count, inst, error);
        if (status)
            return status;
    }
    return SL_OK;
}
