/* SPDX-License-Identifier: MIT */
#include "trace/joined_atomics.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a register: how often it is written and read, and whether lanes may have different values. */
typedef struct reg_facts {
    uint8_t writes;
    bool read, varies;
} reg_facts;

static bool begins(const char *opcode, const char *with)
{
    return !strncmp(opcode, with, strlen(with));
}

static const char *opcode_of(const sl_trace_kernel *kernel, const sl_inst *inst)
{
    return kernel->strings + inst->opcode;
}

static uint32_t registers_of(const sl_inst *inst, uint32_t *dsts)
{
    uint32_t all = (uint32_t)inst->dsts + inst->srcs;
    all = all < SL_INST_REGS ? all : SL_INST_REGS;
    *dsts = inst->dsts < all ? inst->dsts : all;
    return all;
}

static size_t register_count(const sl_trace_kernel *kernel)
{
    size_t count = 0;
    for (uint32_t i = 0; i < kernel->insts; i++) {
        uint32_t dsts, all = registers_of(&kernel->inst[i], &dsts);
        for (uint32_t r = 0; r < all; r++)
            count = kernel->inst[i].regs[r] >= count ? kernel->inst[i].regs[r] + 1u : count;
    }
    return count;
}

static bool is_atomic(const sl_inst *inst)
{
    return inst->access == SL_ACCESS_ATOMIC || inst->access == SL_ACCESS_REDUCTION;
}

/* Whether an instruction gives lanes different values whatever it reads. Special registers are moved without a source,
 * as constants are; of 64 bits there are only clocks. */
static bool makes_differences(const sl_trace_kernel *kernel, const sl_inst *inst)
{
    const char *opcode = opcode_of(kernel, inst);
    if (is_atomic(inst) || inst->op_class == SL_CLASS_WARP || inst->space == SL_MEM_LOCAL)
        return true;
    return !inst->srcs && !begins(opcode, "ld.param") && !begins(opcode, "ld.const") && !begins(opcode, "mov.u64") &&
           !begins(opcode, "mov.b64");
}

/* A register that is written twice may hold either value, by lane. */
static void find_differences(const sl_trace_kernel *kernel, reg_facts *reg)
{
    for (uint32_t i = 0; i < kernel->insts; i++) {
        const sl_inst *inst = &kernel->inst[i];
        uint32_t dsts, all = registers_of(inst, &dsts);
        bool varies = makes_differences(kernel, inst);
        for (uint32_t r = 0; r < all; r++) {
            reg_facts *f = &reg[inst->regs[r]];
            f->read |= r >= dsts;
            f->writes += r < dsts && f->writes < 2;
            f->varies |= r < dsts && (varies || f->writes > 1);
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < kernel->insts; i++) {
            const sl_inst *inst = &kernel->inst[i];
            uint32_t dsts, all = registers_of(inst, &dsts);
            bool varies = false;
            for (uint32_t r = dsts; r < all; r++)
                varies |= reg[inst->regs[r]].varies;
            for (uint32_t r = 0; r < dsts && varies; r++) {
                more |= !reg[inst->regs[r]].varies;
                reg[inst->regs[r]].varies = true;
            }
        }
    }
}

/* Sources are the address, the value and the guard, each where it is in a register. */
static bool is_joined(const sl_trace_kernel *kernel, const sl_inst *inst, const reg_facts *reg)
{
    const char *opcode = opcode_of(kernel, inst);
    uint32_t dsts, all = registers_of(inst, &dsts);
    bool used = false, same = true;
    for (uint32_t r = 0; r < dsts; r++)
        used |= reg[inst->regs[r]].read;
    for (uint32_t r = dsts; r < all; r++)
        same &= !reg[inst->regs[r]].varies;
    if (!is_atomic(inst) || (!begins(opcode, "atom.") && !begins(opcode, "red.")) ||
        (all > dsts && reg[inst->regs[dsts]].varies))
        return false;
    bool integers = strstr(opcode, ".u32") || strstr(opcode, ".s32") || strstr(opcode, ".b32");
    bool others = strstr(opcode, ".min.") || strstr(opcode, ".max.") || strstr(opcode, ".and.") ||
                  strstr(opcode, ".or.") || strstr(opcode, ".xor.");
    if (strstr(opcode, ".add."))
        return integers || (same && strstr(opcode, ".u64"));
    return integers && others && !used;
}

sl_status sl_joined_atomics(const sl_trace_kernel *kernel, uint8_t **joined, sl_error *error)
{
    bool any = false;
    *joined = NULL;
    for (uint32_t s = 0; s < kernel->mem_slots; s++)
        any |= is_atomic(&kernel->inst[kernel->mem_inst[s]]);
    if (!any)
        return SL_OK;
    uint8_t *found = calloc(kernel->mem_slots, sizeof *found);
    reg_facts *reg = calloc(register_count(kernel) + 1, sizeof *reg);
    if (!found || !reg) {
        free(found);
        free(reg);
        return sl_fail_memory(error);
    }
    find_differences(kernel, reg);
    any = false;
    for (uint32_t s = 0; s < kernel->mem_slots; s++)
        any |= found[s] = is_joined(kernel, &kernel->inst[kernel->mem_inst[s]], reg);
    free(reg);
    if (any)
        *joined = found;
    else
        free(found);
    return SL_OK;
}
