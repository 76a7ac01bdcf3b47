/* SPDX-License-Identifier: MIT */
#include "recording/kernel_args.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"

enum { LARGEST_BUFFER_BITS = 40 };

typedef struct arg_type {
    const char *name;
    char kind;
    uint32_t bytes;
} arg_type;

static const arg_type types[] = {
    {"u8", 'u', 1},  {"u16", 'u', 2}, {"u32", 'u', 4}, {"u64", 'u', 8}, {"s8", 's', 1},
    {"s16", 's', 2}, {"s32", 's', 4}, {"s64", 's', 8}, {"f32", 'f', 4}, {"f64", 'f', 8},
};
enum { TYPES = sizeof types / sizeof types[0] };

static const char *const fills[] = {"zero", "iota", "random", "file", "none"}; /* as sl_arg_fill */
enum { FILLS = sizeof fills / sizeof fills[0] };

static sl_status find_type(const char *text, size_t length, sl_kernel_arg *arg, sl_error *error)
{
    const char *names[TYPES];
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    for (int i = 0; i < TYPES; i++) {
        names[i] = types[i].name;
        if (!strcmp(word, types[i].name)) {
            arg->kind = types[i].kind;
            arg->bytes = types[i].bytes;
            return SL_OK;
        }
    }
    char hint[64];
    return sl_fail(error, SL_INVALID,
                   "argument '%s': '%s' is not a type%s; types are u8 to u64, s8 to s64, f32, f64, and hex", text, word,
                   sl_did_you_mean(word, names, TYPES, "", hint, sizeof hint));
}

static bool parse_integer(const char *text, char kind, uint32_t bytes, uint64_t *value)
{
    char *end;
    bool negative = *text == '-';
    const char *digits = text + negative;
    if (!isdigit((unsigned char)*digits) || (negative && kind == 'u'))
        return false;
    errno = 0;
    *value = strtoull(digits, &end, 0);
    if (*end || errno)
        return false;
    unsigned bits = 8 * bytes - (kind == 's');
    uint64_t max = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (*value > max + negative)
        return false;
    if (negative)
        *value = -*value;
    return true;
}

/* Puts the value of an element into arg->value. */
static sl_status parse_value(const char *text, sl_kernel_arg *arg, sl_error *error)
{
    if (arg->kind == 'f') {
        char *end;
        double value = strtod(text, &end);
        if (end == text || *end)
            return sl_fail(error, SL_INVALID, "argument '%s': '%s' is not a number", arg->text, text);
        float single = (float)value;
        memcpy(arg->value, arg->bytes == 4 ? (void *)&single : (void *)&value, arg->bytes);
        return SL_OK;
    }
    uint64_t value;
    if (!parse_integer(text, arg->kind, arg->bytes, &value))
        return sl_fail(error, SL_INVALID, "argument '%s': '%s' is not a whole number that fits %u %s bits", arg->text,
                       text, 8 * arg->bytes, arg->kind == 's' ? "signed" : "unsigned");
    memcpy(arg->value, &value, arg->bytes); /* little-endian, like the emulated GPUs */
    return SL_OK;
}

