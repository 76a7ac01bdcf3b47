/* SPDX-License-Identifier: MIT */
/* Which loads have one address for all lanes, and read what the kernel does not write. */
#include "ptx/uniform.h"

#include "ptx/ptx_test.h"

/* "10": of the loads from global memory, the first is uniform and the second is not. */
static void expect(const char *body, const char *expected)
{
    char text[4000], found[64] = "";
    int length = snprintf(text, sizeof text, "%s", body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    sl_ptx_module *module = parse_text(text);
    const sl_ptx_func *func = kernel_of(module);
    sl_arena arena;
    sl_cfg cfg;
    sl_base_set *sets;
    bool *uniform;
    sl_error error;
    sl_arena_init(&arena);
    assert_int_equal(sl_cfg_build(module, func, &arena, &cfg, &error), SL_OK);
    assert_int_equal(sl_base_sets(func, &arena, &sets, &error), SL_OK);
    assert_int_equal(sl_ptx_uniform_loads(func, &cfg, sets, &arena, &uniform, &error), SL_OK);
    for (uint32_t i = 0; i < func->insts; i++)
        if (func->inst[i].op == SL_OP_LD && sl_ptx_inst_flags(&func->inst[i]) & SL_OPF_MEMORY)
            strcat(found, uniform[i] ? "1" : "0");
        else
            assert_false(uniform[i]);
    assert_string_equal(found, expected);
    sl_arena_fini(&arena);
    sl_ptx_free(module);
}

/* rd1: in, rd2: out, r1: n, r2: the lane's number, r3: the block's. */
#define BEGIN                                                                                                          \
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n];\n"                                      \
    "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n"
#define INDEX(reg) "mul.wide.u32 %rd3, " reg ", 4; add.s64 %rd4, %rd1, %rd3;\n"
#define LOAD       "ld.global.u32 %r9, [%rd4];\n"
#define STORE      "st.global.u32 [%rd2], %r9;\n"

static void an_address_of_the_block_is_uniform_and_one_of_the_lane_is_not(void **state)
{
    (void)state;
    expect(PTX_KERNEL(BEGIN INDEX("%r3") LOAD STORE "ret;"), "1");
    expect(PTX_KERNEL(BEGIN INDEX("%r1") LOAD STORE "ret;"), "1");
    expect(PTX_KERNEL(BEGIN INDEX("%r2") LOAD STORE "ret;"), "0");
    expect(PTX_KERNEL(BEGIN "add.u32 %r4, %r3, %r2;\n" INDEX("%r4") LOAD STORE "ret;"), "0");
    expect(PTX_KERNEL(BEGIN "mov.u32 %r4, %laneid;\n" INDEX("%r4") LOAD STORE "ret;"), "0");
}

static void what_a_uniform_load_brings_is_uniform(void **state)
{
    (void)state;
    expect(PTX_KERNEL(BEGIN INDEX("%r3") LOAD INDEX("%r9") LOAD STORE "ret;"), "11");
    expect(PTX_KERNEL(BEGIN INDEX("%r2") LOAD INDEX("%r9") LOAD STORE "ret;"), "00");
    /* shared memory is of the block, but in vector registers; another lane's value is any */
    expect(PTX_KERNEL(".shared .align 4 .b8 s[64];\n" BEGIN "ld.shared.u32 %r4, [s];\n" INDEX("%r4") LOAD STORE "ret;"),
           "00");
    expect(PTX_KERNEL(BEGIN "shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;\n" INDEX("%r4") LOAD STORE "ret;"), "0");
}

static void an_array_that_is_written_is_not_read_by_scalar_loads(void **state)
{
    (void)state;
    expect(PTX_KERNEL(BEGIN INDEX("%r3") LOAD "st.global.u32 [%rd4], %r9; ret;"), "0");
    expect(PTX_KERNEL(BEGIN INDEX("%r3") LOAD "atom.global.add.u32 %r9, [%rd1], 1; ret;"), "0");
    expect(PTX_KERNEL(BEGIN INDEX("%r3") LOAD "ld.global.u64 %rd9, [%rd2]; st.global.u32 [%rd9], %r9; ret;"), "00");
    expect(PTX_KERNEL(BEGIN INDEX("%r3") "ld.global.nc.u32 %r9, [%rd4]; st.global.u32 [%rd4], %r9; ret;"), "1");
    expect(PTX_KERNEL(BEGIN INDEX("%r3") "ld.volatile.global.u32 %r9, [%rd4];" STORE "ret;"), "0");
}

static void values_part_where_the_sides_of_a_branch_of_lanes_meet(void **state)
{
    (void)state;
    /* r4 is 0 or 1, by the lane or by the block */
    expect(PTX_KERNEL(BEGIN "mov.u32 %r4, 0; setp.eq.u32 %p1, %r2, 7; @%p1 bra ELSE;\nmov.u32 %r4, 1;\nELSE:\n" INDEX(
               "%r4") LOAD STORE "ret;"),
           "0");
    expect(PTX_KERNEL(BEGIN "mov.u32 %r4, 0; setp.eq.u32 %p1, %r3, 7; @%p1 bra ELSE;\nmov.u32 %r4, 1;\nELSE:\n" INDEX(
               "%r4") LOAD STORE "ret;"),
           "1");
    expect(PTX_KERNEL(BEGIN "mov.u32 %r4, 0; setp.eq.u32 %p1, %r2, 7; @%p1 mov.u32 %r4, 1;\n" INDEX("%r4") LOAD STORE
                      "ret;"),
           "0");
    /* inside of the branch the lanes that are there agree */
    expect(PTX_KERNEL(BEGIN "setp.eq.u32 %p1, %r2, 7; @%p1 bra ELSE;\nadd.u32 %r4, %r3, 1;\n" INDEX("%r4") LOAD STORE
                      "ELSE: ret;"),
           "1");
}

/* All lanes that are still in a loop are in the same turn, whoever has left it. */
static void counters_of_loops_are_uniform(void **state)
{
    (void)state;
    expect(PTX_KERNEL(BEGIN "mov.u32 %r4, 0;\nLOOP:\n" INDEX("%r4") LOAD
                      "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra LOOP;\n" STORE "ret;"),
           "1");
    expect(PTX_KERNEL(BEGIN "mov.u32 %r4, 0;\nLOOP:\n" INDEX("%r4") LOAD
                      "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r2; @%p1 bra LOOP;\n" STORE "ret;"),
           "1");
    expect(PTX_KERNEL(BEGIN "mov.u32 %r4, %r2;\nLOOP:\n" INDEX("%r4") LOAD
                      "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra LOOP;\n" STORE "ret;"),
           "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_of_the_block_is_uniform_and_one_of_the_lane_is_not),
        cmocka_unit_test(what_a_uniform_load_brings_is_uniform),
        cmocka_unit_test(an_array_that_is_written_is_not_read_by_scalar_loads),
        cmocka_unit_test(values_part_where_the_sides_of_a_branch_of_lanes_meet),
        cmocka_unit_test(counters_of_loops_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
