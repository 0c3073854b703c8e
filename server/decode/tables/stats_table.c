/* stats_table.c - decodes the kernel summary of nsys stats */
#include "stats_table.h"
#include "format.h"
#include "records.h"
#include "stats_headless.h"
#include "text.h"
#include "utf8.h"
#include <math.h>
#include <string.h>

/* cells become numbers, a name, a path and a grid. */

/* The column's cell; NULL where the table has no such column, or nothing is in
 * it. */
static const struct cell *stats_line_cell_of(const struct stats_heading *h,
	const struct cells *c, enum stats_column column)
{
	int at = h->at[column];
	return at < 0 || !c->list[at].len ? NULL : &c->list[at];
}

/* A time and the power of ten that makes nanoseconds of it. */
static bool stats_line_time_read(struct stats_line *l,
	const struct stats_heading *h, const struct cell *c,
	enum stats_column column, struct figure *f, int *power)
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

static bool stats_line_time_whole(struct stats_line *l,
	const struct stats_heading *h, const struct cells *cells,
	enum stats_column column, int64_t *ns)
{
	const struct cell *c = stats_line_cell_of(h, cells, column);
	struct figure f;
	int power;
	*ns = -1;
	return !c ||
	       (stats_line_time_read(l, h, c, column, &f, &power) &&
		       figure_whole(&f, power, ns) && *ns <= TRACE_TIME_MAX_NS);
}

static bool stats_line_time_real(struct stats_line *l,
	const struct stats_heading *h, const struct cells *cells,
	enum stats_column column, double *ns)
{
	const struct cell *c = stats_line_cell_of(h, cells, column);
	struct figure f;
	int power;
	*ns = NAN;
	if (!c)
		return true;
	if (!stats_line_time_read(l, h, c, column, &f, &power))
		return false;
	*ns = figure_real(&f, power);
	return *ns <= (double)TRACE_TIME_MAX_NS;
}

static bool stats_line_count_read(const struct stats_heading *h,
	const struct cells *cells, int64_t *count)
{
	const struct cell *c = stats_line_cell_of(h, cells, STATS_INSTANCES);
	struct figure f;
	if (!c || !figure_read(c->at, c->len, &f) || f.unit != FIGURE_PLAIN ||
		!figure_whole(&f, 0, count))
		return false;
	return *count > 0 && *count <= TRACE_TIME_MAX_NS &&
	       (double)*count == figure_real(&f, 0);
}

/* A path has a slash, or ends in a dot and letters and digits. */
static bool stats_line_path_like(struct cell c)
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
static bool stats_line_pct_read(struct stats_line *l,
	const struct stats_heading *h, const struct cells *cells)
{
	const struct cell *c = stats_line_cell_of(h, cells, STATS_PCT);
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
		l->is_path = stats_line_path_like(l->before);
		pct.at += before + 1;
		pct.len -= before + 1;
	}
	if (!figure_read(pct.at, pct.len, &f) || f.unit != FIGURE_PLAIN)
		return false;
	l->row.time_pct = figure_real(&f, 0);
	return l->row.time_pct <= 100;
}

/* Three whole numbers parted by spaces. */
static bool stats_line_three_read(const struct cell *c, int32_t v[3])
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

static bool stats_line_grid_read(struct stats_line *l,
	const struct stats_heading *h, const struct cells *cells)
{
	const struct cell *grid = stats_line_cell_of(h, cells, STATS_GRID);
	const struct cell *block = stats_line_cell_of(h, cells, STATS_BLOCK);
	if (h->at[STATS_GRID] < 0 || h->at[STATS_BLOCK] < 0)
		return true;
	l->has_grid = true;
	l->shape = (struct launch_shape){ .registers = -1, .shared_bytes = -1 };
	return grid && block && stats_line_three_read(grid, l->shape.grid) &&
	       stats_line_three_read(block, l->shape.block);
}

bool stats_line_read(struct stats_line *l, const struct stats_heading *h,
	struct cells *c)
{
	*l = (struct stats_line){ .row = { .device = -1 } };
	if (c->broken || c->n != h->cells)
		return false;
	l->name = c->list[h->at[STATS_NAME]];
	return l->name.len && stats_line_pct_read(l, h, c) &&
	       stats_line_count_read(h, c, &l->row.instances) &&
	       stats_line_time_whole(l, h, c, STATS_TOTAL, &l->row.total_ns) &&
	       l->row.total_ns >= 0 &&
	       stats_line_time_real(l, h, c, STATS_AVG, &l->row.avg_ns) &&
	       stats_line_time_real(l, h, c, STATS_MED, &l->row.med_ns) &&
	       stats_line_time_whole(l, h, c, STATS_MIN, &l->row.min_ns) &&
	       stats_line_time_whole(l, h, c, STATS_MAX, &l->row.max_ns) &&
	       stats_line_time_real(l, h, c, STATS_STDDEV, &l->row.stddev_ns) &&
	       stats_line_grid_read(l, h, c);
}

