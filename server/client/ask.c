/* ask.c - tries until there is an answer or no sense in another. */
#include "ask.h"
#include "answer.h"
#include "patience.h"

static bool try_once(struct wire *w, const struct question *q,
	struct attempt *a, struct buf *body, struct err *e)
{
	return q->json ? wire_post_json(w, q->url, q->json, a, body, e)
		       : wire_get(w, q->url, NULL, a, body, e);
}

bool ask(struct wire *w, const struct options *o, const struct question *q,
	struct meter *m, struct attempt *a, struct buf *body, struct err *e)
{
	struct patience p = { .meter = m,
		.label = q->label,
		.most = o->retries };
	for (;;) {
		struct err why = { 0 };
		buf_init(body, q->most);
		if (try_once(w, q, a, body, &why) &&
			(a->status == 200 || a->status == 201))
			return true;
		if (a->end == ATTEMPT_ANSWERED)
			answer_error(a->status, body->at, body->len, &why);
		buf_release(body);
		if (!patience_wait(&p, a, &why))
			return err_set(e, why.code, "%s", why.text);
	}
}
