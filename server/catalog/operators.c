/* operators.c - reads operators, their sizes, and the patterns of host
 * operators and module classes that map to them. */
#include "inside.h"
#include <stdlib.h>
#include <string.h>

static bool operators_size_ok(const char *s)
{
	size_t len = strlen(s);
	return len && len <= 32 && *s >= 'a' && *s <= 'z' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

static bool operators_sizes_read(struct catalog *c, const struct entries *d,
	size_t i, struct operator_info *op, struct err *e)
{
	const json_t *list;

	if (!entries_list(d, i, "sizes", &list, e))
		return false;
	size_t n = json_array_size(list);
	if (n > 32)
		return entries_fail(d, i, e,
			"an operator has 32 sizes at most");
	const char **sizes = arena_array(&c->arena, const char *, n);
	for (size_t k = 0; k < n; k++) {
		sizes[k] = json_string_value(json_array_get(list, k));
		if (!operators_size_ok(sizes[k]))
			return entries_fail(d, i, e,
				"'%.40s' is no name of a size: a small letter, "
				"then small letters, digits and _",
				sizes[k]);
		for (size_t j = 0; j < k; j++)
			if (strcmp(sizes[j], sizes[k]) == 0)
				return entries_fail(d, i, e,
					"the size '%s' is listed twice",
					sizes[k]);
	}
	op->sizes = sizes;
	op->sizes_n = (uint32_t)n;
	return true;
}

static bool operators_has_size(const struct operator_info *op, const char *size)
{
	for (uint32_t i = 0; i < op->sizes_n; i++)
		if (strcmp(op->sizes[i], size) == 0)
			return true;
	return false;
}

/* Pairs of their name and the catalog's. */
static bool operators_aliases_read(struct catalog *c, const struct entries *d,
	size_t i, struct operator_info *op, struct err *e)
{
	json_t *map = json_object_get(entries_at(d, i), "aliases");
	uint32_t n = 0;

	if (map && !json_is_object(map))
		return entries_fail(d, i, e,
			"'aliases' is no object of their names and ours");
	const char **pairs =
		arena_array(&c->arena, const char *, 2 * json_object_size(map));
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const char *ours = json_string_value(json_object_iter_value(k));
		if (!ours || !operators_has_size(op, ours))
			return entries_fail(d, i, e,
				"the alias '%.40s' names none of its sizes",
				json_object_iter_key(k));
		pairs[n++] = json_object_iter_key(k);
		pairs[n++] = ours;
	}
	op->aliases = pairs;
	op->aliases_n = n / 2;
	return true;
}

/* Checks that all operators of the list exist. It runs after all were read. */
static bool operators_names_read(struct catalog *c, const struct entries *d,
	size_t i, const char *key, const char *const **out, uint32_t *n,
	struct err *e)
{
	const json_t *list;

	if (!entries_list(d, i, key, &list, e))
		return false;
	*n = (uint32_t)json_array_size(list);
	const char **names = arena_array(&c->arena, const char *, *n);
	for (size_t k = 0; k < *n; k++)
		names[k] = json_string_value(json_array_get(list, k));
	*out = names;
	return true;
}

/* Adds the patterns in the entry of an own operator. */
static bool operators_patterns_read(struct catalog *c, const struct entries *d,
	size_t i, const char *key, struct meanings *p,
	const struct operator_info *op, struct err *e)
{
	const json_t *list;

	if (!entries_list(d, i, key, &list, e))
		return false;
	for (size_t k = 0; k < json_array_size(list); k++)
		matcher_meanings_add(&c->arena, p,
			json_string_value(json_array_get(list, k)), op, d->own);
	return true;
}

