/* cmd_gate.c - a question, its answer, and the answer's renderings. */
#include "commands.h"
#include "address.h"
#include "ask.h"
#include "gate_asked.h"
#include "gate_told.h"
#include "report_file.h"

enum {
	GATE_MAX = 16 << 20, /* of an answer */

};

enum { SUMMARY, JUNIT, BADGE, JSON, REPORTS };

/* As the API names them. */
static const char *const formats[REPORTS] = { [SUMMARY] = "md",
	[JUNIT] = "junit",
	[BADGE] = "svg",
	[JSON] = "json" };

struct gating {
	const struct options *o;
	struct wire *wire;
	struct meter meter;
	struct report_file reports[REPORTS];
};

static bool gating_init(struct gating *g, struct err *e)
{
	const char *paths[REPORTS] = { g->o->summary, g->o->junit, g->o->badge,
		g->o->json };
	bool ok = true;
	for (int i = 0; i < REPORTS; i++)
		ok = report_file_init(&g->reports[i], paths[i], e) && ok;
	return ok && (g->wire = wire_new(g->o, e)) != NULL;
}

static void gating_release(struct gating *g)
{
	for (int i = 0; i < REPORTS; i++)
		report_file_release(&g->reports[i]);
	wire_free(g->wire);
}

static bool question(struct gating *g, const char *url, const char *json,
	struct buf *body, struct err *e)
{
	struct attempt a = { 0 };
	struct question q = { url, json, "gate", GATE_MAX };
	bool ok = ask(g->wire, g->o, &q, &g->meter, &a, body, e);
	meter_clear(&g->meter);
	return ok;
}

/* The new gate's JSON. The request is complete before a file is opened. */
static bool gate_made(struct gating *g, struct buf *body, struct err *e)
{
	struct buf url, json;
	buf_init(&url, ADDRESS_MAX);
	buf_init(&json, GATE_ASKED_MAX);
	address_gates(&url, g->o->server);
	bool ok = gate_asked(&json, g->o, e) && gating_init(g, e) &&
		  question(g, url.at, json.at, body, e);
	buf_release(&json);
	buf_release(&url);
	return ok;
}

/* A gate that was made, in another format. */
static bool rendered(struct gating *g, int64_t id, const char *format,
	struct buf *body, struct err *e)
{
	struct buf url;
	buf_init(&url, ADDRESS_MAX);
	address_gate(&url, g->o->server, id, format);
	bool ok = question(g, url.at, NULL, body, e);
	buf_release(&url);
	return ok;
}

static bool write_report(struct gating *g, int which, int64_t id,
	const struct buf *made, struct err *e)
{
	struct buf body;
	if (!report_file_wanted(&g->reports[which]))
		return true;
	if (which == JSON)
		return report_file_commit(&g->reports[which], made->at,
			made->len, e);
	if (!rendered(g, id, formats[which], &body, e))
		return false;
	bool ok = report_file_commit(&g->reports[which], body.at, body.len, e);
	buf_release(&body);
	return ok;
}

static bool wants_annotations(const struct options *o)
{
	const char *actions = getenv("GITHUB_ACTIONS");
	return *o->annotations ? strcmp(o->annotations, "github") == 0
			       : actions && strcmp(actions, "true") == 0;
}

static bool print_annotations(struct gating *g, int64_t id, struct err *e)
{
	struct buf body;
	if (!wants_annotations(g->o))
		return true;
	if (!rendered(g, id, "github", &body, e))
		return false;
	fwrite(body.at, 1, body.len, stdout);
	buf_release(&body);
	return true;
}

/* Everything that was asked for is tried, whatever became of the rest. */
static bool tell(struct gating *g, const struct gate_told *told,
	const struct buf *made, struct err *e)
{
	gate_told_print(told, g->o->server, stdout);
	bool ok = print_annotations(g, told->id, e);
	if (fflush(stdout) || ferror(stdout))
		ok = err_set(e, ERR_INPUT, "cannot write to standard output");
	for (int i = 0; i < REPORTS; i++)
		ok = write_report(g, i, told->id, made, e) && ok;
	return ok;
}

static int status_of(const struct options *o, enum gate_told_outcome outcome)
{
	return outcome == GATE_TOLD_UNDECIDED && o->undecided_passes
		       ? (int)GATE_TOLD_PASS
		       : (int)outcome;
}

int cmd_gate(const struct options *o)
{
	struct gating g = { .o = o };
	for (int i = 0; i < REPORTS; i++)
		g.reports[i].fd = -1;
	struct gate_told told;
	struct err e = { 0 };
	struct buf made;
	int status = EXIT_BAD_DATA;
	meter_init(&g.meter);
	bool ok = gate_made(&g, &made, &e);
	if (ok) {
		ok = gate_told_init(&told, made.at, made.len, &e);
		if (ok) {
			ok = tell(&g, &told, &made, &e);
			if (ok)
				status = status_of(o, told.outcome);
			gate_told_release(&told);
		}
		buf_release(&made);
	}
	if (!ok)
		meter_say(&g.meter, "kernsift: %s", e.text);
	gating_release(&g);
	return status;
}
