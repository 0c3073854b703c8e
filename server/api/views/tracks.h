/* tracks.h - where a timeline's events lie: a process per GPU with a thread
 * per stream, and the host's process with its threads.
 *
 * A GPU's pid is its device number, as in PyTorch's traces. Where that could
 * be the host process's too (a process in a container is often 1), or where no
 * number is told, it is one that Linux never gives.
 *
 * Streams and threads whose name is no number are named when first met. Which
 * those are is remembered for a few hundred of them, so that a trace of a
 * million streams costs repeated names and no memory. */
#pragma once
#include "buf.h"
#include <stdint.h>

enum { TRACKS_NAMED = 512 };

struct tracks {
	struct buf *out;
	int64_t host_pid;
	bool any; /* an event stands before */
	uint64_t named[TRACKS_NAMED];
};

void tracks_init(struct tracks *t, struct buf *out, int64_t pid);

/* Opens an event: {"ph":…,"cat":…, with what parts it from the one before.
 * `cat` may be NULL. */
void tracks_event(struct tracks *t, const char *ph, const char *cat);

/* The name of a process; `pid` as below. */
void tracks_process(struct tracks *t, int64_t pid, const char *name);
/* The pid of a device, of which -1 is not known. */
int64_t tracks_gpu(const struct tracks *t, int64_t device);
/* Names a stream where it has to be; before the event that lies there. */
void tracks_meet_stream(struct tracks *t, int64_t device, int64_t stream);
void tracks_meet_thread(struct tracks *t, int64_t cell, const char *thread,
	size_t len);

/* "pid":…,"tid":… of the event that is open. */
void tracks_on_stream(struct tracks *t, int64_t device, int64_t stream);
void tracks_on_thread(struct tracks *t, int64_t pid, const char *thread,
	size_t len);
