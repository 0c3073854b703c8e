/* compare_result.c - builds the result: sorted rows and their resources. */
#include "compare_state.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Resources: counters that changed with a function.
 *
 * A counter is used only if it has samples inside nearly all executions,
 * because interpolated values describe the device and not a single function. A
 * counter changed if the means over iterations differ by more than the margin
 * and by more than three standard errors. */

static const double sampled_min = 0.95, errors_min = 3;

struct tallied {
	double values, sampled, sum, squares;
};

/* The index of the first metric of a pattern, or of the next pattern. */
static uint32_t compare_result_metric_first(const struct patterns *p,
	uint32_t pattern)
{
	uint32_t low = 0, high = p->metrics_n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (p->metrics[mid].pattern < pattern)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void compare_result_tally(struct tallied *t,
	const struct pattern_metric *m, const uint32_t *at, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		double mu = m->mu[at[k]];
		if (isnan(mu))
			continue;
		t->values++;
		t->sampled += m->interpolated[at[k]] == METRIC_SAMPLED;
		t->sum += mu;
		t->squares += mu * mu;
	}
}

static struct tallied compare_result_tally_row(const struct compare *c,
	const struct compare_row *row, int s, const char *name)
{
	struct tallied t = { 0 };
	for (uint32_t i = 0; i < row->sources_n; i++) {
		const struct compare_source *x = &row->sources[i];
		if (x->side != s)
			continue;
		const struct compare_unit *u = &c->side[s].units[x->unit];
		const struct patterns *p = &u->runs[x->run]->patterns;
		for (uint32_t m = compare_result_metric_first(p, x->pattern);
			m < p->metrics_n && p->metrics[m].pattern == x->pattern;
			m++)
			if (!strcmp(p->metrics[m].name, name))
				compare_result_tally(&t, &p->metrics[m],
					u->at[x->run], u->iterations_n);
	}
	return t;
}

static bool compare_result_metric_resolved(const struct tallied *t)
{
	return t->values >= 3 && t->sampled >= sampled_min * t->values;
}

static double compare_result_metric_mean(const struct tallied *t)
{
	return t->sum / t->values;
}

static double compare_result_metric_error2(const struct tallied *t)
{
	double m = compare_result_metric_mean(t);
	double var = (t->squares - t->values * m * m) / (t->values - 1);
	return fmax(var, 0) / t->values;
}

static bool compare_result_metric_moved(const struct compare *c,
	const struct tallied *base, const struct tallied *head)
{
	double delta = fabs(compare_result_metric_mean(head) -
			    compare_result_metric_mean(base));
	double size = fmax(fabs(compare_result_metric_mean(base)),
		fabs(compare_result_metric_mean(head)));
	return delta > c->o->margin * size &&
	       delta > errors_min * sqrt(compare_result_metric_error2(base) +
					    compare_result_metric_error2(head));
}

static void compare_result_resources_add(struct compare *c,
	const struct compare_row *row, struct changed_row *out)
{
	for (uint32_t i = 0; i < row->sources_n; i++) {
		const struct compare_source *x = &row->sources[i];
		if (x->side != BASE)
			continue;
		const struct compare_unit *u = &c->side[BASE].units[x->unit];
		const struct patterns *p = &u->runs[x->run]->patterns;
		for (uint32_t m = compare_result_metric_first(p, x->pattern);
			m < p->metrics_n && p->metrics[m].pattern == x->pattern;
			m++) {
			const char *name = p->metrics[m].name;
			struct tallied base = compare_result_tally_row(c, row,
					       BASE, name),
				       head = compare_result_tally_row(c, row,
					       HEAD, name);
			if (!compare_result_metric_resolved(&base) ||
				!compare_result_metric_resolved(&head) ||
				!compare_result_metric_moved(c, &base, &head))
				continue;
			out->resources = arena_grow(c->a, out->resources,
				(out->resources_n + 1) *
					sizeof *out->resources);
			out->resources[out->resources_n++] =
				(struct resource){ name,
					compare_result_metric_mean(&base),
					compare_result_metric_mean(&head) };
		}
		return; /* only the metrics of the first unit are used */
	}
}

void compare_result_counters(struct compare *c)
{
	struct tallied all = { 0 };
	const char *without = NULL;
	bool any = false;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			const struct compare_unit *u = &c->side[s].units[i];
			for (uint32_t r = 0; r < u->runs_n; r++) {
				const struct patterns *p =
					&u->runs[r]->patterns;
				double before = all.values;
				for (uint32_t m = 0; m < p->metrics_n; m++) {
					struct tallied t = { 0 };
					compare_result_tally(&t, &p->metrics[m],
						u->at[r], u->iterations_n);
					any |= compare_result_metric_resolved(
						&t);
					all.values += t.values;
					all.sampled += t.sampled;
				}
				bool given = p->metrics_n ||
					     u->runs[r]
						     ->notes
						     .count[NOTE_counters_nan];
				if (given && all.values == before)
					without =
						compare_text_join(c->a, without,
							compare_text_run(c->a,
								u->runs[r]));
			}
		}
	if (without)
		compare_finding_add(c, FINDING_counters_nan, without, NULL);
	if (all.values > 0 && !any)
		compare_finding_add(c, FINDING_counters_slow,
			compare_text_pct(c->a, 1 - all.sampled / all.values),
			NULL);
}

