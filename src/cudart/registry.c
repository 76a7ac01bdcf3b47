/* SPDX-License-Identifier: MIT */
/* What host code registers before main: fat binaries, the kernels and variables in them.
 *
 * Nothing is parsed at registration. When a kernel or variable of a fat binary is first used, the best PTX of each of
 * its containers is parsed and all of them are linked into one program on the device. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, DEVICE_SM = 90 };

/* ---- loading ---- */

static cudaError_t add_containers(sl_rt_binary *binary, sl_error *error)
{
    const sl_fatbin_wrapper *w = binary->wrapper;
    sl_status status = SL_OK;
    if (w->container)
        status = sl_fatbin_add(&binary->fatbin, w->container, sl_fatbin_container_bytes(w->container), false, error);
    /* Relocatable device code: the linker's container, and one per object file to be linked with it. */
    if (w->version == 2 && w->prelinked)
        for (const void *const *c = w->prelinked; !status && *c; c++)
            status = sl_fatbin_add(&binary->fatbin, *c, sl_fatbin_container_bytes(*c), true, error);
    return sl_rt_error_of(status);
}

static cudaError_t parse_entry(sl_rt_binary *binary, const sl_fatbin_entry *entry, sl_error *error)
{
    char *text = NULL, name[300];
    size_t length;
    sl_ptx_module *module = NULL;
    sl_status status = sl_fatbin_unpack(entry, &text, &length, error);
    if (status)
        return sl_rt_error_of(status);
    if (!sl_array_push(&binary->texts, text)) {
        free(text);
        return cudaErrorMemoryAllocation;
    }
    if (*entry->name)
        snprintf(name, sizeof name, "PTX of %s", entry->name);
    else
        snprintf(name, sizeof name, "PTX of fat binary %u.%u", binary->serial, entry->container + 1);
    status = sl_ptx_parse(text, length, name, &module, error);
    if (status)
        return sl_rt_error_of(status);
    if (!sl_array_push(&binary->modules, module)) {
        sl_ptx_free(module);
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

/* Parses the best PTX of every container that has PTX. */
static cudaError_t parse_all(sl_rt_binary *binary, sl_error *error)
{
    const sl_fatbin_entry *entries = binary->fatbin.entries.items;
    size_t count = binary->fatbin.entries.count;
    uint32_t machine_code = 0;
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && entries[next].container == entries[first].container; next++)
            if (entries[next].kind == SL_FATBIN_CUBIN)
                machine_code = entries[next].sm;
        const sl_fatbin_entry *best = sl_fatbin_best_ptx(&entries[first], next - first, DEVICE_SM);
        cudaError_t failed = best ? parse_entry(binary, best, error) : cudaSuccess;
        if (failed)
            return failed;
    }
    if (binary->modules.count)
        return cudaSuccess;
    if (machine_code)
        sl_fail(error, SL_NOT_FOUND,
                "the program holds machine code for sm_%u but no PTX; compile it with nvcc -gencode "
                "arch=compute_%u,code=compute_%u",
                machine_code, machine_code, machine_code);
    else
        sl_fail(error, SL_NOT_FOUND, "the program's fat binary holds no PTX");
    return cudaErrorNoKernelImageForDevice;
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

/* The library behind launches from kernels registers its helpers, whether anything uses them or not. */
static bool is_device_runtime(const sl_ptx_module *module)
{
    return defines(module, "__CNPRT_VERSION_NUMBER__");
}

static void want(const sl_rt_binary *binary, const char *name, bool from_host, bool *wanted)
{
    for (size_t i = 0; i < binary->modules.count; i++)
        if (!wanted[i] && defines(binary->modules.items[i], name))
            wanted[i] = !from_host || !is_device_runtime(binary->modules.items[i]);
}

/* Links as with an archive: what host code names, and what that refers to. Compilers hand over more than that, such as
 * the device runtime library, most of which could not run here. */
static cudaError_t remove_unneeded(sl_rt *rt, sl_rt_binary *binary)
{
    size_t count = binary->modules.count, kept = 0;
    bool *wanted = calloc(count * 2, sizeof *wanted), *seen = wanted + count, more = true;
    if (!wanted)
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < rt->functions.count; i++)
        if (rt->functions.items[i]->binary == binary)
            want(binary, rt->functions.items[i]->name, true, wanted);
    for (size_t i = 0; i < rt->variables.count; i++)
        if (rt->variables.items[i]->binary == binary)
            want(binary, rt->variables.items[i]->name, true, wanted);
    while (more) {
        more = false;
        for (size_t m = 0; m < count; m++) {
            if (!wanted[m] || seen[m])
                continue;
            const sl_ptx_module *module = binary->modules.items[m];
            seen[m] = more = true;
            for (uint32_t i = 0; i < module->funcs + module->vars; i++)
                if (reference(module, i))
                    want(binary, reference(module, i), false, wanted);
        }
    }
    for (size_t m = 0; m < count; m++) {
        if (wanted[m])
            binary->modules.items[kept++] = binary->modules.items[m];
        else
            sl_ptx_free(binary->modules.items[m]);
    }
    binary->modules.count = kept;
    free(wanted);
    return cudaSuccess;
}

