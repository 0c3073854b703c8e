/* compare_decompose.c - divides the change of the mean iteration, and of the mean
 * time per output token, into terms that add up to it. */
#include "compare_state.h"
#include "comparison_word.h"
#include "profile_word.h"
#include <assert.h>
#include <math.h>

/* Output tokens: how many tokens a sequence gets in an iteration. */

enum decompose_tokens { TOKENS_KNOWN, TOKENS_UNKNOWN, TOKENS_SPECULATIVE };

/* NULL: the iteration has none. */
static const struct stratum *compare_decompose_stratum(const struct compared_run
							       *run,
	uint32_t at)
{
	const struct iterations *is = &run->iterations;
	uint32_t i = is->iterations[run->patterns.iteration[at]].stratum;
	return i < is->strata_n ? &is->strata[i] : NULL;
}

/* Of one iteration; an iteration of speculative decoding has several tokens of a
 * sequence, of which only the accepted ones are output. */
static enum decompose_tokens compare_decompose_iteration(
	const struct compared_run *run, const struct stratum *s, double *tokens)
{
	*tokens = 1;
	if (s->sequences > 0 && s->tokens == s->sequences)
		return TOKENS_KNOWN;
	*tokens = run->accept_length;
	if (run->accept_length >= 1) /* a step has at least one token */
		return TOKENS_KNOWN;
	return s->sequences > 0 && s->tokens > s->sequences ? TOKENS_SPECULATIVE
							    : TOKENS_UNKNOWN;
}

static const char *compare_decompose_reason(struct arena *a,
	const struct compared_run *run, enum decompose_tokens is)
{
	return arena_printf(a,
		is == TOKENS_SPECULATIVE
			? "the iterations of %s have several tokens of each "
			  "sequence, and it is not known how many are accepted; "
			  "attach the measure accept_length to it"
			: "the tokens of the iterations of %s are not known",
		compare_text_run(a, run));
}

/* Mean over the compared iterations of a side. 0: they are not all of decoding.
 * NAN: unknown, and *reason says why. */
static double compare_decompose_side_tokens(const struct compare *c, int side,
	const char **reason)
{
	const struct compare_side *s = &c->side[side];
	double sum = 0, tokens;

	for (uint32_t i = 0; i < s->units_n; i++) {
		const struct compare_unit *u = &s->units[i];
		for (uint32_t k = 0; k < u->iterations_n * u->runs_n; k++) {
			uint32_t r = k / u->iterations_n;
			const struct compared_run *run = u->runs[r];
			const struct stratum *st =
				compare_decompose_stratum(run,
					u->at[r][k % u->iterations_n]);
			if (!st || st->phase != PHASE_DECODE)
				return 0;
			enum decompose_tokens is =
				compare_decompose_iteration(run, st, &tokens);
			if (is != TOKENS_KNOWN && !*reason)
				*reason =
					compare_decompose_reason(c->a, run, is);
			sum += is == TOKENS_KNOWN ? tokens / u->runs_n
						  : (double)NAN;
		}
	}
	return sum / s->iterations_n;
}

/* Eleven days. Larger values are not times per token; readers of measures refuse
 * times above 31 years only. */
static const double DECOMPOSE_TPOT_MOST_NS = 1e15;

/* The mean time per output token that a benchmark measured, weighted as the
 * iterations are; NAN if a unit has none. A job has that of its first run with
 * one. */
static double compare_decompose_measured(const struct compare_side *s)
{
	double sum = 0;
	for (uint32_t i = 0; i < s->units_n; i++) {
		const struct compare_unit *u = &s->units[i];
		double ns = NAN;
		for (uint32_t r = u->runs_n; r-- > 0;)
			if (u->runs[r]->tpot_ns > 0 &&
				u->runs[r]->tpot_ns <= DECOMPOSE_TPOT_MOST_NS)
				ns = u->runs[r]->tpot_ns;
		sum += ns * u->iterations_n / s->iterations_n;
	}
	return sum;
}

/* Terms: the parts that add up to the iteration, with the causes of idle time in
 * place of the idle part if they are known. */

struct decompose_row {
	const char *term, *description;
	const struct change *change; /* per iteration */
};

static uint32_t compare_decompose_rows(struct arena *a,
	const struct comparison *out, struct decompose_row rows[])
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < out->split_n; i++) {
		const struct split_row *s = &out->split[i];
		if (s->part < SPLIT_PART_compute || s->part > SPLIT_PART_idle ||
			(s->part == SPLIT_PART_idle && out->causes_known))
			continue;
		rows[n++] = (struct decompose_row){
			comparison_word_part[s->part].word,
			comparison_word_part[s->part].what, &s->change
		};
	}
	for (uint32_t i = 0; i < out->causes_n; i++) {
		const struct changed_cause *x = &out->causes[i];
		rows[n++] = (struct decompose_row){ profile_word_wait[x->cause],
			arena_printf(a, "idle: %s",
				profile_word_wait_text[x->cause]),
			&x->change };
	}
	return n;
}

/* Rounds n times to whole nanoseconds that add up to their rounded sum: those with the
 * largest remainders are rounded up. */
