/* object_store.c - one request after the other with libcurl, which keeps the connection
 * for the next one. */
#include "object_store.h"
#include "buf.h"
#include "object_credentials.h"
#include "s3_sign.h"
#include "url_encode.h"
#include <assert.h>
#include <ctype.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECT_S = 10, SLOW_S = 60, SLOW_BYTES_PER_S = 1024 };
/* The most time of a request: a part for the answer, a part per MiB. */
enum { ANSWER_S = 120, S_PER_MIB = 1 };
/* Storages close idle connections, often after 5 s. A request that uses one at that
 * moment fails, and a body cannot be sent again from its beginning. */
enum { IDLE_S = 4 };
enum { URL_MAX = 8192, HOST_MAX = 300, HEADER_MAX = OBJECT_TOKEN + 1024 };
/* What is kept of the body of an error, which is a short XML document. */
enum { ANSWER_MAX = 1 << 14 };
enum { BUCKET_MIN = 3, BUCKET_MAX = 63, REGION_MAX = 64, WORD_MAX = 200 };

static const char OBJECT_SCHEME[] = "s3://";

struct object_store {
	const struct object_settings *is;
	CURL *curl;
	char endpoint[URL_MAX]; /* without a slash at the end */
	char host[HOST_MAX]; /* of the endpoint, with the port */
	bool (*go_on)(void *ctx);
	void *go_on_ctx;
};

/* One request and what came back. */
struct object_request {
	struct object_store *store;
	const char *name;
	struct buf url;
	struct curl_slist *headers;
	object_source_fn *source;
	object_sink_fn *sink;
	void *ctx;
	int64_t at; /* the first byte that must come back */
	int64_t length; /* bytes that must come back; -1: any number */
	int64_t taken; /* bytes that the sink received */
	struct buf answer; /* the body, if it is not an object */
	char etag[OBJECT_ETAG], range[64];
	long status;
	bool interrupted;
	struct err failed; /* in the source or the sink */
	char why[CURL_ERROR_SIZE];
};

bool object_place_check(const char *place, struct err *e)
{
	static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
	bool ok = !strncmp(place, OBJECT_SCHEME, strlen(OBJECT_SCHEME));
	const char *bucket = ok ? place + strlen(OBJECT_SCHEME) : place;
	size_t n = strspn(bucket, LETTERS), len = strlen(place);
	ok = ok && n >= BUCKET_MIN && n <= BUCKET_MAX &&
	     (!bucket[n] || (bucket[n] == '/' && bucket[n + 1])) &&
	     place[len - 1] != '/' &&
	     !strstr(place + strlen(OBJECT_SCHEME), "//") &&
	     !strstr(place, "..") && len < OBJECT_NAME / 2;
	for (const char *c = place; ok && *c; c++)
		ok = *c > ' ' && *c < '\x7f';
	return ok || err_set(e, ERR_INPUT,
			     "'%.200s' is no place for bytes: use s3://BUCKET "
			     "or s3://BUCKET/PREFIX, in printable ASCII",
			     place);
}

/* The default endpoint is Amazon's of the region. */
static bool object_store_address(struct object_store *s, struct err *e)
{
	const char *end = s->is->endpoint;
	int n = *end ? snprintf(s->endpoint, sizeof s->endpoint, "%s", end)
		     : snprintf(s->endpoint, sizeof s->endpoint,
			       "https://s3.%s.amazonaws.com", s->is->region);
	if (n >= (int)sizeof s->endpoint)
		return err_set(e, ERR_INPUT, "--s3-endpoint is too long");
	while (n > 0 && s->endpoint[n - 1] == '/')
		s->endpoint[--n] = '\0';
	const char *host = "";
	if (!strncmp(s->endpoint, "http://", 7))
		host = s->endpoint + 7;
	else if (!strncmp(s->endpoint, "https://", 8))
		host = s->endpoint + 8;
	size_t len = strcspn(host, "/?#@ ");
	if (len == 0 || len >= sizeof s->host || host[len])
		return err_set(e, ERR_INPUT,
			"--s3-endpoint '%.200s' is not of the form "
			"https://HOST:PORT",
			s->endpoint);
	memcpy(s->host, host, len);
	return true;
}

