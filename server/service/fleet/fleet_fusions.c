/* fleet_fusions.c - turns the pairs of many runs into candidates for fusion. */
#include "fleet_fusions.h"
#include "fusions.h"
#include "names.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t fleet_fusions_moved(const struct fleet_fusion_side *s)
{
	return s->costed ? (int64_t)(s->cost.read_bytes + s->cost.write_bytes)
			 : -1;
}

/* What the pairs of a row save, in seconds or in hours. */
static struct fusion_saving fleet_fusions_saving(const struct fleet_fusion *f,
	const struct catalog *c, bool hours)
{
	const struct platform *p = catalog_platform(c, f->platform);
	const struct fusion_sums sums = { .first_leg = f->first.leg,
		.bytes = f->bytes,
		.first_bytes = fleet_fusions_moved(&f->first),
		.second_bytes = fleet_fusions_moved(&f->second),
		.must_write = f->must_write,
		.pairs = (double)f->pairs,
		.first_s = hours ? f->first.hours : f->first.total_s,
		.second_s = hours ? f->second.hours : f->second.total_s,
		.gap_s = hours ? f->gap_hours : f->gap_s };

	return fusion_saving(&sums, p ? p->bytes_per_s : (double)NAN);
}

/* The hours that the traffic takes at peak bandwidth: the same share of the
 * saved hours as of the saved seconds. */
static double fleet_fusions_at_peak(const struct fusion_saving *s,
	const struct fusion_saving *hours)
{
	return s->traffic_s > 0 ? s->at_peak_s * hours->traffic_s / s->traffic_s
				: s->at_peak_s * 0;
}

/* The list with the platform at its end, unless its name is empty or in it. */
static const char *fleet_fusions_platforms(const char *list, const char *name,
	struct arena *a)
{
	size_t len = strlen(name);
	for (const char *at = list; len && (at = strstr(at, name)); at++)
		if ((at == list || at[-1] == ' ') &&
			(!at[len] || at[len] == ','))
			return list;
	return *list && len ? arena_printf(a, "%s, %s", list, name)
	       : len	    ? name
			    : list;
}

static void fleet_fusions_add(struct fleet_fusion_candidate *m,
	const struct fleet_fusion *f, const struct catalog *c, struct arena *a)
{
	struct fusion_saving s = fleet_fusions_saving(f, c, false),
			     h = fleet_fusions_saving(f, c, true);
	double at_peak = fleet_fusions_at_peak(&s, &h);
	bool first = !m->is;

	if (first)
		m->is = f;
	m->passes = first || m->passes == s.passes ? s.passes : 0;
	m->platforms = fleet_fusions_platforms(first ? "" : m->platforms,
		f->platform, a);
	m->pairs += f->pairs;
	m->replayed += f->replayed;
	m->pair_s += f->first.total_s + f->second.total_s;
	m->traffic_hours = (first ? 0 : m->traffic_hours) + h.traffic_s;
	m->at_peak_hours = (first ? 0 : m->at_peak_hours) + at_peak;
	m->gap_hours += h.gap_s;
	m->pair_hours += f->first.hours + f->second.hours;
	m->hours += h.traffic_s + h.gap_s;
	m->saved_s += s.traffic_s + s.gap_s;
}

/* ---- the runs that have a candidate */

static int fleet_fusions_by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Counts the different runs of the rows of a candidate, and lists the first of
 * them. */
static void fleet_fusions_runs(const struct fleet_fusions *f,
	const uint32_t *rows, uint32_t rows_n, struct arena *a,
	struct fleet_fusion_candidate *m)
{
	size_t all = 0, n = 0;
	for (uint32_t i = 0; i < rows_n; i++)
		all += f->rows[rows[i]].runs_n;
	int64_t *ids = arena_array(a, int64_t, all + 1);
	int64_t *shown = arena_array(a, int64_t, FLEET_FUSION_RUNS);
	for (uint32_t i = 0; i < rows_n; i++)
		for (uint32_t k = 0; k < f->rows[rows[i]].runs_n; k++) {
			int64_t id = f->rows[rows[i]].runs[k];
			uint32_t at = 0;
			ids[n++] = id;
			while (at < m->run_n && shown[at] != id)
				at++;
			if (at == m->run_n && at < FLEET_FUSION_RUNS)
				shown[m->run_n++] = id;
		}
	qsort(ids, n, sizeof *ids, fleet_fusions_by_id);
	for (size_t i = 0; i < n; i++)
		m->runs += !i || ids[i] != ids[i - 1];
	m->run = shown;
}

