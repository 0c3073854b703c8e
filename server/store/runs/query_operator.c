/* query_operator.c - operators and shapes of a run, unattributed kernels,
 * operators of several runs. */
#include "query_operator.h"
#include "column.h"
#include "page.h"
#include "profile_word.h"
#include "sql.h"
#include <math.h>
#include <string.h>

#define KNOWN(code, word, what) "o.source_" #word "_ns, "
static const char operators_sql[] =
	"SELECT r.platform, r.catalog, r.analysis_version >= 4, r.gpu_ns, "
	"r.replayed, r.replayed_known, r.sm_clock_mhz, r.sm_clock_reason, "
	"o.rank, o.operator, o.dtype, o.phase, "
	"o.collective, o.launches, o.calls, o.total_ns, "
#include "known.def"
	"o.shape_known_ns, o.roofline_known_calls, o.roofline_known_ns, o.sol_ps, o.compute_ns, "
	"o.headroom_ns, o.above_bound_ns, o.clock_sol_ps, o.clock_compute_ns, "
	"o.clock_headroom_ns, o.clock_above_bound_ns, o.shapes "
	"FROM run r "
	"LEFT JOIN run_operator o ON o.run_id = r.run_id "
	"WHERE r.run_id = $1 "
	"ORDER BY o.rank";
#undef KNOWN

static void query_operator_read_run(struct result *r, struct arena *a,
	struct run_operators *out)
{
	out->platform = result_text(r, a);
	out->catalog = result_text(r, a);
	out->searched = result_bool(r);
	out->gpu_ns = result_int8(r, -1);
	out->replayed = result_int8(r, 0);
	out->replayed_known = result_int8(r, 0);
	out->sm_clock_mhz = result_float8(r, NAN);
	out->sm_clock_why = result_text(r, a);
}

static void query_operator_read(struct result *r, struct arena *a,
	struct operator_stat *o)
{
	o->name = result_text(r, a);
	o->dtype = column_dtype(r, a);
	o->phase = column_phase(r, a);
	o->collective = result_bool(r);
	o->launches = result_int8(r, 0);
	o->calls = result_int8(r, 0);
	o->total_ns = result_int8(r, 0);
	for (int k = 0; k < KNOWNS; k++)
		o->known_ns[k] = result_int8(r, 0);
	o->sized_ns = result_int8(r, 0);
	o->bound_calls = result_int8(r, 0);
	o->bound_ns = result_int8(r, 0);
	o->sheet.sol_ps = result_int8(r, 0);
	o->sheet.compute_ns = result_int8(r, 0);
	o->sheet.headroom_ns = result_int8(r, 0);
	o->sheet.over_ns = result_int8(r, 0);
	o->clock.sol_ps = result_int8(r, o->sheet.sol_ps);
	o->clock.compute_ns = result_int8(r, o->sheet.compute_ns);
	o->clock.headroom_ns = result_int8(r, o->sheet.headroom_ns);
	o->clock.over_ns = result_int8(r, o->sheet.over_ns);
	o->shapes = (uint32_t)result_int4(r, 0);
}

bool query_operators(struct db *db, struct arena *a, int64_t run,
	struct run_operators *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, operators_sql, &p, &r, e))
		return false;
	*out = (struct run_operators){ 0 };
	out->rows = arena_array(a, struct operator_stat, (size_t)r.n);
	bool there = r.n > 0;
	while (result_next(&r)) {
		query_operator_read_run(&r, a, out);
		if (result_int4(&r, -1) >= 0)
			query_operator_read(&r, a, &out->rows[out->n++]);
	}
	result_release(&r);
	return there ||
	       err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)run);
}

