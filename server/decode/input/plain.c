/* plain.c - decompresses stored bytes: gzip, zstd or uncompressed */
#include "plain.h"
#include <isa-l/igzip_lib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

static void plain_take(struct plain *p, size_t n);
static void plain_member(struct plain *p);
static void plain_stuck(struct plain *p);
static void plain_end(struct plain *p, enum note_code code);
static bool plain_garbage(struct plain *p, struct err *e);

/* gzip by ISA-L. ISA-L stops after a member and reports success, so this code
 * loops over the members and requires an end of the data. */

enum { AT_ONCE = 1 << 30 };

static bool plain_gunzip_start(struct plain *p, struct err *e)
{
	p->state = arena_grow(p->arena, NULL, sizeof(struct inflate_state));
	return p->state || arena_err(p->arena, e);
}

static void plain_gunzip_stop(struct plain *p)
{
	arena_drop(p->arena, p->state);
}

static bool plain_gunzip_damaged(struct plain *p, int code, struct err *e)
{
	bool header =
		code == ISAL_INVALID_WRAPPER || code == ISAL_UNSUPPORTED_METHOD;
	if (header && p->member_at > 0)
		return plain_garbage(p, e);
	plain_end(p,
		code == ISAL_INCORRECT_CHECKSUM ? NOTE_checksum : NOTE_damaged);
	return true;
}

static void plain_gunzip_member(struct plain *p)
{
	struct inflate_state *z = p->state;
	isal_inflate_init(z);
	z->crc_flag = ISAL_GZIP;
	plain_member(p);
}

static bool plain_gunzip_step(struct plain *p, unsigned char **to,
	unsigned char *end, struct err *e)
{
	struct inflate_state *z = p->state;
	if (!p->open) {
		plain_gunzip_member(p);
		if (*p->in != 0x1F)
			return plain_garbage(p, e);
	}
	z->next_in = (uint8_t *)(uintptr_t)p->in;
	z->avail_in = p->in_len < AT_ONCE ? (uint32_t)p->in_len : AT_ONCE;
	z->next_out = *to;
	z->avail_out = (uint32_t)(end - *to);
	int code = isal_inflate(z);
	size_t taken = (size_t)(z->next_in - p->in);
	bool stuck = taken == 0 && z->next_out == *to;
	plain_take(p, taken);
	*to = z->next_out;
	if (code < 0)
		return plain_gunzip_damaged(p, code, e);
	if (z->block_state == ISAL_BLOCK_FINISH)
		p->open = false;
	else if (stuck)
		plain_stuck(p);
	return true;
}

const struct plain_method plain_gzip = { "gzip", plain_gunzip_start,
	plain_gunzip_step, plain_gunzip_stop };

/* zstd, frame after frame. */

/* A frame with a larger look-back window (--long, --ultra) would need more
 * memory than an ingest may use. */
enum { WINDOW_LOG = 25, STATE_BYTES = 1 << 18 };

static bool plain_unzstd_start(struct plain *p, struct err *e)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	p->state = z;
	if (!z) {
		arena_refuse(p->arena, STATE_BYTES);
		return arena_err(p->arena, e);
	}
	ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG);
	return true;
}

static void plain_unzstd_stop(struct plain *p)
{
	ZSTD_freeDCtx(p->state);
}

static bool plain_unzstd_short_of_memory(size_t code)
{
	return ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation;
}

static bool plain_unzstd_damaged(struct plain *p, size_t code, struct err *e)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		return err_set(e, ERR_TOO_LARGE,
			"the zstd data looks back further than %d MiB; "
			"compress it without --long and --ultra",
			1 << (WINDOW_LOG - 20));
	case ZSTD_error_memory_allocation:
		arena_refuse(p->arena, (size_t)1 << WINDOW_LOG);
		return arena_err(p->arena, e);
	case ZSTD_error_checksum_wrong:
		plain_end(p, NOTE_checksum);
		return true;
	default:
		plain_end(p, NOTE_damaged);
		return true;
	}
}

