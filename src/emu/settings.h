/* SPDX-License-Identifier: MIT */
/* The settings of a run: one struct from the command line through recordings and CUDA programs to the emulator. Its
 * fields are declared in settings.def; zeros are the defaults. */
#ifndef SL_EMU_SETTINGS_H
#define SL_EMU_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Values of `check` and `fp_contract`, in the order of their choices. */
enum { SL_CHECK_GPU, SL_CHECK_ADDRESS, SL_CHECK_UNINIT, SL_CHECK_RACE };
enum { SL_FP_CONTRACT_PTXAS, SL_FP_CONTRACT_OFF };

typedef bool sl_setting_FLAG;
typedef uint64_t sl_setting_NUMBER;
typedef uint64_t sl_setting_VERSION;
typedef int sl_setting_CHOICE;
typedef const char *sl_setting_NAME;
typedef const char *sl_setting_TEXT;

typedef struct sl_run_settings {
#define SL_SETTING(type, field, ...)          sl_setting_##type field;
#define SL_SETTING_INTERNAL(type, field, ...) sl_setting_##type field;
#include "emu/settings.def"
#undef SL_SETTING
#undef SL_SETTING_INTERNAL
} sl_run_settings;

/* For tables that include settings.def. */
#define SL_CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
