/* SPDX-License-Identifier: MIT */
/* The emulator's limits are those of a machine description. */
#include <stdio.h>

#include "emu/harness.h"

/* What programs see of the default machine, in numbers of the CUDA C programming guide and the data sheet. */
static void without_a_machine_it_is_an_h200(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1});
    const sl_gpu_limits *l = sl_emu_limits(r->emu);
    assert_int_equal(l->sms, 132);
    assert_int_equal(l->max_threads_per_block, 1024);
    assert_int_equal(l->max_block[0], 1024);
    assert_int_equal(l->max_block[1], 1024);
    assert_int_equal(l->max_block[2], 64);
    assert_int_equal(l->max_grid[0], 2147483647);
    assert_int_equal(l->max_grid[1], 65535);
    assert_int_equal(l->max_grid[2], 65535);
    assert_int_equal(l->max_threads_per_sm, 2048);
    assert_int_equal(l->max_blocks_per_sm, 32);
    assert_int_equal(l->registers_per_sm, 65536);
    assert_int_equal(l->shared_per_block, 49152);
    assert_int_equal(l->shared_per_block_optin, 232448);
    assert_int_equal(l->shared_per_sm, 233472);
    assert_int_equal(l->reserved_shared_per_block, 1024);
    assert_int_equal(l->const_bytes, 65536);
    assert_true(l->memory_bytes == (uint64_t)141 << 30);
    rig_close(r);
}

/* A V100 has 80 cores, and 96 KB of shared memory for a block. */
static void another_machine_has_other_limits(void **state)
{
    (void)state;
    sl_machine v100;
    sl_error error;
    assert_int_equal(sl_machine_load("v100", &v100, &error), SL_OK);
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1, .machine = &v100});
    rig_load(r, PTX("mov.u32 %r10, %nsmid;\nst.global.u32 [%d2], %r10;\nret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    assert_int_equal(out[0], 80);
    rig_shape shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared = 96 << 10};
    assert_int_equal(rig_try(r, "k", shape, RIG_ARGS(P(out), 0, 0)), SL_OK);
    shape.shared++;
    assert_int_equal(rig_try(r, "k", shape, RIG_ARGS(P(out), 0, 0)), SL_LIMIT);
    rig_expect_text(r, "98305 bytes of shared memory, the machine allows 98304");
    rig_close(r);
}

/* As from a cubin without code. */
static void use_registers(sl_emu_kernel *kernel, uint32_t registers)
{
    sl_cubin_kernel said = {.name = sl_emu_kernel_func(kernel)->name, .registers = registers};
    sl_cubin cubin = {.sm = 90};
    cubin.kernels.items = &said;
    cubin.kernels.count = 1;
    assert_true(sl_emu_kernel_use_cubin(kernel, &cubin));
}

/* 200 registers of 32 threads are 6400, and each of four schedulers has 16384: 2 warps each, 8 in all. By all registers
 * together it would be 10. */
static void occupancy_is_that_of_the_machine(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1});
    rig_load(r, PTX("ret;\n"));
    uint32_t *out = rig_buffer(r, 4);
    RUN(r, 1, 32, P(out), 0, 0);
    use_registers(r->kernel, 200);
    assert_int_equal(sl_emu_occupancy(r->emu, r->kernel, 32, 0), 8);
    assert_int_equal(sl_emu_occupancy(r->emu, r->kernel, 2048, 0), 0);
    use_registers(r->kernel, 16);
    assert_int_equal(sl_emu_occupancy(r->emu, r->kernel, 32, 0), 32);
    assert_int_equal(sl_emu_occupancy(r->emu, r->kernel, 1024, 0), 2);
    assert_int_equal(sl_emu_occupancy(r->emu, r->kernel, 32, 100 << 10), 2); /* 101 of 228 KB */
    rig_close(r);
}

