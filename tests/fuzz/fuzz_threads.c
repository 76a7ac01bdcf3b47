/* SPDX-License-Identifier: MIT */
/* Thread traces: any text is replayed or gives an error. */
#include "import_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    import_input(sl_import_threads, data, bytes);
    return 0;
}
