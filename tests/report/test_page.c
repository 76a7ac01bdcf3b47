/* SPDX-License-Identifier: MIT */
/* Pages: escaped whatever names say, with the numbers of all sources put together, and as profiles for KCachegrind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/html.h"
#include "report/page.h"
#include "report/page_sections.h"

#define EVIL "<script>alert(\"1\")</script>&'"

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

static char *capture_text(capture *c)
{
    fclose(c->file);
    return c->text;
}

static void capture_is(capture *c, const char *expected)
{
    assert_string_equal(capture_text(c), expected);
    free(c->text);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("there is no: %s", part);
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("there is: %s", part);
}

/* ---- a kernel of two loads and a store ---- */

static const char strings[] = "\0ld.global.f32\0k.cu\0A\0st.global.f32\0B";
enum { OPCODE = 1, FILE_NAME = 15, ARRAY_A = 20, STORE_OPCODE = 22, ARRAY_B = 36 };

static const sl_inst insts[] = {
    {.op_class = SL_CLASS_MEMORY,
     .space = SL_MEM_GLOBAL,
     .access = SL_ACCESS_LOAD,
     .opcode = OPCODE,
     .pc = 0,
     .ptx_line = 3,
     .source_file = FILE_NAME,
     .source_line = 2,
     .array = ARRAY_A,
     .mem_slot = 0},
    {.op_class = SL_CLASS_MEMORY,
     .space = SL_MEM_GLOBAL,
     .access = SL_ACCESS_LOAD,
     .opcode = OPCODE,
     .pc = 1,
     .ptx_line = 4,
     .source_file = FILE_NAME,
     .source_line = 2,
     .array = ARRAY_A,
     .mem_slot = 1},
    {.op_class = SL_CLASS_MEMORY,
     .space = SL_MEM_GLOBAL,
     .access = SL_ACCESS_STORE,
     .opcode = STORE_OPCODE,
     .pc = 2,
     .ptx_line = 5,
     .source_file = FILE_NAME,
     .source_line = 3,
     .array = ARRAY_B,
     .mem_slot = 2},
};
static const uint32_t mem_inst[] = {0, 1, 2};

static sl_trace_kernel kernel_called(const char *symbol, const char *name)
{
    return (sl_trace_kernel){.symbol = symbol,
                             .name = name,
                             .insts = 3,
                             .inst = insts,
                             .mem_slots = 3,
                             .mem_inst = mem_inst,
                             .strings_bytes = sizeof strings,
                             .strings = strings};
}

static void log_launch(sl_launch_log *log, const sl_trace_kernel *kernel, uint64_t index, const sl_counts slot[3],
                       const sl_counts *total)
{
    const sl_trace_launch launch = {.grid = {4, 2, 1}, .block = {32, 1, 1}, .lanes = 32, .blocks_recorded = 8};
    const sl_launch_counts counts = {.total = *total, .blocks = 8, .slots = 3, .slot = slot};
    const sl_launch_result result = {.index = index, .kernel = kernel, .launch = &launch, .counts = &counts};
    assert_int_equal(sl_launch_log_add(log, &result, NULL), SL_OK);
}

/* Counted: 8 + 8 sectors loaded, 4 stored, 100 warp instructions. */
static sl_launch_log *counted_log(const sl_trace_kernel *kernel, int launches)
{
    sl_launch_log *log;
    assert_int_equal(sl_launch_log_create(&log, NULL), SL_OK);
    for (int i = 0; i < launches; i++) {
        sl_counts slot[3] = {0}, total = {0};
        for (int s = 0; s < 2; s++) {
            sl_counts_add(&slot[s], SL_COUNTER_ld_requests, 2);
            sl_counts_add(&slot[s], SL_COUNTER_ld_sectors, 8);
        }
        sl_counts_add(&slot[2], SL_COUNTER_st_requests, 1);
        sl_counts_add(&slot[2], SL_COUNTER_st_sectors, 4);
        for (int s = 0; s < 3; s++)
            sl_counts_merge(&total, &slot[s]);
        sl_counts_add(&total, SL_COUNTER_warp_insts, 100);
        sl_counts_add(&total, SL_COUNTER_footprint_bytes, 1024);
        log_launch(log, kernel, (uint64_t)i, slot, &total);
    }
    return log;
}

