/* pattern_choice.c - of m things, k evenly: those at which i*k/m steps up. */
#include "pattern_choice.h"
#include "cycle_find.h"

static uint32_t most(uint32_t functions)
{
	uint32_t n = PATTERNS_CELLS_MAX / (functions ? functions : 1);
	n = n ? n : 1;
	return n < PATTERNS_CYCLES_MAX ? n : PATTERNS_CYCLES_MAX;
}

/* Marks k of those m cycles that are kept, or of those that are not; the first
 * and the last among them, where there is room for two. */
static void mark(const struct cycles *all, bool kept, uint32_t m, uint32_t k,
	uint32_t *place)
{
	uint64_t seen = 0, taken = 0;
	for (uint32_t i = 0; i < all->n && taken < k; i++) {
		if ((all->cycles[i].use == CYCLE_KEPT) != kept)
			continue;
		/* The taken-th stands at taken*(m-1)/(k-1). */
		uint64_t at = k > 1 ? taken * (m - 1) / (k - 1) : 0;
		if (seen++ == at) {
			place[i] = 0;
			taken++;
		}
	}
}

bool pattern_choice(struct profile *p, uint32_t functions, uint32_t **place)
{
	const struct cycles *all = &p->cycles;
	struct patterns *to = &p->patterns;
	uint32_t kept = 0, limit = most(functions);
	uint32_t *at =
		arena_grow(p->arena, NULL, ((size_t)all->n + 1) * sizeof *at);

	*place = at;
	for (uint32_t i = 0; at && i < all->n; i++) {
		at[i] = CYCLE_OF_NONE;
		kept += all->cycles[i].use == CYCLE_KEPT;
	}
	to->cycles_n = all->n < limit ? all->n : limit;
	to->cycle = arena_array(p->arena, uint32_t, to->cycles_n + 1);
	if (!at || !to->cycle)
		return false;
	uint32_t of_kept = kept < to->cycles_n ? kept : to->cycles_n;
	mark(all, true, kept, of_kept, at);
	mark(all, false, all->n - kept, to->cycles_n - of_kept, at);
	for (uint32_t i = 0, n = 0; i < all->n; i++)
		if (at[i] != CYCLE_OF_NONE) {
			at[i] = n;
			to->cycle[n++] = i;
		}
	if (to->cycles_n < all->n)
		note_add(&p->notes, NOTE_patterns_thinned,
			all->n - to->cycles_n, NULL, 0);
	return true;
}
