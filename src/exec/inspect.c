/* SPDX-License-Identifier: MIT */
/* Looks at a program before it starts: can Sluice's CUDA libraries get into it, and will they find PTX? */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "exec/start.h"
#include "interpose/static_runtime.h"
#include "ptx/cubin.h"
#include "ptx/fatbin.h"

const char *const sl_cudart_sonames[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", NULL};

/* ---- the file ---- */

static bool runnable(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* The first folder of the PATH with this program. */
static bool find_on_path(const char *name, char *path, size_t size)
{
    const char *search = getenv("PATH");
    for (const char *part = search ? search : "/usr/local/bin:/usr/bin:/bin"; *part;) {
        size_t length = strcspn(part, ":");
        snprintf(path, size, "%.*s/%s", length ? (int)length : 1, length ? part : ".", name);
        if (runnable(path))
            return true;
        part += length + (part[length] == ':');
    }
    return false;
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
    if (find_on_path(name, path, size))
        return SL_OK;
    if (runnable(name))
        return sl_fail(error, SL_NOT_FOUND, "program '%s' is not on the PATH; did you mean ./%s?", name, name);
    return sl_fail(error, SL_NOT_FOUND, "program '%s' is not on the PATH", name);
}

/* The loader ignores the environment of programs that gain rights when they start. */
static bool gains_rights(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && (((facts.st_mode & S_ISUID) && facts.st_uid != geteuid()) ||
                                       ((facts.st_mode & S_ISGID) && facts.st_gid != getegid()) ||
                                       (geteuid() && getxattr(path, "security.capability", NULL, 0) > 0));
}

/* ---- where a toolkit keeps its static runtime ---- */

typedef struct archive_list {
    char *text;
    size_t size, used;
    bool full;
} archive_list;

static void add_archive(archive_list *list, const char *folder)
{
    char path[PATH_MAX + 32], *real;
    snprintf(path, sizeof path, "%s/libcudart_static.a", folder);
    real = realpath(path, NULL);
    if (!real)
        return;
    size_t length = strlen(real);
    const char *known = strstr(list->text, real);
    if (strchr(real, ':') || list->used + length + 2 > list->size)
        list->full = true;
    else if (!known || (known[length] && known[length] != ':'))
        list->used += (size_t)sprintf(list->text + list->used, "%s%s", list->used ? ":" : "", real);
    free(real);
}

static void add_toolkit(archive_list *list, const char *root)
{
    static const char *const FOLDERS[] = {"lib64", "targets/x86_64-linux/lib", "lib"};
    char path[PATH_MAX + 32];
    for (size_t i = 0; root && *root && i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        snprintf(path, sizeof path, "%s/%s", root, FOLDERS[i]);
        add_archive(list, path);
    }
}

void sl_find_static_runtimes(const char *given, char *text, size_t size)
{
    archive_list list = {.text = text, .size = size};
    char nvcc[PATH_MAX];
    glob_t found;
    *text = 0;
    if (!given || !*given)
        given = getenv("SLUICE_CUDART_STATIC");
    if (given && *given) {
        char *real = realpath(given, NULL);
        snprintf(text, size, "%s", real ? real : given);
        free(real);
        return;
    }
    add_toolkit(&list, getenv("CUDA_HOME"));
    add_toolkit(&list, getenv("CUDA_PATH"));
    if (find_on_path("nvcc", nvcc, sizeof nvcc)) {
        char *real = realpath(nvcc, NULL), *end = real ? strrchr(real, '/') : NULL;
        if (end && (size_t)(end - real) + 4 <= strlen(real)) {
            strcpy(end, "/..");
            add_toolkit(&list, real);
        }
        free(real);
    }
    if (glob("/usr/local/cuda", 0, NULL, &found) == 0 || found.gl_pathc == 0)
        glob("/usr/local/cuda-*", GLOB_APPEND, NULL, &found);
    glob("/opt/cuda", GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_toolkit(&list, found.gl_pathv[i]);
    globfree(&found);
    add_archive(&list, "/usr/lib/x86_64-linux-gnu");
}

/* ---- what is inside ---- */

/* nvcc's linker adds machine code without kernels to every program. */
static bool has_kernels(const sl_fatbin_entry *entry)
{
    sl_cubin cubin = {0};
    char *bytes = NULL;
    size_t length;
    if (sl_fatbin_unpack(entry, &bytes, &length, NULL))
        return false;
    bool some = !sl_cubin_read(bytes, length, &cubin, NULL) && cubin.kernels.count;
    sl_cubin_fini(&cubin);
    free(bytes);
    return some;
}

/* A program with kernels as machine code but no PTX cannot be emulated. */
static sl_status check_ptx(const sl_app *app, const sl_mapped_file *file, bool *has_code, sl_error *error)
{
    sl_fatbin fatbin = {0};
    sl_status status = sl_fatbin_add_elf(&fatbin, file->data, file->bytes, error);
    const sl_fatbin_entry *entry = fatbin.entries.items, *machine_code = NULL;
    bool ptx = false;
    for (size_t i = 0; !status && i < fatbin.entries.count; i++)
        ptx = ptx || entry[i].kind == SL_FATBIN_PTX;
    for (size_t i = 0; !status && !ptx && !machine_code && i < fatbin.entries.count; i++)
        if (entry[i].kind == SL_FATBIN_CUBIN && has_kernels(&entry[i]))
            machine_code = &entry[i];
    *has_code = fatbin.entries.count != 0;
    if (machine_code) {
        char arch[16];
        sl_fatbin_arch(machine_code, arch, sizeof arch);
        status = sl_fail(error, SL_UNSUPPORTED,
                         "%s contains machine code for sm_%s but no PTX; compile it with nvcc -gencode "
                         "arch=compute_%s,code=compute_%s (or just -arch=compute_%s)",
                         app->path, arch, arch, arch, arch);
    }
    sl_fatbin_fini(&fatbin);
    return status;
}

static sl_status check_static_runtime(sl_app *app, const sl_elf *elf, const char *archives, bool has_code,
                                      sl_error *error)
{
    sl_static_runtime runtime = {0};
    sl_error why = {0};
    sl_status status = sl_static_runtime_find(elf, archives, &runtime, &why);
    if (!status) {
        app->static_runtime = true;
        snprintf(app->soname, sizeof app->soname, "%s", sl_cudart_sonames[runtime.major - 11]);
    }
    sl_static_runtime_fini(&runtime);
    if (!sl_elf_is_dynamic(elf) && (!status || has_code))
        return sl_fail(error, SL_UNSUPPORTED,
                       "%s is linked with -static: libraries cannot be preloaded; link it dynamically", app->path);
    if (status == SL_NOT_FOUND)
        return SL_OK; /* a launcher, or CUDA is in its libraries */
    return status ? sl_fail(error, status, "%s %s", app->path, why.text) : SL_OK;
}

static sl_status check_elf(sl_app *app, const sl_mapped_file *file, const char *archives, sl_error *error)
{
    sl_elf elf;
    bool has_code = false;
    sl_status status = sl_elf_open(file->data, file->bytes, &elf, error);
    if (!status)
        status = check_ptx(app, file, &has_code, error);
    if (status)
        return status;
    for (size_t i = 0; sl_elf_needed(&elf, i); i++)
        if (strncmp(sl_elf_needed(&elf, i), "libcudart.so.", 13) == 0)
            snprintf(app->soname, sizeof app->soname, "%s", sl_elf_needed(&elf, i));
    if (!*app->soname)
        status = check_static_runtime(app, &elf, archives, has_code, error);
    if (status)
        return status;
    bool known = !*app->soname;
    for (size_t i = 0; sl_cudart_sonames[i]; i++)
        known |= strcmp(app->soname, sl_cudart_sonames[i]) == 0;
    if (!known)
        return sl_fail(error, SL_UNSUPPORTED, "%s requires %s; supported are CUDA 11, 12 and 13", app->path,
                       app->soname);
    if ((has_code || *app->soname) && gains_rights(app->path))
        return sl_fail(error, SL_UNSUPPORTED,
                       "%s is set-user-ID, set-group-ID or has capabilities: the loader ignores preloaded libraries; "
                       "run a copy without these privileges",
                       app->path);
    return SL_OK;
}

sl_status sl_app_inspect(const char *name, const char *archives, sl_app *app, sl_error *error)
{
    sl_mapped_file file;
    *app = (sl_app){0};
    sl_status status = find_program(name, app->path, sizeof app->path, error);
    if (status || !archives ||
        !sl_mapped_file_open(app->path, &file)) /* executable but not readable: started without inspection */
        return status;
    if (sl_elf_is(file.data, file.bytes))
        status = check_elf(app, &file, archives, error);
    sl_mapped_file_close(&file);
    return status;
}
