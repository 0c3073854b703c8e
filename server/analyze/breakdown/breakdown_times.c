/* breakdown_times.c - each row's launches: statistics, offsets, how many
 * instances have it; what that makes of blocks and sections. */
#include "breakdown_work.h"
#include "exact.h"
#include <math.h>

/* By row, on the way. */
struct tally {
	uint32_t from; /* its launches in w->ns; one more at the end */
	uint32_t last; /* instance that was seen last, and 1 */
	double offset_ns; /* whole, and so exact below 2^53 */
};

/* Mean of n, rounded to tenths; n > 0. */
static double mean(int64_t total, int64_t n)
{
	return (double)exact_tenths((wide_t)total, (wide_t)n) / 10;
}

static void add(struct breakdown_work *w, struct tally *tally, uint32_t item)
{
	const struct layer_item *is = &w->s->items[item];
	uint32_t row = breakdown_row_of(w, item),
		 instance = w->l->instance[item];

	w->ns[tally[row + 1].from++] = is->dur_ns;
	tally[row].offset_ns +=
		(double)(is->start_ns - w->spans[instance].start_ns);
	w->out->rows[row].instances += tally[row].last != instance + 1;
	tally[row].last = instance + 1;
}

/* Launches laid row by row: counted two places on, placed one place on. */
static void deal(struct breakdown_work *w, struct tally *tally)
{
	for (uint32_t i = 0; i < w->order_n; i++)
		tally[breakdown_row_of(w, w->order[i]) + 2].from++;
	for (uint32_t r = 2; r < w->out->rows_n + 2; r++)
		tally[r].from += tally[r - 1].from;
	for (uint32_t i = 0; i < w->order_n; i++)
		add(w, tally, w->order[i]);
}

static void finish(struct breakdown_work *w, const struct tally *tally,
	uint32_t row, int64_t *total, int64_t *common)
{
	struct breakdown_row *r = &w->out->rows[row];
	struct breakdown_block *b = &w->out->blocks[r->block];
	const struct breakdown_section *s = &w->out->sections[b->section];
	uint32_t from = tally[row].from, n = tally[row + 1].from - from;

	r->time = stats_from(w->ns + from, w->scratch, n);
	r->offset_ns = round(tally[row].offset_ns / n * 10) / 10;
	r->extra = r->instances * 2 < s->instances;
	total[r->block] += r->time.total_ns;
	common[b->section] += r->extra ? 0 : n;
}

/* From sums over rows. */
static void sums(struct breakdown_work *w, const int64_t *total,
	const int64_t *common)
{
	struct breakdown *out = w->out;
	int64_t n = 0;

	for (uint32_t i = 0; i < out->blocks_n; i++) {
		n = out->sections[out->blocks[i].section].instances;
		out->blocks[i].sum_ns = n ? mean(total[i], n) : 0;
	}
	for (uint32_t i = 0; i < out->sections_n; i++)
		out->sections[i].alike = 0;
	for (uint32_t r = 0; r < out->rows_n; r++)
		out->sections[out->blocks[out->rows[r].block].section].alike +=
			(double)out->rows[r].time.instances;
	for (uint32_t i = 0; i < out->sections_n; i++) {
		double *alike = &out->sections[i].alike;
		*alike = *alike > 0 ? (double)common[i] / *alike : (double)NAN;
	}
}

bool breakdown_times(struct breakdown_work *w)
{
	struct breakdown *out = w->out;
	struct tally *tally = arena_grow(w->a, NULL,
		((size_t)out->rows_n + 2) * sizeof *tally);
	int64_t *total = arena_grow(w->a, NULL,
		((size_t)out->blocks_n + 1) * sizeof *total);
	int64_t *common = arena_grow(w->a, NULL,
		((size_t)out->sections_n + 1) * sizeof *common);
	bool ok = tally && total && common;

	if (ok) {
		deal(w, tally);
		for (uint32_t r = 0; r < out->rows_n; r++)
			finish(w, tally, r, total, common);
		sums(w, total, common);
	}
	arena_drop(w->a, tally);
	arena_drop(w->a, total);
	arena_drop(w->a, common);
	return ok;
}
