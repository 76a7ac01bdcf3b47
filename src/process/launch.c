/* SPDX-License-Identifier: MIT */
/* Kernel launches: checks, arguments, running, and the questions about kernels that decide a configuration. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* ---- launching ---- */

/* What the driver refuses before a kernel starts, with its error numbers. */
static cudaError_t check_launch(sl_proc *rt, const sl_proc_function *f, const sl_proc_config *c)
{
    const sl_gpu_limits *limits = sl_emu_limits(rt->emu);
    const uint32_t g[3] = {c->grid.x, c->grid.y, c->grid.z}, b[3] = {c->block.x, c->block.y, c->block.z};
    const sl_ptx_func *func = sl_emu_kernel_func(f->kernel);
    for (int i = 0; i < 3; i++)
        if (!g[i] || !b[i] || g[i] > limits->max_grid[i] || b[i] > limits->max_block[i])
            return cudaErrorInvalidConfiguration;
    uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    if (threads > limits->max_threads_per_block)
        return cudaErrorInvalidConfiguration;
    if (c->shared > f->max_dynamic_shared)
        return cudaErrorInvalidValue;
    /* __launch_bounds__: the machine code was made for no more threads than this. */
    uint64_t bound = sl_ptx_max_threads(func);
    if (bound && threads > bound)
        return cudaErrorLaunchOutOfResources;
    uint32_t resident = sl_emu_occupancy_known(rt->emu, f->kernel, (uint32_t)threads, (uint32_t)c->shared);
    if (!resident)
        return cudaErrorLaunchOutOfResources;
    if (c->cooperative && (uint64_t)g[0] * g[1] * g[2] > (uint64_t)resident * limits->sms)
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

static cudaError_t pack_params(const sl_ptx_func *func, const sl_proc_config *c, sl_proc_launch *launch)
{
    launch->param_bytes = func->param_bytes;
    launch->params = calloc(1, func->param_bytes ? func->param_bytes : 1);
    if (!launch->params)
        return cudaErrorMemoryAllocation;
    if (!c->args && c->packed) { /* may end after the last parameter, where the PTX has room for alignment */
        memcpy(launch->params, c->packed, c->packed_bytes < func->param_bytes ? c->packed_bytes : func->param_bytes);
        return cudaSuccess;
    }
    for (uint32_t i = 0; i < func->params; i++) {
        if (!c->args || !c->args[i])
            return cudaErrorInvalidValue;
        memcpy((char *)launch->params + func->param[i]->offset, c->args[i], func->param[i]->bytes);
    }
    return cudaSuccess;
}

cudaError_t sl_proc_config_extra(sl_proc_config *config, void **extra)
{
    enum { END, BUFFER, BYTES };
    if (config->args || !extra)
        return cudaSuccess;
    for (; *extra; extra += 2) {
        if ((uintptr_t)*extra == BUFFER)
            config->packed = extra[1];
        else if ((uintptr_t)*extra == BYTES && extra[1])
            config->packed_bytes = *(const size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    return config->packed ? cudaSuccess : cudaErrorInvalidValue;
}

/* The share of the unified cache that a launch prefers as shared memory, in percent: its own attribute, the kernel's,
 * the kernel's cache configuration, or that of the device. -1: no preference, as in CUDA. */
static int preferred_shared(const sl_proc *rt, const sl_proc_config *config, const sl_proc_function *f)
{
    enum { NONE, SHARED, L1, EQUAL }; /* cudaFuncCache */
    if (config->has_carveout)
        return (int)config->carveout;
    if (f->carveout >= 0)
        return f->carveout;
    switch (f->cache_config ? f->cache_config : rt->cache_config) {
    case SHARED:
        return 100;
    case EQUAL:
        return 50;
    case L1:
        return 0;
    default:
        return -1;
    }
}

/* Blocks of a cluster that every GPU with clusters can hold, and that this one can. */
enum { PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16 };

/* The clusters of a launch where the kernel says which, and a grid of blocks where it is one of clusters. */
static cudaError_t complete_cluster(const sl_proc_function *f, sl_proc_config *c)
{
    const sl_ptx_func *func = sl_emu_kernel_func(f->kernel);
    const uint32_t *required = func->reqnctapercluster;
    bool given = c->cluster.x || c->cluster.y || c->cluster.z;
    if (given && !(c->cluster.x && c->cluster.y && c->cluster.z))
        return cudaErrorInvalidClusterSize;
    if (!required[0])
        return !given && func->explicitcluster ? cudaErrorInvalidClusterSize : cudaSuccess;
    if (given && (c->cluster.x != required[0] || c->cluster.y != required[1] || c->cluster.z != required[2]))
        return cudaErrorInvalidClusterSize;
    c->cluster = (dim3){required[0], required[1], required[2]};
    if (!func->blocksareclusters)
        return cudaSuccess;
    if (__builtin_mul_overflow(c->grid.x, required[0], &c->grid.x) ||
        __builtin_mul_overflow(c->grid.y, required[1], &c->grid.y) ||
        __builtin_mul_overflow(c->grid.z, required[2], &c->grid.z))
        return cudaErrorInvalidConfiguration;
    return cudaSuccess;
}

static uint32_t largest_cluster(const sl_proc_function *f)
{
    uint32_t max = f->large_clusters ? LARGEST_CLUSTER : PORTABLE_CLUSTER,
             rank = sl_emu_kernel_func(f->kernel)->maxclusterrank;
    return rank && rank < max ? rank : max;
}

static uint64_t cluster_blocks(const sl_proc_config *c)
{
    uint64_t area = (uint64_t)c->cluster.x * c->cluster.y;
    return !c->cluster.x ? 1 : area > UINT32_MAX ? UINT64_MAX : area * c->cluster.z;
}

static cudaError_t check_cluster(const sl_proc_function *f, const sl_proc_config *c)
{
    bool whole = !c->cluster.x || !(c->grid.x % c->cluster.x || c->grid.y % c->cluster.y || c->grid.z % c->cluster.z);
    return !whole || cluster_blocks(c) > largest_cluster(f) ? cudaErrorInvalidClusterSize : cudaSuccess;
}

cudaError_t sl_proc_launch_make(sl_proc *rt, const sl_proc_config *asked, sl_proc_op *op)
{
    sl_proc_function *function;
    cudaError_t error = sl_proc_function_get(rt, asked->function, &function);
    if (error)
        return error;
    sl_proc_config whole = *asked, *config = &whole;
    error = complete_cluster(function, config);
    if (!error)
        error = check_cluster(function, config);
    if (!error)
        error = check_launch(rt, function, config);
    if (error)
        return error;
    int shared = preferred_shared(rt, config, function);
    *op = (sl_proc_op){.kind = SL_PROC_LAUNCH,
                       .launch = {.function = function,
                                  .grid = config->grid,
                                  .block = config->block,
                                  .cluster = config->cluster,
                                  .dynamic_shared = (uint32_t)config->shared,
                                  .cooperative = config->cooperative,
                                  .has_preferred_shared = shared >= 0,
                                  .preferred_shared = shared >= 0 ? (uint32_t)shared : 0}};
    sl_proc_labels_now(rt, function->name, op->launch.label);
    error = pack_params(sl_emu_kernel_func(function->kernel), config, &op->launch);
    if (error)
        sl_proc_op_fini(rt, op);
    return error;
}

cudaError_t sl_proc_launch_issue(sl_proc *rt, const sl_proc_config *config, cudaStream_t stream)
{
    sl_proc_op op;
    cudaError_t error = sl_proc_launch_make(rt, config, &op);
    return error ? error : sl_proc_submit(rt, stream, &op);
}

cudaError_t sl_proc_refusal(cudaError_t error)
{
    return error == cudaErrorInvalidConfiguration || error == cudaErrorLaunchOutOfResources ? cudaErrorInvalidValue
                                                                                            : error;
}

cudaError_t sl_proc_launch_attributes(const cudaLaunchAttribute *attributes, unsigned count, sl_proc_config *config)
{
    if (count && !attributes)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        const cudaLaunchAttribute *a = &attributes[i];
        if (a->id == cudaLaunchAttributeCooperative)
            config->cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeClusterDimension)
            config->cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
        if (a->id == cudaLaunchAttributePreferredSharedMemoryCarveout) {
            config->has_carveout = true;
            config->carveout = a->val.sharedMemCarveout;
            if (config->carveout > 100 && config->carveout != UINT32_MAX)
                return cudaErrorInvalidValue;
        }
    }
    return cudaSuccess;
}

static cudaError_t error_of_fault(const sl_emu *emu, sl_status status)
{
    if (status != SL_FAULT && status != SL_LIMIT)
        return sl_proc_error_of(status);
    switch (sl_emu_last_fault(emu)) {
    case SL_FAULT_ILLEGAL_ADDRESS:
        return cudaErrorIllegalAddress;
    case SL_FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case SL_FAULT_ASSERT:
        return cudaErrorAssert;
    case SL_FAULT_ILLEGAL_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    case SL_FAULT_STACK:
        return cudaErrorHardwareStackError;
    case SL_FAULT_LIMIT:
        return cudaErrorLaunchTimeout;
    case SL_FAULT_NONE:
    case SL_FAULT_BARRIER:
    case SL_FAULT_TRAP:
    case SL_FAULT_UNINITIALISED:
    case SL_FAULT_RACE:
        break;
    }
    return status == SL_LIMIT ? cudaErrorLaunchTimeout : cudaErrorLaunchFailure;
}

/* Plausible, not measured: a start of 2.5 us, then 0.3 warp instructions per scheduler and cycle at 2 GHz on as many
 * multiprocessors as have a block. */
static uint64_t launch_time_ns(const sl_proc *rt, const sl_launch_stats *stats)
{
    uint64_t sms = sl_emu_limits(rt->emu)->sms;
    uint64_t busy = stats->blocks < sms ? stats->blocks : sms;
    return 2500 + stats->warp_insts * 10 / (busy ? busy * 4 * 2 * 3 : 1);
}

static cudaError_t run_one(sl_proc *rt, const sl_proc_launch *launch, uint64_t stream)
{
    sl_error error = {0};
    sl_launch_stats stats = {0};
    sl_emu_launch what = {.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
                          .block = {launch->block.x, launch->block.y, launch->block.z},
                          .cluster = {launch->cluster.x, launch->cluster.y, launch->cluster.z},
                          .dynamic_shared_bytes = launch->dynamic_shared,
                          .params = launch->params,
                          .param_bytes = launch->param_bytes,
                          .cooperative = launch->cooperative,
                          .has_preferred_shared = launch->has_preferred_shared,
                          .preferred_shared = launch->preferred_shared,
                          .has_parent = launch->has_parent,
                          .parent = launch->parent,
                          .instructions_before = rt->descent.instructions,
                          .stream = stream};
    memcpy(what.label, launch->label, sizeof what.label);
    if (!launch->function->kernel) { /* a graph that outlived the device it was made for */
        sl_proc_function *again;
        cudaError_t failed = sl_proc_function_get(rt, launch->function, &again);
        if (failed)
            return failed;
    }
    sl_proc_flush_printed(rt);
    rt->launching = launch->function;
    rt->descent.depth = launch->depth;
    rt->in_launch = 1;
    uint64_t before = sl_thread_cpu_ns();
    sl_status status = sl_emu_run(rt->emu, launch->function->kernel, &what, &stats, &error);
    rt->spent.emulation_ns += sl_thread_cpu_ns() - before;
    if (rt->stop)
        sl_proc_say_error("the launch ends early, and the program with it", &error);
    sl_proc_end_interrupted(rt);
    uint64_t ns = launch_time_ns(rt, &stats);
    rt->time_ns += ns;
    rt->descent.instructions += stats.warp_insts;
    if (*rt->options.planned)
        sl_program_results_launch(&rt->planned, launch->function->name, (double)ns);
    if (!status)
        return cudaSuccess;
    if (status == SL_IO) /* a full disk: as every other write, and said once */
        sl_proc_problem(rt, "%s", error.text);
    else
        sl_proc_say_error(NULL, &error);
    cudaError_t failed = error_of_fault(rt->emu, status);
    if (status != SL_FAULT && status != SL_LIMIT)
        return failed;
    /* As on a GPU, the launch itself has succeeded; whatever waits for it, or comes after it, fails. */
    rt->fault = failed;
    return cudaSuccess;
}

/* Whether the kernels of a launch of the host have made more happen than anybody means: one of a few lines can launch
 * and copy for years. */
static bool exceeds_budget(sl_proc *rt)
{
    enum { MAX_DESCENDANTS = 1 << 20, MAX_COPIED_GIB = 64, BYTES_PER_INSTRUCTION = 128 };
    const uint64_t limit = rt->options.settings.max_instructions;
    uint64_t work = rt->descent.instructions + rt->descent.bytes / BYTES_PER_INSTRUCTION;
    bool copied = limit ? work > limit : rt->descent.bytes > (uint64_t)MAX_COPIED_GIB << 30;
    if (rt->descent.launches <= MAX_DESCENDANTS && !copied)
        return false;
    if (!copied)
        sl_proc_say("kernel %s: kernels made more than %d launches", rt->launching->name, MAX_DESCENDANTS);
    else if (limit)
        sl_proc_say("kernel %s: more than %llu warp instructions, with 128 bytes of a kernel's copies as one "
                    "(see --max-instructions)",
                    rt->launching->name, (unsigned long long)limit);
    else
        sl_proc_say("kernel %s: kernels copied more than %d GiB (--max-instructions N allows N times %d bytes)",
                    rt->launching->name, MAX_COPIED_GIB, BYTES_PER_INSTRUCTION);
    rt->fault = cudaErrorLaunchTimeout;
    return true;
}

/* Rows of one allocation that do not overlap: their bytes do not overflow. */
static uint64_t moved_bytes(const sl_proc_op *op)
{
    return op->kind == SL_PROC_COPY ? (uint64_t)op->copy.width * op->copy.height * op->copy.depth
                                    : (uint64_t)op->fill.width * op->fill.height * op->fill.depth;
}

/* A launch, copy or fill that a kernel has issued. */
static cudaError_t run_issued(sl_proc *rt, const sl_proc_op *op, uint64_t stream)
{
    if (op->kind == SL_PROC_LAUNCH) {
        rt->descent.launches++;
        return exceeds_budget(rt) ? cudaSuccess : run_one(rt, &op->launch, stream);
    }
    cudaError_t error = sl_proc_run_op(rt, op);
    if (!error) {
        rt->descent.bytes += moved_bytes(op);
        exceeds_budget(rt);
    }
    if (error && !rt->fault) {
        sl_proc_say("a %s that a kernel issued is outside of allocations (or in freed memory): %s",
                    op->kind == SL_PROC_COPY ? "copy" : "fill", sl_proc_error_text(error));
        rt->fault = cudaErrorIllegalAddress;
    }
    return cudaSuccess;
}

/* Labels of a launch that runs now. Nodes of graphs have the ranges in which they were made, or else those in which the
 * graph is launched; a mark is always of now. */
static void refresh_labels(sl_proc *rt, sl_proc_launch *launch)
{
    const char *now[SL_LABELS];
    sl_proc_labels_now(rt, NULL, now);
    for (int i = 0; i < SL_LABELS; i++)
        if (!launch->label[i] || i == SL_LABEL_MARK)
            launch->label[i] = now[i];
}

cudaError_t sl_proc_launch_run(sl_proc *rt, const sl_proc_launch *issued, uint64_t stream)
{
    sl_proc_launch whole = *issued, *launch = &whole;
    refresh_labels(rt, launch);
    sl_proc_ops left = {0}; /* what kernels have issued, the next at the end */
    memset(&rt->descent, 0, sizeof rt->descent);
    cudaError_t error = run_one(rt, launch, stream);
    bool taken = sl_proc_device_calls_move(rt, sl_proc_results_launches(rt), &left);
    while (!error && taken && !rt->fault && left.count) {
        sl_proc_op op = left.items[--left.count];
        if (op.kind == SL_PROC_LAUNCH)
            memcpy(op.launch.label, launch->label, sizeof launch->label);
        error = run_issued(rt, &op, stream);
        taken = sl_proc_device_calls_move(rt, sl_proc_results_launches(rt), &left);
        sl_proc_op_fini(rt, &op);
    }
    while (left.count)
        sl_proc_op_fini(rt, &left.items[--left.count]);
    sl_array_free(&left);
    return taken ? error : cudaErrorMemoryAllocation;
}

/* ---- attributes and occupancy ---- */

static uint32_t max_threads(const sl_proc *rt, const sl_proc_function *f)
{
    const sl_gpu_limits *limits = sl_emu_limits(rt->emu);
    const sl_trace_kernel *facts = sl_emu_kernel_static(f->kernel);
    uint32_t max = limits->max_threads_per_block;
    uint64_t bound = sl_ptx_max_threads(sl_emu_kernel_func(f->kernel));
    if (bound && bound < max)
        max = (uint32_t)bound;
    while (max > 32 && !sl_emu_occupancy(rt->emu, f->kernel, max, 0) && facts->regs_per_thread)
        max -= 32;
    return max;
}

cudaError_t sl_proc_function_describe(sl_proc *rt, const void *function, sl_proc_function_facts *facts)
{
    sl_proc_function *f;
    cudaError_t error = sl_proc_function_get(rt, function, &f);
    if (error)
        return error;
    const sl_trace_kernel *known = sl_emu_kernel_static(f->kernel);
    const sl_ptx_func *func = sl_emu_kernel_func(f->kernel);
    *facts = (sl_proc_function_facts){
        .static_shared = known->static_shared_bytes,
        .const_bytes = f->binary->const_bytes,
        .local_bytes = known->local_bytes,
        .registers = known->regs_per_thread,
        .max_threads = max_threads(rt, f),
        .max_dynamic_shared = f->max_dynamic_shared,
        .ptx_version = f->binary->ptx_sm,
        /* What the driver makes of PTX is code for its device. Where that is one that there
         * is not, libraries choose block sizes by what their PTX was made for. */
        .binary_version = sl_proc_binary_capability(rt, f->binary) == SL_PROGRAM_SM ? SL_PROGRAM_SM : f->binary->ptx_sm,
        .carveout = f->carveout,
        .must_set_cluster = func->explicitcluster && !func->reqnctapercluster[0],
        .large_clusters = f->large_clusters,
        .cluster = {(int)func->reqnctapercluster[0], (int)func->reqnctapercluster[1], (int)func->reqnctapercluster[2]},
        .cluster_policy = f->cluster_policy};
    return cudaSuccess;
}

cudaError_t sl_proc_function_check(sl_proc *rt, const void *function)
{
    sl_proc_function *ignored;
    return sl_proc_function_get(rt, function, &ignored);
}

cudaError_t sl_proc_function_cache_config(sl_proc *rt, const void *function, int config)
{
    sl_proc_function *f;
    cudaError_t error = config < 0 || config > 3 ? cudaErrorInvalidValue : sl_proc_function_get(rt, function, &f);
    if (!error)
        f->cache_config = config;
    return error;
}

cudaError_t sl_proc_function_set(sl_proc *rt, const void *function, cudaFuncAttribute attribute, int value)
{
    sl_proc_function *f;
    cudaError_t error = sl_proc_function_get(rt, function, &f);
    if (error)
        return error;
    const sl_gpu_limits *limits = sl_emu_limits(rt->emu);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 ||
            (uint32_t)value + sl_emu_kernel_static(f->kernel)->static_shared_bytes > limits->shared_per_block_optin)
            return cudaErrorInvalidValue;
        f->max_dynamic_shared = (uint32_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        f->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        f->large_clusters = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        f->cluster_policy = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        break;
    }
    return cudaErrorInvalidValue;
}

