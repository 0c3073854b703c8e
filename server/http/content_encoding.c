/* content_encoding.c - reads Accept-Encoding, and compresses bodies and streams
 * with ISA-L. */
#include "content_encoding.h"
#include <assert.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Accept-Encoding (RFC 9110, 12.5.3) */

/* Weights are in thousandths; NOT_LISTED if the header does not name the
 * coding. */
enum { WEIGHT_MAX = 1000, NOT_LISTED = -1 };

static const char BLANKS[] = " \t";

struct coding_weights {
	int gzip, identity, any;
};

/* The value of a weight such as `0.8`; 0 if it is malformed. */
static int content_encoding_qvalue(const char *at, size_t len)
{
	int weight = 0, digit = WEIGHT_MAX;
	if (!len || len > 5 || (at[0] != '0' && at[0] != '1') ||
		(len > 1 && at[1] != '.'))
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (i == 1)
			continue;
		if (at[i] < '0' || at[i] > '9')
			return 0;
		weight += (at[i] - '0') * digit;
		digit /= 10;
	}
	return weight <= WEIGHT_MAX ? weight : 0;
}

/* The weight in the text after a coding's name: nothing, or `;q=0.8` with
 * blanks. */
static int content_encoding_weight(const char *at, size_t len)
{
	const char *end = at + len;
	at += strspn(at, BLANKS);
	while (end > at && strchr(BLANKS, end[-1]))
		end--;
	if (at >= end)
		return WEIGHT_MAX;
	if (*at++ != ';')
		return 0;
	at += strspn(at, BLANKS);
	if (end - at < 2 || (*at != 'q' && *at != 'Q') || at[1] != '=')
		return 0;
	return content_encoding_qvalue(at + 2, (size_t)(end - at - 2));
}

static void content_encoding_add(struct coding_weights *w, const char *name,
	size_t len, int weight)
{
	static const char *const gzip_names[] = { "gzip", "x-gzip" };
	for (size_t i = 0; i < sizeof gzip_names / sizeof *gzip_names; i++)
		if (len == strlen(gzip_names[i]) &&
			!strncasecmp(name, gzip_names[i], len))
			w->gzip = weight;
	if (len == 8 && !strncasecmp(name, "identity", len))
		w->identity = weight;
	if (len == 1 && *name == '*')
		w->any = weight;
}

enum content_encoding content_encoding_of(const char *header)
{
	struct coding_weights w = { NOT_LISTED, NOT_LISTED, NOT_LISTED };
	while (header && *header) {
		header += strspn(header, ", \t");
		size_t len = strcspn(header, ",");
		size_t name = strcspn(header, ",; \t");
		content_encoding_add(&w, header, name,
			content_encoding_weight(header + name, len - name));
		header += len;
	}
	int gzip = w.gzip != NOT_LISTED ? w.gzip : w.any;
	bool unchanged = w.identity != NOT_LISTED ? w.identity > 0 : w.any != 0;
	if (gzip <= 0 || w.identity > gzip)
		return ENCODING_IDENTITY;
	return unchanged ? ENCODING_EITHER : ENCODING_GZIP;
}

/* ---- gzip */

enum {
	/* An answer with its headers of about 400 bytes then fits into one
	 * packet of Ethernet, which takes 1460 bytes; a smaller body would
	 * arrive no sooner. */
	SMALL_BYTES = 1000,
	/* as the chunks that libmicrohttpd requests of a stream */
	INPUT_BYTES = 64 << 10,
	/* 1.6 GB/s of a trace, 14 times smaller, and 0.4 GB/s of source text.
	 * Level 3 needs four times the time of the trace and makes no less of
	 * it. Larger buffers than SMALL change less than 1 %. */
	GZIP_LEVEL = 1
};

struct gzip_state {
	struct isal_zstream z;
	uint8_t level_buf[ISAL_DEF_LVL1_SMALL];
};

/* All of *g is 0 before: the library does not set every member. */
static void content_encoding_begin(struct gzip_state *g)
{
	isal_deflate_init(&g->z);
	g->z.level = GZIP_LEVEL;
	g->z.level_buf = g->level_buf;
	g->z.level_buf_size = sizeof g->level_buf;
	g->z.gzip_flag = IGZIP_GZIP;
}

/* Writes to z.next_out; returns whether everything is written. */
static bool content_encoding_deflate(struct gzip_state *g)
{
	int rc = isal_deflate(&g->z);
	assert(rc == COMP_OK); /* it fails only for wrong parameters */
	return g->z.internal_state.state == ZSTATE_END;
}

/* Whether the type is text, which compresses. A capture is compressed
 * already. */
static bool content_encoding_is_text(const char *type)
{
	return !strncmp(type, "text/", 5) || strstr(type, "json") ||
	       strstr(type, "xml");
}

/* Compresses the body, unless the result would have more than `cap` bytes. */
static bool content_encoding_body(struct api_answer *a, size_t cap)
{
	struct gzip_state *g = calloc(1, sizeof *g);
	char *out = malloc(cap);
	if (!g || !out)
		abort();
	content_encoding_begin(g);
	g->z.next_in = (uint8_t *)a->body;
	g->z.avail_in = (uint32_t)a->len;
	g->z.end_of_stream = 1;
	g->z.next_out = (uint8_t *)out;
	g->z.avail_out = (uint32_t)cap;
	bool ok = content_encoding_deflate(g);
	if (ok) {
		free(a->body);
		a->body = out;
		a->len = cap - g->z.avail_out;
	} else {
		free(out);
	}
	free(g);
	return ok;
}

struct gzip_stream {
	struct gzip_state gzip;
	struct api_stream plain;
	uint8_t in[INPUT_BYTES];
};

/* Returns after the first compressed bytes: one call may need many pieces of
 * the plain stream, and meanwhile its thread serves no other connection. */
static int64_t content_encoding_next(void *ctx, void *to, size_t cap)
{
	struct gzip_stream *s = ctx;
	struct isal_zstream *z = &s->gzip.z;
	bool ended = z->internal_state.state == ZSTATE_END;
	uint32_t room = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
	z->next_out = to;
	z->avail_out = room;
	while (!ended && z->avail_out == room) {
		if (!z->avail_in && !z->end_of_stream) {
			int64_t n = s->plain.next(s->plain.ctx, s->in,
				sizeof s->in);
			if (n < 0)
				return -1;
			z->next_in = s->in;
			z->avail_in = (uint32_t)n;
			z->end_of_stream = n == 0;
		}
		ended = content_encoding_deflate(&s->gzip);
	}
	return room - z->avail_out;
}

static void content_encoding_free(void *ctx)
{
	struct gzip_stream *s = ctx;
	s->plain.free(s->plain.ctx);
	free(s);
}

static struct api_stream content_encoding_stream(struct api_stream plain)
{
	struct gzip_stream *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->plain = plain;
	content_encoding_begin(&s->gzip);
	return (struct api_stream){ content_encoding_next,
		content_encoding_free, s };
}

bool content_encoding_apply(struct api_answer *a, enum content_encoding c)
{
	/* more than gzip can need, if the client accepts nothing else */
	size_t larger = a->len + a->len / 4 + SMALL_BYTES;
	if (c == ENCODING_IDENTITY || !a->type || larger > UINT32_MAX)
		return false;
	if (c == ENCODING_EITHER && !content_encoding_is_text(a->type))
		return false;
	if (a->stream.next) {
		a->stream = content_encoding_stream(a->stream);
		return true;
	}
	if (c == ENCODING_GZIP)
		return content_encoding_body(a, larger);
	return a->len >= SMALL_BYTES && content_encoding_body(a, a->len - 1);
}
