/* fleet_select.h - which rows of a rollup make up the days that a question is
 * about, and the parameters that its statements share. */
#pragma once
#include "query_operator.h"
#include "sql.h"

/* Days [since, until) since 1970; INT32_MIN and INT32_MAX open. */
struct fleet_days {
	int32_t since, until;
};
struct fleet_days fleet_days(const struct fleet_filter *f);

/* Stretches that add up to them: $1 grain, $2 first day, $3 sign. */
struct fleet_pieces {
	struct sql_array grains, firsts, signs;
};
/* `today` bounds what is open: nothing is stored of later than a while on. */
void fleet_pieces_init(struct fleet_pieces *p, struct fleet_days d,
	int32_t today);
void fleet_pieces_release(struct fleet_pieces *p);

/* Parameters 1 to 9: the pieces, project, workload, platform, framework, and the
 * days as moments. FLEET_OF holds a row with a project, a workload, … to them. */
void fleet_params(struct sql_params *q, struct fleet_pieces *p,
	const struct fleet_filter *f, struct fleet_days d);

#define FLEET_PIECES                                                         \
	"unnest($1::bigint[], $2::bigint[], $3::bigint[]) p (grain, first, " \
	"sign)"
#define FLEET_OF(t)                                              \
	"($4 IS NULL OR " t ".project = $4) "                    \
	"AND ($5 IS NULL OR " t ".workload = $5) "               \
	"AND ($6 IS NULL OR coalesce(" t ".platform, '') = $6) " \
	"AND ($7 IS NULL OR coalesce(" t ".framework, '') = $7) "
/* Of a delta. */
#define FLEET_DAY(t) "AND " t ".day >= $8 AND " t ".day < $9 "
