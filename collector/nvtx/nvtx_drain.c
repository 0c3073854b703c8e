/* nvtx_drain.c - who ended, what is open, and what of it was told before. */
#include "nvtx_drain.h"
#include "clock.h"
#include "nvtx_domain.h"
#include "nvtx_room.h"
#include "scribe.h"
#include <stdio.h>
#include <string.h>

enum { BEFORE_ANY = 1 }; /* stands for a start that was not recorded */

struct nvtx_drainer {
	int64_t told_ns; /* up to here open ranges were told */
	int64_t cut; /* ranges told in part, since noted last */
	uint32_t born[NVTX_THREADS]; /* whose `told` it is */
	int64_t told[NVTX_THREADS][NVTX_FRAMES]; /* starts of open ones */
	uint64_t body[NVTX_BODY_MOST];
	_Atomic uint64_t loose[NVTX_LOOSE_BYTES / 8];
};

/* A drain on its way. */
struct drain {
	struct nvtx_world *w;
	struct nvtx_drainer *d;
	struct scribe *s;
	int64_t opened_ns, closed_ns; /* INT64_MAX: not closed */
};

struct nvtx_drainer *nvtx_drainer_new(void)
{
	return nvtx_room(sizeof(struct nvtx_drainer));
}

void nvtx_drainer_free(struct nvtx_drainer *d)
{
	munmap(d, sizeof *d);
}

/* A text that is kept has a number that stands for it for ever. */
static int64_t kept(const struct drain *n, uint32_t id)
{
	size_t len;
	const char *text = nvtx_texts_get(n->w->texts, id, &len);
	return len ? scribe_text(n->s, TEXT_NVTX, (uint64_t)1 << 32 | id, text,
			     len)
		   : 0;
}

static void write_row(struct drain *n, const struct nvtx_event *e,
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
		row.name = kept(n, e->text);
	else if (e->text_len)
		row.name = scribe_text(n->s, TEXT_NVTX, 0, text, e->text_len);
	if (e->payload_len)
		row.payload = scribe_text(n->s, TEXT_NVTX, 0, payload,
			e->payload_len);
	row.domain = kept(n, nvtx_domain_name(n->w, e->domain));
	row.thread = scribe_text(n->s, TEXT_OWN, 0, thread, (size_t)len);
	scribe_row(n->s, KST_range, &row);
}

static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Neither in this window nor in the one before. */
static bool outside(const struct drain *n, const struct nvtx_event *e)
{
	return e->start_ns > n->closed_ns ||
	       (e->start_ns > n->d->told_ns && e->end_ns < n->opened_ns);
}

/* Writes what of a range was not told yet; `e` is changed. */
static void write_rest(struct drain *n, struct nvtx_event *e,
	const uint64_t *body, bool told)
{
	int64_t start_ns = e->start_ns;
	if (outside(n, e))
		return;
	if (told && n->d->told_ns > n->opened_ns)
		e->start_ns = n->d->told_ns;
	else if (told || start_ns == 0)
		e->start_ns = n->opened_ns;
	if (e->start_ns != start_ns) {
		e->end_ns = min(e->end_ns, n->closed_ns);
		if (e->end_ns <= e->start_ns)
			return;
		n->d->cut++;
	}
	write_row(n, e, body);
}

/* The starts that were told are the thread's that is there now. */
static int64_t *told_of(struct drain *n, uint32_t i)
{
	uint32_t born = atomic_load_explicit(&n->w->threads[i].born,
		memory_order_acquire);
	if (n->d->born[i] != born)
		memset(n->d->told[i], 0, sizeof n->d->told[i]);
	n->d->born[i] = born;
	return n->d->told[i];
}

static int64_t start_key(int64_t start_ns)
{
	return start_ns ? start_ns : BEFORE_ANY;
}

