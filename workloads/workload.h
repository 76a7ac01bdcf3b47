/* SPDX-License-Identifier: MIT */
/* Built-in GPU programs. Each is a folder workloads/NAME with its kernels (NAME.cu, compiled to NAME.ptx by
 * workloads/generate-ptx), its host (NAME.c, one function sl_workload_NAME) and one line in registry.def.
 *
 * A host makes inputs, allocates, launches, reads back and checks against the CPU, through the sl_host it is given:
 *
 *     void sl_workload_vecadd(sl_host *h)
 *     {
 *         uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 1u << 28);
 *         float *a = sl_random_floats(h, n), *c = sl_host_new(h, float, n);
 *         uint64_t a_dev = sl_host_upload(h, "a", a, n * sizeof *a), …
 *         sl_host_launch(h, "vecadd", SL_DIM(sl_blocks(n, 256)), SL_DIM(256), 0, a_dev, …, n);
 *         sl_host_download(h, c, c_dev, n * sizeof *c);
 *         …
 *
 * There is no error handling in hosts: a call that fails does not return. It ends the host function, and
 * sl_workload_run frees everything the host had allocated and gives back the error. */
#ifndef SL_WORKLOADS_WORKLOAD_H
#define SL_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "device/device.h"
#include "sluice/error.h"

typedef struct sl_host sl_host;

/* ---- the library, as its users see it ---- */

enum { SL_SIZE_SMALL, SL_SIZE_DEFAULT, SL_SIZE_LARGE, SL_SIZES };
extern const char *const sl_size_names[SL_SIZES]; /* "small", "default", "large" */

/* Instructions and footprint of a run: measured.def. All zero where it was not measured. */
typedef struct sl_workload_facts {
    uint64_t launches, warp_insts, thread_insts;
    uint64_t footprint_bytes; /* max over the launches */
} sl_workload_facts;

typedef struct sl_workload {
    const char *name;
    const char *papers, *class, *tags; /* see registry.def; words separated by spaces */
    const char *summary;
    const char *size[SL_SIZES];     /* parameters and their values: "n=256 steps=4" */
    const sl_workload_facts *facts; /* [SL_SIZES], with seed 1 and warps of 32; NULL: none */
    void (*run)(sl_host *);
    const char *ptx, *ptx_end;
    const char *source, *source_end;    /* NAME.cu */
    const char *ptx_name, *source_name; /* "NAME.ptx"; "workloads/NAME/NAME.cu", as the lines of the PTX have it */
} sl_workload;

size_t sl_workload_count(void);
const sl_workload *sl_workload_at(size_t index); /* sorted as in the registry */
sl_status sl_workload_find(const char *name, const sl_workload **workload, sl_error *error);
/* Whether the word is among the tags, or is the class. */
bool sl_workload_has_tag(const sl_workload *workload, const char *tag);
bool sl_workload_of_paper(const sl_workload *workload, const char *paper);

typedef struct sl_workload_options {
    const char *size; /* NULL: "default" */
    size_t sets;
    const char *const *set; /* [sets]: "n=512", overrides single parameters */
    uint64_t seed;          /* of the inputs */
    bool skip_check;        /* do not compute the CPU reference */
} sl_workload_options;

typedef struct sl_workload_result {
    char params[256]; /* the parameters it ran with: "n=512 steps=4" */
    uint64_t launches;
    uint64_t compared; /* values compared with the CPU reference; 0: the check was skipped */
    double worst;      /* the largest difference, as a share of the difference allowed */
} sl_workload_result;

/* Runs the workload on the device. SL_MISMATCH: its output is not that of the CPU reference. `result` may be NULL. */
sl_status sl_workload_run(const sl_workload *workload, sl_device *device, const sl_workload_options *options,
                          sl_workload_result *result, sl_error *error);

/* The host functions. */
#define SL_WORKLOAD(name, ...) void sl_workload_##name(sl_host *h);
#include "workloads/registry.def"
#undef SL_WORKLOAD

/* ---- what hosts call; none of these returns when it fails ---- */

/* The value of a parameter that the workload's sizes name, checked against [min, max]. */
uint64_t sl_host_param(sl_host *h, const char *name, uint64_t min, uint64_t max);
sl_random *sl_host_random(sl_host *h);
bool sl_host_checks(const sl_host *h); /* false: the CPU reference is not wanted */

/* Zeroed host memory, freed when the host returns. */
void *sl_host_alloc(sl_host *h, uint64_t count, size_t item_bytes);
#define sl_host_new(h, type, count) ((type *)sl_host_alloc((h), (count), sizeof(type)))
/* Stops with an error of the host, e.g. for an invalid combination of parameters. */
_Noreturn void sl_host_fail(sl_host *h, sl_status status, const char *format, ...) SL_PRINTF(3, 4);

/* Device memory, freed when the host returns. `label` names it in traces. */
uint64_t sl_host_device(sl_host *h, const char *label, uint64_t bytes);
uint64_t sl_host_upload(sl_host *h, const char *label, const void *from, uint64_t bytes); /* allocate and copy in */
void sl_host_write(sl_host *h, uint64_t to, const void *from, uint64_t bytes);
void sl_host_download(sl_host *h, void *to, uint64_t from, uint64_t bytes);
void sl_host_fill(sl_host *h, uint64_t addr, uint8_t value, uint64_t bytes);
uint64_t sl_host_symbol(sl_host *h, const char *name); /* address of a __device__ or __constant__ variable */

