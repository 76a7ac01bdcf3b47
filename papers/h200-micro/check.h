/* SPDX-License-Identifier: MIT */
/* Ends the program when a CUDA call fails. */
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                            \
    do {                                                                                                                       \
        cudaError_t status = call;                                                                                             \
        if (status != cudaSuccess) {                                                                                           \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                                                    \
            exit(1);                                                                                                           \
        }                                                                                                                      \
    } while (0)
