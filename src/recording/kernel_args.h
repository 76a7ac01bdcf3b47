/* SPDX-License-Identifier: MIT */
/* Kernel arguments as typed on a command line, for running a kernel of a PTX file:
 *
 *     TYPE:VALUE          a scalar                     u32:1024   s32:-1   f32:0.5   u64:0xff00
 *     TYPE[COUNT]:FILL    a buffer in device memory; the kernel gets its address
 *     hex:DIGITS          the bytes of a parameter of any size, lowest address first
 *
 * TYPE is u8 u16 u32 u64 s8 s16 s32 s64 f32 f64. COUNT takes K, M, G (powers of 1024). FILL is one of
 *
 *     zero                all bits 0 (also when ':FILL' is left out)
 *     iota                0, 1, 2, …
 *     random, random:N    integers below N, floats in [0, N); without N: any integer, [0, 1)
 *     file:PATH           the bytes of a file, which must be exactly as long as the buffer
 *     none                never written: for --check=uninit
 *     VALUE               every element */
#ifndef SL_RECORDING_KERNEL_ARGS_H
#define SL_RECORDING_KERNEL_ARGS_H

#include <stdio.h>

#include "base/random.h"
#include "device/device.h"

typedef enum sl_arg_fill {
    SL_FILL_ZERO,
    SL_FILL_IOTA,
    SL_FILL_RANDOM,
    SL_FILL_FILE,
    SL_FILL_NONE,
    SL_FILL_VALUE,
} sl_arg_fill;

typedef struct sl_kernel_arg {
    const char *text; /* as typed; borrowed */
    char kind;        /* 'u', 's', 'f'; 'h' for hex */
    uint32_t bytes;   /* of an element; for hex: of the parameter */
    bool buffer;
    uint64_t count; /* of elements; 1 for scalars */
    sl_arg_fill fill;
    uint8_t value[256]; /* the scalar, the bytes of hex, or the element that fills a buffer */
    double bound;       /* of random; 0: none given */
    const char *path;   /* of file; points into `text` */
    uint64_t addr;      /* set by sl_kernel_arg_allocate */
} sl_kernel_arg;

sl_status sl_kernel_arg_parse(const char *text, sl_kernel_arg *arg, sl_error *error);
/* Buffers: allocates and fills; `label` names the allocation. Scalars: nothing. */
sl_status sl_kernel_arg_allocate(sl_kernel_arg *arg, sl_device *device, const char *label, sl_random *random,
                                 sl_error *error);
/* What the kernel gets: the value, or the address of the buffer. Valid as long as `arg`. */
sl_device_arg sl_kernel_arg_value(const sl_kernel_arg *arg);
/* Reads the buffer back: *data is malloc'ed, arg->count * arg->bytes long. */
sl_status sl_kernel_arg_fetch(const sl_kernel_arg *arg, sl_device *device, void **data, sl_error *error);
/* Prints elements, eight to a line, each line with the index of its first. */
void sl_kernel_arg_print(const sl_kernel_arg *arg, const void *data, FILE *file);

/* One launch of one kernel of a PTX module, with arguments as kernel_args.h reads them. */

typedef struct sl_kernel_launch {
    const char *entry;          /* NULL: the only kernel */
    uint32_t grid[3], block[3]; /* 0: 1 */
    uint64_t shared_bytes;      /* dynamic */
    size_t args;
    const char *const *arg; /* [args]: as typed, one per parameter, in order */
    /* Called after the launch, before its buffers are freed. May be NULL. */
    sl_status (*after)(void *context, const sl_kernel_arg *arg, size_t args, sl_device *device, sl_error *error);
    void *after_context;
} sl_kernel_launch;

/* Allocates the arguments, launches, waits, calls `after`, and frees the arguments. `seed` is for random buffers. */
sl_status sl_kernel_launch_run(const sl_kernel_launch *launch, sl_device_module *module, uint64_t seed,
                               sl_device *device, sl_error *error);

#endif
