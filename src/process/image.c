/* SPDX-License-Identifier: MIT */
/* Code as compilers hand it over: fat binaries and PTX text.
 *
 * The best PTX of each container of a fat binary is parsed, and all of them are linked into one program on the device.
 * The program that runs may bring libraries with code of their own (cuBLAS, cuFFT): messages name the file. */
#include "process/core.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/multimap.h"
#include "base/new_file.h"
#include "process/results_file.h"
#include "tune/ptx_loads.h"
#include "tune/rewrite/ptx.h"

enum { ELF_MAGIC = 0x464c457f };

const char *sl_proc_file_at(const void *address)
{
    Dl_info facts;
    if (!dladdr(address, &facts) || !facts.dli_fname)
        return "the program";
    const char *slash = strrchr(facts.dli_fname, '/');
    return slash ? slash + 1 : facts.dli_fname;
}

static cudaError_t add_wrapper(sl_proc_binary *binary, const sl_fatbin_wrapper *w, sl_error *error)
{
    sl_status status = SL_OK;
    if (w->container)
        status = sl_fatbin_add(&binary->fatbin, w->container, sl_fatbin_container_bytes(w->container), false, error);
    /* Relocatable device code: the linker's container, and one per object file to be linked with it. */
    if (w->version == 2 && w->prelinked)
        for (const void *const *c = w->prelinked; !status && *c; c++)
            status = sl_fatbin_add(&binary->fatbin, *c, sl_fatbin_container_bytes(*c), true, error);
    return sl_proc_error_of(status);
}

/* For whoever wants to know what ran. */
static void keep_text(sl_proc *rt, const char *text, size_t length, const char *name)
{
    int to = *rt->options.ptx ? sl_scratch_file(rt->options.ptx, SL_SCRATCH_APPEND) : -1;
    FILE *file = to < 0 ? NULL : fdopen(to, "a");
    if (!file) {
        if (to >= 0)
            close(to);
        return;
    }
    bool failed = lockf(fileno(file), F_LOCK, 0) != 0; /* processes of one run share it */
    fprintf(file, "%s%c%.*s%c", name, 0, (int)length, text, 0);
    if (fclose(file) || failed)
        sl_proc_problem(rt, "%s cannot be written", rt->options.ptx);
}

/* The text as plans have it; *text is malloc'ed, before and after. */
static void apply_plans(sl_proc *rt, char **text, size_t *length, const char *name)
{
    sl_error error = {0};
    char *edited = NULL, message[1536];
    keep_text(rt, *text, *length, name);
    rt->planned.texts++;
    if (sl_ptx_apply_plans(*text, *length, name, &rt->plans, SL_PTX_L2_SM, &edited, length, &rt->planned.applied,
                           &error) &&
        !rt->planned.refused)
        rt->planned.refused = strdup(sl_error_format(&error, message, sizeof message));
    if (!edited)
        return;
    free(*text);
    *text = edited;
}