static bool operators_entry_read(struct catalog *c, const struct entries *d,
	size_t i, struct operator_info *op, struct err *e)
{
	*op = (struct operator_info){ .own = d->own };
	return entries_keys(d, i,
		       "name description group specific collective sizes aliases ops "
		       "modules cost parts holds",
		       e) &&
	       entries_name(d, i, &op->name, e) &&
	       entries_text(d, i, "description", !d->own, &op->what, e) &&
	       entries_text(d, i, "group", !d->own, &op->group, e) &&
	       entries_bool(d, i, "specific", true, &op->specific, e) &&
	       entries_bool(d, i, "collective", false, &op->collective, e) &&
	       operators_sizes_read(c, d, i, op, e) &&
	       operators_aliases_read(c, d, i, op, e) &&
	       operators_names_read(c, d, i, "parts", &op->parts, &op->parts_n,
		       e) &&
	       operators_names_read(c, d, i, "holds", &op->holds, &op->holds_n,
		       e) &&
	       operators_patterns_read(c, d, i, "ops", &c->op, op, e) &&
	       operators_patterns_read(c, d, i, "modules", &c->module, op, e);
}

/* ops.json and modules.json: {"operator": …, "match": pattern}. */
static bool operators_table_read(struct catalog *c, const struct entries *d,
	struct meanings *p, struct err *e)
{
	for (size_t i = 0; i < entries_n(d); i++) {
		const char *match, *name;
		if (!entries_keys(d, i, "match operator", e) ||
			!entries_text(d, i, "match", true, &match, e) ||
			!entries_text(d, i, "operator", true, &name, e))
			return false;
		const struct operator_info *op = catalog_operator(c, name);
		if (!op)
			return entries_fail(d, i, e,
				"the operator '%.40s' is unknown", name);
		matcher_meanings_add(&c->arena, p, match, op, false);
	}
	return true;
}

static bool operators_known(const struct catalog *c, const struct entries *d,
	const struct operator_info *op, const char *const *names, uint32_t n,
	struct err *e)
{
	for (uint32_t i = 0; i < n; i++)
		if (!catalog_operator(c, names[i]))
			return entries_fail(d, entries_find(d, op->name), e,
				"the operator '%.40s' is unknown", names[i]);
	return true;
}

static bool operators_all_known(const struct catalog *c, struct err *e)
{
	for (uint32_t i = 0; i < c->operator_n; i++) {
		const struct operator_info *op = c->by_name[i];
		const struct entries *d =
			&c->operators[op->own ? OWN : CARRIED];
		if (!operators_known(c, d, op, op->parts, op->parts_n, e) ||
			!operators_known(c, d, op, op->holds, op->holds_n, e))
			return false;
	}
	return true;
}

/* If a pattern does not compile, finds its operator for the error: patterns
 * have the order of the own operators. */
static bool operators_compiled(struct catalog *c, struct meanings *p,
	const char *key, struct err *e)
{
	struct err why = { 0 };
	uint32_t fault;

	if (matcher_meanings_compile(p, true, &fault, &why))
		return true;
	const struct entries *d = &c->operators[fault < p->own ? OWN : CARRIED];
	const struct operator_info *op =
		fault < p->n ? p->stands_for[fault] : NULL;
	size_t i = op ? entries_find(d, op->name) : entries_n(d);
	return entries_fail(d, i, e, "in '%s' %s", key, why.text);
}

