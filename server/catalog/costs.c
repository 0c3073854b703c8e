/* costs.c - formulas from data: those the program carries, and those that own
 * operators bring. */
#include "costs.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANTS = 8 };

struct costs {
	struct arena arena;
	struct entries carried;
	struct operator_cost *rows; /* by name */
	uint32_t n;
};

/* Where a formula stands: an entry of a document and the keys below it. */
struct place {
	struct costs *c;
	const struct entries *d;
	size_t i;
	const struct operator_info *op;
	const char *convention;
	struct err *err;
};

static bool fail(const struct place *p, const char *what)
{
	return entries_fail(p->d, p->i, p->err, "in '%s' %s", p->convention,
		what);
}

/* One formula; `must` be there or *root is 0. */
static bool formula(const struct place *p, struct formula_set *f,
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

static bool shared(const struct place *p, struct formula_set *f,
	const json_t *list)
{
	if (list && !json_is_array(list))
		return fail(p, "'let' is no list of texts");
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct err why = { 0 };
		const char *text = json_string_value(json_array_get(list, i));
		if (!text)
			return fail(p, "'let' is no list of texts");
		if (!formula_share(f, text, "let", &why))
			return entries_fail(p->d, p->i, p->err, "%s", why.text);
	}
	return true;
}

static bool flops(const struct place *p, struct cost_variant *v, json_t *map)
{
	if (map && !json_is_object(map))
		return fail(p, "'flops' is no object of types and formulas");
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *key = json_object_iter_key(k);
		enum dtype d = dtype_from(key, strlen(key));
		uint32_t *root = strcmp(key, "dtype") == 0    ? &v->of_dtype
				 : strcmp(key, "vector") == 0 ? &v->of_vector
							      : &v->flops[d];
		if (root == &v->flops[DTYPE_UNKNOWN])
			return entries_fail(p->d, p->i, p->err,
				"in '%s' nobody knows the type '%.30s'",
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
		if (!formula(p, &v->set, json_object_iter_value(k), key, true,
			    root))
			return false;
	}
	return true;
}

static bool known_keys(const struct place *p, json_t *entry)
{
	static const char *const keys[] = { "when", "let", "flops", "read",
		"write" };
	size_t known = 0;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		known += json_object_get(entry, keys[i]) != NULL;
	return (json_is_object(entry) && json_object_size(entry) == known) ||
	       fail(p, "there is more than when, let, flops, read, write");
}

static bool variant(const struct place *p, json_t *entry,
	struct cost_variant *v)
{
	formula_init(&v->set, &p->c->arena, p->op->sizes, p->op->sizes_n);
	return known_keys(p, entry) &&
	       shared(p, &v->set, json_object_get(entry, "let")) &&
	       formula(p, &v->set, json_object_get(entry, "when"), "when",
		       false, &v->when) &&
	       flops(p, v, json_object_get(entry, "flops")) &&
	       formula(p, &v->set, json_object_get(entry, "read"), "read", true,
		       &v->read) &&
	       formula(p, &v->set, json_object_get(entry, "write"), "write",
		       true, &v->write);
}

/* An entry, or a list of them. */
static bool variants(const struct place *p, json_t *v, struct cost_variant **at,
	uint32_t *n)
{
	size_t many = json_is_array(v) ? json_array_size(v) : 1;

	if (many == 0 || many > VARIANTS)
		return fail(p, "there are no entries, or more than 8");
	*at = arena_array(&p->c->arena, struct cost_variant, many);
	*n = (uint32_t)many;
	for (size_t i = 0; i < many; i++)
		if (!variant(p, json_is_array(v) ? json_array_get(v, i) : v,
			    &(*at)[i]))
			return false;
	return true;
}

static bool row(struct place p, const json_t *cost, struct operator_cost *out)
{
	static const char *const names[] = { [CONVENTION_PHYSICAL] = "physical",
		[CONVENTION_CATALOGUE] = "catalogue" };

	*out = (struct operator_cost){ .op = p.op };
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		json_t *v = json_object_get(cost, names[k]);
		p.convention = names[k];
		if (v && !variants(&p, v, &out->variants[k], &out->n[k]))
			return false;
	}
	return out->n[CONVENTION_PHYSICAL] ||
	       entries_fail(p.d, p.i, p.err, "it has no 'physical' cost");
}

static int by_name(const void *a, const void *b)
{
	const struct operator_cost *x = a, *y = b;
	return strcmp(x->op->name, y->op->name);
}

static bool own_read(struct costs *c, const struct catalog *catalog,
	struct err *e)
{
	const struct entries *d = &catalog->operators[OWN];

	for (size_t i = 0; i < entries_n(d); i++) {
		const json_t *item = entries_at(d, i);
		const json_t *cost = json_object_get(item, "cost");
		struct place p = { .c = c, .d = d, .i = i, .err = e };
		if (!cost || json_is_null(cost))
			continue;
		if (!json_is_object(cost))
			return entries_fail(d, i, e, "'cost' is no object");
		p.op = catalog_operator(catalog,
			json_string_value(json_object_get(item, "name")));
		if (!row(p, cost, &c->rows[c->n++]))
			return false;
	}
	return true;
}

/* An own operator's formulas come before the carried ones of that name; where
 * it has none, those serve it as long as they ask for sizes it has. */
static bool carried_read(struct costs *c, const struct catalog *catalog,
	struct err *e)
{
	uint32_t own = c->n;

	for (size_t i = 0; i < entries_n(&c->carried); i++) {
		const json_t *item = entries_at(&c->carried, i);
		struct err why = { 0 };
		struct place p = { .c = c,
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
		if (p.op && row(p, item, &c->rows[c->n])) {
			c->n++;
			continue;
		}
		if (!p.op)
			return entries_fail(&c->carried, i, e,
				"nobody knows that operator");
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
	if (!own_read(c, catalog, e) || !carried_read(c, catalog, e))
		goto failed;
	qsort(c->rows, c->n, sizeof *c->rows, by_name);
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

const struct operator_cost *costs_of(const struct costs *c, const char *op)
{
	const struct operator_info info = { .name = op };
	const struct operator_cost key = { .op = &info };

	return c->n ? bsearch(&key, c->rows, c->n, sizeof *c->rows, by_name)
		    : NULL;
}