static cudaError_t parse_entry(sl_proc *rt, sl_proc_binary *binary, const sl_fatbin_entry *entry, sl_error *error)
{
    char *text = NULL, name[300];
    size_t length;
    sl_ptx_module *module = NULL;
    sl_status status = sl_fatbin_unpack(entry, &text, &length, error);
    if (status)
        return sl_proc_error_of(status);
    if (*entry->name)
        snprintf(name, sizeof name, "PTX of %s", entry->name);
    else
        snprintf(name, sizeof name, "PTX of fat binary %u.%u", binary->serial, entry->container + 1);
    apply_plans(rt, &text, &length, name);
    if (!sl_array_push(&binary->texts, text)) {
        free(text);
        return cudaErrorMemoryAllocation;
    }
    status = sl_ptx_parse(text, length, name, &module, error);
    if (status)
        return sl_proc_error_of(status);
    if (!sl_array_push(&binary->modules, module)) {
        sl_ptx_free(module);
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

/* CUDA's own libraries by their files; the longer name first. */
static const struct {
    const char *file, *name;
} CUDA_LIBRARIES[SL_PROC_CUDA_LIBRARIES] = {{"libcublasLt.so", "cuBLASLt"}, {"libcublas.so", "cuBLAS"},
                                            {"libcurand.so", "cuRAND"},     {"libcusparse.so", "cuSPARSE"},
                                            {"libcusolver.so", "cuSOLVER"}, {"libcufft.so", "cuFFT"},
                                            {"libcudnn", "cuDNN"}};

unsigned sl_proc_cuda_library(const char *file)
{
    for (unsigned i = 0; i < SL_PROC_CUDA_LIBRARIES; i++)
        if (strncmp(file, CUDA_LIBRARIES[i].file, strlen(CUDA_LIBRARIES[i].file)) == 0)
            return 1 + i;
    return 0;
}

uint32_t sl_proc_binary_capability(const sl_proc *rt, const sl_proc_binary *binary)
{
    return sl_proc_capability_for(rt, sl_proc_cuda_library(sl_proc_file_at(binary->origin)));
}

/* What helps where a library of CUDA has no kernel that can run here. */
static const char *library_advice(const sl_proc *rt)
{
    return rt->options.settings.compute_capability
               ? "run it without --compute-capability: for a device newer than it knows it has kernels as PTX"
               : "for what the program asks of it there is none as PTX";
}

static cudaError_t no_ptx(sl_proc *rt, const sl_proc_binary *binary, sl_error *error)
{
    char arch[16];
    const char *file = sl_proc_file_at(binary->origin);
    const sl_fatbin_entry *machine_code =
        sl_fatbin_best_cubin(binary->fatbin.entries.items, binary->fatbin.entries.count, SL_PROGRAM_SM);
    if (!machine_code)
        sl_fail(error, SL_NOT_FOUND, "a fat binary of %s holds no PTX", file);
    else if (sl_proc_cuda_library(file))
        sl_fail(error, SL_NOT_FOUND, "%s has kernels as machine code for sm_%s alone; %s", file,
                sl_fatbin_arch(machine_code, arch, sizeof arch), library_advice(rt));
    else {
        sl_fatbin_arch(machine_code, arch, sizeof arch);
        sl_fail(error, SL_NOT_FOUND,
                "%s has kernels as machine code for sm_%s but not as PTX; compile it with nvcc -gencode "
                "arch=compute_%s,code=compute_%s",
                file, arch, arch, arch);
    }
    return cudaErrorNoKernelImageForDevice;
}

/* Parses the best PTX of every container that has PTX. */
static cudaError_t parse_all(sl_proc *rt, sl_proc_binary *binary, sl_error *error)
{
    size_t at = 0;
    for (const sl_fatbin_entry *best;
         (best = sl_fatbin_next_ptx(&binary->fatbin, &at, sl_proc_binary_capability(rt, binary)));) {
        cudaError_t failed = parse_entry(rt, binary, best, error);
        if (failed)
            return failed;
    }
    return binary->modules.count ? cudaSuccess : no_ptx(rt, binary, error);
}

/* ---- which modules of a linked binary are needed ---- */

static const char *definition(const sl_ptx_module *module, uint32_t index)
{
    if (index < module->funcs)
        return module->func[index]->has_body ? module->func[index]->name : NULL;
    const sl_ptx_var *var = module->var[index - module->funcs];
    return var->linkage == SL_LINK_EXTERN ? NULL : var->name;
}

static const char *reference(const sl_ptx_module *module, uint32_t index)
{
    if (index < module->funcs)
        return module->func[index]->has_body ? NULL : module->func[index]->name;
    const sl_ptx_var *var = module->var[index - module->funcs];
    return var->linkage == SL_LINK_EXTERN ? var->name : NULL;
}

static bool defines(const sl_ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->funcs + module->vars; i++)
        if (definition(module, i) && strcmp(definition(module, i), name) == 0)
            return true;
    return false;
}

/* The library behind launches from kernels: device_runtime.c stands in for it. */
static bool is_device_runtime(const sl_ptx_module *module)
{
    return defines(module, "__CNPRT_VERSION_NUMBER__");
}

/* Which modules define a name. */
typedef struct definitions {
    sl_multimap names;
    SL_ARRAY(size_t) modules; /* of the map's items */
} definitions;

static void definitions_fini(definitions *defined)
{
    sl_multimap_fini(&defined->names);
    sl_array_free(&defined->modules);
}

/* False when memory runs out. */
static bool find_definitions(const sl_proc_binary *binary, definitions *defined)
{
    for (size_t m = 0; m < binary->modules.count; m++) {
        const sl_ptx_module *module = binary->modules.items[m];
        if (is_device_runtime(module))
            continue;
        for (uint32_t i = 0; i < module->funcs + module->vars; i++)
            if (definition(module, i) &&
                !(sl_multimap_add(&defined->names, definition(module, i)) && sl_array_push(&defined->modules, m)))
                return false;
    }
    return true;
}

static void want(const definitions *defined, const char *name, bool *wanted)
{
    sl_multimap_for(&defined->names, name, i) wanted[defined->modules.items[i]] = true;
}

/* Links as with an archive: what host code names (in an image for the driver: everything), and what that refers to.
 * Compilers hand over more than that, such as the device runtime library. */
static cudaError_t remove_unneeded(sl_proc *rt, sl_proc_binary *binary)
{
    size_t count = binary->modules.count, kept = 0;
    bool *wanted = calloc(count * 2, sizeof *wanted), *seen = wanted + count, more = true;
    definitions defined = {0};
    if (!wanted || !find_definitions(binary, &defined)) {
        definitions_fini(&defined);
        free(wanted);
        return cudaErrorMemoryAllocation;
    }
    for (size_t i = 0; i < count && !binary->wrapper; i++)
        wanted[i] = !is_device_runtime(binary->modules.items[i]);
    for (size_t i = 0; i < rt->functions.count; i++)
        if (rt->functions.items[i]->binary == binary)
            want(&defined, rt->functions.items[i]->name, wanted);
    for (size_t i = 0; i < rt->variables.count; i++)
        if (rt->variables.items[i]->binary == binary)
            want(&defined, rt->variables.items[i]->name, wanted);
    while (more) {
        more = false;
        for (size_t m = 0; m < count; m++) {
            if (!wanted[m] || seen[m])
                continue;
            const sl_ptx_module *module = binary->modules.items[m];
            seen[m] = more = true;
            for (uint32_t i = 0; i < module->funcs + module->vars; i++)
                if (reference(module, i))
                    want(&defined, reference(module, i), wanted);
        }
    }
    for (size_t m = 0; m < count; m++) {
        if (wanted[m])
            binary->modules.items[kept++] = binary->modules.items[m];
        else
            sl_ptx_free(binary->modules.items[m]);
    }
    binary->modules.count = kept;
    definitions_fini(&defined);
    free(wanted);
    return cudaSuccess;
}

/* The machine code that usually lies next to the PTX tells the physical registers of each kernel. None is no error. */
static void read_cubins(sl_proc *rt, sl_proc_binary *binary)
{
    const sl_fatbin_entry *entries = binary->fatbin.entries.items;
    size_t count = binary->fatbin.entries.count;
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && entries[next].container == entries[first].container;)
            next++;
        const sl_fatbin_entry *best = sl_fatbin_best_cubin(&entries[first], next - first, sl_proc_capability(rt));
        char *bytes = NULL;
        size_t length;
        sl_cubin cubin = {0};
        if (!best || sl_fatbin_unpack(best, &bytes, &length, NULL))
            continue;
        bool kept = sl_array_push(&binary->texts, bytes);
        if (!kept)
            free(bytes);
        else if (sl_cubin_read(bytes, length, &cubin, NULL) || !sl_array_push(&binary->cubins, cubin))
            sl_cubin_fini(&cubin);
    }
}

