/* SPDX-License-Identifier: MIT */
/* Machine code in place of PTX: the kernels of tests/data/sass, whose code nvdisasm shows. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "emu/emu.h"
#include "lower/program.h"
#include "support.h"

/* A kernel with its machine code, as a GPU runs it. */
typedef struct kernel {
    char *text, *binary;
    sl_ptx_module *module;
    sl_cubin cubin;
    sl_emu *emu;
    sl_emu_program *program;
    sl_trace_kernel facts;
    sl_program code;
} kernel;

static void start(kernel *k, const char *name, const char *cubin, uint32_t sm)
{
    size_t length, bytes;
    sl_emu_kernel *prepared;
    sl_machine machine;
    sl_error error = {0};
    *k = (kernel){0};
    assert_int_equal(sl_file_read(SL_TEST_DATA "/sass/kernels.ptx", &k->text, &length, &error), SL_OK);
    assert_int_equal(sl_file_read(cubin, &k->binary, &bytes, &error), SL_OK);
    assert_int_equal(sl_cubin_read(k->binary, bytes, &k->cubin, &error), SL_OK);
    assert_int_equal(sl_ptx_parse(k->text, length, "kernels.ptx", &k->module, &error), SL_OK);
    assert_int_equal(sl_emu_create(&(sl_emu_config){.cubin = &k->cubin, .settings.threads = 1}, &k->emu, &error),
                     SL_OK);
    const sl_ptx_module *modules[] = {k->module};
    assert_int_equal(sl_emu_load(k->emu, modules, 1, &k->program, &error), SL_OK);
    assert_int_equal(sl_emu_kernel_get(k->program, name, &prepared, &error), SL_OK);
    k->facts = *sl_emu_kernel_static(prepared);
    assert_int_equal(sl_machine_load("h200", &machine, &error), SL_OK);
    machine.core.machine_code = sm;
    assert_int_equal(sl_program_init(&k->code, &machine, &k->facts, &error), SL_OK);
}

static void finish(kernel *k)
{
    sl_program_fini(&k->code);
    sl_emu_unload(k->emu, k->program);
    sl_emu_destroy(k->emu);
    sl_ptx_free(k->module);
    sl_cubin_fini(&k->cubin);
    free(k->binary);
    free(k->text);
}

#define CUBIN SL_TEST_DATA "/sass/kernels_90.cubin"

/* The opcode of a uop's access; NULL: it accesses nothing. */
static const char *access_of(const kernel *k, uint32_t uop)
{
    const sl_inst *inst = sl_program_inst(&k->code, uop);
    return inst->mem_slot == UINT32_MAX ? NULL : k->facts.strings + inst->opcode;
}

static void a_loop_is_unrolled_as_often_as_the_compiler_did(void **state)
{
    (void)state;
    kernel k;
    start(&k, "sums", CUBIN, 90);
    assert_int_equal(k.facts.regs_per_thread, 16);
    assert_false(k.facts.regs_estimated);
    const sl_region *region = &k.code.region[1];
    assert_true(region->sass);
    assert_int_equal(region->factor, 4);
    const sl_trace_bb *four = &k.code.block[region->version[0].block];
    assert_int_equal(four->count, 15);
    /* All loads are issued before the first one is waited for. */
    uint32_t loads = 0, at = four->first;
    for (; !k.code.uop[at].wait_mask; at++)
        if (access_of(&k, at)) {
            assert_int_equal(k.code.uop[at].kind, SL_UOP_MEMORY);
            assert_int_equal(k.code.uop[at].access, loads);
            assert_int_equal(k.code.uop[at].write_scoreboard, 2 + loads++);
        }
    assert_int_equal(loads, 4);
    assert_int_equal(k.code.uop[at].wait_mask, 1 << 2);
    assert_int_equal(k.code.uop[four->first + 14].stall, 6); /* the branch */
    finish(&k);
}

