/* submit.c - sends a file, waits until the server has analyzed it, and compares
 * digests. */
#include "submit.h"
#include "address.h"
#include "kernsift/kst_reader.h"
#include "nsys_report.h"
#include "retry.h"
#include "sha256.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDS                                                          \
	(KST_BIT(kernel) | KST_BIT(copy) | KST_BIT(call) | KST_BIT(op) | \
		KST_BIT(range) | KST_BIT(graph) | KST_BIT(counter) |     \
		KST_BIT(stat) | KST_BIT(pattern))

static int64_t submit_read_file(void *ctx, void *to, size_t cap)
{
	const int *fd = ctx;
	ssize_t n;

	do
		n = read(*fd, to, cap);
	while (n < 0 && errno == EINTR);
	return n;
}

static void submit_take(struct capture_facts *t, const struct kst_chunk *c)
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

/* A damaged capture is not known to be without records, because the unreadable
 * bytes may contain one. */
static bool submit_is_whole(const struct kst_damage *d)
{
	return !d->damaged && !d->missing && !d->repeated && !d->cut &&
	       !d->behind && !d->lost && !d->unknown_chunks &&
	       !d->unknown_columns;
}

/* Reads as much of `fd`, which stays open, as needed. */
static struct capture_facts submit_facts_read(int fd)
{
	struct capture_facts t = { .rank = -1 };
	struct kst_reader *r = kst_reader_new(submit_read_file, &fd, NULL);
	enum kst_got got = KST_FULL;
	struct kst_chunk c;

	if (!r)
		return t;
	kst_reader_only(r, KST_BIT(process) | KST_BIT(drop) | RECORDS);
	while ((!t.records || t.rank < 0) &&
		(got = kst_reader_next(r, &c)) == KST_CHUNK) {
		submit_take(&t, &c);
		/* The process is written before the other rows. */
		if (t.records)
			kst_reader_only(r, KST_BIT(process));
	}
	t.readable = got == KST_CHUNK || got == KST_END;
	t.whole = got == KST_END && submit_is_whole(kst_reader_damage(r));
	kst_reader_free(r);
	return t;
}

struct submission {
	struct feed *feed;
	const char *type; /* of the bytes of a form; NULL: of a file */
	struct meter *meter;
	struct meter_pace pace;
};

static void submit_tick(void *ctx)
{
	struct submission *d = ctx;
	int64_t taken = feed_bytes_read(d->feed);
	struct meter_progress p = { .label = feed_label(d->feed),
		.stage = "",
		.done_bytes = taken,
		.total_bytes = feed_total(d->feed),
		.rate = meter_pace_add(&d->pace, meter_now_ms(), taken) };
	meter_show(d->meter, &p);
}

/* Tries once: fills the upload, or returns a message. */
static bool submit_attempt(struct wire *w, const char *url,
	struct submission *d, struct attempt *a, struct upload_answer *out,
	struct err *e)
{
	struct wire_watch watch = { submit_tick, d };
	struct buf body;
	bool ok = false;
	d->pace = METER_PACE;
	buf_init(&body, WIRE_ANSWER_MAX);
	if (!wire_post(w, url, d->feed, d->type, &watch, a, &body, e))
		goto done;
	if (a->status == 200 || a->status == 202)
		ok = answer_upload(body.at, body.len, out, e);
	else
		answer_error(a->status, body.at, body.len, e);
done:
	meter_clear(d->meter);
	buf_release(&body);
	return ok;
}

static void submit_report(struct submission *d, const struct upload_answer *u)
{
	char size[METER_WORD], sent[METER_WORD];
	meter_bytes(size, feed_bytes_read(d->feed));
	meter_bytes(sent, feed_bytes_sent(d->feed));
	meter_say(d->meter, "%s: %s sent as %s, upload %lld %s%s",
		feed_label(d->feed), size, sent, (long long)u->id,
		upload_state_name(u->state),
		u->existing ? " (already uploaded)" : "");
}

