/* compare_work.c - other work is no change: which cycles of one side have their
 * like on the other.
 *
 * Strata of all runs are sorted into kinds: the same phase, sequences, tokens and
 * about the same length of context where those are told, else sizes most of
 * which agree (compare_size.h). Kinds that only one side has are left out. Where
 * several are left and the sides mix them differently, cycles are left out evenly
 * until the mix is the same; where that does not come out even, the kind that
 * took the most time stands alone. */
#include "compare_state.h"
#include "compare_size.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Lengths of context that are alike: the mean drifts while decoding. */
static const double context_alike = 0.1;
static const double sizes_alike = 0.5, mix_alike = 0.005;

struct kind {
	const struct cycles *of; /* who came first */
	const struct stratum *stratum;
	struct size_list sizes;
	double cycles[2], ns[2];
	uint32_t want[2];
};
struct works {
	struct compare *c;
	struct names words;
	struct kind *kinds;
	uint32_t n;
	uint32_t **kind_of[2]; /* by run and stratum */
	uint32_t **have[2]; /* cycles that may be used, likewise */
};

static bool told(const struct stratum *s)
{
	return s->phase != PHASE_UNKNOWN || s->sequences >= 0 || s->tokens >= 0;
}

static bool differ(int64_t a, int64_t b)
{
	return a >= 0 && b >= 0 && a != b;
}

static bool alike(const struct kind *k, const struct stratum *s,
	const struct size_list *sizes)
{
	const struct stratum *t = k->stratum;
	if (t->phase != PHASE_UNKNOWN && s->phase != PHASE_UNKNOWN &&
		t->phase != s->phase)
		return false;
	if (differ(t->sequences, s->sequences) || differ(t->tokens, s->tokens))
		return false;
	double x = (double)t->kv_tokens, y = (double)s->kv_tokens;
	if (x >= 0 && y >= 0 && fabs(x - y) > context_alike * fmax(x, y))
		return false;
	if (told(t) && told(s))
		return true;
	double agree = size_agreement(&k->sizes, sizes);
	return agree < 0 || agree >= sizes_alike;
}

static uint32_t kind_of(struct works *w, const struct cycles *of,
	uint32_t stratum)
{
	static const struct stratum unknown = { .text = "",
		.sequences = -1,
		.tokens = -1,
		.kv_tokens = -1 };
	const struct stratum *s =
		stratum < of->strata_n ? &of->strata[stratum] : &unknown;
	struct size_list sizes;
	size_list_from(of, stratum, &w->words, w->c->a, &sizes);
	for (uint32_t i = 0; i < w->n; i++)
		if (alike(&w->kinds[i], s, &sizes))
			return i;
	w->kinds = arena_grow(w->c->a, w->kinds, (w->n + 1) * sizeof *w->kinds);
	w->kinds[w->n] =
		(struct kind){ .of = of, .stratum = s, .sizes = sizes };
	return w->n++;
}

static void run_sort(struct works *w, int s, uint32_t r)
{
	const struct compared_run *run = &w->c->side[s].runs[r];
	const struct cycles *y = &run->cycles;
	uint32_t n = y->strata_n + 1;
	w->kind_of[s][r] = arena_array(w->c->a, uint32_t, n);
	w->have[s][r] = arena_array(w->c->a, uint32_t, n);
	double *ns = arena_array(w->c->a, double, n);
	for (uint32_t i = 0; i < run->patterns.cycles_n; i++) {
		const struct cycle *cycle = &y->cycles[run->patterns.cycle[i]];
		if (cycle->use != CYCLE_KEPT)
			continue;
		uint32_t at = cycle->stratum < n ? cycle->stratum : n - 1;
		w->have[s][r][at]++;
		ns[at] += (double)cycle->dur_ns;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!w->have[s][r][i])
			continue;
		uint32_t k = kind_of(w, y, i);
		w->kind_of[s][r][i] = k;
		w->kinds[k].cycles[s] += w->have[s][r][i];
		w->kinds[k].ns[s] += ns[i];
	}
}

static bool common(const struct kind *k)
{
	return k->cycles[BASE] > 0 && k->cycles[HEAD] > 0;
}

/* Wants `ratio` cycles of the head for each of the base, of each kind as many as
 * there are; how much the mean would then be off by chance, INFINITY where the
 * mixes do not come out even. */
static double mix_at(struct works *w, double ratio)
{
	double want[2] = { 0, 0 };
	for (uint32_t i = 0; i < w->n; i++) {
		struct kind *k = &w->kinds[i];
		if (!common(k))
			continue;
		double base = fmin(k->cycles[BASE], k->cycles[HEAD] / ratio);
		k->want[BASE] = (uint32_t)lround(base);
		k->want[HEAD] =
			(uint32_t)lround(fmin(k->cycles[HEAD], base * ratio));
		want[BASE] += k->want[BASE];
		want[HEAD] += k->want[HEAD];
	}
	for (uint32_t i = 0; i < w->n; i++) {
		const struct kind *k = &w->kinds[i];
		double off =
			k->want[BASE] / want[BASE] - k->want[HEAD] / want[HEAD];
		if (!(fabs(off) <= mix_alike))
			return INFINITY;
	}
	return 1 / want[BASE] + 1 / want[HEAD];
}

