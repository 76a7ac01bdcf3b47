/* SPDX-License-Identifier: MIT */
/* Accesses just outside of an allocation where they are forgiven.
 *
 * A GPU maps whole pages, so there is memory there: what is written can be read again. Here a block sees what it wrote
 * itself at once, and others see it when the launch has ended: the same for any number of threads, although nothing is
 * known of such addresses when it is decided that blocks may run in parallel. */
#include <stdlib.h>
#include <string.h>

#include "emu/warp.h"

enum {
    LINE = 64,
    MAX_LINES = 1 << 20, /* of a launch */
};

struct sl_stray_line {
    sl_stray_line *next;
    uint64_t addr, block;
    uint64_t written; /* a bit per byte */
    uint8_t data[LINE];
};

static sl_stray_line *find_line(const sl_block *block, uint64_t addr)
{
    sl_stray_line *line = block->strays;
    while (line && line->addr != addr)
        line = line->next;
    return line;
}

void *sl_stray_bytes(sl_warp *warp, uint64_t addr, uint32_t bytes, bool store)
{
    static const uint64_t zeros[16] = {0};
    sl_block *block = warp->block;
    const sl_heap *heap = warp->worker->run->emu->heap;
    uint64_t start = addr / LINE * LINE;
    bool backed = sl_heap_backs(heap, start, LINE);
    if (!backed || addr + bytes > start + LINE || sl_heap_find(heap, addr)) {
        if (backed && sl_heap_backs(heap, addr, bytes)) /* across a border: as if it were inside */
            return sl_heap_host(heap, addr);
        return store || bytes > sizeof zeros ? NULL : (void *)(uintptr_t)zeros;
    }
    sl_stray_line *line = find_line(block, start);
    if (!line && !store)
        return sl_heap_host(heap, addr);
    if (!line) {
        if (warp->worker->stray_lines == MAX_LINES || !(line = malloc(sizeof *line)))
            return NULL;
        warp->worker->stray_lines++;
        *line = (sl_stray_line){.next = block->strays, .addr = start, .block = block->index};
        memcpy(line->data, sl_heap_host(heap, start), LINE);
        block->strays = line;
    }
    if (store)
        line->written |= (bytes < 64 ? ((uint64_t)1 << bytes) - 1 : UINT64_MAX) << (addr - start);
    return line->data + (addr - start);
}

void sl_stray_join(sl_stray_line **to, sl_stray_line **from)
{
    while (*from) {
        sl_stray_line *line = *from;
        *from = line->next;
        line->next = *to;
        *to = line;
    }
}

static int by_block(const void *a, const void *b)
{
    uint64_t x = (*(sl_stray_line *const *)a)->block, y = (*(sl_stray_line *const *)b)->block;
    return x < y ? -1 : x > y;
}

bool sl_stray_end_launch(const sl_heap *heap, sl_stray_line *lines)
{
    size_t count = 0;
    for (const sl_stray_line *line = lines; line; line = line->next)
        count++;
    sl_stray_line **sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (count && !sorted)
        return false;
    count = 0;
    for (sl_stray_line *line = lines; line; line = line->next)
        sorted[count++] = line;
    if (count)
        qsort(sorted, count, sizeof *sorted, by_block);
    for (size_t i = 0; i < count; i++) {
        uint8_t *to = sl_heap_host(heap, sorted[i]->addr);
        for (uint64_t left = sorted[i]->written; left; left &= left - 1)
            to[__builtin_ctzll(left)] = sorted[i]->data[__builtin_ctzll(left)];
    }
    free(sorted);
    return true;
}

void sl_stray_free(sl_stray_line *lines)
{
    while (lines) {
        sl_stray_line *next = lines->next;
        free(lines);
        lines = next;
    }
}
