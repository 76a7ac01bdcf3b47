/* SPDX-License-Identifier: MIT */
/* Graphs: pieces of work kept for later, by stream capture or node by node.
 *
 * A graph's nodes run one after the other in an order that respects their dependencies; of several such orders, the one
 * nearest to the order in which nodes were added. Not there: external semaphores, launches of graphs by kernels. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/new_file.h"

/* ---- building ---- */

cudaGraph_t sl_proc_graph_new(void)
{
    cudaGraph_t graph = calloc(1, sizeof *graph);
    if (graph)
        graph->users = 1;
    return graph;
}

void sl_proc_op_fini(sl_proc *rt, sl_proc_op *op)
{
    switch ((int)op->kind) {
    case SL_PROC_LAUNCH:
        free(op->launch.params);
        break;
    case SL_PROC_CHILD:
        sl_proc_graph_release(rt, op->child);
        break;
    case SL_PROC_CONDITIONAL:
        for (unsigned i = 0; op->conditional.body && i < op->conditional.count; i++)
            if (op->conditional.body[i])
                sl_proc_graph_release(rt, op->conditional.body[i]);
        free(op->conditional.body);
        break;
    case SL_PROC_VALUES:
        free(op->values.item);
        break;
    }
    op->kind = SL_PROC_EMPTY;
}

static void *copy_bytes(const void *from, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    if (copy && bytes)
        memcpy(copy, from, bytes);
    return copy;
}

/* With its own copies of all that it owns. */
static bool clone_op(sl_proc *rt, sl_proc_op *to, const sl_proc_op *from)
{
    bool copied = true;
    *to = *from;
    switch ((int)from->kind) {
    case SL_PROC_LAUNCH:
        copied = (to->launch.params = copy_bytes(from->launch.params, from->launch.param_bytes));
        break;
    case SL_PROC_CHILD:
        copied = (to->child = sl_proc_graph_clone(rt, from->child));
        break;
    case SL_PROC_CONDITIONAL:
        copied = (to->conditional.body = calloc(from->conditional.count, sizeof *to->conditional.body));
        for (unsigned i = 0; copied && i < from->conditional.count; i++)
            copied = (to->conditional.body[i] = sl_proc_graph_clone(rt, from->conditional.body[i]));
        break;
    case SL_PROC_VALUES:
        copied = (to->values.item = copy_bytes(from->values.item, from->values.count * sizeof *from->values.item));
        break;
    }
    if (!copied && from->kind != SL_PROC_CONDITIONAL)
        to->kind = SL_PROC_EMPTY; /* it owns nothing */
    return copied;
}

static void free_node(sl_proc *rt, cudaGraphNode_t node)
{
    sl_proc_op_fini(rt, &node->op);
    sl_array_free(&node->after);
    sl_array_free(&node->attributes);
    free(node->args);
    free(node);
}

void sl_proc_graph_release(sl_proc *rt, cudaGraph_t graph)
{
    if (--graph->users)
        return;
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(rt, graph->nodes.items[i]);
    for (size_t i = 0; i < graph->objects.count; i++)
        sl_proc_object_release(rt, graph->objects.items[i], 1);
    sl_array_free(&graph->nodes);
    sl_array_free(&graph->objects);
    free(graph);
}

static bool add_edge(cudaGraphNode_t to, cudaGraphNode_t from, const void *edges, size_t index)
{
    sl_proc_edge edge = {.from = from};
    if (edges)
        memcpy(&edge.data, (const char *)edges + index * sizeof edge.data, sizeof edge.data);
    return sl_array_push(&to->after, edge);
}

cudaError_t sl_proc_graph_add_node(sl_proc *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   const void *edges, size_t count, sl_proc_op *op)
{
    bool known = node && graph && (!count || after);
    for (size_t i = 0; known && i < count; i++)
        known = after[i] && after[i]->graph == graph;
    cudaGraphNode_t n = known ? calloc(1, sizeof *n) : NULL;
    if (!n || !sl_array_push(&graph->nodes, n)) {
        free(n);
        sl_proc_op_fini(rt, op);
        return known ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    }
    n->op = *op;
    n->graph = graph;
    for (size_t i = 0; i < count; i++)
        if (!add_edge(n, after[i], edges, i))
            return cudaErrorMemoryAllocation;
    *node = n;
    return cudaSuccess;
}

