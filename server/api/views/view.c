/* view.c - the small values that all views are made of; uploads, runs and jobs. */
#include "view.h"
#include "job.h"
#include "upload.h"
#include "compared.h"
#include "findings.h"
#include "kernel_name.h"
#include "profile_word.h"
#include "query_compared.h"
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
	size_t len = utf8_mend(text, e->text, strlen(e->text));
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

json_t *view_note(const struct note_row *n)
{
	return json_pack("{s:s, s:s, s:o, s:s}", "code", n->code, "severity",
		n->severity, "count", view_whole(n->count), "message",
		n->message);
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

json_t *view_finding(const char *code, const char *severity, const char *text)
{
	return json_pack("{s:s, s:s, s:s}", "code", code, "severity", severity,
		"text", text);
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

const char *view_function(struct arena *a, enum function_type type,
	const char *name)
{
	if (type != FUNCTION_gpu_compute && type != FUNCTION_gpu_comm)
		return name;
	return kernel_name_short(a, name, strlen(name));
}

/* ---- uploads */

static json_t *view_upload_progress(const struct upload_row *u)
{
	if (strcmp(u->state, "working") || !u->stage)
		return json_null();
	return json_pack("{s:s, s:o, s:o}", "stage", u->stage, "done_bytes",
		view_whole(u->done_bytes), "total_bytes", view_whole(u->bytes));
}

json_t *view_upload(const struct upload_row *u)
{
	json_t *v = json_pack("{s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s}",
		"id", view_whole(u->id), "state", u->state, "project",
		u->project, "workload", u->workload, "name", u->name, "job",
		u->job, "labels", view_labels(u->labels), "gpu_hours",
		view_real(u->gpu_hours), "file_name", u->file_name);
	json_t *runs = json_array();
	for (uint32_t i = 0; i < u->runs_n; i++)
		view_append(runs, view_whole(u->runs[i]));
	json_t *rest =
		json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"bytes", view_whole(u->bytes), "sha256",
			view_text(u->sha256), "attempts", u->tries, "progress",
			view_upload_progress(u), "error", view_text(u->error),
			"runs", runs, "created_at", view_moment(u->created),
			"received_at", view_moment(u->received), "finished_at",
			view_moment(u->finished), "dropped_at",
			view_moment(u->dropped));
	json_object_update_new(v, rest);
	return v;
}

/* ---- runs */

static json_t *view_run_names(const char *const *list, uint32_t n)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(v, json_string(list[i]));
	return v;
}

static json_t *view_run_started(const struct run_row *r)
{
	return view_moment(
		r->started_utc_ns < 0 ? NO_MOMENT : r->started_utc_ns / 1000);
}

const char *view_content(enum content c)
{
	return profile_word_content[c];
}

json_t *view_run_trace(const struct run_row *r)
{
	json_t *v =
		json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"content", view_text(r->content), "format", r->format,
			"framework", view_text(r->framework), "process_name",
			view_text(r->process_name), "host", view_text(r->host),
			"pid", view_whole(r->pid), "rank", view_whole(r->rank),
			"world_size", view_whole(r->world_size), "device_names",
			view_run_names(r->device_names, r->device_names_n),
			"started_at", view_run_started(r));
	json_object_update_new(v,
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}",
			"span_ns", view_whole(r->span_ns), "busy_ns",
			view_whole(r->busy_ns), "kernel_ns",
			view_whole(r->kernel_ns), "launches",
			view_whole(r->launches), "kernels",
			view_whole(r->kernels), "copy_ns",
			view_whole(r->copy_ns), "copies", view_whole(r->copies),
			"graph_ns", view_whole(r->graph_ns), "graphs",
			view_whole(r->graphs), "analysis_version",
			r->analysis_version));
	return v;
}

json_t *view_iterations_short(const struct iterations_short *s)
{
	json_t *v = json_object();
	view_set_text(v, "detector", s->detector);
	view_set_real(v, "confidence", s->confidence);
	view_set_text(v, "range", s->range);
	view_set_whole(v, "count", s->count);
	view_set_whole(v, "kept", s->kept);
	view_set_real(v, "median_ns", s->median_ns);
	return v;
}

struct iterations_short view_run_iterations(const struct run_row *r)
{
	return (struct iterations_short){ r->iteration_detector,
		r->iteration_range, r->iteration_confidence, r->iteration_ns,
		r->iterations, r->iterations_kept };
}

