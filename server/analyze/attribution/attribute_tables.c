/* attribute_tables.c - where tables are all there is: names, and sums. */
#include "attribute.h"
#include "attribute_order.h"
#include "exact.h"
#include "profile.h"
#include <math.h>
#include <string.h>

/* Adds a line of a table to the row of its operator; the first shape row is
 * its only one. */
static void add(struct operators *o, const struct operator_info *is,
	enum how known, const struct time_stats *t)
{
	const char *name = is ? is->name : NULL;
	uint32_t i = 0;

	while (i < o->n &&
		(name ? !o->rows[i].name || strcmp(o->rows[i].name, name) != 0
		      : o->rows[i].name != NULL))
		i++;
	struct operator_stat *row = &o->rows[i];
	struct shape_stat *s = &o->shapes[i];
	if (i == o->n) {
		o->n++;
		*row = (struct operator_stat){ .name = name,
			.collective = is && is->collective,
			.shapes = 1 };
		*s = (struct shape_stat){ .operator_ = i,
			.known = known,
			.sol_ns = NAN };
	}
	int64_t launches = t->instances > 0 ? t->instances : 0;
	row->launches += launches;
	row->calls += launches;
	row->total_ns += t->total_ns;
	row->known_ns[known] += t->total_ns;
	s->launches += launches;
}

static void finish(struct operators *o)
{
	for (uint32_t i = 0; i < o->n; i++) {
		const struct operator_stat *row = &o->rows[i];
		double avg = NAN;
		if (row->calls)
			avg = (double)exact_tenths((wide_t)row->total_ns,
				      (wide_t)row->calls) /
			      10;
		o->shapes[i].call =
			(struct time_stats){ .instances = row->calls,
				.total_ns = row->total_ns,
				.min_ns = -1,
				.max_ns = -1,
				.avg_ns = avg,
				.med_ns = NAN,
				.stddev_ns = NAN,
				.p90_ns = NAN,
				.p99_ns = NAN };
	}
	o->shapes_n = o->n;
}

static void unknown_add(struct operators *o, const struct kernel_stat *s)
{
	o->unattributed[o->unattributed_n++] = (struct unattributed){ s->kernel,
		s->time.instances, s->time.total_ns };
}

static const struct operator_info *rule_of(const struct catalog *c,
	const struct profile_kernel *k)
{
	return k->operator? catalog_operator(c, k->operator) : NULL;
}

bool attribute_tables(const struct catalog *c, struct profile *p)
{
	struct operators *o = &p->operators;
	size_t n = (size_t)p->stats_n + p->copy_stats_n + 1;

	o->rows = arena_array(p->arena, struct operator_stat, n);
	o->shapes = arena_array(p->arena, struct shape_stat, n);
	o->unattributed = arena_array(p->arena, struct unattributed, n);
	if (!o->rows || !o->shapes || !o->unattributed)
		return false;
	o->gpu_ns = p->kernel_ns + p->copy_ns + p->graph_ns;
	for (uint32_t i = 0; i < p->stats_n; i++) {
		const struct kernel_stat *s = &p->stats[i];
		if (s->split != SPLIT_NONE)
			continue;
		const struct operator_info *is =
			rule_of(c, &p->kernels[s->kernel]);
		add(o, is, is ? KNOWN_RULE : KNOWN_NOT, &s->time);
		if (!is)
			unknown_add(o, s);
	}
	for (uint32_t i = 0; i < p->copy_stats_n; i++) {
		const struct copy_stat *s = &p->copy_stats[i];
		bool set = strstr(s->operation, "memset");
		const struct operator_info *is =
			catalog_operator(c, set ? "memset" : "copy");
		if (s->split == SPLIT_NONE)
			add(o, is, is ? KNOWN_RECORD : KNOWN_NOT, &s->time);
	}
	finish(o);
	attribute_order_unattributed(o);
	return attribute_order(o, p->arena);
}
