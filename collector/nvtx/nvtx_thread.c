/* nvtx_thread.c - a thread's stack of open ranges and its ring of ended ranges. */
#include "nvtx_thread.h"
#include "nvtx_ring.h"
#include <assert.h>
#include <string.h>

enum { MASK = NVTX_RING_WORDS - 1, HEAD = sizeof(struct nvtx_event) / 8 };
static_assert(sizeof(struct nvtx_event) == 32, "four words");

static size_t nvtx_thread_body_words(const struct nvtx_event *e)
{
	return nvtx_words(e->text_len) + nvtx_words(e->payload_len);
}

/* Words in use after a put. Reads the other thread's counter only if
 * necessary. */
static uint64_t nvtx_thread_used_by(struct nvtx_ring *r, uint64_t put)
{
	if (put - r->taken_seen > NVTX_RING_WORDS / 2)
		r->taken_seen =
			atomic_load_explicit(&r->taken, memory_order_acquire);
	return put - r->taken_seen;
}

bool nvtx_ring_put(struct nvtx_ring *r, const struct nvtx_event *e,
	const _Atomic uint64_t *body, bool *half)
{
	uint64_t head[HEAD];
	size_t n = nvtx_thread_body_words(e);
	uint64_t at = atomic_load_explicit(&r->put, memory_order_relaxed);
	uint64_t used = nvtx_thread_used_by(r, at + HEAD + n);

	*half = used > NVTX_RING_WORDS / 2 && !r->reported;
	r->reported = used > NVTX_RING_WORDS / 2;
	if (used > NVTX_RING_WORDS)
		return false;
	memcpy(head, e, sizeof head);
	for (size_t i = 0; i < HEAD; i++)
		r->words[at++ & MASK] = head[i];
	for (size_t i = 0; i < n; i++)
		r->words[at++ & MASK] =
			atomic_load_explicit(&body[i], memory_order_relaxed);
	atomic_store_explicit(&r->put, at, memory_order_release);
	return true;
}

bool nvtx_ring_take(struct nvtx_ring *r, struct nvtx_event *e, uint64_t *body)
{
	uint64_t head[HEAD];
	uint64_t at = atomic_load_explicit(&r->taken, memory_order_relaxed);

	if (at == atomic_load_explicit(&r->put, memory_order_acquire))
		return false;
	for (size_t i = 0; i < HEAD; i++)
		head[i] = r->words[at++ & MASK];
	memcpy(e, head, sizeof *e);
	for (size_t i = 0, n = nvtx_thread_body_words(e); i < n; i++)
		body[i] = r->words[at++ & MASK];
	atomic_store_explicit(&r->taken, at, memory_order_release);
	return true;
}

enum { LEVEL_AT = 48, DOMAIN_AT = 32, FLAGS_AT = 56 };
/* A full stack is a place as well: a frame that takes no words has it. */
enum { PAYLOAD_AT = 16, PLACE_AT = 32, TURN_AT = 45, PLACE_MASK = 0x1FFF };
_Static_assert((int)NVTX_STACK_WORDS <= (int)PLACE_MASK,
	"a place has its bits");
enum { HOLE = 1, LOST = 2 };
enum { LOOKS = 8 }; /* attempts to read a frame that changes during the read */

void nvtx_thread_init(struct nvtx_thread *t, uint32_t born, uint32_t tid)
{
	atomic_store_explicit(&t->depth, 0, memory_order_release);
	atomic_store_explicit(&t->ended_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&t->ring, NULL, memory_order_relaxed);
	atomic_store_explicit(&t->tid, tid, memory_order_relaxed);
	atomic_store_explicit(&t->born, born, memory_order_release);
	t->beyond = t->top = 0;
}

