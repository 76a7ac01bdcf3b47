/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

static int enter_empty_directory(void **state)
{
    char *path = strdup("/tmp/sluice-test-XXXXXX");
    *state = path;
    return !mkdtemp(path) || chdir(path);
}

static size_t files_here(void)
{
    size_t count = 0;
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static int leave_directory(void **state)
{
    DIR *directory = opendir(".");
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            unlink(entry->d_name);
    if (directory)
        closedir(directory);
    int failed = chdir("/") || rmdir(*state);
    free(*state);
    return failed;
}

static void expect_content(const char *path, const char *text)
{
    char buffer[128] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    buffer[fread(buffer, 1, sizeof buffer - 1, file)] = 0;
    fclose(file);
    assert_string_equal(buffer, text);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_file_appears_when_it_is_closed(void **state)
{
    (void)state;
    sl_output output;
    assert_int_equal(sl_output_open(&output, "a.json", NULL), SL_OK);
    fputs("{}", output.file);
    assert_int_equal(access("a.json", F_OK), -1);
    assert_int_equal(sl_output_close(&output, NULL), SL_OK);
    expect_content("a.json", "{}");
    assert_int_equal(files_here(), 1);
}

static void an_abandoned_file_leaves_the_old_one_and_nothing_else(void **state)
{
    (void)state;
    write_file("a.json", "old");
    sl_output output;
    assert_int_equal(sl_output_open(&output, "a.json", NULL), SL_OK);
    fputs("new", output.file);
    sl_output_abandon(&output);
    expect_content("a.json", "old");
    assert_int_equal(files_here(), 1);
}

static void a_directory_that_does_not_exist_is_told_by_the_name_given(void **state)
{
    (void)state;
    sl_output output;
    sl_error error = {0};
    assert_int_equal(sl_output_open(&output, "no/such/a.json", &error), SL_IO);
    assert_string_equal(error.text, "cannot write no/such/a.json: No such file or directory");
}

static void a_full_disk_is_told_when_the_file_is_closed(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK))
        skip();
    sl_output output;
    sl_error error = {0};
    assert_int_equal(sl_output_open(&output, "/dev/full", NULL), SL_OK);
    fputs("x", output.file);
    assert_int_equal(sl_output_close(&output, &error), SL_IO);
    assert_string_equal(error.text, "cannot write /dev/full: No space left on device");
}

static void a_link_is_written_through(void **state)
{
    (void)state;
    write_file("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    sl_output output;
    assert_int_equal(sl_output_open(&output, "link", NULL), SL_OK);
    fputs("new", output.file);
    assert_int_equal(sl_output_close(&output, NULL), SL_OK);
    expect_content("target", "new");
    struct stat info;
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

int main(void)
{
#define IN_EMPTY_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, enter_empty_directory, leave_directory)
    const struct CMUnitTest tests[] = {
        IN_EMPTY_DIRECTORY(a_file_appears_when_it_is_closed),
        IN_EMPTY_DIRECTORY(an_abandoned_file_leaves_the_old_one_and_nothing_else),
        IN_EMPTY_DIRECTORY(a_directory_that_does_not_exist_is_told_by_the_name_given),
        IN_EMPTY_DIRECTORY(a_full_disk_is_told_when_the_file_is_closed),
        IN_EMPTY_DIRECTORY(a_link_is_written_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
