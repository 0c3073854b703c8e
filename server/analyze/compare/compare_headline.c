/* compare_headline.c - writes the result of a comparison in one sentence.
 *
 * First the change of the iteration with its interval, so that no large change
 * is hidden because it is not proven. Then what of it is shown: a uniform
 * change, the function or part that changed most. Then how many iterations or
 * runs would prove the change of the iteration, if it is not proven. */
#include "compare_state.h"
#include "dist.h"
#include "duration_text.h"
#include "noise_floor.h"
#include "profile_word.h"
#include "verdict_needs.h"
#include <math.h>
#include <string.h>

static const struct change *compare_headline_part(const struct comparison *out,
	enum split_part which)
{
	for (uint32_t i = 0; i < out->split_n; i++)
		if (out->split[i].part == which)
			return &out->split[i].change;
	return NULL;
}

/* The change that represents the whole. The length of a window is random, so
 * the time of computing kernels is used for windows. */
struct headline_whole {
	const struct change *change; /* NULL: unknown */
	const char *what, *name;
	bool windows;
	/* Of iterations about their run's mean, pooled over both sides, and of
	 * runs' means; NAN unknown, as for windows. */
	double iteration_sd_ns, run_sd_ns;
	double low_ns, high_ns; /* NAN: unknown */
};

static bool compare_headline_window(const struct comparison_side *s)
{
	return s->detector == ITERATIONS_WINDOW;
}

/* Sums of squares of a side's iterations about their run's mean, as measured and
 * in logarithms, and of runs' means about the side's. Iterations of a run are
 * adjacent. */
struct headline_squares {
	double within, logs, within_df, between, between_df;
};

static void compare_headline_squares_run(const double *x, uint32_t n,
	double *mean, struct headline_squares *to)
{
	double sum = 0, logs = 0;
	for (uint32_t i = 0; i < n; i++) {
		sum += x[i];
		logs += log(x[i]);
	}
	*mean = sum / n;
	for (uint32_t i = 0; i < n; i++) {
		double off = x[i] - *mean, log_off = log(x[i]) - logs / n;
		to->within += off * off;
		to->logs += log_off * log_off;
	}
	to->within_df += n - 1;
}

static void compare_headline_squares_add(const struct comparison_side *s,
	struct headline_squares *to)
{
	double runs = 0, sum = 0, squares = 0;
	for (uint32_t from = 0, end; from < s->iterations_used; from = end) {
		double mean;
		for (end = from;
			end < s->iterations_used &&
			s->iteration_runs[end] == s->iteration_runs[from];)
			end++;
		compare_headline_squares_run(s->iteration_durs_ns + from,
			end - from, &mean, to);
		runs++;
		sum += mean;
		squares += mean * mean;
	}
	to->between += fmax(0, squares - sum * sum / fmax(1, runs));
	to->between_df += fmax(0, runs - 1);
}

/* The interval of an iteration that has too few repetitions for a test: Student's
 * t of its iterations, and the noise floor between runs. It is one of the
 * logarithm of the ratio, so that it does not reach below nothing, and is the
 * same in both directions. */
static void compare_headline_interval(const struct comparison *out,
	const struct headline_squares *q, struct headline_whole *w)
{
	const struct change *c = w->change;
	if (!(q->within_df > 0) || !(c->floor >= 0) || !isfinite(q->logs))
		return;
	double chance = dist_t_quantile(0.975, q->within_df) *
			sqrt(q->logs / q->within_df) *
			sqrt(1.0 / out->base.iterations_used +
				1.0 / out->head.iterations_used);
	double runs = dist_t_quantile(0.975, fmax(1, c->floor_df)) * c->floor *
		      sqrt(1.0 / out->base.units + 1.0 / out->head.units);
	double half = sqrt(chance * chance + runs * runs);
	w->low_ns = c->base_ns * (c->ratio * exp(-half) - 1);
	w->high_ns = c->base_ns * (c->ratio * exp(half) - 1);
}

