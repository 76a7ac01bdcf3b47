/* SPDX-License-Identifier: MIT */
/* Functions that programs do not define: printf, assert, malloc, free, and what sl_emu_config.extern_call provides. */
#include <string.h>

#include "emu/warp.h"

/* The running function's local frame. */
static uint8_t *local_of(const sl_warp *warp, int lane)
{
    return warp->local + (size_t)lane * warp->local_capacity + warp->now.local;
}

/* Reads the caller's argument `index` of one lane. */
static uint64_t argument(const sl_warp *warp, const sl_call *call, uint32_t index, int lane)
{
    uint64_t value = 0;
    if (index >= call->args)
        return 0;
    const sl_call_arg *arg = &call->arg[index];
    memcpy(&value, local_of(warp, lane) + arg->caller_offset, arg->bytes < 8 ? arg->bytes : 8);
    return value;
}

static void give_back(sl_warp *warp, const sl_call *call, int lane, uint64_t value)
{
    if (!call->rets)
        return;
    const sl_call_arg *ret = &call->arg[call->args];
    memcpy(local_of(warp, lane) + ret->caller_offset, &value, ret->bytes < 8 ? ret->bytes : 8);
}

static _Noreturn void assert_failed(sl_warp *warp, const sl_op *op, const sl_call *call, int lane)
{
    enum { MAX_TEXT = 200 };
    const uint32_t from[3] = {0, 1, 3}; /* message, file, function */
    const char *text[3];
    for (int i = 0; i < 3; i++)
        text[i] =
            sl_device_string(warp, op, lane, argument(warp, call, from[i], lane), MAX_TEXT, &warp->worker->text[i]);
    sl_fault_raise(warp, op->inst, lane, SL_FAULT_ASSERT, "%s:%u: %s: assertion `%s` failed", text[1],
                   (uint32_t)argument(warp, call, 2, lane), text[2], text[0]);
}

/* ---- functions that others provide ---- */

struct sl_emu_call {
    sl_warp *warp;
    const sl_op *op;
    const sl_call *call;
    int lane;
};

void sl_emu_call_argument(const sl_emu_call *c, uint32_t index, void *value, size_t bytes)
{
    memset(value, 0, bytes);
    if (index >= c->call->args)
        return;
    const sl_call_arg *arg = &c->call->arg[index];
    memcpy(value, local_of(c->warp, c->lane) + arg->caller_offset, arg->bytes < bytes ? arg->bytes : bytes);
}

void sl_emu_call_return(const sl_emu_call *c, uint64_t value)
{
    give_back(c->warp, c->call, c->lane, value);
}

void *sl_emu_call_memory(const sl_emu_call *c, uint64_t addr, uint32_t bytes, uint32_t align, bool store)
{
    void *memory = sl_memory_resolve_aligned(c->warp, c->op, c->lane, addr, bytes, align, store);
    if (store)
        sl_memory_mark_written(c->warp, c->op, c->lane, addr, bytes);
    return memory;
}

const sl_emu_program *sl_emu_call_program(const sl_emu_call *c)
{
    return c->warp->worker->run->kernel->program;
}

uint64_t sl_emu_call_thread(const sl_emu_call *c)
{
    const sl_run *run = c->warp->worker->run;
    return c->warp->block->index * run->threads_per_block + c->warp->index * run->lanes + (uint32_t)c->lane;
}

static void free_memory(sl_warp *warp, const sl_op *op, int lane, uint64_t addr)
{
    sl_heap *heap = warp->worker->run->emu->heap;
    const sl_alloc *found = sl_heap_find(heap, addr);
    sl_error error;
    if (!addr)
        return;
    if (found && found->kind != SL_ALLOC_KERNEL)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS, "free: 0x%llx is not memory of kernels",
                       (unsigned long long)addr);
    if (sl_heap_free(heap, addr, &error) != SL_OK)
        sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_ADDRESS, "free: %s", error.text);
    /* What instructions remember of allocations may be gone. Kernels that call functions run on one worker. */
    memset(warp->worker->range, 0, (warp->code->insts + 1) * sizeof *warp->worker->range);
    memset(warp->worker->shapes, 0, warp->code->shapes * SL_SHAPE_BYTES(warp->code->lanes));
}

void sl_emu_call_free(const sl_emu_call *c, uint64_t addr)
{
    free_memory(c->warp, c->op, c->lane, addr);
}

void sl_builtin_call(sl_warp *warp, const sl_code_bb *bb)
{
    const sl_call *call = bb->call;
    sl_heap *heap = warp->worker->run->emu->heap;
    const sl_op op = {.inst = bb->first_inst + bb->insts - 1, .space = SL_SPACE_NONE};
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        switch ((sl_builtin)call->builtin) {
        case SL_BUILTIN_VPRINTF:
            give_back(warp, call, lane,
                      (uint64_t)sl_device_printf(warp, &op, lane, argument(warp, call, 0, lane),
                                                 argument(warp, call, 1, lane)));
            break;
        case SL_BUILTIN_ASSERTFAIL:
            assert_failed(warp, &op, call, lane);
        case SL_BUILTIN_MALLOC: {
            uint64_t addr = 0;
            if (sl_heap_alloc(heap, argument(warp, call, 0, lane), SL_ALLOC_KERNEL, "device malloc", &addr, NULL) !=
                SL_OK)
                addr = 0;
            give_back(warp, call, lane, addr);
            break;
        }
        case SL_BUILTIN_FREE:
            free_memory(warp, &op, lane, argument(warp, call, 0, lane));
            break;
        case SL_BUILTIN_EXTERN: {
            const sl_emu_config *config = &warp->worker->run->emu->config;
            const sl_emu_call one = {warp, &op, call, lane};
            config->extern_call(config->extern_context, call->number, &one);
            break;
        }
        }
    }
}
