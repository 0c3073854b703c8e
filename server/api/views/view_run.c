/* view_run.c - a run, and its devices. */
#include "profile_word.h"
#include "view_compare.h"

static json_t *names(const char *const *list, uint32_t n)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(v, json_string(list[i]));
	return v;
}

static json_t *started(const struct run_row *r)
{
	return view_moment(
		r->started_utc_ns < 0 ? NO_MOMENT : r->started_utc_ns / 1000);
}

const char *view_content(enum content c)
{
	return profile_word_content[c];
}

json_t *view_run_told(const struct run_row *r)
{
	json_t *v =
		json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"content", view_text(r->content), "format", r->format,
			"framework", view_text(r->framework), "process_name",
			view_text(r->process_name), "host", view_text(r->host),
			"pid", view_whole(r->pid), "rank", view_whole(r->rank),
			"world_size", view_whole(r->world_size), "device_names",
			names(r->device_names, r->device_names_n), "started_at",
			started(r));
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

struct cycles_short view_run_cycles(const struct run_row *r)
{
	return (struct cycles_short){ r->cycle_detector, r->cycle_range,
		r->cycle_confidence, r->cycle_ns, r->cycles, r->cycles_kept };
}

json_t *view_run(const struct run_row *r)
{
	json_t *v = json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:o}", "id",
		view_whole(r->id), "upload", view_whole(r->upload), "ordinal",
		view_whole(r->ordinal), "name", r->name, "project", r->project,
		"workload", r->workload, "job", r->job, "labels",
		view_labels(r->labels));
	struct cycles_short cycles = view_run_cycles(r);
	json_object_set_new(v, "job_id",
		r->job_id ? view_whole(r->job_id) : json_null());
	json_object_set_new(v, "cycles", view_cycles_short(&cycles));
	json_object_update_new(v, view_run_told(r));
	json_object_update_new(v,
		json_pack("{s:o, s:i, s:o}", "created_at",
			view_moment(r->created), "notes", r->notes,
			"worst_note", view_text(r->worst)));
	return v;
}

static json_t *compute(const struct profile_device *d)
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
		view_whole(d->sm_count), "compute", compute(d), "memory_bytes",
		view_whole(d->memory_bytes), "launches",
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