static uint64_t nvtx_thread_load(const _Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static void nvtx_thread_store(_Atomic uint64_t *p, uint64_t v)
{
	atomic_store_explicit(p, v, memory_order_release);
}

static void nvtx_thread_apart(struct nvtx_open *o, uint32_t place,
	int64_t start_ns, uint64_t what, uint64_t where)
{
	*o = (struct nvtx_open){ .start_ns = start_ns,
		.text = (uint32_t)what,
		.domain = (uint16_t)(what >> DOMAIN_AT),
		.level = (uint8_t)(what >> LEVEL_AT),
		.place = (uint8_t)place,
		.lost = what >> FLAGS_AT & LOST,
		.at = (uint16_t)(where >> PLACE_AT & PLACE_MASK),
		.text_len = (uint16_t)where,
		.payload_len = (uint16_t)(where >> PAYLOAD_AT) };
}

static uint32_t nvtx_thread_words_of(uint64_t where)
{
	return (uint32_t)(nvtx_words((uint16_t)where) +
			  nvtx_words((uint16_t)(where >> PAYLOAD_AT)));
}

/* Copies bytes to words. Unused bytes of the last word are 0. */
static void nvtx_thread_copy(_Atomic uint64_t *to, const char *from, size_t len)
{
	uint64_t word;
	for (; len >= sizeof word; len -= sizeof word, from += sizeof word) {
		memcpy(&word, from, sizeof word);
		nvtx_thread_store(to++, word);
	}
	if (len == 0)
		return;
	word = 0;
	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)(unsigned char)from[i] << 8 * i;
	nvtx_thread_store(to, word);
}

/* The level of a new range: one more than the innermost of its domain. */
static uint32_t nvtx_thread_level_of(const struct nvtx_thread *t,
	uint32_t depth, uint16_t domain)
{
	while (depth-- > 0) {
		uint64_t what = nvtx_thread_load(&t->frames[depth].what);
		if ((uint16_t)(what >> DOMAIN_AT) == domain &&
			!(what >> FLAGS_AT & HOLE))
			return ((what >> LEVEL_AT) + 1) & 0xFF;
	}
	return 0;
}

int nvtx_thread_push(struct nvtx_thread *t, const struct nvtx_label *label,
	int64_t start_ns, bool *lost)
{
	uint32_t depth =
		(uint32_t)atomic_load_explicit(&t->depth, memory_order_relaxed);
	*lost = depth == NVTX_FRAMES;
	if (depth == NVTX_FRAMES)
		return NVTX_FRAMES + (int)t->beyond++;

	size_t len = label->id ? 0 : label->len, payload = label->payload_len;
	uint32_t text_words = (uint32_t)nvtx_words(len);
	uint64_t flags = 0;
	if (t->top + text_words + nvtx_words(payload) > NVTX_STACK_WORDS) {
		*lost = true;
		flags = LOST;
		len = payload = 0;
	}
	struct nvtx_frame *f = &t->frames[depth];
	uint32_t level = nvtx_thread_level_of(t, depth, label->domain);
	nvtx_thread_copy(t->words + t->top, label->text, len);
	if (payload)
		nvtx_thread_copy(t->words + t->top + text_words, t->payload,
			payload);
	uint64_t where = (uint64_t)t->turn++ << TURN_AT |
			 (uint64_t)(t->top & PLACE_MASK) << PLACE_AT |
			 payload << PAYLOAD_AT | len;
	nvtx_thread_store(&f->what,
		flags << FLAGS_AT | (uint64_t)level << LEVEL_AT |
			(uint64_t)label->domain << DOMAIN_AT | label->id);
	atomic_store_explicit(&f->start_ns, start_ns, memory_order_release);
	nvtx_thread_store(&f->where, where);
	atomic_store_explicit(&t->depth, depth + 1, memory_order_release);
	t->top += nvtx_thread_words_of(where);
	return (int)level;
}

void nvtx_thread_add(struct nvtx_thread *t, uint16_t domain, size_t payload_len)
{
	uint32_t depth =
		(uint32_t)atomic_load_explicit(&t->depth, memory_order_relaxed);
	struct nvtx_open o;
	if (depth == 0 || t->beyond || !nvtx_thread_at(t, depth - 1, &o) ||
		o.domain != domain || o.payload_len || o.lost ||
		t->top + nvtx_words(payload_len) > NVTX_STACK_WORDS)
		return;
	nvtx_thread_copy(t->words + t->top, t->payload, payload_len);
	t->top += (uint32_t)nvtx_words(payload_len);
	_Atomic uint64_t *where = &t->frames[depth - 1].where;
	nvtx_thread_store(where,
		nvtx_thread_load(where) | payload_len << PAYLOAD_AT);
}

