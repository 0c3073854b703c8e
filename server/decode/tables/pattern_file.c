/* pattern_file.c - decodes pattern files: shares of an iteration and counters per function */
#include "table_magic.h"
#include "sort.h"
#include "table_reader.h"
#include "figure.h"
#include "format.h"
#include "text.h"
#include "trace.h"
#include "utf8.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The headings of pattern files and of their counters.
 *
 * Columns are recognized by their names, in any order. */
/* The first PATTERN_NEEDED are what a file cannot do without. */
enum pattern_column {
	PATTERN_ITERATION,
	PATTERN_PID,
	PATTERN_FUNCTION,
	PATTERN_METRIC,
	PATTERN_DEVICE,
	PATTERN_FUNC_TYPE,
	PATTERN_DURATION,
	PATTERN_INSTANCES,
	PATTERN_NEEDED,
	PATTERN_BETA = PATTERN_NEEDED,
	PATTERN_HOST,
	PATTERN_MU,
	PATTERN_SIGMA,
	PATTERN_INTERPOLATED,
	PATTERN_ANCHOR,
	PATTERN_ITERATION_DURATION,
	PATTERN_ITERATION_START,
	PATTERN_SIMPLE_NAME, /* known, but not used */
	PATTERN_COLUMNS
};

enum counter_column {
	COUNTER_NAME,
	COUNTER_TIME,
	COUNTER_VALUE,
	COUNTER_NEEDED,
	COUNTER_HOST = COUNTER_NEEDED,
	COUNTER_COLUMNS
};

enum { PATTERN_HEADING_MAX = 2048 };

struct pattern_heading {
	enum pattern_kind kind;
	size_t cells;
	int at[PATTERN_COLUMNS]; /* enum counter_column of PATTERN_COUNTERS */
	int unknown; /* columns with unknown names */
	struct table_cell first_unknown; /* in `text` */
	char text[PATTERN_HEADING_MAX];
};

static const char *const patterns[PATTERN_COLUMNS] = {
	[PATTERN_ITERATION] = "cycle",
	[PATTERN_PID] = "pid",
	[PATTERN_FUNCTION] = "function_name",
	[PATTERN_METRIC] = "metric_name",
	[PATTERN_DEVICE] = "device",
	[PATTERN_FUNC_TYPE] = "func_type",
	[PATTERN_DURATION] = "duration",
	[PATTERN_INSTANCES] = "instances_count",
	[PATTERN_BETA] = "beta_pct",
	[PATTERN_HOST] = "hostname",
	[PATTERN_MU] = "mu_pct",
	[PATTERN_SIGMA] = "sigma_pct",
	[PATTERN_INTERPOLATED] = "interpolation_status",
	[PATTERN_ANCHOR] = "anchor_name",
	[PATTERN_ITERATION_DURATION] = "anchor_dur_us",
	[PATTERN_ITERATION_START] = "cycle_start_ts",
	[PATTERN_SIMPLE_NAME] = "simple_name",
};

static const char *const counters[COUNTER_COLUMNS] = {
	[COUNTER_NAME] = "counter_name",
	[COUNTER_TIME] = "timestamp",
	[COUNTER_VALUE] = "value",
	[COUNTER_HOST] = "hostname",
};

static bool pattern_file_heading_is(const struct table_cell *c,
	const char *word)
{
	return strlen(word) == c->len && !memcmp(word, c->at, c->len);
}

static bool pattern_file_heading_has(const struct table_cells *c,
	const char *word)
{
	for (size_t i = 0; i < c->n; i++)
		if (pattern_file_heading_is(&c->list[i], word))
			return true;
	return false;
}

/* Returns the heading's kind; `text` contains its cells. */
static enum pattern_kind pattern_file_heading_split(struct table_cells *c,
	char *text, const char *line, size_t len)
{
	if (len >= PATTERN_HEADING_MAX || !memchr(line, ',', len))
		return PATTERN_NO_HEADING;
	memcpy(text, line, len);
	text[len] = '\0';
	table_reader_split(c, text, len, ',', 0);
	if (c->broken || c->n > CELLS_MAX)
		return PATTERN_NO_HEADING;
	if (pattern_file_heading_has(c, patterns[PATTERN_ITERATION]) &&
		pattern_file_heading_has(c, patterns[PATTERN_FUNCTION]))
		return PATTERN_HEADING;
	return pattern_file_heading_has(c, counters[COUNTER_NAME]) &&
			       pattern_file_heading_has(c,
				       counters[COUNTER_TIME])
		       ? PATTERN_COUNTERS
		       : PATTERN_NO_HEADING;
}

