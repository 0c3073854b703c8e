/* ncu_table.c - reads the tables of Nsight Compute */
#include "ncu_table.h"
#include "byte_window.h"
#include "figure.h"
#include "names.h"
#include "note.h"
#include "table_reader.h"
#include "utf8.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics and units */

enum ncu_unit { NCU_NUMBER, NCU_PERCENT, NCU_TIME, NCU_RATE };

struct ncu_metric {
	enum { NCU_UNKNOWN, NCU_FIGURE, NCU_STALL } is;
	enum kernel_figure figure;
	enum ncu_unit unit; /* that a figure needs */
	int group; /* of stall reasons */
	enum stall_reason reason;
};

static const struct {
	enum kernel_figure figure;
	const char *name;
	enum ncu_unit unit;
} figures[] = {
#define NCU_METRIC(figure, name, unit) \
	{ KERNEL_FIGURE_##figure, name, NCU_##unit },
#define NCU_STALLS(before, after)
#include "ncu_metric.def"
#undef NCU_METRIC
#undef NCU_STALLS
};
enum { FIGURES_N = sizeof figures / sizeof *figures };

static const struct {
	const char *before, *after;
} groups[] = {
#define NCU_METRIC(figure, name, unit)
#define NCU_STALLS(before, after) { before, after },
#include "ncu_metric.def"
#undef NCU_METRIC
#undef NCU_STALLS
};
enum { GROUPS = sizeof groups / sizeof *groups };

static bool ncu_table_is(struct table_cell c, const char *text)
{
	return c.len == strlen(text) && !memcmp(c.at, text, c.len);
}

static bool ncu_table_begins(struct table_cell c, const char *text)
{
	size_t n = strlen(text);
	return c.len >= n && !memcmp(c.at, text, n);
}

static bool ncu_table_ends(struct table_cell c, const char *text)
{
	size_t n = strlen(text);
	return c.len >= n && !memcmp(c.at + c.len - n, text, n);
}

/* The reason with this word; STALL_other if it is unknown. One reason has the
 * words no_instruction and no_instructions. */
static enum stall_reason ncu_table_reason(const char *word, size_t len)
{
	for (int r = 0; r < STALL_other; r++) {
		const char *is = stall_reason_word((enum stall_reason)r);
		size_t n = strlen(is);
		if (!strncmp(is, word, len < n ? len : n) &&
			(len == n || (len == n + 1 && word[n] == 's')))
			return (enum stall_reason)r;
	}
	return STALL_other;
}

/* A metric of a stall reason. Samples of cycles in which no warp at all issued
 * an instruction are another count of the same stalls. */
static bool ncu_table_stall(struct table_cell name, struct ncu_metric *m)
{
	for (int g = 0; g < GROUPS; g++) {
		if (!ncu_table_begins(name, groups[g].before) ||
			!ncu_table_ends(name, groups[g].after))
			continue;
		size_t before = strlen(groups[g].before);
		size_t around = before + strlen(groups[g].after);
		if (name.len <= around)
			continue;
		struct table_cell word = { name.at + before,
			name.len - around };
		if (ncu_table_ends(word, "_not_issued") ||
			memchr(word.at, '.', word.len))
			continue;
		*m = (struct ncu_metric){ .is = NCU_STALL,
			.group = g,
			.reason = ncu_table_reason(word.at, word.len) };
		return true;
	}
	return false;
}

/* The label of a stall reason on the page details, such as "Stall Long
 * Scoreboard". It is one of the first group. */
static bool ncu_table_stall_label(struct table_cell name, struct ncu_metric *m)
{
	char word[40];
	static const char stall[] = "Stall ";
	if (ncu_table_begins(name, stall)) {
		name.at += sizeof stall - 1;
		name.len -= sizeof stall - 1;
	} else if (!ncu_table_is(name, "Selected")) {
		return false;
	}
	if (name.len >= sizeof word)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];
		word[i] = c == ' '		 ? '_'
			  : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a')
						 : c;
	}
	*m = (struct ncu_metric){ .is = NCU_STALL,
		.reason = ncu_table_reason(word, name.len) };
	return m->reason != STALL_other;
}

