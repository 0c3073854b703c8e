/* gate_evaluation.c - reads all data of a gate, then judges it without the
 * database. */
#include "gate_evaluation.h"
#include "catalog_cache.h"
#include "regression_gate.h"
#include "query_operator.h"
#include "run_selection.h"
#include "compare_sides.h"
#include <jansson.h>

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
		if (!catalog_operator(k, p->operators[i].op))
			return err_set(e, ERR_INPUT,
				"operators: '%.100s' is not an operator of "
				"the catalog (/api/v1/operators lists them)",
				p->operators[i].op);
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

/* The label `commit` of each run; NULL if it has none. */
static const char *const *gate_evaluation_commits(struct arena *a,
	const struct compared_run *runs, uint32_t n)
{
	const char **commits = arena_array(a, const char *, n);

	for (uint32_t i = 0; i < n; i++) {
		json_t *v = runs[i].labels ? json_loads(runs[i].labels, 0, NULL)
					   : NULL;
		const char *is =
			json_string_value(json_object_get(v, "commit"));
		commits[i] = is && *is ? arena_strdup(a, is) : NULL;
		json_decref(v);
	}
	return commits;
}

bool gate_evaluation_run(struct service_call *c, const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	struct gate_evaluation *out, struct err *e)
{
	struct compare_sides *s = &out->sides;
	struct repeats repeats;
	struct gate_given g = { .repeats = &repeats };
	if (!gate_evaluation_operators_known(c, &q->policy, e) ||
		!compare_sides_read(c, base, head, q->range, s, e) ||
		!compare_sides_repeats(c, s, &repeats, e) ||
		!gate_evaluation_operators_read(c, base, head, &g, e))
		return false;
	service_db_return(c);
	g.base = s->base;
	g.base_n = s->base_n;
	g.head = s->head;
	g.head_n = s->head_n;
	g.base_commits = gate_evaluation_commits(&c->arena, s->base, s->base_n);
	g.head_commits = gate_evaluation_commits(&c->arena, s->head, s->head_n);
	return regression_gate_from(&g, &q->policy, &c->arena, &out->gate, e);
}
