/* cmd_import.c - `kernsift import`: sends operator catalogs to POST /reference-sets. */
#include "address.h"
#include "answer.h"
#include "commands.h"
#include "retry.h"
#include "wire.h"
#include <inttypes.h>

/* The name of the set: --name, otherwise the file's name without its extension.
 */
static void import_set_name(char *to, size_t room, const struct options *o,
	const char *file)
{
	snprintf(to, room, "%s", *o->name ? o->name : file ? file : "");
	if (*o->name)
		return;
	static const char ending[] = ".json";
	size_t len = strlen(to), tail = sizeof ending - 1;
	if (len > tail && !strcmp(to + len - tail, ending))
		to[len - tail] = '\0';
}

/* Rejects a compressed file, because the server accepts only catalogs that are
 * not compressed. */
static bool import_plain(const struct feed *f, struct err *e)
{
	return feed_found(f) == PACK_NONE ||
	       err_set(e, ERR_INPUT, "%s: is compressed; decompress it first",
		       feed_label(f));
}

static bool import_named(const struct feed *f, const char *name, struct err *e)
{
	return *name ||
	       err_set(e, ERR_INPUT,
		       "%s: the reference set has no name (use --name)",
		       feed_label(f));
}

static bool import_attempt(struct wire *w, const char *url, struct feed *f,
	struct attempt *a, struct set_answer *out, struct err *e)
{
	struct buf body;
	bool ok = false;
	buf_init(&body, WIRE_ANSWER_MAX);
	if (wire_post(w, url, f, NULL, NULL, a, &body, e)) {
		if (a->status == 200 || a->status == 201)
			ok = answer_set(body.at, body.len, out, e);
		else
			answer_error(a->status, body.at, body.len, e);
	}
	buf_release(&body);
	return ok;
}

/* Sends a catalog; tries again if that may help. */
static bool import_send(struct wire *w, const struct options *o,
	struct meter *m, struct feed *f, const char *url,
	struct set_answer *out, struct err *e)
{
	struct retry p = { .meter = m,
		.label = feed_label(f),
		.most = o->retries };
	for (;;) {
		struct err why = { 0 };
		struct attempt a = { .end = ATTEMPT_HOPELESS };
		if (import_attempt(w, url, f, &a, out, &why))
			return true;
		if (!retry_wait(&p, &a, &why))
			return err_set(e, why.code, "%s: %s", feed_label(f),
				why.text);
		if (!feed_restart(f, e))
			return false;
	}
}

static bool import_import(struct wire *w, const struct options *o,
	struct meter *m, const char *path, struct err *e)
{
	char name[400];
	struct set_answer set = { 0 };
	struct buf url;
	struct feed *f = feed_new(path, PACK_NONE, e);
	if (!f)
		return false;
	import_set_name(name, sizeof name, o, feed_base_name(f));
	buf_init(&url, ADDRESS_MAX);
	address_named(&url, o->server, "/api/v1/reference-sets?name=", name);
	bool ok = import_plain(f, e) && import_named(f, name, e) &&
		  import_send(w, o, m, f, url.at, &set, e);
	meter_clear(m);
	buf_release(&url);
	if (ok) {
		buf_init(&url, ADDRESS_MAX);
		address_named(&url, o->server,
			"/importance?reference_set=", set.name);
		printf("set %s: %" PRId64 " operators, %" PRId64
		       " shapes, %s\n",
			set.name, set.operators, set.shapes, url.at);
		if (set.existing)
			meter_say(m, "%s: already exists", feed_label(f));
		buf_release(&url);
	}
	feed_free(f);
	return ok;
}

int cmd_import(const struct options *o)
{
	int status = EXIT_OK;
	struct err e = { 0 };
	struct meter m;
	meter_init(&m);
	struct wire *w = wire_new(o, &e);
	if (!w) {
		meter_say(&m, "kernsift: %s", e.text);
		return commands_usage_status(&e);
	}
	for (int i = 0; i < o->files.n; i++) {
		struct err why = { 0 };
		if (!import_import(w, o, &m, o->files.at[i], &why)) {
			meter_say(&m, "kernsift: %s", why.text);
			status = commands_first(status, &why);
		}
	}
	wire_free(w);
	if (!commands_flush(&e)) {
		meter_say(&m, "kernsift: %s", e.text);
		status = commands_first(status, &e);
	}
	return status;
}
