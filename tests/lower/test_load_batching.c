/* SPDX-License-Identifier: MIT */
/* The order in which a compiler puts the instructions of a basic block. */
#include <string.h>

#include "lower/program.h"
#include "support.h"

enum { MOST = 64 };

/* Opcodes, by their place in the strings of a kernel. */
static const char strings[] = "\0op\0ld.global.nc.u32\0div.rn.f32\0div.full.f32";
enum { CONSTANT = 4, DIVISION = 21, FAST_DIVISION = 32 };

typedef struct code {
    sl_inst inst[MOST];
    uint32_t mem_inst[MOST];
    sl_trace_bb bb[4];
    sl_trace_kernel kernel;
} code;

static sl_inst *add(code *c, sl_op_class op_class)
{
    sl_inst *inst = &c->inst[c->kernel.insts++];
    *inst = (sl_inst){.op_class = (uint8_t)op_class, .mem_slot = UINT32_MAX, .opcode = 1};
    return inst;
}

static void add_memory(code *c, sl_mem_space space, sl_mem_access access, uint16_t written, uint16_t read)
{
    sl_inst *inst = add(c, SL_CLASS_MEMORY);
    inst->space = (uint8_t)space;
    inst->access = (uint8_t)access;
    inst->width = 4;
    inst->mem_slot = c->kernel.mem_slots++;
    inst->dsts = written != 0;
    inst->srcs = read != 0;
    inst->regs[0] = written ? written : read;
    inst->regs[1] = read;
}

static void load(code *c, uint16_t to, uint16_t address)
{
    add_memory(c, SL_MEM_GLOBAL, SL_ACCESS_LOAD, to, address);
}

/* to = a op b */
static void compute(code *c, uint16_t to, uint16_t a, uint16_t b)
{
    sl_inst *inst = add(c, SL_CLASS_F32);
    inst->dsts = 1;
    inst->srcs = 2;
    inst->regs[0] = to;
    inst->regs[1] = a;
    inst->regs[2] = b;
}

/* Compares the order with letters: 'a' is the first instruction. */
static void expect(code *c, uint32_t prefetch, bool lowering, const char *order)
{
    sl_machine machine;
    sl_program program;
    sl_error error;
    assert_int_equal(sl_machine_load("fermi-gtx480", &machine, &error), SL_OK);
    machine.core.load_batching = prefetch;
    machine.core.lowering = lowering;
    c->bb[0] = (sl_trace_bb){0, c->kernel.insts};
    c->kernel.bbs = 1;
    c->kernel.bb = c->bb;
    c->kernel.inst = c->inst;
    c->kernel.mem_inst = c->mem_inst;
    c->kernel.strings = strings;
    c->kernel.strings_bytes = sizeof strings;
    assert_int_equal(sl_program_init(&program, &machine, &c->kernel, &error), SL_OK);
    char text[MOST + 1] = {0};
    for (uint32_t i = 0; i < c->kernel.insts; i++)
        text[i] = (char)('a' + program.inst_of[i]);
    assert_string_equal(text, order);
    sl_program_fini(&program);
}

static void expect_order(code *c, uint32_t prefetch, const char *order)
{
    expect(c, prefetch, false, order);
}

static void expect_lowered(code *c, const char *order)
{
    expect(c, 16, true, order);
}

/* a: r2 = [r1]  b: r3 = r2+r3  c: r4 = r1+1  d: r5 = [r4]  e: r3 = r5+r3 */
static void two_loads(code *c)
{
    memset(c, 0, sizeof *c);
    load(c, 2, 1);
    compute(c, 3, 2, 3);
    compute(c, 4, 1, 1);
    load(c, 5, 4);
    compute(c, 3, 5, 3);
}

static void loads_go_with_their_addresses_before_what_waits(void **state)
{
    (void)state;
    code c;
    two_loads(&c);
    expect_order(&c, 16, "acdbe");
}

static void without_a_compiler_all_stays_as_it_is(void **state)
{
    (void)state;
    code c;
    two_loads(&c);
    expect_order(&c, 0, "abcde");
}

static void as_many_loads_come_together_as_the_machine_says(void **state)
{
    (void)state;
    code c = {0};
    for (uint16_t i = 0; i < 4; i++) { /* ab cd ef gh */
        load(&c, (uint16_t)(10 + i), 1);
        compute(&c, 2, 2, (uint16_t)(10 + i));
    }
    expect_order(&c, 2, "acbegdfh");
}

