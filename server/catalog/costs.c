/* costs.c - reads the cost formulas of operators and computes W and Q of one
 * operator call. */
#include "inside.h"
#include "buf.h"
#include "formula.h"
#include "nearest.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One variant of an operator's formulas. It applies if the sizes that it
 * requires are known and the condition `when` is true. */
struct cost_variant {
	struct formula_set set;
	uint32_t when; /* roots; 0 none */
	uint32_t read, write;
	uint32_t flops[DTYPES];
	/* operations in the shape's type, or in the type that vector units use
	 * for the shape's type */
	uint32_t of_dtype, of_vector;
};

struct operator_cost {
	const struct operator_info *op;
	struct cost_variant *variants[2]; /* by convention */
	uint32_t n[2];
};

enum { VARIANTS = 8 };

struct costs {
	struct arena arena;
	struct entries carried;
	struct operator_cost *rows; /* by name */
	uint32_t n;
};

/* The position of a formula: an entry of a document and the keys below it. */
struct cost_place {
	struct costs *c;
	const struct entries *d;
	size_t i;
	const struct operator_info *op;
	const char *convention;
	struct err *err;
};

static bool costs_fail(const struct cost_place *p, const char *what)
{
	return entries_fail(p->d, p->i, p->err, "in '%s' %s", p->convention,
		what);
}

/* Reads one formula. If it is absent, that is an error if `must` is set; else
 * *root is 0. */
static bool costs_formula(const struct cost_place *p, struct formula_set *f,
	const json_t *v, const char *key, bool must, uint32_t *root)
{
	struct err why = { 0 };
	char where[64];

	*root = 0;
	if (!v && !must)
		return true;
	if (!json_is_string(v))
		return entries_fail(p->d, p->i, p->err,
			"in '%s' '%s' is no text", p->convention, key);
	snprintf(where, sizeof where, "%.20s.%.30s", p->convention, key);
	return formula_read(f, json_string_value(v), where, root, &why) ||
	       entries_fail(p->d, p->i, p->err, "%s", why.text);
}

static bool costs_shared(const struct cost_place *p, struct formula_set *f,
	const json_t *list)
{
	if (list && !json_is_array(list))
		return costs_fail(p, "'let' is no list of texts");
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct err why = { 0 };
		const char *text = json_string_value(json_array_get(list, i));
		if (!text)
			return costs_fail(p, "'let' is no list of texts");
		if (!formula_share(f, text, "let", &why))
			return entries_fail(p->d, p->i, p->err, "%s", why.text);
	}
	return true;
}

static bool costs_flops(const struct cost_place *p, struct cost_variant *v,
	json_t *map)
{
	if (map && !json_is_object(map))
		return costs_fail(p,
			"'flops' is no object of types and formulas");
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *key = json_object_iter_key(k);
		enum dtype d = dtype_from(key, strlen(key));
		uint32_t *root = strcmp(key, "dtype") == 0    ? &v->of_dtype
				 : strcmp(key, "vector") == 0 ? &v->of_vector
							      : &v->flops[d];
		if (root == &v->flops[DTYPE_UNKNOWN])
			return entries_fail(p->d, p->i, p->err,
				"in '%s' the type '%.30s' is unknown",
				p->convention, key);
		if (root == &v->flops[d] && !dtype_counts(d))
			return entries_fail(p->d, p->i, p->err,
				"in '%s' '%.30s' does no arithmetic: it only "
				"moves bytes",
				p->convention, key);
		if (*root)
			return entries_fail(p->d, p->i, p->err,
				"in '%s' two formulas are of the type %s",
				p->convention, dtype_word(d));
		if (!costs_formula(p, &v->set, json_object_iter_value(k), key,
			    true, root))
			return false;
	}
	return true;
}

static bool costs_known_keys(const struct cost_place *p, json_t *entry)
{
	static const char *const keys[] = { "when", "let", "flops", "read",
		"write" };
	size_t known = 0;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		known += json_object_get(entry, keys[i]) != NULL;
	return (json_is_object(entry) && json_object_size(entry) == known) ||
	       costs_fail(p,
		       "there is more than when, let, flops, read, write");
}

