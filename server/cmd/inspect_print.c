/* inspect_print.c - the text that `kernsiftd inspect` prints: lines about each
 * run, and one or more CSV tables per word of --by. */
#include "inspect.h"
#include "breakdown_word.h"
#include "collective.h"
#include "distinct_name.h"
#include "pattern_mean.h"
#include "profile_word.h"
#include "roofline.h"
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* Writes a part of a field; the caller writes the quotes around the field. */
static void inspect_print_field_part(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '"')
			putc('"', out);
		putc(*s, out);
	}
}

/* Writes a field without a comma after it. The field is quoted if it contains a
 * comma, a quote or a line end, and empty if it is NULL. */
static void inspect_print_field(FILE *out, const char *s)
{
	if (!s)
		return;
	if (!s[strcspn(s, ",\"\r\n")]) {
		fputs(s, out);
		return;
	}
	putc('"', out);
	inspect_print_field_part(out, s);
	putc('"', out);
}

/* Writes a number and a comma; only the comma if the number is unknown (NaN).
 */
static void inspect_print_tenths(FILE *out, double v)
{
	if (!isnan(v))
		fprintf(out, "%.1f", v);
	putc(',', out);
}

static void inspect_print_whole(FILE *out, int64_t v)
{
	if (v >= 0)
		fprintf(out, "%" PRId64, v);
	putc(',', out);
}

static void inspect_print_facts(FILE *out, const struct profile *p)
{
	if (p->facts.n == 0)
		return;
	fprintf(out, "\nfact,value\n");
	for (uint32_t i = 0; i < p->facts.n; i++) {
		inspect_print_field(out, p->facts.rows[i].name);
		putc(',', out);
		inspect_print_field(out, p->facts.rows[i].value);
		putc('\n', out);
	}
}

static void inspect_print_iterations_found(FILE *out,
	const struct iterations *c)
{
	fprintf(out,
		"\nDetector,Confidence,Iterations,Kept,Range\n"
		"%s,%.3f,%" PRIu32 ",%" PRIu32 ",",
		profile_word_detector[c->detector], c->confidence, c->n,
		c->kept_n);
	inspect_print_field(out, c->range);
	putc('\n', out);
}

static void inspect_print_iterations_strata(FILE *out,
	const struct iterations *c)
{
	if (c->strata_n)
		fputs("\nStratum,Kept,Phase,Sequences,Tokens,KV Tokens,Text\n",
			out);
	for (uint32_t i = 0; i < c->strata_n; i++) {
		const struct stratum *s = &c->strata[i];
		fprintf(out, "%" PRIu32 ",%" PRIu32 ",", i, s->iterations);
		inspect_print_field(out, profile_word_phase[s->phase]);
		putc(',', out);
		inspect_print_whole(out, s->sequences);
		inspect_print_whole(out, s->tokens);
		inspect_print_whole(out, s->kv_tokens);
		inspect_print_field(out, s->text);
		putc('\n', out);
	}
}

static void inspect_print_iterations_works(FILE *out,
	const struct iterations *c)
{
	if (c->works_n)
		fputs("\nStratum,Kind,Per Iteration,Name,Size\n", out);
	for (uint32_t i = 0; i < c->works_n; i++) {
		const struct work *w = &c->works[i];
		fprintf(out, "%" PRIu32 ",%s,%.3f,", w->stratum,
			profile_word_work[w->kind], w->per_iteration);
		inspect_print_field(out, w->name);
		putc(',', out);
		inspect_print_field(out, w->size);
		putc('\n', out);
	}
}

static void inspect_print_iterations_iteration(FILE *out,
	const struct iteration *c)
{
	const int64_t parts[] = { c->start_ns, c->dur_ns, c->compute_ns,
		c->comm_ns, c->copy_ns, c->idle_ns, c->comm_overlapped_ns,
		c->sync_ns, c->launches };
	fprintf(out, "%" PRId64 ",%s,%s,%" PRIu32 ",", c->number,
		profile_word_use[c->use], c->open ? "open" : "", c->stratum);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		inspect_print_whole(out, parts[i]);
	inspect_print_field(out, c->label);
	putc('\n', out);
}

static void inspect_print_iterations(FILE *out, const struct profile *p)
{
	const struct iterations *c = &p->iterations;
	inspect_print_iterations_found(out, c);
	inspect_print_iterations_strata(out, c);
	inspect_print_iterations_works(out, c);
	if (c->n)
		fputs("\nNumber,Use,Open,Stratum,Start (ns),Duration (ns),"
		      "Compute (ns),Communication (ns),Copies (ns),Idle (ns),"
		      "Communication Overlapped (ns),Sync (ns),Launches,Label\n",
			out);
	for (uint32_t i = 0; i < c->n; i++)
		inspect_print_iterations_iteration(out, &c->iterations[i]);
}

