/* SPDX-License-Identifier: MIT */
/* Kernels, their arguments, and questions about both. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

static void free_values(cl_kernel k)
{
    for (size_t i = 0; k->value && i < k->facts->args.count; i++)
        free(k->value[i].bytes);
    free(k->value);
    free(k->param_offset);
    free(k->param_bytes);
}

void sl_cl_kernel_fini(sl_proc *rt, cl_kernel kernel)
{
    free_values(kernel);
    if (kernel->program) {
        kernel->program->attached--;
        sl_cl_unuse(rt, kernel->program);
    }
}

/* ---- making ---- */

cl_int sl_cl_kernel_function(sl_proc *rt, cl_kernel k, sl_cl_variant variant, sl_proc_function **function)
{
    sl_proc_function_facts facts;
    if (!k->function[variant]) {
        cl_int error = sl_cl_program_load(rt, k->program, variant);
        if (error)
            return error;
        if (sl_proc_binary_function(rt, k->program->binary[variant], k->facts->name, &k->function[variant]) ||
            sl_proc_function_describe(rt, k->function[variant], &facts)) {
            k->function[variant] = NULL;
            return CL_INVALID_KERNEL_DEFINITION;
        }
    }
    *function = k->function[variant];
    return CL_SUCCESS;
}

static cl_int find_params(sl_proc *rt, cl_kernel k, sl_proc_function *function)
{
    size_t count = k->facts->args.count;
    k->value = calloc(count + 1, sizeof *k->value);
    k->param_offset = calloc(count + 1, sizeof *k->param_offset);
    k->param_bytes = calloc(count + 1, sizeof *k->param_bytes);
    if (!k->value || !k->param_offset || !k->param_bytes)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (sl_proc_function_param(rt, function, i, &k->param_offset[i], &k->param_bytes[i]))
            return CL_INVALID_KERNEL_DEFINITION;
    return CL_SUCCESS;
}

static cl_int create(sl_proc *rt, cl_program p, const sl_cl_kernel_facts *facts, cl_kernel *made)
{
    sl_proc_function *function;
    cl_kernel k = sl_cl_new(SL_CL_KERNEL);
    if (!k)
        return CL_OUT_OF_HOST_MEMORY;
    k->program = p;
    k->facts = facts;
    p->attached++;
    sl_cl_use(p);
    cl_int error = sl_cl_kernel_function(rt, k, SL_CL_PLAIN, &function);
    if (!error)
        error = find_params(rt, k, function);
    if (error)
        sl_cl_release(rt, k, SL_CL_KERNEL, error);
    else
        *made = k;
    return error;
}

static cl_int check_program(cl_program p)
{
    if (!sl_cl_is(p, SL_CL_PROGRAM))
        return CL_INVALID_PROGRAM;
    return p->status == CL_BUILD_SUCCESS && p->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE
               ? CL_SUCCESS
               : CL_INVALID_PROGRAM_EXECUTABLE;
}

static cl_int create_named(sl_proc *rt, cl_program p, const char *name, cl_kernel *made)
{
    cl_int error = check_program(p);
    if (error || !name)
        return error ? error : CL_INVALID_VALUE;
    for (size_t i = 0; i < p->kernels.count; i++)
        if (!strcmp(p->kernels.items[i].name, name))
            return create(rt, p, &p->kernels.items[i], made);
    return CL_INVALID_KERNEL_NAME;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    SL_CL_MAKE(cl_kernel, error, create_named(rt, program, name, &made));
}

static cl_int create_all(sl_proc *rt, cl_program p, cl_uint room, cl_kernel *kernels, cl_uint *count)
{
    cl_int error = check_program(p);
    if (error)
        return error;
    if (kernels && room < p->kernels.count)
        return CL_INVALID_VALUE;
    size_t i = 0;
    for (; kernels && !error && i < p->kernels.count; i++)
        error = create(rt, p, &p->kernels.items[i], &kernels[i]);
    if (error) { /* the last one failed */
        for (i--; i-- > 0;)
            sl_cl_release(rt, kernels[i], SL_CL_KERNEL, error);
        return error;
    }
    if (count)
        *count = (cl_uint)p->kernels.count;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels,
                                                         cl_uint *count)
{
    SL_CL_CALL(create_all(rt, program, room, kernels, count));
}

static cl_int copy_value(const sl_cl_value *from, sl_cl_value *to, size_t bytes)
{
    *to = *from;
    if (!from->bytes)
        return CL_SUCCESS;
    to->bytes = malloc(bytes);
    if (!to->bytes)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(to->bytes, from->bytes, bytes);
    return CL_SUCCESS;
}

