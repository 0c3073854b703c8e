/* stats_table.c - the kernel summary of `nsys stats`, as printed or as pasted.
 *
 * A file may hold more than the table: the words of nsys, other reports, what
 * a person wrote below. A heading opens a table; the first of kernels, and the
 * first of kernels by grid, are read. All else is counted and noted. */
#include "format.h"
#include "records.h"
#include "stats_headless.h"
#include "text.h"
#include "utf8.h"

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

static void note_text(struct stats_table *s, enum note_code code, int64_t count,
	struct cell c)
{
	note_add(&s->trace->notes, code, count, c.at, c.len);
}

/* A line as a note shows it, kept apart from what splitting does to it. */
static struct cell shown(char to[80], struct cell line)
{
	size_t len = utf8_clip(line.at, line.len, 79);
	memcpy(to, line.at, len);
	return (struct cell){ to, len };
}

static bool starts(struct cell c, const char *with)
{
	size_t n = strlen(with);
	return c.len >= n && !memcmp(c.at, with, n);
}

/* What nsys says around its tables; a title is kept. */
static bool chatter(struct stats_table *s, struct cell c)
{
	if (starts(c, "** ") && c.at[c.len - 1] == ':') {
		size_t n = c.len - 4 < sizeof s->title ? c.len - 4
						       : sizeof s->title - 1;
		memcpy(s->title, c.at + 3, n);
		s->title[n] = '\0';
		return true;
	}
	return starts(c, "Processing [") || starts(c, "SKIPPED: ") ||
	       starts(c, "Generating SQLite file ");
}

/* The table of `next` begins: it is read, or another one. */
static void table_open(struct stats_table *s)
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
		note_text(s, kernels ? NOTE_table_again : NOTE_table_other, 1,
			s->called);
	else if (h->unknown)
		note_text(s, NOTE_table_column, h->unknown, h->first_unknown);
	if (s->open) {
		s->heading = *h;
		s->headless = false;
		s->below = 0;
	}
}

/* A row where no table is open yet: of one without a heading. */
static bool headless(struct stats_table *s, struct cell line)
{
	if (s->rows || !stats_headless_from(&s->next, line.at, line.len))
		return false;
	table_open(s);
	s->headless = true;
	note_add(&s->trace->notes, NOTE_table_headless, 1, NULL, 0);
	return true;
}

/* What was open is over; a heading without a row is no table. */
static void table_close(struct stats_table *s)
{
	if (s->waits || (s->open && s->below == 0))
		note_text(s, NOTE_table_garbage, 1, s->called);
	s->open = s->other = s->waits = false;
}

/* A heading: its table begins, or is awaited where dashes have to come. */
static void heading(struct stats_table *s, struct cell line)
{
	struct cell title = { s->title, strlen(s->title) };
	s->called = shown(s->called_text, title.len ? title : line);
	s->title[0] = '\0';
	if (s->next.layout == STATS_SPACES)
		s->waits = true;
	else
		table_open(s);
}

/* Whether the sums of the table stay within what a trace can hold. */
static bool fits(struct stats_table *s, const struct stats_line *l)
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

static uint32_t text_of(struct stats_table *s, struct cell c)
{
	return text_id(&s->text,
		&(struct span){ c.at, (uint32_t)c.len, false });
}

/* False where the arena is full. */
static bool row_add(struct stats_table *s, struct stats_line *l)
{
	struct trace *t = s->trace;
	l->row.row = s->rows++;
	l->row.name = text_of(s, l->name);
	l->row.source = l->is_path ? text_of(s, l->before) : 0;
	l->row.launch = l->has_grid ? trace_launch_shape(t, &l->shape) : 0;
	s->below++;
	s->read[l->has_grid] = true;
	if (l->before.len && !l->is_path)
		note_text(s, NOTE_table_prefix, 1, l->before);
	if (l->rounded)
		note_add(&t->notes, NOTE_table_rounded, 1, NULL, 0);
	return l->row.name != NAMES_NONE && l->row.source != NAMES_NONE &&
	       l->row.launch != NAMES_NONE && trace_stat_add(t, &l->row);
}

/* A line below the open heading: a row, one that cannot be read, or none. */
static bool below(struct stats_table *s, struct cell line)
{
	const struct stats_heading *h = &s->heading;
	const struct records *r = &s->records;
	char text[80];
	struct cell told = shown(text, line);
	if (h->layout == STATS_SPACES)
		cells_cut(&s->cells, r->at, r->len, h->places, h->cells);
	else
		cells_split(&s->cells, r->at, r->len,
			h->layout == STATS_TABS ? '\t' : ',', h->cells);
	if (stats_line_read(&s->line, h, &s->cells) && !records_cut(r) &&
		(!s->headless || stats_headless_agrees(&s->line)) &&
		fits(s, &s->line))
		return row_add(s, &s->line);
	bool row = stats_line_like(&s->cells);
	s->refused += row;
	note_text(s, row ? NOTE_table_row : NOTE_table_garbage, 1, told);
	return true;
}

static bool line(struct stats_table *s)
{
	const struct records *r = &s->records;
	struct cell c = cell_trim(r->at, r->len);
	if (s->waits && stats_heading_places(&s->next, r->at, r->len)) {
		table_open(s);
		return true;
	}
	if (s->waits || (s->other && !c.len))
		table_close(s);
	if (!c.len)
		return true;
	if (stats_heading_from(&s->next, c.at, c.len)) {
		table_close(s);
		heading(s, c);
		return true;
	}
	if (s->other || chatter(s, c))
		return true;
	if (s->open || headless(s, c))
		return below(s, c);
	note_text(s, NOTE_table_garbage, 1, c);
	return true;
}

static bool lines(struct stats_table *s, struct err *e)
{
	struct records *r = &s->records;
	for (;;) {
		switch (records_next(r, e)) {
		case RECORD:
			if (!line(s))
				return arena_err(s->trace->arena, e);
			break;
		case RECORD_LONG:
			note_add(&s->trace->notes, NOTE_table_garbage, 1,
				"a line of more than 16 MiB", 26);
			break;
		case RECORD_END:
			table_close(s);
			return true;
		case RECORD_ERR:
			return false;
		}
	}
}

/* Why a file without a single row is none. */
static bool useless(const struct stats_table *s, struct err *e)
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

static bool finish(struct stats_table *s, struct err *e)
{
	struct trace *t = s->trace;
	if (s->rows == 0)
		return useless(s, e);
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
	return lines(s, e) && finish(s, e);
}
