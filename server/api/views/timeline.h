/* timeline.h - writes a run as a Chrome trace, from the rows of its capture.
 *
 *   kernel, copy    X on their stream, with the end of the flow from the call
 *   graph           X on its stream
 *   call            X on its thread, with the start of the flow
 *   op, range       X on its thread, or on its GPU for a GPU annotation;
 *                   b and e for a range that may overlap others
 *   counter         C of its GPU, or of the host
 *
 * Other kinds of rows have no time and cause no event. Arguments have the names
 * that PyTorch's profiler uses, so that tools which read PyTorch traces can
 * read this trace. Our own decoder is one of these tools. Times are relative to
 * the capture's first record. They are whole nanoseconds, written as
 * microseconds with three decimals. The document begins with the devices, the
 * process, the rank and the host. The capture does not contain them, so the
 * caller must know them before the capture is read. */
#pragma once
#include "buf.h"
#include "kernsift/kst_reader.h"
#include "query.h"

/* ---- tracks: a process per GPU with a thread per stream, and a process for
 * the host with its threads
 *
 * The pid of a GPU is its device number, as in PyTorch's traces. If the host
 * process could have this pid (a process in a container often has pid 1), or if
 * the device number is unknown, the pid is a number that Linux never assigns.
 *
 * The event that names a stream or a thread, if its name is not a number, is
 * written before its first event. A few hundred names are remembered. A trace
 * of a million streams therefore repeats names but needs no more memory. */

enum { TIMELINE_TRACKS_NAMED = 512 };

struct timeline_tracks {
	struct buf *out;
	int64_t host_pid;
	bool any; /* an event has been written */
	uint64_t named[TIMELINE_TRACKS_NAMED];
};

void timeline_tracks_init(struct timeline_tracks *t, struct buf *out,
	int64_t pid);

/* The pid of a device; `device` is -1 if it is unknown. */
int64_t timeline_tracks_gpu(const struct timeline_tracks *t, int64_t device);
/* Writes the name of a stream or thread if this is necessary. Call it before
 * writing an event on that stream or thread. */
void timeline_tracks_name_stream(struct timeline_tracks *t, int64_t device,
	int64_t stream);
void timeline_tracks_name_thread(struct timeline_tracks *t, int64_t cell,
	const char *thread, size_t len);

/* Writes "pid":…,"tid":… into the current event. */
void timeline_tracks_on_thread(struct timeline_tracks *t, int64_t pid,
	const char *thread, size_t len);

/* ---- events */

struct timeline_event {
	struct timeline_tracks timeline_tracks;
	const struct kst_reader *reader;
	/* For each text: whether it is JSON; 0: not checked yet. */
	unsigned char *is_json;
	size_t is_json_n;
};

void timeline_event_row(struct timeline_event *ev, const struct kst_chunk *c,
	uint32_t row);
void timeline_event_release(struct timeline_event *ev);

/* Writes the document up to its events; ev->reader must have read its first
 * chunk. */
void timeline_begin(struct timeline_event *ev, const struct run_row *run,
	const struct profile_device *devices, uint32_t n);
/* Writes the end of the document, after the last event. */
void timeline_end(struct buf *b);
