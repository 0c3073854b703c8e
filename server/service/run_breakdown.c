/* run_breakdown.c - reads breakdowns; computes the time of each row, launch
 * group and overlap; pairs rows of several runs by name, short name or
 * operator. */
#include "run_breakdown.h"
#include "catalog_cache.h"
#include "compare.h"
#include "exact.h"
#include "note.h"
#include "query.h"
#include "query_compared.h"
#include "reanalyze.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool run_breakdown_fits(int64_t run, const struct breakdown_stored *is,
	struct err *e)
{
	size_t *bytes = calloc(is->kernels_n + 1, sizeof *bytes), sum = 0;
	if (!bytes)
		abort();
	for (uint32_t i = 0; i < is->kernels_n; i++)
		bytes[i] = strlen(is->kernels[i].name) +
			   strlen(is->kernels[i].short_name);
	for (uint32_t i = 0; i < is->breakdown.rows_n; i++) {
		const struct breakdown_row *r = &is->breakdown.rows[i];
		sum += r->kernel == ROW_NO_KERNEL ? 0 : bytes[r->kernel];
		sum += r->module ? strlen(r->module) : 0;
	}
	free(bytes);
	return sum <= QUERY_PAGE_BYTES ||
	       err_set(e, ERR_TOO_LARGE,
		       "the names in the layers of run %lld come to %lld MiB, "
		       "and an answer holds %d; /runs/%lld/kernels lists its "
		       "kernels page by page",
		       (long long)run, (long long)(sum >> 20) + 1,
		       (int)(QUERY_PAGE_BYTES >> 20), (long long)run);
}

bool run_breakdown_names_lag(struct service_call *c, int64_t run, bool *lag,
	struct err *e)
{
	struct note_row *notes;
	uint32_t n;
	*lag = false;
	if (!query_notes(c->db, &c->arena, run, &notes, &n, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		*lag |= !strcmp(notes[i].code, note_name(NOTE_names_lag));
	return true;
}

bool run_breakdown_read(struct service_call *c, int64_t run,
	const struct breakdown_params *params, struct breakdown_stored *out,
	struct err *e)
{
	return service_db(c, e) &&
	       (params ? reanalyze_breakdown(c, run, params, out, e)
		       : query_breakdown(c->db, &c->arena, run, out, e)) &&
	       run_breakdown_fits(run, out, e);
}

/* ---- one time for each row */

/* The mean time of rows like this one per instance, in tenths as all means. */
static double run_breakdown_per_instance(const struct breakdown *b,
	uint32_t row, double total_ns)
{
	int64_t n =
		b->sections[b->blocks[b->rows[row].block].section].instances;
	return n > 0 && isfinite(total_ns)
		       ? (double)exact_tenths((wide_t)total_ns, (wide_t)n) / 10
		       : (double)NAN;
}

/* A row that belongs to a launch group. */
struct run_breakdown_member {
	uint32_t block, group, row;
};

static int run_breakdown_by_group(const void *a, const void *b)
{
	const struct run_breakdown_member *x = a, *y = b;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Sums the times of the members of one group in one block. */
static void run_breakdown_group_sum(const struct run_breakdown_member *m,
	uint32_t n, double *ns)
{
	uint32_t longest = m->row;
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		double is = ns[m[i].row];
		sum += is;
		if (is > ns[longest])
			longest = m[i].row;
	}
	for (uint32_t i = 0; i < n; i++)
		ns[m[i].row] = m[i].row == longest ? sum : (double)NAN;
}

const double *run_breakdown_cells(struct arena *a, const struct breakdown *b)
{
	double *ns = arena_array(a, double, b->rows_n);
	struct run_breakdown_member *m =
		arena_array(a, struct run_breakdown_member, b->rows_n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->rows_n; i++) {
		const struct breakdown_row *r = &b->rows[i];
		ns[i] = (double)r->time.total_ns;
		if (r->group != ROW_NO_GROUP)
			m[n++] = (struct run_breakdown_member){ r->block,
				r->group, i };
	}
	if (n)
		qsort(m, n, sizeof *m, run_breakdown_by_group);
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && m[k].block == m[i].block &&
				m[k].group == m[i].group;
			k++)
			;
		run_breakdown_group_sum(m + i, k - i, ns);
	}
	for (uint32_t i = 0; i < b->rows_n; i++)
		ns[i] = run_breakdown_per_instance(b, i, ns[i]);
	return ns;
}