cudaError_t sl_proc_occupancy(sl_proc *rt, int *blocks, const void *function, int threads, size_t shared)
{
    sl_proc_function *f;
    cudaError_t error = blocks ? sl_proc_function_get(rt, function, &f) : cudaErrorInvalidValue;
    if (error)
        return error;
    if (threads <= 0)
        return cudaErrorInvalidValue;
    *blocks = shared > sl_emu_limits(rt->emu)->shared_per_block_optin
                  ? 0
                  : (int)sl_emu_occupancy(rt->emu, f->kernel, (uint32_t)threads, (uint32_t)shared);
    return cudaSuccess;
}

cudaError_t sl_proc_active_clusters(sl_proc *rt, int *clusters, const sl_proc_config *c)
{
    int blocks;
    sl_proc_function *f;
    sl_proc_config config = *c;
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    if (!clusters || threads > INT32_MAX)
        return cudaErrorInvalidValue;
    cudaError_t error = sl_proc_occupancy(rt, &blocks, c->function, (int)threads, c->shared);
    if (!error)
        error = sl_proc_function_get(rt, c->function, &f);
    if (!error)
        error = complete_cluster(f, &config);
    if (!error && cluster_blocks(&config) > largest_cluster(f))
        error = cudaErrorInvalidClusterSize;
    if (!error) /* an upper bound: which multiprocessors share a GPC is not known */
        *clusters = blocks * (int)sl_emu_limits(rt->emu)->sms / (int)cluster_blocks(&config);
    return error;
}

cudaError_t sl_proc_largest_cluster(sl_proc *rt, int *blocks, const sl_proc_config *c)
{
    sl_proc_function *f;
    cudaError_t error = blocks ? sl_proc_function_get(rt, c->function, &f) : cudaErrorInvalidValue;
    if (!error)
        *blocks = (int)largest_cluster(f);
    return error;
}

cudaError_t sl_proc_available_shared(sl_proc *rt, size_t *shared, const void *function, int blocks, int threads)
{
    sl_proc_function *f;
    cudaError_t error = shared ? sl_proc_function_get(rt, function, &f) : cudaErrorInvalidValue;
    if (error)
        return error;
    const sl_gpu_limits *limits = sl_emu_limits(rt->emu);
    if (blocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    uint32_t taken = sl_emu_kernel_static(f->kernel)->static_shared_bytes + limits->reserved_shared_per_block;
    uint32_t unit = sl_emu_machine(rt->emu)->core.shared_granularity;
    unit = unit ? unit : 1;
    uint32_t share = limits->shared_per_sm / (uint32_t)blocks / unit * unit;
    *shared = share > taken ? share - taken : 0;
    if (*shared > f->max_dynamic_shared)
        *shared = f->max_dynamic_shared;
    return cudaSuccess;
}
