/* formula_sum.c - what makes one number of a list. */
#include "formula_evaluation.h"
#include <string.h>

static const struct size *list(struct evaluation *x, uint32_t at)
{
	const struct formula_node *n = &x->f->nodes[at];
	const struct size *s = shape_size(x->s, n->name);

	if (s && s->is_list)
		return s;
	if (!s && n->b)
		return list(x, n->b);
	if (!s)
		fault_not_told(x, n->name);
	else
		err_set(x->err, ERR_INPUT,
			"the cost of '%s' needs its size '%s' as a list",
			x->who, n->name);
	return NULL;
}

bool evaluate_list(struct evaluation *x, const struct formula_node *n,
	whole *out)
{
	const struct size *s = list(x, n->a);
	whole at;

	if (!s)
		return false;
	*out = n->op == F_PROD ? 1 : n->op == F_LEN ? s->n : 0;
	if (n->op == F_AT || n->op == F_LAST) {
		at = s->n - (whole)1;
		if (n->op == F_AT && !evaluate(x, n->b, &at))
			return false;
		if (at >= s->n)
			return err_set(x->err, ERR_INPUT,
				"the cost of '%s' needs more numbers in its "
				"size '%s' than the %u there are",
				x->who, s->name, s->n);
		*out = (whole)s->values[at];
		return true;
	}
	for (uint32_t i = 0; n->op != F_LEN && i < s->n; i++) {
		whole one = (whole)s->values[i];
		if (n->op == F_LARGEST)
			*out = one > *out ? one : *out;
		else if (n->op == F_SUM
				 ? __builtin_add_overflow(*out, one, out)
				 : __builtin_mul_overflow(*out, one, out))
			return fault_too_large(x);
	}
	return true;
}

bool evaluate_sum(struct evaluation *x, const struct formula_node *n,
	whole *out)
{
	const struct size *one = list(x, n->b);
	const struct size *other = n->c ? list(x, n->c) : one;
	/* A shared name in the term may be worked out by a sum of its own. */
	const int64_t around[2] = { x->each[0], x->each[1] };
	whole term;

	if (!one || !other)
		return false;
	if (one->n != other->n)
		return err_set(x->err, ERR_INPUT,
			"sizes '%s' and '%s' of '%s' are lists of %u and %u "
			"numbers",
			one->name, other->name, x->who, one->n, other->n);
	*out = 0;
	for (uint32_t i = 0; i < one->n; i++) {
		x->each[0] = one->values[i];
		x->each[1] = other->values[i];
		if (!evaluate(x, n->a, &term))
			return false;
		if (__builtin_add_overflow(*out, term, out))
			return fault_too_large(x);
	}
	memcpy(x->each, around, sizeof around);
	return true;
}
