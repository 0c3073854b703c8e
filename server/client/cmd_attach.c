/* cmd_attach.c - `kernsift attach`: sends tables of Nsight Compute and results of
 * benchmarks to a stored run. */
#include "address.h"
#include "answer.h"
#include "commands.h"
#include "submit.h"
#include <inttypes.h>

static bool attach_read(const char *body, size_t len, void *out, struct err *e)
{
	return answer_attach(body, len, out, e);
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
	address_attach(&url, o->server, run, "kernel-profiles",
		feed_base_name(f));
	bool ok = submit_attached(w, o, m, f, url.at, attach_read, &is, e);
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
	int status = EXIT_OK;
	struct err e = { 0 }, measures = { 0 };
	struct meter m;
	meter_init(&m);
	int64_t run = options_run_id(o->files.at[0]);
	if (!run) {
		meter_say(&m, "kernsift: attach: '%s' is not the id of a run",
			o->files.at[0]);
		return EXIT_USAGE;
	}
	if (o->files.n == 1 && !o->measures.n) {
		meter_say(&m,
			"kernsift: attach: no file is given (name tables of "
			"Nsight Compute, or --measures FILE)");
		return EXIT_USAGE;
	}
	struct wire *w = wire_new(o, &e);
	if (!w) {
		meter_say(&m, "kernsift: %s", e.text);
		return commands_usage_status(&e);
	}
	for (int i = 1; i < o->files.n; i++) {
		struct err why = { 0 };
		if (!attach_attach(w, o, &m, run, o->files.at[i], &why)) {
			meter_say(&m, "kernsift: %s", why.text);
			status = commands_first(status, &why);
		}
	}
	if (!submit_measures(w, o, &m, run, &measures))
		status = commands_first(status, &measures);
	wire_free(w);
	if (!commands_flush(&e)) {
		meter_say(&m, "kernsift: %s", e.text);
		status = commands_first(status, &e);
	}
	return status;
}
