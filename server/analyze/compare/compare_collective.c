/* compare_collective.c - collectives of several devices become one row: what the
 * one that waits least takes.
 *
 * In a collective everybody waits for the last to come, so that the rest of its
 * time is another's doing, and whose it is may change from run to run. The
 * shortest time over the devices, cycle by cycle, is what the transfer takes at
 * most. Only where all of them take part in as many: else they stay apart. */
#include "compare_state.h"
#include <string.h>

static bool same(const struct compare_row *a, const struct compare_row *b)
{
	return a->type == FUNCTION_gpu_comm && b->type == a->type &&
	       !strcmp(a->name, b->name);
}

/* Whether every device that has it has it as often, and on both sides. */
static bool together(const struct compare *c, uint32_t first, uint32_t *n)
{
	const struct compare_row *a = &c->rows[first];
	*n = 0;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct compare_row *b = &c->rows[i];
		if (!same(a, b))
			continue;
		++*n;
		for (int s = 0; s < 2; s++)
			if (b->launches[s] != a->launches[s])
				return false;
	}
	return *n > 1;
}

static void take_least(const struct compare *c, struct compare_row *to,
	const struct compare_row *from)
{
	for (int s = 0; s < 2; s++) {
		for (uint32_t k = 0; k < c->side[s].cycles_n; k++)
			if (from->ns[s][k] < to->ns[s][k])
				to->ns[s][k] = from->ns[s][k];
		if (from->min_ns[s] < to->min_ns[s])
			to->min_ns[s] = from->min_ns[s];
		if (from->max_ns[s] < to->max_ns[s])
			to->max_ns[s] = from->max_ns[s];
		if (from->beta[s] < to->beta[s])
			to->beta[s] = from->beta[s];
		/* Whose launches these were is not known any more. */
		to->spread_lacks[s] = true;
	}
}

void compare_collectives_join(struct compare *c)
{
	for (uint32_t i = 0; i < c->rows_n; i++) {
		uint32_t places;
		struct compare_row *row = &c->rows[i];
		if (row->type != FUNCTION_gpu_comm ||
			row->place == COMPARE_PLACE_ALL ||
			!together(c, i, &places))
			continue;
		uint32_t kept = i + 1;
		for (uint32_t j = i + 1; j < c->rows_n; j++)
			if (same(row, &c->rows[j]))
				take_least(c, row, &c->rows[j]);
			else
				c->rows[kept++] = c->rows[j];
		c->rows_n = kept;
		row->place = COMPARE_PLACE_ALL;
		for (int s = 0; s < 2; s++)
			row->device[s] = arena_printf(c->a,
				"the first done of %u", places);
	}
}
