/* view_job.c - jobs, and their ranks side by side. */
#include "kernel_name.h"
#include "view_compare.h"
#include <string.h>

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

static json_t *rank(const struct rank_line *l, const struct compared_run *run)
{
	json_t *v = json_object();
	view_set_whole(v, "run", l->run);
	view_set_text(v, "name", run->name);
	view_set_whole(v, "rank", l->rank);
	view_set_whole(v, "world_size", run->world_size);
	view_set_text(v, "host", run->host);
	view_set_text(v, "device", l->device);
	view_set_whole(v, "cycles", l->cycles);
	view_set_real(v, "cycle_ns", l->cycle_ns);
	view_set_whole(v, "compute_ns", l->compute_ns);
	view_set_whole(v, "collective_ns", l->collective_ns);
	view_set_whole(v, "transfer_ns", l->transfer_ns);
	view_set_whole(v, "waiting_ns", l->waiting_ns);
	view_set_real(v, "last_share", l->last_share);
	view_set_real(v, "late_ns", l->late_ns);
	json_object_set_new(v, "straggler", json_boolean(l->straggler));
	return v;
}

static json_t *collective(struct arena *a, const struct collective_line *l,
	uint32_t ranks)
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

static const struct compared_run *run_of(const struct rank_line *l,
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
			rank(&r->ranks[i], run_of(&r->ranks[i], runs, n)));
	for (uint32_t i = 0; i < r->collectives_n; i++)
		view_append(collectives,
			collective(a, &r->collectives[i], r->ranks_n));
	json_t *v = view_job_row(j);
	json_object_set_new(v, "findings", view_finding_list(findings));
	json_object_set_new(v, "ranks", ranks);
	json_object_set_new(v, "collectives", collectives);
	view_set_whole(v, "unmatched", r->unmatched);
	json_object_set_new(v, "clocks_agree", json_boolean(r->clocks_agree));
	return v;
}
