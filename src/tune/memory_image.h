/* SPDX-License-Identifier: MIT */
/* A copy of a device's memory, from which a launch can be repeated in the same state: all allocations, and the
 * variables of a module. */
#ifndef SL_TUNE_MEMORY_IMAGE_H
#define SL_TUNE_MEMORY_IMAGE_H

#include "device/device.h"

typedef struct sl_image_part {
    uint64_t addr, bytes;
    uint64_t copy;        /* where its bytes are kept, on the device */
    const char *variable; /* of the module; NULL: an allocation */
    bool changes;         /* the launch writes to it; set by the owner of the image */
} sl_image_part;

typedef struct sl_image {
    sl_device *device;
    size_t parts;
    sl_image_part *part;
} sl_image;

/* Copies everything. `module` (may be NULL) is the one whose variables belong to the state. */
sl_status sl_image_capture(sl_image *image, sl_device *device, sl_device_module *module, sl_error *error);
void sl_image_free(sl_image *image); /* an image of zeros is fine */
/* Addresses of the parts for code of another module, which has its own variables; 0: it has no such variable, and the
 * part is skipped. addr[parts]. */
void sl_image_addresses(const sl_image *image, sl_device_module *module, uint64_t *addr);
/* Puts the bytes back, of all parts or of those that change. addr NULL: where they were taken from. */
sl_status sl_image_restore(const sl_image *image, const uint64_t *addr, bool all, sl_error *error);
/* hash[parts] of the current contents; hashes of parts that do not change stay as they are unless `all` is set. */
sl_status sl_image_hash(const sl_image *image, const uint64_t *addr, bool all, uint64_t *hash, sl_error *error);

#endif
