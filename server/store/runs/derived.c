/* derived.c - writes profiles as rows of `run` and of the tables below it.
 *
 * This file writes the run itself, its devices, notes, kernels, launches and
 * callers. derived_table.h names the lists of tables of the other files. */
#include "derived.h"
#include "arena.h"
#include "column.h"
#include "derived_table.h"
#include "job.h"
#include "profile_word.h"
#include "rollup_delta.h"
#include "sha256.h"
#include "sql.h"
#include "upload.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int derived_by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Median duration of the kept iterations with a known duration; NaN if there
 * are none. */
static double derived_iteration_ns(const struct iterations *cs)
{
	struct arena a = { 0 };
	int64_t *durs = arena_array(&a, int64_t, cs->kept_n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < cs->n && n < cs->kept_n; i++)
		if (cs->iterations[i].use == ITERATION_KEPT &&
			cs->iterations[i].dur_ns >= 0)
			durs[n++] = cs->iterations[i].dur_ns;
	if (n)
		qsort(durs, n, sizeof *durs, derived_by_value);
	uint32_t low = n ? (n - 1) / 2 : 0, high = n / 2;
	double median = n ? ((double)durs[low] + (double)durs[high]) / 2 : NAN;
	arena_release(&a);
	return median;
}

/* Hashes the text with its terminating 0, so that two adjacent texts never hash
 * as one. */
static void derived_hash_text(struct sha256 *s, const char *text)
{
	text = text ? text : "";
	sha256_add(s, text, strlen(text) + 1);
}

static void derived_hash_number(struct sha256 *s, int64_t v)
{
	char text[24];
	snprintf(text, sizeof text, "%lld", (long long)v);
	derived_hash_text(s, text);
}

/* A hash over the properties that repeated runs have in common, except their
 * names and labels. False if the run has no work that can be repeated. */
static bool derived_repeat_key(const struct profile *p, uint32_t ordinal,
	uint8_t key[SHA256_BYTES])
{
	const struct iterations *cs = &p->iterations;
	struct sha256 s;
	if (!cs->kept_n || !p->patterns.n)
		return false;
	sha256_init(&s);
	derived_hash_number(&s, ANALYSIS_VERSION);
	for (uint32_t i = 0; i < p->devices_n; i++)
		derived_hash_text(&s, p->devices[i].name);
	derived_hash_text(&s, "");
	/* Given iterations keep the words with which the first stored keys were
	 * made; other words would separate new runs from the stored ones. */
	bool given = cs->detector == ITERATIONS_GIVEN;
	derived_hash_text(&s,
		given ? "told" : profile_word_detector[cs->detector]);
	/* A detected period may begin at any kernel, so its range does not
	 * count. */
	derived_hash_text(&s,
		cs->detector == ITERATIONS_PERIOD ? NULL : cs->range);
	derived_hash_text(&s, !cs->strata_n ? NULL
			      : given	    ? "as the table tells them"
					    : cs->strata[0].text);
	derived_hash_text(&s,
		cs->strata_n ? profile_word_phase[cs->strata[0].phase] : NULL);
	/* Ranks do different work, and so do the processes of an upload. */
	derived_hash_number(&s, p->rank);
	derived_hash_number(&s, p->rank < 0 ? ordinal : 0);
	sha256_end(&s, key);
	return true;
}

/* Distinct names of devices, by number. */
static void derived_device_names(struct sql_array *names,
	const struct profile *p)
{
	sql_array_init(names, SQL_TEXT);
	for (uint32_t i = 0; i < p->devices_n; i++) {
		const char *name = p->devices[i].name;
		bool seen = !name;
		for (uint32_t j = 0; !seen && j < i; j++)
			seen = p->devices[j].name &&
			       !strcmp(p->devices[j].name, name);
		if (!seen)
			sql_array_text(names, name);
	}
}

