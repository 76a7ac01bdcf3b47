/* SPDX-License-Identifier: MIT */
/* A CUDA runtime for tests that does nothing, but ends as the real one does: its driver comes with the first use, and
 * so ends before programs take back their fat binaries. From then on every call fails. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
enum { UNLOADING = 4, COPY_TO_HOST = 2 };

static bool started, ended;
static float now; /* milliseconds; each launch takes two */

static void end(void)
{
    ended = true;
}

static int use(void)
{
    if (!started)
        started = !atexit(end);
    return ended ? UNLOADING : 0;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    return wrapper;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                            void *bid, void *block, void *grid, int *warp)
{
    (void)handle, (void)host, (void)device, (void)name, (void)limit, (void)tid, (void)bid, (void)block, (void)grid,
        (void)warp;
}

int __cudaGetKernel(void **kernel, const void *host)
{
    static char handle;
    (void)host;
    *kernel = &handle;
    return use();
}

int __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, void *stream)
{
    (void)kernel, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
    now += 2;
    return use();
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return use();
}

int cudaDeviceReset(void)
{
    ended = true; /* as far as events are concerned */
    return 0;
}

int cudaEventCreateWithFlags(void **event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof now);
    return *event ? use() : 2;
}

int cudaEventRecord(void *event, void *stream)
{
    (void)stream;
    *(float *)event = now;
    return use();
}

int cudaEventSynchronize(void *event)
{
    (void)event;
    return use();
}

int cudaEventElapsedTime(float *ms, const void *begin, const void *end_event)
{
    *ms = *(const float *)end_event - *(const float *)begin;
    return use();
}

int cudaEventDestroy(void *event)
{
    free(event);
    return use();
}

int cudaStreamIsCapturing(void *stream, int *capturing)
{
    *capturing = stream != NULL;
    return use();
}

int cudaStreamSynchronize(void *stream)
{
    (void)stream;
    return use();
}
