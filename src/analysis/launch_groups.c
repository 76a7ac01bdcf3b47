/* SPDX-License-Identifier: MIT */
#include "analysis/launch_groups.h"

#include <stdlib.h>
#include <string.h>

/* Deeper parts of a path are one group: traces of strangers may nest as deeply as they like. */
enum { MAX_DEPTH = 64 };

const char *sl_group_heading(sl_label by)
{
    static const char *const headings[SL_LABELS] = {"NVTX range", "caller", "NVTX mark"};
    return headings[by];
}

typedef struct builder {
    sl_groups *groups;
    sl_map paths;   /* label down to a group -> its number */
    sl_map kernels; /* number of its group and of the kernel -> its number */
    sl_arena arena;
} builder;

/* Adds a group at the end of those within `parent`; 0 when memory runs out. */
static uint32_t add_group(builder *b, uint32_t parent, sl_group group)
{
    uint32_t number = (uint32_t)b->groups->list.count;
    if (!sl_array_push(&b->groups->list, group))
        return 0;
    sl_group *of = &b->groups->list.items[parent];
    if (of->last)
        b->groups->list.items[of->last].next = number;
    else
        of->first = number;
    of->last = number;
    return number;
}

/* The group of a path's part, which ends at `end`. */
static uint32_t group_at(builder *b, uint32_t parent, const char *path, const char *part, const char *end)
{
    size_t bytes = (size_t)(end - path);
    uint32_t known = (uint32_t)(uintptr_t)sl_map_get(&b->paths, path, bytes);
    if (known)
        return known;
    const sl_group group = {.name = part,
                            .name_bytes = (size_t)(end - part),
                            .path = path,
                            .path_bytes = bytes,
                            .depth = b->groups->list.items[parent].depth + 1};
    uint32_t added = add_group(b, parent, group);
    return added && sl_map_put(&b->paths, path, bytes, (void *)(uintptr_t)added) ? added : 0;
}

static uint32_t kernel_in(builder *b, uint32_t parent, const sl_logged_kernel *kernel)
{
    const char *key = sl_arena_printf(&b->arena, "%u", kernel->number);
    uint32_t known = key ? (uint32_t)(uintptr_t)sl_map_get(&b->kernels, key, strlen(key)) : 0;
    if (known || !key)
        return known;
    const sl_group group = {.name = kernel->own_name,
                            .name_bytes = strlen(kernel->own_name),
                            .path = b->groups->list.items[parent].path,
                            .path_bytes = b->groups->list.items[parent].path_bytes,
                            .kernel = kernel,
                            .depth = b->groups->list.items[parent].depth + 1};
    uint32_t added = add_group(b, parent, group);
    return added && sl_map_put(&b->kernels, key, strlen(key), (void *)(uintptr_t)added) ? added : 0;
}

static void add_counts(sl_group *group, const sl_logged_launch *launch, const sl_counts *counts)
{
    group->launches++;
    group->failed += launch->failed;
    sl_counts_merge(&group->counts, counts);
}

static bool add_launch(builder *b, const sl_logged_launch *launch, sl_label by)
{
    const char *path = launch->label[by] ? launch->label[by] : sl_label_none[by], *part = path;
    sl_counts counts = sl_unpack_counts(&launch->counts);
    uint32_t at = 0;
    add_counts(&b->groups->list.items[0], launch, &counts);
    for (unsigned depth = 1; part; depth++) {
        const char *end = depth < MAX_DEPTH ? strchr(part, '\n') : NULL;
        at = group_at(b, at, path, part, end ? end : part + strlen(part));
        if (!at)
            return false;
        add_counts(&b->groups->list.items[at], launch, &counts);
        part = end ? end + 1 : NULL;
    }
    at = at ? kernel_in(b, at, launch->kernel) : 0;
    if (at)
        add_counts(&b->groups->list.items[at], launch, &counts);
    return at;
}

/* Each group before those within it. */
static void list_in_order(const sl_groups *groups, uint32_t *order)
{
    uint32_t above[MAX_DEPTH + 2];
    size_t depth = 0, count = 0;
    for (uint32_t at = groups->list.items[0].first; at;) {
        const sl_group *g = &groups->list.items[at];
        order[count++] = at;
        if (g->first) {
            above[depth++] = at;
            at = g->first;
            continue;
        }
        while (!groups->list.items[at].next && depth)
            at = above[--depth];
        at = groups->list.items[at].next;
    }
}

bool sl_groups_of(const sl_launch_log *log, sl_groups *groups)
{
    builder b = {.groups = groups};
    *groups = (sl_groups){0};
    sl_map_init(&b.paths);
    sl_map_init(&b.kernels);
    sl_arena_init(&b.arena);
    bool good = sl_array_push(&groups->list, (sl_group){.name = ""});
    for (size_t i = 0; i < log->launches.count && good; i++)
        good = add_launch(&b, &log->launches.items[i], log->by);
    groups->order = good ? calloc(groups->list.count, sizeof *groups->order) : NULL;
    if (groups->order)
        list_in_order(groups, groups->order);
    sl_map_fini(&b.paths);
    sl_map_fini(&b.kernels);
    sl_arena_fini(&b.arena);
    return groups->order;
}

void sl_groups_fini(sl_groups *groups)
{
    sl_array_free(&groups->list);
    free(groups->order);
    *groups = (sl_groups){0};
}
