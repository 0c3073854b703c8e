/* inspect_layers.c - the breakdown of a run: sections, blocks, rows, groups. */
#include "inspect_layers.h"
#include "breakdown_word.h"
#include "inspect_field.h"
#include <inttypes.h>

static void print_text(FILE *out, const char *s)
{
	inspect_field_text(out, s);
	putc(',', out);
}

/* Empty where it is none. */
static void print_index(FILE *out, uint32_t v)
{
	inspect_field_whole(out, v == UINT32_MAX ? -1 : (int64_t)v);
}

static void print_found(FILE *out, const struct breakdown *b)
{
	fputs("\nDetector,Confidence,Device,Realigned,Passes,Layers,Anchor,"
	      "Stratum,Why\n",
		out);
	fprintf(out, "%s,%.3f,", breakdown_word_layers[b->detector],
		b->confidence);
	inspect_field_whole(out, b->device);
	fprintf(out, "%s,%" PRIu32 ",%" PRIu32 ",",
		b->realigned ? "realigned" : "", b->passes, b->layers);
	print_text(out, b->anchor);
	print_text(out, b->stratum);
	inspect_field_text(out, b->why);
	putc('\n', out);
}

static void print_wall(FILE *out, const struct breakdown *b)
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

static void print_times(FILE *out, const struct time_stats *t)
{
	inspect_field_whole(out, t->instances);
	inspect_field_tenths(out, t->avg_ns);
	inspect_field_tenths(out, t->med_ns);
	inspect_field_tenths(out, t->stddev_ns);
	inspect_field_whole(out, t->min_ns);
	inspect_field_whole(out, t->max_ns);
}

#define TIMES "Avg (ns),Med (ns),StdDev (ns),Min (ns),Max (ns)"

static void print_sections(FILE *out, const struct breakdown *b)
{
	fputs("\nInstances," TIMES ",Of\n", out);
	print_times(out, &b->pass);
	fputs("end to end\n", out);
	if (b->layered.instances) {
		print_times(out, &b->layered);
		fprintf(out, "%" PRIu32 " layers\n", b->layers);
	}
	if (b->sections_n)
		fputs("\nSection,Place,Per Pass,First,Alike,Instances," TIMES
		      ",Name\n",
			out);
	for (uint32_t i = 0; i < b->sections_n; i++) {
		const struct breakdown_section *s = &b->sections[i];
		fprintf(out, "%" PRIu32 ",%s,%" PRIu32 ",%" PRIu32 ",", i,
			breakdown_word_place[s->place], s->per_pass, s->first);
		if (s->alike >= 0)
			fprintf(out, "%.3f", s->alike);
		putc(',', out);
		print_times(out, &s->time);
		inspect_field_text(out, s->name);
		putc('\n', out);
	}
}

static void print_blocks(FILE *out, const struct breakdown *b)
{
	if (b->blocks_n)
		fputs("\nBlock,Section,Beside,Sum (ns),Exclusive (ns),"
		      "Overlapped (ns),Name\n",
			out);
	for (uint32_t i = 0; i < b->blocks_n; i++) {
		const struct breakdown_block *k = &b->blocks[i];
		fprintf(out, "%" PRIu32 ",%" PRIu32 ",", i, k->section);
		print_index(out, k->beside);
		inspect_field_tenths(out, k->sum_ns);
		inspect_field_whole(out, k->exclusive_ns);
		inspect_field_whole(out, k->overlapped_ns);
		fprintf(out, "%s\n", breakdown_word_block[k->kind]);
	}
}

/* "input_norm + quantize" */
static void print_roles(FILE *out, layer_roles roles)
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

static void print_bound(FILE *out, const struct breakdown_row *r)
{
	inspect_field_whole(out, r->bound_launches);
	if (r->bound_ns)
		fprintf(out, "%" PRId64 ",%.3f,", r->sol_ps,
			(double)r->sol_ps / (double)r->bound_ns / 1000);
	else
		fputs(",,", out);
}

static void print_row(FILE *out, const struct profile *p,
	const struct breakdown_row *r)
{
	inspect_field_whole(out, r->block);
	print_roles(out, r->roles);
	fprintf(out, "%s,",
		!r->roles	    ? ""
		: r->role_by_module ? "module"
				    : "sequence");
	print_text(out, r->module);
	print_text(out, r->operator_);
	inspect_field_whole(out, r->lane);
	print_index(out, r->group);
	fprintf(out, "%" PRId64 ",%s,", r->instances, r->extra ? "extra" : "");
	print_times(out, &r->time);
	inspect_field_tenths(out, r->offset_ns);
	inspect_field_whole(out, r->exclusive_ns);
	inspect_field_whole(out, r->overlapped_ns);
	print_bound(out, r);
	inspect_field_text(out, r->kernel == ROW_NO_KERNEL
					? r->operation
					: p->kernels[r->kernel].short_name);
	putc('\n', out);
}

static void print_group(FILE *out, const struct profile *p,
	const struct kernel_group *g)
{
	fprintf(out, "%s,%" PRId64 ",%.3f,%" PRId64 ",%" PRId64 ",",
		breakdown_word_evidence[g->evidence], g->support, g->confidence,
		g->total_ns, g->alone);
	print_text(out, g->operator_);
	putc('"', out);
	for (uint32_t i = 0; i < g->kernels_n; i++) {
		if (i)
			fputs(" > ", out);
		inspect_field_part(out, p->kernels[g->kernels[i]].short_name);
	}
	fputs("\"\n", out);
}

void inspect_layers(FILE *out, const struct profile *p)
{
	const struct breakdown *b = &p->breakdown;
	const struct kernel_groups *g = &p->groups;

	print_found(out, b);
	print_wall(out, b);
	print_sections(out, b);
	print_blocks(out, b);
	if (b->rows_n)
		fputs("\nBlock,Roles,Known,Module,Operator,Lane,Group,Have It,"
		      "Extra,Launches," TIMES
		      ",Offset (ns),Exclusive (ns),Overlapped (ns),Bound,"
		      "SOL (ps),S,Kernel\n",
			out);
	for (uint32_t i = 0; i < b->rows_n; i++)
		print_row(out, p, &b->rows[i]);
	if (g->n)
		fputs("\nEvidence,Support,Confidence,Total Time (ns),Alone,"
		      "Operator,Kernels\n",
			out);
	for (uint32_t i = 0; i < g->n; i++)
		print_group(out, p, &g->groups[i]);
}
