/* SPDX-License-Identifier: MIT */
/* What stands in front of the CUDA driver inside of a program that runs on a real GPU, with whatever CUDA runtime, in
 * the program or next to it: code is exchanged for what a plan makes of it as it is loaded, launches are timed with
 * events, launches that a job names are tuned before they run, and everything that is copied to the host is hashed.
 *
 * Not supported: launches inside of graphs (exchanged, but not timed), and results that reach the host through managed
 * or mapped memory. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mangle.h"
#include "base/text.h"
#include "device/cuda_driver.h"
#include "interpose/entries.h"
#include "interpose/program.h"
#include "tune/effects.h"
#include "tune/program_results.h"
#include "tune/ptx_loads.h"

enum { MAX_PENDING = 512, PER_THREAD = 2, TO_HOST = 1, IGNORED_ATTRIBUTE = 0, PRIORITY_ATTRIBUTE = 8 };

/* A launch whose end has not been waited for. */
typedef struct pending {
    const char *name;
    cu_event begin, end;
} pending;

typedef struct copy_2d { /* CUDA_MEMCPY2D */
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    uint64_t from_device;
    void *from_array;
    size_t from_pitch, to_x, to_y;
    int to_kind;
    void *to_host;
    uint64_t to_device;
    void *to_array;
    size_t to_pitch, width, height;
} copy_2d;

static struct {
    pthread_mutex_t lock;
    const char *driver, *results_path, *plans_path;
    sl_plan_list plans;
    sl_tune_job job;
    size_t tuned; /* launches of the job */
    uint32_t sm;
    SL_ARRAY(pending) pending;
    sl_program_results results;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
    pthread_mutex_lock(&state.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&state.lock);
}

/* ---- functions of the driver ---- */

/* Those that are called but not hooked. */
#define CALL(symbol, params) ((cu_result(*) params)sl_real(SL_AT_##symbol))
/* The real one of a hooked function. */
#define REAL(symbol) ((__typeof__(&hook_##symbol))sl_real(SL_AT_##symbol))

static uint32_t compute_capability(void)
{
    int major = 0, minor = 0;
    if (!state.sm && !CALL(cuDeviceGetAttribute, (int *, int, cu_device))(&major, CU_ATTR_CAPABILITY_MAJOR, 0) &&
        !CALL(cuDeviceGetAttribute, (int *, int, cu_device))(&minor, CU_ATTR_CAPABILITY_MINOR, 0))
        state.sm = (uint32_t)(10 * major + minor);
    return state.sm ? state.sm : 90;
}

static void refuse(const sl_error *error)
{
    char text[1400];
    free(state.results.refused);
    state.results.refused = strdup(sl_error_format(error, text, sizeof text));
}

void sl_hooks_start(const char *driver)
{
    sl_error error = {0};
    const char *plan = getenv(SL_GPU_PLAN_VARIABLE), *job = getenv(SL_GPU_JOB_VARIABLE);
    state.driver = driver;
    state.results_path = getenv(SL_GPU_RESULTS_VARIABLE);
    state.plans_path = getenv(SL_GPU_PLANS_VARIABLE);
    if (plan && *plan && sl_plan_list_read(plan, &state.plans, &error))
        refuse(&error);
    if (job && *job && sl_tune_job_read(job, &state.job, &error))
        refuse(&error);
}

/* ---- times ---- */

static void settle(void)
{
    for (size_t i = 0; i < state.pending.count; i++) {
        pending *p = &state.pending.items[i];
        float ms = 0;
        if (!CALL(cuEventSynchronize, (cu_event))(p->end) &&
            !CALL(cuEventElapsedTime, (float *, cu_event, cu_event))(&ms, p->begin, p->end))
            sl_program_results_launch(&state.results, p->name, 1e6 * (double)ms);
        else
            state.results.untimed++;
        CALL(cuEventDestroy_v2, (cu_event))(p->begin);
        CALL(cuEventDestroy_v2, (cu_event))(p->end);
    }
    state.pending.count = 0;
}

