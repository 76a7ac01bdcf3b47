/* SPDX-License-Identifier: MIT */
/* How the runtime finds the driver's entry points. Both libraries are loaded together. */
#include "cudart/runtime.h"

#include <dlfcn.h>

typedef int get_proc_address(const char *name, void **function, int version, uint64_t flags, int *status);
typedef int get_export_table(const void **table, const cudaUUID_t *id);

static cudaError_t entry_point(const char *name, void **function, unsigned version, uint64_t flags, int *status)
{
    get_proc_address *find = (get_proc_address *)dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2");
    if (!name || !function || !find)
        return find ? cudaErrorInvalidValue : cudaErrorInitializationError;
    return (cudaError_t)find(name, function, (int)version, flags, status);
}

SL_API cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                    unsigned long long flags, int *status)
{
    SL_CALL(entry_point(name, function, version, flags, status));
}
SL_ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);

/* CUDA 11 has no `status`: what it passes there is not looked at. */
SL_API cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status)
{
    enum { NEWEST_OF_VERSION = SL_CUDART * 1000 + 999 };
    SL_CALL(entry_point(name, function, NEWEST_OF_VERSION, flags, SL_CUDART < 12 ? NULL : status));
}
SL_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);

SL_API cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id)
{
    get_export_table *find = (get_export_table *)dlsym(RTLD_DEFAULT, "cuGetExportTable");
    return find ? (cudaError_t)find(table, id) : cudaErrorInitializationError;
}
