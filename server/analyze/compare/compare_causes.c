/* compare_causes.c - divides the idle time of both sides by cause. */
#include "compare_state.h"

static const struct compare_split *compare_causes_idle(const struct compare *c)
{
	for (uint32_t i = 0; i < c->split_n; i++)
		if (c->split[i].part == SPLIT_PART_idle)
			return &c->split[i];
	return NULL;
}

static bool compare_causes_any(const struct compare *c, double *const ns[2])
{
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].iterations_n; i++)
			if (ns[s][i] > 0)
				return true;
	return false;
}

/* The runs without causes, as text; NULL: all runs have them. */
static const char *compare_causes_missing(const struct compare *c, int side)
{
	const struct compare_side *s = &c->side[side];
	const char *list = NULL;

	for (uint32_t i = 0; i < s->units_n; i++)
		for (uint32_t r = 0; r < s->units[i].runs_n; r++)
			if (!s->units[i].runs[r]->idle_cause_ns[0])
				list = compare_text_join(c->a, list,
					compare_text_run(c->a,
						s->units[i].runs[r]));
	return list;
}

/* The value of a job is the mean over its ranks, as for the parts of an
 * iteration. */
static void compare_causes_side(const struct compare_side *s,
	enum wait_cause cause, double *ns)
{
	for (uint32_t i = 0; i < s->units_n; i++) {
		const struct compare_unit *u = &s->units[i];
		for (uint32_t r = 0; r < u->runs_n; r++) {
			const struct compared_run *run = u->runs[r];
			const int64_t *of = run->idle_cause_ns[cause];
			for (uint32_t k = 0; k < u->iterations_n; k++)
				ns[u->first + k] +=
					(double)of[run->patterns.iteration
							   [u->at[r][k]]] /
					u->runs_n;
		}
	}
}

static void compare_causes_fill(struct compare *c)
{
	c->causes = arena_array(c->a, struct compare_cause, WAIT_CAUSES);
	for (int cause = 0; cause < WAIT_CAUSES; cause++) {
		struct compare_cause *x = &c->causes[c->causes_n];
		x->cause = (enum wait_cause)cause;
		for (int s = 0; s < 2; s++) {
			x->ns[s] = arena_array(c->a, double,
				c->side[s].iterations_n + 1);
			compare_causes_side(&c->side[s], x->cause, x->ns[s]);
		}
		c->causes_n += compare_causes_any(c, x->ns);
	}
}

void compare_causes_from(struct compare *c)
{
	const struct compare_split *idle = compare_causes_idle(c);

	if (!idle)
		return;
	const char *base = compare_causes_missing(c, BASE),
		   *head = compare_causes_missing(c, HEAD);
	if (!base && !head) {
		c->out->causes_known = true;
		compare_causes_fill(c);
	} else if (compare_causes_any(c, idle->ns)) {
		compare_finding_add(c, FINDING_idle_causes,
			!base	      ? head
			: !head	      ? base
			: c->mirrored ? compare_text_join(c->a, head, base)
				      : compare_text_join(c->a, base, head),
			NULL);
	}
}
