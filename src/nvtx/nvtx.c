/* SPDX-License-Identifier: MIT */
/* NVTX, by which programs name what they do. Version 3 is in the program: its first call loads the library that
 * NVTX_INJECTION64_PATH names, and calls InitializeInjectionNvtx2, which puts our functions into its tables. Version 2
 * is a library, libnvToolsExt.so.1, whose functions are here under their own names.
 *
 * Ranges, marks, domains and registered strings are followed (src/process/labels.c). Colors, payloads, categories, and
 * names of threads, streams and the like are not. */
#include "process/core.h"

#include <string.h>
#include <wchar.h>

/* ---- NVTX's types ---- */

typedef enum message_type { MESSAGE_NONE, MESSAGE_ASCII, MESSAGE_WIDE, MESSAGE_REGISTERED } message_type;

typedef struct event {
    uint16_t version, size;
    uint32_t category, color_type, color, payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
} event;
_Static_assert(sizeof(event) == 48, "the size of nvtxEventAttributes_t");

/* A domain and a registered string are texts, which live as long as the process. NULL: the domain without a name. */
typedef const char *domain;

typedef void (*any_function)(void);
enum { MODULE_CORE = 1, MODULE_CORE2 = 5, TABLE_CALLBACKS = 1 };
typedef struct callbacks_table {
    size_t bytes;
    int (*module_table)(int module, any_function ***table, unsigned *count);
} callbacks_table;
typedef const void *get_table(uint32_t id);

/* ---- messages ---- */

enum { MAX_WIDE = 1024 };

/* The domain's name and the text as a label. */
static const char *wide_label(domain d, const wchar_t *text)
{
    char narrow[MAX_WIDE], *to = narrow;
    for (; text && *text && to < narrow + sizeof narrow - 5; text++) {
        uint32_t c = (uint32_t)*text;
        if (c < 0x80) {
            *to++ = (char)c;
        } else if (c < 0x800) {
            *to++ = (char)(0xc0 | c >> 6);
            *to++ = (char)(0x80 | (c & 63));
        } else if (c < 0x10000) {
            *to++ = (char)(0xe0 | c >> 12);
            *to++ = (char)(0x80 | (c >> 6 & 63));
            *to++ = (char)(0x80 | (c & 63));
        } else if (c < 0x110000) {
            *to++ = (char)(0xf0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 63));
            *to++ = (char)(0x80 | (c >> 6 & 63));
            *to++ = (char)(0x80 | (c & 63));
        }
    }
    *to = 0;
    return sl_proc_label(d, narrow);
}

static const char *event_label(domain d, const event *e)
{
    if (e && e->size >= sizeof *e && e->message)
        switch ((message_type)e->message_type) {
        case MESSAGE_ASCII:
            return sl_proc_label(d, e->message);
        case MESSAGE_WIDE:
            return wide_label(d, e->message);
        case MESSAGE_REGISTERED:
            return e->message;
        case MESSAGE_NONE:
            break;
        }
    return sl_proc_label(d, NULL);
}

/* ---- the functions ---- */

SL_API void nvtxDomainMarkEx(domain d, const event *e)
{
    sl_proc_mark(event_label(d, e));
}

SL_API void nvtxMarkEx(const event *e)
{
    nvtxDomainMarkEx(NULL, e);
}

SL_API void nvtxMarkA(const char *text)
{
    sl_proc_mark(sl_proc_label(NULL, text));
}

SL_API void nvtxMarkW(const wchar_t *text)
{
    sl_proc_mark(wide_label(NULL, text));
}

SL_API uint64_t nvtxDomainRangeStartEx(domain d, const event *e)
{
    return sl_proc_range_start(event_label(d, e));
}

SL_API uint64_t nvtxRangeStartEx(const event *e)
{
    return nvtxDomainRangeStartEx(NULL, e);
}

SL_API uint64_t nvtxRangeStartA(const char *text)
{
    return sl_proc_range_start(sl_proc_label(NULL, text));
}

SL_API uint64_t nvtxRangeStartW(const wchar_t *text)
{
    return sl_proc_range_start(wide_label(NULL, text));
}

SL_API void nvtxRangeEnd(uint64_t range)
{
    sl_proc_range_end(range);
}

SL_API void nvtxDomainRangeEnd(domain d, uint64_t range)
{
    (void)d;
    sl_proc_range_end(range);
}

SL_API int nvtxDomainRangePushEx(domain d, const event *e)
{
    return sl_proc_range_push(d, event_label(d, e));
}

SL_API int nvtxRangePushEx(const event *e)
{
    return nvtxDomainRangePushEx(NULL, e);
}

SL_API int nvtxRangePushA(const char *text)
{
    return sl_proc_range_push(NULL, sl_proc_label(NULL, text));
}

SL_API int nvtxRangePushW(const wchar_t *text)
{
    return sl_proc_range_push(NULL, wide_label(NULL, text));
}

SL_API int nvtxDomainRangePop(domain d)
{
    return sl_proc_range_pop(d);
}

SL_API int nvtxRangePop(void)
{
    return sl_proc_range_pop(NULL);
}

SL_API const char *nvtxDomainRegisterStringA(domain d, const char *text)
{
    return sl_proc_label(d, text);
}

SL_API const char *nvtxDomainRegisterStringW(domain d, const wchar_t *text)
{
    return wide_label(d, text);
}

/* Two domains of one name are one, as in NVIDIA's tools. */
SL_API domain nvtxDomainCreateA(const char *name)
{
    return sl_proc_label(NULL, name);
}

SL_API domain nvtxDomainCreateW(const wchar_t *name)
{
    return wide_label(NULL, name);
}

SL_API void nvtxDomainDestroy(domain d)
{
    (void)d;
}

/* ---- functions without an effect ---- */

#define SL_NVTX(module, number, name)
#define SL_NVTX_IGNORED(name)                                                                                          \
    SL_API void nvtx##name(void)                                                                                       \
    {                                                                                                                  \
    }
#include "nvtx/functions.def"
#undef SL_NVTX
#undef SL_NVTX_IGNORED

SL_API void *nvtxDomainResourceCreate(domain d, void *attributes)
{
    (void)d;
    (void)attributes;
    return NULL;
}

SL_API void *nvtxDomainSyncUserCreate(domain d, const void *attributes)
{
    (void)d;
    (void)attributes;
    return NULL;
}

/* ---- injection ---- */

static const struct {
    int module;
    unsigned number;
    any_function function;
} FUNCTIONS[] = {
#define SL_NVTX(module, number, name) {MODULE_##module, number, (any_function)nvtx##name},
#define SL_NVTX_IGNORED(name)
#include "nvtx/functions.def"
#undef SL_NVTX
#undef SL_NVTX_IGNORED
};

/* A program has NVTX as often as it has libraries that contain it; each calls this with tables of its own. 1: done. */
SL_API int InitializeInjectionNvtx2(get_table *get)
{
    const callbacks_table *callbacks = get ? get(TABLE_CALLBACKS) : NULL;
    if (!callbacks || callbacks->bytes < sizeof *callbacks || !callbacks->module_table)
        return 0;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        any_function **table = NULL;
        unsigned count = 0;
        if (callbacks->module_table(FUNCTIONS[i].module, &table, &count) && table && FUNCTIONS[i].number < count &&
            table[FUNCTIONS[i].number])
            *table[FUNCTIONS[i].number] = FUNCTIONS[i].function;
    }
    return 1;
}

/* Version 2 asks for this name first. */
SL_API int InitializeInjectionNvtx(get_table *get)
{
    return InitializeInjectionNvtx2(get);
}
