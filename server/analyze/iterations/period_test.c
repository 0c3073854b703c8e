/* period_test.c - builds the sequence and tests cuts: counts the names of each section
 * and compares sections with each other and with the whole run. */
#include "period_test.h"
#include "sort.h"
#include <stdlib.h>
#include <string.h>

/* A stream of a device; hashed as bytes, so it has no gaps. */
struct period_test_stream {
	int64_t device, stream;
};

struct period_test_weight {
	int64_t ns;
	uint32_t n;
};

struct period_test_sequence_maker {
	struct period_sequence *s;
	const struct trace *t;
	struct names lanes, graphs;
	uint32_t *lane_of; /* by place */
	struct period_test_weight *weight; /* by id of a lane */
	uint32_t cap;
};

static bool period_test_add_weight(struct period_test_sequence_maker *m,
	struct arena *a, struct period_test_stream l, int64_t ns)
{
	uint32_t id = names_put(&m->lanes, (const char *)&l, sizeof l);

	if (id == NAMES_NONE)
		return false;
	if (id >= m->cap) {
		uint32_t cap = (id + 1) * 2;
		struct period_test_weight *grown =
			arena_grow(a, m->weight, cap * sizeof *grown);
		if (!grown)
			return false;
		for (uint32_t i = m->cap; i < cap; i++)
			grown[i] = (struct period_test_weight){ 0 };
		m->weight = grown;
		m->cap = cap;
	}
	m->weight[id].ns += ns;
	m->weight[id].n++;
	m->lane_of[m->s->n] = id;
	return true;
}

/* One row behind the others. */
static bool period_test_add_kernel(struct period_test_sequence_maker *m,
	struct arena *a, uint32_t row, uint32_t kernel)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct period_sequence *s = m->s;
	struct period_test_stream l = { k->device[row], k->stream[row] };

	s->name[s->n] = kernel;
	s->start_ns[s->n] = k->start_ns[row];
	s->dur_ns[s->n] = k->dur_ns[row];
	bool ok = period_test_add_weight(m, a, l, k->dur_ns[row]);
	s->total_ns += k->dur_ns[row];
	s->n++;
	return ok;
}

static bool period_test_add_graph(struct period_test_sequence_maker *m,
	struct arena *a, uint32_t row, uint32_t kernels_n)
{
	const struct graph_rows *g = &m->t->graph;
	struct period_sequence *s = m->s;
	struct period_test_stream l = { g->device[row], g->stream[row] };
	int64_t key[2] = { g->graph_id[row], g->graph_exec[row] };
	uint32_t id = names_put(&m->graphs, (const char *)key, sizeof key);

	s->name[s->n] = kernels_n + id - 1;
	s->start_ns[s->n] = g->start_ns[row];
	s->dur_ns[s->n] = g->dur_ns[row];
	bool ok = id != NAMES_NONE &&
		  period_test_add_weight(m, a, l, g->dur_ns[row]);
	s->total_ns += g->dur_ns[row];
	s->n++;
	return ok;
}

static bool period_test_merge(struct period_test_sequence_maker *m,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, struct arena *a)
{
	struct slice k = g->proc->kernel, r = g->proc->graph;
	uint32_t i = k.from, j = r.from;
	bool ok = true;

	while (ok && (i < k.to || j < r.to)) {
		bool graph = i == k.to ||
			     (j < r.to && m->t->graph.start_ns[j] <
						  m->t->kernel.start_ns[i]);
		if (graph) {
			ok = period_test_add_graph(m, a, j++, kernels_n);
			continue;
		}
		ok = period_test_add_kernel(m, a, i, kernel_of[i - k.from]);
		i++;
	}
	return ok;
}

/* The stream with most launches of the busiest device. */
static uint32_t period_test_main_stream(
	const struct period_test_sequence_maker *m)
{
	uint32_t best = 0;
	int64_t best_ns = -1;

	for (uint32_t i = 1; i < m->lanes.n; i++) {
		const struct period_test_stream *l =
			(const void *)names_text(&m->lanes, i);
		int64_t device_ns = 0;
		for (uint32_t j = 1; j < m->lanes.n; j++) {
			const struct period_test_stream *o =
				(const void *)names_text(&m->lanes, j);
			if (o->device == l->device)
				device_ns += m->weight[j].ns;
		}
		if (device_ns > best_ns ||
			(device_ns == best_ns &&
				m->weight[i].n > m->weight[best].n)) {
			best_ns = device_ns;
			best = i;
		}
	}
	return best;
}