static bool costs_variant(const struct cost_place *p, json_t *entry,
	struct cost_variant *v)
{
	formula_init(&v->set, &p->c->arena, p->op->sizes, p->op->sizes_n);
	return costs_known_keys(p, entry) &&
	       costs_shared(p, &v->set, json_object_get(entry, "let")) &&
	       costs_formula(p, &v->set, json_object_get(entry, "when"), "when",
		       false, &v->when) &&
	       costs_flops(p, v, json_object_get(entry, "flops")) &&
	       costs_formula(p, &v->set, json_object_get(entry, "read"), "read",
		       true, &v->read) &&
	       costs_formula(p, &v->set, json_object_get(entry, "write"),
		       "write", true, &v->write);
}

/* Reads an entry, or a list of entries. */
static bool costs_variants(const struct cost_place *p, json_t *v,
	struct cost_variant **at, uint32_t *n)
{
	size_t many = json_is_array(v) ? json_array_size(v) : 1;

	if (many == 0 || many > VARIANTS)
		return costs_fail(p, "there are no entries, or more than 8");
	*at = arena_array(&p->c->arena, struct cost_variant, many);
	*n = (uint32_t)many;
	for (size_t i = 0; i < many; i++)
		if (!costs_variant(p,
			    json_is_array(v) ? json_array_get(v, i) : v,
			    &(*at)[i]))
			return false;
	return true;
}

static const char *const costs_conventions[] = {
	[CONVENTION_PHYSICAL] = "physical",
	[CONVENTION_CATALOG] = "catalog",
};
enum {
	COSTS_CONVENTIONS = sizeof costs_conventions / sizeof *costs_conventions
};

static bool costs_row(struct cost_place p, const json_t *cost,
	struct operator_cost *out)
{
	*out = (struct operator_cost){ .op = p.op };
	for (size_t k = 0; k < COSTS_CONVENTIONS; k++) {
		json_t *v = json_object_get(cost, costs_conventions[k]);
		p.convention = costs_conventions[k];
		if (v && !costs_variants(&p, v, &out->variants[k], &out->n[k]))
			return false;
	}
	return out->n[CONVENTION_PHYSICAL] ||
	       entries_fail(p.d, p.i, p.err, "it has no 'physical' cost");
}

/* Fails unless the key of entry i's 'cost' names a convention. */
static bool costs_key_check(const struct entries *d, size_t i, const char *key,
	struct err *e)
{
	struct nearest n = nearest_to(key, strlen(key));

	for (size_t k = 0; k < COSTS_CONVENTIONS; k++) {
		const char *name = costs_conventions[k];
		if (strcmp(key, name) == 0)
			return true;
		nearest_offer(&n, name, strlen(name));
	}
	if (n.name)
		return entries_fail(d, i, e,
			"'cost' has no key '%.40s'; did you mean '%s'?", key,
			n.name);
	return entries_fail(d, i, e,
		"'cost' has no key '%.40s'; use 'physical' or 'catalog'", key);
}

bool catalog_edit_check(const char *operators, struct err *e)
{
	struct entries d = { .entry = "operator", .called = "name" };
	bool ok = entries_own(&d, operators, e);

	for (size_t i = 0; ok && i < entries_n(&d); i++) {
		json_t *cost = json_object_get(entries_at(&d, i), "cost");
		void *at = json_object_iter(cost);
		for (; ok && at; at = json_object_iter_next(cost, at))
			ok = costs_key_check(&d, i, json_object_iter_key(at),
				e);
	}
	entries_release(&d);
	return ok;
}

static int costs_by_name(const void *a, const void *b)
{
	const struct operator_cost *x = a, *y = b;
	return strcmp(x->op->name, y->op->name);
}

static bool costs_own_read(struct costs *c, const struct catalog *catalog,
	struct err *e)
{
	const struct entries *d = &catalog->operators[OWN];