/* The machine code that usually lies beside the PTX tells the physical registers of each kernel. None is no error. */
static void read_cubins(sl_rt_binary *binary)
{
    const sl_fatbin_entry *entries = binary->fatbin.entries.items;
    size_t count = binary->fatbin.entries.count;
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && entries[next].container == entries[first].container;)
            next++;
        const sl_fatbin_entry *best = sl_fatbin_best_cubin(&entries[first], next - first, DEVICE_SM);
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

static void count_constants(sl_rt_binary *binary)
{
    binary->const_bytes = 0;
    for (size_t m = 0; m < binary->modules.count; m++) {
        const sl_ptx_module *module = binary->modules.items[m];
        for (uint32_t i = 0; i < module->vars; i++)
            if (module->var[i]->space == SL_SPACE_CONST && module->var[i]->linkage != SL_LINK_EXTERN)
                binary->const_bytes += (uint32_t)module->var[i]->bytes;
    }
}

static void apply_cubin_facts(const sl_rt_binary *binary, sl_rt_function *function)
{
    for (size_t i = 0; i < binary->cubins.count; i++) {
        const sl_cubin_kernel *facts = sl_cubin_find(&binary->cubins.items[i], function->name);
        if (facts && facts->registers) {
            sl_emu_kernel_set_registers(function->kernel, facts->registers);
            return;
        }
    }
}

/* Managed variables are reached through pointers in host code, which can be set once the variable has an address. */
static void fill_managed_pointers(sl_rt *rt, const sl_rt_binary *binary)
{
    for (size_t i = 0; i < rt->variables.count; i++) {
        const sl_rt_variable *v = rt->variables.items[i];
        uint64_t address, bytes;
        if (v->binary == binary && v->managed && !sl_emu_symbol(binary->program, v->name, &address, &bytes, NULL))
            *(void **)(uintptr_t)v->host = (void *)(uintptr_t)address;
    }
}

static cudaError_t load(sl_rt *rt, sl_rt_binary *binary)
{
    sl_error error = {0};
    if (binary->program || binary->load_error)
        return binary->load_error;
    binary->load_error = binary->fatbin.containers ? cudaSuccess : add_containers(binary, &error);
    if (!binary->load_error && !binary->modules.count) {
        binary->load_error = parse_all(binary, &error);
        if (!binary->load_error && binary->modules.count > 1)
            binary->load_error = remove_unneeded(rt, binary);
        if (!binary->load_error)
            read_cubins(binary);
        count_constants(binary);
    }
    if (!binary->load_error)
        binary->load_error = sl_rt_error_of(sl_emu_load(rt->emu, (const sl_ptx_module *const *)binary->modules.items,
                                                        binary->modules.count, &binary->program, &error));
    if (binary->load_error)
        sl_rt_say_error(NULL, &error);
    else
        fill_managed_pointers(rt, binary);
    return binary->load_error;
}