static void query_operator_read_graph(struct result *r, struct arena *a,
	struct replayed_graph *g)
{
	struct graph_match *m = &g->is;
	size_t len;
	memcpy(m->key, result_bytes(r, &len), sizeof m->key);
	sha256_hex(m->key, g->graph);
	m->replays = result_int8(r, 0);
	m->kernels = (uint32_t)result_int4(r, 0);
	m->total_ns = result_int8(r, 0);
	m->attributed = result_int8(r, 0);
	m->captures = (uint32_t)result_int4(r, 0);
	m->captured = (uint32_t)result_int4(r, 0);
	m->matched = (uint32_t)result_int4(r, 0);
	const char *source = result_text(r, a), *reason = result_text(r, a);
	m->source = !source ? GRAPH_SOURCE_NONE
			    : (enum graph_source)column_word_of(source,
				      profile_word_graph_source, GRAPH_SOURCES);
	m->reason = !reason ? GRAPH_REASON_NONE
			    : (enum graph_reason)column_word_of(reason,
				      profile_word_graph_reason, GRAPH_REASONS);
	g->source_run = result_int8(r, -1);
}

bool query_replayed_graphs(struct db *db, struct arena *a, int64_t run,
	const char *project, struct replayed_graph **rows, uint32_t *n,
	struct err *e)
{
	static const char sql[] =
		"SELECT g.key, g.replays, g.kernels, g.total_ns, g.attributed, "
		"g.captures, g.captured, g.matched, g.source, g.reason, "
		"(SELECT min(r.run_id) FROM run r "
		"WHERE r.upload_id = g.source_upload_id "
		"AND ($2::text IS NULL OR r.project = $2)) "
		"FROM run_replayed_graph g "
		"WHERE g.run_id = $1 "
		"ORDER BY g.rank";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	sql_text(&p, project);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct replayed_graph, *n);
	for (struct replayed_graph *g = *rows; result_next(&r); g++)
		query_operator_read_graph(&r, a, g);
	result_release(&r);
	return true;
}

bool query_shapes(struct db *db, struct arena *a, const struct shape_filter *f,
	struct shape_stat **rows, uint32_t *n, bool *more, struct err *e)
{
	static const char sql[] = PAGE_OF(SHAPE_COLUMNS ", rank",
		"coalesce(octet_length(sizes), 0) + "
		"coalesce(octet_length(grid), 0) + "
		"coalesce(octet_length(reason), 0)",
		"FROM (SELECT s.*, d.text AS sizes FROM run_operator o "
		"JOIN run_shape s ON s.run_id = o.run_id "
		"AND s.operator = o.rank "
		"LEFT JOIN shape d ON d.id = s.shape_id "
		"WHERE o.run_id = $4 "
		"AND CASE WHEN $6 THEN o.operator IS NOT NULL "
		"ELSE o.operator IS NOT DISTINCT FROM $5 END) t",
		"total_ns DESC, operator, rank");
	struct sql_params p = { 0 };
	struct result r;
	page_params(&p, f->offset, f->limit);
	sql_int8(&p, f->run);
	sql_text(&p, f->op);
	sql_bool(&p, f->named);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	bool ok = true;
	int64_t on_page = 0;
	*n = page_lines(&r, f->limit);
	*rows = arena_array(a, struct shape_stat, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		ok &= column_read_shape(&r, a, &(*rows)[i]);
		(*rows)[i].number = (uint32_t)result_int4(&r, 0);
		on_page = result_int8(&r, 0);
	}
	*more = on_page > *n;
	result_release(&r);
	return ok ||
	       err_set(e, ERR_INTERNAL, "the shapes of run %lld cannot be read",
		       (long long)f->run);
}

