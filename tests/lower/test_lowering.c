/* SPDX-License-Identifier: MIT */
/* What ptxas makes of PTX: instruction counts, unrolled loops, hoisted loads. */
#include <stdio.h>
#include <string.h>

#include "lower/program.h"
#include "support.h"

static sl_machine lowering_machine(void)
{
    sl_machine m;
    sl_error error;
    assert_int_equal(sl_machine_load("fermi-gtx480", &m, &error), SL_OK);
    m.core.lowering = 1;
    return m;
}

typedef struct loop {
    sl_inst inst[4];
    uint32_t mem_inst[1];
    sl_trace_bb bb;
    sl_trace_kernel kernel;
    char strings[64];
} loop;

/* r2 = [r1]; r3 = r3 + r2; r1 = r1 + 4; branch on p5 */
static void make_loop(loop *l, uint16_t unrolled)
{
    static const char text[] = "\0ld.global.u32\0add.s32\0bra";
    *l = (loop){.bb = {0, 4}, .mem_inst = {0}};
    memcpy(l->strings, text, sizeof text);
    l->inst[0] = (sl_inst){.op_class = SL_CLASS_MEMORY,
                           .space = SL_MEM_GLOBAL,
                           .access = SL_ACCESS_LOAD,
                           .width = 4,
                           .dsts = 1,
                           .srcs = 1,
                           .regs = {2, 1},
                           .opcode = 1};
    l->inst[1] = (sl_inst){
        .op_class = SL_CLASS_INT, .dsts = 1, .srcs = 2, .regs = {3, 3, 2}, .opcode = 15, .mem_slot = UINT32_MAX};
    l->inst[2] =
        (sl_inst){.op_class = SL_CLASS_INT, .dsts = 1, .srcs = 1, .regs = {1, 1}, .opcode = 15, .mem_slot = UINT32_MAX};
    l->inst[3] = (sl_inst){
        .op_class = SL_CLASS_CONTROL, .srcs = 1, .regs = {5}, .unroll = unrolled, .opcode = 23, .mem_slot = UINT32_MAX};
    l->kernel = (sl_trace_kernel){.symbol = "k",
                                  .name = "k",
                                  .insts = 4,
                                  .inst = l->inst,
                                  .bbs = 1,
                                  .bb = &l->bb,
                                  .mem_slots = 1,
                                  .mem_inst = l->mem_inst,
                                  .strings = l->strings,
                                  .strings_bytes = sizeof l->strings};
}

static void iterations_of_an_unrolled_loop_load_together(void **state)
{
    (void)state;
    sl_machine m = lowering_machine();
    m.core.load_batching = 16;
    loop l;
    sl_program p;
    sl_error error;
    make_loop(&l, 0);
    assert_int_equal(sl_program_init(&p, &m, &l.kernel, &error), SL_OK);
    assert_int_equal(p.blocks, 1);
    sl_program_fini(&p);

    make_loop(&l, 4);
    assert_int_equal(sl_program_init(&p, &m, &l.kernel, &error), SL_OK);
    assert_int_equal(p.blocks, 3);
    assert_int_equal(p.region[0].factor, 4);
    assert_int_equal(p.region[0].accesses, 1);
    const sl_trace_bb *four = &p.block[p.region[0].version[0].block], *two = four + 1;
    /* Four loads and sums; the counter and the branch once. */
    assert_int_equal(four->count, 10);
    assert_int_equal(two->count, 6);
    for (uint32_t i = 0; i < 4; i++) {
        const sl_uop *uop = &p.uop[four->first + i];
        assert_int_equal(uop->kind, SL_UOP_MEMORY);
        assert_int_equal(uop->access, i);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(uop->reg[0], p.uop[four->first + j].reg[0]);
    }
    assert_true(p.read_ahead >= 4);
    sl_program_fini(&p);
}

static void constant_memory_at_an_index_takes_its_time(void **state)
{
    (void)state;
    sl_machine m = lowering_machine();
    loop l;
    sl_program p;
    sl_error error;
    for (uint8_t addresses = 0; addresses < 2; addresses++) {
        make_loop(&l, 0);
        strcpy(l.strings + 40, "ld.const.u32");
        l.inst[0].opcode = 40;
        l.inst[0].space = SL_MEM_CONST;
        l.inst[0].srcs = addresses; /* registers of its address */
        assert_int_equal(sl_program_init(&p, &m, &l.kernel, &error), SL_OK);
        assert_int_equal(p.uop[0].kind, SL_UOP_PLAIN);
        assert_int_equal(p.uop[0].cycles, addresses ? 29 : m.core.alu_cycles);
        assert_int_equal(p.uop[0].extra_address_cycles, addresses ? 11 : 0);
        sl_program_fini(&p);
    }
}

