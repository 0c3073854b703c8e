/* tally.c - lines found by their key, sums that are checked. */
#include "tally.h"
#include "exact.h"
#include <math.h>

bool tally_init(struct tally *t, struct arena *a)
{
	*t = (struct tally){ 0 };
	return names_init(&t->keys, a);
}

bool tally_sum(int64_t *sum, int64_t add, struct err *e)
{
	if (add < 0 || add > TRACE_TIME_MAX_NS - *sum)
		return err_set(e, ERR_TRACE,
			"the times or counts of the table add up to more than "
			"a trace can hold (104 days), or are negative");
	*sum += add;
	return true;
}

/* The line of a number and a device, added if new; NULL where the arena is
 * full. */
static struct tally_line *line(struct tally *t, uint32_t what, int32_t device)
{
	const uint32_t key[2] = { what, (uint32_t)device };
	uint32_t id = names_put(&t->keys, (const char *)key, sizeof key);
	if (id == NAMES_NONE)
		return NULL;
	if (id <= t->n)
		return &t->lines[id - 1];
	if (t->n == t->cap) {
		uint32_t cap = t->cap ? t->cap * 2 : 64;
		struct tally_line *grown = arena_grow(t->keys.arena, t->lines,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return NULL;
		t->lines = grown;
		t->cap = cap;
	}
	t->lines[t->n] = (struct tally_line){ what, device, 0, 0 };
	return &t->lines[t->n++];
}

bool tally_add(struct tally *t, const struct tally_line *add, struct err *e)
{
	struct tally_line *l = line(t, add->what, add->device);
	if (!l)
		return arena_err(t->keys.arena, e);
	return tally_sum(&l->instances, add->instances, e) &&
	       tally_sum(&l->total_ns, add->total_ns, e);
}

struct time_stats tally_stats(const struct tally_line *l)
{
	int64_t tenths =
		exact_tenths((wide_t)l->total_ns, (wide_t)l->instances);
	return (struct time_stats){ .instances = l->instances,
		.total_ns = l->total_ns,
		.min_ns = -1,
		.max_ns = -1,
		.avg_ns = (double)tenths / 10,
		.med_ns = NAN,
		.stddev_ns = NAN,
		.p90_ns = NAN,
		.p99_ns = NAN };
}