/* Modeled, on a machine whose sectors are twice as large: 4 + 4, of which 3 + 1 hit. */
static sl_launch_log *modeled_log(const sl_trace_kernel *kernel, int launches)
{
    sl_launch_log *log;
    assert_int_equal(sl_launch_log_create(&log, NULL), SL_OK);
    for (int i = 0; i < launches; i++) {
        sl_counts slot[3] = {0}, total = {0};
        for (int s = 0; s < 2; s++) {
            sl_counts_add(&slot[s], SL_COUNTER_ld_sectors, 4);
            sl_counts_add(&slot[s], SL_COUNTER_ld_sector_hits, s ? 1 : 3);
            sl_counts_add(&slot[s], SL_COUNTER_ld_sector_misses, s ? 3 : 1);
            sl_counts_add(&slot[s], SL_COUNTER_capacity_sectors, s ? 3 : 1);
            sl_counts_merge(&total, &slot[s]);
        }
        log_launch(log, kernel, (uint64_t)i, slot, &total);
    }
    return log;
}

static char *page_as(const sl_page_input *input, sl_status (*form)(FILE *, const sl_page *, sl_error *))
{
    capture c;
    sl_page *page;
    assert_int_equal(sl_page_create(input, &page, NULL), SL_OK);
    assert_int_equal(form(capture_start(&c), page, NULL), SL_OK);
    sl_page_destroy(page);
    return capture_text(&c);
}

static sl_status page_data(FILE *file, const sl_page *page, unsigned form, sl_error *error)
{
    const sl_report_info info = {.command = "report"};
    sl_document *d = sl_document_create(&info, form);
    sl_document_page(d, page, true);
    sl_status status = sl_document_write(d, form, file, 0, error);
    sl_document_destroy(d);
    return status;
}

static sl_status page_json(FILE *file, const sl_page *page, sl_error *error)
{
    return page_data(file, page, SL_FORM_JSON, error);
}

static sl_status page_csv(FILE *file, const sl_page *page, sl_error *error)
{
    return page_data(file, page, SL_FORM_CSV, error);
}

static sl_status page_loads(FILE *file, const sl_page *page, sl_error *error)
{
    return page_data(file, page, SL_FORM_LOADS, error);
}

/* ---- HTML ---- */

static void text_is_escaped(void **state)
{
    (void)state;
    capture c;
    sl_html_text(capture_start(&c), "a<b>&\"'\n\x01\x7f\xff \xc3\xa9 \xe2\x80\xae");
    capture_is(&c, "a&lt;b&gt;&amp;&quot;&#39;\n\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xc3\xa9 \xef\xbf\xbd");
}

static void text_of_a_given_length_ends_there(void **state)
{
    (void)state;
    char long_text[200];
    memset(long_text, 'x', sizeof long_text);
    memcpy(long_text + 62, "\xe2\x82\xac", 3); /* across a part of the copy */
    capture c;
    sl_html_text_n(capture_start(&c), long_text, 66);
    fclose(c.file);
    assert_int_equal(c.size, 66);
    assert_memory_equal(c.text + 62, "\xe2\x82\xac", 3);
    free(c.text);
    sl_html_text_n(capture_start(&c), "a\0b\xe2\x82\xac", 5); /* a NUL, and a character that is cut */
    capture_is(&c, "a\xef\xbf\xbd"
                   "b\xef\xbf\xbd\xef\xbf\xbd");
}

static void wide_names_are_cut_in_the_middle_and_whole_on_hover(void **state)
{
    (void)state;
    capture c;
    FILE *file = capture_start(&c);
    sl_html_name(file, "short", NULL);
    sl_html_name(file, "f", "_Z1f<");
    sl_html_name(file, "a_kernel_with_a_name_that_is_rather_wide(int)", NULL);
    capture_is(&c, "short<span class=name title=\"_Z1f&lt;\">f</span>"
                   "<span class=name title=\"a_kernel_with_a_name_that_is_rather_wide(int)\">"
                   "a_kernel_with_a_name_t\u2026her_wide(int)</span>");
}

