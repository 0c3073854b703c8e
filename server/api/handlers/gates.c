/* gates.c - evaluates, lists, exports and deletes gates; returns the badge. */
#include "gate_result.h"
#include "listing.h"
#include "api_state.h"
#include "audit_record.h"
#include "compare.h"
#include "comparison_word.h"
#include "concurrency_limit.h"
#include "gate_evaluation.h"
#include "regression_gate.h"
#include "request_body.h"
#include "sha256.h"
#include "view_gate.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- the request: reads each member and checks its range */

enum { LIMITS_MAX = 100, NAME_BYTES = 200 };

enum kind {
	GATES_TEXT, /* `most`: bytes */
	GATES_LIMIT, /* null is NaN */
	GATES_FLOOR, /* null is NaN */
	GATES_REAL,
	GATES_COUNT,
	GATES_SEED,
	GATES_CLASSES,
	GATES_FINDINGS,
	GATES_OPERATORS,
	GATES_MEASURES
};

static const struct gates_member {
	const char *name;
	enum kind kind;
	size_t at;
	double min, most;
} members[] = {
#define TEXT(field, bytes) \
	{ #field, GATES_TEXT, offsetof(struct gate_request, field), 0, bytes },
#define POLICY(kind, field, value, def, min, max, ...)                       \
	{ #field, GATES_##kind, offsetof(struct gate_request, policy.field), \
		min, max },
	TEXT(base, 2000) TEXT(head, 2000) TEXT(project, NAME_BYTES)
		TEXT(workload, NAME_BYTES) TEXT(name, NAME_BYTES) TEXT(anchor,
			2000) TEXT(unit, NAME_BYTES) TEXT(range, 500)
#include "gate_policy.def"
#undef POLICY
#undef TEXT
};
enum { MEMBERS = sizeof members / sizeof *members };

/* The classes on which a gate may fail; the other classes are no changes, or too
 * small to act on. */
static bool gates_request_fails(enum change_class is)
{
	return is <= CHANGE_LIKELY;
}

static const char *gates_request_keys(struct arena *a)
{
	const char *keys = members[0].name;
	for (int i = 1; i < MEMBERS; i++)
		keys = arena_printf(a, "%s|%s", keys, members[i].name);
	return keys;
}

static bool gates_request_text_from(struct arena *a, const char *name,
	const json_t *v, double most, const char **to, struct err *e)
{
	const char *s = json_string_value(v);
	if (json_is_null(v))
		return true;
	if (!s || json_string_length(v) > (size_t)most)
		return err_set(e, ERR_INPUT,
			"%s: is not text of at most %.0f bytes", name, most);
	if (*s || !strcmp(name, "name"))
		*to = arena_strdup(a, s);
	return true;
}

static bool gates_request_real_from(const char *name, const json_t *v,
	double min, double most, double *to, struct err *e)
{
	double x = json_number_value(v);
	if (!json_is_number(v) || !isfinite(x) || x < min || x > most)
		return err_set(e, ERR_INPUT,
			"%s: is not a number from %g to %g", name, min, most);
	*to = x;
	return true;
}

static bool gates_request_whole_from(const char *name, const json_t *v,
	const struct gates_member *m, json_int_t *to, struct err *e)
{
	json_int_t x = json_integer_value(v);
	if (!json_is_integer(v) || x < (json_int_t)m->min ||
		x > (json_int_t)m->most)
		return err_set(e, ERR_INPUT,
			"%s: is not a whole number from %.0f to %.0f", name,
			m->min, m->most);
	*to = x;
	return true;
}

static int gates_request_class_of(const char *word)
{
	for (int i = 0; i < CHANGE_CLASSES; i++)
		if (gates_request_fails((enum change_class)i) &&
			!strcmp(word, comparison_word_class[i]))
			return i;
	return -1;
}

static int gates_request_finding_of(const char *word)
{
	for (int i = 0; i < FINDING_CODES; i++)
		if (!strcmp(word, finding_name((enum finding_code)i)))
			return i;
	return -1;
}

static bool gates_request_words_from(const char *name, const json_t *v,
	int (*of)(const char *word), const char *what, uint64_t *to,
	struct err *e)
{
	size_t i;
	const json_t *each;
	if (!json_is_array(v))
		return err_set(e, ERR_INPUT, "%s: is not a list of %s", name,
			what);
	*to = 0;
	json_array_foreach((json_t *)v, i, each)
	{
		const char *word = json_string_value(each);
		int bit = word ? of(word) : -1;
		if (bit < 0)
			return err_set(e, ERR_INPUT,
				"%s: entry %zu, '%.60s', is not one of %s",
				name, i, word ? word : "", what);
		*to |= UINT64_C(1) << bit;
	}
	return true;
}

/* Limits of operators or of measures: `key` is "operator" or "measure". */
struct gates_limits {
	struct arena *arena;
	const struct gates_member *member;
	const char *key;
	struct gate_limit *list;
	uint32_t n;
};

static bool gates_request_limit_from(struct gates_limits *to, const json_t *v,
	struct err *e)
{
	struct gate_limit *limit = &to->list[to->n];
	const char *name = json_string_value(json_object_get(v, to->key));
	const json_t *pct = json_object_get(v, "pct");
	char where[64];
	if (!name || !*name || strlen(name) > NAME_BYTES || !pct ||
		json_object_size(v) != 2)
		return err_set(e, ERR_INPUT,
			"%s: entry %u is not an object with %s, "
			"a name of at most %d bytes, and pct",
			to->member->name, to->n, to->key, NAME_BYTES);
	for (uint32_t k = 0; k < to->n; k++)
		if (!strcmp(to->list[k].of, name))
			return err_set(e, ERR_INPUT,
				"%s: '%.100s' has two limits", to->member->name,
				name);
	snprintf(where, sizeof where, "%s: entry %u: pct", to->member->name,
		to->n++);
	limit->of = arena_strdup(to->arena, name);
	return gates_request_real_from(where, pct, to->member->min,
		to->member->most, &limit->pct, e);
}

static bool gates_request_limits_from(struct gates_limits *to, const json_t *v,
	struct err *e)
{
	size_t i;
	json_t *each;
	if (!json_is_array(v) || json_array_size(v) > LIMITS_MAX)
		return err_set(e, ERR_INPUT,
			"%s: is not a list of at most %d limits",
			to->member->name, LIMITS_MAX);
	to->list =
		arena_array(to->arena, struct gate_limit, json_array_size(v));
	json_array_foreach((json_t *)v, i, each)
	{
		if (!gates_request_limit_from(to, each, e))
			return false;
	}
	return true;
}

static bool gates_request_member_from(struct arena *a,
	const struct gates_member *m, const json_t *v, struct gate_request *q,
	struct err *e)
{
	void *to = (char *)q + m->at;
	struct gates_limits limits = { .arena = a, .member = m };
	uint64_t bits = 0;
	json_int_t whole = 0;
	switch (m->kind) {
	case GATES_TEXT:
		return gates_request_text_from(a, m->name, v, m->most, to, e);
	case GATES_LIMIT:
	case GATES_FLOOR:
		if (json_is_null(v)) {
			*(double *)to = (double)NAN;
			return true;
		}
		return gates_request_real_from(m->name, v, m->min, m->most, to,
			e);
	case GATES_REAL:
		return gates_request_real_from(m->name, v, m->min, m->most, to,
			e);
	case GATES_COUNT:
		if (!gates_request_whole_from(m->name, v, m, &whole, e))
			return false;
		*(uint32_t *)to = (uint32_t)whole;
		return true;
	case GATES_SEED:
		if (!gates_request_whole_from(m->name, v, m, &whole, e))
			return false;
		*(uint64_t *)to = (uint64_t)whole;
		return true;
	case GATES_CLASSES:
		if (!gates_request_words_from(m->name, v,
			    gates_request_class_of,
			    "regressed, appeared, improved, vanished, likely",
			    &bits, e))
			return false;
		q->policy.fail_on = (uint32_t)bits;
		return true;
	case GATES_FINDINGS:
		return gates_request_words_from(m->name, v,
			gates_request_finding_of,
			"the codes of /compare's findings", to, e);
	case GATES_OPERATORS:
		limits.key = "operator";
		if (!gates_request_limits_from(&limits, v, e))
			return false;
		q->policy.operators = limits.list;
		q->policy.operators_n = limits.n;
		return true;
	case GATES_MEASURES:
		limits.key = "measure";
		if (!gates_request_limits_from(&limits, v, e))
			return false;
		q->policy.measures = limits.list;
		q->policy.measures_n = limits.n;
		return true;
	}
	return true;
}

/* Earlier runs are not read again with the request's iterations, so an anchor would
 * not be used. */
static bool gates_request_consistent(const struct gate_request *q,
	struct err *e)
{
	return !q->range || !q->anchor ||
	       err_set(e, ERR_INPUT,
		       "anchor: cannot be used with range, because earlier runs "
		       "are not read again (omit one of them)");
}

static bool gates_request_from(struct arena *a, const json_t *body,
	struct gate_request *q, struct err *e)
{
	*q = (struct gate_request){ .name = "", .unit = GATE_UNIT };
	regression_gate_policy_init(&q->policy);
	for (int i = 0; i < MEMBERS; i++) {
		const json_t *v = json_object_get(body, members[i].name);
		if (v && !gates_request_member_from(a, &members[i], v, q, e))
			return false;
	}
	return gates_request_consistent(q, e);
}

enum { RENDERED_BYTES = 64 << 20 };

/* ---- evaluates a gate */

static const char *gates_event_body(void *ctx, const struct gate_row *row)
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

static bool gates_request_read(struct call *c, struct gate_request *q,
	struct err *e)
{
	json_t *body = request_body_read(c, gates_request_keys(&c->s.arena), e);
	bool ok = body && gates_request_from(&c->s.arena, body, q, e);
	json_decref(body);
	return ok;
}

static void gates_hash_side(struct sha256 *s, const struct run_selection *side)
{
	sha256_add(s, &side->n, sizeof side->n);
	sha256_add(s, side->ids, side->n * sizeof *side->ids);
}

/* Two requests are the same gate if their rules, anchors and runs are. */
static bool gates_request_hash(const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	uint8_t hash[SHA256_BYTES], struct err *e)
{
	json_t *v = view_gate_policy(&q->policy, q->range, q->unit);
	char *rules = json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS);
	struct sha256 s;

	json_decref(v);
	if (!rules)
		return err_set(e, ERR_INTERNAL, "the rules cannot be written");
	sha256_init(&s);
	sha256_add(&s, rules, strlen(rules) + 1);
	free(rules);
	if (q->anchor)
		sha256_add(&s, q->anchor, strlen(q->anchor));
	gates_hash_side(&s, base);
	gates_hash_side(&s, head);
	sha256_end(&s, hash);
	return true;
}

