/* SPDX-License-Identifier: MIT */
#include "sluice/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static sl_status fill(sl_error *error, sl_status status, const char *file, uint32_t line, uint32_t column,
                      const char *format, va_list args)
{
    if (!error)
        return status;
    error->status = status;
    error->line = line;
    error->column = column;
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
    vsnprintf(error->text, sizeof error->text, format, args);
    return status;
}

sl_status sl_fail(sl_error *error, sl_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(error, status, NULL, 0, 0, format, args);
    va_end(args);
    return status;
}

sl_status sl_fail_at(sl_error *error, sl_status status, const char *file, uint32_t line, uint32_t column,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(error, status, file, line, column, format, args);
    va_end(args);
    return status;
}

sl_status sl_fail_memory(sl_error *error)
{
    return sl_fail(error, SL_NO_MEMORY, "out of memory");
}

sl_status sl_fail_io(sl_error *error, const char *verb, const char *path)
{
    return sl_fail(error, SL_IO, "cannot %s %s: %s", verb, path, strerror(errno));
}

char *sl_error_format(const sl_error *error, char *buffer, unsigned long size)
{
    if (error->file[0] && error->line && error->column)
        snprintf(buffer, size, "%s:%u:%u: %s", error->file, error->line, error->column, error->text);
    else if (error->file[0] && error->line)
        snprintf(buffer, size, "%s:%u: %s", error->file, error->line, error->text);
    else if (error->file[0])
        snprintf(buffer, size, "%s: %s", error->file, error->text);
    else
        snprintf(buffer, size, "%s", error->text);
    return buffer;
}
