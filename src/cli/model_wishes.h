/* SPDX-License-Identifier: MIT */
/* Options that say which machine is modelled, and how: those of model and of validate. */
#ifndef SL_CLI_MODEL_WISHES_H
#define SL_CLI_MODEL_WISHES_H

#include "cli/options.h"
#include "model/model.h"

typedef struct sl_model_wishes {
    const char *gpu;
    sl_option_list set;
    bool no_latency, no_associativity, no_mshr, no_divergence;
} sl_model_wishes;

#define SL_MODEL_WISHES_DEFAULTS                                                                                       \
    {                                                                                                                  \
        .gpu = "h200"                                                                                                  \
    }

/* Rows for a table of options of `type`, which has the wishes in its field `wishes`. */
// clang-format off
#define SL_MODEL_WISHES_TABLE(type) \
    {"gpu", 'g', SL_OPTION_STRING, "MACHINE", "The machine: a name of 'sluice machines' or a YAML file (default: h200)", offsetof(type, wishes.gpu), 0, 0, NULL}, \
    {"set", 0, SL_OPTION_LIST, "KEY=VALUE", "Change a key of the machine, such as L1.ways=8 or cores=1; may be given several times", offsetof(type, wishes.set), 0, 0, NULL}, \
    {"no-latency", 0, SL_OPTION_FLAG, NULL, "Loads take effect at once", offsetof(type, wishes.no_latency), 0, 0, NULL}, \
    {"no-associativity", 0, SL_OPTION_FLAG, NULL, "L1 is fully associative", offsetof(type, wishes.no_associativity), 0, 0, NULL}, \
    {"no-mshr", 0, SL_OPTION_FLAG, NULL, "Any number of lines can be in flight", offsetof(type, wishes.no_mshr), 0, 0, NULL}, \
    {"no-divergence", 0, SL_OPTION_FLAG, NULL, "Warps take turns whether their data is there or not", offsetof(type, wishes.no_divergence), 0, 0, NULL}
// clang-format on

static inline sl_status sl_model_wishes_machine(const sl_model_wishes *wishes, sl_machine *machine, sl_error *error)
{
    return sl_machine_load_with(wishes->gpu, wishes->set.item, wishes->set.count, machine, error);
}

static inline sl_model_options sl_model_wishes_options(const sl_model_wishes *wishes, uint64_t seed)
{
    return (sl_model_options){wishes->no_latency, wishes->no_associativity, wishes->no_mshr, wishes->no_divergence,
                              seed};
}

#endif