static void finish(void)
{
    sl_error error = {0};
    lock();
    if (state.results_path) {
        settle();
        if (state.tuned && state.plans_path && sl_tuned_write(state.plans_path, &error))
            refuse(&error);
        sl_program_results_write(&state.results, state.results_path);
    }
    unlock();
}

/* Results are written when `main` returns or the program exits, before what was registered for the end is called: parts
 * of the driver are, at any time, and its events cannot be read after them. */
typedef int main_function(int, char **, char **);

static main_function *program_main;

static int run_main(int count, char **arguments, char **environment)
{
    int code = program_main(count, arguments, environment);
    finish();
    return code;
}

typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
start_function __libc_start_main __attribute__((visibility("default")));
void exit(int code) __attribute__((visibility("default")));

int __libc_start_main(main_function *entry, int count, char **arguments, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
    program_main = entry;
    return ((start_function *)dlsym(RTLD_NEXT, "__libc_start_main"))(run_main, count, arguments, init, fini,
                                                                     loader_fini, stack_end);
}

void exit(int code)
{
    finish();
    ((void (*)(int))dlsym(RTLD_NEXT, "exit"))(code);
    __builtin_unreachable();
}

static bool is_capturing(cu_stream stream)
{
    int capturing = 0;
    return !sl_real(SL_AT_cuStreamIsCapturing) || CALL(cuStreamIsCapturing, (cu_stream, int *))(stream, &capturing) ||
           capturing;
}

/* The event to record behind the launch; NULL: it is not timed. */
static cu_event begin_timing(const char *name, cu_stream stream)
{
    pending p = {.name = name};
    if (state.pending.count >= MAX_PENDING)
        settle();
    if (CALL(cuEventCreate, (cu_event *, unsigned))(&p.begin, 0) ||
        CALL(cuEventCreate, (cu_event *, unsigned))(&p.end, 0) || !sl_array_push(&state.pending, p)) {
        state.results.untimed++;
        return NULL;
    }
    CALL(cuEventRecord, (cu_event, cu_stream))(p.begin, stream);
    return p.end;
}

/* ---- launches ---- */

/* The function of what is launched: a kernel of a library stands for one. */
static void *function_of(void *launched)
{
    void *function = NULL;
    const sl_program_handle *handle = sl_program_handle_of(launched);
    bool kernel = handle && handle->library && sl_real(SL_AT_cuKernelGetFunction) &&
                  !CALL(cuKernelGetFunction, (void **, void *))(&function, launched);
    return kernel ? function : launched;
}

/* Attributes that change what a launch does: clusters, cooperation and the like. */
static bool is_plain(const cu_launch_config *config)
{
    for (unsigned i = 0; i < config->attributes; i++)
        if (config->attribute[i].id != IGNORED_ATTRIBUTE && config->attribute[i].id != PRIORITY_ATTRIBUTE)
            return false;
    return true;
}

static sl_tune_job_launch *wanted(const sl_program_handle *handle)
{
    for (size_t i = 0; i < state.job.launches.count; i++) {
        sl_tune_job_launch *l = &state.job.launches.items[i];
        if (!l->done && l->number == handle->runs && !strcmp(l->kernel, handle->kernel))
            return l;
    }
    return NULL;
}

static const double LEAST_SECONDS = 1; /* where kernels took longer than they should: the others are tuned, too */

static void say_tuned(const char *kernel)
{
    fprintf(stderr, "sluice: tuning kernel %zu of %zu, ", state.tuned, state.job.launches.count);
    sl_text_append(stderr, kernel, false, false);
    fputc('\n', stderr);
}

