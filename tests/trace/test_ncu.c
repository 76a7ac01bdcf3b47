/* SPDX-License-Identifier: MIT */
/* Counters as Nsight Compute writes them: the three forms, what surrounds them, and what is wrong with wrong ones. */
#include "trace/ncu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#define LD_REQUESTS "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
#define LD_SECTORS  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define TIME        "gpu__time_duration.sum"

static sl_status read_text(const char *text, sl_ncu *ncu, sl_error *error)
{
    char path[] = "/tmp/test-ncu-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    sl_status status = sl_ncu_read(path, ncu, error);
    unlink(path);
    return status;
}

static uint64_t value(const sl_ncu_launch *launch, sl_counter counter)
{
    assert_true(sl_counts_has(&launch->counts, counter));
    return launch->counts.value[counter];
}

static void expect_dims(const uint32_t dims[3], uint32_t x, uint32_t y, uint32_t z)
{
    assert_int_equal(dims[0], x);
    assert_int_equal(dims[1], y);
    assert_int_equal(dims[2], z);
}

static const char raw[] =
    "the program's output, with \"Kernel Name\n"
    "==PROF== Connected to process 17 (/bin/app)\n"
    "==PROF== Profiling \"scale\": 0%....100% - 7 passes\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"" LD_REQUESTS "\",\"" LD_SECTORS "\",\"" TIME
    "\",\"launch__registers_per_thread\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"request\",\"Ksector\",\"usecond\",\"register/thread\"\n"
    "\"0\",\"17\",\"scale(float *, int)\",\"(256, 1, 1)\",\"(32, 2, 1)\",\"1,310,720\",\"5.25\",\"7.68\",\"16\"\n"
    "==WARNING== in between\n"
    "\"1\",\"17\",\"void add<float>(T1 *, T1 *)\",\"(64, 4, 2)\",\"(1024, 1, 1)\",\"n/a\",\"0\",\"1,000.50\",\"16\"\n";

static void reads_a_row_per_launch_with_units_and_talk(void **state)
{
    (void)state;
    sl_ncu ncu;
    sl_error error = {0};
    assert_int_equal(read_text(raw, &ncu, &error), SL_OK);
    assert_false(ncu.by_workload);
    assert_int_equal(ncu.launches, 2);
    const sl_ncu_launch *first = &ncu.launch[0], *second = &ncu.launch[1];
    assert_string_equal(first->kernel, "scale(float *, int)");
    expect_dims(first->block, 256, 1, 1);
    expect_dims(first->grid, 32, 2, 1);
    assert_int_equal(first->line, 6);
    assert_int_equal(value(first, SL_COUNTER_ld_requests), 1310720);
    assert_int_equal(value(first, SL_COUNTER_ld_sectors), 5250);
    assert_int_equal(value(first, SL_COUNTER_time_ns), 7680);
    assert_int_equal(second->number, 1);
    assert_int_equal(second->line, 8);
    expect_dims(second->grid, 1024, 1, 1);
    assert_false(sl_counts_has(&second->counts, SL_COUNTER_ld_requests));
    assert_int_equal(value(second, SL_COUNTER_ld_sectors), 0);
    assert_int_equal(value(second, SL_COUNTER_time_ns), 1000500);
    sl_ncu_fini(&ncu);
}

static void reads_a_row_per_metric(void **state)
{
    (void)state;
    static const char text[] =
        "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric Name\","
        "\"Metric Unit\",\"Metric Value\"\n"
        "\"0\",\"17\",\"scale\",\"(256, 1, 1)\",\"(32, 1, 1)\",\"Metrics\",\"" LD_REQUESTS "\",\"request\",\"256\"\n"
        "\"0\",\"17\",\"scale\",\"(256, 1, 1)\",\"(32, 1, 1)\",\"Metrics\",\"" LD_SECTORS "\",\"sector\",\"1,024\"\n"
        "\"0\",\"17\",\"scale\",\"(256, 1, 1)\",\"(32, 1, 1)\",\"Advice\",\"\",\"\",\"a \"\"quoted\"\" word\"\n"
        "\"1\",\"17\",\"scale\",\"(256, 1, 1)\",\"(32, 1, 1)\",\"Metrics\",\"" LD_SECTORS "\",\"sector\",\"2,048\"\n"
        "\"0\",\"18\",\"scale\",\"(256, 1, 1)\",\"(32, 1, 1)\",\"Metrics\",\"" TIME "\",\"msecond\",\"1.5\"\n";
    sl_ncu ncu;
    sl_error error = {0};
    assert_int_equal(read_text(text, &ncu, &error), SL_OK);
    assert_int_equal(ncu.launches, 3);
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_requests), 256);
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_sectors), 1024);
    assert_int_equal(value(&ncu.launch[1], SL_COUNTER_ld_sectors), 2048);
    assert_int_equal(value(&ncu.launch[2], SL_COUNTER_time_ns), 1500000);
    assert_int_equal(ncu.launch[2].line, 6);
    sl_ncu_fini(&ncu);
}

