/* sizes_word.c - words are read as they are applied; there are few operators
 * with different dims in a trace. */
#include "sizes_word.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sizes_word_init(struct sizes_made *m, const struct sizes *s)
{
	*m = (struct sizes_made){ .dims = s->dims, .arena = s->arena };
}

static int64_t whole(const char **at)
{
	char *end;
	int64_t v = strtol(*at, &end, 10);
	*at = end;
	return v;
}

static const char *size_name(struct arena *a, const char *word, size_t len)
{
	return arena_strndup(a, word, len);
}

static enum sizes_how put(struct sizes_made *m, const char *name,
	const int64_t *values, size_t n, bool is_list)
{
	int64_t *copy = arena_array(m->arena, int64_t, n ? n : 1);

	assert(m->n < SIZES_MADE_MAX);
	if (!copy || !name)
		return SIZES_FULL;
	if (n)
		memcpy(copy, values, n * sizeof *copy);
	m->list[m->n++] = (struct size){ name, copy, (uint32_t)n, is_list };
	return SIZES_TOLD;
}

static enum sizes_how put_one(struct sizes_made *m, const char *name, int64_t v)
{
	return v < 0 ? SIZES_UNREADABLE : put(m, name, &v, 1, false);
}

static enum sizes_how put_tensor(struct sizes_made *m, const char *name,
	const struct dims_tensor *t)
{
	return put(m, name, m->dims->values + t->from, t->n, true);
}

/* A dimension of an argument; false where it has none such. */
static bool dimension(const struct sizes_made *m, uint32_t arg, const char **at,
	int64_t *v)
{
	const struct dims_tensor *t = dims_tensor(m->dims, arg);
	int64_t i = whole(at);

	if (!t)
		return false;
	if (i < 0)
		i += t->n;
	if (i < 0 || i >= t->n)
		return false;
	*v = m->dims->values[t->from + i];
	return true;
}

/* "0.1", "0.1-1" or "0.1x0.0", behind the point. */
static enum sizes_how one(struct sizes_made *m, const char *name, uint32_t arg,
	const char *at)
{
	int64_t v, times;

	if (!dimension(m, arg, &at, &v))
		return SIZES_NOT_TOLD;
	if (*at != 'x')
		return *at != '-' ? put_one(m, name, v)
		       : v	  ? put_one(m, name, v - 1)
				  : SIZES_NOT_TOLD;
	at++;
	arg = (uint32_t)whole(&at);
	at++;
	if (!dimension(m, arg, &at, &times))
		return SIZES_NOT_TOLD;
	if (times > SHAPE_VALUES)
		return SIZES_UNREADABLE;
	int64_t *list = arena_array(m->arena, int64_t, (size_t)times + 1);
	if (!list)
		return SIZES_FULL;
	for (int64_t i = 0; i < times; i++)
		list[i] = v;
	m->list[m->n++] = (struct size){ name, list, (uint32_t)times, true };
	return SIZES_TOLD;
}

/* The product of all dimensions but one, "0/-1" behind the stroke. */
static enum sizes_how rest(struct sizes_made *m, const char *name, uint32_t arg,
	const char *at)
{
	const struct dims_tensor *t = dims_tensor(m->dims, arg);
	int64_t left = whole(&at), product = 1;

	if (!t || !t->n)
		return SIZES_NOT_TOLD;
	for (uint32_t i = 0; i < t->n; i++)
		if (i != (left < 0 ? left + t->n : left) &&
			__builtin_mul_overflow(product,
				m->dims->values[t->from + i], &product))
			return SIZES_UNREADABLE;
	return put_one(m, name, product);
}

/* "0[]#" the elements of each, "0[]+" of all, "0[]l" likewise as a list of one,
 * "0[]n" how many there are. */
static enum sizes_how members(struct sizes_made *m, const char *name,
	uint32_t arg, char what)
{
	const struct dims_arg *a = &m->dims->args[arg];
	int64_t sum = 0;

	if (arg >= m->dims->args_n || !a->is_list || !a->n)
		return SIZES_NOT_TOLD;
	if (what == 'n')
		return put_one(m, name, a->n);
	int64_t *list = arena_array(m->arena, int64_t, a->n);
	if (!list)
		return SIZES_FULL;
	for (uint32_t i = 0; i < a->n; i++) {
		list[i] =
			dims_elements(m->dims, &m->dims->tensors[a->from + i]);
		if (list[i] < 0 || __builtin_add_overflow(sum, list[i], &sum))
			return SIZES_UNREADABLE;
	}
	if (what != '#')
		return put(m, name, &sum, 1, what == 'l');
	m->list[m->n++] = (struct size){ name, list, a->n, true };
	return SIZES_TOLD;
}

/* What all tensors broadcast to, from the last dimension on. */
static enum sizes_how broadcast(struct sizes_made *m, const char *name)
{
	enum { RANK = 32 };
	int64_t out[RANK];
	uint32_t rank = 0;

