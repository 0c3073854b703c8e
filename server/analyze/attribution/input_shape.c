/* input_shape.c - parses Input Dims, applies the words of the entries in
 * input_shape.def to them and to Concrete Inputs, and sorts the sizes into the
 * catalog's order. Words are parsed each time they are applied, because a trace
 * has few operators with different dims. */
#include "input_shape.h"
#include "concrete_inputs.h"
#include "input_shape_words.h"
#include "shape.h"
#include <stdlib.h>
#include <string.h>

/* Dims are JSON text. An argument is either a list of whole numbers, which is a
 * tensor, or a list of such lists, which is a list of tensors. [] is a tensor
 * without dimensions or no tensor at all. The types distinguish these cases;
 * old files do not have types. */

static bool input_shape_skip(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static bool input_shape_number(const char **at, int64_t *v)
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

/* Parses a tensor from after its '[' to its ']'. */
static bool input_shape_parse_tensor(struct input_dims *d, const char **at)
{
	if (d->tensors_n == INPUT_DIMS_TENSORS)
		return false;
	struct input_dims_tensor *t = &d->tensors[d->tensors_n++];
	*t = (struct input_dims_tensor){ d->values_n, 0 };
	if (input_shape_skip(at, ']'))
		return true;
	do {
		if (d->values_n == INPUT_DIMS_VALUES ||
			!input_shape_number(at, &d->values[d->values_n]))
			return false;
		d->values_n++;
		t->n++;
	} while (input_shape_skip(at, ','));
	return input_shape_skip(at, ']');
}

static bool input_shape_parse_argument(struct input_dims *d, const char **at)
{
	if (d->args_n == INPUT_DIMS_ARGS || !input_shape_skip(at, '['))
		return false;
	struct input_dims_arg *a = &d->args[d->args_n++];
	*a = (struct input_dims_arg){ .from = d->tensors_n };
	if (**at != '[') {
		a->n = 1;
		return input_shape_parse_tensor(d, at);
	}
	a->is_list = true;
	do {
		if (!input_shape_skip(at, '[') ||
			!input_shape_parse_tensor(d, at))
			return false;
		a->n++;
	} while (input_shape_skip(at, ','));
	return input_shape_skip(at, ']');
}

static bool input_shape_parse_arguments(struct input_dims *d, const char *at)
{
	if (!input_shape_skip(&at, '['))
		return false;
	if (input_shape_skip(&at, ']'))
		return !*at;
	do
		if (!input_shape_parse_argument(d, &at))
			return false;
	while (input_shape_skip(&at, ','));
	return input_shape_skip(&at, ']') && !*at;
}

/* Applies the type of an argument. "Scalar", "" and similar types are no
 * tensors. "TensorList" with [] is a list of tensors whose members are
 * unknown. */
static void input_shape_set_type(struct input_dims *d, uint32_t arg,
	const char *text, size_t len)
{
	struct input_dims_arg *a = &d->args[arg];

	a->dtype = dtype_from(text, len);
	if (!a->is_list && a->dtype == DTYPE_UNKNOWN && !d->tensors[a->from].n)
		a->n = 0;
}

/* Parses the types of arguments. For a nested list of types the first one is
 * used: its members usually have the same type. */
static void input_shape_parse_types(struct input_dims *d, const char *at)
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
				input_shape_set_type(d, arg, at + 1, len);
			first = false;
			if (!at[1 + len])
				return;
			at += 1 + len;
		}
	}
}

/* Parses Input Dims. `types` may be "" or NULL. False if the text is not a list
 * of dims, if a number is negative or exceeds 64 bits, or if there are too many
 * arguments, tensors or numbers. */
static bool input_shape_parse(struct input_dims *d, const char *dims,
	const char *types_text)
{
	d->args_n = d->tensors_n = d->values_n = 0;
	if (!input_shape_parse_arguments(d, dims))
		return false;
	bool typed = types_text && strchr(types_text, '"');
	if (typed)
		input_shape_parse_types(d, types_text);
	for (uint32_t i = 0; !typed && i < d->args_n; i++)
		if (!d->args[i].is_list && !d->tensors[d->args[i].from].n)
			d->args[i].n = 0;
	return true;
}

/* The nth tensor that has dimensions and elements, from 0. A tensor without
 * dimensions is a single number. A tensor without elements is an output that is
 * not allocated yet. If no tensor has both, the first tensor of all is number
 * 0. NULL if there is none. */
