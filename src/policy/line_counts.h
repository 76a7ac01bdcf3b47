/* How often each line was asked for: by each cache of a level, and by all of them. A first run counts, and the policies
 * of a second one look it up. */
#ifndef SL_POLICY_LINE_COUNTS_H
#define SL_POLICY_LINE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sl_line_counts sl_line_counts;

/* NULL when memory runs out. */
sl_line_counts *sl_line_counts_create(uint32_t instances);
void sl_line_counts_destroy(sl_line_counts *counts); /* NULL is fine */
/* A request of a cache; false: memory ran out, and it was not counted. Counts stop at UINT32_MAX. */
bool sl_line_counts_add(sl_line_counts *counts, uint32_t instance, uint64_t line);

uint32_t sl_line_counts_local(const sl_line_counts *counts, uint32_t instance, uint64_t line);
uint32_t sl_line_counts_global(const sl_line_counts *counts, uint64_t line);

#endif
