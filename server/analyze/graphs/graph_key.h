/* graph_key.h - what graphs are looked up by. */
#pragma once
#include "operators.h"
#include "trace.h"

/* A hash of the names, whatever their order. `names`: ids, put into order. */
void graph_key(const struct names *texts, uint32_t *names, uint32_t n,
	uint8_t key[32]);
/* A hash of all that the nodes contain. */
void graph_content(const struct graph_node_known *nodes, uint32_t n,
	uint8_t content[32]);
/* By key, then content. */
int graph_compare(const struct graph_known *a, const struct graph_known *b);
/* Those of a key among graphs in that order. */
struct slice graph_find(const struct graph_known *graphs, uint32_t n,
	const uint8_t key[32]);

/* Graphs learned from stream captures of other runs, looked up by the keys that
 * attribute_keys() returned; several of a key if captures differed. */
struct graph_book {
	const struct graph_known *graphs; /* by key, then content */
	uint32_t n;
};
