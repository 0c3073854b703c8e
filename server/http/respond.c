/* respond.c - builds and queues responses: status, headers and body. */
#include "respond.h"
#include "content_encoding.h"
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

enum { RAW_BYTES = 64 << 10, STREAM_BYTES = 64 << 10 };

struct header {
	const char *name, *value;
};

/* Browsers must not guess the content type, must not send a referrer, and must
 * not let other sites embed the answer. */
static const struct header always[] = {
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ 0 },
};

/* An answer is for one caller, so no cache may store it. The header Vary is
 * therefore not needed, although answers depend on Accept-Encoding. */
static const struct header of_api[] = {
	{ "Cache-Control", "no-store" },
	{ "Content-Security-Policy", "default-src 'none'" },
	{ 0 },
};

static const struct header of_page[] = {
	{ "Content-Security-Policy",
		"default-src 'self'; object-src 'none'; base-uri 'none'; "
		"form-action 'self'; frame-ancestors 'none'" },
	{ 0 },
};

/* The Perfetto UI has a script in its page, compiles WebAssembly, starts workers
 * and reads the trace from a blob. Its own policy, which its script sets, allows
 * the same. Other sites must not embed it or be called by it. */
static const struct header of_perfetto[] = {
	{ "Content-Security-Policy",
		"default-src 'self'; script-src 'self' 'unsafe-inline' "
		"'unsafe-eval' blob:; worker-src 'self' blob:; "
		"style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
		"font-src 'self' data:; connect-src 'self' data: blob:; "
		"object-src 'none'; form-action 'none'; "
		"frame-ancestors 'none'" },
	{ 0 },
};

static void respond_add_all(struct MHD_Response *r, const struct header *h)
{
	for (; h->name; h++)
		MHD_add_response_header(r, h->name, h->value);
}

static void respond_add(struct MHD_Response *r, const char *name,
	const char *value)
{
	if (value && *value)
		MHD_add_response_header(r, name, value);
}

static bool respond_queue(struct MHD_Connection *c, int status,
	struct MHD_Response *r, bool close)
{
	respond_add_all(r, always);
	if (close)
		MHD_add_response_header(r, "Connection", "close");
	bool ok = MHD_queue_response(c, (unsigned)status, r) == MHD_YES;
	MHD_destroy_response(r);
	return ok;
}

/* The state of a stream that is being sent. */
struct sending {
	struct api_stream stream;
	int64_t *sent;
};

static ssize_t respond_sending_next(void *cls, uint64_t at, char *to,
	size_t cap)
{
	struct sending *s = cls;
	(void)at;
	int64_t n = s->stream.next(s->stream.ctx, to, cap);
	if (n < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	*s->sent += n;
	return n ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

static void respond_sending_free(void *cls)
{
	struct sending *s = cls;
	s->stream.free(s->stream.ctx);
	free(s);
}

/* Makes a response from the answer and takes over its bytes; NULL if
 * libmicrohttpd fails. */
static struct MHD_Response *respond_response(struct api_answer *a,
	int64_t *sent)
{
	struct MHD_Response *r;
	if (!a->stream.next) {
		r = MHD_create_response_from_buffer(a->len,
			a->body ? a->body : "",
			a->body ? MHD_RESPMEM_MUST_FREE
				: MHD_RESPMEM_PERSISTENT);
		*sent = (int64_t)a->len;
		if (r)
			a->body = NULL;
		return r;
	}
	struct sending *s = malloc(sizeof *s);
	if (!s)
		abort();
	*s = (struct sending){ a->stream, sent };
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BYTES,
		respond_sending_next, s, respond_sending_free);
	if (r)
		a->stream = (struct api_stream){ 0 };
	else
		free(s);
	return r;
}

bool respond_api(struct MHD_Connection *c, struct api_answer *a, bool close,
	bool head, int64_t *sent)
{
	char seconds[16] = "";
	bool streamed = a->stream.next;
	bool gzip = content_encoding_apply(a,
		content_encoding_of(MHD_lookup_connection_value(c,
			MHD_HEADER_KIND, "Accept-Encoding")));
	struct MHD_Response *r = respond_response(a, sent);
	if (!r)
		return false;
	/* Without this, libmicrohttpd would send an empty last chunk although
	 * an answer to HEAD has no body. The client would read this chunk as
	 * the beginning of the next answer. */
	if (head && streamed)
		MHD_set_response_options(r, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT,
			MHD_RO_END);
	if (a->retry_after_s)
		snprintf(seconds, sizeof seconds, "%d", a->retry_after_s);
	respond_add_all(r, of_api);
	respond_add(r, "Content-Type", a->type);
	respond_add(r, "Content-Encoding", gzip ? "gzip" : "");
	respond_add(r, "Allow", a->allow);
	respond_add(r, "Location", a->location);
	respond_add(r, "Set-Cookie", a->cookie);
	respond_add(r, "Content-Disposition", a->disposition);
	respond_add(r, "Retry-After", seconds);
	if (a->status == 401)
		respond_add(r, "WWW-Authenticate", "Bearer");
	return respond_queue(c, a->status, r, close);
}

/* How long a browser may use a file without a request: a year, the longest time
 * that caches honor, or not at all. */
static const char *respond_cache_control(const struct web_file *f)
{
	return f->never_changes ? "public, max-age=31536000, immutable"
				: "no-cache";
}

bool respond_file(struct MHD_Connection *c, struct web_file *f, bool same,
	bool close)
{
	char etag[ETAG_TEXT + 2];
	struct MHD_Response *r =
		same ? MHD_create_response_from_buffer(0, (void *)"",
			       MHD_RESPMEM_PERSISTENT)
		     : MHD_create_response_from_buffer(f->len, (void *)f->bytes,
			       f->owned ? MHD_RESPMEM_MUST_FREE
					: MHD_RESPMEM_PERSISTENT);
	if (same || !r)
		free(f->owned);
	f->owned = NULL;
	if (!r)
		return false;
	/* Compressed bytes must not have the strong ETag of the others. */
	snprintf(etag, sizeof etag, "%s%s", f->gzip ? "W/" : "", f->etag);
	respond_add_all(r, f->of_perfetto ? of_perfetto : of_page);
	respond_add(r, "Cache-Control", respond_cache_control(f));
	respond_add(r, "ETag", etag);
	respond_add(r, "Vary", f->has_gzip ? "Accept-Encoding" : "");
	if (!same) {
		respond_add(r, "Content-Type", f->type);
		respond_add(r, "Content-Encoding", f->gzip ? "gzip" : "");
	}
	return respond_queue(c, same ? 304 : 200, r, close);
}

void respond_raw(const struct api_answer *a, struct buf *b)
{
	buf_init(b, RAW_BYTES);
	buf_printf(b, "HTTP/1.1 %d %s\r\nConnection: close\r\n", a->status,
		MHD_get_reason_phrase_for((unsigned)a->status));
	if (a->type)
		buf_printf(b, "Content-Type: %s\r\n", a->type);
	if (a->retry_after_s)
		buf_printf(b, "Retry-After: %d\r\n", a->retry_after_s);
	for (const struct header *h = always; h->name; h++)
		buf_printf(b, "%s: %s\r\n", h->name, h->value);
	buf_printf(b, "Content-Length: %zu\r\n\r\n", a->len);
	buf_add(b, a->body, a->len);
}
