/* SPDX-License-Identifier: MIT */
/* Launches. A range of work-items is one launch of the device, where groups are of one size and ids start at 0. All
 * others are several: groups of each size apart, as many as a grid may have, with a constant that says which part of
 * the range a launch is (builtins.cl). */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

/* The work-items of an enqueued kernel. */
typedef struct range {
    cl_uint dims;
    size_t offset[3], global[3], local[3];
    bool uneven; /* the last groups may be smaller */
} range;

/* Groups of one dimension that a launch has. */
typedef struct part {
    uint64_t first; /* group */
    uint32_t groups, local;
} part;

typedef SL_ARRAY(part) parts;

/* ---- the range ---- */

/* A size for groups where the program leaves it to us: that divides the range, of at most MAX_CHOSEN work-items. */
static void choose_local(const sl_cl_kernel_facts *k, range *r, size_t most)
{
    enum { MAX_CHOSEN = 256 };
    size_t room = most < MAX_CHOSEN ? most : MAX_CHOSEN;
    for (cl_uint d = 0; d < 3; d++) {
        size_t size = r->global[d] < room ? r->global[d] : room;
        while (size > 1 && r->global[d] % size)
            size--;
        r->local[d] = k->required[0] ? k->required[d] : size;
        room /= size ? size : 1;
    }
}

