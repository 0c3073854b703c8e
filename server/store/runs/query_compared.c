/* query_compared.c - reads runs with all data that comparisons need.
 *
 * The tables are read for several runs at once, and each row is assigned to its
 * run. All reads share one snapshot; otherwise a save in between would mix rows
 * of two results. */
#include "query_compared.h"
#include "column.h"
#include "packed.h"
#include "profile_word.h"
#include "sql.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct compared_reader {
	struct db *db;
	struct arena *arena;
	struct sql_array ids; /* of the runs */
	struct compared_run *runs; /* each run once */
	uint32_t n;
	uint32_t at; /* index of the run whose row was read last */
	/* For each run, memory for all its packed numbers in one block. */
	struct compared_room {
		int64_t *at;
		int64_t left;
	} * rooms;
};

/* The run of this row; the next column is its id. */
static struct compared_run *compared_run_of(struct compared_reader *c,
	struct result *r)
{
	int64_t id = result_int8(r, 0);
	while (c->runs[c->at].id != id)
		c->at = (c->at + 1) % c->n;
	return &c->runs[c->at];
}

/* Assigns row `i` of `all`, which is sorted by run, to its run. */
#define COMPARED_DEAL(rows, rows_n, all, i) \
	do {                                \
		if ((rows_n)++ == 0)        \
			(rows) = &(all)[i]; \
	} while (0)

/* Selects the rows of all runs; $1 is their ids. */
static bool compared_rows(struct compared_reader *c, const char *sql,
	struct result *r, struct err *e)
{
	struct sql_params p = { 0 };
	sql_array(&p, &c->ids);
	return sql_hot(c->db, sql, &p, r, e);
}

static void compared_read_iteration(struct result *r, struct arena *a,
	struct iteration *c)
{
	c->number = result_int8(r, 0);
	c->label = result_text(r, a);
	c->start_ns = result_int8(r, -1);
	c->dur_ns = result_int8(r, -1);
	c->use = (enum iteration_use)column_word(r, a, profile_word_use,
		ITERATION_USES);
	c->open = result_bool(r);
	c->stratum = (uint32_t)result_int4(r, 0);
	c->compute_ns = result_int8(r, -1);
	c->comm_ns = result_int8(r, -1);
	c->copy_ns = result_int8(r, -1);
	c->idle_ns = result_int8(r, -1);
	c->comm_overlapped_ns = result_int8(r, -1);
	c->sync_ns = result_int8(r, -1);
	c->launches = result_int8(r, 0);
}

/* Iterations [from, until) of each run. */
static bool compared_iterations(struct compared_reader *c, int64_t from,
	int64_t until, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, number, label, start_ns, dur_ns, use, open, "
		"stratum, compute_ns, comm_ns, copy_ns, idle_ns, "
		"comm_overlapped_ns, sync_ns, launches "
		"FROM run_iteration "
		"WHERE run_id = ANY ($1) AND iteration >= $2 AND iteration < $3 "
		"ORDER BY run_id, iteration";
	struct sql_params p = { 0 };
	struct result r;
	sql_array(&p, &c->ids);
	sql_int8(&p, from);
	sql_int8(&p, until);
	if (!sql_hot(c->db, sql, &p, &r, e))
		return false;
	struct iteration *all =
		arena_array(c->arena, struct iteration, (size_t)r.n);
	for (int i = 0; result_next(&r); i++) {
		struct iterations *cs = &compared_run_of(c, &r)->iterations;
		COMPARED_DEAL(cs->iterations, cs->n, all, i);
		compared_read_iteration(&r, c->arena, &all[i]);
	}
	result_release(&r);
	return true;
}

static void compared_read_stratum(struct result *r, struct arena *a,
	struct stratum *s)
{
	s->text = result_text(r, a);
	s->phase = column_phase(r, a);
	s->sequences = result_int8(r, -1);
	s->tokens = result_int8(r, -1);
	s->kv_tokens = result_int8(r, -1);
	s->iterations = (uint32_t)result_int4(r, 0);
}

