/* timeline.c - the document's frame, and the way from pieces to events. */
#include "timeline.h"
#include "api_state.h"
#include "dispatch.h"
#include "json_text.h"
#include "pieces.h"
#include "timeline_event.h"
#include <stdlib.h>
#include <string.h>

/* What is made in one go, and the most that one event may take: a text has at
 * most KST_TEXT_MAX bytes, six times that when escaped. */
enum { GO_BYTES = 64 << 10, EVENT_BYTES = 128 << 20, TIMELINES_MAX = 8 };

struct timeline {
	struct api *api;
	struct pieces *pieces;
	struct kst_reader *reader;
	struct kst_chunk chunk; /* rows from `row` on are still to come */
	uint32_t row;
	struct timeline_event events;
	struct buf out; /* bytes from `at` on are still to be sent */
	size_t at;
	bool ended;
};

static void text(struct buf *b, const char *key, const char *value)
{
	json_text_key(b, key);
	json_text_string(b, value, strlen(value));
}

static void told(struct buf *b, const char *key, int64_t value)
{
	if (value < 0)
		return;
	json_text_key(b, key);
	json_text_whole(b, value);
}

static void devices_list(struct buf *b, const struct profile_device *d,
	uint32_t n)
{
	json_text_key(b, "deviceProperties");
	json_text_open(b, '[');
	for (uint32_t i = 0; i < n; i++) {
		json_text_open(b, '{');
		told(b, "id", d[i].number);
		if (d[i].name)
			text(b, "name", d[i].name);
		told(b, "totalGlobalMem", d[i].memory_bytes);
		told(b, "computeMajor", d[i].compute_major);
		told(b, "computeMinor", d[i].compute_minor);
		told(b, "numSms", d[i].sm_count);
		json_text_close(b, '}');
	}
	json_text_close(b, ']');
}

/* What stands before the events. */
static void head(struct timeline *t, const struct run_row *run,
	const struct profile_device *d, uint32_t n)
{
	const struct kst_about *about = kst_reader_about(t->reader);
	struct buf *b = &t->out;
	json_text_open(b, '{');
	text(b, "displayTimeUnit", "ns");
	if (about->base_is_utc)
		told(b, "baseTimeNanoseconds", about->base_ns);
	if (run->framework && !strcmp(run->framework, "pytorch"))
		told(b, "schemaVersion", 1);
	devices_list(b, d, n);
	json_text_key(b, "distributedInfo");
	json_text_open(b, '{');
	told(b, "rank", run->rank);
	told(b, "world_size", run->world_size);
	json_text_close(b, '}');
	if (run->host)
		text(b, "host_name", run->host);
	json_text_key(b, "traceEvents");
	json_text_open(b, '[');
}

static void processes(struct timeline *t, const struct run_row *run,
	const struct profile_device *d, uint32_t n)
{
	struct tracks *k = &t->events.tracks;
	if (run->process_name)
		tracks_process(k, k->host_pid, run->process_name);
	for (uint32_t i = 0; i < n; i++) {
		struct buf name;
		if (d[i].number < 0)
			continue;
		buf_init(&name, 1 << 20);
		buf_printf(&name, "GPU %d", d[i].number);
		if (d[i].name)
			buf_printf(&name, " (%s)", d[i].name);
		tracks_process(k, tracks_gpu(k, d[i].number), name.at);
		buf_release(&name);
	}
}

/* The sentence of what keeps a capture from being read on; NULL nothing. */
static const char *fault(const struct timeline *t, enum kst_got got)
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
	return "the stored capture is not one that this version can read";
}

static bool slot_take(struct timeline *t, struct err *e)
{
	if (atomic_fetch_add(&t->api->timelines, 1) < TIMELINES_MAX)
		return true;
	return err_set(e, ERR_BUSY,
		"%d timelines are being sent already, the most at once; try "
		"again in a moment",
		TIMELINES_MAX);
}

/* The reader and its first chunk. */
static bool opened(struct timeline *t, struct call *c, struct err *e)
{
	if (!slot_take(t, e) || !(t->pieces = pieces_new(c, e)))
		return false;
	call_db_return(c); /* from here on one is lent per piece */
	t->reader = kst_reader_new(pieces_read, t->pieces, NULL);
	if (!t->reader)
		abort();
	enum kst_got got = kst_reader_next(t->reader, &t->chunk);
	const char *why = fault(t, got);
	if (why)
		return err_set(e, ERR_INTERNAL, "%s", why);
	if (got == KST_END)
		t->chunk.rows = 0;
	return true;
}

struct timeline *timeline_new(struct call *c, const struct run_row *run,
	const struct profile_device *devices, uint32_t n, struct err *e)
{
	struct timeline *t = calloc(1, sizeof *t);
	if (!t)
		abort();
	t->api = c->api;
	buf_init(&t->out, EVENT_BYTES);
	if (!opened(t, c, e)) {
		timeline_free(t);
		return NULL;
	}
	tracks_init(&t->events.tracks, &t->out, run->pid);
	t->events.reader = t->reader;
	head(t, run, devices, n);
	processes(t, run, devices, n);
	return t;
}

/* Makes what is sent next; false where it broke off. */
static bool more(struct timeline *t)
{
	const char *why = NULL;
	t->at = t->out.len = 0;
	while (t->row < t->chunk.rows && t->out.len < GO_BYTES)
		timeline_event_row(&t->events, &t->chunk, t->row++);
	if (t->out.full)
		why = "an event of the timeline is too large";
	if (!t->out.len) {
		enum kst_got got = kst_reader_next(t->reader, &t->chunk);
		why = fault(t, got);
		t->row = 0;
		t->ended = got == KST_END;
		if (t->ended)
			buf_puts(&t->out, "\n]}\n");
	}
	if (why)
		pieces_broke(t->pieces, why);
	return !why;
}

int64_t timeline_next(void *timeline, void *to, size_t cap)
{
	struct timeline *t = timeline;
	while (t->at == t->out.len) {
		if (t->ended)
			return 0;
		if (!more(t))
			return -1;
	}
	size_t n = t->out.len - t->at < cap ? t->out.len - t->at : cap;
	memcpy(to, t->out.at + t->at, n);
	t->at += n;
	return (int64_t)n;
}

void timeline_free(void *timeline)
{
	struct timeline *t = timeline;
	if (!t)
		return;
	atomic_fetch_sub(&t->api->timelines, 1);
	timeline_event_release(&t->events);
	if (t->reader)
		kst_reader_free(t->reader);
	pieces_free(t->pieces);
	buf_release(&t->out);
	free(t);
}