	for (size_t i = 0; i < entries_n(d); i++) {
		const json_t *item = entries_at(d, i);
		const json_t *cost = json_object_get(item, "cost");
		struct cost_place p = { .c = c, .d = d, .i = i, .err = e };
		if (!cost || json_is_null(cost))
			continue;
		if (!json_is_object(cost))
			return entries_fail(d, i, e, "'cost' is no object");
		p.op = catalog_operator(catalog,
			json_string_value(json_object_get(item, "name")));
		if (!costs_row(p, cost, &c->rows[c->n++]))
			return false;
	}
	return true;
}

/* Reads the carried formulas of operators without formulas of the installation.
 * An own operator without formulas uses the carried ones of its name, if it has
 * the sizes that they require. */
static bool costs_carried_read(struct costs *c, const struct catalog *catalog,
	struct err *e)
{
	uint32_t own = c->n;

	for (size_t i = 0; i < entries_n(&c->carried); i++) {
		const json_t *item = entries_at(&c->carried, i);
		struct err why = { 0 };
		struct cost_place p = { .c = c,
			.d = &c->carried,
			.i = i,
			.err = &why };
		const char *name;
		bool taken = false;
		if (!entries_text(&c->carried, i, "name", true, &name, e))
			return false;
		p.op = catalog_operator(catalog, name);
		for (uint32_t k = 0; p.op && k < own; k++)
			taken |= c->rows[k].op == p.op;
		if (taken)
			continue;
		if (p.op && costs_row(p, item, &c->rows[c->n])) {
			c->n++;
			continue;
		}
		if (!p.op)
			return entries_fail(&c->carried, i, e,
				"the operator is unknown");
		if (!p.op->own)
			return err_set(e, why.code, "%s", why.text);
	}
	return true;
}

struct costs *costs_new(const struct catalog *catalog, struct err *e)
{
	struct costs *c = calloc(1, sizeof *c);

	if (!c)
		abort();
	c->carried.entry = "cost";
	c->carried.called = "name";
	if (!entries_carried(&c->carried, "costs.json", "costs", e))
		goto failed;
	c->rows = arena_array(&c->arena, struct operator_cost,
		entries_n(&c->carried) + entries_n(&catalog->operators[OWN]) +
			1);
	if (!costs_own_read(c, catalog, e) ||
		!costs_carried_read(c, catalog, e))
		goto failed;
	qsort(c->rows, c->n, sizeof *c->rows, costs_by_name);
	return c;
failed:
	costs_free(c);
	return NULL;
}

void costs_free(struct costs *c)
{
	if (!c)
		return;
	entries_release(&c->carried);
	arena_release(&c->arena);
	free(c);
}

/* NULL if there are no formulas. */
static const struct operator_cost *costs_of(const struct costs *c,
	const char *op)
{
	const struct operator_info info = { .name = op };
	const struct operator_cost key = { .op = &info };

	return c->n ? bsearch(&key, c->rows, c->n, sizeof *c->rows,
			      costs_by_name)
		    : NULL;
}

/* The size that a variant lacks; NULL if its cost can be computed. */
static const char *costs_lacks(const struct cost_variant *v,
	const struct shape *s)
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

/* Sets *e to the sizes that are missing: the first one of each variant.
 * Variants whose condition cannot be computed are skipped, because they are for
 * special cases. */
static bool costs_missing_size(const struct operator_cost *oc,
	enum convention convention, const struct shape *s, struct err *e)
{
	const char *seen[8];
	struct buf text;
	uint32_t n = 0;

	buf_init(&text, sizeof e->text);
	for (uint32_t i = 0; i < oc->n[convention]; i++) {
		const struct cost_variant *v = &oc->variants[convention][i];
		const char *name = costs_lacks(v, s);
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
			"the cost of '%s' needs its size %s, which is unknown",
			oc->op->name, text.at);
	else
		err_set(e, ERR_INPUT,
			"the cost of '%s' is unknown for these sizes",
			oc->op->name);
	buf_release(&text);
	return false;
}

/* The first variant whose sizes are known and whose condition is true. NULL,
 * without an error text, if there is none. */