static void tune(const sl_program_handle *handle, void *function, const sl_program_launch *launch,
                 sl_tune_job_launch *one)
{
    sl_error error = {0};
    sl_status status = SL_OK;
    cu_module module = handle->module;
    char name[256];
    one->done = true;
    state.tuned++;
    if (!state.job.quiet)
        say_tuned(sl_function_name(handle->kernel, name, sizeof name));
    CALL(cuCtxSynchronize, (void))();
    if (!launch)
        status = sl_fail(&error, SL_UNSUPPORTED,
                         "it is launched with a cluster, cooperatively or in another way "
                         "that cannot be repeated");
    else if (handle->library && CALL(cuLibraryGetModule, (cu_module *, void *))(&module, handle->module))
        status = sl_fail(&error, SL_NOT_FOUND, "its module is not known");
    sl_tune_job job = state.job;
    double began = sl_now_seconds();
    job.options.seconds /= (double)(state.job.launches.count - state.tuned + 1);
    if (!status)
        status = sl_tune_in_program(state.driver, handle, module, function_of(function), launch, &job, one, &error);
    double left = state.job.options.seconds - (sl_now_seconds() - began);
    if (state.job.options.seconds > 0)
        state.job.options.seconds = left > LEAST_SECONDS ? left : LEAST_SECONDS;
    if (status)
        sl_program_results_untuned(&state.results, sl_function_name(handle->kernel, name, sizeof name), error.text);
}

/* Before a launch: the event to record behind it, NULL when it is not timed. `launch` is NULL where the launch cannot
 * be repeated. */
static cu_event before_launch(void *function, const sl_program_launch *launch, cu_stream stream)
{
    cu_event end = NULL;
    lock();
    sl_program_handle *handle = sl_program_handle_of(function);
    bool known = handle && handle->kernel, capturing = is_capturing(stream);
    sl_tune_job_launch *one = known && !capturing ? wanted(handle) : NULL;
    if (one)
        tune(handle, function, launch, one);
    if (known)
        handle->runs++;
    if (state.results_path && capturing)
        state.results.untimed++;
    else if (state.results_path)
        end = begin_timing(known ? handle->kernel : "(unknown kernel)", stream);
    unlock();
    return end;
}

static cu_result after_launch(cu_event end, cu_stream stream, cu_result result)
{
    if (end)
        CALL(cuEventRecord, (cu_event, cu_stream))(end, stream);
    return result;
}

/* ---- settings of plans ---- */

/* What a window over this pointer covers; nothing where it points to no allocation. */
static sl_device_range window_over(void *const *param, uint32_t index)
{
    uint64_t addr;
    if (!param)
        return (sl_device_range){0};
    memcpy(&addr, param[index], sizeof addr);
    const sl_device_range *range = sl_program_range_at(addr);
    return range ? (sl_device_range){addr, range->addr + range->bytes - addr} : (sl_device_range){0};
}

/* What the settings of plans make of launches of one kernel of one shape. Found once: asking the driver takes longer
 * than a launch. */
typedef struct set_shape {
    void *launched, *function;
    sl_device_launch from, to; /* without arguments; `to` has the settings but the window */
    bool any;                  /* there are settings */
    uint32_t window_plus;      /* 1 + parameter that a window lies over; 0: none */
} set_shape;
static SL_ARRAY(set_shape) shapes;

static bool find_shape(const sl_program_handle *handle, set_shape *shape)
{
    static sl_device *device; /* for the program's own context; lives as long as the process */
    const sl_device_config attach = {.library = state.driver, .attach = true};
    shape->to = shape->from;
    shape->function = function_of(shape->launched);
    for (uint32_t p = 0; p < state.plans.count; p++)
        for (uint32_t i = 0; i < state.plans.plan[p].loads; i++) {
            const sl_plan_load *node = &state.plans.plan[p].load[i];
            if (node->node != SL_NODE_KERNEL || !node->mode || strcmp(node->function, handle->kernel))
                continue;
            if (!device && sl_device_open("gpu", &attach, &device, NULL))
                return false;
            sl_device_module module = {.device = device};
            sl_device_kernel kernel = {.module = &module, .handle = shape->function};
            sl_residency residency = {0};
            sl_device_residency(&kernel, &shape->from, &residency.blocks, &residency.static_shared_bytes, NULL);
            if (sl_controls[node->mode].setting == SL_SETTING_WINDOW)
                shape->window_plus = 1 + node->inst - SL_SETTING_WINDOW;
            else
                sl_launch_set(&shape->to, node->mode, &sl_device_info_of(device)->limits, &residency, NULL);
            shape->any = true;
        }
    int percent = (int)shape->to.settings.shared_percent_plus - 1;
    if (percent >= 0)
        CALL(cuFuncSetAttribute, (void *, int, int))(shape->function, CU_FUNC_CARVE_OUT, percent);
    int bytes = (int)shape->to.dynamic_shared_bytes;
    if (shape->to.dynamic_shared_bytes > shape->from.dynamic_shared_bytes)
        CALL(cuFuncSetAttribute, (void *, int, int))(shape->function, CU_FUNC_MAX_DYNAMIC_SHARED, bytes);
    return true;
}

