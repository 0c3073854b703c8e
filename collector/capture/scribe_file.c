/* scribe_file.c - open, write, end, or give up. */
#include "scribe_file.h"
#include "say.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the descriptor still is the file we opened. */
static bool is_ours(const struct scribe_file *f)
{
	struct stat st;
	return !fstat(f->fd, &st) && st.st_dev == f->device &&
	       st.st_ino == f->inode;
}

static bool put(void *ctx, const void *bytes, size_t len)
{
	struct scribe_file *f = ctx;
	const char *at = bytes;
	f->error = !is_ours(f) ? EBADF : len > f->most - f->bytes ? EFBIG : 0;
	while (len && !f->error) {
		ssize_t n = write(f->fd, at, len);
		if (n < 0 && errno != EINTR)
			f->error = errno;
		if (n <= 0)
			continue;
		at += n;
		len -= (size_t)n;
		f->bytes += (size_t)n;
	}
	return !f->error;
}

static void limits(struct scribe_file *f)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	struct stat st = { 0 };
	getrlimit(RLIMIT_FSIZE, &limit);
	f->most = limit.rlim_cur;
	fstat(f->fd, &st);
	f->device = st.st_dev;
	f->inode = st.st_ino;
}

static void close_all(struct scribe_file *f)
{
	kst_writer_free(f->writer);
	kst_tail_free(f->tail);
	f->writer = NULL;
	f->tail = NULL;
	if (is_ours(f))
		close(f->fd);
}

/* Without one, what was recorded in the last second is lost when the process
 * is killed; that is no reason to lose all. */
static void tail_make(struct scribe_file *f, const struct spool *spool,
	size_t bytes, const struct kst_memory *memory)
{
	char name[SPOOL_NAME];
	if (bytes > f->most)
		return;
	spool_name(spool, name, f->number, ".kst.tail");
	f->tail = kst_tail_new(spool->folder, name, bytes, memory);
	f->tail_bytes = f->tail ? bytes : 0;
	if (!f->tail)
		say_once("the spool folder cannot hold a tail (%s): a process "
			 "that is killed loses up to a second",
			strerror(errno));
}

bool scribe_file_begin(struct scribe_file *f, struct spool *spool,
	const struct kst_about *about, const struct kst_options *options,
	size_t tail_bytes)
{
	static const char *const suffixes[] = { ".kst.part", ".kst.tail" };
	struct kst_options with = *options;
	char name[SPOOL_NAME];
	*f = (struct scribe_file){ .base_ns = about->base_ns,
		.begun_ns = about->base_ns,
		.flushed_ns = about->base_ns };
	f->fd = spool_make(spool, &f->number);
	if (f->fd < 0) {
		f->error = errno;
		return false;
	}
	limits(f);
	tail_make(f, spool, tail_bytes, options->memory);
	with.tail = f->tail;
	f->writer = kst_writer_new(about, put, f, &with);
	if (f->writer)
		return true;
	if (!f->error)
		f->error = ENOMEM;
	close_all(f);
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		spool_name(spool, name, f->number, suffixes[i]);
		unlinkat(spool->folder, name, 0);
	}
	return false;
}

static void account(struct scribe_file *f, struct spool *spool, bool part)
{
	spool_add(spool,
		&(struct spool_file){ f->number, part, f->records, f->bytes });
}

bool scribe_file_counts(enum kst_kind kind)
{
	return kind == KST_kernel || kind == KST_copy || kind == KST_call ||
	       kind == KST_op || kind == KST_range || kind == KST_graph;
}

bool scribe_file_row(struct scribe_file *f, enum kst_kind kind, uint64_t *cells)
{
	if (!kst_writer_cells(f->writer, kind, cells))
		return false;
	f->records += scribe_file_counts(kind);
	/* One more, or the full block of this kind less. */
	uint64_t waiting_n = kst_writer_waiting(f->writer);
	f->waiting[kind] += waiting_n - f->waiting_n;
	f->waiting_n = waiting_n;
	return true;
}

bool scribe_file_flush(struct scribe_file *f)
{
	if (!kst_writer_flush(f->writer))
		return false;
	memset(f->waiting, 0, sizeof f->waiting);
	f->waiting_n = 0;
	return true;
}

/* Without a tail. A flush goes kind by kind, and what it wrote before it failed
 * waits no more. */
static int64_t records_waiting(const struct scribe_file *f)
{
	uint64_t written = f->waiting_n - kst_writer_waiting(f->writer);
	uint64_t records = 0;
	for (int kind = 0; kind < KST_KINDS_END; kind++) {
		uint64_t n = f->waiting[kind];
		if (written >= n)
			written -= n;
		else if (scribe_file_counts((enum kst_kind)kind))
			records += n;
	}
	return (int64_t)records;
}

bool scribe_file_end(struct scribe_file *f, struct spool *spool)
{
	if (!kst_writer_end(f->writer))
		return false;
	close_all(f);
	account(f, spool, !spool_finish(spool, f->number));
	return true;
}

int64_t scribe_file_give_up(struct scribe_file *f, struct spool *spool)
{
	int64_t lost = f->tail ? 0 : records_waiting(f);
	f->records -= lost;
	close_all(f);
	account(f, spool, true);
	return lost;
}
