/* SPDX-License-Identifier: MIT */
/* The platform. */
#include "opencl/opencl.h"

#include <string.h>

struct _cl_platform_id sl_cl_platform = {{.dispatch = &sl_cl_dispatch, .kind = SL_CL_PLATFORM, .references = 1}};

/* Names of extensions with versions, as OpenCL 3.0 lists them; returns how many there are. */
size_t sl_cl_extension_list(cl_name_version *list)
{
    size_t count = 0;
    for (const char *at = SL_CL_EXTENSIONS; *at;) {
        size_t length = strcspn(at, " ");
        cl_name_version *v = &list[count++];
        *v = (cl_name_version){.version = CL_MAKE_VERSION(1, 0, 0)};
        memcpy(v->name, at, length);
        at += length + (at[length] == ' ');
    }
    return count;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    if ((platforms && !room) || (!platforms && !count))
        return CL_INVALID_VALUE;
    if (platforms)
        *platforms = &sl_cl_platform;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room,
                                                  void *value, size_t *size)
{
    const sl_cl_answer to = {room, value, size};
    cl_name_version list[SL_CL_MAX_EXTENSIONS];
    if (platform && !sl_cl_is(platform, SL_CL_PLATFORM))
        return CL_INVALID_PLATFORM;
    switch (what) {
    case CL_PLATFORM_PROFILE:
        return sl_cl_give_text(&to, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return sl_cl_give_text(&to, "OpenCL 3.0 Sluice " SLUICE_VERSION);
    case CL_PLATFORM_NAME:
        return sl_cl_give_text(&to, "Sluice");
    case CL_PLATFORM_VENDOR:
        return sl_cl_give_text(&to, "Sluice");
    case CL_PLATFORM_EXTENSIONS:
        return sl_cl_give_text(&to, SL_CL_EXTENSIONS);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return sl_cl_give_text(&to, "SLUICE");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return SL_CL_GIVE(&to, cl_ulong, 0);
    case CL_PLATFORM_NUMERIC_VERSION:
        return SL_CL_GIVE(&to, cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return sl_cl_give(&to, list, sl_cl_extension_list(list) * sizeof *list);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    return sl_cl_is(platform, SL_CL_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
