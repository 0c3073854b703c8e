/* query_unattributed.c - kernels that nobody knows, of a run and of all. */
#include "query_operator.h"
#include "sql.h"

#define COLUMNS "k.id, k.name, k.short_name, k.family, "

static const char of_run[] =
	"SELECT " COLUMNS "u.launches, u.total_ns, 1::bigint "
	"FROM run_unattributed u JOIN kernel k ON k.id = u.kernel_id "
	"WHERE u.run_id = $1 "
	"ORDER BY u.rank LIMIT $2";

/* $1 is 0. What is not folded yet is added. */
static const char of_all[] =
	"SELECT " COLUMNS "u.launches, u.total_ns, u.runs "
	"FROM (SELECT kernel_id, sum(launches)::bigint AS launches, "
	"sum(total_ns)::bigint AS total_ns, sum(runs)::bigint AS runs "
	"FROM (SELECT kernel_id, launches, total_ns, runs "
	"FROM rollup_kernel "
	"UNION ALL "
	"SELECT kernel_id, launches, total_ns, runs "
	"FROM rollup_delta_kernel) d "
	"GROUP BY kernel_id HAVING sum(runs) <> $1 "
	"ORDER BY 3 DESC, 1 LIMIT $2) u "
	"JOIN kernel k ON k.id = u.kernel_id "
	"ORDER BY u.total_ns DESC, u.kernel_id";

bool query_unattributed(struct db *db, struct arena *a, int64_t run, int limit,
	struct unattributed_line **rows, uint32_t *n, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	sql_int8_known(&p, limit ? limit : -1);
	if (!sql_run(db, run ? of_run : of_all, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct unattributed_line, *n);
	for (struct unattributed_line *u = *rows; result_next(&r); u++) {
		u->kernel = result_int8(&r, 0);
		u->name = result_text(&r, a);
		u->short_name = result_text(&r, a);
		u->family = result_text(&r, a);
		u->launches = result_int8(&r, 0);
		u->total_ns = result_int8(&r, 0);
		u->runs = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}
