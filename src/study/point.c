/* SPDX-License-Identifier: MIT */
#include "study/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/engine_id.h" /* made by the build: cmake/engine_id.cmake */
#include "base/hash.h"
#include "base/text.h"
#include "machine/keys.h"
#include "machine/vary.h"
#include "workloads/workload.h"

/* ---- the machine ---- */

static bool given(const char *text)
{
    return text && *text;
}

sl_status sl_machine_choose(const sl_machine_choice *c, sl_machine *machine, sl_error *error)
{
    char scheduling[64];
    const char **settings = calloc(c->sets + 1, sizeof *settings);
    size_t count = c->sets;
    if (!settings)
        return sl_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        settings[i] = c->set[i];
    snprintf(scheduling, sizeof scheduling, "core.scheduling=%.40s", given(c->scheduler) ? c->scheduler : "");
    if (given(c->scheduler))
        settings[count++] = scheduling;
    sl_status status =
        sl_machine_load_among(given(c->gpu) ? c->gpu : SL_DEFAULT_GPU, settings, count, c->policies, machine, error);
    free(settings);
    if (!status && given(c->l1))
        status = sl_level_set_policies(machine, 0, c->l1, error);
    if (!status && given(c->l2) && machine->levels < 2)
        status = sl_fail(error, SL_INVALID, "%s has only one cache level", machine->name);
    if (!status && given(c->l2))
        status = sl_level_set_policies(machine, 1, c->l2, error);
    return status;
}

sl_status sl_point_machine(const sl_point *point, sl_machine *machine, sl_error *error)
{
    sl_split settings;
    if (point->resolved) {
        memcpy(machine, point->resolved, sizeof *machine);
        return SL_OK;
    }
    sl_status status = sl_split_words(point->settings, &settings, error);
    if (status)
        return status;
    const sl_machine_choice choice = {.gpu = point->machine,
                                      .set = settings.word,
                                      .sets = settings.count,
                                      .l1 = point->l1,
                                      .l2 = point->l2,
                                      .scheduler = point->scheduler,
                                      .policies = point->custom ? point->custom->list : NULL};
    status = sl_machine_choose(&choice, machine, error);
    sl_split_free(&settings);
    return status;
}

/* ---- keys ---- */

const char *const sl_traces_id = SL_TRACES_ID;

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

/* The launch of a kernel with all its data: buffers that are files by their contents. */
static sl_status hash_launch(sl_hash *hash, const sl_kernel_launch *launch, sl_error *error)
{
    sl_status status = SL_OK;
    sl_hash_text(hash, launch->entry ? launch->entry : "");
    for (int i = 0; i < 3; i++) {
        sl_hash_number(hash, launch->grid[i]);
        sl_hash_number(hash, launch->block[i]);
    }
    sl_hash_number(hash, launch->shared_bytes);
    for (size_t i = 0; i < launch->args && !status; i++) {
        sl_kernel_arg arg;
        sl_hash_text(hash, launch->arg[i]);
        status = sl_kernel_arg_parse(launch->arg[i], &arg, error);
        if (!status && arg.buffer && arg.fill == SL_FILL_FILE)
            status = hash_file(hash, arg.path, error);
    }
    return status;
}

static sl_status hash_host(sl_hash *hash, const sl_input *input, sl_error *error)
{
    const sl_input_spec *spec = &input->spec;
    int size = 0;
    while (size < SL_SIZES && strcmp(spec->size, sl_size_names[size]))
        size++;
    if (size == SL_SIZES)
        return sl_fail(error, SL_INVALID, "unknown size '%s': workloads have the sizes small, default and large",
                       spec->size);
    sl_hash_text(hash, input->workload->name);
    sl_hash_text(hash, input->workload->size[size]);
    sl_hash_text(hash, spec->params);
    return SL_OK;
}

/* A hash of all that a recording of the input depends on. SL_UNSUPPORTED for CUDA programs, where that is unknown. */
static sl_status input_key(const sl_input *input, uint32_t lanes, char key[SL_KEY_BYTES], sl_error *error)
{
    sl_hash hash = sl_hash_start();
    sl_status status = SL_OK;
    if (input->kind == SL_INPUT_PROGRAM) {
        return sl_fail(
            error, SL_UNSUPPORTED,
            "%s is a CUDA program, which may behave differently each time; record it with 'sluice trace' and give "
            "the trace",
            input->spec.name);
    } else if (input->kind == SL_INPUT_TRACE || input->kind == SL_INPUT_FOREIGN) {
        status = hash_file(&hash, input->spec.name, error);
    } else {
        sl_hash_text(&hash, SL_TRACES_ID);
        sl_hash_bytes(&hash, input->ptx, input->ptx_length);
        sl_hash_bytes(&hash, input->cubin_data, input->cubin_bytes);
        sl_hash_number(&hash, input->spec.seed);
        sl_hash_number(&hash, lanes);
        status = input->workload ? hash_host(&hash, input, error) : hash_launch(&hash, &input->spec.launch, error);
    }
    sl_hash_write(hash, key);
    return status;
}