/* Rows as they are reported, the largest changes first. */

static double compare_result_mean(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / n : NAN;
}

/* The change by count is the change of launches × the mean of both sides' means,
 * so that it is the same in both directions. The rest is the change by duration.
 * If only one side has the row, all of its change is by count. */
static void compare_result_split_delta(struct changed_row *r)
{
	double count = r->head_launches - r->base_launches;
	if (!(r->base_launches > 0) || !(r->head_launches > 0))
		r->by_count_ns = r->change.delta_ns;
	else
		r->by_count_ns =
			count * (r->base_mean_ns + r->head_mean_ns) / 2;
	r->by_duration_ns = r->change.delta_ns - r->by_count_ns;
}

/* The part of a change that a factor does not explain. The difference is divided
 * in proportion to logarithms (the logarithmic mean Divisia index of Ang, 2005),
 * so that the part is the same in both directions. A row of one side has no part
 * that a factor explains. */
static double compare_result_beyond(const struct change *c, double factor)
{
	double log_ratio = log(c->ratio);
	if (!(c->base_ns > 0) || !(c->head_ns > 0))
		return c->delta_ns;
	if (log_ratio == 0)
		return -c->base_ns * log(factor);
	return c->delta_ns * (1 - log(factor) / log_ratio);
}

/* How the function of a row was found, and its names. */
static void compare_result_identity(const struct compare_row *row,
	struct changed_row *out)
{
	const struct compare_identity *is = row->identity;
	if (!is)
		return;
	out->identity = is->kind;
	out->reason = is->kind == ROW_BY_NAME ? NULL : is->reason;
	out->base_names = is->names[BASE];
	out->head_names = is->names[HEAD];
	out->base_names_n = is->names_n[BASE];
	out->head_names_n = is->names_n[HEAD];
	if (is->name[BASE] && is->name[HEAD] &&
		strcmp(is->name[BASE], is->name[HEAD]))
		out->head_name = is->name[HEAD];
}

static void compare_result_row(struct compare *c, const struct compare_row *row,
	const struct change *change, struct changed_row *out)
{
	const struct compare_side *s = c->side;
	double iterations[2] = { s[BASE].iterations_n, s[HEAD].iterations_n };
	*out = (struct changed_row){ .name = row->name,
		.type = row->type,
		.device = compare_row_device(row, BASE),
		.head_device = compare_row_device(row, HEAD),
		.base_launches = row->launches[BASE] / iterations[BASE],
		.head_launches = row->launches[HEAD] / iterations[HEAD],
		.base_beta_pct = row->beta[BASE],
		.head_beta_pct = row->beta[HEAD],
		.beyond_common_ns = NAN };
	double total[2] = { compare_result_mean(row->ns[BASE],
				    s[BASE].iterations_n),
		compare_result_mean(row->ns[HEAD], s[HEAD].iterations_n) };
	out->change = change ? *change
			     : compare_plain_change(total[BASE], total[HEAD]);
	out->base_mean_ns = total[BASE] / out->base_launches;
	out->head_mean_ns = total[HEAD] / out->head_launches;
	compare_result_split_delta(out);
	if (c->out->common.there && (row->type == FUNCTION_gpu_compute ||
					    row->type == FUNCTION_gpu_graph))
		out->beyond_common_ns = compare_result_beyond(&out->change,
			c->out->common.ratio);
	compare_result_identity(row, out);
	if (out->change.is < CHANGE_UNDECIDED)
		compare_result_resources_add(c, row, out);
}

static void compare_result_row_statistics(const struct compare_row *row,
	struct changed_row *out)
{
	double base = row->ns[BASE][0] / row->launches[BASE],
	       head = row->ns[HEAD][0] / row->launches[HEAD];
	*out = (struct changed_row){ .name = row->name,
		.type = row->type,
		.device = "all",
		.head_device = "all",
		.change = compare_plain_change(base, head),
		.base_launches = NAN,
		.head_launches = NAN,
		.base_mean_ns = base,
		.head_mean_ns = head,
		.by_count_ns = NAN,
		.by_duration_ns = head - base,
		.base_beta_pct = NAN,
		.head_beta_pct = NAN,
		.beyond_common_ns = NAN };
}