static struct headline_whole compare_headline_whole_of(
	const struct comparison *out)
{
	struct headline_whole w = { .what = "the iteration takes",
		.name = "the change of the iteration",
		.windows = compare_headline_window(&out->base) &&
			   compare_headline_window(&out->head),
		.iteration_sd_ns = NAN,
		.run_sd_ns = NAN,
		.low_ns = NAN,
		.high_ns = NAN };
	struct headline_squares q = { 0 };
	w.change = compare_headline_part(out, SPLIT_PART_iteration);
	if (w.windows || !w.change) {
		w.windows = true;
		w.what = "kernels that compute take";
		w.name = "the change of kernels that compute";
		w.change = compare_headline_part(out, SPLIT_PART_compute);
	}
	if (!w.change || !(w.change->base_ns > 0) || !(w.change->head_ns > 0)) {
		w.change = NULL;
		return w;
	}
	w.low_ns = w.change->low_ns;
	w.high_ns = w.change->high_ns;
	if (w.windows)
		return w;
	compare_headline_squares_add(&out->base, &q);
	compare_headline_squares_add(&out->head, &q);
	if (q.within_df > 0)
		w.iteration_sd_ns = sqrt(q.within / q.within_df);
	if (q.between_df > 0)
		w.run_sd_ns = sqrt(q.between / q.between_df);
	if (w.change->evidence == EVIDENCE_NONE ||
		w.change->evidence == EVIDENCE_LAUNCHES) {
		w.low_ns = w.high_ns = NAN;
		compare_headline_interval(out, &q, &w);
	}
	return w;
}

/* "the iteration takes 1.22 s in the base, 240 ms in the head (-80.3 %, 95 %
 * interval -84.1 % to -76.5 %)" */
static const char *compare_headline_text_whole(struct arena *a,
	const struct headline_whole *w)
{
	const struct change *c = w->change;
	const char *interval = "";
	if (!c)
		return NULL;
	if (!isnan(w->low_ns) && !isnan(w->high_ns))
		interval =
			arena_printf(a, ", 95 %% interval %+.1f %% to %+.1f %%",
				100 * w->low_ns / c->base_ns,
				100 * w->high_ns / c->base_ns);
	return arena_printf(a, "%s %s in the base, %s in the head (%+.1f %%%s)",
		w->what, duration_text(a, c->base_ns),
		duration_text(a, c->head_ns), 100 * (c->ratio - 1), interval);
}

static const char *compare_headline_text_common(struct arena *a,
	const struct comparison *out, bool clocks_differ)
{
	if (!out->common.there)
		return NULL;
	return arena_printf(a,
		"a uniform change: most kernels take %.3g times as long (%s%s "
		"per iteration)%s",
		out->common.ratio, out->common.ns < 0 ? "-" : "+",
		duration_text(a, fabs(out->common.ns)),
		clocks_differ ? ", and the clocks or power limits differ" : "");
}

/* What of the change is shown. */

static bool compare_headline_larger(const struct change *c,
	const struct change *than)
{
	return c->is <= CHANGE_LIKELY &&
	       (!than || fabs(c->delta_ns) > fabs(than->delta_ns));
}

/* If no function changed, a part of the iteration may still have changed, for
 * example because of overlap. */
static const struct split_row *compare_headline_largest_part(
	const struct comparison *out)
{
	const struct split_row *most = NULL;
	for (uint32_t i = 0; i < out->split_n; i++) {
		const struct split_row *s = &out->split[i];
		if (s->part != SPLIT_PART_iteration &&
			compare_headline_larger(&s->change,
				most ? &most->change : NULL))
			most = s;
	}
	return most;
}

/* A function within an operator that appeared or vanished was replaced by another,
 * or replaced one. The operator says whether that changed anything. */
static bool compare_headline_replaced_row(const struct comparison *out,
	const struct changed_row *r)
{
	return out->functions[r->function].operator_ != OPERATOR_NONE &&
	       !(r->change.base_ns > 0 && r->change.head_ns > 0);
}

/* Whether functions appeared or vanished within operators. */
static bool compare_headline_replaced(const struct comparison *out)
{
	for (uint32_t i = 0; i < out->rows_n; i++)
		if (out->rows[i].change.is <= CHANGE_LIKELY &&
			compare_headline_replaced_row(out, &out->rows[i]))
			return true;
	return false;
}

/* The operator with the largest change, if it is larger than the one that the
 * headline names (NULL: none) and beyond the margin, but not proven: "; the
 * largest change is not proven: softmax -26.9 ms per iteration (-39.1 %)". Else
 * "". Without evidence, as for collectives that wait for others, a change is
 * none of the operator's. */