struct object_store *object_store_new(const struct object_settings *is,
	struct err *e)
{
	struct object_store *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->is = is;
	if (strlen(is->region) > REGION_MAX)
		err_set(e, ERR_INPUT, "--s3-region is too long");
	if (e->code || !object_store_address(s, e)) {
		free(s);
		return NULL;
	}
	s->curl = curl_easy_init();
	if (s->curl)
		return s;
	free(s);
	err_set(e, ERR_INTERNAL, "libcurl cannot be initialized");
	return NULL;
}

void object_store_free(struct object_store *s)
{
	if (!s)
		return;
	curl_easy_cleanup(s->curl);
	free(s);
}

void object_store_on_wait(struct object_store *s, bool (*go_on)(void *ctx),
	void *ctx)
{
	s->go_on = go_on;
	s->go_on_ctx = ctx;
}

static size_t object_store_on_source(char *into, size_t size, size_t n,
	void *ctx)
{
	struct object_request *r = ctx;
	size_t len = 0;
	return r->source(r->ctx, into, size * n, &len, &r->failed)
		       ? len
		       : CURL_READFUNC_ABORT;
}

static size_t object_store_on_body(char *from, size_t size, size_t n, void *ctx)
{
	struct object_request *r = ctx;
	size_t len = size * n;
	curl_easy_getinfo(r->store->curl, CURLINFO_RESPONSE_CODE, &r->status);
	if (r->status != 200 && r->status != 206) {
		buf_add(&r->answer, from, len);
		return len; /* of a long one the beginning is enough */
	}
	if (!r->sink) {
		buf_add(&r->answer, from, len);
		return len;
	}
	r->taken += (int64_t)len;
	if (r->length >= 0 && r->taken > r->length)
		return len; /* the length is checked at the end */
	return r->sink(r->ctx, from, len, &r->failed) ? len : 0;
}

/* Copies the value of a header line if it has the name, which ends in a colon. */
static void object_store_value(const char *line, size_t len, const char *name,
	char *to, size_t room)
{
	size_t at = strlen(name);
	if (len < at || strncasecmp(line, name, at) != 0)
		return;
	while (at < len && line[at] == ' ')
		at++;
	size_t end = at;
	while (end < len && line[end] != '\r' && line[end] != '\n')
		end++;
	snprintf(to, room, "%.*s", (int)(end - at), line + at);
}

static size_t object_store_on_header(char *from, size_t size, size_t n,
	void *ctx)
{
	struct object_request *r = ctx;
	object_store_value(from, size * n, "ETag:", r->etag, sizeof r->etag);
	object_store_value(from, size * n, "Content-Range:", r->range,
		sizeof r->range);
	return size * n;
}

static int object_store_on_wait_curl(void *ctx, curl_off_t a, curl_off_t b,
	curl_off_t c, curl_off_t d)
{
	struct object_request *r = ctx;
	(void)a, (void)b, (void)c, (void)d;
	r->interrupted =
		r->store->go_on && !r->store->go_on(r->store->go_on_ctx);
	return r->interrupted;
}

static void object_store_header(struct object_request *r, const char *name,
	const char *value)
{
	struct buf line;
	buf_init(&line, HEADER_MAX);
	buf_printf(&line, "%s: %s", name, value);
	assert(!line.full);
	r->headers = curl_slist_append(r->headers, line.at);
	buf_release(&line);
}

/* Whether the text can be the value of a header, or a part of one. */
static bool object_store_printable(const char *text, size_t most)
{
	size_t n = strlen(text);
	for (size_t i = 0; i < n; i++)
		if (text[i] <= ' ' || text[i] >= '\x7f')
			return false;
	return n <= most;
}

/* Adds the path of the object to the URL of the endpoint; *path: where it begins. */
static void object_store_url(struct object_request *r, size_t *path)
{
	const char *at = r->name + strlen(OBJECT_SCHEME);
	buf_init(&r->url, URL_MAX);
	buf_puts(&r->url, r->store->endpoint);
	*path = r->url.len;
	for (;;) {
		size_t n = strcspn(at, "/");
		buf_puts(&r->url, "/");
		url_encode(&r->url, at, n);
		if (!at[n])
			return;
		at += n + 1;
	}
}

