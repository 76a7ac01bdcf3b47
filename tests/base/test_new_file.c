/* SPDX-License-Identifier: MIT */
#include "base/new_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

/* In front of the C library's: what was synced and renamed, in order. 'f' a file, 'd' a folder, 'r' a rename. */
static char done[64];

static void note_done(char what)
{
    size_t length = strlen(done);
    if (length + 1 < sizeof done)
        memcpy(done + length, (char[2]){what, 0}, 2);
}

int fsync(int fd)
{
    struct stat info;
    note_done(!fstat(fd, &info) && S_ISDIR(info.st_mode) ? 'd' : 'f');
    return 0;
}

int rename(const char *from, const char *to)
{
    note_done('r');
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

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
    sl_error error;
    sl_new_file file = open_new(), other = open_new();
    assert_string_not_equal(file.temporary, other.temporary);
    assert_int_equal(lstat(file.temporary, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(sl_new_file_keep(&file, &error), SL_OK);
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

static void put(const char *text)
{
    sl_new_file file = open_new();
    assert_int_equal(write(file.fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(sl_new_file_keep(&file, NULL), SL_OK);
}

static void expect_content(const char *name, const char *text)
{
    char got[64] = "";
    FILE *read = fopen(name, "r");
    assert_non_null(read);
    got[fread(got, 1, sizeof got - 1, read)] = 0;
    fclose(read);
    assert_string_equal(got, text);
}

static mode_t mode_of(const char *name)
{
    struct stat info;
    assert_int_equal(lstat(name, &info), 0);
    return info.st_mode;
}

static void links_are_written_through_also_to_what_is_not_there_yet(void **state)
{
    (void)state;
    char middle[80], target[80];
    snprintf(middle, sizeof middle, "%s/middle", folder);
    snprintf(target, sizeof target, "%s/target", folder);
    assert_int_equal(symlink("middle", path), 0);
    assert_int_equal(symlink(target, middle), 0);
    for (int i = 0; i < 2; i++) {
        put(i ? "again" : "first");
        expect_content(target, i ? "again" : "first");
        assert_true(S_ISLNK(mode_of(path)) && S_ISLNK(mode_of(middle)) && S_ISREG(mode_of(target)));
        assert_int_equal(files(), 3);
    }
    unlink(target);
    unlink(middle);
    assert_int_equal(symlink("out", middle), 0); /* a circle */
    sl_new_file file;
    sl_error error;
    assert_int_equal(sl_new_file_open(path, &file, &error), SL_IO);
    unlink(middle);
    unlink(path);
}

static void a_pipe_is_written_in_place(void **state)
{
    (void)state;
    char got[8] = "";
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(sl_new_file_probe(path, NULL), SL_OK); /* and does not wait */
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    put("whole");
    assert_int_equal(read(reader, got, sizeof got), 5);
    assert_string_equal(got, "whole");
    close(reader);
    assert_true(S_ISFIFO(mode_of(path)));
    assert_int_equal(sl_output_must_be_file(path, "a database", NULL), SL_INVALID);
    assert_int_equal(files(), 1);
    unlink(path);
}

static void a_device_stays_one(void **state)
{
    (void)state;
    assert_int_equal(symlink("/dev/null", path), 0);
    put("gone");
    assert_true(S_ISLNK(mode_of(path)) && S_ISCHR(mode_of("/dev/null")));
    unlink(path);
}

static void sockets_and_folders_are_refused(void **state)
{
    (void)state;
    sl_new_file file;
    sl_error error;
    char expected[128];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(sl_new_file_open(path, &file, &error), SL_IO);
    snprintf(expected, sizeof expected, "cannot write %s: it is a socket", path);
    assert_string_equal(error.text, expected);
    assert_int_equal(sl_new_file_probe(path, &error), SL_IO);
    assert_true(S_ISSOCK(mode_of(path)));
    close(fd);
    unlink(path);
    assert_int_equal(sl_new_file_open(folder, &file, &error), SL_IO);
    snprintf(expected, sizeof expected, "cannot write %s: Is a directory", folder);
    assert_string_equal(error.text, expected);
}

static void an_open_file_is_appended_to(void **state)
{
    (void)state;
    char link[64];
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "old ", 4), 4);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    sl_new_file file;
    assert_int_equal(sl_new_file_open(link, &file, NULL), SL_OK);
    assert_int_equal(write(file.fd, "new", 3), 3);
    assert_int_equal(sl_new_file_keep(&file, NULL), SL_OK);
    expect_content(path, "old new");
    close(fd);
    unlink(path);
}

static void what_replaces_a_file_is_synced_before_and_its_folder_after(void **state)
{
    (void)state;
    *done = 0;
    put("new");
    assert_string_equal(done, "r"); /* nothing was there that could be lost */
    *done = 0;
    assert_int_equal(chmod(path, 0600), 0);
    put("replaced");
    assert_string_equal(done, "frd");
    assert_int_equal(mode_of(path) & 0777, 0600); /* and is not shown to others now */
    unlink(path);
    *done = 0;
    sl_new_file file = open_new();
    file.durable = true;
    assert_int_equal(sl_new_file_keep(&file, NULL), SL_OK);
    assert_string_equal(done, "frd");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_its_name_when_it_is_complete),
        cmocka_unit_test(nothing_that_was_planted_is_followed),
        cmocka_unit_test(the_next_writer_removes_what_a_dead_one_left_and_no_more),
        cmocka_unit_test(what_a_dead_process_wrote_can_be_rescued),
        cmocka_unit_test(links_are_written_through_also_to_what_is_not_there_yet),
        cmocka_unit_test(a_pipe_is_written_in_place),
        cmocka_unit_test(a_device_stays_one),
        cmocka_unit_test(sockets_and_folders_are_refused),
        cmocka_unit_test(an_open_file_is_appended_to),
        cmocka_unit_test(what_replaces_a_file_is_synced_before_and_its_folder_after),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