static const char *compare_headline_text_unproven(struct arena *a,
	const struct comparison *out, const struct change *named)
{
	const struct changed_operator *most = NULL;
	double most_ns = named ? fabs(named->delta_ns) : 0;
	for (uint32_t i = 0; i < out->operators_n; i++) {
		const struct change *c = &out->operators[i].change;
		if (c->is != CHANGE_UNDECIDED || c->evidence == EVIDENCE_NONE ||
			!(fabs(c->delta_ns) > most_ns) ||
			!(fabs(log(c->ratio)) > log1p(out->margin)))
			continue;
		most_ns = fabs(c->delta_ns);
		most = &out->operators[i];
	}
	return most ? arena_printf(a,
			      "; the largest change is not proven: %s %s",
			      compare_text_operator(a, most),
			      compare_text_amount(a, &most->change))
		    : "";
}

/* By operator: that kernels appeared or vanished within an operator is not a
 * change of the operator. */
static const char *compare_headline_text_none_by_operator(struct arena *a,
	const struct comparison *out)
{
	uint32_t count[CHANGE_UNCHANGED + 1] = { 0 };
	for (uint32_t i = 0; i < out->operators_n; i++)
		count[out->operators[i].change.is]++;
	return arena_printf(a,
		"no operator is shown to have changed%s: %u %sunchanged, %u "
		"undecided%s",
		count[CHANGE_WITHIN_MARGIN] ? " by more than the margin" : "",
		count[CHANGE_UNCHANGED] + count[CHANGE_WITHIN_MARGIN],
		count[CHANGE_WITHIN_MARGIN] ? "within it or " : "",
		count[CHANGE_UNDECIDED],
		compare_headline_text_unproven(a, out, NULL));
}

static const char *compare_headline_text_none(struct arena *a,
	const struct comparison *out)
{
	const char *are = out->count[CHANGE_UNCHANGED] == 1 ? "is" : "are";

	if (out->by_operator && compare_headline_replaced(out))
		return compare_headline_text_none_by_operator(a, out);
	if (out->count[CHANGE_WITHIN_MARGIN])
		return arena_printf(a,
			"no function changed by more than the margin: %u changed "
			"within it, %u %s unchanged, %u undecided",
			out->count[CHANGE_WITHIN_MARGIN],
			out->count[CHANGE_UNCHANGED], are,
			out->count[CHANGE_UNDECIDED]);
	if (!out->count[CHANGE_UNDECIDED])
		return arena_printf(a,
			"no function changed: %s within %.3g %%, or too short "
			"to be significant",
			out->rows_n == 1
				? "the only one is"
				: arena_printf(a, "all %u are", out->rows_n),
			100 * out->margin);
	return arena_printf(a,
		"no function is shown to have changed: %u %s unchanged, %u "
		"undecided",
		out->count[CHANGE_UNCHANGED], are,
		out->count[CHANGE_UNDECIDED]);
}

static const char *compare_headline_text_part(struct arena *a,
	const struct comparison *out)
{
	static const char *const names[SPLIT_PARTS] = {
#define SPLIT_PART(code, word, what) [SPLIT_PART_##code] = (what),
#include "split_part.def"
#undef SPLIT_PART
	};
	const struct split_row *most = compare_headline_largest_part(out);
	if (!most)
		return compare_headline_text_none(a, out);
	return arena_printf(a,
		"no function alone is shown to have changed%s, but %s%s time is "
		"spent in %s: %s, %s",
		out->count[CHANGE_WITHIN_MARGIN] ? " by more than the margin"
						 : "",
		most->change.is == CHANGE_LIKELY ? "likely " : "",
		most->change.delta_ns < 0 ? "less" : "more", names[most->part],
		compare_text_amount(a, &most->change),
		compare_text_evidence(&most->change));
}

/* The cause whose change is shown and that changed most in the direction of the idle
 * time: ", of which host gaps -0.9 ms"; "mostly" if it changed by more, because others
 * changed in the other direction. Else "". */
static const char *compare_headline_text_cause(struct arena *a,
	const struct comparison *out, const struct change *idle)
{
	const struct changed_cause *most = NULL;
	double most_ns = 0;
	for (uint32_t i = 0; i < out->causes_n; i++) {
		double ns = out->causes[i].change.delta_ns *
			    (idle->delta_ns < 0 ? -1 : 1);
		if (!(ns > most_ns) || out->causes[i].change.is > CHANGE_LIKELY)
			continue;
		most_ns = ns;
		most = &out->causes[i];
	}
	return most ? arena_printf(a, ", %s %s %s%s",
			      most_ns > fabs(idle->delta_ns) ? "mostly"
							     : "of which",
			      profile_word_wait_text[most->cause],
			      idle->delta_ns < 0 ? "-" : "+",
			      duration_text(a, most_ns))
		    : "";
}

