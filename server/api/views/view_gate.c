/* view_gate.c - the fields of a gate as JSON. */
#include "view_gate.h"
#include "comparison_word.h"
#include <math.h>
#include <string.h>

static const char *const kinds[] = {
	[GATE_ITERATION] = "iteration",
	[GATE_OPERATOR] = "operator",
	[GATE_HEADROOM] = "headroom",
	[GATE_BUSBW] = "busbw",
	[GATE_MEASURE] = "measure",
	[GATE_ANCHOR] = "anchor",
	[GATE_FUNCTIONS] = "function",
};

/* The labels whose values are equal in all runs. */
static json_t *view_gate_labels(const struct compared_run *runs, uint32_t n)
{
	json_t *shared = view_labels(n ? runs[0].labels : NULL), *each;
	const char *key;
	void *next;
	for (uint32_t i = 1; i < n; i++) {
		json_t *own = view_labels(runs[i].labels);
		json_object_foreach_safe(shared, next, key, each)
		{
			if (!json_equal(each, json_object_get(own, key)))
				json_object_del(shared, key);
		}
		json_decref(own);
	}
	return shared;
}

static json_t *view_gate_side(const struct run_selection *is,
	const struct compared_run *runs, const struct comparison_side *s)
{
	json_t *ids = json_array();
	for (uint32_t i = 0; i < is->n; i++)
		view_append(ids, view_whole(is->ids[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "query", is->query,
		"runs", ids, "units", view_whole(s->units), "iterations",
		view_whole(s->iterations), "labels",
		view_gate_labels(runs, is->n));
}

static json_t *view_gate_rule(const struct gate_rule *r)
{
	json_t *v = json_pack("{s:s, s:o, s:o, s:s}", "rule", kinds[r->kind],
		"of", view_text(r->of), "device", view_text(r->device),
		"outcome", gate_outcome_word(r->outcome));
	view_set_real(v, "base_ns", r->base_ns);
	view_set_real(v, "head_ns", r->head_ns);
	view_set_real(v, "base_gb_s", r->base_gb_s);
	view_set_real(v, "head_gb_s", r->head_gb_s);
	view_set_real(v, "base_value", r->base_value);
	view_set_real(v, "head_value", r->head_value);
	view_set_text(v, "unit", r->unit);
	json_object_set_new(v, "fall", json_boolean(r->fall));
	view_set_real(v, "limit_pct", r->limit_pct);
	view_set_real(v, "change_pct", r->change_pct);
	view_set_real(v, "low_pct", r->low_pct);
	view_set_real(v, "high_pct", r->high_pct);
	view_set_real(v, "iteration_limit_pct", r->iteration_limit_pct);
	view_set_real(v, "iteration_change_pct", r->iteration_change_pct);
	view_set_real(v, "iteration_low_pct", r->iteration_low_pct);
	view_set_real(v, "iteration_high_pct", r->iteration_high_pct);
	view_set_real(v, "p", r->p);
	view_set_real(v, "p_family", r->p_family);
	view_set_real(v, "alpha", r->alpha);
	view_set_real(v, "noise_floor", r->floor);
	view_set_whole(v, "earlier_units", r->earlier_units);
	view_set_whole(v, "since_run", r->since_run ? r->since_run : -1);
	json_object_set_new(v, "runs_needed", json_integer(r->runs_needed));
	view_set_text(v, "summary", r->sentence);
	return v;
}

static void view_gate_rules(json_t *v, const struct gate *g)
{
	json_t *list = json_array();
	int64_t left_out = 0;
	for (uint32_t i = 0; i < g->rules_n; i++) {
		const struct gate_rule *r = &g->rules[i];
		if (r->kind == GATE_FUNCTIONS && r->outcome == GATE_PASS)
			continue;
		if (json_array_size(list) < GATE_RULES)
			view_append(list, view_gate_rule(r));
		else
			left_out++;
	}
	json_object_set_new(v, "rules", list);
	view_set_whole(v, "rules_excluded", left_out);
}

static json_t *view_gate_shortfalls(const struct gate *g)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < g->shortfalls_n; i++)
		view_append(list,
			json_pack("{s:s, s:s}", "code", g->shortfalls[i].what,
				"message", g->shortfalls[i].sentence));
	return list;
}

static json_t *view_gate_findings(const struct comparison *c)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->findings_n; i++) {
		const struct finding *f = &c->findings[i];
		view_append(list,
			json_pack("{s:s, s:s, s:s}", "code",
				finding_name(f->code), "severity",
				comparison_word_severity[finding_severity(
					f->code)],
				"message", f->text));
	}
	return list;
}

static const char *view_gate_ids(struct arena *a, const struct run_selection *s)
{
	const char *list = "";
	for (uint32_t i = 0; i < s->n; i++)
		list = arena_printf(a, "%s%s%lld", list, i ? "," : "",
			(long long)s->ids[i]);
	return list;
}

