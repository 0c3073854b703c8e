/* compared.c - converts a profile to the form that comparisons read. */
#include "compared.h"

static void compared_stats_from(const struct profile *p, struct arena *a,
	struct compared_run *out)
{
	struct time_stats *stats =
		arena_array(a, struct time_stats, p->stats_n);
	out->stat_names = arena_array(a, const char *, p->stats_n);
	if (!stats || !out->stat_names)
		return;
	for (uint32_t i = 0; i < p->stats_n; i++) {
		if (p->stats[i].split != SPLIT_NONE)
			continue;
		stats[out->stats_n] = p->stats[i].time;
		out->stat_names[out->stats_n++] =
			p->kernels[p->stats[i].kernel].name;
	}
	out->stats = stats;
}

bool compared_from(const struct profile *p, struct arena *a,
	struct compared_run *out, struct err *e)
{
	const char **devices = arena_array(a, const char *, p->devices_n);

	*out = (struct compared_run){ .name = "",
		.project = "",
		.workload = "",
		.labels = "{}",
		.format = p->format,
		.framework = p->framework,
		.process_name = p->process_name,
		.host = p->host,
		.content = p->content,
		.pid = p->pid,
		.rank = p->rank,
		.world_size = p->world_size,
		.started_utc_ns = p->started_utc_ns,
		.analysis_version = ANALYSIS_VERSION,
		.span_ns = p->span_ns,
		.busy_ns = p->busy_ns,
		.kernel_ns = p->kernel_ns,
		.launches = p->launches,
		.graph_ns = p->graph_ns,
		.graphs = p->graphs,
		.device_names = devices,
		.device_names_n = p->devices_n,
		.notes = p->notes,
		.facts = p->facts,
		.iterations = p->iterations,
		.patterns = p->patterns,
		.collectives = p->collectives };
	for (int i = 0; i < WAIT_CAUSES; i++)
		out->idle_cause_ns[i] = p->waits.iteration_ns[i];
	for (uint32_t i = 0; devices && i < p->devices_n; i++)
		devices[i] = p->devices[i].name;
	if (p->content == CONTENT_STATISTICS || p->content == CONTENT_DURATIONS)
		compared_stats_from(p, a, out);
	return !a->full || arena_err(a, e);
}
