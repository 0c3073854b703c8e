/* formula_node.h - what a formula is read into: a tree. */
#pragma once
#include "formula.h"

enum formula_op {
	F_NUMBER, /* number */
	F_SIZE, /* name; one number */
	F_LIST, /* name; where it is not told, b, if there is one */
	F_SHARED, /* number: which */
	F_EACH, /* number: which list of the sum around it */
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
	F_OR_ELSE, /* a, or b where a is not told */
	F_IF,
	F_BYTES,
	F_CAUSAL_PAIRS,
	F_ACTIVE_EXPERTS,
	F_DISTINCT_EXPERTS,
	F_AT, /* b-th of list a */
	F_LAST, /* of list a */
	F_LEN,
	F_SUM,
	F_PROD,
	F_LARGEST,
	F_SUM_EACH /* of a over lists b and, where there is one, c */
};

struct formula_node {
	enum formula_op op;
	uint32_t a, b, c; /* nodes; 0 none */
	uint32_t depth; /* of the tree below, what is shared included */
	uint64_t number;
	const char *name;
};
