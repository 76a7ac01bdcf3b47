/* SPDX-License-Identifier: MIT */
/* The functions behind selectors.def. */
#ifndef SL_BYPASS_SELECTORS_H
#define SL_BYPASS_SELECTORS_H

#include "bypass/tuner.h"

#define X(function, name, summary)                                                                                     \
    sl_status sl_select_##function(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error);
#include "bypass/selectors.def"
#undef X

#endif
