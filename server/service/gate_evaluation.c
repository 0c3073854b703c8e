/* gate_evaluation.c - reads all data of a gate, then judges it without the
 * database. */
#include "gate_evaluation.h"
#include "catalog_cache.h"
#include "regression_gate.h"
#include "query_operator.h"
#include "query_trend.h"
#include "run_measures.h"
#include "run_selection.h"
#include "compare_sides.h"
#include <jansson.h>
#include <string.h>

enum { HISTORY_DAYS = 90, HISTORY_UNITS = 500 };
#define DAY_US INT64_C(86400000000)

const char *gate_evaluation_shared_words(struct arena *a,
	const struct gate_request *q)
{
	const char *project =
		q->project ? run_selection_query_word(a, "project", q->project)
			   : "";
	const char *workload = q->workload ? run_selection_query_word(a,
						     "workload", q->workload)
					   : "";
	return arena_printf(a, "%s %s", project, workload);
}

/* Checks that the operators exist: a limit on an operator that does not exist
 * would let every run pass. */
static bool gate_evaluation_operators_known(struct service_call *c,
	const struct gate_policy *p, struct err *e)
{
	const struct catalog *k =
		p->operators_n ? catalog_cache_take(c, e) : NULL;
	if (p->operators_n && !k)
		return false;
	for (uint32_t i = 0; i < p->operators_n; i++)
		if (!catalog_operator(k, p->operators[i].of))
			return err_set(e, ERR_INPUT,
				"operators: '%.100s' is not an operator of "
				"the catalog (/api/v1/operators lists them)",
				p->operators[i].of);
	return true;
}

/* Checks that the measures have a better direction: the meaning of a user's own name is
 * unknown. */
static bool gate_evaluation_measures_known(struct service_call *c,
	const struct gate_policy *p, struct err *e)
{
	for (uint32_t i = 0; i < p->measures_n; i++) {
		const struct gate_limit *limit = &p->measures[i];
		enum measure_better better = MEASURE_NEITHER;
		measure_meaning(&c->arena, limit->of, &better);
		if (better == MEASURE_NEITHER)
			return err_set(e, ERR_INPUT,
				"measures: '%.100s' can have no limit, because it "
				"is not known whether higher or lower values are "
				"better (this is known of names such as ttft_p99, "
				"output_throughput and loss)",
				limit->of);
		if (better == MEASURE_HIGHER && limit->pct >= 100)
			return err_set(e, ERR_INPUT,
				"measures: the limit of '%.100s' is a fall, "
				"which is less than 100 %%",
				limit->of);
	}
	return true;
}

/* The compared runs, and the earlier units of the history, whose noise counts. */
static const int64_t *gate_evaluation_measured_runs(struct arena *a,
	const struct run_selection *base, const struct run_selection *head,
	const struct gate_history *h, uint32_t *n)
{
	int64_t *ids = arena_array(a, int64_t, base->n + head->n + h->n + 1);
	uint32_t filled = 0;

	for (uint32_t i = 0; i < base->n; i++)
		ids[filled++] = base->ids[i];
	for (uint32_t i = 0; i < head->n; i++)
		ids[filled++] = head->ids[i];
	for (uint32_t i = 0; i < h->n; i++)
		ids[filled++] = h->units[i].run;
	*n = filled;
	return ids;
}

static bool gate_evaluation_measures_read(struct service_call *c,
	const struct gate_policy *p, const struct run_selection *base,
	const struct run_selection *head, struct gate_given *g, struct err *e)
{
	const char **names =
		arena_array(&c->arena, const char *, p->measures_n + 1);
	struct run_measure *rows;
	uint32_t n, ids_n;

	for (uint32_t i = 0; i < p->measures_n; i++)
		names[i] = p->measures[i].of;
	if (!p->measures_n)
		return true;
	const int64_t *ids = gate_evaluation_measured_runs(&c->arena, base,
		head, g->history, &ids_n);
	if (!run_measures_list(c->db, &c->arena, ids, ids_n, names,
		    p->measures_n, &rows, &n, e))
		return false;
	struct gate_measure_value *values =
		arena_array(&c->arena, struct gate_measure_value, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		enum measure_better better = MEASURE_NEITHER;
		measure_meaning(&c->arena, rows[i].is.name, &better);
		values[i] = (struct gate_measure_value){ .run = rows[i].run,
			.name = rows[i].is.name,
			.unit = rows[i].is.unit,
			.value = rows[i].is.value,
			.higher_is_better = better == MEASURE_HIGHER };
	}
	g->measures = values;
	g->measures_n = n;
	return true;
}

