/* view_kernel.c - kernels, copies, graph replays, launches and callers. */
#include "profile_word.h"
#include "table.h"
#include "view.h"

static json_t *view_kernel_three(const int32_t v[3])
{
	return v[0] < 0 ? json_null()
			: json_pack("[i, i, i]", v[0], v[1], v[2]);
}

/* `told` is the path that a table of statistics had for the kernel. */
static json_t *view_kernel_source(const struct kernel_source *s,
	const char *told)
{
	if (!s->defined_in && !s->launched_from && !told)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "defined_in",
		view_text(s->defined_in), "launched_from",
		view_text(s->launched_from), "known_from",
		view_text(s->known_from), "table_path", view_text(told));
}

json_t *view_times(const struct time_stats *t)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"instances", view_whole(t->instances), "total_ns",
		view_whole(t->total_ns), "mean_ns", view_real(t->avg_ns),
		"median_ns", view_real(t->med_ns), "min_ns",
		view_whole(t->min_ns), "max_ns", view_whole(t->max_ns),
		"stddev_ns", view_real(t->stddev_ns), "p90_ns",
		view_real(t->p90_ns), "p99_ns", view_real(t->p99_ns));
}

json_t *view_kernel(const struct kernel_line *k)
{
	json_t *v = json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
		"id", view_whole(k->kernel), "name", k->is.name, "short_name",
		k->is.short_name, "family", view_text(k->is.source.family),
		"operator", view_text(k->is.op), "device",
		view_whole(k->stat.device), "grid",
		view_kernel_three(k->stat.grid), "block",
		view_kernel_three(k->stat.block), "time_pct",
		view_real(k->stat.time_pct));
	json_object_update_new(v, view_times(&k->stat.time));
	json_object_set_new(v, "source",
		view_kernel_source(&k->is.source, k->stat.told_source));
	return v;
}

json_t *view_copy(const struct copy_stat *s)
{
	json_t *v = json_pack("{s:s, s:o, s:o}", "operation", s->operation,
		"device", view_whole(s->device), "time_pct",
		view_real(s->time_pct));
	json_object_update_new(v, view_times(&s->time));
	json_object_set_new(v, "bytes", view_whole(s->bytes));
	json_object_set_new(v, "sized", view_whole(s->sized));
	return v;
}

/* ---- graph replays, launches, callers */

json_t *view_graph(const struct graph_stat *g)
{
	json_t *v = json_pack("{s:o, s:o, s:o}", "graph_id",
		view_whole(g->graph_id), "graph_exec",
		view_whole(g->graph_exec), "device", view_whole(g->device));
	json_object_update_new(v, view_times(&g->time));
	return v;
}

static void view_kernel_launch_real(json_t *v, const char *what,
	const char *field, double x)
{
	char key[40];
	snprintf(key, sizeof key, "%s_%s", what, field);
	json_object_set_new(v, key, view_real(x));
}

static void view_kernel_launch_whole(json_t *v, const char *what,
	const char *field, int64_t x)
{
	char key[40];
	snprintf(key, sizeof key, "%s_%s", what, field);
	json_object_set_new(v, key, view_whole(x));
}

static void view_kernel_launch_spread(json_t *v, const char *what,
	const struct spread *s)
{
	view_kernel_launch_real(v, what, "mean_ns", s->avg_ns);
	view_kernel_launch_real(v, what, "median_ns", s->med_ns);
	view_kernel_launch_whole(v, what, "min_ns", s->min_ns);
	view_kernel_launch_whole(v, what, "max_ns", s->max_ns);
	view_kernel_launch_real(v, what, "stddev_ns", s->stddev_ns);
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
	view_kernel_launch_spread(v, "total", &s->total);
	view_kernel_launch_spread(v, "api", &s->api_call);
	view_kernel_launch_spread(v, "queue", &s->queue);
	view_kernel_launch_spread(v, "kernel", &s->kernel_run);
	return v;
}

