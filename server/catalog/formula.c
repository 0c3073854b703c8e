/* formula.c - reads formulas over the sizes of an operator, and computes them
 *
 * A function that reads a part of a formula returns its node, or 0 after it has
 * set the error. */
#include "formula.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- from text to a tree, by descent */

enum formula_op {
	F_NUMBER, /* number */
	F_SIZE, /* name; one number */
	F_LIST, /* name; if the size is unknown, b, if present */
	F_SHARED, /* number: index of the shared name */
	F_EACH, /* number: index of a list in the enclosing sum */
	F_ADD,
	F_SUB,
	F_MUL,
	F_DIV,
	F_FLOOR_DIV,
	F_CEIL_DIV,
	F_MIN,
	F_MAX,
	F_LESS,
	F_LESS_EQUAL,
	F_EQUAL,
	F_NOT_EQUAL,
	F_OR_ELSE, /* a, or b if a is unknown */
	F_IF,
	F_BYTES,
	F_CAUSAL_PAIRS,
	F_WINDOW_PAIRS,
	F_ACTIVE_EXPERTS,
	F_DISTINCT_EXPERTS,
	F_AT, /* b-th of list a */
	F_LAST, /* of list a */
	F_LEN,
	F_SUM,
	F_PROD,
	F_LARGEST,
	F_SUM_EACH /* of a over the lists b and, if present, c */
};

struct formula_node {
	enum formula_op op;
	uint32_t a, b, c; /* nodes; 0 none */
	uint32_t depth; /* of the tree below, including shared formulas */
	uint64_t number;
	const char *name;
};

enum { FORMULA_DEPTH = 60, FORMULA_EACH = 2 };

struct formula_reader {
	struct formula_set *f;
	const char *text, *at, *where;
	struct err *err;
	const char
		*each[FORMULA_EACH]; /* names of the lists in the current sum */
	uint32_t each_n;
	int depth;
};

enum { NODES = 2000, DEPTH = 200, NAME_LEN = 63 };

/* Always false; sets a sentence with the position. */
static bool formula_wrong(struct formula_reader *r, const char *what)
{
	return err_set(r->err, ERR_INPUT,
		"%s: %s at character %d of the formula '%.120s'", r->where,
		what, (int)(r->at - r->text) + 1, r->text);
}

/* Checks the depth, which is limited because trees are processed by
 * recursion. */
static bool formula_shallow(const struct formula_set *f, struct formula_node *n)
{
	const uint32_t below[] = { n->a, n->b, n->c,
		n->op == F_SHARED ? f->roots[n->number] : 0 };

	n->depth = 1;
	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		if (below[i] && f->nodes[below[i]].depth >= n->depth)
			n->depth = f->nodes[below[i]].depth + 1;
	return n->depth <= DEPTH;
}

static uint32_t formula_node(struct formula_reader *r, struct formula_node n)
{
	struct formula_set *f = r->f;

	if (f->n == NODES || !formula_shallow(f, &n)) {
		formula_wrong(r, "more than a formula may hold");
		return 0;
	}
	if (f->n >= f->cap) {
		f->cap = f->cap ? 2 * f->cap : 64;
		f->nodes = arena_grow(f->arena, f->nodes,
			f->cap * sizeof *f->nodes);
	}
	f->nodes[f->n] = n;
	return f->n++;
}

/* 0 if either is. */
static uint32_t formula_two(struct formula_reader *r, enum formula_op op,
	uint32_t a, uint32_t b)
{
	return a && b ? formula_node(r,
				(struct formula_node){ op, .a = a, .b = b })
		      : 0;
}

static bool formula_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static void formula_blanks(struct formula_reader *r)
{
	while (*r->at == ' ')
		r->at++;
}

/* Whether this text is next; if so, skips it. */
static bool formula_skip(struct formula_reader *r, const char *what)
{
	size_t len = strlen(what);

	formula_blanks(r);
	if (strncmp(r->at, what, len) != 0)
		return false;
	r->at += len;
	return true;
}