cudaError_t sl_rt_function_get(sl_rt *rt, const void *host, sl_rt_function **found)
{
    sl_rt_function *function = sl_map_get(&rt->function_by_host, (const char *)&host, sizeof host);
    if (!function || !function->binary->registered)
        return SL_CUDART < 13 ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
    *found = function;
    if (function->kernel || function->error)
        return function->error;
    function->error = load(rt, function->binary);
    if (function->error)
        return function->error;
    sl_error error = {0};
    sl_status status = sl_emu_kernel_get(function->binary->program, function->name, &function->kernel, &error);
    if (status) {
        sl_rt_say_error(function->name, &error);
        function->error = sl_rt_error_of(status);
        return function->error;
    }
    apply_cubin_facts(function->binary, function);
    uint32_t shared = sl_emu_kernel_static(function->kernel)->static_shared_bytes;
    uint32_t usual = sl_emu_limits(rt->emu)->shared_per_block;
    if (!function->max_dynamic_shared)
        function->max_dynamic_shared = shared < usual ? usual - shared : 0;
    return cudaSuccess;
}

cudaError_t sl_rt_variable_address(sl_rt *rt, const void *symbol, char **address, size_t *bytes)
{
    sl_rt_variable *variable = sl_map_get(&rt->variable_by_host, (const char *)&symbol, sizeof symbol);
    uint64_t location, size;
    sl_error error = {0};
    if (!variable || !variable->binary->registered)
        return cudaErrorInvalidSymbol;
    cudaError_t failed = load(rt, variable->binary);
    if (failed)
        return failed;
    if (sl_emu_symbol(variable->binary->program, variable->name, &location, &size, &error))
        return cudaErrorInvalidSymbol;
    *address = (char *)(uintptr_t)location;
    *bytes = size;
    return cudaSuccess;
}

void sl_rt_registry_forget_device(sl_rt *rt)
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
    sl_rt_say("out of memory while the program registers its kernels");
    abort(); /* registration has no way to report a failure */
}

SL_API void **__cudaRegisterFatBinary(void *wrapper)
{
    sl_rt *rt = sl_rt_enter();
    sl_rt_binary *binary = calloc(1, sizeof *binary);
    if (!binary || !sl_array_push(&rt->binaries, binary))
        out_of_memory();
    *binary = (sl_rt_binary){.wrapper = wrapper, .serial = (uint32_t)rt->binaries.count, .registered = true};
    if (binary->wrapper->magic != WRAPPER_MAGIC) {
        sl_rt_say("fat binary %u has the unknown mark 0x%08x", binary->serial, binary->wrapper->magic);
        binary->load_error = cudaErrorInvalidKernelImage;
    }
    sl_rt_unlock(rt);
    return (void **)binary;
}

SL_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

SL_API void __cudaUnregisterFatBinary(void **handle)
{
    sl_rt *rt = sl_rt_enter();
    sl_rt_binary *binary = (sl_rt_binary *)handle;
    /* Its functions and variables stay known but are refused: handles to them may still be around. */
    if (binary && binary->registered) {
        sl_rt_flush_printed(rt);
        binary->registered = false;
        for (size_t i = 0; i < rt->functions.count; i++)
            if (rt->functions.items[i]->binary == binary)
                rt->functions.items[i]->kernel = NULL;
        if (binary->program && rt->emu)
            sl_emu_unload(rt->emu, binary->program);
        binary->program = NULL;
        for (size_t i = 0; i < binary->modules.count; i++)
            sl_ptx_free(binary->modules.items[i]);
        for (size_t i = 0; i < binary->texts.count; i++)
            free(binary->texts.items[i]);
        for (size_t i = 0; i < binary->cubins.count; i++)
            sl_cubin_fini(&binary->cubins.items[i]);
        sl_array_free(&binary->modules);
        sl_array_free(&binary->cubins);
        sl_array_free(&binary->texts);
        sl_fatbin_fini(&binary->fatbin);
    }
    sl_rt_unlock(rt);
}

SL_API void __cudaRegisterFunction(void **handle, const char *host, char *device_function, const char *device_name,
                                   int thread_limit, void *tid, void *bid, void *block_dim, void *grid_dim,
                                   int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block_dim, (void)grid_dim, (void)warp_size;
    sl_rt *rt = sl_rt_enter();
    sl_rt_function *f = calloc(1, sizeof *f);
    char *name = strdup(device_name);
    if (!f || !name || !sl_array_push(&rt->functions, f))
        out_of_memory();
    *f = (sl_rt_function){.binary = (sl_rt_binary *)handle, .host = host, .self = f, .name = name, .carveout = -1};
    if (!sl_map_put(&rt->function_by_host, (const char *)&f->self, sizeof f->self, f))
        out_of_memory();
    /* The same template kernel may come from several files under one stub: the first one stands for all. */
    sl_rt_function *known = sl_map_get(&rt->function_by_host, (const char *)&f->host, sizeof f->host);
    if ((!known || !known->binary->registered) &&
        !sl_map_put(&rt->function_by_host, (const char *)&f->host, sizeof f->host, f))
        out_of_memory();
    sl_rt_unlock(rt);
}

