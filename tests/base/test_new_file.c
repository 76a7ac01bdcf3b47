/* SPDX-License-Identifier: MIT */
#include "base/new_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static char folder[] = "/tmp/sluice-test-XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/out", mkdtemp(folder));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    sl_folder_remove(folder);
    return access(folder, F_OK) ? 0 : -1;
}

static size_t files(void)
{
    size_t count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *e; (e = readdir(list));)
        count += *e->d_name != '.';
    closedir(list);
    return count;
}

static sl_new_file open_new(void)
{
    sl_new_file file;
    sl_error error;
    assert_int_equal(sl_new_file_open(path, &file, &error), SL_OK);
    return file;
}

static void a_file_has_its_name_when_it_is_complete(void **state)
{
    (void)state;
    sl_error error;
    char text[8] = "";
    sl_new_file file = open_new();
    assert_int_equal(write(file.fd, "whole", 5), 5);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(sl_new_file_keep(&file, &error), SL_OK);
    FILE *read = fopen(path, "r");
    assert_non_null(fgets(text, sizeof text, read));
    fclose(read);
    assert_string_equal(text, "whole");
    assert_int_equal(files(), 1);
    file = open_new();
    sl_new_file_discard(&file);
    assert_int_equal(files(), 1);
    unlink(path);
}

static void nothing_that_was_planted_is_followed(void **state)
{
    (void)state;
    char target[80], old_name[80];
    struct stat info;
    snprintf(target, sizeof target, "%s/target", folder);
    snprintf(old_name, sizeof old_name, "%s.tmp-%ld", path, (long)getpid()); /* a name that can be guessed */
    assert_int_equal(symlink(target, old_name), 0);
    assert_int_equal(symlink(target, path), 0);
    sl_error error;
    sl_new_file file = open_new(), other = open_new();
    assert_string_not_equal(file.temporary, other.temporary);
    assert_int_equal(lstat(file.temporary, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(sl_new_file_keep(&file, &error), SL_OK); /* in place of the link */
    sl_new_file_discard(&other);
    assert_int_not_equal(access(target, F_OK), 0);
    unlink(old_name);
    unlink(path);
}

/* A process that makes a temporary file, or folder with a file, and dies. */
static pid_t leave_one(bool a_folder)
{
    pid_t child = fork();
    if (!child) {
        char made[200];
        int lock;
        sl_error error;
        sl_new_file file;
        if (!a_folder)
            _exit(sl_new_file_open(path, &file, &error) ? 1 : 0);
        if (sl_new_folder(path, made, sizeof made - 8, &lock, &error))
            _exit(1);
        strcat(made, "/file");
        fclose(fopen(made, "w"));
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return child;
}

static void the_next_writer_removes_what_a_dead_one_left_and_no_more(void **state)
{
    (void)state;
    char other[80];
    sl_error error;
    snprintf(other, sizeof other, "%s.tmp-mine", path); /* a user's file */
    fclose(fopen(other, "w"));
    sl_new_file alive = open_new();
    leave_one(false);
    leave_one(true);
    assert_int_equal(files(), 4 - 1); /* the second removed what the first left */
    sl_new_file file = open_new();
    assert_int_equal(files(), 3); /* the user's, and two that are alive */
    assert_int_equal(access(alive.temporary, F_OK), 0);
    sl_new_file_discard(&alive);
    sl_new_file_discard(&file);
    char made[200];
    int lock;
    assert_int_equal(sl_new_folder(path, made, sizeof made, &lock, &error), SL_OK);
    leave_one(true);
    sl_leftovers_remove(folder, NULL, 0);
    assert_int_equal(files(), 2); /* the user's, and the folder in use */
    sl_leftovers_remove(folder, "another", getpid());
    assert_int_equal(access(made, F_OK), 0);
    close(lock);
    sl_leftovers_remove(folder, "out", 0);
    assert_int_equal(files(), 1);
    unlink(other);
}

static void what_a_dead_process_wrote_can_be_rescued(void **state)
{
    (void)state;
    pid_t child = leave_one(false);
    assert_false(sl_new_file_rescue(path, child + 1));
    assert_true(sl_new_file_rescue(path, child));
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(files(), 1);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_its_name_when_it_is_complete),
        cmocka_unit_test(nothing_that_was_planted_is_followed),
        cmocka_unit_test(the_next_writer_removes_what_a_dead_one_left_and_no_more),
        cmocka_unit_test(what_a_dead_process_wrote_can_be_rescued),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
