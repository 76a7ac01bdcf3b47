/* SPDX-License-Identifier: MIT */
/* Runs PTX text on the emulator: for tests of single instructions. Each test runs on every machine in `machines`. */
#ifndef SL_TESTS_RUN_PTX_H
#define SL_TESTS_RUN_PTX_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"
#include "support.h"

typedef struct machine {
    const char *isa;
    uint32_t lanes;
} machine;

static const machine machines[] = {{"v3", 32}, {"v3", 64}, {"v2", 32}, {"v2", 64}, {NULL, 32}, {NULL, 64}};

typedef struct session {
    sl_emu *emu;
    sl_ptx_module *module;
    sl_emu_program *program;
    sl_error error;
} session;

/* False when this CPU has no such instruction set. */
static inline bool session_open_checked(session *s, const machine *m, const char *ptx, const sl_launch_sink *sink,
                                        int check)
{
    memset(s, 0, sizeof *s);
    sl_emu_config config = {
        .settings = {.lanes = m->lanes, .threads = 1, .isa = m->isa, .max_instructions = 100000000, .check = check},
        .host_addresses = true,
        .sink = sink};
    if (sl_emu_create(&config, &s->emu, &s->error) != SL_OK)
        return false;
    const sl_ptx_module *modules[1];
    if (sl_ptx_parse(ptx, strlen(ptx), "test.ptx", &s->module, &s->error) != SL_OK)
        fail_msg("%s", s->error.text);
    modules[0] = s->module;
    if (sl_emu_load(s->emu, modules, 1, &s->program, &s->error) != SL_OK)
        fail_msg("%s", s->error.text);
    return true;
}

static inline bool session_open(session *s, const machine *m, const char *ptx, const sl_launch_sink *sink)
{
    return session_open_checked(s, m, ptx, sink, 0);
}

static inline void session_close(session *s)
{
    sl_emu_unload(s->emu, s->program);
    sl_ptx_free(s->module);
    sl_emu_destroy(s->emu);
}

/* Device memory is host memory. */
static inline void *device_memory(session *s, const void *from, size_t bytes)
{
    uint64_t address;
    if (sl_heap_alloc(sl_emu_heap(s->emu), bytes ? bytes : 1, SL_ALLOC_DEVICE, NULL, &address, &s->error) != SL_OK)
        fail_msg("%s", s->error.text);
    void *memory = (void *)(uintptr_t)address;
    if (from)
        memcpy(memory, from, bytes);
    else
        memset(memory, 0, bytes);
    sl_heap_mark_written(sl_emu_heap(s->emu), address, bytes);
    return memory;
}

/* Up to eight 64-bit parameters. */
static inline sl_status session_try(session *s, const char *kernel, uint32_t grid, uint32_t block, const void *params,
                                    size_t bytes)
{
    sl_emu_kernel *k;
    sl_status status = sl_emu_kernel_get(s->program, kernel, &k, &s->error);
    if (status != SL_OK)
        return status;
    sl_emu_launch launch = {.grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = params, .param_bytes = bytes};
    return sl_emu_run(s->emu, k, &launch, NULL, &s->error);
}

static inline void session_run(session *s, const char *kernel, uint32_t grid, uint32_t block, const void *params,
                               size_t bytes)
{
    if (session_try(s, kernel, grid, block, params, bytes) != SL_OK)
        fail_msg("%s", s->error.text);
}

static inline size_t type_bytes(const char *type)
{
    return (size_t)atoi(type + 1) / 8;
}

/* A kernel that runs `code` once per element: %a, %b and %c are its inputs of the types given ("b16", "f32" …), %d its
 * result; %r0 to %r9, %q0 to %q9 (64 bits), %h0 to %h9 (16 bits) and %p0 to %p9 are free. */
static inline void element_kernel(char *text, size_t size, const char *code, const char *d, const char *a,
                                  const char *b, const char *c)
{
    int used =
        snprintf(text, size,
                 ".version 8.6\n.target sm_100a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 pc)\n{\n"
                 ".reg .%s %%d; .reg .%s %%a; .reg .%s %%b; .reg .%s %%c;\n"
                 ".reg .b16 %%h<10>; .reg .b32 %%r<10>, %%i<5>; .reg .b64 %%q<10>, %%at<10>; .reg .pred %%p<10>;\n"
                 "mov.u32 %%i0, %%tid.x; mov.u32 %%i1, %%ctaid.x; mov.u32 %%i2, %%ntid.x;\n"
                 "mad.lo.u32 %%i0, %%i1, %%i2, %%i0;\n",
                 d, a, b, c);
    const char *names[3] = {"a", "b", "c"}, *types[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        used += snprintf(text + used, size - (size_t)used,
                         "ld.param.u64 %%at%d, [p%s]; mad.wide.u32 %%at%d, %%i0, %zu, %%at%d;"
                         "ld.global.%s %%%s, [%%at%d];\n",
                         i, names[i], i, type_bytes(types[i]), i, types[i], names[i], i);
    used += snprintf(text + used, size - (size_t)used,
                     "%s\nld.param.u64 %%at4, [pd]; mad.wide.u32 %%at4, %%i0, %zu, %%at4;"
                     "st.global.%s [%%at4], %%d;\nret;\n}\n",
                     code, type_bytes(d), d);
    assert_true((size_t)used < size);
}

/* Runs `code` over n elements (padded to whole blocks) on one machine; false: no such machine. */
static inline bool run_elements(const machine *m, const char *code, const char *types[4], size_t n, void *out,
                                const void *const in[3])
{
    enum { BLOCK = 96 };
    char text[4096];
    session s;
    element_kernel(text, sizeof text, code, types[0], types[1], types[2], types[3]);
    if (!session_open(&s, m, text, NULL))
        return false;
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    uint64_t params[4];
    void *result = device_memory(&s, NULL, blocks * BLOCK * type_bytes(types[0]));
    params[0] = (uintptr_t)result;
    for (int i = 0; i < 3; i++) {
        size_t size = type_bytes(types[i + 1]);
        char *memory = device_memory(&s, NULL, blocks * BLOCK * size);
        if (in[i])
            memcpy(memory, in[i], n * size);
        params[i + 1] = (uintptr_t)memory;
    }
    session_run(&s, "k", (uint32_t)blocks, BLOCK, params, sizeof params);
    memcpy(out, result, n * type_bytes(types[0]));
    session_close(&s);
    return true;
}

#endif
