/* derived.c - profiles become rows of run and the tables below it. */
#include "derived.h"
#include "bulk.h"
#include "derived_run.h"
#include "sql.h"

static void write_time(struct bulk *b, const struct time_stats *t)
{
	bulk_int8(b, t->instances);
	bulk_int8(b, t->total_ns);
	bulk_int8(b, t->min_ns);
	bulk_int8(b, t->max_ns);
	bulk_float8(b, t->avg_ns);
	bulk_float8(b, t->med_ns);
	bulk_float8(b, t->stddev_ns);
	bulk_float8(b, t->p90_ns);
	bulk_float8(b, t->p99_ns);
}

#define TIME_COLUMNS                                                       \
	"instances, total_ns, min_ns, max_ns, avg_ns, med_ns, stddev_ns, " \
	"p90_ns, p99_ns, time_pct"

static const char device_sql[] =
	"COPY run_device (run_id, number, name, sm_count, compute_major, "
	"compute_minor, memory_bytes, launches, busy_ns) "
	"FROM STDIN (FORMAT binary)";

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
		bulk_int8(b, d->launches);
		bulk_int8(b, d->busy_ns);
	}
}

static const char kernel_sql[] =
	"COPY run_kernel (run_id, split, rank, kernel_id, device, grid_x, "
	"grid_y, grid_z, block_x, block_y, block_z, " TIME_COLUMNS
	") FROM STDIN (FORMAT binary)";

static void write_kernels(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	int32_t rank = 0;
	for (uint32_t i = 0; i < p->stats_n; i++, rank++) {
		const struct kernel_stat *s = &p->stats[i];
		if (i && s->split != s[-1].split)
			rank = 0;
		bulk_row(b, 21);
		bulk_int8(b, run->id);
		bulk_int2(b, (int)s->split);
		bulk_int4(b, rank);
		bulk_int8(b, run->kernels[s->kernel]);
		if (s->split == SPLIT_DEVICE)
			bulk_int4(b, s->device);
		else
			bulk_null(b);
		for (int d = 0; d < 3; d++)
			bulk_int4_known(b, s->grid[d]);
		for (int d = 0; d < 3; d++)
			bulk_int4_known(b, s->block[d]);
		write_time(b, &s->time);
		bulk_float8(b, s->time_pct);
	}
}

static const char copy_sql[] =
	"COPY run_copy (run_id, split, rank, operation, device, " TIME_COLUMNS
	", bytes, sized) FROM STDIN (FORMAT binary)";

static void write_copies(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	int32_t rank = 0;
	for (uint32_t i = 0; i < p->copy_stats_n; i++, rank++) {
		const struct copy_stat *s = &p->copy_stats[i];
		if (i && s->split != s[-1].split)
			rank = 0;
		bulk_row(b, 17);
		bulk_int8(b, run->id);
		bulk_int2(b, (int)s->split);
		bulk_int4(b, rank);
		bulk_text(b, s->operation);
		if (s->split == SPLIT_DEVICE)
			bulk_int4(b, s->device);
		else
			bulk_null(b);
		write_time(b, &s->time);
		bulk_float8(b, s->time_pct);
		bulk_int8(b, s->bytes);
		bulk_int8(b, s->sized);
	}
}

static const char note_sql[] =
	"COPY run_note (run_id, code, severity, count, detail) "
	"FROM STDIN (FORMAT binary)";

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

/* One COPY a table, over all runs. */
static bool write_table(struct db *db, const char *sql,
	void (*write)(struct bulk *b, const struct derived_run *run),
	const struct derived_run *runs, uint32_t n, struct err *e)
{
	struct bulk b;
	if (!bulk_begin(&b, db, sql, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (runs[i].id)
			write(&b, &runs[i]);
	return bulk_end(&b, e);
}

bool derived_write(struct db *db, const struct derived_run *runs, uint32_t n,
	struct err *e)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++)
		ok = !runs[i].id || derived_run(db, &runs[i], e);
	return ok && write_table(db, device_sql, write_devices, runs, n, e) &&
	       write_table(db, kernel_sql, write_kernels, runs, n, e) &&
	       write_table(db, copy_sql, write_copies, runs, n, e) &&
	       write_table(db, note_sql, write_notes, runs, n, e);
}

bool derived_clear(struct db *db, int64_t run, struct err *e)
{
	static const char *const tables[] = {
		"DELETE FROM run WHERE run_id = $1",
		"DELETE FROM run_device WHERE run_id = $1",
		"DELETE FROM run_kernel WHERE run_id = $1",
		"DELETE FROM run_copy WHERE run_id = $1",
		"DELETE FROM run_note WHERE run_id = $1",
	};
	struct sql_params p = { 0 };
	bool ok = true;
	sql_int8(&p, run);
	for (size_t i = 0; ok && i < sizeof tables / sizeof *tables; i++)
		ok = sql_hot(db, tables[i], &p, NULL, e);
	return ok;
}
