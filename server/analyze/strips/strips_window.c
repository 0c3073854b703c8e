/* strips_window.c - a window of the strips, at a level of detail. */
#include "strips.h"
#include <stdlib.h>

struct strips_window_maker {
	const struct strips *s;
	struct strips_window *w;
	struct arena *a;
	uint32_t segments_n, segments_cap;
	int64_t *time_ns, *count; /* by name: totals */
	/* The open segment: its bin, and the time of its names. */
	bool open;
	int64_t bin, end_ns;
	int64_t *of_name_ns;
	uint32_t *named, named_n;
};

static bool strips_window_has(const struct strips_window *w, int64_t start_ns,
	int64_t end_ns)
{
	return start_ns < w->to_ns &&
	       (end_ns > w->from_ns || start_ns >= w->from_ns);
}

/* The first item that the window may contain: no item before it is long enough
 * to reach the window. */
static uint32_t strips_window_first(const struct strips *s,
	const struct strip *of, int64_t from_ns)
{
	uint32_t low = of->items.from, high = of->items.to;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (s->start_ns[middle] + of->longest_ns < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void strips_window_count(struct strips_window_maker *m, uint32_t item)
{
	const struct strips_window *w = m->w;
	int64_t start_ns = m->s->start_ns[item];
	int64_t end_ns = start_ns + m->s->dur_ns[item];
	uint32_t name = m->s->name[item];

	start_ns = start_ns > w->from_ns ? start_ns : w->from_ns;
	end_ns = end_ns < w->to_ns ? end_ns : w->to_ns;
	m->time_ns[name] += end_ns - start_ns;
	m->count[name]++;
}

/* ---- Segments */

/* Ends the open segment: its name is that with the most time. */
static void strips_window_close(struct strips_window_maker *m)
{
	int64_t most_ns = -1;

	if (!m->open)
		return;
	struct strip_segment *g = &m->w->segments[m->segments_n - 1];
	g->dur_ns = m->end_ns - g->start_ns;
	for (uint32_t i = 0; i < m->named_n; i++) {
		uint32_t name = m->named[i];
		if (m->of_name_ns[name] > most_ns) {
			most_ns = m->of_name_ns[name];
			g->name = name;
		}
		m->of_name_ns[name] = -1;
	}
	m->named_n = 0;
	m->open = false;
}

static struct strip_segment *strips_window_segment(
	struct strips_window_maker *m)
{
	struct strips_window *w = m->w;

	if (m->segments_n == m->segments_cap) {
		m->segments_cap = m->segments_cap ? m->segments_cap * 2 : 1024;
		w->segments = arena_grow(m->a, w->segments,
			m->segments_cap * sizeof *w->segments);
	}
	return &w->segments[m->segments_n++];
}

static void strips_window_add(struct strips_window_maker *m, uint32_t item)
{
	struct strips_window *w = m->w;
	int64_t start_ns = m->s->start_ns[item], dur_ns = m->s->dur_ns[item];
	int64_t bin = (start_ns - w->from_ns) / w->bin_ns;
	uint32_t name = m->s->name[item];
	struct strip_segment *g;

	if (dur_ns >= w->bin_ns || (m->open && m->bin != bin))
		strips_window_close(m);
	if (!m->open) {
		g = strips_window_segment(m);
		*g = (struct strip_segment){ start_ns, dur_ns, 0, 0, name };
		m->end_ns = start_ns + dur_ns;
		m->bin = bin;
		m->open = dur_ns < w->bin_ns;
	}
	g = &w->segments[m->segments_n - 1];
	g->busy_ns += dur_ns;
	g->count++;
	if (!m->open)
		return;
	if (start_ns + dur_ns > m->end_ns)
		m->end_ns = start_ns + dur_ns;
	if (m->of_name_ns[name] < 0) {
		m->of_name_ns[name] = 0;
		m->named[m->named_n++] = name;
	}
	m->of_name_ns[name] += dur_ns;
}

static void strips_window_strip(struct strips_window_maker *m, uint32_t strip,
	bool shown)
{
	const struct strips *s = m->s;
	const struct strip *of = &s->list[strip];

	for (uint32_t i = strips_window_first(s, of, m->w->from_ns);
		i < of->items.to && s->start_ns[i] < m->w->to_ns; i++) {
		if (!strips_window_has(m->w, s->start_ns[i],
			    s->start_ns[i] + s->dur_ns[i]))
			continue;
		strips_window_count(m, i);
		if (shown)
			strips_window_add(m, i);
	}
	strips_window_close(m);
}

/* ---- Totals */

static int strips_window_order(const void *left, const void *right)
{
	const struct strip_total *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return a->name < b->name ? -1 : 1;
}

/* Adds up the names of each kind after the first STRIPS_NAMES_MAX. Returns the
 * number of totals that remain. */
static uint32_t strips_window_merge(struct strip_total *list, uint32_t n)
{
	uint32_t kept = 0, of_kind = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool same = kept && list[kept - 1].kind == list[i].kind;
		of_kind = same ? of_kind + 1 : 1;
		if (of_kind <= STRIPS_NAMES_MAX + 1) {
			list[kept++] = list[i];
			continue;
		}
		list[kept - 1].name = STRIPS_OTHERS;
		list[kept - 1].count += list[i].count;
		list[kept - 1].time_ns += list[i].time_ns;
	}
	return kept;
}

static void strips_window_totals(struct strips_window_maker *m)
{
	struct strips_window *w = m->w;
	uint32_t n = 0;

	w->totals = arena_array(m->a, struct strip_total,
		(size_t)m->s->names_n + 1);
	for (uint32_t i = 0; i < m->s->names_n; i++)
		if (m->count[i])
			w->totals[n++] =
				(struct strip_total){ i, m->s->names[i].kind,
					m->count[i], m->time_ns[i] };
	qsort(w->totals, n, sizeof *w->totals, strips_window_order);
	w->totals_n = strips_window_merge(w->totals, n);
}

/* ---- The window */

/* Chooses the strips that have segments; returns how many. */
static uint32_t strips_window_choose(const struct strips *s, bool *shown)
{
	uint32_t of_kind[STRIP_KINDS] = { 0 }, n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct strip *is = &s->list[i];
		shown[i] = is->items.from != is->items.to &&
			   of_kind[is->kind]++ < STRIPS_SHOWN_MAX;
		n += shown[i];
	}
	return n;
}

