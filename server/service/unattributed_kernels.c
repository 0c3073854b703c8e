/* unattributed_kernels.c - unites the unattributed kernels that differ only in a
 * compiler's number. */
#include "unattributed_kernels.h"
#include "catalog_cache.h"
#include "names.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the store, the most time first; row i belongs to row `of[i]`. */
struct unattributed_united {
	struct unattributed_line *rows;
	uint32_t *of, n;
};

/* Adds each row to the first one of its stem. */
static void unattributed_kernels_unite(const struct catalog *k, struct arena *a,
	struct unattributed_united *u)
{
	struct names stems;
	uint32_t *first = arena_array(a, uint32_t, u->n + 2); /* by stem */

	names_init(&stems, a);
	u->of = arena_array(a, uint32_t, u->n + 1);
	for (uint32_t i = 0; i < u->n; i++) {
		struct unattributed_line *is = &u->rows[i];
		struct kernel_stem stem;
		uint32_t known = stems.n;
		u->of[i] = i;
		catalog_kernel_stem(k, is->name, a, &stem);
		if (!stem.text || stem.varies != NAME_NUMBER)
			continue;
		uint32_t id = names_put(&stems, stem.text, strlen(stem.text));
		if (id >= known) {
			first[id] = i;
			continue;
		}
		struct unattributed_line *to = &u->rows[first[id]];
		u->of[i] = first[id];
		to->launches += is->launches;
		to->total_ns += is->total_ns;
		to->names++;
	}
}

static int unattributed_kernels_by_time(const void *left, const void *right)
{
	const struct unattributed_line *a = left, *b = right;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* The number of runs of each united row. A run may have several of its kernels,
 * so that the numbers of its kernels cannot be added up. */
static bool unattributed_kernels_runs(struct service_call *c,
	const struct unattributed_united *u, struct err *e)
{
	int64_t *kernels = arena_array(&c->arena, int64_t, u->n + 1);
	int64_t *runs = arena_array(&c->arena, int64_t, u->n + 1);
	uint32_t *set = arena_array(&c->arena, uint32_t, u->n + 1), n = 0;

	for (uint32_t i = 0; i < u->n; i++)
		if (u->rows[u->of[i]].names > 1) {
			kernels[n] = u->rows[i].kernel;
			set[n++] = u->of[i];
		}
	if (n &&
		!query_unattributed_runs(c->db, kernels, set, n, runs, u->n, e))
		return false;
	for (uint32_t i = 0; i < u->n; i++)
		if (u->rows[i].names > 1)
			u->rows[i].runs = runs[i];
	return true;
}

bool unattributed_kernels_read(struct service_call *c, int limit,
	struct unattributed_line **rows, uint32_t *n, struct err *e)
{
	const struct catalog *k = catalog_cache_take(c, e);
	struct unattributed_united u = { 0 };

	/* All rows, because many short kernels may be one long one. */
	if (!k || !service_db(c, e) ||
		!query_unattributed(c->db, &c->arena, 0, INT_MAX, &u.rows, &u.n,
			e))
		return false;
	unattributed_kernels_unite(k, &c->arena, &u);
	if (!unattributed_kernels_runs(c, &u, e))
		return false;
	*n = 0;
	for (uint32_t i = 0; i < u.n; i++)
		if (u.of[i] == i)
			u.rows[(*n)++] = u.rows[i];
	if (*n)
		qsort(u.rows, *n, sizeof *u.rows, unattributed_kernels_by_time);
	if (*n > (uint32_t)limit)
		*n = (uint32_t)limit;
	*rows = u.rows;
	return true;
}
