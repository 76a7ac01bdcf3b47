/* SPDX-License-Identifier: MIT */
/* Launches the kernel of a source file as add.cu does its own, and says what the device is. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>

int main(int count, char **argument)
{
    enum { N = 8192 };
    static char text[1 << 16], name[128], log[1 << 14];
    const char *source = text;
    const int n = N - 5, zero = 0;
    const size_t items = N, group = 256;
    size_t wavefront = 0;
    cl_uint units = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_mem m[3];
    FILE *file = count > 1 ? fopen(argument[1], "r") : NULL;
    if (!file || !fread(text, 1, sizeof text - 1, file))
        return 2;
    fclose(file);
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL))
        return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_int failed = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (failed) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("build failed with %d: %s", failed, log);
        return 4;
    }
    cl_kernel kernel = clCreateKernel(program, "add", NULL);
    for (int i = 0; i < 3; i++) {
        size_t bytes = (i == 1 ? 3 : 1) * N * 4;
        m[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
        clEnqueueFillBuffer(queue, m[i], &zero, 4, 0, bytes, 0, NULL, NULL);
        clSetKernelArg(kernel, (cl_uint)i, sizeof m[i], &m[i]);
    }
    clSetKernelArg(kernel, 3, sizeof n, &n);
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL) || clFinish(queue))
        return 5;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof wavefront, &wavefront,
                             NULL);
    printf("%s, %u units, wavefronts of %zu\n", name, units, wavefront);
    return 0;
}
