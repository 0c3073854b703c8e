/* trace.h - what a file contains, before any analysis.
 *
 * The neutral model in the middle: every decoder fills one, every analysis
 * reads one. Columnar: per kind of record one array per field, listed once in
 * trace_columns.def. Strings are interned. Times are whole nanoseconds from
 * base_ns, the start of the earliest record.
 *
 * A file may hold several processes (ranks fused into one file, a multi-
 * process export): rows carry `process`, and after trace_sort() each process's
 * rows of a kind are one slice, sorted by start. One process becomes one run;
 * its devices are a split of it.
 *
 * All memory is the arena's; a decoder adds rows with trace_<kind>_add(). */
#pragma once
#include "arena.h"
#include "names.h"
#include "note.h"
#include "trace_columns.def"
#include <stdint.h>

/* Durations of a trace add up to at most this (104 days): every sum fits both
 * 64 bits and a JSON number. What would pass it is NOTE_huge_time. */
#define TRACE_TIME_MAX_NS (INT64_C(1) << 53)

enum range_kind {
	RANGE_ANNOTATION, /* user annotation, NVTX, on the host */
	RANGE_GPU_ANNOTATION, /* the same, as the GPU saw it */
	RANGE_MODULE, /* nn.Module: … */
	RANGE_PYTHON, /* a Python function */
	RANGE_LOOSE, /* NVTX start/end: may cross others and change threads */
};

struct slice {
	uint32_t from, to; /* rows [from, to) */
};

/* Grid and block of a launch and its resources on the SM; interned, because a
 * trace has few. -1 is unknown. Id 0 is "all unknown". */
struct launch_shape {
	int32_t grid[3], block[3];
	int32_t registers, shared_bytes;
};

struct device {
	int32_t process; /* index; -1: of every process in the file */
	int32_t number; /* as kernels name it */
	uint32_t name; /* 0 if the trace has none */
	int32_t sm_count, compute_major, compute_minor; /* -1 unknown */
	int64_t memory_bytes; /* -1 unknown */
};

struct process {
	int64_t pid; /* -1 unknown */
	uint32_t name; /* of the program, 0 unknown */
	int32_t rank, world_size; /* -1 unknown */
	uint32_t host; /* 0 unknown */
	/* One slice per kind and table, after trace_sort(). */
#define KIND(kind, COLUMNS, what) struct slice kind;
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
};

/* struct kernel_rows, copy_rows and so on: `n` rows, an array per column.
 * struct kernel_row and so on: one row, for adding. */
#define COLUMN_ARRAY(type, field, what) type *field;
#define COLUMN_VALUE(type, field, what) type field;
#define KIND(kind, COLUMNS, what)     \
	struct kind##_rows {          \
		uint32_t n, cap;      \
		COLUMNS(COLUMN_ARRAY) \
	};                            \
	struct kind##_row {           \
		COLUMNS(COLUMN_VALUE) \
	};
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN_ARRAY
#undef COLUMN_VALUE

struct trace {
	struct arena *arena;
	struct names names;
	struct notes notes;
	const char
		*format; /* "kineto", "nsys", …: what it was first read from */
	const char *framework; /* "pytorch", or NULL */
	int64_t base_ns; /* absolute time of 0, in the trace's own clock */
	bool base_is_utc; /* whether that clock counts from 1970 */

	struct process *processes;
	struct device *devices;
	uint32_t processes_n, devices_n;
	struct names launch_shapes; /* the bytes of struct launch_shape */

	/* struct kernel_rows kernel; and so on. */
#define KIND(kind, COLUMNS, what) struct kind##_rows kind;
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
};

/* An empty trace over an arena; false where the arena is full. */
bool trace_init(struct trace *t, struct arena *a);

/* Adds a row; false where the arena is full. One function per kind:
 * trace_kernel_add(t, &(struct kernel_row){ … }) and so on. */
#define KIND(kind, COLUMNS, what) \
	bool trace_##kind##_add(struct trace *t, const struct kind##_row *row);
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND

/* The id of an equal launch shape, added if new; NAMES_NONE where full. */
uint32_t trace_launch_shape(struct trace *t, const struct launch_shape *s);
/* The launch shape of an id; of id 0 one with -1 throughout. */
const struct launch_shape *trace_launch_shape_at(const struct trace *t,
	uint32_t id);

/* Sorts every kind by (process, start_ns), every table by (process, row) and
 * nodes by (process, node), stable, and sets each process's slices. To be
 * called once, when all rows and processes are there. False where the arena is
 * full. */
bool trace_sort(struct trace *t);

/* The start of the process's earliest record of any kind; INT64_MAX where it has
 * none. What a run's iterations and collectives count from. */
int64_t trace_first_ns(const struct trace *t, const struct process *proc);

/* A process's device of that number, or NULL. */
const struct device *trace_device(const struct trace *t, uint32_t process,
	int32_t number);
