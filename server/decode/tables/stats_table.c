/* stats_table.c - decodes the kernel summary of nsys stats */
#include "table_magic.h"
#include "table_reader.h"
#include "figure.h"
#include "format.h"
#include "text.h"
#include "trace.h"
#include "utf8.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The heading of a table of kernel statistics.
 *
 * nsys stats prints the heading in many forms: as CSV or as aligned columns,
 * with or without units, in older versions with other words. Users also paste
 * it with tabs. Columns are recognized by their names, in any order. */
/* The first three are what a table cannot do without. */
enum stats_column {
	STATS_TOTAL,
	STATS_INSTANCES,
	STATS_NAME,
	STATS_NEEDED,
	STATS_PCT = STATS_NEEDED,
	STATS_AVG,
	STATS_MED,
	STATS_MIN,
	STATS_MAX,
	STATS_STDDEV,
	STATS_GRID,
	STATS_BLOCK,
	STATS_COLUMNS
};

enum stats_layout {
	STATS_CSV,
	STATS_TABS,
	STATS_SPACES, /* a row of dashes below shows where columns begin */
};

enum { STATS_HEADING_MAX = 1024 };

struct stats_heading {
	enum stats_layout layout;
	size_t cells;
	int at[STATS_COLUMNS]; /* index of the cell, -1 if there is none */
	enum figure_unit unit[STATS_COLUMNS];
	int unknown; /* columns with unknown names */
	struct table_cell first_unknown; /* in `text` */
	struct table_cells columns; /* in `text` */
	struct table_extent places[CELLS_MAX]; /* STATS_SPACES */
	char text[STATS_HEADING_MAX];
};

static const struct {
	const char *word;
	enum stats_column column;
} words[] = {
	{ "total time", STATS_TOTAL },
	{ "instances", STATS_INSTANCES },
	{ "name", STATS_NAME },
	{ "time", STATS_PCT },
	{ "avg", STATS_AVG },
	{ "average", STATS_AVG },
	{ "med", STATS_MED },
	{ "median", STATS_MED },
	{ "min", STATS_MIN },
	{ "minimum", STATS_MIN },
	{ "max", STATS_MAX },
	{ "maximum", STATS_MAX },
	{ "stddev", STATS_STDDEV },
	{ "std dev", STATS_STDDEV },
	{ "gridxyz", STATS_GRID },
	{ "blockxyz", STATS_BLOCK },
};

/* Removes the text in brackets at the end of a cell and returns its unit. False
 * if it is not a unit. */
static bool stats_table_heading_unit_take(struct table_cell *c,
	enum figure_unit *unit)
{
	const char *open = c->len && c->at[c->len - 1] == ')'
				   ? memrchr(c->at, '(', c->len)
				   : NULL;
	*unit = FIGURE_PLAIN;
	if (!open)
		return true;
	size_t before = (size_t)(open - c->at);
	if (!figure_unit(open + 1, c->len - before - 2, unit))
		return false;
	*c = table_reader_trim(c->at, before);
	return true;
}

/* The column that a cell names; STATS_COLUMNS if unknown. */
static enum stats_column stats_table_heading_column_of(struct table_cell c,
	enum figure_unit *unit)
{
	if (!stats_table_heading_unit_take(&c, unit))
		return STATS_COLUMNS;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == c.len &&
			!strncasecmp(words[i].word, c.at, c.len))
			return words[i].column;
	return STATS_COLUMNS;
}

/* Splits at two or more spaces. */
static void stats_table_heading_split_spaces(struct table_cells *c, char *at,
	size_t len)
{
	char *end = at + len;
	c->n = 0;
	c->broken = false;
	while (at < end) {
		char *gap = memmem(at, (size_t)(end - at), "  ", 2);
		gap = gap ? gap : end;
		struct table_cell cell =
			table_reader_trim(at, (size_t)(gap - at));
		if (cell.len && c->n < CELLS_MAX)
			c->list[c->n] = cell;
		c->n += cell.len > 0;
		at = gap < end ? gap + 2 : end;
	}
}

