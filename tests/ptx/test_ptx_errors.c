/* SPDX-License-Identifier: MIT */
/* Every bad input yields a place and a reason. */
#include "ptx_test.h"

static void expect_error(const char *text, const char *expected)
{
    sl_ptx_module *module;
    sl_error error;
    char message[2048];
    sl_status status = sl_ptx_parse(text, strlen(text), "t.ptx", &module, &error);
    if (status == SL_OK) {
        sl_ptx_free(module);
        fail_msg("accepted, but expected: %s", expected);
    }
    assert_int_equal(status, SL_SYNTAX);
    assert_null(module);
    assert_string_equal(sl_error_format(&error, message, sizeof message), expected);
}

static void text_that_is_not_ptx_is_told_so(void **state)
{
    (void)state;
    expect_error("", "t.ptx:1:1: expected a PTX module, which starts with .version, but the text ends here");
    expect_error("\x7f"
                 "ELF",
                 "t.ptx:1:1: this character does not occur in PTX");
    expect_error("int main() {}", "t.ptx:1:1: expected a PTX module, which starts with .version, found int");
    expect_error(".version x", "t.ptx:1:10: expected a version such as 7.8, found x");
}

static void an_undeclared_register_is_named_with_the_nearest_one(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("add.s32 %r1, %r2, %pp3;"),
                 "t.ptx:10:19: register %pp3 is not declared; did you mean %p3?");
    expect_error(PTX_KERNEL("add.s32 %r1, %tid.x, %ntidd;"),
                 "t.ptx:10:22: register %ntidd is not declared; did you mean %ntid?");
    expect_error(PTX_KERNEL("@%pq bra L;\nL:"), "t.ptx:10:2: register %pq is not declared; did you mean %p?");
}

static void a_register_beyond_its_range_is_told_the_range(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("add.s32 %r1, %r2, %r30;"),
                 "t.ptx:10:19: register %r30 is not declared: %r<30> ends at %r29");
}

static void an_undefined_label_is_named_with_the_nearest_one(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("$L_loop:\n  bra $L_lop;"),
                 "t.ptx:11:7: label $L_lop is not defined in k; did you mean $L_loop?");
    expect_error(PTX_KERNEL("t: .branchtargets A_one, A_tow;\nA_one: A_two: brx.idx %r1, t;"),
                 "t.ptx:10:26: label A_tow is not defined in k; did you mean A_two?");
}

static void a_label_inside_a_scope_is_not_seen_from_outside(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("{\ninner:\n}\nbra inner;"),
                 "t.ptx:13:5: label inner of line 11 is inside a scope that does not reach here");
}

static void an_undeclared_symbol_is_named_with_the_nearest_one(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("mov.u64 %rd1, tabel;") ".global .u32 table;",
                 "t.ptx:10:15: tabel is not declared; did you mean table?");
    expect_error(PTX_KERNEL("call nowhere;"), "t.ptx:10:6: nowhere is not declared");
}

static void a_missing_semicolon_is_noticed_at_the_next_token(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("add.s32 %r1, %r2, %r3\nadd.s32 %r1, %r2, %r3;"),
                 "t.ptx:11:1: expected ';' or ',' after an operand, found add");
}

static void names_cannot_be_declared_twice_in_a_scope(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("L:\nL:"), "t.ptx:11:1: L is already the name of a label in this scope");
    expect_error(PTX_KERNEL(".reg .b32 %x;"), "t.ptx:10:11: %x is already the name of a register in this scope");
    expect_error(PTX_KERNEL(".local .b32 in;"), "t.ptx:10:13: in is already the name of a variable in this scope");
    expect_error(PTX_HEAD ".func f() {ret;}\n.func f() {ret;}",
                 "t.ptx:5:7: function f is defined twice; the first time in line 4");
}

static void a_guard_must_be_a_predicate(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("@%r1 ret;"), "t.ptx:10:2: the guard %r1 is not a predicate");
    expect_error(PTX_KERNEL("@5 ret;"), "t.ptx:10:2: expected a predicate register after '@', found 5");
}

