/* compare_result.c - rows as they are told, what is at stake first. */
#include "compare_state.h"
#include <math.h>
#include <string.h>

static double mean(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / n : NAN;
}

struct change compare_change_plain(double base_ns, double head_ns)
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

/* Change of launches times the base's mean, the rest by duration: what only one
 * side has is a matter of launches alone. */
static void split_delta(struct changed_row *r)
{
	double count = r->head_launches - r->base_launches;
	if (!(r->base_launches > 0) || !(r->head_launches > 0))
		r->by_count_ns = r->change.delta_ns;
	else
		r->by_count_ns = count * r->base_mean_ns;
	r->by_duration_ns = r->change.delta_ns - r->by_count_ns;
}

static void told(struct compare *c, const struct compare_row *row,
	const struct change *change, struct changed_row *out)
{
	const struct compare_side *s = c->side;
	double cycles[2] = { s[BASE].cycles_n, s[HEAD].cycles_n };
	*out = (struct changed_row){ .name = row->name,
		.type = row->type,
		.device = row->device[row->device[BASE] ? BASE : HEAD],
		.head_device = row->device[row->device[HEAD] ? HEAD : BASE],
		.base_launches = row->launches[BASE] / cycles[BASE],
		.head_launches = row->launches[HEAD] / cycles[HEAD],
		.base_beta_pct = row->beta[BASE],
		.head_beta_pct = row->beta[HEAD],
		.beyond_common_ns = NAN };
	double total[2] = { mean(row->ns[BASE], s[BASE].cycles_n),
		mean(row->ns[HEAD], s[HEAD].cycles_n) };
	out->change = change ? *change
			     : compare_change_plain(total[BASE], total[HEAD]);
	out->base_mean_ns = total[BASE] / out->base_launches;
	out->head_mean_ns = total[HEAD] / out->head_launches;
	split_delta(out);
	if (c->out->common.there && (row->type == FUNCTION_gpu_compute ||
					    row->type == FUNCTION_gpu_graph))
		out->beyond_common_ns =
			out->change.delta_ns -
			(c->out->common.ratio - 1) * out->change.base_ns;
	if (out->change.is < CHANGE_UNDECIDED)
		compare_resources_add(c, row, out);
}

static void told_statistics(const struct compare_row *row,
	struct changed_row *out)
{
	double base = row->ns[BASE][0] / row->launches[BASE],
	       head = row->ns[HEAD][0] / row->launches[HEAD];
	*out = (struct changed_row){ .name = row->name,
		.type = row->type,
		.device = "all",
		.head_device = "all",
		.change = compare_change_plain(base, head),
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

/* Whatever changed comes first, by what is at stake; how sure that is stands
 * beside it. */
static int weight(const struct changed_row *r)
{
	return r->change.is <= CHANGE_LIKELY ? 0 : (int)r->change.is;
}

static int by_stake(const void *left, const void *right)
{
	const struct changed_row *a = left, *b = right;
	double x = fabs(a->change.delta_ns), y = fabs(b->change.delta_ns);
	if (weight(a) != weight(b))
		return weight(a) - weight(b);
	if (isnan(x) || isnan(y)) {
		if (isnan(x) != isnan(y))
			return isnan(x) ? 1 : -1;
	} else if (x != y) {
		return x < y ? 1 : -1;
	}
	int names = strcmp(a->name, b->name);
	int devices = names ? names : strcmp(a->device, b->device);
	return devices ? devices : (a->type > b->type) - (a->type < b->type);
}

static void split_told(struct compare *c, const struct change *changes)
{
	struct comparison *out = c->out;
	out->split = arena_array(c->a, struct split_row, c->split_n + 1);
	out->split_n = c->split_n;
	for (uint32_t i = 0; i < c->split_n; i++) {
		const struct compare_split *x = &c->split[i];
		out->split[i] = (struct split_row){ .part = x->part,
			.change =
				changes ? changes[i]
					: compare_change_plain(
						  mean(x->ns[BASE],
							  c->side[BASE]
								  .cycles_n),
						  mean(x->ns[HEAD],
							  c->side[HEAD]
								  .cycles_n)) };
	}
}

void compare_told(struct compare *c, const struct change *changes)
{
	struct comparison *out = c->out;
	out->rows = arena_array(c->a, struct changed_row, c->rows_n + 1);
	out->rows_n = c->rows_n;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		if (c->statistics)
			told_statistics(&c->rows[i], &out->rows[i]);
		else
			told(c, &c->rows[i], changes ? &changes[i] : NULL,
				&out->rows[i]);
		out->count[out->rows[i].change.is]++;
	}
	qsort(out->rows, out->rows_n, sizeof *out->rows, by_stake);
	split_told(c, changes ? changes + c->rows_n : NULL);
}
