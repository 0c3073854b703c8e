/* pattern_launch.c - finds how each kernel was launched: in which order, with
 * which grids and for which operators. */
#include "pattern.h"
#include "attribution.h"
#include "catalog.h"
#include "iteration_find.h"
#include "names.h"
#include "profile.h"
#include "trace.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum pattern_launch_list { GRIDS, OPERATORS, LISTS };

/* Keys are hashed as bytes, so they contain no padding. */
struct pattern_launch_function {
	uint32_t kernel;
	int32_t device;
};
struct pattern_launch_stream {
	int64_t stream, device;
};
struct pattern_launch_use {
	const void *is, *sizes; /* operator and shape; or the launch's grid */
	uint32_t function, list;
};

struct pattern_launch_text {
	uint32_t function, list, times;
	const char *text;
};

struct pattern_launch_maker {
	const struct attribution *at;
	const struct iteration_rows *rows;
	struct arena *a;
	struct names functions; /* struct pattern_launch_function */
	/* By kernel: the function on the first device that has a row. Most runs
	 * have one device, so most launches need no search in `functions`. */
	struct pattern_launch_usual {
		uint32_t function; /* 0: the kernel has no row */
		int32_t device;
	} * usual;
	struct pattern **row_of; /* by function id; NULL: not in the table */
	bool *has_stem; /* by function id */
	uint64_t *first; /* by function id: stream, then kernel row; or
		UINT64_MAX */
	struct names streams, uses;
	struct pattern_launch_stream
		last; /* of the launch before, and its id */
	uint32_t last_id;
	struct pattern_launch_text *texts; /* by use id */
	uint32_t texts_cap;
};

/* Finds the functions that are rows of the table. */
static bool pattern_launch_functions(struct pattern_launch_maker *m)
{
	const struct profile *p = m->at->profile;
	struct names kernels;
	size_t n = (size_t)p->patterns.n + 1;
	uint32_t *kernel_of = arena_grow(m->a, NULL,
		((size_t)p->kernels_n + 1) * sizeof *kernel_of);

	m->usual = arena_grow(m->a, NULL,
		((size_t)p->kernels_n + 1) * sizeof *m->usual);
	m->row_of = arena_array(m->a, struct pattern *, n);
	m->has_stem = arena_array(m->a, bool, n);
	m->first = arena_grow(m->a, NULL, n * sizeof *m->first);
	if (!kernel_of || !m->usual || !m->row_of || !m->has_stem ||
		!m->first || !names_init(&kernels, m->a))
		return false;
	memset(m->first, 0xFF, n * sizeof *m->first);
	for (uint32_t i = 0; i < p->kernels_n; i++) {
		uint32_t id = names_put(&kernels, p->kernels[i].name,
			strlen(p->kernels[i].name));
		if (id == NAMES_NONE)
			return false;
		if (id)
			kernel_of[id - 1] = i;
	}
	for (uint32_t i = 0; i < p->patterns.n; i++) {
		struct pattern *row = &p->patterns.rows[i];
		uint32_t id =
			names_find(&kernels, row->name, strlen(row->name));
		struct kernel_stem stem;
		if (id == NAMES_NONE || !id ||
			(row->type != FUNCTION_gpu_compute &&
				row->type != FUNCTION_gpu_comm))
			continue;
		const struct pattern_launch_function f = { kernel_of[id - 1],
			row->number };
		uint32_t at =
			names_put(&m->functions, (const char *)&f, sizeof f);
		if (at == NAMES_NONE || !catalog_kernel_stem(m->at->catalog,
						row->name, m->a, &stem))
			return false;
		if (!m->usual[f.kernel].function)
			m->usual[f.kernel] =
				(struct pattern_launch_usual){ at, f.device };
		m->row_of[at] = row;
		m->has_stem[at] = stem.text;
	}
	arena_drop(m->a, kernel_of);
	return true;
}

/* "128x1x1 / 256x1x1"; NULL if the arena is full. */
static const char *pattern_launch_grid_text(const struct pattern_launch_maker
						    *m,
	const struct launch_shape *s)
{
	const int32_t *g = s->grid, *b = s->block;

	return arena_printf(m->a,
		"%" PRId32 "x%" PRId32 "x%" PRId32 " / %" PRId32 "x%" PRId32
		"x%" PRId32,
		g[0], g[1], g[2], b[0], b[1], b[2]);
}

