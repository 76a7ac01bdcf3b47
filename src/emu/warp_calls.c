/* SPDX-License-Identifier: MIT */
/* Calls: a frame of registers and of local memory per function, arguments and results copied between local frames, and
 * a reconvergence point where the lanes that called come back. */
#include <stdlib.h>
#include <string.h>

#include "emu/warp.h"

enum {
    MAX_LOCAL_BYTES = 1 << 20, /* per lane */
    MAX_REGISTER_BYTES = 1 << 28,
};

static void copy_locals(sl_warp *warp, uint64_t mask, uint32_t to, uint32_t from, uint32_t bytes)
{
    for (; mask; mask &= mask - 1) {
        uint8_t *lane = warp->local + (size_t)__builtin_ctzll(mask) * warp->local_capacity;
        memmove(lane + to, lane + from, bytes);
    }
}

void sl_warp_return_values(sl_warp *warp, const sl_reconvergence *reconvergence, uint64_t mask)
{
    const sl_code_function *callee = &warp->code->function[reconvergence->callee];
    for (uint32_t i = 0; i < reconvergence->site->rets && i < callee->rets; i++) {
        const sl_call_arg *ret = &reconvergence->site->arg[reconvergence->site->args + i];
        uint32_t bytes = callee->param_bytes[callee->params + i];
        copy_locals(warp, mask, reconvergence->local + ret->caller_offset,
                    reconvergence->callee_local + callee->param_offset[callee->params + i],
                    ret->bytes < bytes ? ret->bytes : bytes);
    }
}

static void reserve_registers(sl_warp *warp, uint64_t bytes, uint32_t inst)
{
    if (bytes <= warp->register_capacity)
        return;
    uint64_t capacity = bytes * 2;
    uint8_t *grown = NULL;
    if (bytes > MAX_REGISTER_BYTES || posix_memalign((void **)&grown, 64, capacity))
        sl_fault_raise(warp, inst, -1, SL_FAULT_STACK, "the call stack is too deep");
    memcpy(grown, warp->registers, warp->register_capacity);
    memset(grown + warp->register_capacity, 0, capacity - warp->register_capacity);
    free(warp->registers);
    warp->registers = grown;
    warp->register_capacity = (uint32_t)capacity;
}

static void reserve_local(sl_warp *warp, uint64_t bytes, uint32_t inst)
{
    if (bytes <= warp->local_capacity)
        return;
    uint64_t capacity = (bytes * 2 + 63) & ~(uint64_t)63;
    uint8_t *grown = bytes > MAX_LOCAL_BYTES ? NULL : calloc(warp->code->lanes, capacity);
    if (!grown)
        sl_fault_raise(warp, inst, -1, SL_FAULT_STACK, "the call stack is too deep");
    for (uint32_t i = 0; i < warp->code->lanes && warp->local_capacity; i++)
        memcpy(grown + i * capacity, warp->local + (size_t)i * warp->local_capacity, warp->local_capacity);
    free(warp->local);
    warp->local = grown;
    warp->local_capacity = (uint32_t)capacity;
}

void sl_warp_zero_registers(sl_warp *warp, const sl_code_function *function)
{
    for (uint32_t i = 0; i < function->zeroed; i++) {
        uint8_t *at = warp->area[SL_AREA_FRAME] + function->zero_ref[i];
        uint32_t lane_bytes = function->zero_size[i] / warp->code->lanes;
        if (warp->full) {
            memset(at, 0, function->zero_size[i]);
            continue;
        }
        for (uint64_t left = warp->mask; left; left &= left - 1)
            memset(at + (size_t)__builtin_ctzll(left) * lane_bytes, 0, lane_bytes);
    }
}

/* The running split enters a function and will return to `next`. */
void sl_warp_call(sl_warp *warp, const sl_code_bb *bb, uint32_t index, int32_t next)
{
    const sl_code_function *callee = &warp->code->function[index], *caller = &warp->code->function[bb->function];
    uint32_t inst = bb->first_inst + bb->insts - 1;
    sl_warp_split *now = &warp->now;
    uint32_t frame = now->frame + ((caller->frame_bytes + 63) & ~63u), local = now->local + caller->local_bytes;
    reserve_registers(warp, (uint64_t)frame + callee->frame_bytes, inst);
    reserve_local(warp, (uint64_t)local + callee->local_bytes, inst);
    int32_t reconvergence_index = sl_warp_new_reconvergence(warp, inst);
    sl_reconvergence *reconvergence = &warp->reconvergence[reconvergence_index];
    reconvergence->bb = next;
    reconvergence->call = true;
    reconvergence->site = bb->call;
    reconvergence->callee = index;
    reconvergence->callee_local = local;
    for (uint32_t i = 0; i < bb->call->args && i < callee->params; i++) {
        uint32_t bytes =
            bb->call->arg[i].bytes < callee->param_bytes[i] ? bb->call->arg[i].bytes : callee->param_bytes[i];
        copy_locals(warp, now->mask, local + callee->param_offset[i], now->local + bb->call->arg[i].caller_offset,
                    bytes);
    }
    now->reconvergence = reconvergence_index;
    now->reconverge = SL_BB_EXIT;
    now->frame = frame;
    now->local = local;
    now->bb = (int32_t)callee->entry_bb;
    sl_warp_enter_frame(warp);
    sl_warp_zero_registers(warp, callee);
}

