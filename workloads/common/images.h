/* SPDX-License-Identifier: MIT */
/* Pictures that workloads share, drawn from the host's random numbers. */
#ifndef SL_WORKLOADS_IMAGES_H
#define SL_WORKLOADS_IMAGES_H

#include "workloads/workload.h"

/* A picture of 4 bytes per pixel (red in the lowest, alpha in the highest), row by row: a gradient with discs of random
 * colours on it, and a little noise, so that there are flat parts, edges and texture. */
uint32_t *sl_random_picture(sl_host *h, uint32_t width, uint32_t height);

/* One of the four bytes of a pixel. */
static inline uint32_t sl_pixel_channel(uint32_t pixel, uint32_t channel)
{
    return pixel >> 8 * channel & 0xff;
}

#endif