static void reads_launches_of_many_workloads(void **state)
{
    (void)state;
    static const char text[] = "workload,launch,Kernel Name,Block Size,Grid Size," LD_SECTORS "\n"
                               "vecadd,0,vecadd,(256 1 1),(8192 1 1),524288.00\n"
                               "srad,3,srad2,(16 16 1),(24 24 1),1.5e+3\n";
    sl_ncu ncu;
    sl_error error = {0};
    assert_int_equal(read_text(text, &ncu, &error), SL_OK);
    assert_true(ncu.by_workload);
    assert_int_equal(ncu.launches, 2);
    assert_string_equal(ncu.launch[1].workload, "srad");
    assert_int_equal(ncu.launch[1].number, 3);
    expect_dims(ncu.launch[1].block, 16, 16, 1);
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_sectors), 524288);
    assert_int_equal(value(&ncu.launch[1], SL_COUNTER_ld_sectors), 1500);
    sl_ncu_fini(&ncu);
}

/* A second process prints another heading. */
static void reads_headings_that_come_again(void **state)
{
    (void)state;
    static const char text[] = "\"ID\",\"Kernel Name\",\"" LD_SECTORS "\"\n\"\",\"\",\"sector\"\n\"0\",\"a\",\"1\"\n"
                               "done\n"
                               "\"ID\",\"Kernel Name\",\"" LD_SECTORS "\"\n\"\",\"\",\"sector\"\n\"0\",\"b\",\"2\"\n";
    sl_ncu ncu;
    sl_error error = {0};
    assert_int_equal(read_text(text, &ncu, &error), SL_OK);
    assert_int_equal(ncu.launches, 2);
    assert_string_equal(ncu.launch[1].kernel, "b");
    expect_dims(ncu.launch[0].grid, 0, 0, 0);
    sl_ncu_fini(&ncu);
}

static void expect_error(const char *text, uint32_t line, const char *reason)
{
    sl_ncu ncu;
    sl_error error = {0};
    assert_int_equal(read_text(text, &ncu, &error), SL_SYNTAX);
    assert_int_equal(error.line, line);
    assert_non_null(strstr(error.file, "test-ncu"));
    assert_string_equal(error.text, reason);
}

/* Hits and misses of lines are all of them; what nvprof says around them is skipped. */
static void reads_events_of_nvprof(void **state)
{
    (void)state;
    static const char text[] = "==31== NVPROF is profiling process 31, command: ./app\n"
                               "the program's output\n"
                               "==31== Profiling result:\n"
                               "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"l1_global_load_hit\",\"l1_global_load_"
                               "miss\",\"gld_request\",\"branch\"\n"
                               "\"GeForce GTX 470 (0)\",1,7,\"scale(float*, int)\",300,100,50,7\n"
                               "\"GeForce GTX 470 (0)\",1,7,\"void add<float>(float*)\",0,64,2,7\n";
    sl_ncu ncu;
    sl_error error = {0};
    assert_int_equal(read_text(text, &ncu, &error), SL_OK);
    assert_int_equal(ncu.launches, 2);
    assert_string_equal(ncu.launch[0].name, "scale");
    assert_string_equal(ncu.launch[1].name, "add");
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_sectors), 400);
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_sector_hits), 300);
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_sector_misses), 100);
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_requests), 50);
    assert_int_equal(value(&ncu.launch[1], SL_COUNTER_ld_sectors), 64);
    assert_int_equal(value(&ncu.launch[1], SL_COUNTER_ld_sector_hits), 0);
    sl_ncu_fini(&ncu);

    static const char wrong[] = "\"Device\",\"Kernel\",\"l1_global_load_hit\"\n\"GPU\",\"k\",many\n";
    assert_int_equal(read_text(wrong, &ncu, &error), SL_SYNTAX);
    assert_non_null(strstr(error.text, "'many' is not a number, as the value of l1_global_load_hit"));
    sl_ncu_fini(&ncu);
}

