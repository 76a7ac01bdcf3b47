/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <string.h>

#include "support.h"

typedef struct values {
    bool flag;
    const char *name;
    uint64_t count, bytes;
    int choice;
    uint64_t version;
    const char *host;
    const char *json, *csv;
    sl_option_list list;
    sl_option_range range;
    uint32_t dims[3];
} values;

#define AT(field) offsetof(values, field)
static const char *const choices[] = {"best", "portable", "v2", "v3", NULL};
static const sl_option specific[] = {
    {"flag", 'f', SL_OPTION_FLAG, NULL, "", AT(flag), 0, 0, NULL},
    {"name", 'n', SL_OPTION_STRING, "TEXT", "", AT(name), 0, 0, NULL},
    {"count", 'c', SL_OPTION_NUMBER, "N", "", AT(count), 2, 5000000, NULL},
    {"bytes", 0, SL_OPTION_BYTES, "BYTES", "", AT(bytes), 0, 0, NULL},
    {"isa", 0, SL_OPTION_CHOICE, "NAME", "", AT(choice), 0, 0, choices},
    {"version", 0, SL_OPTION_VERSION, "X.Y", "", AT(version), 50, 130, NULL},
    {"host", 0, SL_OPTION_NAME, "NAME", "", AT(host), 0, 0, choices},
    {0},
};
static const sl_option shared[] = {
    {"json", 0, SL_OPTION_FILE, "FILE", "", AT(json), 0, 0, NULL},
    {"csv", 0, SL_OPTION_FILE, "FILE", "", AT(csv), 0, 0, NULL},
    {"arg", 'a', SL_OPTION_LIST, "VALUE", "", AT(list), 0, 0, NULL},
    {"launch", 0, SL_OPTION_RANGE, "A-B", "", AT(range), 0, 1000, NULL},
    {"grid", 0, SL_OPTION_DIMS, "X,Y,Z", "", AT(dims), 1, 65535, NULL},
    {0},
};
static const sl_option *const tables[] = {specific, shared};

typedef struct parsed {
    sl_status status;
    values v;
    sl_args args;
    sl_error error;
    char text[512], *argv[32];
} parsed;

/* Parses the words of `line`, which are separated by single spaces; the result lives until the next call of `release`.
 */
static parsed *parse(parsed *p, size_t min_operands, const char *line)
{
    memset(p, 0, sizeof *p);
    snprintf(p->text, sizeof p->text, "%s", line);
    int argc = 0;
    for (char *word = strtok(p->text, " "); word; word = strtok(NULL, " "))
        p->argv[argc++] = word;
    p->status = sl_options_parse(tables, 2, argc, p->argv, min_operands, &p->v, &p->args, &p->error);
    return p;
}

static void release(parsed *p)
{
    sl_args_fini(tables, 2, &p->v, &p->args);
}

static void expect_error(const char *line, const char *text)
{
    parsed p;
    parse(&p, 0, line);
    assert_int_equal(p.status, SL_INVALID);
    assert_string_equal(p.error.text, text);
    release(&p);
}

static void values_come_as_the_next_word_or_after_an_equals_sign(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 0, "--name a --count=7 file --flag")->status, SL_OK);
    assert_string_equal(p.v.name, "a");
    assert_int_equal(p.v.count, 7);
    assert_true(p.v.flag);
    assert_int_equal(p.args.operands, 1);
    assert_string_equal(p.args.operand[0], "file");
    release(&p);
    assert_int_equal(parse(&p, 0, "-nb -c 9 -f --name=")->status, SL_INVALID);
    release(&p);
    assert_int_equal(parse(&p, 0, "-nb -c 9 -f")->status, SL_OK);
    assert_string_equal(p.v.name, "b");
    assert_int_equal(p.v.count, 9);
    release(&p);
}

static void a_value_may_look_like_an_option(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 0, "--name --flag -a -5")->status, SL_OK);
    assert_string_equal(p.v.name, "--flag");
    assert_false(p.v.flag);
    assert_string_equal(p.v.list.item[0], "-5");
    release(&p);
}

static void what_follows_two_dashes_is_left_alone(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 1, "--flag -- ./app --name x -- y")->status, SL_OK);
    assert_null(p.v.name);
    assert_int_equal(p.args.operands, 0);
    static const char *const expected[] = {"./app", "--name", "x", "--", "y"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(p.args.program[i], expected[i]);
    assert_null(p.args.program[5]);
    release(&p);
}

static void numbers_take_suffixes_of_their_kind(void **state)
{
    (void)state;
    uint64_t value;
    assert_true(sl_parse_count("10M", 1000, &value) && value == 10000000);
    assert_true(sl_parse_count("64K", 1024, &value) && value == 65536);
    assert_true(sl_parse_count("1.5G", 1024, &value) && value == 1610612736);
    assert_true(sl_parse_count("2.5k", 1000, &value) && value == 2500);
    assert_true(sl_parse_count("1T", 1000, &value) && value == 1000000000000);
    assert_true(sl_parse_count("4MiB", 1024, &value) && value == 4194304);
    assert_true(sl_parse_count("18446744073709551615", 1000, &value) && value == UINT64_MAX);
}

