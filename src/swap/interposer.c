/* SPDX-License-Identifier: MIT */
/* A library that is loaded in front of the CUDA runtime (LD_PRELOAD) of a program that runs on a real GPU: it exchanges
 * the PTX of the program's fat binaries for what a plan makes of it as the program registers them, times kernels with
 * events, and takes a hash of everything that is copied to the host, in order. All calls go on to the real runtime.
 *
 * Not supported: programs that contain the runtime themselves (nvcc's default; -cudart shared is needed), relocatable
 * device code, launches inside of graphs (exchanged, but not timed), and results that reach the host through managed or
 * mapped memory. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bypass/ptx_loads.h"
#include "rewrite/fatbin.h"
#include "swap/results.h"

#define API __attribute__((visibility("default")))

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
typedef struct wrapper { /* what a program hands to __cudaRegisterFatBinary */
    int magic, version;
    const void *container;
    void *rest;
} wrapper;
enum { COPY_TO_HOST = 2, COPY_DEFAULT = 4, MEMORY_DEVICE = 2 };

/* A stub or a kernel handle, and the kernel's name. */
typedef struct known {
    const void *handle;
    const char *name;
} known;

/* A launch whose end has not been waited for. */
typedef struct pending {
    const char *name;
    void *begin, *end;
} pending;

static struct {
    pthread_mutex_t lock;
    bool started, at_exit;
    const char *results_path;
    sl_plan plan;
    bool planned;
    SL_ARRAY(known) known;
    SL_ARRAY(pending) pending;
    sl_swap_results results;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { MAX_PENDING = 512 };

/* The real function of this name. */
#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void refuse(const char *reason)
{
    free(state.results.refused);
    state.results.refused = strdup(reason);
}

static void start(void)
{
    sl_error error = {0};
    char text[1400];
    if (state.started)
        return;
    state.started = true;
    state.results_path = getenv(SL_SWAP_RESULTS_VARIABLE);
    const char *plan = getenv(SL_SWAP_PLAN_VARIABLE);
    if (!plan || !*plan)
        return;
    if (sl_plan_read(plan, &state.plan, &error))
        refuse(sl_error_format(&error, text, sizeof text));
    else
        state.planned = true;
}

/* ---- times ---- */

extern int cudaEventCreateWithFlags(void **event, unsigned flags);
extern int cudaEventRecord(void *event, void *stream);
extern int cudaEventSynchronize(void *event);
extern int cudaEventElapsedTime(float *ms, void *begin, void *end);
extern int cudaEventDestroy(void *event);
extern int cudaStreamIsCapturing(void *stream, int *capturing);
extern int cudaStreamSynchronize(void *stream);

static void settle(void)
{
    for (size_t i = 0; i < state.pending.count; i++) {
        pending *p = &state.pending.items[i];
        float ms = 0;
        if (!REAL(cudaEventSynchronize)(p->end) && !REAL(cudaEventElapsedTime)(&ms, p->begin, p->end))
            sl_swap_results_launch(&state.results, p->name, 1e6 * (double)ms);
        else
            state.results.untimed++;
        REAL(cudaEventDestroy)(p->begin);
        REAL(cudaEventDestroy)(p->end);
    }
    state.pending.count = 0;
}

static const char *name_of(const void *handle)
{
    for (size_t i = state.known.count; i-- > 0;)
        if (state.known.items[i].handle == handle)
            return state.known.items[i].name;
    return "(unknown kernel)";
}

static bool is_capturing(void *stream)
{
    int capturing = 0;
    return REAL(cudaStreamIsCapturing)(stream, &capturing) || capturing;
}

static void finish(void)
{
    pthread_mutex_lock(&state.lock);
    if (state.results_path) {
        settle();
        sl_swap_results_write(&state.results, state.results_path);
    }
    pthread_mutex_unlock(&state.lock);
}

/* The events around a launch, with the first one recorded; nothing when it cannot be timed. */
static pending begin_timing(const void *handle, void *stream)
{
    pending p = {.name = name_of(handle)};
    if (state.pending.count >= MAX_PENDING)
        settle();
    if (REAL(cudaEventCreateWithFlags)(&p.begin, 0) || REAL(cudaEventCreateWithFlags)(&p.end, 0) ||
        !sl_array_push(&state.pending, p)) {
        state.results.untimed++;
        return (pending){0};
    }
    /* The driver is loaded at the first use of the runtime, and ends before what was there earlier: programs take back
     * their fat binaries when no event can be read any more. This is called before the driver ends. */
    if (!state.at_exit)
        state.at_exit = !atexit(finish);
    REAL(cudaEventRecord)(p.begin, stream);
    return p;
}

/* Before a launch: the event to record behind it, NULL when it is not timed. */
static void *before_launch(const void *handle, void *stream)
{
    pending p = {0};
    pthread_mutex_lock(&state.lock);
    start();
    if (state.results_path && is_capturing(stream))
        state.results.untimed++;
    else if (state.results_path)
        p = begin_timing(handle, stream);
    pthread_mutex_unlock(&state.lock);
    return p.end;
}

static int after_launch(void *end, void *stream, int result)
{
    if (end)
        REAL(cudaEventRecord)(end, stream);
    return result;
}

#define LAUNCH(name)                                                                                                   \
    API int name(const void *function, dim3 grid, dim3 block, void **args, size_t shared, void *stream);               \
    int name(const void *function, dim3 grid, dim3 block, void **args, size_t shared, void *stream)                    \
    {                                                                                                                  \
        void *end = before_launch(function, stream);                                                                   \
        return after_launch(end, stream, REAL(name)(function, grid, block, args, shared, stream));                     \
    }
LAUNCH(cudaLaunchKernel)
LAUNCH(cudaLaunchKernel_ptsz)
LAUNCH(__cudaLaunchKernel)
LAUNCH(__cudaLaunchKernel_ptsz)
LAUNCH(cudaLaunchCooperativeKernel)

/* ---- registration ---- */

static uint64_t chosen_loads(const sl_plan *plan)
{
    uint64_t chosen = 0;
    for (uint32_t i = 0; i < plan->loads; i++)
        chosen += plan->load[i].mode != SL_BYPASS_NONE;
    return chosen;
}

/* The wrapper to register: that of the program, or a copy around an edited container, which lives as long as the
 * process.
 */
static void *exchange(void *original)
{
    sl_error error = {0};
    const wrapper *w = original;
    wrapper *copy = NULL;
    void *container = NULL;
    size_t bytes;
    uint32_t texts = 0;
    if (!state.planned || !w->container)
        return original;
    if (sl_fatbin_apply(w->container, &state.plan, SL_PTX_L2_SM, &container, &bytes, &texts, &error))
        refuse(error.text);
    state.results.texts += texts;
    if (container && (copy = malloc(sizeof *copy))) {
        *copy = *w;
        copy->container = container;
        state.results.applied += chosen_loads(&state.plan);
    }
    return copy ? copy : original;
}

API void **__cudaRegisterFatBinary(void *original);
void **__cudaRegisterFatBinary(void *original)
{
    pthread_mutex_lock(&state.lock);
    start();
    void *registered = exchange(original);
    pthread_mutex_unlock(&state.lock);
    return REAL(__cudaRegisterFatBinary)(registered);
}

API void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
    finish(); /* what was copied since; and programs that launch nothing */
    REAL(__cudaUnregisterFatBinary)(handle);
}

