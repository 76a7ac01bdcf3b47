/* SPDX-License-Identifier: MIT */
/* What the test programs share. Each checks itself against the CPU and prints its results in a form that can be
 * compared bit for bit with a run on a GPU. */
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t check_error = (call);                                                                              \
        if (check_error != cudaSuccess) {                                                                              \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(check_error));                     \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* FNV-1a over bytes. */
static inline uint64_t hash_bytes(const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    uint64_t hash = 14695981039346656037ull;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ p[i]) * 1099511628211ull;
    return hash;
}

/* "name: 0123456789abcdef (n items)" */
template <class T> static void show(const char *name, const std::vector<T> &values)
{
    printf("%s: %016llx (%zu items)\n", name, (unsigned long long)hash_bytes(values.data(), values.size() * sizeof(T)),
           values.size());
}

/* A small generator of its own, so that every machine makes the same inputs. */
struct Random {
    uint32_t state;
    explicit Random(uint32_t seed) : state(seed * 2654435761u + 1)
    {
    }
    uint32_t next()
    {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    }
    float unit() /* [0, 1), exact in float */
    {
        return (float)next() / 16777216.0f;
    }
};

static inline int verdict(bool good)
{
    printf("%s\n", good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}

/* For comparing with the CPU where its arithmetic is not that of the device (contraction, order). */
static inline bool near(double a, double b, double tolerance)
{
    double scale = (a < 0 ? -a : a) > 1 ? (a < 0 ? -a : a) : 1;
    double d = a - b;
    return (d < 0 ? -d : d) <= tolerance * scale;
}
