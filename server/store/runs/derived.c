/* derived.c - profiles become rows of run and the tables below it. */
#include "derived_table.h"
#include "derived_run.h"
#include "rollup_delta.h"
#include "sql.h"

static void write_devices(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	for (uint32_t i = 0; i < p->devices_n; i++) {
		const struct profile_device *d = &p->devices[i];
		bulk_row(b, 9);
		bulk_int8(b, run->id);
		bulk_int4(b, d->number);
		bulk_text(b, d->name);
		bulk_int4_known(b, d->sm_count);
		bulk_int4_known(b, d->compute_major);
		bulk_int4_known(b, d->compute_minor);
		bulk_int8_known(b, d->memory_bytes);
		bulk_int8_known(b, d->launches);
		bulk_int8_known(b, d->busy_ns);
	}
}

static const struct derived_table devices = {
	"COPY run_device (run_id, number, name, sm_count, compute_major, "
	"compute_minor, memory_bytes, launches, busy_ns) "
	"FROM STDIN (FORMAT binary)",
	write_devices,
};

static void write_notes(struct bulk *b, const struct derived_run *run)
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

static const struct derived_table notes = {
	"COPY run_note (run_id, code, severity, count, detail) "
	"FROM STDIN (FORMAT binary)",
	write_notes,
};

static bool write_table(struct db *db, const struct derived_table *t,
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
	static const struct derived_table *const tables[] = { &devices,
		&derived_kernel, &derived_copy, &derived_graph, &derived_launch,
		&derived_frame, &derived_caller, &notes, &derived_cycle,
		&derived_stratum, &derived_work, &derived_axis,
		&derived_pattern, &derived_pattern_cycle, &derived_metric,
		&derived_collective, &derived_fact, &derived_operator,
		&derived_shape, &derived_unattributed, &derived_breakdown,
		&derived_section, &derived_block, &derived_place,
		&derived_group };
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++)
		ok = !runs[i].id || derived_run(db, &runs[i], e);
	for (size_t i = 0; ok && i < sizeof tables / sizeof *tables; i++)
		ok = write_table(db, tables[i], runs, n, e);
	return ok && rollup_save(db, runs, n, e);
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
		"DELETE FROM run_note WHERE run_id = $1",
		"DELETE FROM run_capture WHERE run_id = $1",
		"DELETE FROM run_cycle WHERE run_id = $1",
		"DELETE FROM run_stratum WHERE run_id = $1",
		"DELETE FROM run_work WHERE run_id = $1",
		"DELETE FROM run_axis WHERE run_id = $1",
		"DELETE FROM run_pattern WHERE run_id = $1",
		"DELETE FROM run_pattern_cycle WHERE run_id = $1",
		"DELETE FROM run_metric WHERE run_id = $1",
		"DELETE FROM run_collective WHERE run_id = $1",
		"DELETE FROM run_fact WHERE run_id = $1",
		"DELETE FROM run_operator WHERE run_id = $1",
		"DELETE FROM run_shape WHERE run_id = $1",
		"DELETE FROM run_unattributed WHERE run_id = $1",
		"DELETE FROM run_breakdown WHERE run_id = $1",
		"DELETE FROM run_section WHERE run_id = $1",
		"DELETE FROM run_block WHERE run_id = $1",
		"DELETE FROM run_place WHERE run_id = $1",
		"DELETE FROM run_group WHERE run_id = $1",
	};
	struct sql_params p = { 0 };
	bool ok = rollup_take_back(db, run, e);
	sql_int8(&p, run);
	for (size_t i = 0; ok && i < sizeof tables / sizeof *tables; i++)
		ok = sql_hot(db, tables[i], &p, NULL, e);
	return ok;
}
