/* SPDX-License-Identifier: MIT */
/* sluice watch: run a program whenever its files change, and say what the change is worth. Works next to any editor:
 * what it runs may be a build that ends with the program. */
#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/folders.h"
#include "cli/model_options.h"
#include "cli/output.h"

typedef struct watch_options {
    sl_common common;
    const char *gpu;
    sl_option_list set, path;
    uint64_t rounds; /* 0: until it is interrupted */
} watch_options;

enum { MAX_FILES = 100000, MAX_DEPTH = 16, POLL_US = 200000 };

/* ---- what changed ---- */

typedef struct stamp {
    uint64_t sum; /* of names, times and sizes, in any order */
    size_t files;
} stamp;

static void stamp_file(stamp *s, const char *path, const struct stat *facts)
{
    uint64_t hash = sl_hash64(path, strlen(path));
    hash = sl_hash_mix(hash ^ (uint64_t)facts->st_mtim.tv_sec * 1000000000u ^ (uint64_t)facts->st_mtim.tv_nsec);
    s->sum += sl_hash_mix(hash ^ (uint64_t)facts->st_size);
    s->files++;
}

/* Folders with all that is below them, but for what is hidden. */
static void stamp_path(stamp *s, const char *path, unsigned depth)
{
    struct stat facts;
    if (s->files >= MAX_FILES || depth > MAX_DEPTH || stat(path, &facts))
        return;
    if (!S_ISDIR(facts.st_mode)) {
        stamp_file(s, path, &facts);
        return;
    }
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char inner[4096];
        if (*entry->d_name != '.' && snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < (int)sizeof inner)
            stamp_path(s, inner, depth + 1);
    }
    if (folder)
        closedir(folder);
}

static stamp stamp_all(const sl_invocation *inv)
{
    const watch_options *o = inv->values;
    stamp s = {0};
    for (size_t i = 0; i < o->path.count; i++)
        stamp_path(&s, o->path.item[i], 0);
    if (!o->path.count)
        stamp_path(&s, ".", 0);
    if (strchr(inv->args.program[0], '/'))
        stamp_path(&s, inv->args.program[0], 0);
    return s;
}

static bool same_stamp(stamp a, stamp b)
{
    return a.sum == b.sum && a.files == b.files;
}

/* Until something differs from `seen`, and no longer changes: editors and compilers write in pieces. */
static void wait_for_change(const sl_invocation *inv, stamp seen)
{
    stamp now = seen, before;
    do {
        before = now;
        usleep(POLL_US);
        now = stamp_all(inv);
    } while (same_stamp(now, seen) || !same_stamp(now, before));
}

/* ---- runs of other commands ---- */

typedef struct command_line {
    char *word[256];
    size_t count;
} command_line;

static void add(command_line *line, const char *word)
{
    if (line->count + 1 < sizeof line->word / sizeof *line->word)
        line->word[line->count++] = (char *)(uintptr_t)word;
}

/* Returns the exit code, or -1. */
static int start(command_line *line)
{
    extern char **environ;
    pid_t child;
    int state;
    line->word[line->count] = NULL;
    int failed = posix_spawn(&child, "/proc/self/exe", NULL, NULL, line->word, environ);
    while (!failed && waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return -1;
    return failed || !WIFEXITED(state) ? -1 : WEXITSTATUS(state);
}

/* Models the program; the first time its report is shown. */
static int model(const sl_invocation *inv, const char *json, bool first)
{
    const watch_options *o = inv->values;
    command_line line = {0};
    add(&line, "sluice");
    add(&line, "model");
    if (!first)
        add(&line, "-q");
    add(&line, "--gpu");
    add(&line, o->gpu);
    for (size_t i = 0; i < o->set.count; i++) {
        add(&line, "--set");
        add(&line, o->set.item[i]);
    }
    add(&line, "--json");
    add(&line, json);
    add(&line, "--");
    for (size_t i = 0; inv->args.program[i]; i++)
        add(&line, inv->args.program[i]);
    return start(&line);
}

/* The verdict is the first line of a comparison. */
static void show_verdict(const char *folder, const char *before, const char *after)
{
    char path[4096], verdict[1024] = "";
    command_line line = {0};
    snprintf(path, sizeof path, "%s/verdict", folder);
    add(&line, "sluice");
    add(&line, "compare");
    add(&line, before);
    add(&line, after);
    add(&line, "-o");
    add(&line, path);
    FILE *file = start(&line) ? NULL : fopen(path, "r");
    if (file && fgets(verdict, sizeof verdict, file))
        printf("%s", verdict);
    if (file)
        fclose(file);
    fflush(stdout);
}

static int watch(const sl_invocation *inv, const char *folder)
{
    const watch_options *o = inv->values;
    char json[2][4096];
    int now = 0, code = SL_EXIT_OK;
    bool first = true;
    for (int i = 0; i < 2; i++)
        snprintf(json[i], sizeof json[i], "%s/%d.json", folder, i);
    for (uint64_t round = 0; !o->rounds || round < o->rounds; round++) {
        if (round)
            wait_for_change(inv, stamp_all(inv));
        unlink(json[now]);
        code = model(inv, json[now], first);
        if (code || access(json[now], R_OK)) { /* a build that fails, say: the last good one stays */
            sl_cli_warn(inv, "it ended with %d; waiting for the next change", code);
            continue;
        }
        if (!first)
            show_verdict(folder, json[!now], json[now]);
        now = !now;
        first = false;
    }
    return code < 0 ? SL_EXIT_FAILURE : code;
}

static int run(const sl_invocation *inv)
{
    char folder[3072];
    sl_error error;
    const watch_options *o = inv->values;
    sl_machine *machine = malloc(sizeof *machine);
    sl_status status =
        machine ? sl_machine_load_with(o->gpu, o->set.item, o->set.count, machine, &error) : sl_fail_memory(&error);
    free(machine);
    if (!status)
        status = sl_temporary_folder(folder, sizeof folder, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    int code = watch(inv, folder);
    sl_temporary_folder_remove(folder);
    return code;
}

#define AT(field) offsetof(watch_options, field)
// clang-format off
static const sl_option options[] = {
    SL_GPU_OPTIONS(AT(gpu), AT(set)),
    {"path", 0, SL_OPTION_LIST, "PATH", "File or folder whose changes start the program again; may be repeated (default: the current folder)", AT(path), 0, 0, NULL},
    {"rounds", 0, SL_OPTION_NUMBER, "N", "End after N runs (default: at Ctrl-C)", AT(rounds), 1, 0, NULL},
    {0},
};
// clang-format on

static const watch_options defaults = {.gpu = SL_DEFAULT_GPU};

static const sl_example examples[] = {
    {"sluice watch -- make run", "Build and run at each change; say which version is faster, and why"},
    {"sluice watch --path app --gpu rtx4090 -- ./app 1024", "Run a program each time it was built"},
    {0},
};

const sl_command sl_cmd_watch = {
    .name = "watch",
    .summary = "run a program at each change of its files, and compare",
    .usage = "[options] -- PROGRAM [ARG...]",
    .description =
        "Model a CUDA program as 'sluice model' does, again whenever its files have changed, and compare each time "
        "with the time before: one line says which version is faster and which memory instruction explains it. The "
        "program may be a build that ends with a run. Where it fails, the next version is compared with the last that "
        "did not.",
    .options = options,
    .common = SL_COMMON_QUIET,
    .values_bytes = sizeof(watch_options),
    .defaults = &defaults,
    .min_operands = 1,
    .operand = "a program after '--'",
    .takes_program = true,
    .examples = examples,
    .run = run,
};
