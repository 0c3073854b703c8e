/* compared_cycle.c - rows become cycles and what they worked on. */
#include "compared_read.h"
#include "column.h"

static void read_cycle(struct result *r, struct arena *a, struct cycle *c)
{
	c->number = result_int8(r, 0);
	c->label = result_text(r, a);
	c->start_ns = result_int8(r, -1);
	c->dur_ns = result_int8(r, -1);
	c->use = (enum cycle_use)read_word(r, a, profile_word_use, CYCLE_USES);
	c->open = result_bool(r);
	c->stratum = (uint32_t)result_int4(r, 0);
	c->compute_ns = result_int8(r, -1);
	c->comm_ns = result_int8(r, -1);
	c->copy_ns = result_int8(r, -1);
	c->idle_ns = result_int8(r, -1);
	c->sync_ns = result_int8(r, -1);
	c->launches = result_int8(r, 0);
}

bool compared_cycles(struct compared_read *c, int64_t from, int64_t until,
	struct err *e)
{
	static const char sql[] =
		"SELECT run_id, number, label, start_ns, dur_ns, use, open, "
		"stratum, compute_ns, comm_ns, copy_ns, idle_ns, sync_ns, "
		"launches "
		"FROM run_cycle "
		"WHERE run_id = ANY ($1) AND cycle >= $2 AND cycle < $3 "
		"ORDER BY run_id, cycle";
	struct sql_params p = { 0 };
	struct result r;
	sql_array(&p, &c->ids);
	sql_int8(&p, from);
	sql_int8(&p, until);
	if (!sql_hot(c->db, sql, &p, &r, e))
		return false;
	struct cycle *all = arena_array(c->arena, struct cycle, (size_t)r.n);
	for (int i = 0; result_next(&r); i++) {
		struct cycles *cs = &compared_run_of(c, &r)->cycles;
		COMPARED_DEAL(cs->cycles, cs->n, all, i);
		read_cycle(&r, c->arena, &all[i]);
	}
	result_release(&r);
	return true;
}

static void read_stratum(struct result *r, struct arena *a, struct stratum *s)
{
	s->text = result_text(r, a);
	const char *phase = result_text(r, a);
	s->phase = phase ? (enum phase)read_word_of(phase, profile_word_phase,
				   PHASES)
			 : PHASE_UNKNOWN;
	s->sequences = result_int8(r, -1);
	s->tokens = result_int8(r, -1);
	s->kv_tokens = result_int8(r, -1);
	s->cycles = (uint32_t)result_int4(r, 0);
}

static bool read_works(struct compared_read *c, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, stratum, kind, name, size, per_cycle "
		"FROM run_work "
		"WHERE run_id = ANY ($1) "
		"ORDER BY run_id, rank";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	struct work *all = arena_array(c->arena, struct work, (size_t)r.n);
	for (int i = 0; result_next(&r); i++) {
		struct cycles *cs = &compared_run_of(c, &r)->cycles;
		COMPARED_DEAL(cs->works, cs->works_n, all, i);
		all[i].stratum = (uint32_t)result_int4(&r, 0);
		all[i].kind = (enum work_kind)read_word(&r, c->arena,
			profile_word_work, WORK_KINDS);
		all[i].name = result_text(&r, c->arena);
		all[i].size = result_text(&r, c->arena);
		all[i].per_cycle = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}

bool compared_strata(struct compared_read *c, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, text, phase, sequences, tokens, kv_tokens, "
		"cycles "
		"FROM run_stratum "
		"WHERE run_id = ANY ($1) "
		"ORDER BY run_id, stratum";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	struct stratum *all =
		arena_array(c->arena, struct stratum, (size_t)r.n);
	for (int i = 0; result_next(&r); i++) {
		struct cycles *cs = &compared_run_of(c, &r)->cycles;
		COMPARED_DEAL(cs->strata, cs->strata_n, all, i);
		read_stratum(&r, c->arena, &all[i]);
	}
	result_release(&r);
	return read_works(c, e);
}