/* Twice: r = [r1]; p = r >= r3; jump over "[r6] = r" on p. */
typedef struct branches {
    sl_inst inst[8];
    uint32_t mem_inst[4];
    sl_trace_bb bb[4];
    sl_trace_kernel kernel;
    char strings[64];
} branches;

static void make_branches(branches *k)
{
    static const char text[] = "\0ld.global.nc.u32\0setp.ge.u32\0bra\0st.global.u32\0ld.global.u32";
    *k = (branches){.bb = {{0, 3}, {3, 1}, {4, 3}, {7, 1}}, .mem_inst = {0, 3, 4, 7}};
    memcpy(k->strings, text, sizeof text);
    for (uint16_t n = 0; n < 2; n++) {
        uint16_t value = (uint16_t)(10 + n), condition = (uint16_t)(20 + n);
        sl_inst *i = &k->inst[4 * n];
        const sl_inst global = {.op_class = SL_CLASS_MEMORY, .space = SL_MEM_GLOBAL, .width = 4};
        i[0] = i[3] = global;
        i[0].access = SL_ACCESS_LOAD, i[0].dsts = 1, i[0].srcs = 1, i[0].opcode = 1, i[0].mem_slot = 2 * n;
        i[0].regs[0] = value, i[0].regs[1] = 1;
        i[1] = (sl_inst){.op_class = SL_CLASS_INT, .dsts = 1, .srcs = 2, .opcode = 18, .mem_slot = UINT32_MAX};
        i[1].regs[0] = condition, i[1].regs[1] = value, i[1].regs[2] = 3;
        i[2] = (sl_inst){.op_class = SL_CLASS_CONTROL, .srcs = 1, .opcode = 30, .mem_slot = UINT32_MAX};
        i[2].regs[0] = condition;
        i[3].access = SL_ACCESS_STORE, i[3].srcs = 2, i[3].opcode = 34, i[3].mem_slot = 2 * n + 1u;
        i[3].regs[0] = 6, i[3].regs[1] = value;
    }
    k->kernel = (sl_trace_kernel){.symbol = "k",
                                  .name = "k",
                                  .insts = 8,
                                  .inst = k->inst,
                                  .bbs = 4,
                                  .bb = k->bb,
                                  .mem_slots = 4,
                                  .mem_inst = k->mem_inst,
                                  .strings = k->strings,
                                  .strings_bytes = sizeof k->strings};
}

static void constant_loads_move_before_branches(void **state)
{
    (void)state;
    sl_machine m = lowering_machine();
    m.core.load_batching = 16;
    branches k;
    sl_program p;
    sl_error error;
    make_branches(&k);
    assert_int_equal(sl_program_init(&p, &m, &k.kernel, &error), SL_OK);
    assert_int_equal(p.chain[0].blocks, 3);
    const sl_trace_bb *block = &p.block[p.chain[0].block + 3];
    assert_int_equal(block[0].count, 5); /* both loads and comparisons, and the branch behind them */
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(p.inst_of[block[0].first + i], 4 * i);
        assert_int_equal(p.uop[block[0].first + i].access, i);
    }
    assert_int_equal(p.inst_of[block[0].first + 4], 2);
    assert_int_equal(block[1].count, 1); /* the store; its access is that behind those of the others */
    assert_int_equal(p.uop[block[1].first].access, 2);
    assert_int_equal(block[2].count, 1); /* the other branch */
    assert_int_equal(p.inst_of[block[2].first], 6);
    sl_program_fini(&p);

    k.inst[4].opcode = 48; /* of data that the store may have changed */
    assert_int_equal(sl_program_init(&p, &m, &k.kernel, &error), SL_OK);
    assert_int_equal(p.chain[0].blocks, 0);
    sl_program_fini(&p);

    make_branches(&k);
    k.inst[3] = k.inst[1]; /* instead of the store, a change of the address */
    k.inst[3].regs[0] = 1;
    assert_int_equal(sl_program_init(&p, &m, &k.kernel, &error), SL_OK);
    assert_int_equal(p.chain[0].blocks, 0);
    sl_program_fini(&p);
}

static void a_long_opcode_issues_several_times_in_its_measured_time(void **state)
{
    (void)state;
    sl_machine m = lowering_machine();
    loop l;
    sl_program p;
    sl_error error;
    make_loop(&l, 0);
    snprintf(l.strings + 15, 32, "div.s32");
    l.inst[3].opcode = 1;
    assert_int_equal(sl_program_init(&p, &m, &l.kernel, &error), SL_OK);
    assert_int_equal(p.uop[1].issues, 24);
    assert_int_equal(p.uop[1].issue_gap * 23 + p.uop[1].cycles, 62);
    sl_program_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_of_an_unrolled_loop_load_together),
        cmocka_unit_test(constant_memory_at_an_index_takes_its_time),
        cmocka_unit_test(constant_loads_move_before_branches),
        cmocka_unit_test(a_long_opcode_issues_several_times_in_its_measured_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
