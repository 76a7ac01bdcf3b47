/* SPDX-License-Identifier: MIT */
/* What every cmocka program includes: cmocka with the headers it needs, in the order it needs them. */
#ifndef SL_TESTS_SUPPORT_H
#define SL_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
