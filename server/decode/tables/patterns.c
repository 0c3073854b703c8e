/* patterns.c - decodes pattern files: shares of an iteration and counters per function */
#include "figure.h"
#include "format.h"
#include "pattern_heading.h"
#include "records.h"
#include "text.h"
#include "trace.h"
#include "utf8.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pattern_line {
	struct pattern_row row; /* but its texts and process; absolute times */
	int64_t pid;
	double value; /* of a counter */
	int64_t at_ns; /* likewise */
	struct cell function, metric, device, func_type, anchor, host;
};

struct sample {
	int64_t at_ns; /* since 1970 */
	double value;
	uint32_t name, host;
};

struct pattern_runs {
	struct trace *trace;
	struct names keys; /* pid and host → process + 1 */
	struct names pids, hosts;
	uint32_t *of_host; /* by id in `hosts`: the last process + 1 */
	uint32_t *before; /* by process: the one before it on its host + 1 */
	uint32_t cap;
	struct sample *samples;
	uint32_t samples_n, samples_cap;
};

/* A process's index, added if new; NAMES_NONE where the arena is full,
 * PATTERN_RUNS_MAX where there are too many. */
enum { PATTERN_RUNS_MAX = 4096 };

/* cells become numbers and texts. */

/* The column's cell; an empty one where the file has no such column. */
static struct cell pattern_line_cell_of(const struct pattern_heading *h,
	const struct cells *c, int column)
{
	return h->at[column] < 0 ? (struct cell){ "", 0 }
				 : c->list[h->at[column]];
}

static bool pattern_line_plain(struct cell c, struct figure *f)
{
	return figure_read(c.at, c.len, f) && f->unit == FIGURE_PLAIN;
}

/* A whole number from `least` on; -1 where the cell is empty and may be. */
static bool pattern_line_whole(struct cell c, int64_t least, bool needed,
	int64_t *v)
{
	struct figure f;
	*v = -1;
	if (c.len == 0)
		return !needed;
	return pattern_line_plain(c, &f) && figure_whole(&f, 0, v) &&
	       *v >= least && (double)*v == figure_real(&f, 0);
}

/* Microseconds as nanoseconds, at most `most`; else as above. */
static bool pattern_line_time_ns(struct cell c, bool needed, int64_t most,
	int64_t *ns)
{
	struct figure f;
	*ns = -1;
	if (c.len == 0)
		return !needed;
	return pattern_line_plain(c, &f) && figure_whole(&f, 3, ns) &&
	       *ns <= most;
}

/* A number that may be negative; NaN where the cell is empty. */
static bool pattern_line_real(struct cell c, double *v)
{
	struct figure f;
	bool minus = c.len && *c.at == '-';
	*v = NAN;
	if (c.len == 0)
		return true;
	if (!pattern_line_plain((struct cell){ c.at + minus, c.len - minus },
		    &f))
		return false;
	*v = minus ? -figure_real(&f, 0) : figure_real(&f, 0);
	return isfinite(*v);
}

/* A share or deviation: never negative. */
static bool pattern_line_share(struct cell c, double *v)
{
	return pattern_line_real(c, v) && !(*v < 0);
}

static bool pattern_line_interpolated(struct cell c, uint8_t *v)
{
	*v = (uint8_t)c.len;
	return c.len <= 2 && !memcmp(c.at, "**", c.len);
}

static bool pattern_line_read(struct pattern_line *l,
	const struct pattern_heading *h, const struct cells *c)
{
	struct pattern_row *row = &l->row;
	if (c->broken || c->n != h->cells)
		return false;
	l->function = pattern_line_cell_of(h, c, PATTERN_FUNCTION);
	l->metric = pattern_line_cell_of(h, c, PATTERN_METRIC);
	l->device = pattern_line_cell_of(h, c, PATTERN_DEVICE);
	l->func_type = pattern_line_cell_of(h, c, PATTERN_FUNC_TYPE);
	l->anchor = pattern_line_cell_of(h, c, PATTERN_ANCHOR);
	l->host = pattern_line_cell_of(h, c, PATTERN_HOST);
	if (l->metric.len == 3 && !memcmp(l->metric.at, "N/A", 3))
		l->metric.len = 0;
	return l->function.len &&
	       pattern_line_whole(pattern_line_cell_of(h, c, PATTERN_CYCLE), 0,
		       true, &row->cycle) &&
	       row->cycle <= TRACE_TIME_MAX_NS &&
	       pattern_line_whole(pattern_line_cell_of(h, c, PATTERN_PID), 0,
		       true, &l->pid) &&
	       pattern_line_whole(pattern_line_cell_of(h, c, PATTERN_INSTANCES),
		       1, true, &row->instances) &&
	       row->instances <= TRACE_TIME_MAX_NS &&
	       pattern_line_time_ns(pattern_line_cell_of(h, c,
					    PATTERN_DURATION),
		       true, TRACE_TIME_MAX_NS, &row->dur_ns) &&
	       pattern_line_time_ns(pattern_line_cell_of(h, c,
					    PATTERN_CYCLE_DURATION),
		       false, TRACE_TIME_MAX_NS, &row->cycle_ns) &&
	       pattern_line_time_ns(pattern_line_cell_of(h, c,
					    PATTERN_CYCLE_START),
		       false, INT64_MAX, &row->cycle_start_ns) &&
	       pattern_line_share(pattern_line_cell_of(h, c, PATTERN_BETA),
		       &row->beta_pct) &&
	       pattern_line_real(pattern_line_cell_of(h, c, PATTERN_MU),
		       &row->mu_pct) &&
	       pattern_line_share(pattern_line_cell_of(h, c, PATTERN_SIGMA),
		       &row->sigma_pct) &&
	       pattern_line_interpolated(pattern_line_cell_of(h, c,
						 PATTERN_INTERPOLATED),
		       &row->interpolated);
}