/* The shape of this launch; NULL: plans have no settings for it. */
static const set_shape *shape_of(void *launched, const sl_program_launch *launch)
{
    set_shape shape = {.launched = launched, .from = {.dynamic_shared_bytes = launch->shared}};
    memcpy(shape.from.grid, launch->grid, sizeof shape.from.grid);
    memcpy(shape.from.block, launch->block, sizeof shape.from.block);
    for (size_t i = 0; i < shapes.count; i++)
        if (shapes.items[i].launched == launched && !memcmp(&shapes.items[i].from, &shape.from, sizeof shape.from))
            return shapes.items[i].any ? &shapes.items[i] : NULL;
    const sl_program_handle *handle = sl_program_handle_of(launched);
    if (!handle || !handle->kernel || !find_shape(handle, &shape) || !sl_array_push(&shapes, shape))
        return NULL;
    return shape.any ? &shapes.items[shapes.count - 1] : NULL;
}

static unsigned window_attribute(const sl_device_range *over, cu_launch_attribute *made)
{
    static int most, kept = -1; /* asked for once, and set aside then */
    if (kept < 0) {
        kept = 0;
        CALL(cuDeviceGetAttribute, (int *, int, cu_device))(&most, CU_ATTR_MAX_WINDOW, 0);
        CALL(cuDeviceGetAttribute, (int *, int, cu_device))(&kept, CU_ATTR_MAX_PERSISTING_L2, 0);
        if (kept > 0 && CALL(cuCtxSetLimit, (int, size_t))(CU_LIMIT_PERSISTING_L2, (size_t)kept))
            kept = 0;
    }
    if (!over->bytes || most <= 0 || kept <= 0)
        return 0;
    *made = sl_cu_window(over->addr, over->bytes, most, (uint64_t)kept);
    return 1;
}

/* Launches with the settings of plans. False: there are none for this kernel. */
static bool launch_as_planned(void *f, const sl_program_launch *launch, cu_stream stream, cu_result *result)
{
    cu_launch_attribute window;
    cu_launch_config config = {.stream = stream, .attribute = &window};
    if (!state.plans.count || !launch)
        return false;
    lock();
    const set_shape *shape = shape_of(f, launch);
    if (shape) {
        config.shared_bytes = shape->to.dynamic_shared_bytes;
        if (shape->window_plus) {
            const sl_device_range over = window_over(launch->params, shape->window_plus - 1);
            config.attributes = window_attribute(&over, &window);
        }
    }
    unlock();
    if (!shape)
        return false;
    memcpy(config.grid, launch->grid, sizeof config.grid);
    memcpy(config.block, launch->block, sizeof config.block);
    *result = CALL(cuLaunchKernelEx, (const cu_launch_config *, void *, void **, void **))(&config, f, launch->params,
                                                                                           launch->extra);
    return true;
}

/* ---- launches of all kinds ---- */

/* What stream NULL is in functions of per-thread default streams. */
static cu_stream stream_of(cu_stream stream, bool per_thread)
{
    return stream || !per_thread ? stream : (cu_stream)(uintptr_t)PER_THREAD;
}

#define LAUNCH(symbol, per_thread)                                                                                     \
    static cu_result hook_##symbol(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,           \
                                   unsigned bz, unsigned shared, cu_stream stream, void **params, void **extra)        \
    {                                                                                                                  \
        const sl_program_launch launch = {{gx, gy, gz}, {bx, by, bz}, shared, params, extra};                          \
        cu_stream on = stream_of(stream, per_thread);                                                                  \
        cu_event end = before_launch(f, &launch, on);                                                                  \
        cu_result result;                                                                                              \
        if (!launch_as_planned(f, &launch, on, &result))                                                               \
            result = REAL(symbol)(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra);                           \
        return after_launch(end, on, result);                                                                          \
    }
