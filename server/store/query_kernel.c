/* query_kernel.c - a run's kernel table, in any order. */
#include "query.h"
#include "read_time.h"
#include "sql.h"

#define TABLE(order)                                                      \
	"SELECT kernel_id, name, mangled, short_name, family, "           \
	"defined_in, launched_from, known_from, device, grid_x, grid_y, " \
	"grid_z, block_x, block_y, block_z, rank, " READ_TIME_COLUMNS " " \
	"FROM kernel_line "                                               \
	"WHERE run_id = $1 AND split = $2 "                               \
	"AND ($3 IS NULL OR strpos(lower(name), lower($3)) > 0) "         \
	"ORDER BY " order " "                                             \
	"OFFSET $4 LIMIT $5"

/* As asked, and reversed. What is equal stays in nsys' order. */
#define NUMBER(column)                                                   \
	{                                                                \
		TABLE(column " DESC, rank"), TABLE(column ", rank DESC") \
	}

static const char *const tables[][2] = {
	[KERNEL_TOTAL] = { TABLE("rank"), TABLE("rank DESC") },
	[KERNEL_INSTANCES] = NUMBER("instances"),
	[KERNEL_AVG] = NUMBER("avg_ns"),
	[KERNEL_MED] = NUMBER("med_ns"),
	[KERNEL_MIN] = NUMBER("min_ns"),
	[KERNEL_MAX] = NUMBER("max_ns"),
	[KERNEL_STDDEV] = NUMBER("stddev_ns"),
	[KERNEL_P90] = NUMBER("p90_ns"),
	[KERNEL_P99] = NUMBER("p99_ns"),
	[KERNEL_NAME] = { TABLE("name, rank"), TABLE("name DESC, rank DESC") },
};

static void read_row(struct result *r, struct arena *a, enum split split,
	struct kernel_row *k)
{
	k->kernel = result_int8(r, 0);
	k->is.name = result_text(r, a);
	k->is.mangled = result_text(r, a);
	k->is.short_name = result_text(r, a);
	k->is.source.family = result_text(r, a);
	k->is.source.defined_in = result_text(r, a);
	k->is.source.launched_from = result_text(r, a);
	k->is.source.known_from = result_text(r, a);
	k->stat.split = split;
	k->stat.device = result_int4(r, -1);
	for (int i = 0; i < 3; i++)
		k->stat.grid[i] = result_int4(r, -1);
	for (int i = 0; i < 3; i++)
		k->stat.block[i] = result_int4(r, -1);
	k->rank = result_int4(r, 0);
	k->stat.time_pct = read_time(r, &k->stat.time);
}

bool query_kernels(struct db *db, struct arena *a,
	const struct kernel_filter *f, struct kernel_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, f->run);
	sql_int4(&p, (int32_t)f->split);
	sql_text(&p, f->q);
	sql_int8(&p, f->offset);
	sql_int8_known(&p, f->limit ? f->limit + INT64_C(1) : -1);
	if (!sql_run(db, tables[f->sort][f->reverse], &p, &r, e))
		return false;
	*more = f->limit && r.n > f->limit;
	*n = (uint32_t)(*more ? f->limit : r.n);
	*rows = arena_array(a, struct kernel_row, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++)
		read_row(&r, a, f->split, &(*rows)[i]);
	result_release(&r);
	return true;
}