/* Sends an open feed, which it releases; see submit_file(). */
static bool submit_feed(struct wire *w, const struct options *o, struct feed *f,
	int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e)
{
	struct submission d = { .meter = m, .feed = f };
	struct buf url;
	*last = (struct attempt){ .end = ATTEMPT_HOPELESS };
	if (o->provenance.n &&
		!(d.type = feed_form(f, "provenance", o->provenance.at,
			  o->provenance.n, e))) {
		feed_free(f);
		return false;
	}
	buf_init(&url, ADDRESS_MAX);
	address_send(&url, o, feed_base_name(d.feed));
	struct retry p = { .meter = m,
		.label = feed_label(d.feed),
		.most = most };
	bool ok = false;
	for (;;) {
		struct err why = { 0 };
		ok = submit_attempt(w, url.at, &d, last, out, &why);
		if (ok || !retry_wait(&p, last, &why)) {
			if (!ok)
				err_set(e, why.code, "%s: %s",
					feed_label(d.feed), why.text);
			break;
		}
		if (!feed_restart(d.feed, e))
			break;
	}
	if (ok)
		submit_report(&d, out);
	buf_release(&url);
	feed_free(d.feed);
	return ok;
}

/* The compression with this name, which is one that the options allow. */
static enum pack_kind submit_pack_kind(const char *name)
{
	return !strcmp(name, "zstd")   ? PACK_ZSTD
	       : !strcmp(name, "gzip") ? PACK_GZIP
				       : PACK_NONE;
}

/* The export of a report of Nsight Systems, under the name of the report with
 * the ending .sqlite. */
static struct feed *submit_export(const char *path, enum pack_kind kind,
	struct meter *m, struct err *e)
{
	char name[PATH_MAX];
	size_t len = strlen(path), tail = sizeof ".nsys-rep" - 1;

	if (len > tail && !strcmp(path + len - tail, ".nsys-rep"))
		len -= tail;
	if (snprintf(name, sizeof name, "%.*s.sqlite", (int)len, path) >=
		(int)sizeof name) {
		err_set(e, ERR_INPUT, "'%.100s': its name is too long", path);
		return NULL;
	}
	meter_say(m, "%s: converting with `nsys export`", path);
	int fd = nsys_report_convert(path, e);
	return fd < 0 ? NULL : feed_new_open(fd, name, kind, e);
}

static struct feed *submit_open(const struct options *o, const char *path,
	struct meter *m, struct err *e)
{
	enum pack_kind kind = submit_pack_kind(o->compress);

	if (*o->counters)
		return feed_joined(path, o->counters, kind, e);
	if (*o->graph_captures)
		return feed_archived(path, o->graph_captures, kind, e);
	return nsys_report_convertible(path) ? submit_export(path, kind, m, e)
					     : feed_new(path, kind, e);
}

bool submit_file(struct wire *w, const struct options *o, const char *path,
	int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e)
{
	struct feed *f = submit_open(o, path, m, e);
	*last = (struct attempt){ .end = ATTEMPT_HOPELESS };
	return f && submit_feed(w, o, f, most, m, out, last, e);
}

enum { FIRST_MS = 50, LONGEST_MS = 1000 };

static bool submit_follow_request(struct wire *w, const char *url,
	struct attempt *a, struct upload_answer *u, struct err *e)
{
	struct buf body;
	bool ok = false;
	buf_init(&body, WIRE_ANSWER_MAX);
	if (wire_fetch(w, url, NULL, a, &body, e))
		ok = a->status == 200
			     ? answer_upload(body.at, body.len, u, e)
			     : answer_error(a->status, body.at, body.len, e);
	buf_release(&body);
	return ok;
}

