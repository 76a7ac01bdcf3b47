/* SPDX-License-Identifier: MIT */
/* The warp codec: time and bytes per memory access, next to the plainest thing one could do instead: copying the 32
 * addresses (256 bytes) into a buffer. Both run over the same addresses in the same process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/codec.h"

enum { LANES = 32, ROUNDS = 2000, ACCESSES = 1024 };

typedef struct pattern {
    const char *name;
    void (*fill)(uint64_t addr[LANES], uint64_t k, uint64_t *seed);
    uint64_t mask;
} pattern;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void coalesced(uint64_t addr[LANES], uint64_t k, uint64_t *seed)
{
    (void)seed;
    for (uint64_t i = 0; i < LANES; i++)
        addr[i] = 0x7f0000000000 + k * 128 + i * 4;
}

static void two_rows(uint64_t addr[LANES], uint64_t k, uint64_t *seed)
{
    (void)seed;
    for (uint64_t i = 0; i < LANES; i++)
        addr[i] = 0x7f0000000000 + k * 4 + i / 16 * 1024;
}

static void inner_loops(uint64_t addr[LANES], uint64_t k, uint64_t *seed)
{
    (void)seed;
    for (uint64_t i = 0; i < LANES; i++)
        addr[i] = 0x7f0000000000 + k / 16 * 65536 + k % 16 * 4 + i * 256;
}

static void lane_rows(uint64_t addr[LANES], uint64_t k, uint64_t *seed)
{
    for (uint64_t i = 0; i < LANES; i++)
        addr[i] = k % 48 ? addr[i] + 4 : 0x7f0000000000 + (next_random(seed) & 0xfffff) * 4;
}

static void gather(uint64_t addr[LANES], uint64_t k, uint64_t *seed)
{
    (void)k;
    for (uint64_t i = 0; i < LANES; i++)
        addr[i] = 0x7f0000000000 + (next_random(seed) & 0xfffff) * 4;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The fastest of several tries, in nanoseconds per access. */
static double time_copy(uint64_t (*addrs)[LANES], uint8_t *buffer)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        uint8_t *at = buffer;
        for (int k = 0; k < ACCESSES; k++, at += sizeof *addrs) {
            memcpy(at, addrs[k], sizeof *addrs);
            __asm__ volatile("" ::"r"(at) : "memory");
        }
        double ns = (seconds() - start) * 1e9 / ACCESSES;
        best = ns < best ? ns : best;
    }
    return best;
}

static double time_encode(uint64_t (*addrs)[LANES], uint64_t mask, sl_warp_stream *stream)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        sl_warp_stream_reset(stream, 1, LANES);
        for (int k = 0; k < ACCESSES; k++) {
            sl_warp_stream_step(stream, 0, mask);
            sl_warp_stream_access(stream, 0, mask, addrs[k]);
        }
        sl_warp_stream_flush(stream);
        double ns = (seconds() - start) * 1e9 / ACCESSES;
        best = ns < best ? ns : best;
    }
    return best;
}

static double time_decode(const sl_warp_stream *stream, const sl_trace_kernel *kernel)
{
    double best = 1e9;
    sl_warp_view view = {0, stream->control.data, stream->memory.data, stream->control.count, stream->memory.count};
    sl_predictor scratch[1];
    sl_warp_cursor cursor;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        bool more = true;
        sl_warp_cursor_init(&cursor, kernel, LANES, &view, scratch);
        while (more && !sl_warp_cursor_step(&cursor, &more, NULL) && more)
            if (sl_warp_cursor_access(&cursor, &more, NULL))
                abort();
        double ns = (seconds() - start) * 1e9 / ACCESSES;
        best = ns < best ? ns : best;
    }
    return best;
}

int main(void)
{
    static const pattern patterns[] = {
        {"coalesced", coalesced, UINT32_MAX},       {"coalesced, half the lanes", coalesced, 0x55555555},
        {"16-lane rows", two_rows, UINT32_MAX},     {"inner loops of 16", inner_loops, UINT32_MAX},
        {"a row per lane", lane_rows, UINT32_MAX},  {"random gather, 4 MiB", gather, UINT32_MAX},
        {"the same, three lanes", gather, 0x10101},
    };
    sl_inst inst = {.op_class = SL_CLASS_MEMORY, .space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4};
    sl_trace_bb bb = {0, 1};
    uint32_t mem_inst = 0;
    sl_trace_kernel kernel = {.insts = 1, .inst = &inst, .bbs = 1, .bb = &bb, .mem_slots = 1, .mem_inst = &mem_inst};
    static uint64_t addrs[ACCESSES][LANES];
    uint8_t *buffer = malloc(sizeof addrs);
    sl_warp_stream stream;
    if (!buffer || !sl_warp_stream_init(&stream, 1, LANES))
        return 1;
    printf("%-26s %12s %12s %8s %12s %8s %10s\n", "accesses of 32 lanes", "encode ns", "copy ns", "ratio", "decode ns",
           "ratio", "raw bytes");
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        uint64_t seed = 1;
        for (uint64_t k = 0; k < ACCESSES; k++) {
            if (k)
                memcpy(addrs[k], addrs[k - 1], sizeof addrs[k]);
            patterns[p].fill(addrs[k], k, &seed);
        }
        double copy = time_copy(addrs, buffer), encode = time_encode(addrs, patterns[p].mask, &stream);
        double decode = time_decode(&stream, &kernel);
        printf("%-26s %12.1f %12.1f %8.2f %12.1f %8.2f %10.2f\n", patterns[p].name, encode, copy, encode / copy, decode,
               decode / copy, (double)(stream.control.count + stream.memory.count) / ACCESSES);
    }
    sl_warp_stream_fini(&stream);
    free(buffer);
    return 0;
}
