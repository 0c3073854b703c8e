/* compare_groups.c - groups the iterations of both sides by their work, and pairs
 * the groups. */
#include "compare_state.h"
#include "arena.h"
#include "iterations.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Only iterations of matching work are compared, because different work is not a
 * change of performance.
 *
 * First, the strata of all runs of a side are grouped. Strata of one group have
 * equal phase, sequences and tokens, and about equal context lengths. If these
 * are unknown, most of their sizes agree; strata of one run without a label are
 * never one group, because a run has strata for work that differs. Then the groups of both sides are
 * paired by the same rules, the best pairs first. Each pair is compared for
 * itself. A gate compares all pairs together: if the sides have different
 * proportions of them, iterations are excluded evenly until the proportions are
 * equal. */

/* Context lengths that differ by at most this ratio are treated as equal,
 * because the mean grows during decoding. */
#define CONTEXT_SAME 0.1
/* Groups of unknown work are the same if at least this share of their sizes
 * agrees: more agree than differ. */
#define SIZES_SAME 0.5
/* The proportions of a mix may differ by this: half the margin of a comparison
 * would be 2.5 %, of which this is a fifth. */
#define MIX_SAME 0.005
/* Groups without a label are paired by their sizes; only those with the most
 * time, because the assignment needs cubic time (2 million steps). */
enum { UNLABELED_MAX = 128 };
/* The cost of a pair is 1 - agreement. A pair that does not fit costs more than
 * two that fit (at most 0.5 each), so that as many as possible are paired. Shares
 * of time decide only where agreements are equal to a percent. */
#define UNFIT_COST 2.0
#define SHARE_COST 0.01

struct compare_groups_kind {
	const struct iterations *of; /* of the group's first stratum */
	const struct stratum *stratum;
	struct compare_sizes sizes;
	double iterations, ns;
	uint32_t want;
	uint32_t run; /* the last one of which it has a stratum */
	bool paired;
};

struct compare_groups_side {
	struct compare_groups_kind *kinds;
	uint32_t n;
	uint32_t **kind_of, **have; /* by run and stratum; iterations that may
		be used */
	double ns;
};

/* A pair, or a group of one side; the other kind is then NULL. */
struct compare_groups_pair {
	struct compare_groups_kind *kind[2];
	enum group_match match;
};

struct compare_groups {
	struct compare *c;
	struct names words;
	struct compare_groups_side side[2];
	struct compare_groups_pair *pairs; /* as out->groups */
	uint32_t pairs_n, all_n; /* pairs; with groups of one side */
};

static bool compare_groups_labeled(const struct stratum *s)
{
	return s->phase != PHASE_UNKNOWN || s->sequences >= 0 || s->tokens >= 0;
}

static bool compare_groups_differ(int64_t a, int64_t b)
{
	return a >= 0 && b >= 0 && a != b;
}

/* How far the known context lengths are apart, as a ratio; 0 if one is
 * unknown. */
static double compare_groups_context(const struct stratum *a,
	const struct stratum *b)
{
	double x = (double)a->kv_tokens, y = (double)b->kv_tokens;
	if (x < 0 || y < 0 || x == y)
		return 0;
	return fabs(x - y) / fmax(x, y);
}

static bool compare_groups_labels_fit(const struct stratum *a,
	const struct stratum *b)
{
	if (a->phase != PHASE_UNKNOWN && b->phase != PHASE_UNKNOWN &&
		a->phase != b->phase)
		return false;
	return !compare_groups_differ(a->sequences, b->sequences) &&
	       !compare_groups_differ(a->tokens, b->tokens) &&
	       compare_groups_context(a, b) <= CONTEXT_SAME;
}

static bool compare_groups_no_sizes(const struct compare_sizes *s)
{
	return s->n[WORK_OP] + s->n[WORK_GRID] == 0;
}

/* How well two groups fit: above 1 if their labels do, otherwise the agreement
 * of their sizes; negative if they do not fit. */
static double compare_groups_fit(const struct compare_groups_kind *a,
	const struct compare_groups_kind *b)
{
	if (!compare_groups_labels_fit(a->stratum, b->stratum))
		return -1;
	if (compare_groups_labeled(a->stratum) &&
		compare_groups_labeled(b->stratum))
		return 2 - compare_groups_context(a->stratum, b->stratum);
	if (compare_groups_no_sizes(&a->sizes) ||
		compare_groups_no_sizes(&b->sizes))
		return SIZES_SAME; /* nothing contradicts it */
	double agree = compare_work_agreement(&a->sizes, &b->sizes);
	return agree >= SIZES_SAME ? agree : -1;
}

