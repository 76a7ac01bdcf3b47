/* SPDX-License-Identifier: MIT */
/* Where lanes of a warp part and meet again: branches, loops, returns, calls. */
#include <stdio.h>

#include "harness.h"

static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Checks the masks with which a marked instruction ran. */
static void expect_masks(rig *r, const char *mark, uint32_t count, const uint64_t *expected)
{
    uint64_t mask[64];
    uint32_t found = rig_masks(r, mark, mask, 64);
    if (found != count)
        fail_msg("%s ran %u times, expected %u", mark, found, count);
    for (uint32_t i = 0; i < count; i++)
        if (mask[i] != expected[i])
            fail_msg("%s ran with mask 0x%llx, expected 0x%llx", mark, (unsigned long long)mask[i],
                     (unsigned long long)expected[i]);
}
#define MASKS(r, mark, ...)                                                                                            \
    expect_masks(r, mark, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]){__VA_ARGS__})

BEHAVIOUR(lanes_that_part_in_nested_ifs_meet_at_the_end_of_each)
{
    rig_load(r, PTX("mov.u32 %r10, 0;\n"
                    "setp.lt.u32 %p1, %r0, 16;\n"
                    "@!%p1 bra ELSE;\n"
                    "and.b32 %r11, %r0, 1;\n"
                    "setp.eq.u32 %p2, %r11, 0;\n"
                    "@!%p2 bra ODD;\n"
                    "add.u32 %r10, %r10, 1; // @even\n"
                    "bra INNER;\n"
                    "ODD:\n"
                    "add.u32 %r10, %r10, 2; // @odd\n"
                    "INNER:\n"
                    "add.u32 %r10, %r10, 10; // @inner\n"
                    "bra END;\n"
                    "ELSE:\n"
                    "add.u32 %r10, %r10, 100; // @else\n"
                    "END:\n"
                    "add.u32 %r10, %r10, 1000; // @end\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i >= 16 ? 1100 : i % 2 ? 1012 : 1011);
    MASKS(r, "even", 0x5555);
    MASKS(r, "odd", 0xaaaa);
    MASKS(r, "inner", 0xffff);
    MASKS(r, "else", 0xffff0000);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(a_loop_whose_lanes_leave_at_different_times_is_left_together)
{
    rig_load(r, PTX("mov.u32 %r10, 0;\n"
                    "and.b32 %r11, %r0, 3;\n"
                    "LOOP:\n"
                    "add.u32 %r10, %r10, 1; // @body\n"
                    "setp.le.u32 %p1, %r10, %r11;\n"
                    "@%p1 bra LOOP;\n"
                    "st.global.u32 [%d2], %r10; // @after\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i % 4 + 1);
    MASKS(r, "body", 0xffffffff, 0xeeeeeeee, 0xcccccccc, 0x88888888);
    MASKS(r, "after", 0xffffffff);
}

BEHAVIOUR(a_loop_with_breaks_and_continues_is_left_together)
{
    /* for (i = 0; i < 8; i++) { if (i == lane % 4) continue; if (i == 4 + lane % 2) break; sum += i; } */
    rig_load(r, PTX("mov.u32 %r10, 0;\n"
                    "mov.u32 %r11, 0;\n"
                    "and.b32 %r12, %r0, 3;\n"
                    "and.b32 %r13, %r0, 1;\n"
                    "add.u32 %r13, %r13, 4;\n"
                    "LOOP:\n"
                    "setp.eq.u32 %p1, %r10, %r12;\n"
                    "@%p1 bra NEXT;\n"
                    "setp.eq.u32 %p2, %r10, %r13;\n"
                    "@%p2 bra OUT;\n"
                    "add.u32 %r11, %r11, %r10;\n"
                    "NEXT:\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "setp.lt.u32 %p3, %r10, 8;\n"
                    "@%p3 bra LOOP;\n"
                    "OUT:\n"
                    "st.global.u32 [%d2], %r11; // @out\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 8; i++) {
            if (i == lane % 4)
                continue;
            if (i == 4 + lane % 2)
                break;
            sum += i;
        }
        assert_int_equal(out[lane], sum);
    }
    /* The break makes the end of the loop the first place that every lane is sure to reach. */
    MASKS(r, "out", 0xffffffff);
}

BEHAVIOUR(lanes_that_return_early_leave_the_others_alone)
{
    rig_load(r, PTX("setp.ge.u32 %p1, %r0, %r2;\n"
                    "@%p1 ret;\n"
                    "st.global.u32 [%d2], 7; // @rest\n"
                    "and.b32 %r10, %r0, 1;\n"
                    "setp.eq.u32 %p2, %r10, 1;\n"
                    "@%p2 exit;\n"
                    "st.global.u32 [%d2], 8; // @even\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 10);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i >= 10 ? 0 : i % 2 ? 7 : 8);
    MASKS(r, "rest", 0x3ff);
    MASKS(r, "even", 0x155);
}

BEHAVIOUR(threads_that_jumped_to_the_final_return_do_not_hold_up_a_barrier)
{
    /* if (thread >= n) return; __syncthreads(); as compilers write it: one return at the end. */
    rig_load(r, PTX(".shared .align 4 .b8 s[256];\n"
                    "setp.ge.u32 %p1, %r0, %r2;\n"
                    "@%p1 bra END;\n"
                    "shl.b32 %r10, %r0, 2;\n"
                    "mov.u32 %r11, s;\n"
                    "add.u32 %r11, %r11, %r10;\n"
                    "st.shared.u32 [%r11], %r0;\n"
                    "bar.sync 0;\n"
                    "xor.b32 %r12, %r0, 32;\n"
                    "rem.u32 %r12, %r12, %r2;\n"
                    "shl.b32 %r12, %r12, 2;\n"
                    "mov.u32 %r13, s;\n"
                    "add.u32 %r13, %r13, %r12;\n"
                    "ld.shared.u32 %r14, [%r13];\n"
                    "st.global.u32 [%d2], %r14;\n"
                    "END:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 50);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i < 50 ? (i ^ 32) % 50 : 0);
}

BEHAVIOUR(threads_that_return_inside_of_an_if_do_not_hold_up_a_barrier)
{
    rig_load(r, PTX("mov.u32 %r10, 1;\n"
                    "setp.lt.u32 %p1, %r0, 20;\n"
                    "@!%p1 bra JOIN;\n"
                    "setp.lt.u32 %p2, %r0, 5;\n"
                    "@%p2 bra END;\n"
                    "mov.u32 %r10, 2;\n"
                    "JOIN:\n"
                    "bar.sync 0; // @barrier\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "END:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i < 5 ? 0 : i < 20 ? 2 : 1);
}

BEHAVIOUR(a_loop_with_a_barrier_goes_on_without_the_threads_that_left_it)
{
    /* Each warp's threads leave after as many rounds as their number says, and exit. */
    rig_load(r, PTX("mov.u32 %r10, 0;\n"
                    "LOOP:\n"
                    "setp.ge.u32 %p1, %r10, %r0;\n"
                    "@%p1 bra END;\n"
                    "bar.sync 0;\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "bra LOOP;\n"
                    "END:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i);
}

#define SQUARE_AND_ADD                                                                                                 \
    PTX_HEAD ".func (.param .b32 result) square(.param .b32 x)\n{\n.reg .b32 %a, %b;\n"                                \
             "ld.param.u32 %a, [x];\nmul.lo.u32 %b, %a, %a; // @square\n"                                              \
             "st.param.u32 [result], %b;\nret;\n}\n"                                                                   \
             ".func (.param .b32 result) thrice(.param .b32 x)\n{\n.reg .b32 %a, %b;\n"                                \
             "ld.param.u32 %a, [x];\nmul.lo.u32 %b, %a, 3;\nst.param.u32 [result], %b;\nret;\n}\n"

#define CALL(result, function, argument)                                                                               \
    "{\n.param .b32 arg0;\n.param .b32 ret0;\nst.param.b32 [arg0], " argument ";\n"                                    \
    "call.uni (ret0), " function ", (arg0);\nld.param.b32 " result ", [ret0];\n}\n"

BEHAVIOUR(only_the_lanes_that_call_a_function_run_it)
{
    rig_load(r, SQUARE_AND_ADD KERNEL(
                    "mov.u32 %r10, 5;\n"
                    "setp.lt.u32 %p1, %r0, 8;\n"
                    "@!%p1 bra ELSE;\n" CALL("%r10", "square",
                                             "%r0") "bra END;\n"
                                                    "ELSE:\n" CALL("%r10", "thrice",
                                                                   "%r0") "END:\n"
                                                                          "st.global.u32 [%d2], %r10; // @end\n"
                                                                          "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 8 ? i * i : 3 * i);
    MASKS(r, "square", 0xff);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(a_guarded_call_runs_for_the_lanes_of_its_guard)
{
    rig_load(r, SQUARE_AND_ADD KERNEL("{\n.param .b32 arg0;\n.param .b32 ret0;\n"
                                      "setp.lt.u32 %p1, %r0, 3;\n"
                                      "st.param.b32 [arg0], %r0;\n"
                                      "st.param.b32 [ret0], 77;\n"
                                      "@%p1 call (ret0), square, (arg0);\n"
                                      "ld.param.b32 %r10, [ret0]; // @end\n}\n"
                                      "st.global.u32 [%d2], %r10;\n"
                                      "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(out[i], i * i);
    MASKS(r, "square", 7);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(a_guarded_return_from_a_function_waits_for_the_other_lanes_in_the_caller)
{
    rig_load(r, PTX_HEAD ".func (.param .b32 result) f(.param .b32 x)\n{\n.reg .b32 %a, %b;\n.reg .pred %p;\n"
                         "ld.param.u32 %a, [x];\n"
                         "st.param.u32 [result], 1;\n"
                         "setp.gt.u32 %p, %a, 20;\n"
                         "@%p ret;\n"
                         "mul.lo.u32 %b, %a, 2;\n"
                         "st.param.u32 [result], %b; // @slow\n"
                         "ret;\n}\n" KERNEL(CALL("%r10", "f", "%r0") "st.global.u32 [%d2], %r10; // @end\n"
                                                                     "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i > 20 ? 1 : 2 * i);
    MASKS(r, "slow", 0x1fffff);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(exit_inside_of_a_function_ends_those_threads)
{
    rig_load(r, PTX_HEAD ".func (.param .b32 result) f(.param .b32 x)\n{\n.reg .b32 %a;\n.reg .pred %p;\n"
                         "ld.param.u32 %a, [x];\n"
                         "st.param.u32 [result], %a;\n"
                         "setp.gt.u32 %p, %a, 20;\n"
                         "@%p exit;\n"
                         "ret;\n}\n" KERNEL(CALL("%r10", "f", "%r0") "bar.sync 0;\n"
                                                                     "st.global.u32 [%d2], 9; // @end\n"
                                                                     "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i > 20 ? 0 : 9);
    MASKS(r, "end", 0x1fffff);
}

#define FIBONACCI                                                                                                      \
    PTX_HEAD ".func (.param .b32 result) fib(.param .b32 n)\n{\n.reg .b32 %a, %b, %c, %d;\n.reg .pred %p;\n"           \
             "ld.param.u32 %a, [n];\n"                                                                                 \
             "setp.lt.u32 %p, %a, 2;\n"                                                                                \
             "mov.u32 %d, %a;\n"                                                                                       \
             "@%p bra DONE;\n"                                                                                         \
             "sub.u32 %b, %a, 1;\n" CALL("%c", "fib", "%b") "sub.u32 %b, %a, 2;\n" CALL(                               \
                 "%d", "fib", "%b") "add.u32 %d, %d, %c;\n"                                                            \
                                    "DONE:\n"                                                                          \
                                    "st.param.u32 [result], %d;\nret;\n}\n"

BEHAVIOUR(lanes_recurse_to_different_depths)
{
    rig_load(r, FIBONACCI KERNEL("rem.u32 %r10, %r0, 13;\n" CALL("%r11", "fib", "%r10") "st.global.u32 [%d2], %r11;\n"
                                                                                        "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], fibonacci(i % 13));
}

BEHAVIOUR(recursion_may_be_a_thousand_calls_deep)
{
    rig_load(r, PTX_HEAD ".func (.param .b32 result) sum(.param .b32 n)\n{\n.reg .b32 %a, %b, %c;\n.reg .pred %p;\n"
                         "ld.param.u32 %a, [n];\n"
                         "mov.u32 %c, 0;\n"
                         "setp.eq.u32 %p, %a, 0;\n"
                         "@%p bra DONE;\n"
                         "sub.u32 %b, %a, 1;\n" CALL("%c", "sum",
                                                     "%b") "add.u32 %c, %c, %a;\n"
                                                           "DONE:\n"
                                                           "st.param.u32 [result], %c;\nret;\n}\n" KERNEL(
                                                               "mad.lo.u32 %r10, %r0, 30, 100;\n" CALL(
                                                                   "%r11", "sum", "%r10") "st.global.u32 [%d2], %r11;\n"
                                                                                          "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t n = 30 * i + 100;
        assert_int_equal(out[i], n * (n + 1) / 2);
    }
}

BEHAVIOUR(endless_recursion_ends_with_a_full_stack)
{
    rig_load(r, PTX_HEAD ".func f(.param .b32 n)\n{\n.reg .b32 %a;\n"
                         "{\n.param .b32 arg0;\nld.param.u32 %a, [n];\nst.param.b32 [arg0], %a;\n"
                         "call.uni f, (arg0);\n}\nret;\n}\n" KERNEL("{\n.param .b32 arg0;\nst.param.b32 [arg0], %r0;\n"
                                                                    "call.uni f, (arg0);\n}\nret;\n"));
    assert_int_equal(TRY(r, 1, 32, 0, 0, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_STACK, "too deep");
    rig_expect_text(r, "kernel k, block (0,0,0)");
}

#define INDIRECT(result, target, argument)                                                                             \
    "{\n.param .b32 arg0;\n.param .b32 ret0;\nst.param.b32 [arg0], " argument ";\n"                                    \
    "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n"                                                   \
    "call (ret0), " target ", (arg0), prototype;\nld.param.b32 " result ", [ret0];\n}\n"

BEHAVIOUR(lanes_call_different_functions_through_pointers)
{
    rig_load(r, SQUARE_AND_ADD
             ".func (.param .b32 result) nested(.param .b32 x)\n{\n.reg .b32 %a, %b;\n"
             "ld.param.u32 %a, [x];\n" CALL(
                 "%b", "square",
                 "%a") "add.u32 %b, %b, 1;\nst.param.u32 [result], %b;\nret;\n}\n"
                       ".global .u64 table[3] = {square, thrice, nested};\n" KERNEL(
                           "rem.u32 %r10, %r0, 3;\n"
                           "mul.wide.u32 %d10, %r10, 8;\n"
                           "mov.u64 %d11, table;\n"
                           "add.s64 %d11, %d11, %d10;\n"
                           "ld.global.u64 %d12, [%d11];\n" INDIRECT(
                               "%r11", "%d12", "%r0") "st.global.u32 [%d2], %r11; // @end\n"
                                                      "mov.u64 %d13, square;\n" INDIRECT(
                                                          "%r12", "%d13", "%r11") "st.global.u32 [%d2], %r12;\n"
                                                                                  "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t x = i % 3 == 0 ? i * i : i % 3 == 1 ? 3 * i : i * i + 1;
        assert_int_equal(out[i], x * x);
    }
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(a_call_through_a_pointer_that_is_no_function_is_an_error)
{
    rig_load(r, SQUARE_AND_ADD KERNEL("mov.u64 %d10, square;\n"
                                      "setp.eq.u32 %p1, %r0, 5;\n"
                                      "@%p1 add.s64 %d10, %d10, 3;\n" INDIRECT("%r10", "%d10", "%r0") "ret;\n"));
    assert_int_equal(TRY(r, 1, 32, 0, 0, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_INSTRUCTION, "not a function");
    rig_expect_text(r, "thread (5,0,0)");
}

/* for (i = 0; i < 4; i++) { if (lane & 1) { if (lane > n) OUT; sum += 1; } sum += 16; } */
#define LOOP_WITH(out, end)                                                                                            \
    PTX("mov.u32 %r10, 0;\n"                                                                                           \
        "mov.u32 %r11, 0;\n"                                                                                           \
        "and.b32 %r12, %r0, 1;\n"                                                                                      \
        "setp.eq.u32 %p1, %r12, 0;\n"                                                                                  \
        "LOOP:\n"                                                                                                      \
        "@%p1 bra JOIN;\n"                                                                                             \
        "setp.gt.u32 %p2, %r0, %r2;\n"                                                                                 \
        "@%p2 " out ";\n"                                                                                              \
        "add.u32 %r11, %r11, 1; // @odd\n"                                                                             \
        "JOIN:\n"                                                                                                      \
        "add.u32 %r11, %r11, 16; // @join\n"                                                                           \
        "add.u32 %r10, %r10, 1;\n"                                                                                     \
        "setp.lt.u32 %p3, %r10, 4;\n"                                                                                  \
        "@%p3 bra LOOP;\n" end "END:\n"                                                                                \
        "ret;\n")

BEHAVIOUR(lanes_meet_in_every_turn_of_a_loop_that_none_of_them_returns_from_or_traps_in)
{
    static const char *const out[] = {
        LOOP_WITH("bra END", "st.global.u32 [%d2], %r11; // @after\n"),
        LOOP_WITH("ret", "st.global.u32 [%d2], %r11; // @after\n"),
        LOOP_WITH("exit", "st.global.u32 [%d2], %r11; // @after\n"),
        LOOP_WITH("trap", "st.global.u32 [%d2], %r11; // @after\n"),
        LOOP_WITH("bra OUT", "OUT:\nst.global.u32 [%d2], %r11; // @after\n"),
        LOOP_WITH("bra OUT",
                  "bra AFTER;\nOUT:\nst.global.u32 [%d2], 7;\nret;\nAFTER:\nst.global.u32 [%d2], %r11; // @after\n"),
    };
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        rig_load(r, out[i]);
        uint32_t *sum = rig_buffer(r, 32 * 4);
        RUN(r, 1, 32, P(sum), 0, 32);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(sum[lane], lane % 2 ? 68 : 64);
        MASKS(r, "odd", 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa);
        MASKS(r, "join", 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
        MASKS(r, "after", 0xffffffff);
    }
}

BEHAVIOUR(nobody_waits_inside_of_a_loop_for_lanes_that_left_it)
{
    rig_load(r, LOOP_WITH("bra OUT", "OUT:\nst.global.u32 [%d2], %r11; // @after\n"));
    uint32_t *sum = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(sum), 0, 15);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(sum[lane], lane % 2 == 0 ? 64 : lane > 15 ? 0 : 68);
    MASKS(r, "odd", 0x0000aaaa, 0x0000aaaa, 0x0000aaaa, 0x0000aaaa);
    MASKS(r, "join", 0x5555ffff, 0x5555ffff, 0x5555ffff, 0x5555ffff);
    MASKS(r, "after", 0xffffffff); /* those that left early wait here for the others */
    rig_load(r, LOOP_WITH("ret", "st.global.u32 [%d2], %r11; // @after\n"));
    sum = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(sum), 0, 15);
    MASKS(r, "join", 0x5555ffff, 0x5555ffff, 0x5555ffff, 0x5555ffff);
    MASKS(r, "after", 0x5555ffff);
}

BEHAVIOUR(lanes_meet_after_an_if_that_some_of_them_continue_from)
{
    /* do { if (lane & 1) { if (lane & 2) continue; odd } join } while (++i < 2) */
    rig_load(r, PTX("mov.u32 %r10, 0;\n"
                    "mov.u32 %r11, 0;\n"
                    "and.b32 %r12, %r0, 1;\n"
                    "setp.eq.u32 %p1, %r12, 0;\n"
                    "and.b32 %r13, %r0, 2;\n"
                    "setp.ne.u32 %p2, %r13, 0;\n"
                    "LOOP:\n"
                    "@%p1 bra JOIN;\n"
                    "@%p2 bra NEXT;\n"
                    "add.u32 %r11, %r11, 1; // @odd\n"
                    "JOIN:\n"
                    "add.u32 %r11, %r11, 16; // @join\n"
                    "NEXT:\n"
                    "add.u32 %r10, %r10, 1; // @next\n"
                    "setp.lt.u32 %p3, %r10, 2;\n"
                    "@%p3 bra LOOP;\n"
                    "st.global.u32 [%d2], %r11;\n"
                    "ret;\n"));
    uint32_t *sum = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(sum), 0, 0);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(sum[lane], lane % 4 == 3 ? 0 : lane % 2 ? 34 : 32);
    MASKS(r, "odd", 0x22222222, 0x22222222);
    MASKS(r, "join", 0x77777777, 0x77777777);
    MASKS(r, "next", 0xffffffff, 0xffffffff);
}

BEHAVIOUR(lanes_meet_in_each_turn_that_may_end_in_the_same_block)
{
    /* An unrolled loop: odd lanes may go to LAST from every turn, and none does. */
    rig_load(r, PTX("mov.u32 %r11, 0;\n"
                    "and.b32 %r12, %r0, 1;\n"
                    "setp.eq.u32 %p1, %r12, 0;\n"
                    "setp.gt.u32 %p2, %r0, %r2;\n"
                    "@%p1 bra FIRST;\n"
                    "@%p2 bra LAST;\n"
                    "FIRST:\n"
                    "add.u32 %r11, %r11, 1; // @first\n"
                    "@%p1 bra SECOND;\n"
                    "@%p2 bra LAST;\n"
                    "bra.uni SECOND;\n"
                    "SECOND:\n"
                    "add.u32 %r11, %r11, 16; // @second\n"
                    "bra END;\n"
                    "LAST:\n"
                    "mov.u32 %r11, 99; // @last\n"
                    "END:\n"
                    "st.global.u32 [%d2], %r11; // @end\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 32);
    MASKS(r, "first", 0xffffffff);
    MASKS(r, "second", 0xffffffff);
    MASKS(r, "end", 0xffffffff);
    RUN(r, 1, 32, P(out), 0, 15);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i % 2 && i > 15 ? 99 : 17);
    MASKS(r, "first", 0x5555ffff);
    MASKS(r, "second", 0x5555ffff);
    MASKS(r, "last", 0xaaaa0000);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(lanes_that_return_from_inside_of_a_function_meet_in_the_caller)
{
    rig_load(r, PTX_HEAD ".func (.param .b32 result) f(.param .b32 x)\n{\n.reg .b32 %a, %b, %c;\n.reg .pred %p<4>;\n"
                         "ld.param.u32 %a, [x];\n"
                         "mov.u32 %b, 0;\n"
                         "and.b32 %c, %a, 1;\n"
                         "setp.eq.u32 %p1, %c, 0;\n"
                         "LOOP:\n"
                         "@%p1 bra JOIN;\n"
                         "st.param.u32 [result], 5;\n"
                         "setp.eq.u32 %p2, %a, %b;\n"
                         "@%p2 ret;\n"
                         "JOIN:\n"
                         "add.u32 %b, %b, 1; // @join\n"
                         "setp.lt.u32 %p3, %b, 4;\n"
                         "@%p3 bra LOOP;\n"
                         "st.param.u32 [result], %a; // @slow\n"
                         "ret;\n}\n" KERNEL(CALL("%r10", "f", "%r0") "st.global.u32 [%d2], %r10; // @end\n"
                                                                     "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i == 1 || i == 3 ? 5 : i);
    MASKS(r, "join", 0xffffffff, 0xfffffffd, 0xfffffffd, 0xfffffff5);
    MASKS(r, "slow", 0xfffffff5);
    MASKS(r, "end", 0xffffffff);
}

/* Where a walk through a random graph continues from a block: branches look at a hash of all blocks so far. */
typedef struct crossing {
    uint32_t taken, bit;
} crossing;

static uint32_t walk(const crossing *graph, uint32_t blocks, uint32_t lane, uint32_t steps)
{
    uint32_t hash = lane * 2654435761u;
    for (uint32_t b = 0; b < blocks && steps--; b = hash >> graph[b].bit & 1 ? graph[b].taken : b + 1)
        hash = (hash + b) * 1664525u;
    return hash;
}

/* `ending`: what a lane does that has made all its steps. */
static void write_walk(char *text, const crossing *graph, uint32_t blocks, const char *ending)
{
    text += sprintf(text, "mul.lo.u32 %%r10, %%r0, 0x9E3779B1;\nmov.u32 %%r11, %%r2;\n");
    for (uint32_t b = 0; b < blocks; b++)
        text += sprintf(text,
                        "B%u:\nsetp.eq.u32 %%p1, %%r11, 0;\n@%%p1 %s;\nsub.u32 %%r11, %%r11, 1;\n"
                        "add.u32 %%r10, %%r10, %u;\nmul.lo.u32 %%r10, %%r10, 1664525;\nst.global.u32 [%%d2], %%r10;\n"
                        "shr.u32 %%r12, %%r10, %u;\nand.b32 %%r12, %%r12, 1;\nsetp.eq.u32 %%p2, %%r12, 1;\n"
                        "@%%p2 bra B%u;\n",
                        b, ending, b, graph[b].bit, graph[b].taken);
    sprintf(text, "END:\nret;\n}\n");
}

BEHAVIOUR(every_lane_finds_its_way_through_any_graph)
{
    uint32_t seed = 7;
    for (uint32_t round = 0; round < 40; round++) {
        crossing graph[12];
        uint32_t blocks = 4 + round % 9;
        for (uint32_t b = 0; b < blocks; b++) {
            seed = seed * 1664525 + 1013904223;
            graph[b] = (crossing){(seed >> 16) % blocks, (seed >> 8) % 24};
        }
        char text[8192];
        size_t head = (size_t)snprintf(text, sizeof text,
                                       "%s.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n%s%s",
                                       PTX_HEAD, PTX_REGS, PTX_START);
        write_walk(text + head, graph, blocks, round % 2 ? "bra END" : "exit");
        rig_load(r, text);
        uint32_t *out = rig_buffer(r, 64 * 4);
        RUN(r, 1, 64, P(out), 0, 50);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(out[i], walk(graph, blocks, i, 50));
    }
}

#define SWITCH(guard)                                                                                                  \
    PTX("rem.u32 %r10, %r0, 5;\n"                                                                                      \
        "mov.u32 %r11, 0;\n"                                                                                           \
        "setp.lt.u32 %p1, %r0, 24;\n"                                                                                  \
        "table: .branchtargets A, B, C, B, D;\n" guard "brx.idx %r10, table;\n"                                        \
        "add.u32 %r11, %r11, 1000; // @fall\n"                                                                         \
        "A:\n"                                                                                                         \
        "add.u32 %r11, %r11, 1; // @a\n"                                                                               \
        "bra END;\n"                                                                                                   \
        "B:\n"                                                                                                         \
        "add.u32 %r11, %r11, 20; // @b\n"                                                                              \
        "C:\n"                                                                                                         \
        "add.u32 %r11, %r11, 300; // @c\n"                                                                             \
        "D:\n"                                                                                                         \
        "END:\n"                                                                                                       \
        "st.global.u32 [%d2], %r11; // @end\n"                                                                         \
        "ret;\n")

BEHAVIOUR(a_branch_table_sends_every_lane_to_its_own_place)
{
    static const uint32_t expected[5] = {1, 320, 300, 320, 0};
    rig_load(r, SWITCH(""));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], expected[i % 5]);
    MASKS(r, "a", 0x42108421);
    MASKS(r, "b", 0x94a5294a);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(a_guarded_branch_table_is_passed_by_the_other_lanes)
{
    static const uint32_t expected[5] = {1, 320, 300, 320, 0};
    rig_load(r, SWITCH("@%p1 "));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 24 ? expected[i % 5] : 1001);
    MASKS(r, "fall", 0xff000000);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(a_branch_index_outside_of_its_table_is_an_error)
{
    rig_load(r, PTX("table: .branchtargets A, B;\n"
                    "brx.idx %r0, table;\n"
                    "A:\n"
                    "B:\n"
                    "ret;\n"));
    assert_int_equal(TRY(r, 1, 32, 0, 0, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_INSTRUCTION, "branch index 2 is outside of a table of 2");
    rig_expect_text(r, "thread (2,0,0)");
}

BEHAVIOUR(a_kernel_without_a_return_at_its_end_ends)
{
    rig_load(r, PTX("setp.eq.u32 %p1, %r0, 3;\n"
                    "@%p1 bra END;\n"
                    "st.global.u32 [%d2], 1;\n"
                    "END:\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i != 3);
}

BEHAVIOUR(a_loop_without_a_way_out_is_left_by_exit)
{
    rig_load(r, PTX("mov.u32 %r10, 0;\n"
                    "LOOP:\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "setp.gt.u32 %p1, %r10, %r0;\n"
                    "@!%p1 bra NOT_YET;\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "exit;\n"
                    "NOT_YET:\n"
                    "bra LOOP;\n"));
    uint32_t *out = rig_buffer(r, 40 * 4);
    RUN(r, 1, 40, P(out), 0, 0);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(out[i], i + 1);
}

BEHAVIOUR(a_function_is_left_out_of_an_endless_loop)
{
    rig_load(r, PTX_HEAD ".func (.param .b32 result) f(.param .b32 x)\n{\n.reg .b32 %a, %b;\n.reg .pred %p, %q;\n"
                         "ld.param.u32 %a, [x];\nmov.u32 %b, 0;\n"
                         "LOOP:\n"
                         "add.u32 %b, %b, 3;\n"
                         "setp.lt.u32 %p, %b, %a;\n"
                         "@%p bra LOOP;\n"
                         "st.param.u32 [result], %b;\n"
                         "ret;\n}\n" KERNEL(CALL("%r10", "f", "%r0") "st.global.u32 [%d2], %r10; // @end\n"
                                                                     "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 3 ? 3 : (i + 2) / 3 * 3);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(a_guard_that_holds_for_no_lane_skips_calls_barriers_and_exits)
{
    rig_load(r, SQUARE_AND_ADD KERNEL("{\n.param .b32 arg0;\n.param .b32 ret0;\n"
                                      "setp.gt.u32 %p1, %r0, 99;\n"
                                      "st.param.b32 [ret0], 4;\n"
                                      "@%p1 call (ret0), square, (arg0);\n"
                                      "@%p1 bar.sync 0;\n"
                                      "@%p1 exit;\n"
                                      "@%p1 ret;\n"
                                      "@%p1 trap;\n"
                                      "ld.param.b32 %r10, [ret0];\n}\n"
                                      "st.global.u32 [%d2], %r10; // @end\n"
                                      "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 4);
    MASKS(r, "end", 0xffffffff);
}

BEHAVIOUR(every_lane_may_go_its_own_way)
{
    /* A binary decision tree of depth five: 32 paths, each taken by one lane. */
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "%s.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n%s%s",
                                   PTX_HEAD, PTX_REGS, PTX_START "mov.u32 %r10, 0;\n");
    for (uint32_t node = 1; node < 32; node++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "N%u:\nadd.u32 %%r10, %%r10, %u;\nand.b32 %%r11, %%r0, %u;\n"
                                 "setp.ne.u32 %%p1, %%r11, 0;\n@%%p1 bra N%u;\nbra N%u;\n",
                                 node, node, 1u << (31 - __builtin_clz(node)), 2 * node + 1, 2 * node);
    for (uint32_t leaf = 32; leaf < 64; leaf++)
        used += (size_t)snprintf(text + used, sizeof text - used, "N%u:\nadd.u32 %%r10, %%r10, %u;\nbra END;\n", leaf,
                                 leaf * 1000);
    snprintf(text + used, sizeof text - used, "END:\nst.global.u32 [%%d2], %%r10; // @end\nret;\n}\n");
    rig_load(r, text);
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t node = 1, sum = 0;
        for (uint32_t bit = 0; bit < 5; bit++) {
            sum += node;
            node = 2 * node + (lane >> bit & 1);
        }
        assert_int_equal(out[lane], sum + node * 1000);
    }
    MASKS(r, "end", 0xffffffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(lanes_that_part_in_nested_ifs_meet_at_the_end_of_each),
        IT(a_loop_whose_lanes_leave_at_different_times_is_left_together),
        IT(a_loop_with_breaks_and_continues_is_left_together),
        IT(lanes_that_return_early_leave_the_others_alone),
        IT(threads_that_jumped_to_the_final_return_do_not_hold_up_a_barrier),
        IT(threads_that_return_inside_of_an_if_do_not_hold_up_a_barrier),
        IT(a_loop_with_a_barrier_goes_on_without_the_threads_that_left_it),
        IT(only_the_lanes_that_call_a_function_run_it),
        IT(a_guarded_call_runs_for_the_lanes_of_its_guard),
        IT(a_guarded_return_from_a_function_waits_for_the_other_lanes_in_the_caller),
        IT(exit_inside_of_a_function_ends_those_threads),
        IT(lanes_recurse_to_different_depths),
        IT(recursion_may_be_a_thousand_calls_deep),
        IT(endless_recursion_ends_with_a_full_stack),
        IT(lanes_call_different_functions_through_pointers),
        IT(a_call_through_a_pointer_that_is_no_function_is_an_error),
        IT(lanes_meet_in_every_turn_of_a_loop_that_none_of_them_returns_from_or_traps_in),
        IT(nobody_waits_inside_of_a_loop_for_lanes_that_left_it),
        IT(lanes_meet_after_an_if_that_some_of_them_continue_from),
        IT(lanes_meet_in_each_turn_that_may_end_in_the_same_block),
        IT(lanes_that_return_from_inside_of_a_function_meet_in_the_caller),
        IT(every_lane_finds_its_way_through_any_graph),
        IT(a_branch_table_sends_every_lane_to_its_own_place),
        IT(a_guarded_branch_table_is_passed_by_the_other_lanes),
        IT(a_branch_index_outside_of_its_table_is_an_error),
        IT(a_kernel_without_a_return_at_its_end_ends),
        IT(a_loop_without_a_way_out_is_left_by_exit),
        IT(a_function_is_left_out_of_an_endless_loop),
        IT(a_guard_that_holds_for_no_lane_skips_calls_barriers_and_exits),
        IT(every_lane_may_go_its_own_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
