/* query_compared.c - runs with all that they are compared by.
 *
 * One snapshot: a rebuild in between would leave halves of two. */
#include "query_compared.h"
#include "compared_read.h"
#include "read_time.h"
#include "column.h"

enum { MIB = 1 << 20 };

struct asked {
	struct arena *arena;
	const int64_t *ids;
	uint32_t n;
	bool heavy;
	struct compared_run *out;
};

/* How many ids there are changes no plan, so that none is made twice. */
bool compared_snapshot(struct db *db, struct err *e)
{
	return sql_script(db,
		"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;"
		"SET LOCAL plan_cache_mode = force_generic_plan",
		e);
}

static const char runs_sql[] =
	"SELECT r.run_id, r.upload_id, r.job_id, r.name, r.project, "
	"r.workload, r.labels::text, r.format, r.framework, r.process_name, "
	"r.host, r.content, r.pid, r.rank, r.world_size, r.started_utc_ns, "
	"r.analysis_version, "
	"r.span_ns, r.busy_ns, r.kernel_ns, r.launches, r.graph_ns, r.graphs, "
	"r.device_names, r.cycle_detector, r.cycle_confidence, r.cycle_range, "
	"r.cycles_kept, r.cycles * $2::bigint "
	"+ CASE WHEN $3 THEN coalesce(8 * a.told, 0) ELSE 0 END "
	"FROM run r "
	"LEFT JOIN run_axis a ON a.run_id = r.run_id "
	"WHERE r.run_id = ANY ($1) "
	"ORDER BY r.run_id";

static void read_run(struct result *r, struct arena *a, struct compared_run *c)
{
	c->upload = result_int8(r, 0);
	c->job = result_int8(r, 0);
	c->name = result_text(r, a);
	c->project = result_text(r, a);
	c->workload = result_text(r, a);
	c->labels = result_text(r, a);
	c->format = result_text(r, a);
	c->framework = result_text(r, a);
	c->process_name = result_text(r, a);
	c->host = result_text(r, a);
	c->content =
		(enum content)read_word(r, a, profile_word_content, CONTENTS);
	c->pid = result_int8(r, -1);
	c->rank = result_int4(r, -1);
	c->world_size = result_int4(r, -1);
	c->started_utc_ns = result_int8(r, -1);
	c->analysis_version = result_int4(r, 0);
	c->span_ns = result_int8(r, -1);
	c->busy_ns = result_int8(r, -1);
	c->kernel_ns = result_int8(r, 0);
	c->launches = result_int8(r, 0);
	c->graph_ns = result_int8(r, 0);
	c->graphs = result_int8(r, 0);
	c->device_names = result_texts(r, a, &c->device_names_n);
	c->cycles.detector = (enum cycle_detector)read_word(r, a,
		profile_word_detector, CYCLE_DETECTORS);
	c->cycles.confidence = result_float8(r, 0);
	c->cycles.range = result_text(r, a);
	c->cycles.kept_n = (uint32_t)result_int4(r, 0);
}

/* Those that are there, and what all of it would take. */
static bool read_runs(struct compared_read *c, bool heavy, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	int64_t bytes = 0;
	sql_array(&p, &c->ids);
	sql_int8(&p, sizeof(struct cycle));
	sql_bool(&p, heavy);
	if (!sql_hot(c->db, runs_sql, &p, &r, e))
		return false;
	c->runs = arena_array(c->arena, struct compared_run, (size_t)r.n);
	for (c->n = 0; result_next(&r); c->n++) {
		c->runs[c->n].id = result_int8(&r, 0);
		read_run(&r, c->arena, &c->runs[c->n]);
		bytes += result_int8(&r, 0);
	}
	result_release(&r);
	return bytes <= (int64_t)QUERY_COMPARED_MIB * MIB ||
	       err_set(e, ERR_TOO_LARGE,
		       "the cycles and patterns of these runs take %lld MiB; "
		       "at "
		       "most %d MiB are compared at once: take fewer runs",
		       (long long)(bytes / MIB), QUERY_COMPARED_MIB);
}