static void what_is_left_of_a_loop_is_with_what_follows(void **state)
{
    (void)state;
    kernel k;
    start(&k, "sums", CUBIN, 90);
    assert_int_equal(k.code.region[1].tail, 2);
    const sl_region *tail = &k.code.region[2];
    assert_int_equal(tail->lead, 3);
    assert_int_equal(tail->lead_accesses, 3);
    const sl_trace_bb *block = &k.code.block[tail->version[0].block];
    assert_int_equal(block->count, 21);
    uint32_t parts = 0;
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        if (access_of(&k, i)) {
            assert_int_equal(k.code.uop[i].bb_copy, parts++);
            assert_string_equal(access_of(&k, i), parts < 4 ? "ld.global.f32" : "st.global.f32");
        }
    assert_int_equal(parts, 4);
    /* What leads into the loop is part of the block before it: 13 instructions and 2. */
    assert_int_equal(k.code.block[k.code.region[0].version[0].block].count, 15);
    finish(&k);
}

static void indices_are_loaded_before_what_they_lead_to(void **state)
{
    (void)state;
    kernel k;
    start(&k, "gather", CUBIN, 90);
    const sl_trace_bb *four = &k.code.block[k.code.region[1].version[0].block];
    assert_int_equal(k.code.region[1].factor, 4);
    uint32_t indices[4], values[4], loads = 0, index = 0, value = 0;
    for (uint32_t i = four->first; i < four->first + four->count; i++) {
        if (!access_of(&k, i))
            continue;
        uint32_t iteration = k.code.uop[i].bb_copy, nth = k.code.uop[i].access % 3;
        if (nth == 1)
            indices[index++] = iteration;
        if (nth == 2) {
            assert_int_equal(indices[value], iteration); /* its index came before */
            values[value++] = iteration;
        }
        loads++;
    }
    assert_int_equal(loads, 12);
    assert_int_equal(index, 4);
    assert_int_equal(value, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(values[i], i);
    finish(&k);
}

static void a_slow_path_that_hardly_runs_is_left_out(void **state)
{
    (void)state;
    kernel k;
    start(&k, "divide", CUBIN, 90);
    assert_true(k.code.region[0].sass);
    assert_int_equal(k.code.block[k.code.region[0].version[0].block].count, 23);
    finish(&k);
}

static void stores_to_neighboring_words_become_one(void **state)
{
    (void)state;
    kernel k;
    start(&k, "blocks", CUBIN, 90);
    const sl_trace_bb *block = &k.code.block[k.code.region[0].version[0].block];
    uint32_t shared = 0, barriers = 0;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        shared += k.code.uop[i].kind == SL_UOP_SHARED;
        barriers += k.code.uop[i].kind == SL_UOP_BARRIER;
    }
    assert_int_equal(shared, 1);
    assert_int_equal(barriers, 1);
    finish(&k);
}

static void machine_code_of_another_gpu_is_not_used(void **state)
{
    (void)state;
    kernel k;
    start(&k, "sums", SL_TEST_DATA "/sass/kernels_80.cubin", 90);
    assert_int_equal(k.facts.machine_sm, 80);
    assert_false(k.code.region[0].sass);
    assert_false(k.code.region[1].sass);
    finish(&k);
    start(&k, "sums", SL_TEST_DATA "/sass/kernels_80.cubin", 80);
    assert_true(k.code.region[1].sass);
    finish(&k);
    start(&k, "sums", CUBIN, 0);
    assert_false(k.code.region[1].sass);
    finish(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_is_unrolled_as_often_as_the_compiler_did),
        cmocka_unit_test(what_is_left_of_a_loop_is_with_what_follows),
        cmocka_unit_test(indices_are_loaded_before_what_they_lead_to),
        cmocka_unit_test(a_slow_path_that_hardly_runs_is_left_out),
        cmocka_unit_test(stores_to_neighboring_words_become_one),
        cmocka_unit_test(machine_code_of_another_gpu_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