static bool gate_evaluation_operators_read(struct service_call *c,
	const struct run_selection *base, const struct run_selection *head,
	struct gate_given *g, struct err *e)
{
	struct operator_time_row *rows;
	int64_t ids[2 * RUN_SELECTION_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0; i < base->n; i++)
		ids[n++] = base->ids[i];
	for (uint32_t i = 0; i < head->n; i++)
		ids[n++] = head->ids[i];
	if (!query_operator_times(c->db, &c->arena, ids, n, &rows,
		    &g->operators_n, e))
		return false;
	struct gate_operator_time *times = arena_array(&c->arena,
		struct gate_operator_time, g->operators_n);
	for (uint32_t i = 0; i < g->operators_n; i++)
		times[i] = (struct gate_operator_time){ rows[i].run, rows[i].op,
			rows[i].share, rows[i].headroom };
	g->operators = times;
	return true;
}

/* The unit's label of each run; NULL if it has none. */
static const char *const *gate_evaluation_commits(struct arena *a,
	const char *unit, const struct compared_run *runs, uint32_t n)
{
	const char **commits = arena_array(a, const char *, n);

	for (uint32_t i = 0; i < n; i++) {
		json_t *v = runs[i].labels ? json_loads(runs[i].labels, 0, NULL)
					   : NULL;
		const char *is = json_string_value(json_object_get(v, unit));
		commits[i] = is && *is ? arena_strdup(a, is) : NULL;
		json_decref(v);
	}
	return commits;
}

static bool gate_evaluation_names_commit(const char *label)
{
	size_t n = strlen(label);

	for (const char *at = GATE_COMMIT_LABELS; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		if (len == n && !memcmp(at, label, n))
			return true;
		at += len;
	}
	return false;
}

/* The labels that all runs share, except that of the unit and those that name a
 * commit, as a JSON object. */
static const char *gate_evaluation_labels(struct arena *a, const char *unit,
	const struct compared_run *runs, uint32_t n)
{
	json_t *shared = json_object(), *each;
	const char *key;
	void *next;

	for (uint32_t i = 0; i < n; i++) {
		json_t *own = runs[i].labels
				      ? json_loads(runs[i].labels, 0, NULL)
				      : NULL;
		if (!i)
			json_object_update(shared, own);
		json_object_foreach_safe(shared, next, key, each)
		{
			if (!strcmp(key, unit) ||
				gate_evaluation_names_commit(key) ||
				!json_equal(each, json_object_get(own, key)))
				json_object_del(shared, key);
		}
		json_decref(own);
	}
	char *text = json_dumps(shared, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(shared);
	const char *copy = text ? arena_strdup(a, text) : NULL;
	free(text);
	return copy;
}

/* "branch=main, host=a"; NULL: none. */
static const char *gate_evaluation_labels_text(struct arena *a,
	const char *labels)
{
	json_t *v = labels ? json_loads(labels, 0, NULL) : NULL, *each;
	const char *text = NULL, *key;

	json_object_foreach(v, key, each) text =
		arena_printf(a, "%s%s%s=%s", text ? text : "", text ? ", " : "",
			key, json_string_value(each));
	json_decref(v);
	return text;
}

/* Removes units of the head's commits. */
static void gate_evaluation_drop_heads(struct gate_history *h,
	struct gate_stored_unit *units)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->n; i++) {
		bool heads = false;
		for (uint32_t k = 0; k < h->head_n; k++)
			heads = heads ||
				(units[i].commit && h->head[k].commit &&
					!strcmp(units[i].commit,
						h->head[k].commit));
		if (!heads)
			units[kept++] = units[i];
	}
	h->n = kept;
}

/* Each run of the anchor must do the base's work. */
static bool gate_evaluation_anchor_check(const struct run_selection *anchor,
	uint32_t units, struct err *e)
{
	return units ||
	       err_set(e, ERR_INPUT,
		       "anchor: '%.100s' selects %u run%s, of which none does "
		       "the work of the base: its workload, device, kind of "
		       "iteration, phase or rank is another, or it has too few iterations",
		       anchor->query, anchor->n, anchor->n == 1 ? "" : "s");
}

static void gate_evaluation_filter(const struct gate_request *q,
	const struct run_selection *like, struct same_work_filter *f)
{
	*f = (struct same_work_filter){ .like = like->ids,
		.like_n = like->n,
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.unit = q->unit,
		.min_iterations = q->policy.min_iterations,
		.limit = HISTORY_UNITS };
}

/* The units of the head's work that were stored before the head. The base may have
 * units of other work, too, whose levels say nothing about the head. */
static bool gate_evaluation_earlier(struct service_call *c,
	const struct gate_request *q, const struct run_selection *head,
	const struct compare_sides *s, const char *labels,
	struct gate_stored_unit **units, uint32_t *n, struct err *e)
{
	struct same_work_filter f;
	struct selected_first first;

	if (!query_selected_first(c->db, &c->arena, head->ids, head->n, &first,
		    e))
		return false;
	gate_evaluation_filter(q, head, &f);
	f.project = s->base[0].project;
	f.workload = s->base[0].workload;
	f.labels = labels;
	f.without = head->ids;
	f.without_n = head->n;
	f.since = first.created - HISTORY_DAYS * DAY_US;
	f.until = first.created;
	return query_same_work(c->db, &c->arena, &f, units, n, e);
}

