/* SPDX-License-Identifier: MIT */
/* Uses the runtime of fake_runtime.c: as a program, or as a plug-in that the program opens (its first argument). */
#include <dlfcn.h>
#include <stdio.h>

int cudaRuntimeGetVersion(int *);
int cudaMalloc(void **, unsigned long);
int cudaMemset(void *, int, unsigned long);
int cudaMemcpy(void *, const void *, unsigned long, int);
const char *cudaGetErrorName(int);
int __cudaRegisterFatBinary(void *);

int use_runtime(void);
int use_runtime(void)
{
    int version = 0, error = cudaRuntimeGetVersion(&version);
    void *memory = NULL;
    unsigned filled = 0;
    if (!error)
        error = cudaMalloc(&memory, 4);
    if (!error)
        error = cudaMemset(memory, 7, 4);
    if (!error)
        error = cudaMemcpy(&filled, memory, 4, 2);
    if (error < 0) /* never: keeps it in the program */
        __cudaRegisterFatBinary(NULL);
    if (error)
        printf("%s\n", cudaGetErrorName(0) ? "not redirected" : "");
    else
        printf("CUDA %d, filled with %x\n", version / 1000, filled);
    return error != 0;
}

#ifndef PLUGIN
int main(int count, char **argument)
{
    if (count < 2)
        return use_runtime();
    void *plugin = dlopen(argument[1], RTLD_NOW);
    int (*use)(void) = plugin ? (int (*)(void))dlsym(plugin, "use_runtime") : NULL;
    return use ? use() : (fprintf(stderr, "%s\n", dlerror()), 2);
}
#endif