static cl_int clone(sl_proc *rt, cl_kernel from, cl_kernel *made)
{
    if (!sl_cl_is(from, SL_CL_KERNEL))
        return CL_INVALID_KERNEL;
    cl_int error = create(rt, from->program, from->facts, made);
    for (size_t i = 0; !error && i < from->facts->args.count; i++)
        error = copy_value(&from->value[i], &(*made)->value[i], from->param_bytes[i]);
    if (error && *made)
        sl_cl_release(rt, *made, SL_CL_KERNEL, error);
    return error;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel kernel, cl_int *error)
{
    SL_CL_MAKE(cl_kernel, error, clone(rt, kernel, &made));
}

CL_API_ENTRY cl_int CL_API_CALL clRetainKernel(cl_kernel kernel)
{
    SL_CL_CALL(sl_cl_retain(kernel, SL_CL_KERNEL, CL_INVALID_KERNEL));
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    SL_CL_CALL(sl_cl_release(rt, kernel, SL_CL_KERNEL, CL_INVALID_KERNEL));
}

/* ---- arguments ---- */

static cl_int set_mem(cl_kernel k, const sl_cl_arg *arg, const void *from, size_t bytes, sl_cl_value *v)
{
    bool image = arg->kind == SL_CL_ARG_IMAGE;
    cl_mem mem = NULL;
    if (bytes != sizeof mem)
        return CL_INVALID_ARG_SIZE;
    if (from)
        memcpy(&mem, from, sizeof mem);
    if (!mem && image)
        return CL_INVALID_MEM_OBJECT;
    if (mem && !(image ? sl_cl_is_image(mem) : sl_cl_is_buffer(mem)))
        return CL_INVALID_MEM_OBJECT;
    if (mem && mem->context != k->program->context)
        return CL_INVALID_MEM_OBJECT;
    if (image && ((arg->access == CL_KERNEL_ARG_ACCESS_READ_ONLY && mem->flags & CL_MEM_WRITE_ONLY) ||
                  (arg->access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY && mem->flags & CL_MEM_READ_ONLY)))
        return CL_INVALID_ARG_VALUE;
    v->mem = mem;
    return CL_SUCCESS;
}

static cl_int set_sampler(const void *from, size_t bytes, sl_cl_value *v)
{
    cl_sampler sampler = NULL;
    if (bytes != sizeof sampler)
        return CL_INVALID_ARG_SIZE;
    if (from)
        memcpy(&sampler, from, sizeof sampler);
    if (!sl_cl_is(sampler, SL_CL_SAMPLER))
        return CL_INVALID_SAMPLER;
    v->sampler = sampler;
    return CL_SUCCESS;
}

static cl_int set_value(size_t expected, const void *from, size_t bytes, sl_cl_value *v)
{
    if (bytes != expected)
        return CL_INVALID_ARG_SIZE;
    if (!from)
        return CL_INVALID_ARG_VALUE;
    if (!v->bytes && !(v->bytes = malloc(bytes ? bytes : 1)))
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(v->bytes, from, bytes);
    return CL_SUCCESS;
}

static cl_int set_arg(cl_kernel k, cl_uint index, size_t bytes, const void *from)
{
    if (!sl_cl_is(k, SL_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= k->facts->args.count)
        return CL_INVALID_ARG_INDEX;
    const sl_cl_arg *arg = &k->facts->args.items[index];
    sl_cl_value *v = &k->value[index];
    cl_int error = CL_INVALID_ARG_VALUE;
    switch (arg->kind) {
    case SL_CL_ARG_LOCAL:
        error = from ? CL_INVALID_ARG_VALUE : bytes ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
        if (!error)
            v->local_bytes = bytes;
        break;
    case SL_CL_ARG_GLOBAL:
    case SL_CL_ARG_CONSTANT:
    case SL_CL_ARG_IMAGE:
        error = set_mem(k, arg, from, bytes, v);
        break;
    case SL_CL_ARG_SAMPLER:
        error = set_sampler(from, bytes, v);
        break;
    case SL_CL_ARG_VALUE:
        error = set_value(k->param_bytes[index], from, bytes, v);
        break;
    case SL_CL_ARG_OTHER:
        break;
    }
    v->set |= !error;
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    SL_CL_CALL((void)rt, set_arg(kernel, index, bytes, value));
}

/* ---- questions ---- */

static cl_int kernel_info(cl_kernel k, cl_kernel_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(k, SL_CL_KERNEL))
        return CL_INVALID_KERNEL;
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
        return sl_cl_give_text(to, k->facts->name);
    case CL_KERNEL_NUM_ARGS:
        return SL_CL_GIVE(to, cl_uint, (cl_uint)k->facts->args.count);
    case CL_KERNEL_REFERENCE_COUNT:
        return SL_CL_GIVE(to, cl_uint, k->object.references);
    case CL_KERNEL_CONTEXT:
        return SL_CL_GIVE(to, cl_context, k->program->context);
    case CL_KERNEL_PROGRAM:
        return SL_CL_GIVE(to, cl_program, k->program);
    case CL_KERNEL_ATTRIBUTES:
        return sl_cl_give_text(to, k->facts->attributes);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t room, void *value,
                                                size_t *size)
{
    SL_CL_CALL((void)rt, kernel_info(kernel, what, &(sl_cl_answer){room, value, size}));
}