static bool compared_read_works(struct compared_reader *c, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, stratum, kind, name, size, per_iteration "
		"FROM run_signature "
		"WHERE run_id = ANY ($1) "
		"ORDER BY run_id, rank";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	struct work *all = arena_array(c->arena, struct work, (size_t)r.n);
	for (int i = 0; result_next(&r); i++) {
		struct iterations *cs = &compared_run_of(c, &r)->iterations;
		COMPARED_DEAL(cs->works, cs->works_n, all, i);
		all[i].stratum = (uint32_t)result_int4(&r, 0);
		all[i].kind = (enum work_kind)column_word(&r, c->arena,
			profile_word_work, WORK_KINDS);
		all[i].name = result_text(&r, c->arena);
		all[i].size = result_text(&r, c->arena);
		all[i].per_iteration = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}

/* Reads all strata and their signatures. */
static bool compared_strata(struct compared_reader *c, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, text, phase, sequences, tokens, kv_tokens, "
		"iterations "
		"FROM run_stratum "
		"WHERE run_id = ANY ($1) "
		"ORDER BY run_id, stratum";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	struct stratum *all =
		arena_array(c->arena, struct stratum, (size_t)r.n);
	for (int i = 0; result_next(&r); i++) {
		struct iterations *cs = &compared_run_of(c, &r)->iterations;
		COMPARED_DEAL(cs->strata, cs->strata_n, all, i);
		compared_read_stratum(&r, c->arena, &all[i]);
	}
	result_release(&r);
	return compared_read_works(c, e);
}

/* A packed column has a different number of values than its count says. */
static bool compared_inconsistent(const struct compared_run *run, struct err *e)
{
	return err_set(e, ERR_INTERNAL,
		"the rows of run %lld do not fit each other; "
		"'kernsiftd rebuild' makes them again",
		(long long)run->id);
}

/* Reads the next column, n numbers of eight bytes; NULL if the column is NULL.
 * Sets *ok to false if it has a different number of values, or more than the
 * run has memory for. */
static void *compared_numbers(struct compared_reader *c, struct result *r,
	uint32_t n, bool *ok)
{
	struct compared_room *room = &c->rooms[c->at];
	size_t len;
	const void *bytes = result_bytes(r, &len);
	if (!bytes)
		return NULL;
	int64_t *to = room->at;
	*ok = *ok && n <= room->left && packed_read(bytes, len, to, n);
	if (*ok) {
		room->at += n;
		room->left -= n;
	}
	return to;
}

/* Reads a row of one of these tables: the columns after run and rank. */
typedef bool read_fn(struct compared_reader *c, struct result *r,
	struct compared_run *run, uint32_t rank);

static bool compared_read_function(struct compared_reader *c, struct result *r,
	struct compared_run *run, uint32_t rank)
{
	if (rank >= run->patterns.n)
		return false;
	struct pattern *p = &run->patterns.rows[rank];
	p->name = result_text(r, c->arena);
	const char *type = result_text(r, c->arena);
	p->device = result_text(r, c->arena);
	p->number = result_int4(r, -1);
	p->launch.order = (uint32_t)result_int4(r, 0);
	p->launch.grids.list = result_texts(r, c->arena, &p->launch.grids.n);
	p->launch.operators.list =
		result_texts(r, c->arena, &p->launch.operators.n);
	/* The type is from another version: it is a function on a device if the
	 * row has a device number. */
	p->type = p->number < 0 ? FUNCTION_other_host : FUNCTION_other_device;
	for (enum function_type t = 0; t < FUNCTION_TYPES; t++)
		if (!strcmp(type, profile_word_function[t]))
			p->type = t;
	return true;
}

static bool compared_read_times(struct compared_reader *c, struct result *r,
	struct compared_run *run, uint32_t rank)
{
	const struct patterns *ps = &run->patterns;
	bool ok = true;
	if (rank >= ps->n)
		return false;
	struct pattern *p = &ps->rows[rank];
	p->dur_ns = compared_numbers(c, r, ps->iterations_n, &ok);
	p->launches = compared_numbers(c, r, ps->iterations_n, &ok);
	p->min_ns = compared_numbers(c, r, ps->iterations_n, &ok);
	p->max_ns = compared_numbers(c, r, ps->iterations_n, &ok);
	p->spread_ns = compared_numbers(c, r, PATTERN_SPREAD, &ok);
	p->beta_pct = compared_numbers(c, r, ps->iterations_n, &ok);
	return ok;
}

static bool compared_read_metric(struct compared_reader *c, struct result *r,
	struct compared_run *run, uint32_t rank)
{
	const struct patterns *ps = &run->patterns;
	bool ok = true;
	if (rank >= ps->metrics_n)
		return false;
	struct pattern_metric *m = &ps->metrics[rank];
	m->pattern = (uint32_t)result_int4(r, 0);
	m->name = result_text(r, c->arena);
	m->mu = compared_numbers(c, r, ps->iterations_n, &ok);
	m->sigma = compared_numbers(c, r, ps->iterations_n, &ok);
	const int64_t *wide = compared_numbers(c, r, ps->iterations_n, &ok);
	m->interpolated = arena_array(c->arena, uint8_t, ps->iterations_n);
	for (uint32_t i = 0; ok && i < ps->iterations_n; i++)
		m->interpolated[i] = (uint8_t)wide[i];
	return ok && m->pattern < ps->n;
}

/* Reads nine columns. A kind of a newer version is unknown here. */
static void compared_read_call(struct result *r, struct arena *a,
	struct collective_call *to)
{
	const char *kind = result_text(r, a);

	for (enum collective_kind k = 1; kind && k < COLLECTIVE_KINDS; k++)
		if (!strcmp(kind, profile_word_collective[k]))
			to->kind = k;
	to->dtype = column_dtype(r, a);
	const char *split = result_text(r, a);
	to->split = COLLECTIVE_SPLIT_UNKNOWN;
	if (split)
		to->split = (enum collective_split)column_word_of(split,
			profile_word_split, COLLECTIVE_SPLITS);
	to->elements = result_int8(r, -1);
	to->bytes = result_int8(r, -1);
	to->group = result_text(r, a);
	to->ranks = result_text(r, a);
	to->group_handle = result_int8(r, -1);
	to->group_size = result_int8(r, -1);
	to->sequence = -1;
}

static bool compared_read_collective(struct compared_reader *c,
	struct result *r, struct compared_run *run, uint32_t rank)
{
	bool ok = true;
	if (rank >= run->collectives.n)
		return false;
	struct collective *l = &run->collectives.rows[rank];
	l->name = result_text(r, c->arena);
	l->device = result_int4(r, -1);
	l->stream = result_int8(r, -1);
	l->n = (uint32_t)result_int4(r, 0);
	l->start_ns = compared_numbers(c, r, l->n, &ok);
	l->dur_ns = compared_numbers(c, r, l->n, &ok);
	compared_read_call(r, c->arena, &l->call);
	l->sequence = compared_numbers(c, r, l->n, &ok);
	return ok;
}

/* Rows are read in any order, and their rank becomes their index, because
 * sorting wide rows takes longer than reading them. */
static bool compared_read_by_rank(struct compared_reader *c, const char *sql,
	read_fn *read, struct err *e)
{
	struct result r;
	bool ok = true;
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (ok && result_next(&r)) {
		struct compared_run *run = compared_run_of(c, &r);
		uint32_t rank = (uint32_t)result_int4(&r, 0);
		ok = read(c, &r, run, rank) || compared_inconsistent(run, e);
	}
	result_release(&r);
	return ok;
}

static bool compared_read_axis(struct compared_reader *c, struct result *r,
	struct compared_run *run)
{
	struct patterns *ps = &run->patterns;
	bool ok = true;
	ps->n = (uint32_t)result_int4(r, 0);
	ps->metrics_n = (uint32_t)result_int4(r, 0);
	run->collectives.n = (uint32_t)result_int4(r, 0);
	ps->rows = arena_array(c->arena, struct pattern, ps->n);
	ps->metrics =
		arena_array(c->arena, struct pattern_metric, ps->metrics_n);
	run->collectives.rows =
		arena_array(c->arena, struct collective, run->collectives.n);
	ps->iterations_n = (uint32_t)result_int4(r, 0);
	int64_t numbers_n = result_int8(r, 0);
	c->rooms[c->at] = (struct compared_room){
		arena_array(c->arena, int64_t, (size_t)numbers_n), numbers_n
	};
	const int64_t *iteration =
		compared_numbers(c, r, ps->iterations_n, &ok);
	ps->iteration = arena_array(c->arena, uint32_t, ps->iterations_n);
	for (uint32_t i = 0; ok && i < ps->iterations_n; i++) {
		ok = iteration[i] >= 0 && iteration[i] < run->iterations.n;
		ps->iteration[i] = (uint32_t)iteration[i];
	}
	return ok;
}

static bool compared_read_axes(struct compared_reader *c, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, patterns, metrics, collectives, iterations, packed_values, "
		"iteration "
		"FROM run_axis "
		"WHERE run_id = ANY ($1)";
	struct result r;
	bool ok = true;
	c->rooms = arena_array(c->arena, struct compared_room, c->n);
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (ok && result_next(&r)) {
		struct compared_run *run = compared_run_of(c, &r);
		ok = compared_read_axis(c, &r, run) ||
		     compared_inconsistent(run, e);
	}
	result_release(&r);
	return ok;
}

/* Whether every row that run_axis counts was read. */
static bool compared_complete(const struct compared_reader *c, struct err *e)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct compared_run *run = &c->runs[i];
		bool ok = c->rooms[i].left == 0;
		for (uint32_t k = 0; k < run->patterns.n; k++)
			ok = ok && run->patterns.rows[k].name &&
			     run->patterns.rows[k].dur_ns;
		for (uint32_t k = 0; k < run->patterns.metrics_n; k++)
			ok = ok && run->patterns.metrics[k].name;
		for (uint32_t k = 0; k < run->collectives.n; k++)
			ok = ok && run->collectives.rows[k].name;
		if (!ok)
			return compared_inconsistent(run, e);
	}
	return true;
}

