/* SPDX-License-Identifier: MIT */
/* Pages of memory by what they hold: each content is kept once and has a number, so two memories hold the same exactly
 * if the numbers of their pages are the same. Bounded: what does not fit is refused, and the owner starts over. */
#ifndef SL_EMU_PAGE_STORE_H
#define SL_EMU_PAGE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_STORED_PAGE_BYTES = 4096 };

typedef struct sl_page_store sl_page_store;

/* max_pages: that it holds. NULL: out of memory. */
sl_page_store *sl_page_store_create(uint32_t max_pages);
void sl_page_store_destroy(sl_page_store *store); /* NULL is fine */
/* The number of a content of up to a page, which counts as a page that ends with zeros. False: there is no room. */
bool sl_page_store_number(sl_page_store *store, const void *data, size_t bytes, uint32_t *number);
const unsigned char *sl_page_store_at(const sl_page_store *store, uint32_t number);

#endif
