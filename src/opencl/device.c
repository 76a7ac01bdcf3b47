/* SPDX-License-Identifier: MIT */
/* The device: what it can do. Numbers are those of the GPU model, or what an emulated one can do beyond them. */
#include "opencl/opencl.h"

#include <string.h>

struct _cl_device_id sl_cl_device = {{.dispatch = &sl_cl_dispatch, .kind = SL_CL_DEVICE, .references = 1}};

enum {
    IMAGE_ARGS = 128,
    SAMPLER_ARGS = 16,
    VENDOR_AMD = 0x1002,
    VENDOR_NVIDIA = 0x10de,
};

uint32_t sl_cl_lanes(sl_proc *rt)
{
    uint64_t chosen = rt->options.settings.lanes;
    return chosen ? (uint32_t)chosen : sl_proc_model(rt)->lanes;
}

/* One with vector units of AMD's width. */
static bool is_wide(sl_proc *rt)
{
    return sl_proc_model(rt)->lanes == 64;
}

sl_gpu_limits sl_cl_limits(sl_proc *rt)
{
    enum { AMD_GROUP = 256, AMD_LOCAL_BYTES = 32 << 10 }; /* AMD's OpenCL optimization guide */
    sl_gpu_limits l = sl_proc_model_limits(rt);
    const sl_gpu_limits *emulated = sl_proc_limits(rt);
    if (is_wide(rt)) {
        l.max_threads_per_block = AMD_GROUP;
        for (int d = 0; d < 3; d++)
            l.max_block[d] = AMD_GROUP;
        if (l.shared_per_block > AMD_LOCAL_BYTES)
            l.shared_per_block = AMD_LOCAL_BYTES;
    }
    for (int d = 0; d < 3; d++)
        if (l.max_block[d] > emulated->max_block[d])
            l.max_block[d] = emulated->max_block[d];
    if (l.memory_bytes > emulated->memory_bytes)
        l.memory_bytes = emulated->memory_bytes;
    return l;
}

uint64_t sl_cl_max_alloc(sl_proc *rt)
{
    return sl_cl_limits(rt).memory_bytes / 4;
}

cl_int sl_cl_devices_check(cl_uint count, const cl_device_id *devices)
{
    if (!devices != !count)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!sl_cl_is(devices[i], SL_CL_DEVICE))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                                               cl_device_id *devices, cl_uint *count)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    sl_proc *rt;
    if (platform && !sl_cl_is(platform, SL_CL_PLATFORM))
        return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL && (!type || type & ~known))
        return CL_INVALID_DEVICE_TYPE;
    if ((devices && !room) || (!devices && !count))
        return CL_INVALID_VALUE;
    bool started = sl_cl_enter(&rt), found = started && type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU);
    sl_cl_leave(rt);
    if (count)
        *count = found;
    if (!found)
        return CL_DEVICE_NOT_FOUND;
    if (devices)
        *devices = &sl_cl_device;
    return CL_SUCCESS;
}

/* ---- what it can do ---- */

static cl_int give_sizes(const sl_cl_answer *to, const sl_gpu_limits *limits)
{
    return sl_cl_give(to, (size_t[]){limits->max_block[0], limits->max_block[1], limits->max_block[2]},
                      3 * sizeof(size_t));
}

static cl_int give_c_versions(const sl_cl_answer *to)
{
    static const cl_name_version VERSIONS[] = {{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                               {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                               {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
                                               {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"}};
    return sl_cl_give(to, VERSIONS, sizeof VERSIONS);
}

static cl_int give_name(sl_proc *rt, const sl_cl_answer *to)
{
    char name[128];
    return sl_cl_give_text(to, sl_proc_device_name(sl_proc_model(rt), name, sizeof name));
}

static cl_int give_extensions(const sl_cl_answer *to)
{
    cl_name_version list[SL_CL_MAX_EXTENSIONS];
    return sl_cl_give(to, list, sl_cl_extension_list(list) * sizeof *list);
}

static cl_int device_info(sl_proc *rt, cl_device_id device, cl_device_info what, const sl_cl_answer *to)
{
    const sl_machine *m = sl_proc_model(rt);
    const sl_gpu_limits limits = sl_cl_limits(rt), *l = &limits;
    if (!sl_cl_is(device, SL_CL_DEVICE))
        return CL_INVALID_DEVICE;
    switch (what) {
#define SL_CL_DEVICE_INFO(name, type, value)                                                                           \
    case name:                                                                                                         \
        return SL_CL_GIVE(to, type, value);
#define SL_CL_DEVICE_TEXT(name, value)                                                                                 \
    case name:                                                                                                         \
        return sl_cl_give_text(to, value);
#define SL_CL_DEVICE_OTHER(name, expression)                                                                           \
    case name:                                                                                                         \
        return expression;
#include "opencl/device_info.def"
#undef SL_CL_DEVICE_INFO
#undef SL_CL_DEVICE_TEXT
#undef SL_CL_DEVICE_OTHER
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value,
                                                size_t *size)
{
    SL_CL_CALL(device_info(rt, device, what, &(sl_cl_answer){room, value, size}));
}

/* ---- devices of devices: there are none ---- */

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
    return sl_cl_is(device, SL_CL_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE; /* a root device is always there */
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id device)
{
    return sl_cl_is(device, SL_CL_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host_time)
{
    (void)device_time, (void)host_time; /* CL_PLATFORM_HOST_TIMER_RESOLUTION is 0: there is none */
    return sl_cl_is(device, SL_CL_DEVICE) ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *host_time)
{
    (void)host_time;
    return sl_cl_is(device, SL_CL_DEVICE) ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue queue)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!sl_cl_is(device, SL_CL_DEVICE))
        return CL_INVALID_DEVICE;
    (void)queue;
    return CL_INVALID_OPERATION; /* there are no queues on the device */
}