LAUNCH(cuLaunchKernel, false)
LAUNCH(cuLaunchKernel_ptsz, true)

#define LAUNCH_EX(symbol, per_thread)                                                                                  \
    static cu_result hook_##symbol(const cu_launch_config *c, void *f, void **params, void **extra)                    \
    {                                                                                                                  \
        if (!c)                                                                                                        \
            return REAL(symbol)(c, f, params, extra);                                                                  \
        const sl_program_launch launch = {{c->grid[0], c->grid[1], c->grid[2]},                                        \
                                          {c->block[0], c->block[1], c->block[2]},                                     \
                                          c->shared_bytes,                                                             \
                                          params,                                                                      \
                                          extra};                                                                      \
        cu_stream on = stream_of(c->stream, per_thread);                                                               \
        cu_event end = before_launch(f, is_plain(c) ? &launch : NULL, on);                                             \
        cu_result result;                                                                                              \
        if (!launch_as_planned(f, is_plain(c) ? &launch : NULL, on, &result))                                          \
            result = REAL(symbol)(c, f, params, extra);                                                                \
        return after_launch(end, on, result);                                                                          \
    }
LAUNCH_EX(cuLaunchKernelEx, false)
LAUNCH_EX(cuLaunchKernelEx_ptsz, true)

#define LAUNCH_COOPERATIVE(symbol, per_thread)                                                                         \
    static cu_result hook_##symbol(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,           \
                                   unsigned bz, unsigned shared, cu_stream stream, void **params)                      \
    {                                                                                                                  \
        cu_stream on = stream_of(stream, per_thread);                                                                  \
        cu_event end = before_launch(f, NULL, on);                                                                     \
        return after_launch(end, on, REAL(symbol)(f, gx, gy, gz, bx, by, bz, shared, stream, params));                 \
    }
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, false)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, true)

/* ---- code ---- */

/* As sl_program_link: with the driver's linker. */
static void *link_texts(const char *const *text, const size_t *length, size_t texts, sl_error *error)
{
    enum { PTX = 1 };
    void *linker = NULL, *made = NULL, *kept = NULL;
    size_t bytes = 0;
    cu_result result = CALL(cuLinkCreate_v2, (unsigned, int *, void **, void **))(0, NULL, NULL, &linker);
    for (size_t i = 0; i < texts && !result; i++)
        result = CALL(cuLinkAddData_v2, (void *, int, const void *, size_t, const char *, unsigned, int *, void **))(
            linker, PTX, text[i], length[i] + 1, "PTX", 0, NULL, NULL);
    if (!result)
        result = CALL(cuLinkComplete, (void *, void **, size_t *))(linker, &made, &bytes);
    if (!result && (kept = malloc(bytes)))
        memcpy(kept, made, bytes);
    if (linker)
        CALL(cuLinkDestroy, (void *))(linker);
    if (result)
        sl_fail(error, SL_UNSUPPORTED, "the driver does not link the PTX of this program (error %d)", result);
    return kept;
}

/* What to load in place of an image, and its PTX. */
static const void *exchange(const void *image, const sl_ptx_sources **known)
{
    sl_error error = {0};
    lock();
    *known = sl_program_image_add(image, compute_capability());
    if (state.plans.count && *known) {
        const void *edited =
            sl_program_apply(*known, &state.plans, SL_PTX_L2_SM, link_texts, &state.results.applied, &error);
        image = edited ? edited : image;
        state.results.texts += (*known)->count;
    }
    if (error.text[0])
        refuse(&error);
    unlock();
    return image;
}

static cu_result loaded(cu_result result, void *const *handle, const sl_ptx_sources *image, bool library)
{
    lock();
    if (!result)
        sl_program_handle_add(*handle, image, *handle, library, NULL);
    unlock();
    return result;
}

