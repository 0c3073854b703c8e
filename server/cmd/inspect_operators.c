/* inspect_operators.c - operators, their shapes, and what nobody knows. */
#include "inspect_operators.h"
#include "inspect_field.h"
#include "profile_word.h"
#include <inttypes.h>
#include <math.h>

static void print_text(FILE *out, const char *s)
{
	inspect_field_text(out, s);
	putc(',', out);
}

/* "op_sizes=400 rule=12", nanoseconds. */
static void print_known(FILE *out, const int64_t known_ns[KNOWNS])
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

static void print_operator(FILE *out, const struct operator_stat *o)
{
	const int64_t whole[] = { o->total_ns, o->calls, o->launches, o->shapes,
		o->sized_ns, o->bound_ns, o->sol_ps, o->compute_ns,
		o->headroom_ns, o->over_ns };

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		inspect_field_whole(out, whole[i]);
	print_text(out, dtype_word(o->dtype));
	print_text(out, profile_word_phase[o->phase]);
	print_known(out, o->known_ns);
	inspect_field_text(out, o->name);
	putc('\n', out);
}

void inspect_operators(FILE *out, const struct profile *p)
{
	const struct operators *o = &p->operators;

	fprintf(out,
		"\nGPU Time (ns),Replayed,Replayed Known,Platform\n%" PRId64
		",%" PRId64 ",%" PRId64 ",",
		o->gpu_ns, o->replayed, o->replayed_known);
	inspect_field_text(out, o->platform);
	putc('\n', out);
	if (o->n)
		fputs("\nTotal Time (ns),Calls,Launches,Shapes,Sized (ns),"
		      "Bound (ns),SOL (ps),Compute (ns),Headroom (ns),"
		      "Over (ns),Type,Phase,Known (ns),Operator\n",
			out);
	for (uint32_t i = 0; i < o->n; i++)
		print_operator(out, &o->rows[i]);
}

/* "bf16=4096 fp32=12" */
static void print_flops(FILE *out, const struct cost *c)
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

static void print_cost(FILE *out, const struct shape_stat *s)
{
	if (s->costed) {
		print_flops(out, &s->cost);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", s->cost.read_bytes,
			s->cost.write_bytes);
	} else {
		fputs(",,,", out);
	}
	if (!isnan(s->sol_ns))
		fprintf(out, "%.6g", s->sol_ns);
	putc(',', out);
	print_text(out, profile_word_leg[s->leg]);
	print_text(out, s->why);
}

static void print_shape(FILE *out, const struct operators *o,
	const struct shape_stat *s)
{
	const struct operator_stat *of = &o->rows[s->operator_];

	inspect_field_whole(out, s->call.total_ns);
	inspect_field_whole(out, s->call.instances);
	inspect_field_whole(out, s->launches);
	inspect_field_tenths(out, s->call.avg_ns);
	inspect_field_tenths(out, s->call.med_ns);
	inspect_field_whole(out, s->call.min_ns);
	inspect_field_whole(out, s->call.max_ns);
	print_text(out, profile_word_how[s->known]);
	print_cost(out, s);
	print_text(out, s->grid);
	print_text(out, dtype_word(of->dtype));
	print_text(out, profile_word_phase[of->phase]);
	print_text(out, s->text);
	inspect_field_text(out, of->name);
	putc('\n', out);
}

void inspect_shapes(FILE *out, const struct profile *p)
{
	const struct operators *o = &p->operators;

	if (o->shapes_n)
		fputs("\nTotal Time (ns),Calls,Launches,Avg (ns),Med (ns),"
		      "Min (ns),Max (ns),Known,FLOP,Read (bytes),"
		      "Write (bytes),SOL (ns),Leg,Why,Grid,Type,Phase,Shape,"
		      "Operator\n",
			out);
	for (uint32_t i = 0; i < o->shapes_n; i++)
		print_shape(out, o, &o->shapes[i]);
}

void inspect_unattributed(FILE *out, const struct profile *p)
{
	const struct operators *o = &p->operators;

	if (o->unattributed_n)
		fputs("\nTotal Time (ns),Launches,Name\n", out);
	for (uint32_t i = 0; i < o->unattributed_n; i++) {
		const struct unattributed *u = &o->unattributed[i];
		inspect_field_whole(out, u->total_ns);
		inspect_field_whole(out, u->launches);
		inspect_field_text(out, p->kernels[u->kernel].name);
		putc('\n', out);
	}
}
