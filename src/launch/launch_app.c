/* SPDX-License-Identifier: MIT */
#include "launch/launch_app.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptx/elf.h"
#include "ptx/fatbin.h"

extern char **environ;

static const char *const SONAMES[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
enum { SONAME_COUNT = sizeof SONAMES / sizeof *SONAMES };

/* ---- before the start ---- */

static bool runnable(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

static sl_status find_program(const char *name, char *path, size_t size, sl_error *error)
{
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        if (runnable(path))
            return SL_OK;
        if (access(path, F_OK) != 0)
            return sl_fail_io(error, "run", path);
        return sl_fail(error, SL_INVALID, "cannot run %s: it is not an executable file", path);
    }
    const char *search = getenv("PATH");
    for (const char *part = search ? search : "/usr/local/bin:/usr/bin:/bin"; *part;) {
        size_t length = strcspn(part, ":");
        snprintf(path, size, "%.*s/%s", length ? (int)length : 1, length ? part : ".", name);
        if (runnable(path))
            return SL_OK;
        part += length + (part[length] == ':');
    }
    if (runnable(name))
        return sl_fail(error, SL_NOT_FOUND, "program '%s' is not on the PATH; did you mean ./%s?", name, name);
    return sl_fail(error, SL_NOT_FOUND, "program '%s' is not on the PATH", name);
}

/* A program with machine code but no PTX cannot be emulated. */
static sl_status check_ptx(const sl_app *app, const void *data, size_t bytes, bool *has_code, sl_error *error)
{
    sl_fatbin fatbin = {0};
    sl_status status = sl_fatbin_add_elf(&fatbin, data, bytes, error);
    uint32_t ptx = 0, machine_code = 0;
    for (size_t i = 0; !status && i < fatbin.entries.count; i++) {
        ptx += fatbin.entries.items[i].kind == SL_FATBIN_PTX;
        if (fatbin.entries.items[i].kind == SL_FATBIN_CUBIN)
            machine_code = fatbin.entries.items[i].sm;
    }
    *has_code = fatbin.entries.count != 0;
    if (!status && !ptx && machine_code)
        status = sl_fail(error, SL_UNSUPPORTED,
                         "%s contains machine code for sm_%u but no PTX; compile it with nvcc -gencode "
                         "arch=compute_%u,code=compute_%u (or just -arch=compute_%u)",
                         app->path, machine_code, machine_code, machine_code, machine_code);
    sl_fatbin_fini(&fatbin);
    return status;
}

static sl_status check_elf(sl_app *app, const void *data, size_t bytes, sl_error *error)
{
    sl_elf elf;
    bool has_code = false, defined = false;
    sl_status status = sl_elf_open(data, bytes, &elf, error);
    if (!status)
        status = check_ptx(app, data, bytes, &has_code, error);
    if (status)
        return status;
    for (size_t i = 0; sl_elf_needed(&elf, i); i++)
        if (strncmp(sl_elf_needed(&elf, i), "libcudart.so.", 13) == 0)
            snprintf(app->soname, sizeof app->soname, "%s", sl_elf_needed(&elf, i));
    if (*app->soname) {
        for (size_t i = 0; i < SONAME_COUNT; i++)
            if (strcmp(app->soname, SONAMES[i]) == 0)
                return SL_OK;
        return sl_fail(error, SL_UNSUPPORTED, "%s requires %s; supported are CUDA 11, 12 and 13", app->path,
                       app->soname);
    }
    if (!sl_elf_is_dynamic(&elf))
        return sl_fail(error, SL_UNSUPPORTED, "%s is statically linked; link it dynamically, with nvcc -cudart shared",
                       app->path);
    if (has_code && !sl_elf_dynamic_symbol(&elf, "__cudaRegisterFatBinary", &defined))
        return sl_fail(error, SL_UNSUPPORTED,
                       "%s is linked with the static CUDA runtime; link it with nvcc -cudart shared", app->path);
    return SL_OK;
}

sl_status sl_app_inspect(const char *name, sl_app *app, sl_error *error)
{
    struct stat facts;
    *app = (sl_app){0};
    sl_status status = find_program(name, app->path, sizeof app->path, error);
    if (status)
        return status;
    int file = open(app->path, O_RDONLY | O_CLOEXEC);
    if (file < 0) /* executable but not readable: started without inspection */
        return SL_OK;
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
        size_t bytes = (size_t)facts.st_size;
        void *data = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (data != MAP_FAILED) {
            if (sl_elf_is(data, bytes))
                status = check_elf(app, data, bytes, error);
            munmap(data, bytes);
        }
    }
    close(file);
    return status;
}

/* ---- the start ---- */