/* The counter's name is in `function`. */
static bool counter_line_read(struct pattern_line *l,
	const struct pattern_heading *h, const struct cells *c)
{
	if (c->broken || c->n != h->cells)
		return false;
	l->function = pattern_line_cell_of(h, c, COUNTER_NAME);
	l->host = pattern_line_cell_of(h, c, COUNTER_HOST);
	return l->function.len &&
	       pattern_line_time_ns(pattern_line_cell_of(h, c, COUNTER_TIME),
		       true, INT64_MAX, &l->at_ns) &&
	       pattern_line_real(pattern_line_cell_of(h, c, COUNTER_VALUE),
		       &l->value) &&
	       !isnan(l->value);
}

/* processes by pid and host, and in a chain by host. */

static bool pattern_runs_init(struct pattern_runs *r, struct trace *t)
{
	*r = (struct pattern_runs){ .trace = t };
	return names_init(&r->keys, t->arena) &&
	       names_init(&r->hosts, t->arena) &&
	       names_init(&r->pids, t->arena);
}

static bool pattern_runs_grow(struct arena *a, uint32_t **list, uint32_t cap)
{
	uint32_t *grown = arena_grow(a, *list, (size_t)cap * sizeof *grown);
	if (grown)
		*list = grown;
	return grown;
}

static bool pattern_runs_room(struct pattern_runs *r)
{
	struct trace *t = r->trace;
	if (t->processes_n < r->cap)
		return true;
	uint32_t cap = r->cap ? r->cap * 2 : 16;
	struct process *grown =
		arena_grow(t->arena, t->processes, (size_t)cap * sizeof *grown);
	if (!grown)
		return false;
	t->processes = grown;
	r->cap = cap;
	return pattern_runs_grow(t->arena, &r->of_host, cap + 1) &&
	       pattern_runs_grow(t->arena, &r->before, cap);
}

/* Puts process `i` at the end of its host's chain. */
static bool pattern_runs_chain(struct pattern_runs *r, uint32_t host,
	uint32_t i)
{
	uint32_t known = r->hosts.n;
	uint32_t id = names_put(&r->hosts, (const char *)&host, sizeof host);
	if (id == NAMES_NONE)
		return false;
	r->before[i] = id < known ? r->of_host[id] : 0;
	r->of_host[id] = i + 1;
	return true;
}

static uint32_t pattern_runs_of(struct pattern_runs *r, int64_t pid,
	uint32_t host)
{
	struct trace *t = r->trace;
	const int64_t both[2] = { pid, host };
	const char *key = (const char *)both;
	uint32_t known = names_find(&r->keys, key, sizeof both);
	if (known != NAMES_NONE)
		return known - 1;
	if (t->processes_n == PATTERN_RUNS_MAX)
		return PATTERN_RUNS_MAX;
	if (!pattern_runs_room(r) ||
		names_put(&r->keys, key, sizeof both) == NAMES_NONE ||
		names_put(&r->pids, (const char *)&pid, sizeof pid) ==
			NAMES_NONE ||
		!pattern_runs_chain(r, host, t->processes_n))
		return NAMES_NONE;
	t->processes[t->processes_n] = (struct process){ .pid = pid,
		.host = host,
		.rank = -1,
		.world_size = -1 };
	return t->processes_n++;
}

