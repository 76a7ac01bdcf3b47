/* SPDX-License-Identifier: MIT */
/* The functions behind selectors.def. */
#ifndef SL_TUNE_SELECTORS_H
#define SL_TUNE_SELECTORS_H

#include "tune/tuner.h"

#define X(function, name, summary)                                                                                     \
    sl_status sl_select_##function(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error);
#include "tune/selectors.def"
#undef X

#endif
