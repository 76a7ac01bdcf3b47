/* SPDX-License-Identifier: MIT */
/* Quotients of 64-bit integers that a double almost holds; all others are in test_integer.c. */
#include <stdio.h>

#include "vectors.h"

/* One less than a product of two numbers of 26 bits, by one of them. */
static uint64_t ref_nearly(const uint64_t *in, const void *context)
{
    uint64_t q = in[0] >> 38, by = in[1] >> 38;
    if (!q || !by)
        return 0; /* 0 by 1 */
    return *(const bool *)context ? by - 1 : q - 1;
}

/* Whole warps of operands that a double holds, but not all quotients. */
static void quotients_of_small_numbers_do_not_round_up(void **state)
{
    static const bool remainder = true, division = false;
    static const char *const ops[] = {"div.u64", "div.s64", "rem.u64", "rem.s64"};
    for (int i = 0; i < 4; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "{ .reg .b64 %%times, %%by, %%of; .reg .pred %%none; shr.u64 %%times, $a, 38; shr.u64 %%by, $b, 38;\n"
                 "mul.lo.u64 %%of, %%times, %%by; setp.eq.u64 %%none, %%of, 0; selp.b64 %%by, 1, %%by, %%none;\n"
                 "selp.b64 %%of, 1, %%of, %%none; sub.u64 %%of, %%of, 1;\n@%s $d, %%of, %%by; }",
                 ops[i]);
        instruction one = {.ptx = text,
                           .result = INT64,
                           .source = {INT64, INT64},
                           .expect = ref_nearly,
                           .context = i < 2 ? &division : &remainder};
        bench_check(*state, &one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARITHMETIC(quotients_of_small_numbers_do_not_round_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
