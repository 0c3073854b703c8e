/* derived_run.c - a run's totals beside what its identity says of it. */
#include "derived_run.h"
#include "derived_cycle.h"
#include "job.h"
#include "profile_word.h"
#include "sql.h"
#include "upload.h"

/* Distinct names of devices, by number. */
static void device_names(struct sql_array *names, const struct profile *p)
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

/* How many kinds of notes, and the worst one's severity. */
static int count_notes(const struct notes *ns, const char **worst)
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

/* GPU-hours, in millionths, that a run stands for: what its upload told, shared
 * equally by the runs found in it ($37), else one each. An upload that told more
 * than is taken now (upload_begin) came before that was so. */
#define WEIGHT                                                               \
	"round(least(coalesce(u.gpu_hours / $37, 1), " UPLOAD_HOURS_MAX_TEXT \
	") * 1e6)::bigint"

static const char sql[] =
	"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
	"workload, labels, job, created_at, "
	"format, framework, process_name, host, pid, rank, world_size, "
	"started_utc_ns, span_ns, busy_ns, kernel_ns, launches, kernels, "
	"copy_ns, copies, device_names, notes, worst_note, analysis_version, "
	"content, graph_ns, graphs, job_id, cycle_detector, cycle_confidence, "
	"cycle_range, cycles, cycles_kept, cycle_ns, repeat_key, "
	"catalog, gpu_ns, replayed, replayed_known, platform, weight_uh, "
	"counted) "
	"SELECT i.id, i.upload_id, i.ordinal, i.name, i.project, "
	"i.workload, i.labels, u.job, i.created_at, "
	"$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
	"$17, $18, $19, $20, $21, $22, $23, "
	"CASE WHEN u.job <> '' OR $24 THEN " JOB_OF("u",
		"i.project") " END, "
			     "$25, $26, $27, $28, $29, $30, $31, "
			     "$32, $33, $34, $35, $36, CASE WHEN $33 IS NOT "
			     "NULL THEN " WEIGHT " END, $38 "
			     "FROM run_identity i JOIN upload u ON u.id = "
			     "i.upload_id "
			     "WHERE i.id = $1";

/* `key` is room that must live until the statement ran. */
static void cycles(struct sql_params *p, const struct derived_run *run,
	uint8_t key[SHA256_BYTES])
{
	const struct cycles *cs = &run->profile->cycles;
	sql_text(p, profile_word_detector[cs->detector]);
	sql_float8(p, cs->confidence);
	sql_text(p, cs->range);
	sql_int4(p, (int32_t)cs->n);
	sql_int4(p, (int32_t)cs->kept_n);
	sql_float8(p, derived_cycle_ns(cs));
	if (derived_repeat_key(run->profile, run->ordinal, key))
		sql_bytes(p, key, SHA256_BYTES);
	else
		sql_bytes(p, NULL, 0);
}

/* NULL where no operators are known: what the fleet does not count. */
static void matters(struct sql_params *p, const struct derived_run *run)
{
	const struct operators *o = &run->profile->operators;
	sql_text(p, !o->n ? NULL : o->catalog ? o->catalog : "");
	sql_int8_known(p, o->n ? o->gpu_ns : -1);
	sql_int8_known(p, o->n ? o->replayed : -1);
	sql_int8_known(p, o->n ? o->replayed_known : -1);
	sql_text(p, o->n ? o->platform : NULL);
	sql_float8(p, run->of);
}

bool derived_run(struct db *db, const struct derived_run *run, struct err *e)
{
	const struct profile *f = run->profile;
	struct sql_params p = { 0 };
	struct sql_array names;
	const char *worst;
	int notes = count_notes(&f->notes, &worst);
	device_names(&names, f);

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
	cycles(&p, run, key);
	matters(&p, run);
	sql_bool(&p, !f->notes.count[NOTE_names_lag]);
	bool ok = sql_hot(db, sql, &p, NULL, e);
	sql_array_release(&names);
	return ok;
}