static void remember(const void *handle, const char *name)
{
    pthread_mutex_lock(&state.lock);
    sl_array_push(&state.known, (known){handle, name});
    pthread_mutex_unlock(&state.lock);
}

API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                                void *bid, void *block, void *grid, int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                            void *bid, void *block, void *grid, int *warp)
{
    remember(host, name);
    REAL(__cudaRegisterFunction)(handle, host, device, name, limit, tid, bid, block, grid, warp);
}

/* CUDA 13 launches by handles that it asks for once. */
API int __cudaGetKernel(void **kernel, const void *host);
int __cudaGetKernel(void **kernel, const void *host)
{
    int result = REAL(__cudaGetKernel)(kernel, host);
    if (!result) {
        pthread_mutex_lock(&state.lock);
        const char *name = name_of(host);
        pthread_mutex_unlock(&state.lock);
        remember(*kernel, name);
    }
    return result;
}

/* Events die with the device's context. */
API int cudaDeviceReset(void);
int cudaDeviceReset(void)
{
    finish();
    return REAL(cudaDeviceReset)();
}

/* ---- what comes to the host ---- */

typedef struct attributes { /* cudaPointerAttributes: all versions begin so */
    int type, device;
    void *rest[6];
} attributes;
extern int cudaPointerGetAttributes(attributes *, const void *);

static bool reaches_host(const void *to, int kind)
{
    attributes a = {0};
    if (kind != COPY_DEFAULT)
        return kind == COPY_TO_HOST;
    return REAL(cudaPointerGetAttributes)(&a, to) || a.type < MEMORY_DEVICE;
}

static int copied(int result, void *to, size_t bytes, int kind, void *stream)
{
    if (result || !reaches_host(to, kind) || is_capturing(stream) || REAL(cudaStreamSynchronize)(stream))
        return result;
    pthread_mutex_lock(&state.lock);
    sl_swap_results_copy(&state.results, to, bytes);
    pthread_mutex_unlock(&state.lock);
    return result;
}

#define COPY(name)                                                                                                     \
    API int name(void *to, const void *from, size_t bytes, int kind);                                                  \
    int name(void *to, const void *from, size_t bytes, int kind)                                                       \
    {                                                                                                                  \
        return copied(REAL(name)(to, from, bytes, kind), to, bytes, kind, NULL);                                       \
    }
COPY(cudaMemcpy)
COPY(cudaMemcpy_ptds)

#define COPY_ASYNC(name)                                                                                               \
    API int name(void *to, const void *from, size_t bytes, int kind, void *stream);                                    \
    int name(void *to, const void *from, size_t bytes, int kind, void *stream)                                         \
    {                                                                                                                  \
        return copied(REAL(name)(to, from, bytes, kind, stream), to, bytes, kind, stream);                             \
    }
COPY_ASYNC(cudaMemcpyAsync)
COPY_ASYNC(cudaMemcpyAsync_ptsz)

API int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return copied(REAL(cudaMemcpyFromSymbol)(to, symbol, bytes, offset, kind), to, bytes, kind, NULL);
}
