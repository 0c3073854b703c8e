/* fleet_request.c - sends a request with retries, and selects how its answer is
 * printed. */
#include "fleet_request.h"
#include "address.h"
#include "commands.h"
#include "retry.h"

/* 10,000 GPUs, the largest page, are 7 MB. */
enum { FLEET_REQUEST_MAX = 64 << 20 };

static bool fleet_request_text(const struct fleet_request *q,
	const struct buf *body, struct err *e)
{
	struct arena a = { 0 };
	json_t *v = json_loadb(body->at ? body->at : "", body->len, 0, NULL);
	bool ok = q->print(&a, v, e);

	json_decref(v);
	arena_release(&a);
	return ok;
}

static bool fleet_request_print(const struct options *o,
	const struct fleet_request *q, const struct buf *body, struct err *e)
{
	if (strcmp(o->format, "text") != 0)
		fwrite(body->at, 1, body->len, stdout);
	else if (!fleet_request_text(q, body, e))
		return false;
	return commands_flush(e);
}

static bool fleet_request_send(struct wire *w, const struct options *o,
	const struct fleet_request *q, struct meter *m, struct err *e)
{
	struct attempt a = { 0 };
	struct buf url, body;

	buf_init(&url, ADDRESS_MAX);
	q->address(&url, o, strcmp(o->format, "text") ? o->format : "json");
	struct retry_request r = { .url = url.at,
		.label = q->label,
		.most = FLEET_REQUEST_MAX };
	bool ok = retry_send(w, o, &r, m, &a, &body, e);
	meter_clear(m);
	if (ok) {
		ok = fleet_request_print(o, q, &body, e);
		buf_release(&body);
	}
	buf_release(&url);
	return ok;
}

int fleet_request(const struct options *o, const struct fleet_request *q)
{
	struct err e = { 0 };
	struct meter m;

	meter_init(&m);
	struct wire *w = wire_new(o, &e);
	if (!w) {
		meter_say(&m, "kernsift: %s", e.text);
		return commands_usage_status(&e);
	}
	if (!fleet_request_send(w, o, q, &m, &e))
		meter_say(&m, "kernsift: %s", e.text);
	wire_free(w);
	return commands_usage_status(&e);
}
