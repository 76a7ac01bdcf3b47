/* SPDX-License-Identifier: MIT */
#include "time/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/series.h"

enum { KNOWN = 64 };

struct sl_sampler {
    sl_machine machine;
    sl_sim *sim;
    struct {
        bool used;
        sl_sampled_like like;
        sl_core_sample sample;
    } known[KNOWN]; /* by hash; a later one takes the place of an earlier one */
};

/* A few blocks do not fill a level that all cores share, and emptying it takes time: a sixteenth of its sets is enough.
 */
enum { SHARED_PART = 16 };

static void shrink(sl_level *level)
{
    uint32_t banks = level->banks ? level->banks : 1;
    if (level->index == SL_INDEX_BITS || level->sets % (banks * SHARED_PART))
        return;
    level->sets /= SHARED_PART;
    level->size_bytes /= SHARED_PART;
}

/* One core: nobody to coalesce requests with, and one instance of each level. */
static sl_status one_core(const sl_machine *machine, sl_machine *one, sl_error *error)
{
    *one = *machine;
    one->cores = 1;
    one->core.small_gpc_cores = one->core.small_gpc_interval = 0;
    one->core.block_rate = 0; /* of all cores */
    for (uint32_t i = 0; i < one->levels; i++) {
        sl_level *level = &one->level[i];
        bool shared = level->cores_per_instance > 1;
        level->coalesce_requests = level->coalesce_cores = 0;
        level->cores_per_instance = 1;
        if (shared && i)
            shrink(level);
    }
    return sl_machine_check(one, error);
}

sl_status sl_sampler_create(const sl_machine *machine, uint64_t seed, sl_sampler **made, sl_error *error)
{
    sl_sampler *s = calloc(1, sizeof *s);
    bool counts = false;
    *made = NULL;
    if (!s)
        return sl_fail_memory(error);
    sl_status status = sl_sim_needs_counts(machine, &counts, error);
    if (!status && !counts)
        status = one_core(machine, &s->machine, error);
    if (!status && !counts)
        status = sl_sim_create_with(&s->machine, &(sl_sim_options){.seed = seed, .cold = true}, &s->sim, error);
    if (s->sim)
        *made = s;
    else
        sl_sampler_destroy(s);
    return status == SL_UNSUPPORTED ? SL_OK : status;
}

void sl_sampler_destroy(sl_sampler *s)
{
    if (!s)
        return;
    sl_sim_destroy(s->sim);
    free(s);
}

sl_core_sample *sl_sampler_find(sl_sampler *s, const sl_sampled_like *like, bool *known)
{
    size_t at = sl_hash64(like, sizeof *like) % KNOWN;
    *known = s->known[at].used && !memcmp(&s->known[at].like, like, sizeof *like);
    s->known[at].used = true;
    s->known[at].like = *like;
    return &s->known[at].sample;
}

sl_status sl_sampler_run(sl_sampler *s, const sl_sampled *sampled, sl_sample *sample, sl_error *error)
{
    sl_loaded *part = NULL;
    sl_sim_result result = {0};
    bool warm = sampled->warm;
    uint64_t warming = 0; /* instructions that only bring their lines */
    sl_status status = sl_loaded_part(sampled->loaded, &sampled->part, &part, error);
    if (status)
        return status;
    sl_sim_set_cold(s->sim, true);
    status = sl_sim_launch(s->sim, part, NULL, &result, error);
    if (!status && warm) { /* what it has left is what it finds */
        sl_sim_result_fini(&result);
        result = (sl_sim_result){0};
        warming = sl_loaded_part_insts(part);
        sl_sim_set_cold(s->sim, false);
        status = sl_sim_launch(s->sim, part, NULL, &result, error);
    }
    if (!status) {
        uint64_t before = s->machine.core.launch_cycles + s->machine.core.block_cycles;
        *sample = (sl_sample){.cycles = result.cycles > before ? result.cycles - before : 0,
                              .insts = sl_loaded_part_insts(part) - warming};
        sample->index_insts = result.index_insts;
        memcpy(sample->scheduler_cycles, result.scheduler_cycles, sizeof sample->scheduler_cycles);
    }
    sl_sim_result_fini(&result);
    sl_loaded_destroy(part);
    return status;
}
