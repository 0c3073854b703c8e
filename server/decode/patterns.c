/* patterns.c - shares and means per cycle and function, and counters behind.
 *
 * A heading tells what the rows below it are; the counters' file may follow
 * the patterns' in the same bytes. */
#include "format.h"
#include "pattern_line.h"
#include "pattern_runs.h"
#include "pattern_times.h"
#include "records.h"
#include "text.h"
#include "utf8.h"

struct patterns {
	struct trace *trace;
	struct text text;
	struct records records;
	struct pattern_heading heading, next;
	struct pattern_runs runs;
	struct pattern_line line;
	struct cells cells;
	int64_t rows, refused;
};

static uint32_t text_of(struct patterns *s, struct cell c)
{
	return c.len ? text_id(&s->text,
			       &(struct span){ c.at, (uint32_t)c.len, false })
		     : 0;
}

static void refuse(struct patterns *s, struct cell c)
{
	s->refused++;
	note_add(&s->trace->notes, NOTE_pattern_row, 1, c.at, c.len);
}

/* False where the arena is full. */
static bool pattern_add(struct patterns *s)
{
	struct pattern_line *l = &s->line;
	struct pattern_row *row = &l->row;
	uint32_t host = text_of(s, l->host);
	row->name = text_of(s, l->function);
	row->metric = text_of(s, l->metric);
	row->device = text_of(s, l->device);
	row->func_type = text_of(s, l->func_type);
	row->anchor = text_of(s, l->anchor);
	if (s->trace->arena->full)
		return false;
	uint32_t process = pattern_runs_of(&s->runs, l->pid, host);
	if (process == PATTERN_RUNS_MAX) {
		refuse(s, (struct cell){ "(of too many processes)", 23 });
		return true;
	}
	row->process = (uint16_t)process;
	row->row = s->rows++;
	return process != NAMES_NONE && trace_pattern_add(s->trace, row);
}

static bool counter_add(struct patterns *s)
{
	const struct pattern_line *l = &s->line;
	struct sample sample = { .at_ns = l->at_ns,
		.value = l->value,
		.name = text_of(s, l->function),
		.host = text_of(s, l->host) };
	return !s->trace->arena->full && pattern_runs_sample(&s->runs, &sample);
}

/* Below the heading: a row, or one that cannot be read. A quote left open may
 * have joined it with the next: then its first line alone is looked at. */
static bool row(struct patterns *s)
{
	struct records *r = &s->records;
	const struct pattern_heading *h = &s->heading;
	char shown[80];
	do
		cells_split(&s->cells, r->at, r->len, ',', h->cells);
	while ((s->cells.broken || s->cells.n != h->cells) &&
		records_shorten(r));
	size_t n = utf8_clip(r->at, r->len, sizeof shown - 1);
	memcpy(shown, r->at, n);
	bool cut = records_cut(r);
	if (h->kind == PATTERN_HEADING && !cut &&
		pattern_line_read(&s->line, h, &s->cells))
		return pattern_add(s);
	if (h->kind == PATTERN_COUNTERS && !cut &&
		counter_line_read(&s->line, h, &s->cells))
		return counter_add(s);
	refuse(s, (struct cell){ shown, n });
	return true;
}

/* A heading. One that lacks what is needed fails the file where it is the
 * first, and costs the rows below it where it is not. */
static bool heading(struct patterns *s, struct err *e)
{
	struct pattern_heading *h = &s->heading;
	bool first = h->kind == PATTERN_NO_HEADING;
	char lacks[160];
	*h = s->next;
	pattern_heading_lacks(h, lacks, sizeof lacks);
	if (*lacks && first)
		return err_set(e, ERR_TRACE,
			"the pattern file has no column %s", lacks);
	if (*lacks) {
		h->kind = PATTERN_NO_HEADING;
		refuse(s, cell_trim(h->text, strlen(h->text)));
	}
	if (h->unknown)
		note_add(&s->trace->notes, NOTE_table_column, h->unknown,
			s->next.first_unknown.at, s->next.first_unknown.len);
	return true;
}

static bool record(struct patterns *s, struct err *e)
{
	struct records *r = &s->records;
	struct cell c = cell_trim(r->at, r->len);
	if (c.len == 0)
		return true;
	/* What both headings hold and hardly any row. */
	if (memmem(c.at, c.len, "_name", 5) &&
		pattern_heading_from(&s->next, c.at, c.len))
		return heading(s, e);
	return row(s) || arena_err(s->trace->arena, e);
}

static bool finish(struct patterns *s, struct err *e)
{
	struct trace *t = s->trace;
	if (s->rows == 0 && s->refused)
		return err_set(e, ERR_TRACE,
			"none of the %lld rows of the pattern file could be "
			"read",
			(long long)s->refused);
	if (s->rows == 0)
		return err_set(e, ERR_TRACE,
			"the pattern file has a heading, but no row");
	t->format = "patterns";
	if (!pattern_runs_finish(&s->runs))
		return arena_err(t->arena, e);
	pattern_times(t);
	return true;
}

bool patterns_decode(struct window *w, struct trace *t, struct err *e)
{
	struct patterns *s = arena_new(t->arena, struct patterns);
	if (!s || !pattern_runs_init(&s->runs, t))
		return arena_err(t->arena, e);
	s->trace = t;
	s->text.trace = t;
	s->records = (struct records){ .window = w, .quotes = true };
	records_bom(&s->records);
	for (;;) {
		switch (records_next(&s->records, e)) {
		case RECORD:
			if (!record(s, e))
				return false;
			break;
		case RECORD_LONG:
			refuse(s, (struct cell){ "(more than 16 MiB)", 18 });
			break;
		case RECORD_END:
			return finish(s, e);
		case RECORD_ERR:
			return false;
		}
	}
}