/* Reads the causes of one run's idle time. */
static bool compared_read_cause(struct compared_reader *c, struct result *r,
	struct compared_run *run)
{
	int cause = column_word(r, c->arena, profile_word_wait, WAIT_CAUSES);
	int64_t *ns = arena_array(c->arena, int64_t, run->iterations.n);
	size_t len;
	const void *bytes = result_bytes(r, &len);

	run->idle_cause_ns[cause] = ns;
	return bytes && packed_read(bytes, len, ns, run->iterations.n);
}

/* Whether all causes are there, and add up to the idle time of each iteration that has
 * one. */
static bool compared_causes_fit(const struct compared_run *run)
{
	int there = 0;
	for (int c = 0; c < WAIT_CAUSES; c++)
		there += run->idle_cause_ns[c] != NULL;
	if (there != WAIT_CAUSES)
		return there == 0;
	for (uint32_t i = 0; i < run->iterations.n; i++) {
		int64_t sum_ns = 0;
		for (int c = 0; c < WAIT_CAUSES; c++)
			sum_ns += run->idle_cause_ns[c][i];
		if (run->iterations.iterations[i].idle_ns >= 0 &&
			sum_ns != run->iterations.iterations[i].idle_ns)
			return false;
	}
	return true;
}

static bool compared_causes(struct compared_reader *c, struct err *e)
{
	static const char sql[] = "SELECT run_id, cause, iteration_ns "
				  "FROM run_wait "
				  "WHERE run_id = ANY ($1)";
	struct result r;
	bool ok = true;
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (ok && result_next(&r)) {
		struct compared_run *run = compared_run_of(c, &r);
		ok = compared_read_cause(c, &r, run) ||
		     compared_inconsistent(run, e);
	}
	result_release(&r);
	for (uint32_t i = 0; ok && i < c->n; i++)
		ok = compared_causes_fit(&c->runs[i]) ||
		     compared_inconsistent(&c->runs[i], e);
	return ok;
}