json_t *view_run(const struct run_row *r)
{
	json_t *v = json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:o}", "id",
		view_whole(r->id), "upload", view_whole(r->upload), "ordinal",
		view_whole(r->ordinal), "name", r->name, "project", r->project,
		"workload", r->workload, "job", r->job, "labels",
		view_labels(r->labels));
	struct iterations_short iterations = view_run_iterations(r);
	json_object_set_new(v, "job_id",
		r->job_id ? view_whole(r->job_id) : json_null());
	json_object_set_new(v, "iterations",
		view_iterations_short(&iterations));
	json_object_update_new(v, view_run_trace(r));
	json_object_update_new(v,
		json_pack("{s:o, s:i, s:o}", "created_at",
			view_moment(r->created), "notes", r->notes,
			"worst_note", view_text(r->worst)));
	return v;
}

static json_t *view_run_compute(const struct profile_device *d)
{
	char text[32];
	if (d->compute_major < 0 || d->compute_minor < 0)
		return json_null();
	snprintf(text, sizeof text, "%d.%d", d->compute_major,
		d->compute_minor);
	return json_string(text);
}

json_t *view_device(const struct profile_device *d)
{
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "number",
		d->number, "name", view_text(d->name), "sm_count",
		view_whole(d->sm_count), "compute", view_run_compute(d),
		"memory_bytes", view_whole(d->memory_bytes), "launches",
		view_whole(d->launches), "busy_ns", view_whole(d->busy_ns));
}

json_t *view_run_detail(const struct run_row *r,
	const struct profile_device *devices, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(list, view_device(&devices[i]));
	json_t *v = view_run(r);
	json_object_set_new(v, "devices", list);
	return v;
}

/* ---- jobs */

json_t *view_job_row(const struct job_row *j)
{
	json_t *runs = json_array();
	for (uint32_t i = 0; i < j->runs_n; i++)
		view_append(runs, view_whole(j->runs[i]));
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "id",
		view_whole(j->id), "project", j->project, "name",
		view_text(j->name), "upload",
		j->upload ? view_whole(j->upload) : json_null(), "created_at",
		view_moment(j->created), "runs", runs);
}

static json_t *view_job_rank(const struct rank_line *l,
	const struct compared_run *run)
{
	json_t *v = json_object();
	view_set_whole(v, "run", l->run);
	view_set_text(v, "name", run->name);
	view_set_whole(v, "rank", l->rank);
	view_set_whole(v, "world_size", run->world_size);
	view_set_text(v, "host", run->host);
	view_set_text(v, "device", l->device);
	view_set_whole(v, "iterations", l->iterations);
	view_set_real(v, "iteration_ns", l->iteration_ns);
	view_set_whole(v, "compute_ns", l->compute_ns);
	view_set_whole(v, "collective_ns", l->collective_ns);
	view_set_whole(v, "transfer_ns", l->transfer_ns);
	view_set_whole(v, "waiting_ns", l->waiting_ns);
	view_set_real(v, "last_share", l->last_share);
	view_set_real(v, "late_ns", l->late_ns);
	json_object_set_new(v, "straggler", json_boolean(l->straggler));
	return v;
}

static json_t *view_job_collective(struct arena *a,
	const struct collective_line *l, uint32_t ranks)
{
	json_t *v = json_object(), *totals = json_array();
	for (uint32_t i = 0; i < ranks; i++)
		view_append(totals, view_whole(l->total_ns[i]));
	view_set_text(v, "function", l->name);
	view_set_text(v, "short_name",
		kernel_name_short(a, l->name, strlen(l->name)));
	view_set_whole(v, "count", l->count);
	view_set_whole(v, "transfer_ns", l->transfer_ns);
	json_object_set_new(v, "total_ns", totals);
	return v;
}

static const struct compared_run *view_job_run_of(const struct rank_line *l,
	const struct compared_run *runs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (runs[i].id == l->run)
			return &runs[i];
	return NULL;
}

json_t *view_job(struct arena *a, const struct job_row *j,
	const struct ranks *r, const struct compared_run *runs, uint32_t n,
	const struct finding_list *findings)
{
	json_t *ranks = json_array(), *collectives = json_array();
	for (uint32_t i = 0; i < r->ranks_n; i++)
		view_append(ranks,
			view_job_rank(&r->ranks[i],
				view_job_run_of(&r->ranks[i], runs, n)));
	for (uint32_t i = 0; i < r->collectives_n; i++)
		view_append(collectives,
			view_job_collective(a, &r->collectives[i], r->ranks_n));
	json_t *v = view_job_row(j);
	json_object_set_new(v, "findings", view_finding_list(findings));
	json_object_set_new(v, "ranks", ranks);
	json_object_set_new(v, "collectives", collectives);
	view_set_whole(v, "unmatched", r->unmatched);
	json_object_set_new(v, "clocks_agree", json_boolean(r->clocks_agree));
	return v;
}
