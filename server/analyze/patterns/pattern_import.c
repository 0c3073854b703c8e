/* pattern_import.c - reads patterns that another tool computed from the rows of
 * a table. */
#include "pattern_import.h"
#include "catalog.h"
#include "device_text.h"
#include "kernel_name.h"
#include "pattern_table.h"
#include "profile.h"
#include "profile_word.h"
#include "trace.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Functions: the texts of a row become a type, a device number and a name. */

/* The function and iteration of a row. */
struct import_row {
	uint32_t function, iteration;
	bool first; /* the first of its function and iteration, which gives the time */
};

struct import_functions {
	const struct trace *t;
	const struct catalog *catalog;
	struct arena *a;
	struct names keys; /* id = index + 1 */
	struct pattern_function *list; /* total_ns -1 */
	uint32_t n, cap;
};

enum pattern_import_side { DEVICE, HOST };
static const enum pattern_import_side side_of[] = {
#define FUNCTION_TYPE(code, word, where, what) [FUNCTION_##code] = (where),
#include "function_type.def"
#undef FUNCTION_TYPE
};

/* What distinguishes functions: ids of texts, hashed as bytes. */
struct import_function_key {
	uint32_t name, device, type;
};

static bool pattern_import_functions_init(struct import_functions *f,
	const struct trace *t, const struct catalog *catalog, struct arena *a)
{
	*f = (struct import_functions){ .t = t, .catalog = catalog, .a = a };
	return names_init(&f->keys, a);
}

static bool pattern_import_starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A function with an unknown type belongs to a GPU if its device has a number. */
static enum function_type pattern_import_type_of(const char *word,
	const char *device)
{
	for (int i = 0; i < FUNCTION_TYPES; i++)
		if (!strcmp(word, profile_word_function[i]))
			return (enum function_type)i;
	return device_text_number(device) < 0 ? FUNCTION_other_host
					      : FUNCTION_other_device;
}

/* The type of a kernel is that of the catalog, as for kernels of a trace: tools
 * that write tables know NCCL only, and call other collectives compute. */
static enum function_type pattern_import_kernel_type(const struct catalog *c,
	enum function_type type, const char *name)
{
	struct kernel_source source;
	if (type != FUNCTION_gpu_compute && type != FUNCTION_other_device)
		return type;
	catalog_kernel(c, name, strlen(name), &source);
	return family_is_collective(source.family) ? FUNCTION_gpu_comm : type;
}

/* The name of a function. Kernels have the names in profile.kernels. */
static const char *pattern_import_name(struct arena *a, const struct name *n,
	const char *word)
{
	const char *text = n->text;
	size_t len;
	if (pattern_import_starts(word, "gpu_") &&
		!pattern_import_starts(word, "gpu_mem") &&
		kernel_name_from(a, n->text, n->len, &text, &len) == NAME_FULL)
		return NULL;
	return *text ? text : "(unnamed)";
}

static bool pattern_import_add_function(struct import_functions *f,
	const struct import_function_key *k)
{
	const struct names *texts = &f->t->names;
	const char *word = names_text(texts, k->type);
	const char *device = names_text(texts, k->device);
	if (f->n == f->cap) {
		uint32_t cap = f->cap ? f->cap * 2 : 64;
		void *grown = arena_grow(f->a, f->list,
			(size_t)cap * sizeof *f->list);
		if (!grown)
			return false;
		f->list = grown;
		f->cap = cap;
	}
	enum function_type type = pattern_import_type_of(word, device);
	struct pattern is = { .type = type,
		.device = device,
		.number =
			side_of[type] == HOST ? -1 : device_text_number(device),
		.name = pattern_import_name(f->a, &texts->list[k->name],
			word) };
	if (is.name)
		is.type = pattern_import_kernel_type(f->catalog, type, is.name);
	f->list[f->n++] = (struct pattern_function){ is, -1 };
	return is.name;
}

/* Finds the function of a row of the table and adds it if it is new. Returns
 * false if the arena is full. */
static bool pattern_import_function_of(struct import_functions *f, uint32_t row,
	uint32_t *function)
{
	const struct pattern_rows *r = &f->t->pattern;
	struct import_function_key k = { r->name[row], r->device[row],
		r->func_type[row] };
	uint32_t id = names_put(&f->keys, (const char *)&k, sizeof k);
	if (id == NAMES_NONE ||
		(id > f->n && !pattern_import_add_function(f, &k)))
		return false;
	*function = id - 1;
	return true;
}

/* Counters: a metric is identified by its function and its name. */

struct import_metric_key {
	uint32_t pattern, name; /* id of the metric's text */
};

