/* SPDX-License-Identifier: MIT */
/* Short names of mangled functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mangle.h"

static void the_innermost_name_is_found(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"_Z6matmulPfi", "matmul"},
        {"_Z8k_rowdotPKfS0_Pfii", "k_rowdot"},
        {"_ZN3lin6matmulIfEEvPT_i", "matmul"},
        {"_ZN3linIfE6matmulEv", "matmul"},
        {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEEEEviT0_",
         "vectorized_elementwise_kernel"},
        {"_ZN12_GLOBAL__N_14bfs1Ev", "bfs1"},
        {"_Z3addILi3EEvPf", "add"},
        {"_ZN2ns6kernelILNS_5ScaleE1ELS1_2EEEvv", "kernel"}, /* ns::kernel<(ns::Scale)1, (ns::Scale)2> */
        {"_ZL6helperv", "helper"},
        {"main_kernel", "main_kernel"},
        {"_Z99tooshort", "_Z99tooshort"},
        {"_Z", "_Z"},
        {"", ""},
    };
    sl_arena arena;
    sl_arena_init(&arena);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(sl_short_name(&arena, pairs[i][0]), pairs[i][1]);
    sl_arena_fini(&arena);
}

static void template_arguments_are_short(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"_Z6reduceIfLi512EEvPT_", "<float, 512>"},
        {"_Z6reduceIfLin1ELb1EEvPT_", "<float, -1, true>"},
        {"_ZN3lin6matmulIdEEvPT_i", "<double>"},
        {"_ZN3linIfE6matmulEv", ""},
        {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEEEEviT0_", "<4, …>"},
        {"_Z4scanI6__halfPKfEvT_", "<__half, float*>"},
        {"_Z6matmulPfi", ""},
        {"main_kernel", ""},
        {"_Z3addIL", "<…>"},
    };
    char text[64], little[6];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(sl_template_arguments(pairs[i][0], text, sizeof text), pairs[i][1]);
    assert_string_equal(sl_template_arguments(pairs[0][0], little, sizeof little), "<floa");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_innermost_name_is_found),
                                       cmocka_unit_test(template_arguments_are_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
