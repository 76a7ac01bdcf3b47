/* SPDX-License-Identifier: MIT */
/* Compiling: clang makes LLVM IR of the source, and PTX of that, linked with the functions of the device (builtins.cl,
 * and libclc for those that it lacks).
 *
 * Sources and results are kept in the folder opencl of the cache: sources because traces name their lines, results
 * under a hash of all that they are made from. A source that includes files is compiled each time, for these may have
 * changed; so is one that the compiler has something to say about. */
#include "opencl/opencl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/incbin.h"
#include "base/new_file.h"

#define TARGET      "--target=nvptx64-nvidia-nvcl"
#define INSTALL     "install clang and libclc of one version (Debian: apt-get install clang-19 libclc-19)"
#define CLANG_NAME  "SLUICE_CLANG"
#define LIBCLC_NAME "SLUICE_LIBCLC"

SL_INCBIN("sl_cl_builtins", SL_OPENCL_BUILTINS)
extern const char sl_cl_builtins[];

extern char **environ;

typedef struct compiler {
    char clang[PATH_MAX], libclc[PATH_MAX];
    char folder[PATH_MAX / 2];               /* for sources and results */
    char builtins[SL_CL_VARIANTS][PATH_MAX]; /* bitcode */
    uint64_t identity[2];                    /* changes with the two files */
} compiler;

/* ---- where things are ---- */

static bool is_there(const char *path, char *to, uint64_t *identity)
{
    struct stat facts;
    if (stat(path, &facts) || !S_ISREG(facts.st_mode))
        return false;
    snprintf(to, PATH_MAX, "%s", path);
    *identity = sl_hash_mix((uint64_t)facts.st_mtime) ^ sl_hash_mix((uint64_t)facts.st_size + 1);
    return true;
}

static bool find_clang(compiler *c)
{
    enum { NEWEST = 30, OLDEST = 14 };
    const char *given = getenv(CLANG_NAME);
    char path[PATH_MAX];
    if (given && *given)
        return is_there(given, c->clang, &c->identity[0]);
    for (int version = NEWEST; version >= OLDEST; version--) {
        snprintf(path, sizeof path, "/usr/bin/clang-%d", version);
        if (is_there(path, c->clang, &c->identity[0]))
            return true;
        snprintf(path, sizeof path, "/usr/lib/llvm-%d/bin/clang", version);
        if (is_there(path, c->clang, &c->identity[0]))
            return true;
    }
    return is_there("/usr/bin/clang", c->clang, &c->identity[0]) ||
           is_there("/usr/local/bin/clang", c->clang, &c->identity[0]);
}

static bool find_libclc(compiler *c)
{
    static const char *const PLACES[] = {"/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc",
                                         "/usr/lib/clc/nvptx64-nvidia-nvcl.bc",
                                         "/usr/local/share/clc/nvptx64--nvidiacl.bc"};
    const char *given = getenv(LIBCLC_NAME);
    if (given && *given)
        return is_there(given, c->libclc, &c->identity[1]);
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++)
        if (is_there(PLACES[i], c->libclc, &c->identity[1]))
            return true;
    return false;
}

/* The folder: of the user's cache, or where temporary files go. */
static bool find_folder(compiler *c)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *temporary = getenv("TMPDIR");
    char *folder = c->folder;
    if (cache && *cache == '/')
        snprintf(folder, sizeof c->folder, "%s/sluice/opencl", cache);
    else if (home && *home == '/')
        snprintf(folder, sizeof c->folder, "%s/.cache/sluice/opencl", home);
    else
        snprintf(folder, sizeof c->folder, "%s/sluice-opencl-%u", temporary && *temporary == '/' ? temporary : "/tmp",
                 (unsigned)getuid());
    for (char *slash = folder + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(folder, 0777);
        *slash = '/';
    }
    mkdir(folder, 0700);
    struct stat facts;
    return !stat(folder, &facts) && S_ISDIR(facts.st_mode) && facts.st_uid == getuid() && !access(folder, W_OK);
}

/* ---- running it ---- */

