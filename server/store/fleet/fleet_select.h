/* fleet_select.h - which stored rows a query over a fleet reads.
 *
 * Rollups store sums per period of days. The days of a query are composed of as
 * few periods as possible. Rollups have no labels, so a query with labels reads
 * the runs themselves. A key is an operator with a type and a phase. */
#pragma once
#include "query_fleet.h"
#include "sql.h"

/* Days since 1970, in [since, until); INT32_MIN and INT32_MAX: no limit. */
struct fleet_days {
	int32_t since, until;
};
struct fleet_days fleet_days(const struct fleet_filter *f);

/* Periods that add up to these days, as parameters: $1 grain, $2 first day, $3
 * sign. */
struct fleet_periods {
	struct sql_array grains, firsts, signs;
};
/* `today` replaces an open end, because no run is stored far in the future. */
void fleet_periods_init(struct fleet_periods *p, struct fleet_days d,
	int32_t today);
void fleet_periods_release(struct fleet_periods *p);

/* Adds the parameters 1 to 9: the periods, project, workload, platform,
 * framework, and the days. */
void fleet_params(struct sql_params *q, struct fleet_periods *p,
	const struct fleet_filter *f, struct fleet_days d);

#define FLEET_PERIODS                                                        \
	"unnest($1::bigint[], $2::bigint[], $3::bigint[]) p (grain, first, " \
	"sign)"
/* Conditions on a rollup_cell with the alias c, and on a rollup_delta d. */
#define FLEET_CELL                                           \
	"($4 IS NULL OR c.project = $4) "                    \
	"AND ($5 IS NULL OR c.workload = $5) "               \
	"AND ($6 IS NULL OR coalesce(c.platform, '') = $6) " \
	"AND ($7 IS NULL OR coalesce(c.framework, '') = $7) "
#define FLEET_DELTA                                           \
	"($4 IS NULL OR d.project = $4) "                     \
	"AND ($5 IS NULL OR d.workload = $5) "                \
	"AND ($6 IS NULL OR coalesce(d.platform, '') = $6) "  \
	"AND ($7 IS NULL OR coalesce(d.framework, '') = $7) " \
	"AND d.day >= $8 AND d.day < $9 "

/* Conditions on a run with the alias r: $1 to $4 names, $5 and $6 days, $7
 * labels, $8 whether its energy must be known. */
#define FLEET_RUNS                                                     \
	"($1 IS NULL OR r.project = $1) "                              \
	"AND ($2 IS NULL OR r.workload = $2) "                         \
	"AND ($3 IS NULL OR coalesce(r.platform, '') = $3) "           \
	"AND ($4 IS NULL OR coalesce(r.framework, '') = $4) "          \
	"AND ($5 IS NULL OR "                                          \
	"r.created_at >= to_timestamp($5::double precision * 86400)) " \
	"AND ($6 IS NULL OR "                                          \
	"r.created_at < to_timestamp($6::double precision * 86400)) "  \
	"AND ($7 IS NULL OR r.labels @> $7) "                          \
	"AND (NOT $8 OR (r.gpu_ns > 0 AND EXISTS ("                    \
	"SELECT FROM run_power p WHERE p.run_id = r.run_id))) "
/* The runs that count in sums over runs. */
#define FLEET_CHOSEN                                                       \
	"WITH chosen AS (SELECT r.run_id, r.project, r.workload, "         \
	"coalesce(r.platform, '') AS platform, "                           \
	"coalesce(r.framework, '') AS framework, "                         \
	"r.weight_uh::numeric AS g, r.gpu_ns FROM run r WHERE " FLEET_RUNS \
	"AND r.gpu_ns IS NOT NULL AND r.counted) "
/* Adds the parameters 1 to 8 of FLEET_RUNS. */
void fleet_run_params(struct sql_params *p, const struct fleet_filter *f);

/* The keys (operator, type, phase) that the filter selects. */
struct fleet_key {
	int64_t id;
	const char *op; /* NULL: unattributed */
	enum dtype dtype;
	enum phase phase;
};
struct fleet_keys {
	struct fleet_key *rows; /* by id */
	uint32_t n;
	int runs_code; /* the code of the sum that counts runs: rollup_code.h */
};
bool fleet_keys(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet_keys *out, struct err *e);
/* NULL if the filter does not select the key. */
const struct fleet_key *fleet_key(const struct fleet_keys *k, int64_t id);
