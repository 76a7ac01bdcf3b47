/* SPDX-License-Identifier: MIT */
#include "trace/pack.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/new_file.h"

enum { MAX_STORED = 1 << 30 }; /* bytes of a temporary file before it is compressed after all */

struct sl_packer {
    sl_new_file file;
    bool stored; /* chunks are not compressed for now (SL_LEVEL_TEMPORARY) */
    uint64_t offset;
    ZSTD_CCtx *zstd;
    sl_bytes packed;
    SL_ARRAY(sl_chunk) chunks;
    /* The thread has all of the above while a chunk waits. */
    bool has_thread;
    pthread_t thread;
    _Atomic uint64_t cpu_ns;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool waiting, ending;
    sl_bytes raw; /* of the chunk that waits */
    sl_chunk chunk;
    sl_status status; /* of the first failure */
    sl_error error;
};

/* ---- chunks ---- */

static sl_status write_all(sl_packer *p, const uint8_t *data, size_t count, sl_error *error)
{
    while (count) {
        ssize_t written = write(p->file.fd, data, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return sl_fail_io(error, "write", p->file.path);
        data += written;
        count -= (size_t)written;
        p->offset += (uint64_t)written;
    }
    return SL_OK;
}

static bool set_compression(sl_packer *p, int level, bool checksum)
{
    return !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, checksum)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level));
}

static sl_status pack(sl_packer *p, const sl_bytes *raw, sl_chunk chunk, sl_error *error)
{
    if (p->stored && p->offset >= MAX_STORED) {
        p->stored = false;
        if (!set_compression(p, 1, true))
            return sl_fail_memory(error);
    }
    size_t bound = ZSTD_compressBound(raw->count);
    p->packed.count = 0;
    if (!sl_bytes_room(&p->packed, SL_CHUNK_HEADER_BYTES + bound))
        return sl_fail_memory(error);
    size_t packed = ZSTD_compress2(p->zstd, p->packed.data + SL_CHUNK_HEADER_BYTES, bound, raw->data, raw->count);
    if (ZSTD_isError(packed))
        return sl_fail(error, SL_NO_MEMORY, "compression failed: %s", ZSTD_getErrorName(packed));
    chunk.raw_bytes = (uint32_t)raw->count;
    chunk.packed_bytes = (uint32_t)packed;
    chunk.offset = p->offset;
    sl_chunk_store(&chunk, p->packed.data);
    if (!sl_array_push(&p->chunks, chunk))
        return sl_fail_memory(error);
    return write_all(p, p->packed.data, SL_CHUNK_HEADER_BYTES + packed, error);
}

/* ---- the thread ---- */

static void *pack_chunks(void *packer)
{
    sl_packer *p = packer;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->waiting && !p->ending)
            pthread_cond_wait(&p->changed, &p->lock);
        if (!p->waiting)
            break;
        pthread_mutex_unlock(&p->lock);
        sl_error error = {0};
        sl_status status = p->status ? p->status : pack(p, &p->raw, p->chunk, &error);
        atomic_store(&p->cpu_ns, sl_thread_cpu_ns());
        pthread_mutex_lock(&p->lock);
        if (status && !p->status) {
            p->status = status;
            p->error = error;
        }
        p->waiting = false;
        pthread_cond_signal(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void sl_packer_start_thread(sl_packer *p)
{
    if (!p->has_thread)
        p->has_thread = !pthread_create(&p->thread, NULL, pack_chunks, p);
}

static void end_thread(sl_packer *p)
{
    if (!p->has_thread)
        return;
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    p->has_thread = false;
}

sl_status sl_packer_wait(sl_packer *p, sl_error *error)
{
    if (!p->has_thread)
        return SL_OK;
    pthread_mutex_lock(&p->lock);
    while (p->waiting)
        pthread_cond_wait(&p->changed, &p->lock);
    sl_status status = p->status;
    if (status && error)
        *error = p->error;
    pthread_mutex_unlock(&p->lock);
    return status;
}

sl_status sl_packer_add(sl_packer *p, sl_bytes *raw, sl_chunk chunk, sl_error *error)
{
    if (!p->has_thread)
        return pack(p, raw, chunk, error);
    sl_status status = sl_packer_wait(p, error);
    if (status)
        return status;
    sl_bytes other = p->raw;
    p->raw = *raw;
    p->chunk = chunk;
    *raw = other;
    pthread_mutex_lock(&p->lock);
    p->waiting = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return SL_OK;
}

/* ---- the file ---- */

sl_status sl_packer_write(sl_packer *p, const uint8_t *data, size_t count, sl_error *error)
{
    sl_status status = sl_packer_wait(p, error);
    return status ? status : write_all(p, data, count, error);
}

uint64_t sl_packer_offset(const sl_packer *p)
{
    return p->offset;
}

size_t sl_packer_chunks(const sl_packer *p, const sl_chunk **chunk)
{
    *chunk = p->chunks.items;
    return p->chunks.count;
}

uint64_t sl_packer_cpu_ns(const sl_packer *p)
{
    return atomic_load(&p->cpu_ns);
}

sl_status sl_packer_keep(sl_packer *p, sl_error *error)
{
    sl_status status = sl_packer_wait(p, error);
    return status ? status : sl_new_file_keep(&p->file, error);
}

void sl_packer_set_durable(sl_packer *p)
{
    p->file.durable = true;
}

void sl_packer_destroy(sl_packer *p)
{
    if (!p)
        return;
    end_thread(p);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    sl_new_file_discard(&p->file);
    ZSTD_freeCCtx(p->zstd);
    sl_array_free(&p->chunks);
    sl_bytes_free(&p->packed);
    sl_bytes_free(&p->raw);
    free(p);
}

sl_status sl_packer_create(const char *path, int zstd_level, sl_packer **packer, sl_error *error)
{
    sl_packer *p = calloc(1, sizeof *p);
    if (!p)
        return sl_fail_memory(error);
    p->file.fd = -1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->stored = zstd_level == SL_LEVEL_TEMPORARY;
    p->zstd = ZSTD_createCCtx();
    /* With its lowest level zstd does not look for what repeats: chunks are copied. */
    int level = p->stored ? ZSTD_minCLevel() : zstd_level ? zstd_level : ZSTD_CLEVEL_DEFAULT;
    bool good = p->zstd && set_compression(p, level, !p->stored);
    sl_status status = good ? sl_new_file_open(path, &p->file, error) : sl_fail_memory(error);
    if (status)
        sl_packer_destroy(p);
    else
        *packer = p;
    return status;
}