static const struct input_dims_tensor *
input_shape_nth_tensor(const struct input_dims *d, int64_t n)
{
	const struct input_dims_tensor *single = NULL;
	bool any = false;

	for (uint32_t i = 0; i < d->args_n; i++) {
		const struct input_dims_tensor *t = input_shape_tensor(d, i);
		bool full = t && t->n && input_shape_elements(d, t) != 0;
		if (full && n-- == 0)
			return t;
		any |= full;
		single = single ? single : t;
	}
	return !any && n == 0 ? single : NULL;
}

static void input_shape_begin(struct input_shape_made *m,
	const struct input_shapes *s)
{
	*m = (struct input_shape_made){ .dims = s->dims, .arena = s->arena };
}

static const char *input_shape_size_name(struct arena *a, const char *word,
	size_t len)
{
	return arena_strndup(a, word, len);
}

static enum input_shape_result input_shape_put_tensor(struct input_shape_made
							      *m,
	const char *name, const struct input_dims_tensor *t)
{
	return input_shape_put(m, name, m->dims->values + t->from, t->n, true);
}

/* Reads a dimension of an argument; false if the argument does not have it. */
static bool input_shape_dimension(const struct input_shape_made *m,
	uint32_t arg, const char **at, int64_t *v)
{
	const struct input_dims_tensor *t = input_shape_tensor(m->dims, arg);
	int64_t i = input_shape_whole(at);

	if (!t)
		return false;
	if (i < 0)
		i += t->n;
	if (i < 0 || i >= t->n)
		return false;
	*v = m->dims->values[t->from + i];
	return true;
}

static enum input_shape_result input_shape_put_repeated(struct input_shape_made
								*m,
	const char *name, int64_t v, int64_t times)
{
	if (times > SHAPE_VALUES)
		return INPUT_SHAPE_UNREADABLE;
	int64_t *list = arena_array(m->arena, int64_t, (size_t)times + 1);
	if (!list)
		return INPUT_SHAPE_FULL;
	for (int64_t i = 0; i < times; i++)
		list[i] = v;
	m->list[m->n++] = (struct size){ name, list, (uint32_t)times, true };
	return INPUT_SHAPE_FOUND;
}

/* Applies "1.1:$3", a dimension divided by the value of argument 3; `at` is
 * after the colon. */
static enum input_shape_result input_shape_divided(struct input_shape_made *m,
	const char *name, int64_t v, const char *at)
{
	int64_t by;

	at++;
	uint32_t arg = (uint32_t)input_shape_whole(&at);
	if (!concrete_inputs_whole(&m->dims->concrete, arg, &by))
		return input_shape_odd(m, arg);
	return by > 0 && v % by == 0 ? input_shape_put_one(m, name, v / by)
				     : INPUT_SHAPE_NONE;
}

/* Applies "0.1", "0.1-1", "0.1x0.0" or "0.1:$3"; `at` is after the point. */
static enum input_shape_result input_shape_one(struct input_shape_made *m,
	const char *name, uint32_t arg, const char *at)
{
	int64_t v, times;

	if (!input_shape_dimension(m, arg, &at, &v))
		return INPUT_SHAPE_NONE;
	if (*at == ':')
		return input_shape_divided(m, name, v, at + 1);
	if (*at != 'x')
		return *at != '-' ? input_shape_put_one(m, name, v)
		       : v	  ? input_shape_put_one(m, name, v - 1)
				  : INPUT_SHAPE_NONE;
	at++;
	arg = (uint32_t)input_shape_whole(&at);
	at++;
	if (!input_shape_dimension(m, arg, &at, &times))
		return INPUT_SHAPE_NONE;
	return input_shape_put_repeated(m, name, v, times);
}

/* Reads the list of the value whose word is at `at`, after the dollar. */
static int input_shape_list_of(struct input_shape_made *m, const char *at,
	int64_t list[INPUT_SHAPE_LIST])
{
	uint32_t arg = (uint32_t)input_shape_whole(&at);
	int n = concrete_inputs_list(&m->dims->concrete, arg, list,
		INPUT_SHAPE_LIST);
	if (n < 0)
		input_shape_odd(m, arg);
	return n;
}

/* The product of a tensor's dimensions from `from` to before `to`; -1 if it
 * exceeds 64 bits. */
static int64_t input_shape_product(const struct input_shape_made *m,
	const struct input_dims_tensor *t, uint32_t from, uint32_t to)
{
	const struct input_dims_tensor part = { t->from + from, to - from };
	return input_shape_elements(m->dims, &part);
}