static void what_is_no_whole_number_is_refused(void **state)
{
    (void)state;
    uint64_t value;
    static const char *const wrong[] = {"",
                                        "K",
                                        "-1",
                                        "+1",
                                        "1.",
                                        "1.5",
                                        "0x10",
                                        " 1",
                                        "1 ",
                                        "1Q",
                                        "1.0001K",
                                        "1KK",
                                        "1.5.5K",
                                        "1MiB",
                                        "1e3",
                                        "18446744073709551616",
                                        "18446744073709551615K"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (sl_parse_count(wrong[i], 1000, &value))
            fail_msg("'%s' was taken for %llu", wrong[i], (unsigned long long)value);
}

static void numbers_out_of_range_are_refused_with_the_range(void **state)
{
    (void)state;
    expect_error("--count 1", "--count: 1 is not between 2 and 5000000");
    expect_error("--count 5.1M", "--count: 5.1M is not between 2 and 5000000");
    expect_error("--count many", "--count: 'many' is not a number");
    expect_error("--bytes 12Q", "--bytes: '12Q' is not a number of bytes (such as 64K or 1.5G)");
}

static void a_wrong_choice_is_answered_with_the_right_ones(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 0, "--isa v2")->status, SL_OK);
    assert_int_equal(p.v.choice, 2);
    release(&p);
    expect_error("--isa v4", "--isa: 'v4' is not one of best, portable, v2, v3; did you mean 'v2'?");
    expect_error("--isa sse", "--isa: 'sse' is not one of best, portable, v2, v3");
}

static void a_wrong_option_is_answered_with_the_nearest(void **state)
{
    (void)state;
    expect_error("--lunch 3", "unknown option '--lunch'; did you mean '--launch'?");
    expect_error("--jsn=x", "unknown option '--jsn'; did you mean '--json'?");
    expect_error("--hepl", "unknown option '--hepl'; did you mean '--help'?");
    expect_error("-z", "unknown option '-z'");
    expect_error("-json", "unknown option '-json'; did you mean '--json'?");
}

static void a_missing_or_surplus_value_is_told(void **state)
{
    (void)state;
    expect_error("--name", "--name needs a value: TEXT");
    expect_error("--name -- ./app", "--name needs a value: TEXT");
    expect_error("--flag=yes", "--flag takes no value");
    expect_error("--count 3 --count 4", "--count is given twice");
}

static void a_file_may_be_left_out_and_means_standard_output_then(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 1, "--json f.json -- ./app")->status, SL_OK);
    assert_string_equal(p.v.json, "f.json");
    release(&p);
    assert_int_equal(parse(&p, 1, "--json -- ./app")->status, SL_OK);
    assert_string_equal(p.v.json, "-");
    release(&p);
    assert_int_equal(parse(&p, 1, "t.slt --json --flag")->status, SL_OK);
    assert_string_equal(p.v.json, "-");
    assert_true(p.v.flag);
    release(&p);
    assert_int_equal(parse(&p, 1, "t.slt --json - --csv=c.csv")->status, SL_OK);
    assert_string_equal(p.v.json, "-");
    assert_string_equal(p.v.csv, "c.csv");
    release(&p);
}

static void a_missing_operand_is_taken_back_from_the_file_before_it(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 1, "--json t.slt")->status, SL_OK);
    assert_string_equal(p.v.json, "-");
    assert_int_equal(p.args.operands, 1);
    assert_string_equal(p.args.operand[0], "t.slt");
    release(&p);
    assert_int_equal(parse(&p, 2, "--json a b")->status, SL_OK);
    assert_string_equal(p.args.operand[0], "a");
    assert_string_equal(p.args.operand[1], "b");
    release(&p);
    /* Written with an equals sign it is a file and nothing else. */
    assert_int_equal(parse(&p, 1, "--json=t.slt")->status, SL_OK);
    assert_string_equal(p.v.json, "t.slt");
    assert_int_equal(p.args.operands, 0);
    release(&p);
}

static void repeated_options_are_collected_in_order(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 0, "--arg 1 -a 2 --arg=x=3")->status, SL_OK);
    assert_int_equal(p.v.list.count, 3);
    assert_string_equal(p.v.list.item[0], "1");
    assert_string_equal(p.v.list.item[1], "2");
    assert_string_equal(p.v.list.item[2], "x=3");
    release(&p);
}

static void ranges_are_one_number_or_two(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 0, "--launch 3-17")->status, SL_OK);
    assert_true(p.v.range.given);
    assert_int_equal(p.v.range.first, 3);
    assert_int_equal(p.v.range.last, 17);
    release(&p);
    assert_int_equal(parse(&p, 0, "--launch 0")->status, SL_OK);
    assert_true(p.v.range.given);
    assert_int_equal(p.v.range.last, 0);
    release(&p);
    expect_error("--launch 9-3", "--launch: the range 9-3 ends before it begins");
    expect_error("--launch 3-", "--launch: '3-' is neither a number nor a range A-B");
    expect_error("--launch -3", "--launch: '-3' is neither a number nor a range A-B");
    expect_error("--launch 3-1001", "--launch: 3-1001 is not between 0 and 1000");
}

