/* read_breakdown.h - what layers and groups are read with: kernels of the
 * dictionary by index, roles. */
#pragma once
#include "breakdown_word.h"
#include "query_breakdown.h"
#include "read_time.h"
#include "column.h"
#include "sql.h"

#define READ_TIME_OF(what)                                                    \
	what "_instances, " what "_total_ns, " what "_min_ns, " what          \
	     "_max_ns, " what "_avg_ns, " what "_med_ns, " what "_stddev_ns," \
	     " " what "_p90_ns, " what "_p99_ns"

/* Rows of one run, $1. */
static inline bool read_of_run(struct db *db, const char *sql, int64_t run,
	struct result *r, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, run);
	return sql_hot(db, sql, &p, r, e);
}

/* Those that `sql` selects of a run, by id. */
static inline bool read_kernels(struct db *db, struct arena *a, const char *sql,
	int64_t run, struct breakdown_kernel **kernels, uint32_t *n,
	struct err *e)
{
	struct result r;
	if (!read_of_run(db, sql, run, &r, e))
		return false;
	*n = 0;
	*kernels = arena_array(a, struct breakdown_kernel, (size_t)r.n);
	while (result_next(&r)) {
		struct breakdown_kernel *k = &(*kernels)[(*n)++];
		k->id = result_int8(&r, 0);
		k->name = result_text(&r, a);
		k->short_name = result_text(&r, a);
	}
	result_release(&r);
	return true;
}

/* Which of them it is, sorted by id; ROW_NO_KERNEL of -1. */
static inline uint32_t read_kernel_index(const struct breakdown_kernel *kernels,
	uint32_t n, int64_t id)
{
	uint32_t from = 0;
	if (id < 0)
		return ROW_NO_KERNEL;
	while (n > 1) {
		uint32_t half = n / 2;
		from += kernels[from + half].id <= id ? half : 0;
		n -= half;
	}
	assert(n && kernels[from].id == id);
	return from;
}

/* Whether somebody looked for layers and groups in the run; ERR_NOT_FOUND with a
 * sentence where nobody did, or where there is no such run. `what`: what is read,
 * "layers". */
bool read_looked(struct db *db, struct arena *a, int64_t run, const char *what,
	struct err *e);

static inline layer_roles read_roles(struct result *r, struct arena *a)
{
	layer_roles roles = 0;
	uint32_t n;
	const char *const *words = result_texts(r, a, &n);
	for (uint32_t i = 0; i < n; i++)
		roles |= UINT64_C(1)
			 << read_word_of(words[i], breakdown_word_role, ROLES);
	return roles;
}