static bool formula_must(struct formula_reader *r, const char *what,
	const char *sentence)
{
	return formula_skip(r, what) || formula_wrong(r, sentence);
}

/* Length in bytes of the name that comes next; 0 if there is none. */
static size_t formula_name(struct formula_reader *r)
{
	size_t len = 0;

	formula_blanks(r);
	if (*r->at >= '0' && *r->at <= '9')
		return 0;
	while (formula_name_char(r->at[len]))
		len++;
	return len > NAME_LEN ? 0 : len;
}

static bool formula_same(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && memcmp(name, text, len) == 0;
}

/* The name of a size of the set, which must come next; NULL otherwise. */
static const char *formula_size(struct formula_reader *r)
{
	size_t len = formula_name(r);

	for (uint32_t i = 0; len && i < r->f->sizes_n; i++)
		if (formula_same(r->f->sizes[i], r->at, len)) {
			r->at += len;
			return r->f->sizes[i];
		}
	formula_wrong(r, len ? "a name that is no size of the operator"
			     : "no name of a size");
	return NULL;
}

static uint32_t formula_expression(struct formula_reader *r);

/* A size that is a list, or its substitute: x ?? y */
static uint32_t formula_list(struct formula_reader *r)
{
	const char *name = formula_size(r);
	uint32_t other = 0;

	if (!name)
		return 0;
	if (++r->depth > FORMULA_DEPTH) {
		formula_wrong(r, "a formula that is too deep");
		return 0;
	}
	if (formula_skip(r, "??") && !(other = formula_list(r)))
		return 0;
	r->depth--;
	return formula_node(r,
		(struct formula_node){ F_LIST, .b = other, .name = name });
}

/* Reads what follows "sum(": "q: q_lens, s: seq_lens, q*s)". */
static uint32_t formula_sum_each(struct formula_reader *r)
{
	uint32_t lists[FORMULA_EACH] = { 0 };

	if (r->each_n) {
		formula_wrong(r, "a sum within a sum");
		return 0;
	}
	for (;;) {
		const char *back = r->at;
		size_t len = formula_name(r);
		const char *name = r->at;
		r->at += len;
		if (!len || !formula_skip(r, ":")) {
			r->at = back;
			break;
		}
		if (r->each_n == FORMULA_EACH) {
			formula_wrong(r, "a sum over too many lists");
			return 0;
		}
		uint32_t l = formula_list(r);
		if (!l || !formula_must(r, ",", "no ','"))
			return 0;
		lists[r->each_n] = l;
		r->each[r->each_n++] = arena_strndup(r->f->arena, name, len);
	}
	uint32_t body = formula_expression(r);
	r->each_n = 0;
	if (!body || !formula_must(r, ")", "no ')'"))
		return 0;
	return formula_node(r, (struct formula_node){ F_SUM_EACH, .a = body,
				       .b = lists[0], .c = lists[1] });
}

static bool formula_is_sum_each(struct formula_reader *r)
{
	const char *back = r->at;
	size_t len = formula_name(r);

	r->at += len;
	bool is = len > 0 && formula_skip(r, ":");
	r->at = back;
	return is;
}

static const struct {
	const char *name;
	enum formula_op op;
	int args; /* how many numbers; 0: one list; -1: two or more numbers */
} functions[] = {
	{ "prod", F_PROD, 0 },
	{ "sum", F_SUM, 0 },
	{ "len", F_LEN, 0 },
	{ "last", F_LAST, 0 },
	{ "largest", F_LARGEST, 0 },
	{ "bytes", F_BYTES, 1 },
	{ "floor_div", F_FLOOR_DIV, 2 },
	{ "ceil_div", F_CEIL_DIV, 2 },
	{ "causal_pairs", F_CAUSAL_PAIRS, 2 },
	{ "window_pairs", F_WINDOW_PAIRS, 3 },
	{ "if", F_IF, 3 },
	{ "active_experts", F_ACTIVE_EXPERTS, 3 },
	{ "distinct_experts", F_DISTINCT_EXPERTS, 3 },
	{ "min", F_MIN, -1 },
	{ "max", F_MAX, -1 },
};