static void inspect_print_waits_iterations(FILE *out, const struct profile *p)
{
	fputs("\nNumber,Use,Idle (ns)", out);
	for (int k = 0; k < WAIT_CAUSES; k++)
		fprintf(out, ",%s (ns)", profile_word_wait[k]);
	putc('\n', out);
	for (uint32_t i = 0; i < p->iterations.n; i++) {
		const struct iteration *c = &p->iterations.iterations[i];
		fprintf(out, "%" PRId64 ",%s,%" PRId64, c->number,
			profile_word_use[c->use], c->idle_ns);
		for (int k = 0; k < WAIT_CAUSES; k++)
			fprintf(out, ",%" PRId64, p->waits.iteration_ns[k][i]);
		putc('\n', out);
	}
}

static void inspect_print_waits(FILE *out, const struct profile *p)
{
	const struct wait_times *w = &p->waits;

	if (!w->iteration_ns[0])
		return;
	inspect_print_waits_iterations(out, p);
	fputs("\nCause,Time (ns),Parts\n", out);
	for (int k = 0; k < WAIT_CAUSES; k++)
		fprintf(out, "%s,%" PRId64 ",%" PRId64 "\n",
			profile_word_wait[k], w->time_ns[k], w->parts[k]);
	fprintf(out, "\nLate Launch (ns),Short (ns)\n%" PRId64 ",%" PRId64 "\n",
		w->late_launch_ns, w->short_ns);
	if (w->names_n)
		fputs("\nCause,Time (ns),Kind,Name\n", out);
	for (uint32_t i = 0; i < w->names_n; i++) {
		const struct wait_name *n = &w->names[i];
		fprintf(out, "%s,%" PRId64 ",%s,", profile_word_wait[n->cause],
			n->time_ns, profile_word_wait_kind[n->kind]);
		inspect_print_field(out, n->name);
		putc('\n', out);
	}
}

static void inspect_print_busy_iterations(FILE *out, const struct profile *p)
{
	fputs("\nNumber,Use,Busy (ns)", out);
	for (int k = 0; k < BUSY_CLASSES; k++)
		fprintf(out, ",%s (ns)", profile_word_busy[k]);
	fputs(",Communication Overlapped (ns)\n", out);
	for (uint32_t i = 0; i < p->iterations.n; i++) {
		const struct iteration *c = &p->iterations.iterations[i];
		fprintf(out, "%" PRId64 ",%s,%" PRId64, c->number,
			profile_word_use[c->use], c->dur_ns - c->idle_ns);
		for (int k = 0; k < BUSY_CLASSES; k++)
			fprintf(out, ",%" PRId64, p->busy.iteration_ns[k][i]);
		fprintf(out, ",%" PRId64 "\n", c->comm_overlapped_ns);
	}
}

static void inspect_print_busy(FILE *out, const struct profile *p)
{
	const struct busy_times *b = &p->busy;

	if (!b->iteration_ns[0])
		return;
	inspect_print_busy_iterations(out, p);
	fputs("\nClass,Time (ns)\n", out);
	for (int k = 0; k < BUSY_CLASSES; k++)
		fprintf(out, "%s,%" PRId64 "\n", profile_word_busy[k],
			b->time_ns[k]);
	fprintf(out,
		"\nCommunication Overlapped (ns),Mixed (ns)\n%" PRId64
		",%" PRId64 "\n",
		b->comm_overlapped_ns, b->mixed_ns);
}

static void inspect_print_id(FILE *out, int64_t id)
{
	if (id < 0)
		fputs("unknown", out);
	else
		fprintf(out, "%" PRId64, id);
}

/* Graph replays that were recorded as one record each; nothing if there are none. */
static void inspect_print_graphs(FILE *out, const struct profile *p)
{
	if (p->graphs)
		fprintf(out, "graph_ns %" PRId64 "\ngraphs %" PRId64 "\n",
			p->graph_ns, p->graphs);
	for (uint32_t i = 0; i < p->graph_stats_n; i++) {
		const struct graph_stat *g = &p->graph_stats[i];
		fputs("graph ", out);
		inspect_print_id(out, g->graph_id);
		fputs(" exec=", out);
		inspect_print_id(out, g->graph_exec);
		fprintf(out,
			" device=%" PRId32 " replays=%" PRId64
			" total_ns=%" PRId64 " median_ns=%.1f\n",
			g->device, g->time.instances, g->time.total_ns,
			g->time.med_ns);
	}
}

static void inspect_print_spread(FILE *out, const struct spread *s)
{
	inspect_print_tenths(out, s->avg_ns);
	inspect_print_tenths(out, s->med_ns);
	inspect_print_whole(out, s->min_ns);
	inspect_print_whole(out, s->max_ns);
	inspect_print_tenths(out, s->stddev_ns);
}

static void inspect_print_launches(FILE *out, const struct profile *p)
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
		inspect_print_whole(out, p->pid);
		inspect_print_field(out, s->thread);
		fprintf(out, ",%" PRId32 ",", s->device);
		inspect_print_whole(out, s->instances);
		inspect_print_whole(out, s->queued);
		inspect_print_spread(out, &s->total);
		inspect_print_spread(out, &s->api_call);
		inspect_print_spread(out, &s->queue);
		inspect_print_spread(out, &s->kernel_run);
		inspect_print_field(out, s->api);
		putc(',', out);
		inspect_print_field(out, p->kernels[s->kernel].name);
		putc('\n', out);
	}
}