static bool stats_table_heading_split(struct stats_heading *h, size_t len)
{
	struct table_cells *c = &h->columns;
	if (memchr(h->text, '\t', len)) {
		h->layout = STATS_TABS;
		table_reader_split(c, h->text, len, '\t', 0);
	} else if (memchr(h->text, ',', len)) {
		h->layout = STATS_CSV;
		table_reader_split(c, h->text, len, ',', 0);
	} else {
		h->layout = STATS_SPACES;
		stats_table_heading_split_spaces(c, h->text, len);
	}
	h->cells = c->n;
	return !c->broken && c->n >= 2 && c->n <= CELLS_MAX;
}

/* If a column occurs twice, the second one counts as unknown. */
static void stats_table_heading_columns_find(struct stats_heading *h)
{
	for (int i = 0; i < STATS_COLUMNS; i++)
		h->at[i] = -1;
	for (size_t i = 0; i < h->cells; i++) {
		enum figure_unit unit;
		enum stats_column c =
			stats_table_heading_column_of(h->columns.list[i],
				&unit);
		if (c < STATS_COLUMNS && h->at[c] < 0) {
			h->at[c] = (int)i;
			h->unit[c] = unit;
			continue;
		}
		if (!h->unknown++)
			h->first_unknown = h->columns.list[i];
	}
}

/* False if the line is not a heading of `nsys stats`. A heading begins with
 * "Time (%)", or with "Time" and "Total Time". */
static bool stats_table_heading_from(struct stats_heading *h, const char *line,
	size_t len)
{
	enum figure_unit unit;
	struct table_cell trimmed =
		table_reader_trim((char *)(uintptr_t)line, len);
	if (trimmed.len >= STATS_HEADING_MAX || trimmed.len < 5 ||
		!strchr("Tt\"", *trimmed.at))
		return false;
	h->unknown = 0;
	memcpy(h->text, trimmed.at, trimmed.len);
	h->text[trimmed.len] = '\0';
	if (!stats_table_heading_split(h, trimmed.len) ||
		stats_table_heading_column_of(h->columns.list[0], &unit) !=
			STATS_PCT)
		return false;
	if (unit != FIGURE_PERCENT &&
		stats_table_heading_column_of(h->columns.list[1], &unit) !=
			STATS_TOTAL)
		return false;
	stats_table_heading_columns_find(h);
	return true;
}

/* Whether this is mpi_event_sum, which has the columns of kernels and the
 * source of each call. */
static bool stats_table_heading_of_calls(const struct stats_heading *h)
{
	static const char column[] = "Source";
	for (size_t i = 0; i < h->cells; i++) {
		const struct table_cell *c = &h->columns.list[i];
		if (c->len == strlen(column) &&
			!strncasecmp(c->at, column, c->len))
			return true;
	}
	return false;
}

/* Whether the heading is that of a kernel summary: it has all required
 * columns. */
static bool stats_table_heading_kernels(const struct stats_heading *h)
{
	return !stats_table_heading_of_calls(h) && h->at[STATS_TOTAL] >= 0 &&
	       h->at[STATS_INSTANCES] >= 0 && h->at[STATS_NAME] >= 0;
}

/* Lists the required columns that the heading lacks in `to`: "'Instances' and
 * 'Name'". */
static void stats_table_heading_lacks(const struct stats_heading *h, char *to,
	size_t cap)
{
	static const char *const called[STATS_NEEDED] = {
		[STATS_TOTAL] = "Total Time",
		[STATS_INSTANCES] = "Instances",
		[STATS_NAME] = "Name",
	};
	size_t used = 0;
	*to = '\0';
	for (int c = 0; c < STATS_NEEDED; c++)
		if (h->at[c] < 0 && used < cap)
			used += (size_t)snprintf(to + used, cap - used,
				"%s'%s'", used ? " and " : "", called[c]);
}