/* Counts the kinds of notes; *worst is the severity of the worst one. */
static int derived_count_notes(const struct notes *ns, const char **worst)
{
	int n = 0;
	enum note_severity s = NOTE_INFO;
	for (enum note_code c = 0; c < NOTE_CODES; c++) {
		if (ns->count[c] <= 0)
			continue;
		n++;
		if (note_severity(c) > s)
			s = note_severity(c);
	}
	*worst = n ? note_severity_name(s) : NULL;
	return n;
}

/* GPU-hours that a run represents, in millionths: those of its upload, shared
 * equally by the upload's runs ($37), or 1 if the upload gave none. Uploads of
 * earlier versions may have given more than upload_begin() accepts now. */
#define RUN_WEIGHT                                                           \
	"round(least(coalesce(u.gpu_hours / $37, 1), " UPLOAD_HOURS_MAX_TEXT \
	") * 1e6)::bigint"

#define RUN_JOB JOB_OF("u", "i.project")

static const char derived_run_sql[] =
	"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
	"workload, labels, job, created_at, "
	"format, framework, process_name, host, pid, rank, world_size, "
	"started_utc_ns, span_ns, busy_ns, kernel_ns, launches, kernels, "
	"copy_ns, copies, device_names, notes, worst_note, analysis_version, "
	"content, graph_ns, graphs, job_id, iteration_detector, iteration_confidence, "
	"iteration_range, iterations, iterations_kept, iteration_ns, repeat_key, "
	"catalog, gpu_ns, replayed, replayed_known, platform, weight_uh, "
	"counted, sm_clock_mhz, sm_clock_reason, fusions) "
	"SELECT i.id, i.upload_id, i.ordinal, i.name, i.project, "
	"i.workload, i.labels, u.job, i.created_at, "
	"$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
	"$17, $18, $19, $20, $21, $22, $23, "
	"CASE WHEN u.job <> '' OR $24 THEN " RUN_JOB " END, "
	"$25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, "
	"CASE WHEN $33 IS NOT NULL THEN " RUN_WEIGHT " END, $38, "
	"$39, $40, $41 "
	"FROM run_identity i JOIN upload u ON u.id = i.upload_id "
	"WHERE i.id = $1";

/* `key` must stay valid until the statement has run. */
static void derived_iteration_params(struct sql_params *p,
	const struct derived_run *run, uint8_t key[SHA256_BYTES])
{
	const struct iterations *cs = &run->profile->iterations;
	sql_text(p, profile_word_detector[cs->detector]);
	sql_float8(p, cs->confidence);
	sql_text(p, cs->range);
	sql_int4(p, (int32_t)cs->n);
	sql_int4(p, (int32_t)cs->kept_n);
	sql_float8(p, derived_iteration_ns(cs));
	if (derived_repeat_key(run->profile, run->ordinal, key))
		sql_bytes(p, key, SHA256_BYTES);
	else
		sql_bytes(p, NULL, 0);
}

/* NULL if the run has no operators; fleet queries then ignore the run. */
static void derived_operator_params(struct sql_params *p,
	const struct derived_run *run)
{
	const struct operators *o = &run->profile->operators;
	sql_text(p, !o->n ? NULL : o->catalog ? o->catalog : "");
	sql_int8_known(p, o->n ? o->gpu_ns : -1);
	sql_int8_known(p, o->n ? o->replayed : -1);
	sql_int8_known(p, o->n ? o->replayed_known : -1);
	sql_text(p, o->n ? o->platform : NULL);
	sql_float8(p, run->of);
}

static bool derived_write_run(struct db *db, const struct derived_run *run,
	struct err *e)
{
	const struct profile *f = run->profile;
	struct sql_params p = { 0 };
	struct sql_array names;
	const char *worst;
	int notes = derived_count_notes(&f->notes, &worst);
	derived_device_names(&names, f);