static void submit_follow_show(struct meter *m, const char *label,
	struct meter_pace *pace, const struct upload_answer *u)
{
	bool known = u->state == UPLOAD_WORKING && u->total_bytes > 0;
	struct meter_progress p = { .label = label,
		.stage = *u->stage ? u->stage : upload_state_name(u->state),
		.done_bytes = known ? u->done_bytes : 0,
		.total_bytes = known ? u->total_bytes : -1 };
	if (known)
		p.rate = meter_pace_add(pace, meter_now_ms(), u->done_bytes);
	meter_show(m, &p);
}

/* Returns false with the server's message if the upload failed there. */
static bool submit_follow_finished(const char *label,
	const struct upload_answer *u, struct err *e)
{
	if (u->state == UPLOAD_DONE)
		return true;
	return err_set(e, ERR_TRACE, "%s: %s", label,
		*u->error ? u->error : "the server gave no reason");
}

bool submit_wait(struct wire *w, const struct options *o, const char *label,
	struct meter *m, struct upload_answer *u, struct err *e)
{
	struct buf url;
	struct meter_pace pace;
	struct retry p = { .meter = m, .label = label, .most = o->retries };
	bool ok;
	pace = METER_PACE;
	buf_init(&url, ADDRESS_MAX);
	address_upload(&url, o->server, u->id);
	for (int ms = FIRST_MS;;) {
		struct attempt a;
		struct err why = { 0 };
		if (!submit_follow_request(w, url.at, &a, u, &why)) {
			if (retry_wait(&p, &a, &why))
				continue;
			ok = err_set(e, why.code, "%s: %s", label, why.text);
			break;
		}
		p.tried = 0;
		if (u->state == UPLOAD_DONE || u->state == UPLOAD_FAILED) {
			ok = submit_follow_finished(label, u, e);
			break;
		}
		submit_follow_show(m, label, &pace, u);
		nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L },
			NULL);
		ms = ms * 2 > LONGEST_MS ? LONGEST_MS : ms * 2;
	}
	meter_clear(m);
	buf_release(&url);
	return ok;
}

struct capture_facts submit_facts(const struct spool *s, const char *name)
{
	struct err e = { 0 };
	int fd = spool_read(s, name, &e);
	struct capture_facts t = { .rank = -1 };

	if (fd >= 0) {
		t = submit_facts_read(fd);
		close(fd);
	}
	return t;
}

bool submit_skip_empty(const struct spool *s, const char *name, bool keep,
	char sentence[static 400])
{
	struct capture_facts t = submit_facts(s, name);
	struct err e = { 0 };

	if (!t.whole || t.records || (!keep && !spool_remove(s, name, &e)))
		return false;
	snprintf(sentence, 400,
		"'%.256s' has no records and %s; lost while recording: %lld",
		name, keep ? "is not sent" : "was deleted",
		(long long)t.dropped);
	return true;
}

struct capture {
	int fd;
	struct stat st;
	char sha256[SHA256_HEX];
	int64_t bytes;
};

static bool submit_digest(struct capture *c, const char *name, struct err *e)
{
	char piece[64 * 1024];
	uint8_t out[SHA256_BYTES];
	struct sha256 sha;
	ssize_t n;

	sha256_init(&sha);
	while ((n = read(c->fd, piece, sizeof piece)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, ERR_FILE, "cannot read '%s': %s",
				name, strerror(errno));
		sha256_add(&sha, piece, (size_t)n);
		c->bytes += n;
	}
	sha256_end(&sha, out);
	sha256_hex(out, c->sha256);
	if (lseek(c->fd, 0, SEEK_SET) || fstat(c->fd, &c->st))
		return err_set(e, ERR_FILE, "cannot read '%s': %s", name,
			strerror(errno));
	return true;
}

/* Whether the name still belongs to the file that was read, and the file has
 * not changed. */