/* Functions, counters, collectives. */
static bool compared_patterns(struct compared_reader *c, struct err *e)
{
	static const char functions[] =
		"SELECT p.run_id, p.rank, coalesce(k.name, p.function), "
		"p.type, p.device, p.number, p.launch_order, "
		"p.launch_shapes, p.operator_shapes "
		"FROM run_pattern p "
		"LEFT JOIN kernel k ON k.id = p.kernel_id "
		"WHERE p.run_id = ANY ($1)";
	static const char times[] =
		"SELECT run_id, rank, dur_ns, launches, min_ns, max_ns, "
		"spread_ns, beta_pct "
		"FROM run_pattern_iteration "
		"WHERE run_id = ANY ($1)";
	static const char metrics[] =
		"SELECT run_id, rank, pattern, name, mu, sigma, interpolated "
		"FROM run_metric "
		"WHERE run_id = ANY ($1)";
	static const char collectives[] =
		"SELECT c.run_id, c.rank, coalesce(k.name, c.function), "
		"c.device, c.stream, c.launches, c.start_ns, c.dur_ns, "
		"c.kind, c.dtype, c.split, c.elements, c.bytes, "
		"c.group_name, c.group_ranks, c.group_handle, c.group_size, "
		"c.sequence "
		"FROM run_collective c "
		"LEFT JOIN kernel k ON k.id = c.kernel_id "
		"WHERE c.run_id = ANY ($1)";
	uint32_t patterns_n = 0, metrics_n = 0, collectives_n = 0;
	bool ok = compared_read_axes(c, e);
	for (uint32_t i = 0; ok && i < c->n; i++) {
		patterns_n += c->runs[i].patterns.n;
		metrics_n += c->runs[i].patterns.metrics_n;
		collectives_n += c->runs[i].collectives.n;
	}
	if (patterns_n)
		ok = ok &&
		     compared_read_by_rank(c, functions, compared_read_function,
			     e) &&
		     compared_read_by_rank(c, times, compared_read_times, e);
	if (metrics_n)
		ok = ok &&
		     compared_read_by_rank(c, metrics, compared_read_metric, e);
	if (collectives_n)
		ok = ok && compared_read_by_rank(c, collectives,
				   compared_read_collective, e);
	return ok && compared_complete(c, e);
}