	sql_int8(&p, run->id);
	sql_text(&p, f->format);
	sql_text(&p, f->framework);
	sql_text(&p, f->process_name);
	sql_text(&p, f->host);
	sql_int8_known(&p, f->pid);
	sql_int4_known(&p, f->rank);
	sql_int4_known(&p, f->world_size);
	sql_int8_known(&p, f->started_utc_ns);
	sql_int8_known(&p, f->span_ns);
	sql_int8_known(&p, f->busy_ns);
	sql_int8(&p, f->kernel_ns);
	sql_int8(&p, f->launches);
	sql_int8(&p, f->kernels_n);
	sql_int8(&p, f->copy_ns);
	sql_int8(&p, f->copies);
	sql_array(&p, &names);
	sql_int4(&p, notes);
	sql_text(&p, worst);
	sql_int4(&p, ANALYSIS_VERSION);
	sql_text(&p, profile_word_content[f->content]);
	sql_int8(&p, f->graph_ns);
	sql_int8(&p, f->graphs);
	sql_bool(&p, run->ranked);
	uint8_t key[SHA256_BYTES];
	derived_iteration_params(&p, run, key);
	derived_operator_params(&p, run);
	sql_bool(&p, !f->notes.count[NOTE_names_lag]);
	sql_float8(&p, f->operators.sm_clock_mhz > 0 ? f->operators.sm_clock_mhz
						     : (double)NAN);
	sql_text(&p, f->operators.sm_clock_why);
	sql_int4_known(&p, f->operators.fusions_known
				   ? (int32_t)f->operators.fusions_n
				   : -1);
	bool ok = sql_hot(db, derived_run_sql, &p, NULL, e);
	sql_array_release(&names);
	return ok;
}

/* Only rows that are split by device have a device. */
static void derived_write_device(struct bulk *b, enum split split,
	int32_t device)
{
	if (split == SPLIT_DEVICE)
		bulk_int4(b, device);
	else
		bulk_null(b);
}

/* The keys of a row's shape in run_shape. Shapes are sorted by operator; `first`
 * has the index of an operator's first shape. */
static void derived_write_shape_of(struct bulk *b, const struct profile *p,
	const struct kernel_stat *s, const uint32_t *first)
{
	bool known = s->shape && first;
	uint32_t at = known ? s->shape - 1 : 0;
	uint32_t operator_ = known ? p->operators.shapes[at].operator_ : 0;
	bulk_int4_known(b, known ? (int32_t)operator_ : -1);
	bulk_int4_known(b, known ? (int32_t)(at - first[operator_]) : -1);
	if (s->split == SPLIT_GRID)
		bulk_bool(b, s->shapes_several);
	else
		bulk_null(b);
}

/* The index of the first shape of each operator; the caller frees it. NULL
 * without operators. */
static uint32_t *derived_first_shapes(const struct operators *o)
{
	uint32_t *first = o->n ? calloc(o->n, sizeof *first) : NULL;
	if (o->n && !first)
		abort();
	for (uint32_t i = first ? o->shapes_n : 0; i-- > 0;)
		first[o->shapes[i].operator_] = i;
	return first;
}