/* The group of a stratum of a run: the one that fits best, or a new one. */
static uint32_t compare_groups_kind_of(struct compare_groups *w,
	struct compare_groups_side *side, const struct iterations *of,
	uint32_t stratum, uint32_t run)
{
	static const struct stratum unknown = { .text = "",
		.sequences = -1,
		.tokens = -1,
		.kv_tokens = -1 };
	struct compare_groups_kind k = { .of = of,
		.stratum = stratum < of->strata_n ? &of->strata[stratum]
						  : &unknown };
	uint32_t best = UINT32_MAX;
	double fit = -1;
	compare_work_sizes_from(of, stratum, &w->words, w->c->a, &k.sizes);
	k.run = run;
	for (uint32_t i = 0; i < side->n; i++) {
		/* Strata of one run are one group only by their labels. */
		if (side->kinds[i].run == run &&
			!compare_groups_labeled(k.stratum))
			continue;
		double x = compare_groups_fit(&side->kinds[i], &k);
		if (x > fit && (x > 1 || side->kinds[i].run != run)) {
			fit = x;
			best = i;
		}
	}
	if (best != UINT32_MAX) {
		side->kinds[best].run = run;
		return best;
	}
	side->kinds = arena_grow(w->c->a, side->kinds,
		(side->n + 1) * sizeof *side->kinds);
	side->kinds[side->n] = k;
	return side->n++;
}

static void compare_groups_run_add(struct compare_groups *w, int s, uint32_t r)
{
	const struct compared_run *run = &w->c->side[s].runs[r];
	const struct iterations *y = &run->iterations;
	struct compare_groups_side *side = &w->side[s];
	uint32_t n = y->strata_n + 1;
	side->kind_of[r] = arena_array(w->c->a, uint32_t, n);
	side->have[r] = arena_array(w->c->a, uint32_t, n);
	double *ns = arena_array(w->c->a, double, n);
	for (uint32_t i = 0; i < run->patterns.iterations_n; i++) {
		const struct iteration *iteration =
			&y->iterations[run->patterns.iteration[i]];
		if (iteration->use != ITERATION_KEPT)
			continue;
		uint32_t at =
			iteration->stratum < n ? iteration->stratum : n - 1;
		side->have[r][at]++;
		ns[at] += (double)iteration->dur_ns;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!side->have[r][i])
			continue;
		uint32_t k = compare_groups_kind_of(w, side, y, i, r);
		side->kind_of[r][i] = k;
		side->kinds[k].iterations += side->have[r][i];
		side->kinds[k].ns += ns[i];
		side->ns += ns[i];
	}
}

static void compare_groups_side_from(struct compare_groups *w, int s)
{
	uint32_t n = w->c->side[s].runs_n;
	w->side[s].kind_of = arena_array(w->c->a, uint32_t *, n);
	w->side[s].have = arena_array(w->c->a, uint32_t *, n);
	for (uint32_t r = 0; r < n; r++)
		compare_groups_run_add(w, s, r);
}

static double compare_groups_share(const struct compare_groups *w,
	const struct compare_groups_kind *k, int s)
{
	return k && w->side[s].ns > 0 ? k->ns / w->side[s].ns : 0;
}

static void compare_groups_pair_add(struct compare_groups *w,
	const struct compare_groups_pair *p)
{
	for (int s = 0; s < 2; s++)
		if (p->kind[s])
			p->kind[s]->paired = true;
	w->pairs[w->all_n++] = *p;
}

/* Pairs each labeled group of the base with the labeled group of the head whose
 * context length is nearest. */
static void compare_groups_pair_labeled(struct compare_groups *w)
{
	for (uint32_t i = 0; i < w->side[BASE].n; i++) {
		struct compare_groups_pair best = { .match = GROUP_BY_LABEL };
		double fit = 1;
		for (uint32_t j = 0; j < w->side[HEAD].n; j++) {
			struct compare_groups_pair p = best;
			p.kind[BASE] = &w->side[BASE].kinds[i];
			p.kind[HEAD] = &w->side[HEAD].kinds[j];
			double x = p.kind[HEAD]->paired
					   ? 0
					   : compare_groups_fit(p.kind[BASE],
						     p.kind[HEAD]);
			if (x > fit) {
				fit = x;
				best = p;
			}
		}
		if (best.kind[HEAD])
			compare_groups_pair_add(w, &best);
	}
}