static const struct cost_variant *costs_choose(const struct operator_cost *oc,
	enum convention convention, const struct shape *s, struct err *e)
{
	for (uint32_t i = 0; i < oc->n[convention]; i++) {
		const struct cost_variant *v = &oc->variants[convention][i];
		struct formula_values values = { 0 };
		uint64_t holds = 1;
		if (costs_lacks(v, s))
			continue;
		if (v->when && !formula_value(&v->set, v->when, s, oc->op->name,
				       &values, &holds, e))
			return NULL;
		if (holds)
			return v;
	}
	return NULL;
}

/* The type in which vector units compute: fp64 for fp64, fp32 for all other
 * types for which a platform may have a peak. */
static enum dtype costs_vector(enum dtype d)
{
	if (d == DTYPE_FP64 || d == DTYPE_COMPLEX128)
		return DTYPE_FP64;
	return dtype_counts(d) ? DTYPE_FP32 : DTYPE_UNKNOWN;
}

static bool costs_add(const struct operator_cost *oc,
	const struct cost_variant *v, uint32_t root, enum dtype d,
	const struct shape *s, struct formula_values *values, struct cost *out,
	struct err *e)
{
	uint64_t w;

	if (!formula_value(&v->set, root, s, oc->op->name, values, &w, e))
		return false;
	if (d && __builtin_add_overflow(out->flops[d], w, &out->flops[d]))
		return err_set(e, ERR_TOO_LARGE,
			"a figure of the cost of '%s' exceeds 64 bits",
			oc->op->name);
	return true;
}

static bool costs_work(const struct operator_cost *oc,
	const struct cost_variant *v, const struct shape *s,
	struct formula_values *values, struct cost *out, struct err *e)
{
	if ((v->of_dtype || v->of_vector) && s->dtype == DTYPE_UNKNOWN)
		return err_set(e, ERR_INPUT,
			"the cost of '%s' needs its dtype, which is unknown",
			oc->op->name);
	if (v->of_dtype &&
		!costs_add(oc, v, v->of_dtype, s->dtype, s, values, out, e))
		return false;
	if (v->of_vector && !costs_add(oc, v, v->of_vector,
				    costs_vector(s->dtype), s, values, out, e))
		return false;
	for (enum dtype d = 0; d < DTYPES; d++)
		if (v->flops[d] &&
			!costs_add(oc, v, v->flops[d], d, s, values, out, e))
			return false;
	return true;
}

/* A collective is bound by the links between devices, not by the memory of one.
 * Its cost (cost.h) follows from its kind and its group, which no formula over
 * sizes has. */
static bool costs_collective(const struct shape *s, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "%s",
		shape_size(s, "bytes")
			? "its kind, its process group or the nodes of its "
			  "ranks are unknown"
		: shape_size(s, "elements")
			? "its bytes are unknown: no operator states the "
			  "type of its elements"
			: "its bytes are unknown");
}

bool catalog_cost(const struct catalog *c, const struct operator_info *op,
	const struct shape *s, enum convention convention, struct cost *out,
	struct err *e)
{
	const struct operator_cost *oc = costs_of(c->costs, op->name);
	struct formula_values values = { 0 };
	struct cost cost = { 0 };
	struct err why = { 0 };

	if (op->collective)
		return costs_collective(s, e);
	if (!oc)
		return err_set(e, ERR_NOT_FOUND,
			"the operator '%s' has no formula for its cost",
			op->name);
	if (!oc->n[convention])
		return err_set(e, ERR_NOT_FOUND,
			"the operator '%s' is not in the published set, so "
			"its cost by that convention is unknown",
			op->name);
	const struct cost_variant *v = costs_choose(oc, convention, s, &why);
	if (why.code)
		return err_set(e, why.code, "%s", why.text);
	if (!v)
		return costs_missing_size(oc, convention, s, e);
	if (!costs_work(oc, v, s, &values, &cost, e) ||
		!formula_value(&v->set, v->read, s, op->name, &values,
			&cost.read_bytes, e) ||
		!formula_value(&v->set, v->write, s, op->name, &values,
			&cost.write_bytes, e))
		return false;
	*out = cost;
	return true;
}
