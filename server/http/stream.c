/* stream.c - an upload's bytes between the thread that reads them off the
 * socket and the one that writes them away. */
#include "stream.h"
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_BYTES = 256 << 10 };

struct stream {
	struct writers *writers;
	struct MHD_Connection *connection;
	struct watched *watched;
	struct stream *link; /* the queue's */
	struct api_receive *receive; /* the serving writer's; NULL: over */
	unsigned char *work; /* the serving writer's */

	pthread_mutex_t lock; /* all below */
	unsigned char *fill;
	size_t fill_len;
	bool queued; /* in the queue or being served */
	bool suspended;
	bool ended; /* all bytes are in */
	bool over; /* the answer is there */
	bool gone; /* nobody waits for it */
	struct api_answer answer;
};

struct stream *stream_new(struct writers *w, struct api_receive *u,
	struct MHD_Connection *c, struct watched *b)
{
	struct stream *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	*s = (struct stream){ .writers = w,
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

static void stream_free(struct stream *s)
{
	if (s->receive)
		api_receive_abort(s->receive);
	pthread_mutex_destroy(&s->lock);
	api_answer_release(&s->answer);
	free(s->work);
	free(s->fill);
	free(s);
}

void stream_link(struct stream *s, struct stream *next)
{
	s->link = next;
}

struct stream *stream_linked(const struct stream *s)
{
	return s->link;
}

/* Under the lock; false where the server ends. */
static bool suspend(struct stream *s)
{
	if (!writers_suspend(s->writers))
		return false;
	s->suspended = true;
	atomic_store(&s->watched->paused, true);
	MHD_suspend_connection(s->connection);
	return true;
}

/* Under the lock. */
static void resume(struct stream *s)
{
	if (!s->suspended || s->gone)
		return;
	s->suspended = false;
	atomic_store(&s->watched->paused, false);
	MHD_resume_connection(s->connection);
	writers_resume(s->writers);
}

enum stream_said stream_put(struct stream *s, const char *bytes, size_t *len)
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
		if (*len && !suspend(s))
			said = STREAM_STOPPED;
	}
	pthread_mutex_unlock(&s->lock);
	if (push)
		writers_push(s->writers, s);
	return said;
}

bool stream_end(struct stream *s, bool *stopped)
{
	bool push = false;
	*stopped = false;
	pthread_mutex_lock(&s->lock);
	bool over = s->over;
	if (!over) {
		push = !s->queued;
		s->queued = true;
		s->ended = true;
		*stopped = !suspend(s);
	}
	pthread_mutex_unlock(&s->lock);
	if (push)
		writers_push(s->writers, s);
	return over;
}

void stream_answer(struct stream *s, struct api_answer *out)
{
	pthread_mutex_lock(&s->lock);
	*out = s->answer;
	s->answer = (struct api_answer){ 0 };
	pthread_mutex_unlock(&s->lock);
}

void stream_gone(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->gone = true;
	bool push = !s->queued;
	s->queued = true;
	pthread_mutex_unlock(&s->lock);
	if (push)
		writers_push(s->writers, s);
}

/* Writes `len` bytes of s->work away, and after the last of them finishes.
 * Whether the answer is there. */
static bool write_away(struct stream *s, size_t len, bool last,
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

bool stream_serve(struct stream *s)
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
		resume(s); /* there is room again */
	pthread_mutex_unlock(&s->lock);

	bool over = !gone && write_away(s, len, last, &answer);

	pthread_mutex_lock(&s->lock);
	if (over) {
		s->answer = answer;
		s->over = true;
	}
	gone = s->gone;
	if (s->over || s->fill_len < STREAM_BYTES)
		resume(s);
	bool more = !gone && !s->over &&
		    (s->fill_len == STREAM_BYTES || (s->ended && !last));
	s->queued = more;
	pthread_mutex_unlock(&s->lock);
	if (gone)
		stream_free(s);
	return more;
}