/* The folder with the libraries: beside the program that runs now, as built and as installed. */
static sl_status library_folder(char *folder, size_t size, sl_error *error)
{
    char self[PATH_MAX], joined[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return sl_fail_io(error, "read", "/proc/self/exe");
    self[length] = 0;
    *strrchr(self, '/') = 0;
    snprintf(joined, sizeof joined, "%s/../lib/sluice/cuda", self);
    char *real = realpath(joined, NULL);
    if (!real)
        return sl_fail(error, SL_IO, "the CUDA runtime libraries of Sluice are missing: %s", joined);
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

/* Adds a library of `folder` to the list. LD_PRELOAD cannot quote: a folder with a space or colon in its name is
 * reached by a link in `links`. */
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

/* The value of LD_PRELOAD: a preloaded library satisfies later requests for its name, whatever the run path of the
 * program. A program that names no version gets all three, which do not interfere. */
static sl_status preload_list(const sl_app *app, const char *folder, const sl_app_start *start, char **list,
                              sl_error *error)
{
    size_t length;
    FILE *stream = open_memstream(list, &length);
    if (!stream)
        return sl_fail_memory(error);
    sl_status status = start->preload ? preload_one(stream, folder, start->folder, start->preload, error) : SL_OK;
    for (size_t i = 0; !status && i < SONAME_COUNT && start->emulate; i++)
        if (!*app->soname || !strcmp(app->soname, SONAMES[i]))
            status = preload_one(stream, folder, start->folder, SONAMES[i], error);
    if (fclose(stream) != 0 && !status)
        status = sl_fail_memory(error);
    return status;
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

static void pass_on(int number)
{
    if (child > 0)
        kill((pid_t)child, number);
}

enum { SIGNALS = 6 };
/* A terminal sends the first two to the program as well; the others only to this process. */
static const int PASSED[SIGNALS] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

static sl_status wait_for(pid_t pid, sl_app_end *end, sl_error *error)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return sl_fail_io(error, "wait for", "the program");
    end->pid = pid;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->code = end->signal ? 128 + end->signal : WEXITSTATUS(status);
    return SL_OK;
}

/* Starts the program; a failed exec reports through a pipe that a successful one closes. */
static sl_status start_and_wait(const sl_app *app, char **argv, char **environment, const char *output, sl_app_end *end,
                                sl_error *error)
{
    int channel[2], reason = 0;
    struct sigaction before[SIGNALS];
    if (pipe2(channel, O_CLOEXEC) != 0)
        return sl_fail_io(error, "make", "a pipe");
    fflush(NULL);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_handler = i < 2 ? SIG_IGN : pass_on};
        sigaction(PASSED[i], &action, &before[i]);
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        for (int i = 0; i < SIGNALS; i++)
            sigaction(PASSED[i], &before[i], NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* who kills Sluice means the program, too */
        if (getppid() != parent)
            _exit(127);
        int to = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
        if (to >= 0)
            dup2(to, STDOUT_FILENO);
        execve(app->path, argv, environment);
        reason = errno;
        ssize_t sent = write(channel[1], &reason, sizeof reason);
        _exit(sent == sizeof reason ? 126 : 127);
    }
    close(channel[1]);
    sl_status status = pid < 0 ? sl_fail_io(error, "start", app->path) : SL_OK;
    if (!status) {
        child = pid;
        ssize_t received = read(channel[0], &reason, sizeof reason);
        status = wait_for(pid, end, error);
        child = 0;
        errno = reason;
        if (!status && received == sizeof reason)
            status = sl_fail_io(error, "run", app->path);
    }
    close(channel[0]);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(PASSED[i], &before[i], NULL);
    return status;
}

sl_status sl_app_start_and_wait(const sl_app *app, char **argv, const sl_app_start *start, sl_app_end *end,
                                sl_error *error)
{
    char folder[PATH_MAX], *preload = NULL, *text = NULL, *made[3] = {0}, **environment = NULL;
    sl_status status = library_folder(folder, sizeof folder, error);
    if (!status)
        status = preload_list(app, folder, start, &preload, error);
    if (!status && start->emulate)
        status = sl_cudart_options_encode(start->emulate, &text, error);
    if (!status) {
        made[0] = prepend_variable("LD_PRELOAD", preload, ':');
        made[1] = start->emulate ? prepend_variable("LD_LIBRARY_PATH", folder, ':') : NULL;
        if (start->emulate && asprintf(&made[2], "%s=%s", SL_CUDART_OPTIONS_VARIABLE, text) < 0)
            made[2] = NULL;
        const char *replaced[5] = {made[0], made[1], made[2], start->variable[0], start->variable[1]};
        bool whole = made[0] && (!start->emulate || (made[1] && made[2]));
        environment = whole ? make_environment(replaced, 5, error) : NULL;
        status =
            environment ? start_and_wait(app, argv, environment, start->output, end, error) : sl_fail_memory(error);
    }
    for (int i = 0; i < 3; i++)
        free(made[i]);
    free(environment);
    free(preload);
    free(text);
    return status;
}

sl_status sl_app_run(const sl_app *app, char **argv, const sl_cudart_options *options, sl_app_end *end, sl_error *error)
{
    const sl_app_start start = {.emulate = options, .folder = options->results};
    return sl_app_start_and_wait(app, argv, &start, end, error);
}