/* Reads the positions of the columns from a row of dashes; false if the line is
 * not such a row, or has a different number of columns. */
static bool stats_table_heading_places(struct stats_heading *h,
	const char *line, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len;) {
		size_t from = i;
		while (i < len && line[i] == '-')
			i++;
		if (i > from && n == h->cells)
			return false;
		if (i > from)
			h->places[n++] = (struct table_extent){ from, i };
		if (i < len && line[i++] != ' ')
			return false;
	}
	return n == h->cells;
}

/* One line of a table of kernel statistics, read.
 *
 * A line that cannot be read completely is rejected: if one figure is doubtful,
 * its row is dropped, so that no wrong figure is stored. An empty cell is an
 * unknown value, unless the column is required. */

struct stats_line {
	struct stat_row row; /* without its name, source and launch */
	struct table_cell name;
	struct table_cell before; /* the text before the percentage */
	bool is_path; /* the text looks like a path */
	bool rounded; /* a time has a unit above the nanosecond */
	bool has_grid;
	struct launch_shape shape;
};

/* Converts cells to numbers, a name, a path and a grid. */

/* The column's cell; NULL if the table has no such column, or if the cell is
 * empty. */
static const struct table_cell *
stats_table_line_cell_of(const struct stats_heading *h,
	const struct table_cells *c, enum stats_column column)
{
	int at = h->at[column];
	return at < 0 || !c->list[at].len ? NULL : &c->list[at];
}

/* Reads a time, with the power of ten that converts it to nanoseconds. */
static bool stats_table_line_time_read(struct stats_line *l,
	const struct stats_heading *h, const struct table_cell *c,
	enum stats_column column, struct figure *f, int *power)
{
	enum figure_unit unit = h->unit[column];
	if (!figure_read(c->at, c->len, f) || f->unit == FIGURE_PERCENT)
		return false;
	if (f->unit != FIGURE_PLAIN && unit != FIGURE_PLAIN && f->unit != unit)
		return false;
	*power = figure_ns_power(f->unit != FIGURE_PLAIN ? f->unit : unit);
	l->rounded |= *power > 0;
	return true;
}

static bool stats_table_line_time_whole(struct stats_line *l,
	const struct stats_heading *h, const struct table_cells *cells,
	enum stats_column column, int64_t *ns)
{
	const struct table_cell *c = stats_table_line_cell_of(h, cells, column);
	struct figure f;
	int power;
	*ns = -1;
	return !c ||
	       (stats_table_line_time_read(l, h, c, column, &f, &power) &&
		       figure_whole(&f, power, ns) && *ns <= TRACE_TIME_MAX_NS);
}

static bool stats_table_line_time_real(struct stats_line *l,
	const struct stats_heading *h, const struct table_cells *cells,
	enum stats_column column, double *ns)
{
	const struct table_cell *c = stats_table_line_cell_of(h, cells, column);
	struct figure f;
	int power;
	*ns = NAN;
	if (!c)
		return true;
	if (!stats_table_line_time_read(l, h, c, column, &f, &power))
		return false;
	*ns = figure_real(&f, power);
	return *ns <= (double)TRACE_TIME_MAX_NS;
}

static bool stats_table_line_count_read(const struct stats_heading *h,
	const struct table_cells *cells, int64_t *count)
{
	const struct table_cell *c =
		stats_table_line_cell_of(h, cells, STATS_INSTANCES);
	struct figure f;
	if (!c || !figure_read(c->at, c->len, &f) || f.unit != FIGURE_PLAIN ||
		!figure_whole(&f, 0, count))
		return false;
	return *count > 0 && *count <= TRACE_TIME_MAX_NS &&
	       (double)*count == figure_real(&f, 0);
}

/* Whether the text looks like a path: it has a slash, or ends in a dot and
 * letters and digits. */
