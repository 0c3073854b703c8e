/* writers.c - writes the bytes of uploads away on threads of their own
 *
 * The queue of streams that have something to write, its threads, the count of
 * suspended connections; and a stream, between the thread that reads an
 * upload's bytes off the socket and the one that writes them away. */
#include "writers.h"
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STREAM_BYTES = 256 << 10 };

struct http_stream {
	struct writers *writers;
	struct MHD_Connection *connection;
	struct watched *watched;
	struct http_stream *link; /* the queue's */
	struct api_receive *receive; /* the serving writer's; NULL: over */
	unsigned char *work; /* the serving writer's */

	pthread_mutex_t lock; /* all below */
	unsigned char *fill;
	size_t fill_len;
	bool queued; /* in the queue or being served */
	bool suspended;
	bool ended; /* all bytes are in */
	bool over; /* the answer is ready */
	bool gone; /* no connection waits for it */
	struct api_answer answer;
};

struct writers {
	pthread_mutex_t lock; /* all below */
	pthread_cond_t work, calm;
	struct http_stream *first, *last;
	int suspended, n;
	bool releasing, stop;
	pthread_t threads[];
};

static void writers_push(struct writers *w, struct http_stream *s)
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

/* Counts a suspended connection; false if no more may be suspended. */
static bool writers_suspend(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	bool ok = !w->releasing;
	w->suspended += ok;
	pthread_mutex_unlock(&w->lock);
	return ok;
}

static void writers_resume(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	if (!--w->suspended)
		pthread_cond_broadcast(&w->calm);
	pthread_mutex_unlock(&w->lock);
}

struct http_stream *writers_stream_new(struct writers *w, struct api_receive *u,
	struct MHD_Connection *c, struct watched *b)
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

static void writers_stream_free(struct http_stream *s)
{
	if (s->receive)
		api_receive_abort(s->receive);
	pthread_mutex_destroy(&s->lock);
	api_answer_release(&s->answer);
	free(s->work);
	free(s->fill);
	free(s);
}

/* Called under the lock; false if the server is stopping. */
static bool writers_stream_suspend(struct http_stream *s)
{
	if (!writers_suspend(s->writers))
		return false;
	s->suspended = true;
	atomic_store(&s->watched->paused, true);
	MHD_suspend_connection(s->connection);
	return true;
}

/* Under the lock. */
static void writers_stream_resume(struct http_stream *s)
{
	if (!s->suspended || s->gone)
		return;
	s->suspended = false;
	atomic_store(&s->watched->paused, false);
	MHD_resume_connection(s->connection);
	writers_resume(s->writers);
}

enum stream_said writers_stream_put(struct http_stream *s, const char *bytes,
	size_t *len)
{
	enum stream_said said = STREAM_OK;
	bool push = false;
	pthread_mutex_lock(&s->lock);
	if (s->over) {
		said = STREAM_REFUSED;
	} else {
		size_t n = STREAM_BYTES - s->fill_len;
		n = n < *len ? n : *len;
		memcpy(s->fill + s->fill_len, bytes, n);
		s->fill_len += n;
		*len -= n;
		push = s->fill_len == STREAM_BYTES && !s->queued;
		s->queued |= push;
		if (*len && !writers_stream_suspend(s))
			said = STREAM_STOPPED;
	}
	pthread_mutex_unlock(&s->lock);
	if (push)
		writers_push(s->writers, s);
	return said;
}

bool writers_stream_end(struct http_stream *s, bool *stopped)
{
	bool push = false;
	*stopped = false;
	pthread_mutex_lock(&s->lock);
	bool over = s->over;
	if (!over) {
		push = !s->queued;
		s->queued = true;
		s->ended = true;
		*stopped = !writers_stream_suspend(s);
	}
	pthread_mutex_unlock(&s->lock);
	if (push)
		writers_push(s->writers, s);
	return over;
}

void writers_stream_answer(struct http_stream *s, struct api_answer *out)
{
	pthread_mutex_lock(&s->lock);
	*out = s->answer;
	s->answer = (struct api_answer){ 0 };
	pthread_mutex_unlock(&s->lock);
}

void writers_stream_gone(struct http_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->gone = true;
	bool push = !s->queued;
	s->queued = true;
	pthread_mutex_unlock(&s->lock);
	if (push)
		writers_push(s->writers, s);
}

/* Stores `len` bytes of s->work, and finishes the upload after the last of
 * them. Returns whether the answer is ready. */
static bool writers_write_away(struct http_stream *s, size_t len, bool last,
	struct api_answer *a)
{
	struct api_receive *u = s->receive;
	if (!u)
		return false;
	bool ok = !len || api_receive_bytes(u, s->work, len, a);
	if (ok && !last)
		return false;
	s->receive = NULL;
	if (ok)
		api_receive_end(u, a);
	else
		api_receive_abort(u);
	return true;
}

/* Does one piece of work; whether more is waiting. May free the stream, and
 * returns false then. */
static bool writers_stream_serve(struct http_stream *s)
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
		writers_stream_resume(s); /* there is room again */
	pthread_mutex_unlock(&s->lock);

	bool over = !gone && writers_write_away(s, len, last, &answer);

	pthread_mutex_lock(&s->lock);
	if (over) {
		s->answer = answer;
		s->over = true;
	}
	gone = s->gone;
	if (s->over || s->fill_len < STREAM_BYTES)
		writers_stream_resume(s);
	bool more = !gone && !s->over &&
		    (s->fill_len == STREAM_BYTES || (s->ended && !last));
	s->queued = more;
	pthread_mutex_unlock(&s->lock);
	if (gone)
		writers_stream_free(s);
	return more;
}

/* The next stream to serve; NULL when there is none and none will come. */
static struct http_stream *writers_next(struct writers *w)
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

/* Uploads can wait; other requests cannot. Nice counts per thread here. */
static void *writers_run(void *ctx)
{
	enum { WRITER_NICE = 10 };
	struct writers *w = ctx;
	struct http_stream *s;
	setpriority(PRIO_PROCESS, (id_t)gettid(), WRITER_NICE);
	while ((s = writers_next(w)))
		if (writers_stream_serve(s))
			writers_push(w, s);
	return NULL;
}

struct writers *writers_new(int threads)
{
	struct writers *w =
		calloc(1, sizeof *w + (size_t)threads * sizeof *w->threads);
	if (!w)
		abort();
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->calm, NULL);
	for (w->n = 0; w->n < threads; w->n++)
		if (pthread_create(&w->threads[w->n], NULL, writers_run, w))
			abort();
	return w;
}

void writers_release(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	w->releasing = true;
	while (w->suspended)
		pthread_cond_wait(&w->calm, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

void writers_free(struct writers *w)
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
