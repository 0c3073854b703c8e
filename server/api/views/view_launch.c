/* view_launch.c - graph replays, launch latency and callers as JSON. */
#include "cell.h"
#include "profile_word.h"
#include "view.h"

json_t *view_graph(const struct graph_stat *g)
{
	json_t *v = json_pack("{s:o, s:o, s:o}", "graph_id",
		view_whole(g->graph_id), "graph_exec",
		view_whole(g->graph_exec), "device", view_whole(g->device));
	json_object_update_new(v, view_times(&g->time));
	return v;
}

static void real(json_t *v, const char *what, const char *field, double x)
{
	char key[40];
	snprintf(key, sizeof key, "%s_%s", what, field);
	json_object_set_new(v, key, view_real(x));
}

static void whole(json_t *v, const char *what, const char *field, int64_t x)
{
	char key[40];
	snprintf(key, sizeof key, "%s_%s", what, field);
	json_object_set_new(v, key, view_whole(x));
}

static void spread(json_t *v, const char *what, const struct spread *s)
{
	real(v, what, "avg_ns", s->avg_ns);
	real(v, what, "med_ns", s->med_ns);
	whole(v, what, "min_ns", s->min_ns);
	whole(v, what, "max_ns", s->max_ns);
	real(v, what, "stddev_ns", s->stddev_ns);
}

json_t *view_launch(const struct launch_line *l)
{
	const struct launch_stat *s = &l->stat;
	json_t *v = json_pack("{s:o, s:s, s:s, s:o, s:o, s:s, s:o, s:o}",
		"kernel", view_whole(l->kernel), "name", l->name, "short_name",
		l->short_name, "thread",
		view_text(*s->thread ? s->thread : NULL), "device",
		view_whole(s->device), "api", s->api, "instances",
		view_whole(s->instances), "queued", view_whole(s->queued));
	spread(v, "total", &s->total);
	spread(v, "api", &s->api_call);
	spread(v, "queue", &s->queue);
	spread(v, "kernel", &s->kernel_run);
	return v;
}

json_t *view_caller(const struct caller_line *c, double share_pct)
{
	json_t *path = json_array();
	for (uint32_t i = 0; i < c->path_n; i++)
		view_append(path, json_pack("{s:s, s:s}", "kind",
					  profile_word_frame[c->path[i].kind],
					  "name", c->path[i].name));
	return json_pack("{s:s, s:o, s:b, s:o, s:o, s:o}", "known",
		profile_word_known[c->known], "path", path, "path_cut", c->cut,
		"launches", view_whole(c->launches), "total_ns",
		view_whole(c->total_ns), "share_pct", view_real(share_pct));
}

json_t *view_callers(int64_t kernel, const struct caller_table *t, json_t *list)
{
	json_t *v = json_pack("{s:{s:o, s:s, s:s}, s:o, s:o}", "kernel", "id",
		view_whole(kernel), "name", t->kernel.name, "short_name",
		t->kernel.short_name, "launches", view_whole(t->launches),
		"total_ns", view_whole(t->total_ns));
	json_object_update_new(v, list);
	return v;
}

#define TIMES(letter)                                                     \
	{ letter "Avg (ns)", true }, { letter "Med (ns)", true },         \
		{ letter "Min (ns)", true }, { letter "Max (ns)", true }, \
	{                                                                 \
		letter "StdDev (ns)", true                                \
	}

/* Those of nsys' cuda_kern_exec_sum. */
static const struct column launch_columns[] = { { "PID", true },
	{ "TID", true }, { "DevId", true }, { "Count", true },
	{ "QCount", true }, TIMES("T"), TIMES("A"), TIMES("Q"), TIMES("K"),
	{ "API Name", false }, { "Kernel Name", false } };

static const char **times(struct arena *a, const char **at,
	const struct spread *s)
{
	*at++ = cell_real(a, s->avg_ns);
	*at++ = cell_real(a, s->med_ns);
	*at++ = cell_whole(a, s->min_ns);
	*at++ = cell_whole(a, s->max_ns);
	*at++ = cell_real(a, s->stddev_ns);
	return at;
}

const struct table *view_launch_table(struct arena *a, int64_t pid,
	const struct launch_line *rows, uint32_t n)
{
	const char **at;
	struct table *t = cell_table(a, CELL_COLUMNS(launch_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		const struct launch_stat *s = &rows[i].stat;
		*at++ = cell_whole(a, pid);
		*at++ = s->thread;
		*at++ = cell_whole(a, s->device);
		*at++ = cell_whole(a, s->instances);
		*at++ = cell_whole(a, s->queued);
		at = times(a, at, &s->total);
		at = times(a, at, &s->api_call);
		at = times(a, at, &s->queue);
		at = times(a, at, &s->kernel_run);
		*at++ = s->api;
		*at++ = rows[i].name;
	}
	return t;
}
