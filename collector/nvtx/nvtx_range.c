/* nvtx_range.c - ranges as they begin and end, in the program's threads. */
#include "nvtx_range.h"
#include "clock.h"
#include "nvtx_domain.h"
#include "nvtx_payload.h"
#include <string.h>

enum { BLOBS_MOST = 16 };

struct nvtx_call nvtx_call_of(uint16_t domain, const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = { .domain = domain };
	if (!a || a->size < sizeof *a)
		return c;
	c.message_type = a->messageType;
	c.message = a->message.ascii;
	c.payload_type = a->payloadType;
	c.payload = &a->payload;
	if (a->payloadType == NVTX_PAYLOAD_TYPE_EXT) {
		c.payload = (const void *)(uintptr_t)a->payload.ullValue;
		c.payloads = (size_t)a->reserved0;
	}
	return c;
}

/* The text of a call, in the program's memory or in `room`. */
static void say(struct nvtx_said *s, const struct nvtx_call *c,
	char room[static NVTX_TEXT_MOST])
{
	s->text = "";
	if (!c->message)
		return;
	if (c->message_type == NVTX_MESSAGE_TYPE_ASCII) {
		s->text = c->message;
		s->len = strnlen(s->text, NVTX_TEXT_MOST);
		if (s->len == NVTX_TEXT_MOST)
			s->len = nvtx_utf8_clip(s->text, s->len);
	} else if (c->message_type == NVTX_MESSAGE_TYPE_UNICODE) {
		s->text = room;
		s->len = nvtx_utf8_from(room, NVTX_TEXT_MOST, c->message);
	} else if (c->message_type == NVTX_MESSAGE_TYPE_REGISTERED &&
		   (uintptr_t)c->message < NVTX_TEXTS_MAX) {
		s->id = (uint32_t)(uintptr_t)c->message;
	}
}

/* Writes the payload of a call out; where it holds the range's text, that is
 * the call's from now on. */
static size_t write_payload(struct nvtx_world *w, const struct nvtx_call *c,
	char room[static NVTX_PAYLOAD_MOST], struct nvtx_said *said)
{
	struct nvtx_json j = { .at = room, .room = NVTX_PAYLOAD_MOST };
	if (c->payload_type != NVTX_PAYLOAD_TYPE_EXT)
		return nvtx_payload_number(&j, c->payload_type, c->payload)
			       ? j.len
			       : 0;
	if (!c->payload || c->payloads == 0)
		return 0;
	struct nvtx_payload p = { .schemas = w->schemas,
		.texts = w->texts,
		.domain = c->domain,
		.blobs = c->payload,
		.blobs_n = c->payloads < BLOBS_MOST ? c->payloads : BLOBS_MOST,
		.json = j,
		.odd = c->payloads > BLOBS_MOST };
	nvtx_payload_put(&p);
	if (p.odd)
		nvtx_count(&w->odd, p.odd);
	if (p.message && said && !said->id && !said->len) {
		said->text = p.message;
		said->len = p.message_len < NVTX_TEXT_MOST ? p.message_len
							   : NVTX_TEXT_MOST;
	}
	return p.json.len;
}

int nvtx_range_push(const struct nvtx_call *c)
{
	struct nvtx_world *w = nvtx_world();
	struct nvtx_thread *t = nvtx_me(w);
	struct nvtx_said said = { .domain = c->domain };
	enum nvtx_mode mode = nvtx_mode(w);
	bool recording = mode == NVTX_RECORD, lost = !t;
	int level = -1;

	if (t) {
		/* Of those that begin behind a window it is known that they
		 * do. */
		int64_t start_ns = mode == NVTX_OFF ? 0 : clock_real_ns();
		say(&said, c, t->text);
		if (recording && c->payload_type)
			said.payload_len =
				write_payload(w, c, t->payload, &said);
		level = nvtx_thread_push(t, &said, start_ns, &lost);
	}
	if (lost && recording)
		nvtx_count(&w->lost, 1);
	return level;
}

