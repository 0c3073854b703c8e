/* query_search.c - finds runs, jobs, workloads, commits and kernels by words, and lists
 * the values of a filter. */
#include "query_search.h"
#include "sql.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- The first column of each statement is the number of all rows. $1 project,
 * $2 words, $3 the text as it was entered, $4 limit, $5 the longest word, $6 its
 * pattern. The longest word alone excludes most rows: for 50,000 names this took less
 * than half of the time that all words took. */

static void *search_rows(struct db *db, const char *sql,
	const struct sql_params *p, sql_row *read, size_t size, struct arena *a,
	struct search_count *count, struct err *e)
{
	struct result r;
	if (!sql_run(db, sql, p, &r, e))
		return NULL;
	char *rows = arena_alloc(a, (size_t)r.n, size);
	*count = (struct search_count){ 0 };
	while (result_next(&r)) {
		count->all = result_int8(&r, 0);
		read(&r, a, rows + count->n++ * size);
	}
	result_release(&r);
	return rows;
}

static void search_read_run(struct result *r, struct arena *a, void *row)
{
	struct search_run *run = row;
	run->id = result_int8(r, 0);
	run->created = result_moment(r);
	run->name = result_text(r, a);
	run->project = result_text(r, a);
	run->workload = result_text(r, a);
	run->commit = result_text(r, a);
	run->host = result_text(r, a);
}

/* Finds the newest DB_COUNTED_MAX + 1 runs, because most runs may match. $7 the id that
 * was entered, or NULL; $8 DB_COUNTED_MAX + 1 */
static const char search_runs_sql[] =
	"WITH found AS ("
	"SELECT run_id FROM run "
	"WHERE ($1 IS NULL OR project = $1) "
	"AND ($6 IS NULL OR " RUN_TEXT " LIKE $6) "
	"AND (($6 IS NOT NULL AND cardinality($2) = 1) "
	"OR has_words(" RUN_TEXT ", $2)) "
	"ORDER BY created_at DESC, run_id DESC LIMIT $8), "
	"hit AS (SELECT run_id FROM found UNION "
	"SELECT run_id FROM run "
	"WHERE run_id = $7 AND ($1 IS NULL OR project = $1)) "
	"SELECT count(*) OVER (), r.run_id, r.created_at, r.name, r.project, "
	"r.workload, r.labels ->> 'commit', r.host "
	"FROM hit JOIN run r ON r.run_id = hit.run_id "
	"ORDER BY r.run_id IS NOT DISTINCT FROM $7 DESC, "
	"r.created_at DESC, r.run_id DESC LIMIT $4";

static void search_read_job(struct result *r, struct arena *a, void *row)
{
	struct search_job *j = row;
	j->id = result_int8(r, 0);
	j->created = result_moment(r);
	j->upload = result_int8(r, -1);
	j->project = result_text(r, a);
	j->name = result_text(r, a);
}

/* A job whose runs are deleted is not listed. */
static const char search_jobs_sql[] =
	"SELECT count(*) OVER (), j.id, j.created_at, "
	"nullif(j.upload_id, 0), j.project, nullif(j.name, '') "
	"FROM job j "
	"CROSS JOIN LATERAL concat_ws(E'\\n', j.name, j.project) AS texts "
	"WHERE ($1 IS NULL OR j.project = $1) "
	"AND (j.id::text = $3 OR (strpos(lower(texts COLLATE \"C\"), $5) > 0 "
	"AND has_words(texts, $2))) "
	"AND EXISTS (SELECT FROM run r WHERE r.job_id = j.id) "
	"ORDER BY (j.id::text = $3) DESC, j.id DESC LIMIT $4";

static void search_read_workload(struct result *r, struct arena *a, void *row)
{
	struct workload_row *w = row;
	w->project = result_text(r, a);
	w->workload = result_text(r, a);
	w->runs = result_int8(r, 0);
	w->first = result_moment(r);
	w->last = result_moment(r);
	w->newest = result_int8(r, 0);
}