static void says_what_is_wrong_and_where(void **state)
{
    (void)state;
#define HEAD "Kernel Name,Grid Size," LD_SECTORS "," TIME "\n"
    expect_error("", 0, "there is no heading with a column 'Kernel Name', as 'ncu --csv' writes it");
    expect_error("==PROF== nothing\n", 0, "there is no heading with a column 'Kernel Name', as 'ncu --csv' writes it");
    expect_error(HEAD, 0, "there is no launch below the heading");
    expect_error(HEAD "k,(1 1 1),n/a,\n", 0,
                 "no metric has a value that Sluice knows; 'sluice validate --command' prints how to collect them");
    expect_error("Kernel Name,sm__warps_active.avg\nk,1\n", 1,
                 "no column is a metric that Sluice knows, such as " LD_SECTORS);
    expect_error("Kernel Name,Kernel Name," LD_SECTORS "\n", 1, "there are two columns 'Kernel Name'");
    expect_error("workload,Kernel Name," LD_SECTORS "\n", 1,
                 "only one of the columns 'workload' and 'launch' is there");
    expect_error("Kernel Name,Metric Name,Metric Value\n", 1,
                 "there is no column 'ID', which identifies the launch of a row");
    expect_error("ID,Kernel Name,Metric Name\n", 1, "there is a column 'Metric Name' but no 'Metric Value'");
    expect_error(HEAD "k,(1 1 1),5\n", 2, "3 fields, but the heading has 4");
    expect_error(HEAD "k,(1 1 1),5,1\n,(1 1 1),5,1\n", 3, "the name of the kernel is empty");
    expect_error(HEAD "k,(1 1),5,1\n", 2, "'(1 1)' is not a grid size");
    expect_error(HEAD "k,(0 1 1),5,1\n", 2, "'(0 1 1)' is not a grid size");
    expect_error(HEAD "k,(1 1 1),many,1\n", 2, "'many' is not a number, as the value of " LD_SECTORS);
    expect_error(HEAD "k,(1 1 1),\"1,31\",1\n", 2, "'1,31' is not a number, as the value of " LD_SECTORS);
    expect_error(HEAD "k,(1 1 1),\"1234,310\",1\n", 2, "'1234,310' is not a number, as the value of " LD_SECTORS);
    expect_error(HEAD "k,(1 1 1),-5,1\n", 2, "'-5' is not a number, as the value of " LD_SECTORS);
    expect_error(HEAD "k,(1 1 1),1e99,1\n", 2, "1e99 is too large, as the value of " LD_SECTORS);
    expect_error(HEAD ",,%,\nk,(1 1 1),5,1\n", 3, "'%' is not a unit of " LD_SECTORS);
    expect_error(HEAD ",,,hour\nk,(1 1 1),5,1\n", 3, "'hour' is not a unit of " TIME);
    expect_error(HEAD "\"k,(1 1 1),5,1\n", 2, "a field begins with a quote that does not end it");
    expect_error("workload,launch,Kernel Name," LD_SECTORS "\nw,first,k,1\n", 2, "'first' is not a launch number");
}

/* A file with one launch of a kernel that is shown so. */
static void read_kernel(const char *shown, sl_ncu *ncu)
{
    char text[512];
    sl_error error;
    snprintf(text, sizeof text, "Kernel Name," LD_SECTORS "\n\"%s\",1\n", shown);
    assert_int_equal(read_text(text, ncu, &error), SL_OK);
}

