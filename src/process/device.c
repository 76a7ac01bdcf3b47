/* SPDX-License-Identifier: MIT */
/* The device: how many there are (one), what it can do, its settings.
 *
 * It presents itself as the machine whose limits the emulator enforces, an H200. What programs print or size their work
 * by (multiprocessors, memory, shared memory, cache sizes) is what that GPU reports. */
#include "process/core.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sl_machine *sl_proc_machine(const sl_proc *rt)
{
    return sl_emu_machine(rt->emu);
}

const sl_gpu_limits *sl_proc_limits(const sl_proc *rt)
{
    return sl_emu_limits(rt->emu);
}

const sl_machine *sl_proc_model(sl_proc *rt)
{
    sl_error error = {0};
    if (!*rt->options.device)
        return sl_emu_machine(rt->emu);
    if (!rt->model && (rt->model = malloc(sizeof *rt->model)) &&
        sl_machine_load(rt->options.device, rt->model, &error)) {
        sl_proc_say_error(NULL, &error);
        *rt->model = *sl_emu_machine(rt->emu);
    }
    return rt->model ? rt->model : sl_emu_machine(rt->emu);
}

sl_gpu_limits sl_proc_model_limits(sl_proc *rt)
{
    return sl_gpu_limits_of(sl_proc_model(rt));
}

uint32_t sl_proc_capability(const sl_proc *rt)
{
    uint64_t chosen = rt->options.settings.compute_capability;
    return chosen ? (uint32_t)chosen : SL_PROGRAM_SM;
}

uint32_t sl_proc_capability_for(const sl_proc *rt, unsigned library)
{
    enum { LATER_THAN_ANY = 130 };
    return library && !rt->options.settings.compute_capability ? LATER_THAN_ANY : sl_proc_capability(rt);
}

char *sl_proc_device_name(const sl_machine *machine, char *buffer, size_t size)
{
    size_t start = (size_t)snprintf(buffer, size, "Sluice emulated ");
    snprintf(buffer, size, "Sluice emulated %s", machine->name);
    for (size_t i = start; i < size && buffer[i]; i++)
        buffer[i] = (char)toupper((unsigned char)buffer[i]);
    return buffer;
}

void sl_proc_device_uuid(char uuid[16])
{
    memcpy(uuid, "sluice emulator", 16);
}

int sl_proc_attribute(sl_proc *rt, int attribute)
{
    const sl_machine *m = sl_emu_machine(rt->emu);
    const sl_gpu_limits *l = sl_emu_limits(rt->emu);
    switch (attribute) {
#define SL_ATTRIBUTE(number, value)                                                                                    \
    case number:                                                                                                       \
        return (int)(value);
#define SL_ATTRIBUTE_PROPERTY(number, value, field) SL_ATTRIBUTE(number, value)
#define SL_ATTRIBUTE_UNTIL_12(number, value, field) SL_ATTRIBUTE(number, value)
#define SL_ATTRIBUTE_FROM_12(number, value, field)  SL_ATTRIBUTE(number, value)
#include "process/attributes.def"
#undef SL_ATTRIBUTE
#undef SL_ATTRIBUTE_PROPERTY
#undef SL_ATTRIBUTE_UNTIL_12
#undef SL_ATTRIBUTE_FROM_12
    }
    return 0; /* what is not in the table is not there on this machine */
}

cudaError_t sl_proc_device_attribute(sl_proc *rt, int *value, int attribute, int device)
{
    if (!value || attribute < 1 || attribute > SL_LAST_ATTRIBUTE)
        return cudaErrorInvalidValue;
    *value = sl_proc_attribute(rt, attribute);
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t sl_proc_device_pci_id(char *text, int length, int device)
{
    if (!text || length < (int)sizeof SL_PCI_BUS_ID)
        return cudaErrorInvalidValue;
    memcpy(text, SL_PCI_BUS_ID, sizeof SL_PCI_BUS_ID);
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

/* ---- settings ---- */

cudaError_t sl_proc_limit(sl_proc *rt, cudaLimit which, size_t *get, const size_t *set)
{
    if ((unsigned)which >= SL_PROC_LIMITS || (!get && !set))
        return cudaErrorInvalidValue;
    if (which == cudaLimitDevRuntimeSyncDepth)
        return cudaErrorUnsupportedLimit;
    if (set)
        rt->limits[which] = *set;
    if (set && which == cudaLimitMallocHeapSize && rt->emu)
        sl_heap_limit_kernels(sl_emu_heap(rt->emu), *set);
    if (set && which == cudaLimitPrintfFifoSize && rt->emu)
        sl_emu_printf_limit(rt->emu, *set);
    if (get)
        *get = rt->limits[which];
    return cudaSuccess;
}