static int64_t compare_decompose_round(const double *ns, uint32_t n,
	int64_t *to)
{
	double sum = 0;
	int64_t rest;

	for (uint32_t i = 0; i < n; i++)
		sum += ns[i];
	rest = llround(sum);
	for (uint32_t i = 0; i < n; i++) {
		to[i] = (int64_t)floor(ns[i]);
		rest -= to[i];
	}
	for (assert(rest >= 0 && rest <= n); rest; rest--) {
		uint32_t most = 0;
		for (uint32_t i = 1; i < n; i++)
			if (ns[i] - (double)to[i] > ns[most] - (double)to[most])
				most = i;
		to[most]++;
	}
	return llround(sum);
}

/* The interval of a row per iteration, multiplied by `per` on each side. The change of
 * a product is the change of one factor times the mean of the other, for both. */
static void compare_decompose_interval(const struct change *c,
	const double per[2], struct change_term *t)
{
	double mean = (per[BASE] + per[HEAD]) / 2,
	       by_per = (per[HEAD] - per[BASE]) * (c->base_ns + c->head_ns) / 2;

	t->low_ns = c->low_ns * mean + by_per;
	t->high_ns = c->high_ns * mean + by_per;
}

static void compare_decompose_fill(struct arena *a,
	const struct comparison *out, const struct change *whole,
	const double per[2], struct decomposition *d)
{
	struct decompose_row rows[DECOMPOSITION_TERMS];
	double ns[2][DECOMPOSITION_TERMS];
	int64_t round[2][DECOMPOSITION_TERMS];
	uint32_t n = compare_decompose_rows(a, out, rows);

	for (uint32_t i = 0; i < n; i++) {
		ns[BASE][i] = rows[i].change->base_ns * per[BASE];
		ns[HEAD][i] = rows[i].change->head_ns * per[HEAD];
	}
	d->total.base_ns = compare_decompose_round(ns[BASE], n, round[BASE]);
	d->total.head_ns = compare_decompose_round(ns[HEAD], n, round[HEAD]);
	compare_decompose_interval(whole, per, &d->total);
	for (uint32_t i = 0; i < n; i++) {
		struct change_term *t = &d->terms[i];
		*t = (struct change_term){ .term = rows[i].term,
			.description = rows[i].description,
			.base_ns = round[BASE][i],
			.head_ns = round[HEAD][i] };
		compare_decompose_interval(rows[i].change, per, t);
	}
	d->terms_n = n;
	d->by_tokens_ns = llround((per[HEAD] - per[BASE]) *
				  (whole->base_ns + whole->head_ns) / 2);
}

/* What a benchmark measured includes the engine's time. The rest is outside of it. The
 * benchmark's time counts as exact, so that the interval is the engine's. */
static void compare_decompose_outside(const double measured_ns[2],
	struct decomposition *d)
{
	struct change_term *t = &d->terms[d->terms_n++];
	int64_t base_ns = llround(measured_ns[BASE]),
		head_ns = llround(measured_ns[HEAD]);
	double delta_ns = (double)(head_ns - base_ns);

	*t = (struct change_term){ .term = "outside_engine",
		.description = "outside the engine",
		.base_ns = base_ns - d->total.base_ns,
		.head_ns = head_ns - d->total.head_ns,
		.low_ns = delta_ns - d->total.high_ns,
		.high_ns = delta_ns - d->total.low_ns };
	d->total = (struct change_term){ .base_ns = base_ns,
		.head_ns = head_ns,
		.low_ns = NAN,
		.high_ns = NAN };
}

static struct decomposition *compare_decompose_new(const struct compare *c,
	const struct change *whole, const double tokens[2])
{
	struct comparison *out = c->out;
	struct decomposition *d = &out->decompositions[out->decompositions_n++];
	const double per[2] = { 1 / tokens[BASE], 1 / tokens[HEAD] };
	int base = c->mirrored ? HEAD : BASE;

	*d = (struct decomposition){ .base_median_ns =
					     out->base.iteration_median_ns *
					     per[BASE] *
					     c->side[base].per_launch,
		.head_median_ns = out->head.iteration_median_ns * per[HEAD] *
				  c->side[!base].per_launch,
		.base_tokens = tokens[BASE],
		.head_tokens = tokens[HEAD] };
	compare_decompose_fill(c->a, out, whole, per, d);
	return d;
}

void compare_decompose(struct compare *c)
{
	static const double one[2] = { 1, 1 };
	struct comparison *out = c->out;
	const struct change *whole = NULL;
	double tokens[2], measured_ns[2];
	uint32_t parts = 0;
	int base = c->mirrored ? HEAD : BASE;

	for (uint32_t i = 0; i < out->split_n; i++) {
		if (out->split[i].part == SPLIT_PART_iteration)
			whole = &out->split[i].change;
		parts += out->split[i].part <= SPLIT_PART_idle;
	}
	if (!whole || parts <= SPLIT_PART_idle)
		return;
	out->decompositions = arena_array(c->a, struct decomposition, 2);
	compare_decompose_new(c, whole, one);
	for (int s = 0; s < 2; s++) {
		int side = s ? !base : base;
		tokens[s] = compare_decompose_side_tokens(c, side,
			&out->tokens_reason);
		measured_ns[s] = compare_decompose_measured(&c->side[side]);
	}
	if (!(tokens[BASE] > 0) || !(tokens[HEAD] > 0))
		return;
	struct decomposition *d = compare_decompose_new(c, whole, tokens);
	d->of = DECOMPOSED_TOKEN;
	if (measured_ns[BASE] > 0 && measured_ns[HEAD] > 0)
		compare_decompose_outside(measured_ns, d);
}
