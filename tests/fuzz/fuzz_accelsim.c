/* SPDX-License-Identifier: MIT */
/* Kernels of Accel-Sim traces: any text is replayed or gives an error. */
#include "import_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    import_input(sl_import_accelsim, data, bytes);
    return 0;
}
