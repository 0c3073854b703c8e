/* cmd_health.c - `kernsift health`: sends one request without retries and waits
 * at most 5 s. */
#include "address.h"
#include "answer.h"
#include "commands.h"
#include "wire.h"
#include <signal.h>
#include <unistd.h>

enum { PATIENCE_S = 5 };

static void health_too_long(int sig)
{
	static const char text[] =
		"kernsift: the server did not answer in time\n";
	(void)sig;
	if (write(2, text, sizeof text - 1) < 0)
		_exit(EXIT_UNREACHABLE);
	_exit(EXIT_UNREACHABLE);
}

int cmd_health(const struct options *o)
{
	struct attempt a = { 0 };
	struct err e = { 0 };
	struct buf url, body;
	struct wire *w = wire_new(o, &e);
	if (!w) {
		fprintf(stderr, "kernsift: %s\n", e.text);
		return commands_usage_status(&e);
	}
	buf_init(&url, ADDRESS_MAX);
	buf_init(&body, WIRE_ANSWER_MAX);
	address_path(&url, o->server, "/readyz");
	signal(SIGALRM, health_too_long);
	alarm(PATIENCE_S);
	bool ok = wire_fetch(w, url.at, NULL, &a, &body, &e);
	alarm(0);
	if (ok && a.status != 200)
		ok = answer_error(a.status, body.at, body.len, &e);
	bool able = ok;
	if (ok && puts("ready") >= 0)
		ok = commands_flush(&e);
	if (!ok)
		fprintf(stderr, "kernsift: %s\n", e.text);
	buf_release(&body);
	buf_release(&url);
	wire_free(w);
	return able ? commands_status(&e) : EXIT_UNREACHABLE;
}