/* Always in quotes, because it is written frame by frame. */
static void inspect_print_path(FILE *out, const struct profile *p,
	uint32_t frame)
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
		inspect_print_field_part(out, f->name);
	}
	putc('"', out);
	arena_release(&a);
}

static void inspect_print_callers(FILE *out, const struct profile *p)
{
	if (p->callers_n)
		fputs("\nLaunches,Total Time (ns),Known,Name,Path\n", out);
	for (uint32_t i = 0; i < p->callers_n; i++) {
		const struct caller_stat *c = &p->callers[i];
		fprintf(out, "%" PRId64 ",%" PRId64 ",%s,", c->launches,
			c->total_ns, profile_word_known[c->known]);
		inspect_print_field(out, p->kernels[c->kernel].name);
		putc(',', out);
		if (c->frame)
			inspect_print_path(out, p, c->frame);
		putc('\n', out);
	}
}

static void inspect_print_column(FILE *out, const char *s)
{
	inspect_print_field(out, s);
	putc(',', out);
}

/* For example "op_sizes=400 rule=12", in nanoseconds. */
static void inspect_print_known(FILE *out, const int64_t known_ns[KNOWNS])
{
	const char *between = "";

	for (int k = 0; k < KNOWNS; k++) {
		if (!known_ns[k])
			continue;
		fprintf(out, "%s%s=%" PRId64, between, profile_word_how[k],
			known_ns[k]);
		between = " ";
	}
	putc(',', out);
}

static void inspect_print_operator(FILE *out, const struct operator_stat *o)
{
	const int64_t whole[] = { o->total_ns, o->calls, o->launches, o->shapes,
		o->sized_ns, o->bound_ns, o->clock.sol_ps, o->clock.compute_ns,
		o->clock.headroom_ns, o->clock.over_ns };

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		inspect_print_whole(out, whole[i]);
	inspect_print_column(out, dtype_word(o->dtype));
	inspect_print_column(out, profile_word_phase[o->phase]);
	inspect_print_known(out, o->known_ns);
	inspect_print_field(out, o->name);
	putc('\n', out);
}

/* The clock of the compute peaks, if SM clocks were sampled. */
static void inspect_print_peaks(FILE *out, const struct profile *p)
{
	const struct operators *o = &p->operators;
	struct arena a = { 0 };
	bool sampled = false;

	for (uint32_t i = 0; i < p->devices_n; i++)
		sampled |= p->devices[i].sm_clock_samples >= 0;
	if (!sampled)
		return;
	fputs("\nSM Clock (MHz),Peaks\n", out);
	inspect_print_tenths(out, o->sm_clock_mhz);
	inspect_print_field(out,
		o->sheet ? roofline_clock_text(o->sheet, o->sm_clock_mhz, &a)
			 : arena_printf(&a,
				   "compute peaks of the data sheet: %s",
				   o->sm_clock_why));
	putc('\n', out);
	arena_release(&a);
}

static void inspect_print_operators(FILE *out, const struct profile *p)
{
	const struct operators *o = &p->operators;

	fprintf(out,
		"\nGPU Time (ns),Replayed,Replayed Known,Platform\n%" PRId64
		",%" PRId64 ",%" PRId64 ",",
		o->gpu_ns, o->replayed, o->replayed_known);
	inspect_print_field(out, o->platform);
	putc('\n', out);
	inspect_print_peaks(out, p);
	if (o->n)
		fputs("\nTotal Time (ns),Calls,Launches,Shapes,"
		      "Shape Known (ns),Roofline Known (ns),SOL (ps),Compute (ns),Headroom (ns),"
		      "Over (ns),Type,Phase,Attribution Source (ns),Operator\n",
			out);
	for (uint32_t i = 0; i < o->n; i++)
		inspect_print_operator(out, &o->rows[i]);
}

/* For example "bf16=4096 fp32=12". */
static void inspect_print_flops(FILE *out, const struct cost *c)
{
	const char *between = "";

	for (int d = 0; d < DTYPES; d++) {
		if (!c->flops[d])
			continue;
		fprintf(out, "%s%s=%" PRIu64, between,
			dtype_word((enum dtype)d), c->flops[d]);
		between = " ";
	}
}

static void inspect_print_cost(FILE *out, const struct shape_stat *s)
{
	if (s->costed && !s->cost.link.kind) {
		inspect_print_flops(out, &s->cost);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", s->cost.read_bytes,
			s->cost.write_bytes);
	} else {
		fputs(",,,", out);
	}
	if (!isnan(s->clock_sol_ns))
		fprintf(out, "%.6g", s->clock_sol_ns);
	putc(',', out);
	inspect_print_column(out, profile_word_leg[s->clock_leg]);
	inspect_print_column(out, s->why);
}

