/* compare_result_groups.c - builds the reported functions and operators: the rows
 * of each function, the spread over its ranks, and the functions of each
 * operator. */
#include "compare_state.h"
#include "names.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct change compare_plain_change(double base_ns, double head_ns)
{
	return (struct change){ .base_ns = base_ns,
		.head_ns = head_ns,
		.delta_ns = head_ns - base_ns,
		.ratio = head_ns / base_ns,
		.shift_ns = NAN,
		.low_ns = NAN,
		.high_ns = NAN,
		.p = NAN,
		.p_family = NAN,
		.q = NAN,
		.is = CHANGE_UNDECIDED,
		.evidence = EVIDENCE_NONE,
		.floor = NAN,
		.floor_df = NAN };
}

/* Changed rows come first, by the size of the change and not by class. */
static int compare_result_groups_weight(const struct change *c)
{
	return c->is <= CHANGE_LIKELY ? 0 : (int)c->is;
}

int compare_result_groups_order(const struct change *a, const struct change *b)
{
	double x = fabs(a->delta_ns), y = fabs(b->delta_ns);
	if (compare_result_groups_weight(a) != compare_result_groups_weight(b))
		return compare_result_groups_weight(a) -
		       compare_result_groups_weight(b);
	if (isnan(x) || isnan(y)) {
		if (isnan(x) != isnan(y))
			return isnan(x) ? 1 : -1;
		return 0;
	}
	return x == y ? 0 : x < y ? 1 : -1;
}

static double compare_result_groups_mean(const struct compare *c,
	const double *ns, int s)
{
	double sum = 0;
	for (uint32_t i = 0; i < c->side[s].iterations_n; i++)
		sum += ns[i];
	return c->side[s].iterations_n ? sum / c->side[s].iterations_n
				       : (double)NAN;
}

/* The change of a sum that was tested or not. */
static struct change compare_result_groups_change(const struct compare *c,
	const struct change *tested, double *const ns[2])
{
	return tested ? *tested
		      : compare_plain_change(compare_result_groups_mean(c,
						     ns[BASE], BASE),
				compare_result_groups_mean(c, ns[HEAD], HEAD));
}

static void compare_result_groups_spread_add(struct changed_spread *s,
	double ns, const char *device)
{
	if (!(ns > 0))
		return;
	if (!(s->min_ns <= ns))
		s->min_ns = ns;
	if (!(s->max_ns >= ns)) {
		s->max_ns = ns;
		s->slowest = device;
	}
}

