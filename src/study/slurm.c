/* SPDX-License-Identifier: MIT */
#include "study/runner.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/new_file.h"

/* A word as a shell takes it. */
static void write_quoted(FILE *file, const char *word)
{
    fputc('\'', file);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", file);
        else
            fputc(*word, file);
    fputc('\'', file);
}

/* A file name in an #SBATCH line. There a '%' begins a pattern. */
static void write_output(FILE *file, const char *name, const char *end)
{
    fputs("#SBATCH --output=\"", file);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\' || *name == '%')
            fputc(*name == '%' ? '%' : '\\', file);
        fputc(*name, file);
    }
    fprintf(file, "%s\"\n", end);
}

/* A file name that no program takes for an option. */
static void write_name(FILE *file, const char *name)
{
    if (*name == '-')
        fputs("./", file);
    write_quoted(file, name);
}

static void write_command(FILE *file, const sl_slurm_job *job, const char *program)
{
    write_quoted(file, program);
    fputs(" sweep ", file);
    write_name(file, job->spec);
    if (job->cache) {
        fputs(" --cache ", file);
        write_name(file, job->cache);
    }
    for (size_t i = 0; i < job->plugins; i++) {
        fputs(" --policy-plugin ", file);
        write_name(file, job->plugin[i]);
    }
}

static void write_array(FILE *file, const sl_slurm_job *job, const char *program)
{
    unsigned long long tasks = job->tasks;
    fprintf(file, "#!/bin/sh\n#SBATCH --job-name=sluice-sweep\n#SBATCH --array=0-%llu\n", tasks - 1);
    write_output(file, job->database, "-%a.log");
    fputs("exec ", file);
    write_command(file, job, program);
    fprintf(file, " --shard \"$SLURM_ARRAY_TASK_ID/%llu\" -q -j \"${SLURM_CPUS_PER_TASK:-1}\" -d ", tasks);
    write_name(file, job->database);
    fputs(".part-\"$SLURM_ARRAY_TASK_ID\"\n", file);
}

/* A task that never started wrote no part: its points are run here. */
static void write_merge(FILE *file, const sl_slurm_job *job, const char *program)
{
    fputs("#!/bin/sh\n#SBATCH --job-name=sluice-merge\n", file);
    write_output(file, job->database, "-merge.log");
    fprintf(file, "part=0\nwhile [ $part -lt %llu ]; do\n    file=", (unsigned long long)job->tasks);
    write_name(file, job->database);
    fputs(".part-$part\n    [ ! -e \"$file\" ] || set -- \"$@\" --merge \"$file\"\n    part=$((part + 1))\ndone\nexec ",
          file);
    write_command(file, job, program);
    fputs(" --csv ", file);
    write_name(file, job->database);
    fputs(".csv -q -j \"${SLURM_CPUS_PER_TASK:-1}\" -d ", file);
    write_name(file, job->database);
    fputs(" \"$@\"\n", file);
}

static sl_status write_script(const char *path, const sl_slurm_job *job, const char *program,
                              void (*write)(FILE *, const sl_slurm_job *, const char *), sl_error *error)
{
    sl_new_file made;
    FILE *file;
    sl_status status = sl_new_file_print(path, &made, &file, error);
    if (status)
        return status;
    write(file, job, program);
    return sl_new_file_finish(&made, file, error);
}

/* Submits a script and reads the job number, the only output of sbatch with --parsable. `after` NULL: the job depends
 * on no other. */
static sl_status sbatch(const sl_slurm_job *job, char *script, char *after, char id[64], sl_error *error)
{
    char *const first[] = {"sbatch", "--parsable", script, NULL};
    char *const later[] = {"sbatch", "--parsable", after, script, NULL};
    int ends[2], state = 0;
    pid_t child;
    if (pipe(ends))
        return sl_fail_io(error, "start", "sbatch");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    int code = posix_spawnp(&child, "sbatch", &actions, NULL, after ? later : first, job->environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t got = 0;
    ssize_t some;
    while (!code && got < 63 && (some = read(ends[0], id + got, 63 - got)) > 0)
        got += (size_t)some;
    id[got] = 0;
    id[strcspn(id, ";\n")] = 0;
    close(ends[0]);
    if (code)
        return sl_fail(error, SL_NOT_FOUND, "cannot run sbatch: %s; the job script is %s", strerror(code), script);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(state) && !WEXITSTATUS(state) && *id
               ? SL_OK
               : sl_fail(error, SL_INVALID, "sbatch rejected the job; its script is %s", script);
}

sl_status sl_slurm_submit(const sl_slurm_job *job, char id[64], sl_error *error)
{
    char program[1024], array[1200], merge[1200], after[128], last[64];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return sl_fail_io(error, "read", "/proc/self/exe");
    program[length] = 0;
    const char *names[] = {job->database, job->spec, job->cache ? job->cache : "", program};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strpbrk(names[i], "\n\r"))
            return sl_fail(error, SL_INVALID, "a file name with a line break cannot be part of a batch script");
    for (size_t i = 0; i < job->plugins; i++)
        if (strpbrk(job->plugin[i], "\n\r"))
            return sl_fail(error, SL_INVALID, "a file name with a line break cannot be part of a batch script");
    const char *here = *job->database == '-' ? "./" : "";
    snprintf(array, sizeof array, "%s%s.sbatch", here, job->database);
    snprintf(merge, sizeof merge, "%s%s-merge.sbatch", here, job->database);
    sl_status status = write_script(array, job, program, write_array, error);
    if (!status)
        status = write_script(merge, job, program, write_merge, error);
    if (!status)
        status = sbatch(job, array, NULL, id, error);
    if (status)
        return status;
    snprintf(after, sizeof after, "--dependency=afterany:%s", id);
    return sbatch(job, merge, after, last, error);
}
