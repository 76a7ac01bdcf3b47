/* SPDX-License-Identifier: MIT */
/* The state, its start and end, and its errors. */
#include "process/core.h"

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mangle.h"
#include "base/text.h"
#include "emu/tensor_map.h"
#include "process/results_file.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sl_proc state;

sl_proc *sl_proc_enter(void)
{
    pthread_mutex_lock(&lock);
    state.entered_ns = sl_thread_cpu_ns();
    return &state;
}

void sl_proc_unlock(sl_proc *rt)
{
    rt->spent.calls_ns += sl_thread_cpu_ns() - rt->entered_ns;
    pthread_mutex_unlock(&lock);
}

void sl_proc_relock(sl_proc *rt)
{
    pthread_mutex_lock(&lock);
    rt->entered_ns = sl_thread_cpu_ns();
}

void sl_proc_say(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fputs("sluice: ", stderr);
    sl_text_append(stderr, line, false, false);
    fputc('\n', stderr);
}

void sl_proc_say_error(const char *what, const sl_error *error)
{
    char text[1536];
    sl_error_format(error, text, sizeof text);
    if (what)
        sl_proc_say("%s: %s", what, text);
    else
        sl_proc_say("%s", text);
}

bool sl_proc_is_new(sl_proc *rt, const char *text)
{
    if (sl_map_get(&rt->warned, text, strlen(text)))
        return false;
    char *copy = strdup(text); /* kept as long as the process */
    if (copy && !sl_map_put(&rt->warned, copy, strlen(copy), rt))
        free(copy);
    return true;
}

void sl_proc_problem(sl_proc *rt, const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (!sl_proc_is_new(rt, line))
        return;
    sl_proc_say("%s", line);
    sl_results_problem(rt->options.results, line);
}

cudaError_t sl_proc_missing(const char *name, bool *said)
{
    if (!*said)
        sl_proc_say("%s is not supported: it returns %s", name,
                    strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2]) ? "CUDA_ERROR_NOT_SUPPORTED"
                                                                                   : "cudaErrorNotSupported");
    *said = true;
    return cudaErrorNotSupported;
}

cudaError_t sl_proc_error_of(sl_status status)
{
    switch (status) {
    case SL_OK:
        return cudaSuccess;
    case SL_NO_MEMORY:
        return cudaErrorMemoryAllocation;
    case SL_SYNTAX:
        return cudaErrorInvalidPtx;
    case SL_CORRUPT:
        return cudaErrorInvalidKernelImage;
    case SL_NOT_FOUND:
        return cudaErrorInvalidDeviceFunction;
    case SL_UNSUPPORTED:
        return cudaErrorNotSupported;
    case SL_IO:
        return cudaErrorOperatingSystem;
    case SL_INVALID:
        return cudaErrorInvalidValue;
    default: /* faults have specific numbers: see launch.c */
        return cudaErrorUnknown;
    }
}

static void keep_printed(void *context, const char *text, size_t length)
{
    sl_proc *rt = context;
    if (!sl_array_reserve(&rt->printed, length))
        return;
    memcpy(rt->printed.items + rt->printed.count, text, length);
    rt->printed.count += length;
}

void sl_proc_flush_printed(sl_proc *rt)
{
    /* Through the program's own stdio buffer, so that its lines and the kernels' lines stay in order. */
    if (rt->printed.count && isatty(STDOUT_FILENO)) /* kernels are strangers to the user's terminal */
        sl_text_append_bytes(stdout, (const char *)rt->printed.items, rt->printed.count, false, false);
    else if (rt->printed.count)
        fwrite(rt->printed.items, 1, rt->printed.count, stdout);
    rt->printed.count = 0;
}

static void warn_lost_text(void *context, uint64_t calls)
{
    sl_proc *rt = context;
    if (!rt->options.quiet)
        sl_proc_say(
            "warning: kernel %s printed more than %zu bytes; the text of its first %llu calls of printf is lost "
            "(cudaLimitPrintfFifoSize)",
            rt->launching->name, rt->limits[cudaLimitPrintfFifoSize], (unsigned long long)calls);
}

/* Programs that a GPU runs without a complaint should run here too, but not without one. */
static void warn_strays(void *context, const sl_error *first, uint64_t accesses)
{
    sl_proc *rt = context;
    if (rt->options.quiet || rt->launching->warned_stray)
        return;
    char text[1536];
    sl_proc_say("warning: %s; a GPU does not notice this and %llu other accesses of the launch (--check=address makes "
                "them errors)",
                sl_error_format(first, text, sizeof text), (unsigned long long)accesses - 1);
    rt->launching->warned_stray = true;
}

static void warn_absent(void *context, const sl_error *first, uint64_t count)
{
    sl_proc *rt = context;
    if (rt->options.quiet || rt->launching->warned_absent)
        return;
    char text[1536];
    sl_proc_say("warning: %s; what this and %llu other such shuffles of the launch read is undefined on a GPU",
                sl_error_format(first, text, sizeof text), (unsigned long long)count - 1);
    rt->launching->warned_absent = true;
}

