/* compare_meaning.c - whether both sides' cycles are the same thing, and what
 * they leave out. */
#include "compare_state.h"
#include <math.h>
#include <string.h>

/* Cycles found in different ways are taken for the same where neither their
 * launches nor their durations are further apart than this. */
static const double launches_apart = 1.5, duration_apart = 3;
static const double confidence_least = 0.5, covered_least = 0.9;

/* Means over the kept cycles of a run. */
static void means(const struct compared_run *r, double *launches, double *ns,
	double *n)
{
	*launches = *ns = *n = 0;
	for (uint32_t i = 0; i < r->cycles.n; i++) {
		const struct cycle *y = &r->cycles.cycles[i];
		if (y->use != CYCLE_KEPT)
			continue;
		*launches += (double)y->launches;
		*ns += (double)y->dur_ns;
		++*n;
	}
	if (*n > 0) {
		*launches /= *n;
		*ns /= *n;
	}
}

static bool apart(double a, double b, double most)
{
	return a > 0 && b > 0 && (a > most * b || b > most * a);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Ranges of one name mean one thing; of a period even that may be another. */
static bool same_meaning(const struct compared_run *a,
	const struct compared_run *b)
{
	const struct cycles *x = &a->cycles, *y = &b->cycles;
	double launches[2], ns[2], n[2];
	bool alike =
		x->detector == y->detector && same_text(x->range, y->range);
	if (x->detector == CYCLES_TOLD || y->detector == CYCLES_TOLD)
		return alike;
	if (alike && x->detector != CYCLES_PERIOD)
		return true;
	means(a, &launches[0], &ns[0], &n[0]);
	means(b, &launches[1], &ns[1], &n[1]);
	if (n[0] == 0 || n[1] == 0)
		return true;
	return !apart(launches[0], launches[1], launches_apart) &&
	       (alike || !apart(ns[0], ns[1], duration_apart));
}

static const char *meaning(struct arena *a, const struct compared_run *r)
{
	static const char *const words[] = {
		[CYCLES_NONE] = "none were found",
		[CYCLES_ANNOTATION] = "ranges named",
		[CYCLES_PERIOD] = "a period of kernels that begins with",
		[CYCLES_WINDOW] = "the whole recording",
		[CYCLES_TOLD] = "a table's cycles of",
		[CYCLES_NAMED] = "ranges named",
	};
	double launches, ns, n;
	means(r, &launches, &ns, &n);
	return arena_printf(a, "%s%s%s (%s on average)",
		words[r->cycles.detector], r->cycles.range ? " " : "",
		r->cycles.range ? r->cycles.range : "",
		compare_text_time(a, ns));
}

static void detectors_differ(struct compare *c)
{
	const struct compared_run *first = &c->side[BASE].runs[0];
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			const struct compared_run *r = &c->side[s].runs[i];
			if (same_meaning(first, r))
				continue;
			compare_finding_add(c, FINDING_detectors_differ,
				meaning(c->a, first), meaning(c->a, r));
			return;
		}
}

static uint32_t count(const struct compare_side *s, enum cycle_use use)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->runs_n; i++)
		for (uint32_t k = 0; k < s->runs[i].cycles.n; k++)
			n += s->runs[i].cycles.cycles[k].use == use;
	return n;
}

static void warmup_dropped(struct compare *c)
{
	const char *text[2];
	uint32_t n[2];
	for (int s = 0; s < 2; s++) {
		n[s] = count(&c->side[s], CYCLE_WARMUP);
		text[s] = arena_printf(c->a, "%u", n[s]);
	}
	if (n[BASE] || n[HEAD])
		compare_finding_add(c, FINDING_warmup_dropped, text[BASE],
			text[HEAD]);
}

double compare_covered(const struct compare_side *s)
{
	double in = 0, all = 0;
	for (uint32_t i = 0; i < s->runs_n; i++) {
		const struct compared_run *r = &s->runs[i];
		if (r->content != CONTENT_LAUNCHES || r->cycles.n == 0 ||
			r->patterns.cycles_n < r->cycles.n)
			continue;
		all += (double)(r->kernel_ns > 0 ? r->kernel_ns : 0) +
		       (double)(r->graph_ns > 0 ? r->graph_ns : 0);
		for (uint32_t k = 0; k < r->patterns.n; k++) {
			const struct pattern *p = &r->patterns.rows[k];
			if (p->type != FUNCTION_gpu_compute &&
				p->type != FUNCTION_gpu_comm &&
				p->type != FUNCTION_gpu_graph)
				continue;
			for (uint32_t y = 0; y < r->patterns.cycles_n; y++)
				in += (double)p->dur_ns[y];
		}
	}
	return all > 0 ? in / all : -1;
}

static void coverage(struct compare *c)
{
	const char *text[2];
	bool little = false;
	for (int s = 0; s < 2; s++) {
		double share = compare_covered(&c->side[s]);
		little |= share >= 0 && share < covered_least;
		text[s] = share < 0 ? "unknown" : compare_text_pct(c->a, share);
	}
	if (little)
		compare_finding_add(c, FINDING_coverage, text[BASE],
			text[HEAD]);
}

/* What is told of single runs. */
static void each_run(struct compare *c)
{
	struct arena *a = c->a;
	const char *windows = NULL, *uneven = NULL, *thinned = NULL;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			const struct compared_run *r = &c->side[s].runs[i];
			const struct cycles *y = &r->cycles;
			const char *text = compare_text_run(a, r);
			if (y->detector == CYCLES_WINDOW)
				windows = compare_text_join(a, windows, text);
			if ((y->detector == CYCLES_PERIOD ||
				    y->detector == CYCLES_ANNOTATION) &&
				y->confidence < confidence_least)
				uneven = compare_text_join(a, uneven, text);
			if (r->patterns.cycles_n < y->n)
				thinned = compare_text_join(a, thinned,
					arena_printf(a, "%u of %u of %s",
						r->patterns.cycles_n, y->n,
						text));
		}
	if (windows)
		compare_finding_add(c, FINDING_one_window, windows, NULL);
	if (uneven)
		compare_finding_add(c, FINDING_low_confidence, uneven, NULL);
	if (thinned)
		compare_finding_add(c, FINDING_cycles_uneven, thinned, NULL);
}

void compare_meaning_from(struct compare *c)
{
	detectors_differ(c);
	warmup_dropped(c);
	coverage(c);
	each_run(c);
}

void compare_meaning_used(struct compare *c)
{
	const char *text[2];
	uint32_t least = UINT32_MAX;
	for (int s = 0; s < 2; s++) {
		uint32_t n = c->side[s].cycles_n;
		least = n < least ? n : least;
		text[s] = arena_printf(c->a, "%u", n);
	}
	if (least == 0 && c->out->comparable)
		compare_finding_add(c, FINDING_no_cycle, text[BASE],
			text[HEAD]);
}
