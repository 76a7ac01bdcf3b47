/* SPDX-License-Identifier: MIT */
/* The state of a running workload: what workloads/host.c and workloads/common share. Hosts do not see it. */
#ifndef SL_WORKLOADS_HOST_H
#define SL_WORKLOADS_HOST_H

#include <setjmp.h>

#include "base/array.h"
#include "workloads/workload.h"

enum { SL_HOST_SETTINGS = 16 };
#define SL_HOST_LARGEST (UINT64_C(1) << 40) /* of a parameter: products with item sizes stay far from overflow */

typedef struct sl_setting {
    const char *name; /* not terminated: `length` bytes */
    size_t length;
    uint64_t value;
} sl_setting;

struct sl_host {
    const sl_workload *workload;
    sl_device *device;
    sl_device_module *module;
    sl_random random;
    bool checks;
    size_t settings;
    sl_setting setting[SL_HOST_SETTINGS];
    SL_ARRAY(void *) host_memory;
    SL_ARRAY(uint64_t) device_memory;
    uint64_t launches, compared;
    double worst;
    jmp_buf out;      /* where a failing call goes */
    sl_status status; /* with what */
    sl_error *error;
};

#endif
