/* SPDX-License-Identifier: MIT */
#include "exec/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef enum guard_event { STARTED, NOT_STARTED, ENDED } guard_event;

/* Written at once: pipes keep such small pieces whole. */
typedef struct message {
    guard_event event;
    int value; /* the program's number, errno, or the status of waitpid */
} message;

enum { KILL_REST = 'k', LEAVE_REST = 'l' };

static bool say(int to, guard_event event, int value)
{
    const message m = {event, value};
    return write(to, &m, sizeof m) == sizeof m;
}

/* ---- the guard ---- */

static pid_t parent_of(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return 0;
    text[got] = 0;
    const char *name_end = strrchr(text, ')'); /* "7 (sh) S 1 …"; a name may hold anything */
    int parent = 0;
    return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static void kill_children_once(void)
{
    DIR *all = opendir("/proc");
    for (const struct dirent *e; all && (e = readdir(all));)
        if (*e->d_name >= '1' && *e->d_name <= '9' && parent_of(e->d_name) == getpid())
            kill((pid_t)strtol(e->d_name, NULL, 10), SIGKILL);
    if (all)
        closedir(all);
}

/* The children of those that die become ours. What cannot be killed, such as a process of another user, is left after
 * some seconds. */
static void kill_children(void)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    for (int i = 0; i < 2500; i++) {
        pid_t ended;
        kill_children_once();
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0 && errno == ECHILD)
            return;
        nanosleep(&pause, NULL);
    }
}

static void reap(pid_t program, int report)
{
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
        if (ended == program)
            say(report, ENDED, status);
}

/* Until Sluice says what to do with the rest, or ends. */
static void watch(pid_t program, int life, int report, int children)
{
    struct pollfd ends[] = {{.fd = life, .events = POLLIN}, {.fd = children, .events = POLLIN}};
    struct signalfd_siginfo info;
    char verdict = KILL_REST;
    for (;;) {
        if (poll(ends, 2, -1) < 0 && errno != EINTR)
            break;
        if (ends[1].revents && read(children, &info, sizeof info) > 0)
            reap(program, report);
        if (ends[0].revents) {
            if (read(life, &verdict, 1) != 1)
                verdict = KILL_REST;
            break;
        }
    }
    if (verdict == KILL_REST)
        kill_children();
}

_Noreturn static void be_program(pid_t guard, int report, const sigset_t *mask, sl_guarded *program, void *context)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* of the guard */
    if (getppid() != guard || !say(report, STARTED, getpid()))
        _exit(127);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    program(context);
    say(report, NOT_STARTED, errno);
    _exit(126);
}

/* A terminal sends its signals to the guard, too, but they are meant for the program: here they are blocked. Where
 * SIGCHLD is ignored, statuses of children are lost. */
_Noreturn static void be_guard(int life, int report, const sigset_t *mask, sl_guarded *program, void *context)
{
    sigset_t chld;
    struct sigaction plain = {.sa_handler = SIG_DFL}, before;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigaction(SIGCHLD, &plain, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int children = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
    pid_t guard = getpid(), pid = children < 0 ? -1 : fork();
    if (pid == 0) {
        sigaction(SIGCHLD, &before, NULL);
        be_program(guard, report, mask, program, context);
    }
    if (pid > 0)
        watch(pid, life, report, children);
    _exit(0);
}

/* ---- Sluice ---- */

static void close_pipe(int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

sl_status sl_guard_start(sl_guard *guard, sl_guarded *program, void *context, sl_error *error)
{
    int life[2], report[2];
    sigset_t all, mask;
    if (pipe2(life, O_CLOEXEC))
        return sl_fail_io(error, "make", "a pipe");
    if (pipe2(report, O_CLOEXEC)) {
        close_pipe(life);
        return sl_fail_io(error, "make", "a pipe");
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    pid_t pid = fork();
    if (pid == 0) {
        close(life[1]);
        close(report[0]);
        be_guard(life[0], report[1], &mask, program, context);
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    close(life[0]);
    close(report[1]);
    *guard = (sl_guard){.guard = pid, .life = life[1], .report = report[0]};
    message m;
    ssize_t got = -1;
    while (pid > 0 && (got = read(guard->report, &m, sizeof m)) < 0 && errno == EINTR)
        ;
    if (got == sizeof m && m.event == STARTED) {
        guard->program = m.value;
        return SL_OK;
    }
    sl_status status = sl_fail_io(error, "start", "a process");
    if (pid > 0)
        sl_guard_end(guard, true);
    else
        close_pipe((int[2]){guard->life, guard->report});
    return status;
}

sl_status sl_guard_wait(sl_guard *guard, int *status, int *reason, sl_error *error)
{
    message m;
    *reason = 0;
    for (;;) {
        ssize_t got = read(guard->report, &m, sizeof m);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != sizeof m) {
            sl_guard_end(guard, true);
            return sl_fail(error, SL_IO, "cannot wait for the program: the process that guards it was killed");
        }
        if (m.event == ENDED)
            break;
        if (m.event == NOT_STARTED)
            *reason = m.value;
    }
    *status = m.value;
    return SL_OK;
}

void sl_guard_end(sl_guard *guard, bool kill_rest)
{
    const char verdict = kill_rest ? KILL_REST : LEAVE_REST;
    ssize_t written = write(guard->life, &verdict, 1);
    (void)written; /* closing the pipe says the same as KILL_REST */
    close_pipe((int[2]){guard->life, guard->report});
    while (waitpid(guard->guard, NULL, 0) < 0 && errno == EINTR)
        ;
}
