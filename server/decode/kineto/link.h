/* link.h - joins calls, launches and kernels of a Kineto trace */
#pragma once
#include "rows.h"

/* which pids are processes, and whose the GPU events are.
 *
 * Kineto writes GPU events under a pid that is the device's number. The rule:
 *
 *  1. A pid under which calls or operators were seen is a process. Where there
 *     is none, one with annotations or Python ranges is.
 *  2. If there is exactly one process, everything in the file is its. Else:
 *  3. A pid of GPU events, or of ranges alone, belongs to the only process of
 *     the same rank, where events tell a rank (args.rank, as tools that fuse
 *     ranks into one file write it).
 *  4. Else a pid of GPU events belongs to the process whose calls launched
 *     more than half of its events, as far as a correlation occurs in one
 *     process only.
 *  5. Else its events belong to a process without a pid, one per rank, and
 *     are counted as no_process. Ranges alone then are a process too.
 *
 * One pid number may be both: a process in a container is often 1, and so is
 * the second GPU. Their events are told apart by their kind.
 *
 * Samples of counters make no process. Under a pid of GPU events alone they are of
 * that device, else of the host; where their pid is no process's, they are kept
 * with the first.
 *
 * A process has the pid it had before ranks were fused (args.pid_raw). Rank
 * and world size are the event's own, else the file's (distributedInfo) where
 * it holds one process. */

/* Fills trace->processes and every row's `process`; there is at least one
 * process afterwards. False where the arena is full. */
bool link_processes(struct trace *t, const struct pids *ps);
