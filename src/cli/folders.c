/* SPDX-License-Identifier: MIT */
#include "cli/folders.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"

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
static pid_t owner; /* a child between fork and exec has the same handler, but nothing to remove */

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGALRM, SIGVTALRM};

/* ---- removing: nothing but system calls ---- */

static void remove_path(const char *path)
{
    if (unlink(path) && (errno == EISDIR || errno == EPERM))
        sl_folder_remove(path);
}

static void clean_and_end(int number)
{
    for (int i = 0; i < SLOTS && getpid() == owner; i++) {
        int noted = NOTED;
        if (!atomic_compare_exchange_strong(&slots[i].state, &noted, TAKEN))
            continue;
        if (slots[i].ours_in)
            sl_leftovers_remove(slots[i].path, NULL, owner);
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

static void temporary_in(const char *folder)
{
    note(folder, strlen(folder), true);
}

void sl_temporary_next_to(const char *path)
{
    sl_output_kind kind;
    char *target = NULL;
    if (!path || sl_output_decide(path, &kind, &target, NULL))
        return;
    const char *slash = strrchr(target, '/');
    if (kind == SL_OUTPUT_REPLACED && slash)
        note(target, slash == target ? 1 : (size_t)(slash - target), true);
    else if (kind == SL_OUTPUT_REPLACED)
        note(".", 1, true);
    free(target);
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

const char *sl_temporary_base(void)
{
    const char *base = getenv("TMPDIR");
    return base && *base ? base : "/tmp";
}

/* The lock is held until the process ends. */
sl_status sl_temporary_folder(char *folder, size_t size, sl_error *error)
{
    char prefix[1000];
    int lock;
    snprintf(prefix, sizeof prefix, "%s/sluice", sl_temporary_base());
    sl_status status = sl_new_folder(prefix, folder, size, &lock, error);
    if (!status)
        sl_temporary_note(folder);
    return status;
}

void sl_temporary_folder_remove(const char *folder)
{
    sl_folder_remove(folder);
    sl_temporary_forget(folder);
}

/* `wanted` (--cache) if not NULL; else "sluice" in XDG_CACHE_HOME, if that is an absolute path, or in ~/.cache. */
static sl_status cache_folder(const char *wanted, char *path, size_t size, sl_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (wanted)
        snprintf(path, size, "%s", wanted);
    else if (cache && *cache == '/')
        snprintf(path, size, "%s/sluice", cache);
    else if (home && *home == '/')
        snprintf(path, size, "%s/.cache/sluice", home);
    else
        return sl_fail(error, SL_INVALID, "neither XDG_CACHE_HOME nor HOME is set: give a folder with --cache");
    return SL_OK;
}

sl_status sl_cache_store_open(const char *wanted, sl_point_store **store, sl_error *error)
{
    char cache[900], path[1000];
    sl_status status = cache_folder(wanted, cache, sizeof cache, error);
    snprintf(path, sizeof path, "%s/points.sqlite", cache);
    return status ? status : sl_point_store_open_cache(path, store, error);
}

sl_status sl_cached_runner_open(sl_cached_runner *cached, const sl_invocation *inv, const char *wanted,
                                const char *database, sl_error *error)
{
    char cache[900];
    *cached = (sl_cached_runner){.runner = {.progress = inv->progress}};
    sl_status status = cache_folder(wanted, cache, sizeof cache, error);
    if (status)
        return status;
    snprintf(cached->traces, sizeof cached->traces, "%s/traces", cache);
    cached->runner.traces = cached->traces;
    sl_leftovers_remove(cached->traces, NULL, 0);
    temporary_in(cached->traces);
    status = database ? sl_point_store_open(database, &cached->runner.store, error)
                      : sl_cache_store_open(wanted, &cached->runner.store, error);
    if (!status)
        status = sl_pool_create((unsigned)inv->common->threads, &cached->runner.pool, error);
    if (status)
        sl_cached_runner_close(cached, inv);
    return status;
}

void sl_cache_store_close(sl_point_store *store, const sl_invocation *inv)
{
    if (store && sl_point_store_damaged(store))
        sl_cli_warn(inv, "some stored results or recordings were damaged; they were computed again");
    sl_point_store_close(store);
}

void sl_cached_runner_close(sl_cached_runner *cached, const sl_invocation *inv)
{
    sl_pool_destroy(cached->runner.pool);
    sl_cache_store_close(cached->runner.store, inv);
}
