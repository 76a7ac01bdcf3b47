/* SPDX-License-Identifier: MIT */
/* Where in the program a call comes from: the innermost function that is not of a CUDA library, which often is a helper
 * that allocates, and who called that, with the offsets in them; or all functions down to a launch, by name.
 *
 * Called with the runtime's lock held. Another thread may be inside of dlopen and wait for that lock in a constructor,
 * so nothing here takes the loader's own lock, as dladdr does. */
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include "base/mangle.h"
#include "process/core.h"
#include "ptx/elf.h"

enum { FUNCTIONS = 2, DEEPEST = 64, SITE_BYTES = 96, NAME_BYTES = 64, STT_FUNCTION = 2 };

typedef struct sl_proc_site {
    uint64_t address;      /* behind the call */
    char text[SITE_BYTES]; /* the function and the offset in it */
    char name[NAME_BYTES]; /* the function; of a file without symbols: the file */
    bool own;              /* in one of Sluice's libraries */
    unsigned library;      /* as sl_proc_cuda_library says */
} sl_proc_site;

/* ---- which file and function ---- */

typedef struct object {
    uint64_t address; /* that is looked for */
    uint64_t shift;   /* from addresses in the file */
    char path[4096];
    bool found;
} object;

static int look(struct dl_phdr_info *info, size_t size, void *context)
{
    object *o = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && !o->found; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uint64_t first = info->dlpi_addr + part->p_vaddr;
        o->found = part->p_type == PT_LOAD && o->address >= first && o->address - first < part->p_memsz;
    }
    if (o->found) {
        o->shift = info->dlpi_addr;
        snprintf(o->path, sizeof o->path, "%s", *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    }
    return o->found;
}