/* A note that a newer program stored is told by the run's page alone. */
static bool read_notes(struct compared_read *c, struct err *e)
{
	static const char sql[] = "SELECT run_id, code, count, detail "
				  "FROM run_note "
				  "WHERE run_id = ANY ($1) "
				  "ORDER BY run_id, code";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (result_next(&r)) {
		struct notes *ns = &compared_run_of(c, &r)->notes;
		enum note_code code = note_from(result_text(&r, c->arena));
		int64_t count = result_int8(&r, 0);
		const char *detail = result_text(&r, c->arena);
		if (code != NOTE_CODES)
			note_add(ns, code, count, detail, strlen(detail));
	}
	result_release(&r);
	return true;
}

static bool read_facts(struct compared_read *c, struct err *e)
{
	static const char sql[] = "SELECT run_id, name, value "
				  "FROM run_fact "
				  "WHERE run_id = ANY ($1) "
				  "ORDER BY run_id, rank";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	struct fact *all = arena_array(c->arena, struct fact, (size_t)r.n);
	for (int i = 0; result_next(&r); i++) {
		struct facts *fs = &compared_run_of(c, &r)->facts;
		COMPARED_DEAL(fs->rows, fs->n, all, i);
		all[i].name = result_text(&r, c->arena);
		all[i].value = result_text(&r, c->arena);
	}
	result_release(&r);
	return true;
}

/* Where a table of statistics is all there is. */
static bool read_stats(struct compared_read *c, struct err *e)
{
	static const char sql[] =
		"SELECT s.run_id, s.name, " READ_TIME_COLUMNS " "
		"FROM kernel_line s "
		"WHERE s.run_id = ANY ($1) AND s.split = 0 "
		"AND EXISTS (SELECT FROM run r WHERE r.run_id = s.run_id "
		"AND r.content = 'statistics') "
		"ORDER BY s.run_id, s.rank";
	struct result r;
	bool any = false;
	for (uint32_t i = 0; i < c->n; i++)
		any = any || c->runs[i].content == CONTENT_STATISTICS;
	if (!any)
		return true;
	if (!compared_rows(c, sql, &r, e))
		return false;
	size_t n = (size_t)r.n;
	const char **names = arena_array(c->arena, const char *, n);
	struct time_stats *times = arena_array(c->arena, struct time_stats, n);
	for (int i = 0; result_next(&r); i++) {
		struct compared_run *run = compared_run_of(c, &r);
		if (!run->stats_n++) {
			run->stat_names = &names[i];
			run->stats = &times[i];
		}
		names[i] = result_text(&r, c->arena);
		read_time(&r, &times[i]);
	}
	result_release(&r);
	return true;
}

static const struct compared_run *find(const struct compared_read *c,
	int64_t id)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->runs[i].id == id)
			return &c->runs[i];
	return NULL;
}

static bool all_there(const struct compared_read *c, const struct asked *q,
	struct err *e)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (!find(c, q->ids[i]))
			return err_set(e, ERR_NOT_FOUND, "no run %lld",
				(long long)q->ids[i]);
	return true;
}

static bool read_all(struct db *db, void *arg, struct err *e)
{
	const struct asked *q = arg;
	struct compared_read c = { .db = db, .arena = q->arena };
	sql_array_init(&c.ids, SQL_INT8);
	for (uint32_t i = 0; i < q->n; i++)
		sql_array_int8(&c.ids, q->ids[i]);
	bool ok = compared_snapshot(db, e) && read_runs(&c, q->heavy, e) &&
		  all_there(&c, q, e) && read_notes(&c, e) &&
		  read_facts(&c, e) && read_stats(&c, e) &&
		  compared_strata(&c, e) &&
		  compared_cycles(&c, 0, INT64_MAX, e);
	if (q->heavy)
		ok = ok && compared_patterns(&c, e);
	sql_array_release(&c.ids);
	for (uint32_t i = 0; ok && i < q->n; i++)
		q->out[i] = *find(&c, q->ids[i]);
	return ok;
}

bool query_compared(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, bool heavy, struct compared_run *out, struct err *e)
{
	struct asked q = { a, runs, n, heavy, out };
	return sql_transaction(db, read_all, &q, e);
}
