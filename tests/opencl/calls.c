/* SPDX-License-Identifier: MIT */
/* Calls of OpenCL through its loader, right ones and wrong ones: every entry point that the platform has. Prints a line
 * for each part that does what the specification says, and what does not. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong;

#define IS(got, expected)                                                                                              \
    do {                                                                                                               \
        long long got_ = (long long)(got), expected_ = (long long)(expected);                                          \
        if (got_ != expected_) {                                                                                       \
            printf("line %d: %s is %lld, not %lld\n", __LINE__, #got, got_, expected_);                                \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)
#define OK(call) IS(call, CL_SUCCESS)
/* Of calls that make something and give an error through a pointer. */
#define MAKES(expected, call)                                                                                          \
    do {                                                                                                               \
        cl_int e = 1;                                                                                                  \
        void *made_ = (void *)(call);                                                                                  \
        IS(e, expected);                                                                                               \
        IS(made_ != NULL, (expected) == CL_SUCCESS);                                                                   \
    } while (0)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static const char SOURCE[] =
    "__constant int table[4] = {1, 10, 100, 1000};\n"
    "__kernel void add(__global const int *a, __global int *b, int c) {\n"
    "  b[get_global_id(0)] = a[get_global_id(0)] + c;\n"
    "}\n"
    "__kernel void ids(__global int *o) {\n"
    "  int n = get_global_id(0) - get_global_offset(0);\n"
    "  __global int *p = o + 8 * n;\n"
    "  p[0] = get_global_id(0); p[1] = get_local_id(0); p[2] = get_group_id(0); p[3] = get_local_size(0);\n"
    "  p[4] = get_num_groups(0); p[5] = get_global_size(0); p[6] = get_work_dim(); p[7] = get_global_offset(0);\n"
    "}\n"
    "__kernel void locals(__global int *o, __local int *x, __local float4 *y, __constant int *c) {\n"
    "  __local int own[64];\n"
    "  int i = get_local_id(0);\n"
    "  own[i] = i; x[i] = 2 * i; y[i] = (float4)(3 * i);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  int j = 63 - i;\n"
    "  o[i] = own[j] + x[j] + (int)y[j].z + c[0] + table[i & 3];\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void shaped(__global int *o) {\n"
    "  o[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_id(1) * 8 + get_local_id(0);\n"
    "}\n"
    "__kernel void says(__global int *o) { printf(\"says %d %s %v2f\\n\", o[0], \"it\", (float2)(1, 2)); }\n"
    "__kernel void pixels(read_only image2d_t a, sampler_t s, write_only image2d_t b, __global float4 *o) {\n"
    "  const sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;\n"
    "  o[0] = read_imagef(a, s, (int2)(1, 0));\n"
    "  o[1] = read_imagef(a, s, (int2)(-1, 0));\n"
    "  o[2] = read_imagef(a, repeat, (float2)(1.125f, 0.25f));\n"
    "  o[3] = (float4)(get_image_width(a), get_image_height(a), get_image_width(b), get_image_channel_order(a));\n"
    "  write_imagef(b, (int2)(2, 1), (float4)(1.0f, 0.5f, 0.0f, 1.0f));\n"
    "  write_imagef(b, (int2)(99, 1), (float4)(1.0f));\n"
    "}\n"
    "__kernel void fault(__global int *o) { o[1 << 28] = 1; }\n";

static cl_program build(const char *source, const char *options)
{
    char log[4096];
    cl_int e;
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &e);
    OK(e);
    e = clBuildProgram(p, 1, &device, options, NULL, NULL);
    if (e && !clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL))
        printf("%s\n", log);
    OK(e);
    return p;
}

static cl_mem buffer_of(size_t bytes, const void *data)
{
    cl_int e;
    cl_mem m = clCreateBuffer(context, data ? CL_MEM_COPY_HOST_PTR : 0, bytes, (void *)(uintptr_t)data, &e);
    OK(e);
    return m;
}

