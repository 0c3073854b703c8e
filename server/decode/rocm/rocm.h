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

/* A map from numbers to numbers, for joins: add pairs in any order, sort once,
 * then look up. If a key was added twice, the first pair is used. */
struct rocm_map {
	struct arena *arena;
	struct rocm_pair {
		int64_t key, value;
	} * list;
	uint32_t n, cap;
	/* index of the last result; the next one is often adjacent */
	uint32_t last;
};

/* False if the arena is full. */
bool rocm_map_put(struct rocm_map *m, int64_t key, int64_t value);
/* Call this between the last put and the first find. False if the arena is
 * full. */
bool rocm_map_sort(struct rocm_map *m);
bool rocm_map_find(struct rocm_map *m, int64_t key, int64_t *value);
/* Looks up the key, then the result as a key, and so on, at most 16 times: from
 * a correlation to the outermost call that contains its call. */
int64_t rocm_map_follow(struct rocm_map *m, int64_t key);
/* Empties the map for the next process. */
void rocm_map_clear(struct rocm_map *m);

/* The sum of the durations so far, to check that it stays within the maximum of
 * a trace. */
struct rocm_times {
	struct trace *trace;
	int64_t total_ns;
};

/* Whether start and end make a time span that a trace can represent; *dur_ns is
 * its length. If not, notes why and shows `what` of the record. */
bool rocm_span(struct rocm_times *t, struct number start, struct number end,
	const char *what, int64_t *dur_ns);

/* Number of blocks of a grid of work-items, rounded up; -1 if either is
 * unknown. */
int32_t rocm_blocks(int64_t items, int64_t group);
/* A number as the columns of a launch shape store it; -1 if it does not fit. */
int32_t rocm_small(int64_t n);

/* Describes a GPU by its agent record: compute units, gfx version (90402 is
 * gfx942, stored as compute capability 9.4), memory. Each is 0 or -1 if
 * unknown. */
void rocm_device_describe(struct device *d, int64_t units, int64_t gfx,
	int64_t bytes);

/* The id of a PCI address in the form 0000:75:00.0, from the domain and the
 * location that KFD reports (bus * 256 + device * 8 + function); 0 if one is
 * unknown, NAMES_NONE if the arena is full. */
uint32_t rocm_bus_id(struct trace *t, int64_t domain, int64_t location);

/* Facts from the records of an agent and its machine; false if the arena is
 * full. A clock of 0 or less, and empty texts, are unknown. */
bool rocm_clock_fact(struct fact_list *l, int64_t mhz);
bool rocm_system_facts(struct fact_list *l, const char *system,
	size_t system_len, const char *release, size_t release_len);

/* Where the last component of a path, the program's name, begins. */
size_t rocm_program_at(const char *path, size_t len);
/* The id of a thread's number as text, NAMES_NONE if the arena is full. */
uint32_t rocm_thread(struct trace *t, int64_t tid);
/* The id of a made-up name ("kernel 8") for an object that the file names only
 * by number, with a note; NAMES_NONE if the arena is full. */
uint32_t rocm_numbered(struct trace *t, const char *what, int64_t number);

/* Adds to one of the trace's lists, whose capacity is *cap. A device number is
 * added once per process. Devices beyond the first 16,384 have no name, which
 * is noted. False if the arena is full. */
bool rocm_process_add(struct trace *t, uint32_t *cap, const struct process *p);
bool rocm_device_add(struct trace *t, uint32_t *cap, const struct device *d);

/* What a roctx call produces: a mark, a range on its thread, or a range that
 * may cross threads. */
enum rocm_marker { ROCM_MARK, ROCM_RANGE, ROCM_LOOSE };
enum rocm_marker rocm_marker_of(const char *call);
