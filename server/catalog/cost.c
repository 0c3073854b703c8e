/* cost.c - W and Q of one call, by its operator's formulas. */
#include "buf.h"
#include "costs.h"
#include <string.h>

/* What a variant would have to be told; NULL where it can be worked out. */
static const char *lacks(const struct cost_variant *v, const struct shape *s)
{
	const uint32_t roots[] = { v->when, v->read, v->write, v->of_dtype,
		v->of_vector };
	const char *name = NULL;

	for (size_t i = 0; !name && i < sizeof roots / sizeof *roots; i++)
		if (roots[i])
			name = formula_lacks(&v->set, roots[i], s);
	for (enum dtype d = 0; !name && d < DTYPES; d++)
		if (v->flops[d])
			name = formula_lacks(&v->set, v->flops[d], s);
	return name;
}

/* The sizes that would have helped, each variant's first; not of one whose
 * condition itself cannot be looked at, which is for a special case. */
static bool not_told(const struct operator_cost *oc, enum convention convention,
	const struct shape *s, struct err *e)
{
	const char *seen[8];
	struct buf text;
	uint32_t n = 0;

	buf_init(&text, sizeof e->text);
	for (uint32_t i = 0; i < oc->n[convention]; i++) {
		const struct cost_variant *v = &oc->variants[convention][i];
		const char *name = lacks(v, s);
		uint32_t k = 0;
		if (v->when && formula_lacks(&v->set, v->when, s))
			continue;
		while (name && k < n && strcmp(seen[k], name) != 0)
			k++;
		if (!name || k < n)
			continue;
		buf_printf(&text, "%s'%s'", n ? " or " : "", name);
		seen[n++] = name;
	}
	if (n)
		err_set(e, ERR_INPUT,
			"the cost of '%s' needs its size %s, which is not told",
			oc->op->name, text.at);
	else
		err_set(e, ERR_INPUT,
			"the cost of '%s' is not known for these sizes",
			oc->op->name);
	buf_release(&text);
	return false;
}

/* The first whose sizes are told and whose condition holds; NULL without a
 * sentence where there is none. */
static const struct cost_variant *choose(const struct operator_cost *oc,
	enum convention convention, const struct shape *s, struct err *e)
{
	for (uint32_t i = 0; i < oc->n[convention]; i++) {
		const struct cost_variant *v = &oc->variants[convention][i];
		struct formula_values values = { 0 };
		uint64_t holds = 1;
		if (lacks(v, s))
			continue;
		if (v->when && !formula_value(&v->set, v->when, s, oc->op->name,
				       &values, &holds, e))
			return NULL;
		if (holds)
			return v;
	}
	return NULL;
}

/* Vector units have one width for what is stored in fewer bits. */
static enum dtype vector(enum dtype d)
{
	if (d == DTYPE_FP64 || d == DTYPE_COMPLEX128)
		return DTYPE_FP64;
	return dtype_counts(d) ? DTYPE_FP32 : DTYPE_UNKNOWN;
}

static bool add(const struct operator_cost *oc, const struct cost_variant *v,
	uint32_t root, enum dtype d, const struct shape *s,
	struct formula_values *values, struct cost *out, struct err *e)
{
	uint64_t w;

	if (!formula_value(&v->set, root, s, oc->op->name, values, &w, e))
		return false;
	if (d && __builtin_add_overflow(out->flops[d], w, &out->flops[d]))
		return err_set(e, ERR_TOO_LARGE,
			"a figure of the cost of '%s' passes 64 bits",
			oc->op->name);
	return true;
}

static bool work(const struct operator_cost *oc, const struct cost_variant *v,
	const struct shape *s, struct formula_values *values, struct cost *out,
	struct err *e)
{
	if ((v->of_dtype || v->of_vector) && s->dtype == DTYPE_UNKNOWN)
		return err_set(e, ERR_INPUT,
			"the cost of '%s' needs the type of its numbers, which "
			"is not told",
			oc->op->name);
	if (v->of_dtype &&
		!add(oc, v, v->of_dtype, s->dtype, s, values, out, e))
		return false;
	if (v->of_vector &&
		!add(oc, v, v->of_vector, vector(s->dtype), s, values, out, e))
		return false;
	for (enum dtype d = 0; d < DTYPES; d++)
		if (v->flops[d] &&
			!add(oc, v, v->flops[d], d, s, values, out, e))
			return false;
	return true;
}

bool catalog_cost(const struct catalog *c, const struct operator_info *op,
	const struct shape *s, enum convention convention, struct cost *out,
	struct err *e)
{
	const struct operator_cost *oc = costs_of(c->costs, op->name);
	struct formula_values values = { 0 };
	struct cost cost = { 0 };
	struct err why = { 0 };

	if (!oc)
		return err_set(e, ERR_NOT_FOUND,
			"the operator '%s' has no formula for its cost",
			op->name);
	if (!oc->n[convention])
		return err_set(e, ERR_NOT_FOUND,
			"the operator '%s' is none of the published set, whose "
			"way of counting its cost is not known",
			op->name);
	const struct cost_variant *v = choose(oc, convention, s, &why);
	if (why.code)
		return err_set(e, why.code, "%s", why.text);
	if (!v)
		return not_told(oc, convention, s, e);
	if (!work(oc, v, s, &values, &cost, e) ||
		!formula_value(&v->set, v->read, s, op->name, &values,
			&cost.read_bytes, e) ||
		!formula_value(&v->set, v->write, s, op->name, &values,
			&cost.write_bytes, e))
		return false;
	*out = cost;
	return true;
}