/* "idle time of the GPU fell by 1.2 ms per iteration (-40.0 %), of which host gaps
 * -0.9 ms, by permutation of runs" */
static const char *compare_headline_text_idle(struct arena *a,
	const struct comparison *out, const struct change *idle)
{
	const char *amount = compare_text_amount(a, idle);
	return arena_printf(a, "idle time of the GPU %s%s by %s%s, %s",
		idle->is == CHANGE_LIKELY ? "likely " : "",
		idle->delta_ns < 0 ? "fell" : "rose", amount + 1,
		compare_headline_text_cause(a, out, idle),
		compare_text_evidence(idle));
}

/* What changed, as the headline names it. */
struct headline_subject {
	const struct changed_operator *operator_; /* unless `function` is set */
	const struct changed_function *function;
	const struct changed_row
		*row; /* of the function; NULL: its folded row */
	const struct change *change; /* NULL: nothing */
	uint32_t changed; /* how many changed in all */
	const char *many; /* what they are: "operators" */
};

/* Whether a row of the function changed. */
static bool compare_headline_function_changed(const struct comparison *out,
	const struct changed_function *f)
{
	for (uint32_t k = 0; k < f->rows_n; k++)
		if (out->rows[f->rows[k]].change.is <= CHANGE_LIKELY)
			return true;
	return f->change.is <= CHANGE_LIKELY;
}

/* The row with the largest change; NULL: none changed. */
static const struct changed_row *compare_headline_largest_row(
	const struct comparison *out, const struct changed_function *f)
{
	const struct changed_row *most = NULL;
	for (uint32_t k = 0; k < f->rows_n; k++) {
		const struct changed_row *r = &out->rows[f->rows[k]];
		if (compare_headline_larger(&r->change,
			    most ? &most->change : NULL))
			most = r;
	}
	return most;
}

/* By how much a function changed: as much as its folded row, or as the rank with the
 * largest change, for which the others wait. -1: it did not. */
static double compare_headline_function_size(const struct comparison *out,
	const struct changed_function *f)
{
	const struct changed_row *most = compare_headline_largest_row(out, f);
	double size = most ? fabs(most->change.delta_ns) : -1;
	return f->change.is <= CHANGE_LIKELY
		       ? fmax(size, fabs(f->change.delta_ns))
		       : size;
}

/* Names the function: its folded row if that changed, else the row with the largest
 * change. */
static void compare_headline_subject_set(const struct comparison *out,
	const struct changed_function *f, struct headline_subject *s)
{
	bool folded = f->rows_n > 1 && f->change.is <= CHANGE_LIKELY;
	s->operator_ = NULL;
	s->function = f;
	s->row = folded ? NULL : compare_headline_largest_row(out, f);
	s->change = s->row ? &s->row->change : &f->change;
}

static bool compare_headline_has_operator(const struct changed_function *f)
{
	return f->operator_ != OPERATOR_NONE;
}

/* A function within an operator that only one side ran, on any rank. */
static bool compare_headline_replaced_function(const struct changed_function *f)
{
	return compare_headline_has_operator(f) &&
	       !(f->change.base_ns > 0 && f->change.head_ns > 0);
}

/* Of the functions that are not excluded (NULL: of all), the one that changed most
 * if it did so by more than `than`. */
static void compare_headline_subject_function(const struct comparison *out,
	bool excluded(const struct changed_function *f), double than,
	struct headline_subject *s)
{
	for (uint32_t i = 0; i < out->functions_n; i++) {
		const struct changed_function *f = &out->functions[i];
		double size = compare_headline_function_size(out, f);
		if (excluded && excluded(f))
			continue;
		s->changed += compare_headline_function_changed(out, f);
		if (!(size > than))
			continue;
		than = size;
		compare_headline_subject_set(out, f, s);
	}
}

/* The largest change of an operator, or of a function that has none. If neither
 * changed, that of a function within an operator. */
static void compare_headline_subject_operator(const struct comparison *out,
	struct headline_subject *s)
{
	uint32_t operators;
	for (uint32_t i = 0; i < out->operators_n; i++) {
		const struct changed_operator *o = &out->operators[i];
		s->changed += o->change.is <= CHANGE_LIKELY;
		if (!compare_headline_larger(&o->change, s->change))
			continue;
		s->operator_ = o;
		s->change = &o->change;
	}
	operators = s->changed;
	compare_headline_subject_function(out, compare_headline_has_operator,
		s->change ? fabs(s->change->delta_ns) : -1, s);
	s->many = s->changed > operators ? "operators and functions"
					 : "operators";
	if (s->change)
		return;
	compare_headline_subject_function(out,
		compare_headline_replaced_function, -1, s);
	s->many = "functions";
}

