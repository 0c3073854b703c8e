/* demangle_print.h - the state of writing a name.
 *
 * Private to demangle_print*.c. A type is written around what is of that type,
 * so it has a part to the left and one to the right of it: int (*name)[3]. */
#pragma once
#include "demangle_node.h"

struct printer {
	struct buf *out;
	int64_t item; /* of packs, while one is expanded; -1 all of it */
	size_t dropped; /* where a comma was taken back last */
	const struct node *function; /* whose parameters are written */
	bool in_lambda;
	uint32_t steps;
};

/* demangle_print.c: any node's part to the left; with both of them; the last
 * character so far, NUL where there is none. */
void print_left(struct printer *p, const struct node *n);
void print_whole(struct printer *p, const struct node *n);
char print_last(const struct printer *p);
/* A function's parameters and what follows them. */
void print_function_right(struct printer *p, const struct node *n);

/* demangle_print_type.c: any node's part to the right; the left one of types
 * that others are made into. */
void print_right(struct printer *p, const struct node *n);
void print_type(struct printer *p, const struct node *n);
/* Whether something of the type follows what is of that type. */
bool print_has_right(const struct printer *p, const struct node *n);
