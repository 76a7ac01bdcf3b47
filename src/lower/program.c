/* SPDX-License-Identifier: MIT */
#include "lower/program.h"

#include <stdlib.h>
#include <string.h>

#include "lower/passes.h"
#include "trace/loaded.h"

static sl_unit unit_of(const sl_inst *inst)
{
    switch ((sl_op_class)inst->op_class) {
    case SL_CLASS_F64:
        return SL_UNIT_F64;
    case SL_CLASS_SFU:
    case SL_CLASS_INT_DIV:
        return SL_UNIT_SFU;
    case SL_CLASS_TENSOR:
        return SL_UNIT_TENSOR;
    default:
        return SL_UNIT_ALU;
    }
}

static sl_uop_kind kind_of(const sl_trace_kernel *kernel, const sl_inst *inst)
{
    const char *opcode = kernel->strings + inst->opcode;
    if (inst->mem_slot != UINT32_MAX && inst->space != SL_MEM_CONST)
        return inst->space == SL_MEM_SHARED ? SL_UOP_SHARED : SL_UOP_MEMORY;
    if (sl_inst_is_block_barrier(kernel, inst))
        return SL_UOP_BARRIER;
    if (strstr(opcode, "cp.async.wait") || !strncmp(opcode, "LDGDEPBAR", 9) || !strncmp(opcode, "DEPBAR", 6))
        return SL_UOP_WAIT_ASYNC;
    if (inst->op_class == SL_CLASS_FENCE && !strstr(opcode, ".cta") && !strstr(opcode, ".CTA") &&
        strncmp(opcode, "cp.async", 8))
        return SL_UOP_FENCE;
    return SL_UOP_PLAIN;
}

static uint8_t tensor_of(const char *opcode)
{
    return !strncmp(opcode, "tcgen05.mma", 11)      ? SL_TENSOR_PRODUCT
           : !strncmp(opcode, "tcgen05.commit", 14) ? SL_TENSOR_ALL_DONE
                                                    : SL_TENSOR_NOTHING;
}

/* Accesses of a basic block are in the order of its memory instructions. */
static void number_accesses(sl_program *p)
{
    for (uint32_t b = 0; b < p->kernel->bbs; b++) {
        const sl_trace_bb *bb = &p->kernel->bb[b];
        uint32_t accesses = 0;
        for (uint32_t i = bb->first; i < bb->first + bb->count; i++)
            if (p->kernel->inst[i].mem_slot != UINT32_MAX)
                p->uop[i].access = accesses++;
        p->region[b].accesses = accesses;
    }
}

sl_status sl_program_reserve(sl_program *p, uint32_t uops, uint32_t blocks, sl_error *error)
{
    sl_uop *uop = realloc(p->uop, ((size_t)p->uops + uops + 1) * sizeof *uop);
    p->uop = uop ? uop : p->uop;
    uint32_t *inst_of = realloc(p->inst_of, ((size_t)p->uops + uops + 1) * sizeof *inst_of);
    p->inst_of = inst_of ? inst_of : p->inst_of;
    sl_trace_bb *block = realloc(p->block, ((size_t)p->blocks + blocks + 1) * sizeof *block);
    p->block = block ? block : p->block;
    return uop && inst_of && block ? SL_OK : sl_fail_memory(error);
}

bool sl_program_is_constant_load(const sl_program *program, uint32_t uop)
{
    const sl_inst *inst = sl_program_inst(program, uop);
    return inst->access == SL_ACCESS_LOAD &&
           (inst->space == SL_MEM_CONST ||
            (inst->space == SL_MEM_GLOBAL && strstr(program->kernel->strings + inst->opcode, ".nc")));
}

