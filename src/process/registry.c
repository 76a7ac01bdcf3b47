/* SPDX-License-Identifier: MIT */
/* Binaries, and the kernels and variables in them: registered by the runtime before main, or loaded by the driver.
 *
 * Nothing is parsed at registration: a binary is loaded (image.c) when a kernel or variable of it is first used. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static void apply_cubin_facts(const sl_proc_binary *binary, sl_proc_function *function)
{
    for (size_t i = 0; i < binary->cubins.count; i++) {
        if (sl_emu_kernel_use_cubin(function->kernel, &binary->cubins.items[i]))
            return;
    }
}

sl_proc_function *sl_proc_function_find(const sl_proc *rt, const void *function)
{
    return function ? sl_map_get(&rt->function_by_host, (const char *)&function, sizeof function) : NULL;
}

cudaError_t sl_proc_function_get(sl_proc *rt, const void *host, sl_proc_function **found)
{
    sl_proc_function *function = sl_proc_function_find(rt, host);
    if (!function || !function->binary->registered)
        return cudaErrorInvalidDeviceFunction;
    *found = function;
    if (function->kernel || function->error)
        return function->error;
    function->error = sl_proc_binary_load(rt, function->binary);
    if (function->error)
        return function->error;
    sl_error error = {0};
    sl_status status = sl_emu_kernel_get(function->binary->program, function->name, &function->kernel, &error);
    if (status) {
        char text[1536];
        sl_proc_problem(rt, "%s: %s", function->name, sl_error_format(&error, text, sizeof text));
        function->error = sl_proc_error_of(status);
        return function->error;
    }
    apply_cubin_facts(function->binary, function);
    uint32_t shared = sl_emu_kernel_static(function->kernel)->static_shared_bytes;
    uint32_t usual = sl_emu_limits(rt->emu)->shared_per_block;
    if (!function->max_dynamic_shared)
        function->max_dynamic_shared = shared < usual ? usual - shared : 0;
    return cudaSuccess;
}

cudaError_t sl_proc_variable_address(sl_proc *rt, const void *symbol, char **address, size_t *bytes)
{
    sl_proc_variable *variable = sl_map_get(&rt->variable_by_host, (const char *)&symbol, sizeof symbol);
    uint64_t location, size;
    sl_error error = {0};
    if (!variable || !variable->binary->registered)
        return cudaErrorInvalidSymbol;
    cudaError_t failed = sl_proc_binary_load(rt, variable->binary);
    if (failed)
        return failed;
    if (sl_emu_symbol(variable->binary->program, variable->name, &location, &size, &error))
        return cudaErrorInvalidSymbol;
    *address = (char *)(uintptr_t)location;
    *bytes = size;
    return cudaSuccess;
}

void sl_proc_registry_forget_device(sl_proc *rt)
{
    for (size_t i = 0; i < rt->functions.count; i++) {
        rt->functions.items[i]->kernel = NULL;
        rt->functions.items[i]->max_dynamic_shared = 0;
    }
    for (size_t i = 0; i < rt->binaries.count; i++) {
        if (rt->binaries.items[i]->program)
            sl_emu_unload(rt->emu, rt->binaries.items[i]->program);
        rt->binaries.items[i]->program = NULL;
    }
}

/* ---- registration ---- */

static void out_of_memory(void)
{
    sl_proc_say("out of memory while the program registers its kernels");
    abort(); /* registration has no way to report a failure */
}

static sl_proc_binary *new_binary(sl_proc *rt)
{
    sl_proc_binary *binary = calloc(1, sizeof *binary);
    if (!binary || !sl_array_push(&rt->binaries, binary)) {
        free(binary);
        return NULL;
    }
    *binary = (sl_proc_binary){.serial = (uint32_t)rt->binaries.count, .registered = true};
    return binary;
}

sl_proc_binary *sl_proc_register_binary(sl_proc *rt, const sl_fatbin_wrapper *wrapper)
{
    sl_proc_binary *binary = new_binary(rt);
    if (!binary)
        out_of_memory();
    binary->wrapper = wrapper;
    binary->origin = wrapper;
    if (wrapper->magic != SL_FATBIN_WRAPPER_MAGIC) {
        sl_proc_say("fat binary %u has the unknown mark 0x%08x", binary->serial, wrapper->magic);
        binary->load_error = cudaErrorInvalidKernelImage;
    }
    return binary;
}

