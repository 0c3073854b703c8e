/* reference_sizes.c - what a document calls sizes, in our names. */
#include "published.h"
#include <string.h>

/* A few bytes of text may stand for many numbers. */
enum { NUMBERS = 1 << 20 };

struct sizes {
	const struct published *r;
	struct arena *room; /* for as long as they are looked at */
	const struct operator_info *op;
	struct size *list; /* by place in op->sizes; name NULL: not told */
	uint32_t values;
};

/* Theirs first: one of their names may be ours for something else. */
static const char *ours(const struct operator_info *op, const char *name)
{
	for (uint32_t i = 0; i < op->aliases_n; i++)
		if (strcmp(op->aliases[2 * i], name) == 0)
			return op->aliases[2 * i + 1];
	for (uint32_t i = 0; i < op->sizes_n; i++)
		if (strcmp(op->sizes[i], name) == 0)
			return op->sizes[i];
	return NULL;
}

static bool is_size(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0;
}

/* What tells a size, though perhaps one that nobody has a name for: flags,
 * texts and fractions do not. */
static bool tells_size(const json_t *v)
{
	return json_is_integer(v) || json_is_array(v) || json_is_object(v);
}

static bool put(struct sizes *s, const char *name, const json_t *v)
{
	bool list = json_is_array(v);
	size_t n = list ? json_array_size(v) : 1;
	uint32_t at = 0;

	if ((!list && !is_size(v)) || n > SHAPE_VALUES - s->values)
		return false;
	for (size_t i = 0; list && i < n; i++)
		if (!is_size(json_array_get(v, i)))
			return false;
	while (strcmp(s->op->sizes[at], name) != 0)
		at++;
	int64_t *values = arena_array(s->room, int64_t, n + 1);
	if (!values)
		return false;
	for (size_t i = 0; i < n; i++)
		values[i] = json_integer_value(list ? json_array_get(v, i) : v);
	s->values += (uint32_t)n;
	s->list[at] = (struct size){ name, values, (uint32_t)n, list };
	return true;
}

/* Arguments of the operator must all have a name; what it was made with may
 * be of no account to its sizes. */
static bool read(struct sizes *s, const char *key, bool all)
{
	json_t *map = json_object_get(s->r->v, key);

	if (map && !json_is_null(map) && !json_is_object(map))
		return false;
	for (void *k = json_object_iter(map); k;
		k = json_object_iter_next(map, k)) {
		const json_t *v = json_object_iter_value(k);
		const char *name = ours(s->op, json_object_iter_key(k));
		if (name ? !put(s, name, v) : all && tells_size(v))
			return false;
	}
	return true;
}

/* What a fleet of ours was written as. */
static bool own_text(const struct sizes *s, struct shape *out)
{
	const char *text = json_string_value(json_object_get(s->r->v, "shape"));
	struct err why = { 0 };

	return text && shape_read(text, DTYPE_UNKNOWN, s->room, out, &why);
}

static bool kwargs(struct sizes *s, struct shape *out)
{
	if (!s->op)
		return false;
	s->list = arena_array(s->room, struct size, s->op->sizes_n + 1);
	if (!s->list || !read(s, "init_kwargs", false) ||
		!read(s, "input_kwargs", true))
		return false;
	for (uint32_t i = 0; i < s->op->sizes_n; i++)
		if (s->list[i].name)
			s->list[out->n++] = s->list[i];
	out->sizes = s->list;
	return out->n > 0;
}

bool reference_sizes(const struct published *r,
	const struct reference_operator *op, const char **out)
{
	struct arena room = arena_scratch(r->a);
	struct sizes s = { .r = r,
		.room = &room,
		.op = catalog_operator(r->c, op->name) };
	struct shape shape = { 0 };

	*out = NULL;
	if (own_text(&s, &shape) || kwargs(&s, &shape)) {
		for (uint32_t i = 0; i < shape.n; i++)
			*r->numbers += shape.sizes[i].n;
		*out = shape_text(&shape, r->a);
	}
	arena_scratch_release(&room, r->a);
	if (*r->numbers > NUMBERS)
		return err_set(r->err, ERR_TOO_LARGE,
			"the sizes of all shapes have more than %d numbers",
			NUMBERS);
	return !r->a->full || arena_err(r->a, r->err);
}