enum { MIB = 1 << 20 };

struct query_compared_request {
	struct arena *arena;
	const int64_t *ids;
	uint32_t n;
	bool full;
	struct compared_run *out;
};

static const char compared_runs_sql[] =
	"SELECT r.run_id, r.upload_id, r.job_id, r.name, r.project, "
	"r.workload, r.labels::text, r.format, r.framework, r.process_name, "
	"r.host, r.content, r.pid, r.rank, r.world_size, r.started_utc_ns, "
	"r.analysis_version, "
	"r.span_ns, r.busy_ns, r.kernel_ns, r.launches, r.graph_ns, r.graphs, "
	"r.device_names, r.iteration_detector, r.iteration_confidence, r.iteration_range, "
	"r.iterations_kept, r.iterations * $2::bigint "
	"+ CASE WHEN $3 THEN coalesce(8 * a.packed_values, 0) ELSE 0 END "
	"FROM run r "
	"LEFT JOIN run_axis a ON a.run_id = r.run_id "
	"WHERE r.run_id = ANY ($1) "
	"ORDER BY r.run_id";

static void query_compared_read_run(struct result *r, struct arena *a,
	struct compared_run *c)
{
	c->upload = result_int8(r, 0);
	c->job = result_int8(r, 0);
	c->name = result_text(r, a);
	c->project = result_text(r, a);
	c->workload = result_text(r, a);
	c->labels = result_text(r, a);
	c->format = result_text(r, a);
	c->framework = result_text(r, a);
	c->process_name = result_text(r, a);
	c->host = result_text(r, a);
	c->content =
		(enum content)column_word(r, a, profile_word_content, CONTENTS);
	c->pid = result_int8(r, -1);
	c->rank = result_int4(r, -1);
	c->world_size = result_int4(r, -1);
	c->started_utc_ns = result_int8(r, -1);
	c->analysis_version = result_int4(r, 0);
	c->span_ns = result_int8(r, -1);
	c->busy_ns = result_int8(r, -1);
	c->kernel_ns = result_int8(r, 0);
	c->launches = result_int8(r, 0);
	c->graph_ns = result_int8(r, 0);
	c->graphs = result_int8(r, 0);
	c->device_names = result_texts(r, a, &c->device_names_n);
	c->iterations.detector = (enum iteration_detector)column_word(r, a,
		profile_word_detector, ITERATION_DETECTORS);
	c->iterations.confidence = result_float8(r, 0);
	c->iterations.range = result_text(r, a);
	c->iterations.kept_n = (uint32_t)result_int4(r, 0);
}