/* The metric with this name and a unit of this kind. */
static struct ncu_metric ncu_table_metric(struct table_cell name,
	const enum ncu_unit *unit)
{
	struct ncu_metric m = { .is = NCU_UNKNOWN };
	for (int i = 0; i < FIGURES_N; i++) {
		if (!ncu_table_is(name, figures[i].name))
			continue;
		m = (struct ncu_metric){ .is = NCU_FIGURE,
			.figure = figures[i].figure,
			.unit = figures[i].unit };
		if (!unit || *unit == m.unit)
			return m;
	}
	if (m.is == NCU_UNKNOWN && !ncu_table_stall(name, &m))
		ncu_table_stall_label(name, &m);
	return m;
}

/* Whether the text names a multiple of `base`, by one of the letters of SI. */
static bool ncu_table_multiple(struct table_cell c, const char *base,
	int *power)
{
	static const char letters[] = "KMGTP";
	const char *at = c.len ? strchr(letters, c.at[0] & ~0x20) : NULL;
	*power = 0;
	if (at && *at) {
		*power = 3 * (int)(at - letters + 1);
		c.at++;
		c.len--;
	}
	return ncu_table_is(c, base);
}

/* The kind of a unit, and the power of ten that converts it to ns or to bytes
 * per second. */
static enum ncu_unit ncu_table_unit(struct table_cell c, int *power)
{
	static const char *const rates[] = { "byte/second", "byte/s", "B/s" };
	static const struct {
		const char *text;
		int power;
	} times[] = { { "nsecond", 0 }, { "usecond", 3 }, { "msecond", 6 },
		{ "second", 9 } };
	enum figure_unit unit;
	*power = 0;
	if (ncu_table_is(c, "%"))
		return NCU_PERCENT;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (ncu_table_is(c, times[i].text)) {
			*power = times[i].power;
			return NCU_TIME;
		}
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		if (ncu_table_multiple(c, rates[i], power))
			return NCU_RATE;
	*power = 0;
	if (c.len && figure_unit(c.at, c.len, &unit) && unit != FIGURE_PLAIN) {
		*power = figure_ns_power(unit);
		return NCU_TIME;
	}
	return NCU_NUMBER;
}

enum ncu_value { NCU_VALUE, NCU_ABSENT, NCU_BAD };

/* Reads a value. ncu prints "n/a" for a metric that it could not measure, "nan"
 * for a ratio of two zeros, "(!) …" for errors, and the values of instances in
 * brackets after the value. */
static enum ncu_value ncu_table_value(struct table_cell c, int power, double *v)
{
	static const char *const absent[] = { "n/a", "N/A", "nan", "-nan",
		"no data" };
	struct figure f;
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		if (ncu_table_is(c, absent[i]))
			return NCU_ABSENT;
	if (!c.len || ncu_table_begins(c, "(!)"))
		return NCU_ABSENT;
	char *open = memmem(c.at, c.len, " (", 2);
	if (open)
		c.len = (size_t)(open - c.at);
	if (!figure_read(c.at, c.len, &f) || f.unit != FIGURE_PLAIN)
		return NCU_BAD;
	*v = figure_real(&f, power);
	return isfinite(*v) ? NCU_VALUE : NCU_BAD;
}

/* ---- the sums */

struct ncu_sum {
	struct kernel_profile is;
	double figure[KERNEL_FIGURES], stall[GROUPS][STALL_REASONS];
	int64_t figures[KERNEL_FIGURES], stalls[GROUPS][STALL_REASONS];
};

enum { NCU_METRICS = KERNEL_FIGURES + GROUPS * STALL_REASONS, SEEN_WORDS = 3 };
static_assert(NCU_METRICS <= 64 * SEEN_WORDS, "a bit per metric");

struct ncu_launch {
	uint32_t profile;
	uint64_t seen[SEEN_WORDS]; /* metrics that it has */
};

enum ncu_column {
	NCU_ID,
	NCU_PROCESS,
	NCU_KERNEL,
	NCU_BLOCK,
	NCU_GRID,
	NCU_METRIC_NAME,
	NCU_METRIC_UNIT,
	NCU_METRIC_VALUE,
	NCU_COLUMNS
};

