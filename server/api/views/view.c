/* view.c - single values that all views use; uploads, runs and jobs. */
#include "view.h"
#include "breakdown_word.h"
#include "collective.h"
#include "job.h"
#include "upload.h"
#include "compared.h"
#include "findings.h"
#include "kernel_name.h"
#include "profile_word.h"
#include "query_breakdown.h"
#include "query_compared.h"
#include "rank_balance.h"
#include "ranks.h"
#include "utc_time.h"
#include "utf8.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define WHOLE_MAX (INT64_C(1) << 53)

json_t *view_text(const char *s)
{
	return s ? json_string(s) : json_null();
}

json_t *view_texts(const char *const *list, uint32_t n)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(v, json_string(list[i]));
	return v;
}

json_t *view_whole(int64_t v)
{
	return v < 0 || v >= WHOLE_MAX ? json_null() : json_integer(v);
}

json_t *view_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *view_moment(int64_t us)
{
	char text[UTC_TIME_TEXT];
	if (us == NO_MOMENT)
		return json_null();
	utc_time_format(us, text);
	return json_string(text);
}

json_t *view_labels(const char *labels)
{
	json_t *v = labels ? json_loads(labels, 0, NULL) : NULL;
	return v ? v : json_object();
}

json_t *view_error(const struct err *e)
{
	char text[3 * sizeof e->text];
	const char *sentence = err_public(e);
	size_t len = utf8_sanitize(text, sentence, strlen(sentence));
	return json_pack("{s:{s:s, s:s%}}", "error", "code", err_name(e->code),
		"message", text, len);
}

void view_append(json_t *list, json_t *item)
{
	assert(item);
	json_array_append_new(list, item);
}

json_t *view_list(json_t *items, const char *next)
{
	return json_pack("{s:o, s:o}", "items", items, "next", view_text(next));
}

void view_set_real(json_t *v, const char *key, double x)
{
	json_object_set_new(v, key, view_real(x));
}

void view_set_whole(json_t *v, const char *key, int64_t x)
{
	json_object_set_new(v, key, view_whole(x));
}

void view_set_text(json_t *v, const char *key, const char *s)
{
	json_object_set_new(v, key, view_text(s));
}

bool view_function_is_kernel(enum function_type type)
{
	return type == FUNCTION_gpu_compute || type == FUNCTION_gpu_comm;
}

const char *view_function(struct arena *a, enum function_type type,
	const char *name)
{
	if (!view_function_is_kernel(type))
		return name;
	return kernel_name_short(a, name, strlen(name));
}

json_t *view_ids(const int64_t *list, uint32_t n)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(v, view_whole(list[i]));
	return v;
}

/* ---- uploads, runs, notes, findings and jobs */

static json_t *view_upload_progress(const struct upload_row *u);
static json_t *view_run_devices(const struct profile_device *devices,
	uint32_t n);

static json_t *view_run_names(const char *const *list, uint32_t n)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(v, json_string(list[i]));
	return v;
}

static int64_t view_run_started(const struct run_row *r)
{
	return r->started_utc_ns < 0 ? NO_MOMENT : r->started_utc_ns / 1000;
}

static const char *view_run_compute(const struct profile_device *d,
	char text[32])
{
	if (d->compute_major < 0 || d->compute_minor < 0)
		return NULL;
	snprintf(text, 32, "%d.%d", d->compute_major, d->compute_minor);
	return text;
}

static json_t *view_run_iterations_json(const struct run_row *r)
{
	struct iterations_short s = view_run_iterations(r);
	return view_iterations_short(&s);
}

static json_t *view_job_slow_runs(const struct rank_operator *o,
	const struct ranks *r)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < r->ranks_n; i++)
		if (o->slow[i])
			view_append(v, view_whole(r->ranks[i].run));
	return v;
}

static json_t *view_job_collective_runs(const struct collective_line *l,
	const struct ranks *r)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < l->runs_n; i++)
		view_append(v, view_whole(r->ranks[l->runs[i]].run));
	return v;
}

#define ROWS "run.def"
#include "row_functions.h"

static json_t *view_upload_progress(const struct upload_row *u)
{
	if (strcmp(u->state, "working") || !u->stage)
		return json_null();
	return row_progress(u);
}

static json_t *view_run_devices(const struct profile_device *devices,
	uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, row_device(&devices[i]));
	return list;
}

json_t *view_upload(const struct upload_row *u)
{
	return row_upload(u);
}

json_t *view_run_trace(const struct run_row *r)
{
	return row_run_trace(r);
}

json_t *view_iterations_short(const struct iterations_short *s)
{
	return row_run_iterations(s);
}

struct iterations_short view_run_iterations(const struct run_row *r)
{
	return (struct iterations_short){ r->iteration_detector,
		r->iteration_range, r->iteration_confidence, r->iteration_ns,
		r->iterations, r->iterations_kept };
}

json_t *view_run(const struct run_row *r)
{
	return row_run(r);
}

json_t *view_device(const struct profile_device *d)
{
	return row_device(d);
}

json_t *view_run_detail(const struct run_row *r,
	const struct profile_device *devices, uint32_t n,
	const struct layers_short *layers, int64_t measures, int64_t main_run)
{
	return row_run_detail(r, devices, n, layers, measures, main_run);
}

json_t *view_note(const struct note_row *n)
{
	return row_note(n);
}

json_t *view_finding(const char *code, const char *severity, const char *text)
{
	return row_finding(code, severity, text);
}

json_t *view_finding_list(const struct finding_list *l)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < l->n; i++)
		view_append(list,
			view_finding(l->lines[i].code, l->lines[i].severity,
				l->lines[i].text));
	return list;
}

json_t *view_job_row(const struct job_row *j)
{
	return row_job_row(j);
}

json_t *view_job(struct arena *a, const struct job_row *j,
	const struct ranks *r, const struct rank_balance *b,
	const struct finding_list *findings)
{
	json_t *ranks = json_array(), *collectives = json_array();
	json_t *rows = json_array();
	for (uint32_t i = 0; i < r->ranks_n; i++)
		view_append(ranks, row_job_rank(&r->ranks[i], r->runs[i], b, i,
					   r->ranks_n));
	for (uint32_t i = 0; i < r->collectives_n; i++)
		view_append(collectives,
			row_job_collective(a, &r->collectives[i], r));
	for (uint32_t i = 0; i < b->operators_n; i++)
		view_append(rows, row_job_operator(&b->operators[i], r));
	return row_job(j, r, b, findings, ranks, collectives, rows);
}