static void number_nodes(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.items[i]->index = (unsigned)i;
}

static bool clone_node(sl_proc *rt, cudaGraph_t copy, const cudaGraphNode_t from)
{
    cudaGraphNode_t to = calloc(1, sizeof *to);
    if (!to || !sl_array_push(&copy->nodes, to)) {
        free(to);
        return false;
    }
    to->graph = copy;
    to->disabled = from->disabled;
    for (size_t i = 0; i < from->after.count; i++) { /* those that come first may be copied later: see below */
        if (!sl_array_push(&to->after, from->after.items[i]))
            return false;
    }
    for (size_t i = 0; i < from->attributes.count; i++)
        if (!sl_array_push(&to->attributes, from->attributes.items[i]))
            return false;
    return clone_op(rt, &to->op, &from->op);
}

/* A deep copy: later changes of one do not show in the other. */
cudaGraph_t sl_proc_graph_clone(sl_proc *rt, cudaGraph_t graph)
{
    cudaGraph_t copy = sl_proc_graph_new();
    bool good = copy != NULL;
    for (size_t i = 0; good && i < graph->nodes.count; i++)
        good = clone_node(rt, copy, graph->nodes.items[i]);
    number_nodes(graph);
    for (size_t i = 0; good && i < copy->nodes.count; i++)
        for (size_t d = 0; d < copy->nodes.items[i]->after.count; d++) {
            sl_proc_edge *edge = &copy->nodes.items[i]->after.items[d];
            edge->from = copy->nodes.items[edge->from->index];
        }
    for (size_t i = 0; good && i < graph->objects.count; i++) {
        good = sl_array_push(&copy->objects, graph->objects.items[i]);
        graph->objects.items[i]->users += good;
    }
    if (!good && copy)
        sl_proc_graph_release(rt, copy);
    return good ? copy : NULL;
}

cudaError_t sl_proc_node_destroy(sl_proc *rt, cudaGraphNode_t node)
{
    if (!node)
        return cudaErrorInvalidValue;
    cudaGraph_t graph = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t other = graph->nodes.items[i];
        sl_proc_graph_remove_dependencies(&node, &other, 1);
        if (other != node)
            graph->nodes.items[kept++] = other;
    }
    graph->nodes.count = kept;
    free_node(rt, node);
    return cudaSuccess;
}

/* ---- edges ---- */

cudaError_t sl_proc_graph_add_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, const void *edges,
                                           size_t count)
{
    if (count && (!from || !to))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (!from[i] || !to[i] || from[i]->graph != to[i]->graph)
            return cudaErrorInvalidValue;
        if (!add_edge(to[i], from[i], edges, i))
            return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

cudaError_t sl_proc_graph_remove_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    if (count && (!from || !to))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        size_t kept = 0, before = to[i]->after.count;
        for (size_t d = 0; d < before; d++)
            if (to[i]->after.items[d].from != from[i])
                to[i]->after.items[kept++] = to[i]->after.items[d];
        to[i]->after.count = kept;
        if (kept == before)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

/* A list that a program asks for: what fits, and how many there are. */
typedef struct list {
    cudaGraphNode_t *first, *second;
    char *edges;
    size_t room, found;
    bool lossy; /* an edge has data that nobody asked for */
} list;

static list new_list(cudaGraphNode_t *first, cudaGraphNode_t *second, void *edges, const size_t *count)
{
    return (list){.first = first, .second = second, .edges = edges, .room = first ? *count : 0};
}

static void add_to_list(list *l, cudaGraphNode_t first, cudaGraphNode_t second, uint64_t data)
{
    if (l->found < l->room) {
        l->first[l->found] = first;
        if (l->second)
            l->second[l->found] = second;
        if (l->edges)
            memcpy(l->edges + l->found * sizeof data, &data, sizeof data);
        l->lossy |= data && !l->edges;
    }
    l->found++;
}

static cudaError_t end_list(list *l, size_t *count)
{
    *count = l->found;
    while (l->found < l->room)
        add_to_list(l, NULL, NULL, 0);
    return l->lossy ? cudaErrorLossyQuery : cudaSuccess;
}

cudaError_t sl_proc_graph_list(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
    if (!graph || !count)
        return cudaErrorInvalidValue;
    list l = new_list(nodes, NULL, NULL, count);
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (!roots || !graph->nodes.items[i]->after.count)
            add_to_list(&l, graph->nodes.items[i], NULL, 0);
    return end_list(&l, count);
}

cudaError_t sl_proc_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *edges,
                                size_t *count)
{
    if (!graph || !count || !from != !to)
        return cudaErrorInvalidValue;
    list l = new_list(from, to, edges, count);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cudaGraphNode_t node = graph->nodes.items[i];
        for (size_t d = 0; d < node->after.count; d++)
            add_to_list(&l, node->after.items[d].from, node, node->after.items[d].data);
    }
    return end_list(&l, count);
}

