/* SPDX-License-Identifier: MIT */
/* Facts about kernels out of a cubin (an ELF file of machine code): what the PTX cannot say.
 *
 * PTX registers are virtual; how many physical ones a thread needs, and so how many blocks fit a multiprocessor, is
 * known only after register allocation, and the cubin says it. sass.h reads the code itself. */
#ifndef SL_PTX_CUBIN_H
#define SL_PTX_CUBIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "sluice/error.h"

typedef struct sl_cubin_kernel {
    const char *name;             /* mangled; lives in the cubin's bytes */
    uint32_t registers;           /* per thread */
    uint32_t stack_bytes;         /* local memory per thread */
    uint32_t static_shared_bytes; /* what the driver reserves per block on newer machines included */
    const uint8_t *code;          /* NULL: it is not in the file */
    size_t code_bytes;
} sl_cubin_kernel;

typedef struct sl_cubin {
    uint32_t sm;                       /* of the machine that it is for: 90 */
    SL_ARRAY(sl_cubin_kernel) kernels; /* kernels and device functions with code */
} sl_cubin;

/* The bytes are borrowed. A zeroed sl_cubin is empty; free it with sl_cubin_fini. */
sl_status sl_cubin_read(const void *data, size_t bytes, sl_cubin *cubin, sl_error *error);
void sl_cubin_fini(sl_cubin *cubin);
const sl_cubin_kernel *sl_cubin_find(const sl_cubin *cubin, const char *name); /* NULL: not there */

#endif