/* Applies "0/$1" and "0|$1": how many rows a norm over the last dimensions has,
 * as many as the list of argument 1 has numbers, and all dimensions with those
 * multiplied into one. */
static enum input_shape_result input_shape_rows(struct input_shape_made *m,
	const char *name, const struct input_dims_tensor *t, const char *at,
	bool all)
{
	int64_t over[INPUT_SHAPE_LIST], dims[INPUT_SHAPE_LIST];
	int n = input_shape_list_of(m, at + 1, over);

	if (!t || n < 1 || (uint32_t)n > t->n || t->n > INPUT_SHAPE_LIST)
		return INPUT_SHAPE_NONE;
	uint32_t rows = t->n - (uint32_t)n;
	if (memcmp(m->dims->values + t->from + rows, over,
		    (size_t)n * sizeof *over) != 0)
		return INPUT_SHAPE_NONE;
	if (!all)
		return input_shape_put_one(m, name,
			input_shape_product(m, t, 0, rows));
	memcpy(dims, m->dims->values + t->from, rows * sizeof *dims);
	dims[rows] = input_shape_product(m, t, rows, t->n);
	if (dims[rows] < 0)
		return INPUT_SHAPE_UNREADABLE;
	return input_shape_put(m, name, dims, rows + 1, true);
}

/* Applies "0-$1": the dimensions that a reduction over those of argument 1
 * leaves. Without a value, or with an empty list, it is over all of them. */
static enum input_shape_result input_shape_reduced(struct input_shape_made *m,
	const char *name, const struct input_dims_tensor *t, const char *at)
{
	int64_t over[INPUT_SHAPE_LIST], dims[INPUT_SHAPE_LIST];
	const char *number = ++at;
	uint32_t arg = (uint32_t)input_shape_whole(&number), left = 0;
	int n = concrete_inputs_none(&m->dims->concrete, arg)
			? 0
			: input_shape_list_of(m, at, over);

	if (!t || n < 0 || t->n > INPUT_SHAPE_LIST || !m->dims->concrete.n)
		return INPUT_SHAPE_NONE;
	for (int64_t i = 0; i < t->n; i++) {
		bool away = n == 0;
		for (int k = 0; k < n; k++)
			away |= over[k] == i || over[k] + t->n == i;
		if (!away)
			dims[left++] = m->dims->values[t->from + i];
	}
	return input_shape_put(m, name, dims, left, true);
}

/* Applies "0>$1": all dimensions, with the last ones replaced by the list of
 * argument 1. */
static enum input_shape_result input_shape_resized(struct input_shape_made *m,
	const char *name, const struct input_dims_tensor *t, const char *at)
{
	int64_t to[INPUT_SHAPE_LIST], dims[INPUT_SHAPE_LIST];
	int n = input_shape_list_of(m, at + 1, to);

	if (!t || n < 1 || (uint32_t)n > t->n || t->n > INPUT_SHAPE_LIST)
		return INPUT_SHAPE_NONE;
	for (int i = 0; i < n; i++)
		if (to[i] < 0)
			return INPUT_SHAPE_NONE;
	memcpy(dims, m->dims->values + t->from, t->n * sizeof *dims);
	memcpy(dims + t->n - n, to, (size_t)n * sizeof *to);
	return input_shape_put(m, name, dims, t->n, true);
}

/* Applies "0@$1=2": all dimensions, with that of argument 1 replaced by the number
 * of elements of argument 2. */
static enum input_shape_result input_shape_selected(struct input_shape_made *m,
	const char *name, const struct input_dims_tensor *t, const char *at)
{
	int64_t dims[INPUT_SHAPE_LIST], of;
	const char *number = at + strlen("$");
	uint32_t arg = (uint32_t)input_shape_whole(&number);
	number += strlen("=");
	const struct input_dims_tensor *by = input_shape_tensor(m->dims,
		(uint32_t)input_shape_whole(&number));

	if (!t || !by || t->n > INPUT_SHAPE_LIST || !m->dims->concrete.n ||
		!concrete_inputs_whole(&m->dims->concrete, arg, &of))
		return INPUT_SHAPE_NONE;
	of += of < 0 ? t->n : 0;
	if (of < 0 || of >= t->n)
		return input_shape_odd(m, arg);
	memcpy(dims, m->dims->values + t->from, t->n * sizeof *dims);
	dims[of] = input_shape_elements(m->dims, by);
	return dims[of] < 0 ? INPUT_SHAPE_UNREADABLE
			    : input_shape_put(m, name, dims, t->n, true);
}