/* What brings our libraries into programs is not for the compiler. */
static bool keeps(const char *variable)
{
    static const char *const OURS[] = {
        "LD_PRELOAD=", "LD_AUDIT=", "LD_LIBRARY_PATH=", "NVTX_INJECTION64_PATH=", "SLUICE_OPTIONS="};
    for (size_t i = 0; i < sizeof OURS / sizeof *OURS; i++)
        if (!strncmp(variable, OURS[i], strlen(OURS[i])))
            return false;
    return true;
}

static char **clean_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **result = calloc(count + 1, sizeof *result);
    for (size_t i = 0; result && i < count; i++)
        if (keeps(environ[i]))
            result[kept++] = environ[i];
    return result;
}

/* Runs it; what it says goes to the log. False: it failed, or could not be started. */
static bool run(char *const *argv, sl_buffer *log)
{
    char **environment = clean_environment(), text[4096];
    int ends[2], state = 0;
    pid_t child;
    if (!environment || pipe2(ends, O_CLOEXEC)) {
        free(environment);
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    int failed = posix_spawn(&child, argv[0], &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        sl_buffer_format(log, "cannot run %s: %s\n", argv[0], strerror(failed));
        return false;
    }
    for (ssize_t got; (got = read(ends[0], text, sizeof text)) != 0;) {
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0)
            sl_buffer_append(log, text, (size_t)got);
    }
    close(ends[0]);
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(state) && !WEXITSTATUS(state);
}

enum { MAX_ARGS = 512 };

typedef struct command {
    char *argv[MAX_ARGS + 1];
    size_t count;
    bool full;
} command;

static void add(command *c, const char *argument)
{
    if (c->count == MAX_ARGS)
        c->full = true;
    else
        c->argv[c->count++] = (char *)(uintptr_t)argument; /* posix_spawn only reads them */
}

#define ADD(c, ...)                                                                                                    \
    do {                                                                                                               \
        const char *const words_[] = {__VA_ARGS__};                                                                    \
        for (size_t i_ = 0; i_ < sizeof words_ / sizeof *words_; i_++)                                                 \
            add(c, words_[i_]);                                                                                        \
    } while (0)

/* The same for code that has been compiled before: what is said of it is of interest when it fails. */
static bool run_again(char *const *argv, sl_buffer *log)
{
    sl_buffer said = {0};
    bool done = run(argv, &said);
    if (!done && said.count)
        sl_buffer_append(log, said.data, said.count);
    sl_buffer_free(&said);
    return done;
}

/* A file of the folder, whole or not at all. */
static bool write_file(const char *path, const char *text, size_t bytes)
{
    sl_new_file made;
    FILE *file;
    if (sl_new_file_print(path, &made, &file, NULL))
        return false;
    fwrite(text, 1, bytes, file);
    return !sl_new_file_finish(&made, file, NULL);
}

/* A name for what the compiler writes: other processes may be at it, too. */
static void temporary_name(const char *path, char *temporary, size_t size)
{
    static unsigned serial; /* guarded by the core's lock */
    snprintf(temporary, size, "%s.tmp-%d-%u", path, (int)getpid(), ++serial);
}

/* ---- the device's functions ---- */

static bool build_builtins(compiler *c, sl_cl_variant variant, sl_buffer *log)
{
    char key[SL_KEY_BYTES], source[PATH_MAX], made[PATH_MAX];
    sl_hash hash = sl_hash_start();
    sl_hash_text(&hash, sl_cl_builtins);
    sl_hash_text(&hash, c->clang);
    sl_hash_number(&hash, c->identity[0]);
    sl_hash_number(&hash, variant);
    sl_hash_write(hash, key);
    snprintf(c->builtins[variant], PATH_MAX, "%s/builtins-%s.bc", c->folder, key);
    if (!access(c->builtins[variant], R_OK))
        return true;
    snprintf(source, sizeof source, "%s/builtins-%s.cl", c->folder, key);
    temporary_name(c->builtins[variant], made, sizeof made);
    if (!write_file(source, sl_cl_builtins, strlen(sl_cl_builtins))) {
        sl_buffer_format(log, "cannot write %s\n", source);
        return false;
    }
    command clang = {0};
    ADD(&clang, c->clang, "-x", "cl", "-cl-std=CL1.2", "-cl-no-stdinc", TARGET, "-Xclang", "-target-cpu", "-Xclang",
        "sm_75", "-O3", "-w", variant == SL_CL_GENERAL ? "-DSLUICE_GENERAL=1" : "-DSLUICE_GENERAL=0", "-c",
        "-emit-llvm", "-o", made, source);
    char *bitcode = NULL;
    size_t bytes;
    bool done = run(clang.argv, log) && !sl_file_read(made, &bitcode, &bytes, NULL) &&
                write_file(c->builtins[variant], bitcode, bytes);
    free(bitcode);
    unlink(source);
    unlink(made);
    return done;
}

