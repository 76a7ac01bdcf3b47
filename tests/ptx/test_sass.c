/* SPDX-License-Identifier: MIT */
/* Machine code, as ptxas 13.0 makes it (tests/data/sass/make.sh). Fields are those that nvdisasm shows, and the control
 * fields were read off the bits by hand. */
#include "ptx/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ptx/cubin.h"
#include "support.h"

typedef struct file {
    char *data;
    size_t bytes;
} file;

static file load(const char *name)
{
    char path[512];
    file f = {0};
    snprintf(path, sizeof path, SL_TEST_DATA "/sass/%s", name);
    assert_int_equal(sl_file_read(path, &f.data, &f.bytes, NULL), SL_OK);
    return f;
}

/* The instructions of a kernel; the caller frees them. */
static sl_sass_inst *decode(const char *name, const char *kernel, uint32_t sm, uint32_t registers)
{
    file f = load(name);
    sl_cubin cubin = {0};
    assert_int_equal(sl_cubin_read(f.data, f.bytes, &cubin, NULL), SL_OK);
    assert_int_equal(cubin.sm, sm);
    const sl_cubin_kernel *found = sl_cubin_find(&cubin, kernel);
    assert_non_null(found);
    assert_int_equal(found->registers, registers);
    sl_sass_inst *inst = calloc(found->code_bytes / SL_SASS_BYTES + 1, sizeof *inst);
    assert_int_equal(sl_sass_decode(cubin.sm, found->code, found->code_bytes, inst, NULL), SL_OK);
    sl_cubin_fini(&cubin);
    free(f.data);
    return inst;
}

static void a_load_tells_what_it_accesses_and_announces(void **state)
{
    (void)state;
    sl_sass_inst *inst = decode("kernels_90.cubin", "sums", 90, 16);
    const sl_sass_inst *load = &inst[0x110 / SL_SASS_BYTES]; /* LDG.E R6, desc[UR4][R2.64] */
    assert_string_equal(load->name, "LDG");
    assert_int_equal(load->opcode, 0x981);
    assert_int_equal(load->space, SL_MEM_GLOBAL);
    assert_int_equal(load->access, SL_ACCESS_LOAD);
    assert_int_equal(load->width, 4);
    assert_int_equal(load->dst, 6);
    assert_int_equal(load->dsts, 1);
    assert_int_equal(load->srcs, 1);
    assert_int_equal(load->src[0], 2);
    assert_int_equal(load->guard, SL_SASS_ALWAYS);
    assert_int_equal(load->stall, 4);
    assert_false(load->yields);
    assert_int_equal(load->write_barrier, 2);
    assert_int_equal(load->read_barrier, SL_SASS_NO_BARRIER);
    assert_int_equal(load->waits, 0);
    assert_int_equal(load->target, SL_SASS_NOWHERE);
    const sl_sass_inst *use = &inst[0x170 / SL_SASS_BYTES]; /* FADD R6, R6, R7 */
    assert_string_equal(use->name, "FADD");
    assert_int_equal(use->waits, 1 << 2);
    assert_int_equal(use->stall, 4);
    assert_true(use->yields);
    free(inst);
}

static void a_branch_tells_where_it_leads(void **state)
{
    (void)state;
    /* Since sm_90 targets are encoded differently; the loops of both lie at the same place. */
    static const struct {
        const char *file;
        uint32_t sm, registers;
    } files[] = {{"kernels_90.cubin", 90, 16}, {"kernels_80.cubin", 80, 18}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sl_sass_inst *inst = decode(files[i].file, "sums", files[i].sm, files[i].registers);
        const sl_sass_inst *back = &inst[0x1d0 / SL_SASS_BYTES], *over = &inst[0xc0 / SL_SASS_BYTES];
        assert_string_equal(back->name, "BRA");
        assert_int_equal(back->target, 0xf0 / SL_SASS_BYTES);
        assert_int_equal(over->target, 0x1e0 / SL_SASS_BYTES);
        assert_int_equal(back->guard, 1);
        assert_true(back->guard_not);
        assert_true(back->conditional);
        free(inst);
    }
}

static void code_that_is_no_code_is_an_error(void **state)
{
    (void)state;
    static const uint64_t outside[] = {UINT64_C(0x0000000c00488947), UINT64_C(0x000fea0003800000)};
    sl_sass_inst inst[2];
    sl_error error;
    assert_int_equal(sl_sass_decode(90, outside, 15, inst, &error), SL_CORRUPT);
    assert_non_null(strstr(error.text, "15 bytes"));
    assert_int_equal(sl_sass_decode(61, outside, 16, inst, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "sm_61"));
    assert_int_equal(sl_sass_decode(90, outside, 16, inst, &error), SL_CORRUPT);
    assert_non_null(strstr(error.text, "instruction 0 branches to byte 3376 of 16"));
}

static void instructions_that_nobody_knows_are_told_apart(void **state)
{
    (void)state;
    static const uint64_t unknown[] = {UINT64_C(0x00000000000071ff), 0};
    sl_sass_inst inst;
    assert_int_equal(sl_sass_decode(90, unknown, 16, &inst, NULL), SL_OK);
    assert_string_equal(inst.name, "?");
    assert_int_equal(inst.op_class, SL_CLASS_OTHER);
    assert_int_equal(inst.dsts, 0);
}

static void a_cubin_that_was_cut_off_or_changed_does_no_harm(void **state)
{
    (void)state;
    file f = load("kernels_90.cubin");
    sl_sass_inst *inst = calloc(f.bytes / SL_SASS_BYTES + 1, sizeof *inst);
    for (size_t i = 0; i < f.bytes; i += 7) {
        char *part = malloc(f.bytes);
        size_t bytes = i % 2 ? i : f.bytes;
        sl_cubin cubin = {0};
        memcpy(part, f.data, f.bytes);
        part[i] ^= 0x40;
        sl_cubin_read(part, bytes, &cubin, NULL);
        for (size_t k = 0; k < cubin.kernels.count; k++)
            if (cubin.kernels.items[k].code)
                sl_sass_decode(cubin.sm, cubin.kernels.items[k].code, cubin.kernels.items[k].code_bytes, inst, NULL);
        sl_cubin_fini(&cubin);
        free(part);
    }
    free(inst);
    free(f.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_tells_what_it_accesses_and_announces),
        cmocka_unit_test(a_branch_tells_where_it_leads),
        cmocka_unit_test(code_that_is_no_code_is_an_error),
        cmocka_unit_test(instructions_that_nobody_knows_are_told_apart),
        cmocka_unit_test(a_cubin_that_was_cut_off_or_changed_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
