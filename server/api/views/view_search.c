/* view_search.c - what a search finds, and the values of a filter, as JSON. */
#include "query_search.h"
#include "catalog.h"
#include "view_trend.h"

static json_t *view_search_runs(const struct search *s);
static json_t *view_search_jobs(const struct search *s);
static json_t *view_search_workloads(const struct search *s);
static json_t *view_search_commits(const struct search *s);
static json_t *view_search_kernels(const struct search *s,
	const char *const *distinct);
static json_t *view_search_operators(const struct view_operators_found *o);
static json_t *view_value_rows(const struct value_row *rows, uint32_t n);

#define ROWS "search.def"
#include "row_functions.h"

static json_t *view_search_runs(const struct search *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->runs_of.n; i++)
		view_append(list, row_search_run(&s->runs[i]));
	return list;
}

static json_t *view_search_jobs(const struct search *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->jobs_of.n; i++)
		view_append(list, row_search_job(&s->jobs[i]));
	return list;
}

static json_t *view_search_workloads(const struct search *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->workloads_of.n; i++)
		view_append(list, view_workload(&s->workloads[i]));
	return list;
}

static json_t *view_search_commits(const struct search *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->commits_of.n; i++)
		view_append(list, row_search_commit(&s->commits[i]));
	return list;
}

static json_t *view_search_kernels(const struct search *s,
	const char *const *distinct)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->kernels_of.n; i++)
		view_append(list,
			row_search_kernel(&s->kernels[i], distinct[i]));
	return list;
}

static json_t *view_search_operators(const struct view_operators_found *o)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < o->n; i++)
		view_append(list, row_search_operator(o->rows[i]));
	return list;
}

static json_t *view_value_rows(const struct value_row *rows, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, row_filter_value(&rows[i]));
	return list;
}

json_t *view_search(const struct search *s, const char *const *distinct,
	const struct view_operators_found *o)
{
	return row_search(s, distinct, o);
}

json_t *view_values(const struct value_row *rows, const struct search_count *n)
{
	return row_filter_values(rows, n);
}