/* Keeps a sample until all processes are known; then adds all to the trace. */
static bool pattern_runs_sample(struct pattern_runs *r, const struct sample *s)
{
	if (r->samples_n == r->samples_cap) {
		uint32_t cap = r->samples_cap ? r->samples_cap * 2 : 1024;
		struct sample *grown = arena_grow(r->trace->arena, r->samples,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		r->samples = grown;
		r->samples_cap = cap;
	}
	r->samples[r->samples_n++] = *s;
	return true;
}

/* The number at the end of a counter's name; -1 where there is none. */
static int64_t pattern_runs_pid_of(const struct name *n)
{
	const char *digits = n->text + n->len;
	int64_t pid = 0;
	while (digits > n->text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	size_t len = (size_t)(n->text + n->len - digits);
	if (len == 0 || len > 18 || digits == n->text || digits[-1] != '_')
		return -1;
	for (size_t i = 0; i < len; i++)
		pid = pid * 10 + (digits[i] - '0');
	return pid;
}

static bool pattern_runs_add(struct pattern_runs *r, const struct sample *s,
	uint32_t process)
{
	return trace_counter_add(r->trace,
		&(struct counter_row){ .process = (uint16_t)process,
			.start_ns = s->at_ns,
			.name = s->name,
			.device = -1,
			.value = s->value });
}

/* To the process that a sample names, where the file has one of that pid; to
 * all of its host where it names none of them. */
static bool pattern_runs_sample_add(struct pattern_runs *r,
	const struct sample *s)
{
	const struct name *name = &r->trace->names.list[s->name];
	const int64_t both[2] = { pattern_runs_pid_of(name), s->host };
	const char *key = (const char *)both;
	uint32_t of = names_find(&r->keys, key, sizeof both);
	if (of != NAMES_NONE)
		return pattern_runs_add(r, s, of - 1);
	uint32_t host =
		names_find(&r->hosts, (const char *)&s->host, sizeof s->host);
	bool other = names_find(&r->pids, key, sizeof *both) != NAMES_NONE;
	if (other || host == NAMES_NONE) {
		note_add(&r->trace->notes, NOTE_counter_host, 1, name->text,
			name->len);
		return true;
	}
	for (uint32_t i = r->of_host[host]; i; i = r->before[i - 1])
		if (!pattern_runs_add(r, s, i - 1))
			return false;
	return true;
}

static bool pattern_runs_finish(struct pattern_runs *r)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->samples_n; i++)
		ok = pattern_runs_sample_add(r, &r->samples[i]);
	arena_drop(r->trace->arena, r->samples);
	r->samples = NULL;
	return ok;
}

/* a middle, a base, and what lies too far from them. */

enum { SAMPLES = 1001 };

static int pattern_times_by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* The middle of an even sample; false where no moment is known. */
static bool pattern_times_middle(const struct trace *t, int64_t *ns)
{
	const struct pattern_rows *p = &t->pattern;
	const struct counter_rows *c = &t->counter;
	int64_t sample[SAMPLES];
	uint64_t rows = (uint64_t)p->n + c->n, step = rows / SAMPLES + 1;
	size_t got = 0;
	for (uint64_t i = 0; i < rows; i += step) {
		int64_t at =
			i < p->n ? p->cycle_start_ns[i] : c->start_ns[i - p->n];
		if (at >= 0)
			sample[got++] = at;
	}
	qsort(sample, got, sizeof *sample, pattern_times_by_value);
	*ns = got ? sample[got / 2] : 0;
	return got > 0;
}

/* Moments are not negative: their difference never overflows. */
static bool pattern_times_near(int64_t at, int64_t middle_ns)
{
	int64_t far = at - middle_ns;
	return far <= TRACE_TIME_MAX_NS / 2 && far >= -TRACE_TIME_MAX_NS / 2;
}

static void pattern_times_far_off(struct trace *t, uint32_t name)
{
	const struct name *n = &t->names.list[name];
	note_add(&t->notes, NOTE_huge_time, 1, n->text, n->len);
}

/* Drops what lies too far off; the earliest of the rest. */
static int64_t pattern_times_thin(struct trace *t, int64_t middle_ns)
{
	struct pattern_rows *p = &t->pattern;
	struct counter_rows *c = &t->counter;
	int64_t first = INT64_MAX;
	uint32_t to = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t *at = &p->cycle_start_ns[i];
		if (*at >= 0 && !pattern_times_near(*at, middle_ns)) {
			pattern_times_far_off(t, p->name[i]);
			*at = -1;
		}
		if (*at >= 0 && *at < first)
			first = *at;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		if (!pattern_times_near(c->start_ns[i], middle_ns)) {
			pattern_times_far_off(t, c->name[i]);
			continue;
		}
		if (c->start_ns[i] < first)
			first = c->start_ns[i];
#define COLUMN(type, field, what) c->field[to] = c->field[i];
		COUNTER_COLUMNS(COLUMN)
#undef COLUMN
		to++;
	}
	c->n = to;
	return first;
}