/* Percent-encodes all bytes except letters, digits and a few others. */
static const char *view_gate_encoded(struct arena *a, const char *s)
{
	static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz0123456789-._~";
	static const char hex[] = "0123456789ABCDEF";
	char *text = arena_alloc(a, 3 * strlen(s) + 1, 1), *to = text;
	for (; *s; s++) {
		if (strchr(kept, *s)) {
			*to++ = *s;
			continue;
		}
		*to++ = '%';
		*to++ = hex[(unsigned char)*s >> 4];
		*to++ = hex[(unsigned char)*s & 15];
	}
	return text;
}

/* The address of the page that compares exactly these runs. */
static const char *view_gate_compare(struct arena *a,
	const struct gate_request *q, const struct run_selection *base,
	const struct run_selection *head)
{
	const char *range = q->range ? arena_printf(a, "&range=%s",
					       view_gate_encoded(a, q->range))
				     : "";
	return arena_printf(a, "/compare?base=%s&head=%s%s",
		view_gate_ids(a, base), view_gate_ids(a, head), range);
}

static json_t *view_gate_limits(const char *key,
	const struct gate_limit *limits, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, json_pack("{s:s, s:f}", key, limits[i].of,
					  "pct", limits[i].pct));
	return list;
}

/* Lists the words of the bits that are set. */
static json_t *view_gate_classes(uint64_t bits)
{
	json_t *list = json_array();
	for (int i = 0; i < CHANGE_CLASSES; i++)
		if (bits >> i & 1)
			view_append(list,
				json_string(comparison_word_class[i]));
	return list;
}

static json_t *view_gate_codes(uint64_t bits)
{
	json_t *list = json_array();
	for (int i = 0; i < FINDING_CODES; i++)
		if (bits >> i & 1)
			view_append(list, json_string(finding_name(
						  (enum finding_code)i)));
	return list;
}