static void dimensions_that_are_left_out_are_one(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 0, "--grid 16,8")->status, SL_OK);
    assert_int_equal(p.v.dims[0], 16);
    assert_int_equal(p.v.dims[1], 8);
    assert_int_equal(p.v.dims[2], 1);
    release(&p);
    expect_error("--grid 1,2,3,4", "--grid: '1,2,3,4' is not X, X,Y or X,Y,Z");
    expect_error("--grid 1,,2", "--grid: '1,,2' is not X, X,Y or X,Y,Z");
    expect_error("--grid 0", "--grid: 0 is not between 1 and 65535");
}

static void the_options_that_were_given_are_listed_in_table_order(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 0, "--grid 1 --flag --arg 1 --arg 2 --name x --flag")->status, SL_OK);
    static const char *const expected[] = {"flag", "name", "arg", "grid"};
    assert_int_equal(p.args.sets, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(p.args.set[i]->name, expected[i]);
    release(&p);
}

static void values_are_told_as_they_could_be_typed(void **state)
{
    (void)state;
    static const char *const expected[][2] = {{"flag", "true"},  {"count", "5000"}, {"bytes", "65536"},
                                              {"isa", "v3"},     {"json", "f"},     {"arg", "1 x"},
                                              {"launch", "3-3"}, {"grid", "2,4,1"}};
    parsed p;
    char text[64];
    assert_int_equal(parse(&p, 0, "-f -c 5K --bytes 64K --isa v3 --json f -a 1 -a x --launch 3 --grid 2,4")->status,
                     SL_OK);
    assert_int_equal(p.args.sets, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_string_equal(p.args.set[i]->name, expected[i][0]);
        assert_string_equal(sl_option_text(p.args.set[i], &p.v, text, sizeof text), expected[i][1]);
    }
    assert_string_equal(sl_option_text(p.args.set[5], &p.v, text, 3), "1 ");
    release(&p);
}

static void versions_are_checked_and_become_tens(void **state)
{
    (void)state;
    parsed p;
    char text[32];
    assert_int_equal(parse(&p, 0, "--version 12.1")->status, SL_OK);
    assert_int_equal(p.v.version, 121);
    assert_string_equal(sl_option_text(p.args.set[0], &p.v, text, sizeof text), "12.1");
    release(&p);
    expect_error("--version nonsense", "--version: 'nonsense' is not a version X.Y, such as 9.0");
    expect_error("--version 9", "--version: '9' is not a version X.Y, such as 9.0");
    expect_error("--version -9.0", "--version: '-9.0' is not a version X.Y, such as 9.0");
    expect_error("--version 9.0a", "--version: '9.0a' is not a version X.Y, such as 9.0");
    expect_error("--version 3.5", "--version: 3.5 is lower than 5.0");
    expect_error("--version 13.1", "--version: 13.1 is higher than 13.0");
}

static void a_name_is_one_of_the_choices(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 0, "--host v2")->status, SL_OK);
    assert_ptr_equal(p.v.host, choices[2]);
    release(&p);
    expect_error("--host v9", "--host: 'v9' is not one of best, portable, v2, v3; did you mean 'v2'?");
}

static void help_stops_the_reading(void **state)
{
    (void)state;
    parsed p;
    assert_int_equal(parse(&p, 3, "--count 3 -h --frobnicate")->status, SL_OK);
    assert_true(p.args.help);
    release(&p);
    assert_int_equal(parse(&p, 0, "-- ./app --help")->status, SL_OK);
    assert_false(p.args.help);
    release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_as_the_next_word_or_after_an_equals_sign),
        cmocka_unit_test(a_value_may_look_like_an_option),
        cmocka_unit_test(what_follows_two_dashes_is_left_alone),
        cmocka_unit_test(numbers_take_suffixes_of_their_kind),
        cmocka_unit_test(what_is_no_whole_number_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused_with_the_range),
        cmocka_unit_test(a_wrong_choice_is_answered_with_the_right_ones),
        cmocka_unit_test(a_wrong_option_is_answered_with_the_nearest),
        cmocka_unit_test(a_missing_or_surplus_value_is_told),
        cmocka_unit_test(a_file_may_be_left_out_and_means_standard_output_then),
        cmocka_unit_test(a_missing_operand_is_taken_back_from_the_file_before_it),
        cmocka_unit_test(repeated_options_are_collected_in_order),
        cmocka_unit_test(ranges_are_one_number_or_two),
        cmocka_unit_test(dimensions_that_are_left_out_are_one),
        cmocka_unit_test(the_options_that_were_given_are_listed_in_table_order),
        cmocka_unit_test(values_are_told_as_they_could_be_typed),
        cmocka_unit_test(versions_are_checked_and_become_tens),
        cmocka_unit_test(a_name_is_one_of_the_choices),
        cmocka_unit_test(help_stops_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
