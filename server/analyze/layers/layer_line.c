/* layer_line.c - chooses a device's main stream and lists its launches. */
#include "layer_line.h"
#include <string.h>

/* Finds the stream on which most launches repeat. */

struct acts {
	const struct layer_seq *s;
	uint8_t *by_name; /* by symbol; ACTS: the name is unknown */
	const struct operator_info **
		op; /* by symbol: operator of its last launch; by_op: its act */
	uint8_t *by_op;
};

static enum layer_act layer_line_name_act(const struct layer_seq *s,
	uint32_t symbol)
{
	struct layer_word word = { .act = ACT_GLUE };

	if (!s->catalog || !s->profile || symbol >= s->profile->kernels_n)
		return ACTS;
	const char *name = s->profile->kernels[symbol].name;
	if (!catalog_kernel_word(s->catalog, name, strlen(name), &word) ||
		word.act == ACT_GLUE)
		return ACTS;
	return word.act;
}

static enum layer_act layer_line_op_act(const struct layer_seq *s,
	const char *name)
{
	struct layer_word word = { .act = ACT_GLUE };

	if (!s->catalog || !catalog_operator_word(s->catalog, name, &word))
		return ACT_GLUE;
	return word.act;
}

static bool layer_line_acts_init(struct acts *t, const struct layer_seq *s,
	struct arena *a)
{
	uint32_t n = s->symbols + 1;

	*t = (struct acts){ .s = s,
		.by_name = arena_array(a, uint8_t, n),
		.op = arena_array(a, const struct operator_info *, n),
		.by_op = arena_array(a, uint8_t, n) };
	if (!t->by_name || !t->op || !t->by_op)
		return false;
	for (uint32_t i = 0; i < s->symbols; i++)
		t->by_name[i] = (uint8_t)layer_line_name_act(s, i);
	return true;
}

/* Returns the act of a launch. If its operator is a norm, the act is a norm,
 * whatever the kernel's name is. Otherwise the name is used before the
 * operator. */
static enum layer_act layer_line_act_of(struct acts *t,
	const struct layer_item *i)
{
	const struct operator_info *op = i->is ? i->is->op : NULL;
	enum layer_act name = t->by_name[i->symbol];

	if (op && op != t->op[i->symbol]) {
		t->op[i->symbol] = op;
		t->by_op[i->symbol] =
			(uint8_t)layer_line_op_act(t->s, op->name);
	}
	enum layer_act by_op = op ? t->by_op[i->symbol] : ACT_GLUE;
	if (by_op == ACT_NORM && name != ACT_COLLECTIVE)
		return ACT_NORM;
	return name != ACTS ? name : by_op;
}

/* Sorts items by lane into *order; *from is, by lane, where its items begin. */
static bool layer_line_by_lane(const struct layer_seq *s, uint32_t **order,
	uint32_t **from, struct arena *a)
{
	*order = arena_array(a, uint32_t, s->n + 1);
	*from = arena_array(a, uint32_t, s->lanes + 2);
	if (!*order || !*from)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		(*from)[s->items[i].lane + 2]++;
	for (uint32_t i = 2; i < s->lanes + 2; i++)
		(*from)[i] += (*from)[i - 1];
	for (uint32_t i = 0; i < s->n; i++)
		(*order)[(*from)[s->items[i].lane + 1]++] = i;
	return true;
}

static bool layer_line_computes(struct acts *t, const struct layer_item *i)
{
	return i->kind != LAYER_COPY && i->pass != LAYER_NONE &&
	       layer_line_act_of(t, i) != ACT_COLLECTIVE;
}

/* Counts launches whose name occurs more than once per pass on average. */
static uint32_t layer_line_weight(struct acts *t, const uint32_t *order,
	struct slice r, uint32_t *count)
{
	const struct layer_item *items = t->s->items;
	uint32_t sum = 0;

	for (uint32_t i = r.from; i < r.to; i++)
		count[items[order[i]].symbol] +=
			layer_line_computes(t, &items[order[i]]);
	for (uint32_t i = r.from; i < r.to; i++) {
		uint32_t n = count[items[order[i]].symbol];
		count[items[order[i]].symbol] = 0;
		sum += n > t->s->passes_n ? n : 0;
	}
	return sum;
}

static bool layer_line_choose(struct layer_line *l, struct acts *t,
	struct arena *a)
{
	uint32_t *count = arena_array(a, uint32_t, t->s->symbols + 1);
	uint32_t *order, *from, most = 0;

	if (!count || !layer_line_by_lane(t->s, &order, &from, a))
		return false;
	for (uint32_t lane = 0; lane < t->s->lanes; lane++) {
		struct slice r = { from[lane], from[lane + 1] };
		uint32_t w = layer_line_weight(t, order, r, count);
		if (w > most) {
			most = w;
			l->lane = lane;
		}
	}
	return true;
}

static bool layer_line_counts(const struct layer_line *l,
	const struct layer_item *i)
{
	return i->lane == l->lane && i->pass != LAYER_NONE;
}

bool layer_line_from(struct layer_line *l, const struct layer_seq *s,
	struct arena *a)
{
	struct acts t;

	*l = (struct layer_line){ .s = s };
	if (!layer_line_acts_init(&t, s, a) || !layer_line_choose(l, &t, a))
		return false;
	l->pass = arena_array(a, struct slice, s->passes_n + 1);
	for (uint32_t i = 0; l->pass && i < s->n; i++)
		if (layer_line_counts(l, &s->items[i])) {
			l->pass[s->items[i].pass].to++;
			l->n++;
		}
	l->item = arena_array(a, uint32_t, l->n + 1);
	l->symbol = arena_array(a, uint32_t, l->n + 1);
	l->act = arena_array(a, uint8_t, l->n + 1);
	if (!l->pass || !l->item || !l->symbol || !l->act)
		return false;
	for (uint32_t p = 0, at = 0; p < s->passes_n; p++) {
		uint32_t n = l->pass[p].to;
		l->pass[p] = (struct slice){ at, at };
		at += n;
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (layer_line_counts(l, &s->items[i])) {
			uint32_t at = l->pass[s->items[i].pass].to++;
			l->item[at] = i;
			l->symbol[at] = s->items[i].symbol;
			l->act[at] =
				(uint8_t)layer_line_act_of(&t, &s->items[i]);
		}
	return true;
}
