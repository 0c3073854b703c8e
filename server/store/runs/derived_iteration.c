/* derived_iteration.c - the repetitions of a run's work, what they worked on, and
 * what was around. */
#include "derived_cycle.h"
#include "derived_table.h"
#include "profile_word.h"
#include "sha256.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_cycles(struct bulk *b, const struct derived_run *run)
{
	const struct cycles *cs = &run->profile->cycles;
	for (uint32_t i = 0; i < cs->n; i++) {
		const struct cycle *c = &cs->cycles[i];
		bulk_row(b, 15);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int8(b, c->number);
		bulk_text(b, c->label);
		bulk_int8_known(b, c->start_ns);
		bulk_int8_known(b, c->dur_ns);
		bulk_text(b, profile_word_use[c->use]);
		bulk_bool(b, c->open);
		bulk_int4(b, (int32_t)c->stratum);
		bulk_int8_known(b, c->compute_ns);
		bulk_int8_known(b, c->comm_ns);
		bulk_int8_known(b, c->copy_ns);
		bulk_int8_known(b, c->idle_ns);
		bulk_int8_known(b, c->sync_ns);
		bulk_int8(b, c->launches);
	}
}

const struct derived_table derived_cycle = {
	"COPY run_cycle (run_id, cycle, number, label, start_ns, dur_ns, use, "
	"open, stratum, compute_ns, comm_ns, copy_ns, idle_ns, sync_ns, "
	"launches) FROM STDIN (FORMAT binary)",
	write_cycles,
};

static void write_strata(struct bulk *b, const struct derived_run *run)
{
	const struct cycles *cs = &run->profile->cycles;
	for (uint32_t i = 0; i < cs->strata_n; i++) {
		const struct stratum *s = &cs->strata[i];
		bulk_row(b, 8);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, s->text);
		bulk_text(b, profile_word_phase[s->phase]);
		bulk_int8_known(b, s->sequences);
		bulk_int8_known(b, s->tokens);
		bulk_int8_known(b, s->kv_tokens);
		bulk_int4(b, (int32_t)s->cycles);
	}
}

const struct derived_table derived_stratum = {
	"COPY run_stratum (run_id, stratum, text, phase, sequences, tokens, "
	"kv_tokens, cycles) FROM STDIN (FORMAT binary)",
	write_strata,
};

static void write_works(struct bulk *b, const struct derived_run *run)
{
	const struct cycles *cs = &run->profile->cycles;
	for (uint32_t i = 0; i < cs->works_n; i++) {
		const struct work *w = &cs->works[i];
		bulk_row(b, 7);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)w->stratum);
		bulk_text(b, profile_word_work[w->kind]);
		bulk_text(b, w->name);
		bulk_text(b, w->size);
		bulk_float8(b, w->per_cycle);
	}
}

const struct derived_table derived_work = {
	"COPY run_work (run_id, rank, stratum, kind, name, size, per_cycle) "
	"FROM STDIN (FORMAT binary)",
	write_works,
};

static void write_facts(struct bulk *b, const struct derived_run *run)
{
	const struct facts *fs = &run->profile->facts;
	for (uint32_t i = 0; i < fs->n; i++) {
		bulk_row(b, 4);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, fs->rows[i].name);
		bulk_text(b, fs->rows[i].value);
	}
}

const struct derived_table derived_fact = {
	"COPY run_fact (run_id, rank, name, value) FROM STDIN (FORMAT binary)",
	write_facts,
};

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

double derived_cycle_ns(const struct cycles *cs)
{
	struct arena a = { 0 };
	int64_t *durs = arena_array(&a, int64_t, cs->kept_n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < cs->n && n < cs->kept_n; i++)
		if (cs->cycles[i].use == CYCLE_KEPT &&
			cs->cycles[i].dur_ns >= 0)
			durs[n++] = cs->cycles[i].dur_ns;
	if (n)
		qsort(durs, n, sizeof *durs, by_value);
	uint32_t low = n ? (n - 1) / 2 : 0, high = n / 2;
	double median = n ? ((double)durs[low] + (double)durs[high]) / 2 : NAN;
	arena_release(&a);
	return median;
}

/* A text and where it ends, so that none runs into the next. */
static void add(struct sha256 *s, const char *text)
{
	text = text ? text : "";
	sha256_add(s, text, strlen(text) + 1);
}

static void add_number(struct sha256 *s, int64_t v)
{
	char text[24];
	snprintf(text, sizeof text, "%lld", (long long)v);
	add(s, text);
}

bool derived_repeat_key(const struct profile *p, uint32_t ordinal,
	uint8_t key[SHA256_BYTES])
{
	const struct cycles *cs = &p->cycles;
	struct sha256 s;
	if (!cs->kept_n || !p->patterns.n)
		return false;
	sha256_init(&s);
	add_number(&s, ANALYSIS_VERSION);
	for (uint32_t i = 0; i < p->devices_n; i++)
		add(&s, p->devices[i].name);
	add(&s, "");
	add(&s, profile_word_detector[cs->detector]);
	/* Where a period begins is chance. */
	add(&s, cs->detector == CYCLES_PERIOD ? NULL : cs->range);
	add(&s, cs->strata_n ? cs->strata[0].text : NULL);
	add(&s, cs->strata_n ? profile_word_phase[cs->strata[0].phase] : NULL);
	/* Ranks differ from each other, and so do processes of one upload. */
	add_number(&s, p->rank);
	add_number(&s, p->rank < 0 ? ordinal : 0);
	sha256_end(&s, key);
	return true;
}