/* min(a, b, c) is min(min(a, b), c). */
static uint32_t formula_call_many(struct formula_reader *r, enum formula_op op)
{
	uint32_t left = formula_expression(r);

	if (!left || !formula_must(r, ",", "no ','"))
		return 0;
	do
		left = formula_two(r, op, left, formula_expression(r));
	while (left && formula_skip(r, ","));
	return left && formula_must(r, ")", "no ')'") ? left : 0;
}

static uint32_t formula_call_read(struct formula_reader *r, size_t i)
{
	struct formula_node n = { .op = functions[i].op };
	uint32_t args[3] = { 0 };

	if (n.op == F_SUM && formula_is_sum_each(r))
		return formula_sum_each(r);
	if (functions[i].args < 0)
		return formula_call_many(r, n.op);
	if (functions[i].args == 0 && !(n.a = formula_list(r)))
		return 0;
	for (int k = 0; k < functions[i].args; k++) {
		if (k && !formula_must(r, ",", "no ','"))
			return 0;
		args[k] = formula_expression(r);
		if (!args[k])
			return 0;
	}
	if (functions[i].args > 0) {
		n.a = args[0];
		n.b = args[1];
		n.c = args[2];
	}
	return formula_must(r, ")", "no ')'") ? formula_node(r, n) : 0;
}

/* Reads what follows "x[". */
static uint32_t formula_place(struct formula_reader *r, const char *name)
{
	uint32_t l =
		formula_node(r, (struct formula_node){ F_LIST, .name = name });
	uint32_t i = formula_expression(r);

	return formula_must(r, "]", "no ']'") ? formula_two(r, F_AT, l, i) : 0;
}

static bool formula_function(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (formula_same(functions[i].name, name, len))
			return true;
	return false;
}

/* Whether a function's name and '(' are next; if so, sets *n to the function
 * call. */
static bool formula_call(struct formula_reader *r, uint32_t *n)
{
	size_t len = formula_name(r);

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (formula_same(functions[i].name, r->at, len) &&
			r->at[len] == '(') {
			r->at += len + 1;
			*n = formula_call_read(r, i);
			return true;
		}
	return false;
}

static uint32_t formula_named(struct formula_reader *r)
{
	size_t len = formula_name(r);
	const char *name = r->at;
	uint32_t call;

	for (uint32_t i = 0; i < r->each_n; i++)
		if (formula_same(r->each[i], name, len)) {
			r->at += len;
			return formula_node(r,
				(struct formula_node){ F_EACH, .number = i });
		}
	for (uint32_t i = 0; i < r->f->names_n; i++)
		if (formula_same(r->f->names[i], name, len)) {
			r->at += len;
			return formula_node(r,
				(struct formula_node){ F_SHARED, .number = i });
		}
	if (formula_call(r, &call))
		return call;
	const char *size = formula_size(r);
	if (!size)
		return 0;
	if (formula_skip(r, "["))
		return formula_place(r, size);
	return formula_node(r, (struct formula_node){ F_SIZE, .name = size });
}

static uint32_t formula_number(struct formula_reader *r)
{
	uint64_t v = 0;

	for (; *r->at >= '0' && *r->at <= '9'; r->at++)
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (uint64_t)(*r->at - '0'),
				&v)) {
			formula_wrong(r, "a number that exceeds 64 bits");
			return 0;
		}
	return formula_node(r, (struct formula_node){ F_NUMBER, .number = v });
}