static bool submit_unchanged(const struct spool *s, const char *name,
	const struct stat *was)
{
	struct stat is;

	return !fstatat(s->folder, name, &is, AT_SYMLINK_NOFOLLOW) &&
	       is.st_dev == was->st_dev && is.st_ino == was->st_ino &&
	       is.st_size == was->st_size &&
	       is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

bool submit_capture(struct wire *w, const struct options *o,
	const struct spool *s, const char *name, int most, struct meter *m,
	struct upload_answer *out, struct attempt *last, struct err *e)
{
	struct capture c = { .fd = spool_read(s, name, e) };

	*last = (struct attempt){ .end = ATTEMPT_HOPELESS };
	if (c.fd < 0)
		return false;
	if (!submit_digest(&c, name, e)) {
		close(c.fd);
		return false;
	}
	struct feed *f = feed_new_open(c.fd, name, PACK_NONE, e);
	if (!f || !submit_feed(w, o, f, most, m, out, last, e))
		return false;
	if (out->bytes == c.bytes && !strcmp(out->sha256, c.sha256) &&
		submit_unchanged(s, name, &c.st))
		return true;
	last->end = ATTEMPT_BROKEN;
	return err_set(e, ERR_CONFLICT,
		"%s: the file changed while it was sent; upload %lld is "
		"incomplete",
		name, (long long)out->id);
}

/* ---- files of a stored run */

static bool submit_attached_once(struct wire *w, const char *url,
	struct feed *f, struct attempt *a, submit_read *read, void *out,
	struct err *e)
{
	struct buf body;
	bool ok = false;
	buf_init(&body, WIRE_ANSWER_MAX);
	if (wire_post(w, url, f, NULL, NULL, a, &body, e)) {
		if (a->status == 200 || a->status == 201)
			ok = read(body.at, body.len, out, e);
		else
			answer_error(a->status, body.at, body.len, e);
	}
	buf_release(&body);
	return ok;
}

bool submit_attached(struct wire *w, const struct options *o, struct meter *m,
	struct feed *f, const char *url, submit_read *read, void *out,
	struct err *e)
{
	struct retry p = { .meter = m,
		.label = feed_label(f),
		.most = o->retries };
	for (;;) {
		struct err why = { 0 };
		struct attempt a = { .end = ATTEMPT_HOPELESS };
		if (submit_attached_once(w, url, f, &a, read, out, &why))
			return true;
		if (!retry_wait(&p, &a, &why))
			return err_set(e, why.code, "%s: %s", feed_label(f),
				why.text);
		if (!feed_restart(f, e))
			return false;
	}
}

static bool submit_measures_read(const char *body, size_t len, void *out,
	struct err *e)
{
	return answer_attach(body, len, out, e);
}

static bool submit_measures_one(struct wire *w, const struct options *o,
	struct meter *m, int64_t run, const char *path, struct err *e)
{
	struct attach_answer is = { 0 };
	struct buf url;
	struct feed *f = feed_new(path, PACK_NONE, e);
	if (!f)
		return false;
	buf_init(&url, ADDRESS_MAX);
	address_attach(&url, o->server, run, "measures", feed_base_name(f));
	bool ok = submit_attached(w, o, m, f, url.at, submit_measures_read, &is,
		e);
	meter_clear(m);
	buf_release(&url);
	feed_free(f);
	if (!ok)
		return false;
	buf_init(&url, ADDRESS_MAX);
	address_run(&url, o->server, run);
	printf("run %" PRId64 ": %d measure%s, %s\n", run, is.measures,
		is.measures == 1 ? "" : "s", url.at);
	buf_release(&url);
	return true;
}

bool submit_measures(struct wire *w, const struct options *o, struct meter *m,
	int64_t run, struct err *e)
{
	bool ok = true;

	for (int i = 0; i < o->measures.n; i++) {
		struct err why = { 0 };
		if (submit_measures_one(w, o, m, run, o->measures.at[i], &why))
			continue;
		meter_say(m, "kernsift: %s", why.text);
		ok = err_set(e, why.code, "%s", why.text);
	}
	return ok;
}
