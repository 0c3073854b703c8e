/* kernel_launches.c - how the launches of a kernel of a run differ, computed
 * from the run's capture. */
#include "api_state.h"
#include "concurrency_limit.h"
#include "kernel_name.h"
#include "kernsift/kst_reader.h"
#include "launch_spread.h"
#include "listing.h"
#include "capture_file_reader.h"
#include "view.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The launches found so far. */
struct kernel_launches {
	struct arena *arena;
	struct kst_reader *reader;
	const char *name; /* as it is shown */
	/* For each text: whether it is the kernel's name. */
	enum kernel_launches_name {
		LAUNCH_UNCHECKED,
		LAUNCH_OTHER,
		LAUNCH_SAME
	} *
		is;
	size_t is_n;
	struct launch_times t;
	uint32_t room;
	int64_t first_ns; /* start of the first launch of any kernel */
};

static bool kernel_launches_same(struct kernel_launches *k, int64_t cell)
{
	size_t len, shown_len, n = (size_t)kst_reader_texts(k->reader);
	const char *raw = kst_reader_text(k->reader, cell, &len), *shown;
	if (!raw || cell < 0)
		return false;
	if (n > k->is_n) {
		n += n / 2;
		k->is = arena_grow(k->arena, k->is, n * sizeof *k->is);
		memset(k->is + k->is_n, 0, (n - k->is_n) * sizeof *k->is);
		k->is_n = n;
	}
	/* the reader has a text of this cell, so it has more texts than that */
	assert(k->is && (size_t)cell < k->is_n);
	enum kernel_launches_name *is = &k->is[cell];
	if (*is == LAUNCH_UNCHECKED) {
		bool full = kernel_name_from(k->arena, raw, len, &shown,
				    &shown_len) == NAME_FULL;
		*is = !full && shown_len == strlen(k->name) &&
				      !memcmp(shown, k->name, shown_len)
			      ? LAUNCH_SAME
			      : LAUNCH_OTHER;
	}
	return *is == LAUNCH_SAME;
}

static void kernel_launches_grow(struct kernel_launches *k)
{
	struct launch_times *t = &k->t;
	size_t n = k->room ? (size_t)k->room * 2 : 1024;
	k->room = (uint32_t)n;
	t->start_ns = arena_grow(k->arena, t->start_ns, n * sizeof(int64_t));
	t->dur_ns = arena_grow(k->arena, t->dur_ns, n * sizeof(int64_t));
	t->stream = arena_grow(k->arena, t->stream, n * sizeof(int64_t));
	t->device = arena_grow(k->arena, t->device, n * sizeof(int32_t));
}

#define KERNEL_LAUNCHES_CELL(c, field, row) \
	((c)->column[KST_COLUMN(kernel, field)].i[row])

static void kernel_launches_add(struct kernel_launches *k,
	const struct kst_chunk *c, uint32_t row)
{
	struct launch_times *t = &k->t;
	int64_t start_ns = KERNEL_LAUNCHES_CELL(c, start_ns, row);
	int64_t dur_ns = KERNEL_LAUNCHES_CELL(c, dur_ns, row);
	if (dur_ns < 0)
		return;
	if (start_ns < k->first_ns)
		k->first_ns = start_ns;
	if (!kernel_launches_same(k, KERNEL_LAUNCHES_CELL(c, name, row)))
		return;
	if (t->n == k->room)
		kernel_launches_grow(k);
	t->start_ns[t->n] = start_ns;
	t->dur_ns[t->n] = dur_ns;
	t->stream[t->n] = KERNEL_LAUNCHES_CELL(c, stream, row);
	t->device[t->n++] = (int32_t)KERNEL_LAUNCHES_CELL(c, device, row);
}

static bool kernel_launches_read_rows(struct kernel_launches *k, struct err *e)
{
	struct kst_chunk c;
	enum kst_got got;
	kst_reader_only(k->reader, KST_BIT(kernel));
	while ((got = kst_reader_next(k->reader, &c)) == KST_CHUNK)
		for (uint32_t i = 0; i < c.rows; i++)
			kernel_launches_add(k, &c, i);
	return got == KST_END ||
	       err_set(e, ERR_INTERNAL, "the stored capture cannot be read");
}

/* Reads all launches of the kernel from the capture. */
static bool kernel_launches_read(struct call *c, struct kernel_launches *k,
	struct err *e)
{
	struct capture_file_reader *capture =
		capture_file_reader_new(&c->s, c->id, e);
	if (!capture)
		return false;
	/* from here on, a connection is borrowed for each piece */
	call_db_return(c);
	k->reader = kst_reader_new(capture_file_reader_read, capture, NULL);
	if (!k->reader)
		abort();
	bool ok = kernel_launches_read_rows(k, e);
	kst_reader_free(k->reader);
	capture_file_reader_free(capture);
	if (ok && !k->t.n)
		return err_set(e, ERR_NOT_FOUND,
			"the capture of run %lld has no launch of kernel %lld",
			(long long)c->id, (long long)c->k);
	for (uint32_t i = 0; i < k->t.n; i++)
		k->t.start_ns[i] -= k->first_ns;
	return ok;
}

json_t *kernel_launches_get(struct call *c, struct err *e)
{
	struct kernel_launches k = { .arena = &c->s.arena,
		.first_ns = INT64_MAX };
	struct launch_spread spread;
	struct caller_table kernel;
	struct run_row run;
	if (!listing_run(c, &run, e) || !query_callers(c->s.db, &c->s.arena,
						c->id, c->k, 0, 1, &kernel, e))
		return NULL;
	if (strcmp(run.content, "launches") != 0) {
		err_set(e, ERR_NOT_FOUND,
			"run %lld has no single launches: only its %s were "
			"uploaded",
			(long long)c->id, run.content);
		return NULL;
	}
	k.name = kernel.kernel.name;
	if (!concurrency_limit_enter(c, e) || !kernel_launches_read(c, &k, e))
		return NULL;
	launch_spread_from(&k.t, &c->s.arena, &spread);
	return view_kernel_launches(c->k, &kernel.kernel, &spread);
}
