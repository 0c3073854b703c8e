/* retry.c - the table of failures that are tried again, the waiting times, and
 * the loop of tries. */
#include "retry.h"
#include "answer.h"
#include <sys/random.h>

enum { FIRST_MS = 500, LONGEST_MS = 30000 };

static bool retry_may_help(const struct attempt *a)
{
	if (a->end != ATTEMPT_ANSWERED)
		return a->end == ATTEMPT_AWAY || a->end == ATTEMPT_BROKEN;
	/* the request was too slow, there were too many requests, a proxy
	 * cannot reach its server, or the server is busy */
	return a->status == 408 || a->status == 429 || a->status == 502 ||
	       a->status == 503 || a->status == 504;
}

int retry_wait_ms(const struct attempt *a, int tried, int most, int spread)
{
	if (!retry_may_help(a) || tried >= most ||
		a->retry_after_s > RETRY_AFTER_MAX_S)
		return -1;
	int ms = FIRST_MS;
	for (int i = 0; i < tried && ms < LONGEST_MS; i++)
		ms *= 2;
	if (ms > LONGEST_MS)
		ms = LONGEST_MS;
	if (a->retry_after_s > 0)
		ms = a->retry_after_s * 1000;
	/* up to a quarter longer, never shorter */
	return ms + ms * spread / 1024;
}

bool retry_wait(struct retry *p, const struct attempt *a, const struct err *why)
{
	unsigned char spread = 0;
	if (getrandom(&spread, 1, GRND_NONBLOCK) != 1)
		spread = 128;
	int ms = retry_wait_ms(a, p->tried, p->most, spread);
	if (ms < 0)
		return false;
	p->tried++;
	meter_say(p->meter, "%s: %s; trying again in %.1f s (%d of %d)",
		p->label, why->text, ms / 1000.0, p->tried, p->most);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
	nanosleep(&t, NULL);
	return true;
}

bool retry_send(struct wire *w, const struct options *o,
	const struct retry_request *q, struct meter *m, struct attempt *a,
	struct buf *body, struct err *e)
{
	struct retry p = { .meter = m, .label = q->label, .most = o->retries };
	for (;;) {
		struct err why = { 0 };
		buf_init(body, q->most);
		if (wire_fetch(w, q->url, q->json, a, body, &why) &&
			(a->status == 200 || a->status == 201))
			return true;
		if (a->end == ATTEMPT_ANSWERED)
			answer_error(a->status, body->at, body->len, &why);
		buf_release(body);
		if (!retry_wait(&p, a, &why))
			return err_set(e, why.code, "%s", why.text);
	}
}
