/* SPDX-License-Identifier: MIT */
#include "cli/paper_programs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "cli/folders.h"
#include "exec/start.h"

/* The words of a command line, with a NULL behind them, and the file that it runs. */
static sl_status open_command(const char *command, sl_split *words, sl_app *app, sl_error *error)
{
    sl_status status = sl_split_words(command, words, error);
    if (!status && !words->count)
        status = sl_fail(error, SL_INVALID, "'program' names no program");
    if (!status)
        status = sl_app_inspect(words->word[0], NULL, app, error);
    return status;
}

static bool is_there(void *context, const char *command)
{
    sl_split words = {0};
    sl_app app;
    sl_error why;
    (void)context;
    bool found = !open_command(command, &words, &app, &why);
    sl_split_free(&words);
    return found;
}

/* What a recording depends on, as far as it can be known: the command line, the program's file, and the GPU. */
static sl_status trace_path(const sl_cli_paper_programs *p, const char *command, const sl_app *app, const char *machine,
                            char *path, size_t size, sl_error *error)
{
    struct stat info;
    char key[SL_KEY_BYTES];
    if (stat(app->path, &info))
        return sl_fail_io(error, "read", app->path);
    sl_hash hash = sl_hash_start();
    sl_hash_text(&hash, sl_traces_id);
    sl_hash_text(&hash, command);
    sl_hash_text(&hash, app->path);
    sl_hash_number(&hash, (uint64_t)info.st_size);
    sl_hash_number(&hash, (uint64_t)info.st_mtim.tv_sec);
    sl_hash_number(&hash, (uint64_t)info.st_mtim.tv_nsec);
    sl_hash_text(&hash, machine);
    sl_hash_write(hash, key);
    if ((size_t)snprintf(path, size, "%s/program-%s.slt", p->traces, key) >= size)
        return sl_fail(error, SL_INVALID, "the path of the folder for traces is too long");
    return SL_OK;
}

static sl_status run(const sl_cli_paper_programs *p, const char *command, const sl_split *words, const sl_app *app,
                     const char *machine, uint32_t lanes, const char *path, sl_error *error)
{
    char scratch[1024], output[1100], folder[sizeof app->path];
    sl_run_end end = {0};
    sl_status status = sl_temporary_folder(scratch, sizeof scratch, error);
    if (status)
        return status;
    snprintf(output, sizeof output, "%s/output", scratch);
    snprintf(folder, sizeof folder, "%s", app->path);
    char *slash = strrchr(folder, '/'); /* programs look for their files next to them */
    slash[slash == folder] = 0;
    sl_program_settings settings = {.quiet = true, .model = machine, .folder = folder, .output = output};
    const sl_record_options options = {.settings = {.lanes = lanes, .threads = p->inv->common->threads},
                                       .trace_path = path,
                                       .producer = p->inv->line,
                                       .zstd_level = 1,
                                       .scratch = scratch,
                                       .durable = true,
                                       .start_program = sl_program_start,
                                       .program_context = &settings,
                                       .progress = p->inv->progress};
    sl_input input;
    sl_input_spec spec = SL_INPUT_SPEC_START;
    spec.name = app->path; /* however it was found: the program runs in another folder */
    char *argv[SL_MAX_WORDS + 1] = {0};
    for (size_t i = 0; i < words->count; i++)
        argv[i] = (char *)(uintptr_t)words->word[i]; /* execve only reads them */
    spec.program = argv;
    status = sl_input_open(&spec, &input, error);
    if (!status) {
        status = sl_input_emulate(&input, &options, &end, error);
        sl_input_close(&input);
    }
    if (!status && end.exit_code)
        status = sl_fail(error, SL_INVALID, "'%s' ended with exit code %d", command, end.exit_code);
    if (!status && access(path, R_OK))
        status = sl_fail(error, SL_NOT_FOUND, "'%s' launched no kernel", command);
    if (status)
        unlink(path);
    sl_temporary_folder_remove(scratch);
    return status;
}

static sl_status record(void *context, const char *command, const char *machine, uint32_t lanes, char *path,
                        size_t size, sl_error *error)
{
    const sl_cli_paper_programs *p = context;
    sl_split words = {0};
    sl_app app;
    sl_status status = open_command(command, &words, &app, error);
    if (!status)
        status = trace_path(p, command, &app, machine, path, size, error);
    if (!status && access(path, R_OK) && !(status = sl_make_folders(p->traces, error)))
        status = run(p, command, &words, &app, machine, lanes, path, error);
    sl_split_free(&words);
    return status;
}

sl_paper_programs sl_cli_paper_programs_of(sl_cli_paper_programs *programs)
{
    return (sl_paper_programs){.is_there = is_there, .record = record, .context = programs};
}