static const char search_workloads_sql[] =
	"SELECT count(*) OVER (), w.project, w.workload, w.runs, w.first, "
	"w.last, w.newest FROM ("
	"SELECT project, workload, count(*) AS runs, min(created_at) AS first, "
	"max(created_at) AS last, max(run_id) AS newest FROM run "
	"WHERE ($1 IS NULL OR project = $1) "
	"GROUP BY project, workload) w "
	"WHERE has_words(concat_ws(E'\\n', w.project, w.workload), $2) "
	"ORDER BY w.newest DESC LIMIT $4";

static void search_read_commit(struct result *r, struct arena *a, void *row)
{
	struct search_commit *c = row;
	c->project = result_text(r, a);
	c->commit = result_text(r, a);
	c->runs = result_int8(r, 0);
	c->last = result_moment(r);
}

static const char search_commits_sql[] =
	"SELECT count(*) OVER (), c.project, c.commit, c.runs, c.last FROM ("
	"SELECT project, labels ->> 'commit' AS commit, count(*) AS runs, "
	"max(created_at) AS last FROM run "
	"WHERE ($1 IS NULL OR project = $1) AND labels ? 'commit' "
	"AND strpos(lower((labels ->> 'commit') COLLATE \"C\"), $5) > 0 "
	"GROUP BY 1, 2) c "
	"WHERE has_words(c.commit, $2) "
	"ORDER BY c.last DESC, c.commit LIMIT $4";

static void search_read_kernel(struct result *r, struct arena *a, void *row)
{
	struct search_kernel *k = row;
	k->kernel = result_int8(r, 0);
	k->name = result_text(r, a);
	k->run = result_int8(r, 0);
	k->project = result_text(r, a);
	k->workload = result_text(r, a);
}

/* The newest names that match: $7 SEARCH_KERNELS + 1 of them. */
static const char search_names_sql[] =
	"SELECT array_agg(h.id) FROM ("
	"SELECT id FROM kernel "
	"WHERE strpos(lower(name COLLATE \"C\"), $5) > 0 AND has_words(name, $2) "
	"ORDER BY id DESC LIMIT $7) h";

/* $7 their ids, $8 SEARCH_KERNEL_RUNS */
static const char search_kernels_sql[] =
	"SELECT count(*) OVER (), k.id, k.name, l.run_id, l.project, "
	"l.workload FROM kernel k "
	"CROSS JOIN LATERAL (SELECT r.run_id, r.project, r.workload FROM "
	"(SELECT s.run_id FROM run_kernel s WHERE s.kernel_id = k.id "
	"AND s.split = 0 ORDER BY s.run_id DESC LIMIT $8) s "
	"JOIN run r ON r.run_id = s.run_id "
	"WHERE ($1 IS NULL OR r.project = $1) "
	"ORDER BY r.run_id DESC LIMIT 1) l "
	"WHERE k.id = ANY ($7) "
	"ORDER BY has_words(k.short_name, $2) DESC, l.run_id DESC, k.name "
	"LIMIT $4";

/* The parameters of all statements, which the caller's words belong to. */
static void search_params(struct sql_params *p, struct arena *a,
	const struct search_filter *f, struct sql_array *words)
{
	const char *longest = f->words[0];
	sql_array_init(words, SQL_TEXT);
	for (uint32_t i = 0; i < f->words_n; i++) {
		sql_array_text(words, f->words[i]);
		if (strlen(f->words[i]) > strlen(longest))
			longest = f->words[i];
	}
	sql_text(p, f->project);
	sql_array(p, words);
	sql_text(p, f->q);
	sql_int8(p, f->limit);
	sql_text(p, longest);
	sql_like(p, a, longest);
}

static bool search_kernel_names(struct db *db, struct arena *a,
	const struct search_filter *f, struct sql_array *ids, bool *more,
	struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array words;
	struct result r;
	uint32_t n = 0;
	search_params(&p, a, f, &words);
	sql_int8(&p, SEARCH_KERNELS + 1);
	const bool ok = sql_run(db, search_names_sql, &p, &r, e);
	sql_array_release(&words);
	if (!ok)
		return false;
	result_next(&r);
	const int64_t *found = result_int8s(&r, a, &n);
	result_release(&r);
	*more = n > SEARCH_KERNELS;
	for (uint32_t i = 0; i < n && i < SEARCH_KERNELS; i++)
		sql_array_int8(ids, found[i]);
	return true;
}

