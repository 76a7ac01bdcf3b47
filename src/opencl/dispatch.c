/* SPDX-License-Identifier: MIT */
/* What the ICD loader asks for: entry points by name, and the table that objects begin with. Entry points that are not
 * supported are in it all the same: they say so, once, and fail. */
#include "opencl/opencl.h"

#include <string.h>

/* clCreateFromGLBuffer and the like have no place in the table: the loader answers for what is NULL. */
const cl_icd_dispatch sl_cl_dispatch = {
#define SL_CL_ENTRY(name)          .name = name,
#define SL_CL_ENTRY_AS(slot, name) .slot = name,
#include "opencl/functions.def"
#undef SL_CL_ENTRY
#undef SL_CL_ENTRY_AS
};

SL_API cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    return clGetPlatformIDs(room, platforms, count);
}

SL_API void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } table[] = {
#define SL_CL_ENTRY(name)          {#name, (void *)(uintptr_t)name},
#define SL_CL_ENTRY_AS(slot, name) {#slot, (void *)(uintptr_t)name},
#include "opencl/functions.def"
#undef SL_CL_ENTRY
#undef SL_CL_ENTRY_AS
        {"clIcdGetPlatformIDsKHR", (void *)(uintptr_t)clIcdGetPlatformIDsKHR},
    };
    for (size_t i = 0; name && i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return table[i].function;
    return NULL;
}

void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return sl_cl_is(platform, SL_CL_PLATFORM) ? clGetExtensionFunctionAddress(name) : NULL;
}
