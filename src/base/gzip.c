/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

typedef struct packer {
    FILE *to;
    z_stream z;
    uint8_t out[1 << 16];
} packer;

/* Passes on what is compressed, until all of the input is taken (Z_NO_FLUSH) or ended (Z_FINISH). */
static int pack(packer *p, int flush)
{
    do {
        p->z.next_out = p->out;
        p->z.avail_out = sizeof p->out;
        if (deflate(&p->z, flush) == Z_STREAM_ERROR)
            return EOF;
        fwrite(p->out, 1, sizeof p->out - p->z.avail_out, p->to);
    } while (!p->z.avail_out);
    return ferror(p->to) ? EOF : 0;
}

static ssize_t write_some(void *cookie, const char *bytes, size_t count)
{
    packer *p = cookie;
    unsigned part = count < 1u << 30 ? (unsigned)count : 1u << 30;
    p->z.next_in = (Bytef *)(uintptr_t)bytes;
    p->z.avail_in = part;
    return pack(p, Z_NO_FLUSH) ? 0 : (ssize_t)part;
}

static int close_stream(void *cookie)
{
    packer *p = cookie;
    p->z.avail_in = 0;
    int failed = pack(p, Z_FINISH);
    deflateEnd(&p->z);
    free(p);
    return failed;
}

FILE *sl_gzip_open(FILE *to)
{
    enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
    packer *p = calloc(1, sizeof *p);
    if (!p || deflateInit2(&p->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        return NULL;
    }
    p->to = to;
    FILE *stream = fopencookie(p, "w", (cookie_io_functions_t){.write = write_some, .close = close_stream});
    if (!stream) {
        deflateEnd(&p->z);
        free(p);
    }
    return stream;
}
