/* SPDX-License-Identifier: MIT */
/* Modules and libraries, which are the same thing here, and the linker for both. */
#include "cudadriver/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

/* Where in the program an entry point was called from. */
#define CALLER __builtin_return_address(0)

/* Fills in the logs that the program wants: what went wrong, and nothing about what went well. */
static void write_logs(unsigned count, const CUjit_option *option, void **value, const char *text)
{
    char *buffer[2] = {NULL, NULL};
    size_t room[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < count && option && value; i++) {
            int which = option[i] == CU_JIT_ERROR_LOG_BUFFER || option[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
            bool is_size =
                option[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || option[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
            if (!is_size && option[i] != CU_JIT_INFO_LOG_BUFFER && option[i] != CU_JIT_ERROR_LOG_BUFFER)
                continue;
            const char *said = which ? text : "";
            if (!pass && is_size)
                room[which] = (unsigned)(uintptr_t)value[i];
            else if (!pass)
                buffer[which] = value[i];
            else if (is_size) /* answers with what was written */
                value[i] = (void *)(uintptr_t)strnlen(said, room[which]);
            else if (buffer[which] && room[which])
                snprintf(buffer[which], room[which], "%s", said);
        }
}

static cudaError_t load(sl_proc *rt, CUmodule *module, const void *image, const void *caller, unsigned count,
                        const CUjit_option *option, void **value)
{
    char why[1536];
    if (!module || !image)
        return cudaErrorInvalidValue;
    cudaError_t failed = sl_proc_image_load(rt, image, caller, module, why, sizeof why);
    write_logs(count, option, value, why);
    return failed;
}

static cudaError_t load_file(sl_proc *rt, CUmodule *module, const char *path, const void *caller, unsigned count,
                             const CUjit_option *option, void **value)
{
    char why[1536];
    cudaError_t failed = sl_proc_image_load_file(rt, path, caller, module, why, sizeof why);
    write_logs(count, option, value, why);
    return failed;
}

SL_API CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    SL_CALL(load_file(rt, module, path, CALLER, 0, NULL, NULL));
}

SL_API CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    SL_CALL(load(rt, module, image, CALLER, 0, NULL, NULL));
}
SL_ALIAS(cuModuleLoadFatBinary, cuModuleLoadData);

SL_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *option,
                                   void **value)
{
    SL_CALL(load(rt, module, image, CALLER, count, option, value));
}

SL_API CUresult cuLibraryLoadData(CUmodule *library, const void *image, CUjit_option *option, void **value,
                                  unsigned count, int *library_option, void **library_value, unsigned library_count)
{
    (void)library_option, (void)library_value, (void)library_count;
    SL_CALL_FREE(load(rt, library, image, CALLER, count, option, value));
}

SL_API CUresult cuLibraryLoadFromFile(CUmodule *library, const char *path, CUjit_option *option, void **value,
                                      unsigned count, int *library_option, void **library_value, unsigned library_count)
{
    (void)library_option, (void)library_value, (void)library_count;
    SL_CALL_FREE(load_file(rt, library, path, CALLER, count, option, value));
}

SL_API CUresult cuModuleUnload(CUmodule module)
{
    SL_CALL(sl_proc_binary_unload(rt, module));
}

/* From exit handlers too, when the emulator has ended. */
SL_API CUresult cuLibraryUnload(CUmodule library)
{
    sl_proc *rt = sl_proc_enter();
    cudaError_t error = sl_proc_binary_unload(rt, library);
    sl_proc_unlock(rt);
    return sl_driver_error(error);
}

SL_API CUresult cuModuleGetLoadingMode(int *mode)
{
    enum { LAZY = 2 };
    SL_CALL_FREE(mode ? (*mode = LAZY, cudaSuccess) : cudaErrorInvalidValue);
}

/* ---- what is inside ---- */

/* The kernel is prepared here, so that what it cannot do is reported now. */
static cudaError_t find_function(sl_proc *rt, CUfunction *function, CUmodule module, const char *name)
{
    cudaError_t error = sl_proc_library_kernel(rt, function, module, name);
    return error ? error : sl_proc_function_get(rt, *function, function);
}

SL_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    SL_CALL(find_function(rt, function, module, name));
}

SL_API CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
    SL_CALL_FREE(count ? sl_proc_library_kernels(rt, NULL, 0, count, module) : cudaErrorInvalidValue);
}

SL_API CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned room, CUmodule module)
{
    SL_CALL_FREE(functions ? sl_proc_library_kernels(rt, functions, room, NULL, module) : cudaErrorInvalidValue);
}

SL_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    _Static_assert(sizeof *address == sizeof(void *), "an address is a pointer");
    SL_CALL(sl_proc_library_variable(rt, (void **)address, bytes, module, name));
}

SL_API CUresult cuLibraryGetModule(CUmodule *module, CUmodule library)
{
    SL_CALL(!module                             ? cudaErrorInvalidValue
            : sl_proc_binary_known(rt, library) ? (*module = library, cudaSuccess)
                                                : cudaErrorInvalidResourceHandle);
}

/* ---- linking ---- */

SL_API CUresult cuLinkCreate_v2(unsigned count, CUjit_option *option, void **value, CUlinkState *state)
{
    write_logs(count, option, value, "");
    SL_CALL(state ? sl_proc_linker_create(state) : cudaErrorInvalidValue);
}
SL_ALIAS(cuLinkCreate, cuLinkCreate_v2);

SL_API CUresult cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t bytes, const char *name,
                                 unsigned count, CUjit_option *option, void **value)
{
    (void)type, (void)name, (void)count, (void)option, (void)value;
    SL_CALL(state && data ? sl_proc_linker_add(rt, state, data, bytes) : cudaErrorInvalidValue);
}
SL_ALIAS(cuLinkAddData, cuLinkAddData_v2);

SL_API CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char *path, unsigned count, CUjit_option *option,
                                 void **value)
{
    (void)type, (void)count, (void)option, (void)value;
    SL_CALL(state && path ? sl_proc_linker_add_file(rt, state, path) : cudaErrorInvalidValue);
}
SL_ALIAS(cuLinkAddFile, cuLinkAddFile_v2);

SL_API CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    SL_CALL(state && image ? sl_proc_linker_complete(state, image, bytes) : cudaErrorInvalidValue);
}

SL_API CUresult cuLinkDestroy(CUlinkState state)
{
    SL_CALL(state ? (sl_proc_linker_destroy(state), cudaSuccess) : cudaErrorInvalidValue);
}