/* Finds all that compiling needs; says what is missing. */
static cl_int prepare(compiler *c, sl_buffer *log)
{
    *c = (compiler){0};
    if (!find_clang(c) || !find_libclc(c)) {
        sl_buffer_format(log, "OpenCL programs are compiled by clang with libclc; %s %s: " INSTALL "\n",
                         *c->clang ? "libclc" : "clang", "was not found");
        return CL_COMPILER_NOT_AVAILABLE;
    }
    if (!find_folder(c)) {
        sl_buffer_format(log, "cannot write to the folder %s, which compiling needs\n", c->folder);
        return CL_COMPILER_NOT_AVAILABLE;
    }
    return CL_SUCCESS;
}

/* ---- the steps ---- */

static cl_int read_result(const char *path, char **text, size_t *bytes, sl_buffer *log)
{
    sl_error why = {0};
    if (!sl_file_read(path, text, bytes, &why))
        return CL_SUCCESS;
    sl_buffer_format(log, "%s\n", why.text);
    return CL_BUILD_PROGRAM_FAILURE;
}

/* Source to LLVM IR, not optimized yet. */
static cl_int compile(const compiler *c, const char *source, const sl_cl_options *options, const char *headers,
                      sl_cl_code *code, sl_buffer *log)
{
    static const char extensions[] = "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,"
                                     "+cl_khr_3d_image_writes,+__opencl_c_images,+__opencl_c_3d_image_writes";
    char made[PATH_MAX];
    command clang = {0};
    temporary_name(source, made, sizeof made);
    /* DWARF 2: of newer ones LLVM 19 also describes calls, and crashes at some that remain in a kernel. */
    ADD(&clang, c->clang, "-x", "cl", "-cl-std=CL1.2", TARGET, "-Xclang", "-target-cpu", "-Xclang", "sm_75",
        options->unoptimized ? "-O0" : "-O3", "-Xclang", "-disable-llvm-passes", "-gline-tables-only", "-gdwarf-2",
        "-cl-kernel-arg-info", "-D__IMAGE_SUPPORT__=1", "-Xclang", extensions, "-iquote", ".",
        "-fno-caret-diagnostics");
    if (headers)
        ADD(&clang, "-I", headers);
    for (size_t i = 0; i < options->clang.count; i++)
        add(&clang, options->clang.items[i]);
    ADD(&clang, "-S", "-emit-llvm", "-o", made, source);
    if (clang.full) {
        sl_buffer_format(log, "more than %d words of build options\n", MAX_ARGS);
        return CL_INVALID_BUILD_OPTIONS;
    }
    cl_int error = run(clang.argv, log) ? read_result(made, &code->ir, &code->ir_bytes, log) : CL_BUILD_PROGRAM_FAILURE;
    unlink(made);
    code->unoptimized = options->unoptimized;
    return error;
}

static cl_int write_ir(const compiler *c, const sl_cl_code *code, const char *name, char path[PATH_MAX], sl_buffer *log)
{
    char named[PATH_MAX];
    snprintf(named, sizeof named, "%s/%s.ll", c->folder, name);
    temporary_name(named, path, PATH_MAX);
    if (write_file(path, code->ir, code->ir_bytes))
        return CL_SUCCESS;
    sl_buffer_format(log, "cannot write %s\n", path);
    return CL_BUILD_PROGRAM_FAILURE;
}

