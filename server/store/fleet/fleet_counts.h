/* fleet_counts.h - how many different shapes each operator ran with. */
#pragma once
#include "query_operator.h"

/* Into out->counts, of all runs there are: where the filter asks for less, sums of
 * many days would have to be read, and nothing is counted. */
bool fleet_counts(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e);
