/* httpd.c - the HTTP server: converts libmicrohttpd's callbacks to one call of
 * the API.
 *
 * libmicrohttpd calls httpd_exchange_step() at least twice for a request: with
 * the headers, with each piece of the body, and at the end. struct exchange
 * stores the state between these calls; only the thread of its connection uses
 * it. In addition to the library's threads, one thread watches request bodies,
 * and writer threads store uploads. */
#include "httpd.h"
#include "buf.h"
#include "clock.h"
#include "content_encoding.h"
#include "files.h"
#include "listener.h"
#include "log.h"
#include "respond.h"
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WINDOW_MS = 10000, DRAIN_MS = 2000, LINGER_MS = 60000 };

/* Watches request bodies, and ends those that are too slow or were rejected.
 *
 * libmicrohttpd accepts an answer before a body or after it, but not while the
 * body arrives. If a body is rejected midway, the server reads and discards the
 * rest for a while, and sends the answer at the end of the body. If this end is
 * far away, the server writes the answer to the socket at once, and closes the
 * connection after the sender has had time to read the answer. A sender below
 * the minimum rate is handled the same way (408). With TLS only the library can
 * write to the socket. The rest of a rejected body is then read for at most a
 * minute; a connection whose answer would have to be written to the socket is
 * closed.
 *
 * One thread checks the bodies once a second. The lock protects the list of
 * bodies and the flag that an answer was written. No other lock is taken while
 * it is held. The thread writes to a socket only while its body is on the list,
 * so the socket is never closed at that time. */
struct watched {
	struct watched *next, *prev;
	int fd;
	atomic_llong received;
	/* the connection waits for the server, not the server for it */
	atomic_bool paused;
	/* owned by the exchange; set only once */
	const struct api_answer *refusal;
	struct api_answer slow; /* the answer 408 */
	int64_t window_ms, window_bytes, refused_ms, status_ms;
	int status; /* the status that was written; 0 before */
	bool listed;
};

struct watch {
	struct api *api;
	int64_t min_rate;
	bool tls;
	pthread_t thread;
	pthread_mutex_t lock; /* protects all members below */
	pthread_cond_t wake;
	bool stop;
	struct watched *list;
};

/* Writes the answer to the socket without libmicrohttpd. Nothing is sent after
 * it. */