static const char *const column_names[NCU_COLUMNS] = {
	[NCU_ID] = "ID",
	[NCU_PROCESS] = "Process ID",
	[NCU_KERNEL] = "Kernel Name",
	[NCU_BLOCK] = "Block Size",
	[NCU_GRID] = "Grid Size",
	[NCU_METRIC_NAME] = "Metric Name",
	[NCU_METRIC_UNIT] = "Metric Unit",
	[NCU_METRIC_VALUE] = "Metric Value",
};

/* A column of the page raw. */
struct ncu_raw {
	struct ncu_metric metric;
	enum ncu_unit unit;
	int power;
	bool implied; /* its name says that it is a percentage */
};

struct ncu_reader {
	struct arena *arena;
	struct names keys; /* kernel, grid and block; id = profile + 1 */
	struct names texts; /* ids and processes as printed */
	struct names launch_keys; /* id = launch + 1 */
	struct ncu_sum *sums;
	struct ncu_launch *launches;
	uint32_t sums_n, sums_cap, launches_n, launches_cap;
	int64_t bad_lines, bad_values;
	size_t name_bytes;
	bool cut;

	/* of the table that is read */
	const char *label;
	uint32_t table, before; /* headings so far; before this file */
	bool details;
	int at[NCU_COLUMNS]; /* -1: no such column */
	struct ncu_raw *raw; /* by column */
	struct table_cell *cells; /* of the record, by column */
	uint32_t columns, columns_cap;
	int64_t metrics; /* values that counted */
};

/* The largest file after decompression; tables compress by 10 to 60. */
#define NCU_PLAIN_MAX (INT64_C(256) << 20)
enum { NCU_RATIO = 100 };

/* More columns than any version has metrics (about 8,000 with all breakdowns). */
enum { NCU_COLUMNS_MAX = 1 << 16 };
/* As long as the longest name of a kernel of a run. */
enum { NCU_NAME_MAX = 64 << 10 };
/* Of all rows together: names of templates have up to some KB. An answer has
 * all rows of a run. */
enum { NCU_NAMES_MAX = 4 << 20 };

struct ncu_reader *ncu_reader_new(struct arena *a)
{
	struct ncu_reader *r = arena_new(a, struct ncu_reader);
	if (!r)
		return NULL;
	r->arena = a;
	return names_init(&r->keys, a) && names_init(&r->texts, a) &&
			       names_init(&r->launch_keys, a)
		       ? r
		       : NULL;
}

static bool ncu_table_reserve(struct arena *a, void **array, size_t size,
	uint32_t *cap, uint32_t n, struct err *e)
{
	if (n <= *cap)
		return true;
	uint32_t more = *cap ? *cap : 64;
	while (more < n)
		more *= 2;
	void *grown = arena_grow(a, *array, more * size);
	if (!grown)
		return arena_err(a, e);
	*array = grown;
	*cap = more;
	return true;
}

/* Reads "(128, 1, 1)"; all are -1 if it is something else. */
static void ncu_table_three(struct table_cell c, int32_t to[3])
{
	static const char between[] = " \t(),xX";
	int32_t v[3];
	size_t at = 0;
	int n = 0;
	to[0] = to[1] = to[2] = -1;
	for (; n < 3; n++) {
		while (at < c.len && c.at[at] && strchr(between, c.at[at]))
			at++;
		size_t first = at;
		int64_t is = 0;
		while (at < c.len && c.at[at] >= '0' && c.at[at] <= '9' &&
			is <= INT32_MAX)
			is = is * 10 + (c.at[at++] - '0');
		if (at == first || is > INT32_MAX)
			return;
		v[n] = (int32_t)is;
	}
	for (; at < c.len; at++)
		if (!strchr(" )", c.at[at]))
			return;
	memcpy(to, v, sizeof v);
}

