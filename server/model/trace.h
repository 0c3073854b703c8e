/* trace.h - the records of a file before analysis, independent of its format.
 *
 * Every decoder fills a struct trace and every analysis reads one. Each kind of
 * record has one array per field; trace_columns.def lists the fields. Strings
 * are interned. Times are whole nanoseconds from base_ns, the start of the
 * earliest record.
 *
 * A file may contain several processes (ranks merged into one file, or an
 * export of several processes). So each row has a field `process`. After
 * trace_sort(), the rows of one kind and process are one slice, sorted by
 * start. Each process becomes one run, which may use several devices.
 *
 * The arena owns all memory. A decoder adds rows with trace_<kind>_add(). */
#pragma once
#include "arena.h"
#include "names.h"
#include "note.h"
#include "trace_columns.def"
#include <stdint.h>

/* The durations of a trace add up to at most this (104 days), so that every sum
 * fits into 64 bits and into a JSON number. An event that would exceed this is
 * skipped with NOTE_huge_time. */
#define TRACE_TIME_MAX_NS (INT64_C(1) << 53)

enum range_kind {
	RANGE_ANNOTATION, /* user annotation or NVTX range on the host */
	RANGE_GPU_ANNOTATION, /* such a range on the GPU's timeline */
	RANGE_MODULE, /* nn.Module: … */
	RANGE_PYTHON, /* a Python function */
	RANGE_LOOSE, /* NVTX start/end: may overlap others and change threads */
};

struct slice {
	uint32_t from, to; /* rows [from, to) */
};

/* Grid and block of a launch, and its resources per SM. Interned, because a
 * trace contains few different ones. -1 is unknown. Id 0 means that all are
 * unknown. */
struct launch_shape {
	int32_t grid[3], block[3];
	int32_t registers, shared_bytes;
};

struct device {
	int32_t process; /* index; -1: used by every process of the file */
	int32_t number; /* the device number in kernel records */
	uint32_t name; /* 0 if the trace has none */
	int32_t sm_count, compute_major, compute_minor; /* -1 unknown */
	int64_t memory_bytes; /* -1 unknown */
	uint32_t uuid, bus_id; /* its PCI address; 0 unknown */
};

struct process {
	int64_t pid; /* -1 unknown */
	uint32_t name; /* of the program; 0 unknown */
	int32_t rank, world_size; /* -1 unknown */
	uint32_t host; /* 0 unknown */
	/* One slice per kind and table; set by trace_sort(). */
#define KIND(kind, COLUMNS, what) struct slice kind;
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
};

/* The number by which PyTorch's observers know a call of a host operator. */
struct op_function {
	int64_t external_id, function;
};

/* A tensor that a call of a host operator read or wrote. Calls are in the order
 * of their begin, and the uses of one call follow each other. Only calls that
 * work on data themselves are listed: no views, no allocations, and no calls
 * that only call others. */
struct tensor_use {
	int64_t function; /* as in op_function */
	/* The number of its memory. Memory that is allocated again has the same
	 * number, so only the uses up to the next write are of one tensor. */
	int64_t storage;
	int64_t bytes;
	bool written;
};

/* struct kernel_rows, copy_rows and so on contain `n` rows as one array per
 * column. struct kernel_row and so on contain one row that is to be added. */
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
	const char *format; /* "kineto", "nsys", …: the file's original
		format */
	const char *framework; /* "pytorch", or NULL */
	int64_t base_ns; /* absolute time of 0, in the trace's own clock */
	bool base_is_utc; /* whether that clock counts from 1970 */

	struct process *processes;
	struct device *devices;
	uint32_t processes_n, devices_n;
	/* How many GPUs the file lists for a process, if the decoder gave `devices`
	 * other numbers and left out those without records; else 0. */
	int32_t devices_listed;
	struct names launch_shapes; /* the bytes of struct launch_shape */

	/* Of the execution trace of PyTorch that came with it, if any: numbers
	 * that join it, and tensors. Not in capture files. */
	struct op_function *op_functions; /* of operators with a number */
	struct tensor_use *tensor_uses;
	uint32_t op_functions_n, op_functions_cap;
	uint32_t tensor_uses_n;
	bool backward_uses; /* whether some of them are of a backward pass */

	/* struct kernel_rows kernel; and so on. */
#define KIND(kind, COLUMNS, what) struct kind##_rows kind;
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
};

/* Makes an empty trace in an arena; false if the arena is full. */
bool trace_init(struct trace *t, struct arena *a);

/* Adds a row; false if the arena is full. There is one function per kind:
 * trace_kernel_add(t, &(struct kernel_row){ … }) and so on. */
#define KIND(kind, COLUMNS, what) \
	bool trace_##kind##_add(struct trace *t, const struct kind##_row *row);
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND

/* Makes room for one more element in a list of `n` elements, such as
 * op_functions, and returns the list; NULL if the arena is full. */
void *trace_list_room(struct trace *t, void *list, size_t size, uint32_t n,
	uint32_t *cap);

/* The id of a launch shape, which is added if it is new; NAMES_NONE if the
 * arena is full. */
uint32_t trace_launch_shape(struct trace *t, const struct launch_shape *s);
/* The launch shape of an id. For id 0, all members are -1. */
const struct launch_shape *trace_launch_shape_at(const struct trace *t,
	uint32_t id);

/* Sorts every kind by (process, start_ns), every table by (process, row) and
 * nodes by (process, node). The sort is stable. Sets each process's slices.
 * Call it once, after all rows and processes were added. False if the arena is
 * full. */
bool trace_sort(struct trace *t);

/* The start of the process's earliest record of any kind; INT64_MAX if it has
 * no record. Times of a run's iterations and collectives count from this
 * moment. */
int64_t trace_first_ns(const struct trace *t, const struct process *proc);

/* A process's device with this number, or NULL. */
const struct device *trace_device(const struct trace *t, uint32_t process,
	int32_t number);
