/* gates.c - gates: asked, listed, told in other forms, dropped. */
#include "api_state.h"
#include "request_body.h"
#include "catalog_params.h"
#include "cursor.h"
#include "gate_evaluation.h"
#include "gate_question.h"
#include "gate_text.h"
#include "concurrency_limit.h"
#include "audit_record.h"
#include "view_gate.h"
#include <string.h>

enum { RENDERED_BYTES = 64 << 20 };

/* ---- asked */

static const char *event_body(void *ctx, const struct gate_row *row)
{
	struct arena *a = ctx;
	json_t *v = view_gate_event(row);
	char *text = json_dumps(v, JSON_COMPACT);
	json_decref(v);
	if (!text)
		abort(); /* it was stored as JSON a moment ago */
	const char *copy = arena_strdup(a, text);
	free(text);
	return copy;
}

static bool question_read(struct call *c, struct gate_question *q,
	struct err *e)
{
	json_t *body = body_read(c, gate_question_keys(&c->s.arena), e);
	bool ok = body && gate_question_read(&c->s.arena, body, q, e);
	json_decref(body);
	return ok;
}

/* The gate as a row without its id; the arena's. */
static bool row_from(struct call *c, const struct gate_question *q,
	const struct selected *base, const struct selected *head,
	const struct gate_made *is, struct gate_row *row, struct err *e)
{
	json_t *v = view_gate_document(&c->s.arena, q, base, head, &is->sides,
		&is->gate);
	char *text = json_dumps(v, JSON_COMPACT);
	json_decref(v);
	if (!text)
		return err_set(e, ERR_INTERNAL, "the gate cannot be written");
	*row = (struct gate_row){ .who = c->s.who.name,
		.project = is->sides.head[0].project,
		.workload = is->sides.head[0].workload,
		.name = q->name,
		.outcome = gate_outcome_word(is->gate.outcome),
		.document = arena_strdup(&c->s.arena, text) };
	free(text);
	return true;
}

json_t *gate_post(struct call *c, struct err *e)
{
	const struct gate_telling t = { event_body, &c->s.arena };
	struct selected base, head;
	struct gate_question q;
	struct gate_made is;
	struct gate_row row;
	if (!question_read(c, &q, e) || !heavy_take(c, e) ||
		!selector_sides(&c->s, q.base, q.head,
			gate_given_words(&c->s.arena, &q), &base, &head, e) ||
		!gate_made(&c->s, &q, &base, &head, &is, e) ||
		!row_from(c, &q, &base, &head, &is, &row, e))
		return NULL;
	bool passed = !strcmp(row.outcome, gate_outcome_word(GATE_PASS));
	if (!call_db(c, e) || !gate_keep(c->s.db, &row, passed ? NULL : &t, e))
		return NULL;
	metrics_gate(&c->api->metrics, row.outcome);
	trail_tell(c, row.project, "gate %lld: %s", (long long)row.id,
		row.outcome);
	snprintf(c->location, sizeof c->location, "/api/v1/gates/%lld",
		(long long)row.id);
	return view_gate(&row);
}

/* ---- listed */

static void filter_read(const struct call *c, struct gate_filter *f)
{
	const struct params *ps = &c->params;
	f->project = param_text(ps, "project", NULL);
	f->workload = param_text(ps, "workload", NULL);
	f->name = param_text(ps, "name", NULL);
	f->labels = ps->labels;
}