static cl_int arg_info(cl_kernel k, cl_uint index, cl_kernel_arg_info what, const sl_cl_answer *to)
{
    static const cl_kernel_arg_address_qualifier SPACE[] = {
        [SL_CL_ARG_VALUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,     [SL_CL_ARG_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [SL_CL_ARG_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT, [SL_CL_ARG_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
        [SL_CL_ARG_IMAGE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,      [SL_CL_ARG_SAMPLER] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
        [SL_CL_ARG_OTHER] = CL_KERNEL_ARG_ADDRESS_PRIVATE};
    if (!sl_cl_is(k, SL_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= k->facts->args.count)
        return CL_INVALID_ARG_INDEX;
    const sl_cl_arg *arg = &k->facts->args.items[index];
    if (!k->facts->described || !arg->type || !arg->name)
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return SL_CL_GIVE(to, cl_kernel_arg_address_qualifier, SPACE[arg->kind]);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return SL_CL_GIVE(to, cl_kernel_arg_access_qualifier, arg->access);
    case CL_KERNEL_ARG_TYPE_NAME:
        return sl_cl_give_text(to, arg->type);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return SL_CL_GIVE(to, cl_kernel_arg_type_qualifier, arg->qualifier);
    case CL_KERNEL_ARG_NAME:
        return sl_cl_give_text(to, arg->name);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what,
                                                   size_t room, void *value, size_t *size)
{
    SL_CL_CALL((void)rt, arg_info(kernel, index, what, &(sl_cl_answer){room, value, size}));
}

uint64_t sl_cl_kernel_local(const sl_proc_function_facts *facts, cl_kernel k)
{
    uint64_t bytes = facts->static_shared;
    for (size_t i = 0; i < k->facts->args.count; i++)
        if (k->facts->args.items[i].kind == SL_CL_ARG_LOCAL)
            bytes = sl_cl_local_round(bytes) + k->value[i].local_bytes;
    return bytes;
}

static cl_int group_info(sl_proc *rt, cl_kernel k, cl_device_id device, cl_kernel_work_group_info what,
                         const sl_cl_answer *to)
{
    uint32_t most;
    sl_proc_function *function;
    sl_proc_function_facts f;
    if (!sl_cl_is(k, SL_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (device && !sl_cl_is(device, SL_CL_DEVICE))
        return CL_INVALID_DEVICE;
    cl_int error = sl_cl_kernel_function(rt, k, SL_CL_PLAIN, &function);
    if (error || sl_proc_function_describe(rt, function, &f))
        return error ? error : CL_OUT_OF_RESOURCES;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        most = sl_cl_limits(rt).max_threads_per_block;
        return SL_CL_GIVE(to, size_t, f.max_threads < most ? f.max_threads : most);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return sl_cl_give(to, k->facts->required, sizeof k->facts->required);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return SL_CL_GIVE(to, cl_ulong, sl_cl_kernel_local(&f, k));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return SL_CL_GIVE(to, size_t, sl_cl_lanes(rt));
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return SL_CL_GIVE(to, cl_ulong, f.local_bytes);
    case CL_KERNEL_GLOBAL_WORK_SIZE: /* of built-in kernels: there are none */
        return CL_INVALID_VALUE;
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info what, size_t room, void *value,
                                                         size_t *size)
{
    SL_CL_CALL(group_info(rt, kernel, device, what, &(sl_cl_answer){room, value, size}));
}