/* Applies "0/-1", the product of all dimensions except one; `at` is after the
 * slash. */
static enum input_shape_result input_shape_rest(struct input_shape_made *m,
	const char *name, uint32_t arg, const char *at)
{
	const struct input_dims_tensor *t = input_shape_tensor(m->dims, arg);
	int64_t left = input_shape_whole(&at), product = 1;

	if (!t || !t->n)
		return INPUT_SHAPE_NONE;
	for (uint32_t i = 0; i < t->n; i++)
		if (i != (left < 0 ? left + t->n : left) &&
			__builtin_mul_overflow(product,
				m->dims->values[t->from + i], &product))
			return INPUT_SHAPE_UNREADABLE;
	return input_shape_put_one(m, name, product);
}

/* Applies a word for a list of tensors: "0[]#" is the number of elements of
 * each, "0[]+" of all, "0[]l" of all as a list of one value, and "0[]n" the
 * number of tensors. */
static enum input_shape_result input_shape_members(struct input_shape_made *m,
	const char *name, uint32_t arg, char what)
{
	const struct input_dims_arg *a = &m->dims->args[arg];
	int64_t sum = 0;

	if (arg >= m->dims->args_n || !a->is_list || !a->n)
		return INPUT_SHAPE_NONE;
	if (what == 'n')
		return input_shape_put_one(m, name, a->n);
	int64_t *list = arena_array(m->arena, int64_t, a->n);
	if (!list)
		return INPUT_SHAPE_FULL;
	for (uint32_t i = 0; i < a->n; i++) {
		list[i] = input_shape_elements(m->dims,
			&m->dims->tensors[a->from + i]);
		if (list[i] < 0 || __builtin_add_overflow(sum, list[i], &sum))
			return INPUT_SHAPE_UNREADABLE;
	}
	if (what != '#')
		return input_shape_put(m, name, &sum, 1, what == 'l');
	m->list[m->n++] = (struct size){ name, list, a->n, true };
	return INPUT_SHAPE_FOUND;
}

/* Applies "**", the dimensions to which all tensors broadcast, aligned at the
 * last dimension. */
static enum input_shape_result input_shape_broadcast(struct input_shape_made *m,
	const char *name)
{
	enum { RANK = 32 };
	int64_t out[RANK];
	uint32_t rank = 0;

	for (int64_t k = 0; input_shape_nth_tensor(m->dims, k); k++)
		rank = input_shape_nth_tensor(m->dims, k)->n > rank
			       ? input_shape_nth_tensor(m->dims, k)->n
			       : rank;
	if (rank > RANK)
		return INPUT_SHAPE_NONE;
	for (uint32_t i = 0; i < rank; i++)
		out[i] = 1;
	for (int64_t k = 0; input_shape_nth_tensor(m->dims, k); k++) {
		const struct input_dims_tensor *t =
			input_shape_nth_tensor(m->dims, k);
		const int64_t *v = m->dims->values + t->from;
		for (uint32_t i = 0; i < t->n; i++)
			if (v[i] != 1)
				out[rank - t->n + i] = v[i];
	}
	const struct input_dims_tensor *x = input_shape_nth_tensor(m->dims, 0);
	if (!x || (x->n == rank && !memcmp(out, m->dims->values + x->from,
					   rank * sizeof *out)))
		return INPUT_SHAPE_FOUND;
	return input_shape_put(m, name, out, rank, true);
}

static enum input_shape_result input_shape_lists(struct input_shape_made *m,
	const char *name)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < m->dims->args_n; i++)
		n += m->dims->args[i].is_list;
	return input_shape_put_one(m, name, n);
}

static enum input_shape_result input_shape_bits(struct input_shape_made *m,
	const char *name, uint32_t arg)
{
	if (arg >= m->dims->args_n)
		return INPUT_SHAPE_NONE;
	int b = dtype_bits(m->dims->args[arg].dtype);
	return b ? input_shape_put_one(m, name, b) : INPUT_SHAPE_NONE;
}

static enum input_shape_result input_shape_bytes(struct input_shape_made *m,
	const char *name, uint32_t arg, const struct input_dims_tensor *t)
{
	int64_t n = input_shape_elements(m->dims, t), b;
	int each = dtype_bits(m->dims->args[arg].dtype);

	if (!each)
		return INPUT_SHAPE_NONE;
	if (n < 0 || __builtin_mul_overflow(n, each, &b))
		return INPUT_SHAPE_UNREADABLE;
	return input_shape_put_one(m, name, (b + 7) / 8);
}