static bool ncu_table_profile_add(struct ncu_reader *r, struct table_cell name,
	const int32_t grid[3], const int32_t block[3], struct err *e)
{
	r->name_bytes += name.len;
	if (r->name_bytes > NCU_NAMES_MAX)
		return err_set(e, ERR_TRACE,
			"%s: the names of its kernels are longer than %d MiB "
			"together",
			r->label, NCU_NAMES_MAX >> 20);
	if (r->sums_n == NCU_PROFILES_MAX)
		return err_set(e, ERR_TRACE,
			"%s: it has more than %d different kernels, grids and "
			"blocks; profile fewer of them (ncu --kernel-name, "
			"--launch-count)",
			r->label, NCU_PROFILES_MAX);
	void *array = r->sums;
	if (!ncu_table_reserve(r->arena, &array, sizeof *r->sums, &r->sums_cap,
		    r->sums_n + 1, e))
		return false;
	r->sums = array;
	char *text = arena_alloc(r->arena, 3 * name.len + 1, 1);
	if (!text)
		return arena_err(r->arena, e);
	text[utf8_sanitize(text, name.at, name.len)] = '\0';
	struct ncu_sum *s = &r->sums[r->sums_n++];
	*s = (struct ncu_sum){ .is = { .name = text } };
	memcpy(s->is.grid, grid, sizeof s->is.grid);
	memcpy(s->is.block, block, sizeof s->is.block);
	return true;
}

/* The profile of a kernel with a grid and a block; it is added if it is new. */
static bool ncu_table_profile(struct ncu_reader *r, uint32_t *profile,
	struct err *e)
{
	struct table_cell name = r->cells[r->at[NCU_KERNEL]];
	int32_t three[6];
	ncu_table_three(r->at[NCU_GRID] < 0 ? (struct table_cell){ 0 }
					    : r->cells[r->at[NCU_GRID]],
		three);
	ncu_table_three(r->at[NCU_BLOCK] < 0 ? (struct table_cell){ 0 }
					     : r->cells[r->at[NCU_BLOCK]],
		three + 3);
	struct {
		uint32_t name;
		int32_t three[6];
	} key = { .name = names_put(&r->texts, name.at, name.len) };
	memcpy(key.three, three, sizeof three);
	uint32_t id = names_put(&r->keys, (const char *)&key, sizeof key);
	if (key.name == NAMES_NONE || id == NAMES_NONE)
		return arena_err(r->arena, e);
	*profile = id - 1;
	return id <= r->sums_n ||
	       ncu_table_profile_add(r, name, three, three + 3, e);
}

/* The launch that the record is of. Ids begin at 0 in each table. */
static bool ncu_table_launch(struct ncu_reader *r, struct ncu_launch **launch,
	struct err *e)
{
	struct table_cell id = r->cells[r->at[NCU_ID]];
	struct table_cell process = r->cells[r->at[NCU_PROCESS]];
	struct {
		uint32_t table, process, id, profile;
	} key = { .table = r->table,
		.process = names_put(&r->texts, process.at, process.len),
		.id = names_put(&r->texts, id.at, id.len) };
	if (!ncu_table_profile(r, &key.profile, e))
		return false;
	uint32_t n = names_put(&r->launch_keys, (const char *)&key, sizeof key);
	void *array = r->launches;
	if (key.process == NAMES_NONE || key.id == NAMES_NONE ||
		n == NAMES_NONE)
		return arena_err(r->arena, e);
	if (!ncu_table_reserve(r->arena, &array, sizeof *r->launches,
		    &r->launches_cap, n, e))
		return false;
	r->launches = array;
	*launch = &r->launches[n - 1];
	if (n > r->launches_n) {
		**launch = (struct ncu_launch){ .profile = key.profile };
		r->sums[key.profile].is.launches++;
		r->launches_n = n;
	}
	return true;
}

