/* SPDX-License-Identifier: MIT */
/* Preloaded by tests/cli/memory.sh: in the program sluice, allocation number SLUICE_TEST_FAIL fails, wherever it is
 * made: also in the libraries that it uses. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static _Atomic long left;
static bool counting;

__attribute__((constructor)) static void start(void)
{
    const char *number = getenv("SLUICE_TEST_FAIL");
    counting = number && !strcmp(program_invocation_short_name, "sluice");
    left = number ? atol(number) : 0;
}

#pragma GCC visibility push(default)

static bool fails(void)
{
    if (!counting || atomic_fetch_sub(&left, 1))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(old, bytes);
}
