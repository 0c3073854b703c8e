/* timeline.h - a run as a Chrome trace, row by row of its capture.
 *
 *   kernel, copy    X on their stream, with the end of the flow from the call
 *   graph           X on its stream
 *   call            X on its thread, with the start of the flow
 *   op, range       X on its thread; a GPU annotation on a GPU's; a range that
 *                   may cross others is b and e
 *   counter         C of its GPU, or of the host
 *
 * Other kinds have no place in time and give no event. Arguments are spelled as
 * PyTorch's profiler spells them, so that tools which read its traces, our own decoder
 * among them, read these. Times count from the capture's first record: whole
 * nanoseconds, written as microseconds with three decimals. The document
 * begins with the devices, the process, rank and host. The capture does not contain them,
 * so they must be known before it is read. */
#pragma once
#include "buf.h"
#include "kernsift/kst_reader.h"
#include "query.h"

/* ---- tracks: a process per GPU with a thread per stream, and the host's process with
 * its threads
 *
 * A GPU's pid is its device number, as in PyTorch's traces. If that could be the host
 * process's too (a process in a container is often 1), or if the number is unknown, it
 * is one that Linux never gives.
 *
 * Streams and threads whose name is no number are named when first met. A few hundred
 * of them are remembered, so that a trace of a million streams costs repeated names and
 * no memory. */

enum { TIMELINE_TRACKS_NAMED = 512 };

struct timeline_tracks {
	struct buf *out;
	int64_t host_pid;
	bool any; /* an event has been written */
	uint64_t named[TIMELINE_TRACKS_NAMED];
};

void timeline_tracks_init(struct timeline_tracks *t, struct buf *out,
	int64_t pid);

/* The pid of a device; -1: unknown. */
int64_t timeline_tracks_gpu(const struct timeline_tracks *t, int64_t device);
/* Names a stream or thread if it has to be; before the event on it. */
void timeline_tracks_name_stream(struct timeline_tracks *t, int64_t device,
	int64_t stream);
void timeline_tracks_name_thread(struct timeline_tracks *t, int64_t cell,
	const char *thread, size_t len);

/* "pid":…,"tid":… of the event that is open. */
void timeline_tracks_on_thread(struct timeline_tracks *t, int64_t pid,
	const char *thread, size_t len);

/* ---- events */

struct timeline_event {
	struct timeline_tracks timeline_tracks;
	const struct kst_reader *reader;
	/* By text: whether it is JSON; 0 not looked at yet. */
	unsigned char *is_json;
	size_t is_json_n;
};

void timeline_event_row(struct timeline_event *ev, const struct kst_chunk *c,
	uint32_t row);
void timeline_event_release(struct timeline_event *ev);

/* The document up to its events; ev->reader has read its first chunk. */
void timeline_begin(struct timeline_event *ev, const struct run_row *run,
	const struct profile_device *devices, uint32_t n);
/* What follows the last event. */
void timeline_end(struct buf *b);