/* Adds a value; the first one of a metric counts. */
static void ncu_table_add(struct ncu_reader *r, struct ncu_launch *l,
	const struct ncu_metric *m, double v)
{
	struct ncu_sum *s = &r->sums[l->profile];
	uint32_t bit = m->is == NCU_FIGURE
			       ? (uint32_t)m->figure
			       : KERNEL_FIGURES +
					 (uint32_t)m->group * STALL_REASONS +
					 (uint32_t)m->reason;
	uint64_t *seen = &l->seen[bit / 64], mask = UINT64_C(1) << bit % 64;
	/* Several reasons may be unknown. */
	bool again = *seen & mask && m->reason != STALL_other;
	r->metrics++;
	if (again)
		return;
	if (m->is == NCU_FIGURE) {
		s->figure[m->figure] += v;
		s->figures[m->figure]++;
	} else {
		s->stall[m->group][m->reason] += v;
		s->stalls[m->group][m->reason] += !(*seen & mask);
	}
	*seen |= mask;
}

/* Adds the value of a known metric if its unit is one of its kind. */
static void ncu_table_measured(struct ncu_reader *r, struct ncu_launch *l,
	const struct ncu_raw *of, struct table_cell value)
{
	const struct ncu_metric *m = &of->metric;
	double v = 0;
	enum ncu_value got = ncu_table_value(value, of->power, &v);
	bool fits = m->is == NCU_STALL || m->unit == of->unit ||
		    (of->implied && m->unit == NCU_PERCENT &&
			    of->unit == NCU_NUMBER);
	if (got == NCU_ABSENT)
		return;
	if (got == NCU_BAD || !fits)
		r->bad_values++;
	else
		ncu_table_add(r, l, m, v);
}

/* ---- the table */

bool ncu_table_is_heading(const char *line, size_t len)
{
	static const char *const begins[] = { "\"ID\",\"Process ID\",",
		"ID,Process ID," };
	struct table_cell c = { (char *)(uintptr_t)line, len };
	return ncu_table_begins(c, begins[0]) || ncu_table_begins(c, begins[1]);
}

/* Cuts the record into r->cells. False if it has not exactly `want` cells; 0:
 * any number, up to NCU_COLUMNS_MAX. */
static bool ncu_table_cells(struct ncu_reader *r, const struct table_reader *t,
	size_t want, size_t *n, struct err *e)
{
	struct table_cells count;
	table_reader_split(&count, t->at, t->len, ',', SIZE_MAX);
	*n = count.n;
	if (count.broken || count.n > NCU_COLUMNS_MAX ||
		(want && count.n > want))
		return false;
	uint32_t cap = r->columns_cap;
	void *cells = r->cells, *raw = r->raw;
	if (!ncu_table_reserve(r->arena, &cells, sizeof *r->cells, &cap,
		    (uint32_t)count.n, e))
		return false;
	r->cells = cells;
	cap = r->columns_cap;
	if (!ncu_table_reserve(r->arena, &raw, sizeof *r->raw, &cap,
		    (uint32_t)count.n, e))
		return false;
	r->raw = raw;
	r->columns_cap = cap;
	struct table_cursor c = { .at = t->at, .end = t->at + t->len };
	for (size_t i = 0; i < count.n; i++)
		table_reader_cell(&c, ',', &r->cells[i]);
	return true;
}

static bool ncu_table_heading(struct ncu_reader *r,
	const struct table_reader *t, struct err *e)
{
	size_t n;
	if (!ncu_table_cells(r, t, 0, &n, e))
		return e->code != ERR_NONE
			       ? false
			       : err_set(e, ERR_TRACE,
					 "%s: the heading of its table is "
					 "damaged",
					 r->label);
	r->columns = (uint32_t)n;
	for (int c = 0; c < NCU_COLUMNS; c++)
		r->at[c] = -1;
	for (uint32_t i = 0; i < n; i++) {
		r->raw[i] = (struct ncu_raw){
			.metric = ncu_table_metric(r->cells[i], NULL),
			.implied = memmem(r->cells[i].at, r->cells[i].len,
					   ".pct", 4) != NULL
		};
		for (int c = 0; c < NCU_COLUMNS; c++)
			if (r->at[c] < 0 &&
				ncu_table_is(r->cells[i], column_names[c]))
				r->at[c] = (int)i;
	}
	r->details = r->at[NCU_METRIC_NAME] >= 0;
	r->table++;
	if (r->at[NCU_KERNEL] < 0 ||
		(r->details && (r->at[NCU_METRIC_UNIT] < 0 ||
				       r->at[NCU_METRIC_VALUE] < 0)))
		return err_set(e, ERR_TRACE, "%s: its table has no column '%s'",
			r->label,
			r->at[NCU_KERNEL] < 0	     ? "Kernel Name"
			: r->at[NCU_METRIC_UNIT] < 0 ? "Metric Unit"
						     : "Metric Value");
	return true;
}

