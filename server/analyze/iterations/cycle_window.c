/* cycle_window.c - rows to ranges by their launch, windows around them. */
#include "cycle_window.h"
#include "correlation.h"
#include "cycle_groups.h"

struct maker {
	struct cycle_gpu *g;
	const struct cycle_ranges *r;
	int64_t *first, *last; /* the GPU's, by cycle; first > last: none */
};

/* The last of the ranges that began by then, or CYCLE_OF_NONE. */
static uint32_t begun(const struct maker *m, int64_t at_ns)
{
	const int64_t *start_ns = m->g->t->range.start_ns;
	uint32_t from = 0, to = m->r->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (start_ns[m->r->row[middle]] <= at_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? from - 1 : CYCLE_OF_NONE;
}

static uint32_t open_at(const struct maker *m, int64_t at_ns)
{
	uint32_t i = begun(m, at_ns);
	bool within =
		i != CYCLE_OF_NONE && at_ns < cycle_groups_end(&m->g->t->range,
						      m->r->row, m->r->n, i);
	return within ? i : CYCLE_OF_NONE;
}

static void launched_in(struct maker *m, struct cycle_gpu_rows *k)
{
	for (uint32_t i = k->rows.from; i < k->rows.to; i++) {
		uint32_t at = i - k->rows.from, call = k->call_of[at];
		if (!m->r->gpu && call == CORRELATION_NONE)
			continue;
		uint32_t c =
			open_at(m, m->r->gpu ? k->start_ns[i]
					     : m->g->t->call.start_ns[call]);
		k->cycle[at] = c;
		if (c == CYCLE_OF_NONE)
			continue;
		int64_t end = k->start_ns[i] + k->dur_ns[i];
		if (k->start_ns[i] < m->first[c])
			m->first[c] = k->start_ns[i];
		if (end > m->last[c])
			m->last[c] = end;
	}
}

static void starts(struct maker *m, struct cycles *out)
{
	const struct range_rows *r = &m->g->t->range;
	uint32_t n = m->r->n;
	int64_t next = INT64_MAX, busy = INT64_MIN, before = INT64_MIN;

	/* The next cycle's first record, for those that have none. */
	for (uint32_t i = n; i-- > 0;) {
		if (m->last[i] != INT64_MIN)
			next = m->first[i];
		else
			m->first[i] = next;
	}
	for (uint32_t i = 0; i < n; i++) {
		int64_t start = m->first[i];
		if (m->last[i] == INT64_MIN) {
			int64_t host = r->start_ns[m->r->row[i]];
			host = host < busy ? busy : host;
			start = host < start ? host : start;
		}
		if (start < before)
			start = before;
		before = start;
		busy = m->last[i] > busy ? m->last[i] : busy;
		out->cycles[i] = (struct cycle){ .number = i,
			.start_ns = start,
			.label = names_text(&m->g->t->names,
				r->name[m->r->row[i]]) };
	}
}

static void ends(const struct maker *m, struct cycles *out)
{
	struct cycle *c = out->cycles;
	uint32_t last = m->r->n - 1;
	int64_t end =
		cycle_groups_end(&m->g->t->range, m->r->row, m->r->n, last);

	for (uint32_t i = 0; i < last; i++)
		c[i].dur_ns = c[i + 1].start_ns - c[i].start_ns;
	end = m->last[last] > end ? m->last[last] : end;
	c[last].dur_ns = end > c[last].start_ns ? end - c[last].start_ns : 0;
}

bool cycle_window_ranges(struct cycle_gpu *g, const struct cycle_ranges *r,
	struct arena *a, struct cycles *out)
{
	struct maker m = { .g = g, .r = r };

	m.first = arena_grow(a, NULL, r->n * sizeof *m.first);
	m.last = arena_grow(a, NULL, r->n * sizeof *m.last);
	out->cycles = arena_array(a, struct cycle, r->n);
	bool ok = m.first && m.last && out->cycles;
	if (ok) {
		out->n = r->n;
		for (uint32_t i = 0; i < r->n; i++) {
			m.first[i] = INT64_MAX;
			m.last[i] = INT64_MIN;
		}
		for (int k = 0; k < CYCLE_GPU_KINDS; k++)
			launched_in(&m, &g->kind[k]);
		starts(&m, out);
		ends(&m, out);
		cycle_window_claim(g, out);
	}
	arena_drop(a, m.first);
	arena_drop(a, m.last);
	return ok;
}

bool cycle_window_whole(struct cycle_gpu *g, struct arena *a,
	struct cycles *out)
{
	int64_t from, to;

	if (!cycle_gpu_span(g, &from, &to))
		return true;
	out->cycles = arena_new(a, struct cycle);
	if (!out->cycles)
		return false;
	out->n = 1;
	*out->cycles = (struct cycle){ .start_ns = from,
		.dur_ns = to - from,
		.open = true };
	for (int k = 0; k < CYCLE_GPU_KINDS; k++) {
		struct cycle_gpu_rows *r = &g->kind[k];
		for (uint32_t i = 0; i < r->rows.to - r->rows.from; i++)
			r->cycle[i] = 0;
	}
	return true;
}

void cycle_window_claim(struct cycle_gpu *g, const struct cycles *c)
{
	for (int k = 0; k < CYCLE_GPU_KINDS; k++) {
		struct cycle_gpu_rows *r = &g->kind[k];
		uint32_t at = 0; /* rows and windows both ascend */
		for (uint32_t i = r->rows.from; i < r->rows.to; i++) {
			int64_t start = r->start_ns[i];
			while (at < c->n &&
				c->cycles[at].start_ns + c->cycles[at].dur_ns <=
					start)
				at++;
			uint32_t *of = &r->cycle[i - r->rows.from];
			if (*of == CYCLE_OF_NONE && at < c->n &&
				c->cycles[at].start_ns <= start)
				*of = at;
		}
	}
}