static bool plain_unzstd_step(struct plain *p, unsigned char **to,
	unsigned char *end, struct err *e)
{
	ZSTD_inBuffer in = { p->in, p->in_len, 0 };
	ZSTD_outBuffer out = { *to, (size_t)(end - *to), 0 };
	bool behind = !p->open && p->stored > 0;
	if (!p->open)
		plain_member(p);
	size_t code = ZSTD_decompressStream(p->state, &out, &in);
	plain_take(p, in.pos);
	*to += out.pos;
	if (ZSTD_isError(code))
		return behind && !plain_unzstd_short_of_memory(code)
			       ? plain_garbage(p, e)
			       : plain_unzstd_damaged(p, code, e);
	p->open = code != 0;
	if (p->open && in.pos == 0 && out.pos == 0)
		plain_stuck(p);
	return true;
}

const struct plain_method plain_zstd = { "zstd", plain_unzstd_start,
	plain_unzstd_step, plain_unzstd_stop };

/* Fewer bytes than MEMBER_MIN cannot be a gzip member or a usable zstd
 * frame. */
enum { TELL = 512 * 1024, MEMBER_MIN = 18 };
static const int64_t RATIO_FROM = 1 << 20;

static bool plain_raw_start(struct plain *p, struct err *e)
{
	(void)p;
	(void)e;
	return true;
}

static bool plain_raw_step(struct plain *p, unsigned char **to,
	unsigned char *end, struct err *e)
{
	(void)e;
	size_t n = (size_t)(end - *to);
	if (n > p->in_len)
		n = p->in_len;
	if (n)
		memcpy(*to, p->in, n);
	*to += n;
	plain_take(p, n);
	return true;
}

static void plain_raw_stop(struct plain *p)
{
	(void)p;
}

static const struct plain_method raw = { "plain", plain_raw_start,
	plain_raw_step, plain_raw_stop };

void plain_init(struct plain *p, struct source *s,
	const struct decode_limits *limits,
	const struct decode_progress *progress, struct arena *a,
	struct notes *notes)
{
	*p = (struct plain){ .source = s,
		.limits = limits,
		.progress = progress,
		.arena = a,
		.notes = notes,
		.ending = NOTE_CODES };
}

/* Functions for methods. plain_take() removes n bytes from p->in. plain_end()
 * ends the data, with a note. plain_member() begins a member or frame.
 * plain_stuck() ends data that cannot be continued: it was cut off, is garbage
 * after the last member, or, in the middle, is damaged. */
static void plain_take(struct plain *p, size_t n)
{
	p->in += n;
	p->in_len -= n;
	p->stored += (int64_t)n;
}

static void plain_end(struct plain *p, enum note_code code)
{
	p->ending = code;
	p->done = true;
}

static void plain_member(struct plain *p)
{
	p->open = true;
	p->member_at = p->stored;
	p->member_out = p->out;
}

static void plain_stuck(struct plain *p)
{
	bool nothing = p->out == p->member_out &&
		       p->stored - p->member_at < MEMBER_MIN;
	if (p->in_end && p->member_at > 0 && nothing)
		plain_end(p, NOTE_gzip_garbage);
	else
		plain_end(p, p->in_end ? NOTE_truncated : NOTE_damaged);
}

static void plain_note_ending(const struct plain *p)
{
	if (p->ending == NOTE_gzip_garbage)
		note_add(p->notes, p->ending, p->stored - p->member_at, NULL,
			0);
	else if (p->ending != NOTE_CODES)
		note_add(p->notes, p->ending, p->out, NULL, 0);
}

static bool plain_pull(struct plain *p, struct err *e)
{
	const void *bytes;
	size_t len;
	if (!p->source->next(p->source->ctx, &bytes, &len, e))
		return false;
	p->in = bytes;
	p->in_len = len;
	p->in_end = len == 0;
	return true;
}

