/* sizes_dims.c - one pass over the dims, one over the types. */
#include "sizes_dims.h"
#include <string.h>

static bool skip(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static bool number(const char **at, int64_t *v)
{
	*v = 0;
	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; ++*at)
		if (__builtin_mul_overflow(*v, 10, v) ||
			__builtin_add_overflow(*v, **at - '0', v))
			return false;
	return true;
}

/* What stands behind '[' of a tensor, to its ']'. */
static bool tensor(struct dims *d, const char **at)
{
	if (d->tensors_n == DIMS_TENSORS)
		return false;
	struct dims_tensor *t = &d->tensors[d->tensors_n++];
	*t = (struct dims_tensor){ d->values_n, 0 };
	if (skip(at, ']'))
		return true;
	do {
		if (d->values_n == DIMS_VALUES ||
			!number(at, &d->values[d->values_n]))
			return false;
		d->values_n++;
		t->n++;
	} while (skip(at, ','));
	return skip(at, ']');
}

static bool argument(struct dims *d, const char **at)
{
	if (d->args_n == DIMS_ARGS || !skip(at, '['))
		return false;
	struct dims_arg *a = &d->args[d->args_n++];
	*a = (struct dims_arg){ .from = d->tensors_n };
	if (**at != '[') {
		a->n = 1;
		return tensor(d, at);
	}
	a->is_list = true;
	do {
		if (!skip(at, '[') || !tensor(d, at))
			return false;
		a->n++;
	} while (skip(at, ','));
	return skip(at, ']');
}

static bool arguments(struct dims *d, const char *at)
{
	if (!skip(&at, '['))
		return false;
	if (skip(&at, ']'))
		return !*at;
	do
		if (!argument(d, &at))
			return false;
	while (skip(&at, ','));
	return skip(&at, ']') && !*at;
}

/* What an argument's type says. "Scalar", "" and the like are no tensors;
 * "TensorList" with [] is one whose members are not told. */
static void type_of(struct dims *d, uint32_t arg, const char *text, size_t len)
{
	struct dims_arg *a = &d->args[arg];

	a->dtype = dtype_from(text, len);
	if (!a->is_list && a->dtype == DTYPE_UNKNOWN && !d->tensors[a->from].n)
		a->n = 0;
}

/* Members of a nested list of types are of one type as a rule: the first. */
static void types(struct dims *d, const char *at)
{
	uint32_t arg = 0;
	int depth = 0;
	bool first = true;

	for (; *at && arg < d->args_n; at++) {
		if (*at == '[') {
			first = true;
			depth++;
		} else if (*at == ']') {
			depth--;
		} else if (*at == ',' && depth == 1) {
			arg++;
			first = true;
		} else if (*at == '"') {
			size_t len = strcspn(at + 1, "\"");
			if (first)
				type_of(d, arg, at + 1, len);
			first = false;
			if (!at[1 + len])
				return;
			at += 1 + len;
		}
	}
}

bool dims_read(struct dims *d, const char *dims, const char *types_text)
{
	d->args_n = d->tensors_n = d->values_n = 0;
	if (!arguments(d, dims))
		return false;
	bool told = types_text && strchr(types_text, '"');
	if (told)
		types(d, types_text);
	for (uint32_t i = 0; !told && i < d->args_n; i++)
		if (!d->args[i].is_list && !d->tensors[d->args[i].from].n)
			d->args[i].n = 0;
	return true;
}

const struct dims_tensor *dims_tensor(const struct dims *d, uint32_t arg)
{
	if (arg >= d->args_n || d->args[arg].is_list || !d->args[arg].n)
		return NULL;
	return &d->tensors[d->args[arg].from];
}

int64_t dims_elements(const struct dims *d, const struct dims_tensor *t)
{
	int64_t product = 1;

	for (uint32_t i = 0; i < t->n; i++)
		if (__builtin_mul_overflow(product, d->values[t->from + i],
			    &product))
			return -1;
	return product;
}

const struct dims_tensor *dims_nth(const struct dims *d, int64_t n)
{
	const struct dims_tensor *single = NULL;
	bool any = false;

	for (uint32_t i = 0; i < d->args_n; i++) {
		const struct dims_tensor *t = dims_tensor(d, i);
		bool full = t && t->n && dims_elements(d, t) != 0;
		if (full && n-- == 0)
			return t;
		any |= full;
		single = single ? single : t;
	}
	return !any && n == 0 ? single : NULL;
}
