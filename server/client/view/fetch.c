/* fetch.c - sends GET requests of a command and reports its errors. */
#include "fetch.h"
#include "commands.h"
#include "retry.h"

/* A page of 500 runs with labels is below 2 MB. */
enum { FETCH_MAX = 64 << 20 };

json_t *fetch_json(struct fetch *f, const char *url, const char *needs,
	struct err *e)
{
	struct attempt a = { 0 };
	struct buf body;
	const struct retry_request q = { .url = url,
		.label = f->label,
		.most = FETCH_MAX };

	bool ok = retry_send(f->wire, f->o, &q, &f->meter, &a, &body, e);
	meter_clear(&f->meter);
	if (!ok)
		return NULL;
	json_t *v = json_loadb(body.at ? body.at : "", body.len, 0, NULL);
	buf_release(&body);
	if (json_object_get(v, needs))
		return v;
	json_decref(v);
	err_set(e, ERR_UNREACHABLE,
		"the server's answer has no '%s'; check that --server is the "
		"address of kernsift",
		needs);
	return NULL;
}

int fetch_run(const struct options *o, const char *label,
	bool (*run)(struct fetch *f, struct err *e))
{
	struct fetch f = { .o = o, .label = label };
	struct err e = { 0 };

	meter_init(&f.meter);
	f.wire = wire_new(o, &e);
	if (!f.wire || !run(&f, &e) || !commands_flush(&e))
		meter_say(&f.meter, "kernsift: %s", e.text);
	wire_free(f.wire);
	return commands_usage_status(&e);
}
