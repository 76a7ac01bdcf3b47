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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_innermost_name_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
