/* SPDX-License-Identifier: MIT */
#include "trace/pack.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trace_maker.h"

enum { CHUNKS = 20, CHUNK_BYTES = 100000, MAX_FILE = 1 << 22 };

static char folder[] = "/tmp/sluice-test-XXXXXX";

/* Chunks of bytes that do not repeat. */
static sl_status add_chunks(sl_packer *packer, sl_error *error)
{
    sl_bytes raw = {0};
    uint64_t random = 1;
    sl_status status = SL_OK;
    for (uint32_t n = 0; n < CHUNKS && !status; n++) {
        raw.count = 0;
        for (uint32_t i = 0; i < CHUNK_BYTES; i += 8) {
            uint64_t word = next_random(&random);
            assert_true(sl_bytes_append(&raw, &word, sizeof word));
        }
        status = sl_packer_add(packer, &raw, (sl_chunk){.kind = SL_CHUNK_BLOCKS, .number = n}, error);
    }
    sl_bytes_free(&raw);
    return status ? status : sl_packer_wait(packer, error);
}

static size_t pack(const char *name, bool thread, char *bytes)
{
    char path[64];
    sl_packer *packer;
    sl_error error;
    const sl_chunk *chunk;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(sl_packer_create(path, 1, &packer, &error), SL_OK);
    if (thread)
        sl_packer_start_thread(packer);
    assert_int_equal(sl_packer_write(packer, (const uint8_t *)"head", 4, &error), SL_OK);
    assert_int_equal(add_chunks(packer, &error), SL_OK);
    assert_int_equal(sl_packer_chunks(packer, &chunk), CHUNKS);
    for (uint32_t n = 0; n < CHUNKS; n++)
        assert_int_equal(chunk[n].number, n);
    uint64_t offset = sl_packer_offset(packer);
    assert_int_equal(sl_packer_keep(packer, &error), SL_OK);
    sl_packer_destroy(packer);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t count = fread(bytes, 1, MAX_FILE, f);
    fclose(f);
    unlink(path);
    assert_int_equal(count, offset);
    return count;
}

static void a_thread_writes_the_same_bytes(void **state)
{
    (void)state;
    char *bytes[2] = {malloc(MAX_FILE), malloc(MAX_FILE)};
    assert_non_null(bytes[0]);
    assert_non_null(bytes[1]);
    size_t count = pack("alone", false, bytes[0]);
    assert_int_equal(pack("thread", true, bytes[1]), count);
    assert_memory_equal(bytes[0], bytes[1], count);
    free(bytes[0]);
    free(bytes[1]);
}

/* The failure shows with a later chunk, or at the end, and no file is left. */
static void a_failure_of_the_thread_is_reported(void **state)
{
    (void)state;
    char path[64];
    sl_packer *packer;
    sl_error error = {0};
    struct rlimit before, small;
    snprintf(path, sizeof path, "%s/full", folder);
    assert_int_equal(sl_packer_create(path, 1, &packer, &error), SL_OK);
    sl_packer_start_thread(packer);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 3 * CHUNK_BYTES;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    sl_status status = add_chunks(packer, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, SL_IO);
    assert_non_null(strstr(error.text, "full"));
    assert_int_equal(sl_packer_keep(packer, &error), SL_IO);
    sl_packer_destroy(packer);
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_writes_the_same_bytes),
        cmocka_unit_test(a_failure_of_the_thread_is_reported),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
