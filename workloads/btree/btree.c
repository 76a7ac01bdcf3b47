/* SPDX-License-Identifier: MIT */
/* Searches in a B+ tree, as the b+tree of Rodinia: findK looks up keys, findRangeK the two ends of ranges. A block of
 * 256 threads per query compares all keys of a node at once; where the query stands in the tree lies in global memory,
 * so that every thread of a block reads the same words after every barrier. The root and the first levels are read by
 * all blocks and the keys of a node by neighbouring lanes: most reads hit.
 *
 * rodinia=1 takes Rodinia's own arrays: places of 8 bytes in the tree, nodes of 2068 bytes whose keys lie across lines.
 *
 * Simplified: the tree is built from sorted keys, its nodes between half full and full as after random insertions, and
 * lies level by level as Rodinia's copy for the GPU does. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/common/inputs.h"

enum { ORDER = 256, WIDEST_RANGE = 1000, MOST_LEVELS = 8 };

typedef struct node {
    int32_t keys[ORDER + 1];
    int32_t indices[ORDER + 1];
    int32_t key_count, is_leaf;
} node;

typedef struct rodinia_node {
    int32_t location;
    int32_t indices[ORDER + 1];
    int32_t keys[ORDER + 1];
    bool is_leaf;
    int32_t key_count;
} rodinia_node;

/* Nodes level by level from the root, which is node 0. */
typedef struct tree {
    node *nodes;
    uint32_t node_count, height;
    bool rodinia;      /* on the device: with Rodinia's arrays */
    uint64_t device;   /* nodes there */
    size_t place_size; /* bytes of a place in the tree there */
} tree;

/* One level: nodes over `count` items below, of which item i has the lowest key key[i] and is called base + i. Replaces
 * the keys by those of the nodes made and returns how many there are. */
static uint32_t make_level(sl_random *random, bool leaf, int32_t *key, uint32_t count, uint32_t base, node *nodes)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; made++) {
        node *n = &nodes[made];
        uint32_t fill = ORDER / 2 + (uint32_t)sl_random_below(random, ORDER / 2);
        n->key_count = (int32_t)(count - i < ORDER ? count - i : fill);
        n->is_leaf = leaf;
        int32_t lowest = key[i];
        for (uint32_t slot = 0; slot <= ORDER; slot++)
            n->keys[slot] = INT_MAX;
        for (int32_t slot = 0; slot < n->key_count; slot++, i++) {
            n->keys[slot] = leaf || slot ? key[i] : INT_MIN;
            n->indices[slot] = (int32_t)(base + i);
        }
        key[made] = lowest;
    }
    return made;
}

/* The tree over records 0 … count - 1 with ascending keys. */
static tree build(sl_host *h, const int32_t *keys, uint32_t count)
{
    uint32_t level_size[MOST_LEVELS], room = count / (ORDER / 2) + 1, below = count;
    node *level[MOST_LEVELS];
    int32_t *key = sl_host_new(h, int32_t, count);
    for (uint32_t i = 0; i < count; i++)
        key[i] = keys[i];
    tree t = {0};
    do {
        level[t.height] = sl_host_new(h, node, room);
        below = make_level(sl_host_random(h), t.height == 0, key, below, 0, level[t.height]);
        level_size[t.height++] = below;
        t.node_count += below;
        room = below / (ORDER / 2) + 1;
    } while (below > 1);
    t.nodes = sl_host_new(h, node, t.node_count);
    for (uint32_t l = t.height, at = 0; l--; at += level_size[l])
        for (uint32_t i = 0; i < level_size[l]; i++) {
            node *n = &t.nodes[at + i];
            *n = level[l][i];
            for (int32_t slot = 0; l > 0 && slot < n->key_count; slot++)
                n->indices[slot] += (int32_t)(at + level_size[l]);
        }
    return t;
}

static int32_t *ascending_keys(sl_host *h, uint32_t count)
{
    int32_t *key = sl_host_new(h, int32_t, count), last = 0;
    for (uint32_t i = 0; i < count; i++)
        key[i] = last += 1 + (int32_t)sl_random_below(sl_host_random(h), 8);
    return key;
}

