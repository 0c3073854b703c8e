/* stats_line.c - cells become numbers, a name, a path and a grid. */
#include "stats_line.h"
#include <math.h>
#include <string.h>

/* The column's cell; NULL where the table has no such column, or nothing is in
 * it. */
static const struct cell *cell_of(const struct stats_heading *h,
	const struct cells *c, enum stats_column column)
{
	int at = h->at[column];
	return at < 0 || !c->list[at].len ? NULL : &c->list[at];
}

/* A time and the power of ten that makes nanoseconds of it. */
static bool time_read(struct stats_line *l, const struct stats_heading *h,
	const struct cell *c, enum stats_column column, struct figure *f,
	int *power)
{
	enum figure_unit told = h->unit[column];
	if (!figure_read(c->at, c->len, f) || f->unit == FIGURE_PERCENT)
		return false;
	if (f->unit != FIGURE_PLAIN && told != FIGURE_PLAIN && f->unit != told)
		return false;
	*power = figure_ns_power(f->unit != FIGURE_PLAIN ? f->unit : told);
	l->rounded |= *power > 0;
	return true;
}

static bool time_whole(struct stats_line *l, const struct stats_heading *h,
	const struct cells *cells, enum stats_column column, int64_t *ns)
{
	const struct cell *c = cell_of(h, cells, column);
	struct figure f;
	int power;
	*ns = -1;
	return !c ||
	       (time_read(l, h, c, column, &f, &power) &&
		       figure_whole(&f, power, ns) && *ns <= TRACE_TIME_MAX_NS);
}

static bool time_real(struct stats_line *l, const struct stats_heading *h,
	const struct cells *cells, enum stats_column column, double *ns)
{
	const struct cell *c = cell_of(h, cells, column);
	struct figure f;
	int power;
	*ns = NAN;
	if (!c)
		return true;
	if (!time_read(l, h, c, column, &f, &power))
		return false;
	*ns = figure_real(&f, power);
	return *ns <= (double)TRACE_TIME_MAX_NS;
}

static bool count_read(const struct stats_heading *h, const struct cells *cells,
	int64_t *count)
{
	const struct cell *c = cell_of(h, cells, STATS_INSTANCES);
	struct figure f;
	if (!c || !figure_read(c->at, c->len, &f) || f.unit != FIGURE_PLAIN ||
		!figure_whole(&f, 0, count))
		return false;
	return *count > 0 && *count <= TRACE_TIME_MAX_NS &&
	       (double)*count == figure_real(&f, 0);
}

/* A path has a slash, or ends in a dot and letters and digits. */
static bool path_like(struct cell c)
{
	if (memchr(c.at, '/', c.len))
		return true;
	const char *dot = memrchr(c.at, '.', c.len), *end = c.at + c.len;
	if (!dot || dot == c.at || end - dot > 6 || end - dot < 2)
		return false;
	bool letter = (dot[1] | 0x20) >= 'a' && (dot[1] | 0x20) <= 'z';
	for (const char *p = dot + 1; letter && p < end; p++)
		letter = ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') ||
			 (*p >= '0' && *p <= '9');
	return letter;
}

/* The percentage, and what stands in front of it where tabs part the cells. */
static bool pct_read(struct stats_line *l, const struct stats_heading *h,
	const struct cells *cells)
{
	const struct cell *c = cell_of(h, cells, STATS_PCT);
	struct figure f;
	l->row.time_pct = NAN;
	if (!c)
		return true;
	struct cell pct = cell_trim(c->at, c->len - (c->at[c->len - 1] == '%'));
	const char *space = h->layout == STATS_TABS && h->at[STATS_PCT] == 0
				    ? memrchr(pct.at, ' ', pct.len)
				    : NULL;
	if (space) {
		size_t before = (size_t)(space - pct.at);
		l->before = cell_trim(pct.at, before);
		l->is_path = path_like(l->before);
		pct.at += before + 1;
		pct.len -= before + 1;
	}
	if (!figure_read(pct.at, pct.len, &f) || f.unit != FIGURE_PLAIN)
		return false;
	l->row.time_pct = figure_real(&f, 0);
	return l->row.time_pct <= 100;
}

/* Three whole numbers parted by spaces. */
static bool three_read(const struct cell *c, int32_t v[3])
{
	const char *at = c->at, *end = c->at + c->len;
	for (int i = 0; i < 3; i++) {
		const char *stop = at;
		struct figure f;
		int64_t n;
		while (stop < end && *stop != ' ')
			stop++;
		if (!figure_read(at, (size_t)(stop - at), &f) ||
			f.unit != FIGURE_PLAIN || f.exponent ||
			!figure_whole(&f, 0, &n) || n > INT32_MAX)
			return false;
		v[i] = (int32_t)n;
		for (at = stop; at < end && *at == ' ';)
			at++;
	}
	return at == end;
}

static bool grid_read(struct stats_line *l, const struct stats_heading *h,
	const struct cells *cells)
{
	const struct cell *grid = cell_of(h, cells, STATS_GRID);
	const struct cell *block = cell_of(h, cells, STATS_BLOCK);
	if (h->at[STATS_GRID] < 0 || h->at[STATS_BLOCK] < 0)
		return true;
	l->has_grid = true;
	l->shape = (struct launch_shape){ .registers = -1, .shared_bytes = -1 };
	return grid && block && three_read(grid, l->shape.grid) &&
	       three_read(block, l->shape.block);
}

bool stats_line_read(struct stats_line *l, const struct stats_heading *h,
	struct cells *c)
{
	*l = (struct stats_line){ .row = { .device = -1 } };
	if (c->broken || c->n != h->cells)
		return false;
	l->name = c->list[h->at[STATS_NAME]];
	return l->name.len && pct_read(l, h, c) &&
	       count_read(h, c, &l->row.instances) &&
	       time_whole(l, h, c, STATS_TOTAL, &l->row.total_ns) &&
	       l->row.total_ns >= 0 &&
	       time_real(l, h, c, STATS_AVG, &l->row.avg_ns) &&
	       time_real(l, h, c, STATS_MED, &l->row.med_ns) &&
	       time_whole(l, h, c, STATS_MIN, &l->row.min_ns) &&
	       time_whole(l, h, c, STATS_MAX, &l->row.max_ns) &&
	       time_real(l, h, c, STATS_STDDEV, &l->row.stddev_ns) &&
	       grid_read(l, h, c);
}

bool stats_line_like(const struct cells *c)
{
	if (c->n < 2)
		return false;
	const struct cell *first = &c->list[0];
	const char *space = memrchr(first->at, ' ', first->len);
	const char *last = space ? space + 1 : first->at;
	return last < first->at + first->len && *last >= '0' && *last <= '9';
}