/* The groups of a side that are in no pair, at most UNLABELED_MAX: those with
 * the most time. */
static uint32_t compare_groups_left(const struct compare_groups_side *s,
	struct arena *a, struct compare_groups_kind **list)
{
	double *ns = arena_array(a, double, s->n + 1), min_ns = 0;
	uint32_t n = 0, kept = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->kinds[i].paired)
			ns[n++] = s->kinds[i].ns;
	sort_double(ns, n);
	if (n > UNLABELED_MAX)
		min_ns = ns[n - UNLABELED_MAX];
	for (uint32_t i = 0; i < s->n && kept < UNLABELED_MAX; i++)
		if (!s->kinds[i].paired && s->kinds[i].ns >= min_ns)
			list[kept++] = &s->kinds[i];
	return kept;
}

static double compare_groups_cost(const struct compare_groups *w,
	const struct compare_groups_kind *base,
	const struct compare_groups_kind *head)
{
	double fit = base && head ? compare_groups_fit(base, head) : -1;
	if (fit < 0)
		return UNFIT_COST;
	return 1 - fit +
	       SHARE_COST * fabs(compare_groups_share(w, base, BASE) -
				    compare_groups_share(w, head, HEAD));
}

/* Pairs what is left by its sizes, so that as many groups as possible have a
 * counterpart, with sizes that agree as well as possible. Between equally good
 * pairs, the shares of time decide: the same work has about the same share. */
static void compare_groups_pair_by_sizes(struct compare_groups *w)
{
	struct compare_groups_kind *left[2][UNLABELED_MAX] = { 0 };
	struct arena *a = w->c->a;
	uint32_t n[2];
	for (int s = 0; s < 2; s++)
		n[s] = compare_groups_left(&w->side[s], a, left[s]);
	if (!n[BASE] || !n[HEAD])
		return;
	uint32_t size = n[BASE] > n[HEAD] ? n[BASE] : n[HEAD];
	double *cost = arena_array(a, double, (size_t)size *size);
	uint32_t *at = arena_array(a, uint32_t, size);
	for (uint32_t i = 0; i < size; i++)
		for (uint32_t j = 0; j < size; j++)
			cost[(size_t)i * size + j] = compare_groups_cost(w,
				left[BASE][i], left[HEAD][j]);
	compare_match_assign(cost, size, a, at);
	for (uint32_t i = 0; i < n[BASE]; i++) {
		struct compare_groups_pair p = {
			{ left[BASE][i], left[HEAD][at[i]] }, GROUP_BY_SIZES
		};
		if (cost[(size_t)i * size + at[i]] < UNFIT_COST)
			compare_groups_pair_add(w, &p);
	}
}

/* The only group of a side that is in no pair; NULL if there is none or more
 * than one. */
static struct compare_groups_kind *compare_groups_only(
	const struct compare_groups_side *side)
{
	struct compare_groups_kind *only = NULL;
	for (uint32_t i = 0; i < side->n; i++) {
		if (side->kinds[i].paired)
			continue;
		if (only)
			return NULL;
		only = &side->kinds[i];
	}
	return only;
}

/* Pairs the last groups of both sides if nothing states what they work on: they
 * have no operator or kernel in common, as between two vendors. */
static void compare_groups_pair_last(struct compare_groups *w)
{
	struct compare_groups_pair p = { { compare_groups_only(&w->side[BASE]),
						 compare_groups_only(
							 &w->side[HEAD]) },
		GROUP_BY_EXCLUSION };
	if (!p.kind[BASE] || !p.kind[HEAD])
		return;
	if (compare_groups_labels_fit(p.kind[BASE]->stratum,
		    p.kind[HEAD]->stratum) &&
		compare_work_agreement(&p.kind[BASE]->sizes,
			&p.kind[HEAD]->sizes) < 0)
		compare_groups_pair_add(w, &p);
}

struct compare_groups_weighed {
	struct compare_groups_pair pair;
	double weight;
	uint32_t at;
};

