/* nsys.h - decodes SQLite exports of Nsight Systems */
#pragma once
#include "fact_list.h"
#include "sqlite.h"

/* What the readers of an Nsight Systems export share.
 *
 * Schemas 2.9 to 3.25 are read. The exporter omits empty tables, and columns
 * were added over the years, so tables and columns are looked up by name. Times
 * are nanoseconds since the session's start; earlier events have negative
 * times. Names are stored as numbers of the table StringIds. A global id
 * contains the machine (8 bits), its VM (8), the process (24) and the thread
 * (24). */

/* The kinds of event whose durations are summed. */
enum nsys_kind {
	NSYS_KERNEL,
	NSYS_COPY,
	NSYS_GRAPH,
	NSYS_CALL,
	NSYS_RANGE,
	NSYS_KINDS
};

/* A device that a process used. */
struct nsys_use {
	uint16_t process;
	int32_t device; /* as its kernels number it */
	int64_t gpu; /* its number on the machine; -1 unknown */
	int64_t clock_mhz; /* the highest clock of its SMs; 0 unknown */
};

/* The process whose API call has this correlation. */
struct nsys_cause {
	int64_t correlation;
	uint16_t process;
};

struct nsys {
	struct sqlite_file *file;
	struct trace *trace;
	struct text text;
	struct sqlite_names strings;
	struct names processes; /* 8 bytes each: global id without the thread */
	int64_t last_key,
		last_tid; /* the last key that was looked up, and its result */
	uint16_t last_process;
	uint32_t last_thread;
	int64_t total_ns[NSYS_KINDS];
	struct nsys_use *uses;
	uint32_t uses_n, uses_cap, use_last;
	struct nsys_cause *causes; /* sorted; NULL until first needed */
	uint32_t causes_n;
	int64_t rows; /* read from all tables of events */
	bool pytorch; /* a range is named as only PyTorch does */
	struct fact_list facts; /* of the machine and the session */
	const char *traced[16]; /* kinds of event that were traced */
	uint32_t traced_n;
};

/* Reads a table of events: calls `take` for every row. The columns `start` and
 * `end` come first in `columns`. */
typedef bool nsys_take_fn(struct nsys *n, struct sqlite_rows *r, struct err *e);
bool nsys_event_walk(struct nsys *n, const char *table,
	const struct sqlite_column *columns, int columns_n, nsys_take_fn *take,
	struct err *e);

/* The text whose number is in the column; 0 if the column has no value. A
 * number without a text is noted, and the number becomes the name. False only
 * with *e. */
bool nsys_event_name(struct nsys *n, struct sqlite_rows *r, int column,
	uint32_t *name, struct err *e);

/* The row's start and duration. False, with a note, if it has no usable
 * time. */
bool nsys_event_span(struct nsys *n, struct sqlite_rows *r, enum nsys_kind kind,
	uint32_t name, int64_t *start_ns, int64_t *dur_ns);

/* The index of the process of a global id. A new process is added; if `may` is
 * false, it is not added and *process is NSYS_NOBODY. False only with *e. */
enum { NSYS_NOBODY = UINT16_MAX, NSYS_THREAD_BITS = 24 };
#define NSYS_PID_MASK INT64_C(0xFFFFFF)
bool nsys_event_process(struct nsys *n, int64_t global, bool may,
	uint16_t *process, struct err *e);
/* The process at that index, as its global id without the thread; NSYS_UNKNOWN
 * if the id is not known. */
#define NSYS_UNKNOWN INT64_MIN
int64_t nsys_event_process_key(const struct nsys *n, uint32_t process);
/* The id of the text that names a thread. */
uint32_t nsys_event_thread(struct nsys *n, int64_t global);

bool nsys_gpu(struct nsys *n, struct err *e);
/* Reads the ranges, then the calls of NCCL among them. */
bool nsys_nvtx(struct nsys *n, struct err *e);
bool nsys_nccl(struct nsys *n, struct err *e);
