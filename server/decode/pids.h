/* pids.h - the process ids of a trace and what was seen under each.
 *
 * Kineto puts GPU events under a "pid" that is the device's number, and a tool
 * that fuses ranks shifts every pid and adds `rank` and `pid_raw`. So an entry
 * here is a pid as written, together with the rank where one is told; which of
 * them are processes is decided at the end (link.h). */
#pragma once
#include "event.h"
#include "trace.h"

enum { PIDS_MAX = 16384 };

struct pid {
	int64_t number; /* -1 where it is text */
	uint32_t text; /* 0 where it is a number */
	int32_t rank; /* -1 not told */
	int64_t raw; /* before it was shifted; -1 not told */
	uint32_t tasks; /* calls and ops: what makes it a process */
	uint32_t ranges; /* annotations and Python on the host */
	uint32_t gpu; /* kernels, copies and sets, GPU annotations */
};

struct pids {
	struct trace *trace;
	struct names keys; /* → index + 1 */
	struct pid *list;
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

bool pids_init(struct pids *ps, struct trace *t);

/* The index of an event's pid, whose text (if it is one) has the id `text`.
 * PIDS_MAX where there are too many of them; NAMES_NONE where the arena is
 * full. */
uint32_t pids_of(struct pids *ps, const struct event *e, uint32_t text);

/* A pid's process has a name. False where the arena is full. */
bool pids_name(struct pids *ps, const struct event *e, uint32_t text,
	uint32_t name);
/* The name, or 0. */
uint32_t pids_name_of(const struct pids *ps, const struct pid *p);
