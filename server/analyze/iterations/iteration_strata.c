/* iteration_strata.c - signatures, equal ones first, then alike ones. */
#include "iteration_strata.h"
#include "cycle_alike.h"
#include "cycle_work_text.h"
#include <stdlib.h>

enum signature { NO_WORK, SERVING, OPS, GRIDS, OTHER };

/* What the strata so far stand for. */
struct known {
	enum signature by;
	struct serving serving;
	uint32_t cycle; /* the first */
	int64_t kv_tokens, cycles; /* their sum; how many told it */
};

struct maker {
	const struct cycle_gpu *g;
	struct profile *p;
	struct arena *a;
	struct cycle_alike ops, grids;
	struct serving *told; /* by cycle; PHASE_UNKNOWN none */
	struct names hashes; /* of struct exact */
	uint32_t *of_hash; /* by id: stratum */
	uint32_t hashes_cap;
	struct known *known;
	uint32_t n;
};

/* What equal signatures have in common; hashed as bytes, so without gaps. */
struct exact {
	uint64_t by, hash;
	int64_t serving[5];
};

/* A second range of that kind in a cycle says that neither is the cycle's. */
static void tell(struct serving *to, uint8_t *twice, const struct serving *s)
{
	if (to->phase == PHASE_UNKNOWN && !*twice)
		*to = *s;
	else if (!serving_same(to, s)) {
		*to = (struct serving){ .phase = PHASE_UNKNOWN };
		*twice = 1;
	}
}

/* From the ranges within: as the GPU saw them, by the cycle they start in;
 * where there is one cycle alone, any. */
static bool tell_within(struct maker *m)
{
	const struct range_rows *r = &m->g->t->range;
	struct slice rows = m->g->proc->range;
	const struct cycles *c = &m->p->cycles;
	struct serving s;
	uint32_t at = 0;
	uint8_t *twice = arena_grow(m->a, NULL, (size_t)c->n + 1);

	for (uint32_t i = rows.from; twice && i < rows.to; i++) {
		bool gpu = r->kind[i] == RANGE_GPU_ANNOTATION;
		if ((!gpu && (c->n != 1 || r->kind[i] != RANGE_ANNOTATION)) ||
			!serving_read(names_text(&m->g->t->names, r->name[i]),
				&s))
			continue;
		while (gpu && at < c->n &&
			c->cycles[at].start_ns + c->cycles[at].dur_ns <=
				r->start_ns[i])
			at++;
		uint32_t cycle = gpu ? at : 0;
		if (cycle < c->n && !c->cycles[cycle].label &&
			(!gpu || c->cycles[cycle].start_ns <= r->start_ns[i]))
			tell(&m->told[cycle], &twice[cycle], &s);
	}
	arena_drop(m->a, twice);
	return twice;
}

static bool told(struct maker *m)
{
	const struct cycles *c = &m->p->cycles;

	m->told = arena_grow(m->a, NULL, ((size_t)c->n + 1) * sizeof *m->told);
	if (!m->told)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		if (!c->cycles[i].label ||
			!serving_read(c->cycles[i].label, &m->told[i]))
			m->told[i].phase = PHASE_UNKNOWN;
	return tell_within(m);
}

static enum signature signature(const struct maker *m, uint32_t cycle,
	struct exact *e)
{
	const struct serving *s = &m->told[cycle];

	*e = (struct exact){ .by = SERVING };
	if (s->phase != PHASE_UNKNOWN) {
		const int64_t numbers[] = { s->phase, s->sequences, s->tokens,
			s->context, s->context_tokens };
		for (int i = 0; i < 5; i++)
			e->serving[i] = numbers[i];
	} else if (cycle_alike_size(&m->ops, cycle, &e->hash)) {
		e->by = OPS;
	} else {
		bool any = cycle_alike_size(&m->grids, cycle, &e->hash);
		e->by = any ? GRIDS : NO_WORK;
	}
	return (enum signature)e->by;
}

/* The stratum that a cycle without an equal is alike to; n where to none. */
static uint32_t alike(struct maker *m, uint32_t cycle, enum signature by)
{
	struct cycle_alike *s = by == OPS ? &m->ops : &m->grids;
	uint32_t tried = 0, found = m->n;

	if (by != OPS && by != GRIDS)
		return m->n;
	cycle_alike_take(s, cycle);
	for (uint32_t i = 0; i < m->n && tried < CYCLE_STRATA_TRIED; i++) {
		if (m->known[i].by != by)
			continue;
		tried++;
		if (cycle_alike_is(s, m->known[i].cycle)) {
			found = i;
			break;
		}
	}
	cycle_alike_drop(s);
	return found;
}

