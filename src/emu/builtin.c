/* SPDX-License-Identifier: MIT */
/* Functions that programs do not define: printf, assert, malloc, free, and what sl_emu_config.extern_call provides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/warp.h"

enum { LONGEST_STRING = 1 << 20 };
enum { TEXT_FORMAT, TEXT_ARGUMENT, TEXT_OUT }; /* of sl_worker.text */

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

static void append(sl_text *out, const char *data, size_t count)
{
    if (out->count + count + 1 > out->capacity) {
        size_t capacity = (out->count + count) * 2 + 64;
        char *grown = realloc(out->data, capacity);
        if (!grown)
            return;
        out->data = grown;
        out->capacity = capacity;
    }
    memcpy(out->data + out->count, data, count);
    out->count += count;
    out->data[out->count] = 0;
}

/* Copies a string out of device memory into a text of the worker, which a fault on the way cannot leak. */
static const char *device_string(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, unsigned which)
{
    sl_text *text = &warp->worker->text[which];
    text->count = 0;
    append(text, "", 0);
    for (uint64_t i = 0; i < LONGEST_STRING; i++) {
        const char *c = sl_memory_resolve(warp, op, lane, addr + i, 1, false);
        if (!*c)
            break;
        append(text, c, 1);
    }
    return text->data;
}

static uint64_t next_argument(sl_warp *warp, const sl_op *op, int lane, uint64_t buffer, uint64_t *offset,
                              uint32_t size)
{
    uint64_t value = 0;
    *offset = (*offset + size - 1) / size * size;
    memcpy(&value, sl_memory_resolve(warp, op, lane, buffer + *offset, size, false), size);
    *offset += size;
    return value;
}

/* A width or precision that no program means takes the host's memory: it is cut to this. */
enum { MAX_FIELD = 4096 };

/* One conversion of a format ("%-8.3f"), with its argument taken from the buffer. */
static void convert(sl_warp *warp, const sl_op *op, int lane, const char *spec, size_t length, uint64_t buffer,
                    uint64_t *offset, sl_text *out)
{
    char format[80], piece[MAX_FIELD + 512];
    size_t used = 0;
    char kind = spec[length - 1];
    bool wide = false;
    for (size_t i = 0; i + 1 < length && used < sizeof format - 24; i++) {
        bool number = spec[i] == '*' || (spec[i] >= '1' && spec[i] <= '9');
        if (number) {
            long field = spec[i] == '*' ? (int32_t)next_argument(warp, op, lane, buffer, offset, 4) : 0;
            for (; spec[i] >= '0' && spec[i] <= '9'; i++)
                field = field > MAX_FIELD ? field : 10 * field + (spec[i] - '0');
            i -= spec[i] != '*';
            if (field > MAX_FIELD || field < -MAX_FIELD)
                sl_fault_raise(warp, op->inst, lane, SL_FAULT_ILLEGAL_INSTRUCTION,
                               "printf: a field of more than %d characters", MAX_FIELD);
            used += (size_t)snprintf(format + used, 16, "%ld", field);
        } else if (spec[i] == 'l' || spec[i] == 'j' || spec[i] == 'z' || spec[i] == 't') {
            wide = true;
        } else if (spec[i] != 'h' && spec[i] != 'L') {
            format[used++] = spec[i];
        }
    }
    int made = 0;
    switch (kind) {
    case 'd':
    case 'i': {
        uint64_t value = next_argument(warp, op, lane, buffer, offset, wide ? 8 : 4);
        strcpy(format + used, "lld");
        made = snprintf(piece, sizeof piece, format, wide ? (long long)value : (long long)(int32_t)value);
        break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        uint64_t value = next_argument(warp, op, lane, buffer, offset, wide ? 8 : 4);
        snprintf(format + used, 8, "ll%c", kind);
        made = snprintf(piece, sizeof piece, format, (unsigned long long)value);
        break;
    }
    case 'c':
        strcpy(format + used, "c");
        made = snprintf(piece, sizeof piece, format, (int)next_argument(warp, op, lane, buffer, offset, 4));
        break;
    case 'p':
        strcpy(format + used, "p");
        made =
            snprintf(piece, sizeof piece, format, (void *)(uintptr_t)next_argument(warp, op, lane, buffer, offset, 8));
        break;
    case 's': {
        uint64_t addr = next_argument(warp, op, lane, buffer, offset, 8);
        const char *string = addr ? device_string(warp, op, lane, addr, TEXT_ARGUMENT) : "(null)";
        strcpy(format + used, "s");
        made = snprintf(NULL, 0, format, string ? string : "");
        for (int i = 0; i <= made; i++) /* room for it, and its zero */
            append(out, "", 1);
        out->count -= (size_t)made + 1;
        if (out->count + (size_t)made + 1 <= out->capacity)
            snprintf(out->data + out->count, (size_t)made + 1, format, string ? string : "");
        out->count += (size_t)made;
        return;
    }
    default: { /* e f g a in both cases */
        uint64_t bits = next_argument(warp, op, lane, buffer, offset, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        snprintf(format + used, 4, "%c", kind);
        made = snprintf(piece, sizeof piece, format, value);
        break;
    }
    }
    if (made > 0)
        append(out, piece, (size_t)made < sizeof piece ? (size_t)made : sizeof piece - 1);
}

static void print_lane(sl_warp *warp, const sl_op *op, const sl_call *call, int lane)
{
    uint64_t buffer = argument(warp, call, 1, lane), offset = 0;
    const char *format = device_string(warp, op, lane, argument(warp, call, 0, lane), TEXT_FORMAT);
    sl_text *out = &warp->worker->text[TEXT_OUT];
    out->count = 0;
    int conversions = 0;
    for (const char *at = format; at && *at;) {
        size_t plain = strcspn(at, "%");
        append(out, at, plain);
        at += plain;
        if (!*at)
            break;
        if (at[1] == '%') {
            append(out, "%", 1);
            at += 2;
            continue;
        }
        size_t length = 1 + strspn(at + 1, "-+ #0123456789.*hlLjzt");
        if (!at[length] || !strchr("diuxXocpseEfFgGaA", at[length])) {
            append(out, at, length);
            at += length;
            continue;
        }
        convert(warp, op, lane, at, length + 1, buffer, &offset, out);
        at += length + 1;
        conversions++;
    }
    const sl_emu_config *config = &warp->worker->run->emu->config;
    if (config->print && out->count)
        config->print(config->print_context, out->data, out->count);
    give_back(warp, call, lane, (uint64_t)conversions);
}

static _Noreturn void assert_failed(sl_warp *warp, const sl_op *op, const sl_call *call, int lane)
{
    char message[200], file[200], function[200];
    char *const to[3] = {message, file, function};
    const uint32_t from[3] = {0, 1, 3};
    for (int i = 0; i < 3; i++) {
        const char *text = device_string(warp, op, lane, argument(warp, call, from[i], lane), TEXT_ARGUMENT);
        snprintf(to[i], sizeof message, "%s", text ? text : "?");
    }
    sl_fault_raise(warp, op->inst, lane, SL_FAULT_ASSERT, "%s:%u: %s: assertion `%s` failed", file,
                   (uint32_t)argument(warp, call, 2, lane), function, message);
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
            print_lane(warp, &op, call, lane);
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