static void httpd_watch_answer(const struct watch *w, struct watched *b,
	const struct api_answer *a, int64_t now)
{
	struct buf raw;
	if (w->tls) {
		shutdown(b->fd, SHUT_RDWR);
	} else {
		respond_raw(a, &raw);
		send(b->fd, raw.at, raw.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		buf_release(&raw);
		shutdown(b->fd, SHUT_WR);
	}
	b->status = a->status;
	b->status_ms = now;
}

/* Whether fewer bytes arrived in the last window than the minimum rate
 * requires. */
static bool httpd_watch_slow(const struct watch *w, struct watched *b,
	int64_t now)
{
	int64_t received = atomic_load(&b->received);
	int64_t ms = now - b->window_ms, bytes = received - b->window_bytes;
	if (ms < WINDOW_MS && !atomic_load(&b->paused))
		return false;
	b->window_ms = now;
	b->window_bytes = received;
	return !atomic_load(&b->paused) && bytes < w->min_rate * ms / 1000;
}

static void httpd_watch_look(struct watch *w, struct watched *b, int64_t now)
{
	bool is_slow = httpd_watch_slow(w, b, now);
	if (b->status) {
		if (is_slow || now - b->status_ms > LINGER_MS)
			shutdown(b->fd, SHUT_RDWR);
	} else if (b->refusal) {
		if (is_slow ||
			now - b->refused_ms > (w->tls ? LINGER_MS : DRAIN_MS))
			httpd_watch_answer(w, b, b->refusal, now);
	} else if (is_slow) {
		api_refuse(w->api, ERR_TIMEOUT,
			"the body arrives too slowly; see --upload-min-kib",
			&b->slow);
		httpd_watch_answer(w, b, &b->slow, now);
	}
}

static void *httpd_watch_run(void *ctx)
{
	struct watch *w = ctx;
	struct timespec at;
	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		clock_gettime(CLOCK_MONOTONIC, &at);
		at.tv_sec++;
		pthread_cond_timedwait(&w->wake, &w->lock, &at);
		for (struct watched *b = w->list; b; b = b->next)
			httpd_watch_look(w, b, clock_ms());
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static struct watch *httpd_watch_new(struct api *a, int64_t min_rate, bool tls)
{
	pthread_condattr_t monotonic;
	struct watch *w = calloc(1, sizeof *w);
	if (!w)
		abort();
	w->api = a;
	w->min_rate = min_rate;
	w->tls = tls;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (pthread_create(&w->thread, NULL, httpd_watch_run, w))
		abort();
	return w;
}

static void httpd_watch_free(struct watch *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static void httpd_watch_add(struct watch *w, struct watched *b, int fd)
{
	pthread_mutex_lock(&w->lock);
	b->fd = fd;
	b->listed = true;
	b->window_ms = clock_ms();
	b->next = w->list;
	if (b->next)
		b->next->prev = b;
	w->list = b;
	pthread_mutex_unlock(&w->lock);
}

/* Removes a body from the list when it has ended or its connection is about to
 * close. No answer is written to its socket from now on. Returns the status
 * that was written to the socket, or 0. */
static int httpd_watch_remove(struct watch *w, struct watched *b)
{
	pthread_mutex_lock(&w->lock);
	if (b->listed) {
		*(b->prev ? &b->prev->next : &w->list) = b->next;
		if (b->next)
			b->next->prev = b->prev;
		b->listed = false;
	}
	free(b->slow.body);
	b->slow.body = NULL;
	int status = b->status;
	pthread_mutex_unlock(&w->lock);
	return status;
}

/* Discards the rest of the body. `a` must not change until the body is removed
 * from the list. If `now` is set, the answer is written to the socket at once.
 */
static void httpd_watch_refuse(struct watch *w, struct watched *b,
	const struct api_answer *a, bool now)
{
	pthread_mutex_lock(&w->lock);
	if (!b->refusal)
		b->refused_ms = clock_ms();
	b->refusal = a;
	if (now && !w->tls && !b->status && b->listed)
		httpd_watch_answer(w, b, a, clock_ms());
	pthread_mutex_unlock(&w->lock);
}

/* The writers: threads that wait for the database, so that the HTTP threads
 * need not wait.
 *
 * The bytes of an upload arrive on an HTTP thread, and a writer stores them.
 * For this, a `struct http_stream` has two buffers: one is filled while the
 * other is written to the database. If both are in use, the connection is
 * suspended. So a slow database slows the senders down, and the server needs no
 * more memory.
 *
 * A stream belongs to its exchange until httpd_stream_gone() is called, then to
 * the writers. They delete the stored bytes if the upload was never finished,
 * and free the stream.
 *
 * Locks: the lock of a stream protects the stream. libmicrohttpd's own locks
 * are taken while it is held (suspend, resume); our other locks are not. The
 * lock of the pool protects the queue. */
enum { STREAM_BYTES = 256 << 10 };

struct http_stream {
	struct writers *writers;
	struct MHD_Connection *connection;
	struct watched *watched;
	struct http_stream *link; /* used by the queue */
	/* used by the writer that serves the stream; NULL: ended */
	struct api_receive *receive;
	unsigned char *work; /* used by the writer that serves the stream */

	pthread_mutex_t lock; /* protects all members below */
	unsigned char *fill;
	size_t fill_len;
	bool queued; /* in the queue or being served */
	bool suspended;
	bool ended; /* all bytes have arrived */
	bool over; /* the answer is ready */
	bool gone; /* no connection waits for the answer */
	struct api_answer answer;
};

struct writers {
	pthread_mutex_t lock; /* protects all members below */
	pthread_cond_t work, calm;
	struct http_stream *first, *last;
	int suspended, n;
	bool releasing, stop;
	pthread_t threads[];
};

static void httpd_writers_push(struct writers *w, struct http_stream *s)
{
	pthread_mutex_lock(&w->lock);
	s->link = NULL;
	if (w->last)
		w->last->link = s;
	else
		w->first = s;
	w->last = s;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

/* Counts a suspended connection; returns false if no more connections may be
 * suspended. */
static bool httpd_writers_suspend(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	bool ok = !w->releasing;
	w->suspended += ok;
	pthread_mutex_unlock(&w->lock);
	return ok;
}

static void httpd_writers_resume(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	if (!--w->suspended)
		pthread_cond_broadcast(&w->calm);
	pthread_mutex_unlock(&w->lock);
}

/* Creates a stream and takes over the upload. `b` stays valid as long as the
 * exchange uses the stream. */
static struct http_stream *httpd_stream_new(struct writers *w,
	struct api_receive *u, struct MHD_Connection *c, struct watched *b)
{
	struct http_stream *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	*s = (struct http_stream){ .writers = w,
		.connection = c,
		.watched = b,
		.receive = u,
		.work = malloc(STREAM_BYTES),
		.fill = malloc(STREAM_BYTES) };
	if (!s->work || !s->fill)
		abort();
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void httpd_stream_free(struct http_stream *s)
{
	if (s->receive)
		api_receive_end(s->receive, NULL);
	pthread_mutex_destroy(&s->lock);
	api_answer_release(&s->answer);
	free(s->work);
	free(s->fill);
	free(s);
}

/* The caller holds the stream's lock. Returns false if the server is stopping.
 */
static bool httpd_stream_suspend(struct http_stream *s)
{
	if (!httpd_writers_suspend(s->writers))
		return false;
	s->suspended = true;
	atomic_store(&s->watched->paused, true);
	MHD_suspend_connection(s->connection);
	return true;
}

/* The caller holds the stream's lock. */
static void httpd_stream_resume(struct http_stream *s)
{
	if (!s->suspended || s->gone)
		return;
	s->suspended = false;
	atomic_store(&s->watched->paused, false);
	MHD_resume_connection(s->connection);
	httpd_writers_resume(s->writers);
}

enum stream_result {
	STREAM_OK,
	STREAM_REFUSED, /* the answer is ready: httpd_stream_answer() */
	STREAM_STOPPED /* the server is stopping; close the connection */
};

/* Copies as many of the *len bytes as fit, and sets *len to the number of bytes
 * that are left. If any are left, the connection is suspended. */
static enum stream_result httpd_stream_put(struct http_stream *s,
	const char *bytes, size_t *len)
{
	enum stream_result result = STREAM_OK;
	bool push = false;
	pthread_mutex_lock(&s->lock);
	if (s->over) {
		result = STREAM_REFUSED;
	} else {
		size_t n = STREAM_BYTES - s->fill_len;
		n = n < *len ? n : *len;
		memcpy(s->fill + s->fill_len, bytes, n);
		s->fill_len += n;
		*len -= n;
		push = s->fill_len == STREAM_BYTES && !s->queued;
		s->queued |= push;
		if (*len && !httpd_stream_suspend(s))
			result = STREAM_STOPPED;
	}
	pthread_mutex_unlock(&s->lock);
	if (push)
		httpd_writers_push(s->writers, s);
	return result;
}

/* Records that the body has ended. Returns false if the answer is not ready
 * yet. The connection is then suspended, or must be closed if *stopped is set.
 */
static bool httpd_stream_end(struct http_stream *s, bool *stopped)
{
	bool push = false;
	*stopped = false;
	pthread_mutex_lock(&s->lock);
	bool over = s->over;
	if (!over) {
		push = !s->queued;
		s->queued = true;
		s->ended = true;
		*stopped = !httpd_stream_suspend(s);
	}
	pthread_mutex_unlock(&s->lock);
	if (push)
		httpd_writers_push(s->writers, s);
	return over;
}

/* Moves the answer to *out; the caller then owns its body. */
static void httpd_stream_answer(struct http_stream *s, struct api_answer *out)
{
	pthread_mutex_lock(&s->lock);
	*out = s->answer;
	s->answer = (struct api_answer){ 0 };
	pthread_mutex_unlock(&s->lock);
}

static void httpd_stream_gone(struct http_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->gone = true;
	bool push = !s->queued;
	s->queued = true;
	pthread_mutex_unlock(&s->lock);
	if (push)
		httpd_writers_push(s->writers, s);
}

/* Stores `len` bytes of s->work, and finishes the upload after its last bytes.
 * Returns whether the answer is ready. */
static bool httpd_writers_write_away(struct http_stream *s, size_t len,
	bool last, struct api_answer *a)
{
	struct api_receive *u = s->receive;
	if (!u)
		return false;
	bool ok = !len || api_receive_bytes(u, s->work, len, a);
	if (ok && !last)
		return false;
	s->receive = NULL;
	api_receive_end(u, ok ? a : NULL);
	return true;
}

/* Performs one step of work; returns whether more work is waiting. May free the
 * stream, and then returns false. */
static bool httpd_stream_serve(struct http_stream *s)
{
	struct api_answer answer = { 0 };
	pthread_mutex_lock(&s->lock);
	unsigned char *full = s->fill;
	size_t len = s->fill_len;
	bool last = s->ended, gone = s->gone;
	s->fill = s->work;
	s->work = full;
	s->fill_len = 0;
	if (!last)
		httpd_stream_resume(s); /* there is room again */
	pthread_mutex_unlock(&s->lock);

	bool over = !gone && httpd_writers_write_away(s, len, last, &answer);

	pthread_mutex_lock(&s->lock);
	if (over) {
		s->answer = answer;
		s->over = true;
	}
	gone = s->gone;
	if (s->over || s->fill_len < STREAM_BYTES)
		httpd_stream_resume(s);
	bool more = !gone && !s->over &&
		    (s->fill_len == STREAM_BYTES || (s->ended && !last));
	s->queued = more;
	pthread_mutex_unlock(&s->lock);
	if (gone)
		httpd_stream_free(s);
	return more;
}

/* Waits for the next stream to serve; NULL when the server is stopping and no
 * stream is left. */
static struct http_stream *httpd_writers_next(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->stop)
		pthread_cond_wait(&w->work, &w->lock);
	struct http_stream *s = w->first;
	if (s) {
		w->first = s->link;
		if (!w->first)
			w->last = NULL;
	}
	pthread_mutex_unlock(&w->lock);
	return s;
}

/* Uploads can wait; other requests cannot. On Linux the nice value applies to
 * one thread. */
static void *httpd_writers_run(void *ctx)
{
	enum { WRITER_NICE = 10 };
	struct writers *w = ctx;
	struct http_stream *s;
	setpriority(PRIO_PROCESS, (id_t)gettid(), WRITER_NICE);
	while ((s = httpd_writers_next(w)))
		if (httpd_stream_serve(s))
			httpd_writers_push(w, s);
	return NULL;
}

static struct writers *httpd_writers_new(int threads)
{
	struct writers *w =
		calloc(1, sizeof *w + (size_t)threads * sizeof *w->threads);
	if (!w)
		abort();
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->calm, NULL);
	for (w->n = 0; w->n < threads; w->n++)
		if (pthread_create(&w->threads[w->n], NULL, httpd_writers_run,
			    w))
			abort();
	return w;
}

/* From now on no connection can be suspended. Returns when no connection is
 * suspended any more. */
static void httpd_writers_release(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	w->releasing = true;
	while (w->suspended)
		pthread_cond_wait(&w->calm, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

/* Serves the streams in the queue, then ends the writers. */
static void httpd_writers_free(struct writers *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->work);
	pthread_mutex_unlock(&w->lock);
	for (int i = 0; i < w->n; i++)
		pthread_join(w->threads[i], NULL);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->calm);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* The data that all requests of one server share. It is constant after the
 * start, or atomic, or has its own lock. */
struct httpd {
	struct api *api;
	struct MHD_Daemon *daemon;
	struct files *files;
	struct writers *writers;
	struct watch *watch;
	int listen_fd, port;
	bool deaf; /* no longer listens; used only by the starting thread */
	atomic_int active; /* requests in progress */
	/* when set, keep-alive connections are closed after their answer */
	atomic_bool draining;
};

/* The state of one request, from its first line until the last byte of its
 * answer is sent. */
struct exchange {
	struct httpd *h;
	struct MHD_Connection *connection;
	char *path, *query; /* one memory block; query NULL: none */
	char method[12];
	int64_t began_us, sent, drained;
	struct sockaddr_storage local;
	bool begun, refused;
	struct buf body; /* for all requests except uploads */
	struct http_stream *stream; /* for an upload */
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

/* The request in the form that the API uses, valid as long as the exchange. */
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
	if (httpd_watch_remove(x->h->watch, &x->watched))
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

/* Whether the request has a body. */
static bool httpd_has_body(struct exchange *x)
{
	const char *length = httpd_exchange_header(x, "Content-Length");
	return httpd_exchange_header(x, "Transfer-Encoding") ||
	       (length && strtoll(length, NULL, 10) > 0);
}

/* Ends an exchange whose answer is known before the body has ended. The answer
 * is sent at once if `now` is set; otherwise after the body has been received
 * and discarded. */
static enum MHD_Result httpd_exchange_refuse(struct exchange *x, bool now)
{
	x->refused = true;
	if (now)
		return httpd_exchange_answer(x);
	httpd_watch_refuse(x->h->watch, &x->watched, &x->answer, false);
	return MHD_YES;
}

/* Stores an error as the answer. Always returns false. */
static bool httpd_exchange_error(struct exchange *x, enum err_code code,
	const char *text)
{
	api_refuse(x->h->api, code, text, &x->answer);
	return false;
}

/* Stores the error for a body that is larger than its route allows. */
static bool httpd_exchange_too_large(struct exchange *x)
{
	char text[64];
	snprintf(text, sizeof text, "the body is larger than %zu MiB",
		x->body.ceiling >> 20);
	return httpd_exchange_error(x, ERR_TOO_LARGE, text);
}

/* Checks the address and the headers of a request. */
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
	x->body.ceiling = api_body_max(&r);
	if (!x->body.ceiling) {
		struct api_receive *u =
			api_receive_begin(x->h->api, &r, &x->answer);
		if (u)
			x->stream = httpd_stream_new(x->h->writers, u,
				x->connection, &x->watched);
		return u;
	}
	if (length && strtoll(length, NULL, 10) > (long long)x->body.ceiling)
		return httpd_exchange_too_large(x);
	return true;
}

/* Handles a request whose headers have arrived. */
static enum MHD_Result httpd_exchange_head(struct exchange *x,
	const char *method)
{
	bool body = httpd_has_body(x);
	x->begun = true;
	snprintf(x->method, sizeof x->method, "%s", method);
	if (body)
		httpd_watch_add(x->h->watch, &x->watched, httpd_socket_of(x));
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
		httpd_watch_refuse(x->h->watch, &x->watched, &x->answer, true);
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
	switch (httpd_stream_put(x->stream, data, len)) {
	case STREAM_OK:
		/* libmicrohttpd passes the bytes that are left to the next
		 * callback. */
		atomic_fetch_sub(&x->watched.received, (long long)*len);
		return MHD_YES;
	case STREAM_REFUSED:
		httpd_stream_answer(x->stream, &x->answer);
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
	struct web_file f;
	struct err e = { 0 };
	bool gzip = content_encoding_of(httpd_exchange_header(x,
			    "Accept-Encoding")) != ENCODING_IDENTITY;
	if (!httpd_is_get(x))
		err_set(&e, ERR_METHOD, "the page is only for reading");
	if (e.code || !files_get(x->h->files, x->path, gzip, &f, &e)) {
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

/* Makes the answer after the whole request has arrived. */
static enum MHD_Result httpd_finish(struct exchange *x)
{
	struct api_request r = httpd_exchange_request(x);
	bool stopped;
	if (httpd_watch_remove(x->h->watch, &x->watched))
		return MHD_NO; /* no more output is possible */
	if (x->refused)
		return httpd_exchange_answer(x);
	if (x->stream) {
		if (!httpd_stream_end(x->stream, &stopped))
			return stopped ? MHD_NO : MHD_YES;
		httpd_stream_answer(x->stream, &x->answer);
		return httpd_exchange_answer(x);
	}
	return api_call(x->h->api, &r, &x->answer) ? httpd_exchange_answer(x)
						   : httpd_send_page(x);
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

/* Formats a path so that it can be a value in a log line of key=value words. */
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
	int status = httpd_watch_remove(x->h->watch, &x->watched);
	if (x->stream)
		httpd_stream_gone(x->stream);
	httpd_printable(x->path, path);
	log_info("http method=%s path=%s status=%d ms=%.1f bytes=%lld%s",
		*x->method ? x->method : "-", path, status ? status : x->status,
		(double)(clock_us() - x->began_us) / 1000, (long long)x->sent,
		why == MHD_REQUEST_TERMINATED_COMPLETED_OK ? "" : " cut=yes");
	atomic_fetch_sub(&x->h->active, 1);
	buf_release(&x->body);
	api_answer_release(&x->answer);
	free(x->path);
	free(x);
	*slot = NULL;
}

/* The memory of a connection. Half of it is the buffer for reading a body; all
 * of it limits the size of the headers. */
enum { CONNECTION_BYTES = 128 << 10 };

static void httpd_on_log(void *cls, const char *fmt, va_list ap)
{
	char text[300];
	(void)cls;
	/* the format strings are libmicrohttpd's own */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	vsnprintf(text, sizeof text, fmt, ap);
#pragma GCC diagnostic pop
	text[strcspn(text, "\r\n")] = '\0';
	log_debug("mhd text=\"%s\"", text);
}

static struct MHD_Daemon *httpd_start(struct httpd *h,
	const struct httpd_options *o, const struct listener *l)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD |
			 MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem https[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, l->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, l->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, LISTENER_TLS_VERSIONS },
		{ MHD_OPTION_END, 0, NULL },
	};
	if (l->key)
		flags |= MHD_USE_TLS;
	return MHD_start_daemon(flags, 0, NULL, NULL, httpd_exchange_step, h,
		MHD_OPTION_EXTERNAL_LOGGER, httpd_on_log, NULL,
		MHD_OPTION_ARRAY, l->key ? https : &https[3],
		MHD_OPTION_LISTEN_SOCKET, (MHD_socket)l->fd,
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
	struct listener l;
	if (!httpd_options_check(o, e) ||
		!(h->files = files_new(o->web, o->perfetto_dir, e)) ||
		!listener_open(&l, o->listen, o->tls_cert, o->tls_key, e)) {
		httpd_free(h);
		return NULL;
	}
	h->listen_fd = l.fd;
	h->port = l.port;
	h->writers = httpd_writers_new(o->writers);
	h->watch = httpd_watch_new(a, o->upload_min_rate, l.key);
	h->daemon = httpd_start(h, o, &l);
	listener_wipe(&l);
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

/* Afterwards the operating system refuses new connections. The socket is closed
 * later, when no thread of libmicrohttpd can use it any more. */
static void httpd_stop_listening(struct httpd *h)
{
	if (h->deaf || !h->daemon)
		return;
	MHD_quiesce_daemon(h->daemon);
	shutdown(h->listen_fd, SHUT_RDWR);
	h->deaf = true;
}

void httpd_leave(struct httpd *h)
{
	atomic_store(&h->draining, true);
}

void httpd_drain(struct httpd *h, int drain_s)
{
	httpd_leave(h);
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
		httpd_writers_release(h->writers);
		MHD_stop_daemon(h->daemon);
	}
	httpd_writers_free(h->writers);
	httpd_watch_free(h->watch);
	files_free(h->files);
	if (h->listen_fd >= 0)
		close(h->listen_fd);
	free(h);
}