static const char *
pattern_launch_operator_text(const struct pattern_launch_maker *m,
	const struct operator_info *is, const struct shape *sizes)
{
	if (!sizes)
		return is->name;
	const char *dtype = dtype_word(sizes->dtype);
	const char *text = shape_text(sizes, m->a);
	return text ? arena_printf(m->a, "%s%s%s %s", is->name,
			      dtype ? " " : "", dtype ? dtype : "", text)
		    : NULL;
}

/* Counts a use; its text is made when it occurs first. */
static bool pattern_launch_count(struct pattern_launch_maker *m,
	const struct pattern_launch_use *use)
{
	uint32_t id = names_put(&m->uses, (const char *)use, sizeof *use);

	if (id == NAMES_NONE)
		return false;
	if (id >= m->texts_cap) {
		uint32_t cap = id * 2 + 64;
		void *grown =
			arena_grow(m->a, m->texts, cap * sizeof *m->texts);
		if (!grown)
			return false;
		m->texts = grown;
		memset(m->texts + m->texts_cap, 0,
			(cap - m->texts_cap) * sizeof *m->texts);
		m->texts_cap = cap;
	}
	struct pattern_launch_text *t = &m->texts[id];
	t->function = use->function;
	t->list = use->list;
	if (t->times++ == 0)
		t->text = use->list == GRIDS
				  ? pattern_launch_grid_text(m, use->is)
				  : pattern_launch_operator_text(m, use->is,
					    use->sizes);
	return t->text;
}

/* Counts the grid and the operator of a launch. An operator that only the
 * kernel's name gives says nothing that the name does not. */
static bool pattern_launch_uses(struct pattern_launch_maker *m, uint32_t i,
	uint32_t function)
{
	const struct trace *t = m->at->trace;
	const struct attributed *of = &m->at->of[i];
	const struct launch_shape *s = trace_launch_shape_at(t,
		t->kernel.launch[m->at->proc->kernel.from + i]);

	if (s->grid[0] >= 0 &&
		!pattern_launch_count(m, &(struct pattern_launch_use){ .is = s,
						 .function = function,
						 .list = GRIDS }))
		return false;
	if (!of->op || (of->known == KNOWN_RULE && !of->sizes))
		return true;
	return pattern_launch_count(m,
		&(struct pattern_launch_use){ .is = of->op,
			.sizes = of->sizes,
			.function = function,
			.list = OPERATORS });
}

/* The function of a launch; NAMES_NONE if it has no row. */
static uint32_t pattern_launch_function_of(const struct pattern_launch_maker *m,
	uint32_t kernel, int32_t device)
{
	const struct pattern_launch_usual *usual = &m->usual[kernel];
	const struct pattern_launch_function f = { kernel, device };

	if (!usual->function)
		return NAMES_NONE;
	return usual->device == device
		       ? usual->function
		       : names_find(&m->functions, (const char *)&f, sizeof f);
}

/* The id of a launch's stream; NAMES_NONE if the arena is full. */
static uint32_t pattern_launch_stream_of(struct pattern_launch_maker *m,
	int64_t stream, int32_t device)
{
	const struct pattern_launch_stream s = { stream, device };

	if (!m->last_id || s.stream != m->last.stream ||
		s.device != m->last.device) {
		m->last = s;
		m->last_id = names_put(&m->streams, (const char *)&s, sizeof s);
	}
	return m->last_id;
}

static bool pattern_launch_read(struct pattern_launch_maker *m)
{
	const struct kernel_rows *k = &m->at->trace->kernel;
	const struct iterations *all = &m->at->profile->iterations;
	struct slice rows = m->at->proc->kernel;

	for (uint32_t i = 0; i < rows.to - rows.from; i++) {
		uint32_t iteration = m->rows->kernel[i], row = rows.from + i;
		if (iteration == ITERATION_NONE ||
			all->iterations[iteration].use != ITERATION_KEPT)
			continue;
		uint32_t function = pattern_launch_function_of(m,
			m->at->kernel_of[i], k->device[row]);
		if (function == NAMES_NONE)
			continue;
		uint32_t stream = pattern_launch_stream_of(m, k->stream[row],
			k->device[row]);
		if (stream == NAMES_NONE)
			return false;
		if (m->first[function] == UINT64_MAX)
			m->first[function] = (uint64_t)stream << 32 | i;
		if (m->has_stem[function] &&
			!pattern_launch_uses(m, i, function))
			return false;
	}
	return true;
}

