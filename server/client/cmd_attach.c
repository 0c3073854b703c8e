/* cmd_attach.c - `kernsift attach`: sends tables of Nsight Compute to a stored run. */
#include "address.h"
#include "answer.h"
#include "commands.h"
#include "retry.h"
#include "wire.h"
#include <inttypes.h>

static bool attach_attempt(struct wire *w, const char *url, struct feed *f,
	struct attempt *a, struct attach_answer *out, struct err *e)
{
	struct buf body;
	bool ok = false;
	buf_init(&body, WIRE_ANSWER_MAX);
	if (wire_post(w, url, f, NULL, NULL, a, &body, e)) {
		if (a->status == 200 || a->status == 201)
			ok = answer_attach(body.at, body.len, out, e);
		else
			answer_error(a->status, body.at, body.len, e);
	}
	buf_release(&body);
	return ok;
}

/* Sends a file; tries again if that may help. */
static bool attach_send(struct wire *w, const struct options *o,
	struct meter *m, struct feed *f, const char *url,
	struct attach_answer *out, struct err *e)
{
	struct retry p = { .meter = m,
		.label = feed_label(f),
		.most = o->retries };
	for (;;) {
		struct err why = { 0 };
		struct attempt a = { .end = ATTEMPT_HOPELESS };
		if (attach_attempt(w, url, f, &a, out, &why))
			return true;
		if (!retry_wait(&p, &a, &why))
			return err_set(e, why.code, "%s: %s", feed_label(f),
				why.text);
		if (!feed_restart(f, e))
			return false;
	}
}

static bool attach_attach(struct wire *w, const struct options *o,
	struct meter *m, int64_t run, const char *path, struct err *e)
{
	struct attach_answer is = { 0 };
	struct buf url;
	struct feed *f = feed_new(path, PACK_NONE, e);
	if (!f)
		return false;
	buf_init(&url, ADDRESS_MAX);
	address_attach(&url, o->server, run, feed_base_name(f));
	bool ok = attach_send(w, o, m, f, url.at, &is, e);
	meter_clear(m);
	buf_release(&url);
	if (ok) {
		buf_init(&url, ADDRESS_MAX);
		address_run(&url, o->server, run);
		printf("run %" PRId64 ": %" PRId64 " profiled kernels, %" PRId64
		       " matched, %" PRId64 " with shape, %s\n",
			run, is.profiles, is.matched, is.with_shape, url.at);
		if (is.existing)
			meter_say(m, "%s: is already attached", feed_label(f));
		for (int i = 0; i < is.findings_n; i++)
			meter_say(m, "%s: %s", feed_label(f), is.findings[i]);
		buf_release(&url);
	}
	feed_free(f);
	return ok;
}

int cmd_attach(const struct options *o)
{
	bool ok = true;
	struct err e = { 0 };
	struct meter m;
	meter_init(&m);
	int64_t run = options_run_id(o->files.at[0]);
	if (!run) {
		meter_say(&m, "kernsift: attach: '%s' is not the id of a run",
			o->files.at[0]);
		return EXIT_USAGE;
	}
	struct wire *w = wire_new(o, &e);
	if (!w) {
		meter_say(&m, "kernsift: %s", e.text);
		return EXIT_USAGE;
	}
	for (int i = 1; i < o->files.n; i++) {
		struct err why = { 0 };
		if (!attach_attach(w, o, &m, run, o->files.at[i], &why)) {
			meter_say(&m, "kernsift: %s", why.text);
			ok = false;
		}
	}
	wire_free(w);
	if (fflush(stdout) || ferror(stdout)) {
		meter_say(&m, "kernsift: cannot write to standard output");
		ok = false;
	}
	return ok ? EXIT_OK : EXIT_FAILED;
}
