/* derived_run.c - a run's totals beside what its identity says of it. */
#include "derived_run.h"
#include "sql.h"

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

static const char sql[] =
	"INSERT INTO run (run_id, upload_id, ordinal, name, project, "
	"workload, labels, job, created_at, "
	"format, framework, process_name, host, pid, rank, world_size, "
	"started_utc_ns, span_ns, busy_ns, kernel_ns, launches, kernels, "
	"copy_ns, copies, device_names, notes, worst_note, analysis_version) "
	"SELECT i.id, i.upload_id, i.ordinal, i.name, i.project, "
	"i.workload, i.labels, u.job, i.created_at, "
	"$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
	"$17, $18, $19, $20 "
	"FROM run_identity i JOIN upload u ON u.id = i.upload_id "
	"WHERE i.id = $1";

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
	sql_int8(&p, f->span_ns);
	sql_int8(&p, f->busy_ns);
	sql_int8(&p, f->kernel_ns);
	sql_int8(&p, f->launches);
	sql_int8(&p, f->kernels_n);
	sql_int8(&p, f->copy_ns);
	sql_int8(&p, f->copies);
	sql_array(&p, &names);
	sql_int4(&p, notes);
	sql_text(&p, worst);
	sql_int4(&p, ANALYSIS_VERSION);
	bool ok = sql_hot(db, sql, &p, NULL, e);
	sql_array_release(&names);
	return ok;
}
