/* pattern_told_metrics.c - a metric of a function is known by both. */
#include "pattern_told_metrics.h"
#include "pattern_metrics.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct key {
	uint32_t pattern, name; /* id of the metric's text */
};

struct metric {
	struct key is;
	const char *name;
	uint32_t id; /* index in order of first sight */
};

struct maker {
	const struct trace *t;
	struct slice rows;
	const struct told_row *told;
	struct profile *p;
	struct names keys; /* id = index in order of first sight + 1 */
	uint32_t *metric_of; /* by that index */
};
enum { NONE = UINT32_MAX };

static struct key key_of(const struct maker *m, uint32_t i)
{
	return (struct key){ m->told[i].function,
		m->t->pattern.metric[m->rows.from + i] };
}

static bool has_metric(const struct maker *m, uint32_t i)
{
	return m->told[i].cycle != NONE &&
	       m->t->pattern.metric[m->rows.from + i] != 0;
}

static bool collect(struct maker *m)
{
	bool ok = names_init(&m->keys, m->p->arena);
	for (uint32_t i = 0; ok && i < m->rows.to - m->rows.from; i++) {
		struct key k = key_of(m, i);
		if (has_metric(m, i))
			ok = names_put(&m->keys, (const char *)&k, sizeof k) !=
			     NAMES_NONE;
	}
	return ok;
}

static int by_pattern(const void *left, const void *right)
{
	const struct metric *a = left, *b = right;
	if (a->is.pattern != b->is.pattern)
		return a->is.pattern < b->is.pattern ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The metrics in their order; those beyond the room are left out. */
static bool order(struct maker *m)
{
	struct arena *a = m->p->arena;
	uint32_t n = m->keys.n - 1, most = pattern_metrics_most(m->p);
	uint32_t kept = n < most ? n : most;
	struct metric *list =
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
		qsort(list, n, sizeof *list, by_pattern);
	ok = ok && pattern_metrics_room(m->p, kept, n - kept,
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

static void fill(struct maker *m)
{
	const struct pattern_rows *r = &m->t->pattern;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		struct key k = key_of(m, i);
		uint32_t row = m->rows.from + i, at = m->told[i].cycle;
		if (!has_metric(m, i))
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

bool told_metrics(const struct trace *t, struct slice rows,
	const struct told_row *told, struct profile *p)
{
	struct maker m = { t, rows, told, p, .metric_of = NULL };
	bool ok = collect(&m) && order(&m);
	if (ok)
		fill(&m);
	arena_drop(p->arena, m.metric_of);
	return ok;
}
