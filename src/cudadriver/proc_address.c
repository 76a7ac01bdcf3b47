/* SPDX-License-Identifier: MIT */
/* Entry points by name and version, and the tables that have no names. */
#include "cudadriver/driver.h"

#include <string.h>

enum { FOUND, UNKNOWN, TOO_OLD, PER_THREAD = 2 };

SL_API CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    bool known = false;
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    *function = flags & PER_THREAD ? sl_driver_find(name, version, true, &known) : NULL;
    if (!*function)
        *function = sl_driver_find(name, version, false, &known);
    if (status)
        *status = *function ? FOUND : known ? TOO_OLD : UNKNOWN;
    return 0;
}

SL_API CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    CUresult error = cuGetProcAddress_v2(name, function, version, flags, NULL);
    return error || *function ? error : CUDA_ERROR_NOT_FOUND;
}

/* ---- tables ---- */

/* cuBLAS asks for two tables that CUDA does not document, and wants little of them: the current context, a number for
 * it, and an object per stream. All others are refused, in particular what tells NVIDIA's driver from others. */

static CUresult get_context(CUcontext *context)
{
    sl_proc *rt = sl_proc_enter();
    *context = sl_proc_context_current(rt);
    sl_proc_unlock(rt);
    return 0;
}

static CUresult get_context_number(CUcontext context, uint64_t *number)
{
    (void)context;
    *number = 1;
    return 0;
}

static CUresult get_stream_object(CUcontext context, CUstream stream, void **object)
{
    (void)context, (void)stream;
    *object = NULL;
    return 0;
}

static CUresult get_object_number(CUcontext context, void *object, uint64_t *number)
{
    (void)context, (void)object;
    *number = 0;
    return 0;
}

static CUresult not_there(void)
{
    return (CUresult)cudaErrorNotSupported;
}

enum { CONTEXT_SLOTS = 4, STREAM_SLOTS = 64 };

static const struct {
    unsigned char id[16];
    size_t slots;
    struct {
        size_t slot;
        void *function;
    } entry[3];
} TABLES[] = {
    {{0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc},
     CONTEXT_SLOTS,
     {{2, (void *)get_context}}},
    {{0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8, 0xf2},
     STREAM_SLOTS,
     {{4, (void *)get_context_number}, {51, (void *)get_stream_object}, {39, (void *)get_object_number}}},
};

/* Who asks in vain, of those that do not work without: what it cannot do is reported here, before it fails. Libraries
 * that live with a refusal are passed over. */
static void warn_refusal(sl_proc *rt, const void *caller)
{
    static const char CUFFT[] = "libcufft.so";
    const char *file = sl_proc_file_at(caller);
    if (strncmp(file, CUFFT, sizeof CUFFT - 1) == 0)
        sl_proc_problem(rt, "%s does not work here: cuFFT needs an interface of NVIDIA's driver that is not documented",
                        file);
    else if (strncmp(file, "lib", 3) != 0) /* NVIDIA's runtime asks first of all */
        sl_proc_problem(
            rt,
            "%s contains a CUDA runtime that Sluice does not know (CUDA 11, 12 and 13 are); link it with nvcc "
            "-cudart shared",
            file);
}

SL_API CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    static const void *slots[sizeof TABLES / sizeof *TABLES][STREAM_SLOTS];
    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    sl_proc *rt = sl_proc_enter();
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES && !*table; i++) {
        if (memcmp(TABLES[i].id, id->bytes, sizeof TABLES[i].id) != 0)
            continue;
        slots[i][0] = (const void *)(TABLES[i].slots * sizeof **slots); /* its bytes */
        for (size_t s = 1; s < TABLES[i].slots; s++)
            slots[i][s] = (const void *)not_there;
        for (size_t e = 0; e < sizeof TABLES[i].entry / sizeof *TABLES[i].entry; e++)
            if (TABLES[i].entry[e].function)
                slots[i][TABLES[i].entry[e].slot] = TABLES[i].entry[e].function;
        *table = slots[i];
    }
    if (!*table)
        warn_refusal(rt, __builtin_return_address(0));
    sl_proc_unlock(rt);
    return *table ? 0 : CUDA_ERROR_NOT_FOUND;
}
