/* SPDX-License-Identifier: MIT */
#include "cli/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The signal handler may run at any time, in parallel with other threads: it takes the slots that it removes, and a
 * taken slot is never freed or reused. All other code holds the mutex. */
enum { FREE, NOTED, TAKEN };
enum { SLOTS = 256 }; /* further files are not removed */

static struct {
    _Atomic int state;
    bool ours_in; /* the path is a folder from which only our unfinished files are removed */
    char *path;
} slots[SLOTS];
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char unfinished[32]; /* suffix of unfinished files, of the library and of cli/output.c */
static pid_t owner;         /* a child between fork and exec has the same handler, but nothing to remove */

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};

/* ---- removing: nothing but system calls ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), part = strlen(end);
    return length >= part && !memcmp(name + length - part, end, part);
}

/* The files of a folder whose names end so, as the kernel lists them: readdir may allocate. */
static void empty_folder(const char *path, const char *end)
{
    struct entry {
        uint64_t inode;
        int64_t offset;
        uint16_t length;
        unsigned char type;
        char name[];
    };
    _Alignas(8) char buffer[4096];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long got;
    while (folder >= 0 && (got = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < got;) {
            const struct entry *e = (const struct entry *)(buffer + at);
            if (ends_with(e->name, end))
                unlinkat(folder, e->name, 0); /* "." and ".." refuse */
            at += e->length;
        }
    if (folder >= 0)
        close(folder);
}

static void remove_path(const char *path)
{
    if (!unlink(path) || (errno != EISDIR && errno != EPERM))
        return;
    empty_folder(path, "");
    rmdir(path);
}

static void clean_and_end(int number)
{
    for (int i = 0; i < SLOTS && getpid() == owner; i++) {
        int noted = NOTED;
        if (!atomic_compare_exchange_strong(&slots[i].state, &noted, TAKEN))
            continue;
        if (slots[i].ours_in)
            empty_folder(slots[i].path, unfinished);
        else
            remove_path(slots[i].path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- the list ---- */

/* Signals that are ignored stay so: nohup, jobs in the background. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = clean_and_end}, before;
    owner = getpid();
    snprintf(unfinished, sizeof unfinished, ".tmp-%ld", (long)owner);
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++)
        if (!sigaction(SIGNALS[i], NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(SIGNALS[i], &action, NULL);
}

static void note(const char *path, size_t length, bool ours_in)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, catch_signals);
    char *copy = strndup(path, length);
    int i = 0;
    pthread_mutex_lock(&turn);
    while (i < SLOTS && atomic_load(&slots[i].state) != FREE)
        i++;
    if (copy && i < SLOTS) {
        slots[i].path = copy;
        slots[i].ours_in = ours_in;
        atomic_store(&slots[i].state, NOTED);
        copy = NULL;
    }
    pthread_mutex_unlock(&turn);
    free(copy);
}

void sl_temporary_note(const char *path)
{
    note(path, strlen(path), false);
}

void sl_temporary_in(const char *folder)
{
    note(folder, strlen(folder), true);
}

void sl_temporary_beside(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        note(path, slash == path ? 1 : (size_t)(slash - path), true);
    else if (path)
        note(".", 1, true);
}

void sl_temporary_forget(const char *path)
{
    pthread_mutex_lock(&turn);
    for (int i = 0; i < SLOTS; i++) {
        int noted = NOTED;
        if (atomic_load(&slots[i].state) == NOTED && !strcmp(slots[i].path, path) &&
            atomic_compare_exchange_strong(&slots[i].state, &noted, FREE)) {
            free(slots[i].path);
            break;
        }
    }
    pthread_mutex_unlock(&turn);
}

/* ---- folders ---- */

sl_status sl_temporary_folder(char *folder, size_t size, sl_error *error)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, size, "%s/sluice-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return sl_fail_io(error, "create", folder);
    sl_temporary_note(folder);
    return SL_OK;
}

void sl_temporary_folder_remove(const char *folder)
{
    empty_folder(folder, "");
    rmdir(folder);
    sl_temporary_forget(folder);
}
