/* attribute_stat.c - calls by row, each row's statistics, then operators. */
#include "attribute_stat.h"
#include "attribute_bound.h"
#include "attribute_order.h"
#include "stats.h"
#include "time_bucket.h"
#include <math.h>

struct maker {
	const struct attribution *at;
	const struct launch_groups *g;
	struct operators *out;
	struct names operators; /* id = row + 1 */
	uint32_t *from; /* by row: its calls in call_ns; one more at the end */
	int64_t *call_ns, *scratch;
	uint32_t longest; /* calls of the row with most */
};

/* Calls laid row by row: counted two places on, placed one place on. */
static bool deal(struct maker *m)
{
	const struct launch_groups *g = m->g;
	struct arena *a = m->at->arena;

	m->from = arena_grow(a, NULL, ((size_t)g->rows + 2) * sizeof *m->from);
	m->call_ns = arena_grow(a, NULL,
		((size_t)g->calls + 1) * sizeof *m->call_ns);
	if (!m->from || !m->call_ns)
		return false;
	for (uint32_t i = 0; i < g->calls; i++)
		if (g->row_of[i] != GROUP_NO_ROW)
			m->from[g->row_of[i] + 2]++;
	for (uint32_t i = 2; i < g->rows + 2; i++) {
		if (m->from[i] > m->longest)
			m->longest = m->from[i];
		m->from[i] += m->from[i - 1];
	}
	for (uint32_t i = 0; i < g->calls; i++)
		if (g->row_of[i] != GROUP_NO_ROW)
			m->call_ns[m->from[g->row_of[i] + 1]++] = g->call_ns[i];
	m->scratch = arena_grow(a, NULL,
		((size_t)m->longest + 1) * sizeof *m->scratch);
	return m->scratch;
}

/* Of durations that ascend. */
static bool buckets(struct arena *a, const int64_t *ns, uint32_t n,
	struct shape_stat *s)
{
	uint32_t distinct = 0;

	for (uint32_t i = 0; i < n; i++)
		distinct +=
			i == 0 || time_bucket(ns[i]) != time_bucket(ns[i - 1]);
	int16_t *bucket = arena_array(a, int16_t, distinct);
	int64_t *calls = arena_array(a, int64_t, distinct);
	if (!bucket || !calls)
		return false;
	for (uint32_t i = 0, k = 0; i < n; i++) {
		k += i > 0 && time_bucket(ns[i]) != bucket[k];
		bucket[k] = time_bucket(ns[i]);
		calls[k]++;
	}
	s->bucket = bucket;
	s->bucket_calls = calls;
	s->buckets_n = distinct;
	return true;
}

/* The operator row of a shape row, added if new; NULL where the arena is full. */
static struct operator_stat *operator_of(struct maker *m, struct group_row k,
	uint32_t *at)
{
	struct operators *o = m->out;
	struct key {
		const struct operator_info *operator;
		uint32_t dtype, phase;
	} key = { k.operator, k.dtype, k.phase };
	uint32_t id = names_put(&m->operators, (const char *)&key, sizeof key);

	if (id == NAMES_NONE)
		return NULL;
	*at = id - 1;
	if (id > o->n)
		o->rows[o->n++] = (struct operator_stat){
			.name = k.operator? k.operator->name : NULL,
			.dtype = (enum dtype)k.dtype,
			.phase = (enum phase)k.phase,
			.collective = k.operator&& k.operator->collective };
	return &o->rows[id - 1];
}

static void add_up(struct operator_stat *o, const struct shape_stat *s)
{
	o->launches += s->launches;
	o->calls += s->call.instances;
	o->total_ns += s->call.total_ns;
	o->known_ns[s->known] += s->call.total_ns;
	o->sized_ns += s->text ? s->call.total_ns : 0;
	o->shapes++;
}

static bool fill(struct maker *m, uint32_t row)
{
	const struct launch_groups *g = m->g;
	struct group_row k = launch_groups_row(g, row);
	struct shape_stat *s = &m->out->shapes[row];
	int64_t *ns = m->call_ns + m->from[row];
	uint32_t n = m->from[row + 1] - m->from[row];

	*s = (struct shape_stat){ .text = k.text ? names_text(&g->texts, k.text)
						 : NULL,
		.grid = k.grid ? names_text(&g->texts, k.grid) : NULL,
		.known = (enum how)k.known,
		.launches = g->sums[row].launches,
		.call = stats_from(ns, m->scratch, n),
		.sol_ns = NAN };
	struct operator_stat *o = operator_of(m, k, &s->operator_);
	if (!o || !buckets(m->at->arena, ns, n, s))
		return false;
	add_up(o, s);
	return attribute_bound(m->at, k.operator, g->sums[row].sizes, ns, s, o);
}

bool attribute_stat(const struct attribution *at, const struct launch_groups *g)
{
	struct arena *a = at->arena;
	struct operators *o = &at->profile->operators;
	struct maker m = { .at = at, .g = g, .out = o };

	o->gpu_ns = at->profile->kernel_ns + at->profile->copy_ns +
		    at->profile->graph_ns;
	o->platform = at->platform ? at->platform->name : NULL;
	o->shapes = arena_array(a, struct shape_stat, (size_t)g->rows + 1);
	o->rows = arena_array(a, struct operator_stat, (size_t)g->rows + 1);
	bool ok =
		o->shapes && o->rows && names_init(&m.operators, a) && deal(&m);
	for (uint32_t i = 0; ok && i < g->rows; i++)
		ok = fill(&m, i);
	arena_drop(a, m.from);
	arena_drop(a, m.call_ns);
	arena_drop(a, m.scratch);
	if (ok) {
		o->shapes_n = g->rows;
		ok = attribute_order(o, a);
	}
	return ok;
}