cudaError_t sl_proc_node_neighbors(cudaGraphNode_t node, bool after, cudaGraphNode_t *nodes, void *edges, size_t *count)
{
    if (!node || !count)
        return cudaErrorInvalidValue;
    list l = new_list(nodes, NULL, edges, count);
    for (size_t i = 0; i < node->graph->nodes.count; i++) {
        cudaGraphNode_t other = node->graph->nodes.items[i], late = after ? other : node, early = after ? node : other;
        for (size_t d = 0; d < late->after.count; d++)
            if (late->after.items[d].from == early)
                add_to_list(&l, other, NULL, late->after.items[d].data);
    }
    return end_list(&l, count);
}

cudaError_t sl_proc_graph_dot(cudaGraph_t graph, const char *path)
{
    sl_new_file made;
    FILE *file;
    if (!graph || !path || sl_new_file_print(path, &made, &file, NULL))
        return cudaErrorInvalidValue;
    static const char *const KINDS[] = {"empty",    "kernel",       "memcpy",      "memset",      "host",
                                        "host",     "event record", "event wait",  "child graph", "mem alloc",
                                        "mem free", "conditional",  "batch mem op"};
    number_nodes(graph);
    fputs("digraph {\n", file);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cudaGraphNode_t node = graph->nodes.items[i];
        fprintf(file, "  n%zu [label=\"%zu %s%s%s\"]\n", i, i, KINDS[node->op.kind],
                node->op.kind == SL_PROC_LAUNCH ? " " : "",
                node->op.kind == SL_PROC_LAUNCH ? node->op.launch.function->name : "");
        for (size_t d = 0; d < node->after.count; d++)
            fprintf(file, "  n%u -> n%zu\n", node->after.items[d].from->index, i);
    }
    fputs("}\n", file);
    return sl_new_file_finish(&made, file, NULL) ? cudaErrorOperatingSystem : cudaSuccess;
}

/* ---- running ---- */

static bool ready(const cudaGraphNode_t node, const bool *done)
{
    for (size_t d = 0; d < node->after.count; d++)
        if (!done[node->after.items[d].from->index])
            return false;
    return true;
}

static cudaError_t cuda_graph_run(sl_proc *rt, cudaGraph_t graph, cudaStream_t stream)
{
    size_t count = graph->nodes.count;
    bool *done = calloc(count + 1, sizeof *done), progress = true;
    cudaError_t error = done ? cudaSuccess : cudaErrorMemoryAllocation;
    number_nodes(graph);
    for (size_t left = count; left && progress && !error;) {
        progress = false;
        for (size_t i = 0; i < count && !error; i++) {
            cudaGraphNode_t node = graph->nodes.items[i];
            if (done[i] || !ready(node, done))
                continue;
            sl_proc_op op = node->op;
            op.stream = stream;
            if (!node->disabled)
                error = sl_proc_run_op(rt, &op);
            done[i] = progress = true;
            left--;
        }
    }
    free(done);
    return !error && !progress && count ? cudaErrorInvalidValue : error;
}

/* ---- conditional nodes ---- */