typedef struct sl_dim {
    uint32_t size[3]; /* x, y, z; 0 counts as 1 */
} sl_dim;
#define SL_DIM(...) ((sl_dim){{__VA_ARGS__}})

/* ceil(n / block): the blocks it takes to give each of n items a thread. */
static inline uint32_t sl_blocks(uint64_t n, uint32_t block)
{
    return (uint32_t)((n + block - 1) / block);
}

/* sl_host_launch(h, "kernel", grid, block, shared_bytes, arguments…): the arguments are values whose C types have the
 * sizes of the kernel's parameters (uint64_t for pointers); at least one, at most 24. */
#define sl_host_launch(h, kernel, grid, block, shared_bytes, ...)                                                      \
    sl_host_launch_args((h), (kernel), (grid), (block), (shared_bytes), SL_ARGS(__VA_ARGS__))
#define SL_ARGS(...)                                                                                                   \
    sizeof((sl_device_arg[]){SL_EACH(__VA_ARGS__)}) / sizeof(sl_device_arg), (sl_device_arg[])                         \
    {                                                                                                                  \
        SL_EACH(__VA_ARGS__)                                                                                           \
    }
void sl_host_launch_args(sl_host *h, const char *kernel, sl_dim grid, sl_dim block, uint32_t shared_bytes, size_t args,
                         const sl_device_arg *arg);

/* An array of one, because that takes a scalar and a struct alike. */
#define SL_ONE_ARG(x)                                                                                                  \
    {                                                                                                                  \
        (__typeof__(x)[1]){x}, sizeof(x)                                                                               \
    }

// clang-format off
#define SL_EACH(...) SL_EACH_PICK(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)(__VA_ARGS__)
#define SL_EACH_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, count, ...) SL_EACH_##count
#define SL_EACH_1(x) SL_ONE_ARG(x)
#define SL_EACH_2(x, ...)  SL_ONE_ARG(x), SL_EACH_1(__VA_ARGS__)
#define SL_EACH_3(x, ...)  SL_ONE_ARG(x), SL_EACH_2(__VA_ARGS__)
#define SL_EACH_4(x, ...)  SL_ONE_ARG(x), SL_EACH_3(__VA_ARGS__)
#define SL_EACH_5(x, ...)  SL_ONE_ARG(x), SL_EACH_4(__VA_ARGS__)
#define SL_EACH_6(x, ...)  SL_ONE_ARG(x), SL_EACH_5(__VA_ARGS__)
#define SL_EACH_7(x, ...)  SL_ONE_ARG(x), SL_EACH_6(__VA_ARGS__)
#define SL_EACH_8(x, ...)  SL_ONE_ARG(x), SL_EACH_7(__VA_ARGS__)
#define SL_EACH_9(x, ...)  SL_ONE_ARG(x), SL_EACH_8(__VA_ARGS__)
#define SL_EACH_10(x, ...) SL_ONE_ARG(x), SL_EACH_9(__VA_ARGS__)
#define SL_EACH_11(x, ...) SL_ONE_ARG(x), SL_EACH_10(__VA_ARGS__)
#define SL_EACH_12(x, ...) SL_ONE_ARG(x), SL_EACH_11(__VA_ARGS__)
#define SL_EACH_13(x, ...) SL_ONE_ARG(x), SL_EACH_12(__VA_ARGS__)
#define SL_EACH_14(x, ...) SL_ONE_ARG(x), SL_EACH_13(__VA_ARGS__)
#define SL_EACH_15(x, ...) SL_ONE_ARG(x), SL_EACH_14(__VA_ARGS__)
#define SL_EACH_16(x, ...) SL_ONE_ARG(x), SL_EACH_15(__VA_ARGS__)
#define SL_EACH_17(x, ...) SL_ONE_ARG(x), SL_EACH_16(__VA_ARGS__)
#define SL_EACH_18(x, ...) SL_ONE_ARG(x), SL_EACH_17(__VA_ARGS__)
#define SL_EACH_19(x, ...) SL_ONE_ARG(x), SL_EACH_18(__VA_ARGS__)
#define SL_EACH_20(x, ...) SL_ONE_ARG(x), SL_EACH_19(__VA_ARGS__)
#define SL_EACH_21(x, ...) SL_ONE_ARG(x), SL_EACH_20(__VA_ARGS__)
#define SL_EACH_22(x, ...) SL_ONE_ARG(x), SL_EACH_21(__VA_ARGS__)
#define SL_EACH_23(x, ...) SL_ONE_ARG(x), SL_EACH_22(__VA_ARGS__)
#define SL_EACH_24(x, ...) SL_ONE_ARG(x), SL_EACH_23(__VA_ARGS__)
// clang-format on

/* ---- comparing with the CPU reference ---- */

/* Every element must be the same. */
void sl_check_u32(sl_host *h, const char *what, const uint32_t *got, const uint32_t *expected, uint64_t count);
/* |got - expected| <= absolute + relative * |expected|, with both 0 where the arithmetic is exact; NaN agrees with NaN
 * only. */
void sl_check_f32(sl_host *h, const char *what, const float *got, const float *expected, uint64_t count,
                  double absolute, double relative);
void sl_check_f64(sl_host *h, const char *what, const double *got, const double *expected, uint64_t count,
                  double absolute, double relative);

#endif