static int compare_result_groups_by_index(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* An array of indices, each mapped by `to`, sorted. */
static uint32_t *compare_result_groups_map(struct arena *a,
	const uint32_t *from, uint32_t n, const uint32_t *to)
{
	uint32_t *list = arena_array(a, uint32_t, n + 1);
	for (uint32_t i = 0; i < n; i++)
		list[i] = to[from[i]];
	qsort(list, n, sizeof *list, compare_result_groups_by_index);
	return list;
}

/* A function or an operator with its place before sorting. */
struct compare_result_groups_function {
	struct changed_function is;
	uint32_t was;
};
struct compare_result_groups_operator {
	struct changed_operator is;
	uint32_t was;
};

/* Where a function ran. The device of a rank is "rank 3, GPU 0"; the rows of one rank
 * only are devices. */
static void compare_result_groups_devices(struct arena *a,
	const struct comparison *out, struct changed_function *f)
{
	const char *first = out->rows[f->rows[0]].device;
	struct names ranks;
	uint32_t n;

	f->device = first;
	f->each = "device";
	if (f->rows_n == 1)
		return;
	names_init(&ranks, a);
	for (uint32_t i = 0; i < f->rows_n; i++) {
		const char *name = out->rows[f->rows[i]].device;
		names_put(&ranks, name, strcspn(name, ","));
	}
	n = ranks.n - 1; /* with the empty name */
	if (n > 1 && !strncmp(first, "rank ", 5))
		f->each = "rank";
	else if (n > 1 && !strncmp(first, "process ", 8))
		f->each = "process";
	else
		n = f->rows_n;
	f->device = arena_printf(a, "%u %s%s", n, f->each,
		!strcmp(f->each, "process") ? "es" : "s");
}

static struct changed_function compare_result_groups_function_of(
	const struct compare *c, const struct compare_changes *changes,
	uint32_t fold, const uint32_t *order)
{
	const struct compare_fold *f = &c->folds[fold];
	const struct comparison *out = c->out;
	const struct changed_spread none = { NAN, NAN, NULL };
	struct changed_function to = { .rows = compare_result_groups_map(c->a,
					       f->rows, f->rows_n, order),
		.rows_n = f->rows_n,
		.operator_ = OPERATOR_NONE,
		.operator_name = f->operator_name,
		.base = none,
		.head = none };

	if (f->same || c->statistics) {
		const struct changed_row *row = &out->rows[to.rows[0]];
		to.change = row->change;
		to.base_launches = row->base_launches;
		to.head_launches = row->head_launches;
	} else {
		to.change = compare_result_groups_change(c,
			changes ? &changes->folds[fold] : NULL, f->ns);
		to.base_launches =
			f->launches[BASE] / c->side[BASE].iterations_n;
		to.head_launches =
			f->launches[HEAD] / c->side[HEAD].iterations_n;
		if (c->mirrored)
			compare_mirror_function(&to);
	}
	compare_result_groups_devices(c->a, out, &to);
	for (uint32_t i = 0; i < to.rows_n; i++) {
		const struct changed_row *row = &out->rows[to.rows[i]];
		compare_result_groups_spread_add(&to.base, row->change.base_ns,
			row->device);
		compare_result_groups_spread_add(&to.head, row->change.head_ns,
			row->head_device);
	}
	return to;
}

static int compare_result_groups_by_stake(const void *left, const void *right)
{
	const struct compare_result_groups_function *a = left, *b = right;
	int order = compare_result_groups_order(&a->is.change, &b->is.change);
	if (order)
		return order;
	return (a->is.rows[0] > b->is.rows[0]) -
	       (a->is.rows[0] < b->is.rows[0]);
}

/* Returns where each fold is now. */
static uint32_t *compare_result_groups_functions(struct compare *c,
	const struct compare_changes *changes, const uint32_t *order)
{
	struct comparison *out = c->out;
	uint32_t n = c->folds_n, *to = arena_array(c->a, uint32_t, n + 1);
	struct compare_result_groups_function *list =
		arena_array(c->a, struct compare_result_groups_function, n + 1);

	for (uint32_t i = 0; i < n; i++)
		list[i] = (struct compare_result_groups_function){
			compare_result_groups_function_of(c, changes, i, order),
			i
		};
	qsort(list, n, sizeof *list, compare_result_groups_by_stake);
	out->functions = arena_array(c->a, struct changed_function, n + 1);
	out->functions_n = n;
	for (uint32_t i = 0; i < n; i++) {
		out->functions[i] = list[i].is;
		to[list[i].was] = i;
		for (uint32_t k = 0; k < list[i].is.rows_n; k++)
			out->rows[list[i].is.rows[k]].function = i;
	}
	return to;
}

/* Operators. */

/* The function of a side with the most time, and how many others there are; NULL:
 * none. Names are those of the first row. */
static const char *compare_result_groups_kernels(struct arena *a,
	const struct comparison *out, const struct changed_operator *o,
	bool head)
{
	const struct changed_row *most = NULL;
	double most_ns = 0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < o->functions_n; i++) {
		const struct changed_function *f =
			&out->functions[o->functions[i]];
		double ns = head ? f->change.head_ns : f->change.base_ns;
		if (!(ns > 0))
			continue;
		n++;
		if (ns > most_ns) {
			most_ns = ns;
			most = &out->rows[f->rows[0]];
		}
	}
	if (!most)
		return NULL;
	const char *name = compare_text_name(a,
		head && most->head_name ? most->head_name : most->name);
	return n > 1 ? arena_printf(a, "%s and %u more", name, n - 1) : name;
}

/* Whether the sides ran other kernels. */
static bool compare_result_groups_kernels_differ(const struct comparison *out,
	const struct changed_operator *o)
{
	for (uint32_t i = 0; i < o->functions_n; i++) {
		const struct changed_function *f =
			&out->functions[o->functions[i]];
		if (!(f->change.base_ns > 0) || !(f->change.head_ns > 0) ||
			out->rows[f->rows[0]].head_name)
			return true;
	}
	return false;
}

