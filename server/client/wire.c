/* wire.c - libcurl's easy interface, one handle for all requests, and the token. */
#include "wire.h"
#include "address.h"
#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>

static bool wire_read_file(const char *file, char *to, size_t room, size_t *len,
	struct err *e)
{
	FILE *f = fopen(file, "re");
	if (!f)
		return err_set(e, ERR_FILE,
			"cannot open the token file '%.200s': %s", file,
			strerror(errno));
	*len = fread(to, 1, room, f);
	bool failed = ferror(f) != 0;
	fclose(f);
	if (failed)
		return err_set(e, ERR_FILE,
			"cannot read the token file '%.200s'", file);
	return true;
}

bool wire_bearer(char out[WIRE_BEARER], const char *file, const char *text,
	struct err *e)
{
	char raw[512];
	size_t len = 0, from = 0;
	out[0] = '\0';
	if (*file && !wire_read_file(file, raw, sizeof raw, &len, e))
		return false;
	if (!*file && text) {
		len = strnlen(text, sizeof raw);
		memcpy(raw, text, len);
	}
	bool long_one = len == sizeof raw;
	while (len && isspace((unsigned char)raw[len - 1]))
		len--;
	while (from < len && isspace((unsigned char)raw[from]))
		from++;
	if (from == len && *file)
		return err_set(e, ERR_INPUT,
			"the token file '%.200s' has no token", file);
	if (from == len)
		return true;
	for (size_t i = from; i < len; i++) {
		if (long_one || raw[i] <= ' ' || raw[i] > '~')
			return err_set(e, ERR_INPUT,
				"%s does not contain a valid token",
				*file ? "the token file" : "KERNSIFT_TOKEN");
	}
	snprintf(out, WIRE_BEARER, "Authorization: Bearer %.*s",
		(int)(len - from), raw + from);
	return true;
}

enum {
	CONNECT_S = 10,
	STALL_S = 120, /* seconds without a byte */
};

struct wire {
	CURL *curl;
	struct curl_slist *headers, *json_headers;
	struct curl_slist *form_headers; /* of the form that was sent last */
	char bearer[WIRE_BEARER];
	const struct wire_watch *watch;
	struct feed *feed;
	struct buf *body;
	struct err *err; /* an error in our own code during a request */
	char why[CURL_ERROR_SIZE];
	const char *server;
};

static size_t wire_on_read(char *to, size_t size, size_t n, void *ctx)
{
	struct wire *w = ctx;
	size_t len;
	if (!feed_next(w->feed, to, size * n, &len, w->err))
		return CURL_READFUNC_ABORT;
	return len;
}

/* curl starts over if a kept connection was closed. */
static int wire_on_seek(void *ctx, curl_off_t offset, int origin)
{
	struct wire *w = ctx;
	if (offset || origin != SEEK_SET)
		return CURL_SEEKFUNC_CANTSEEK;
	return feed_restart(w->feed, w->err) ? CURL_SEEKFUNC_OK
					     : CURL_SEEKFUNC_FAIL;
}

static size_t wire_on_body(char *from, size_t size, size_t n, void *ctx)
{
	struct wire *w = ctx;
	buf_add(w->body, from, size * n);
	return w->body->full ? 0 : size * n;
}

static int wire_on_progress(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c,
	curl_off_t d)
{
	(void)a, (void)b, (void)c, (void)d;
	struct wire *w = ctx;
	if (w->watch)
		w->watch->tick(w->watch->ctx);
	return 0;
}

static void wire_set_up(struct wire *w, const struct options *o)
{
	CURL *c = w->curl;
	curl_easy_setopt(c, CURLOPT_USERAGENT, "kernsift/" KERNSIFT_VERSION);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, w->why);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, wire_on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, w);
	curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, wire_on_progress);
	curl_easy_setopt(c, CURLOPT_XFERINFODATA, w);
	curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, 512L * 1024);
	/* libcurl decompresses; the ceiling of `body` limits the result */
	curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "gzip");
	if (*o->ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, o->ca_file);
	if (address_is_local(o->server))
		curl_easy_setopt(c, CURLOPT_PROXY, "");
}

static struct curl_slist *wire_headers_new(const char *type, const char *bearer)
{
	char line[160];
	snprintf(line, sizeof line, "Content-Type: %s", type);
	struct curl_slist *h = curl_slist_append(NULL, line);
	return *bearer ? curl_slist_append(h, bearer) : h;
}

static bool wire_same_server(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b);

	while (a_len && a[a_len - 1] == '/')
		a_len--;
	while (b_len && b[b_len - 1] == '/')
		b_len--;
	return a_len == b_len && !memcmp(a, b, a_len);
}

