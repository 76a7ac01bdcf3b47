/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

struct rig_part {
    uint64_t block;
    uint32_t part, warp;
    bool last;
    sl_bytes control, memory;
};

static rig *open_rig; /* left behind by a failed test */

/* ---- listening ---- */

static void keep(sl_bytes *bytes, const uint8_t *data, size_t count)
{
    bytes->data = malloc(count + 1);
    assert_non_null(bytes->data);
    memcpy(bytes->data, data, count);
    bytes->count = bytes->capacity = count;
}

static void forget_trace(rig *r)
{
    for (uint32_t i = 0; i < r->parts; i++) {
        free(r->part[i].control.data);
        free(r->part[i].memory.data);
    }
    free(r->part);
    r->part = NULL;
    r->parts = 0;
    for (uint32_t i = 0; i < r->steps; i++)
        free(r->step[i].access);
    free(r->step);
    r->step = NULL;
    r->steps = 0;
}

static sl_status on_begin(void *context, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                          const sl_trace_range *range, size_t ranges, bool *wanted, uint64_t *block_limit,
                          sl_error *error)
{
    (void)kernel, (void)launch, (void)range, (void)ranges, (void)block_limit, (void)error;
    forget_trace(context);
    *wanted = true;
    return SL_OK;
}

static sl_status on_block(void *context, const sl_block_view *view, sl_error *error)
{
    rig *r = context;
    struct rig_part *grown = realloc(r->part, (r->parts + view->warps) * sizeof *grown);
    if (!grown)
        return sl_fail_memory(error);
    r->part = grown;
    for (uint32_t i = 0; i < view->warps; i++) {
        struct rig_part *part = &r->part[r->parts++];
        *part = (struct rig_part){.block = view->block, .part = view->part, .warp = view->warp[i].warp};
        part->last = view->last;
        keep(&part->control, view->warp[i].control, view->warp[i].control_bytes);
        keep(&part->memory, view->warp[i].memory, view->warp[i].memory_bytes);
    }
    return SL_OK;
}

static sl_status on_end(void *context, const sl_launch_stats *stats, const char *failure, sl_error *error)
{
    (void)context, (void)stats, (void)failure, (void)error;
    return SL_OK;
}

static void on_print(void *context, const char *text, size_t length)
{
    sl_bytes *printed = context;
    uint8_t *grown = realloc(printed->data, printed->count + length + 1);
    assert_non_null(grown);
    printed->data = grown;
    memcpy(printed->data + printed->count, text, length);
    printed->count += length;
    printed->data[printed->count] = 0;
}

/* ---- opening and closing ---- */

rig *rig_open(const rig_config *config)
{
    rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->config = *config;
    r->sink = (sl_launch_sink){.context = r, .begin = on_begin, .block = on_block, .end = on_end};
    on_print(&r->printed, "", 0);
    sl_emu_config emu = {
        .settings = {.lanes = config->lanes,
                     .threads = config->threads,
                     .isa = config->isa,
                     .check = config->check_uninit ? SL_CHECK_UNINIT
                              : config->check_race ? SL_CHECK_RACE
                                                   : SL_CHECK_GPU,
                     .fp_contract = config->fp_contract_off ? SL_FP_CONTRACT_OFF : SL_FP_CONTRACT_PTXAS,
                     .max_instructions = config->max_instructions},
        .host_addresses = true,
        .machine = config->machine,
        .progress = config->progress,
        .sink = config->silent ? NULL : &r->sink,
        .print = on_print,
        .print_lost = config->print_lost,
        .print_context = &r->printed};
    if (sl_emu_create(&emu, &r->emu, &r->error) != SL_OK)
        fail_msg("%s", r->error.text);
    open_rig = r;
    return r;
}

static void unload(rig *r)
{
    if (r->program)
        sl_emu_unload(r->emu, r->program);
    for (uint32_t i = 0; i < r->modules; i++)
        sl_ptx_free(r->module[i]);
    r->program = NULL;
    r->modules = 0;
    r->kernel = NULL;
}

void rig_close(rig *r)
{
    forget_trace(r);
    unload(r);
    sl_emu_destroy(r->emu);
    free(r->printed.data);
    free(r);
    open_rig = NULL;
}

int rig_after(void **state)
{
    (void)state;
    if (!open_rig)
        return 0;
    const rig_config *c = &open_rig->config;
    print_message("in this setup: %u lanes, %u threads, %s; last error: %s\n", c->lanes, c->threads,
                  c->isa ? c->isa : "the best instruction set", open_rig->message);
    rig_close(open_rig);
    return 0;
}

