/* httpd.c - the HTTP server: libmicrohttpd's callbacks become one call of the API
 *
 * libmicrohttpd calls httpd_exchange_step() at least twice for a request: with the
 * headers, with each piece of the body, and at the end. struct exchange is what
 * is remembered in between; it belongs to its connection's thread. */
#include "httpd.h"
#include "buf.h"
#include "clock.h"
#include "files.h"
#include "listen.h"
#include "log.h"
#include "respond.h"
#include "tls.h"
#include "watch.h"
#include "writers.h"
#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What all requests of one server share: constant after the start, atomic, or
 * with a lock of its own. */
struct httpd {
	struct api *api;
	struct MHD_Daemon *daemon;
	struct files *files;
	struct writers *writers;
	struct watch *watch;
	int listen_fd, port;
	bool deaf; /* no longer listening; the starter's */
	atomic_int active; /* requests in progress */
	/* keep-alive connections are closed after their answer */
	atomic_bool draining;
};

/* One request, from its first line to its last byte sent. */
struct exchange {
	struct httpd *h;
	struct MHD_Connection *connection;
	char *path, *query; /* one block; query NULL none */
	char method[12];
	int64_t began_us, sent, drained;
	struct sockaddr_storage local;
	bool begun, refused;
	struct buf body; /* of all but uploads */
	struct http_stream *stream; /* of an upload */
	struct watched watched;
	struct api_answer answer;
	int status;
};

enum { URI_MAX = 8 << 10, HEADERS_MAX = 32 << 10 };

/* The first header of this name; `ctx` is the exchange. */
static const char *httpd_exchange_header(void *ctx, const char *name)
{
	struct exchange *x = ctx;
	return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND,
		name);
}

static int httpd_socket_of(struct exchange *x)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(x->connection,
			MHD_CONNECTION_INFO_CONNECTION_FD);
	return i ? i->connect_fd : -1;
}

