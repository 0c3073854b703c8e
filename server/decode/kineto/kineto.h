/* kineto.h - reads the events of a Kineto or Chrome trace and makes them rows.
 *
 * kineto.def explains the words of the format. Text spans point into the window
 * and are valid until it moves. */
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

/* The fields with which PyTorch describes a collective call. */
struct kineto_comm {
	struct text_span name, dtype, group;
	struct text_span in_split, out_split, ranks; /* [0, 1, 2, 3] */
	int64_t in_elements, out_elements, group_size, sequence; /* -1 absent */
};

static const struct kineto_comm kineto_comm_none = { .in_elements = -1,
	.out_elements = -1,
	.group_size = -1,
	.sequence = -1 };

struct kineto_event {
	char ph; /* the event's phase; 0 if it has none */
	bool dull; /* of no use; its other fields and its args were not read */
	bool has_args, has_shape;
	bool has_comm; /* `comm` was filled in */
	enum kineto_category category;
	struct text_span category_text, name, tid, id;
	struct text_span pid_text; /* a pid that is not a number */
	struct number pid, ts, dur; /* ts and dur in nanoseconds */
	struct text_span
		args; /* the whole object; `at` is NULL if there is none */
	/* args; a number that is absent is -1 */
	/* a launch's kernel; a metadata event's label */
	struct text_span kernel, label;
	struct text_span dims, types, concrete; /* JSON */
	int64_t device, stream, correlation, external_id, graph_id, graph_node,
		bytes, python_id, python_parent, rank, pid_raw, function;
	int64_t autograd_number; /* Sequence number; -1 none */
	int32_t grid[3], block[3], registers, shared;
	struct kineto_comm comm;
};

/* Reads the event whose bracket is at p. Returns the position after it, or
 * NULL. */
const char *kineto_event_read(struct scan *s, const struct kineto_words *w,
	const char *p, struct kineto_event *e);

/* The process ids of a trace and what was seen under each.
 *
 * Kineto writes the device's number as the "pid" of GPU events. A tool that
 * fuses ranks shifts every pid and adds `rank` and `pid_raw`. So an entry of
 * this list is a pid as written, together with its rank if there is one.
 * kineto.c decides at the end which entries are processes. */

enum { PIDS_MAX = 16384 };

struct kineto_pid {
	int64_t number; /* -1 if the pid is text */
	uint32_t text; /* 0 if the pid is a number */
	int32_t rank; /* -1 unknown */
	int64_t raw; /* the pid before it was shifted; -1 unknown */
	/* number of calls and operators; more than 0 makes it a process */
	uint32_t tasks;
	/* number of annotations and Python calls on the host */
	uint32_t ranges;
	uint32_t gpu; /* number of kernels, copies, sets and GPU annotations */
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

/* The name of the process, or 0. */
uint32_t kineto_rows_pids_name_of(const struct kineto_pids *ps,
	const struct kineto_pid *p);

/* Checks events and makes them rows of a trace.
 *
 * While events are read, a row's `process` is the index of its pid, and its
 * start is absolute. kineto.c and finish.h change both once all rows exist. */

enum { ROWS_KINDS = 5 };

struct kineto_rows {
	struct trace *trace;
	struct text text;
	struct kineto_pids pids;
	int64_t events; /* seen, of any kind */
	int64_t used; /* became a row */
	int64_t total_ns[CATEGORIES]; /* durations so far */
	bool pytorch; /* an event was seen that only PyTorch writes */
	struct word_table views; /* operators whose values are not stored */
	char *label; /* the text of a counter, while it is being built */
	size_t label_cap;
	struct {
		char text[16];
		uint32_t len, id;
	} thread_memo[8];
};

bool kineto_rows_init(struct kineto_rows *r, struct trace *t);

/* Counts the event, and adds it or notes why not. False only if the arena is
 * full. */
bool kineto_rows_event(struct kineto_rows *r, const struct kineto_event *e);

/* Adds the records of collective calls that an event contains: a host operator,
 * an annotation or a kernel. False if the arena is full. */
bool kineto_comms_add(struct kineto_rows *r, const struct kineto_event *e,
	uint16_t pid);

/* Counts an event that could not be read at all; a note shows `what` of it. */
void kineto_rows_bad(struct kineto_rows *r, const char *what, size_t len);