static int compare_groups_by_weight(const void *left, const void *right)
{
	const struct compare_groups_weighed *a = left, *b = right;
	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Sorts a part of w->pairs, the largest share of both sides' time first. */
static void compare_groups_sort(struct compare_groups *w, uint32_t from)
{
	uint32_t n = w->all_n - from;
	struct compare_groups_weighed *list =
		arena_array(w->c->a, struct compare_groups_weighed, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct compare_groups_pair *p = &w->pairs[from + i];
		list[i] = (struct compare_groups_weighed){ *p,
			compare_groups_share(w, p->kind[BASE], BASE) +
				compare_groups_share(w, p->kind[HEAD], HEAD),
			i };
	}
	qsort(list, n, sizeof *list, compare_groups_by_weight);
	for (uint32_t i = 0; i < n; i++)
		w->pairs[from + i] = list[i].pair;
}

static void compare_groups_pair(struct compare_groups *w)
{
	w->pairs = arena_array(w->c->a, struct compare_groups_pair,
		w->side[BASE].n + w->side[HEAD].n + 1);
	compare_groups_pair_labeled(w);
	compare_groups_pair_by_sizes(w);
	compare_groups_pair_last(w);
	compare_groups_sort(w, 0);
	w->pairs_n = w->all_n;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < w->side[s].n; i++) {
			struct compare_groups_pair alone = {
				.match = GROUP_ALONE
			};
			alone.kind[s] = &w->side[s].kinds[i];
			if (!alone.kind[s]->paired)
				compare_groups_pair_add(w, &alone);
		}
	compare_groups_sort(w, w->pairs_n);
}

/* The mix of all pairs. */

/* Selects per pair `ratio` iterations of the head for each iteration of the
 * base, as many as there are. Returns the random variance that the mean then
 * has; INFINITY if the proportions of pairs still differ. */
static double compare_groups_mix_at(struct compare_groups *w, double ratio)
{
	double want[2] = { 0, 0 };
	for (uint32_t i = 0; i < w->pairs_n; i++) {
		struct compare_groups_kind *base = w->pairs[i].kind[BASE],
					   *head = w->pairs[i].kind[HEAD];
		double n = fmin(base->iterations, head->iterations / ratio);
		base->want = (uint32_t)lround(n);
		head->want =
			(uint32_t)lround(fmin(head->iterations, n * ratio));
		want[BASE] += base->want;
		want[HEAD] += head->want;
	}
	for (uint32_t i = 0; i < w->pairs_n; i++) {
		const struct compare_groups_pair *p = &w->pairs[i];
		double off = p->kind[BASE]->want / want[BASE] -
			     p->kind[HEAD]->want / want[HEAD];
		if (!(fabs(off) <= MIX_SAME))
			return INFINITY;
	}
	return 1 / want[BASE] + 1 / want[HEAD];
}

/* Makes the proportions of pairs equal on both sides, with as many iterations
 * as possible. False if this is impossible. */
static bool compare_groups_mix(struct compare_groups *w)
{
	double best = INFINITY, at = 0;
	for (uint32_t i = 0; i < w->pairs_n; i++) {
		const struct compare_groups_pair *p = &w->pairs[i];
		double ratio =
			p->kind[HEAD]->iterations / p->kind[BASE]->iterations;
		double error = compare_groups_mix_at(w, ratio);
		if (error < best) {
			best = error;
			at = ratio;
		}
	}
	if (best == INFINITY)
		return false;
	compare_groups_mix_at(w, at);
	return true;
}

/* Selects all iterations of one pair. */
static void compare_groups_take(struct compare_groups *w, uint32_t pair)
{
	for (uint32_t i = 0; i < w->pairs_n; i++)
		for (int s = 0; s < 2; s++) {
			struct compare_groups_kind *k = w->pairs[i].kind[s];
			k->want = i == pair ? (uint32_t)k->iterations : 0;
		}
}

/* Selects what the options name. */
static bool compare_groups_select(struct compare_groups *w, struct err *e)
{
	struct comparison *out = w->c->out;
	int64_t wanted = w->c->o->group;
	if (wanted >= (int64_t)w->pairs_n)
		return err_set(e, ERR_NOT_FOUND,
			"group: there is no pair %lld; the sides have %u pairs "
			"of groups of iterations, counted from 0",
			(long long)wanted, w->pairs_n);
	out->group = GROUP_NONE;
	if (!w->pairs_n)
		return true;
	out->group = wanted < 0 ? 0 : (uint32_t)wanted;
	if (wanted == COMPARE_MIXED && w->pairs_n > 1 && compare_groups_mix(w))
		out->group = GROUP_MIXED;
	else
		compare_groups_take(w, out->group);
	return true;
}