static void wake(struct nvtx_world *w)
{
	nvtx_wake_fn *f = atomic_load_explicit(&w->wake, memory_order_acquire);
	if (f)
		f(atomic_load_explicit(&w->wake_ctx, memory_order_relaxed));
}

static void tell(struct nvtx_world *w, struct nvtx_thread *t,
	const struct nvtx_event *e, const _Atomic uint64_t *body)
{
	struct nvtx_ring *r =
		atomic_load_explicit(&t->ring, memory_order_relaxed);
	bool half = false;
	if (!r)
		r = nvtx_world_ring(w, t);
	if (!r || !nvtx_ring_put(r, e, body, &half))
		nvtx_count(&w->lost, 1);
	if (half)
		wake(w);
}

int nvtx_range_pop(const struct nvtx_call *c)
{
	struct nvtx_world *w = nvtx_world();
	struct nvtx_thread *t = nvtx_me(w);
	enum nvtx_mode mode = nvtx_mode(w);
	struct nvtx_open o;

	if (!t)
		return -1;
	if (c->payload_type && mode == NVTX_RECORD)
		nvtx_thread_add(t, c->domain,
			write_payload(w, c, t->payload, NULL));
	enum nvtx_popped popped = nvtx_thread_pop(t, c->domain, &o);
	if (popped != NVTX_POPPED)
		return popped == NVTX_NONE_OPEN ? -1 : NVTX_FRAMES;
	if (o.start_ns == 0 && (mode == NVTX_OFF || o.lost)) {
		if (mode == NVTX_RECORD)
			nvtx_count(&w->lost, 1);
		return o.level;
	}
	if (!o.lost) {
		size_t kept = o.text ? nvtx_words(o.text_len) : 0;
		struct nvtx_event e = { .start_ns = o.start_ns,
			.end_ns = clock_real_ns(),
			.text = o.text,
			.domain = o.domain,
			.place = o.place,
			.text_len = o.text ? 0 : o.text_len,
			.payload_len = o.payload_len,
			.thread = atomic_load_explicit(&t->tid,
				memory_order_relaxed) };
		tell(w, t, &e, t->words + o.at + kept);
	}
	return o.level;
}

nvtxRangeId_t nvtx_range_start(const struct nvtx_call *c)
{
	struct nvtx_world *w = nvtx_world();
	struct nvtx_thread *t = nvtx_me(w);
	struct nvtx_said said = { .domain = c->domain };
	bool cut = false;
	nvtxRangeId_t id = 0;

	if (nvtx_mode(w) != NVTX_RECORD)
		return 0;
	if (t) {
		int64_t start_ns = clock_real_ns();
		say(&said, c, t->text);
		if (c->payload_type)
			said.payload_len =
				write_payload(w, c, t->payload, &said);
		if (said.len > NVTX_LOOSE_BYTES)
			said.id = nvtx_texts_put(w->texts,
				nvtx_domain_name(w, c->domain), said.text,
				said.len);
		id = nvtx_loose_start(w->loose, &said, t->payload,
			atomic_load_explicit(&t->tid, memory_order_relaxed),
			start_ns, &cut);
	}
	nvtx_count(&w->odd, cut);
	nvtx_count(&w->lost, id == 0);
	return id;
}

void nvtx_range_end(nvtxRangeId_t id)
{
	struct nvtx_world *w = nvtx_world();
	_Atomic uint64_t body[NVTX_LOOSE_BYTES / 8];
	struct nvtx_event e;

	if (id == 0 || !nvtx_loose_end(w->loose, id, &e, body))
		return;
	struct nvtx_thread *t = nvtx_me(w);
	e.end_ns = clock_real_ns();
	if (t)
		tell(w, t, &e, body);
	else
		nvtx_count(&w->lost, 1);
}

void nvtx_range_mark(void)
{
	struct nvtx_world *w = nvtx_world();
	if (nvtx_mode(w) == NVTX_RECORD)
		nvtx_count(&w->marks, 1);
}
