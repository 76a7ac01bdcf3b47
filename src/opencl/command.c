/* SPDX-License-Identifier: MIT */
/* Commands: what they wait for, and how they run.
 *
 * A command that waits for nothing runs when it is enqueued. One that waits, for a user event in the end, is kept in
 * its queue with those behind it, until an event is set. */
#include "opencl/opencl.h"

#include <pthread.h>
#include <stdlib.h>

enum { ENQUEUE_NS = 1000 }; /* what a command costs on the time line beside its work */

/* Queues with commands that wait. */
static SL_ARRAY(cl_command_queue) waiting;

/* How often a status has changed: for threads that wait. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t count;
} changes = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static bool has_ended(cl_event event)
{
    return event->status <= CL_COMPLETE;
}

/* ---- making ---- */

cl_int sl_cl_wait_list_check(cl_context context, cl_uint count, const cl_event *waits)
{
    if (!count != !waits)
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        if (!sl_cl_is(waits[i], SL_CL_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
        if (waits[i]->context != context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

cl_int sl_cl_command_new(sl_proc *rt, cl_command_queue queue, cl_command_type type, cl_uint count,
                         const cl_event *waits, cl_event *command)
{
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = sl_cl_wait_list_check(queue->context, count, waits);
    if (!error)
        error = sl_cl_working(rt);
    if (error)
        return error;
    cl_event e = sl_cl_new(SL_CL_EVENT);
    if (!e)
        return CL_OUT_OF_HOST_MEMORY;
    e->type = type;
    e->status = CL_QUEUED;
    e->queue = queue;
    e->context = queue->context;
    sl_cl_use(queue);
    sl_cl_use(queue->context);
    for (cl_uint i = 0; i < count; i++) {
        if (!sl_array_push(&e->waits, waits[i]))
            return sl_cl_command_drop(rt, e, CL_OUT_OF_HOST_MEMORY);
        sl_cl_use(waits[i]);
    }
    *command = e;
    return CL_SUCCESS;
}

cl_int sl_cl_command_add(sl_proc *rt, cl_event command, sl_proc_op *op)
{
    if (sl_array_push(&command->ops, *op))
        return CL_SUCCESS;
    sl_proc_op_fini(rt, op);
    return CL_OUT_OF_HOST_MEMORY;
}

cl_int sl_cl_command_use(cl_event command, void *object)
{
    if (!sl_array_push(&command->used, object))
        return CL_OUT_OF_HOST_MEMORY;
    sl_cl_use(object);
    return CL_SUCCESS;
}

cl_int sl_cl_command_drop(sl_proc *rt, cl_event command, cl_int error)
{
    sl_cl_release(rt, command, SL_CL_EVENT, error);
    return error;
}

/* What a command needs while it waits and runs. */
static void let_go(sl_proc *rt, cl_event e)
{
    for (size_t i = 0; i < e->waits.count; i++)
        sl_cl_unuse(rt, e->waits.items[i]);
    for (size_t i = 0; i < e->ops.count; i++)
        sl_proc_op_fini(rt, &e->ops.items[i]);
    for (size_t i = 0; i < e->used.count; i++)
        sl_cl_unuse(rt, e->used.items[i]);
    sl_array_free(&e->waits);
    sl_array_free(&e->ops);
    sl_array_free(&e->used);
    free(e->data);
    e->data = NULL;
}

void sl_cl_event_fini(sl_proc *rt, cl_event event)
{
    let_go(rt, event);
    sl_array_free(&event->callbacks);
    if (event->queue)
        sl_cl_unuse(rt, event->queue);
    if (event->context)
        sl_cl_unuse(rt, event->context);
}

/* ---- running ---- */

/* Kernels find the program's memory on the device, and leave there what it gets. */
static bool has_kernel(cl_event e)
{
    return e->type == CL_COMMAND_NDRANGE_KERNEL || e->type == CL_COMMAND_TASK;
}

static void bring_memory(sl_proc *rt, cl_event e)
{
    for (size_t i = 0; has_kernel(e) && i < e->used.count; i++)
        if (sl_cl_is(e->used.items[i], SL_CL_MEM))
            sl_cl_mem_to_device(rt, e->used.items[i]);
}

static void return_memory(cl_event e)
{
    for (size_t i = 0; has_kernel(e) && i < e->used.count; i++)
        if (sl_cl_is(e->used.items[i], SL_CL_MEM))
            sl_cl_mem_to_host(e->used.items[i]);
}

void sl_cl_event_set(sl_proc *rt, cl_event event, cl_int status)
{
    (void)rt;
    size_t kept = 0;
    event->status = status;
    for (size_t i = 0; i < event->callbacks.count; i++) {
        sl_cl_callback c = event->callbacks.items[i];
        if (c.status < status) {
            event->callbacks.items[kept++] = c;
            continue;
        }
        if (status < 0)
            c.status = status;
        sl_cl_use(event);
        sl_cl_callback_due(&c);
    }
    event->callbacks.count = kept;
    pthread_mutex_lock(&changes.lock);
    changes.count++;
    pthread_cond_broadcast(&changes.changed);
    pthread_mutex_unlock(&changes.lock);
}

static void run(sl_proc *rt, cl_event e)
{
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < e->waits.count; i++)
        if (e->waits.items[i]->status < 0)
            error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (!error)
        error = sl_cl_working(rt);
    e->submitted_ns = rt->time_ns;
    sl_cl_event_set(rt, e, CL_SUBMITTED);
    rt->time_ns += ENQUEUE_NS;
    e->started_ns = rt->time_ns;
    sl_cl_event_set(rt, e, CL_RUNNING);
    if (!error)
        bring_memory(rt, e);
    for (size_t i = 0; i < e->ops.count && !error; i++) {
        error = sl_cl_error_of(sl_proc_submit(rt, e->queue->stream, &e->ops.items[i]));
        e->ops.items[i] = (sl_proc_op){0};
        if (!error)
            error = sl_cl_working(rt);
    }
    if (!error)
        return_memory(e);
    e->ended_ns = rt->time_ns;
    let_go(rt, e);
    sl_cl_event_set(rt, e, error ? error : CL_COMPLETE);
}

/* Whether nothing holds the command back. */
static bool is_ready(cl_event e)
{
    bool in_order = !(e->queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (cl_event before = e->queue->first; before && before != e; before = before->next)
        if (in_order || e->after_all || before->is_barrier)
            return false;
    for (size_t i = 0; i < e->waits.count; i++)
        if (!has_ended(e->waits.items[i]))
            return false;
    return true;
}

static bool append(cl_event e)
{
    cl_command_queue q = e->queue;
    if (!q->first && !sl_array_push(&waiting, q))
        return false;
    if (q->last)
        q->last->next = e;
    else
        q->first = e;
    q->last = e;
    sl_cl_use(e);
    return true;
}

static void unlink_command(cl_command_queue q, cl_event before, cl_event e)
{
    if (before)
        before->next = e->next;
    else
        q->first = e->next;
    if (q->last == e)
        q->last = before;
    e->next = NULL;
}

/* Runs a command of the queue that has become ready; false: there is none. */
static bool run_one(sl_proc *rt, cl_command_queue q)
{
    cl_event before = NULL;
    for (cl_event e = q->first; e; before = e, e = e->next)
        if (is_ready(e)) {
            unlink_command(q, before, e);
            run(rt, e);
            sl_cl_unuse(rt, e);
            return true;
        }
    return false;
}

void sl_cl_commands_continue(sl_proc *rt)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < waiting.count; i++) {
            cl_command_queue q = waiting.items[i];
            sl_cl_use(q);
            while (run_one(rt, q))
                more = true;
            if (!q->first)
                waiting.items[i--] = waiting.items[--waiting.count];
            sl_cl_unuse(rt, q);
        }
    }
}

cl_int sl_cl_command_enqueue(sl_proc *rt, cl_event e, bool blocking, cl_event *event)
{
    cl_int error = CL_SUCCESS;
    e->queued_ns = e->submitted_ns = rt->time_ns;
    sl_cl_use(e);
    if (is_ready(e))
        run(rt, e);
    else if (!append(e))
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error && blocking) {
        sl_cl_event_wait(rt, e);
        sl_proc_flush_printed(rt);
        error = e->status < 0 ? e->status : CL_SUCCESS;
    }
    if (!error && event)
        *event = e;
    else
        sl_cl_release(rt, e, SL_CL_EVENT, error);
    sl_cl_unuse(rt, e);
    return error;
}

