/* SPDX-License-Identifier: MIT */
/* What the tests of the trace share: a kernel's static table, and warps whose every step and access is remembered. */
#ifndef TESTS_TRACE_MAKER_H
#define TESTS_TRACE_MAKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sluice/trace.h"

/* splitmix64 */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

enum { MAKER_BBS = 5, MAKER_INSTS = 24, MAKER_SLOTS = 9 };

/* Five basic blocks with 3, 0, 1, 4 and 1 memory instructions. */
typedef struct maker_kernel {
    sl_trace_kernel kernel;
    sl_inst inst[MAKER_INSTS];
    sl_trace_bb bb[MAKER_BBS];
    uint32_t mem_inst[MAKER_SLOTS];
} maker_kernel;

static inline void make_kernel(maker_kernel *m)
{
    static const char strings[] = "\0ld.global.f32\0a.cu\0A\0add.f32";
    static const uint8_t is_memory[MAKER_INSTS] = {1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1,
                                                   1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1};
    static const uint32_t lengths[MAKER_BBS] = {5, 3, 2, 8, 6};
    memset(m, 0, sizeof *m);
    uint32_t slots = 0, first = 0;
    for (uint32_t i = 0; i < MAKER_INSTS; i++) {
        m->inst[i] = (sl_inst){.op_class = SL_CLASS_F32,
                               .opcode = 22,
                               .pc = i,
                               .ptx_line = 10 + i,
                               .dsts = 1,
                               .srcs = 2,
                               .regs = {(uint16_t)i, 1, 2},
                               .mem_slot = UINT32_MAX};
        if (is_memory[i]) {
            m->inst[i] = (sl_inst){.op_class = SL_CLASS_MEMORY,
                                   .space = SL_MEM_GLOBAL,
                                   .access = SL_ACCESS_LOAD,
                                   .width = 4,
                                   .opcode = 1,
                                   .pc = i,
                                   .ptx_line = 10 + i,
                                   .source_file = 15,
                                   .source_line = 7,
                                   .array = 20,
                                   .dsts = 1,
                                   .srcs = 1,
                                   .regs = {(uint16_t)i, 1},
                                   .mem_slot = slots};
            m->mem_inst[slots++] = i;
        }
    }
    for (uint32_t b = 0; b < MAKER_BBS; b++) {
        m->bb[b] = (sl_trace_bb){first, lengths[b]};
        first += lengths[b];
    }
    m->kernel = (sl_trace_kernel){.symbol = "_Z1kPf",
                                  .name = "k",
                                  .insts = MAKER_INSTS,
                                  .inst = m->inst,
                                  .bbs = MAKER_BBS,
                                  .bb = m->bb,
                                  .mem_slots = slots,
                                  .mem_inst = m->mem_inst,
                                  .strings = strings,
                                  .strings_bytes = sizeof strings,
                                  .regs_per_thread = 24,
                                  .static_shared_bytes = 1024};
}

#endif