/* Checks that the runs exist, and the memory that all their data needs. */
static bool query_compared_read_runs(struct compared_reader *c, bool full,
	struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	int64_t bytes = 0;
	sql_array(&p, &c->ids);
	sql_int8(&p, sizeof(struct iteration) +
			     (full ? WAIT_CAUSES * sizeof(int64_t) : 0));
	sql_bool(&p, full);
	if (!sql_hot(c->db, compared_runs_sql, &p, &r, e))
		return false;
	c->runs = arena_array(c->arena, struct compared_run, (size_t)r.n);
	for (c->n = 0; result_next(&r); c->n++) {
		c->runs[c->n].id = result_int8(&r, 0);
		query_compared_read_run(&r, c->arena, &c->runs[c->n]);
		bytes += result_int8(&r, 0);
	}
	result_release(&r);
	return bytes <= (int64_t)QUERY_COMPARED_MIB * MIB ||
	       err_set(e, ERR_TOO_LARGE,
		       "the iterations and patterns of these runs take %lld MiB; "
		       "at "
		       "most %d MiB are compared at once: take fewer runs",
		       (long long)(bytes / MIB), QUERY_COMPARED_MIB);
}

/* A note that a newer program stored is omitted here; the run's page shows
 * it. */
static bool query_compared_read_notes(struct compared_reader *c, struct err *e)
{
	static const char sql[] = "SELECT run_id, code, count, detail "
				  "FROM run_note "
				  "WHERE run_id = ANY ($1) "
				  "ORDER BY run_id, code";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (result_next(&r)) {
		struct notes *ns = &compared_run_of(c, &r)->notes;
		enum note_code code = note_from(result_text(&r, c->arena));
		int64_t count = result_int8(&r, 0);
		const char *detail = result_text(&r, c->arena);
		if (code != NOTE_CODES)
			note_add(ns, code, count, detail, strlen(detail));
	}
	result_release(&r);
	return true;
}

