/* kst_merge.c - makes one complete capture file from a capture file without an
 * end and its tail.
 *
 * Chunks that were written before the tail was last emptied are copied without
 * a change. Everything after them is in the tail, and its rows are written
 * again with the ids that they have there. */
#include "kst_input.h"
#include "kst_log.h"
#include "kst_resume.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Other users may write to the folder, so links there are not followed. */
enum {
	READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
	MAKE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
};

struct kst_log {
	struct kst_place_in place;
	const uint8_t *at, *end, *first;
	uint32_t sum; /* checksum of the previous entry */
	uint32_t length; /* as last committed; 0: not committed */
	bool damaged; /* entries are missing after the last one returned */
	struct kst_before before;
};

struct kst_entry {
	int kind; /* KST_text, or of rows */
	const uint64_t *cells; /* of rows: all of the kind; until the next */
	const char *text;
	size_t len;
};

/* The newer one of the good slots. */
static const uint8_t *kst_merge_slot_of(const uint8_t *bytes)
{
	const uint8_t *best = NULL;
	for (int i = 0; i < 2; i++) {
		const uint8_t *s = bytes + i * KST_SLOT;
		bool good = !memcmp(s, KST_TAIL_MAGIC, 8) &&
			    kst_crc(0, s, KST_SLOT_SUM) ==
				    kst_get32(s + KST_SLOT_SUM);
		if (good && (!best || kst_get64(s + 8) > kst_get64(best + 8)))
			best = s;
	}
	return best;
}

/* Returns false if these bytes are not a tail or if its beginning is damaged.
 * The bytes are borrowed. */
static bool kst_merge_log_open(struct kst_log *l, const uint8_t *bytes,
	size_t len)
{
	const uint8_t *slot = len < KST_LOG ? NULL : kst_merge_slot_of(bytes);
	if (!slot)
		return false;
	uint64_t commit = kst_get64(bytes + KST_COMMIT);
	uint32_t generation = (uint32_t)kst_get64(slot + 8);
	/* A process can be killed after it wrote the slot and before it wrote
	 * the commit. The log is then empty. */
	bool current = (uint32_t)commit == generation;
	if (!current && (uint32_t)commit != generation - 1)
		return false;
	*l = (struct kst_log){ .place = { kst_get32(slot + 16),
				       kst_get32(slot + 20),
				       kst_get64(slot + 24) },
		.first = bytes + KST_LOG,
		.at = bytes + KST_LOG,
		.end = bytes + len,
		.sum = kst_get32(slot + KST_SLOT_SUM),
		.length = current ? (uint32_t)(commit >> 32) : 0 };
	kst_log_before(&l->before);
	return true;
}

/* The cells of an entry are differences to the previous row of its kind. */
static bool kst_merge_row_get(struct kst_log *l, int kind, const uint8_t *at,
	const uint8_t *end)
{
	uint64_t *cells = l->before.cells[kind], changed, v;
	at = kst_varint_get(at, end, &changed);
	for (uint32_t c = 0; at && changed; c++, changed >>= 1) {
		if (!(changed & 1))
			continue;
		at = kst_varint_get(at, end, &v);
		if (at && c < kst_kind_info(kind)->n)
			cells[c] += (uint64_t)kst_unzigzag(v);
	}
	return at == end;
}

/* Finds the next entry with a correct checksum and returns the position of its
 * body. */
static bool kst_merge_entry_get(struct kst_log *l, const uint8_t **body,
	size_t *len, int *kind)
{
	const uint8_t *from = l->at, *at = from;
	uint64_t bytes;
	if (at == l->end)
		return false;
	*kind = *at++;
	at = kst_varint_get(at, l->end, &bytes);
	if (!at || l->end - at < 4 || bytes > (uint64_t)(l->end - at) - 4)
		return false;
	uint32_t sum = kst_crc(l->sum, from, (size_t)(at - from) + bytes);
	if (sum != kst_get32(at + bytes))
		return false;
	l->sum = sum;
	l->at = at + bytes + 4;
	*body = at;
	*len = bytes;
	return true;
}

/* Entries of unknown kinds are skipped. */
static bool kst_merge_log_next(struct kst_log *l, struct kst_entry *e)
{
	const uint8_t *body;
	size_t len;
	while (kst_merge_entry_get(l, &body, &len, &e->kind)) {
		const struct kst_kind_info *k = kst_kind_info(e->kind);
		e->text = (const char *)body;
		e->len = len;
		if (e->kind == KST_text && len && len <= KST_TEXT_MAX)
			return true;
		if (!k || !k->columns)
			continue;
		e->cells = l->before.cells[e->kind];
		if (kst_merge_row_get(l, e->kind, body, body + len))
			return true;
		l->damaged = true;
		return false;
	}
	l->damaged |= (uint64_t)(l->at - l->first) < l->length;
	return false;
}

