/* SPDX-License-Identifier: MIT */
/* What the ICD loader asks for: entry points by name, and the table that objects begin with. */
#include <string.h>

#include "opencl/unsupported.h"

const cl_icd_dispatch sl_cl_dispatch = {
#define SL_CL_ENTRY(name) .name = name,
#include "opencl/functions.def"
#undef SL_CL_ENTRY
#define SL_CL_REFUSED(name) .name = (__typeof(sl_cl_dispatch.name))(uintptr_t)sl_cl_refuse_##name,
#include "opencl/unsupported.def"
#undef SL_CL_REFUSED
    .clCreateSubDevicesEXT = (__typeof(sl_cl_dispatch.clCreateSubDevicesEXT))(uintptr_t)clCreateSubDevices,
    .clRetainDeviceEXT = clRetainDevice,
    .clReleaseDeviceEXT = clReleaseDevice,
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
#define SL_CL_ENTRY(name) {#name, (void *)(uintptr_t)name},
#include "opencl/functions.def"
#undef SL_CL_ENTRY
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
