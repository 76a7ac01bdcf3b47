/* SPDX-License-Identifier: MIT */
/* Writes gzip (RFC 1951 and 1952), for files that other programs open compressed. Matches are found by one probe and
 * coded with the fixed Huffman codes: about half as good as zlib, which would be one more library to install. */
#ifndef SL_BASE_GZIP_H
#define SL_BASE_GZIP_H

#include <stdio.h>

/* What is written to the stream goes to `to`, compressed; closing it ends the compressed data and leaves `to` open. An
 * error of `to` is one of the stream. NULL: no memory. */
FILE *sl_gzip_open(FILE *to);

#endif
