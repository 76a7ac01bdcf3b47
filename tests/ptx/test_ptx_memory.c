/* SPDX-License-Identifier: MIT */
/* Out of memory is an error like others, wherever it happens. */
#include "ptx/base_array.h"
#include "ptx/cfg.h"
#include "ptx_test.h"

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);

static long allocations_left = -1; /* negative: no limit */

static bool runs_out(void)
{
    if (allocations_left > 0)
        allocations_left--;
    else
        return allocations_left == 0;
    return false;
}

void *__wrap_malloc(size_t bytes)
{
    return runs_out() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return runs_out() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return runs_out() ? NULL : __real_realloc(old, bytes);
}

static sl_status analyse(const sl_ptx_module *module, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < module->funcs && status == SL_OK; i++) {
        sl_arena arena;
        sl_cfg cfg;
        sl_base *bases;
        sl_arena_init(&arena);
        status = sl_cfg_build(module, module->func[i], &arena, &cfg, error);
        if (status == SL_OK)
            status = sl_base_arrays(module->func[i], &arena, &bases, error);
        sl_arena_fini(&arena);
    }
    return status;
}

static sl_status do_everything(const char *text, size_t length, sl_error *error)
{
    sl_ptx_module *module;
    char *printed = NULL;
    sl_status status = sl_ptx_parse(text, length, "t.ptx", &module, error);
    if (status != SL_OK)
        return status;
    status = analyse(module, error);
    if (status == SL_OK)
        status = sl_ptx_print(module, &printed, &length, error);
    free(printed);
    sl_ptx_free(module);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    size_t length;
    char *text = read_file(SL_TEST_DATA "/ptx/hand_syntax.ptx", &length);
    sl_status status = SL_NO_MEMORY;
    long allowed = 0;
    for (; status == SL_NO_MEMORY; allowed++) {
        sl_error error = {0};
        allocations_left = allowed;
        status = do_everything(text, length, &error);
        allocations_left = -1;
        assert_int_equal(error.status, status);
    }
    assert_int_equal(status, SL_OK);
    assert_true(allowed > 20);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
