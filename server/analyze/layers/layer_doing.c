/* layer_doing.c - what a place is in its section's sequence. */
#include "layer_doing.h"
#include <string.h>

static const layer_roles norms = ROLE_BIT(INPUT_NORM) | ROLE_BIT(POST_NORM) |
				 ROLE_BIT(QK_NORM) | ROLE_BIT(FINAL_NORM);

/* What a name tells of one launch goes before the operator of the call that made
 * it: experts' call makes their activation, too. */
static bool name_first(enum layer_act name, enum layer_act op)
{
	switch (name) {
	case ACT_PRODUCT:
	case ACT_EXPERTS:
	case ACT_SOFTMAX:
	case ACT_NORM:
	case ACT_SORT:
	case ACT_EMBEDDING:
	case ACT_CONVOLUTION:
		return op == ACT_GLUE;
	default:
		return name != ACT_GLUE && (name < ACT_ADD || op == ACT_GLUE);
	}
}

static void take(struct doing *d, const struct layer_word *w)
{
	d->act = w->act;
	d->roles = w->roles;
	d->also = w->also;
	d->block = w->block;
}

static void look_up(const struct layer_seq *s, const struct profile_kernel *k,
	struct kernel_words *w)
{
	const struct operator_info *op =
		k->operator? catalog_operator(s->catalog, k->operator) : NULL;

	w->known = true;
	w->moves = op && strcmp(op->group, "memory") == 0;
	w->reduces = op && strcmp(op->name, "reduce") == 0;
	w->by_operator = catalog_operator_word(s->catalog,
		k->operator, & w->operator_word);
	w->by_name = catalog_kernel_word(s->catalog, k->name, strlen(k->name),
		&w->name_word);
}

static void named(const struct kernel_words *w, struct doing *d)
{
	enum layer_act act = w->name_word.act;

	d->moves |= w->moves;
	d->reduces |= w->reduces;
	if (w->by_operator && name_first(w->operator_word.act, d->act))
		take(d, &w->operator_word);
	if (!w->by_name ||
		!(name_first(act, d->act) ||
			/* … with the norm that follows. */
			(act == ACT_NORM && d->act == ACT_COLLECTIVE)))
		return;
	take(d, &w->name_word);
	/* One half of each row times the other is whole in itself. */
	d->step = act >= ACT_ADD || act == ACT_ACTIVATION;
}

struct doing doing_from(const struct layer_seq *s, struct kernel_words *words,
	const struct layer_place *p, const struct operator_info *operator,
	uint32_t instances)
{
	struct doing d = {
		.block = BLOCKS,
		.told = p->roles,
		.told_block = p->block,
		.operator= operator,
		.lane = p->lane,
		.instances = p->instances,
		.common = 2 * (uint64_t)p->instances >= instances,
	};
	struct layer_word w;

	if (operator&& catalog_operator_word(s->catalog, operator->name, &w))
		take(&d, &w);
	d.moves = operator&& strcmp(operator->group, "memory") == 0;
	d.reduces = operator&& strcmp(operator->name, "reduce") == 0;
	if (p->symbol < s->profile->kernels_n) {
		struct kernel_words *k = &words[p->symbol];
		if (!k->known)
			look_up(s, &s->profile->kernels[p->symbol], k);
		named(k, &d);
	} else
		/* A copy, a fill or a graph: no kernel. */
		d.moves = true;
	if (doing_soft(&d) && d.told & norms)
		d.act = ACT_NORM;
	return d;
}