struct merge {
	struct kst_merged *m;
	struct kst_memory memory; /* malloc's */
	struct kst_input in;
	int from, to; /* descriptors */
	int failed; /* errno of reading or writing */
	struct kst_log log;
	bool has_tail, any, ended;
	uint32_t capture, next; /* of the chunks copied; seq expected */
	uint32_t stretches; /* damaged, since the last chunk in order */
};

static int64_t kst_merge_take(void *ctx, void *to, size_t cap)
{
	struct merge *g = ctx;
	ssize_t n;
	do
		n = read(g->from, to, cap);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		g->failed = errno;
	return n;
}

static bool kst_merge_put(void *ctx, const void *bytes, size_t len)
{
	struct merge *g = ctx;
	const char *at = bytes;
	while (len && !g->failed) {
		ssize_t n = write(g->to, at, len);
		if (n < 0 && errno != EINTR)
			g->failed = errno;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return !g->failed;
}

static bool kst_merge_is_rows(const struct kst_head *h)
{
	const struct kst_kind_info *k = kst_kind_info(h->kind);
	return k && k->columns && h->kind != KST_launch;
}

/* Whether this chunk is copied. Chunks that are not copied are counted as
 * damage. */
static bool kst_merge_wanted(struct merge *g, const struct kst_head *h)
{
	/* A second description means that another capture begins there. */
	bool other =
		g->any && (h->capture != g->capture || h->kind == KST_about);
	if (!g->any)
		g->capture = h->capture;
	g->any = true;
	if (other || h->seq < g->next) {
		g->m->damaged++;
		return false;
	}
	uint32_t gap = h->seq - g->next;
	g->m->damaged += gap > g->stretches ? gap - g->stretches : 0;
	g->stretches = 0;
	g->next = h->seq + 1;
	return true;
}

/* Copies the chunks whose rows are not in the tail. */
static bool kst_merge_copy(struct merge *g)
{
	struct kst_head h;
	const uint8_t *payload;
	uint8_t head[KST_HEAD];
	enum kst_input_got got = KST_INPUT_CHUNK;
	bool whole = false, more = true;
	while (more && !whole) {
		got = kst_input_next(&g->in, &h, &payload);
		/* Bytes of a torn chunk after the last good one are also in
		 * the tail. */
		bool all = g->has_tail && g->next >= g->log.place.seq;
		bool torn = g->in.skipped && !all;
		g->m->damaged += torn;
		g->stretches += torn;
		more = got == KST_INPUT_CHUNK;
		if (!more || (g->has_tail && h.seq >= g->log.place.seq))
			continue;
		if (!kst_merge_wanted(g, &h))
			continue;
		kst_head_put(head, &h);
		if (!kst_merge_put(g, head, sizeof head) ||
			!kst_merge_put(g, payload, h.payload_len))
			return false;
		g->m->rows += kst_merge_is_rows(&h) ? h.rows : 0;
		whole = h.kind == KST_end;
	}
	g->ended = whole;
	return got == KST_INPUT_CHUNK || got == KST_INPUT_END;
}

/* Writes the contents of the tail in new chunks. */
static bool kst_merge_append(struct merge *g)
{
	struct kst_entry e;
	/* The blocks need no more rows than a small tail can contain. */
	size_t most = (size_t)(g->log.end - g->log.at) / KST_ENTRY_MIN + 1;
	struct kst_options o = { .rows = most < KST_ROWS_MAX ? (uint32_t)most
							     : 0 };
	struct kst_writer *w =
		kst_writer_resume(&g->log.place, kst_merge_put, g, &o);
	bool ok = w;
	uint32_t gap =
		g->next < g->log.place.seq ? g->log.place.seq - g->next : 0;
	g->m->damaged += gap > g->stretches ? gap - g->stretches : 0;
	while (ok && kst_merge_log_next(&g->log, &e)) {
		if (e.kind == KST_text) {
			ok = kst_writer_put_text(w, e.text, e.len);
			continue;
		}
		ok = kst_writer_put_row(w, e.kind, e.cells);
		g->m->tail_rows += e.kind != KST_launch;
	}
	ok = ok && kst_writer_end(w);
	kst_writer_free(w);
	g->m->damaged += g->log.damaged;
	g->ended = ok;
	return ok;
}

/* A small file's bytes, which the caller frees; NULL if they cannot be read. */
static uint8_t *kst_merge_read_whole(int fd, size_t *len)
{
	struct stat st;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
		st.st_size > KST_TAIL_MOST)
		return NULL;
	size_t size = (size_t)st.st_size;
	uint8_t *bytes = malloc(size + 1);
	*len = 0;
	for (ssize_t n = 1; bytes && n > 0 && *len < size;) {
		n = read(fd, bytes + *len, size - *len);
		*len += n > 0 ? (size_t)n : 0;
	}
	return bytes;
}

/* Returns the tail's bytes, which the caller frees. A missing file is treated
 * as no tail. */