static void derived_write_kernels(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	uint32_t *first = derived_first_shapes(&p->operators);
	int32_t rank = 0;
	for (uint32_t i = 0; i < p->stats_n; i++, rank++) {
		const struct kernel_stat *s = &p->stats[i];
		if (i && s->split != s[-1].split)
			rank = 0;
		bulk_row(b, 16 + TIME_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int2(b, (int)s->split);
		bulk_int4(b, rank);
		bulk_int8(b, run->kernels[s->kernel]);
		derived_write_device(b, s->split, s->device);
		for (int d = 0; d < 3; d++)
			bulk_int4_known(b, s->grid[d]);
		for (int d = 0; d < 3; d++)
			bulk_int4_known(b, s->block[d]);
		column_write_time(b, &s->time);
		bulk_float8_known(b, s->time_pct);
		bulk_text(b, s->table_path);
		derived_write_shape_of(b, p, s, first);
	}
	free(first);
}

static const struct derived_table derived_kernel = {
	"COPY run_kernel (run_id, split, rank, kernel_id, device, grid_x, "
	"grid_y, grid_z, block_x, block_y, block_z, " TIME_COLUMNS
	", time_pct, table_path, shape_operator, shape_rank, shapes_several) "
	"FROM STDIN (FORMAT binary)",
	derived_write_kernels,
};

static void derived_write_copies(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	int32_t rank = 0;
	for (uint32_t i = 0; i < p->copy_stats_n; i++, rank++) {
		const struct copy_stat *s = &p->copy_stats[i];
		if (i && s->split != s[-1].split)
			rank = 0;
		bulk_row(b, 8 + TIME_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int2(b, (int)s->split);
		bulk_int4(b, rank);
		bulk_text(b, s->operation);
		derived_write_device(b, s->split, s->device);
		column_write_time(b, &s->time);
		bulk_float8_known(b, s->time_pct);
		bulk_int8(b, s->bytes);
		bulk_int8(b, s->sized);
	}
}

static const struct derived_table derived_copy = {
	"COPY run_copy (run_id, split, rank, operation, device, " TIME_COLUMNS
	", time_pct, bytes, sized) FROM STDIN (FORMAT binary)",
	derived_write_copies,
};

static void derived_write_graphs(struct bulk *b, const struct derived_run *run)
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
		column_write_time(b, &g->time);
	}
}

static const struct derived_table derived_graph = {
	"COPY run_graph (run_id, rank, graph_id, graph_exec, "
	"device, " TIME_COLUMNS ") FROM STDIN (FORMAT binary)",
	derived_write_graphs,
};

static void derived_write_spread(struct bulk *b, const struct spread *s)
{
	bulk_float8_known(b, s->avg_ns);
	bulk_float8_known(b, s->med_ns);
	bulk_int8_known(b, s->min_ns);
	bulk_int8_known(b, s->max_ns);
	bulk_float8_known(b, s->stddev_ns);
}

static void derived_write_launches(struct bulk *b,
	const struct derived_run *run)
{
	const struct profile *p = run->profile;
	for (uint32_t i = 0; i < p->launch_stats_n; i++) {
		const struct launch_stat *s = &p->launch_stats[i];
		bulk_row(b, 8 + 4 * SPREAD_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int8(b, run->kernels[s->kernel]);
		bulk_text(b, s->thread);
		bulk_int4(b, s->device);
		bulk_text(b, s->api);
		bulk_int8(b, s->instances);
		bulk_int8(b, s->queued);
		derived_write_spread(b, &s->total);
		derived_write_spread(b, &s->api_call);
		derived_write_spread(b, &s->queue);
		derived_write_spread(b, &s->kernel_run);
	}
}

static const struct derived_table derived_launch = {
	"COPY run_launch (run_id, rank, kernel_id, thread, device, api, "
	"instances, queued, " LAUNCH_SPREADS ") FROM STDIN (FORMAT binary)",
	derived_write_launches,
};

/* Which frames are on a caller's path, by index. Parents come before their
 * children, so one pass from the end finds all. */
static const bool *derived_reached_frames(struct arena *a,
	const struct profile *p)
{
	bool *is = arena_array(a, bool, p->frames_n);
	for (uint32_t i = 0; i < p->callers_n; i++)
		if (p->callers[i].known == CALLER_PATH)
			is[p->callers[i].frame] = true;
	for (uint32_t i = p->frames_n; i-- > 1;)
		if (is[i])
			is[p->frames[i].parent] = true;
	return is;
}

static void derived_write_frames(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	struct arena a = { 0 };
	const bool *is = derived_reached_frames(&a, p);
	for (uint32_t i = 1; i < p->frames_n; i++) {
		const struct frame *f = &p->frames[i];
		if (!is[i])
			continue;
		bulk_row(b, 5);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)f->parent);
		bulk_text(b, profile_word_frame[f->kind]);
		bulk_text(b, f->name);
	}
	arena_release(&a);
}

static const struct derived_table derived_frame = {
	"COPY run_frame (run_id, frame, parent, kind, name) "
	"FROM STDIN (FORMAT binary)",
	derived_write_frames,
};