/* A launch that is interrupted ends early, so that what it has counted is reported, and the program with it. */
static void on_interrupt(int signal_number)
{
    if (state.in_launch && !state.stop) {
        state.stop = signal_number;
        return;
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Programs that handle a signal keep their handlers. */
static void watch_interrupts(void)
{
    static const int SIGNALS[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        struct sigaction now, ours = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
        if (!sigaction(SIGNALS[i], NULL, &now) && now.sa_handler == SIG_DFL)
            sigaction(SIGNALS[i], &ours, NULL);
    }
}

void sl_proc_end_interrupted(sl_proc *rt)
{
    int signal_number = rt->stop;
    rt->in_launch = 0;
    if (!signal_number)
        return;
    sl_proc_results_interrupted(rt);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static cudaError_t start_device(sl_proc *rt)
{
    sl_error error = {0};
    const sl_launch_sink *sink = NULL;
    if (sl_proc_results_open(rt, &sink, &error)) {
        sl_proc_problem(rt, "%s", error.text);
        return cudaErrorInitializationError;
    }
    rt->progress = sl_progress_line_init(&rt->line, rt->options.quiet ? NULL : stderr);
    const sl_emu_config config = {.settings = rt->options.settings,
                                  .host_addresses = true,
                                  .sink = sink,
                                  .progress = rt->line.file ? &rt->progress : NULL,
                                  .print = keep_printed,
                                  .print_lost = warn_lost_text,
                                  .print_context = rt,
                                  .stray = rt->options.settings.check == SL_CHECK_GPU ? warn_strays : NULL,
                                  .absent = warn_absent,
                                  .lapse_context = rt,
                                  .stop = &rt->stop,
                                  .extern_find = sl_proc_device_function,
                                  .extern_call = sl_proc_device_call,
                                  .extern_context = rt};
    if (sl_emu_create(&config, &rt->emu, &error)) {
        sl_proc_say_error("cannot start the emulated GPU", &error);
        return cudaErrorInitializationError;
    }
    if (rt->options.settings.check == SL_CHECK_RACE)
        sl_proc_order_start(&rt->order);
    watch_interrupts();
    rt->limits[cudaLimitStackSize] = 1024;
    rt->limits[cudaLimitPrintfFifoSize] = SL_PRINTF_BYTES;
    rt->limits[cudaLimitMallocHeapSize] = SL_KERNELS_HEAP_BYTES;
    rt->limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
    rt->limits[cudaLimitMaxL2FetchGranularity] = 64;
    rt->limits[cudaLimitPersistingL2CacheSize] = 11796480;
    return cudaSuccess;
}

cudaError_t sl_proc_ready(sl_proc *rt)
{
    if (!rt->started) {
        sl_error error = {0};
        rt->started = true;
        rt->pid = getpid();
        if (sl_proc_options_decode(getenv(SL_PROC_OPTIONS_VARIABLE), &rt->options, &error)) {
            sl_proc_say_error(SL_PROC_OPTIONS_VARIABLE, &error);
            rt->start_error = cudaErrorInitializationError;
        }
        if (*rt->options.plan && sl_plan_list_read(rt->options.plan, &rt->plans, &error))
            sl_proc_say_error(NULL, &error);
    }
    /* A forked child has a copy of the parent's device that shares nothing with it: CUDA refuses this as well. */
    if (rt->start_error || rt->pid != getpid())
        return cudaErrorInitializationError;
    if (!rt->emu)
        rt->start_error = start_device(rt);
    return rt->start_error ? rt->start_error : rt->fault;
}

void sl_proc_reset(sl_proc *rt)
{
    sl_proc_flush_printed(rt);
    if (!rt->emu)
        return;
    sl_proc_registry_forget_device(rt);
    sl_proc_streams_forget_device(rt);
    sl_proc_arrays_forget_device(rt);
    sl_proc_memory_forget_device(rt);
    sl_proc_device_calls_forget_device(rt);
    sl_proc_vm_forget_device(rt);
    sl_proc_processes_forget_device(rt);
    sl_proc_results_forget_kernels(rt);
    rt->spent.emulation_ns += sl_emu_helpers_cpu_ns(rt->emu);
    rt->spent.calls_ns += sl_emu_helpers_cpu_ns(rt->emu);
    sl_emu_destroy(rt->emu);
    rt->emu = NULL;
    rt->fault = cudaSuccess;
}

/* At the end of the program, after its own exit handlers: what kernels printed last, and the results. */
__attribute__((destructor)) static void finish(void)
{
    sl_proc *rt = sl_proc_enter();
    if (rt->started && rt->pid == getpid()) {
        char name[128];
        const char *kernel = sl_proc_order_unwaited(&rt->order);
        if (kernel && !rt->fault)
            sl_proc_problem(rt, "the program ends without waiting for kernel %s",
                            sl_function_name(kernel, name, sizeof name));
        sl_proc_flush_printed(rt);
        sl_proc_results_close(rt);
    }
    sl_proc_unlock(rt);
}

/* ---- errors ---- */

const char *sl_proc_error_name(cudaError_t error)
{
    switch ((int)error) {
#define SL_PROC_ERROR(number, name, text)                                                                              \
    case number:                                                                                                       \
        return #name;
#include "process/errors.def"
#undef SL_PROC_ERROR
    }
    return NULL;
}

const char *sl_proc_error_text(cudaError_t error)
{
    switch ((int)error) {
#define SL_PROC_ERROR(number, name, text)                                                                              \
    case number:                                                                                                       \
        return text;
#include "process/errors.def"
#undef SL_PROC_ERROR
    }
    return NULL;
}

const char *sl_proc_tensor_map_wrong(const sl_tensor_map *map)
{
    return sl_tensor_map_wrong(map);
}