/* Recognizes the method by the first four bytes, even if they are in several
 * pieces. The rest of the last piece is read after them. */
static bool plain_begin(struct plain *p, struct err *e)
{
	size_t n = 0;
	while (n < sizeof p->head && !p->in_end) {
		if (p->in_len == 0 && !plain_pull(p, e))
			return false;
		while (n < sizeof p->head && p->in_len) {
			p->head[n++] = *p->in++;
			p->in_len--;
		}
	}
	p->method = &raw;
	if (n >= 2 && p->head[0] == 0x1F && p->head[1] == 0x8B)
		p->method = &plain_gzip;
	else if (n == 4 && !memcmp(p->head, "\x28\xB5\x2F\xFD", 4))
		p->method = &plain_zstd;
	p->after = p->in;
	p->after_len = p->in_len;
	p->in = p->head;
	p->in_len = n;
	return p->method->start(p, e);
}

static bool plain_more(struct plain *p, struct err *e)
{
	if (p->after) {
		p->in = p->after;
		p->in_len = p->after_len;
		p->after = NULL;
		return true;
	}
	return plain_pull(p, e);
}

static bool plain_allowed(const struct plain *p, struct err *e)
{
	const struct decode_limits *l = p->limits;
	if (p->out > l->plain_bytes)
		return err_set(e, ERR_TOO_LARGE,
			"the trace is larger than %lld MiB when unpacked; "
			"record a shorter window, or raise "
			"--max-uncompressed-mib",
			(long long)(l->plain_bytes >> 20));
	if (p->out > RATIO_FROM && plain_packed(p) &&
		p->out / l->ratio > p->stored)
		return err_set(e, ERR_TOO_LARGE,
			"the %s data is more than %lld times as large when "
			"unpacked, which no trace is; upload it unpacked, or "
			"raise --max-compression-ratio",
			p->method->name, (long long)l->ratio);
	return true;
}

static bool plain_report(struct plain *p, struct err *e)
{
	if (!p->progress || (p->stored - p->reported < TELL && !p->done))
		return true;
	p->reported = p->stored;
	return p->progress->tell(p->progress->ctx, p->stored, p->out, e);
}

static bool plain_garbage(struct plain *p, struct err *e)
{
	while (!p->in_end) {
		plain_take(p, p->in_len);
		if (!plain_more(p, e) || !plain_report(p, e))
			return false;
	}
	plain_end(p, NOTE_gzip_garbage);
	return true;
}

bool plain_read(struct plain *p, void *to, size_t cap, size_t *got,
	struct err *e)
{
	unsigned char *at = to, *end = at + cap;
	if (!p->method && !plain_begin(p, e))
		return false;
	while (at < end && !p->done) {
		unsigned char *from = at;
		while (p->in_len == 0 && !p->in_end)
			if (!plain_more(p, e))
				return false;
		if (p->in_len == 0 && !p->open)
			p->done = true;
		else if (!p->method->step(p, &at, end, e))
			return false;
		p->out += at - from;
		if (p->done)
			plain_note_ending(p);
		if (!plain_allowed(p, e) || !plain_report(p, e))
			return false;
	}
	*got = (size_t)(at - (unsigned char *)to);
	return true;
}

bool plain_packed(const struct plain *p)
{
	return p->method && p->method != &raw;
}

bool plain_any(const struct plain *p, struct err *e)
{
	if (!plain_packed(p) || p->out > 0)
		return true;
	if (p->ending == NOTE_truncated)
		return err_set(e, ERR_FORMAT,
			"the %s data breaks off before anything comes out",
			p->method->name);
	if (p->ending == NOTE_damaged)
		return err_set(e, ERR_FORMAT,
			"the %s data is damaged from the start",
			p->method->name);
	return err_set(e, ERR_FORMAT, "the %s data holds nothing",
		p->method->name);
}

void plain_release(struct plain *p)
{
	if (p->method)
		p->method->stop(p);
	*p = (struct plain){ 0 };
}