/* Rejects settings that other kinds of points have. */
static sl_status check_kind(const sl_point *point, sl_error *error)
{
    if (point->requests && point->kind != SL_ANALYSIS_SIM)
        return sl_fail(error, SL_INVALID, "'stream: yes' requires 'kind: sim'");
    if (point->parts && point->kind != SL_ANALYSIS_SIM && point->kind != SL_ANALYSIS_MODEL)
        return sl_fail(error, SL_INVALID, "'parts' requires 'kind: sim' or 'kind: model'");
    if (*point->plan && point->kind != SL_ANALYSIS_SIM)
        return sl_fail(error, SL_INVALID, "'plan: %s' requires 'kind: sim'", point->plan);
    return SL_OK;
}

static bool is_custom(const char *policy, const sl_policy_list *list)
{
    size_t length = strcspn(policy, "(");
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->ops[i]->name) == length && !strncmp(policy, list->ops[i]->name, length))
            return true;
    return false;
}

/* Whether a level has a policy of the list. */
static bool uses_custom(const sl_machine *machine, const sl_policy_list *list)
{
    for (uint32_t i = 0; i < machine->levels; i++)
        if (is_custom(machine->level[i].replacement, list) || is_custom(machine->level[i].bypass, list))
            return true;
    return false;
}

sl_status sl_point_keys(const sl_point *point, const sl_machine *machine, char key[SL_KEY_BYTES],
                        char trace_key[SL_KEY_BYTES], sl_error *error)
{
    sl_input input;
    sl_status status = sl_input_open(&point->input, &input, error);
    if (status)
        return status;
    status = input_key(&input, machine->lanes, trace_key, error);
    sl_input_close(&input);
    if (!status)
        status = check_kind(point, error);
    if (status)
        return status;
    sl_hash hash = sl_hash_start();
    sl_hash_text(&hash, SL_ENGINE_ID);
    sl_hash_text(&hash, trace_key);
    sl_hash_text(&hash, sl_analysis_names[point->kind]);
    sl_hash_number(&hash, point->seed);
    sl_hash_text(&hash, point->without);
    sl_hash_number(&hash, point->cold);
    sl_hash_number(&hash, point->isolated);
    sl_hash_number(&hash, point->requests);
    sl_hash_number(&hash, point->loads_only);
    if (point->kind == SL_ANALYSIS_TUNE)
        sl_hash_text(&hash, SL_TUNING_ID);
    sl_hash_text(&hash, point->kernel);
    if (*point->launch)
        sl_hash_text(&hash, point->launch);
    if (point->parts) {
        sl_hash_number(&hash, point->parts);
        sl_hash_number(&hash, point->part);
    }
    if (*point->plan)
        status = hash_file(&hash, point->plan, error);
    sl_machine_hash(&hash, machine);
    if (point->custom && uses_custom(machine, point->custom->list))
        sl_hash_text(&hash, point->custom->id);
    sl_hash_write(hash, key);
    return status;
}

char *sl_point_text(const sl_point *p, char *buffer, size_t size)
{
    char part[64] = "";
    if (p->parts)
        snprintf(part, sizeof part, " part %llu/%llu", (unsigned long long)p->part, (unsigned long long)p->parts);
    snprintf(buffer, size, "%s%s%s%s%s%s%s%s%s%s%s on %s%s%s%s%s%s%s%s%s%s%s", sl_analysis_names[p->kind], " of ",
             p->input.name, *p->input.params ? " " : "", p->input.params, *p->kernel ? " " : "", p->kernel,
             *p->launch ? " launch " : "", p->launch, part,
             !*p->input.size || !strcmp(p->input.size, "default") ? "" : " (other size)", p->machine,
             *p->settings ? " with " : "", p->settings, *p->l1 ? ", L1 " : "", p->l1, *p->l2 ? ", L2 " : "", p->l2,
             *p->scheduler ? ", " : "", p->scheduler, *p->without ? ", without " : "", p->without);
    return buffer;
}
