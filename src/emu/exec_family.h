/* SPDX-License-Identifier: MIT */
/* Included by exec_*.c after SL_OPn_<FAMILY> are defined for the families the file implements: expands handlers.def
 * with all other families empty. */
#ifndef SL_OP1_INT
#define SL_OP1_INT(...)
#define SL_OP2_INT(...)
#define SL_OP3_INT(...)
#endif
#ifndef SL_OP1_INT_EACH
#define SL_OP1_INT_EACH(...)
#define SL_OP2_INT_EACH(...)
#endif
#ifndef SL_OP1_CMP
#define SL_OP1_CMP(...)
#define SL_OP2_CMP(...)
#endif
#ifndef SL_OP1_FLT
#define SL_OP1_FLT(...)
#define SL_OP2_FLT(...)
#define SL_OP3_FLT(...)
#endif
#ifndef SL_OP1_FLT_EACH
#define SL_OP1_FLT_EACH(...)
#endif
#ifndef SL_OP1_CVT
#define SL_OP1_CVT(...)
#endif
#ifndef SL_OP1_HALF
#define SL_OP1_HALF(...)
#define SL_OP2_HALF(...)
#define SL_OP3_HALF(...)
#endif
#define SL_OP1(family, ...) SL_OP1_##family(__VA_ARGS__)
#define SL_OP2(family, ...) SL_OP2_##family(__VA_ARGS__)
#define SL_OP3(family, ...) SL_OP3_##family(__VA_ARGS__)
#define SL_HAND(...)
#include "emu/handlers.def"
