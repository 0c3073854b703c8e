/* view_table.c - kernel and copy statistics as nsys prints them. */
#include "view.h"

enum { TIMES = 8, WIDTH_MAX = TIMES + 3 };

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

#define COLUMNS(list) list, (int)(sizeof list / sizeof *list)

static struct table *table_new(struct arena *a, const struct column *columns,
	int width, uint32_t rows, const char ***cells)
{
	struct table *t = arena_new(a, struct table);
	*cells = arena_array(a, const char *, (size_t)width *rows + 1);
	*t = (struct table){ columns, width, *cells, rows };
	return t;
}

/* The eight cells every row begins with; returns where the next one goes. */
static const char **times(struct arena *a, const char **at,
	const struct time_stats *t, double pct)
{
	*at++ = arena_printf(a, "%.1f", pct);
	*at++ = arena_printf(a, "%lld", (long long)t->total_ns);
	*at++ = arena_printf(a, "%lld", (long long)t->instances);
	*at++ = arena_printf(a, "%.1f", t->avg_ns);
	*at++ = arena_printf(a, "%.1f", t->med_ns);
	*at++ = arena_printf(a, "%lld", (long long)t->min_ns);
	*at++ = arena_printf(a, "%lld", (long long)t->max_ns);
	*at++ = arena_printf(a, "%.1f", t->stddev_ns);
	return at;
}

static const char *three(struct arena *a, const int32_t v[3])
{
	if (v[0] < 0)
		return "";
	return arena_printf(a, "%4d %4d %4d", v[0], v[1], v[2]);
}

static const char *number(struct arena *a, int32_t v)
{
	return v < 0 ? "" : arena_printf(a, "%d", v);
}

const struct table *view_kernel_table(struct arena *a,
	const struct kernel_row *rows, uint32_t n, enum split split)
{
	const char **at;
	struct table *t =
		split == SPLIT_DEVICE
			? table_new(a, COLUMNS(kernel_device_columns), n, &at)
		: split == SPLIT_GRID
			? table_new(a, COLUMNS(kernel_grid_columns), n, &at)
			: table_new(a, COLUMNS(kernel_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		const struct kernel_stat *s = &rows[i].stat;
		at = times(a, at, &s->time, s->time_pct);
		if (split == SPLIT_DEVICE)
			*at++ = number(a, s->device);
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
			? table_new(a, COLUMNS(copy_device_columns), n, &at)
			: table_new(a, COLUMNS(copy_columns), n, &at);
	for (uint32_t i = 0; i < n; i++) {
		at = times(a, at, &rows[i].time, rows[i].time_pct);
		if (split == SPLIT_DEVICE)
			*at++ = number(a, rows[i].device);
		*at++ = rows[i].operation;
	}
	return t;
}
