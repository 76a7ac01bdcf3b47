/* SPDX-License-Identifier: MIT */
#include "experiment/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "experiment/engine_id.h" /* made by the build: cmake/engine_id.cmake */
#include "experiment/words.h"
#include "machine/keys.h"
#include "machine/level_policies.h"
#include "workloads/workload.h"

const char *const sl_point_kinds[SL_POINT_KINDS + 1] = {"sim", "model", "tune", "profile", NULL};

/* ---- values ---- */

static sl_value *find_value(const sl_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->items[i].name, name))
            return &values->items[i];
    return NULL;
}

const double *sl_values_find(const sl_values *values, const char *name)
{
    sl_value *found = find_value(values, name);
    return found ? &found->value : NULL;
}

bool sl_values_add(sl_values *values, const char *name, double amount)
{
    sl_value *found = find_value(values, name);
    if (found) {
        found->value += amount;
        return true;
    }
    if (!sl_array_reserve(values, 1))
        return false;
    sl_value *added = &values->items[values->count++];
    *added = (sl_value){.value = amount};
    snprintf(added->name, sizeof added->name, "%s", name);
    return true;
}

/* ---- the machine ---- */

sl_status sl_point_machine(const sl_point *point, sl_machine *machine, sl_error *error)
{
    sl_words settings;
    char scheduling[64];
    sl_status status = sl_words_split(point->settings, &settings, error);
    if (status)
        return status;
    if (*point->scheduler) {
        snprintf(scheduling, sizeof scheduling, "core.scheduling=%.40s", point->scheduler);
        if (settings.count == SL_MOST_WORDS)
            status = sl_fail(error, SL_LIMIT, "a machine takes at most %d settings", SL_MOST_WORDS);
        else
            settings.word[settings.count++] = scheduling;
    }
    if (!status)
        status = sl_machine_load_with(point->machine, settings.word, settings.count, machine, error);
    sl_words_free(&settings);
    if (!status && *point->l1)
        status = sl_level_set_policies(machine, 0, point->l1, error);
    if (!status && *point->l2 && machine->levels < 2)
        status = sl_fail(error, SL_INVALID, "%s has one level only", machine->name);
    if (!status && *point->l2)
        status = sl_level_set_policies(machine, 1, point->l2, error);
    return status;
}

/* ---- keys ---- */

static void hash_key(sl_hash *hash, const sl_key *key, const void *base)
{
    if (key->type == SL_KEY_SIZES || key->type == SL_KEY_BITS)
        return; /* hash_lists */
    sl_hash_text(hash, key->name);
    if (key->type == SL_KEY_TEXT || sl_key_has_words(key->type))
        sl_hash_text(hash, sl_key_word(key, base));
    else
        sl_hash_number(hash, sl_key_get(key, base));
}

static void hash_lists(sl_hash *hash, const sl_machine *m)
{
    for (uint32_t i = 0; i < m->core.carve_outs; i++)
        sl_hash_number(hash, m->core.carve_out[i]);
    for (uint32_t i = 0; i < m->core.carve_out_needs; i++)
        sl_hash_number(hash, m->core.carve_out_need[i]);
    for (uint32_t l = 0; l < m->levels; l++)
        for (uint32_t i = 0; m->level[l].index == SL_INDEX_BITS && i < SL_MOST_SET_BITS; i++)
            sl_hash_number(hash, m->level[l].set_bits[i]);
}

/* Every key with its value, as they came out in the end: comments and the order of keys do not matter. */
static void hash_machine(sl_hash *hash, const sl_machine *m)
{
    for (int k = 0; k < SL_KEYS; k++) {
        if (sl_keys[k].section != SL_SECTION_level)
            hash_key(hash, &sl_keys[k], m);
        for (uint32_t l = 0; sl_keys[k].section == SL_SECTION_level && l < m->levels; l++)
            hash_key(hash, &sl_keys[k], &m->level[l]);
    }
    hash_lists(hash, m);
}

