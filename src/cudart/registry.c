/* SPDX-License-Identifier: MIT */
/* What host code registers before main, and its questions about that. */
#include "cudart/runtime.h"

/* ---- registration ---- */

SL_API void **__cudaRegisterFatBinary(void *wrapper)
{
    sl_proc *rt = sl_proc_enter();
    sl_proc_binary *binary = sl_proc_register_binary(rt, wrapper);
    sl_proc_unlock(rt);
    return (void **)binary;
}

SL_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

SL_API void __cudaUnregisterFatBinary(void **handle)
{
    sl_proc *rt = sl_proc_enter();
    if (handle)
        sl_proc_binary_release(rt, (sl_proc_binary *)handle);
    sl_proc_unlock(rt);
}

SL_API void __cudaRegisterFunction(void **handle, const char *host, char *device_function, const char *device_name,
                                   int thread_limit, void *tid, void *bid, void *block_dim, void *grid_dim,
                                   int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block_dim, (void)grid_dim, (void)warp_size;
    sl_proc *rt = sl_proc_enter();
    sl_proc_register_function(rt, (sl_proc_binary *)handle, host, device_name);
    sl_proc_unlock(rt);
}

static void register_variable(void **handle, const void *host, const char *name, size_t bytes, bool managed)
{
    sl_proc *rt = sl_proc_enter();
    sl_proc_register_variable(rt, (sl_proc_binary *)handle, host, name, bytes, managed);
    sl_proc_unlock(rt);
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
    sl_proc *rt = sl_proc_enter();
    cudaError_t error = sl_cudart_ready(rt);
    if (!error)
        error = sl_proc_binary_load(rt, (sl_proc_binary *)handle);
    sl_cudart_leave(rt, error);
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
    sl_proc *rt = sl_proc_enter();
    sl_proc_function *function = sl_proc_function_find(rt, host);
    *kernel = function;
    return sl_cudart_leave(rt, function ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

SL_API cudaError_t cudaGetKernel(cudaFunction_t *kernel, const void *host)
{
    return __cudaGetKernel(kernel, host);
}

SL_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host)
{
    return __cudaGetKernel(function, host);
}

static cudaError_t name_of(sl_proc *rt, const char **name, const void *host)
{
    sl_proc_function *function;
    cudaError_t error = name ? sl_proc_function_get(rt, host, &function) : cudaErrorInvalidValue;
    if (!error)
        *name = function->name;
    return error;
}

SL_API cudaError_t cudaFuncGetName(const char **name, const void *host)
{
    SL_CALL(name_of(rt, name, host));
}

static cudaError_t symbol_address(sl_proc *rt, void **address, size_t *bytes, const void *symbol)
{
    char *location = NULL;
    size_t size = 0;
    cudaError_t error = sl_proc_variable_address(rt, symbol, &location, &size);
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

/* ---- libraries ---- */

static cudaError_t load_library(sl_proc *rt, sl_proc_binary **library, const void *image, const char *path,
                                const void *caller)
{
    char why[1536];
    if (!library || (!image && !path))
        return cudaErrorInvalidValue;
    return image ? sl_proc_image_load(rt, image, caller, library, why, sizeof why)
                 : sl_proc_image_load_file(rt, path, caller, library, why, sizeof why);
}

SL_API cudaError_t cudaLibraryLoadData(sl_proc_binary **library, const void *image, int *option, void **value,
                                       unsigned count, int *library_option, void **library_value,
                                       unsigned library_count)
{
    (void)option, (void)value, (void)count, (void)library_option, (void)library_value, (void)library_count;
    SL_CALL(load_library(rt, library, image, NULL, __builtin_return_address(0)));
}

SL_API cudaError_t cudaLibraryLoadFromFile(sl_proc_binary **library, const char *path, int *option, void **value,
                                           unsigned count, int *library_option, void **library_value,
                                           unsigned library_count)
{
    (void)option, (void)value, (void)count, (void)library_option, (void)library_value, (void)library_count;
    SL_CALL(load_library(rt, library, NULL, path, __builtin_return_address(0)));
}

/* From exit handlers too, when the emulator has ended. */
SL_API cudaError_t cudaLibraryUnload(sl_proc_binary *library)
{
    sl_proc *rt = sl_proc_enter();
    return sl_cudart_leave(rt, sl_proc_binary_unload(rt, library));
}