/* Of several slow GPUs of a run, the slowest. */
static bool query_compared_read_slow_gpus(struct compared_reader *c,
	struct err *e)
{
	static const char sql[] =
		"SELECT DISTINCT ON (r.run_id) r.run_id, s.gpu, s.slowdown "
		"FROM run r "
		"JOIN device_line d ON d.run_id = r.run_id "
		"JOIN slow_gpu s ON s.project = r.project AND s.gpu = d.gpu "
		"WHERE r.run_id = ANY ($1) "
		"AND (d.launches > 0 OR d.busy_ns > 0) "
		"ORDER BY r.run_id, s.slowdown DESC, s.gpu";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (result_next(&r)) {
		struct compared_run *run = compared_run_of(c, &r);
		run->slow_gpu = result_text(&r, c->arena);
		run->slow_gpu_slowdown = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}

static bool query_compared_read_facts(struct compared_reader *c, struct err *e)
{
	static const char sql[] = "SELECT run_id, name, value "
				  "FROM run_fact "
				  "WHERE run_id = ANY ($1) "
				  "ORDER BY run_id, rank";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	struct fact *all = arena_array(c->arena, struct fact, (size_t)r.n);
	for (int i = 0; result_next(&r); i++) {
		struct facts *fs = &compared_run_of(c, &r)->facts;
		COMPARED_DEAL(fs->rows, fs->n, all, i);
		all[i].name = result_text(&r, c->arena);
		all[i].value = result_text(&r, c->arena);
	}
	result_release(&r);
	return true;
}

/* Reads the measures of benchmarks that say how long an output token takes. */
static bool query_compared_read_measures(struct compared_reader *c,
	struct err *e)
{
	static const char sql[] = "SELECT run_id, name, value "
				  "FROM measure "
				  "WHERE run_id = ANY ($1) "
				  "AND name IN ('tpot_mean', 'accept_length')";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	while (result_next(&r)) {
		struct compared_run *run = compared_run_of(c, &r);
		bool tpot = !strcmp(result_text(&r, c->arena), "tpot_mean");
		double value = result_float8(&r, 0);
		if (tpot)
			run->tpot_ns = value * 1e6; /* stored in ms */
		else
			run->accept_length = value;
	}
	result_release(&r);
	return true;
}

/* Reads runs that are compared by time per launch: a table of statistics was
 * uploaded, or calls without starts. */
static bool query_compared_read_stats(struct compared_reader *c, struct err *e)
{
	static const char sql[] =
		"SELECT s.run_id, s.name, " TIME_COLUMNS " "
		"FROM kernel_line s "
		"WHERE s.run_id = ANY ($1) AND s.split = 0 "
		"AND EXISTS (SELECT FROM run r WHERE r.run_id = s.run_id "
		"AND r.content IN ('statistics', 'durations')) "
		"ORDER BY s.run_id, s.rank";
	struct result r;
	bool any = false;
	for (uint32_t i = 0; i < c->n; i++)
		any = any || c->runs[i].content == CONTENT_STATISTICS ||
		      c->runs[i].content == CONTENT_DURATIONS;
	if (!any)
		return true;
	if (!compared_rows(c, sql, &r, e))
		return false;
	size_t n = (size_t)r.n;
	const char **names = arena_array(c->arena, const char *, n);
	struct time_stats *times = arena_array(c->arena, struct time_stats, n);
	for (int i = 0; result_next(&r); i++) {
		struct compared_run *run = compared_run_of(c, &r);
		if (!run->stats_n++) {
			run->stat_names = &names[i];
			run->stats = &times[i];
		}
		names[i] = result_text(&r, c->arena);
		column_read_time(&r, &times[i]);
	}
	result_release(&r);
	return true;
}

static const struct compared_run *
query_compared_find(const struct compared_reader *c, int64_t id)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->runs[i].id == id)
			return &c->runs[i];
	return NULL;
}

static bool query_compared_all_there(const struct compared_reader *c,
	const struct query_compared_request *q, struct err *e)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (!query_compared_find(c, q->ids[i]))
			return err_set(e, ERR_NOT_FOUND, "no run %lld",
				(long long)q->ids[i]);
	return true;
}

static bool query_compared_read_all(struct db *db, void *arg, struct err *e)
{
	const struct query_compared_request *q = arg;
	struct compared_reader c = { .db = db, .arena = q->arena };
	sql_array_init(&c.ids, SQL_INT8);
	for (uint32_t i = 0; i < q->n; i++)
		sql_array_int8(&c.ids, q->ids[i]);
	bool ok = sql_snapshot(db, e) &&
		  query_compared_read_runs(&c, q->full, e) &&
		  query_compared_all_there(&c, q, e) &&
		  query_compared_read_notes(&c, e) &&
		  query_compared_read_facts(&c, e) &&
		  query_compared_read_measures(&c, e) &&
		  query_compared_read_slow_gpus(&c, e) &&
		  query_compared_read_stats(&c, e) && compared_strata(&c, e) &&
		  compared_iterations(&c, 0, INT64_MAX, e);
	if (q->full)
		ok = ok && compared_causes(&c, e) && compared_patterns(&c, e);
	sql_array_release(&c.ids);
	for (uint32_t i = 0; ok && i < q->n; i++)
		q->out[i] = *query_compared_find(&c, q->ids[i]);
	return ok;
}

bool query_compared(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t n, bool full, struct compared_run *out, struct err *e)
{
	struct query_compared_request q = { a, runs, n, full, out };
	return sql_transaction(db, query_compared_read_all, &q, e);
}

struct query_iterations_request {
	struct arena *arena;
	int64_t run, offset;
	int limit;
	struct iterations *out;
	bool *more;
};