/* Distributes the wanted iterations of each group to the runs and strata of this
 * group. */
static uint32_t **compare_groups_wanted(struct compare_groups *w, int s)
{
	const struct compare_side *side = &w->c->side[s];
	const struct compare_groups_side *of = &w->side[s];
	uint32_t **want = arena_array(w->c->a, uint32_t *, side->runs_n);
	for (uint32_t r = 0; r < side->runs_n; r++) {
		uint32_t n = side->runs[r].iterations.strata_n + 1;
		want[r] = arena_array(w->c->a, uint32_t, n);
		for (uint32_t i = 0; i < n; i++) {
			double have = of->have[r][i];
			if (!(have > 0))
				continue;
			const struct compare_groups_kind *k =
				&of->kinds[of->kind_of[r][i]];
			want[r][i] = (uint32_t)lround(
				have * k->want / k->iterations);
		}
	}
	return want;
}

/* Findings. */

/* The text of a stratum. That of unlabeled work says by what it was found: "grids of 24
 * kernels". */
static const char *compare_groups_text(struct arena *a,
	const struct compare_groups_kind *k)
{
	static const char found_by[] = "grids of ";
	const char *text = k->stratum->text;
	size_t n = sizeof found_by - 1;
	if (!*text)
		return "unlabeled work";
	if (compare_groups_labeled(k->stratum) ||
		strncmp(text, found_by, n) != 0)
		return text;
	return arena_printf(a, "unlabeled work of %s", text + n);
}

/* How the groups with the most time of both sides differ. */
static void compare_groups_difference(struct compare_groups *w,
	const char *text[2])
{
	const struct compare_groups_kind *k[2] = { NULL, NULL };
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < w->side[s].n; i++)
			if (!k[s] || w->side[s].kinds[i].ns > k[s]->ns)
				k[s] = &w->side[s].kinds[i];
	assert(k[BASE] && k[HEAD]);
	bool both = compare_groups_labeled(k[BASE]->stratum) &&
		    compare_groups_labeled(k[HEAD]->stratum);
	if (both || !compare_work_difference(&k[BASE]->sizes, &k[HEAD]->sizes,
			    &w->words, w->c->a, text))
		for (int s = 0; s < 2; s++)
			text[s] = compare_groups_text(w->c->a, k[s]);
}

static void compare_groups_other_work(struct compare_groups *w)
{
	const char *text[2] = { NULL, NULL };
	compare_groups_difference(w, text);
	compare_finding_add(w->c, FINDING_other_work, text[BASE], text[HEAD]);
}

/* "decode, 16 sequences, 16 tokens (12.0 % of the time)"; several with commas.
 * NULL: none. */
static const char *compare_groups_list(const struct compare_groups *w,
	uint32_t from, uint32_t to, uint32_t without, int s)
{
	enum { SHOWN = 3 };
	struct arena *a = w->c->a;
	const char *list = NULL;
	uint32_t n = 0;
	for (uint32_t i = from; i < to; i++) {
		const struct compare_groups_kind *k = w->pairs[i].kind[s];
		if (!k || i == without || n++ >= SHOWN)
			continue;
		list = compare_text_join(a, list,
			arena_printf(a, "%s (%s of its time)",
				compare_groups_text(a, k),
				compare_text_pct(a,
					compare_groups_share(w, k, s))));
	}
	return n > SHOWN ? arena_printf(a, "%s and %u more", list, n - SHOWN)
			 : list;
}

/* Findings on groups that are not compared here. */
static void compare_groups_excluded(struct compare_groups *w)
{
	struct compare *c = w->c;
	const char *alone[2];
	bool any = false;
	for (int s = 0; s < 2; s++) {
		alone[s] = compare_groups_list(w, w->pairs_n, w->all_n,
			GROUP_NONE, s);
		any |= alone[s] != NULL;
		alone[s] = alone[s] ? alone[s] : "nothing";
	}
	if (any)
		compare_finding_add(c, FINDING_some_work, alone[BASE],
			alone[HEAD]);
	if (w->pairs_n && w->pairs[0].match == GROUP_BY_EXCLUSION)
		compare_finding_add(c, FINDING_work_unknown, NULL, NULL);
}