/* The function that was not replaced, and that makes at least half of the operator's
 * change: its name says more than the operator's. NULL: none. */
static const struct changed_function *compare_headline_main_function(
	const struct comparison *out, const struct changed_operator *o)
{
	const struct changed_function *most = NULL;
	for (uint32_t i = 0; i < o->functions_n; i++) {
		const struct changed_function *f =
			&out->functions[o->functions[i]];
		if ((o->functions_n == 1 ||
			    !compare_headline_replaced_function(f)) &&
			compare_headline_larger(&f->change,
				most ? &most->change : NULL) &&
			f->change.delta_ns * o->change.delta_ns > 0 &&
			2 * fabs(f->change.delta_ns) >=
				fabs(o->change.delta_ns))
			most = f;
	}
	return most;
}

static struct headline_subject compare_headline_subject_of(
	const struct comparison *out)
{
	struct headline_subject s = { 0 };
	if (!out->by_operator) {
		compare_headline_subject_function(out, NULL, -1, &s);
		s.many = "functions";
		return s;
	}
	compare_headline_subject_operator(out, &s);
	if (!s.operator_)
		return s;
	const struct changed_function *most =
		compare_headline_main_function(out, s.operator_);
	if (most)
		compare_headline_subject_set(out, most, &s);
	return s;
}

/* "gemm on 8 ranks", "gemm on rank 3, GPU 0" */
static const char *compare_headline_text_subject(struct arena *a,
	const struct comparison *out, const struct headline_subject *s)
{
	const struct changed_function *f = s->function;
	if (!f)
		return compare_text_operator(a, s->operator_);
	const struct changed_row *r = s->row ? s->row : &out->rows[f->rows[0]];
	return arena_printf(a, "%s on %s", compare_text_function(a, r),
		s->row ? r->device : f->device);
}

/* "+25 µs per iteration (+25.0 %; by rank -1.0 % to +100.0 %)" */
static const char *compare_headline_text_amount(struct arena *a,
	const struct comparison *out, const struct headline_subject *s)
{
	const char *amount = compare_text_amount(a, s->change);
	double low = INFINITY, high = 0;
	uint32_t n = 0;
	if (!s->function || s->row)
		return amount;
	for (uint32_t i = 0; i < s->function->rows_n; i++) {
		const struct change *c =
			&out->rows[s->function->rows[i]].change;
		if (!(c->base_ns > 0) || !(c->head_ns > 0))
			continue;
		n++;
		low = fmin(low, c->ratio);
		high = fmax(high, c->ratio);
	}
	if (n < 2)
		return amount;
	return arena_printf(a, "%.*s; by %s %+.1f %% to %+.1f %%)",
		(int)strlen(amount) - 1, amount, s->function->each,
		100 * (low - 1), 100 * (high - 1));
}

static const char *compare_headline_text_shown(struct arena *a,
	const struct comparison *out)
{
	struct headline_subject s = compare_headline_subject_of(out);
	const struct change *idle = compare_headline_part(out, SPLIT_PART_idle);
	if (idle && compare_headline_larger(idle, s.change))
		return compare_headline_text_idle(a, out, idle);
	if (!s.change)
		return compare_headline_text_part(a, out);
	return arena_printf(a, "%s %s: %s, %s%s%s",
		compare_headline_text_subject(a, out, &s),
		compare_text_what(s.change),
		compare_headline_text_amount(a, out, &s),
		compare_text_evidence(s.change),
		s.changed > 1 ? arena_printf(a, "; %u %s changed in all",
					s.changed, s.many)
			      : "",
		out->by_operator
			? compare_headline_text_unproven(a, out, s.change)
			: "");
}

/* What would prove the change of the whole. */

/* Rows below this share of the iteration are in no family (verdict.c). */
static const double family_min_share = 0.001;

static uint32_t compare_headline_family(const struct comparison *out,
	double iteration_ns)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < out->rows_n + out->split_n; i++) {
		const struct change *c =
			i < out->rows_n ? &out->rows[i].change
					: &out->split[i - out->rows_n].change;
		n += fmax(c->base_ns, c->head_ns) >=
		     family_min_share * iteration_ns;
	}
	return n;
}

