/* kineto_event.h - reads one event of a Kineto or Chrome trace.
 *
 * What its words mean is in kineto.def. Spans point into the window and are
 * good until it moves. */
#pragma once
#include "number.h"
#include "scan.h"
#include "word_table.h"

enum kineto_key {
	KEY_NONE,
#define KEY(name, text) KEY_##name,
#include "kineto.def"
#undef KEY
};

enum kineto_category {
	CATEGORY_NONE,
	CATEGORY_KERNEL,
	CATEGORY_COPY,
	CATEGORY_SET,
	CATEGORY_CALL,
	CATEGORY_OP,
	CATEGORY_ANNOTATION,
	CATEGORY_GPU_ANNOTATION,
	CATEGORY_PYTHON,
	CATEGORY_DULL,
	CATEGORIES,
};

/* Lookup tables for the words of kineto.def. */
struct kineto_words {
	struct word_table keys, categories;
};

void kineto_words_init(struct kineto_words *w);

struct kineto_event {
	char ph; /* 0 where it has none */
	bool dull; /* of no use; the rest, args too, was not read */
	bool has_args, has_shape;
	enum kineto_category category;
	struct text_span category_text, name, tid, id;
	struct text_span pid_text; /* a pid that is not a number */
	struct number pid, ts, dur; /* ts and dur in nanoseconds */
	struct text_span
		args; /* the whole object; `at` is NULL if there is none */
	/* args; a number that is absent is -1 */
	struct text_span kernel, label; /* of a launch; of metadata */
	struct text_span dims, types; /* JSON */
	int64_t device, stream, correlation, external_id, graph_id, graph_node,
		bytes, python_id, python_parent, rank, pid_raw;
	int32_t grid[3], block[3], registers, shared;
};

/* Reads the event whose bracket is at p; the place behind it, or NULL. */
const char *kineto_event_read(struct scan *s, const struct kineto_words *w,
	const char *p, struct kineto_event *e);
