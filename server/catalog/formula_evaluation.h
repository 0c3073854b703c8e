/* formula_evaluation.h - a formula while it is worked out for one shape. */
#pragma once
#include "formula_node.h"

struct evaluation {
	const struct formula_set *f;
	const struct shape *s;
	const char *who;
	struct formula_values *v;
	int64_t each[2]; /* of the sum that is being added up */
	struct err *err;
};

/* Unsigned: of signed ones clang would need a library for overflow. */
typedef unsigned __int128 whole;

/* ---- formula_value.c */
bool evaluate(struct evaluation *x, uint32_t at, whole *out);

/* ---- formula_sum.c: what makes one number of a list */
bool evaluate_list(struct evaluation *x, const struct formula_node *n,
	whole *out);
bool evaluate_sum(struct evaluation *x, const struct formula_node *n,
	whole *out);

/* ---- formula_fault.c: always false */
bool fault_too_large(const struct evaluation *x);
bool fault_not_told(const struct evaluation *x, const char *name);
bool fault(const struct evaluation *x, const char *what);