static void a_register_is_read_before_it_is_loaded_again(void **state)
{
    (void)state;
    code c = {0};
    load(&c, 2, 1);       /* a */
    compute(&c, 3, 2, 2); /* b reads r2 */
    load(&c, 2, 1);       /* c */
    compute(&c, 3, 2, 3); /* d */
    expect_order(&c, 16, "abcd");
}

static void a_load_stays_behind_a_store_of_its_space(void **state)
{
    (void)state;
    code c = {0};
    load(&c, 2, 1);                                       /* a */
    compute(&c, 3, 2, 2);                                 /* b */
    add_memory(&c, SL_MEM_GLOBAL, SL_ACCESS_STORE, 0, 3); /* c */
    load(&c, 4, 1);                                       /* d */
    expect_order(&c, 16, "abcd");
}

static void a_load_of_global_memory_goes_before_a_store_to_shared_memory(void **state)
{
    (void)state;
    code c = {0};
    load(&c, 2, 1);                                       /* a */
    add_memory(&c, SL_MEM_SHARED, SL_ACCESS_STORE, 0, 2); /* b */
    load(&c, 3, 1);                                       /* c */
    add_memory(&c, SL_MEM_SHARED, SL_ACCESS_STORE, 0, 3); /* d */
    expect_order(&c, 16, "acbd");
}

/* Twice: index, what it points to, a value; their product is added. All indices come first, then what waits for them,
 * before values on which as little depends. */
static void what_other_loads_wait_for_comes_first(void **state)
{
    (void)state;
    code c = {0};
    for (uint16_t i = 0; i < 2; i++) { /* abcd efgh */
        uint16_t base = (uint16_t)(10 + 10 * i);
        load(&c, base, 1);                                             /* the value */
        load(&c, (uint16_t)(base + 1), 2);                             /* the index */
        load(&c, (uint16_t)(base + 2), (uint16_t)(base + 1));          /* what it points to */
        compute(&c, (uint16_t)(base + 3), base, (uint16_t)(base + 2)); /* their product */
    }
    expect_order(&c, 16, "bfcgaedh");
}

static void a_load_of_constant_data_goes_before_a_store(void **state)
{
    (void)state;
    code c = {0};
    load(&c, 2, 1);                                       /* a */
    compute(&c, 3, 2, 2);                                 /* b */
    add_memory(&c, SL_MEM_GLOBAL, SL_ACCESS_STORE, 0, 3); /* c */
    load(&c, 4, 1);                                       /* d */
    c.inst[3].opcode = CONSTANT;
    expect_order(&c, 16, "adbc");
}

/* Of divisions only those whose machine code has a branch. */
static void nothing_moves_across_a_division_with_a_branch(void **state)
{
    (void)state;
    for (int branches = 0; branches < 2; branches++) {
        code c = {0};
        load(&c, 2, 1);       /* a */
        compute(&c, 3, 2, 2); /* b */
        load(&c, 4, 1);       /* c */
        c.inst[1].opcode = branches ? DIVISION : FAST_DIVISION;
        expect_lowered(&c, branches ? "abc" : "acb");
    }
}

static void nothing_moves_across_a_barrier(void **state)
{
    (void)state;
    code c = {0};
    load(&c, 2, 1);            /* a */
    compute(&c, 3, 2, 2);      /* b */
    add(&c, SL_CLASS_CONTROL); /* c */
    load(&c, 4, 1);            /* d */
    compute(&c, 5, 4, 4);      /* e */
    load(&c, 6, 1);            /* f */
    expect_order(&c, 16, "abcdfe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_go_with_their_addresses_before_what_waits),
        cmocka_unit_test(without_a_compiler_all_stays_as_it_is),
        cmocka_unit_test(as_many_loads_come_together_as_the_machine_says),
        cmocka_unit_test(a_register_is_read_before_it_is_loaded_again),
        cmocka_unit_test(a_load_stays_behind_a_store_of_its_space),
        cmocka_unit_test(a_load_of_global_memory_goes_before_a_store_to_shared_memory),
        cmocka_unit_test(what_other_loads_wait_for_comes_first),
        cmocka_unit_test(a_load_of_constant_data_goes_before_a_store),
        cmocka_unit_test(nothing_moves_across_a_division_with_a_branch),
        cmocka_unit_test(nothing_moves_across_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
