/* cmd_compare.c - `kernsift compare`: sends one request and prints the answer,
 * as text or unchanged. */
#include "address.h"
#include "changes.h"
#include "commands.h"
#include "retry.h"

enum { COMPARISON_MAX = 256 << 20 };

static void compare_print_link(const struct options *o, const struct changes *c)
{
	struct buf url;

	buf_init(&url, ADDRESS_MAX);
	address_compare_page(&url, o, c->base.ids, c->head.ids);
	printf("%s\n", url.at);
	buf_release(&url);
}

static bool compare_print(const struct options *o, const struct buf *body,
	bool text, struct err *e)
{
	struct changes c;
	struct terminal t;
	if (!text) {
		fwrite(body->at, 1, body->len, stdout);
	} else {
		if (!changes_init(&c, body->at, body->len, e))
			return false;
		terminal_init(&t, o->color);
		changes_print(&c, &t);
		compare_print_link(o, &c);
		changes_release(&c);
	}
	return commands_flush(e);
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
		return commands_usage_status(&e);
	}
	buf_init(&url, ADDRESS_MAX);
	/* for the published score, the text format is the report */
	address_compare(&url, o,
		text			    ? "json"
		: strcmp(o->format, "text") ? o->format
					    : "md");
	struct retry_request q = { .url = url.at,
		.label = "compare",
		.most = COMPARISON_MAX };
	bool ok = retry_send(w, o, &q, &m, &a, &body, &e);
	if (ok) {
		ok = compare_print(o, &body, text, &e);
		buf_release(&body);
	}
	meter_clear(&m);
	if (!ok)
		meter_say(&m, "kernsift: %s", e.text);
	buf_release(&url);
	wire_free(w);
	return commands_usage_status(&e);
}