/* ---- waiting ---- */

static void wait_for_change(sl_proc *rt)
{
    if (sl_cl_callbacks_run(rt)) /* which may set what is waited for */
        return;
    uint64_t count = changes.count;
    sl_proc_unlock(rt);
    pthread_mutex_lock(&changes.lock);
    while (changes.count == count)
        pthread_cond_wait(&changes.changed, &changes.lock);
    pthread_mutex_unlock(&changes.lock);
    sl_proc_relock(rt);
}

void sl_cl_event_wait(sl_proc *rt, cl_event event)
{
    while (!has_ended(event))
        wait_for_change(rt);
}

/* ---- commands that only wait ---- */

static cl_int mark(sl_proc *rt, cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *waits,
                   cl_event *event)
{
    cl_event command;
    cl_int error = sl_cl_command_new(rt, queue, type, count, waits, &command);
    if (error)
        return error;
    command->after_all = !count;
    command->is_barrier = type == CL_COMMAND_BARRIER;
    return sl_cl_command_enqueue(rt, command, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                                            const cl_event *waits, cl_event *event)
{
    SL_CL_CALL(mark(rt, queue, CL_COMMAND_MARKER, count, waits, event));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
                                                             const cl_event *waits, cl_event *event)
{
    SL_CL_CALL(mark(rt, queue, CL_COMMAND_BARRIER, count, waits, event));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    SL_CL_CALL(!sl_cl_is(queue, SL_CL_QUEUE) ? CL_INVALID_COMMAND_QUEUE
               : !event                      ? CL_INVALID_VALUE
                                             : mark(rt, queue, CL_COMMAND_MARKER, 0, NULL, event));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
    SL_CL_CALL(mark(rt, queue, CL_COMMAND_BARRIER, 0, NULL, NULL));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *waits)
{
    SL_CL_CALL(!sl_cl_is(queue, SL_CL_QUEUE) ? CL_INVALID_COMMAND_QUEUE
               : !count || !waits            ? CL_INVALID_VALUE
                                             : mark(rt, queue, CL_COMMAND_BARRIER, count, waits, NULL));
}
