/* SPDX-License-Identifier: MIT */
#include "exec/start.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/new_file.h"
#include "exec/guard.h"

extern char **environ;

/* ---- the start ---- */

sl_status sl_library_folder(const char *name, char *folder, size_t size, sl_error *error)
{
    char self[PATH_MAX], joined[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return sl_fail_io(error, "read", "/proc/self/exe");
    self[length] = 0;
    *strrchr(self, '/') = 0;
    snprintf(joined, sizeof joined, "%s/../lib/sluice/%s", self, name);
    char *real = realpath(joined, NULL);
    if (!real)
        return sl_fail(error, SL_IO, "a part of Sluice is missing: %s", joined);
    snprintf(folder, size, "%s", real);
    free(real);
    return SL_OK;
}

/* "NAME=first:what the variable held before" */
static char *prepend_variable(const char *name, const char *first, char separator)
{
    const char *before = getenv(name);
    char *joined;
    int written = before && *before ? asprintf(&joined, "%s=%s%c%s", name, first, separator, before)
                                    : asprintf(&joined, "%s=%s", name, first);
    return written < 0 ? NULL : joined;
}

/* Adds a library of `folder` to the list. LD_PRELOAD and LD_AUDIT cannot quote: a folder with a space or colon in its
 * name is reached by a link in `links`. */
static sl_status preload_one(FILE *list, const char *folder, const char *links, const char *name, sl_error *error)
{
    char path[PATH_MAX + 64], link[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (strpbrk(folder, " :") && links) {
        snprintf(link, sizeof link, "%s/%s", links, name);
        if (symlink(path, link) != 0 && errno != EEXIST)
            return sl_fail_io(error, "create", link);
        snprintf(path, sizeof path, "%s", link);
    }
    if (access(path, R_OK) != 0)
        return sl_fail_io(error, "read", path);
    fprintf(list, "%s%s", ftell(list) ? ":" : "", path);
    return SL_OK;
}

/* Where loaders of OpenCL's drivers look for vendors files: the variables of the two that there are. */
#define OPENCL_VENDORS        "%s/../opencl/vendors"
#define OPENCL_VARIABLE       "OCL_ICD_VENDORS"
#define OPENCL_OTHER_VARIABLE "OPENCL_VENDOR_PATH"
#define NVTX                  "libnvToolsExt.so.1"
#define NVTX_VARIABLE         "NVTX_INJECTION64_PATH"

/* The value of LD_PRELOAD: a preloaded library satisfies later requests for its name, whatever the run path of the
 * program. First the CUDA runtime that the program names, then the others: its plug-ins and children may have those. */
static sl_status preload_list(const sl_app *app, const char *folder, const sl_app_start *start, char **list,
                              sl_error *error)
{
    size_t length;
    FILE *stream = open_memstream(list, &length);
    if (!stream)
        return sl_fail_memory(error);
    sl_status status = start->preload ? preload_one(stream, folder, start->folder, start->preload, error) : SL_OK;
    if (!status && start->emulate) /* what the others are made of */
        status = preload_one(stream, folder, start->folder, "libsluice_process.so", error);
    if (!status && start->emulate)
        status = preload_one(stream, folder, start->folder, "libcuda.so.1", error);
    if (!status && start->emulate && *app->soname)
        status = preload_one(stream, folder, start->folder, app->soname, error);
    for (size_t i = 0; !status && sl_cudart_sonames[i] && start->emulate; i++)
        if (strcmp(app->soname, sl_cudart_sonames[i]) != 0)
            status = preload_one(stream, folder, start->folder, sl_cudart_sonames[i], error);
    if (!status && start->emulate && !getenv(NVTX_VARIABLE))
        status = preload_one(stream, folder, start->folder, NVTX, error);
    if (fclose(stream) != 0 && !status)
        status = sl_fail_memory(error);
    return status;
}

#define REDIRECT "libsluice_redirect.so"

/* It is not there in builds with sanitizers, which cannot be loaded twice into a process. */
static bool has_redirect(const char *folder)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/" REDIRECT, folder);
    return access(path, R_OK) == 0;
}

/* The value of LD_AUDIT: what sends static CUDA runtimes to those libraries. */
static sl_status audit_list(const char *folder, const sl_app_start *start, char **list, sl_error *error)
{
    size_t length;
    FILE *stream = open_memstream(list, &length);
    if (!stream)
        return sl_fail_memory(error);
    sl_status status = preload_one(stream, folder, start->folder, REDIRECT, error);
    return fclose(stream) == 0 || status ? status : sl_fail_memory(error);
}

/* The environment of the program: ours with some variables ("NAME=VALUE") replaced or added; NULL ones are passed over.
 */
static char **make_environment(const char *const *replaced, size_t replacements, sl_error *error)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **result = calloc(count + replacements + 1, sizeof *result);
    if (!result) {
        sl_fail_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        bool again = false;
        for (size_t k = 0; k < replacements; k++)
            again |= replaced[k] && !strncmp(environ[i], replaced[k], strcspn(replaced[k], "=") + 1);
        if (!again)
            result[kept++] = environ[i];
    }
    for (size_t k = 0; k < replacements; k++)
        if (replaced[k])
            result[kept++] = (char *)(uintptr_t)replaced[k]; /* execve only reads them */
    return result;
}

