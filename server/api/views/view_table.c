/* view_table.c - kernel and copy statistics as nsys prints them. */
#include "cell.h"
#include "view.h"

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
static const char **times(struct arena *a, const char **at,
	const struct time_stats *t, double pct)
{
	*at++ = cell_real(a, pct);
	*at++ = cell_whole(a, t->total_ns);
	*at++ = cell_whole(a, t->instances);
	*at++ = cell_real(a, t->avg_ns);
	*at++ = cell_real(a, t->med_ns);
	*at++ = cell_whole(a, t->min_ns);
	*at++ = cell_whole(a, t->max_ns);
	*at++ = cell_real(a, t->stddev_ns);
	return at;
}

static const char *three(struct arena *a, const int32_t v[3])
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
			? cell_table(a, CELL_COLUMNS(kernel_device_columns), n,
				  &at)
		: split == SPLIT_GRID
			? cell_table(a, CELL_COLUMNS(kernel_grid_columns), n,
				  &at)
			: cell_table(a, CELL_COLUMNS(kernel_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		const struct kernel_stat *s = &rows[i].stat;
		at = times(a, at, &s->time, s->time_pct);
		if (split == SPLIT_DEVICE)
			*at++ = cell_whole(a, s->device);
		if (split == SPLIT_GRID) {
			*at++ = three(a, s->grid);
			*at++ = three(a, s->block);
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
			? cell_table(a, CELL_COLUMNS(copy_device_columns), n,
				  &at)
			: cell_table(a, CELL_COLUMNS(copy_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		at = times(a, at, &rows[i].time, rows[i].time_pct);
		if (split == SPLIT_DEVICE)
			*at++ = cell_whole(a, rows[i].device);
		*at++ = rows[i].operation;
	}
	return t;
}
