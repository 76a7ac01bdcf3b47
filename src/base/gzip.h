/* SPDX-License-Identifier: MIT */
/* Writes gzip, with zlib, for files that other programs open compressed. There is no name or time in it: the same data
 * gives the same bytes. */
#ifndef SL_BASE_GZIP_H
#define SL_BASE_GZIP_H

#include <stdio.h>

/* What is written to the stream goes to `to`, compressed; closing it ends the compressed data and leaves `to` open. An
 * error of `to` is one of the stream. NULL: no memory. */
FILE *sl_gzip_open(FILE *to);

#endif