/* A kernel or function, found in a module or library, or made of another. */
static cu_result found(cu_result result, void *const *handle, const void *in, const char *kernel)
{
    lock();
    const sl_program_handle *of = result ? NULL : sl_program_handle_of(in);
    if (of)
        sl_program_handle_add(*handle, of->image, of->module, of->library, kernel ? kernel : of->kernel);
    unlock();
    return result;
}

static cu_result hook_cuModuleLoadData(void **module, const void *image)
{
    const sl_ptx_sources *known;
    const void *exchanged = exchange(image, &known);
    return loaded(REAL(cuModuleLoadData)(module, exchanged), module, known, false);
}

static cu_result hook_cuModuleLoadFatBinary(void **module, const void *image)
{
    const sl_ptx_sources *known;
    const void *exchanged = exchange(image, &known);
    return loaded(exchanged == image ? REAL(cuModuleLoadFatBinary)(module, image)
                                     : REAL(cuModuleLoadData)(module, exchanged),
                  module, known, false);
}

static cu_result hook_cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *option, void **value)
{
    const sl_ptx_sources *known;
    const void *exchanged = exchange(image, &known);
    return loaded(REAL(cuModuleLoadDataEx)(module, exchanged, count, option, value), module, known, false);
}

static cu_result hook_cuLibraryLoadData(void **library, const void *image, int *jit, void **jit_value, unsigned jits,
                                        int *option, void **value, unsigned options)
{
    const sl_ptx_sources *known;
    const void *exchanged = exchange(image, &known);
    return loaded(REAL(cuLibraryLoadData)(library, exchanged, jit, jit_value, jits, option, value, options), library,
                  known, true);
}

/* Files are loaded as data, which lives as long as the process. */
static cu_result hook_cuModuleLoad(void **module, const char *path)
{
    char *data = NULL;
    size_t bytes;
    if (!path || sl_file_read(path, &data, &bytes, NULL))
        return REAL(cuModuleLoad)(module, path);
    return hook_cuModuleLoadData(module, data);
}

static cu_result hook_cuLibraryLoadFromFile(void **library, const char *path, int *jit, void **jit_value, unsigned jits,
                                            int *option, void **value, unsigned options)
{
    char *data = NULL;
    size_t bytes;
    if (!path || sl_file_read(path, &data, &bytes, NULL))
        return REAL(cuLibraryLoadFromFile)(library, path, jit, jit_value, jits, option, value, options);
    return hook_cuLibraryLoadData(library, data, jit, jit_value, jits, option, value, options);
}

static cu_result hook_cuModuleGetFunction(void **function, void *module, const char *name)
{
    return found(REAL(cuModuleGetFunction)(function, module, name), function, module, name);
}

static cu_result hook_cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
    return found(REAL(cuLibraryGetKernel)(kernel, library, name), kernel, library, name);
}

static cu_result hook_cuLibraryGetModule(void **module, void *library)
{
    return found(REAL(cuLibraryGetModule)(module, library), module, library, NULL);
}

static cu_result hook_cuKernelGetFunction(void **function, void *kernel)
{
    return found(REAL(cuKernelGetFunction)(function, kernel), function, kernel, NULL);
}

/* ---- memory ---- */

static cu_result allocated(cu_result result, const uint64_t *addr, uint64_t bytes)
{
    lock();
    if (!result && addr)
        sl_program_allocated(*addr, bytes);
    unlock();
    return result;
}

static void freed(uint64_t addr)
{
    lock();
    sl_program_freed(addr);
    unlock();
}

static cu_result hook_cuMemAlloc_v2(uint64_t *addr, size_t bytes)
{
    return allocated(REAL(cuMemAlloc_v2)(addr, bytes), addr, bytes);
}

static cu_result hook_cuMemAllocManaged(uint64_t *addr, size_t bytes, unsigned flags)
{
    return allocated(REAL(cuMemAllocManaged)(addr, bytes, flags), addr, bytes);
}

