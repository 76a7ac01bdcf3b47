/* SPDX-License-Identifier: MIT */
/* Finds the CUDA runtime that a program or library contains (nvcc's default, -cudart static), so that its functions can
 * be sent to the library of src/cudart.
 *
 * Where they lie is read from the symbol table of the file. One without symbols is compared with the archive of the
 * user's own toolkit, libcudart_static.a: the linker moves its code as a whole, so that one long run of bytes without
 * relocations gives the positions of all functions, and the other runs confirm it. In another release of the same
 * version the code is there in pieces: then every function must be found, whole, at the distance of the pieces around
 * it. Nothing of NVIDIA's is part of Sluice.
 *
 * Files are those of strangers: nothing is used before it was checked against the bounds of its file. */
#ifndef SL_REDIRECT_STATIC_RUNTIME_H
#define SL_REDIRECT_STATIC_RUNTIME_H

#include "base/array.h"
#include "ptx/elf.h"

typedef struct sl_mapped_file {
    const void *data; /* NULL: none */
    size_t bytes;
    uint64_t device, inode; /* which file it is */
} sl_mapped_file;

bool sl_mapped_file_open(const char *path, sl_mapped_file *file);
void sl_mapped_file_close(sl_mapped_file *file); /* zeros are fine */

typedef struct sl_static_function {
    const char *name; /* in the file that it was found by */
    uint64_t addr;    /* before relocation */
    uint32_t target;  /* library that it is sent to, and where */
    uint64_t target_addr;
} sl_static_function;

typedef struct sl_static_runtime {
    unsigned major; /* CUDA 11, 12 or 13 */
    SL_ARRAY(sl_static_function) functions;
    sl_mapped_file archive; /* that it was found by; none: the file itself, which must outlive this */
} sl_static_runtime;

/* Bytes from each function's address on that may be overwritten. */
enum { SL_STATIC_FUNCTION_BYTES = 16 };

/* Zeros are fine. */
void sl_static_runtime_fini(sl_static_runtime *runtime);
/* Finds the runtime by the file's symbol table, else by the first of the archives (paths, separated by colons) whose
 * code is in it. SL_NOT_FOUND: there is none; SL_UNSUPPORTED: there is one that no archive knows. */
sl_status sl_static_runtime_find(const sl_elf *elf, const char *archives, sl_static_runtime *runtime, sl_error *error);
/* The two ways alone. SL_NOT_FOUND: it is not there. */
sl_status sl_static_runtime_by_symbols(const sl_elf *elf, sl_static_runtime *runtime, sl_error *error);
sl_status sl_static_runtime_by_archive(const sl_elf *elf, const void *archive, size_t bytes, sl_static_runtime *runtime,
                                       sl_error *error);
/* Keeps the functions that one of the target libraries exports, the first that does; compilers add functions of their
 * own with similar names. Checks that each can be overwritten: in executable bytes of the file, none within another. */
sl_status sl_static_runtime_match(const sl_elf *elf, sl_static_runtime *runtime, const sl_elf *target, uint32_t targets,
                                  sl_error *error);

#endif