static cl_int check_local(sl_proc *rt, const sl_cl_kernel_facts *k, const range *r, size_t most)
{
    const sl_gpu_limits limits = sl_cl_limits(rt);
    size_t items = 1;
    for (cl_uint d = 0; d < 3; d++) {
        if (!r->local[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        if (r->local[d] > limits.max_block[d])
            return CL_INVALID_WORK_ITEM_SIZE;
        if (k->required[0] && k->required[d] != r->local[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        if (r->global[d] % r->local[d] && !r->uneven)
            return CL_INVALID_WORK_GROUP_SIZE;
        items *= r->local[d];
    }
    return items > most ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static cl_int read_range(sl_proc *rt, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                         const size_t *local, range *r)
{
    sl_proc_function *function;
    sl_proc_function_facts facts;
    const char *options = k->program->options;
    if (dims < 1 || dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    *r = (range){.dims = dims, .uneven = options && (strstr(options, "-cl-std=CL2") || strstr(options, "-cl-std=CL3"))};
    if (r->uneven && strstr(options, "-cl-uniform-work-group-size"))
        r->uneven = false;
    for (cl_uint d = 0; d < 3; d++) {
        r->global[d] = d >= dims ? 1 : global ? global[d] : 0;
        r->offset[d] = d < dims && offset ? offset[d] : 0;
        r->local[d] = d < dims && local ? local[d] : 1;
        size_t end;
        if (__builtin_add_overflow(r->global[d], r->offset[d], &end))
            return CL_INVALID_GLOBAL_OFFSET;
    }
    cl_int error = sl_cl_kernel_function(rt, k, SL_CL_PLAIN, &function);
    if (error || sl_proc_function_describe(rt, function, &facts))
        return error ? error : CL_OUT_OF_RESOURCES;
    if (facts.max_threads > sl_cl_limits(rt).max_threads_per_block)
        facts.max_threads = sl_cl_limits(rt).max_threads_per_block;
    if (!r->global[0] || !r->global[1] || !r->global[2]) /* nothing to do */
        return CL_SUCCESS;
    if (!local)
        choose_local(k->facts, r, facts.max_threads);
    return check_local(rt, k->facts, r, facts.max_threads);
}

/* One dimension as parts, each a grid's size at most; the last one is the smaller group, if there is one. */
static bool split(size_t global, size_t local, uint32_t most, parts *to)
{
    uint64_t whole = global / local;
    to->count = 0;
    for (uint64_t first = 0; first < whole; first += most) {
        uint64_t left = whole - first;
        if (!sl_array_push(to, (part){first, left < most ? (uint32_t)left : most, (uint32_t)local}))
            return false;
    }
    return !(global % local) || sl_array_push(to, (part){whole, 1, (uint32_t)(global % local)});
}

/* ---- arguments ---- */

/* The block of parameters, malloc'ed. */
static cl_int pack(cl_kernel k, const sl_proc_function_facts *facts, void **block, size_t *bytes, uint64_t *local)
{
    *bytes = 0;
    for (size_t i = 0; i < k->facts->args.count; i++) {
        if (!k->value[i].set)
            return CL_INVALID_KERNEL_ARGS;
        if (*bytes < k->param_offset[i] + k->param_bytes[i])
            *bytes = k->param_offset[i] + k->param_bytes[i];
    }
    char *packed = calloc(1, *bytes + 8);
    if (!packed)
        return CL_OUT_OF_HOST_MEMORY;
    uint64_t shared = facts->static_shared;
    for (size_t i = 0; i < k->facts->args.count; i++) {
        const sl_cl_value *v = &k->value[i];
        char *to = packed + k->param_offset[i];
        uint64_t word = 0;
        switch (k->facts->args.items[i].kind) {
        case SL_CL_ARG_LOCAL:
            word = shared = sl_cl_local_round(shared);
            shared += v->local_bytes;
            break;
        case SL_CL_ARG_SAMPLER:
            word = sl_cl_sampler_bits(v->sampler);
            break;
        case SL_CL_ARG_IMAGE:
            word = sl_cl_image_handle(v->mem, k->facts->args.items[i].access);
            break;
        case SL_CL_ARG_GLOBAL:
        case SL_CL_ARG_CONSTANT:
        case SL_CL_ARG_VALUE:
        case SL_CL_ARG_OTHER:
            word = v->mem ? (uintptr_t)v->mem->data : 0;
            break;
        }
        if (k->facts->args.items[i].kind == SL_CL_ARG_VALUE)
            memcpy(to, v->bytes, k->param_bytes[i]);
        else
            memcpy(to, &word, k->param_bytes[i] < 8 ? k->param_bytes[i] : 8);
    }
    *block = packed;
    *local = shared > facts->static_shared ? shared - sl_cl_local_round(facts->static_shared) : 0;
    return CL_SUCCESS;
}

/* ---- launches ---- */

typedef struct launch {
    cl_kernel kernel;
    cl_event command;
    sl_proc_function *function;
    sl_cl_variant variant;
    sl_proc_config config;
    const range *range;
    sl_cl_ndrange *next; /* the next element of what the command keeps */
    void *constant;      /* where kernels read it; NULL: they do not */
} launch;

static cl_int refusal_or(cudaError_t error)
{
    return !error                                   ? CL_SUCCESS
           : error == cudaErrorInvalidConfiguration ? CL_INVALID_WORK_GROUP_SIZE
           : error == cudaErrorMemoryAllocation     ? CL_OUT_OF_HOST_MEMORY
                                                    : CL_OUT_OF_RESOURCES;
}

static cl_int add_launch(sl_proc *rt, launch *l, const part *p[3])
{
    sl_proc_op op;
    const range *r = l->range;
    cl_int error = CL_SUCCESS;
    if (l->constant) {
        sl_cl_ndrange *t = l->next++;
        *t = (sl_cl_ndrange){.dims = r->dims};
        for (int d = 0; d < 3; d++) {
            t->offset[d] = r->offset[d];
            t->global[d] = r->global[d];
            t->base[d] = r->offset[d] + p[d]->first * r->local[d];
            t->group[d] = (uint32_t)p[d]->first;
            t->groups[d] = (uint32_t)((r->global[d] + r->local[d] - 1) / r->local[d]);
            t->local[d] = (uint32_t)r->local[d];
        }
        op = (sl_proc_op){.kind = SL_PROC_COPY,
                          .copy = {.dst = l->constant,
                                   .src = (const char *)t,
                                   .width = sizeof *t,
                                   .height = 1,
                                   .depth = 1,
                                   .kind = cudaMemcpyHostToDevice}};
        error = sl_cl_command_add(rt, l->command, &op);
    }
    l->config.grid = (dim3){p[0]->groups, p[1]->groups, p[2]->groups};
    l->config.block = (dim3){p[0]->local, p[1]->local, p[2]->local};
    if (!error)
        error = refusal_or(sl_proc_launch_make(rt, &l->config, &op));
    return error ? error : sl_cl_command_add(rt, l->command, &op);
}

/* Whether the device's own numbers are those of the work-items. */
static bool is_plain(const range *r, const parts p[3])
{
    bool plain = true;
    for (int d = 0; d < 3; d++)
        plain &= !r->offset[d] && p[d].count <= 1 && r->global[d] <= INT32_MAX;
    return plain;
}

static cl_int add_launches(sl_proc *rt, launch *l, const parts p[3])
{
    static const char CONSTANT[] = "sluice_ndrange";
    size_t count = p[0].count * p[1].count * p[2].count, bytes;
    void *constant;
    sl_proc_binary *binary = l->kernel->program->binary[l->variant];
    if (!sl_proc_library_variable(rt, &constant, &bytes, binary, CONSTANT) && bytes >= sizeof(sl_cl_ndrange)) {
        l->constant = constant;
        l->next = l->command->data = calloc(count, sizeof *l->next);
        if (!l->next)
            return CL_OUT_OF_HOST_MEMORY;
    }
    cl_int error = CL_SUCCESS;
    for (size_t z = 0; z < p[2].count; z++)
        for (size_t y = 0; y < p[1].count; y++)
            for (size_t x = 0; !error && x < p[0].count; x++) {
                const part *here[3] = {&p[0].items[x], &p[1].items[y], &p[2].items[z]};
                error = add_launch(rt, l, here);
            }
    return error;
}

/* What a command needs until it has run. */
static cl_int use_arguments(cl_event command, cl_kernel k)
{
    cl_int error = sl_cl_command_use(command, k);
    for (size_t i = 0; !error && i < k->facts->args.count; i++)
        if (k->value[i].mem)
            error = sl_cl_command_use(command, k->value[i].mem);
    return error;
}

static cl_int fill(sl_proc *rt, cl_event command, cl_kernel k, const range *r)
{
    enum { MAX_LAUNCHES = 1 << 20 };
    parts p[3] = {0};
    sl_proc_function_facts facts;
    const uint32_t *most = sl_proc_limits(rt)->max_grid;
    launch l = {.kernel = k, .command = command, .range = r};
    void *block = NULL;
    size_t bytes;
    uint64_t local;
    cl_int error = use_arguments(command, k);
    for (int d = 0; !error && d < 3; d++)
        if (!split(r->global[d], r->local[d], most[d], &p[d]))
            error = CL_OUT_OF_HOST_MEMORY;
    if (!error && (__uint128_t)p[0].count * p[1].count * p[2].count > MAX_LAUNCHES)
        error = CL_OUT_OF_RESOURCES;
    l.variant = is_plain(r, p) ? SL_CL_PLAIN : SL_CL_GENERAL;
    if (!error)
        error = sl_cl_kernel_function(rt, k, l.variant, &l.function);
    if (!error && sl_proc_function_describe(rt, l.function, &facts))
        error = CL_OUT_OF_RESOURCES;
    if (!error)
        error = pack(k, &facts, &block, &bytes, &local);
    if (!error && facts.static_shared + local > sl_cl_limits(rt).shared_per_block)
        error = CL_OUT_OF_RESOURCES;
    if (!error) {
        l.config = (sl_proc_config){.function = l.function, .shared = local, .packed = block, .packed_bytes = bytes};
        error = add_launches(rt, &l, p);
    }
    free(block);
    for (int d = 0; d < 3; d++)
        sl_array_free(&p[d]);
    return error;
}

static cl_int check(sl_proc *rt, cl_command_queue queue, cl_kernel k)
{
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!sl_cl_is(k, SL_CL_KERNEL))
        return CL_INVALID_KERNEL;
    if (k->program->context != queue->context)
        return CL_INVALID_CONTEXT;
    for (size_t i = 0; i < k->facts->args.count; i++) {
        const sl_cl_value *v = &k->value[i];
        if (!v->set || (v->mem && !sl_cl_is(v->mem, SL_CL_MEM)) ||
            (v->sampler && !sl_cl_is(v->sampler, SL_CL_SAMPLER))) /* released, meanwhile */
            return CL_INVALID_KERNEL_ARGS;
    }
    return sl_cl_working(rt);
}

static cl_int enqueue(sl_proc *rt, cl_command_queue queue, cl_kernel k, cl_command_type type, cl_uint dims,
                      const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                      const cl_event *waits, cl_event *event)
{
    range r;
    cl_event command;
    cl_int error = check(rt, queue, k);
    if (!error)
        error = read_range(rt, k, dims, offset, global, local, &r);
    if (!error)
        error = sl_cl_command_new(rt, queue, type, count, waits, &command);
    if (error)
        return error;
    if (r.global[0] && r.global[1] && r.global[2])
        error = fill(rt, command, k, &r);
    return error ? sl_cl_command_drop(rt, command, error) : sl_cl_command_enqueue(rt, command, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                                       const size_t *offset, const size_t *global, const size_t *local,
                                                       cl_uint count, const cl_event *waits, cl_event *event)
{
    SL_CL_CALL(enqueue(rt, queue, kernel, CL_COMMAND_NDRANGE_KERNEL, dims, offset, global, local, count, waits, event));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                              const cl_event *waits, cl_event *event)
{
    static const size_t ONE[1] = {1};
    SL_CL_CALL(enqueue(rt, queue, kernel, CL_COMMAND_TASK, 1, NULL, ONE, ONE, count, waits, event));
}

/* Functions of the host are no commands of a device: CL_EXEC_NATIVE_KERNEL is not among its capabilities. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *),
                                                      void *args, size_t bytes, cl_uint mems, const cl_mem *mem,
                                                      const void **where, cl_uint count, const cl_event *waits,
                                                      cl_event *event)
{
    (void)args, (void)bytes, (void)mems, (void)mem, (void)where, (void)count, (void)waits, (void)event;
    SL_CL_CALL((void)rt, !sl_cl_is(queue, SL_CL_QUEUE) ? CL_INVALID_COMMAND_QUEUE
                         : !function                   ? CL_INVALID_VALUE
                                                       : CL_INVALID_OPERATION);
}
