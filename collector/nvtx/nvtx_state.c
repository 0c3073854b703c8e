/* nvtx_state.c - the state that all NVTX handlers share, and its conversion to
 * rows. */
#include "nvtx_state.h"
#include "clock.h"
#include "nvtx_domain.h"
#include "nvtx_loose.h"
#include "nvtx_payload.h"
#include "nvtx_room.h"
#include "capture_writer.h"
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Converts ended ranges in rings, and open ranges, to rows.
 *
 * Only the writing thread uses this. A range that ends inside its window is
 * written once, when it ends. If a range is still open when a window closes,
 * the part in that window is written then. The drainer remembers which open
 * ranges it wrote, so that it does not write them again when they end. */

struct nvtx_drainer;
struct nvtx_state;
struct capture_writer;

enum { BEFORE_ANY = 1 }; /* replaces a start that was not recorded */

struct nvtx_drainer {
	int64_t written_ns; /* end of what was written of open ranges */
	int64_t cut; /* ranges written in part since the last note */
	uint32_t born[NVTX_THREADS]; /* the thread to which `written` belongs */
	int64_t written[NVTX_THREADS][NVTX_FRAMES]; /* starts of open ranges
						     * that were written in
						     * part */
	uint64_t body[NVTX_BODY_MOST];
	_Atomic uint64_t loose[NVTX_LOOSE_BYTES / 8];
};

/* The state of one drain. */
struct drain {
	struct nvtx_state *w;
	struct nvtx_drainer *d;
	struct capture_writer *s;
	int64_t opened_ns, closed_ns; /* INT64_MAX: not closed */
};

static void nvtx_state_bury(struct nvtx_state *w, uint32_t place);

static struct nvtx_drainer *nvtx_state_drainer_new(void)
{
	return nvtx_room(sizeof(struct nvtx_drainer));
}

static void nvtx_state_drainer_free(struct nvtx_drainer *d)
{
	munmap(d, sizeof *d);
}

/* The id that a text of the table has in the capture. The key is the text's
 * number, because that never changes. */
static int64_t nvtx_state_kept(const struct drain *n, uint32_t id)
{
	size_t len;
	const char *text = nvtx_texts_get(n->w->texts, id, &len);
	return len ? capture_writer_text(n->s, TEXT_NVTX,
			     (uint64_t)1 << 32 | id, text, len)
		   : 0;
}

static void nvtx_state_write_row(struct drain *n, const struct nvtx_event *e,
	const uint64_t *body)
{
	const char *text = (const char *)body;
	const char *payload = (const char *)(body + nvtx_words(e->text_len));
	char thread[16];
	int len = snprintf(thread, sizeof thread, "%u", e->thread);
	struct kst_range row = { .start_ns = e->start_ns,
		.dur_ns = e->end_ns - e->start_ns,
		.kind = e->flags & NVTX_LOOSE ? KST_RANGE_LOOSE
					      : KST_RANGE_ANNOTATION,
		.id = -1,
		.parent = -1 };
	if (e->text)
		row.name = nvtx_state_kept(n, e->text);
	else if (e->text_len)
		row.name = capture_writer_text(n->s, TEXT_NVTX, 0, text,
			e->text_len);
	if (e->payload_len)
		row.payload = capture_writer_text(n->s, TEXT_NVTX, 0, payload,
			e->payload_len);
	row.domain = nvtx_state_kept(n, nvtx_domain_name(n->w, e->domain));
	row.thread =
		capture_writer_text(n->s, TEXT_OWN, 0, thread, (size_t)len);
	capture_writer_row(n->s, KST_range, &row);
}

static int64_t nvtx_state_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Whether a range is neither in this window nor in the previous one. */
static bool nvtx_state_outside(const struct drain *n,
	const struct nvtx_event *e)
{
	return e->start_ns > n->closed_ns ||
	       (e->start_ns > n->d->written_ns && e->end_ns < n->opened_ns);
}

/* Writes the part of a range that was not written yet; `e` is changed. */
static void nvtx_state_write_rest(struct drain *n, struct nvtx_event *e,
	const uint64_t *body, bool written)
{
	int64_t start_ns = e->start_ns;
	if (nvtx_state_outside(n, e))
		return;
	if (written && n->d->written_ns > n->opened_ns)
		e->start_ns = n->d->written_ns;
	else if (written || start_ns == 0)
		e->start_ns = n->opened_ns;
	if (e->start_ns != start_ns) {
		e->end_ns = nvtx_state_min(e->end_ns, n->closed_ns);
		if (e->end_ns <= e->start_ns)
			return;
		n->d->cut++;
	}
	nvtx_state_write_row(n, e, body);
}

