/* SPDX-License-Identifier: MIT */
/* A bench for kernels: PTX text in, memory, errors, printed text and the decoded trace out.
 *
 * Tests are written with BEHAVIOUR: the body runs once per setup (warps of 32 and of 64 lanes, every instruction set
 * this CPU has, one and several host threads) and must hold in all of them. Buffers are device memory, which is host
 * memory too: tests fill and read them through plain pointers. */
#ifndef SL_TESTS_EMU_HARNESS_H
#define SL_TESTS_EMU_HARNESS_H

#include <stdbool.h>
#include <string.h>

#include "emu/emu.h"
#include "support.h"
#include "trace/codec.h"

typedef struct rig_config {
    uint32_t lanes, threads;
    const char *isa;
    bool fp_contract_off, check_race;
    bool check_uninit, silent /* nothing is recorded */;
    uint64_t max_instructions;
    const sl_machine *machine;
    const sl_progress *progress;
    void (*print_lost)(void *context, uint64_t calls);
} rig_config;

typedef struct rig_access {
    uint32_t inst; /* kernel-wide */
    uint32_t line; /* of the PTX text */
    uint64_t mask;
    uint64_t addr[SL_MAX_LANES];
} rig_access;

typedef struct rig_step {
    uint32_t first, insts; /* instructions of its basic block */
    uint64_t mask;
    uint32_t accesses;
    rig_access *access;
} rig_step;

typedef struct rig {
    rig_config config;
    sl_emu *emu;
    sl_emu_program *program;
    sl_emu_kernel *kernel; /* of the last launch */
    sl_ptx_module *module[4];
    const char *text[4];
    uint32_t modules;
    sl_error error; /* of the last call that failed */
    sl_fault fault;
    char message[1600]; /* the error with its place, as a person would see it */
    sl_launch_stats stats;
    sl_bytes printed; /* NUL-terminated */
    sl_launch_sink sink;
    struct rig_part *part; /* what was recorded */
    uint32_t parts;
    rig_step *step; /* of the last rig_steps */
    uint32_t steps;
} rig;

rig *rig_open(const rig_config *config);
void rig_close(rig *r);
/* Runs `body` once per setup. */
void rig_everywhere(void (*body)(rig *r));
/* Teardown of every test: closes what a failed test left open and says in which setup it failed. */
int rig_after(void **state);

/* A program from one or several texts, in place of the one before. */
void rig_load(rig *r, const char *ptx);
void rig_link(rig *r, uint32_t texts, const char *const *ptx);
/* Device memory: zeroed and counted as written; or as it comes, never written. */
void *rig_buffer(rig *r, size_t bytes);
void *rig_raw(rig *r, size_t bytes);

typedef struct rig_shape {
    uint32_t grid[3], block[3], shared;
    bool cooperative;
    uint32_t cluster[3];
} rig_shape;

/* Arguments are given as bits; one that is larger than 8 bytes as the address of its bytes. */
sl_status rig_try(rig *r, const char *kernel, rig_shape shape, size_t args, const uint64_t *arg);
/* …and it must succeed. */
void rig_run(rig *r, const char *kernel, rig_shape shape, size_t args, const uint64_t *arg);

#define P(pointer) ((uint64_t)(uintptr_t)(pointer))
#define RIG_ARGS(...)                                                                                                  \
    sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (const uint64_t[])                                           \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define LINE(blocks, threads)                                                                                          \
    (rig_shape)                                                                                                        \
    {                                                                                                                  \
        .grid = {blocks, 1, 1}, .block = { threads, 1, 1 }                                                             \
    }
#define RUN(r, blocks, threads, ...) rig_run(r, "k", LINE(blocks, threads), RIG_ARGS(__VA_ARGS__))
#define TRY(r, blocks, threads, ...) rig_try(r, "k", LINE(blocks, threads), RIG_ARGS(__VA_ARGS__))

/* The last launch failed in this way, and what a person sees has this text in it. */
void rig_expect_fault(const rig *r, sl_fault fault, const char *text);
void rig_expect_text(const rig *r, const char *text);
void rig_expect_u32(const uint32_t *got, const uint32_t *expected, uint32_t count);

/* The recorded steps of one warp of one block, in order. */
const rig_step *rig_steps(rig *r, uint64_t block, uint32_t warp, uint32_t *count);
/* All that was recorded, as bytes. The caller frees it. */
uint8_t *rig_recorded(const rig *r, size_t *bytes);
/* Line of the text that carries the comment "// @mark". */
uint32_t rig_line(const rig *r, const char *mark);
/* The active masks with which the instruction at "// @mark" ran in warp 0 of block 0. */
uint32_t rig_masks(rig *r, const char *mark, uint64_t *mask, uint32_t max);
/* The accesses of the memory instruction at "// @mark", in order. */
uint32_t rig_accesses(rig *r, const char *mark, const rig_access **access, uint32_t max);

#define BEHAVIOUR(name)                                                                                                \
    static void name##_body(rig *r);                                                                                   \
    static void name(void **state)                                                                                     \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        rig_everywhere(name##_body);                                                                                   \
    }                                                                                                                  \
    static void name##_body(rig *r)
#define IT(name) cmocka_unit_test_teardown(name, rig_after)

/* ---- pieces of PTX ---- */

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define PTX_REGS                                                                                                       \
    ".reg .pred %p<24>;\n.reg .b16 %h<24>;\n.reg .b32 %r<64>;\n.reg .b64 %d<64>;\n.reg .f32 %f<24>;\n"                 \
    ".reg .f64 %g<24>;\n"
/* %r0 thread, %r1 thread of the grid, %r2 n, %r3 lane, %d0 out, %d1 in, %d2 the thread's word of out. */
#define PTX_START                                                                                                      \
    "mov.u32 %r0, %tid.x;\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.s32 %r1, %r4, %r5, %r0;\n"            \
    "ld.param.u32 %r2, [n];\nmov.u32 %r3, %laneid;\nld.param.u64 %d0, [out];\nld.param.u64 %d1, [in];\n"               \
    "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d2, %d0, %d2;\n"
#define KERNEL(body)                                                                                                   \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n" PTX_REGS PTX_START body "\n}\n"
/* The usual kernel: k(out, in, n). */
#define PTX(body) PTX_HEAD KERNEL(body)

#endif
