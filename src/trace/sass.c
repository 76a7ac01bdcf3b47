/* SPDX-License-Identifier: MIT */
#include "trace/accelsim.h"

#include <stdlib.h>
#include <string.h>

typedef struct sass_opcode {
    const char *name;
    uint8_t op_class, space, access;
} sass_opcode;

static const sass_opcode opcodes[] = {
#define X(number, name, class, space, access) {name, SL_CLASS_##class, SL_MEM_##space, SL_ACCESS_##access},
#include "ptx/sass.def"
#undef X
};

static bool part_is(const char *part, size_t length, const char *name)
{
    return strlen(name) == length && !memcmp(part, name, length);
}

/* Bytes that a part like "64", "U8", "S16" or "F64" stands for; 0: none. */
static unsigned part_bytes(const char *part, size_t length)
{
    if (length && strchr("USF", *part)) {
        part++;
        length--;
    }
    static const struct {
        const char *bits;
        unsigned bytes;
    } widths[] = {{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}, {"128", 16}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (part_is(part, length, widths[i].bits))
            return widths[i].bytes;
    return 0;
}

static void apply_part(const char *part, size_t length, sl_inst *inst)
{
    static const struct {
        const char *name;
        uint8_t cache_op;
    } operators[] = {{"CONSTANT", SL_CACHE_NC},
                     {"EF", SL_CACHE_L1_EVICT_FIRST},
                     {"EL", SL_CACHE_L1_EVICT_LAST},
                     {"EU", SL_CACHE_L1_EVICT_UNCHANGED},
                     {"NA", SL_CACHE_L1_NO_ALLOCATE},
                     {"LU", SL_CACHE_LU},
                     {"CG", SL_CACHE_CG},
                     {"CV", SL_CACHE_CV},
                     {"BYPASS", SL_CACHE_L1_NO_ALLOCATE},
                     {"VOL", SL_CACHE_VOLATILE}};
    unsigned bytes = part_bytes(part, length);
    if (bytes)
        inst->width = (uint16_t)bytes;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (part_is(part, length, operators[i].name))
            inst->cache_op = operators[i].cache_op;
}

static void describe_memory(const char *opcode, sl_inst *inst)
{
    inst->width = 4;
    bool strong = false;
    for (const char *part = strchr(opcode, '.'); part;) {
        const char *end = strchr(++part, '.');
        size_t length = end ? (size_t)(end - part) : strlen(part);
        /* L1 does not serve data that other SMs may write; it serves block scope. */
        if (strong && (part_is(part, length, "GPU") || part_is(part, length, "SYS")))
            inst->cache_op = SL_CACHE_VOLATILE;
        strong = part_is(part, length, "STRONG");
        apply_part(part, length, inst);
        part = end;
    }
}

void sl_sass_describe(const char *opcode, bool addressed, sl_inst *inst)
{
    size_t length = strcspn(opcode, ".");
    inst->op_class = SL_CLASS_OTHER;
    inst->space = SL_MEM_NONE;
    inst->access = SL_ACCESS_NONE;
    inst->cache_op = SL_CACHE_DEFAULT;
    inst->width = 0;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (part_is(opcode, length, opcodes[i].name)) {
            inst->op_class = opcodes[i].op_class;
            inst->space = opcodes[i].space;
            inst->access = opcodes[i].access;
        }
    if (addressed && inst->access == SL_ACCESS_NONE) {
        inst->op_class = SL_CLASS_MEMORY;
        inst->space = SL_MEM_GENERIC;
        inst->access = strncmp(opcode, "ST", 2) == 0 ? SL_ACCESS_STORE : SL_ACCESS_LOAD;
    }
    if (inst->access != SL_ACCESS_NONE)
        describe_memory(opcode, inst);
}