struct import_metric {
	struct import_metric_key is;
	const char *name;
	uint32_t id; /* index in order of first appearance */
};

struct import_metrics {
	const struct trace *t;
	struct slice rows;
	const struct import_row *found;
	struct profile *p;
	struct names keys; /* id = index in order of first appearance + 1 */
	uint32_t *metric_of; /* by that index: the metric */
};
enum { NONE = UINT32_MAX };

static struct import_metric_key
pattern_import_metrics_key_of(const struct import_metrics *m, uint32_t i)
{
	return (struct import_metric_key){ m->found[i].function,
		m->t->pattern.metric[m->rows.from + i] };
}

static bool pattern_import_metrics_has_metric(const struct import_metrics *m,
	uint32_t i)
{
	return m->found[i].iteration != NONE &&
	       m->t->pattern.metric[m->rows.from + i] != 0;
}

static bool pattern_import_metrics_collect(struct import_metrics *m)
{
	bool ok = names_init(&m->keys, m->p->arena);
	for (uint32_t i = 0; ok && i < m->rows.to - m->rows.from; i++) {
		struct import_metric_key k =
			pattern_import_metrics_key_of(m, i);
		if (pattern_import_metrics_has_metric(m, i))
			ok = names_put(&m->keys, (const char *)&k, sizeof k) !=
			     NAMES_NONE;
	}
	return ok;
}

static int pattern_import_by_pattern(const void *left, const void *right)
{
	const struct import_metric *a = left, *b = right;
	if (a->is.pattern != b->is.pattern)
		return a->is.pattern < b->is.pattern ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Sorts the metrics; those that do not fit are left out. */
static bool pattern_import_metrics_order(struct import_metrics *m)
{
	struct arena *a = m->p->arena;
	uint32_t n = m->keys.n - 1, most = pattern_table_metrics_max(m->p);
	uint32_t kept = n < most ? n : most;
	struct import_metric *list =
		arena_grow(a, NULL, ((size_t)n + 1) * sizeof *list);
	m->metric_of =
		arena_grow(a, NULL, ((size_t)n + 1) * sizeof *m->metric_of);
	bool ok = list && m->metric_of;
	for (uint32_t i = 0; ok && i < n; i++) {
		memcpy(&list[i].is, names_text(&m->keys, i + 1),
			sizeof list[i].is);
		list[i].name = names_text(&m->t->names, list[i].is.name);
		list[i].id = i;
	}
	if (ok && n)
		qsort(list, n, sizeof *list, pattern_import_by_pattern);
	ok = ok && pattern_table_metrics(m->p, kept, n - kept,
			   kept < n ? list[kept].name : "");
	for (uint32_t i = 0; ok && i < n; i++) {
		m->metric_of[list[i].id] = i < kept ? i : NONE;
		if (i >= kept)
			continue;
		m->p->patterns.metrics[i].pattern = list[i].is.pattern;
		m->p->patterns.metrics[i].name = list[i].name;
	}
	arena_drop(a, list);
	return ok;
}

static void pattern_import_metrics_fill(struct import_metrics *m)
{
	const struct pattern_rows *r = &m->t->pattern;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		struct import_metric_key k =
			pattern_import_metrics_key_of(m, i);
		uint32_t row = m->rows.from + i, at = m->found[i].iteration;
		if (!pattern_import_metrics_has_metric(m, i))
			continue;
		uint32_t id = names_find(&m->keys, (const char *)&k, sizeof k);
		assert(id != NAMES_NONE);
		if (m->metric_of[id - 1] == NONE)
			continue;
		struct pattern_metric *to =
			&m->p->patterns.metrics[m->metric_of[id - 1]];
		if (to->interpolated[at] != METRIC_NO_ROW) {
			note_add(&m->p->notes, NOTE_pattern_twice, 1, to->name,
				strlen(to->name));
			continue;
		}
		to->mu[at] = r->mu_pct[row];
		to->sigma[at] = r->sigma_pct[row];
		to->interpolated[at] = r->interpolated[row];
	}
}

/* Fills p->patterns.metrics from the rows that have a metric. `found` contains,
 * for each row of the table, the row of p->patterns and the column of the
 * iteration. A second row for one cell is ignored, with a note. */
static bool pattern_import_metrics(const struct trace *t, struct slice rows,
	const struct import_row *found, struct profile *p)
{
	struct import_metrics m = { t, rows, found, p, .metric_of = NULL };
	bool ok = pattern_import_metrics_collect(&m) &&
		  pattern_import_metrics_order(&m);
	if (ok)
		pattern_import_metrics_fill(&m);
	arena_drop(p->arena, m.metric_of);
	return ok;
}

