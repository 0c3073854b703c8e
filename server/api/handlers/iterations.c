/* iterations.c - the iterations of a run, and the time of functions in each of
 * them. */
#include "api_state.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "log.h"
#include "profile_word.h"
#include "reanalyze.h"
#include "query_compared.h"
#include "pattern_mean.h"
#include "run_operators.h"
#include "view.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns a page of the stored iterations. */
static bool iterations_cut(struct iterations *c, int64_t offset, int limit)
{
	int64_t from = offset < c->n ? offset : c->n;
	int64_t left = c->n - from;
	bool more = limit && left > limit;
	c->iterations += from;
	c->n = (uint32_t)(more ? limit : left);
	return more;
}

/* Returns all iterations of the ranges that the request names. */
static bool iterations_by_range(struct call *c, const char *range,
	struct iterations *out, struct iterations_short *s, struct err *e)
{
	struct compared_run run = { .id = c->id };
	if (!concurrency_limit_enter(c, e) ||
		!reanalyze_iterations(&c->s, range, &run, e))
		return false;
	*out = run.iterations;
	*s = (struct iterations_short){ profile_word_detector[out->detector],
		out->range, out->confidence, (double)NAN, out->n, out->kept_n };
	iterations_median(out, &c->s.arena, &s->median_ns);
	return true;
}

/* The utilization of a page of iterations. */
static bool iterations_utilization(struct call *c, bool stored,
	const struct iterations *page, int64_t offset,
	const struct utilization **out, struct err *e)
{
	struct iteration_works works;
	const struct catalog *catalog = call_catalog(c, e);
	const char *name;
	if (!catalog ||
		!query_run_platform(c->s.db, &c->s.arena, c->id, &name, e))
		return false;
	if (stored &&
		!query_iteration_works(c->s.db, &c->s.arena, c->id, &works, e))
		return false;
	*out = run_operators_utilization_iterations(
		name ? catalog_platform(catalog, name) : NULL,
		stored ? &works : NULL, page, offset, &c->s.arena);
	return true;
}

json_t *iterations_get(struct call *c, struct err *e)
{
	const char *range = param_text(&c->params, "range", NULL);
	struct iterations_short s;
	struct iterations iterations;
	const struct utilization *use;
	struct run_row run;
	int64_t offset;
	bool more = false;
	int limit;
	if (!listing_read(c, &offset, &limit, e) || !listing_run(c, &run, e))
		return NULL;
	s = view_run_iterations(&run);
	if (!(range ? iterations_by_range(c, range, &iterations, &s, e)
		    : query_iterations(c->s.db, &c->s.arena, c->id, offset,
			      limit, &iterations, &more, e)))
		return NULL;
	if (range)
		more = iterations_cut(&iterations, offset, limit);
	if (!iterations_utilization(c, !range, &iterations, offset, &use, e))
		return NULL;
	if (!listing_is_json(c))
		return listing_table(c,
			view_iteration_table(&c->s.arena, &iterations, use),
			"iterations");
	return listing_next(c, view_iterations(&iterations, &s, use),
		offset + iterations.n, more);
}

/* ---- functions per iteration, as CSV that is generated while it is sent */

enum { TABLES_MAX = 4, ITERATION_BYTES = 256 << 20 };

struct pattern_table {
	struct api *api;
	struct arena arena; /* contains the run and all its arrays */
	struct compared_run run;
	struct view_pattern_csv rows;
	uint32_t iteration; /* the next one to write */
	struct buf out; /* bytes from `at` on are not sent yet */
	size_t at;
};

static int64_t iterations_table_next(void *table, void *to, size_t cap)
{
	struct pattern_table *t = table;
	while (t->at == t->out.len) {
		if (t->iteration == t->run.patterns.iterations_n)
			return 0;
		t->at = t->out.len = 0;
		view_pattern_csv_iteration(&t->rows, t->iteration++, &t->out);
		if (t->out.full) {
			log_error("patterns run=%lld an iteration is too large",
				(long long)t->run.id);
			return -1;
		}
	}
	size_t n = t->out.len - t->at < cap ? t->out.len - t->at : cap;
	memcpy(to, t->out.at + t->at, n);
	t->at += n;
	return (int64_t)n;
}