/* The gate as a row without its id, in the arena. */
static bool gates_row_from(struct call *c, const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	const struct gate_evaluation *is, struct gate_row *row, struct err *e)
{
	json_t *v = view_gate_document(&c->s.arena, q, base, head, is);
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

json_t *gate_defaults_get(struct call *c, struct err *e)
{
	struct gate_policy p;
	(void)c;
	(void)e;
	regression_gate_policy_init(&p);
	return view_gate_policy(&p, NULL, GATE_UNIT);
}

json_t *gate_post(struct call *c, struct err *e)
{
	const struct gate_event t = { gates_event_body, &c->s.arena };
	struct run_selection base, head;
	struct gate_request q;
	struct gate_evaluation is;
	struct gate_row row;
	uint8_t hash[SHA256_BYTES];
	if (!gates_request_read(c, &q, e) || !concurrency_limit_enter(c, e) ||
		!run_selection_sides(&c->s, q.base, q.head,
			gate_evaluation_shared_words(&c->s.arena, &q), &base,
			&head, e) ||
		!gates_request_hash(&q, &base, &head, hash, e) ||
		!gate_evaluation_run(&c->s, &q, &base, &head, hash, &is, e) ||
		!gates_row_from(c, &q, &base, &head, &is, &row, e))
		return NULL;
	bool passed = is.gate.outcome == GATE_PASS;
	bool decides_nothing = is.gate.outcome == GATE_BAD_DATA;
	if (!call_db(c, e) ||
		(decides_nothing && !gate_result_number_free(c->s.db,
					    &is.budget, hash, e)) ||
		!gate_result_store(c->s.db, &row, passed ? NULL : &t, e))
		return NULL;
	metrics_gate(&c->api->metrics, row.outcome);
	audit_record_describe(c, row.project, "gate %lld: %s",
		(long long)row.id, row.outcome);
	snprintf(c->location, sizeof c->location, "/api/v1/gates/%lld",
		(long long)row.id);
	return view_gate(&row);
}

/* ---- lists gates */

static void gates_filter_read(const struct call *c, struct gate_filter *f)
{
	const struct params *ps = &c->params;
	f->project = param_text(ps, "project", NULL);
	f->workload = param_text(ps, "workload", NULL);
	f->name = param_text(ps, "name", NULL);
	f->labels = ps->labels;
}

json_t *gates_get(struct call *c, struct err *e)
{
	int64_t total = -1;
	struct gate_filter f = { .total = listing_is_counted(c) ? &total : NULL,
		.outcome = param_text(&c->params, "outcome", NULL),
		.since = param_moment(&c->params, "since"),
		.until = param_moment(&c->params, "until"),
		.limit = (int)param(&c->params, "limit")->whole };
	struct gate_row *rows;
	uint32_t n;
	bool more;
	gates_filter_read(c, &f);
	if (!listing_seek(c, &f.after, e) ||
		!gate_result_list(c->s.db, &c->s.arena, &f, &rows, &n, &more,
			e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_gate(&rows[i]));
		f.after = rows[i].id;
	}
	return listing_total(listing_list(c, items, f.after, more), total);
}

/* ---- returns one gate in other formats */

static json_t *gates_as_text(struct call *c, struct buf *b, const char *type,
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

static json_t *gates_rendered(struct call *c, const json_t *gate, struct err *e)
{
	/* in the order of routes.def */
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
	if (!listing_site(c, &site, e))
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
	return gates_as_text(c, &b, types[format], e);
}

json_t *gate_get(struct call *c, struct err *e)
{
	struct gate_row row;
	if (!call_db(c, e) ||
		!gate_result_get(c->s.db, &c->s.arena, c->id, &row, e))
		return NULL;
	json_t *gate = view_gate(&row);
	if (!param(&c->params, "format")->whole)
		return gate;
	gates_rendered(c, gate, e);
	json_decref(gate);
	return NULL;
}

json_t *gate_delete(struct call *c, struct err *e)
{
	if (call_db(c, e))
		gate_result_delete(c->s.db, c->id, e);
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
	gates_filter_read(c, &f);
	if (!call_db(c, e) || !gate_result_list(c->s.db, &c->s.arena, &f, &rows,
				      &n, &more, e))
		return NULL;
	buf_init(&b, RENDERED_BYTES);
	gate_text_svg(f.name ? f.name : "gate", n ? rows[0].outcome : NULL, &b);
	return gates_as_text(c, &b, "image/svg+xml", e);
}
