/* breakdown_overlap.c - starts and ends merged, on a clock that runs in windows
 * only: so nothing has to be clipped. */
#include "breakdown_overlap.h"
#include <assert.h>
#include <stdlib.h>

struct edge {
	int64_t end_ns;
	uint32_t span;
};

/* How many are under way, and the clock when the first of them began. */
struct running {
	int64_t since_ns;
	uint32_t n;
};

struct sweep {
	struct overlap *o;
	struct edge *ends;
	struct running *strands, *sets;
	uint32_t active[OVERLAP_SETS_MOST], active_n; /* sets */
	uint32_t kinds[OVERLAP_KINDS], spans; /* under way */
	uint64_t whose; /* sum of the strands of all that are */
	int64_t clock_ns, over_ns; /* over: of windows that are */
	uint32_t window;
};

static int by_end(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->span < b->span ? -1 : a->span > b->span;
}

static bool outputs(struct overlap *o, struct arena *a)
{
	size_t sets = (size_t)o->sets_n + 1, strands = (size_t)o->strands_n + 1;

	o->wall_ns = o->idle_ns = o->overlap_ns = o->other_ns = 0;
	o->exposed_ns = 0;
	o->exclusive_ns = arena_grow(a, NULL, strands * sizeof(int64_t));
	o->busy_ns = arena_grow(a, NULL, strands * sizeof(int64_t));
	o->set_busy_ns = arena_grow(a, NULL, sets * sizeof(int64_t));
	o->beside_ns =
		arena_grow(a, NULL, sets * (o->family + 1) * sizeof(int64_t));
	return o->exclusive_ns && o->busy_ns && o->set_busy_ns && o->beside_ns;
}

void overlap_release(struct overlap *o, struct arena *a)
{
	arena_drop(a, o->exclusive_ns);
	arena_drop(a, o->busy_ns);
	arena_drop(a, o->set_busy_ns);
	arena_drop(a, o->beside_ns);
}

static bool begin(struct sweep *s, struct arena *a)
{
	const struct overlap *o = s->o;

	s->ends =
		arena_grow(a, NULL, ((size_t)o->spans_n + 1) * sizeof *s->ends);
	s->strands = arena_grow(a, NULL,
		((size_t)o->strands_n + 1) * sizeof *s->strands);
	s->sets =
		arena_grow(a, NULL, ((size_t)o->sets_n + 1) * sizeof *s->sets);
	if (!s->ends || !s->strands || !s->sets)
		return false;
	for (uint32_t i = 0; i < o->spans_n; i++) {
		assert(o->spans[i].end_ns >= o->spans[i].start_ns);
		s->ends[i] = (struct edge){ o->spans[i].end_ns, i };
	}
	qsort(s->ends, o->spans_n, sizeof *s->ends, by_end);
	return true;
}

static void pairs(const struct sweep *s, int64_t len_ns)
{
	uint32_t family = s->o->family;

	for (uint32_t i = 0; i < s->active_n; i++)
		for (uint32_t k = 0; k < s->active_n; k++) {
			uint32_t a = s->active[i], b = s->active[k];
			if (a != b && a / family == b / family)
				s->o->beside_ns[(size_t)a * family +
						b % family] += len_ns;
		}
}

/* Of time in which the same spans are under way. */
static void count(struct sweep *s, int64_t len_ns)
{
	struct overlap *o = s->o;

	if (s->spans == 0)
		o->idle_ns += len_ns;
	else if (s->spans > 1)
		o->overlap_ns += len_ns;
	else if (s->whose == OVERLAP_NO_STRAND)
		o->other_ns += len_ns;
	else
		o->exclusive_ns[s->whose] += len_ns;
	if (s->kinds[OVERLAP_COMM] && !s->kinds[OVERLAP_COMPUTE])
		o->exposed_ns += len_ns;
	if (s->active_n > 1)
		pairs(s, len_ns);
}

/* Lets the clock run on to a moment. */
static void run_to(struct sweep *s, int64_t to_ns)
{
	const struct overlap_window *w = s->o->windows;
	uint32_t n = s->o->windows_n;
	int64_t before_ns = s->clock_ns;

	while (s->window < n && w[s->window].end_ns <= to_ns) {
		s->over_ns += w[s->window].end_ns - w[s->window].start_ns;
		s->window++;
	}
	s->clock_ns = s->over_ns;
	if (s->window < n && to_ns > w[s->window].start_ns)
		s->clock_ns += to_ns - w[s->window].start_ns;
	if (s->clock_ns > before_ns)
		count(s, s->clock_ns - before_ns);
}

static void leave(struct sweep *s, uint32_t set)
{
	for (uint32_t i = 0; i < s->active_n; i++)
		if (s->active[i] == set)
			s->active[i] = s->active[--s->active_n];
}

static void start(struct sweep *s, const struct overlap_span *span)
{
	s->spans++;
	s->kinds[span->kind]++;
	s->whose += span->strand;
	if (span->strand == OVERLAP_NO_STRAND)
		return;
	uint32_t set = s->o->set_of[span->strand];
	struct running *strand = &s->strands[span->strand], *of = &s->sets[set];
	if (!strand->n++)
		strand->since_ns = s->clock_ns;
	if (of->n++)
		return;
	of->since_ns = s->clock_ns;
	if (s->active_n < OVERLAP_SETS_MOST)
		s->active[s->active_n++] = set;
}

static void end(struct sweep *s, const struct overlap_span *span)
{
	s->spans--;
	s->kinds[span->kind]--;
	s->whose -= span->strand;
	if (span->strand == OVERLAP_NO_STRAND)
		return;
	uint32_t set = s->o->set_of[span->strand];
	struct running *strand = &s->strands[span->strand], *of = &s->sets[set];
	if (!--strand->n)
		s->o->busy_ns[span->strand] += s->clock_ns - strand->since_ns;
	if (--of->n)
		return;
	s->o->set_busy_ns[set] += s->clock_ns - of->since_ns;
	leave(s, set);
}

/* Starts go before ends of the same moment, so that a span without length has
 * begun when it ends. */
static void sweep(struct sweep *s)
{
	const struct overlap_span *spans = s->o->spans;
	uint32_t n = s->o->spans_n;

	for (uint32_t i = 0, k = 0; k < n;) {
		if (i < n && spans[i].start_ns <= s->ends[k].end_ns) {
			run_to(s, spans[i].start_ns);
			start(s, &spans[i++]);
		} else {
			run_to(s, s->ends[k].end_ns);
			end(s, &spans[s->ends[k++].span]);
		}
	}
	run_to(s, INT64_MAX);
	s->o->wall_ns = s->clock_ns;
}

bool overlap_sweep(struct overlap *o, struct arena *a)
{
	struct sweep s = { .o = o };
	bool ok = outputs(o, a) && begin(&s, a);

	if (ok)
		sweep(&s);
	arena_drop(a, s.ends);
	arena_drop(a, s.strands);
	arena_drop(a, s.sets);
	return ok;
}