bool query_bound_shapes(struct db *db, struct arena *a, int64_t run,
	struct bound_shape **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT operator, leg, size_class, total_ns, "
		"sol_ns / nullif(mean_ns, 0) "
		"FROM run_shape WHERE run_id = $1 AND leg IS NOT NULL "
		"ORDER BY operator, rank";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = 0;
	*rows = arena_array(a, struct bound_shape, (size_t)r.n);
	while (result_next(&r)) {
		struct bound_shape *s = &(*rows)[(*n)++];
		s->operator_ = (uint32_t)result_int4(&r, 0);
		s->leg = (enum leg)column_word(&r, a, profile_word_leg, LEGS);
		s->size_class = result_int4(&r, -1);
		s->total_ns = result_int8(&r, 0);
		s->s = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}

static bool query_costed_times(struct db *db, int64_t run,
	struct costed_shapes *out, struct err *e)
{
	static const char sql[] =
		"SELECT r.span_ns, "
		"(SELECT count(*) FROM run_device d "
		"WHERE d.run_id = r.run_id "
		"AND (d.launches > 0 OR d.busy_ns > 0)), "
		"(SELECT sum(i.dur_ns)::bigint FROM run_iteration i "
		"WHERE i.run_id = r.run_id AND i.use = 'kept'), "
		"(SELECT CASE WHEN count(*) = count(s.kept_ns) "
		"THEN sum(s.kept_ns)::bigint END FROM run_shape s "
		"WHERE s.run_id = r.run_id) "
		"FROM run r WHERE r.run_id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there) {
		out->span_ns = result_int8(&r, -1);
		out->devices = result_int8(&r, 0);
		out->kept_ns = result_int8(&r, -1);
		out->kept_gpu_ns = result_int8(&r, -1);
	}
	result_release(&r);
	return there ||
	       err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)run);
}

bool query_costed_shapes(struct db *db, struct arena *a, int64_t run,
	struct costed_shapes *out, struct err *e)
{
	static const char sql[] =
		"SELECT operator, flops, read_bytes, write_bytes, instances, "
		"total_ns, kept_calls, kept_ns, "
		"recomputed_calls, recompute_known_ns, "
		"kept_recomputed_calls, kept_recompute_known_ns "
		"FROM run_shape "
		"WHERE run_id = $1 AND flops IS NOT NULL AND link_kind IS NULL "
		"ORDER BY operator, rank";
	struct sql_params p = { 0 };
	struct result r;
	*out = (struct costed_shapes){ 0 };
	sql_int8(&p, run);
	if (!query_costed_times(db, run, out, e) ||
		!sql_hot(db, sql, &p, &r, e))
		return false;
	out->rows = arena_array(a, struct costed_shape, (size_t)r.n);
	while (result_next(&r)) {
		struct costed_shape *s = &out->rows[out->n++];
		s->operator_ = (uint32_t)result_int4(&r, 0);
		column_read_flops(result_text(&r, a), &s->cost);
		s->cost.read_bytes = (uint64_t)result_int8(&r, 0);
		s->cost.write_bytes = (uint64_t)result_int8(&r, 0);
		s->calls = result_int8(&r, 0);
		s->total_ns = result_int8(&r, 0);
		s->kept_calls = result_int8(&r, -1);
		s->kept_ns = result_int8(&r, -1);
		s->recomputed.calls = result_int8(&r, -1);
		s->recomputed.known_ns = result_int8(&r, -1);
		s->kept_recomputed.calls = result_int8(&r, -1);
		s->kept_recomputed.known_ns = result_int8(&r, -1);
	}
	result_release(&r);
	return true;
}

/* Reads two ranges of an index. The condition <> would read every run. */
bool query_outdated(struct db *db, const char *catalog, int64_t *runs,
	struct err *e)
{
	static const char sql[] = "SELECT count(*) FROM run "
				  "WHERE catalog IS NOT NULL "
				  "AND (catalog < $1 OR catalog > $1)";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, catalog);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*runs = result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return true;
}

