/* suspicion_side.c - what both sides are called, and their cycles' durations. */
#include "suspicion.h"
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 3 }; /* of a side's runs told apart */

bool suspicion_counts(const struct compared_run *r, uint32_t cycle)
{
	return r->cycles.detector == CYCLES_TOLD ||
	       r->cycles.cycles[cycle].use == CYCLE_KEPT;
}

static bool named_before(const struct compared_run *runs, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(runs[k].name, runs[i].name))
			return true;
	return false;
}

/* "a+b+c", "a+b+c and 2 more". */
static const char *names_of(const struct compared_run *runs, uint32_t n,
	struct arena *a)
{
	const char *all = "";
	uint32_t names = 0;
	for (uint32_t i = 0; all && i < n; i++) {
		if (named_before(runs, i) || names++ >= NAMES_MAX)
			continue;
		all = arena_printf(a, "%s%s%s", all, names > 1 ? "+" : "",
			runs[i].name);
	}
	if (!all || names <= NAMES_MAX)
		return all;
	return arena_printf(a, "%s and %u more", all, names - NAMES_MAX);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

/* As published: two processes are told apart by their number. A name that ends
 * in it already is left alone. */
static bool heads(const struct compared_run *base,
	const struct compared_run *head, struct arena *a, struct suspicion *s)
{
	struct suspicion_side *sides[2] = { &s->base, &s->head };
	const int64_t ids[2] = { base->id, head->id };
	bool apart = s->base.pid >= 0 && s->head.pid >= 0 &&
		     s->base.pid != s->head.pid;
	for (int i = 0; i < 2; i++) {
		char end[32];
		snprintf(end, sizeof end, "_pid_%lld",
			(long long)sides[i]->pid);
		sides[i]->name = sides[i]->run;
		if (apart && !ends_in(sides[i]->run, end))
			sides[i]->name =
				arena_printf(a, "%s%s", sides[i]->run, end);
	}
	if (a->full || strcmp(s->base.name, s->head.name))
		return !a->full;
	for (int i = 0; i < 2; i++)
		sides[i]->name =
			ids[0] == ids[1]
				? arena_printf(a, "%s_%s", sides[i]->run,
					  i ? "head" : "base")
				: arena_printf(a, "%s_run_%lld", sides[i]->run,
					  (long long)ids[i]);
	return !a->full;
}

/* What all runs share; "" otherwise. */
static const char *shared(const char *text, const struct compared_run *runs,
	uint32_t n, bool workload)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(workload ? runs[i].workload : runs[i].project, text))
			return "";
	return text;
}

static int longest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x < y) - (x > y);
}

static bool cycles_of(const struct compared_run *runs, uint32_t n,
	struct arena *a, struct suspicion_side *side)
{
	uint32_t all = 0;
	int64_t sum_ns = 0;
	for (uint32_t i = 0; i < n; i++)
		all += runs[i].cycles.n;
	double *us = arena_grow(a, NULL, ((size_t)all + 1) * sizeof *us);
	if (!us)
		return false;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < runs[i].cycles.n; k++) {
			int64_t dur_ns = runs[i].cycles.cycles[k].dur_ns;
			if (!suspicion_counts(&runs[i], k) || dur_ns < 0)
				continue;
			us[side->cycles_n++] = (double)dur_ns / 1e3;
			sum_ns += dur_ns;
		}
	qsort(us, side->cycles_n, sizeof *us, longest_first);
	side->cycles_us = us;
	side->cycle_us =
		side->cycles_n ? (double)sum_ns / 1e3 / side->cycles_n : 0;
	return true;
}

static bool side_from(const struct compared_run *runs, uint32_t n,
	struct arena *a, struct suspicion_side *side, struct err *e)
{
	side->run = names_of(runs, n, a);
	side->pid = n == 1 ? runs->pid : -1;
	if (!side->run || !cycles_of(runs, n, a, side))
		return arena_err(a, e);
	if (side->cycles_n == 0)
		return err_set(e, ERR_INPUT,
			"'%.80s' has no cycles to score: %s", side->run,
			runs->content == CONTENT_STATISTICS
				? "a table of statistics tells of none"
				: "none were found in it");
	return true;
}

bool suspicion_sides(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct suspicion *out, struct err *e)
{
	const char *w = shared(base->workload, base, base_n, true);
	const char *p = shared(base->project, base, base_n, false);
	if (!side_from(base, base_n, a, &out->base, e) ||
		!side_from(head, head_n, a, &out->head, e))
		return false;
	w = shared(w, head, head_n, true);
	p = shared(p, head, head_n, false);
	out->subject = *w ? w : p;
	return heads(base, head, a, out) || arena_err(a, e);
}
