/* creep_test.c - chooses the anchor and tests the head against it. */
#include "creep_test.h"
#include "change_point.h"
#include "order_stat.h"
#include "stored_units.h"
#include <assert.h>
#include <math.h>
#include <string.h>

struct creep_test {
	const struct creep_test_input *q;
	struct arena *a;
	struct stored_units of; /* of the history */
	double *head;
	uint32_t *head_commit, head_n;
	uint32_t *starts, starts_n; /* of the segments */
	uint32_t at; /* the segment of the anchor */
};

static bool creep_test_add_head(struct creep_test *t)
{
	const struct gate_history *h = t->q->history;
	const char **commits = arena_array(t->a, const char *, h->head_n + 1);

	t->head = arena_array(t->a, double, h->head_n + 1);
	t->head_commit = arena_array(t->a, uint32_t, h->head_n + 1);
	if (!commits || !t->head || !t->head_commit)
		return false;
	for (uint32_t i = 0; i < h->head_n; i++) {
		t->head[i] = h->head[i].ns;
		commits[i] = h->head[i].commit;
	}
	stored_units_number(commits, h->head_n, true, t->head_commit);
	t->head_n = h->head_n;
	return true;
}

static bool creep_test_init(struct creep_test *t)
{
	const struct gate_history *h = t->q->history;

	return creep_test_add_head(t) &&
	       stored_units_init(&t->of, h->n, t->a) &&
	       stored_units_add(&t->of, h->units, h->named, t->a) &&
	       stored_units_add(&t->of, h->units + h->named, h->n - h->named,
		       t->a);
}

/* The segments: what the user named, then those of the other units. */
static bool creep_test_segments(struct creep_test *t)
{
	struct change_options o = CHANGE_OPTIONS;
	struct change_point *points = NULL;
	uint32_t named = t->q->history->named, n = 0;

	o.alpha = CREEP_TEST_CUT_ALPHA;
	o.seed = t->q->seed;
	if (t->of.n > named &&
		!change_points_from(t->of.ns + named,
			t->of.labeled ? t->of.commit + named : NULL,
			t->of.n - named, &o, t->a, &points, &n))
		return false;
	t->starts = arena_array(t->a, uint32_t, n + 2);
	if (!t->starts)
		return false;
	t->starts_n = 1;
	if (named && named < t->of.n)
		t->starts[t->starts_n++] = named;
	for (uint32_t i = 0; i < n; i++)
		t->starts[t->starts_n++] = named + points[i].at;
	return true;
}

static uint32_t creep_test_end(const struct creep_test *t, uint32_t segment)
{
	return segment + 1 < t->starts_n ? t->starts[segment + 1] : t->of.n;
}

/* If no commit is known, a unit counts as one. */
static uint32_t creep_test_commits(const struct creep_test *t, uint32_t segment)
{
	uint32_t from = t->starts[segment], end = creep_test_end(t, segment);
	return t->of.commit[end - 1] - t->of.commit[from] + 1;
}

/* The median of a segment's units; NAN if the arena is full. */
static double creep_test_median(struct creep_test *t, uint32_t segment)
{
	uint32_t from = t->starts[segment],
		 n = creep_test_end(t, segment) - from;
	double *x = arena_array(t->a, double, n);

	if (!x)
		return NAN;
	memcpy(x, t->of.ns + from, n * sizeof *x);
	return order_stat_median(x, n);
}

static bool creep_test_long_enough(const struct creep_test *t, uint32_t segment)
{
	uint32_t n = creep_test_end(t, segment) - t->starts[segment];
	return n >= CREEP_TEST_UNITS &&
	       (!t->of.labeled ||
		       creep_test_commits(t, segment) >= CREEP_TEST_COMMITS);
}

/* Chooses the lowest segment; anchor->levels 0: none is long enough. */
static bool creep_test_choose(struct creep_test *t, struct gate_anchor *anchor)
{
	anchor->levels = 0;
	for (uint32_t s = 0; s < t->starts_n; s++) {
		if (!creep_test_long_enough(t, s))
			continue;
		double median = creep_test_median(t, s);
		if (isnan(median))
			return false;
		if (!anchor->levels++ || median < anchor->median_ns) {
			anchor->median_ns = median;
			t->at = s;
		}
	}
	return true;
}

/* Why there is no anchor. */
static const char *creep_test_missing(const struct creep_test *t)
{
	if (t->q->history->reason)
		return t->q->history->reason;
	const char *labels =
		t->q->history->labels
			? arena_printf(t->a, " with the base's labels (%s)",
				  t->q->history->labels)
			: "";
	if (!t->of.n)
		return arena_printf(t->a,
			"no earlier run of the same work%s is stored", labels);
	if (t->starts_n == 1)
		return arena_printf(t->a,
			"the history%s has %u run%s of %u commit%s; at least %d "
			"runs of at least %d commits are required",
			labels, t->of.n, t->of.n == 1 ? "" : "s",
			t->of.commit[t->of.n - 1] + 1,
			t->of.commit[t->of.n - 1] ? "s" : "", CREEP_TEST_UNITS,
			CREEP_TEST_COMMITS);
	return arena_printf(t->a,
		"none of the %u levels of the history%s has at least %d runs of "
		"at least %d commits",
		t->starts_n, labels, CREEP_TEST_UNITS, CREEP_TEST_COMMITS);
}

/* Describes the chosen segment. */
static bool creep_test_describe(struct creep_test *t, struct gate_anchor *to)
{
	uint32_t from = t->starts[t->at], end = creep_test_end(t, t->at);

	to->units_n = end - from;
	to->units = t->of.units + from;
	to->commits = t->of.labeled ? creep_test_commits(t, t->at) : 0;
	to->since = to->until = t->of.units[from]->stored;
	for (uint32_t i = from; i < end; i++) {
		int64_t at = t->of.units[i]->stored;
		to->since = at < to->since ? at : to->since;
		to->until = at > to->until ? at : to->until;
	}
	to->median_ns = creep_test_median(t, t->at);
	return !isnan(to->median_ns);
}

bool creep_test(const struct creep_test_input *q, struct arena *a,
	struct creep_test_result *out)
{
	const struct gate_history *h = q->history;
	struct creep_test t = { .q = q, .a = a };

	assert(h->head_n && h->named <= h->n);
	*out = (struct creep_test_result){ .anchor = { .query = h->query,
						   .excluded = h->excluded,
						   .median_ns = NAN } };
	if (!creep_test_init(&t) || !creep_test_segments(&t))
		return false;
	if (h->named)
		out->anchor.levels = 1;
	else if (!h->reason && t.of.n && !creep_test_choose(&t, &out->anchor))
		return false;
	if (!out->anchor.levels) {
		out->anchor.reason = creep_test_missing(&t);
		return out->anchor.reason;
	}
	if (!creep_test_describe(&t, &out->anchor))
		return false;
	const struct level_test_input level = { .v = { t.of.ns, t.head, t.of.n,
							t.head_n },
		.base_commit = t.of.labeled ? t.of.commit : NULL,
		.head_commit = t.head_commit,
		.limit = q->limit,
		.alpha = q->alpha / out->anchor.levels,
		.repeat_alpha = q->repeat_alpha / out->anchor.levels,
		.floor = q->floor,
		.seed = q->seed,
		.starts = t.starts,
		.starts_n = t.starts_n,
		.reference = t.at };
	if (!level_test(&level, a, &out->level))
		return false;
	out->p_family = fmin(1, out->level.p * out->anchor.levels);
	return true;
}