static void platforms(void)
{
    char text[4096];
    cl_uint count;
    size_t sizes[3];
    cl_ulong number;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL));
    IS(strcmp(text, "Sluice"), 0);
    IS(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 2, text, NULL), CL_INVALID_VALUE);
    IS(clGetPlatformInfo(platform, 12345, sizeof text, text, NULL), CL_INVALID_VALUE);
    IS(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, &count), CL_DEVICE_NOT_FOUND);
    IS(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clGetDeviceIDs(platform, 1 << 20, 1, &device, NULL), CL_INVALID_DEVICE_TYPE);
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, sizeof text, text, NULL));
    IS(strcmp(text, "v0000-01-01-00"), 0);
    OK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof number, &number, NULL));
    IS(number >= 32768, 1);
    for (cl_device_info what = CL_DEVICE_TYPE; what <= CL_DEVICE_PRINTF_BUFFER_SIZE; what++) {
        size_t size = 0;
        if (what == 0x1002 + 0x38 || what == 0x1034) /* numbers without a meaning */
            continue;
        cl_int e = clGetDeviceInfo(device, what, sizeof text, text, &size);
        if (e != CL_SUCCESS && e != CL_INVALID_VALUE)
            IS(e, CL_SUCCESS);
    }
    IS(clGetDeviceInfo(NULL, CL_DEVICE_NAME, sizeof text, text, NULL), CL_INVALID_DEVICE);
    IS(clGetDeviceInfo(device, CL_DEVICE_NAME, 1, text, NULL), CL_INVALID_VALUE);
    OK(clRetainDevice(device));
    OK(clReleaseDevice(device));
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    IS(clCreateSubDevices(device, equally, 0, NULL, &count), CL_INVALID_VALUE);
    IS(clCreateSubDevices(NULL, equally, 0, NULL, &count), CL_INVALID_DEVICE);
    OK(clUnloadPlatformCompiler(platform));
    OK(clUnloadCompiler());
    IS(clGetExtensionFunctionAddressForPlatform(platform, "clNothing") == NULL, 1);
    puts("platform and device");
}

static void contexts(void)
{
    cl_uint count;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0},
                                strange[] = {4711, 1, 0};
    cl_int e;
    cl_context c = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &e);
    OK(e);
    OK(clRetainContext(c));
    OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    IS(count, 2);
    OK(clReleaseContext(c));
    OK(clReleaseContext(c));
    IS(clReleaseContext(c), CL_INVALID_CONTEXT);
    IS(clReleaseContext(NULL), CL_INVALID_CONTEXT);
    MAKES(CL_INVALID_PROPERTY, clCreateContext(strange, 1, &device, NULL, NULL, &e));
    MAKES(CL_INVALID_VALUE, clCreateContext(NULL, 0, NULL, NULL, NULL, &e));
    cl_command_queue q = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &e);
    OK(e);
    OK(clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL));
    cl_command_queue_properties flags;
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof flags, &flags, NULL));
    IS(flags, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    OK(clRetainCommandQueue(q));
    OK(clReleaseCommandQueue(q));
    OK(clFlush(q));
    OK(clFinish(q));
    OK(clReleaseCommandQueue(q));
    IS(clFinish(q), CL_INVALID_COMMAND_QUEUE);
    MAKES(CL_INVALID_VALUE, clCreateCommandQueue(context, device, 1 << 20, &e));
    MAKES(CL_INVALID_CONTEXT, clCreateCommandQueue(NULL, device, 0, &e));
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0};
    MAKES(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(context, device, on_device, &e));
    puts("contexts and queues");
}

