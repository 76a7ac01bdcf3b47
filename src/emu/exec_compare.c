/* SPDX-License-Identifier: MIT */
/* Comparisons and tests that give predicates. */
#include "emu/exec.h"

#define SL_OP1_CMP SL_DEFINE1
#define SL_OP2_CMP SL_DEFINE2
#include "emu/exec_family.h"
