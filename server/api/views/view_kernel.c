/* view_kernel.c - kernels, copies, graph replays, launches, callers and the call
 * tree. */
#include "call_tree.h"
#include "launch_spread.h"
#include "profile_word.h"
#include "view.h"
#include <math.h>

static json_t *view_kernel_three(const int32_t v[3])
{
	return v[0] < 0 ? json_null()
			: json_pack("[i, i, i]", v[0], v[1], v[2]);
}

static const char *view_kernel_three_cell(struct arena *a, const int32_t v[3])
{
	if (v[0] < 0)
		return "";
	return arena_printf(a, "%4d %4d %4d", v[0], v[1], v[2]);
}

static json_t *view_kernel_source(const struct kernel_source *s,
	const char *table_path);
static const char *view_call_kind(const struct call_node *n);
static int64_t view_call_kernel(const struct view_call_tree *t,
	const struct call_node *n);
static json_t *view_call_kernels(const struct view_call_tree *t);
static json_t *view_call_nodes(const struct view_call_tree *t);
static json_t *view_kernel_bins(const struct launch_spread *s);
static json_t *view_kernel_slices(const struct launch_spread *s);
static json_t *view_kernel_streams(const struct launch_spread *s);

#define ROWS "kernel.def"
#include "row_functions.h"

static json_t *view_kernel_source(const struct kernel_source *s,
	const char *table_path)
{
	if (!s->defined_in && !s->launched_from && !table_path)
		return json_null();
	return row_kernel_source(s, table_path);
}

json_t *view_path(const struct frame *path, uint32_t n)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(v, row_frame(&path[i]));
	return v;
}

static json_t *view_kernel_bins(const struct launch_spread *s)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < s->bins_n; i++)
		view_append(v, row_launch_bin(&s->bins[i]));
	return v;
}

static json_t *view_kernel_slices(const struct launch_spread *s)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < s->slices_n; i++)
		view_append(v, row_launch_slice(&s->slices[i]));
	return v;
}

static json_t *view_kernel_streams(const struct launch_spread *s)
{
	enum { STREAMS = 100 };
	json_t *v = json_array();
	for (uint32_t i = 0; i < s->streams_n && i < STREAMS; i++)
		view_append(v, row_launch_stream(&s->streams[i]));
	return v;
}

json_t *view_kernel_launches(int64_t kernel, const struct profile_kernel *k,
	const struct launch_spread *s)
{
	return row_kernel_launches(kernel, k, s);
}

json_t *view_times(const struct time_stats *t)
{
	return row_times(t);
}

json_t *view_kernel(const struct kernel_line *k, const char *distinct,
	const struct view_profiles *profiles)
{
	return row_kernel(k, distinct, &k->stat, &k->stat.time,
		view_profiles_of_kernel(profiles, k->kernel, &k->stat));
}

json_t *view_copy(const struct copy_stat *s)
{
	return row_copy(s, &s->time);
}

json_t *view_graph(const struct graph_stat *g)
{
	return row_graph(g, &g->time);
}

json_t *view_launch(const struct launch_line *l, const char *distinct)
{
	return row_launch(l, distinct, &l->stat, -1);
}

json_t *view_caller(const struct caller_line *c, double share_pct)
{
	return row_caller(c, share_pct);
}

json_t *view_callers(int64_t kernel, const struct caller_table *t, json_t *list)
{
	return row_caller_list(kernel, t, list);
}

static const char *view_call_kind(const struct call_node *n)
{
	static const char *const words[] = {
		[CALL_ANNOTATION] = "annotation",
		[CALL_MODULE] = "module",
		[CALL_PYTHON] = "python",
		[CALL_OP] = "op",
		[CALL_KERNEL] = "kernel",
		[CALL_NO_RANGE] = "no_range",
		[CALL_NO_CALL] = "no_call",
		[CALL_OTHER] = "other",
		[CALL_ROOT] = "root",
	};
	return words[n->kind];
}

static int64_t view_call_kernel(const struct view_call_tree *t,
	const struct call_node *n)
{
	if (n->kind != CALL_KERNEL)
		return -1;
	return t->kernel_of[n - t->tree->nodes];
}

static json_t *view_call_kernels(const struct view_call_tree *t)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < t->kernels_n; i++)
		view_append(list,
			row_call_kernel(t->kernels[i].id, t->kernels[i].is,
				t->kernels[i].distinct));
	return list;
}

static json_t *view_call_nodes(const struct view_call_tree *t)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < t->tree->n; i++)
		view_append(list, row_call_node(&t->tree->nodes[i], t));
	return list;
}

json_t *view_call_tree(const struct view_call_tree *t)
{
	return row_call_tree(t);
}

/* ---- tables as nsys prints them */

const struct table *view_launch_table(struct arena *a, int64_t pid,
	const struct launch_line *rows, uint32_t n)
{
	struct row_table *t = row_table_begin(a, "launch", NULL);
	row_table_rows(t, n);
	for (uint32_t i = 0; i < n; i++) {
		row_launch_cells(t, &rows[i], NULL, &rows[i].stat, pid);
		row_table_next(t);
	}
	return &t->table;
}

const struct table *view_kernel_table(struct arena *a,
	const struct kernel_line *rows, uint32_t n, enum split split)
{
	struct row_table *t = row_table_begin(a, "kernel", NULL);
	if (split != SPLIT_DEVICE)
		row_table_hide(t, "Device");
	if (split != SPLIT_GRID) {
		row_table_hide(t, "GridXYZ");
		row_table_hide(t, "BlockXYZ");
	}
	row_table_rows(t, n);
	for (uint32_t i = 0; i < n; i++) {
		row_kernel_cells(t, &rows[i], NULL, &rows[i].stat,
			&rows[i].stat.time, NULL);
		row_table_next(t);
	}
	return &t->table;
}

const struct table *view_copy_table(struct arena *a,
	const struct copy_stat *rows, uint32_t n, enum split split)
{
	struct row_table *t = row_table_begin(a, "copy", NULL);
	if (split != SPLIT_DEVICE)
		row_table_hide(t, "Device");
	row_table_rows(t, n);
	for (uint32_t i = 0; i < n; i++) {
		row_copy_cells(t, &rows[i], &rows[i].time);
		row_table_next(t);
	}
	return &t->table;
}