static uint32_t formula_factor(struct formula_reader *r)
{
	uint32_t n = 0;

	if (++r->depth > FORMULA_DEPTH) {
		formula_wrong(r, "a formula that is too deep");
		return 0;
	}
	if (formula_skip(r, "(")) {
		n = formula_expression(r);
		n = n && formula_must(r, ")", "no ')'") ? n : 0;
	} else if (*r->at >= '0' && *r->at <= '9') {
		n = formula_number(r);
	} else if (formula_name(r)) {
		n = formula_named(r);
	} else {
		formula_wrong(r, "no number, size or '('");
	}
	if (n && formula_skip(r, "??"))
		n = formula_two(r, F_OR_ELSE, n, formula_factor(r));
	r->depth--;
	return n;
}

static uint32_t formula_term(struct formula_reader *r)
{
	uint32_t left = formula_factor(r);

	while (left) {
		if (formula_skip(r, "*"))
			left = formula_two(r, F_MUL, left, formula_factor(r));
		else if (formula_skip(r, "/"))
			left = formula_two(r, F_DIV, left, formula_factor(r));
		else
			break;
	}
	return left;
}

static uint32_t formula_sum(struct formula_reader *r)
{
	uint32_t left = formula_term(r);

	while (left) {
		if (formula_skip(r, "+"))
			left = formula_two(r, F_ADD, left, formula_term(r));
		else if (formula_skip(r, "-"))
			left = formula_two(r, F_SUB, left, formula_term(r));
		else
			break;
	}
	return left;
}

static uint32_t formula_expression(struct formula_reader *r)
{
	uint32_t left = formula_sum(r);

	if (!left)
		return 0;
	if (formula_skip(r, "<="))
		return formula_two(r, F_LESS_EQUAL, left, formula_sum(r));
	if (formula_skip(r, ">="))
		return formula_two(r, F_LESS_EQUAL, formula_sum(r), left);
	if (formula_skip(r, "<"))
		return formula_two(r, F_LESS, left, formula_sum(r));
	if (formula_skip(r, ">"))
		return formula_two(r, F_LESS, formula_sum(r), left);
	if (formula_skip(r, "=="))
		return formula_two(r, F_EQUAL, left, formula_sum(r));
	if (formula_skip(r, "!="))
		return formula_two(r, F_NOT_EQUAL, left, formula_sum(r));
	return left;
}

void formula_init(struct formula_set *f, struct arena *a,
	const char *const *sizes, uint32_t sizes_n)
{
	*f = (struct formula_set){ .arena = a,
		.sizes = sizes,
		.sizes_n = sizes_n,
		.n = 1 };
}

static bool formula_read_all(struct formula_reader *r, uint32_t *root)
{
	if (strlen(r->text) > FORMULA_LEN)
		return err_set(r->err, ERR_INPUT,
			"%s: the formula is longer than %d characters",
			r->where, FORMULA_LEN);
	*root = formula_expression(r);
	formula_skip(r, ""); /* blanks */
	return *root &&
	       (!*r->at || formula_wrong(r, "something that does not belong"));
}

bool formula_read(struct formula_set *f, const char *text, const char *where,
	uint32_t *root, struct err *e)
{
	struct formula_reader r = { .f = f,
		.text = text,
		.at = text,
		.where = where,
		.err = e };

	return formula_read_all(&r, root);
}

bool formula_share(struct formula_set *f, const char *text, const char *where,
	struct err *e)
{
	struct formula_reader r = { .f = f,
		.text = text,
		.at = text,
		.where = where,
		.err = e };
	size_t len = formula_name(&r);
	const char *name = r.at;

	if (!len)
		return formula_wrong(&r, "no name before '='");
	for (uint32_t i = 0; i < f->sizes_n; i++)
		if (formula_same(f->sizes[i], name, len))
			return formula_wrong(&r, "the name of a size");
	for (uint32_t i = 0; i < f->names_n; i++)
		if (formula_same(f->names[i], name, len))
			return formula_wrong(&r, "a name that is already "
						 "defined");
	if (formula_function(name, len))
		return formula_wrong(&r, "the name of a function");
	if (f->names_n == FORMULA_SHARED)
		return formula_wrong(&r, "one shared name too many");
	r.at += len;
	if (!formula_must(&r, "=", "no '='") ||
		!formula_read_all(&r, &f->roots[f->names_n]))
		return false;
	f->names[f->names_n++] = arena_strndup(f->arena, name, len);
	return true;
}