/* Why the operators of a group are one row. */
static const char *compare_result_groups_inferred(struct arena *a,
	const struct compare_operator *o)
{
	if (o->operators_n[BASE] > 1 || o->operators_n[HEAD] > 1)
		return arena_printf(a,
			"inferred: each of these operators of the group '%s' has "
			"time on one side only; which of them replaced which is "
			"unknown, so that their sums are compared",
			o->name);
	return arena_printf(a,
		"inferred: each side has only one of these operators, and both "
		"are of the group '%s'",
		o->name);
}

static struct changed_operator compare_result_groups_operator_of(
	const struct compare *c, const struct compare_changes *changes,
	uint32_t at, const uint32_t *functions)
{
	const struct compare_operator *o = &c->operators[at];
	struct changed_operator to = { .name = o->name,
		.shape = o->shape,
		.also = o->also,
		.base_operators = o->operators[BASE],
		.head_operators = o->operators[HEAD],
		.base_operators_n = o->operators_n[BASE],
		.head_operators_n = o->operators_n[HEAD],
		.functions = compare_result_groups_map(c->a, o->folds,
			o->folds_n, functions),
		.functions_n = o->folds_n,
		.change = compare_result_groups_change(c,
			changes ? &changes->operators[at] : NULL, o->ns),
		.base_launches = o->launches[BASE] / c->side[BASE].iterations_n,
		.head_launches =
			o->launches[HEAD] / c->side[HEAD].iterations_n };

	if (o->joined)
		to.inferred = compare_result_groups_inferred(c->a, o);
	if (c->mirrored)
		compare_mirror_operator(&to);
	if (!compare_result_groups_kernels_differ(c->out, &to))
		return to;
	to.base_kernels =
		compare_result_groups_kernels(c->a, c->out, &to, false);
	to.head_kernels =
		compare_result_groups_kernels(c->a, c->out, &to, true);
	/* They differ only in template arguments. */
	if (to.base_kernels && to.head_kernels &&
		!strcmp(to.base_kernels, to.head_kernels))
		to.base_kernels = to.head_kernels = NULL;
	return to;
}

static int compare_result_groups_by_size(const void *left, const void *right)
{
	const struct compare_result_groups_operator *a = left, *b = right;
	int order = compare_result_groups_order(&a->is.change, &b->is.change);
	if (!order)
		order = strcmp(a->is.name, b->is.name);
	if (!order)
		order = strcmp(a->is.shape ? a->is.shape : "",
			b->is.shape ? b->is.shape : "");
	/* A group may have the name of an operator. */
	return order ? order : !!a->is.inferred - !!b->is.inferred;
}

static void compare_result_groups_operators(struct compare *c,
	const struct compare_changes *changes, const uint32_t *functions)
{
	struct comparison *out = c->out;
	uint32_t n = c->operators_n;
	struct compare_result_groups_operator *list =
		arena_array(c->a, struct compare_result_groups_operator, n + 1);

	for (uint32_t i = 0; i < n; i++)
		list[i] = (struct compare_result_groups_operator){
			compare_result_groups_operator_of(c, changes, i,
				functions),
			i
		};
	qsort(list, n, sizeof *list, compare_result_groups_by_size);
	out->operators = arena_array(c->a, struct changed_operator, n + 1);
	out->operators_n = n;
	for (uint32_t i = 0; i < n; i++) {
		out->operators[i] = list[i].is;
		for (uint32_t k = 0; k < list[i].is.functions_n; k++)
			out->functions[list[i].is.functions[k]].operator_ = i;
	}
}

/* Of each side's kernel time, so that operators are the better summary. */
static const double known_min = 0.5;

void compare_result_groups_from(struct compare *c,
	const struct compare_changes *changes, const uint32_t *order)
{
	uint32_t *functions =
		compare_result_groups_functions(c, changes, order);
	double known[2], common[2];

	compare_result_groups_operators(c, changes, functions);
	if (!c->operators_n)
		return;
	compare_operators_shares(c, known, common);
	c->out->by_operator =
		known[BASE] >= known_min && known[HEAD] >= known_min;
}
