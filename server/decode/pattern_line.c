/* pattern_line.c - cells become numbers and texts. */
#include "pattern_line.h"
#include "figure.h"
#include <math.h>
#include <string.h>

/* The column's cell; an empty one where the file has no such column. */
static struct cell cell_of(const struct pattern_heading *h,
	const struct cells *c, int column)
{
	return h->at[column] < 0 ? (struct cell){ "", 0 }
				 : c->list[h->at[column]];
}

static bool plain(struct cell c, struct figure *f)
{
	return figure_read(c.at, c.len, f) && f->unit == FIGURE_PLAIN;
}

/* A whole number from `least` on; -1 where the cell is empty and may be. */
static bool whole(struct cell c, int64_t least, bool needed, int64_t *v)
{
	struct figure f;
	*v = -1;
	if (c.len == 0)
		return !needed;
	return plain(c, &f) && figure_whole(&f, 0, v) && *v >= least &&
	       (double)*v == figure_real(&f, 0);
}

/* Microseconds as nanoseconds, at most `most`; else as above. */
static bool time_ns(struct cell c, bool needed, int64_t most, int64_t *ns)
{
	struct figure f;
	*ns = -1;
	if (c.len == 0)
		return !needed;
	return plain(c, &f) && figure_whole(&f, 3, ns) && *ns <= most;
}

/* A number that may be negative; NaN where the cell is empty. */
static bool real(struct cell c, double *v)
{
	struct figure f;
	bool minus = c.len && *c.at == '-';
	*v = NAN;
	if (c.len == 0)
		return true;
	if (!plain((struct cell){ c.at + minus, c.len - minus }, &f))
		return false;
	*v = minus ? -figure_real(&f, 0) : figure_real(&f, 0);
	return isfinite(*v);
}

/* A share or deviation: never negative. */
static bool share(struct cell c, double *v)
{
	return real(c, v) && !(*v < 0);
}

static bool interpolated(struct cell c, uint8_t *v)
{
	*v = (uint8_t)c.len;
	return c.len <= 2 && !memcmp(c.at, "**", c.len);
}

bool pattern_line_read(struct pattern_line *l, const struct pattern_heading *h,
	const struct cells *c)
{
	struct pattern_row *row = &l->row;
	if (c->broken || c->n != h->cells)
		return false;
	l->function = cell_of(h, c, PATTERN_FUNCTION);
	l->metric = cell_of(h, c, PATTERN_METRIC);
	l->device = cell_of(h, c, PATTERN_DEVICE);
	l->func_type = cell_of(h, c, PATTERN_FUNC_TYPE);
	l->anchor = cell_of(h, c, PATTERN_ANCHOR);
	l->host = cell_of(h, c, PATTERN_HOST);
	if (l->metric.len == 3 && !memcmp(l->metric.at, "N/A", 3))
		l->metric.len = 0;
	return l->function.len &&
	       whole(cell_of(h, c, PATTERN_CYCLE), 0, true, &row->cycle) &&
	       row->cycle <= TRACE_TIME_MAX_NS &&
	       whole(cell_of(h, c, PATTERN_PID), 0, true, &l->pid) &&
	       whole(cell_of(h, c, PATTERN_INSTANCES), 1, true,
		       &row->instances) &&
	       row->instances <= TRACE_TIME_MAX_NS &&
	       time_ns(cell_of(h, c, PATTERN_DURATION), true, TRACE_TIME_MAX_NS,
		       &row->dur_ns) &&
	       time_ns(cell_of(h, c, PATTERN_CYCLE_DURATION), false,
		       TRACE_TIME_MAX_NS, &row->cycle_ns) &&
	       time_ns(cell_of(h, c, PATTERN_CYCLE_START), false, INT64_MAX,
		       &row->cycle_start_ns) &&
	       share(cell_of(h, c, PATTERN_BETA), &row->beta_pct) &&
	       real(cell_of(h, c, PATTERN_MU), &row->mu_pct) &&
	       share(cell_of(h, c, PATTERN_SIGMA), &row->sigma_pct) &&
	       interpolated(cell_of(h, c, PATTERN_INTERPOLATED),
		       &row->interpolated);
}

bool counter_line_read(struct pattern_line *l, const struct pattern_heading *h,
	const struct cells *c)
{
	if (c->broken || c->n != h->cells)
		return false;
	l->function = cell_of(h, c, COUNTER_NAME);
	l->host = cell_of(h, c, COUNTER_HOST);
	return l->function.len &&
	       time_ns(cell_of(h, c, COUNTER_TIME), true, INT64_MAX,
		       &l->at_ns) &&
	       real(cell_of(h, c, COUNTER_VALUE), &l->value) &&
	       !isnan(l->value);
}