json_t *view_gate_policy(const struct gate_policy *p, const char *range,
	const char *unit)
{
	json_t *v = json_object();
#define VIEW_LIMIT(field) view_set_real(v, #field, p->field)
#define VIEW_REAL(field) VIEW_LIMIT(field)
#define VIEW_FLOOR(field) VIEW_LIMIT(field)
#define VIEW_COUNT(field) view_set_whole(v, #field, (int64_t)p->field)
#define VIEW_SEED(field) VIEW_COUNT(field)
#define VIEW_LIST(field, list) json_object_set_new(v, #field, list)
#define VIEW_CLASSES(field) VIEW_LIST(field, view_gate_classes(p->field))
#define VIEW_FINDINGS(field) VIEW_LIST(field, view_gate_codes(p->field))
#define VIEW_LIMITS(field, key) \
	VIEW_LIST(field, view_gate_limits(key, p->field, p->field##_n))
#define VIEW_OPERATORS(field) VIEW_LIMITS(field, "operator")
#define VIEW_MEASURES(field) VIEW_LIMITS(field, "measure")
#define POLICY(kind, field, ...) VIEW_##kind(field);
#include "gate_policy.def"
#undef POLICY
	view_set_text(v, "range", range);
	view_set_text(v, "unit", unit);
	return v;
}

static json_t *view_gate_anchor(const struct gate_anchor *is)
{
	json_t *runs = json_array();
	bool there = !is->reason;

	for (uint32_t i = 0; there && i < is->units_n; i++)
		view_append(runs, view_whole(is->units[i]->run));
	json_t *v = json_pack("{s:o, s:o, s:o, s:o}", "query",
		view_text(is->query), "runs", runs, "since",
		there ? view_moment(is->since) : json_null(), "until",
		there ? view_moment(is->until) : json_null());
	view_set_whole(v, "units", there ? (int64_t)is->units_n : -1);
	view_set_whole(v, "commits",
		there && is->commits ? (int64_t)is->commits : -1);
	view_set_whole(v, "levels", there ? (int64_t)is->levels : -1);
	view_set_whole(v, "excluded_runs", is->excluded);
	view_set_real(v, "median_ns", is->median_ns);
	view_set_text(v, "reason", is->reason);
	return v;
}

/* How much of alpha this gate got, and why. */
static json_t *view_gate_budget(struct arena *a, const struct gate_request *q,
	const struct gate_evaluation *is)
{
	const struct gate_budget *t = &is->budget;
	json_t *v = json_pack("{s:o, s:f}", "commit", view_text(t->commit),
		"alpha", is->alpha);
	view_set_whole(v, "gate", t->number ? (int64_t)t->number : -1);
	view_set_whole(v, "gates", t->number ? (int64_t)t->gates : -1);
	view_set_text(v, "reason",
		t->number
			? NULL
			: arena_printf(a,
				  "the head's runs have no label '%.100s' in "
				  "common, so this gate counts as the only one "
				  "and has all of alpha",
				  q->unit));
	return v;
}

json_t *view_gate_document(struct arena *a, const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	const struct gate_evaluation *is)
{
	const struct compare_sides *sides = &is->sides;
	const struct gate *g = &is->gate;
	const struct comparison *c = &g->compared;
	json_t *v = json_pack("{s:i, s:s, s:i}", "exit_status", (int)g->outcome,
		"summary", g->sentence, "runs_needed", (int)g->runs_needed);
	json_object_set_new(v, "base",
		view_gate_side(base, sides->base, &c->base));
	json_object_set_new(v, "head",
		view_gate_side(head, sides->head, &c->head));
	json_object_set_new(v, "policy",
		view_gate_policy(&q->policy, q->range, q->unit));
	json_object_set_new(v, "given",
		json_pack("{s:o, s:o}", "project", view_text(q->project),
			"workload", view_text(q->workload)));
	json_object_set_new(v, "budget", view_gate_budget(a, q, is));
	json_object_set_new(v, "anchor", view_gate_anchor(&g->anchor));
	view_gate_rules(v, g);
	json_object_set_new(v, "data_problems", view_gate_shortfalls(g));
	json_object_set_new(v, "findings", view_gate_findings(c));
	json_object_set_new(v, "noise_prior", view_noise_prior(&c->noise));
	view_set_text(v, "compare", view_gate_compare(a, q, base, head));
	return v;
}

/* Sets the fields that are missing to null. */
static void view_gate_complete(json_t *v, const char *const *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!json_object_get(v, fields[i]))
			json_object_set_new(v, fields[i], json_null());
}

static void view_gate_move(json_t *v, const char *from, const char *to)
{
	json_object_set(v, to, json_object_get(v, from));
	json_object_set_new(v, from, json_null());
}

/* A rule from before limits of the iteration had fields of their own: limit_pct
 * of a function and all percentages of headroom were of the iteration, and p of
 * a function was that of the family. */
static void view_gate_split_fields(json_t *rule)
{
	const char *kind = json_string_value(json_object_get(rule, "rule"));
	bool function = kind && !strcmp(kind, kinds[GATE_FUNCTIONS]);
	bool headroom = kind && !strcmp(kind, kinds[GATE_HEADROOM]);

	if (json_object_get(rule, "iteration_limit_pct"))
		return;
	if (function || headroom)
		view_gate_move(rule, "limit_pct", "iteration_limit_pct");
	if (headroom) {
		view_gate_move(rule, "change_pct", "iteration_change_pct");
		view_gate_move(rule, "low_pct", "iteration_low_pct");
		view_gate_move(rule, "high_pct", "iteration_high_pct");
	}
	if (function || (kind && !strcmp(kind, kinds[GATE_ANCHOR])))
		view_gate_move(rule, "p", "p_family");
}

/* A rule from before measures: only bus bandwidth is worse if it is lower. */
static void view_gate_add_fall(json_t *rule)
{
	const char *kind = json_string_value(json_object_get(rule, "rule"));

	if (!json_object_get(rule, "fall"))
		json_object_set_new(rule, "fall",
			json_boolean(kind && !strcmp(kind, kinds[GATE_BUSBW])));
}

/* Completes a stored gate, which lacks what was added since the release that
 * wrote it. That release had no such rule, as null says. */
static void view_gate_add_fields(json_t *gate)
{
	static const char *const policy[] = {
#define POLICY(kind, field, ...) #field,
#include "gate_policy.def"
#undef POLICY
		"unit"
	};
	static const char *const anchor[] = { "anchor" };
	static const char *const all[] = { "budget", "given" };
	static const char *const rule[] = { "base_gb_s", "head_gb_s",
		"base_value", "head_value", "unit", "iteration_limit_pct",
		"iteration_change_pct", "iteration_low_pct",
		"iteration_high_pct", "p_family", "alpha", "earlier_units" };
	static const char *const whole[] = { "noise_prior" };
	json_t *rules = json_object_get(gate, "rules");
	if (rules) /* lists have neither */
		view_gate_complete(gate, whole, 1);
	view_gate_complete(json_object_get(gate, "policy"), policy,
		sizeof policy / sizeof *policy);
	view_gate_complete(gate, all, sizeof all / sizeof *all);
	if (rules)
		view_gate_complete(gate, anchor, 1);
	for (size_t i = 0; i < json_array_size(rules); i++) {
		view_gate_split_fields(json_array_get(rules, i));
		view_gate_add_fall(json_array_get(rules, i));
		view_gate_complete(json_array_get(rules, i), rule,
			sizeof rule / sizeof *rule);
	}
}

json_t *view_gate(const struct gate_row *row)
{
	json_t *v = json_pack("{s:o, s:o, s:s, s:s, s:s, s:s, s:s}", "id",
		view_whole(row->id), "created_at", view_moment(row->created),
		"created_by", row->who, "project", row->project, "workload",
		row->workload, "name", row->name, "outcome", row->outcome);
	json_object_update_new(v, json_loads(row->document, 0, NULL));
	view_gate_add_fields(v);
	return v;
}

json_t *view_gate_event(const struct gate_row *row)
{
	char url[40];
	json_t *gate = view_gate(row);
	snprintf(url, sizeof url, "/gates/%lld", (long long)row->id);
	json_object_del(gate, "rules");
	json_object_del(gate, "anchor");
	json_object_del(gate, "findings");
	json_object_del(gate, "noise_prior");
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s}", "event", "gate",
		"project", row->project, "workload", row->workload, "at",
		view_moment(row->created), "gate", gate, "url", url);
}