/* CUDA's, or the C library's, which calls main. */
static bool is_library(const char *path)
{
    static const char *const names[] = {
        "libc.so",   "libpthread.so", "libstdc++.so", "libsluice_",  "libnvToolsExt.so", "libcudart.so", "libcuda.so",
        "libcublas", "libcurand",     "libcusparse",  "libcusolver", "libcufft",         "libcudnn",     "libnv"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* The function of the file that has the address. */
static bool function_at(const char *path, uint64_t address, sl_elf_symbol *function, char *name, size_t size)
{
    struct stat file;
    sl_elf elf;
    sl_elf_section table;
    sl_elf_symbol symbol;
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *data = fstat(fd, &file) || file.st_size <= 0
                     ? MAP_FAILED
                     : mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED)
        return false;
    if (!sl_elf_open(data, (size_t)file.st_size, &elf, NULL) && sl_elf_symbol_table(&elf, &table))
        for (size_t i = 0; !found && sl_elf_symbol_at(&elf, &table, i, &symbol); i++)
            found = symbol.kind == STT_FUNCTION && symbol.section && address >= symbol.value &&
                    address - symbol.value < symbol.size;
    if (found) {
        *function = symbol;
        sl_function_name(symbol.name, name, size);
    }
    munmap(data, (size_t)file.st_size);
    return found;
}

/* "" for what is not the program's own: libraries, and templates of its headers that are in the program. */
static void describe(sl_proc_site *site)
{
    object o = {.address = site->address - 1};
    sl_elf_symbol function;
    char *name = site->name;
    if (!dl_iterate_phdr(look, &o))
        return;
    const char *end = strrchr(o.path, '/'), *file = end ? end + 1 : o.path;
    site->own =
        !strncmp(file, "libsluice_", 10) || !strncmp(file, "libcudart.so", 12) || !strncmp(file, "libcuda.so", 10);
    site->library = sl_proc_cuda_library(file);
    if (is_library(o.path))
        return;
    if (!function_at(o.path, o.address - o.shift, &function, name, sizeof site->name)) {
        char *real = realpath(o.path, NULL);
        const char *slash = real ? strrchr(real, '/') : NULL;
        snprintf(name, sizeof site->name, "%s", slash ? slash + 1 : o.path);
        snprintf(site->text, sizeof site->text, "%.60s+0x%llx", name, (unsigned long long)(site->address - o.shift));
        free(real);
    } else if (strncmp(name, "cudaMalloc", 10) != 0 && strncmp(name, "cudaHostAlloc", 13) != 0) {
        snprintf(site->text, sizeof site->text, "%s+0x%llx", name,
                 (unsigned long long)(site->address - o.shift - function.value));
    }
}

/* ---- the way up ---- */

typedef struct walk {
    sl_proc *rt;
    const sl_proc_site *site[DEEPEST]; /* innermost first */
    unsigned sites, most, depth;
} walk;

static const sl_proc_site *known(sl_proc *rt, uint64_t address)
{
    sl_proc_site *site = sl_map_get(&rt->sites, (const char *)&address, sizeof address);
    if (!site) {
        site = calloc(1, sizeof *site); /* kept as long as the process */
        if (!site)
            return NULL;
        site->address = address;
        describe(site);
        if (!sl_map_put(&rt->sites, (const char *)&site->address, sizeof site->address, site)) {
            free(site);
            return NULL;
        }
    }
    return site;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *to)
{
    walk *w = to;
    const sl_proc_site *site = known(w->rt, _Unwind_GetIP(context));
    if (site && *site->text)
        w->site[w->sites++] = site;
    bool last = w->sites == w->most || (site && !strcmp(site->name, "main")) || ++w->depth == DEEPEST;
    return last ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool sl_proc_call_site(sl_proc *rt, char *text, size_t size)
{
    walk w = {.rt = rt, .most = FUNCTIONS};
    _Unwind_Backtrace(step, &w);
    snprintf(text, size, "in %s%s%s", w.sites ? w.site[0]->text : "", w.sites > 1 ? ", " : "",
             w.sites > 1 ? w.site[1]->text : "");
    return w.sites > 0;
}

/* ---- which library asks ---- */

static _Unwind_Reason_Code leave_own(struct _Unwind_Context *context, void *to)
{
    walk *w = to;
    w->site[0] = known(w->rt, _Unwind_GetIP(context));
    return w->site[0] && w->site[0]->own && ++w->depth < DEEPEST ? _URC_NO_REASON : _URC_END_OF_STACK;
}

unsigned sl_proc_calling_library(sl_proc *rt)
{
    walk w = {.rt = rt};
    _Unwind_Backtrace(leave_own, &w);
    return w.site[0] ? w.site[0]->library : 0;
}

/* What stands between a program's code and the launch: nvcc's stub, which has the kernel's name, and what it calls. */
static bool is_stub(const char *name, const char *kernel)
{
    static const char *const stubs[] = {"__device_stub__", "__wrapper__device_stub_", "cudaLaunch", "__cudaLaunch"};
    for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
        if (!strncmp(name, stubs[i], strlen(stubs[i])))
            return true;
    return !strcmp(name, kernel);
}

/* The start of a program, and templates of the C++ library that call what they are given. */
static bool is_glue(const char *name)
{
    return !strcmp(name, "_start") || !strncmp(name, "_ZNSt", 5) || !strncmp(name, "_ZSt", 4);
}

bool sl_proc_callers(sl_proc *rt, const char *symbol, char *text, size_t size)
{
    walk w = {.rt = rt, .most = DEEPEST};
    char kernel[NAME_BYTES];
    unsigned first = 0;
    size_t used = 0;
    sl_function_name(symbol, kernel, sizeof kernel);
    _Unwind_Backtrace(step, &w);
    while (first < w.sites && is_stub(w.site[first]->name, kernel))
        first++;
    *text = 0;
    for (unsigned i = w.sites; i-- > first;) {
        const char *name = w.site[i]->name, *before = i + 1 < w.sites ? w.site[i + 1]->name : "";
        if (!is_glue(name) && strcmp(name, before) != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "\n" : "", name);
    }
    return used > 0;
}
