/* watch.c - one thread, one list, one look a second. */
#include "watch.h"
#include "clock.h"
#include "respond.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { WINDOW_MS = 10000, DRAIN_MS = 2000, LINGER_MS = 60000 };

struct watch {
	struct api *api;
	int64_t min_rate;
	bool tls;
	pthread_t thread;
	pthread_mutex_t lock; /* all below */
	pthread_cond_t wake;
	bool stop;
	struct watched *list;
};

/* Sends the answer past libmicrohttpd, and no more after it. */
static void watch_tell(const struct watch *w, struct watched *b,
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
	b->told = a->status;
	b->told_ms = now;
}

/* Whether less than the least rate came in the last window. */
static bool watch_slow(const struct watch *w, struct watched *b, int64_t now)
{
	int64_t received = atomic_load(&b->received);
	int64_t ms = now - b->window_ms, bytes = received - b->window_bytes;
	if (ms < WINDOW_MS && !atomic_load(&b->paused))
		return false;
	b->window_ms = now;
	b->window_bytes = received;
	return !atomic_load(&b->paused) && bytes < w->min_rate * ms / 1000;
}

static void watch_look(struct watch *w, struct watched *b, int64_t now)
{
	bool is_slow = watch_slow(w, b, now);
	if (b->told) {
		if (is_slow || now - b->told_ms > LINGER_MS)
			shutdown(b->fd, SHUT_RDWR);
	} else if (b->refusal) {
		if (is_slow ||
			now - b->refused_ms > (w->tls ? LINGER_MS : DRAIN_MS))
			watch_tell(w, b, b->refusal, now);
	} else if (is_slow) {
		api_refuse(w->api, ERR_TIMEOUT,
			"the body arrives too slowly; see --upload_min_kib",
			&b->slow);
		watch_tell(w, b, &b->slow, now);
	}
}

static void *watch_run(void *ctx)
{
	struct watch *w = ctx;
	struct timespec at;
	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		clock_gettime(CLOCK_MONOTONIC, &at);
		at.tv_sec++;
		pthread_cond_timedwait(&w->wake, &w->lock, &at);
		for (struct watched *b = w->list; b; b = b->next)
			watch_look(w, b, clock_ms());
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct watch *watch_new(struct api *a, int64_t min_rate, bool tls)
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
	if (pthread_create(&w->thread, NULL, watch_run, w))
		abort();
	return w;
}

void watch_free(struct watch *w)
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

void watch_add(struct watch *w, struct watched *b, int fd)
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

int watch_remove(struct watch *w, struct watched *b)
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
	int told = b->told;
	pthread_mutex_unlock(&w->lock);
	return told;
}

void watch_refuse(struct watch *w, struct watched *b,
	const struct api_answer *a, bool now)
{
	pthread_mutex_lock(&w->lock);
	if (!b->refusal)
		b->refused_ms = clock_ms();
	b->refusal = a;
	if (now && !w->tls && !b->told && b->listed)
		watch_tell(w, b, a, clock_ms());
	pthread_mutex_unlock(&w->lock);
}
