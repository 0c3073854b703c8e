/* pattern_times.c - a middle, a base, and what lies too far from them. */
#include "pattern_times.h"
#include <stdlib.h>

enum { SAMPLES = 1001 };

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* The middle of an even sample; false where no moment is known. */
static bool middle(const struct trace *t, int64_t *ns)
{
	const struct pattern_rows *p = &t->pattern;
	const struct counter_rows *c = &t->counter;
	int64_t sample[SAMPLES];
	uint64_t rows = (uint64_t)p->n + c->n, step = rows / SAMPLES + 1;
	size_t got = 0;
	for (uint64_t i = 0; i < rows; i += step) {
		int64_t at =
			i < p->n ? p->cycle_start_ns[i] : c->start_ns[i - p->n];
		if (at >= 0)
			sample[got++] = at;
	}
	qsort(sample, got, sizeof *sample, by_value);
	*ns = got ? sample[got / 2] : 0;
	return got > 0;
}

/* Moments are not negative: their difference never overflows. */
static bool near(int64_t at, int64_t middle_ns)
{
	int64_t far = at - middle_ns;
	return far <= TRACE_TIME_MAX_NS / 2 && far >= -TRACE_TIME_MAX_NS / 2;
}

static void far_off(struct trace *t, uint32_t name)
{
	const struct name *n = &t->names.list[name];
	note_add(&t->notes, NOTE_huge_time, 1, n->text, n->len);
}

/* Drops what lies too far off; the earliest of the rest. */
static int64_t thin(struct trace *t, int64_t middle_ns)
{
	struct pattern_rows *p = &t->pattern;
	struct counter_rows *c = &t->counter;
	int64_t first = INT64_MAX;
	uint32_t to = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t *at = &p->cycle_start_ns[i];
		if (*at >= 0 && !near(*at, middle_ns)) {
			far_off(t, p->name[i]);
			*at = -1;
		}
		if (*at >= 0 && *at < first)
			first = *at;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		if (!near(c->start_ns[i], middle_ns)) {
			far_off(t, c->name[i]);
			continue;
		}
		if (c->start_ns[i] < first)
			first = c->start_ns[i];
#define COLUMN(type, field, what) c->field[to] = c->field[i];
		COUNTER_COLUMNS(COLUMN)
#undef COLUMN
		to++;
	}
	c->n = to;
	return first;
}

void pattern_times(struct trace *t)
{
	/* Before 2000 it is a clock that counts from something else. */
	const int64_t since_2000 = INT64_C(946684800) * 1000000000;
	int64_t middle_ns;
	if (!middle(t, &middle_ns))
		return;
	t->base_ns = thin(t, middle_ns);
	t->base_is_utc = t->base_ns >= since_2000;
	for (uint32_t i = 0; i < t->pattern.n; i++)
		if (t->pattern.cycle_start_ns[i] >= 0)
			t->pattern.cycle_start_ns[i] -= t->base_ns;
	for (uint32_t i = 0; i < t->counter.n; i++)
		t->counter.start_ns[i] -= t->base_ns;
}