static void derived_write_callers(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	int32_t rank = 0;
	for (uint32_t i = 0; i < p->callers_n; i++, rank++) {
		const struct caller_stat *c = &p->callers[i];
		if (i && c->kernel != c[-1].kernel)
			rank = 0;
		bulk_row(b, 7);
		bulk_int8(b, run->id);
		bulk_int8(b, run->kernels[c->kernel]);
		bulk_int4(b, rank);
		bulk_text(b, profile_word_known[c->known]);
		if (c->known == CALLER_PATH)
			bulk_int4(b, (int32_t)c->frame);
		else
			bulk_null(b);
		bulk_int8(b, c->launches);
		bulk_int8(b, c->total_ns);
	}
}

static const struct derived_table derived_caller = {
	"COPY run_caller (run_id, kernel_id, rank, found_by, frame, launches, "
	"total_ns) FROM STDIN (FORMAT binary)",
	derived_write_callers,
};

/* How many rows run_device_shape has of a device, which begin at *at; -1 unknown. */
static int32_t derived_device_shapes(const struct operators *o, int32_t device,
	uint32_t *at)
{
	uint32_t from = *at;
	while (*at < o->device_shapes_n &&
		o->device_shapes[*at].device == device)
		++*at;
	return o->device_shapes_known ? (int32_t)(*at - from) : -1;
}

static void derived_write_devices(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	uint32_t shape = 0; /* both lists are by number of the device */
	for (uint32_t i = 0; i < p->devices_n; i++) {
		const struct profile_device *d = &p->devices[i];
		bulk_row(b, 17);
		bulk_int8(b, run->id);
		bulk_int4(b, d->number);
		bulk_text(b, d->name);
		bulk_int4_known(b, d->sm_count);
		bulk_int4_known(b, d->compute_major);
		bulk_int4_known(b, d->compute_minor);
		bulk_int8_known(b, d->memory_bytes);
		bulk_int8_known(b, d->launches);
		bulk_int8_known(b, d->busy_ns);
		bulk_float8_known(b, d->sm_clock_mhz);
		bulk_int8_known(b, d->sm_clock_samples);
		bulk_text(b, d->sm_clock_why);
		bulk_text(b, d->uuid);
		bulk_text(b, d->bus_id);
		bulk_float8_known(b, d->throttled_pct);
		bulk_int4_known(b, d->visible ? d->visible : -1);
		bulk_int4_known(b, derived_device_shapes(&p->operators,
					   d->number, &shape));
	}
}

static const struct derived_table derived_device = {
	"COPY run_device (run_id, number, name, sm_count, compute_major, "
	"compute_minor, memory_bytes, launches, busy_ns, sm_clock_mhz, "
	"sm_clock_samples, sm_clock_reason, uuid, bus_id, throttled_pct, "
	"visible, shapes) "
	"FROM STDIN (FORMAT binary)",
	derived_write_devices,
};

static void derived_write_notes(struct bulk *b, const struct derived_run *run)
{
	const struct notes *ns = &run->profile->notes;
	for (enum note_code c = 0; c < NOTE_CODES; c++) {
		if (ns->count[c] <= 0)
			continue;
		bulk_row(b, 5);
		bulk_int8(b, run->id);
		bulk_text(b, note_name(c));
		bulk_text(b, note_severity_name(note_severity(c)));
		bulk_int8(b, ns->count[c]);
		bulk_text(b, ns->detail[c]);
	}
}

static void derived_write_origins(struct bulk *b, const struct derived_run *run)
{
	for (uint32_t i = 0; i < run->profile->origins_n; i++) {
		const struct kernel_origin *o = &run->profile->origins[i];
		bulk_row(b, 6);
		bulk_int8(b, run->id);
		bulk_int8(b, run->kernels[o->kernel]);
		derived_write_texts(b, &o->of->nodes);
		derived_write_texts(b, &o->of->operators);
		derived_write_texts(b, &o->of->stacks);
		bulk_int4(b, (int32_t)o->of->stacks_n);
	}
}