static void count_constants(sl_proc_binary *binary)
{
    binary->const_bytes = 0;
    for (size_t m = 0; m < binary->modules.count; m++) {
        const sl_ptx_module *module = binary->modules.items[m];
        for (uint32_t i = 0; i < module->vars; i++)
            if (module->var[i]->space == SL_SPACE_CONST && module->var[i]->linkage != SL_LINK_EXTERN)
                binary->const_bytes += (uint32_t)module->var[i]->bytes;
    }
}

/* Managed variables are reached through pointers in host code, which can be set once the variable has an address. */
static void fill_managed_pointers(sl_proc *rt, const sl_proc_binary *binary)
{
    for (size_t i = 0; i < rt->variables.count; i++) {
        const sl_proc_variable *v = rt->variables.items[i];
        uint64_t address, bytes;
        if (v->binary == binary && v->managed && !sl_emu_symbol(binary->program, v->name, &address, &bytes, NULL))
            *(void **)(uintptr_t)v->host = (void *)(uintptr_t)address;
    }
}

/* What was parsed becomes modules that are linked with each other. */
static cudaError_t prepare(sl_proc *rt, sl_proc_binary *binary, sl_error *error)
{
    cudaError_t failed = binary->modules.count ? cudaSuccess : parse_all(rt, binary, error);
    if (!failed && binary->modules.count > 1)
        failed = remove_unneeded(rt, binary);
    if (failed)
        return failed;
    read_cubins(rt, binary);
    count_constants(binary);
    binary->ptx_sm = binary->modules.count ? binary->modules.items[0]->sm : sl_proc_binary_capability(rt, binary);
    return cudaSuccess;
}

/* A library of CUDA that sees a device newer than it knows has other kernels than it would run on this GPU. */
static void note_newer(sl_proc *rt, const sl_proc_binary *binary)
{
    char text[256];
    const char *file = sl_proc_file_at(binary->origin);
    unsigned library = sl_proc_cuda_library(file);
    if (!library || sl_proc_capability_for(rt, library) <= SL_PROGRAM_SM || !sl_proc_is_new(rt, file))
        return;
    snprintf(text, sizeof text,
             "%s chose forward-compatible kernels (%s, PTX for compute_%u), not those that it has for an H200.",
             CUDA_LIBRARIES[library - 1].name, file, binary->ptx_sm);
    if (!sl_results_note(rt->options.results, text) && !rt->options.quiet)
        sl_proc_say("note: %s", text);
}