/* ---- what a shape must contain */

/* Each shared name is checked only once. Otherwise a few lines could take
 * exponential time. */
struct formula_search {
	const struct formula_set *f;
	const struct shape *s;
	bool done[FORMULA_SHARED];
	const char *lacks[FORMULA_SHARED];
};

static const char *formula_lacks_below(struct formula_search *x, uint32_t at)
{
	const struct formula_node *n = &x->f->nodes[at];
	const uint32_t below[] = { n->a, n->b, n->c };
	const char *name = NULL;

	switch (n->op) {
	case F_SIZE:
		return shape_size(x->s, n->name) ? NULL : n->name;
	case F_LIST:
		if (shape_size(x->s, n->name))
			return NULL;
		return n->b ? formula_lacks_below(x, n->b) : n->name;
	case F_SHARED:
		if (!x->done[n->number])
			x->lacks[n->number] =
				formula_lacks_below(x, x->f->roots[n->number]);
		x->done[n->number] = true;
		return x->lacks[n->number];
	case F_OR_ELSE:
		return formula_lacks_below(x, n->a)
			       ? formula_lacks_below(x, n->b)
			       : NULL;
	default:
		break;
	}
	for (size_t i = 0; !name && i < sizeof below / sizeof *below; i++)
		if (below[i])
			name = formula_lacks_below(x, below[i]);
	return name;
}

const char *formula_lacks(const struct formula_set *f, uint32_t root,
	const struct shape *s)
{
	struct formula_search x = { .f = f, .s = s };

	return formula_lacks_below(&x, root);
}

/* ---- from a tree and a shape to a number, or to an error */

struct formula_evaluation {
	const struct formula_set *f;
	const struct shape *s;
	const char *who;
	struct formula_values *v;
	int64_t each[2]; /* current values of the lists in the current sum */
	struct err *err;
};

/* Unsigned, because clang needs a library for overflow checks of signed 128-bit
 * numbers. */
typedef unsigned __int128 whole;

static bool formula_fault_too_large(const struct formula_evaluation *x)
{
	return err_set(x->err, ERR_TOO_LARGE,
		"a figure of the cost of '%s' exceeds 64 bits", x->who);
}

static bool formula_fault(const struct formula_evaluation *x, const char *what)
{
	return err_set(x->err, ERR_INPUT,
		"the cost of '%s' cannot be "
		"computed: %s",
		x->who, what);
}

static bool formula_fault_missing_size(const struct formula_evaluation *x,
	const char *name)
{
	return err_set(x->err, ERR_INPUT,
		"the cost of '%s' needs its size '%s', which is unknown",
		x->who, name);
}

static bool formula_evaluate(struct formula_evaluation *x, uint32_t at,
	whole *out);

static const struct size *formula_value_list(struct formula_evaluation *x,
	uint32_t at)
{
	const struct formula_node *n = &x->f->nodes[at];
	const struct size *s = shape_size(x->s, n->name);

	if (s && s->is_list)
		return s;
	if (!s && n->b)
		return formula_value_list(x, n->b);
	if (!s)
		formula_fault_missing_size(x, n->name);
	else
		err_set(x->err, ERR_INPUT,
			"the cost of '%s' needs its size '%s' as a list",
			x->who, n->name);
	return NULL;
}

static bool formula_evaluate_list(struct formula_evaluation *x,
	const struct formula_node *n, whole *out)
{
	const struct size *s = formula_value_list(x, n->a);
	whole at;

	if (!s)
		return false;
	*out = n->op == F_PROD ? 1 : n->op == F_LEN ? s->n : 0;
	if (n->op == F_AT || n->op == F_LAST) {
		at = s->n - (whole)1;
		if (n->op == F_AT && !formula_evaluate(x, n->b, &at))
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
			return formula_fault_too_large(x);
	}
	return true;
}

