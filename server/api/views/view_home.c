/* view_home.c - what the home page shows, as JSON. */
#include "query_home.h"
#include "utc_time.h"
#include "view_trend.h"
#include <math.h>
#include <stdio.h>

/* "2026-11-28" */
static const char *view_home_date(int32_t day, char text[UTC_TIME_TEXT])
{
	utc_time_format(day * INT64_C(86400000000), text);
	text[sizeof "2026-11-28" - 1] = '\0';
	return text;
}

static json_t *view_home_values(const double *values, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, view_real(values[i]));
	return list;
}

static json_t *view_home_gates(const struct home *h);
static json_t *view_home_changes(const struct home *h);
static json_t *view_home_branches(const struct home *h);
static json_t *view_home_gpus(const struct home *h);
static json_t *view_home_uploads(const struct home *h);
static json_t *view_home_jobs(const struct home *h);
static json_t *view_home_workloads(const struct home *h);
static json_t *view_home_days(const struct home *h);

#define ROWS "home.def"
#include "row_functions.h"

static json_t *view_home_gates(const struct home *h)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < h->gates_of.n; i++)
		view_append(list, row_home_gate(&h->gates[i]));
	return list;
}

static json_t *view_home_changes(const struct home *h)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < h->changes_of.n; i++)
		view_append(list, row_home_change(&h->changes[i]));
	return list;
}

static json_t *view_home_branches(const struct home *h)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < h->branches_of.n; i++)
		view_append(list, row_home_branch(&h->branches[i]));
	return list;
}

static json_t *view_home_gpus(const struct home *h)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < h->gpus_of.n; i++)
		view_append(list, row_home_gpu(&h->gpus[i]));
	return list;
}

static json_t *view_home_uploads(const struct home *h)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < h->uploads_of.n; i++)
		view_append(list, row_home_upload(&h->uploads[i]));
	return list;
}

static json_t *view_home_jobs(const struct home *h)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < h->jobs_n; i++)
		view_append(list, row_home_job(&h->jobs[i]));
	return list;
}

static json_t *view_home_workloads(const struct home *h)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < h->workloads_of.n; i++)
		view_append(list, row_home_workload(&h->workloads[i]));
	return list;
}

static json_t *view_home_days(const struct home *h)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < h->days_n; i++)
		view_append(list, row_home_day(&h->days[i], h->operators_n));
	return list;
}

json_t *view_home(const struct home *h)
{
	return row_home(h);
}