json_t *view_caller(const struct caller_line *c, double share_pct)
{
	json_t *path = json_array();
	for (uint32_t i = 0; i < c->path_n; i++)
		view_append(path, json_pack("{s:s, s:s}", "kind",
					  profile_word_frame[c->path[i].kind],
					  "name", c->path[i].name));
	return json_pack("{s:s, s:o, s:b, s:o, s:o, s:o}", "found_by",
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

static const char **view_kernel_launch_times(struct arena *a, const char **at,
	const struct spread *s)
{
	*at++ = table_real(a, s->avg_ns);
	*at++ = table_real(a, s->med_ns);
	*at++ = table_whole(a, s->min_ns);
	*at++ = table_whole(a, s->max_ns);
	*at++ = table_real(a, s->stddev_ns);
	return at;
}

const struct table *view_launch_table(struct arena *a, int64_t pid,
	const struct launch_line *rows, uint32_t n)
{
	const char **at;
	struct table *t = table_new(a, TABLE_COLUMNS(launch_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		const struct launch_stat *s = &rows[i].stat;
		*at++ = table_whole(a, pid);
		*at++ = s->thread;
		*at++ = table_whole(a, s->device);
		*at++ = table_whole(a, s->instances);
		*at++ = table_whole(a, s->queued);
		at = view_kernel_launch_times(a, at, &s->total);
		at = view_kernel_launch_times(a, at, &s->api_call);
		at = view_kernel_launch_times(a, at, &s->queue);
		at = view_kernel_launch_times(a, at, &s->kernel_run);
		*at++ = s->api;
		*at++ = rows[i].name;
	}
	return t;
}

/* ---- tables as nsys prints them */

static const struct column kernel_columns[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Instances", true },
	{ "Avg (ns)", true }, { "Med (ns)", true }, { "Min (ns)", true },
	{ "Max (ns)", true }, { "StdDev (ns)", true }, { "Name", false } };

static const struct column kernel_device_columns[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Instances", true },
	{ "Avg (ns)", true }, { "Med (ns)", true }, { "Min (ns)", true },
	{ "Max (ns)", true }, { "StdDev (ns)", true }, { "Device", true },
	{ "Name", false } };

static const struct column kernel_grid_columns[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Instances", true },
	{ "Avg (ns)", true }, { "Med (ns)", true }, { "Min (ns)", true },
	{ "Max (ns)", true }, { "StdDev (ns)", true }, { "GridXYZ", true },
	{ "BlockXYZ", true }, { "Name", false } };

static const struct column copy_columns[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Count", true }, { "Avg (ns)", true },
	{ "Med (ns)", true }, { "Min (ns)", true }, { "Max (ns)", true },
	{ "StdDev (ns)", true }, { "Operation", false } };

static const struct column copy_device_columns[] = { { "Time (%)", true },
	{ "Total Time (ns)", true }, { "Count", true }, { "Avg (ns)", true },
	{ "Med (ns)", true }, { "Min (ns)", true }, { "Max (ns)", true },
	{ "StdDev (ns)", true }, { "Device", true }, { "Operation", false } };

/* The eight cells every row begins with; returns where the next one goes. */
static const char **view_kernel_table_times(struct arena *a, const char **at,
	const struct time_stats *t, double pct)
{
	*at++ = table_real(a, pct);
	*at++ = table_whole(a, t->total_ns);
	*at++ = table_whole(a, t->instances);
	*at++ = table_real(a, t->avg_ns);
	*at++ = table_real(a, t->med_ns);
	*at++ = table_whole(a, t->min_ns);
	*at++ = table_whole(a, t->max_ns);
	*at++ = table_real(a, t->stddev_ns);
	return at;
}

static const char *view_kernel_table_three(struct arena *a, const int32_t v[3])
{
	if (v[0] < 0)
		return "";
	return arena_printf(a, "%4d %4d %4d", v[0], v[1], v[2]);
}

const struct table *view_kernel_table(struct arena *a,
	const struct kernel_line *rows, uint32_t n, enum split split)
{
	const char **at;
	struct table *t =
		split == SPLIT_DEVICE
			? table_new(a, TABLE_COLUMNS(kernel_device_columns), n,
				  &at)
		: split == SPLIT_GRID
			? table_new(a, TABLE_COLUMNS(kernel_grid_columns), n,
				  &at)
			: table_new(a, TABLE_COLUMNS(kernel_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		const struct kernel_stat *s = &rows[i].stat;
		at = view_kernel_table_times(a, at, &s->time, s->time_pct);
		if (split == SPLIT_DEVICE)
			*at++ = table_whole(a, s->device);
		if (split == SPLIT_GRID) {
			*at++ = view_kernel_table_three(a, s->grid);
			*at++ = view_kernel_table_three(a, s->block);
		}
		*at++ = rows[i].is.name;
	}
	return t;
}

const struct table *view_copy_table(struct arena *a,
	const struct copy_stat *rows, uint32_t n, enum split split)
{
	const char **at;
	struct table *t =
		split == SPLIT_DEVICE
			? table_new(a, TABLE_COLUMNS(copy_device_columns), n,
				  &at)
			: table_new(a, TABLE_COLUMNS(copy_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		at = view_kernel_table_times(a, at, &rows[i].time,
			rows[i].time_pct);
		if (split == SPLIT_DEVICE)
			*at++ = table_whole(a, rows[i].device);
		*at++ = rows[i].operation;
	}
	return t;
}
