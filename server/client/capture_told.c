/* capture_told.c - chunk after chunk, until there is a record and the process. */
#include "capture_told.h"
#include "kernsift/kst_reader.h"
#include <errno.h>
#include <unistd.h>

#define RECORDS                                                          \
	(KST_BIT(kernel) | KST_BIT(copy) | KST_BIT(call) | KST_BIT(op) | \
		KST_BIT(range) | KST_BIT(graph) | KST_BIT(counter) |     \
		KST_BIT(stat) | KST_BIT(pattern))

static int64_t read_file(void *ctx, void *to, size_t cap)
{
	const int *fd = ctx;
	ssize_t n;

	do
		n = read(*fd, to, cap);
	while (n < 0 && errno == EINTR);
	return n;
}

static void take(struct capture_told *t, const struct kst_chunk *c)
{
	t->records |= (RECORDS >> c->kind & 1) && c->rows > 0;
	for (uint32_t i = 0; i < c->rows; i++) {
		int64_t rank =
			c->kind == KST_process
				? c->column[KST_COLUMN(process, rank)].i[i]
				: -1;
		int64_t lost = c->kind == KST_drop
				       ? c->column[KST_COLUMN(drop, count)].i[i]
				       : 0;
		if (rank >= 0 && rank < INT32_MAX)
			t->rank = (int)rank;
		if (lost > 0 && lost < INT64_MAX - t->dropped)
			t->dropped += lost;
	}
}

/* What is not known might have been a record. */
static bool is_whole(const struct kst_damage *d)
{
	return !d->damaged && !d->missing && !d->repeated && !d->cut &&
	       !d->behind && !d->lost && !d->unknown_chunks &&
	       !d->unknown_columns;
}

struct capture_told capture_told_from(int fd)
{
	struct capture_told t = { .rank = -1 };
	struct kst_reader *r = kst_reader_new(read_file, &fd, NULL);
	enum kst_got got = KST_FULL;
	struct kst_chunk c;

	if (!r)
		return t;
	kst_reader_only(r, KST_BIT(process) | KST_BIT(drop) | RECORDS);
	while ((!t.records || t.rank < 0) &&
		(got = kst_reader_next(r, &c)) == KST_CHUNK) {
		take(&t, &c);
		/* Its process stands in front of the rest, so far as known. */
		if (t.records)
			kst_reader_only(r, KST_BIT(process));
	}
	t.readable = got == KST_CHUNK || got == KST_END;
	t.whole = got == KST_END && is_whole(kst_reader_damage(r));
	kst_reader_free(r);
	return t;
}