cudaError_t sl_proc_condition_create(sl_proc *rt, unsigned long long *handle, cudaGraph_t graph, unsigned value,
                                     unsigned flags)
{
    enum { ASSIGN_DEFAULT = 1 };
    if (!handle || !graph || flags > ASSIGN_DEFAULT)
        return cudaErrorInvalidValue;
    const sl_proc_condition condition = {value, value, flags == ASSIGN_DEFAULT};
    if (!sl_array_push(&rt->conditions, condition))
        return cudaErrorMemoryAllocation;
    *handle = rt->conditions.count;
    return cudaSuccess;
}

static sl_proc_condition *find_condition(sl_proc *rt, uint64_t handle)
{
    return handle && handle <= rt->conditions.count ? &rt->conditions.items[handle - 1] : NULL;
}

bool sl_proc_condition_set(sl_proc *rt, uint64_t handle, uint32_t value)
{
    sl_proc_condition *condition = find_condition(rt, handle);
    if (condition)
        condition->value = value;
    return condition;
}

cudaError_t sl_proc_conditional_run(sl_proc *rt, const sl_proc_op *op)
{
    enum { MAX_ITERATIONS = 1 << 24 }; /* kernels decide when it ends */
    const sl_proc_condition *condition = find_condition(rt, op->conditional.handle);
    if (!condition)
        return cudaErrorInvalidValue;
    uint32_t value = condition->value, chosen = value;
    cudaError_t error = cudaSuccess;
    switch (op->conditional.type) {
    case cudaGraphCondTypeWhile:
        for (uint32_t i = 0; !error && !rt->fault && find_condition(rt, op->conditional.handle)->value; i++) {
            if (i == MAX_ITERATIONS) {
                sl_proc_say("a conditional node of a graph ran more than %d times: kernels keep its condition", i);
                rt->fault = cudaErrorLaunchTimeout;
                break;
            }
            error = cuda_graph_run(rt, op->conditional.body[0], op->stream);
        }
        return error;
    case cudaGraphCondTypeIf:
        chosen = value ? 0 : 1;
        break;
    case cudaGraphCondTypeSwitch:
        break;
    }
    return chosen < op->conditional.count ? cuda_graph_run(rt, op->conditional.body[chosen], op->stream) : error;
}

/* With each launch of a graph, conditions that want it start over. */
static void reset_conditions(sl_proc *rt, cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const sl_proc_op *op = &graph->nodes.items[i]->op;
        if (op->kind != SL_PROC_CONDITIONAL)
            continue;
        sl_proc_condition *condition = find_condition(rt, op->conditional.handle);
        if (condition && condition->starts_over)
            condition->value = condition->initial;
        for (unsigned b = 0; b < op->conditional.count; b++)
            reset_conditions(rt, op->conditional.body[b]);
    }
}

cudaError_t sl_proc_child_run(sl_proc *rt, const sl_proc_op *op)
{
    reset_conditions(rt, op->child);
    return cuda_graph_run(rt, op->child, op->stream);
}

/* ---- executables ---- */

cudaError_t sl_proc_graph_instantiate(sl_proc *rt, cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    enum { DEVICE_LAUNCH = 4 };
    static bool said;
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    if (flags & DEVICE_LAUNCH)
        return sl_proc_missing("a graph that kernels can launch (cudaGraphInstantiateFlagDeviceLaunch)", &said);
    cudaGraphExec_t made = calloc(1, sizeof *made);
    if (!made || !(made->graph = sl_proc_graph_clone(rt, graph))) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    made->flags = flags;
    *exec = made;
    return cudaSuccess;
}

cudaError_t sl_proc_graph_launch(sl_proc *rt, cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!exec)
        return cudaErrorInvalidValue;
    sl_proc_op op = {.kind = SL_PROC_CHILD, .child = exec->graph};
    exec->graph->users++;
    return sl_proc_submit(rt, stream, &op);
}

/* Whether two nodes differ in nothing but parameters: the same kind of work, after the same nodes. */
static bool alike(const cudaGraphNode_t a, const cudaGraphNode_t b)
{
    bool same = a->op.kind == b->op.kind && a->after.count == b->after.count;
    for (size_t d = 0; same && d < a->after.count; d++)
        same = a->after.items[d].from->index == b->after.items[d].from->index;
    return same;
}