/* The same mix on both sides, with as many cycles as that leaves; false where
 * the mixes would still differ. */
static bool mix(struct works *w)
{
	double best = INFINITY, at = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct kind *k = &w->kinds[i];
		if (!common(k))
			continue;
		double ratio = k->cycles[HEAD] / k->cycles[BASE];
		double error = mix_at(w, ratio);
		if (error < best) {
			best = error;
			at = ratio;
		}
	}
	if (best == INFINITY)
		return false;
	mix_at(w, at);
	return true;
}

static void biggest_alone(struct works *w)
{
	struct kind *best = NULL;
	for (uint32_t i = 0; i < w->n; i++) {
		struct kind *k = &w->kinds[i];
		k->want[BASE] = k->want[HEAD] = 0;
		if (common(k) &&
			(!best || fmin(k->ns[BASE], k->ns[HEAD]) >
					  fmin(best->ns[BASE], best->ns[HEAD])))
			best = k;
	}
	for (int s = 0; best && s < 2; s++)
		best->want[s] = (uint32_t)best->cycles[s];
}

/* What each run gives of a kind: its part of what is wanted of all. */
static uint32_t **wanted(struct works *w, int s)
{
	const struct compare_side *side = &w->c->side[s];
	uint32_t **want = arena_array(w->c->a, uint32_t *, side->runs_n);
	for (uint32_t r = 0; r < side->runs_n; r++) {
		uint32_t n = side->runs[r].cycles.strata_n + 1;
		want[r] = arena_array(w->c->a, uint32_t, n);
		for (uint32_t i = 0; i < n; i++) {
			double have = w->have[s][r][i];
			const struct kind *k =
				have > 0 ? &w->kinds[w->kind_of[s][r][i]]
					 : NULL;
			if (k)
				want[r][i] = (uint32_t)lround(
					have * k->want[s] / k->cycles[s]);
		}
	}
	return want;
}

static const struct kind *biggest(const struct works *w, int s)
{
	const struct kind *best = NULL;
	for (uint32_t i = 0; i < w->n; i++)
		if (w->kinds[i].cycles[s] > 0 &&
			(!best || w->kinds[i].ns[s] > best->ns[s]))
			best = &w->kinds[i];
	return best;
}

static void other_work(struct works *w)
{
	const struct kind *k[2] = { biggest(w, BASE), biggest(w, HEAD) };
	const char *text[2];
	assert(k[BASE] && k[HEAD]);
	bool both = told(k[BASE]->stratum) && told(k[HEAD]->stratum);
	if (both || !size_difference(&k[BASE]->sizes, &k[HEAD]->sizes,
			    &w->words, w->c->a, text))
		for (int s = 0; s < 2; s++)
			text[s] = k[s]->stratum->text;
	compare_finding_add(w->c, FINDING_other_work, text[BASE], text[HEAD]);
}

static void some_work(struct works *w)
{
	struct arena *a = w->c->a;
	double all[2] = { 0, 0 }, used[2] = { 0, 0 };
	const char *list = NULL;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct kind *k = &w->kinds[i];
		for (int s = 0; s < 2; s++) {
			all[s] += k->cycles[s];
			used[s] += k->want[s];
		}
		if (k->want[BASE] && *k->stratum->text)
			list = compare_text_join(a, list, k->stratum->text);
	}
	if (used[BASE] == all[BASE] && used[HEAD] == all[HEAD])
		return;
	compare_finding_add(w->c, FINDING_some_work,
		arena_printf(a,
			"%.0f of %.0f cycles in the base, %.0f of %.0f in the "
			"head%s%s",
			used[BASE], all[BASE], used[HEAD], all[HEAD],
			list ? ": " : "", list ? list : ""),
		NULL);
}

void compare_work_from(struct compare *c, uint32_t **want[2])
{
	struct works w = { .c = c };
	bool any[2] = { false, false }, both = false;
	names_init(&w.words, c->a);
	for (int s = 0; s < 2; s++) {
		uint32_t n = c->side[s].runs_n;
		w.kind_of[s] = arena_array(c->a, uint32_t *, n);
		w.have[s] = arena_array(c->a, uint32_t *, n);
		for (uint32_t r = 0; r < n; r++)
			run_sort(&w, s, r);
	}
	for (uint32_t i = 0; i < w.n; i++) {
		any[BASE] |= w.kinds[i].cycles[BASE] > 0;
		any[HEAD] |= w.kinds[i].cycles[HEAD] > 0;
		both |= common(&w.kinds[i]);
	}
	want[BASE] = want[HEAD] = NULL;
	if (any[BASE] && any[HEAD] && !both) {
		other_work(&w);
	} else if (both) {
		if (!mix(&w))
			biggest_alone(&w);
		some_work(&w);
		for (int s = 0; s < 2; s++)
			want[s] = wanted(&w, s);
	}
}