enum pattern_kind pattern_file_heading_of(const char *line, size_t len)
{
	char text[PATTERN_HEADING_MAX];
	struct table_cells c;
	return pattern_file_heading_split(&c, text, line, len);
}

/* The words of a kind of heading, and their number. */
static const char *const *words_of(enum pattern_kind kind, int *n)
{
	*n = kind == PATTERN_HEADING ? (int)PATTERN_COLUMNS
				     : (int)COUNTER_COLUMNS;
	return kind == PATTERN_HEADING ? patterns : counters;
}

/* False if the line is not a heading. A heading of patterns has "cycle" and
 * "function_name"; a heading of counters has "counter_name" and "timestamp". */
static bool pattern_file_heading_from(struct pattern_heading *h,
	const char *line, size_t len)
{
	struct table_cells c;
	int n;
	enum pattern_kind kind =
		pattern_file_heading_split(&c, h->text, line, len);
	if (kind == PATTERN_NO_HEADING)
		return false;
	h->kind = kind;
	h->cells = c.n;
	h->unknown = 0;
	const char *const *words = words_of(kind, &n);
	for (int w = 0; w < PATTERN_COLUMNS; w++)
		h->at[w] = -1;
	for (size_t i = 0; i < c.n; i++) {
		int w = 0;
		while (w < n &&
			(h->at[w] >= 0 ||
				!pattern_file_heading_is(&c.list[i], words[w])))
			w++;
		if (w < n)
			h->at[w] = (int)i;
		else if (!h->unknown++)
			h->first_unknown = c.list[i];
	}
	return true;
}

/* The required columns that the heading lacks, as "'pid', 'device'"; empty if
 * it lacks none. */
static void pattern_file_heading_lacks(const struct pattern_heading *h,
	char *to, size_t cap)
{
	size_t used = 0;
	int n;
	const char *const *words = words_of(h->kind, &n);
	n = h->kind == PATTERN_HEADING ? (int)PATTERN_NEEDED
				       : (int)COUNTER_NEEDED;
	*to = '\0';
	for (int w = 0; w < n; w++)
		if (h->at[w] < 0 && used < cap)
			used += (size_t)snprintf(to + used, cap - used,
				"%s'%s'", used ? ", " : "", words[w]);
}

struct pattern_line {
	/* without its texts and process; times are absolute */
	struct pattern_row row;
	int64_t pid;
	double value; /* value of a counter */
	int64_t at_ns; /* time of a counter's sample */
	struct table_cell function, metric, device, func_type, anchor, host;
};

struct pattern_sample {
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
	struct pattern_sample *samples;
	uint32_t samples_n, samples_cap;
};

/* The index of a process, added if new; NAMES_NONE if the arena is full,
 * PATTERN_RUNS_MAX if there are too many processes. */
enum { PATTERN_RUNS_MAX = 4096 };

/* Convert cells to numbers and texts. */

/* The column's cell; an empty cell if the file has no such column. */
static struct table_cell pattern_file_line_cell_of(const struct pattern_heading
							   *h,
	const struct table_cells *c, int column)
{
	return h->at[column] < 0 ? (struct table_cell){ "", 0 }
				 : c->list[h->at[column]];
}

static bool pattern_file_line_plain(struct table_cell c, struct figure *f)
{
	return figure_read(c.at, c.len, f) && f->unit == FIGURE_PLAIN;
}

/* Reads a whole number of at least `minimum`; -1 if the cell is empty, which
 * must be allowed. */
static bool pattern_file_line_whole(struct table_cell c, int64_t minimum,
	bool needed, int64_t *v)
{
	struct figure f;
	*v = -1;
	if (c.len == 0)
		return !needed;
	return pattern_file_line_plain(c, &f) && figure_whole(&f, 0, v) &&
	       *v >= minimum && (double)*v == figure_real(&f, 0);
}

/* Reads microseconds as nanoseconds, at most `most`; otherwise as
 * pattern_file_line_whole(). */
