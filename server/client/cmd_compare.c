/* cmd_compare.c - one question, tried again where the server is busy. */
#include "cmd_compare.h"
#include "address.h"
#include "answer.h"
#include "changes.h"
#include "cmd_upload.h"
#include "patience.h"
#include "wire.h"

enum { COMPARISON_MAX = 256 << 20 };

static bool refused(const struct attempt *a)
{
	return a->end == ATTEMPT_ANSWERED && a->status >= 400 &&
	       a->status < 500;
}

/* The answer's bytes, tried again where that may help. */
static bool ask(struct wire *w, const struct options *o, const char *url,
	struct meter *m, struct attempt *a, struct buf *body, struct err *e)
{
	struct patience p = { .meter = m,
		.label = "compare",
		.most = options_retries(o) };
	for (;;) {
		struct err why = { 0 };
		buf_init(body, COMPARISON_MAX);
		if (wire_get(w, url, NULL, a, body, &why) && a->status == 200)
			return true;
		if (a->end == ATTEMPT_ANSWERED)
			answer_error(a->status, body->at, body->len, &why);
		buf_release(body);
		if (!patience_wait(&p, a, &why))
			return err_set(e, why.code, "%s", why.text);
	}
}

static bool print(const struct buf *body, bool text, struct err *e)
{
	struct changes c;
	if (!text) {
		fwrite(body->at, 1, body->len, stdout);
	} else {
		if (!changes_init(&c, body->at, body->len, e))
			return false;
		changes_print(&c, stdout);
		changes_release(&c);
	}
	return (fflush(stdout) == 0 && !ferror(stdout)) ||
	       err_set(e, ERR_INPUT, "cannot write to standard output");
}

int cmd_compare(const struct options *o)
{
	bool text = !strcmp(o->format, "text") && !strcmp(o->score, "verdict");
	struct attempt a = { 0 };
	struct err e = { 0 };
	struct buf url, body;
	struct meter m;
	meter_init(&m);
	struct wire *w = wire_new(o, &e);
	if (!w) {
		meter_say(&m, "kernsift: %s", e.text);
		return EXIT_USAGE;
	}
	buf_init(&url, ADDRESS_MAX);
	/* the published score is told to people by its report */
	address_compare(&url, o,
		text			    ? "json"
		: strcmp(o->format, "text") ? o->format
					    : "md");
	bool ok = ask(w, o, url.at, &m, &a, &body, &e);
	if (ok) {
		ok = print(&body, text, &e);
		buf_release(&body);
	}
	meter_clear(&m);
	if (!ok)
		meter_say(&m, "kernsift: %s", e.text);
	buf_release(&url);
	wire_free(w);
	return ok ? EXIT_OK : refused(&a) ? EXIT_USAGE : EXIT_FAILED;
}