struct pattern_import {
	const struct trace *t;
	struct slice rows;
	struct profile *p;
	struct import_functions functions;
	struct import_row *found; /* by row of the slice */
	uint8_t *seen; /* by function and column */
	uint32_t *place; /* by iteration: its column in the table */
	uint32_t *row_of; /* by function: its row */
};

/* Maps iterations' numbers to ids; id = index + 1. */
static bool pattern_import_numbers(const struct iterations *all,
	struct names *of, struct arena *a)
{
	bool ok = names_init(of, a);
	for (uint32_t i = 0; ok && i < all->n; i++) {
		const int64_t *number = &all->iterations[i].number;
		ok = names_put(of, (const char *)number, sizeof *number) ==
		     i + 1;
	}
	return ok;
}

/* Finds the function of each row that belongs to an iteration. */
static bool pattern_import_assign(struct pattern_import *m)
{
	const struct pattern_rows *r = &m->t->pattern;
	struct names of;
	bool ok = pattern_import_numbers(&m->p->iterations, &of, m->p->arena);
	for (uint32_t i = m->rows.from; ok && i < m->rows.to; i++) {
		struct import_row *to = &m->found[i - m->rows.from];
		uint32_t id = names_find(&of, (const char *)&r->iteration[i],
			sizeof r->iteration[i]);
		*to = (struct import_row){ NONE, NONE, false };
		if (r->anchor[i] != r->anchor[m->rows.from] || id == NAMES_NONE)
			continue;
		to->iteration = id - 1;
		ok = pattern_import_function_of(&m->functions, i,
			&to->function);
	}
	return ok;
}

/* Sums each function's time. Replaces the iteration of each row by its column
 * in the table. */
static bool pattern_import_totals(struct pattern_import *m)
{
	const struct pattern_rows *r = &m->t->pattern;
	size_t n = m->p->patterns.iterations_n;
	m->seen = arena_grow(m->p->arena, NULL, n * m->functions.n + 1);
	for (uint32_t i = 0; m->seen && i < m->rows.to - m->rows.from; i++) {
		struct import_row *row = &m->found[i];
		if (row->iteration != NONE)
			row->iteration = m->place[row->iteration];
		if (row->iteration == NONE)
			continue;
		uint8_t *seen = &m->seen[row->function * n + row->iteration];
		row->first = !*seen;
		*seen = 1;
		int64_t *sum = &m->functions.list[row->function].total_ns;
		if (row->first)
			*sum = (*sum < 0 ? 0 : *sum) +
			       r->dur_ns[m->rows.from + i];
	}
	return m->seen;
}

static bool pattern_import_fill(struct pattern_import *m)
{
	const struct pattern_rows *r = &m->t->pattern;
	struct patterns *to = &m->p->patterns;
	size_t n = to->iterations_n;
	double *beta =
		arena_grow(m->p->arena, NULL, (n * to->n + 1) * sizeof *beta);
	if (!beta)
		return false;
	for (size_t i = 0; i < n * to->n; i++)
		beta[i] = NAN;
	for (uint32_t i = 0; i < to->n; i++)
		to->rows[i].beta_pct = beta + i * n;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		struct import_row *row = &m->found[i];
		if (row->iteration == NONE)
			continue;
		row->function = m->row_of[row->function];
		struct pattern *f = &to->rows[row->function];
		if (!row->first)
			continue;
		f->dur_ns[row->iteration] = r->dur_ns[m->rows.from + i];
		f->launches[row->iteration] = r->instances[m->rows.from + i];
		f->beta_pct[row->iteration] = r->beta_pct[m->rows.from + i];
	}
	return true;
}

bool pattern_import(const struct trace *t, const struct process *proc,
	const struct catalog *catalog, struct profile *p)
{
	struct pattern_import m = { .t = t, .rows = proc->pattern, .p = p };
	struct arena *a = p->arena;

	p->patterns = (struct patterns){ 0 };
	m.found = arena_grow(a, NULL,
		((size_t)m.rows.to - m.rows.from + 1) * sizeof *m.found);
	bool ok = m.found &&
		  pattern_import_functions_init(&m.functions, t, catalog, a) &&
		  pattern_import_assign(&m) &&
		  pattern_table_choose(p, m.functions.n, &m.place) &&
		  pattern_import_totals(&m) &&
		  pattern_table_rows(p, m.functions.list, m.functions.n,
			  &m.row_of) &&
		  pattern_import_fill(&m) &&
		  pattern_import_metrics(t, m.rows, m.found, p);
	arena_drop(a, m.found);
	arena_drop(a, m.seen);
	arena_drop(a, m.place);
	arena_drop(a, m.row_of);
	arena_drop(a, m.functions.list);
	return ok;
}
