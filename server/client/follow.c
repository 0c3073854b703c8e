/* follow.c - asks, at growing distances, and shows the server's progress. */
#include "follow.h"
#include "address.h"
#include "patience.h"

enum { FIRST_MS = 50, LONGEST_MS = 1000 };

static bool ask(struct wire *w, const char *url, struct attempt *a,
	struct upload_answer *u, struct err *e)
{
	struct buf body;
	bool ok = false;
	buf_init(&body, WIRE_ANSWER_MAX);
	if (wire_get(w, url, NULL, a, &body, e))
		ok = a->status == 200
			     ? answer_upload(body.at, body.len, u, e)
			     : answer_error(a->status, body.at, body.len, e);
	buf_release(&body);
	return ok;
}

static void show(struct meter *m, const char *label, struct pace *pace,
	const struct upload_answer *u)
{
	bool known = u->state == UPLOAD_WORKING && u->total_bytes > 0;
	struct progress p = { .label = label,
		.stage = *u->stage ? u->stage : upload_state_name(u->state),
		.done_bytes = known ? u->done_bytes : 0,
		.total_bytes = known ? u->total_bytes : -1 };
	if (known)
		p.rate = pace_add(pace, meter_now_ms(), u->done_bytes);
	meter_show(m, &p);
}

/* False with the server's sentence where the upload failed there. */
static bool finished(const char *label, const struct upload_answer *u,
	struct err *e)
{
	if (u->state == UPLOAD_DONE)
		return true;
	return err_set(e, ERR_TRACE, "%s: %s", label,
		*u->error ? u->error : "the server gave no reason");
}

bool follow(struct wire *w, const struct options *o, const char *label,
	struct meter *m, struct upload_answer *u, struct err *e)
{
	struct buf url;
	struct pace pace;
	struct patience p = { .meter = m, .label = label, .most = o->retries };
	bool ok;
	pace_init(&pace);
	buf_init(&url, ADDRESS_MAX);
	address_upload(&url, o->server, u->id);
	for (int ms = FIRST_MS;;) {
		struct attempt a;
		struct err why = { 0 };
		if (!ask(w, url.at, &a, u, &why)) {
			if (patience_wait(&p, &a, &why))
				continue;
			ok = err_set(e, why.code, "%s: %s", label, why.text);
			break;
		}
		p.tried = 0;
		if (u->state == UPLOAD_DONE || u->state == UPLOAD_FAILED) {
			ok = finished(label, u, e);
			break;
		}
		show(m, label, &pace, u);
		nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L },
			NULL);
		ms = ms * 2 > LONGEST_MS ? LONGEST_MS : ms * 2;
	}
	meter_clear(m);
	buf_release(&url);
	return ok;
}
