/* SPDX-License-Identifier: MIT */
/* The driver's linker. What it puts together is a fat binary whose PTX texts are to be linked with each other, which
 * happens when it is loaded. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ptx/elf.h"

struct sl_proc_linker {
    SL_ARRAY(char *) texts;
    char *image; /* what the program was given */
};

cudaError_t sl_proc_linker_create(struct sl_proc_linker **linker)
{
    *linker = calloc(1, sizeof **linker);
    return *linker ? cudaSuccess : cudaErrorMemoryAllocation;
}

void sl_proc_linker_destroy(struct sl_proc_linker *linker)
{
    for (size_t i = 0; i < linker->texts.count; i++)
        free(linker->texts.items[i]);
    sl_array_free(&linker->texts);
    free(linker->image);
    free(linker);
}

static cudaError_t keep(struct sl_proc_linker *linker, char *text)
{
    if (text && sl_array_push(&linker->texts, text))
        return cudaSuccess;
    free(text);
    return cudaErrorMemoryAllocation;
}

/* The best PTX of each container. */
static cudaError_t add_fatbin(sl_proc *rt, struct sl_proc_linker *linker, const sl_fatbin *fatbin, sl_error *error)
{
    size_t at = 0, added = 0;
    cudaError_t failed = cudaSuccess;
    for (const sl_fatbin_entry *best; !failed && (best = sl_fatbin_next_ptx(fatbin, &at, sl_proc_capability(rt)));) {
        char *text = NULL;
        size_t bytes;
        failed = sl_proc_error_of(sl_fatbin_unpack(best, &text, &bytes, error));
        if (!failed)
            failed = keep(linker, text);
        added++;
    }
    if (failed || added)
        return failed;
    sl_fail(error, SL_NOT_FOUND, "the linker was given machine code without PTX, which cannot run here");
    return cudaErrorNoKernelImageForDevice;
}

static cudaError_t add(sl_proc *rt, struct sl_proc_linker *linker, const char *data, size_t bytes, sl_error *error)
{
    sl_fatbin fatbin = {0};
    cudaError_t failed;
    if (bytes >= 8 && memcmp(data, "!<arch>\n", 8) == 0)
        return cudaSuccess; /* a library, such as the device runtime: nothing of it is needed here */
    if (bytes >= SL_FATBIN_HEADER && (sl_elf_is(data, bytes) || sl_fatbin_container_bytes(data))) {
        failed = sl_proc_error_of(sl_elf_is(data, bytes) ? sl_fatbin_add_elf(&fatbin, data, bytes, error)
                                                         : sl_fatbin_add(&fatbin, data, bytes, true, error));
        if (!failed)
            failed = add_fatbin(rt, linker, &fatbin, error);
        sl_fatbin_fini(&fatbin);
        return failed;
    }
    return keep(linker, strndup(data, bytes));
}

cudaError_t sl_proc_linker_add(sl_proc *rt, struct sl_proc_linker *linker, const void *data, size_t bytes)
{
    sl_error error = {0};
    char text[1536];
    cudaError_t failed = add(rt, linker, data, bytes, &error);
    if (failed)
        sl_proc_problem(rt, "%s", sl_error_format(&error, text, sizeof text));
    return failed;
}

cudaError_t sl_proc_linker_add_file(sl_proc *rt, struct sl_proc_linker *linker, const char *path)
{
    char *data = NULL;
    size_t bytes = 0;
    if (sl_file_read(path, &data, &bytes, NULL))
        return cudaErrorFileNotFound;
    cudaError_t failed = sl_proc_linker_add(rt, linker, data, bytes);
    free(data);
    return failed;
}

cudaError_t sl_proc_linker_complete(struct sl_proc_linker *linker, void **image, size_t *bytes)
{
    SL_ARRAY(sl_fatbin_entry) texts = {0};
    sl_status status = SL_OK;
    for (size_t i = 0; !status && i < linker->texts.count; i++) {
        const char *text = linker->texts.items[i];
        sl_fatbin_entry entry = {.kind = SL_FATBIN_PTX, .data = (const uint8_t *)text, .bytes = strlen(text)};
        status = sl_array_push(&texts, entry) ? SL_OK : SL_NO_MEMORY;
    }
    free(linker->image);
    linker->image = NULL;
    size_t made;
    if (!status)
        status = sl_fatbin_make(texts.items, texts.count, SL_LINKED_VERSION, &linker->image, &made, NULL);
    sl_array_free(&texts);
    if (status)
        return cudaErrorMemoryAllocation;
    *image = linker->image;
    if (bytes)
        *bytes = made;
    return cudaSuccess;
}