cudaError_t sl_proc_image_load(sl_proc *rt, const void *image, const void *origin, sl_proc_binary **binary, char *why,
                               size_t size)
{
    sl_error error = {0};
    *why = 0;
    *binary = new_binary(rt);
    if (!*binary)
        return cudaErrorMemoryAllocation;
    (*binary)->origin = origin;
    cudaError_t failed = sl_proc_image_read(rt, *binary, image, &error);
    if (!failed)
        failed = sl_proc_binary_prepare(rt, *binary, &error);
    if (failed) {
        sl_proc_problem(rt, "%s", sl_error_format(&error, why, size));
        sl_proc_binary_release(rt, *binary);
        *binary = NULL;
    }
    return failed;
}

bool sl_proc_binary_known(const sl_proc *rt, const sl_proc_binary *binary)
{
    for (size_t i = 0; i < rt->binaries.count; i++)
        if (rt->binaries.items[i] == binary)
            return binary->registered;
    return false;
}

void sl_proc_binary_release(sl_proc *rt, sl_proc_binary *binary)
{
    /* Its functions and variables stay known but are refused: handles to them may still be around. */
    if (!binary->registered)
        return;
    sl_proc_flush_printed(rt);
    binary->registered = false;
    for (size_t i = 0; i < rt->functions.count; i++)
        if (rt->functions.items[i]->binary == binary)
            rt->functions.items[i]->kernel = NULL;
    if (binary->program && rt->emu) {
        sl_emu_unload(rt->emu, binary->program);
        sl_proc_results_forget_kernels(rt);
    }
    binary->program = NULL;
    for (size_t i = 0; i < binary->modules.count; i++)
        sl_ptx_free(binary->modules.items[i]);
    for (size_t i = 0; i < binary->texts.count; i++)
        free(binary->texts.items[i]);
    for (size_t i = 0; i < binary->cubins.count; i++)
        sl_cubin_fini(&binary->cubins.items[i]);
    sl_map_fini(&binary->function_names);
    sl_array_free(&binary->modules);
    sl_array_free(&binary->cubins);
    sl_array_free(&binary->texts);
    sl_fatbin_fini(&binary->fatbin);
}

/* `host` may be NULL: a kernel that only its handle stands for. */
static sl_proc_function *add_function(sl_proc *rt, sl_proc_binary *binary, const void *host, const char *name)
{
    sl_proc_function *f = calloc(1, sizeof *f);
    char *copy = strdup(name);
    if (!f || !copy || !sl_array_push(&rt->functions, f)) {
        free(f);
        free(copy);
        return NULL;
    }
    *f = (sl_proc_function){.binary = binary, .host = host, .self = f, .name = copy, .carveout = -1};
    /* The first of a name is the one that names find. */
    if (!sl_map_get(&binary->function_names, copy, strlen(copy)) &&
        !sl_map_put(&binary->function_names, copy, strlen(copy), f))
        return NULL;
    return sl_map_put(&rt->function_by_host, (const char *)&f->self, sizeof f->self, f) ? f : NULL;
}

void sl_proc_register_function(sl_proc *rt, sl_proc_binary *binary, const void *host, const char *name)
{
    sl_proc_function *f = add_function(rt, binary, host, name);
    if (!f)
        out_of_memory();
    /* The same template kernel may come from several files under one stub: the first one stands for all. */
    sl_proc_function *known = sl_proc_function_find(rt, host);
    if ((!known || !known->binary->registered) &&
        !sl_map_put(&rt->function_by_host, (const char *)&f->host, sizeof f->host, f))
        out_of_memory();
}

void sl_proc_register_variable(sl_proc *rt, sl_proc_binary *binary, const void *host, const char *name, size_t bytes,
                               bool managed)
{
    sl_proc_variable *v = calloc(1, sizeof *v);
    char *copy = strdup(name);
    if (!v || !copy || !sl_array_push(&rt->variables, v))
        out_of_memory();
    *v = (sl_proc_variable){.binary = binary, .host = host, .name = copy, .bytes = bytes, .managed = managed};
    if (!sl_map_put(&rt->variable_by_host, (const char *)&v->host, sizeof v->host, v))
        out_of_memory();
}

