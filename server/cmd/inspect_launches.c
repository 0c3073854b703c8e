/* inspect_launches.c - graph replays, latency and callers as text. */
#include "inspect_launches.h"
#include "inspect_field.h"
#include "profile_word.h"
#include <inttypes.h>

static void print_id(FILE *out, int64_t id)
{
	if (id < 0)
		fputs("unknown", out);
	else
		fprintf(out, "%" PRId64, id);
}

void inspect_graphs(FILE *out, const struct profile *p)
{
	if (p->graphs)
		fprintf(out, "graph_ns %" PRId64 "\ngraphs %" PRId64 "\n",
			p->graph_ns, p->graphs);
	for (uint32_t i = 0; i < p->graph_stats_n; i++) {
		const struct graph_stat *g = &p->graph_stats[i];
		fputs("graph ", out);
		print_id(out, g->graph_id);
		fputs(" exec=", out);
		print_id(out, g->graph_exec);
		fprintf(out,
			" device=%" PRId32 " replays=%" PRId64
			" total_ns=%" PRId64 " med_ns=%.1f\n",
			g->device, g->time.instances, g->time.total_ns,
			g->time.med_ns);
	}
}

static void print_spread(FILE *out, const struct spread *s)
{
	inspect_field_tenths(out, s->avg_ns);
	inspect_field_tenths(out, s->med_ns);
	inspect_field_whole(out, s->min_ns);
	inspect_field_whole(out, s->max_ns);
	inspect_field_tenths(out, s->stddev_ns);
}

void inspect_launches(FILE *out, const struct profile *p)
{
	static const char of[] = "TAQK";

	if (p->launch_stats_n) {
		fputs("\nPID,TID,DevId,Count,QCount", out);
		for (const char *x = of; *x; x++)
			fprintf(out,
				",%cAvg (ns),%cMed (ns),%cMin (ns),%cMax (ns),"
				"%cStdDev (ns)",
				*x, *x, *x, *x, *x);
		fputs(",API Name,Kernel Name\n", out);
	}
	for (uint32_t i = 0; i < p->launch_stats_n; i++) {
		const struct launch_stat *s = &p->launch_stats[i];
		inspect_field_whole(out, p->pid);
		inspect_field_text(out, s->thread);
		fprintf(out, ",%" PRId32 ",", s->device);
		inspect_field_whole(out, s->instances);
		inspect_field_whole(out, s->queued);
		print_spread(out, &s->total);
		print_spread(out, &s->api_call);
		print_spread(out, &s->queue);
		print_spread(out, &s->kernel_run);
		inspect_field_text(out, s->api);
		putc(',', out);
		inspect_field_text(out, p->kernels[s->kernel].name);
		putc('\n', out);
	}
}

/* Always in quotes, because it is written frame by frame. */
static void print_path(FILE *out, const struct profile *p, uint32_t frame)
{
	struct arena a = { 0 };
	uint32_t depth = 0, at = frame;

	for (; at; at = p->frames[at].parent)
		depth++;
	uint32_t *path = arena_array(&a, uint32_t, depth + 1);
	for (at = frame; at; at = p->frames[at].parent)
		path[--depth] = at;
	putc('"', out);
	for (uint32_t i = 0; path[i]; i++) {
		const struct frame *f = &p->frames[path[i]];
		fprintf(out, "%s%s:", i ? " > " : "",
			profile_word_frame[f->kind]);
		inspect_field_part(out, f->name);
	}
	putc('"', out);
	arena_release(&a);
}

void inspect_callers(FILE *out, const struct profile *p)
{
	if (p->callers_n)
		fputs("\nLaunches,Total Time (ns),Known,Name,Path\n", out);
	for (uint32_t i = 0; i < p->callers_n; i++) {
		const struct caller_stat *c = &p->callers[i];
		fprintf(out, "%" PRId64 ",%" PRId64 ",%s,", c->launches,
			c->total_ns, profile_word_known[c->known]);
		inspect_field_text(out, p->kernels[c->kernel].name);
		putc(',', out);
		if (c->frame)
			print_path(out, p, c->frame);
		putc('\n', out);
	}
}