static const struct derived_table derived_origin = {
	"COPY run_origin (run_id, kernel_id, nodes, operators, stacks, "
	"stacks_n) FROM STDIN (FORMAT binary)",
	derived_write_origins,
};

static const struct derived_table derived_note = {
	"COPY run_note (run_id, code, severity, count, detail) "
	"FROM STDIN (FORMAT binary)",
	derived_write_notes,
};

/* ---- kernel profiles */

static int derived_stalls_sort(const struct kernel_profile *p,
	enum stall_reason *sorted)
{
	int n = 0;
	for (int r = 0; r < STALL_REASONS; r++) {
		if (isnan(p->stall_pct[r]))
			continue;
		int at = n++;
		for (; at > 0 && p->stall_pct[sorted[at - 1]] < p->stall_pct[r];
			at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = (enum stall_reason)r;
	}
	return n;
}

static void derived_write_stalls(struct bulk *b, const struct kernel_profile *p)
{
	enum stall_reason sorted[STALL_REASONS];
	const char *words[STALL_REASONS];
	double pct[STALL_REASONS];
	int n = derived_stalls_sort(p, sorted);
	for (int i = 0; i < n; i++) {
		words[i] = stall_reason_word(sorted[i]);
		pct[i] = p->stall_pct[sorted[i]];
	}
	if (n) {
		bulk_texts(b, words, (uint32_t)n);
		bulk_packed(b, pct, (uint32_t)n);
	} else {
		bulk_null(b);
		bulk_null(b);
	}
}

static void derived_write_kernel_profiles(struct bulk *b,
	const struct derived_run *run)
{
	const struct profile *p = run->profile;
	for (uint32_t i = 0; i < p->kernel_profiles_n; i++) {
		const struct kernel_profile_row *row = &p->kernel_profiles[i];
		const struct kernel_profile *is = row->is;
		bulk_row(b, 14 + KERNEL_FIGURES);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		if (row->kernel != UINT32_MAX)
			bulk_int8(b, run->kernels[row->kernel]);
		else
			bulk_null(b);
		bulk_text(b, kernel_profile_match_word[row->match]);
		bulk_text(b, is->name);
		for (int d = 0; d < 3; d++)
			bulk_int4_known(b, is->grid[d]);
		for (int d = 0; d < 3; d++)
			bulk_int4_known(b, is->block[d]);
		bulk_int8(b, is->launches);
		for (int f = 0; f < KERNEL_FIGURES; f++)
			bulk_float8_known(b, is->figure[f]);
		derived_write_stalls(b, is);
	}
}

#define KERNEL_FIGURE(name, heading, text) #name ", "
static const struct derived_table derived_kernel_profile = {
	"COPY run_kernel_profile (run_id, rank, kernel_id, matched_by, name, "
	"grid_x, grid_y, grid_z, block_x, block_y, block_z, launches, "
#include "kernel_figure.def"
	"stall, stall_pct) FROM STDIN (FORMAT binary)",
	derived_write_kernel_profiles,
};
#undef KERNEL_FIGURE

static bool derived_write_table(struct db *db, const struct derived_table *t,
	const struct derived_run *runs, uint32_t n, struct err *e)
{
	struct bulk b;
	if (!bulk_begin(&b, db, t->sql, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (runs[i].id)
			t->write(&b, &runs[i]);
	return bulk_end(&b, e);
}

bool derived_write(struct db *db, const struct derived_run *runs, uint32_t n,
	struct err *e)
{
	static const struct derived_table *const own[] = { &derived_device,
		&derived_kernel, &derived_copy, &derived_graph, &derived_launch,
		&derived_frame, &derived_caller, &derived_origin, &derived_note,
		&derived_kernel_profile, NULL };
	const struct derived_table *const *const lists[] = { own,
		derived_iteration_tables, derived_operator_tables,
		derived_breakdown_tables };
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++)
		ok = !runs[i].id || derived_write_run(db, &runs[i], e);
	for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
		for (int i = 0; ok && lists[l][i]; i++)
			ok = derived_write_table(db, lists[l][i], runs, n, e);
	return ok && rollup_delta_save(db, runs, n, e);
}

bool derived_replace_kernel_profiles(struct db *db,
	const struct derived_run *run, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, run->id);
	return sql_run(db, "DELETE FROM run_kernel_profile WHERE run_id = $1",
		       &p, NULL, e) &&
	       derived_write_table(db, &derived_kernel_profile, run, 1, e);
}

/* Takes back what the run added to the sums. */
static bool derived_take_back(struct db *db, int64_t run, struct err *e)
{
	struct arena a = { 0 };
	struct rollup_run is;
	bool there;
	bool ok = rollup_delta_read(db, &a, run, &is, &there, e) &&
		  (!there || rollup_delta_add(db, &is, -1, e));
	arena_release(&a);
	return ok;
}

bool derived_clear(struct db *db, int64_t run, struct err *e)
{
	static const char *const tables[] = {
		"DELETE FROM run WHERE run_id = $1",
		"DELETE FROM run_device WHERE run_id = $1",
		"DELETE FROM run_kernel WHERE run_id = $1",
		"DELETE FROM run_copy WHERE run_id = $1",
		"DELETE FROM run_graph WHERE run_id = $1",
		"DELETE FROM run_launch WHERE run_id = $1",
		"DELETE FROM run_frame WHERE run_id = $1",
		"DELETE FROM run_caller WHERE run_id = $1",
		"DELETE FROM run_origin WHERE run_id = $1",
		"DELETE FROM run_kernel_profile WHERE run_id = $1",
		"DELETE FROM run_note WHERE run_id = $1",
		"DELETE FROM run_capture WHERE run_id = $1",
		"DELETE FROM run_iteration WHERE run_id = $1",
		"DELETE FROM run_busy_class WHERE run_id = $1",
		"DELETE FROM run_iteration_work WHERE run_id = $1",
		"DELETE FROM run_wait WHERE run_id = $1",
		"DELETE FROM run_wait_name WHERE run_id = $1",
		"DELETE FROM run_energy WHERE run_id = $1",
		"DELETE FROM run_energy_operator WHERE run_id = $1",
		"DELETE FROM run_stratum WHERE run_id = $1",
		"DELETE FROM run_signature WHERE run_id = $1",
		"DELETE FROM run_axis WHERE run_id = $1",
		"DELETE FROM run_pattern WHERE run_id = $1",
		"DELETE FROM run_pattern_iteration WHERE run_id = $1",
		"DELETE FROM run_metric WHERE run_id = $1",
		"DELETE FROM run_collective WHERE run_id = $1",
		"DELETE FROM run_bus WHERE run_id = $1",
		"DELETE FROM run_exchange WHERE run_id = $1",
		"DELETE FROM run_fact WHERE run_id = $1",
		"DELETE FROM run_operator WHERE run_id = $1",
		"DELETE FROM run_shape WHERE run_id = $1",
		"DELETE FROM run_fusion WHERE run_id = $1",
		"DELETE FROM run_device_shape WHERE run_id = $1",
		"DELETE FROM run_unattributed WHERE run_id = $1",
		"DELETE FROM run_replayed_graph WHERE run_id = $1",
		"DELETE FROM run_breakdown WHERE run_id = $1",
		"DELETE FROM run_section WHERE run_id = $1",
		"DELETE FROM run_block WHERE run_id = $1",
		"DELETE FROM run_layer_row WHERE run_id = $1",
		"DELETE FROM run_group WHERE run_id = $1",
	};
	struct sql_params p = { 0 };
	bool ok = derived_take_back(db, run, e);
	sql_int8(&p, run);
	for (size_t i = 0; ok && i < sizeof tables / sizeof *tables; i++)
		ok = sql_hot(db, tables[i], &p, NULL, e);
	return ok;
}