/* Findings on pairs that are not compared here, or only in part. */
static void compare_groups_others(struct compare_groups *w)
{
	struct compare *c = w->c;
	uint32_t shown = c->out->group;
	int base = c->mirrored ? HEAD : BASE;
	const char *text[2];
	bool part = false;
	if (w->pairs_n > 1 && shown < w->pairs_n)
		compare_finding_add(c, FINDING_groups,
			arena_printf(c->a, "%s; the others: %s",
				compare_groups_text(c->a,
					w->pairs[shown].kind[base]),
				compare_groups_list(w, 0, w->pairs_n, shown,
					base)),
			NULL);
	if (shown != GROUP_MIXED)
		return;
	for (int s = 0; s < 2; s++) {
		double all = 0, used = 0;
		for (uint32_t i = 0; i < w->pairs_n; i++) {
			all += w->pairs[i].kind[s]->iterations;
			used += w->pairs[i].kind[s]->want;
		}
		part |= used < all;
		text[s] = arena_printf(c->a, "%.0f of %.0f", used, all);
	}
	if (part)
		compare_finding_add(c, FINDING_mix_balanced, text[BASE],
			text[HEAD]);
}

static double compare_groups_mean_ns(const struct compare_groups_kind *k)
{
	return k ? k->ns / k->iterations : NAN;
}

/* Kernels of the compared pairs that were launched differently. */
static void compare_groups_relaunches(struct compare_groups *w)
{
	struct arena *a = w->c->a;
	int base = w->c->mirrored ? HEAD : BASE;
	const struct compare_sizes **sizes[2];
	uint32_t n = 0;
	for (int s = 0; s < 2; s++)
		sizes[s] = arena_array(a, const struct compare_sizes *,
			w->pairs_n + 1);
	for (uint32_t i = 0; i < w->pairs_n; i++) {
		if (!w->pairs[i].kind[BASE]->want)
			continue;
		sizes[0][n] = &w->pairs[i].kind[base]->sizes;
		sizes[1][n++] = &w->pairs[i].kind[!base]->sizes;
	}
	const char *list =
		compare_work_relaunches(sizes[0], sizes[1], n, &w->words, a);
	if (list)
		compare_finding_add(w->c, FINDING_launched_differently, list,
			NULL);
}

static void compare_groups_report(struct compare_groups *w)
{
	struct comparison *out = w->c->out;
	out->groups = arena_array(w->c->a, struct compared_group, w->all_n + 1);
	out->groups_n = w->all_n;
	for (uint32_t i = 0; i < w->all_n; i++) {
		struct compared_group *g = &out->groups[i];
		g->match = w->pairs[i].match;
		g->iteration =
			compare_plain_change(compare_groups_mean_ns(
						     w->pairs[i].kind[BASE]),
				compare_groups_mean_ns(w->pairs[i].kind[HEAD]));
		for (int s = 0; s < 2; s++) {
			const struct compare_groups_kind *k =
				w->pairs[i].kind[s];
			if (!k)
				continue;
			if (k->stratum->phase != PHASE_UNKNOWN)
				g->phase = k->stratum->phase;
			g->side[s] = (struct compared_group_side){
				.text = compare_groups_text(w->c->a, k),
				.iterations = (uint32_t)k->iterations,
				.ns = k->ns,
				.share = compare_groups_share(w, k, s)
			};
		}
	}
}

bool compare_groups_from(struct compare *c, uint32_t **want[2], struct err *e)
{
	struct compare_groups w = { .c = c };
	want[BASE] = want[HEAD] = NULL;
	names_init(&w.words, c->a);
	for (int s = 0; s < 2; s++)
		compare_groups_side_from(&w, s);
	compare_groups_pair(&w);
	if (!compare_groups_select(&w, e))
		return false;
	compare_groups_report(&w);
	if (w.pairs_n) {
		compare_groups_excluded(&w);
		compare_groups_others(&w);
		compare_groups_relaunches(&w);
		for (int s = 0; s < 2; s++)
			want[s] = compare_groups_wanted(&w, s);
	} else if (w.side[BASE].n && w.side[HEAD].n) {
		compare_groups_other_work(&w);
	}
	return true;
}

/* Whether two sides do the same work. */

/* Sides whose pairs have less than this share of the time of either do mostly
 * other work. */
#define MOSTLY 0.5

