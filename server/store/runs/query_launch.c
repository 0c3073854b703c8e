/* query_launch.c - how a run's kernels came to run: launches, graphs. */
#include "page.h"
#include "read_time.h"

#define SPREAD(what)                                            \
	what "_avg_ns, " what "_med_ns, " what "_min_ns, " what \
	     "_max_ns, " what "_stddev_ns"

static void read_spread(struct result *r, struct spread *s)
{
	s->avg_ns = result_float8(r, NAN);
	s->med_ns = result_float8(r, NAN);
	s->min_ns = result_int8(r, -1);
	s->max_ns = result_int8(r, -1);
	s->stddev_ns = result_float8(r, NAN);
}

static void read_launch(struct result *r, struct arena *a,
	struct launch_line *l)
{
	l->kernel = result_int8(r, 0);
	l->name = result_text(r, a);
	l->short_name = result_text(r, a);
	l->stat.thread = result_text(r, a);
	l->stat.device = result_int4(r, -1);
	l->stat.api = result_text(r, a);
	l->stat.instances = result_int8(r, 0);
	l->stat.queued = result_int8(r, 0);
	read_spread(r, &l->stat.total);
	read_spread(r, &l->stat.api_call);
	read_spread(r, &l->stat.queue);
	read_spread(r, &l->stat.kernel_run);
}

bool query_launches(struct db *db, struct arena *a,
	const struct launch_filter *f, struct launch_line **rows, uint32_t *n,
	bool *more, struct err *e)
{
	static const char sql[] = PAGE_OF(
		"rank, kernel_id, name, short_name, thread, device, api, "
		"instances, queued, " SPREAD("total") ", " SPREAD(
			"api") ", " SPREAD("queue") ", " SPREAD("kernel"),
		"octet_length(name) + octet_length(short_name) + "
		"octet_length(thread) + octet_length(api)",
		"FROM launch_line "
		"WHERE run_id = $4 AND ($5 IS NULL "
		"OR strpos(lower(name), lower($5)) > 0 "
		"OR strpos(lower(api), lower($5)) > 0)",
		"rank");
	struct sql_params p = { 0 };
	struct result r;
	page_params(&p, f->offset, f->limit);
	sql_int8(&p, f->run);
	sql_text(&p, f->q);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	int64_t on_page = 0;
	*n = page_lines(&r, f->limit);
	*rows = arena_array(a, struct launch_line, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		result_int4(&r, 0); /* rank, by which they are sorted */
		read_launch(&r, a, &(*rows)[i]);
		on_page = result_int8(&r, 0);
	}
	*more = on_page > *n;
	result_release(&r);
	return true;
}

bool query_graphs(struct db *db, struct arena *a, int64_t run,
	struct graph_stat **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT graph_id, graph_exec, device, " READ_TIME_COLUMNS " "
		"FROM run_graph "
		"WHERE run_id = $1 "
		"ORDER BY rank";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct graph_stat, *n);
	for (struct graph_stat *g = *rows; result_next(&r); g++) {
		g->graph_id = result_int8(&r, -1);
		g->graph_exec = result_int8(&r, -1);
		g->device = result_int4(&r, -1);
		read_time(&r, &g->time);
	}
	result_release(&r);
	return true;
}