static cu_result hook_cuMemAllocPitch_v2(uint64_t *addr, size_t *pitch, size_t width, size_t height, unsigned element)
{
    cu_result result = REAL(cuMemAllocPitch_v2)(addr, pitch, width, height, element);
    return allocated(result, addr, result ? 0 : *pitch * height);
}

static cu_result hook_cuMemFree_v2(uint64_t addr)
{
    freed(addr);
    return REAL(cuMemFree_v2)(addr);
}

#define ASYNC_MEMORY(suffix)                                                                                           \
    static cu_result hook_cuMemAllocAsync##suffix(uint64_t *addr, size_t bytes, cu_stream stream)                      \
    {                                                                                                                  \
        return allocated(REAL(cuMemAllocAsync##suffix)(addr, bytes, stream), addr, bytes);                             \
    }                                                                                                                  \
    static cu_result hook_cuMemAllocFromPoolAsync##suffix(uint64_t *addr, size_t bytes, void *pool, cu_stream stream)  \
    {                                                                                                                  \
        return allocated(REAL(cuMemAllocFromPoolAsync##suffix)(addr, bytes, pool, stream), addr, bytes);               \
    }                                                                                                                  \
    static cu_result hook_cuMemFreeAsync##suffix(uint64_t addr, cu_stream stream)                                      \
    {                                                                                                                  \
        freed(addr);                                                                                                   \
        return REAL(cuMemFreeAsync##suffix)(addr, stream);                                                             \
    }
ASYNC_MEMORY()
ASYNC_MEMORY(_ptsz)

/* ---- what comes to the host ---- */

static cu_result copied(cu_result result, const void *to, size_t bytes)
{
    if (result || !state.results_path)
        return result;
    lock();
    sl_program_results_copy(&state.results, to, bytes);
    unlock();
    return result;
}

/* Asynchronous copies are waited for, except while a graph is captured. */
static cu_result copied_async(cu_result result, const void *to, size_t bytes, cu_stream stream)
{
    if (result || !state.results_path || is_capturing(stream) || CALL(cuStreamSynchronize, (cu_stream))(stream))
        return result;
    return copied(result, to, bytes);
}

static bool is_host(uint64_t addr)
{
    int kind = TO_HOST;
    enum { MEMORY_TYPE = 2 };
    return CALL(cuPointerGetAttribute, (void *, int, uint64_t))(&kind, MEMORY_TYPE, addr) || kind == TO_HOST;
}

#define COPIES(suffix, async, per_thread)                                                                              \
    static cu_result hook_cuMemcpyDtoH_v2##suffix(void *to, uint64_t from, size_t bytes)                               \
    {                                                                                                                  \
        return copied(REAL(cuMemcpyDtoH_v2##suffix)(to, from, bytes), to, bytes);                                      \
    }                                                                                                                  \
    static cu_result hook_cuMemcpyDtoHAsync_v2##async(void *to, uint64_t from, size_t bytes, cu_stream stream)         \
    {                                                                                                                  \
        return copied_async(REAL(cuMemcpyDtoHAsync_v2##async)(to, from, bytes, stream), to, bytes,                     \
                            stream_of(stream, per_thread));                                                            \
    }                                                                                                                  \
    static cu_result hook_cuMemcpy##suffix(uint64_t to, uint64_t from, size_t bytes)                                   \
    {                                                                                                                  \
        cu_result result = REAL(cuMemcpy##suffix)(to, from, bytes);                                                    \
        return !result && is_host(to) ? copied(result, (const void *)(uintptr_t)to, bytes) : result;                   \
    }                                                                                                                  \
    static cu_result hook_cuMemcpyAsync##async(uint64_t to, uint64_t from, size_t bytes, cu_stream stream)             \
    {                                                                                                                  \
        cu_result result = REAL(cuMemcpyAsync##async)(to, from, bytes, stream);                                        \
        return !result && is_host(to)                                                                                  \
                   ? copied_async(result, (const void *)(uintptr_t)to, bytes, stream_of(stream, per_thread))           \
                   : result;                                                                                           \
    }                                                                                                                  \
    static cu_result hook_cuMemcpy2DUnaligned_v2##suffix(const copy_2d *copy)                                          \
    {                                                                                                                  \
        cu_result result = REAL(cuMemcpy2DUnaligned_v2##suffix)(copy);                                                 \
        for (size_t y = 0; !result && copy->to_kind == TO_HOST && y < copy->height; y++)                               \
            copied(result, (const char *)copy->to_host + (copy->to_y + y) * copy->to_pitch + copy->to_x, copy->width); \
        return result;                                                                                                 \
    }
COPIES(, , false)
COPIES(_ptds, _ptsz, true)

/* ---- the end ---- */

static cu_result hook_cuLibraryUnload(void *library)
{
    finish();
    return REAL(cuLibraryUnload)(library);
}

static cu_result hook_cuCtxDestroy_v2(cu_context context)
{
    finish();
    return REAL(cuCtxDestroy_v2)(context);
}

static cu_result hook_cuDevicePrimaryCtxRelease_v2(cu_device device)
{
    finish();
    return REAL(cuDevicePrimaryCtxRelease_v2)(device);
}

static cu_result hook_cuDevicePrimaryCtxReset_v2(cu_device device)
{
    finish();
    return REAL(cuDevicePrimaryCtxReset_v2)(device);
}

/* ---- who is hooked ---- */

static cu_result hook_cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    cu_result result = REAL(cuGetProcAddress_v2)(name, function, version, flags, status);
    void *hook = !result && name && function && *function ? sl_hook_named(name, version, flags & PER_THREAD) : NULL;
    if (hook)
        *function = hook;
    return result;
}

static cu_result hook_cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    cu_result result = REAL(cuGetProcAddress)(name, function, version, flags);
    void *hook = !result && name && function && *function ? sl_hook_named(name, version, flags & PER_THREAD) : NULL;
    if (hook)
        *function = hook;
    return result;
}

// clang-format off
#define HOOKS(F)                                                                                                       \
    F(cuGetProcAddress) F(cuGetProcAddress_v2)                                                                         \
    F(cuModuleLoad) F(cuModuleLoadData) F(cuModuleLoadDataEx) F(cuModuleLoadFatBinary)                                 \
    F(cuLibraryLoadData) F(cuLibraryLoadFromFile) F(cuLibraryUnload)                                                   \
    F(cuModuleGetFunction) F(cuLibraryGetKernel) F(cuLibraryGetModule) F(cuKernelGetFunction)                          \
    F(cuLaunchKernel) F(cuLaunchKernel_ptsz) F(cuLaunchKernelEx) F(cuLaunchKernelEx_ptsz)                              \
    F(cuLaunchCooperativeKernel) F(cuLaunchCooperativeKernel_ptsz)                                                     \
    F(cuMemAlloc_v2) F(cuMemAllocManaged) F(cuMemAllocPitch_v2) F(cuMemFree_v2)                                        \
    F(cuMemAllocAsync) F(cuMemAllocAsync_ptsz) F(cuMemAllocFromPoolAsync) F(cuMemAllocFromPoolAsync_ptsz)              \
    F(cuMemFreeAsync) F(cuMemFreeAsync_ptsz)                                                                           \
    F(cuMemcpy) F(cuMemcpy_ptds) F(cuMemcpyAsync) F(cuMemcpyAsync_ptsz)                                                \
    F(cuMemcpyDtoH_v2) F(cuMemcpyDtoH_v2_ptds) F(cuMemcpyDtoHAsync_v2) F(cuMemcpyDtoHAsync_v2_ptsz)                    \
    F(cuMemcpy2DUnaligned_v2) F(cuMemcpy2DUnaligned_v2_ptds)                                                           \
    F(cuCtxDestroy_v2) F(cuDevicePrimaryCtxRelease_v2) F(cuDevicePrimaryCtxReset_v2)
// clang-format on

void *sl_hook(sl_entry entry)
{
#define HOOK(symbol)                                                                                                   \
    case SL_AT_##symbol:                                                                                               \
        return (void *)hook_##symbol;
    switch (entry) {
        HOOKS(HOOK)
    default:
        return NULL;
    }
#undef HOOK
}
