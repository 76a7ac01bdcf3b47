/* SPDX-License-Identifier: MIT */
/* Checks that the simulator loses no data: every granule of memory has a version, which requests carry and lines hold
 * as they would its data. A store makes a new one; a load must see that of the last store issued before it.
 *
 * That holds for programs without races: those whose warps share what is written only across barriers of a CTA, or
 * from launch to launch. Atomics may race: each adds 1 to the version where it is executed, and no load may read it in
 * the same launch.
 *
 * A request changes a line when the bank accepts it, also if some of the line is in flight. The version of such a
 * granule is relative: the one that arrives, plus the atomics since. */
#ifndef TESTS_SIM_DATA_CHECK_H
#define TESTS_SIM_DATA_CHECK_H

#include "sluice/error.h"

typedef struct data_check data_check;

/* NULL: out of memory. */
data_check *data_check_create(void);
/* After the simulator that it observes. */
void data_check_destroy(data_check *check);
/* For sl_sim_options. */
const struct sl_data_observer *data_check_observer(const data_check *check);
/* SL_FAULT with the first load that saw another version. */
sl_status data_check_result(const data_check *check, sl_error *error);

#endif
