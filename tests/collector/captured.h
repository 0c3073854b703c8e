/* captured.h - reads capture files once and adds up their rows. */
#pragma once
#include <jansson.h>
#include <kernsift/kst_reader.h>
#include <stdbool.h>

struct captured {
	struct kst_reader *reader;
	int64_t base_ns;
	bool each;
	json_t *all;
	int64_t *node; /* numbers of graph nodes with ranges, in order */
	size_t nodes, room;
};

/* Called with each row of a chunk. */
typedef void captured_row_fn(struct captured *c, const struct kst_chunk *ch,
	uint32_t i);
captured_row_fn captured_node, captured_row, captured_print;

void captured_add(json_t *object, const char *key, int64_t n);
