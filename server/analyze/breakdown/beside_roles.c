/* beside_roles.c - smallest sets of roles that no side's row crosses, by block.
 *
 * Quantizing joins nothing: what does something else, too, goes by that. What does
 * nothing else is told apart by the product that follows, for it may stand before
 * each of them. */
#include "beside_parts.h"
#include <assert.h>
#include <string.h>

enum { QUANTIZE_FOR = 64 }; /* + the role of the product */
static const layer_roles quantize = ROLE_BIT(QUANTIZE);

static_assert((int)ROLES <= (int)QUANTIZE_FOR &&
		      (int)QUANTIZE_FOR + (int)ROLES <= (int)BESIDE_TOKENS,
	"a token for each role, and for what quantizes for it");

struct roles {
	const struct beside_work *w;
	uint8_t *parent; /* by block and token */
	layer_roles *follows; /* by lane, the roles of what comes next there */
	uint32_t *of_block; /* by lane, the block that is of */
	uint32_t lanes;
};

static uint32_t lowest(layer_roles roles)
{
	return (uint32_t)__builtin_ctzll(roles);
}

static uint32_t root(uint8_t *parent, uint32_t token)
{
	while (parent[token] != token)
		token = parent[token] = parent[parent[token]];
	return token;
}

/* The token of a row that only quantizes. */
static uint32_t quantizes(const struct roles *r,
	const struct breakdown_row *row, uint32_t block)
{
	layer_roles for_ = r->of_block[row->lane] == block
				   ? r->follows[row->lane]
				   : quantize;
	return QUANTIZE_FOR + lowest(for_);
}

static uint32_t join(struct roles *r, const struct breakdown_row *row,
	uint32_t block)
{
	uint8_t *parent = r->parent + (size_t)block * BESIDE_TOKENS;
	layer_roles roles = row->roles & ~quantize;
	if (!roles)
		return quantizes(r, row, block);
	uint32_t first = lowest(roles);
	for (; roles; roles &= roles - 1)
		parent[root(parent, lowest(roles))] =
			(uint8_t)root(parent, first);
	return first;
}

static void side(struct roles *r, uint32_t s, uint32_t *token)
{
	const struct breakdown *b = r->w->sides[s].breakdown;
	memset(r->of_block, 0xff, r->lanes * sizeof *r->of_block);
	for (uint32_t i = b->rows_n; i-- > 0;) {
		const struct breakdown_row *row = &b->rows[i];
		uint32_t block = r->w->block[s][row->block];
		token[i] = BESIDE_NONE;
		if (!row->roles)
			continue;
		token[i] = join(r, row, block);
		if (row->roles & ~quantize) {
			r->follows[row->lane] = row->roles & ~quantize;
			r->of_block[row->lane] = block;
		}
	}
}

static bool room(struct roles *r)
{
	const struct beside_work *w = r->w;
	size_t tokens = (size_t)w->out->blocks_n * BESIDE_TOKENS;
	for (uint32_t s = 0; s < w->sides_n; s++)
		for (uint32_t i = 0; i < w->sides[s].breakdown->rows_n; i++) {
			uint32_t lane = w->sides[s].breakdown->rows[i].lane;
			r->lanes = lane >= r->lanes ? lane + 1 : r->lanes;
		}
	r->parent = arena_grow(w->a, NULL, tokens + 1);
	r->follows =
		arena_grow(w->a, NULL, (r->lanes + 1) * sizeof *r->follows);
	r->of_block =
		arena_grow(w->a, NULL, (r->lanes + 1) * sizeof *r->of_block);
	if (!r->parent || !r->follows || !r->of_block)
		return false;
	for (size_t k = 0; k < tokens; k++)
		r->parent[k] = (uint8_t)(k % BESIDE_TOKENS);
	return true;
}

bool beside_roles(const struct beside_work *w,
	uint32_t *const token[BESIDE_MOST])
{
	struct roles r = { .w = w };
	bool ok = room(&r);
	for (uint32_t s = 0; ok && s < w->sides_n; s++)
		side(&r, s, token[s]);
	for (uint32_t s = 0; ok && s < w->sides_n; s++)
		for (uint32_t i = 0; i < w->sides[s].breakdown->rows_n; i++) {
			uint32_t block =
				w->block[s]
					[w->sides[s].breakdown->rows[i].block];
			if (token[s][i] != BESIDE_NONE)
				token[s][i] =
					root(r.parent + (size_t)block *
								BESIDE_TOKENS,
						token[s][i]);
		}
	arena_drop(w->a, r.parent);
	arena_drop(w->a, r.follows);
	arena_drop(w->a, r.of_block);
	return ok;
}