static cudaError_t link_program(sl_proc *rt, sl_proc_binary *binary, sl_error *error)
{
    cudaError_t failed = sl_proc_error_of(sl_emu_load(rt->emu, (const sl_ptx_module *const *)binary->modules.items,
                                                      binary->modules.count, &binary->program, error));
    if (!failed)
        fill_managed_pointers(rt, binary);
    return failed;
}

cudaError_t sl_proc_binary_prepare(sl_proc *rt, sl_proc_binary *binary, sl_error *error)
{
    cudaError_t failed = cudaSuccess;
    bool first = !binary->prepared;
    if (binary->wrapper && !binary->fatbin.containers)
        failed = add_wrapper(binary, binary->wrapper, error);
    if (!failed && first)
        failed = prepare(rt, binary, error);
    binary->prepared = true;
    if (!failed)
        failed = link_program(rt, binary, error);
    if (!failed && first)
        note_newer(rt, binary);
    return failed;
}

cudaError_t sl_proc_binary_load(sl_proc *rt, sl_proc_binary *binary)
{
    sl_error error = {0};
    char text[1536];
    if (binary->program || binary->load_error)
        return binary->load_error;
    binary->load_error = sl_proc_binary_prepare(rt, binary, &error);
    if (binary->load_error)
        sl_proc_problem(rt, "%s", sl_error_format(&error, text, sizeof text));
    return binary->load_error;
}

/* ---- images without a length ---- */

static cudaError_t parse_text(sl_proc *rt, sl_proc_binary *binary, const char *image, sl_error *error)
{
    char name[64], *text = strdup(image);
    size_t length = strlen(image);
    sl_ptx_module *module = NULL;
    snprintf(name, sizeof name, "PTX of image %u", binary->serial);
    if (text)
        apply_plans(rt, &text, &length, name);
    if (!text || !sl_array_push(&binary->texts, text)) {
        free(text);
        return cudaErrorMemoryAllocation;
    }
    sl_status status = sl_ptx_parse(text, length, name, &module, error);
    if (!status && !sl_array_push(&binary->modules, module)) {
        sl_ptx_free(module);
        return cudaErrorMemoryAllocation;
    }
    return sl_proc_error_of(status);
}

/* A container is copied: the program may free it. */
static cudaError_t add_container(sl_proc_binary *binary, const void *container, sl_error *error)
{
    size_t bytes = sl_fatbin_container_bytes(container);
    char *copy = bytes ? malloc(bytes) : NULL;
    if (!bytes)
        return cudaErrorInvalidKernelImage;
    if (!copy || !sl_array_push(&binary->texts, copy)) {
        free(copy);
        return cudaErrorMemoryAllocation;
    }
    memcpy(copy, container, bytes);
    cudaError_t failed = sl_proc_error_of(sl_fatbin_add(&binary->fatbin, copy, bytes, false, error));
    uint16_t version;
    memcpy(&version, copy + 4, sizeof version);
    for (size_t i = 0; version == SL_LINKED_VERSION && i < binary->fatbin.entries.count; i++)
        binary->fatbin.entries.items[i].container = (uint32_t)i;
    return failed;
}

cudaError_t sl_proc_image_read(sl_proc *rt, sl_proc_binary *binary, const void *image, sl_error *error)
{
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == SL_FATBIN_WRAPPER_MAGIC) {
        const sl_fatbin_wrapper *w = image;
        cudaError_t failed = w->container ? add_container(binary, w->container, error) : cudaSuccess;
        if (w->version == 2 && w->prelinked)
            for (const void *const *c = w->prelinked; !failed && *c; c++)
                failed = add_container(binary, *c, error);
        return failed;
    }
    if (magic == ELF_MAGIC) {
        const char *file = sl_proc_file_at(binary->origin);
        sl_fail(error, SL_UNSUPPORTED, "%s loads a module that is machine code without PTX; %s", file,
                sl_proc_cuda_library(file) ? library_advice(rt) : "give the driver PTX, or a fat binary with PTX");
        return cudaErrorNoKernelImageForDevice;
    }
    if (sl_fatbin_container_bytes(image))
        return add_container(binary, image, error);
    if (!strstr(image, ".version")) {
        sl_fail(error, SL_INVALID, "%s loads a module that is neither PTX nor a fat binary",
                sl_proc_file_at(binary->origin));
        return cudaErrorInvalidKernelImage;
    }
    return parse_text(rt, binary, image, error);
}
