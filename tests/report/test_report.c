/* SPDX-License-Identifier: MIT */
/* Reports: JSON that parsers accept, tables that fit, numbers that people read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/inst_name.h"
#include "analysis/launch_log.h"
#include "base/json_write.h"
#include "base/text.h"
#include "report/results.h"
#include "report/table.h"

typedef struct capture {
    FILE *file;
    char *text;
    size_t size;
} capture;

static FILE *capture_start(capture *c)
{
    c->file = open_memstream(&c->text, &c->size);
    assert_non_null(c->file);
    return c->file;
}

static void capture_is(capture *c, const char *expected)
{
    fclose(c->file);
    assert_string_equal(c->text, expected);
    free(c->text);
}

static void json_escapes_and_separates(void **state)
{
    (void)state;
    capture c;
    sl_json j;
    sl_json_start(&j, capture_start(&c));
    sl_json_object(&j, false);
    sl_json_key(&j, "a\"b");
    sl_json_string(&j, "line\nback\\slash\t\x01 \xc3\xa9 \xff");
    sl_json_key(&j, "list");
    sl_json_array(&j, true);
    sl_json_u64(&j, UINT64_MAX);
    sl_json_double(&j, 0.1);
    sl_json_bool(&j, true);
    sl_json_null(&j);
    sl_json_object(&j, true);
    sl_json_close(&j, '}');
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    assert_int_equal(sl_json_finish(&j, NULL), SL_OK);
    capture_is(&c, "{\"a\\\"b\": \"line\\nback\\\\slash\\t\\u0001 \xc3\xa9 \xef\xbf\xbd\", \"list\": [\n"
                   "  18446744073709551615,\n  0.1,\n  true,\n  null,\n  {}\n ]}\n");
}

static void numbers_read_back_and_read_well(void **state)
{
    (void)state;
    char b[SL_DOUBLE_BYTES];
    assert_string_equal(sl_double_text(0.1, b), "0.1");
    assert_string_equal(sl_double_text(1e300, b), "1e+300");
    assert_string_equal(sl_double_text(-655360, b), "-655360");
    assert_string_equal(sl_double_text(1.0 / 3, b), "0.3333333333333333");
    assert_string_equal(sl_human_count(0, b), "0");
    assert_string_equal(sl_human_count(999, b), "999");
    assert_string_equal(sl_human_count(99999, b), "99,999");
    assert_string_equal(sl_human_count(131072, b), "131 K");
    assert_string_equal(sl_human_count(999499, b), "999 K");
    assert_string_equal(sl_human_count(999500, b), "1.00 M");
    assert_string_equal(sl_human_count(4194304, b), "4.19 M");
    assert_string_equal(sl_human_count(41943040, b), "41.9 M");
    assert_string_equal(sl_human_count(UINT64_MAX, b), "18.4 E");
    assert_string_equal(sl_human_bytes(512, b), "512 B");
    assert_string_equal(sl_human_bytes(1536, b), "1.50 KiB");
    assert_string_equal(sl_human_bytes(3u << 20, b), "3.00 MiB");
    assert_string_equal(sl_human_bytes(1023u << 10, b), "1023 KiB");
}

static void columns_of_utf8_are_counted_as_seen(void **state)
{
    (void)state;
    assert_int_equal(sl_utf8_columns("abc"), 3);
    assert_int_equal(sl_utf8_columns("\xc3\xa9t\xc3\xa9"), 3);
    assert_int_equal(sl_utf8_columns("e\xcc\x81"), 1);
    assert_int_equal(sl_utf8_columns("\xe6\xbc\xa2\xe5\xad\x97"), 4);
    assert_int_equal(sl_utf8_columns("\xff\xfe"), 2);
    assert_int_equal(sl_utf8_prefix("\xe6\xbc\xa2\xe5\xad\x97", 3), 3);
}

static void a_table_aligns_and_fits(void **state)
{
    (void)state;
    static const sl_column columns[] = {SL_NAMES("kernel"), SL_NUMBERS("sectors")};
    sl_table *t = sl_table_create(columns, 2);
    sl_table_cell(t, "a_very_long_kernel_name");
    sl_table_cell(t, "12");
    sl_table_cell(t, "\xc3\xa9");
    sl_table_cellf(t, "%d", 131072);
    capture c;
    assert_int_equal(sl_table_print(t, capture_start(&c), 0, NULL), SL_OK);
    capture_is(&c, "kernel                   sectors\n"
                   "a_very_long_kernel_name       12\n"
                   "\xc3\xa9                         131072\n");
    assert_int_equal(sl_table_print(t, capture_start(&c), 20, NULL), SL_OK);
    capture_is(&c, "kernel       sectors\n"
                   "a_ver\xe2\x80\xa6_name       12\n"
                   "\xc3\xa9             131072\n");
    sl_table_destroy(t);
}

static void csv_quotes_what_needs_it(void **state)
{
    (void)state;
    capture c;
    capture_start(&c);
    sl_csv_field(c.file, "plain");
    fputc(',', c.file);
    sl_csv_field(c.file, "f(int, \"x\")");
    capture_is(&c, "plain,\"f(int, \"\"x\"\")\"");
}

/* Two launches of one kernel with a load and a store. */
static sl_launch_log *make_log(void)
{
    static const char strings[] = "\0ld.global.f32\0st.global.f32\0A\0C\0dir/a.cu";
    static const sl_inst inst[] = {{.op_class = SL_CLASS_MEMORY,
                                    .space = SL_MEM_GLOBAL,
                                    .access = SL_ACCESS_LOAD,
                                    .width = 4,
                                    .opcode = 1,
                                    .pc = 12,
                                    .ptx_line = 34,
                                    .source_file = 33,
                                    .source_line = 17,
                                    .array = 29,
                                    .mem_slot = 0},
                                   {.op_class = SL_CLASS_MEMORY,
                                    .space = SL_MEM_GLOBAL,
                                    .access = SL_ACCESS_STORE,
                                    .width = 4,
                                    .opcode = 15,
                                    .pc = 13,
                                    .ptx_line = 35,
                                    .array = 31,
                                    .mem_slot = 1}};
    static const uint32_t mem_inst[] = {0, 1};
    static const sl_trace_bb bb = {0, 2};
    static const sl_trace_kernel kernel = {.symbol = "_Z8k_rowdotPKf",
                                           .name = "k_rowdot",
                                           .insts = 2,
                                           .inst = inst,
                                           .bbs = 1,
                                           .bb = &bb,
                                           .mem_slots = 2,
                                           .mem_inst = mem_inst,
                                           .strings = strings,
                                           .strings_bytes = sizeof strings};
    sl_launch_log *log;
    assert_int_equal(sl_launch_log_create(&log, NULL), SL_OK);
    for (uint64_t n = 0; n < 2; n++) {
        sl_trace_launch launch = {.grid = {32, 1, 1}, .block = {16, 16, 1}, .lanes = 32, .blocks_recorded = 32};
        sl_counts slot[2] = {0};
        sl_launch_counts counts = {.slots = 2, .slot = slot};
        sl_counts_add(&slot[0], SL_COUNTER_ld_requests, 131072);
        sl_counts_add(&slot[0], SL_COUNTER_ld_sectors, 524288);
        sl_counts_add(&slot[1], SL_COUNTER_st_requests, n);
        sl_counts_add(&slot[1], SL_COUNTER_st_sectors, 4 * n);
        sl_counts_merge(&counts.total, &slot[0]);
        sl_counts_merge(&counts.total, &slot[1]);
        sl_counts_add(&counts.total, SL_COUNTER_warp_insts, 1000);
        sl_launch_result result = {.index = n * 2, .kernel = &kernel, .launch = &launch, .counts = &counts};
        assert_int_equal(sl_launch_log_add(log, &result, NULL), SL_OK);
    }
    return log;
}