/* The token without --token-file. That of `kernsift login` is only for its server. */
static const char *wire_token(const struct options *o)
{
	const char *given = o->login_only ? NULL : getenv("KERNSIFT_TOKEN");

	if (given && *given)
		return given;
	return o->login.server && wire_same_server(o->login.server, o->server)
		       ? o->login.token
		       : NULL;
}

struct wire *wire_new(const struct options *o, struct err *e)
{
	struct wire *w = calloc(1, sizeof *w);
	if (!w)
		abort();
	if (!wire_bearer(w->bearer, o->token_file, wire_token(o), e)) {
		free(w);
		return NULL;
	}
	curl_global_init(CURL_GLOBAL_DEFAULT);
	if (!(w->curl = curl_easy_init()))
		abort();
	w->server = o->server;
	w->headers = wire_headers_new("application/octet-stream", w->bearer);
	w->json_headers = wire_headers_new("application/json", w->bearer);
	wire_set_up(w, o);
	return w;
}

void wire_free(struct wire *w)
{
	if (!w)
		return;
	curl_slist_free_all(w->headers);
	curl_slist_free_all(w->json_headers);
	curl_slist_free_all(w->form_headers);
	curl_easy_cleanup(w->curl);
	curl_global_cleanup();
	free(w);
}

static enum attempt_end wire_end_of(CURLcode rc)
{
	switch (rc) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
		return ATTEMPT_AWAY;
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return ATTEMPT_BROKEN;
	default:
		return ATTEMPT_BARRED;
	}
}

static bool wire_perform(struct wire *w, struct attempt *a, struct err *e)
{
	struct err own = { 0 };
	w->err = &own;
	w->why[0] = '\0';
	CURLcode rc = curl_easy_perform(w->curl);
	long status = 0;
	curl_off_t after = 0;
	curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(w->curl, CURLINFO_RETRY_AFTER, &after);
	*a = (struct attempt){ .end = ATTEMPT_ANSWERED,
		.status = (int)status,
		.retry_after_s = after > INT32_MAX ? INT32_MAX : (int)after };
	if (own.code != ERR_NONE) {
		a->end = ATTEMPT_HOPELESS;
		return err_set(e, own.code, "%s", own.text);
	}
	/* the server may reject a request before all of it was sent; this is an
	 * answer, too */
	if (rc == CURLE_OK ||
		(status >= 400 && wire_end_of(rc) == ATTEMPT_BROKEN))
		return true;
	a->end = wire_end_of(rc);
	const char *why = *w->why ? w->why : curl_easy_strerror(rc);
	if (w->body->full)
		why = "the answer is too long";
	return err_set(e, ERR_UNREACHABLE, "cannot reach '%.150s': %.200s",
		w->server, why);
}

bool wire_post(struct wire *w, const char *url, struct feed *f,
	const char *type, const struct wire_watch *watch, struct attempt *a,
	struct buf *body, struct err *e)
{
	w->watch = watch;
	w->body = body;
	w->feed = f;
	curl_slist_free_all(w->form_headers);
	w->form_headers = type ? wire_headers_new(type, w->bearer) : NULL;
	curl_easy_setopt(w->curl, CURLOPT_URL, url);
	curl_easy_setopt(w->curl, CURLOPT_HTTPHEADER,
		w->form_headers ? w->form_headers : w->headers);
	curl_easy_setopt(w->curl, CURLOPT_POSTFIELDS, NULL);
	curl_easy_setopt(w->curl, CURLOPT_POST, 1L);
	/* -1: send in chunks, because the compressed size is unknown before the
	 * end */
	curl_easy_setopt(w->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		(curl_off_t)feed_length(f));
	curl_easy_setopt(w->curl, CURLOPT_READFUNCTION, wire_on_read);
	curl_easy_setopt(w->curl, CURLOPT_READDATA, w);
	curl_easy_setopt(w->curl, CURLOPT_SEEKFUNCTION, wire_on_seek);
	curl_easy_setopt(w->curl, CURLOPT_SEEKDATA, w);
	return wire_perform(w, a, e);
}

bool wire_fetch(struct wire *w, const char *url, const char *json,
	struct attempt *a, struct buf *body, struct err *e)
{
	w->watch = NULL;
	w->body = body;
	curl_easy_setopt(w->curl, CURLOPT_URL, url);
	curl_easy_setopt(w->curl, CURLOPT_HTTPHEADER,
		json ? w->json_headers : w->headers);
	if (!json) {
		curl_easy_setopt(w->curl, CURLOPT_HTTPGET, 1L);
		return wire_perform(w, a, e);
	}
	curl_easy_setopt(w->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(w->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		(curl_off_t)strlen(json));
	curl_easy_setopt(w->curl, CURLOPT_POSTFIELDS, json);
	return wire_perform(w, a, e);
}