/* Removes the innermost frame, and frames next to it that ended before. */
static void nvtx_thread_lower(struct nvtx_thread *t, uint32_t depth)
{
	do {
		depth--;
		t->top = (uint32_t)(nvtx_thread_load(&t->frames[depth].where) >>
					    PLACE_AT &
				    PLACE_MASK);
	} while (depth > 0 &&
		 nvtx_thread_load(&t->frames[depth - 1].what) >> FLAGS_AT &
			 HOLE);
	atomic_store_explicit(&t->depth, depth, memory_order_release);
}

enum nvtx_popped nvtx_thread_pop(struct nvtx_thread *t, uint16_t domain,
	struct nvtx_open *o)
{
	uint32_t depth =
		(uint32_t)atomic_load_explicit(&t->depth, memory_order_relaxed);
	if (t->beyond) {
		t->beyond--;
		return NVTX_POPPED_BEYOND;
	}
	for (uint32_t i = depth; i-- > 0;) {
		uint64_t what = nvtx_thread_load(&t->frames[i].what);
		if ((uint16_t)(what >> DOMAIN_AT) != domain ||
			!nvtx_thread_at(t, i, o))
			continue;
		if (i + 1 == depth)
			nvtx_thread_lower(t, depth);
		else
			nvtx_thread_store(&t->frames[i].what,
				what | (uint64_t)HOLE << FLAGS_AT);
		return NVTX_POPPED;
	}
	return NVTX_NONE_OPEN;
}

bool nvtx_thread_at(const struct nvtx_thread *t, uint32_t place,
	struct nvtx_open *o)
{
	const struct nvtx_frame *f = &t->frames[place];
	uint64_t what = nvtx_thread_load(&f->what);
	if (what >> FLAGS_AT & HOLE)
		return false;
	nvtx_thread_apart(o, place,
		atomic_load_explicit(&f->start_ns, memory_order_relaxed), what,
		nvtx_thread_load(&f->where));
	return true;
}

void nvtx_thread_name(struct nvtx_thread *t, uint32_t place, uint32_t text)
{
	_Atomic uint64_t *what = &t->frames[place].what;
	nvtx_thread_store(what, (nvtx_thread_load(what) >> 32 << 32) | text);
}

static uint64_t nvtx_thread_see(const _Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_acquire);
}

static bool nvtx_thread_same(const struct nvtx_thread *t, uint32_t place,
	uint64_t where)
{
	return atomic_load_explicit(&t->depth, memory_order_acquire) > place &&
	       nvtx_thread_see(&t->frames[place].where) == where;
}

static bool nvtx_thread_look_once(const struct nvtx_thread *t, uint32_t place,
	struct nvtx_open *o, uint64_t *body)
{
	const struct nvtx_frame *f = &t->frames[place];
	uint64_t where = nvtx_thread_see(&f->where),
		 what = nvtx_thread_see(&f->what);
	int64_t start_ns =
		atomic_load_explicit(&f->start_ns, memory_order_acquire);
	uint32_t n = nvtx_thread_words_of(where);

	nvtx_thread_apart(o, place, start_ns, what, where);
	for (uint32_t i = 0; i < n && o->at + i < NVTX_STACK_WORDS; i++)
		body[i] = nvtx_thread_see(&t->words[o->at + i]);
	return nvtx_thread_same(t, place, where) && !(what >> FLAGS_AT & HOLE);
}

bool nvtx_thread_look(const struct nvtx_thread *t, uint32_t place,
	struct nvtx_open *o, uint64_t *body)
{
	for (int i = 0; i < LOOKS; i++) {
		if (atomic_load_explicit(&t->depth, memory_order_acquire) <=
			place)
			return false;
		if (nvtx_thread_look_once(t, place, o, body))
			return true;
	}
	return false;
}