static bool formula_evaluate_sum(struct formula_evaluation *x,
	const struct formula_node *n, whole *out)
{
	const struct size *one = formula_value_list(x, n->b);
	const struct size *other = n->c ? formula_value_list(x, n->c) : one;
	/* A shared name in the term may itself contain a sum. */
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
		if (!formula_evaluate(x, n->a, &term))
			return false;
		if (__builtin_add_overflow(*out, term, out))
			return formula_fault_too_large(x);
	}
	memcpy(x->each, around, sizeof around);
	return true;
}

static bool formula_value_number(struct formula_evaluation *x, const char *name,
	whole *out)
{
	const struct size *s = shape_size(x->s, name);

	if (!s)
		return formula_fault_missing_size(x, name);
	if (s->is_list)
		return err_set(x->err, ERR_INPUT,
			"the cost of '%s' needs its size '%s' as one number",
			x->who, name);
	assert(s->values[0] >= 0);
	*out = (whole)s->values[0];
	return true;
}

static bool formula_value_shared(struct formula_evaluation *x, uint64_t which,
	whole *out)
{
	if (!x->v->done[which] &&
		!formula_evaluate(x, x->f->roots[which], &x->v->value[which]))
		return false;
	x->v->done[which] = true;
	*out = x->v->value[which];
	return true;
}

static bool formula_value_bytes(struct formula_evaluation *x, whole n,
	whole *out)
{
	whole bits = (whole)dtype_bits(x->s->dtype);

	if (bits == 0)
		return err_set(x->err, ERR_INPUT,
			"the cost of '%s' needs its dtype, which is unknown",
			x->who);
	if (__builtin_mul_overflow(n, bits, out))
		return formula_fault_too_large(x);
	*out = *out / 8 + (*out % 8 != 0);
	return true;
}

/* The last query sees all keys, and each earlier query sees one key fewer. If
 * there are more queries than keys, the first queries see no key. */
static bool formula_value_causal(struct formula_evaluation *x, whole q, whole k,
	whole *out)
{
	whole n = q < k ? q : k, all, less;

	if (__builtin_mul_overflow(n, k, &all) ||
		__builtin_mul_overflow(n, n - (n > 0), &less))
		return formula_fault_too_large(x);
	*out = all - less / 2;
	return true;
}

/* Like formula_value_causal(), but a query sees at most `before` keys before its
 * own. The number of keys that the queries see grows from the first query that
 * sees any up to the last one, but not above before + 1. */
static bool formula_value_window(struct formula_evaluation *x, const whole v[3],
	whole *out)
{
	whole q = v[0], k = v[1], most, full;

	if (__builtin_add_overflow(v[2], 1, &most))
		return formula_fault_too_large(x);
	if (most >= k)
		return formula_value_causal(x, q, k, out);
	/* queries with a full window: the last k - most + 1 */
	full = k - most + 1 < q ? k - most + 1 : q;
	whole less = q - full < most - 1 ? q - full : most - 1;
	return formula_value_causal(x, less, most - 1, out) &&
	       (!__builtin_mul_overflow(full, most, &full) ||
		       formula_fault_too_large(x)) &&
	       (!__builtin_add_overflow(*out, full, out) ||
		       formula_fault_too_large(x));
}

/* t tokens draw k of e experts each; all experts are equally likely. */
static bool formula_value_experts(struct formula_evaluation *x,
	enum formula_op op, const whole v[3], whole *out)
{
	double e = (double)v[0], k = (double)v[1], t = (double)v[2];
	whole draws;