/* Sets base_ns to the earliest start of a cycle or time of a sample, and makes
 * them relative to it. One that lies absurdly far from the others must not push
 * them out of range: it is unknown then (a sample: dropped), and counted as
 * huge_time. */
static void pattern_times(struct trace *t)
{
	/* Before 2000 it is a clock that counts from something else. */
	const int64_t since_2000 = INT64_C(946684800) * 1000000000;
	int64_t middle_ns;
	if (!pattern_times_middle(t, &middle_ns))
		return;
	t->base_ns = pattern_times_thin(t, middle_ns);
	t->base_is_utc = t->base_ns >= since_2000;
	for (uint32_t i = 0; i < t->pattern.n; i++)
		if (t->pattern.cycle_start_ns[i] >= 0)
			t->pattern.cycle_start_ns[i] -= t->base_ns;
	for (uint32_t i = 0; i < t->counter.n; i++)
		t->counter.start_ns[i] -= t->base_ns;
}

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

static uint32_t patterns_text_of(struct patterns *s, struct cell c)
{
	return c.len ? text_id(&s->text,
			       &(struct span){ c.at, (uint32_t)c.len, false })
		     : 0;
}

static void patterns_refuse(struct patterns *s, struct cell c)
{
	s->refused++;
	note_add(&s->trace->notes, NOTE_pattern_row, 1, c.at, c.len);
}

/* False where the arena is full. */
static bool patterns_pattern_add(struct patterns *s)
{
	struct pattern_line *l = &s->line;
	struct pattern_row *row = &l->row;
	uint32_t host = patterns_text_of(s, l->host);
	row->name = patterns_text_of(s, l->function);
	row->metric = patterns_text_of(s, l->metric);
	row->device = patterns_text_of(s, l->device);
	row->func_type = patterns_text_of(s, l->func_type);
	row->anchor = patterns_text_of(s, l->anchor);
	if (s->trace->arena->full)
		return false;
	uint32_t process = pattern_runs_of(&s->runs, l->pid, host);
	if (process == PATTERN_RUNS_MAX) {
		patterns_refuse(s,
			(struct cell){ "(of too many processes)", 23 });
		return true;
	}
	row->process = (uint16_t)process;
	row->row = s->rows++;
	return process != NAMES_NONE && trace_pattern_add(s->trace, row);
}

static bool patterns_counter_add(struct patterns *s)
{
	const struct pattern_line *l = &s->line;
	struct sample sample = { .at_ns = l->at_ns,
		.value = l->value,
		.name = patterns_text_of(s, l->function),
		.host = patterns_text_of(s, l->host) };
	return !s->trace->arena->full && pattern_runs_sample(&s->runs, &sample);
}

/* Below the heading: a row, or one that cannot be read. A quote left open may
 * have joined it with the next: then its first line alone is looked at. */
static bool patterns_row(struct patterns *s)
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
		return patterns_pattern_add(s);
	if (h->kind == PATTERN_COUNTERS && !cut &&
		counter_line_read(&s->line, h, &s->cells))
		return patterns_counter_add(s);
	patterns_refuse(s, (struct cell){ shown, n });
	return true;
}

/* A heading. One that lacks what is needed fails the file where it is the
 * first, and costs the rows below it where it is not. */
static bool patterns_heading(struct patterns *s, struct err *e)
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
		patterns_refuse(s, cell_trim(h->text, strlen(h->text)));
	}
	if (h->unknown)
		note_add(&s->trace->notes, NOTE_table_column, h->unknown,
			s->next.first_unknown.at, s->next.first_unknown.len);
	return true;
}

static bool patterns_record(struct patterns *s, struct err *e)
{
	struct records *r = &s->records;
	struct cell c = cell_trim(r->at, r->len);
	if (c.len == 0)
		return true;
	/* What both headings hold and hardly any row. */
	if (memmem(c.at, c.len, "_name", 5) &&
		pattern_heading_from(&s->next, c.at, c.len))
		return patterns_heading(s, e);
	return patterns_row(s) || arena_err(s->trace->arena, e);
}

static bool patterns_finish(struct patterns *s, struct err *e)
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
			if (!patterns_record(s, e))
				return false;
			break;
		case RECORD_LONG:
			patterns_refuse(s,
				(struct cell){ "(more than 16 MiB)", 18 });
			break;
		case RECORD_END:
			return patterns_finish(s, e);
		case RECORD_ERR:
			return false;
		}
	}
}