/* The starts that were written, for the thread that now has this slot. */
static int64_t *nvtx_state_written_of(struct drain *n, uint32_t i)
{
	uint32_t born = atomic_load_explicit(&n->w->threads[i].born,
		memory_order_acquire);
	if (n->d->born[i] != born)
		memset(n->d->written[i], 0, sizeof n->d->written[i]);
	n->d->born[i] = born;
	return n->d->written[i];
}

static int64_t nvtx_state_start_key(int64_t start_ns)
{
	return start_ns ? start_ns : BEFORE_ANY;
}

static void nvtx_state_empty_ring(struct drain *n, uint32_t i)
{
	struct nvtx_ring *r = atomic_load_explicit(&n->w->threads[i].ring,
		memory_order_acquire);
	struct nvtx_event e;
	int64_t *written = nvtx_state_written_of(n, i);

	while (r && nvtx_ring_take(r, &e, n->d->body)) {
		bool loose = e.flags & NVTX_LOOSE;
		int64_t *start = &written[e.place];
		bool was = !loose && *start == nvtx_state_start_key(e.start_ns);
		if (!loose)
			*start = 0;
		nvtx_state_write_rest(n, &e, n->d->body, was);
	}
}

/* Writes the open ranges of a thread, up to a moment, in the order of their
 * starts. */
static void nvtx_state_write_open(struct drain *n, uint32_t i, int64_t until_ns)
{
	const struct nvtx_thread *t = &n->w->threads[i];
	int64_t *written = nvtx_state_written_of(n, i);
	uint32_t tid = atomic_load_explicit(&t->tid, memory_order_relaxed);
	struct nvtx_open o;

	for (uint32_t at = 0; at < NVTX_FRAMES; at++) {
		if (atomic_load_explicit(&t->depth, memory_order_acquire) <= at)
			return;
		if (!nvtx_thread_look(t, at, &o, n->d->body))
			continue;
		if (atomic_load_explicit(&t->born, memory_order_acquire) !=
			n->d->born[i])
			return;
		size_t skip = o.text ? nvtx_words(o.text_len) : 0;
		struct nvtx_event e = { .start_ns = o.start_ns,
			.end_ns = until_ns,
			.text = o.text,
			.domain = o.domain,
			.place = o.place,
			.text_len = o.text ? 0 : o.text_len,
			.payload_len = o.payload_len,
			.thread = tid };
		bool was = written[at] == nvtx_state_start_key(o.start_ns);
		if (o.start_ns > until_ns || o.lost)
			continue;
		written[at] = nvtx_state_start_key(o.start_ns);
		n->d->cut += o.start_ns && !was;
		nvtx_state_write_rest(n, &e, n->d->body + skip, was);
	}
}

static void nvtx_state_write_loose(struct drain *n, int64_t until_ns)
{
	struct nvtx_event e;
	uint32_t at = 0;
	while (nvtx_loose_next(n->w->loose, &at, &e, n->d->loose)) {
		for (size_t i = 0; i < NVTX_LOOSE_BYTES / 8; i++)
			n->d->body[i] = atomic_load_explicit(&n->d->loose[i],
				memory_order_relaxed);
		e.end_ns = until_ns > e.start_ns ? until_ns : e.start_ns;
		n->d->cut++;
		nvtx_state_write_row(n, &e, n->d->body);
	}
}

/* Empties the ring of every thread. If the thread ended, also writes the
 * ranges that it left open and frees its slot. */
static void nvtx_state_pass(struct drain *n)
{
	for (uint32_t i = 0; i < NVTX_THREADS; i++) {
		uint32_t is = atomic_load_explicit(&n->w->places[i],
			memory_order_acquire);
		if (is == NVTX_FREE)
			continue;
		nvtx_state_empty_ring(n, i);
		if (is != NVTX_ENDED)
			continue;
		nvtx_state_write_open(n, i,
			nvtx_state_min(n->closed_ns,
				atomic_load_explicit(&n->w->threads[i].ended_ns,
					memory_order_relaxed)));
		nvtx_state_bury(n->w, i);
	}
}

static void nvtx_state_notes(struct drain *n)
{
	int64_t marks =
		atomic_exchange_explicit(&n->w->marks, 0, memory_order_relaxed);
	int64_t odd =
		atomic_exchange_explicit(&n->w->odd, 0, memory_order_relaxed);
	if (marks)
		capture_writer_note(n->s, "nvtx_mark", marks, "");
	if (odd)
		capture_writer_note(n->s, "nvtx_payload", odd, "");
	if (n->d->cut)
		capture_writer_note(n->s, "nvtx_cut", n->d->cut, "");
	n->d->cut = 0;
}