static void log_kernel(sl_launch_log *log, const char *symbol, const char *name)
{
    const sl_trace_kernel kernel = {.symbol = symbol, .name = name};
    const sl_trace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .lanes = 32};
    const sl_launch_counts counts = {0};
    const sl_launch_result result = {.kernel = &kernel, .launch = &launch, .counts = &counts};
    assert_int_equal(sl_launch_log_add(log, &result, NULL), SL_OK);
}

static void kernels_of_one_template_are_told_apart_by_their_arguments(void **state)
{
    (void)state;
    sl_launch_log *log;
    assert_int_equal(sl_launch_log_create(&log, NULL), SL_OK);
    log_kernel(log, "_Z6reduceIfLi32EEvPT_", "reduce");
    assert_string_equal(log->launches.items[0].kernel->name, "reduce");
    log_kernel(log, "_Z4scanIfEvPT_", "scan");
    log_kernel(log, "_Z6reduceIfLi64EEvPT_", "reduce");
    assert_string_equal(log->launches.items[0].kernel->name, "reduce<float, 32>");
    assert_string_equal(log->launches.items[1].kernel->name, "scan");
    assert_string_equal(log->launches.items[2].kernel->name, "reduce<float, 64>");
    sl_launch_log_destroy(log);
}

#define LOAD(line, place, block, in)                                                                                   \
    {                                                                                                                  \
        "ld.f32", "a.cu", in, .ptx_line = line, .source_line = place, .bb = block, .inner_file = ""                    \
    }