static enum input_shape_result input_shape_by_argument(struct input_shape_made
							       *m,
	const char *name, const char *at)
{
	uint32_t arg = (uint32_t)input_shape_whole(&at);
	const struct input_dims_tensor *t = input_shape_tensor(m->dims, arg);

	if (*at == '.')
		return input_shape_one(m, name, arg, at + 1);
	if (at[0] == '/' && at[1] == '$')
		return input_shape_rows(m, name, t, at + 1, false);
	if (*at == '/')
		return input_shape_rest(m, name, arg, at + 1);
	if (*at == '|')
		return input_shape_rows(m, name, t, at + 1, true);
	if (*at == '-')
		return input_shape_reduced(m, name, t, at + 1);
	if (*at == '>')
		return input_shape_resized(m, name, t, at + 1);
	if (*at == '@')
		return input_shape_selected(m, name, t, at + 1);
	if (*at == '[')
		return input_shape_members(m, name, arg, at[2]);
	if (!t)
		return INPUT_SHAPE_NONE;
	if (*at == '#')
		return at[1] == 'b' ? input_shape_bytes(m, name, arg, t)
				    : input_shape_put_one(m, name,
					      input_shape_elements(m->dims, t));
	return input_shape_put_tensor(m, name, t);
}

/* Applies "$6w": a number that is left out if it is negative or has no value. */
static enum input_shape_result input_shape_window(struct input_shape_made *m,
	const char *name, uint32_t arg)
{
	int64_t v = -1;

	if (!concrete_inputs_none(&m->dims->concrete, arg) &&
		!concrete_inputs_whole(&m->dims->concrete, arg, &v))
		return input_shape_odd(m, arg);
	return v < 0 ? INPUT_SHAPE_FOUND : input_shape_put_one(m, name, v);
}

/* Applies "$5u0.0/3.0": the value of argument 5 once for each sequence, if all
 * sequences are as long as the longest. Argument 3 has the beginning of each
 * sequence and the end of the last. `at` is after the u. */
static enum input_shape_result input_shape_uniform(struct input_shape_made *m,
	const char *name, uint32_t value, const char *at)
{
	int64_t each, tokens, ends, all;
	uint32_t arg = (uint32_t)input_shape_whole(&at);

	at++;
	if (!input_shape_dimension(m, arg, &at, &tokens))
		return INPUT_SHAPE_NONE;
	at++;
	arg = (uint32_t)input_shape_whole(&at);
	at++;
	if (!input_shape_dimension(m, arg, &at, &ends))
		return INPUT_SHAPE_NONE;
	if (!concrete_inputs_whole(&m->dims->concrete, value, &each))
		return input_shape_odd(m, value);
	if (each < 1 || ends < 2 ||
		__builtin_mul_overflow(each, ends - 1, &all) || all != tokens)
		return INPUT_SHAPE_NONE;
	return input_shape_put_repeated(m, name, each, ends - 1);
}

/* Applies "$4.0" and "$1#": a number of a list, and the product of all. */
static enum input_shape_result input_shape_of_list(struct input_shape_made *m,
	const char *name, const char *word, const char *at)
{
	int64_t list[INPUT_SHAPE_LIST], product = 1;
	int n = input_shape_list_of(m, word, list);
	char what = *at++;

	if (n < 0)
		return INPUT_SHAPE_NONE;
	for (int i = 0; i < n; i++)
		if (list[i] < 0 ||
			__builtin_mul_overflow(product, list[i], &product))
			return INPUT_SHAPE_NONE;
	if (what == 'l')
		return input_shape_put(m, name, list, (size_t)n, true);
	if (what == '#')
		return n ? input_shape_put_one(m, name, product)
			 : INPUT_SHAPE_NONE;
	int64_t i = input_shape_whole(&at);
	return i < n ? input_shape_put_one(m, name, list[i]) : INPUT_SHAPE_NONE;
}