static void knows_a_kernel_however_it_is_shown(void **state)
{
    (void)state;
    static const char *const good[] = {
        "_ZN3lin6matmulIfEEvPT_i",
        "matmul",
        "void matmul<float>(T1 *, int)",
        "void lin::matmul<float, (bool)1>(T1 *, int)",
        "void (anonymous namespace)::matmul<std::pair<int, int>>(T1 *)",
        "<unnamed>::matmul(float *)",
        "matmul(float*  int)",
    };
    static const char *const bad[] = {"matmul2", "void matmul::other(int)", "mat", "_Z6matmulPfi", "<", "("};
    sl_trace_kernel kernel = {.symbol = "_ZN3lin6matmulIfEEvPT_i", .name = "matmul"};
    sl_trace_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}, .index = 7};
    sl_ncu ncu;
    sl_error error;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        read_kernel(good[i], &ncu);
        assert_int_equal(sl_ncu_belongs(&ncu, &ncu.launch[0], &kernel, &launch, "t.slt", &error), SL_OK);
        sl_ncu_fini(&ncu);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        read_kernel(bad[i], &ncu);
        assert_int_equal(sl_ncu_belongs(&ncu, &ncu.launch[0], &kernel, &launch, "t.slt", &error), SL_MISMATCH);
        assert_int_equal(error.line, 2);
        assert_non_null(strstr(error.file, "test-ncu"));
        sl_ncu_fini(&ncu);
    }
    assert_string_equal(error.text, "these are counters of the kernel '(', but launch 7 of t.slt is of 'matmul'");
}

static void knows_other_grids_and_blocks(void **state)
{
    (void)state;
    sl_trace_kernel kernel = {.symbol = "k", .name = "k"};
    sl_trace_launch launch = {.grid = {4, 2, 1}, .block = {32, 1, 1}};
    sl_ncu ncu = {.path = "c.csv"};
    sl_error error;
    sl_ncu_launch other_grid = {.kernel = "k", .name = "k", .grid = {4, 1, 1}},
                  other_block = {.kernel = "k", .name = "k", .block = {64, 1, 1}};
    sl_ncu_launch says_nothing = {.kernel = "k", .name = "k"};
    assert_int_equal(sl_ncu_belongs(&ncu, &says_nothing, &kernel, &launch, "w", &error), SL_OK);
    assert_int_equal(sl_ncu_belongs(&ncu, &other_grid, &kernel, &launch, "w", &error), SL_MISMATCH);
    assert_string_equal(error.text, "these are counters of k with a grid of 4x1x1, but launch 0 of w has one of 4x2x1");
    assert_int_equal(sl_ncu_belongs(&ncu, &other_block, &kernel, &launch, "w", &error), SL_MISMATCH);
    assert_string_equal(error.text,
                        "these are counters of k with blocks of 64x1x1, but launch 0 of w has blocks of 32x1x1");
}

/* As ncu 2025.3 writes it: rows of metrics end before the columns of rules. */
static void reads_details_whose_rows_are_shorter_than_the_heading(void **state)
{
    (void)state;
    static const char text[] =
        "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric Name\",\"Metric "
        "Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\",\"Estimated Speedup "
        "Type\",\"Estimated "
        "Speedup\"\n"
        "\"0\",\"17\",\"k(int)\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"Command line profiler metrics\",\"" LD_REQUESTS
        "\",\"request\",\"1,200\"\n"
        "\"0\",\"17\",\"k(int)\",\"(32, 1, 1)\",\"(4, 1, "
        "1)\",\"SpeedOfLight\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\","
        "\"words\",\"global\",\"12.5\"\n"
        "\"0\",\"17\",\"k(int)\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"Command line profiler metrics\",\"" LD_SECTORS
        "\",\"sector\",\"4,800\"\n";
    sl_ncu ncu;
    sl_error error = {0};
    if (read_text(text, &ncu, &error))
        fail_msg("%s", error.text);
    assert_int_equal(ncu.launches, 1);
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_requests), 1200);
    assert_int_equal(value(&ncu.launch[0], SL_COUNTER_ld_sectors), 4800);
    sl_ncu_fini(&ncu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_row_per_launch_with_units_and_talk),
        cmocka_unit_test(reads_details_whose_rows_are_shorter_than_the_heading),
        cmocka_unit_test(reads_a_row_per_metric),
        cmocka_unit_test(reads_launches_of_many_workloads),
        cmocka_unit_test(reads_headings_that_come_again),
        cmocka_unit_test(reads_events_of_nvprof),
        cmocka_unit_test(says_what_is_wrong_and_where),
        cmocka_unit_test(knows_a_kernel_however_it_is_shown),
        cmocka_unit_test(knows_other_grids_and_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