/* ---- while it runs ---- */

static volatile sig_atomic_t child; /* for the handler: where signals meant for the program go */
static volatile sig_atomic_t told_to_end;

static void pass_on(int number)
{
    if (number == SIGTERM || number == SIGHUP)
        told_to_end = true;
    if (child > 0)
        kill((pid_t)child, number);
}

enum { SIGNALS = 6 };
/* A terminal sends the first two to the program as well; the others only to this process. */
static const int PASSED[SIGNALS] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* What the new process needs to become the program. */
typedef struct beginning {
    const sl_app *app;
    const sl_app_start *start;
    char **argv, **environment;
    struct sigaction before[SIGNALS];
} beginning;

static void become_program(void *context)
{
    const beginning *b = context;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(PASSED[i], &b->before[i], NULL);
    int to = b->start->output             ? sl_scratch_file(b->start->output, SL_SCRATCH_EMPTY)
             : b->start->output_to_stderr ? STDERR_FILENO
                                          : -1;
    if (to >= 0)
        dup2(to, STDOUT_FILENO);
    if (b->start->working && chdir(b->start->working))
        return; /* errno says why */
    execve(b->app->path, b->argv, b->environment);
}

static sl_status start_and_wait(const sl_app *app, char **argv, char **environment, const sl_app_start *start,
                                sl_app_end *end, sl_error *error)
{
    beginning b = {.app = app, .start = start, .argv = argv, .environment = environment};
    sl_guard guard;
    int ended = 0, reason = 0;
    fflush(NULL);
    told_to_end = false;
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_handler = i < 2 ? SIG_IGN : pass_on};
        sigaction(PASSED[i], &action, &b.before[i]);
    }
    sl_status status = sl_guard_start(&guard, become_program, &b, error);
    if (!status) {
        child = guard.program;
        if (told_to_end) /* meanwhile */
            kill(guard.program, SIGTERM);
        status = sl_guard_wait(&guard, &ended, &reason, error);
        child = 0;
    }
    if (!status) {
        end->pid = guard.program;
        end->signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
        end->code = end->signal ? 128 + end->signal : WEXITSTATUS(ended);
        sl_guard_end(&guard, end->signal || told_to_end);
        errno = reason;
        if (reason)
            status = sl_fail_io(error, "run", app->path);
    }
    for (int i = 0; i < SIGNALS; i++)
        sigaction(PASSED[i], &b.before[i], NULL);
    return status;
}

/* The variables that bring our libraries into the program and those that it starts. */
static sl_status make_variables(const sl_app *app, const sl_app_start *start, char *variable[], sl_error *error)
{
    char folder[PATH_MAX], *list = NULL, *text = NULL;
    sl_status status = sl_library_folder("cuda", folder, sizeof folder, error);
    if (!status)
        status = preload_list(app, folder, start, &list, error);
    variable[0] = status ? NULL : prepend_variable("LD_PRELOAD", list, ':');
    bool whole = variable[0] != NULL;
    free(list);
    list = NULL;
    if (whole && start->emulate) {
        sl_proc_options options = *start->emulate;
        snprintf(options.libraries, sizeof options.libraries, "%s", folder);
        if (app->static_runtime || has_redirect(folder))
            status = audit_list(folder, start, &list, error);
        if (!status)
            status = sl_proc_options_encode(&options, &text, error);
        if (!status) {
            variable[1] = prepend_variable("LD_LIBRARY_PATH", folder, ':');
            variable[2] = list ? prepend_variable("LD_AUDIT", list, ':') : NULL;
            if (asprintf(&variable[3], "%s=%s", SL_PROC_OPTIONS_VARIABLE, text) < 0)
                variable[3] = NULL;
            if (getenv(NVTX_VARIABLE) || asprintf(&variable[4], NVTX_VARIABLE "=%s/" NVTX, folder) < 0)
                variable[4] = NULL; /* another tool follows the ranges */
            if (asprintf(&variable[5], OPENCL_VARIABLE "=" OPENCL_VENDORS, folder) < 0)
                variable[5] = NULL;
            if (asprintf(&variable[6], OPENCL_OTHER_VARIABLE "=" OPENCL_VENDORS, folder) < 0)
                variable[6] = NULL;
            whole = variable[1] && (variable[2] || !list) && variable[3] && variable[5] && variable[6];
        }
    }
    free(list);
    free(text);
    return status || whole ? status : sl_fail_memory(error);
}

sl_status sl_app_start_and_wait(const sl_app *app, char **argv, const sl_app_start *start, sl_app_end *end,
                                sl_error *error)
{
    enum { MADE = 7 };
    char *made[MADE] = {0}, **environment = NULL;
    sl_status status = make_variables(app, start, made, error);
    if (!status) {
        const char *replaced[MADE + SL_APP_VARIABLES] = {made[0], made[1], made[2], made[3], made[4], made[5], made[6]};
        memcpy(replaced + MADE, start->variable, sizeof start->variable);
        environment = make_environment(replaced, MADE + SL_APP_VARIABLES, error);
        status = environment ? start_and_wait(app, argv, environment, start, end, error) : sl_fail_memory(error);
    }
    for (int i = 0; i < MADE; i++)
        free(made[i]);
    free(environment);
    return status;
}