/* The pair whose shares of time differ most. Of two pairs without other groups
 * both differ by the same, apart from rounding: the first has more time. */
static const struct compare_groups_pair *compare_groups_most_uneven(
	const struct compare_groups *w)
{
	const struct compare_groups_pair *most = NULL;
	double by = 0;
	for (uint32_t i = 0; i < w->pairs_n; i++) {
		const struct compare_groups_pair *p = &w->pairs[i];
		double d = fabs(compare_groups_share(w, p->kind[HEAD], HEAD) -
				compare_groups_share(w, p->kind[BASE], BASE));
		if (d > by + 1e-9) {
			by = d;
			most = p;
		}
	}
	return most;
}

/* How many times as long the mean iteration of the head is. *equal: by the means
 * of the pairs alone, each weighted with its share of time on both sides, so
 * that proportions have no influence. */
static double compare_groups_ratio(const struct compare_groups *w,
	double *equal)
{
	double n[2] = { 0 }, ns[2] = { 0 }, sum = 0, all = 0;
	for (uint32_t i = 0; i < w->pairs_n; i++) {
		const struct compare_groups_pair *p = &w->pairs[i];
		double share = compare_groups_share(w, p->kind[BASE], BASE) +
			       compare_groups_share(w, p->kind[HEAD], HEAD);
		for (int s = 0; s < 2; s++) {
			n[s] += p->kind[s]->iterations;
			ns[s] += p->kind[s]->ns;
		}
		sum += share * log(compare_groups_mean_ns(p->kind[HEAD]) /
				       compare_groups_mean_ns(p->kind[BASE]));
		all += share;
	}
	*equal = exp(sum / all);
	return ns[HEAD] / n[HEAD] / (ns[BASE] / n[BASE]);
}

static const char *compare_groups_pairs_text(const struct compare_groups *w)
{
	struct arena *a = w->c->a;
	double share[2] = { 0 }, equal;
	for (uint32_t i = 0; i < w->pairs_n; i++)
		for (int s = 0; s < 2; s++)
			share[s] +=
				compare_groups_share(w, w->pairs[i].kind[s], s);
	if (fmin(share[BASE], share[HEAD]) < MOSTLY) {
		const char *alone[2];
		for (int s = 0; s < 2; s++) {
			alone[s] = compare_groups_list(w, w->pairs_n, w->all_n,
				GROUP_NONE, s);
			alone[s] = alone[s] ? alone[s] : "nothing";
		}
		return arena_printf(a,
			"most of the work differs; without a counterpart are "
			"%s before, and %s after",
			alone[BASE], alone[HEAD]);
	}
	/* The proportions explain the change if equal work changed by less than
	 * half of it, or in the other direction. */
	double all = log(compare_groups_ratio(w, &equal));
	const struct compare_groups_pair *p = compare_groups_most_uneven(w);
	if (w->pairs_n < 2 || !p || !(log(equal) / all < MOSTLY))
		return NULL;
	return arena_printf(a,
		"the proportions of the work differ: %s is %s of the time "
		"before, %s after; iterations of equal work changed by %s",
		compare_groups_text(w->c->a, p->kind[BASE]),
		compare_text_pct(a,
			compare_groups_share(w, p->kind[BASE], BASE)),
		compare_text_pct(a,
			compare_groups_share(w, p->kind[HEAD], HEAD)),
		arena_printf(a, "%+.1f %%", 100 * (equal - 1)));
}

const char *compare_groups_changed(const struct compared_run *before,
	uint32_t before_n, const struct compared_run *after, uint32_t after_n,
	struct arena *a)
{
	struct comparison out = { .comparable = true };
	struct compare c = { .a = a, .out = &out };
	struct compare_groups w = { .c = &c };
	assert(a->ceiling == 0);
	names_init(&w.words, a);
	compare_match_units(before, before_n, a, &c.side[BASE]);
	compare_match_units(after, after_n, a, &c.side[HEAD]);
	for (int s = 0; s < 2; s++)
		compare_groups_side_from(&w, s);
	if (!w.side[BASE].n || !w.side[HEAD].n)
		return NULL;
	compare_groups_pair(&w);
	if (w.pairs_n)
		return compare_groups_pairs_text(&w);
	const char *text[2] = { NULL, NULL };
	compare_groups_difference(&w, text);
	return arena_printf(a, "the work differs: %s before, %s after",
		text[BASE], text[HEAD]);
}