struct pattern_launch_first {
	uint64_t at;
	struct pattern *row;
};

static int pattern_launch_by_device(const void *left, const void *right)
{
	const struct pattern_launch_first *a = left, *b = right;

	if (a->row->number != b->row->number)
		return (a->row->number > b->row->number) -
		       (a->row->number < b->row->number);
	return (a->at > b->at) - (a->at < b->at);
}

static bool pattern_launch_order(struct pattern_launch_maker *m)
{
	uint32_t n = 0;
	struct pattern_launch_first *list = arena_grow(m->a, NULL,
		((size_t)m->functions.n + 1) * sizeof *list);

	for (uint32_t i = 1; list && i < m->functions.n; i++)
		if (m->first[i] != UINT64_MAX)
			list[n++] = (struct pattern_launch_first){ m->first[i],
				m->row_of[i] };
	if (n)
		qsort(list, n, sizeof *list, pattern_launch_by_device);
	for (uint32_t i = 0; i < n; i++) {
		const struct pattern *last = i ? list[i - 1].row : NULL;
		list[i].row->launch.order =
			last && last->number == list[i].row->number
				? last->launch.order + 1
				: 1;
	}
	arena_drop(m->a, list);
	return list;
}

static int pattern_launch_by_text(const void *left, const void *right)
{
	const struct pattern_launch_text *a = left, *b = right;

	if (a->function != b->function)
		return (a->function > b->function) -
		       (a->function < b->function);
	if (a->list != b->list)
		return (a->list > b->list) - (a->list < b->list);
	return strcmp(a->text, b->text);
}

static int pattern_launch_most_frequent(const void *left, const void *right)
{
	const struct pattern_launch_text *a = left, *b = right;

	if (a->times != b->times)
		return a->times > b->times ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* Writes one list of one function, from n different texts. */
static bool pattern_launch_list_write(struct pattern_launch_maker *m,
	struct pattern_launch_text *t, uint32_t n)
{
	struct pattern_launch *to = &m->row_of[t->function]->launch;
	struct pattern_texts *out =
		t->list == GRIDS ? &to->grids : &to->operators;

	qsort(t, n, sizeof *t, pattern_launch_most_frequent);
	n = n < PATTERN_TEXTS_MAX ? n : PATTERN_TEXTS_MAX;
	const char **list = arena_array(m->a, const char *, n);
	for (uint32_t i = 0; list && i < n; i++)
		list[i] = t[i].text;
	*out = (struct pattern_texts){ list, n };
	return list;
}

static bool pattern_launch_write(struct pattern_launch_maker *m)
{
	struct pattern_launch_text *t = m->texts;
	uint32_t n = 0, kept = 0;

	for (uint32_t i = 0; i < m->texts_cap; i++)
		if (t[i].times)
			t[n++] = t[i];
	if (n)
		qsort(t, n, sizeof *t, pattern_launch_by_text);
	for (uint32_t i = 0; i < n; i++)
		if (kept && !pattern_launch_by_text(&t[kept - 1], &t[i]))
			t[kept - 1].times += t[i].times;
		else
			t[kept++] = t[i];
	for (uint32_t from = 0, to; from < kept; from = to) {
		for (to = from + 1; to < kept &&
				    t[to].function == t[from].function &&
				    t[to].list == t[from].list;)
			to++;
		if (!pattern_launch_list_write(m, t + from, to - from))
			return false;
	}
	return true;
}

bool pattern_launch_from(const struct attribution *at,
	const struct iteration_rows *rows)
{
	struct pattern_launch_maker m = { .at = at,
		.rows = rows,
		.a = at->arena };
	bool ok = names_init(&m.functions, m.a) &&
		  names_init(&m.streams, m.a) && names_init(&m.uses, m.a) &&
		  pattern_launch_functions(&m) && pattern_launch_read(&m) &&
		  pattern_launch_order(&m) && pattern_launch_write(&m);

	arena_drop(m.a, m.usual);
	arena_drop(m.a, m.first);
	arena_drop(m.a, m.texts);
	return ok;
}