/* An executable takes over another graph of the same shape; nodes that are disabled stay so. */
cudaError_t sl_proc_graph_update(sl_proc *rt, cudaGraphExec_t exec, cudaGraph_t graph,
                                 cudaGraphExecUpdateResultInfo *info)
{
    enum { TOPOLOGY_CHANGED = 2, NODE_TYPE_CHANGED = 3 };
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){0};
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    size_t count = graph->nodes.count, differs = 0;
    number_nodes(graph);
    number_nodes(exec->graph);
    while (differs < count && differs < exec->graph->nodes.count &&
           alike(exec->graph->nodes.items[differs], graph->nodes.items[differs]))
        differs++;
    if (differs < count || differs < exec->graph->nodes.count) {
        bool kind = count == exec->graph->nodes.count &&
                    exec->graph->nodes.items[differs]->op.kind != graph->nodes.items[differs]->op.kind;
        if (info) {
            info->result = kind ? NODE_TYPE_CHANGED : TOPOLOGY_CHANGED;
            info->errorNode = differs < count ? graph->nodes.items[differs] : NULL;
        }
        return cudaErrorGraphExecUpdateFailure;
    }
    cudaGraph_t copy = sl_proc_graph_clone(rt, graph);
    if (!copy)
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < count; i++)
        copy->nodes.items[i]->disabled = exec->graph->nodes.items[i]->disabled;
    sl_proc_graph_release(rt, exec->graph);
    exec->graph = copy;
    return cudaSuccess;
}

cudaError_t sl_proc_graph_update_11(sl_proc *rt, cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
                                    int *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = sl_proc_graph_update(rt, exec, graph, &info);
    if (node)
        *node = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}

/* Copies keep positions. */
cudaGraphNode_t sl_proc_node_in_clone(cudaGraph_t clone, cudaGraphNode_t node)
{
    if (!clone || !node)
        return NULL;
    number_nodes(node->graph);
    return node->index < clone->nodes.count ? clone->nodes.items[node->index] : NULL;
}

cudaGraphNode_t sl_proc_node_in_exec(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return exec ? sl_proc_node_in_clone(exec->graph, node) : NULL;
}

void sl_proc_graph_exec_destroy(sl_proc *rt, cudaGraphExec_t exec)
{
    sl_proc_graph_release(rt, exec->graph);
    free(exec);
}

/* ---- objects that graphs keep for the program ---- */

cudaError_t sl_proc_object_create(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned users)
{
    if (!object || !destroy || !users)
        return cudaErrorInvalidValue;
    *object = malloc(sizeof **object);
    if (!*object)
        return cudaErrorMemoryAllocation;
    **object = (struct sl_proc_user_object){data, destroy, users};
    return cudaSuccess;
}

cudaError_t sl_proc_object_retain(cudaUserObject_t object, unsigned count)
{
    if (!object || !count)
        return cudaErrorInvalidValue;
    object->users += count;
    return cudaSuccess;
}

cudaError_t sl_proc_object_release(sl_proc *rt, cudaUserObject_t object, unsigned count)
{
    if (!object || !count || count > object->users)
        return cudaErrorInvalidValue;
    object->users -= count;
    if (object->users)
        return cudaSuccess;
    sl_proc_unlock(rt);
    object->destroy(object->data);
    sl_proc_relock(rt);
    free(object);
    return cudaSuccess;
}

cudaError_t sl_proc_graph_retain(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags)
{
    enum { MOVE = 1 };
    if (!graph || !object || !count || flags > MOVE)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++)
        if (!sl_array_push(&graph->objects, object))
            return cudaErrorMemoryAllocation;
    if (!(flags & MOVE)) /* else the graph takes over the caller's references */
        object->users += count;
    return cudaSuccess;
}

cudaError_t sl_proc_graph_unretain(sl_proc *rt, cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    unsigned removed = 0;
    size_t kept = 0;
    if (!graph || !object || !count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->objects.count; i++)
        if (graph->objects.items[i] == object && removed < count)
            removed++;
        else
            graph->objects.items[kept++] = graph->objects.items[i];
    graph->objects.count = kept;
    return removed == count ? sl_proc_object_release(rt, object, count) : cudaErrorInvalidValue;
}