static bool search_kernels(struct db *db, struct arena *a,
	const struct search_filter *f, struct search *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array words, ids;
	sql_array_init(&ids, SQL_INT8);
	search_params(&p, a, f, &words);
	bool ok = search_kernel_names(db, a, f, &ids, &out->kernels_more, e);
	if (ok) {
		sql_array(&p, &ids);
		sql_int8(&p, SEARCH_KERNEL_RUNS);
		out->kernels = search_rows(db, search_kernels_sql, &p,
			search_read_kernel, sizeof *out->kernels, a,
			&out->kernels_of, e);
		ok = out->kernels;
	}
	sql_array_release(&ids);
	sql_array_release(&words);
	return ok;
}

static bool search_runs(struct db *db, struct arena *a,
	const struct search_filter *f, struct search *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array words;
	char *end;
	errno = 0;
	long long id = strtoll(f->q, &end, 10);
	search_params(&p, a, f, &words);
	sql_int8_known(&p, *f->q && !*end && !errno ? id : -1);
	sql_int8(&p, DB_COUNTED_MAX + 1);
	out->runs = search_rows(db, search_runs_sql, &p, search_read_run,
		sizeof *out->runs, a, &out->runs_of, e);
	sql_array_release(&words);
	out->runs_more = out->runs_of.all > DB_COUNTED_MAX;
	if (out->runs_more)
		out->runs_of.all = DB_COUNTED_MAX;
	return out->runs;
}

bool query_search(struct db *db, struct arena *a, const struct search_filter *f,
	struct search *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array words;
	search_params(&p, a, f, &words);
#define SEARCH_LIST(list, row)                                     \
	(out->list = search_rows(db, search_##list##_sql, &p, row, \
		 sizeof *out->list, a, &out->list##_of, e))
	const bool ok = search_runs(db, a, f, out, e) &&
			SEARCH_LIST(jobs, search_read_job) &&
			SEARCH_LIST(workloads, search_read_workload) &&
			SEARCH_LIST(commits, search_read_commit) &&
			search_kernels(db, a, f, out, e);
#undef SEARCH_LIST
	sql_array_release(&words);
	return ok;
}

/* ---- values. $1 project, $2 text, $3 limit */

static void search_read_value(struct result *r, struct arena *a, void *row)
{
	struct value_row *v = row;
	v->value = result_text(r, a);
	v->runs = result_int8(r, 0);
}

/* `value` of the rows of run r and of what `from` adds to them. */
#define SEARCH_VALUES(value, from)                                        \
	"SELECT count(*) OVER (), x.v, count(*) FROM ("                   \
	"SELECT " value " AS v FROM run r " from                          \
	"WHERE ($1 IS NULL OR r.project = $1)) x "                        \
	"WHERE x.v <> '' AND ($2 IS NULL OR "                             \
	"strpos(lower(x.v COLLATE \"C\"), lower($2 COLLATE \"C\")) > 0) " \
	"GROUP BY x.v "                                                   \
	"ORDER BY $2 IS NULL OR "                                         \
	"strpos(lower(x.v COLLATE \"C\"), lower($2 COLLATE \"C\")) = 1 "  \
	"DESC, count(*) DESC, x.v LIMIT $3"

static const char *const search_values_sql[] = {
	[VALUE_PROJECT] = SEARCH_VALUES("r.project", ""),
	[VALUE_WORKLOAD] = SEARCH_VALUES("r.workload", ""),
	[VALUE_DEVICE] = SEARCH_VALUES("d.name",
		"CROSS JOIN LATERAL unnest(r.device_names) AS d (name) "),
	[VALUE_FRAMEWORK] = SEARCH_VALUES("r.framework", ""),
	[VALUE_LABEL] = SEARCH_VALUES("l.key || '=' || l.value",
		"CROSS JOIN LATERAL jsonb_each_text(r.labels) l "),
};

bool query_values(struct db *db, struct arena *a, const struct value_filter *f,
	struct value_row **rows, struct search_count *count, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, f->project);
	sql_text(&p, f->q);
	sql_int8(&p, f->limit);
	*rows = search_rows(db, search_values_sql[f->of], &p, search_read_value,
		sizeof **rows, a, count, e);
	return *rows;
}