/* Whether a line that is no row begins like one. */
static bool stats_line_like(const struct cells *c)
{
	if (c->n < 2)
		return false;
	const struct cell *first = &c->list[0];
	const char *space = memrchr(first->at, ' ', first->len);
	const char *last = space ? space + 1 : first->at;
	return last < first->at + first->len && *last >= '0' && *last <= '9';
}

struct stats_table {
	struct trace *trace;
	struct text text;
	struct records records;
	struct stats_heading heading; /* of the table that is being read */
	struct stats_heading next; /* waits for its row of dashes */
	struct stats_line line;
	struct cells cells;
	bool open; /* `heading` is of a table that is being read */
	bool other; /* below another heading */
	bool waits; /* `next` does */
	bool headless; /* the open table is */
	bool read[2]; /* tables read: without grids, with */
	int64_t below; /* rows of the open table */
	int64_t rows, refused;
	int64_t total_ns[2], launches[2];
	struct cell
		called; /* what to call `next`: its title or its first words */
	char called_text[80], title[80];
	char lacks[80]; /* of the first heading that is none of kernels */
};

static void stats_table_note_text(struct stats_table *s, enum note_code code,
	int64_t count, struct cell c)
{
	note_add(&s->trace->notes, code, count, c.at, c.len);
}

/* A line as a note shows it, kept apart from what splitting does to it. */
static struct cell stats_table_shown(char to[80], struct cell line)
{
	size_t len = utf8_clip(line.at, line.len, 79);
	memcpy(to, line.at, len);
	return (struct cell){ to, len };
}

static bool stats_table_starts(struct cell c, const char *with)
{
	size_t n = strlen(with);
	return c.len >= n && !memcmp(c.at, with, n);
}

/* What nsys says around its tables; a title is kept. */
static bool stats_table_chatter(struct stats_table *s, struct cell c)
{
	if (stats_table_starts(c, "** ") && c.at[c.len - 1] == ':') {
		size_t n = c.len - 4 < sizeof s->title ? c.len - 4
						       : sizeof s->title - 1;
		memcpy(s->title, c.at + 3, n);
		s->title[n] = '\0';
		return true;
	}
	return stats_table_starts(c, "Processing [") ||
	       stats_table_starts(c, "SKIPPED: ") ||
	       stats_table_starts(c, "Generating SQLite file ");
}

/* The table of `next` begins: it is read, or another one. */
static void stats_table_open(struct stats_table *s)
{
	const struct stats_heading *h = &s->next;
	bool grid = h->at[STATS_GRID] >= 0 && h->at[STATS_BLOCK] >= 0;
	bool kernels = stats_heading_kernels(h);
	s->waits = false;
	s->other = !kernels || s->read[grid];
	s->open = !s->other;
	if (!kernels && !*s->lacks)
		stats_heading_lacks(h, s->lacks, sizeof s->lacks);
	if (s->other)
		stats_table_note_text(s,
			kernels ? NOTE_table_again : NOTE_table_other, 1,
			s->called);
	else if (h->unknown)
		stats_table_note_text(s, NOTE_table_column, h->unknown,
			h->first_unknown);
	if (s->open) {
		s->heading = *h;
		s->headless = false;
		s->below = 0;
	}
}

/* A row where no table is open yet: of one without a heading. */
static bool stats_table_headless(struct stats_table *s, struct cell line)
{
	if (s->rows || !stats_headless_from(&s->next, line.at, line.len))
		return false;
	stats_table_open(s);
	s->headless = true;
	note_add(&s->trace->notes, NOTE_table_headless, 1, NULL, 0);
	return true;
}

/* What was open is over; a heading without a row is no table. */
static void stats_table_close(struct stats_table *s)
{
	if (s->waits || (s->open && s->below == 0))
		stats_table_note_text(s, NOTE_table_garbage, 1, s->called);
	s->open = s->other = s->waits = false;
}

/* A heading: its table begins, or is awaited where dashes have to come. */
static void stats_table_heading(struct stats_table *s, struct cell line)
{
	struct cell title = { s->title, strlen(s->title) };
	s->called = stats_table_shown(s->called_text, title.len ? title : line);
	s->title[0] = '\0';
	if (s->next.layout == STATS_SPACES)
		s->waits = true;
	else
		stats_table_open(s);
}

/* Whether the sums of the table stay within what a trace can hold. */
static bool stats_table_fits(struct stats_table *s, const struct stats_line *l)
{
	int64_t *total = &s->total_ns[l->has_grid];
	int64_t *launches = &s->launches[l->has_grid];
	if (l->row.total_ns > TRACE_TIME_MAX_NS - *total ||
		l->row.instances > TRACE_TIME_MAX_NS - *launches)
		return false;
	*total += l->row.total_ns;
	*launches += l->row.instances;
	return true;
}