static void empty_ring(struct drain *n, uint32_t i)
{
	struct nvtx_ring *r = atomic_load_explicit(&n->w->threads[i].ring,
		memory_order_acquire);
	struct nvtx_event e;
	int64_t *told = told_of(n, i);

	while (r && nvtx_ring_take(r, &e, n->d->body)) {
		bool loose = e.flags & NVTX_LOOSE;
		int64_t *start = &told[e.place];
		bool was = !loose && *start == start_key(e.start_ns);
		if (!loose)
			*start = 0;
		write_rest(n, &e, n->d->body, was);
	}
}

/* What the thread has open, up to a moment; in the order in which it began. */
static void write_open(struct drain *n, uint32_t i, int64_t until_ns)
{
	const struct nvtx_thread *t = &n->w->threads[i];
	int64_t *told = told_of(n, i);
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
		bool was = told[at] == start_key(o.start_ns);
		if (o.start_ns > until_ns || o.lost)
			continue;
		told[at] = start_key(o.start_ns);
		n->d->cut += o.start_ns && !was;
		write_rest(n, &e, n->d->body + skip, was);
	}
}

static void write_loose(struct drain *n, int64_t until_ns)
{
	struct nvtx_event e;
	uint32_t at = 0;
	while (nvtx_loose_next(n->w->loose, &at, &e, n->d->loose)) {
		for (size_t i = 0; i < NVTX_LOOSE_BYTES / 8; i++)
			n->d->body[i] = atomic_load_explicit(&n->d->loose[i],
				memory_order_relaxed);
		e.end_ns = until_ns > e.start_ns ? until_ns : e.start_ns;
		n->d->cut++;
		write_row(n, &e, n->d->body);
	}
}

/* Every thread: its ring; where it ended, also what it had open, and that was
 * it. */
static void pass(struct drain *n)
{
	for (uint32_t i = 0; i < NVTX_THREADS; i++) {
		uint32_t is = atomic_load_explicit(&n->w->places[i],
			memory_order_acquire);
		if (is == NVTX_FREE)
			continue;
		empty_ring(n, i);
		if (is != NVTX_ENDED)
			continue;
		write_open(n, i,
			min(n->closed_ns,
				atomic_load_explicit(&n->w->threads[i].ended_ns,
					memory_order_relaxed)));
		nvtx_world_bury(n->w, i);
	}
}

static void notes(struct drain *n)
{
	int64_t marks =
		atomic_exchange_explicit(&n->w->marks, 0, memory_order_relaxed);
	int64_t odd =
		atomic_exchange_explicit(&n->w->odd, 0, memory_order_relaxed);
	if (marks)
		scribe_note(n->s, "nvtx_mark", marks, "");
	if (odd)
		scribe_note(n->s, "nvtx_payload", odd, "");
	if (n->d->cut)
		scribe_note(n->s, "nvtx_cut", n->d->cut, "");
	n->d->cut = 0;
}

void nvtx_drain(struct scribe *s, bool all)
{
	struct nvtx_world *w = nvtx_world();
	uint32_t closing = NVTX_CLOSING;
	if (!w)
		return;
	struct drain n = { w, w->drainer, s,
		atomic_load_explicit(&w->opened_ns, memory_order_acquire),
		atomic_load_explicit(&w->closed_ns, memory_order_acquire) };
	if (n.closed_ns < n.opened_ns)
		n.closed_ns = INT64_MAX;
	/* Between windows a row would begin a capture; it has time. */
	if (nvtx_mode(w) == NVTX_OFF && !all)
		return;
	pass(&n);
	if (!all)
		return;
	int64_t until_ns = min(n.closed_ns, clock_real_ns());
	for (uint32_t i = 0; i < NVTX_THREADS; i++)
		if (atomic_load_explicit(&w->places[i], memory_order_acquire) ==
			NVTX_LIVES)
			write_open(&n, i, until_ns);
	write_loose(&n, until_ns);
	n.d->told_ns = until_ns;
	atomic_compare_exchange_strong_explicit(&w->mode, &closing, NVTX_OFF,
		memory_order_release, memory_order_relaxed);
	pass(&n);
	notes(&n);
}