static void wrong_numbers_are_quoted(void **state)
{
    (void)state;
    expect_error(PTX_KERNEL("mov.u32 %r1, 0x;"), "t.ptx:10:14: 0x is not a number");
    expect_error(PTX_KERNEL("mov.u32 %r1, 09;"), "t.ptx:10:14: 09 is not a number");
    expect_error(PTX_KERNEL("mov.u32 %r1, 12abc;"), "t.ptx:10:14: 12abc is not a number");
    expect_error(PTX_KERNEL("mov.u64 %rd1, 18446744073709551616;"),
                 "t.ptx:10:15: 18446744073709551616 does not fit in 64 bits");
    expect_error(PTX_KERNEL("mov.f32 %f1, 0f3F80;"), "t.ptx:10:14: 0f3F80 must have 8 hexadecimal digits after 0f");
    expect_error(PTX_KERNEL("mov.u32 %r1, 1/0;"), "t.ptx:10:17: a constant expression divides by zero");
}

static void declarations_say_what_is_missing(void **state)
{
    (void)state;
    expect_error(PTX_HEAD ".global x;", "t.ptx:4:9: expected the type of a variable, found x");
    expect_error(PTX_HEAD ".global .u32;", "t.ptx:4:13: expected the name of a variable, found ;");
    expect_error(PTX_HEAD ".global .align 3 .u32 x;", "t.ptx:4:16: an alignment must be a power of two");
    expect_error(PTX_HEAD ".global .u32 x[3][];", "t.ptx:4:18: only the first dimension of an array may be left open");
    expect_error(PTX_HEAD ".global .u32 x[2] = {1, 2, 3};",
                 "t.ptx:4:29: x has room for 2 elements, but more are given");
    expect_error(PTX_HEAD ".global .u32 x[2][2] = {{1, 2, 3}};", "t.ptx:4:34: this row of x has more than 2 elements");
    expect_error(PTX_HEAD ".global .u32 x[99999999][99999999999];", "t.ptx:4:25: x is larger than any memory");
    expect_error(PTX_HEAD ".visible .pragma \"x\";",
                 "t.ptx:4:10: expected .entry, .func or the space of a variable after the linkage, found .pragma");
}

static void a_body_without_an_end_says_which_brace_is_open(void **state)
{
    (void)state;
    expect_error(PTX_HEAD ".entry k()\n{\nret;\n  {\n",
                 "t.ptx:8:1: the text ends inside function k; a '{' after line 7 column 3 has no '}'");
    expect_error(PTX_HEAD ".section .debug {\n{ }\n", "t.ptx:4:17: this bracket is never closed");
}

static void absurd_nesting_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    static char text[200000];
    char *end = stpcpy(text, PTX_HEAD ".global .u32 x = ");
    memset(end, '(', 100000);
    expect_error(text, "t.ptx:4:146: this is nested more than 128 levels deep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_is_not_ptx_is_told_so),
        cmocka_unit_test(an_undeclared_register_is_named_with_the_nearest_one),
        cmocka_unit_test(a_register_beyond_its_range_is_told_the_range),
        cmocka_unit_test(an_undefined_label_is_named_with_the_nearest_one),
        cmocka_unit_test(a_label_inside_a_scope_is_not_seen_from_outside),
        cmocka_unit_test(an_undeclared_symbol_is_named_with_the_nearest_one),
        cmocka_unit_test(a_missing_semicolon_is_noticed_at_the_next_token),
        cmocka_unit_test(names_cannot_be_declared_twice_in_a_scope),
        cmocka_unit_test(a_guard_must_be_a_predicate),
        cmocka_unit_test(wrong_numbers_are_quoted),
        cmocka_unit_test(declarations_say_what_is_missing),
        cmocka_unit_test(a_body_without_an_end_says_which_brace_is_open),
        cmocka_unit_test(absurd_nesting_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