	for (int64_t k = 0; dims_nth(m->dims, k); k++)
		rank = dims_nth(m->dims, k)->n > rank ? dims_nth(m->dims, k)->n
						      : rank;
	if (rank > RANK)
		return SIZES_NOT_TOLD;
	for (uint32_t i = 0; i < rank; i++)
		out[i] = 1;
	for (int64_t k = 0; dims_nth(m->dims, k); k++) {
		const struct dims_tensor *t = dims_nth(m->dims, k);
		const int64_t *v = m->dims->values + t->from;
		for (uint32_t i = 0; i < t->n; i++)
			if (v[i] != 1)
				out[rank - t->n + i] = v[i];
	}
	const struct dims_tensor *x = dims_nth(m->dims, 0);
	if (!x || (x->n == rank && !memcmp(out, m->dims->values + x->from,
					   rank * sizeof *out)))
		return SIZES_TOLD;
	return put(m, name, out, rank, true);
}

static enum sizes_how lists(struct sizes_made *m, const char *name)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < m->dims->args_n; i++)
		n += m->dims->args[i].is_list;
	return put_one(m, name, n);
}

static enum sizes_how bits(struct sizes_made *m, const char *name, uint32_t arg)
{
	if (arg >= m->dims->args_n)
		return SIZES_NOT_TOLD;
	int b = dtype_bits(m->dims->args[arg].dtype);
	return b ? put_one(m, name, b) : SIZES_NOT_TOLD;
}

static enum sizes_how bytes(struct sizes_made *m, const char *name,
	uint32_t arg, const struct dims_tensor *t)
{
	int64_t n = dims_elements(m->dims, t), b;
	int each = dtype_bits(m->dims->args[arg].dtype);

	if (!each)
		return SIZES_NOT_TOLD;
	if (n < 0 || __builtin_mul_overflow(n, each, &b))
		return SIZES_UNREADABLE;
	return put_one(m, name, (b + 7) / 8);
}

static enum sizes_how by_argument(struct sizes_made *m, const char *name,
	const char *at)
{
	uint32_t arg = (uint32_t)whole(&at);
	const struct dims_tensor *t = dims_tensor(m->dims, arg);

	if (*at == '.')
		return one(m, name, arg, at + 1);
	if (*at == '/')
		return rest(m, name, arg, at + 1);
	if (*at == '[')
		return members(m, name, arg, at[2]);
	if (!t)
		return SIZES_NOT_TOLD;
	if (*at == '#')
		return at[1] == 'b'
			       ? bytes(m, name, arg, t)
			       : put_one(m, name, dims_elements(m->dims, t));
	return put_tensor(m, name, t);
}

static enum sizes_how value(struct sizes_made *m, const char *name,
	const char *at)
{
	if (*at == '=') {
		at++;
		return put_one(m, name, whole(&at));
	}
	if (*at == '~')
		return bits(m, name, (uint32_t)strtol(at + 1, NULL, 10));
	if (at[0] == '*' && at[1] == '*')
		return broadcast(m, name);
	if (at[0] == '*' && at[1] == 'l')
		return lists(m, name);
	if (*at == '*') {
		const struct dims_tensor *t =
			dims_nth(m->dims, strtol(at + 1, NULL, 10));
		return t ? put_tensor(m, name, t) : SIZES_NOT_TOLD;
	}
	return by_argument(m, name, at);
}

static enum sizes_how type(struct sizes_made *m, const char *at)
{
	uint32_t arg = 0;

	if (*at == '*')
		while (arg < m->dims->args_n && !m->dims->args[arg].n)
			arg++;
	else
		arg = (uint32_t)strtol(at, NULL, 10);
	if (arg < m->dims->args_n)
		m->dtype = m->dims->args[arg].dtype;
	return SIZES_TOLD;
}

/* "0:3" */
static enum sizes_how fits(const struct sizes_made *m, const char *at)
{
	const struct dims_tensor *t =
		dims_tensor(m->dims, (uint32_t)whole(&at));
	at++;
	return t && t->n == whole(&at) ? SIZES_TOLD : SIZES_NOT_TOLD;
}

enum sizes_how sizes_word(struct sizes_made *m, const char *word)
{
	size_t len = strcspn(word, "?=: ");

	if (*word == '-')
		return SIZES_NOT_TOLD;
	if (*word == '@')
		return type(m, word + 1);
	if (word[len] == ':')
		return fits(m, word);
	const char *name = size_name(m->arena, word, len);
	if (!name)
		return SIZES_FULL;
	bool may_lack = word[len] == '?';
	enum sizes_how how = value(m, name, word + len + 1 + may_lack);
	return how == SIZES_NOT_TOLD && may_lack ? SIZES_TOLD : how;
}

enum sizes_how sizes_words(struct sizes_made *m, const char *words)
{
	enum sizes_how how = SIZES_TOLD;

	while (*words && how == SIZES_TOLD) {
		how = sizes_word(m, words);
		words += strcspn(words, " ");
		words += *words == ' ';
	}
	return how;
}
