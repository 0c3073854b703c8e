/* inspect_learn.h - what another trace's stream captures teach, so that a file
 * is read as a server reads it that was given the other one before. */
#pragma once
#include "attribute.h"
#include "inspect.h"

struct inspect_learnt {
	struct arena arena;
	struct trace trace;
	struct graph_known *graphs;
	struct graph_book book;
};

/* False with a sentence where the file cannot be read, or teaches nothing. To be
 * released in any case. */
bool inspect_learn(const char *path, const struct catalog *f,
	const struct inspect_limits *limits, struct inspect_learnt *out,
	struct err *e);
void inspect_learnt_release(struct inspect_learnt *l);