static int operators_by_name(const void *a, const void *b)
{
	const struct operator_info *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

bool operators_read(struct catalog *c, struct err *e)
{
	size_t most = entries_n(&c->operators[OWN]) +
		      entries_n(&c->operators[CARRIED]);

	c->op_row = arena_array(&c->arena, struct operator_info, most);
	c->by_name = arena_array(&c->arena, const struct operator_info *, most);
	for (int part = OWN; part < PARTS; part++) {
		const struct entries *d = &c->operators[part];
		for (size_t i = 0; i < entries_n(d); i++) {
			struct operator_info *op = &c->op_row[c->operator_n];
			if (!operators_entry_read(c, d, i, op, e))
				return false;
			if (part == CARRIED &&
				entries_own_has(c->operators, op->name))
				continue;
			c->by_name[c->operator_n++] = op;
		}
	}
	qsort(c->by_name, c->operator_n, sizeof *c->by_name, operators_by_name);
	return operators_all_known(c, e) &&
	       operators_table_read(c, &c->ops, &c->op, e) &&
	       operators_table_read(c, &c->modules, &c->module, e) &&
	       operators_compiled(c, &c->op, "ops", e) &&
	       operators_compiled(c, &c->module, "modules", e);
}

const struct operator_info *catalog_operator(const struct catalog *c,
	const char *name)
{
	const struct operator_info key = { .name = name }, *at = &key;
	const struct operator_info **found = bsearch(&at, c->by_name,
		c->operator_n, sizeof *c->by_name, operators_by_name);
	return found ? *found : NULL;
}

uint32_t catalog_operators(const struct catalog *c,
	const struct operator_info *const **all)
{
	*all = c->by_name;
	return c->operator_n;
}

/* "torch.ops.ns.op" and "torch.ops.ns.op.overload" as "ns::op", as the profiler
 * writes the same operator. */
static bool operators_name_of_torch_ops(const char *name, size_t len,
	char buf[CATALOG_OP_NAME_MAX])
{
	static const char front[] = "torch.ops.";
	size_t skip = sizeof front - 1;

	if (len <= skip || strncmp(name, front, skip) != 0)
		return false;
	const char *end = name + len, *space_at = name + skip;
	const char *dot = memchr(space_at, '.', len - skip);
	if (!dot || dot + 1 >= end)
		return false;
	const char *op = dot + 1,
		   *overload = memchr(op, '.', (size_t)(end - op));
	size_t space = (size_t)(dot - space_at);
	size_t op_len = (size_t)((overload ? overload : end) - op);
	if (space + strlen("::") + op_len >= CATALOG_OP_NAME_MAX)
		return false;
	snprintf(buf, CATALOG_OP_NAME_MAX, "%.*s::%.*s", (int)space, space_at,
		(int)op_len, op);
	return true;
}

/* The length of a name of SGLang's profiler without its number. */
static size_t operators_name_unnumbered(const char *name, size_t len)
{
	static const char front[] = "sglang_profiler::";
	size_t end = len;

	if (len < sizeof front || strncmp(name, front, sizeof front - 1) != 0)
		return len;
	while (end > sizeof front && name[end - 1] >= '0' &&
		name[end - 1] <= '9')
		end--;
	return end < len && name[end - 1] == '_' ? end - 1 : len;
}

const char *catalog_op_name(const char *name, size_t *len,
	char buf[CATALOG_OP_NAME_MAX])
{
	if (operators_name_of_torch_ops(name, *len, buf)) {
		*len = strlen(buf);
		return buf;
	}
	size_t unnumbered = operators_name_unnumbered(name, *len);
	if (unnumbered == *len || unnumbered >= CATALOG_OP_NAME_MAX)
		return name;
	*len = unnumbered;
	memcpy(buf, name, unnumbered);
	buf[unnumbered] = '\0';
	return buf;
}

const struct operator_info *catalog_op(const struct catalog *c,
	const char *name, size_t len)
{
	char buf[CATALOG_OP_NAME_MAX];
	const char *known = catalog_op_name(name, &len, buf);

	return matcher_meanings_find(&c->op, known, len);
}

const struct operator_info *catalog_module(const struct catalog *c,
	const char *class_name, size_t len)
{
	return matcher_meanings_find(&c->module, class_name, len);
}

static bool operators_among(const char *const *names, uint32_t n,
	const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

enum fit catalog_fit(const struct operator_info *host,
	const struct operator_info *kernel)
{
	static const char *const any[] = { "copy", "memset" };

	if (strcmp(host->name, kernel->name) == 0)
		return FIT_SAME;
	if (operators_among(host->holds, host->holds_n, kernel->name))
		return FIT_HOLDS;
	return operators_among(any, 2, kernel->name) ||
			       operators_among(host->parts, host->parts_n,
				       kernel->name)
		       ? FIT_PART
		       : FIT_OTHER;
}
