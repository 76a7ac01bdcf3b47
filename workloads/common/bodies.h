/* SPDX-License-Identifier: MIT */
/* Bodies that attract each other, for workloads. */
#ifndef SL_WORKLOADS_BODIES_H
#define SL_WORKLOADS_BODIES_H

#include "workloads/workload.h"

typedef struct sl_bodies {
    uint32_t count;
    float *position[3], *mass; /* [nodes]: of bodies, then room for the cells of a tree */
    float *velocity[3];        /* [count] */
} sl_bodies;

/* A Plummer sphere: dense inside, sparse outside. */
sl_bodies sl_plummer_bodies(sl_host *h, uint32_t count, uint64_t nodes);

#endif
