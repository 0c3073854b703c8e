/* beside_line.c - every row's line, and their order. */
#include "beside_parts.h"

/* Lines by role; those of one side only are alone. */
static bool by_role(struct beside_work *w, struct beside_things *t)
{
	size_t tokens = (size_t)w->out->blocks_n * BESIDE_TOKENS + 1;
	uint32_t *at = arena_grow(w->a, NULL, tokens * sizeof *at);
	uint32_t *of = arena_grow(w->a, NULL, tokens * sizeof *of);
	bool ok = at && of && beside_roles(w, w->line);
	for (uint32_t s = 0; ok && s < w->sides_n; s++)
		for (uint32_t i = 0; i < w->sides[s].breakdown->rows_n; i++) {
			uint32_t *token = &w->line[s][i];
			uint32_t block =
				w->block[s]
					[w->sides[s].breakdown->rows[i].block];
			if (*token == BESIDE_NONE)
				continue;
			size_t k = (size_t)block * BESIDE_TOKENS + *token;
			if (!at[k]) {
				t->list[t->n] = (struct beside_thing){ block,
					BESIDE_ALONE };
				of[k] = s;
				at[k] = ++t->n;
			}
			*token = at[k] - 1;
			if (of[k] != s)
				t->list[*token].match = BESIDE_ROLE;
		}
	arena_drop(w->a, at);
	arena_drop(w->a, of);
	return ok;
}

/* `first` and `order` hold a list of lines for each block. */
static void put_in_order(const struct beside_work *w,
	struct beside_order *order, uint32_t *first)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *b = w->sides[s].breakdown;
		for (uint32_t i = 0, k; i < b->rows_n; i = k) {
			uint32_t block = w->block[s][b->rows[i].block];
			for (k = i; k < b->rows_n &&
				    b->rows[k].block == b->rows[i].block;)
				k++;
			order->first = first[block];
			beside_order_merge(order, w->line[s] + i, k - i);
			first[block] = order->first;
		}
	}
}

/* Lines in their order; `first` of each block, and by thing its line after. */
static bool number(struct beside_work *w, const struct beside_things *t,
	struct beside_order *order, const uint32_t *first)
{
	struct beside *out = w->out;
	out->lines = arena_array(w->a, struct beside_line, (size_t)t->n + 1);
	if (!out->lines)
		return false;
	for (uint32_t b = 0; b < out->blocks_n; b++)
		for (uint32_t k = first[b], next; k != BESIDE_NONE; k = next) {
			out->lines[out->lines_n].block = b;
			out->lines[out->lines_n].match = t->list[k].match;
			next = order->next[k];
			order->next[k] = out->lines_n++;
		}
	for (uint32_t s = 0; s < w->sides_n; s++)
		for (uint32_t i = 0; i < w->sides[s].breakdown->rows_n; i++)
			w->line[s][i] = order->next[w->line[s][i]];
	return true;
}

static bool arrange(struct beside_work *w, const struct beside_things *t)
{
	struct beside_order order = { 0 };
	size_t blocks = w->out->blocks_n;
	uint32_t *first = arena_grow(w->a, NULL, (blocks + 1) * sizeof *first);
	bool ok = first && beside_order_init(&order, t->n, w->a);
	if (ok) {
		for (size_t b = 0; b < blocks; b++)
			first[b] = BESIDE_NONE;
		put_in_order(w, &order, first);
		ok = number(w, t, &order, first);
	}
	arena_drop(w->a, order.next);
	arena_drop(w->a, first);
	return ok;
}

bool beside_lines(struct beside_work *w)
{
	struct beside_things t = { 0 };
	size_t rows = 1;
	for (uint32_t s = 0; s < w->sides_n; s++)
		rows += w->sides[s].breakdown->rows_n;
	t.list = arena_grow(w->a, NULL, rows * sizeof *t.list);
	bool ok = t.list && by_role(w, &t) && beside_names(w, &t) &&
		  arrange(w, &t);
	arena_drop(w->a, t.list);
	return ok;
}
