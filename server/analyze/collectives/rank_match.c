/* rank_match.c - rows of a name over all streams, sorted by start. */
#include "rank_match.h"
#include "names.h"
#include <stdlib.h>
#include <string.h>

struct one {
	int64_t start_ns, dur_ns;
};

static int by_start(const void *left, const void *right)
{
	const struct one *a = left, *b = right;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->dur_ns > b->dur_ns) - (a->dur_ns < b->dur_ns);
}

/* The `count` collectives of a name that a run has, in order. */
static void lay(const struct compared_run *run, const char *name,
	uint32_t count, struct arena *a, int64_t *start_ns, int64_t *dur_ns)
{
	struct one *all = arena_array(a, struct one, (size_t)count + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < run->collectives.n; i++) {
		const struct collective *c = &run->collectives.rows[i];
		if (strcmp(c->name, name) != 0)
			continue;
		for (uint32_t k = 0; k < c->n; k++)
			all[n++] = (struct one){ c->start_ns[k], c->dur_ns[k] };
	}
	qsort(all, n, sizeof *all, by_start);
	for (uint32_t k = 0; k < n; k++) {
		start_ns[k] = all[k].start_ns;
		dur_ns[k] = all[k].dur_ns;
	}
}

static uint32_t count_of(const struct compared_run *run, const char *name)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < run->collectives.n; i++)
		if (!strcmp(run->collectives.rows[i].name, name))
			n += run->collectives.rows[i].n;
	return n;
}

static void match(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct rank_match *m)
{
	m->start_ns = arena_array(a, int64_t *, n);
	m->dur_ns = arena_array(a, int64_t *, n);
	m->least_ns = arena_array(a, int64_t, m->count);
	for (uint32_t r = 0; r < n; r++) {
		m->start_ns[r] = arena_array(a, int64_t, m->count);
		m->dur_ns[r] = arena_array(a, int64_t, m->count);
		lay(runs[r], m->name, m->count, a, m->start_ns[r],
			m->dur_ns[r]);
		for (uint32_t k = 0; k < m->count; k++)
			if (r == 0 || m->dur_ns[r][k] < m->least_ns[k])
				m->least_ns[k] = m->dur_ns[r][k];
	}
}

void rank_match_from(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct rank_matches *out)
{
	struct names seen;
	uint32_t rows = 0;
	names_init(&seen, a);
	for (uint32_t r = 0; r < n; r++) {
		const struct collectives *c = &runs[r]->collectives;
		for (uint32_t i = 0; i < c->n; i++)
			names_put(&seen, c->rows[i].name,
				strlen(c->rows[i].name));
		rows += c->n;
	}
	*out = (struct rank_matches){ .list = arena_array(a, struct rank_match,
					      (size_t)rows + 1) };
	for (uint32_t id = 1; id < seen.n; id++) {
		const char *name = names_text(&seen, id);
		uint32_t least = UINT32_MAX, most = 0;
		for (uint32_t r = 0; r < n; r++) {
			uint32_t count = count_of(runs[r], name);
			least = count < least ? count : least;
			most = count > most ? count : most;
		}
		if (least < most) {
			out->unmatched += most;
			continue;
		}
		struct rank_match *m = &out->list[out->n++];
		*m = (struct rank_match){ .name = name, .count = least };
		match(runs, n, a, m);
	}
}