static uint32_t compare_headline_fewer(uint32_t x, uint32_t y)
{
	return x < y ? x : y;
}

/* "3 iterations a side", "3 and 8 iterations" */
static const char *compare_headline_text_have(struct arena *a, uint32_t base,
	uint32_t head, const char *one, const char *several)
{
	if (base == head)
		return arena_printf(a, "%u %s a side", base,
			base == 1 ? one : several);
	return arena_printf(a, "%u and %u %s", base, head, several);
}

/* The noise floor of a part of the iteration without the differences between the
 * compared runs (compare_verdict.c), which run_sd_ns adds. If run_sd_ns is
 * unknown, these differences remain in the floor. */
static struct noise_floor compare_headline_prior(const struct headline_whole *w)
{
	const struct change *c = w->change;

	if (isnan(w->run_sd_ns) && c->floor_from != FLOOR_GIVEN)
		return (struct noise_floor){ .sd = c->floor,
			.df = c->floor_df };
	return noise_floor_default(
		c->floor_from == FLOOR_GIVEN ? c->floor : -1);
}

/* Whether a proof of the change is missing that would be worth having. A change
 * that is likely is large enough. */
static bool compare_headline_unproven(const struct comparison *out,
	const struct change *c)
{
	return c->floor >= 0 &&
	       (c->is == CHANGE_LIKELY ||
		       (c->is == CHANGE_UNDECIDED &&
			       fabs(c->delta_ns) >=
				       verdict_min_change_ns(out->margin,
					       c->base_ns + c->head_ns,
					       fmax(out->base.iteration_ns,
						       out->head
							       .iteration_ns))));
}

/* NULL if nothing is missing: the change is proven, or shown to be within the
 * margin, or so small that no proof would make it regressed or improved. */
static const char *compare_headline_text_needs(struct arena *a,
	const struct comparison *out, const struct headline_whole *w)
{
	const struct change *c = w->change;
	const struct comparison_side *b = &out->base, *h = &out->head;
	if (!c || !compare_headline_unproven(out, c))
		return NULL;
	struct noise_floor prior = compare_headline_prior(w);
	uint32_t units = compare_headline_fewer(b->units, h->units);
	uint32_t used =
		compare_headline_fewer(b->iterations_used, h->iterations_used);
	struct verdict_plan plan = { .delta_ns = c->delta_ns,
		.mean_ns = (c->base_ns + c->head_ns) / 2,
		.iteration_sd_ns =
			isnan(w->iteration_sd_ns) ? 0 : w->iteration_sd_ns,
		.run_sd_ns = w->run_sd_ns,
		.floor = c->floor,
		.floor_df = c->floor_df,
		.prior = prior.sd,
		.prior_df = prior.df,
		.alpha = out->alpha,
		.units = units,
		.iterations = used / units,
		.family = compare_headline_family(out,
			fmax(b->iteration_ns, h->iteration_ns)) };
	bool runs = c->evidence == EVIDENCE_RUNS;
	uint32_t more = runs || isnan(w->iteration_sd_ns)
				? 0
				: verdict_needs_iterations(&plan);
	const char *have =
		runs ? compare_headline_text_have(a, b->units, h->units, "run",
			       "runs")
		     : compare_headline_text_have(a, b->iterations_used,
			       h->iterations_used,
			       w->windows ? "recording" : "iteration",
			       w->windows ? "recordings" : "iterations");
	if (more > used)
		return arena_printf(a, "%s cannot prove %s: %u would", have,
			w->name, more);
	more = verdict_needs_runs(&plan);
	if (!more)
		return arena_printf(a,
			"%s cannot prove %s, nor would %d runs a side", have,
			w->name, VERDICT_NEEDS_MAX);
	if (more <= units)
		more = units + 1;
	return arena_printf(a, "%s cannot prove %s: %u%s would", have, w->name,
		more, runs ? "" : " runs a side");
}

const char *compare_headline(struct arena *a, const struct comparison *out,
	bool clocks_differ)
{
	struct headline_whole w = compare_headline_whole_of(out);
	const char *parts[] = { compare_headline_text_whole(a, &w),
		compare_headline_text_common(a, out, clocks_differ),
		compare_headline_text_shown(a, out),
		compare_headline_text_needs(a, out, &w) };
	const char *text = NULL;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i])
			text = text ? arena_printf(a, "%s; %s", text, parts[i])
				    : parts[i];
	return text;
}
