/* event.h - one event of a Kineto or Chrome trace, read but not yet judged.
 *
 * What its words mean is in kineto.def. Spans point into the window and are
 * good until it moves. */
#pragma once
#include "number.h"
#include "scan.h"
#include "words.h"

enum key {
	KEY_NONE,
#define KEY(name, text) KEY_##name,
#include "kineto.def"
#undef KEY
};

enum category {
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

/* The words of kineto.def, ready to be told apart. */
struct kineto_words {
	struct words keys, categories;
};

void kineto_words_init(struct kineto_words *w);

struct event {
	char ph; /* 0 where it has none */
	bool dull; /* of no use; the rest, args too, was not read */
	bool has_args, has_shape;
	enum category category;
	struct span category_text, name, tid, id;
	struct span pid_text; /* a pid that is not a number */
	struct num pid, ts, dur; /* ts and dur in nanoseconds */
	struct span
		args; /* the whole object; `at` is NULL where there is none */
	/* args; a number that is not told is -1 */
	struct span kernel, label; /* of a launch; of metadata */
	struct span dims, types; /* JSON */
	int64_t device, stream, correlation, external_id, graph_id, graph_node,
		bytes, python_id, python_parent, rank, pid_raw;
	int32_t grid[3], block[3], registers, shared;
};

/* Reads the event whose bracket is at p; the place behind it, or NULL. */
const char *event_read(struct scan *s, const struct kineto_words *w,
	const char *p, struct event *e);