static void buffers(void)
{
    int a[64], b[64], pattern[2] = {7, 8};
    for (int i = 0; i < 64; i++)
        a[i] = i;
    cl_int e;
    cl_mem m = buffer_of(sizeof a, a), n = buffer_of(sizeof a, NULL);
    OK(clEnqueueCopyBuffer(queue, m, n, 0, 128, 128, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, n, pattern, sizeof pattern, 0, 40, 0, NULL, NULL));
    OK(clEnqueueWriteBuffer(queue, n, CL_FALSE, 40, 8, &a[50], 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, n, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        IS(b[i], i < 10 ? 7 + i % 2 : i < 12 ? 40 + i : i < 32 ? b[i] : i - 32);
    IS(clEnqueueReadBuffer(queue, n, CL_TRUE, 200, 100, b, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueReadBuffer(queue, n, CL_TRUE, SIZE_MAX, 2, b, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueReadBuffer(queue, n, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 4, b, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    IS(clEnqueueReadBuffer(queue, n, CL_TRUE, 0, 4, b, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    IS(clEnqueueCopyBuffer(queue, m, m, 0, 4, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    IS(clEnqueueFillBuffer(queue, n, pattern, 3, 0, 3, 0, NULL, NULL), CL_INVALID_VALUE);
    /* 4 rows of 2 numbers in rows of 8 */
    const size_t origin[3] = {8, 1, 0}, zero[3] = {0, 0, 0}, region[3] = {8, 4, 1}, wide[3] = {64, 1, 1};
    OK(clEnqueueReadBufferRect(queue, m, CL_TRUE, origin, zero, region, 32, 0, 0, 0, b, 0, NULL, NULL));
    IS(b[0], 10);
    IS(b[7], 35);
    OK(clEnqueueWriteBufferRect(queue, n, CL_TRUE, zero, zero, region, 8, 0, 0, 0, b, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(queue, n, m, zero, origin, region, 8, 0, 32, 0, 0, NULL, NULL));
    IS(clEnqueueCopyBufferRect(queue, m, m, zero, zero, region, 32, 0, 32, 0, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    IS(clEnqueueReadBufferRect(queue, m, CL_TRUE, zero, zero, wide, 32, 0, 0, 0, b, 0, NULL, NULL), CL_INVALID_VALUE);
    const cl_buffer_region part = {512, 64}, odd = {4, 64}, outside = {512, 9999};
    cl_mem whole = buffer_of(1024, NULL);
    cl_mem sub = clCreateSubBuffer(whole, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &part, &e);
    OK(e);
    MAKES(CL_MISALIGNED_SUB_BUFFER_OFFSET, clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &e));
    MAKES(CL_INVALID_VALUE, clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &e));
    MAKES(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &e));
    OK(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 0, 64, a, 0, NULL, NULL));
    OK(clReleaseMemObject(sub));
    OK(clEnqueueReadBuffer(queue, whole, CL_TRUE, 516, 4, b, 0, NULL, NULL));
    IS(b[0], 1);
    MAKES(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, NULL, &e));
    MAKES(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &e));
    MAKES(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &e));
    MAKES(CL_INVALID_HOST_PTR, clCreateBuffer(context, 0, 4, a, &e));
    OK(clEnqueueMigrateMemObjects(queue, 1, &m, 0, 0, NULL, NULL));
    cl_mem used = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof a, a, &e);
    int *mapped = clEnqueueMapBuffer(queue, used, CL_TRUE, CL_MAP_WRITE, 16, 16, 0, NULL, NULL, &e);
    IS(mapped == a + 4, 1);
    mapped[0] = 99;
    OK(clEnqueueUnmapMemObject(queue, used, mapped, 0, NULL, NULL));
    IS(clEnqueueUnmapMemObject(queue, used, mapped, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clEnqueueReadBuffer(queue, used, CL_TRUE, 16, 4, b, 0, NULL, NULL));
    IS(b[0], 99);
    MAKES(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, used, CL_TRUE, CL_MAP_READ, 250, 16, 0, NULL, NULL, &e));
    OK(clRetainMemObject(m));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(m));
    IS(clReleaseMemObject(m), CL_INVALID_MEM_OBJECT);
    size_t size;
    OK(clGetMemObjectInfo(n, CL_MEM_SIZE, sizeof size, &size, NULL));
    IS(size, sizeof a);
    OK(clReleaseMemObject(n));
    OK(clReleaseMemObject(used));
    OK(clReleaseMemObject(whole));
    puts("buffers");
}

static void programs(void)
{
    char text[4096], *binary;
    size_t size, count;
    cl_int e, status;
    cl_program p = build(SOURCE, "-DX=1 -cl-mad-enable -I \"a folder\"");
    OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    IS(count, 7);
    OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    IS(strcmp(text, "add;ids;locals;shaped;says;pixels;fault"), 0);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    binary = malloc(size);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const unsigned char *bytes = (unsigned char *)binary;
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &status, &e);
    OK(e);
    OK(status);
    OK(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(again, "add", &e);
    OK(e);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(again));
    const unsigned char junk[] = "junk";
    size = sizeof junk;
    bytes = junk;
    MAKES(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &status, &e));
    free(binary);
    const char *bad = "__kernel void f(__global int *a) { a[0] = missing; }";
    cl_program broken = clCreateProgramWithSource(context, 1, &bad, NULL, &e);
    IS(clBuildProgram(broken, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    OK(clGetProgramBuildInfo(broken, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    IS(strstr(text, "undeclared identifier 'missing'") != NULL, 1);
    IS(clBuildProgram(broken, 1, &device, "-cl-nonsense", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    static const char *const cplusplus[] = {"-x clc++", "-cl-std=CLC++", "-cl-std=clc++2021"};
    for (int i = 0; i < 3; i++) {
        char said[100];
        snprintf(said, sizeof said, "build option %s: C++ for OpenCL is not supported", cplusplus[i]);
        IS(clBuildProgram(broken, 1, &device, cplusplus[i], NULL, NULL), CL_INVALID_BUILD_OPTIONS);
        OK(clGetProgramBuildInfo(broken, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
        IS(strstr(text, said) != NULL, 1);
    }
    MAKES(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(broken, "f", &e));
    OK(clReleaseProgram(broken));
    MAKES(CL_INVALID_VALUE, clCreateProgramWithSource(context, 0, NULL, NULL, &e));
    MAKES(CL_INVALID_KERNEL_NAME, clCreateKernel(p, "nothing", &e));
    MAKES(CL_INVALID_VALUE, clCreateKernel(p, NULL, &e));
    k = clCreateKernel(p, "add", &e);
    IS(clBuildProgram(p, 1, &device, "", NULL, NULL), CL_INVALID_OPERATION);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    IS(clReleaseProgram(p), CL_INVALID_PROGRAM);
    /* Two sources and a header, compiled one by one and linked. */
    const char *one = "#include \"part.h\"\nint twice(int x) { return 2 * x + OFFSET; }",
               *two = "int twice(int x); __kernel void g(__global int *a) { a[0] = twice(a[0]); }",
               *head = "#define OFFSET 5\n", *name = "part.h";
    cl_program header = clCreateProgramWithSource(context, 1, &head, NULL, &e), parts[2];
    parts[0] = clCreateProgramWithSource(context, 1, &one, NULL, &e);
    parts[1] = clCreateProgramWithSource(context, 1, &two, NULL, &e);
    OK(clCompileProgram(parts[0], 1, &device, "", 1, &header, &name, NULL, NULL));
    OK(clCompileProgram(parts[1], 1, &device, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &e);
    OK(e);
    int value = 10;
    const size_t items = 1;
    cl_mem m = buffer_of(4, &value);
    k = clCreateKernel(linked, "g", &e);
    OK(e);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    IS(value, 25);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(m));
    OK(clReleaseProgram(linked));
    puts("programs");
}

static void kernels(void)
{
    char text[256];
    cl_int e;
    cl_uint number;
    size_t sizes[3];
    cl_kernel all[7];
    cl_program p = build(SOURCE, "");
    OK(clCreateKernelsInProgram(p, 7, all, &number));
    IS(number, 7);
    IS(clCreateKernelsInProgram(p, 2, all, NULL), CL_INVALID_VALUE);
    OK(clGetKernelInfo(all[0], CL_KERNEL_NUM_ARGS, sizeof number, &number, NULL));
    IS(number, 3);
    OK(clGetKernelArgInfo(all[0], 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    IS(strcmp(text, "int*"), 0);
    OK(clGetKernelArgInfo(all[0], 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    IS(strcmp(text, "a"), 0);
    OK(clGetKernelArgInfo(all[2], 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof number, &number, NULL));
    IS(number, CL_KERNEL_ARG_ADDRESS_LOCAL);
    OK(clGetKernelArgInfo(all[5], 2, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof number, &number, NULL));
    IS(number, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    OK(clGetKernelWorkGroupInfo(all[3], device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL));
    IS(sizes[1], 4);
    OK(clGetKernelInfo(all[3], CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    IS(strcmp(text, "reqd_work_group_size(8,4,1)"), 0);
    int value = 0;
    cl_mem m = buffer_of(256, NULL);
    IS(clSetKernelArg(all[0], 9, sizeof m, &m), CL_INVALID_ARG_INDEX);
    IS(clSetKernelArg(all[0], 0, 4, &m), CL_INVALID_ARG_SIZE);
    IS(clSetKernelArg(all[0], 2, 8, &value), CL_INVALID_ARG_SIZE);
    IS(clSetKernelArg(all[0], 2, 4, NULL), CL_INVALID_ARG_VALUE);
    IS(clSetKernelArg(all[2], 1, 16, &value), CL_INVALID_ARG_VALUE);
    IS(clSetKernelArg(all[2], 1, 0, NULL), CL_INVALID_ARG_SIZE);
    IS(clSetKernelArg(all[5], 1, sizeof m, &m), CL_INVALID_SAMPLER);
    IS(clSetKernelArg(all[5], 0, sizeof m, &m), CL_INVALID_MEM_OBJECT);
    const size_t items = 64, odd = 7, big[2] = {64, 4}, group[2] = {8, 4}, other[2] = {4, 8};
    IS(clEnqueueNDRangeKernel(queue, all[0], 1, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    OK(clSetKernelArg(all[1], 0, sizeof m, &m));
    IS(clEnqueueNDRangeKernel(queue, all[1], 0, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    IS(clEnqueueNDRangeKernel(queue, all[1], 1, NULL, &items, &odd, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    IS(clEnqueueNDRangeKernel(NULL, all[1], 1, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    IS(clEnqueueNDRangeKernel(queue, NULL, 1, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    cl_mem area = buffer_of(1024, NULL);
    OK(clSetKernelArg(all[3], 0, sizeof area, &area));
    OK(clEnqueueNDRangeKernel(queue, all[3], 2, NULL, big, group, 0, NULL, NULL));
    IS(clEnqueueNDRangeKernel(queue, all[3], 2, NULL, big, other, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    int shaped[256];
    OK(clEnqueueReadBuffer(queue, area, CL_TRUE, 0, sizeof shaped, shaped, 0, NULL, NULL));
    IS(shaped[3 * 64 + 9], 25);
    cl_kernel copy = clCloneKernel(all[1], &e);
    OK(e);
    OK(clEnqueueTask(queue, copy, 0, NULL, NULL));
    IS(clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clRetainKernel(copy));
    OK(clReleaseKernel(copy));
    OK(clReleaseKernel(copy));
    IS(clReleaseKernel(copy), CL_INVALID_KERNEL);
    /* local memory by argument, three times */
    int given = 1000, got[64];
    cl_mem out = buffer_of(sizeof got, NULL), constant = buffer_of(4, &given);
    OK(clSetKernelArg(all[2], 0, sizeof out, &out));
    OK(clSetKernelArg(all[2], 1, 64 * 4, NULL));
    OK(clSetKernelArg(all[2], 2, 64 * 16, NULL));
    OK(clSetKernelArg(all[2], 3, sizeof constant, &constant));
    cl_ulong local;
    OK(clGetKernelWorkGroupInfo(all[2], device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    IS(local, 64 * 4 + 64 * 4 + 64 * 16);
    OK(clEnqueueNDRangeKernel(queue, all[2], 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    IS(got[2], 6 * 61 + 1000 + 100);
    OK(clSetKernelArg(all[2], 1, 1 << 20, NULL));
    IS(clEnqueueNDRangeKernel(queue, all[2], 1, NULL, &items, &items, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    OK(clSetKernelArg(all[4], 0, sizeof constant, &constant));
    OK(clEnqueueTask(queue, all[4], 0, NULL, NULL));
    OK(clFinish(queue));
    for (int i = 0; i < 7; i++)
        OK(clReleaseKernel(all[i]));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(out));
    OK(clReleaseProgram(p));
    puts("kernels");
}

/* Ranges with an offset and groups of different sizes. */
static void ranges(void)
{
    int got[100][8];
    cl_int e;
    cl_program p = build(SOURCE, "-cl-std=CL3.0");
    cl_kernel k = clCreateKernel(p, "ids", &e);
    cl_mem m = buffer_of(sizeof got, NULL);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    const size_t offset = 1000, items = 100, group = 32;
    OK(clEnqueueNDRangeKernel(queue, k, 1, &offset, &items, &group, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 100; i++) {
        const int expected[8] = {1000 + i, i % 32, i / 32, i < 96 ? 32 : 4, 4, 100, 1, 1000};
        for (int f = 0; f < 8; f++)
            IS(got[i][f], expected[f]);
    }
    const size_t even = 64;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &even, &group, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    IS(got[40][0], 40);
    IS(got[40][6], 1);
    const size_t last = SIZE_MAX;
    IS(clEnqueueNDRangeKernel(queue, k, 1, &last, &items, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_OFFSET);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseMemObject(m));
    puts("ranges");
}

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data)
{
    (void)event;
    *(int *)data += status == CL_COMPLETE ? 1 : 100;
}

static void *set_later(void *event)
{
    usleep(20000);
    clSetUserEventStatus(event, CL_COMPLETE);
    return NULL;
}

static void events(void)
{
    int a = 1, b = 0, calls = 0;
    cl_int e, status;
    cl_mem m = buffer_of(4, &a);
    cl_event user = clCreateUserEvent(context, &e), read, marker;
    OK(e);
    OK(clEnqueueReadBuffer(queue, m, CL_FALSE, 0, 4, &b, 1, &user, &read));
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    OK(clSetEventCallback(read, CL_COMPLETE, count_call, &calls));
    OK(clGetEventInfo(read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    IS(status > CL_COMPLETE, 1);
    IS(b, 0);
    cl_ulong time;
    IS(clGetEventProfilingInfo(read, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    IS(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    IS(b, 1);
    IS(calls, 1);
    OK(clWaitForEvents(1, &marker));
    cl_ulong start, end;
    OK(clGetEventProfilingInfo(read, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    OK(clGetEventProfilingInfo(read, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    IS(end > start, 1);
    OK(clRetainEvent(read));
    OK(clReleaseEvent(read));
    OK(clReleaseEvent(read));
    IS(clReleaseEvent(read), CL_INVALID_EVENT);
    IS(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    IS(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
    /* a failed event fails what waits for it */
    cl_event failing = clCreateUserEvent(context, &e), after;
    OK(clEnqueueBarrierWithWaitList(queue, 1, &failing, &after));
    OK(clSetUserEventStatus(failing, -1));
    IS(clWaitForEvents(1, &after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    /* another thread sets what this one waits for */
    pthread_t thread;
    cl_event late = clCreateUserEvent(context, &e);
    pthread_create(&thread, NULL, set_later, late);
    OK(clEnqueueWaitForEvents(queue, 1, &late));
    OK(clFinish(queue));
    pthread_join(thread, NULL);
    OK(clEnqueueBarrier(queue));
    OK(clEnqueueMarker(queue, &after));
    IS(clEnqueueMarker(queue, NULL), CL_INVALID_VALUE);
    OK(clReleaseMemObject(m));
    puts("events");
}

static void images(void)
{
    /* 4 x 2, BGRA: blue, green, red, alpha */
    unsigned char texels[2][4][4] = {{{0, 0, 255, 255}, {255, 0, 0, 51}, {0, 255, 0, 0}}}, back[2][4][4];
    const cl_image_format bgra = {CL_BGRA, CL_UNORM_INT8}, none = {CL_RGB, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2},
                        flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4};
    const size_t origin[3] = {0, 0, 0}, whole[3] = {4, 2, 1}, outside[3] = {5, 1, 1}, at[3] = {2, 1, 0},
                 one[3] = {1, 1, 1}, items = 1;
    cl_int e;
    cl_uint count;
    float got[4][4];
    cl_mem a = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &bgra, &desc, texels, &e);
    OK(e);
    cl_mem b = clCreateImage2D(context, CL_MEM_WRITE_ONLY, &bgra, 4, 2, 0, NULL, &e), o = buffer_of(sizeof got, NULL);
    OK(e);
    MAKES(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage(context, 0, &none, &desc, NULL, &e));
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &bgra, &flat, NULL, &e));
    MAKES(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &bgra, NULL, NULL, &e));
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    IS(count > 40, 1);
    cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &e);
    OK(e);
    MAKES(CL_INVALID_VALUE, clCreateSampler(context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &e));
    const cl_sampler_properties linear[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_sampler t = clCreateSamplerWithProperties(context, linear, &e);
    OK(e);
    OK(clRetainSampler(t));
    OK(clReleaseSampler(t));
    OK(clReleaseSampler(t));
    IS(clReleaseSampler(t), CL_INVALID_SAMPLER);
    cl_bool normalized;
    OK(clGetSamplerInfo(s, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
    IS(normalized, CL_FALSE);
    cl_program p = build(SOURCE, "");
    cl_kernel k = clCreateKernel(p, "pixels", &e);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof s, &s));
    OK(clSetKernelArg(k, 2, sizeof b, &b));
    OK(clSetKernelArg(k, 3, sizeof o, &o));
    IS(clSetKernelArg(k, 2, sizeof a, &a), CL_INVALID_ARG_VALUE);
    OK(clEnqueueFillImage(queue, b, (float[]){0, 0, 1, 0}, origin, whole, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, o, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    const int expected[4][4] = {
        {0, 0, 1000, 200}, {0, 0, 0, 0}, {1000, 0, 0, 1000}, {4000, 2000, 4000, CL_BGRA * 1000}};
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 4; c++)
            IS(got[i][c] * 1000 + 0.5f, expected[i][c]);
    OK(clEnqueueReadImage(queue, b, CL_TRUE, origin, whole, 0, 0, back, 0, NULL, NULL));
    IS(memcmp(back[1][2], (unsigned char[]){0, 128, 255, 255}, 4), 0);
    IS(memcmp(back[0][3], (unsigned char[]){255, 0, 0, 0}, 4), 0);
    IS(clEnqueueReadImage(queue, b, CL_TRUE, origin, outside, 0, 0, back, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clEnqueueWriteImage(queue, b, CL_TRUE, at, one, 0, 0, texels, 0, NULL, NULL));
    OK(clEnqueueCopyImage(queue, a, b, origin, origin, one, 0, NULL, NULL));
    IS(clEnqueueCopyImage(queue, b, b, origin, origin, one, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    OK(clEnqueueCopyImageToBuffer(queue, b, o, origin, whole, 0, 0, NULL, NULL));
    OK(clEnqueueCopyBufferToImage(queue, o, b, 4, origin, one, 0, NULL, NULL));
    size_t row = 0, width;
    unsigned char *mapped =
        clEnqueueMapImage(queue, b, CL_TRUE, CL_MAP_READ, origin, whole, &row, NULL, 0, NULL, NULL, &e);
    OK(e);
    IS(row >= 16 && mapped[row + 8] == 0 && mapped[row + 10] == 255, 1);
    OK(clEnqueueUnmapMemObject(queue, b, mapped, 0, NULL, NULL));
    OK(clGetImageInfo(b, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
    IS(width, 4);
    cl_mem volume = clCreateImage3D(context, 0, &bgra, 4, 4, 4, 0, 0, NULL, &e);
    OK(e);
    OK(clReleaseMemObject(volume));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseSampler(s));
    puts("images");
}

/* Objects of the program's memory: what it writes there without mapping, kernels read, and the other way round. */
static void host_memory(void)
{
    static int in[64], out[64];
    const size_t items = 64, half = 32;
    cl_int e;
    cl_program p = build(SOURCE, "");
    cl_kernel k = clCreateKernel(p, "add", &e);
    cl_mem a = clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, sizeof in, in, &e);
    OK(e);
    cl_mem b = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof out, out, &e);
    OK(e);
    const int ten = 10, seven = 7;
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof b, &b));
    OK(clSetKernelArg(k, 2, sizeof ten, &ten));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 64; i++)
            in[i] = 100 * round + i;
        OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(clFinish(queue));
        for (int i = 0; i < 64; i++)
            IS(out[i], 100 * round + i + 10);
    }
    OK(clEnqueueFillBuffer(queue, b, &seven, sizeof seven, 0, 16, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, a, b, 0, 16, 4, 0, NULL, NULL));
    OK(clFinish(queue));
    IS(out[3], 7);
    IS(out[4], 200);
    /* a sub-buffer, and a second buffer of the same memory */
    const cl_buffer_region region = {0, 128};
    cl_mem part = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
    OK(e);
    cl_mem same = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof in, out, &e);
    OK(e);
    for (int i = 0; i < 64; i++)
        out[i] = -i;
    OK(clSetKernelArg(k, 0, sizeof same, &same));
    OK(clSetKernelArg(k, 1, sizeof part, &part));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &half, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    IS(out[31], -31 + 10);
    IS(out[32], -32);
    const size_t none = 0;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &none, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(same));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    puts("host memory");
}

/* The same of an image. */
static void host_image(void)
{
    static unsigned char from[2][4][4], to[2][4][4];
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2, .image_row_pitch = 16};
    const size_t one = 1;
    cl_int e;
    float got[4][4];
    cl_program p = build(SOURCE, "");
    cl_kernel k = clCreateKernel(p, "pixels", &e);
    cl_mem a = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, &rgba, &desc, from, &e);
    OK(e);
    cl_mem b = clCreateImage(context, CL_MEM_USE_HOST_PTR, &rgba, &desc, to, &e), o = buffer_of(sizeof got, NULL);
    OK(e);
    cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &e);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof s, &s));
    OK(clSetKernelArg(k, 2, sizeof b, &b));
    OK(clSetKernelArg(k, 3, sizeof o, &o));
    memset(from[0][1], 255, 4);
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, o, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    IS(got[0][0] * 1000, 1000);
    IS(memcmp(to[1][2], (unsigned char[]){255, 128, 0, 255}, 4), 0);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(o));
    OK(clReleaseSampler(s));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    puts("host image");
}

static void unsupported(void)
{
    int x = 0;
    IS(clSVMAlloc(context, 0, 64, 0) == NULL, 1);
    IS(clEnqueueSVMMemcpy(queue, CL_TRUE, &x, &x, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    MAKES(CL_INVALID_OPERATION, clCreatePipe(context, 0, 4, 4, NULL, &e));
    MAKES(CL_INVALID_OPERATION, clCreateProgramWithIL(context, &x, 4, &e));
    MAKES(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, "x", &e));
    puts("unsupported calls");
}

/* A kernel that faults breaks the context. */
static void faults(void)
{
    cl_int e, status = 1;
    const size_t items = 32;
    cl_program p = build(SOURCE, "");
    cl_kernel k = clCreateKernel(p, "fault", &e);
    cl_mem m = buffer_of(64, NULL);
    cl_event event = NULL;
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    IS(status < 0, 1);
    IS(clFinish(queue), CL_OUT_OF_RESOURCES);
    OK(clReleaseMemObject(m));
    puts("faults");
}

int main(void)
{
    cl_uint count = 0;
    cl_int e;
    IS(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
    OK(clGetPlatformIDs(1, &platform, &count));
    IS(count, 1);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    OK(e);
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    queue = clCreateCommandQueueWithProperties(context, device, profiling, &e);
    OK(e);
    platforms();
    contexts();
    buffers();
    programs();
    kernels();
    ranges();
    events();
    images();
    host_memory();
    host_image();
    unsupported();
    faults();
    return wrong != 0;
}