static bool object_store_who(const struct object_store *s,
	struct object_credentials *file, struct s3_credentials *who,
	struct err *e)
{
	*who = (struct s3_credentials){ s->is->key_id, s->is->secret,
		s->is->token };
	if (!*who->key_id || !*who->secret) {
		if (!*s->is->credentials)
			return err_set(e, ERR_FORBIDDEN,
				"object storage needs credentials: set "
				"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
				"or --s3-credentials");
		if (!object_credentials_read(s->is->credentials, file, e))
			return false;
		*who = (struct s3_credentials){ file->key_id, file->secret,
			file->token };
	}
	return (object_store_printable(who->key_id, OBJECT_KEY) &&
		       object_store_printable(who->secret, OBJECT_KEY) &&
		       object_store_printable(who->token, OBJECT_TOKEN)) ||
	       err_set(e, ERR_FORBIDDEN,
		       "the credentials of object storage are too long or "
		       "contain a character that no header may contain");
}

static bool object_store_sign(struct object_request *r, const char *method,
	const char *range, const char *body_sha256, size_t path, struct err *e)
{
	struct object_credentials file;
	struct s3_credentials who;
	struct s3_signature signature;
	struct s3_request q = { method, r->store->host, r->url.at + path, "",
		range, r->store->is->region, "", time(NULL) };
	if (!object_store_who(r->store, &file, &who, e))
		return false;
	snprintf(q.body_sha256, sizeof q.body_sha256, "%s", body_sha256);
	s3_sign(&who, &q, &signature);
	/* libcurl would omit a port that is the default */
	object_store_header(r, "Host", q.host);
	if (*range)
		object_store_header(r, "Range", range);
	object_store_header(r, "X-Amz-Content-Sha256", body_sha256);
	object_store_header(r, "X-Amz-Date", signature.date);
	if (*who.token)
		object_store_header(r, "X-Amz-Security-Token", who.token);
	object_store_header(r, "Authorization", signature.authorization);
	return true;
}

/* `bytes`: of the body or of the object. */
static void object_store_set_up(struct object_request *r, const char *method,
	int64_t bytes)
{
	CURL *c = r->store->curl;
	curl_easy_reset(c); /* keeps the connection */
	curl_easy_setopt(c, CURLOPT_URL, r->url.at);
	curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, method);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, r->headers);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "kernsift/" KERNSIFT_VERSION);
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(c, CURLOPT_MAXAGE_CONN, (long)IDLE_S);
	curl_easy_setopt(c, CURLOPT_TIMEOUT,
		(long)(ANSWER_S + S_PER_MIB * (bytes >> 20)));
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)SLOW_S);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES_PER_S);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, r->why);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, object_store_on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, r);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, object_store_on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, r);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION,
		object_store_on_wait_curl);
	curl_easy_setopt(c, CURLOPT_XFERINFODATA, r);
	curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
}

/* Copies the text of an element of the storage's XML answer: printable ASCII, at most
 * WORD_MAX bytes, "" if there is none. */
static void object_store_element(const struct buf *b, const char *open,
	char text[WORD_MAX])
{
	const char *at = b->at ? strstr(b->at, open) : NULL;
	size_t n = 0;
	for (at = at ? at + strlen(open) : ""; *at && *at != '<'; at++)
		if (n + 1 < WORD_MAX && isprint((unsigned char)*at))
			text[n++] = *at;
	text[n] = '\0';
}

/* The storage answered, but did not do what was requested. */
static bool object_store_refused(const struct object_request *r, struct err *e)
{
	char code[WORD_MAX], message[WORD_MAX];
	object_store_element(&r->answer, "<Code>", code);
	object_store_element(&r->answer, "<Message>", message);
	/* A proxy or a wrong endpoint may answer 404, too. */
	bool missing = r->status == 404 && !strcmp(code, "NoSuchKey");
	bool denied = r->status == 401 || r->status == 403;
	bool wrong = r->status >= 400 && r->status < 500 && r->status != 404 &&
		     r->status != 408 && r->status != 429;
	enum err_code is = ERR_BUSY;
	if (missing)
		is = ERR_NOT_FOUND;
	else if (denied)
		is = ERR_FORBIDDEN;
	else if (wrong)
		is = ERR_INPUT;
	return err_set(e, is,
		"%.150s: object storage answered %ld%s%.40s%s%.100s", r->name,
		r->status, *code ? " " : "", code, *message ? ": " : "",
		message);
}

/* Whether the answer has the bytes that the request named, and not others. */
static bool object_store_check_range(const struct object_request *r,
	struct err *e)
{
	char want[64];
	int n = snprintf(want, sizeof want, "bytes %lld-%lld/",
		(long long)r->at, (long long)(r->at + r->length - 1));
	bool ok = r->status == 206 ? !strncmp(r->range, want, (size_t)n)
				   : r->at == 0;
	return ok || err_set(e, ERR_BUSY,
			     "%.150s: object storage sent the range '%.60s' "
			     "instead of '%.60s'",
			     r->name, r->range, want);
}