bool query_operator_times(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, struct operator_time_row **rows, uint32_t *rows_n,
	struct err *e)
{
	static const char sql[] =
		"SELECT o.run_id, o.operator, "
		"(sum(o.total_ns) / r.gpu_ns)::float8, "
		"CASE WHEN sum(o.roofline_known_calls) FILTER (WHERE NOT "
		"o.collective) > 0 "
		"THEN (sum(o.headroom_ns) / r.gpu_ns)::float8 END "
		"FROM run_operator o "
		"JOIN run r ON r.run_id = o.run_id "
		"WHERE o.run_id = ANY ($1) AND r.gpu_ns > 0 "
		"GROUP BY o.run_id, r.gpu_ns, o.operator "
		"ORDER BY o.run_id, o.operator";
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	sql_int8s(&p, &ids, runs, n);
	bool ok = sql_run(db, sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	*rows_n = (uint32_t)r.n;
	*rows = arena_array(a, struct operator_time_row, *rows_n);
	for (struct operator_time_row *row = *rows; result_next(&r); row++) {
		row->run = result_int8(&r, 0);
		row->op = result_text(&r, a);
		row->share = result_float8(&r, NAN);
		row->headroom = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}

bool query_run_operator_times(struct db *db, struct arena *a,
	const int64_t *runs, uint32_t n, struct run_operator_time **rows,
	uint32_t *rows_n, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, operator, sum(total_ns)::bigint, "
		"sum(launches)::bigint "
		"FROM run_operator "
		"WHERE run_id = ANY ($1) AND NOT collective "
		"GROUP BY operator, run_id "
		"ORDER BY operator, run_id";
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	sql_int8s(&p, &ids, runs, n);
	bool ok = sql_run(db, sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	*rows_n = (uint32_t)r.n;
	*rows = arena_array(a, struct run_operator_time, *rows_n);
	for (struct run_operator_time *row = *rows; result_next(&r); row++) {
		row->run = result_int8(&r, 0);
		row->name = result_text(&r, a);
		row->total_ns = result_int8(&r, 0);
		row->launches = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

#define UNATTRIBUTED_COLUMNS "k.id, k.name, k.short_name, k.family, "

static const char unattributed_of_run[] =
	"SELECT " UNATTRIBUTED_COLUMNS "u.launches, u.total_ns, 1::bigint "
	"FROM run_unattributed u JOIN kernel k ON k.id = u.kernel_id "
	"WHERE u.run_id = $1 "
	"ORDER BY u.rank LIMIT $2";

/* $1 is 0. The deltas that are not folded in yet are added. */
static const char unattributed_of_all[] =
	"SELECT " UNATTRIBUTED_COLUMNS "u.launches, u.total_ns, u.runs "
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
	if (!sql_run(db, run ? unattributed_of_run : unattributed_of_all, &p,
		    &r, e))
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
		u->names = 1;
	}
	result_release(&r);
	return true;
}

static const char unattributed_runs[] =
	"SELECT k.set_of, count(DISTINCT u.run_id) "
	"FROM unnest($1::bigint[], $2::bigint[]) AS k (kernel_id, set_of) "
	"JOIN run_unattributed u USING (kernel_id) "
	"JOIN run r USING (run_id) "
	"WHERE r.counted "
	"GROUP BY k.set_of";

bool query_unattributed_runs(struct db *db, const int64_t *kernels,
	const uint32_t *set_of, uint32_t n, int64_t *runs, uint32_t sets,
	struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array of[2];
	struct result r;

	for (int i = 0; i < 2; i++)
		sql_array_init(&of[i], SQL_INT8);
	for (uint32_t i = 0; i < n; i++) {
		sql_array_int8(&of[0], kernels[i]);
		sql_array_int8(&of[1], set_of[i]);
	}
	for (int i = 0; i < 2; i++)
		sql_array(&p, &of[i]);
	memset(runs, 0, sets * sizeof *runs);
	bool ok = sql_run(db, unattributed_runs, &p, &r, e);
	for (int i = 0; i < 2; i++)
		sql_array_release(&of[i]);
	while (ok && result_next(&r)) {
		int64_t set = result_int8(&r, 0), is = result_int8(&r, 0);
		if (set >= 0 && set < sets)
			runs[set] = is;
	}
	if (ok)
		result_release(&r);
	return ok;
}