/* The same for all candidates. `of` is by row: its candidate. The rows are sorted
 * by candidate once, because there may be tens of thousands of both. */
static void fleet_fusions_all_runs(const struct fleet_fusions *f,
	const uint32_t *of, struct arena *a, struct fleet_fusion_list *l)
{
	uint32_t *end = arena_array(a, uint32_t, (size_t)l->n + 1);
	uint32_t *rows = arena_array(a, uint32_t, (size_t)f->n + 1);
	for (uint32_t i = 0; i < f->n; i++)
		end[of[i] + 1]++;
	for (uint32_t c = 0; c < l->n; c++)
		end[c + 1] += end[c];
	/* end[c] is where the rows of c begin, and then end. */
	for (uint32_t i = 0; i < f->n; i++)
		rows[end[of[i]]++] = i;
	for (uint32_t c = 0, from = 0; c < l->n; from = end[c++])
		fleet_fusions_runs(f, rows + from, end[c] - from, a,
			&l->all[c]);
}

/* ---- candidates that may contain the same call */

struct fleet_fusions_sides {
	uint32_t *first,
		*second; /* by candidate: the number of its operator and
		shape; 0: the shape is unknown */
	uint32_t *begins,
		*ends; /* candidates, by the number of first or second */
	uint32_t *begins_from, *ends_from; /* by number: where they start */
};

static uint32_t fleet_fusions_side_number(struct names *names,
	const struct fleet_fusion_side *s, struct arena *a)
{
	if (!s->text)
		return 0;
	const char *key =
		arena_printf(a, "%s %d %s", s->op, (int)s->dtype, s->text);
	return names_put(names, key, strlen(key));
}

/* Sorts candidates by number; those of one number keep their order. */
static uint32_t *fleet_fusions_by_number(const uint32_t *number, uint32_t n,
	uint32_t numbers, uint32_t *from, struct arena *a)
{
	uint32_t *list = arena_array(a, uint32_t, (size_t)n + 1);
	uint32_t *at = arena_array(a, uint32_t, (size_t)numbers + 1);
	for (uint32_t i = 0; i < n; i++)
		from[number[i] + 1]++;
	for (uint32_t k = 0; k < numbers; k++) {
		from[k + 1] += from[k];
		at[k] = from[k];
	}
	for (uint32_t i = 0; i < n; i++)
		list[at[number[i]]++] = i;
	return list;
}

static void fleet_fusions_overlap_add(const struct fleet_fusion_list *l,
	struct fleet_fusion_candidate *m, uint32_t other, struct arena *a)
{
	const struct fleet_fusion *o = l->all[other].is;
	if (&l->all[other] == m)
		return;
	const char *text = arena_printf(a, "%s%s%s, then %s%s%s", o->first.op,
		o->first.text ? " " : "", o->first.text ? o->first.text : "",
		o->second.op, o->second.text ? " " : "",
		o->second.text ? o->second.text : "");
	for (uint32_t i = 0; i < m->overlap_n; i++)
		if (!strcmp(m->overlap[i], text))
			return;
	m->overlap[m->overlap_n++] = text;
}

/* Adds the first candidates of a number. All may have one, so that only as many
 * are looked at as are listed. */
static void fleet_fusions_overlap_of(const struct fleet_fusion_list *l,
	struct fleet_fusion_candidate *m, const uint32_t *list,
	const uint32_t *from, uint32_t number, struct arena *a)
{
	for (uint32_t k = from[number];
		number && k < from[number + 1] &&
		k <= from[number] + FLEET_FUSION_OVERLAPS &&
		m->overlap_n < FLEET_FUSION_OVERLAPS;
		k++)
		fleet_fusions_overlap_add(l, m, list[k], a);
}