static void iterations_table_free(void *table)
{
	struct pattern_table *t = table;
	atomic_fetch_sub(&t->api->tables, 1);
	arena_release(&t->arena);
	buf_release(&t->out);
	free(t);
}

static struct pattern_table *iterations_table_new(struct call *c,
	const struct run_row *row, struct err *e)
{
	struct pattern_table *t = calloc(1, sizeof *t);
	if (!t)
		abort();
	t->api = c->api;
	buf_init(&t->out, ITERATION_BYTES);
	bool ok = atomic_fetch_add(&c->api->tables, 1) < TABLES_MAX
			  ? query_compared(c->s.db, &t->arena, &c->id, 1, true,
				    &t->run, e)
			  : err_set(e, ERR_BUSY,
				    "%d pattern tables are already being "
				    "sent, the maximum; try again later",
				    TABLES_MAX);
	if (!ok) {
		iterations_table_free(t);
		return NULL;
	}
	view_pattern_csv_init(&t->rows, &t->run, row->started_utc_ns, &t->arena,
		&t->out);
	return t;
}

static json_t *iterations_pattern_table(struct call *c,
	const struct run_row *row, struct err *e)
{
	struct pattern_table *t = iterations_table_new(c, row, e);
	if (!t)
		return NULL;
	c->stream = (struct api_stream){ iterations_table_next,
		iterations_table_free, t };
	c->text_type = "text/csv; charset=utf-8";
	snprintf(c->disposition, sizeof c->disposition,
		"attachment; filename=\"run-%lld-patterns.csv\"",
		(long long)c->id);
	return NULL;
}

/* Returns a page of functions, sorted by time, largest first. */
/* The distinct names of the kernels among the rows; NULL for other functions. */
static const char **iterations_pattern_names(struct call *c,
	const struct pattern_mean *rows, uint32_t n, struct err *e)
{
	const char **names = arena_array(&c->s.arena, const char *, n);
	const char **by_row = arena_array(&c->s.arena, const char *, n);
	uint32_t kernels = 0;
	for (uint32_t i = 0; i < n; i++)
		if (view_function_is_kernel(rows[i].of->type))
			names[kernels++] = rows[i].of->name;
	const char **distinct =
		listing_distinct_names(c, c->id, names, kernels, e);
	if (!distinct)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		by_row[i] = view_function_is_kernel(rows[i].of->type)
				    ? *distinct++
				    : NULL;
	return by_row;
}

json_t *patterns_get(struct call *c, struct err *e)
{
	struct pattern_means means;
	struct compared_run run;
	struct run_row row;
	int64_t offset;
	int limit;
	if (!listing_read(c, &offset, &limit, e) || !listing_run(c, &row, e))
		return NULL;
	if (!listing_is_json(c))
		return iterations_pattern_table(c, &row, e);
	if (!concurrency_limit_enter(c, e) ||
		!query_compared(c->s.db, &c->s.arena, &c->id, 1, true, &run, e))
		return NULL;
	pattern_mean_from(&run.iterations, &run.patterns, &c->s.arena, &means);
	const char **distinct =
		iterations_pattern_names(c, means.rows, means.n, e);
	if (!distinct)
		return NULL;
	json_t *items = json_array();
	uint32_t n = 0;
	for (int64_t i = offset; i < means.n && n < (uint32_t)limit; i++, n++)
		view_append(items,
			view_pattern(&c->s.arena, &means.rows[i], distinct[i]));
	bool more = offset + n < means.n;
	json_t *v = listing_list(c, items, offset + n, more);
	view_set_whole(v, "iterations", means.iterations);
	return v;
}