void nvtx_drain(struct capture_writer *s, bool all)
{
	struct nvtx_state *w = nvtx_state();
	uint32_t closing = NVTX_CLOSING;
	if (!w)
		return;
	struct drain n = { w, w->drainer, s,
		atomic_load_explicit(&w->opened_ns, memory_order_acquire),
		atomic_load_explicit(&w->closed_ns, memory_order_acquire) };
	if (n.closed_ns < n.opened_ns)
		n.closed_ns = INT64_MAX;
	/* Between windows a row would start a capture. The rows can wait. */
	if (nvtx_mode(w) == NVTX_OFF && !all)
		return;
	nvtx_state_pass(&n);
	if (!all)
		return;
	int64_t until_ns = nvtx_state_min(n.closed_ns, clock_real_ns());
	for (uint32_t i = 0; i < NVTX_THREADS; i++)
		if (atomic_load_explicit(&w->places[i], memory_order_acquire) ==
			NVTX_LIVES)
			nvtx_state_write_open(&n, i, until_ns);
	nvtx_state_write_loose(&n, until_ns);
	n.d->written_ns = until_ns;
	atomic_compare_exchange_strong_explicit(&w->mode, &closing, NVTX_OFF,
		memory_order_release, memory_order_relaxed);
	nvtx_state_pass(&n);
	nvtx_state_notes(&n);
}

/* Each thread has a pointer to its own state. The value 1 means that the
 * thread found no slot or is about to end. A pthread key reports the end of a
 * thread. */

#define GONE ((struct nvtx_thread *)1)

static _Atomic(struct nvtx_state *) the_state;
static _Thread_local struct nvtx_thread *mine;

struct nvtx_state *nvtx_state(void)
{
	return atomic_load_explicit(&the_state, memory_order_acquire);
}

/* Whether everything that this thread recorded is written. */
static bool nvtx_state_nothing_to_tell(const struct nvtx_state *w,
	const struct nvtx_thread *t)
{
	struct nvtx_open o;
	uint32_t depth = atomic_load_explicit(&t->depth, memory_order_relaxed);
	if (atomic_load_explicit(&t->ring, memory_order_relaxed) ||
		(depth && nvtx_mode(w) != NVTX_OFF))
		return false;
	for (uint32_t i = 0; i < depth; i++)
		if (nvtx_thread_at(t, i, &o) && o.start_ns)
			return false;
	return true;
}

static void nvtx_state_leave(void *thread)
{
	struct nvtx_state *w = nvtx_state();
	struct nvtx_thread *t = thread;
	enum nvtx_place now = NVTX_ENDED;

	mine = GONE;
	if (nvtx_state_nothing_to_tell(w, t))
		now = NVTX_FREE;
	atomic_store_explicit(&t->ended_ns, clock_real_ns(),
		memory_order_relaxed);
	atomic_store_explicit(&w->places[t - w->threads], now,
		memory_order_release);
}

static bool nvtx_state_fill(struct nvtx_state *w)
{
	w->texts = nvtx_texts_new();
	w->schemas = nvtx_payload_schemas_new();
	w->loose = nvtx_loose_new();
	w->drainer = nvtx_state_drainer_new();
	w->threads = nvtx_room(NVTX_THREADS * sizeof *w->threads);
	w->words = nvtx_room(sizeof(uint64_t[NVTX_RING_WORDS]) * NVTX_RINGS);
	if (!w->texts || !w->schemas || !w->loose || !w->drainer ||
		!w->threads || !w->words ||
		pthread_key_create(&w->key, nvtx_state_leave))
		return false;
	for (size_t i = 0; i < NVTX_RINGS; i++)
		w->rings[i].words = w->words + i * NVTX_RING_WORDS;
	return true;
}

static void nvtx_state_unmake(struct nvtx_state *w)
{
	if (w->texts)
		nvtx_texts_free(w->texts);
	if (w->schemas)
		nvtx_payload_schemas_free(w->schemas);
	if (w->loose)
		nvtx_loose_free(w->loose);
	if (w->drainer)
		nvtx_state_drainer_free(w->drainer);
	if (w->threads)
		munmap(w->threads, NVTX_THREADS * sizeof *w->threads);
	if (w->words)
		munmap(w->words,
			sizeof(uint64_t[NVTX_RING_WORDS]) * NVTX_RINGS);
	munmap(w, sizeof *w);
}