static bool pattern_file_line_time_ns(struct table_cell c, bool needed,
	int64_t most, int64_t *ns)
{
	struct figure f;
	*ns = -1;
	if (c.len == 0)
		return !needed;
	return pattern_file_line_plain(c, &f) && figure_whole(&f, 3, ns) &&
	       *ns <= most;
}

/* Reads a number that may be negative; NaN if the cell is empty. */
static bool pattern_file_line_real(struct table_cell c, double *v)
{
	struct figure f;
	bool minus = c.len && *c.at == '-';
	*v = NAN;
	if (c.len == 0)
		return true;
	if (!pattern_file_line_plain((struct table_cell){ c.at + minus,
					     c.len - minus },
		    &f))
		return false;
	*v = minus ? -figure_real(&f, 0) : figure_real(&f, 0);
	return isfinite(*v);
}

/* Reads a share or a deviation, which is never negative. */
static bool pattern_file_line_share(struct table_cell c, double *v)
{
	return pattern_file_line_real(c, v) && !(*v < 0);
}

static bool pattern_file_line_interpolated(struct table_cell c, uint8_t *v)
{
	*v = (uint8_t)c.len;
	return c.len <= 2 && !memcmp(c.at, "**", c.len);
}

static bool pattern_file_line_read(struct pattern_line *l,
	const struct pattern_heading *h, const struct table_cells *c)
{
	struct pattern_row *row = &l->row;
	if (c->broken || c->n != h->cells)
		return false;
	l->function = pattern_file_line_cell_of(h, c, PATTERN_FUNCTION);
	l->metric = pattern_file_line_cell_of(h, c, PATTERN_METRIC);
	l->device = pattern_file_line_cell_of(h, c, PATTERN_DEVICE);
	l->func_type = pattern_file_line_cell_of(h, c, PATTERN_FUNC_TYPE);
	l->anchor = pattern_file_line_cell_of(h, c, PATTERN_ANCHOR);
	l->host = pattern_file_line_cell_of(h, c, PATTERN_HOST);
	if (l->metric.len == 3 && !memcmp(l->metric.at, "N/A", 3))
		l->metric.len = 0;
	return l->function.len &&
	       pattern_file_line_whole(pattern_file_line_cell_of(h, c,
					       PATTERN_ITERATION),
		       0, true, &row->iteration) &&
	       row->iteration <= TRACE_TIME_MAX_NS &&
	       pattern_file_line_whole(pattern_file_line_cell_of(h, c,
					       PATTERN_PID),
		       0, true, &l->pid) &&
	       pattern_file_line_whole(pattern_file_line_cell_of(h, c,
					       PATTERN_INSTANCES),
		       1, true, &row->instances) &&
	       row->instances <= TRACE_TIME_MAX_NS &&
	       pattern_file_line_time_ns(pattern_file_line_cell_of(h, c,
						 PATTERN_DURATION),
		       true, TRACE_TIME_MAX_NS, &row->dur_ns) &&
	       pattern_file_line_time_ns(pattern_file_line_cell_of(h, c,
						 PATTERN_ITERATION_DURATION),
		       false, TRACE_TIME_MAX_NS, &row->iteration_ns) &&
	       pattern_file_line_time_ns(pattern_file_line_cell_of(h, c,
						 PATTERN_ITERATION_START),
		       false, INT64_MAX, &row->iteration_start_ns) &&
	       pattern_file_line_share(pattern_file_line_cell_of(h, c,
					       PATTERN_BETA),
		       &row->beta_pct) &&
	       pattern_file_line_real(pattern_file_line_cell_of(h, c,
					      PATTERN_MU),
		       &row->mu_pct) &&
	       pattern_file_line_share(pattern_file_line_cell_of(h, c,
					       PATTERN_SIGMA),
		       &row->sigma_pct) &&
	       pattern_file_line_interpolated(pattern_file_line_cell_of(h, c,
						      PATTERN_INTERPOLATED),
		       &row->interpolated);
}

/* The counter's name is in `function`. */
static bool pattern_file_counter_read(struct pattern_line *l,
	const struct pattern_heading *h, const struct table_cells *c)
{
	if (c->broken || c->n != h->cells)
		return false;
	l->function = pattern_file_line_cell_of(h, c, COUNTER_NAME);
	l->host = pattern_file_line_cell_of(h, c, COUNTER_HOST);
	return l->function.len &&
	       pattern_file_line_time_ns(pattern_file_line_cell_of(h, c,
						 COUNTER_TIME),
		       true, INT64_MAX, &l->at_ns) &&
	       pattern_file_line_real(pattern_file_line_cell_of(h, c,
					      COUNTER_VALUE),
		       &l->value) &&
	       !isnan(l->value);
}

