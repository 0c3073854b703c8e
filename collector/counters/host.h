/* host.h - counters of the process and its host, from /proc.
 *
 * Each file is opened once and read from its beginning each time. If a file
 * does not exist or may not be read, only its counters are left out. For one
 * thread. */
#pragma once
#include "samples.h"
#include "tasks.h"

enum { HOST_DISKS = 64, HOST_CPUS = 8, HOST_TEXT = 1 << 16 };

/* A disk, by its number, and for how many milliseconds it had requests. */
struct host_disk {
	uint32_t major, minor;
	struct rate busy;
};

struct host {
	struct samples *to;
	int self_stat, stat, diskstats, self_io, cpuinfo; /* -1: not there */
	int cpu[HOST_CPUS], cpus; /* scaling_cur_freq */
	struct rate process, read, write;
	uint64_t all, idle; /* of /proc/stat; `all` is 0 if it was not read
			     * yet */
	struct host_disk disk[HOST_DISKS];
	int disks;
	struct tasks tasks;
	int64_t slow_due_ns;
	char model[128]; /* of the CPU; empty if unknown */
	char text[HOST_TEXT];
};

/* `proc` and `sys` are /proc and /sys; `to` is borrowed. */
void host_init(struct host *h, const char *proc, const char *sys,
	struct samples *to);
void host_release(struct host *h);

/* Reads all files that are due. At the beginning of a window, rates start
 * again and totals are read. At the end of a window, only totals are read. */
enum host_edge { HOST_WITHIN, HOST_BEGIN, HOST_END };
void host_round(struct host *h, enum host_edge edge);
