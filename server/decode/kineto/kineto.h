/* kineto.h - reads the events of a Kineto or Chrome trace and makes them rows.
 *
 * What their words mean is in kineto.def. Spans point into the window and are
 * good until it moves. */
#pragma once
#include "number.h"
#include "scan.h"
#include "text.h"
#include "trace.h"
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

/* The process ids of a trace and what was seen under each.
 *
 * Kineto puts GPU events under a "pid" that is the device's number, and a tool
 * that fuses ranks shifts every pid and adds `rank` and `pid_raw`. So an entry
 * here is a pid as written, together with its rank if there is one; which of
 * them are processes is decided at the end (kineto.c). */

enum { PIDS_MAX = 16384 };

struct kineto_pid {
	int64_t number; /* -1 where it is text */
	uint32_t text; /* 0 where it is a number */
	int32_t rank; /* -1 unknown */
	int64_t raw; /* before it was shifted; -1 unknown */
	uint32_t tasks; /* calls and ops: what makes it a process */
	uint32_t ranges; /* annotations and Python on the host */
	uint32_t gpu; /* kernels, copies and sets, GPU annotations */
};

struct kineto_pids {
	struct trace *trace;
	struct names keys; /* → index + 1 */
	struct kineto_pid *list;
	uint32_t n, cap;
	struct names named; /* pids that have a name → index + 1 */
	uint32_t *process_names;
	uint32_t process_names_cap;
	struct pid_memo {
		int64_t pid, rank;
		uint32_t index;
		bool good;
	} memo[8];
};

/* The name, or 0. */
uint32_t kineto_rows_pids_name_of(const struct kineto_pids *ps,
	const struct kineto_pid *p);

/* Events are checked and become rows of a trace.
 *
 * While events come in, a row's `process` is the index of its pid and its
 * start is absolute; kineto.c and finish.h change both once all rows are there. */

enum { ROWS_KINDS = 5 };

struct kineto_rows {
	struct trace *trace;
	struct text text;
	struct kineto_pids pids;
	int64_t events; /* seen, of any kind */
	int64_t used; /* became a row */
	int64_t total_ns[CATEGORIES]; /* durations so far */
	bool pytorch; /* something only PyTorch writes was seen */
	char *label; /* of a counter, while it is put together */
	size_t label_cap;
	struct {
		char text[16];
		uint32_t len, id;
	} thread_memo[8];
};

bool kineto_rows_init(struct kineto_rows *r, struct trace *t);

/* Counts the event, and adds it or notes why not. False only where the arena
 * is full. */
bool kineto_rows_event(struct kineto_rows *r, const struct kineto_event *e);

/* An event that could not be read at all; `what` of it is shown. */
void kineto_rows_bad(struct kineto_rows *r, const char *what, size_t len);
