/* writers.c - the queue of streams that have something to write, its threads,
 * and the count of suspended connections. */
#include "writers.h"
#include "stream.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct writers {
	pthread_mutex_t lock; /* all below */
	pthread_cond_t work, calm;
	struct stream *first, *last;
	int suspended, n;
	bool releasing, stop;
	pthread_t threads[];
};

void writers_push(struct writers *w, struct stream *s)
{
	pthread_mutex_lock(&w->lock);
	stream_link(s, NULL);
	if (w->last)
		stream_link(w->last, s);
	else
		w->first = s;
	w->last = s;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

bool writers_suspend(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	bool ok = !w->releasing;
	w->suspended += ok;
	pthread_mutex_unlock(&w->lock);
	return ok;
}

void writers_resume(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	if (!--w->suspended)
		pthread_cond_broadcast(&w->calm);
	pthread_mutex_unlock(&w->lock);
}

/* The next stream to serve; NULL when there is none and none will come. */
static struct stream *next(struct writers *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->stop)
		pthread_cond_wait(&w->work, &w->lock);
	struct stream *s = w->first;
	if (s) {
		w->first = stream_linked(s);
		if (!w->first)
			w->last = NULL;
	}
	pthread_mutex_unlock(&w->lock);
	return s;
}

/* What arrives can wait; who asks cannot. Nice counts per thread here. */
static void *run(void *ctx)
{
	enum { WRITER_NICE = 10 };
	struct writers *w = ctx;
	struct stream *s;
	setpriority(PRIO_PROCESS, (id_t)gettid(), WRITER_NICE);
	while ((s = next(w)))
		if (stream_serve(s))
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
		if (pthread_create(&w->threads[w->n], NULL, run, w))
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