/* The stratum of a signature; a new one is the next. NAMES_NONE where full. */
static uint32_t stratum_of(struct maker *m, uint32_t cycle, struct exact *e,
	enum signature by)
{
	uint32_t before = m->hashes.n;
	uint32_t id = names_put(&m->hashes, (const char *)e, sizeof *e);

	if (id == NAMES_NONE || id < before)
		return id == NAMES_NONE ? id : m->of_hash[id];
	if (id >= m->hashes_cap) {
		uint32_t cap = (id + 1) * 2;
		uint32_t *grown =
			arena_grow(m->a, m->of_hash, cap * sizeof *grown);
		if (!grown)
			return NAMES_NONE;
		m->of_hash = grown;
		m->hashes_cap = cap;
	}
	uint32_t found = alike(m, cycle, by);
	if (found == CYCLE_STRATA_MAX)
		found = CYCLE_STRATA_MAX - 1;
	if (found == m->n) {
		bool last = m->n + 1 == CYCLE_STRATA_MAX;
		m->known[m->n++] = (struct known){ .by = last ? OTHER : by,
			.serving = m->told[cycle],
			.cycle = cycle };
	}
	m->of_hash[id] = found;
	return found;
}

static bool assign(struct maker *m)
{
	struct cycles *c = &m->p->cycles;
	struct exact e;

	for (uint32_t i = 0; i < c->n; i++) {
		enum signature by = signature(m, i, &e);
		uint32_t stratum = stratum_of(m, i, &e, by);
		if (stratum == NAMES_NONE)
			return false;
		c->cycles[i].stratum = stratum;
		if (by == SERVING && m->told[i].kv_tokens >= 0) {
			m->known[stratum].kv_tokens += m->told[i].kv_tokens;
			m->known[stratum].cycles++;
		}
	}
	return true;
}

static const char *text_of(const struct maker *m, const struct known *k)
{
	struct arena *a = m->p->arena;

	switch (k->by) {
	case SERVING:
		return cycle_work_serving(&k->serving, a);
	case OPS:
		return cycle_work_ops(&m->ops, k->cycle, m->g->t, a);
	case GRIDS:
		return cycle_work_grids(&m->grids, k->cycle, a);
	case OTHER:
		return "other work";
	case NO_WORK:
	default:
		return "no kernels";
	}
}

static bool describe(struct maker *m)
{
	struct cycles *c = &m->p->cycles;

	c->strata = arena_array(m->p->arena, struct stratum, (size_t)m->n + 1);
	if (!c->strata)
		return false;
	c->strata_n = m->n;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct known *k = &m->known[i];
		bool serving = k->by == SERVING;
		c->strata[i] = (struct stratum){ .text = text_of(m, k),
			.phase = serving ? k->serving.phase : PHASE_UNKNOWN,
			.sequences = serving ? k->serving.sequences : -1,
			.tokens = serving ? k->serving.tokens : -1,
			.kv_tokens =
				k->cycles ? k->kv_tokens / k->cycles : -1 };
		if (!c->strata[i].text)
			return false;
	}
	return true;
}

bool cycle_strata_find(const struct cycle_gpu *g, const struct cycle_items *ops,
	const struct cycle_items *grids, struct profile *p, struct arena *a)
{
	struct maker m = { .g = g, .p = p, .a = a };
	uint8_t *counts = cycle_work_gemms(ops, g->t, a);

	m.known = arena_grow(a, NULL, CYCLE_STRATA_MAX * sizeof *m.known);
	return counts && m.known && names_init(&m.hashes, a) &&
	       cycle_alike_init(&m.ops, ops, counts, a) &&
	       cycle_alike_init(&m.grids, grids, NULL, a) && told(&m) &&
	       assign(&m) && describe(&m);
}

struct place {
	struct stratum s;
	uint32_t was;
};

static int most_first(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->s.cycles != b->s.cycles)
		return a->s.cycles > b->s.cycles ? -1 : 1;
	return (a->was > b->was) - (a->was < b->was);
}

bool cycle_strata_sort(struct cycles *c, struct arena *a)
{
	size_t n = (size_t)c->strata_n + 1;
	struct place *place = arena_grow(a, NULL, n * sizeof *place);
	uint32_t *now = arena_grow(a, NULL, n * sizeof *now);

	if (!place || !now)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		c->strata[c->cycles[i].stratum].cycles +=
			c->cycles[i].use == CYCLE_KEPT;
	for (uint32_t i = 0; i < c->strata_n; i++)
		place[i] = (struct place){ c->strata[i], i };
	qsort(place, c->strata_n, sizeof *place, most_first);
	for (uint32_t i = 0; i < c->strata_n; i++) {
		c->strata[i] = place[i].s;
		now[place[i].was] = i;
	}
	for (uint32_t i = 0; i < c->n; i++)
		c->cycles[i].stratum = now[c->cycles[i].stratum];
	return true;
}
