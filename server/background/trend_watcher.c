/* trend_watcher.c - finds the workloads to check, reads their series, and
 * selects the changes that were not reported before. */
#include "trend_watcher.h"
#include "catalog.h"
#include "change_log.h"
#include "trend_work.h"
#include "url_encode.h"
#include "view_trend.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* UNITS is the number of units that are read. At the first check of a workload,
 * only changes within the last FRESH units are reported. At later checks, a
 * change may begin up to LATE units before the last unit that was seen, because
 * it may exceed the noise only now. A reported change is recognized again
 * within NEAR units. */
enum { UNITS = 500, FRESH = 20, LATE = 100, NEAR = 10 };
enum { OPERATORS = 3 };

struct trend_watcher_look {
	struct db *db;
	struct arena *a;
	const struct change_due *due;
	struct catalog *catalog; /* without edits; NULL before it is needed */
	struct change_point_record *news;
	uint32_t n, cap;
};

/* The number of units that are older than this run. */
static uint32_t trend_watcher_place(const struct trend *t, int64_t run)
{
	uint32_t n = 0;
	while (n < t->n && t->run[n] < run)
		n++;
	return n;
}

/* The index of the found change that is nearest to the position `at` of a
 * reported change, which may have moved a little since then; n if there is
 * none. */
static uint32_t trend_watcher_again(const struct change_point *found,
	const bool *known, uint32_t n, uint32_t at)
{
	uint32_t best = n, far = NEAR + 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t d =
			found[i].at > at ? found[i].at - at : at - found[i].at;
		if (!known[i] && d < far) {
			far = d;
			best = i;
		}
	}
	return best;
}

static const char *trend_watcher_encoded(struct arena *a, const char *s)
{
	size_t len = strlen(s);
	struct buf b;
	buf_init(&b, 3 * len + 16);
	url_encode(&b, s, len);
	const char *out = arena_strndup(a, b.len ? b.at : "", b.len);
	buf_release(&b);
	return out;
}

static const char *trend_watcher_body(const struct trend_watcher_look *l,
	const struct trend_result *is, const struct change_point *p)
{
	const struct trend_filter *f = is->f;
	struct arena *a = l->a;
	const char *metric = trend_metric_word(f->metric),
		   *url = arena_printf(a,
			   "/trends?project=%s&workload=%s"
			   "&metric=%s%s%s",
			   trend_watcher_encoded(a, f->project),
			   trend_watcher_encoded(a, f->workload), metric,
			   f->of ? "&of=" : "",
			   f->of ? trend_watcher_encoded(a, f->of) : "");
	json_t *change = view_trend_change(is, p);
	json_object_set_new(change, "metric", json_string(metric));
	json_object_set_new(change, "stat",
		json_string(trend_stat_word(f->stat)));
	json_object_set_new(change, "of", view_text(f->of));
	json_t *v = json_pack("{s:s, s:s, s:s, s:O, s:o, s:s}", "event",
		"change_point", "project", f->project, "workload", f->workload,
		"at", json_object_get(change, "at"), "change", change, "url",
		url);
	char *text = json_dumps(v, JSON_COMPACT | JSON_REAL_PRECISION(15));
	const char *kept = arena_strdup(a, text);
	free(text);
	json_decref(v);
	return kept;
}

static void trend_watcher_add(struct trend_watcher_look *l, const char *metric,
	const struct trend_result *is, const struct change_point *p)
{
	const struct trend *t = is->t;
	uint32_t seen = l->due->seen ? trend_watcher_place(t, l->due->seen + 1)
				     : t->n,
		 back = l->due->seen ? LATE : FRESH,
		 from = seen > back ? seen - back : 0;
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 16;
		l->news = arena_grow(l->a, l->news, l->cap * sizeof *l->news);
	}
	l->news[l->n++] = (struct change_point_record){ .metric = metric,
		.run = t->run[p->at],
		.change_pct = isfinite(p->ratio) ? 100 * (p->ratio - 1) : NAN,
		.worse = !is->other_work[p - is->changes] &&
			 trend_worse(is->f->metric, t, p->before, p->after),
		.body = p->at >= from ? trend_watcher_body(l, is, p) : NULL };
}

static bool trend_watcher_work(struct trend_watcher_look *l,
	const struct trend_result *is, uint32_t i, const char **other_work,
	struct err *e)
{
	if (!l->catalog)
		l->catalog = catalog_new(NULL, e);
	return l->catalog &&
	       trend_work_of(l->db, l->catalog, l->a, is->t, is->changes,
		       is->changes_n, i, other_work, e);
}

/* Adds the changes of one series that were not reported yet. */
static bool trend_watcher_look_at(struct trend_watcher_look *l,
	enum trend_metric m, const char *of, struct err *e)
{
	struct change_options o = CHANGE_OPTIONS;
	const struct trend_filter f = { .project = l->due->project,
		.workload = l->due->workload,
		.metric = m,
		.stat = trend_stat_of(m),
		.of = of,
		.group = "commit",
		.since = NO_MOMENT,
		.until = NO_MOMENT,
		.limit = UNITS };
	const char *metric = trend_metric_word(m);
	struct change_point *found;
	const int64_t *recorded;
	struct trend t;
	uint32_t n, recorded_n;
	if (of)
		metric = arena_printf(l->a, "%s:%s", metric, of);
	if (!query_trend(l->db, l->a, &f, &t, e) ||
		!change_log_recorded(l->db, l->a, l->due, metric, &recorded,
			&recorded_n, e))
		return false;
	uint32_t *group = arena_array(l->a, uint32_t, t.n);
	struct trend_result is = { .f = &f,
		.t = &t,
		.grouped = trend_groups(&t, group) };
	if (!change_points_from(t.value, group, t.n, &o, l->a, &found, &n))
		return arena_err(l->a, e);
	bool *known = arena_array(l->a, bool, n);
	for (uint32_t i = 0; i < recorded_n; i++) {
		uint32_t is_again = trend_watcher_again(found, known, n,
			trend_watcher_place(&t, recorded[i]));
		if (is_again < n)
			known[is_again] = true;
	}
	const char **other_work = arena_array(l->a, const char *, n + 1);
	is.changes = found;
	is.changes_n = n;
	is.other_work = other_work;
	for (uint32_t i = 0; i < n; i++) {
		if (known[i])
			continue;
		if (!trend_watcher_work(l, &is, i, &other_work[i], e))
			return false;
		trend_watcher_add(l, metric, &is, &found[i]);
	}
	return true;
}

static bool trend_watcher_look(struct trend_watcher_look *l, struct err *e)
{
	const char *const *operators;
	uint32_t n;
	if (!trend_watcher_look_at(l, TREND_METRIC_iteration, NULL, e) ||
		!trend_watcher_look_at(l, TREND_METRIC_busbw, NULL, e) ||
		!change_log_operators(l->db, l->a, l->due, OPERATORS,
			&operators, &n, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!trend_watcher_look_at(l, TREND_METRIC_operator,
			    operators[i], e))
			return false;
	return change_log_record(l->db, l->due, l->news, l->n, e);
}

bool trend_watcher_step(struct db *db, int64_t *after, bool *more,
	struct err *e)
{
	struct arena a = { 0 };
	struct change_due due;
	struct trend_watcher_look l = { .db = db, .a = &a, .due = &due };
	*more = false;
	bool ok = change_log_due(db, &a, *after, &due, e);
	if (ok && due.project) {
		*after = due.newest;
		*more = due.more;
		ok = trend_watcher_look(&l, e);
	}
	catalog_free(l.catalog);
	arena_release(&a);
	return ok;
}
