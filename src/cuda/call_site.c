/* SPDX-License-Identifier: MIT */
/* Where in the program a call comes from: the innermost function that is not of a CUDA library, which often is a helper
 * that allocates, and who called that, with the offsets in them.
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
#include "cuda/core.h"
#include "ptx/elf.h"

enum { FUNCTIONS = 2, DEEPEST = 64, SITE_BYTES = 96, STT_FUNCTION = 2 };

typedef struct sl_cuda_site {
    uint64_t address; /* behind the call */
    char text[SITE_BYTES];
} sl_cuda_site;

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
    static const char *const names[] = {"libc.so",     "libpthread.so", "libsluice_", "libcudart.so",
                                        "libcuda.so",  "libcublas",     "libcurand",  "libcusparse",
                                        "libcusolver", "libcufft",      "libcudnn",   "libnv"};
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
static void describe(sl_cuda_site *site)
{
    object o = {.address = site->address - 1};
    sl_elf_symbol function;
    char name[64];
    if (!dl_iterate_phdr(look, &o) || is_library(o.path))
        return;
    if (!function_at(o.path, o.address - o.shift, &function, name, sizeof name)) {
        char *real = realpath(o.path, NULL);
        const char *slash = real ? strrchr(real, '/') : NULL;
        snprintf(site->text, sizeof site->text, "%.60s+0x%llx", slash ? slash + 1 : o.path,
                 (unsigned long long)(site->address - o.shift));
        free(real);
    } else if (strncmp(name, "cudaMalloc", 10) != 0 && strncmp(name, "cudaHostAlloc", 13) != 0) {
        snprintf(site->text, sizeof site->text, "%s+0x%llx", name,
                 (unsigned long long)(site->address - o.shift - function.value));
    }
}

/* ---- the way up ---- */

typedef struct walk {
    sl_cuda *rt;
    const char *function[FUNCTIONS]; /* innermost first */
    unsigned functions, depth;
} walk;

static const char *known(sl_cuda *rt, uint64_t address)
{
    sl_cuda_site *site = sl_map_get(&rt->sites, (const char *)&address, sizeof address);
    if (!site) {
        site = calloc(1, sizeof *site); /* kept as long as the process */
        if (!site)
            return "";
        site->address = address;
        describe(site);
        if (!sl_map_put(&rt->sites, (const char *)&site->address, sizeof site->address, site)) {
            free(site);
            return "";
        }
    }
    return site->text;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *to)
{
    walk *w = to;
    const char *text = known(w->rt, _Unwind_GetIP(context));
    if (*text)
        w->function[w->functions++] = text;
    bool last = w->functions == FUNCTIONS || !strncmp(text, "main+", 5) || ++w->depth == DEEPEST;
    return last ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool sl_cuda_call_site(sl_cuda *rt, char *text, size_t size)
{
    walk w = {.rt = rt};
    _Unwind_Backtrace(step, &w);
    snprintf(text, size, "in %s%s%s", w.functions ? w.function[0] : "", w.functions > 1 ? ", " : "",
             w.functions > 1 ? w.function[1] : "");
    return w.functions > 0;
}