static void inspect_print_shape(FILE *out, const struct operators *o,
	const struct shape_stat *s)
{
	const struct operator_stat *of = &o->rows[s->operator_];

	inspect_print_whole(out, s->call.total_ns);
	inspect_print_whole(out, s->call.instances);
	inspect_print_whole(out, s->launches);
	inspect_print_tenths(out, s->call.avg_ns);
	inspect_print_tenths(out, s->call.med_ns);
	inspect_print_whole(out, s->call.min_ns);
	inspect_print_whole(out, s->call.max_ns);
	inspect_print_column(out, profile_word_how[s->known]);
	inspect_print_cost(out, s);
	inspect_print_column(out, s->grid);
	inspect_print_column(out, dtype_word(of->dtype));
	inspect_print_column(out, profile_word_phase[of->phase]);
	inspect_print_column(out, s->text);
	inspect_print_field(out, of->name);
	putc('\n', out);
}

/* T_SOL by the data sheet's peaks, next to those at the recorded clock. */
static void inspect_print_by_sheet(FILE *out, const struct profile *p)
{
	const struct operators *o = &p->operators;

	if (!o->sheet)
		return;
	inspect_print_peaks(out, p);
	fputs("\nData Sheet SOL (ns),Leg,Type,Phase,Shape,Operator\n", out);
	for (uint32_t i = 0; i < o->shapes_n; i++) {
		const struct shape_stat *s = &o->shapes[i];
		const struct operator_stat *of = &o->rows[s->operator_];
		if (isnan(s->sol_ns))
			continue;
		fprintf(out, "%.6g,", s->sol_ns);
		inspect_print_column(out, profile_word_leg[s->leg]);
		inspect_print_column(out, dtype_word(of->dtype));
		inspect_print_column(out, profile_word_phase[of->phase]);
		inspect_print_column(out, s->text);
		inspect_print_field(out, of->name);
		putc('\n', out);
	}
}

static void inspect_print_shapes(FILE *out, const struct profile *p)
{
	const struct operators *o = &p->operators;

	if (o->shapes_n)
		fputs("\nTotal Time (ns),Calls,Launches,Avg (ns),Med (ns),"
		      "Min (ns),Max (ns),Attribution Source,FLOP,Read (bytes),"
		      "Write (bytes),SOL (ns),Leg,Reason,Grid,Type,Phase,Shape,"
		      "Operator\n",
			out);
	for (uint32_t i = 0; i < o->shapes_n; i++)
		inspect_print_shape(out, o, &o->shapes[i]);
	inspect_print_by_sheet(out, p);
}

static void inspect_print_unattributed(FILE *out, const struct profile *p)
{
	const struct operators *o = &p->operators;

	if (o->unattributed_n)
		fputs("\nTotal Time (ns),Launches,Name\n", out);
	for (uint32_t i = 0; i < o->unattributed_n; i++) {
		const struct unattributed *u = &o->unattributed[i];
		inspect_print_whole(out, u->total_ns);
		inspect_print_whole(out, u->launches);
		inspect_print_field(out, p->kernels[u->kernel].name);
		putc('\n', out);
	}
}

/* Writes an index; an empty field if there is none. */
static void inspect_print_index(FILE *out, uint32_t v)
{
	inspect_print_whole(out, v == UINT32_MAX ? -1 : (int64_t)v);
}

static void inspect_print_layers_found(FILE *out, const struct breakdown *b)
{
	fputs("\nDetector,Confidence,Device,Realigned,Iterations,Layers,Anchor,"
	      "Stratum,Reason\n",
		out);
	fprintf(out, "%s,%.3f,", breakdown_word_layers[b->detector],
		b->confidence);
	inspect_print_whole(out, b->device);
	fprintf(out, "%s,%" PRIu32 ",%" PRIu32 ",",
		b->realigned ? "realigned" : "", b->passes, b->layers);
	inspect_print_column(out, b->anchor);
	inspect_print_column(out, b->stratum);
	inspect_print_field(out, b->why);
	putc('\n', out);
}

static void inspect_print_wall(FILE *out, const struct breakdown *b)
{
	int64_t exclusive_ns = 0;

	for (uint32_t i = 0; i < b->rows_n; i++)
		exclusive_ns += b->rows[i].exclusive_ns;
	fprintf(out,
		"\nWall (ns),Exclusive (ns),Overlap (ns),Idle (ns),Other (ns),"
		"Exposed Communication (ns)\n"
		"%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
		",%" PRId64 "\n",
		b->wall_ns, exclusive_ns, b->overlap_ns, b->idle_ns,
		b->other_ns, b->exposed_comm_ns);
}

static void inspect_print_times(FILE *out, const struct time_stats *t)
{
	inspect_print_whole(out, t->instances);
	inspect_print_tenths(out, t->avg_ns);
	inspect_print_tenths(out, t->med_ns);
	inspect_print_tenths(out, t->stddev_ns);
	inspect_print_whole(out, t->min_ns);
	inspect_print_whole(out, t->max_ns);
}

#define TIMES "Avg (ns),Med (ns),StdDev (ns),Min (ns),Max (ns)"

