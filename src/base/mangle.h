/* SPDX-License-Identifier: MIT */
/* Names of functions, out of the symbols that C++ compilers make of them (Itanium ABI). */
#ifndef SL_BASE_MANGLE_H
#define SL_BASE_MANGLE_H

#include "base/arena.h"

/* "_ZN3lin6matmulIfEEvPT_i" -> "matmul": the innermost name, without scopes, template arguments and parameters. What is
 * not mangled, or not understood, is returned unchanged. NULL when memory runs out. */
const char *sl_short_name(sl_arena *arena, const char *symbol);
/* "_Z6reduceIfLi512EEvPT_" -> "<float, 512>", to distinguish what has the same short name; "" where there are none, and
 * "…" for what is not understood. Returns `buffer`. */
char *sl_template_arguments(const char *symbol, char *buffer, size_t size);

/* Both, for messages and tables: "reduce<float, 512>". Returns `buffer`. */
char *sl_function_name(const char *symbol, char *buffer, size_t size);

#endif