/* Applies a word for the value of an argument; `at` is after the dollar. */
static enum input_shape_result input_shape_concrete(struct input_shape_made *m,
	const char *name, const char *at)
{
	const struct concrete_inputs *c = &m->dims->concrete;
	const char *word = at;
	uint32_t arg = (uint32_t)input_shape_whole(&at);
	int64_t v;
	bool known;

	switch (*at) {
	case '.':
	case '#':
	case 'l':
		return input_shape_of_list(m, name, word, at);
	case 'w':
		return input_shape_window(m, name, arg);
	case 'u':
		return input_shape_uniform(m, name, arg, at + 1);
	case 'b':
		known = concrete_inputs_bool(c, arg, &v);
		break;
	case 't':
		v = concrete_inputs_trues(c, arg,
			(int)strtol(at + 1, NULL, 10));
		known = v > 0;
		break;
	default:
		known = concrete_inputs_whole(c, arg, &v) && v >= 0;
	}
	return known ? input_shape_put_one(m, name, v)
		     : input_shape_odd(m, arg);
}

static const struct size *input_shape_made_size(const struct input_shape_made
							*m,
	const char *name)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (!strcmp(m->list[i].name, name))
			return &m->list[i];
	return NULL;
}

/* Applies "^": 1 if the mask is causal and there are not as many queries as
 * keys, otherwise left out. */
static enum input_shape_result input_shape_top_left(struct input_shape_made *m,
	const char *name)
{
	const struct size *causal = input_shape_made_size(m, "causal"),
			  *q = input_shape_made_size(m, "q_lens"),
			  *k = input_shape_made_size(m, "seq_lens");

	if (!causal || !causal->values[0] || !q || !k || q->n != k->n ||
		!memcmp(q->values, k->values, q->n * sizeof *q->values))
		return INPUT_SHAPE_FOUND;
	return input_shape_put_one(m, name, 1);
}

static enum input_shape_result input_shape_value(struct input_shape_made *m,
	const char *name, const char *at)
{
	if (*at == '$')
		return input_shape_concrete(m, name, at + 1);
	if (*at == '%')
		return input_shape_conv(m, name, at + 1);
	if (*at == '^')
		return input_shape_top_left(m, name);
	if (*at == '=') {
		at++;
		return input_shape_put_one(m, name, input_shape_whole(&at));
	}
	if (*at == '~')
		return input_shape_bits(m, name,
			(uint32_t)strtol(at + 1, NULL, 10));
	if (at[0] == '*' && at[1] == '*')
		return input_shape_broadcast(m, name);
	if (at[0] == '*' && at[1] == 'l')
		return input_shape_lists(m, name);
	if (*at == '*') {
		const struct input_dims_tensor *t =
			input_shape_nth_tensor(m->dims,
				strtol(at + 1, NULL, 10));
		return t ? input_shape_put_tensor(m, name, t)
			 : INPUT_SHAPE_NONE;
	}
	return input_shape_by_argument(m, name, at);
}

static enum input_shape_result input_shape_dtype(struct input_shape_made *m,
	const char *at)
{
	uint32_t arg = 0;

	if (*at == '*')
		while (arg < m->dims->args_n && !m->dims->args[arg].n)
			arg++;
	else
		arg = (uint32_t)strtol(at, NULL, 10);
	if (arg < m->dims->args_n)
		m->dtype = m->dims->args[arg].dtype;
	return INPUT_SHAPE_FOUND;
}

/* Applies "0:3": whether argument 0 is a tensor of 3 dimensions. */
static enum input_shape_result input_shape_fits(const struct input_shape_made
							*m,
	const char *at)
{
	const struct input_dims_tensor *t =
		input_shape_tensor(m->dims, (uint32_t)input_shape_whole(&at));
	at++;
	return t && t->n == input_shape_whole(&at) ? INPUT_SHAPE_FOUND
						   : INPUT_SHAPE_NONE;
}

/* Applies a condition over the value of an argument: "$9=0" is that it is
 * exactly 0, "$1[" that it is a list or has no value, and "$2^0" that it is the
 * last dimension of argument 0. `at` is after the dollar. */
static enum input_shape_result
input_shape_fits_value(const struct input_shape_made *m, const char *at)
{
	const struct concrete_inputs *c = &m->dims->concrete;
	uint32_t arg = (uint32_t)input_shape_whole(&at);
	const struct input_dims_tensor *t;
	int64_t v;
	bool fits = false;

	if (*at == '=')
		fits = concrete_inputs_is(c, arg, at + 1, strcspn(at + 1, " "));
	else if (*at == '[')
		fits = c->n && (concrete_inputs_none(c, arg) ||
				       *c->value[arg].at == '[');
	else if (concrete_inputs_whole(c, arg, &v)) {
		at++;
		t = input_shape_tensor(m->dims,
			(uint32_t)input_shape_whole(&at));
		fits = t && (v == -1 || v == (int64_t)t->n - 1);
	}
	return fits ? INPUT_SHAPE_FOUND : INPUT_SHAPE_NONE;
}

