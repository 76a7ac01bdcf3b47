/* SPDX-License-Identifier: MIT */
/* Contexts: names for the one device. */
#include "opencl/opencl.h"

#include <stdlib.h>

void sl_cl_context_fini(sl_proc *rt, cl_context context)
{
    (void)rt;
    for (size_t i = context->destroyed.count; i-- > 0;) /* the last registered first */
        sl_cl_callback_due(&context->destroyed.items[i]);
    sl_array_free(&context->destroyed);
    free(context->properties.item);
}

static cl_int check_properties(const cl_context_properties *properties)
{
    const cl_context_properties *first = properties;
    for (; properties && *properties; properties += 2) {
        for (const cl_context_properties *before = first; before < properties; before += 2)
            if (*before == *properties) /* named twice */
                return CL_INVALID_PROPERTY;
        if (*properties == CL_CONTEXT_PLATFORM && properties[1] &&
            !sl_cl_is((void *)(uintptr_t)properties[1], SL_CL_PLATFORM))
            return CL_INVALID_PLATFORM;
        if (*properties != CL_CONTEXT_PLATFORM && *properties != CL_CONTEXT_INTEROP_USER_SYNC)
            return CL_INVALID_PROPERTY;
        if (*properties == CL_CONTEXT_INTEROP_USER_SYNC && properties[1] != CL_FALSE && properties[1] != CL_TRUE)
            return CL_INVALID_PROPERTY;
    }
    return CL_SUCCESS;
}

static cl_int create(const cl_context_properties *properties, const void *notify, const void *data, cl_context *made)
{
    cl_int error = check_properties(properties);
    if (!error && !notify && data)
        error = CL_INVALID_VALUE;
    if (error)
        return error;
    cl_context c = sl_cl_new(SL_CL_CONTEXT);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    _Static_assert(sizeof *properties == sizeof(cl_ulong), "a list of properties");
    error = sl_cl_properties_keep(&c->properties, (const cl_ulong *)properties);
    if (error)
        sl_cl_release(NULL, c, SL_CL_CONTEXT, error);
    else
        *made = c;
    return error;
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *error)
{
    SL_CL_MAKE(cl_context, error,
               !count || !devices                    ? CL_INVALID_VALUE
               : sl_cl_devices_check(count, devices) ? CL_INVALID_DEVICE
                                                     : create(properties, (void *)(uintptr_t)notify, data, &made));
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContextFromType(
    const cl_context_properties *properties, cl_device_type type,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *error)
{
    cl_uint count;
    cl_int failed = clGetDeviceIDs(&sl_cl_platform, type, 0, NULL, &count);
    SL_CL_MAKE(cl_context, error,
               check_properties(properties) ? check_properties(properties)
               : failed                     ? failed
                                            : create(properties, (void *)(uintptr_t)notify, data, &made));
}

CL_API_ENTRY cl_int CL_API_CALL clRetainContext(cl_context context)
{
    SL_CL_CALL(sl_cl_retain(context, SL_CL_CONTEXT, CL_INVALID_CONTEXT));
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    SL_CL_CALL(sl_cl_release(rt, context, SL_CL_CONTEXT, CL_INVALID_CONTEXT));
}

static cl_int context_info(cl_context context, cl_context_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return SL_CL_GIVE(to, cl_uint, context->object.references);
    case CL_CONTEXT_NUM_DEVICES:
        return SL_CL_GIVE(to, cl_uint, 1);
    case CL_CONTEXT_DEVICES:
        return SL_CL_GIVE(to, cl_device_id, &sl_cl_device);
    case CL_CONTEXT_PROPERTIES:
        return sl_cl_give(to, context->properties.item, context->properties.bytes);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info what, size_t room, void *value,
                                                 size_t *size)
{
    SL_CL_CALL((void)rt, context_info(context, what, &(sl_cl_answer){room, value, size}));
}

static cl_int on_destroyed(cl_context context, void(CL_CALLBACK *notify)(cl_context, void *), void *data)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!notify)
        return CL_INVALID_VALUE;
    const sl_cl_callback added = {.kind = SL_CL_ON_CONTEXT, .context = notify, .object = context, .data = data};
    return sl_array_push(&context->destroyed, added) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
                                                               void(CL_CALLBACK *notify)(cl_context, void *),
                                                               void *data)
{
    SL_CL_CALL((void)rt, on_destroyed(context, notify, data));
}