static uint32_t stats_table_text_of(struct stats_table *s, struct cell c)
{
	return text_id(&s->text,
		&(struct span){ c.at, (uint32_t)c.len, false });
}

/* False where the arena is full. */
static bool stats_table_row_add(struct stats_table *s, struct stats_line *l)
{
	struct trace *t = s->trace;
	l->row.row = s->rows++;
	l->row.name = stats_table_text_of(s, l->name);
	l->row.source = l->is_path ? stats_table_text_of(s, l->before) : 0;
	l->row.launch = l->has_grid ? trace_launch_shape(t, &l->shape) : 0;
	s->below++;
	s->read[l->has_grid] = true;
	if (l->before.len && !l->is_path)
		stats_table_note_text(s, NOTE_table_prefix, 1, l->before);
	if (l->rounded)
		note_add(&t->notes, NOTE_table_rounded, 1, NULL, 0);
	return l->row.name != NAMES_NONE && l->row.source != NAMES_NONE &&
	       l->row.launch != NAMES_NONE && trace_stat_add(t, &l->row);
}

/* A line below the open heading: a row, one that cannot be read, or none. */
static bool stats_table_below(struct stats_table *s, struct cell line)
{
	const struct stats_heading *h = &s->heading;
	const struct records *r = &s->records;
	char text[80];
	struct cell told = stats_table_shown(text, line);
	if (h->layout == STATS_SPACES)
		cells_cut(&s->cells, r->at, r->len, h->places, h->cells);
	else
		cells_split(&s->cells, r->at, r->len,
			h->layout == STATS_TABS ? '\t' : ',', h->cells);
	if (stats_line_read(&s->line, h, &s->cells) && !records_cut(r) &&
		(!s->headless || stats_headless_agrees(&s->line)) &&
		stats_table_fits(s, &s->line))
		return stats_table_row_add(s, &s->line);
	bool row = stats_line_like(&s->cells);
	s->refused += row;
	stats_table_note_text(s, row ? NOTE_table_row : NOTE_table_garbage, 1,
		told);
	return true;
}

static bool stats_table_line(struct stats_table *s)
{
	const struct records *r = &s->records;
	struct cell c = cell_trim(r->at, r->len);
	if (s->waits && stats_heading_places(&s->next, r->at, r->len)) {
		stats_table_open(s);
		return true;
	}
	if (s->waits || (s->other && !c.len))
		stats_table_close(s);
	if (!c.len)
		return true;
	if (stats_heading_from(&s->next, c.at, c.len)) {
		stats_table_close(s);
		stats_table_heading(s, c);
		return true;
	}
	if (s->other || stats_table_chatter(s, c))
		return true;
	if (s->open || stats_table_headless(s, c))
		return stats_table_below(s, c);
	stats_table_note_text(s, NOTE_table_garbage, 1, c);
	return true;
}

static bool stats_table_lines(struct stats_table *s, struct err *e)
{
	struct records *r = &s->records;
	for (;;) {
		switch (records_next(r, e)) {
		case RECORD:
			if (!stats_table_line(s))
				return arena_err(s->trace->arena, e);
			break;
		case RECORD_LONG:
			note_add(&s->trace->notes, NOTE_table_garbage, 1,
				"a line of more than 16 MiB", 26);
			break;
		case RECORD_END:
			stats_table_close(s);
			return true;
		case RECORD_ERR:
			return false;
		}
	}
}

/* Why a file without a single row is none. */
static bool stats_table_useless(const struct stats_table *s, struct err *e)
{
	if (s->refused)
		return err_set(e, ERR_TRACE,
			"none of the %lld rows of the table could be read",
			(long long)s->refused);
	if (*s->lacks)
		return err_set(e, ERR_TRACE,
			"the table of `nsys stats` has no column %s, so it is "
			"none of kernels; upload its report cuda_gpu_kern_sum",
			s->lacks);
	return err_set(e, ERR_TRACE,
		"the table of `nsys stats` has a heading, but no row; were "
		"there kernels in the capture?");
}

static bool stats_table_finish(struct stats_table *s, struct err *e)
{
	struct trace *t = s->trace;
	if (s->rows == 0)
		return stats_table_useless(s, e);
	t->format = "nsys-stats";
	t->processes = arena_new(t->arena, struct process);
	if (!t->processes)
		return arena_err(t->arena, e);
	t->processes_n = 1;
	t->processes[0] =
		(struct process){ .pid = -1, .rank = -1, .world_size = -1 };
	return true;
}

bool stats_table_decode(struct window *w, struct trace *t, struct err *e)
{
	struct stats_table *s = arena_new(t->arena, struct stats_table);
	if (!s)
		return arena_err(t->arena, e);
	s->trace = t;
	s->text.trace = t;
	s->records.window = w;
	records_bom(&s->records);
	return stats_table_lines(s, e) && stats_table_finish(s, e);
}