/* The first row of this block or a later one. */
static uint32_t run_breakdown_first_row(const struct breakdown *b,
	uint32_t block)
{
	uint32_t from = 0, n = b->rows_n;
	while (n) {
		uint32_t half = n / 2;
		if (b->rows[from + half].block < block) {
			from += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return from;
}

void run_breakdown_block_rows(const struct breakdown *b, uint32_t block,
	uint32_t *from, uint32_t *to)
{
	*from = run_breakdown_first_row(b, block);
	*to = run_breakdown_first_row(b, block + 1);
}

static bool run_breakdown_together(const struct breakdown_row *x,
	const struct breakdown_row *y)
{
	return x->lane != y->lane &&
	       x->offset_ns < y->offset_ns + y->time.avg_ns &&
	       y->offset_ns < x->offset_ns + x->time.avg_ns;
}

bool run_breakdown_overlaps(const struct breakdown *b, uint32_t row,
	uint32_t block)
{
	const struct breakdown_row *x = &b->rows[row];
	if (x->overlapped_ns <= 0 || x->block != b->blocks[block].parallel_to)
		return false;
	uint32_t from, to;
	run_breakdown_block_rows(b, block, &from, &to);
	for (uint32_t i = from; i < to; i++)
		if (run_breakdown_together(x, &b->rows[i]))
			return true;
	return false;
}

/* ---- the utilization of layers */

static const char *run_breakdown_utilization_why(const struct utilization *u)
{
	if (u->known_ns < 0)
		return "the run was analyzed before the work of its layers was "
		       "stored; `kernsiftd rebuild` analyzes it again";
	if (u->time_ns < 0)
		return "the times of its instances add up to more than is kept "
		       "(36 years)";
	if (u->time_ns == 0)
		return "it took no time";
	return u->known_ns > 0 ? NULL
			       : "neither work nor peaks are known for any of "
				 "its launches";
}

struct utilization run_breakdown_utilization(const struct breakdown *b,
	uint32_t section)
{
	const struct breakdown_section *s = &b->sections[section];
	const struct section_work *w = &s->work;
	struct utilization u = { .compute_ns = w->compute_ns,
		.memory_ns = w->memory_ns,
		.recomputed_ns = w->recomputed_ns,
		.flops_ns = w->flops_ns,
		.recompute_known_ns = w->recompute_known_ns,
		.recompute_unstored = w->known_ns < 0,
		.known_ns = w->known_ns,
		.time_ns = s->time.total_ns };

	for (uint32_t i = 0; i < b->rows_n; i++)
		if (b->blocks[b->rows[i].block].section == section)
			u.all_ns += b->rows[i].time.total_ns;
	u.why = run_breakdown_utilization_why(&u);
	if (w->known_ns < 0)
		u.all_ns = -1;
	return u;
}

/* ---- several runs: which kernels are the same */

bool run_breakdown_varies(struct service_call *c,
	const struct run_breakdown *runs, uint32_t n, bool *varies,
	struct err *e)
{
	const struct catalog *k = catalog_cache_take(c, e);
	*varies = false;
	if (!k)
		return false;
	for (uint32_t s = 0; s < n; s++)
		for (uint32_t i = 0; !*varies && i < runs[s].is.kernels_n;
			i++) {
			struct kernel_stem stem;
			catalog_kernel_stem(k, runs[s].is.kernels[i].name,
				&c->arena, &stem);
			*varies = stem.text;
		}
	return true;
}

bool run_breakdown_identities(struct service_call *c,
	const struct run_breakdown *runs, uint32_t n,
	struct breakdown_compare_side *sides, struct err *e)
{
	struct compared_run compared[BREAKDOWN_COMPARE_MAX];
	int64_t ids[BREAKDOWN_COMPARE_MAX];
	const struct catalog *k = catalog_cache_take(c, e);

	if (!k || !service_db(c, e))
		return false;
	for (uint32_t s = 0; s < n; s++)
		ids[s] = runs[s].row.id;
	if (!query_compared(c->db, &c->arena, ids, n, true, compared, e))
		return false;
	compare_stems(k, compared, n, &c->arena);
	if (!query_origins(c->db, &c->arena, compared, n, e))
		return false;
	for (uint32_t s = 1; s < n; s++) {
		struct kernel_identity *same;
		compare_kernels(&compared[0], runs[0].is.breakdown.device,
			&compared[s], runs[s].is.breakdown.device, &c->arena,
			&same, &sides[s].same_n);
		sides[s].same = same;
	}
	return true;
}

/* ---- several runs: which rows are the same kernel */

/* The maximum number of a run's rows in a line. A line with more rows, which
 * only runs without layers have, is one row. */
enum { PAIRED_MOST = 400, NONE = UINT32_MAX };
enum { BY_NAME, BY_SHORT_NAME, BY_OPERATOR, WAYS };

struct pairing {
	const struct run_breakdown *runs;
	const struct breakdown_compare *b;
	uint32_t line, n;
	struct run_breakdown_pair *list;
	bool paired;
};

static const struct breakdown_row *
run_breakdown_pair_row_of(const struct pairing *p, uint32_t s, uint32_t row)
{
	return &p->runs[s].is.breakdown.rows[row];
}

static const char *run_breakdown_pair_text_of(const struct pairing *p,
	uint32_t s, uint32_t row, int way)
{
	const struct breakdown_row *r = run_breakdown_pair_row_of(p, s, row);
	if (way == BY_OPERATOR)
		return r->operator_;
	if (r->kernel == ROW_NO_KERNEL)
		return r->operation;
	const struct breakdown_kernel *k = &p->runs[s].is.kernels[r->kernel];
	return way == BY_NAME ? k->name : k->short_name;
}

/* The text of an entry's row in the first run that has one. */
static const char *run_breakdown_pair_entry_text(const struct pairing *p,
	const struct run_breakdown_pair *e, int way)
{
	for (uint32_t s = 0; s < p->b->sides_n; s++)
		if (e->row[s] != NONE)
			return run_breakdown_pair_text_of(p, s, e->row[s], way);
	return NULL;
}

/* Whether a row is the entry's row of another run. Kernels are compared by their
 * identity: one number of a compiler may be another kernel in each run.
 * `same`: whether their texts are equal. */
static bool run_breakdown_pair_fits(const struct pairing *p, uint32_t s,
	uint32_t row, const struct run_breakdown_pair *e, bool same, int way)
{
	uint32_t is = run_breakdown_pair_row_of(p, s, row)->kernel;
	uint32_t t = 0;
	while (t + 1 < p->b->sides_n && e->row[t] == NONE)
		t++;
	uint32_t other = run_breakdown_pair_row_of(p, t, e->row[t])->kernel;
	if (way == BY_OPERATOR || is == ROW_NO_KERNEL || other == ROW_NO_KERNEL)
		return same;
	if (way == BY_NAME)
		return p->b->kernel[s][is] == p->b->kernel[t][other];
	return same && strcmp(p->runs[s].is.kernels[is].name,
			       p->runs[t].is.kernels[other].name) != 0;
}

static uint32_t run_breakdown_pair_match(const struct pairing *p, uint32_t s,
	uint32_t row, int way)
{
	const char *text = run_breakdown_pair_text_of(p, s, row, way);
	for (uint32_t i = 0; text && i < p->n; i++) {
		const char *other = p->list[i].row[s] == NONE
					    ? run_breakdown_pair_entry_text(p,
						      &p->list[i], way)
					    : NULL;
		if (other && run_breakdown_pair_fits(p, s, row, &p->list[i],
				     strcmp(text, other) == 0, way))
			return i;
	}
	return NONE;
}

static uint32_t run_breakdown_pair_entry_with(const struct pairing *p,
	uint32_t s, uint32_t row)
{
	uint32_t i = 0;
	while (i < p->n && p->list[i].row[s] != row)
		i++;
	return i < p->n ? i : NONE;
}

/* Inserts an entry after the entry of the row before it. */
static void run_breakdown_pair_insert(struct pairing *p, uint32_t s,
	uint32_t row, uint32_t before)
{
	uint32_t at = before == NONE
			      ? 0
			      : run_breakdown_pair_entry_with(p, s, before) + 1;
	if (before == NONE && !p->paired)
		at = p->n;
	memmove(&p->list[at + 1], &p->list[at], (p->n - at) * sizeof *p->list);
	p->list[at] = (struct run_breakdown_pair){ .line = p->line };
	memset(p->list[at].row, 0xff, sizeof p->list[at].row);
	p->list[at].row[s] = row;
	p->n++;
}

static void run_breakdown_pair_add_side(struct pairing *p, uint32_t s)
{
	const struct breakdown_compare_cell *c = &p->b->lines[p->line].cells[s];
	for (int way = 0; way < WAYS && p->n; way++)
		for (uint32_t i = 0; i < c->rows_n; i++) {
			uint32_t at = run_breakdown_pair_entry_with(p, s,
					      c->rows[i]) == NONE
					      ? run_breakdown_pair_match(p, s,
							c->rows[i], way)
					      : NONE;
			if (at == NONE)
				continue;
			p->list[at].row[s] = c->rows[i];
			p->paired = true;
		}
	for (uint32_t i = 0; i < c->rows_n; i++)
		if (run_breakdown_pair_entry_with(p, s, c->rows[i]) == NONE)
			run_breakdown_pair_insert(p, s, c->rows[i],
				i ? c->rows[i - 1] : NONE);
}

void run_breakdown_pairs(struct arena *a, const struct run_breakdown *runs,
	const struct breakdown_compare *b, uint32_t line,
	struct run_breakdown_pair **list, uint32_t *n)
{
	uint32_t sides = 0;
	size_t most = *n + (size_t)1;
	bool many = false;
	for (uint32_t s = 0; s < b->sides_n; s++) {
		uint32_t rows = b->lines[line].cells[s].rows_n;
		sides += rows > 0;
		many |= rows > PAIRED_MOST;
		most += rows;
	}
	*list = arena_grow(a, *list, most * sizeof **list);
	struct pairing p = { runs, b, line, 0, *list + *n, false };
	for (uint32_t s = 0; !many && s < b->sides_n; s++)
		run_breakdown_pair_add_side(&p, s);
	if (many || (!p.paired && sides != 1)) {
		*p.list = (struct run_breakdown_pair){ .line = line,
			.whole = true };
		p.n = 1;
	}
	*n += p.n;
}
