/* period_detector.c - cuts tried, the best one made into windows. */
#include "period_detector.h"
#include "cycle_gram.h"
#include "cycle_phase.h"
#include <string.h>

/* A period within a period within a period, and no further. */
enum { DEPTH = 3 };

struct finder {
	struct cycle_seq seq;
	struct cycle_judge judge;
	struct cycle_cut cut;
	struct arena scratch;
};

/* Leaves of a cut the places that begin the period above it. */
static void climb(struct cycle_cut *c)
{
	uint32_t n = 0;

	for (uint32_t i = c->odd; i < c->n; i += c->every)
		c->at[n++] = c->at[i];
	c->n = n;
}

/* Whether the cut is a period, or one above it is, which it then becomes; one
 * above that is none changes nothing. */
static bool judge(struct finder *f, uint32_t *spare)
{
	struct cycle_cut *c = &f->cut;

	for (int depth = 0; depth < DEPTH; depth++) {
		if (cycle_cut_is_period(&f->judge, c))
			return true;
		if (!c->every)
			return false;
		uint32_t n = c->n;
		memcpy(spare, c->at, n * sizeof *spare);
		climb(c);
		bool above = cycle_cut_is_period(&f->judge, c);
		if (above)
			return true;
		if (!c->every) {
			memcpy(c->at, spare, n * sizeof *spare);
			c->n = n;
			cycle_cut_is_period(&f->judge, c);
			return true;
		}
	}
	return false;
}

/* At least 2 sections, of which none has less than 2 kernels on average. */
static bool search(struct finder *f, bool *found)
{
	struct arena *a = &f->scratch;
	uint32_t n, most = f->seq.main_n / 2;
	const struct cycle_gram *grams = cycle_grams(&f->seq, most, a, &n);
	uint32_t *spare =
		arena_grow(a, NULL, ((size_t)most + 3) * sizeof *spare);

	f->cut.at = arena_grow(a, NULL, ((size_t)most + 3) * sizeof *f->cut.at);
	if (!grams || !spare || !f->cut.at ||
		!cycle_judge_init(&f->judge, &f->seq, most + 2, a))
		return false;
	*found = false;
	for (uint32_t i = 0; i < n && !*found; i++) {
		f->cut.n = cycle_gram_places(&f->seq, &grams[i], f->cut.at);
		*found = judge(f, spare);
	}
	return true;
}

/* Moves the cut, if it is a period then, too. */
static bool move(struct finder *f)
{
	struct cycle_cut *c = &f->cut;
	uint32_t n = c->n;
	uint32_t *before =
		arena_grow(&f->scratch, NULL, (n + 1) * sizeof *before);

	if (!before)
		return false;
	memcpy(before, c->at, n * sizeof *before);
	if (!cycle_phase_move(&f->seq, c, &f->scratch))
		return false;
	if (cycle_cut_is_period(&f->judge, c) || c->every)
		return true;
	memcpy(c->at, before, n * sizeof *before);
	c->n = n;
	cycle_cut_is_period(&f->judge, c);
	return true;
}

static const char *beginning(const struct finder *f, const struct profile *p)
{
	uint32_t name = f->seq.name[f->seq.main[f->cut.at[0]]];

	return name < p->kernels_n ? p->kernels[name].name : "CUDA graph";
}

/* Whether what is before the first place is the end of a cycle: of its names
 * alone, and not longer than one. */
static bool starts_in_a_cycle(const struct finder *f, uint32_t first)
{
	struct slice middle =
		cycle_cut_section(&f->seq, &f->cut, (f->cut.n - 1) / 2);

	return first <= middle.to - middle.from &&
	       cycle_judge_own(&f->judge, &f->cut, (struct slice){ 0, first });
}

static bool make(struct finder *f, struct cycle_gpu *g, struct profile *p)
{
	const struct cycle_cut *c = &f->cut;
	struct cycles *out = &p->cycles;
	uint32_t first = cycle_cut_section(&f->seq, c, 0).from;
	bool head = first && starts_in_a_cycle(f, first);
	int64_t from, to;

	out->cycles = arena_array(p->arena, struct cycle, (size_t)c->n + 1);
	if (!out->cycles || !cycle_gpu_span(g, &from, &to))
		return false;
	if (head)
		out->cycles[out->n++] = (struct cycle){ .start_ns = from,
			.use = CYCLE_PARTIAL };
	for (uint32_t i = 0; i < c->n; i++)
		out->cycles[out->n++] = (struct cycle){
			.start_ns = f->seq.start_ns[f->seq.main[c->at[i]]]
		};
	for (uint32_t i = 0; i < out->n; i++) {
		struct cycle *y = &out->cycles[i];
		y->number = i;
		y->open = i + 1 == out->n;
		y->dur_ns = (y->open ? to : y[1].start_ns) - y->start_ns;
	}
	if (!c->tail)
		out->cycles[out->n - 1].use = CYCLE_PARTIAL;
	out->range = beginning(f, p);
	cycle_window_claim(g, out);
	return true;
}

bool cycle_period_find(struct cycle_gpu *g, const uint32_t *kernel_of,
	struct profile *p)
{
	struct finder f = { .scratch = arena_scratch(p->arena) };
	bool found = false;
	bool ok =
		cycle_seq_from(&f.seq, g, kernel_of, p->kernels_n, &f.scratch);

	if (ok && f.seq.main_n >= 4)
		ok = search(&f, &found) && (!found || move(&f)) &&
		     (!found || make(&f, g, p));
	arena_scratch_release(&f.scratch, p->arena);
	return ok;
}

/* The first place of the stream in each window. */
static void places(struct finder *f, const struct cycles *c)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		while (at < f->seq.main_n && f->seq.start_ns[f->seq.main[at]] <
						     c->cycles[i].start_ns)
			at++;
		if (at < f->seq.main_n &&
			(!f->cut.n || at > f->cut.at[f->cut.n - 1]))
			f->cut.at[f->cut.n++] = at;
	}
}

bool cycle_period_agrees(const struct cycle_gpu *g, const uint32_t *kernel_of,
	struct profile *p, bool *agrees)
{
	struct finder f = { .scratch = arena_scratch(p->arena) };
	struct arena *a = &f.scratch;
	bool ok = cycle_seq_from(&f.seq, g, kernel_of, p->kernels_n, a);

	f.cut.at = arena_grow(a, NULL,
		((size_t)p->cycles.n + 1) * sizeof *f.cut.at);
	ok = ok && f.cut.at &&
	     cycle_judge_init(&f.judge, &f.seq, p->cycles.n, a);
	if (ok) {
		places(&f, &p->cycles);
		*agrees = cycle_cut_is_period(&f.judge, &f.cut) || f.cut.every;
	}
	arena_scratch_release(&f.scratch, p->arena);
	return ok;
}
