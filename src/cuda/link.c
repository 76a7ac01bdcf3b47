/* SPDX-License-Identifier: MIT */
/* The driver's linker. What it puts together is a fat binary whose PTX texts are to be linked with each other, which
 * happens when it is loaded. */
#include "cuda/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ptx/elf.h"

struct sl_cuda_linker {
    SL_ARRAY(char *) texts;
    char *image; /* what the program was given */
};

enum { ENTRY_HEADER = 64, CONTAINER_HEADER = 16, CONTAINER_MAGIC = (int)0xBA55ED50 };

cudaError_t sl_cuda_linker_create(struct sl_cuda_linker **linker)
{
    *linker = calloc(1, sizeof **linker);
    return *linker ? cudaSuccess : cudaErrorMemoryAllocation;
}

void sl_cuda_linker_destroy(struct sl_cuda_linker *linker)
{
    for (size_t i = 0; i < linker->texts.count; i++)
        free(linker->texts.items[i]);
    sl_array_free(&linker->texts);
    free(linker->image);
    free(linker);
}

static cudaError_t keep(struct sl_cuda_linker *linker, char *text)
{
    if (text && sl_array_push(&linker->texts, text))
        return cudaSuccess;
    free(text);
    return cudaErrorMemoryAllocation;
}

/* The best PTX of each container. */
static cudaError_t add_fatbin(sl_cuda *rt, struct sl_cuda_linker *linker, const sl_fatbin *fatbin, sl_error *error)
{
    size_t at = 0, added = 0;
    cudaError_t failed = cudaSuccess;
    for (const sl_fatbin_entry *best; !failed && (best = sl_fatbin_next_ptx(fatbin, &at, sl_cuda_capability(rt)));) {
        char *text = NULL;
        size_t bytes;
        failed = sl_cuda_error_of(sl_fatbin_unpack(best, &text, &bytes, error));
        if (!failed)
            failed = keep(linker, text);
        added++;
    }
    if (failed || added)
        return failed;
    sl_fail(error, SL_NOT_FOUND, "the linker was given machine code without PTX, which cannot run here");
    return cudaErrorNoKernelImageForDevice;
}

static cudaError_t add(sl_cuda *rt, struct sl_cuda_linker *linker, const char *data, size_t bytes, sl_error *error)
{
    sl_fatbin fatbin = {0};
    cudaError_t failed;
    if (bytes >= 8 && memcmp(data, "!<arch>\n", 8) == 0)
        return cudaSuccess; /* a library, such as the device runtime: nothing of it is needed here */
    if (bytes >= CONTAINER_HEADER && (sl_elf_is(data, bytes) || sl_fatbin_container_bytes(data))) {
        failed = sl_cuda_error_of(sl_elf_is(data, bytes) ? sl_fatbin_add_elf(&fatbin, data, bytes, error)
                                                         : sl_fatbin_add(&fatbin, data, bytes, true, error));
        if (!failed)
            failed = add_fatbin(rt, linker, &fatbin, error);
        sl_fatbin_fini(&fatbin);
        return failed;
    }
    return keep(linker, strndup(data, bytes));
}

cudaError_t sl_cuda_linker_add(sl_cuda *rt, struct sl_cuda_linker *linker, const void *data, size_t bytes)
{
    sl_error error = {0};
    char text[1536];
    cudaError_t failed = add(rt, linker, data, bytes, &error);
    if (failed)
        sl_cuda_problem(rt, "%s", sl_error_format(&error, text, sizeof text));
    return failed;
}

cudaError_t sl_cuda_linker_add_file(sl_cuda *rt, struct sl_cuda_linker *linker, const char *path)
{
    char *data = NULL;
    size_t bytes = 0;
    if (sl_file_read(path, &data, &bytes, NULL))
        return cudaErrorFileNotFound;
    cudaError_t failed = sl_cuda_linker_add(rt, linker, data, bytes);
    free(data);
    return failed;
}

static void append_number(char **at, uint64_t value, size_t bytes)
{
    memcpy(*at, &value, bytes);
    *at += bytes;
}

cudaError_t sl_cuda_linker_complete(struct sl_cuda_linker *linker, void **image, size_t *bytes)
{
    size_t payload = 0;
    for (size_t i = 0; i < linker->texts.count; i++)
        payload += ENTRY_HEADER + (strlen(linker->texts.items[i]) + 8) / 8 * 8;
    free(linker->image);
    linker->image = calloc(1, CONTAINER_HEADER + payload);
    if (!linker->image)
        return cudaErrorMemoryAllocation;
    char *at = linker->image;
    append_number(&at, (uint32_t)CONTAINER_MAGIC, 4);
    append_number(&at, SL_LINKED_VERSION, 2);
    append_number(&at, CONTAINER_HEADER, 2);
    append_number(&at, payload, 8);
    for (size_t i = 0; i < linker->texts.count; i++) {
        size_t length = strlen(linker->texts.items[i]), padded = (length + 8) / 8 * 8;
        char *end = at + ENTRY_HEADER + padded;
        append_number(&at, SL_FATBIN_PTX, 2);
        at += 2;
        append_number(&at, ENTRY_HEADER, 4);
        append_number(&at, padded, 8);
        memcpy(end - padded, linker->texts.items[i], length);
        at = end;
    }
    *image = linker->image;
    if (bytes)
        *bytes = CONTAINER_HEADER + payload;
    return cudaSuccess;
}
