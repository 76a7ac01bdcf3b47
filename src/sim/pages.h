/* SPDX-License-Identifier: MIT */
/* Memory that is accessed in no order: in huge pages, where there is enough of it and the host has such. */
#ifndef SL_SIM_PAGES_H
#define SL_SIM_PAGES_H

#include <stdlib.h>
#include <sys/mman.h>

/* It is aligned to a line of the host's cache, and goes back by free. NULL: memory ran out. */
static inline void *huge_alloc(size_t bytes)
{
    const size_t huge = 2 << 20, page = bytes < huge ? 64 : huge;
    size_t whole = (bytes + page - 1) / page * page;
    void *memory = aligned_alloc(page, whole);
    if (memory && page == huge)
        madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
}

#endif
