/* captures.c - downloads a run as a file: its capture as stored, or a Chrome
 * trace. */
#include "api_state.h"
#include "kernsift/kst_reader.h"
#include "listing.h"
#include "capture_file_reader.h"
#include "timeline.h"
#include <stdlib.h>
#include <string.h>

static json_t *captures_streamed(struct call *c, struct api_stream stream,
	const char *type, const char *ending)
{
	c->stream = stream;
	c->text_type = type;
	snprintf(c->disposition, sizeof c->disposition,
		"attachment; filename=\"run-%lld%s\"", (long long)c->id,
		ending);
	return NULL;
}

json_t *capture_get(struct call *c, struct err *e)
{
	struct run_row run;
	struct capture_file_reader *p;
	if (!listing_run(c, &run, e) ||
		!(p = capture_file_reader_new(&c->s, c->id, e)))
		return NULL;
	return captures_streamed(c,
		(struct api_stream){ capture_file_reader_read,
			capture_file_reader_free, p },
		"application/vnd.kernsift.capture", ".kst");
}

/* ---- a run as a Chrome trace, written while it is sent
 *
 * The capture file of the run is read chunk by chunk. Memory contains one piece
 * of the file, the rows of one chunk, the texts read so far and the events of a
 * few rows. If the file is damaged or incomplete, the connection is closed in
 * the middle of the answer, so that a client cannot take an incomplete trace
 * for a complete one. */

/* GO_BYTES is how much is written at a time. EVENT_BYTES is the maximum size of
 * one event: a text has at most KST_TEXT_MAX bytes, and escaping makes it at
 * most six times longer. */
enum { GO_BYTES = 64 << 10, EVENT_BYTES = 128 << 20, TIMELINES_MAX = 8 };

struct timeline {
	struct api *api;
	struct capture_file_reader *capture;
	struct kst_reader *reader;
	/* rows from index `row` on are not written yet */
	struct kst_chunk chunk;
	uint32_t row;
	struct timeline_event events;
	struct buf out; /* bytes from `at` on are not sent yet */
	size_t at;
	bool ended;
};

/* The reason why the rest of a capture cannot be read; NULL if it can. */
static const char *captures_fault(const struct timeline *t, enum kst_got got)
{
	const struct kst_damage *d = kst_reader_damage(t->reader);
	switch (got) {
	case KST_CHUNK:
		return NULL;
	case KST_END:
		return d->damaged || d->missing || d->cut || d->lost
			       ? "the stored capture is damaged"
			       : NULL;
	case KST_STOPPED:
		return "the stored capture could not be read";
	case KST_FULL:
		return "the capture's texts take too much memory";
	case KST_FOREIGN:
	case KST_NEWER:
		break;
	}
	return "this version cannot read the stored capture";
}

static bool captures_slot_take(struct timeline *t, struct err *e)
{
	if (atomic_fetch_add(&t->api->timelines, 1) < TIMELINES_MAX)
		return true;
	return err_set(e, ERR_BUSY,
		"%d timelines are already being sent, the maximum; try again "
		"later",
		TIMELINES_MAX);
}

/* Opens the reader and reads its first chunk. */
static bool captures_opened(struct timeline *t, struct call *c, struct err *e)
{
	if (!captures_slot_take(t, e) ||
		!(t->capture = capture_file_reader_new(&c->s, c->id, e)))
		return false;
	/* from here on, a connection is borrowed for each piece */
	call_db_return(c);
	t->reader = kst_reader_new(capture_file_reader_read, t->capture, NULL);
	if (!t->reader)
		abort();
	enum kst_got got = kst_reader_next(t->reader, &t->chunk);
	const char *why = captures_fault(t, got);
	if (why)
		return err_set(e, ERR_INTERNAL, "%s", why);
	if (got == KST_END)
		t->chunk.rows = 0;
	return true;
}

static void captures_timeline_free(void *timeline)
{
	struct timeline *t = timeline;
	if (!t)
		return;
	atomic_fetch_sub(&t->api->timelines, 1);
	timeline_event_release(&t->events);
	if (t->reader)
		kst_reader_free(t->reader);
	capture_file_reader_free(t->capture);
	buf_release(&t->out);
	free(t);
}

static struct timeline *captures_timeline_new(struct call *c,
	const struct run_row *run, const struct profile_device *devices,
	uint32_t n, struct err *e)
{
	struct timeline *t = calloc(1, sizeof *t);
	if (!t)
		abort();
	t->api = c->api;
	buf_init(&t->out, EVENT_BYTES);
	if (!captures_opened(t, c, e)) {
		captures_timeline_free(t);
		return NULL;
	}
	timeline_tracks_init(&t->events.timeline_tracks, &t->out, run->pid);
	t->events.reader = t->reader;
	timeline_begin(&t->events, run, devices, n);
	return t;
}

/* Writes the next bytes to send; returns false if the capture cannot be read
 * further. */
static bool captures_more(struct timeline *t)
{
	const char *why = NULL;
	t->at = t->out.len = 0;
	while (t->row < t->chunk.rows && t->out.len < GO_BYTES)
		timeline_event_row(&t->events, &t->chunk, t->row++);
	if (t->out.full)
		why = "an event of the timeline is too large";
	if (!t->out.len) {
		enum kst_got got = kst_reader_next(t->reader, &t->chunk);
		why = captures_fault(t, got);
		t->row = 0;
		t->ended = got == KST_END;
		if (t->ended)
			timeline_end(&t->out);
	}
	if (why)
		capture_file_reader_fail(t->capture, why);
	return !why;
}

static int64_t captures_timeline_next(void *timeline, void *to, size_t cap)
{
	struct timeline *t = timeline;
	while (t->at == t->out.len) {
		if (t->ended)
			return 0;
		if (!captures_more(t))
			return -1;
	}
	size_t n = t->out.len - t->at < cap ? t->out.len - t->at : cap;
	memcpy(to, t->out.at + t->at, n);
	t->at += n;
	return (int64_t)n;
}

json_t *timeline_get(struct call *c, struct err *e)
{
	struct profile_device *devices;
	struct timeline *t;
	struct run_row run;
	uint32_t n;
	if (!listing_run(c, &run, e))
		return NULL;
	if (strcmp(run.content, "launches") != 0) {
		err_set(e, ERR_NOT_FOUND,
			"run %lld has no timeline: only its %s were uploaded",
			(long long)c->id, run.content);
		return NULL;
	}
	if (!query_run_devices(c->s.db, &c->s.arena, c->id, &devices, &n, e) ||
		!(t = captures_timeline_new(c, &run, devices, n, e)))
		return NULL;
	return captures_streamed(c,
		(struct api_stream){ captures_timeline_next,
			captures_timeline_free, t },
		"application/json", ".trace.json");
}
