/* beside.c - the steps from breakdowns to lines. */
#include "beside_parts.h"
#include <assert.h>
#include <string.h>

static uint32_t *places(struct arena *a, uint32_t n)
{
	uint32_t *p = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *p);
	if (p)
		memset(p, 0xff, n * sizeof *p);
	return p;
}

bool beside_from(const struct beside_side *sides, uint32_t sides_n,
	struct arena *a, struct beside *out)
{
	struct beside_work w = { sides, sides_n, a, out, { 0 }, { 0 }, { 0 } };
	bool ok = true;
	assert(sides_n > 1 && sides_n <= BESIDE_MOST);
	*out = (struct beside){ .sides_n = sides_n };
	for (uint32_t s = 0; ok && s < sides_n; s++) {
		const struct breakdown *b = sides[s].breakdown;
		w.section[s] = places(a, b->sections_n);
		w.block[s] = places(a, b->blocks_n);
		w.line[s] = places(a, b->rows_n);
		ok = w.section[s] && w.block[s] && w.line[s];
	}
	ok = ok && beside_sections(&w) && beside_blocks(&w) &&
	     beside_lines(&w) && beside_cells(&w);
	for (uint32_t s = 0; s < sides_n; s++) {
		arena_drop(a, w.section[s]);
		arena_drop(a, w.block[s]);
		arena_drop(a, w.line[s]);
	}
	return ok;
}
