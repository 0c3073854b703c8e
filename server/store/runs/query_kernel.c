/* query_kernel.c - a run's kernel table, in any order. */
#include "page.h"
#include "read_kernel.h"
#include "read_time.h"

#define COLUMNS                                                        \
	"kernel_id, " READ_KERNEL_COLUMNS ", device, grid_x, grid_y, " \
	"grid_z, block_x, block_y, block_z, rank, " READ_TIME_COLUMNS  \
	", time_pct, told_source"

#define TABLE(order)                                                      \
	PAGE_OF(COLUMNS,                                                  \
		"octet_length(name) + octet_length(short_name) + "        \
		"coalesce(octet_length(mangled), 0) + "                   \
		"coalesce(octet_length(told_source), 0)",                 \
		"FROM kernel_line WHERE run_id = $4 AND split = $5 "      \
		"AND ($6 IS NULL OR strpos(lower(name), lower($6)) > 0)", \
		order)

/* As asked, and reversed. What is equal stays in nsys' order; what is unknown
 * is last in both. */
#define NUMBER(column)                                         \
	{                                                      \
		TABLE(column " DESC NULLS LAST, rank"),        \
			TABLE(column " NULLS LAST, rank DESC") \
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
	struct kernel_line *k)
{
	k->kernel = result_int8(r, 0);
	read_kernel(r, a, &k->is);
	k->stat.split = split;
	k->stat.device = result_int4(r, -1);
	for (int i = 0; i < 3; i++)
		k->stat.grid[i] = result_int4(r, -1);
	for (int i = 0; i < 3; i++)
		k->stat.block[i] = result_int4(r, -1);
	k->rank = result_int4(r, 0);
	read_time(r, &k->stat.time);
	k->stat.time_pct = result_float8(r, NAN);
	k->stat.told_source = result_text(r, a);
}

bool query_kernels(struct db *db, struct arena *a,
	const struct kernel_filter *f, struct kernel_line **rows, uint32_t *n,
	bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	page_params(&p, f->offset, f->limit);
	sql_int8(&p, f->run);
	sql_int4(&p, (int32_t)f->split);
	sql_text(&p, f->q);
	if (!sql_run(db, tables[f->sort][f->reverse], &p, &r, e))
		return false;
	int64_t on_page = 0;
	*n = page_lines(&r, f->limit);
	*rows = arena_array(a, struct kernel_line, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		read_row(&r, a, f->split, &(*rows)[i]);
		on_page = result_int8(&r, 0);
	}
	*more = on_page > *n;
	result_release(&r);
	return true;
}

bool query_kernel(struct db *db, struct arena *a, int64_t kernel,
	struct profile_kernel *k, struct err *e)
{
	static const char sql[] =
		"SELECT " READ_KERNEL_COLUMNS " FROM kernel WHERE id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, kernel);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		read_kernel(&r, a, k);
	result_release(&r);
	return there ||
	       err_set(e, ERR_NOT_FOUND, "no kernel %lld", (long long)kernel);
}