bool period_test_sequence(struct period_sequence *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, struct arena *a)
{
	struct period_test_sequence_maker m = { .s = s, .t = g->t };
	size_t n = (size_t)(g->proc->kernel.to - g->proc->kernel.from) +
		   (g->proc->graph.to - g->proc->graph.from) + 1;

	*s = (struct period_sequence){
		.name = arena_grow(a, NULL, n * sizeof *s->name),
		.start_ns = arena_grow(a, NULL, n * sizeof *s->start_ns),
		.dur_ns = arena_grow(a, NULL, n * sizeof *s->dur_ns),
		.main = arena_grow(a, NULL, n * sizeof *s->main),
	};
	m.lane_of = arena_grow(a, NULL, n * sizeof *m.lane_of);
	if (!s->name || !s->start_ns || !s->dur_ns || !s->main || !m.lane_of ||
		!names_init(&m.lanes, a) || !names_init(&m.graphs, a) ||
		!period_test_merge(&m, g, kernel_of, kernels_n, a))
		return false;
	s->names_n = kernels_n + m.graphs.n - 1;
	uint32_t lane = period_test_main_stream(&m);
	for (uint32_t i = 0; i < s->n; i++)
		if (m.lane_of[i] == lane)
			s->main[s->main_n++] = i;
	arena_drop(a, m.lane_of);
	return true;
}

struct slice period_test_section(const struct period_sequence *s,
	const struct period_cut *c, uint32_t i)
{
	return (struct slice){ s->main[c->at[i]],
		i + 1 < c->n ? s->main[c->at[i + 1]] : s->n };
}

static struct slice period_test_section_of(const struct period_test *j,
	const struct period_cut *c, uint32_t i)
{
	return period_test_section(j->s, c, i);
}

/* In how many of the whole sections an iteration's names are. */
static uint32_t period_test_min_sections(uint32_t whole)
{
	return whole - whole / 10;
}

bool period_test_init(struct period_test *j, const struct period_sequence *s,
	uint32_t most, struct arena *a)
{
	size_t names = (size_t)s->names_n + 1;

	*j = (struct period_test){ .s = s,
		.count = arena_grow(a, NULL, names * sizeof *j->count),
		.before = arena_grow(a, NULL, names * sizeof *j->before),
		.sections = arena_grow(a, NULL, names * sizeof *j->sections),
		.seen = arena_grow(a, NULL, names * sizeof *j->seen),
		.like = arena_grow(a, NULL,
			((size_t)most + 1) * sizeof *j->like),
		.odd = arena_grow(a, NULL,
			((size_t)most + 1) * sizeof *j->odd) };
	return j->count && j->before && j->sections && j->seen && j->like &&
	       j->odd;
}

/* Counts a stretch into `count`. */
static void period_test_count(const struct period_test *j, struct slice r,
	uint32_t *count)
{
	for (uint32_t i = r.from; i < r.to; i++)
		count[j->s->name[i]]++;
}

static void period_test_uncount(const struct period_test *j, struct slice r,
	uint32_t *count)
{
	for (uint32_t i = r.from; i < r.to; i++)
		count[j->s->name[i]] = 0;
}

/* The weighted Jaccard index of a stretch and what `count` holds of another
 * of `size` launches. */
static double period_test_similarity(struct period_test *j, struct slice r,
	const uint32_t *count, uint32_t size)
{
	uint32_t common = 0, own = r.to - r.from;

	for (uint32_t i = r.from; i < r.to; i++) {
		uint32_t name = j->s->name[i];
		common += j->before[name]++ < count[name];
	}
	period_test_uncount(j, r, j->before);
	return own + size ? common / (double)(own + size - common) : 0;
}

/* Whether sections are like their neighbors; sets c->tail. */
static bool period_test_neighbors_similar(struct period_test *j,
	struct period_cut *c)
{
	double sum = 0;

	c->tail = false;
	for (uint32_t i = 0; i + 1 < c->n; i++) {
		struct slice r = period_test_section_of(j, c, i),
			     next = period_test_section_of(j, c, i + 1);
		period_test_count(j, r, j->count);
		j->like[i] = period_test_similarity(j, next, j->count,
			r.to - r.from);
		period_test_uncount(j, r, j->count);
	}
	uint32_t pairs = c->n - 1;
	c->tail = j->like[pairs - 1] >= 0.9;
	pairs -= !c->tail;
	if (!pairs)
		return false;
	for (uint32_t i = 0; i < pairs; i++)
		sum += j->like[i];
	sort_double(j->like, pairs);
	return sum >= 0.7 * pairs && j->like[pairs / 2] >= 0.9;
}

/* How many sections have each name; whole ones alone. */
static void period_test_spread(struct period_test *j,
	const struct period_cut *c, uint32_t whole)
{
	size_t bytes = ((size_t)j->s->names_n + 1) * sizeof *j->seen;

	memset(j->seen, 0, bytes);
	memset(j->sections, 0, bytes);
	for (uint32_t i = 0; i < whole; i++) {
		struct slice r = period_test_section_of(j, c, i);
		for (uint32_t k = r.from; k < r.to; k++) {
			uint32_t name = j->s->name[k];
			j->sections[name] += j->seen[name] != i + 1;
			j->seen[name] = i + 1;
		}
	}
}

/* What of a run is foreign to its iterations. */
struct period_test_foreign {
	uint32_t names, of_names, launches;
	int64_t ns;
	bool outside; /* in the head or tail */
};