static int compare_result_by_stake(const void *left, const void *right)
{
	const struct changed_row *a = left, *b = right;
	int names = compare_result_groups_order(&a->change, &b->change);
	if (names)
		return names;
	names = strcmp(a->name, b->name);
	if (!names)
		names = strcmp(a->head_name ? a->head_name : "",
			b->head_name ? b->head_name : "");
	int devices = names ? names : strcmp(a->device, b->device);
	return devices ? devices : (a->type > b->type) - (a->type < b->type);
}

/* Sorts the rows. Returns where each of them is now. */
static uint32_t *compare_result_sort(struct compare *c)
{
	struct comparison *out = c->out;
	uint32_t *order = arena_array(c->a, uint32_t, out->rows_n + 1);

	/* For the time of sorting, each row has its number. */
	for (uint32_t i = 0; i < out->rows_n; i++)
		out->rows[i].function = i;
	qsort(out->rows, out->rows_n, sizeof *out->rows,
		compare_result_by_stake);
	for (uint32_t i = 0; i < out->rows_n; i++)
		order[out->rows[i].function] = i;
	return order;
}

/* The change of a part that was tested or not (NULL). */
static struct change compare_result_part(const struct compare *c,
	const struct change *tested, double *const ns[2])
{
	return tested ? *tested
		      : compare_plain_change(compare_result_mean(ns[BASE],
						     c->side[BASE]
							     .iterations_n),
				compare_result_mean(ns[HEAD],
					c->side[HEAD].iterations_n));
}

static void compare_result_split(struct compare *c,
	const struct compare_changes *changes)
{
	struct comparison *out = c->out;
	out->split = arena_array(c->a, struct split_row, c->split_n + 1);
	out->split_n = c->split_n;
	for (uint32_t i = 0; i < c->split_n; i++)
		out->split[i] = (struct split_row){ .part = c->split[i].part,
			.change = compare_result_part(c,
				changes ? &changes->split[i] : NULL,
				c->split[i].ns) };
	out->causes = arena_array(c->a, struct changed_cause, c->causes_n + 1);
	out->causes_n = c->causes_n;
	for (uint32_t i = 0; i < c->causes_n; i++)
		out->causes[i] =
			(struct changed_cause){ .cause = c->causes[i].cause,
				.change = compare_result_part(c,
					changes ? &changes->causes[i] : NULL,
					c->causes[i].ns) };
}

/* Reports rows that names alone do not find, those with the most time first. */

static int compare_result_by_time(const void *left, const void *right)
{
	const struct changed_row *a = *(const struct changed_row *const *)left,
				 *b = *(const struct changed_row *const *)right;
	double x = a->change.base_ns + a->change.head_ns,
	       y = b->change.base_ns + b->change.head_ns;
	return x < y ? 1 : x > y ? -1 : strcmp(a->name, b->name);
}

static void compare_result_identities(struct compare *c, enum row_identity kind,
	enum finding_code code)
{
	enum { SHOWN = 3 };
	const struct comparison *out = c->out;
	const struct changed_row **rows =
		arena_array(c->a, const struct changed_row *, out->rows_n + 1);
	const char *list = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < out->rows_n; i++)
		if (out->rows[i].identity == kind &&
			out->rows[i].base_names_n && out->rows[i].head_names_n)
			rows[n++] = &out->rows[i];
	if (!n)
		return;
	qsort(rows, n, sizeof *rows, compare_result_by_time);
	for (uint32_t i = 0; i < n && i < SHOWN; i++)
		list = compare_text_join(c->a, list,
			compare_text_identity(c->a, rows[i]));
	if (n > SHOWN)
		list = arena_printf(c->a, "%s and %u more", list, n - SHOWN);
	compare_finding_add(c, code, list, NULL);
}

void compare_result_from(struct compare *c,
	const struct compare_changes *changes)
{
	struct comparison *out = c->out;
	out->rows = arena_array(c->a, struct changed_row, c->rows_n + 1);
	out->rows_n = c->rows_n;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		if (c->statistics)
			compare_result_row_statistics(&c->rows[i],
				&out->rows[i]);
		else
			compare_result_row(c, &c->rows[i],
				changes ? &changes->rows[i] : NULL,
				&out->rows[i]);
		out->count[out->rows[i].change.is]++;
	}
	compare_result_split(c, changes);
	if (c->mirrored)
		compare_mirror_result(out);
	compare_decompose(c);
	compare_result_groups_from(c, changes, compare_result_sort(c));
	compare_result_identities(c, ROW_VARIANT, FINDING_kernel_variants);
	compare_result_identities(c, ROW_RENAMED, FINDING_kernels_renamed);
	compare_result_identities(c, ROW_SEVERAL, FINDING_kernels_several);
	compare_findings_sort(c);
	out->headline = out->comparable
				? compare_headline(c->a, out,
					  compare_conditions_clocks_differ(c))
				: out->findings[0].text;
}
