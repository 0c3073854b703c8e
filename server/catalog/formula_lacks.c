/* formula_lacks.c - what a shape would have to tell. */
#include "formula_node.h"

/* Shared names are looked at once, or a few lines could take for ever. */
struct search {
	const struct formula_set *f;
	const struct shape *s;
	bool done[FORMULA_SHARED];
	const char *lacks[FORMULA_SHARED];
};

static const char *lacks(struct search *x, uint32_t at)
{
	const struct formula_node *n = &x->f->nodes[at];
	const uint32_t below[] = { n->a, n->b, n->c };
	const char *name = NULL;

	switch (n->op) {
	case F_SIZE:
		return shape_size(x->s, n->name) ? NULL : n->name;
	case F_LIST:
		if (shape_size(x->s, n->name))
			return NULL;
		return n->b ? lacks(x, n->b) : n->name;
	case F_SHARED:
		if (!x->done[n->number])
			x->lacks[n->number] = lacks(x, x->f->roots[n->number]);
		x->done[n->number] = true;
		return x->lacks[n->number];
	case F_OR_ELSE:
		return lacks(x, n->a) ? lacks(x, n->b) : NULL;
	default:
		break;
	}
	for (size_t i = 0; !name && i < sizeof below / sizeof *below; i++)
		if (below[i])
			name = lacks(x, below[i]);
	return name;
}

const char *formula_lacks(const struct formula_set *f, uint32_t root,
	const struct shape *s)
{
	struct search x = { .f = f, .s = s };

	return lacks(&x, root);
}
