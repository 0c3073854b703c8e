/* rocm.h - what the three formats of ROCm share.
 *
 * Their times are nanoseconds of a clock that counts from boot, records have an
 * end instead of a duration, grids count work-items instead of blocks, and
 * names of kernels end in ".kd", the symbol's suffix. */
#pragma once
#include "fact_list.h"
#include "number.h"
#include "text.h"
#include "trace.h"

/* Numbers ↔ small numbers, for joins: rows are put in any order, sorted once,
 * then found. Where a number was put twice, the first holds. */
struct rocm_map {
	struct arena *arena;
	struct rocm_pair {
		int64_t key, value;
	} * list;
	uint32_t n, cap;
	uint32_t last; /* where the one found last is; rows follow each other */
};

/* False where the arena is full. */
bool rocm_map_put(struct rocm_map *m, int64_t key, int64_t value);
/* To be called between the last put and the first find; likewise. */
bool rocm_map_sort(struct rocm_map *m);
bool rocm_map_find(struct rocm_map *m, int64_t key, int64_t *value);
/* Follows a map from number to number, a few steps: whose call the call of that
 * correlation is part of. */
int64_t rocm_map_follow(struct rocm_map *m, int64_t key);
/* Empties it for the next process. */
void rocm_map_clear(struct rocm_map *m);

/* Durations summed so far, so that no sum passes what a trace can hold. */
struct rocm_times {
	struct trace *trace;
	int64_t total_ns;
};

/* Whether start and end make a span that a trace can hold, and its length;
 * notes why not. `what` is shown of the record. */
bool rocm_span(struct rocm_times *t, struct number start, struct number end,
	const char *what, int64_t *dur_ns);

/* Blocks of a grid of work-items, rounded up; -1 where either is unknown. */
int32_t rocm_blocks(int64_t items, int64_t group);
/* A number as the columns of a launch shape hold it; -1 where they cannot. */
int32_t rocm_small(int64_t n);

/* What an agent record says of its GPU: compute units, gfx version (90402 is
 * gfx942, as compute capability 9.4), memory; each 0 or -1 if unknown. */
void rocm_device_describe(struct device *d, int64_t units, int64_t gfx,
	int64_t bytes);

/* What the records of an agent and its machine say of the surroundings; false
 * if the arena is full. A clock of 0 or less, and empty texts, are unknown. */
bool rocm_clock_fact(struct fact_list *l, int64_t mhz);
bool rocm_system_facts(struct fact_list *l, const char *system,
	size_t system_len, const char *release, size_t release_len);

/* The bytes of a kernel's name without what its symbol ends in. */
size_t rocm_kernel_len(const char *name, size_t len);
/* The last part of a path, as the name of the program. */
size_t rocm_program_at(const char *path, size_t len);
/* The id of a thread's number as text, NAMES_NONE where the arena is full. */
uint32_t rocm_thread(struct trace *t, int64_t tid);
/* The id of a name made up for what the file names by number alone ("kernel
 * 8"), with a note; NAMES_NONE where the arena is full. */
uint32_t rocm_numbered(struct trace *t, const char *what, int64_t number);

/* Adds to the trace's lists, whose capacity is *cap. A process has a device of
 * a number once; beyond 16,384 devices they have no name, which is noted. False
 * if the arena is full. */
bool rocm_process_add(struct trace *t, uint32_t *cap, const struct process *p);
bool rocm_device_add(struct trace *t, uint32_t *cap, const struct device *d);

/* What a call of roctx leaves: a moment, a range on its thread, one that may
 * cross threads. */
enum rocm_marker { ROCM_MARK, ROCM_RANGE, ROCM_LOOSE };
enum rocm_marker rocm_marker_of(const char *call);
