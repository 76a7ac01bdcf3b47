/* SPDX-License-Identifier: MIT */
#include "tune/program_results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/new_file.h"

void sl_program_results_fini(sl_program_results *results)
{
    for (size_t i = 0; i < results->kernels.count; i++)
        free(results->kernels.items[i].name);
    for (size_t i = 0; i < results->left.count; i++)
        free(results->left.items[i]);
    sl_array_free(&results->kernels);
    sl_array_free(&results->left);
    free(results->refused);
    *results = (sl_program_results){0};
}

bool sl_program_results_launch(sl_program_results *results, const char *kernel, double ns)
{
    uint64_t number = results->untimed;
    for (size_t i = 0; i < results->kernels.count; i++)
        number += results->kernels.items[i].launches;
    for (size_t i = 0; i < results->kernels.count; i++) {
        sl_timed_program_kernel *known = &results->kernels.items[i];
        if (strcmp(known->name, kernel))
            continue;
        if (ns > known->longest_ns) {
            known->longest = known->launches;
            known->longest_ns = ns;
            known->number = number;
        }
        known->launches++;
        known->ns += ns;
        return true;
    }
    char *name = strdup(kernel);
    if (name && sl_array_push(&results->kernels, (sl_timed_program_kernel){name, 1, ns, 0, ns, number}))
        return true;
    free(name);
    return false;
}

void sl_program_results_left(sl_program_results *results, const char *kernel, const char *reason)
{
    char *text;
    if (asprintf(&text, "%s: %s", kernel, reason) >= 0 && !sl_array_push(&results->left, text))
        free(text);
}

void sl_program_results_copy(sl_program_results *results, const void *data, size_t bytes)
{
    results->hash = sl_hash_mix(results->hash ^ sl_hash64_bulk(data, bytes));
    results->copies++;
    results->bytes += bytes;
}

double sl_program_results_time(const sl_program_results *results, const char *kernel)
{
    double ns = 0;
    for (size_t i = 0; i < results->kernels.count; i++)
        if (!kernel || !strcmp(results->kernels.items[i].name, kernel))
            ns += results->kernels.items[i].ns;
    return ns;
}

bool sl_program_results_write(const sl_program_results *r, const char *path)
{
    sl_new_file made;
    FILE *file;
    if (sl_new_file_print(path, &made, &file, NULL))
        return false;
    fprintf(file, "applied %" PRIu64 "\ntexts %" PRIu64 "\n", r->applied, r->texts);
    if (r->refused)
        fprintf(file, "refused %s\n", r->refused);
    for (size_t i = 0; i < r->kernels.count; i++)
        fprintf(file, "kernel %" PRIu64 " %a %" PRIu64 " %a %" PRIu64 " %s\n", r->kernels.items[i].launches,
                r->kernels.items[i].ns, r->kernels.items[i].longest, r->kernels.items[i].longest_ns,
                r->kernels.items[i].number, r->kernels.items[i].name);
    for (size_t i = 0; i < r->left.count; i++)
        fprintf(file, "left %s\n", r->left.items[i]);
    fprintf(file, "untimed %" PRIu64 "\n", r->untimed);
    fprintf(file, "copies %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", r->copies, r->bytes, r->hash);
    return !sl_new_file_finish(&made, file, NULL);
}

static bool read_line(sl_program_results *r, char *line)
{
    sl_timed_program_kernel kernel = {0};
    int name = 0;
    if (sscanf(line, "applied %" SCNu64, &r->applied) == 1 || sscanf(line, "texts %" SCNu64, &r->texts) == 1 ||
        sscanf(line, "untimed %" SCNu64, &r->untimed) == 1 ||
        sscanf(line, "copies %" SCNu64 " %" SCNu64 " %" SCNx64, &r->copies, &r->bytes, &r->hash) == 3)
        return true;
    if (!strncmp(line, "refused ", 8)) {
        free(r->refused);
        return (r->refused = strdup(line + 8)) != NULL;
    }
    if (!strncmp(line, "left ", 5)) {
        char *left = strdup(line + 5);
        return left && sl_array_push(&r->left, left);
    }
    if (sscanf(line, "kernel %" SCNu64 " %la %" SCNu64 " %la %" SCNu64 " %n", &kernel.launches, &kernel.ns,
               &kernel.longest, &kernel.longest_ns, &kernel.number, &name) != 5 ||
        !name)
        return true; /* a line of a newer program */
    kernel.name = strdup(line + name);
    return kernel.name && sl_array_push(&r->kernels, kernel);
}

sl_status sl_program_results_read(const char *path, sl_program_results *results, sl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    *results = (sl_program_results){0};
    sl_status status = sl_file_read(path, &text, &length, error);
    for (size_t at = 0; at < length && !status;) {
        char *end = memchr(text + at, '\n', length - at);
        if (!end)
            break;
        *end = '\0';
        if (!read_line(results, text + at))
            status = sl_fail_memory(error);
        at = (size_t)(end - text) + 1;
    }
    free(text);
    if (status)
        sl_program_results_fini(results);
    return status;
}