/* A uop for each instruction. */
static sl_status init_uops(sl_program *p, const sl_core_limits *core, const sl_trace_kernel *kernel, sl_error *error)
{
    const uint32_t cycles[SL_UNITS] = {core->alu_cycles, core->f64_cycles, core->sfu_cycles, core->tensor_cycles};
    const uint32_t interval[SL_UNITS] = {core->alu_interval, core->f64_interval, core->sfu_interval,
                                         core->tensor_interval};
    *p = (sl_program){.kernel = kernel, .registers = 1, .no_inst = {.mem_slot = UINT32_MAX}};
    memcpy(p->interval, interval, sizeof interval);
    p->uops = kernel->insts;
    p->blocks = kernel->bbs;
    p->uop = calloc(kernel->insts + 1u, sizeof *p->uop);
    p->inst_of = calloc(kernel->insts + 1u, sizeof *p->inst_of);
    p->block = calloc(kernel->bbs + 1u, sizeof *p->block);
    p->region = calloc(kernel->bbs + 1u, sizeof *p->region);
    if (!p->uop || !p->inst_of || !p->block || !p->region)
        return sl_fail_memory(error);
    if (kernel->bbs)
        memcpy(p->block, kernel->bb, kernel->bbs * sizeof *p->block);
    for (uint32_t i = 0; i < kernel->insts; i++) {
        const sl_inst *inst = &kernel->inst[i];
        sl_uop *s = &p->uop[i];
        p->inst_of[i] = i;
        uint32_t regs = (uint32_t)inst->dsts + inst->srcs;
        s->kind = (uint8_t)kind_of(kernel, inst);
        s->queued = s->kind == SL_UOP_MEMORY || (s->kind == SL_UOP_SHARED && core->one_pipeline);
        s->unit = (uint8_t)unit_of(inst);
        s->index = sl_class_is_index(inst->op_class);
        s->tensor = tensor_of(kernel->strings + inst->opcode);
        s->issues = s->atomic_wavefronts = 1;
        s->issue_gap = (uint8_t)(core->alu_cycles < UINT8_MAX ? core->alu_cycles : UINT8_MAX);
        s->cycles = s->kind == SL_UOP_SHARED ? core->shared_cycles : cycles[s->unit];
        s->regs = (uint8_t)(regs < SL_INST_REGS ? regs : SL_INST_REGS);
        s->dsts = inst->dsts < s->regs ? inst->dsts : s->regs;
        memcpy(s->reg, inst->regs, sizeof s->reg);
        for (uint32_t r = 0; r < s->regs; r++)
            p->registers = s->reg[r] >= p->registers ? s->reg[r] + 1u : p->registers;
    }
    number_accesses(p);
    return core->lowering ? sl_pass_count_instructions(p, error) : SL_OK;
}

sl_status sl_program_init(sl_program *p, const sl_machine *machine, const sl_trace_kernel *kernel, sl_error *error)
{
    const sl_core_limits *core = &machine->core;
    sl_status status = init_uops(p, core, kernel, error);
    if (!status && core->machine_code && core->machine_code == kernel->machine_sm)
        status = sl_pass_use_sass(p, core, error);
    if (!status && core->lowering)
        status = sl_pass_unroll(p, error);
    if (!status && core->lowering)
        status = sl_pass_hoist(p, error);
    if (status)
        return status;
    return core->load_batching ? sl_pass_batch_loads(p, core->load_batching, error) : SL_OK;
}

sl_status sl_program_order(const sl_machine *machine, const sl_trace_kernel *kernel, uint32_t **order, sl_error *error)
{
    sl_program p;
    *order = NULL;
    if (!machine->core.load_batching)
        return SL_OK;
    sl_status status = init_uops(&p, &machine->core, kernel, error);
    if (!status)
        status = sl_pass_batch_loads(&p, machine->core.load_batching, error);
    if (!status) {
        *order = p.inst_of;
        p.inst_of = NULL;
    }
    sl_program_fini(&p);
    return status;
}

void sl_program_fini(sl_program *p)
{
    free(p->uop);
    free(p->inst_of);
    free(p->block);
    free(p->region);
    free(p->chain);
    *p = (sl_program){0};
}