static const char *located(const sl_inst_name *inst)
{
    static char text[64];
    return sl_inst_location(inst, text, sizeof text);
}

static void loads_of_one_line_are_told_apart_by_their_ptx_line(void **state)
{
    (void)state;
    sl_inst_name inst[] = {LOAD(10, 7, 1, "A"), LOAD(11, 9, 1, "A"), LOAD(12, 7, 1, "B"), LOAD(13, 8, 2, "A"),
                           LOAD(14, 8, 2, "A")};
    assert_true(sl_insts_distinguish(inst, 5));
    assert_string_equal(located(&inst[0]), "a.cu:7, PTX 10");
    assert_string_equal(located(&inst[2]), "a.cu:7, PTX 12");
    assert_string_equal(located(&inst[1]), "a.cu:9");
    /* a[i] + a[i + n]: equal but for their place in PTX */
    assert_string_equal(located(&inst[3]), "a.cu:8, PTX 13");
    assert_string_equal(located(&inst[4]), "a.cu:8, PTX 14");
    assert_false(sl_inst_same_row(&inst[3], &inst[4]));
}

static void copies_that_a_loop_was_unrolled_into_are_one_row(void **state)
{
    (void)state;
    /* The loop, and the iterations that are left: s += a[j] */
    sl_inst_name one[] = {LOAD(10, 7, 1, "A"), LOAD(11, 7, 1, "A"), LOAD(12, 7, 1, "A"), LOAD(13, 7, 2, "A")};
    assert_true(sl_insts_distinguish(one, 4));
    assert_string_equal(located(&one[0]), "a.cu:7");
    for (int i = 1; i < 4; i++)
        assert_true(sl_inst_same_row(&one[0], &one[i]));
    /* s += a[j] + a[j * n] */
    sl_inst_name two[] = {LOAD(10, 7, 1, "A"), LOAD(11, 7, 1, "A"), LOAD(12, 7, 1, "A"),
                          LOAD(13, 7, 1, "A"), LOAD(20, 7, 2, "A"), LOAD(21, 7, 2, "A")};
    assert_true(sl_insts_distinguish(two, 6));
    for (int i = 0; i < 6; i++)
        assert_true(sl_inst_same_row(&two[i % 2], &two[i]) && !sl_inst_same_row(&two[!(i % 2)], &two[i]));
    /* All of them in one block. */
    sl_inst_name all[SL_MAX_COPIES_APART + 1];
    for (uint32_t i = 0; i <= SL_MAX_COPIES_APART; i++)
        all[i] = (sl_inst_name)LOAD(10 + i, 7, 1, "A");
    assert_true(sl_insts_distinguish(all, SL_MAX_COPIES_APART + 1));
    assert_true(sl_inst_same_row(&all[0], &all[SL_MAX_COPIES_APART]));
    assert_true(sl_insts_distinguish(all, SL_MAX_COPIES_APART));
    assert_false(sl_inst_same_row(&all[0], &all[SL_MAX_COPIES_APART - 1]));
}

