/* load.c - the threads of the readers and the senders. */
#include "load.h"
#include "talk.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum { SECOND_NS = 1000000000 };

static void *read_on(void *ctx)
{
	struct reading *r = ctx;
	struct sched_param p = { .sched_priority = 1 };
	r->real_time = !pthread_setschedparam(pthread_self(), SCHED_RR, &p);
	prctl(PR_SET_TIMERSLACK, 1UL);
	struct talk t;
	talk_init(&t, r->port);
	double every = SECOND_NS / r->per_s;
	int due = (int)((double)(r->until_ns - r->from_ns) / every);
	r->latency_ns = calloc((size_t)due + 1, sizeof *r->latency_ns);
	talk_get(&t,
		r->path); /* the connection is open before the measurement starts */
	for (int i = 0; i < due; i++) {
		int64_t when = r->from_ns + (int64_t)(i * every);
		talk_sleep_until_ns(when);
		if (talk_get(&t, r->path) != 200)
			r->failed++;
		r->latency_ns[r->n++] = talk_now_ns() - when;
	}
	talk_release(&t);
	return NULL;
}

void reading_start(struct reading *r)
{
	if (pthread_create(&r->thread, NULL, read_on, r))
		abort();
}

void reading_join(struct reading *r)
{
	pthread_join(r->thread, NULL);
}

static void *send_on(void *ctx)
{
	struct sending *s = ctx;
	struct talk t;
	talk_init(&t, s->port);
	for (int i = 0; !*s->stop; i++) {
		char path[160];
		snprintf(path, sizeof path,
			"/api/v1/uploads?project=bench&name=bench-%d-%d"
			"&label.at=%lld",
			s->number, i, (long long)talk_now_ns());
		int status = talk_post(&t, path, s->bytes, s->len, s->per_s,
			s->stop);
		if (status == 202) {
			s->accepted++;
			s->sent_bytes += (int64_t)s->len;
		} else if (status == 503) {
			s->refused++;
			talk_sleep_until_ns(talk_now_ns() + SECOND_NS / 10);
		} else if (status) {
			s->broken++;
			talk_sleep_until_ns(talk_now_ns() + SECOND_NS / 10);
		}
	}
	talk_release(&t);
	return NULL;
}

void sending_start(struct sending *s)
{
	if (pthread_create(&s->thread, NULL, send_on, s))
		abort();
}

void sending_join(struct sending *s)
{
	pthread_join(s->thread, NULL);
}
