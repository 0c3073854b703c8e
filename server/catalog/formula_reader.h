/* formula_reader.h - a formula while it is read: from text to a tree, by descent.
 *
 * What reads a part gives its node, or 0 where it has told what is wrong. */
#pragma once
#include "formula_node.h"

enum { FORMULA_DEPTH = 60, FORMULA_EACH = 2 };

struct formula_reader {
	struct formula_set *f;
	const char *text, *at, *where;
	struct err *err;
	const char
		*each[FORMULA_EACH]; /* names of the sum that is being read */
	uint32_t each_n;
	int depth;
};

/* ---- formula_text.c */

/* Always false; a sentence with the place. */
bool formula_wrong(struct formula_reader *r, const char *what);
uint32_t formula_node(struct formula_reader *r, struct formula_node n);
/* 0 where either is. */
uint32_t formula_two(struct formula_reader *r, enum formula_op op, uint32_t a,
	uint32_t b);
/* Whether that comes next; then it is behind us. */
bool formula_skip(struct formula_reader *r, const char *what);
bool formula_must(struct formula_reader *r, const char *what,
	const char *sentence);
/* Bytes of the name that comes next; 0 where none does. */
size_t formula_name(struct formula_reader *r);
bool formula_same(const char *name, const char *text, size_t len);
/* The name of a size of the set, which must come next; NULL otherwise. */
const char *formula_size(struct formula_reader *r);

/* ---- formula_call.c */

/* A size that is a list, or what stands for it: x ?? y */
uint32_t formula_list(struct formula_reader *r);
bool formula_function(const char *name, size_t len);
/* Whether a function's name and '(' come next; then *n is the call. */
bool formula_call(struct formula_reader *r, uint32_t *n);
/* Behind "x[". */
uint32_t formula_place(struct formula_reader *r, const char *name);

/* ---- formula_read.c */

uint32_t formula_expression(struct formula_reader *r);