/* Writes launches in one form, as `report` puts them into a document. */
static void write_launches(capture *c, const sl_launch_log *log, void (*report)(sl_document *, const sl_launch_log *),
                           unsigned form, size_t width)
{
    const sl_report_info info = {.command = "run"};
    sl_document *d = sl_document_create(&info, form);
    report(d, log);
    assert_int_equal(sl_document_write(d, form, capture_start(c), width, NULL), SL_OK);
    sl_document_destroy(d);
}

static void launches_alone(sl_document *d, const sl_launch_log *log)
{
    sl_document_launches(d, log, NULL);
}

static void launches_become_the_json_of_the_specification(void **state)
{
    (void)state;
    sl_launch_log *log = make_log();
    capture c;
    uint64_t seed = 1;
    sl_report_option option = {"lanes", "32"};
    sl_report_info info = {.command = "run", .option = &option, .options = 1, .seed = &seed};
    sl_document *d = sl_document_create(&info, SL_FORM_JSON);
    sl_document_launches(d, log, NULL);
    assert_int_equal(sl_document_write(d, SL_FORM_JSON, capture_start(&c), 0, NULL), SL_OK);
    sl_document_destroy(d);
    capture_is(
        &c,
        "{\n \"tool\": \"sluice\",\n \"schema\": 1,\n \"version\": \"" SLUICE_VERSION "\",\n \"command\": \"run\",\n"
        " \"options\": {\"lanes\": \"32\"},\n \"seed\": 1,\n \"launches\": [\n"
        "  {\n   \"index\": 0,\n   \"kernel\": \"_Z8k_rowdotPKf\",\n   \"name\": \"k_rowdot\",\n"
        "   \"grid\": [32, 1, 1],\n   \"block\": [16, 16, 1],\n"
        "   \"counters\": {\"ld_requests\": 131072, \"ld_sectors\": 524288, \"st_requests\": 0, \"st_sectors\": 0, "
        "\"warp_insts\": 1000},\n"
        "   \"loads\": [\n"
        "    {\"pc\": 12, \"line\": 34, \"source\": \"dir/a.cu:17\", \"opcode\": \"ld.global.f32\", \"array\": \"A\", "
        "\"counters\": {\"ld_requests\": 131072, \"ld_sectors\": 524288}}\n   ],\n"
        "   \"stores\": []\n  },\n"
        "  {\n   \"index\": 2,\n   \"kernel\": \"_Z8k_rowdotPKf\",\n   \"name\": \"k_rowdot\",\n"
        "   \"grid\": [32, 1, 1],\n   \"block\": [16, 16, 1],\n"
        "   \"counters\": {\"ld_requests\": 131072, \"ld_sectors\": 524288, \"st_requests\": 1, \"st_sectors\": 4, "
        "\"warp_insts\": 1000},\n"
        "   \"loads\": [\n"
        "    {\"pc\": 12, \"line\": 34, \"source\": \"dir/a.cu:17\", \"opcode\": \"ld.global.f32\", \"array\": \"A\", "
        "\"counters\": {\"ld_requests\": 131072, \"ld_sectors\": 524288}}\n   ],\n"
        "   \"stores\": [\n"
        "    {\"pc\": 13, \"line\": 35, \"opcode\": \"st.global.f32\", \"array\": \"C\", "
        "\"counters\": {\"st_requests\": 1, \"st_sectors\": 4}}\n   ]\n  }\n ]\n}\n");
    sl_launch_log_destroy(log);
}