/* ---- what images have, by name ---- */

cudaError_t sl_proc_binary_function(sl_proc *rt, sl_proc_binary *binary, const char *name, sl_proc_function **function)
{
    cudaError_t error = sl_proc_binary_load(rt, binary);
    if (error)
        return error;
    sl_proc_function *known = sl_map_get(&binary->function_names, name, strlen(name));
    if (!known && !sl_emu_has_kernel(binary->program, name))
        return cudaErrorSymbolNotFound;
    *function = known ? known : add_function(rt, binary, NULL, name);
    return *function ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t cuda_binary_variable(sl_proc *rt, sl_proc_binary *binary, const char *name, char **address,
                                        size_t *bytes)
{
    uint64_t location, size;
    cudaError_t error = sl_proc_binary_load(rt, binary);
    if (error)
        return error;
    if (sl_emu_symbol(binary->program, name, &location, &size, NULL))
        return cudaErrorSymbolNotFound;
    *address = (char *)(uintptr_t)location;
    *bytes = size;
    return cudaSuccess;
}

/* ---- libraries: images that programs name by a handle ---- */

cudaError_t sl_proc_image_load_file(sl_proc *rt, const char *path, const void *origin, sl_proc_binary **binary,
                                    char *why, size_t size)
{
    enum { LEAST_BYTES = 16 };
    char *image = NULL;
    size_t bytes = 0;
    *why = 0;
    if (!path || !binary)
        return cudaErrorInvalidValue;
    if (sl_file_read(path, &image, &bytes, NULL))
        return cudaErrorFileNotFound;
    cudaError_t failed =
        bytes < LEAST_BYTES ? cudaErrorInvalidKernelImage : sl_proc_image_load(rt, image, origin, binary, why, size);
    free(image);
    return failed;
}

cudaError_t sl_proc_binary_unload(sl_proc *rt, sl_proc_binary *binary)
{
    if (!sl_proc_binary_known(rt, binary))
        return cudaErrorInvalidResourceHandle;
    sl_proc_binary_release(rt, binary);
    return cudaSuccess;
}

cudaError_t sl_proc_library_kernel(sl_proc *rt, sl_proc_function **kernel, sl_proc_binary *library, const char *name)
{
    if (!kernel || !name)
        return cudaErrorInvalidValue;
    return sl_proc_binary_known(rt, library) ? sl_proc_binary_function(rt, library, name, kernel)
                                             : cudaErrorInvalidResourceHandle;
}

cudaError_t sl_proc_library_kernels(sl_proc *rt, sl_proc_function **kernels, unsigned room, unsigned *count,
                                    sl_proc_binary *library)
{
    cudaError_t error = sl_proc_binary_known(rt, library) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    unsigned i = 0;
    for (size_t m = 0; !error && m < library->modules.count; m++)
        for (uint32_t k = 0; !error && k < library->modules.items[m]->funcs && (!kernels || i < room); k++) {
            const sl_ptx_func *f = library->modules.items[m]->func[k];
            if (!f->entry || !f->has_body)
                continue;
            if (kernels)
                error = sl_proc_binary_function(rt, library, f->name, &kernels[i]);
            i++;
        }
    if (count)
        *count = i;
    return error;
}

cudaError_t sl_proc_library_variable(sl_proc *rt, void **address, size_t *bytes, sl_proc_binary *library,
                                     const char *name)
{
    char *location;
    size_t size;
    if (!name || (!address && !bytes))
        return cudaErrorInvalidValue;
    if (!sl_proc_binary_known(rt, library))
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = cuda_binary_variable(rt, library, name, &location, &size);
    if (!error && address)
        *address = location;
    if (!error && bytes)
        *bytes = size;
    return error;
}

/* ---- questions about kernels and variables ---- */

cudaError_t sl_proc_function_param(sl_proc *rt, const void *host, size_t index, size_t *offset, size_t *bytes)
{
    sl_proc_function *function;
    cudaError_t error = sl_proc_function_get(rt, host, &function);
    if (error)
        return error;
    const sl_ptx_func *f = sl_emu_kernel_func(function->kernel);
    if (index >= f->params || !offset)
        return cudaErrorInvalidValue;
    *offset = f->param[index]->offset;
    if (bytes)
        *bytes = f->param[index]->bytes;
    return cudaSuccess;
}