/* Processes by pid and host, and, in a chain, by host. */

static bool pattern_file_runs_init(struct pattern_runs *r, struct trace *t)
{
	*r = (struct pattern_runs){ .trace = t };
	return names_init(&r->keys, t->arena) &&
	       names_init(&r->hosts, t->arena) &&
	       names_init(&r->pids, t->arena);
}

static bool pattern_file_runs_grow(struct arena *a, uint32_t **list,
	uint32_t cap)
{
	uint32_t *grown = arena_grow(a, *list, (size_t)cap * sizeof *grown);
	if (grown)
		*list = grown;
	return grown;
}

static bool pattern_file_runs_room(struct pattern_runs *r)
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
	return pattern_file_runs_grow(t->arena, &r->of_host, cap + 1) &&
	       pattern_file_runs_grow(t->arena, &r->before, cap);
}

/* Appends process `i` to the chain of its host. */
static bool pattern_file_runs_chain(struct pattern_runs *r, uint32_t host,
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

static uint32_t pattern_file_runs_of(struct pattern_runs *r, int64_t pid,
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
	if (!pattern_file_runs_room(r) ||
		names_put(&r->keys, key, sizeof both) == NAMES_NONE ||
		names_put(&r->pids, (const char *)&pid, sizeof pid) ==
			NAMES_NONE ||
		!pattern_file_runs_chain(r, host, t->processes_n))
		return NAMES_NONE;
	t->processes[t->processes_n] = (struct process){ .pid = pid,
		.host = host,
		.rank = -1,
		.world_size = -1 };
	return t->processes_n++;
}

/* Keeps a sample until all processes are known; then all samples are added to
 * the trace. */
static bool pattern_file_runs_sample(struct pattern_runs *r,
	const struct pattern_sample *s)
{
	if (r->samples_n == r->samples_cap) {
		uint32_t cap = r->samples_cap ? r->samples_cap * 2 : 1024;
		struct pattern_sample *grown = arena_grow(r->trace->arena,
			r->samples, (size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		r->samples = grown;
		r->samples_cap = cap;
	}
	r->samples[r->samples_n++] = *s;
	return true;
}

/* The number at the end of a counter's name; -1 if there is none. */
static int64_t pattern_file_runs_pid_of(const struct name *n)
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

static bool pattern_file_runs_add(struct pattern_runs *r,
	const struct pattern_sample *s, uint32_t process)
{
	return trace_counter_add(r->trace,
		&(struct counter_row){ .process = (uint16_t)process,
			.start_ns = s->at_ns,
			.name = s->name,
			.device = -1,
			.value = s->value });
}

/* Adds a sample to the process that its name refers to, if the file has a
 * process with that pid on that host. If the name refers to no process, adds
 * the sample to all processes of its host. */
static bool pattern_file_runs_sample_add(struct pattern_runs *r,
	const struct pattern_sample *s)
{
	const struct name *name = &r->trace->names.list[s->name];
	const int64_t both[2] = { pattern_file_runs_pid_of(name), s->host };
	const char *key = (const char *)both;
	uint32_t of = names_find(&r->keys, key, sizeof both);
	if (of != NAMES_NONE)
		return pattern_file_runs_add(r, s, of - 1);
	uint32_t host =
		names_find(&r->hosts, (const char *)&s->host, sizeof s->host);
	bool other = names_find(&r->pids, key, sizeof *both) != NAMES_NONE;
	if (other || host == NAMES_NONE) {
		note_add(&r->trace->notes, NOTE_counter_host, 1, name->text,
			name->len);
		return true;
	}
	for (uint32_t i = r->of_host[host]; i; i = r->before[i - 1])
		if (!pattern_file_runs_add(r, s, i - 1))
			return false;
	return true;
}

static bool pattern_file_runs_finish(struct pattern_runs *r)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->samples_n; i++)
		ok = pattern_file_runs_sample_add(r, &r->samples[i]);
	arena_drop(r->trace->arena, r->samples);
	r->samples = NULL;
	return ok;
}

/* Computes the median of the times and their base, and finds rows too far from
 * the median. */

enum { SAMPLES = 1001 };

/* The median of an even sample; false if no time is known. */
static bool pattern_file_times_middle(const struct trace *t, int64_t *ns)
{
	const struct pattern_rows *p = &t->pattern;
	const struct counter_rows *c = &t->counter;
	int64_t sample[SAMPLES];
	uint64_t rows = (uint64_t)p->n + c->n, step = rows / SAMPLES + 1;
	size_t got = 0;
	for (uint64_t i = 0; i < rows; i += step) {
		int64_t at = i < p->n ? p->iteration_start_ns[i]
				      : c->start_ns[i - p->n];
		if (at >= 0)
			sample[got++] = at;
	}
	sort_int64(sample, got);
	*ns = got ? sample[got / 2] : 0;
	return got > 0;
}

/* Times are not negative, so their difference never overflows. */
static bool pattern_file_times_near(int64_t at, int64_t middle_ns)
{
	int64_t far = at - middle_ns;
	return far <= TRACE_TIME_MAX_NS / 2 && far >= -TRACE_TIME_MAX_NS / 2;
}

static void pattern_file_times_far_off(struct trace *t, uint32_t name)
{
	const struct name *n = &t->names.list[name];
	note_add(&t->notes, NOTE_huge_time, 1, n->text, n->len);
}

/* Drops rows whose time is too far from the median; returns the earliest time
 * of the others. */
static int64_t pattern_file_times_thin(struct trace *t, int64_t middle_ns)
{
	struct pattern_rows *p = &t->pattern;
	struct counter_rows *c = &t->counter;
	int64_t first = INT64_MAX;
	uint32_t to = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t *at = &p->iteration_start_ns[i];
		if (*at >= 0 && !pattern_file_times_near(*at, middle_ns)) {
			pattern_file_times_far_off(t, p->name[i]);
			*at = -1;
		}
		if (*at >= 0 && *at < first)
			first = *at;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		if (!pattern_file_times_near(c->start_ns[i], middle_ns)) {
			pattern_file_times_far_off(t, c->name[i]);
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

/* Sets base_ns to the earliest start of an iteration or time of a sample, and
 * makes times relative to it. A time that is extremely far from the others
 * would push the others out of range. Such a start becomes unknown, such a
 * sample is dropped, and both are counted as huge_time. */
static void pattern_file_times(struct trace *t)
{
	/* A time before 2000 is from a clock that does not count from 1970. */
	const int64_t since_2000 = INT64_C(946684800) * 1000000000;
	int64_t middle_ns;
	if (!pattern_file_times_middle(t, &middle_ns))
		return;
	t->base_ns = pattern_file_times_thin(t, middle_ns);
	t->base_is_utc = t->base_ns >= since_2000;
	for (uint32_t i = 0; i < t->pattern.n; i++)
		if (t->pattern.iteration_start_ns[i] >= 0)
			t->pattern.iteration_start_ns[i] -= t->base_ns;
	for (uint32_t i = 0; i < t->counter.n; i++)
		t->counter.start_ns[i] -= t->base_ns;
}

struct pattern_file {
	struct trace *trace;
	struct text text;
	struct table_reader records;
	struct pattern_heading heading, next;
	struct pattern_runs runs;
	struct pattern_line line;
	struct table_cells cells;
	int64_t rows, refused;
};

static uint32_t pattern_file_text_of(struct pattern_file *s,
	struct table_cell c)
{
	return c.len ? text_id(&s->text, &(struct text_span){ c.at,
						 (uint32_t)c.len, false })
		     : 0;
}

static void pattern_file_refuse(struct pattern_file *s, struct table_cell c)
{
	s->refused++;
	note_add(&s->trace->notes, NOTE_pattern_row, 1, c.at, c.len);
}

/* Adds the row's data. False if the arena is full. */
static bool pattern_file_pattern_add(struct pattern_file *s)
{
	struct pattern_line *l = &s->line;
	struct pattern_row *row = &l->row;
	uint32_t host = pattern_file_text_of(s, l->host);
	row->name = pattern_file_text_of(s, l->function);
	row->metric = pattern_file_text_of(s, l->metric);
	row->device = pattern_file_text_of(s, l->device);
	row->func_type = pattern_file_text_of(s, l->func_type);
	row->anchor = pattern_file_text_of(s, l->anchor);
	if (s->trace->arena->full)
		return false;
	uint32_t process = pattern_file_runs_of(&s->runs, l->pid, host);
	if (process == PATTERN_RUNS_MAX) {
		pattern_file_refuse(s,
			(struct table_cell){ "(of too many processes)", 23 });
		return true;
	}
	row->process = (uint16_t)process;
	row->row = s->rows++;
	return process != NAMES_NONE && trace_pattern_add(s->trace, row);
}

static bool pattern_file_counter_add(struct pattern_file *s)
{
	const struct pattern_line *l = &s->line;
	struct pattern_sample sample = { .at_ns = l->at_ns,
		.value = l->value,
		.name = pattern_file_text_of(s, l->function),
		.host = pattern_file_text_of(s, l->host) };
	return !s->trace->arena->full &&
	       pattern_file_runs_sample(&s->runs, &sample);
}

/* Reads a line below the heading: a row, or a line that cannot be read. An
 * unclosed quote may have joined the row with the next line; then only the
 * first line is read. */
static bool pattern_file_row(struct pattern_file *s)
{
	struct table_reader *r = &s->records;
	const struct pattern_heading *h = &s->heading;
	char shown[80];
	do
		table_reader_split(&s->cells, r->at, r->len, ',', h->cells);
	while ((s->cells.broken || s->cells.n != h->cells) &&
		table_reader_shorten(r));
	size_t n = utf8_clip(r->at, r->len, sizeof shown - 1);
	memcpy(shown, r->at, n);
	bool cut = table_reader_cut(r);
	if (h->kind == PATTERN_HEADING && !cut &&
		pattern_file_line_read(&s->line, h, &s->cells))
		return pattern_file_pattern_add(s);
	if (h->kind == PATTERN_COUNTERS && !cut &&
		pattern_file_counter_read(&s->line, h, &s->cells))
		return pattern_file_counter_add(s);
	pattern_file_refuse(s, (struct table_cell){ shown, n });
	return true;
}

/* Reads a heading. If the first heading lacks a required column, the file is
 * rejected. If a later heading does, its rows are skipped. */
static bool pattern_file_heading(struct pattern_file *s, struct err *e)
{
	struct pattern_heading *h = &s->heading;
	bool first = h->kind == PATTERN_NO_HEADING;
	char lacks[160];
	*h = s->next;
	pattern_file_heading_lacks(h, lacks, sizeof lacks);
	if (*lacks && first)
		return err_set(e, ERR_TRACE,
			"the pattern file has no column %s", lacks);
	if (*lacks) {
		h->kind = PATTERN_NO_HEADING;
		pattern_file_refuse(s,
			table_reader_trim(h->text, strlen(h->text)));
	}
	if (h->unknown)
		note_add(&s->trace->notes, NOTE_table_column, h->unknown,
			s->next.first_unknown.at, s->next.first_unknown.len);
	return true;
}

static bool pattern_file_record(struct pattern_file *s, struct err *e)
{
	struct table_reader *r = &s->records;
	struct table_cell c = table_reader_trim(r->at, r->len);
	if (c.len == 0)
		return true;
	/* Both headings contain this text, and hardly any row does. */
	if (memmem(c.at, c.len, "_name", 5) &&
		pattern_file_heading_from(&s->next, c.at, c.len))
		return pattern_file_heading(s, e);
	return pattern_file_row(s) || arena_err(s->trace->arena, e);
}

static bool pattern_file_finish(struct pattern_file *s, struct err *e)
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
	if (!pattern_file_runs_finish(&s->runs))
		return arena_err(t->arena, e);
	pattern_file_times(t);
	return true;
}

bool pattern_file_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct pattern_file *s = arena_new(t->arena, struct pattern_file);
	if (!s || !pattern_file_runs_init(&s->runs, t))
		return arena_err(t->arena, e);
	s->trace = t;
	s->text.trace = t;
	s->records = (struct table_reader){ .window = w, .quotes = true };
	table_reader_bom(&s->records);
	for (;;) {
		switch (table_reader_next(&s->records, e)) {
		case RECORD:
			if (!pattern_file_record(s, e))
				return false;
			break;
		case RECORD_LONG:
			pattern_file_refuse(s,
				(struct table_cell){ "(more than 16 MiB)",
					18 });
			break;
		case RECORD_END:
			return pattern_file_finish(s, e);
		case RECORD_ERR:
			return false;
		}
	}
}
