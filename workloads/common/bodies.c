/* SPDX-License-Identifier: MIT */
#include "workloads/common/bodies.h"

#include <math.h>

/* Radius s / sqrt(1 - s^2) where s^3 is uniform, and the largest of three uniform numbers is such. */
sl_bodies sl_plummer_bodies(sl_host *h, uint32_t count, uint64_t nodes)
{
    sl_random *random = sl_host_random(h);
    sl_bodies c = {.count = count, .mass = sl_host_new(h, float, nodes)};
    for (int axis = 0; axis < 3; axis++) {
        c.position[axis] = sl_host_new(h, float, nodes);
        c.velocity[axis] = sl_host_new(h, float, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        double s = 0, point[3], squared;
        for (int draw = 0; draw < 3; draw++)
            s = fmax(s, 0.999 * sl_random_f64(random));
        do {
            squared = 0;
            for (int axis = 0; axis < 3; axis++) {
                point[axis] = 2 * sl_random_f64(random) - 1;
                squared += point[axis] * point[axis];
            }
        } while (squared > 1 || squared < 1e-4);
        for (int axis = 0; axis < 3; axis++) {
            c.position[axis][i] = (float)(point[axis] / sqrt(squared) * s / sqrt(1 - s * s));
            c.velocity[axis][i] = 0.25f * (2 * sl_random_f32(random) - 1);
        }
        c.mass[i] = 1.0f / (float)count;
    }
    return c;
}
