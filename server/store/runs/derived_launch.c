/* derived_launch.c - how kernels came to run: launches with their latency, and
 * graphs that were recorded whole. */
#include "derived_table.h"

static void write_graphs(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	for (uint32_t i = 0; i < p->graph_stats_n; i++) {
		const struct graph_stat *g = &p->graph_stats[i];
		bulk_row(b, 5 + TIME_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int8_known(b, g->graph_id);
		bulk_int8_known(b, g->graph_exec);
		bulk_int4(b, g->device);
		derived_time(b, &g->time);
	}
}

const struct derived_table derived_graph = {
	"COPY run_graph (run_id, rank, graph_id, graph_exec, "
	"device, " TIME_COLUMNS ") FROM STDIN (FORMAT binary)",
	write_graphs,
};

static void write_spread(struct bulk *b, const struct spread *s)
{
	bulk_float8_known(b, s->avg_ns);
	bulk_float8_known(b, s->med_ns);
	bulk_int8_known(b, s->min_ns);
	bulk_int8_known(b, s->max_ns);
	bulk_float8_known(b, s->stddev_ns);
}

static void write_launches(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	for (uint32_t i = 0; i < p->launch_stats_n; i++) {
		const struct launch_stat *s = &p->launch_stats[i];
		bulk_row(b, 8 + 4 * 5);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int8(b, run->kernels[s->kernel]);
		bulk_text(b, s->thread);
		bulk_int4(b, s->device);
		bulk_text(b, s->api);
		bulk_int8(b, s->instances);
		bulk_int8(b, s->queued);
		write_spread(b, &s->total);
		write_spread(b, &s->api_call);
		write_spread(b, &s->queue);
		write_spread(b, &s->kernel_run);
	}
}

#define SPREAD(what)                                            \
	what "_avg_ns, " what "_med_ns, " what "_min_ns, " what \
	     "_max_ns, " what "_stddev_ns"

const struct derived_table derived_launch = {
	"COPY run_launch (run_id, rank, kernel_id, thread, device, api, "
	"instances, queued, " SPREAD("total") ", " SPREAD("api") ", " SPREAD(
		"queue") ", " SPREAD("kernel") ") FROM STDIN (FORMAT binary)",
	write_launches,
};