static void launches_become_rows_of_csv(void **state)
{
    (void)state;
    sl_launch_log *log = make_log();
    capture c;
    write_launches(&c, log, launches_alone, SL_FORM_CSV, 0);
    capture_is(&c, "index,kernel,name,grid_x,grid_y,grid_z,block_x,block_y,block_z,"
                   "ld_requests,ld_sectors,st_requests,st_sectors,warp_insts\n"
                   "0,_Z8k_rowdotPKf,k_rowdot,32,1,1,16,16,1,131072,524288,0,0,1000\n"
                   "2,_Z8k_rowdotPKf,k_rowdot,32,1,1,16,16,1,131072,524288,1,4,1000\n");
    write_launches(&c, log, launches_alone, SL_FORM_LOADS, 0);
    capture_is(&c, "index,kernel,name,pc,line,source,opcode,array,ld_requests,ld_sectors,st_requests,st_sectors\n"
                   "0,_Z8k_rowdotPKf,k_rowdot,12,34,dir/a.cu:17,ld.global.f32,A,131072,524288,,\n"
                   "2,_Z8k_rowdotPKf,k_rowdot,12,34,dir/a.cu:17,ld.global.f32,A,131072,524288,,\n"
                   "2,_Z8k_rowdotPKf,k_rowdot,13,35,,st.global.f32,C,,,1,4\n");
    sl_launch_log_destroy(log);
}

static void launches_become_a_table_with_the_heaviest_instructions(void **state)
{
    (void)state;
    sl_launch_log *log = make_log();
    capture c;
    write_launches(&c, log, sl_document_counted, SL_FORM_TEXT, 89);
    /* The heads of columns take a second line where the terminal is narrow. */
    capture_is(&c, "                                 warp     ld       ld             st       st\n"
                   "#  kernel          grid  block  insts    req  sectors  sect/req  req  sectors\n"
                   "0  k_rowdot          32  16x16  1,000  131 K    524 K      4.00    0        0\n"
                   "2  k_rowdot          32  16x16  1,000  131 K    524 K      4.00    1        4\n"
                   "   all 2 launches               2,000  262 K   1.05 M      4.00    1        4\n"
                   "\nk_rowdot: memory instructions with the most traffic\n"
                   "location     instruction    array  requests  sectors  per req  traffic\n"
                   "a.cu:17      ld.global.f32  A         262 K   1.05 M     4.00  ██████████\n"
                   "PTX line 35  st.global.f32  C             1        4     4.00  ▏\n");
    /* Where there is room, with bars. */
    write_launches(&c, log, sl_document_counted, SL_FORM_TEXT, 100);
    fclose(c.file);
    assert_non_null(strstr(c.text, "block  warp insts  ld req  ld sectors  sect/req  st req  st sectors\n"));
    assert_non_null(strstr(c.text, "per req  traffic\n"));
    assert_non_null(strstr(c.text, "1.05 M     4.00  ██████████\n"));
    assert_non_null(strstr(c.text, "     4     4.00  ▏\n"));
    free(c.text);
    sl_launch_log_destroy(log);
}

/* A launch with all that the model and the simulator know, with large numbers. */
static sl_launch_log *make_busy_log(void)
{
    const sl_trace_kernel kernel = {.symbol = "k", .name = "a_kernel_with_a_name_that_goes_on_and_on", .strings = ""};
    sl_launch_log *log;
    assert_int_equal(sl_launch_log_create(&log, NULL), SL_OK);
    for (uint64_t n = 0; n < 3; n++) {
        sl_trace_launch launch = {
            .grid = {65535, 1, 1}, .block = {32, 32, 1}, .lanes = 32, .failed = n == 1, .failure = "it read at 0"};
        sl_launch_counts counts = {0};
        for (int i = 0; i < SL_COUNTERS; i++)
            sl_counts_add(&counts.total, (sl_counter)i, 123456789);
        sl_launch_result result = {.index = n, .kernel = &kernel, .launch = &launch, .counts = &counts};
        assert_int_equal(sl_launch_log_add(log, &result, NULL), SL_OK);
    }
    return log;
}