json_t *gates_get(struct call *c, struct err *e)
{
	struct gate_filter f = { .outcome = param_text(&c->params, "outcome",
					 NULL),
		.since = asked_moment(c, "since"),
		.until = asked_moment(c, "until"),
		.limit = (int)param(&c->params, "limit")->whole };
	struct gate_row *rows;
	char next[CURSOR_TEXT];
	int64_t unused;
	uint32_t n;
	bool more;
	filter_read(c, &f);
	if (!cursor_read(c, &f.after, &unused, e) || !call_db(c, e) ||
		!gate_list(c->s.db, &c->s.arena, &f, &rows, &n, &more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_gate(&rows[i]));
	if (more)
		cursor_write(c, rows[n - 1].id, 0, next);
	return view_list(items, more ? next : NULL);
}

/* ---- one, in other forms */

static json_t *as_text(struct call *c, struct buf *b, const char *type,
	struct err *e)
{
	if (b->full) {
		buf_release(b);
		err_set(e, ERR_TOO_LARGE, "the gate is larger than %d MiB",
			RENDERED_BYTES >> 20);
		return NULL;
	}
	c->text = buf_take(b, &c->text_len);
	c->text_type = type;
	return NULL;
}

/* What follows "http://" or "https://"; NULL where neither is before it. */
static const char *past_scheme(const char *s)
{
	size_t n = !strncmp(s, "http://", 7)	? 7
		   : !strncmp(s, "https://", 8) ? 8
						: 0;
	return n ? s + n : NULL;
}

/* Without the slash at its end; NULL where none is given. */
static bool site_read(struct call *c, const char **site, struct err *e)
{
	static const char bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789.:/_~%-[]";
	const char *s = param_text(&c->params, "site", NULL);
	*site = NULL;
	if (!s)
		return true;
	size_t len = strlen(s);
	const char *host = past_scheme(s);
	if (!host || strchr("/:", *host) || strspn(s, bytes) != len)
		return err_set(e, ERR_INPUT,
			"site: '%.100s' is not where a page is, such as "
			"https://kernsift.example",
			s);
	while (s[len - 1] == '/')
		len--;
	*site = arena_strndup(&c->s.arena, s, len);
	return true;
}

static json_t *rendered(struct call *c, const json_t *gate, struct err *e)
{
	/* as routes.def lists them */
	enum { JSON, MD, JUNIT, GITHUB, SVG };
	static const char *const types[] = {
		[MD] = "text/markdown; charset=utf-8",
		[JUNIT] = "application/xml",
		[GITHUB] = "text/plain; charset=utf-8",
		[SVG] = "image/svg+xml",
	};
	int64_t format = param(&c->params, "format")->whole;
	const char *site;
	struct buf b;
	if (!site_read(c, &site, e))
		return NULL;
	buf_init(&b, RENDERED_BYTES);
	if (format == MD)
		gate_text_md(gate, site, &b);
	else if (format == JUNIT)
		gate_text_junit(gate, site, &b);
	else if (format == GITHUB)
		gate_text_github(gate, site, &b);
	else
		gate_text_svg("gate",
			json_string_value(json_object_get(gate, "outcome")),
			&b);
	return as_text(c, &b, types[format], e);
}

json_t *gate_get(struct call *c, struct err *e)
{
	struct gate_row row;
	if (!call_db(c, e) || !gate_read(c->s.db, &c->s.arena, c->id, &row, e))
		return NULL;
	json_t *gate = view_gate(&row);
	if (!param(&c->params, "format")->whole)
		return gate;
	rendered(c, gate, e);
	json_decref(gate);
	return NULL;
}

json_t *gate_delete(struct call *c, struct err *e)
{
	if (call_db(c, e))
		gate_drop(c->s.db, c->id, e);
	return NULL;
}

json_t *badge_get(struct call *c, struct err *e)
{
	struct gate_filter f = { .since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = 1 };
	struct gate_row *rows;
	struct buf b;
	uint32_t n;
	bool more;
	filter_read(c, &f);
	if (!call_db(c, e) ||
		!gate_list(c->s.db, &c->s.arena, &f, &rows, &n, &more, e))
		return NULL;
	buf_init(&b, RENDERED_BYTES);
	gate_text_svg(f.name ? f.name : "gate", n ? rows[0].outcome : NULL, &b);
	return as_text(c, &b, "image/svg+xml", e);
}