static void inspect_print_sections(FILE *out, const struct breakdown *b)
{
	fputs("\nInstances," TIMES ",Of\n", out);
	inspect_print_times(out, &b->pass);
	fputs("end to end\n", out);
	if (b->layered.instances) {
		inspect_print_times(out, &b->layered);
		fprintf(out, "%" PRIu32 " layers\n", b->layers);
	}
	if (b->sections_n)
		fputs("\nSection,Position,Per Iteration,First,Similarity,Instances," TIMES
		      ",Name\n",
			out);
	for (uint32_t i = 0; i < b->sections_n; i++) {
		const struct breakdown_section *s = &b->sections[i];
		fprintf(out, "%" PRIu32 ",%s,%" PRIu32 ",%" PRIu32 ",", i,
			breakdown_word_place[s->place], s->per_pass, s->first);
		if (s->similarity >= 0)
			fprintf(out, "%.3f", s->similarity);
		putc(',', out);
		inspect_print_times(out, &s->time);
		inspect_print_field(out, s->name);
		putc('\n', out);
	}
}

static void inspect_print_blocks(FILE *out, const struct breakdown *b)
{
	if (b->blocks_n)
		fputs("\nBlock,Section,Parallel To,Sum (ns),Exclusive (ns),"
		      "Overlapped (ns),Name\n",
			out);
	for (uint32_t i = 0; i < b->blocks_n; i++) {
		const struct breakdown_block *k = &b->blocks[i];
		fprintf(out, "%" PRIu32 ",%" PRIu32 ",", i, k->section);
		inspect_print_index(out, k->parallel_to);
		inspect_print_tenths(out, k->sum_ns);
		inspect_print_whole(out, k->exclusive_ns);
		inspect_print_whole(out, k->overlapped_ns);
		fprintf(out, "%s\n", breakdown_word_block[k->kind]);
	}
}

/* For example "input_norm + quantize". */
static void inspect_print_roles(FILE *out, layer_roles roles)
{
	const char *between = "";

	for (int r = 0; r < ROLES; r++) {
		if (!(roles & UINT64_C(1) << r))
			continue;
		fprintf(out, "%s%s", between, breakdown_word_role[r]);
		between = " + ";
	}
	putc(',', out);
}

static void inspect_print_bound(FILE *out, const struct breakdown_row *r)
{
	inspect_print_whole(out, r->bound_launches);
	if (r->bound_ns)
		fprintf(out, "%" PRId64 ",%.3f,", r->clock_sol_ps,
			(double)r->clock_sol_ps / (double)r->bound_ns / 1000);
	else
		fputs(",,", out);
}

static void inspect_print_layers_row(FILE *out, const struct profile *p,
	const struct breakdown_row *r)
{
	inspect_print_whole(out, r->block);
	inspect_print_roles(out, r->roles);
	fprintf(out, "%s,",
		!r->roles	    ? ""
		: r->role_by_module ? "module"
				    : "sequence");
	inspect_print_column(out, r->module);
	inspect_print_column(out, r->operator_);
	inspect_print_whole(out, r->lane);
	inspect_print_index(out, r->group);
	fprintf(out, "%" PRId64 ",%s,", r->instances, r->extra ? "extra" : "");
	inspect_print_times(out, &r->time);
	inspect_print_tenths(out, r->offset_ns);
	inspect_print_whole(out, r->exclusive_ns);
	inspect_print_whole(out, r->overlapped_ns);
	inspect_print_bound(out, r);
	inspect_print_field(out, r->kernel == ROW_NO_KERNEL
					 ? r->operation
					 : p->kernels[r->kernel].short_name);
	putc('\n', out);
}

static void inspect_print_group(FILE *out, const struct profile *p,
	const struct kernel_group *g)
{
	fprintf(out, "%s,%" PRId64 ",%.3f,%" PRId64 ",%" PRId64 ",",
		breakdown_word_evidence[g->evidence], g->support, g->confidence,
		g->total_ns, g->alone);
	inspect_print_column(out, g->operator_);
	putc('"', out);
	for (uint32_t i = 0; i < g->kernels_n; i++) {
		if (i)
			fputs(" > ", out);
		inspect_print_field_part(out,
			p->kernels[g->kernels[i]].short_name);
	}
	fputs("\"\n", out);
}

static void inspect_print_layers(FILE *out, const struct profile *p)
{
	const struct breakdown *b = &p->breakdown;
	const struct kernel_groups *g = &p->groups;

	/* Layers are found in the order of launches, which others do not have. */
	if (p->content != CONTENT_LAUNCHES) {
		fprintf(out, "\nReason\nthe run has only %s\n",
			profile_word_content[p->content]);
		return;
	}
	inspect_print_layers_found(out, b);
	inspect_print_wall(out, b);
	inspect_print_sections(out, b);
	inspect_print_blocks(out, b);
	if (b->rows_n)
		fputs("\nBlock,Roles,Role Source,Module,Operator,Stream,Group,Instances,"
		      "Extra,Launches," TIMES
		      ",Offset (ns),Exclusive (ns),Overlapped (ns),Bound,"
		      "SOL (ps),S,Kernel\n",
			out);
	for (uint32_t i = 0; i < b->rows_n; i++)
		inspect_print_layers_row(out, p, &b->rows[i]);
	if (g->n)
		fputs("\nEvidence,Support,Confidence,Total Time (ns),Alone,"
		      "Operator,Kernels\n",
			out);
	for (uint32_t i = 0; i < g->n; i++)
		inspect_print_group(out, p, &g->groups[i]);
}