static uint8_t *kst_merge_tail_open(struct merge *g, const char *path)
{
	int fd = path ? open(path, READ) : -1;
	size_t len;
	if (fd < 0)
		return NULL;
	uint8_t *bytes = kst_merge_read_whole(fd, &len);
	close(fd);
	g->has_tail = bytes && kst_merge_log_open(&g->log, bytes, len);
	g->m->damaged += !g->has_tail;
	return bytes;
}

/* Copies the capture's opening unchanged; false if it is none. */
static bool kst_merge_opening(struct merge *g)
{
	uint16_t major, minor;
	bool good;
	if (kst_input_need(&g->in, KST_OPENING) != KST_INPUT_CHUNK ||
		!kst_opening_get(g->in.bytes + g->in.at, &major, &minor,
			&good) ||
		(good && major != KST_MAJOR))
		return false;
	uint8_t bytes[KST_OPENING];
	memcpy(bytes, g->in.bytes + g->in.at, sizeof bytes);
	kst_input_pass(&g->in, KST_OPENING);
	g->m->damaged += !good;
	if (!good)
		kst_opening_put(bytes);
	return kst_merge_put(g, bytes, sizeof bytes);
}

/* Sets the thread ids and attributes for a window. its end, because it then
 * lacks nothing, and if the tail belongs to another capture. */
static bool kst_merge_tail_fits(struct merge *g)
{
	struct kst_head h;
	const uint8_t *payload;
	struct kst_input in = { .read = kst_merge_take,
		.ctx = g,
		.memory = &g->memory };
	bool fits = true, ended = false;
	if (lseek(g->from, KST_OPENING, SEEK_SET) < 0)
		return false;
	while (fits && !ended &&
		kst_input_next(&in, &h, &payload) == KST_INPUT_CHUNK) {
		fits = h.capture == g->log.place.capture;
		ended = h.kind == KST_end;
	}
	kst_input_release(&in);
	g->m->damaged += !fits;
	return lseek(g->from, 0, SEEK_SET) == 0 && fits && !ended;
}

/* Merges the open capture and the tail into the open output. */
static bool kst_merge_merge(struct merge *g, const char *capture,
	char sentence[static 256])
{
	g->has_tail = g->has_tail && kst_merge_tail_fits(g);
	if (!kst_merge_opening(g)) {
		snprintf(sentence, 256, "'%.200s' is no capture", capture);
		return false;
	}
	bool ok = kst_merge_copy(g);
	if (ok && !g->ended && g->has_tail)
		ok = kst_merge_append(g);
	if (!ok)
		snprintf(sentence, 256, "'%.200s' cannot be made whole: %s",
			capture, strerror(g->failed ? g->failed : ENOMEM));
	g->m->whole = g->ended && !g->m->damaged;
	return ok;
}

/* Opens the capture, and creates the output in place of an old one at
 * `made`. */
static bool kst_merge_open_both(struct merge *g, const char *capture,
	const char *made, char sentence[static 256])
{
	g->from = open(capture, READ);
	if (g->from >= 0 && (!unlink(made) || errno == ENOENT))
		g->to = open(made, MAKE, 0600);
	if (g->to >= 0)
		return true;
	snprintf(sentence, 256, "'%.200s' cannot be opened: %s",
		g->from < 0 ? capture : made, strerror(errno));
	return false;
}

/* Renames the file at `made` to `out`, or deletes it. */
static bool kst_merge_settle(struct merge *g, bool ok, const char *made,
	const char *out, char sentence[static 256])
{
	if (close(g->to) && ok) {
		snprintf(sentence, 256, "'%.200s' cannot be written: %s", out,
			strerror(errno));
		ok = false;
	}
	if (ok && rename(made, out)) {
		snprintf(sentence, 256, "'%.200s' cannot be made: %s", out,
			strerror(errno));
		ok = false;
	}
	if (!ok)
		unlink(made);
	return ok;
}

bool kst_tail_merge(const char *capture, const char *tail, const char *out,
	struct kst_merged *m, char sentence[static 256])
{
	struct merge g = { .m = m,
		.in = { .read = kst_merge_take,
			.ctx = &g,
			.memory = &g.memory },
		.from = -1,
		.to = -1 };
	uint8_t *bytes = NULL;
	char made[4096];
	bool ok = false;
	*m = (struct kst_merged){ 0 };
	if ((size_t)snprintf(made, sizeof made, "%s.merging", out) >=
		sizeof made) {
		snprintf(sentence, 256, "the path '%.100s...' is too long",
			out);
		return false;
	}
	if (kst_merge_open_both(&g, capture, made, sentence)) {
		bytes = kst_merge_tail_open(&g, tail);
		ok = kst_merge_settle(&g,
			kst_merge_merge(&g, capture, sentence), made, out,
			sentence);
	}
	if (g.from >= 0)
		close(g.from);
	free(bytes);
	kst_input_release(&g.in);
	return ok;
}