/* 100 live registers of 1024 threads would be too many for a core, but they are only an estimate. */
static void a_launch_is_not_refused_by_an_estimate_of_registers(void **state)
{
    (void)state;
    char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "%s.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n%s"
                                   ".reg .b32 %%x<100>;\n%s",
                                   PTX_HEAD, PTX_REGS, PTX_START);
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "add.u32 %%x%d, %%r0, %d;\n", i, i);
    for (int i = 1; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "add.u32 %%x0, %%x0, %%x%d;\n", i);
    snprintf(text + used, sizeof text - used, "st.global.u32 [%%d2], %%x0;\nret;\n}\n");
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1});
    rig_load(r, text);
    uint32_t *out = rig_buffer(r, 132 * 1024 * 4);
    rig_shape shape = {.grid = {132, 1, 1}, .block = {1024, 1, 1}, .cooperative = true};
    rig_run(r, "k", shape, RIG_ARGS(P(out), 0, 0));
    assert_true(sl_emu_kernel_static(r->kernel)->regs_per_thread >= 100);
    assert_int_equal(sl_emu_occupancy(r->emu, r->kernel, 1024, 0), 1);
    use_registers(r->kernel, 100); /* known, as from a cubin */
    assert_int_equal(rig_try(r, "k", shape, RIG_ARGS(P(out), 0, 0)), SL_LIMIT);
    rig_expect_text(r, "the machine holds 0 at once");
    rig_close(r);
}

/* Functions f0 to f<depth>, each of which calls the one before twice: 2^depth calls without a loop. */
static char *call_tree(unsigned depth)
{
    static char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text, "%s.func f0() { ret; }\n", PTX_HEAD);
    for (unsigned i = 1; i <= depth; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ".func f%u() { call.uni f%u; call.uni f%u; ret; }\n",
                                 i, i - 1, i - 1);
    snprintf(text + used, sizeof text - used,
             ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) { call.uni f%u; ret; }\n", depth);
    return text;
}

BEHAVIOUR(calls_count_for_the_limit_on_instructions)
{
    rig_config config = r->config;
    config.max_instructions = 10000;
    rig *limited = rig_open(&config);
    rig_load(limited, call_tree(60));
    assert_int_equal(TRY(limited, 1, 32, 0, 0, 0), SL_LIMIT);
    rig_expect_fault(limited, SL_FAULT_LIMIT, "more than 10000 warp instructions");
    rig_close(limited);
}

static void a_tree_of_calls_ends_without_a_limit_on_instructions(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1, .silent = true});
    rig_load(r, call_tree(16));
    RUN(r, 1, 32, 0, 0, 0);
    rig_load(r, call_tree(60));
    assert_int_equal(TRY(r, 1, 32, 0, 0, 0), SL_LIMIT);
    rig_expect_fault(r, SL_FAULT_LIMIT, "more than 16777216 calls of one warp without a loop");
    rig_close(r);
}

/* A launch that descends from another has what that has left. */
static void a_launch_shares_the_limit_of_those_before_it(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1, .max_instructions = 1000});
    rig_load(r, PTX("L: sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L; ret;\n"));
    RUN(r, 1, 32, 0, 0, 100);
    uint8_t params[24] = {[16] = 100};
    sl_emu_launch launch = {.grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .params = params,
                            .param_bytes = sizeof params,
                            .instructions_before = 1001};
    assert_int_equal(sl_emu_run(r->emu, r->kernel, &launch, NULL, &r->error), SL_LIMIT);
    rig_close(r);
}

/* Each freed address is remembered, to tell a use after free from other mistakes; a kernel may free for long. */
static void kernels_that_free_in_a_loop_take_bounded_memory(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1, .silent = true});
    rig_load(r, PTX_HEAD
             ".extern .func (.param .b64 r) malloc (.param .b64 s);\n.extern .func free (.param .b64 p);\n" KERNEL(
                 "L: { .param .b64 s; .param .b64 p; st.param.b64 [s], 100; call.uni (p), malloc, (s);\n"
                 "ld.param.b64 %d9, [p]; st.global.u32 [%d9], %r2; }\n"
                 "{ .param .b64 p; st.param.b64 [p], %d9; call.uni free, (p); }\n"
                 "sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L; ret;\n"));
    RUN(r, 1, 1, 0, 0, 300000);
    assert_in_range(sl_heap_count(sl_emu_heap(r->emu)), 1, (1 << 18) + 100);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(without_a_machine_it_is_an_h200),
        IT(another_machine_has_other_limits),
        IT(occupancy_is_that_of_the_machine),
        IT(a_launch_is_not_refused_by_an_estimate_of_registers),
        IT(calls_count_for_the_limit_on_instructions),
        IT(a_tree_of_calls_ends_without_a_limit_on_instructions),
        IT(a_launch_shares_the_limit_of_those_before_it),
        IT(kernels_that_free_in_a_loop_take_bounded_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