static void register_variable(void **handle, const void *host, const char *name, size_t bytes, bool managed)
{
    sl_rt *rt = sl_rt_enter();
    sl_rt_variable *v = calloc(1, sizeof *v);
    char *copy = strdup(name);
    if (!v || !copy || !sl_array_push(&rt->variables, v))
        out_of_memory();
    *v = (sl_rt_variable){
        .binary = (sl_rt_binary *)handle, .host = host, .name = copy, .bytes = bytes, .managed = managed};
    if (!sl_map_put(&rt->variable_by_host, (const char *)&v->host, sizeof v->host, v))
        out_of_memory();
    sl_rt_unlock(rt);
}

SL_API void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *device_name, int external,
                              size_t bytes, int constant, int global)
{
    (void)device_address, (void)external, (void)constant, (void)global;
    register_variable(handle, host, device_name, bytes, false);
}

SL_API void __cudaRegisterManagedVar(void **handle, void **host, char *device_address, const char *device_name,
                                     int external, size_t bytes, int constant, int global)
{
    (void)device_address, (void)external, (void)constant, (void)global;
    register_variable(handle, host, device_name, bytes, true);
}

/* Called before host code first accesses a managed variable of the binary. */
SL_API char __cudaInitModule(void **handle)
{
    sl_rt *rt = sl_rt_enter();
    cudaError_t error = sl_rt_ready(rt);
    if (!error)
        error = load(rt, (sl_rt_binary *)handle);
    sl_rt_leave(rt, error);
    return error == cudaSuccess;
}

SL_API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes;
}

SL_API void __cudaRegisterUnifiedTable(void **handle, const void *table)
{
    (void)handle, (void)table;
}

/* ---- questions about kernels and variables ---- */

SL_API cudaError_t __cudaGetKernel(cudaFunction_t *kernel, const void *host)
{
    /* Only a look-up: loading waits for the launch, so that programs with many kernels start fast. */
    sl_rt *rt = sl_rt_enter();
    sl_rt_function *function = sl_map_get(&rt->function_by_host, (const char *)&host, sizeof host);
    *kernel = function;
    return sl_rt_leave(rt, function ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

SL_API cudaError_t cudaGetKernel(cudaFunction_t *kernel, const void *host)
{
    return __cudaGetKernel(kernel, host);
}

SL_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host)
{
    return __cudaGetKernel(function, host);
}

static cudaError_t name_of(sl_rt *rt, const char **name, const void *host)
{
    sl_rt_function *function;
    cudaError_t error = name ? sl_rt_function_get(rt, host, &function) : cudaErrorInvalidValue;
    if (!error)
        *name = function->name;
    return error;
}

SL_API cudaError_t cudaFuncGetName(const char **name, const void *host)
{
    SL_CALL(name_of(rt, name, host));
}

static cudaError_t param_info(sl_rt *rt, const void *host, size_t index, size_t *offset, size_t *bytes)
{
    sl_rt_function *function;
    cudaError_t error = sl_rt_function_get(rt, host, &function);
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

SL_API cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes)
{
    SL_CALL(param_info(rt, host, index, offset, bytes));
}

static cudaError_t symbol_address(sl_rt *rt, void **address, size_t *bytes, const void *symbol)
{
    char *location = NULL;
    size_t size = 0;
    cudaError_t error = sl_rt_variable_address(rt, symbol, &location, &size);
    if (address)
        *address = location;
    if (bytes)
        *bytes = size;
    return error;
}

SL_API cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    SL_CALL(symbol_address(rt, address, NULL, symbol));
}

SL_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    SL_CALL(symbol_address(rt, NULL, bytes, symbol));
}