static void tables_fit_a_terminal_of_100_columns(void **state)
{
    (void)state;
    sl_launch_log *log = make_busy_log();
    void (*const reports[])(sl_document *, const sl_launch_log *) = {sl_document_counted, sl_document_modeled};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        capture c;
        write_launches(&c, log, reports[i], SL_FORM_TEXT, 100);
        fclose(c.file);
        for (char *line = strtok(c.text, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(sl_utf8_columns(line) <= 100);
        free(c.text);
    }
    sl_launch_log_destroy(log);
}

static void a_failed_launch_has_its_error_and_no_numbers(void **state)
{
    (void)state;
    sl_launch_log *log = make_busy_log();
    capture c;
    assert_int_equal(sl_launch_log_failed(log), 1);
    write_launches(&c, log, sl_document_modeled, SL_FORM_TEXT, 0);
    fclose(c.file);
    assert_non_null(strstr(c.text, "1  a_kernel_with_a_name_that_goes_on_and_on (failed)\n"));
    assert_non_null(strstr(c.text, "\nlaunch 1 failed: it read at 0\n"));
    free(c.text);
    write_launches(&c, log, launches_alone, SL_FORM_CSV, 0);
    fclose(c.file);
    assert_non_null(strstr(c.text, ",block_z,failure,"));
    assert_non_null(strstr(c.text, ",32,32,1,it read at 0,,"));
    free(c.text);
    sl_launch_log_destroy(log);
}

static void long_texts_wrap_in_the_last_column(void **state)
{
    (void)state;
    static const sl_column columns[] = {SL_TEXTS("name"), SL_PROSE("description")};
    sl_table *t = SL_TABLE(columns);
    capture c;
    sl_table_cell(t, "a");
    sl_table_cell(t, "one two three four five six seven eight");
    assert_int_equal(sl_table_print(t, capture_start(&c), 30, NULL), SL_OK);
    sl_table_destroy(t);
    capture_is(&c, "name  description\na     one two three four five\n      six seven eight\n");
}

static void no_launch_is_said_in_words(void **state)
{
    (void)state;
    sl_launch_log *log;
    assert_int_equal(sl_launch_log_create(&log, NULL), SL_OK);
    capture c;
    write_launches(&c, log, sl_document_counted, SL_FORM_TEXT, 80);
    capture_is(&c, "no kernel was launched\n");
    sl_launch_log_destroy(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_one_template_are_told_apart_by_their_arguments),
        cmocka_unit_test(loads_of_one_line_are_told_apart_by_their_ptx_line),
        cmocka_unit_test(copies_that_a_loop_was_unrolled_into_are_one_row),
        cmocka_unit_test(json_escapes_and_separates),
        cmocka_unit_test(numbers_read_back_and_read_well),
        cmocka_unit_test(columns_of_utf8_are_counted_as_seen),
        cmocka_unit_test(a_table_aligns_and_fits),
        cmocka_unit_test(csv_quotes_what_needs_it),
        cmocka_unit_test(launches_become_the_json_of_the_specification),
        cmocka_unit_test(launches_become_rows_of_csv),
        cmocka_unit_test(launches_become_a_table_with_the_heaviest_instructions),
        cmocka_unit_test(no_launch_is_said_in_words),
        cmocka_unit_test(tables_fit_a_terminal_of_100_columns),
        cmocka_unit_test(a_failed_launch_has_its_error_and_no_numbers),
        cmocka_unit_test(long_texts_wrap_in_the_last_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