/* A constant that the host sets (launch.c): the compiler leaves it to others to define. */
static void define_constants(char *ptx)
{
    static const char DECLARED[] = ".extern .const", DEFINED[] = ".visible .const";
    _Static_assert(sizeof DECLARED + 1 == sizeof DEFINED, "one more");
    for (char *at = ptx; (at = strstr(at, DECLARED)); at++) {
        char *end = strchr(at, ';');
        if (!end || !memmem(at, (size_t)(end - at), "sluice_ndrange", strlen("sluice_ndrange")))
            continue;
        /* ".extern .const .align 8 .b8 …" has a blank to spare behind its first word */
        memcpy(at, ".visible.const", strlen(DECLARED));
    }
}

static cl_int generate(compiler *c, sl_cl_code *code, sl_cl_variant variant, sl_buffer *log)
{
    char source[PATH_MAX], made[PATH_MAX];
    size_t bytes;
    if (!build_builtins(c, variant, log))
        return CL_BUILD_PROGRAM_FAILURE;
    cl_int error = write_ir(c, code, "link", source, log);
    if (error)
        return error;
    temporary_name(source, made, sizeof made);
    command clang = {0};
    ADD(&clang, c->clang, "-x", "ir", TARGET, "-Xclang", "-target-cpu", "-Xclang", "sm_75",
        code->unoptimized ? "-O0" : "-O3", "-w", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", c->builtins[variant],
        "-Xclang", "-mlink-builtin-bitcode", "-Xclang", c->libclc, "-S", "-o", made, source);
    error = run_again(clang.argv, log) ? read_result(made, &code->ptx[variant], &bytes, log) : CL_BUILD_PROGRAM_FAILURE;
    if (!error)
        define_constants(code->ptx[variant]);
    unlink(source);
    unlink(made);
    return error;
}

cl_int sl_cl_generate(sl_cl_code *code, sl_cl_variant variant, sl_buffer *log)
{
    compiler c;
    if (code->ptx[variant])
        return CL_SUCCESS;
    if (!code->ir) {
        sl_buffer_format(log, "a binary that is PTX alone cannot be launched with an offset or uneven groups\n");
        return CL_INVALID_BINARY;
    }
    cl_int error = prepare(&c, log);
    return error ? error : generate(&c, code, variant, log);
}

/* ---- headers of clCompileProgram ---- */

/* Writes them into a folder of their own. */
static bool write_headers(const compiler *c, const sl_cl_header *headers, size_t count, char *folder, size_t size,
                          int *lock)
{
    char prefix[PATH_MAX], path[PATH_MAX];
    snprintf(prefix, sizeof prefix, "%s/headers", c->folder);
    if (sl_new_folder(prefix, folder, size, lock, NULL))
        return false;
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, headers[i].name);
        for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
            *slash = 0;
            mkdir(path, 0700);
            *slash = '/';
        }
        if (strstr(headers[i].name, "..") || !write_file(path, headers[i].text, strlen(headers[i].text)))
            return false;
    }
    return true;
}

static void remove_headers(const sl_cl_header *headers, size_t count, const char *folder, int lock)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, headers[i].name);
        unlink(path);
        for (char *slash; (slash = strrchr(path, '/')) && slash > path + strlen(folder);) {
            *slash = 0;
            rmdir(path);
        }
    }
    sl_folder_remove(folder);
    close(lock);
}

/* ---- the whole ---- */

/* A result that is kept: what it is made from, as a name. */
static void result_key(const compiler *c, const char *source, const sl_cl_options *options, char key[SL_KEY_BYTES])
{
    sl_hash hash = sl_hash_start();
    sl_hash_text(&hash, SLUICE_VERSION);
    sl_hash_text(&hash, sl_cl_builtins);
    sl_hash_text(&hash, c->clang);
    sl_hash_text(&hash, c->libclc);
    sl_hash_number(&hash, c->identity[0]);
    sl_hash_number(&hash, c->identity[1]);
    sl_hash_number(&hash, options->unoptimized);
    for (size_t i = 0; i < options->clang.count; i++)
        sl_hash_text(&hash, options->clang.items[i]);
    sl_hash_text(&hash, source);
    sl_hash_write(hash, key);
}

