/* cmd_upload.c - `kernsift upload`: sends all files, then waits until the
 * server has analyzed them. */
#include "address.h"
#include "commands.h"
#include "submit.h"
#include <inttypes.h>

struct sent {
	const char *path;
	int64_t id; /* -1: it failed */
	int64_t run; /* the first of its runs; 0: unknown */
};

static void upload_print_upload(const struct options *o,
	const struct upload_answer *u)
{
	struct buf url;
	buf_init(&url, ADDRESS_MAX);
	address_upload(&url, o->server, u->id);
	printf("upload %" PRId64 " %s %s\n", u->id, upload_state_name(u->state),
		url.at);
	fflush(stdout);
	buf_release(&url);
}

static void upload_print_runs(const struct options *o,
	const struct upload_answer *u)
{
	for (int i = 0; i < u->runs_n; i++) {
		struct buf url;
		buf_init(&url, ADDRESS_MAX);
		address_run(&url, o->server, u->runs[i]);
		printf("run %" PRId64 " %s\n", u->runs[i], url.at);
		buf_release(&url);
	}
	fflush(stdout);
}

static void upload_say_failed(struct meter *m, const struct err *e, int *status)
{
	meter_say(m, "kernsift: %s", e->text);
	*status = commands_first(*status, e);
}

/* Measures are attached to a run, which exists after the analysis. */
static bool upload_waits(const struct options *o)
{
	return o->wait || o->measures.n;
}

/* Sends all files before the first wait, so that the server analyzes one file
 * while the next one arrives. If the server could not be reached in all tries
 * for one file, each further file gets only one try. */
static int upload_send_all(struct wire *w, const struct options *o,
	struct meter *m, struct sent *all, struct upload_answer *u)
{
	int status = EXIT_OK;
	int most = o->retries;
	for (int i = 0; i < o->files.n; i++) {
		struct err e = { 0 };
		struct attempt last;
		all[i] = (struct sent){ o->files.at[i], -1, 0 };
		if (!submit_file(w, o, all[i].path, most, m, u, &last, &e)) {
			upload_say_failed(m, &e, &status);
			if (last.end == ATTEMPT_AWAY)
				most = 0;
			continue;
		}
		most = o->retries;
		all[i].id = u->id;
		if (!upload_waits(o))
			upload_print_upload(o, u);
	}
	return status;
}

static void upload_wait_all(struct wire *w, const struct options *o,
	struct meter *m, struct sent *all, struct upload_answer *u, int *status)
{
	for (int i = 0; i < o->files.n; i++) {
		struct err e = { 0 };
		if (all[i].id < 0)
			continue;
		u->id = all[i].id;
		const char *label = strcmp(all[i].path, "-") ? all[i].path
							     : "standard input";
		if (!submit_wait(w, o, label, m, u, &e))
			upload_say_failed(m, &e, status);
		else {
			all[i].run = u->runs_n ? u->runs[0] : 0;
			upload_print_runs(o, u);
		}
	}
}

static void upload_measures(struct wire *w, const struct options *o,
	struct meter *m, const struct sent *all, int *status)
{
	struct err e = { 0 };

	if (all[0].run) {
		if (!submit_measures(w, o, m, all[0].run, &e))
			*status = commands_first(*status, &e);
		return;
	}
	err_set(&e, ERR_TRACE,
		"the measures are not sent, because '%.200s' has no run",
		all[0].path);
	upload_say_failed(m, &e, status);
}

int cmd_upload(const struct options *o)
{
	struct meter m;
	struct err e = { 0 };
	meter_init(&m);
	struct wire *w = wire_new(o, &e);
	if (!w) {
		meter_say(&m, "kernsift: %s", e.text);
		return commands_usage_status(&e);
	}
	struct sent *all = calloc((size_t)o->files.n, sizeof *all);
	struct upload_answer *u = calloc(1, sizeof *u);
	if (!all || !u)
		abort();
	int status = upload_send_all(w, o, &m, all, u);
	if (upload_waits(o))
		upload_wait_all(w, o, &m, all, u, &status);
	if (o->measures.n)
		upload_measures(w, o, &m, all, &status);
	free(u);
	free(all);
	wire_free(w);
	if (!commands_flush(&e))
		upload_say_failed(&m, &e, &status);
	return status;
}
