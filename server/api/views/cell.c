/* cell.c - numbers to text, as nsys writes them. */
#include "cell.h"
#include <math.h>

const char *cell_whole(struct arena *a, int64_t v)
{
	return v < 0 ? "" : arena_printf(a, "%lld", (long long)v);
}

const char *cell_real(struct arena *a, double v)
{
	return isfinite(v) ? arena_printf(a, "%.1f", v) : "";
}

const char *cell_figure(struct arena *a, double v)
{
	return isfinite(v) ? arena_printf(a, "%.6g", v) : "";
}

struct table *cell_table(struct arena *a, const struct column *columns,
	int width, uint32_t rows, const char ***cells)
{
	struct table *t = arena_new(a, struct table);
	*cells = arena_array(a, const char *, (size_t)width *rows + 1);
	*t = (struct table){ columns, width, *cells, rows };
	return t;
}
