/* formula_call.c - functions, lists and places in a formula. */
#include "formula_reader.h"

uint32_t formula_list(struct formula_reader *r)
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

/* Behind "sum(": "q: q_lens, s: seq_lens, q*s)". */
static uint32_t sum_each(struct formula_reader *r)
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

static bool is_sum_each(struct formula_reader *r)
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
	{ "if", F_IF, 3 },
	{ "active_experts", F_ACTIVE_EXPERTS, 3 },
	{ "distinct_experts", F_DISTINCT_EXPERTS, 3 },
	{ "min", F_MIN, -1 },
	{ "max", F_MAX, -1 },
};

/* min(a, b, c) is min(min(a, b), c). */
static uint32_t many(struct formula_reader *r, enum formula_op op)
{
	uint32_t left = formula_expression(r);

	if (!left || !formula_must(r, ",", "no ','"))
		return 0;
	do
		left = formula_two(r, op, left, formula_expression(r));
	while (left && formula_skip(r, ","));
	return left && formula_must(r, ")", "no ')'") ? left : 0;
}

static uint32_t call(struct formula_reader *r, size_t i)
{
	struct formula_node n = { .op = functions[i].op };
	uint32_t args[3] = { 0 };

	if (n.op == F_SUM && is_sum_each(r))
		return sum_each(r);
	if (functions[i].args < 0)
		return many(r, n.op);
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

uint32_t formula_place(struct formula_reader *r, const char *name)
{
	uint32_t l =
		formula_node(r, (struct formula_node){ F_LIST, .name = name });
	uint32_t i = formula_expression(r);

	return formula_must(r, "]", "no ']'") ? formula_two(r, F_AT, l, i) : 0;
}

bool formula_function(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (formula_same(functions[i].name, name, len))
			return true;
	return false;
}

bool formula_call(struct formula_reader *r, uint32_t *n)
{
	size_t len = formula_name(r);

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (formula_same(functions[i].name, r->at, len) &&
			r->at[len] == '(') {
			r->at += len + 1;
			*n = call(r, i);
			return true;
		}
	return false;
}