	if (v[0] == 0 || v[1] > v[0])
		return formula_fault(x, "a token uses more experts than exist");
	if (__builtin_mul_overflow(v[1], v[2], &draws) || draws > INT64_MAX)
		return formula_fault_too_large(x);
	*out = 0;
	if (op == F_DISTINCT_EXPERTS) {
		/* No draw of one expert: -inf * 0 has no value. */
		if (v[1] == 0)
			return true;
		*out = (whole)llround(t * e * -expm1(k * log1p(-1 / e)));
		return true;
	}
	/* A rounding error must not increase a whole number by one. */
	double reached = v[0] == v[1] ? e : e * -expm1(t * log1p(-k / e));
	*out = (whole)ceil(reached * (1 - 1e-12));
	*out = *out < v[0] ? *out : v[0];
	*out = *out < draws ? *out : draws;
	return true;
}

static bool formula_value_divide(struct formula_evaluation *x,
	enum formula_op op, whole a, whole b, whole *out)
{
	if (b == 0)
		return formula_fault(x, "a divisor is zero");
	if (op == F_DIV && a % b != 0)
		return formula_fault(x, "a division has a remainder");
	*out = a / b + (op == F_CEIL_DIV && a % b != 0);
	return true;
}

static bool formula_value_combine(struct formula_evaluation *x,
	enum formula_op op, const whole v[3], whole *out)
{
	whole a = v[0], b = v[1];

	switch (op) {
	case F_ADD:
		return !__builtin_add_overflow(a, b, out) ||
		       formula_fault_too_large(x);
	case F_MUL:
		return !__builtin_mul_overflow(a, b, out) ||
		       formula_fault_too_large(x);
	case F_SUB:
		*out = a - b;
		return a >= b || formula_fault(x, "a difference is negative");
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
		return formula_value_bytes(x, a, out);
	case F_CAUSAL_PAIRS:
		return formula_value_causal(x, a, b, out);
	case F_WINDOW_PAIRS:
		return formula_value_window(x, v, out);
	case F_ACTIVE_EXPERTS:
	case F_DISTINCT_EXPERTS:
		return formula_value_experts(x, op, v, out);
	default:
		return formula_value_divide(x, op, a, b, out);
	}
}

static bool formula_evaluate(struct formula_evaluation *x, uint32_t at,
	whole *out)
{
	const struct formula_node *n = &x->f->nodes[at];
	const uint32_t below[] = { n->a, n->b, n->c };
	whole v[3] = { 0 };

	switch (n->op) {
	case F_NUMBER:
		*out = n->number;
		return true;
	case F_SIZE:
		return formula_value_number(x, n->name, out);
	case F_EACH:
		*out = (whole)x->each[n->number];
		return true;
	case F_SHARED:
		return formula_value_shared(x, n->number, out);
	case F_AT:
	case F_LAST:
	case F_LEN:
	case F_SUM:
	case F_PROD:
	case F_LARGEST:
		return formula_evaluate_list(x, n, out);
	case F_SUM_EACH:
		return formula_evaluate_sum(x, n, out);
	case F_OR_ELSE:
		at = formula_lacks(x->f, n->a, x->s) ? n->b : n->a;
		return formula_evaluate(x, at, out);
	case F_IF:
		if (!formula_evaluate(x, n->a, &v[0]))
			return false;
		return formula_evaluate(x, v[0] ? n->b : n->c, out);
	default:
		break;
	}
	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		if (below[i] && !formula_evaluate(x, below[i], &v[i]))
			return false;
	return formula_value_combine(x, n->op, v, out);
}

bool formula_value(const struct formula_set *f, uint32_t root,
	const struct shape *s, const char *who, struct formula_values *v,
	uint64_t *out, struct err *e)
{
	struct formula_evaluation x = { .f = f,
		.s = s,
		.who = who,
		.v = v,
		.err = e };
	whole n = 0;

	if (!formula_evaluate(&x, root, &n))
		return false;
	if (n > UINT64_MAX)
		return formula_fault_too_large(&x);
	*out = (uint64_t)n;
	return true;
}
