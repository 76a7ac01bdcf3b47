/* SPDX-License-Identifier: MIT */
/* What sl_gzip_open writes, gzip reads. */
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { MANY = 300000 };

/* Whether gzip unpacks the bytes that were packed. */
static void goes_and_comes(const uint8_t *bytes, size_t count, size_t max_packed)
{
    char path[] = "/tmp/sluice-gzip-XXXXXX", command[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb"), *packed = sl_gzip_open(file);
    assert_non_null(packed);
    assert_int_equal(fwrite(bytes, 1, count, packed), count);
    assert_int_equal(fclose(packed), 0);
    assert_true((size_t)ftell(file) <= max_packed);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "gzip -dc <%s", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    uint8_t *back = malloc(count + 1);
    assert_int_equal(fread(back, 1, count + 1, pipe), count);
    assert_int_equal(pclose(pipe), 0);
    assert_memory_equal(back, bytes, count);
    free(back);
    remove(path);
}

static void all_kinds_of_bytes_come_back(void **state)
{
    (void)state;
    static uint8_t bytes[MANY];
    goes_and_comes(bytes, 0, 30);
    goes_and_comes((const uint8_t *)"a", 1, 30);
    goes_and_comes(bytes, MANY, 3000); /* zeros: the longest matches */
    for (size_t i = 0; i < MANY; i++)
        bytes[i] = (uint8_t)((i * 2654435761u) >> 13);
    goes_and_comes(bytes, MANY, 2 * MANY);
    for (size_t i = 0; i < MANY; i++) /* matches of all lengths and distances */
        bytes[i] = i % 7919 < 4000 ? (uint8_t)(i % 7919 % 251) : (uint8_t)(i * i >> 9);
    goes_and_comes(bytes, MANY, 2 * MANY);
    for (size_t i = 0; i + 32 < MANY; i += 32)
        snprintf((char *)bytes + i, 32, "{\"ts\":%zu,\"name\":\"issue\"}\n", i);
    goes_and_comes(bytes, MANY, MANY / 3);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "wb");
    if (!full)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    FILE *packed = sl_gzip_open(full);
    fputs("something", packed);
    assert_int_not_equal(fclose(packed), 0);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_bytes_come_back),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
