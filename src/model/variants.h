/* SPDX-License-Identifier: MIT */
/* A launch on many machines or with many options at once: sweeps, ablations, seeds. Variants share passes over the
 * trace where possible. */
#ifndef SL_MODEL_VARIANTS_H
#define SL_MODEL_VARIANTS_H

#include "model/model.h"

typedef struct sl_model_variant {
    sl_machine machine;
    sl_model_options options;
} sl_model_variant;

/* Called for each pass that is of one variant alone, before its counts are taken. */
typedef sl_status (*sl_model_each)(void *to, size_t variant, const sl_loaded *loaded, sl_model_result *result,
                                   sl_error *error);

/* total[i] is the result of sl_model_loaded for variant[i]. `each` may be NULL. */
sl_status sl_model_variants(const sl_loaded *loaded, const sl_model_variant *variant, size_t count, sl_pool *pool,
                            sl_model_each each, void *to, sl_counts *total, sl_error *error);
/* The number of passes over the accesses. */
size_t sl_model_variants_passes(const sl_model_variant *variant, size_t count);

#endif
