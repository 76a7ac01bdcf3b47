/* SPDX-License-Identifier: MIT */
/* Entry points that are not supported: each says so once, by name, and fails. */
#include "opencl/unsupported.h"

static void tell(const char *name, bool *said)
{
    sl_proc *rt = sl_proc_enter();
    if (!*said)
        sl_proc_say("%s is not supported: it fails", name);
    *said = true;
    sl_proc_unlock(rt);
}

/* Of any parameters: callers clean up after their calls. */
#define SL_CL_REFUSED(name)                                                                                            \
    cl_int CL_API_CALL sl_cl_refuse_##name(void)                                                                       \
    {                                                                                                                  \
        static bool said;                                                                                              \
        tell(#name, &said);                                                                                            \
        return CL_INVALID_OPERATION;                                                                                   \
    }
#include "opencl/unsupported.def"
#undef SL_CL_REFUSED

/* A device that cannot be partitioned, whatever the properties: CL_DEVICE_PARTITION_PROPERTIES has none. */
CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
                                                   cl_uint room, cl_device_id *devices, cl_uint *count)
{
    static bool said;
    (void)properties, (void)room, (void)devices, (void)count;
    if (!sl_cl_is(device, SL_CL_DEVICE))
        return CL_INVALID_DEVICE;
    tell(__func__, &said);
    return CL_INVALID_VALUE;
}

/* Those that make something. */
static void *nothing(const char *name, bool *said, cl_int *error)
{
    tell(name, said);
    if (error)
        *error = CL_INVALID_OPERATION;
    return NULL;
}

#define NOTHING(error)                                                                                                 \
    do {                                                                                                               \
        static bool said;                                                                                              \
        return nothing(__func__, &said, error);                                                                        \
    } while (0)

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_bytes,
                                             cl_uint packets, const cl_pipe_properties *properties, cl_int *error)
{
    (void)context, (void)flags, (void)packet_bytes, (void)packets, (void)properties;
    NOTHING(error);
}

/* There are no pipes to ask about. */
CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info what, size_t room, void *value, size_t *size)
{
    (void)pipe, (void)what, (void)room, (void)value, (void)size;
    return CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t bytes,
                                                          cl_int *error)
{
    (void)context, (void)il, (void)bytes;
    NOTHING(error);
}

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)
{
    (void)context, (void)flags, (void)bytes, (void)alignment;
    NOTHING(NULL);
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    (void)context, (void)pointer; /* there is none, and NULL is fine */
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint buffer,
                                                     cl_int *error)
{
    (void)context, (void)flags, (void)buffer;
    NOTHING(error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                                      cl_GLint level, cl_GLuint texture, cl_int *error)
{
    (void)context, (void)flags, (void)target, (void)level, (void)texture;
    NOTHING(error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                                        cl_GLint level, cl_GLuint texture, cl_int *error)
{
    (void)context, (void)flags, (void)target, (void)level, (void)texture;
    NOTHING(error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                                        cl_GLint level, cl_GLuint texture, cl_int *error)
{
    (void)context, (void)flags, (void)target, (void)level, (void)texture;
    NOTHING(error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags,
                                                           cl_GLuint renderbuffer, cl_int *error)
{
    (void)context, (void)flags, (void)renderbuffer;
    NOTHING(error);
}

/* A device without built-in kernels. */
CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                                      const cl_device_id *devices, const char *names,
                                                                      cl_int *error)
{
    SL_CL_MAKE(cl_program, error, (void)rt, (void)made,
               !sl_cl_is(context, SL_CL_CONTEXT)     ? CL_INVALID_CONTEXT
               : !count || !devices || !names        ? CL_INVALID_VALUE
               : sl_cl_devices_check(count, devices) ? CL_INVALID_DEVICE
                                                     : CL_INVALID_VALUE);
}