static sl_status parse_hex(const char *digits, sl_kernel_arg *arg, sl_error *error)
{
    size_t length = strlen(digits);
    arg->kind = 'h';
    arg->count = 1;
    arg->bytes = (uint32_t)(length / 2);
    if (!length || length % 2 || length / 2 > sizeof arg->value || strspn(digits, "0123456789abcdefABCDEF") != length)
        return sl_fail(error, SL_INVALID, "argument '%s': give two hexadecimal digits per byte, at most %zu bytes",
                       arg->text, sizeof arg->value);
    for (size_t i = 0; i < length / 2; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
        arg->value[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return SL_OK;
}

static sl_status parse_fill(const char *text, sl_kernel_arg *arg, sl_error *error)
{
    size_t length = strcspn(text, ":");
    const char *parameter = text[length] ? text + length + 1 : NULL;
    for (int i = 0; i < FILLS; i++) {
        if (length != strlen(fills[i]) || strncmp(text, fills[i], length))
            continue;
        arg->fill = (sl_arg_fill)i;
        if (arg->fill == SL_FILL_FILE) {
            arg->path = parameter;
            if (!parameter || !*parameter)
                return sl_fail(error, SL_INVALID, "argument '%s': write file:PATH", arg->text);
        } else if (arg->fill == SL_FILL_RANDOM && parameter) {
            char *end;
            arg->bound = strtod(parameter, &end);
            if (end == parameter || *end || !(arg->bound > 0) || arg->bound > 0x1p63)
                return sl_fail(error, SL_INVALID, "argument '%s': '%s' is not a bound for random numbers", arg->text,
                               parameter);
        } else if (parameter) {
            return sl_fail(error, SL_INVALID, "argument '%s': '%s' takes no value", arg->text, fills[i]);
        }
        return SL_OK;
    }
    arg->fill = SL_FILL_VALUE;
    if (!isalpha((unsigned char)*text) || !parse_value(text, arg, NULL)) /* inf and nan are numbers */
        return parse_value(text, arg, error);
    char hint[64];
    return sl_fail(error, SL_INVALID,
                   "argument '%s': '%s' is not a fill%s; give zero, iota, random, file:PATH, none or a number",
                   arg->text, text, sl_did_you_mean(text, fills, FILLS, "", hint, sizeof hint));
}

static sl_status parse_buffer(const char *bracket, sl_kernel_arg *arg, sl_error *error)
{
    const char *close = strchr(bracket, ']');
    char number[32];
    if (!close || (close[1] && close[1] != ':'))
        return sl_fail(error, SL_INVALID, "argument '%s': a buffer is written TYPE[COUNT]:FILL", arg->text);
    snprintf(number, sizeof number, "%.*s", (int)(close - bracket - 1), bracket + 1);
    if (!sl_parse_count(number, 1024, &arg->count) || !arg->count || arg->count >> LARGEST_BUFFER_BITS)
        return sl_fail(error, SL_INVALID, "argument '%s': '%s' is not a number of elements", arg->text, number);
    arg->buffer = true;
    return close[1] && close[2] ? parse_fill(close + 2, arg, error) : SL_OK;
}

sl_status sl_kernel_arg_parse(const char *text, sl_kernel_arg *arg, sl_error *error)
{
    *arg = (sl_kernel_arg){.text = text, .count = 1};
    size_t length = strcspn(text, ":[");
    if (!text[length])
        return sl_fail(error, SL_INVALID, "argument '%s': write TYPE:VALUE or TYPE[COUNT]:FILL", text);
    if (length == 3 && !strncmp(text, "hex:", 4))
        return parse_hex(text + 4, arg, error);
    sl_status status = find_type(text, length, arg, error);
    if (status)
        return status;
    return text[length] == '[' ? parse_buffer(text + length, arg, error) : parse_value(text + length + 1, arg, error);
}

static void store_number(const sl_kernel_arg *arg, uint8_t *to, uint64_t integer, double real)
{
    float single = (float)real;
    if (arg->kind != 'f')
        memcpy(to, &integer, arg->bytes);
    else
        memcpy(to, arg->bytes == 4 ? (void *)&single : (void *)&real, arg->bytes);
}

static sl_status read_exactly(const sl_kernel_arg *arg, uint8_t *data, sl_error *error)
{
    FILE *file = fopen(arg->path, "rb");
    if (!file)
        return sl_fail_io(error, "read", arg->path);
    uint64_t bytes = arg->count * arg->bytes;
    size_t got = fread(data, 1, bytes, file);
    bool longer = got == bytes && fgetc(file) != EOF;
    sl_status status = SL_OK;
    if (ferror(file))
        status = sl_fail_io(error, "read", arg->path);
    else if (got < bytes || longer)
        status = sl_fail(error, SL_INVALID, "argument '%s': %s is %s than the %" PRIu64 " bytes of the buffer",
                         arg->text, arg->path, longer ? "longer" : "shorter", bytes);
    fclose(file);
    return status;
}

static sl_status fill_buffer(const sl_kernel_arg *arg, uint8_t *data, sl_random *random, sl_error *error)
{
    if (arg->fill == SL_FILL_FILE)
        return read_exactly(arg, data, error);
    for (uint64_t i = 0; i < arg->count; i++) {
        uint8_t *to = data + i * arg->bytes;
        if (arg->fill == SL_FILL_VALUE)
            memcpy(to, arg->value, arg->bytes);
        else if (arg->fill == SL_FILL_IOTA)
            store_number(arg, to, i, (double)i);
        else if (arg->kind == 'f') /* 24 bits, so that a single-precision number never rounds up to the bound */
            store_number(arg, to, 0, (double)sl_random_f32(random) * (arg->bound ? arg->bound : 1));
        else if (arg->bound >= 1)
            store_number(arg, to, sl_random_below(random, (uint64_t)arg->bound), 0);
        else
            store_number(arg, to, sl_random_u64(random), 0);
    }
    return SL_OK;
}

sl_status sl_kernel_arg_allocate(sl_kernel_arg *arg, sl_device *device, const char *label, sl_random *random,
                                 sl_error *error)
{
    if (!arg->buffer)
        return SL_OK;
    uint64_t bytes = arg->count * arg->bytes;
    sl_status status = sl_device_alloc(device, bytes, label, &arg->addr, error);
    if (status || arg->fill == SL_FILL_NONE)
        return status;
    if (arg->fill == SL_FILL_ZERO)
        return sl_device_fill(device, arg->addr, 0, bytes, error);
    uint8_t *data = malloc(bytes);
    if (!data)
        return sl_fail_memory(error);
    status = fill_buffer(arg, data, random, error);
    if (!status)
        status = sl_device_copy_in(device, arg->addr, data, bytes, error);
    free(data);
    return status;
}

sl_device_arg sl_kernel_arg_value(const sl_kernel_arg *arg)
{
    if (arg->buffer)
        return (sl_device_arg){&arg->addr, sizeof arg->addr};
    return (sl_device_arg){arg->value, arg->bytes};
}

sl_status sl_kernel_arg_fetch(const sl_kernel_arg *arg, sl_device *device, void **data, sl_error *error)
{
    uint64_t bytes = arg->count * arg->bytes;
    *data = malloc(bytes);
    if (!*data)
        return sl_fail_memory(error);
    sl_status status = sl_device_copy_out(device, *data, arg->addr, bytes, error);
    if (status) {
        free(*data);
        *data = NULL;
    }
    return status;
}

static void print_element(const sl_kernel_arg *arg, const uint8_t *from, FILE *file)
{
    uint64_t bits = 0;
    float single;
    double real;
    memcpy(&bits, from, arg->bytes);
    if (arg->kind == 'u') {
        fprintf(file, " %" PRIu64, bits);
    } else if (arg->kind == 's') {
        unsigned shift = 64 - 8 * arg->bytes;
        fprintf(file, " %" PRId64, (int64_t)(bits << shift) >> shift);
    } else if (arg->bytes == 4) {
        memcpy(&single, from, sizeof single);
        fprintf(file, " %.9g", (double)single);
    } else {
        memcpy(&real, from, sizeof real);
        fprintf(file, " %.17g", real);
    }
}

void sl_kernel_arg_print(const sl_kernel_arg *arg, const void *data, FILE *file)
{
    for (uint64_t i = 0; i < arg->count; i++) {
        if (i % 8 == 0)
            fprintf(file, "%s%8" PRIu64 ":", i ? "\n" : "", i);
        print_element(arg, (const uint8_t *)data + i * arg->bytes, file);
    }
    fputc('\n', file);
}

/* The arguments of the launch, as typed and as the device takes them. */
typedef struct launch_args {
    size_t count;
    sl_kernel_arg *typed;
    sl_device_arg *value;
} launch_args;

/* The parameters of a kernel, for messages. */
static void describe_params(const sl_ptx_func *func, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < func->params && used < size; i++) {
        const sl_ptx_var *param = func->param[i];
        used += (size_t)snprintf(text + used, size - used, "%s.%s", i ? ", " : "", sl_ptx_type_text(param->type));
        if (param->dims && used < size)
            used += (size_t)snprintf(text + used, size - used, "[%" PRIu64 "]", param->dim[0]);
    }
}

static sl_status prepare_args(const sl_ptx_func *func, const sl_kernel_launch *launch, uint64_t seed, sl_device *device,
                              launch_args *args, sl_error *error)
{
    sl_random random = sl_random_seed(seed);
    char params[512], label[48];
    args->count = launch->args;
    args->typed = calloc(args->count + 1, sizeof *args->typed);
    args->value = calloc(args->count + 1, sizeof *args->value);
    if (!args->typed || !args->value)
        return sl_fail_memory(error);
    if (args->count != func->params) {
        describe_params(func, params, sizeof params);
        return sl_fail(error, SL_INVALID, "kernel %s takes %u argument%s (%s), but %zu --arg %s given", func->name,
                       func->params, func->params == 1 ? "" : "s", params, args->count,
                       args->count == 1 ? "was" : "were");
    }
    for (size_t i = 0; i < args->count; i++) {
        sl_status status = sl_kernel_arg_parse(launch->arg[i], &args->typed[i], error);
        snprintf(label, sizeof label, "arg %zu", i);
        if (!status)
            status = sl_kernel_arg_allocate(&args->typed[i], device, label, &random, error);
        if (status)
            return status;
        args->value[i] = sl_kernel_arg_value(&args->typed[i]);
    }
    return SL_OK;
}

sl_status sl_kernel_launch_run(const sl_kernel_launch *launch, sl_device_module *module, uint64_t seed,
                               sl_device *device, sl_error *error)
{
    launch_args args = {0};
    sl_device_kernel *kernel = NULL;
    sl_status status = sl_device_kernel_get(module, launch->entry, &kernel, error);
    if (!status)
        status = prepare_args(sl_device_kernel_func(kernel), launch, seed, device, &args, error);
    if (!status) {
        sl_device_launch placed = {
            .dynamic_shared_bytes = (uint32_t)launch->shared_bytes, .args = args.count, .arg = args.value};
        for (int i = 0; i < 3; i++) {
            placed.grid[i] = launch->grid[i] ? launch->grid[i] : 1;
            placed.block[i] = launch->block[i] ? launch->block[i] : 1;
        }
        status = sl_device_run(kernel, &placed, error);
    }
    if (!status)
        status = sl_device_synchronize(device, error);
    if (!status && launch->after)
        status = launch->after(launch->after_context, args.typed, args.count, device, error);
    for (size_t i = 0; args.typed && i < args.count; i++)
        if (args.typed[i].buffer && args.typed[i].addr)
            sl_device_free(device, args.typed[i].addr, NULL);
    free(args.typed);
    free(args.value);
    return status;
}