/* The request as api/ sees it, valid as long as the exchange. */
static struct api_request httpd_exchange_request(struct exchange *x)
{
	const union MHD_ConnectionInfo *peer =
		MHD_get_connection_info(x->connection,
			MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	socklen_t len = sizeof x->local;
	if (!x->local.ss_family)
		getsockname(httpd_socket_of(x), (struct sockaddr *)&x->local,
			&len);
	return (struct api_request){
		.method = x->method,
		.path = x->path,
		.query = x->query,
		.header = httpd_exchange_header,
		.ctx = x,
		.peer = peer ? peer->client_addr : NULL,
		.local = (const struct sockaddr *)&x->local,
		.body = x->body.at,
		.body_len = x->body.len,
	};
}

static enum MHD_Result httpd_exchange_answer(struct exchange *x)
{
	if (watch_remove(x->h->watch, &x->watched))
		return MHD_NO; /* no more output is possible */
	x->status = x->answer.status;
	return respond_api(x->connection, &x->answer,
		       atomic_load(&x->h->draining), !strcmp(x->method, "HEAD"),
		       &x->sent)
		       ? MHD_YES
		       : MHD_NO;
}

static enum MHD_Result httpd_size_add(void *cls, enum MHD_ValueKind kind,
	const char *key, const char *value)
{
	size_t *sum = cls;
	(void)kind;
	*sum += strlen(key) + (value ? strlen(value) : 0) + 4;
	return MHD_YES;
}

/* Whether a body follows the headers. */
static bool httpd_has_body(struct exchange *x)
{
	const char *length = httpd_exchange_header(x, "Content-Length");
	return httpd_exchange_header(x, "Transfer-Encoding") ||
	       (length && strtoll(length, NULL, 10) > 0);
}

/* The answer is known before the body has ended. It is sent at once if `now`,
 * else when the body has been received and discarded. */
static enum MHD_Result httpd_exchange_refuse(struct exchange *x, bool now)
{
	x->refused = true;
	if (now)
		return httpd_exchange_answer(x);
	watch_refuse(x->h->watch, &x->watched, &x->answer, false);
	return MHD_YES;
}

/* Keeps an error as the answer; always false. */
static bool httpd_exchange_error(struct exchange *x, enum err_code code,
	const char *text)
{
	api_refuse(x->h->api, code, text, &x->answer);
	return false;
}

/* The same of a body that is larger than its route takes. */
static bool httpd_exchange_too_large(struct exchange *x)
{
	char text[64];
	snprintf(text, sizeof text, "the body is larger than %zu MiB",
		x->body.ceiling >> 20);
	return httpd_exchange_error(x, ERR_TOO_LARGE, text);
}

/* What every request's head is held against. */
static bool httpd_head_check(struct exchange *x)
{
	const char *length = httpd_exchange_header(x, "Content-Length");
	struct api_request r = httpd_exchange_request(x);
	size_t sum = 0;
	if (strlen(x->path) + (x->query ? strlen(x->query) : 0) > URI_MAX)
		return httpd_exchange_error(x, ERR_URI_LENGTH,
			"the address is longer than 8 KiB");
	MHD_get_connection_values(x->connection, MHD_HEADER_KIND,
		httpd_size_add, &sum);
	if (sum > HEADERS_MAX)
		return httpd_exchange_error(x, ERR_HEADER_SIZE,
			"the headers are longer than 32 KiB");
	if (api_streams(&r)) {
		struct api_receive *u =
			api_receive_begin(x->h->api, &r, &x->answer);
		if (u)
			x->stream = writers_stream_new(x->h->writers, u,
				x->connection, &x->watched);
		return u;
	}
	x->body.ceiling = api_body_max(&r);
	if (length && strtoll(length, NULL, 10) > (long long)x->body.ceiling)
		return httpd_exchange_too_large(x);
	return true;
}

/* The headers have arrived. */
static enum MHD_Result httpd_exchange_head(struct exchange *x,
	const char *method)
{
	bool body = httpd_has_body(x);
	x->begun = true;
	snprintf(x->method, sizeof x->method, "%s", method);
	if (body)
		watch_add(x->h->watch, &x->watched, httpd_socket_of(x));
	if (httpd_head_check(x))
		return MHD_YES;
	return httpd_exchange_refuse(x,
		!body || httpd_exchange_header(x, "Expect"));
}

enum { DRAIN_MAX = 1 << 20 };

static void *httpd_exchange_begin(void *cls, const char *uri,
	struct MHD_Connection *c)
{
	struct httpd *h = cls;
	struct exchange *x = calloc(1, sizeof *x);
	char *path = strdup(uri ? uri : "");
	if (!x || !path)
		abort();
	char *query = strchr(path, '?');
	if (query)
		*query++ = '\0';
	*x = (struct exchange){ .h = h,
		.connection = c,
		.path = path,
		.query = query,
		.began_us = clock_us() };
	buf_init(&x->body, API_BODY_MAX);
	atomic_fetch_add(&h->active, 1);
	return x;
}

static enum MHD_Result httpd_discard(struct exchange *x, size_t *len)
{
	x->drained += (int64_t)*len;
	*len = 0;
	if (x->drained > DRAIN_MAX)
		watch_refuse(x->h->watch, &x->watched, &x->answer, true);
	return MHD_YES;
}

static enum MHD_Result httpd_body(struct exchange *x, const char *data,
	size_t *len)
{
	atomic_fetch_add(&x->watched.received, (long long)*len);
	if (x->refused)
		return httpd_discard(x, len);
	if (!x->stream) {
		buf_add(&x->body, data, *len);
		*len = 0;
		if (!x->body.full)
			return MHD_YES;
		httpd_exchange_too_large(x);
		return httpd_exchange_refuse(x, false);
	}
	size_t offered = *len;
	switch (writers_stream_put(x->stream, data, len)) {
	case STREAM_OK:
		/* What is left over comes again. */
		atomic_fetch_sub(&x->watched.received, (long long)*len);
		return MHD_YES;
	case STREAM_REFUSED:
		writers_stream_answer(x->stream, &x->answer);
		*len = offered;
		httpd_exchange_refuse(x, false);
		return httpd_discard(x, len);
	case STREAM_STOPPED:
		break;
	}
	return MHD_NO;
}

static bool httpd_is_get(const struct exchange *x)
{
	return !strcmp(x->method, "GET") || !strcmp(x->method, "HEAD");
}

static enum MHD_Result httpd_send_page(struct exchange *x)
{
	struct api_request r = httpd_exchange_request(x);
	struct web_file f;
	struct err e = { 0 };
	if (!api_admits(x->h->api, &r, &x->answer))
		return httpd_exchange_answer(x);
	if (!httpd_is_get(x))
		err_set(&e, ERR_METHOD, "the page is only for reading");
	if (e.code || !files_get(x->h->files, x->path, &f, &e)) {
		api_refuse(x->h->api, e.code, e.text, &x->answer);
		if (e.code == ERR_METHOD)
			snprintf(x->answer.allow, sizeof x->answer.allow,
				"GET, HEAD");
		return httpd_exchange_answer(x);
	}
	bool same =
		files_match(httpd_exchange_header(x, "If-None-Match"), f.etag);
	x->status = same ? 304 : 200;
	x->sent = same ? 0 : (int64_t)f.len;
	return respond_file(x->connection, &f, same,
		       atomic_load(&x->h->draining))
		       ? MHD_YES
		       : MHD_NO;
}

/* All has come: the answer. */
static enum MHD_Result httpd_finish(struct exchange *x)
{
	struct api_request r = httpd_exchange_request(x);
	bool stopped;
	if (watch_remove(x->h->watch, &x->watched))
		return MHD_NO; /* no more output is possible */
	if (x->refused)
		return httpd_exchange_answer(x);
	if (x->stream) {
		if (!writers_stream_end(x->stream, &stopped))
			return stopped ? MHD_NO : MHD_YES;
		writers_stream_answer(x->stream, &x->answer);
		return httpd_exchange_answer(x);
	}
	if (!api_owns(x->path))
		return httpd_send_page(x);
	api_call(x->h->api, &r, &x->answer);
	return httpd_exchange_answer(x);
}

static enum MHD_Result httpd_exchange_step(void *cls, struct MHD_Connection *c,
	const char *url, const char *method, const char *version,
	const char *data, size_t *len, void **slot)
{
	struct exchange *x = *slot;
	(void)cls, (void)c, (void)url, (void)version;
	if (!x->begun)
		return httpd_exchange_head(x, method);
	return *len ? httpd_body(x, data, len) : httpd_finish(x);
}

/* A path for a line of key=value words. */
static void httpd_printable(const char *path, char out[200])
{
	size_t i = 0;
	for (; path[i] && i + 1 < 200; i++)
		out[i] = path[i] == ' ' || path[i] == '"' ? '_' : path[i];
	out[i] = '\0';
}

static void httpd_exchange_end(void *cls, struct MHD_Connection *c, void **slot,
	enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *slot;
	char path[200];
	(void)cls, (void)c;
	if (!x)
		return;
	int told = watch_remove(x->h->watch, &x->watched);
	if (x->stream)
		writers_stream_gone(x->stream);
	httpd_printable(x->path, path);
	log_info("http method=%s path=%s status=%d ms=%.1f bytes=%lld%s",
		*x->method ? x->method : "-", path, told ? told : x->status,
		(double)(clock_us() - x->began_us) / 1000, (long long)x->sent,
		why == MHD_REQUEST_TERMINATED_COMPLETED_OK ? "" : " cut=yes");
	atomic_fetch_sub(&x->h->active, 1);
	buf_release(&x->body);
	api_answer_release(&x->answer);
	free(x->path);
	free(x);
	*slot = NULL;
}

/* Half of it is the read buffer of a body; all of it bounds the headers. */
enum { CONNECTION_BYTES = 128 << 10 };

static void httpd_on_log(void *cls, const char *fmt, va_list ap)
{
	char text[300];
	(void)cls;
	/* libmicrohttpd's own formats. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	vsnprintf(text, sizeof text, fmt, ap);
#pragma GCC diagnostic pop
	text[strcspn(text, "\r\n")] = '\0';
	log_debug("mhd text=\"%s\"", text);
}

static struct MHD_Daemon *httpd_start(struct httpd *h,
	const struct httpd_options *o, const struct tls *tls)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD |
			 MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem https[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, tls->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, tls->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, TLS_VERSIONS },
		{ MHD_OPTION_END, 0, NULL },
	};
	if (tls->key)
		flags |= MHD_USE_TLS;
	return MHD_start_daemon(flags, 0, NULL, NULL, httpd_exchange_step, h,
		MHD_OPTION_EXTERNAL_LOGGER, httpd_on_log, NULL,
		MHD_OPTION_ARRAY, tls->key ? https : &https[3],
		MHD_OPTION_LISTEN_SOCKET, (MHD_socket)h->listen_fd,
		MHD_OPTION_THREAD_POOL_SIZE, (unsigned)o->threads,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)o->connections,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)o->idle_s,
		MHD_OPTION_URI_LOG_CALLBACK, httpd_exchange_begin, h,
		MHD_OPTION_NOTIFY_COMPLETED, httpd_exchange_end, h,
		MHD_OPTION_END);
}

static bool httpd_options_check(const struct httpd_options *o, struct err *e)
{
	if (o->threads < 1 || o->writers < 1)
		return err_set(e, ERR_INPUT,
			"at least one HTTP thread and one writer are needed");
	if (o->connections < o->threads)
		return err_set(e, ERR_INPUT,
			"fewer connections (%d) than HTTP threads (%d)",
			o->connections, o->threads);
	return true;
}

struct httpd *httpd_new(struct api *a, const struct httpd_options *o,
	struct err *e)
{
	struct httpd *h = calloc(1, sizeof *h);
	if (!h)
		abort();
	h->api = a;
	h->listen_fd = -1;
	struct tls tls = { 0 };
	if (httpd_options_check(o, e) &&
		tls_read(&tls, o->tls_cert, o->tls_key, e) &&
		(h->files = files_new(o->web, e)))
		h->listen_fd = listen_on(o->listen, &h->port, e);
	if (h->listen_fd < 0) {
		tls_release(&tls);
		httpd_free(h);
		return NULL;
	}
	h->writers = writers_new(o->writers);
	h->watch = watch_new(a, o->upload_min_rate, tls.key);
	h->daemon = httpd_start(h, o, &tls);
	tls_release(&tls);
	if (h->daemon)
		return h;
	err_set(e, ERR_INTERNAL, "the HTTP library does not start: %s",
		strerror(errno));
	httpd_free(h);
	return NULL;
}

int httpd_port(const struct httpd *h)
{
	return h->port;
}

/* After this the kernel refuses new connections. The socket is closed only
 * when no thread of libmicrohttpd can touch it any more. */
static void httpd_stop_listening(struct httpd *h)
{
	if (h->deaf || !h->daemon)
		return;
	MHD_quiesce_daemon(h->daemon);
	shutdown(h->listen_fd, SHUT_RDWR);
	h->deaf = true;
}

void httpd_drain(struct httpd *h, int drain_s)
{
	atomic_store(&h->draining, true);
	httpd_stop_listening(h);
	for (int ms = 0; ms < drain_s * 1000; ms += 20) {
		if (!atomic_load(&h->active))
			return;
		usleep(20000);
	}
	log_warn("drain left=%d s=%d", atomic_load(&h->active), drain_s);
}

void httpd_free(struct httpd *h)
{
	if (!h)
		return;
	httpd_stop_listening(h);
	if (h->daemon) {
		writers_release(h->writers);
		MHD_stop_daemon(h->daemon);
	}
	writers_free(h->writers);
	watch_free(h->watch);
	files_free(h->files);
	if (h->listen_fd >= 0)
		close(h->listen_fd);
	free(h);
}
