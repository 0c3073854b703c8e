/* formula_value.c - the number that a formula amounts to. */
#include "formula_evaluation.h"
#include <assert.h>
#include <math.h>

static bool number(struct evaluation *x, const char *name, whole *out)
{
	const struct size *s = shape_size(x->s, name);

	if (!s)
		return fault_not_told(x, name);
	if (s->is_list)
		return err_set(x->err, ERR_INPUT,
			"the cost of '%s' needs its size '%s' as one number",
			x->who, name);
	assert(s->values[0] >= 0);
	*out = (whole)s->values[0];
	return true;
}

static bool shared(struct evaluation *x, uint64_t which, whole *out)
{
	if (!x->v->done[which] &&
		!evaluate(x, x->f->roots[which], &x->v->value[which]))
		return false;
	x->v->done[which] = true;
	*out = x->v->value[which];
	return true;
}

static bool bytes(struct evaluation *x, whole n, whole *out)
{
	whole bits = (whole)dtype_bits(x->s->dtype);

	if (bits == 0)
		return err_set(x->err, ERR_INPUT,
			"the cost of '%s' needs the type of its numbers, which "
			"is not told",
			x->who);
	if (__builtin_mul_overflow(n, bits, out))
		return fault_too_large(x);
	*out = *out / 8 + (*out % 8 != 0);
	return true;
}

/* A query at the end of the keys sees them all, the one before it one less;
 * where queries are more, the first see none. */
static bool causal(struct evaluation *x, whole q, whole k, whole *out)
{
	whole n = q < k ? q : k, all, less;

	if (__builtin_mul_overflow(n, k, &all) ||
		__builtin_mul_overflow(n, n - (n > 0), &less))
		return fault_too_large(x);
	*out = all - less / 2;
	return true;
}

/* Of t tokens that draw k of e experts each, all alike likely. */
static bool experts(struct evaluation *x, enum formula_op op, const whole v[3],
	whole *out)
{
	double e = (double)v[0], k = (double)v[1], t = (double)v[2];
	whole draws;

	if (v[0] == 0 || v[1] > v[0])
		return fault(x, "a token goes to more experts than there are");
	if (__builtin_mul_overflow(v[1], v[2], &draws) || draws > INT64_MAX)
		return fault_too_large(x);
	*out = 0;
	if (op == F_DISTINCT_EXPERTS) {
		/* No draw of one expert: -inf * 0 has no value. */
		if (v[1] == 0)
			return true;
		*out = (whole)llround(t * e * -expm1(k * log1p(-1 / e)));
		return true;
	}
	/* Rounding must not make one more of a whole number. */
	double reached = v[0] == v[1] ? e : e * -expm1(t * log1p(-k / e));
	*out = (whole)ceil(reached * (1 - 1e-12));
	*out = *out < v[0] ? *out : v[0];
	*out = *out < draws ? *out : draws;
	return true;
}

static bool divide(struct evaluation *x, enum formula_op op, whole a, whole b,
	whole *out)
{
	if (b == 0)
		return fault(x, "something is divided by nothing");
	if (op == F_DIV && a % b != 0)
		return fault(x, "a division leaves something over");
	*out = a / b + (op == F_CEIL_DIV && a % b != 0);
	return true;
}

static bool combine(struct evaluation *x, enum formula_op op, const whole v[3],
	whole *out)
{
	whole a = v[0], b = v[1];

	switch (op) {
	case F_ADD:
		return !__builtin_add_overflow(a, b, out) || fault_too_large(x);
	case F_MUL:
		return !__builtin_mul_overflow(a, b, out) || fault_too_large(x);
	case F_SUB:
		*out = a - b;
		return a >= b || fault(x, "a figure goes below nothing");
	case F_MIN:
		*out = a < b ? a : b;
		return true;
	case F_MAX:
		*out = a > b ? a : b;
		return true;
	case F_LESS:
		*out = a < b;
		return true;
	case F_LESS_EQUAL:
		*out = a <= b;
		return true;
	case F_EQUAL:
		*out = a == b;
		return true;
	case F_NOT_EQUAL:
		*out = a != b;
		return true;
	case F_BYTES:
		return bytes(x, a, out);
	case F_CAUSAL_PAIRS:
		return causal(x, a, b, out);
	case F_ACTIVE_EXPERTS:
	case F_DISTINCT_EXPERTS:
		return experts(x, op, v, out);
	default:
		return divide(x, op, a, b, out);
	}
}

bool evaluate(struct evaluation *x, uint32_t at, whole *out)
{
	const struct formula_node *n = &x->f->nodes[at];
	const uint32_t below[] = { n->a, n->b, n->c };
	whole v[3] = { 0 };

	switch (n->op) {
	case F_NUMBER:
		*out = n->number;
		return true;
	case F_SIZE:
		return number(x, n->name, out);
	case F_EACH:
		*out = (whole)x->each[n->number];
		return true;
	case F_SHARED:
		return shared(x, n->number, out);
	case F_AT:
	case F_LAST:
	case F_LEN:
	case F_SUM:
	case F_PROD:
	case F_LARGEST:
		return evaluate_list(x, n, out);
	case F_SUM_EACH:
		return evaluate_sum(x, n, out);
	case F_OR_ELSE:
		at = formula_lacks(x->f, n->a, x->s) ? n->b : n->a;
		return evaluate(x, at, out);
	case F_IF:
		if (!evaluate(x, n->a, &v[0]))
			return false;
		return evaluate(x, v[0] ? n->b : n->c, out);
	default:
		break;
	}
	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		if (below[i] && !evaluate(x, below[i], &v[i]))
			return false;
	return combine(x, n->op, v, out);
}

bool formula_value(const struct formula_set *f, uint32_t root,
	const struct shape *s, const char *who, struct formula_values *v,
	uint64_t *out, struct err *e)
{
	struct evaluation x = { .f = f, .s = s, .who = who, .v = v, .err = e };
	whole n = 0;

	if (!evaluate(&x, root, &n))
		return false;
	if (n > UINT64_MAX)
		return fault_too_large(&x);
	*out = (uint64_t)n;
	return true;
}
