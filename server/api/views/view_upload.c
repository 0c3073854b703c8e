/* view_upload.c - an upload and how far it is. */
#include "view.h"
#include <string.h>

static json_t *progress(const struct upload_row *u)
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
			view_text(u->sha256), "tries", u->tries, "progress",
			progress(u), "error", view_text(u->error), "runs", runs,
			"created_at", view_moment(u->created), "received_at",
			view_moment(u->received), "finished_at",
			view_moment(u->finished), "dropped_at",
			view_moment(u->dropped));
	json_object_update_new(v, rest);
	return v;
}