void sl_point_machine_key(const sl_machine *machine, char key[SL_KEY_BYTES])
{
    sl_hash hash = sl_hash_start();
    sl_hash_text(&hash, SL_ENGINE_ID);
    hash_machine(&hash, machine);
    sl_hash_write(hash, key);
}

static sl_status hash_file(sl_hash *hash, const char *path, sl_error *error)
{
    char buffer[1 << 16];
    FILE *file = fopen(path, "rb");
    size_t got;
    if (!file)
        return sl_fail_io(error, "read", path);
    while ((got = fread(buffer, 1, sizeof buffer, file)))
        sl_hash_bytes(hash, buffer, got);
    sl_status status = ferror(file) ? sl_fail_io(error, "read", path) : SL_OK;
    fclose(file);
    return status;
}

static sl_status hash_workload(sl_hash *hash, const sl_point *point, const sl_machine *machine, sl_error *error)
{
    const sl_workload *workload;
    sl_status status = sl_workload_find(point->workload, &workload, error);
    if (status)
        return status;
    int size = 0;
    while (size < SL_SIZES && strcmp(point->size, sl_size_names[size]))
        size++;
    if (size == SL_SIZES)
        return sl_fail(error, SL_INVALID, "workloads come in the sizes small, default and large, not '%s'",
                       point->size);
    sl_hash_text(hash, SL_TRACES_ID);
    sl_hash_text(hash, workload->name);
    sl_hash_bytes(hash, workload->ptx, (size_t)(workload->ptx_end - workload->ptx));
    sl_hash_text(hash, workload->size[size]);
    sl_hash_text(hash, point->params);
    sl_hash_number(hash, point->seed);
    sl_hash_number(hash, machine->lanes);
    return SL_OK;
}

sl_status sl_point_keys(const sl_point *point, const sl_machine *machine, char key[SL_KEY_BYTES],
                        char trace_key[SL_KEY_BYTES], sl_error *error)
{
    sl_hash trace = sl_hash_start();
    sl_status status =
        *point->trace ? hash_file(&trace, point->trace, error) : hash_workload(&trace, point, machine, error);
    if (status)
        return status;
    sl_hash_write(trace, trace_key);
    sl_hash hash = sl_hash_start();
    sl_hash_text(&hash, SL_ENGINE_ID);
    sl_hash_text(&hash, trace_key);
    sl_hash_text(&hash, sl_point_kinds[point->kind]);
    sl_hash_number(&hash, point->seed);
    sl_hash_text(&hash, point->without);
    sl_hash_number(&hash, point->cold);
    sl_hash_number(&hash, point->stream);
    if (point->stream && point->kind != SL_POINT_SIM)
        return sl_fail(error, SL_INVALID, "'stream: yes': only points of 'kind: sim' have a stream");
    if (point->kind == SL_POINT_TUNE) {
        sl_hash_text(&hash, SL_TUNING_ID);
        sl_hash_text(&hash, point->kernel);
    } else if (*point->kernel) {
        return sl_fail(error, SL_INVALID, "'kernel=%s': only points of 'kind: tune' are of one kernel", point->kernel);
    }
    hash_machine(&hash, machine);
    sl_hash_write(hash, key);
    if (*point->trace)
        *trace_key = 0;
    return SL_OK;
}

char *sl_point_text(const sl_point *p, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s%s%s%s%s%s%s on %s%s%s%s%s%s%s%s%s%s%s", sl_point_kinds[p->kind], " of ",
             *p->trace ? p->trace : p->workload, *p->params ? " " : "", p->params, *p->kernel ? " " : "", p->kernel,
             *p->trace || !strcmp(p->size, "default") ? "" : " (other size)", p->machine, *p->settings ? " with " : "",
             p->settings, *p->l1 ? ", L1 " : "", p->l1, *p->l2 ? ", L2 " : "", p->l2, *p->scheduler ? ", " : "",
             p->scheduler, *p->without ? ", without " : "", p->without);
    return buffer;
}