static bool stats_table_line_path_like(struct table_cell c)
{
	if (!c.at)
		return false;
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

/* Reads the percentage, and the text before it if tabs separate the cells. */
static bool stats_table_line_pct_read(struct stats_line *l,
	const struct stats_heading *h, const struct table_cells *cells)
{
	const struct table_cell *c =
		stats_table_line_cell_of(h, cells, STATS_PCT);
	struct figure f;
	l->row.time_pct = NAN;
	if (!c)
		return true;
	struct table_cell pct =
		table_reader_trim(c->at, c->len - (c->at[c->len - 1] == '%'));
	const char *space = h->layout == STATS_TABS && h->at[STATS_PCT] == 0
				    ? memrchr(pct.at, ' ', pct.len)
				    : NULL;
	if (space) {
		size_t before = (size_t)(space - pct.at);
		l->before = table_reader_trim(pct.at, before);
		l->is_path = stats_table_line_path_like(l->before);
		pct.at += before + 1;
		pct.len -= before + 1;
	}
	if (!figure_read(pct.at, pct.len, &f) || f.unit != FIGURE_PLAIN)
		return false;
	l->row.time_pct = figure_real(&f, 0);
	return l->row.time_pct <= 100;
}

/* Reads three whole numbers separated by spaces. */
static bool stats_table_line_three_read(const struct table_cell *c,
	int32_t v[3])
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

static bool stats_table_line_grid_read(struct stats_line *l,
	const struct stats_heading *h, const struct table_cells *cells)
{
	const struct table_cell *grid =
		stats_table_line_cell_of(h, cells, STATS_GRID);
	const struct table_cell *block =
		stats_table_line_cell_of(h, cells, STATS_BLOCK);
	if (h->at[STATS_GRID] < 0 || h->at[STATS_BLOCK] < 0)
		return true;
	l->has_grid = true;
	l->shape = (struct launch_shape){ .registers = -1, .shared_bytes = -1 };
	return grid && block &&
	       stats_table_line_three_read(grid, l->shape.grid) &&
	       stats_table_line_three_read(block, l->shape.block);
}

/* Reads a record's cells as the heading says. */
static bool stats_table_line_read(struct stats_line *l,
	const struct stats_heading *h, struct table_cells *c)
{
	*l = (struct stats_line){ .row = { .device = -1 } };
	if (c->broken || c->n != h->cells)
		return false;
	l->name = c->list[h->at[STATS_NAME]];
	return l->name.len && stats_table_line_pct_read(l, h, c) &&
	       stats_table_line_count_read(h, c, &l->row.instances) &&
	       stats_table_line_time_whole(l, h, c, STATS_TOTAL,
		       &l->row.total_ns) &&
	       l->row.total_ns >= 0 &&
	       stats_table_line_time_real(l, h, c, STATS_AVG, &l->row.avg_ns) &&
	       stats_table_line_time_real(l, h, c, STATS_MED, &l->row.med_ns) &&
	       stats_table_line_time_whole(l, h, c, STATS_MIN,
		       &l->row.min_ns) &&
	       stats_table_line_time_whole(l, h, c, STATS_MAX,
		       &l->row.max_ns) &&
	       stats_table_line_time_real(l, h, c, STATS_STDDEV,
		       &l->row.stddev_ns) &&
	       stats_table_line_grid_read(l, h, c);
}

/* Tables that nsys printed without their heading (csv:nohdr).
 *
 * The number of columns shows whether they are those of cuda_gpu_kern_sum or of
 * cuda_gpu_kern_gb_sum. A line counts as a row of such a table only if its
 * numbers are consistent: the average is total / instances, to the printed
 * digit, and both the average and the median are between minimum and
 * maximum. */
#define NUMBERS                                                          \
	"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns)," \
	"Max (ns),StdDev (ns),"

/* A kernel's name usually has at most 2 KiB. */
enum { LINE_MAX_BYTES = 16 << 10 };

/* Whether the numbers of a row are consistent. */
static bool stats_table_headless_agrees(const struct stats_line *l)
{
	const struct stat_row *r = &l->row;
	double sum = r->avg_ns * (double)r->instances;
	double off = sum - (double)r->total_ns;
	/* Half of the last printed digit, multiplied by the instances. */
	double most = 0.051 * (double)r->instances;
	return r->time_pct >= 0 && off <= most && off >= -most &&
	       r->min_ns >= 0 && (double)r->min_ns <= r->med_ns &&
	       r->med_ns <= (double)r->max_ns && r->min_ns <= r->max_ns &&
	       r->stddev_ns >= 0;
}

/* Whether a line is such a row; *h is then the heading that its table would
 * have. */
static bool stats_table_headless_from(struct stats_heading *h, const char *line,
	size_t len)
{
	static const char plain[] = NUMBERS "Name";
	static const char grids[] = NUMBERS "GridXYZ,BlockXYZ,Name";
	char text[LINE_MAX_BYTES];
	struct table_cells c;
	struct stats_line l;
	if (len == 0 || len >= sizeof text || !strchr("0123456789\"", *line))
		return false;
	memcpy(text, line, len);
	table_reader_split(&c, text, len, ',', 0);
	if (c.n != 9 && c.n != 11)
		return false;
	return (c.n == 9 ? stats_table_heading_from(h, plain, strlen(plain))
			 : stats_table_heading_from(h, grids, strlen(grids))) &&
	       stats_table_line_read(&l, h, &c) &&
	       stats_table_headless_agrees(&l);
}

bool stats_table_is_heading(const char *line, size_t len)
{
	struct stats_heading h;
	return stats_table_heading_from(&h, line, len);
}

bool stats_table_is_row(const char *line, size_t len)
{
	struct stats_heading h;
	return stats_table_headless_from(&h, line, len);
}

/* Whether a line that is not a valid row begins like one. */
static bool stats_table_line_like(const struct table_cells *c)
{
	if (c->n < 2)
		return false;
	const struct table_cell *first = &c->list[0];
	const char *space = memrchr(first->at, ' ', first->len);
	const char *last = space ? space + 1 : first->at;
	return last < first->at + first->len && *last >= '0' && *last <= '9';
}

struct stats_table {
	struct trace *trace;
	struct text text;
	struct table_reader records;
	struct stats_heading heading; /* of the table that is being read */
	/* a heading that waits for its row of dashes */
	struct stats_heading next;
	struct stats_line line;
	struct table_cells cells;
	bool open; /* `heading` is of a table that is being read */
	bool other; /* the lines belong to a table that is skipped */
	bool waits; /* `next` waits for its row of dashes */
	bool headless; /* the open table has no heading */
	bool read[2]; /* tables read: without grids, with */
	int64_t below; /* number of rows of the open table */
	int64_t rows, refused;
	int64_t total_ns[2], launches[2];
	struct table_cell
		called; /* name of `next`: its title or its first words */
	char called_text[80], title[80];
	char lacks[80]; /* of the first heading that is not of kernels */
};

static void stats_table_note_text(struct stats_table *s, enum note_code code,
	int64_t count, struct table_cell c)
{
	note_add(&s->trace->notes, code, count, c.at, c.len);
}

/* A line as a note shows it, in a copy that splitting does not change. */
static struct table_cell stats_table_shown(char to[80], struct table_cell line)
{
	size_t len = utf8_clip(line.at, line.len, 79);
	memcpy(to, line.at, len);
	return (struct table_cell){ to, len };
}

static bool stats_table_starts(struct table_cell c, const char *with)
{
	size_t n = strlen(with);
	return c.len >= n && !memcmp(c.at, with, n);
}

/* Whether this is a line that nsys prints around its tables; a title is
 * kept. */
static bool stats_table_chatter(struct stats_table *s, struct table_cell c)
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

/* The table of `next` begins: it is read, or skipped as another table. */
static void stats_table_open(struct stats_table *s)
{
	const struct stats_heading *h = &s->next;
	bool grid = h->at[STATS_GRID] >= 0 && h->at[STATS_BLOCK] >= 0;
	bool kernels = stats_table_heading_kernels(h);
	s->waits = false;
	s->other = !kernels || s->read[grid];
	s->open = !s->other;
	if (!kernels && !*s->lacks)
		stats_table_heading_lacks(h, s->lacks, sizeof s->lacks);
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

/* Checks a row while no table is open: it may belong to a table without a
 * heading. */
static bool stats_table_headless(struct stats_table *s, struct table_cell line)
{
	if (s->rows || !stats_table_headless_from(&s->next, line.at, line.len))
		return false;
	stats_table_open(s);
	s->headless = true;
	note_add(&s->trace->notes, NOTE_table_headless, 1, NULL, 0);
	return true;
}

/* Ends the open table; a heading without a row is not a table. */
static void stats_table_close(struct stats_table *s)
{
	if (s->waits || (s->open && s->below == 0))
		stats_table_note_text(s, NOTE_table_garbage, 1, s->called);
	s->open = s->other = s->waits = false;
}

/* Handles a heading: its table begins now, or after the row of dashes. */
static void stats_table_heading(struct stats_table *s, struct table_cell line)
{
	struct table_cell title = { s->title, strlen(s->title) };
	s->called = stats_table_shown(s->called_text, title.len ? title : line);
	s->title[0] = '\0';
	if (s->next.layout == STATS_SPACES)
		s->waits = true;
	else
		stats_table_open(s);
}

/* Whether the sums of the table stay within the maximum of a trace. */
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

static uint32_t stats_table_text_of(struct stats_table *s, struct table_cell c)
{
	return text_id(&s->text,
		&(struct text_span){ c.at, (uint32_t)c.len, false });
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

/* Handles a line below the open heading: a row, a row that cannot be read, or
 * another line. */
static bool stats_table_below(struct stats_table *s, struct table_cell line)
{
	const struct stats_heading *h = &s->heading;
	const struct table_reader *r = &s->records;
	char text[80];
	struct table_cell shown = stats_table_shown(text, line);
	if (h->layout == STATS_SPACES)
		table_reader_columns(&s->cells, r->at, r->len, h->places,
			h->cells);
	else
		table_reader_split(&s->cells, r->at, r->len,
			h->layout == STATS_TABS ? '\t' : ',', h->cells);
	if (stats_table_line_read(&s->line, h, &s->cells) &&
		!table_reader_cut(r) &&
		(!s->headless || stats_table_headless_agrees(&s->line)) &&
		stats_table_fits(s, &s->line))
		return stats_table_row_add(s, &s->line);
	bool row = stats_table_line_like(&s->cells);
	s->refused += row;
	stats_table_note_text(s, row ? NOTE_table_row : NOTE_table_garbage, 1,
		shown);
	return true;
}

static bool stats_table_line(struct stats_table *s)
{
	const struct table_reader *r = &s->records;
	struct table_cell c = table_reader_trim(r->at, r->len);
	if (s->waits && stats_table_heading_places(&s->next, r->at, r->len)) {
		stats_table_open(s);
		return true;
	}
	if (s->waits || (s->other && !c.len))
		stats_table_close(s);
	if (!c.len)
		return true;
	if (stats_table_heading_from(&s->next, c.at, c.len)) {
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
	struct table_reader *r = &s->records;
	for (;;) {
		switch (table_reader_next(r, e)) {
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

/* Explains why a file without a single row is rejected. */
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

bool stats_table_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct stats_table *s = arena_new(t->arena, struct stats_table);
	if (!s)
		return arena_err(t->arena, e);
	s->trace = t;
	s->text.trace = t;
	s->records.window = w;
	table_reader_bom(&s->records);
	return stats_table_lines(s, e) && stats_table_finish(s, e);
}