static bool query_iterations_read_run(struct compared_reader *c, int64_t id,
	int64_t *iterations, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, iterations::bigint, iteration_detector, "
		"iteration_confidence, iteration_range, iterations_kept "
		"FROM run "
		"WHERE run_id = ANY ($1)";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	bool there = result_next(&r);
	if (there) {
		c->runs->id = result_int8(&r, 0);
		struct iterations *cs = &c->runs->iterations;
		*iterations = result_int8(&r, 0);
		cs->detector = (enum iteration_detector)column_word(&r,
			c->arena, profile_word_detector, ITERATION_DETECTORS);
		cs->confidence = result_float8(&r, 0);
		cs->range = result_text(&r, c->arena);
		cs->kept_n = (uint32_t)result_int4(&r, 0);
	}
	result_release(&r);
	return there || err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)id);
}

static bool query_iterations_read_page(struct db *db, void *arg, struct err *e)
{
	const struct query_iterations_request *p = arg;
	struct compared_run run = { 0 };
	struct compared_reader c = { .db = db,
		.arena = p->arena,
		.runs = &run,
		.n = 1 };
	int64_t iterations = 0,
		until = p->limit ? p->offset + p->limit : INT64_MAX;
	sql_array_init(&c.ids, SQL_INT8);
	sql_array_int8(&c.ids, p->run);
	bool ok = sql_snapshot(db, e) &&
		  query_iterations_read_run(&c, p->run, &iterations, e) &&
		  compared_strata(&c, e) &&
		  compared_iterations(&c, p->offset, until, e);
	sql_array_release(&c.ids);
	if (!ok)
		return false;
	*p->out = run.iterations;
	*p->more = until < iterations;
	return true;
}

bool query_iterations(struct db *db, struct arena *a, int64_t run,
	int64_t offset, int limit, struct iterations *out, bool *more,
	struct err *e)
{
	struct query_iterations_request p = { a, run, offset, limit, out,
		more };
	return sql_transaction(db, query_iterations_read_page, &p, e);
}

struct query_origin {
	int64_t run;
	const char *name;
	struct pattern_texts nodes, operators;
};

static int query_origins_by_run_and_name(const void *a, const void *b)
{
	const struct query_origin *x = a, *y = b;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool query_origins_read(struct db *db, struct arena *a,
	const struct compared_run *runs, uint32_t n, struct query_origin **rows,
	size_t *rows_n, struct err *e)
{
	static const char sql[] =
		"SELECT o.run_id, k.name, o.nodes, o.operators "
		"FROM run_origin o JOIN kernel k ON k.id = o.kernel_id "
		"WHERE o.run_id = ANY ($1) AND o.nodes IS NOT NULL";
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	sql_array_init(&ids, SQL_INT8);
	for (uint32_t i = 0; i < n; i++)
		sql_array_int8(&ids, runs[i].id);
	sql_array(&p, &ids);
	bool ok = sql_hot(db, sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	*rows = arena_array(a, struct query_origin, (size_t)r.n);
	*rows_n = (size_t)r.n;
	for (struct query_origin *o = *rows; result_next(&r); o++) {
		o->run = result_int8(&r, 0);
		o->name = result_text(&r, a);
		o->nodes.list = result_texts(&r, a, &o->nodes.n);
		o->operators.list = result_texts(&r, a, &o->operators.n);
	}
	result_release(&r);
	return true;
}

bool query_origins(struct db *db, struct arena *a, struct compared_run *runs,
	uint32_t n, struct err *e)
{
	struct query_origin *rows;
	size_t rows_n;
	if (!query_origins_read(db, a, runs, n, &rows, &rows_n, e))
		return false;
	if (rows_n)
		qsort(rows, rows_n, sizeof *rows,
			query_origins_by_run_and_name);
	for (uint32_t i = 0; rows_n && i < n; i++)
		for (uint32_t k = 0; k < runs[i].patterns.n; k++) {
			struct pattern *p = &runs[i].patterns.rows[k];
			const struct query_origin key = { .run = runs[i].id,
				.name = p->name };
			const struct query_origin *is =
				bsearch(&key, rows, rows_n, sizeof *rows,
					query_origins_by_run_and_name);
			if (!is || p->number < 0)
				continue;
			p->launch.origin_nodes = is->nodes;
			p->launch.origin_operators = is->operators;
		}
	return true;
}
