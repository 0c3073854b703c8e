/* graph_key.c - SHA-256 over names and NULs, so that nothing runs together. */
#include "graph_key.h"
#include "sha256.h"
#include <stdlib.h>
#include <string.h>

static int graph_key_by_text(const void *left, const void *right, void *texts)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a == b ? 0 : strcmp(names_text(texts, a), names_text(texts, b));
}

static void graph_key_add(struct sha256 *s, const char *text)
{
	sha256_add(s, text ? text : "", strlen(text ? text : "") + 1);
}

void graph_key(const struct names *texts, uint32_t *names, uint32_t n,
	uint8_t key[32])
{
	struct sha256 s;

	qsort_r(names, n, sizeof *names, graph_key_by_text, (void *)texts);
	sha256_init(&s);
	for (uint32_t i = 0; i < n; i++)
		graph_key_add(&s, names_text(texts, names[i]));
	sha256_end(&s, key);
}

void graph_content(const struct graph_node_known *nodes, uint32_t n,
	uint8_t content[32])
{
	struct sha256 s;

	sha256_init(&s);
	for (uint32_t i = 0; i < n; i++) {
		graph_key_add(&s, nodes[i].kernel);
		graph_key_add(&s, nodes[i].op);
		graph_key_add(&s, nodes[i].shape);
		graph_key_add(&s, dtype_word(nodes[i].dtype));
		sha256_add(&s, &nodes[i].call, sizeof nodes[i].call);
	}
	sha256_end(&s, content);
}

int graph_compare(const struct graph_known *a, const struct graph_known *b)
{
	int key = memcmp(a->key, b->key, sizeof a->key);

	return key ? key : memcmp(a->content, b->content, sizeof a->content);
}

struct slice graph_find(const struct graph_known *graphs, uint32_t n,
	const uint8_t key[32])
{
	uint32_t from = 0, to = n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (memcmp(graphs[middle].key, key, 32) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	while (to < n && memcmp(graphs[to].key, key, 32) == 0)
		to++;
	return (struct slice){ from, to };
}