/* Lanes may call different functions: one group after the other, all meeting again at `next`. */
void sl_warp_call_indirect(sl_warp *warp, const sl_code_bb *bb)
{
    const uint64_t *handle = sl_warp_operand(warp, bb->call->target);
    uint32_t inst = bb->first_inst + bb->insts - 1;
    uint64_t left = warp->mask;
    sl_warp_split base = warp->now;
    bool first = true;
    while (left) {
        int lane = __builtin_ctzll(left);
        uint64_t value = handle[lane], same = 0;
        for (uint64_t m = left; m; m &= m - 1)
            if (handle[__builtin_ctzll(m)] == value)
                same |= m & -m;
        uint64_t number = (value - SL_FUNCTION_HANDLE_BASE) / 16;
        const sl_emu_program *program = warp->worker->run->kernel->program;
        uint32_t index = UINT32_MAX;
        if (value >= SL_FUNCTION_HANDLE_BASE && value % 16 == 0 && number < program->functions)
            index = warp->code->called_by_handle[number];
        if (index == UINT32_MAX)
            sl_fault_raise(warp, inst, lane, SL_FAULT_ILLEGAL_INSTRUCTION, "a call to 0x%llx, which is not a function",
                           (unsigned long long)value);
        if (first && same != warp->mask) {
            sl_warp_part_ways(warp, bb->next);
            base = warp->now;
        }
        if (!first)
            sl_warp_push(warp, warp->now);
        first = false;
        left &= ~same;
        warp->now = base;
        warp->now.mask = same;
        sl_warp_set_mask(warp, same);
        sl_warp_enter_frame(warp);
        sl_warp_call(warp, bb, index, bb->next);
        handle = left ? (const uint64_t *)(warp->registers + base.frame + (bb->call->target & SL_AREA_MASK)) : handle;
    }
}

/* How much a warp may execute. */

/* Where --max-instructions gives no limit for the launch, each warp has one, which is the same for any number of host
 * threads: some ten seconds of a GPU. A tree of calls without a loop, which grows as 2^depth in a few lines of code,
 * has a lower one. */
enum { CALLS_PER_CHECK = 1024, MAX_CALLS = 1 << 24 };
#define MAX_WARP_INSTS ((uint64_t)1 << 32)

void sl_warp_check_limit(sl_warp *warp, uint32_t inst)
{
    const sl_worker *worker = warp->worker;
    const volatile sig_atomic_t *stop = worker->run->emu->config.stop;
    if (stop && *stop)
        sl_fault_raise(warp, inst, -1, SL_FAULT_LIMIT, "interrupted");
    uint64_t limit = worker->run->emu->config.settings.max_instructions,
             before = worker->run->launch->instructions_before;
    if (limit && (before > limit || worker->clock > limit - before))
        sl_fault_raise(warp, inst, -1, SL_FAULT_LIMIT,
                       "more than %llu warp instructions: an endless loop? (see --max-instructions)",
                       (unsigned long long)limit);
    if (!limit && warp->ran + (worker->clock - warp->resumed) > MAX_WARP_INSTS)
        sl_fault_raise(warp, inst, -1, SL_FAULT_LIMIT,
                       "more than %llu instructions of one warp: an endless loop? (--max-instructions N allows N for "
                       "the launch)",
                       (unsigned long long)MAX_WARP_INSTS);
    if (!limit && warp->calls >= MAX_CALLS)
        sl_fault_raise(warp, inst, -1, SL_FAULT_LIMIT,
                       "more than %d calls of one warp without a loop: a tree of calls without an end? "
                       "(--max-instructions N allows N instructions for the launch)",
                       MAX_CALLS);
}

void sl_warp_count_call(sl_warp *warp, const sl_code_bb *bb)
{
    if (++warp->calls % CALLS_PER_CHECK == 0)
        sl_warp_check_limit(warp, bb->first_inst + bb->insts - 1);
}
