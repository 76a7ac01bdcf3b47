/* SPDX-License-Identifier: MIT */
/* Options of commands with a GPU model, and the extensions of the cache model. */
#ifndef SL_CLI_MODEL_OPTIONS_H
#define SL_CLI_MODEL_OPTIONS_H

#include <stdio.h>

#include "cli/command.h"
#include "model/model.h"
#include "sluice/profile.h"
#include "study/point.h"

typedef struct sl_model_settings {
    const char *gpu;
    sl_option_list set;
    bool no_latency, no_associativity, no_mshr, no_divergence;
} sl_model_settings;

#define SL_MODEL_SETTINGS_DEFAULTS                                                                                     \
    {                                                                                                                  \
        .gpu = SL_DEFAULT_GPU                                                                                          \
    }

/* Rows of an option table, for the fields `gpu` and `set`. */
// clang-format off
#define SL_GPU_OPTIONS(gpu_offset, set_offset) \
    {"gpu", 'g', SL_OPTION_STRING, "GPU", "GPU model: a name from 'sluice machines' or a YAML file (default: " SL_DEFAULT_GPU ")", gpu_offset, 0, 0, NULL}, \
    {"set", 0, SL_OPTION_LIST, "KEY=VALUE", "Change a key of the GPU model, e.g. L1.ways=8 or cores=1; may be repeated", set_offset, 0, 0, NULL}
/* The same for a struct `type` with these settings in its field `model`. */
#define SL_MODEL_OPTIONS(type) \
    SL_GPU_OPTIONS(offsetof(type, model.gpu), offsetof(type, model.set)), \
    {"no-latency", 0, SL_OPTION_FLAG, NULL, "Model loads without latency", offsetof(type, model.no_latency), 0, 0, NULL}, \
    {"no-associativity", 0, SL_OPTION_FLAG, NULL, "Model a fully associative L1", offsetof(type, model.no_associativity), 0, 0, NULL}, \
    {"no-mshr", 0, SL_OPTION_FLAG, NULL, "Model an unlimited number of MSHRs", offsetof(type, model.no_mshr), 0, 0, NULL}, \
    {"no-divergence", 0, SL_OPTION_FLAG, NULL, "Model warps that take turns whether or not their data has arrived", offsetof(type, model.no_divergence), 0, 0, NULL}
// clang-format on

static inline sl_status sl_model_machine(const sl_invocation *inv, const sl_model_settings *s, sl_machine *machine,
                                         sl_error *error)
{
    return sl_machine_load_among(s->gpu, s->set.item, s->set.count, inv->policies, machine, error);
}

static inline sl_model_options sl_model_options_of(const sl_model_settings *s, uint64_t seed)
{
    return (sl_model_options){s->no_latency, s->no_associativity, s->no_mshr, s->no_divergence, seed};
}

enum { SL_WITHOUT_BYTES = 48 };
/* "latency mshr": as points have it. Returns `text`. */
static inline char *sl_model_without(const sl_model_options *o, char text[SL_WITHOUT_BYTES])
{
    snprintf(text, SL_WITHOUT_BYTES, "%s%s%s%s", o->no_latency ? " latency" : "",
             o->no_associativity ? " associativity" : "", o->no_mshr ? " mshr" : "",
             o->no_divergence ? " divergence" : "");
    return text;
}

#endif
