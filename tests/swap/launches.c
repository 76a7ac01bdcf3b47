/* SPDX-License-Identifier: MIT */
/* A program as nvcc makes them: registers its fat binary before main, takes it back at the end, and launches by a
 * handle. `launches` launches three times; `launches reset` ends the device itself; `launches graph` launches once more
 * into a stream that is being captured. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
extern void **__cudaRegisterFatBinary(void *);
extern void __cudaUnregisterFatBinary(void **);
extern void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *,
                                   int *);
extern int __cudaGetKernel(void **, const void *);
extern int __cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
extern int cudaMemcpy(void *, const void *, size_t, int);
extern int cudaDeviceReset(void);

static struct {
    int magic, version;
    const void *container;
    void *rest;
} fatbin = {0x466243b1, 1, NULL, NULL};
static void **registered;
static char stub, device_name[] = "step";

static void take_back(void)
{
    __cudaUnregisterFatBinary(registered);
}

__attribute__((constructor)) static void begin(void)
{
    registered = __cudaRegisterFatBinary(&fatbin);
    __cudaRegisterFunction(registered, &stub, device_name, device_name, -1, NULL, NULL, NULL, NULL, NULL);
    atexit(take_back);
}

int main(int argc, char **argv)
{
    const dim3 one = {1, 1, 1};
    void *kernel;
    char result[8];
    const char *what = argc > 1 ? argv[1] : "";
    int failed = __cudaGetKernel(&kernel, &stub);
    for (int i = 0; i < 3; i++)
        failed |= __cudaLaunchKernel(kernel, one, one, NULL, 0, NULL);
    if (!strcmp(what, "graph"))
        failed |= __cudaLaunchKernel(kernel, one, one, NULL, 0, result);
    failed |= cudaMemcpy(result, "results", sizeof result, 2);
    if (!strcmp(what, "reset"))
        failed |= cudaDeviceReset();
    return failed;
}
