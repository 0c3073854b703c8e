/* nvtx_thread.c - frames are three words, written in an order that lets others
 * notice a change.
 *
 * A push first makes its body, then the frame with `where` last, then raises the
 * depth; a pop lowers the depth. Each frame has a turn of its own in `where`, so
 * that one that took the place of another is told from it. All stores are
 * releases and all foreign loads acquires: who saw anything of a later push sees
 * the depth that was lowered before, or else its `where`. */
#include "nvtx_thread.h"
#include <string.h>

enum { LEVEL_AT = 48, DOMAIN_AT = 32, FLAGS_AT = 56 };
/* A full stack is a place as well: a frame that takes no words has it. */
enum { PAYLOAD_AT = 16, PLACE_AT = 32, TURN_AT = 45, PLACE_MASK = 0x1FFF };
_Static_assert((int)NVTX_STACK_WORDS <= (int)PLACE_MASK,
	"a place has its bits");
enum { HOLE = 1, LOST = 2 };
enum { LOOKS = 8 }; /* at a frame that changes while it is looked at */

void nvtx_thread_init(struct nvtx_thread *t, uint32_t born, uint32_t tid)
{
	atomic_store_explicit(&t->depth, 0, memory_order_release);
	atomic_store_explicit(&t->ended_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&t->ring, NULL, memory_order_relaxed);
	atomic_store_explicit(&t->tid, tid, memory_order_relaxed);
	atomic_store_explicit(&t->born, born, memory_order_release);
	t->beyond = t->top = 0;
}

static uint64_t load(const _Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static void store(_Atomic uint64_t *p, uint64_t v)
{
	atomic_store_explicit(p, v, memory_order_release);
}

static void apart(struct nvtx_open *o, uint32_t place, int64_t start_ns,
	uint64_t what, uint64_t where)
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

static uint32_t words_of(uint64_t where)
{
	return (uint32_t)(nvtx_words((uint16_t)where) +
			  nvtx_words((uint16_t)(where >> PAYLOAD_AT)));
}

/* Bytes into words; the last word's rest is 0. */
static void copy(_Atomic uint64_t *to, const char *from, size_t len)
{
	uint64_t word;
	for (; len >= sizeof word; len -= sizeof word, from += sizeof word) {
		memcpy(&word, from, sizeof word);
		store(to++, word);
	}
	if (len == 0)
		return;
	word = 0;
	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)(unsigned char)from[i] << 8 * i;
	store(to, word);
}

/* The level of a new range: one more than the innermost of its domain. */
static uint32_t level_of(const struct nvtx_thread *t, uint32_t depth,
	uint16_t domain)
{
	while (depth-- > 0) {
		uint64_t what = load(&t->frames[depth].what);
		if ((uint16_t)(what >> DOMAIN_AT) == domain &&
			!(what >> FLAGS_AT & HOLE))
			return ((what >> LEVEL_AT) + 1) & 0xFF;
	}
	return 0;
}

int nvtx_thread_push(struct nvtx_thread *t, const struct nvtx_said *said,
	int64_t start_ns, bool *lost)
{
	uint32_t depth =
		(uint32_t)atomic_load_explicit(&t->depth, memory_order_relaxed);
	*lost = depth == NVTX_FRAMES;
	if (depth == NVTX_FRAMES)
		return NVTX_FRAMES + (int)t->beyond++;

	size_t len = said->id ? 0 : said->len, payload = said->payload_len;
	uint32_t text_words = (uint32_t)nvtx_words(len);
	uint64_t flags = 0;
	if (t->top + text_words + nvtx_words(payload) > NVTX_STACK_WORDS) {
		*lost = true;
		flags = LOST;
		len = payload = 0;
	}
	struct nvtx_frame *f = &t->frames[depth];
	uint32_t level = level_of(t, depth, said->domain);
	copy(t->words + t->top, said->text, len);
	if (payload)
		copy(t->words + t->top + text_words, t->payload, payload);
	uint64_t where = (uint64_t)t->turn++ << TURN_AT |
			 (uint64_t)(t->top & PLACE_MASK) << PLACE_AT |
			 payload << PAYLOAD_AT | len;
	store(&f->what, flags << FLAGS_AT | (uint64_t)level << LEVEL_AT |
				(uint64_t)said->domain << DOMAIN_AT | said->id);
	atomic_store_explicit(&f->start_ns, start_ns, memory_order_release);
	store(&f->where, where);
	atomic_store_explicit(&t->depth, depth + 1, memory_order_release);
	t->top += words_of(where);
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
	copy(t->words + t->top, t->payload, payload_len);
	t->top += (uint32_t)nvtx_words(payload_len);
	_Atomic uint64_t *where = &t->frames[depth - 1].where;
	store(where, load(where) | payload_len << PAYLOAD_AT);
}

/* The innermost frame ended, and with it those below that ended before. */
static void lower(struct nvtx_thread *t, uint32_t depth)
{
	do {
		depth--;
		t->top = (uint32_t)(load(&t->frames[depth].where) >> PLACE_AT &
				    PLACE_MASK);
	} while (depth > 0 &&
		 load(&t->frames[depth - 1].what) >> FLAGS_AT & HOLE);
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
		uint64_t what = load(&t->frames[i].what);
		if ((uint16_t)(what >> DOMAIN_AT) != domain ||
			!nvtx_thread_at(t, i, o))
			continue;
		if (i + 1 == depth)
			lower(t, depth);
		else
			store(&t->frames[i].what,
				what | (uint64_t)HOLE << FLAGS_AT);
		return NVTX_POPPED;
	}
	return NVTX_NONE_OPEN;
}

bool nvtx_thread_at(const struct nvtx_thread *t, uint32_t place,
	struct nvtx_open *o)
{
	const struct nvtx_frame *f = &t->frames[place];
	uint64_t what = load(&f->what);
	if (what >> FLAGS_AT & HOLE)
		return false;
	apart(o, place,
		atomic_load_explicit(&f->start_ns, memory_order_relaxed), what,
		load(&f->where));
	return true;
}

void nvtx_thread_name(struct nvtx_thread *t, uint32_t place, uint32_t text)
{
	_Atomic uint64_t *what = &t->frames[place].what;
	store(what, (load(what) >> 32 << 32) | text);
}

static uint64_t see(const _Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_acquire);
}

static bool same(const struct nvtx_thread *t, uint32_t place, uint64_t where)
{
	return atomic_load_explicit(&t->depth, memory_order_acquire) > place &&
	       see(&t->frames[place].where) == where;
}

static bool look_once(const struct nvtx_thread *t, uint32_t place,
	struct nvtx_open *o, uint64_t *body)
{
	const struct nvtx_frame *f = &t->frames[place];
	uint64_t where = see(&f->where), what = see(&f->what);
	int64_t start_ns =
		atomic_load_explicit(&f->start_ns, memory_order_acquire);
	uint32_t n = words_of(where);

	apart(o, place, start_ns, what, where);
	for (uint32_t i = 0; i < n && o->at + i < NVTX_STACK_WORDS; i++)
		body[i] = see(&t->words[o->at + i]);
	return same(t, place, where) && !(what >> FLAGS_AT & HOLE);
}

bool nvtx_thread_look(const struct nvtx_thread *t, uint32_t place,
	struct nvtx_open *o, uint64_t *body)
{
	for (int i = 0; i < LOOKS; i++) {
		if (atomic_load_explicit(&t->depth, memory_order_acquire) <=
			place)
			return false;
		if (look_once(t, place, o, body))
			return true;
	}
	return false;
}
