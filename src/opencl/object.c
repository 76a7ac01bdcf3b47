/* SPDX-License-Identifier: MIT */
/* Objects: memory, references, answers; the way into the core and out of it. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

/* ---- objects ---- */

static const size_t BYTES[SL_CL_KINDS] = {
    [SL_CL_CONTEXT] = sizeof(struct _cl_context), [SL_CL_QUEUE] = sizeof(struct _cl_command_queue),
    [SL_CL_MEM] = sizeof(struct _cl_mem),         [SL_CL_SAMPLER] = sizeof(struct _cl_sampler),
    [SL_CL_PROGRAM] = sizeof(struct _cl_program), [SL_CL_KERNEL] = sizeof(struct _cl_kernel),
    [SL_CL_EVENT] = sizeof(struct _cl_event)};

/* Memory of objects that are gone, by kind; guarded by the core's lock, as everything here. */
static sl_cl_object *unused[SL_CL_KINDS];

void *sl_cl_new(sl_cl_kind kind)
{
    sl_cl_object *object = unused[kind];
    if (object) {
        unused[kind] = object->next_free;
        memset(object, 0, BYTES[kind]);
    } else if (!(object = calloc(1, BYTES[kind]))) {
        return NULL;
    }
    *object = (sl_cl_object){.dispatch = &sl_cl_dispatch, .kind = kind, .references = 1};
    return object;
}

bool sl_cl_is(const void *object, sl_cl_kind kind)
{
    return object && ((const sl_cl_object *)object)->kind == kind;
}

static void destroy(sl_proc *rt, sl_cl_object *object)
{
    sl_cl_kind kind = object->kind;
    switch (kind) {
    case SL_CL_CONTEXT:
        sl_cl_context_fini(rt, (cl_context)object);
        break;
    case SL_CL_QUEUE:
        sl_cl_queue_fini(rt, (cl_command_queue)object);
        break;
    case SL_CL_MEM:
        sl_cl_mem_fini(rt, (cl_mem)object);
        break;
    case SL_CL_SAMPLER:
        sl_cl_sampler_fini(rt, (cl_sampler)object);
        break;
    case SL_CL_PROGRAM:
        sl_cl_program_fini(rt, (cl_program)object);
        break;
    case SL_CL_KERNEL:
        sl_cl_kernel_fini(rt, (cl_kernel)object);
        break;
    case SL_CL_EVENT:
        sl_cl_event_fini(rt, (cl_event)object);
        break;
    case SL_CL_FREE:
    case SL_CL_PLATFORM:
    case SL_CL_DEVICE:
    case SL_CL_KINDS:
        return;
    }
    object->kind = SL_CL_FREE;
    object->next_free = unused[kind];
    unused[kind] = object;
}

void sl_cl_use(void *object)
{
    ((sl_cl_object *)object)->users++;
}

void sl_cl_unuse(sl_proc *rt, void *pointer)
{
    sl_cl_object *object = pointer;
    if (object && !--object->users && !object->references)
        destroy(rt, object);
}

cl_int sl_cl_retain(void *pointer, sl_cl_kind kind, cl_int missing)
{
    sl_cl_object *object = pointer;
    if (!sl_cl_is(object, kind) || !object->references)
        return missing;
    object->references++;
    return CL_SUCCESS;
}

cl_int sl_cl_release(sl_proc *rt, void *pointer, sl_cl_kind kind, cl_int missing)
{
    sl_cl_object *object = pointer;
    if (!sl_cl_is(object, kind) || !object->references)
        return missing;
    if (!--object->references && !object->users)
        destroy(rt, object);
    return CL_SUCCESS;
}

/* ---- answers ---- */

cl_int sl_cl_give(const sl_cl_answer *to, const void *value, size_t bytes)
{
    if (to->value && to->room < bytes)
        return CL_INVALID_VALUE;
    if (to->value && bytes)
        memcpy(to->value, value, bytes);
    if (to->size)
        *to->size = bytes;
    return CL_SUCCESS;
}

cl_int sl_cl_give_text(const sl_cl_answer *to, const char *text)
{
    return sl_cl_give(to, text, strlen(text) + 1);
}

cl_int sl_cl_properties_keep(sl_cl_properties *kept, const cl_ulong *list)
{
    enum { MAX_PROPERTIES = 64 };
    size_t count = 0;
    if (!list)
        return CL_SUCCESS;
    while (count < MAX_PROPERTIES && list[count])
        count += 2;
    if (count >= MAX_PROPERTIES)
        return CL_INVALID_PROPERTY;
    kept->item = malloc((count + 1) * sizeof *kept->item);
    if (!kept->item)
        return CL_OUT_OF_HOST_MEMORY;
    kept->bytes = (count + 1) * sizeof *kept->item;
    memcpy(kept->item, list, kept->bytes);
    return CL_SUCCESS;
}

/* ---- in and out ---- */

/* Callbacks of the program that nobody has called yet, the first at `next`. */
static struct {
    SL_ARRAY(sl_cl_callback) callbacks;
    size_t next;
} due;

void sl_cl_callback_due(const sl_cl_callback *callback)
{
    sl_array_push(&due.callbacks, *callback);
}

static void call(const sl_cl_callback *c)
{
    switch (c->kind) {
    case SL_CL_ON_EVENT:
        c->event(c->object, c->status, c->data);
        break;
    case SL_CL_ON_MEM:
        c->mem(c->object, c->data);
        break;
    case SL_CL_ON_PROGRAM:
        c->program(c->object, c->data);
        break;
    case SL_CL_ON_CONTEXT:
        c->context(c->object, c->data);
        break;
    }
}

bool sl_cl_enter(sl_proc **rt)
{
    *rt = sl_proc_enter();
    cudaError_t error = sl_proc_ready(*rt);
    return !error || error == (*rt)->fault;
}

bool sl_cl_callbacks_run(sl_proc *rt)
{
    bool some = due.callbacks.count;
    while (due.next < due.callbacks.count) {
        sl_cl_callback callback = due.callbacks.items[due.next++];
        sl_proc_unlock(rt); /* they may call us */
        call(&callback);
        sl_proc_relock(rt);
        if (callback.kind == SL_CL_ON_EVENT)
            sl_cl_unuse(rt, callback.object);
    }
    due.next = due.callbacks.count = 0;
    return some;
}

void sl_cl_leave(sl_proc *rt)
{
    sl_cl_callbacks_run(rt);
    sl_proc_unlock(rt);
}

cl_int sl_cl_error_of(cudaError_t error)
{
    switch ((int)error) {
    case cudaSuccess:
        return CL_SUCCESS;
    case cudaErrorMemoryAllocation:
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case cudaErrorInvalidConfiguration:
        return CL_INVALID_WORK_GROUP_SIZE;
    default:
        return CL_OUT_OF_RESOURCES;
    }
}