static void cells_keep_the_exact_number(void **state)
{
    (void)state;
    static const sl_column columns[] = {SL_NUMBERS("a"), SL_NUMBERS("b"), SL_NUMBERS("c"), SL_NUMBERS("d"),
                                        SL_NUMBERS("e"), SL_NUMBERS("f"), SL_TEXTS("g")};
    capture c;
    sl_table *t = SL_TABLE(columns);
    sl_table_count(t, 1234567);
    sl_table_share(t, 1, 3);
    sl_table_share(t, 0, 0);
    sl_table_number(t, -0.04, 1, " pt");
    sl_table_number(t, -0.06, 1, " pt");
    sl_table_dims(t, (uint32_t[3]){4, 2, 1});
    sl_table_cell(t, "<b>");
    assert_int_equal(sl_table_html(t, capture_start(&c), "cells", "", NULL), SL_OK);
    char *text = capture_text(&c);
    /* The third column has no value, and is left out. */
    has(text, "<th scope=col class=n>a</th><th scope=col class=n>b</th><th scope=col class=n>d</th>");
    has(text, "<tr><td class=n data-v=\"1234567\" title=\"1234567\">1.23 M</td>"
              "<td class=n data-v=\"33.333333333333336\" title=\"33.333333333333336\">33.3%</td>"
              "<td class=n data-v=\"-0.04\" title=\"-0.04\">0.0 pt</td>"
              "<td class=n data-v=\"-0.06\" title=\"-0.06\">-0.1 pt</td>"
              "<td class=n data-v=\"8\">4\u00d72</td><td>&lt;b&gt;</td></tr>");
    free(text);
}