/* The units that the user named, then the earlier ones. */
static bool gate_evaluation_named(struct service_call *c,
	const struct gate_request *q, const struct run_selection *base,
	const struct run_selection *head, const struct compare_sides *s,
	struct gate_stored_unit **units, struct gate_history *h, struct err *e)
{
	const struct run_selection *like = h->head_n ? head : base;
	const char *given = gate_evaluation_shared_words(&c->arena, q);
	struct gate_stored_unit *named;
	struct run_selection anchor;
	struct same_work_filter f;

	if (!run_selection_anchor(c, q->anchor, given, head, &anchor, e))
		return false;
	gate_evaluation_filter(q, like, &f);
	f.project = s->base[0].project;
	f.workload = s->base[0].workload;
	f.ids = anchor.ids;
	f.ids_n = anchor.n;
	if (!query_same_work(c->db, &c->arena, &f, &named, &h->named, e) ||
		!gate_evaluation_anchor_check(&anchor, h->named, e))
		return false;
	/* A unit of several runs is a job, all of whose runs count. */
	h->excluded = anchor.n > h->named && s->head[0].job <= 0
			      ? anchor.n - h->named
			      : 0;
	struct gate_stored_unit *both = arena_array(&c->arena,
		struct gate_stored_unit, h->named + h->n + 1);
	uint32_t n = h->named;
	memcpy(both, named, n * sizeof *both);
	for (uint32_t i = 0; i < h->n; i++) {
		bool twice = false;
		for (uint32_t k = 0; k < h->named; k++)
			twice = twice || (*units)[i].run == named[k].run;
		if (!twice)
			both[n++] = (*units)[i];
	}
	h->n = n;
	*units = both;
	return true;
}

static bool gate_evaluation_history(struct service_call *c,
	const struct gate_request *q, const struct run_selection *base,
	const struct run_selection *head, const struct compare_sides *s,
	struct gate_history *h, struct err *e)
{
	struct gate_stored_unit *units, *heads;
	struct same_work_filter f;

	*h = (struct gate_history){ .query = q->anchor };
	if (q->range) {
		h->reason = "the gate defines its own iterations, and earlier "
			    "runs are not read again";
		return true;
	}
	const char *labels =
		gate_evaluation_labels(&c->arena, q->unit, s->base, s->base_n);
	gate_evaluation_filter(q, base, &f);
	f.ids = head->ids;
	f.ids_n = head->n;
	if (!query_same_work(c->db, &c->arena, &f, &heads, &h->head_n, e) ||
		!gate_evaluation_earlier(c, q, head, s, labels, &units, &h->n,
			e))
		return false;
	h->head = heads;
	h->labels = gate_evaluation_labels_text(&c->arena, labels);
	if (!h->head_n)
		h->reason = "no run of the head does the work of the base: "
			    "another device, kind of iteration, phase or rank, "
			    "or too few iterations";
	gate_evaluation_drop_heads(h, units);
	if (q->anchor &&
		!gate_evaluation_named(c, q, base, head, s, &units, h, e))
		return false;
	h->units = units;
	return true;
}

bool gate_evaluation_run(struct service_call *c, const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	const uint8_t request[32], struct gate_evaluation *out, struct err *e)
{
	struct gate_policy policy = q->policy;
	struct compare_sides *s = &out->sides;
	struct repeats repeats;
	struct gate_given g = { .repeats = &repeats, .history = &out->history };
	if (!regression_gate_policy_check(&policy, e) ||
		!gate_evaluation_operators_known(c, &q->policy, e) ||
		!gate_evaluation_measures_known(c, &q->policy, e) ||
		!compare_sides_read(c, base, head, q->range, s, e) ||
		!compare_sides_repeats(c, s, q->unit, &repeats, e) ||
		!gate_evaluation_operators_read(c, base, head, &g, e) ||
		!gate_evaluation_history(c, q, base, head, s, &out->history,
			e) ||
		!gate_evaluation_measures_read(c, &policy, base, head, &g, e) ||
		!gate_result_number(c->db, &c->arena, head->ids, head->n,
			q->unit, request, &out->budget, e))
		return false;
	service_db_return(c);
	g.base = s->base;
	g.base_n = s->base_n;
	g.head = s->head;
	g.head_n = s->head_n;
	g.base_commits =
		gate_evaluation_commits(&c->arena, q->unit, s->base, s->base_n);
	g.head_commits =
		gate_evaluation_commits(&c->arena, q->unit, s->head, s->head_n);
	out->alpha = regression_gate_alpha(policy.alpha, out->budget.number);
	policy.alpha = out->alpha;
	if (out->budget.number)
		g.repeat_alpha = regression_gate_alpha(q->policy.alpha,
			out->budget.gates + 1);
	return regression_gate_from(&g, &policy, &c->arena, &out->gate, e);
}