/* Applies "2.2==0.1": whether two dimensions are equal. */
static enum input_shape_result
input_shape_fits_equal(const struct input_shape_made *m, const char *at)
{
	int64_t v[2];

	for (int i = 0; i < 2; i++) {
		uint32_t arg = (uint32_t)input_shape_whole(&at);
		at++;
		if (!input_shape_dimension(m, arg, &at, &v[i]))
			return INPUT_SHAPE_NONE;
		at += strspn(at, "=");
	}
	return v[0] == v[1] ? INPUT_SHAPE_FOUND : INPUT_SHAPE_NONE;
}

/* Applies one word. INPUT_SHAPE_NONE if it does not fit. */
static enum input_shape_result input_shape_word(struct input_shape_made *m,
	const char *word)
{
	size_t len = strcspn(word, "?=: ");

	if (*word == '-')
		return INPUT_SHAPE_NONE;
	if (*word == '@')
		return input_shape_dtype(m, word + 1);
	if (*word == '$')
		return input_shape_fits_value(m, word + 1);
	if (*word == '!')
		return input_shape_tensor(m->dims,
			       (uint32_t)strtol(word + 1, NULL, 10))
			       ? INPUT_SHAPE_NONE
			       : INPUT_SHAPE_FOUND;
	if (word[len] == ':')
		return input_shape_fits(m, word);
	if (*word >= '0' && *word <= '9')
		return input_shape_fits_equal(m, word);
	const char *name = input_shape_size_name(m->arena, word, len);
	if (!name)
		return INPUT_SHAPE_FULL;
	bool may_lack = word[len] == '?';
	enum input_shape_result how =
		input_shape_value(m, name, word + len + 1 + may_lack);
	return how == INPUT_SHAPE_NONE && may_lack ? INPUT_SHAPE_FOUND : how;
}

/* Applies all words of an entry. */
static enum input_shape_result input_shape_words(struct input_shape_made *m,
	const char *words)
{
	enum input_shape_result how = INPUT_SHAPE_FOUND;

	while (*words && how == INPUT_SHAPE_FOUND) {
		how = input_shape_word(m, words);
		words += strcspn(words, " ");
		words += *words == ' ';
	}
	return how;
}

static const struct {
	const char *of, *what;
} entries[] = {
#define INPUT_SHAPE(of, what) { of, what },
#include "input_shape.def"
#undef INPUT_SHAPE
};
enum { ENTRIES = sizeof entries / sizeof *entries };

bool input_shape_init(struct input_shapes *s, struct arena *a)
{
	*s = (struct input_shapes){ .arena = a };
	s->dims = arena_grow(a, NULL, sizeof *s->dims);
	return s->dims;
}

const char *input_shape_entry(uint32_t i, const char **what)
{
	if (i >= ENTRIES)
		return NULL;
	*what = entries[i].what;
	return entries[i].of;
}

/* The index of a size in its operator's order; unknown sizes are last. */
static uint32_t input_shape_place(const struct operator_info *is,
	const char *name)
{
	uint32_t i = 0;
	while (i < is->sizes_n && strcmp(is->sizes[i], name) != 0)
		i++;
	return i;
}

static void input_shape_order(const struct operator_info *is, struct size *list,
	uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct size x = list[i];
		uint32_t j = i;
		for (; j && input_shape_place(is, list[j - 1].name) >
				    input_shape_place(is, x.name);
			j--)
			list[j] = list[j - 1];
		list[j] = x;
	}
}

static enum input_shape_result input_shape_finish(struct input_shapes *s,
	const struct operator_info *is, struct input_shape_made *m,
	const struct shape **out)
{
	uint64_t values = 0;

	for (uint32_t i = 0; i < m->n; i++)
		values += m->list[i].n;
	if (values > SHAPE_VALUES)
		return INPUT_SHAPE_UNREADABLE;
	struct shape *shape = arena_array(s->arena, struct shape, 1);
	struct size *list = arena_array(s->arena, struct size, m->n);
	if (!shape || !list)
		return INPUT_SHAPE_FULL;
	memcpy(list, m->list, m->n * sizeof *list);
	input_shape_order(is, list, m->n);
	*shape = (struct shape){ .dtype = m->dtype, .sizes = list, .n = m->n };
	*out = shape;
	return INPUT_SHAPE_FOUND;
}

