/* SPDX-License-Identifier: MIT */
/* Contexts. There is one device, and all contexts are names for it: memory and code of one are those of the others, and
 * outlive it. What a context has of its own is its place on the stacks of threads. */
#include "process/core.h"

#include <stdlib.h>

enum { MAX_DEPTH = 256 };
static _Thread_local sl_proc_context *stack[MAX_DEPTH];
static _Thread_local unsigned depth;

bool sl_proc_context_known(sl_proc *rt, const sl_proc_context *context)
{
    if (context == &rt->primary)
        return true;
    for (const sl_proc_context *c = rt->contexts; c; c = c->next)
        if (c == context)
            return true;
    return false;
}

/* Contexts that another thread has destroyed are taken off this thread's stack here. */
sl_proc_context *sl_proc_context_current(sl_proc *rt)
{
    while (depth && !sl_proc_context_known(rt, stack[depth - 1]))
        depth--;
    return depth ? stack[depth - 1] : NULL;
}

cudaError_t sl_proc_context_push(sl_proc *rt, sl_proc_context *context)
{
    if (!sl_proc_context_known(rt, context) || depth == MAX_DEPTH)
        return cudaErrorInvalidValue;
    stack[depth++] = context;
    return cudaSuccess;
}

void sl_proc_context_need(sl_proc *rt)
{
    rt->primary.is_primary = true;
    if (!sl_proc_context_current(rt))
        sl_proc_context_push(rt, &rt->primary);
}

cudaError_t sl_proc_context_pop(sl_proc *rt, sl_proc_context **context)
{
    sl_proc_context *current = sl_proc_context_current(rt);
    if (!current)
        return cudaErrorDeviceUninitialized;
    depth--;
    if (context)
        *context = current;
    return cudaSuccess;
}

cudaError_t sl_proc_context_set(sl_proc *rt, sl_proc_context *context)
{
    if (context && !sl_proc_context_known(rt, context))
        return cudaErrorDeviceUninitialized;
    if (sl_proc_context_current(rt))
        depth--;
    return context ? sl_proc_context_push(rt, context) : cudaSuccess;
}

cudaError_t sl_proc_context_create(sl_proc *rt, unsigned flags, sl_proc_context **context)
{
    sl_proc_context *made = calloc(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    *made = (sl_proc_context){.flags = flags, .id = ++rt->next_context, .next = rt->contexts};
    rt->contexts = made;
    *context = made;
    return sl_proc_context_push(rt, made);
}

cudaError_t sl_proc_context_destroy(sl_proc *rt, sl_proc_context *context)
{
    for (sl_proc_context **c = &rt->contexts; *c; c = &(*c)->next)
        if (*c == context) {
            unsigned kept = 0;
            for (unsigned i = 0; i < depth; i++)
                if (stack[i] != context)
                    stack[kept++] = stack[i];
            depth = kept;
            *c = context->next;
            free(context);
            return cudaSuccess;
        }
    return cudaErrorDeviceUninitialized;
}
