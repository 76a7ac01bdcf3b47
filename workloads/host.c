/* SPDX-License-Identifier: MIT */
/* Running a workload: parameters, and everything its host calls to allocate, copy and launch. A call that fails jumps
 * out of the host function to sl_workload_run, which frees what the host had. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/suggest.h"
#include "workloads/host.h"

/* The jump lands in sl_workload_run; `status` has been put into *h->error by whoever failed. */
_Noreturn static void end_host(sl_host *h, sl_status status)
{
    h->status = status;
    longjmp(h->out, 1);
}

static void need(sl_host *h, sl_status status)
{
    if (status)
        end_host(h, status);
}

void sl_host_fail(sl_host *h, sl_status status, const char *format, ...)
{
    char text[900];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    end_host(h, sl_fail(h->error, status, "%s: %s", h->workload->name, text));
}

/* ---- parameters ---- */

/* Takes the next "name=value" off `*text`; false at its end. */
static bool next_setting(const char **text, sl_setting *setting)
{
    const char *at = *text + strspn(*text, " ");
    if (!*at)
        return false;
    setting->name = at;
    setting->length = strcspn(at, "= ");
    at += setting->length;
    char *end;
    setting->value = *at == '=' ? strtoull(at + 1, &end, 10) : 0;
    *text = at + strcspn(at, " ");
    return true;
}

static sl_status set_defaults(sl_host *h, const char *size, sl_error *error)
{
    for (int i = 0; i < SL_SIZES; i++) {
        if (strcmp(size, sl_size_names[i]))
            continue;
        const char *text = h->workload->size[i];
        sl_setting setting;
        for (h->settings = 0; h->settings < SL_HOST_SETTINGS && next_setting(&text, &setting); h->settings++)
            h->setting[h->settings] = setting;
        return SL_OK;
    }
    const char *near = sl_suggest(size, sl_size_names, SL_SIZES);
    return sl_fail(error, SL_NOT_FOUND, "no size is called '%s'%s%s; there are small, default and large", size,
                   near ? ", did you mean " : "", near ? near : "");
}

static sl_setting *find_setting(sl_host *h, const char *name, size_t length)
{
    for (size_t i = 0; i < h->settings; i++)
        if (h->setting[i].length == length && !memcmp(h->setting[i].name, name, length))
            return &h->setting[i];
    return NULL;
}

static sl_status unknown_setting(sl_host *h, const char *name, size_t length, sl_error *error)
{
    char given[64], known[SL_HOST_SETTINGS][32], list[256] = "";
    const char *names[SL_HOST_SETTINGS];
    snprintf(given, sizeof given, "%.*s", (int)length, name);
    for (size_t i = 0; i < h->settings; i++) {
        snprintf(known[i], sizeof known[i], "%.*s", (int)h->setting[i].length, h->setting[i].name);
        names[i] = known[i];
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
    }
    const char *near = sl_suggest(given, names, h->settings);
    return sl_fail(error, SL_NOT_FOUND, "%s has no parameter '%s'%s%s; it has %s", h->workload->name, given,
                   near ? ", did you mean " : "", near ? near : "", list);
}

static sl_status apply_set(sl_host *h, const char *text, sl_error *error)
{
    size_t length = strcspn(text, "=");
    char *end;
    if (!text[length])
        return sl_fail(error, SL_INVALID, "'%s' sets nothing: write NAME=VALUE", text);
    sl_setting *setting = find_setting(h, text, length);
    if (!setting)
        return unknown_setting(h, text, length, error);
    const char *digits = text + length + 1;
    setting->value = strtoull(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || setting->value > SL_HOST_LARGEST)
        return sl_fail(error, SL_INVALID, "'%s' is not a value for %.*s: it is a whole number up to %llu", digits,
                       (int)length, text, (unsigned long long)SL_HOST_LARGEST);
    return SL_OK;
}

uint64_t sl_host_param(sl_host *h, const char *name, uint64_t min, uint64_t max)
{
    const sl_setting *setting = find_setting(h, name, strlen(name));
    if (!setting)
        end_host(h, unknown_setting(h, name, strlen(name), h->error));
    if (setting->value < min || setting->value > max)
        sl_host_fail(h, SL_INVALID, "%s=%llu is out of range: from %llu to %llu", name,
                     (unsigned long long)setting->value, (unsigned long long)min, (unsigned long long)max);
    return setting->value;
}

static void print_settings(const sl_host *h, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < h->settings && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%.*s=%llu", i ? " " : "", (int)h->setting[i].length,
                                 h->setting[i].name, (unsigned long long)h->setting[i].value);
}