static void fleet_fusions_overlaps(const struct fleet_fusion_list *l,
	struct arena *a)
{
	size_t n = (size_t)l->n + 1;
	struct fleet_fusions_sides s = { .first = arena_array(a, uint32_t, n),
		.second = arena_array(a, uint32_t, n) };
	struct names names;
	names_init(&names, a);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct fleet_fusion *f = l->all[i].is;
		s.first[i] = fleet_fusions_side_number(&names, &f->first, a);
		s.second[i] = fleet_fusions_side_number(&names, &f->second, a);
	}
	s.begins_from = arena_array(a, uint32_t, (size_t)names.n + 2);
	s.ends_from = arena_array(a, uint32_t, (size_t)names.n + 2);
	s.begins = fleet_fusions_by_number(s.first, l->n, names.n,
		s.begins_from, a);
	s.ends = fleet_fusions_by_number(s.second, l->n, names.n, s.ends_from,
		a);
	for (uint32_t i = 0; i < l->n; i++) {
		struct fleet_fusion_candidate *m = &l->all[i];
		m->overlap =
			arena_array(a, const char *, FLEET_FUSION_OVERLAPS);
		fleet_fusions_overlap_of(l, m, s.begins, s.begins_from,
			s.second[i], a);
		fleet_fusions_overlap_of(l, m, s.ends, s.ends_from, s.first[i],
			a);
	}
}

/* ---- the list */

/* Unknown hours come last, by their launch gaps. */
static int fleet_fusions_by_hours(const void *a, const void *b)
{
	const struct fleet_fusion_candidate *x = a, *y = b;
	bool unknown = isnan(x->hours);
	int order = (int)x->is->consumers - (int)y->is->consumers;

	order = order ? order : (int)unknown - (int)isnan(y->hours);
	if (order)
		return order;
	double p = unknown ? x->gap_hours : x->hours,
	       q = unknown ? y->gap_hours : y->hours;
	if (p != q)
		return p > q ? -1 : 1;
	order = strcmp(x->is->first.op, y->is->first.op);
	order = order ? order : strcmp(x->is->second.op, y->is->second.op);
	return order ? order : (x->is > y->is) - (x->is < y->is);
}

static const char *fleet_fusions_key(const struct fleet_fusion *f,
	struct arena *a)
{
	return arena_printf(a, "%d %d %lld %s %d %s|%s %d %s",
		(int)f->consumers, (int)f->phase, (long long)f->bytes,
		f->first.op, (int)f->first.dtype,
		f->first.text ? f->first.text : "", f->second.op,
		(int)f->second.dtype, f->second.text ? f->second.text : "");
}

static void fleet_fusions_slices(struct fleet_fusion_list *l)
{
	uint32_t i = 0;
	for (int c = 0; c <= FUSION_CONSUMERS; c++) {
		while (i < l->n && (int)l->all[i].is->consumers < c)
			i++;
		l->from[c] = i;
	}
}

static void fleet_fusions_select(struct fleet_fusion_list *l,
	enum fusion_consumers only, uint32_t limit)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		enum fusion_consumers c = l->all[i].is->consumers;
		bool wanted = only == FUSION_CONSUMERS || only == c;
		if (wanted && (!limit || i - l->from[c] < limit))
			l->all[n++] = l->all[i];
	}
	l->n = n;
	fleet_fusions_slices(l);
}

void fleet_fusions_from(const struct fleet_fusions *f, const struct catalog *c,
	enum fusion_consumers only, uint32_t limit, struct arena *a,
	struct fleet_fusion_list *out)
{
	uint32_t *of = arena_array(a, uint32_t, (size_t)f->n + 1);
	struct names keys;

	*out = (struct fleet_fusion_list){ .runs = f->runs,
		.unknown = f->unknown,
		.hours = f->hours };
	out->all =
		arena_array(a, struct fleet_fusion_candidate, (size_t)f->n + 1);
	names_init(&keys, a);
	for (uint32_t i = 0; i < f->n; i++) {
		const char *key = fleet_fusions_key(&f->rows[i], a);
		of[i] = names_put(&keys, key, strlen(key)) - 1;
		out->n = keys.n - 1;
		fleet_fusions_add(&out->all[of[i]], &f->rows[i], c, a);
	}
	fleet_fusions_all_runs(f, of, a, out);
	if (out->n)
		qsort(out->all, out->n, sizeof *out->all,
			fleet_fusions_by_hours);
	fleet_fusions_overlaps(out, a);
	fleet_fusions_slices(out);
	for (int k = 0; k < FUSION_CONSUMERS; k++)
		out->total[k] = out->from[k + 1] - out->from[k];
	fleet_fusions_select(out, only, limit);
}

