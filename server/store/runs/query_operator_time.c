/* query_operator_time.c - summed over types and phases, run by run. */
#include "query_operator_time.h"
#include "sql.h"

bool query_operator_times(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, struct operator_time_row **rows, uint32_t *rows_n,
	struct err *e)
{
	static const char sql[] =
		"SELECT o.run_id, o.operator, "
		"(sum(o.total_ns) / r.gpu_ns)::float8, "
		"CASE WHEN sum(o.bound_calls) > 0 "
		"THEN (sum(o.headroom_ns) / r.gpu_ns)::float8 END "
		"FROM run_operator o "
		"JOIN run r ON r.run_id = o.run_id "
		"WHERE o.run_id = ANY ($1) AND r.gpu_ns > 0 "
		"GROUP BY o.run_id, r.gpu_ns, o.operator "
		"ORDER BY o.run_id, o.operator";
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	sql_array_init(&ids, SQL_INT8);
	for (uint32_t i = 0; i < n; i++)
		sql_array_int8(&ids, runs[i]);
	sql_array(&p, &ids);
	bool ok = sql_run(db, sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	*rows_n = (uint32_t)r.n;
	*rows = arena_array(a, struct operator_time_row, *rows_n);
	for (struct operator_time_row *row = *rows; result_next(&r); row++) {
		row->run = result_int8(&r, 0);
		row->operator= result_text(&r, a);
		row->share = result_float8(&r, NAN);
		row->headroom = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}
