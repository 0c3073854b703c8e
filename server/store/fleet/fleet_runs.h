/* fleet_runs.h - the same sums from the runs themselves, for what the rollups do
 * not tell apart: labels. */
#pragma once
#include "query_operator.h"
#include "sql.h"

#define FLEET_DAY_BEGIN(param) \
	"to_timestamp(" param "::double precision * 86400)"
/* $1 to $4: of which runs; $5, $6: days; $7: labels. */
#define FLEET_RUNS                                                          \
	"($1 IS NULL OR r.project = $1) "                                   \
	"AND ($2 IS NULL OR r.workload = $2) "                              \
	"AND ($3 IS NULL OR coalesce(r.platform, '') = $3) "                \
	"AND ($4 IS NULL OR coalesce(r.framework, '') = $4) "               \
	"AND ($5 IS NULL OR r.created_at >= " FLEET_DAY_BEGIN(              \
		"$5") ") "                                                  \
		      "AND ($6 IS NULL OR r.created_at < " FLEET_DAY_BEGIN( \
			      "$6") ") "                                    \
				    "AND ($7 IS NULL OR r.labels @> $7) "
#define FLEET_CHOSEN                                                       \
	"WITH chosen AS (SELECT r.run_id, r.project, r.workload, "         \
	"coalesce(r.platform, '') AS platform, "                           \
	"coalesce(r.framework, '') AS framework, "                         \
	"r.weight_uh::numeric AS g, r.gpu_ns FROM run r WHERE " FLEET_RUNS \
	"AND r.gpu_ns IS NOT NULL AND r.counted) "

/* $1 to $7. */
void fleet_run_params(struct sql_params *p, const struct fleet_filter *f);

bool fleet_from_runs(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet *out, struct err *e);
/* Runs that the filter lets through and that were analysed before operators were
 * known. */
bool fleet_uncounted(struct db *db, const struct fleet_filter *f, int64_t *n,
	struct err *e);
/* … and whose names lag behind durations, so that no sum has them. */
bool fleet_left_out(struct db *db, const struct fleet_filter *f, int64_t *n,
	struct err *e);
