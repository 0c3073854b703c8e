/* plain.c - pulls from a source, hands out plain bytes, minds the limits. */
#include "plain.h"
#include <string.h>

/* Fewer bytes are no gzip member, nor a zstd frame of any use. */
enum { TELL = 512 * 1024, MEMBER_LEAST = 18 };
static const int64_t RATIO_FROM = 1 << 20;

static bool raw_start(struct plain *p, struct err *e)
{
	(void)p;
	(void)e;
	return true;
}

static bool raw_step(struct plain *p, unsigned char **to, unsigned char *end,
	struct err *e)
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

static void raw_stop(struct plain *p)
{
	(void)p;
}

static const struct plain_method raw = { "plain", raw_start, raw_step,
	raw_stop };

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

void plain_take(struct plain *p, size_t n)
{
	p->in += n;
	p->in_len -= n;
	p->stored += (int64_t)n;
}

void plain_end(struct plain *p, enum note_code code)
{
	p->ending = code;
	p->done = true;
}

void plain_member(struct plain *p)
{
	p->open = true;
	p->member_at = p->stored;
	p->member_out = p->out;
}

void plain_stuck(struct plain *p)
{
	bool nothing = p->out == p->member_out &&
		       p->stored - p->member_at < MEMBER_LEAST;
	if (p->in_end && p->member_at > 0 && nothing)
		plain_end(p, NOTE_gzip_garbage);
	else
		plain_end(p, p->in_end ? NOTE_truncated : NOTE_damaged);
}

static void note_ending(const struct plain *p)
{
	if (p->ending == NOTE_gzip_garbage)
		note_add(p->notes, p->ending, p->stored - p->member_at, NULL,
			0);
	else if (p->ending != NOTE_CODES)
		note_add(p->notes, p->ending, p->out, NULL, 0);
}

static bool pull(struct plain *p, struct err *e)
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

/* Tells the method by the first four bytes, however they arrive. What is left
 * of the piece they came in is handed on behind them. */
static bool begin(struct plain *p, struct err *e)
{
	size_t n = 0;
	while (n < sizeof p->head && !p->in_end) {
		if (p->in_len == 0 && !pull(p, e))
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

static bool more(struct plain *p, struct err *e)
{
	if (p->after) {
		p->in = p->after;
		p->in_len = p->after_len;
		p->after = NULL;
		return true;
	}
	return pull(p, e);
}

static bool allowed(const struct plain *p, struct err *e)
{
	const struct decode_limits *l = p->limits;
	if (p->out > l->plain_bytes)
		return err_set(e, ERR_TOO_LARGE,
			"the trace is larger than %lld MiB when unpacked; "
			"record a shorter window, or raise --plain_mib",
			(long long)(l->plain_bytes >> 20));
	if (p->out > RATIO_FROM && plain_packed(p) &&
		p->out / l->ratio > p->stored)
		return err_set(e, ERR_TOO_LARGE,
			"the %s data unpacks to more than %lld times its "
			"size, which no trace does; upload it unpacked, or "
			"raise --ratio",
			p->method->name, (long long)l->ratio);
	return true;
}

static bool tell(struct plain *p, struct err *e)
{
	if (!p->progress || (p->stored - p->told < TELL && !p->done))
		return true;
	p->told = p->stored;
	return p->progress->tell(p->progress->ctx, p->stored, p->out, e);
}

bool plain_garbage(struct plain *p, struct err *e)
{
	while (!p->in_end) {
		plain_take(p, p->in_len);
		if (!more(p, e) || !tell(p, e))
			return false;
	}
	plain_end(p, NOTE_gzip_garbage);
	return true;
}

bool plain_read(struct plain *p, void *to, size_t cap, size_t *got,
	struct err *e)
{
	unsigned char *at = to, *end = at + cap;
	if (!p->method && !begin(p, e))
		return false;
	while (at < end && !p->done) {
		unsigned char *from = at;
		while (p->in_len == 0 && !p->in_end)
			if (!more(p, e))
				return false;
		if (p->in_len == 0 && !p->open)
			p->done = true;
		else if (!p->method->step(p, &at, end, e))
			return false;
		p->out += at - from;
		if (p->done)
			note_ending(p);
		if (!allowed(p, e) || !tell(p, e))
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