/* ---- what hosts call ---- */

sl_random *sl_host_random(sl_host *h)
{
    return &h->random;
}

bool sl_host_checks(const sl_host *h)
{
    return h->checks;
}

void *sl_host_alloc(sl_host *h, uint64_t count, size_t item_bytes)
{
    void *memory = calloc(count ? count : 1, item_bytes);
    if (!memory || !sl_array_push(&h->host_memory, memory)) {
        free(memory);
        end_host(h, sl_fail_memory(h->error));
    }
    return memory;
}

uint64_t sl_host_device(sl_host *h, const char *label, uint64_t bytes)
{
    uint64_t addr;
    need(h, sl_device_alloc(h->device, bytes, label, &addr, h->error));
    if (!sl_array_push(&h->device_memory, addr)) {
        sl_device_free(h->device, addr, NULL);
        end_host(h, sl_fail_memory(h->error));
    }
    return addr;
}

uint64_t sl_host_upload(sl_host *h, const char *label, const void *from, uint64_t bytes)
{
    uint64_t addr = sl_host_device(h, label, bytes);
    sl_host_write(h, addr, from, bytes);
    return addr;
}

void sl_host_write(sl_host *h, uint64_t to, const void *from, uint64_t bytes)
{
    need(h, sl_device_copy_in(h->device, to, from, bytes, h->error));
}

void sl_host_download(sl_host *h, void *to, uint64_t from, uint64_t bytes)
{
    need(h, sl_device_copy_out(h->device, to, from, bytes, h->error));
}

void sl_host_fill(sl_host *h, uint64_t addr, uint8_t value, uint64_t bytes)
{
    need(h, sl_device_fill(h->device, addr, value, bytes, h->error));
}

uint64_t sl_host_symbol(sl_host *h, const char *name)
{
    uint64_t addr, bytes;
    need(h, sl_device_symbol(h->module, name, &addr, &bytes, h->error));
    return addr;
}

void sl_host_launch_args(sl_host *h, const char *kernel, sl_dim grid, sl_dim block, uint32_t shared_bytes, size_t args,
                         const sl_device_arg *arg)
{
    sl_device_kernel *found;
    need(h, sl_device_kernel_get(h->module, kernel, &found, h->error));
    sl_device_launch launch = {.dynamic_shared_bytes = shared_bytes, .args = args, .arg = arg};
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = grid.size[i] ? grid.size[i] : 1;
        launch.block[i] = block.size[i] ? block.size[i] : 1;
    }
    need(h, sl_device_run(found, &launch, h->error));
    h->launches++;
}

/* ---- running ---- */

/* The host function runs here and nowhere else; separate, so that no local of sl_workload_run lives across the jump. */
static void call_host(sl_host *h)
{
    if (!setjmp(h->out))
        h->workload->run(h);
}

static void free_all(sl_host *h)
{
    for (size_t i = h->device_memory.count; i-- > 0;)
        sl_device_free(h->device, h->device_memory.items[i], NULL);
    for (size_t i = 0; i < h->host_memory.count; i++)
        free(h->host_memory.items[i]);
    sl_array_free(&h->device_memory);
    sl_array_free(&h->host_memory);
    sl_device_unload(h->module);
}

/* Different workloads draw different numbers from one seed. */
static uint64_t seed_of(const sl_workload *workload, uint64_t seed)
{
    for (const char *c = workload->name; *c; c++)
        seed = seed * 0x100000001b3u ^ (uint8_t)*c;
    return seed;
}

sl_status sl_workload_run(const sl_workload *workload, sl_device *device, const sl_workload_options *options,
                          sl_workload_result *result, sl_error *error)
{
    sl_host h = {.workload = workload, .device = device, .error = error, .checks = !options->skip_check};
    h.random = sl_random_seed(seed_of(workload, options->seed));
    sl_status status = set_defaults(&h, options->size ? options->size : sl_size_names[SL_SIZE_DEFAULT], error);
    for (size_t i = 0; i < options->sets && !status; i++)
        status = apply_set(&h, options->set[i], error);
    if (status)
        return status;
    char name[80];
    snprintf(name, sizeof name, "%s.ptx", workload->name);
    status = sl_device_load(device, workload->ptx, (size_t)(workload->ptx_end - workload->ptx), name, &h.module, error);
    if (!status) {
        call_host(&h);
        status = h.status;
    }
    if (!status)
        status = sl_device_synchronize(device, error);
    if (result) {
        *result = (sl_workload_result){.launches = h.launches, .compared = h.compared, .worst = h.worst};
        print_settings(&h, result->params, sizeof result->params);
    }
    free_all(&h);
    return status;
}
