/* SPDX-License-Identifier: MIT */
/* Questions about programs. */
#include "opencl/opencl.h"

#include <string.h>

static bool has_binary(cl_program p)
{
    return p->code.ir || p->code.ptx[SL_CL_PLAIN];
}

static cl_int binary_sizes(cl_program p, const sl_cl_answer *to)
{
    sl_buffer text = {0};
    bool whole = !has_binary(p) || sl_cl_binary_write(&p->code, &text);
    size_t bytes = text.count;
    sl_buffer_free(&text);
    return whole ? SL_CL_GIVE(to, size_t, bytes) : CL_OUT_OF_HOST_MEMORY;
}

/* `value` is an array of pointers to where binaries go. */
static cl_int binaries(cl_program p, const sl_cl_answer *to)
{
    sl_buffer text = {0};
    if (to->size)
        *to->size = sizeof(unsigned char *);
    if (!to->value)
        return CL_SUCCESS;
    if (to->room < sizeof(unsigned char *))
        return CL_INVALID_VALUE;
    unsigned char *where = *(unsigned char **)to->value;
    bool whole = !has_binary(p) || sl_cl_binary_write(&p->code, &text);
    if (whole && where && text.count)
        memcpy(where, text.data, text.count);
    sl_buffer_free(&text);
    return whole ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int kernel_names(cl_program p, const sl_cl_answer *to)
{
    sl_buffer text = {0};
    bool whole = sl_buffer_append(&text, "", 0);
    for (size_t i = 0; whole && i < p->kernels.count; i++)
        whole = sl_buffer_format(&text, "%s%s", i ? ";" : "", p->kernels.items[i].name);
    cl_int error = whole ? sl_cl_give_text(to, text.data) : CL_OUT_OF_HOST_MEMORY;
    sl_buffer_free(&text);
    return error;
}

static cl_int program_info(cl_program p, cl_program_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(p, SL_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    bool built = p->status == CL_BUILD_SUCCESS && p->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return SL_CL_GIVE(to, cl_uint, p->object.references);
    case CL_PROGRAM_CONTEXT:
        return SL_CL_GIVE(to, cl_context, p->context);
    case CL_PROGRAM_NUM_DEVICES:
        return SL_CL_GIVE(to, cl_uint, 1);
    case CL_PROGRAM_DEVICES:
        return SL_CL_GIVE(to, cl_device_id, &sl_cl_device);
    case CL_PROGRAM_SOURCE:
        return sl_cl_give_text(to, p->source ? p->source : "");
    case CL_PROGRAM_IL:
        return sl_cl_give(to, NULL, 0);
    case CL_PROGRAM_BINARY_SIZES:
        return binary_sizes(p, to);
    case CL_PROGRAM_BINARIES:
        return binaries(p, to);
    case CL_PROGRAM_NUM_KERNELS:
        return built ? SL_CL_GIVE(to, size_t, p->kernels.count) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES:
        return built ? kernel_names(p, to) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return SL_CL_GIVE(to, cl_bool, CL_FALSE);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info what, size_t room, void *value,
                                                 size_t *size)
{
    SL_CL_CALL((void)rt, program_info(program, what, &(sl_cl_answer){room, value, size}));
}

static cl_int build_info(cl_program p, cl_device_id device, cl_program_build_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(p, SL_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!sl_cl_is(device, SL_CL_DEVICE))
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        return SL_CL_GIVE(to, cl_build_status, p->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return sl_cl_give_text(to, p->options ? p->options : "");
    case CL_PROGRAM_BUILD_LOG:
        return sl_cl_give_text(to, p->log.data ? p->log.data : "");
    case CL_PROGRAM_BINARY_TYPE:
        return SL_CL_GIVE(to, cl_program_binary_type, p->type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return SL_CL_GIVE(to, size_t, 0);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info what, size_t room, void *value,
                                                      size_t *size)
{
    SL_CL_CALL((void)rt, build_info(program, device, what, &(sl_cl_answer){room, value, size}));
}
