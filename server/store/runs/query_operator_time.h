/* query_operator_time.h - operators' part of the GPU time of several runs. */
#pragma once
#include "db.h"

struct operator_time_row {
	int64_t run;
	const char *operator; /* NULL: unattributed */
	/* Of the run's GPU time, 0..1, over types and phases; headroom NaN where
	 * no call's T_SOL is known. */
	double share, headroom;
};
/* By run and operator, those that are unattributed last. */
bool query_operator_times(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, struct operator_time_row **rows, uint32_t *rows_n,
	struct err *e);
