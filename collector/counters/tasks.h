/* tasks.h - how long the process's threads ran, and how long they waited for a
 * CPU.
 *
 * /proc/self/schedstat covers only the main thread. So the file of each thread
 * is read and the increases are added up. At most TASKS_MAX threads are read:
 * the totals of a process with more threads contain that many, and the others
 * are counted. */
#pragma once
#include "fd_guard.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TASKS_MAX = 256 };

struct task {
	int32_t tid;
	bool there; /* seen in the current reading */
	uint64_t ran_ns, waited_ns; /* as read from its file */
};

struct tasks {
	int folder; /* /proc/self/task; -1: not there */
	struct fd_guard opened; /* of it */
	char path[64];
	struct task list[TASKS_MAX];
	int n;
	bool begun; /* a reading was made before */
	int beyond; /* threads beyond TASKS_MAX in this and in the last
		     * reading */
	int beyond_before;
	/* the maximum of `beyond` so far; any thread may read it */
	_Atomic int64_t most_beyond;
	uint64_t ran_ns, waited_ns; /* the totals, from the first reading on */
};

void tasks_init(struct tasks *t, const char *proc);
void tasks_release(struct tasks *t);
/* False if nothing could be read; the totals are then unchanged. */
bool tasks_read(struct tasks *t);