/* Writes a number with six significant digits, and a comma. */
static void inspect_print_figure(FILE *out, double v)
{
	if (isfinite(v))
		fprintf(out, "%.6g", v);
	putc(',', out);
}

static void inspect_print_pattern_row(FILE *out, const struct pattern_mean *m)
{
	fprintf(out, "%s,", profile_word_function[m->of->type]);
	inspect_print_field(out, m->of->device);
	putc(',', out);
	inspect_print_tenths(out, m->ns);
	inspect_print_figure(out, m->launches);
	inspect_print_figure(out, m->beta_pct);
	inspect_print_whole(out, m->min_ns);
	inspect_print_whole(out, m->max_ns);
	fprintf(out, "%" PRIu32 ",", m->iterations);
	inspect_print_field(out, m->of->name);
	putc('\n', out);
}

static void inspect_print_pattern_metrics(FILE *out,
	const struct pattern_mean *m)
{
	for (uint32_t i = 0; i < m->metrics_n; i++) {
		const struct metric_mean *x = &m->metrics[i];
		inspect_print_field(out, x->name);
		putc(',', out);
		inspect_print_figure(out, x->mu);
		inspect_print_figure(out, x->sigma);
		fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",",
			x->iterations, x->partly, x->interpolated);
		inspect_print_field(out, m->of->device);
		putc(',', out);
		inspect_print_field(out, m->of->name);
		putc('\n', out);
	}
}

static void inspect_print_patterns(FILE *out, const struct profile *p)
{
	struct arena a = { 0 };
	struct pattern_means m;
	pattern_mean_from(&p->iterations, &p->patterns, &a, &m);
	if (m.n)
		fputs("\nType,Device,Time (ns/iteration),Launches/Iteration,Beta (%),"
		      "Min (ns),Max (ns),Iterations,Function\n",
			out);
	for (uint32_t i = 0; i < m.n; i++)
		inspect_print_pattern_row(out, &m.rows[i]);
	if (p->patterns.metrics_n)
		fputs("\nMetric,Mu,Sigma,Iterations,Partly,Interpolated,Device,"
		      "Function\n",
			out);
	for (uint32_t i = 0; i < m.n; i++)
		inspect_print_pattern_metrics(out, &m.rows[i]);
	arena_release(&a);
}

/* Writes text on one line: characters that would break the line become '?'. */
static void inspect_print_text(FILE *out, const char *s)
{
	for (s = s ? s : "unknown"; *s; s++)
		putc((unsigned char)*s < 0x20 || *s == 0x7F ? '?' : *s, out);
}

static void inspect_print_line(FILE *out, const char *key, const char *text)
{
	fprintf(out, "%s ", key);
	inspect_print_text(out, text);
	putc('\n', out);
}

static void inspect_print_number(FILE *out, const char *key, int64_t n)
{
	if (n < 0)
		inspect_print_line(out, key, NULL);
	else
		fprintf(out, "%s %" PRId64 "\n", key, n);
}

void inspect_print_file(FILE *out, const struct trace *t)
{
	inspect_print_line(out, "format", t->format);
	inspect_print_line(out, "framework", t->framework);
	fprintf(out, "runs %" PRIu32 "\n", t->processes_n);
}

static void inspect_print_started(FILE *out, int64_t utc_ns)
{
	const int64_t second = 1000000000;
	time_t s = (time_t)(utc_ns / second);
	char text[64];
	struct tm tm;

	if (utc_ns < 0 || !gmtime_r(&s, &tm) ||
		!strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm))
		inspect_print_line(out, "started", NULL);
	else
		fprintf(out, "started %s.%09" PRId64 "Z\n", text,
			utc_ns % second);
}

static void inspect_print_rank(FILE *out, const struct profile *p)
{
	if (p->rank < 0)
		inspect_print_line(out, "rank", NULL);
	else if (p->world_size < 0)
		fprintf(out, "rank %" PRId32 " of unknown\n", p->rank);
	else
		fprintf(out, "rank %" PRId32 " of %" PRId32 "\n", p->rank,
			p->world_size);
}

static void inspect_print_device(FILE *out, const struct profile_device *d)
{
	fprintf(out, "device %" PRId32 " launches=%" PRId64, d->number,
		d->launches);
	if (d->busy_ns < 0)
		fputs(" busy_ns=unknown", out);
	else
		fprintf(out, " busy_ns=%" PRId64, d->busy_ns);
	if (d->sm_count < 0)
		fputs(" sms=unknown", out);
	else
		fprintf(out, " sms=%" PRId32, d->sm_count);
	if (d->compute_major < 0)
		fputs(" compute=unknown", out);
	else
		fprintf(out, " compute=%" PRId32 ".%" PRId32, d->compute_major,
			d->compute_minor < 0 ? 0 : d->compute_minor);
	if (d->memory_bytes < 0)
		fputs(" memory_bytes=unknown", out);
	else
		fprintf(out, " memory_bytes=%" PRId64, d->memory_bytes);
	fputs(" name=", out);
	inspect_print_text(out, d->name);
	putc('\n', out);
}

