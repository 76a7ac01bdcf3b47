/* SPDX-License-Identifier: MIT */
/* Errors: a status to branch on and a sentence to show.
 *
 * Functions that can fail return an sl_status and fill the caller's sl_error; on SL_OK the error is unchanged.
 * The library never prints and never exits. */
#ifndef SLUICE_ERROR_H
#define SLUICE_ERROR_H

#include <stdarg.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by the shared library. Everything else is hidden. */
#define SL_API __attribute__((visibility("default")))

typedef enum sl_status {
    SL_OK = 0,
    SL_NO_MEMORY,   /* the host is out of memory */
    SL_IO,          /* a file could not be read or written */
    SL_SYNTAX,      /* input text does not parse */
    SL_CORRUPT,     /* a binary file is damaged or truncated */
    SL_INVALID,     /* an argument or a value is not acceptable */
    SL_NOT_FOUND,   /* a name does not exist */
    SL_UNSUPPORTED, /* understood, but not something Sluice does */
    SL_FAULT,       /* the kernel did something illegal */
    SL_LIMIT,       /* a limit set by the user or the machine was reached */
    SL_MISMATCH,    /* a result differs from its reference */
} sl_status;

typedef struct sl_error {
    sl_status status;
    uint32_t line, column; /* location in `file`, from 1; 0: none */
    char file[256];        /* empty: none */
    char text[1024];       /* one or more complete sentences without a trailing newline */
} sl_error;

#define SL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Each fills `error` (which may be NULL) and returns `status`, so that `return sl_fail(…)` reads well. */
SL_API sl_status sl_fail(sl_error *error, sl_status status, const char *format, ...) SL_PRINTF(3, 4);
SL_API sl_status sl_fail_at(sl_error *error, sl_status status, const char *file, uint32_t line, uint32_t column,
                            const char *format, ...) SL_PRINTF(6, 7);
SL_API sl_status sl_fail_memory(sl_error *error);
/* SL_IO with the text "cannot VERB PATH: strerror(errno)". */
SL_API sl_status sl_fail_io(sl_error *error, const char *verb, const char *path);

/* "file:line:column: text" (parts that are absent are left out) into `buffer`; returns `buffer`. */
SL_API char *sl_error_format(const sl_error *error, char *buffer, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