static bool object_store_result(const struct object_request *r, CURLcode rc,
	struct err *e)
{
	if (r->failed.code)
		return err_set(e, r->failed.code, "%s", r->failed.text);
	if (r->interrupted)
		return err_set(e, ERR_BUSY, "%.150s: interrupted", r->name);
	if (rc != CURLE_OK)
		return err_set(e, ERR_BUSY,
			"%.150s: object storage at %.100s: %s", r->name,
			r->store->endpoint,
			*r->why ? r->why : curl_easy_strerror(rc));
	if (r->status < 200 || r->status > 299 ||
		(r->answer.at && strstr(r->answer.at, "<Error>")))
		return object_store_refused(r, e);
	if (r->length >= 0 && r->taken != r->length)
		return err_set(e, ERR_BUSY,
			"%.150s: object storage sent %lld of %lld bytes",
			r->name, (long long)r->taken, (long long)r->length);
	return r->length < 0 || object_store_check_range(r, e);
}

static void object_store_release(struct object_request *r)
{
	curl_easy_reset(r->store->curl); /* it refers to *r */
	curl_slist_free_all(r->headers);
	buf_release(&r->url);
	buf_release(&r->answer);
}

/* `size`: of the body, -1 without one. */
static bool object_store_send(struct object_request *r, const char *method,
	const char *range, const char *body_sha256, int64_t size, struct err *e)
{
	size_t path;
	buf_init(&r->answer, ANSWER_MAX);
	object_store_url(r, &path);
	bool ok = object_store_sign(r, method, range, body_sha256, path, e);
	if (ok) {
		/* without this, libcurl would first request permission to send */
		r->headers = curl_slist_append(r->headers, "Expect:");
		object_store_set_up(r, method, size >= 0 ? size : r->length);
		if (size >= 0) {
			CURL *c = r->store->curl;
			curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
			curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE,
				(curl_off_t)size);
			curl_easy_setopt(c, CURLOPT_READFUNCTION,
				object_store_on_source);
			curl_easy_setopt(c, CURLOPT_READDATA, r);
		}
		CURLcode rc = curl_easy_perform(r->store->curl);
		curl_easy_getinfo(r->store->curl, CURLINFO_RESPONSE_CODE,
			&r->status);
		ok = object_store_result(r, rc, e);
	}
	object_store_release(r);
	return ok;
}

bool object_put(struct object_store *s, const char *name, int64_t size,
	const uint8_t sha256[SHA256_BYTES], object_source_fn *source, void *ctx,
	char etag[OBJECT_ETAG], struct err *e)
{
	struct object_request r = { .store = s,
		.name = name,
		.source = source,
		.ctx = ctx,
		.length = -1 };
	char hex[SHA256_HEX];
	sha256_hex(sha256, hex);
	if (!object_store_send(&r, "PUT", "", hex, size, e))
		return false;
	snprintf(etag, OBJECT_ETAG, "%s", r.etag);
	return *etag || err_set(e, ERR_BUSY,
				"%.150s: object storage sent no ETag", name);
}

/* The digest of no bytes. */
static const char OBJECT_EMPTY[] =
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

bool object_get(struct object_store *s, const char *name, const char *etag,
	int64_t at, int64_t len, object_sink_fn *sink, void *ctx, struct err *e)
{
	struct object_request r = { .store = s,
		.name = name,
		.sink = sink,
		.ctx = ctx,
		.at = at,
		.length = len };
	char range[64];
	snprintf(range, sizeof range, "bytes=%lld-%lld", (long long)at,
		(long long)(at + len - 1));
	if (!object_store_send(&r, "GET", range, OBJECT_EMPTY, -1, e))
		return false;
	return !strcmp(r.etag, etag) ||
	       err_set(e, ERR_NOT_FOUND,
		       "%.150s: object storage has another object of this name "
		       "(ETag %.60s instead of %.60s)",
		       name, r.etag, etag);
}

bool object_delete(struct object_store *s, const char *name, struct err *e)
{
	struct object_request r = { .store = s, .name = name, .length = -1 };
	struct err why = { 0 };
	if (object_store_send(&r, "DELETE", "", OBJECT_EMPTY, -1, &why) ||
		why.code == ERR_NOT_FOUND)
		return true;
	return err_set(e, why.code, "%s", why.text);
}