/* Makes a shape that lists the dimensions of the tensors. */
static enum input_shape_result input_shape_generic(struct input_shapes *s,
	const struct operator_info *is, const struct shape **out)
{
	static const char *const in[] = { "in0=*0", "in1=*1", "in2=*2",
		"in3=*3", "in4=*4", "in5=*5", "in6=*6", "in7=*7", NULL };
	static const char *const xyz[] = { "x=*0", "y=*1", "z=*2", NULL };
	bool x = input_shape_place(is, "x") < is->sizes_n;
	struct input_shape_made m;

	input_shape_begin(&m, s);
	enum input_shape_result how = input_shape_word(&m, "@*");
	for (const char *const *w = x ? xyz : in;
		*w && how == INPUT_SHAPE_FOUND; w++) {
		const char name[] = { **w, '\0' };
		if (x && input_shape_place(is, name) == is->sizes_n)
			break;
		how = input_shape_word(&m, *w);
	}
	return m.n && how != INPUT_SHAPE_FULL
		       ? input_shape_finish(s, is, &m, out)
		       : how;
}

/* Whether an entry is for this operator. "*" in the entry's name matches any
 * text: SGLang's profiler writes the module of a function before its name. */
static bool input_shape_is_for(const char *entry, const char *of)
{
	const char *star = strchr(entry, '*');

	if (!star)
		return strcmp(entry, of) == 0;
	size_t front = (size_t)(star - entry), back = strlen(star + 1),
	       len = strlen(of);
	return len >= front + back && strncmp(entry, of, front) == 0 &&
	       strcmp(star + 1, of + len - back) == 0;
}

/* Tries the entries of a name in their order. */
static enum input_shape_result input_shape_by_entry(struct input_shapes *s,
	const char *of, const struct operator_info *is,
	const struct shape **out)
{
	enum input_shape_result how = INPUT_SHAPE_NONE;

	for (int i = 0; i < ENTRIES && how == INPUT_SHAPE_NONE; i++) {
		if (!input_shape_is_for(entries[i].of, of))
			continue;
		struct input_shape_made m;
		input_shape_begin(&m, s);
		how = input_shape_words(&m, entries[i].what);
		s->odd |= m.odd;
		if (how == INPUT_SHAPE_FOUND && strpbrk(entries[i].what, "$%"))
			s->odd = false; /* another version of the schema */
		if (how == INPUT_SHAPE_FOUND)
			how = input_shape_finish(s, is, &m, out);
	}
	return how;
}

/* Whether an entry says that dims do not give the sizes. */
static bool input_shape_has_no_dims(const char *of)
{
	for (int i = 0; i < ENTRIES; i++)
		if (*entries[i].what == '-' && !strcmp(entries[i].of, of))
			return true;
	return false;
}

/* The shape of a kernel whose launch has these arguments; the dimensions of its
 * tensors if the type of none of them is known. */
static enum input_shape_result input_shape_of_launch(struct input_shapes *s,
	const char *kernel, const struct operator_info *is,
	const struct shape **out)
{
	struct input_shape_made m;

	input_shape_begin(&m, s);
	enum input_shape_result how = input_shape_launch(&m, kernel);
	if (how == INPUT_SHAPE_FOUND)
		how = input_shape_finish(s, is, &m, out);
	return how == INPUT_SHAPE_NONE ? input_shape_generic(s, is, out) : how;
}

enum input_shape_result input_shape_from(struct input_shapes *s, const char *op,
	const struct operator_info *is, const struct input_texts *texts,
	const struct shape **out)
{
	char buf[CATALOG_OP_NAME_MAX];
	size_t len = strlen(op);

	*out = NULL;
	op = catalog_op_name(op, &len, buf);
	s->odd = !concrete_inputs_read(&s->dims->concrete, texts->concrete);
	if (!input_shape_parse(s->dims, texts->dims, texts->types))
		return INPUT_SHAPE_UNREADABLE;
	if (texts->of_launch &&
		input_shape_place(is, "min_read_bytes") < is->sizes_n)
		return input_shape_of_launch(s, op, is, out);
	enum input_shape_result how = input_shape_by_entry(s, op, is, out);
	if (how == INPUT_SHAPE_NONE)
		how = input_shape_by_entry(s, is->name, is, out);
	if (how != INPUT_SHAPE_NONE || input_shape_has_no_dims(op) ||
		input_shape_has_no_dims(is->name))
		return how;
	return input_shape_generic(s, is, out);
}