/* A forked child has only the thread that forked, with another thread number.
 * The open ranges of that thread are kept. Ranges that wait to be written
 * belong to the parent. */
static void nvtx_state_in_child(void)
{
	struct nvtx_state *w = nvtx_state();
	struct nvtx_thread *me = nvtx_state_my_thread();

	for (uint32_t i = 0; i < NVTX_RINGS; i++)
		atomic_store_explicit(&w->rings[i].taken,
			atomic_load_explicit(&w->rings[i].put,
				memory_order_relaxed),
			memory_order_relaxed);
	for (uint32_t i = 0; i < NVTX_THREADS; i++)
		if (&w->threads[i] != me &&
			atomic_load_explicit(&w->places[i],
				memory_order_relaxed) != NVTX_FREE)
			nvtx_state_bury(w, i);
	if (me)
		atomic_store_explicit(&me->tid, (uint32_t)syscall(SYS_gettid),
			memory_order_relaxed);
}

struct nvtx_state *nvtx_state_make(void)
{
	struct nvtx_state *there = nvtx_state();
	if (there)
		return there;
	struct nvtx_state *w = nvtx_room(sizeof *w);
	if (!w)
		return NULL;
	bool ok = nvtx_state_fill(w);
	if (ok && atomic_compare_exchange_strong_explicit(&the_state, &there, w,
			  memory_order_acq_rel, memory_order_acquire)) {
		pthread_atfork(NULL, NULL, nvtx_state_in_child);
		return w;
	}
	if (ok)
		pthread_key_delete(w->key);
	nvtx_state_unmake(w);
	return there;
}

static bool nvtx_state_claim(_Atomic uint32_t *place)
{
	uint32_t free = NVTX_FREE;
	return atomic_load_explicit(place, memory_order_relaxed) == free &&
	       atomic_compare_exchange_strong_explicit(place, &free, NVTX_LIVES,
		       memory_order_acq_rel, memory_order_relaxed);
}

static struct nvtx_thread *nvtx_state_join(struct nvtx_state *w)
{
	uint32_t i = 0;
	mine = GONE; /* set first, because a memory allocator may call NVTX
		      * below */
	while (i < NVTX_THREADS && !nvtx_state_claim(&w->places[i]))
		i++;
	if (i == NVTX_THREADS)
		return NULL;
	struct nvtx_thread *t = &w->threads[i];
	uint32_t born = 1 + atomic_fetch_add_explicit(&w->born, 1,
				    memory_order_relaxed);
	nvtx_thread_init(t, born, (uint32_t)syscall(SYS_gettid));
	if (pthread_setspecific(w->key, t)) {
		atomic_store_explicit(&w->places[i], NVTX_FREE,
			memory_order_release);
		return NULL;
	}
	return mine = t;
}

struct nvtx_thread *nvtx_state_thread(struct nvtx_state *w)
{
	if (mine > GONE)
		return mine;
	return mine ? NULL : nvtx_state_join(w);
}

struct nvtx_thread *nvtx_state_my_thread(void)
{
	return mine > GONE ? mine : NULL;
}

struct nvtx_ring *nvtx_state_ring(struct nvtx_state *w, struct nvtx_thread *t)
{
	for (uint32_t i = 0; i < NVTX_RINGS; i++) {
		struct nvtx_ring *r = &w->rings[i];
		if (!nvtx_state_claim(&w->rings_taken[i]))
			continue;
		r->taken_seen =
			atomic_load_explicit(&r->taken, memory_order_relaxed);
		r->reported = false;
		atomic_store_explicit(&t->ring, r, memory_order_release);
		return r;
	}
	return NULL;
}

/* The draining thread calls this after the thread has ended and all its rows
 * are written. */
static void nvtx_state_bury(struct nvtx_state *w, uint32_t place)
{
	struct nvtx_thread *t = &w->threads[place];
	struct nvtx_ring *r =
		atomic_load_explicit(&t->ring, memory_order_relaxed);
	if (r) {
		madvise(r->words, sizeof(uint64_t[NVTX_RING_WORDS]),
			MADV_DONTNEED);
		atomic_store_explicit(&t->ring, NULL, memory_order_relaxed);
		atomic_store_explicit(&w->rings_taken[r - w->rings], NVTX_FREE,
			memory_order_release);
	}
	atomic_store_explicit(&w->places[place], NVTX_FREE,
		memory_order_release);
}
