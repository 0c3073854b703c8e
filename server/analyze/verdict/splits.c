/* splits.c - combinations in order, or the first steps of a shuffle. */
#include "splits.h"
#include "xoshiro.h"

uint32_t splits_ways(uint32_t n, uint32_t k)
{
	uint64_t ways = 1;
	for (uint32_t i = 1; i <= k && i <= n; i++) {
		ways = ways * (n - k + i) / i;
		if (ways >= UINT32_MAX)
			return UINT32_MAX;
	}
	return (uint32_t)ways;
}

static void every_way(uint32_t n, uint32_t k, uint32_t ways, uint32_t *sets)
{
	for (uint32_t i = 0; i < k; i++)
		sets[i] = i;
	for (uint32_t w = 1; w < ways; w++) {
		const uint32_t *last = sets + (size_t)(w - 1) * k;
		uint32_t *next = sets + (size_t)w * k, i = k;
		/* The last index that can still move on. */
		while (i-- > 0 && last[i] == n - k + i)
			;
		for (uint32_t m = 0; m < k; m++)
			next[m] = m < i ? last[m] : last[i] + 1 + (m - i);
	}
}

static void at_random(uint32_t n, uint32_t k, uint32_t ways, uint32_t *deck,
	uint64_t seed, uint32_t *sets)
{
	struct xoshiro x;
	xoshiro_init(&x, seed);
	for (uint32_t i = 0; i < n; i++)
		deck[i] = i;
	for (uint32_t w = 0; w < ways; w++)
		for (uint32_t i = 0; i < k; i++) {
			uint32_t other = i + xoshiro_below(&x, n - i);
			uint32_t taken = deck[other];
			deck[other] = deck[i];
			deck[i] = taken;
			*sets++ = taken;
		}
}

bool splits_from(const struct blocks *b, uint32_t permutations, bool may_all,
	uint64_t seed, struct arena *a, struct splits *out)
{
	uint32_t n = b->base_n + b->head_n;
	bool base = b->base_n <= b->head_n;
	uint32_t k = base ? b->base_n : b->head_n, ways = splits_ways(n, k);
	uint32_t *deck = arena_array(a, uint32_t, n);
	uint32_t *own = arena_array(a, uint32_t, k);

	*out = (struct splits){ .chosen = k,
		.own = own,
		.exact = may_all && ways <= permutations };
	out->n = out->exact ? ways : permutations;
	uint32_t *sets = arena_array(a, uint32_t, (size_t)out->n * k);
	if (!deck || !own || !sets)
		return false;
	out->sets = sets;
	for (uint32_t i = 0; i < k; i++)
		own[i] = base ? i : b->base_n + i;
	if (out->exact)
		every_way(n, k, ways, sets);
	else
		at_random(n, k, out->n, deck, seed, sets);
	return true;
}