void rig_everywhere(void (*body)(rig *r))
{
    static const char *const isas[] = {"v3", "v2", "portable"};
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
            sl_emu_config probe = {.settings = {.lanes = lanes, .threads = 1, .isa = isas[i]}};
            sl_emu *emu;
            if (sl_emu_create(&probe, &emu, NULL) != SL_OK)
                continue;
            sl_emu_destroy(emu);
            rig *r = rig_open(&(rig_config){.lanes = lanes, .threads = i == 0 ? 2 : 1, .isa = isas[i]});
            body(r);
            rig_close(r);
        }
    }
}

/* ---- programs ---- */

void rig_link(rig *r, uint32_t texts, const char *const *ptx)
{
    static const char *const names[] = {"test.ptx", "second.ptx", "third.ptx", "fourth.ptx"};
    unload(r);
    for (uint32_t i = 0; i < texts; i++) {
        if (sl_ptx_parse(ptx[i], strlen(ptx[i]), names[i], &r->module[i], &r->error) != SL_OK)
            fail_msg("%s:%u:%u: %s", r->error.file, r->error.line, r->error.column, r->error.text);
        r->text[i] = ptx[i];
        r->modules++;
    }
    const sl_ptx_module *const *modules = (const sl_ptx_module *const *)r->module;
    if (sl_emu_load(r->emu, modules, texts, &r->program, &r->error) != SL_OK)
        fail_msg("%s", r->error.text);
}

void rig_load(rig *r, const char *ptx)
{
    rig_link(r, 1, &ptx);
}

void *rig_raw(rig *r, size_t bytes)
{
    uint64_t addr;
    if (sl_heap_alloc(sl_emu_heap(r->emu), bytes, SL_ALLOC_DEVICE, NULL, &addr, &r->error) != SL_OK)
        fail_msg("%s", r->error.text);
    return (void *)(uintptr_t)addr;
}

void *rig_buffer(rig *r, size_t bytes)
{
    void *memory = rig_raw(r, bytes);
    sl_heap_mark_written(sl_emu_heap(r->emu), P(memory), bytes);
    return memory;
}

/* ---- launches ---- */

static sl_status launch(rig *r, const char *name, rig_shape shape, size_t args, const uint64_t *arg)
{
    sl_status status = sl_emu_kernel_get(r->program, name, &r->kernel, &r->error);
    if (status != SL_OK)
        return status;
    const sl_ptx_func *func = sl_emu_kernel_func(r->kernel);
    uint8_t *params = calloc(1, func->param_bytes + 8);
    assert_non_null(params);
    assert_int_equal(func->params, args);
    for (uint32_t i = 0; i < func->params; i++) {
        const sl_ptx_var *var = func->param[i];
        const void *from = var->bytes > 8 ? (const void *)(uintptr_t)arg[i] : &arg[i];
        memcpy(params + var->offset, from, var->bytes);
    }
    sl_emu_launch l = {.dynamic_shared_bytes = shape.shared,
                       .params = params,
                       .param_bytes = func->param_bytes,
                       .cooperative = shape.cooperative};
    memcpy(l.grid, shape.grid, sizeof l.grid);
    memcpy(l.block, shape.block, sizeof l.block);
    memcpy(l.cluster, shape.cluster, sizeof l.cluster);
    status = sl_emu_run(r->emu, r->kernel, &l, &r->stats, &r->error);
    r->fault = sl_emu_last_fault(r->emu);
    free(params);
    return status;
}

sl_status rig_try(rig *r, const char *kernel, rig_shape shape, size_t args, const uint64_t *arg)
{
    memset(&r->error, 0, sizeof r->error);
    r->message[0] = 0;
    r->fault = SL_FAULT_NONE;
    r->printed.count = 0;
    r->printed.data[0] = 0;
    sl_status status = launch(r, kernel, shape, args, arg);
    assert_int_equal(status, r->error.status);
    if (status != SL_OK)
        sl_error_format(&r->error, r->message, sizeof r->message);
    return status;
}

void rig_run(rig *r, const char *kernel, rig_shape shape, size_t args, const uint64_t *arg)
{
    if (rig_try(r, kernel, shape, args, arg) != SL_OK)
        fail_msg("%s", r->message);
}

void rig_expect_text(const rig *r, const char *text)
{
    if (!strstr(r->message, text))
        fail_msg("\"%s\" is not in \"%s\"", text, r->message);
}

void rig_expect_fault(const rig *r, sl_fault fault, const char *text)
{
    if (r->fault != fault)
        fail_msg("fault %d, expected %d: %s", (int)r->fault, (int)fault, r->message);
    rig_expect_text(r, text);
}