/* Record with the key, or -1, by bisection of the sorted keys. */
static int32_t find(const int32_t *key, uint32_t count, int32_t wanted)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (key[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && key[low] == wanted ? (int32_t)low : -1;
}

static void upload(sl_host *h, tree *t)
{
    t->rodinia = sl_host_param(h, "rodinia", 0, 1);
    t->place_size = t->rodinia ? sizeof(int64_t) : sizeof(int32_t);
    if (!t->rodinia) {
        t->device = sl_host_upload(h, "nodes", t->nodes, t->node_count * sizeof *t->nodes);
        return;
    }
    rodinia_node *nodes = sl_host_new(h, rodinia_node, t->node_count);
    for (uint32_t i = 0; i < t->node_count; i++) {
        const node *from = &t->nodes[i];
        nodes[i] = (rodinia_node){.location = (int32_t)i, .is_leaf = from->is_leaf, .key_count = from->key_count};
        memcpy(nodes[i].keys, from->keys, sizeof from->keys);
        memcpy(nodes[i].indices, from->indices, sizeof from->indices);
    }
    t->device = sl_host_upload(h, "nodes", nodes, t->node_count * sizeof *nodes);
}

/* An array of a value per query, on the device. */
static uint64_t per_query(sl_host *h, const char *label, uint32_t queries, size_t size, uint8_t byte)
{
    uint64_t addr = sl_host_device(h, label, queries * size);
    sl_host_fill(h, addr, byte, queries * size);
    return addr;
}

/* Where queries stand in the tree: at its root. */
static uint64_t places(sl_host *h, const char *label, const tree *t, uint32_t queries)
{
    return per_query(h, label, queries, t->place_size, 0);
}

/* Every other key is one of the tree, the others are anywhere in its range. */
static void find_keys(sl_host *h, const tree *t, const int32_t *key, uint32_t records)
{
    uint32_t queries = (uint32_t)sl_host_param(h, "queries", 1, 1u << 24);
    int32_t *wanted = sl_host_new(h, int32_t, queries), *value = sl_host_new(h, int32_t, records);
    for (uint32_t q = 0; q < queries; q++)
        wanted[q] = q % 2 ? (int32_t)sl_random_below(sl_host_random(h), (uint64_t)key[records - 1])
                          : key[sl_random_below(sl_host_random(h), records)];
    for (uint32_t r = 0; r < records; r++)
        value[r] = (int32_t)(sl_random_u64(sl_host_random(h)) >> 40);
    uint64_t value_dev = sl_host_upload(h, "records", value, records * sizeof *value);
    uint64_t wanted_dev = sl_host_upload(h, "keys", wanted, queries * sizeof *wanted);
    uint64_t current_dev = places(h, "current", t, queries), next_dev = places(h, "following", t, queries);
    uint64_t answer_dev = per_query(h, "answer", queries, sizeof(int32_t), 0xff);

    if (t->rodinia)
        sl_host_launch(h, "find_k_rodinia", SL_DIM(queries), SL_DIM(ORDER), 0, t->device, value_dev, wanted_dev,
                       current_dev, next_dev, answer_dev, t->height, (uint64_t)t->node_count);
    else
        sl_host_launch(h, "find_k", SL_DIM(queries), SL_DIM(ORDER), 0, t->device, value_dev, wanted_dev, current_dev,
                       next_dev, answer_dev, t->height);
    uint32_t *answer = sl_host_new(h, uint32_t, queries), *expected = sl_host_new(h, uint32_t, queries);
    sl_host_download(h, answer, answer_dev, queries * sizeof *answer);
    if (!sl_host_checks(h))
        return;
    for (uint32_t q = 0; q < queries; q++) {
        int32_t record = find(key, records, wanted[q]);
        expected[q] = record < 0 ? UINT32_MAX : (uint32_t)value[record];
    }
    sl_check_u32(h, "answer", answer, expected, queries);
}

static void find_ranges(sl_host *h, const tree *t, const int32_t *key, uint32_t records)
{
    uint32_t ranges = (uint32_t)sl_host_param(h, "ranges", 1, 1u << 24);
    uint32_t *expected_start = sl_host_new(h, uint32_t, ranges), *expected_length = sl_host_new(h, uint32_t, ranges);
    int32_t *first = sl_host_new(h, int32_t, ranges), *last = sl_host_new(h, int32_t, ranges);
    for (uint32_t q = 0; q < ranges; q++) {
        uint32_t begin = (uint32_t)sl_random_below(sl_host_random(h), records);
        uint32_t widest = records - begin < WIDEST_RANGE ? records - begin : WIDEST_RANGE;
        uint32_t length = 1 + (uint32_t)sl_random_below(sl_host_random(h), widest);
        first[q] = key[begin];
        last[q] = key[begin + length - 1];
        expected_start[q] = begin;
        expected_length[q] = length;
    }
    uint64_t first_dev = sl_host_upload(h, "first keys", first, ranges * sizeof *first);
    uint64_t last_dev = sl_host_upload(h, "last keys", last, ranges * sizeof *last);
    uint64_t current_dev = places(h, "current first", t, ranges), next_dev = places(h, "following first", t, ranges);
    uint64_t current_last = places(h, "current last", t, ranges), next_last = places(h, "following last", t, ranges);
    uint64_t start_dev = per_query(h, "start", ranges, sizeof(int32_t), 0);
    uint64_t length_dev = per_query(h, "length", ranges, sizeof(int32_t), 0);

    if (t->rodinia)
        sl_host_launch(h, "find_range_k_rodinia", SL_DIM(ranges), SL_DIM(ORDER), 0, t->device, first_dev, last_dev,
                       current_dev, next_dev, current_last, next_last, start_dev, length_dev, t->height,
                       (uint64_t)t->node_count);
    else
        sl_host_launch(h, "find_range_k", SL_DIM(ranges), SL_DIM(ORDER), 0, t->device, first_dev, last_dev, current_dev,
                       next_dev, current_last, next_last, start_dev, length_dev, t->height);
    uint32_t *start = sl_host_new(h, uint32_t, ranges), *length = sl_host_new(h, uint32_t, ranges);
    sl_host_download(h, start, start_dev, ranges * sizeof *start);
    sl_host_download(h, length, length_dev, ranges * sizeof *length);
    if (!sl_host_checks(h))
        return;
    sl_check_u32(h, "start", start, expected_start, ranges);
    sl_check_u32(h, "length", length, expected_length, ranges);
}

void sl_workload_btree(sl_host *h)
{
    uint32_t records = (uint32_t)sl_host_param(h, "records", 1, 1u << 27);
    int32_t *key = ascending_keys(h, records);
    tree t = build(h, key, records);
    upload(h, &t);
    find_keys(h, &t, key, records);
    find_ranges(h, &t, key, records);
}