/* Names count once, by their first place. */
static struct period_test_foreign period_test_foreign(struct period_test *j,
	const struct period_cut *c, uint32_t whole)
{
	const struct period_sequence *s = j->s;
	uint32_t head_end = period_test_section_of(j, c, 0).from;
	uint32_t first_end = period_test_section_of(j, c, 0).to;
	uint32_t last_end = period_test_section_of(j, c, whole - 1).to;
	struct period_test_foreign f = { 0 };

	memset(j->seen, 0, ((size_t)s->names_n + 1) * sizeof *j->seen);
	/* From the back, so that the last place of a name is met first. */
	for (uint32_t i = s->n; i-- > 0;) {
		uint32_t name = s->name[i];
		bool own = j->sections[name] >= period_test_min_sections(whole);
		bool met = j->seen[name];
		bool warming =
			whole >= 4 && !own && i >= head_end && i < first_end;
		j->seen[name] = 1;
		if (!met && !(warming && j->sections[name] == 1)) {
			f.of_names++;
			f.names += !own;
		}
		if (own)
			continue;
		f.launches++;
		f.ns += s->dur_ns[i];
		f.outside |= i < head_end || i >= last_end;
	}
	return f;
}

/* Whether three quarters of a section are made of what repeats in it: each
 * launch of the same name as one a fixed distance ahead. */
static bool period_test_is_nested(const struct period_test *j, struct slice r)
{
	const uint32_t *name = j->s->name + r.from;
	uint32_t n = r.to - r.from;

	for (uint32_t lag = 2; lag <= n / 4 && lag <= 512; lag++) {
		uint32_t same = 0, of = n - lag;
		for (uint32_t i = 0; i < of; i++) {
			same += name[i] == name[i + lag];
			if (i >= 64 && same * 2 < i)
				break;
		}
		if (same >= of / 4 * 3)
			return true;
	}
	return false;
}

static bool period_test_is_closed(struct period_test *j,
	const struct period_cut *c, uint32_t whole)
{
	period_test_spread(j, c, whole);
	struct period_test_foreign f = period_test_foreign(j, c, whole);
	if (!f.outside && f.names * 5 <= f.of_names &&
		f.launches <= j->s->n / 10)
		return true;
	if (f.launches <= j->s->n / 200 && f.ns <= j->s->total_ns / 200)
		return true;
	return f.launches <= j->s->n / 20 && f.ns <= j->s->total_ns / 10 &&
	       period_test_is_nested(j,
		       period_test_section_of(j, c, whole / 2));
}

/* The section that most are equal to, or of median length. */
static uint32_t period_test_typical(const struct period_test *j,
	const struct period_cut *c, uint32_t whole)
{
	uint32_t best = 0, votes = 0;

	/* Majority vote: the length of most sections is left over. */
	for (uint32_t i = 0; i < whole; i++) {
		struct slice r = period_test_section_of(j, c, i),
			     b = period_test_section_of(j, c, best);
		if (!votes)
			best = i;
		votes += !votes || r.to - r.from == b.to - b.from ? 1 : -1u;
	}
	return best;
}

/* Whether unlike sections come back every `lag`; four of five do. */
static bool period_test_recurs(const bool *odd, uint32_t whole, uint32_t lag)
{
	uint32_t hits = 0, of = 0;

	for (uint32_t i = 0; i + lag < whole; i++) {
		of += odd[i];
		hits += odd[i] && odd[i + lag];
	}
	return hits && hits * 5 >= of * 4;
}

/* The distance at which unlike sections come back, if they do: that between
 * two of the first ones. */
static void period_test_find_outer(struct period_test *j, struct period_cut *c,
	uint32_t whole)
{
	struct slice most =
		period_test_section_of(j, c, period_test_typical(j, c, whole));
	uint32_t first[8], n = 0, odd = 0;

	period_test_count(j, most, j->count);
	for (uint32_t i = 0; i < whole; i++) {
		double like = period_test_similarity(j,
			period_test_section_of(j, c, i), j->count,
			most.to - most.from);
		j->odd[i] = like < 0.95;
		odd += j->odd[i];
		if (j->odd[i] && n < 8)
			first[n++] = i;
	}
	period_test_uncount(j, most, j->count);
	for (uint32_t x = 0; odd <= whole / 2 && x < n; x++)
		for (uint32_t y = x + 1; y < n && !c->every; y++) {
			uint32_t lag = first[y] - first[x];
			if (lag > 1 && period_test_recurs(j->odd, whole, lag)) {
				c->every = lag;
				c->odd = first[x];
			}
		}
}

bool period_test_cut(struct period_test *j, struct period_cut *c)
{
	c->every = 0;
	if (c->n < 2 || !period_test_neighbors_similar(j, c))
		return false;
	uint32_t whole = c->n - !c->tail;
	if (whole < 2 || !period_test_is_closed(j, c, whole))
		return false;
	period_test_find_outer(j, c, whole);
	return !c->every;
}

bool period_test_own(const struct period_test *j, const struct period_cut *c,
	struct slice r)
{
	for (uint32_t i = r.from; i < r.to; i++)
		if (j->sections[j->s->name[i]] <
			period_test_min_sections(c->n - !c->tail))
			return false;
	return true;
}
