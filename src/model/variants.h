/* SPDX-License-Identifier: MIT */
/* A launch under many machines or options at once: sweeps, ablations, seeds. What one pass can find out together is
 * found out in one pass. */
#ifndef SL_MODEL_VARIANTS_H
#define SL_MODEL_VARIANTS_H

#include "model/model.h"

typedef struct sl_model_variant {
    sl_machine machine;
    sl_model_options options;
} sl_model_variant;

/* total[i] is what sl_model_launch says of the whole launch under variant[i]. */
sl_status sl_model_variants(const sl_loaded *loaded, const sl_model_variant *variant, size_t count, sl_pool *pool,
                            sl_counts *total, sl_error *error);
/* How many passes over the accesses that takes. */
size_t sl_model_variants_passes(const sl_model_variant *variant, size_t count);

#endif
