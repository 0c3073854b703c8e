/* nsys.h - decodes SQLite exports of Nsight Systems */
#pragma once
#include "fact_list.h"
#include "sqlite.h"

/* What the readers of an Nsight Systems export share.
 *
 * Schemas 2.9 to 3.25 are read. The exporter omits empty tables, and columns
 * were added over the years, so everything is looked up by name. Times are
 * nanoseconds from the session's start; earlier events have negative times.
 * Names are numbers of StringIds. A global id holds the machine (8 bits), its
 * VM (8), the process (24) and the thread (24). */

/* What durations are summed up for. */
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
	int32_t device; /* as its kernels name it */
	int64_t gpu; /* of the machine; -1 unknown */
	int64_t clock_mhz; /* the highest of its SMs; 0 unknown */
};

/* Whose work an API call caused. */
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

/* Reads a table of events: every row through `take`, whose columns `start` and
 * `end` come first. */
typedef bool nsys_take_fn(struct nsys *n, struct sqlite_rows *r, struct err *e);
bool nsys_event_walk(struct nsys *n, const char *table,
	const struct sqlite_column *columns, int columns_n, nsys_take_fn *take,
	struct err *e);

/* The text whose number the column holds; 0 if it holds none. A number that has
 * no text is noted and becomes the name. False only with *e. */
bool nsys_event_name(struct nsys *n, struct sqlite_rows *r, int column,
	uint32_t *name, struct err *e);

/* The row's time; false, and noted, where it has none that can be used. */
bool nsys_event_span(struct nsys *n, struct sqlite_rows *r, enum nsys_kind kind,
	uint32_t name, int64_t *start_ns, int64_t *dur_ns);

/* The index of a global id's process, added if new. Where `may`
 * is false it is not added, and NSYS_NOBODY. False only with *e. */
enum { NSYS_NOBODY = UINT16_MAX, NSYS_THREAD_BITS = 24 };
#define NSYS_PID_MASK INT64_C(0xFFFFFF)
bool nsys_event_process(struct nsys *n, int64_t global, bool may,
	uint16_t *process, struct err *e);
/* The process of that index, as its global id without the thread; NSYS_UNKNOWN
 * if nothing says which it is. */
#define NSYS_UNKNOWN INT64_MIN
int64_t nsys_event_process_key(const struct nsys *n, uint32_t process);
/* The id of a thread's text. */
uint32_t nsys_event_thread(struct nsys *n, int64_t global);

bool nsys_gpu(struct nsys *n, struct err *e);
bool nsys_nvtx(struct nsys *n, struct err *e);