static void names_cannot_become_markup(void **state)
{
    (void)state;
    const sl_trace_kernel kernel = kernel_called(EVIL, EVIL);
    sl_launch_log *log = counted_log(&kernel, 2);
    const sl_report_option option = {EVIL, EVIL};
    const sl_report_trace trace = {.path = EVIL, .producer = EVIL, .format = "sluice", .damage = EVIL};
    const sl_source_text source = {"k.cu", "\n" EVIL "\n\n", sizeof EVIL + 2};
    const sl_page_input input = {
        .subject = EVIL,
        .note = EVIL,
        .info = {.command = "run", .machine = EVIL, .option = &option, .options = 1, .trace = &trace},
        .results.counted = log,
        .results.sources = 1,
        .results.source = &source};
    char *html = page_as(&input, sl_page_html);
    lacks(html, "<script>alert");
    has(html, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;");
    has(html, "\\u003cscript>alert(\\\"1\\\")\\u003c/script>");
    /* Data, charts where they are there, and the script of the page: nothing else ends one. */
    size_t ends = 0;
    for (const char *at = html; (at = strstr(at, "</script>")); at++)
        ends++;
    assert_int_equal(ends, sl_asset_charts().bytes ? 3 : 2);
    free(html);
    sl_launch_log_destroy(log);
}

static void the_chart_library_fits_into_a_script_element(void **state)
{
    (void)state;
    sl_asset charts = sl_asset_charts(), script = sl_asset_script(), style = sl_asset_style();
    assert_null(memmem(charts.text, charts.bytes, "</script", 8));
    assert_null(memmem(charts.text, charts.bytes, "<!--", 4));
    assert_null(memmem(script.text, script.bytes, "</script", 8));
    assert_null(memmem(style.text, style.bytes, "</style", 7));
    if (charts.bytes)
        assert_non_null(memmem(charts.text, charts.bytes, "Chart.js v", 10));
}

/* ---- data ---- */

static void what_was_counted_and_modeled_is_put_together(void **state)
{
    (void)state;
    const sl_trace_kernel kernel = kernel_called("_Z1kv", "k");
    sl_launch_log *counted = counted_log(&kernel, 3), *modeled = modeled_log(&kernel, 3);
    const sl_page_input input = {
        .subject = "k", .info = {.command = "report"}, .results.counted = counted, .results.modeled = modeled};
    char *csv = page_as(&input, page_csv);
    /* Sectors are the model's; requests and stores are the trace's; footprints overlap. */
    assert_string_equal(csv, "kernel,name,launches,ld_requests,ld_sectors,ld_sector_hits,"
                             "ld_sector_misses,st_requests,st_sectors,capacity_sectors,warp_insts,footprint_bytes\n"
                             "_Z1kv,k,3,12,24,12,12,3,12,12,300,1024\n");
    free(csv);
    csv = page_as(&input, page_loads);
    assert_string_equal(csv, "kernel,name,launches,pc,line,source,opcode,array,ld_requests,ld_sectors,ld_sector_hits,"
                             "ld_sector_misses,st_requests,st_sectors,capacity_sectors\n"
                             "_Z1kv,k,3,0,3,k.cu:2,ld.global.f32,A,6,12,9,3,,,3\n"
                             "_Z1kv,k,3,1,4,k.cu:2,ld.global.f32,A,6,12,3,9,,,9\n"
                             "_Z1kv,k,3,2,5,k.cu:3,st.global.f32,B,,,,,3,12,\n");
    free(csv);
    sl_launch_log_destroy(counted);
    sl_launch_log_destroy(modeled);
}

static void kernels_of_one_name_and_different_bodies_stay_apart(void **state)
{
    (void)state;
    sl_trace_kernel one = kernel_called("k", "k"), other = kernel_called("k", "k");
    sl_inst changed[3];
    memcpy(changed, insts, sizeof changed);
    changed[2].ptx_line = 9;
    other.inst = changed;
    sl_launch_log *log = counted_log(&one, 1);
    sl_counts slot[3] = {0}, total = {0};
    sl_counts_add(&slot[0], SL_COUNTER_ld_sectors, 1);
    sl_counts_merge(&total, &slot[0]);
    log_launch(log, &other, 1, slot, &total);
    const sl_page_input input = {.subject = "k", .info = {.command = "run"}, .results.counted = log};
    char *html = page_as(&input, sl_page_html);
    has(html, "id=kernel-1 ");
    lacks(html, "id=kernel-2 ");
    free(html);
    sl_launch_log_destroy(log);
}

/* ---- sources ---- */

static void lines_of_the_source_carry_their_loads(void **state)
{
    (void)state;
    const sl_trace_kernel kernel = kernel_called("k", "k");
    sl_launch_log *log = modeled_log(&kernel, 1);
    const char ptx[] =
        ".entry k()\n{\n ld.global.f32 %f1, [a];\n ld.global.f32 %f2, [a+4];\n st.global.f32 [b], %f1;\n}";
    const char cuda[] = "kernel\n  b = a[0] < a[1];\nend\n";
    const sl_source_text sources[] = {{"k.cu", cuda, sizeof cuda - 1}, {"k.ptx", ptx, sizeof ptx - 1}};
    const sl_page_input input = {.subject = "k",
                                 .info = {.command = "model"},
                                 .results.modeled = log,
                                 .results.sources = 2,
                                 .results.source = sources};
    char *html = page_as(&input, sl_page_html);
    /* Both loads stand in line 2: 8 sectors, of which 4 miss. */
    has(html, "<tr id=k0-s0-l2 class=busy><th scope=row>2</th><td class=\"n heat all\" style=\"--share:100.0%\" "
              "data-v=\"8\"");
    has(html, "title=\"hit 50.0%, capacity 50.0%\"");
    has(html, "style=\"--share:100.0%\" data-v=\"4\" title=\"4, 100.0% of the kernel's\">4</td>");
    has(html, "<code>  b = a[0] &lt; a[1];</code>");
    has(html, "<tr id=k0-s1-l4 class=busy data-from=k0-s0-l2><th scope=row>4</th>");
    has(html, "<a href=\"#k0-s0-l2\">k.cu:2, PTX 3</a>");
    has(html, "<a href=\"#k0-s0-l2\">k.cu:2, PTX 4</a>");
    free(html);
    sl_launch_log_destroy(log);
}

static void ptx_of_another_version_is_not_shown(void **state)
{
    (void)state;
    const sl_trace_kernel kernel = kernel_called("k", "k");
    sl_launch_log *log = modeled_log(&kernel, 1);
    const char *texts[] = {
        ".entry k()\n{\n add.f32 %f1;\n ld.global.f32 %f2, [a+4];\n st.global.f32 [b], %f1;\n}", /* another line 3 */
        ".entry kk()\n{\n ld.global.f32 %f1;\n ld.global.f32 %f2;\n st.global.f32 [b], %f1;\n}", /* another kernel */
        ".entry k()\n{\n ld.global.f32 %f1;\n",                                                  /* cut off */
        "",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const sl_source_text source = {"k.ptx", texts[i], strlen(texts[i])};
        const sl_page_input input = {.subject = "k",
                                     .info = {.command = "model"},
                                     .results.modeled = log,
                                     .results.sources = 1,
                                     .results.source = &source};
        char *html = page_as(&input, sl_page_html);
        lacks(html, "<h3>Source</h3>");
        has(html, "k.cu:2");
        free(html);
    }
    sl_launch_log_destroy(log);
}

/* ---- callgrind ---- */

static void lines_become_a_profile_for_kcachegrind(void **state)
{
    (void)state;
    const sl_trace_kernel kernel = kernel_called("_Z1kv", "k\nfn=evil");
    sl_launch_log *log = counted_log(&kernel, 1);
    const sl_page_input input = {.subject = "a\nb", .info = {.command = "run"}, .results.counted = log};
    char *text = page_as(&input, sl_page_callgrind);
    has(text, "cmd: a?b\npositions: line\n");
    has(text, "events: ld_requests ld_sectors st_requests st_sectors warp_insts\n"
              "\nfl=(1) k.cu\nfn=(1) k?fn=evil\n0 0 0 0 0 100\n"
              "fi=(2) k.cu\n2 4 16 0 0 0\n"
              "fi=(3) k.cu\n3 0 0 1 4 0\n");
    free(text);
    sl_launch_log_destroy(log);
}

/* ---- what else may be missing ---- */

static void a_page_of_nothing_is_a_page(void **state)
{
    (void)state;
    const sl_page_input input = {.subject = "nothing", .info = {.command = "run"}};
    char *html = page_as(&input, sl_page_html);
    has(html, "<title>nothing</title>");
    lacks(html, "id=kernels");
    free(html);
    char *json = page_as(&input, page_json);
    has(json, "\"kernels\": []");
    free(json);
}

static void first_levels_and_policies_stand_side_by_side(void **state)
{
    (void)state;
    sl_counts counts[2] = {0};
    for (int i = 0; i < 2; i++) {
        sl_counts_add(&counts[i], SL_COUNTER_ld_sectors, 200);
        sl_counts_add(&counts[i], SL_COUNTER_ld_sector_hits, i ? 150 : 50);
    }
    const sl_machine lru = {.level = {{.ways = 4, .line_bytes = 128, .replacement = "lru"}}};
    const sl_machine fifo = {.level = {{.ways = 4, .line_bytes = 128, .replacement = "fifo"}}};
    sl_sweep_point points[] = {{.point.resolved = &lru, .varied = "size", .factor = "1x", .policy = "lru"},
                               {.point.resolved = &fifo, .varied = "size", .factor = "2x", .policy = "fifo"}};
    sl_swept swept[] = {{16384, 16384, counts[0]}, {24576, 32768, counts[1]}};
    sl_swept_kernel kernel = {.symbol = "k", .name = "k", .launches = 2, .swept = swept};
    const sl_sweep sweep = {
        .points = {.items = points, .count = 2}, .kernels = 1, .kernel = &kernel, .all = swept, .note = "left <out>"};
    const sl_page_input input = {.subject = "k", .info = {.command = "model"}, .sizes = &sweep, .policies = &sweep};
    char *html = page_as(&input, sl_page_html);
    has(html, "<td>size 1x</td><td class=n data-v=\"16384\" title=\"16384\">16.0 KiB</td>");
    has(html, "<td>size 2x</td><td class=n data-v=\"32768\">24.0 KiB to 32.0 KiB</td>");
    has(html, ">fifo</th></tr></thead>\n<tbody>\n<tr><td>k</td><td class=n data-v=\"25\" title=\"25\">25.0%</td>"
              "<td class=n data-v=\"75\" title=\"75\">75.0%</td></tr>");
    has(html, "left &lt;out&gt;");
    free(html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(text_of_a_given_length_ends_there),
        cmocka_unit_test(wide_names_are_cut_in_the_middle_and_whole_on_hover),
        cmocka_unit_test(cells_keep_the_exact_number),
        cmocka_unit_test(names_cannot_become_markup),
        cmocka_unit_test(the_chart_library_fits_into_a_script_element),
        cmocka_unit_test(what_was_counted_and_modeled_is_put_together),
        cmocka_unit_test(kernels_of_one_name_and_different_bodies_stay_apart),
        cmocka_unit_test(lines_of_the_source_carry_their_loads),
        cmocka_unit_test(ptx_of_another_version_is_not_shown),
        cmocka_unit_test(lines_become_a_profile_for_kcachegrind),
        cmocka_unit_test(a_page_of_nothing_is_a_page),
        cmocka_unit_test(first_levels_and_policies_stand_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