/* Only if the trace states which GPU it is. */
static void inspect_print_gpu(FILE *out, const struct profile_device *d)
{
	if (!d->uuid && !d->bus_id)
		return;
	fprintf(out, "gpu %" PRId32 " uuid=", d->number);
	inspect_print_text(out, d->uuid);
	fputs(" bus_id=", out);
	inspect_print_text(out, d->bus_id);
	putc('\n', out);
}

/* Only if the clock was sampled. */
static void inspect_print_clock(FILE *out, const struct profile_device *d)
{
	if (d->sm_clock_samples < 0)
		return;
	fprintf(out, "sm_clock %" PRId32 " samples=%" PRId64 " mhz=", d->number,
		d->sm_clock_samples);
	if (isnan(d->sm_clock_mhz))
		fputs("unknown\n", out);
	else
		fprintf(out, "%.1f\n", d->sm_clock_mhz);
}

static void inspect_print_notes(FILE *out, const struct notes *ns)
{
	struct arena a = { 0 };
	for (enum note_code c = 0; c < NOTE_CODES; c++) {
		if (!ns->count[c])
			continue;
		fprintf(out, "note %s %s %" PRId64 ": ",
			note_severity_name(note_severity(c)), note_name(c),
			ns->count[c]);
		inspect_print_text(out,
			note_sentence(&a, c, ns->count[c], ns->detail[c]));
		putc('\n', out);
	}
	arena_release(&a);
}

static void inspect_print_heading(FILE *out, const char *count,
	const char *rest)
{
	fprintf(out,
		"\nTime (%%),Total Time (ns),%s,Avg (ns),Med (ns),Min (ns),"
		"Max (ns),StdDev (ns),P90 (ns),P99 (ns),%s\n",
		count, rest);
}

static void inspect_print_time(FILE *out, double pct,
	const struct time_stats *t)
{
	inspect_print_tenths(out, pct);
	inspect_print_whole(out, t->total_ns);
	inspect_print_whole(out, t->instances);
	inspect_print_tenths(out, t->avg_ns);
	inspect_print_tenths(out, t->med_ns);
	inspect_print_whole(out, t->min_ns);
	inspect_print_whole(out, t->max_ns);
	inspect_print_tenths(out, t->stddev_ns);
	inspect_print_tenths(out, t->p90_ns);
	inspect_print_tenths(out, t->p99_ns);
}

static void inspect_print_three(FILE *out, const int32_t v[3])
{
	if (v[0] >= 0)
		fprintf(out, "%4" PRId32 " %4" PRId32 " %4" PRId32, v[0], v[1],
			v[2]);
	putc(',', out);
}

static void inspect_print_kernels(FILE *out, const struct profile *p,
	enum split split)
{
	static const char *const columns[] = { [SPLIT_NONE] = "Name",
		[SPLIT_DEVICE] = "Device,Name",
		[SPLIT_GRID] = "GridXYZ,BlockXYZ,Name" };

	bool headed = false;
	for (uint32_t i = 0; i < p->stats_n; i++) {
		const struct kernel_stat *s = &p->stats[i];
		if (s->split != split)
			continue;
		if (!headed)
			inspect_print_heading(out, "Instances", columns[split]);
		headed = true;
		inspect_print_time(out, s->time_pct, &s->time);
		if (split == SPLIT_DEVICE)
			fprintf(out, "%" PRId32 ",", s->device);
		if (split == SPLIT_GRID) {
			inspect_print_three(out, s->grid);
			inspect_print_three(out, s->block);
		}
		inspect_print_field(out, p->kernels[s->kernel].name);
		putc('\n', out);
	}
}

static void inspect_print_copies(FILE *out, const struct profile *p,
	enum split split)
{
	if (p->copies)
		inspect_print_heading(out, "Count",
			split == SPLIT_DEVICE ? "Bytes,Sized,Device,Operation"
					      : "Bytes,Sized,Operation");
	for (uint32_t i = 0; i < p->copy_stats_n; i++) {
		const struct copy_stat *s = &p->copy_stats[i];
		if (s->split != split)
			continue;
		inspect_print_time(out, s->time_pct, &s->time);
		fprintf(out, "%" PRId64 ",%" PRId64 ",", s->bytes, s->sized);
		if (split == SPLIT_DEVICE)
			fprintf(out, "%" PRId32 ",", s->device);
		inspect_print_field(out, s->operation);
		putc('\n', out);
	}
}

/* Kernels are in the order of the kernel table. */
static void inspect_print_sources(FILE *out, const struct profile *p)
{
	struct arena a = { 0 };
	const char **distinct = distinct_names_of_run(&a, p);

	if (p->stats_n)
		fputs("\nDistinct Name,Short Name,Family,Operator,Defined In,Launched From,"
		      "Attribution Source,Mangled,Name\n",
			out);
	for (uint32_t i = 0; i < p->stats_n; i++) {
		if (p->stats[i].split != SPLIT_NONE)
			continue;
		const struct profile_kernel *k =
			&p->kernels[p->stats[i].kernel];
		const char *fields[] = { distinct[p->stats[i].kernel],
			k->short_name, k->source.family, k->op,
			k->source.defined_in, k->source.launched_from,
			k->source.known_from, k->mangled, k->name };
		enum { FIELDS = sizeof fields / sizeof *fields };
		for (int f = 0; f < FIELDS; f++) {
			inspect_print_field(out, fields[f]);
			putc(f == FIELDS - 1 ? '\n' : ',', out);
		}
	}
	arena_release(&a);
}

