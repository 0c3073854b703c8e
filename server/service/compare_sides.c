/* compare_sides.c - reads the runs of both sides, and stored repeats of
 * them. */
#include "compare_sides.h"
#include "catalog_cache.h"
#include "noise_floor.h"
#include "query_compared.h"
#include "reanalyze.h"
#include "run_selection.h"
#include <stdlib.h>
#include <string.h>

static bool compare_sides_side_read(struct service_call *c,
	const struct run_selection *side, const char *range,
	struct compared_run **runs, struct err *e)
{
	*runs = arena_array(&c->arena, struct compared_run, side->n);
	if (!query_compared(c->db, &c->arena, side->ids, side->n, !range, *runs,
		    e))
		return false;
	for (uint32_t i = 0; range && i < side->n; i++)
		if (!reanalyze_iterations(c, range, &(*runs)[i], e))
			return false;
	return true;
}

bool compare_sides_read(struct service_call *c,
	const struct run_selection *base, const struct run_selection *head,
	const char *range, struct compare_sides *s, struct err *e)
{
	*s = (struct compare_sides){ .base_n = base->n,
		.head_n = head->n,
		.range = range };
	const struct catalog *k = catalog_cache_take(c, e);
	if (!k || !compare_sides_side_read(c, base, range, &s->base, e) ||
		!compare_sides_side_read(c, head, range, &s->head, e))
		return false;
	compare_stems(k, s->base, s->base_n, &c->arena);
	compare_stems(k, s->head, s->head_n, &c->arena);
	return query_origins(c->db, &c->arena, s->base, s->base_n, e) &&
	       query_origins(c->db, &c->arena, s->head, s->head_n, e);
}

/* Of the compared kinds, and of others. */
enum { REPEATS_MAX = 64 };

static int compare_sides_by_name(const void *a, const void *b)
{
	const struct repeat_mean *x = a, *y = b;
	return strcmp(x->name, y->name);
}

void compare_sides_repeats_from(const struct repeat_row *rows, uint32_t n,
	struct arena *a, struct repeats *out)
{
	struct repeat_run *run = NULL;
	struct repeat_mean *means = arena_array(a, struct repeat_mean, n);
	*out = (struct repeats){ .runs = arena_array(a, struct repeat_run, n) };
	for (uint32_t i = 0; i < n; i++) {
		if (!run || run->run != rows[i].run) {
			run = &out->runs[out->n++];
			*run = (struct repeat_run){
				.run = rows[i].run,
				.group = (uint32_t)rows[i].group,
				.cluster = (uint32_t)rows[i].cluster,
				.other = rows[i].other,
				.device_name = rows[i].device_name,
				.commit = rows[i].commit,
				.means = &means[i],
			};
		}
		run->means[run->means_n++] = (struct repeat_mean){
			rows[i].name,
			rows[i].mean_ns,
		};
	}
	for (uint32_t i = 0; i < out->n; i++)
		qsort(out->runs[i].means, out->runs[i].means_n, sizeof *means,
			compare_sides_by_name);
}

bool compare_sides_repeats(struct service_call *c,
	const struct compare_sides *s, const char *unit, struct repeats *out,
	struct err *e)
{
	uint32_t n = s->base_n + s->head_n, rows_n;
	int64_t *like = arena_array(&c->arena, int64_t, n);
	struct repeat_row *rows;
	const struct catalog *k = catalog_cache_take(c, e);
	if (!k)
		return false;
	int64_t before = 0;
	for (uint32_t i = 0; i < n; i++) {
		like[i] = i < s->base_n ? s->base[i].id
					: s->head[i - s->base_n].id;
		before = !i || like[i] < before ? like[i] : before;
	}
	if (!query_repeats(c->db, &c->arena, like, n, REPEATS_MAX, unit, &rows,
		    &rows_n, e))
		return false;
	compare_sides_repeats_from(rows, rows_n, &c->arena, out);
	compare_repeat_stems(k, out, &c->arena);
	struct noise_prior *prior = arena_new(&c->arena, struct noise_prior);
	*prior = noise_floor_prior(out, &c->arena);
	prior->before = before;
	out->prior = prior;
	return true;
}