void strips_window(const struct strips *s, int64_t from_ns, int64_t to_ns,
	uint32_t bins, struct arena *a, struct strips_window *out)
{
	size_t names = (size_t)s->names_n + 1;
	bool *shown = arena_array(a, bool, (size_t)s->n + 1);
	uint32_t shown_n = strips_window_choose(s, shown);
	/* A strip has at most two segments per bin. */
	uint32_t most = STRIPS_SEGMENTS_MAX / 2 / (shown_n ? shown_n : 1);
	struct strips_window_maker m = { .s = s,
		.w = out,
		.a = a,
		.time_ns = arena_array(a, int64_t, names),
		.count = arena_array(a, int64_t, names),
		.of_name_ns = arena_array(a, int64_t, names),
		.named = arena_array(a, uint32_t, names) };

	bins = bins < most ? bins : most;
	*out = (struct strips_window){ .from_ns = from_ns,
		.to_ns = to_ns,
		.bin_ns = (to_ns - from_ns + bins - 1) / bins,
		.of_strip = arena_array(a, struct slice, (size_t)s->n + 1),
		.shown = shown };
	for (uint32_t i = 0; i < s->names_n; i++)
		m.of_name_ns[i] = -1;
	for (uint32_t i = 0; i < s->n; i++) {
		out->of_strip[i].from = m.segments_n;
		strips_window_strip(&m, i, shown[i]);
		out->of_strip[i].to = m.segments_n;
	}
	strips_window_totals(&m);
}