static void inspect_print_or_empty(FILE *out, int64_t v)
{
	if (v >= 0)
		fprintf(out, "%" PRId64, v);
	putc(',', out);
}

static void inspect_print_collective(FILE *out, const struct collective *c)
{
	const struct collective_call *is = &c->call;
	int64_t total_ns = 0, min_ns = INT64_MAX;

	for (uint32_t i = 0; i < c->n; i++) {
		total_ns += c->dur_ns[i];
		min_ns = c->dur_ns[i] < min_ns ? c->dur_ns[i] : min_ns;
	}
	double gb_s = collective_busbw_gb_s(is, c->n, total_ns);
	fprintf(out, "%" PRId64 ",%" PRIu32 ",%" PRId64 ",%s,%s,", total_ns,
		c->n, min_ns, is->kind ? collective_word(is->kind) : "",
		is->dtype ? dtype_word(is->dtype) : "");
	inspect_print_or_empty(out, is->bytes);
	inspect_print_or_empty(out, is->elements);
	if (!isnan(gb_s))
		fprintf(out, "%.3f", gb_s);
	putc(',', out);
	inspect_print_field(out, collective_bytes_reason(is));
	putc(',', out);
	inspect_print_field(out, is->group);
	putc(',', out);
	inspect_print_or_empty(out, is->group_size);
	inspect_print_field(out, is->ranks);
	fprintf(out, ",%" PRId32 ",%" PRId64 ",", c->device, c->stream);
	inspect_print_field(out, c->name);
	putc('\n', out);
}

static void inspect_print_collectives(FILE *out, const struct profile *p)
{
	if (p->collectives.n)
		fputs("\nTotal Time (ns),Calls,Min (ns),Kind,Type,Bytes,"
		      "Elements,Bus Bandwidth (GB/s),Reason,Group,Group Size,"
		      "Group Ranks,Device,Stream,Name\n",
			out);
	for (uint32_t i = 0; i < p->collectives.n; i++)
		inspect_print_collective(out, &p->collectives.rows[i]);
}

/* The function that prints each word of --by. NULL: statistics, split by this
 * word. */
static const struct {
	const char *by;
	void (*print)(FILE *out, const struct profile *p);
} tables[] = {
	{ "kernels", NULL },
	{ "device", NULL },
	{ "grid", NULL },
	{ "source", inspect_print_sources },
	{ "launches", inspect_print_launches },
	{ "callers", inspect_print_callers },
	{ "iterations", inspect_print_iterations },
	{ "waits", inspect_print_waits },
	{ "busy", inspect_print_busy },
	{ "patterns", inspect_print_patterns },
	{ "facts", inspect_print_facts },
	{ "operators", inspect_print_operators },
	{ "shapes", inspect_print_shapes },
	{ "unattributed", inspect_print_unattributed },
	{ "layers", inspect_print_layers },
	{ "collectives", inspect_print_collectives },
};
enum { TABLES = sizeof tables / sizeof *tables };

bool inspect_print_knows(const char *by)
{
	for (size_t i = 0; i < TABLES; i++)
		if (!strcmp(by, tables[i].by))
			return true;
	return false;
}

void inspect_print_run(FILE *out, const struct profile *p, uint32_t number,
	const char *by)
{
	fprintf(out, "\nrun %" PRIu32 "\n", number);
	inspect_print_number(out, "process", p->pid);
	inspect_print_line(out, "process_name", p->process_name);
	inspect_print_line(out, "host", p->host);
	inspect_print_rank(out, p);
	inspect_print_started(out, p->started_utc_ns);
	inspect_print_number(out, "span_ns", p->span_ns);
	inspect_print_number(out, "busy_ns", p->busy_ns);
	inspect_print_number(out, "kernel_ns", p->kernel_ns);
	inspect_print_number(out, "launches", p->launches);
	inspect_print_number(out, "kernels", p->kernels_n);
	inspect_print_number(out, "copy_ns", p->copy_ns);
	inspect_print_number(out, "copies", p->copies);
	inspect_print_graphs(out, p);
	for (uint32_t i = 0; i < p->devices_n; i++)
		inspect_print_device(out, &p->devices[i]);
	for (uint32_t i = 0; i < p->devices_n; i++)
		inspect_print_clock(out, &p->devices[i]);
	for (uint32_t i = 0; i < p->devices_n; i++)
		inspect_print_gpu(out, &p->devices[i]);
	inspect_print_notes(out, &p->notes);

	for (size_t i = 0; i < TABLES; i++)
		if (!strcmp(by, tables[i].by) && tables[i].print) {
			tables[i].print(out, p);
			return;
		}
	bool device = !strcmp(by, "device");
	bool grid = !strcmp(by, "grid");
	inspect_print_kernels(out, p,
		device ? SPLIT_DEVICE
		: grid ? SPLIT_GRID
		       : SPLIT_NONE);
	inspect_print_copies(out, p, device ? SPLIT_DEVICE : SPLIT_NONE);
}