/* The second heading of the page raw. */
static void ncu_table_units(struct ncu_reader *r)
{
	for (uint32_t i = 0; i < r->columns; i++)
		r->raw[i].unit = ncu_table_unit(r->cells[i], &r->raw[i].power);
}

static bool ncu_table_row(struct ncu_reader *r, struct err *e)
{
	struct ncu_launch *l = NULL;
	if (!ncu_table_launch(r, &l, e))
		return false;
	for (uint32_t i = 0; !r->details && i < r->columns; i++)
		if (r->raw[i].metric.is != NCU_UNKNOWN)
			ncu_table_measured(r, l, &r->raw[i], r->cells[i]);
	if (!r->details)
		return true;
	struct table_cell name = r->cells[r->at[NCU_METRIC_NAME]];
	struct ncu_raw of = { .implied = memmem(name.at, name.len, ".pct", 4) };
	of.unit = ncu_table_unit(r->cells[r->at[NCU_METRIC_UNIT]], &of.power);
	of.metric = ncu_table_metric(name, &of.unit);
	if (of.metric.is != NCU_UNKNOWN)
		ncu_table_measured(r, l, &of,
			r->cells[r->at[NCU_METRIC_VALUE]]);
	return true;
}

/* Whether a record is a line of the program or of ncu's log, which begins with
 * ==PROF==, ==WARNING== or ==ERROR==. Rows begin with a number. */
static bool ncu_table_foreign(const struct table_reader *t)
{
	struct table_cell c = table_reader_trim(t->at, t->len);
	return !c.len || ncu_table_begins(c, "==");
}

static bool ncu_table_record(struct ncu_reader *r, struct table_reader *t,
	struct err *e)
{
	size_t n = 0;
	if (ncu_table_is_heading(t->at, t->len)) {
		t->quotes = true;
		return ncu_table_heading(r, t, e);
	}
	if (r->table == r->before)
		return true;
	if (ncu_table_foreign(t)) {
		table_reader_shorten(t); /* a quote in it is no cell's */
		return true;
	}
	bool ok = ncu_table_cells(r, t, r->columns, &n, e);
	/* Rows of the page details may lack the columns of rules. */
	size_t min_cells =
		r->details ? (size_t)r->at[NCU_METRIC_VALUE] + 1 : r->columns;
	for (int c = 0; r->details && c < NCU_COLUMNS; c++)
		if (r->at[c] >= 0 && min_cells <= (size_t)r->at[c])
			min_cells = (size_t)r->at[c] + 1;
	if (e->code)
		return false;
	if (!ok && table_reader_shorten(t))
		return ncu_table_record(r, t, e);
	struct table_cell kernel = { 0 };
	ok = ok && n >= min_cells;
	if (ok) {
		kernel = r->cells[r->at[NCU_KERNEL]];
		if (!r->details && !r->cells[r->at[NCU_ID]].len) {
			ncu_table_units(r);
			return true;
		}
		ok = kernel.len && kernel.len <= NCU_NAME_MAX;
	}
	if (ok)
		return ncu_table_row(r, e);
	if (!t->ended || table_reader_cut(t))
		r->cut = true;
	else
		r->bad_lines++;
	return true;
}

static bool ncu_table_records(struct ncu_reader *r, struct byte_window *w,
	struct err *e)
{
	/* Quotes in the output of the program are no cells'. */
	struct table_reader t = { .window = w };
	table_reader_bom(&t);
	for (;;) {
		switch (table_reader_next(&t, e)) {
		case RECORD:
			if (!ncu_table_record(r, &t, e))
				return false;
			break;
		case RECORD_LONG:
			r->bad_lines += r->table > r->before;
			break;
		case RECORD_ERR:
			return false;
		case RECORD_END:
			return true;
		}
	}
}