void rig_expect_u32(const uint32_t *got, const uint32_t *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (got[i] != expected[i])
            fail_msg("word %u is 0x%x, expected 0x%x", i, got[i], expected[i]);
}

/* ---- the trace ---- */

static void add_step(rig *r, sl_warp_cursor *cursor, const sl_trace_kernel *kernel)
{
    r->step = realloc(r->step, (r->steps + 1) * sizeof *r->step);
    assert_non_null(r->step);
    rig_step *step = &r->step[r->steps++];
    const sl_trace_bb *bb = &kernel->bb[cursor->bb];
    *step = (rig_step){.first = bb->first, .insts = bb->count, .mask = cursor->mask};
    sl_error error;
    bool more;
    for (;;) {
        assert_int_equal(sl_warp_cursor_access(cursor, &more, &error), SL_OK);
        if (!more)
            break;
        sl_access_expand(&cursor->access, cursor->lanes);
        step->access = realloc(step->access, (step->accesses + 1) * sizeof *step->access);
        assert_non_null(step->access);
        rig_access *access = &step->access[step->accesses++];
        *access = (rig_access){.inst = cursor->access.inst, .mask = cursor->access.mask};
        access->line = kernel->inst[access->inst].ptx_line;
        for (uint32_t i = 0; i < SL_MAX_LANES; i++)
            access->addr[i] = access->mask >> i & 1 ? cursor->access.addr[i] : 0;
    }
}

const rig_step *rig_steps(rig *r, uint64_t block, uint32_t warp, uint32_t *count)
{
    const sl_trace_kernel *kernel = sl_emu_kernel_static(r->kernel);
    sl_predictor *predictor = calloc(kernel->mem_slots + 1, sizeof *predictor);
    assert_non_null(predictor);
    for (uint32_t i = 0; i < r->steps; i++)
        free(r->step[i].access);
    r->steps = 0;
    for (uint32_t i = 0; i < r->parts; i++) {
        struct rig_part *part = &r->part[i];
        if (part->block != block || part->warp != warp)
            continue;
        sl_warp_view view = {warp, part->control.data, part->memory.data, part->control.count, part->memory.count};
        sl_warp_cursor cursor;
        sl_warp_cursor_init(&cursor, kernel, r->config.lanes, &view, predictor);
        for (;;) {
            bool more;
            sl_error error;
            assert_int_equal(sl_warp_cursor_step(&cursor, &more, &error), SL_OK);
            if (!more)
                break;
            add_step(r, &cursor, kernel);
        }
    }
    free(predictor);
    *count = r->steps;
    return r->step;
}

uint8_t *rig_recorded(const rig *r, size_t *bytes)
{
    size_t total = 0;
    for (uint32_t i = 0; i < r->parts; i++)
        total += 24 + r->part[i].control.count + r->part[i].memory.count;
    uint8_t *all = calloc(1, total + 1), *at = all;
    assert_non_null(all);
    for (uint32_t i = 0; i < r->parts; i++) {
        const struct rig_part *part = &r->part[i];
        uint32_t head[6] = {
            (uint32_t)part->block,       part->part, part->warp, part->last, (uint32_t)part->control.count,
            (uint32_t)part->memory.count};
        memcpy(at, head, sizeof head);
        memcpy(at + 24, part->control.data, part->control.count);
        memcpy(at + 24 + part->control.count, part->memory.data, part->memory.count);
        at += 24 + part->control.count + part->memory.count;
    }
    *bytes = total;
    return all;
}

uint32_t rig_line(const rig *r, const char *mark)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "// @%s\n", mark);
    const char *found = strstr(r->text[0], wanted);
    if (!found)
        fail_msg("no %s in the text", wanted);
    uint32_t line = 1;
    for (const char *at = r->text[0]; at < found; at++)
        line += *at == '\n';
    return line;
}

uint32_t rig_masks(rig *r, const char *mark, uint64_t *mask, uint32_t max)
{
    const sl_trace_kernel *kernel = sl_emu_kernel_static(r->kernel);
    uint32_t line = rig_line(r, mark), count, found = 0;
    const rig_step *step = rig_steps(r, 0, 0, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < step[i].insts && found < max; k++)
            if (kernel->inst[step[i].first + k].ptx_line == line)
                mask[found++] = step[i].mask;
    return found;
}

uint32_t rig_accesses(rig *r, const char *mark, const rig_access **access, uint32_t max)
{
    uint32_t line = rig_line(r, mark), count, found = 0;
    const rig_step *step = rig_steps(r, 0, 0, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < step[i].accesses && found < max; k++)
            if (step[i].access[k].line == line)
                access[found++] = &step[i].access[k];
    return found;
}