static bool read_kept(const char *path, sl_cl_code *code)
{
    char *text;
    size_t bytes;
    if (sl_file_read(path, &text, &bytes, NULL))
        return false;
    bool whole = !sl_cl_binary_read(text, bytes, code) && code->ir && code->ptx[SL_CL_PLAIN];
    free(text);
    if (!whole)
        sl_cl_code_fini(code);
    return whole;
}

static void keep(const char *path, const sl_cl_code *code)
{
    sl_buffer text = {0};
    if (sl_cl_binary_write(code, &text))
        write_file(path, text.data, text.count);
    sl_buffer_free(&text);
}

cl_int sl_cl_compile(const char *source, const sl_cl_options *options, const sl_cl_header *headers, size_t count,
                     bool whole, sl_cl_code *code, sl_buffer *log)
{
    compiler c;
    char key[SL_KEY_BYTES], named[PATH_MAX], kept[PATH_MAX], folder[PATH_MAX] = "";
    int lock = -1;
    size_t said = log->count;
    cl_int error = prepare(&c, log);
    if (error)
        return error;
    result_key(&c, source, options, key);
    snprintf(named, sizeof named, "%s/%s.cl", c.folder, key);
    snprintf(kept, sizeof kept, "%s/%s.ptx", c.folder, key);
    bool includes = strstr(source, "#") && strstr(source, "include");
    if (whole && !includes && read_kept(kept, code))
        return CL_SUCCESS;
    if (!write_file(named, source, strlen(source)) ||
        (count && !write_headers(&c, headers, count, folder, sizeof folder, &lock))) {
        sl_buffer_format(log, "cannot write to %s\n", c.folder);
        error = CL_BUILD_PROGRAM_FAILURE;
    }
    if (!error)
        error = compile(&c, named, options, count ? folder : NULL, code, log);
    if (lock >= 0)
        remove_headers(headers, count, folder, lock);
    if (!error && whole)
        error = generate(&c, code, SL_CL_PLAIN, log);
    if (!error && whole && !includes && log->count == said)
        keep(kept, code);
    return error;
}

cl_int sl_cl_link(const sl_cl_code *const *parts, size_t count, sl_cl_code *code, sl_buffer *log)
{
    compiler c;
    char source[PATH_MAX], made[PATH_MAX], (*bitcode)[PATH_MAX] = calloc(count, sizeof *bitcode);
    cl_int error = bitcode ? prepare(&c, log) : CL_OUT_OF_HOST_MEMORY;
    command link = {0};
    if (!error)
        ADD(&link, c.clang, "-x", "ir", TARGET, "-O3", "-w", "-Xclang", "-disable-llvm-passes");
    for (size_t i = 1; !error && i < count; i++) {
        error = write_ir(&c, parts[i], "part", source, log);
        if (error)
            break;
        command clang = {0};
        temporary_name(source, bitcode[i], PATH_MAX);
        ADD(&clang, c.clang, "-x", "ir", TARGET, "-O3", "-w", "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm",
            "-o", bitcode[i], source);
        if (!run_again(clang.argv, log))
            error = CL_LINK_PROGRAM_FAILURE;
        unlink(source);
        ADD(&link, "-Xclang", "-mlink-bitcode-file", "-Xclang", bitcode[i]);
    }
    *source = 0;
    if (!error)
        error = write_ir(&c, parts[0], "first", source, log);
    if (!error) {
        temporary_name(source, made, sizeof made);
        ADD(&link, "-S", "-emit-llvm", "-o", made, source);
        bool done = !link.full && run_again(link.argv, log);
        error = done ? read_result(made, &code->ir, &code->ir_bytes, log) : CL_LINK_PROGRAM_FAILURE;
        unlink(made);
        unlink(source);
    }
    for (size_t i = 1; bitcode && i < count; i++)
        if (*bitcode[i])
            unlink(bitcode[i]);
    free(bitcode);
    for (size_t i = 0; i < count; i++)
        code->unoptimized |= parts[i]->unoptimized;
    return error;
}