static bool ncu_table_found(const struct ncu_reader *r, int64_t metrics,
	struct err *e)
{
	if (r->table == r->before)
		return err_set(e, ERR_TRACE,
			"%s: this is not a table of Nsight Compute: it has no "
			"line that begins with \"ID\",\"Process ID\"; print it "
			"with `ncu --csv`, or with `ncu --import REPORT --csv "
			"--page raw`",
			r->label);
	return r->metrics > metrics ||
	       err_set(e, ERR_TRACE,
		       "%s: the table of Nsight Compute has none of the "
		       "metrics that kernsift reads; record the section "
		       "SpeedOfLight (`ncu --set basic`)",
		       r->label);
}

static bool ncu_table_read(struct ncu_reader *r, const void *bytes, size_t len,
	struct err *e)
{
	static const struct decode_limits limits = { NCU_PLAIN_MAX, NCU_RATIO };
	struct notes notes = { 0 };
	struct source_memory m;
	struct source s;
	struct plain p;
	struct byte_window w;

	source_memory_init(&m, &s, bytes, len);
	plain_init(&p, &s, &limits, NULL, r->arena, &notes);
	bool ok = byte_window_init(&w, &p, e);
	if (ok) {
		ok = ncu_table_records(r, &w, e);
		r->cut |=
			p.ending == NOTE_truncated || p.ending == NOTE_damaged;
		byte_window_release(&w);
	}
	plain_release(&p);
	return ok;
}

bool ncu_reader_add(struct ncu_reader *r, const char *label, const void *bytes,
	size_t len, struct err *e)
{
	int64_t metrics = r->metrics;
	struct err why = { 0 };
	r->label = label;
	r->before = r->table;
	if (ncu_table_read(r, bytes, len, &why))
		return ncu_table_found(r, metrics, e);
	if (r->arena->full)
		return arena_err(r->arena, e);
	bool labeled = !strncmp(why.text, label, strlen(label));
	return err_set(e, why.code, "%s%s%s", labeled ? "" : label,
		labeled ? "" : ": ", why.text);
}

/* Shares of the first group that has the reason `selected`, which shows that
 * all reasons were recorded and not only some. */
static void ncu_table_stall_shares(const struct ncu_sum *s,
	struct kernel_profile *p)
{
	int g = 0;
	while (g < GROUPS && !s->stalls[g][STALL_selected])
		g++;
	double mean[STALL_REASONS] = { 0 }, total = 0;
	for (int i = 0; g < GROUPS && i < STALL_REASONS; i++) {
		if (s->stalls[g][i])
			mean[i] = s->stall[g][i] / (double)s->stalls[g][i];
		total += mean[i];
	}
	for (int i = 0; i < STALL_REASONS; i++)
		p->stall_pct[i] = g < GROUPS && total > 0 && isfinite(total) &&
						  s->stalls[g][i]
					  ? 100 * mean[i] / total
					  : (double)NAN;
}

bool ncu_reader_end(const struct ncu_reader *r, struct arena *a,
	struct kernel_profiles *out, struct err *e)
{
	*out = (struct kernel_profiles){ .n = r->sums_n,
		.launches = r->launches_n,
		.bad_lines = r->bad_lines,
		.bad_values = r->bad_values,
		.cut = r->cut };
	out->rows =
		arena_array(a, struct kernel_profile, (size_t)r->sums_n + 1);
	if (!out->rows)
		return arena_err(a, e);
	for (uint32_t i = 0; i < r->sums_n; i++) {
		const struct ncu_sum *s = &r->sums[i];
		struct kernel_profile *p = &out->rows[i];
		*p = s->is;
		p->name = arena_strdup(a, s->is.name);
		if (!p->name)
			return arena_err(a, e);
		for (int f = 0; f < KERNEL_FIGURES; f++)
			p->figure[f] =
				s->figures[f]
					? s->figure[f] / (double)s->figures[f]
					: (double)NAN;
		ncu_table_stall_shares(s, p);
	}
	return true;
}
