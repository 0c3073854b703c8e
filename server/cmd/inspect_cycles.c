/* inspect_cycles.c - the cycles found, what they worked on, where their time
 * went: four tables. */
#include "inspect_cycles.h"
#include "inspect_field.h"
#include "profile_word.h"
#include <inttypes.h>

static void print_found(FILE *out, const struct cycles *c)
{
	fprintf(out,
		"\nDetector,Confidence,Cycles,Kept,Range\n"
		"%s,%.3f,%" PRIu32 ",%" PRIu32 ",",
		profile_word_detector[c->detector], c->confidence, c->n,
		c->kept_n);
	inspect_field_text(out, c->range);
	putc('\n', out);
}

static void print_strata(FILE *out, const struct cycles *c)
{
	if (c->strata_n)
		fputs("\nStratum,Kept,Phase,Sequences,Tokens,KV Tokens,Text\n",
			out);
	for (uint32_t i = 0; i < c->strata_n; i++) {
		const struct stratum *s = &c->strata[i];
		fprintf(out, "%" PRIu32 ",%" PRIu32 ",", i, s->cycles);
		inspect_field_text(out, profile_word_phase[s->phase]);
		putc(',', out);
		inspect_field_whole(out, s->sequences);
		inspect_field_whole(out, s->tokens);
		inspect_field_whole(out, s->kv_tokens);
		inspect_field_text(out, s->text);
		putc('\n', out);
	}
}

static void print_works(FILE *out, const struct cycles *c)
{
	if (c->works_n)
		fputs("\nStratum,Kind,Per Cycle,Name,Size\n", out);
	for (uint32_t i = 0; i < c->works_n; i++) {
		const struct work *w = &c->works[i];
		fprintf(out, "%" PRIu32 ",%s,%.3f,", w->stratum,
			profile_word_work[w->kind], w->per_cycle);
		inspect_field_text(out, w->name);
		putc(',', out);
		inspect_field_text(out, w->size);
		putc('\n', out);
	}
}

static void print_cycle(FILE *out, const struct cycle *c)
{
	const int64_t parts[] = { c->start_ns, c->dur_ns, c->compute_ns,
		c->comm_ns, c->copy_ns, c->idle_ns, c->sync_ns, c->launches };
	fprintf(out, "%" PRId64 ",%s,%s,%" PRIu32 ",", c->number,
		profile_word_use[c->use], c->open ? "open" : "", c->stratum);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		inspect_field_whole(out, parts[i]);
	inspect_field_text(out, c->label);
	putc('\n', out);
}

void inspect_cycles(FILE *out, const struct profile *p)
{
	const struct cycles *c = &p->cycles;
	print_found(out, c);
	print_strata(out, c);
	print_works(out, c);
	if (c->n)
		fputs("\nNumber,Use,Open,Stratum,Start (ns),Duration (ns),"
		      "Compute (ns),Communication (ns),Copies (ns),Idle (ns),"
		      "Sync (ns),Launches,Label\n",
			out);
	for (uint32_t i = 0; i < c->n; i++)
		print_cycle(out, &c->cycles[i]);
}
