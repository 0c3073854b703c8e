/* query_run.c - runs: a filtered page of them, or one. */
#include "query.h"
#include "sql.h"

#define COLUMNS                                                           \
	"SELECT run_id, upload_id, ordinal, name, project, workload, "    \
	"job, labels::text, format, framework, process_name, host, "      \
	"pid, started_utc_ns, rank, world_size, device_names, span_ns, "  \
	"busy_ns, kernel_ns, launches, kernels, copy_ns, copies, notes, " \
	"worst_note, analysis_version, created_at, content, graph_ns, "   \
	"graphs, job_id, cycle_detector, cycle_confidence, "              \
	"cycle_range, cycles, cycles_kept, cycle_ns "                     \
	"FROM run "

static void read_row(struct result *r, struct arena *a, struct run_row *run)
{
	run->id = result_int8(r, 0);
	run->upload = result_int8(r, 0);
	run->ordinal = result_int4(r, 0);
	run->name = result_text(r, a);
	run->project = result_text(r, a);
	run->workload = result_text(r, a);
	run->job = result_text(r, a);
	run->labels = result_text(r, a);
	run->format = result_text(r, a);
	run->framework = result_text(r, a);
	run->process_name = result_text(r, a);
	run->host = result_text(r, a);
	run->pid = result_int8(r, -1);
	run->started_utc_ns = result_int8(r, -1);
	run->rank = result_int4(r, -1);
	run->world_size = result_int4(r, -1);
	run->device_names = result_texts(r, a, &run->device_names_n);
	run->span_ns = result_int8(r, -1);
	run->busy_ns = result_int8(r, -1);
	run->kernel_ns = result_int8(r, 0);
	run->launches = result_int8(r, 0);
	run->kernels = result_int8(r, 0);
	run->copy_ns = result_int8(r, 0);
	run->copies = result_int8(r, 0);
	run->notes = result_int4(r, 0);
	run->worst = result_text(r, a);
	run->analysis_version = result_int4(r, 0);
	run->created = result_moment(r);
	run->content = result_text(r, a);
	run->graph_ns = result_int8(r, 0);
	run->graphs = result_int8(r, 0);
	run->job_id = result_int8(r, 0);
	run->cycle_detector = result_text(r, a);
	run->cycle_confidence = result_float8(r, 0);
	run->cycle_range = result_text(r, a);
	run->cycles = result_int4(r, 0);
	run->cycles_kept = result_int4(r, 0);
	run->cycle_ns = result_float8(r, NAN);
}

/* Planned with the values at hand, so that a filter not given costs nothing
 * and each order runs along its index. */
#define PAGE(after, order)                                             \
	COLUMNS "WHERE ($1 IS NULL OR project = $1) "                  \
		"AND ($2 IS NULL OR workload = $2) "                   \
		"AND ($3 IS NULL OR framework = $3) "                  \
		"AND ($4 IS NULL OR $4 = ANY (device_names)) "         \
		"AND ($5 IS NULL OR strpos(lower(concat_ws(E'\\n', "   \
		"name, project, workload, job, process_name, host)), " \
		"lower($5)) > 0) "                                     \
		"AND ($6 IS NULL OR labels @> $6) "                    \
		"AND ($7 = 0 OR upload_id = $7) "                      \
		"AND ($8 IS NULL OR created_at >= $8) "                \
		"AND ($9 IS NULL OR created_at < $9) "                 \
		"AND ($13 IS NULL OR content = $13) "                  \
		"AND ($14 = 0 OR job_id = $14) "                       \
		"AND ($10 = 0 OR " after ") "                          \
		"ORDER BY " order " LIMIT $12"

static const char *const pages[] = {
	[RUN_NEWEST] = PAGE("(created_at, run_id) < ($11, $10)",
		"created_at DESC, run_id DESC"),
	[RUN_OLDEST] =
		PAGE("(created_at, run_id) > ($11, $10)", "created_at, run_id"),
	[RUN_BUSY] = PAGE("(coalesce(busy_ns, -1), run_id) < ($11, $10)",
		"coalesce(busy_ns, -1) DESC, run_id DESC"),
	[RUN_SPAN] = PAGE("(coalesce(span_ns, -1), run_id) < ($11, $10)",
		"coalesce(span_ns, -1) DESC, run_id DESC"),
	[RUN_LAUNCHES] = PAGE("(launches, run_id) < ($11, $10)",
		"launches DESC, run_id DESC"),
};

bool query_runs(struct db *db, struct arena *a, const struct run_filter *f,
	struct run_row **rows, uint32_t *n, bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, f->project);
	sql_text(&p, f->workload);
	sql_text(&p, f->framework);
	sql_text(&p, f->device);
	sql_text(&p, f->q);
	sql_json(&p, f->labels);
	sql_int8(&p, f->upload);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_int8(&p, f->after);
	if (f->sort == RUN_NEWEST || f->sort == RUN_OLDEST)
		sql_moment(&p, f->after_key);
	else
		sql_int8(&p, f->after_key);
	sql_int8(&p, f->limit + INT64_C(1));
	sql_text(&p, f->content);
	sql_int8(&p, f->job);
	if (!sql_run(db, pages[f->sort], &p, &r, e))
		return false;
	*more = r.n > f->limit;
	*n = (uint32_t)(*more ? f->limit : r.n);
	*rows = arena_array(a, struct run_row, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++)
		read_row(&r, a, &(*rows)[i]);
	result_release(&r);
	return true;
}

bool query_run(struct db *db, struct arena *a, int64_t id, struct run_row *row,
	struct err *e)
{
	static const char sql[] = COLUMNS "WHERE run_id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		read_row(&r, a, row);
	result_release(&r);
	return there || err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)id);
}