/* ---- tasks */

static const char *fleet_fusions_sizes(const char *prefix, const char *text,
	struct arena *a)
{
	const char *out = "";
	while (*text) {
		size_t len = strcspn(text, " ");
		out = arena_printf(a, "%s%s%s%.*s", out, *out ? " " : "",
			prefix, (int)len, text);
		text += len + (text[len] == ' ');
	}
	return out;
}

/* The work of one kernel for both. */
static struct cost fleet_fusions_cost(const struct fleet_fusion *f)
{
	struct cost c = f->first.cost;
	for (int d = 0; d < DTYPES; d++)
		c.flops[d] += f->second.cost.flops[d];
	c.read_bytes += f->second.cost.read_bytes - (uint64_t)f->bytes;
	c.write_bytes += f->second.cost.write_bytes;
	if (!f->must_write)
		c.write_bytes -= (uint64_t)f->bytes;
	return c;
}

static bool fleet_fusions_is_task(const struct fleet_fusion *f)
{
	return f->first.text && f->second.text && f->first.costed &&
	       f->second.costed && f->bytes > 0 &&
	       (uint64_t)f->bytes <= f->second.cost.read_bytes &&
	       (uint64_t)f->bytes <= f->first.cost.write_bytes;
}

static void fleet_fusions_task(const struct fleet_fusion_candidate *m,
	struct arena *a, double hours, struct fleet_importance_row *row,
	struct fleet_shape *shape)
{
	const struct fleet_fusion *f = m->is;
	const char *op = arena_printf(a, "%s+%s", f->first.op, f->second.op);
	const char *sizes = arena_printf(a, "%s %s",
		fleet_fusions_sizes("first_", f->first.text, a),
		fleet_fusions_sizes("second_", f->second.text, a));

	*shape = (struct fleet_shape){ .op = op,
		.platform = strchr(m->platforms, ',') ? "" : m->platforms,
		.text = sizes,
		.dtype = f->first.dtype,
		.phase = f->phase,
		.runs = m->runs,
		.calls = m->pairs,
		.total_s = m->pair_s,
		.med_ns = 1e9 * m->pair_s / (double)m->pairs,
		.costed = true,
		.cost = fleet_fusions_cost(f) };
	*row = (struct fleet_importance_row){ .op = op,
		.phase = NULL,
		.importance = hours > 0 ? m->pair_hours / hours : (double)NAN,
		.runs = m->runs };
}

void fleet_fusions_tasks(const struct fleet_fusion_list *l,
	const struct catalog *c, struct arena *a, struct fleet_importance *m,
	struct fleet_shape **shapes, uint32_t *n)
{
	const struct platform **platforms =
		arena_array(a, const struct platform *, (size_t)l->n + 1);
	*m = (struct fleet_importance){ .runs = l->runs,
		.platforms = platforms,
		.rows = arena_array(a, struct fleet_importance_row,
			(size_t)l->n + 1) };
	*shapes = arena_array(a, struct fleet_shape, (size_t)l->n + 1);
	*n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct fleet_fusion *f = l->all[i].is;
		const struct platform *p = catalog_platform(c, f->platform);
		struct fleet_importance_row row;
		uint32_t k = 0;
		if (!fleet_fusions_is_task(f))
			continue;
		fleet_fusions_task(&l->all[i], a, l->hours, &row,
			&(*shapes)[(*n)++]);
		while (k < m->n && strcmp(m->rows[k].op, row.op) != 0)
			k++;
		if (k == m->n)
			m->rows[m->n++] = row;
		else
			m->rows[k].importance += row.importance;
		for (k = 0; p && k < m->platforms_n && platforms[k] != p;)
			k++;
		if (p && k == m->platforms_n)
			platforms[m->platforms_n++] = p;
	}
}
