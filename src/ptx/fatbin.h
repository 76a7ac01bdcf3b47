/* SPDX-License-Identifier: MIT */
/* Fat binaries: the PTX texts and machine codes (cubins) that nvcc and clang put into object files.
 *
 * A fat binary is a sequence of containers, each a sequence of entries, each one PTX text or cubin for one
 * architecture, raw or compressed (LZ4, zstd). It stands alone in a .fatbin file or in sections of an ELF file:
 * `.nv_fatbin`, and
 * `__nv_relfatbin` for relocatable device code, whose containers must be linked with each other.
 *
 * The bytes are borrowed: they must outlive the sl_fatbin. Everything is bounds-checked. Entries of other kinds
 * (link-time optimization IR …) are listed with their number and otherwise left alone. */
#ifndef SL_PTX_FATBIN_H
#define SL_PTX_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "sluice/error.h"

enum { SL_PROGRAM_SM = 90 }; /* of the device that CUDA programs see, unless another is asked for */

enum { SL_FATBIN_PTX = 1, SL_FATBIN_CUBIN = 2, SL_FATBIN_LTO = 8 };

typedef enum sl_fatbin_packing { SL_FATBIN_RAW, SL_FATBIN_LZ4, SL_FATBIN_ZSTD } sl_fatbin_packing;

typedef struct sl_fatbin_entry {
    uint16_t kind;                         /* SL_FATBIN_PTX … */
    uint8_t packing;                       /* sl_fatbin_packing */
    bool relocatable;                      /* from a section of relocatable device code */
    char suffix;                           /* 'a': for one architecture alone (compute_90a); 'f': its family; 0 */
    uint32_t sm;                           /* 75 */
    uint16_t version_major, version_minor; /* of the PTX language; for cubins of the format */
    uint32_t container;                    /* 0, 1, … in order of appearance */
    const uint8_t *data;                   /* as stored */
    size_t bytes;
    uint64_t plain_bytes; /* after unpacking */
    const char *name;     /* source file as given to the compiler; "" when not stored */
} sl_fatbin_entry;

typedef struct sl_fatbin {
    SL_ARRAY(sl_fatbin_entry) entries;
    uint32_t containers; /* seen so far, empty ones too */
} sl_fatbin;

/* A zeroed sl_fatbin is an empty one. */
void sl_fatbin_fini(sl_fatbin *fatbin);
/* Adds the entries of all containers in [data, data+bytes); zero bytes between containers are skipped. */
sl_status sl_fatbin_add(sl_fatbin *fatbin, const void *data, size_t bytes, bool relocatable, sl_error *error);
/* Adds the entries of all fat binary sections of an ELF file. None is no error. */
sl_status sl_fatbin_add_elf(sl_fatbin *fatbin, const void *data, size_t bytes, sl_error *error);
/* Size of the container at `data`, header included, as its header says; 0 when it is none. For containers that are
 * handed over by address alone; at least SL_FATBIN_HEADER bytes must be readable. */
enum { SL_FATBIN_HEADER = 16 };
size_t sl_fatbin_container_bytes(const void *data);

/* The best PTX entry for a machine of compute capability `sm` among entries [first, first+count), as a driver chooses:
 * the highest architecture that the machine has, and what is specific to it before what is portable; where none runs on
 * it, the lowest above. NULL: no PTX. */
const sl_fatbin_entry *sl_fatbin_best_ptx(const sl_fatbin_entry *first, size_t count, uint32_t sm);
/* The best PTX of the next container that has some, from entry *at on, which it moves behind that container. NULL:
 * there is no more. */
const sl_fatbin_entry *sl_fatbin_next_ptx(const sl_fatbin *fatbin, size_t *at, uint32_t sm);
/* The cubin whose facts (registers per thread) come nearest to a machine `sm`, chosen in the same way. NULL: none. */
const sl_fatbin_entry *sl_fatbin_best_cubin(const sl_fatbin_entry *first, size_t count, uint32_t sm);

/* The architecture of an entry as compilers spell it: "90", "90a", "100f". Returns `buffer`. */
char *sl_fatbin_arch(const sl_fatbin_entry *entry, char *buffer, size_t size);

/* Unpacks an entry. *plain is malloc'ed, *plain_bytes long, and followed by a NUL that does not count; NULs that pad
 * the end of PTX text are cut off. */
sl_status sl_fatbin_unpack(const sl_fatbin_entry *entry, char **plain, size_t *plain_bytes, sl_error *error);

/* The version of containers that compilers write. */
enum { SL_FATBIN_VERSION = 1 };
/* Makes a container of PTX texts: of each entry kind, architecture, suffix, data and bytes are used. *data is malloc'ed
 * and *bytes long. */
sl_status sl_fatbin_make(const sl_fatbin_entry *entry, size_t count, uint16_t version, char **data, size_t *bytes,
                         sl_error *error);

#endif
